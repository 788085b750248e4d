//! No text makes the reader of Mermaid diagrams panic, or report an error outside of the text.

use multitrace_formats::diagram::mermaid;
use multitrace_formats::source::Source;
use proptest::prelude::*;
use std::time::{Duration, Instant};

const VALID: [&str; 4] = [
    "---\ntitle: \"é: x\"\nconfig:\n  theme: a\n---\nsequenceDiagram\nactor A@{ \"type\": \"queue\", \"alias\": \"x\" } as B\n\
     box Aqua b\nparticipant Z as <br/>y\nend\nA->>+Z: #35;x # c\nZ-->>-A: y;A()->>()Z:\n",
    "%%{init: {\"a\": 1}}%%\nsequenceDiagram\r\n%% multitrace: é\r\nalt x\r\nA-xB: <a b=\"c\">\r\nelse\r\nend\r\n",
    "sequenceDiagram\ncreate participant B\nA->>B: x\ndestroy B\nB--)A: y\nNote over A,B: z\nautonumber 1 .5\n\
     par a\nand b\nend\ncritical c\noption d\nend\nloop\nbreak e\nend\nend",
    "sequenceDiagram\naccTitle: a\naccDescr { b }\ntitle c\nlinks A: {\"a\": \"b\"}\nactivate A\ndeactivate A\nA/|-B: q",
];

const TOKENS: [&str; 40] = [
    "\n",
    ";",
    ":",
    " ",
    ",",
    "#",
    "#35;",
    "\u{1}",
    "\u{2}",
    "%%",
    "%",
    "%%{",
    "}%%",
    "{",
    "}",
    "()",
    "+",
    "-",
    "->>",
    "--x",
    "/|-",
    "end",
    "else",
    "alt",
    "loop",
    "box",
    "participant ",
    "actor A@{",
    "create ",
    "destroy ",
    "note over ",
    " as ",
    "accDescr {",
    "title ",
    "<br",
    "\"",
    "'",
    "é",
    "\u{a0}",
    "\r",
];

fn check(text: &str) {
    if let Err(errors) = mermaid::parse(text, 0..text.len()) {
        let error = errors.of(Source::new("d.mmd", text));
        assert!(!error.diagnostics().is_empty());
        for diagnostic in error.diagnostics() {
            assert!(diagnostic.span.start <= diagnostic.span.end);
            assert!(diagnostic.span.end <= text.len());
        }
        assert!(!error.to_string().is_empty());
    }
}

/// A valid diagram in which a piece is replaced by a token.
fn damaged() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0..4_usize, prop::sample::select(TOKENS.as_slice()));
    (prop::sample::select(VALID.as_slice()), prop::collection::vec(edit, 1..4)).prop_map(
        |(text, edits)| {
            let mut characters: Vec<char> = text.chars().collect();
            for (at, length, token) in edits {
                let at = at.index(characters.len() + 1);
                let end = (at + length).min(characters.len());
                characters.splice(at..end, token.chars());
            }
            characters.into_iter().collect()
        },
    )
}

proptest! {
    #[test]
    fn damaged_diagrams(text in damaged()) {
        check(&text);
    }

    #[test]
    fn tokens_in_any_order(tokens in prop::collection::vec(prop::sample::select(TOKENS.as_slice()), 0..30)) {
        check(&format!("sequenceDiagram\n{}", tokens.concat()));
    }

    #[test]
    fn any_text(text in any::<String>(), start in 0..20_usize, end in 0..20_usize) {
        check(&text);
        let _ = mermaid::parse(&text, start..end);
    }
}

#[test]
fn the_valid_diagrams_are_valid() {
    for text in VALID {
        mermaid::parse(text, 0..text.len())
            .unwrap_or_else(|e| panic!("{}", e.of(Source::new("d", text))));
    }
}

/// The bound on the time catches a step whose cost is quadratic.
#[test]
fn the_cost_is_linear() {
    let pieces = [
        "\n", " ", "<a", "<br", "%%{", "%%{a", "%%{a:b ", "#", "#a", "\u{1}a", "style", "opt\n",
        "A-", "A()", "1", "@{", "end\n",
    ];
    let start = Instant::now();
    for piece in pieces {
        check(&format!("sequenceDiagram\n{}", piece.repeat(100_000)));
        check(&format!("sequenceDiagram\nactor A@{{ a: {}", piece.repeat(100_000)));
        check(&format!("---\n{}\nsequenceDiagram", piece.repeat(100_000)));
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
