//! The logs of a session beside those of the accepted session that is nearest to it.

use crate::monitor::Monitor;
use crate::occurrences::RankedSteps;
use multitrace_formats::source::Span;
use multitrace_interaction::{ActionKind, Edit, EditKind, Id, LetterId, Repair, Session, names};
use std::collections::BTreeMap;

/// An event of one of the two, or of both.
#[derive(Clone, Debug)]
pub(super) struct AlignedEvent {
    pub(super) lifeline: String,
    pub(super) kind: ActionKind,
    pub(super) message: String,
    /// If the accepted session has it: its rank there, and its place in the text.
    pub(super) step: Option<(usize, Span)>,
    /// Whether the session has it.
    pub(super) is_logged: bool,
    /// Whether the other end of its message is missing, so that it is another message than the one in the text.
    pub(super) is_half: bool,
}

impl AlignedEvent {
    /// Whether the text has no place for it.
    pub(super) fn is_extra(&self) -> bool {
        self.step.is_none() || self.is_half
    }
}

/// By log.
pub(super) type AlignedLogs = Vec<Vec<AlignedEvent>>;

/// The logs of a session beside those that its repair makes.
pub(super) fn aligned(
    monitor: &Monitor,
    session: &Session,
    repair: &Repair,
    steps: &RankedSteps,
) -> Option<AlignedLogs> {
    let spans = &monitor.bundle().text.spans;
    let mut logs = Vec::new();
    for (location, log) in session.trace.iter().enumerate() {
        let mut steps = steps.get(location)?.iter();
        let mut step = || {
            let (rank, node) = steps.next()?;
            Some((*rank, *spans.get(node.index())?))
        };
        let edits = repair.edits.iter().filter(|it| it.location.index() == location);
        let mut edits = edits.peekable();
        let mut aligned = Vec::new();
        for index in 0..=log.len() {
            let is = |kind| move |it: &&Edit| it.index == index && it.kind == kind;
            while let Some(edit) = edits.next_if(is(EditKind::Insert)) {
                let event =
                    event(monitor, monitor.alphabet().letter_name(edit.letter), Some(step()?))?;
                aligned.push(AlignedEvent { is_logged: false, ..event });
            }
            if index < log.len() {
                let is_deleted = edits.next_if(is(EditKind::Delete)).is_some();
                let step = if is_deleted { None } else { Some(step()?) };
                aligned.push(event(monitor, text(monitor, session, location, index)?, step)?);
            }
        }
        logs.push(aligned);
    }
    logs.extend(foreign(monitor, session)?);
    mark_halves(&mut logs);
    Some(logs)
}

/// The logs of a session beside nothing.
pub(super) fn alone(monitor: &Monitor, session: &Session) -> Option<AlignedLogs> {
    let log = |(location, log): (usize, &Vec<LetterId>)| {
        let events = 0..log.len();
        events.map(|at| event(monitor, text(monitor, session, location, at)?, None)).collect()
    };
    let logs: Option<AlignedLogs> = session.trace.iter().enumerate().map(log).collect();
    let mut logs = logs?;
    logs.extend(foreign(monitor, session)?);
    Some(logs)
}

fn foreign(monitor: &Monitor, session: &Session) -> Option<AlignedLogs> {
    let log = |events: &Vec<String>| events.iter().map(|it| event(monitor, it, None)).collect();
    session.foreign.iter().map(|it| log(&it.events)).collect()
}

fn text<'a>(
    monitor: &'a Monitor,
    session: &'a Session,
    location: usize,
    index: usize,
) -> Option<&'a str> {
    match session.trace[location][index] {
        LetterId::UNKNOWN => session.unknown_text(location, index),
        letter => Some(monitor.alphabet().letter_name(letter)),
    }
}

/// An event, at the lifeline that its text calls by name or by label.
fn event(monitor: &Monitor, text: &str, step: Option<(usize, Span)>) -> Option<AlignedEvent> {
    let (lifeline, kind, message) = names::split_action(text)?;
    let known = monitor.alphabet().lifeline_called(&lifeline).map(str::to_owned);
    let (lifeline, message) = (known.unwrap_or(lifeline.into_owned()), message.to_owned());
    Some(AlignedEvent { lifeline, kind, message, step, is_logged: true, is_half: false })
}

/// The events of one time that a message of the text is passed.
type Passing = (Span, usize);

/// Marks the one end that the session has of a message whose other end it lacks.
fn mark_halves(logs: &mut AlignedLogs) {
    let mut numbers: BTreeMap<(Span, &str, ActionKind, &str), usize> = BTreeMap::new();
    let mut passings: BTreeMap<Passing, Vec<(usize, usize)>> = BTreeMap::new();
    for (log, events) in logs.iter().enumerate() {
        for (at, event) in events.iter().enumerate() {
            let Some((_, span)) = event.step else { continue };
            let key = (span, event.lifeline.as_str(), event.kind, event.message.as_str());
            let number = numbers.entry(key).or_default();
            passings.entry((span, *number)).or_default().push((log, at));
            *number += 1;
        }
    }
    for events in passings.values() {
        let is_missing = |&(log, at): &(usize, usize)| !logs[log][at].is_logged;
        if events.iter().any(is_missing) {
            let halves: Vec<_> = events.iter().filter(|it| !is_missing(it)).copied().collect();
            halves.into_iter().for_each(|(log, at)| logs[log][at].is_half = true);
        }
    }
}
