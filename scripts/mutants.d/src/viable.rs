//! Writes the mutants into the copy, and builds it until all that are left compile.

use crate::build::{self, Binary, Built, ErrorPlace};
use crate::choice;
use crate::rewrite::{Rewritten, rewrite};
use crate::sample::Mutant;
use crate::sites::{self, Sites};
use crate::tree::Tree;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A copy that is built.
#[derive(Debug)]
pub struct Viable {
    pub binaries: Vec<Binary>,
    pub unviable: BTreeSet<usize>,
    /// Mutants that cannot be chosen at run time, and why.
    pub fixed: BTreeMap<usize, &'static str>,
}

/// Makes the copy hold the mutants, whose numbers are their indices. Those in `unviable` are known not to compile.
pub fn build(tree: &Tree, mutants: &[Mutant], mut unviable: BTreeSet<usize>) -> Result<Viable> {
    let files = sources(mutants)?;
    for source in files.values() {
        unviable.extend(&source.sites.unviable);
    }
    let fixed = files.values().flat_map(|it| it.sites.fixed.iter().copied()).collect();
    let roots: BTreeSet<String> = mutants.iter().map(|it| root(&it.file)).collect();
    let mut skipped: BTreeSet<&str> = files.keys().map(String::as_str).collect();
    skipped.extend(roots.iter().map(String::as_str));
    tree.copy(&skipped)?;
    loop {
        let written = write(tree, &files, &roots, &unviable)?;
        match build::build(&tree.root)? {
            Built::Tests(binaries) => return Ok(Viable { binaries, unviable, fixed }),
            Built::Errors(places) => {
                let found = blamed(&written, &places);
                if found.is_empty() {
                    bail!("the copy is not built, and no mutant is to blame: {places:?}");
                }
                eprintln!("{} mutants do not compile", found.len());
                unviable.extend(found);
            }
        }
    }
}

/// A file with mutants.
struct Source {
    text: String,
    sites: Sites,
}

fn sources(mutants: &[Mutant]) -> Result<BTreeMap<String, Source>> {
    let mut by_file: BTreeMap<String, Vec<(usize, &Mutant)>> = BTreeMap::new();
    for (number, mutant) in mutants.iter().enumerate() {
        by_file.entry(mutant.file.clone()).or_default().push((number, mutant));
    }
    let read = |(file, mutants): (String, Vec<(usize, &Mutant)>)| {
        let text = std::fs::read_to_string(&file)?;
        let sites = sites::find(&text, &mutants).with_context(|| file.clone())?;
        Ok((file, Source { text, sites }))
    };
    by_file.into_iter().map(read).collect()
}

/// The file of the crate that has a file: `interaction/src/lib.rs`.
fn root(file: &str) -> String {
    let folder = file.split_once("/src/").map_or(file, |(folder, _)| folder);
    format!("{folder}/src/lib.rs")
}

fn write(
    tree: &Tree,
    files: &BTreeMap<String, Source>,
    roots: &BTreeSet<String>,
    unviable: &BTreeSet<usize>,
) -> Result<BTreeMap<String, Rewritten>> {
    let mut all = BTreeMap::new();
    for file in files.keys().chain(roots) {
        let mut rewritten = match files.get(file) {
            Some(source) => {
                rewrite(&source.text, &source.sites.sites, &|it| unviable.contains(&it))
            }
            None => rewrite(&std::fs::read_to_string(file)?, &[], &|_| false),
        };
        if roots.contains(file) {
            rewritten.text.push_str(choice::TEXT);
        }
        tree.write(file, rewritten.text.as_bytes())?;
        all.insert(file.clone(), rewritten);
    }
    Ok(all)
}

/// The mutants that errors are about: of those around a place, the innermost.
fn blamed(files: &BTreeMap<String, Rewritten>, places: &[ErrorPlace]) -> BTreeSet<usize> {
    let of_place = |place: &ErrorPlace| {
        let around = |(spot, _): &&(Range<usize>, usize)| {
            spot.start == place.start || (spot.start < place.end && place.start < spot.end)
        };
        let spots = files.get(&place.file)?.spots.iter().filter(around);
        Some(spots.min_by_key(|(range, _)| range.len())?.1)
    };
    places.iter().filter_map(of_place).collect()
}
