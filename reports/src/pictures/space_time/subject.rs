//! What a space-time diagram is of.

use crate::explanation::Explanation;
use crate::finding::Finding;
use crate::pictures::message_pairs::MessagePairs;
use crate::repair_view::RepairView;
use crate::timeline::Timeline;
use multitrace_interaction::{Alphabet, Witness};

/// What a space-time diagram shows.
#[derive(Clone, Copy, Debug)]
pub struct SpaceTime<'a> {
    /// The logs, explained with [`View::WHOLE`](crate::view::View::WHOLE).
    pub explanation: &'a Explanation,
    /// The events in the order of their clocks, where they have one. Made with
    /// [`Window::Full`](crate::timeline::Window::Full), since the picture cuts by itself.
    pub timeline: &'a Timeline,
    /// What is wrong.
    pub findings: &'a [Finding],
    /// What would make the session accepted.
    pub repair: Option<&'a RepairView>,
    /// The accepted global trace of a pass.
    pub witness: Option<(&'a Witness, &'a Alphabet)>,
    /// Which emissions belong to which receptions.
    pub pairs: &'a MessagePairs,
    /// The events that are shown before and after each one that is marked. Short sessions are shown whole.
    pub context: usize,
    /// The title; none if it is empty.
    pub title: &'a str,
}
