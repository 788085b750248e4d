//! How the parts of an interaction begin and end at each lifeline.
//
// Idea: of each part we keep, per lifeline, its first actions in a row as long as there is no choice, the
// set of actions that may follow them, and the set of last actions. Operators put these together.
//
// Invariant: the occurrences kept are exact unless they are marked as cut.
//
// Cost: a few actions per lifeline; the smaller of two operands moves into the larger.

use indexmap::IndexMap;
use multitrace_interaction::{Action, LifelineId, LifelineSet, NodeId};
use rustc_hash::FxBuildHasher;

/// The most actions kept in a row or in a set, per lifeline: enough to see where two alternatives
/// differ, and a bound on the pairs that are compared. An estimate, not measured.
const MAX_ACTIONS: usize = 8;

/// An action where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub(super) node: NodeId,
    pub(super) action: Action,
    /// The sender, if it is the reception of a message passing.
    pub(super) sender: Option<LifelineId>,
}

/// How a part begins at one lifeline.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalStart {
    /// The occurrences that come first, in this order.
    pub(super) straight: Vec<Occurrence>,
    /// One of these comes next.
    pub(super) then: Vec<Occurrence>,
    /// Whether the part may also end there. If nothing comes next, it does.
    is_open: bool,
    /// Whether more than was kept may come next.
    pub(super) is_cut: bool,
}

/// How a part ends at one lifeline.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalEnd {
    /// One of these comes last.
    pub(super) last: Vec<Occurrence>,
    /// Whether the part may do nothing there.
    is_open: bool,
}

type ByLifeline<T> = IndexMap<LifelineId, T, FxBuildHasher>;

/// How a part begins and ends.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalOrder {
    pub(super) starts: ByLifeline<LocalStart>,
    pub(super) ends: ByLifeline<LocalEnd>,
}

impl LocalStart {
    fn one(occurrence: Occurrence) -> LocalStart {
        LocalStart { straight: vec![occurrence], is_open: true, ..LocalStart::default() }
    }

    /// The occurrences that may come first.
    pub(super) fn first(&self) -> &[Occurrence] {
        if self.straight.is_empty() { &self.then } else { &self.straight[..1] }
    }

    /// Whether the part may do nothing here.
    fn may_skip(&self) -> bool {
        self.straight.is_empty() && self.is_open
    }

    fn then(mut self, next: LocalStart) -> LocalStart {
        if self.is_cut {
            return self;
        }
        if self.then.is_empty() {
            self.straight.extend(next.straight);
            (self.then, self.is_open, self.is_cut) = (next.then, next.is_open, next.is_cut);
            if self.straight.len() > MAX_ACTIONS {
                self.straight.truncate(MAX_ACTIONS);
                self.then.clear();
                self.is_cut = true;
            }
        } else if self.is_open {
            self.is_cut = !add_all(&mut self.then, next.first()) || next.is_cut;
            self.is_open = next.may_skip();
        }
        self
    }

    /// One of several, or both at once.
    fn any_of(starts: &[&LocalStart], is_open: bool) -> LocalStart {
        let mut then = Vec::new();
        let mut is_cut = false;
        for start in starts {
            is_cut |=
                !add_all(&mut then, start.first()) || start.is_cut && start.straight.is_empty();
        }
        LocalStart { straight: Vec::new(), then, is_open, is_cut }
    }
}

impl LocalEnd {
    fn then(mut self, next: LocalEnd) -> LocalEnd {
        if !next.is_open {
            return next;
        }
        let is_open = self.is_open;
        add_all(&mut self.last, &next.last);
        LocalEnd { is_open, ..self }
    }
}

/// Adds the new occurrences; false if there was no room for them.
fn add_all(to: &mut Vec<Occurrence>, more: &[Occurrence]) -> bool {
    for &occurrence in more {
        if to.contains(&occurrence) {
            continue;
        }
        if to.len() == MAX_ACTIONS {
            return false;
        }
        to.push(occurrence);
    }
    true
}

