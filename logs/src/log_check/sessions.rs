//! The events of sessions against an alphabet: those that the specification knows, and those that it does not.

use crate::assemble::{Assembler, SessionEvent};
use crate::grouping::Grouped;
use crate::record_tally::Occurrences;
use indexmap::IndexMap;
use multitrace_formats::place::Place;
use multitrace_formats::problem::ProblemPlace;
use multitrace_interaction::{Alphabet, Id, Session};
use std::collections::BTreeMap;

/// How many different names that the specification lacks are kept. A log with more of them has an id
/// in its names, and the first thousand show which. They take some hundred kilobytes.
const MOST_NAMES: usize = 1000;

/// Counts of sessions and their events.
#[derive(Debug)]
pub(super) struct SessionTally {
    /// Events by letter.
    pub(super) known: Vec<u64>,
    /// Events by location.
    pub(super) at: Vec<u64>,
    pub(super) unknown: Names,
    pub(super) lifelines: Names,
    /// How many sessions have how many events. Few sizes differ: n events make at most the square
    /// root of 2n of them.
    pub(super) sizes: BTreeMap<u64, u64>,
    /// Sessions that the mapping leaves out.
    pub(super) left_out: u64,
    /// Sessions that cannot be put together, by the remedy.
    pub(super) unassembled: Vec<(&'static str, Occurrences)>,
}

/// Names with their counts, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) names: IndexMap<String, Occurrences>,
    /// Occurrences of names beyond the limit.
    pub(super) left_out: u64,
}

/// The problem at a place, on one line.
fn shown(place: &ProblemPlace) -> String {
    match place.line {
        Some(line) => format!("{}:{line}: {}", place.file, place.message),
        None => format!("{}: {}", place.file, place.message),
    }
}

impl Names {
    fn add(&mut self, name: &str, place: &Place) {
        if let Some(occurrences) = self.names.get_mut(name) {
            occurrences.count += 1;
        } else if self.names.len() < MOST_NAMES {
            let example = Some(place.to_string());
            self.names.insert(name.to_owned(), Occurrences { count: 1, example });
        } else {
            self.left_out += 1;
        }
    }

    fn merge(&mut self, later: Names) {
        self.left_out += later.left_out;
        for (name, occurrences) in later.names {
            if let Some(known) = self.names.get_mut(&name) {
                known.merge(occurrences);
            } else if self.names.len() < MOST_NAMES {
                self.names.insert(name, occurrences);
            } else {
                self.left_out += occurrences.count;
            }
        }
    }
}

impl SessionTally {
    pub(super) fn new(alphabet: &Alphabet) -> SessionTally {
        SessionTally {
            known: vec![0; alphabet.letters().len()],
            at: vec![0; alphabet.locations().len()],
            unknown: Names::default(),
            lifelines: Names::default(),
            sizes: BTreeMap::new(),
            left_out: 0,
            unassembled: Vec::new(),
        }
    }

    /// Counts a session.
    pub(super) fn add(&mut self, grouped: &Grouped, assembler: &Assembler, alphabet: &Alphabet) {
        let mut size = 0;
        assembler.each_event(grouped, alphabet, |event| {
            size += 1;
            self.add_event(event, alphabet);
        });
        if size > 0 {
            *self.sizes.entry(size).or_default() += 1;
        }
        if let Err(error) = assembler.assemble(grouped, alphabet, &mut Session::default()) {
            let occurrences = entry(&mut self.unassembled, error.help);
            occurrences.add(|| error.problem.places.first().map_or_else(String::new, shown));
        }
    }

    fn add_event(&mut self, event: &SessionEvent<'_>, alphabet: &Alphabet) {
        match event {
            SessionEvent::Known(letter) => {
                self.known[letter.index()] += 1;
                self.at[alphabet.location_of(*letter).index()] += 1;
            }
            SessionEvent::Unknown { at, lifeline, text, place } => {
                if let Some(at) = at {
                    self.at[at.index()] += 1;
                }
                self.unknown.add(text, place);
                let is_new = |name: &&str| alphabet.location_of_lifeline(name).is_none();
                // The alphabet of an automaton that was given directly has no lifelines.
                if alphabet.lifelines().len() > 0
                    && let Some(name) = lifeline.filter(is_new)
                {
                    self.lifelines.add(name, place);
                }
            }
        }
    }

    /// Adds the sessions after these.
    pub(super) fn merge(&mut self, later: SessionTally) {
        self.left_out += later.left_out;
        let sum = |all: &mut Vec<u64>, more: Vec<u64>| {
            all.iter_mut().zip(more).for_each(|(sum, count)| *sum += count);
        };
        sum(&mut self.known, later.known);
        sum(&mut self.at, later.at);
        self.unknown.merge(later.unknown);
        self.lifelines.merge(later.lifelines);
        for (size, count) in later.sizes {
            *self.sizes.entry(size).or_default() += count;
        }
        for (help, occurrences) in later.unassembled {
            entry(&mut self.unassembled, help).merge(occurrences);
        }
    }
}

fn entry<'l>(
    list: &'l mut Vec<(&'static str, Occurrences)>,
    key: &'static str,
) -> &'l mut Occurrences {
    let known = list.iter().position(|(other, _)| *other == key);
    let index = known.unwrap_or_else(|| {
        list.push((key, Occurrences::default()));
        list.len() - 1
    });
    &mut list[index].1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted_and_the_first_thousand_are_kept() {
        let place = |line| Place::new("log", Some(line));
        let of = |names: &[usize]| {
            let mut all = Names::default();
            names.iter().for_each(|name| all.add(&name.to_string(), &place(*name)));
            all
        };
        let mut names = of(&[7, 8, 7, 7]);
        let count = |names: &Names, name: &str| names.names.get(name).map(|it| it.count);
        assert_eq!((count(&names, "7"), count(&names, "8")), (Some(3), Some(1)));
        let more: Vec<usize> = (8..MOST_NAMES + 12).chain([8]).collect();
        let more = of(&more);
        assert_eq!((more.names.len(), more.left_out), (MOST_NAMES, 4));
        names.merge(more);
        assert_eq!((count(&names, "7"), count(&names, "8")), (Some(3), Some(3)));
        assert_eq!((names.names.len(), names.left_out), (MOST_NAMES, 5));
        assert_eq!(names.names["8"].example.as_deref(), Some("log:8"));
    }
}
