//! Ways to take a language apart. Each is a function of the language; which of them is the best, the miner says.

pub(crate) mod alt;
pub(crate) mod anchor;
pub(crate) mod choice;
pub(crate) mod columns;
pub(crate) mod ends;
pub(crate) mod leaves;
pub(crate) mod loops;
pub(crate) mod par;
pub(crate) mod seq;
pub(crate) mod threads;
