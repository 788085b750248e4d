//! What the integration tests share: the corpus, if it is there, and short ways to a verdict.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]

use multitrace_compiler::{Compiled, Config, InteractionSpec, compile_interaction};
use multitrace_formats::bundle::Provenance;
use multitrace_formats::htf::{self, Header};
use multitrace_formats::source::Source;
use multitrace_formats::{hif, sessions};
use multitrace_interaction::{Alphabet, Interaction, Locations, Session, Signature};
use std::path::PathBuf;

/// The folder of the corpus. When it is missing says so, and the caller has nothing to test.
pub fn corpus() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus");
    let path = std::env::var_os("MULTITRACE_CORPUS").map_or_else(|| beside.into(), PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no corpus at {} (set MULTITRACE_CORPUS)", path.display());
    None
}

/// An interaction in HIBOU's syntax.
pub fn parse(text: &str) -> (Signature, Interaction) {
    let spec = hif::parse(&Source::new("test.hif", text), None).expect("an interaction");
    (spec.signature, spec.interaction)
}

pub fn provenance() -> Provenance {
    Provenance::new("test", "test.hif", b"", String::new())
}

pub fn compile(
    signature: &Signature,
    interaction: &Interaction,
    locations: &Locations,
    config: &Config,
) -> Compiled {
    let place_of = &|_| "test.hif:1:1".to_owned();
    let spec = InteractionSpec { signature, interaction, locations, place_of };
    compile_interaction(spec, provenance(), config)
}

/// The locations that the headers of a multi-trace speak of, of those lifelines that the
/// signature knows.
pub fn locations_of(htf_text: &str, signature: &Signature) -> Locations {
    let source = Source::new("test.htf", htf_text);
    let raw = htf::parse(&source).expect("a multi-trace");
    let groups = raw.components.iter().map(|component| match &component.header {
        Header::All => signature.lifelines().collect(),
        Header::Any => {
            let names = component.events.iter().filter_map(|event| event.lifeline());
            let mut ids: Vec<_> = names.filter_map(|name| signature.lifeline(name)).collect();
            ids.sort();
            ids.dedup();
            ids
        }
        Header::Names(names) => {
            names.iter().filter_map(|(name, _)| signature.lifeline(name)).collect()
        }
    });
    let groups: Vec<Vec<_>> = groups.collect();
    Locations::new(signature, &groups).expect("headers are disjoint")
}

pub fn session(htf_text: &str, alphabet: &Alphabet) -> Session {
    sessions::parse_htf_session(&Source::new("test.htf", htf_text), alphabet).expect("a session")
}

/// Every way to compile that must not change a verdict.
pub fn configs() -> Vec<(&'static str, Config)> {
    let all = Config::default();
    let none = Config {
        linearize: false,
        persistent_terms: false,
        merge: false,
        persistent_states: false,
        ..all
    };
    let mut simulated = all;
    simulated.limits.local_states = 0;
    vec![
        ("all", all),
        ("none", none),
        ("linearize", Config { linearize: true, ..none }),
        ("persistent terms", Config { persistent_terms: true, ..none }),
        ("merge", Config { merge: true, ..none }),
        ("persistent states", Config { persistent_states: true, ..none }),
        ("no local tables", simulated),
    ]
}
