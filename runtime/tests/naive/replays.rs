//! Replays: which witnesses hold, by the definitions, and where those that do not are rejected first.

use crate::answers::Question;
use crate::sessions::any_draw;
use crate::specification::{ALL_TABLES, Specification, any_automaton, any_specification};
use crate::verdicts::is_witness;
use multitrace_interaction::{
    ForeignTrace, LetterId, Node, Observation, Session, Witness, WitnessStep,
};
use multitrace_runtime::{Monitor, ReplayError, replay};
use multitrace_testing::cases;
use proptest::prelude::*;
use proptest::sample::Index;

/// Changes to an accepted trace: which steps are observed, and one of other letters.
#[derive(Clone, Debug)]
struct Change {
    observed: Vec<bool>,
    /// Whether the steps before this one are observed, and no others, or the other way round.
    cut: Option<(Index, bool)>,
    letter: Option<(Index, Index)>,
    end: Option<Index>,
}

fn any_change() -> impl Strategy<Value = Change> {
    let observed = proptest::collection::vec(proptest::bool::weighted(0.7), 30);
    let cut = proptest::option::of(any::<(Index, bool)>());
    let letter = proptest::option::weighted(0.2, any::<(Index, Index)>());
    let end = proptest::option::weighted(0.2, any::<Index>());
    (observed, cut, letter, end).prop_map(|(observed, cut, letter, end)| Change {
        observed,
        cut,
        letter,
        end,
    })
}

impl Change {
    fn witness(&self, specification: &Specification, word: Vec<LetterId>) -> Witness {
        let letters: Vec<LetterId> = specification.alphabet.letters().collect();
        let mut word = word;
        if let (Some((at, letter)), false) = (&self.letter, word.is_empty()) {
            let at = at.index(word.len());
            word[at] = *letter.get(&letters);
        }
        if let Some(end) = &self.end {
            word.truncate(end.index(word.len() + 1));
        }
        let is_observed = |index: usize| match &self.cut {
            Some((cut, is_before)) => (index < cut.index(word.len() + 1)) == *is_before,
            None => self.observed.get(index) != Some(&false),
        };
        let step = |(index, &letter)| WitnessStep { letter, observed: is_observed(index) };
        Witness { steps: word.iter().enumerate().map(step).collect() }
    }
}

/// The logs of the observed events.
fn observed(specification: &Specification, witness: &Witness) -> Session {
    let mut trace = vec![Vec::new(); specification.locations()];
    for step in witness.steps.iter().filter(|it| it.observed) {
        trace[specification.location_of(step.letter)].push(step.letter);
    }
    Session { trace, ..Session::default() }
}

/// How many steps of a witness can be done.
fn done(specification: &Specification, witness: &Witness) -> usize {
    let mut states = specification.initial();
    for (index, step) in witness.steps.iter().enumerate() {
        let row = states.iter().flat_map(|&state| specification.outgoing(state));
        states = row.filter(|it| it.0 == step.letter).map(|it| it.1).collect();
        if states.is_empty() {
            return index;
        }
    }
    witness.steps.len()
}

/// How many actions more than one the longest step has.
fn longer_by(specification: &Specification) -> usize {
    let steps = specification.source.iter().flat_map(|(_, interaction)| interaction.nodes());
    let lengths = steps.map(|node| match node {
        Node::Step(step) => step.actions().len() - 1,
        _ => 0,
    });
    lengths.max().unwrap_or(0)
}

fn judge(
    specification: &Specification,
    monitor: &Monitor,
    session: &Session,
    witness: &Witness,
) -> Result<(), TestCaseError> {
    let done = done(specification, witness);
    for observation in Observation::ALL {
        let question = Question::new(specification, &session.trace, observation);
        let replayed = replay(monitor, session, witness, observation);
        let is_right = is_witness(question, witness);
        prop_assert_eq!(replayed.is_ok(), is_right, "{:?} in {:?}", replayed, observation);
        if done < witness.steps.len() {
            let Err(ReplayError::NotAccepted { index, letter }) = replayed else {
                return Err(TestCaseError::fail(format!("{replayed:?}, not at {done}")));
            };
            prop_assert_eq!(letter, witness.steps[index].letter);
            // A step of several actions is rejected where it begins.
            prop_assert!(
                index <= done && done - index <= longer_by(specification),
                "{index}, not {done}"
            );
        }
        let foreign = ForeignTrace { location: "d".to_owned(), events: vec!["x".to_owned()] };
        let with_foreign = Session { foreign: vec![foreign], ..session.clone() };
        let mut unknown = session.clone();
        unknown.trace[0].push(LetterId::UNKNOWN);
        for session in [with_foreign, unknown].iter().filter(|_| is_right) {
            let replayed = replay(monitor, session, witness, observation);
            prop_assert_eq!(replayed, Err(ReplayError::UnknownEvents));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_changed_witness_is_replayed_as_the_definitions_say(
        (automaton, specification, draw, change) in (any_automaton(), any_specification(), any_draw(), any_change()),
    ) {
        for specification in [&automaton, &specification] {
            let witness = change.witness(specification, draw.word(specification));
            let sessions = [observed(specification, &witness), draw.session(specification)];
            let monitors = match specification.source {
                None => vec![specification.bundle(ALL_TABLES)],
                Some(_) => vec![specification.bundle(ALL_TABLES), specification.bundle_of_terms()],
            };
            for monitor in monitors.into_iter().map(Monitor::new) {
                for session in &sessions {
                    judge(specification, &monitor, session, &witness)?;
                }
            }
        }
    }
}
