//! The part of a finding that only faults have.

use crate::view::View;
use multitrace_formats::shorten::visible;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The part of a finding that only faults have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultDetail {
    /// The event that is missing where another one came in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The last event before the root that is right at its location; `None` at the beginning of the log.
    pub after: Option<String>,
    /// The further events that are missing or should not be there, without those of locations that only stopped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
    /// The locations that stop after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stops: Vec<String>,
    /// The number of the fault that a stop comes after, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<usize>,
    /// Whether the event is missing; else it is there, and wrong.
    pub is_missing: bool,
    /// How many further edits depend on the root.
    pub consequences: usize,
    /// At how many locations.
    pub locations: usize,
    /// The step of the specification that it is about, by its node, if that is known: only examples are followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// The names in the log for the lifelines of the event and of its other end, by the names that roles of the mapping
    /// gave them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub machines: BTreeMap<String, String>,
    /// The sentence that names the fault.
    pub sentence: String,
    /// The same without details that differ between faults of a kind, if there are such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyed: Option<String>,
}

impl FaultDetail {
    /// The event that the specification has at the place of the fault, and whether it is missing there: the event that
    /// another one replaced, or else its own.
    pub(crate) fn event_there<'a>(
        &'a self,
        event: Option<&'a String>,
    ) -> (Option<&'a String>, bool) {
        (self.other.as_ref().or(event), self.is_missing || self.other.is_some())
    }

    /// The sentence, with the machines behind the roles in it.
    pub(crate) fn told(&self) -> String {
        let named = self.machines.iter().map(|(role, machine)| format!("{role} = {machine}"));
        match named.collect::<Vec<String>>().join(", ") {
            named if named.is_empty() => self.sentence.clone(),
            named => format!("{} ({})", self.sentence, visible(&named)),
        }
    }

    /// The sentence, and how much depends on it.
    pub(crate) fn line(&self) -> String {
        self.with_consequences(self.told())
    }

    /// The same of several sessions, which have machines of their own.
    pub(crate) fn line_of_several(&self) -> String {
        self.with_consequences(self.sentence.clone())
    }

    fn with_consequences(&self, sentence: String) -> String {
        let FaultDetail { consequences, locations, .. } = self;
        match (*consequences, *locations) {
            (0, _) => sentence,
            (1, _) => format!("{sentence}; and 1 event that depends on it"),
            (events, 1) => format!("{sentence}; and {events} events that depend on it"),
            (events, _) => {
                format!(
                    "{sentence}; and {events} events at {locations} locations that depend on it"
                )
            }
        }
    }

    /// The same with names cut as a view shows them.
    pub(crate) fn shortened(&self, view: &View) -> FaultDetail {
        let name = |it: &Option<String>| it.as_ref().map(|it| view.name(it));
        FaultDetail {
            other: name(&self.other),
            after: name(&self.after),
            with: view.names(&self.with),
            stops: view.names(&self.stops),
            machines: self.machines.iter().map(|(a, b)| (view.name(a), view.name(b))).collect(),
            sentence: view.sentence(&self.sentence),
            keyed: self.keyed.as_ref().map(|it| view.sentence(it)),
            ..*self
        }
    }
}
