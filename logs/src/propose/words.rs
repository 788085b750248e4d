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
        &["recv", "receiv", "rcv", "rcvd", "got", "deliver", "consum", "incoming"],
    ),
    (
        Direction::Emission,
        &["send", "sent", "publish", "emit", "transmit", "broadcast", "forward", "outgoing"],
    ),
];

/// Words that stand in other texts, too.
const WEAK_WORDS: &Words = &[
    (Direction::Reception, &["rx", "from", "response", "reply", "answer", "grant", "accept"]),
    (Direction::Emission, &["tx", "to", "request", "ask", "call"]),
];

/// Beginnings of words that tell a direction and no message; `publish` tells both.
const HOW: &[&str] =
    &["recv", "receiv", "rcv", "got", "send", "sent", "transmit", "emit", "incoming", "outgoing"];

/// These are part of no message: they say how a message goes, not which.
const STOP: &[&str] = &[
    "to", "from", "for", "of", "the", "a", "an", "at", "in", "on", "by", "is", "was", "has",
    "with", "and", "as", "via", "id", "src", "dest", "dst", "are", "were", "be", "been", "have",
    "had", "will", "or", "per", "every", "each", "its", "this", "that", "now",
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

/// The parts of the name of a message: words of the slots that name no lifeline, and the results of `value` for values. The word
/// before a value that `is_session` is its name.
pub(super) fn message_words(
    slots: &[Slot],
    is_lifeline: impl Fn(&str) -> bool,
    is_session: impl Fn(usize) -> bool,
    value: impl Fn(usize) -> Option<String>,
) -> Vec<String> {
    let is_key =
        |index: usize| is_key(slots, index) || index + 1 < slots.len() && is_session(index + 1);
    let mut parts = Vec::new();
    for (index, slot) in slots.iter().enumerate().skip(logger(slots)) {
        let part = match &slot.word {
            // The key of a value.
            Some(_) if is_key(index) => None,
            Some(word) if is_lifeline(word) => None,
            _ if is_peer(slots, index, is_key) => None,
            Some(word) => name_of(word),
            None => value(index),
        };
        parts.extend(part);
    }
    parts.truncate(MOST_WORDS);
    parts
}

/// How many slots lead to the name of a logger instead of a message: a word with dots before a colon or dash, as
/// `c.a.Orders : Sending`.
fn logger(slots: &[Slot]) -> usize {
    let is_dotted = |slot: &Slot| slot.word.as_deref().is_some_and(|word| word.contains('.'));
    let is_sign = |text: &str| matches!(text, ":" | "-");
    let is_closing =
        |slot: &Slot| is_sign(slot.before.trim()) || slot.word.as_deref().is_some_and(is_sign);
    let is_closed = |at: usize| slots.get(at + 1).is_some_and(is_closing);
    // A word before it is a text already: `BLOCK* NameSystem.allocate: /part`.
    let is_text = |slot: &Slot| slot.word.as_deref().is_some_and(|word| name_of(word).is_some());
    let first = slots.iter().position(is_text);
    first.filter(|at| is_dotted(&slots[*at]) && is_closed(*at)).map_or(0, |at| at + 1)
}

/// Whether a word or value is the last one and names the other end: `Sending order to bank`, `Sending order to bank for run 7`.
fn is_peer(slots: &[Slot], index: usize, is_key: impl Fn(usize) -> bool) -> bool {
    let word = |at: usize| slots.get(at).and_then(|slot| slot.word.as_deref());
    let before = index.checked_sub(1).and_then(word).map(str::to_ascii_lowercase);
    let is_behind = before.is_some_and(|it| it == "to" || it == "from");
    let is_last = (index + 1..slots.len())
        .all(|at| word(at).is_none_or(|word| is_key(at) || name_of(word).is_none()));
    is_behind && is_last && (0..index).any(|at| word(at).is_some_and(is_verb))
}

/// Whether a word tells a direction and no message.
pub(super) fn is_verb(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    matches!(word.as_str(), "rx" | "tx") || HOW.iter().any(|start| word.starts_with(start))
}

/// Whether the word before a value tells a direction and no message.
pub(super) fn is_behind_verb(slots: &[Slot], index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|at| slots[at].word.as_deref());
    before.is_some_and(is_verb)
}

fn is_key(slots: &[Slot], index: usize) -> bool {
    let next = slots.get(index + 1);
    next.is_some_and(|next| next.word.is_none() && next.before.starts_with(['=', ':']))
}

/// A word as part of a name; `None` if it says nothing.
fn name_of(word: &str) -> Option<String> {
    let lower = word.to_ascii_lowercase();
    if is_verb(word) || STOP.contains(&lower.as_str()) {
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
        assert_eq!(weak("RX lock"), Some(Direction::Reception));
        assert_eq!(weak("txn lock"), None);
        assert_eq!(of("together"), None);
    }
}
