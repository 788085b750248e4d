//! The subject of a sequence diagram.

use crate::pictures::overlay::Overlay;
use multitrace_formats::diagram::model;
use multitrace_formats::source::Span;
use multitrace_interaction::{Id, Interaction, LifelineId, Locations, Signature};

/// The most rows that are drawn unless another number is asked for. More fit no screen and no page.
pub const MOST_ROWS: usize = 2_000;

/// A diagram as its author drew it, and where the nodes of its interaction stand.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The diagram.
    pub diagram: &'a model::Diagram,
    /// By node.
    pub spans: &'a [Span],
}

/// The subject of a sequence diagram, and how much of it is shown.
#[derive(Clone, Copy, Debug)]
pub struct Diagram<'a> {
    /// The interaction.
    pub interaction: &'a Interaction,
    /// Its lifelines and messages.
    pub signature: &'a Signature,
    /// Which lifelines one clock logs.
    pub locations: &'a Locations,
    /// The labels at the heads of the lifelines, in the order of the signature. Where there is no label, or an empty
    /// one, it is the name.
    pub labels: &'a [String],
    /// The title; none if it is empty.
    pub title: &'a str,
    /// The marks on its parts.
    pub overlay: &'a Overlay,
    /// The diagram that the interaction was read from, which is drawn in its place.
    pub document: Option<Document<'a>>,
    /// The most rows that are drawn. Rows that are left out are counted.
    pub rows: usize,
}

impl Diagram<'_> {
    pub(crate) fn label(&self, lifeline: LifelineId) -> String {
        let label = self.labels.get(lifeline.index()).filter(|label| !label.is_empty());
        label.map_or(self.signature.lifeline_name(lifeline), String::as_str).to_owned()
    }
}
