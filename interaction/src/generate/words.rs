//! Random accepted words of an automaton, and their projections to the locations.

use super::bounds::{Bounds, BoundsError};
use super::dice::Dice;
use crate::alphabet::Alphabet;
use crate::id::{Id, LetterId, StateId};
use crate::nfa::Nfa;
use crate::trace::MultiTrace;
use fixedbitset::FixedBitSet;

/// The most bits that all sets of states take, one set for each number of events: 32 MiB.
const MAX_BITS: usize = 1 << 28;
/// The bits that a set of states takes beside its members: its fields and the overhead of the allocator.
const BITS_PER_SET: usize = 512;

/// Makes random accepted multi-traces of an automaton whose letters lie at locations.
///
/// ```
/// use multitrace_interaction::generate::{Bounds, Dice, Words};
/// use multitrace_interaction::{Alphabet, Id, Nfa, StateId, Transition};
/// let mut alphabet = Alphabet::default();
/// let left = alphabet.add_location("left").expect("a new name");
/// let letter = alphabet.add_letter("a", left).expect("a new name");
/// let state = StateId::new(0);
/// let again = Transition { from: state, letter, to: state };
/// let nfa = Nfa::new(1, [state], [state], vec![again]).expect("states in range");
/// let words = Words::new(alphabet, nfa, &Bounds::events(2, 4)).expect("within the bounds");
/// assert!((2..=4).contains(&words.accepted(&mut Dice::new(1, 0))[0].len()));
/// ```
#[derive(Clone, Debug)]
pub struct Words {
    alphabet: Alphabet,
    nfa: Nfa,
    /// Per number of letters, the states in which an accepted word of that length begins.
    begins: Vec<FixedBitSet>,
    /// The numbers of letters that accepted words within the bounds have.
    aims: Vec<usize>,
}

impl Words {
    /// The words of an automaton. Bounds on the repetitions of loops mean nothing here.
    ///
    /// # Errors
    /// If no accepted word is within the bounds, or they are too wide.
    pub fn new(alphabet: Alphabet, nfa: Nfa, bounds: &Bounds) -> Result<Words, BoundsError> {
        let events = bounds.max_events.ok_or(BoundsError::Unbounded)?;
        if events.saturating_mul(nfa.state_count() + BITS_PER_SET) > MAX_BITS {
            return Err(BoundsError::TooWide { events, loops: 0 });
        }
        let begins = begins(&nfa, events);
        let is_open = |events: &usize| nfa.initial().iter().any(|it| begins[*events][it.index()]);
        let aims: Vec<usize> = (bounds.min_events..=events).filter(is_open).collect();
        if aims.is_empty() {
            let shortest = shortest(&nfa).ok_or(BoundsError::Empty)?;
            return Err(BoundsError::Nothing { bounds: *bounds, shortest });
        }
        Ok(Words { alphabet, nfa, begins, aims })
    }

    /// The letters and their locations.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// A random accepted multi-trace: first its number of events, all possible ones equally likely,
    /// then letter by letter one of the transitions that lead to an end after that many.
    ///
    /// # Panics
    /// Never: every state that is reached begins an accepted word of the length that is left.
    pub fn accepted(&self, dice: &mut Dice) -> MultiTrace {
        let mut trace = vec![Vec::new(); self.alphabet.locations().len()];
        for letter in self.word(dice) {
            trace[self.alphabet.location_of(letter).index()].push(letter);
        }
        trace
    }

    fn word(&self, dice: &mut Dice) -> Vec<LetterId> {
        let length = self.aims[dice.below(self.aims.len())];
        let starts = self.nfa.initial().iter().copied();
        let starts: Vec<StateId> = starts.filter(|it| self.begins[length][it.index()]).collect();
        let mut state = *dice.pick(&starts).expect("a word of this length is accepted");
        let mut word = Vec::with_capacity(length);
        for left in (0..length).rev() {
            let next = self.nfa.outgoing(state).iter();
            let next: Vec<_> = next.filter(|it| self.begins[left][it.to.index()]).collect();
            let next = dice.pick(&next).expect("the word goes on");
            word.push(next.letter);
            state = next.to;
        }
        word
    }
}

fn begins(nfa: &Nfa, most: usize) -> Vec<FixedBitSet> {
    let mut ends = FixedBitSet::with_capacity(nfa.state_count());
    ends.extend(nfa.finals().map(Id::index));
    let mut all = vec![ends];
    for length in 0..most {
        let mut states = FixedBitSet::with_capacity(nfa.state_count());
        let open = nfa.transitions().iter().filter(|it| all[length][it.to.index()]);
        states.extend(open.map(|it| it.from.index()));
        all.push(states);
    }
    all
}

/// How many letters the shortest accepted word has; `None` if there is no word.
fn shortest(nfa: &Nfa) -> Option<usize> {
    let mut seen = FixedBitSet::with_capacity(nfa.state_count());
    let mut level: Vec<StateId> = nfa.initial().to_vec();
    for length in 0.. {
        level.retain(|it| !seen.put(it.index()));
        if level.is_empty() {
            return None;
        }
        if level.iter().any(|&it| nfa.is_final(it)) {
            return Some(length);
        }
        level = level.iter().flat_map(|&it| nfa.outgoing(it)).map(|it| it.to).collect();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nfa::Transition;

    #[test]
    fn many_events_of_a_small_automaton_are_too_many() {
        let state = StateId::new(0);
        let nfa = Nfa::new(1, [state], [state], Vec::new()).expect("a state");
        let of = |events| Words::new(Alphabet::default(), nfa.clone(), &Bounds::events(0, events));
        assert!(of(1_000).is_ok());
        let events = MAX_BITS / 2;
        assert_eq!(of(events).expect_err("GiB"), BoundsError::TooWide { events, loops: 0 });
    }

    /// A word of two letters, or of one letter more for each turn in between.
    fn chain(finals: &[StateId]) -> Nfa {
        let [first, middle, last] = [0, 1, 2].map(StateId::new);
        let letter = LetterId::new(0);
        let steps = [(first, middle), (middle, middle), (middle, last)];
        let transitions = steps.map(|(from, to)| Transition { from, letter, to });
        Nfa::new(3, [first], finals.iter().copied(), transitions.to_vec()).expect("three states")
    }

    #[test]
    fn bounds_below_the_shortest_word_name_its_length() {
        let bounds = Bounds::events(0, 1);
        let of = |finals: &[StateId]| {
            Words::new(Alphabet::default(), chain(finals), &bounds).expect_err("no word")
        };
        assert_eq!(of(&[StateId::new(2)]), BoundsError::Nothing { bounds, shortest: 2 });
        assert_eq!(of(&[]), BoundsError::Empty);
    }
}
