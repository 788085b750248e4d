//! Deciding sessions some of whose events are in no order: whether one of the orders is accepted in one observation mode.
//
// Idea: one search whose positions are cuts of the logs (`tied_logs.rs`) decides over all orders at once. A short one without
// look-ahead comes first, since most sessions pass. Then single logs: those that no order makes readable refuse the session,
// and the others tell which orders are left. If these are few, each is decided as any other session is, by all stages; else
// the search decides, with look-ahead. If its budget is spent, and the orders are not too many, each is decided.
//
// Invariant: an order that is found is accepted, and none is accepted if the answer is no.
//
// Cost: up to the product of the states and the cuts of all logs.

use crate::automaton::Automaton;
use crate::config::SearchChoice;
use crate::decide::answer::Answer;
use crate::decide::decide;
use crate::decide::search_setup::{all_traces, traces};
use crate::lazy_automaton::LazyAutomaton;
use crate::look_ahead::dead_ends::DeadEnds;
use crate::look_ahead::local_analysis::LocalAnalysis;
use crate::look_ahead::tied_rows::TiedRows;
use crate::question::Question;
use crate::scratch::Scratch;
use crate::search::outcome::SearchOutcome;
use crate::search::problem::Problem;
use crate::search::repetitions::RepetitionSearch;
use crate::task::Task;
use crate::tied_logs::TiedLogs;
use multitrace_interaction::{Engine, InconclusiveReason, Nfa, Observation};
use std::cell::RefCell;

/// Per location, the indexes of its events in an order.
pub(crate) type Orders = Vec<Vec<usize>>;

/// The answer over all orders of a session.
pub(crate) enum OrderAnswer {
    /// This one is accepted.
    Accepted(Orders),
    /// None is accepted. These may be worth telling: the ones that were decided, or the one that a search read furthest.
    Refused(Vec<Orders>),
    /// The budget was spent first.
    Spent,
}

/// How many nodes the first search may visit: milliseconds (an estimate).
const FIRST_NODES: u64 = 2_000;

/// So many orders are decided one by one before a search over all of them: all stages for each take milliseconds (an
/// estimate).
const FEW_ORDERS: usize = 24;

/// So many are decided one by one after a search that its budget has ended.
const MOST_ORDERS: usize = 1_000;

/// So many indexes of events are kept for them: 80 MB.
const MOST_INDEXES: usize = 10_000_000;

/// Once so many orders have spent a budget each, no more are decided.
const MOST_OPEN: usize = 4;

/// How many orders that were decided one by one are told.
const TOLD_ORDERS: usize = 8;

/// A session whose events are partly in no order.
pub(crate) struct TiedSession<'a> {
    pub(crate) task: &'a Task<'a>,
    pub(crate) logs: &'a TiedLogs,
}

