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

/// The most members that all sets of states may have together. An estimate, not measured.
const MOST_MEMBERS: usize = 2_000_000;
/// The most words that are looked at one by one. An estimate, not measured.
const MOST_WORDS: usize = 1_000;

/// The words of one automaton that another does not accept, found level by level.
pub(super) struct Product<'a> {
    first: Box<dyn Automaton + 'a>,
    subsets: Subsets<'a>,
    ids: BTreeMap<(StateId, usize), StateId>,
    states: Vec<(StateId, usize)>,
    /// Per state, the transition by which it was found; `None` where words begin.
    found_by: Vec<Option<(LetterId, StateId)>>,
    initial: usize,
    /// How many states have been explored.
    explored: usize,
    finals: Vec<StateId>,
    transitions: Vec<Transition>,
    most_states: usize,
}

/// The product, or one of its sets, is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl<'a> Product<'a> {
    pub(super) fn new(
        first: Box<dyn Automaton + 'a>,
        second: Box<dyn Automaton + 'a>,
        most_states: usize,
    ) -> Result<Product<'a>, TooLarge> {
        let mut subsets = Subsets::new(second);
        let start = subsets.start()?;
        let initial = first.initial();
        let mut product = Product {
            first,
            subsets,
            ids: BTreeMap::new(),
            states: Vec::new(),
            found_by: Vec::new(),
            initial: initial.len(),
            explored: 0,
            finals: Vec::new(),
            transitions: Vec::new(),
            most_states,
        };
        for state in initial {
            product.id((state, start), None);
        }
        Ok(product)
    }

    /// A shortest word; `None` if there is no word.
    pub(super) fn shortest_word(&mut self) -> Result<Option<Vec<LetterId>>, TooLarge> {
        while self.finals.is_empty() && self.explored < self.states.len() {
            self.explore()?;
        }
        let word = self.finals.first().map(|&end| {
            let mut word = path(&self.found_by, end);
            word.reverse();
            word
        });
        Ok(word)
    }

    /// All words, as an automaton that is trimmed.
    pub(super) fn finish(mut self) -> Result<Nfa, TooLarge> {
        while self.explored < self.states.len() {
            self.explore()?;
        }
        let initial = (0..self.initial).map(StateId::new);
        let nfa = Nfa::new(self.states.len(), initial, self.finals, self.transitions);
        Ok(trim(&nfa.unwrap_or_else(|_| unreachable!("every transition joins known states"))))
    }

    /// Explores the next state, in the order in which they were found.
    fn explore(&mut self) -> Result<(), TooLarge> {
        let ((state, set), from) = (self.states[self.explored], StateId::new(self.explored));
        if self.first.is_final(state) && !self.subsets.is_final(set) {
            self.finals.push(from);
        }
        for (letter, target) in self.first.transitions(state).ok_or(TooLarge)? {
            let set = self.subsets.step(set, letter)?;
            let to = self.id((target, set), Some((letter, from)));
            self.transitions.push(Transition { from, letter, to });
        }
        self.explored += 1;
        if self.states.len() > self.most_states { Err(TooLarge) } else { Ok(()) }
    }

    fn id(&mut self, state: (StateId, usize), by: Option<(LetterId, StateId)>) -> StateId {
        *self.ids.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.found_by.push(by);
            StateId::new(self.states.len() - 1)
        })
    }
}

/// The sets of states of an automaton, each found once.
struct Subsets<'a> {
    automaton: Box<dyn Automaton + 'a>,
    ids: BTreeMap<BTreeSet<StateId>, usize>,
    sets: Vec<BTreeSet<StateId>>,
    /// The sets that letters lead to from others, once they are known.
    next: BTreeMap<(usize, LetterId), usize>,
    members: usize,
}

impl<'a> Subsets<'a> {
    fn new(automaton: Box<dyn Automaton + 'a>) -> Subsets<'a> {
        let (ids, next) = (BTreeMap::new(), BTreeMap::new());
        Subsets { automaton, ids, sets: Vec::new(), next, members: 0 }
    }

    /// The set where words begin.
    fn start(&mut self) -> Result<usize, TooLarge> {
        let start = self.automaton.initial().into_iter().collect();
        self.id(start)
    }

    fn id(&mut self, set: BTreeSet<StateId>) -> Result<usize, TooLarge> {
        if let Some(&id) = self.ids.get(&set) {
            return Ok(id);
        }
        let id = self.sets.len();
        self.members += set.len() + 1;
        self.ids.insert(set.clone(), id);
        self.sets.push(set);
        if self.members <= MOST_MEMBERS { Ok(id) } else { Err(TooLarge) }
    }

    fn is_final(&self, set: usize) -> bool {
        self.sets[set].iter().any(|&state| self.automaton.is_final(state))
    }

    fn step(&mut self, set: usize, letter: LetterId) -> Result<usize, TooLarge> {
        if let Some(&next) = self.next.get(&(set, letter)) {
            return Ok(next);
        }
        let mut targets = BTreeSet::new();
        for state in self.sets[set].clone() {
            targets.extend(self.automaton.step(state, letter).ok_or(TooLarge)?);
        }
        let next = self.id(targets)?;
        self.next.insert((set, letter), next);
        Ok(next)
    }
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
