//! The tables of a location, compared with the states that its letters leave, and with the letters that each of its
//! logs allows.

use crate::automata::{
    States, Word, alphabet, any_nfa, finals, initial, letters, nfa, reach, read, words,
};
use multitrace_compiler::{Limits, look_ahead, project};
use multitrace_formats::bundle::DEAD;
use multitrace_interaction::{Id, LetterId, LocationId, Nfa};
use multitrace_testing::cases;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Logs of at most this many letters are read.
const MOST: usize = 4;

fn own_letters(location: usize) -> Vec<LetterId> {
    let at = |letter: &LetterId| alphabet().location_of(*letter) == LocationId::new(location);
    letters().filter(at).collect()
}

/// A location of an automaton.
struct LocalView<'a> {
    nfa: &'a Nfa,
    own: &'a [LetterId],
}

impl LocalView<'_> {
    fn is_other(&self, letter: LetterId) -> bool {
        !self.own.contains(&letter)
    }

    /// These states and those that others lead to; against the transitions if `back`.
    fn unobserved(&self, from: &States, back: bool) -> States {
        reach(self.nfa, from, back, |letter| self.is_other(letter))
    }

    /// The states after a log, and from which it can be read if `back`. From its other end on, it is read backwards.
    fn after(&self, from: &States, log: &[LetterId], back: bool) -> States {
        let start = self.unobserved(from, back);
        log.iter().fold(start, |states, &letter| {
            self.unobserved(&read(self.nfa, &states, letter, back), back)
        })
    }

    /// The transitions that the next letter may stand for, and those that others may take behind it.
    fn area(&self, from: &States, letter: LetterId) -> States {
        let behind = self.unobserved(&read(self.nfa, from, letter, false), false);
        let of = self.nfa.transitions().iter().enumerate().filter(|(_, it)| {
            let (from_there, is_own) = (from.contains(&it.from.index()), it.letter == letter);
            (is_own && from_there)
                || (self.is_other(it.letter) && behind.contains(&it.from.index()))
        });
        of.map(|(index, _)| index).collect()
    }

    /// The transitions that others may take before the first letter.
    fn first_area(&self) -> States {
        let before = self.unobserved(&initial(self.nfa), false);
        let all = self.nfa.transitions().iter().enumerate();
        let others = all.filter(|(_, it)| self.is_other(it.letter));
        others.filter(|(_, it)| before.contains(&it.from.index())).map(|(at, _)| at).collect()
    }
}

/// The state of a table after a word; none if no transition reads it.
fn follow(next: &[u32], letters: &[LetterId], start: u32, word: &Word) -> Option<u32> {
    word.iter().try_fold(start, |state, letter| {
        let column = letters.binary_search(letter).expect("an own letter");
        let next = next[state as usize * letters.len() + column];
        (next != DEAD).then_some(next)
    })
}

fn check_forward(place: &LocalView<'_>) {
    let projection = project(place.nfa, place.own, &Limits::default()).expect("it is small");
    let (table, all) = (&projection.table, (0..place.nfa.state_count()).collect::<States>());
    let areas = table.areas.as_ref().expect("areas");
    let transitions = |area: u32| areas.transitions(area).map(|it| it.index()).collect::<States>();
    assert_eq!(transitions(areas.init), place.first_area());
    let anywhere = table.start_anywhere.expect("it is small");
    for (start, from) in [(table.start, initial(place.nfa)), (anywhere, all)] {
        for word in words(place.own, MOST) {
            let expected = place.after(&from, &word, false);
            let Some(state) = follow(&table.next, place.own, start, &word) else {
                assert!(expected.is_empty(), "{word:?}");
                continue;
            };
            let subset: States = projection.subsets[state as usize].ones().collect();
            assert_eq!(subset, expected, "{word:?}");
            let is_final = !expected.is_disjoint(&finals(place.nfa));
            assert_eq!(table.is_final(state), is_final, "{word:?}");
            for (column, &letter) in place.own.iter().enumerate() {
                let at = state as usize * place.own.len() + column;
                if read(place.nfa, &expected, letter, false).is_empty() {
                    assert_eq!((table.next[at], areas.of[at]), (DEAD, DEAD), "{word:?}");
                } else {
                    let area = transitions(areas.of[at]);
                    assert_eq!(area, place.area(&expected, letter), "{word:?} {letter:?}");
                }
            }
        }
    }
}

