//! An interaction as it was read.

use crate::source::Span;
use multitrace_interaction::{Interaction, Signature};

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
}
