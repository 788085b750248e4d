//! What clusters order: a fixpoint of pairs of events and of nodes, computed pair by pair and node by node.

use crate::answers::{Node, Question};
use crate::sessions::{Draw, any_draw, some_letters};
use crate::specification::{ALL_TABLES, Specification, any_automaton};
use multitrace_interaction::{
    Alphabet, Cause, Frontier, Id, LetterId, Nfa, Observation, Session, StateId, Transition,
    UnknownEvent, Verdict,
};
use multitrace_runtime::{CheckConfig, Checker, Monitor};
use multitrace_testing::cases;
use proptest::prelude::*;
use proptest::sample::Index;
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
fn judge_cycle(frontier: &Frontier, expected: &Refused) -> Result<(), TestCaseError> {
    let Refused::ByCycle(before) = expected else {
        prop_assert!(frontier.cycle.is_empty(), "{:?}, not {expected:?}", frontier.cycle);
        return Ok(());
    };
    let event = |at: usize| {
        let event = &frontier.cycle[at % frontier.cycle.len()];
        (event.location.index(), event.index)
    };
    prop_assert!(!frontier.cycle.is_empty(), "no cycle of {before:?}");
    for at in 0..frontier.cycle.len() {
        prop_assert!(before.contains(&(event(at), event(at + 1))), "{:?}", frontier.cycle);
    }
    Ok(())
}

fn compare(
    specification: &Specification,
    sets: &[BTreeSet<LetterId>],
    session: &Session,
) -> Result<(), TestCaseError> {
    let monitor = Monitor::new(specification.bundle(ALL_TABLES, sets));
    for observation in Observation::ALL {
        if observation == Observation::GlobalPrefix {
            prop_assert!(!monitor.is_refused_by_order(&session.trace, observation));
            continue;
        }
        let expected = refused(specification, sets, session, observation);
        let is_refused = !matches!(expected, Refused::Not);
        let found = monitor.is_refused_by_order(&session.trace, observation);
        prop_assert_eq!(found, is_refused, "{:?} in {:?}", expected, observation);
        let config = CheckConfig { observation, ..CheckConfig::default() };
        let checked = Checker::new(&monitor, config).expect("an automaton").check(session);
        let Verdict::Fail(failure) = &checked.verdict else { continue };
        if let [Cause::Inter(_) | Cause::Central(_)] = &failure.causes[..] {
            let frontier = main_frontier(&checked.verdict).expect("a frontier");
            judge_cycle(frontier, &expected)?;
            // Unknown events hide no cycle, and move its events.
            let moved = with_unknown_first(session);
            let checked = Checker::new(&monitor, config).expect("an automaton").check(&moved);
            let hidden = main_frontier(&checked.verdict).map(|it| it.cycle.clone());
            let mut cycle = frontier.cycle.clone();
            cycle.iter_mut().for_each(|event| event.index += 1);
            let is_global = hidden.is_some() || cycle.is_empty();
            prop_assert!(is_global && hidden.is_none_or(|it| it == cycle), "{cycle:?}");
        }
    }
    Ok(())
}

/// The letters of a part are one of each location.
const LETTERS: usize = 3;

/// A part: which words it has, as locations of its letters, and which of them a session shows.
type Words = (Vec<Vec<usize>>, Index);

fn any_parts() -> impl Strategy<Value = Vec<Words>> {
    let word = || proptest::collection::vec(0..LETTERS, 1..=3);
    let one = (proptest::collection::vec(word(), 1), any::<Index>());
    let two = (proptest::collection::vec(word(), 2), any::<Index>());
    // The same letters in two orders: logs alone do not tell which of them it was.
    let orders = word().prop_flat_map(|word| (Just(word.clone()), Just(word).prop_shuffle()));
    let orders = (orders.prop_map(|(one, other)| vec![one, other]), any::<Index>());
    prop_oneof![
        1 => proptest::collection::vec(two, 2),
        3 => proptest::collection::vec(orders, 2),
        2 => proptest::collection::vec(one, 2..=3),
    ]
}

fn part_letter(part: usize, location: usize) -> LetterId {
    LetterId::new(part * LETTERS + location)
}

