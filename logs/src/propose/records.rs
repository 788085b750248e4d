//! A mapping for records with fields.

use super::asking::{ask, ask_order};
use super::ends::{BothEnds, Logged, Way};
use super::guesses::{
    DirectionWords, Guess, SOURCE, is_elsewhere, is_id, is_shared, may_be_lifeline, names_part,
};
use super::json_text::HEAD;
use super::order;
use super::replicas;
use super::span_rows;
use super::ties::{EqualTimes, TimedEvent};
use super::times::{self, OrderGuess};
use super::values::{comment, cut, field_text, list, toml_text};
use super::verbs::{Verbs, WordsInside, behind_brackets, has_second_word};
use super::w3c;
use crate::field::FieldPath;
use crate::format::{Format, PairSigns};
use crate::formats::Proposal;
use crate::survey::{FieldSample, LookedAt, Survey};
use multitrace_formats::remedy::Remedy;
use regex_automata::meta::Regex;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The method and path of a request of HTTP in a text.
const REQUEST: &str = r#""([A-Z]+ [^ ?"]+)"#;

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

/// `calls` is the path of messages of JSON-RPC in the records, whose fields are not samples.
pub(super) fn of_samples(survey: &Survey, calls: Option<&str>) -> String {
    let mut text = String::new();
    // Lines behind other names of cells mean something else.
    let unmatched = if w3c::is_of(survey) { "error" } else { "count" };
    let _ = writeln!(
        text,
        "# Proposed from the first {} records. Change the lines that are not right; see the events that they\n\
         # make with {}.\nunmatched = \"{unmatched}\"\n\n[input]",
        survey.records,
        Remedy::MapExplain
    );
    write_input(&mut text, survey);
    text.push('\n');
    text.extend(span_rows::hint(survey));
    text.push_str("[event]\n");
    write_problems(&mut text, survey);
    let lifeline = survey.lifeline();
    let session = match calls {
        Some(_) => Guess::Likely(Vec::new()),
        None => survey.session(lifeline.field()),
    };
    write_session(&mut text, survey, &session, lifeline.field());
    let ends = survey.both_ends();
    let may_be = |it: &&FieldSample| {
        survey.is_in_all(it) && may_be_lifeline(it) && !names_part(it) && !is_elsewhere(it)
    };
    let own = survey.named(SOURCE).filter(may_be);
    let lifeline = match (&ends, own) {
        (None, Some(source)) if lifeline.field().is_none() => Guess::Field(source),
        _ => {
            let object = session.best().filter(|it| is_shared(it) || is_id(it));
            lifeline.without(survey.message(&[]).field()).without(object)
        }
    };
    let locations = match &ends {
        Some(BothEnds { logged: Logged::At(host, _) | Logged::OneEnd(host, _), .. }) => vec![*host],
        Some(ends) => vec![ends.source, ends.target],
        None => lifeline.best().into_iter().collect(),
    };
    write_order(&mut text, survey, (session.best(), &locations));
    match &ends {
        Some(ends) => of_pairs(&mut text, survey, ends),
        None => of_single(&mut text, survey, &lifeline, calls),
    }
    for lifeline in locations {
        text.push_str(&replicas::renames(lifeline, session.field()));
    }
    write_names_again(&mut text, survey);
    let has = |path: &str| survey.samples.iter().any(|it| it.path == path);
    if has("preview") && survey.samples.iter().any(|it| it.path.starts_with("result.")) {
        text.push_str(
            "\n# A search that goes on exports results that it exports again at its end.\n[[drop]]\nname = \"previews\"\n\
             when = { preview = \"true\" }\n",
        );
    }
    if w3c::is_of(survey) {
        text.push_str(&w3c::drop_rules(&survey.lines));
    }
    text
}

