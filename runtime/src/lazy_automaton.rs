//! The automaton of a term, its states found on demand and shared by all workers and sessions.
//
// Idea: the derivatives of a term are the states of an automaton (paper 000 sec. 3). Each is
// derived once and kept; a session pays only for terms that no session before it has met.
//
// Invariant: states are added and never changed, so a reader needs the lock only to copy a row out.
// An automaton that has grown too large is replaced, not emptied: searches keep the one they began
// with, and state ids never outlive their automaton.
//
// Cost: a read lock and a look-up for a known term; a derivative under the write lock for a new one.

use crate::automaton::{Automaton, Late};
use multitrace_interaction::{
    Action, ActionKind, Alphabet, FirstPlaces, Id, Interaction, LetterId, LifelineSet, LocationId,
    LoopFacts, MessageId, RegionId, Signature, StateId, Stop, TermAutomaton, TermId, TermStore,
    Transition, WorkLimit,
};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The automaton of a term as one session sees it: as long as the session has time.
#[derive(Clone)]
pub(crate) struct LazyAutomaton {
    terms: Arc<SharedTerms>,
    /// Says whether the time of the session is over. From then on only states that were found before are known.
    stop: Option<Stop>,
}

impl std::fmt::Debug for LazyAutomaton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LazyAutomaton").field("terms", &self.terms).finish_non_exhaustive()
    }
}

/// The automaton of a term, with the states found so far.
#[derive(Debug)]
struct SharedTerms {
    explored: RwLock<Explored>,
    initial: Box<[StateId]>,
    actions: FxHashMap<LetterId, Action>,
    /// Per message, the locations that emit it.
    emitters: FxHashMap<MessageId, Vec<LocationId>>,
    /// Per location, its lifelines.
    lifelines: Vec<LifelineSet>,
    /// Per location, its lifelines, and all lifelines of other locations.
    own_region: Vec<RegionId>,
    other_regions: Vec<RegionId>,
    /// Whether removing whole locations keeps the behaviour of the others exactly.
    removal_is_exact: bool,
}

#[derive(Debug)]
struct Explored {
    automaton: TermAutomaton,
    rows: Vec<Option<Arc<[Transition]>>>,
    first_places: FxHashMap<(StateId, LetterId), FirstPlaces>,
    free_beginnings: FxHashMap<(StateId, LocationId), bool>,
    /// The transitions of a state by all locations, the one to try first last.
    moves: FxHashMap<StateId, Arc<[Transition]>>,
    /// The states left when the lifelines of a region are removed, by state and region.
    left: FxHashMap<(StateId, RegionId), StateId>,
}

impl SharedTerms {
    /// The automaton of some interactions, each with an initial state, over an alphabet that has all their actions and
    /// lifelines.
    pub(crate) fn new(
        signature: &Signature,
        interactions: &[Interaction],
        alphabet: &Alphabet,
        traces: Traces,
    ) -> SharedTerms {
        let locations = alphabet.locations_of(signature);
        let mut store = TermStore::new();
        let all = traces != Traces::Enough;
        let mut term = |interaction: &Interaction| {
            let term = store.intern(interaction).root();
            if all { term } else { store.linearize(term, &locations).term }
        };
        let terms: Vec<TermId> = interactions.iter().map(&mut term).collect();
        let removal_is_exact =
            terms.iter().all(|&term| store.concurrency_is_local(term, &locations));
        // Searches wait for as many derivatives as there are terms, and nobody sees the terms.
        if traces != Traces::Written {
            store.sort_orders();
        }
        let letters: Vec<(Action, LetterId)> = alphabet.actions().collect();
        let actions = letters.iter().map(|&(action, letter)| (letter, action)).collect();
        let mut emitters: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for (action, _) in letters.iter().filter(|(it, _)| it.kind == ActionKind::Emission) {
            emitters.entry(action.message).or_default().push(locations.of(action.lifeline));
        }
        let mut automaton = TermAutomaton::new(store, letters, (!all).then_some(&locations));
        let initial = terms.into_iter().map(|term| automaton.state(term)).collect();
        let lifelines = locations.iter().map(|l| locations.lifelines(l).iter().copied().collect());
        let lifelines: Vec<LifelineSet> = lifelines.collect();
        let all: LifelineSet = signature.lifelines().collect();
        let mut region = |set| automaton.region(set);
        SharedTerms {
            own_region: lifelines.iter().map(|own| region(own.clone())).collect(),
            other_regions: lifelines.iter().map(|own| region(all.difference(own))).collect(),
            lifelines,
            explored: RwLock::new(Explored::new(automaton)),
            initial,
            actions,
            emitters,
            removal_is_exact,
        }
    }

