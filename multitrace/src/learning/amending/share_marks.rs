//! Marks in a diagram for numbers of sessions that are known when all of it is written.

/// Stands in labels for the number of sessions that go there, which is known when all is written: no author writes it, as it is
/// made of characters without a meaning.
pub(super) const SHARE: &str = "\u{E000}\u{E001}\u{E000}";

/// A label of a frame that waits for that number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    Taken,
    LeftOut,
}

impl Share {
    /// Of the line that opens an operand.
    pub(super) fn of_header(line: &str) -> Option<Share> {
        let is_left_out = line.contains(&format!("not in {SHARE}"));
        line.contains(SHARE).then_some(if is_left_out { Share::LeftOut } else { Share::Taken })
    }
}

/// A text with the next of these numbers wherever one is waited for.
pub(super) fn filled(text: &str, shares: &mut impl Iterator<Item = String>) -> String {
    let mut rest = text.split(SHARE);
    let first = rest.next().unwrap_or_default().to_owned();
    rest.fold(first, |text, rest| text + &shares.next().unwrap_or_default() + rest)
}
