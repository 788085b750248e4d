//! The interaction to generate from.

use crate::args::GenerateArgs;
use crate::failure::{CommandResult, Failure};
use multitrace::formats::bundle::{self, Bundle};
use multitrace::formats::hif::ParsedSpec;
use multitrace::interaction::{Interaction, LifelineId, Locations, Signature};
use multitrace::{
    CompileOptions, DiagramOptions, MessageNames, Monitor, ReadInteraction, SpecPath,
};
use std::path::Path;

/// What sessions are generated from.
pub(super) struct Spec {
    pub(super) signature: Signature,
    pub(super) interaction: Interaction,
    pub(super) locations: Locations,
}

/// The interaction in a file, or the one its bundle was compiled from.
pub(super) fn read(path: &Path, args: &GenerateArgs) -> CommandResult<Spec> {
    let spec_path = SpecPath::of(path);
    let bytes = spec_path.read()?;
    let named_bundle = path.extension().is_some_and(|extension| extension == "mtb");
    if !named_bundle && !bundle::is_bundle(&bytes) {
        return of_text(&spec_path, bytes, args);
    }
    if args.locations.is_some() || args.signature.is_some() {
        return Err(Failure::new(format!(
            "{}: a bundle has its locations and names already; leave out --locations and --signature",
            path.display()
        )));
    }
    of_bundle(Monitor::of_file(path, &bytes)?.bundle().clone()).ok_or_else(|| no_interaction(path))
}

fn no_interaction(path: &Path) -> Failure {
    Failure::new(format!(
        "{}: an automaton; sessions are generated from interactions (.hif) only",
        path.display()
    ))
}

fn of_text(path: &SpecPath, bytes: Vec<u8>, args: &GenerateArgs) -> CommandResult<Spec> {
    let options = CompileOptions {
        locations: args.locations.clone(),
        signature: args.signature.as_deref().map(multitrace::read_signature).transpose()?,
        diagrams: diagrams(args)?,
        ..CompileOptions::default()
    };
    let spec = multitrace::Spec::of_file(path, bytes)?;
    let Some(read) = spec.interaction(&options)? else { return Err(no_interaction(&path.file)) };
    let ReadInteraction { parsed, locations, .. } = read;
    let ParsedSpec { signature, interaction, .. } = parsed;
    Ok(Spec { signature, interaction, locations })
}

/// How a diagram is read: `--messages` is a number only of random specifications.
fn diagrams(args: &GenerateArgs) -> CommandResult<DiagramOptions> {
    let rule = args.interactions.messages.as_deref().map(str::parse::<MessageNames>);
    let messages =
        rule.transpose().map_err(|error| Failure::new(format!("--messages: {error}")))?;
    Ok(DiagramOptions { messages: messages.unwrap_or_default(), ..DiagramOptions::default() })
}

fn of_bundle(bundle: Bundle) -> Option<Spec> {
    let Bundle { source, alphabet, .. } = bundle;
    let (signature, interaction) = source?;
    let mut groups: Vec<Vec<LifelineId>> = vec![Vec::new(); alphabet.locations().len()];
    for (location, group) in alphabet.locations().zip(&mut groups) {
        let own = alphabet.lifelines().filter(|&(_, at)| at == location);
        group.extend(own.filter_map(|(name, _)| signature.lifeline(name)));
    }
    let locations = Locations::new(&signature, &groups).ok()?;
    Some(Spec { signature, interaction, locations })
}
