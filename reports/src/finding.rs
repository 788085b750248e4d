//! Findings of one session, with the texts that people read.

use crate::codes::Code;
use crate::fault::FaultDetail;
use crate::fingerprint::Fingerprint;
use crate::frontier_view::{FrontierView, ReachedRow};
use crate::reason::location_names;
use crate::session_names::SessionNames;
use crate::view::View;
use multitrace_formats::remedy::{Remedy, Words};
use multitrace_formats::shorten::visible;
use multitrace_interaction::{
    ActionKind, Alphabet, BudgetLimit, Cause, Failure, FrontierEntry, Id, InconclusiveReason,
    LetterId, LocalFailure, LocationId, Verdict, names::split_action,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One thing that is wrong with a session, or the reason why it is not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of finding.
    pub code: Code,
    /// The location, if the finding is about one.
    pub location: Option<String>,
    /// The index of the event in its local trace, from 0; the length of the trace if it ended too
    /// early.
    pub index: Option<usize>,
    /// The event; `None` if the trace ended too early or the finding is about no single event.
    pub event: Option<String>,
    /// The events that were possible there, sorted.
    pub expected: Vec<String>,
    /// Where the furthest interleaving of all logs stands, if the finding concerns all of them.
    pub frontier: Option<Box<FrontierView>>,
    /// The locations that logged nothing, if that is the reason.
    pub absent: Vec<String>,
    /// The budget that was spent, and how far the search got, if that is the reason.
    pub cut: Option<Box<BudgetCut>>,
    /// The event to look at, by location and index in its session: the one that is wrong, the last one before an end
    /// that comes too early, or the first one that is blocked. `None` if there is no such event, and in the example
    /// of a group, which has places instead.
    pub event_at: Option<(LocationId, usize)>,
    /// Of a fault, the events that it takes out or that lack one before them, by location and index. Where a moved event
    /// should be, nothing is wrong with the event that is there.
    pub(crate) touched: Vec<(LocationId, usize)>,
    /// The part that only faults have; `None` for evidence, and for reasons why a session is not decided.
    pub fault: Option<Box<FaultDetail>>,
    /// Where the logs begin and end, if the finding is that they were observed in part: the only text on its place.
    pub ends: Option<String>,
    /// The key that is the same in every run: of code, location and event and the other event of a fault, or of the
    /// code and the events that are blocked.
    pub kind: Fingerprint,
    /// The key of the kind, of the last right event before the finding, and of the other findings of the session;
    /// without an exact repair, of the kind and the whole session; of logs observed in part, of their ends.
    pub place: Fingerprint,
}

/// A budget that was spent, and how far the search got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetCut {
    /// The budget.
    pub limit: BudgetLimit,
    /// How many events of each location were read, on the way that reads the most.
    pub reached: Vec<ReachedRow>,
}

impl BudgetCut {
    /// The budget to try next.
    pub fn remedy(&self) -> String {
        match self.limit.next_try() {
            BudgetLimit::States(states) => Remedy::BudgetStates.to(states),
            BudgetLimit::Bytes(bytes) => Remedy::BudgetMemory.to(bytes),
            BudgetLimit::Time(time) => match time.as_micros() {
                us if us % 1_000 == 0 => Remedy::BudgetTime.to(format_args!("{}ms", us / 1_000)),
                us => Remedy::BudgetTime.to(format_args!("{us}us")),
            },
        }
    }

    /// The same with the first locations only, as many as a view shows.
    fn shortened(&self, view: &View) -> BudgetCut {
        let first = self.reached.iter().take(view.locations);
        let reached =
            first.map(|it| ReachedRow { location: view.name(&it.location), ..it.clone() });
        BudgetCut { limit: self.limit, reached: reached.collect() }
    }

    /// How many events were read, and the budget to try next, in one line.
    fn text(&self) -> String {
        let read: usize = self.reached.iter().map(|it| it.read).sum();
        let length: usize = self.reached.iter().map(|it| it.length).sum();
        format!("the search read {read} of {length} events together; try {}", self.remedy())
    }
}

/// A location where something is wrong, and the event; no event at the end of its log.
pub(crate) type Blocked<'a> = (&'a str, Option<&'a str>);

impl Finding {
    /// The findings of a verdict on a session, the main one first: none for a pass.
    pub fn of(verdict: &Verdict, names: &SessionNames<'_>) -> Vec<Finding> {
        match verdict {
            Verdict::Pass => Vec::new(),
            Verdict::WeakPass => vec![Finding::unkeyed(Code::OnlyAPart).of_ends(names)],
            Verdict::Inconclusive(reason) => vec![Finding::of_reason(reason, names)],
            Verdict::Fail(failure) => {
                failure.causes.iter().map(|cause| Finding::of_cause(cause, names)).collect()
            }
        }
    }