    fn is_too_large(&self) -> bool {
        self.read(|explored| {
            explored.automaton.state_count() > MOST_STATES_SHARED
                || explored.automaton.store().operand_count() > MOST_OPERANDS
        })
    }

    /// A lock that a panic has poisoned is usable: rows are added whole, so nothing that is read is
    /// half-written.
    fn read<R>(&self, look: impl FnOnce(&Explored) -> R) -> R {
        look(&self.explored.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl LazyAutomaton {
    /// An automaton that no other session uses, until `stop` says that the time is over.
    pub(crate) fn alone(
        signature: &Signature,
        interaction: &Interaction,
        alphabet: &Alphabet,
        traces: Traces,
        stop: Option<Stop>,
    ) -> LazyAutomaton {
        let one = std::slice::from_ref(interaction);
        let terms = Arc::new(SharedTerms::new(signature, one, alphabet, traces));
        LazyAutomaton::on_terms(terms, stop)
    }

    fn on_terms(terms: Arc<SharedTerms>, stop: Option<Stop>) -> LazyAutomaton {
        LazyAutomaton { terms, stop }
    }

    /// Whether removing locations is exact: it keeps the behaviour of the other locations, and adds nothing.
    pub(crate) fn removal_is_exact(&self) -> bool {
        self.terms.removal_is_exact
    }

    /// How large terms may get by the unobserved moves of a session: four times the specification,
    /// and room for two unfinished repetitions per event. Larger terms may still lead to an answer,
    /// so a search that does not follow them is cut, not exhausted.
    pub(crate) fn heaviest(&self, events: usize) -> u32 {
        let specification = self.terms.initial.iter().map(|&state| self.weight(state)).sum::<u32>();
        let events = u32::try_from(events).unwrap_or(u32::MAX);
        let room = events.saturating_mul(2).saturating_add(64);
        specification.saturating_mul(4).saturating_add(room)
    }

    /// The weight of the terms that the transitions of a state lead to, or a little more.
    pub(crate) fn weight_of_row(&self, state: StateId, row: &[Transition]) -> u64 {
        // Below this a bound will do, which takes one look instead of one for each transition.
        const SMALL: u64 = 1 << 14;
        let most = u64::from(self.weight(state)) * row.len() as u64;
        match most < SMALL {
            true => most,
            false => row.iter().map(|to| u64::from(self.weight(to.to))).sum(),
        }
    }

    /// The state that is left when all locations except one are removed.
    pub(crate) fn local(&self, state: StateId, location: LocationId) -> Result<StateId, Late> {
        self.forget_region(state, self.terms.other_regions[location.index()])
    }

    /// The locations that emit the message that a letter receives.
    pub(crate) fn emitters(&self, letter: LetterId) -> &[LocationId] {
        match self.terms.actions.get(&letter) {
            Some(Action { kind: ActionKind::Reception, message, .. }) => {
                self.terms.emitters.get(message).map_or(&[], Vec::as_slice)
            }
            _ => &[],
        }
    }

    /// The lifelines of some locations.
    pub(crate) fn region(&self, locations: impl Iterator<Item = LocationId>) -> RegionId {
        let mut all = LifelineSet::new();
        locations.for_each(|location| all.extend(&self.terms.lifelines[location.index()]));
        let mut explored = self.terms.explored.write().unwrap_or_else(PoisonError::into_inner);
        explored.automaton.region(all)
    }

    /// The state that is left when the locations of a region are removed.
    pub(crate) fn forget_region(&self, state: StateId, region: RegionId) -> Result<StateId, Late> {
        let key = (state, region);
        if let Some(known) = self.read(|explored| explored.left.get(&key).copied()) {
            return Ok(known);
        }
        let forget = |automaton: &mut TermAutomaton| automaton.forget_region(state, region);
        self.work(forget, |explored, left| explored.left.insert(key, *left))
    }

    /// The transitions of a state by all locations, also where one is persistent. Those that begin the fewest
    /// repetitions, and of them those that leave the least, come last.
    pub(crate) fn moves(&self, state: StateId) -> Result<Arc<[Transition]>, Late> {
        if let Some(known) = self.read(|explored| explored.moves.get(&state).cloned()) {
            return Ok(known);
        }
        let derive = |automaton: &mut TermAutomaton| moves(automaton, state);
        self.work(derive, |explored, row| explored.moves.insert(state, Arc::clone(row)))
    }

    /// The loops of a state's term; the rest of a step is outside all of them.
    pub(crate) fn loop_facts(&self, state: StateId) -> LoopFacts {
        self.read(|explored| {
            let automaton = &explored.automaton;
            let mut facts = automaton.store().loop_facts(automaton.term(state));
            let rest = automaton.rest_of_step(state) as u32;
            facts.actions_outside = facts.actions_outside.saturating_add(rest);
            facts
        })
    }

    fn read<R>(&self, look: impl FnOnce(&Explored) -> R) -> R {
        self.terms.read(look)
    }

    /// Does some work on terms and remembers its result, unless the time is over before that.
    fn work<R, K>(
        &self,
        work: impl FnOnce(&mut TermAutomaton) -> R,
        remember: impl FnOnce(&mut Explored, &R) -> K,
    ) -> Result<R, Late> {
        let mut explored = self.terms.explored.write().unwrap_or_else(PoisonError::into_inner);
        let mut limit = WorkLimit { stop: self.stop.clone(), ..WorkLimit::default() };
        let result = explored.automaton.within(&mut limit, work).ok_or(Late)?;
        remember(&mut explored, &result);
        Ok(result)
    }
}

impl Explored {
    fn new(automaton: TermAutomaton) -> Explored {
        Explored {
            automaton,
            rows: Vec::new(),
            first_places: FxHashMap::default(),
            free_beginnings: FxHashMap::default(),
            moves: FxHashMap::default(),
            left: FxHashMap::default(),
        }
    }

    fn remember_row(&mut self, state: StateId, row: &Arc<[Transition]>) {
        if self.rows.len() <= state.index() {
            self.rows.resize(self.automaton.state_count(), None);
        }
        self.rows[state.index()] = Some(Arc::clone(row));
    }
}

fn moves(automaton: &mut TermAutomaton, state: StateId) -> Arc<[Transition]> {
    let mut all = automaton.all_transitions_with_loops(state);
    let weight = |to| automaton.store().weight(automaton.term(to));
    all.sort_by_key(|&(Transition { letter, to, .. }, loops)| Reverse((loops, weight(to), letter)));
    all.into_iter().map(|(transition, _)| transition).collect()
}

impl Automaton for LazyAutomaton {
    type Row<'a> = Arc<[Transition]>;

    fn initial(&self) -> &[StateId] {
        &self.terms.initial
    }

    fn is_final(&self, state: StateId) -> bool {
        self.read(|explored| explored.automaton.is_final(state))
    }

    fn outgoing(&self, state: StateId) -> Result<Arc<[Transition]>, Late> {
        let known = self.read(|explored| explored.rows.get(state.index()).cloned().flatten());
        if let Some(row) = known {
            return Ok(row);
        }
        let derive = |automaton: &mut TermAutomaton| Arc::from(automaton.transitions(state));
        self.work(derive, |explored, row| explored.remember_row(state, row))
    }

    fn state_bound(&self) -> usize {
        u32::MAX as usize
    }

    fn is_between_steps(&self, state: StateId) -> bool {
        self.read(|explored| explored.automaton.is_between_steps(state))
    }

    fn weight(&self, state: StateId) -> u32 {
        self.read(|explored| explored.automaton.store().weight(explored.automaton.term(state)))
    }

    fn transitions_with_loops(&self, state: StateId) -> Result<Vec<(Transition, u32)>, Late> {
        self.work(|automaton| automaton.transitions_with_loops(state), |_, _| ())
    }

    fn loop_depth(&self, state: StateId) -> u64 {
        u64::from(self.loop_facts(state).depth)
    }

    fn forget(&self, state: StateId, location: LocationId) -> Result<StateId, Late> {
        self.forget_region(state, self.terms.own_region[location.index()])
    }

    fn first_places(
        &self,
        state: StateId,
        letter: LetterId,
        location: LocationId,
    ) -> Result<FirstPlaces, Late> {
        let key = (state, letter);
        if let Some(known) = self.read(|explored| explored.first_places.get(&key).copied()) {
            return Ok(known);
        }
        let (action, own) = (self.terms.actions[&letter], &self.terms.lifelines[location.index()]);
        let find = |automaton: &mut TermAutomaton| automaton.first_places(state, action, own);
        self.work(find, |explored, found| explored.first_places.insert(key, *found))
    }

    fn begins_freely(&self, state: StateId, location: LocationId) -> Result<bool, Late> {
        let key = (state, location);
        if let Some(known) = self.read(|explored| explored.free_beginnings.get(&key).copied()) {
            return Ok(known);
        }
        let row = self.outgoing(self.local(state, location)?)?;
        let mut is_free = row.len() <= MOST_FIRST;
        for alike in row.chunk_by(|a, b| a.letter == b.letter) {
            is_free = is_free && self.first_places(state, alike[0].letter, location)?.are_free();
        }
        self.work(|_| (), |explored, ()| explored.free_beginnings.insert(key, is_free))?;
        Ok(is_free)
    }
}

/// Which global traces a lazy automaton accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traces {
    /// Enough of them that all multi-traces are accepted: linearised, and with persistent
    /// locations.
    Enough,
    /// All of them, for global prefixes.
    All,
    /// All of them, on terms as they were written, for comparison.
    Written,
}

/// A lazy automaton that is replaced by a new one once it has grown too large. Running searches
/// keep the one they began with.
#[derive(Debug)]
pub(crate) struct SharedLazyAutomaton {
    current: RwLock<Arc<SharedTerms>>,
    source: (Signature, Vec<Interaction>),
    traces: Traces,
    cleared: AtomicU64,
}

/// Where more can come first at a location than this, nobody looks whether all of it has free places: that takes a walk
/// over the term for each.
const MOST_FIRST: usize = 128;

/// The most weight of terms that one walk or analysis of the logs of a session may derive, most of
/// which nobody reads: some 100 MB of operands. Logs in which thousands of messages are concurrent
/// reach it. Logs that are not analysed are left to the search, which counts its memory.
pub(crate) const MOST_DERIVED: u64 = 1 << 24;

/// A lazy automaton with more states than this is replaced before the next session. It bounds the
/// memory, which all workers share, to some 100 MB if a state takes 500 bytes with its row and its
/// term (an estimate). A smaller number derives more terms again.
const MOST_STATES_SHARED: usize = 200_000;

/// The same for the operands of its terms, which take four bytes each: 100 MB.
const MOST_OPERANDS: usize = 25 << 20;

impl SharedLazyAutomaton {
    /// The automaton of some interactions, each with an initial state.
    pub(crate) fn new(
        source: (Signature, Vec<Interaction>),
        alphabet: &Alphabet,
        traces: Traces,
    ) -> Self {
        let first = SharedTerms::new(&source.0, &source.1, alphabet, traces);
        SharedLazyAutomaton {
            current: RwLock::new(Arc::new(first)),
            source,
            traces,
            cleared: AtomicU64::new(0),
        }
    }

    /// The automaton for the next session, until `stop` says that its time is over.
    pub(crate) fn acquire(&self, alphabet: &Alphabet, stop: Option<Stop>) -> LazyAutomaton {
        LazyAutomaton::on_terms(self.current(alphabet), stop)
    }

    fn current(&self, alphabet: &Alphabet) -> Arc<SharedTerms> {
        let current = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        if !current.is_too_large() {
            return current;
        }
        let mut slot = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&slot, &current) {
            let (signature, interactions) = &self.source;
            *slot = Arc::new(SharedTerms::new(signature, interactions, alphabet, self.traces));
            self.cleared.fetch_add(1, Ordering::Relaxed);
        }
        Arc::clone(&slot)
    }

    /// How often it has been replaced.
    pub(crate) fn cleared(&self) -> u64 {
        self.cleared.load(Ordering::Relaxed)
    }
}
