//! Constraints: what they say of a session is what the definitions say, in every mode, with a witness.

use crate::answers::Question;
use crate::sessions::{Draw, any_draw};
use crate::specification::{Specification, any_specification};
use crate::verdicts::judge;
use multitrace_interaction::{Observation, Session, Verdict};
use multitrace_runtime::{CheckConfig, Checker, Comparison, EngineChoice, Monitor, SearchChoice};
use multitrace_testing::cases;
use proptest::prelude::*;

fn compare(specification: &Specification, session: &Session) -> Result<(), TestCaseError> {
    let monitor = Monitor::new(specification.bundle_of_terms(&[]));
    for observation in Observation::ALL {
        let question = Question::new(specification, &session.trace, observation);
        for witness in [false, true] {
            let comparison =
                Comparison { search: SearchChoice::Constraints, ..Comparison::default() };
            let engine = EngineChoice::Term;
            let config =
                CheckConfig { observation, witness, comparison, engine, ..CheckConfig::default() };
            judge(question, &monitor, session, config)?;
            let checked = Checker::new(&monitor, config).expect("terms").check(session);
            let is_decided = !matches!(checked.verdict, Verdict::Inconclusive(_))
                || observation == Observation::GlobalPrefix;
            prop_assert!(is_decided, "{:?} in {observation:?}", checked.verdict);
            // Constraints know the witness of all that they accept.
            let is_accepted = matches!(checked.verdict, Verdict::Pass | Verdict::WeakPass);
            prop_assert_eq!(checked.witness.is_some(), witness && is_accepted);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(250))]

    #[test]
    fn constraints_decide_as_the_definitions_say((specification, draw) in (any_specification(), any_draw())) {
        compare(&specification, &draw.session(&specification))?;
    }

    #[test]
    fn constraints_refuse_logs_of_different_traces(
        (specification, draws) in (any_specification(), [any_draw(), any_draw(), any_draw()]),
    ) {
        compare(&specification, &Draw::mixed(&draws, &specification))?;
    }
}
