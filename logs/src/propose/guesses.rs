//! Which field of the first records is which part of an event: one that is good enough, or the likeliest ones.

use super::order::{self, OrderForm};
use crate::field::FieldPath;
use crate::mapping::OrderKey;
use crate::survey::{FieldSample, Survey};
use regex_automata::meta::Regex;

/// Names by which sessions are recognised, the likeliest first.
const SESSION: &[&str] = &[
    "case:concept:name",
    "session",
    "trace_id",
    "traceid",
    "conversation",
    "transaction",
    "flow",
    "case",
    "connection",
    "conn",
    "sid",
    "cid",
    "uid",
];
/// Names of sessions and, as often, of a request with its response: these have two records each.
const REQUEST: &[&str] = &["correlation", "request_id", "requestid", "request", "txid", "tx", "id"];
/// Parts of the names of fields that never are sessions.
const NEVER: &[&str] = &[
    "result",
    "state",
    "status",
    "code",
    "level",
    "severity",
    "bytes",
    "seconds",
    "ms",
    "size",
    "length",
    "len",
    "count",
    "number",
    "num",
    "version",
    "port",
    "duration",
    "latency",
    "elapsed",
    "offset",
    "time",
    "timestamp",
    "ts",
    "date",
    "thread",
    "tid",
    "pid",
    "stage",
    "kind",
    "type",
    "method",
    "verb",
    "seq",
    "step",
    "index",
    "line",
    "jsonrpc",
    "null",
    "lamport",
    "clock",
];
/// Parts of the names of fields that name who did something.
const PLACES: &[&str] = &[
    "node",
    "nid",
    "pod",
    "process",
    "host",
    "hostname",
    "container",
    "server",
    "worker",
    "replica",
];
pub(super) const SOURCE: &[&str] = &["src", "source", "sender", "from"];
pub(super) const TARGET: &[&str] = &["dst", "dest", "destination", "receiver", "target", "to"];
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
    "hostname",
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
];
const MESSAGE: &[&str] = &[
    "concept:name",
    "message",
    "msg",
    "event.name",
    "activity",
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
const DIRECTION: &[&str] = &[
    "direction",
    "dir",
    "way",
    "kind",
    "type",
    "op",
    "event.name",
    "event",
    "name",
    "msg",
    "action",
];

/// The values of a direction that mean emission, and reception, by their first letters.
pub(super) const EMITS: &str = "(?i)^(send|sent|emit|publish|produce|request|out|tx|client|->|!)";
pub(super) const RECEIVES: &str =
    "(?i)^(rec|rcv|consume|deliver|response|in$|in[^a-z]|inbound|incoming|rx|server|<-|\\?)";

/// How many different values a direction may have: more are messages.
const MOST_DIRECTIONS: usize = 12;
/// How many names lifelines of a specification may have.
pub(super) const MOST_LIFELINES: usize = 40;
/// A message of more words is a sentence, and a part of it is the message.
const MOST_WORDS: usize = 4;

/// A guess at the field for a part of an event.
pub(super) enum Guess<'s> {
    /// This field is it.
    Field(&'s FieldSample),
    /// One of these may be it, the likeliest first.
    Likely(Vec<&'s FieldSample>),
}

impl<'s> Guess<'s> {
    pub(super) fn field(&self) -> Option<&'s FieldSample> {
        match self {
            Guess::Field(sample) => Some(sample),
            Guess::Likely(_) => None,
        }
    }

    /// The field, or the likeliest one.
    pub(super) fn best(&self) -> Option<&'s FieldSample> {
        match self {
            Guess::Field(sample) => Some(sample),
            Guess::Likely(all) => all.first().copied(),
        }
    }
}

/// Whether some of these words never stand in the name of a session.
pub(super) fn is_never_session<'w>(mut words: impl Iterator<Item = &'w str>) -> bool {
    words.any(|word| NEVER.contains(&word))
}

impl Survey {
    /// The field whose name fits best, among those with at least `least` different values.
    pub(super) fn named(&self, words: &[&str], least: usize) -> Option<&FieldSample> {
        let fits = |word: &&str| {
            let mut samples = self.samples.iter().filter(|sample| sample.distinct().len() >= least);
            samples.find(|sample| is_called(&sample.path, word))
        };
        words.iter().find_map(fits)
    }

