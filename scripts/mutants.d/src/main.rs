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

use crate::baseline::Test;
use crate::build::Binary;
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

/// A run, on the tree in the working directory.
struct Run {
    arguments: Arguments,
    tree: Tree,
    /// Their indices are their numbers.
    mutants: Vec<Mutant>,
    /// Per name of a mutant, the number of the code it is in.
    code: HashMap<String, u64>,
    results: Results,
}

fn main() -> Result<()> {
    let run = Run::new(arguments()?)?;
    let viable = viable::build(&run.tree, &run.mutants, run.unviable())?;
    run.keep_untried(&viable)?;
    let left = run.left();
    if !left.is_empty() {
        run.judge(&run.tests(&viable)?, &left)?;
    }
    run.print();
    Ok(())
}

impl Run {
    fn new(arguments: Arguments) -> Result<Run> {
        let tree = Tree::new(arguments.folder.join("tree"))?;
        std::fs::create_dir_all(&tree.root)?;
        let mutants = samples(&arguments)?;
        let code = codes(&mutants)?;
        let file = arguments.folder.join("results");
        let results = Results::open(&file, judges(&tree)?, arguments.allowance.as_secs(), &code)?;
        Ok(Run { arguments, tree, mutants, code, results })
    }

    fn known(&self, number: usize) -> Option<Outcome> {
        self.results.get(&self.mutants[number].name)
    }

    fn keep(&self, number: usize, outcome: Outcome) -> Result<()> {
        let name = &self.mutants[number].name;
        self.results.add(name, self.code[name], outcome)
    }

    /// The mutants that are known not to compile.
    fn unviable(&self) -> BTreeSet<usize> {
        let is = |it: &usize| self.known(*it) == Some(Outcome::Unviable);
        (0..self.mutants.len()).filter(is).collect()
    }

    fn keep_untried(&self, viable: &Viable) -> Result<()> {
        let unviable = viable.unviable.iter().map(|it| (*it, Outcome::Unviable));
        let fixed = viable.fixed.iter().map(|(it, why)| (*it, Outcome::Fixed((*why).to_owned())));
        let mut new = unviable.chain(fixed).filter(|(it, _)| self.known(*it).is_none());
        new.try_for_each(|(number, outcome)| self.keep(number, outcome))
    }

    /// The mutants whose outcome is not known, the first ones of each crate first: a run that is stopped has tried as many
    /// of each.
    fn left(&self) -> Vec<usize> {
        let mut ranks: BTreeMap<&str, usize> = BTreeMap::new();
        let mut order: Vec<(usize, usize)> = Vec::new();
        for (number, mutant) in self.mutants.iter().enumerate() {
            let rank = ranks.entry(&mutant.package).or_default();
            order.push((*rank, number));
            *rank += 1;
        }
        order.sort_unstable();
        order.into_iter().map(|(_, number)| number).filter(|it| self.known(*it).is_none()).collect()
    }

    fn tests(&self, viable: &Viable) -> Result<Vec<Test>> {
        let (root, fingerprint) = (&self.tree.root, self.tree.fingerprint()?);
        let Arguments { folder, threads, allowance, packages, .. } = &self.arguments;
        let is_own = |it: &&Binary| packages.contains(&it.package);
        if allowance.is_zero() {
            // In a file of its own, since it lacks tests.
            let own: Vec<Binary> = viable.binaries.iter().filter(is_own).cloned().collect();
            return baseline::measure(
                &own,
                root,
                fingerprint,
                &folder.join("baseline-own"),
                *threads,
            );
        }
        baseline::measure(&viable.binaries, root, fingerprint, &folder.join("baseline"), *threads)
    }

    fn judge(&self, tests: &[Test], left: &[usize]) -> Result<()> {
        let time: Duration = tests.iter().map(|it| it.time).sum();
        let (count, mutants) = (tests.len(), left.len());
        eprintln!(
            "{count} tests, which take {time:.0?} without a mutant; {mutants} mutants to judge"
        );
        let judge = Judge::new(&self.tree.root, tests, self.arguments.allowance);
        for mutant in &self.mutants {
            if let Some(test) = self.results.get(&mutant.name).as_ref().and_then(Outcome::test) {
                judge.learn(&mutant.file, test);
            }
        }
        let done = AtomicUsize::new(0);
        parallel::each(self.arguments.threads, left, |number| {
            let mutant = &self.mutants[*number];
            let outcome = judge.judge(*number, mutant)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            eprintln!("{done} of {mutants} {outcome:?}: {}", mutant.name);
            self.keep(*number, outcome)
        })
    }

    fn print(&self) {
        for package in &self.arguments.packages {
            let own = self.mutants.iter().filter(|it| it.package == *package);
            let names: BTreeSet<&String> = own.map(|it| &it.name).collect();
            let outcome = |name: &String| Some((name.clone(), self.results.get(name)?));
            let outcomes: Vec<_> = names.into_iter().filter_map(outcome).collect();
            report::report(package, &outcomes);
        }
    }
}

/// The mutants of all crates.
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
