//! How the sessions of a run are checked, and the details that the run asks for.

use crate::coverage::CoveragePlan;
use crate::monitor::Monitor;
use crate::rows::NewRows;
use crate::selecting::Shard;
use crate::session_stream::{SessionReader, UnreadSession};
use multitrace_formats::problem::InputProblem;
use multitrace_formats::remedy::Words;
use multitrace_formats::selection::Selection;
use multitrace_interaction::{Engine, Repair, Verdict};
use multitrace_reports::finding::Finding;
use multitrace_reports::gate::Gate;
use multitrace_reports::outputs::OutputFormat;
use multitrace_reports::pictures::MessagePairs;
use multitrace_reports::position::Position;
use multitrace_reports::repair_view::RepairView;
use multitrace_reports::session_names::SessionNames;
use multitrace_reports::view::View;
use multitrace_runtime::{CheckConfig, Effort};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The details that a run asks for beside its summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// A line of JSON for each session and problem.
    pub lines: bool,
    /// The groups of findings. Reports and baselines need them.
    pub groups: bool,
    /// The verdict of each session, and all problems.
    pub verdicts: bool,
    /// The cost of each session.
    pub costs: bool,
    /// The part that a [partial report](crate::PartialReport) needs beside groups.
    pub partial: bool,
}

impl Detail {
    /// The details that reports in these formats need.
    pub fn of(formats: impl IntoIterator<Item = OutputFormat>) -> Detail {
        let mut detail = Detail::default();
        for format in formats {
            match format.has_session_lines() {
                true => detail.lines = true,
                false => detail.groups = true,
            }
            detail.partial |= format == OutputFormat::Partial;
        }
        detail
    }
}

/// How sessions are checked. Shared by all threads of a run.
pub(crate) struct Rules {
    pub(crate) monitor: Monitor,
    pub(crate) config: CheckConfig,
    pub(crate) engine: Engine,
    pub(crate) gate: Gate,
    pub(crate) selection: Arc<Selection>,
    pub(crate) reader: SessionReader,
    pub(crate) detail: Detail,
    /// Makes the rows of sessions, if the run asks for them.
    pub(crate) rows: Option<NewRows>,
    /// Whether every failing session is repaired; else only examples of groups are.
    pub(crate) repair: bool,
    /// The parts of the specification that sessions may take, if the run asks for coverage.
    pub(crate) coverage: Option<CoveragePlan>,
    /// Whether witnesses are shown. Coverage needs them too.
    pub(crate) shows_witness: bool,
    /// Which emissions belong to which receptions, for the examples of groups.
    pub(crate) pairs: MessagePairs,
    /// The numbers of the inputs by their names.
    pub(crate) numbers: InputNumbers,
    /// Whether sessions are ordered by their names, and not by their places in the input.
    pub(crate) by_name: bool,
    /// The words in which session lines spell remedies.
    pub(crate) words: Words,
    /// The part of the input that is checked, and the seed of its hashes.
    pub(crate) shard: Option<(Shard, u64)>,
    /// Which sample of the sessions is checked, as text.
    pub(crate) sample: Option<String>,
}

impl Rules {
    /// Whether a session is not selected; if it is of this shard, it counts as left out.
    pub(crate) fn leaves_out(&self, id: &str) -> LeftOut {
        // Events were assigned to shards when they were read.
        if !self.reader.reads_events() && !self.selection.in_shard(id) {
            return LeftOut::Elsewhere;
        }
        if self.selection.has(id) { LeftOut::No } else { LeftOut::Here }
    }

    /// Whether this run reports a problem of the input. Without a name it belongs to no shard but the first.
    pub(crate) fn reports_problem(&self, has_id: bool) -> bool {
        has_id || self.reader.reads_events() || self.selection.reports_whole_input()
    }

    /// Whether somebody asks for each session by itself.
    pub(crate) fn asks_for_sessions(&self) -> bool {
        self.detail.lines || self.asks_for_all()
    }

    /// Whether somebody asks for each session as a value.
    pub(crate) fn asks_for_all(&self) -> bool {
        self.detail.verdicts || self.rows.is_some()
    }

    /// The position of a session among all.
    pub(crate) fn position(&self, unread: &UnreadSession<'_>) -> Position {
        if self.by_name { Position::default() } else { self.reader.position(unread) }
    }

    /// Whether somebody asks for findings of sessions.
    pub(crate) fn asks_for_findings(&self) -> bool {
        self.repair
            || self.asks_for_sessions()
            || self.detail.groups
            || self.gate.baseline.is_some()
    }

    /// How far repairs are searched for.
    pub(crate) fn effort(&self) -> Effort {
        if self.repair { Effort::Whole } else { Effort::Brief }
    }

    /// The findings that are certain of a session that fails, if somebody asks for each session.
    pub(crate) fn evidence(&self, verdict: &Verdict, names: &SessionNames<'_>) -> Vec<Finding> {
        match verdict {
            Verdict::Fail(_) if self.asks_for_sessions() => Finding::of(verdict, names),
            _ => Vec::new(),
        }
    }

    /// A repair with names and without places, if somebody asks for repairs and each session.
    pub(crate) fn repair_view(
        &self,
        repair: Option<&Repair>,
        names: &SessionNames<'_>,
    ) -> Option<RepairView> {
        let repair = repair.filter(|_| self.repair && self.asks_for_sessions())?;
        Some(RepairView::new(repair, names, &None, &View::WHOLE))
    }
}

/// Whether a run leaves a session out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeftOut {
    /// It is checked.
    No,
    /// It is not selected.
    Here,
    /// It is of another shard.
    Elsewhere,
}

/// The numbers of the inputs of a run by their names. They are looked up for problems only, so that the
/// table is made when the first one comes.
#[derive(Debug)]
pub(crate) struct InputNumbers {
    names: Vec<(Arc<str>, u32)>,
    table: OnceLock<HashMap<Arc<str>, u32>>,
}

impl InputNumbers {
    pub(crate) fn new(names: Vec<(Arc<str>, u32)>) -> InputNumbers {
        InputNumbers { names, table: OnceLock::new() }
    }

    /// The names of all inputs in their order, one a line.
    pub(crate) fn text(&self) -> String {
        self.names.iter().map(|(name, _)| format!("{name}\n")).collect()
    }

    /// The number of the input that a problem is in, the first one of its name.
    pub(crate) fn of(&self, problem: &InputProblem) -> u32 {
        let table = || self.names.iter().rev().map(|(name, at)| (Arc::clone(name), *at)).collect();
        let table = self.table.get_or_init(table);
        let file = problem.places.first().map_or("", |place| &place.file);
        table.get(file).copied().unwrap_or(0)
    }
}
