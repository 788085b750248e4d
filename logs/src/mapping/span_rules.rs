//! The rules that `[spans]` stands for.

use super::condition::{Condition, Test};
use super::order_fields::OrderRule;
use super::rule::{ActionTemplate, Direction, Named, RuleKind};
use super::template::Template;
use crate::field::FieldId;
use multitrace_interaction::ActionKind;

/// The kinds of spans.
pub(super) const KINDS: [&str; 5] = ["client", "server", "producer", "consumer", "internal"];

/// How kinds begin in the JSON of OTLP.
const OTLP_KIND: &str = "SPAN_KIND_";

/// Whether `[spans]` has a rule for this kind, if the mapping does not say which values mean which kind.
pub(crate) fn is_kind_of_span(kind: &str) -> bool {
    let kind = kind.strip_prefix(OTLP_KIND).unwrap_or(kind);
    KINDS.iter().any(|it| it.eq_ignore_ascii_case(kind))
}

/// The tests of the values that mean each of [`KINDS`].
#[derive(Clone, Debug)]
pub(super) struct SpanKinds(pub(super) [Test; 5]);

impl SpanKinds {
    /// The words of tracers for a kind.
    pub(super) fn words(kind: &str) -> Test {
        let capitals = kind.to_ascii_uppercase();
        let title = format!("{}{}", &capitals[..1], &kind[1..]);
        let words = [kind.to_owned(), format!("{OTLP_KIND}{capitals}"), capitals, title];
        Test::Any(words.map(Test::Equals).into())
    }
}

/// How the names of the rules begin that `[spans]` stands for.
pub(super) const SPANS_NAME: &str = "[spans]";

/// The fields and templates of `[spans]`.
pub(super) struct SpanRules {
    pub(super) kind: FieldId,
    pub(super) kinds: SpanKinds,
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
        let actions = [
            self.actions(Emission, Some(Reception)),
            self.actions(Reception, Some(Emission)),
            self.actions(Emission, None),
            self.actions(Reception, None),
            RuleKind::Drop,
        ];
        let rules = KINDS.iter().zip(&self.kinds.0).zip(actions);
        let rule = |((name, test), then): ((&&str, &Test), RuleKind)| {
            let when = Condition { any: vec![vec![(self.kind, test.clone())]] };
            Named { name: format!("{SPANS_NAME} {name}"), line: self.line, when, then }
        };
        rules.map(rule).collect()
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
