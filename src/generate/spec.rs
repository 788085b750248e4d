//! The specification to generate from.

use crate::args::GenerateArgs;
use crate::failure::{CommandResult, Failure, note};
use multitrace::{CompileOptions, Monitor, ReadInteraction, SpecPath};
use multitrace_formats::bundle::{self, Bundle};
use multitrace_formats::hif::ParsedSpec;
use multitrace_formats::spec::Spec as AnySpec;
use multitrace_interaction::generate::{Dice, split};
use multitrace_interaction::{Alphabet, Interaction, LetterId, Locations, Nfa, Signature, names};
use multitrace_reports::text::counted;
use std::collections::BTreeSet;
use std::path::Path;

/// The specification that sessions are generated from.
pub(super) enum Spec {
    Interaction { signature: Signature, interaction: Interaction, locations: Locations },
    Automaton { alphabet: Box<Alphabet>, nfa: Nfa },
}

/// The same, and a monitor if sessions are to be checked.
pub(super) struct ReadSpec {
    pub(super) spec: Spec,
    pub(super) monitor: Option<Monitor>,
}

/// The stream of choices for `--split`; the generator takes the first ones.
const SPLIT_STREAM: u64 = 4;

/// The specification in a file, or the one its bundle was compiled from.
pub(super) fn read(path: &Path, args: &GenerateArgs, is_checked: bool) -> CommandResult<ReadSpec> {
    let spec_path = SpecPath::of(path);
    let bytes = spec_path.read()?;
    if !bundle::is_bundle_path(path) && !bundle::is_bundle(&bytes) {
        return of_text(&spec_path, bytes, args, is_checked);
    }
    let given = [
        ("--locations", args.reading.locations.is_some()),
        ("--split", args.split.is_some()),
        ("--signature", args.reading.signature.is_some()),
        ("--diagrams", !args.reading.diagrams.is_empty()),
        ("--unjudged", args.reading.unjudged.is_some()),
        ("--unlogged", args.reading.unlogged.is_some()),
    ];
    if let Some((option, _)) = given.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::new(format!(
            "{}: a bundle has its locations and names already; leave out {option}, or give it to \
             `multitrace compile`",
            path.display()
        )));
    }
    of_monitor(Monitor::of_file(path, &bytes)?)
}

/// The specification that a bundle was compiled from.
fn of_monitor(monitor: Monitor) -> CommandResult<ReadSpec> {
    let bundle = monitor.bundle();
    let spec = match (of_interaction(bundle), bundle.automaton()) {
        (Some(spec), _) => spec,
        (None, Some(automaton)) => Spec::Automaton {
            alphabet: Box::new(bundle.alphabet.clone()),
            nfa: automaton.full.clone(),
        },
        (None, None) => {
            return Err(Failure::new("the bundle has neither an interaction nor an automaton"));
        }
    };
    Ok(ReadSpec { spec, monitor: Some(monitor) })
}

fn of_text(
    path: &SpecPath,
    bytes: Vec<u8>,
    args: &GenerateArgs,
    is_checked: bool,
) -> CommandResult<ReadSpec> {
    let options = args.reading.options()?;
    let spec = multitrace::Spec::of_file(path, bytes)?;
    let Some(read) = spec.interaction(&options)? else { return of_automaton(&spec, options, args) };
    if args.split.is_some() {
        return Err(Failure::new(format!(
            "{}: --split is for automata; --locations says which lifelines share a clock",
            path.file.display()
        )));
    }
    let monitor = if is_checked { Some(spec.compile(&options)?.monitor) } else { None };
    let ReadInteraction { parsed, locations, .. } = read;
    let ParsedSpec { signature, interaction, .. } = parsed;
    Ok(ReadSpec { spec: Spec::Interaction { signature, interaction, locations }, monitor })
}

fn of_automaton(
    spec: &multitrace::Spec,
    options: CompileOptions,
    args: &GenerateArgs,
) -> CommandResult<ReadSpec> {
    let locations = match args.split {
        Some(count) => {
            let drawn = split_letters(spec, &options, usize::from(count), args.seed)?;
            note(&format!("note: to check these sessions: --locations \"{drawn}\""));
            Some(drawn)
        }
        None => options.locations.clone(),
    };
    if locations.is_none() {
        return Err(Failure::new(format!(
            "{}: an automaton needs its letters assigned to locations: --locations \
             \"left=a,b;right=c\", or --split N",
            spec.source().name()
        )));
    }
    of_monitor(spec.compile(&CompileOptions { locations, ..options })?.monitor)
}

/// The letters of an automaton at random locations l1, l2, …, as `--locations` has them.
fn split_letters(
    spec: &multitrace::Spec,
    options: &CompileOptions,
    count: usize,
    seed: u64,
) -> CommandResult<String> {
    let AnySpec::Automaton { automaton, .. } = spec.parsed(options)? else {
        return Err(Failure::new("--split is for automata"));
    };
    let used: BTreeSet<LetterId> = automaton.transitions.iter().map(|it| it.letter).collect();
    let most = used.len().max(1);
    if count > most {
        return Err(Failure::new(format!(
            "--split {count}: its transitions have {}; use --split {most} or less",
            counted(used.len() as u64, "letter")
        )));
    }
    let mut dice = Dice::new(seed, SPLIT_STREAM);
    let places = split(automaton.letters.len(), &used, count, &mut dice);
    let groups = (0..count).map(|at| {
        let own = automaton.letters.iter().zip(&places).filter(|(_, place)| **place == at);
        names::location_text(own.map(|(letter, _)| letter.as_str()))
    });
    let groups: Vec<String> = groups.collect();
    let named = groups.iter().enumerate().map(|(at, group)| format!("l{}={group}", at + 1));
    Ok(named.collect::<Vec<_>>().join(";"))
}

fn of_interaction(bundle: &Bundle) -> Option<Spec> {
    let (signature, interaction) = bundle.source.clone()?;
    let locations = bundle.alphabet.locations_of(&signature);
    Some(Spec::Interaction { signature, interaction, locations })
}
