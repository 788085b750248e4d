//! Sessions as lines of JSON: the quick reader and the full one agree on every line, and a session that is read is
//! printed and read again. Lists of ids too.

#![no_main]

use libfuzzer_sys::fuzz_target;
use multitrace_formats::selection::IdList;
use multitrace_formats::sessions::SessionFormat;
use multitrace_formats::sessions::{LineChunks, QuickReader, parse_line, print_json_line};
use multitrace_fuzz::{alphabet, read};
use multitrace_interaction::Session;

/// Small, so that short inputs have several chunks and lines that are too long.
const CHUNK: usize = 64;
const LONGEST: usize = 256;

fuzz_target!(|data: &[u8]| {
    let _ = SessionFormat::of_first_bytes(data);
    for chunk in LineChunks::new("f", data).with_bounds(CHUNK, LONGEST) {
        let chunk = chunk.expect("memory can be read");
        chunk.lines().filter_map(|line| read(line.text("f"))).for_each(one);
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let list = IdList::parse(text);
        assert_eq!(IdList::parse(&list.text()).text(), list.text());
    }
});

fn one(line: &str) {
    let parsed = read(parse_line("f", 1, line, alphabet()));
    let mut quick = Session::default();
    if QuickReader::new(alphabet()).read(line.as_bytes(), &mut quick) {
        assert_eq!(parsed.as_ref(), Some(&quick), "the quick reader differs");
    }
    if let Some(session) = parsed.filter(|it| it.unknown.is_empty()) {
        let printed = print_json_line(&session, alphabet());
        let again = parse_line("printed", 1, &printed, alphabet());
        assert_eq!(again.expect("printed sessions can be read").trace, session.trace);
    }
}
