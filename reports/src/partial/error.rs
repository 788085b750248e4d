//! Why parts cannot be read or merged.

use multitrace_formats::selection::ShardNumber;
use std::fmt::Display;

/// Why two parts are not parts of one run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// They were checked in different ways.
    #[error(
        "{what} is {ours} in the parts before it and {theirs} in this one; check all parts in the \
         same way"
    )]
    Different {
        /// The setting that differs.
        what: String,
        /// Its value in the parts before.
        ours: String,
        /// Its value in this part.
        theirs: String,
    },
    /// A shard is there twice.
    #[error("shard {0} is there twice; name every part once")]
    SameShard(ShardNumber),
    /// Both have the findings of one run.
    #[error("it is of a run that is in the parts before it, too; name every part once")]
    SameRun,
    /// A file is not the same in parts of one input.
    #[error(
        "{0} has changed between the parts: its size or its checksum differs; check all parts again, \
         with files that nobody writes to"
    )]
    ChangedInput(String),
    /// Two runs have read the same file.
    #[error(
        "{0} is an input of the parts before it, too, with the same content, so that its sessions would \
         count twice; merge one of the two, or part the input into shards"
    )]
    SameInput(String),
    /// Two runs have read files of the same content.
    #[error(
        "{theirs} has the same content as {ours}, an input of the parts before it, so that its sessions would count \
         twice; leave one of the two out by ‹exclude=NAME›, or check both files in one run"
    )]
    SameContent {
        /// The file of the parts before.
        ours: String,
        /// The file of this part.
        theirs: String,
    },
    /// Counts are larger than any run has.
    #[error("the counts of the parts are larger than those of any run; check the parts anew")]
    TooLarge,
}

impl MergeError {
    pub(crate) fn different(what: &str, ours: &dyn Display, theirs: &dyn Display) -> MergeError {
        let (ours, theirs) = (ours.to_string(), theirs.to_string());
        MergeError::Different { what: what.to_owned(), ours, theirs }
    }
}

/// The remedy if a part is damaged.
pub(crate) const WRITE_AGAIN: &str = "‹write_part›";
