//! The one door of this crate: sessions in, verdicts out.

use crate::budget::Allowance;
use crate::cause::cause;
use crate::config::{CheckConfig, EngineChoice};
use crate::decide::answer::Answer;
use crate::decide::decide;
use crate::gaps::Gaps;
use crate::monitor::Monitor;
use crate::scratch::Scratch;
use crate::task::Task;
use multitrace_formats::bundle::Unsupported;
use multitrace_interaction::{Engine, InconclusiveReason, Observation, Session, Verdict, Witness};

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
    scratch: Scratch,
}

/// Why no engine can check sessions as configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoEngine {
    /// The compiled automaton was chosen, or there are no terms, and this construct prevents an
    /// automaton. Remedy: choose the term engine, or change the construct.
    #[error("there is no automaton: {0}")]
    NoAutomaton(Unsupported),
    /// Terms were chosen, and the specification is an automaton. Remedy: choose the compiled one.
    #[error("an automaton that was given directly has no terms; use --engine nfa")]
    NoTerms,
}

/// The answer for one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The verdict, with its evidence.
    pub verdict: Verdict,
    /// If the configuration asks for it: the accepted global trace behind a pass or a weak pass.
    pub witness: Option<Witness>,
    /// The number of nodes visited to decide, without those visited for an explanation.
    pub explored: u64,
}

impl<'a> Checker<'a> {
    /// A checker for one worker.
    ///
    /// # Errors
    /// If the engine of the configuration is unavailable for this monitor.
    pub fn new(monitor: &'a Monitor, config: CheckConfig) -> Result<Checker<'a>, NoEngine> {
        let engine = engine(monitor, config.engine)?;
        Ok(Checker { monitor, config, engine, scratch: Scratch::default() })
    }

    /// The engine that decides.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Checks one session.
    pub fn check(&mut self, session: &Session) -> Checked {
        check(self.monitor, self.engine, &self.config, session, &mut self.scratch)
    }

    /// Checks a session that may have gaps. If it fails, the verdict is the one that its gaps leave
    /// certain: inconclusive if the session might pass with what is missing, else a failure whose
    /// cause holds whatever is missing.
    pub fn check_with_gaps(&mut self, session: &Session, gaps: Gaps) -> Checked {
        if gaps == Gaps::Events {
            let verdict = Verdict::Inconclusive(InconclusiveReason::Damaged);
            return Checked { verdict, witness: None, explored: 0 };
        }
        let checked = self.check(session);
        match gaps.excusing_mode(session, self.config.observation) {
            Some(observation) if matches!(checked.verdict, Verdict::Fail(_)) => {
                self.excuse(session, checked, gaps, observation)
            }
            _ => checked,
        }
    }

    /// What remains of a failure in the mode that allows for the gaps of its session.
    fn excuse(
        &mut self,
        session: &Session,
        failed: Checked,
        gaps: Gaps,
        observation: Observation,
    ) -> Checked {
        let config = CheckConfig { observation, witness: gaps == Gaps::Locations, ..self.config };
        let with_gaps = check(self.monitor, self.engine, &config, session, &mut self.scratch);
        if with_gaps.verdict != Verdict::WeakPass {
            return with_gaps;
        }
        let reason = gaps.reason(self.monitor, session, with_gaps.witness.as_ref());
        Checked { verdict: Verdict::Inconclusive(reason), ..failed }
    }

    /// Replaces the memory of the searches. Call it after a check has panicked and the panic was
    /// caught: the memory may be half-written then.
    pub fn reset(&mut self) {
        self.scratch = Scratch::default();
    }
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

/// Decides the session as complete, then as partly observed; on failure finds the cause.
fn check(
    monitor: &Monitor,
    engine: Engine,
    config: &CheckConfig,
    session: &Session,
    scratch: &mut Scratch,
) -> Checked {
    let allowance = Allowance::begin(&config.budget);
    let task = Task { monitor, session, config, engine, allowance };
    let mut answer = decide(&task, Observation::Complete, scratch);
    let mut explored = scratch.explored();
    let accepted = matches!(answer, Answer::Yes(_));
    // If that search was cut, a weak answer would leave open whether the session passes.
    if matches!(answer, Answer::No) && config.observation != Observation::Complete {
        answer = decide(&task, config.observation, scratch);
        explored += scratch.explored();
    }
    let (verdict, witness) = match answer {
        Answer::Yes(witness) if accepted => (Verdict::Pass, witness),
        Answer::Yes(witness) => (Verdict::WeakPass, witness),
        Answer::Unknown(reason) => (Verdict::Inconclusive(reason), None),
        Answer::No => (Verdict::Fail(cause(&task, scratch)), None),
    };
    Checked { verdict, witness, explored }
}