/// The interleavings of parts, and the letters of each.
fn shuffled(parts: &[Words]) -> (Specification, Vec<BTreeSet<LetterId>>) {
    let mut alphabet = Alphabet::default();
    let locations = ["a", "b", "c"].map(|it| alphabet.add_location(it).expect("a new name"));
    let mut product = (1, Vec::new(), vec![0]);
    for (part, (words, _)) in parts.iter().enumerate() {
        for location in locations {
            let name = format!("{}{part}", alphabet.location_name(location));
            alphabet.add_letter(&name, location).expect("a new name");
        }
        let (mut states, mut steps, mut ends) = (1, Vec::new(), Vec::new());
        for word in words {
            let mut from = 0;
            for &location in word {
                steps.push((from, part_letter(part, location), states));
                (from, states) = (states, states + 1);
            }
            ends.push(from);
        }
        let (others, transitions, finals): (usize, Vec<(usize, LetterId, usize)>, Vec<usize>) =
            product;
        let kept = transitions.iter().flat_map(|&(from, letter, to)| {
            (0..states).map(move |own| (from * states + own, letter, to * states + own))
        });
        let own = (0..others).flat_map(|other| {
            steps.iter().map(move |&(from, letter, to)| {
                (other * states + from, letter, other * states + to)
            })
        });
        let finals =
            finals.iter().flat_map(|other| ends.iter().map(move |end| other * states + end));
        product = (others * states, kept.chain(own).collect(), finals.collect());
    }
    let (states, transitions, finals) = product;
    let transition =
        |(from, letter, to)| Transition { from: StateId::new(from), letter, to: StateId::new(to) };
    let transitions = transitions.into_iter().map(transition).collect();
    let finals = finals.into_iter().map(StateId::new);
    let nfa = Nfa::new(states, [StateId::new(0)], finals, transitions).expect("states in range");
    let letters = |part| (0..LETTERS).map(|location| part_letter(part, location)).collect();
    let sets = (0..parts.len()).map(letters).collect();
    (Specification { alphabet, nfa, inside: Default::default(), source: None }, sets)
}

/// In which order a log has the events of parts, and whether the last event of one is lost.
#[derive(Clone, Debug)]
struct Merging {
    order: Vec<Index>,
    lost: Option<Index>,
}

fn any_merging() -> impl Strategy<Value = Merging> {
    let order = proptest::collection::vec(any::<Index>(), 9);
    let lost = proptest::option::weighted(0.2, any::<Index>());
    (order, lost).prop_map(|(order, lost)| Merging { order, lost })
}

impl Merging {
    fn session(&self, parts: &[Words]) -> Session {
        let mut order = self.order.iter();
        let mut trace = Vec::new();
        for location in 0..LETTERS {
            let own = |(part, (words, index)): (usize, &Words)| -> Vec<LetterId> {
                let word = index.get(words).iter().filter(|it| **it == location);
                word.map(|_| part_letter(part, location)).collect()
            };
            let mut left: Vec<Vec<LetterId>> = parts.iter().enumerate().map(own).collect();
            let mut log = Vec::new();
            loop {
                left.retain(|it| !it.is_empty());
                if left.is_empty() {
                    break;
                }
                let index = order.next().expect("as many as there are events");
                let next = index.index(left.len());
                log.push(left[next].remove(0));
            }
            trace.push(log);
        }
        if let Some(lost) = &self.lost {
            trace[lost.index(LETTERS)].pop();
        }
        Session { trace, ..Session::default() }
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn clusters_order_events_as_pairs_and_nodes_do(
        (specification, draws) in (any_automaton(), [any_draw(), any_draw(), any_draw()]),
        masks in proptest::collection::vec(1..31_u32, 1..=3),
        is_mixed in any::<bool>(),
    ) {
        let session = if is_mixed { Draw::mixed(&draws, &specification) } else { draws[0].session(&specification) };
        let sets: Vec<_> = masks.iter().map(|&it| some_letters(&specification, it)).collect();
        compare(&specification, &sets, &session)?;
    }

    /// Parts that interleave as they like, whose events each log has in any order: what one part orders contradicts the others.
    #[test]
    fn clusters_of_interleaved_parts_order_events_as_pairs_and_nodes_do(
        (parts, merging) in (any_parts(), any_merging()),
    ) {
        let (specification, sets) = shuffled(&parts);
        let session = merging.session(&parts);
        compare(&specification, &sets, &session)?;
    }
}
