//! The part of a run that only partial reports need.

use crate::coverage::CoverageCounts;
use crate::rules::Rules;
use crate::selecting::Shard;
use multitrace_formats::bundle::{self, Bundle, Provenance};
use multitrace_formats::record_counts::RecordDetails;
use multitrace_logs::Mapping;
use multitrace_reports::combinations::Combinations;
use multitrace_reports::first_errors::FirstErrors;
use multitrace_reports::groups::FindingGroups;
use multitrace_reports::partial::{CoverageTotals, InputStamps, Settings, Shards};
use multitrace_reports::text::counted;
use sha2::{Digest, Sha256};

/// The part of a run that only partial reports need.
#[derive(Debug)]
pub(crate) struct PartialSource {
    pub(crate) settings: Settings,
    pub(crate) shards: Shards,
    pub(crate) coverage: Option<CoverageTotals>,
    pub(crate) missing: Vec<String>,
    pub(crate) bundle: Vec<u8>,
    pub(crate) part: PartTotals,
}

/// Sums that reports themselves do not show.
#[derive(Debug, Default)]
pub(crate) struct PartTotals {
    /// The kinds of findings, with the lines of the logs.
    pub(crate) groups: FindingGroups,
    pub(crate) combinations: Combinations,
    /// The sum of the hashes of the sessions, so that two runs of equal results on other sessions are two.
    pub(crate) sessions_hash: u64,
    pub(crate) errors: FirstErrors,
    pub(crate) details: RecordDetails,
    pub(crate) inputs: InputStamps,
}

impl PartialSource {
    pub(crate) fn new(rules: &Rules, coverage: &CoverageCounts, part: PartTotals) -> PartialSource {
        let bundle = bundle_of(rules);
        let only = rules.selection.only.as_ref();
        let missing = only.map_or_else(Vec::new, |only| only.missing());
        let shards = match rules.shard {
            None => Shards::default(),
            Some((Shard::Sessions(number), seed)) => Shards::one(number, false, seed),
            Some((Shard::Files(number), _)) => Shards::one(number, true, 0),
        };
        PartialSource {
            settings: settings(rules, &bundle),
            shards,
            coverage: rules.coverage.as_ref().map(|_| coverage.totals()),
            missing: missing.into_iter().map(str::to_owned).collect(),
            bundle,
            part,
        }
    }
}

/// The bundle in the observation mode of the run, so that the two confirm each other.
fn bundle_of(rules: &Rules) -> Vec<u8> {
    let (own, observation) = (rules.monitor.bundle(), rules.config.observation);
    match own.observation == observation {
        true => rules.monitor.to_bytes(),
        false => bundle::encode(&Bundle { observation, ..own.clone() }),
    }
}

fn settings(rules: &Rules, bundle: &[u8]) -> Settings {
    let provenance = &rules.monitor.bundle().provenance;
    let mut fail_on: Vec<String> = rules.gate.fail_on.iter().map(|&name| name.to_owned()).collect();
    fail_on.sort();
    fail_on.dedup();
    let mapping = rules.reader.mapping().map(Mapping::source);
    Settings {
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        specification: specification(provenance),
        bundle: hash(bundle),
        observation: rules.config.observation.name().to_owned(),
        checking: format!(
            "{}, {:?}, {:?}",
            rules.engine.name(),
            rules.config.budget,
            rules.config.comparison
        ),
        fail_on,
        repair: rules.repair,
        coverage: rules.coverage.is_some(),
        stats: rules.detail.costs,
        sample: rules.sample.clone(),
        only_sessions: rules.selection.only.as_ref().map(|only| hash(only.text().as_bytes())),
        mapping: mapping.map(|source| hash(source.text().as_bytes())),
        by_name: rules.by_name,
        inputs: rules.shard.map(|_| inputs(&rules.numbers.text())),
    }
}

/// A specification by its name and hash.
pub(crate) fn specification(provenance: &Provenance) -> String {
    format!("{} ({})", provenance.spec_name, short(&provenance.spec_hash))
}

/// A list of names, as errors show it.
fn inputs(names: &str) -> String {
    let count = counted(names.lines().count() as u64, "input");
    match names.lines().next_back() {
        Some(last) => format!("{count} up to {last} ({})", hash(names.as_bytes())),
        None => count,
    }
}

fn hash(bytes: &[u8]) -> String {
    short(&Sha256::digest(bytes))
}

/// As many digits as tell any two texts apart.
fn short(hash: &[u8]) -> String {
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
