//! Sinks of judged sessions: they are counted, written as lines, made rows, and put into groups.

use crate::coverage::CoverageCounts;
use crate::illustrating::illustrate;
use crate::judging::{Judge, Judged, Lack};
use crate::logged_locations::LoggedLocations;
use crate::occurrences::{MOST_EDITS, locate};
use crate::rows::{SessionRow, SessionRows};
use crate::rules::Rules;
use crate::verdict::SessionVerdict;
use indexmap::IndexMap;
use multitrace_formats::place::{Place, Places};
use multitrace_formats::problem::InputProblem;
use multitrace_formats::selection::hash;
use multitrace_interaction::{Cause, Session, Verdict};
use multitrace_reports::codes::Code;
use multitrace_reports::combinations::Combinations;
use multitrace_reports::costs::{Cost, Costs};
use multitrace_reports::explanation::{Explanation, place_of};
use multitrace_reports::finding::Finding;
use multitrace_reports::first_errors::{FirstErrors, TOLD_PROBLEMS};
use multitrace_reports::gate::CUT_OFF;
use multitrace_reports::groups::{FindingGroup, FindingGroups, Fingerprint, Illustration, Member};
use multitrace_reports::outputs::json_lines::{SessionLine, error_line, write_session_line};
use multitrace_reports::position::{FindingKey, Position};
use multitrace_reports::repair_view::RepairView;
use multitrace_reports::session_names::SessionNames;
use multitrace_reports::summary::Summary;
use multitrace_reports::view::View;
use multitrace_runtime::Gaps;
use std::any::Any;
use std::cell::OnceCell;
use std::collections::HashMap;

/// The most faults that are named of the example of a group: a screen of them.
const MOST_FAULTS: usize = 20;

/// The results for one chunk.
#[derive(Default)]
pub(crate) struct ChunkResult {
    pub(crate) summary: Summary,
    pub(crate) violations: u64,
    /// Sessions whose findings the baseline has, all of them.
    pub(crate) known: u64,
    /// Lines of JSON.
    pub(crate) lines: Vec<u8>,
    /// Rows while they are made, if the run asks for them, and those that are finished.
    pub(crate) rows: Option<Box<dyn SessionRows>>,
    pub(crate) made_rows: Option<Box<dyn Any + Send>>,
    pub(crate) groups: FindingGroups,
    pub(crate) coverage: CoverageCounts,
    pub(crate) costs: Costs,
    /// The first problems of the input, by their places.
    pub(crate) errors: FirstErrors,
    /// Which findings sessions have together, if the run asks for it.
    pub(crate) combinations: Combinations,
    /// The sum of the hashes of the sessions, if the run asks for a part.
    pub(crate) sessions_hash: u64,
    /// The locations that logged something.
    pub(crate) logged: LoggedLocations,
    /// The first problems that were found, and the verdicts if they are asked for.
    pub(crate) items: Vec<Result<SessionVerdict, InputProblem>>,
}

/// Where a session was read, and its findings are.
#[derive(Clone, Copy)]
pub(crate) struct ReadPlaces<'p> {
    /// The name of the session.
    pub(crate) session: &'p str,
    /// The position of the session among all.
    pub(crate) position: &'p dyn Fn() -> Position,
    pub(crate) read_at: &'p dyn Fn() -> Option<Place>,
    /// The place of a finding.
    pub(crate) finding: &'p dyn Fn(&Finding) -> Option<Place>,
}

/// A session as the example of groups.
pub(crate) struct Example {
    /// The findings that are certain, with cycles.
    evidence: Vec<Finding>,
    logs: Explanation,
    /// Everything that went wrong.
    faults: Vec<(Code, String)>,
    repair: Option<RepairView>,
    illustration: Illustration,
    /// The first findings, with their places in the specification: as many as are looked for there.
    located: Vec<Finding>,
}

impl Example {
    /// The group of one of its findings, which is at a place.
    fn group(&self, finding: &Finding, judged: &Judged, place: Option<Place>) -> FindingGroup {
        let is_same = |it: &&Finding| it.kind == finding.kind;
        let with_cycle = self.evidence.iter().find(is_same);
        let located = self.located.iter().find(|it| it.place == finding.place);
        let finding = with_cycle.filter(|_| finding.fault.is_none()).or(located).unwrap_or(finding);
        let verdict = judged.checked.verdict.name();
        let illustration = self.illustration.clone();
        let (logs, repair) = ((self.logs.clone(), self.faults.clone()), self.repair.clone());
        FindingGroup { illustration, ..FindingGroup::new(finding, verdict, logs, repair, place) }
    }
}

