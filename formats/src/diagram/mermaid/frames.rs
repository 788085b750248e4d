//! The frames and boxes that are open while a diagram is read.

use crate::diagram::model::{Fragment, FragmentOperand, FragmentOperator, MAX_FRAMES, Statement};
use crate::source::{Diagnostic, Span};

/// The box or frame that the next `end` closes.
enum Open {
    Box { keyword: Span },
    Fragment(Box<UnclosedFrame>),
}

/// A frame that is open.
struct UnclosedFrame {
    operator: FragmentOperator,
    keyword: Span,
    /// The operands that are complete.
    operands: Vec<FragmentOperand>,
    /// The operand that is not, without its statements.
    operand: FragmentOperand,
    /// The statements around the frame, so far.
    around: Vec<Statement>,
}

impl UnclosedFrame {
    /// Completes the current operand.
    fn complete(&mut self, body: Vec<Statement>) {
        self.operands.push(FragmentOperand { body, ..self.operand.clone() });
    }
}

/// The box or frame that `end` closed.
pub(super) enum Closed {
    Box,
    Fragment,
}

/// The statements so far, inside of the frames that are open.
#[derive(Default)]
pub(super) struct Frames {
    /// The statements of the innermost operand.
    body: Vec<Statement>,
    open: Vec<Open>,
    /// How many frames are open beyond the limit; they are not kept.
    beyond: usize,
}

impl Frames {
    /// Adds a statement.
    pub(super) fn push(&mut self, statement: Statement) {
        self.body.push(statement);
    }

    /// Whether a box is open, and nothing in it.
    pub(super) fn is_in_box(&self) -> bool {
        matches!(self.open.last(), Some(Open::Box { .. }))
    }

    /// Opens a box.
    pub(super) fn open_box(&mut self, keyword: Span) {
        self.open.push(Open::Box { keyword });
    }

    /// Opens a frame with its first operand.
    pub(super) fn open(
        &mut self,
        operator: FragmentOperator,
        keyword: Span,
        operand: FragmentOperand,
    ) -> Result<(), Diagnostic> {
        if self.open.len() >= MAX_FRAMES {
            self.beyond += 1;
            return if self.beyond == 1 { Err(too_deep(keyword)) } else { Ok(()) };
        }
        let around = std::mem::take(&mut self.body);
        let operands = Vec::new();
        let frame = UnclosedFrame { operator, keyword, operands, operand, around };
        self.open.push(Open::Fragment(Box::new(frame)));
        Ok(())
    }

    /// The kind of the innermost frame.
    pub(super) fn innermost(&self) -> Option<FragmentOperator> {
        match self.open.last() {
            Some(Open::Fragment(frame)) => Some(frame.operator),
            _ => None,
        }
    }

    /// Starts a further operand of the innermost frame.
    pub(super) fn section(&mut self, operand: FragmentOperand) {
        if self.beyond > 0 {
            return;
        }
        if let Some(Open::Fragment(frame)) = self.open.last_mut() {
            frame.complete(std::mem::take(&mut self.body));
            frame.operand = operand;
        }
    }

    /// Closes the innermost frame or box; `None` if nothing is open.
    pub(super) fn close(&mut self, end: Span) -> Option<Closed> {
        if self.beyond > 0 {
            self.beyond -= 1;
            return Some(Closed::Fragment);
        }
        match self.open.pop()? {
            Open::Box { .. } => Some(Closed::Box),
            Open::Fragment(frame) => {
                self.close_frame(*frame, end);
                Some(Closed::Fragment)
            }
        }
    }

    fn close_frame(&mut self, mut frame: UnclosedFrame, end: Span) {
        let around = std::mem::take(&mut frame.around);
        frame.complete(std::mem::replace(&mut self.body, around));
        let UnclosedFrame { operator, operands, keyword, .. } = frame;
        self.body.push(Statement::Fragment(Fragment { operator, operands, span: keyword.to(end) }));
    }

    /// The statements of the whole diagram, and the keywords of the frames that are still open.
    pub(super) fn finish(self) -> (Vec<Statement>, Vec<Span>) {
        let keyword = |open: &Open| match open {
            Open::Box { keyword } => *keyword,
            Open::Fragment(frame) => frame.keyword,
        };
        let keywords = self.open.iter().map(keyword).collect();
        (self.body, keywords)
    }
}

fn too_deep(keyword: Span) -> Diagnostic {
    let message = format!("frames are nested more than {MAX_FRAMES} deep");
    let error = Diagnostic::new(keyword, message, "this frame exceeds the limit");
    error.with_help("draw inner frames as a diagram of their own")
}
