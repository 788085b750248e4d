//! Which field of the first records is the lifeline and which is the direction: one that is good enough, or the likeliest ones.

use super::field_words::{
    has_word, is_called, is_id_of, key_is_called, key_words, path_or_key_is_called, path_words,
};
use super::order::{self, OrderForm};
use super::runs::are_runs;
use crate::mapping::OrderKey;
use crate::survey::{FieldSample, Survey};
use regex_automata::meta::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Parts of the names of fields that name who did something.
pub(super) const PLACES: &[&str] = &[
    "node",
    "nid",
    "pod",
    "process",
    "host",
    "hostname",
    "container",
    "server",
    "machine",
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
    "actor",
    "role",
    "host",
    "hostname",
    "instance",
    "container",
    "app",
    "application",
    "program",
    "system",
    "provider",
    "location",
    "server",
    "machine",
    "worker",
    "replica",
    "reporter",
    "observer",
    "self",
    "me",
    "own",
    "local",
    "at",
];
/// Words in the names of the parts of a program, which may be lifelines where nothing better is known.
const PARTS: &[&str] = &["component", "logger", "class", "module", "category", "context"];
/// Words in the names of numbers of processes and threads.
const PROCESSES: &[&str] = &["process", "processid", "pid", "thread", "threadid", "tid"];
/// Names of fields whose values are times.
const TIME: &[&str] = &["time:timestamp", "timestamp", "ts", "time", "date", "seq"];
pub(super) const DIRECTION: &[&str] = &[
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
/// Names of messages, the likeliest first.
pub(super) const MESSAGE: &[&str] = &[
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
    "reason",
    "name",
    "op",
    "what",
    "label",
    "text",
];
/// Words in the names of numbers and of kinds of relations, which are nobody's name.
const NUMBERS: &[&str] = &[
    "qualifier",
    "duration",
    "latency",
    "elapsed",
    "port",
    "size",
    "bytes",
    "count",
    "code",
    "level",
];
/// Names of things that several take in turn.
const SHARED: &[&str] = &["lock", "mutex", "latch", "semaphore", "lease"];
/// Words in the names of somebody else than who logged an event.
const ELSEWHERE: &[&str] = &[
    "client",
    "remote",
    "peer",
    "partner",
    "counterpart",
    "neighbor",
    "neighbour",
    "other",
    "upstream",
    "downstream",
    "user",
    "caller",
    "callee",
    "forwarded",
];

/// The values of a direction that mean emission, and reception, by their first words. Only whole words count: `send_failed`
/// and `outage` are something else.
const EMITS: &str = "(?i)^((sends?|sent|snd|sending|sender|emits?|emitted|emitting|publish|publishes|published|publishing|\
                     publisher|produces?|produced|producing|producer|requests?|out|outbound|outgoing|tx|client)([:,;]?\\s|$)|-+>|!)";
const RECEIVES: &str = "(?i)^((rec|recvd?|rcvd?|receives?|received|receiving|receiver|reception|got|consumes?|consumed|consuming|\
                        consumer|delivers?|delivered|delivering|delivery|responses?|in|inbound|incoming|rx|server)([:,;]?\\s|$)|<-|\\?)";
/// What stands behind the first word of a text.
const BEHIND_WORD: &str = r"([:,;]?\s|$)";
/// Words that tell a direction and nothing else, whatever their field is called.
pub(super) const EXACT: &str = "(?i)^(sen[dt]|snd|sending|emit|emitted|publish|published|produce|produced|out|outbound|outgoing|tx|recv|\
                     rcvd?|got|received?|receiving|consume|consumed|in|inbound|incoming|rx|-+>|<-+|[!?])$";
/// Words that tell a message: a request is sent at one end and received at the other.
const OF_MESSAGES: &str = "(?i)^(request|response)";
/// The address of a connection.
const WITH_PORT: &str = r"^\[?[\da-fA-F.:]+\]?:\d+$";

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

    /// The same without a field that is another part, which is not likely to be this one.
    pub(super) fn without(self, other: Option<&FieldSample>) -> Guess<'s> {
        match (self, other) {
            (Guess::Likely(likely), Some(other)) => {
                Guess::Likely(likely.into_iter().filter(|it| it.path != other.path).collect())
            }
            (guess, _) => guess,
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

impl Survey {
    /// The field whose last key is called so, by the first of the words that one is.
    pub(super) fn named(&self, words: &[&str]) -> Option<&FieldSample> {
        let fits = |word: &&str| self.samples.iter().find(|it| key_is_called(&it.path, word));
        words.iter().find_map(fits)
    }

    pub(super) fn is_in_all(&self, sample: &FieldSample) -> bool {
        sample.present().count() == self.records
    }

    pub(super) fn is_in_most(&self, sample: &FieldSample) -> bool {
        sample.present().count() * 10 >= self.records * 9
    }

    /// The actor: a field of a few names in nearly all records.
    pub(super) fn lifeline(&self) -> Guess<'_> {
        let direction = self.direction();
        let is_direction = |it: &FieldSample| direction.field().is_some_and(|d| d.path == it.path);
        let may_be = |sample: &&FieldSample| {
            self.is_in_most(sample) && may_be_lifeline(sample) && !is_direction(sample)
        };
        let fits: Vec<&FieldSample> = self.samples.iter().filter(may_be).collect();
        let named = |is_one: &dyn Fn(&FieldSample) -> bool| {
            let find = |word: &&str| {
                fits.iter().copied().find(|it| is_one(it) && names_one(&it.path, word))
            };
            LIFELINE.iter().find_map(find)
        };
        let are_runs = |it: &&FieldSample| are_runs(it.values.iter().map(Option::as_deref));
        let is_here = |it: &FieldSample| !is_elsewhere(it);
        let is_sure = |it: &FieldSample| it.distinct().len() > 1 && is_here(it) && !names_part(it);
        // Programs that run elsewhere tomorrow have names beside their addresses.
        match named(&|it| is_sure(it) && !are_addresses(it)).or_else(|| named(&is_sure)) {
            // Names that stand together may be those of sessions.
            Some(sample) if !are_runs(&sample) => Guess::Field(sample),
            _ => {
                let part = fits.iter().copied().find(|it| names_part(it) && are_few_names(it));
                let first = named(&is_here).or(part);
                let is_first = |it: &FieldSample| first.is_some_and(|first| first.path == it.path);
                // An `id` alone is that of the record.
                let is_other = |it: &&FieldSample| {
                    are_few_names(it) && !is_first(it) && key_words(&it.path) != ["id"]
                };
                let others = fits.iter().copied().filter(is_other);
                let mut likely: Vec<&FieldSample> = first.into_iter().chain(others).collect();
                // The other end is the worst answer, and a message or an id a bad one. A message is received after it was sent.
                likely.sort_by_key(|it| {
                    let received = direction.field().map_or(0, |way| received_after_sent(it, way));
                    let is_weak = it.distinct().len() == 1 || it.path.ends_with(']');
                    (!is_here(it), is_weak, !is_first(it), is_other_part(it), received)
                });
                Guess::Likely(likely)
            }
        }
    }

    /// A field whose values mean emission or reception, all of them, and both occur.
    pub(super) fn direction(&self) -> Guess<'_> {
        let new = |text| Regex::new(text).expect("tested below");
        let [exact, of_messages] = [EXACT, OF_MESSAGES].map(new);
        let words = DirectionWords::new();
        let has_both = |sample: &&FieldSample| {
            let ways = words.ways(sample);
            !ways.emission.is_empty() && !ways.reception.is_empty()
        };
        let has_no_other = |sample: &FieldSample| {
            let values = sample.distinct();
            values.len() <= MOST_DIRECTIONS
                && words.ways(sample).others.is_empty()
                && !values.iter().any(|value| of_messages.is_match(*value))
        };
        let both: Vec<&FieldSample> = self.samples.iter().filter(has_both).collect();
        let named = |word: &&str| {
            let mut fits = both.iter().copied().filter(|it| has_no_other(it));
            fits.find(|it| is_called(&it.path, word))
        };
        let is_exact =
            |it: &&&FieldSample| it.distinct().iter().all(|value| exact.is_match(*value));
        let found = || both.iter().find(is_exact).copied();
        match DIRECTION.iter().find_map(named).or_else(found) {
            Some(sample) => Guess::Field(sample),
            None => Guess::Likely(both),
        }
    }
}

