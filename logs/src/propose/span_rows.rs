//! A mapping for records that are spans: each has a time at which it began, its id, and that of its parent.

use super::asking::ask;
use super::field_words::{key_words, path_words};
use super::guesses::Guess;
use super::order;
use super::replicas;
use super::tools::WITH_RETURNS;
use super::trial;
use super::values::{field_text, toml_text};
use crate::mapping::is_kind_of_span;
use crate::survey::{FieldSample, Survey};
use std::fmt::Write;

/// The names of the parts of spans, without signs between their words, the likeliest first.
const TRACE: &[&str] = &["traceid", "trace"];
const SPAN: &[&str] = &["spanid", "span", "id"];
const PARENT: &[&str] = &["parentspanid", "parentid", "parentspan", "parent"];
const SERVICE: &[&str] = &["servicename", "service"];
/// In their place, where kinds say that these are spans of calls.
const POD: &[&str] = &["podname", "pod"];
const NAME: &[&str] = &["spanname", "operationname", "name", "operation", "resourcename"];
const KIND: &[&str] = &["spankind", "kind"];
/// The first words of the names of times and of lengths of time.
const START: &[&str] = &["start", "started", "begin", "timestamp"];
const END: &[&str] = &["end", "ended", "finish", "finished"];
const LENGTH: &[&str] = &["duration"];
/// Words for units, and the units.
const UNITS: &[(&str, &str)] = &[
    ("ns", "ns"),
    ("nano", "ns"),
    ("nanos", "ns"),
    ("us", "us"),
    ("micros", "us"),
    ("ms", "ms"),
    ("millis", "ms"),
    ("s", "s"),
    ("seconds", "s"),
];

/// A mapping for spans; `None` for other records.
pub(super) fn proposal(survey: &Survey) -> Option<String> {
    let called = |names| called(survey, names);
    let (session, id, parent) = (called(TRACE)?, called(SPAN)?, called(PARENT)?);
    let ids = id.distinct();
    if !parent.present().any(|parent| ids.contains(parent)) {
        return None;
    }
    let kind = called(KIND).filter(|kind| kind.present().all(is_kind_of_span));
    let pod = || called(POD).filter(|_| kind.is_some());
    let (lifeline, message) = (called(SERVICE).or_else(pod), called(NAME)?);
    let start = beginning_with(survey, START)?;
    let end = match beginning_with(survey, END).and_then(time) {
        Some(end) => format!("end = {end}\n"),
        None => end_by_length(start, beginning_with(survey, LENGTH)?),
    };
    let name = toml_text(&format!("{{{}}}", message.path));
    let callee = toml_text(&format!("{{callee.{}}}", message.path));
    let mut text = format!(
        "# Each record looks like a span. Change the lines that are not right.\n[input]\nformat = \"{}\"\n\n\
         [spans]\nsession = {}\nid = {}\nparent = {}\nstart = {}\n{end}\
         # A call is named after the end that is called.\nmessage = [{callee}, {name}]\n",
        survey.format.name(),
        field_text(&session.path),
        field_text(&id.path),
        field_text(&parent.path),
        time(start)?,
    );
    match lifeline {
        Some(lifeline) => _ = writeln!(text, "lifeline = {}", field_text(&lifeline.path)),
        None => ask_lifeline(&mut text, survey, &[session, id, parent, message, start]),
    }
    match kind {
        Some(kind) => _ = writeln!(text, "kind = {}", field_text(&kind.path)),
        None => {
            let why = "Which field says whether a span is that of a client, server, producer or consumer? If each is a request that \
                       its service received, { text = \"server\" }.";
            ask(&mut text, "kind", why, [], "kind = { text = \"server\" }");
        }
    }
    let renames = lifeline.map_or_else(String::new, |it| replicas::renames(it, Some(session)));
    let _ = writeln!(text, "# {WITH_RETURNS}\n# returns = true");
    text.push_str(&renames);
    let is_asked = kind.is_none() || lifeline.is_none();
    let is_read = is_asked || survey.lines.is_empty() || trial::reads(&text, survey);
    is_read.then_some(text)
}

/// Asks for the service of a span, which no field is called by.
fn ask_lifeline(text: &mut String, survey: &Survey, taken: &[&FieldSample]) {
    let guess = survey.lifeline();
    let guessed = match &guess {
        Guess::Field(sample) => vec![*sample],
        Guess::Likely(likely) => likely.clone(),
    };
    let mut likely: Vec<&FieldSample> = called(survey, POD).into_iter().collect();
    for sample in guessed {
        if !taken.iter().chain(&likely).any(|other| other.path == sample.path) {
            likely.push(sample);
        }
    }
    let line = likely.first().map_or("\"SERVICE\"".to_owned(), |it| field_text(&it.path));
    let why = "Which field names the service that a span is of?";
    ask(text, "lifeline", why, likely.iter().map(|it| survey.why(it)), &format!("lifeline = {line}"));
}

