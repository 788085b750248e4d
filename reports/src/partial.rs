//! Partial reports: the results of a run over a part of the input, to be merged with those of the other
//! parts into the report of the whole.
//!
//! Merging is associative and commutative, and equal content has equal bytes, so that parts can be
//! merged in any order. A part has all that the report needs, the bundle too: the machine that merges
//! has neither the specification nor the logs.

// Idea: everything in a part is a sum, a maximum, an intersection or a list of the first entries by a total order.
// Parts of a report that cannot be merged like that are made at the end: violations, which depend on the baseline, out
// of the numbers of sessions with each set of findings; the pictures of the whole.
//
// Parts come from other machines, so that reading one trusts nothing (`read.rs`, `checks.rs`). Linear equations of a
// run hold of sums, too, so that merged parts are checked against themselves as those of one run are (`sums.rs`).

mod checks;
mod counts;
mod coverage_totals;
mod error;
mod input_stamps;
mod part;
mod read;
mod settings;
mod shards;
mod sums;
#[cfg(test)]
mod tests;
mod wire;
mod write;

pub use crate::hashed_lines::LineError as PartError;
pub use coverage_totals::CoverageTotals;
pub use error::MergeError;
pub use input_stamps::{InputStamp, InputStamps};
pub use part::{PartialReport, most};
pub use settings::Settings;
pub use shards::{ShardInfo, Shards};
