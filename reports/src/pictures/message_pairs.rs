//! Which emissions a reception may belong to.

use multitrace_interaction::{Action, ActionKind, Interaction, Passings, Signature, names};
use std::collections::{BTreeMap, BTreeSet};

/// For each reception the emissions of the passings that it is in. Without any, messages are matched
/// by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessagePairs {
    emissions: BTreeMap<String, BTreeSet<String>>,
    /// The emissions that have several receivers somewhere.
    broadcasts: BTreeSet<String>,
}

impl MessagePairs {
    /// The pairs of the message passings of an interaction.
    ///
    /// # Panics
    /// When the interaction is not over this signature.
    pub fn new(interaction: &Interaction, signature: &Signature) -> MessagePairs {
        let passings = Passings::new(interaction);
        let mut pairs = MessagePairs::default();
        for (origin, passing) in passings.messages() {
            let text = |lifeline, kind| {
                signature.action_text(Action { lifeline, kind, message: passing.message })
            };
            if passing.targets.len() > 1 {
                pairs.broadcasts.insert(text(origin, ActionKind::Emission));
            }
            for &target in &passing.targets {
                let emissions = pairs.emissions.entry(text(target, ActionKind::Reception));
                emissions.or_default().insert(text(origin, ActionKind::Emission));
            }
        }
        pairs
    }

    /// The keys that an emission and its receptions share: those of the queues that an event waits in. Empty if the
    /// event is not part of a passing.
    pub(crate) fn keys(&self, event: &str) -> Vec<String> {
        match names::split_action(event) {
            None => Vec::new(),
            Some((_, _, message)) if self.emissions.is_empty() => vec![message.to_owned()],
            Some((_, ActionKind::Emission, _)) => vec![event.to_owned()],
            Some(_) => self.emissions.get(event).into_iter().flatten().cloned().collect(),
        }
    }

    /// Whether one emission may be received at several places, by its key.
    pub(crate) fn is_broadcast(&self, key: &str) -> bool {
        self.broadcasts.contains(key)
    }
}