/// Moves the smaller map into the larger. `join` gets the values of a key in their order.
fn merge<T: Default>(
    mut a: ByLifeline<T>,
    mut b: ByLifeline<T>,
    join: impl Fn(LifelineId, T, T) -> T,
) -> ByLifeline<T> {
    if a.len() < b.len() {
        for (lifeline, first) in a {
            let slot = b.entry(lifeline);
            match slot {
                indexmap::map::Entry::Occupied(mut slot) => {
                    let second = std::mem::take(slot.get_mut());
                    *slot.get_mut() = join(lifeline, first, second);
                }
                indexmap::map::Entry::Vacant(slot) => {
                    slot.insert(first);
                }
            }
        }
        return b;
    }
    for (lifeline, second) in b {
        match a.entry(lifeline) {
            indexmap::map::Entry::Occupied(mut slot) => {
                let first = std::mem::take(slot.get_mut());
                *slot.get_mut() = join(lifeline, first, second);
            }
            indexmap::map::Entry::Vacant(slot) => {
                slot.insert(second);
            }
        }
    }
    a
}

impl LocalOrder {
    /// Of a step: its first action at each lifeline.
    pub(super) fn step(occurrences: impl Iterator<Item = Occurrence>) -> LocalOrder {
        let mut order = LocalOrder::default();
        for occurrence in occurrences {
            let lifeline = occurrence.action.lifeline;
            order.starts.entry(lifeline).or_insert_with(|| LocalStart::one(occurrence));
            let last = LocalEnd { last: vec![occurrence], is_open: false };
            order.ends.insert(lifeline, last);
        }
        order
    }

    /// One after the other at each lifeline, but both at once on those of `together`; `None` for
    /// all of them.
    pub(super) fn schedule(self, next: LocalOrder, together: Option<&LifelineSet>) -> LocalOrder {
        let is_together = |lifeline| together.is_none_or(|set| set.contains(lifeline));
        let starts = merge(self.starts, next.starts, |lifeline, a, b| {
            if !is_together(lifeline) {
                return a.then(b);
            }
            LocalStart::any_of(&[&a, &b], a.may_skip() && b.may_skip())
        });
        let ends = merge(self.ends, next.ends, |lifeline, mut a: LocalEnd, b: LocalEnd| {
            if !is_together(lifeline) {
                return a.then(b);
            }
            add_all(&mut a.last, &b.last);
            LocalEnd { is_open: a.is_open && b.is_open, ..a }
        });
        LocalOrder { starts, ends }
    }

    /// One of several parts.
    pub(super) fn one_of(parts: Vec<LocalOrder>) -> LocalOrder {
        let count = parts.len();
        let mut starts: ByLifeline<Vec<LocalStart>> = ByLifeline::default();
        let mut ends: ByLifeline<Vec<LocalEnd>> = ByLifeline::default();
        for part in parts {
            for (lifeline, start) in part.starts {
                starts.entry(lifeline).or_default().push(start);
            }
            for (lifeline, end) in part.ends {
                ends.entry(lifeline).or_default().push(end);
            }
        }
        let start = |(lifeline, starts): (LifelineId, Vec<LocalStart>)| {
            let is_open = starts.len() < count || starts.iter().any(LocalStart::may_skip);
            let starts: Vec<&LocalStart> = starts.iter().collect();
            (lifeline, LocalStart::any_of(&starts, is_open))
        };
        let end = |(lifeline, ends): (LifelineId, Vec<LocalEnd>)| {
            let is_open = ends.len() < count || ends.iter().any(|end| end.is_open);
            let mut last = Vec::new();
            ends.iter().for_each(|end| {
                add_all(&mut last, &end.last);
            });
            (lifeline, LocalEnd { last, is_open })
        };
        LocalOrder {
            starts: starts.into_iter().map(start).collect(),
            ends: ends.into_iter().map(end).collect(),
        }
    }

