//! Sessions with events in no order, compared with all their orders, each checked alone.

use crate::sessions::{Draw, any_draw};
use crate::specification::{any_automaton, any_specification, any_tables};
use multitrace_interaction::{
    InconclusiveReason, LetterId, Observation, Session, TiedEvents, Verdict,
};
use multitrace_runtime::{
    Budget, CheckConfig, Checker, Comparison, Gaps, Monitor, OrderRank, SearchChoice, States,
};
use multitrace_testing::cases;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeSet;

/// By a search without look-ahead, by one with it, and each order alone.
const SEARCHES: [SearchChoice; 3] =
    [SearchChoice::Auto, SearchChoice::Nodes, SearchChoice::Constraints];

/// How the logs of a session are cut into stretches whose events are in no order: their lengths, and the chain of each event.
#[derive(Clone, Debug)]
struct TieDraw {
    lengths: Vec<Index>,
    chains: Vec<Index>,
    swaps: Vec<(Index, Index)>,
}

fn any_ties() -> impl Strategy<Value = TieDraw> {
    let indexes = || proptest::collection::vec(any::<Index>(), 24);
    let swaps = proptest::collection::vec(any::<(Index, Index)>(), 0..=6);
    (indexes(), indexes(), swaps).prop_map(|(lengths, chains, swaps)| TieDraw {
        lengths,
        chains,
        swaps,
    })
}

impl TieDraw {
    /// Stretches of up to `most` events, and the session with some events of a stretch swapped.
    fn ties(&self, session: &mut Session, most: usize) -> Vec<TiedEvents> {
        let mut ties = Vec::new();
        let mut lengths = self.lengths.iter().cycle();
        for (location, log) in session.trace.iter_mut().enumerate() {
            let mut start = 0;
            while start < log.len() {
                let length = lengths.next().expect("endless").index(most) + 1;
                let stretch = start..log.len().min(start + length);
                for (one, other) in &self.swaps {
                    let at = |index: &Index| start + index.index(stretch.len());
                    log.swap(at(one), at(other));
                }
                let mut chains = vec![Vec::new(); stretch.len()];
                for at in stretch.clone() {
                    // Most chains have one event.
                    let chain = self.chains[at % self.chains.len()].index(2 * stretch.len());
                    chains[chain.min(at - start)].push(at);
                }
                chains.retain(|chain| !chain.is_empty());
                if chains.len() > 1 {
                    ties.push(TiedEvents { location, chains });
                }
                start = stretch.end;
            }
        }
        ties
    }
}

/// All shuffles of some chains, as indexes of events: of those with the same letters one; `None` if there are many.
fn shuffles(chains: &[Vec<usize>], log: &[LetterId], most: usize) -> Option<Vec<Vec<usize>>> {
    let count = chains.iter().map(Vec::len).sum::<usize>();
    let mut all = vec![(vec![0; chains.len()], Vec::new())];
    for _ in 0..count {
        let mut seen = BTreeSet::new();
        let mut more = Vec::new();
        for (heads, word) in &all {
            for (chain, events) in chains.iter().enumerate() {
                let Some(&at) = events.get(heads[chain]) else { continue };
                let (mut heads, mut word) = (heads.clone(), word.clone());
                heads[chain] += 1;
                word.push(at);
                let letters: Vec<LetterId> = word.iter().map(|&at| log[at]).collect();
                if seen.insert((heads.clone(), letters)) {
                    more.push((heads, word));
                }
            }
        }
        all = more;
        if all.len() > 4 * most {
            return None;
        }
    }
    let mut seen = BTreeSet::new();
    let word = |word: &Vec<usize>| word.iter().map(|&at| log[at]).collect::<Vec<_>>();
    let all: Vec<Vec<usize>> =
        all.into_iter().map(|it| it.1).filter(|it| seen.insert(word(it))).collect();
    (all.len() <= most).then_some(all)
}

