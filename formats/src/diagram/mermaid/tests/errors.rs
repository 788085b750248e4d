//! Diagrams that are refused, with words and places of the errors.

use super::*;

/// The errors of a text: the piece they mark, and their message.
fn errors(text: &str) -> Vec<(String, String)> {
    let errors = parse(text, 0..text.len()).expect_err("refused");
    let error = errors.of(Source::new("d.mmd", text));
    let piece = |diagnostic: &crate::source::Diagnostic| {
        let piece = &text[diagnostic.span.start..diagnostic.span.end];
        assert!(!diagnostic.label.is_empty());
        (piece.to_owned(), diagnostic.message.clone())
    };
    error.diagnostics().iter().map(piece).collect()
}

/// The only error of lines behind `sequenceDiagram`.
fn error(lines: &str) -> (String, String) {
    let mut found = errors(&format!("sequenceDiagram\n{lines}"));
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn is_error(lines: &str, piece: &str, message: &str) {
    assert_eq!(error(lines), (piece.to_owned(), message.to_owned()), "{lines}");
}

#[test]
fn no_sequence_diagram() {
    let first = |text: &str| errors(text).remove(0);
    assert_eq!(first("").1, "there is no diagram in this text");
    assert_eq!(first("graphs TD\n").1, "expected `sequenceDiagram`, found `graphs`");
    let flowchart = "this is a flowchart of Mermaid, and sequence diagrams are read";
    assert_eq!(first("%% c\n  flowchart; A-->B\n"), ("flowchart".to_owned(), flowchart.to_owned()));
    assert!(
        first("---\ntitle: x\n---\nstateDiagram-v2\n").1.starts_with("this is a state diagram")
    );
    assert_eq!(first("sequencediagram\n").0, "sequencediagram");
    assert_eq!(first("# c\nsequenceDiagram").0, "#");
    assert_eq!(first("sequenceDiagrams").0, "sequenceDiagrams");
    assert_eq!(first("---\ntitle: x\nsequenceDiagram").1, "the front matter is not closed");
    assert_eq!(first("---\ntitle: 'x\n---\nsequenceDiagram").0, "'x");
}

#[test]
fn messages() {
    is_error("A->>B", "", "expected `:` and a text, found the end of the line");
    is_error("A B: x", ": x", "expected an arrow, found `: x`");
    is_error("A->>B: x; y", "", "expected an arrow, found the end of the line");
    let help = |text: &str| {
        let text = format!("sequenceDiagram\n{text}\n");
        let error = crate::diagram::mermaid::parse(&text, 0..text.len()).expect_err("an error");
        error.of(crate::source::Source::new("", text)).diagnostics()[0].help.clone()
    };
    assert!(help("A->>B: x; y").is_some_and(|help| help.contains("`#59;`")));
    assert!(help("A B: x").is_some_and(|help| help.contains("`A->>B: text`")));
    is_error("A->>: x", ": x", "expected the name of who receives the message, found `: x`");
    is_error("A->>end: x", "end", "expected the name of who receives the message, found `end`");
    is_error("A()->>+B: x", "+", "expected the name of who receives the message, found `+`");
    is_error("1 ->>B: x", "1", "expected a statement, found `1`");
    is_error("A->>-B: x", "A->>-B: x", "`A` is not active and cannot be deactivated");
}

#[test]
fn declarations() {
    is_error("participant", "", "expected the name of a participant, found the end of the line");
    is_error("participant A: b", "A: b", "expected the name of a participant, found `A: b`");
    is_error(
        "create note",
        "note",
        "expected `participant` or `actor` after `create`, found `note`",
    );
    is_error("A->>B: x\ncreate actor B", "B", "`B` exists already and cannot be created");
    is_error("create actor B\nA->>C: x", "B", "the next message does not create `B`");
    is_error("destroy B\nA->>C: x", "B", "the next message does not destroy `B`");
    is_error("deactivate B", "B", "`B` is not active and cannot be deactivated");
    is_error("box\nactor A\nend\nbox\nactor A\nend", "A", "`A` is in another box already");
    is_error("actor A@{ a: 'b }", "'b", "the options of the participant are not YAML");
    is_error("actor A@{}", "}", "expected options, as in `{ \"type\": \"database\" }`, found `}`");
}

#[test]
fn frames() {
    is_error("end", "end", "`end` without a frame");
    is_error("loop x", "loop", "the end of the diagram comes before `end`");
    is_error("box x", "box", "the end of the diagram comes before `end`");
    for lone in ["else y", "else", "else %% why", "and"] {
        let (word, frame) = if lone == "and" { ("and", "par") } else { ("else", "alt") };
        let message = format!("`{word}` stands outside of `{frame}`");
        is_error(&format!("opt x\n{lone}\nend"), word, &message);
    }
    is_error(
        "box\nA->>B: x\nA->>B: x\nend",
        "A",
        "a box can hold only declarations of participants",
    );
}

#[test]
fn other_statements() {
    let numbers = "expected numbers with at most two digits behind the point, `off` or the end of \
                   the line, found `10.001`";
    assert_eq!(
        error(
            "autonumber 10.001
A->>B: x"
        )
        .1,
        numbers
    );
    is_error("note A: x", "A", "expected `over`, `left of` or `right of` after `note`, found `A`");
    is_error("note over A", "", "expected `:` and a text, found the end of the line");
}

#[test]
fn all_errors_are_reported() {
    let text = "sequenceDiagram\nA->>B\nA->>B: x\nalt\nA-B\nend\nnote x\nend";
    let found = errors(text);
    let messages: Vec<&str> = found.iter().map(|(_, message)| message.as_str()).collect();
    assert_eq!(messages.len(), 4, "{messages:?}");
    assert!(messages[3].starts_with("`end` without"));
}

#[test]
fn keywords_are_named_in_the_help() {
    let text = "sequenceDiagram\nA->>end: x";
    let shown =
        parse(text, 0..text.len()).expect_err("refused").of(Source::new("d", text)).to_string();
    assert!(shown.contains("`end` is a keyword of Mermaid"), "{shown}");
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| format!("{}{}", "opt x\n".repeat(depth), "end\n".repeat(depth));
    let deepest = format!("sequenceDiagram\n{}", nested(200));
    assert!(parse(&deepest, 0..deepest.len()).is_ok());
    is_error(&nested(201), "opt", "frames are nested more than 200 deep");
    is_error(&nested(100_000), "opt", "frames are nested more than 200 deep");
}
