//! Helpers that tests of the whole and fuzzing share: every way to compile and to check (`ways`), their agreement
//! with the definitions (`agreement`), global prefixes against the plain search (`global_prefix`), runs split and merged
//! (`split`), logs judged where they are and combined (`locations`), and forged bundles (`forged`).

pub mod agreement;
mod disagreement;
pub mod forged;
pub mod global_prefix;
pub mod locations;
pub mod split;
pub mod ways;

pub use disagreement::Disagreement;
