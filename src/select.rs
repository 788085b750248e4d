//! Which sessions are checked: the list in a file, and the sample.

use crate::args::{SampleSize, SelectionArgs};
use crate::failure::{Failure, Outcome};
use crate::inputs::{Input, Inputs};
use crate::load;
use crate::progress::Messages;
use multitrace_formats::selection::{Draw, IdList, Sample, Selection};
use multitrace_formats::sessions::{RawLine, parse_line, split};
use multitrace_interaction::Alphabet;
use std::path::{Path, PathBuf};

/// Fails when the list cannot be read, or the inputs not twice.
pub(crate) fn selection(
    args: &SelectionArgs,
    paths: &[PathBuf],
    alphabet: &Alphabet,
    are_events: bool,
) -> Outcome<Selection> {
    let only = args.only_sessions.as_deref().map(read).transpose()?;
    let mut selection = Selection { only, sample: None };
    selection.sample = match args.sample {
        None => None,
        Some(SampleSize::Rate(rate)) => Some(Sample::share(rate, args.seed)),
        // Their sessions are drawn once their events have come together.
        Some(SampleSize::Count(_)) if are_events => None,
        Some(SampleSize::Count(count)) => {
            let mut draw = Draw::new(count, args.seed);
            each_id(paths, alphabet, |id| {
                if selection.has(id) {
                    draw.add(id, ());
                }
            })?;
            Some(draw.finish())
        }
    };
    Ok(selection)
}

fn read(path: &Path) -> Outcome<IdList> {
    Ok(IdList::parse(load::text(path, load::read(path)?)?.text()))
}

/// Reads the inputs for the ids of their sessions. Errors are left to the second reading.
fn each_id(paths: &[PathBuf], alphabet: &Alphabet, mut add: impl FnMut(&str)) -> Outcome<()> {
    if paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::new(
            "--sample N reads the input twice, which standard input cannot be; give a rate, as in \
             --sample 1%"
                .to_owned(),
        ));
    }
    let mut inputs = Inputs::new(paths, &Messages::new(true))?;
    loop {
        let batch = inputs.next_batch(1);
        if batch.is_empty() {
            return Ok(());
        }
        for input in &batch {
            match input {
                Input::Lines { file, chunk } => {
                    chunk.lines().for_each(|line| add_line(file, line, alphabet, &mut add));
                }
                Input::Htf(path) => {
                    add(&path.file_stem().map(|it| it.to_string_lossy()).unwrap_or_default());
                }
                Input::Broken(_)
                | Input::Unreadable { .. }
                | Input::Sessions { .. }
                | Input::Problems(_) => {}
            }
        }
    }
}

fn add_line(file: &str, line: RawLine<'_>, alphabet: &Alphabet, add: &mut impl FnMut(&str)) {
    let parts = if line.is_too_long() { None } else { split(line.bytes) };
    match parts {
        Some(parts) => add(parts.id),
        None => {
            let session =
                line.text(file).and_then(|text| parse_line(file, line.number, text, alphabet));
            if let Ok(session) = session {
                add(&session.id);
            }
        }
    }
}
