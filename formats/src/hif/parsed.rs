//! An interaction as it was read.

use super::allowed::Allowed;
use crate::open::{Unjudged, UnloggedEvents, UnloggedStep};
use crate::source::Span;
use multitrace_interaction::{Interaction, LifelineId, MessageId, Signature};

/// The most operators an interaction may have inside each other. A list of operands may be of any
/// length. The parser recurses for each level, and the limit keeps its stack small; an
/// estimate, not measured.
pub const MAX_NESTING: usize = 200;

/// An interaction as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedSpec {
    /// Its lifelines and messages: those declared, or those that appear, in order of appearance.
    pub signature: Signature,
    /// The interaction.
    pub interaction: Interaction,
    /// Where each node is written, by the index of its id. The nodes that an operator with many
    /// operands is folded into all have the place of the operator, those of a message passing the
    /// place of the passing.
    pub spans: Vec<Span>,
    /// Every name of a lifeline or message, in the order of the text.
    pub names: Vec<NameUse>,
    /// Which warnings its comments silence.
    pub allowed: Allowed,
    /// The part of sessions that it says not to judge, and where it says so.
    pub unjudged: Option<(Unjudged, Span)>,
    /// The steps that it says not to be logged, in the order of their nodes.
    pub unlogged: Vec<UnloggedStep>,
    /// The events that it says never to be logged.
    pub unlogged_events: Vec<UnloggedEvents>,
    /// Whether it was written out such that it has the multi-traces of the specification, and more global traces: events
    /// were made optional, which order others that no log tells apart.
    pub has_only_multi_traces: bool,
}

/// A name where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameUse {
    /// Where.
    pub span: Span,
    /// The element that it names.
    pub named: Named,
}

/// The element that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A lifeline that emits or receives.
    Lifeline(LifelineId),
    /// A message.
    Message(MessageId),
    /// A lifeline in the brackets of an operator that is about its events.
    Region {
        /// The lifeline.
        lifeline: LifelineId,
        /// Where the operator starts, in bytes.
        operator: usize,
        /// Whether it does something in the operands.
        acts: bool,
    },
}
