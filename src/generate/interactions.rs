//! Random interactions, as a folder of files.

use super::writer::NewFolder;
use crate::args::GenerateArgs;
use crate::failure::{CommandResult, Failure};
use multitrace::RunOutcome;
use multitrace_formats::{hif, hsf};
use multitrace_interaction::generate::{RandomInteractions, Shape};

pub(super) fn run(args: &GenerateArgs, count: usize) -> CommandResult<RunOutcome> {
    let shape = shape(args)?;
    let Some(folder) = args.output.as_deref() else {
        return Err(Failure::new("say where to write the interactions with -o DIR".to_owned()));
    };
    let folder = NewFolder::begin(folder)?;
    let mut interactions = RandomInteractions::new(shape, args.seed);
    let signature = interactions.signature().clone();
    folder.write("signature.hsf", &hsf::print(&signature))?;
    for (index, interaction) in interactions.by_ref().take(count).enumerate() {
        let interaction = interaction.map_err(|error| {
            Failure::new(format!(
                "{index} of {count} interactions: {error}; lower --min-depth or --min-symbols, or \
                 raise --max-symbols"
            ))
        })?;
        folder.write(&format!("i{}.hif", index + 1), &hif::print(&interaction, &signature))?;
    }
    folder.finish()?;
    Ok(RunOutcome::Clean)
}

fn shape(args: &GenerateArgs) -> CommandResult<Shape> {
    let (args, paper) = (&args.interactions, Shape::default());
    let or = |given: Option<u16>, otherwise: usize| given.map_or(otherwise, usize::from);
    let min_depth = or(args.min_depth, paper.min_depth);
    let min_symbols = or(args.min_symbols, paper.min_symbols);
    let max_symbols = or(args.max_symbols, paper.max_symbols.max(min_symbols * 3));
    if max_symbols < min_symbols.max(min_depth) {
        return Err(Failure::new(format!(
            "at most {max_symbols} symbols cannot be at least {min_symbols} and {min_depth} deep; \
             raise --max-symbols"
        )));
    }
    Ok(Shape {
        lifelines: or(args.lifelines, paper.lifelines),
        messages: or(args.messages, paper.messages),
        min_depth,
        max_depth: paper.max_depth.max(min_depth * 2),
        min_symbols,
        max_symbols,
        ..paper
    })
}
