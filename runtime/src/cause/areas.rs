//! Areas: the transitions of the full automaton that a local trace may use, and those that all local traces have in
//! common (paper 004 sec. 4.2 and 4.3).
//
// Idea: the area of a trace is the union of the areas on the path of its deterministic verifier; a
// location over the limit walks over sets of states instead. The areas of all locations meet if the
// transitions common to them contain an accepting path.
//
// Invariant: areas are subsets of the transitions of `full`, the automaton as trimmed and before
// merging, so that merging changes no cause.
//
// Cost: a union of bit sets per distinct table entry on the path. Failures only.

use crate::bit_set::BitSet;
use crate::budget::{Allowance, Budget};
use crate::local_walk::is_impossible;
use crate::local_walk::set_walk::SetWalk;
use crate::monitor::Monitor;
use crate::question::Question;
use multitrace_formats::bundle::{Areas, ForwardTable};
use multitrace_interaction::{
    Id, LetterId, LocationId, Nfa, Observation, Session, StateId, TransitionId,
};
use std::collections::BTreeSet;

/// The areas of a session (paper 004 defs. 8 and 9): per location the transitions of the full
/// automaton that its local trace may use, and those common to all locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionAreas {
    /// One area per location, in order.
    pub of: Vec<BTreeSet<TransitionId>>,
    /// The transitions that all areas have in common.
    pub inter: BTreeSet<TransitionId>,
}

/// Whether areas of single logs refute: in the other modes, each is all of the automaton, or nothing is known of its end.
fn has_areas(observation: Observation) -> bool {
    !matches!(observation, Observation::Slice | Observation::GlobalPrefix)
}

/// The area of a local trace as numbers of the rows that its verifier passes, which say nothing without the whole bundle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AreaRows {
    /// The rows whose union the area is, in order.
    pub rows: Vec<u32>,
    /// The row of the last transition.
    pub last: u32,
    /// Whether the trace has no event.
    pub is_empty: bool,
}

impl Monitor {
    /// The rows of the area of a local trace, which must be possible; `None` if its verifier has no areas, and in modes whose
    /// logs may begin late or end anywhere.
    pub fn area_rows(
        &self,
        location: LocationId,
        local: &[LetterId],
        observation: Observation,
    ) -> Option<AreaRows> {
        let table = self.local(location).forward.as_ref().filter(|_| has_areas(observation))?;
        let areas = table.areas.as_ref()?;
        let mut rows: Vec<u32> = rows_on_path(self, (table, areas), location, local).collect();
        let last = rows.last().copied().unwrap_or(areas.init);
        rows.sort_unstable();
        rows.dedup();
        Some(AreaRows { rows, last, is_empty: local.is_empty() })
    }

    /// Whether areas, by location, have an accepting path in common; a location without an area rules nothing out. True
    /// as well if there is no automaton.
    ///
    /// # Panics
    /// If a row is not one of its location.
    pub fn do_areas_meet(&self, observation: Observation, of: &[Option<&AreaRows>]) -> bool {
        let Ok(automaton) = self.central() else { return true };
        let full = &automaton.full;
        let mut common = BitSet::full(full.transitions().len());
        let mut area = BitSet::new(0);
        for (location, rows) in self.locations().zip(of) {
            let table = self.local(location).forward.as_ref();
            let areas = table.and_then(|table| table.areas.as_ref());
            let (Some(AreaRows { rows, last, is_empty }), Some(areas)) = (rows, areas) else {
                continue;
            };
            area.begin(full.transitions().len());
            rows.iter().for_each(|&row| area.add(areas.rows.row(row)));
            // Whether a log is open at its end depends on whether it is empty, and not on its length.
            let length = usize::from(!is_empty);
            if observation.is_open(length, length) {
                let end = (!is_empty).then_some((areas, *last));
                add_open_end(self, full, (location, observation), end, &mut area);
            }
            common.keep(area.words());
        }
        has_accepting_path(full, &common)
    }

    /// The areas of a session; `None` if there is no automaton, or if some local trace is
    /// impossible.
    pub fn areas(&self, session: &Session, observation: Observation) -> Option<SessionAreas> {
        let full = &self.central().ok()?.full;
        // Areas are found without a search, so nothing is spent.
        let allowance = Allowance::begin(&Budget::default(), 0);
        let trace = &session.trace;
        let question =
            Question { monitor: self, trace, observation, open_ends: &[], tied: None, allowance };
        if !session.foreign.is_empty() || is_impossible(&question) {
            return None;
        }
        let transitions = |bits: BitSet| bits.ones().map(TransitionId::new).collect();
        let of = self.locations().map(|location| {
            let (mut area, mut used) = (BitSet::new(0), BitSet::new(0));
            find_area(&question, full, location, (&mut area, &mut used));
            transitions(area)
        });
        let of = of.collect();
        Some(SessionAreas { of, inter: transitions(inter(&question, full)) })
    }
}

