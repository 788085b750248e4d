//! The letters and locations of two specifications as those of one, by their names.

use multitrace_interaction::{Alphabet, Id, LetterId, LocationId, MultiTrace, names};
use std::collections::{BTreeMap, BTreeSet};

/// A pair of things: one of the old specification, one of the new.
pub(super) type Pair<T> = [T; 2];

/// Which names two specifications do not share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignatureDiff {
    /// The locations that only the old one has, and those that only the new one has.
    pub locations: Pair<Vec<String>>,
    /// The letters that only the old one has, and those that only the new one has.
    pub letters: Pair<Vec<String>>,
    /// The lifelines of both that share a clock with other lifelines than before.
    pub regrouped: Vec<Regrouped>,
    /// The labels by which logs call lifelines in the old one only, and in the new one only.
    pub labels: Pair<Vec<String>>,
}

/// A lifeline whose location is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Regrouped {
    /// The lifeline.
    pub lifeline: String,
    /// The location that logs it in the old specification, and in the new one.
    pub locations: Pair<String>,
}

impl SignatureDiff {
    /// Whether all names are shared.
    pub fn is_empty(&self) -> bool {
        *self == SignatureDiff::default()
    }

    /// Messages that only the old one has, each with a message that only the new one has at the same lifelines in the same
    /// directions, if it is the only one.
    pub fn renamed(&self) -> Vec<(&str, &str)> {
        let [old, new] = [0, 1].map(|side: usize| {
            let mut ends: BTreeMap<&str, BTreeSet<_>> = BTreeMap::new();
            for letter in &self.letters[side] {
                if let Some((lifeline, kind, message)) = names::split_action(letter) {
                    ends.entry(message).or_default().insert((lifeline, kind));
                }
            }
            ends
        });
        let only = |ends: &BTreeSet<_>, of: &BTreeMap<&str, BTreeSet<_>>| {
            of.values().filter(|it| *it == ends).count() == 1
        };
        let pairs = old.iter().filter(|(_, ends)| only(ends, &old) && only(ends, &new));
        pairs
            .filter_map(|(&message, ends)| {
                let now = new.iter().find(|(_, others)| *others == ends)?;
                Some((message, *now.0))
            })
            .collect()
    }
}

/// The letters of two specifications. A letter is a name at a location; a location is the lifelines that
/// share a clock, in whatever order they were declared.
#[derive(Debug)]
pub(super) struct Joint {
    /// Per letter, its location.
    locations: Vec<LocationId>,
    location_count: usize,
    sides: Pair<Side>,
    pub(super) signature: SignatureDiff,
}

/// How the letters and locations of one specification are numbered.
#[derive(Debug, Default)]
struct Side {
    letters: Vec<LetterId>,
    own_letters: BTreeMap<LetterId, LetterId>,
    own_locations: BTreeMap<LocationId, LocationId>,
}

impl Joint {
    pub(super) fn new(alphabets: Pair<&Alphabet>) -> Joint {
        let mut location_ids: BTreeMap<String, LocationId> = BTreeMap::new();
        let mut letter_ids: BTreeMap<(LocationId, &str), LetterId> = BTreeMap::new();
        let mut locations = Vec::new();
        let sides = alphabets.map(|alphabet| {
            let mut side = Side::default();
            for location in alphabet.locations() {
                let next = LocationId::new(location_ids.len());
                let id = *location_ids.entry(key(alphabet, location)).or_insert(next);
                side.own_locations.insert(id, location);
            }
            for letter in alphabet.letters() {
                let at = location_ids[&key(alphabet, alphabet.location_of(letter))];
                let next = LetterId::new(locations.len());
                let id = *letter_ids.entry((at, alphabet.letter_name(letter))).or_insert(next);
                if id == next {
                    locations.push(at);
                }
                side.letters.push(id);
                side.own_letters.insert(id, letter);
            }
            side
        });
        let location_count = location_ids.len();
        Joint { locations, location_count, sides, signature: signature(alphabets) }
    }

    /// The joint letters of a specification's letters, in their order.
    pub(super) fn letters(&self, side: usize) -> &[LetterId] {
        &self.sides[side].letters
    }

