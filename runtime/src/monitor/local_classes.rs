//! The states of the search automaton in classes that one location cannot tell apart, so that tables of its costs have a
//! column for each class and not for each state.
//
// Idea: a location sees its own letters only. Two states are in one class if, over moves of other locations that cost
// nothing, both can reach a final state or neither, and both can read the same own letters into the same classes (weak
// bisimulation). Refinement begins with one class, signs each state by those letters and classes, and ends when signing
// separates nothing more. States on a cycle of moves of others have one signature.
//
// Cost: in each round, a merge of sorted lists for each transition; rounds as many as the location has own events in a
// row. Beyond a limit of work each state is a class of its own.

use multitrace_formats::bundle::Bundle;
use multitrace_interaction::{Id, LetterId, LocationId, Nfa, StateId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How many own letters may be merged for all locations together: some tenths of a second (an estimate).
const MOST_MERGED: usize = 1 << 23;

/// The classes of every location.
#[derive(Debug)]
pub(crate) struct LocalClasses {
    /// By state, then by location.
    class_of: Vec<u32>,
    locations: Vec<ClassTable>,
}

/// The classes of one location.
#[derive(Debug)]
pub(crate) struct ClassTable {
    /// Classes from which others alone can reach a final state.
    pub(crate) finals: Vec<StateId>,
    /// Per class, the own letters that lead to it, with their sources.
    pub(crate) incoming: Vec<Vec<(LetterId, StateId)>>,
    /// Per own letter, by its column, the sources and targets of its transitions.
    pub(crate) reading: Vec<Vec<(StateId, StateId)>>,
}

/// The moves of a location from a state: whether it may stay as it is to the end, and its own next letters with the
/// classes behind them, sorted.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
struct Signature {
    is_final: bool,
    letters: Vec<(LetterId, u32)>,
}

impl LocalClasses {
    /// The classes of the search automaton of a bundle; `None` if they would take too much work. `location_of` has the
    /// location of each letter.
    pub(crate) fn new(
        bundle: &Bundle,
        location_of: &[LocationId],
        nfa: &Nfa,
    ) -> Option<LocalClasses> {
        let mut left = MOST_MERGED;
        let locations = bundle.alphabet.locations();
        let width = locations.len();
        let mut class_of = vec![0; nfa.state_count() * width];
        let mut tables = Vec::with_capacity(width);
        for location in locations {
            let is_own = |letter: LetterId| location_of[letter.index()] == location;
            let (classes, signatures) = refine(nfa, &is_own, &mut left)?;
            for (state, class) in classes.into_iter().enumerate() {
                class_of[state * width + location.index()] = class;
            }
            tables.push(ClassTable::new(&bundle.local(location).letters, &signatures));
        }
        Some(LocalClasses { class_of, locations: tables })
    }

    /// The classes of a location.
    pub(crate) fn table(&self, location: LocationId) -> &ClassTable {
        &self.locations[location.index()]
    }

    /// The classes of a state, by location.
    #[inline]
    pub(crate) fn of(&self, state: StateId) -> &[u32] {
        let width = self.locations.len();
        &self.class_of[state.index() * width..][..width]
    }
}

impl ClassTable {
    fn new(letters: &[LetterId], signatures: &[Rc<Signature>]) -> ClassTable {
        let mut made = ClassTable {
            finals: Vec::new(),
            incoming: vec![Vec::new(); signatures.len()],
            reading: vec![Vec::new(); letters.len()],
        };
        for (class, signature) in signatures.iter().enumerate() {
            let from = StateId::new(class);
            if signature.is_final {
                made.finals.push(from);
            }
            for &(letter, to) in &signature.letters {
                made.incoming[to as usize].push((letter, from));
                if let Some(column) = letters.iter().position(|&it| it == letter) {
                    made.reading[column].push((from, StateId::new(to as usize)));
                }
            }
        }
        made
    }
}

/// Per state its class, and per class its signature; `None` if that takes more merges than are left.
//
// Classes are numbered in the order in which their signatures are first met, which is the same in each round: once no
// class has been split, the numbers in the signatures are those of the round itself.
fn refine(
    nfa: &Nfa,
    is_own: &dyn Fn(LetterId) -> bool,
    left: &mut usize,
) -> Option<(Vec<u32>, Vec<Rc<Signature>>)> {
    let parts = components(nfa, is_own);
    let mut classes = vec![0; nfa.state_count()];
    let mut count = 1;
    loop {
        let mut next = vec![u32::MAX; nfa.state_count()];
        let mut signatures: Vec<Rc<Signature>> = Vec::new();
        let mut known: FxHashMap<Rc<Signature>, u32> = FxHashMap::default();
        for part in &parts {
            let mut own = Signature::default();
            for &state in part {
                own.is_final |= nfa.is_final(state);
                for transition in nfa.outgoing(state) {
                    let to = transition.to.index();
                    if is_own(transition.letter) {
                        own.letters.push((transition.letter, classes[to]));
                    } else if let Some(behind) = signatures.get(next[to] as usize) {
                        // Targets in the component itself have no signature yet, and need none.
                        own.is_final |= behind.is_final;
                        own.letters.extend_from_slice(&behind.letters);
                    }
                }
            }
            *left = left.checked_sub(own.letters.len() + part.len())?;
            own.letters.sort_unstable();
            own.letters.dedup();
            let signature = Rc::new(own);
            let class = *known.entry(Rc::clone(&signature)).or_insert_with(|| {
                signatures.push(signature);
                signatures.len() as u32 - 1
            });
            part.iter().for_each(|state| next[state.index()] = class);
        }
        if signatures.len() == count {
            return Some((next, signatures));
        }
        (count, classes) = (signatures.len(), next);
    }
}

/// The states in strongly connected components of the transitions that are not own, each behind those that it leads to
/// (Tarjan's algorithm).
fn components(nfa: &Nfa, is_own: &dyn Fn(LetterId) -> bool) -> Vec<Vec<StateId>> {
    const UNSEEN: usize = usize::MAX;
    let states = nfa.state_count();
    let (mut number, mut lowest) = (vec![UNSEEN; states], vec![UNSEEN; states]);
    let mut path: Vec<(StateId, usize)> = Vec::new();
    let (mut open, mut found) = (Vec::new(), Vec::new());
    let mut next = 0;
    for start in nfa.states() {
        if number[start.index()] == UNSEEN {
            path.push((start, 0));
        }
        while let Some((state, at)) = path.pop() {
            let own = state.index();
            if at == 0 {
                (number[own], lowest[own]) = (next, next);
                next += 1;
                open.push(state);
            }
            let row = nfa.outgoing(state);
            // On the way back from a state, its lowest number counts here, too.
            if let Some(child) = at.checked_sub(1).map(|before| row[before].to.index()) {
                lowest[own] = lowest[own].min(lowest[child]);
            }
            let unseen = (at..row.len()).find(|&at| {
                let to = row[at].to.index();
                if is_own(row[at].letter) {
                    return false;
                }
                if number[to] < UNSEEN {
                    lowest[own] = lowest[own].min(lowest[to]);
                }
                number[to] == UNSEEN
            });
            if let Some(at) = unseen {
                path.extend([(state, at + 1), (row[at].to, 0)]);
            } else if lowest[own] == number[own] {
                let begin = open.iter().rposition(|&it| it == state).unwrap_or(0);
                let part = open.split_off(begin);
                // No state behind looks at a component that is closed.
                part.iter().for_each(|it| lowest[it.index()] = UNSEEN);
                found.push(part);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_interaction::Transition;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const STATES: usize = 6;
    /// The letters below this one are own.
    const OWN: usize = 2;

    fn is_own(letter: LetterId) -> bool {
        letter.index() < OWN
    }

    fn nfa(edges: &[(usize, usize, usize)], finals: &[usize]) -> Nfa {
        let transitions = edges.iter().map(|&(from, letter, to)| Transition {
            from: StateId::new(from),
            letter: LetterId::new(letter),
            to: StateId::new(to),
        });
        let finals = finals.iter().map(|&state| StateId::new(state));
        Nfa::new(STATES, [StateId::new(0)], finals, transitions.collect()).expect("in range")
    }

    /// The states that others' letters alone lead to.
    fn reached(nfa: &Nfa, state: StateId) -> BTreeSet<StateId> {
        let (mut reached, mut todo) = (BTreeSet::from([state]), vec![state]);
        while let Some(state) = todo.pop() {
            for transition in nfa.outgoing(state).iter().filter(|it| !is_own(it.letter)) {
                if reached.insert(transition.to) {
                    todo.push(transition.to);
                }
            }
        }
        reached
    }

    proptest! {
        #[test]
        fn states_of_a_class_are_weakly_bisimilar(
            edges in prop::collection::vec((0..STATES, 0..4_usize, 0..STATES), 0..14),
            finals in prop::collection::vec(0..STATES, 0..3),
        ) {
            let nfa = nfa(&edges, &finals);
            let (classes, signatures) = refine(&nfa, &is_own, &mut 100_000).expect("small");
            for state in nfa.states() {
                let reached = reached(&nfa, state);
                let signature = &signatures[classes[state.index()] as usize];
                prop_assert_eq!(signature.is_final, reached.iter().any(|&it| nfa.is_final(it)));
                let read = reached.iter().flat_map(|&it| nfa.outgoing(it));
                let read = read.filter(|it| is_own(it.letter));
                let letters: BTreeSet<(LetterId, u32)> =
                    read.map(|it| (it.letter, classes[it.to.index()])).collect();
                prop_assert_eq!(&signature.letters, &letters.into_iter().collect::<Vec<_>>());
            }
            let distinct: BTreeSet<_> = signatures.iter().map(|it| (it.is_final, &it.letters)).collect();
            prop_assert_eq!(distinct.len(), signatures.len());
        }
    }

    #[test]
    fn what_takes_too_much_work_is_left() {
        let nfa = nfa(&[(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 4)], &[4]);
        assert!(refine(&nfa, &is_own, &mut 30).is_none());
    }
}
