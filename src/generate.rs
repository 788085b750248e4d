//! `multitrace generate`: sessions of a specification, right and wrong ones; random specifications.

mod interactions;
mod made;
mod spec;
mod writer;

use crate::args::{GenerateArgs, GenerateKind};
use crate::failure::note;
use crate::failure::{CommandResult, Failure};
use crate::output::reject_spec;
use multitrace::{CheckConfig, Monitor, RunOutcome, Session, Verdict};
use multitrace_interaction::MultiTrace;
use multitrace_interaction::generate::{
    Bounds, BoundsError, Generator, Mutation, Recipe, Sessions, TooMany, TracePart, Words,
};
use multitrace_runtime::Checker;
use spec::{ReadSpec, Spec};
use std::path::Path;
use writer::Writer;

/// How many sessions to make if the arguments do not say: some lines to look at.
const DEFAULT_COUNT: usize = 10;

pub(crate) fn run(args: &GenerateArgs) -> CommandResult<RunOutcome> {
    match (&args.spec, args.kind, args.interactions.interactions) {
        (Some(path), Some(kind), None) => sessions(args, path, kind),
        (_, _, count) => interactions::run(args, count.unwrap_or_default()),
    }
}

fn sessions(args: &GenerateArgs, path: &Path, kind: GenerateKind) -> CommandResult<RunOutcome> {
    let recipe = recipe(args, kind)?;
    let bounds = bounds(args)?;
    let ReadSpec { spec, monitor } = spec::read(path, args, cause(kind).is_some())?;
    let generator = generator(&spec, path, bounds, args)?;
    let alphabet = generator.alphabet().clone();
    let mut wanted = Wanted::new(cause(kind), monitor.as_ref())?;
    let signature: Vec<&Path> = args.reading.signature.as_deref().into_iter().collect();
    reject_spec(args.output.as_deref(), path, &signature)?;
    let mut writer = Writer::open(args)?;
    let mut sessions = Sessions::new(generator, recipe);
    let mut count = 0_u64;
    while let Some(made) = sessions.next_wanted(|trace| wanted.is(trace)) {
        let made = made.map_err(|error| too_many(path, &error))?;
        let how = made::json(&made, args.seed, &alphabet);
        writer.write(made, &how, &alphabet)?;
        count += 1;
    }
    writer.finish()?;
    let can_list_all = matches!(spec, Spec::Interaction { .. });
    report_missing(&sessions, &recipe, count, can_list_all);
    Ok(RunOutcome::Clean)
}

/// The generator of a specification.
fn generator(
    spec: &Spec,
    path: &Path,
    bounds: Bounds,
    args: &GenerateArgs,
) -> CommandResult<Generator> {
    let made = match spec {
        Spec::Interaction { signature, interaction, locations } => {
            Generator::new(signature, interaction, locations, bounds, args.seed)
        }
        Spec::Automaton { alphabet, nfa } => {
            reject_for_automata(args)?;
            let words = Words::new((**alphabet).clone(), nfa.clone(), &bounds);
            words.map(|words| Generator::of_words(words, args.seed))
        }
    };
    made.map_err(|error| out_of_bounds(path, &error))
}

fn reject_for_automata(args: &GenerateArgs) -> CommandResult<()> {
    let given = [
        ("--exhaustive", args.exhaustive),
        ("--min-loops", args.min_loops.is_some()),
        ("--max-loops", args.max_loops.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(Failure::new(format!(
            "{name} is for interactions, and this is an automaton; leave it out"
        ))),
        None => Ok(()),
    }
}

/// The cause of failure that sessions of a kind must have.
fn cause((_, mutation): GenerateKind) -> Option<&'static str> {
    match mutation? {
        Mutation::LocalError => Some("local"),
        Mutation::InterError => Some("inter"),
        Mutation::CentralError => Some("central"),
        _ => None,
    }
}

/// Which sessions are wanted: all, or those that fail with some cause.
struct Wanted<'m> {
    cause: Option<(&'static str, Checker<'m>)>,
}