/// The words that values of a direction begin with.
pub(super) struct DirectionWords {
    emits: Regex,
    receives: Regex,
}

/// The values of a field by what their words mean.
pub(super) struct Ways<'s> {
    pub(super) emission: Vec<&'s str>,
    pub(super) reception: Vec<&'s str>,
    pub(super) others: Vec<&'s str>,
}

impl DirectionWords {
    pub(super) fn new() -> DirectionWords {
        let [emits, receives] =
            [EMITS, RECEIVES].map(|text| Regex::new(text).expect("tested below"));
        DirectionWords { emits, receives }
    }

    /// Whether a value means an emission; `None` if it means neither that nor a reception.
    pub(super) fn is_emission(&self, value: &str) -> Option<bool> {
        match () {
            () if self.emits.is_match(value) => Some(true),
            () if self.receives.is_match(value) => Some(false),
            () => None,
        }
    }

    pub(super) fn ways<'s>(&self, field: &'s FieldSample) -> Ways<'s> {
        let of = |wanted: Option<bool>| {
            let all = field.distinct().into_iter();
            all.filter(|value| self.is_emission(value) == wanted).collect()
        };
        Ways { emission: of(Some(true)), reception: of(Some(false)), others: of(None) }
    }

    /// The value of a mapping that fits these values of one way: themselves, or their first words if they are texts.
    pub(super) fn fitting(&self, values: &[&str]) -> Vec<String> {
        let first = |value: &str| {
            let found = self.emits.find(value).or_else(|| self.receives.find(value));
            let end = found.map_or(value.len(), |it| it.end());
            value[..end]
                .trim_end_matches(|c: char| c.is_whitespace() || ":,;".contains(c))
                .to_owned()
        };
        let firsts: BTreeSet<String> = values.iter().map(|value| first(value)).collect();
        if values.iter().all(|value| firsts.contains(*value)) {
            return values.iter().map(|value| (*value).to_owned()).collect();
        }
        let (words, signs): (Vec<String>, Vec<String>) =
            firsts.into_iter().partition(|it| it.ends_with(char::is_alphanumeric));
        let words = (!words.is_empty()).then(|| format!("/^({}){BEHIND_WORD}/", words.join("|")));
        let signs = signs.iter().map(|sign| format!("/^{}/", sign.replace('?', r"\?")));
        words.into_iter().chain(signs).collect()
    }
}