    /// How many locations the two have together.
    pub(super) fn location_count(&self) -> usize {
        self.location_count
    }

    /// The location of a joint letter.
    pub(super) fn location_of(&self, letter: LetterId) -> LocationId {
        self.locations[letter.index()]
    }

    /// The location of a specification that a joint one is; `None` if it has none.
    pub(super) fn own_location(&self, side: usize, location: LocationId) -> Option<LocationId> {
        self.sides[side].own_locations.get(&location).copied()
    }

    /// The letter of a specification that a joint one is; `None` if it has none.
    pub(super) fn own_letter(&self, side: usize, letter: LetterId) -> Option<LetterId> {
        self.sides[side].own_letters.get(&letter).copied()
    }

    /// A multi-trace over joint letters as one of a specification; `None` if it does not know a letter.
    pub(super) fn own_trace(&self, side: usize, trace: &MultiTrace) -> Option<MultiTrace> {
        let Side { own_letters, own_locations, .. } = &self.sides[side];
        let mut own = vec![Vec::new(); own_locations.len()];
        for (index, local) in trace.iter().enumerate().filter(|(_, local)| !local.is_empty()) {
            let at = own_locations.get(&LocationId::new(index))?;
            let letters = local.iter().map(|letter| own_letters.get(letter).copied());
            own[at.index()] = letters.collect::<Option<Vec<_>>>()?;
        }
        Some(own)
    }
}

/// The name of a location in both specifications: its lifelines in alphabetical order; the name of the location of an
/// automaton, which has no lifelines.
fn key(alphabet: &Alphabet, location: LocationId) -> String {
    let own = alphabet.lifelines().filter(|&(_, at)| at == location);
    let mut lifelines: Vec<&str> = own.map(|(name, _)| name).collect();
    if lifelines.is_empty() {
        return alphabet.location_name(location).to_owned();
    }
    lifelines.sort_unstable();
    names::location_text(lifelines)
}

fn signature(alphabets: Pair<&Alphabet>) -> SignatureDiff {
    let keys = alphabets.map(|it| it.locations().map(|at| key(it, at)).collect::<Vec<_>>());
    let letters = alphabets.map(|it| {
        let names = it.letters().map(|letter| it.letter_name(letter).to_owned());
        names.collect::<Vec<_>>()
    });
    SignatureDiff {
        locations: only(&keys),
        letters: only(&letters),
        regrouped: regrouped(alphabets),
        labels: [labels(alphabets[0], alphabets[1]), labels(alphabets[1], alphabets[0])],
    }
}

/// The labels of lifelines with events that call nothing in the other specification, or another lifeline of both.
fn labels(of: &Alphabet, other: &Alphabet) -> Vec<String> {
    let letters = of.letters().map(|it| of.letter_name(it));
    let act: BTreeSet<_> = letters.filter_map(|it| Some(names::split_action(it)?.0)).collect();
    let is_of = |alphabet: &Alphabet, name: &str| alphabet.lifelines().any(|(it, _)| it == name);
    let lost = of.labels().filter(|&(label, lifeline)| match other.lifeline_called(label) {
        None => true,
        Some(called) => called != lifeline && is_of(of, called),
    });
    let lost = lost.filter(|(_, lifeline)| act.contains(*lifeline));
    lost.map(|(label, _)| label.to_owned()).collect()
}

/// The names that only one of two lists has.
fn only(lists: &Pair<Vec<String>>) -> Pair<Vec<String>> {
    let sorted = lists.clone().map(|mut list| {
        list.sort_unstable();
        list
    });
    let missing = |side: usize| {
        let names = lists[side].iter();
        names.filter(|name| sorted[1 - side].binary_search(name).is_err()).cloned().collect()
    };
    [missing(0), missing(1)]
}

fn regrouped([old, new]: Pair<&Alphabet>) -> Vec<Regrouped> {
    let of_both = old.lifelines().filter_map(|(name, at)| {
        let locations = [key(old, at), key(new, new.location_of_lifeline(name)?)];
        Some(Regrouped { lifeline: name.to_owned(), locations })
    });
    of_both.filter(|it| it.locations[0] != it.locations[1]).collect()
}
