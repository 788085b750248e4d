//! Deciding a session of a specification whose parts have one location in common (`monitor/parts.rs`).
//
// Idea: each part explains a word of the common log, together with its own logs, and the common log is a shuffle of these
// words. The possible words of a part are a regular language, found by a search of the part alone. Of parts with equal
// languages only the number counts: a node is how many parts of each language are in each state.
//
// Invariant: accepted traces of the parts can be merged along the log of the common location. No other location orders
// events of two parts, so no circle can arise. In the other direction an accepted trace of all has one of each part. So the
// answer is exact, in all modes in which a log has no unobserved beginning.
//
// Cost: a few nodes for each event where letters say which part comes next, or all parts with a letter are alike.

use crate::automaton::Automaton;
use crate::lazy_automaton::LazyAutomaton;
use crate::monitor::parts::Parts;
use crate::question::Question;
use indexmap::{IndexMap, IndexSet};
use multitrace_interaction::{Id, LetterId, LocationId, StateId, Transition};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A state of a part, and the positions in its own logs.
type Node = (StateId, Box<[u32]>);

/// The words of a part at the common location, as a deterministic automaton that begins in state 0.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
struct Language {
    /// Per state, its transitions in order of letters.
    rows: Vec<Vec<(LetterId, usize)>>,
    /// Per state, whether the log of the common location may be over there.
    ends: Vec<bool>,
}

/// The nodes that a search may still visit.
pub(crate) struct Visits<'a> {
    pub(crate) question: &'a Question<'a>,
    pub(crate) most: u64,
    pub(crate) made: u64,
    /// The bytes of nodes that are kept, to know them again.
    pub(crate) kept: u64,
}

/// An estimate of the memory of a node, in bytes.
const BYTES_OF_A_NODE: u64 = 128;

/// The most bytes of nodes that are kept: 64 MB.
const MOST_KEPT: u64 = 64 << 20;

impl Visits<'_> {
    /// Counts a node; `None` if there were too many.
    fn visit(&mut self) -> Option<()> {
        self.made += 1;
        let bytes = || self.made * BYTES_OF_A_NODE + self.kept;
        let is_spent = self.question.allowance.spent(self.made, bytes).is_some();
        (self.made <= self.most && self.kept <= MOST_KEPT && !is_spent).then_some(())
    }
}

/// Whether a session is accepted; `None` if that would take too many nodes.
pub(crate) fn accepts(
    parts: &Parts,
    terms: &LazyAutomaton,
    visits: &mut Visits<'_>,
) -> Option<bool> {
    let question = visits.question;
    let log = &question.trace[parts.common.index()];
    let letters: FxHashSet<LetterId> = log.iter().copied().collect();
    let heaviest = terms.heaviest(question.event_count());
    let mut counts: IndexMap<Language, u32, FxBuildHasher> = IndexMap::default();
    for (own, &root) in parts.own.iter().zip(terms.initial()) {
        let common = parts.common;
        let walk = PartWalk { terms, question, own, common, letters: &letters, heaviest };
        match walk.language(root, visits)? {
            Some(language) => *counts.entry(language).or_default() += 1,
            None => return Some(false),
        }
    }
    // An answer that came too late may be wrong.
    if terms.is_late() {
        return None;
    }
    Shuffle::new(counts.into_iter().collect()).accepts(log, visits)
}

/// A walk through one part along its own logs.
struct PartWalk<'a> {
    terms: &'a LazyAutomaton,
    question: &'a Question<'a>,
    own: &'a [LocationId],
    common: LocationId,
    /// The letters of the log of the common location.
    letters: &'a FxHashSet<LetterId>,
    /// Larger terms are not looked at: unobserved moves may be endless.
    heaviest: u32,
}

