//! The tests of the whole: one binary, since linking each file would take most of a build.
//! `cargo test --test suite findings` runs those of `findings.rs`.

mod common;

// Bash is a matter of Unix here.
#[cfg(unix)]
mod action;
mod amending;
#[path = "../../logs/tests/events/answered.rs"]
mod answered;
mod answers;
mod architecture;
mod automatark;
mod balance;
mod baselines;
mod budget;
mod bundles;
mod cli;
mod comparing;
mod constraints;
mod coping;
mod corpus_cases;
mod corpus_hibou;
mod coverage;
mod cycles;
mod deployment;
mod diagrams;
mod diff;
mod docs;
mod engines_agree;
mod event_logs;
mod examples;
mod examples_events;
mod examples_faults;
mod explore;
mod faults;
mod field;
mod findings;
mod first_tries;
mod gate;
mod gate_cases;
mod generate;
mod global_prefix;
mod golden_bundles;
mod guarantees;
mod hostile;
mod init;
mod inputs;
mod learning;
mod library;
mod line_ends;
mod long_logs;
mod map;
mod mapping_errors;
mod merge;
mod merge_contradictions;
mod minimal_automata;
mod notations;
mod outcomes;
mod outputs;
mod page;
mod paper_004;
// Names of any bytes, and backslashes in them, are a matter of Linux.
#[cfg(target_os = "linux")]
mod paths;
mod pictures;
mod reductions;
mod repairs;
mod satisfiability;
mod sessions;
mod simulation;
mod stages;
mod text_logs;
mod verify;
mod vocabulary;
mod warnings;
mod witnesses;
