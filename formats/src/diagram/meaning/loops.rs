//! Loops, their bounds, and the breaks that leave them.

// A loop with body `a; break b; c` is `loop(a; c)` and then, maybe, `a; b`: the repetition that the break
// ends. Repetitions and that last one follow each other by the loop's own scheduling. A loop of at most n
// repetitions has at most n - 1 whole ones before a break, so there the two are alternatives.

use super::super::directives::{Bounds, Repetition, RepetitionKind};
use super::super::model::Fragment;
use super::super::notes::{count, is_like_bound};
use super::entries::{Stretch, entries, stretches};
use super::{Builder, Order, shown};
use crate::source::Span;
use crate::warning::WarningCode;
use multitrace_interaction::{LoopKind, Node, NodeId};

/// A loop while it is read.
struct Loop<'d, 'l> {
    stretches: &'l [Stretch<'d>],
    kind: RepetitionKind,
    bounds: Option<Bounds>,
    /// How the statements of one repetition follow each other.
    inside: &'l Order,
    span: Span,
}

impl<'d> Builder<'d> {
    /// A loop; `said` is the repetition that the directive before it gives, if there is one.
    pub(super) fn repeated(
        &mut self,
        fragment: &'d Fragment,
        said: Option<Repetition>,
        inside: &Order,
    ) -> Option<NodeId> {
        let operand = fragment.operands.first()?;
        let (said, loops) = (said.unwrap_or_default(), self.settings.loops);
        let counted = count(&operand.text);
        let says_nothing = [said, loops] == [Repetition::default(); 2];
        if counted.is_none() && says_nothing && is_like_bound(&operand.text) {
            let text = shown(&operand.text);
            let message = format!("the loop {text} repeats any number of times, or never");
            self.remark(WarningCode::LoopLikeBound, operand.header, message);
        }
        let by_order = match inside {
            Order::Strict => RepetitionKind::Strict,
            Order::Weak | Order::Coregion(_) => RepetitionKind::Weak,
        };
        let kind = said.kind.or(loops.kind).unwrap_or(by_order);
        let bounds = said.bounds.or(loops.bounds).or(counted);
        if kind == RepetitionKind::HeadFirst && bounds.is_some() {
            let help = "leave the number out, or repeat weakly";
            self.error(operand.header, "a head-first loop with a number of repetitions", help);
        }
        let stretches = stretches(entries(&operand.body));
        let loop_ = Loop { stretches: &stretches, kind, bounds, inside, span: fragment.span };
        // The next repetition follows every frame in it.
        let was_followed = std::mem::replace(&mut self.is_followed, true);
        let repeated = self.with_exits(&loop_);
        self.is_followed = was_followed;
        Some(repeated)
    }

    fn with_exits(&mut self, loop_: &Loop<'d, '_>) -> NodeId {
        let span = loop_.span;
        let repeated = match loop_.bounds {
            Some((least, most)) => self.bounded(loop_, least, most),
            None => self.endless(loop_),
        };
        if loop_.stretches.iter().all(|it| it.exit.is_none()) {
            return repeated;
        }
        let was_copy = self.is_copy;
        match loop_.bounds {
            Some((_, Some(0))) => repeated,
            Some((_, most)) => {
                self.is_copy = true;
                let before = self.bounded(loop_, 0, most.map(|most| most - 1));
                self.is_copy = was_copy;
                let exits = self.exits(loop_);
                let left = self.joined_by(loop_, before, exits);
                self.push(Node::Alt(left, repeated), span)
            }
            None => {
                let exits = self.exits(loop_);
                let nothing = self.push(Node::Empty, span);
                let maybe = self.push(Node::Alt(exits, nothing), span);
                self.joined_by(loop_, repeated, maybe)
            }
        }
    }

    /// Two parts of a loop, one after the other as its repetitions are.
    fn joined_by(&mut self, loop_: &Loop<'d, '_>, left: NodeId, right: NodeId) -> NodeId {
        let node = match loop_.kind {
            RepetitionKind::Strict => Node::Strict(left, right),
            RepetitionKind::Parallel => Node::Par(left, right),
            RepetitionKind::Weak | RepetitionKind::HeadFirst => Node::Seq(left, right),
        };
        self.push(node, loop_.span)
    }

    /// The repetitions that a break ends: one alternative for each break.
    fn exits(&mut self, loop_: &Loop<'d, '_>) -> NodeId {
        let was_copy = self.is_copy;
        let mut ways = Vec::new();
        for (index, stretch) in loop_.stretches.iter().enumerate() {
            let Some(exit) = &stretch.exit else { continue };
            if self.is_too_large {
                break;
            }
            self.is_copy = true;
            let mut items = self.without_exits(&loop_.stretches[..=index], loop_.inside);
            self.is_copy = was_copy;
            items.push((self.exit(exit, loop_.inside), exit.fragment.span));
            ways.extend(self.in_order(items, loop_.inside).map(|way| (way, loop_.span)));
        }
        let ways = self.joined(ways, Node::Alt);
        self.or_empty(ways, loop_.span)
    }

    fn endless(&mut self, loop_: &Loop<'d, '_>) -> NodeId {
        let kind = match loop_.kind {
            RepetitionKind::Strict => LoopKind::Strict,
            RepetitionKind::Parallel => LoopKind::Parallel,
            RepetitionKind::HeadFirst => LoopKind::HeadFirst,
            RepetitionKind::Weak => LoopKind::Weak,
        };
        let body = self.repetition(loop_);
        self.push(Node::Loop(kind, body), loop_.span)
    }

    /// Copies of a body: x; x; opt(x; opt(x)) for two to four.
    fn bounded(&mut self, loop_: &Loop<'d, '_>, least: u32, most: Option<u32>) -> NodeId {
        let (was_copy, span) = (self.is_copy, loop_.span);
        let mut rest: Option<NodeId> = None;
        if most.is_none() {
            rest = Some(self.endless(loop_));
            self.is_copy = true;
        }
        let optional = most.map_or(0, |most| most - least);
        for round in 0..u64::from(optional) + u64::from(least) {
            if self.is_too_large {
                break;
            }
            let first = self.repetition(loop_);
            self.is_copy = true;
            let both = match rest {
                None => first,
                Some(rest) => self.joined_by(loop_, first, rest),
            };
            rest = Some(both);
            if round < u64::from(optional) {
                let nothing = self.push(Node::Empty, span);
                rest = Some(self.push(Node::Alt(both, nothing), span));
            }
        }
        self.is_copy = was_copy;
        self.or_empty(rest, span)
    }

    /// One repetition that no break ends.
    fn repetition(&mut self, loop_: &Loop<'d, '_>) -> NodeId {
        let items = self.without_exits(loop_.stretches, loop_.inside);
        let body = self.in_order(items, loop_.inside);
        self.or_empty(body, loop_.span)
    }

    fn without_exits(&mut self, stretches: &[Stretch<'d>], order: &Order) -> Vec<(NodeId, Span)> {
        stretches.iter().flat_map(|it| self.items(&it.entries, order)).collect()
    }
}