    pub(super) fn is_in_all(&self, sample: &FieldSample) -> bool {
        sample.present().count() == self.records
    }

    /// The actor: a field of a few names in nearly all records.
    pub(super) fn lifeline(&self) -> Guess<'_> {
        let may_be = |sample: &&FieldSample| {
            let (present, distinct) = (sample.present().count(), sample.distinct().len());
            present * 10 >= self.records * 9
                && distinct <= MOST_LIFELINES
                && order::written(sample.present())
                    .is_none_or(|it| it == OrderForm::Plain && !is_time(sample))
        };
        let fits: Vec<&FieldSample> = self.samples.iter().filter(may_be).collect();
        let named = |least: usize| {
            let is_called = |word: &&str| {
                fits.iter()
                    .copied()
                    .find(|it| it.distinct().len() >= least && is_called(&it.path, word))
            };
            LIFELINE.iter().find_map(is_called)
        };
        match named(2) {
            Some(sample) => Guess::Field(sample),
            None => {
                let direction = self.direction();
                let is_direction = |it: &&FieldSample| {
                    direction.field().is_some_and(|other| other.path == it.path)
                };
                let others = fits.iter().copied();
                let others = others.filter(|it| are_few_names(it) && !is_direction(it));
                Guess::Likely(named(1).into_iter().chain(others).collect())
            }
        }
    }

    /// Values that come again in several records.
    pub(super) fn session(&self, lifeline: Option<&FieldSample>) -> Guess<'_> {
        let is_id = |sample: &&FieldSample| {
            let distinct = sample.distinct();
            let words = last_words(&sample.path);
            let is_lifeline = lifeline
                .is_some_and(|it| it.path == sample.path || distinct.is_subset(&it.distinct()));
            let is_other = |word: &str| {
                let others = [PLACES, SOURCE, TARGET, DIRECTION, MESSAGE];
                others.iter().any(|words| words.contains(&word))
            };
            sample.present().count() * 2 > self.records
                && !is_lifeline
                && !is_time(sample)
                && !is_never_session(words.iter().map(String::as_str))
                && (sample.path.contains(':') || !words.last().is_some_and(|word| is_other(word)))
                && !words.iter().any(|word| PLACES.contains(&word.as_str()))
        };
        let repeats = |sample: &&FieldSample| {
            let distinct = sample.distinct().len();
            distinct > 1 && distinct < sample.present().count()
        };
        let is_named = |sample: &&FieldSample| {
            SESSION.iter().chain(REQUEST).any(|word| is_id_of(&sample.path, word))
        };
        let ids: Vec<&FieldSample> = self.samples.iter().filter(is_id).collect();
        let all: Vec<&FieldSample> = ids.iter().copied().filter(repeats).collect();
        let called = |words: &[&str]| {
            let named = |word: &&str| all.iter().copied().find(|it| is_id_of(&it.path, word));
            words.iter().find_map(named)
        };
        // A request and its response are not a session.
        let has_three = |it: &&FieldSample| it.present().count() >= it.distinct().len() * 3;
        if let Some(sample) = called(SESSION).or_else(|| called(REQUEST).filter(has_three)) {
            return Guess::Field(sample);
        }
        // One session may be all that was looked at.
        let mut likely: Vec<&FieldSample> =
            ids.into_iter().filter(|it| repeats(it) || is_named(it)).collect();
        let rank = |it: &&FieldSample| {
            let is_id = last_words(&it.path).last().is_some_and(|word| word.ends_with("id"));
            (!is_named(it), !is_id, !has_three(it))
        };
        likely.sort_by_key(rank);
        Guess::Likely(likely)
    }

    /// A field that is called like a time and has only numbers or times, and how they are written.
    pub(super) fn order(&self) -> Option<(&FieldSample, OrderForm)> {
        let fits = |word: &&str| {
            let all = self.samples.iter().filter(|sample| is_called(&sample.path, word));
            let mut whole = all.filter(|sample| self.is_in_all(sample));
            whole.find_map(|sample| Some((sample, order::written(sample.present())?)))
        };
        TIME.iter().find_map(fits)
    }

    /// A field of a few words with several values; rather one whose values repeat.
    pub(super) fn message(&self, taken: &[&FieldSample]) -> Guess<'_> {
        let is_free = |sample: &&FieldSample| {
            let is_taken = taken.iter().any(|other| other.path == sample.path);
            !is_taken && sample.distinct().len() > 1
        };
        let fits = |sample: &&FieldSample| is_free(sample) && sample.distinct().iter().all(is_name);
        let repeats = |sample: &&FieldSample| sample.distinct().len() * 2 <= self.records;
        let called = |fits: &dyn Fn(&&FieldSample) -> bool| {
            let named = |word: &&str| {
                self.samples.iter().filter(|it| fits(it)).find(|it| is_called(&it.path, word))
            };
            MESSAGE.iter().find_map(named)
        };
        // A text with the name of a message beside it is the message of the record.
        if let Some(sample) = called(&|it| fits(it) && repeats(it)).or_else(|| called(&fits)) {
            return Guess::Field(sample);
        }
        let text = called(&|it| is_free(it) && repeats(it)).or_else(|| called(&is_free));
        let text = text.into_iter();
        let is_other = |it: &&FieldSample| is_free(it) && are_few_names(it) && !is_time(it);
        Guess::Likely(text.chain(self.samples.iter().filter(is_other)).collect())
    }

    /// A field whose values mean emission or reception, all of them, and both occur.
    pub(super) fn direction(&self) -> Guess<'_> {
        let (Ok(emits), Ok(receives)) = (Regex::new(EMITS), Regex::new(RECEIVES)) else {
            return Guess::Likely(Vec::new());
        };
        let has_both = |sample: &&FieldSample| {
            let values = sample.distinct();
            let has = |regex: &Regex| values.iter().any(|value| regex.is_match(*value));
            has(&emits) && has(&receives)
        };
        let has_no_other = |sample: &&FieldSample| {
            let is_one = |value: &&str| emits.is_match(*value) || receives.is_match(*value);
            let values = sample.distinct();
            values.len() <= MOST_DIRECTIONS && values.iter().all(is_one)
        };
        let both: Vec<&FieldSample> = self.samples.iter().filter(has_both).collect();
        let named = |word: &&str| {
            both.iter().copied().filter(has_no_other).find(|it| is_called(&it.path, word))
        };
        match DIRECTION.iter().find_map(named) {
            Some(sample) => Guess::Field(sample),
            None => Guess::Likely(both),
        }
    }
}

