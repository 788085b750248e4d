//! What each crate of the copy gets, so that a process can be a mutant.

/// Code for the end of `lib.rs`.
pub const TEXT: &str = include_str!("choice/in_crate.rs");

/// Names the mutant that a process is, by its number.
pub const MUTANT: &str = "MULTITRACE_MUTANT";

/// Names a file, to which a process adds the numbers of the mutants whose code it reaches.
pub const REACHED: &str = "MULTITRACE_MUTANTS_REACHED";