/// All orders of a session; `None` if there are more than `most`.
fn orders(session: &Session, ties: &[TiedEvents], most: usize) -> Option<Vec<Vec<Vec<usize>>>> {
    let given: Vec<Vec<usize>> = session.trace.iter().map(|log| (0..log.len()).collect()).collect();
    let mut all = vec![given];
    for TiedEvents { location, chains } in ties {
        let start = chains.iter().flatten().copied().min().expect("events");
        let words = shuffles(chains, &session.trace[*location], most)?;
        let with = |orders: &Vec<Vec<usize>>, word: &Vec<usize>| {
            let mut orders = orders.clone();
            orders[*location][start..start + word.len()].copy_from_slice(word);
            orders
        };
        all = all.iter().flat_map(|it| words.iter().map(move |word| with(it, word))).collect();
        if all.len() > most {
            return None;
        }
    }
    Some(all)
}

/// Whether an order keeps each chain, and moves no event out of its stretch.
fn is_order(orders: &[Vec<usize>], session: &Session, ties: &[TiedEvents]) -> bool {
    session.trace.iter().zip(orders).enumerate().all(|(location, (log, order))| {
        let place = |event: usize| order.iter().position(|it| *it == event);
        let mut expected: Vec<Option<usize>> = (0..log.len()).map(Some).collect();
        let mut are_kept = order.len() == log.len();
        for tied in ties.iter().filter(|it| it.location == location) {
            let events: Vec<usize> = tied.chains.iter().flatten().copied().collect();
            let places: BTreeSet<Option<usize>> = events.iter().map(|&it| place(it)).collect();
            are_kept &= places == events.iter().map(|&it| Some(it)).collect();
            are_kept &= tied.chains.iter().all(|chain| chain.is_sorted_by_key(|it| place(*it)));
            events.iter().for_each(|&it| expected[it] = place(it));
        }
        are_kept && (0..log.len()).all(|it| place(it) == expected[it])
    })
}

fn rank(verdict: &Verdict) -> OrderRank {
    match verdict {
        Verdict::Pass => OrderRank::Accepted,
        Verdict::WeakPass => OrderRank::Weak,
        Verdict::Inconclusive(InconclusiveReason::Budget { .. }) => OrderRank::Spent,
        Verdict::Inconclusive(_) => OrderRank::Open,
        Verdict::Fail(_) => OrderRank::Refused,
    }
}

/// Compares the order that is found with all orders, in all modes, with all gaps, and by all searches.
fn compare(monitor: &Monitor, session: &Session, ties: &[TiedEvents], all: &[Vec<Vec<usize>>]) {
    for observation in Observation::ALL {
        for gaps in [Gaps::None, Gaps::Locations, Gaps::Ends, Gaps::Events] {
            let config = CheckConfig { observation, ..CheckConfig::default() };
            let mut checker = Checker::new(monitor, config).expect("an engine");
            let mut rank_of = |orders: &Vec<Vec<usize>>| {
                rank(&checker.check_with_gaps(&session.in_order(orders), gaps).verdict)
            };
            let best = all.iter().map(&mut rank_of).max().expect("an order");
            for search in SEARCHES {
                let comparison = Comparison { search, ..Comparison::default() };
                let config = CheckConfig { comparison, ..config };
                let mut checker = Checker::new(monitor, config).expect("an engine");
                let found = checker.find_order(session, ties, gaps);
                let at = format!("{observation:?} {gaps:?} {search:?}");
                assert_eq!(found.rank, best, "{at}");
                assert_eq!(rank_of(&found.orders), best, "{at}");
                assert!(is_order(&found.orders, session, ties), "{at}: {:?}", found.orders);
                // A budget leaves sessions open, and changes no answer.
                let budget = Budget { states: States::Fixed(4), ..Budget::default() };
                let mut checker =
                    Checker::new(monitor, CheckConfig { budget, ..config }).expect("an engine");
                let found = checker.find_order(session, ties, gaps).rank;
                assert!(found == best || found == OrderRank::Spent, "{at}: {found:?} for {best:?}");
            }
        }
    }
}

