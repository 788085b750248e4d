//! Sessions some of whose events are in no order: an order that is accepted, else the nearest one.

use crate::budget::Allowance;
use crate::checker::{Checker, Effort};
use crate::decide::answer::Answer;
use crate::decide::decide;
use crate::decide::in_any_order::{OrderAnswer, Orders, TiedSession};
use crate::gaps::Gaps;
use crate::local_walk::nearest_order::nearest_order;
use crate::task::Task;
use crate::tied_logs::TiedLogs;
use multitrace_interaction::{Id, LetterId, LocationId, Observation, Session, TiedEvents};

/// An order of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundOrder {
    /// Per location, the indexes of its events.
    pub orders: Vec<Vec<usize>>,
    /// How far it is accepted; no order is accepted further.
    pub rank: OrderRank,
    /// If all orders fail, how many edits would make it accepted, as far as is known.
    pub distance: u64,
}

/// How far the best order of a session is accepted: the last is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OrderRank {
    /// All orders fail.
    Refused,
    /// The order may be accepted if events are missing.
    Open,
    /// The order is accepted in the observation mode of the configuration.
    Weak,
    /// The budget was spent before that was known.
    Spent,
    /// The order passes.
    Accepted,
}

impl Checker<'_> {
    /// Finds the order of a session that is accepted furthest, of all orders that some events may have which are in no order.
    /// If all fail, it is the one with the fewest edits of a few, and of these the one with the fewest faults.
    pub fn find_order(&mut self, session: &Session, ties: &[TiedEvents], gaps: Gaps) -> FoundOrder {
        let given: Orders = session.trace.iter().map(|log| (0..log.len()).collect()).collect();
        if gaps == Gaps::Events {
            return FoundOrder { orders: given, rank: OrderRank::Open, distance: 0 };
        }
        let logs = TiedLogs::new(&session.trace, ties);
        let is_unknown = session.trace.iter().flatten().any(|&it| it == LetterId::UNKNOWN);
        let found = match is_unknown || !session.foreign.is_empty() {
            true => Err(vec![given]),
            false => self.find_accepted(session, (&logs, given), gaps),
        };
        found.unwrap_or_else(|mut refused| {
            let apart = self.nearest_apart(session, (&logs, ties), gaps);
            refused.insert(1, apart);
            self.nearest(session, refused, gaps)
        })
    }

    /// An order of a session of known events that is accepted, or one whose budget was spent; else some that are not.
    fn find_accepted(
        &mut self,
        session: &Session,
        (logs, given): (&TiedLogs, Orders),
        gaps: Gaps,
    ) -> Result<FoundOrder, Vec<Orders>> {
        let found = |orders, rank| Ok(FoundOrder { orders, rank, distance: 0 });
        let levels = self.levels(session, gaps);
        let (monitor, config, engine) = (self.monitor, &self.config, self.engine);
        let allowance = Allowance::begin(&config.budget, session.event_count());
        let task = Task { monitor, session, config, engine, open_ends: &[], allowance };
        let scratch = &mut self.memory.scratch;
        if let Answer::Yes(_) = decide(&task, Observation::Complete, scratch).answer {
            return found(given, OrderRank::Accepted);
        }
        let tied = TiedSession { task: &task, logs };
        let mut refused = vec![given];
        for (observation, rank) in levels {
            match tied.decide(observation, scratch) {
                OrderAnswer::Accepted(orders) => return found(orders, rank),
                OrderAnswer::Refused(orders) => refused.extend(orders),
                OrderAnswer::Spent => return found(refused.swap_remove(0), OrderRank::Spent),
            }
        }
        Err(refused)
    }

    /// The modes in which a session is decided, the strictest first.
    fn levels(&self, session: &Session, gaps: Gaps) -> Vec<(Observation, OrderRank)> {
        let observation = self.config.observation;
        let mut levels = vec![(Observation::Complete, OrderRank::Accepted)];
        if observation != Observation::Complete {
            levels.push((observation, OrderRank::Weak));
        }
        if observation == Observation::GlobalPrefix {
            // Longer logs might be accepted.
            levels.push((Observation::Prefix, OrderRank::Open));
        }
        let excusing = gaps.excusing_mode(session, observation);
        levels.extend(excusing.map(|mode| (mode, OrderRank::Open)));
        levels
    }

    /// The order of each log that its location alone repairs with the fewest edits, as far as is known.
    fn nearest_apart(
        &self,
        session: &Session,
        (logs, ties): (&TiedLogs, &[TiedEvents]),
        gaps: Gaps,
    ) -> Orders {
        let observation = self.config.observation;
        let observation = gaps.excusing_mode(session, observation).unwrap_or(observation);
        let (monitor, config, engine) = (self.monitor, &self.config, self.engine);
        let allowance = Allowance::begin(&config.budget, session.event_count());
        let task = Task { monitor, session, config, engine, open_ends: &[], allowance };
        let question = task.question(observation);
        let order = |(at, log): (usize, &Vec<LetterId>)| {
            let is_tied = ties.iter().any(|tied| tied.location == at);
            let nearest = is_tied.then(|| nearest_order(&question, logs, LocationId::new(at)));
            nearest.flatten().unwrap_or_else(|| (0..log.len()).collect())
        };
        session.trace.iter().enumerate().map(order).collect()
    }

    /// Of some orders that fail, the first one with the fewest edits. If several have as few, an event that came in place
    /// of another one is one fault; the same two edits apart from one another are two.
    fn nearest(&mut self, session: &Session, orders: Vec<Orders>, gaps: Gaps) -> FoundOrder {
        let mut nearest = None;
        for (at, order) in orders.iter().enumerate() {
            if orders[..at].contains(order) {
                continue;
            }
            let session = session.in_order(order);
            let repair = self.repair_with(&session, gaps, &None, Effort::Brief);
            let edits = repair.map_or((u64::MAX, usize::MAX), |it| {
                // Without the edits themselves nothing is known of the faults.
                let faults = if it.faults.is_empty() { usize::MAX } else { it.faults.len() };
                (it.distance, faults)
            });
            if nearest.is_none_or(|(least, _)| edits < least) {
                nearest = Some((edits, at));
            }
        }
        let ((distance, _), at) = nearest.unwrap_or_default();
        let orders = orders.into_iter().nth(at).unwrap_or_default();
        FoundOrder { orders, rank: OrderRank::Refused, distance }
    }
}
