//! Algorithms 1, 2 and 3 of paper 004, as printed: with the sets and maps of the standard library,
//! and nothing done that the paper does not say. The baseline of multitrace.

use multitrace_interaction::{
    Alphabet, LetterId, LocationId, MultiTrace, Nfa, StateId, Transition,
};
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::multitraces::Answer;

/// The automaton as the paper has it: δ is a function of states and letters to sets of states.
pub struct Automaton {
    initial: HashSet<StateId>,
    finals: HashSet<StateId>,
    delta: HashMap<(StateId, LetterId), HashSet<StateId>>,
}

impl Automaton {
    pub fn new(nfa: &Nfa) -> Automaton {
        let initial = nfa.initial().iter().copied().collect();
        Automaton::from_parts(initial, nfa.finals().collect(), nfa.transitions())
    }

    fn from_parts<'a>(
        initial: HashSet<StateId>,
        finals: HashSet<StateId>,
        transitions: impl IntoIterator<Item = &'a Transition>,
    ) -> Automaton {
        let mut delta: HashMap<_, HashSet<StateId>> = HashMap::new();
        for transition in transitions {
            delta.entry((transition.from, transition.letter)).or_default().insert(transition.to);
        }
        Automaton { initial, finals, delta }
    }
}

/// The answer of a baseline; `None` when it has built more states than it may.
pub type Capped<T> = Option<T>;

// ---- Algorithm 1

/// Whether some interleaving is accepted: Algorithm 1.
///
/// The suffixes w1, …, wn are the positions where they start, which is kind to the baseline. Which
/// state to pick is left open; taking the newest finds an accepting path soonest. As printed a
/// state that has been picked may be added to W again; it is built but once here, as the text says
/// ("building states reachable in one transition from states already built", and that it builds
/// the automaton of def. 4): otherwise it would follow every path one by one.
pub fn algorithm_1(automaton: &Automaton, trace: &MultiTrace, most: usize) -> Capped<bool> {
    let is_final = |positions: &[usize], state: &StateId| {
        let is_read = positions.iter().zip(trace).all(|(&start, local)| start == local.len());
        is_read && automaton.finals.contains(state)
    };
    let start = vec![0; trace.len()];
    if automaton.initial.iter().any(|state| is_final(&start, state)) {
        return Some(true);
    }
    let mut work: Vec<_> = automaton.initial.iter().map(|&state| (start.clone(), state)).collect();
    let mut built: HashSet<(Vec<usize>, StateId)> = work.iter().cloned().collect();
    while let Some((positions, state)) = work.pop() {
        for (location, local) in trace.iter().enumerate() {
            let Some(&letter) = local.get(positions[location]) else { continue };
            let Some(targets) = automaton.delta.get(&(state, letter)) else { continue };
            #[allow(clippy::iter_over_hash_type, reason = "any order will do")]
            for &target in targets {
                let mut after = positions.clone();
                after[location] += 1;
                if is_final(&after, &target) {
                    return Some(true);
                }
                if built.insert((after.clone(), target)) {
                    work.push((after, target));
                }
            }
        }
        if built.len() > most {
            return None;
        }
    }
    Some(false)
}

// ---- The local verifiers

/// Proj(𝒜, Σi), its areas, and init (paper 004 defs. 5 to 7).
struct Projection {
    finals: HashSet<usize>,
    delta: HashMap<(usize, LetterId), usize>,
    area: HashMap<(usize, LetterId), HashSet<Transition>>,
    init: HashSet<Transition>,
}

impl Projection {
    fn new(alphabet: &Alphabet, nfa: &Nfa, location: LocationId) -> Projection {
        let other = |letter| alphabet.location_of(letter) != location;
        let own = alphabet.letters().filter(|&letter| !other(letter));
        let own: Vec<LetterId> = own.collect();
        let (start, init) = closure(nfa, nfa.initial().iter().copied().collect(), &other);
        let mut states = vec![start];
        let mut made = Projection {
            finals: HashSet::new(),
            delta: HashMap::new(),
            area: HashMap::new(),
            init,
        };
        let mut index = 0;
        while index < states.len() {
            if states[index].iter().any(|&state| nfa.is_final(state)) {
                made.finals.insert(index);
            }
            for &letter in &own {
                let read = states[index].iter().flat_map(|&state| nfa.reading(state, letter));
                let read: HashSet<Transition> = read.copied().collect();
                if read.is_empty() {
                    continue;
                }
                let (to, after) = closure(nfa, read.iter().map(|t| t.to).collect(), &other);
                let known = states.iter().position(|state| *state == to);
                let to = known.unwrap_or_else(|| {
                    states.push(to);
                    states.len() - 1
                });
                made.delta.insert((index, letter), to);
                made.area.insert((index, letter), read.union(&after).copied().collect());
            }
            index += 1;
        }
        made
    }
}

