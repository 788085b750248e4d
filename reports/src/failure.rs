//! The findings of a session that fails: its faults, with names, a code and a sentence each.

use crate::codes::Code;
use crate::fault::FaultDetail;
use crate::finding::Finding;
use crate::fingerprint::Fingerprint;
use crate::session_names::SessionNames;
use multitrace_formats::shorten::visible;
use multitrace_interaction::{
    ActionKind, Edit, EditKind, Fault, FaultKind, LetterId, LocationId, Repair, names,
};

impl Finding {
    /// The findings of a failing session: its faults, causes first; of one without exact repair, the items of
    /// evidence, which then are known in a baseline only for the very same session.
    pub fn of_failure(
        repair: Option<&Repair>,
        evidence: impl Fn() -> Vec<Finding>,
        names: &SessionNames<'_>,
    ) -> Vec<Finding> {
        let repair = repair.filter(|it| it.exact && !it.faults.is_empty());
        let Some(repair) = repair else {
            return evidence().into_iter().map(|it| it.of_session(names)).collect();
        };
        let faults = repair.faults.iter().map(|fault| Finding::of_fault(fault, repair, names));
        // No edit takes away an empty log of a location that the specification does not have.
        let has_empty = names.session.foreign.iter().any(|it| it.events.is_empty());
        let empty = if has_empty { evidence() } else { Vec::new() };
        let is_empty = |it: &Finding| it.code == Code::UnknownLocation && it.event.is_none();
        faults.chain(empty.into_iter().filter(is_empty)).collect()
    }

    fn of_fault(fault: &Fault, repair: &Repair, names: &SessionNames<'_>) -> Finding {
        let root = &repair.edits[fault.root()];
        let code = code(fault.kind);
        let other = fault.other.map(|rank| &repair.edits[rank]);
        let first = root.kind;
        // A move and a replacement are told from the event that is there.
        let (root, other) = match (fault.kind, other) {
            (FaultKind::Replaced | FaultKind::Moved, Some(other)) if first == EditKind::Insert => {
                (other, Some(root))
            }
            (_, other) => (root, other),
        };
        let other = other.filter(|_| fault.kind == FaultKind::Replaced);
        let location = names.location(root.location);
        let event = names.edited(root);
        let other = other.map(|edit| names.edited(edit));
        let after = fault.after.map(|letter| names.alphabet.letter_name(letter));
        let changed = [(location, Some(event)), ("other", other)];
        let [what, instead] = changed;
        let edits_told = 1 + usize::from(fault.other.is_some());
        let consequences = fault.edits.len() - edits_told;
        let is_told = |rank: &usize| *rank == fault.root() || Some(*rank) == fault.other;
        let further = fault.edits.iter().filter(|rank| !is_told(rank));
        let mut locations: Vec<LocationId> =
            further.map(|&rank| repair.edits[rank].location).collect();
        locations.sort_unstable();
        locations.dedup();
        // Whatever else went wrong with it is a part of its place, or a baseline would excuse it.
        let other_after = fault.other_after.filter(|_| fault.kind == FaultKind::Moved);
        let mut telling: Vec<(&str, Option<&str>)> =
            fault.telling.iter().flat_map(|&rank| names.told(&repair.edits[rank])).collect();
        telling.sort_unstable();
        telling.dedup();
        let mut place = vec![what, instead, ("after", after)];
        place.extend(other_after.map(|it| ("after", Some(names.alphabet.letter_name(it)))));
        let with: Vec<String> =
            telling.iter().filter_map(|(_, event)| event.map(str::to_owned)).collect();
        place.extend(telling);
        let detail = FaultDetail {
            with,
            sentence: visible(&sentence((fault, first), root, other, names)).into_owned(),
            keyed: keyed(fault, root, names).map(|it| visible(&it).into_owned()),
            other: other.map(str::to_owned),
            after: after.map(str::to_owned),
            under: fault.under,
            is_missing: root.kind == EditKind::Insert,
            consequences,
            locations: locations.len(),
        };
        let length = names.length(root.location);
        // What is missing is seen at the event behind it, or at the last one.
        let event_at = length.checked_sub(1).map(|last| (root.location, root.index.min(last)));
        let expected = match root.kind {
            EditKind::Insert => vec![event.to_owned()],
            EditKind::Delete => other.into_iter().map(str::to_owned).collect(),
        };
        Finding {
            location: Some(location.to_owned()),
            index: Some(root.index),
            event: Some(event.to_owned()),
            expected,
            event_at,
            fault: Some(detail),
            kind: Fingerprint::new(code, &changed),
            place: Fingerprint::new(code, &place),
            ..Finding::unkeyed(code)
        }
    }
}

impl<'a> SessionNames<'a> {
    /// What an edit says, as a part of a key: whether its event is missing or should not be there, and its event.
    fn told(&self, edit: &Edit) -> [(&'a str, Option<&'a str>); 1] {
        let sign = match edit.kind {
            EditKind::Insert => "missing",
            EditKind::Delete => "wrong",
        };
        [(sign, Some(self.edited(edit)))]
    }

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
fn sentence(
    (fault, first): (&Fault, EditKind),
    root: &Edit,
    other: Option<&str>,
    session: &SessionNames<'_>,
) -> String {
    let (event, location) = (session.edited(root), session.location(root.location));
    let end = fault.end.map(|(location, _)| session.location(location));
    match (fault.kind, first) {
        (FaultKind::UnknownLocation, _) => {
            format!("{event} at {location}: the location is not in the specification")
        }
        (FaultKind::Unknown, _) => format!("{event} at {location} is not in the specification"),
        (FaultKind::Moved, EditKind::Delete) => format!("{event} came too early at {location}"),
        (FaultKind::Moved, EditKind::Insert) => format!("{event} came too late at {location}"),
        (FaultKind::Replaced, _) => {
            format!("{event} came at {location} in place of {}", other.unwrap_or("another event"))
        }
        (FaultKind::Lost, EditKind::Delete) if fault.again => {
            format!("{}: sent once more by {location} than it was received", message(event))
        }
        (FaultKind::NotSent, EditKind::Delete) if fault.again => {
            format!("{}: received once more by {location} than it was sent", message(event))
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

/// The sentence of a kind whose own sentence tells more than the kind has: without the other end of a message, and
/// without where the event should be.
fn keyed(fault: &Fault, root: &Edit, session: &SessionNames<'_>) -> Option<String> {
    let (event, location) = (session.edited(root), session.location(root.location));
    match fault.kind {
        FaultKind::Moved => Some(format!("{event} is not in its place at {location}")),
        FaultKind::Lost | FaultKind::NotSent => Some(ends(fault.kind, event, location, None)),
        _ => None,
    }
}

/// The message of an event.
fn message(event: &str) -> &str {
    names::split_action(event).map_or(event, |(.., message)| message)
}

/// Both ends of a message that was lost or not sent; the other end if it is logged.
fn ends(kind: FaultKind, event: &str, location: &str, end: Option<&str>) -> String {
    let split = names::split_action(event);
    let message = message(event);
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
