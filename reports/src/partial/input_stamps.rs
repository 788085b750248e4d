//! The files that a run has read, so that a file that changed between two parts of one run is found.

use crate::partial::error::MergeError;
use crate::partial::shards::Shards;
use std::collections::BTreeMap;

/// Size and checksum (CRC-32) of a file: they tell a change, not a forgery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InputStamp {
    /// Its bytes.
    pub size: u64,
    /// The checksum of all of them.
    pub checksum: u32,
}

/// The files that runs have read, by their names. Machines that check files of their own may have several of one name.
pub type InputStamps = BTreeMap<String, Vec<InputStamp>>;

/// Adds the files of another part. In parts of one input, files of one name are equal; in runs over inputs of their own,
/// none is the same twice.
pub(super) fn merge(
    all: &mut InputStamps,
    more: &InputStamps,
    shards: &Shards,
) -> Result<(), MergeError> {
    for (name, theirs) in more {
        let ours = all.entry(name.clone()).or_default();
        if shards.of.is_some() {
            if !ours.is_empty() && ours != theirs {
                return Err(MergeError::ChangedInput(name.clone()));
            }
            ours.clone_from(theirs);
            continue;
        }
        if theirs.iter().any(|it| it.size > 0 && ours.contains(it)) {
            return Err(MergeError::SameInput(name.clone()));
        }
        ours.extend(theirs);
        ours.sort_unstable();
        ours.dedup();
    }
    Ok(())
}
