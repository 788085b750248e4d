//! Which emission and reception are ends of one message, by the message passings of the specification.

use multitrace_interaction::{
    Action, ActionKind, Alphabet, Id, Interaction, LetterId, Passings, names,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The letters at both ends of messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Messages {
    /// By letter, the emissions that it may receive, in order; and whether somebody may receive it.
    senders: Vec<Vec<LetterId>>,
    is_emission: Vec<bool>,
    /// By emission that has several receivers in one passing, these receptions.
    broadcasts: BTreeMap<LetterId, BTreeSet<LetterId>>,
}

impl Messages {
    /// The ends of the passings of an interaction.
    pub(crate) fn of_interaction(interaction: &Interaction, alphabet: &Alphabet) -> Messages {
        let passings = Passings::new(interaction);
        let mut messages = Messages::new(alphabet);
        for (origin, passing) in passings.messages() {
            let letter = |lifeline, kind| {
                alphabet.letter_of(Action { lifeline, kind, message: passing.message })
            };
            let Some(emission) = letter(origin, ActionKind::Emission) else { continue };
            let targets = passing.targets.iter();
            for reception in targets.filter_map(|&it| letter(it, ActionKind::Reception)) {
                messages.add(emission, reception);
                if passing.targets.len() > 1 {
                    messages.broadcasts.entry(emission).or_default().insert(reception);
                }
            }
        }
        messages
    }

    /// The ends of messages by their names, for an automaton that was given directly.
    pub(crate) fn by_name(alphabet: &Alphabet) -> Messages {
        let action = |letter| names::split_action(alphabet.letter_name(letter));
        let mut emissions: BTreeMap<&str, Vec<LetterId>> = BTreeMap::new();
        for letter in alphabet.letters() {
            if let Some((_, ActionKind::Emission, message)) = action(letter) {
                emissions.entry(message).or_default().push(letter);
            }
        }
        let mut messages = Messages::new(alphabet);
        for letter in alphabet.letters() {
            if let Some((_, ActionKind::Reception, message)) = action(letter) {
                for &emission in emissions.get(message).into_iter().flatten() {
                    messages.add(emission, letter);
                }
            }
        }
        messages
    }

    fn add(&mut self, emission: LetterId, reception: LetterId) {
        self.is_emission[emission.index()] = true;
        let senders = &mut self.senders[reception.index()];
        if let Err(place) = senders.binary_search(&emission) {
            senders.insert(place, emission);
        }
    }

    fn new(alphabet: &Alphabet) -> Messages {
        let letters = alphabet.letters().len();
        let senders = vec![Vec::new(); letters];
        Messages { senders, is_emission: vec![false; letters], broadcasts: BTreeMap::new() }
    }

    /// The emissions that a reception may belong to.
    pub(crate) fn senders(&self, reception: LetterId) -> impl Iterator<Item = LetterId> + '_ {
        self.senders.get(reception.index()).into_iter().flatten().copied()
    }

    /// The other ends of the messages that a letter is an end of.
    pub(crate) fn peers(&self, letter: LetterId) -> Vec<LetterId> {
        match self.is_emission(letter) {
            true => {
                let receptions = (0..self.senders.len()).map(LetterId::new);
                receptions.filter(|&it| self.senders(it).any(|sender| sender == letter)).collect()
            }
            false => self.senders(letter).collect(),
        }
    }

    /// Whether somebody may receive the message that a letter sends.
    pub(crate) fn is_emission(&self, letter: LetterId) -> bool {
        self.is_emission.get(letter.index()).is_some_and(|&it| it)
    }

    /// Whether a letter receives a message that somebody may send.
    pub(crate) fn is_reception(&self, letter: LetterId) -> bool {
        self.senders(letter).next().is_some()
    }

    /// The receptions of an emission that is received at several places.
    pub(crate) fn broadcast(&self, emission: LetterId) -> Option<&BTreeSet<LetterId>> {
        self.broadcasts.get(&emission)
    }
}

/// Emissions that wait for their receptions, first come first served; missing ones for missing ones where that can be.
pub(crate) struct Waiting<'a> {
    messages: &'a Messages,
    queues: FxHashMap<QueueKey, Queue>,
    /// All events of queues, each with the place of the next one of its queue.
    events: Vec<(usize, usize)>,
}

/// An emission, of one that several receive also the reception, since each takes it once; and whether it is missing.
type QueueKey = (LetterId, Option<LetterId>, bool);

/// The places of the first and the last event of a queue; the first is `NOTHING` if none waits.
#[derive(Clone, Copy, Debug)]
struct Queue {
    first: usize,
    last: usize,
}

/// There is no such place.
const NOTHING: usize = usize::MAX;

impl<'a> Waiting<'a> {
    /// No emission waits yet. There is room for a number of them.
    pub(crate) fn new(messages: &'a Messages, emissions: usize) -> Waiting<'a> {
        let queues = FxHashMap::with_capacity_and_hasher(emissions, Default::default());
        Waiting { messages, queues, events: Vec::with_capacity(emissions) }
    }

    /// An event is sent, if it is an emission.
    pub(crate) fn send(&mut self, letter: LetterId, event: usize, is_missing: bool) {
        if let Some(receptions) = self.messages.broadcast(letter) {
            for &reception in receptions {
                self.wait((letter, Some(reception), is_missing), event);
            }
        } else if self.messages.is_emission(letter) {
            self.wait((letter, None, is_missing), event);
        }
    }

    fn wait(&mut self, key: QueueKey, event: usize) {
        let last = self.events.len();
        let queue = self.queues.entry(key).or_insert(Queue { first: NOTHING, last });
        match queue.first {
            NOTHING => queue.first = last,
            _ => self.events[queue.last].1 = last,
        }
        queue.last = last;
        self.events.push((event, NOTHING));
    }

    /// The first event that waits for a reception, a missing one for a missing one if there is such; it waits for that one
    /// no longer.
    pub(crate) fn receive(&mut self, reception: LetterId, is_missing: bool) -> Option<usize> {
        let first_of = |is_missing: bool| {
            let key = |emission: LetterId| {
                let is_broadcast = self.messages.broadcast(emission).is_some();
                (emission, is_broadcast.then_some(reception), is_missing)
            };
            let keys = self.messages.senders(reception).map(key);
            let first = |key| self.events.get(self.queues.get(&key)?.first);
            keys.filter_map(|key| Some((*first(key)?, key))).min()
        };
        let ((event, next), key) = first_of(is_missing).or_else(|| first_of(!is_missing))?;
        self.queues.get_mut(&key)?.first = next;
        Some(event)
    }
}
