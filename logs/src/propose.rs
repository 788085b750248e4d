//! A mapping proposed by looking at the first records of an input: a start for a person to edit.

// For each part of an event the words below are tried in turn, the likeliest first. A field fits if
// its name begins or ends with the word and its values look right: sessions repeat, orders are all
// numbers or times, messages are words, directions have values of both kinds. The first field that
// fits is proposed, with its values in a comment, so that a person sees why.

mod header;
mod joins;
mod learnt;
mod order;
mod session_file;
mod templates;
mod text;
mod token;
mod values;
mod words;
mod xes;

use crate::error::EventError;
use crate::field::FieldPath;
use crate::format::Format;
use crate::formats::Proposal;
use crate::mapping::OrderKey;
use crate::survey::{FieldSample, Survey, survey};
use order::Written;
use std::fmt::Write;
use std::io::Read;
use values::{field_text, toml_text};

/// Words in the names of fields by which a part of an event is recognised, the likeliest first.
const SESSION: &[&str] = &[
    "case:concept:name",
    "session",
    "trace_id",
    "traceid",
    "conversation",
    "correlation",
    "request_id",
    "requestid",
    "transaction",
    "flow",
    "case",
    "connection",
    "conn",
    "request",
    "sid",
    "txid",
    "tx",
    "cid",
    "uid",
    "id",
];
const SOURCE: &[&str] = &["src", "source", "sender", "from"];
const TARGET: &[&str] = &["dst", "dest", "destination", "receiver", "target", "to"];
const LIFELINE: &[&str] = &[
    "org:resource",
    "lifeline",
    "service",
    "svc",
    "pod",
    "node",
    "nid",
    "process",
    "component",
    "actor",
    "role",
    "host",
    "instance",
    "container",
    "app",
    "logger",
    "location",
    "server",
    "machine",
    "worker",
    "replica",
    "peer",
    "at",
    "pid",
];
const MESSAGE: &[&str] = &[
    "concept:name",
    "message",
    "msg",
    "event.name",
    "operation",
    "method",
    "command",
    "action",
    "event",
    "type",
    "name",
    "op",
    "what",
    "label",
    "text",
];
const TIME: &[&str] = &["time:timestamp", "timestamp", "ts", "time", "start", "date", "seq"];
const DIRECTION: &[&str] =
    &["direction", "dir", "kind", "type", "op", "event.name", "event", "name", "msg", "action"];

/// The values of a direction that mean emission, and reception, by their first letters.
const EMITS: &str = "(?i)^(send|sent|emit|publish|produce|request|out|tx|client|->|!)";
const RECEIVES: &str =
    "(?i)^(rec|rcv|consume|deliver|response|in$|in[^a-z]|inbound|incoming|rx|server|<-|\\?)";

/// Proposes a mapping for an input, which may be compressed. The text is a mapping; its comments say
/// why.
///
/// # Errors
/// When the input cannot be read, and when it holds sessions, which need no mapping.
pub fn propose<'r>(file: &str, reader: impl Read + Send + 'r) -> Result<String, EventError> {
    let survey = survey(file, reader)?;
    if let Some(reason) = session_file::reason(file, &survey.lines) {
        let message = format!("these are sessions, which need no mapping: {reason}");
        let error = EventError::of(file, None, message);
        return Err(error.with_help("check them as they are: multitrace check SPEC FILE"));
    }
    let proposal = match &survey.proposal {
        Proposal::Traces => xes::proposal(&survey.lines),
        Proposal::Whole(text) => text.clone(),
        Proposal::Lines if survey.lines.trim().is_empty() => text::without_lines(),
        Proposal::Lines => text::proposal(&survey.lines),
        _ if survey.samples.is_empty() => of_nothing(survey.format),
        _ => of_samples(&survey),
    };
    Ok(without_controls(proposal))
}

/// TOML has no control characters in comments, where words of the log stand; in its texts they are escaped
/// already.
fn without_controls(proposal: String) -> String {
    let is_wrong = |c: char| c.is_ascii_control() && !matches!(c, '\n' | '\t');
    if proposal.contains(is_wrong) { proposal.replace(is_wrong, " ") } else { proposal }
}

fn of_nothing(format: Format) -> String {
    format!(
        "# Name the fields of your log.\n[input]\nformat = \"{}\"\n\n\
         [event]\nsession = \"session\"\nlifeline = \"lifeline\"\n\
         direction = {{ field = \"direction\", emission = \"send\", reception = \"receive\" }}\n\
         message = \"message\"\n",
        format.name()
    )
}

