//! Local findings: the events of a log that the specification does not know, those that are
//! impossible where they stand, and an end that comes too early (paper 004 sec. 4.1).
//
// Idea: a walk reads each log forwards and passes over unknown events. Where it refuses an event, it
// goes on behind it from any state, so that the rest is judged as a factor (non-correcting error
// recovery: Richter, Noncorrecting syntax error recovery, TOPLAS 1985). So a later fault is found
// although the walk does not know what the earlier one stood for.
//
// Invariant: each finding is certain. The stretches between two of them do not overlap, and none
// of them is a factor of a log that the specification allows.
//
// Cost: that of the walk, and a new walk for each impossible event. Failures only.

use crate::local_walk::LocalWalk;
use crate::monitor::Monitor;
use multitrace_interaction::{
    Failure, Id, LetterId, LocalFailure, LocationId, Observation, Session, Stop,
};
use std::collections::HashSet;

/// What is wrong with each log alone.
#[derive(Debug, Default)]
pub(crate) struct LocalFindings {
    /// Events that the specification does not know.
    pub(crate) unknown: Vec<LocalFailure>,
    /// Events that are impossible where they stand.
    pub(crate) impossible: Vec<LocalFailure>,
    /// Logs that end too early.
    pub(crate) early_ends: Vec<LocalFailure>,
    /// How many further unknown events repeat one of those, beyond the limit.
    pub(crate) omitted_unknown: u64,
    /// The same of impossible events.
    pub(crate) omitted_impossible: u64,
    /// Per known location, the index before which its log is possible: that of the first
    /// impossible event, or its length if it ends too early; `None` if the log is possible.
    pub(crate) cuts: Vec<Option<usize>>,
}

impl LocalFindings {
    /// Whether nothing is wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.unknown.is_empty() && self.impossible.is_empty() && self.early_ends.is_empty()
    }
}

/// What is wrong with each log of a session; once `stop` says that its time is over, not everything.
pub(crate) fn local_findings(
    monitor: &Monitor,
    session: &Session,
    observation: Observation,
    stop: Option<Stop>,
) -> LocalFindings {
    let mut findings = LocalFindings::default();
    for location in monitor.locations() {
        let log = Log { monitor, session, location, observation, stop: stop.clone() };
        let cut = log.judge(&mut findings);
        findings.cuts.push(cut);
    }
    judge_foreign(session, &mut findings);
    findings
}

/// Every event of a location that the specification does not know; one finding for an empty log.
fn judge_foreign(session: &Session, findings: &mut LocalFindings) {
    for (number, foreign) in session.foreign.iter().enumerate() {
        let mut kept = Kept::none();
        let event = (!foreign.events.is_empty()).then_some(LetterId::UNKNOWN);
        let location = session.foreign_location(number);
        let finding = |index| LocalFailure { location, index, event, expected: Vec::new() };
        if foreign.events.is_empty() {
            findings.unknown.push(finding(0));
        }
        for (index, event) in foreign.events.iter().enumerate() {
            match kept.keeps(event) {
                true => findings.unknown.push(finding(index)),
                false => findings.omitted_unknown += 1,
            }
        }
    }
}

/// Which findings of one location are kept.
struct Kept<T> {
    count: usize,
    events: HashSet<T>,
}

impl<T: Eq + std::hash::Hash> Kept<T> {
    fn none() -> Kept<T> {
        Kept { count: 0, events: HashSet::new() }
    }

    /// Whether to keep a finding about an event: one of the first, or of another event.
    fn keeps(&mut self, event: T) -> bool {
        let is_new = self.events.insert(event);
        self.count += 1;
        is_new || self.count <= Failure::MOST_PER_LOCATION
    }
}

/// The log of one location.
struct Log<'a> {
    monitor: &'a Monitor,
    session: &'a Session,
    location: LocationId,
    observation: Observation,
    stop: Option<Stop>,
}

impl<'a> Log<'a> {
    fn walk(&self, observation: Observation) -> LocalWalk<'a> {
        LocalWalk::until(self.monitor, self.location, observation, self.stop.clone())
    }

    /// Adds what is wrong with the log, and returns where it is cut.
    fn judge(&self, findings: &mut LocalFindings) -> Option<usize> {
        let local = &self.session.trace[self.location.index()];
        let mut walk = self.walk(self.observation);
        let (mut unknown, mut impossible) = (Kept::none(), Kept::none());
        let mut cut = None;
        for (index, &letter) in local.iter().enumerate() {
            if letter == LetterId::UNKNOWN {
                let text = self.session.unknown_text(self.location.index(), index);
                match unknown.keeps(text) {
                    true => findings.unknown.push(self.finding(index, &walk)),
                    false => findings.omitted_unknown += 1,
                }
            } else if !walk.read(letter) {
                cut.get_or_insert(index);
                match impossible.keeps(letter) {
                    true => findings.impossible.push(self.finding(index, &walk)),
                    false => findings.omitted_impossible += 1,
                }
                walk = self.walk(Observation::Slice);
            }
        }
        if !self.observation.may_go_on(local.len()) && !walk.may_end() {
            findings.early_ends.push(self.finding(local.len(), &walk));
            cut.get_or_insert(local.len());
        }
        cut
    }

    /// What is wrong at an index, where a walk has come to.
    fn finding(&self, index: usize, walk: &LocalWalk<'_>) -> LocalFailure {
        let event = self.session.trace[self.location.index()].get(index).copied();
        LocalFailure { location: self.location, index, event, expected: walk.possible() }
    }
}
