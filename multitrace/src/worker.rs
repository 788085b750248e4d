//! What one thread does with a chunk: sessions are read, decided, and put into what the run asks
//! for.

use crate::error::Error;
use crate::inputs::Chunk;
use crate::monitor::Monitor;
use crate::session_stream::{SessionReader, UnreadSession, for_each};
use crate::verdict::SessionVerdict;
use multitrace_formats::place::{Place, Places};
use multitrace_formats::problem::InputProblem;
use multitrace_formats::selection::Selection;
use multitrace_formats::sessions::LineParts;
use multitrace_formats::workers::contained;
use multitrace_interaction::{Cause, Engine, Session, Verdict};
use multitrace_reports::gate::Gate;
use multitrace_reports::groups::{FindingGroup, FindingGroups, Fingerprint, Member};
use multitrace_reports::outputs::OutputFormat;
use multitrace_reports::outputs::json_lines::{SessionLine, error_line, write_session_line};
use multitrace_reports::summary::Summary;
use multitrace_runtime::{CheckConfig, ContentCache};
use multitrace_runtime::{Checked, Checker, Gaps};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Problems of the input that are kept with their text: a screen of them; more are counted.
pub const SHOWN_PROBLEMS: u64 = 20;

/// What a run asks for beside its summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// A line of JSON for each session and problem.
    pub lines: bool,
    /// The groups of findings. Reports and baselines need them.
    pub groups: bool,
    /// The verdict of each session, and all problems.
    pub verdicts: bool,
}

impl Detail {
    /// What reports in these formats need.
    pub fn of(formats: impl IntoIterator<Item = OutputFormat>) -> Detail {
        let mut detail = Detail::default();
        for format in formats {
            match format.has_session_lines() {
                true => detail.lines = true,
                false => detail.groups = true,
            }
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
}

/// What a thread keeps from session to session.
pub(crate) struct Worker<'r> {
    rules: &'r Rules,
    scratch: WorkerMemory<'r>,
}

struct WorkerMemory<'r> {
    checker: Checker<'r>,
    session: Session,
    /// Verdicts by the text of the traces.
    verdicts: ContentCache<Decided>,
}

/// The cached result of a session.
struct Decided {
    checked: Checked,
    events: usize,
    /// The key of its group, if it belongs to one.
    key: Option<Fingerprint>,
}

/// What was found in one chunk.
#[derive(Default)]
pub(crate) struct ChunkResult {
    pub(crate) summary: Summary,
    pub(crate) violations: u64,
    /// Lines of JSON.
    pub(crate) lines: Vec<u8>,
    pub(crate) groups: FindingGroups,
    /// The first problems, or all of them if verdicts are asked for.
    pub(crate) items: Vec<Result<SessionVerdict, InputProblem>>,
}

impl Rules {
    pub(crate) fn worker(&self) -> Result<Worker<'_>, Error> {
        let checker = Checker::new(self.monitor.runtime(), self.config)?;
        let (session, verdicts) = (Session::default(), ContentCache::default());
        Ok(Worker { rules: self, scratch: WorkerMemory { checker, session, verdicts } })
    }
}