/// How the input is read, and its columns.
fn write_input(text: &mut String, survey: &Survey) {
    let _ = match &survey.documents {
        None => writeln!(text, "format = \"{}\"", survey.format.name()),
        Some(path) => writeln!(
            text,
            "# The records stand inside of a document. `^.` leads to the object around them.\nrecords = {}",
            toml_text(path)
        ),
    };
    if !survey.incomplete.is_empty() {
        let signs: Vec<String> = survey.incomplete.iter().map(|sign| toml_text(sign)).collect();
        let why = "By these fields a document says that it lacks records: that is an error then.";
        let _ = writeln!(text, "# {why}\nincomplete = [{}]", signs.join(", "));
    }
    if let Some(list) = &survey.for_each {
        let why = "Each element of this list is a record: `each[0]` is the first value in it.";
        let _ = writeln!(text, "# {why}\nfor-each = {}", toml_text(list));
    }
    if let Some((pattern, why)) = &survey.pattern {
        let _ = writeln!(text, "# {why}\npatterns = [{}]", toml_text(pattern));
    }
    let (delimiter, separator) = match &survey.proposal {
        Proposal::Fields { delimiter: Some(sign), .. } => {
            (Some(char::from(*sign).to_string()), None)
        }
        Proposal::Pairs { signs: Some(PairSigns { between, within }), .. } => {
            (Some(between.clone()), Some(within.clone()).filter(|it| it != "="))
        }
        _ => (None, None),
    };
    for (key, sign) in [("delimiter", delimiter), ("separator", separator)] {
        text.extend(sign.map(|sign| format!("{key} = {}\n", toml_text(&sign))));
    }
    write_columns(text, survey);
}

/// Leaves out rows that have the names of the columns again.
fn write_names_again(text: &mut String, survey: &Survey) {
    if !survey.has_names_again {
        return;
    }
    let test = |it: &FieldSample| {
        FieldPath::parse(&it.path)
            .ok()
            .map(|path| format!("{} = {}", toml_text(&it.path), toml_text(&path.flat_name())))
    };
    let tests: Vec<String> = survey.samples.iter().take(TESTED_NAMES).filter_map(test).collect();
    let _ = writeln!(
        text,
        "\n# Rows that have the names of the columns again are left out.\n[[drop]]\nname = \"names of columns\"\nwhen = {{ {} }}",
        tests.join(", ")
    );
}

/// Why a message in the field of the direction is asked for.
const OF_BOTH_ENDS: &str = "Which field says what was sent, in the same way at both ends?";

/// How many values that tell no direction are shown, so that the line can be read.
const SHOWN_VALUES: usize = 12;

/// How many columns must have their names in a row that is left out: one may be called like one of its values.
const TESTED_NAMES: usize = 2;

/// The order, and the meaning of equal times at one of the locations.
fn write_order(
    text: &mut String,
    survey: &Survey,
    (session, locations): (Option<&FieldSample>, &[&FieldSample]),
) {
    let both = survey.day_and_time();
    let guess = match &both {
        Some((sample, form)) => OrderGuess::Field(sample, *form),
        None => survey.order(),
    };
    match guess {
        OrderGuess::Field(sample, written) => {
            let keys = times::keys(sample, written);
            let message = survey.message(locations);
            let message = message.best();
            let events = keys.iter().enumerate().flat_map(|(at, time)| {
                let texts = survey.samples.iter().filter(|it| it.path != sample.path);
                let texts: Vec<&str> = texts.map(|it| value(Some(it), at)).collect();
                let places = locations.iter().map(|it| Some(*it));
                let places = if locations.is_empty() { vec![None] } else { places.collect() };
                places.into_iter().map(move |place| TimedEvent {
                    location: (value(session, at), value(place, at)),
                    time: *time,
                    message: value(message, at),
                    texts: texts.clone(),
                })
            });
            let ties = EqualTimes::of(&events.collect::<Vec<_>>());
            let _ = writeln!(text, "# {}", survey.why(sample));
            let fall = !times::never_falls(&keys, sample, locations.first().copied());
            text.push_str(&order::lines(&sample.path, written, (ties, fall)));
        }
        OrderGuess::Likely(likely, form) => {
            let line = likely.first().map_or_else(String::new, |it| form.line(&it.path));
            let why = "Which field says when a record was written?";
            ask_order(text, why, likely.iter().map(|it| survey.why(it)), &line);
        }
        OrderGuess::Unread(sample) => {
            let line =
                format!("order = {{ field = {}, format = \"%H:%M\" }}", toml_text(&sample.path));
            ask_order(
                text,
                "The times are not written in one known way. Give them a format.",
                [survey.why(sample)],
                &line,
            );
        }
        OrderGuess::Nothing if are_in_lists(survey) => {
            let why = "Which part of an element says when it was written? Exports often begin with the newest record.";
            let shown = survey.samples.iter().filter(|it| it.path.starts_with("each"));
            ask_order(text, why, shown.map(|it| survey.why(it)), "order = \"each[0]\"");
        }
        OrderGuess::Nothing => text.push_str("# The order of the file is the local order.\n"),
    }
}

