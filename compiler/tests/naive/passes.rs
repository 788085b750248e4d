//! Trimming, merging and persistent locations, by their definitions.

use crate::automata::{
    States, alphabet, any_deterministic, any_nfa, finals, initial, language, language_from,
    letters, multi_traces, nfa, reach, read,
};
use multitrace_compiler::{merge, merge_futures, persist, trim};
use multitrace_interaction::{Alphabet, Id, LetterId, LocationId, Nfa, StateId, Transition};
use multitrace_testing::cases;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Words as long as this tell any two states of random automata apart that differ, and some more.
const MOST: usize = 5;

/// The states on a path from an initial to a final state.
fn useful(nfa: &Nfa) -> States {
    let begun = reach(nfa, &initial(nfa), false, |_| true);
    begun.intersection(&reach(nfa, &finals(nfa), true, |_| true)).copied().collect()
}

/// The automaton of some states, in their order.
fn part(all: &Nfa, kept: &States) -> Nfa {
    let number = |state: usize| kept.iter().position(|&it| it == state);
    let edge = |it: &Transition| {
        Some((number(it.from.index())?, it.letter.index(), number(it.to.index())?))
    };
    nfa(
        kept.len(),
        initial(all).into_iter().filter_map(number),
        finals(all).into_iter().filter_map(number),
        all.transitions().iter().filter_map(edge),
    )
}

/// How many states are left when those are one that no letter tells apart; against the transitions if `back`.
fn classes(nfa: &Nfa, back: bool) -> usize {
    let ends = if back { initial(nfa) } else { finals(nfa) };
    let mut class: Vec<usize> =
        (0..nfa.state_count()).map(|it| usize::from(ends.contains(&it))).collect();
    loop {
        let sign = |state: usize| {
            let mut next = BTreeSet::new();
            for letter in letters() {
                let to = read(nfa, &States::from([state]), letter, back);
                next.extend(to.into_iter().map(|to| (letter, class[to])));
            }
            (class[state], next)
        };
        let signs: Vec<_> = (0..nfa.state_count()).map(sign).collect();
        let distinct: BTreeSet<_> = signs.iter().collect();
        let numbers: BTreeMap<_, _> = distinct.into_iter().zip(0..).collect();
        let finer: Vec<usize> = signs.iter().map(|it| numbers[it]).collect();
        let count = |of: &[usize]| of.iter().collect::<BTreeSet<_>>().len();
        if count(&finer) == count(&class) {
            return count(&finer);
        }
        class = finer;
    }
}

/// The largest set of `persist.rs`: states that break a condition are left out until none does.
fn persistent(nfa: &Nfa, alphabet: &Alphabet, location: LocationId) -> States {
    let is_own = |it: &&Transition| alphabet.location_of(it.letter) == location;
    let all = nfa.transitions();
    let has = |from, letter, to| all.contains(&Transition { from, letter, to });
    let mut inside: States = (0..nfa.state_count()).collect();
    inside.retain(|it| !finals(nfa).contains(it));
    loop {
        let holds = |state: &usize| {
            let others = all.iter().filter(|it| it.from.index() == *state && !is_own(it));
            others.into_iter().all(|other| {
                let later = all.iter().filter(|it| it.from == other.to).filter(is_own);
                inside.contains(&other.to.index())
                    && later.into_iter().all(|own| {
                        nfa.states().any(|middle| {
                            has(other.from, own.letter, middle) && has(middle, other.letter, own.to)
                        })
                    })
            })
        };
        let left: States = inside.iter().copied().filter(holds).collect();
        if left == inside {
            return inside;
        }
        inside = left;
    }
}

