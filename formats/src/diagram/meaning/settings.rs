//! Settings for the whole diagram: directives that do not wait for a statement, and names of participants.

use super::super::directives::{self, Fate, Meaning};
use super::super::message_names::one_line;
use super::super::model::{Directive, Participant, Statement};
use super::{Builder, NamedText};
use crate::source::{Diagnostic, Span, quote};
use crate::suggest::did_you_mean;
use crate::warning::WarningCode;
use multitrace_interaction::{Action, Node};
use std::collections::{HashMap, HashSet};

impl<'d> Builder<'d> {
    /// Reads the directives that hold for the whole diagram, wherever they stand.
    pub(super) fn read_settings(&mut self, body: &'d [Statement]) {
        for (statement, next) in body.iter().zip(next_statements(body)) {
            match statement {
                Statement::Directive(directive) => self.read_setting(directive, next),
                Statement::Fragment(fragment) => {
                    fragment.operands.iter().for_each(|it| self.read_settings(&it.body));
                }
                _ => {}
            }
        }
    }

    fn read_setting(&mut self, directive: &Directive, next: Option<&Statement>) {
        let span = directive.span;
        let meaning = directives::meaning(directive, &mut self.errors);
        if let Some(meaning) = &meaning {
            self.check_lifelines(meaning.participants(), span);
        }
        match meaning {
            Some(meaning @ Meaning::Loop { is_for_all: true, .. }) => {
                let is_said = std::mem::replace(&mut self.settings.says_loops, true);
                self.reject_second(is_said, span);
                self.set(meaning);
            }
            Some(Meaning::Message { text, name }) => {
                let named = NamedText { name, span, is_used: false };
                let before = self.settings.message_names.insert(one_line(&text), named);
                self.reject_second(before.is_some(), span);
            }
            Some(Meaning::Locations(groups)) => {
                let before = self.settings.locations.replace(groups);
                self.reject_second(before.is_some(), span);
            }
            Some(Meaning::NeverLogged(events)) => {
                self.settings.unlogged.extend(events.into_iter().map(|it| (it, span)));
            }
            Some(Meaning::Only(unjudged)) => self.settings.unjudged = Some((unjudged, span)),
            Some(Meaning::Allow(codes)) => self.allow(codes, span, next),
            Some(meaning) => self.set(meaning),
            None => {}
        }
    }

    /// Applies a directive for the whole diagram that is about no names; others change nothing.
    pub(super) fn set(&mut self, meaning: Meaning) {
        match meaning {
            Meaning::Loop { repetition, is_for_all: true } => self.settings.loops = repetition,
            Meaning::Own { is_local } => self.settings.own_is_local = Some(is_local),
            Meaning::Boxes { are_locations } => self.settings.boxes_are_locations = are_locations,
            Meaning::Strict { is_for_all: true } => self.settings.is_strict = true,
            Meaning::Messages(names) => self.settings.names = names,
            Meaning::Allow(codes) => self.allowed.allow_everywhere(codes),
            Meaning::MayBe { fate: Fate::Lost, is_for_all: true } => self.settings.may_lose = true,
            Meaning::MayBe { fate: Fate::Repeated, is_for_all: true } => {
                self.settings.may_repeat = true;
            }
            _ => {}
        }
    }

    /// Rejects a directive that repeats another one.
    fn reject_second(&mut self, is_second: bool, span: Span) {
        if is_second {
            self.error(span, "another directive says this already", "keep one of them");
        }
    }

    /// Before the first statement, warnings are allowed in the whole diagram.
    fn allow(&mut self, codes: Vec<WarningCode>, span: Span, next: Option<&Statement>) {
        let is_first = self.first.is_none_or(|first| span < first);
        match next {
            Some(next) if !is_first => {
                self.allowed.allow_on_line(self.text, next.span().start, codes);
            }
            _ => self.allowed.allow_everywhere(codes),
        }
    }

    /// Reports names that no participant has, and names that stand twice.
    fn check_lifelines<'n>(&mut self, names: impl IntoIterator<Item = &'n String>, span: Span) {
        let mut seen = HashSet::new();
        for name in names {
            if !seen.insert(name) {
                let message = format!("{} stands twice", quote(name));
                let error = Diagnostic::new(span, message, "here");
                self.errors.push(error.with_help("name each participant once"));
            }
            if self.signature.lifeline(name).is_none() {
                let known = self.diagram.participants.iter().map(|it| it.id.as_str());
                self.errors.push_with(|| unknown_participant(name, known, span));
            }
        }
    }

    pub(super) fn reject_unused_names(&mut self) {
        let names = self.settings.message_names.iter();
        let mut unused: Vec<(Span, String)> =
            names.filter(|it| !it.1.is_used).map(|(text, it)| (it.span, text.clone())).collect();
        unused.sort();
        for (span, text) in unused {
            let message = format!("no arrow has the text {}", quote(&text));
            let error = Diagnostic::new(span, message, "this text");
            self.errors.push(error.with_help("write the text as it stands on the arrow"));
        }
    }

    /// Events that are said never to be logged, and that the diagram does not have.
    pub(super) fn reject_unknown_events(&mut self) {
        // After an error, events may be missing.
        if !self.errors.is_empty() {
            return;
        }
        for (events, span) in &self.settings.unlogged {
            let mut steps = self.nodes.iter().filter_map(|node| match node {
                Node::Step(step) => Some(step.actions()),
                _ => None,
            });
            let has_it = |step: &[Action]| step.iter().any(|it| events.is_of(*it, &self.signature));
            if self.signature.lifeline(&events.lifeline).is_some() && !steps.any(has_it) {
                let message = format!("no event of the diagram is {events}");
                let help = "write it as the diagram has it, or leave it out";
                self.errors.push(Diagnostic::new(*span, message, "never logged").with_help(help));
            }
        }
    }

    /// Participants that are called as another one is labelled: most likely one was meant.
    pub(super) fn remark_labels(&mut self) {
        let participants = &self.diagram.participants;
        let mut by_label: HashMap<String, &Participant> = HashMap::new();
        for participant in participants {
            let label = one_line(&participant.label);
            if label != participant.id {
                by_label.entry(label).or_insert(participant);
            }
        }
        for participant in participants {
            let Some(other) = by_label.get(&participant.id) else { continue };
            let (name, id) = (quote(&participant.id), quote(&other.id));
            let message = format!("{name} is the label of {id}; is it {id}?");
            self.remark(WarningCode::SimilarName, participant.span, message);
        }
    }
}

/// Per statement, the next one that means something.
fn next_statements(body: &[Statement]) -> Vec<Option<&Statement>> {
    let mut next = None;
    let mut all: Vec<Option<&Statement>> = Vec::with_capacity(body.len());
    for statement in body.iter().rev() {
        all.push(next);
        if statement.is_meant() {
            next = Some(statement);
        }
    }
    all.reverse();
    all
}

fn unknown_participant<'n>(
    name: &str,
    known: impl Iterator<Item = &'n str>,
    span: Span,
) -> Diagnostic {
    let message = format!("no participant is called {}", quote(name));
    let help = did_you_mean(name, known);
    let help = help.unwrap_or_else(|| "write the name that messages use".to_owned());
    Diagnostic::new(span, message, "unknown name").with_help(help)
}
