//! The work of one thread on a chunk: it reads sessions, judges them, and puts them into the sinks of the run.

use crate::chunk::Chunk;
use crate::coverage::{CoveragePlan, CoverageWorker, SessionCoverage};
use crate::error::Error;
use crate::judging::{Judge, Judged, Lack};
use crate::known_failures::KnownFailures;
use crate::rows::{NewRows, SessionRows};
use crate::rules::{LeftOut, Rules};
use crate::session_stream::{UnreadSession, for_each};
use crate::sinks::{ChunkResult, ReadPlaces};
use multitrace_formats::content_cache::ContentCache;
use multitrace_formats::place::{Places, Unplaced};
use multitrace_interaction::{Failure, Session, Verdict};
use multitrace_reports::costs::Cost;
use multitrace_reports::finding::Finding;
use multitrace_reports::gate::CUT_OFF;
use multitrace_reports::groups::{EarlierKinds, FindingGroups};
use multitrace_reports::position::Position;
use multitrace_reports::session_names::SessionNames;
use multitrace_runtime::{Checked, Gaps};
use std::ops::ControlFlow;
use std::sync::Arc;
use web_time::Instant;

/// Buffers that a thread keeps from session to session.
pub(crate) struct Worker<'r> {
    rules: &'r Rules,
    judge: Judge<'r>,
    session: Session,
    /// Results of judged sessions, by the text of their traces.
    judged: ContentCache<Judged>,
    /// The same of failing sessions of event logs; `None` if findings name machines, which differ from session to session.
    failures: Option<KnownFailures>,
    coverage: Option<CoverageWorker<'r>>,
}

impl<'r> Worker<'r> {
    pub(crate) fn new(rules: &'r Rules) -> Result<Worker<'r>, Error> {
        let judge = Judge::new(&rules.monitor, rules.config)?;
        let (session, judged) = (Session::default(), ContentCache::default());
        let coverage = rules.coverage.as_ref().map(CoveragePlan::worker);
        let tells_no_machines = rules.reader.mapping().is_some_and(|it| !it.has_roles());
        let failures = tells_no_machines.then(KnownFailures::default);
        Ok(Worker { rules, judge, session, judged, failures, coverage })
    }

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
            result.summary.not_selected += left_out.all;
            result.summary.not_kept += left_out.not_kept;
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
        let key = unread.key();
        // Event logs are selected by event, before they are grouped.
        let id = if all || rules.reader.selects_events() { None } else { unread.id() };
        if id.as_ref().is_some_and(|id| is_left_out(rules, id, result)) {
            return;
        }
        if key.is_some_and(|key| self.add_known(unread, key, result)) {
            return;
        }
        let mut read = match rules.reader.read(unread, &mut self.session) {
            Ok(read) => read,
            Err(problem) if rules.reports_problem(id.is_some()) => {
                return result.add_problem(problem, rules);
            }
            Err(_) => return,
        };
        let late = !all && id.is_none() && !rules.reader.selects_events();
        if late && is_left_out(rules, &self.session.id, result) {
            return;
        }
        if let UnreadSession::Htf(file) = unread {
            let is_blank = self.session.event_count() == 0 && file.is_blank();
            result.summary.empty_files += u64::from(is_blank);
        }
        let is_reordered = self.judge.order_events(&mut read, &mut self.session);
        result.summary.reordered += u64::from(is_reordered);
        if let Some(problem) = read.problem {
            result.add_problem(problem, rules);
        }
        let position = || rules.position(unread);
        let given = (read.gaps, read.failure);
        let judged = self.check_session((&read.places, &position), given, result);
        match (judged, key, &mut self.failures) {
            (Some(judged), Some(key), _) if read.has_content => {
                let holds = judged.held_bytes();
                self.judged.insert(key, judged, holds);
            }
            (Some(judged), None, Some(failures)) if judged.is_failure() => {
                failures.insert(Judged { cost: None, ..judged });
            }
            _ => {}
        }
    }

    /// Adds a session that was judged before, by its key; false if it was not.
    fn add_known(
        &mut self,
        unread: &UnreadSession<'_>,
        key: &[u8],
        result: &mut ChunkResult,
    ) -> bool {
        let Worker { rules, judge, session, judged, .. } = self;
        let Some(judged) = judged.find(key) else { return false };
        let id = unread.id().unwrap_or_default();
        if rules.detail.costs {
            result.costs.remembered += 1;
        }
        result.add((&id, None), judged, &[], rules, || unread.place());
        let places = ReadPlaces {
            session: &id,
            position: &|| rules.position(unread),
            read_at: &|| unread.place(),
            finding: &|_| unread.place(),
        };
        result.add_to_groups(judged, rules, places, &mut || {
            // Only sessions that this reader can read are remembered.
            let read = rules.reader.read(unread, session);
            let gaps = read.map_or(Gaps::None, |read| read.gaps);
            rules.example(judge, (session, gaps), judged, &unread.place())
        });
        true
    }

