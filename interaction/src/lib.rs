//! The vocabulary of multitrace and the semantics of interactions. No I/O here: nothing in this
//! crate reads, writes or prints.
//!
//! * [`Interaction`], [`Signature`], [`Locations`]: a specification as it is written;
//! * [`TermStore`]: the same as hash-consed normalised terms, with the small-step semantics of
//!   paper 000 sec. 3 on them;
//! * [`Alphabet`], [`Nfa`]: the automaton that a specification is compiled to;
//! * [`Session`], [`Verdict`]: the unit that is checked, and the answer;
//! * [`names`]: names of any characters inside texts;
//! * [`coverage`]: the parts of a specification that accepted traces take;
//! * [`generate`]: data to test with.

mod action;
mod alphabet;
mod balance;
mod blocks;
pub mod coverage;
mod derive;
mod effort;
mod explore;
mod fault;
mod first_places;
pub mod generate;
mod id;
mod idset;
mod independent_logs;
mod linearize;
mod location;
pub mod names;
mod nfa;
mod normalize;
mod passings;
mod persistent;
mod repair;
mod rule;
mod signature;
mod term;
mod trace;
mod tree;
mod verdict;

pub use action::{Action, ActionKind, Step};
pub use alphabet::Alphabet;
pub use balance::{Balance, Imbalance, Law};
pub use effort::{Stop, WorkLimit};
pub use explore::TermAutomaton;
pub use fault::{Fault, FaultKind};
pub use first_places::FirstPlaces;
pub use id::{
    Id, LetterId, LifelineId, LocationId, MessageId, NodeId, RegionId, StateId, StepId, TermId,
    TransitionId,
};
pub use idset::{IdSet, LifelineSet, LocationSet};
pub use independent_logs::has_independent_logs;
pub use linearize::Linearized;
pub use location::{LocationError, Locations};
pub use nfa::{Nfa, StateOutOfRange, Transition};
pub use passings::{Passing, Passings};
pub use persistent::PersistentLocations;
pub use repair::{Edit, EditKind, EditMismatch, Repair};
pub use rule::Rule;
pub use signature::Signature;
pub use term::{Derivative, Interned, LoopFacts, LoopTerm, Term, TermStore};
pub use trace::{ForeignTrace, LocalTrace, MultiTrace, Session, TiedEvents, UnknownEvent};
pub use tree::{Interaction, LoopKind, Node, TreeError};
pub use verdict::{
    BudgetLimit, Cause, CycleEvent, Engine, Failure, Frontier, FrontierEntry, InconclusiveReason,
    LocalFailure, Observation, Reached, Verdict, Witness, WitnessStep,
};
