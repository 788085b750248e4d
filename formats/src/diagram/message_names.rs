//! How the text of an arrow becomes the name of a message.

use crate::source::quote;
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use std::fmt;

/// A rule for names of messages.
#[derive(Clone, Debug, Default)]
pub enum MessageNames {
    /// The text itself, with single spaces.
    #[default]
    Label,
    /// Its first word, without the punctuation behind it.
    FirstWord,
    /// The function that is called: `add` of `total = add(1, 2)`.
    Call,
    /// The match of a regular expression: its first group, or else all it matches.
    Regex(Box<NamePattern>),
}

/// A regular expression, and its text.
#[derive(Clone, Debug)]
pub struct NamePattern {
    regex: Regex,
    text: String,
}

/// A text that is not a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}; write label, first-word, call or /REGEX/")]
pub struct BadMessageNames {
    message: String,
}

impl std::str::FromStr for MessageNames {
    type Err = BadMessageNames;

    /// ```
    /// use multitrace_formats::diagram::MessageNames;
    /// let names: MessageNames = "call".parse().expect("a rule");
    /// assert_eq!(names.name("ok = add(1, 2)"), "add");
    /// assert!("words".parse::<MessageNames>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<MessageNames, BadMessageNames> {
        match text {
            "label" => return Ok(MessageNames::Label),
            "first-word" => return Ok(MessageNames::FirstWord),
            "call" => return Ok(MessageNames::Call),
            _ => {}
        }
        let inside = text.strip_prefix('/').and_then(|text| text.strip_suffix('/'));
        let Some(pattern) = inside else {
            let message = format!("no way to name messages is called {}", quote(text));
            return Err(BadMessageNames { message });
        };
        match Regex::new(pattern) {
            Ok(regex) => {
                Ok(MessageNames::Regex(Box::new(NamePattern { regex, text: text.to_owned() })))
            }
            Err(error) => {
                let why =
                    error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
                let why = why.lines().last().unwrap_or_default().to_owned();
                let message = format!("{} is not a regular expression: {why}", quote(text));
                Err(BadMessageNames { message })
            }
        }
    }
}

impl fmt::Display for MessageNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MessageNames::Label => "label",
            MessageNames::FirstWord => "first-word",
            MessageNames::Call => "call",
            MessageNames::Regex(pattern) => &pattern.text,
        })
    }
}

impl MessageNames {
    /// The name of a text. A text in which the rule finds nothing is its own name.
    pub fn name(&self, text: &str) -> String {
        let label = one_line(text);
        let found = match self {
            MessageNames::Label => None,
            MessageNames::FirstWord => first_word(&label).map(str::to_owned),
            MessageNames::Call => call(&label).map(str::to_owned),
            MessageNames::Regex(pattern) => pattern.find(&label),
        };
        found.filter(|name| !name.is_empty()).unwrap_or(label)
    }
}

impl NamePattern {
    fn find(&self, label: &str) -> Option<String> {
        let mut captures: Captures = self.regex.create_captures();
        self.regex.captures(label, &mut captures);
        let span = captures.get_group(1).or_else(|| captures.get_match().map(|it| it.span()))?;
        Some(label[span.range()].trim().to_owned())
    }
}

/// A text with single spaces for all white space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn first_word(label: &str) -> Option<&str> {
    let word = label.split(' ').next()?;
    Some(word.trim_end_matches([':', ',', '.', ';', '!', '?']))
}

/// The name directly before a parenthesis, with the object it belongs to: `store.put`.
fn call(label: &str) -> Option<&str> {
    let (before, _) = label.split_once('(')?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-' | '>');
    let name = before.rsplit(|c| !is_part(c)).next()?;
    name.starts_with(|c: char| c.is_alphabetic() || c == '_').then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_named_by_the_rule() {
        let name = |rule: &str, text: &str| rule.parse::<MessageNames>().expect(rule).name(text);
        assert_eq!(name("label", " GET  /cart\nnow "), "GET /cart now");
        assert_eq!(name("first-word", "Login: user, password"), "Login");
        assert_eq!(name("call", "result = store.put(key, value)"), "store.put");
        assert_eq!(name("call", "HTTP 200 (OK)"), "HTTP 200 (OK)");
        assert_eq!(name("call", "1. add(x)"), "add");
        assert_eq!(name("call", "ok"), "ok");
        assert_eq!(name("call", "(ok)"), "(ok)");
        assert_eq!(name(r"/^\d+\. (.*)$/", "12. Pay now"), "Pay now");
        assert_eq!(name("/GET|POST/", "send POST /x"), "POST");
        assert_eq!(name("/GET|POST/", "reply"), "reply");
    }

    #[test]
    fn a_bad_rule_is_explained() {
        let error = |text: &str| text.parse::<MessageNames>().expect_err(text).to_string();
        assert_eq!(
            error("words"),
            "no way to name messages is called `words`; write label, first-word, call or /REGEX/"
        );
        assert!(
            error("/(/").starts_with("`/(/` is not a regular expression: "),
            "{}",
            error("/(/")
        );
    }
}
