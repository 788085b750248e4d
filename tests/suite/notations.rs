//! The tables of docs/specifications.md: each example in Mermaid and PlantUML is read as the interaction
//! beside it.

use multitrace::{Answer, CompileOptions, DiffOptions, Spec, SpecFormat};
use multitrace_formats::diagram::{DiagramOptions, IncludeError, Notation, read, whole};
use multitrace_formats::hif::{self, Dialect};
use multitrace_formats::source::Source;
use std::path::Path;

/// The examples of a section, and their meaning.
fn rows(section: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/specifications.md");
    let page = std::fs::read_to_string(path).expect("the page is there");
    let (_, after) = page.split_once(section).expect("the section is there");
    let (_, table) = after.split_once("|---|---|---|\n").expect("the table begins");
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    rows.map(|line| {
        let cells: Vec<String> = line.replace("\\|", "\u{1}").split('|').map(restored).collect();
        (code(&cells[2]), code(&cells[3]))
    })
    .collect()
}

fn restored(cell: &str) -> String {
    cell.trim().replace('\u{1}', "|")
}

/// The lines of code of a cell.
fn code(cell: &str) -> String {
    let lines = cell.split("`<br>`").map(|line| line.trim_matches('`'));
    lines.collect::<Vec<&str>>().join("\n")
}

fn text(notation: Notation, body: &str) -> String {
    match notation {
        Notation::Mermaid => format!("sequenceDiagram\n{body}\n"),
        Notation::PlantUml => format!("@startuml\n{body}\n@enduml\n"),
    }
}

/// The meaning of a text, or why it has none.
fn meaning(notation: Notation, text: &str) -> Result<String, String> {
    let source = Source::new("example", text);
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let read = read(&source, &whole(text, notation), &DiagramOptions::default(), &no_files);
    let parsed = read.map_err(|error| error.to_string())?.parsed;
    Ok(hif::print_in(Dialect::Ours, &parsed.interaction, &parsed.signature))
}

/// An interaction as it is printed.
fn printed(text: &str) -> String {
    let parsed = hif::parse(&Source::new("means", text), None);
    let parsed = parsed.unwrap_or_else(|error| panic!("{error}"));
    hif::print_in(Dialect::Ours, &parsed.interaction, &parsed.signature)
}

#[test]
fn examples_mean_what_the_page_says() {
    for (section, notation, count) in
        [("### Mermaid\n", Notation::Mermaid, 26), ("### PlantUML\n", Notation::PlantUml, 25)]
    {
        let rows = rows(section);
        assert_eq!(rows.len(), count, "{section}");
        for (example, means) in rows {
            let meaning = meaning(notation, &text(notation, &example));
            assert_eq!(meaning, Ok(printed(&means)), "{example}");
        }
    }
}

/// Their errors, too, are at the same line and column.
#[test]
fn diagrams_with_line_ends_of_windows_mean_the_same() {
    for (section, notation) in
        [("### Mermaid\n", Notation::Mermaid), ("### PlantUML\n", Notation::PlantUml)]
    {
        for (example, _) in rows(section) {
            for body in [example.clone(), format!("{example}\n\n  nothing -- that is [ known")] {
                let text = text(notation, &body);
                let found = meaning(notation, &text.replace('\n', "\r\n"));
                assert_eq!(found, meaning(notation, &text), "{body}");
                assert_eq!(found.is_ok(), body == example, "{body}");
            }
        }
    }
}

/// The open choices are the same in a diagram and in text, and stand for the interactions that the page says.
#[test]
fn open_specifications_stand_for_what_the_page_says() {
    let page = include_str!("../../docs/specifications.md");
    let (_, rest) = page.split_once("### Open specifications\n").expect("the section");
    let (section, _) = rest.split_once("\n### ").expect("the next one");
    let monitor = |text: String, format| {
        let spec = Spec::parse("example", &text, format);
        spec.compile(&CompileOptions::default()).unwrap_or_else(|it| panic!("{text}\n{it}")).monitor
    };
    let mut count = 0;
    for row in section.lines().filter(|line| line.starts_with("| ") && line.contains("->")) {
        let cells: Vec<String> = row.replace("\\|", "\u{1}").split('|').map(restored).collect();
        let [_, _, example, text, means, _] = &cells[..] else { panic!("{row}") };
        let diagram = format!("sequenceDiagram\n%% multitrace: {}\n", code(example));
        let mermaid = monitor(diagram, SpecFormat::Diagram(Notation::Mermaid));
        let expected = monitor(code(means), SpecFormat::Hif);
        for (what, other) in [(example, mermaid), (text, monitor(code(text), SpecFormat::Hif))] {
            let diff = other.diff(&expected, DiffOptions::default()).expect("comparable");
            assert_eq!(diff.answer(), Answer::Equal, "{what}");
        }
        count += 1;
    }
    assert_eq!(count, 11);
}

/// All sequences of the messages m and n of at most this length.
fn sequences(most: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    for at in 0.. {
        let Some(shorter) = all.get(at).filter(|it| it.len() < most).cloned() else { break };
        all.extend(["m", "n"].map(|message| format!("{shorter}{message}")));
    }
    all
}

/// Of the sessions that `par` accepts, those whose messages arrive in the order in which they were sent.
#[test]
fn alternatives_keep_the_order_of_a_channel() {
    let page = include_str!("../../docs/specifications.md");
    let (_, rest) = page.split_once("| may overtake | in order |\n|---|---|\n").expect("the table");
    let rows: Vec<&str> = rest.lines().take_while(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 2);
    for row in rows {
        let cells: Vec<String> = row.split('|').map(restored).collect();
        let [overtaking, in_order] = [&cells[1], &cells[2]].map(|cell| {
            let spec = Spec::parse("example", &code(cell), SpecFormat::Hif);
            spec.compile(&CompileOptions::default()).expect("an interaction").monitor
        });
        let mut counts = [0, 0];
        let all = sequences(3);
        for (sent, received) in all.iter().flat_map(|it| all.iter().map(move |other| (it, other))) {
            let accepts = |monitor: &multitrace::Monitor| {
                let mut session = monitor.session("s");
                for (at, end, word) in [("a", "a!", sent), ("b", "b?", received)] {
                    for message in word.chars() {
                        session = session.event(at, &format!("{end}{message}"));
                    }
                }
                let session = session.build();
                monitor.check(&session, monitor.config()).expect("an engine").verdict.name()
                    == "pass"
            };
            let (may, keeps) = (accepts(&overtaking), accepts(&in_order));
            assert_eq!(keeps, may && sent == received, "{row}: {sent} {received}");
            counts[0] += usize::from(may);
            counts[1] += usize::from(keeps);
        }
        assert!(counts[1] > 1 && counts[0] > counts[1], "{counts:?}");
    }
}
