//! What one thread does with a chunk: sessions are read, decided, and put into what the run asks
//! for.

use crate::cause_order::sort_by_event_order;
use crate::chunk::Chunk;
use crate::coverage::{CoverageCounts, CoveragePlan, CoverageWorker, SessionCoverage};
use crate::error::Error;
use crate::illustrating::Illustrator;
use crate::monitor::Monitor;
use crate::repairing::repair_briefly;
use crate::rows::{NewRows, SessionRow, SessionRows};
use crate::selecting::Shard;
use crate::session_stream::{SessionReader, UnreadSession, for_each};
use crate::verdict::SessionVerdict;
use multitrace_formats::content_cache::ContentCache;
use multitrace_formats::place::{Place, Places, Unplaced};
use multitrace_formats::problem::InputProblem;
use multitrace_formats::selection::Selection;
use multitrace_formats::sessions::LineParts;
use multitrace_formats::workers::contained;
use multitrace_interaction::{Engine, Repair, Session, SessionLocations, Verdict};
use multitrace_reports::combinations::Combinations;
use multitrace_reports::costs::{Cost, Costs};
use multitrace_reports::explanation::{Explanation, place_of};
use multitrace_reports::finding::Finding;
use multitrace_reports::first_errors::{FirstErrors, SHOWN_PROBLEMS};
use multitrace_reports::gate::{CUT_OFF, Gate};
use multitrace_reports::groups::{EarlierKinds, FindingGroup, FindingGroups, Illustration, Member};
use multitrace_reports::outputs::OutputFormat;
use multitrace_reports::outputs::json_lines::{SessionLine, error_line, write_session_line};
use multitrace_reports::position::{FindingKey, Position};
use multitrace_reports::repair_view::RepairView;
use multitrace_reports::summary::Summary;
use multitrace_reports::view::View;
use multitrace_runtime::CheckConfig;
use multitrace_runtime::{Checked, Checker, Gaps};
use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use web_time::Instant;

/// What a run asks for beside its summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// A line of JSON for each session and problem.
    pub lines: bool,
    /// The groups of findings. Reports and baselines need them.
    pub groups: bool,
    /// The verdict of each session, and all problems.
    pub verdicts: bool,
    /// Pictures of groups and of the specification.
    pub pictures: bool,
    /// What each session costs.
    pub costs: bool,
    /// What a [partial report](crate::PartialReport) needs beside groups and pictures.
    pub partial: bool,
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
            detail.pictures |= format.has_pictures();
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
    /// What sessions may take of the specification, if the run asks for it.
    pub(crate) coverage: Option<CoveragePlan>,
    /// Whether witnesses are shown. Coverage needs them too.
    pub(crate) shows_witness: bool,
    /// Draws the examples of groups, if the run asks for it.
    pub(crate) illustrator: Option<Illustrator>,
    /// The numbers of the inputs by their names.
    pub(crate) numbers: InputNumbers,
    /// Whether sessions are ordered by their names, and not by their places in the input.
    pub(crate) by_name: bool,
    /// The part of the input that is checked, and the seed of its hashes.
    pub(crate) shard: Option<(Shard, u64)>,
    /// Which sample of the sessions is checked, as text.
    pub(crate) sample: Option<String>,
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
    fn of(&self, problem: &InputProblem) -> u32 {
        let table = || self.names.iter().rev().map(|(name, at)| (Arc::clone(name), *at)).collect();
        let table = self.table.get_or_init(table);
        let file = problem.places.first().map_or("", |place| &place.file);
        table.get(file).copied().unwrap_or(0)
    }
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
    coverage: Option<CoverageWorker<'r>>,
}

/// The cached result of a session.
struct Decided {
    checked: Checked,
    events: usize,
    /// What is wrong, as far as the run asks for it.
    findings: Vec<Finding>,
    /// What would make it accepted, if it fails and the run asks for it.
    repair: Option<Repair>,
    /// Whether it is accepted, and its event log was cut off.
    cut_off: bool,
    /// What a passing session took, if the run asks for it.
    coverage: Option<SessionCoverage>,
    /// What it cost, if the run asks for it.
    cost: Option<Cost>,
}

