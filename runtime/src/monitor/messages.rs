//! Which emission and reception are ends of one message, by the message passings of the specification.

use multitrace_interaction::{
    Action, ActionKind, Alphabet, Id, Interaction, LetterId, Node, NodeId, Passings, names,
};
use std::collections::{BTreeMap, BTreeSet};

/// The letters at both ends of messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Messages {
    /// By letter, the emissions that it may receive, in order; and whether somebody may receive it.
    senders: Vec<Vec<LetterId>>,
    is_emission: Vec<bool>,
    /// The emissions that have several receivers in one passing.
    broadcasts: BTreeSet<LetterId>,
}

impl Messages {
    /// The ends of the passings of an interaction.
    pub(crate) fn of_interaction(interaction: &Interaction, alphabet: &Alphabet) -> Messages {
        let passings = Passings::new(interaction);
        let mut messages = Messages::new(alphabet);
        for (index, node) in interaction.nodes().iter().enumerate() {
            if !matches!(node, Node::Strict(..) | Node::Step(_)) {
                continue;
            }
            let Some(passing) = passings.passing(NodeId::new(index)) else { continue };
            let letter = |lifeline, kind| {
                alphabet.letter_of(Action { lifeline, kind, message: passing.message })
            };
            let emission = passing.origin.and_then(|origin| letter(origin, ActionKind::Emission));
            let Some(emission) = emission else { continue };
            if passing.targets.len() > 1 {
                messages.broadcasts.insert(emission);
            }
            for &target in &passing.targets {
                if let Some(reception) = letter(target, ActionKind::Reception) {
                    messages.add(emission, reception);
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
        Messages { senders, is_emission: vec![false; letters], broadcasts: BTreeSet::new() }
    }

    /// The emissions that a reception may belong to.
    pub(crate) fn senders(&self, reception: LetterId) -> impl Iterator<Item = LetterId> + '_ {
        self.senders.get(reception.index()).into_iter().flatten().copied()
    }

    /// Whether somebody may receive what a letter sends.
    pub(crate) fn is_emission(&self, letter: LetterId) -> bool {
        self.is_emission.get(letter.index()).is_some_and(|&it| it)
    }

    /// Whether a letter receives what somebody may send.
    pub(crate) fn is_reception(&self, letter: LetterId) -> bool {
        self.senders(letter).next().is_some()
    }

    /// Whether one emission may be received at several places.
    pub(crate) fn is_broadcast(&self, emission: LetterId) -> bool {
        self.broadcasts.contains(&emission)
    }
}
