//! A law of balance that a session breaks, as a sentence.

use crate::text::counted;
use multitrace_interaction::names::split_action;
use multitrace_interaction::{ActionKind, Alphabet, Imbalance, LetterId};

/// Letters of one side that are named.
const NAMED: usize = 3;

/// The letters of one sign, and how often they occur together.
struct Side {
    letters: Vec<(LetterId, i64)>,
    count: i128,
}

impl Side {
    fn new(imbalance: &Imbalance, sign: i64) -> Side {
        let letters = imbalance.law.letters.iter().zip(&imbalance.counts);
        let own = letters.filter(|((_, coefficient), _)| coefficient.signum() == sign);
        let own = own.map(|(&(letter, it), &count)| ((letter, it * sign), i128::from(count)));
        let (letters, counts): (Vec<_>, Vec<_>) = own.unzip();
        let count = letters.iter().zip(counts).map(|((_, it), n)| i128::from(*it) * n).sum();
        Side { letters, count }
    }

    /// The action and the message of all its letters, if they are equal and each counts once.
    fn passes<'a>(&self, alphabet: &'a Alphabet) -> Option<(ActionKind, &'a str)> {
        let mut all = self.letters.iter().map(|&(letter, coefficient)| {
            let (_, kind, message) = split_action(alphabet.letter_name(letter))?;
            (coefficient == 1).then_some((kind, message))
        });
        let first = all.next()??;
        all.all(|it| it == Some(first)).then_some(first)
    }

    fn names(&self, alphabet: &Alphabet) -> String {
        let name = |&(letter, coefficient): &(LetterId, i64)| match coefficient {
            1 => alphabet.letter_name(letter).to_owned(),
            _ => format!("{coefficient} × {}", alphabet.letter_name(letter)),
        };
        let mut names: Vec<String> = self.letters.iter().take(NAMED).map(name).collect();
        if self.letters.len() > NAMED {
            names.push(format!("{} more", self.letters.len() - NAMED));
        }
        names.join(" + ")
    }

    fn text(&self, alphabet: &Alphabet) -> String {
        format!("{} {}", self.names(alphabet), times(self.count))
    }
}

fn times(count: i128) -> String {
    match u64::try_from(count) {
        Ok(count) => counted(count, "time"),
        Err(_) => format!("{count} times"),
    }
}

/// The two counts of a law, and how they relate in every accepted session.
pub(crate) fn imbalance_text(imbalance: &Imbalance, alphabet: &Alphabet) -> String {
    let [more, less] = [1, -1].map(|sign| Side::new(imbalance, sign));
    let constant = imbalance.law.constant;
    if less.letters.is_empty() {
        let accepted = times(constant.into());
        return format!("{}, but {accepted} in every accepted session", more.text(alphabet));
    }
    let of = |kind| {
        let mut sides = [&more, &less].into_iter();
        sides.find_map(|it| Some((it.count, it.passes(alphabet).filter(|it| it.0 == kind)?.1)))
    };
    if let (Some((sent, message)), Some((received, same))) =
        (of(ActionKind::Emission), of(ActionKind::Reception))
        && (message, constant) == (same, 0)
    {
        return format!("{message}: sent {sent}, received {received}");
    }
    let sides = format!("{}, {}", more.text(alphabet), less.text(alphabet));
    match constant {
        0 => format!("{sides}, but both equally often in every accepted session"),
        1.. => format!(
            "{sides}, but the first {} more in every accepted session",
            times(constant.into())
        ),
        _ => {
            let constant = times(constant.unsigned_abs().into());
            format!("{sides}, but the second {constant} more in every accepted session")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_interaction::Law;

    #[test]
    fn texts_say_what_was_counted_and_what_was_expected() {
        let mut alphabet = Alphabet::default();
        let location = alphabet.add_location("l").expect("a new name");
        let names = ["a!x", "b!x", "s?x", "s!y", "a!z"];
        let letters = names.map(|name| alphabet.add_letter(name, location).expect("a new name"));
        let text = |terms: &[(usize, i64, u32)], constant| {
            let law =
                terms.iter().map(|&(at, coefficient, _)| (letters[at], coefficient)).collect();
            let counts = terms.iter().map(|&(.., count)| count).collect();
            let law = Law { letters: law, constant };
            imbalance_text(&Imbalance { law, counts }, &alphabet)
        };
        assert_eq!(text(&[(0, 1, 22), (2, -1, 20)], 0), "x: sent 22, received 20");
        let swapped = text(&[(0, -1, 12), (1, -1, 10), (2, 1, 20)], 0);
        assert_eq!(swapped, "x: sent 22, received 20");
        assert_eq!(text(&[(3, 1, 0)], 1), "s!y 0 times, but 1 time in every accepted session");
        let equally = "but both equally often in every accepted session";
        assert_eq!(
            text(&[(2, 1, 1), (3, -1, 2)], 0),
            format!("s?x 1 time, s!y 2 times, {equally}")
        );
        let all = text(&[(0, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, 1), (4, -2, 3)], 0);
        assert_eq!(all, format!("a!x + b!x + s?x + 1 more 4 times, 2 × a!z 6 times, {equally}"));
        let first = "s?x 2 times, s!y 2 times, but the first 1 time more in every accepted session";
        assert_eq!(text(&[(2, 1, 2), (3, -1, 2)], 1), first);
        assert_eq!(text(&[(2, 1, 2), (3, -1, 2)], -1), first.replace("first", "second"));
    }
}