/// Whether a value may be the name of a message or a lifeline.
fn is_name(value: &&str) -> bool {
    value.len() < 80
        && OrderKey::parse(value).is_none()
        && value.split_whitespace().count() <= MOST_WORDS
}

/// Whether the values are names that come again.
fn are_few_names(sample: &FieldSample) -> bool {
    let distinct = sample.distinct();
    (2..=MOST_LIFELINES).contains(&distinct.len())
        && distinct.len() * 2 <= sample.present().count()
        && distinct.iter().all(is_name)
}

/// Whether the values are times, or the name is that of a time.
fn is_time(sample: &FieldSample) -> bool {
    let is_called_so = TIME.iter().any(|word| *word != "start" && is_called(&sample.path, word));
    is_called_so
        || matches!(order::written(sample.present()), Some(OrderForm::As(..)))
        || sample.present().all(|it| it.contains(':') && OrderKey::parse(it).is_some())
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

/// Whether a path names something by this word: `session`, `session.id`, `clientSession`, and not `session_state`.
fn is_id_of(path: &str, word: &str) -> bool {
    if word.contains(':') {
        return path == word;
    }
    let words = last_words(path);
    let is_number = |word: &&String| ["id", "uuid", "key", "no"].contains(&word.as_str());
    let end = &words[..words.len() - usize::from(words.last().is_some_and(|it| is_number(&it)))];
    let wanted = split_words(word);
    if word == "id" {
        return words == wanted;
    }
    words.ends_with(&wanted) || end.ends_with(&wanted) || words.concat() == wanted.concat()
}

/// The words of a path, in lower case.
fn last_words(path: &str) -> Vec<String> {
    FieldPath::parse(path).map_or_else(|_| Vec::new(), |path| split_words(&path.flat_name()))
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