impl PartWalk<'_> {
    /// The words of the common log that the part can explain together with its own logs; nothing if it explains none.
    fn language(&self, root: StateId, visits: &mut Visits<'_>) -> Option<Option<Language>> {
        let start = (root, vec![0; self.own.len()].into());
        let mut sets: IndexSet<BTreeSet<Node>, FxBuildHasher> = IndexSet::default();
        sets.insert(self.closure([start].into(), false, visits)?);
        let (mut rows, mut ends) = (Vec::new(), Vec::new());
        while let Some(set) = sets.get_index(rows.len()).cloned() {
            let mut next: BTreeMap<LetterId, BTreeSet<Node>> = BTreeMap::new();
            for (state, positions) in &set {
                self.terms.outgoing(*state, &mut |row| {
                    let common = row.iter().filter(|it| self.is_common(it.letter));
                    for transition in common.filter(|it| self.letters.contains(&it.letter)) {
                        let node = (transition.to, positions.clone());
                        next.entry(transition.letter).or_default().insert(node);
                    }
                });
            }
            let mut row = Vec::new();
            for (letter, set) in next {
                row.push((letter, sets.insert_full(self.closure(set, false, visits)?).0));
            }
            rows.push(row);
            ends.push(self.may_end(set, visits)?);
        }
        Some(Language { rows, ends }.trimmed())
    }

    fn is_common(&self, letter: LetterId) -> bool {
        self.question.monitor.location_of(letter) == self.common
    }

    /// All nodes that are reached without the log of the common location; with unobserved moves there, once that is over.
    fn closure(
        &self,
        mut set: BTreeSet<Node>,
        is_over: bool,
        visits: &mut Visits<'_>,
    ) -> Option<BTreeSet<Node>> {
        let mut todo: Vec<Node> = set.iter().cloned().collect();
        while let Some((state, positions)) = todo.pop() {
            visits.visit()?;
            if self.terms.weight(state) > self.heaviest {
                return None;
            }
            let mut found = Vec::new();
            self.terms.outgoing(state, &mut |row| {
                for transition in row {
                    self.follow(transition, &positions, is_over, &mut found);
                }
            });
            todo.extend(found.into_iter().filter(|node| set.insert(node.clone())));
        }
        Some(set)
    }

    /// The nodes behind a transition that does not read the log of the common location.
    fn follow(
        &self,
        &Transition { letter, to, .. }: &Transition,
        positions: &[u32],
        is_over: bool,
        found: &mut Vec<Node>,
    ) {
        let location = self.question.monitor.location_of(letter);
        let log = &self.question.trace[location.index()];
        let own = self.own.iter().position(|&it| it == location);
        let at = match own {
            Some(own) => positions[own],
            None if is_over => log.len() as u32,
            None => return,
        };
        if self.question.may_go_unobserved(location.index(), at) {
            found.push((to, positions.into()));
        }
        if let Some(own) = own.filter(|_| log.get(at as usize) == Some(&letter)) {
            let mut positions: Box<[u32]> = positions.into();
            positions[own] += 1;
            found.push((to, positions));
        }
    }

    /// Whether the part may end in one of these nodes once the log of the common location is over.
    fn may_end(&self, set: BTreeSet<Node>, visits: &mut Visits<'_>) -> Option<bool> {
        let length = |location: &LocationId| self.question.trace[location.index()].len();
        let is_read = |positions: &[u32]| {
            self.own.iter().zip(positions).all(|(it, &position)| length(it) == position as usize)
        };
        let may_stop = |state: StateId| {
            let is_final = || self.terms.is_final(state);
            self.question.may_stop(is_final, || self.terms.is_between_steps(state))
        };
        let all = self.closure(set, true, visits)?;
        Some(all.iter().any(|(state, positions)| is_read(positions) && may_stop(*state)))
    }
}