    /// The finding that the event log of an accepted session was cut off.
    pub fn of_cut_off(names: &SessionNames<'_>) -> Finding {
        Finding::unkeyed(Code::AcceptedCutOff).of_ends(names)
    }

    /// The finding of one cause of a failure.
    pub fn of_cause(cause: &Cause, names: &SessionNames<'_>) -> Finding {
        let finding = Finding::unkeyed(Code::of_cause(cause, names.alphabet));
        match cause {
            Cause::Local(failure) => finding.at(failure, names),
            Cause::Inter(frontier) | Cause::Central(frontier) => {
                let is_blocked = |(_, entry): &(usize, &FrontierEntry)| entry.event.is_some();
                let first = frontier.locations.iter().enumerate().find(is_blocked);
                let event_at = first.map(|(at, entry)| (LocationId::new(at), entry.index));
                let of_law = frontier.imbalance.as_ref().filter(|_| frontier.locations.is_empty());
                let letters = of_law.map_or(&[][..], |it| &it.law.letters);
                let fingerprint = Finding::key_of_law(finding.code, letters, names.alphabet);
                let frontier = Some(Box::new(FrontierView::new(frontier, names)));
                let finding = Finding { frontier, event_at, ..finding }.with_key();
                let kind = fingerprint.unwrap_or(finding.kind);
                Finding { kind, place: kind, ..finding }
            }
        }
    }

    /// The key of a finding that no event shows: that of the events whose numbers are wrong.
    fn key_of_law(
        code: Code,
        letters: &[(LetterId, i64)],
        alphabet: &Alphabet,
    ) -> Option<Fingerprint> {
        let event = |&(letter, _): &(LetterId, i64)| {
            let location = alphabet.location_name(alphabet.location_of(letter));
            (location, Some(alphabet.letter_name(letter)))
        };
        let events: Vec<Blocked<'_>> = letters.iter().map(event).collect();
        (!events.is_empty()).then(|| Fingerprint::new(code, &events))
    }

    /// Where further findings are not known, a baseline knows the very same session only.
    fn of_reason(reason: &InconclusiveReason, names: &SessionNames<'_>) -> Finding {
        let alphabet = names.alphabet;
        let finding = Finding::unkeyed(Code::of_reason(reason));
        let finding = match reason {
            InconclusiveReason::Partial(absent) => {
                let expected = names.letters(&only_for(absent, names));
                Finding { absent: location_names(absent, alphabet), expected, ..finding }
            }
            InconclusiveReason::Budget { limit, reached } => {
                let reached = reached.iter().map(|it| ReachedRow::new(it, alphabet));
                let cut = BudgetCut { limit: *limit, reached: reached.collect() };
                Finding { cut: Some(Box::new(cut)), ..finding }
            }
            _ => finding,
        };
        match reason {
            InconclusiveReason::Partial(_) => finding.with_key(),
            InconclusiveReason::CutOff => finding.of_ends(names),
            _ => finding.with_key().of_session(names),
        }
    }

    /// A finding without location, event and fault, which its key depends on.
    pub(crate) fn unkeyed(code: Code) -> Finding {
        Finding {
            code,
            location: None,
            index: None,
            event: None,
            expected: Vec::new(),
            frontier: None,
            absent: Vec::new(),
            cut: None,
            event_at: None,
            touched: Vec::new(),
            fault: None,
            ends: None,
            kind: Fingerprint::UNKNOWN,
            place: Fingerprint::UNKNOWN,
        }
    }

    fn at(self, failure: &LocalFailure, names: &SessionNames<'_>) -> Finding {
        let &LocalFailure { location, index, event, ref expected } = failure;
        let event_at = match event {
            Some(_) => index,
            None => index.saturating_sub(1),
        };
        Finding {
            location: Some(names.location(location).to_owned()),
            index: Some(index),
            event: names.event(location, index).map(str::to_owned),
            expected: names.letters(expected),
            event_at: Some((location, event_at)),
            ..self
        }
        .with_key()
    }

    fn with_key(self) -> Finding {
        let kind = self.key_of(self.code);
        Finding { kind, place: kind, ..self }
    }

    /// The key of its kind, if it had this code.
    pub(crate) fn key_of(&self, code: Code) -> Fingerprint {
        let mut blocked = self.blocked();
        blocked.extend(self.fault.as_ref().map(|it| ("other", it.other.as_deref())));
        Fingerprint::new(code, &blocked)
    }

