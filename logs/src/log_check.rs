//! The alphabet of an event log against that of a specification, without judging sessions.

// The log is read and grouped as a check reads it, within the same memory, so that both see the same
// events and sessions. Beside that, only counts are kept, and names up to a limit.

mod human;
mod sessions;

use crate::assemble::Assembler;
use crate::collector::{Collected, Collector};
use crate::event_item::EventItem;
use crate::event_log::EventLog;
use crate::event_sessions::EventSessions;
use crate::log_error::LogError;
use crate::mapping::{Broken, Mapping, RuleId};
use crate::record_tally::{Occurrences, RecordTally};
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::record_kinds::RecordKind;
use multitrace_formats::remedy::Remedy;
use multitrace_formats::selection::Selection;
use multitrace_formats::shorten::visible_json;
use multitrace_formats::source::quote;
use multitrace_formats::suggest::closest;
use multitrace_formats::workers::in_pool;
use multitrace_interaction::{Alphabet, names};
use rayon::prelude::*;
use serde::Serialize;
use sessions::{Names, SessionTally};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

/// The names that an event log and a specification share, and those that one of them lacks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LogCheck {
    /// Counts of the records.
    pub input: RecordCounts,
    /// Events that the specification knows.
    pub known_events: u64,
    /// Events that it does not know.
    pub unknown_events: u64,
    /// Its events that no record became.
    pub never_logged: Vec<String>,
    /// Logged events that it lacks, those with most events first.
    pub unknown: Vec<UnknownName>,
    /// How many unknown events have a name beyond the limit of names.
    pub unknown_left_out: u64,
    /// Its locations without any event.
    pub silent_locations: Vec<String>,
    /// Logged lifelines that it does not know.
    pub unknown_lifelines: Vec<UnknownName>,
    /// How many events have a lifeline beyond the limit of names.
    pub lifelines_left_out: u64,
    /// The records of each rule, filter and role of the mapping.
    pub rules: Vec<RuleCount>,
    /// The records of each pattern of plain text.
    pub patterns: Vec<PatternCount>,
    /// The sizes of the sessions.
    pub sessions: SessionSizes,
    /// Sessions that `[[keep-session]]` and `[[drop-session]]` leave out.
    pub sessions_left_out: u64,
    /// Events with and without an order.
    pub order: OrderCounts,
    /// Sessions that cannot be put together: ties, mixed orders, roles that contradict.
    pub unassembled: Vec<Trouble>,
    /// Records that no rule matches.
    pub unmatched: Option<Trouble>,
    /// Their kinds: those that speak of an error first, then those with most records.
    pub unmatched_kinds: Vec<RecordKind>,
    /// Records to which their rule cannot be applied, by rule and reason.
    pub broken: Vec<Trouble>,
    /// Spans that repeat an earlier one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated_spans: Option<Trouble>,
    /// The records that cannot be read at all.
    pub unreadable: Option<Trouble>,
    /// Everything of the log that is an error where sessions are checked: problems of reading, records, and sessions that
    /// cannot be put together.
    pub problems: u64,
}

/// A name that the specification lacks.
#[derive(Clone, Debug, Serialize)]
pub struct UnknownName {
    /// The event or lifeline.
    pub name: String,
    /// How many events have it.
    pub events: u64,
    /// Where the first was read.
    pub example: String,
    /// The name of the specification that is closest, if one is close.
    pub closest: Option<String>,
    /// The line that mends it, or another remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// How often a part of a mapping was used.
#[derive(Clone, Debug, Serialize)]
pub struct RuleCount {
    /// Its name.
    pub name: String,
    /// Its line in the mapping.
    pub line: usize,
    /// The records that it took; for a role, those that bind it.
    pub records: u64,
}

/// How often a pattern of plain text matched.
#[derive(Clone, Debug, Serialize)]
pub struct PatternCount {
    /// Its number, from 1.
    pub number: usize,
    /// The pattern.
    pub pattern: String,
    /// The lines that it won.
    pub records: u64,
}

/// Sessions by their number of events.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct SessionSizes {
    /// How many sessions there are.
    pub count: u64,
    /// How many of them have a single event.
    pub single: u64,
    /// The events of the smallest.
    pub min: u64,
    /// The median number of events of a session.
    pub median: u64,
    /// The 90th percentile of the number of events of a session.
    pub p90: u64,
    /// The events of the largest.
    pub max: u64,
}

