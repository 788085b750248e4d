//! The words of one automaton that another does not accept, as an automaton.
//
// The product of an automaton with the subsets of another: a state is a state of the first, and the set
// of states of the second after the same word. It is final if the first accepts and no state of the set
// does. Every multi-trace that only the first specification accepts is the projection of such a word: a
// word of the first automaton whose projection it is cannot be accepted by the second. So no word means
// inclusion, and the shortest word is never longer than the shortest difference.

use super::automata::Automaton;
use multitrace_compiler::trim;
use multitrace_interaction::{Id, LetterId, Nfa, StateId, Transition};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The most states of the product. An estimate, not measured.
const MOST_STATES: usize = 100_000;
/// The most members that all sets of states may have together. An estimate, not measured.
const MOST_MEMBERS: usize = 2_000_000;
/// The most words that are looked at one by one. An estimate, not measured.
const MOST_WORDS: usize = 1_000;

/// The words of the first automaton that the second does not accept, trimmed; `None` if that is too
/// large. Without a state, there is no such word.
pub(super) fn difference(first: &mut dyn Automaton, second: &mut dyn Automaton) -> Option<Nfa> {
    let mut subsets = Subsets {
        automaton: second,
        ids: BTreeMap::new(),
        sets: Vec::new(),
        next: BTreeMap::new(),
        members: 0,
    };
    let start = subsets.automaton.initial().into_iter().collect();
    let start = subsets.id(start)?;
    let mut ids: BTreeMap<(StateId, usize), StateId> = BTreeMap::new();
    let mut states: Vec<(StateId, usize)> = Vec::new();
    let (mut finals, mut transitions) = (Vec::new(), Vec::new());
    let mut id_of = |state: (StateId, usize), states: &mut Vec<_>| {
        *ids.entry(state).or_insert_with(|| {
            states.push(state);
            StateId::new(states.len() - 1)
        })
    };
    let initial: Vec<StateId> =
        first.initial().into_iter().map(|state| id_of((state, start), &mut states)).collect();
    let mut done = 0;
    while let Some(&(state, set)) = states.get(done) {
        if states.len() > MOST_STATES {
            return None;
        }
        let from = StateId::new(done);
        if first.is_final(state) && !subsets.is_final(set) {
            finals.push(from);
        }
        for (letter, target) in first.transitions(state)? {
            let to = id_of((target, subsets.step(set, letter)?), &mut states);
            transitions.push(Transition { from, letter, to });
        }
        done += 1;
    }
    let nfa = Nfa::new(states.len(), initial, finals, transitions);
    Some(trim(&nfa.unwrap_or_else(|_| unreachable!("every transition joins known states"))))
}

/// The sets of states of an automaton, each found once.
struct Subsets<'a> {
    automaton: &'a mut dyn Automaton,
    ids: BTreeMap<BTreeSet<StateId>, usize>,
    sets: Vec<BTreeSet<StateId>>,
    /// Per set, once they are known, the sets that its letters lead to.
    next: BTreeMap<usize, BTreeMap<LetterId, usize>>,
    members: usize,
}

impl Subsets<'_> {
    /// `None` if there are too many.
    fn id(&mut self, set: BTreeSet<StateId>) -> Option<usize> {
        if let Some(&id) = self.ids.get(&set) {
            return Some(id);
        }
        let id = self.sets.len();
        self.members += set.len() + 1;
        self.ids.insert(set.clone(), id);
        self.sets.push(set);
        (self.members <= MOST_MEMBERS).then_some(id)
    }

    fn is_final(&self, set: usize) -> bool {
        self.sets[set].iter().any(|&state| self.automaton.is_final(state))
    }

    fn step(&mut self, set: usize, letter: LetterId) -> Option<usize> {
        if !self.next.contains_key(&set) {
            let row = self.row(set)?;
            self.next.insert(set, row);
        }
        match self.next[&set].get(&letter) {
            Some(&next) => Some(next),
            None => self.id(BTreeSet::new()),
        }
    }

    fn row(&mut self, set: usize) -> Option<BTreeMap<LetterId, usize>> {
        let mut targets: BTreeMap<LetterId, BTreeSet<StateId>> = BTreeMap::new();
        for state in self.sets[set].clone() {
            for (letter, target) in self.automaton.transitions(state)? {
                targets.entry(letter).or_default().insert(target);
            }
        }
        targets.into_iter().map(|(letter, set)| Some((letter, self.id(set)?))).collect()
    }
}

/// A shortest word of an automaton; `None` if it has no word.
pub(super) fn shortest_word(nfa: &Nfa) -> Option<Vec<LetterId>> {
    let starts = shortest_paths(&forward(nfa), nfa.initial().iter().copied());
    let words = nfa.finals().map(|state| {
        let mut word = path(&starts, state);
        word.reverse();
        word
    });
    words.min_by(|a, b| (a.len(), a).cmp(&(b.len(), b)))
}

/// Some words of a trimmed automaton, the shortest first: the shortest through each state.
pub(super) fn short_words(nfa: &Nfa) -> Vec<Vec<LetterId>> {
    let mut backward = vec![Vec::new(); nfa.state_count()];
    for &Transition { from, letter, to } in nfa.transitions() {
        backward[to.index()].push((letter, from));
    }
    let starts = shortest_paths(&forward(nfa), nfa.initial().iter().copied());
    let ends = shortest_paths(&backward, nfa.finals());
    let mut words: Vec<Vec<LetterId>> = nfa
        .states()
        .map(|state| {
            let mut word = path(&starts, state);
            word.reverse();
            word.extend(path(&ends, state));
            word
        })
        .collect();
    words.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    words.dedup();
    words.truncate(MOST_WORDS);
    words
}

/// Per state, the letters and targets of its transitions.
fn forward(nfa: &Nfa) -> Vec<Vec<(LetterId, StateId)>> {
    let row = |state| nfa.outgoing(state).iter().map(|t| (t.letter, t.to)).collect();
    nfa.states().map(row).collect()
}

/// Per state, the letter and the state before it on a shortest path; `None` where paths begin.
type Steps = Vec<Option<(LetterId, StateId)>>;

fn shortest_paths(
    edges: &[Vec<(LetterId, StateId)>],
    starts: impl Iterator<Item = StateId>,
) -> Steps {
    let mut steps = vec![None; edges.len()];
    let mut todo: VecDeque<StateId> = starts.collect();
    let mut seen: BTreeSet<StateId> = todo.iter().copied().collect();
    while let Some(state) = todo.pop_front() {
        for &(letter, next) in &edges[state.index()] {
            if seen.insert(next) {
                steps[next.index()] = Some((letter, state));
                todo.push_back(next);
            }
        }
    }
    steps
}

/// The letters from a state back to where its path begins.
fn path(steps: &Steps, mut state: StateId) -> Vec<LetterId> {
    let mut letters = Vec::new();
    while let Some((letter, before)) = steps[state.index()] {
        letters.push(letter);
        state = before;
    }
    letters
}
