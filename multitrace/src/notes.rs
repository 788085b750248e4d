//! What people should know of a run beside its findings: records of event logs that made no event, a
//! mapping or a list that does not fit.

use crate::report::Report;
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::shorten::{shorten, visible};
use multitrace_reports::codes::Code;
use multitrace_reports::first_errors::SHOWN_PROBLEMS;
use multitrace_reports::outcome::RunOutcome;
use multitrace_reports::text::counted;

/// How many sessions must fail before a mapping is suspected: fewer fail alike by chance.
const SUSPICIOUS: u64 = 10;

#[doc(hidden)]
impl Report {
    /// What people should know of the run beside its findings, the most important first.
    /// [`Words`](multitrace_formats::remedy::Words) spell the remedies in it.
    pub fn notes(&self) -> Vec<String> {
        let summary = self.summary();
        let mut notes = Vec::new();
        if summary.input.is_none() && summary.errors > 0 && summary.sessions == 0 {
            notes.push(
                "event logs, with one event a line, take ‹events=MAP.toml›; ‹map_init› \
                 proposes a mapping"
                    .to_owned(),
            );
        }
        notes.extend(summary.input.iter().flat_map(record_notes));
        if summary.input.is_some() && self.fails_alike() {
            notes.push(
                "most sessions fail alike or no record became an event, so the mapping may not fit; \
                 ‹map_check› compares the log with the specification"
                    .to_owned(),
            );
        }
        let missing = self.missing_sessions();
        if let [first, ..] = *missing {
            let count = counted(missing.len() as u64, "session");
            let id = shorten(first, 100);
            notes.push(format!("{count} of ‹only_sessions› did not occur, first {id:?}"));
        }
        for (key, known) in self.run().absent.iter().take(SHOWN_PROBLEMS as usize) {
            let title = visible(&known.title);
            notes.push(format!("of the baseline, {key} did not occur: {title}"));
        }
        notes
    }

    /// Why nothing was checked, if nothing was.
    pub fn why_nothing(&self) -> Option<String> {
        let summary = self.summary();
        let events = summary.input.map_or(0, |input| input.not_selected);
        let why = match summary.not_selected {
            0 if events > 0 => format!("no session of {} was selected", counted(events, "event")),
            0 => "the inputs hold no session".to_owned(),
            other => format!("none of {} was selected", counted(other, "session")),
        };
        let is_nothing = self.outcome() == RunOutcome::NothingChecked;
        is_nothing.then(|| format!("nothing was checked: {why}"))
    }

    /// Whether over nine in ten sessions are in one group of failures that a wrong mapping makes, or no
    /// record became an event at all.
    fn fails_alike(&self) -> bool {
        let summary = self.summary();
        let is_of_mapping =
            |code| matches!(code, Code::UnknownEvent | Code::UnknownLocation | Code::EndedTooEarly);
        let mut groups = self.groups().iter().map(|group| &group.group);
        let is_large = |count: u64| count * 10 > summary.sessions * 9;
        let is_empty = summary.input.is_some_and(|input| input.records > 0 && input.mapped == 0);
        let is_alike =
            groups.any(|group| is_of_mapping(group.finding.code) && is_large(group.count));
        is_empty || summary.fail >= SUSPICIOUS && is_alike
    }
}

/// The notes on the records of a run, the most important first.
fn record_notes(input: &RecordCounts) -> Vec<String> {
    let mut notes = Vec::new();
    if input.unmatched > input.ignored {
        notes.extend(unmatched(input));
    }
    if input.other_pattern > 0 {
        let count = counted(input.other_pattern, "record");
        notes.push(format!(
            "{count} went to another pattern than the leftmost match: patterns win by their order in \
             the list; write patterns-win = \"first\" in [input] if this is right, \"leftmost\" if not"
        ));
    }
    if input.unused_patterns > 0 {
        let count = counted(input.unused_patterns, "pattern");
        notes.push(format!("{count} of the mapping won no record; ‹map_explain› names them"));
    }
    if input.without_session > 0 {
        let count = counted(input.without_session, "event");
        notes.push(format!(
            "{count} left out: their records name no session, and no record tells the session of their \
             id ([[join]])"
        ));
    }
    notes
}

fn unmatched(input: &RecordCounts) -> Vec<String> {
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
        "no rule of the mapping matched {} of tables without a column that a rule tests; ‹map_explain› \
         names the column",
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
    notes
}