/// Whether a field is called like a message, an id, or a thing that several take in turn.
fn is_other_part(sample: &FieldSample) -> bool {
    is_shared(sample)
        || MESSAGE.iter().any(|word| path_or_key_is_called(&sample.path, word))
        || is_id(sample)
}

/// Whether a field is called like an id.
pub(super) fn is_id(sample: &FieldSample) -> bool {
    key_words(&sample.path).last().is_some_and(|word| word == "id")
}

/// Whether a field names a thing that several take in turn, as a lock: it logs nothing, and may be the session.
pub(super) fn is_shared(sample: &FieldSample) -> bool {
    SHARED.iter().any(|word| is_id_of(&sample.path, word))
}

/// In how many records a value is received that was sent in one before.
fn received_after_sent(sample: &FieldSample, way: &FieldSample) -> usize {
    let (words, mut sent, mut count) = (DirectionWords::new(), BTreeMap::new(), 0);
    for (value, way) in sample.values.iter().zip(&way.values) {
        let (Some(value), Some(way)) = (value, way) else { continue };
        let open: &mut usize = sent.entry(value).or_default();
        match words.is_emission(way) {
            Some(true) => *open += 1,
            Some(false) if *open > 0 => (*open, count) = (*open - 1, count + 1),
            _ => {}
        }
    }
    count
}

