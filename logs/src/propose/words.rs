//! Words of lines that tell directions, and those that make the names of messages.

use super::templates::Slot;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Emission,
    Reception,
}

/// Words of a direction, by their beginnings.
type Words = [(Direction, &'static [&'static str])];

/// Beginnings of words, in lower case. A line on a reception may name the sender, so receptions come first.
const WORDS: &Words = &[
    (
        Direction::Reception,
        &["recv", "receiv", "rcv", "rcvd", "got", "deliver", "consum", "accept", "incoming"],
    ),
    (
        Direction::Emission,
        &["send", "sent", "publish", "emit", "transmit", "broadcast", "forward", "outgoing"],
    ),
];

/// Words that stand in other texts, too.
const WEAK_WORDS: &Words = &[
    (Direction::Reception, &["from", "response", "reply", "answer", "grant"]),
    (Direction::Emission, &["to", "request", "ask", "call"]),
];

/// Beginnings of words that tell a direction and no message; `publish` tells both.
const HOW: &[&str] =
    &["recv", "receiv", "rcv", "got", "send", "sent", "transmit", "emit", "incoming", "outgoing"];

/// These are part of no message: they say how a message goes, not which.
const STOP: &[&str] = &[
    "to", "from", "for", "of", "the", "a", "an", "at", "in", "on", "by", "is", "was", "has",
    "with", "and", "as", "via", "id", "src", "dest", "dst",
];

/// How many words a message has: more are a sentence.
const MOST_WORDS: usize = 4;

/// The direction that words tell, and the word that does.
pub(super) fn direction<'a>(
    words: impl Iterator<Item = &'a str> + Clone,
) -> Option<(Direction, &'a str)> {
    told_by(WORDS, words)
}

/// The direction that words tell that mean other things as well.
pub(super) fn weak_direction<'a>(
    words: impl Iterator<Item = &'a str> + Clone,
) -> Option<(Direction, &'a str)> {
    told_by(WEAK_WORDS, words)
}

fn told_by<'a>(
    all: &Words,
    words: impl Iterator<Item = &'a str> + Clone,
) -> Option<(Direction, &'a str)> {
    all.iter().find_map(|(direction, starts)| {
        let tells = |word: &&str| {
            let word = word.to_ascii_lowercase();
            // Short words mean something only as they are.
            starts.iter().any(|start| word == *start || start.len() > 3 && word.starts_with(start))
        };
        words.clone().find(tells).map(|word| (*direction, word))
    })
}

/// The parts of the name of a message: words of the slots that name no lifeline, and the results of `value` for values.
pub(super) fn message_words(
    slots: &[Slot],
    is_lifeline: impl Fn(&str) -> bool,
    value: impl Fn(usize) -> Option<String>,
) -> Vec<String> {
    let mut parts = Vec::new();
    for (index, slot) in slots.iter().enumerate() {
        let part = match &slot.word {
            // The key of a value.
            Some(_) if is_key(slots, index) => None,
            Some(word) if is_lifeline(word) => None,
            Some(word) => name_of(word),
            None => value(index),
        };
        parts.extend(part);
    }
    parts.truncate(MOST_WORDS);
    parts
}

fn is_key(slots: &[Slot], index: usize) -> bool {
    let next = slots.get(index + 1);
    next.is_some_and(|next| next.word.is_none() && next.before.starts_with(['=', ':']))
}

/// A word as part of a name; `None` if it says nothing.
fn name_of(word: &str) -> Option<String> {
    let lower = word.to_ascii_lowercase();
    if HOW.iter().any(|start| lower.starts_with(start)) || STOP.contains(&lower.as_str()) {
        return None;
    }
    let name: String =
        word.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let name = name.trim_matches('_');
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_directions() {
        let of = |line: &str| direction(line.split(' ')).map(|(direction, _)| direction);
        assert_eq!(of("Sending CONNACK to"), Some(Direction::Emission));
        assert_eq!(of("Received ack sent by"), Some(Direction::Reception));
        assert_eq!(of("lock request from"), None);
        let weak = |line: &str| weak_direction(line.split(' ')).map(|(direction, _)| direction);
        assert_eq!(weak("lock request from"), Some(Direction::Reception));
        assert_eq!(weak("lock request"), Some(Direction::Emission));
        assert_eq!(of("together"), None);
    }
}