fn of_samples(survey: &Survey) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "# Proposed from the first {} records. What is not right is yours to change; see it with\n\
         #   multitrace map --explain FILE --events THIS_FILE\n\
         unmatched = \"count\"\n\n[input]\nformat = \"{}\"",
        survey.records,
        survey.format.name()
    );
    if let Proposal::Fields { delimiter: Some(delimiter), .. } = survey.proposal {
        let _ = writeln!(text, "delimiter = {}", toml_text(&char::from(delimiter).to_string()));
    }
    write_columns(&mut text, survey);
    text.push_str("\n[event]\n");
    let session = survey.session();
    line(&mut text, "session", session, survey, "all records are one session");
    if session.is_none() {
        text.push_str("session = { text = \"run\" }\n");
    }
    let order = survey.order();
    match order {
        Some((sample, written)) => {
            let _ = writeln!(text, "# {}", survey.why(sample));
            text.push_str(&order::lines(&sample.path, written));
        }
        None => text.push_str("# The order of the file is the local order.\n"),
    }
    let is_whole = |sample: &&FieldSample| sample.present().count() == survey.records;
    match (survey.named(SOURCE, 1).filter(is_whole), survey.named(TARGET, 1).filter(is_whole)) {
        (Some(source), Some(target)) => of_pairs(&mut text, survey, source, target),
        _ => of_single(&mut text, survey),
    }
    text
}

/// The columns of a table, with their types and an example of each.
fn write_columns(text: &mut String, survey: &Survey) {
    if survey.columns.is_empty() {
        return;
    }
    text.push_str("# The columns:\n");
    for (path, kind) in &survey.columns {
        let sample = survey.samples.iter().find(|sample| sample.path == *path);
        let example = sample.and_then(|sample| sample.present().next());
        let example = example.map_or_else(|| "no value".to_owned(), text::comment);
        let _ = writeln!(text, "#   {} ({}): {example}", text::comment(path), text::comment(kind));
    }
}

/// Records with a sender and a receiver.
fn of_pairs(text: &mut String, survey: &Survey, source: &FieldSample, target: &FieldSample) {
    let message = survey.message(&[source, target]);
    let path = message.map_or("message", |sample| sample.path.as_str());
    let _ = writeln!(
        text,
        "\n# A record names both ends: it is an emission at one and a reception at the other.\n\
         # {}\n# {}",
        survey.why(source),
        survey.why(target)
    );
    if let Some(message) = message {
        let _ = writeln!(text, "# {}", survey.why(message));
    }
    let action =
        |end: &FieldSample, mark: char| toml_text(&format!("{{{}}}{mark}{{{path}}}", end.path));
    let _ =
        writeln!(text, "[[rule]]\nactions = [{}, {}]\n", action(source, '!'), action(target, '?'));
    let _ = writeln!(
        text,
        "# If {} and {} are addresses that differ from session to session, name who has them:\n\
         # [[role]]\n# lifeline = \"client\"\n# field = {}\n# when = {{ {} = \"the first message\" }}",
        source.path,
        target.path,
        toml_text(&source.path),
        toml_text(path)
    );
}

/// Records of one end.
fn of_single(text: &mut String, survey: &Survey) {
    let is_whole = |sample: &&FieldSample| sample.present().count() == survey.records;
    let named = |least| survey.named(LIFELINE, least);
    let source = survey.named(SOURCE, 1).filter(is_whole);
    let lifeline = source.or_else(|| named(2)).or_else(|| named(1));
    let without = "no field looks like one; this is the name of the file, for one log of each";
    line(text, "lifeline", lifeline, survey, without);
    if lifeline.is_none() {
        text.push_str("lifeline = \"@stem\"\n");
    }
    match survey.direction() {
        Some(sample) => {
            let _ = writeln!(
                text,
                "# {}\ndirection = {{ field = {}, emission = '/{EMITS}/', reception = '/{RECEIVES}/' }}",
                survey.why(sample),
                toml_text(&sample.path)
            );
        }
        None => text.push_str(
            "# No field tells emissions from receptions. Rules can: see docs/events.md.\n\
             direction = \"emission\"\n",
        ),
    }
    let taken: Vec<&FieldSample> = lifeline.into_iter().collect();
    let message = survey.message(&taken);
    line(text, "message", message, survey, "no field looks like one");
    if message.is_none() {
        text.push_str("message = { text = \"event\" }\n");
    }
}