/// The same of complete sessions alone.
fn compare_complete(
    monitor: &Monitor,
    session: &Session,
    ties: &[TiedEvents],
    all: &[Vec<Vec<usize>>],
) -> Result<(), TestCaseError> {
    let mut checker = Checker::new(monitor, CheckConfig::default()).expect("an engine");
    let passes =
        |it: &Vec<Vec<usize>>| checker.check(&session.in_order(it)).verdict == Verdict::Pass;
    let expected = match all.iter().any(passes) {
        true => OrderRank::Accepted,
        false => OrderRank::Refused,
    };
    for search in SEARCHES {
        let comparison = Comparison { search, ..Comparison::default() };
        let config = CheckConfig { comparison, ..CheckConfig::default() };
        let mut checker = Checker::new(monitor, config).expect("an engine");
        let found = checker.find_order(session, ties, Gaps::None);
        prop_assert_eq!(found.rank, expected, "{:?}", search);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn the_best_of_all_orders_is_found_on_automata(
        (specification, draws, ties, tables, is_mixed) in
            (any_automaton(), [any_draw(), any_draw(), any_draw()], any_ties(), any_tables(), any::<bool>()),
    ) {
        let mut session = match is_mixed {
            true => Draw::mixed(&draws, &specification),
            false => draws[0].session(&specification),
        };
        let ties = ties.ties(&mut session, 4);
        let Some(all) = orders(&session, &ties, 60) else { return Ok(()) };
        compare(&Monitor::new(specification.bundle(tables)), &session, &ties, &all);
    }

    #[test]
    fn the_best_of_all_orders_is_found_on_terms(
        (specification, draws, ties, is_mixed) in
            (any_specification(), [any_draw(), any_draw(), any_draw()], any_ties(), any::<bool>()),
    ) {
        let mut session = match is_mixed {
            true => Draw::mixed(&draws, &specification),
            false => draws[0].session(&specification),
        };
        let ties = ties.ties(&mut session, 4);
        let Some(all) = orders(&session, &ties, 40) else { return Ok(()) };
        compare(&Monitor::new(specification.bundle_of_terms()), &session, &ties, &all);
    }
}

proptest! {
    #![proptest_config(cases(100))]

    /// Long stretches of few names: most have more orders than are ever decided one by one.
    #[test]
    fn many_equal_events_in_no_order_are_decided(
        (specification, draws, ties, tables) in
            (any_automaton(), [any_draw(), any_draw(), any_draw()], any_ties(), any_tables()),
    ) {
        let mut session = draws[0].session(&specification);
        let longer = draws[1].trace(&specification);
        session.trace.iter_mut().zip(longer).for_each(|(log, more)| log.extend(more));
        let ties = ties.ties(&mut session, 14);
        let Some(all) = orders(&session, &ties, 2_000) else { return Ok(()) };
        compare_complete(&Monitor::new(specification.bundle(tables)), &session, &ties, &all)?;
    }
}

proptest! {
    #![proptest_config(cases(100))]

    /// Twelve events of two names in no order at one location, beside a few at another: up to 924 different orders.
    #[test]
    fn repeated_events_in_no_order_are_decided(
        (specification, draw, tables, more) in (any_automaton(), any_draw(), any_tables(), 0..=8_usize),
    ) {
        let mut session = draw.session(&specification);
        let own = specification.alphabet.letters_by_location();
        if let [first, .., last] = own[0][..] {
            // As often as the log has them, and more often as long as there is room.
            session.trace[0].extend((0..more).map(|at| if at % 2 == 0 { first } else { last }));
        }
        session.trace[0].truncate(12);
        if session.trace[0].len() < 2 {
            return Ok(());
        }
        let chains = (0..session.trace[0].len()).map(|at| vec![at]).collect();
        let ties = [TiedEvents { location: 0, chains }];
        let Some(all) = orders(&session, &ties, 1_000) else { return Ok(()) };
        compare_complete(&Monitor::new(specification.bundle(tables)), &session, &ties, &all)?;
    }
}
