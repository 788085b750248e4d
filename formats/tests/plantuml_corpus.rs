//! The PlantUML diagrams of the corpus are read as PlantUML draws them, or refused with a place. The
//! corpus is not part of this project: without it the tests say that they are skipped.

use multitrace_formats::diagram::model::{Diagram, Statement};
use multitrace_formats::diagram::plantuml::{IncludeError, parse};
use multitrace_formats::source::Source;
use multitrace_testing::corpus::folder as corpus;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// How a diagram compares with its drawing, and how many do so.
type Counts = BTreeMap<&'static str, Vec<String>>;

fn read(path: &Path) -> (String, Result<Diagram, Vec<String>>) {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let include =
        |name: &str| Err(IncludeError::Unreadable(format!("{name} is not in the corpus")));
    let diagram = parse(&text, 0..text.len(), &include);
    let diagram = diagram.map_err(|diagnostics| {
        assert!(!diagnostics.is_empty(), "{}: refused without an error", path.display());
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let error = diagnostics.of(Source::new(name.unwrap_or_default(), text.clone()));
        error.lines().collect()
    });
    (text, diagram)
}

/// The texts of the messages from top to bottom, once for messages to several receivers.
fn message_texts(body: &[Statement], texts: &mut Vec<String>) {
    let mut last = None;
    for statement in body {
        match statement {
            Statement::Message(message) if last != Some(message.span) => {
                last = Some(message.span);
                texts.push(message.text.clone());
            }
            Statement::Fragment(fragment) => {
                for operand in &fragment.operands {
                    message_texts(&operand.body, texts);
                }
            }
            _ => {}
        }
    }
}

/// A text without blanks.
fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Whether a label may be the text that the drawing shows. The list holds pieces of SVG before some labels;
/// of labels with links and pictures it holds points for the signs; of labels of several lines it holds
/// the first; and instead of some labels it holds the stereotype above them, which starts with a point.
fn is_label(ours: &str, drawn: &str) -> bool {
    let drawn = drawn.rsplit('>').next().unwrap_or(drawn);
    let letters = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let is_within = |inner: &str, outer: &str| {
        let mut outer = outer.chars();
        inner.chars().all(|c| outer.any(|found| found == c))
    };
    let (short, long) = (letters(ours), letters(drawn));
    drawn.starts_with('.') || is_within(&short, &long) || is_within(&long, &short)
}

/// The labels that are exactly those of the drawing, blanks aside.
fn is_exact(ours: &str, drawn: &str) -> bool {
    dense(ours) == dense(drawn)
}

/// Whether the lines of every text occur in order. Texts side by side are in the list from top to bottom, so there the
/// order is free.
fn texts_occur(texts: &[String], drawn: &str, is_side_by_side: bool) -> Result<(), String> {
    let mut at = 0;
    for line in texts.iter().flat_map(|text| text.lines()) {
        let from = if is_side_by_side { 0 } else { at };
        let dense = dense(line);
        at = drawn[from..].find(&dense).ok_or_else(|| line.to_owned())? + from + dense.len();
    }
    Ok(())
}

/// How a diagram compares with its drawing.
fn compare(text: &str, diagram: &Diagram, expected: &Value) -> (&'static str, String) {
    let drawn = strings(&expected["participants"]);
    let ours: Vec<&str> = diagram.participants.iter().map(|found| found.label.as_str()).collect();
    let fits = |same: fn(&str, &str) -> bool| {
        drawn.len() == ours.len() && ours.iter().zip(&drawn).all(|(ours, drawn)| same(ours, drawn))
    };
    if !fits(is_exact) && !fits(is_label) {
        return ("other participants", format!("{ours:?} for {drawn:?}"));
    }
    let drawn: String =
        strings(&expected["message_texts"]).iter().map(|text| dense(text)).collect();
    let mut texts = Vec::new();
    message_texts(&diagram.body, &mut texts);
    let is_side_by_side = text.lines().any(|line| line.trim_start().starts_with(['&', '/']));
    match texts_occur(&texts, &drawn, is_side_by_side) {
        Err(missing) if is_outside_drawing(text, &drawn) => {
            ("as drawn, but the list of texts is not whole", missing)
        }
        Err(missing) => ("another text", format!("{missing:?} in {drawn:?}")),
        Ok(()) if fits(is_exact) => ("as drawn", String::new()),
        Ok(()) => ("as drawn, with labels that the list holds in part", format!("{ours:?}")),
    }
}

/// Whether the list of texts cannot be whole: it holds the first page only, no texts of a scaled
/// drawing, and no formulas, which are pictures.
fn is_outside_drawing(text: &str, drawn: &str) -> bool {
    drawn.is_empty() || ["newpage", "scale ", "<math>"].iter().any(|word| text.contains(word))
}

#[expect(clippy::print_stdout, reason = "the counts are what one runs this test for")]
fn report(title: &str, counts: &Counts) {
    println!("{title}");
    for (what, files) in counts {
        println!("  {what}: {}", files.len());
        files
            .iter()
            .filter(|_| !["as drawn", "read"].contains(what))
            .for_each(|file| println!("    {file}"));
    }
}

#[test]
fn diagrams_with_a_drawing() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("diagrams/plantuml");
    let list = fs::read_to_string(folder.join("expected.jsonl")).expect("expected.jsonl");
    let mut counts = Counts::new();
    for line in list.lines() {
        let expected: Value = serde_json::from_str(line).expect("a line of JSON");
        let file = expected["file"].as_str().expect("a file");
        let (text, diagram) = read(&folder.join(file));
        let is_wrong = expected["syntax_error"].as_bool() == Some(true);
        let (what, note) = match diagram {
            Ok(_) if is_wrong => ("read, but PlantUML refuses it", String::new()),
            Ok(diagram) => compare(&text, &diagram, &expected),
            Err(_) if is_wrong => ("refused, as PlantUML does", String::new()),
            Err(errors) => ("refused", errors.join("; ")),
        };
        counts.entry(what).or_default().push(format!("{file} {note}"));
    }
    report("diagrams with a drawing", &counts);
    let count = |what: &str| counts.get(what).map_or(0, Vec::len);
    assert_eq!(count("read, but PlantUML refuses it"), 0);
    let good = counts.iter().filter(|(what, _)| what.starts_with("as drawn"));
    let good: usize = good.map(|(_, files)| files.len()).sum();
    let all = list.lines().count();
    assert!(all > 0 && good * 100 >= all * 95, "{good} of {all}");
}

#[test]
fn diagrams_without_a_drawing() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("diagrams/plantuml");
    let list = fs::read_to_string(folder.join("expected.jsonl")).expect("expected.jsonl");
    let entries = fs::read_dir(&folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension() == Some("puml".as_ref())).collect();
    paths.sort();
    let mut counts = Counts::new();
    for path in paths {
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        if list.contains(&format!("\"{file}\"")) {
            continue;
        }
        let (what, note) = match read(&path).1 {
            Ok(_) => ("read", String::new()),
            Err(errors) => ("refused", errors.join("; ")),
        };
        counts.entry(what).or_default().push(format!("{file} {note}"));
    }
    report("diagrams without a drawing", &counts);
    let all: usize = counts.values().map(Vec::len).sum();
    let read = counts.get("read").map_or(0, Vec::len);
    assert!(all > 0 && read * 100 >= all * 95, "{read} of {all}");
}
