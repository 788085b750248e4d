//! The settings that must be equal in all parts of a run, so that their findings mean the same.

use crate::partial::error::MergeError;
use serde::{Deserialize, Serialize};

/// The options of a check and of its report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The version of the tool.
    pub tool: String,
    /// The specification by name and hash.
    pub specification: String,
    /// The hash of the bundle, which has the observation mode.
    pub bundle: String,
    /// The name of the observation mode.
    pub observation: String,
    /// The engine, its budgets and whatever else decides.
    pub checking: String,
    /// The verdicts that fail the run, sorted.
    pub fail_on: Vec<String>,
    /// Whether every failing session was repaired.
    pub repair: bool,
    /// Whether coverage was asked for.
    pub coverage: bool,
    /// Whether costs were asked for.
    pub stats: bool,
    /// The sample, if only one was checked.
    pub sample: Option<String>,
    /// The hash of the list of sessions, if only those were checked.
    pub only_sessions: Option<String>,
    /// The hash of the mapping, if the inputs are event logs.
    pub mapping: Option<String>,
    /// Whether sessions are ordered by their names alone.
    pub by_name: bool,
    /// The names of the inputs: how many, and their hash, if the input is parted into shards, which must
    /// all be given the same inputs.
    pub inputs: Option<String>,
}

impl Settings {
    /// Fails at the first setting that differs.
    pub(crate) fn check_equal(&self, other: &Settings) -> Result<(), MergeError> {
        for ((what, ours), (_, theirs)) in self.named().into_iter().zip(other.named()) {
            if ours != theirs {
                return Err(MergeError::different(what, &ours, &theirs));
            }
        }
        Ok(())
    }

    fn named(&self) -> [(&'static str, String); 14] {
        let yes = |is: bool| if is { "asked for" } else { "not asked for" }.to_owned();
        let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
        let order = if self.by_name { "by name" } else { "by place" };
        [
            ("the version of the tool", self.tool.clone()),
            ("the specification", self.specification.clone()),
            // The bundle depends on it.
            ("the observation mode", self.observation.clone()),
            ("the bundle", self.bundle.clone()),
            ("the way of checking", self.checking.clone()),
            ("‹fail_on›", self.fail_on.join(",")),
            ("‹repair›", yes(self.repair)),
            ("‹coverage›", yes(self.coverage)),
            ("‹stats›", yes(self.stats)),
            ("‹sample›", or_none(&self.sample)),
            ("the list of ‹only_sessions›", or_none(&self.only_sessions)),
            ("the mapping", or_none(&self.mapping)),
            ("the order of sessions", order.to_owned()),
            ("the list of inputs", or_none(&self.inputs)),
        ]
    }
}
