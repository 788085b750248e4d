//! Texts that say whether something was sent or received, anywhere in them.

use super::json_text::{HEAD, marks};
use super::values::toml_text;
use crate::survey::{FieldSample, Survey};
use regex_automata::meta::Regex;
use std::collections::BTreeSet;

/// A text that says in each record whether something was sent or received, anywhere in it.
pub(super) struct Verbs<'s> {
    pub(super) sample: &'s FieldSample,
    marks: [&'static str; 2],
}

impl Verbs<'_> {
    /// Whether the texts say nothing else: `message sent`, `message received`.
    pub(super) fn are_all(&self) -> bool {
        let [one, other] = self.marks;
        let rest = |text: &str| {
            let words = text.split_whitespace();
            let others = words.filter(|word| !word.contains(one) && !word.contains(other));
            others.map(str::to_owned).collect::<Vec<_>>()
        };
        self.sample.distinct().into_iter().map(rest).collect::<BTreeSet<_>>().len() == 1
    }

    /// Whether they stand in this field.
    pub(super) fn is_in(&self, other: &FieldSample) -> bool {
        other.path == self.sample.path
    }

    /// Whether something was sent or received.
    pub(super) fn direction(&self) -> String {
        let Verbs { sample, marks: [one, other] } = self;
        format!(
            "direction = {{ field = {}, emission = '/{one}/', reception = '/{other}/' }}",
            toml_text(&sample.path)
        )
    }

    /// The word behind the verb.
    pub(super) fn message(&self) -> String {
        let [one, other] = self.marks;
        format!(
            "message = {{ field = {}, match = '(?:{one}|{other})\\w*:?\\s+(?<message>[^\\s,;]+)' }}",
            toml_text(&self.sample.path)
        )
    }
}

impl Survey {
    /// The words before JSON, or another text with blanks, with the marks of its directions.
    pub(super) fn verbs(&self) -> Option<Verbs<'_>> {
        let is_text = |it: &&FieldSample| it.path == HEAD || it.present().all(has_second_word);
        let mut texts = self.samples.iter().filter(is_text).filter(|it| self.is_in_all(it));
        texts.find_map(|sample| {
            let marks = marks(sample.present().collect::<Vec<_>>().into_iter())?;
            Some(Verbs { sample, marks })
        })
    }
}

/// Words inside of values that tell an emission and a reception, as parts of names too: `send_vote`, `[web] Request order`.
const INSIDE: &[[&str; 2]] = &[
    ["send", "recv"],
    ["send", "receive"],
    ["sent", "received"],
    ["sending", "received"],
    ["sending", "receiving"],
    ["publish", "deliver"],
    ["publish", "consume"],
    ["produce", "consume"],
    ["outgoing", "incoming"],
    ["outbound", "inbound"],
    ["request", "response"],
];

/// One of this many records at least must have such a word: others are events inside of a program.
const LEAST_SHARE: usize = 3;

/// A field whose values have one of two words of directions, or none.
pub(super) struct WordsInside<'s> {
    pub(super) sample: &'s FieldSample,
    pair: [&'static str; 2],
    /// Both words as the first values with them have them.
    written: [&'s str; 2],
}

impl<'s> WordsInside<'s> {
    fn new(sample: &'s FieldSample, pair: [&'static str; 2]) -> Option<WordsInside<'s>> {
        let [sent, received] = pair.map(|word| sample.present().find_map(|it| word_in(it, word)));
        let has = |value: &str| pair.map(|word| word_in(value, word).is_some());
        let count = sample.present().filter(|value| has(value).contains(&true)).count();
        let is_told = count * LEAST_SHARE >= sample.values.len()
            && sample.present().all(|value| has(value) != [true; 2]);
        is_told.then_some(WordsInside { sample, pair, written: [sent?, received?] })
    }

    /// Whether something was sent or received.
    pub(super) fn direction(&self) -> String {
        let pattern = |at: usize| {
            let (word, written) = (self.pair[at], self.written[at]);
            let with_it = || self.sample.present().filter(|it| word_in(it, word).is_some());
            let is_found = |text: &String| {
                Regex::new(text).is_ok_and(|regex| with_it().all(|value| regex.is_match(value)))
            };
            let short =
                [format!("^{written}_"), format!(r"\b{written}\b")].into_iter().find(is_found);
            short.unwrap_or_else(|| format!(r"(?i)(?:^|[\W_]){word}(?:[\W_]|$)"))
        };
        format!(
            "direction = {{ field = {}, emission = '/{}/', reception = '/{}/' }}",
            toml_text(&self.sample.path),
            pattern(0),
            pattern(1)
        )
    }

    /// The part of the values behind or before such a word; values without one are messages as they are. `None` if the
    /// words stand elsewhere.
    pub(super) fn message(&self) -> Option<String> {
        let ([sent, received], [one, other]) = (self.written, self.pair);
        let with_it = || self.sample.present().filter(|it| self.has_word(it));
        let fits = |text: &String| {
            Regex::new(text).is_ok_and(|regex| with_it().all(|value| regex.is_match(value)))
        };
        let words = [format!("(?:{sent}|{received})"), format!("(?i:{one}|{other})")];
        let patterns = words.iter().flat_map(|words| {
            [format!(r"^{words}[\W_]+(?<message>.+)$"), format!(r"^(?<message>.+?)[\W_]+{words}$")]
        });
        let field = toml_text(&self.sample.path);
        let part = patterns.into_iter().find(fits)?;
        let part = format!("{{ field = {field}, match = '{part}' }}");
        let all = if self.others().is_empty() { part } else { format!("[{part}, {field}]") };
        Some(format!("message = {all}"))
    }

    fn has_word(&self, value: &str) -> bool {
        self.pair.iter().any(|word| word_in(value, word).is_some())
    }

    /// The values without such a word.
    pub(super) fn others(&self) -> Vec<&'s str> {
        self.sample.distinct().into_iter().filter(|value| !self.has_word(value)).collect()
    }
}

/// A word of a value as it is written there.
fn word_in<'v>(value: &'v str, word: &str) -> Option<&'v str> {
    value.split(|c: char| !c.is_alphanumeric()).find(|part| part.eq_ignore_ascii_case(word))
}

impl Survey {
    /// The field that tells directions by words inside of its values.
    pub(super) fn inside(&self) -> Option<WordsInside<'_>> {
        let of = |pair: &[&'static str; 2]| {
            self.samples.iter().find_map(|sample| WordsInside::new(sample, *pair))
        };
        INSIDE.iter().find_map(of)
    }
}

/// The pattern of the word behind a name in brackets and behind a word of a direction, if all values begin with brackets.
pub(super) fn behind_brackets(sample: &FieldSample) -> Option<String> {
    let words = INSIDE.iter().find_map(|pair| WordsInside::new(sample, *pair));
    let way = words
        .map_or_else(String::new, |WordsInside { written: [sent, received], .. }| {
            format!(r"(?:(?:{sent}|{received})\s+)?")
        });
    let pattern = format!(r"^\[[^\]]*\]\s+{way}(?<message>\w+)");
    let regex = Regex::new(&pattern).ok()?;
    sample.present().all(|value| regex.is_match(value)).then_some(pattern)
}

/// Whether a text has several words.
pub(super) fn has_second_word(text: &str) -> bool {
    text.split_whitespace().nth(1).is_some()
}
