//! Interactions, signatures, multi-traces, automata and locations as text. A text that is read is printed and read
//! again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use multitrace_formats::source::Source;
use multitrace_formats::{hif, hsf, htf, locations, sessions, timbuk};
use multitrace_fuzz::{alphabet, read, text};

fuzz_target!(|data: &[u8]| {
    let Some(text) = text(data) else { return };
    let source = Source::new("f", text);
    interaction(&source);
    automaton(&source);
    read(hsf::parse(&source));
    read(htf::parse(&source));
    read(sessions::parse_htf_session(&source, alphabet()));
    read(locations::parse(text));
});

fn interaction(source: &Source) {
    let formatted = read(hif::format(source));
    let Some(spec) = read(hif::parse(source, None)) else { return };
    assert!(!hif::in_words(&spec.interaction, &spec.signature, &|_| false).is_empty());
    let printed = hif::print(&spec.interaction, &spec.signature);
    let formatted = formatted.expect("what can be read can be laid out");
    for text in [printed, formatted] {
        let again = hif::parse(&Source::new("again", text), Some(spec.signature.clone()));
        let again = again.expect("printed specifications can be read");
        assert_eq!(again.interaction, spec.interaction);
    }
}

fn automaton(source: &Source) {
    let Some(automaton) = read(timbuk::parse(source)) else { return };
    let printed = Source::new("printed", timbuk::print(&automaton));
    assert_eq!(timbuk::parse(&printed).ok(), Some(automaton));
}