impl Rules {
    /// A session as the example of groups.
    pub(crate) fn example(
        &self,
        judge: &mut Judge<'_>,
        (session, gaps): (&Session, Gaps),
        judged: &Judged,
        places: &dyn Places,
    ) -> Example {
        let names = SessionNames { session, alphabet: self.monitor.alphabet() };
        let (view, repair) = (&View::EXCERPT, judged.repair.as_ref());
        let verdict = &judged.checked.verdict;
        let of_all = |cause: &Cause| !matches!(cause, Cause::Local(_));
        let has_frontier = !judged.is_withheld
            && matches!(verdict, Verdict::Fail(it) if it.causes.iter().any(of_all));
        let with_cycles = has_frontier.then(|| judge.evidence_with_cycles((session, gaps), places));
        let evidence = match judged.is_failure() {
            true => with_cycles.flatten().unwrap_or_else(|| Finding::of(verdict, &names)),
            false => judged.findings.clone(),
        };
        let faults = judged.findings.iter().filter(|_| judged.is_failure()).take(MOST_FAULTS);
        let faults = faults.map(|it| (it.code, view.sentence(&it.line())));
        // Such logs excuse nothing here, and may be a cause all the same.
        let silence = match gaps {
            Gaps::Locations if judged.is_failure() => {
                let silent = repair.and_then(|it| judge.silent((session, gaps), it));
                Finding::silence(&names, silent)
            }
            _ => None,
        };
        let silence = silence.map(|it| (Code::Partial, view.sentence(&it)));
        let found = (&judged.findings[..], &evidence[..], repair);
        let mut located: Vec<Finding> = judged.findings.iter().take(MOST_EDITS).cloned().collect();
        locate(&self.monitor, judge, (session, gaps), repair, &mut located);
        Example {
            logs: Explanation::new(&names, (&judged.findings, &evidence), places, view),
            faults: told_once(faults.chain(silence)),
            repair: repair.map(|it| RepairView::new(it, &names, places, view)),
            illustration: illustrate(&names, found, &self.pairs, places),
            // A session may have a million findings, each a fault.
            evidence: match judged.findings.iter().all(|it| it.fault.is_some()) {
                true => Vec::new(),
                false => evidence,
            },
            located,
        }
    }

    /// The findings that belong to groups, those of one kind together, with their numbers: those of failures, of undecided
    /// sessions, and of verdicts that the gate names. The first of a kind is one that the baseline lacks, if there is one.
    fn grouped<'d>(&self, judged: &'d Judged) -> Vec<Vec<(u32, &'d Finding)>> {
        let verdict = &judged.checked.verdict;
        let is_grouped = self.detail.groups
            && (*verdict != Verdict::WeakPass
                || self.gate.names(verdict.name())
                || judged.cut_off && self.gate.names(CUT_OFF));
        let findings: &[Finding] = if is_grouped { &judged.findings } else { &[] };
        let mut kinds: Vec<Vec<(u32, &Finding)>> = Vec::new();
        let mut places: HashMap<Fingerprint, usize> = HashMap::new();
        for (number, finding) in (0..).zip(findings) {
            let at = *places.entry(finding.kind).or_insert(kinds.len());
            match kinds.get_mut(at) {
                Some(same) => same.push((number, finding)),
                None => kinds.push(vec![(number, finding)]),
            }
        }
        for same in &mut kinds {
            let new = same.iter().position(|(_, it)| !self.is_known(it));
            same.swap(0, new.unwrap_or(0));
        }
        kinds
    }

    /// Whether a finding is known while sessions are grouped. Parts do not depend on a baseline: they are merged for any.
    fn is_known(&self, finding: &Finding) -> bool {
        !self.detail.partial && self.gate.knows(&finding.place)
    }
}

/// Codes and sentences, equal ones as one with their number.
fn told_once(told: impl Iterator<Item = (Code, String)>) -> Vec<(Code, String)> {
    let mut counts: IndexMap<(Code, String), usize> = IndexMap::new();
    told.for_each(|it| *counts.entry(it).or_default() += 1);
    let text = |((code, text), count): ((Code, String), usize)| match count {
        1 => (code, text),
        _ => (code, format!("{text}, {count} times")),
    };
    counts.into_iter().map(text).collect()
}

impl ChunkResult {
    /// Adds a session that was read.
    pub(crate) fn add_read(
        &mut self,
        session: &Session,
        judged: &Judged,
        rules: &Rules,
        (places, position): (&dyn Places, &dyn Fn() -> Position),
        example: &mut dyn FnMut() -> Example,
    ) {
        let place_of = |finding: &Finding| place_of(finding, places);
        // Every event of the session may be looked at for its place, and each finding asks for it.
        let first = OnceCell::new();
        let read_at = || first.get_or_init(|| places.session()).clone();
        let own_place =
            |finding: &Finding| place_of(finding).filter(|it| Some(it) != read_at().as_ref());
        let own: Vec<Option<Place>> = match rules.detail.lines {
            true => judged.findings.iter().map(own_place).collect(),
            false => Vec::new(),
        };
        let main = || judged.findings.first().map_or_else(read_at, place_of);
        self.add((&session.id, judged.cost), judged, &own, rules, main);
        self.logged.add(session);
        let places =
            ReadPlaces { session: &session.id, position, read_at: &read_at, finding: &place_of };
        self.add_to_groups(judged, rules, places, example);
    }

