//! Random interactions, partitions and multi-traces: every configuration and procedure gives the
//! verdict that the definitions give, and every witness is a trace of the interaction as it was
//! written (`testing/engines/src/agreement.rs`).

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use multitrace_testing_engines::agreement::{Tally, any_case, compare};
use proptest::prelude::TestCaseError;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;

#[test]
fn verdicts_are_those_of_the_definitions() {
    let config = multitrace_testing::cases(300);
    let cases = config.cases;
    let total = RefCell::new(Tally::default());
    let result = TestRunner::new(config).run(&any_case(), |case| {
        compare(&case, &mut total.borrow_mut())
            .map_err(|error| TestCaseError::fail(error.to_string()))
    });
    let total = total.into_inner();
    println!("{cases} cases: {total:?}");
    result.unwrap_or_else(|error| panic!("{error}"));
    for verdict in ["pass", "weak_pass", "local"] {
        assert!(cases < 100 || total.verdicts.contains_key(verdict), "no {verdict}");
    }
}
