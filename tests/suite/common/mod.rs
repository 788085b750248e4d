//! What the integration tests share: the corpus, if it is there, and short ways to a verdict.
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

use multitrace::compiler::{Compiled, Config, InteractionSpec, compile_interaction};
use multitrace::formats::bundle::Provenance;
use multitrace::formats::htf::{self, Header};
use multitrace::formats::source::Source;
use multitrace::formats::{hif, sessions};
use multitrace::interaction::{
    Alphabet, Interaction, Locations, Observation, Session, Signature, Verdict,
};
use multitrace::runtime::{
    CheckConfig, Checked, Checker, Comparison, EngineChoice, Monitor, Procedure, Reductions,
    SearchChoice,
};

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

/// Declares the lifelines of a multi-trace, of which the interaction may use some only.
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

/// Every way to compile that must not change a verdict.
pub fn configs() -> Vec<(&'static str, Config)> {
    let all = Config::default();
    let none = Config {
        linearize: false,
        persistent_terms: false,
        merge: false,
        persistent_states: false,
        clusters: false,
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
        ("clusters", Config { clusters: true, ..none }),
        ("no local tables", simulated),
    ]
}

/// The signature that a file of the corpus declares.
pub fn signature_file(path: &std::path::Path) -> Signature {
    let text = std::fs::read_to_string(path).expect("the signature is readable");
    let source = Source::new(path.display().to_string(), text);
    multitrace::formats::hsf::parse(&source).expect("a signature")
}

/// The interaction in a file of the corpus, over a signature.
pub fn interaction_file(path: &std::path::Path, signature: &Signature) -> Interaction {
    let text = std::fs::read_to_string(path).expect("the interaction is readable");
    let source = Source::new(path.display().to_string(), text);
    let spec = hif::parse(&source, Some(signature.clone())).expect("an interaction");
    spec.interaction
}

pub const MODES: [Observation; 4] =
    [Observation::Complete, Observation::Missing, Observation::Prefix, Observation::Slice];

/// With the mode that no reduction may be used for.
pub const ALL_MODES: [Observation; 4] =
    [Observation::Complete, Observation::Prefix, Observation::Slice, Observation::GlobalPrefix];

/// Every way to check that must not change a verdict: a name and its configuration.
pub fn checks(observation: Observation) -> [(&'static str, CheckConfig); 5] {
    let check = CheckConfig { observation, witness: true, ..CheckConfig::default() };
    let by = |search| {
        let comparison = Comparison { search, ..Comparison::default() };
        CheckConfig { comparison, ..check }
    };
    let procedure = Procedure::Centralized;
    let centralized = Comparison { procedure, ..Comparison::default() };
    [
        ("semi-centralized", check),
        ("without look-ahead", by(SearchChoice::Blind)),
        // These are for searches without a witness.
        ("packed", by(SearchChoice::Packed)),
        ("sets", by(SearchChoice::Sets)),
        // The centralized procedure never looks ahead.
        ("centralized", CheckConfig { comparison: centralized, ..check }),
    ]
}

/// The answer of a new checker for one session.
pub fn check(monitor: &Monitor, session: &Session, config: &CheckConfig) -> Checked {
    Checker::new(monitor, *config).expect("the engine is available").check(session)
}

/// The same on terms.
pub fn term_check(observation: Observation) -> (&'static str, CheckConfig) {
    let engine = EngineChoice::Term;
    ("terms", CheckConfig { observation, engine, witness: true, ..CheckConfig::default() })
}

/// The observation mode a witness of this verdict proves.
pub fn proven(verdict: &Verdict, observation: Observation) -> Observation {
    if *verdict == Verdict::Pass { Observation::Complete } else { observation }
}

/// The name of a verdict, with its cause when it has one.
pub fn verdict_name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Fail(failure) => failure.main().name(),
        other => other.name(),
    }
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

/// A monitor of an interaction of which every lifeline has its own log.
pub fn monitor(signature: &Signature, interaction: &Interaction) -> Monitor {
    let locations = Locations::discrete(signature);
    Monitor::new(compile(signature, interaction, &locations, &Config::default()).bundle)
}
