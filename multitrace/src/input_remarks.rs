//! Remarks of the reports of a run on its input: records of event logs that made no event, and files that were left
//! out.

use crate::read_counts::ReadCounts;
use multitrace_formats::record_counts::{RecordCounts, RecordDetails};
use multitrace_formats::record_kinds::RecordKind;
use multitrace_formats::remedy::Remedy;
use multitrace_formats::source::quote;
use multitrace_interaction::Alphabet;
use multitrace_reports::codes::Code;
use multitrace_reports::demands::{kinds_text, remark};
use multitrace_reports::run_report::{Remark, ReportedGroup};
use multitrace_reports::summary::Summary;
use multitrace_reports::text::{counted, first_of, quoted};
use std::collections::BTreeSet;

/// Remarks on the input, the most important first: input that was not read, problems beyond those that are listed,
/// records without an event, and files that were left out.
pub(crate) fn input_remarks(
    problems: Option<String>,
    summary: &Summary,
    kinds: &[RecordKind],
    files: &BTreeSet<String>,
) -> Vec<Remark> {
    let input = summary.input.as_ref();
    let unmatched = input.filter(|input| input.unmatched > input.ignored);
    let without_rule = unmatched.map(|input| {
        let kinds = kinds_text(kinds, input.unmatched - input.ignored);
        remark(Code::Unmatched, format!("{}: {kinds}", unmatched_text(input)))
    });
    let empty = (summary.empty_files > 0)
        .then(|| format!("{} without any session or event", counted(summary.empty_files, "file")));
    let unread = "stopped at ‹max_failures›; later input was not checked".to_owned();
    let unread = summary.stopped.then_some(unread);
    let first = unread.into_iter().chain(problems).map(|it| remark(Code::InputNote, it));
    let is_never_list = |it: &&RecordCounts| it.without_list > 0 && it.without_list == it.records;
    let no_list = input.filter(is_never_list).map(|_| NO_LIST.to_owned());
    let notes = input.into_iter().flat_map(record_notes).chain(no_list).chain(empty);
    let reordered = (summary.reordered > 0).then(|| {
        format!(
            "{} accepted in another order than that of the input, and not in that one: the mapping says ties = \"any\"; if \
             each location has one file, in order, write ties = \"file\"",
            counted(summary.reordered, "session")
        )
    });
    let not_kept = (summary.not_kept > 0).then(|| {
        format!(
            "{} left out, as no [[keep-session]] of the mapping matches a record of them; see that no field that it tests \
             is damaged or has another name",
            counted(summary.not_kept, "session")
        )
    });
    let notes = notes.chain(not_kept).chain(reordered).chain(files.iter().cloned());
    first.chain(without_rule).chain(notes.map(|it| remark(Code::InputNote, it))).collect()
}

/// The remark on spans that repeat an earlier one.
pub(crate) fn repeated_remark(details: &RecordDetails, summary: &Summary) -> Option<Remark> {
    let count = summary.input.as_ref()?.repeated_spans;
    let (_, place) = details.repeated_span.as_ref().filter(|_| count > 0)?;
    let text = format!(
        "{} with the id and all fields of an earlier one, as after a second export, the first at {place}; with \
         repeated = \"drop\" in [spans] they are left out, else each makes events",
        counted(count, "span")
    );
    Some(remark(Code::InputNote, text))
}

/// The remark on rows that may not be in the order of their events, if that may be why sessions fail.
pub(crate) fn order_remark(details: &RecordDetails, summary: &Summary) -> Option<Remark> {
    let column = details.unused_order.as_ref().filter(|_| summary.fail > 0)?;
    let text = format!(
        "the mapping has no `order`, so events are in the order of their rows; if rows are not sorted by {}, write \
         order = {column:?} in [event]",
        quote(column)
    );
    Some(remark(Code::InputNote, text))
}