/// The states reached by letters of other locations, and the transitions on the way.
fn closure(
    nfa: &Nfa,
    mut states: BTreeSet<StateId>,
    other: &dyn Fn(LetterId) -> bool,
) -> (BTreeSet<StateId>, HashSet<Transition>) {
    let mut transitions = HashSet::new();
    let mut work: Vec<StateId> = states.iter().copied().collect();
    while let Some(state) = work.pop() {
        for transition in nfa.outgoing(state).iter().filter(|t| other(t.letter)) {
            transitions.insert(*transition);
            if states.insert(transition.to) {
                work.push(transition.to);
            }
        }
    }
    (states, transitions)
}

/// The tables of Algorithms 2 and 3, set up once.
pub struct SemiCentralized {
    initial: HashSet<StateId>,
    finals: HashSet<StateId>,
    projections: Vec<Projection>,
}

impl SemiCentralized {
    pub fn new(alphabet: &Alphabet, nfa: &Nfa) -> SemiCentralized {
        let project = |location| Projection::new(alphabet, nfa, location);
        SemiCentralized {
            initial: nfa.initial().iter().copied().collect(),
            finals: nfa.finals().collect(),
            projections: alphabet.locations().map(project).collect(),
        }
    }

    /// The semi-centralized procedure: Algorithm 2 at each location, then Algorithm 3.
    pub fn check(&self, trace: &MultiTrace, most: usize) -> Capped<Answer> {
        let mut areas = Vec::new();
        for (location, (projection, local)) in self.projections.iter().zip(trace).enumerate() {
            match algorithm_2(projection, local) {
                Some(area) => areas.push(area),
                None => return Some(Answer::LocalError(location)),
            }
        }
        self.algorithm_3(areas, trace, most)
    }

    /// The central check.
    fn algorithm_3(
        &self,
        areas: Vec<HashSet<Transition>>,
        trace: &MultiTrace,
        most: usize,
    ) -> Capped<Answer> {
        let inter = areas.into_iter().reduce(|inter, area| &inter & &area).unwrap_or_default();
        let inter = Automaton::from_parts(self.initial.clone(), self.finals.clone(), &inter);
        if !has_accepting_path(&inter) {
            return Some(Answer::InterError);
        }
        let passes = algorithm_1(&inter, trace, most)?;
        Some(if passes { Answer::Pass } else { Answer::CentralError })
    }
}

/// The local check: the area of a local trace, or `None` for LocalError.
///
/// As printed it returns Pass inside its loop, as soon as some prefix is accepted, and never adds
/// to the area. The intended answer (sec. 4.4: μi is read, and is an error "if μi is not accepted") is
/// decided at the end of the trace, and the area is the union of the labels on the way (def. 8).
fn algorithm_2(projection: &Projection, local: &[LetterId]) -> Option<HashSet<Transition>> {
    let mut area = projection.init.clone();
    let mut state = 0;
    for &letter in local {
        let next = projection.delta.get(&(state, letter))?;
        area.extend(&projection.area[&(state, letter)]);
        state = *next;
    }
    projection.finals.contains(&state).then_some(area)
}

fn has_accepting_path(automaton: &Automaton) -> bool {
    let mut reached = automaton.initial.clone();
    let mut work: Vec<StateId> = reached.iter().copied().collect();
    while let Some(state) = work.pop() {
        if automaton.finals.contains(&state) {
            return true;
        }
        #[allow(clippy::iter_over_hash_type, reason = "any order will do")]
        for ((from, _), targets) in &automaton.delta {
            if *from == state {
                work.extend(targets.iter().filter(|&&target| reached.insert(target)));
            }
        }
    }
    false
}
