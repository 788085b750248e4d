//! A mapping for records with fields.

use super::asking::ask;
use super::guesses::{EMITS, Guess, RECEIVES, SOURCE, TARGET};
use super::order;
use super::values::{comment, cut, field_text, toml_text};
use crate::formats::Proposal;
use crate::survey::{FieldSample, Survey};
use std::fmt::Write;

pub(super) fn of_nothing(survey: &Survey) -> String {
    let mut text =
        format!("# Name the fields of your log.\n[input]\nformat = \"{}\"\n", survey.format.name());
    write_problems(&mut text, survey);
    text.push_str("\n[event]\n");
    for (part, line) in [
        ("session", "session = \"session\""),
        ("lifeline", "lifeline = \"lifeline\""),
        (
            "direction",
            "direction = { field = \"direction\", emission = \"send\", reception = \"receive\" }",
        ),
        ("message", "message = \"message\""),
    ] {
        ask(&mut text, part, "No field was found.", [], line);
    }
    text
}

/// `calls` is the path of messages of JSON-RPC in the records, whose fields are no samples.
pub(super) fn of_samples(survey: &Survey, calls: Option<&str>) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "# Proposed from the first {} records. What is not right is yours to change; see it with\n\
         #   multitrace map --explain FILE --events THIS_FILE\n\
         unmatched = \"count\"\n\n[input]",
        survey.records
    );
    let _ = match &survey.documents {
        None => writeln!(text, "format = \"{}\"", survey.format.name()),
        Some(path) => writeln!(
            text,
            "# The records stand in a list of a document. `^.` leads to the object around it.\nrecords = {}",
            toml_text(path)
        ),
    };
    if let Proposal::Fields { delimiter: Some(delimiter), .. } = survey.proposal {
        let _ = writeln!(text, "delimiter = {}", toml_text(&char::from(delimiter).to_string()));
    }
    write_columns(&mut text, survey);
    text.push_str("\n[event]\n");
    write_problems(&mut text, survey);
    let lifeline = survey.lifeline();
    let session = match calls {
        Some(_) => Guess::Likely(Vec::new()),
        None => survey.session(lifeline.field()),
    };
    write_session(&mut text, survey, &session);
    let order = survey.order();
    match order {
        Some((sample, written)) => {
            let _ = writeln!(text, "# {}", survey.why(sample));
            text.push_str(&order::lines(&sample.path, written));
        }
        None => text.push_str("# The order of the file is the local order.\n"),
    }
    let is_whole = |sample: &&FieldSample| survey.is_in_all(sample);
    match (survey.named(SOURCE, 1).filter(is_whole), survey.named(TARGET, 1).filter(is_whole)) {
        (Some(source), Some(target)) => of_pairs(&mut text, survey, source, target),
        (source, _) => {
            let lifeline = source.map_or(lifeline, Guess::Field);
            of_single(&mut text, survey, &lifeline, calls);
        }
    }
    text
}

/// Writes the problems of the first records, and the places of records in documents.
fn write_problems(text: &mut String, survey: &Survey) {
    if let Some((count, first)) = &survey.unreadable {
        let _ = writeln!(
            text,
            "# {count} of the first records cannot be read. The first problem:\n#   {}",
            comment(first)
        );
    }
}

fn write_session(text: &mut String, survey: &Survey, session: &Guess<'_>) {
    let likely = match session {
        Guess::Field(sample) => return write_field(text, "session", sample, survey),
        Guess::Likely(likely) => likely,
    };
    let line = match likely.first() {
        Some(best) => format!("session = {}", field_text(&best.path)),
        None => "session = { text = \"run\" }".to_owned(),
    };
    let why = "Which field names the run of the system that an event belongs to? If all records are one run, \
               { text = \"run\" }.";
    ask(text, "session", why, likely.iter().map(|it| survey.why(it)), &line);
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
        let example = example.map_or_else(|| "no value".to_owned(), comment);
        let _ = writeln!(text, "#   {} ({}): {example}", comment(path), comment(kind));
    }
}

