//! Receptions are matched to emissions, so that logs become arrows.

// Idea: the session is replayed. A message passes at once where its emission and its reception are both next in their
// logs. So no arrow crosses another unless it must. Where nothing can pass, an emission goes ahead and its reception
// follows later; where even that is impossible, a reception comes from outside. Each event is looked at a bounded
// number of times, but for the lifelines that are next to do the same.
//
// Messages that can go one way pass first. Of several ways, an answer goes to the lifeline that asked last. If an event is
// left over although there are as many emissions as receptions, the last choice is taken back and another way tried, a
// limited number of times.

use crate::arrow::{Arrow, Arrows, Label};
use crate::channels::Channels;
use multitrace_interaction::{Action, ActionKind, LifelineId, MessageId};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};

/// How often choices are taken back, and how many events are replayed for it; estimates, not measured.
const MOST_TRIED: usize = 50;
const MOST_REPLAYED: usize = 20_000;

/// A session as arrows, by their labels or, before they have some, as they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matched<A = Label> {
    /// The arrow of each instance.
    pub(crate) labels: Vec<A>,
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

/// A place where a message could go several ways.
#[derive(Clone, Copy)]
struct Choice {
    taken: usize,
    ways: usize,
    /// The events that are left, and the messages on their way, as one number.
    state: u64,
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
    /// Messages that may be able to pass in several ways.
    undecided: BTreeSet<MessageId>,
    /// For a lifeline and another one, the last step at which it sent the other one a message.
    sent: FxHashMap<(usize, usize), usize>,
    /// The choices that were made, and before those the ones to make.
    choices: Vec<Choice>,
    /// How many of them were met.
    met: usize,
}

impl Matched<Arrow> {
    /// The same with labels. They depend on the order in which sessions get theirs.
    pub(crate) fn labelled(self, arrows: &mut Arrows) -> Matched {
        let labels = self.labels.into_iter().map(|it| arrows.intern(it)).collect();
        Matched { labels, steps: self.steps, ambiguous: self.ambiguous }
    }
}

/// The session of these logs as arrows.
pub(crate) fn match_session(logs: &[Vec<Action>], channels: &Channels) -> Matched<Arrow> {
    let mut replay = Replay::new(logs, channels);
    let may_be_whole = replay.may_be_whole();
    // Choices behind an event that went alone are not met again where none does.
    let mut most_choices = usize::MAX;
    loop {
        let choices = replay.choices.len();
        match replay.pass_all() {
            true => {}
            false if replay.go_alone() => most_choices = most_choices.min(choices),
            false if replay.go_ahead() => {}
            false if replay.let_in() => most_choices = most_choices.min(choices),
            false => break,
        }
    }
    if may_be_whole && !replay.is_whole() {
        let mut choices = std::mem::take(&mut replay.choices);
        choices.truncate(most_choices);
        replay = whole(logs, channels, &mut choices).unwrap_or(replay);
    }
    replay.unlabelled()
}