    /// The same, which a baseline knows for the very same session only.
    pub(crate) fn of_session(self, names: &SessionNames<'_>) -> Finding {
        Finding { place: self.kind.in_session(names), ..self }
    }

    /// The same, which a baseline knows for sessions whose logs have the same first and last events.
    fn of_ends(self, names: &SessionNames<'_>) -> Finding {
        let ends = |location| {
            let event = |index: Option<usize>| names.event(location, index?);
            let last = event(names.length(location).checked_sub(1));
            (names.location(location), event(Some(0)).zip(last))
        };
        let mut logs: Vec<_> = names.locations().map(ends).collect();
        logs.sort_unstable();
        let text = |&(location, ends): &(&str, Option<(&str, &str)>)| match ends {
            None => format!("nothing at {location}"),
            Some((first, last)) => format!("{location} from {first} to {last}"),
        };
        let keyed = logs.iter().flat_map(|&(location, ends)| {
            [(location, ends.map(|it| it.0)), ("last", ends.map(|it| it.1))]
        });
        let finding = self.with_key();
        let place = Fingerprint::new(finding.code, &keyed.collect::<Vec<Blocked<'_>>>());
        let ends = Some(logs.iter().map(text).collect::<Vec<String>>().join(", "));
        Finding { ends, place, ..finding }
    }

    /// The locations where it is wrong, with the event at each.
    pub(crate) fn blocked(&self) -> Vec<Blocked<'_>> {
        if let Some(location) = &self.location {
            return vec![(location, self.event.as_deref())];
        }
        let absent = self.absent.iter().map(|location| (location.as_str(), None));
        let entries = self.frontier.iter().flat_map(|it| it.blocked());
        let blocked = entries.map(|entry| (entry.location.as_str(), entry.event.as_deref()));
        blocked.chain(absent).collect()
    }

    /// The events that cannot be where they are: none where a log ends too early.
    pub(crate) fn wrong_events(&self) -> Vec<&str> {
        self.blocked().into_iter().filter_map(|(_, event)| event).collect()
    }

    /// The fault or evidence in one line that names location and event.
    pub fn title(&self) -> String {
        if let Some(fault) = &self.fault {
            return fault.told();
        }
        let title = match self.code {
            Code::NoCommonPath => format!("the logs follow different branches: {}", self.stuck()),
            Code::NoInterleaving => {
                format!("no order of events explains all logs together: {}", self.stuck())
            }
            Code::Partial => format!("nothing was logged at {}; the other logs fit", self.silent()),
            _ => match &self.location {
                Some(location) => self.title_at(location),
                None => self.code.title().to_owned(),
            },
        };
        visible(&title).into_owned()
    }

    fn title_at(&self, location: &str) -> String {
        match (self.code, &self.event) {
            (Code::ImpossibleEvent, Some(event)) => format!("{event} is impossible at {location}"),
            (Code::UnknownEvent, Some(event)) => {
                format!("{event} at {location} is not in the specification")
            }
            (Code::UnknownLocation, Some(event)) => {
                format!("{event} at {location}: the location is not in the specification")
            }
            (Code::UnknownLocation, None) => {
                format!("location {location} is not in the specification")
            }
            (Code::EndedTooEarly, _) => format!("the log of {location} ends too early"),
            _ => self.code.title().to_owned(),
        }
    }

    /// Where the furthest interleaving is stuck.
    fn stuck(&self) -> String {
        if let (true, Some(balance)) = (self.blocked().is_empty(), self.balance()) {
            return balance.to_owned();
        }
        self.first_blocked(|(location, event)| match event {
            Some(event) => format!("{location} stuck before {event}"),
            None => format!("{location} ended"),
        })
    }

    /// The locations without a log.
    fn silent(&self) -> String {
        self.first_blocked(|(location, _)| location.to_owned())
    }