fn line(
    text: &mut String,
    key: &str,
    sample: Option<&FieldSample>,
    survey: &Survey,
    without: &str,
) {
    let _ = match sample {
        Some(sample) => {
            writeln!(text, "# {}\n{key} = {}", survey.why(sample), field_text(&sample.path))
        }
        None => writeln!(text, "# {key}: {without}"),
    };
}

impl Survey {
    /// Why a field is proposed: its values.
    fn why(&self, sample: &FieldSample) -> String {
        let distinct = sample.distinct();
        let present = sample.present().count();
        let clean = |value: &&str| -> String {
            let short: String = value.chars().take(24).collect();
            short.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
        };
        let some: Vec<String> = distinct.iter().take(4).map(clean).collect();
        let more = if distinct.len() > some.len() { ", …" } else { "" };
        let path: String = sample.path.chars().filter(|c| !c.is_control()).collect();
        format!(
            "{path}: in {present} of {} records, {} different: {}{more}",
            self.records,
            distinct.len(),
            some.join(", ")
        )
    }

    /// The field whose name fits best, among those with at least `least` different values.
    fn named(&self, words: &[&str], least: usize) -> Option<&FieldSample> {
        let fits = |word: &&str| {
            let mut samples = self.samples.iter().filter(|sample| sample.distinct().len() >= least);
            samples.find(|sample| is_called(&sample.path, word))
        };
        words.iter().find_map(fits)
    }

    /// A field of that name that is in most records, and repeats.
    fn session(&self) -> Option<&FieldSample> {
        let fits = |word: &&str| {
            let mut samples = self.samples.iter().filter(|sample| {
                let (present, distinct) = (sample.present().count(), sample.distinct().len());
                present * 2 > self.records && (distinct < present || present == 1)
            });
            samples.find(|sample| is_called(&sample.path, word))
        };
        SESSION.iter().find_map(fits)
    }

    /// A field that is called like a time and has only numbers or times, and how they are written.
    fn order(&self) -> Option<(&FieldSample, Written)> {
        let fits = |word: &&str| {
            let all = self.samples.iter().filter(|sample| is_called(&sample.path, word));
            let mut whole = all.filter(|sample| sample.present().count() == self.records);
            whole.find_map(|sample| Some((sample, order::written(sample.present())?)))
        };
        TIME.iter().find_map(fits)
    }

    /// A field of words with several values; rather one whose values repeat.
    fn message(&self, taken: &[&FieldSample]) -> Option<&FieldSample> {
        let is_word = |value: &&str| value.len() < 80 && OrderKey::parse(value).is_none();
        let fits = |sample: &&FieldSample| {
            let is_taken = taken.iter().any(|other| other.path == sample.path);
            let distinct = sample.distinct();
            !is_taken && distinct.len() > 1 && distinct.iter().all(is_word)
        };
        let repeats = |sample: &&FieldSample| sample.distinct().len() * 2 <= self.records;
        let named = |word: &str, is_strict: bool| {
            let mut samples = self.samples.iter().filter(fits);
            samples.find(|s| is_called(&s.path, word) && (!is_strict || repeats(s)))
        };
        let strict = MESSAGE.iter().find_map(|word| named(word, true));
        strict.or_else(|| MESSAGE.iter().find_map(|word| named(word, false)))
    }

    /// A field with values that mean emission and values that mean reception.
    fn direction(&self) -> Option<&FieldSample> {
        let emits = regex_automata::meta::Regex::new(EMITS).ok()?;
        let receives = regex_automata::meta::Regex::new(RECEIVES).ok()?;
        let both = |sample: &&FieldSample| {
            let values = sample.distinct();
            values.iter().any(|v| emits.is_match(*v))
                && values.iter().any(|v| receives.is_match(*v))
        };
        let named =
            |word: &&str| self.samples.iter().filter(both).find(|s| is_called(&s.path, word));
        DIRECTION.iter().find_map(named)
    }
}

/// Whether a path ends with this word: `event.name` and `lastName` with `name`.
fn is_called(path: &str, word: &str) -> bool {
    // The names of process mining are meant as they are: a case has a `concept:name`, too.
    if word.contains(':') {
        return path == word;
    }
    let Ok(path) = FieldPath::parse(path) else { return false };
    let name = path.flat_name();
    let words = split_words(&name);
    let wanted = split_words(word);
    let is_start = words.starts_with(&wanted);
    is_start || words.ends_with(&wanted) || words.concat() == wanted.concat()
}

/// The words of a name, in lower case.
fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let starts = c.is_ascii_uppercase() && was_lower;
        if (starts || !c.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("never empty").extend(c.to_lowercase());
        }
        was_lower = c.is_ascii_lowercase();
    }
    words
}
