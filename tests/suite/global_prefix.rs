//! Global prefixes: the engines with each reduction on and off give the verdict of the plain search
//! (`testing/engines/src/global_prefix.rs`).

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use multitrace_testing_engines::agreement::any_case;
use multitrace_testing_engines::global_prefix::{Tally, compare};
use proptest::prelude::TestCaseError;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;

#[test]
fn global_prefixes_are_those_of_the_plain_search() {
    let config = multitrace_testing::cases(1_000);
    let cases = config.cases;
    let tally = RefCell::new(Tally::new());
    let result = TestRunner::new(config).run(&any_case(), |case| {
        compare(&case, &mut tally.borrow_mut())
            .map_err(|error| TestCaseError::fail(error.to_string()))
    });
    let tally = tally.into_inner();
    println!("{cases} cases: {tally:?}");
    result.unwrap_or_else(|error| panic!("{error}"));
    for verdict in ["pass", "weak_pass", "fail", "inconclusive"] {
        assert!(cases < 100 || tally.contains_key(verdict), "no {verdict}");
    }
}
