//! The subject of a space-time diagram.

use crate::explanation::Explanation;
use crate::finding::Finding;
use crate::pictures::message_pairs::MessagePairs;
use crate::repair_view::RepairView;
use crate::timeline::Timeline;
use multitrace_formats::remedy::Words;
use multitrace_interaction::{Alphabet, Witness};

/// The subject of a space-time diagram, and how much of it is shown.
#[derive(Clone, Copy, Debug)]
pub struct SpaceTime<'a> {
    /// The logs, explained with [`View::WHOLE`](crate::view::View::WHOLE).
    pub explanation: &'a Explanation,
    /// The events in the order of their clocks, where they have one. Made with
    /// [`Window::Full`](crate::timeline::Window::Full), since the picture cuts by itself.
    pub timeline: &'a Timeline,
    /// The findings.
    pub findings: &'a [Finding],
    /// The findings that are certain of a session that fails.
    pub evidence: &'a [Finding],
    /// The edits that would make the session accepted.
    pub repair: Option<&'a RepairView>,
    /// The accepted global trace of a pass.
    pub witness: Option<(&'a Witness, &'a Alphabet)>,
    /// Which emissions belong to which receptions.
    pub pairs: &'a MessagePairs,
    /// How much of it is shown.
    pub cut: Cut,
    /// The title; none if it is empty.
    pub title: &'a str,
    /// The words of the front end.
    pub words: Words,
}

/// How much of a session is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The events before and after each one that is marked.
    pub context: usize,
    /// Sessions of at most this many events are shown whole.
    pub whole: usize,
    /// The most events that are shown.
    pub most: usize,
}

impl Cut {
    /// For one session among many: a hand's breadth.
    pub const EXCERPT: Cut = Cut { context: 2, whole: 16, most: 40 };

    /// For a session of its own: up to two screens it is shown whole. More than 2,000 events fit no
    /// screen and no page.
    pub const fn around(context: usize) -> Cut {
        Cut { context, whole: 60, most: 2_000 }
    }
}
