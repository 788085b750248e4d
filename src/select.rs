//! Which sessions are checked: the list in a file, and the sample.

use crate::args::SelectionArgs;
use crate::failure::Outcome;
use crate::load;
use multitrace_formats::selection::{IdList, Sample, Selection};
use std::path::Path;

/// Fails when the list cannot be read.
pub(crate) fn selection(args: &SelectionArgs) -> Outcome<Selection> {
    Ok(Selection {
        only: args.only_sessions.as_deref().map(read).transpose()?,
        sample: args.sample.map(|rate| Sample { rate, seed: args.seed }),
    })
}

fn read(path: &Path) -> Outcome<IdList> {
    Ok(IdList::parse(load::text(path, load::read(path)?)?.text()))
}
