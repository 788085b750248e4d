//! Runs the tests on a mutant until one fails.
//
// Only tests that reach the code of a mutant can notice it, so only they run: first those of its crate, then all others. Of
// each of these groups the next one is the likeliest to fail for the time it takes, going by the mutants before.

use crate::baseline::Test;
use crate::choice;
use crate::process::{self, Ended};
use crate::results::Outcome;
use anyhow::Result;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// A mutant may take this much longer in a test than the code without it, and then this many times as long. Generous, since
/// other programs may run.
const MORE: Duration = Duration::from_secs(5);
const TIMES: u32 = 6;

/// Judges mutants by tests.
#[derive(Debug)]
pub struct Judge<'a> {
    pub tree: &'a Path,
    pub tests: &'a [Test],
    /// Per test, how many mutants it was run on, and how many it caught.
    pub records: Mutex<Vec<(u32, u32)>>,
    /// What the tests of other crates may take per mutant, by their times without one.
    pub allowance: Duration,
}

impl<'a> Judge<'a> {
    pub fn new(tree: &'a Path, tests: &'a [Test], allowance: Duration) -> Judge<'a> {
        Judge { tree, tests, records: Mutex::new(vec![(0, 0); tests.len()]), allowance }
    }

    /// Judges the mutant of this number in a crate.
    pub fn judge(&self, number: usize, package: &str) -> Result<Outcome> {
        let reaching: Vec<usize> =
            (0..self.tests.len()).filter(|it| self.tests[*it].reached.contains(&number)).collect();
        let reached_by = reaching.len();
        let is_own = |test: &usize| self.tests[*test].binary.package == package;
        let (own, others): (Vec<usize>, Vec<usize>) = reaching.into_iter().partition(is_own);
        let mut run = 0;
        for (mut tests, by_own, mut left) in
            [(own, true, Duration::MAX), (others, false, self.allowance)]
        {
            while let Some(test) = self.next(&mut tests, left) {
                left -= self.tests[test].time;
                run += 1;
                let ended = self.run(number, test)?;
                let test = self.tests[test].name.clone();
                match ended {
                    Ended::Passed => {}
                    Ended::Failed => return Ok(Outcome::Caught { by_own, test }),
                    Ended::TimedOut => return Ok(Outcome::TimedOut { by_own, test }),
                }
            }
        }
        Ok(Outcome::Survived { run, reached_by })
    }

    /// Takes the best of some tests that fit into the time left.
    fn next(&self, tests: &mut Vec<usize>, left: Duration) -> Option<usize> {
        tests.retain(|it| self.tests[*it].time <= left);
        let records = self.records.lock().expect("no panic");
        let worth = |test: usize| {
            let (runs, caught) = records[test];
            let chance = f64::from(caught + 1) / f64::from(runs + 2);
            // What a process costs that does nothing.
            chance / (self.tests[test].time.as_secs_f64() + 0.005)
        };
        let best = (0..tests.len()).max_by(|a, b| worth(tests[*a]).total_cmp(&worth(tests[*b])))?;
        Some(tests.swap_remove(best))
    }

    fn run(&self, number: usize, test: usize) -> Result<Ended> {
        let Test { binary, name, time, .. } = &self.tests[test];
        let variable = number.to_string();
        let ended = process::run(
            binary,
            name,
            self.tree,
            (choice::MUTANT, variable.as_ref()),
            MORE + *time * TIMES,
        )?;
        let record = &mut self.records.lock().expect("no panic")[test];
        record.0 += 1;
        record.1 += u32::from(ended != Ended::Passed);
        Ok(ended)
    }
}
