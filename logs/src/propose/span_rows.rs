//! A mapping for records that are spans: each has a time at which it began, its id, and that of its parent.

use super::asking::ask;
use super::field_words::{key_words, path_words};
use super::order;
use super::replicas;
use super::tools::WITH_RETURNS;
use super::trial;
use super::values::{field_text, toml_text};
use crate::mapping::is_kind_of_span;
use crate::survey::{FieldSample, Survey};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The names of the parts of spans, without signs between their words, the likeliest first.
const TRACE: &[&str] = &["traceid", "trace"];
const SPAN: &[&str] = &["spanid", "span", "id"];
const PARENT: &[&str] = &["parentspanid", "parentid", "parentspan", "parent"];
const SERVICE: &[&str] = &["servicename", "service"];
/// In their place, where kinds say that these are spans of calls.
const POD: &[&str] = &["podname", "pod"];
const NAME: &[&str] = &["spanname", "operationname", "name", "operation", "resourcename", "op"];
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

/// A mapping for spans; `None` for other records. What nothing tells is asked for, if kinds say that these are spans of calls.
pub(super) fn proposal(survey: &Survey) -> Option<String> {
    let called = |names| called(survey, names);
    let (id, parent) = ids(survey)?;
    let kind = called(KIND).filter(|kind| kind.present().all(is_kind_of_span));
    let session = called(TRACE);
    let pod = || called(POD).filter(|_| kind.is_some());
    let (lifeline, message) = (called(SERVICE).or_else(pod), called(NAME));
    let is_known = session.is_some() && lifeline.is_some() && message.is_some();
    let start = beginning_with(survey, START)?;
    let end = match beginning_with(survey, END).and_then(time) {
        Some(end) => format!("end = {end}\n"),
        None => end_by_length(start, beginning_with(survey, LENGTH)?),
    };
    if kind.is_none() && !is_known {
        return None;
    }
    let mut text = format!(
        "# Each record looks like a span. Change the lines that are not right.\n[input]\nformat = \"{}\"\n\n[spans]\n",
        survey.format.name()
    );
    write_session(&mut text, survey, (session, id, parent));
    let (id, parent) = (field_text(&id.path), field_text(&parent.path));
    let _ = writeln!(
        text,
        "id = {id}\nparent = {parent}\nstart = {}\n{}",
        time(start)?,
        end.trim_end()
    );
    write_names(&mut text, survey, (lifeline, message));
    match kind {
        Some(kind) => _ = writeln!(text, "kind = {}", field_text(&kind.path)),
        None => {
            let why = "Which field says whether a span is that of a client, server, producer or consumer? If each is a request that \
                       its service received, { text = \"server\" }.";
            ask(&mut text, "kind", why, [], "kind = { text = \"server\" }");
        }
    }
    let _ = writeln!(text, "# {WITH_RETURNS}\n# returns = true");
    text.extend(lifeline.map(|it| replicas::renames(it, session)));
    let is_read = kind.is_none() || !is_known || survey.lines.is_empty();
    (is_read || trial::reads(&text, survey)).then_some(text)
}

/// The fields with the ids of records and of their parents, which are records, too.
fn ids(survey: &Survey) -> Option<(&FieldSample, &FieldSample)> {
    let (id, parent) = (called(survey, SPAN)?, called(survey, PARENT)?);
    let ids = id.distinct();
    parent
        .present()
        .any(|parent| !parent.is_empty() && ids.contains(parent))
        .then_some((id, parent))
}

/// What to do if records are spans although they lack the other fields of spans.
pub(super) fn hint(survey: &Survey) -> Option<String> {
    let (id, parent) = ids(survey)?;
    let start = beginning_with(survey, START)?;
    let [id, parent, start] = [id, parent, start].map(|it| field_text(&it.path));
    Some(format!(
        "# spans? {parent} has the {id} of another record. If each record is a span of a call, write [spans] in place of [event], with\n\
         # id = {id}, parent = {parent}, start = {start}, kind = {{ text = \"server\" }} and the end.\n"
    ))
}

