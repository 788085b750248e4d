//! Partial reports: a run over a part of the input as a value that merges, and the report of the whole.

use crate::coverage::{CoverageCounts, CoveragePlan};
use crate::error::{Error, NoPart, PartsError};
use crate::logged_locations::LoggedLocations;
use crate::monitor::Monitor;
use crate::part_source::{PartTotals, specification};
use crate::report::{Found, Report};
use multitrace_formats::bundle;
use multitrace_formats::problem::{InputProblem, ProblemKind, ProblemPlace};
use multitrace_formats::remedy::Words;
use multitrace_interaction::Engine;
use multitrace_reports::baseline::Baseline;
use multitrace_reports::demands::Demands;
use multitrace_reports::gate::{Gate, Tolerance, TooManyPlaces};
use multitrace_reports::groups::GroupOrder;
use multitrace_reports::partial::{self, MergeError, PartError};
use multitrace_reports::run_report::MissingShards;
use std::collections::BTreeSet;

/// The results of a run over a part of the input. Parts merge in any order; the report of all parts is the
/// report of a run over the whole input, but for its time and memory.
///
/// ```
/// use multitrace::{
///     CompileOptions, Detail, FinishOptions, Inputs, OutputFormat, PartialReport, RunOptions, Spec,
///     SpecFormat,
/// };
/// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
/// let monitor = spec.compile(&CompileOptions::default())?.monitor;
/// let part = |name: &str, line: &'static str| {
///     let options = RunOptions { detail: Detail::of([OutputFormat::Partial]), ..RunOptions::new(&monitor) };
///     monitor.run(Inputs::reader(name, line.as_bytes()), options, &mut ())?.partial()
/// };
/// let mut all = part("1.jsonl", r#"{"session":"s1","traces":{"a":["a!ping"],"b":["b?ping"]}}"#)?;
/// let other = part("2.jsonl", r#"{"session":"s2","traces":{"a":["a!ping"],"b":[]}}"#)?;
/// all.merge(PartialReport::from_bytes(&other.to_bytes()?)?)?;
/// let report = all.finish(FinishOptions::default())?;
/// assert_eq!((report.summary().sessions, report.run().violations), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PartialReport {
    part: partial::PartialReport,
}

/// The options that apply when all parts are merged.
#[derive(Debug, Default)]
pub struct FinishOptions {
    /// The findings that are known.
    pub baseline: Option<Baseline>,
    /// The demands on the input.
    pub demands: Demands,
    /// How many violations are tolerated. A run that was to stop at a number cannot be merged.
    pub tolerance: Tolerance,
    /// The order of the groups.
    pub order: GroupOrder,
    /// The share of the parts of the specification, in percent, that passing sessions must take.
    pub min_coverage: Option<f64>,
    /// The words in which the report spells remedies.
    pub words: Words,
    /// Whether a report may lack shards.
    pub allow_missing: bool,
    /// Whether the report is only written as a part again. It may lack shards, and all of its sessions may be in them.
    pub is_part: bool,
}

impl PartialReport {
    /// Adds the results of another part of the input.
    ///
    /// # Errors
    /// When the two are not parts of one run: they were checked in different ways, or have the same
    /// shard. The content of this one is undefined then.
    pub fn merge(&mut self, other: PartialReport) -> Result<(), MergeError> {
        self.part.merge(other.part)
    }

    /// Adds a problem of the input that whoever gave the events has found.
    #[must_use]
    pub fn with_problem(self, input: &str, message: String) -> PartialReport {
        let text = format!("{input}: {message}");
        let place = ProblemPlace { file: input.to_owned(), line: None, column: None, message };
        let problem = InputProblem::in_a_line(ProblemKind::Malformed, place, &text);
        PartialReport { part: self.part.with_problem(0, &problem) }
    }

    /// Adds remarks on the files of the parts, such as those of a folder that are left out.
    #[must_use]
    pub fn with_notes(self, notes: impl IntoIterator<Item = String>) -> PartialReport {
        PartialReport { part: self.part.with_notes(notes) }
    }

