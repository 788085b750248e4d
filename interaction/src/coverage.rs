//! Which parts of a specification an accepted trace takes (DESIGN, coverage): steps, operands of
//! alternatives, and how often loops repeat.
//!
//! [`Outline`] lists the items that can be taken at all. [`TermFollower`] and [`NfaFollower`] follow a trace
//! through an interaction or an automaton, and return the items that its first derivation takes, and those that another
//! one could have taken, of this order of its events or of another one that its logs allow.
//!
//! The followers read interactions without the terms of [`TermStore`](crate::TermStore) and their derivatives, so that
//! they check verdicts that were decided on these.

mod cuts;
mod followed;
mod nfa_follower;
mod outline;
mod rest;
mod term_follower;

pub use followed::Followed;
pub use nfa_follower::NfaFollower;
pub use outline::{Item, ItemKind, Outline, Repetition};
pub use term_follower::{NotFollowed, TermFollower};
