//! The numbers of messages, as `autonumber` counts them (PlantUML's manual, "Message sequence numbering"; Mermaid's has the
//! first form, and steps with a point).

/// Counts messages.
#[derive(Debug)]
pub(super) struct Numbering {
    is_on: bool,
    next: Number,
    step: Number,
    /// The text around the number, and how many digits it has at least.
    before: String,
    digits: usize,
    after: String,
}

/// The number of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Number {
    /// Parts with points between them, of which the last one counts.
    Parts(Vec<u64>),
    /// Hundredths.
    Decimal(u64),
}

impl Default for Numbering {
    fn default() -> Numbering {
        let (next, step) = (Number::Parts(vec![1]), Number::Parts(vec![1]));
        Numbering {
            is_on: false,
            next,
            step,
            before: String::new(),
            digits: 0,
            after: String::new(),
        }
    }
}

impl Numbering {
    /// Follows the text after `autonumber`.
    pub(super) fn follow(&mut self, text: &str) {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match word {
            "off" | "stop" => self.is_on = false,
            "inc" => self.increment(rest.trim()),
            "resume" => {
                self.is_on = true;
                self.set_step(rest);
            }
            _ => {
                *self = Numbering { is_on: true, ..Numbering::default() };
                let (start, rest) = match text.starts_with('"') {
                    true => ("", text),
                    false => (word, rest),
                };
                self.set_step(rest);
                self.set_start(start);
            }
        }
    }

    /// The number of the next message, if it has one.
    pub(super) fn next(&mut self) -> Option<String> {
        if !self.is_on {
            return None;
        }
        let Numbering { before, digits, after, .. } = &*self;
        let text = match &self.next {
            Number::Parts(parts) => match parts[..] {
                [only] => format!("{only:0digits$}"),
                _ => parts.iter().map(u64::to_string).collect::<Vec<_>>().join("."),
            },
            Number::Decimal(hundredths) => decimal(*hundredths),
        };
        let text = format!("{before}{text}{after}");
        match (&mut self.next, &self.step) {
            (Number::Parts(parts), Number::Parts(step)) => {
                if let (Some(last), Some(step)) = (parts.last_mut(), step.last()) {
                    *last = last.saturating_add(*step);
                }
            }
            (Number::Decimal(value), Number::Decimal(step)) => *value = value.saturating_add(*step),
            // Both are set together.
            (Number::Parts(_), Number::Decimal(_)) | (Number::Decimal(_), Number::Parts(_)) => {}
        }
        Some(text)
    }

    /// A step, a format, or both; what is left out stays.
    fn set_step(&mut self, text: &str) {
        let (step, format) = match text.split_once('"') {
            Some((step, format)) => (step.trim(), Some(format.trim_end().trim_end_matches('"'))),
            None => (text.trim(), None),
        };
        if let Some(step) = number(step) {
            self.step = step;
        }
        let Some(format) = format else { return };
        let format = without_tags(format);
        let is_digit = |letter: char| letter == '0' || letter == '#';
        let start = format.find(is_digit).unwrap_or(format.len());
        let (before, rest) = format.split_at(start);
        let end = rest.find(|letter| !is_digit(letter)).unwrap_or(rest.len());
        self.digits = rest[..end].matches('0').count();
        (self.before, self.after) = (before.to_owned(), rest[end..].to_owned());
    }

    fn set_start(&mut self, text: &str) {
        let is_decimal = matches!(self.step, Number::Decimal(_));
        let start = match (is_decimal, hundredths(text)) {
            (true, Some(value)) => Some(Number::Decimal(value)),
            (true, None) => None,
            (false, _) => parts(text),
        };
        match start {
            Some(start) => self.next = start,
            None if is_decimal => self.next = Number::Decimal(100),
            None => {}
        }
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

/// A step: with a point it is a decimal number.
fn number(text: &str) -> Option<Number> {
    match text.contains('.') {
        true => hundredths(text).map(Number::Decimal),
        false => parts(text),
    }
}

/// Numbers between points, or other signs that part numbers.
fn parts(text: &str) -> Option<Number> {
    let parts = text.split(['.', ';', ',', ':']).map(str::parse);
    parts.collect::<Result<Vec<u64>, _>>().ok().map(Number::Parts)
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
    }
}
