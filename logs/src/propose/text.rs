//! A mapping of a text log: a pattern for each template, and a rule for each pattern.

use super::asking::{ask, ask_order};
use super::continued::{FirstLines, first_lines};
use super::guesses::{MOST_LIFELINES, PLACES};
use super::joins;
use super::learnt::{Learnt, MOST_LINES, NamedTemplate, NamedValues, learn};
use super::order::{self, OrderForm};
use super::replicas;
use super::sessions::{are_few_in, is_never_session};
use super::text_rules::{Guesses, MOST_PATTERNS, ends, has_threads, is_sure_lifeline, write_rules};
use super::ties::{EqualTimes, TimedEvent};
use super::times;
use super::token::{TokenType, VALUE, VALUE_PATTERN};
use super::values::{comment, toml_text};
use super::words::is_verb;
use crate::mapping::expand_pattern;
use crate::survey::{FieldSample, LookedAt};
use multitrace_formats::remedy::Remedy;
use regex_automata::meta::Regex;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::net::IpAddr;

/// How many rarer templates are shown.
const SHOWN_RARE: usize = 10;
/// One line in this many must have a session: in the logs of OpenStack two in five name an instance.
const LEAST_SHARE: usize = 3;
/// Names in the names of fields by which sessions are recognised.
const SESSION_WORDS: &[&str] = &[
    "session",
    "trace",
    "conversation",
    "correlation",
    "request",
    "req",
    "call_id",
    "transaction",
    "txn",
    "tx",
    "flow",
    "conn",
    "connection",
    "id",
    "mid",
    "cid",
    "uuid",
    "blk",
    "block",
];

/// Names of values that are times, also of numbers.
const TIME_NAMES: &[&str] = &["time", "timestamp", "ts", "datetime"];

/// Words before values that are states, or somebody.
const PREPOSITIONS: &[&str] = &["from", "to", "in", "at", "by", "of", "on", "for", "with", "as"];

/// One of this many in ten lines must have a session that is not called so.
const MOST_LINES_OF_TEN: usize = 8;

/// A mapping for these lines.
pub(super) fn proposal(text: &str, files: LookedAt) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let all: Vec<&str> = lines.take(MOST_LINES).collect();
    let first = first_lines(&all);
    let of_records = first.as_ref().map(|it| it.lines.iter().map(|line| &**line).collect());
    let lines: &[&str] = &of_records.unwrap_or(all.clone());
    let mut learnt = learn(lines);
    learnt.unite_ids(is_session_word);
    sort(&mut learnt.templates, lines);
    let lifeline = lifeline(&learnt);
    let (session, likely) = match session(&learnt, lifeline.as_deref()) {
        // The ids of JSON-RPC are those of requests.
        (Some(id), _) if text.contains("jsonrpc") => (None, vec![id]),
        found => found,
    };
    let joined = session.as_deref().and_then(|id| joins::session_of(id, &learnt.values));
    let joined = joined.filter(|name| is_session_word(name) || !is_unnamed(name));
    let guesses = match joined {
        Some(whole) => {
            Guesses { session: Some(whole), likely, join: session, lifeline, without_verbs: false }
        }
        None => Guesses { session, likely, join: None, lifeline, without_verbs: false },
    };
    let guesses = guesses.with_messages(&learnt);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "# Learnt from {} lines of text, which have {} templates. Change the lines that are not right;\n\
         # see the events that they make with {}.\nunmatched = \"count\"\n",
        all.len(),
        learnt.templates.len(),
        Remedy::MapExplain
    );
    let _ = writeln!(out, "[patterns]\n{VALUE} = {}\n", toml_text(VALUE_PATTERN));
    write_patterns(&mut out, &learnt, lines, first.as_ref());
    write_event(&mut out, &learnt, &guesses, (lines, files));
    write_drop(&mut out, &learnt, &guesses);
    write_rules(&mut out, &learnt, &guesses);
    let sample = |name: &String| learnt.values.get(name).map(|it| it.sample(name, lines.len()));
    if let Some(lifeline) = guesses.lifeline.as_ref().and_then(sample) {
        let session = guesses.session.as_ref().and_then(sample);
        let renames =
            replicas::renames(&lifeline, session.as_ref()) + &replicas::of_loggers(&lifeline);
        out.push_str(renames.trim_start());
    }
    out
}

