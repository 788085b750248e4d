//! Until the runtime has its one door.
use multitrace_interaction::{
    Engine, Id, InconclusiveReason, LocationId, Observation, Session, Verdict, Witness, WitnessStep,
};
pub use multitrace_runtime::Checked;
use multitrace_runtime::{CheckConfig, Monitor, Scratch};
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoEngine(String);
#[derive(Debug)]
pub struct Checker<'m> {
    monitor: &'m Monitor,
    config: CheckConfig,
    engine: Engine,
    scratch: Scratch,
}
impl<'m> Checker<'m> {
    pub fn new(monitor: &'m Monitor, config: CheckConfig) -> Result<Checker<'m>, NoEngine> {
        use multitrace_formats::bundle::Central;
        let engine = monitor.engine(config.engine).ok_or_else(|| {
            NoEngine(match &monitor.bundle().central {
                Central::Unsupported(unsupported) => {
                    format!("there is no automaton: {unsupported}")
                }
                Central::Automaton(_) => {
                    "an automaton that was given directly has no terms; use --engine nfa".to_owned()
                }
            })
        })?;
        Ok(Checker { monitor, config, engine, scratch: Scratch::default() })
    }
    pub fn engine(&self) -> Engine {
        self.engine
    }
    pub fn reset(&mut self) {
        self.scratch = Scratch::default();
    }
    pub fn check(&mut self, session: &Session) -> Checked {
        self.monitor.check(session, &self.config, &mut self.scratch)
    }
    pub fn check_with_gaps(&mut self, session: &Session, gaps: Gaps) -> Checked {
        gaps.check(self.monitor, session, &self.config, &mut self.scratch)
    }
}
/// What may be missing of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gaps {
    /// Nothing: the session is taken as it was given.
    None,
    /// The log of a location that has no event at all.
    Locations,
    /// The ends of logs, since an event log was cut off; and with it the logs of locations.
    Ends,
    /// Events anywhere, since records of the session could not be used.
    Events,
}

impl Gaps {
    /// Of a session that was put together from event logs: whether a file was cut off, and whether records of the session could not be used.
    pub fn of(cut: bool, damaged: bool) -> Gaps {
        match (cut, damaged) {
            (_, true) => Gaps::Events,
            (true, false) => Gaps::Ends,
            (false, false) => Gaps::Locations,
        }
    }

    /// Checks a session. Where it fails and has gaps, the result is that with what may be missing:
    /// undecided when the session might pass, else what is wrong whatever is missing.
    pub fn check(
        self,
        monitor: &Monitor,
        session: &Session,
        config: &CheckConfig,
        scratch: &mut Scratch,
    ) -> Checked {
        if self == Gaps::Events {
            let verdict = Verdict::Inconclusive(InconclusiveReason::Damaged);
            return Checked { verdict, witness: None, explored: 0 };
        }
        let checked = monitor.check(session, config, scratch);
        let Some(observation) = self.excuse(monitor, session, config.observation) else {
            return checked;
        };
        if !matches!(checked.verdict, Verdict::Fail(_)) {
            return checked;
        }
        let config = CheckConfig { observation, witness: self == Gaps::Locations, ..*config };
        let with_gaps = monitor.check(session, &config, scratch);
        if with_gaps.verdict != Verdict::WeakPass {
            return with_gaps;
        }
        let reason = if self == Gaps::Locations {
            InconclusiveReason::Partial(silent(monitor, session, with_gaps.witness.as_ref()))
        } else {
            InconclusiveReason::CutOff
        };
        Checked { verdict: Verdict::Inconclusive(reason), ..checked }
    }

    /// The mode that allows for the gaps of a session, where it has some and its own mode does not.
    fn excuse(
        self,
        monitor: &Monitor,
        session: &Session,
        observation: Observation,
    ) -> Option<Observation> {
        let is_complete = observation == Observation::Complete;
        match self {
            Gaps::Locations if is_complete && absent(monitor, session).next().is_some() => {
                Some(Observation::Missing)
            }
            Gaps::Ends if is_complete || observation == Observation::Missing => {
                Some(Observation::Prefix)
            }
            _ => None,
        }
    }
}

fn absent(monitor: &Monitor, session: &Session) -> impl Iterator<Item = LocationId> {
    let locations = monitor.alphabet().locations();
    locations.filter(|location| session.trace[location.index()].is_empty())
}

/// The absent locations that must have done something. One way to explain the session tells which;
/// without it, all that are absent.
fn silent(monitor: &Monitor, session: &Session, witness: Option<&Witness>) -> Vec<String> {
    let alphabet = monitor.alphabet();
    let has_acted = |&location: &LocationId| {
        let is_of = |step: &WitnessStep| alphabet.location_of(step.letter) == location;
        witness.is_none_or(|witness| witness.steps.iter().any(is_of))
    };
    let name = |location| alphabet.location_name(location).to_owned();
    absent(monitor, session).filter(has_acted).map(name).collect()
}
