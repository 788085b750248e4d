//! The one door of this crate: sessions in, verdicts out.

pub(crate) mod any_order;

use crate::budget::Allowance;
use crate::cause::remains::Remains;
use crate::cause::{failure, furthest_on_terms};
use crate::config::{CheckConfig, EngineChoice};
use crate::decide::answer::Answer;
use crate::decide::{Decided, all_traces, decide, traces};
use crate::decider_name::DeciderName;
use crate::gaps::{self, Gaps};
use crate::local_walk::gaps::words_before;
use crate::monitor::Monitor;
use crate::repair::{RepairScratch, repair};
use crate::scratch::Scratch;
use crate::task::Task;
use multitrace_formats::bundle::Unsupported;
use multitrace_formats::place::Places;
use multitrace_interaction::{
    BudgetLimit, EditKind, Engine, Fault, FaultKind, Id, InconclusiveReason, LetterId, LocationId,
    Observation, Reached, Repair, Session, Verdict, Witness,
};
use std::collections::BTreeMap;

/// Checks sessions, one after the other, against a monitor.
///
/// A checker keeps the memory of its searches from session to session, so use one per worker and
/// keep it. Its answers do not depend on the sessions before.
///
/// ```no_run
/// use multitrace_formats::bundle::Bundle;
/// use multitrace_interaction::{Session, Verdict};
/// use multitrace_runtime::{CheckConfig, Checker, Monitor, NoEngine};
/// fn all_pass(bundle: Bundle, sessions: &[Session]) -> Result<bool, NoEngine> {
///     let monitor = Monitor::new(bundle);
///     let mut checker = Checker::new(&monitor, CheckConfig::default())?;
///     Ok(sessions.iter().all(|session| checker.check(session).verdict == Verdict::Pass))
/// }
/// ```
#[derive(Debug)]
pub struct Checker<'a> {
    monitor: &'a Monitor,
    config: CheckConfig,
    engine: Engine,
    memory: CheckerBuffers,
}

/// Tables and buffers that a checker keeps between sessions.
#[derive(Debug, Default)]
struct CheckerBuffers {
    scratch: Scratch,
    repair: RepairScratch,
    remains: Remains,
}

/// How far a repair is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Within the budget.
    Whole,
    /// Within a budget of its own, that is spent in milliseconds, for a session that is only an example: a far one gets a
    /// lower bound of its distance.
    Brief,
}

/// How many states the repair of an example may visit. An estimate, not measured.
const BRIEF_STATES: u64 = 50_000;
/// The same on terms. Fewer, since each is derived again. An estimate, not measured.
const BRIEF_TERMS: u64 = 1_000;
/// How many more it may visit for each event. An estimate, not measured.
const BRIEF_STATES_PER_EVENT: u64 = 16;

/// Why no engine can check sessions as configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoEngine {
    /// The compiled automaton was chosen, or there are no terms, and this construct prevents an
    /// automaton. Remedy: choose the term engine, or change the construct.
    #[error("there is no automaton: {0}")]
    NoAutomaton(Unsupported),
    /// Terms were chosen, and the specification is an automaton. Remedy: choose the compiled one.
    #[error("an automaton that was given directly has no terms; use ‹engine=nfa›")]
    NoTerms,
    /// Prefixes of global traces were asked for, and events of the specification need not be logged. Remedy: choose
    /// another observation mode.
    #[error(
        "events that need not be logged were made optional, which keeps the logs and not the global traces; use \
         ‹observe=prefix›"
    )]
    NoGlobalTraces,
}

/// The answer for one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The verdict, with its evidence.
    pub verdict: Verdict,
    /// If the configuration asks for it: the accepted global trace behind a pass or a weak-pass. On terms, `None`
    /// also where the budget decided the session but was spent before that trace was whole.
    pub witness: Option<Witness>,
    /// The number of nodes visited to decide, without those visited for an explanation. Without an automaton it may depend on
    /// the sessions before.
    pub explored: u64,
    /// The stage that gave the verdict.
    pub decided_by: DeciderName,
}

