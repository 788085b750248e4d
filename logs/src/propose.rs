//! A mapping proposed by looking at the first records of an input: a start for a person to edit.

// A wrong guess costs more than a question: it makes sessions that look right. So a part of an event is proposed only
// if one field is called like it and has the values of it, better than all others. Else the mapping lacks the part; a
// comment asks, shows the likeliest fields with their values, and has the line to complete. Until then, reading the
// mapping names the missing parts.

mod asking;
mod ends;
mod field_words;
mod guesses;
mod header;
mod joins;
mod json_text;
mod learnt;
mod messages;
mod order;
mod part_ids;
mod records;
mod runs;
mod same_ids;
mod session_file;
mod sessions;
mod templates;
mod text;
mod ties;
mod times;
mod token;
mod tools;
mod trial;
mod values;
mod words;
mod xes;

use crate::error::EventError;
use crate::format::Format;
use crate::formats::{Proposal, keyed_records};
use crate::survey::{Survey, survey};
use multitrace_formats::shorten::visible_json;
use multitrace_formats::source::quote;
use std::io::Read;

/// Proposes a mapping for an input, which may be compressed. The text is a mapping, perhaps with questions in place of
/// parts; its comments say why.
///
/// # Errors
/// When the input cannot be read, and when it holds sessions, which need no mapping.
pub fn propose<'r>(file: &str, reader: impl Read + Send + 'r) -> Result<String, EventError> {
    let mut survey = survey(file, reader)?;
    if let Some(reason) = session_file::reason(file, &survey.lines) {
        let message = format!("these are sessions, which need no mapping: {reason}");
        let help = "check them as they are: multitrace check SPEC FILE";
        return Err(EventError::without_text(file, None, message, help));
    }
    if let Some(text) = tools::proposal(&survey) {
        return Ok(text);
    }
    if survey.lines.trim_start().starts_with("{:") {
        let message = "this looks like EDN, which is not read";
        return Err(EventError::without_text(
            file,
            None,
            message,
            "convert it to JSON, an object a line",
        ));
    }
    if matches!(survey.proposal, Proposal::Lines)
        && let Some(of_json) = json_text::survey(file, &survey)
    {
        survey = of_json;
    }
    if let Some(error) = of_keyed_records(file, &survey) {
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
        Proposal::Lines if survey.pattern.is_none() => text::proposal(&survey.lines),
        _ if survey.samples.is_empty() => records::of_nothing(&survey),
        _ => records::of_samples(&survey, calls.as_deref()),
    };
    Ok(visible_json(&without_controls(proposal)).into_owned())
}

/// The error for a document whose records are the values of an object, such as those of OCEL 1.
fn of_keyed_records(file: &str, survey: &Survey) -> Option<EventError> {
    let is_json = matches!(survey.format, Format::Json | Format::JsonLines);
    if !is_json || survey.documents.is_some() || survey.records > 1 {
        return None;
    }
    let path = keyed_records(&survey.lines)?;
    let name = if path.starts_with("ocel:events") { "this is OCEL 1: " } else { "" };
    let message = format!(
        "{name}its records are the values of an object, {}, and cannot be read: records stand in lists",
        quote(&path)
    );
    let key = path.replace('"', "").replace('.', "\".\"");
    let help = format!(
        "write a line for each: jq -c '.\"{key}\" | to_entries[] | {{id: .key}} + .value' FILE > events.jsonl"
    );
    Some(EventError::without_text(file, None, message, &help))
}

/// TOML has no control characters in comments, where words of the log stand; in its texts they are escaped
/// already. TOML has the escapes of JSON for other characters that a terminal takes for more than a text.
fn without_controls(proposal: String) -> String {
    let is_wrong = |c: char| c.is_ascii_control() && !matches!(c, '\n' | '\t');
    if proposal.contains(is_wrong) { proposal.replace(is_wrong, " ") } else { proposal }
}
