//! Logs of a session, some of whose events are in no order.
//
// Idea: a log is a row of blocks, each some chains of events that are read in any shuffle; events in order are a block of
// one chain. A cut is the block that is being read, and how far each of its chains is. Cuts and the moves between them are a
// graph without circles, whose paths from the first cut to the last are the orders of the log. So a search has cuts as its
// positions, and needs no list of the orders.
//
// Invariant: chains of the same letters stand side by side, and of them the first are the furthest. So cuts that differ only
// in which of equal events is read are one cut, and the n-th chain goes on as a chain of its own along each path.
//
// Cost: a cut is found when a search first comes to it. A block has at most the product of the lengths of its chains plus 1.

use indexmap::IndexSet;
use multitrace_interaction::{LetterId, MultiTrace, TiedEvents};
use rustc_hash::FxBuildHasher;
use std::cell::RefCell;
use std::rc::Rc;

/// The logs of a session.
#[derive(Debug)]
pub(crate) struct TiedLogs {
    logs: Vec<RefCell<TiedLog>>,
}

/// A step from one cut to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) letter: LetterId,
    pub(crate) to: u32,
    /// The index of an event in the log that makes the step.
    pub(crate) event: usize,
}

#[derive(Debug)]
struct TiedLog {
    blocks: Vec<Block>,
    cuts: IndexSet<Box<[u32]>, FxBuildHasher>,
    /// Per cut, how many events are read there.
    read: Vec<u32>,
    /// Per cut, its moves, once somebody asked.
    moves: Vec<Option<Rc<[Move]>>>,
    bytes: usize,
}

/// Chains whose events are in no order among each other.
#[derive(Debug)]
struct Block {
    /// How many events come before it.
    before: u32,
    /// Sorted by their letters.
    chains: Vec<Chain>,
}

#[derive(Debug)]
struct Chain {
    letters: Vec<LetterId>,
    /// The indexes of its events in the log.
    events: Vec<usize>,
}

/// The cut where nothing is read.
pub(crate) const START: u32 = 0;

impl TiedLogs {
    pub(crate) fn new(trace: &MultiTrace, ties: &[TiedEvents]) -> TiedLogs {
        let log = |(location, log): (usize, &Vec<LetterId>)| {
            let own = ties.iter().filter(|tied| tied.location == location);
            RefCell::new(TiedLog::new(log, own))
        };
        TiedLogs { logs: trace.iter().enumerate().map(log).collect() }
    }

    /// How many events of a log are read at a cut.
    pub(crate) fn read_until(&self, location: usize, cut: u32) -> u32 {
        self.logs[location].borrow().read[cut as usize]
    }

    /// The moves from a cut, those of the events that come first in the log first.
    pub(crate) fn moves(&self, location: usize, cut: u32) -> Rc<[Move]> {
        self.logs[location].borrow_mut().moves(cut)
    }

    /// The moves that lead to a cut: their letters, and where they start.
    pub(crate) fn moves_to(&self, location: usize, cut: u32) -> Vec<(LetterId, u32)> {
        self.logs[location].borrow_mut().moves_to(cut)
    }

    /// The cut where all is read.
    pub(crate) fn end(&self, location: usize) -> u32 {
        self.logs[location].borrow_mut().end()
    }

    /// About how many bytes the cuts take that were found.
    pub(crate) fn bytes(&self) -> u64 {
        self.logs.iter().map(|log| log.borrow().bytes as u64).sum()
    }

    /// The events of a log in the order of a way through its cuts. Those that it does not reach come behind.
    pub(crate) fn order(&self, location: usize, way: impl Iterator<Item = u32>) -> Vec<usize> {
        let (mut order, mut at) = (Vec::new(), START);
        for cut in way.filter(|cut| *cut != START) {
            if cut == at {
                continue;
            }
            let moves = self.moves(location, at);
            order.extend(moves.iter().find(|it| it.to == cut).map(|it| it.event));
            at = cut;
        }
        while let Some(first) = self.moves(location, at).first() {
            order.push(first.event);
            at = first.to;
        }
        order
    }

    /// All orders of a log, as far as it may be at their cuts; `None` if there are more than `most`.
    pub(crate) fn orders(
        &self,
        location: usize,
        most: usize,
        may_be_at: impl Fn(u32) -> bool,
    ) -> Option<Vec<Vec<usize>>> {
        let (end, mut orders, mut path) = (self.end(location), Vec::new(), Vec::new());
        let mut todo = vec![(START, 0, None)];
        while let Some((cut, length, event)) = todo.pop() {
            path.truncate(length);
            path.extend(event);
            if cut == end {
                if orders.len() == most {
                    return None;
                }
                orders.push(path.clone());
            }
            let moves = self.moves(location, cut);
            let open = moves.iter().rev().filter(|it| may_be_at(it.to));
            todo.extend(open.map(|it| (it.to, path.len(), Some(it.event))));
        }
        Some(orders)
    }
}