impl Language {
    /// The same without states that lead to no end; nothing if state 0 is one.
    fn trimmed(mut self) -> Option<Language> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.rows.len()];
        for (from, row) in self.rows.iter().enumerate() {
            row.iter().for_each(|&(_, to)| before[to].push(from));
        }
        let mut lives = self.ends.clone();
        let mut todo: Vec<usize> = (0..lives.len()).filter(|&state| lives[state]).collect();
        while let Some(state) = todo.pop() {
            for &from in &before[state] {
                if !std::mem::replace(&mut lives[from], true) {
                    todo.push(from);
                }
            }
        }
        self.rows.iter_mut().for_each(|row| row.retain(|&(_, to)| lives[to]));
        lives[0].then_some(self)
    }
}

/// How many parts of each language are in each state, while the log of the common location is read.
struct Shuffle {
    /// Per state of all languages, how many parts are there, and whether they may end.
    counts: Vec<u32>,
    ends: Vec<bool>,
    /// Per letter, the moves that read it: from one state to another one.
    moves: FxHashMap<LetterId, Vec<(usize, usize)>>,
    /// How many parts are in states where they may not end.
    unfinished: u32,
}

/// An event that was read, by one of several moves.
struct Reading {
    /// The moves that are left.
    left: Vec<(usize, usize)>,
    made: (usize, usize),
    /// The node before, if it is to be noted once nothing is left.
    before: Option<Box<[u32]>>,
}

impl Shuffle {
    fn new(languages: Vec<(Language, u32)>) -> Shuffle {
        let (counts, ends) = (Vec::new(), Vec::new());
        let mut shuffle = Shuffle { counts, ends, moves: FxHashMap::default(), unfinished: 0 };
        for (Language { rows, ends }, count) in languages {
            let start = shuffle.counts.len();
            for (from, row) in rows.iter().enumerate() {
                for &(letter, to) in row {
                    shuffle.moves.entry(letter).or_default().push((start + from, start + to));
                }
            }
            shuffle.counts.resize(start + ends.len(), 0);
            shuffle.counts[start] = count;
            shuffle.unfinished += if ends[0] { 0 } else { count };
            shuffle.ends.extend(ends);
        }
        shuffle
    }

    /// Whether a log is a shuffle of a word of each part.
    fn accepts(mut self, log: &[LetterId], visits: &mut Visits<'_>) -> Option<bool> {
        let mut readings: Vec<Reading> = Vec::with_capacity(log.len());
        // Visits that lead to no end.
        let mut failed: FxHashSet<Box<[u32]>> = FxHashSet::default();
        loop {
            visits.visit()?;
            let at = readings.len();
            if at == log.len() && self.unfinished == 0 {
                return Some(true);
            }
            let mut left = log.get(at).map(|it| self.possible(*it)).unwrap_or_default();
            let before = (left.len() > 1).then(|| self.node(at));
            visits.kept += before.as_deref().map_or(0, size_of_val) as u64;
            let is_failed = before.as_ref().is_some_and(|it| failed.contains(it));
            if let Some(made) = left.pop().filter(|_| !is_failed) {
                self.make(made);
                readings.push(Reading { left, made, before });
                continue;
            }
            // Back to the last event that another move may read.
            loop {
                let Some(mut reading) = readings.pop() else { return Some(false) };
                let (from, to) = reading.made;
                self.make((to, from));
                if let Some(made) = reading.left.pop() {
                    self.make(made);
                    readings.push(Reading { made, ..reading });
                    break;
                }
                failed.extend(reading.before);
            }
        }
    }

    /// The position in the log, and the counts.
    fn node(&self, at: usize) -> Box<[u32]> {
        std::iter::once(at as u32).chain(self.counts.iter().copied()).collect()
    }

    fn possible(&self, letter: LetterId) -> Vec<(usize, usize)> {
        let moves = self.moves.get(&letter).into_iter().flatten();
        moves.filter(|(from, _)| self.counts[*from] > 0).copied().collect()
    }

    fn make(&mut self, (from, to): (usize, usize)) {
        self.counts[from] -= 1;
        self.counts[to] += 1;
        let more = |at: usize| u32::from(!self.ends[at]);
        self.unfinished = self.unfinished + more(to) - more(from);
    }
}