impl Decided {
    fn distance(&self) -> Option<u64> {
        self.repair.as_ref().map(|repair| repair.distance)
    }
}

/// A session as the example of groups.
struct Example {
    logs: Explanation,
    repair: Option<RepairView>,
    illustration: Option<Illustration>,
}

impl Example {
    /// The group of one of its findings, which is at a place.
    fn group(&self, finding: &Finding, decided: &Decided, place: Option<Place>) -> FindingGroup {
        let verdict = decided.checked.verdict.name();
        let illustration = self.illustration.clone();
        let (logs, repair) = (self.logs.clone(), self.repair.clone());
        FindingGroup { illustration, ..FindingGroup::new(finding, verdict, logs, repair, place) }
    }
}

/// What was found in one chunk.
#[derive(Default)]
pub(crate) struct ChunkResult {
    pub(crate) summary: Summary,
    pub(crate) violations: u64,
    /// Sessions whose findings the baseline has, all of them.
    pub(crate) known: u64,
    /// Lines of JSON.
    pub(crate) lines: Vec<u8>,
    /// Rows while they are made, if the run asks for them, and what has become of them.
    rows: Option<Box<dyn SessionRows>>,
    pub(crate) made_rows: Option<Box<dyn Any + Send>>,
    pub(crate) groups: FindingGroups,
    pub(crate) coverage: CoverageCounts,
    pub(crate) costs: Costs,
    /// The first problems of the input, by their places.
    pub(crate) errors: FirstErrors,
    /// Which findings sessions have together, if the run asks for it.
    pub(crate) combinations: Combinations,
    /// The first problems that were found, or all of them if verdicts or rows are asked for.
    pub(crate) items: Vec<Result<SessionVerdict, InputProblem>>,
}

impl Rules {
    pub(crate) fn worker(&self) -> Result<Worker<'_>, Error> {
        let checker = Checker::new(self.monitor.runtime(), self.config)?;
        let (session, verdicts) = (Session::default(), ContentCache::default());
        let coverage = self.coverage.as_ref().map(CoveragePlan::worker);
        Ok(Worker { rules: self, scratch: WorkerMemory { checker, session, verdicts, coverage } })
    }
}

