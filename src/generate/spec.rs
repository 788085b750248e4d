//! The interaction to generate from.

use crate::args::GenerateArgs;
use crate::failure::{CommandResult, Failure};
use multitrace::Monitor;
use multitrace::formats::bundle::{self, Bundle};
use multitrace::formats::hif::ParsedSpec;
use multitrace::formats::spec::{self, SpecFormat, read_spec};
use multitrace::interaction::{Interaction, LifelineId, Locations, Signature};
use std::path::Path;

/// What sessions are generated from.
pub(super) struct Spec {
    pub(super) signature: Signature,
    pub(super) interaction: Interaction,
    pub(super) locations: Locations,
}

/// The interaction in a file, or the one its bundle was compiled from.
pub(super) fn read(path: &Path, args: &GenerateArgs) -> CommandResult<Spec> {
    let bytes = multitrace::read_or_stdin(path)?;
    let named_bundle = path.extension().is_some_and(|extension| extension == "mtb");
    if !named_bundle && !bundle::is_bundle(&bytes) {
        return of_text(path, bytes, args);
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

fn of_text(path: &Path, bytes: Vec<u8>, args: &GenerateArgs) -> CommandResult<Spec> {
    let source = multitrace::text_of(path, bytes)?;
    let format = match SpecFormat::of_path(path) {
        Err(_) if multitrace::is_stream(path) => SpecFormat::of_text(source.text()),
        by_name => by_name.map_err(|error| Failure::new(error.to_string()))?,
    };
    if format == SpecFormat::Timbuk {
        return Err(no_interaction(path));
    }
    let signature = args.signature.as_deref().map(multitrace::read_signature).transpose()?;
    match read_spec(source, format, signature).map_err(Failure::source)? {
        spec::Spec::Automaton { .. } => Err(no_interaction(path)),
        spec::Spec::Interaction { parsed, .. } => {
            let ParsedSpec { signature, interaction, .. } = parsed;
            let locations = multitrace::locations(args.locations.as_deref(), &signature)?;
            Ok(Spec { signature, interaction, locations })
        }
    }
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
