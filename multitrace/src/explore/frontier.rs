//! The steps that wait to be followed, in the order of a strategy.

use crate::explore::options::Strategy;
use multitrace_interaction::{StepId, TermId};
use std::collections::{BTreeMap, VecDeque};

/// A step that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) from: usize,
    pub(crate) step: StepId,
    pub(crate) residual: TermId,
    /// How many nested loops it begins a repetition of.
    pub(crate) loops: u32,
}

/// The steps that wait.
pub(crate) struct Frontier {
    strategy: Strategy,
    /// For breadth and depth.
    queue: VecDeque<Waiting>,
    /// For coverage: per step, in the order in which they came.
    by_step: BTreeMap<StepId, VecDeque<(usize, Waiting)>>,
    /// How often each step was followed.
    followed: BTreeMap<StepId, usize>,
    count: usize,
}

impl Frontier {
    pub(crate) fn new(strategy: Strategy) -> Frontier {
        let (queue, by_step, followed) = Default::default();
        Frontier { strategy, queue, by_step, followed, count: 0 }
    }

    /// Adds the steps of a node, in their order.
    pub(crate) fn add(&mut self, steps: Vec<Waiting>) {
        match self.strategy {
            Strategy::Breadth => self.queue.extend(steps),
            // The last one is taken first.
            Strategy::Depth => self.queue.extend(steps.into_iter().rev()),
            Strategy::Coverage => {
                for step in steps {
                    self.by_step.entry(step.step).or_default().push_back((self.count, step));
                    self.count += 1;
                }
            }
        }
    }

    /// The next step to follow.
    pub(crate) fn take(&mut self) -> Option<Waiting> {
        match self.strategy {
            Strategy::Breadth => self.queue.pop_front(),
            Strategy::Depth => self.queue.pop_back(),
            Strategy::Coverage => self.take_rarest(),
        }
    }

    fn take_rarest(&mut self) -> Option<Waiting> {
        let often = |step: &StepId| self.followed.get(step).copied().unwrap_or(0);
        let waiting = self.by_step.iter().filter_map(|(step, queue)| Some((step, queue.front()?)));
        let rarest = waiting.min_by_key(|(step, (rank, _))| (often(step), *rank));
        let step = *rarest?.0;
        *self.followed.entry(step).or_default() += 1;
        self.by_step.get_mut(&step)?.pop_front().map(|(_, waiting)| waiting)
    }
}