    /// Judges the session that was read.
    fn check_session(
        &mut self,
        (places, position): (&dyn Places, &dyn Fn() -> Position),
        (gaps, failure): (Gaps, Option<Failure>),
        result: &mut ChunkResult,
    ) -> Option<Judged> {
        let rules = self.rules;
        let unplaced = Unplaced(places);
        let places: &dyn Places = if rules.by_name { &unplaced } else { places };
        let Worker { judge, session, coverage, failures, .. } = self;
        let begin = rules.detail.costs.then(Instant::now);
        let given = (&*session, gaps);
        let is_withheld = failure.is_some();
        let judged = judge.judge(given, failure, places, |judge, checked| {
            if let (Verdict::Fail(failure), Some(failures)) = (&checked.verdict, failures)
                && let Some(known) = failures.find(given, failure, places)
            {
                return Found::Known(known);
            }
            let coverage = taken(coverage.as_mut(), &checked);
            let judged = match is_withheld {
                true => withheld(rules, given.0, checked),
                false => look_closer(rules, judge, given, checked, places),
            };
            let cost = begin.map(|begin| Cost {
                nanoseconds: begin.elapsed().as_nanos().try_into().unwrap_or(u64::MAX),
                nodes: judged.checked.explored,
                stage: judged.checked.decided_by.name(),
            });
            Found::New(Judged { coverage, cost, ..judged })
        });
        let found = match judged {
            Ok(found) => found,
            Err(problem) => {
                result.add_problem(problem, rules);
                return None;
            }
        };
        let judged = found.judged();
        if judged.cost.is_none() && rules.detail.costs {
            result.costs.remembered += 1;
        }
        judged.cost.into_iter().for_each(|cost| result.costs.add(cost));
        let (session, place) = (&*session, (places, position));
        result.add_read(session, judged, rules, place, &mut || {
            rules.example(judge, (session, gaps), judged, places)
        });
        match found {
            Found::New(judged) => Some(judged),
            Found::Known(_) => None,
        }
    }
}

/// A session that was judged now, or an equal one before.
#[allow(
    clippy::large_enum_variant,
    reason = "there is one at a time, and a box would be an allocation a session"
)]
enum Found<'c> {
    New(Judged),
    Known(&'c Judged),
}

impl Found<'_> {
    fn judged(&self) -> &Judged {
        match self {
            Found::New(judged) => judged,
            Found::Known(judged) => judged,
        }
    }
}

/// A session that fails whatever its letters are, which are not known: nothing but its verdict can be told.
fn withheld(rules: &Rules, session: &Session, checked: Checked) -> Judged {
    let names = SessionNames { session, alphabet: rules.monitor.alphabet() };
    Judged {
        events: session.event_count(),
        findings: Finding::of(&checked.verdict, &names),
        evidence: rules.evidence(&checked.verdict, &names),
        is_withheld: true,
        ..Judged::of(checked)
    }
}

/// The findings of a session that was decided, as far as the run asks for them.
fn look_closer(
    rules: &Rules,
    judge: &mut Judge<'_>,
    (session, gaps): (&Session, Gaps),
    checked: Checked,
    places: &dyn Places,
) -> Judged {
    let is_accepted = matches!(checked.verdict, Verdict::Pass | Verdict::WeakPass);
    let cut_off = gaps == Gaps::Ends && is_accepted;
    let names = SessionNames { session, alphabet: rules.monitor.alphabet() };
    let (findings, repair) = match &checked.verdict {
        _ if cut_off && rules.gate.names(CUT_OFF) => (vec![Finding::of_cut_off(&names)], None),
        Verdict::Pass => Default::default(),
        verdict if rules.asks_for_findings() => {
            judge.findings((session, gaps), verdict, places, rules.effort())
        }
        _ => Default::default(),
    };
    Judged {
        events: session.event_count(),
        findings,
        evidence: rules.evidence(&checked.verdict, &names),
        lack: Lack::of(repair.as_ref(), session),
        repair_view: rules.repair_view(repair.as_ref(), &names),
        repair,
        cut_off,
        ..Judged::of(match rules.shows_witness {
            true => checked,
            false => Checked { witness: None, ..checked },
        })
    }
}

/// Whether a session is not checked; counts those of its shard.
fn is_left_out(rules: &Rules, id: &str, result: &mut ChunkResult) -> bool {
    let left_out = rules.leaves_out(id);
    result.summary.not_selected += u64::from(left_out == LeftOut::Here);
    left_out != LeftOut::No
}

/// The parts that a session took, if it passed and the run asks for coverage.
fn taken(worker: Option<&mut CoverageWorker<'_>>, checked: &Checked) -> Option<SessionCoverage> {
    let worker = worker.filter(|_| checked.verdict == Verdict::Pass)?;
    Some(worker.follow(checked.witness.as_ref()))
}