/// Records with a sender and a receiver.
fn of_pairs(text: &mut String, survey: &Survey, source: &FieldSample, target: &FieldSample) {
    let message = survey.message(&[source, target]);
    let path = message.best().map_or("message", |sample| sample.path.as_str());
    let _ = writeln!(
        text,
        "\n# A record names both ends: it is an emission at one and a reception at the other.\n\
         # {}\n# {}",
        survey.why(source),
        survey.why(target)
    );
    let action =
        |end: &FieldSample, mark: char| toml_text(&format!("{{{}}}{mark}{{{path}}}", end.path));
    let rule = format!("actions = [{}, {}]", action(source, '!'), action(target, '?'));
    match &message {
        Guess::Field(sample) => {
            let _ = writeln!(text, "# {}\n[[rule]]\n{rule}\n", survey.why(sample));
        }
        Guess::Likely(likely) => {
            let why = "Which field says what happened?";
            let likely = likely.iter().map(|it| survey.why(it));
            ask(text, "message", why, likely, &format!("[[rule]]\n# {rule}"));
        }
    }
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
fn of_single(text: &mut String, survey: &Survey, lifeline: &Guess<'_>, calls: Option<&str>) {
    match lifeline {
        Guess::Field(sample) => write_field(text, "lifeline", sample, survey),
        Guess::Likely(likely) => {
            let why =
                "Which field names who logged an event? The name of the file, if each has its own.";
            let likely = likely.iter().map(|it| survey.why(it));
            ask(text, "lifeline", why, likely, "lifeline = \"@stem\"");
        }
    }
    let direction = survey.direction();
    write_direction(text, survey, &direction);
    if let Some(calls) = calls {
        let _ = writeln!(
            text,
            "# Messages of JSON-RPC stand in {calls}; a response is called after its request.\n\
             message = {}\nreply-to = {{ request = {id}, response = {id} }}",
            toml_text(&format!("{calls}.method")),
            id = toml_text(&format!("{calls}.id")),
        );
        return;
    }
    let taken: Vec<&FieldSample> = lifeline.field().into_iter().collect();
    let told = direction.field();
    match survey.message(&taken) {
        Guess::Field(sample) if told.is_some_and(|it| it.path == sample.path) => {
            write_behind_verb(text, survey, sample);
        }
        Guess::Field(sample) => write_field(text, "message", sample, survey),
        Guess::Likely(likely) => {
            let line = match likely.first() {
                Some(best) => {
                    format!("message = {{ field = {}, match = '\\w+' }}", toml_text(&best.path))
                }
                None => "message = { text = \"event\" }".to_owned(),
            };
            let why = "Which field, or which part of one, says what happened?";
            ask(text, "message", why, likely.iter().map(|it| survey.why(it)), &line);
        }
    }
}

/// A message in the field of the direction: the words behind the verb, which is another one at the other end.
fn write_behind_verb(text: &mut String, survey: &Survey, sample: &FieldSample) {
    let is_behind = |value: &str| value.split_whitespace().nth(1).is_some();
    let line = format!(
        "message = {{ field = {}, match = '^\\S+\\s+(?<message>.+)$' }}",
        toml_text(&sample.path)
    );
    if sample.present().all(is_behind) {
        let _ = writeln!(text, "# {}; the first word is the direction\n{line}", survey.why(sample));
    } else {
        let why = "Which field says what was sent, in the same way at both ends?";
        ask(text, "message", why, [survey.why(sample)], &line);
    }
}

fn write_direction(text: &mut String, survey: &Survey, direction: &Guess<'_>) {
    let line = |sample: &FieldSample| {
        format!(
            "direction = {{ field = {}, emission = '/{EMITS}/', reception = '/{RECEIVES}/' }}",
            toml_text(&sample.path)
        )
    };
    match direction {
        Guess::Field(sample) => {
            let _ = writeln!(text, "# {}\n{}", survey.why(sample), line(sample));
        }
        Guess::Likely(likely) => {
            let why = "Which field tells emissions from receptions? If there are emissions alone, \"emission\"; rules \
                       can tell, too.";
            let best =
                likely.first().map_or_else(|| "direction = \"emission\"".to_owned(), |it| line(it));
            ask(text, "direction", why, likely.iter().map(|it| survey.why(it)), &best);
        }
    }
}

/// Why a field is a part of an event, and the line that says so.
fn write_field(text: &mut String, key: &str, sample: &FieldSample, survey: &Survey) {
    let _ = writeln!(text, "# {}\n{key} = {}", survey.why(sample), field_text(&sample.path));
}

impl Survey {
    /// Why a field is proposed: its values.
    pub(super) fn why(&self, sample: &FieldSample) -> String {
        let distinct = sample.distinct();
        let present = sample.present().count();
        let some: Vec<String> = distinct.iter().take(4).map(|value| cut(value, 24)).collect();
        let more = if distinct.len() > some.len() { ", …" } else { "" };
        let path: String = sample.path.chars().filter(|c| !c.is_control()).collect();
        format!(
            "{path}: in {present} of {} records, {} different: {}{more}",
            self.records,
            distinct.len(),
            some.join(", ")
        )
    }
}
