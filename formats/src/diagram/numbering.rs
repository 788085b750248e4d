//! The numbers of messages, as `autonumber` counts them (PlantUML's manual, "Message sequence numbering"; Mermaid's
//! renderer, which also counts the messages that show no number).

use crate::shorten::shorten;

/// The most digits and parts of a number, and characters around it: more are too many to read, and each message
/// has one.
const MOST: usize = 26;

/// Counts messages.
///
/// ```
/// use multitrace_formats::diagram::Numbering;
/// let mut numbering = Numbering::default();
/// numbering.follow("10 5", false);
/// let numbers = [numbering.number(), numbering.number()];
/// assert_eq!(numbers, ["10", "15"].map(|it| Some(it.to_owned())));
/// ```
#[derive(Clone, Debug)]
pub struct Numbering {
    is_on: bool,
    /// How many messages showed no number since the last change.
    hidden: u64,
    next: Number,
    /// In hundredths for a decimal number.
    step: u64,
    /// The text around the number, and how many digits it has at least.
    before: String,
    digits: usize,
    after: String,
}

/// The number of a message.
#[derive(Clone, Debug)]
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
            hidden: 0,
            next: Number::Parts(vec![1]),
            step: 1,
            before: String::new(),
            digits: 0,
            after: String::new(),
        }
    }
}

impl Numbering {
    /// Follows the text after `autonumber`. Where messages without a number count, they do so since the last change.
    pub fn follow(&mut self, text: &str, counts_hidden: bool) {
        if counts_hidden {
            return self.follow_mermaid(text);
        }
        let (numbers, format) = match text.split_once('"') {
            Some((numbers, format)) => (numbers, Some(format.trim_end().trim_end_matches('"'))),
            None => (text, None),
        };
        let mut words = numbers.split_whitespace();
        match words.next().unwrap_or_default() {
            "stop" => return self.is_on = false,
            "inc" => return self.increment(words.next().unwrap_or_default()),
            "resume" => self.is_on = true,
            start => {
                *self = Numbering { is_on: true, next: parts(start), ..Numbering::default() };
            }
        }
        self.step = words.next().and_then(|it| it.parse().ok()).unwrap_or(self.step);
        if let Some(format) = format {
            self.set_format(format);
        }
    }

    fn follow_mermaid(&mut self, text: &str) {
        let mut words = text.split_whitespace();
        let start = words.next();
        if start == Some("off") {
            return self.is_on = false;
        }
        let (next, step) = match self.next {
            Number::Decimal(next) => (next, self.step),
            Number::Parts(_) => (100, 100),
        };
        let next = next.saturating_add(step.saturating_mul(self.hidden));
        // Zero changes nothing there.
        let number = |word| hundredths(word).filter(|it| *it > 0);
        let own_step = if start.is_some() { words.next().map_or(Some(100), number) } else { None };
        *self = Numbering {
            is_on: true,
            next: Number::Decimal(start.and_then(number).unwrap_or(next)),
            step: own_step.unwrap_or(step),
            ..Numbering::default()
        };
    }

