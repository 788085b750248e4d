//! A question that every search answers, and the rules that all searches share.
//
// Idea: the searches differ in how they keep nodes, and nothing else. This file alone decides which moves there are,
// where a path may stop and when a search gives up.
//
// Invariant: a node is a state and one position per location (paper 004 def. 4, where positions are
// the suffixes that are left). A location reads its next event, or moves unobserved where the
// observation mode leaves its log open. There are finitely many nodes on a compiled automaton, so
// every mode is decided there.
//
// Cost: every rule takes constant time, except `is_read`, which looks at all locations.

use crate::budget::Allowance;
use crate::monitor::Monitor;
use crate::tied_logs::TiedLogs;
use multitrace_interaction::{Id, LetterId, MultiTrace, Observation};

/// Whether the specification accepts some interleaving of these local traces.
#[derive(Clone, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) monitor: &'a Monitor,
    pub(crate) trace: &'a MultiTrace,
    pub(crate) observation: Observation,
    /// Per location, whether its log may go on after its end, whatever the mode: the log was cut
    /// there. Empty if no log was cut.
    pub(crate) open_ends: &'a [bool],
    /// The logs, if some of their events are in no order: positions are then their cuts. Only [`RepetitionSearch`] and the
    /// look-ahead read them.
    ///
    /// [`RepetitionSearch`]: crate::search::repetitions::RepetitionSearch
    pub(crate) tied: Option<&'a TiedLogs>,
    /// The limits of the search.
    pub(crate) allowance: Allowance,
}

impl Question<'_> {
    /// The number of events in all logs.
    pub(crate) fn event_count(&self) -> usize {
        self.trace.iter().map(Vec::len).sum()
    }

    /// Whether a letter is the next event of its location.
    #[inline]
    pub(crate) fn reads(&self, letter: LetterId, positions: &[u32]) -> bool {
        let location = self.monitor.location_of(letter).index();
        self.trace[location].get(positions[location] as usize) == Some(&letter)
    }

    /// How many events of a location are read at a position.
    pub(crate) fn read_until(&self, location: usize, position: u32) -> u32 {
        self.tied.map_or(position, |logs| logs.read_until(location, position))
    }

    /// Calls a function with each position of a location that a letter leads to.
    pub(crate) fn each_after(
        &self,
        (location, position): (usize, u32),
        letter: LetterId,
        mut each: impl FnMut(u32),
    ) {
        match self.tied {
            None if self.trace[location].get(position as usize) == Some(&letter) => {
                each(position + 1)
            }
            None => {}
            Some(logs) => {
                let moves = logs.moves(location, position);
                moves.iter().filter(|it| it.letter == letter).for_each(|it| each(it.to));
            }
        }
    }

    /// Whether a location may move from a position without an event of its log.
    #[inline]
    pub(crate) fn may_go_unobserved(&self, location: usize, position: u32) -> bool {
        let length = self.trace[location].len();
        self.observation.is_open(position as usize, length)
            || position as usize == length && self.has_open_end(location)
    }

    /// Whether more may have happened at a location than its log shows.
    #[inline]
    pub(crate) fn may_go_on(&self, location: usize) -> bool {
        self.observation.may_go_on(self.trace[location].len()) || self.has_open_end(location)
    }

    /// Whether no location ever moves without an event of its log.
    pub(crate) fn is_closed(&self) -> bool {
        self.observation == Observation::Complete && self.open_ends.is_empty()
    }

    #[inline]
    fn has_open_end(&self, location: usize) -> bool {
        self.open_ends.get(location) == Some(&true)
    }

    /// Whether every event of every log is read.
    pub(crate) fn is_read(&self, positions: &[u32]) -> bool {
        let read = |(local, &position): (&Vec<LetterId>, &u32)| local.len() == position as usize;
        self.trace.iter().zip(positions).all(read)
    }

    /// Whether a path may stop in a state once all events are read: now, or after unobserved
    /// actions. From every state a final one is reachable, since compiled automata are trimmed and
    /// every term accepts something.
    #[inline]
    pub(crate) fn may_stop(
        &self,
        is_final: impl FnOnce() -> bool,
        is_between_steps: impl FnOnce() -> bool,
    ) -> bool {
        match self.observation {
            Observation::Complete | Observation::Missing => is_final(),
            // A prefix of a global trace does not end inside a step.
            Observation::GlobalPrefix => is_between_steps(),
            Observation::Prefix | Observation::Slice => true,
        }
    }

    /// Whether a living node lives on in its only successor, so that the search need not look
    /// ahead: whatever can still be read is read through that successor. This fails where a path
    /// may end instead, and in slices, where the move may begin a log.
    #[inline]
    pub(crate) fn is_forced(&self, transitions: usize, is_final: impl FnOnce() -> bool) -> bool {
        transitions == 1
            && match self.observation {
                Observation::Complete | Observation::Missing => !is_final(),
                Observation::Prefix | Observation::GlobalPrefix => true,
                Observation::Slice => false,
            }
    }
}

/// While a node has one successor, a search passes at most this many nodes without recording them
/// as visited. A larger number saves table look-ups on long chains; a smaller one walks less twice
/// where chains meet. Recording some nodes also ends walks in circles. With this number most
/// sessions of 18 events record no node at all (docs/BENCHMARKS.md, at its end); the number itself
/// was not measured against others.
pub(crate) const UNRECORDED: u32 = 16;
