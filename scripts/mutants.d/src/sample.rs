//! Which mutants there are, as cargo-mutants lists them, and which of them are tried.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::process::Command;

/// A small change of the code.
#[derive(Clone, Debug, Deserialize)]
pub struct Mutant {
    /// Where it is and what it does: `interaction/src/blocks.rs:18:32: replace == with != in blocks`.
    pub name: String,
    pub package: String,
    /// From the root of the tree.
    pub file: String,
    pub genre: Genre,
    /// What stands in place of the span.
    pub replacement: String,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum Genre {
    /// A body of a function becomes a value. The span begins at the first statement.
    FnValue,
    /// The span is the operator.
    BinaryOperator,
    /// The operator goes. The span is the operator.
    UnaryOperator,
    /// An arm goes.
    MatchArm,
    /// A guard becomes true or false.
    MatchArmGuard,
    /// A field goes, so that the base of the literal gives its value.
    StructField,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Span {
    pub start: Place,
}

/// Counted from 1, columns in characters.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

/// About `count` mutants of a crate, evenly spread over its files; other seeds choose others. The first ones are the sample
/// of a smaller count that divides this one.
pub fn sample(package: &str, count: usize, seed: usize) -> Result<Vec<Mutant>> {
    let all = list(package)?;
    let total = all.len().max(1);
    let rank = |index: usize| (index + seed) * count % total;
    let mut ranked: Vec<(usize, Mutant)> = all
        .into_iter()
        .enumerate()
        .map(|(index, mutant)| (rank(index), mutant))
        .filter(|(rank, _)| *rank < count)
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    Ok(ranked.into_iter().map(|(_, mutant)| mutant).collect())
}

fn list(package: &str) -> Result<Vec<Mutant>> {
    let output = Command::new("cargo")
        .args(["mutants", "--list", "--json", "--package", package])
        .output()
        .context("cargo mutants does not start")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).context("the list of cargo mutants")
}