impl Worker<'_> {
    /// Checks the sessions of a chunk, up to a number of violations. Findings of earlier kinds get no
    /// examples.
    pub(crate) fn check(
        &mut self,
        chunk: &Chunk,
        most: u64,
        earlier: &Arc<EarlierKinds>,
    ) -> ChunkResult {
        let groups = FindingGroups::after(Arc::clone(earlier));
        let rows = self.rules.rows.as_ref().map(NewRows::make);
        let mut result = ChunkResult { groups, rows, ..ChunkResult::default() };
        if let Chunk::Grouped { left_out, .. } = chunk {
            result.summary.not_selected += left_out;
        }
        let _ = for_each(chunk, |item| {
            match item {
                Ok(unread) => self.check_unread(&unread, &mut result),
                Err(problem) if self.rules.selection.reports_whole_input() => {
                    result.add_problem(problem.clone(), self.rules);
                }
                Err(_) => {}
            }
            match result.violations >= most {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        result.made_rows = result.rows.take().map(SessionRows::finish);
        result
    }

    fn check_unread(&mut self, unread: &UnreadSession<'_>, result: &mut ChunkResult) {
        let (rules, all) = (self.rules, self.rules.selection.is_everything());
        let content = unread.content();
        // Event logs are selected by event, before they are grouped.
        let id = if all || rules.reader.selects_events() { None } else { unread.id() };
        if id.as_ref().is_some_and(|id| rules.is_left_out(id, result)) {
            return;
        }
        if content.is_some_and(|parts| self.add_known(unread, parts, result)) {
            return;
        }
        let read = match rules.reader.read(unread, &mut self.scratch.session) {
            Ok(read) => read,
            Err(problem) => return rules.add_problem(problem, id.is_some(), result),
        };
        let late = !all && id.is_none() && !rules.reader.selects_events();
        if late && rules.is_left_out(&self.scratch.session.id, result) {
            return;
        }
        if let Some(problem) = read.problem {
            result.add_problem(problem, rules);
        }
        let position = || rules.position(unread);
        let decided = self.check_session((&read.places, &position), read.gaps, result);
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
        let WorkerMemory { checker, session, verdicts, .. } = &mut self.scratch;
        let Some(decided) = verdicts.find(parts.traces) else { return false };
        if rules.detail.costs {
            result.costs.remembered += 1;
        }
        rules.add((parts.id, None), decided, &[], result, || unread.place());
        let place = || unread.place();
        rules.add_to_groups(
            decided,
            result,
            (parts.id, &|| rules.position(unread)),
            &place,
            &|_| place(),
            &mut || {
                // Only what this reader can read is remembered.
                rules.reader.read_quickly(parts, session);
                let repair = rules.repaired(checker, session, Gaps::None, decided);
                rules.example(session, decided, repair.as_ref(), &place())
            },
        );
        true
    }

    /// Checks the session that was read.
    fn check_session(
        &mut self,
        (places, position): (&dyn Places, &dyn Fn() -> Position),
        gaps: Gaps,
        result: &mut ChunkResult,
    ) -> Option<Decided> {
        let rules = self.rules;
        let unplaced = Unplaced(places);
        let places: &dyn Places = if rules.by_name { &unplaced } else { places };
        let WorkerMemory { checker, session, coverage, .. } = &mut self.scratch;
        let begin = rules.detail.costs.then(Instant::now);
        let checked = contained(|| {
            let mut checked = checker.check_with_gaps(session, gaps);
            let is_repaired = rules.repair && matches!(checked.verdict, Verdict::Fail(_));
            let repair = is_repaired.then(|| checker.repair(session, gaps)).flatten();
            let taken = covered(coverage.as_mut(), &checked);
            if !rules.shows_witness {
                checked.witness = None;
            }
            (checked, repair, taken)
        });
        match checked {
            Ok((mut checked, repair, coverage)) => {
                if let Verdict::Fail(failure) = &mut checked.verdict {
                    sort_by_event_order(failure, session, rules.monitor.alphabet(), places);
                }
                let cost = begin.map(|begin| Cost {
                    nanoseconds: begin.elapsed().as_nanos().try_into().unwrap_or(u64::MAX),
                    nodes: checked.explored,
                    stage: checked.decided_by.name(),
                });
                cost.into_iter().for_each(|cost| result.costs.add(cost));
                let cut_off = gaps == Gaps::Ends && is_accepted(&checked.verdict);
                let decided = rules.decided(checked, session.event_count(), cut_off);
                let decided = Decided { repair, coverage, cost, ..decided };
                rules.add_read(session, &decided, (places, position), result, &mut |session| {
                    rules.repaired(checker, session, gaps, &decided)
                });
                Some(decided)
            }
            Err(panicked) => {
                checker.reset();
                let problem = InputProblem::internal(places.session(), panicked.to_string());
                result.add_problem(problem, rules);
                None
            }
        }
    }
}

impl Rules {
    /// Whether a session is not selected; counts those of its shard.
    fn is_left_out(&self, id: &str, result: &mut ChunkResult) -> bool {
        let left_out = !self.selection.has(id);
        // The shards of events were told apart when they were read.
        if !self.reader.reads_events() && !self.selection.in_shard(id) {
            return true;
        }
        result.summary.not_selected += u64::from(left_out);
        left_out
    }

    /// Adds what is wrong with a session. Without a name it belongs to no shard but the first.
    fn add_problem(&self, problem: InputProblem, has_id: bool, result: &mut ChunkResult) {
        if has_id || self.reader.reads_events() || self.selection.reports_whole_input() {
            result.add_problem(problem, self);
        }
    }

    /// Whether somebody asks for each session by itself.
    fn asks_for_sessions(&self) -> bool {
        self.detail.lines || self.asks_for_all()
    }

    /// Whether somebody asks for each session and all problems.
    pub(crate) fn asks_for_all(&self) -> bool {
        self.detail.verdicts || self.rows.is_some()
    }

    /// What orders a session among all.
    fn position(&self, unread: &UnreadSession<'_>) -> Position {
        if self.by_name { Position::default() } else { self.reader.position(unread) }
    }

    /// Adds what is wrong, if somebody asks for it.
    fn decided(&self, checked: Checked, events: usize, cut_off: bool) -> Decided {
        let asked = self.asks_for_sessions() || self.detail.groups || self.gate.baseline.is_some();
        let findings = match asked {
            _ if cut_off && self.gate.names(CUT_OFF) => vec![Finding::of_cut_off()],
            true => Finding::of(&checked.verdict, self.monitor.alphabet()),
            false => Vec::new(),
        };
        Decided { checked, events, findings, repair: None, cut_off, coverage: None, cost: None }
    }

    /// The findings that belong to groups, each kind once: failures, what is undecided, and what
    /// the gate asks for.
    fn grouped<'d>(&self, decided: &'d Decided) -> impl Iterator<Item = &'d Finding> + use<'d> {
        let verdict = &decided.checked.verdict;
        let is_grouped = self.detail.groups
            && (*verdict != Verdict::WeakPass
                || self.gate.names(verdict.name())
                || decided.cut_off && self.gate.names(CUT_OFF));
        let findings: &[Finding] = if is_grouped { &decided.findings } else { &[] };
        let mut kinds = HashSet::new();
        findings.iter().filter(move |finding| kinds.insert(finding.fingerprint))
    }

    /// The repair of a failing session that is an example.
    fn repaired(
        &self,
        checker: &mut Checker<'_>,
        session: &Session,
        gaps: Gaps,
        decided: &Decided,
    ) -> Option<Repair> {
        if self.repair || !matches!(decided.checked.verdict, Verdict::Fail(_)) {
            return decided.repair.clone();
        }
        repair_briefly(checker, session, gaps)
    }

    /// A session as the example of groups.
    fn example(
        &self,
        session: &Session,
        decided: &Decided,
        repair: Option<&Repair>,
        places: &dyn Places,
    ) -> Example {
        let (alphabet, view) = (self.monitor.alphabet(), &View::EXCERPT);
        let found = (&decided.findings[..], repair);
        let illustrate = |it: &Illustrator| it.illustrate(session, found, alphabet, places);
        let illustration = self.illustrator.as_ref().map(illustrate);
        let repair = repair.map(|it| RepairView::new(it, session, alphabet, places, view));
        let logs = Explanation::new(session, &decided.findings, alphabet, places, view);
        Example { logs, repair, illustration }
    }

    /// Adds a session that was read.
    fn add_read(
        &self,
        session: &Session,
        decided: &Decided,
        (places, position): (&dyn Places, &dyn Fn() -> Position),
        result: &mut ChunkResult,
        repair: &mut dyn FnMut(&Session) -> Option<Repair>,
    ) {
        let locations = SessionLocations::new(session, self.monitor.alphabet());
        let place_of = |finding: &Finding| place_of(finding, &locations, places);
        let own_place = |finding: &Finding| {
            place_of(finding).filter(|it| Some(it) != places.session().as_ref())
        };
        let own: Vec<Option<Place>> = match self.detail.lines {
            true => decided.findings.iter().map(own_place).collect(),
            false => Vec::new(),
        };
        let main = || decided.findings.first().map_or_else(|| places.session(), place_of);
        self.add((&session.id, decided.cost), decided, &own, result, main);
        let (at, place) = ((&*session.id, position), || places.session());
        self.add_to_groups(decided, result, at, &place, &place_of, &mut || {
            self.example(session, decided, repair(session).as_ref(), places)
        });
    }

    /// Adds a session, with its name and position, to the groups of its findings. `read_at` is where it
    /// was read, `place` is that of a finding; `example` explains the session, and is called at most
    /// once.
    fn add_to_groups(
        &self,
        decided: &Decided,
        result: &mut ChunkResult,
        (session, position): (&str, &dyn Fn() -> Position),
        read_at: &dyn Fn() -> Option<Place>,
        place: &dyn Fn(&Finding) -> Option<Place>,
        example: &mut dyn FnMut() -> Example,
    ) {
        let distance = decided.distance();
        let (mut explained, mut known) = (None, None);
        for (number, finding) in (0..).zip(self.grouped(decided)) {
            let position = &*known.get_or_insert_with(position);
            let key = FindingKey { position, session, finding: number };
            let member = || Member::new(key, read_at());
            let group = || {
                let example = explained.get_or_insert_with(&mut *example);
                example.group(finding, decided, place(finding))
            };
            result.groups.add(finding, distance, key, member, group);
        }
    }

    /// Counts a session, and adds its line with its cost and its verdict if they are asked for. `places` are those
    /// of its findings, where single events have places; `place` is where to look.
    fn add(
        &self,
        (session, cost): (&str, Option<Cost>),
        decided: &Decided,
        places: &[Option<Place>],
        result: &mut ChunkResult,
        place: impl FnOnce() -> Option<Place>,
    ) {
        let Decided { checked, events, findings, repair, cut_off, coverage, .. } = decided;
        result.summary.add(&checked.verdict, *events);
        result.summary.cut_off += u64::from(*cut_off);
        coverage.iter().for_each(|it| result.coverage.add(it));
        if let Some(repair) = repair {
            result.summary.repairs.get_or_insert_default().add(repair);
        }
        let is_plain = checked.verdict == Verdict::Pass && !*cut_off;
        if is_plain && !self.asks_for_sessions() {
            return;
        }
        let verdict = checked.verdict.name();
        let counts = self.gate.counts(verdict, findings);
        let known = counts && self.gate.knows_all(findings);
        result.violations += u64::from(counts && !known);
        result.known += u64::from(known);
        if self.detail.partial && counts {
            result.combinations.add(verdict, findings);
        }
        if !self.asks_for_sessions() {
            return;
        }
        let place = if is_plain { None } else { place() };
        if self.detail.lines {
            let line = SessionLine {
                session,
                verdict: &checked.verdict,
                findings,
                places,
                omitted: omitted(&checked.verdict),
                repair: repair.as_ref(),
                witness: checked.witness.as_ref(),
                engine: self.engine,
                cost,
                cut_off: *cut_off,
                known,
                place: place.as_ref(),
            };
            write_session_line(&line, self.monitor.alphabet(), &mut result.lines);
        }
        if let Some(rows) = &mut result.rows {
            let (repair, place) = (repair.as_ref(), place.as_ref());
            rows.add(&SessionRow { session, verdict: &checked.verdict, findings, repair, place });
        }
        if self.detail.verdicts {
            let findings = findings.clone();
            let mut verdict = SessionVerdict::new(session, checked, findings, self.engine, place);
            verdict.repair.clone_from(repair);
            result.items.push(Ok(verdict));
        }
    }
}

fn is_accepted(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Pass | Verdict::WeakPass)
}

/// What a session took, if it passed and the run asks for it.
fn covered(worker: Option<&mut CoverageWorker<'_>>, checked: &Checked) -> Option<SessionCoverage> {
    let worker = worker.filter(|_| checked.verdict == Verdict::Pass)?;
    Some(worker.follow(checked.witness.as_ref()))
}

/// How many causes of a failure are left out.
fn omitted(verdict: &Verdict) -> u64 {
    match verdict {
        Verdict::Fail(failure) => failure.omitted,
        _ => 0,
    }
}

impl ChunkResult {
    fn add_problem(&mut self, problem: InputProblem, rules: &Rules) {
        let detail = rules.detail;
        self.summary.errors += 1;
        self.errors.add(rules.numbers.of(&problem), &problem);
        if detail.lines {
            for place in &problem.places {
                self.lines.extend_from_slice(error_line(place).as_bytes());
                self.lines.push(b'\n');
            }
        }
        if rules.asks_for_all() || self.summary.errors <= SHOWN_PROBLEMS {
            self.items.push(Err(problem));
        }
    }
}