/// The session, or the question for it, with the fields that have one value in a record and its parent.
fn write_session(
    text: &mut String,
    survey: &Survey,
    (session, id, parent): (Option<&FieldSample>, &FieldSample, &FieldSample),
) {
    if let Some(session) = session {
        let _ = writeln!(text, "session = {}", field_text(&session.path));
        return;
    }
    let is_of_both = |it: &&FieldSample| {
        let mut of_id: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (id, value) in id.values.iter().zip(&it.values) {
            if let (Some(id), Some(value)) = (id, value) {
                of_id.entry(id).or_default().insert(value);
            }
        }
        let is_same = |(parent, value): (&Option<String>, &Option<String>)| {
            let of_parent = parent.as_deref().and_then(|parent| of_id.get(parent));
            of_parent.is_none_or(|it| value.as_deref().is_some_and(|value| it.contains(value)))
        };
        let is_id = [id, parent].iter().any(|id| id.path == it.path);
        it.distinct().len() > 1 && !is_id && parent.values.iter().zip(&it.values).all(is_same)
    };
    let likely: Vec<&FieldSample> = survey.samples.iter().filter(is_of_both).collect();
    let best = likely.first().map_or("{ text = \"run\" }".to_owned(), |it| field_text(&it.path));
    let why = "Which field names the trace, which a span and its parent have in common? If all records are one run, { text = \"run\" }.";
    ask(text, "session", why, likely.iter().map(|it| survey.why(it)), &format!("session = {best}"));
}

/// The lifeline and the message, or the questions for them.
fn write_names(
    text: &mut String,
    survey: &Survey,
    (lifeline, message): (Option<&FieldSample>, Option<&FieldSample>),
) {
    match lifeline {
        Some(lifeline) => _ = writeln!(text, "lifeline = {}", field_text(&lifeline.path)),
        None => {
            let likely = survey.lifeline();
            let likely = called(survey, POD).or_else(|| likely.best());
            let best = likely.map_or("\"@stem\"".to_owned(), |it| field_text(&it.path));
            let why = "Which field names the service of a span?";
            ask(
                text,
                "lifeline",
                why,
                likely.map(|it| survey.why(it)),
                &format!("lifeline = {best}"),
            );
        }
    }
    let line = |path: &str| {
        let [name, callee] = ["{", "{callee."].map(|it| toml_text(&format!("{it}{path}}}")));
        format!("message = [{callee}, {name}]")
    };
    match message {
        Some(message) => {
            let line = line(&message.path);
            let _ = writeln!(text, "# A call is named after the end that is called.\n{line}");
        }
        None => {
            let taken: Vec<&FieldSample> =
                lifeline.into_iter().chain(called(survey, KIND)).collect();
            let likely = survey.message(&taken);
            let best = likely.best();
            let why =
                "Which field names what a span is? A call is named after the end that is called.";
            let line = line(best.map_or("name", |it| &it.path));
            ask(text, "message", why, best.map(|it| survey.why(it)), &line);
        }
    }
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
    fn what_nothing_tells_of_spans_is_asked_for() {
        let rows = "run,unit,span,parent,kind,what,start,end\n\
            r1,web,1,,server,get,1,9\nr1,web,2,1,client,call,2,8\nr1,cart,3,2,server,list,3,7\n\
            r2,web,4,,server,get,11,19\nr2,web,5,4,client,call,12,18\nr2,cart,6,5,server,list,13,17\n";
        let text = of(rows);
        for line in [
            "[spans]",
            "# session = \"run\"",
            "# lifeline = \"unit\"",
            "# message = [\"{callee.what}\", \"{what}\"]",
            "parent = \"parent\"",
            "kind = \"kind\"",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
        assert!(!text.contains("[event]"), "{text}");
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
        // Without kinds nothing tells calls from steps inside of a service.
        let steps = ROWS.replace("service", "PodName").replace("span_kind", "level");
        let steps = of(&steps.replace("SERVER", "info"));
        assert!(!steps.contains("\n[spans]") && steps.contains("# spans? "), "{steps}");
        // A parent that is not the id of a row, and rows without one.
        for other in
            [ROWS.replace("2,1,stock", "2,9,stock"), ROWS.replace("parent_span_id", "shelf")]
        {
            assert!(!of(&other).contains("[spans]"));
        }
    }
}
