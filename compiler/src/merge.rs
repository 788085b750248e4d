//! Merging equivalent states: by their futures (bisimulation), and by their pasts
//! (bisimulation of the reversed automaton). Either keeps the accepted words.
//!
//! Partition refinement by signatures: when a class splits, its largest part keeps its name, so a
//! state is renamed at most log n times and only the sources of renamed states are looked at again.

use crate::limits::{Clock, LimitExceeded};
use multitrace_interaction::{Id, LetterId, Nfa, StateId, Transition};
use std::collections::VecDeque;
use std::ops::Range;

/// Merges states with equal futures, then states with equal pasts, until neither changes anything.
pub fn merge(nfa: &Nfa) -> Nfa {
    merge_until(nfa, &Clock::default()).unwrap_or_else(|_| unreachable!("there is time"))
}

/// [`merge`] as long as there is time.
///
/// # Errors
/// If the time is over.
pub(crate) fn merge_until(nfa: &Nfa, clock: &Clock) -> Result<Nfa, LimitExceeded> {
    let mut current = merge_futures_until(nfa, clock)?;
    loop {
        let before = current.state_count();
        let merged = reverse(&merge_futures_until(&reverse(&current), clock)?);
        let by_pasts = merged.state_count();
        if by_pasts == before {
            return Ok(current);
        }
        current = merge_futures_until(&merged, clock)?;
        if current.state_count() == by_pasts {
            return Ok(current);
        }
    }
}

/// Merges states from which the same transitions lead to the same merged states. On a trimmed
/// deterministic automaton this minimises.
pub fn merge_futures(nfa: &Nfa) -> Nfa {
    merge_futures_until(nfa, &Clock::default()).unwrap_or_else(|_| unreachable!("there is time"))
}

fn merge_futures_until(nfa: &Nfa, clock: &Clock) -> Result<Nfa, LimitExceeded> {
    let mut refinement = Refinement::new(nfa);
    refinement.run(clock)?;
    Ok(quotient(nfa, &refinement.classes))
}

fn reverse(nfa: &Nfa) -> Nfa {
    let flipped =
        nfa.transitions().iter().map(|t| Transition { from: t.to, letter: t.letter, to: t.from });
    Nfa::new(nfa.state_count(), nfa.finals(), nfa.initial().iter().copied(), flipped.collect())
        .unwrap_or_else(|_| unreachable!("states stay in range"))
}

/// States in classes, the states of a class side by side, those whose signature may have changed first.
struct Classes {
    states: Vec<StateId>,
    /// Per state: where it is, and its class.
    places: Vec<u32>,
    class: Vec<u32>,
    /// Per class: where its states are, and how many of them may have changed.
    members: Vec<Range<usize>>,
    changed: Vec<usize>,
}

impl Classes {
    /// Two classes at most: states that are not final, and states that are. Each state is marked as changed.
    fn new(nfa: &Nfa) -> Classes {
        let mut states: Vec<StateId> = nfa.states().collect();
        states.sort_by_key(|&state| nfa.is_final(state));
        let first_final = states.partition_point(|&state| !nfa.is_final(state));
        let members = [0..first_final, first_final..states.len()];
        let members: Vec<_> = members.into_iter().filter(|it| !it.is_empty()).collect();
        let changed = members.iter().map(ExactSizeIterator::len).collect();
        let (places, class) = (vec![0; states.len()], vec![0; states.len()]);
        let mut made = Classes { states, places, class, members, changed };
        for class in 0..made.members.len() {
            made.note(made.members[class].clone(), class as u32);
        }
        made
    }

    /// Notes where the states of a class are.
    fn note(&mut self, range: Range<usize>, class: u32) {
        for place in range {
            let state = self.states[place].index();
            (self.places[state], self.class[state]) = (place as u32, class);
        }
    }

    /// Notes that a state may have changed; its class, if it is the first of it.
    fn mark(&mut self, state: StateId) -> Option<u32> {
        let class = self.class[state.index()] as usize;
        let (place, first) = (self.places[state.index()] as usize, self.members[class].start);
        let next = first + self.changed[class];
        if place < next {
            return None;
        }
        self.states.swap(place, next);
        self.places[state.index()] = next as u32;
        self.places[self.states[place].index()] = place as u32;
        self.changed[class] += 1;
        (self.changed[class] == 1).then_some(class as u32)
    }
}

struct Refinement<'a> {
    nfa: &'a Nfa,
    sources: Vec<Vec<StateId>>,
    classes: Classes,
    /// Classes with states that may have changed.
    todo: VecDeque<u32>,
    /// Memory of `split`: signatures side by side, and where each is with its state.
    letters: Vec<(LetterId, u32)>,
    signatures: Vec<(Range<usize>, StateId)>,
}

