//! The findings of a session that fails: its faults, with names, a code and a sentence each.

use crate::codes::Code;
use crate::fault::FaultDetail;
use crate::finding::Finding;
use crate::fingerprint::Fingerprint;
use crate::session_names::SessionNames;
use multitrace_formats::place::Places;
use multitrace_formats::shorten::visible;
use multitrace_interaction::{
    ActionKind, Alphabet, Edit, EditKind, Fault, FaultKind, LetterId, LocationId, Repair, names,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

impl Finding {
    /// The findings of a failing session: its faults, causes first; of one without exact repair, the items of
    /// evidence, which then are known in a baseline only for the very same session.
    pub fn of_failure(
        repair: Option<&Repair>,
        evidence: impl Fn() -> Vec<Finding>,
        names: &SessionNames<'_>,
        places: &dyn Places,
    ) -> Vec<Finding> {
        let repair = repair.filter(|it| it.exact && !it.faults.is_empty());
        let Some(repair) = repair else {
            return evidence().into_iter().map(|it| it.of_session(names)).collect();
        };
        let faults =
            repair.faults.iter().map(|fault| Finding::of_fault(fault, repair, (names, places)));
        // No edit takes away an empty log of a location that the specification does not have.
        let has_empty = names.session.foreign.iter().any(|it| it.events.is_empty());
        let empty = if has_empty { evidence() } else { Vec::new() };
        let is_empty = |it: &Finding| it.code == Code::UnknownLocation && it.event.is_none();
        faults.chain(empty.into_iter().filter(is_empty)).collect()
    }

    fn of_fault(
        fault: &Fault,
        repair: &Repair,
        (names, places): (&SessionNames<'_>, &dyn Places),
    ) -> Finding {
        let told = Told::new(fault, repair);
        let (root, code) = (told.root, code(fault.kind));
        let (location, event) = (names.location(root.location), names.edited(root));
        let other = told.other.map(|edit| names.edited(edit));
        let kind = [(location, Some(event)), ("other", other)];
        let further = [told.with(names), told.stops(names)];
        let keys = further.iter().flatten().flat_map(Further::keys);
        let place: Vec<Keyed<'_>> = [&kind[..], &told.place(names), &told.ends(names)]
            .concat()
            .into_iter()
            .chain(keys)
            .collect();
        let detail = told.detail(further.each_ref(), (names, places));
        // A missing event is seen at the event behind it, at the last one, or at the end of an empty log.
        let last = names.length(root.location).saturating_sub(1);
        let expected = match root.kind {
            EditKind::Insert => vec![event.to_owned()],
            EditKind::Delete => other.into_iter().map(str::to_owned).collect(),
        };
        Finding {
            location: Some(location.to_owned()),
            index: Some(root.index),
            event: Some(event.to_owned()),
            expected,
            event_at: Some((root.location, root.index.min(last))),
            touched: told.touched(),
            fault: Some(Box::new(detail)),
            kind: Fingerprint::new(code, &kind),
            place: Fingerprint::new(code, &place),
            ..Finding::unkeyed(code)
        }
    }
}

/// A fault, and the edits that it is derived from.
struct Told<'a> {
    fault: &'a Fault,
    repair: &'a Repair,
    /// Whether the first edit inserts or deletes.
    first: EditKind,
    root: &'a Edit,
    /// The event in whose place another one came.
    other: Option<&'a Edit>,
}

/// A part of a key: a location, or a word for the part that the event has in the fault, and an event.
type Keyed<'a> = (&'a str, Option<&'a str>);

impl<'a> Told<'a> {
    /// A move and a replacement are described by the event that is there.
    fn new(fault: &'a Fault, repair: &'a Repair) -> Told<'a> {
        let (root, other) =
            (&repair.edits[fault.root()], fault.other.map(|rank| &repair.edits[rank]));
        let first = root.kind;
        let (root, other) = match (first, other) {
            (EditKind::Insert, Some(other)) => (other, Some(root)),
            (_, other) => (root, other),
        };
        let other = other.filter(|_| fault.kind == FaultKind::Replaced);
        Told { fault, repair, first, root, other }
    }

    /// The part of a finding that only faults have, with all that went wrong with it.
    fn detail(
        &self,
        [with, stops]: [&Vec<Further<'_>>; 2],
        (names, places): (&SessionNames<'a>, &dyn Places),
    ) -> FaultDetail {
        let Told { fault, first, root, .. } = *self;
        let (event, other) = (names.edited(root), self.other.map(|edit| names.edited(edit)));
        let (consequences, locations) = self.consequences();
        FaultDetail {
            sentence: visible(&sentence((fault, first), root, other, names)).into_owned(),
            keyed: keyed(fault, root, names).map(|it| visible(&it).into_owned()),
            machines: machines(fault, event, (names, places)),
            other: other.map(str::to_owned),
            after: fault.after[0].map(|letter| names.alphabet.letter_name(letter).to_owned()),
            with: with.iter().map(Further::text).collect(),
            stops: stops.iter().map(Further::text).collect(),
            under: fault.under,
            is_missing: root.kind == EditKind::Insert,
            consequences,
            locations,
            node: None,
        }
    }

    /// The last right events before it: of a move, before its event and before the place where the event should be.
    fn place(&self, names: &SessionNames<'a>) -> Vec<Keyed<'a>> {
        let name = |letter| names.alphabet.letter_name(letter);
        let is_move = self.fault.kind == FaultKind::Moved;
        let of_move = self.fault.other.filter(|_| is_move);
        let of_move = of_move.and_then(|rank| self.fault.kept_before(rank));
        let after = ("after", self.fault.after[0].map(name));
        std::iter::once(after).chain(of_move.map(|it| ("after", Some(name(it))))).collect()
    }

    /// Of a message that was lost or not sent, the locations that have its other end in their logs, if it could be several.
    /// Which of them it was may depend on the order of all events.
    fn ends(&self, names: &SessionNames<'a>) -> Vec<Keyed<'a>> {
        let event = names.edited(self.root);
        let Some((_, kind, message)) = names::split_action(event) else { return Vec::new() };
        let other = other_end(kind == ActionKind::Emission);
        let is_one = !matches!(self.fault.kind, FaultKind::Lost | FaultKind::NotSent)
            || only_end(message, other, names.alphabet).is_some();
        if is_one {
            return Vec::new();
        }
        let is_other = |&letter: &LetterId| {
            letter != LetterId::UNKNOWN
                && is_end(names.alphabet.letter_name(letter), message, other)
        };
        let logs = names.alphabet.locations().zip(&names.session.trace);
        let logs = logs.filter(|(_, log)| log.iter().any(&is_other));
        logs.map(|(location, _)| ("end", Some(names.location(location)))).collect()
    }

    /// The further events that are wrong with it. They are part of its place, since a baseline would excuse them otherwise.
    fn with(&self, names: &SessionNames<'a>) -> Vec<Further<'a>> {
        let of = |(rank, after): (usize, Option<LetterId>)| {
            let edit = &self.repair.edits[rank];
            let after = after.map(|it| names.alphabet.letter_name(it));
            let sign = match edit.kind {
                EditKind::Insert => "missing",
                EditKind::Delete => "wrong",
            };
            Further { sign, name: names.edited(edit), after, times: 1 }
        };
        // The kind names the other edit of a replacement already, and the place where a moved event should be has it.
        let telling = self.telling();
        let further = self.fault.edits_with_kept().filter(|(rank, _)| telling.contains(rank));
        counted_once(further.filter(|it| Some(it.0) != self.fault.other).map(of).collect())
    }

    /// The locations that stop after it, and where. They are part of its place, too: a baseline of one missing record does
    /// not excuse that everybody stops.
    fn stops(&self, names: &SessionNames<'a>) -> Vec<Further<'a>> {
        let (telling, other) = (self.telling(), self.fault.other);
        let further = self.fault.edits_with_kept().skip(1);
        let further = further.filter(|(rank, _)| !telling.contains(rank) && Some(*rank) != other);
        let root = self.root.location;
        let mut seen = BTreeSet::new();
        let first = further.filter(|it| seen.insert(self.repair.edits[it.0].location));
        let of = |(rank, after): (usize, Option<LetterId>)| {
            let location = self.repair.edits[rank].location;
            // Where the location of the root stops is its place already.
            let after = after.filter(|_| location != root);
            let after = after.map(|it| names.alphabet.letter_name(it));
            Further { sign: "stops", name: names.location(location), after, times: 1 }
        };
        counted_once(first.map(of).collect())
    }

    /// The edits that tell more about the fault.
    fn telling(&self) -> BTreeSet<usize> {
        self.fault.telling.iter().copied().collect()
    }

    /// The events that it takes out or that lack one before them.
    fn touched(&self) -> Vec<(LocationId, usize)> {
        let edits = || self.fault.edits.iter().map(|&rank| &self.repair.edits[rank]);
        let deleted = edits().filter(|it| it.kind == EditKind::Delete);
        let deleted: HashSet<_> = deleted.map(|it| (it.location, it.letter)).collect();
        let is_moved =
            |it: &Edit| it.kind == EditKind::Insert && deleted.contains(&(it.location, it.letter));
        edits().filter(|it| !is_moved(it)).map(|it| (it.location, it.index)).collect()
    }

    /// How many edits depend on it, and at how many locations.
    fn consequences(&self) -> (usize, usize) {
        let Fault { edits, other, .. } = self.fault;
        let further = edits[1..].iter().filter(|rank| Some(**rank) != *other);
        let mut locations: Vec<LocationId> =
            further.map(|&rank| self.repair.edits[rank].location).collect();
        let count = locations.len();
        locations.sort_unstable();
        locations.dedup();
        (count, locations.len())
    }
}

/// Something that went wrong with a fault: an event, or a location that stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Further<'a> {
    sign: &'static str,
    name: &'a str,
    /// The last right event before it at its location.
    after: Option<&'a str>,
    times: usize,
}

/// Sorted, equal ones as one with their number.
fn counted_once(mut all: Vec<Further<'_>>) -> Vec<Further<'_>> {
    all.sort_unstable();
    all.dedup_by(|next, one| {
        let is_same = (next.sign, next.name, next.after) == (one.sign, one.name, one.after);
        one.times += usize::from(is_same);
        is_same
    });
    all
}

impl<'a> Further<'a> {
    /// As the key of a place has it.
    fn keys(&self) -> impl Iterator<Item = Keyed<'a>> {
        let once = [(self.sign, Some(self.name)), ("after", self.after)];
        std::iter::repeat_n(once, self.times).flatten()
    }

    fn text(&self) -> String {
        let after = self.after.map_or_else(String::new, |it| format!(" after {it}"));
        let times = if self.times > 1 { format!(", {} times", self.times) } else { String::new() };
        format!("{}{after}{times}", self.name)
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

/// The names in the log for the lifelines of the event of a root and of its other end.
fn machines(
    fault: &Fault,
    event: &str,
    (session, places): (&SessionNames<'_>, &dyn Places),
) -> BTreeMap<String, String> {
    let end = fault.end.and_then(|(location, index)| session.event(location, index));
    let actions = [Some(event), end].into_iter().flatten().filter_map(names::split_action);
    let machine = |lifeline: Cow<'_, str>| {
        Some((lifeline.to_string(), places.machine(&lifeline)?.to_owned()))
    };
    actions.filter_map(|(lifeline, ..)| machine(lifeline)).collect()
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

/// A sentence on the fault, with its events and locations.
fn sentence(
    (fault, first): (&Fault, EditKind),
    root: &Edit,
    other: Option<&str>,
    session: &SessionNames<'_>,
) -> String {
    let (event, location) = (session.edited(root), session.location(root.location));
    match (fault.kind, first) {
        (FaultKind::UnknownLocation, _) => {
            format!("{event} at {location}: the location is not in the specification")
        }
        (FaultKind::Unknown, _) => format!("{event} at {location} is not in the specification"),
        (FaultKind::Moved, _) if fault.late => format!("{event} came too late at {location}"),
        (FaultKind::Moved, _) => format!("{event} came too early at {location}"),
        (FaultKind::Replaced, _) => {
            format!("{event} came at {location} in place of {}", other.unwrap_or("another event"))
        }
        (FaultKind::Lost | FaultKind::NotSent, EditKind::Delete)
            if fault.again && is_other_end_silent(fault, session) =>
        {
            match comes_after_itself(root, session) {
                true => format!("{event} is repeated at {location}"),
                // The same event comes later, where it may.
                false => format!("{event} should not be there at {location}"),
            }
        }
        (FaultKind::Lost, EditKind::Delete) if fault.again => {
            format!("{}: sent once more by {location} than it was received", message(event))
        }
        (FaultKind::NotSent, EditKind::Delete) if fault.again => {
            format!("{}: received once more by {location} than it was sent", message(event))
        }
        (FaultKind::Lost | FaultKind::NotSent, _) => {
            let end = fault.end.map(|(location, _)| location);
            let mut ends: Vec<LocationId> =
                end.into_iter().chain(fault.peers.iter().copied()).collect();
            ends.sort_unstable();
            both_ends(fault.kind, event, (root.location, ends), session.alphabet)
        }
        (FaultKind::Repeated, _) => format!("{event} is repeated at {location}"),
        (FaultKind::Extra | FaultKind::Unexpected, _) => {
            format!("{event} should not be there at {location}")
        }
        (FaultKind::Missing, _) => format!("{event} is missing at {location}"),
        (FaultKind::Stopped, _) => {
            let possible: Vec<&str> =
                fault.possible.iter().map(|&letter| session.alphabet.letter_name(letter)).collect();
            let too = match possible.len() {
                0 => String::new(),
                1 => format!(" ({} was possible there, too)", possible[0]),
                _ => format!(" ({} were possible there, too)", listed(&possible, "and")),
            };
            format!("{location} stopped before {event}{too}")
        }
    }
}

/// Whether nothing was logged where the other end of a message may be, so that nobody knows how often it is there.
fn is_other_end_silent(fault: &Fault, session: &SessionNames<'_>) -> bool {
    let mut peers = fault.peers.iter();
    fault.end.is_none() && !fault.peers.is_empty() && peers.all(|it| session.length(*it) == 0)
}

/// Whether a deleted event was in its log before, or is there once more right behind it: which of those two goes makes no difference.
fn comes_after_itself(root: &Edit, session: &SessionNames<'_>) -> bool {
    let event = |index| session.event(root.location, index);
    let mut others = (0..root.index).chain([root.index + 1]);
    others.any(|index| event(index) == event(root.index))
}

/// The sentence that all faults of a kind share, if the sentence of one says more: without the other end of a message,
/// without the place where the event should be, that it came before, and without other events that were possible.
fn keyed(fault: &Fault, root: &Edit, session: &SessionNames<'_>) -> Option<String> {
    let (event, location) = (session.edited(root), session.location(root.location));
    match fault.kind {
        FaultKind::Moved => Some(format!("{event} is not in its place at {location}")),
        FaultKind::Lost | FaultKind::NotSent => {
            let ends = (root.location, Vec::new());
            Some(both_ends(fault.kind, event, ends, session.alphabet))
        }
        // An event that came again has the code of one that is too much.
        FaultKind::Repeated => Some(format!("{event} should not be there at {location}")),
        FaultKind::Stopped if !fault.possible.is_empty() => {
            Some(format!("{location} stopped before {event}"))
        }
        _ => None,
    }
}

/// The message of an event.
fn message(event: &str) -> &str {
    names::split_action(event).map_or(event, |(.., message)| message)
}

/// Names in a sentence, at most three of them.
fn listed(names: &[&str], word: &str) -> String {
    const MOST: usize = 3;
    let rest = names.len().saturating_sub(MOST);
    let others = format!("{rest} other{}", if rest == 1 { "" } else { "s" });
    let mut shown: Vec<&str> = names.iter().copied().take(MOST).collect();
    if rest > 0 {
        shown.push(&others);
    }
    match shown.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} {word} {last}", before.join(", ")),
        None => String::new(),
    }
}

/// Both ends of a message that was lost or not sent: the other one where it is logged or can be, or else if only one location
/// can have it.
fn both_ends(
    kind: FaultKind,
    event: &str,
    (location, ends): (LocationId, Vec<LocationId>),
    alphabet: &Alphabet,
) -> String {
    let message = message(event);
    let is_emission = is_end(event, message, ActionKind::Emission);
    let other = other_end(is_emission);
    let ends = match ends.is_empty() {
        true => only_end(message, other, alphabet).into_iter().collect(),
        false => ends,
    };
    let own = vec![party(message, other_end(!is_emission), location, alphabet)];
    let ends = ends.into_iter().map(|it| party(message, other, it, alphabet)).collect();
    let (sender, receiver) = if is_emission { (own, ends) } else { (ends, own) };
    let by = |who: &[&str]| match who {
        [] => String::new(),
        who => format!(" by {}", listed(who, "or")),
    };
    match kind {
        FaultKind::Lost if receiver.is_empty() => {
            format!("{message}: sent{}, received by nobody", by(&sender))
        }
        FaultKind::Lost => {
            format!("{message}: sent{}, never received{}", by(&sender), by(&receiver))
        }
        _ => format!("{message}: received{}, never sent{}", by(&receiver), by(&sender)),
    }
}

/// The kind of the other end of an emission or a reception.
fn other_end(is_emission: bool) -> ActionKind {
    if is_emission { ActionKind::Reception } else { ActionKind::Emission }
}

fn is_end(event: &str, message: &str, kind: ActionKind) -> bool {
    let is_own = |(_, it, text): (Cow<'_, str>, ActionKind, &str)| it == kind && text == message;
    event.ends_with(message) && names::split_action(event).is_some_and(is_own)
}

/// The location of an end of a message, if the specification has it at one only.
fn only_end(message: &str, kind: ActionKind, alphabet: &Alphabet) -> Option<LocationId> {
    let mut locations = ends_of(message, kind, alphabet).map(|letter| alphabet.location_of(letter));
    let only = locations.next()?;
    locations.all(|it| it == only).then_some(only)
}

/// The letters that are ends of a message.
fn ends_of<'a>(
    message: &'a str,
    kind: ActionKind,
    alphabet: &'a Alphabet,
) -> impl Iterator<Item = LetterId> + 'a {
    alphabet.letters().filter(move |&it| is_end(alphabet.letter_name(it), message, kind))
}

/// Who has an end of a message at a location: its lifeline, where several are logged there and one has it.
fn party<'a>(
    message: &'a str,
    kind: ActionKind,
    location: LocationId,
    alphabet: &'a Alphabet,
) -> &'a str {
    let whole = alphabet.location_name(location);
    if alphabet.location_of_lifeline(whole).is_some() {
        return whole;
    }
    let own = ends_of(message, kind, alphabet).filter(|&it| alphabet.location_of(it) == location);
    let mut own = own.filter_map(|it| names::split_action(alphabet.letter_name(it)));
    let lifeline = own.next().and_then(|(lifeline, ..)| alphabet.lifeline_called(&lifeline));
    if own.next().is_some() { whole } else { lifeline.unwrap_or(whole) }
}
