//! A mapping proposed by looking at the first records of an input: a start for a person to edit.

// A wrong guess costs more than a question: it makes sessions that look right. So a part of an event is proposed only
// if one field is called like it and has the values of it, better than all others. Else the mapping lacks the part; a
// comment asks, shows the likeliest fields with their values, and has the line to complete. Until then, reading the
// mapping names the missing parts.

mod asking;
mod continued;
mod ends;
mod field_words;
mod guesses;
mod header;
mod headless;
mod joins;
mod json_text;
mod learnt;
mod messages;
mod order;
mod part_ids;
mod records;
mod replicas;
mod runs;
mod same_ids;
mod security;
mod session_file;
mod sessions;
mod several;
mod sip;
mod span_rows;
mod templates;
mod text;
mod text_rules;
mod ties;
mod times;
mod token;
mod tools;
mod trial;
mod values;
mod verbs;
mod w3c;
mod words;
mod xes;

pub use several::propose_files;
pub(crate) use times::time_column;

use crate::error::EventError;
use crate::format::Format;
use crate::formats::Proposal;
use crate::survey::{LookedAt, Survey, survey};
use multitrace_formats::shorten::visible_json;
use std::io::Read;

/// Proposes a mapping for an input, which may be compressed. The text is a mapping, perhaps with questions in place of
/// parts; its comments say why.
///
/// # Errors
/// When the input cannot be read, and when it holds sessions, which need no mapping.
pub fn propose<'r>(file: &str, reader: impl Read + Send + 'r) -> Result<String, EventError> {
    propose_in(file, reader, (None, LookedAt::One))
}

/// The same for an input of this format, if it is known, and of some files.
fn propose_in<'r>(
    file: &str,
    reader: impl Read + Send + 'r,
    (format, files): (Option<Format>, LookedAt),
) -> Result<String, EventError> {
    let mut survey = survey(file, reader, format)?;
    survey.files = files;
    if let Some(reason) = session_file::reason(file, &survey.lines) {
        let message = format!("these are sessions, which need no mapping: {reason}");
        let help = "check them as they are, without a mapping";
        return Err(EventError::without_text(file, None, message, help));
    }
    if let Some(text) = tools::proposal(&survey).filter(|_| format.is_none()) {
        return Ok(text);
    }
    if let Some(text) = sip::proposal(&survey.lines).filter(|_| format.is_none()) {
        return Ok(text);
    }
    if let Some((name, help)) = unread_format(&survey).filter(|_| format.is_none()) {
        let message = format!("this looks like {name}, which is not read");
        return Err(EventError::without_text(file, None, message, help));
    }
    if let Some(line) = headless::line_below_title(&survey).filter(|_| are_unread(&survey)) {
        let message = format!("lines stand above that with the names of the columns, line {line}");
        let help = format!("leave them out: tail -n +{line} FILE");
        return Err(EventError::without_text(file, None, message, help));
    }
    // Lines that end with JSON have as many commas as tables.
    let may_be_text =
        matches!(survey.proposal, Proposal::Lines) || matches!(survey.format, Format::Csv);
    let of_json = || json_text::survey(file, &survey).filter(|_| may_be_text);
    let of_text = w3c::survey(file, &survey).or_else(of_json);
    if let Some(by_pattern) = of_text.or_else(|| headless::survey(file, &survey)) {
        survey = by_pattern;
    }
    if let Some(error) = survey.broken.take() {
        return Err(error);
    }
    let calls = tools::calls(&survey);
    if let Some(path) = &calls {
        survey.samples.retain(|sample| !sample.path.starts_with(path));
    }
    let proposal = match &survey.proposal {
        Proposal::Traces => xes::proposal(&survey.lines),
        Proposal::Whole(text) => text.clone(),
        Proposal::Lines if survey.lines.trim().is_empty() => text::without_lines(),
        Proposal::Lines if survey.pattern.is_none() => text::proposal(&survey.lines, files),
        _ if survey.samples.is_empty() => records::of_nothing(&survey),
        _ => span_rows::proposal(&survey)
            .unwrap_or_else(|| records::of_samples(&survey, calls.as_deref())),
    };
    Ok(visible_json(&without_controls(proposal)).into_owned())
}

/// Whether hardly a record can be read, or all of it has one column.
fn are_unread(survey: &Survey) -> bool {
    survey.records == 0
        || survey.samples.len() == 1
        || survey.unreadable.as_ref().is_some_and(|(count, _)| *count > survey.records)
}

/// The name of a format whose lines are not records, and the remedy.
fn unread_format(survey: &Survey) -> Option<(&'static str, &'static str)> {
    let text = survey.lines.trim_start();
    let is_lines = matches!(survey.proposal, Proposal::Lines | Proposal::Pairs { .. });
    match () {
        () if text.starts_with("{:") => Some(("EDN", "convert it to JSON, an object a line")),
        () if is_lines && text.starts_with("__CURSOR=") => Some((
            "the export format of journald",
            "write it with journalctl -o json, and propose a mapping for that",
        )),
        () if is_lines && is_xml(text) => {
            Some(("XML", "convert it to JSON, an object for each event; of XML, XES is read"))
        }
        () => None,
    }
}

/// Whether a text is XML whose elements are not lines of their own: patterns read such as `<Event Type="x"/>`.
fn is_xml(text: &str) -> bool {
    let is_element = |line: &str| line.starts_with('<') && line.ends_with("/>");
    ["<?xml", "<Event "].iter().any(|it| text.starts_with(it))
        && !text.lines().any(|line| is_element(line.trim()))
}

/// TOML has no control characters in comments, where words of the log stand; in its texts they are escaped
/// already. TOML has the escapes of JSON for other characters that a terminal takes for more than a text.
fn without_controls(proposal: String) -> String {
    let is_wrong = |c: char| c.is_ascii_control() && !matches!(c, '\n' | '\t');
    if proposal.contains(is_wrong) { proposal.replace(is_wrong, " ") } else { proposal }
}
