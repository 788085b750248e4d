//! The results of a run, at its end: the value that every output format writes.
//!
//! It is bounded however many sessions fail: there are at most
//! [`MAX_GROUPS`](crate::groups::MAX_GROUPS) groups, with one worked example each, and long texts
//! are cut.

use crate::baseline::Known;
use crate::codes::Code;
pub use crate::codes::Level;
use crate::costs::Costs;
use crate::coverage::Coverage;
use crate::groups::{FindingGroup, Fingerprint, Rest};
use crate::repository::Repository;
use crate::summary::{FullSummary, NoteObject, Summary};
use crate::text::{counted, quoted};
use multitrace_formats::problem::{InputProblem, ProblemPlace};
use multitrace_formats::record_kinds::RecordKind;
use multitrace_formats::remedy::Words;
use multitrace_formats::shorten::visible;
use multitrace_interaction::Observation;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// How many kinds of records without a rule are listed for programs.
const SHOWN_UNMATCHED: usize = 50;

/// Everything that reports say about a run at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// The version of the tool.
    pub version: String,
    /// The name of the specification.
    pub specification: String,
    /// The name of the observation mode.
    pub observation: &'static str,
    /// The counts.
    pub summary: Summary,
    /// Sessions that fail the run.
    pub violations: u64,
    /// Sessions that would fail it, if the baseline had not all of their findings.
    pub known: u64,
    /// The groups, violations first, then those with most sessions.
    pub groups: Vec<ReportedGroup>,
    /// The findings of kinds beyond those.
    pub rest: Rest,
    /// The first inputs that could not be checked; the summary has their number.
    pub errors: Vec<InputError>,
    /// Whether whoever reads the report for people sees the errors beside it, as on a terminal.
    pub errors_apart: bool,
    /// Whether the run had a baseline.
    pub has_baseline: bool,
    /// Places of the baseline that did not occur.
    pub absent: Vec<(Fingerprint, Known)>,
    /// Where platforms look for files; `None` if the paths of places are not to be shown to them.
    pub repository: Option<Repository>,
    /// How to explain one session; `None` if the input cannot be read again.
    pub explain: Option<ExplainCommand>,
    /// The parts of the specification that the passing sessions took, if they were asked for.
    pub coverage: Option<Coverage>,
    /// The costs of its sessions, if they were asked for.
    pub costs: Option<Costs>,
    /// The diagram of the specification with marks for coverage and findings, as SVG for a page with the
    /// [`style_sheet`](crate::pictures::style_sheet). Drawn for formats that show it.
    pub diagram: Option<String>,
    /// The share of the specification, in percent, that the run demands.
    pub min_coverage: Option<f64>,
    /// The shards that are missing in a merged report, if that is allowed.
    pub missing_shards: Option<MissingShards>,
    /// The remarks on the input.
    pub input: Vec<Remark>,
    /// The kinds of records that no rule matches, those with most records first.
    pub unmatched: Vec<RecordKind>,
    /// The words of the front end.
    pub words: Words,
}

/// The shards of the input that a merged report lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MissingShards {
    /// The first of them, from 1.
    pub numbers: Vec<u32>,
    /// How many are missing.
    pub missing: u32,
    /// How many there are.
    pub shards: u32,
}

/// `2 of 8 shards are missing: 3, 5`.
impl std::fmt::Display for MissingShards {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MissingShards { numbers, missing, shards } = self;
        let named: Vec<String> = numbers.iter().map(u32::to_string).collect();
        let more = if *missing as usize > named.len() { " and more" } else { "" };
        write!(f, "{missing} of {shards} shards are missing: {}{more}", named.join(", "))
    }
}

/// A remark on the whole run, beside its groups and errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The kind of remark.
    pub code: Code,
    /// How severe it is.
    pub level: Level,
    /// The text of the remark, in one line.
    pub message: String,
    /// How many sessions it is about; 0 if that makes no sense.
    pub sessions: u64,
}

/// The command that explains a session, without the name of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainCommand {
    /// The bundle or the specification.
    pub spec: String,
    /// All inputs, separated by blanks, if a session may come from several; else the file of the
    /// session is named.
    pub inputs: Option<String>,
    /// Options, with a blank before each; the last one takes the name of the session.
    pub options: String,
}

