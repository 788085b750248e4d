//! The lines of a partial report as they are written: the header, then one object for each piece of the
//! bundle, file, problem, kind of finding, set of findings and missing session, then the end.

use crate::costs::StageCosts;
use crate::demands::Demands;
use crate::explanation::Explanation;
use crate::fault::FaultDetail;
use crate::partial::settings::Settings;
use crate::partial::shards::ShardInfo;
use crate::pictures::space_time::scene::Scene;
use crate::timeline::TimelineRow;
use multitrace_formats::place::Place;
use multitrace_formats::problem::ProblemPlace;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The version of the format that this code writes and reads.
pub(super) const VERSION: u32 = 10;

/// The field that tells the version.
pub(super) const MAGIC: &str = "multitrace-partial";

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    #[serde(rename = "multitrace-partial")]
    pub(super) version: u32,
    pub(super) settings: Settings,
    pub(super) shards: Option<ShardInfo>,
    pub(super) shard_numbers: Vec<u32>,
    /// How many files it lists.
    pub(super) files: usize,
    pub(super) runs: BTreeSet<String>,
    pub(super) counts: BTreeMap<String, u64>,
    /// The counts of the records of event logs.
    pub(super) records: Option<BTreeMap<String, u64>>,
    pub(super) pattern_wins: Vec<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) unused_order: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) repeated_span: Option<((u32, u64), Place)>,
    /// Sessions, sum, largest distance, lower bounds.
    pub(super) repairs: Option<[u64; 4]>,
    pub(super) peak_bytes: Option<u64>,
    pub(super) nanoseconds: u64,
    pub(super) coverage: Option<CoverageWire>,
    pub(super) costs: Option<CostsWire>,
    pub(super) explain: Option<ExplainWire>,
    /// The locations that logged something.
    pub(super) logged: BTreeSet<String>,
    /// The demands of its runs.
    #[serde(default, skip_serializing_if = "Demands::is_empty")]
    pub(super) demands: Demands,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) min_coverage: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CoverageWire {
    pub(super) sessions: u64,
    pub(super) not_followed: u64,
    pub(super) taken: Vec<u64>,
    pub(super) possible: Vec<u64>,
}

/// Histograms: the least value of each bucket with its count, and the largest value.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CostsWire {
    pub(super) nanoseconds: (Vec<(u64, u64)>, u64),
    pub(super) nodes: (Vec<(u64, u64)>, u64),
    pub(super) remembered: u64,
    #[serde(default)]
    pub(super) stages: BTreeMap<String, StageCosts>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExplainWire {
    pub(super) spec: String,
    pub(super) inputs: Option<String>,
    pub(super) options: String,
}

/// Every other line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// A file that was read: name, bytes, checksum.
    Input(String, u64, u32),
    /// The same of a file whose name its sessions depend on.
    NamedInput(String, u64, u32),
    /// A piece of the bundle, in base64.
    Bundle(String),
    Error(ErrorWire),
    /// A kind of problems of the input, and their number; all further kinds have no name.
    Errors(String, u64),
    Kind(Box<KindWire>),
    /// Verdict, fingerprints, sessions.
    Combination(String, Vec<String>, u64),
    /// Records that no rule matches: the key of their kind, their common text, their number, and the first one.
    Unmatched(u64, String, u64, (u32, u64), Place),
    /// Something that people should know of the input.
    Note(String),
    /// A session of the list that did not occur.
    Missing(String),
    /// SHA-256 of all lines before.
    End(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ErrorWire {
    pub(super) input: u32,
    /// Code and place.
    pub(super) places: Vec<(String, ProblemPlace)>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KindWire {
    pub(super) fingerprint: String,
    pub(super) code: String,
    pub(super) title: String,
    pub(super) count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) distance: Option<u64>,
    pub(super) sessions: Vec<MemberWire>,
    pub(super) places: Vec<PlaceWire>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) example: Option<ExampleWire>,
}

/// One place of a kind. Of the only one, all but the title is that of the kind.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaceWire {
    pub(super) fingerprint: String,
    pub(super) title: String,
    pub(super) count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) distance: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) sessions: Vec<MemberWire>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) example: Option<ExampleWire>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemberWire {
    pub(super) session: String,
    /// Edits, input, line, record, finding.
    pub(super) at: (u64, u32, u64, u32, u32),
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<Place>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExampleWire {
    pub(super) verdict: String,
    pub(super) finding: FindingWire,
    pub(super) expectation: String,
    pub(super) place: Option<Place>,
    pub(super) explanation: Explanation,
    /// Everything that went wrong: code and sentence.
    pub(super) faults: Vec<(String, String)>,
    pub(super) repair: Option<RepairWire>,
    /// The content of its picture; `None` if the session is too long.
    pub(super) scene: Option<Scene>,
    pub(super) rows: Vec<TimelineRow>,
}

/// One location of a frontier: name, events explained, index, length, event, expected.
pub(super) type EntryWire = (String, usize, usize, usize, Option<String>, Vec<String>);

/// How far a search got at one location: name, events read, all events.
pub(super) type ReachedWire = (String, usize, usize);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FindingWire {
    pub(super) location: Option<String>,
    pub(super) index: Option<usize>,
    pub(super) event: Option<String>,
    pub(super) expected: Vec<String>,
    /// Whether it is complete, and its locations.
    pub(super) frontier: Option<(bool, Vec<EntryWire>)>,
    /// Events that would have to come before each other: location, index, event.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) cycle: Vec<(String, usize, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) balance: Option<String>,
    pub(super) absent: Vec<String>,
    /// The budget, and of each location the events read and all events.
    pub(super) cut: Option<(BudgetWire, Vec<ReachedWire>)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fault: Option<FaultDetail>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum BudgetWire {
    States(u64),
    Bytes(u64),
    Nanoseconds(u64),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RepairWire {
    pub(super) distance: u64,
    pub(super) exact: bool,
    /// As text, which is exact.
    pub(super) fitness: Option<String>,
    /// Location, index, event, whether it is inserted, place.
    pub(super) edits: Vec<(String, usize, String, bool, Option<Place>)>,
    pub(super) omitted: usize,
}
