//! The report for people: counts, then what failed grouped by cause, with one session of each
//! group explained.

use multitrace_formats::report::Summary;
use multitrace_interaction::{
    Cause, Frontier, FrontierEntry, Id, InconclusiveReason, LetterId, LocalFailure, LocationId,
    Session, Verdict,
};
use multitrace_runtime::{CheckConfig, Monitor};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Sessions named per group.
const NAMED_SESSIONS: usize = 5;
/// Groups kept; sessions of later ones are counted together.
const MAX_GROUPS: usize = 50;
/// Events shown before and after the one that is wrong.
const CONTEXT: usize = 5;

/// What has been found so far. Bounded, however many sessions fail.
#[derive(Debug, Default)]
pub(crate) struct HumanReport {
    groups: BTreeMap<Key, Group>,
    ungrouped: u64,
}

/// Failures of one kind, in the order in which kinds are reported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Local(String),
    Inter,
    Central,
    Simulation,
    LackOfObservation,
    Removal,
    Budget,
}

#[derive(Debug, Default)]
struct Group {
    count: u64,
    sessions: Vec<String>,
    example: String,
}

impl HumanReport {
    /// Notes one session; does nothing for passes.
    pub(crate) fn add(&mut self, session: &Session, verdict: &Verdict, monitor: &Monitor) {
        let key = match verdict {
            Verdict::Pass | Verdict::WeakPass => return,
            Verdict::Fail(Cause::Local(failure)) => Key::Local(failure.location.clone()),
            Verdict::Fail(Cause::Inter(_)) => Key::Inter,
            Verdict::Fail(Cause::Central(_)) => Key::Central,
            Verdict::Inconclusive(InconclusiveReason::Simulation(_)) => Key::Simulation,
            Verdict::Inconclusive(
                InconclusiveReason::StateBudget(_)
                | InconclusiveReason::MemoryBudget(_)
                | InconclusiveReason::TimeBudget(_),
            ) => Key::Budget,
            Verdict::Inconclusive(InconclusiveReason::Removal) => Key::Removal,
            Verdict::Inconclusive(InconclusiveReason::LackOfObservation) => Key::LackOfObservation,
        };
        if self.groups.len() >= MAX_GROUPS && !self.groups.contains_key(&key) {
            self.ungrouped += 1;
            return;
        }
        let group = self.groups.entry(key).or_default();
        group.count += 1;
        if group.count == 1 {
            group.example = explain(session, verdict, monitor);
        }
        if group.sessions.len() < NAMED_SESSIONS {
            group.sessions.push(session.id.clone());
        }
    }