/// The automaton in which a state with persistent locations keeps the transitions of the one that has the fewest there,
/// of several the first.
fn persisted(all: &Nfa, alphabet: &Alphabet) -> Nfa {
    let sets: Vec<_> = alphabet.locations().map(|it| (it, persistent(all, alphabet, it))).collect();
    let at = |it: &Transition| alphabet.location_of(it.letter);
    let kept = |it: &&Transition| {
        let own = |location: LocationId| {
            let from_here = all.transitions().iter().filter(|other| other.from == it.from);
            from_here.filter(|other| at(other) == location).count()
        };
        let may = sets.iter().filter(|(_, set)| set.contains(&it.from.index()));
        let may = may.map(|(location, _)| *location).filter(|location| own(*location) > 0);
        may.min_by_key(|location| own(*location)).is_none_or(|only| only == at(it))
    };
    let edges = all.transitions().iter().filter(kept);
    let edges = edges.map(|it| (it.from.index(), it.letter.index(), it.to.index()));
    nfa(all.state_count(), initial(all), finals(all), edges)
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn trimming_leaves_the_states_on_accepting_paths(nfa in any_nfa()) {
        prop_assert_eq!(trim(&nfa), part(&nfa, &useful(&nfa)));
    }

    #[test]
    fn merging_futures_leaves_as_many_states_as_letters_tell_apart(nfa in any_nfa()) {
        let merged = merge_futures(&nfa);
        prop_assert_eq!(language(&merged, MOST), language(&nfa, MOST));
        prop_assert_eq!(merged.state_count(), classes(&nfa, false));
        prop_assert_eq!(classes(&merged, false), merged.state_count());
    }

    #[test]
    fn merging_leaves_no_states_with_equal_futures_or_pasts(nfa in any_nfa()) {
        let merged = merge(&nfa);
        prop_assert_eq!(language(&merged, MOST), language(&nfa, MOST));
        prop_assert_eq!(classes(&merged, false), merged.state_count());
        prop_assert_eq!(classes(&merged, true), merged.state_count());
    }

    #[test]
    fn merging_deterministic_automata_leaves_one_state_for_the_words_that_may_follow(
        nfa in any_deterministic(),
    ) {
        let trimmed = part(&nfa, &reach(&nfa, &States::from([0]), false, |_| true));
        let follow = |state| language_from(&trimmed, &States::from([state]), trimmed.state_count());
        let distinct: BTreeSet<_> = (0..trimmed.state_count()).map(follow).collect();
        prop_assert_eq!(merge_futures(&trimmed).state_count(), distinct.len());
    }

    #[test]
    fn persistent_locations_leave_what_their_definition_says(nfa in any_nfa()) {
        let nfa = part(&nfa, &useful(&nfa));
        prop_assert_eq!(persist(&nfa, &alphabet()), persisted(&nfa, &alphabet()));
    }
}

/// Automata whose locations go on independently, as a diagram's do: each a row of letters.
fn independent(rows: [&[usize]; 3]) -> Nfa {
    let lengths = rows.map(|row| row.len() + 1);
    let number = |at: [usize; 3]| (at[0] * lengths[1] + at[1]) * lengths[2] + at[2];
    let mut edges = Vec::new();
    for a in 0..lengths[0] {
        for b in 0..lengths[1] {
            for c in 0..lengths[2] {
                for (location, row) in rows.iter().enumerate() {
                    let mut next = [a, b, c];
                    if let Some(&letter) = row.get(next[location]) {
                        next[location] += 1;
                        edges.push((number([a, b, c]), letter, number(next)));
                    }
                }
            }
        }
    }
    let states = lengths.iter().product();
    nfa(states, [0], [states - 1], edges)
}

#[test]
fn persistent_locations_leave_one_interleaving_of_independent_rows() {
    for rows in [[&[0, 3, 0][..], &[1, 4], &[2]], [&[], &[4, 4, 1], &[2, 2]]] {
        let all = independent(rows);
        let less = trim(&persist(&all, &alphabet()));
        assert_eq!(persist(&all, &alphabet()), persisted(&all, &alphabet()));
        let events: usize = rows.iter().map(|row| row.len()).sum();
        assert_eq!(language(&less, events).len(), 1, "{rows:?}");
        let traces = |nfa: &Nfa| multi_traces(&language(nfa, events), &alphabet());
        assert_eq!(traces(&less), traces(&all), "{rows:?}");
        assert_eq!(less.state_count(), events + 1, "{rows:?}");
    }
}

#[test]
fn of_several_persistent_locations_the_one_with_the_fewest_transitions_stays() {
    // One location has a choice of two letters, the other a single one; they go on independently.
    for (choice, single) in [([0, 3], 1), ([1, 4], 0)] {
        let [one, other] = choice;
        let edges = [(0, one, 1), (0, other, 1), (0, single, 2), (1, single, 3)];
        let all = nfa(4, [0], [3], edges.into_iter().chain([(2, one, 3), (2, other, 3)]));
        let less = persist(&all, &alphabet());
        assert_eq!(less, persisted(&all, &alphabet()));
        let first: Vec<_> = less.outgoing(StateId::new(0)).iter().map(|it| it.letter).collect();
        assert_eq!(first, [LetterId::new(single)]);
    }
}
