//! Which field of the first records is the message: one that is good enough, or the likeliest ones.

use super::field_words::{has_word, key_words, path_or_key_is_called, path_words};
use super::guesses::{Guess, MESSAGE, are_few_names, are_truths, is_name, is_time};
use crate::survey::{FieldSample, Survey};
use regex_automata::meta::Regex;

/// Words of messages that stand beside the names of things.
const KINDS: &[&str] =
    &["activity", "operation", "method", "command", "action", "event", "type", "reason", "op"];
/// Names of fields that may say what happened, for questions.
const OTHERS: &[&str] =
    &["state", "status", "phase", "stage", "step", "path", "uri", "url", "route", "endpoint"];
/// Words in the names of things, whose `name` is not a message.
const THINGS: &[&str] = &[
    "object",
    "pod",
    "instance",
    "resource",
    "container",
    "host",
    "machine",
    "computer",
    "provider",
    "node",
    "service",
    "server",
    "user",
    "client",
    "customer",
    "account",
    "app",
    "application",
    "file",
    "thread",
    "logger",
    "process",
    "cluster",
    "namespace",
    "network",
    "device",
    "component",
    "worker",
    "queue",
    "table",
    "database",
    "domain",
    "owner",
    "project",
    "group",
    "role",
    "image",
    "job",
    "class",
    "display",
    "first",
    "last",
    "full",
    "agent",
    "zone",
    "region",
    "log",
    "stream",
    "deployment",
];
/// Words in the names of ids and of grades.
const NEVER: &[&str] = &["id", "uuid", "key", "level", "severity", "version", "duration", "port"];
/// Values that say how bad something is.
const SEVERITIES: &str =
    "(?i)^(normal|trace|debug|info|information|notice|warn|warning|err|error|fatal|critical)$";

/// From this number of records on, a field whose values differ in nearly all of them has ids in its values: messages come again.
const LEAST_RECORDS: usize = 16;

/// How many different messages make a sibling with fewer values the likelier field.
const MOST_MESSAGES: usize = 20;

impl Survey {
    /// A field of a few words with several values; rather one whose values repeat.
    pub(super) fn message(&self, taken: &[&FieldSample]) -> Guess<'_> {
        let severities = Regex::new(SEVERITIES).expect("tested below");
        let is_free = |sample: &FieldSample| {
            let is_taken = taken.iter().any(|other| other.path == sample.path);
            let values = sample.distinct();
            let are_severities = values.iter().all(|value| severities.is_match(*value));
            let is_named = !are_severities && !are_truths(sample);
            !is_taken && values.len() > 1 && is_named && !is_thing(sample)
        };
        let fits = |sample: &FieldSample| is_free(sample) && sample.distinct().iter().all(is_name);
        let repeats = |sample: &FieldSample| sample.distinct().len() * 2 <= self.records;
        let called = |words: &[&str], fits: &dyn Fn(&FieldSample) -> bool| {
            let named = |word: &&str| {
                let mut fitting = self.samples.iter().filter(|it| fits(it));
                fitting.find(|it| path_or_key_is_called(&it.path, word))
            };
            words.iter().find_map(named)
        };
        let is_whole = |sample: &FieldSample| fits(sample) && self.is_in_all(sample);
        // A text with the name of a message beside it is the message of the record.
        let found = called(MESSAGE, &|it| is_whole(it) && repeats(it));
        let comes_again = |it: &FieldSample| {
            self.records < LEAST_RECORDS || it.distinct().len() * 10 <= self.records * 9
        };
        let found = found.or_else(|| called(MESSAGE, &|it| is_whole(it) && comes_again(it)));
        // A kind with few values beside a name with many is the message: the name is its object.
        let kind = called(KINDS, &|it| {
            is_whole(it) && repeats(it) && it.distinct().len() <= MOST_MESSAGES
        });
        let many = found.filter(|it| it.distinct().len() > MOST_MESSAGES);
        if let Some(sample) = found.filter(|_| many.is_none() || kind.is_none()) {
            return Guess::Field(sample);
        }
        let text = called(MESSAGE, &|it| is_free(it) && repeats(it));
        let text = text.or_else(|| called(MESSAGE, &is_free)).or_else(|| called(&["m"], &fits));
        // The text behind the time of an element.
        let of_element = || self.samples.iter().find(|it| it.path == "each[1]" && is_free(it));
        let text = text.or_else(of_element);
        let is_few = |it: &FieldSample| is_free(it) && are_few_names(it) && !is_time(it);
        let other = called(OTHERS, &is_few);
        let all = self.samples.iter().filter(|it| is_few(it));
        let mut likely: Vec<&FieldSample> = Vec::new();
        for sample in kind.into_iter().chain(many).chain(text).chain(other).chain(all) {
            if likely.iter().all(|it| it.path != sample.path) {
                likely.push(sample);
            }
        }
        Guess::Likely(likely)
    }
}

/// Whether a field names a thing to which something happens, or is an id or a grade.
fn is_thing(sample: &FieldSample) -> bool {
    let (words, key) = (path_words(&sample.path), key_words(&sample.path));
    let is_name = words.last().is_some_and(|word| word == "name");
    key.last().is_some_and(|word| NEVER.contains(&word.as_str()))
        || is_name && has_word(&words, THINGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities_are_a_regular_expression() {
        let is = |value: &str| Regex::new(SEVERITIES).is_ok_and(|it| it.is_match(value));
        assert!(is("Warning") && is("INFO") && !is("warned"));
    }
}
