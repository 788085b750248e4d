//! The options of a check in Python, as options of the library.

use crate::errors::{exception, unfit};
use crate::sessions_table::RowBuilders;
use crate::words::WORDS;
use multitrace::{
    CheckConfig, Detail, Monitor, NewRows, Observation, RunOptions, SampleSize, SessionFilter,
    Shard,
};
use multitrace_formats::selection::IdList;
use multitrace_formats::source::Source as Text;
use multitrace_reports::baseline::Baseline;
use multitrace_reports::demands::{Demands, MostUnmatched};
use multitrace_reports::gate::{Gate, Tolerance};
use multitrace_reports::groups::GroupOrder;
use multitrace_runtime::{Budget, EngineChoice, States};
use pyo3::prelude::*;
use std::num::NonZeroUsize;
use std::time::Duration;

/// The options of `Bundle.check`, by their names there.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct CheckOptions {
    observe: Option<String>,
    engine: String,
    budget_states: Option<u64>,
    budget_memory: Option<u64>,
    budget_seconds: Option<f64>,
    fail_on: Vec<String>,
    max_failures: Option<String>,
    /// The name of the baseline in messages, and its text.
    baseline: Option<(String, String)>,
    repair: bool,
    coverage: bool,
    min_coverage: Option<f64>,
    order_groups: String,
    only_sessions: Option<Vec<String>>,
    sample: Option<String>,
    seed: u64,
    pub(crate) threads: Option<usize>,
    grouped: bool,
    pub(crate) memory: Option<usize>,
    sessions: bool,
    shard: Option<String>,
    shard_files: Option<String>,
    partial: bool,
    by_name: bool,
    demands: DemandOptions,
}

/// The demands on the input, by their names in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct DemandOptions {
    max_unmatched: Option<String>,
    min_sessions: u64,
    require_location: Vec<String>,
}

impl DemandOptions {
    pub(crate) fn demands(&self, py: Python<'_>) -> PyResult<Demands> {
        let most = |text: &String| text.parse::<MostUnmatched>().map_err(bad(py, "max_unmatched"));
        let max_unmatched = self.max_unmatched.as_ref().map(most).transpose()?;
        Ok(Demands {
            max_unmatched: max_unmatched.into_iter().collect(),
            min_sessions: self.min_sessions,
            locations: self.require_location.clone(),
        })
    }
}

impl CheckOptions {
    /// The same as options of a run.
    pub(crate) fn run_options(&self, py: Python<'_>, monitor: &Monitor) -> PyResult<RunOptions> {
        let usual = RunOptions::new(monitor);
        Ok(RunOptions {
            config: self.config(py, monitor)?,
            gate: self.gate(py)?,
            filter: self.filter(py)?,
            detail: Detail { groups: true, partial: self.partial, ..Detail::default() },
            rows: self.sessions.then(NewRows::of::<RowBuilders>),
            by_name: self.by_name,
            words: WORDS,
            repair: self.repair,
            order: group_order(py, &self.order_groups)?,
            threads: self.threads.and_then(NonZeroUsize::new),
            grouped: self.grouped,
            memory: self.memory.unwrap_or(usual.memory),
            coverage: self.coverage,
            min_coverage: self.min_coverage,
            ..usual
        })
    }

    /// How sessions are decided.
    pub(crate) fn config(&self, py: Python<'_>, monitor: &Monitor) -> PyResult<CheckConfig> {
        let usual = monitor.config();
        let observation = self.observe.as_deref().map(|name| observation(py, name)).transpose()?;
        let budget = usual.budget;
        let time = self.budget_seconds.map(Duration::try_from_secs_f64).transpose();
        let time = time.map_err(|error| unfit(py, format!("budget_seconds: {error}")))?;
        Ok(CheckConfig {
            observation: observation.unwrap_or(usual.observation),
            engine: match self.engine.as_str() {
                "auto" => EngineChoice::Auto,
                "nfa" => EngineChoice::Nfa,
                "term" => EngineChoice::Term,
                other => return Err(wrong(py, "engine", other, "auto, nfa, term")),
            },
            budget: Budget {
                states: self.budget_states.map_or(budget.states, States::Fixed),
                bytes: self.budget_memory.unwrap_or(budget.bytes),
                time: time.or(budget.time),
            },
            ..usual
        })
    }