impl<'a> Checker<'a> {
    /// A checker for one worker.
    ///
    /// # Errors
    /// If the engine of the configuration is unavailable for this monitor.
    pub fn new(monitor: &'a Monitor, config: CheckConfig) -> Result<Checker<'a>, NoEngine> {
        let engine = engine(monitor, config.engine)?;
        // Made here, the terms of the specification cost no session its time.
        if engine == Engine::Term {
            monitor.terms(traces(&config), None);
        }
        if config.observation == Observation::GlobalPrefix {
            if monitor.bundle().has_only_multi_traces {
                return Err(NoEngine::NoGlobalTraces);
            }
            monitor.terms(all_traces(&config), None);
        }
        Ok(Checker { monitor, config, engine, memory: CheckerBuffers::default() })
    }

    /// The engine that decides.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Checks one session.
    pub fn check(&mut self, session: &Session) -> Checked {
        check(self.monitor, self.engine, &self.config, session, &mut self.memory)
    }

    /// Checks a session that may have gaps. If it fails, the verdict is the one that its gaps leave
    /// certain: inconclusive if the session might pass with the missing events, else a failure whose
    /// cause holds whatever is missing.
    pub fn check_with_gaps(&mut self, session: &Session, gaps: Gaps) -> Checked {
        if gaps == Gaps::Events {
            // Even an event that the specification does not know may have been named after a record that is missing.
            let verdict = Verdict::Inconclusive(InconclusiveReason::Damaged);
            let decided_by = DeciderName::SingleLogs;
            return Checked { verdict, witness: None, explored: 0, decided_by };
        }
        let checked = self.check(session);
        match gaps.excusing_mode(session, self.config.observation) {
            Some(observation) if matches!(checked.verdict, Verdict::Fail(_)) => {
                self.excuse(session, checked, gaps, observation)
            }
            _ => checked,
        }
    }

    /// The same with cycles, whatever the configuration says.
    pub fn check_with_cycles(&mut self, session: &Session, gaps: Gaps) -> Checked {
        let without_cycles = std::mem::replace(&mut self.config.without_cycles, false);
        let checked = self.check_with_gaps(session, gaps);
        self.config.without_cycles = without_cycles;
        checked
    }

    /// The accepted trace of a session in the mode that allows for its gaps, as repairs do; `None` if it is not accepted.
    pub fn witness(&mut self, session: &Session, gaps: Gaps) -> Option<Witness> {
        let observation = gaps.excusing_mode(session, self.config.observation);
        let observation = observation.unwrap_or(self.config.observation);
        let config = CheckConfig { observation, witness: true, ..self.config };
        check(self.monitor, self.engine, &config, session, &mut self.memory).witness
    }

    /// The locations without events that must have acted in an accepted session, as its gaps allow.
    pub fn silent(&mut self, session: &Session, gaps: Gaps) -> Vec<LocationId> {
        let witness = self.witness(session, gaps);
        gaps::silent(self.monitor, session, witness.as_ref())
    }

    /// Checks a failed session in the mode that allows for its gaps: if it passes there, it is inconclusive.
    fn excuse(
        &mut self,
        session: &Session,
        failed: Checked,
        gaps: Gaps,
        observation: Observation,
    ) -> Checked {
        let config = CheckConfig { observation, witness: gaps == Gaps::Locations, ..self.config };
        let with_gaps = check(self.monitor, self.engine, &config, session, &mut self.memory);
        if with_gaps.verdict != Verdict::WeakPass {
            return with_gaps;
        }
        let reason = gaps.reason(self.monitor, session, with_gaps.witness.as_ref());
        Checked { verdict: Verdict::Inconclusive(reason), ..failed }
    }

    /// The least change that makes a failing session accepted, in the mode that allows for its gaps as
    /// [`Checker::check_with_gaps`] does. It has its own budget, as large as that of a check.
    ///
    /// `None` in global-prefix mode, and for sessions with events missing anywhere
    /// ([`Gaps::Events`]). If the specification accepts nothing, the distance is a lower bound, and
    /// there are no edits.
    pub fn repair(&mut self, session: &Session, gaps: Gaps) -> Option<Repair> {
        self.repair_with(session, gaps, &None, Effort::Whole)
    }

    /// A repair whose faults are in the order of the places of their events, where nothing else orders them.
    pub fn repair_with(
        &mut self,
        session: &Session,
        gaps: Gaps,
        places: &dyn Places,
        effort: Effort,
    ) -> Option<Repair> {
        let observation = self.config.observation;
        let observation = gaps.excusing_mode(session, observation).unwrap_or(observation);
        if observation == Observation::GlobalPrefix || gaps == Gaps::Events {
            return None;
        }
        let (monitor, config, engine) = (self.monitor, &self.config, self.engine);
        let allowance = match effort {
            Effort::Whole => Allowance::begin(&config.budget, session.event_count()),
            Effort::Brief => self.brief_allowance(session),
        };
        let task = Task { monitor, session, config, engine, open_ends: &[], allowance };
        let is_brief = effort == Effort::Brief;
        let found = repair((&task, places), (observation, is_brief), &mut self.memory.repair);
        Some(match observation {
            Observation::Prefix | Observation::Slice => {
                self.with_moves(found, session, observation)
            }
            _ => found,
        })
    }

    /// The limits of a brief search.
    fn brief_allowance(&self, session: &Session) -> Allowance {
        let states = match self.engine {
            Engine::Nfa => BRIEF_STATES,
            Engine::Term => BRIEF_TERMS,
        };
        let per_event = BRIEF_STATES_PER_EVENT * session.event_count() as u64;
        let allowance = Allowance::begin(&self.config.budget, session.event_count());
        allowance.with_states(states.saturating_add(per_event))
    }

    /// Gives faults of events that should not be there, and may come where nobody observes their locations, another kind:
    /// they came too early, or too late.
    fn with_moves(
        &mut self,
        mut repair: Repair,
        session: &Session,
        observation: Observation,
    ) -> Repair {
        let deleted: Vec<Option<Vec<Deletion>>> =
            repair.faults.iter().map(|fault| deletions(fault, &repair)).collect();
        if deleted.iter().all(Option::is_none) {
            return repair;
        }
        let Ok(repaired) = repair.apply(session) else { return repair };
        for (fault, deleted) in repair.faults.iter_mut().zip(deleted) {
            let late = deleted.and_then(|it| self.moved_to(&it, &repaired, observation));
            if let Some(late) = late {
                (fault.kind, fault.late, fault.end) = (FaultKind::Moved, late, None);
            }
        }
        repair
    }

    /// Whether deleted events may come before all others of their logs, so that they came too late, or only after them and
    /// unobserved ones; `None` if neither is found to be accepted.
    fn moved_to(
        &mut self,
        deleted: &[Deletion],
        repaired: &Session,
        observation: Observation,
    ) -> Option<bool> {
        let is_early = self.later(deleted, repaired, observation).into_iter().any(|words| {
            let mut moved = repaired.clone();
            words.into_iter().for_each(|(log, word)| moved.trace[log].extend(word));
            self.accepts(&moved, observation)
        });
        let mut is_late = || {
            let mut moved = repaired.clone();
            deleted.iter().rev().for_each(|&(log, it)| moved.trace[log].insert(0, it));
            observation == Observation::Slice && self.accepts(&moved, observation)
        };
        if is_early { Some(false) } else { is_late().then_some(true) }
    }

    /// Some ways in which logs may go on with deleted events: per log, unobserved events and then its deleted ones.
    fn later(
        &self,
        deleted: &[Deletion],
        repaired: &Session,
        observation: Observation,
    ) -> Vec<Vec<(usize, Vec<LetterId>)>> {
        let mut logs: BTreeMap<usize, Vec<LetterId>> = BTreeMap::new();
        deleted.iter().for_each(|&(log, letter)| logs.entry(log).or_default().push(letter));
        let mut ways: Vec<Vec<(usize, Vec<LetterId>)>> = vec![Vec::new()];
        for (log, letters) in logs {
            let (location, kept) = (LocationId::new(log), &repaired.trace[log]);
            let words = words_before(self.monitor, location, observation, (kept, letters[0]));
            let longer = ways.iter().flat_map(|way| {
                let with = |word: &Vec<LetterId>| [&word[..], &letters].concat();
                words.iter().map(move |word| [&way[..], &[(log, with(word))]].concat())
            });
            ways = longer.take(MOST_WAYS).collect();
        }
        ways
    }

    /// Whether a brief search finds that a session is accepted in a mode.
    fn accepts(&mut self, session: &Session, observation: Observation) -> bool {
        let config = CheckConfig { observation, witness: false, ..self.config };
        let allowance = self.brief_allowance(session);
        let (monitor, engine) = (self.monitor, self.engine);
        let task = Task { monitor, session, config: &config, engine, open_ends: &[], allowance };
        matches!(decide(&task, observation, &mut self.memory.scratch).answer, Answer::Yes(_))
    }

    /// Replaces the memory of the searches. Call it after a check has panicked and the panic was
    /// caught: the memory may be half-written then.
    pub fn reset(&mut self) {
        self.memory = CheckerBuffers::default();
    }
}

/// How many ways in which logs may go on are tried for a fault (an estimate: each costs a brief search).
const MOST_WAYS: usize = 8;

/// A deleted event: the index of its location, and its letter.
type Deletion = (usize, LetterId);

/// The events of a fault, in the order of their logs, if it is one of deleted events that the specification knows and that
/// may belong elsewhere.
fn deletions(fault: &Fault, repair: &Repair) -> Option<Vec<Deletion>> {
    use FaultKind::{Extra, Lost, NotSent, Unexpected};
    if fault.again || !matches!(fault.kind, Extra | Lost | NotSent | Unexpected) {
        return None;
    }
    let mut ranks = fault.edits.clone();
    ranks.sort_unstable();
    let deletion = |rank: usize| {
        let edit = &repair.edits[rank];
        let is_known = edit.letter != LetterId::UNKNOWN;
        (edit.kind == EditKind::Delete && is_known).then_some((edit.location.index(), edit.letter))
    };
    ranks.into_iter().map(deletion).collect()
}

/// The engine that a choice comes to.
fn engine(monitor: &Monitor, choice: EngineChoice) -> Result<Engine, NoEngine> {
    let has_terms = monitor.bundle().source.is_some();
    match (choice, monitor.central()) {
        (EngineChoice::Auto | EngineChoice::Nfa, Ok(_)) => Ok(Engine::Nfa),
        (EngineChoice::Auto | EngineChoice::Term, _) if has_terms => Ok(Engine::Term),
        (_, Err(unsupported)) => Err(NoEngine::NoAutomaton(unsupported.clone())),
        (_, Ok(_)) => Err(NoEngine::NoTerms),
    }
}

/// Decides the session as complete, then as partly observed; on failure finds all that is wrong.
fn check(
    monitor: &Monitor,
    engine: Engine,
    config: &CheckConfig,
    session: &Session,
    memory: &mut CheckerBuffers,
) -> Checked {
    let CheckerBuffers { scratch, remains, .. } = memory;
    let allowance = Allowance::begin(&config.budget, session.event_count());
    let task = Task { monitor, session, config, engine, open_ends: &[], allowance };
    let Decided { mut answer, mut by } = decide(&task, Observation::Complete, scratch);
    let mut explored = scratch.explored();
    let accepted = matches!(answer, Answer::Yes(_));
    // If that search was cut, a weak answer would leave open whether the session passes.
    if matches!(answer, Answer::No) && config.observation != Observation::Complete {
        Decided { answer, by } = decide(&task, config.observation, scratch);
        explored += scratch.explored();
    }
    let (verdict, witness) = match answer {
        Answer::Yes(witness) if accepted => (Verdict::Pass, witness),
        Answer::Yes(witness) => (Verdict::WeakPass, witness),
        Answer::Unknown(reason) => (Verdict::Inconclusive(reason), None),
        Answer::Spent(limit, furthest) => {
            let reached = reached(&task, limit, &furthest);
            (Verdict::Inconclusive(InconclusiveReason::Budget { limit, reached }), None)
        }
        Answer::No => (Verdict::Fail(failure(&task, scratch, remains)), None),
    };
    Checked { verdict, witness, explored, decided_by: by }
}

/// How far a search got, by location; without positions, not beyond the beginning.
fn reached(task: &Task<'_>, limit: BudgetLimit, furthest: &[u32]) -> Vec<Reached> {
    let on_terms = match limit {
        BudgetLimit::Time(_) => None,
        _ => furthest_on_terms(task),
    };
    let furthest = on_terms.as_deref().unwrap_or(furthest);
    let at = |location: LocationId| Reached {
        location,
        read: furthest.get(location.index()).map_or(0, |&position| position as usize),
        length: task.session.trace[location.index()].len(),
    };
    task.monitor.locations().map(at).collect()
}