/// A replay of a session in which every event has its other end, if one is soon found. `choices` are those of one that has
/// not.
fn whole<'s>(
    logs: &'s [Vec<Action>],
    channels: &'s Channels,
    choices: &mut Vec<Choice>,
) -> Option<Replay<'s>> {
    let events: usize = logs.iter().map(Vec::len).sum();
    let mut hopeless = FxHashSet::default();
    for _ in 0..MOST_TRIED.min(MOST_REPLAYED / events.max(1)) {
        // The last choice that has another way.
        while let Some(last) = choices.last_mut() {
            last.taken += 1;
            if last.taken < last.ways {
                break;
            }
            hopeless.insert(last.state);
            choices.pop();
        }
        if choices.is_empty() {
            return None;
        }
        let mut replay = Replay::new(logs, channels);
        replay.choices.append(choices);
        while !replay.is_hopeless(&hopeless) && (replay.pass_all() || replay.go_ahead()) {}
        if replay.is_whole() {
            return Some(replay);
        }
        choices.append(&mut replay.choices);
    }
    None
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
            undecided: BTreeSet::new(),
            sent: FxHashMap::default(),
            choices: Vec::new(),
            met: 0,
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

    /// Whether there are as many receptions as emissions of each message.
    fn may_be_whole(&self) -> bool {
        let mut wanted: FxHashMap<MessageId, usize> = FxHashMap::default();
        for (at, log) in self.logs.iter().enumerate() {
            for action in log.iter().filter(|it| it.kind == ActionKind::Emission) {
                let receivers = self.audience(at, action.message).map_or(1, |all| all.len());
                *wanted.entry(action.message).or_default() += receivers;
            }
        }
        let receptions = |message| wanted.get(message).copied().unwrap_or(0);
        self.left.iter().all(|(message, left)| left.receptions == receptions(message))
    }

    /// Whether each event has its other end.
    fn is_whole(&self) -> bool {
        let is_read = self.next.iter().zip(&self.logs).all(|(&next, log)| next == log.len());
        let both = |it: &Instance| it.sender.is_some() && !it.receivers.is_empty() && it.open == 0;
        is_read && self.instances.iter().all(both)
    }

    /// Whether the last choice was one from where no way leads on.
    fn is_hopeless(&self, known: &FxHashSet<u64>) -> bool {
        self.choices.iter().take(self.met).any(|it| known.contains(&it.state))
    }

    /// The events that are left and the messages on their way, as one number.
    fn state(&self, message: MessageId) -> u64 {
        let mut hasher = FxHasher::default();
        (message, &self.next).hash(&mut hasher);
        let mut open: Vec<_> = self.pending.values().flatten().collect();
        open.sort_unstable();
        for Instance { sender, message, receivers, .. } in
            open.iter().map(|&&it| &self.instances[it])
        {
            (sender, message, receivers).hash(&mut hasher);
        }
        hasher.finish()
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
        loop {
            while let Some(message) = self.todo.pop_first() {
                while self.complete(message) || self.pass_to_oneself(message) || self.pass(message)
                {
                    passed = true;
                }
            }
            if !self.choose() {
                return passed;
            }
            passed = true;
        }
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

    /// An emission and its receptions that are all next, if there is one way.
    fn pass(&mut self, message: MessageId) -> bool {
        let mut ways = self.ways(message);
        if ways.len() > 1 {
            self.undecided.insert(message);
            return false;
        }
        ways.pop().is_some_and(|(sender, taken)| self.pass_on(message, sender, taken))
    }

    /// Passes a message that can go several ways; whether there was one.
    fn choose(&mut self) -> bool {
        let undecided = std::mem::take(&mut self.undecided);
        let ways = undecided.into_iter().map(|message| (message, self.ways(message)));
        let ways: Vec<_> = ways.filter(|(_, ways)| !ways.is_empty()).collect();
        self.undecided = ways.iter().map(|(message, _)| *message).collect();
        // Those first that are an answer to the last question.
        let best = ways
            .into_iter()
            .min_by_key(|(message, ways)| (Reverse(self.asked(&ways[0])), *message));
        let Some((message, mut ways)) = best else { return false };
        let way = if ways.len() > 1 { self.choice(message, ways.len()) } else { 0 };
        let (sender, taken) = ways.swap_remove(way);
        self.ambiguous.extend((!ways.is_empty()).then_some(message));
        self.pass_on(message, sender, taken)
    }

    /// Which of some ways is taken.
    fn choice(&mut self, message: MessageId, ways: usize) -> usize {
        if self.met == self.choices.len() {
            let state = self.state(message);
            self.choices.push(Choice { taken: 0, ways, state });
        }
        self.met += 1;
        self.choices[self.met - 1].taken
    }

    /// The senders whose emission of a message is next, each with receivers whose reception is next. An answer to the
    /// last question comes first.
    fn ways(&self, message: MessageId) -> Vec<(usize, Vec<usize>)> {
        let receivers: Vec<usize> = self.lifelines_at(message, ActionKind::Reception).collect();
        let mut ways = Vec::new();
        for sender in self.lifelines_at(message, ActionKind::Emission) {
            match self.audience(sender, message) {
                Some(all) if all.iter().all(|it| receivers.contains(it)) => {
                    ways.extend((!all.is_empty()).then_some((sender, all)));
                }
                Some(_) => {}
                None => {
                    let others = receivers.iter().filter(|&&it| it != sender);
                    ways.extend(others.map(|&it| (sender, vec![it])));
                }
            }
        }
        ways.sort_by_key(|way| Reverse(self.asked(way)));
        ways
    }

    /// When the receiver asked the sender last, in steps from 1; 0 if it did not.
    fn asked(&self, (sender, taken): &(usize, Vec<usize>)) -> usize {
        let asked = |it: &usize| self.sent.get(&(*it, *sender)).copied();
        taken.iter().filter_map(asked).max().unwrap_or(0)
    }

    fn pass_on(&mut self, message: MessageId, sender: usize, taken: Vec<usize>) -> bool {
        let instance = self.begin(Some(sender), message, taken.len());
        self.take(sender);
        for at in taken {
            self.sent.insert((sender, at), self.steps.len() + 1);
            self.receive(at, instance);
        }
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

    fn unlabelled(self) -> Matched<Arrow> {
        let lifeline = |at: usize| self.lifelines[at];
        let arrow = |instance: &Instance| {
            let mut receivers: Vec<LifelineId> =
                instance.receivers.iter().map(|&at| lifeline(at)).collect();
            receivers.sort_unstable();
            let (sender, message) = (instance.sender.map(lifeline), instance.message);
            Arrow { sender, message, receivers, end_of: None }
        };
        let labels = self.instances.iter().map(arrow).collect();
        Matched { labels, steps: self.steps, ambiguous: self.ambiguous }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observed::SessionLogs;
    use multitrace_interaction::Id;
    use multitrace_testing::cases;
    use proptest::prelude::*;

    fn action(lifeline: usize, kind: ActionKind, message: usize) -> Action {
        Action { lifeline: LifelineId::new(lifeline), kind, message: MessageId::new(message) }
    }

    fn arrows_of(logs: &[Vec<Action>]) -> Vec<(Option<usize>, usize, Vec<usize>)> {
        let mut arrows = Arrows::default();
        let matched = match_session(logs, &Channels::default()).labelled(&mut arrows);
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

    /// The logs of some texts: their lifelines have the numbers of their places, messages those of their letters.
    fn logs(texts: &[&str]) -> Vec<Vec<Action>> {
        let kind = |sign: char| if sign == '!' { E } else { R };
        let log = |(at, text): (usize, &&str)| -> Vec<Action> {
            let events = text.split_whitespace().map(|it| it.chars().collect::<Vec<_>>());
            events.map(|it| action(at, kind(it[0]), it[1] as usize - 'a' as usize)).collect()
        };
        texts.iter().enumerate().map(log).collect()
    }

    #[test]
    fn choices_behind_an_event_that_went_alone_are_not_taken_back() {
        // The channels of other sessions say that `b` is sent to nobody here.
        let one = logs(&["?b ?b ?b ?b", "!b !e !b !d ?b !a !b !b", "?b ?d !b ?a", "!e ?e !c !b"]);
        let other = logs(&["", "?c", "!c ?b", ""]);
        let sessions: [SessionLogs; 2] = [one.into(), other.into()];
        let channels = Channels::new(sessions.iter());
        for logs in &sessions {
            let events: usize = logs.iter().map(Vec::len).sum();
            let matched = match_session(logs, &channels);
            let ends = matched.labels.iter().map(|it| it.lifelines().count());
            assert_eq!(ends.sum::<usize>(), events);
        }
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
            let matched = match_session(&logs, &Channels::default()).labelled(&mut arrows);
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
