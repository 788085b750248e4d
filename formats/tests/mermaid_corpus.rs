//! Every Mermaid diagram of the corpus is read as Mermaid itself reads it, and refused where it is
//! refused. The corpus is not part of this project: without it the tests say that they are skipped.
//!
//! `scripts/mermaid-oracle` prints the readings of Mermaid for other diagrams, damaged ones for example;
//! `mutations` compares them in the same way.

use multitrace_formats::diagram::mermaid;
use multitrace_formats::diagram::model::{
    Arrow, Diagram, End, Fragment, FragmentOperator, Head, Message, Note, ParticipantId, Statement,
};
use multitrace_testing::corpus::folder as corpus;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// One thing down the page: its kind, the names of its participants and its text.
type Entry = (String, Vec<String>, String);

/// The facts of a diagram that both Mermaid and this crate report.
#[derive(Debug, PartialEq, Eq)]
struct Summary {
    participants: Vec<(String, String)>,
    entries: Vec<Entry>,
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A text of Mermaid as a person reads it. Mermaid writes entities in signs of its own.
fn shown(value: &Value) -> String {
    let text = text_of(value);
    let lower = text.to_lowercase();
    let mut shown = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = lower.get(at..).and_then(|rest| rest.strip_prefix("<br"));
        let rest = rest.map(|rest| rest.trim_start());
        let tail = rest.and_then(|rest| rest.strip_prefix("/>").or(rest.strip_prefix('>')));
        at = tail.map_or(at + c.len_utf8(), |tail| text.len() - tail.len());
        shown.push(if tail.is_some() { '\n' } else { c });
    }
    decoded(&shown, true)
}

/// Replaces the entities that occur, or writes all of them as in the diagram.
fn decoded(text: &str, is_shown: bool) -> String {
    let known = [
        ("quot", "\""),
        ("lt", "<"),
        ("gt", ">"),
        ("amp", "&"),
        ("infin", "∞"),
        ("35", "#"),
        ("59", ";"),
        ("9829", "♥"),
    ];
    let text = text.replace("ﬂ°°", "ﬂ°");
    let mut pieces = text.split("ﬂ°");
    let mut decoded = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("¶ß").unwrap_or((piece, ""));
        let known = known.iter().find(|(known, _)| is_shown && *known == name);
        let as_written = format!("#{name};");
        decoded.push_str(known.map_or(&as_written, |(_, sign)| sign));
        decoded.push_str(rest);
    }
    decoded
}

/// A name as the diagram writes it.
fn name(value: &Value) -> String {
    decoded(&text_of(value), false)
}

fn expected(line: &Value) -> Summary {
    let list = |key: &str| line[key].as_array().cloned().unwrap_or_default();
    let participant = |actor: &Value| (name(&actor["id"]), shown(&actor["label"]));
    let participants = list("actors").iter().map(participant).collect();
    let entries = list("messages").iter().filter_map(expected_entry).collect();
    Summary { participants, entries }
}

fn expected_entry(message: &Value) -> Option<Entry> {
    let kind = text_of(&message["t"]);
    let is_style =
        ["ACTIVE_", "AUTONUMBER", "CENTRAL_"].iter().any(|style| kind.starts_with(style));
    if is_style {
        return None;
    }
    let is_frame =
        ["_START", "_ELSE", "_AND", "_OPTION", "_END"].iter().any(|end| kind.ends_with(end));
    let mut names = vec![name(&message["from"]), name(&message["to"])];
    if kind == "NOTE" {
        names.dedup();
    } else if is_frame {
        names.clear();
    }
    let kind = if is_frame || kind == "NOTE" { kind } else { drawn(arrow_of(&kind)) };
    Some((kind.replace("PAR_OVER", "PAR"), names, shown(&message["text"])))
}

/// How Mermaid draws a kind of message.
fn arrow_of(kind: &str) -> Arrow {
    let head = match kind {
        "SOLID_OPEN" | "DOTTED_OPEN" => Head::None,
        "SOLID_CROSS" | "DOTTED_CROSS" => Head::Cross,
        "SOLID" | "DOTTED" | "BIDIRECTIONAL_SOLID" | "BIDIRECTIONAL_DOTTED" => Head::Filled,
        _ => Head::Open,
    };
    let tail = kind.starts_with("BIDIRECTIONAL").then_some(head);
    let (is_dotted, is_reversed) = (kind.contains("DOTTED"), kind.contains("REVERSE"));
    Arrow { is_dotted, head, tail, is_reversed, ..Arrow::default() }
}

/// Without the circles of central connections, which stand elsewhere in Mermaid's lists.
fn drawn(arrow: Arrow) -> String {
    format!("{:?}", Arrow { signs: [None; 2], ..arrow })
}

/// Reads a diagram, and lists its participants and entries.
struct Reading<'a> {
    diagram: &'a Diagram,
    entries: Vec<Entry>,
}

