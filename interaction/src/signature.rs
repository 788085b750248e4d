//! Signatures: the lifelines and messages of a specification (paper 000 sec. 3.1).

use crate::action::Action;
use crate::id::{Id, LifelineId, MessageId};
use crate::names;
use indexmap::{IndexMap, IndexSet};

/// The names of lifelines and messages, each with a dense id in order of declaration.
///
/// ```
/// use multitrace_interaction::Signature;
/// let mut signature = Signature::default();
/// let broker = signature.intern_lifeline("broker");
/// assert_eq!(signature.lifeline("broker"), Some(broker));
/// assert_eq!(signature.lifeline_name(broker), "broker");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    lifelines: IndexSet<String>,
    messages: IndexSet<String>,
    /// The labels of lifelines in a diagram.
    labels: IndexMap<String, LifelineId>,
}

impl Signature {
    /// The id of a lifeline, which is declared if it is new.
    pub fn intern_lifeline(&mut self, name: &str) -> LifelineId {
        LifelineId::new(intern(&mut self.lifelines, name))
    }

    /// The id of a message, which is declared if it is new.
    pub fn intern_message(&mut self, name: &str) -> MessageId {
        MessageId::new(intern(&mut self.messages, name))
    }

    /// The id of a declared lifeline, which may be called by its label unless another one is called so.
    pub fn lifeline(&self, name: &str) -> Option<LifelineId> {
        let own = self.lifelines.get_index_of(name).map(LifelineId::new);
        own.or_else(|| self.labels.get(name).copied())
    }

    /// Lets a lifeline be called by its label, too.
    ///
    /// ```
    /// use multitrace_interaction::Signature;
    /// let mut signature = Signature::default();
    /// let broker = signature.intern_lifeline("b");
    /// signature.add_label("The broker", broker);
    /// assert_eq!(signature.lifeline("The broker"), Some(broker));
    /// assert_ne!(signature.intern_lifeline("The broker"), broker);
    /// ```
    pub fn add_label(&mut self, label: &str, lifeline: LifelineId) {
        self.labels.insert(label.to_owned(), lifeline);
    }

    /// The labels by which lifelines may be called.
    pub fn labels(&self) -> impl Iterator<Item = (&str, LifelineId)> {
        let labels = self.labels.iter().map(|(label, lifeline)| (label.as_str(), *lifeline));
        labels.filter(|(label, _)| !self.lifelines.contains(*label))
    }

    /// The id of a declared message.
    pub fn message(&self, name: &str) -> Option<MessageId> {
        self.messages.get_index_of(name).map(MessageId::new)
    }

    /// The name of a lifeline.
    ///
    /// # Panics
    /// If the id is not of this signature.
    pub fn lifeline_name(&self, id: LifelineId) -> &str {
        &self.lifelines[id.index()]
    }

    /// The name of a message.
    ///
    /// # Panics
    /// If the id is not of this signature.
    pub fn message_name(&self, id: MessageId) -> &str {
        &self.messages[id.index()]
    }

    /// Every lifeline in order of declaration.
    pub fn lifelines(&self) -> impl ExactSizeIterator<Item = LifelineId> + use<> {
        (0..self.lifelines.len()).map(LifelineId::new)
    }

    /// Every message in order of declaration.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = MessageId> + use<> {
        (0..self.messages.len()).map(MessageId::new)
    }

    /// An action as it is written: `broker!publish` or `broker?publish`; a lifeline that could be taken
    /// for something else stands in quotes.
    ///
    /// # Panics
    /// If the action is not of this signature.
    pub fn action_text(&self, action: Action) -> String {
        let Action { lifeline, kind, message } = action;
        names::action_text(self.lifeline_name(lifeline), kind, self.message_name(message))
    }
}

fn intern(names: &mut IndexSet<String>, name: &str) -> usize {
    match names.get_index_of(name) {
        Some(index) => index,
        None => names.insert_full(name.to_owned()).0,
    }
}
