//! Warnings of statements that stand next to each other in a diagram.

use super::super::message_names::one_line;
use super::super::model::{
    Fragment, FragmentOperator, Head, Message, ParticipantId, Statement, messages,
};
use super::messages::ends;
use super::{Builder, shown};
use crate::source::quote;
use crate::warning::WarningCode;

/// Words of conditions under which something fails.
const FAILURES: [&str; 22] = [
    "abort",
    "cancel",
    "conflict",
    "declin",
    "denied",
    "does not",
    "doesn't",
    "error",
    "exceed",
    "exist already",
    "expired",
    "fail",
    "forbidden",
    "insufficient",
    "invalid",
    "missing",
    "mismatch",
    "no ",
    "not ",
    "reject",
    "timeout",
    "unauthorized",
];

/// How many arrows of others may stand between a lost message and the answer to it, so that the cost is
/// linear.
const MOST_BETWEEN: usize = 100;

impl Builder<'_> {
    /// Warns of the whole diagram.
    pub(super) fn lint(&mut self) {
        for &span in &self.diagram.unclosed {
            let message = "this frame is closed by the end of the diagram";
            self.remark(WarningCode::UnclosedFrame, span, message.to_owned());
        }
        let body = &self.diagram.body;
        let first = messages(body).next();
        let initiator = first.and_then(|message| ends(message).0.participant());
        self.lint_body(body, initiator);
    }

    fn lint_body(&mut self, body: &[Statement], initiator: Option<ParticipantId>) {
        // From the end, so that the next message behind a statement is known.
        let mut next: Option<&Message> = None;
        for (at, statement) in body.iter().enumerate().rev() {
            match statement {
                Statement::Message(message) => self.lint_lost(message, body.split_at(at)),
                Statement::Fragment(fragment) => {
                    if let Some(next) = next {
                        self.lint_exit(fragment, next, initiator);
                    }
                    for operand in &fragment.operands {
                        self.lint_body(&operand.body, initiator);
                    }
                }
                Statement::Note(_)
                | Statement::Reference(_)
                | Statement::Directive(_)
                | Statement::Mark(_) => {}
            }
            next = messages(std::slice::from_ref(statement)).next().or(next);
        }
    }

    /// A lost message whose sender is answered next. If it is an answer itself, its sender needs none, and the next
    /// message is another try; unless that is drawn as an answer, too.
    fn lint_lost(&mut self, lost: &Message, (before, rest): (&[Statement], &[Statement])) {
        let (from, to) = ends(lost);
        if lost.arrow.head != Head::Cross || lost.participants().count() < 2 {
            return;
        }
        let next = messages(&rest[1..])
            .take(MOST_BETWEEN)
            .find(|it| [ends(it).0, ends(it).1].contains(&from));
        let Some(answer) = next.filter(|it| ends(it) == (to, from)) else { return };
        let last = before.iter().rev().find_map(|it| messages(std::slice::from_ref(it)).last());
        let is_answer = lost.arrow.is_dotted || last.is_some_and(|it| ends(it) == (to, from));
        if is_answer && !answer.arrow.is_dotted {
            return;
        }
        let (to, from) = (self.name_of(to), self.name_of(from));
        let message = format!(
            "{to} never receives {}, and {from} is answered {} next",
            shown(&lost.text),
            shown(&answer.text)
        );
        self.remark(WarningCode::LostAnswer, lost.span, message);
    }

    /// A failing alternative that ends with an answer to whoever began, with more behind the frame.
    fn lint_exit(&mut self, fragment: &Fragment, next: &Message, initiator: Option<ParticipantId>) {
        if !matches!(fragment.operator, FragmentOperator::Alt | FragmentOperator::Opt) {
            return;
        }
        for operand in &fragment.operands {
            let text = one_line(&operand.text).to_lowercase();
            let answers = messages(&operand.body)
                .last()
                .is_some_and(|it| ends(it).1.participant() == initiator);
            if answers && FAILURES.iter().any(|word| text.contains(word)) {
                let message = format!(
                    "after {} the diagram goes on with {}",
                    quote(&one_line(&operand.text)),
                    shown(&next.text)
                );
                self.remark(WarningCode::EarlyExit, operand.header, message);
            }
        }
    }
}
