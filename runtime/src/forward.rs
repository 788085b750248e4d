//! Reading a local trace forwards, for what a failure needs to be explained: the first impossible
//! event, what was possible there, and the areas (paper 004 sec. 4.2).
//!
//! Where the deterministic verifier was over a limit, the same is computed on sets of states of
//! the full automaton.

use crate::automaton::{Automaton, LazyAutomaton, Traces};
use crate::bit_set::BitSet;
use crate::monitor::Monitor;
use multitrace_formats::bundle::{DEAD, ForwardTable};
use multitrace_interaction::{
    Id, LetterId, LocalFailure, LocationId, Nfa, Observation, Session, StateId, Transition,
};
use std::collections::BTreeSet;

/// Where a local trace stops making sense.
struct Stop {
    index: usize,
    expected: Vec<LetterId>,
}

/// The first location, in order, whose local trace alone is impossible; one that logged nothing only
/// if there is no other and no unknown one, as those tell more. `None` when every trace is possible, or
/// cannot be judged because its location has no verifier.
pub(crate) fn local_failure(
    monitor: &Monitor,
    session: &Session,
    observation: Observation,
) -> Option<LocalFailure> {
    let known = |silent: bool| {
        monitor.locations().find_map(|location| {
            let local = &session.trace[location.index()];
            let stop = if local.is_empty() == silent {
                stop(monitor, location, local, observation)?
            } else {
                return None;
            };
            Some(describe(monitor, session, location, stop))
        })
    };
    known(false).or_else(|| foreign(session)).or_else(|| known(true))
}

fn foreign(session: &Session) -> Option<LocalFailure> {
    let foreign = session.foreign.first()?;
    Some(LocalFailure {
        location: foreign.location.clone(),
        index: 0,
        event: foreign.events.first().cloned(),
        known: false,
        expected: Vec::new(),
    })
}

fn describe(
    monitor: &Monitor,
    session: &Session,
    location: LocationId,
    stop: Stop,
) -> LocalFailure {
    let event = event_text(monitor, session, location, stop.index);
    let letter = session.trace[location.index()].get(stop.index);
    LocalFailure {
        location: monitor.alphabet().location_name(location).to_owned(),
        index: stop.index,
        event,
        known: letter != Some(&LetterId::UNKNOWN),
        expected: monitor.letter_names(stop.expected),
    }
}

/// The event at a place of a local trace, as it was written.
pub(crate) fn event_text(
    monitor: &Monitor,
    session: &Session,
    location: LocationId,
    index: usize,
) -> Option<String> {
    let letter = *session.trace[location.index()].get(index)?;
    let unknown = || session.unknown_text(location.index(), index).unwrap_or("?").to_owned();
    let known = letter != LetterId::UNKNOWN;
    Some(if known { monitor.alphabet().letter_name(letter).to_owned() } else { unknown() })
}

fn stop(
    monitor: &Monitor,
    location: LocationId,
    local: &[LetterId],
    observation: Observation,
) -> Option<Stop> {
    let table = monitor.local(location).forward.as_ref();
    let table = table.and_then(|table| Some((table, start(table, observation)?)));
    match (table, monitor.central()) {
        (Some((table, start)), _) => {
            stop_by_table(monitor, table, start, location, local, observation)
        }
        (None, Ok(automaton)) => {
            stop_by_sets(monitor, &automaton.full, location, local, observation)
        }
        (None, Err(_)) => {
            let terms = monitor.terms(Traces::Enough).filter(|_| observation != Observation::Slice);
            match terms.map(|terms| stop_by_terms(&terms, location, local, observation)) {
                Some(Ok(stop)) => stop,
                // Only an event that the specification does not know is surely impossible.
                None | Some(Err(TooMany)) => {
                    let index = local.iter().position(|&letter| letter == LetterId::UNKNOWN)?;
                    Some(Stop { index, expected: Vec::new() })
                }
            }
        }
    }
}

/// More terms of one location at once than are followed.
struct TooMany;

/// Where more than this many terms of one location are possible at once, its log is not judged.
const MOST_TERMS: usize = 256;

