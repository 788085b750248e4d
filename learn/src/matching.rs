//! Receptions are matched to emissions, so that logs become arrows.

// Idea: the session is replayed. A message passes at once where its emission and its reception are both next in their
// logs. So no arrow crosses another unless it must. Where nothing can pass, an emission goes ahead and its reception
// follows later; where even that is impossible, a reception comes from outside. Each event is looked at a bounded
// number of times, but for the lifelines that are next to do the same.

use crate::arrow::{Arrow, Arrows, Label};
use crate::channels::Channels;
use multitrace_interaction::{Action, ActionKind, LifelineId, MessageId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// A session as arrows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matched {
    /// The arrow of each instance.
    pub(crate) labels: Vec<Label>,
    /// The actions, in an order that all logs allow.
    pub(crate) steps: Vec<Replayed>,
    /// Messages that could have gone to another receiver, or come from another sender.
    pub(crate) ambiguous: BTreeSet<MessageId>,
}

/// A step of the replay of a session, with its instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replayed {
    /// All events of it at once.
    Passed(usize),
    /// Its emission went ahead.
    Sent(usize),
    /// A lifeline received it later.
    Received(usize, LifelineId),
}

/// An arrow whose receptions are not all matched.
struct Instance {
    sender: Option<usize>,
    message: MessageId,
    receivers: Vec<usize>,
    /// How many receptions it still waits for.
    open: usize,
}

/// How many events of a message are left in the logs.
#[derive(Clone, Copy, Default)]
struct Left {
    emissions: usize,
    receptions: usize,
}

struct Replay<'s> {
    channels: &'s Channels,
    lifelines: Vec<LifelineId>,
    logs: Vec<Vec<&'s Action>>,
    next: Vec<usize>,
    /// The lifelines whose next event is an emission or a reception of a message.
    heads: FxHashMap<(MessageId, ActionKind), BTreeSet<usize>>,
    left: FxHashMap<MessageId, Left>,
    /// The lifelines that all receive each message, if there are several.
    audiences: FxHashMap<MessageId, Vec<usize>>,
    pending: FxHashMap<MessageId, VecDeque<usize>>,
    instances: Vec<Instance>,
    steps: Vec<Replayed>,
    ambiguous: BTreeSet<MessageId>,
    /// Messages that may be able to pass.
    todo: BTreeSet<MessageId>,
}

/// The session of these logs as arrows.
pub(crate) fn match_session(
    logs: &[Vec<Action>],
    channels: &Channels,
    arrows: &mut Arrows,
) -> Matched {
    let mut replay = Replay::new(logs, channels);
    while replay.pass_all() || replay.go_alone() || replay.go_ahead() || replay.let_in() {}
    replay.matched(arrows)
}

