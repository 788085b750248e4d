//! Oracles, strategies and fixtures that the tests of several crates share. Used from `tests/` folders only.

pub mod corpus;
pub mod denotations;

use proptest::prelude::ProptestConfig;

/// As many cases as asked for, or as `PROPTEST_CASES` says: more of them for a long run.
pub fn cases(default: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(asked.unwrap_or(default))
    }
}
