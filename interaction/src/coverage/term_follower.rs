//! Follows a trace through an interaction.
//
// Idea: a search in depth, in the order of the specification, finds the first derivation that accepts
// the trace; dead ends are remembered by position and rest. A second one, in breadth over the cuts of the logs, finds all
// derivations of all orders, and the items that some accepting one of them takes; it is left out where the first took
// all items that the events can take. Instances of loops are counted along the first; for the second, a loop that begins
// is also read as one that is not repeated again, so that "once" is seen on an edge.
//
// Cost: positions, or cuts, times rests; both searches have a limit.

use super::cuts::{Cut, Cuts};
use super::followed::{Followed, sorted};
use super::outline::{ItemKind, Outline, Repetition};
use super::rest::{Choice, Decision, Derived, RestId, Rests, TooMany};
use crate::action::Action;
use crate::id::{Id, NodeId};
use crate::tree::{Interaction, Node};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most places the search for the first derivation may leave as dead ends, and the most places
/// the search for all of them visits: well under a second. Estimates, not measured.
const MAX_DEAD_ENDS: usize = 200_000;
const MAX_PLACES: usize = 5_000;
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

/// A place on the way of any order: the events that are read, and the rest.
type CutPlace = (Cut, RestId);

/// A place with the ways out of it, each with the cut after it.
type Edges = (CutPlace, Vec<(Cut, Derived)>);

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

    /// The items that a trace takes, and those that it could take in this order or another one that the logs of its
    /// actions allow; `None` if the interaction does not accept it, or the search for a derivation reached its limit.
    pub fn follow(
        &mut self,
        word: &[Action],
        log_of: &dyn Fn(&Action) -> usize,
    ) -> Option<Followed> {
        self.renew();
        let path = self.first_path(word).ok()?;
        let taken = self.taken(path);
        let within_reach = self.within_reach(word);
        if within_reach.iter().all(|it| taken.binary_search(it).is_ok()) {
            return Some(Followed { possible: taken.clone(), taken, is_cut: false });
        }
        let possible = self.possible(word, log_of);
        let is_cut = possible.is_none();
        let mut possible = possible.unwrap_or(within_reach);
        possible.extend_from_slice(&taken);
        Some(Followed { taken, possible: sorted(possible), is_cut })
    }

    /// The items that derivations of these actions could take at most: those with one of the actions, or with none at all.
    fn within_reach(&self, word: &[Action]) -> Vec<u32> {
        let actions: FxHashSet<Action> = word.iter().copied().collect();
        let nodes = self.interaction.nodes();
        // Per node whether it has one of the actions, and whether it may do nothing.
        let mut of: Vec<(bool, bool)> = Vec::with_capacity(nodes.len());
        let mut messages = FxHashSet::default();
        for (index, node) in nodes.iter().enumerate() {
            let any = node.children().any(|it| of[it.index()].0);
            let each = |ends: bool| node.children().all(|it| of[it.index()].1 == ends);
            let facts = match node {
                Node::Step(step) => (step.actions().iter().any(|it| actions.contains(it)), false),
                Node::Alt(..) => (any, !each(false)),
                Node::Loop(..) => (any, true),
                _ => (any, each(true)),
            };
            if matches!(node, Node::Step(_)) && facts.0 {
                messages.extend(self.outline.message(NodeId::new(index)));
            }
            of.push(facts);
        }
        let items = (0..).zip(self.outline.items()).filter(|(index, item)| {
            let (acts, ends) = of[item.node.index()];
            match item.kind {
                ItemKind::Message => messages.contains(index),
                ItemKind::Operand { .. } => acts || ends,
                ItemKind::Loop(repetition) => acts || repetition == Repetition::Zero,
            }
        });
        items.map(|(index, _)| index).collect()
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
        let left = &word[place.0..];
        let ways = match left.first() {
            Some(&first) => {
                self.rests.derivatives(place.1, first, &|it| left.starts_with(it), Choice::Plain)?
            }
            None => Vec::new(),
        };
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

    /// The items that accepting derivations of any order take; `None` if they are too many to be found.
    fn possible(&mut self, word: &[Action], log_of: &dyn Fn(&Action) -> usize) -> Option<Vec<u32>> {
        let (mut cuts, start) = Cuts::new(word, log_of);
        let edges = self.all_edges(word.len(), &mut cuts, start)?;
        let mut items = Vec::new();
        let mut alive: FxHashSet<CutPlace> = FxHashSet::default();
        // Targets have more actions than their sources, so one pass from the end finds all that lead to the end.
        for ((cut, rest), ways) in edges.into_iter().rev() {
            if cuts.next(cut).is_empty() && self.rests.is_nullable(rest) {
                alive.insert((cut, rest));
                let mut decisions = Vec::new();
                self.rests.finish(rest, true, &mut decisions);
                items.extend(decisions.into_iter().filter_map(|it| self.item(it)));
            }
            for (to, way) in ways {
                if alive.contains(&(to, way.rest)) {
                    alive.insert((cut, rest));
                    items.extend(self.outline.message(way.step));
                    items.extend(way.decisions.into_iter().filter_map(|it| self.item(it)));
                }
            }
        }
        Some(items)
    }

    /// All places that a session comes to, by the number of actions read, with the ways out of them; `None` if they are
    /// too many.
    fn all_edges(
        &mut self,
        length: usize,
        cuts: &mut Cuts<'_, Action>,
        start: Cut,
    ) -> Option<Vec<Edges>> {
        // Steps of several actions read several at once, so places wait for their turn.
        let mut waiting: Vec<Vec<CutPlace>> = vec![Vec::new(); length + 1];
        let mut seen: FxHashSet<CutPlace> = FxHashSet::from_iter([(start, self.root)]);
        waiting[0].push((start, self.root));
        let mut edges = Vec::new();
        for read in 0..=length {
            for place in std::mem::take(&mut waiting[read]) {
                let ways = self.ways(place, cuts)?;
                for (cut, way) in &ways {
                    let to = (*cut, way.rest);
                    if seen.insert(to) {
                        waiting[read + self.length(way.step)].push(to);
                    }
                }
                if seen.len() > MAX_PLACES {
                    return None;
                }
                edges.push((place, ways));
            }
        }
        Some(edges)
    }

    /// The ways to read a step of a session, each with the cut after it; `None` if they are too many.
    fn ways(
        &mut self,
        (cut, rest): CutPlace,
        cuts: &mut Cuts<'_, Action>,
    ) -> Option<Vec<(Cut, Derived)>> {
        let mut found = Vec::new();
        for first in cuts.next(cut) {
            let reads = |actions: &[Action]| cuts.can_read(cut, actions);
            let ways = self.rests.derivatives(rest, first, &reads, Choice::WithOnce).ok()?;
            found.extend(ways.into_iter().map(|way| {
                let Node::Step(step) = self.interaction.node(way.step) else { return (cut, way) };
                (cuts.after(cut, step.actions()), way)
            }));
        }
        Some(found)
    }
}