    /// The first problems of the input.
    pub fn problems(&self) -> impl Iterator<Item = InputProblem> + '_ {
        self.part.errors.found()
    }

    /// Lines of JSON, the same for equal content.
    ///
    /// # Errors
    /// When there are more kinds of findings than are counted.
    pub fn to_bytes(&self) -> Result<Vec<u8>, TooManyPlaces> {
        self.part.to_bytes()
    }

    /// The same packed by gzip.
    ///
    /// # Errors
    /// Those of [`PartialReport::to_bytes`].
    pub fn to_packed(&self) -> Result<Vec<u8>, TooManyPlaces> {
        self.part.to_packed()
    }

    /// Reads a report, packed or not.
    ///
    /// # Errors
    /// When the bytes are not a partial report, or one of another version, cut off or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<PartialReport, PartError> {
        let part = partial::PartialReport::from_bytes(bytes)?;
        Ok(PartialReport { part })
    }

    /// The shards that are missing, if there are any.
    pub fn missing_shards(&self) -> Option<MissingShards> {
        let (numbers, missing) = self.part.shards.missing();
        let shards = self.part.shards.count()?;
        (missing > 0).then_some(MissingShards { numbers, missing, shards })
    }

    /// Whether coverage was asked for.
    pub fn has_coverage(&self) -> bool {
        self.part.settings.coverage
    }

    /// The report of all that was merged.
    ///
    /// # Errors
    /// When shards are missing, coverage is demanded that was not asked for, or the bundle is damaged.
    pub fn finish(self, options: FinishOptions) -> Result<Report, Error> {
        let missing = self.missing_shards();
        if let Some(missing) = &missing
            && !(options.allow_missing || options.is_part)
        {
            return Err(PartsError::Missing(missing.clone()).into());
        }
        if options.min_coverage.is_some() && !self.has_coverage() {
            return Err(PartsError::NoCoverage.into());
        }
        let (part, mut demands) = (self.part, options.demands);
        if missing.is_none() || !options.is_part {
            demands.add(part.demands.clone());
        }
        let monitor = part.monitor()?;
        let gate = Gate {
            fail_on: part.fail_on()?,
            tolerance: options.tolerance,
            baseline: options.baseline,
            demands,
        };
        let plan = part.coverage.as_ref().map(|_| CoveragePlan::new(&monitor)).transpose()?;
        let coverage = part.coverage.clone().map(CoverageCounts::from).unwrap_or_default();
        let summary = part.whole_summary();
        let (violations, known) = part.combinations.judge(&gate);
        Ok(Report::of_found(Found {
            version: part.settings.tool.clone(),
            observation: monitor.bundle().observation.name(),
            coverage: plan.as_ref().map(|plan| plan.report(&coverage)),
            overlay: plan.and_then(|plan| plan.overlay(&coverage)),
            groups: part.groups.finish(options.order, &|place| gate.knows(place)),
            errors: part.errors,
            costs: part.costs,
            summary,
            violations,
            known,
            gate,
            min_coverage: partial::most(options.min_coverage, part.min_coverage),
            has_others: options.is_part && missing.is_some(),
            missing_shards: missing,
            missing: part.missing,
            notes: part.notes,
            logged: part.logged,
            details: part.details,
            explain: part.explain,
            words: options.words,
            monitor,
        }))
    }
}

#[doc(hidden)]
impl Report {
    /// The results as a part of a larger run, if the run asked for it by
    /// [`Detail::partial`](crate::Detail).
    ///
    /// # Errors
    /// When it did not ask for it, stopped early, or had more kinds of findings than are counted.
    pub fn partial(&self) -> Result<PartialReport, Error> {
        let source = self.partial_source().ok_or(NoPart::NotAsked)?;
        let run = self.run();
        if run.summary.stopped || matches!(self.gate().tolerance, Tolerance::StopAt(_)) {
            return Err(NoPart::Stopped.into());
        }
        if run.rest.uncounted > 0 || source.part.combinations.are_too_many() {
            return Err(NoPart::TooManyPlaces(TooManyPlaces).into());
        }
        let mut summary = run.summary;
        let nanoseconds = (std::mem::take(&mut summary.seconds) * 1e9).round() as u64;
        if let Some(input) = &mut summary.input {
            input.unused_patterns = 0;
        }
        let PartTotals { groups, combinations, sessions_hash, errors, details, inputs } =
            &source.part;
        Ok(PartialReport {
            part: partial::PartialReport {
                settings: source.settings.clone(),
                bundle: source.bundle.clone(),
                shards: source.shards.clone(),
                runs: BTreeSet::new(),
                inputs: inputs.clone(),
                summary,
                nanoseconds,
                groups: groups.clone(),
                combinations: combinations.clone(),
                errors: errors.clone(),
                coverage: source.coverage.clone(),
                costs: run.costs.clone(),
                details: details.clone(),
                missing: source.missing.clone(),
                notes: self.of_inputs().0.clone(),
                logged: self.of_inputs().1.clone(),
                demands: self.gate().demands.clone(),
                min_coverage: run.min_coverage,
                explain: run.explain.clone(),
            }
            .of_one_run(*sessions_hash),
        })
    }
}

/// The values that the settings of a part name.
trait Meaning {
    fn monitor(&self) -> Result<Monitor, PartsError>;
    fn fail_on(&self) -> Result<Vec<&'static str>, PartsError>;
}

impl Meaning for partial::PartialReport {
    fn monitor(&self) -> Result<Monitor, PartsError> {
        let monitor = Monitor::new(bundle::decode(&self.bundle)?);
        let (named, found) =
            (&self.settings.specification, specification(&monitor.bundle().provenance));
        if *named != found {
            return Err(PartsError::OtherSpecification { named: named.clone(), found });
        }
        let (named, found) = (&self.settings.observation, monitor.bundle().observation.name());
        if named != found {
            return Err(PartsError::OtherMode { named: named.clone(), found });
        }
        let known = LoggedLocations::all_names(monitor.alphabet());
        if let Some(other) = self.logged.iter().find(|name| !known.contains(name.as_str())) {
            return Err(PartsError::NoLocation(other.clone()));
        }
        let engine = self.settings.checking.split(", ").next().unwrap_or_default();
        let engines = [Engine::Nfa, Engine::Term].map(Engine::name);
        match engines.contains(&engine) {
            true => Ok(monitor),
            false => Err(PartsError::UnknownEngine(engine.to_owned())),
        }
    }

    fn fail_on(&self) -> Result<Vec<&'static str>, PartsError> {
        let known = ["pass", "fail", "inconclusive", "weak_pass", "cut_off"];
        let named = self.settings.fail_on.iter().map(|name| {
            let found = known.into_iter().find(|known| known == name);
            found.ok_or_else(|| PartsError::NoVerdict(name.clone()))
        });
        named.collect()
    }
}