/// Whether records stand in lists of lists, which exports sort as they like.
fn are_in_lists(survey: &Survey) -> bool {
    let is_json = matches!(survey.format, Format::Json | Format::JsonLines);
    let is_one = is_json && survey.records == 1;
    let has_lists = || {
        let signs = survey.lines.chars().filter(|c| !c.is_whitespace());
        signs.clone().zip(signs.skip(1)).any(|two| two == ('[', '['))
    };
    let has_elements = || survey.samples.iter().any(|it| it.path.starts_with("each["));
    survey.for_each.is_some() || has_elements() || is_one && has_lists()
}

/// The value of a field in a record; nothing without one.
fn value(of: Option<&FieldSample>, at: usize) -> &str {
    of.and_then(|it| it.values[at].as_deref()).unwrap_or("")
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
    for (path, count) in &survey.without_json {
        let _ = writeln!(
            text,
            "# {}: {count} of the first texts are not objects of JSON, so that the fields below are missing there.",
            comment(path)
        );
    }
}

fn write_session(
    text: &mut String,
    survey: &Survey,
    session: &Guess<'_>,
    lifeline: Option<&FieldSample>,
) {
    let likely = match session {
        Guess::Field(sample) => return write_field(text, "session", sample, survey),
        Guess::Likely(likely) => likely,
    };
    let part = survey.part_id();
    let counted = likely.first().and_then(|it| Some((it, survey.counted_by(it, lifeline)?)));
    let line = match (&part, likely.first()) {
        (Some(part), _) => format!("session = {}", part.value()),
        (None, Some(best)) => match counted {
            Some((_, by)) => {
                format!("session = {}", toml_text(&format!("{{{}}}/{{{}}}", by.path, best.path)))
            }
            None => format!("session = {}", field_text(&best.path)),
        },
        (None, None) => format!("session = {}", survey.files.session(lifeline.is_some())),
    };
    let mut why = "Which field names the run of the system that an event belongs to? If all records are one run, \
                   { text = \"run\" }."
        .to_owned();
    if let Some((best, by)) = counted {
        let _ = write!(why, " One `{}` stands under several `{}`.", best.path, by.path);
    }
    let of_part = part.iter().map(|it| it.why(survey.records));
    let of_counted = counted.map(|(_, by)| survey.why(by));
    let is_shown = |it: &&&FieldSample| counted.is_none_or(|(_, by)| by.path != it.path);
    let mut shown = likely.iter().filter(is_shown).map(|it| survey.why(it));
    let first = shown.next();
    ask(text, "session", &why, of_part.chain(first).chain(of_counted).chain(shown), &line);
    text.extend(part.map(|it| it.remedy(survey.records)));
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
        let inside = format!("{path}|json.");
        let is_opened = survey.samples.iter().any(|sample| sample.path.starts_with(&inside));
        let without = if is_opened { "JSON" } else { "no value" };
        let example = example.map_or_else(|| without.to_owned(), comment);
        let _ = writeln!(text, "#   {} ({}): {example}", comment(path), comment(kind));
    }
}

/// Records with a sender and a receiver.
fn of_pairs(text: &mut String, survey: &Survey, ends: &BothEnds<'_>) {
    let BothEnds { source, target, logged } = ends;
    let (from, to) = (source.path.as_str(), target.path.as_str());
    let why = match logged {
        Logged::Unknown => {
            "A record names both ends: it is an emission at one and a reception at the other."
        }
        Logged::By(_) => "A record names both ends, and another field says which one logged it.",
        Logged::At(..) => "A record names both ends and the one of them that logged it.",
        Logged::OneEnd(..) => "A record names both ends, and one of them logged it.",
    };
    let _ = writeln!(text, "\n# {why}\n# {}\n# {}", survey.why(source), survey.why(target));
    let mut taken = vec![*source, *target];
    match logged {
        Logged::At(host, way) => {
            taken.push(*host);
            write_field(text, "lifeline", host, survey);
            if let Some(way) = way {
                taken.push(way.field);
                write_ways(text, survey, way);
                write_message(text, survey, &taken, None);
                return;
            }
            let is = |path: &str| toml_text(&format!("{{{path}}}"));
            let _ = writeln!(
                text,
                "# The end that logged a record says whether it was sent or received.\n\
                 direction = {{ field = {}, emission = {}, reception = {} }}",
                toml_text(&host.path),
                is(from),
                is(to)
            );
            write_message(text, survey, &taken, None);
        }
        Logged::OneEnd(host, end) => {
            taken.push(*host);
            write_field(text, "lifeline", host, survey);
            let direction = if *end == "sender" { "emission" } else { "reception" };
            let why = format!(
                "All records were logged by the {end}. Does the other end log nothing, and are its events no part?"
            );
            ask(text, "direction", &why, [], &format!("direction = \"{direction}\""));
            write_message(text, survey, &taken, None);
        }
        Logged::By(way) => {
            taken.push(way.field);
            write_rules_of_ends(text, survey, ends, &taken);
        }
        Logged::Unknown => write_rules_of_ends(text, survey, ends, &taken),
    }
}