/// A group and its standing in the run.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportedGroup {
    /// The key that is the same in every run.
    pub fingerprint: Fingerprint,
    /// The sessions.
    pub group: FindingGroup,
    /// Their standing in the run.
    pub standing: Standing,
    /// How many of its places the baseline has.
    pub known_places: usize,
    /// The place with most sessions that the baseline lacks, if it has another one.
    pub new_place: Option<String>,
}

/// The effect of a group on the outcome of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Standing {
    /// It makes the run fail.
    Violation,
    /// It would, but this rate is tolerated.
    Tolerated,
    /// The run does not fail for its verdict.
    Allowed,
    /// The baseline has it.
    Known,
}

/// An input that could not be checked, as reports show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InputError {
    /// The kind of error.
    pub code: Code,
    /// The place and the message.
    #[serde(flatten)]
    pub place: ProblemPlace,
}

/// By their places, then by their messages.
impl Ord for InputError {
    fn cmp(&self, other: &InputError) -> Ordering {
        (&self.place, self.code).cmp(&(&other.place, other.code))
    }
}

impl PartialOrd for InputError {
    fn partial_cmp(&self, other: &InputError) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl InputError {
    /// One error for each place of a problem.
    pub fn of(problem: &InputProblem) -> impl Iterator<Item = InputError> + '_ {
        let code = Code::of_problem(problem.kind);
        problem.places.iter().map(move |place| InputError { code, place: place.clone() })
    }
}

impl Standing {
    /// How severe a group of this standing is.
    pub fn level(self) -> Level {
        match self {
            Standing::Violation => Level::Error,
            Standing::Tolerated | Standing::Allowed => Level::Warning,
            Standing::Known => Level::Note,
        }
    }

    /// Why the run does not fail for it; empty if it does.
    pub fn excuse(self) -> &'static str {
        match self {
            Standing::Violation => "",
            Standing::Tolerated => "within the rate of ‹max_failures›",
            Standing::Allowed => "not in ‹fail_on›",
            Standing::Known => "in the baseline",
        }
    }
}

impl RunReport {
    /// A text in the words of the front end.
    pub(crate) fn spelled(&self, text: &str) -> String {
        self.words.text(text).into_owned()
    }

    /// A path as platforms know it, if they know it.
    pub(crate) fn platform_path(&self, name: &str) -> Option<String> {
        self.repository.as_ref()?.path(name)
    }

