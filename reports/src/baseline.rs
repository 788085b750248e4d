//! A baseline: the places of findings that are known and do not fail a run. A JSON file, one place
//! a line, sorted, so that it can be reviewed and compared.

use crate::groups::Fingerprint;
use crate::json_text::write_compact;
use multitrace_formats::source::{Diagnostic, Source, SourceError, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The version of the file. Versions 1 and 2 had other fingerprints.
const VERSION: u32 = 3;

/// The places that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The text for people about each place, by fingerprint.
    pub places: BTreeMap<Fingerprint, Known>,
}

/// A place as a baseline tells it to people; only the fingerprint counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The code of the failure.
    pub code: String,
    /// The sentence that names the fault.
    pub title: String,
}

/// The field that every version of the format has in its first line.
#[derive(Deserialize)]
struct Version {
    #[serde(rename = "multitrace-baseline")]
    version: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "multitrace-baseline")]
    _version: u32,
    places: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    fingerprint: String,
    code: String,
    title: String,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// When the text is not JSON, has another form or version, or holds a malformed fingerprint.
    pub fn parse(source: &Source) -> Result<Baseline, SourceError> {
        const REMEDY: &str = "‹write_baseline›";
        let error = |span: Span, message: String| {
            let diagnostic = Diagnostic::new(span, message, "").with_help(REMEDY);
            SourceError::new(source.clone(), diagnostic)
        };
        let text = without_last_comma(source.text());
        let malformed = |e: serde_json::Error| {
            error(span(source.text(), e.line(), e.column()), format!("not a baseline: {e}"))
        };
        let Version { version } = serde_json::from_str(&text).map_err(malformed)?;
        if version != VERSION {
            let reason = match version {
                1 => ", whose keys have the expected events in them and fit no finding",
                2 => ", which knows kinds of findings and would excuse others than were seen",
                _ => "",
            };
            let message =
                format!("a baseline of version {version}{reason}; this tool reads {VERSION}");
            return Err(error(Span::default(), message));
        }
        let file: File = serde_json::from_str(&text).map_err(malformed)?;
        let mut places = BTreeMap::new();
        for Entry { fingerprint, code, title } in file.places {
            let key = fingerprint.parse().map_err(|e| {
                let start = source.text().find(&fingerprint).unwrap_or(0);
                error(Span::new(start, start + fingerprint.len()), format!("{e}"))
            })?;
            places.insert(key, Known { code, title });
        }
        Ok(Baseline { places })
    }

    /// The text of the file.
    ///
    /// ```
    /// use multitrace_reports::baseline::Baseline;
    /// use multitrace_formats::source::Source;
    /// let text = Baseline::default().print();
    /// assert_eq!(Baseline::parse(&Source::new("b", text)).expect("valid"), Baseline::default());
    /// ```
    pub fn print(&self) -> String {
        let mut text = format!("{{\n\"multitrace-baseline\": {VERSION},\n\"places\": [");
        for (number, (fingerprint, known)) in self.places.iter().enumerate() {
            let Known { code, title } = known.clone();
            let entry = Entry { fingerprint: fingerprint.to_string(), code, title };
            let gap = if number == 0 { "\n" } else { ",\n" };
            // Strings can always be written, also into a String.
            let mut line = Vec::new();
            write_compact(&mut line, &entry).expect("memory takes everything");
            let _ = write!(text, "{gap}{}", String::from_utf8_lossy(&line));
        }
        text.push_str("\n]\n}\n");
        text
    }
}

/// The text without a comma before its last bracket, which is left when the last line is deleted. All
/// places stay as they are.
fn without_last_comma(text: &str) -> String {
    let mut text = text.to_owned();
    let before = text.rfind(']').map(|end| text[..end].trim_end());
    if let Some(comma) = before.and_then(|text| text.strip_suffix(',')).map(str::len) {
        text.replace_range(comma..=comma, " ");
    }
    text
}

/// The place that serde means: lines from 1, columns in bytes from 1, 0 before the first.
fn span(text: &str, line: usize, column: usize) -> Span {
    let starts = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start = starts.map(str::len).sum::<usize>() + column.saturating_sub(1);
    let start = start.min(text.len());
    Span::new(start, (start + 1).min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline() -> Baseline {
        let entry = |digit: &str, title: &str| {
            let known = Known { code: "MT101".to_owned(), title: title.to_owned() };
            (digit.repeat(32).parse().expect("a fingerprint"), known)
        };
        Baseline { places: [entry("b", "x \"y\""), entry("a", "first")].into() }
    }

    #[test]
    fn it_is_sorted_and_read_as_it_is_written() {
        let text = baseline().print();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[3].contains("first") && lines[4].contains("x \\\"y\\\""), "{text}");
        assert_eq!(lines.len(), 7);
        assert_eq!(Baseline::parse(&Source::new("b", text)).expect("valid"), baseline());
    }

    #[test]
    fn any_line_can_be_deleted() {
        let text = baseline().print();
        for (line, left) in [(3, "b"), (4, "a")] {
            let lines = text.lines().enumerate().filter(|(number, _)| *number != line);
            let text: String = lines.map(|(_, line)| format!("{line}\n")).collect();
            let read = Baseline::parse(&Source::new("b", text)).expect("valid");
            let keys: Vec<String> = read.places.keys().map(ToString::to_string).collect();
            assert_eq!(keys, [left.repeat(32)]);
        }
    }

    #[test]
    fn errors_name_the_place() {
        let error = |text: &str| {
            let error = Baseline::parse(&Source::new("b.json", text)).expect_err("an error");
            error.lines().collect::<Vec<_>>().join("\n")
        };
        assert!(error("").starts_with("b.json:1:1: not a baseline"));
        assert!(
            error("{\n\"multitrace-baseline\": 3, \"places\": 7}").starts_with("b.json:2:"),
            "{}",
            error("{\n\"multitrace-baseline\": 3, \"places\": 7}")
        );
        let version = baseline().print().replace(": 3,", ": 4,");
        assert!(error(&version).contains("version 4"));
        let old = error("{\n\"multitrace-baseline\": 1,\n\"groups\": []}");
        assert!(old.contains("a baseline of version 1, whose keys"), "{old}");
        let old = error("{\n\"multitrace-baseline\": 2,\n\"groups\": []}");
        assert!(old.contains("a baseline of version 2, which knows kinds"), "{old}");
        let broken = baseline().print().replace("aaaa", "AAAA");
        assert!(error(&broken).starts_with("b.json:4:17: a fingerprint has"), "{}", error(&broken));
    }
}
