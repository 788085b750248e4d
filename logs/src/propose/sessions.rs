//! Which field of the first records is the session: one that is good enough, or the likeliest ones.

use super::field_words::{has_word, is_id_of, key_words, path_or_key_is_called, path_words};
use super::guesses::{
    DIRECTION, Guess, MESSAGE, PLACES, SOURCE, TARGET, are_truths, is_shared, is_time,
};
use super::runs::{are_everywhere, are_runs};
use super::times::OrderGuess;
use crate::survey::{FieldSample, Survey};
use std::collections::BTreeMap;

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
    "call_id",
    "trace",
];
/// Names of sessions and, as often, of a request with its response: these have two records each.
const REQUEST: &[&str] =
    &["correlation", "request_id", "requestid", "request", "req", "txid", "tx", "id"];
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
    "parent",
    "span",
    "qualifier",
];
/// Words in the names of those who count ids of their own, each from the beginning.
const COUNTING: &[&str] =
    &["client", "connection", "conn", "channel", "session", "consumer", "producer", "member"];
/// The object around the fields of each record that a search exports.
const WRAPPER: &str = "result.";
/// Words that stand in names of sessions, too, if the records of each value stand together.
const NUMBERS: &[&str] = &["pid", "number", "num"];
/// Short names that may be anything.
const SHORT: &[&str] = &["s", "sess", "run", "run_id"];

/// A field with so few values is a session only by its name, and only in a short log.
const FEW_VALUES: usize = 3;
/// How many records of each of these few values a session may have.
const MOST_RECORDS: usize = 20;
/// How long the hexadecimal numbers of ids are at least.
const HEX_DIGITS: usize = 8;

/// Whether some of these words never stand in the name of a session.
pub(super) fn is_never_session<'w>(mut words: impl Iterator<Item = &'w str>) -> bool {
    words.any(|word| NEVER.contains(&word))
}

impl Survey {
    /// Values that come again in several records.
    pub(super) fn session(&self, lifeline: Option<&FieldSample>) -> Guess<'_> {
        let direction = self.direction();
        let direction = direction.field();
        let is_part = |sample: &FieldSample| {
            let is = |it: &FieldSample| it.path == sample.path;
            direction.is_some_and(is)
                || lifeline.is_some_and(|it| is(it) || sample.distinct().is_subset(&it.distinct()))
        };
        let order = match self.order() {
            OrderGuess::Field(sample, _) => Some(sample.path.as_str()),
            _ => None,
        };
        let is_order = |it: &FieldSample| order == Some(it.path.as_str());
        let may_be = |it: &&FieldSample| self.may_be_session(it) && !is_part(it) && !is_order(it);
        let ids = self.samples.iter().filter(may_be);
        let ids: Vec<&FieldSample> = ids.collect();
        let all: Vec<&FieldSample> = ids.iter().copied().filter(|it| comes_again(it)).collect();
        let called = |words: &[&str]| {
            let named = |word: &&str| all.iter().copied().find(|it| is_id_of(&it.path, word));
            words.iter().find_map(named)
        };
        let is_step = |sample: &FieldSample| {
            are_small_numbers(sample) && all.iter().any(|it| are_long_ids(it))
        };
        let request = || called(REQUEST).filter(|it| has_three(it) && !is_step(it));
        let named = called(SESSION).or_else(request);
        let is_whole = |it: &&FieldSample| {
            are_ids(it) && !self.is_kind(it) && self.counted_by(it, lifeline).is_none()
        };
        if let Some(sample) = named.filter(is_whole) {
            return Guess::Field(sample);
        }
        // One session may be all that was looked at.
        let mut likely: Vec<&FieldSample> = ids
            .into_iter()
            .filter(|it| comes_again(it) && (!are_few(it) || is_shared(it)) || is_single(it))
            .collect();
        let taken: Vec<&FieldSample> = lifeline.into_iter().collect();
        let message = self.message(&taken);
        let is_message = |it: &FieldSample| message.field().is_some_and(|m| m.path == it.path);
        likely.retain(|it| !self.is_kind(it) && (is_named(it) || !is_message(it)));
        likely.sort_by_key(|it| rank(it));
        Guess::Likely(likely)
    }

    /// The field of those who count these small numbers, each on its own: one number stands under several of them.
    pub(super) fn counted_by(
        &self,
        sample: &FieldSample,
        lifeline: Option<&FieldSample>,
    ) -> Option<&FieldSample> {
        let may_be = |it: &&FieldSample| {
            let words = key_words(&it.path);
            let is_id = words.len() == 1 || words.last().is_some_and(|word| word.ends_with("id"));
            is_id
                && has_word(&words, COUNTING)
                && comes_again(it)
                && [Some(sample), lifeline].iter().flatten().all(|other| other.path != it.path)
        };
        let has_several = |it: &&FieldSample| {
            let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
            sample.values.iter().zip(&it.values).any(|(id, owner)| match (id, owner) {
                (Some(id), Some(owner)) => *owners.entry(id).or_insert(owner) != owner,
                _ => false,
            })
        };
        let mut all = self.samples.iter().filter(may_be).filter(has_several);
        all.next().filter(|_| are_small_numbers(sample))
    }

    /// Whether small numbers say what happened, as the ids of events in the logs of Windows do: all records with one have one
    /// message, all over the log.
    fn is_kind(&self, sample: &FieldSample) -> bool {
        let is_message = |it: &&FieldSample| {
            it.distinct().len() > 1
                && MESSAGE.iter().any(|word| path_or_key_is_called(&it.path, word))
        };
        let is_told = |message: &FieldSample| {
            let mut messages: BTreeMap<&str, &str> = BTreeMap::new();
            sample.values.iter().zip(&message.values).all(|(id, message)| match (id, message) {
                (Some(id), Some(message)) => *messages.entry(id).or_insert(message) == message,
                _ => true,
            })
        };
        are_small_numbers(sample)
            && comes_again(sample)
            && are_everywhere(sample.values.iter().map(Option::as_deref))
            && self
                .samples
                .iter()
                .filter(|it| it.path != sample.path)
                .filter(is_message)
                .any(is_told)
    }

    /// Whether a field may be a session by its name, and is in most records.
    fn may_be_session(&self, sample: &FieldSample) -> bool {
        let words = path_words(sample.path.strip_prefix(WRAPPER).unwrap_or(&sample.path));
        let are_runs = are_runs(sample.values.iter().map(Option::as_deref));
        let is_other = |word: &str| {
            let others = [PLACES, SOURCE, TARGET, DIRECTION, MESSAGE];
            others.iter().any(|words| words.contains(&word))
        };
        let is_allowed = |word: &&String| are_runs && NUMBERS.contains(&word.as_str());
        let others = words.iter().filter(|word| !is_allowed(word));
        sample.present().count() * 2 > self.records
            && !is_time(sample)
            && !are_truths(sample)
            && !is_never_session(others.map(String::as_str))
            && (sample.path.contains(':')
                || are_runs && words.len() > 1 && words.ends_with(&["name".to_owned()])
                || !words.last().is_some_and(|word| is_other(word)))
            && (are_runs || !words.iter().any(|word| PLACES.contains(&word.as_str())))
    }
}