/// The field that is called by one of these names.
fn called<'s>(survey: &'s Survey, names: &[&str]) -> Option<&'s FieldSample> {
    let is_it = |path: &str, name: &str| {
        path_words(path).concat() == name || key_words(path).concat() == name
    };
    names.iter().find_map(|name| survey.samples.iter().find(|it| is_it(&it.path, name)))
}

/// The field whose name begins with one of these words.
fn beginning_with<'s>(survey: &'s Survey, words: &[&str]) -> Option<&'s FieldSample> {
    let begins = |path: &str, word: &str| key_words(path).first().is_some_and(|it| it == word);
    words.iter().find_map(|word| survey.samples.iter().find(|it| begins(&it.path, word)))
}

/// A time as a value of the mapping; `None` if it is not written in a known way.
fn time(sample: &FieldSample) -> Option<String> {
    let line = order::written(sample.present())?.line(&sample.path);
    Some(line.strip_prefix("order = ")?.to_owned())
}

/// The end of a span that has a length. If that is a number whose unit nothing tells, it is asked for: without returns no end
/// counts. Beside a start that is a number no unit does.
fn end_by_length(start: &FieldSample, length: &FieldSample) -> String {
    let words = key_words(&length.path);
    let unit = UNITS.iter().find(|(word, _)| words.last().is_some_and(|last| last == word));
    let are_numbers = |it: &FieldSample| it.present().all(|value| value.parse::<f64>().is_ok());
    let is_asked = unit.is_none() && are_numbers(length) && !are_numbers(start);
    let unit = if is_asked { Some(&("", "ms")) } else { unit };
    let unit = unit.map_or_else(String::new, |(_, unit)| format!(", unit = \"{unit}\""));
    let (start, plus) = (toml_text(&start.path), toml_text(&length.path));
    let end = format!("end = {{ field = {start}, plus = {plus}{unit} }}");
    if !is_asked {
        return end + "\n";
    }
    let mut asked = String::new();
    let why = format!("Is `{}` in s, ms, us or ns? Returns alone need the end.", length.path);
    ask(&mut asked, "end", &why, [], &end);
    asked
}

#[cfg(test)]
mod tests {
    use crate::propose::propose;

    const ROWS: &str = "trace_id,span_id,parent_span_id,service,name,span_kind,start_time,duration_ms\n\
        t1,1,,shop,order,client,1700000000000,90\nt1,2,1,stock,reserve,SERVER,1700000000020,50\n";

    fn of(rows: &str) -> String {
        propose("spans.csv", rows.as_bytes()).expect("a proposal")
    }

    #[test]
    fn rows_with_the_ids_of_their_parents_are_spans() {
        let text = of(ROWS);
        for line in [
            "session = \"trace_id\"",
            "parent = \"parent_span_id\"",
            "end = { field = \"start_time\", plus = \"duration_ms\", unit = \"ms\" }",
            "message = [\"{callee.name}\", \"{name}\"]",
            "kind = \"span_kind\"",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
        // A unit that nothing tells is asked for.
        let unknown = of(&ROWS
            .replace("duration_ms", "duration")
            .replace("17000000000", "2024-05-01T12:00:00."));
        assert!(unknown.contains("\n# end? Is `duration` in s, ms, us or ns?"), "{unknown}");
        assert!(unknown.contains("\nkind = \"span_kind\"\n"), "{unknown}");
        let ended = ROWS.replace("duration_ms", "end").replace("000,90", "000,1700000000090");
        assert!(of(&ended).contains("\nend = \"end\"\n"));
        assert!(
            of(&ROWS.replace("span_kind", "level").replace("SERVER", "info"))
                .contains("# kind? Which field")
        );
        // Pods stand for services, and replicas for their program.
        let pods = ROWS.replace("service", "PodName").replace("shop", "shop-579b9bff58-t2dbm");
        let pods = of(&pods.replace("stock", "stock-5f6585d649-fnmft"));
        for line in
            ["lifeline = \"PodName\"", "\"/^(shop|stock)-[0-9a-z]{6,10}-[0-9a-z]{5}$/\" = \"$1\""]
        {
            assert!(pods.lines().any(|it| it == line), "{line}: {pods}");
        }
        // Without kinds nothing tells calls from steps inside of a service, so that both are asked for.
        let steps = ROWS.replace("service", "PodName").replace("span_kind", "level");
        let steps = of(&steps.replace("SERVER", "info"));
        for line in ["# lifeline = \"PodName\"", "# kind = { text = \"server\" }"] {
            assert!(steps.lines().any(|it| it == line), "{line}: {steps}");
        }
        // A parent that is not the id of a row, and rows without one.
        for other in
            [ROWS.replace("2,1,stock", "2,9,stock"), ROWS.replace("parent_span_id", "shelf")]
        {
            assert!(!of(&other).contains("[spans]"));
        }
    }
}