/// A mapping for a log without lines: nothing is known of it.
pub(super) fn without_lines() -> String {
    "# The log is empty: propose a mapping from one with lines, or write patterns with named groups.\n\
     [input]\nformat = \"text\"\npatterns = ['(?<session>\\S+) (?<node>\\S+) (?<message>\\w+)']\n\n\
     [event]\n# session = \"session\"\n# lifeline = \"node\"\n# direction = \"emission\"\n# message = \"message\"\n"
        .to_owned()
}

/// Brings a template before the first that matches its lines too, so that it is reached.
fn sort(templates: &mut Vec<NamedTemplate>, lines: &[&str]) {
    let mut sorted: Vec<(Option<Regex>, NamedTemplate)> = Vec::new();
    for named in std::mem::take(templates) {
        if sorted.len() >= MOST_PATTERNS {
            sorted.push((None, named));
            continue;
        }
        let example = named.template.lines.first().map_or("", |&number| lines[number]);
        let takes = |(regex, _): &(Option<Regex>, NamedTemplate)| {
            regex.as_ref().is_some_and(|regex| regex.is_match(example))
        };
        let at = sorted.iter().position(takes).unwrap_or(sorted.len());
        let regex = expand_pattern(&[(VALUE, VALUE_PATTERN)], &pattern(&named, false));
        sorted.insert(at, (regex.and_then(|text| Regex::new(&text).ok()), named));
    }
    *templates = sorted.into_iter().map(|(_, named)| named).collect();
}

/// The regular expression of a template; its records may have more lines.
fn pattern(named: &NamedTemplate, has_more: bool) -> String {
    let mut text = String::from("^");
    for (slot, name) in named.template.slots.iter().zip(&named.names) {
        escape(&slot.before, &mut text);
        match (&slot.word, name) {
            (Some(word), _) => escape(word, &mut text),
            (None, Some(name)) => text.push_str(&slot.kind.group(name)),
            (None, None) => text.push_str(slot.kind.pattern()),
        }
    }
    if !named.is_cut {
        escape(&named.template.end, &mut text);
        text.push_str(if has_more { r"\s*(?:\n(?s:.*))?$" } else { r"\s*$" });
    }
    text
}

/// Writes a text as a regular expression; a blank stands for any blanks.
fn escape(text: &str, pattern: &mut String) {
    for c in text.chars() {
        match c {
            c if c.is_whitespace() => pattern.push_str(r"\s+"),
            '\'' => pattern.push_str(r"\x27"),
            c if c.is_control() => {
                let _ = write!(pattern, r"\x{{{:X}}}", u32::from(c));
            }
            c if r"\.+*?()|[]{}^$#&-~".contains(c) => {
                pattern.push('\\');
                pattern.push(c);
            }
            c => pattern.push(c),
        }
    }
}

fn write_patterns(
    out: &mut String,
    learnt: &Learnt,
    lines: &[&str],
    first: Option<&FirstLines<'_>>,
) {
    out.push_str("[input]\nformat = \"text\"\n");
    if let Some(FirstLines { begin: (before, time), others, .. }) = first {
        let mut start = String::from("^");
        escape(before, &mut start);
        start.push_str(time.fragment());
        let _ = writeln!(
            out,
            "# {others} lines do not begin as the first ones of records do: they belong to the record before them.\n\
             start = {}",
            toml_text(&start)
        );
    }
    out.push_str("patterns = [\n");
    let (frequent, rare) = learnt.templates.split_at(learnt.templates.len().min(MOST_PATTERNS));
    for (number, named) in (1..).zip(frequent) {
        let count = named.template.lines.len();
        let example = named.template.lines.first().map_or("", |&number| lines[number]);
        let _ = writeln!(out, "  # {number}: {count} lines, as: {}", comment(example));
        let _ = writeln!(out, "  {},", toml_text(&pattern(named, first.is_some())));
    }
    out.push_str("]\n");
    if rare.is_empty() && learnt.left_out == 0 {
        return;
    }
    let of_rare: usize = rare.iter().map(|named| named.template.lines.len()).sum();
    let rare_lines = of_rare + learnt.left_out;
    let _ =
        writeln!(out, "# {rare_lines} lines have rarer templates, and no pattern. Some of them:");
    for named in rare.iter().take(SHOWN_RARE) {
        let example = named.template.lines.first().map_or("", |&number| lines[number]);
        let _ = writeln!(out, "#   {}", comment(example));
    }
}

