//! The meaning of arrows, and arrows that have several readings.

use super::super::directives::Fate;
use super::super::message_names::one_line;
use super::super::model::{End, Head, Message, ParticipantId};
use super::waiting::Waiting;
use super::{Builder, UNLABELLED, shown};
use crate::hif::{NameUse, Named};
use crate::source::{Span, quote};
use crate::warning::WarningCode;
use multitrace_interaction::{
    Action, ActionKind, LifelineId, LoopKind, MessageId, Node, NodeId, Step,
};

/// How a message is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// It has one end.
    Alone,
    EmissionOnly,
    /// The same, as nothing says otherwise.
    OwnAction,
    ReceptionOnly,
    Synchronous,
    Passing,
    BothWays,
}

/// The faults that a message may have on its way.
#[derive(Clone, Copy)]
struct Fates {
    may_lose: bool,
    may_repeat: bool,
}

impl Fates {
    fn any(self) -> bool {
        self.may_lose || self.may_repeat
    }
}

impl Builder<'_> {
    fn message_id(&mut self, message: &Message) -> MessageId {
        let label = one_line(&message.text);
        if label.contains("multitrace: ") {
            let help = "write it in a comment on a line of its own, above the arrow";
            self.error(message.text_span, "a directive in the text of an arrow", help);
        }
        let label = self.with_values(label);
        let name = match self.said_name(&label) {
            Some(name) => name,
            None if label.is_empty() => UNLABELLED.to_owned(),
            None => self.settings.names.name(&label),
        };
        let id = self.signature.intern_message(&name);
        let span = if message.text_span.start < message.text_span.end {
            message.text_span
        } else {
            message.span
        };
        self.uses.push(NameUse { span, named: Named::Message(id) });
        id
    }

    /// A text with `$c` replaced by whom the participant c stands for.
    fn with_values(&self, text: String) -> String {
        self.bound.iter().fold(text, |text, (template, lifeline)| {
            let name = self.diagram.participants.get(template.index()).map_or("", |it| &it.id);
            text.replace(&format!("${name}"), self.signature.lifeline_name(*lifeline))
        })
    }

    /// The name that a directive gives to a text.
    pub(super) fn said_name(&mut self, text: &str) -> Option<String> {
        let named = self.settings.message_names.get_mut(text)?;
        named.is_used = true;
        Some(named.name.clone())
    }

    pub(super) fn lifeline(&mut self, end: End, span: Span) -> Option<LifelineId> {
        let End::Participant(participant) = end else { return None };
        let bound = self.bound.iter().rev().find(|(template, _)| *template == participant);
        let own = self.lifelines.get(participant.index()).copied().flatten();
        let Some(lifeline) = bound.map(|(_, lifeline)| *lifeline).or(own) else {
            let name = self.participant(participant);
            let message = format!("{name} stands for several participants, and here for none");
            self.error(span, &message, "use it inside of the frame behind `for`");
            return None;
        };
        self.uses.push(NameUse { span, named: Named::Lifeline(lifeline) });
        Some(lifeline)
    }

    pub(super) fn name_of(&self, end: End) -> String {
        match end {
            End::Participant(participant) => self.participant(participant),
            End::Outside { .. } => "the outside".to_owned(),
        }
    }

    pub(super) fn participant(&self, participant: ParticipantId) -> String {
        self.diagram
            .participants
            .get(participant.index())
            .map_or_else(String::new, |it| quote(&it.id))
    }

    pub(super) fn message(&mut self, message: &Message, waiting: &mut Waiting) -> Option<NodeId> {
        let span = message.span;
        let id = self.message_id(message);
        let (start, end) = ends(message);
        let (from, to) = (self.lifeline(start, span), self.lifeline(end, span));
        let action = |lifeline, kind| Action { lifeline, kind, message: id };
        let emission = from.map(|from| action(from, ActionKind::Emission));
        let reception = to.map(|to| action(to, ActionKind::Reception));
        let is_lost = message.arrow.head == Head::Cross;
        let never_came = reception.is_some() && is_lost;
        let reception = reception.filter(|_| !is_lost);
        let reading = match (emission, reception) {
            (Some(emission), Some(reception)) => {
                self.reading((emission, reception), message, waiting)
            }
            _ if message.arrow.is_bidirectional() => Reading::BothWays,
            _ => Reading::Alone,
        };
        self.remark_message(message, reading);
        if is_lost && message.arrow.is_bidirectional() && from != to {
            return self.lost_one_way(id, (from, to), span);
        }
        match (emission, reception) {
            // Nobody here sends it, and nobody receives it.
            (None, None) if never_came => Some(self.push(Node::Empty, span)),
            (None, None) => {
                let help = "let one end of the arrow be a participant";
                self.error(span, "a message that nobody emits or receives", help);
                None
            }
            (Some(emission), Some(reception)) => {
                let fates = Fates {
                    may_lose: waiting.take_fate(Fate::Lost) || self.settings.may_lose,
                    may_repeat: waiting.take_fate(Fate::Repeated) || self.settings.may_repeat,
                };
                Some(self.read_as(reading, emission, reception, fates, span))
            }
            (Some(only), None) | (None, Some(only)) => {
                let there = self.step(only, span);
                if reading != Reading::BothWays {
                    return Some(there);
                }
                let kind = match only.kind {
                    ActionKind::Emission => ActionKind::Reception,
                    ActionKind::Reception => ActionKind::Emission,
                };
                let back = self.step(Action { kind, ..only }, span);
                Some(self.push(Node::Par(there, back), span))
            }
        }
    }

    /// An arrow with a head at its start and a cross at its end: the message there is lost, the one back is not.
    fn lost_one_way(
        &mut self,
        message: MessageId,
        (from, to): (Option<LifelineId>, Option<LifelineId>),
        span: Span,
    ) -> Option<NodeId> {
        let action = |lifeline, kind| Action { lifeline, kind, message };
        let there = from.map(|from| self.step(action(from, ActionKind::Emission), span));
        let emission = to.map(|to| action(to, ActionKind::Emission));
        let reception = from.map(|from| action(from, ActionKind::Reception));
        let back = match (emission, reception) {
            (Some(emission), Some(reception)) => Some(self.passing(emission, reception, span)),
            (only, None) | (None, only) => only.map(|only| self.step(only, span)),
        };
        match (there, back) {
            (Some(there), Some(back)) => Some(self.push(Node::Par(there, back), span)),
            (only, None) | (None, only) => only,
        }
    }

    /// How a message is read that somebody emits and somebody receives.
    fn reading(
        &self,
        (emission, reception): (Action, Action),
        message: &Message,
        waiting: &mut Waiting,
    ) -> Reading {
        if emission.lifeline == reception.lifeline {
            if waiting.take_received() {
                return Reading::ReceptionOnly;
            }
            if waiting.take_synchronous() {
                return Reading::Synchronous;
            }
            if waiting.take_local() {
                return Reading::EmissionOnly;
            }
            match self.settings.own_is_local {
                None => return Reading::OwnAction,
                Some(true) => return Reading::EmissionOnly,
                Some(false) => {}
            }
        } else if message.arrow.is_bidirectional() {
            return Reading::BothWays;
        }
        if waiting.take_synchronous() { Reading::Synchronous } else { Reading::Passing }
    }

    fn read_as(
        &mut self,
        reading: Reading,
        emission: Action,
        reception: Action,
        fates: Fates,
        span: Span,
    ) -> NodeId {
        match reading {
            Reading::EmissionOnly | Reading::OwnAction => self.step(emission, span),
            Reading::ReceptionOnly => self.step(reception, span),
            Reading::Synchronous => match Step::new(vec![emission, reception]) {
                Some(step) => self.push(Node::Step(step), span),
                None => self.passing(emission, reception, span),
            },
            Reading::Passing if fates.any() => self.fated(emission, reception, fates, span),
            Reading::Passing | Reading::Alone => self.passing(emission, reception, span),
            Reading::BothWays => {
                let there = self.passing(emission, reception, span);
                let turned = |action: Action, kind| Action { kind, ..action };
                let back = turned(reception, ActionKind::Emission);
                let back = self.passing(back, turned(emission, ActionKind::Reception), span);
                self.push(Node::Par(there, back), span)
            }
        }
    }

    /// A message that may be lost or repeated: `alt(strict(A!m, B?m), A!m)`, `strict(A!m, loopS[1..](B?m))`.
    fn fated(&mut self, emission: Action, reception: Action, fates: Fates, span: Span) -> NodeId {
        let sent = self.step(emission, span);
        let mut received = self.step(reception, span);
        if fates.may_repeat {
            let again = self.step(reception, span);
            let again = self.push(Node::Loop(LoopKind::Strict, again), span);
            received = self.push(Node::Strict(received, again), span);
        }
        if fates.may_lose {
            let nothing = self.push(Node::Empty, span);
            received = self.push(Node::Alt(received, nothing), span);
        }
        self.push(Node::Strict(sent, received), span)
    }

    fn passing(&mut self, emission: Action, reception: Action, span: Span) -> NodeId {
        let (emission, reception) = (self.step(emission, span), self.step(reception, span));
        self.push(Node::Strict(emission, reception), span)
    }

    /// Warns of an arrow that has several readings.
    fn remark_message(&mut self, message: &Message, reading: Reading) {
        let Message { span, arrow, .. } = *message;
        let (from, to) = ends(message);
        let (start, end, text) = (self.name_of(from), self.name_of(to), shown(&message.text));
        if one_line(&message.text).is_empty() {
            let what = format!("the arrow from {start} to {end} has no text");
            self.remark(WarningCode::NoLabel, span, what);
        }
        if from == to && reading == Reading::OwnAction {
            let what = format!("{start} does {text}: one event of its log");
            self.remark(WarningCode::MessageToSelf, span, what);
        }
        let read = match reading {
            Reading::EmissionOnly | Reading::OwnAction => format!("one action of {start}"),
            _ => format!("a message from {start} to {end}"),
        };
        let what = if reading == Reading::BothWays {
            format!("this arrow has two heads: {start} and {end} each send {text} to the other")
        } else if arrow.is_bidirectional() {
            format!("this arrow has two heads: it is read as {read}")
        } else if arrow.is_reversed {
            format!("the head of this arrow is at {end}: it is read as {read}")
        } else if arrow.is_decorated() {
            format!("this arrow has a circle or a cross: it is read as {read}")
        } else if arrow.head == Head::None {
            format!("this arrow has no head: it is read as {read}")
        } else {
            return;
        };
        self.remark(WarningCode::ArrowReading, span, what);
    }
}

/// Sender and receiver: an arrow whose head is drawn where it starts goes there.
pub(super) fn ends(message: &Message) -> (End, End) {
    let Message { from, to, .. } = *message;
    if message.arrow.is_reversed { (to, from) } else { (from, to) }
}
