//! Mutation testing in one build: see `scripts/mutants`.

mod baseline;
mod build;
mod choice;
mod judge;
mod parallel;
mod process;
mod report;
mod results;
mod rewrite;
mod sample;
mod sites;
mod tree;
mod viable;

use crate::judge::Judge;
use crate::results::{Outcome, Results};
use crate::sample::Mutant;
use crate::tree::Tree;
use crate::viable::Viable;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What to try, and where to keep it.
struct Arguments {
    folder: PathBuf,
    count: usize,
    seed: usize,
    packages: Vec<String>,
    threads: usize,
    allowance: Duration,
}

/// `mutants FOLDER COUNT SEED THREADS ALLOWANCE CRATE...`
fn arguments() -> Result<Arguments> {
    let all: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |index: usize| all.get(index).context("too few arguments")?.parse().context("a number");
    Ok(Arguments {
        folder: PathBuf::from(all.first().context("too few arguments")?),
        count: number(1)?,
        seed: number(2)?,
        threads: number(3)?,
        allowance: Duration::from_secs(number(4)? as u64),
        packages: all.iter().skip(5).map(|it| format!("multitrace-{it}")).collect(),
    })
}

fn main() -> Result<()> {
    let arguments = arguments()?;
    let tree = Tree::new(arguments.folder.join("tree"))?;
    std::fs::create_dir_all(&tree.root)?;
    let mutants = samples(&arguments)?;
    let code = codes(&mutants)?;
    let results = Results::open(
        &arguments.folder.join("results"),
        judges(&tree)?,
        arguments.allowance.as_secs(),
        &code,
    )?;
    let known = |it: &usize| results.get(&mutants[*it].name) == Some(Outcome::Unviable);
    let unviable = (0..mutants.len()).filter(known).collect();
    let viable = viable::build(&tree, &mutants, unviable)?;
    let keep = |number: usize, outcome: Outcome| {
        let name = &mutants[number].name;
        results.add(name, code[name], outcome)
    };
    keep_untried(&viable, &keep)?;
    let left: Vec<usize> = in_turn(&mutants)
        .into_iter()
        .filter(|it| results.get(&mutants[*it].name).is_none())
        .collect();
    judge(&arguments, &tree, &viable, &mutants, &left, &keep)?;
    print(&arguments, &mutants, &results);
    Ok(())
}

/// The mutants of all crates; their indices are their numbers.
fn samples(arguments: &Arguments) -> Result<Vec<Mutant>> {
    let mut all = Vec::new();
    for package in &arguments.packages {
        all.extend(sample::sample(package, arguments.count, arguments.seed)?);
    }
    Ok(all)
}

/// Per mutant, the number of the code it is in.
fn codes(mutants: &[Mutant]) -> Result<HashMap<String, u64>> {
    let mut files = HashMap::new();
    for mutant in mutants {
        if !files.contains_key(&mutant.file) {
            files.insert(&mutant.file, results::code_of(&std::fs::read_to_string(&mutant.file)?));
        }
    }
    Ok(mutants.iter().map(|it| (it.name.clone(), files[&it.file])).collect())
}

/// A number that changes with what mutants are judged by.
fn judges(tree: &Tree) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    for file in &tree.files {
        (file, std::fs::read(file)?).hash(&mut hasher);
    }
    Ok(hasher.finish())
}

fn keep_untried(viable: &Viable, keep: &dyn Fn(usize, Outcome) -> Result<()>) -> Result<()> {
    for number in &viable.unviable {
        keep(*number, Outcome::Unviable)?;
    }
    for (number, why) in &viable.fixed {
        keep(*number, Outcome::Fixed((*why).to_owned()))?;
    }
    Ok(())
}

/// All mutants, the first ones of each crate first: a run that is stopped has tried as many of each.
fn in_turn(mutants: &[Mutant]) -> Vec<usize> {
    let mut ranks: BTreeMap<&str, usize> = BTreeMap::new();
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (number, mutant) in mutants.iter().enumerate() {
        let rank = ranks.entry(&mutant.package).or_default();
        order.push((*rank, number));
        *rank += 1;
    }
    order.sort_unstable();
    order.into_iter().map(|(_, number)| number).collect()
}

fn judge(
    arguments: &Arguments,
    tree: &Tree,
    viable: &Viable,
    mutants: &[Mutant],
    left: &[usize],
    keep: &(dyn Fn(usize, Outcome) -> Result<()> + Sync),
) -> Result<()> {
    if left.is_empty() {
        return Ok(());
    }
    let kept = arguments.folder.join("baseline");
    let tests = baseline::measure(
        &viable.binaries,
        &tree.root,
        tree.fingerprint()?,
        &kept,
        arguments.threads,
    )?;
    let time: Duration = tests.iter().map(|it| it.time).sum();
    eprintln!(
        "{} tests, which take {time:.0?} without a mutant; {} mutants to judge",
        tests.len(),
        left.len()
    );
    let judge = Judge::new(&tree.root, &tests, arguments.allowance);
    let done = AtomicUsize::new(0);
    parallel::each(arguments.threads, left, |number| {
        let mutant = &mutants[*number];
        let outcome = judge.judge(*number, &mutant.package)?;
        eprintln!("{} {outcome:?}: {}", done.fetch_add(1, Ordering::Relaxed) + 1, mutant.name);
        keep(*number, outcome)
    })
}

fn print(arguments: &Arguments, mutants: &[Mutant], results: &Results) {
    for package in &arguments.packages {
        let names: BTreeSet<&String> =
            mutants.iter().filter(|it| it.package == *package).map(|it| &it.name).collect();
        let outcome = |name: &String| Some((name.clone(), results.get(name)?));
        let outcomes: Vec<_> = names.into_iter().filter_map(outcome).collect();
        report::report(package, &outcomes);
    }
}
