//! From a bundle and multi-traces to verdicts. No compiling here: everything this crate needs is
//! in the bundle.
//!
//! * [`Monitor`]: a loaded bundle, shared by all workers;
//! * [`Checker`]: checks sessions, one per worker;
//! * [`replay`]: checks the witness of a verdict, without the code that found it.

mod automaton;

mod bit_set;
mod budget;
mod cause;
mod checker;
mod config;
mod constraints;
mod decide;
mod decider_name;
mod disjoint_sets;
mod gaps;
mod lazy_automaton;
mod lists;
mod local_walk;
mod look_ahead;
mod monitor;
mod question;
mod repair;
mod replay;
mod scratch;
mod search;
mod task;
mod tied_logs;

pub use budget::{Budget, States};
pub use cause::areas::{AreaRows, SessionAreas};
pub use checker::any_order::{FoundOrder, OrderRank};
pub use checker::{Checked, Checker, Effort, NoEngine};
pub use config::{
    ActionLimit, CheckConfig, Comparison, Criterion, EngineChoice, LoopLimit, Method, Procedure,
    Reductions, SearchChoice,
};
pub use decide::RemovalGraph;
pub use decider_name::DeciderName;
pub use gaps::Gaps;
pub use local_walk::LocalWalk;
pub use monitor::Monitor;
pub use replay::{ReplayError, replay};
