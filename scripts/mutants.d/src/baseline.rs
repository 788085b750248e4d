//! The tests without a mutant: that they pass, how long they take, and which mutants they reach.

use crate::build::{self, Binary};
use crate::process::{self, Ended};
use crate::{choice, parallel};
use anyhow::{Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A test that takes longer judges no mutant: one such test takes as long as hundreds of others.
const SLOWEST: Duration = Duration::from_secs(60);

/// A test that passes.
#[derive(Clone, Debug)]
pub struct Test {
    pub binary: Binary,
    pub name: String,
    pub time: Duration,
    pub reached: BTreeSet<usize>,
}

/// What is kept of a test from run to run.
#[derive(Debug, Deserialize, Serialize)]
struct Measured {
    binary: PathBuf,
    name: String,
    milliseconds: u64,
    reached: BTreeSet<usize>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Kept {
    /// Of the copy with its mutants.
    fingerprint: u64,
    measured: Vec<Measured>,
}

/// Runs all tests once, unless the file has what they did with the same copy.
pub fn measure(
    binaries: &[Binary],
    tree: &Path,
    fingerprint: u64,
    file: &Path,
    threads: usize,
) -> Result<Vec<Test>> {
    let kept = std::fs::read(file).ok().and_then(|it| serde_json::from_slice::<Kept>(&it).ok());
    let measured = match kept.filter(|it| it.fingerprint == fingerprint) {
        Some(kept) => kept.measured,
        None => {
            let measured = run_all(binaries, tree, &file.with_extension("reached"), threads)?;
            let kept = Kept { fingerprint, measured };
            std::fs::write(file, serde_json::to_vec(&kept)?)?;
            kept.measured
        }
    };
    let test = |it: Measured| {
        let binary = binaries.iter().find(|binary| binary.path == it.binary)?.clone();
        Some(Test {
            binary,
            name: it.name,
            time: Duration::from_millis(it.milliseconds),
            reached: it.reached,
        })
    };
    Ok(measured.into_iter().filter_map(test).collect())
}

/// Tests that the mutants in the copy disturb without being chosen: one looks at the code itself, the other counts
/// allocations, and choosing allocates.
fn is_disturbed(binary: &Binary, test: &str) -> bool {
    test.starts_with("architecture::") || binary.target == "allocations"
}

fn run_all(
    binaries: &[Binary],
    tree: &Path,
    notes: &Path,
    threads: usize,
) -> Result<Vec<Measured>> {
    let mut tests = Vec::new();
    for binary in binaries {
        let names = build::list(binary)?.into_iter().filter(|name| !is_disturbed(binary, name));
        tests.extend(names.map(|name| (binary, name)));
    }
    std::fs::create_dir_all(notes)?;
    let measured = Mutex::new(Vec::new());
    let failed = Mutex::new(Vec::new());
    let numbered: Vec<_> = tests.iter().enumerate().collect();
    parallel::each(threads, &numbered, |(number, (binary, name))| {
        let notes = notes.join(number.to_string());
        let start = Instant::now();
        let ended =
            process::run(binary, name, tree, (choice::REACHED, notes.as_os_str()), SLOWEST)?;
        let milliseconds = start.elapsed().as_millis().try_into()?;
        match ended {
            Ended::Passed => measured.lock().expect("no panic").push(Measured {
                binary: binary.path.clone(),
                name: name.clone(),
                milliseconds,
                reached: numbers(&notes)?,
            }),
            Ended::TimedOut => eprintln!("no judge, since it takes over {SLOWEST:?}: {name}"),
            Ended::Failed => {
                failed.lock().expect("no panic").push(format!("{} {name}", binary.target))
            }
        }
        Ok(())
    })?;
    let failed = failed.into_inner().expect("no panic");
    if !failed.is_empty() {
        bail!("without a mutant these fail:\n{}", failed.join("\n"));
    }
    Ok(measured.into_inner().expect("no panic"))
}

/// The numbers in a file of notes. A test that reaches no mutant makes none.
fn numbers(notes: &Path) -> Result<BTreeSet<usize>> {
    if !notes.exists() {
        return Ok(BTreeSet::new());
    }
    let text = std::fs::read_to_string(notes)?;
    std::fs::remove_file(notes)?;
    let numbers: BTreeSet<usize> = text.lines().map(str::parse).collect::<Result<_, _>>()?;
    ensure!(!numbers.is_empty(), "{} is empty", notes.display());
    Ok(numbers)
}
