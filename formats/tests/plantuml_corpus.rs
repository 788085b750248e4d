//! The PlantUML diagrams of the corpus are read as PlantUML draws them, or refused with a place. The
//! corpus is no part of this project: without it the tests say that they are skipped.

use multitrace_formats::diagram::model::{Diagram, Statement};
use multitrace_formats::diagram::plantuml::parse;
use multitrace_formats::source::Source;
use multitrace_testing::corpus::folder as corpus;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What is said of a diagram that is read, and how often.
type Counts = BTreeMap<&'static str, Vec<String>>;

fn read(path: &Path) -> (String, Result<Diagram, Vec<String>>) {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let include = |name: &str| Err(format!("{name} is not in the corpus"));
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
fn message_texts(body: &[Statement], texts: &mut Vec<(String, bool)>) {
    let mut last = None;
    for statement in body {
        match statement {
            Statement::Message(message) if last != Some(message.span) => {
                last = Some(message.span);
                texts.push((message.text.clone(), message.is_parallel));
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

fn words(text: &str) -> Vec<String> {
    let is_blank = |c: char| c.is_whitespace() || c == '\u{a0}';
    text.split(is_blank).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Whether a label may be what the drawing shows. The list holds pieces of SVG before some labels, a
/// point for each sign of others, and for labels of several lines or with pictures only a part.
fn is_label(ours: &str, drawn: &str) -> bool {
    let drawn = drawn.rsplit('>').next().unwrap_or(drawn);
    let letters = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let (ours, drawn) = (letters(ours), letters(drawn));
    drawn.is_empty() || ours.contains(&drawn) || drawn.contains(&ours)
}

/// The labels that are exactly those of the drawing, blanks aside.
fn is_exact(ours: &str, drawn: &str) -> bool {
    words(ours) == words(drawn)
}

/// Where the words of a text occur after this place, in order, with others between them.
fn find(text: &[String], drawn: &[String], from: usize) -> Option<usize> {
    let mut at = from;
    for word in text {
        at += drawn[at..].iter().position(|found| found == word)? + 1;
    }
    Some(at)
}

/// Whether every text occurs in order; parallel messages may stand in any order.
fn texts_occur(texts: &[(String, bool)], drawn: &[String]) -> Result<(), String> {
    let has_parallel = texts.iter().any(|(_, is_parallel)| *is_parallel);
    let mut at = 0;
    for (text, _) in texts {
        let from = if has_parallel { 0 } else { at };
        at = find(&words(text), drawn, from).ok_or_else(|| text.clone())?;
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
    let drawn: Vec<String> =
        strings(&expected["message_texts"]).iter().flat_map(|text| words(text)).collect();
    let mut texts = Vec::new();
    message_texts(&diagram.body, &mut texts);
    match texts_occur(&texts, &drawn) {
        Err(missing) if is_outside_drawing(text, &drawn) => {
            ("as drawn, but texts are not in the drawing's list", missing)
        }
        Err(missing) => ("another text", format!("{missing:?} in {drawn:?}")),
        Ok(()) if fits(is_exact) => ("as drawn", String::new()),
        Ok(()) => ("as drawn, with labels that the list holds in part", format!("{ours:?}")),
    }
}

/// Whether the list of texts cannot be whole: the drawing shows the first page only, and texts that
/// are scaled or wrapped are not in the list.
fn is_outside_drawing(text: &str, drawn: &[String]) -> bool {
    ["newpage", "scale "].iter().any(|word| text.contains(word))
        || drawn.is_empty()
        || text.contains("MessageWidth")
}

fn report(title: &str, counts: &Counts) {
    println!("{title}");
    for (what, files) in counts {
        println!("  {what}: {}", files.len());
        files.iter().filter(|_| *what != "as drawn").for_each(|file| println!("    {file}"));
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
    assert!(good * 100 >= all * 95, "{good} of {all}");
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
            Ok(_) => ("as drawn", String::new()),
            Err(errors) => ("refused", errors.join("; ")),
        };
        counts.entry(what).or_default().push(format!("{file} {note}"));
    }
    report("diagrams without a drawing", &counts);
}