    /// The number of the next message, if it has one.
    pub fn number(&mut self) -> Option<String> {
        if !self.is_on {
            self.hidden = self.hidden.saturating_add(1);
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

    /// The text after `autonumber` by which another numbering goes on like this one; `None` if there is no such text.
    /// Formats are left out.
    pub(super) fn as_said_for(&self, other: &Numbering, counts_hidden: bool) -> Option<String> {
        if !self.is_on {
            return Some(if counts_hidden { "off" } else { "stop" }.to_owned());
        }
        let (next, step) = self.in_hundredths()?;
        let (next, step) = (decimal(next), decimal(step));
        let texts = [String::new(), next.clone(), format!("{next} {step}")];
        texts.into_iter().find(|text| {
            let mut numbering = other.clone();
            numbering.follow(text, counts_hidden);
            numbering.in_hundredths() == self.in_hundredths()
        })
    }

    /// Whether numbers have a text around them, or zeros in front.
    pub(super) fn has_format(&self) -> bool {
        self.digits > 1 || !self.before.is_empty() || !self.after.is_empty()
    }

    /// The next number and the step.
    fn in_hundredths(&self) -> Option<(u64, u64)> {
        match &self.next {
            Number::Parts(parts) => match parts[..] {
                [only] => Some((only.checked_mul(100)?, self.step.checked_mul(100)?)),
                _ => None,
            },
            Number::Decimal(next) => Some((*next, self.step)),
        }
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

fn parts(text: &str) -> Number {
    let parts = text.split(['.', ';', ',', ':']).take(MOST).map(str::parse);
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
    Some(whole.saturating_mul(100).saturating_add(rest))
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
    fn numbers(texts: &[(&str, usize)], counts_hidden: bool) -> String {
        let mut numbering = Numbering::default();
        let mut told = Vec::new();
        for (text, count) in texts {
            numbering.follow(text, counts_hidden);
            let next = (0..*count).map(|_| numbering.number().unwrap_or_else(|| "-".to_owned()));
            told.extend(next);
        }
        told.join(" ")
    }

    fn plantuml(texts: &[(&str, usize)]) -> String {
        numbers(texts, false)
    }

    fn mermaid(texts: &[(&str, usize)]) -> String {
        numbers(texts, true)
    }

    #[test]
    fn plantuml_counts_the_messages_that_show_numbers() {
        assert_eq!(plantuml(&[("", 3)]), "1 2 3");
        assert_eq!(plantuml(&[("10 5", 2), ("stop", 1), ("resume", 2)]), "10 15 - 20 25");
        assert_eq!(plantuml(&[("5", 1), ("stop", 1), ("resume 10", 2)]), "5 - 6 16");
        assert_eq!(
            plantuml(&[("1.1.1", 2), ("inc A", 1), ("inc B", 2)]),
            "1.1.1 1.1.2 2.1.1 2.2.1 2.2.2"
        );
        assert_eq!(plantuml(&[("6.1", 2)]), "6.1 6.2");
        assert_eq!(plantuml(&[("1 \"<b>[000]\"", 2)]), "[001] [002]");
        assert_eq!(plantuml(&[("\"<b>DISC-#</b>\"", 2)]), "DISC-1 DISC-2");
        assert_eq!(plantuml(&[("1 1 \"Message 0:\"", 1), ("resume \"(0)\"", 1)]), "Message 1: (2)");
        assert_eq!(plantuml(&[("of words", 1)]), "1");
        // A step of another kind changes nothing.
        assert_eq!(plantuml(&[("1", 1), ("resume .5", 2)]), "1 2 3");
    }

    #[test]
    fn mermaid_counts_all_messages() {
        assert_eq!(mermaid(&[("", 3)]), "1 2 3");
        assert_eq!(mermaid(&[("10 5", 2), ("off", 2), ("", 2)]), "10 15 - - 30 35");
        assert_eq!(mermaid(&[("off", 2), ("", 2), ("7", 2)]), "- - 3 4 7 8");
        assert_eq!(mermaid(&[("10.1 .01", 2), ("off", 1)]), "10.1 10.11 -");
        assert_eq!(mermaid(&[("1.5 0.5", 3), ("1.5", 2)]), "1.5 2 2.5 1.5 2.5");
        assert_eq!(mermaid(&[("4 2", 1), ("0", 1), ("0 0", 2)]), "4 6 7 8");
    }

    #[test]
    fn no_text_makes_numbers_long() {
        let long = |text: String| plantuml(&[(&text, 1)]).len();
        assert!(long(format!("\"{}\"", "0".repeat(1_000))) < 100);
        assert!(long(format!("\"{}0{}\"", "x".repeat(1_000), "y".repeat(1_000))) < 100);
        assert!(long("1.".repeat(1_000) + "1") < 100);
    }
}
