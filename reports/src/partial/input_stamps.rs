//! The files that a run has read, so that a file that changed between two parts of one run is found, and one that two
//! runs have read.

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
    /// Whether sessions depend on the name of the file, as those of `.htf` do.
    pub is_named: bool,
}

/// The files that runs have read, by their names. Machines that check files of their own may have several of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputStamps {
    of_names: BTreeMap<String, Vec<InputStamp>>,
    /// The first file of each content.
    of_contents: BTreeMap<Content, String>,
}

/// What tells the sessions of a file: its stamp, and its name without folders if they depend on it.
type Content = (InputStamp, String);

impl InputStamps {
    pub(super) fn add(&mut self, name: &str, stamp: InputStamp) {
        let stamps = self.of_names.entry(name.to_owned()).or_default();
        if let Err(at) = stamps.binary_search(&stamp) {
            stamps.insert(at, stamp);
        }
        let first = self.of_contents.entry(content(name, stamp)).or_insert_with(|| name.to_owned());
        if name < first.as_str() {
            name.clone_into(first);
        }
    }

    /// All files.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, InputStamp)> {
        let all = self.of_names.iter();
        all.flat_map(|(name, stamps)| stamps.iter().map(move |stamp| (name.as_str(), *stamp)))
    }

    /// Adds the files of another part. In parts of one input, files of one name are equal; in runs over inputs of their
    /// own, no two files are the same.
    pub(super) fn merge(&mut self, more: &InputStamps, shards: &Shards) -> Result<(), MergeError> {
        for (name, theirs) in &more.of_names {
            if shards.of.is_some() {
                if self.of_names.get(name).is_some_and(|ours| ours != theirs) {
                    return Err(MergeError::ChangedInput(name.clone()));
                }
                continue;
            }
            for stamp in theirs.iter().filter(|it| it.size > 0) {
                let Some(ours) = self.of_contents.get(&content(name, *stamp)) else { continue };
                let (ours, theirs) = (ours.clone(), name.clone());
                return Err(match ours == theirs {
                    true => MergeError::SameInput(theirs),
                    false => MergeError::SameContent { ours, theirs },
                });
            }
        }
        more.iter().for_each(|(name, stamp)| self.add(name, stamp));
        Ok(())
    }
}

impl FromIterator<(String, InputStamp)> for InputStamps {
    fn from_iter<I: IntoIterator<Item = (String, InputStamp)>>(files: I) -> InputStamps {
        let mut stamps = InputStamps::default();
        files.into_iter().for_each(|(name, stamp)| stamps.add(&name, stamp));
        stamps
    }
}

fn content(name: &str, stamp: InputStamp) -> Content {
    let own = name.rsplit(['/', '\\']).next().filter(|_| stamp.is_named);
    (stamp, own.unwrap_or_default().to_owned())
}