/// Events by whether they have a value of an order field.
#[derive(Clone, Debug, Default, Serialize)]
pub struct OrderCounts {
    /// Events with one.
    pub with: u64,
    /// Events without one.
    pub without: u64,
    /// The first without one, where others have one.
    pub example: Option<String>,
}

/// Something that keeps records or sessions from being used.
#[derive(Clone, Debug, Serialize)]
pub struct Trouble {
    /// The trouble, or its remedy.
    pub what: String,
    /// How many records or sessions it concerns.
    pub count: u64,
    /// The first of them.
    pub example: String,
}

/// Reads a log and compares it with an alphabet, in about `memory` bytes and on disk beyond that.
///
/// # Errors
/// When a temporary file cannot be written or read.
pub fn check_log(log: EventLog, alphabet: &Alphabet, memory: usize) -> Result<LogCheck, LogError> {
    in_pool(0, || check_here(log, alphabet, memory))
}

/// The same on the pool of the current thread.
fn check_here(log: EventLog, alphabet: &Alphabet, memory: usize) -> Result<LogCheck, LogError> {
    let (assembler, mapping) = (log.assembler(), log.mapping().clone());
    let mut reader = log.reader(alphabet, Arc::new(Selection::default()), false);
    reader.mapper.tallies = true;
    let mut collector = Collector::new(reader, memory);
    let (mut records, mut unreadable) = (RecordTally::default(), Occurrences::default());
    loop {
        let batches = collector.next_batches()?;
        if batches.is_empty() {
            break;
        }
        for batch in batches {
            batch.tally.into_iter().for_each(|tally| records.merge(*tally));
            for problem in batch.problems.iter() {
                unreadable.add(|| problem.to_string());
                unreadable.count += problem.further;
            }
        }
    }
    let details = collector.reader.details();
    let patterns = patterns(&mapping, &details.pattern_wins);
    let unmatched_kinds = details.unmatched.by_count();
    let Collected { sessions: merged, counts, problems, details } = collector.finish()?;
    problems.iter().for_each(|problem| unreadable.add(|| problem.to_string()));
    let mut merged = EventSessions::Merged(merged);
    let mut sessions = SessionTally::new(alphabet);
    loop {
        let items = merged.next_batch(rayon::current_num_threads())?;
        if items.is_empty() {
            break;
        }
        let tallies = items.par_iter().map(|item| tally_of(item, &assembler, alphabet));
        let tallies: Vec<SessionTally> = tallies.collect();
        tallies.into_iter().for_each(|tally| sessions.merge(tally));
    }
    let found =
        LogCheck::new((&mapping, alphabet), counts, (records, sessions), (patterns, unreadable));
    let repeated_spans = details.repeated_span.map(|(_, place)| Trouble {
        what: "with the id and all fields of an earlier one".to_owned(),
        count: counts.repeated_spans,
        example: format!("first at {place}"),
    });
    Ok(LogCheck { unmatched_kinds, repeated_spans, ..found })
}

fn tally_of(item: &EventItem, assembler: &Assembler, alphabet: &Alphabet) -> SessionTally {
    let mut tally = SessionTally::new(alphabet);
    if let EventItem::Sessions { sessions, left_out, .. } = item {
        tally.left_out += left_out.all;
        sessions.iter().for_each(|session| tally.add(session, assembler, alphabet));
    }
    tally
}