impl<'a> Refinement<'a> {
    fn new(nfa: &'a Nfa) -> Self {
        let classes = Classes::new(nfa);
        Refinement {
            nfa,
            sources: crate::trim::sources(nfa),
            todo: (0..classes.members.len() as u32).collect(),
            classes,
            letters: Vec::new(),
            signatures: Vec::new(),
        }
    }

    fn run(&mut self, clock: &Clock) -> Result<(), LimitExceeded> {
        for turn in 1.. {
            let Some(class) = self.todo.pop_front() else { break };
            self.split(class as usize);
            clock.check_at_turn(turn)?;
        }
        Ok(())
    }

    /// Writes a signature down: the letters of a state, each with the class that it leads to.
    fn sign(&mut self, state: StateId) -> Range<usize> {
        let begin = self.letters.len();
        for transition in self.nfa.outgoing(state) {
            let to = self.classes.class[transition.to.index()];
            self.letters.push((transition.letter, to));
        }
        self.letters[begin..].sort_unstable();
        let mut end = begin;
        for at in begin..self.letters.len() {
            if at == begin || self.letters[at] != self.letters[end - 1] {
                self.letters[end] = self.letters[at];
                end += 1;
            }
        }
        self.letters.truncate(end);
        begin..end
    }

    /// Splits a class by signature. The members that did not change still have one in common, so
    /// one of them speaks for all. The largest part keeps the class.
    fn split(&mut self, class: usize) {
        let members = self.classes.members[class].clone();
        let unchanged = members.start + std::mem::take(&mut self.classes.changed[class]);
        self.letters.clear();
        self.signatures.clear();
        for place in members.start..unchanged {
            let state = self.classes.states[place];
            let signature = self.sign(state);
            self.signatures.push((signature, state));
        }
        let common = self.classes.states[unchanged..members.end].first().copied();
        let common = common.map(|state| self.sign(state));
        let letters = &self.letters;
        let of = |range: &Range<usize>| &letters[range.clone()];
        // States with the common signature come last, beside those that did not change.
        let is_common = |it: &Range<usize>| common.as_ref().is_some_and(|own| of(own) == of(it));
        self.signatures.sort_by(|(one, _), (other, _)| {
            let common_last = is_common(one).cmp(&is_common(other));
            common_last.then_with(|| of(one).cmp(of(other)))
        });
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut begin = members.start;
        for part in self.signatures.chunk_by(|(one, _), (other, _)| of(one) == of(other)) {
            parts.push(begin..begin + part.len());
            begin += part.len();
        }
        match (self.signatures.last(), parts.last_mut()) {
            (Some((last, _)), Some(part)) if is_common(last) => part.end = members.end,
            _ if unchanged < members.end => parts.push(unchanged..members.end),
            _ => {}
        }
        for (place, (_, state)) in (members.start..).zip(&self.signatures) {
            self.classes.states[place] = *state;
            self.classes.places[state.index()] = place as u32;
        }
        self.take_apart(class, parts);
    }

    /// Gives all parts of a class but the largest classes of their own.
    fn take_apart(&mut self, class: usize, parts: Vec<Range<usize>>) {
        let largest = parts.iter().max_by_key(|it| it.len()).cloned().unwrap_or_default();
        self.classes.members[class] = largest.clone();
        let begin = self.classes.members.len();
        for part in parts.into_iter().filter(|it| *it != largest) {
            self.classes.note(part.clone(), self.classes.members.len() as u32);
            self.classes.members.push(part);
            self.classes.changed.push(0);
        }
        for renamed in begin..self.classes.members.len() {
            // A copy, since marking moves the states of a class about.
            let moved: Vec<StateId> =
                self.classes.states[self.classes.members[renamed].clone()].to_vec();
            for source in moved.iter().flat_map(|it| &self.sources[it.index()]) {
                self.todo.extend(self.classes.mark(*source));
            }
        }
    }
}

/// One state per class, numbered by the smallest member.
fn quotient(nfa: &Nfa, classes: &Classes) -> Nfa {
    let count = classes.members.len();
    if count == nfa.state_count() {
        return nfa.clone();
    }
    let mut rank = vec![None; count];
    let mut next = 0;
    for &class in &classes.class {
        rank[class as usize].get_or_insert_with(|| {
            next += 1;
            StateId::new(next - 1)
        });
    }
    let renamed = |state: StateId| {
        let rank = rank[classes.class[state.index()] as usize];
        rank.unwrap_or_else(|| unreachable!("every class has a member"))
    };
    let transitions = nfa.transitions().iter();
    let transitions = transitions.map(|t| Transition {
        from: renamed(t.from),
        letter: t.letter,
        to: renamed(t.to),
    });
    let initial = nfa.initial().iter().map(|&state| renamed(state));
    let finals = nfa.finals().map(renamed);
    Nfa::new(count, initial, finals, transitions.collect())
        .unwrap_or_else(|_| unreachable!("renamed states are in range"))
}
