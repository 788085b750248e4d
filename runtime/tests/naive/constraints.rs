//! Constraints: their answer for a session is that of the definitions, in every mode, with a witness.

use crate::answers::Question;
use crate::sessions::{Draw, any_draw};
use crate::specification::{Specification, any_specification};
use crate::verdicts::judge;
use multitrace_interaction::{
    Action, ActionKind, Alphabet, Id, Interaction, LifelineId, Locations, LoopKind, MessageId, Nfa,
    Observation, Session, StateId, Verdict,
};
use multitrace_runtime::{CheckConfig, Checker, Comparison, EngineChoice, Monitor, SearchChoice};
use multitrace_testing::cases;
use multitrace_testing::denotations::{
    BinaryKind, Tree, any_action, any_locations, any_loop_kind, language, project, signature,
};
use proptest::prelude::*;
use proptest::sample::Index;

fn compare(specification: &Specification, session: &Session) -> Result<(), TestCaseError> {
    let monitor = Monitor::new(specification.bundle_of_terms());
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

/// A loop over alternatives, of one or two steps each, and perhaps a step after it. Their automata may be endless.
fn any_loop() -> impl Strategy<Value = Interaction> {
    let step = || any_action().prop_map(|action| Box::new(Tree::Step(vec![action])));
    let order = prop_oneof![Just(BinaryKind::Strict), Just(BinaryKind::Seq), Just(BinaryKind::Par)];
    let two = (order, step(), step()).prop_map(|(kind, a, b)| Box::new(Tree::Binary(kind, a, b)));
    let operand = prop_oneof![step(), two];
    let body = proptest::collection::vec(operand, 1..=3).prop_map(|operands| {
        let either = |a, b| Box::new(Tree::Binary(BinaryKind::Alt, a, b));
        operands.into_iter().reduce(either).expect("an operand")
    });
    (any_loop_kind(), body, proptest::option::of(step())).prop_map(|(kind, body, last)| {
        let often = Tree::Loop(kind, body);
        match last {
            Some(last) => Tree::Binary(BinaryKind::Seq, Box::new(often), last).build(),
            None => often.build(),
        }
    })
}

/// How many actions global traces have at most that are looked at.
const MOST_ACTIONS: usize = 5;

/// Logs as lists of actions, of a global trace with some changes that leave no more than [`MOST_ACTIONS`].
fn changed(trace: &[Vec<Action>], changes: &[(Index, Index, bool)]) -> Vec<Vec<Action>> {
    let mut trace = trace.to_vec();
    for (location, at, is_exchange) in changes {
        let log = location.index(trace.len());
        let log = &mut trace[log];
        match (log.len(), is_exchange) {
            (0, _) => {}
            (1, _) | (_, false) => {
                log.remove(at.index(log.len()));
            }
            (length, true) => {
                let at = at.index(length - 1);
                log.swap(at, at + 1);
            }
        }
    }
    trace
}

proptest! {
    #![proptest_config(cases(400))]

    /// Complete logs are accepted if they are those of a global trace with as many actions, and prefixes if they are prefixes
    /// of those of one, maybe a longer one.
    #[test]
    fn loops_are_decided_as_their_global_traces_say(
        (interaction, locations, choice) in (any_loop(), any_locations(), any::<Index>()),
        changes in proptest::collection::vec(any::<(Index, Index, bool)>(), 0..=2),
    ) {
        let traces = project(&language(&interaction, MOST_ACTIONS), &locations);
        let all: Vec<_> = traces.iter().collect();
        prop_assume!(!all.is_empty());
        let trace = changed(all[choice.index(all.len())], &changes);
        let signature = signature();
        let alphabet = Alphabet::of_actions(&signature, &locations, interaction.actions());
        let letter = |action: &Action| alphabet.letter(&signature.action_text(*action)).expect("a letter");
        let logs = trace.iter().map(|log| log.iter().map(letter).collect()).collect();
        let session = Session { trace: logs, ..Session::default() };
        let nfa = Nfa::new(1, [StateId::new(0)], [StateId::new(0)], Vec::new()).expect("in range");
        let source = Some((signature.clone(), interaction.clone()));
        let specification =
            Specification { alphabet: alphabet.clone(), nfa, inside: Default::default(), source };
        let monitor = Monitor::new(specification.bundle_of_terms());
        let is_prefix = |other: &&Vec<Vec<Action>>| {
            trace.iter().zip(*other).all(|(log, other)| other.starts_with(log))
        };
        for search in [SearchChoice::Constraints, SearchChoice::Auto] {
            let verdict = |observation| {
                let comparison = Comparison { search, ..Comparison::default() };
                let config = CheckConfig { observation, comparison, ..CheckConfig::default() };
                Checker::new(&monitor, config).expect("terms").check(&session).verdict
            };
            let complete = verdict(Observation::Complete);
            prop_assert_eq!(complete == Verdict::Pass, traces.contains(&trace), "{:?} by {:?}", complete, search);
            prop_assert_eq!(matches!(complete, Verdict::Fail(_)), !traces.contains(&trace));
            let of_prefix = verdict(Observation::Prefix);
            if traces.iter().any(|it| is_prefix(&it)) {
                prop_assert!(!matches!(of_prefix, Verdict::Fail(_)), "{of_prefix:?} by {search:?}");
            }
        }
    }
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

/// In `loopH(alt(seq(l0!m0, l1?m0), seq(l2!m0, l1!m0)))`, where l0 and l1 are one location, the second alternative can begin
/// before the first one and end behind its beginning. Searches that read `l0!m0` before all others refused that.
#[test]
fn repetitions_that_have_only_begun_are_not_left_out() {
    let step = |lifeline, kind| {
        let (lifeline, message) = (LifelineId::new(lifeline), MessageId::new(0));
        Box::new(Tree::Step(vec![Action { lifeline, kind, message }]))
    };
    let (sent, received) = (ActionKind::Emission, ActionKind::Reception);
    let first = Tree::Binary(BinaryKind::Seq, step(0, sent), step(1, received));
    let second = Tree::Binary(BinaryKind::Seq, step(2, sent), step(1, sent));
    let either = Tree::Binary(BinaryKind::Alt, Box::new(first), Box::new(second));
    let interaction = Tree::Loop(LoopKind::HeadFirst, Box::new(either)).build();
    let signature = signature();
    let groups = [vec![0, 1], vec![2]].map(|it| it.into_iter().map(LifelineId::new).collect());
    let locations = Locations::new(&signature, &groups).expect("a partition");
    let alphabet = Alphabet::of_actions(&signature, &locations, interaction.actions());
    let log = |names: &[&str]| {
        names.iter().map(|name| alphabet.letter(name).expect("a letter")).collect::<Vec<_>>()
    };
    let trace = vec![log(&["l0!m0", "l1!m0", "l1?m0"]), log(&["l2!m0"])];
    let session = Session { trace, ..Session::default() };
    let nfa = Nfa::new(1, [StateId::new(0)], [StateId::new(0)], Vec::new()).expect("in range");
    let specification = Specification {
        alphabet: alphabet.clone(),
        nfa,
        inside: Default::default(),
        source: Some((signature, interaction)),
    };
    let monitor = Monitor::new(specification.bundle_of_terms());
    for comparison in crate::verdicts::ways_on_terms() {
        let config = CheckConfig { comparison, ..CheckConfig::default() };
        let checked = Checker::new(&monitor, config).expect("terms").check(&session);
        assert_eq!(checked.verdict, Verdict::Pass, "{comparison:?}");
    }
}