impl LogCheck {
    fn new(
        (mapping, alphabet): (&Mapping, &Alphabet),
        input: RecordCounts,
        (records, sessions): (RecordTally, SessionTally),
        (patterns, unreadable): (Vec<PatternCount>, Occurrences),
    ) -> LogCheck {
        let letters = alphabet.letters().zip(&sessions.known);
        let never = letters.filter(|(_, count)| **count == 0);
        let never_logged = never.map(|(letter, _)| alphabet.letter_name(letter).to_owned());
        let silent = alphabet.locations().zip(&sessions.at).filter(|(_, count)| **count == 0);
        let silent_locations =
            silent.map(|(location, _)| alphabet.location_name(location).to_owned());
        let known_events = sessions.known.iter().sum();
        let letter_names = || alphabet.letters().map(|letter| alphabet.letter_name(letter));
        let (never_logged, silent_locations) = (never_logged.collect(), silent_locations.collect());
        let has_orders = records.ordered > 0;
        let lifelines_left_out = sessions.lifelines.left_out;
        let (unknown_events, unknown_left_out) =
            (total(&sessions.unknown), sessions.unknown.left_out);
        let mut unknown = unknown(sessions.unknown, letter_names);
        let unknown_lifelines = lifelines(mapping, sessions.lifelines, alphabet, &unknown);
        unknown.iter_mut().for_each(|it| it.help = message_rename(it));
        let unassembled = sessions.unassembled.iter().map(|(_, it)| it.count).sum::<u64>();
        let problems = unreadable.count + records.problems + unassembled;
        LogCheck {
            input,
            known_events,
            unknown_events,
            never_logged,
            silent_locations,
            unknown_left_out,
            unknown,
            lifelines_left_out,
            unknown_lifelines,
            rules: rules(mapping, &records.rules),
            patterns,
            sessions: SessionSizes::new(&sessions.sizes),
            sessions_left_out: sessions.left_out,
            order: OrderCounts {
                with: records.ordered,
                without: records.unordered.count,
                example: records.unordered.example.filter(|_| has_orders),
            },
            unassembled: sessions.unassembled.into_iter().map(trouble).collect(),
            unmatched: some(records.unmatched, "no rule matches"),
            unmatched_kinds: Vec::new(),
            repeated_spans: None,
            broken: broken(mapping, records.broken),
            unreadable: some(unreadable, "cannot be read"),
            problems,
        }
    }

    /// Writes it as one JSON object.
    ///
    /// # Errors
    /// When `out` takes no more.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", visible_json(&serde_json::to_string(self)?))
    }

    /// Whether any record became an event of the specification.
    pub fn is_usable(&self) -> bool {
        self.known_events > 0
    }
}

fn total(names: &Names) -> u64 {
    names.left_out + names.names.values().map(|occurrences| occurrences.count).sum::<u64>()
}

/// The same for lifelines, with the remedies of the mapping, or else a line that mends it.
fn lifelines(
    mapping: &Mapping,
    names: Names,
    alphabet: &Alphabet,
    events: &[UnknownName],
) -> Vec<UnknownName> {
    let mut list = unknown(names, || alphabet.lifelines().map(|(name, _)| name));
    for it in &mut list {
        it.help = mapping.explain_lifeline(&it.name).or_else(|| {
            let meant = it.closest.clone().or_else(|| lifeline_with(&it.name, events, alphabet));
            Some(match &meant {
                Some(meant) => renamed("lifelines", &it.name, meant),
                None => {
                    format!("to leave its events out: {}", Remedy::Unjudged.to(as_list(&it.name)))
                }
            })
        });
    }
    list
}

/// The only lifeline that has all events of an unknown one.
fn lifeline_with(unknown: &str, events: &[UnknownName], alphabet: &Alphabet) -> Option<String> {
    let own = events.iter().filter_map(|it| names::split_action(&it.name));
    let own: Vec<_> = own.filter(|(lifeline, ..)| lifeline == unknown).collect();
    let has_all = |lifeline: &&str| {
        let letter = |kind, message| alphabet.letter(&names::action_text(lifeline, kind, message));
        own.iter().all(|&(_, kind, message)| letter(kind, message).is_some())
    };
    let mut fitting = alphabet.lifelines().map(|(name, _)| name).filter(has_all);
    let first = fitting.next().filter(|_| !own.is_empty())?;
    fitting.next().is_none().then(|| first.to_owned())
}

