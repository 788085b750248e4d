//! Loops with bounds, and their copies.

use super::expansion::{Bounds, Repetition};
use super::parser::{Parser, Scheduler};
use crate::lexer::TokenKind;
use crate::source::{Diagnostic, Span};
use multitrace_interaction::{Id, LoopKind, Node, NodeId};

impl Parser<'_> {
    /// `[2..5]`, `[3]` or `[1..]`; `None` if there are no bounds.
    pub(super) fn bounds(&mut self) -> Option<Bounds> {
        let open = self.cursor.eat(TokenKind::LeftBracket)?;
        let bounds = self.numbers(open);
        if bounds.is_none() {
            use TokenKind::{LeftParen, RightBracket};
            while !matches!(self.cursor.peek(), Some(RightBracket | LeftParen) | None) {
                self.cursor.advance();
            }
            self.cursor.eat(RightBracket);
        }
        // After an error the nodes are thrown away.
        Some(bounds.unwrap_or(Bounds { least: 1, most: Some(1) }))
    }

    fn numbers(&mut self, open: Span) -> Option<Bounds> {
        let least = self.number()?;
        let mut most = Some(least);
        if self.cursor.eat(TokenKind::Dot).is_some() {
            self.cursor.expect(TokenKind::Dot, "`..`")?;
            most = match self.cursor.peek() {
                Some(TokenKind::Number) => Some(self.number()?),
                _ => None,
            };
        }
        let close = self.cursor.expect(TokenKind::RightBracket, "`]`, `..` or a number")?;
        if most.is_some_and(|most| most < least) {
            let error = Diagnostic::new(
                open.to(close),
                "the least number of repetitions is larger than the most",
                "the larger number stands first",
            );
            self.cursor.report(error.with_help("write the smaller number first: `[2..5]`"));
        }
        Some(Bounds { least, most })
    }

    fn number(&mut self) -> Option<u32> {
        let span = self.cursor.expect(TokenKind::Number, "a number of repetitions")?;
        let number = self.cursor.text_of(span).parse().ok();
        if number.is_none() {
            let error = Diagnostic::new(span, "a number of repetitions is too large", "");
            self.cursor.report(error.with_help("write a loop without an upper bound: `[1..]`"));
        }
        number
    }

    /// A loop with bounds as its copies: x; x; opt(x; opt(x)) for `[2..4]`.
    pub(super) fn unrolled(&mut self, loop_: &mut Repetition, start: Span) -> Option<NodeId> {
        let (bounds, span) = (loop_.bounds, loop_.span);
        let scheduler = match &loop_.kind {
            LoopKind::Strict => Scheduler::Strict,
            LoopKind::Weak => Scheduler::Seq,
            LoopKind::Parallel => Scheduler::Par,
            LoopKind::CoReg(region) => Scheduler::CoReg(region.clone()),
            LoopKind::HeadFirst => {
                let error = Diagnostic::new(start, "`loopH` takes no bounds", "a head-first loop");
                self.cursor.report(error.with_help("leave the bounds out, or use `loopW`"));
                return Some(NodeId::new(0));
            }
        };
        let mut rest = None;
        match bounds.most {
            None => {
                let body = self.copy(loop_)?;
                rest = Some(self.push(Node::Loop(loop_.kind.clone(), body), span));
            }
            Some(most) => {
                for _ in bounds.least..most {
                    let some = self.before_rest(loop_, &scheduler, rest)?;
                    rest = Some(self.opt(some, span));
                }
            }
        }
        for _ in 0..bounds.least {
            rest = Some(self.before_rest(loop_, &scheduler, rest)?);
        }
        Some(rest.unwrap_or_else(|| self.push(Node::Empty, span)))
    }

    fn before_rest(
        &mut self,
        loop_: &mut Repetition,
        scheduler: &Scheduler,
        rest: Option<NodeId>,
    ) -> Option<NodeId> {
        let body = self.copy(loop_)?;
        Some(match rest {
            None => body,
            Some(rest) => self.push(scheduler.node(body, rest), loop_.span),
        })
    }

    /// The body of a loop: as it was read first, and then read again, so that each copy has nodes of its
    /// own.
    fn copy(&mut self, loop_: &mut Repetition) -> Option<NodeId> {
        if let Some(first) = loop_.first.take() {
            return Some(first);
        }
        if !self.has_room(loop_.span) {
            return None;
        }
        self.cursor.go_to(loop_.body_at);
        self.operands(loop_.span, "a loop")?.first().copied()
    }
}
