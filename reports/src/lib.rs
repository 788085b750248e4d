//! Verdicts in, reports out. Nothing here opens a file: the output formats write to the writer they are given.
//!
//! * [`codes`]: the stable code of each kind of finding;
//! * [`finding`]: one fault or reason of a session; [`groups`]: findings of many sessions by their
//!   kind, each with its places and a worked example, an [`explanation`];
//! * [`baseline`]: places that are known; [`gate`]: which sessions fail a run; [`outcome`]: how
//!   the run ended, with its exit code;
//! * [`exploration`]: the execution of an interaction, step by step;
//! * [`costs`]: the costs of sessions; [`pictures`]: pictures of specifications and sessions;
//! * [`local_files`]: the files between a location and the place where all are combined;
//! * [`partial`]: the results of a run over a part of the input, to be merged with other parts;
//! * [`summary`]: the counts of a run; [`run_report`]: all of it, as [`outputs`] writes it.

pub mod baseline;
pub mod codes;
pub mod combinations;
pub mod costs;
pub mod coverage;
pub mod demands;
pub mod explanation;
pub mod exploration;
mod failure;
pub mod fault;
pub mod finding;
mod fingerprint;
pub mod first_errors;
pub mod frontier_view;
pub mod gate;
pub mod groups;
mod hashed_lines;
mod imbalance;
mod json_text;
mod known_places;
pub mod local_files;
pub mod outcome;
pub mod outputs;
mod paint;
pub mod partial;
pub mod pictures;
pub mod position;
pub mod reason;
pub mod repair_view;
pub mod repository;
pub mod run_report;
pub mod session_names;
pub mod spec_places;
pub mod summary;
pub mod text;
pub mod timeline;
pub mod view;