/// Names of zones, which stand beside times.
const ZONES: &[&str] = &[
    "UTC", "GMT", "WET", "WEST", "CET", "CEST", "EET", "EEST", "MSK", "BST", "IST", "EST", "EDT",
    "CST", "CDT", "MST", "MDT", "PST", "PDT", "AKST", "AKDT", "HST", "JST", "KST", "SGT", "HKT",
    "AWST", "ACST", "ACDT", "AEST", "AEDT", "NZST", "NZDT",
];

/// Whether values are names of several zones.
fn are_zones(values: &NamedValues) -> bool {
    values.values.len() > 1 && values.values.keys().all(|value| ZONES.contains(&value.as_str()))
}

/// Whether several of them stand at the beginnings of lines.
fn have_zones(lines: &[&str]) -> bool {
    let words = lines.iter().flat_map(|line| line.split_whitespace().take(WORDS_WITH_ZONE));
    words.filter(|word| ZONES.contains(word)).collect::<BTreeSet<_>>().len() > 1
}

/// `Wed May 01 12:15:00 CEST` has its zone as the fifth word, behind some words of a header perhaps. An estimate.
const WORDS_WITH_ZONE: usize = 8;

/// Endings of files with the source of a program.
const SOURCES: &[&str] = &[
    "c", "cc", "cpp", "cxx", "h", "hpp", "cs", "ex", "erl", "go", "java", "js", "kt", "lua", "m",
    "php", "pl", "py", "rb", "rs", "scala", "swift", "ts",
];