impl Reading<'_> {
    fn names(&self, participants: &[ParticipantId]) -> Vec<String> {
        participants.iter().map(|id| self.diagram.participants[id.index()].id.clone()).collect()
    }

    fn body(&mut self, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Message(message) => self.message(message),
                Statement::Note(note) => self.note(note),
                Statement::Fragment(fragment) => self.fragment(fragment),
                Statement::Reference(_) | Statement::Directive(_) | Statement::Mark(_) => {}
            }
        }
    }

    fn message(&mut self, message: &Message) {
        let (End::Participant(from), End::Participant(to)) = (message.from, message.to) else {
            panic!("Mermaid has no messages from or to outside");
        };
        let names = self.names(&[from, to]);
        self.entries.push((drawn(message.arrow), names, message.text.clone()));
    }

    fn note(&mut self, note: &Note) {
        self.entries.push(("NOTE".to_owned(), self.names(&note.over), note.text.clone()));
    }

    fn fragment(&mut self, fragment: &Fragment) {
        let (name, section) = match fragment.operator {
            FragmentOperator::Alt => ("ALT", "ELSE"),
            FragmentOperator::Par => ("PAR", "AND"),
            FragmentOperator::Critical => ("CRITICAL", "OPTION"),
            FragmentOperator::Opt => ("OPT", ""),
            FragmentOperator::Loop => ("LOOP", ""),
            FragmentOperator::Break => ("BREAK", ""),
            FragmentOperator::Group => ("RECT", ""),
        };
        let mut push = |kind: &str, text: &str| {
            self.entries.push((format!("{name}_{kind}"), Vec::new(), text.to_owned()));
        };
        let first = &fragment.operands[0];
        push("START", if name == "RECT" { &first.color } else { &first.text });
        self.body(&fragment.operands[0].body);
        for operand in &fragment.operands[1..] {
            let entry = (format!("{name}_{section}"), Vec::new(), operand.text.clone());
            self.entries.push(entry);
            self.body(&operand.body);
        }
        self.entries.push((format!("{name}_END"), Vec::new(), String::new()));
    }
}

fn summary(diagram: &Diagram) -> Summary {
    let participant =
        |p: &multitrace_formats::diagram::model::Participant| (p.id.clone(), p.label.clone());
    let participants = diagram.participants.iter().map(participant).collect();
    let mut reading = Reading { diagram, entries: Vec::new() };
    reading.body(&diagram.body);
    Summary { participants, entries: reading.entries }
}

/// Whether the boxes agree. Where Mermaid runs outside of a browser, it takes some colours for part
/// of the title.
fn same_boxes(diagram: &Diagram, line: &Value) -> bool {
    let none = Vec::new();
    let boxes = line["boxes"].as_array().unwrap_or(&none);
    let reading = Reading { diagram, entries: Vec::new() };
    boxes.len() == diagram.boxes.len()
        && boxes.iter().zip(&diagram.boxes).all(|(theirs, ours)| {
            let mut members: Vec<String> = Vec::new();
            for actor in theirs["actors"].as_array().unwrap_or(&none) {
                let actor = name(actor);
                if !members.contains(&actor) {
                    members.push(actor);
                }
            }
            shown(&theirs["name"]).ends_with(&ours.label) && members == reading.names(&ours.members)
        })
}

/// The difference between the reading of a text here and in Mermaid.
fn difference(text: &str, line: &Value) -> Option<String> {
    let is_accepted = line["ok"].as_bool().expect("`ok`");
    match mermaid::parse(text, 0..text.len()) {
        Ok(diagram) if !is_accepted => {
            Some(format!("accepted: {}", summary(&diagram).entries.len()))
        }
        Ok(diagram) => {
            let (ours, theirs) = (summary(&diagram), expected(line));
            if ours != theirs {
                return Some(format!("ours: {ours:#?}\ntheirs: {theirs:#?}"));
            }
            (!same_boxes(&diagram, line)).then(|| format!("boxes: {:?}", diagram.boxes))
        }
        Err(errors) if is_accepted => Some(format!("refused: {errors:?}")),
        Err(errors) => (errors.count() == 0).then(|| "refused without an error".to_owned()),
    }
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn diagrams() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("diagrams/mermaid");
    let mut differences = Vec::new();
    let lines = lines(&folder.join("expected.jsonl"));
    for line in &lines {
        let file = line["file"].as_str().expect("a file");
        let text = fs::read_to_string(folder.join(file)).expect("a diagram");
        differences.extend(difference(&text, line).map(|found| format!("{file}: {found}")));
    }
    assert!(!lines.is_empty());
    assert!(differences.is_empty(), "{} differ\n{}", differences.len(), differences.join("\n"));
}

/// Compares other diagrams, as `scripts/mermaid-oracle/README.md` says.
#[test]
#[ignore = "needs MERMAID_TEXTS and MERMAID_EXPECTED"]
fn mutations() {
    let lines_of = |variable: &str| {
        let path = std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set"));
        lines(Path::new(&path))
    };
    let (texts, expected) = (lines_of("MERMAID_TEXTS"), lines_of("MERMAID_EXPECTED"));
    assert_eq!(texts.len(), expected.len());
    assert!(!texts.is_empty());
    let mut differing = 0;
    for (text, line) in texts.iter().zip(&expected) {
        let source = text["text"].as_str().expect("a text");
        if let Some(found) = difference(source, line) {
            differing += 1;
            println!("=== {} {}\n{found}\n{}", text["file"], line["error"], source);
        }
    }
    println!("{differing} of {} differ", texts.len());
    assert_eq!(differing, 0);
}