    /// The counts, with coverage, costs, remarks on the input and violations.
    pub(crate) fn full_summary(&self) -> FullSummary<'_> {
        let note =
            |it: Remark| NoteObject { code: it.code, level: it.level.name(), message: it.message };
        let notes = self.input_remarks().map(note).collect();
        let coverage = self.coverage.as_ref().map(Coverage::object);
        FullSummary {
            summary: self.summary,
            coverage,
            notes,
            unmatched: &self.unmatched[..self.unmatched.len().min(SHOWN_UNMATCHED)],
            costs: self.costs.as_ref(),
            min_coverage: self.min_coverage,
            violations: self.violations,
            known: self.has_baseline.then_some(self.known),
        }
    }

    /// The remarks on the whole run: findings without room among the groups, too little coverage, a mode that most
    /// failures ask for, and those on the input.
    pub fn remarks(&self) -> Vec<Remark> {
        let rest = self.rest.has_any().then(|| self.rest_remark());
        let rest = rest.into_iter().chain(self.coverage_remark()).chain(self.missing_remark());
        rest.chain(self.repeated_remark()).chain(self.input_remarks()).collect()
    }

    /// The remarks on the input, in the words of the front end.
    pub fn input_remarks(&self) -> impl Iterator<Item = Remark> {
        let spelled = |it: &Remark| Remark { message: self.spelled(&it.message), ..it.clone() };
        self.input.iter().map(spelled)
    }

    /// Whether the input meets the demands of the run.
    pub fn has_what_is_demanded(&self) -> bool {
        self.input.iter().all(|it| it.code != Code::Unmet)
    }

    /// A remark on the ends or logs that most failing sessions lack, if another observation mode would accept them.
    fn repeated_remark(&self) -> Option<Remark> {
        // Fewer sessions are not a pattern.
        const LEAST: u64 = 10;
        let Summary { fail, only_ends, only_logs, .. } = self.summary;
        let is_most = |count: u64| count >= LEAST && count * 2 > fail;
        let may_miss = self.observation == Observation::Complete.name();
        let (code, sessions, what) = match () {
            () if may_miss && is_most(only_logs) => {
                (Code::OnlyLogs, only_logs, "be missing: ‹observe=missing›")
            }
            () if is_most(only_ends) => (Code::OnlyEnds, only_ends, "end early: ‹observe=prefix›"),
            () => return None,
        };
        let message =
            format!("{sessions} of {fail} failing sessions are accepted if logs may {what}");
        let (message, level) = (self.spelled(&message), Level::Warning);
        Some(Remark { code, level, message, sessions })
    }

    fn missing_remark(&self) -> Option<Remark> {
        self.missing_shards.as_ref().map(|missing| Remark {
            code: Code::MissingShards,
            level: Level::Warning,
            message: missing.to_string(),
            sessions: 0,
        })
    }

    fn rest_remark(&self) -> Remark {
        let is_violated = self.rest.violations + self.rest.uncounted > 0;
        Remark {
            code: Code::Rest,
            level: if is_violated { Level::Error } else { Level::Warning },
            message: format!("{}: {}", Code::Rest.title(), counted(self.rest.kinds, "kind")),
            sessions: self.rest.sessions,
        }
    }

    fn coverage_remark(&self) -> Option<Remark> {
        let (coverage, least) = self.coverage.as_ref().zip(self.min_coverage)?;
        (coverage.percent() < least).then(|| Remark {
            code: Code::LowCoverage,
            level: Level::Error,
            message: self
                .spelled(&format!("{}; ‹min_coverage› asks for {least} %", coverage.title())),
            sessions: 0,
        })
    }

    /// Whether passing sessions took as much of the specification as the run demands.
    pub fn covers_enough(&self) -> bool {
        self.coverage_remark().is_none()
    }

    /// The groups, each with whether its example was not that of a group before it: a session stands once, however many of
    /// its faults are shown.
    pub(crate) fn groups_and_news(&self) -> impl Iterator<Item = (&ReportedGroup, bool)> {
        let mut told = BTreeSet::new();
        self.groups.iter().map(move |group| {
            let example = &group.group.example;
            (group, told.insert((&example.session, &example.place)))
        })
    }

    /// The command that explains the example of a group; empty if it is not known.
    pub(crate) fn explain_command(&self, group: &FindingGroup) -> String {
        let (Some(explain), Some(place)) = (&self.explain, &group.example.place) else {
            return String::new();
        };
        let ExplainCommand { spec, inputs, options } = explain;
        let inputs = inputs.clone().unwrap_or_else(|| quoted(&place.file));
        let (spec, session) = (quoted(spec), quoted(&group.example.session));
        let command = format!("multitrace explain {spec} {inputs}{options} {session}");
        visible(&command).into_owned()
    }
}

impl ReportedGroup {
    /// The finding, the expected events, the count and the place, in one line.
    pub(crate) fn sentence(&self, words: Words) -> String {
        let group = &self.group;
        let gap = if group.expectation.is_empty() { "" } else { "; " };
        let text = format!("{}{gap}{}", group.line(), group.expectation);
        words.text(&text).into_owned()
    }

    /// Why the run does not fail for it, or how much of it the baseline has; empty if it has nothing.
    pub(crate) fn excuse(&self, words: Words) -> String {
        let (known, all) = (self.known_places, self.group.places.len());
        match self.standing {
            Standing::Violation | Standing::Tolerated if known > 0 => {
                let new = self.new_place.as_deref().unwrap_or_default();
                format!("known at {known} of {all} places, new: {new}")
            }
            standing => words.text(standing.excuse()).into_owned(),
        }
    }

    /// The number of sessions and the first of them.
    pub(crate) fn members(&self) -> String {
        let names: Vec<&str> =
            self.group.members.iter().map(|member| member.session.as_str()).collect();
        let named = visible(&names.join(", ")).into_owned();
        match self.group.count - self.group.members.len() as u64 {
            0 => named,
            more => format!("{named} and {more} more"),
        }
    }
}
