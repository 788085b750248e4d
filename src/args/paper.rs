//! Settings for comparisons with the papers: one option for all of them (docs/papers.md).

use multitrace::Reduction;
use multitrace_runtime::{
    ActionLimit, Comparison, Criterion, LoopLimit, Method, Procedure, Reductions,
};
use std::str::FromStr;

/// The keys, for messages.
const KEYS: &str =
    "procedure, method, reductions, look-ahead, loops, actions, multiply, reset, before, without";

/// The value of `--paper`: `KEY=VALUE,…`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paper {
    /// How sessions are decided.
    pub(crate) comparison: Comparison,
    /// Reductions of the compiler that are left out.
    pub(crate) without: Vec<Reduction>,
}

impl Paper {
    /// Whether it says how terms decide.
    pub(crate) fn is_about_terms(&self) -> bool {
        let Comparison { method, reductions, look_ahead_depth, .. } = self.comparison;
        method != Method::Exact || reductions.is_some() || look_ahead_depth.is_some()
    }

    /// Whether it says how sessions are decided.
    pub(crate) fn is_about_sessions(&self) -> bool {
        self.comparison != Comparison::default()
    }
}

impl FromStr for Paper {
    type Err = String;

    fn from_str(text: &str) -> Result<Paper, String> {
        let (mut paper, mut is_simulated) = (Paper::default(), false);
        // When a simulation stops: flags that are not named are off.
        let mut criterion: Option<Criterion> = None;
        for part in text.split(',') {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let comparison = &mut paper.comparison;
            match key {
                "procedure" => comparison.procedure = procedure(value)?,
                "method" => is_simulated = read_method(value, &mut comparison.method)?,
                "reductions" => comparison.reductions = Some(reductions(value)?),
                "look-ahead" => comparison.look_ahead_depth = Some(number(key, value)?),
                "without" => paper.without = without(value)?,
                _ => read_criterion(
                    (key, value),
                    criterion.get_or_insert(Criterion {
                        reset: false,
                        before: false,
                        ..Criterion::default()
                    }),
                )?,
            }
        }
        match (is_simulated, criterion) {
            (true, criterion) => {
                paper.comparison.method = Method::Simulation(criterion.unwrap_or_default());
            }
            (false, Some(_)) => {
                return Err(
                    "loops, actions, multiply, reset and before say when a simulation stops; \
                            add method=simulation"
                        .to_owned(),
                );
            }
            (false, None) => {}
        }
        Ok(paper)
    }
}

fn procedure(value: &str) -> Result<Procedure, String> {
    match value {
        "semi-centralized" => Ok(Procedure::SemiCentralized),
        "centralized" => Ok(Procedure::Centralized),
        _ => Err(format!("procedure={value:?} is not semi-centralized or centralized")),
    }
}

/// Reads a method; true for simulation, whose criterion other keys give.
fn read_method(value: &str, method: &mut Method) -> Result<bool, String> {
    match value {
        "exact" => *method = Method::Exact,
        "removal" => *method = Method::Removal,
        "simulation" => return Ok(true),
        _ => return Err(format!("method={value:?} is not exact, removal or simulation")),
    }
    Ok(false)
}

fn reductions(value: &str) -> Result<Reductions, String> {
    let mut read = Reductions { partial_order: false, local_analyses: false };
    for name in value.split('+').filter(|_| value != "none") {
        match name {
            "por" => read.partial_order = true,
            "loc" => read.local_analyses = true,
            _ => return Err(format!("reductions={value:?} is not none, por, loc or por+loc")),
        }
    }
    Ok(read)
}

fn without(value: &str) -> Result<Vec<Reduction>, String> {
    let named = |name: &str| {
        Reduction::named(name).ok_or_else(|| {
            let all: Vec<&str> = Reduction::ALL.iter().map(|it| it.name()).collect();
            format!("without={name:?} is not a reduction; they are {}", all.join(", "))
        })
    };
    value.split('+').map(named).collect()
}

fn read_criterion((key, value): (&str, &str), read: &mut Criterion) -> Result<(), String> {
    match (key, value) {
        ("loops", "depth") => read.loops = LoopLimit::Depth,
        ("loops", "count") => read.loops = LoopLimit::Count,
        ("loops", most) => read.loops = LoopLimit::AtMost(number(key, most)?),
        ("actions", "outside") => read.actions = ActionLimit::Outside,
        ("actions", most) => read.actions = ActionLimit::AtMost(number(key, most)?),
        ("multiply", "") => read.multiply = true,
        ("reset", "") => read.reset = true,
        ("before", "") => read.before = true,
        _ => return Err(format!("{key:?} is not a key; they are {KEYS}")),
    }
    Ok(())
}

fn number(key: &str, text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("{key}={text:?} is not a number"))
}