impl Wanted<'_> {
    fn new<'m>(
        cause: Option<&'static str>,
        monitor: Option<&'m Monitor>,
    ) -> CommandResult<Wanted<'m>> {
        let (Some(cause), Some(monitor)) = (cause, monitor) else {
            return Ok(Wanted { cause: None });
        };
        let checker = Checker::new(monitor.runtime(), CheckConfig::default());
        Ok(Wanted { cause: Some((cause, checker.map_err(Failure::new)?)) })
    }

    fn is(&mut self, trace: &MultiTrace) -> bool {
        let Some((cause, checker)) = &mut self.cause else { return true };
        let session = Session { trace: trace.clone(), ..Session::default() };
        match checker.check(&session).verdict {
            Verdict::Fail(failure) => failure.main().name() == *cause,
            _ => false,
        }
    }
}

fn recipe(args: &GenerateArgs, (part, mutation): GenerateKind) -> CommandResult<Recipe> {
    if part.is_some() && args.of.is_some() {
        return Err(Failure::new(
            "--of is for noise, swap-actions and swap-components; leave it out".to_owned(),
        ));
    }
    let part = part.or(args.of).unwrap_or(TracePart::Prefix);
    if args.all && part == TracePart::Accepted {
        return Err(Failure::new(
            "--all takes all prefixes or slices of each accepted one; for all accepted ones use \
             --exhaustive"
                .to_owned(),
        ));
    }
    let count = args.count.or((!args.exhaustive).then_some(DEFAULT_COUNT));
    let (exhaustive, all, duplicates) = (args.exhaustive, args.all, args.duplicates);
    Ok(Recipe { part, mutation, exhaustive, all, count, duplicates })
}

fn bounds(args: &GenerateArgs) -> CommandResult<Bounds> {
    if args.exhaustive && args.max_events.is_none() && args.max_loops.is_none() {
        return Err(Failure::new(
            "--exhaustive needs a bound: --max-events N, --max-loops N or both".to_owned(),
        ));
    }
    let paper = Bounds::default();
    Ok(Bounds {
        min_events: args.min_events.unwrap_or(if args.exhaustive { 0 } else { paper.min_events }),
        max_events: args.max_events.or(paper.max_events.filter(|_| args.max_loops.is_none())),
        min_loops: args.min_loops.unwrap_or(paper.min_loops),
        max_loops: args.max_loops,
    })
}

fn out_of_bounds(path: &Path, error: &BoundsError) -> Failure {
    let remedy = match error {
        BoundsError::Empty => "change the specification",
        BoundsError::Nothing { .. } => "widen --min-events, --max-events or the bounds of loops",
        BoundsError::Unbounded => "give --max-events or --max-loops",
        BoundsError::TooWide { .. } => "lower --max-events or --max-loops",
    };
    Failure::new(format!("{}: {error}; {remedy}", path.display()))
}

fn too_many(path: &Path, error: &TooMany) -> Failure {
    let remedy = "lower --max-events or --max-loops, or leave out --exhaustive";
    Failure::new(format!("{}: {error}; {remedy}", path.display()))
}

/// Says when fewer were made than asked for.
fn report_missing(sessions: &Sessions, recipe: &Recipe, made: u64, can_list_all: bool) {
    let missing = sessions.missing();
    let asked = recipe.count.unwrap_or_default();
    if missing == 0 || recipe.count.is_none() {
        return;
    }
    let (what, found) = if recipe.all {
        ("accepted multi-traces", asked - missing)
    } else {
        ("sessions", made as usize)
    };
    let why = if recipe.exhaustive {
        "there are no more within the bounds"
    } else if recipe.duplicates {
        "no other could be made"
    } else if can_list_all {
        "many draws in a row gave no new one; widen the bounds, or see all there are with \
         --exhaustive, or repeat some with --duplicates"
    } else {
        "many draws in a row gave no new one; widen the bounds, or repeat some with --duplicates"
    };
    note(&format!("note: {found} of {asked} {what}: {why}"));
}
