//! What clusters order: a fixpoint of pairs of events and of nodes, computed pair by pair and node by node.

use crate::answers::{Node, Question};
use crate::sessions::{Draw, any_draw, some_letters};
use crate::specification::{ALL_TABLES, Specification, any_automaton};
use multitrace_interaction::{
    Cause, Frontier, LetterId, Observation, Session, UnknownEvent, Verdict,
};
use multitrace_runtime::{CheckConfig, Checker, Monitor};
use multitrace_testing::cases;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// An event: location and index.
type Event = (usize, usize);
/// Which event comes before which.
type Before = BTreeSet<(Event, Event)>;

/// A session in one cluster: the specification with other letters hidden, and which events the restricted logs have.
struct Part {
    specification: Specification,
    trace: Vec<Vec<LetterId>>,
    open_ends: Vec<bool>,
    observation: Observation,
    events: Vec<Vec<usize>>,
    good: BTreeSet<Node>,
}

impl Part {
    fn of(
        specification: &Specification,
        letters: &BTreeSet<LetterId>,
        session: &Session,
        mode: Observation,
    ) -> Part {
        let nfa = specification.cluster(letters).automaton;
        let own = |log: &Vec<LetterId>| -> Vec<usize> {
            (0..log.len()).filter(|&at| letters.contains(&log[at])).collect()
        };
        let events: Vec<Vec<usize>> = session.trace.iter().map(own).collect();
        let logs = events.iter().zip(&session.trace);
        let trace = logs.map(|(own, log)| own.iter().map(|&at| log[at]).collect()).collect();
        let is_missing = mode == Observation::Missing;
        let mut part = Part {
            specification: Specification { nfa, ..specification.clone() },
            trace,
            open_ends: session.trace.iter().map(|log| is_missing && log.is_empty()).collect(),
            observation: if is_missing { Observation::Complete } else { mode },
            events,
            good: BTreeSet::new(),
        };
        part.good = part.question().good_nodes(|_| true);
        part
    }

    fn question(&self) -> Question<'_> {
        let question = Question::new(&self.specification, &self.trace, self.observation);
        Question { open_ends: &self.open_ends, ..question }
    }

    /// Whether a node has passed an event of the session.
    fn has_passed(&self, (_, positions): &Node, (location, index): Event) -> bool {
        self.events[location][..positions[location]].contains(&index)
    }

    fn all_events(&self) -> impl Iterator<Item = Event> + Clone + '_ {
        let own = |(location, own): (usize, &'_ Vec<usize>)| {
            own.clone().into_iter().map(move |index| (location, index))
        };
        self.events.iter().enumerate().flat_map(own)
    }

    /// Whoever has passed the second event has passed the first one.
    fn orders(&self) -> Before {
        let all = || self.all_events();
        let pairs = all().flat_map(|one| all().map(move |other| (one, other)));
        let is_before = |&(one, other): &(Event, Event)| {
            let mut later = self.good.iter().filter(|node| self.has_passed(node, other));
            one.0 != other.0 && later.all(|node| self.has_passed(node, one))
        };
        pairs.filter(is_before).collect()
    }

    /// Leaves out nodes that have passed an event and not one before it.
    fn leave_out(&mut self, before: &Before) {
        let own: BTreeSet<Event> = self.all_events().collect();
        let own = before.iter().filter(|(one, other)| own.contains(one) && own.contains(other));
        let own: Vec<_> = own.collect();
        let is_possible = |node: &Node| {
            own.iter()
                .all(|(one, other)| self.has_passed(node, *one) || !self.has_passed(node, *other))
        };
        let open: BTreeSet<Node> = self.good.iter().filter(|it| is_possible(it)).cloned().collect();
        self.good = self.question().good_nodes(|node| open.contains(node));
    }
}

fn close(before: &mut Before) {
    loop {
        let steps = before.iter().flat_map(|&(one, middle)| {
            let on = before.range((middle, (0, 0))..).take_while(move |it| it.0 == middle);
            on.map(move |&(_, other)| (one, other))
        });
        let new: Vec<_> = steps.filter(|it| !before.contains(it)).collect();
        if new.is_empty() {
            return;
        }
        before.extend(new);
    }
}

#[derive(Debug)]
enum Refused {
    Not,
    ByCluster,
    /// With all that comes before what.
    ByCycle(Before),
}

