//! `multitrace convert`: a specification in another notation.

use crate::args::{ConvertArgs, ConvertChoice, GlobalArgs};
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure, note};
use crate::output::{Output, reject_inputs};
use multitrace::{CompileOptions, ConvertTo, Spec, SpecPath};

pub(crate) fn run(args: &ConvertArgs, global: &GlobalArgs) -> CommandResult<Exit> {
    let to = match (args.to, &args.output) {
        (Some(choice), _) => to(choice),
        (None, Some(out)) => ConvertTo::of_path(out)?,
        (None, None) => {
            return Err(Failure::new(
                "say what to convert to: -o OUT.mmd, or --to hif|mermaid|plantuml|markdown|timbuk",
            ));
        }
    };
    let options = CompileOptions {
        locations: args.locations.clone(),
        diagrams: args.diagrams.options(),
        ..CompileOptions::default()
    };
    let converted = Spec::read(&args.spec)?.convert(to, &options)?;
    if !global.quiet {
        converted.notes.iter().for_each(|text| note(&format!("note: {text}")));
    }
    let read = SpecPath::of(&args.spec).file;
    reject_inputs(args.output.as_deref().into_iter(), &[read.as_path()])?;
    let mut output = Output::open(args.output.as_deref())?;
    output.write(converted.text.as_bytes())?;
    output.finish()?;
    Ok(Exit::Clean)
}

fn to(choice: ConvertChoice) -> ConvertTo {
    match choice {
        ConvertChoice::Hif => ConvertTo::Hif,
        ConvertChoice::Mermaid => ConvertTo::Mermaid,
        ConvertChoice::Plantuml => ConvertTo::PlantUml,
        ConvertChoice::Markdown => ConvertTo::Markdown,
        ConvertChoice::Timbuk => ConvertTo::Timbuk,
    }
}
