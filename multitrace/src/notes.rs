//! Notes on a run beside its findings and its input: a mapping or a baseline that does not fit.

use crate::report::Report;
use multitrace_formats::shorten::visible;
use multitrace_reports::finding::Finding;
use multitrace_reports::first_errors::SHOWN_PROBLEMS;
use multitrace_reports::outcome::RunOutcome;
use multitrace_reports::text::counted;

/// How many sessions must fail before a mapping is suspected: fewer fail alike by chance.
const SUSPICIOUS: u64 = 10;

/// The remedy for files of sessions that hold none.
pub const EVENT_LOGS: &str =
    "event logs, with one event a line, take ‹events=MAP.toml›; ‹map_init› proposes a mapping";

#[doc(hidden)]
impl Report {
    /// Notes on the run for people, beside its findings, the most important first.
    /// [`Words`](multitrace_formats::remedy::Words) spell the remedies in it.
    pub fn notes(&self) -> Vec<String> {
        let summary = self.summary();
        let mut notes = Vec::new();
        if summary.input.is_none() && summary.errors > 0 && summary.sessions == 0 {
            notes.push(EVENT_LOGS.to_owned());
        }
        if summary.input.is_some() && self.fails_alike() {
            notes.push(
                "most sessions fail alike or no record became an event, so the mapping may not fit; \
                 ‹map_check› compares the log with the specification"
                    .to_owned(),
            );
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
            0 if events > 0 => format!("no session of {} was selected; ask for others", counted(events, "event")),
            0 => "the inputs hold no session; give some that do, and see what becomes of each record of an event log \
                  by ‹map_explain›"
                .to_owned(),
            other => format!("none of {} was selected; ask for others", counted(other, "session")),
        };
        let is_nothing = self.outcome() == RunOutcome::NothingChecked;
        is_nothing.then(|| format!("nothing was checked: {why}"))
    }

    /// Whether over nine in ten sessions are in one group of failures that a wrong mapping makes, or no
    /// record became an event at all.
    fn fails_alike(&self) -> bool {
        let summary = self.summary();
        let alphabet = self.monitor().alphabet();
        let is_unknown = |event: &String| alphabet.letter(event).is_none();
        let is_of_mapping =
            |it: &Finding| it.is_stop() || it.event.as_ref().is_some_and(is_unknown);
        let mut groups = self.groups().iter().map(|group| &group.group);
        let is_large = |count: u64| count * 10 > summary.sessions * 9;
        let is_empty = summary.input.is_some_and(|input| input.records > 0 && input.mapped == 0);
        let is_alike = groups.any(|group| is_of_mapping(&group.finding) && is_large(group.count));
        is_empty || summary.fail >= SUSPICIOUS && is_alike
    }
}
