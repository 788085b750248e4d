//! Every way to check, compared with definitions that look at every node, on small random specifications whose bundles are
//! made without the compiler.

#![allow(unreachable_pub, reason = "a test is not a library")]

mod answers;
mod causes;
mod constraints;
mod gaps;
mod memory;
mod repairs;
mod replays;
mod searches;
mod sessions;
mod specification;
mod stages;
mod terms;
mod ties;
mod verdicts;
