//! Lifts a path that was found with locations removed to the terms with all locations.
//
// Idea: a search with locations removed (papers 002 and 003) says in which order the events can come. They are read from the
// whole term in that order, and the locations that were removed act in between, but only so that the rest of the path
// can still be read from the rest of the others. Where the next event has to wait, those move first that it waits for:
// the location that emits the message it receives, then the one that emits the message that this one waits for, and so
// on. Depth first.
//
// Invariant: a path that is found is one of the whole terms, so it confirms. A path that is not found may exist.
//
// Cost: a derivative and a removal per node, once for all sessions. Most nodes are on the path that is found.

use crate::automaton::{Automaton, Late};
use crate::lazy_automaton::LazyAutomaton;
use crate::question::Question;
use crate::search::path_to_final::path_to_final;
use crate::search::problem::Problem;
use indexmap::IndexMap;
use multitrace_interaction::{
    Id, LetterId, LocationId, RegionId, StateId, Transition, Witness, WitnessStep,
};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::VecDeque;

/// A path that was found with locations removed, and the search for one of the whole terms.
pub(crate) struct Lifting<'a> {
    automaton: &'a LazyAutomaton,
    question: Question<'a>,
    /// Larger terms than this are not looked at.
    heaviest: u32,
    path: Vec<WitnessStep>,
    /// Per location, the places of its steps on the path.
    steps: Vec<Vec<usize>>,
    /// Per location, whether it is removed after its last step.
    is_removed_at_end: Vec<bool>,
    /// The stages met so far: per location, how many of its steps are done.
    stages: IndexMap<Box<[u32]>, Stage, FxBuildHasher>,
    frames: Vec<OpenNode>,
    tried: FxHashSet<(StateId, StageId)>,
    /// Whether the rest of the path can be read at a stage from the rest of the locations that are not removed.
    known: FxHashMap<(StateId, StageId), bool>,
    visits: u64,
    /// The search gives up after this many visits.
    most: u64,
}

/// The number of a stage.
type StageId = usize;

#[derive(Clone, Copy)]
struct Stage {
    /// The first step of the path that is not done.
    next: Option<WitnessStep>,
    /// The lifelines of the locations that are removed.
    removed: RegionId,
}

/// A node, with the moves that are still to try.
struct OpenNode {
    by: WitnessStep,
    state: StateId,
    stage: StageId,
    moves: Vec<Transition>,
}