impl TiedLog {
    fn new<'t>(log: &[LetterId], ties: impl Iterator<Item = &'t TiedEvents>) -> TiedLog {
        let mut tied: Vec<&TiedEvents> = ties.collect();
        let first = |it: &TiedEvents| it.chains.iter().flatten().min().copied();
        tied.sort_by_key(|it| first(it));
        let (mut blocks, mut start) = (Vec::new(), 0);
        let in_order = |events: std::ops::Range<usize>| vec![events.collect::<Vec<_>>()];
        for TiedEvents { chains, .. } in tied {
            let begin = chains.iter().flatten().min().copied().unwrap_or(start);
            if start < begin {
                blocks.push(Block::new(log, start, in_order(start..begin)));
            }
            blocks.push(Block::new(log, begin, chains.clone()));
            start = begin + chains.iter().map(Vec::len).sum::<usize>();
        }
        if start < log.len() {
            blocks.push(Block::new(log, start, in_order(start..log.len())));
        }
        let (cuts, read, moves) = (IndexSet::default(), Vec::new(), Vec::new());
        let mut tied = TiedLog { blocks, cuts, read, moves, bytes: 0 };
        tied.cut(0, vec![0; tied.blocks.first().map_or(0, |it| it.chains.len())]);
        tied
    }

    /// The cut inside of a block where its chains are this far.
    fn cut(&mut self, mut block: usize, mut chains: Vec<u32>) -> u32 {
        let is_whole = |block: &Block| {
            block.chains.iter().zip(&chains).all(|(it, at)| it.events.len() == *at as usize)
        };
        // The end of a block is the start of the next one.
        if self.blocks.get(block).is_some_and(is_whole) {
            block += 1;
            chains = vec![0; self.blocks.get(block).map_or(0, |it| it.chains.len())];
        }
        let before = match self.blocks.get(block) {
            Some(block) => block.before,
            None => self.blocks.last().map_or(0, Block::end),
        };
        let read = before + chains.iter().sum::<u32>();
        chains.push(block as u32);
        let bytes = size_of_val(&*chains) + 12 * size_of::<u64>();
        let (at, is_new) = self.cuts.insert_full(chains.into());
        if is_new {
            self.read.push(read);
            self.moves.push(None);
            self.bytes += bytes;
        }
        at as u32
    }

    fn end(&mut self) -> u32 {
        self.cut(self.blocks.len(), Vec::new())
    }

    /// The block of a cut, and how far its chains are.
    fn place(&self, cut: u32) -> (usize, Vec<u32>) {
        let words = self.cuts.get_index(cut as usize).map_or(&[][..], |it| it);
        let (block, chains) = words.split_last().map_or((0, words), |(last, rest)| (*last, rest));
        (block as usize, chains.to_vec())
    }

    fn moves(&mut self, cut: u32) -> Rc<[Move]> {
        if let Some(known) = &self.moves[cut as usize] {
            return Rc::clone(known);
        }
        let (block, chains) = self.place(cut);
        let mut found = Vec::new();
        for (at, &from) in chains.iter().enumerate() {
            let chain = &self.blocks[block].chains[at];
            let Some(&event) = chain.events.get(from as usize) else { continue };
            let letter = chain.letters[from as usize];
            // Of equal chains that are equally far the first goes on.
            let has_equal = at > 0 && chains[at - 1] == from && {
                self.blocks[block].chains[at - 1].letters == chain.letters
            };
            if !has_equal {
                let mut next = chains.clone();
                next[at] += 1;
                found.push(Move { letter, to: self.cut(block, next), event });
            }
        }
        found.sort_by_key(|it| it.event);
        let found: Rc<[Move]> = found.into();
        self.bytes += size_of_val(&*found);
        self.moves[cut as usize] = Some(Rc::clone(&found));
        found
    }

    fn moves_to(&mut self, cut: u32) -> Vec<(LetterId, u32)> {
        let (mut block, mut chains) = self.place(cut);
        if chains.iter().all(|it| *it == 0) {
            // It is the end of the block before.
            let Some(before) = block.checked_sub(1) else { return Vec::new() };
            let lengths = self.blocks[before].chains.iter().map(|it| it.events.len() as u32);
            (block, chains) = (before, lengths.collect());
        }
        let mut found = Vec::new();
        for (at, &to) in chains.iter().enumerate() {
            let Some(from) = to.checked_sub(1) else { continue };
            let all = &self.blocks[block].chains;
            let letter = all[at].letters[from as usize];
            // Of equal chains that are equally far the last one went on.
            let has_equal =
                chains.get(at + 1) == Some(&to) && all[at + 1].letters == all[at].letters;
            if !has_equal {
                let mut before = chains.clone();
                before[at] = from;
                found.push((letter, self.cut(block, before)));
            }
        }
        found
    }
}

impl Block {
    fn new(log: &[LetterId], before: usize, chains: Vec<Vec<usize>>) -> Block {
        let chain = |events: Vec<usize>| Chain {
            letters: events.iter().map(|&it| log[it]).collect(),
            events,
        };
        let mut chains: Vec<Chain> = chains.into_iter().map(chain).collect();
        chains.sort_by(|a, b| (&a.letters, &a.events).cmp(&(&b.letters, &b.events)));
        Block { before: before as u32, chains }
    }

    /// How many events are read once it is.
    fn end(&self) -> u32 {
        self.before + self.chains.iter().map(|it| it.events.len() as u32).sum::<u32>()
    }
}
