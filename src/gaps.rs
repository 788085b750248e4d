//! What event logs may lack of a session: the whole log of a location, or the ends of all logs. A
//! failure that such a gap explains is none; the session is inconclusive then.

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
}

impl Gaps {
    pub(crate) fn of(cut: bool) -> Gaps {
        if cut { Gaps::Ends } else { Gaps::Locations }
    }

    /// The result of a check, unless it is a failure that gaps explain: with what may be missing
    /// the session might pass. Modes of partial observation allow for gaps already.
    pub(crate) fn excuse(
        self,
        (monitor, config): (&Monitor, &CheckConfig),
        session: &Session,
        scratch: &mut Scratch,
        checked: Checked,
    ) -> Checked {
        let is_failure = matches!(checked.verdict, Verdict::Fail(_));
        let possible = self == Gaps::Ends || absent(monitor, session).next().is_some();
        if !is_failure || !possible || config.observation != Observation::Complete {
            return checked;
        }
        let (observation, witness) = match self {
            Gaps::Locations => (Observation::Missing, true),
            Gaps::Ends => (Observation::Prefix, config.witness),
        };
        let config = CheckConfig { observation, witness, ..*config };
        let with_gaps = monitor.check(session, &config, scratch);
        if with_gaps.verdict != Verdict::WeakPass {
            return checked;
        }
        let reason = match self {
            Gaps::Ends => InconclusiveReason::CutOff,
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
