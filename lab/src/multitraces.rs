//! The multi-traces of paper 004 sec. 5, made at random from an automaton, and the answers expected for them: by the
//! way they are made, or by searches that share no code with the measured ones.

use multitrace_interaction::generate::{self, Bounds, Dice, Generator, Words};
use multitrace_interaction::{Alphabet, Id, LetterId, MultiTrace, Nfa, StateId, Transition};
use std::collections::BTreeSet;

/// The answer expected for a multi-trace; for a local error the first location that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Pass,
    LocalError(usize),
    InterError,
    CentralError,
    /// An error, nobody says which.
    Error,
}

impl Answer {
    /// Whether this is right where another is expected, even if it says less.
    pub fn agrees_with(self, expected: Answer) -> bool {
        self == expected || self == Answer::Error && expected != Answer::Pass
    }
}

/// The sets of the paper's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestSet {
    Pass,
    LocalError,
    InterError,
    CentralError,
    AllTypes,
}

impl TestSet {
    pub const ALL: [TestSet; 5] = [
        TestSet::Pass,
        TestSet::LocalError,
        TestSet::InterError,
        TestSet::CentralError,
        TestSet::AllTypes,
    ];

    pub fn name(self) -> &'static str {
        match self {
            TestSet::Pass => "Pass",
            TestSet::LocalError => "LocalError",
            TestSet::InterError => "InterError",
            TestSet::CentralError => "CentralError",
            TestSet::AllTypes => "AllTypes",
        }
    }

    fn is_of(self, answer: Answer) -> bool {
        match answer {
            Answer::Pass => self == TestSet::Pass,
            Answer::LocalError(_) => self == TestSet::LocalError,
            Answer::InterError => self == TestSet::InterError,
            Answer::CentralError => self == TestSet::CentralError,
            Answer::Error => false,
        }
    }
}

/// Multi-traces with their answers.
pub type Set = Vec<(MultiTrace, Answer)>;

/// How many events a multi-trace has.
const SHORTEST: usize = 200;
const LONGEST: usize = 250;
/// Where this many attempts for each multi-trace that is wanted do not give enough, the set stays
/// smaller, or empty.
const ATTEMPTS: usize = 20;
/// The stream of a seed by which sets are shuffled; the generator takes the first ones.
const SHUFFLES: u64 = 4;

/// The letters of an automaton split over locations at random. Every location has at least one of
/// the letters that transitions read.
pub fn split(letters: &[String], nfa: &Nfa, locations: usize, dice: &mut Dice) -> Alphabet {
    let mut alphabet = Alphabet::default();
    let used: BTreeSet<_> = nfa.transitions().iter().map(|t| t.letter).collect();
    let places = generate::split(letters.len(), &used, locations, dice);
    let locations: Vec<_> = (0..locations)
        .map(|index| alphabet.add_location(&format!("l{index}")).expect("a new name"))
        .collect();
    for (name, place) in letters.iter().zip(places) {
        alphabet.add_letter(name, locations[place]).expect("a new name");
    }
    alphabet
}

// ---- Making

/// Makes multi-traces of one automaton whose letters lie at locations.
pub struct Maker<'a> {
    judge: Judge<'a>,
    /// `None` if no accepted word has a length of the sets.
    generator: Option<Generator>,
    dice: Dice,
}

impl<'a> Maker<'a> {
    pub fn new(alphabet: &'a Alphabet, nfa: &'a Nfa, seed: u64) -> Maker<'a> {
        let words = Words::new(alphabet.clone(), nfa.clone(), &Bounds::events(SHORTEST, LONGEST));
        let generator = words.ok().map(|words| Generator::of_words(words, seed));
        Maker { judge: Judge { alphabet, nfa }, generator, dice: Dice::new(seed, SHUFFLES) }
    }

    /// A set of at most this many multi-traces.
    pub fn set(&mut self, kind: TestSet, size: usize) -> Set {
        if kind == TestSet::AllTypes {
            return self.mixed(size);
        }
        let mut set = Set::new();
        for _ in 0..ATTEMPTS * size {
            if set.len() == size {
                break;
            }
            let Some(trace) = self.candidate(kind) else { continue };
            let length: usize = trace.iter().map(Vec::len).sum();
            if !(SHORTEST..=LONGEST).contains(&length) {
                continue;
            }
            if let Some(answer) = self.judge.answer(&trace, kind) {
                set.push((trace, answer));
            }
        }
        set
    }

    /// The other sets in about equal shares, in any order.
    fn mixed(&mut self, size: usize) -> Set {
        let kinds =
            [TestSet::CentralError, TestSet::InterError, TestSet::LocalError, TestSet::Pass];
        let mut set = Set::new();
        for (index, kind) in kinds.into_iter().enumerate() {
            let share = (size - set.len()).div_ceil(kinds.len() - index);
            set.extend(self.set(kind, share));
        }
        self.dice.shuffle(&mut set);
        set
    }

    /// A multi-trace as the paper makes them for a verdict, which it need not have. For central
    /// errors the paper repeats a cycle differently often at each location: on these automata, whose
    /// cycles read the letters of one location or all letters in any order, that always passes, so
    /// they are made like the others of several words.
    fn candidate(&mut self, kind: TestSet) -> Option<MultiTrace> {
        let generator = self.generator.as_mut()?;
        let accepted = generator.accepted();
        match kind {
            TestSet::LocalError => Some(generator.errors(&accepted)?.0),
            TestSet::InterError | TestSet::CentralError => Some(generator.mixture(&accepted).0),
            TestSet::Pass | TestSet::AllTypes => Some(accepted),
        }
    }
}

