//! Persistent locations of an automaton: where the transitions of one location suffice.
//!
//! For a location ℓ let R be the largest set of non-final states such that every transition
//! q –b→ q' with b not at ℓ has q' in R, and for every q' –a→ q'' with a at ℓ there is p with
//! q –a→ p –b→ q''. At a state of R that has transitions at ℓ, the others can go: whatever they
//! begin, ℓ must move before the end, and moving it first leads to the same place. This drops
//! interleavings and keeps multi-traces.

use crate::limits::{Clock, LimitExceeded};
use fixedbitset::FixedBitSet;
use multitrace_interaction::{Alphabet, Id, LetterId, LocationId, Nfa, StateId, Transition};

/// The automaton without the transitions that persistent locations make superfluous.
pub fn persist(nfa: &Nfa, alphabet: &Alphabet) -> Nfa {
    persist_until(nfa, alphabet, &Clock::default())
        .unwrap_or_else(|_| unreachable!("there is time"))
}

/// [`persist`] as long as there is time.
///
/// # Errors
/// If the time is over.
pub(crate) fn persist_until(
    nfa: &Nfa,
    alphabet: &Alphabet,
    clock: &Clock,
) -> Result<Nfa, LimitExceeded> {
    let incoming = incoming(nfa);
    let mut choice: Vec<Option<(usize, LocationId)>> = vec![None; nfa.state_count()];
    for (turn, location) in (1..).zip(alphabet.locations()) {
        clock.check_at_turn(turn)?;
        let persistent = persistent_states(nfa, alphabet, &incoming, location);
        for state in persistent.ones().map(StateId::new) {
            let own = nfa.outgoing(state).iter();
            let own = own.filter(|t| alphabet.location_of(t.letter) == location).count();
            let better = choice[state.index()].is_none_or(|(fewest, _)| own < fewest);
            if own > 0 && better {
                choice[state.index()] = Some((own, location));
            }
        }
    }
    let kept = nfa.transitions().iter().copied().filter(|t| {
        choice[t.from.index()].is_none_or(|(_, only)| alphabet.location_of(t.letter) == only)
    });
    let initial = nfa.initial().iter().copied();
    let kept = Nfa::new(nfa.state_count(), initial, nfa.finals(), kept.collect());
    Ok(kept.unwrap_or_else(|_| unreachable!("states stay in range")))
}

/// Per state, the letters and sources of the transitions that lead to it.
pub(crate) fn incoming(nfa: &Nfa) -> Vec<Vec<(LetterId, StateId)>> {
    let mut incoming = vec![Vec::new(); nfa.state_count()];
    for transition in nfa.transitions() {
        incoming[transition.to.index()].push((transition.letter, transition.from));
    }
    incoming
}

/// The set R of a location: all non-final states, less those that break a condition, less those
/// that lead there by other locations.
fn persistent_states(
    nfa: &Nfa,
    alphabet: &Alphabet,
    incoming: &[Vec<(LetterId, StateId)>],
    location: LocationId,
) -> FixedBitSet {
    let is_own = |t: &Transition| alphabet.location_of(t.letter) == location;
    let mut inside = FixedBitSet::with_capacity(nfa.state_count());
    let mut removed = Vec::new();
    for state in nfa.states() {
        if !nfa.is_final(state) && commutes(nfa, state, &is_own) {
            inside.insert(state.index());
        } else {
            removed.push(state);
        }
    }
    while let Some(target) = removed.pop() {
        for &(letter, source) in &incoming[target.index()] {
            if inside[source.index()] && alphabet.location_of(letter) != location {
                inside.remove(source.index());
                removed.push(source);
            }
        }
    }
    inside
}

/// Whether every move of another location can be made after any move of this one instead.
fn commutes(nfa: &Nfa, state: StateId, is_own: &impl Fn(&Transition) -> bool) -> bool {
    let others = nfa.outgoing(state).iter().filter(|t| !is_own(t));
    others.into_iter().all(|other| {
        let later = nfa.outgoing(other.to).iter().filter(|t| is_own(t));
        later.into_iter().all(|own| {
            nfa.reading(state, own.letter)
                .iter()
                .any(|first| nfa.reading(first.to, other.letter).iter().any(|t| t.to == own.to))
        })
    })
}
