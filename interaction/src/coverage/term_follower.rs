//! Follows a trace through an interaction.
//
// Idea: a search in depth, in the order of the specification, finds the first derivation that accepts
// the trace; dead ends are remembered by position and rest. A second one, in breadth, finds all
// derivations, and the items that some accepting one of them takes; it is left out where the first met no choice.
// Instances of loops are counted along the first; for the second, a loop that begins is also read as one that is not
// repeated again, so that "once" is seen on an edge.
//
// Cost: positions times rests; both searches have a limit.

use super::followed::{Followed, sorted};
use super::outline::{Outline, Repetition};
use super::rest::{Choice, Decision, Derived, RestId, Rests, TooMany};
use crate::action::Action;
use crate::id::NodeId;
use crate::tree::Interaction;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most places the search for the first derivation may leave as dead ends, and the most places
/// the search for all of them visits: well under a second. Estimates, not measured.
const MAX_DEAD_ENDS: usize = 200_000;
const MAX_PLACES: usize = 20_000;
/// A store with more rests is replaced by an empty one. An estimate: some hundred megabytes.
const MAX_RESTS: usize = 1_000_000;

/// Follows traces through one interaction. It keeps rests and dead ends from trace to trace; its answers
/// do not depend on that.
#[derive(Debug)]
pub struct TermFollower<'a> {
    interaction: &'a Interaction,
    outline: &'a Outline,
    rests: Rests,
    root: RestId,
}

/// A place on the way: how many actions are read, and the rest.
type TracePlace = (usize, RestId);

/// A place of the search in depth, with the ways out of it.
struct Open {
    place: TracePlace,
    ways: std::vec::IntoIter<Derived>,
    /// The way that is being tried.
    taken: Option<Derived>,
}

/// Why a trace has no derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFollowed {
    /// How many actions some derivation of a beginning reads; all of them if the trace ends where the interaction
    /// cannot.
    pub read: usize,
    /// Whether a limit ended the search, so that there may be a derivation all the same.
    pub is_cut: bool,
}

