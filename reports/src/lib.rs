//! Verdicts in, reports out. Nothing here opens a file: the output formats write to what they are
//! given.
//!
//! * [`codes`]: the stable code of each kind of finding;
//! * [`groups`]: findings of many sessions by their fingerprint, each with a worked example, an
//!   [`explanation`];
//! * [`baseline`]: fingerprints that are known; [`gate`]: which sessions fail a run;
//! * [`summary`]: the counts of a run; [`run_report`]: all of it, as [`outputs`] writes it.

pub mod baseline;
pub mod codes;
pub mod explanation;
pub mod finding;
pub mod gate;
pub mod groups;
pub mod outputs;
pub mod run_report;
pub mod summary;
pub mod text;