/// Whether the values of a field can be names of lifelines.
pub(super) fn may_be_lifeline(sample: &FieldSample) -> bool {
    sample.distinct().len() <= MOST_LIFELINES
        && !are_truths(sample)
        && !has_word(&key_words(&sample.path), NUMBERS)
        && order::written(sample.present())
            .is_none_or(|it| it == OrderForm::Plain && !is_time(sample))
}

/// Whether a field names a part of a program, a logger, a component, or has the number that a process has until it ends.
pub(super) fn names_part(sample: &FieldSample) -> bool {
    let words = key_words(&sample.path);
    has_word(&words, PARTS) || has_word(&words, PROCESSES) && are_numbers(sample)
}

fn are_numbers(sample: &FieldSample) -> bool {
    sample.present().all(|value| value.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether the values are addresses of machines.
fn are_addresses(sample: &FieldSample) -> bool {
    sample.present().all(|value| value.parse::<IpAddr>().is_ok())
}

/// Whether a path names somebody by this word: `service`, `service.name`, `hits.service.name`.
fn names_one(path: &str, word: &str) -> bool {
    let is_thing = || path_words(path).ends_with(&[word.to_owned(), "name".to_owned()]);
    path_or_key_is_called(path, word) || is_thing()
}

/// Whether a field names the other end of a connection, or a connection.
pub(super) fn is_elsewhere(sample: &FieldSample) -> bool {
    let with_port = Regex::new(WITH_PORT).expect("tested below");
    let words = path_words(&sample.path);
    has_word(&words, ELSEWHERE)
        || has_word(&words, TARGET)
        || sample.present().any(|value| with_port.is_match(value))
}

/// Whether the values are true and false, which name nothing.
pub(super) fn are_truths(sample: &FieldSample) -> bool {
    sample.present().all(|value| matches!(value, "true" | "false"))
}

/// Whether a value may be the name of a message or a lifeline.
pub(super) fn is_name(value: &&str) -> bool {
    value.len() < 80
        && OrderKey::parse(value).is_none()
        && value.split_whitespace().count() <= MOST_WORDS
}

/// Whether the values are names that come again.
pub(super) fn are_few_names(sample: &FieldSample) -> bool {
    let distinct = sample.distinct();
    (2..=MOST_LIFELINES).contains(&distinct.len())
        && !are_truths(sample)
        && distinct.len() * 2 <= sample.present().count()
        && distinct.iter().all(is_name)
}

/// Whether the values are times, or the name is that of a time.
pub(super) fn is_time(sample: &FieldSample) -> bool {
    let is_called_so = TIME.iter().any(|word| is_called(&sample.path, word));
    is_called_so
        || matches!(order::written(sample.present()), Some(OrderForm::As(..)))
        || sample.present().all(|it| it.contains(':') && OrderKey::parse(it).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_directions_and_addresses_are_regular_expressions() {
        for text in [EMITS, RECEIVES, EXACT, OF_MESSAGES, WITH_PORT] {
            assert!(Regex::new(text).is_ok(), "{text}");
        }
        let is = |text: &str, value: &str| Regex::new(text).is_ok_and(|it| it.is_match(value));
        assert!(is(WITH_PORT, "10.0.0.1:80") && is(WITH_PORT, "[::1]:80"));
        assert!(!is(WITH_PORT, "10.0.0.1") && !is(WITH_PORT, "web:80"));
        assert!(is(EXACT, "<-") && is(EXACT, "Received") && !is(EXACT, "reconnect"));
        assert!(is(RECEIVES, "Got order") && !is(RECEIVES, "gotham"));
        assert!(is(EMITS, "Sent: order") && is(EMITS, "->order") && is(RECEIVES, "?order"));
        for other in [
            "send_failed",
            "send-failed order",
            "outage",
            "sent_at",
            "rec_timeout",
            "reconstructed order",
        ] {
            assert!(!is(EMITS, other) && !is(RECEIVES, other), "{other}");
        }
        let fitting = |values: &[&str]| DirectionWords::new().fitting(values);
        assert_eq!(fitting(&["Sent", "send"]), ["Sent", "send"]);
        assert_eq!(fitting(&["got bill", "got: x", "?x"]), [r"/^(got)([:,;]?\s|$)/", r"/^\?/"]);
    }
}