/// A name as a list has it, in quotes for a shell where that needs them.
fn as_list(name: &str) -> String {
    match names::lifeline_text(name) {
        Cow::Borrowed(plain) if !plain.contains(char::is_whitespace) => plain.to_owned(),
        text => format!("'{text}'"),
    }
}

/// The line of a mapping that gives a name its other one.
fn renamed(table: &str, from: &str, to: &str) -> String {
    format!("if it is {}: [rename.{table}] {from:?} = {to:?}", quote(to))
}

/// The line that mends an event whose message alone is another one.
fn message_rename(event: &UnknownName) -> Option<String> {
    let closest = event.closest.as_ref()?;
    let (own, other) = (names::split_action(&event.name)?, names::split_action(closest)?);
    let is_message = (&own.0, own.1) == (&other.0, other.1);
    is_message.then(|| renamed("messages", own.2, other.2))
}

/// The names with most events first; those with equally many stay in the order of the input.
fn unknown<'a, I>(names: Names, known: impl Fn() -> I) -> Vec<UnknownName>
where
    I: Iterator<Item = &'a str>,
{
    let named = names.names.into_iter().map(|(name, Occurrences { count: events, example })| {
        let closest = closest(&name, known()).map(str::to_owned);
        UnknownName { name, events, example: example.unwrap_or_default(), closest, help: None }
    });
    let mut list: Vec<UnknownName> = named.collect();
    list.sort_by_key(|name| std::cmp::Reverse(name.events));
    list
}

fn rules(mapping: &Mapping, counts: &BTreeMap<RuleId, u64>) -> Vec<RuleCount> {
    let count = |rule: RuleId| RuleCount {
        name: mapping.rule_name(rule).to_owned(),
        line: mapping.rule_line(rule),
        records: counts.get(&rule).copied().unwrap_or(0),
    };
    let keep = counts.contains_key(&RuleId::Keep).then_some(RuleId::Keep);
    mapping.rule_ids().chain(keep).map(count).collect()
}

fn patterns(mapping: &Mapping, counts: &[u64]) -> Vec<PatternCount> {
    let patterns = (1..).zip(mapping.input().patterns.iter().zip(counts));
    let count = |(number, (pattern, &records)): (usize, (&String, &u64))| PatternCount {
        number,
        pattern: pattern.clone(),
        records,
    };
    patterns.map(count).collect()
}

fn trouble((what, occurrences): (&str, Occurrences)) -> Trouble {
    let Occurrences { count, example } = occurrences;
    Trouble { what: what.to_owned(), count, example: example.unwrap_or_default() }
}

fn some(occurrences: Occurrences, what: &str) -> Option<Trouble> {
    (occurrences.count > 0).then(|| trouble((what, occurrences)))
}

fn broken(mapping: &Mapping, broken: Vec<((RuleId, Broken), Occurrences)>) -> Vec<Trouble> {
    let of = |((rule, _), occurrences): ((RuleId, Broken), Occurrences)| {
        let by = format!("{} (line {})", mapping.rule_name(rule), mapping.rule_line(rule));
        trouble((&by, occurrences))
    };
    broken.into_iter().map(of).collect()
}

impl SessionSizes {
    fn new(sizes: &BTreeMap<u64, u64>) -> SessionSizes {
        let count: u64 = sizes.values().sum();
        let at = |rank: u64| {
            let mut seen = 0;
            let reaches = |(_, sessions): &(&u64, &u64)| {
                seen += **sessions;
                seen >= rank
            };
            sizes.iter().find(reaches).map_or(0, |(size, _)| *size)
        };
        SessionSizes {
            count,
            single: sizes.get(&1).copied().unwrap_or(0),
            min: at(1),
            median: at(count.div_ceil(2)),
            p90: at(count.saturating_mul(9).div_ceil(10)),
            max: at(count),
        }
    }
}
