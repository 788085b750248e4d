//! Every way to compile and to check that must not change a verdict.

use multitrace_compiler::{Compiled, Config, InteractionSpec, compile_interaction};
use multitrace_formats::bundle::Provenance;
use multitrace_interaction::{Interaction, Locations, Observation, Session, Signature, Verdict};
use multitrace_runtime::{
    CheckConfig, Checked, Checker, Comparison, EngineChoice, Monitor, Procedure, ReplayError,
    SearchChoice,
};

/// The provenance of bundles that no file was compiled to.
pub fn provenance() -> Provenance {
    Provenance::new("test", "test.hif", b"", String::new())
}

/// Compiles an interaction.
pub fn compile(
    signature: &Signature,
    interaction: &Interaction,
    locations: &Locations,
    config: &Config,
) -> Compiled {
    let place_of = &|_| "test.hif:1:1".to_owned();
    let spec = InteractionSpec { signature, interaction, locations, place_of };
    compile_interaction(spec, provenance(), config).expect("its terms are within the limits")
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

/// The modes in which all reductions hold.
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
        // This is for searches without a witness.
        ("packed", by(SearchChoice::Packed)),
        ("constraints", by(SearchChoice::Constraints)),
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

/// The result of replaying a witness; success if there is too much to follow.
pub fn unless_too_large(replayed: Result<(), ReplayError>) -> Result<(), ReplayError> {
    match replayed {
        Err(ReplayError::TooManyDerivations { .. }) => Ok(()),
        replayed => replayed,
    }
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
