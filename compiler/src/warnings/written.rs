//! A specification as it was written, and the words for its parts.

use multitrace_formats::diagram::model::Diagram;
use multitrace_formats::hif::ParsedSpec;
use multitrace_formats::source::Span;
use multitrace_interaction::{Action, Id, LifelineId, Locations, NodeId};

/// An interaction with the places and names that warnings need.
#[derive(Clone, Copy, Debug)]
pub struct WrittenSpec<'a> {
    /// The interaction and the places of its parts.
    pub parsed: &'a ParsedSpec,
    /// Its text.
    pub text: &'a str,
    /// The lifelines that share a clock.
    pub locations: &'a Locations,
    /// The diagram that it was read from, if there is one.
    pub diagram: Option<&'a Diagram>,
    /// Whether a signature declares its names. Then none of them is a slip.
    pub is_declared: bool,
}

impl<'a> WrittenSpec<'a> {
    /// Where a node is written.
    pub(super) fn span(&self, node: NodeId) -> Span {
        self.parsed.spans[node.index()]
    }

    /// The name of the operator that a node starts with.
    pub(super) fn operator(&self, node: NodeId) -> Span {
        let Span { start, end } = self.span(node);
        let length = self.text[start..end].find(|c: char| !c.is_ascii_alphanumeric());
        Span::new(start, length.map_or(end, |length| start + length))
    }

    pub(super) fn lifeline(&self, lifeline: LifelineId) -> &'a str {
        self.parsed.signature.lifeline_name(lifeline)
    }

    pub(super) fn action(&self, action: Action) -> String {
        self.parsed.signature.action_text(action)
    }

    pub(super) fn message(&self, action: Action) -> &'a str {
        self.parsed.signature.message_name(action.message)
    }
}
