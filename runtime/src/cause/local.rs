//! Local findings: the events of a log that the specification does not know, the first one that is
//! impossible where it stands, or an end that comes too early (paper 004 sec. 4.1).
//
// Idea: a walk reads each log forwards and passes over unknown events. Where it refuses an event, it
// ends: the right rest of the log depends on the event that this one stands for, which repairs find.
// To go on from any state would accuse events that are right.
//
// Invariant: each finding is certain.
//
// Cost: that of the walk. Failures only.

use crate::local_walk::LocalWalk;
use crate::monitor::Monitor;
use multitrace_interaction::{
    Failure, Id, LetterId, LocalFailure, LocationId, Observation, Session, Stop,
};
use std::collections::HashSet;

/// The faults of each log alone.
#[derive(Debug, Default)]
pub(crate) struct LocalFindings {
    /// Events that the specification does not know.
    pub(crate) unknown: Vec<LocalFailure>,
    /// The first event of each log that is impossible where it stands.
    pub(crate) impossible: Vec<LocalFailure>,
    /// Logs that end too early.
    pub(crate) early_ends: Vec<LocalFailure>,
    /// How many further unknown events repeat one of those, beyond the limit.
    pub(crate) omitted: u64,
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

/// The faults of each log of a session alone; not all of them if `stop` ends the walk.
pub(crate) fn local_findings(
    monitor: &Monitor,
    session: &Session,
    observation: Observation,
    stop: Option<Stop>,
) -> LocalFindings {
    let mut findings = LocalFindings::default();
    for location in monitor.locations() {
        let log = LocalLog { monitor, session, location, observation, stop: stop.clone() };
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
                false => findings.omitted += 1,
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
struct LocalLog<'a> {
    monitor: &'a Monitor,
    session: &'a Session,
    location: LocationId,
    observation: Observation,
    stop: Option<Stop>,
}

impl LocalLog<'_> {
    /// Adds the findings of the log, and returns where it is cut.
    fn judge(&self, findings: &mut LocalFindings) -> Option<usize> {
        let local = &self.session.trace[self.location.index()];
        let stop = self.stop.clone();
        let mut walk = LocalWalk::until(self.monitor, self.location, self.observation, stop);
        let mut unknown = Kept::none();
        let mut cut = None;
        for (index, &letter) in local.iter().enumerate() {
            if letter == LetterId::UNKNOWN {
                let text = self.session.unknown_text(self.location.index(), index);
                match unknown.keeps(text) {
                    true => {
                        findings.unknown.push(self.finding(index, cut.is_none().then_some(&walk)))
                    }
                    false => findings.omitted += 1,
                }
            } else if cut.is_none() && !walk.read(letter) {
                cut = Some(index);
                findings.impossible.push(self.finding(index, Some(&walk)));
            }
        }
        if cut.is_none() && !self.observation.may_go_on(local.len()) && !walk.may_end() {
            findings.early_ends.push(self.finding(local.len(), Some(&walk)));
            cut = Some(local.len());
        }
        cut
    }

    /// The failure at an index that a walk has come to; `walk` is `None` behind the first impossible event.
    fn finding(&self, index: usize, walk: Option<&LocalWalk<'_>>) -> LocalFailure {
        let event = self.session.trace[self.location.index()].get(index).copied();
        LocalFailure {
            location: self.location,
            index,
            event,
            expected: walk.map(LocalWalk::possible).unwrap_or_default(),
        }
    }
}
