//! Passes, tables and whole compilations, compared with definitions that look at every state, word or multi-trace; and
//! the units that their limits count.

#![allow(unreachable_pub, reason = "a test is not a library")]

mod automata;
mod balance;
mod interactions;
mod passes;
mod tables;
mod work;
