//! The rules that `[spans]` stands for.

use super::condition::{Condition, Test};
use super::order_fields::OrderRule;
use super::rule::{ActionTemplate, Direction, Named, RuleKind};
use super::template::Template;
use crate::field::FieldId;
use multitrace_interaction::ActionKind;

/// The kinds of spans that send, and those that receive.
pub(super) const SENDERS: [&str; 2] = ["client", "producer"];
pub(super) const RECEIVERS: [&str; 2] = ["server", "consumer"];

/// How kinds begin in the JSON of OTLP.
pub(super) const OTLP_KIND: &str = "SPAN_KIND_";

/// Whether `[spans]` has a rule for this kind.
pub(crate) fn is_kind_of_span(kind: &str) -> bool {
    let kind = kind.strip_prefix(OTLP_KIND).unwrap_or(kind);
    let known = SENDERS.iter().chain(&RECEIVERS).chain(&["internal"]);
    known.into_iter().any(|it| it.eq_ignore_ascii_case(kind))
}

/// How the names of the rules begin that `[spans]` stands for.
pub(super) const SPANS_NAME: &str = "[spans]";

/// The fields and templates of `[spans]`.
pub(super) struct SpanRules {
    pub(super) kind: FieldId,
    pub(super) start: OrderRule,
    pub(super) end: OrderRule,
    pub(super) session: Template,
    pub(super) location: Option<Template>,
    pub(super) lifeline: Template,
    pub(super) message: Template,
    /// The message at the end of a span, if ends are events.
    pub(super) returns: Option<Template>,
    /// The line of `[spans]`.
    pub(super) line: usize,
}

use ActionKind::{Emission, Reception};

impl SpanRules {
    pub(super) fn rules(&self) -> Vec<Named<RuleKind>> {
        let ([client, producer], [server, consumer]) = (SENDERS, RECEIVERS);
        vec![
            self.rule(client, self.actions(Emission, Some(Reception))),
            self.rule(server, self.actions(Reception, Some(Emission))),
            self.rule(producer, self.actions(Emission, None)),
            self.rule(consumer, self.actions(Reception, None)),
            self.rule("internal", RuleKind::Drop),
        ]
    }

    fn rule(&self, name: &str, then: RuleKind) -> Named<RuleKind> {
        let capitals = name.to_ascii_uppercase();
        let title = format!("{}{}", &capitals[..1], &name[1..]);
        let names = [name.to_owned(), format!("{OTLP_KIND}{capitals}"), capitals, title];
        let is_kind = Test::Any(names.map(Test::Equals).into());
        let when = Condition { any: vec![vec![(self.kind, is_kind)]] };
        Named { name: format!("{SPANS_NAME} {name}"), line: self.line, when, then }
    }

    /// The actions at the start of a span, and at its end.
    fn actions(&self, start: ActionKind, end: Option<ActionKind>) -> RuleKind {
        let back = self.returns.as_ref().zip(end);
        let back = back.map(|(returns, end)| self.action(end, returns, self.end));
        let first = self.action(start, &self.message, self.start);
        RuleKind::Actions(std::iter::once(first).chain(back).collect())
    }

    fn action(&self, kind: ActionKind, message: &Template, order: OrderRule) -> ActionTemplate {
        ActionTemplate {
            session: self.session.clone(),
            location: self.location.clone(),
            lifeline: self.lifeline.clone(),
            direction: Direction::Fixed(kind),
            message: message.clone(),
            order: Some(order),
        }
    }
}