/// The transitions common to the areas of all local traces (paper 004 def. 9). Every local trace
/// must be possible.
pub(crate) fn inter(question: &Question<'_>, full: &Nfa) -> BitSet {
    let mut common = BitSet::full(full.transitions().len());
    let (mut area, mut used) = (BitSet::new(0), BitSet::new(0));
    for location in question.monitor.locations() {
        find_area(question, full, location, (&mut area, &mut used));
        common.keep(area.words());
    }
    common
}

/// Whether the automaton has an accepting path of these transitions only.
pub(crate) fn has_accepting_path(full: &Nfa, transitions: &BitSet) -> bool {
    let mut seen = BitSet::new(full.state_count());
    let mut todo: Vec<StateId> = full.initial().to_vec();
    todo.iter().for_each(|state| {
        seen.insert(state.index());
    });
    while let Some(state) = todo.pop() {
        if full.is_final(state) {
            return true;
        }
        for (id, transition) in full.outgoing_ids(state) {
            if transitions.contains(id.index()) && seen.insert(transition.to.index()) {
                todo.push(transition.to);
            }
        }
    }
    false
}

/// Makes `area` that of a local trace, which must be possible (paper 004 def. 8): the transitions of the
/// full automaton that a path through the trace may use, and those after its end if the location
/// may go on there. In slice mode that is every transition. `used` is memory.
fn find_area(
    question: &Question<'_>,
    full: &Nfa,
    location: LocationId,
    (area, used): (&mut BitSet, &mut BitSet),
) {
    let Question { monitor, observation, .. } = *question;
    let local = &question.trace[location.index()];
    let transitions = full.transitions().len();
    if observation == Observation::Slice {
        *area = BitSet::full(transitions);
        return;
    }
    let table = monitor.local(location).forward.as_ref();
    let areas = table.and_then(|table| Some((table, table.areas.as_ref()?)));
    let Some((table, areas)) = areas else {
        *area = area_by_sets(question, full, location);
        return;
    };
    let last = find_rows(monitor, (table, areas), location, local, used);
    area.begin(transitions);
    used.ones().for_each(|row| area.add(areas.rows.row(row as u32)));
    if is_open_at_end(question, location) {
        let end = (!local.is_empty()).then_some((areas, last));
        add_open_end(monitor, full, (location, observation), end, area);
    }
}

/// Adds the transitions that may follow the end of a log unobserved; `end` is the row of the last transition of a log
/// with events.
fn add_open_end(
    monitor: &Monitor,
    full: &Nfa,
    (location, observation): (LocationId, Observation),
    end: Option<(&Areas, u32)>,
    area: &mut BitSet,
) {
    let mut walk = SetWalk::new(monitor, full, location, observation);
    if let Some((areas, last)) = end {
        walk.states.clear();
        let targets = areas.transitions(last).map(|id| full.transitions()[id.index()].to);
        targets.for_each(|state| walk.states.add_state(state));
    }
    walk.close(&|_| true);
    area.add(walk.area.words());
}

/// Whether a location may act unobserved after its log.
fn is_open_at_end(question: &Question<'_>, location: LocationId) -> bool {
    let length = question.trace[location.index()].len();
    question.may_go_unobserved(location.index(), length as u32)
}

/// Makes `used` the rows of the areas of a local trace up to its end, and returns the row of its last transition.
fn find_rows(
    monitor: &Monitor,
    (table, areas): (&ForwardTable, &Areas),
    location: LocationId,
    local: &[LetterId],
    used: &mut BitSet,
) -> u32 {
    let mut last = areas.init;
    used.begin(areas.rows.len());
    for row in rows_on_path(monitor, (table, areas), location, local) {
        used.insert(row as usize);
        last = row;
    }
    last
}

/// The rows of the areas that a local trace passes, in its order, that of the start first.
fn rows_on_path<'a>(
    monitor: &'a Monitor,
    (table, areas): (&'a ForwardTable, &'a Areas),
    location: LocationId,
    local: &'a [LetterId],
) -> impl Iterator<Item = u32> + 'a {
    let letters = monitor.local(location).letters.len();
    let mut state = table.start;
    let columns = local.iter().filter_map(move |&letter| monitor.column(location, letter));
    let rows = columns.map(move |column| {
        let entry = state as usize * letters + column;
        state = table.next[entry];
        areas.of[entry]
    });
    std::iter::once(areas.init).chain(rows)
}

fn area_by_sets(question: &Question<'_>, full: &Nfa, location: LocationId) -> BitSet {
    let mut walk = SetWalk::new(question.monitor, full, location, question.observation);
    let mut area = walk.area.clone();
    for &letter in &question.trace[location.index()] {
        walk.read(letter);
        area.add(walk.area.words());
    }
    if is_open_at_end(question, location) {
        walk.close(&|_| true);
        area.add(walk.area.words());
    }
    area
}
