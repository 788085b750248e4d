//! The faults of one session as reports show them: with names, a code and a sentence each.

use crate::codes::Code;
use crate::fingerprint::Fingerprint;
use crate::session_names::SessionNames;
use multitrace_formats::shorten::visible;
use multitrace_interaction::{
    ActionKind, Edit, EditKind, Fault, FaultKind, LetterId, Repair, names,
};
use serde::Serialize;

/// One thing that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultView {
    /// What kind of thing.
    pub code: Code,
    /// The location of its root: of the edit that came first.
    pub location: String,
    /// The index of the root in the log as given, from 0. What is missing goes before the event there.
    pub index: usize,
    /// The event of the root.
    pub event: String,
    /// The event that is missing where another one came in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The last event before the root that is right at its location; `None` at the beginning of the log.
    pub after: Option<String>,
    /// The number of the fault that a stop comes after, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under: Option<usize>,
    /// How many further edits depend on the root.
    pub consequences: usize,
    /// The key of code, location, event and the other event.
    pub kind: Fingerprint,
    /// The key of those and of the last event that is right before the root.
    pub place: Fingerprint,
    /// What went wrong, as a sentence.
    #[serde(skip)]
    pub sentence: String,
}

impl FaultView {
    /// The faults of a repair, causes first.
    pub fn all(repair: &Repair, names: &SessionNames<'_>) -> Vec<FaultView> {
        repair.faults.iter().map(|fault| FaultView::new(fault, repair, names)).collect()
    }

    fn new(fault: &Fault, repair: &Repair, names: &SessionNames<'_>) -> FaultView {
        let root = &repair.edits[fault.root()];
        let code = code(fault.kind);
        let location = names.location(root.location).to_owned();
        let other = fault.other.map(|rank| &repair.edits[rank]);
        // A replacement is told from the event that is there.
        let (root, other) = match (fault.kind, other) {
            (FaultKind::Replaced, Some(other)) if root.kind == EditKind::Insert => {
                (other, Some(root))
            }
            (FaultKind::Replaced, other) => (root, other),
            _ => (root, None),
        };
        let event = names.edited(root).to_owned();
        let other = other.map(|edit| names.edited(edit).to_owned());
        let after = fault.after.map(|letter| names.alphabet.letter_name(letter).to_owned());
        let changed = [(&*location, Some(&*event)), ("other", other.as_deref())];
        let kind = Fingerprint::new(code, &changed);
        let [what, instead] = changed;
        let place = Fingerprint::new(code, &[what, instead, ("after", after.as_deref())]);
        let edits_told = 1 + usize::from(fault.other.is_some());
        FaultView {
            code,
            sentence: visible(&sentence(fault, root, other.as_deref(), names)).into_owned(),
            location,
            index: root.index,
            event,
            other,
            after,
            under: fault.under,
            consequences: fault.edits.len() - edits_told,
            kind,
            place,
        }
    }

    /// The sentence, and how much depends on it.
    pub fn line(&self) -> String {
        let FaultView { sentence, consequences, .. } = self;
        match consequences {
            0 => sentence.clone(),
            1 => format!("{sentence}; and 1 event that depends on it"),
            _ => format!("{sentence}; and {consequences} events that depend on it"),
        }
    }
}

impl<'a> SessionNames<'a> {
    /// The event of an edit as text.
    pub(crate) fn edited(&self, edit: &Edit) -> &'a str {
        match edit.letter {
            LetterId::UNKNOWN => self.event(edit.location, edit.index).unwrap_or_default(),
            letter => self.alphabet.letter_name(letter),
        }
    }
}

fn code(kind: FaultKind) -> Code {
    match kind {
        FaultKind::UnknownLocation => Code::UnknownLocation,
        FaultKind::Unknown => Code::UnknownEvent,
        FaultKind::Moved => Code::Moved,
        FaultKind::Replaced => Code::Replaced,
        FaultKind::Lost => Code::Lost,
        FaultKind::NotSent => Code::NotSent,
        FaultKind::Extra | FaultKind::Repeated => Code::Repeated,
        FaultKind::Unexpected => Code::Unexpected,
        FaultKind::Missing => Code::MissingEvent,
        FaultKind::Stopped => Code::Stopped,
    }
}

/// What went wrong.
fn sentence(fault: &Fault, root: &Edit, other: Option<&str>, session: &SessionNames<'_>) -> String {
    let (event, location) = (session.edited(root), session.location(root.location));
    let end = fault.end.map(|(location, _)| session.location(location));
    match (fault.kind, root.kind) {
        (FaultKind::UnknownLocation, _) => {
            format!("{event} at {location}: the location is not in the specification")
        }
        (FaultKind::Unknown, _) => format!("{event} at {location} is not in the specification"),
        (FaultKind::Moved, EditKind::Delete) => format!("{event} came too early at {location}"),
        (FaultKind::Moved, EditKind::Insert) => format!("{event} came too late at {location}"),
        (FaultKind::Replaced, _) => {
            format!("{event} came at {location} in place of {}", other.unwrap_or("another event"))
        }
        (FaultKind::Lost | FaultKind::NotSent, _) => ends(fault.kind, event, location, end),
        (FaultKind::Repeated, _) => format!("{event} is repeated at {location}"),
        (FaultKind::Extra | FaultKind::Unexpected, _) => {
            format!("{event} should not be there at {location}")
        }
        (FaultKind::Missing, _) => format!("{event} is missing at {location}"),
        (FaultKind::Stopped, _) => format!("{location} stopped before {event}"),
    }
}

/// Both ends of a message that was lost or not sent; the other end if it is logged.
fn ends(kind: FaultKind, event: &str, location: &str, end: Option<&str>) -> String {
    let split = names::split_action(event);
    let message = split.as_ref().map_or(event, |(.., message)| *message);
    let is_emission = matches!(split, Some((_, ActionKind::Emission, _)));
    let (sender, receiver) =
        if is_emission { (Some(location), end) } else { (end, Some(location)) };
    let by = |who: Option<&str>| who.map_or_else(String::new, |who| format!(" by {who}"));
    match (kind, sender, receiver) {
        (FaultKind::Lost, _, None) => format!("{message}: sent{}, received by nobody", by(sender)),
        (FaultKind::Lost, ..) => {
            format!("{message}: sent{}, never received{}", by(sender), by(receiver))
        }
        _ => format!("{message}: received{}, never sent{}", by(receiver), by(sender)),
    }
}
