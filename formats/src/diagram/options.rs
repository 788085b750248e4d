//! How diagrams are read where their own directives say nothing.

use super::directives::{self, Meaning};
use crate::source::quote;
use crate::suggest::did_you_mean;
use std::fmt;

/// The keys of options for all diagrams: directives that hold for a whole diagram, and are about no names.
const KEYS: [&str; 5] = ["self", "boxes", "messages", "loops", "allow"];

/// How diagrams are read: directives that hold for each whole diagram, unless one of its own says otherwise.
///
/// ```
/// use multitrace_formats::diagram::DiagramOptions;
/// let options: DiagramOptions = "self=send-receive,messages=call".parse().expect("options");
/// assert_eq!(options.to_string(), "self=send-receive,messages=call");
/// assert!("self=twice".parse::<DiagramOptions>().is_err());
/// ```
#[derive(Clone, Debug, Default)]
pub struct DiagramOptions {
    /// Keys and values as they are written, with their meanings.
    list: Vec<(&'static str, String, Meaning)>,
}

/// A text that says nothing of diagrams.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadDiagramOptions(String);

impl DiagramOptions {
    /// The names of the options.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        KEYS.into_iter()
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds the options of others, which win.
    pub fn extend(&mut self, others: DiagramOptions) {
        self.list.extend(others.list);
    }

    pub(super) fn meanings(&self) -> impl Iterator<Item = &Meaning> {
        self.list.iter().map(|(_, _, meaning)| meaning)
    }
}

impl std::str::FromStr for DiagramOptions {
    type Err = BadDiagramOptions;

    fn from_str(text: &str) -> Result<DiagramOptions, BadDiagramOptions> {
        let list = parts(text).map(option).collect::<Result<Vec<_>, String>>();
        list.map(|list| DiagramOptions { list }).map_err(BadDiagramOptions)
    }
}

/// `key=value,key=value`; a comma ends a value only before another key.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let begins = |rest: &str| {
        KEYS.iter().any(|key| rest.strip_prefix(key).is_some_and(|rest| rest.starts_with('=')))
    };
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let now = rest?;
        let mut commas = now.match_indices(',').map(|(at, _)| at);
        let end = commas.find(|at| begins(now[at + 1..].trim_start()));
        rest = end.map(|end| now[end + 1..].trim_start());
        Some(&now[..end.unwrap_or(now.len())])
    })
}

fn option(text: &str) -> Result<(&'static str, String, Meaning), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let Some(key) = KEYS.into_iter().find(|key| *key == name.trim()) else {
        let guess = did_you_mean(name, KEYS).map_or(String::new(), |guess| format!("{guess} "));
        let keys = KEYS.map(|key| format!("{key}=…")).join(", ");
        return Err(format!(
            "nothing of diagrams is called {}; {guess}there are {keys}",
            quote(name)
        ));
    };
    let value = value.trim().to_owned();
    let read =
        directives::read(key, &value).unwrap_or_else(|| Err("write it otherwise".to_owned()));
    match read {
        Ok(meaning) => Ok((key, value, meaning)),
        Err(help) => Err(format!("{key}={value}: {help}")),
    }
}

impl fmt::Display for DiagramOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = self.list.iter().map(|(key, value, _)| format!("{key}={value}"));
        f.write_str(&list.collect::<Vec<String>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_have_commas() {
        let text = "messages=/a,b/,allow=MT610, MT612,loops=2..5";
        let options: DiagramOptions = text.parse().expect("options");
        assert_eq!(options.to_string(), text);
        assert_eq!(options.meanings().count(), 3);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("self", "self=: write local or send-receive"),
            ("slf=local", "did you mean `self`? there are self=…"),
            ("", "nothing of diagrams is called ``"),
            ("loops=fast", "write `loop strict`"),
            ("messages=words", "write label, first-word, call or /REGEX/"),
        ] {
            let error = text.parse::<DiagramOptions>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