/// Whether a field has several values, and some of them again.
fn comes_again(sample: &FieldSample) -> bool {
    let distinct = sample.distinct().len();
    distinct > 1 && distinct < sample.present().count()
}

/// Whether a field that is called like a session has one value.
fn is_single(sample: &FieldSample) -> bool {
    is_named(sample) && sample.distinct().len() == 1
}

fn is_named(sample: &FieldSample) -> bool {
    SESSION.iter().chain(REQUEST).chain(SHORT).any(|word| is_id_of(&sample.path, word))
}

/// A request and its response are not a session.
fn has_three(sample: &FieldSample) -> bool {
    sample.present().count() >= sample.distinct().len() * 3
}

/// Whether a field has two or three values in many records, as a status has.
fn are_few(sample: &FieldSample) -> bool {
    are_few_in(sample.distinct().len(), sample.present().count())
}

/// Whether a field with this many values in this many records has few of them.
pub(super) fn are_few_in(values: usize, records: usize) -> bool {
    values <= FEW_VALUES && records > values * MOST_RECORDS
}

/// Whether values are ids: words without blanks, and not few in many records.
fn are_ids(sample: &FieldSample) -> bool {
    !are_few(sample) && sample.present().all(|value| !value.contains(char::is_whitespace))
}

/// Whether values are numbers that may count the records of a session: an `id` of 1, 2, 3.
fn are_small_numbers(sample: &FieldSample) -> bool {
    let is_small = |it: &str| it.len() < HEX_DIGITS && it.bytes().all(|byte| byte.is_ascii_digit());
    sample.present().all(is_small)
}

/// Whether values have ids in them that no one counts: `arn:aws:states:eu-west-1:123:execution:0d9c1e2f-…`.
fn are_long_ids(sample: &FieldSample) -> bool {
    let is_long =
        |part: &str| part.len() >= HEX_DIGITS && part.bytes().any(|it| it.is_ascii_digit());
    let has_long = |value: &str| value.split(|c: char| !c.is_ascii_hexdigit()).any(is_long);
    sample.present().all(has_long)
}

/// The likeliest ones come first: names of sessions, values that stand together, long hexadecimal numbers.
fn rank(sample: &FieldSample) -> (bool, bool, bool, bool, bool) {
    let words = path_words(&sample.path);
    let is_id = words.last().is_some_and(|word| word.ends_with("id") || word == "no");
    let are_runs = are_runs(sample.values.iter().map(Option::as_deref));
    let is_hex = |value: &str| {
        let digits = value.bytes().filter(|byte| *byte != b'-');
        digits.clone().count() >= HEX_DIGITS && digits.clone().all(|byte| byte.is_ascii_hexdigit())
    };
    let are_hex = comes_again(sample) && sample.present().all(is_hex);
    let is_called_so = SESSION.iter().any(|word| is_id_of(&sample.path, word));
    let is_likely = is_called_so || are_runs;
    // The id of the object around is that of the record.
    let is_own = sample.path.starts_with("^.") && words == ["id"];
    let is_named = is_named(sample) && !is_own;
    (!is_likely || is_own, !(are_runs || are_hex), !is_named, !is_id || is_own, !has_three(sample))
}
