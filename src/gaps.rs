//! What event logs may lack of a session: the whole log of a location, the ends of all logs, or events
//! anywhere. A failure that such a gap explains is none; the session is inconclusive then.

use multitrace_interaction::{
    Id, InconclusiveReason, LocationId, Observation, Session, Verdict, Witness, WitnessStep,
};
use multitrace_runtime::{CheckConfig, Checked, Monitor, Scratch};

/// What may be missing of a session that was put together from event logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gaps {
    /// The log of a location that has no event at all.
    Locations,
    /// The ends of logs, since an event log was cut off; and with it the logs of locations.
    Ends,
    /// Events anywhere, since records of the session could not be used.
    Events,
}

impl Gaps {
    /// Whether a file was cut off, and whether records of the session could not be used.
    pub(crate) fn of(cut: bool, damaged: bool) -> Gaps {
        match (cut, damaged) {
            (_, true) => Gaps::Events,
            (true, false) => Gaps::Ends,
            (false, false) => Gaps::Locations,
        }
    }

    /// The result of a check; where it is a failure and there are gaps, the result with what may be
    /// missing: undecided when the session might pass, else what is wrong whatever is missing.
    pub(crate) fn excuse(
        self,
        (monitor, config): (&Monitor, &CheckConfig),
        session: &Session,
        scratch: &mut Scratch,
        checked: Checked,
    ) -> Checked {
        if self == Gaps::Events {
            let verdict = Verdict::Inconclusive(InconclusiveReason::Damaged);
            return Checked { verdict, witness: None, ..checked };
        }
        let observation = match (self, config.observation) {
            (Gaps::Locations, Observation::Complete) => Observation::Missing,
            (Gaps::Ends, Observation::Complete | Observation::Missing) => Observation::Prefix,
            // The other modes allow for such gaps.
            _ => return checked,
        };
        let possible = self == Gaps::Ends || absent(monitor, session).next().is_some();
        if !possible || !matches!(checked.verdict, Verdict::Fail(_)) {
            return checked;
        }
        let config = CheckConfig { observation, witness: self == Gaps::Locations, ..*config };
        let with_gaps = monitor.check(session, &config, scratch);
        if with_gaps.verdict != Verdict::WeakPass {
            return with_gaps;
        }
        let reason = match self {
            Gaps::Ends | Gaps::Events => InconclusiveReason::CutOff,
            Gaps::Locations => {
                InconclusiveReason::Partial(silent(monitor, session, with_gaps.witness.as_ref()))
            }
        };
        Checked { verdict: Verdict::Inconclusive(reason), ..checked }
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