impl TiedSession<'_> {
    /// Decides over all orders in an observation mode.
    pub(crate) fn decide(&self, observation: Observation, scratch: &mut Scratch) -> OrderAnswer {
        let task = self.task;
        let question = Question { tied: Some(self.logs), ..task.question(observation) };
        let bundle = task.monitor.bundle();
        let counts = &mut scratch.counts;
        let mut is_unbalanced = || {
            bundle.balance.broken(question.trace, bundle.alphabet.letters().len(), counts).is_some()
        };
        if question.is_closed() && is_unbalanced() {
            return OrderAnswer::Refused(Vec::new());
        }
        let is_global = observation == Observation::GlobalPrefix;
        let terms = match (is_global, task.engine) {
            (true, _) => task.monitor.terms(all_traces(task.config), task.allowance.stop()),
            (false, Engine::Term) => task.monitor.terms(traces(task.config), task.allowance.stop()),
            (false, Engine::Nfa) => None,
        };
        match (terms, bundle.automaton()) {
            (Some(terms), _) => self.decide_on_terms(&terms, question, scratch),
            (None, Some(automaton)) if is_global => {
                let problem = Problem::plain(question, &automaton.full);
                self.decide_on_automaton(problem, false, scratch)
            }
            (None, Some(automaton)) => {
                let problem = Problem::plain(question, &automaton.search);
                self.decide_on_automaton(problem, true, scratch)
            }
            (None, None) => OrderAnswer::Spent,
        }
    }

    fn decide_on_terms(
        &self,
        terms: &LazyAutomaton,
        mut question: Question<'_>,
        scratch: &mut Scratch,
    ) -> OrderAnswer {
        question.allowance = question.allowance.on(terms);
        let analysis = RefCell::new(LocalAnalysis::new(terms, question.clone(), u32::MAX));
        let mut problem = Problem::plain(question, terms);
        problem.dead_ends = DeadEnds::Terms(&analysis);
        let first = self.search(&mut problem, self.first_nodes());
        first.unwrap_or_else(|_| self.decide_rest(&mut problem, |_, _| true, scratch))
    }

    fn decide_on_automaton(
        &self,
        mut problem: Problem<'_, Nfa>,
        looks_ahead: bool,
        scratch: &mut Scratch,
    ) -> OrderAnswer {
        let furthest = match self.search(&mut problem, self.first_nodes()) {
            Ok(answer) => return answer,
            Err(furthest) => furthest,
        };
        if !looks_ahead {
            return self.decide_rest(&mut problem, |_, _| true, scratch);
        }
        let Some(rows) = TiedRows::new(problem.automaton, (&problem.question, self.logs)) else {
            return OrderAnswer::Refused(vec![furthest]);
        };
        let question = problem.question.clone();
        let mut problem = Problem::plain(question, problem.automaton);
        problem.dead_ends = DeadEnds::TiedRows(&rows);
        self.decide_rest(&mut problem, |location, cut| rows.may_be_at(location, cut), scratch)
    }

    /// How many nodes the first search may visit; to compare the others with it, one.
    fn first_nodes(&self) -> u64 {
        match self.task.config.comparison.search {
            SearchChoice::Nodes | SearchChoice::Constraints => 0,
            _ => FIRST_NODES,
        }
    }

    /// Decides a session that a short search has left open.
    fn decide_rest<A: Automaton>(
        &self,
        problem: &mut Problem<'_, A>,
        may_be_at: impl Fn(usize, u32) -> bool,
        scratch: &mut Scratch,
    ) -> OrderAnswer {
        let observation = problem.question.observation;
        let few = match self.task.config.comparison.search {
            SearchChoice::Nodes => 0,
            _ => FEW_ORDERS,
        };
        if let Some(orders) = self.orders(few, &may_be_at) {
            return self.decide_each(orders, observation, scratch);
        }
        self.search(problem, u64::MAX).unwrap_or_else(|_| {
            let most = MOST_ORDERS.min(MOST_INDEXES / problem.question.event_count().max(1));
            match self.orders(most, &may_be_at) {
                Some(orders) => self.decide_each(orders, observation, scratch),
                None => OrderAnswer::Spent,
            }
        })
    }

    /// Searches all orders within a number of nodes; the order that was read furthest if they are spent.
    fn search<A: Automaton>(
        &self,
        problem: &mut Problem<'_, A>,
        limit: u64,
    ) -> Result<OrderAnswer, Orders> {
        let whole = problem.question.allowance.clone();
        problem.question.allowance = whole.with_states(limit);
        let mut search = RepetitionSearch::new(problem);
        let outcome = search.run();
        let way = search.way();
        let order = |location| self.logs.order(location, way.iter().map(|cuts| cuts[location]));
        let orders: Orders = (0..problem.question.trace.len()).map(order).collect();
        problem.question.allowance = whole;
        match outcome {
            SearchOutcome::Found => Ok(OrderAnswer::Accepted(orders)),
            // The node that was read furthest on terms may depend on other sessions.
            SearchOutcome::Exhausted if problem.question.allowance.looks_often() => {
                Ok(OrderAnswer::Refused(Vec::new()))
            }
            SearchOutcome::Exhausted => Ok(OrderAnswer::Refused(vec![orders])),
            SearchOutcome::Spent(_) | SearchOutcome::Cut | SearchOutcome::DoesNotFit => Err(orders),
        }
    }

    /// All orders of the session; `None` if there are more than `most`.
    fn orders(&self, most: usize, may_be_at: impl Fn(usize, u32) -> bool) -> Option<Vec<Orders>> {
        let mut all: Vec<Orders> = vec![Vec::new()];
        for location in 0..self.task.session.trace.len() {
            let own = self.logs.orders(location, most, |cut| may_be_at(location, cut))?;
            if all.len() * own.len() > most {
                return None;
            }
            let with = |orders: &Orders, own: &Vec<usize>| {
                [&orders[..], std::slice::from_ref(own)].concat()
            };
            all = all.iter().flat_map(|it| own.iter().map(move |own| with(it, own))).collect();
        }
        Some(all)
    }

    fn decide_each(
        &self,
        orders: Vec<Orders>,
        observation: Observation,
        scratch: &mut Scratch,
    ) -> OrderAnswer {
        let mut open = 0;
        for orders in &orders {
            if open == MOST_OPEN {
                break;
            }
            let session = &self.task.session.in_order(orders);
            let Task { monitor, config, engine, open_ends, ref allowance, .. } = *self.task;
            let allowance = allowance.clone();
            let task = Task { monitor, session, config, engine, open_ends, allowance };
            match decide(&task, observation, scratch).answer {
                Answer::Yes(_) => return OrderAnswer::Accepted(orders.clone()),
                Answer::No | Answer::Unknown(InconclusiveReason::LackOfObservation) => {}
                Answer::Unknown(_) | Answer::Spent(..) => open += 1,
            }
        }
        match open > 0 {
            true => OrderAnswer::Spent,
            false => OrderAnswer::Refused(orders.into_iter().take(TOLD_ORDERS).collect()),
        }
    }
}