// ---- Judging

/// The answer for a multi-trace, by searches over the automaton alone.
struct Judge<'a> {
    alphabet: &'a Alphabet,
    nfa: &'a Nfa,
}

/// A place of a transition in the sorted list.
type Edge = (StateId, LetterId, StateId);

impl Judge<'_> {
    /// The answer for a multi-trace, when it is of the kind it was made for.
    fn answer(&self, trace: &MultiTrace, kind: TestSet) -> Option<Answer> {
        let areas: Vec<_> = (0..trace.len()).map(|location| self.area(trace, location)).collect();
        let answer = match areas.iter().position(Option::is_none) {
            Some(location) => Answer::LocalError(location),
            None if !self.meet(areas.into_iter().flatten().collect()) => Answer::InterError,
            // A projection of an accepted word needs no search.
            None if kind == TestSet::Pass => Answer::Pass,
            None if kind != TestSet::CentralError => return None,
            None if self.accepts(trace) => Answer::Pass,
            None => Answer::CentralError,
        };
        kind.is_of(answer).then_some(answer)
    }

    /// The transitions on paths that read a local trace, or a part of it, while the other locations are free (paper 004
    /// def. 8); `None` when no accepting path reads it all.
    fn area(&self, trace: &MultiTrace, location: usize) -> Option<BTreeSet<Edge>> {
        let local = &trace[location];
        let initial = self.nfa.initial().iter();
        let mut seen: BTreeSet<(usize, StateId)> = initial.map(|&state| (0, state)).collect();
        let mut todo: Vec<_> = seen.iter().copied().collect();
        let (mut area, mut is_possible) = (BTreeSet::new(), false);
        while let Some((position, state)) = todo.pop() {
            is_possible |= position == local.len() && self.nfa.is_final(state);
            for transition in self.nfa.outgoing(state) {
                let own = self.alphabet.location_of(transition.letter).index() == location;
                if own && local.get(position) != Some(&transition.letter) {
                    continue;
                }
                area.insert((state, transition.letter, transition.to));
                let next = (position + usize::from(own), transition.to);
                if seen.insert(next) {
                    todo.push(next);
                }
            }
        }
        is_possible.then_some(area)
    }

    /// Whether an accepting path lies in all areas.
    fn meet(&self, areas: Vec<BTreeSet<Edge>>) -> bool {
        let mut reached: BTreeSet<StateId> = self.nfa.initial().iter().copied().collect();
        let mut todo: Vec<_> = reached.iter().copied().collect();
        while let Some(state) = todo.pop() {
            for transition in self.nfa.outgoing(state) {
                let place = (state, transition.letter, transition.to);
                if areas.iter().all(|area| area.contains(&place)) && reached.insert(transition.to) {
                    todo.push(transition.to);
                }
            }
        }
        reached.into_iter().any(|state| self.nfa.is_final(state))
    }

    /// Whether some interleaving is accepted, by search over positions and states. Only those are
    /// visited from which each local trace alone can still be read: else some sets would take hours.
    fn accepts(&self, trace: &MultiTrace) -> bool {
        let alive: Vec<_> = (0..trace.len()).map(|location| self.alive(trace, location)).collect();
        let is_alive = |positions: &[usize], state: StateId| {
            alive.iter().zip(positions).all(|(alive, &position)| alive[position][state.index()])
        };
        let start = vec![0_usize; trace.len()];
        let initial = self.nfa.initial().iter().map(|&state| (start.clone(), state));
        let mut todo: Vec<_> = initial.filter(|(start, state)| is_alive(start, *state)).collect();
        let mut seen: BTreeSet<_> = todo.iter().cloned().collect();
        while let Some((positions, state)) = todo.pop() {
            let mut rest =
                trace.iter().zip(&positions).map(|(local, &position)| &local[position..]);
            if rest.all(<[_]>::is_empty) && self.nfa.is_final(state) {
                return true;
            }
            for transition in self.nfa.outgoing(state) {
                let location = self.alphabet.location_of(transition.letter).index();
                if trace[location].get(positions[location]) != Some(&transition.letter) {
                    continue;
                }
                let mut next = (positions.clone(), transition.to);
                next.0[location] += 1;
                if is_alive(&next.0, next.1) && seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        false
    }

    /// Per position of a local trace, the states from which the rest of it can be read to a final
    /// state, while the other locations are free.
    fn alive(&self, trace: &MultiTrace, location: usize) -> Vec<Vec<bool>> {
        let local = &trace[location];
        let mut alive = vec![vec![false; self.nfa.state_count()]; local.len() + 1];
        alive[local.len()] = self.nfa.states().map(|state| self.nfa.is_final(state)).collect();
        for position in (0..=local.len()).rev() {
            loop {
                let leads = |t: &Transition| {
                    let own = self.alphabet.location_of(t.letter).index() == location;
                    let fits = !own || local.get(position) == Some(&t.letter);
                    fits && alive[position + usize::from(own)][t.to.index()]
                };
                let transitions = self.nfa.transitions().iter();
                let more = transitions.filter(|t| !alive[position][t.from.index()] && leads(t));
                let more: Vec<_> = more.map(|t| t.from.index()).collect();
                if more.is_empty() {
                    break;
                }
                more.into_iter().for_each(|state| alive[position][state] = true);
            }
        }
        alive
    }
}