impl<'a> TermFollower<'a> {
    /// For an interaction with its outline.
    pub fn new(interaction: &'a Interaction, outline: &'a Outline) -> TermFollower<'a> {
        let (rests, root) = Rests::new(interaction, outline);
        TermFollower { interaction, outline, rests, root }
    }

    /// The items that a trace takes; `None` if the interaction does not accept it, or the search for a derivation
    /// reached its limit.
    pub fn follow(&mut self, word: &[Action]) -> Option<Followed> {
        self.renew();
        self.rests.had_choice();
        let path = self.first_path(word).ok()?;
        let taken = self.taken(path);
        if !self.rests.had_choice() {
            return Some(Followed { possible: taken.clone(), taken, is_cut: false });
        }
        let (possible, is_cut) = self.possible(word, &taken);
        Some(Followed { taken, possible, is_cut })
    }

    /// Per action of a trace, the step that it belongs to in the first derivation; `None` if the interaction does not
    /// accept it, or the search for a derivation reached its limit.
    pub fn steps(&mut self, word: &[Action]) -> Option<Vec<NodeId>> {
        self.renew();
        let path = self.first_path(word).ok()?;
        let steps = path.iter().map(|derived| derived.step);
        Some(steps.flat_map(|it| std::iter::repeat_n(it, self.length(it))).collect())
    }

    /// Whether the interaction accepts a trace.
    ///
    /// # Errors
    /// If it does not, or the search for a derivation reached its limit.
    pub fn accept(&mut self, word: &[Action]) -> Result<(), NotFollowed> {
        self.renew();
        self.first_path(word).map(|_| ())
    }

    /// Begins a new store where the old one has grown too large.
    fn renew(&mut self) {
        if self.rests.len() > MAX_RESTS {
            (self.rests, self.root) = Rests::new(self.interaction, self.outline);
        }
    }

    fn open(&mut self, word: &[Action], place: TracePlace) -> Result<Open, TooMany> {
        let ways = self.rests.derivatives(place.1, &word[place.0..], Choice::Plain)?;
        Ok(Open { place, ways: ways.into_iter(), taken: None })
    }

    /// The steps and decisions of the first derivation that accepts the word.
    fn first_path(&mut self, word: &[Action]) -> Result<Vec<Derived>, NotFollowed> {
        let mut read = 0;
        let found = self.search_path(word, &mut read);
        found
            .map_err(|TooMany| NotFollowed { read, is_cut: true })?
            .ok_or(NotFollowed { read, is_cut: false })
    }

    /// The same; `read` becomes the most actions that were read.
    fn search_path(
        &mut self,
        word: &[Action],
        read: &mut usize,
    ) -> Result<Option<Vec<Derived>>, TooMany> {
        let mut dead: FxHashSet<TracePlace> = FxHashSet::default();
        let mut path = vec![self.open(word, (0, self.root))?];
        while let Some(last) = path.last_mut() {
            if last.place.0 == word.len() && self.rests.is_nullable(last.place.1) {
                return Ok(Some(self.decided(path)));
            }
            *read = last.place.0.max(*read);
            let Some(way) = last.ways.next() else {
                dead.insert(last.place);
                if dead.len() > MAX_DEAD_ENDS {
                    return Err(TooMany);
                }
                path.pop();
                continue;
            };
            let place = (last.place.0 + self.length(way.step), way.rest);
            if !dead.contains(&place) {
                last.taken = Some(way);
                path.push(self.open(word, place)?);
            }
        }
        Ok(None)
    }

    /// The decisions on a path, and at its end.
    fn decided(&self, path: Vec<Open>) -> Vec<Derived> {
        let (mut ways, mut end) = (Vec::with_capacity(path.len()), self.root);
        for open in path {
            end = open.place.1;
            ways.extend(open.taken);
        }
        let mut decisions = Vec::new();
        self.rests.finish(end, false, &mut decisions);
        match ways.last_mut() {
            Some(last) => last.decisions.extend(decisions),
            // An empty trace: the step is of no account.
            None => ways.push(Derived { rest: end, step: self.interaction.root(), decisions }),
        }
        ways
    }

    fn length(&self, step: NodeId) -> usize {
        match self.interaction.node(step) {
            crate::tree::Node::Step(step) => step.actions().len(),
            _ => 0,
        }
    }

    /// The items of a path: its steps, operands, and the loops by how often they were repeated.
    fn taken(&self, path: Vec<Derived>) -> Vec<u32> {
        let mut items = Vec::new();
        let mut counts: FxHashMap<(NodeId, u8), u32> = FxHashMap::default();
        for derived in path {
            items.extend(self.outline.message(derived.step));
            for decision in derived.decisions {
                match decision {
                    Decision::Begins(node, instance) => {
                        // The number was that of an instance which has ended.
                        if let Some(count) = counts.insert((node, instance), 1) {
                            items.extend(self.repeated(node, count));
                        }
                    }
                    Decision::Again(node, instance) => {
                        *counts.entry((node, instance)).or_default() += 1;
                    }
                    other => items.extend(self.item(other)),
                }
            }
        }
        #[allow(clippy::iter_over_hash_type, reason = "the items are sorted below")]
        for ((node, _), count) in counts {
            items.extend(self.repeated(node, count));
        }
        sorted(items)
    }

    fn repeated(&self, node: NodeId, count: u32) -> Option<u32> {
        let repetition = if count > 1 { Repetition::More } else { Repetition::Once };
        self.outline.repetition(node, repetition)
    }

    /// The item that a single decision takes.
    fn item(&self, decision: Decision) -> Option<u32> {
        match decision {
            Decision::Operand(node, index) => self.outline.operand(node, index),
            Decision::Zero(node) => self.outline.repetition(node, Repetition::Zero),
            Decision::Once(node) => self.outline.repetition(node, Repetition::Once),
            Decision::Again(node, _) => self.outline.repetition(node, Repetition::More),
            Decision::Begins(..) => None,
        }
    }

    /// The items that accepting derivations take, and whether some derivations were not looked at.
    fn possible(&mut self, word: &[Action], taken: &[u32]) -> (Vec<u32>, bool) {
        let (edges, is_cut) = self.all_edges(word);
        let mut items = taken.to_vec();
        let mut alive: FxHashSet<TracePlace> = FxHashSet::default();
        // Targets come after their sources in the word, so one pass from the end finds all that lead to
        // the end.
        for (from, ways) in edges.into_iter().rev() {
            if from.0 == word.len() && self.rests.is_nullable(from.1) {
                alive.insert(from);
                let mut decisions = Vec::new();
                self.rests.finish(from.1, true, &mut decisions);
                items.extend(decisions.into_iter().filter_map(|it| self.item(it)));
            }
            for way in ways {
                let to = (from.0 + self.length(way.step), way.rest);
                if alive.contains(&to) {
                    alive.insert(from);
                    items.extend(self.outline.message(way.step));
                    items.extend(way.decisions.into_iter().filter_map(|it| self.item(it)));
                }
            }
        }
        (sorted(items), is_cut)
    }

    /// All places that the word leads to, by the number of actions read, with the ways out of them.
    fn all_edges(&mut self, word: &[Action]) -> (Vec<(TracePlace, Vec<Derived>)>, bool) {
        // Steps of several actions read several at once, so places wait for their turn.
        let mut waiting: Vec<Vec<RestId>> = vec![Vec::new(); word.len() + 1];
        let mut seen: FxHashSet<TracePlace> = FxHashSet::from_iter([(0, self.root)]);
        waiting[0].push(self.root);
        let (mut edges, mut is_cut) = (Vec::new(), false);
        for read in 0..=word.len() {
            for rest in std::mem::take(&mut waiting[read]) {
                let ways = self.rests.derivatives(rest, &word[read..], Choice::WithOnce);
                let Ok(ways) = ways else {
                    is_cut = true;
                    continue;
                };
                for way in &ways {
                    let to = (read + self.length(way.step), way.rest);
                    if seen.contains(&to) {
                        continue;
                    }
                    if seen.len() >= MAX_PLACES {
                        is_cut = true;
                        continue;
                    }
                    seen.insert(to);
                    waiting[to.0].push(to.1);
                }
                edges.push(((read, rest), ways));
            }
        }
        (edges, is_cut)
    }
}
