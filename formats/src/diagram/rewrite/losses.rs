//! Constructs of a diagram that a notation cannot write.

use crate::diagram::Notation;
use std::collections::BTreeMap;

/// A kind of loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loss {
    Divider,
    Reference,
    GroupTitle,
    Parallel,
    Edge,
    Sign,
    Head,
    OptElse,
    GroupElse,
    Kind,
    Label,
    Box,
    Color,
    Shape,
    Marks,
    Life,
    Numbering,
    Wrapping,
    Name,
    Legend,
    Caption,
    PageText,
    Accessible,
    Menu,
    Looks,
}

impl Loss {
    /// The loss of a statement about the looks, by its first word.
    pub(super) fn of_looks(text: &str) -> Loss {
        let is_word_end = |c: char| !c.is_ascii_alphabetic();
        let mut words =
            text.split(is_word_end).filter(|it| !["left", "right", "center"].contains(it));
        match words.next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "legend" => Loss::Legend,
            "caption" => Loss::Caption,
            "header" | "footer" => Loss::PageText,
            "acctitle" | "accdescr" => Loss::Accessible,
            "link" | "links" | "properties" | "details" => Loss::Menu,
            _ => Loss::Looks,
        }
    }
}

/// How often each kind was lost.
#[derive(Debug, Default)]
pub(super) struct Losses(BTreeMap<Loss, usize>);

impl Losses {
    pub(super) fn add(&mut self, loss: Loss) {
        *self.0.entry(loss).or_default() += 1;
    }

    /// One sentence for each kind.
    pub(super) fn words(&self, notation: Notation) -> Vec<String> {
        let name = notation.name();
        let words = |(loss, count): (&Loss, &usize)| {
            let what = match loss {
                Loss::Divider => "has no dividers and delays; they are notes",
                Loss::Reference => "has no references; they are notes",
                Loss::GroupTitle => "draws no titles of groups; they are notes",
                Loss::Parallel => {
                    "has no messages and notes beside each other; they are below each other"
                }
                Loss::Edge => "has no arrows from or to the edge; they are arrows to oneself",
                Loss::Sign => "lacks these circles and crosses of arrows; they are left out",
                Loss::Head => "lacks these heads of arrows; they are the usual ones",
                Loss::OptElse => "has no `else` in `opt`; it is an `alt`",
                Loss::GroupElse => "has no `else` in groups; they are an `alt`",
                Loss::Kind => "lacks these kinds of participants; they are plain ones",
                Loss::Label => "has no label beside such a name; the name is drawn",
                Loss::Box => "cannot draw these boxes; they are left out",
                Loss::Color => "lacks these colours, styles and links; they are left out",
                Loss::Shape => "has one shape of notes",
                Loss::Marks => "has no bold, italic and coloured texts; they are plain",
                Loss::Life => {
                    "cannot start or end these activations and participants there; it is left out"
                }
                Loss::Numbering => "cannot number messages like this; it is left out or simpler",
                Loss::Wrapping => "has no `wrap:` and `nowrap:` before a text; they are left out",
                Loss::Name => "has no names of diagrams beside titles; they are left out",
                Loss::Legend => "has no legends; they are left out",
                Loss::Caption => "has no captions; they are left out",
                Loss::PageText => "has no headers and footers; they are left out",
                Loss::Accessible => "has no texts for screen readers; they are left out",
                Loss::Menu => "has no menus of participants; they are left out",
                Loss::Looks => "has other statements about the looks; they are left out",
            };
            format!("{name} {what} ({count} in all)")
        };
        self.0.iter().map(words).collect()
    }
}
