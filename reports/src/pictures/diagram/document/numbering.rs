//! The numbers of messages, as `autonumber` counts them (PlantUML's manual, "Message sequence numbering"; Mermaid's has the
//! first form, and steps with a point).

use multitrace_formats::shorten::shorten;

/// The most digits and parts of a number, and characters around it: more are too many to read, and each message
/// has one.
const MOST: usize = 26;

/// Counts messages.
#[derive(Debug)]
pub(super) struct Numbering {
    is_on: bool,
    next: Number,
    /// In hundredths for a decimal number.
    step: u64,
    /// The text around the number, and how many digits it has at least.
    before: String,
    digits: usize,
    after: String,
}

/// The number of a message.
#[derive(Debug)]
enum Number {
    /// Numbers with points between them. The last one counts.
    Parts(Vec<u64>),
    /// Hundredths.
    Decimal(u64),
}

impl Default for Numbering {
    fn default() -> Numbering {
        Numbering {
            is_on: false,
            next: Number::Parts(vec![1]),
            step: 1,
            before: String::new(),
            digits: 0,
            after: String::new(),
        }
    }
}

impl Numbering {
    /// Follows the text after `autonumber`.
    pub(super) fn follow(&mut self, text: &str) {
        let (numbers, format) = match text.split_once('"') {
            Some((numbers, format)) => (numbers, Some(format.trim_end().trim_end_matches('"'))),
            None => (text, None),
        };
        let mut words = numbers.split_whitespace();
        match words.next().unwrap_or_default() {
            "off" | "stop" => return self.is_on = false,
            "inc" => return self.increment(words.next().unwrap_or_default()),
            "resume" => self.is_on = true,
            start => {
                let step = words.clone().next().unwrap_or_default();
                *self = Numbering { is_on: true, next: first(start, step), ..Numbering::default() };
            }
        }
        let step = words.next().unwrap_or_default();
        self.step = match self.next {
            Number::Parts(_) => step.parse().unwrap_or(self.step),
            Number::Decimal(_) => hundredths(step).unwrap_or(self.step),
        };
        if let Some(format) = format {
            self.set_format(format);
        }
    }

    /// The number of the next message, if it has one.
    pub(super) fn next(&mut self) -> Option<String> {
        if !self.is_on {
            return None;
        }
        let Numbering { next, step, before, digits, after, .. } = self;
        let text = match &*next {
            Number::Parts(parts) => match parts[..] {
                [only] => format!("{only:0digits$}"),
                _ => parts.iter().map(u64::to_string).collect::<Vec<_>>().join("."),
            },
            Number::Decimal(hundredths) => decimal(*hundredths),
        };
        let counted = match next {
            Number::Parts(parts) => parts.last_mut(),
            Number::Decimal(hundredths) => Some(hundredths),
        };
        counted.into_iter().for_each(|it| *it = it.saturating_add(*step));
        Some(format!("{before}{text}{after}"))
    }

    fn set_format(&mut self, format: &str) {
        let format = without_tags(format);
        let is_digit = |letter: char| letter == '0' || letter == '#';
        let start = format.find(is_digit).unwrap_or(format.len());
        let (before, rest) = format.split_at(start);
        let end = rest.find(|letter| !is_digit(letter)).unwrap_or(rest.len());
        self.digits = rest[..end].matches('0').count().min(MOST);
        self.before = shorten(before, MOST).into_owned();
        self.after = shorten(&rest[end..], MOST).into_owned();
    }

    /// Counts a part in front of the last one, by its letter; those behind it begin again.
    fn increment(&mut self, level: &str) {
        let letter = level.bytes().next().filter(u8::is_ascii_alphabetic);
        let Number::Parts(parts) = &mut self.next else { return };
        let at = match letter {
            Some(letter) => usize::from(letter.to_ascii_uppercase() - b'A'),
            None => parts.len() - 1,
        };
        if let Some(part) = parts.get_mut(at) {
            *part = part.saturating_add(1);
            parts[at + 1..].fill(1);
        }
    }
}

/// The first number: decimal if the step has a point.
fn first(start: &str, step: &str) -> Number {
    if step.contains('.') && hundredths(step).is_some() {
        return Number::Decimal(hundredths(start).unwrap_or(100));
    }
    let parts = start.split(['.', ';', ',', ':']).take(MOST).map(str::parse);
    Number::Parts(parts.collect::<Result<_, _>>().unwrap_or_else(|_| vec![1]))
}

/// A number with at most two digits behind its point, in hundredths.
fn hundredths(text: &str) -> Option<u64> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let rest: u64 = match rest.len() {
        0 => 0,
        1 => rest.parse::<u64>().ok()? * 10,
        2 => rest.parse().ok()?,
        _ => return None,
    };
    whole.checked_mul(100)?.checked_add(rest)
}

fn decimal(hundredths: u64) -> String {
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A text without tags of HTML, which say how it looks.
fn without_tags(text: &str) -> String {
    let mut bare = String::new();
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        bare += before;
        rest = tag.split_once('>').map_or("", |(_, after)| after);
    }
    bare + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of as many messages after each text.
    fn numbers(texts: &[(&str, usize)]) -> String {
        let mut numbering = Numbering::default();
        let mut told = Vec::new();
        for (text, count) in texts {
            numbering.follow(text);
            let next = (0..*count).map(|_| numbering.next().unwrap_or_else(|| "-".to_owned()));
            told.extend(next);
        }
        told.join(" ")
    }

    #[test]
    fn messages_are_counted_as_their_notations_say() {
        assert_eq!(numbers(&[("", 3)]), "1 2 3");
        assert_eq!(numbers(&[("10 5", 2), ("stop", 1), ("resume", 2)]), "10 15 - 20 25");
        assert_eq!(numbers(&[("5", 1), ("stop", 1), ("resume 10", 2)]), "5 - 6 16");
        assert_eq!(
            numbers(&[("1.1.1", 2), ("inc A", 1), ("inc B", 2)]),
            "1.1.1 1.1.2 2.1.1 2.2.1 2.2.2"
        );
        assert_eq!(numbers(&[("6.1", 2)]), "6.1 6.2");
        assert_eq!(numbers(&[("1 \"<b>[000]\"", 2)]), "[001] [002]");
        assert_eq!(numbers(&[("\"<b>DISC-#</b>\"", 2)]), "DISC-1 DISC-2");
        assert_eq!(numbers(&[("1 1 \"Message 0:\"", 1), ("resume \"(0)\"", 1)]), "Message 1: (2)");
        assert_eq!(numbers(&[("10.1 .01", 2), ("off", 1)]), "10.1 10.11 -");
        assert_eq!(numbers(&[("1.5 0.5", 3)]), "1.5 2 2.5");
        assert_eq!(numbers(&[("of words", 1)]), "1");
        // A step of another kind changes nothing.
        assert_eq!(numbers(&[("1", 1), ("resume .5", 2)]), "1 2 3");
    }

    #[test]
    fn no_text_makes_numbers_long() {
        let long = |text: String| numbers(&[(&text, 1)]).len();
        assert!(long(format!("\"{}\"", "0".repeat(1_000))) < 100);
        assert!(long(format!("\"{}0{}\"", "x".repeat(1_000), "y".repeat(1_000))) < 100);
        assert!(long("1.".repeat(1_000) + "1") < 100);
    }
}