    /// A text for each of the locations to blame; of many, for the first ones.
    fn first_blocked(&self, text: impl Fn(Blocked<'_>) -> String) -> String {
        // A title is one line.
        const NAMED: usize = 3;
        let blocked = self.blocked();
        let mut places: Vec<String> = blocked.iter().take(NAMED).map(|&it| text(it)).collect();
        let more = blocked.len() - places.len();
        if more > 0 {
            places.push(format!("{more} more"));
        }
        places.join(", ")
    }

    /// The expected events in one line, of many the first ones; how far the search got if it
    /// was cut; empty if nothing is known.
    pub fn expectation(&self) -> String {
        if let Some(cut) = &self.cut {
            return cut.text();
        }
        if let Some(frontier) = &self.frontier {
            let all = frontier.locations.iter().flat_map(|entry| &entry.expected);
            let names: Vec<String> = all.cloned().collect();
            let all = View::EXCERPT.list(&names);
            return match names.is_empty() {
                true => String::new(),
                false => format!("the specification {}", all.text(false).replacen("it ", "", 1)),
            };
        }
        match &self.location {
            None if self.code == Code::Partial => self.lost(),
            None => String::new(),
            // An empty list needs no text, and the sentence of a fault says it.
            Some(_) if self.code == Code::UnknownLocation || self.fault.is_some() => String::new(),
            Some(_) => View::EXCERPT.list(&self.expected).text(self.event.is_some()),
        }
    }

    /// A sentence that names the locations that logged nothing though they were sent messages that nobody else receives,
    /// and these messages. `None` if there is no such location. `silent` are the locations that must have acted, if
    /// they are known.
    pub fn silence(names: &SessionNames<'_>, silent: Option<Vec<LocationId>>) -> Option<String> {
        let is_empty = |it: &LocationId| names.session.trace[it.index()].is_empty();
        let silent =
            silent.unwrap_or_else(|| names.alphabet.locations().filter(is_empty).collect());
        let letters = only_for(&silent, names);
        let mut absent: Vec<LocationId> =
            letters.iter().map(|&it| names.alphabet.location_of(it)).collect();
        absent.sort_unstable();
        absent.dedup();
        let absent = location_names(&absent, names.alphabet);
        let expected = names.letters(&letters);
        let silent = Finding { absent, expected, ..Finding::unkeyed(Code::Partial) };
        let is_any = !silent.absent.is_empty();
        is_any.then(|| format!("nothing was logged at {}; {}", silent.silent(), silent.lost()))
    }

    /// The messages that are lost if nothing arrived at the locations without a log, as a sentence.
    fn lost(&self) -> String {
        let events = self.expected.iter().filter_map(|event| split_action(event));
        let messages: BTreeSet<&str> = events.map(|(_, _, message)| message).collect();
        let messages: Vec<&str> = messages.into_iter().collect();
        match messages.is_empty() {
            true => String::new(),
            false => format!("if nothing arrived there, these are lost: {}", in_a_row(&messages)),
        }
    }

    /// Events that would each have to come before the next, and the last before the first: as a
    /// sentence, if there are any.
    pub fn cycle(&self) -> Option<String> {
        self.frontier.as_ref()?.cycle_text()
    }

    /// Numbers of events that no accepted session has, as a sentence, if they refuse the session and the search for
    /// an order was cut.
    pub fn balance(&self) -> Option<&str> {
        self.frontier.as_ref()?.balance.as_deref()
    }

    /// The finding with its texts cut as a view shows them; its fingerprint stays.
    #[must_use]
    pub(crate) fn shortened(&self, view: &View) -> Finding {
        let name = |text: &String| view.name(text);
        Finding {
            location: self.location.as_ref().map(name),
            event: self.event.as_ref().map(name),
            expected: view.names(&self.expected),
            frontier: self.frontier.as_ref().map(|frontier| Box::new(frontier.shortened(view))),
            absent: self.absent.iter().map(name).collect(),
            cut: self.cut.as_ref().map(|cut| Box::new(cut.shortened(view))),
            event_at: None,
            touched: Vec::new(),
            fault: self.fault.as_ref().map(|fault| Box::new(fault.shortened(view))),
            ends: None,
            ..self.clone()
        }
    }

    /// The fault and how much depends on it, in one line.
    pub fn line(&self) -> String {
        self.fault.as_deref().map_or_else(|| self.title(), FaultDetail::line)
    }

    /// The same of several sessions with the finding.
    pub(crate) fn line_of_several(&self) -> String {
        self.fault.as_deref().map_or_else(|| self.title(), FaultDetail::line_of_several)
    }

    /// The title without details that differ between findings of the same kind.
    pub(crate) fn title_of_kind(&self) -> String {
        match self.fault.as_deref() {
            Some(fault) => fault.keyed.as_ref().unwrap_or(&fault.sentence).clone(),
            None => self.title(),
        }
    }

    /// The same with the last event before it that is right, for lists of places.
    pub(crate) fn title_with_place(&self) -> String {
        let title = self.title_of_kind();
        match self.fault.as_deref() {
            None => match &self.ends {
                None => title,
                Some(ends) => format!("{title}; {}", visible(ends)),
            },
            Some(FaultDetail { after, with, stops, .. }) => {
                let after = after.as_ref().map(|it| format!(", after {}", visible(it)));
                let after = after.unwrap_or_else(|| ", at the beginning of its log".to_owned());
                let with = match with.is_empty() {
                    true => String::new(),
                    false => format!(", with {}", visible(&View::EXCERPT.names(with).join(", "))),
                };
                // The title of a stop says already where it is.
                let is_other =
                    |it: &&String| !self.is_stop() || Some(*it) != self.location.as_ref();
                let stops: Vec<String> = stops.iter().filter(is_other).cloned().collect();
                let stops = match stops.is_empty() {
                    true => String::new(),
                    false => {
                        format!(
                            "; also stopped: {}",
                            visible(&View::EXCERPT.names(&stops).join(", "))
                        )
                    }
                };
                format!("{title}{after}{with}{stops}")
            }
        }
    }

    /// Whether it says only that a location logged nothing more.
    pub fn is_stop(&self) -> bool {
        matches!(self.code, Code::Stopped | Code::EndedTooEarly)
    }
}

/// The findings that lists show, with their indices: the first [`Failure::MOST_PER_LOCATION`] of each
/// location, in order.
pub fn listed(findings: &[Finding]) -> impl Iterator<Item = (usize, &Finding)> {
    let are_few = findings.len() <= Failure::MOST_PER_LOCATION;
    let mut counts: HashMap<&str, usize> = HashMap::new();
    findings.iter().enumerate().filter(move |(_, finding)| {
        let counted = finding.location.as_deref().filter(|_| !are_few);
        let Some(location) = counted else { return true };
        let count = counts.entry(location).or_default();
        *count += 1;
        *count <= Failure::MOST_PER_LOCATION
    })
}

/// The receptions at locations that logged nothing of messages that the session sent, and that nobody else can have
/// received.
fn only_for(absent: &[LocationId], names: &SessionNames<'_>) -> Vec<LetterId> {
    let alphabet = names.alphabet;
    let of = |letter| split_action(alphabet.letter_name(letter)).map(|(_, kind, it)| (kind, it));
    let letters = names.session.trace.iter().flatten().filter(|&&it| it != LetterId::UNKNOWN);
    let sent: BTreeSet<&str> = letters
        .filter_map(|&letter| of(letter))
        .filter_map(|(kind, message)| (kind == ActionKind::Emission).then_some(message))
        .collect();
    let receptions = alphabet.letters().filter_map(|letter| match of(letter)? {
        (ActionKind::Reception, message) if sent.contains(message) => Some((letter, message)),
        _ => None,
    });
    let mut by_message: BTreeMap<&str, Vec<LetterId>> = BTreeMap::new();
    receptions.for_each(|(letter, message)| by_message.entry(message).or_default().push(letter));
    let is_absent = |letter: &LetterId| absent.contains(&alphabet.location_of(*letter));
    by_message.into_values().filter(|all| all.iter().all(is_absent)).flatten().collect()
}

/// A few texts in a row.
pub(crate) fn in_a_row(texts: &[&str]) -> String {
    const NAMED: usize = 3;
    let mut named: Vec<String> = texts.iter().take(NAMED).map(|text| (*text).to_owned()).collect();
    if texts.len() > NAMED {
        named.push(format!("{} more", texts.len() - NAMED));
    }
    named.join(", ")
}

/// One line for people: the code, its meaning, the location and the event.
impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.fault.is_some() {
            return write!(f, "{} {}", self.code.name(), self.line());
        }
        let title = Words::default().text(self.code.title());
        write!(f, "{} {title}", self.code.name())?;
        if let Some(location) = &self.location {
            write!(f, ": {location}")?;
        }
        if let (Some(index), Some(event)) = (self.index, &self.event) {
            // People count from 1.
            write!(f, ", event {}, {event}", index + 1)?;
        }
        match self.expected.is_empty() || self.location.is_none() {
            true => Ok(()),
            false => write!(f, "; possible there: {}", self.expected.join(", ")),
        }
    }
}

/// The finding of an event at a location that the specification does not have.
#[cfg(test)]
pub(crate) fn unknown_event(location: &str, event: &str) -> Finding {
    use multitrace_interaction::{ForeignTrace, LetterId, Session};
    let foreign = ForeignTrace { location: location.to_owned(), events: vec![event.to_owned()] };
    let session = Session { foreign: vec![foreign], ..Session::default() };
    let failure = LocalFailure {
        location: session.foreign_location(0),
        index: 0,
        event: Some(LetterId::UNKNOWN),
        expected: Vec::new(),
    };
    let names = SessionNames { session: &session, alphabet: &Alphabet::default() };
    Finding::of_cause(&Cause::Local(failure), &names)
}
