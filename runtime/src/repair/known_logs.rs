//! The logs of a session as repairs see them: without the events that must be deleted anyway.

use crate::local_walk::LocalWalk;
use crate::monitor::Monitor;
use crate::repair::cost::{Cost, Zone};
use crate::task::Task;
use multitrace_interaction::{Id, LetterId, LocationId, Observation, Session};

/// Per location, the events that the specification knows there; and the ends that the observation mode lets go
/// unobserved.
#[derive(Debug, Default)]
pub(crate) struct KnownLogs {
    observation: Observation,
    /// All events, location by location, and the index of each in its log as given.
    letters: Vec<LetterId>,
    indexes: Vec<u32>,
    /// Per location, where its events begin; and where the last ones end.
    starts: Vec<usize>,
    /// Per location, whether its log as given is empty.
    is_empty: Vec<bool>,
    /// How many events are left out.
    unknown: u64,
    /// Per location, where its evidence ends; `None` if the log alone is possible.
    ends: Vec<Option<EvidenceEnd>>,
    is_weighed: bool,
}

/// Where the evidence of a log ends: at its first impossible event, or at its end, if that is too early.
#[derive(Clone, Copy, Debug)]
struct EvidenceEnd {
    position: u32,
    /// Whether an event that the specification does not know stands before the position: it is deleted in any case, and the
    /// event behind it is not accused.
    is_unknown: bool,
}

impl KnownLogs {
    /// Takes over the logs of a session, in a mode other than global-prefix.
    pub(crate) fn fill(&mut self, monitor: &Monitor, session: &Session, observation: Observation) {
        self.observation = observation;
        self.letters.clear();
        self.indexes.clear();
        self.starts.clear();
        self.is_empty.clear();
        self.unknown = 0;
        for location in monitor.locations() {
            let log = &session.trace[location.index()];
            self.starts.push(self.letters.len());
            self.is_empty.push(log.is_empty());
            for (index, &letter) in log.iter().enumerate() {
                if monitor.column(location, letter).is_some() {
                    self.letters.push(letter);
                    self.indexes.push(index as u32);
                } else {
                    self.unknown += 1;
                }
            }
        }
        self.starts.push(self.letters.len());
    }

    /// Finds where the evidence of each log ends, unless the session is too large to weigh more than edits.
    pub(crate) fn accuse(&mut self, task: &Task<'_>, is_weighed: bool) {
        self.is_weighed = is_weighed;
        self.ends.clear();
        for location in task.monitor.locations() {
            let end = is_weighed.then(|| self.evidence_end(task, location)).flatten();
            self.ends.push(end);
        }
    }

    fn evidence_end(&self, task: &Task<'_>, location: LocationId) -> Option<EvidenceEnd> {
        let (log, own) = (self.log(location.index()), self.starts[location.index()]);
        // Events keep their places up to the first one that is left out.
        let kept = self.indexes[own..own + log.len()].iter();
        let known = kept.enumerate().take_while(|&(at, &index)| at == index as usize).count();
        let has_unknown = known < task.session.trace[location.index()].len();
        let stop = task.allowance.stop();
        let mut walk = LocalWalk::until(task.monitor, location, self.observation, stop);
        let refused = log[..known].iter().position(|&letter| !walk.read(letter));
        let ends_early = || has_unknown || !self.may_go_on(location.index()) && !walk.may_end();
        let position = refused.or_else(|| ends_early().then_some(known))?;
        Some(EvidenceEnd {
            position: position as u32,
            is_unknown: refused.is_none() && has_unknown,
        })
    }

    /// Where a position stands in its log.
    #[inline]
    pub(crate) fn zone(&self, location: usize, position: u32) -> Zone {
        match self.ends[location] {
            Some(end) if position < end.position => Zone::Before,
            Some(end) if position == end.position && !end.is_unknown => Zone::Accused,
            _ if self.is_weighed => Zone::Other,
            _ => Zone::Unweighed,
        }
    }

    /// The cost of deleting the events from one position to before another.
    #[inline]
    pub(crate) fn deletion(&self, location: usize, from: u32, to: u32) -> Cost {
        let end = self.evidence(location).unwrap_or(0);
        let before = end.min(to).saturating_sub(from);
        let behind = self.zone(location, end).deletion().times(to - from - before);
        Zone::Before.deletion().times(before) + behind
    }

    /// The position at which the evidence of a log ends, if it does.
    #[inline]
    pub(crate) fn evidence(&self, location: usize) -> Option<u32> {
        self.ends[location].map(|end| end.position)
    }

    /// The observation mode.
    pub(crate) fn observation(&self) -> Observation {
        self.observation
    }

    /// How many locations there are.
    pub(crate) fn locations(&self) -> usize {
        self.is_empty.len()
    }

    /// How many events are left out.
    pub(crate) fn unknown_count(&self) -> u64 {
        self.unknown
    }

    /// The events of a location.
    #[inline]
    pub(crate) fn log(&self, location: usize) -> &[LetterId] {
        &self.letters[self.starts[location]..self.starts[location + 1]]
    }

    /// The index, in the log as given, of an event of a location.
    pub(crate) fn index(&self, location: usize, position: usize) -> usize {
        self.indexes[self.starts[location] + position] as usize
    }

    /// How many events of a location stand before an index of its log as given.
    pub(crate) fn position(&self, location: usize, index: usize) -> u32 {
        let indexes = &self.indexes[self.starts[location]..self.starts[location + 1]];
        indexes.partition_point(|&it| (it as usize) < index) as u32
    }

    /// Whether the log of a location may be missing: decided on the log as given.
    pub(crate) fn is_missing(&self, location: usize) -> bool {
        self.observation == Observation::Missing && self.is_empty[location]
    }

    /// Whether a location may act without an event at a position of its log.
    #[inline]
    pub(crate) fn is_open(&self, location: usize, position: u32) -> bool {
        match self.observation {
            Observation::Complete => false,
            Observation::Missing => self.is_empty[location],
            _ => {
                let length = self.starts[location + 1] - self.starts[location];
                self.observation.is_open(position as usize, length)
            }
        }
    }

    /// Whether a location may go on unobserved after its last event.
    pub(crate) fn may_go_on(&self, location: usize) -> bool {
        match self.observation {
            Observation::Complete => false,
            Observation::Missing => self.is_empty[location],
            Observation::Prefix | Observation::Slice | Observation::GlobalPrefix => true,
        }
    }

    /// Whether a path may stop in a state that is not final.
    #[inline]
    pub(crate) fn may_stop_anywhere(&self) -> bool {
        matches!(self.observation, Observation::Prefix | Observation::Slice)
    }
}
