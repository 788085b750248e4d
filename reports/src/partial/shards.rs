//! Which shards of the input are in a partial report.

use crate::partial::error::MergeError;
use multitrace_formats::selection::ShardNumber;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How the input was parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardInfo {
    /// Whether files were parted, and not sessions.
    pub by_files: bool,
    /// How many shards there are.
    pub count: u32,
    /// The seed of the hashes of sessions; 0 for files.
    pub seed: u64,
}

/// The shards in a partial report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shards {
    /// `None` for runs over inputs of their own, which are not numbered.
    pub(crate) of: Option<ShardInfo>,
    /// The numbers, from 1.
    pub(crate) numbers: BTreeSet<u32>,
}

impl ShardInfo {
    fn text(&self) -> String {
        let by = if self.by_files { "files" } else { "sessions" };
        match self.seed {
            0 => format!("one of {} by {by}", self.count),
            seed => format!("one of {} by {by}, seed {seed}", self.count),
        }
    }
}

impl Shards {
    /// One shard.
    pub fn one(number: ShardNumber, by_files: bool, seed: u64) -> Shards {
        let of = ShardInfo { by_files, count: number.count(), seed };
        Shards { of: Some(of), numbers: BTreeSet::from([number.index()]) }
    }

    /// The numbers of shards that are not there, the first ones, and how many there are.
    pub fn missing(&self) -> (Vec<u32>, u32) {
        const NAMED: usize = 10;
        let Some(of) = self.of else { return (Vec::new(), 0) };
        let missing = (1..=of.count).filter(|number| !self.numbers.contains(number));
        let named = missing.take(NAMED).collect();
        (named, of.count.saturating_sub(self.numbers.len() as u32))
    }

    /// How many shards there are, if the input was parted into shards.
    pub fn count(&self) -> Option<u32> {
        self.of.map(|of| of.count)
    }

    pub(crate) fn merge(&mut self, other: &Shards) -> Result<(), MergeError> {
        if self.of != other.of {
            let text =
                |shards: &Shards| shards.of.map_or_else(|| "no shard".to_owned(), |of| of.text());
            return Err(MergeError::different("the shard", &text(self), &text(other)));
        }
        if let Some(twice) = self.numbers.intersection(&other.numbers).next() {
            let count = self.of.map_or(*twice, |of| of.count);
            return match ShardNumber::new(*twice, count) {
                Some(number) => Err(MergeError::SameShard(number)),
                None => Err(MergeError::TooLarge),
            };
        }
        self.numbers.extend(&other.numbers);
        Ok(())
    }
}