impl<'a> Lifting<'a> {
    /// Takes the path of a search that found one in a problem that removes locations and keeps paths: the state at its
    /// beginning, and each step with the state after it. At most this many nodes are visited.
    pub(crate) fn new(
        problem: &Problem<'a, LazyAutomaton>,
        (start, found): (StateId, Vec<(WitnessStep, StateId)>),
        most: u64,
    ) -> Lifting<'a> {
        let question = problem.question.clone();
        let ends = question.trace.iter().map(|log| log.len() as u32).enumerate();
        let mut steps = vec![Vec::new(); question.trace.len()];
        for (place, (step, _)) in found.iter().enumerate() {
            steps[question.monitor.location_of(step.letter).index()].push(place);
        }
        let mut lifting = Lifting {
            automaton: problem.automaton,
            heaviest: problem.heaviest,
            path: found.iter().map(|(step, _)| *step).collect(),
            is_removed_at_end: ends.map(|(location, end)| problem.removes(location, end)).collect(),
            steps,
            stages: IndexMap::default(),
            frames: Vec::new(),
            tried: FxHashSet::default(),
            known: FxHashMap::default(),
            visits: 0,
            most,
            question,
        };
        let mut stage = lifting.stage(vec![0; lifting.steps.len()].into());
        lifting.known.insert((start, stage), true);
        for (step, left) in found {
            stage = lifting.after(stage, step.letter);
            lifting.known.insert((left, stage), true);
        }
        lifting
    }

    /// Whether a path of the whole terms was found before the search gave up.
    pub(crate) fn run(&mut self) -> Result<bool, Late> {
        let nothing = WitnessStep { letter: LetterId::UNKNOWN, observed: false };
        let automaton = self.automaton;
        for &state in automaton.initial() {
            if self.visit(state, 0, nothing)? {
                return Ok(true);
            }
        }
        while !self.is_over()
            && let Some(frame) = self.frames.last_mut()
        {
            let stage = frame.stage;
            let Some(Transition { letter, to, .. }) = frame.moves.pop() else {
                self.frames.pop();
                continue;
            };
            let is_found = match self.next_at(stage, self.location_of(letter)) {
                Some(step) => {
                    let after = self.after(stage, letter);
                    self.visit(to, after, step)?
                }
                None => self.visit(to, stage, WitnessStep { letter, observed: false })?,
            };
            if is_found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_over(&self) -> bool {
        self.visits >= self.most
    }

    /// How many nodes were visited, of terms with and without removed locations.
    pub(crate) fn visits(&self) -> u64 {
        self.visits
    }

    /// The global trace that was found, continued to an accepted end.
    pub(crate) fn witness(&self) -> Option<Witness> {
        let last = self.frames.last()?;
        let mut steps: Vec<_> = self.frames[1..].iter().map(|frame| frame.by).collect();
        steps.extend(path_to_final(self.automaton, last.state)?);
        Some(Witness { steps })
    }

    /// Adds a node unless it was tried or the rest of the path cannot be read behind it; says whether it is the end.
    fn visit(&mut self, state: StateId, stage: StageId, by: WitnessStep) -> Result<bool, Late> {
        let automaton = self.automaton;
        let Stage { next, removed } = self.stages[stage];
        if automaton.weight(state) > self.heaviest || !self.tried.insert((state, stage)) {
            return Ok(false);
        }
        self.visits += 1;
        if !self.goes_on(automaton.forget_region(state, removed)?, stage)? {
            return Ok(false);
        }
        let is_end = next.is_none() && self.may_stop(state);
        let moves = if is_end { Vec::new() } else { self.moves(state, stage)? };
        self.frames.push(OpenNode { by, state, stage, moves });
        Ok(is_end)
    }

    fn may_stop(&self, state: StateId) -> bool {
        let automaton = self.automaton;
        self.question.may_stop(|| automaton.is_final(state), || automaton.is_between_steps(state))
    }

    /// Whether the rest of the path can be read at a stage from the rest of the locations that are not removed; false,
    /// too, if the search is over before that is known. Depth first.
    fn goes_on(&mut self, left: StateId, stage: StageId) -> Result<bool, Late> {
        if let Some(&known) = self.known.get(&(left, stage)) {
            return Ok(known);
        }
        let mut line = vec![(left, stage, self.read_next(left, stage)?)];
        while let Some((state, at, successors)) = line.last_mut() {
            if self.is_over() {
                return Ok(false);
            }
            let (node, next) = ((*state, *at), successors.pop());
            let known = match next {
                None => Some(self.stages[node.1].next.is_none() && self.may_stop(node.0)),
                Some(next) => self.known.get(&next).copied().filter(|known| *known),
            };
            match (known, next) {
                (Some(true), _) => {
                    let good = line.iter().map(|&(state, stage, _)| ((state, stage), true));
                    self.known.extend(good);
                    return Ok(true);
                }
                (_, None) => {
                    self.known.insert(node, false);
                    line.pop();
                }
                (_, Some(next)) if !self.known.contains_key(&next) => {
                    line.push((next.0, next.1, self.read_next(next.0, next.1)?));
                }
                (_, Some(_)) => {}
            }
        }
        Ok(false)
    }

    /// The places that the next step of the path leaves.
    fn read_next(
        &mut self,
        left: StateId,
        stage: StageId,
    ) -> Result<Vec<(StateId, StageId)>, Late> {
        self.visits += 1;
        let Some(WitnessStep { letter, .. }) = self.stages[stage].next else {
            return Ok(Vec::new());
        };
        let after = self.after(stage, letter);
        let removed = self.stages[after].removed;
        let moves = self.automaton.moves(left)?;
        let by_step = moves.iter().filter(|it| it.letter == letter);
        by_step.map(|it| Ok((self.automaton.forget_region(it.to, removed)?, after))).collect()
    }

    /// The moves from a node, the one to try first last.
    fn moves(&self, state: StateId, stage: StageId) -> Result<Vec<Transition>, Late> {
        let next = self.stages[stage].next.map(|next| next.letter);
        let mut moves = self.automaton.moves(state)?.to_vec();
        moves.retain(|it| {
            let location = self.location_of(it.letter);
            match self.next_at(stage, location) {
                Some(step) => step.letter == it.letter,
                None => self.is_removed_at_end[location],
            }
        });
        if let Some(next) = next {
            let waits = moves.iter().all(|it| it.letter != next);
            let ranks = waits.then(|| self.waited_for(state, stage, next)).transpose()?;
            let rank = |letter| match &ranks {
                Some(ranks) => ranks[self.location_of(letter)],
                None => u32::from(letter != next),
            };
            moves.sort_by_key(|it| Reverse(rank(it.letter)));
        }
        Ok(moves)
    }

    /// Per location, how many emissions lie between it and the letter that waits for them.
    fn waited_for(
        &self,
        state: StateId,
        stage: StageId,
        letter: LetterId,
    ) -> Result<Vec<u32>, Late> {
        let mut ranks = vec![u32::MAX; self.steps.len()];
        let mut waiting = VecDeque::from([(letter, 1)]);
        while let Some((letter, rank)) = waiting.pop_front() {
            for &location in self.automaton.emitters(letter) {
                if ranks[location.index()] != u32::MAX {
                    continue;
                }
                ranks[location.index()] = rank;
                match self.next_at(stage, location.index()) {
                    Some(step) => waiting.push_back((step.letter, rank + 1)),
                    None => {
                        let row =
                            self.automaton.outgoing(self.automaton.local(state, location)?)?;
                        waiting.extend(row.iter().map(|it| (it.letter, rank + 1)));
                    }
                }
            }
        }
        Ok(ranks)
    }

    fn location_of(&self, letter: LetterId) -> usize {
        self.question.monitor.location_of(letter).index()
    }

    /// The first step of a location that is not done; none if it has done all of them.
    fn next_at(&self, stage: StageId, location: usize) -> Option<WitnessStep> {
        let (done, _) = self.stages.get_index(stage).expect("stages are kept");
        let place = self.steps[location].get(done[location] as usize)?;
        Some(self.path[*place])
    }

    /// The stage after one more step of the location of this letter.
    fn after(&mut self, stage: StageId, letter: LetterId) -> StageId {
        let (done, _) = self.stages.get_index(stage).expect("stages are kept");
        let mut done = done.clone();
        done[self.location_of(letter)] += 1;
        self.stage(done)
    }

    fn stage(&mut self, done: Box<[u32]>) -> StageId {
        if let Some(known) = self.stages.get_index_of(&done) {
            return known;
        }
        let places = self.steps.iter().zip(&done).filter_map(|(at, &done)| at.get(done as usize));
        let next = places.min().map(|&place| self.path[place]);
        let is_removed = |location: &usize| {
            self.is_removed_at_end[*location]
                && done[*location] as usize == self.steps[*location].len()
        };
        let removed = (0..done.len()).filter(is_removed).map(LocationId::new);
        let removed = self.automaton.region(removed);
        self.stages.insert_full(done, Stage { next, removed }).0
    }
}
