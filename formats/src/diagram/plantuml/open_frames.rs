//! The frames that are open while a diagram is read, and the statements in them.

use crate::diagram::model::{Fragment, FragmentOperand, FragmentOperator, Statement};
use crate::source::Span;

/// The frames that are open, and the statements outside of them.
#[derive(Debug, Default)]
pub(super) struct Frames {
    body: Vec<Statement>,
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    fragment: Fragment,
    operand: FragmentOperand,
}

impl Frames {
    /// Adds a statement to the innermost operand.
    pub(super) fn push(&mut self, statement: Statement) {
        self.innermost().push(statement);
    }

    /// The kind of the innermost frame; `None` outside of all frames.
    pub(super) fn innermost_operator(&self) -> Option<FragmentOperator> {
        self.open.last().map(|open| open.fragment.operator)
    }

    /// Whether a message or a frame stands before, in the same operand.
    pub(super) fn has_before(&self) -> bool {
        let before = self.open.last().map_or(&self.body, |open| &open.operand.body);
        before.iter().any(|statement| place(statement).is_some())
    }

    /// How many frames are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Drops the open frames without an error.
    pub(super) fn forget_open(&mut self) {
        self.open.clear();
    }

    fn innermost(&mut self) -> &mut Vec<Statement> {
        match self.open.last_mut() {
            Some(open) => &mut open.operand.body,
            None => &mut self.body,
        }
    }

    /// Opens a frame.
    pub(super) fn open(&mut self, operator: FragmentOperator, operand: FragmentOperand) {
        let fragment = Fragment { operator, operands: Vec::new(), span: operand.header };
        self.open.push(Open { fragment, operand });
    }

    /// Starts the next operand; whether a frame is open.
    pub(super) fn divide(&mut self, operand: FragmentOperand) -> bool {
        let Some(open) = self.open.last_mut() else { return false };
        let before = std::mem::replace(&mut open.operand, operand);
        open.fragment.operands.push(before);
        true
    }

    /// Closes the innermost frame; whether one was open.
    pub(super) fn close(&mut self, end: Span) -> bool {
        let Some(Open { mut fragment, operand }) = self.open.pop() else { return false };
        fragment.operands.push(operand);
        fragment.span = fragment.span.to(end);
        self.push(Statement::Fragment(fragment));
        true
    }

    /// Closes the frames that are still open, as PlantUML draws them. Returns where they open.
    pub(super) fn close_all(&mut self) -> Vec<Span> {
        let opened: Vec<Span> = self.open.iter().map(|it| it.fragment.span).collect();
        while let Some(Open { operand, .. }) = self.open.last() {
            let end = operand.body.iter().rev().find_map(place).unwrap_or(operand.header);
            self.close(end);
        }
        opened
    }

    /// The statements outside of all frames.
    pub(super) fn body(self) -> Vec<Statement> {
        self.body
    }
}

fn place(statement: &Statement) -> Option<Span> {
    match statement {
        Statement::Message(message) => Some(message.span),
        Statement::Fragment(fragment) => Some(fragment.span),
        _ => None,
    }
}