impl<'s> Replay<'s> {
    fn new(logs: &'s [Vec<Action>], channels: &'s Channels) -> Replay<'s> {
        let mut by_lifeline: std::collections::BTreeMap<LifelineId, Vec<&Action>> =
            std::collections::BTreeMap::new();
        for action in logs.iter().flatten() {
            by_lifeline.entry(action.lifeline).or_default().push(action);
        }
        let (lifelines, logs): (Vec<_>, Vec<_>) = by_lifeline.into_iter().unzip();
        let mut replay = Replay {
            channels,
            next: vec![0; logs.len()],
            steps: Vec::new(),
            heads: FxHashMap::default(),
            left: FxHashMap::default(),
            audiences: FxHashMap::default(),
            pending: FxHashMap::default(),
            instances: Vec::new(),
            ambiguous: BTreeSet::new(),
            todo: BTreeSet::new(),
            lifelines,
            logs,
        };
        replay.count();
        (0..replay.logs.len()).for_each(|at| replay.show_head(at));
        replay
    }

    /// Counts the events of each message, and finds the lifelines that all receive a message.
    fn count(&mut self) {
        let mut receptions: std::collections::BTreeMap<(MessageId, usize), usize> =
            std::collections::BTreeMap::new();
        for (at, action) in
            self.logs.iter().enumerate().flat_map(|(at, log)| log.iter().map(move |it| (at, it)))
        {
            let left = self.left.entry(action.message).or_default();
            match action.kind {
                ActionKind::Emission => left.emissions += 1,
                ActionKind::Reception => {
                    left.receptions += 1;
                    *receptions.entry((action.message, at)).or_default() += 1;
                }
            }
        }
        let mut audiences: FxHashMap<MessageId, Vec<(usize, usize)>> = FxHashMap::default();
        for ((message, at), count) in receptions {
            audiences.entry(message).or_default().push((at, count));
        }
        let left = &self.left;
        let is_audience = |message: &MessageId, found: &[(usize, usize)]| {
            let emissions = left.get(message).map_or(0, |it| it.emissions);
            found.len() > 1 && found.iter().all(|&(_, count)| count == emissions)
        };
        audiences.retain(|message, found| is_audience(message, found));
        let lifelines = |found: Vec<(usize, usize)>| found.into_iter().map(|(at, _)| at).collect();
        self.audiences =
            audiences.into_iter().map(|(message, found)| (message, lifelines(found))).collect();
    }

    /// The lifelines that receive each message of a name from a sender, if that is known.
    fn audience(&self, sender: usize, message: MessageId) -> Option<Vec<usize>> {
        if let Some(known) = self.channels.receivers(message, self.lifelines[sender]) {
            let at = |lifeline| self.lifelines.binary_search(&lifeline).ok();
            return Some(known.filter_map(at).collect());
        }
        self.audiences.get(&message).cloned()
    }

    fn head(&self, at: usize) -> Option<&'s Action> {
        self.logs[at].get(self.next[at]).copied()
    }

    fn show_head(&mut self, at: usize) {
        if let Some(action) = self.head(at) {
            self.heads.entry((action.message, action.kind)).or_default().insert(at);
            self.todo.insert(action.message);
        }
    }

    fn lifelines_at(
        &self,
        message: MessageId,
        kind: ActionKind,
    ) -> impl Iterator<Item = usize> + '_ {
        self.heads.get(&(message, kind)).into_iter().flatten().copied()
    }

    /// Goes behind the next event of a lifeline.
    fn take(&mut self, at: usize) {
        let Some(action) = self.head(at) else { return };
        if let Some(heads) = self.heads.get_mut(&(action.message, action.kind)) {
            heads.remove(&at);
        }
        let left = self.left.entry(action.message).or_default();
        match action.kind {
            ActionKind::Emission => left.emissions -= 1,
            ActionKind::Reception => left.receptions -= 1,
        }
        self.next[at] += 1;
        self.show_head(at);
    }

    fn begin(&mut self, sender: Option<usize>, message: MessageId, open: usize) -> usize {
        self.instances.push(Instance { sender, message, receivers: Vec::new(), open });
        self.instances.len() - 1
    }

    fn receive(&mut self, at: usize, instance: usize) {
        self.instances[instance].receivers.push(at);
        self.instances[instance].open = self.instances[instance].open.saturating_sub(1);
        self.take(at);
    }

    /// Passes messages as long as some can; whether there was one.
    fn pass_all(&mut self) -> bool {
        let mut passed = false;
        while let Some(message) = self.todo.pop_first() {
            while self.complete(message) || self.pass_to_oneself(message) || self.pass(message) {
                passed = true;
            }
        }
        passed
    }

    /// A reception of a message that was emitted before.
    fn complete(&mut self, message: MessageId) -> bool {
        let wanted: Vec<usize> = self.lifelines_at(message, ActionKind::Reception).collect();
        let Some((instance, at)) = self.completion(message, &wanted) else { return false };
        self.receive(at, instance);
        self.steps.push(Replayed::Received(instance, self.lifelines[at]));
        if self.instances[instance].open == 0
            && let Some(queue) = self.pending.get_mut(&message)
        {
            queue.retain(|it| *it != instance);
        }
        true
    }

    /// The first emission that one of these lifelines can receive; oneself comes last.
    fn completion(&self, message: MessageId, wanted: &[usize]) -> Option<(usize, usize)> {
        self.pending.get(&message)?.iter().find_map(|&instance| {
            let Instance { receivers, sender, .. } = &self.instances[instance];
            let audience = sender.and_then(|it| self.audience(it, message));
            let can_receive = |at: &&usize| {
                !receivers.contains(at) && audience.as_ref().is_none_or(|all| all.contains(at))
            };
            let at = wanted.iter().filter(can_receive);
            at.min_by_key(|at| (Some(**at) == *sender, **at)).map(|&at| (instance, at))
        })
    }

    /// An emission that the same lifeline receives at once.
    fn pass_to_oneself(&mut self, message: MessageId) -> bool {
        if self.lifelines_at(message, ActionKind::Reception).next().is_some() {
            return false;
        }
        let is_next = |at: &usize| {
            let next = self.logs[*at].get(self.next[*at] + 1);
            next.is_some_and(|it| it.message == message && it.kind == ActionKind::Reception)
        };
        let Some(at) = self.lifelines_at(message, ActionKind::Emission).find(is_next) else {
            return false;
        };
        let instance = self.begin(Some(at), message, 1);
        self.take(at);
        self.receive(at, instance);
        self.steps.push(Replayed::Passed(instance));
        true
    }

    /// An emission and its receptions that are all next.
    fn pass(&mut self, message: MessageId) -> bool {
        let senders: Vec<usize> = self.lifelines_at(message, ActionKind::Emission).collect();
        let receivers: Vec<usize> = self.lifelines_at(message, ActionKind::Reception).collect();
        let found = senders.iter().find_map(|&sender| {
            let taken = match self.audience(sender, message) {
                Some(all) if all.iter().all(|it| receivers.contains(it)) => all,
                Some(_) => Vec::new(),
                None => receivers.iter().copied().find(|it| *it != sender).into_iter().collect(),
            };
            (!taken.is_empty()).then_some((sender, taken))
        });
        let Some((sender, taken)) = found else { return false };
        if self.audience(sender, message).is_none() && senders.len().max(receivers.len()) > 1 {
            self.ambiguous.insert(message);
        }
        let instance = self.begin(Some(sender), message, taken.len());
        self.take(sender);
        taken.into_iter().for_each(|at| self.receive(at, instance));
        self.steps.push(Replayed::Passed(instance));
        true
    }

    fn pending_count(&self, message: MessageId) -> usize {
        let queue = self.pending.get(&message).into_iter().flatten();
        queue.map(|&instance| self.instances[instance].open).sum()
    }

    /// An event whose counterpart no log has any more.
    fn go_alone(&mut self) -> bool {
        let is_alone = |at: &usize| {
            self.head(*at).is_some_and(|action| {
                let left = self.left.get(&action.message).copied().unwrap_or_default();
                let pending = self.pending_count(action.message);
                match action.kind {
                    ActionKind::Emission => {
                        let audience = self.audience(*at, action.message);
                        left.receptions <= pending || audience.is_some_and(|it| it.is_empty())
                    }
                    ActionKind::Reception => left.emissions == 0 && pending == 0,
                }
            })
        };
        let alone: Vec<usize> = (0..self.logs.len()).filter(is_alone).collect();
        alone.iter().for_each(|&at| self.take_alone(at));
        !alone.is_empty()
    }

    fn take_alone(&mut self, at: usize) {
        let Some(action) = self.head(at) else { return };
        let instance = match action.kind {
            ActionKind::Emission => {
                let instance = self.begin(Some(at), action.message, 0);
                self.take(at);
                instance
            }
            ActionKind::Reception => {
                let instance = self.begin(None, action.message, 1);
                self.receive(at, instance);
                instance
            }
        };
        self.steps.push(Replayed::Passed(instance));
    }

    /// Lets an emission go ahead of its receptions, one that somebody waits for if possible.
    fn go_ahead(&mut self) -> bool {
        let emits = |at: &usize| self.head(*at).is_some_and(|it| it.kind == ActionKind::Emission);
        let is_wanted = |at: &usize| {
            self.head(*at).is_some_and(|it| {
                self.lifelines_at(it.message, ActionKind::Reception).next().is_some()
            })
        };
        let emitting = (0..self.logs.len()).filter(emits);
        let Some(at) = emitting.min_by_key(|at| (!is_wanted(at), *at)) else { return false };
        let Some(action) = self.head(at) else { return false };
        let open = self.audience(at, action.message).map_or(1, |all| all.len());
        let instance = self.begin(Some(at), action.message, open);
        self.pending.entry(action.message).or_default().push_back(instance);
        self.take(at);
        self.steps.push(Replayed::Sent(instance));
        self.todo.insert(action.message);
        true
    }

    /// All lifelines wait: the message with the fewest emissions left comes from outside.
    fn let_in(&mut self) -> bool {
        let waiting = (0..self.logs.len()).filter(|at| self.head(*at).is_some());
        let surplus = |at: &usize| {
            let left = self.head(*at).and_then(|it| self.left.get(&it.message));
            let left = left.copied().unwrap_or_default();
            (left.emissions as i64 - left.receptions as i64, *at)
        };
        let Some(at) = waiting.min_by_key(surplus) else { return false };
        self.take_alone(at);
        true
    }

    fn matched(self, arrows: &mut Arrows) -> Matched {
        let lifeline = |at: usize| self.lifelines[at];
        let label = |instance: &Instance| {
            let mut receivers: Vec<LifelineId> =
                instance.receivers.iter().map(|&at| lifeline(at)).collect();
            receivers.sort_unstable();
            let (sender, message) = (instance.sender.map(lifeline), instance.message);
            arrows.intern(Arrow { sender, message, receivers, end_of: None })
        };
        let labels = self.instances.iter().map(label).collect();
        Matched { labels, steps: self.steps, ambiguous: self.ambiguous }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_interaction::Id;
    use multitrace_testing::cases;
    use proptest::prelude::*;

    fn action(lifeline: usize, kind: ActionKind, message: usize) -> Action {
        Action { lifeline: LifelineId::new(lifeline), kind, message: MessageId::new(message) }
    }

    fn arrows_of(logs: &[Vec<Action>]) -> Vec<(Option<usize>, usize, Vec<usize>)> {
        let mut arrows = Arrows::default();
        let matched = match_session(logs, &Channels::default(), &mut arrows);
        let of = |&label: &Label| {
            let Arrow { sender, message, receivers, .. } = arrows.arrow(label);
            let receivers = receivers.iter().map(|it| it.index()).collect();
            (sender.map(Id::index), message.index(), receivers)
        };
        matched.labels.iter().map(of).collect()
    }

    use ActionKind::{Emission as E, Reception as R};

    #[test]
    fn an_emission_goes_to_who_waits_for_it() {
        // The second message of the same name goes to the other one.
        let logs = [
            vec![action(0, E, 0), action(0, E, 0)],
            vec![action(1, R, 0), action(1, E, 1)],
            vec![action(2, R, 1), action(2, R, 0)],
        ];
        let arrows = [(Some(0), 0, vec![1]), (Some(1), 1, vec![2]), (Some(0), 0, vec![2])];
        assert_eq!(arrows_of(&logs), arrows);
    }

    #[test]
    fn what_all_receive_is_one_arrow_and_what_none_has_comes_let_in() {
        let logs = [
            vec![action(0, E, 0)],
            vec![action(1, R, 0), action(1, R, 1)],
            vec![action(2, R, 0), action(2, E, 2)],
        ];
        let arrows = [(Some(0), 0, vec![1, 2]), (None, 1, vec![1]), (Some(2), 2, vec![])];
        assert_eq!(arrows_of(&logs), arrows);
    }

    #[test]
    fn messages_may_cross() {
        let logs = [vec![action(0, E, 0), action(0, R, 1)], vec![action(1, E, 1), action(1, R, 0)]];
        assert_eq!(arrows_of(&logs), [(Some(0), 0, vec![1]), (Some(1), 1, vec![0])]);
    }

    fn any_logs() -> impl Strategy<Value = Vec<Vec<Action>>> {
        let event = |lifeline| {
            (prop::bool::ANY, 0..3_usize).prop_map(move |(sent, message)| {
                action(lifeline, if sent { E } else { R }, message)
            })
        };
        (0..4_usize).prop_map(|it| it).prop_flat_map(move |count| {
            (0..count).map(|it| prop::collection::vec(event(it), 0..6)).collect::<Vec<_>>()
        })
    }

    proptest! {
        #![proptest_config(cases(256))]

        /// Each event is one of its arrow, in the order of its log.
        #[test]
        fn arrows_have_the_events_of_the_logs(logs in any_logs()) {
            let mut arrows = Arrows::default();
            let matched = match_session(&logs, &Channels::default(), &mut arrows);
            let mut replayed: Vec<Vec<Action>> = vec![Vec::new(); logs.len()];
            let mut add = |lifeline: LifelineId, kind, message| {
                replayed[lifeline.index()].push(Action { lifeline, kind, message });
            };
            for &step in &matched.steps {
                let (Replayed::Passed(at) | Replayed::Sent(at) | Replayed::Received(at, _)) = step;
                let Arrow { sender, message, receivers, .. } = arrows.arrow(matched.labels[at]);
                match step {
                    Replayed::Passed(_) => {
                        sender.iter().for_each(|&it| add(it, E, *message));
                        receivers.iter().for_each(|&it| add(it, R, *message));
                    }
                    Replayed::Sent(_) => sender.iter().for_each(|&it| add(it, E, *message)),
                    Replayed::Received(_, receiver) => {
                        prop_assert!(receivers.contains(&receiver));
                        add(receiver, R, *message);
                    }
                }
            }
            prop_assert_eq!(replayed, logs);
        }
    }
}