/// The remark on locations that logged nothing in any session, if that is why sessions are inconclusive.
pub(crate) fn silent_remark(
    groups: &[ReportedGroup],
    logged: &BTreeSet<String>,
    alphabet: &Alphabet,
) -> Option<Remark> {
    // More would fill the screen.
    const MOST: usize = 5;
    groups.iter().find(|it| it.group.finding.code == Code::Partial)?;
    let letters = alphabet.letters_by_location();
    let known = alphabet.locations().zip(&letters).filter(|(_, letters)| !letters.is_empty());
    let names = known.map(|(location, _)| alphabet.location_name(location).to_owned());
    let silent: Vec<String> = names.filter(|name| !logged.contains(name)).collect();
    let first = silent.get(..MOST).unwrap_or(&silent);
    let unlogged = match silent.len() {
        0 => return None,
        1..=MOST => Remedy::Unlogged.to(quoted(&silent.join(","))),
        // A part of the list would not help.
        _ => Remedy::Unlogged.to_string(),
    };
    let text = format!(
        "nothing was logged at {} in any session: find these logs, or, if nothing there is ever logged, judge the others \
         alone by {unlogged}",
        first_of(first, silent.len() as u64)
    );
    Some(remark(Code::InputNote, text))
}

/// The remarks of an input that no report is made of, as texts with names of options.
pub(crate) fn input_notes(read: &ReadCounts, files: &[String]) -> Vec<String> {
    let summary =
        Summary { input: read.counts, empty_files: read.empty_files, ..Summary::default() };
    let files = files.iter().cloned().collect();
    let remarks = input_remarks(None, &summary, &read.details.unmatched.by_count(), &files);
    let repeated = repeated_remark(&read.details, &summary);
    remarks.into_iter().chain(repeated).map(|it| it.message).collect()
}

const NO_LIST: &str =
    "no record has a list where `for-each` in [input] looks for one: each record counted once";

/// The notes on the records of a run beside those without a rule.
fn record_notes(input: &RecordCounts) -> Vec<String> {
    let notes = [
        (
            (input.other_pattern, "record"),
            "went to another pattern than the leftmost match: patterns win by their order in the list; write \
             patterns-win = \"first\" in [input] if this is right, \"leftmost\" if not",
        ),
        (
            (input.unused_patterns, "pattern"),
            "of the mapping won no record; ‹map_explain› names them",
        ),
        (
            (input.without_session, "event"),
            "left out: their records name no session, and no record tells the session of their id ([[join]])",
        ),
        (
            (input.not_kept, "record"),
            "left out, as no [[keep]] of the mapping matches; ‹map_explain› shows them",
        ),
        (
            (input.dropped_files, "file"),
            "without any record after [[drop]] and [[keep]]; ‹map_explain› shows them",
        ),
        ((input.empty_files, "file"), "without any record"),
        (
            (input.unfinished_pages, "document"),
            "with a mark that another page follows; see that all pages are among the inputs",
        ),
        ((input.unanswered, "request"), "without a response (reply-to)"),
        (
            (input.unasked, "response"),
            "without a request (reply-to): named `unasked`, unless the mapping names them",
        ),
    ];
    let found = notes.into_iter().filter(|((count, _), _)| *count > 0);
    found.map(|((count, what), note)| format!("{} {note}", counted(count, what))).collect()
}

fn unmatched_text(input: &RecordCounts) -> String {
    let RecordCounts { unmatched, without_pattern, before_start, .. } = *input;
    let told = without_pattern + before_start + input.without_column;
    let without_rule = unmatched - told;
    let mut notes = Vec::new();
    let mut add = |count: u64, unit: &str, note: &str| {
        if count > 0 {
            notes.push(note.replace("{}", &counted(count, unit)));
        }
    };
    add(without_rule, "record", "no rule of the mapping matched {}; ‹map_explain› shows them");
    add(
        input.without_column,
        "record",
        "no rule of the mapping matched {} without a value that a rule or filter tests: its table has no such column, or its \
         JSON is damaged; ‹map_explain› names it",
    );
    add(
        without_pattern,
        "line",
        "no pattern of the mapping matched {}; add a pattern, or leave such lines out with [[drop]]; \
         ‹map_explain› shows them",
    );
    add(
        before_start,
        "line",
        "{} came before the first one that matches `start`; ‹map_explain› shows them",
    );
    notes.join("; ")
}
