//! The frames that are open while a diagram is read, and the statements in them.

use crate::diagram::model::{Fragment, FragmentOperand, FragmentOperator, Statement};
use crate::source::{Diagnostic, Diagnostics, Span};

/// The frames that are open, and what stands outside of them.
#[derive(Debug, Default)]
pub(super) struct Frames {
    body: Vec<Statement>,
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    fragment: Fragment,
    operand: FragmentOperand,
    is_parallel: bool,
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
    pub(super) fn open(
        &mut self,
        operator: FragmentOperator,
        operand: FragmentOperand,
        is_parallel: bool,
    ) {
        let fragment = Fragment { operator, operands: Vec::new(), span: operand.header };
        self.open.push(Open { fragment, operand, is_parallel });
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
        let Some(Open { mut fragment, operand, is_parallel }) = self.open.pop() else {
            return false;
        };
        fragment.operands.push(operand);
        fragment.span = fragment.span.to(end);
        if is_parallel {
            fragment = beside(fragment, self.innermost());
        }
        self.push(Statement::Fragment(fragment));
        true
    }

    /// Reports the frames that are still open.
    pub(super) fn close_all(&mut self, diagnostics: &mut Diagnostics) {
        for Open { fragment, .. } in self.open.drain(..) {
            let message = "a frame that is not closed";
            let diagnostic = Diagnostic::new(fragment.span, message, "opened here");
            diagnostics.push(diagnostic.with_help("add `end`"));
        }
    }

    /// The statements outside of all frames.
    pub(super) fn body(self) -> Vec<Statement> {
        self.body
    }
}

/// A frame that starts with `&`: it is put beside the statement before it, in a frame `par`.
fn beside(fragment: Fragment, before: &mut Vec<Statement>) -> Fragment {
    let Some(start) = start_of_last(before) else { return fragment };
    let span = fragment.span;
    let mut par = match before.get(start) {
        Some(Statement::Fragment(_)) if is_parallel_frames(&before[start]) => {
            match before.remove(start) {
                Statement::Fragment(par) => par,
                other => of_one(vec![other], span),
            }
        }
        _ => of_one(before.drain(start..).collect(), span),
    };
    let body = vec![Statement::Fragment(fragment)];
    par.operands.push(FragmentOperand { text: String::new(), header: span, body });
    par.span = par.span.to(span);
    par
}

/// A frame `par` with these statements in its first operand.
fn of_one(body: Vec<Statement>, fallback: Span) -> Fragment {
    let span = body.first().and_then(place).unwrap_or(fallback);
    let operand = FragmentOperand { text: String::new(), header: span, body };
    Fragment { operator: FragmentOperator::Par, operands: vec![operand], span }
}

fn place(statement: &Statement) -> Option<Span> {
    match statement {
        Statement::Message(message) => Some(message.span),
        Statement::Fragment(fragment) => Some(fragment.span),
        _ => None,
    }
}

/// Whether this frame was made by [`beside`]: both of its operands start where their statement does.
fn is_parallel_frames(statement: &Statement) -> bool {
    let Statement::Fragment(fragment) = statement else { return false };
    let first = fragment.operands.first();
    let header = first.map(|operand| operand.header);
    let inner = first.and_then(|operand| operand.body.first()).and_then(place);
    fragment.operator == FragmentOperator::Par && header.is_some() && header == inner
}

/// The message or frame that a parallel frame is parallel to. Parallel messages belong together.
fn start_of_last(before: &[Statement]) -> Option<usize> {
    let last = before.iter().rposition(|statement| place(statement).is_some())?;
    let is_head = |statement: &Statement| match statement {
        Statement::Message(message) => !message.is_parallel,
        Statement::Fragment(_) => true,
        _ => false,
    };
    before[..=last].iter().rposition(is_head)
}
