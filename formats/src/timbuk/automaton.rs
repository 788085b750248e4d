//! An automaton as it is written.

use multitrace_interaction::{StateId, Transition};

/// An automaton as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timbuk {
    /// The name of the automaton.
    pub name: String,
    /// The symbols of arity 1, in order of declaration; a letter's id is its index.
    pub letters: Vec<String>,
    /// The states in order of declaration; a state's id is its index.
    pub states: Vec<String>,
    /// The states that a path starts from, in the order of the text.
    pub initial: Vec<StateId>,
    /// The states where a path may end, in the order of the text.
    pub finals: Vec<StateId>,
    /// The transitions in the order of the text.
    pub transitions: Vec<Transition>,
}