    /// Adds a session to the groups of its findings; `example` explains it, and is called at most once.
    pub(crate) fn add_to_groups(
        &mut self,
        judged: &Judged,
        rules: &Rules,
        places: ReadPlaces<'_>,
        example: &mut dyn FnMut() -> Example,
    ) {
        let distance = judged.distance();
        let (mut explained, mut known) = (None, None);
        for findings in rules.grouped(judged) {
            let (number, first) = findings[0];
            let position = &*known.get_or_insert_with(places.position);
            let (session, finding) = (places.session, number);
            let (is_known, edits) = (rules.is_known(first), distance.unwrap_or(0));
            let key = FindingKey { is_known, distance: edits, position, session, finding };
            let member = |key: FindingKey<'_>| Member::new(key, (places.read_at)());
            let group = |finding: &Finding| {
                let example = explained.get_or_insert_with(&mut *example);
                example.group(finding, judged, (places.finding)(finding))
            };
            self.groups.add(&findings, distance, key, member, group);
        }
    }

    /// Counts a session, and adds its line with its cost, its row and its verdict if they are asked for. `own`
    /// are the places of its findings, where single events have places; `place` is where to look.
    pub(crate) fn add(
        &mut self,
        (session, cost): (&str, Option<Cost>),
        judged: &Judged,
        own: &[Option<Place>],
        rules: &Rules,
        place: impl FnOnce() -> Option<Place>,
    ) {
        self.count(judged, rules);
        if rules.detail.partial {
            self.sessions_hash = self.sessions_hash.wrapping_add(hash(0, session));
        }
        if judged.is_plain() && !rules.asks_for_sessions() {
            return;
        }
        let known = self.judge_violation(judged, rules);
        if !rules.asks_for_sessions() {
            return;
        }
        let place = if judged.is_plain() { None } else { place() };
        let Judged { checked, findings, repair_view: repair, .. } = judged;
        if rules.detail.lines {
            let line = SessionLine {
                session,
                verdict: &checked.verdict,
                findings,
                evidence: &judged.evidence,
                places: own,
                omitted: judged.omitted(),
                repair: repair.as_ref(),
                witness: checked.witness.as_ref(),
                engine: rules.engine,
                cost,
                cut_off: judged.cut_off,
                known,
                place: place.as_ref(),
                words: rules.words,
            };
            write_session_line(&line, rules.monitor.alphabet(), &mut self.lines);
        }
        if let Some(rows) = &mut self.rows {
            let (repair, place) = (repair.as_ref(), place.as_ref());
            rows.add(&SessionRow { session, verdict: &checked.verdict, findings, repair, place });
        }
        if rules.detail.verdicts {
            let verdict =
                SessionVerdict::new(session, checked, findings.clone(), rules.engine, place);
            let (repair, evidence) = (repair.clone(), judged.evidence.clone());
            self.items.push(Ok(SessionVerdict { repair, evidence, ..verdict }));
        }
    }

    fn count(&mut self, judged: &Judged, rules: &Rules) {
        self.summary.add(&judged.checked.verdict, judged.events);
        self.summary.cut_off += u64::from(judged.cut_off);
        self.summary.only_ends += u64::from(judged.lack != Lack::Other);
        self.summary.only_logs += u64::from(judged.lack == Lack::Logs);
        judged.coverage.iter().for_each(|it| self.coverage.add(it, 1));
        if let Some(repair) = judged.repair.as_ref().filter(|_| rules.repair) {
            self.summary.repairs.get_or_insert_default().add(repair);
        }
    }

    /// Counts a session that fails the run; whether the baseline has all of its findings.
    fn judge_violation(&mut self, judged: &Judged, rules: &Rules) -> bool {
        let (verdict, findings) = (judged.checked.verdict.name(), &judged.findings);
        let counts = rules.gate.counts(verdict, findings);
        let known = counts && rules.gate.knows_all(findings);
        self.violations += u64::from(counts && !known);
        self.known += u64::from(known);
        if rules.detail.partial && counts {
            self.combinations.add(verdict, findings);
        }
        known
    }

    pub(crate) fn add_problem(&mut self, problem: InputProblem, rules: &Rules) {
        let before = self.summary.errors;
        self.summary.errors = before.saturating_add(problem.count());
        self.errors.add(rules.numbers.of(&problem), &problem);
        if rules.detail.lines {
            for place in &problem.places {
                self.lines.extend_from_slice(error_line(place, problem.further).as_bytes());
                self.lines.push(b'\n');
            }
        }
        if before < TOLD_PROBLEMS {
            self.items.push(Err(problem));
        }
    }
}
