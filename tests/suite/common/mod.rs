//! Helpers of the integration tests: the corpus, if it is there, and short ways to a verdict.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests say what they skipped and counted"
)]

pub mod folder;
pub mod run;
pub mod shown;

#[allow(unused_imports, reason = "each test binary uses a part of it")]
pub use multitrace_testing::corpus::{folder as corpus, full};

#[allow(unused_imports, reason = "each test binary uses a part of it")]
pub use multitrace_testing_engines::ways::*;

use multitrace_compiler::Config;
use multitrace_formats::htf::{self, Header};
use multitrace_formats::source::Source;
use multitrace_formats::{hif, sessions};
use multitrace_interaction::generate::Generator;
use multitrace_interaction::{Alphabet, Interaction, Locations, MultiTrace, Session, Signature};
use multitrace_runtime::{Monitor, Reductions};

/// An interaction in HIBOU's syntax.
pub fn parse(text: &str) -> (Signature, Interaction) {
    let spec = hif::parse(&Source::new("test.hif", text), None).expect("an interaction");
    (spec.signature, spec.interaction)
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
            let mut ids: Vec<_> = names.filter_map(|name| signature.lifeline(&name)).collect();
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

/// Declares the lifelines of a multi-trace; the interaction may use some of them only.
pub fn declare_lifelines(htf_text: &str, signature: &mut Signature) {
    let source = Source::new("test.htf", htf_text);
    let raw = htf::parse(&source).expect("a multi-trace");
    for component in &raw.components {
        if let Header::Names(names) = &component.header {
            for (name, _) in names {
                signature.intern_lifeline(name);
            }
        }
    }
}

pub fn session(htf_text: &str, alphabet: &Alphabet) -> Session {
    sessions::parse_htf_session(&Source::new("test.htf", htf_text), alphabet).expect("a session")
}

/// The signature that a file of the corpus declares.
pub fn signature_file(path: &std::path::Path) -> Signature {
    let text = std::fs::read_to_string(path).expect("the signature is readable");
    let source = Source::new(path.display().to_string(), text);
    multitrace_formats::hsf::parse(&source).expect("a signature")
}

/// The interaction in a file of the corpus, over a signature.
pub fn interaction_file(path: &std::path::Path, signature: &Signature) -> Interaction {
    let text = std::fs::read_to_string(path).expect("the interaction is readable");
    let source = Source::new(path.display().to_string(), text);
    let spec = hif::parse(&source, Some(signature.clone())).expect("an interaction");
    spec.interaction
}

/// The reductions of paper 003, one by one and together, by the names of their options.
pub fn reductions() -> [(&'static str, Reductions); 4] {
    let all = Reductions { partial_order: true, local_analyses: true };
    [
        ("none", Reductions { partial_order: false, local_analyses: false }),
        ("loc", Reductions { partial_order: false, ..all }),
        ("por", Reductions { local_analyses: false, ..all }),
        ("por,loc", all),
    ]
}

/// An interaction of paper 003's benchmark in the corpus, over its signature.
pub fn hibou_random(folder: &std::path::Path, index: usize) -> (Signature, Interaction) {
    let signature = signature_file(&folder.join("signature.hsf"));
    let interaction = interaction_file(&folder.join(format!("i{index}.hif")), &signature);
    (signature, interaction)
}

/// A monitor of an interaction where every lifeline has its own log.
pub fn monitor(signature: &Signature, interaction: &Interaction) -> Monitor {
    let locations = Locations::discrete(signature);
    Monitor::new(compile(signature, interaction, &locations, &Config::default()).bundle)
}

/// Multi-traces as paper 003 sec. 6.1 makes them: accepted ones, a prefix of
/// each, and mutants of the prefixes.
pub fn generated(generator: &mut Generator, count: usize) -> Vec<(&'static str, MultiTrace)> {
    let mut all = Vec::new();
    let mut last: Option<MultiTrace> = None;
    for _ in 0..count {
        let accepted = generator.accepted();
        let (prefix, _) = generator.prefix(&accepted);
        let noise = generator.noise(&prefix).map(|(trace, _)| trace);
        let swapped = generator.swap_actions(&prefix).map(|(trace, _)| trace);
        let other = last.replace(prefix.clone());
        let mixed = other.and_then(|other| generator.swap_components(&prefix, &other));
        all.extend([("accepted", accepted), ("prefix", prefix)]);
        all.extend(noise.map(|trace| ("noise", trace)));
        all.extend(swapped.map(|trace| ("swap-actions", trace)));
        all.extend(mixed.map(|(trace, _)| ("swap-components", trace)));
    }
    all
}