    /// Any number of repetitions.
    pub(super) fn repeated(mut self) -> LocalOrder {
        for start in self.starts.values_mut() {
            *start = LocalStart::any_of(&[start], true);
        }
        self.ends.values_mut().for_each(|end| end.is_open = true);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_interaction::{ActionKind, Id, MessageId};

    /// The emission of a message, which is its place, too, at a lifeline.
    fn sent(lifeline: usize, message: usize) -> LocalOrder {
        let (lifeline, message) = (LifelineId::new(lifeline), MessageId::new(message));
        let action = Action { lifeline, kind: ActionKind::Emission, message };
        let node = NodeId::new(message.index());
        LocalOrder::step(std::iter::once(Occurrence { node, action, sender: None }))
    }

    fn in_order(first: LocalOrder, next: LocalOrder) -> LocalOrder {
        first.schedule(next, Some(&LifelineSet::new()))
    }

    fn messages(occurrences: &[Occurrence]) -> Vec<usize> {
        occurrences.iter().map(|it| it.action.message.index()).collect()
    }

    /// The beginning at the first lifeline: in a row, then one of these, and whether it is cut.
    fn start(order: &LocalOrder) -> (Vec<usize>, Vec<usize>, bool) {
        let start = &order.starts[&LifelineId::new(0)];
        (messages(&start.straight), messages(&start.then), start.is_cut)
    }

    fn last(order: &LocalOrder) -> Vec<usize> {
        messages(&order.ends[&LifelineId::new(0)].last)
    }

    #[test]
    fn rows_are_cut_after_the_most_actions() {
        let row = |count| (1..count).map(|it| sent(0, it)).fold(sent(0, 0), in_order);
        let most: Vec<usize> = (0..MAX_ACTIONS).collect();
        assert_eq!(start(&row(MAX_ACTIONS)), (most.clone(), vec![], false));
        assert_eq!(start(&row(MAX_ACTIONS + 1)), (most.clone(), vec![], true));
        // An order that is cut counts as whole where only its first action matters.
        let alternatives = LocalOrder::one_of(vec![row(MAX_ACTIONS + 1), sent(0, 20)]);
        assert_eq!(start(&alternatives), (vec![], vec![0, 20], false));
        let many = LocalOrder::one_of((0..MAX_ACTIONS + 1).map(|it| sent(0, it)).collect());
        assert_eq!(start(&many), (vec![], most, true));
    }

    #[test]
    fn what_follows_alternatives_begins_where_one_of_them_does_nothing() {
        let then = |first| start(&in_order(first, sent(0, 9)));
        let either = |a, b| LocalOrder::one_of(vec![a, b]);
        assert_eq!(then(either(sent(0, 1), sent(0, 2))), (vec![], vec![1, 2], false));
        assert_eq!(then(either(sent(0, 1), sent(1, 2))), (vec![], vec![1, 9], false));
        let skipped = either(sent(0, 1).repeated(), sent(0, 2));
        assert_eq!(then(skipped), (vec![], vec![1, 2, 9], false));
        assert_eq!(then(sent(0, 1).repeated()), (vec![], vec![1, 9], false));
    }

    #[test]
    fn concurrent_parts_both_begin_and_are_skipped_if_both_are() {
        let then = |a: LocalOrder, b| start(&in_order(a.schedule(b, None), sent(0, 9)));
        let loop_of = |message| sent(0, message).repeated();
        assert_eq!(then(loop_of(1), sent(0, 2)), (vec![], vec![1, 2], false));
        assert_eq!(then(sent(0, 1), loop_of(2)), (vec![], vec![1, 2], false));
        assert_eq!(then(loop_of(1), loop_of(2)), (vec![], vec![1, 2, 9], false));
    }

    #[test]
    fn what_precedes_alternatives_ends_where_one_of_them_does_nothing() {
        let before = |next| last(&in_order(sent(0, 9), next));
        let either = |a, b| LocalOrder::one_of(vec![a, b]);
        assert_eq!(before(either(sent(0, 1), sent(0, 2))), [1, 2]);
        assert_eq!(before(either(sent(0, 1), sent(1, 2))), [9, 1]);
        assert_eq!(before(sent(0, 1).repeated()), [9, 1]);
        assert_eq!(before(sent(0, 1).repeated().schedule(sent(0, 2), None)), [1, 2]);
    }
}