    /// The whole report.
    pub(crate) fn render(
        &self,
        summary: &Summary,
        monitor: &Monitor,
        config: &CheckConfig,
    ) -> String {
        let mut text = String::new();
        // Writing into a String cannot fail.
        let _ = writeln!(
            text,
            "{} against {} ({} observation) in {:.3} s",
            counted(summary.sessions, "session"),
            monitor.bundle().provenance.spec_name,
            config.observation.name(),
            summary.seconds,
        );
        let _ = writeln!(text, "  {:<13}{:>9}", "events", summary.events);
        for (name, count) in [
            ("pass", summary.pass),
            ("weak_pass", summary.weak_pass),
            ("fail", summary.fail),
            ("inconclusive", summary.inconclusive),
            ("errors", summary.errors),
        ] {
            if count > 0 || matches!(name, "pass" | "fail") {
                let _ = writeln!(text, "  {name:<13}{count:>9}");
            }
        }
        for (key, group) in &self.groups {
            let title = title(key);
            let _ = writeln!(text, "\n{title}: {}", counted(group.count, "session"));
            let _ = writeln!(text, "  {}", sessions(group));
            text.push_str(&group.example);
        }
        if self.ungrouped > 0 {
            let _ = writeln!(text, "\nother failures: {}", counted(self.ungrouped, "session"));
        }
        text
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn title(key: &Key) -> String {
    match key {
        Key::Local(location) => format!("fail, local: the log of {location} alone is impossible"),
        Key::Inter => {
            "fail, inter: each log is possible, but they do not follow one common path".to_owned()
        }
        Key::Central => {
            "fail, central: each log is possible, but no interleaving of them is accepted"
                .to_owned()
        }
        Key::Simulation => "inconclusive: unobserved actions may go on without end; none were \
             found that explain the logs, and lifeline removal does not rule them out"
            .to_owned(),
        Key::LackOfObservation => "inconclusive: some log ends where more of it might explain \
             the others"
            .to_owned(),
        Key::Removal => "inconclusive: lifeline removal does not rule the logs out, which is no \
                         proof of the contrary"
            .to_owned(),
        Key::Budget => "inconclusive: the search was cut by --budget-states, --budget-memory or \
                        --budget-time"
            .to_owned(),
    }
}

fn sessions(group: &Group) -> String {
    let named = group.sessions.join(", ");
    match group.count - group.sessions.len() as u64 {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// One session of a group, with the place where it goes wrong.
fn explain(session: &Session, verdict: &Verdict, monitor: &Monitor) -> String {
    match verdict {
        Verdict::Fail(Cause::Local(failure)) => explain_local(session, failure, monitor),
        Verdict::Fail(Cause::Inter(frontier) | Cause::Central(frontier)) => {
            explain_frontier(session, frontier)
        }
        Verdict::Pass | Verdict::WeakPass | Verdict::Inconclusive(_) => String::new(),
    }
}

fn explain_local(session: &Session, failure: &LocalFailure, monitor: &Monitor) -> String {
    let what = match &failure.event {
        None => format!("the log ends after {}", counted(failure.index as u64, "event")),
        Some(event) if !failure.known => {
            format!("event {} is {event}, which the specification does not know", failure.index)
        }
        Some(event) => format!("event {} is {event}, which is impossible there", failure.index),
    };
    let expected = expected(&failure.expected, failure.event.is_none());
    let mut text = format!("  in {}: {what}; {expected}\n", session.id);
    if let Some(location) = monitor.alphabet().location(&failure.location) {
        let _ = writeln!(
            text,
            "    {}: {}",
            failure.location,
            excerpt(session, location, failure.index, monitor)
        );
    }
    text
}

fn expected(events: &[String], ended: bool) -> String {
    let place = if ended { "it could go on with" } else { "possible there:" };
    match events {
        [] => "nothing is possible there".to_owned(),
        _ => format!("{place} {}", events.join(", ")),
    }
}

/// The events around an index, that one in angle brackets.
fn excerpt(session: &Session, location: LocationId, index: usize, monitor: &Monitor) -> String {
    let local = &session.trace[location.index()];
    let start = index.saturating_sub(CONTEXT);
    let end = (index + CONTEXT + 1).min(local.len());
    let event = |at: usize| {
        let unknown = || session.unknown_text(location.index(), at).unwrap_or("?");
        let letter = local[at];
        let known = letter != LetterId::UNKNOWN;
        let text = if known { monitor.alphabet().letter_name(letter) } else { unknown() };
        if at == index { format!(">{text}<") } else { text.to_owned() }
    };
    let mut events: Vec<String> = (start..end).map(event).collect();
    if start > 0 {
        events.insert(0, "…".to_owned());
    }
    events.push(
        if index >= local.len() {
            ">end<"
        } else if end < local.len() {
            "…"
        } else {
            ""
        }
        .to_owned(),
    );
    events.join(" ").trim_end().to_owned()
}

fn explain_frontier(session: &Session, frontier: &Frontier) -> String {
    let sum = |count: fn(&FrontierEntry) -> usize| -> usize {
        frontier.locations.iter().map(count).sum()
    };
    let (explained, length) = (sum(|entry| entry.explained), sum(|entry| entry.length));
    let best = if frontier.complete { "at best" } else { "so far (the search was cut)" };
    let mut text =
        format!("  in {}: {explained} of {length} events can be explained {best}\n", session.id);
    let width = frontier.locations.iter().map(|entry| entry.location.len()).max().unwrap_or(0);
    for entry in &frontier.locations {
        let place = match &entry.event {
            Some(event) => format!("stuck before {event}"),
            None => "all read".to_owned(),
        };
        let next = match &*entry.expected {
            [] => String::new(),
            events => format!("; the specification could go on with {}", events.join(", ")),
        };
        let _ = writeln!(
            text,
            "    {:<width$}  {}/{}  {place}{next}",
            entry.location, entry.explained, entry.length
        );
    }
    text
}
