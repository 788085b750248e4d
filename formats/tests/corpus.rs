//! Every specification and trace of the corpus reads, prints and reads back. The corpus is not part
//! of this project: without it the tests say that they are skipped.

use multitrace_formats::source::Source;
use multitrace_formats::{hif, hsf, htf, timbuk};
use multitrace_interaction::Signature;
use multitrace_testing::corpus::folder as corpus;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder with an extension, in order of their names.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    paths.sort();
    assert!(!paths.is_empty(), "no .{extension} file in {}", folder.display());
    paths
}

fn read(path: &Path) -> Source {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Source::new(path.display().to_string(), text)
}

fn lines(path: &Path) -> Vec<(String, Value)> {
    let text = read(path).text().to_owned();
    let line = |(index, line): (usize, &str)| {
        let name = format!("{}:{}", path.display(), index + 1);
        (name, serde_json::from_str(line).expect("a line of JSON"))
    };
    text.lines().enumerate().map(line).collect()
}

/// The signature of a file, which must itself read back.
fn signature(path: &Path) -> Signature {
    let signature = hsf::parse(&read(path)).unwrap_or_else(|error| panic!("{error}"));
    let printed = Source::new("printed", hsf::print(&signature));
    assert_eq!(hsf::parse(&printed).unwrap_or_else(|error| panic!("{error}")), signature);
    signature
}

fn check_hif(source: &Source, signature: Option<Signature>) {
    let spec = hif::parse(source, signature).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(spec.spans.len(), spec.interaction.nodes().len());
    let printed = Source::new("printed", hif::print(&spec.interaction, &spec.signature));
    let again = hif::parse(&printed, Some(spec.signature.clone()));
    let again = again.unwrap_or_else(|error| panic!("{}\n{error}", source.name()));
    assert_eq!(again.interaction, spec.interaction, "{}", source.name());
}

fn check_htf(name: &str, line: &Value) {
    let text = line["htf"].as_str().expect("an htf").to_owned();
    let source = Source::new(name, text);
    let session = htf::parse(&source).unwrap_or_else(|error| panic!("{error}"));
    let marks = source.text().matches(['!', '?']).count();
    let events: usize = session.components.iter().map(|component| component.events.len()).sum();
    assert_eq!(events, marks, "{name}: one event per mark");
}

#[test]
fn use_cases() {
    let Some(corpus) = corpus() else { return };
    for path in files(&corpus.join("usecases"), "hif") {
        // The variants with strict and par share the signature of the plain ones.
        let plain = path.display().to_string().replace("_with_strict_and_par", "");
        let declared = signature(&Path::new(&plain).with_extension("hsf"));
        check_hif(&read(&path), Some(declared));
        check_hif(&read(&path), None);
    }
}

#[test]
fn random_interactions_of_paper_003() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("hibou-random");
    let declared = signature(&folder.join("signature.hsf"));
    for path in files(&folder, "hif") {
        check_hif(&read(&path), Some(declared.clone()));
    }
    for path in files(&folder, "jsonl") {
        for (name, line) in lines(&path) {
            check_htf(&name, &line);
        }
    }
}

#[test]
fn cases() {
    let Some(corpus) = corpus() else { return };
    for path in files(&corpus.join("cases"), "jsonl") {
        for (name, line) in lines(&path) {
            let text = line["hif"].as_str().expect("an hif");
            check_hif(&Source::new(name.as_str(), text), None);
            check_htf(&name, &line);
        }
    }
}

#[test]
fn automata() {
    let Some(corpus) = corpus() else { return };
    for path in files(&corpus.join("automatark"), "timbuk") {
        let source = read(&path);
        let automaton = timbuk::parse(&source).unwrap_or_else(|error| panic!("{error}"));
        let arrows = source.text().matches("->").count();
        assert_eq!(automaton.transitions.len() + automaton.initial.len(), arrows);
        let printed = Source::new("printed", timbuk::print(&automaton));
        let again = timbuk::parse(&printed).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again, automaton, "{}", path.display());
    }
}
