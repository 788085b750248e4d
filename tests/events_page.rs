//! docs/events.md: every mapping in it is one, and makes the events it shows of the log it shows.

use multitrace_formats::events::{Events, Format, Mapping, RecordBatches};
use multitrace_formats::source::Source;

/// The blocks of code of a page: what they are called, and their text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), open.as_mut()) {
            (Some(""), Some(_)) => blocks.extend(open.take()),
            (Some(name), None) => open = Some((name.to_owned(), String::new())),
            (_, Some((_, text))) => *text += &format!("{line}\n"),
            (_, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// The events of a log, as the page shows them.
fn events(mapping: &Mapping, name: &str, log: &str) -> String {
    let format = mapping.input().format.or_else(|| Format::named(name)).expect("a format");
    let (options, fields) = (mapping.input(), mapping.fields());
    let batches = RecordBatches::new(name, log.as_bytes(), format, options, fields);
    let mut buffer = Events::default();
    for batch in batches.expect("a log") {
        batch.expect("a batch").for_each(|record| {
            mapping.map(record.expect("a record"), &mut buffer);
        });
    }
    buffer.iter().map(|event| format!("{}: {event}\n", event.session)).collect()
}

#[test]
fn mappings_make_the_events_that_are_shown() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/events.md");
    let page = std::fs::read_to_string(path).expect("the page is there");
    let (mut mapping, mut log, mut shown, mut mappings) = (None, None, 0, 0);
    for (name, text) in blocks(&page) {
        match name.as_str() {
            "toml" => {
                let parsed = Mapping::parse(&Source::new("docs/events.md", text));
                mapping = Some(parsed.unwrap_or_else(|error| panic!("{error}")));
                mappings += 1;
            }
            "events" => {
                let (name, log): (String, String) = log.take().expect("a log before its events");
                let mapping = mapping.as_ref().expect("a mapping before the log");
                assert_eq!(events(mapping, &name, &log), text, "of\n{log}");
                shown += 1;
            }
            _ => log = Some((name, text)),
        }
    }
    assert!(shown >= 7 && mappings >= 9, "{shown} of {mappings}");
    for name in Format::names() {
        assert!(page.contains(name), "the page says nothing of {name}");
    }
}
