//! No input makes a parser panic, or report an error outside of its text: not arbitrary text, not
//! text of the right tokens, not valid files with damage.

use multitrace_formats::sessions::{LineChunks, parse_htf_session, parse_line};
use multitrace_formats::source::{Source, SourceError};
use multitrace_formats::{hif, hsf, htf, locations, timbuk};
use multitrace_interaction::{Alphabet, Signature};
use proptest::prelude::*;

const VALID: [&str; 7] = [
    "@message{ m; n }\n@lifeline{ l1; l2 /* é */ }",
    "seq(\n coreg(l2)(alt(l1 -- m -> (l2,l1), o), loopW(l1 -- <synch>n -> l2)),\n {l1!m, l2?n},\n m ->l1)",
    "{[l1] l1!m.l1?n; [l2] ; [#any] {l2!m,l2?n}; [#all] a17 }",
    "Ops a:1 b:1 x:0\nAutomaton A\nStates p q\nFinal States q\nTransitions\nx -> p\na(p) -> q\n",
    "left=a,b; right = c",
    r#"{"session":"s1","traces":{"l1":["l1!m","l1\u003fn"],"l2":[]},"x":[1.5e3]}"#,
    r#"{"session":7,"htf":"{[l1]\tl1!m; [l2] l2?n}"}"#,
];

const TOKENS: [&str; 61] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ".",
    "!",
    "?",
    "|",
    "--",
    "->",
    "->|",
    "<",
    ">",
    "@",
    "#",
    "∅",
    "o",
    "l1",
    "l2",
    "m",
    "n",
    "seq(",
    "alt(",
    "strict(",
    "par(",
    "coreg(",
    "loopS(",
    "loopC(",
    "<synch>",
    "sync(",
    "foo(",
    "@message{",
    "@lifeline{",
    "[#all]",
    "[#any]",
    "/*",
    "*/",
    "// c\n",
    "// multitrace: allow MT601\n",
    "//",
    "é",
    "$",
    "Ops",
    "Automaton",
    "States",
    "Final",
    "Transitions",
    ":",
    "=",
    "%",
    "\n",
    " ",
    "\"",
    "\\",
    "\\u00",
    ":0",
    ":1",
];

fn alphabet() -> Alphabet {
    let mut alphabet = Alphabet::default();
    for lifeline in ["l1", "l2"] {
        let location = alphabet.add_location(lifeline).expect("new");
        alphabet.add_lifeline(lifeline, location);
        for event in ["!m", "?m", "!n"] {
            alphabet.add_letter(&format!("{lifeline}{event}"), location).expect("new");
        }
    }
    alphabet
}

fn signature() -> Signature {
    let mut signature = Signature::default();
    signature.intern_lifeline("l1");
    signature.intern_message("m");
    signature
}

/// An error that can be shown and lies within its text.
fn check<T>(result: Result<T, SourceError>) -> Option<T> {
    let error = match result {
        Ok(value) => return Some(value),
        Err(error) => error,
    };
    assert!(!error.diagnostics().is_empty());
    for diagnostic in error.diagnostics() {
        let span = diagnostic.span;
        assert!(span.start <= span.end && span.end <= error.file().text().len(), "{diagnostic:?}");
        assert!(error.file().text().is_char_boundary(span.start), "{diagnostic:?}");
        assert!(!diagnostic.message.is_empty());
    }
    assert_eq!(error.lines().count(), error.diagnostics().len());
    assert!(error.to_string().contains("error: "));
    None
}

fn read_all(text: &str) {
    let source = Source::new("f", text);
    let alphabets = [Alphabet::default(), alphabet()];
    check(hsf::parse(&source));
    check(hif::parse(&source, Some(signature())));
    if let Some(spec) = check(hif::parse(&source, None)) {
        let printed = Source::new("printed", hif::print(&spec.interaction, &spec.signature));
        let again = check(hif::parse(&printed, Some(spec.signature))).expect("prints what reads");
        assert_eq!(again.interaction, spec.interaction);
    }
    check(htf::parse(&source));
    if let Some(automaton) = check(timbuk::parse(&source)) {
        let printed = Source::new("printed", timbuk::print(&automaton));
        assert_eq!(check(timbuk::parse(&printed)), Some(automaton));
    }
    check(locations::parse(text));
    for alphabet in &alphabets {
        check(parse_htf_session(&source, alphabet));
        check(parse_line("f", 3, text, alphabet));
    }
}

/// A valid text with one stretch replaced.
fn damaged() -> impl Strategy<Value = String> {
    let replacement = prop_oneof![
        Just(String::new()),
        "\\PC{0,3}",
        prop::sample::select(&TOKENS[..]).prop_map(str::to_owned)
    ];
    let valid = prop::sample::select(&VALID[..]);
    let cut = (any::<prop::sample::Index>(), 0..6_usize, replacement);
    (valid, prop::collection::vec(cut, 1..4)).prop_map(|(text, cuts)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (place, length, replacement) in cuts {
            let start = place.index(chars.len() + 1);
            let end = (start + length).min(chars.len());
            chars.splice(start..end, replacement.chars());
        }
        chars.into_iter().collect()
    })
}

#[test]
fn the_undamaged_texts_are_valid() {
    let alphabet = alphabet();
    check(hsf::parse(&Source::new("f", VALID[0]))).expect("a signature");
    check(hif::parse(&Source::new("f", VALID[1]), None)).expect("an interaction");
    check(htf::parse(&Source::new("f", VALID[2]))).expect("a multi-trace");
    check(timbuk::parse(&Source::new("f", VALID[3]))).expect("an automaton");
    check(locations::parse(VALID[4])).expect("groups");
    for line in &VALID[5..] {
        check(parse_line("f", 1, line, &alphabet)).expect("a session");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn arbitrary_text(text in any::<String>()) {
        read_all(&text);
    }

    #[test]
    fn arbitrary_tokens(tokens in prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..25)) {
        read_all(&tokens.concat());
        read_all(&tokens.join(" "));
    }

    #[test]
    fn damaged_files(text in damaged()) {
        read_all(&text);
    }

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        for chunk in LineChunks::new("f", &bytes[..]).with_bounds(7, 20) {
            for line in chunk.expect("bytes can be read").lines() {
                if let Some(text) = check(line.text("f")) {
                    prop_assert!(text.len() <= 20 && !text.trim_ascii().is_empty());
                }
            }
        }
    }
}