    fn gate(&self, py: Python<'_>) -> PyResult<Gate> {
        const NAMES: [&str; 4] = ["fail", "inconclusive", "weak-pass", "cut-off"];
        let name = |given: &String| {
            Gate::name_of(given).ok_or_else(|| wrong(py, "fail_on", given, &NAMES.join(", ")))
        };
        Ok(Gate {
            fail_on: self.fail_on.iter().map(name).collect::<PyResult<_>>()?,
            tolerance: tolerance(py, self.max_failures.as_deref())?,
            baseline: baseline(py, self.baseline.as_ref())?,
            demands: self.demands.demands(py)?,
        })
    }

    fn filter(&self, py: Python<'_>) -> PyResult<SessionFilter> {
        let sample = |text: &str| match text.strip_suffix('%') {
            Some(_) => text.parse().map(SampleSize::Rate).map_err(bad(py, "sample")),
            None => text
                .parse()
                .map(SampleSize::Count)
                .map_err(|_| wrong(py, "sample", text, "a number, or a rate such as \"1%\"")),
        };
        Ok(SessionFilter {
            only: self.only_sessions.clone().map(IdList::of),
            sample: self.sample.as_deref().map(sample).transpose()?,
            seed: self.seed,
            shard: self.shard(py)?,
        })
    }

    fn shard(&self, py: Python<'_>) -> PyResult<Option<Shard>> {
        let number = |name, text: &String| text.parse().map_err(bad(py, name));
        match (&self.shard, &self.shard_files) {
            (Some(_), Some(_)) => Err(unfit(py, "shard and shard_files exclude one another")),
            (Some(text), None) => Ok(Some(Shard::Sessions(number("shard", text)?))),
            (None, Some(text)) => Ok(Some(Shard::Files(number("shard_files", text)?))),
            (None, None) => Ok(None),
        }
    }
}

/// The order of groups of this name.
pub(crate) fn group_order(py: Python<'_>, name: &str) -> PyResult<GroupOrder> {
    match name {
        "gravest" => Ok(GroupOrder::Gravest),
        "count" => Ok(GroupOrder::Count),
        "rarest" => Ok(GroupOrder::Rarest),
        "distance" => Ok(GroupOrder::Distance),
        other => Err(wrong(py, "order_groups", other, "gravest, count, rarest, distance")),
    }
}

/// How many violations are tolerated: a rate, or the number at which a run stops.
pub(crate) fn tolerance(py: Python<'_>, max_failures: Option<&str>) -> PyResult<Tolerance> {
    match max_failures {
        None => Ok(Tolerance::None),
        Some(text) if text.ends_with('%') => {
            text.parse().map(Tolerance::Rate).map_err(bad(py, "max_failures"))
        }
        Some(text) => text.parse().map(Tolerance::StopAt).map_err(|_| {
            wrong(py, "max_failures", text, "a number from 1, or a rate such as \"0.5%\"")
        }),
    }
}

/// A baseline by its name in messages, and its text.
pub(crate) fn baseline(
    py: Python<'_>,
    given: Option<&(String, String)>,
) -> PyResult<Option<Baseline>> {
    let Some((name, text)) = given else { return Ok(None) };
    let read = Baseline::parse(&Text::new(name.as_str(), text.as_str()));
    read.map(Some).map_err(|error| exception(py, &error.into()))
}

/// The observation mode of this name.
pub(crate) fn observation(py: Python<'_>, name: &str) -> PyResult<Observation> {
    let known = Observation::ALL.into_iter().find(|it| it.name() == name);
    let names = || Observation::ALL.map(Observation::name).join(", ");
    known.ok_or_else(|| wrong(py, "observe", name, &names()))
}

/// The exception for an argument whose value cannot be read.
fn bad<E: std::fmt::Display>(py: Python<'_>, argument: &'static str) -> impl Fn(E) -> PyErr {
    move |error| unfit(py, format!("{argument}: {error}"))
}

/// The exception for an argument with a value that it does not take.
pub(crate) fn wrong(py: Python<'_>, argument: &str, given: &str, known: &str) -> PyErr {
    unfit(py, format!("{argument}: {given:?} is not known; known are {known}"))
}
