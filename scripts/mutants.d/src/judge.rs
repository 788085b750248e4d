//! Runs the tests on a mutant until one fails.
//
// Only tests that reach the code of a mutant can notice it, so only they run: first those of its crate, then all others. Of
// each of these groups the next one is the likeliest to fail for the time it takes, going by the mutants before, above all those of
// the same file.

use crate::baseline::Test;
use crate::choice;
use crate::process::{self, Ended};
use crate::results::Outcome;
use crate::sample::Mutant;
use anyhow::Result;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// A mutant may take this much longer in a test than the code without it, and then this many times as long. Generous, since
/// other programs may run.
const MORE: Duration = Duration::from_secs(5);
const TIMES: u32 = 6;

/// How many mutants tests were run on, and how many they caught.
#[derive(Debug)]
pub struct Records {
    of_all: Vec<Record>,
    of_file: HashMap<(String, usize), Record>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Record {
    runs: u32,
    caught: u32,
}

impl Record {
    fn add(&mut self, caught: bool) {
        self.runs += 1;
        self.caught += u32::from(caught);
    }

    /// How often the test fails, if it was this often before a mutant was tried.
    fn chance(self, before: f64) -> f64 {
        (f64::from(self.caught) + before) / f64::from(self.runs + 1)
    }
}

impl Records {
    fn add(&mut self, file: &str, test: usize, caught: bool) {
        self.of_all[test].add(caught);
        self.of_file.entry((file.to_owned(), test)).or_default().add(caught);
    }

    fn chance(&self, file: &str, test: usize) -> f64 {
        let of_all = self.of_all[test].chance(FIRST_CHANCE);
        let of_file = self.of_file.get(&(file.to_owned(), test)).copied().unwrap_or_default();
        of_file.chance(of_all)
    }
}

/// How often a test fails that was not run yet: one in a few of all that reach a mutant does.
const FIRST_CHANCE: f64 = 0.3;

/// Judges mutants by tests.
#[derive(Debug)]
pub struct Judge<'a> {
    pub tree: &'a Path,
    pub tests: &'a [Test],
    pub records: Mutex<Records>,
    /// What the tests of other crates may take per mutant, by their times without one.
    pub allowance: Duration,
}

impl<'a> Judge<'a> {
    pub fn new(tree: &'a Path, tests: &'a [Test], allowance: Duration) -> Judge<'a> {
        let of_all = vec![Record::default(); tests.len()];
        let records = Mutex::new(Records { of_all, of_file: HashMap::new() });
        Judge { tree, tests, records, allowance }
    }

    /// Learns that a test of this name caught a mutant of a file before.
    pub fn learn(&self, file: &str, test: &str) {
        if let Some(test) = self.tests.iter().position(|it| it.name == test) {
            self.records.lock().expect("no panic").add(file, test, true);
        }
    }

    /// Judges the mutant of this number.
    pub fn judge(&self, number: usize, mutant: &Mutant) -> Result<Outcome> {
        let reaching: Vec<usize> =
            (0..self.tests.len()).filter(|it| self.tests[*it].reached.contains(&number)).collect();
        let reached_by = reaching.len();
        let is_own = |test: &usize| self.tests[*test].binary.package == mutant.package;
        let (own, others): (Vec<usize>, Vec<usize>) = reaching.into_iter().partition(is_own);
        let mut run = 0;
        for (mut tests, by_own, mut left) in
            [(own, true, Duration::MAX), (others, false, self.allowance)]
        {
            while let Some(test) = self.next(&mutant.file, &mut tests, left) {
                left -= self.tests[test].time;
                run += 1;
                let ended = self.run(number, &mutant.file, test)?;
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
    fn next(&self, file: &str, tests: &mut Vec<usize>, left: Duration) -> Option<usize> {
        tests.retain(|it| self.tests[*it].time <= left);
        let records = self.records.lock().expect("no panic");
        let worth = |test: usize| {
            // What a process costs that does nothing.
            records.chance(file, test) / (self.tests[test].time.as_secs_f64() + 0.005)
        };
        let best = (0..tests.len()).max_by(|a, b| worth(tests[*a]).total_cmp(&worth(tests[*b])))?;
        Some(tests.swap_remove(best))
    }

    fn run(&self, number: usize, file: &str, test: usize) -> Result<Ended> {
        let Test { binary, name, time, .. } = &self.tests[test];
        let variable = number.to_string();
        let ended = process::run(
            binary,
            name,
            self.tree,
            (choice::MUTANT, variable.as_ref()),
            MORE + *time * TIMES,
        )?;
        let caught = ended != Ended::Passed;
        self.records.lock().expect("no panic").add(file, test, caught);
        Ok(ended)
    }
}
