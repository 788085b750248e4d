//! From a path to something to check against: a bundle, or a specification that is compiled.

use crate::args::{CompileOptions, Observe, Reduction};
use crate::failure::{Failure, Outcome};
use multitrace_compiler::{
    Compiled, Config, InteractionSpec, Limits, compile_automaton, compile_interaction,
};
use multitrace_formats::bundle::{self, Bundle, Provenance};
use multitrace_formats::source::{Source, Span};
use multitrace_formats::spec::{Spec, SpecFormat, read_spec};
use multitrace_formats::{hsf, locations};
use multitrace_interaction::{Id, Interaction, Locations, NodeId, Observation, Signature};
use std::path::Path;

pub(crate) fn observation(choice: Observe) -> Observation {
    match choice {
        Observe::Complete => Observation::Complete,
        Observe::Missing => Observation::Missing,
        Observe::Prefix => Observation::Prefix,
        Observe::Slice => Observation::Slice,
        Observe::GlobalPrefix => Observation::GlobalPrefix,
    }
}

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|error| Failure::io(path, &error))
}

/// The bundle in a file, or the bundle its specification compiles to.
pub(crate) fn bundle_or_spec(path: &Path, options: &CompileOptions) -> Outcome<Bundle> {
    let bytes = read(path)?;
    let named_bundle = path.extension().is_some_and(|extension| extension == "mtb");
    if !named_bundle && !bundle::is_bundle(&bytes) {
        return Ok(compile(path, bytes, options, Observe::Complete)?.bundle);
    }
    if options.any() {
        return Err(Failure::new(format!(
            "{}: a bundle is compiled already; give these options to `multitrace compile`",
            path.display()
        )));
    }
    decode(path, &bytes)
}

pub(crate) fn decode(path: &Path, bytes: &[u8]) -> Outcome<Bundle> {
    bundle::decode(bytes).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

/// Compiles the specification in a file.
pub(crate) fn compile(
    path: &Path,
    bytes: Vec<u8>,
    options: &CompileOptions,
    observe: Observe,
) -> Outcome<Compiled> {
    let format = SpecFormat::of_path(path).map_err(|error| Failure::new(error.to_string()))?;
    let signature = options.signature.as_deref().map(read_signature).transpose()?;
    let config = config(options, observe);
    let name =
        path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let provenance =
        Provenance::new(env!("CARGO_PKG_VERSION"), &name, &bytes, describe(options, observe));
    match read_spec(text(path, bytes)?, format, signature).map_err(Failure::source)? {
        Spec::Interaction { signature, interaction, spans, source } => {
            let locations = locations(options.locations.as_deref(), &signature)?;
            let place_of = |node: NodeId| place(&name, &source, &spans, node);
            let spec = spec(&signature, &interaction, &locations, &place_of);
            Ok(compile_interaction(spec, provenance, &config))
        }
        Spec::Automaton(timbuk, _) => {
            let Some(groups) = &options.locations else {
                return Err(Failure::new(format!(
                    "{}: an automaton needs its letters assigned to locations: \
                     --locations \"left=a,b;right=c\"",
                    path.display()
                )));
            };
            let groups = locations::parse(groups).map_err(Failure::source)?;
            let (alphabet, nfa) =
                timbuk.into_nfa(&groups).map_err(|error| Failure::new(error.to_string()))?;
            Ok(compile_automaton(alphabet, nfa, provenance, &config))
        }
    }
}

fn spec<'a>(
    signature: &'a Signature,
    interaction: &'a Interaction,
    locations: &'a Locations,
    place_of: &'a dyn Fn(NodeId) -> String,
) -> InteractionSpec<'a> {
    InteractionSpec { signature, interaction, locations, place_of }
}

/// `file:line:column` of a node. The file without its folders: bundles do not depend on them.
fn place(name: &str, source: &Source, spans: &[Span], node: NodeId) -> String {
    let position = source.position(spans[node.index()].start);
    format!("{name}:{}:{}", position.line, position.column)
}

pub(crate) fn text(path: &Path, bytes: Vec<u8>) -> Outcome<Source> {
    let name = path.display().to_string();
    let text = String::from_utf8(bytes).map_err(|error| {
        let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        Failure::new(format!("{name}:{line}: not UTF-8 text; convert the file to UTF-8"))
    })?;
    Ok(Source::new(name, text))
}

pub(crate) fn read_signature(path: &Path) -> Outcome<Signature> {
    hsf::parse(&text(path, read(path)?)?).map_err(Failure::source)
}

/// The locations of lifelines, as `--locations` groups them.
pub(crate) fn locations(groups: Option<&str>, signature: &Signature) -> Outcome<Locations> {
    let Some(groups) = groups else { return Ok(Locations::discrete(signature)) };
    let groups = locations::parse(groups).map_err(Failure::source)?;
    locations::for_signature(&groups, signature).map_err(|error| Failure::new(error.to_string()))
}

fn config(options: &CompileOptions, observe: Observe) -> Config {
    let limits = Limits::default();
    let limits = Limits {
        states: options.limit_states.unwrap_or(limits.states),
        local_states: options.limit_local_states.unwrap_or(limits.local_states),
        ..limits
    };
    let with = |reduction| !options.without.contains(&reduction);
    Config {
        limits,
        observation: observation(observe),
        linearize: with(Reduction::Linearize),
        persistent_terms: with(Reduction::PersistentTerms),
        merge: with(Reduction::Merge),
        persistent_states: with(Reduction::PersistentStates),
    }
}

/// The options that shape a bundle, as one line.
fn describe(options: &CompileOptions, observe: Observe) -> String {
    let config = config(options, observe);
    let mut parts = vec![format!("--observe {}", config.observation.name())];
    if let Some(locations) = &options.locations {
        parts.push(format!("--locations {locations:?}"));
    }
    parts.push(format!("--limit-states {}", config.limits.states));
    parts.push(format!("--limit-local-states {}", config.limits.local_states));
    for reduction in &options.without {
        let value = clap::ValueEnum::to_possible_value(reduction);
        parts.extend(value.map(|value| format!("--without {}", value.get_name())));
    }
    parts.join(" ")
}