fn check_backward(place: &LocalView<'_>) {
    let table = look_ahead(place.nfa, place.own, &Limits::default()).expect("it is small");
    let states = |row: u32| table.states(row).map(|it| it.index()).collect::<States>();
    let all = (0..place.nfa.state_count()).collect::<States>();
    let open = table.open_end.expect("it is small");
    for (end, from) in [(table.at_end, finals(place.nfa)), (open, all)] {
        // Read from its end.
        for word in words(place.own, MOST) {
            let expected = place.after(&from, &word, true);
            let Some(set) = follow(&table.next, place.own, end, &word) else {
                assert!(expected.is_empty(), "{word:?}");
                continue;
            };
            assert_eq!(states(table.begun[set as usize]), expected, "{word:?}");
            let unbegun = reach(place.nfa, &expected, true, |_| true);
            assert_eq!(states(table.unbegun[set as usize]), unbegun, "{word:?}");
        }
    }
}

/// A row of states with shortcuts and, from the end of it, a way back. Its sets have several words, which are united from
/// sets that are known already.
#[test]
fn tables_of_long_automata_hold_the_same_sets() {
    const STATES: usize = 300;
    let row = (0..STATES - 1).map(|at| (at, at * 7 / 3 % 5, at + 1));
    let shortcuts = (0..STATES - 3).step_by(10).map(|at| (at, at % 3, at + 3));
    let edges: Vec<_> = row.chain(shortcuts).collect();
    for back in [None, Some((STATES - 1, 2, 100)), Some((STATES - 1, 0, 0))] {
        let nfa = nfa(STATES, [0], [STATES - 1], edges.iter().copied().chain(back));
        for location in 0..3 {
            let own = own_letters(location);
            check_forward(&LocalView { nfa: &nfa, own: &own });
            check_backward(&LocalView { nfa: &nfa, own: &own });
        }
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn verifiers_hold_the_states_and_areas_of_each_log(nfa in any_nfa()) {
        for location in 0..3 {
            check_forward(&LocalView { nfa: &nfa, own: &own_letters(location) });
        }
    }

    #[test]
    fn look_ahead_holds_the_states_from_which_a_rest_can_be_read(nfa in any_nfa()) {
        for location in 0..3 {
            check_backward(&LocalView { nfa: &nfa, own: &own_letters(location) });
        }
    }

    #[test]
    fn limits_on_a_verifier_count_its_states_and_bytes(nfa in any_nfa(), location in 0..3_usize) {
        let own = own_letters(location);
        let whole = project(&nfa, &own, &Limits::default()).expect("it is small");
        let parts = |limits: Limits| project(&nfa, &own, &limits).ok().map(|it| it.table);
        // The states that can be reached from the beginning, and those from anywhere.
        let place = LocalView { nfa: &nfa, own: &own };
        let all = (0..nfa.state_count()).collect::<States>();
        let complete = found(&place, &[initial(&nfa)]);
        let areas = areas(&place, &complete);
        let everything = found(&place, &[initial(&nfa), all]);
        prop_assert_eq!(everything.len(), whole.subsets.len());
        let bytes = |sets: &BTreeSet<States>, areas: usize| {
            let of_set = nfa.state_count().div_ceil(8) + own.len() * 2 * size_of::<u32>();
            sets.len() * of_set + areas * nfa.transitions().len().div_ceil(8)
        };
        let all_areas = self::areas(&place, &everything);
        for (least, most, is_states) in [
            (complete.len(), everything.len(), true),
            (bytes(&complete, areas.len()), bytes(&everything, all_areas.len()), false),
        ] {
            let of = |limit| parts(match is_states {
                true => Limits { local_states: limit, ..Limits::default() },
                false => Limits { local_bytes: limit, ..Limits::default() },
            });
            prop_assert_eq!(of(most), Some(whole.table.clone()));
            prop_assert_eq!(of(least - 1), None);
            let limited = of(least).expect("the part from the beginning fits");
            if least < most {
                prop_assert_eq!(limited.start_anywhere, None);
                prop_assert_eq!(&limited.next, &whole.table.next[..complete.len() * own.len()]);
                prop_assert_eq!(limited.finals.len(), complete.len());
                let rows = limited.areas.expect("areas");
                prop_assert_eq!(&rows.of, &whole.table.areas.as_ref().expect("areas").of[..rows.of.len()]);
                prop_assert_eq!(rows.of.len(), complete.len() * own.len());
                prop_assert_eq!(rows.rows.len(), if nfa.transitions().is_empty() { 1 } else { areas.len() });
            }
        }
    }

    #[test]
    fn limits_on_a_look_ahead_count_its_states_and_bytes(nfa in any_nfa(), location in 0..3_usize) {
        let own = own_letters(location);
        let whole = look_ahead(&nfa, &own, &Limits::default()).expect("it is small");
        let place = LocalView { nfa: &nfa, own: &own };
        let all = (0..nfa.state_count()).collect::<States>();
        let complete = found_back(&place, &[finals(&nfa)]).len();
        let everything = found_back(&place, &[finals(&nfa), all]).len();
        prop_assert_eq!(everything, whole.begun.len());
        let of_set = nfa.state_count().div_ceil(8) + own.len() * size_of::<u32>();
        for (least, most, is_states) in
            [(complete, everything, true), (complete * of_set, everything * of_set, false)]
        {
            let of = |limit| look_ahead(&nfa, &own, &match is_states {
                true => Limits { local_states: limit, ..Limits::default() },
                false => Limits { local_bytes: limit, ..Limits::default() },
            });
            prop_assert_eq!(&of(most), &Ok(whole.clone()));
            prop_assert!(of(least - 1).is_err());
            let limited = of(least).expect("the part from the end fits");
            if least < most {
                prop_assert_eq!(limited.open_end, None);
                prop_assert_eq!(limited.at_end, whole.at_end);
                prop_assert_eq!(&limited.next, &whole.next[..complete * own.len()]);
                prop_assert_eq!(limited.begun.len(), complete);
            }
        }
    }
}

/// The sets of states behind the states of a verifier that begins with one of these.
fn found(place: &LocalView<'_>, starts: &[States]) -> BTreeSet<States> {
    explored(place, starts, false)
}

fn found_back(place: &LocalView<'_>, starts: &[States]) -> BTreeSet<States> {
    explored(place, starts, true)
}

fn explored(place: &LocalView<'_>, starts: &[States], back: bool) -> BTreeSet<States> {
    let mut todo: Vec<_> = starts.iter().map(|it| place.unobserved(it, back)).collect();
    let mut found: BTreeSet<_> = todo.iter().cloned().collect();
    while let Some(states) = todo.pop() {
        for &letter in place.own {
            let next = place.after(&read(place.nfa, &states, letter, back), &[], back);
            if !next.is_empty() && found.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    found
}

/// The areas of the entries of these states, and the one before the first letter.
fn areas(place: &LocalView<'_>, of: &BTreeSet<States>) -> BTreeSet<States> {
    let mut areas = BTreeSet::from([place.first_area()]);
    for states in of {
        for &letter in place.own {
            if !read(place.nfa, states, letter, false).is_empty() {
                areas.insert(place.area(states, letter));
            }
        }
    }
    areas
}