impl Worker<'_> {
    /// Checks the sessions of a chunk, up to a number of violations.
    pub(crate) fn check(&mut self, chunk: &Chunk, most: u64) -> ChunkResult {
        let mut result = ChunkResult::default();
        let _ = for_each(chunk, |item| {
            match item {
                Ok(unread) => self.check_unread(&unread, &mut result),
                Err(problem) => result.add_problem(problem.clone(), self.rules.detail),
            }
            match result.violations >= most {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        result
    }

    fn check_unread(&mut self, unread: &UnreadSession<'_>, result: &mut ChunkResult) {
        let (rules, all) = (self.rules, self.rules.selection.is_everything());
        let content = unread.content();
        // Event logs are selected by event, before they are grouped.
        let id = if all || rules.reader.reads_events() { None } else { unread.id() };
        if id.as_ref().is_some_and(|id| rules.is_left_out(id, result)) {
            return;
        }
        if content.is_some_and(|parts| self.add_known(unread, parts, result)) {
            return;
        }
        let read = match rules.reader.read(unread, &mut self.scratch.session) {
            Ok(read) => read,
            Err(problem) => return result.add_problem(problem, rules.detail),
        };
        let late = !all && id.is_none() && !rules.reader.reads_events();
        if late && rules.is_left_out(&self.scratch.session.id, result) {
            return;
        }
        if let Some(problem) = read.problem {
            result.add_problem(problem, rules.detail);
        }
        let decided = self.check_session(&read.places, read.gaps, result);
        if let (Some(decided), Some(parts)) = (decided, content)
            && read.has_content
        {
            self.scratch.verdicts.insert(parts.traces, decided);
        }
    }

    /// Adds a session whose verdict is remembered; false if it is not.
    fn add_known(
        &mut self,
        unread: &UnreadSession<'_>,
        parts: LineParts<'_>,
        result: &mut ChunkResult,
    ) -> bool {
        let rules = self.rules;
        let WorkerMemory { session, verdicts, .. } = &mut self.scratch;
        let Some(decided) = verdicts.find(parts.traces) else { return false };
        rules.add(parts.id, decided, result, || unread.place());
        let Some(key) = decided.key else { return true };
        let verdict = &decided.checked.verdict;
        let member = || Member::new(parts.id, unread.place());
        let group = || {
            // Only what this reader can read is remembered.
            rules.reader.read_quickly(parts, session);
            FindingGroup::of(session, verdict, rules.monitor.alphabet(), &unread.place())
        };
        result.groups.add(key, verdict.name(), member, group);
        true
    }

    /// Checks the session that was read.
    fn check_session(
        &mut self,
        places: &dyn Places,
        gaps: Gaps,
        result: &mut ChunkResult,
    ) -> Option<Decided> {
        let rules = self.rules;
        let WorkerMemory { checker, session, .. } = &mut self.scratch;
        let checked = contained(|| checker.check_with_gaps(session, gaps));
        match checked {
            Ok(checked) => {
                let decided = rules.decided(checked, session.event_count());
                let verdict = &decided.checked.verdict;
                rules.add(&session.id, &decided, result, || rules.place(verdict, session, places));
                if let Some(key) = decided.key {
                    let member = || Member::new(&session.id, places.session());
                    let alphabet = rules.monitor.alphabet();
                    let group = || FindingGroup::of(session, verdict, alphabet, places);
                    result.groups.add(key, verdict.name(), member, group);
                }
                Some(decided)
            }
            Err(panicked) => {
                checker.reset();
                let problem = InputProblem::internal(places.session(), panicked.to_string());
                result.add_problem(problem, rules.detail);
                None
            }
        }
    }
}

impl Rules {
    /// Whether a session is not selected; counts those.
    fn is_left_out(&self, id: &str, result: &mut ChunkResult) -> bool {
        let left_out = !self.selection.has(id);
        result.summary.not_selected += u64::from(left_out);
        left_out
    }

    /// Adds the key of a group to sessions that belong to one: failures, what is undecided, and
    /// what the gate asks for.
    fn decided(&self, checked: Checked, events: usize) -> Decided {
        let grouped = match &checked.verdict {
            Verdict::Pass => false,
            Verdict::Fail(_) | Verdict::Inconclusive(_) => true,
            Verdict::WeakPass => self.gate.names(checked.verdict.name()),
        };
        let key = if self.detail.groups && grouped {
            Fingerprint::of(&checked.verdict, self.monitor.alphabet())
        } else {
            None
        };
        Decided { checked, events, key }
    }

    /// Where to look for what is wrong.
    fn place(&self, verdict: &Verdict, session: &Session, places: &dyn Places) -> Option<Place> {
        let Verdict::Fail(Cause::Local(failure)) = verdict else { return places.session() };
        let alphabet = self.monitor.alphabet();
        let known =
            alphabet.locations().position(|it| alphabet.location_name(it) == failure.location);
        let foreign = || {
            let at = session.foreign.iter().position(|it| it.location == failure.location)?;
            Some(session.trace.len() + at)
        };
        // Where a log ends too early, its last event is the place.
        let event = |at| {
            let last = failure.event.is_none().then(|| failure.index.checked_sub(1));
            places.event(at, last.unwrap_or(Some(failure.index))?)
        };
        known.or_else(foreign).and_then(event).or_else(|| places.session())
    }

    fn add(
        &self,
        session: &str,
        decided: &Decided,
        result: &mut ChunkResult,
        place: impl FnOnce() -> Option<Place>,
    ) {
        let Decided { checked, events, key } = decided;
        result.summary.add(&checked.verdict, *events);
        result.violations += u64::from(self.gate.is_violation(checked.verdict.name(), *key));
        if !self.detail.lines && !self.detail.verdicts {
            return;
        }
        let place = if matches!(checked.verdict, Verdict::Pass) { None } else { place() };
        let alphabet = self.monitor.alphabet();
        if self.detail.lines {
            let line = SessionLine {
                session,
                verdict: &checked.verdict,
                witness: checked.witness.as_ref(),
                engine: self.engine,
                place: place.as_ref(),
            };
            write_session_line(&line, alphabet, &mut result.lines);
        }
        if self.detail.verdicts {
            let verdict = SessionVerdict::new(session, checked, self.engine, alphabet, place);
            result.items.push(Ok(verdict));
        }
    }
}

impl ChunkResult {
    fn add_problem(&mut self, problem: InputProblem, detail: Detail) {
        self.summary.errors += 1;
        if detail.lines {
            for place in &problem.places {
                self.lines.extend_from_slice(error_line(place).as_bytes());
                self.lines.push(b'\n');
            }
        }
        if detail.verdicts || self.summary.errors <= SHOWN_PROBLEMS {
            self.items.push(Err(problem));
        }
    }
}
