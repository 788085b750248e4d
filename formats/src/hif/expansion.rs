//! Parts of a text that are written once and read several times: parts with names, values of names, and loops with
//! bounds. The parser reads them in `parts.rs`, `values.rs` and `repetitions.rs`.

// Idea: nothing is copied. The parser goes back to where a part, an operand or a body is written, and
// reads it again with other values of its names. So all places are those of the text as written.
//
// A part is read once where it is defined, for the errors in it and to find its end; the nodes of that reading are
// thrown away. So an error in a part is reported once, and a part that has one is not read again.
//
// Invariant: the nodes of each reading are new, since a tree shares no nodes.
//
// Cost: that of the expanded text, which has a limit.

use crate::source::Span;
use indexmap::IndexMap;
use multitrace_interaction::{LoopKind, NodeId};
use std::borrow::Cow;

/// Parts, and the values of names.
#[derive(Default)]
pub(super) struct Expansion<'a> {
    pub(super) parts: IndexMap<&'a str, PartDefinition<'a>>,
    /// The values of names and variables, the innermost last.
    pub(super) scope: Vec<(&'a str, Bound<'a>)>,
    /// Those before are of the place where the part is used, and mean nothing in it.
    pub(super) scope_start: usize,
    /// The parts that are being read.
    pub(super) open: Vec<&'a str>,
    /// Readings whose nodes are thrown away.
    pub(super) dry: usize,
    /// Uses of parts in parts, which may be defined later.
    pub(super) uses: Vec<Use<'a>>,
    /// How often something was read again.
    pub(super) readings: usize,
    /// Whether the limit was reported, so that missing names are not reported, too.
    pub(super) is_exhausted: bool,
}

/// `@name(a, b) = …`
pub(super) struct PartDefinition<'a> {
    pub(super) parameters: Vec<(&'a str, Span)>,
    pub(super) body_at: usize,
    pub(super) is_broken: bool,
}

/// The value of a name, and where it is written.
#[derive(Clone)]
pub(super) struct Bound<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) span: Span,
}

/// `@name(a, b)`
pub(super) struct Use<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
    pub(super) arguments: Vec<Bound<'a>>,
}

/// A loop with bounds.
pub(super) struct Repetition {
    pub(super) kind: LoopKind,
    pub(super) bounds: Bounds,
    /// Its body as it was read first; copies are read again.
    pub(super) first: Option<NodeId>,
    /// Where its operands begin.
    pub(super) body_at: usize,
    pub(super) span: Span,
}

/// How often a loop repeats.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) least: u32,
    /// `None` for any number.
    pub(super) most: Option<u32>,
}

impl Expansion<'_> {
    /// Whether the nodes that are read are thrown away.
    pub(super) fn is_dry(&self) -> bool {
        self.dry > 0
    }
}
