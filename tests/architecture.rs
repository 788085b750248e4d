//! The edges between the crates of the workspace (ARCHITECTURE.md): the compiler and the runtime
//! never see each other, not even to test, and what is needed to check is free of compiling.

use cargo_metadata::{MetadataCommand, Package};
use std::collections::{BTreeMap, BTreeSet};

type Edges = BTreeMap<&'static str, BTreeSet<&'static str>>;

/// Which crates each crate may depend on, for whatever purpose.
fn allowed() -> Edges {
    let rows: [(&str, &[&str]); 5] = [
        ("multitrace-interaction", &[]),
        ("multitrace-formats", &["multitrace-interaction"]),
        ("multitrace-compiler", &["multitrace-formats", "multitrace-interaction"]),
        ("multitrace-runtime", &["multitrace-formats", "multitrace-interaction"]),
        (
            "multitrace",
            &[
                "multitrace-compiler",
                "multitrace-formats",
                "multitrace-interaction",
                "multitrace-runtime",
            ],
        ),
    ];
    rows.into_iter().map(|(from, to)| (from, to.iter().copied().collect())).collect()
}

fn packages() -> Vec<Package> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let metadata = MetadataCommand::new().manifest_path(manifest).no_deps().exec();
    metadata.expect("cargo describes the workspace").packages
}

#[test]
fn every_crate_is_seen() {
    let seen: BTreeSet<String> =
        packages().iter().map(|package| package.name.to_string()).collect();
    let known: BTreeSet<String> = allowed().into_keys().map(str::to_owned).collect();
    assert_eq!(seen, known, "left: crates of the workspace; right: crates with a rule above");
}

#[test]
fn only_the_designed_edges_exist() {
    let allowed = allowed();
    let mut edges = 0;
    for package in packages() {
        // Dependencies of every kind: normal, dev and build, for every target, by real name.
        for dependency in &package.dependencies {
            let inside =
                dependency.path.is_some() || allowed.contains_key(dependency.name.as_str());
            if inside {
                edges += 1;
                let (from, to) = (package.name.as_str(), dependency.name.as_str());
                let may = allowed.get(from).is_some_and(|targets| targets.contains(to));
                assert!(
                    may,
                    "{from} depends on {to} ({}), which ARCHITECTURE.md forbids",
                    dependency.kind
                );
            }
        }
    }
    assert!(edges >= 4, "only {edges} edges between the crates: is the right workspace read?");
}