/// What all clusters say together.
fn refused(
    specification: &Specification,
    sets: &[BTreeSet<LetterId>],
    session: &Session,
    mode: Observation,
) -> Refused {
    let part = |letters| Part::of(specification, letters, session, mode);
    let mut parts: Vec<Part> = sets.iter().map(part).collect();
    let of_log = |(location, log): (usize, &Vec<LetterId>)| -> Vec<(Event, Event)> {
        (1..log.len()).map(|at| ((location, at - 1), (location, at))).collect()
    };
    let mut before: Before = session.trace.iter().enumerate().flat_map(of_log).collect();
    close(&mut before);
    loop {
        if parts.iter().any(|part| part.good.is_empty()) {
            return Refused::ByCluster;
        }
        let known = before.len();
        parts.iter().for_each(|part| before.extend(part.orders()));
        close(&mut before);
        if before.iter().any(|(one, other)| one == other) {
            return Refused::ByCycle(before);
        }
        if before.len() == known {
            return Refused::Not;
        }
        parts.iter_mut().for_each(|part| part.leave_out(&before));
    }
}

/// The same logs, each behind an unknown event; a log without events stays as it is.
fn with_unknown_first(session: &Session) -> Session {
    let mut moved = session.clone();
    for (location, log) in moved.trace.iter_mut().enumerate().filter(|it| !it.1.is_empty()) {
        log.insert(0, LetterId::UNKNOWN);
        let text = "x".to_owned();
        moved.unknown.push(UnknownEvent { location, index: 0, text });
    }
    moved
}

fn main_frontier(verdict: &Verdict) -> Option<&Frontier> {
    let Verdict::Fail(failure) = verdict else { return None };
    failure.causes.iter().find_map(|cause| match cause {
        Cause::Inter(frontier) | Cause::Central(frontier) => Some(frontier),
        Cause::Local(_) => None,
    })
}

/// Each event of a cycle comes before the next one.
fn judge_cycle(
    specification: &Specification,
    frontier: &Frontier,
    expected: &Refused,
) -> Result<(), TestCaseError> {
    let Refused::ByCycle(before) = expected else {
        prop_assert!(frontier.cycle.is_empty(), "{:?}, not {expected:?}", frontier.cycle);
        return Ok(());
    };
    let event = |at: usize| {
        let event = &frontier.cycle[at % frontier.cycle.len()];
        let location = specification.alphabet.location(&event.location).expect("a location");
        (multitrace_interaction::Id::index(location), event.index)
    };
    prop_assert!(!frontier.cycle.is_empty(), "no cycle of {before:?}");
    for at in 0..frontier.cycle.len() {
        prop_assert!(before.contains(&(event(at), event(at + 1))), "{:?}", frontier.cycle);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn clusters_order_events_as_pairs_and_nodes_do(
        (specification, draws) in (any_automaton(), [any_draw(), any_draw(), any_draw()]),
        masks in proptest::collection::vec(1..31_u32, 1..=3),
        is_mixed in any::<bool>(),
    ) {
        let session = if is_mixed { Draw::mixed(&draws, &specification) } else { draws[0].session(&specification) };
        let sets: Vec<_> = masks.iter().map(|&it| some_letters(&specification, it)).collect();
        let monitor = Monitor::new(specification.bundle(ALL_TABLES, &sets));
        for observation in Observation::ALL {
            if observation == Observation::GlobalPrefix {
                prop_assert!(!monitor.is_refused_by_order(&session.trace, observation));
                continue;
            }
            let expected = refused(&specification, &sets, &session, observation);
            let is_refused = !matches!(expected, Refused::Not);
            let found = monitor.is_refused_by_order(&session.trace, observation);
            prop_assert_eq!(found, is_refused, "{:?} in {:?}", expected, observation);
            let config = CheckConfig { observation, ..CheckConfig::default() };
            let checked = Checker::new(&monitor, config).expect("an automaton").check(&session);
            let Verdict::Fail(failure) = &checked.verdict else { continue };
            if let [Cause::Inter(_) | Cause::Central(_)] = &failure.causes[..] {
                let frontier = main_frontier(&checked.verdict).expect("a frontier");
                judge_cycle(&specification, frontier, &expected)?;
                // Unknown events hide no cycle, and move its events.
                let moved = with_unknown_first(&session);
                let checked = Checker::new(&monitor, config).expect("an automaton").check(&moved);
                let hidden = main_frontier(&checked.verdict).map(|it| it.cycle.clone());
                let mut cycle = frontier.cycle.clone();
                cycle.iter_mut().for_each(|event| event.index += 1);
                let is_global = hidden.is_some() || cycle.is_empty();
                prop_assert!(is_global && hidden.is_none_or(|it| it == cycle), "{cycle:?}");
            }
        }
    }
}
