//! Messages and their answers.

use super::super::activation::Call;
use super::super::arrow::{self, Parsed};
use super::super::creole::{plain, text_looks};
use super::super::line::SourceLine;
use super::super::names::{Name, looks, strip_word};
use super::Parser;
use crate::diagram::model::{Arrow, End, Head, Life, Looks, MarkKind, Message, Statement};
use crate::source::{Diagnostic, Span};

impl Parser<'_> {
    /// `A -> B : text`.
    pub(super) fn message(&mut self, line: &SourceLine, text: &str) -> bool {
        let parsed = match arrow::parse(text) {
            None => return false,
            Some(Ok(parsed)) => parsed,
            Some(Err(problem)) => {
                let span = line.span_of(problem.at.trim());
                let diagnostic = Diagnostic::new(span, problem.message, problem.label);
                self.diagnostics.push(diagnostic.with_help(problem.help));
                return true;
            }
        };
        let Some(calls) = self.calls(&parsed, line) else { return true };
        if let Some(first) = calls.first() {
            self.creation(&parsed, *first, line);
            self.activations.message(*first);
            if parsed.activation.is_empty() {
                self.activations.automatic(*first);
            } else {
                self.activations.signs(parsed.activation);
            }
        }
        let lives = calls.first().map_or(Vec::new(), |first| self.lives(parsed.activation, *first));
        let span = line.span();
        let is_first = |(life, _): &&(Life, End)| *life == Life::Create;
        lives.iter().filter(is_first).for_each(|(life, end)| self.life_of(*life, *end, span));
        if parsed.is_hidden {
            self.styling_statements += 1;
            self.mark(MarkKind::Looks(text.to_owned()), span);
        } else {
            self.send(&parsed, &calls, line);
        }
        lives
            .iter()
            .filter(|it| !is_first(it))
            .for_each(|(life, end)| self.life_of(*life, *end, span));
        true
    }

    /// The changes of life by the signs behind a message, or without any, each with the end that changes.
    fn lives(&self, signs: &str, call: Call) -> Vec<(Life, End)> {
        let life = |sign| match sign {
            '+' => Some((Life::Activate, call.to)),
            '-' => Some((Life::Deactivate, call.from)),
            '*' => Some((Life::Create, call.to)),
            '!' => Some((Life::Destroy, call.to)),
            _ => None,
        };
        if !signs.is_empty() {
            return signs.chars().step_by(2).filter_map(life).collect();
        }
        self.activations.change_by(call).and_then(life).into_iter().collect()
    }

    /// The message once for each receiver.
    fn calls(&mut self, parsed: &Parsed<'_>, line: &SourceLine) -> Option<Vec<Call>> {
        let (from, to) = if parsed.is_reversed {
            let to = self.end(parsed.to, true, parsed, line)?;
            (self.end(parsed.from, false, parsed, line)?, to)
        } else {
            let from = self.end(parsed.from, true, parsed, line)?;
            (from, self.end(parsed.to, false, parsed, line)?)
        };
        let arrow = parsed.arrow;
        let mut calls = vec![Call { from, to, arrow }];
        for id in &parsed.also_to {
            let to = self.end(Some(Name { id, label: None }), false, parsed, line)?;
            calls.push(Call { from, to, arrow });
        }
        Some(calls)
    }

    fn end(
        &mut self,
        name: Option<Name<'_>>,
        is_left: bool,
        parsed: &Parsed<'_>,
        line: &SourceLine,
    ) -> Option<End> {
        match name {
            None => Some(End::Outside { is_left, is_near: parsed.is_near }),
            Some(name) => self.participant(name, line).map(End::Participant),
        }
    }

    /// After `create`, the next message must go to whom is created.
    fn creation(&mut self, parsed: &Parsed<'_>, call: Call, line: &SourceLine) {
        if parsed.activation.starts_with('*') {
            return;
        }
        let Some(created) = self.activations.created.take() else { return };
        let created = End::Participant(created);
        let is_edge = call.from.participant().is_none() || call.to.participant().is_none();
        let fits = if is_edge {
            call.from == created || call.to == created
        } else {
            call.to == created && call.from != created
        };
        if !fits {
            let message = "the message after `create` does not go to the created participant";
            let help = "write `create` just before the message that creates";
            self.error(line.span(), message, "this message", help);
        }
    }

    fn send(&mut self, parsed: &Parsed<'_>, calls: &[Call], line: &SourceLine) {
        let span = line.span();
        let text_span = match parsed.text {
            Some(text) if !text.is_empty() => line.span_of(text),
            _ => Span::new(span.end, span.end),
        };
        let marked = parsed.text.unwrap_or_default();
        let text = plain(marked);
        let text_looks = text_looks(marked, &text).text;
        let looks = Looks { text: text_looks, ..parsed.looks.clone() };
        for (index, Call { from, to, arrow }) in calls.iter().copied().enumerate() {
            // PlantUML draws a message with `&` like any other if nothing stands before it in its frame.
            let is_parallel = (parsed.is_parallel && self.frames.has_before()) || index > 0;
            let (text, looks) = (text.clone(), looks.clone());
            let message = Message { from, to, text, text_span, arrow, is_parallel, looks, span };
            self.frames.push(Statement::Message(message));
        }
    }

    /// `return text`: from whom the answered message went to, to whom it came from.
    pub(super) fn return_(&mut self, line: &SourceLine, text: &str) -> bool {
        let (is_parallel, text) = match text.strip_prefix('&') {
            Some(rest) => (self.frames.has_before(), rest.trim_start()),
            None => (false, text),
        };
        let Some(rest) = strip_word(text, "return") else { return false };
        let (color, text) = colour(rest);
        let span = line.span();
        let Some(call) = self.activations.answered() else {
            let help = "activate the receiver of a message before, with `activate` or `++`";
            self.error(span, "`return` without a message to answer", "nobody is active here", help);
            return true;
        };
        let head = match call.arrow.head {
            Head::Cross => Head::Filled,
            head => head,
        };
        let arrow = Arrow { is_dotted: true, signs: [None; 2], head, ..call.arrow };
        let answer = Call { from: call.to, to: call.from, arrow };
        let was_waiting = self.activations.is_waiting();
        self.activations.message(answer);
        if was_waiting {
            self.activations.deactivate();
        }
        let text_span =
            if text.is_empty() { Span::new(span.end, span.end) } else { line.span_of(text) };
        let Call { from, to, arrow } = answer;
        let (marked, text) = (text, plain(text));
        let looks = Looks { behind: color.to_owned(), ..text_looks(marked, &text) };
        let message = Message { from, to, text, text_span, arrow, is_parallel, looks, span };
        self.frames.push(Statement::Message(message));
        if was_waiting {
            self.life_of(Life::Deactivate, from, span);
        }
        true
    }
}

/// The colour of a `return`, and the text after it.
fn colour(text: &str) -> (&str, &str) {
    let text = text.trim();
    if text.starts_with('#') { looks(text) } else { ("", text) }
}