/// Rules for records that are of both ends, or of the one that a field says.
fn write_rules_of_ends(
    text: &mut String,
    survey: &Survey,
    ends: &BothEnds<'_>,
    taken: &[&FieldSample],
) {
    let BothEnds { source, target, logged } = ends;
    let message = survey.message(taken);
    let path = message.best().map_or("message", |sample| sample.path.as_str());
    let action =
        |end: &FieldSample, mark: char| toml_text(&format!("{{{}}}{mark}{{{path}}}", end.path));
    let (sent, received) = (action(source, '!'), action(target, '?'));
    let rules = match logged {
        Logged::By(Way { field, emission, reception }) => {
            let test = |values: &[&str]| {
                format!("when = {{ {} = {} }}\n", toml_text(&field.path), list(values))
            };
            vec![
                format!("{}actions = [{sent}]", test(emission)),
                format!("{}actions = [{received}]", test(reception)),
            ]
        }
        _ => vec![format!("actions = [{sent}, {received}]")],
    };
    match &message {
        Guess::Field(sample) => {
            let _ = writeln!(text, "# {}", survey.why(sample));
            rules.iter().for_each(|rule| _ = writeln!(text, "[[rule]]\n{rule}\n"));
        }
        Guess::Likely(likely) => {
            let why = "Which field says what happened?";
            let likely = likely.iter().map(|it| survey.why(it));
            let marked = |rule: &String| format!("[[rule]]\n{rule}").replace('\n', "\n# ");
            let rules: Vec<String> = rules.iter().map(marked).collect();
            ask(text, "message", why, likely, &rules.join("\n# "));
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

/// A direction by all values that the log has.
fn write_ways(text: &mut String, survey: &Survey, way: &Way<'_>) {
    let Way { field, emission, reception } = way;
    let _ = writeln!(
        text,
        "# {}\ndirection = {{ field = {}, emission = {}, reception = {} }}",
        survey.why(field),
        toml_text(&field.path),
        list(emission),
        list(reception)
    );
}

/// Records of one end.
fn of_single(text: &mut String, survey: &Survey, lifeline: &Guess<'_>, calls: Option<&str>) {
    match lifeline {
        Guess::Field(sample) => write_field(text, "lifeline", sample, survey),
        Guess::Likely(likely) => {
            let why = "Which field names who logged an event? The name of the file, \"@stem\", if each has its own; if one program logged all, \
                 { text = \"NAME\" }.";
            let best = likely.first().filter(|_| survey.files == LookedAt::One);
            let best = best.map_or("\"@stem\"".to_owned(), |it| field_text(&it.path));
            let likely = likely.iter().map(|it| survey.why(it));
            ask(text, "lifeline", why, likely, &format!("lifeline = {best}"));
        }
    }
    let direction = survey.direction();
    let is_unknown = matches!(&direction, Guess::Likely(likely) if likely.is_empty());
    let inside = if is_unknown && survey.verbs().is_none() { survey.inside() } else { None };
    write_direction(text, survey, &direction, inside.as_ref());
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
    let mut taken: Vec<&FieldSample> = lifeline.field().into_iter().collect();
    taken.extend(survey.verbs().filter(|it| it.are_all()).map(|it| it.sample));
    let verbs = direction.best().filter(|it| direction.field().is_some() || begin_with_verbs(it));
    let verbs = verbs.filter(|it| it.present().any(has_second_word));
    let has_ends = lifeline.field().is_some_and(|it| it.distinct().len() > 1);
    let way = direction.field().filter(|_| has_ends);
    match survey.message(&taken) {
        Guess::Field(sample) if verbs.is_some_and(|it| it.path == sample.path) => {
            let behind =
                |value: &'_ str| value.split_once(char::is_whitespace).map(|it| it.1.to_owned());
            let is_told = way.is_none_or(|way| is_at_both_ends(way, sample, behind));
            write_behind_verb(text, survey, (sample, is_told && direction.field().is_some()));
        }
        Guess::Likely(likely)
            if survey
                .verbs()
                .is_some_and(|it| likely.first().is_none_or(|best| it.is_in(best))) =>
        {
            let why = "Which field, or which part of one, says what happened?";
            let line = survey.verbs().map_or_else(String::new, |it| it.message());
            ask(text, "message", why, likely.iter().map(|it| survey.why(it)), &line);
        }
        Guess::Field(sample) if part_of(sample, inside.as_ref()).is_some() => {
            let line = part_of(sample, inside.as_ref()).unwrap_or_default();
            ask(text, "message", OF_BOTH_ENDS, [survey.why(sample)], &line);
        }
        _ => {
            let taken: Vec<&FieldSample> = taken.into_iter().chain(direction.field()).collect();
            write_message(text, survey, &taken, way);
        }
    }
}

/// The line for a message beside the word that tells the direction, if both stand in one field.
fn part_of(sample: &FieldSample, inside: Option<&WordsInside<'_>>) -> Option<String> {
    inside.filter(|it| it.sample.path == sample.path).and_then(WordsInside::message)
}

/// Whether some message was sent in one record and received in another, as its field in a log of both ends shows.
fn is_at_both_ends(
    way: &FieldSample,
    sample: &FieldSample,
    message: impl Fn(&str) -> Option<String>,
) -> bool {
    let words = DirectionWords::new();
    let both = way.values.iter().zip(&sample.values);
    let (mut sent, mut received) = (BTreeSet::new(), BTreeSet::new());
    for (way, value) in both {
        let (Some(way), Some(value)) = (way, value) else { continue };
        let is_emission = words.is_emission(way) == Some(true);
        let messages = if is_emission { &mut sent } else { &mut received };
        messages.extend(message(value));
    }
    !sent.is_disjoint(&received)
}

/// Whether all values are a word of a direction and others behind it.
fn begin_with_verbs(sample: &FieldSample) -> bool {
    let words = DirectionWords::new();
    let is_one = |value: &str| words.is_emission(value).is_some() && has_second_word(value);
    sample.present().all(is_one)
}

/// A message that no verb of a direction precedes. `way` is the direction, if the log has several lifelines: then the field
/// of the message must have some value at both ends.
fn write_message(
    text: &mut String,
    survey: &Survey,
    taken: &[&FieldSample],
    way: Option<&FieldSample>,
) {
    let (mut taken, mut others) = (taken.to_vec(), Vec::new());
    let mut message = survey.message(&taken);
    while let Guess::Field(sample) = message
        && way.is_some_and(|way| !is_at_both_ends(way, sample, |value| Some(value.to_owned())))
    {
        others.push(sample);
        taken.push(sample);
        message = survey.message(&taken);
    }
    match message {
        Guess::Field(sample) => write_field(text, "message", sample, survey),
        Guess::Likely(likely) => {
            let (session, lifeline) = (survey.session(taken.first().copied()), survey.lifeline());
            let is_other_part = |it: &FieldSample| {
                [session.best(), lifeline.best()]
                    .iter()
                    .flatten()
                    .any(|other| other.path == it.path)
            };
            let line = match likely.iter().find(|it| !is_other_part(it)) {
                Some(best) if are_requests(best) => {
                    format!(
                        "message = {{ field = {}, match = '{REQUEST}' }}",
                        toml_text(&best.path)
                    )
                }
                Some(best)
                    if best.present().any(has_second_word) && has_several_first_words(best) =>
                {
                    let pattern = behind_brackets(best).unwrap_or_else(|| r"\w+".to_owned());
                    format!(
                        "message = {{ field = {}, match = '{pattern}' }}",
                        toml_text(&best.path)
                    )
                }
                Some(best) => format!("message = {}", field_text(&best.path)),
                None => "message = { text = \"event\" }".to_owned(),
            };
            let why = "Which field, or which part of one, says what happened?";
            let shown = others
                .iter()
                .chain(likely.iter().filter(|it| others.iter().all(|other| other.path != it.path)));
            ask(text, "message", why, shown.map(|it| survey.why(it)), &line);
        }
    }
}

/// Whether all values of a field have a request of HTTP in quotes.
fn are_requests(sample: &FieldSample) -> bool {
    let is_request =
        |request: &Regex, value: &str| value.contains(" HTTP/") && request.is_match(value);
    Regex::new(REQUEST).is_ok_and(|it| sample.present().all(|value| is_request(&it, value)))
}

/// Whether the first words of the values of a field differ, so that they may be messages.
fn has_several_first_words(sample: &FieldSample) -> bool {
    let is_in_word = |char: char| char.is_alphanumeric() || char == '_';
    let words = |value: &'_ str| {
        value.split(|char| !is_in_word(char)).find(|word| !word.is_empty()).map(str::to_owned)
    };
    sample.distinct().into_iter().filter_map(words).collect::<BTreeSet<_>>().len() > 1
}

/// A message in the field of the direction: the words behind the verb, which is another one at the other end.
fn write_behind_verb(text: &mut String, survey: &Survey, (sample, is_told): (&FieldSample, bool)) {
    let line = format!(
        "message = {{ field = {}, match = '^\\S+\\s+(?<message>.+)$' }}",
        toml_text(&sample.path)
    );
    if is_told && sample.present().all(has_second_word) {
        let _ = writeln!(text, "# {}; the first word is the direction\n{line}", survey.why(sample));
    } else {
        ask(text, "message", OF_BOTH_ENDS, [survey.why(sample)], &line);
    }
}

/// The direction; `inside` is a field with words of directions in its values, if nothing else tells it.
fn write_direction(
    text: &mut String,
    survey: &Survey,
    direction: &Guess<'_>,
    inside: Option<&WordsInside<'_>>,
) {
    let words = DirectionWords::new();
    let line = |sample: &FieldSample| {
        let ways = words.ways(sample);
        let fitting = |values: &[&str]| {
            let values = words.fitting(values);
            list(&values.iter().map(String::as_str).collect::<Vec<_>>())
        };
        format!(
            "direction = {{ field = {}, emission = {}, reception = {} }}",
            toml_text(&sample.path),
            fitting(&ways.emission),
            fitting(&ways.reception)
        )
    };
    let head = survey.samples.iter().find(|it| it.path == HEAD);
    let verbs = survey.verbs();
    match direction {
        Guess::Field(sample) => {
            let _ = writeln!(text, "# {}\n{}", survey.why(sample), line(sample));
        }
        Guess::Likely(likely) if head.is_some() || likely.is_empty() && verbs.is_some() => {
            let best = verbs
                .as_ref()
                .map_or_else(|| "direction = \"emission\"".to_owned(), Verbs::direction);
            let why =
                "Which part of the text tells emissions from receptions, as the lifeline saw them?";
            let shown = verbs.map(|it| it.sample).or(head);
            ask(text, "direction", why, shown.map(|it| survey.why(it)), &best);
        }
        Guess::Likely(likely) => {
            let why = "Which field tells emissions from receptions? If there are emissions alone, \"emission\"; rules \
                       can tell, too.";
            let best = match (likely.first(), inside) {
                (Some(best), _) => line(best),
                (None, Some(inside)) => inside.direction(),
                (None, None) => "direction = \"emission\"".to_owned(),
            };
            let shown = likely.iter().copied().chain(inside.iter().map(|it| it.sample));
            ask(text, "direction", why, shown.map(|it| survey.why(it)), &best);
            let others = match (likely.first(), inside) {
                (Some(best), _) => words.ways(best).others,
                (None, inside) => inside.iter().flat_map(|it| it.others()).collect(),
            };
            write_other_values(text, &others);
        }
    }
}

/// The values of a field of directions that neither list has.
fn write_other_values(text: &mut String, others: &[&str]) {
    if others.is_empty() {
        return;
    }
    let some: Vec<String> = others.iter().take(SHOWN_VALUES).map(|value| cut(value, 24)).collect();
    let more = if others.len() > some.len() { ", …" } else { "" };
    let _ = writeln!(
        text,
        "# Put other values into one of the lists, or drop their records: {}{more}",
        some.join(", ")
    );
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