/// The same on terms of which every other location is removed. Removal keeps every local
/// behaviour, so what it finds impossible is.
fn stop_by_terms(
    terms: &LazyAutomaton,
    location: LocationId,
    local: &[LetterId],
    observation: Observation,
) -> Result<Option<Stop>, TooMany> {
    let initial = terms.initial().iter().map(|&state| terms.local(state, location));
    let mut states: BTreeSet<StateId> = initial.collect();
    for (index, &letter) in local.iter().enumerate() {
        let row = transitions(terms, &states);
        let next: BTreeSet<_> = row.iter().filter(|t| t.letter == letter).map(|t| t.to).collect();
        if next.is_empty() {
            return Ok(Some(Stop { index, expected: row.iter().map(|t| t.letter).collect() }));
        }
        if next.len() > MOST_TERMS {
            return Err(TooMany);
        }
        states = next;
    }
    let may_end = states.iter().any(|&state| terms.is_final(state));
    if may_end || observation.may_go_on(local.len()) {
        return Ok(None);
    }
    let expected = transitions(terms, &states).iter().map(|t| t.letter).collect();
    Ok(Some(Stop { index: local.len(), expected }))
}

fn transitions(terms: &LazyAutomaton, states: &BTreeSet<StateId>) -> Vec<Transition> {
    let mut all = Vec::new();
    for &state in states {
        terms.outgoing(state, &mut |row| all.extend_from_slice(row));
    }
    all
}

/// Where a table starts; `None` when it has no part for the mode.
fn start(table: &ForwardTable, observation: Observation) -> Option<u32> {
    match observation {
        Observation::Slice => table.start_anywhere,
        _ => Some(table.start),
    }
}

fn stop_by_table(
    monitor: &Monitor,
    table: &ForwardTable,
    start: u32,
    location: LocationId,
    local: &[LetterId],
    observation: Observation,
) -> Option<Stop> {
    let letters = &monitor.local(location).letters;
    let row = |state: u32| &table.next[state as usize * letters.len()..][..letters.len()];
    let expected = |state: u32| {
        let possible = row(state).iter().zip(letters).filter(|(next, _)| **next != DEAD);
        possible.map(|(_, &letter)| letter).collect()
    };
    let mut state = start;
    for (index, &letter) in local.iter().enumerate() {
        match monitor.column(location, letter).map(|column| row(state)[column]) {
            Some(next) if next != DEAD => state = next,
            _ => return Some(Stop { index, expected: expected(state) }),
        }
    }
    let too_early = !observation.may_go_on(local.len()) && !table.is_final(state);
    too_early.then(|| Stop { index: local.len(), expected: expected(state) })
}

fn stop_by_sets(
    monitor: &Monitor,
    full: &Nfa,
    location: LocationId,
    local: &[LetterId],
    observation: Observation,
) -> Option<Stop> {
    let mut walk = SetWalk::new(monitor, full, location, observation);
    for (index, &letter) in local.iter().enumerate() {
        if !walk.read(letter) {
            return Some(Stop { index, expected: walk.expected(&walk.before) });
        }
    }
    let ended = walk.states.list.iter().any(|&state| full.is_final(state));
    let too_early = !observation.may_go_on(local.len()) && !ended;
    too_early.then(|| Stop { index: local.len(), expected: walk.expected(&walk.states) })
}

/// The area of a local trace: the transitions of the full automaton that a path through it may
/// use (paper 004 def. 8), those after its end where the observation mode allows them; in slice mode
/// all.
///
/// The trace must be possible.
pub(crate) fn area(
    monitor: &Monitor,
    full: &Nfa,
    location: LocationId,
    local: &[LetterId],
    observation: Observation,
) -> BitSet {
    let transitions = full.transitions().len();
    if observation == Observation::Slice {
        return BitSet::full(transitions);
    }
    let table = monitor.local(location).forward.as_ref();
    let areas = table.and_then(|table| Some((table, table.areas.as_ref()?)));
    let Some((table, areas)) = areas else {
        return area_by_sets(monitor, full, location, local, observation);
    };
    let letters = monitor.local(location).letters.len();
    let (mut state, mut last) = (table.start, areas.init);
    let mut used = BitSet::new(areas.rows.len());
    used.insert(areas.init as usize);
    for column in local.iter().filter_map(|&letter| monitor.column(location, letter)) {
        let place = state as usize * letters + column;
        (state, last) = (table.next[place], areas.of[place]);
        used.insert(last as usize);
    }
    let mut area = BitSet::new(transitions);
    used.ones().for_each(|row| area.add(areas.rows.row(row as u32)));
    if observation.is_open(local.len(), local.len()) {
        let mut walk = SetWalk::new(monitor, full, location, observation);
        if !local.is_empty() {
            walk.states.clear();
            let targets = areas.transitions(last).map(|id| full.transitions()[id.index()].to);
            targets.for_each(|state| walk.states.add_state(state));
        }
        walk.close(&|_| true);
        area.add(walk.area.words());
    }
    area
}