/// Whether a value is a line of a program, as glog writes it: `server.cc:88`.
fn is_place_in_source(value: &str) -> bool {
    let parts =
        value.rsplit_once(':').and_then(|(file, line)| Some((file.rsplit_once('.')?.1, line)));
    parts.is_some_and(|(ending, line)| {
        SOURCES.contains(&ending) && line.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The field of a header with some names that repeat.
fn lifeline(learnt: &Learnt) -> Option<String> {
    let is_lifeline = |(name, values): &(&String, &NamedValues)| {
        let of_kind = |kind: &TokenType| {
            matches!(kind, TokenType::Word | TokenType::Id | TokenType::Path | TokenType::Any)
        };
        values.is_header
            && values.kinds.iter().all(of_kind)
            && (2..=MOST_LIFELINES).contains(&values.values.len())
            && !values.are_runs(learnt.lines)
            && !are_long_numbers(values)
            && values.lines() * 2 > learnt.lines
            && values.lines() >= values.values.len() * 2
            && name.as_str() != "pid"
            && !are_zones(values)
            && !values.values.keys().all(|value| is_place_in_source(value))
            && !SESSION_WORDS.contains(&name.as_str())
    };
    // A name of a host, node or path is more of a lifeline than a logger is, and that more than a thread.
    let rank = |(name, values): &(&String, &NamedValues)| {
        (has_threads(values), name.starts_with("component"))
    };
    let found = learnt.values.iter().filter(is_lifeline);
    found.min_by_key(rank).map(|(name, _)| name.clone())
}

/// The values in the text of most lines that are called like places, and have a few names.
fn places(learnt: &Learnt) -> Vec<&str> {
    let is_place = |(name, values): &(&String, &NamedValues)| {
        PLACES.contains(&name.as_str())
            && (2..=MOST_LIFELINES).contains(&values.values.len())
            && values.lines() * 2 > learnt.lines
    };
    learnt.values.iter().filter(is_place).map(|(name, _)| name.as_str()).collect()
}

/// The field whose values come again in many lines: one that is called like a session, or that stands out; else the
/// likeliest ones.
fn session(learnt: &Learnt, lifeline: Option<&str>) -> (Option<String>, Vec<String>) {
    let lifelines = lifeline.and_then(|name| learnt.values.get(name));
    let may_be_id = |(name, values): &(&String, &NamedValues)| {
        let are_runs = values.are_runs(learnt.lines);
        let of_kind = |kind: &TokenType| {
            use TokenType::{Address, Any, Hex, Id, Number, Uuid, Word};
            are_runs && *kind == Address || matches!(kind, Any | Hex | Id | Number | Uuid | Word)
        };
        // A number of a process is not in the lines of two programs.
        let is_shared = lifelines.is_some_and(|it| values.are_shared_by(it));
        let is_id = is_session_word(name)
            || are_runs
            || is_shared && *name == "pid"
            || are_long_numbers(values)
            || values.kinds.iter().all(is_sure_id);
        let is_name = values.is_header && !is_id;
        let is_never =
            |part: &&str| *part != "code" && !((are_runs || is_shared) && *part == "pid");
        Some(name.as_str()) != lifeline
            && !is_name
            && values.kinds.iter().all(of_kind)
            && !is_never_session(name.split('_').filter(is_never))
            && (are_runs || !PREPOSITIONS.contains(&name.as_str()))
            && !(is_verb(name) && values.kinds.iter().all(|kind| *kind == TokenType::Word))
            && !lifelines.is_some_and(|it| values.are_parts_of(it))
            && values.values.len() > if is_session_word(name) { 1 } else { 2 }
            && values.repeated() > 0
    };
    let is_common = |values: &NamedValues| values.repeated() * LEAST_SHARE >= learnt.lines;
    // A server may write more of itself than of its sessions. Ids that are called so are offered all the same.
    let is_offered = |(name, values): &(&String, &NamedValues)| {
        is_common(values) || is_session_word(name) && values.kinds.iter().all(is_sure_id)
    };
    let mut found: Vec<_> = learnt.values.iter().filter(may_be_id).filter(is_offered).collect();
    found.sort_by_key(|it| Reverse(session_rank(*it, learnt)));
    let common: Vec<_> = found.iter().copied().filter(|(_, it)| is_common(it)).collect();
    match common.first().filter(|_| stands_out(&common, learnt)) {
        Some((name, _)) => (Some((*name).clone()), Vec::new()),
        None => (None, found.into_iter().map(|(name, _)| name.clone()).collect()),
    }
}

/// How likely a field is the session: by its name and kind, whether its name ends as those of ids do, whether it has a name, its
/// share of lines in tenths, so that a few do not decide, whether its lines stand together, and its number of values.
type SessionRank = ((bool, bool), bool, bool, usize, bool, usize);

fn session_rank((name, values): (&String, &NamedValues), learnt: &Learnt) -> SessionRank {
    let are_runs = values.are_runs(learnt.lines);
    let are_ids = are_runs && values.kinds.iter().all(is_sure_id);
    let share = values.repeated() * 10 / learnt.lines.max(1);
    let kind = (is_session_word(name), are_ids);
    let is_id = name.ends_with("id") && name != "pid";
    (kind, is_id, !is_unnamed(name), share, are_runs, values.values.len())
}

/// Whether the first of the fields that may be the session is so much likelier than the others that it is not asked for.
fn stands_out(common: &[(&String, &NamedValues)], learnt: &Learnt) -> bool {
    let [first @ (name, values), others @ ..] = common else { return false };
    if are_few_in(values.values.len(), values.lines()) {
        return false;
    }
    if is_session_word(name) {
        return true;
    }
    let (_, _, is_named, of_first, ..) = session_rank(*first, learnt);
    let is_alone = others.first().is_none_or(|next| {
        let (_, _, next_named, of_next, ..) = session_rank(*next, learnt);
        (next_named, of_next) < (is_named, of_first)
    });
    is_named
        && (name.as_str() != "pid" || values.are_runs(learnt.lines))
        && !(values.is_header && are_long_numbers(values))
        && values.values.keys().all(|value| value.parse::<IpAddr>().is_err())
        && of_first >= MOST_LINES_OF_TEN
        && is_alone
        && values.lines() >= values.values.len() * 3
}

/// Whether values of a type are ids, whatever they are called.
fn is_sure_id(kind: &TokenType) -> bool {
    matches!(kind, TokenType::Hex | TokenType::Uuid)
}

/// How many digits an id has in a row at least: `web-01` is a host, `ord-7781` an order.
const DIGITS_OF_IDS: usize = 3;

/// Whether values are words with one long number, as ids of orders are, and names of hosts with their ports are not.
fn are_long_numbers(values: &NamedValues) -> bool {
    let has_one = |value: &String| {
        let mut numbers = value.split(|c: char| !c.is_ascii_digit()).filter(|it| !it.is_empty());
        numbers.next().is_some_and(|it| it.len() >= DIGITS_OF_IDS) && numbers.next().is_none()
    };
    values.kinds.iter().all(|kind| *kind == TokenType::Id) && values.values.keys().all(has_one)
}

/// Whether a field is called by its type, since no word stands before it.
fn is_unnamed(name: &str) -> bool {
    ["code", "word", "value", "hex", "uuid"].iter().any(|it| name.starts_with(it))
}

fn is_session_word(name: &str) -> bool {
    let is_one = |part: &str| SESSION_WORDS.contains(&part);
    let is_id = |part: &str| ["sessionid", "traceid", "conversationid"].contains(&part);
    is_one(name) || name.split('_').any(|part| is_one(part) || is_id(part))
}

fn write_event(
    out: &mut String,
    learnt: &Learnt,
    guesses: &Guesses,
    (lines, files): (&[&str], LookedAt),
) {
    out.push_str("\n[event]\n");
    match &guesses.session {
        Some(name) => {
            let _ = writeln!(out, "# session: {}\nsession = \"{name}\"", why_of(name, learnt));
        }
        None => {
            let line = match guesses.likely.first() {
                Some(name) => format!("session = \"{name}\""),
                None => format!("session = {}", files.session(guesses.lifeline.is_some())),
            };
            let why = "Which value names the run of the system that a line belongs to? If all lines are one run, \
                       { text = \"run\" }.";
            ask(out, "session", why, guesses.likely.iter().map(|name| why_of(name, learnt)), &line);
        }
    }
    if let Some(id) = &guesses.join {
        let _ = writeln!(
            out,
            "# Lines with `{id}` alone belong to the session of the others with it; see [[join]]."
        );
    }
    let is_of_others = |named: &NamedTemplate| ends(named).is_none();
    match &guesses.lifeline {
        _ if !learnt.templates.iter().take(MOST_PATTERNS).any(is_of_others) => {}
        Some(name) if !is_sure_lifeline(name, learnt) => {
            let why = "These may be parts of one program, and not programs. Who logged a line? The name of the file, \
                       \"@stem\", if each has its own; if one program did, { text = \"NAME\" }.";
            ask(out, "lifeline", why, [why_of(name, learnt)], &format!("lifeline = \"{name}\""));
        }
        Some(name) => {
            let _ = writeln!(out, "# lifeline: {}", why_of(name, learnt));
        }
        None => {
            let why = "No field of all lines has a few names. Who logged a line? The name of the file, \"@stem\", if each has its \
                       own; if one program did, { text = \"NAME\" }.";
            let likely = places(learnt);
            let best = likely.first().copied().unwrap_or("@stem");
            let shown = likely.iter().map(|name| why_of(name, learnt));
            ask(out, "lifeline", why, shown, &format!("lifeline = \"{best}\""));
        }
    }
    write_order(out, learnt, guesses, lines);
    out.push('\n');
}

/// The lines with equal times in one session at one lifeline.
fn equal_times(
    learnt: &Learnt,
    guesses: &Guesses,
    (time, lines): (&NamedValues, &[&str]),
    written: OrderForm,
) -> EqualTimes {
    let session = guesses.session.as_ref().or_else(|| guesses.likely.first());
    let names = [session, guesses.lifeline.as_ref()];
    let numbers: Vec<String> = (0..learnt.templates.len()).map(|it| it.to_string()).collect();
    let mut messages = vec![""; lines.len()];
    for (named, number) in learnt.templates.iter().zip(&numbers) {
        named.template.lines.iter().for_each(|&line| messages[line] = number);
    }
    let times = times::keys(&time.sample("", lines.len()), written);
    let events = times.into_iter().enumerate().map(|(line, time)| {
        let place = names.map(|name| learnt.values.get(name?)?.by_line.get(&line));
        TimedEvent { location: place, time, message: messages[line], texts: vec![lines[line]] }
    });
    EqualTimes::of(&events.collect::<Vec<_>>())
}

fn write_order(out: &mut String, learnt: &Learnt, guesses: &Guesses, lines: &[&str]) {
    let may_be = |(name, it): &(&String, &NamedValues)| {
        let is_moment = |kind: &TokenType| matches!(kind, TokenType::Time(_));
        let is_time = it.kinds.iter().all(is_moment) || TIME_NAMES.contains(&name.as_str());
        is_time && it.lines() * 2 >= learnt.lines
    };
    let rank = |(name, it): &(&String, &NamedValues)| {
        let is_constant = times::is_constant(&it.sample(name, lines.len()));
        (is_constant, !it.is_header, name.as_str() != "time")
    };
    let Some((name, time)) = learnt.values.iter().filter(may_be).min_by_key(rank) else {
        match have_clocks(lines) {
            true => {
                let why = "The times are not written in a way that is known. Give a pattern a group for them, and the format.";
                let line = "order = { field = \"time\", format = \"%H:%M\" }";
                ask_order(out, why, lines.first().map(|line| (*line).to_owned()), line);
            }
            false => out.push_str(
                "# order: no line has a time; the order of the file is the local order.\n",
            ),
        }
        return;
    };
    let written = order::written(time.values.keys().map(String::as_str));
    let values = time.by_line.values().map(|value| Some(value.clone())).collect();
    let sample = FieldSample { path: name.clone(), values };
    let fall = |form| !times::never_falls(&times::keys(&sample, form), &sample, None);
    let is_in_most = time.lines() * 10 >= learnt.lines * 9;
    let has_zones = have_zones(lines);
    match written {
        Some(_) if has_zones => {
            let why = "The names of several zones stand beside the times, and no name of a zone is read: write the log with times of \
                       one zone, or with offsets.";
            ask_order(out, why, [why_of(name, learnt)], &format!("order = \"{name}\""));
        }
        Some(form) if !is_in_most || !times::is_sure(&sample) => {
            let why = "Does this value say when a line was written, and in this way?";
            ask_order(out, why, [why_of(name, learnt)], &form.line(name));
        }
        Some(written) => {
            let ties = equal_times(learnt, guesses, (time, lines), written);
            let _ = writeln!(out, "# order: {}", why_of(name, learnt));
            out.push_str(&order::lines(name, written, (ties, fall(written))));
        }
        None => {
            let why = "The times are not written in one known way. Give them a format.";
            let line = format!("order = {{ field = \"{name}\", format = \"%H:%M\" }}");
            ask_order(out, why, [why_of(name, learnt)], &line);
        }
    }
}

/// Whether most lines have a time of a day in their first words.
fn have_clocks(lines: &[&str]) -> bool {
    let is_clock = |word: &str| {
        let digits = |part: &str| part.ends_with(|c: char| c.is_ascii_digit());
        let parts: Vec<&str> = word.split(':').collect();
        parts.len() > 1 && parts.windows(2).all(|two| digits(two[0]) && starts_with_two(two[1]))
    };
    let has_clock = |line: &&&str| line.split_whitespace().take(WORDS_WITH_ZONE).any(is_clock);
    lines.iter().filter(has_clock).count() * 2 > lines.len()
}

/// Whether a text begins with the two digits of minutes or seconds, and no third one.
fn starts_with_two(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    digits == 2
}

/// Why a name is proposed: its values.
fn why_of(name: &str, learnt: &Learnt) -> String {
    let Some(values) = learnt.values.get(name) else { return String::new() };
    let (different, lines) = (values.values.len(), values.lines());
    let kinds: Vec<&str> = values.kinds.iter().map(|kind| kind.name()).collect();
    let some: Vec<String> = values.values.keys().take(3).map(|value| comment(value)).collect();
    let each = (lines + different / 2) / different.max(1);
    format!(
        "`{name}` ({}) has {different} values in {lines} of {} lines, each in about {each}: {}{}",
        kinds.join(", "),
        learnt.lines,
        some.join(", "),
        if different > some.len() { ", …" } else { "" }
    )
}

/// Leaves out lines without a session, if some templates have none.
fn write_drop(out: &mut String, learnt: &Learnt, guesses: &Guesses) {
    let Some(session) = &guesses.session else { return };
    if let Some(join) = &guesses.join {
        let _ = writeln!(
            out,
            "[[join]]\nfield = \"{join}\"\nlost = \"count\"   # events whose id leads to no session; or \"error\"\n"
        );
    }
    let ids = || [Some(session), guesses.join.as_ref()].into_iter().flatten();
    let has_none = |named: &&NamedTemplate| {
        !ids().any(|id| named.names.iter().flatten().any(|name| name == id))
    };
    let shown = learnt.templates.iter().take(MOST_PATTERNS);
    let lines: usize = shown.filter(has_none).map(|named| named.template.lines.len()).sum();
    if lines > 0 {
        let tests: Vec<String> = ids().map(|id| format!("{id} = {{ exists = false }}")).collect();
        let _ = writeln!(
            out,
            "# {} none of them.\n[[drop]]\nname = \"lines of no session\"\nwhen = {{ pattern = {{ exists = true }}, {} }}\n",
            if lines == 1 { "One line has".to_owned() } else { format!("{lines} lines have") },
            tests.join(", ")
        );
    }
}