fn area_by_sets(
    monitor: &Monitor,
    full: &Nfa,
    location: LocationId,
    local: &[LetterId],
    observation: Observation,
) -> BitSet {
    let mut walk = SetWalk::new(monitor, full, location, observation);
    let mut area = walk.area.clone();
    for &letter in local {
        walk.read(letter);
        area.add(walk.area.words());
    }
    if observation.is_open(local.len(), local.len()) {
        walk.close(&|_| true);
        area.add(walk.area.words());
    }
    area
}

/// A set of states that also lists them.
#[derive(Clone, Debug)]
struct StateSet {
    bits: BitSet,
    list: Vec<StateId>,
}

impl StateSet {
    fn new(states: usize) -> StateSet {
        StateSet { bits: BitSet::new(states), list: Vec::new() }
    }

    fn add_state(&mut self, state: StateId) {
        if self.bits.insert(state.index()) {
            self.list.push(state);
        }
    }

    fn clear(&mut self) {
        self.list.drain(..).for_each(|state| self.bits.remove(state.index()));
    }
}

/// A walk over sets of states of the full automaton, other locations' letters unobserved.
struct SetWalk<'a> {
    monitor: &'a Monitor,
    full: &'a Nfa,
    location: LocationId,
    states: StateSet,
    /// The states before the last move.
    before: StateSet,
    /// The transitions used by the last move.
    area: BitSet,
}

impl<'a> SetWalk<'a> {
    fn new(
        monitor: &'a Monitor,
        full: &'a Nfa,
        location: LocationId,
        observation: Observation,
    ) -> Self {
        let mut states = StateSet::new(full.state_count());
        match observation {
            Observation::Slice => full.states().for_each(|state| states.add_state(state)),
            _ => full.initial().iter().for_each(|&state| states.add_state(state)),
        }
        let before = StateSet::new(full.state_count());
        let area = BitSet::new(full.transitions().len());
        let mut walk = SetWalk { monitor, full, location, states, before, area };
        walk.close_others();
        walk
    }

    fn is_own(&self, letter: LetterId) -> bool {
        self.monitor.location_of(letter) == self.location
    }

    fn close_others(&mut self) {
        let location = self.location;
        let monitor = self.monitor;
        self.close(&|letter| monitor.location_of(letter) != location);
    }

    /// Adds what is reached by letters that pass.
    fn close(&mut self, passes: &dyn Fn(LetterId) -> bool) {
        let mut next = 0;
        while let Some(&state) = self.states.list.get(next) {
            next += 1;
            for (id, transition) in self.full.outgoing_ids(state) {
                if passes(transition.letter) {
                    self.area.insert(id.index());
                    self.states.add_state(transition.to);
                }
            }
        }
    }

    /// Reads one letter; false when that is impossible. What was possible before is kept.
    fn read(&mut self, letter: LetterId) -> bool {
        self.area.clear();
        std::mem::swap(&mut self.states, &mut self.before);
        self.states.clear();
        for &state in &self.before.list {
            for (id, transition) in self.full.outgoing_ids(state) {
                if transition.letter == letter {
                    self.area.insert(id.index());
                    self.states.add_state(transition.to);
                }
            }
        }
        self.close_others();
        !self.states.list.is_empty()
    }

    fn expected(&self, states: &StateSet) -> Vec<LetterId> {
        let outgoing = states.list.iter().flat_map(|&state| self.full.outgoing(state));
        outgoing.map(|t| t.letter).filter(|&letter| self.is_own(letter)).collect()
    }
}
