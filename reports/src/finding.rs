//! What is wrong with one session.

use crate::codes::Code;
use crate::fingerprint::Fingerprint;
use crate::view::View;
use multitrace_formats::remedy::{Remedy, Words};
use multitrace_formats::shorten::visible;
use multitrace_interaction::{
    Alphabet, BudgetLimit, Cause, CycleEvent, Failure, Frontier, FrontierEntry, InconclusiveReason,
    LocalFailure, Reached, Verdict,
};
use std::collections::HashMap;

/// One thing that is wrong with a session, or the reason why it is not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What kind of finding it is.
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
    pub frontier: Option<Frontier>,
    /// The locations that logged nothing, if that is the reason.
    pub absent: Vec<String>,
    /// The budget that was spent, and how far the search got, if that is the reason.
    pub cut: Option<BudgetCut>,
    /// The key that is the same in every run: of code, location and event, or of the code and the
    /// events that are blocked.
    pub fingerprint: Fingerprint,
}

/// A budget that was spent, and how far the search got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetCut {
    /// The budget.
    pub limit: BudgetLimit,
    /// How many events of each location were read, on the way that reads the most.
    pub reached: Vec<Reached>,
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
        let reached = first.map(|it| Reached { location: view.name(&it.location), ..it.clone() });
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
    /// The findings of a verdict, the main one first: none for a pass.
    pub fn of(verdict: &Verdict, alphabet: &Alphabet) -> Vec<Finding> {
        match verdict {
            Verdict::Pass => Vec::new(),
            Verdict::WeakPass => vec![Finding::new(Code::OnlyAPart)],
            Verdict::Inconclusive(reason) => vec![Finding::of_reason(reason)],
            Verdict::Fail(failure) => {
                failure.causes.iter().map(|cause| Finding::of_cause(cause, alphabet)).collect()
            }
        }
    }

    /// The finding that the event log of an accepted session was cut off.
    pub fn of_cut_off() -> Finding {
        Finding::new(Code::AcceptedCutOff)
    }

    /// The finding of one cause of a failure.
    pub fn of_cause(cause: &Cause, alphabet: &Alphabet) -> Finding {
        let finding = Finding::unkeyed(Code::of_cause(cause, alphabet));
        match cause {
            Cause::Local(failure) => finding.at(failure),
            Cause::Inter(frontier) | Cause::Central(frontier) => {
                Finding { frontier: Some(frontier.clone()), ..finding }.with_fingerprint()
            }
        }
    }

    fn of_reason(reason: &InconclusiveReason) -> Finding {
        let finding = Finding::unkeyed(Code::of_reason(reason));
        let finding = match reason {
            InconclusiveReason::Partial(absent) => Finding { absent: absent.clone(), ..finding },
            InconclusiveReason::Budget { limit, reached } => {
                let cut = BudgetCut { limit: *limit, reached: reached.clone() };
                Finding { cut: Some(cut), ..finding }
            }
            _ => finding,
        };
        finding.with_fingerprint()
    }

    /// A finding about the whole session, without a location.
    fn new(code: Code) -> Finding {
        Finding::unkeyed(code).with_fingerprint()
    }

    /// The same before it is told what it is about, which its key depends on.
    fn unkeyed(code: Code) -> Finding {
        Finding {
            code,
            location: None,
            index: None,
            event: None,
            expected: Vec::new(),
            frontier: None,
            absent: Vec::new(),
            cut: None,
            fingerprint: Fingerprint::UNKNOWN,
        }
    }

    fn at(self, failure: &LocalFailure) -> Finding {
        let LocalFailure { location, index, event, expected, .. } = failure.clone();
        let (location, index) = (Some(location), Some(index));
        Finding { location, index, event, expected, ..self }.with_fingerprint()
    }

    fn with_fingerprint(mut self) -> Finding {
        self.fingerprint = Fingerprint::new(self.code, &self.blocked());
        self
    }

    /// The locations where it is wrong, with the event at each.
    pub(crate) fn blocked(&self) -> Vec<Blocked<'_>> {
        if let Some(location) = &self.location {
            return vec![(location, self.event.as_deref())];
        }
        let absent = self.absent.iter().map(|location| (location.as_str(), None));
        let entries = self.frontier.iter().flat_map(blocked_entries);
        let blocked = entries.map(|entry| (entry.location.as_str(), entry.event.as_deref()));
        blocked.chain(absent).collect()
    }

    /// The events that cannot be where they are: none where a log ends too early.
    pub(crate) fn wrong_events(&self) -> Vec<&str> {
        self.blocked().into_iter().filter_map(|(_, event)| event).collect()
    }

    /// What is wrong, in one line that names location and event.
    pub fn title(&self) -> String {
        let title = match self.code {
            Code::NoCommonPath => format!("no common path: {}", self.stuck()),
            Code::NoInterleaving => format!("no interleaving: {}", self.stuck()),
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

    /// What was expected, in one line, of many events the first ones; how far the search got if it
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
            None => String::new(),
            // An empty list needs no text.
            Some(_) if self.code == Code::UnknownLocation => String::new(),
            Some(_) => View::EXCERPT.list(&self.expected).text(self.event.is_some()),
        }
    }

    /// Events that would each have to come before the next, and the last before the first: as a
    /// sentence, if there are any.
    pub fn cycle(&self) -> Option<String> {
        let cycle = &self.frontier.as_ref()?.cycle;
        // People count from 1.
        let name =
            |it: &CycleEvent| format!("{} ({}, event {})", it.event, it.location, it.index + 1);
        let names: Vec<String> = cycle.iter().map(name).collect();
        let all = names.join("; ");
        let text = "no order is left, since each of these would have to come before the next and the last \
                    before the first";
        (!names.is_empty()).then(|| format!("{text}: {all}"))
    }

    /// The finding with its texts cut as a view shows them; its fingerprint stays.
    #[must_use]
    pub(crate) fn shortened(&self, view: &View) -> Finding {
        let name = |text: &String| view.name(text);
        let names = |texts: &[String]| texts.iter().take(view.expected).map(name).collect();
        let entry = |entry: &FrontierEntry| FrontierEntry {
            location: view.name(&entry.location),
            event: entry.event.as_ref().map(name),
            expected: names(&entry.expected),
            ..entry.clone()
        };
        let cycle_event = |it: &CycleEvent| CycleEvent {
            location: view.name(&it.location),
            event: view.name(&it.event),
            ..it.clone()
        };
        let frontier = |it: &Frontier| Frontier {
            locations: it.locations.iter().map(entry).collect(),
            complete: it.complete,
            // With a gap it is no cycle.
            cycle: match it.cycle.len() <= view.expected {
                true => it.cycle.iter().map(cycle_event).collect(),
                false => Vec::new(),
            },
        };
        Finding {
            location: self.location.as_ref().map(name),
            event: self.event.as_ref().map(name),
            expected: names(&self.expected),
            frontier: self.frontier.as_ref().map(frontier),
            absent: self.absent.iter().map(name).collect(),
            cut: self.cut.as_ref().map(|cut| cut.shortened(view)),
            ..self.clone()
        }
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

/// The entries of a frontier that stand in the way: those with an event that is blocked. If every
/// event is read, what is missing is whatever could go on.
fn blocked_entries(frontier: &Frontier) -> impl Iterator<Item = &FrontierEntry> {
    let all_read = frontier.locations.iter().all(|entry| entry.event.is_none());
    let is_blocked = move |entry: &&FrontierEntry| {
        entry.event.is_some() || (all_read && !entry.expected.is_empty())
    };
    frontier.locations.iter().filter(is_blocked)
}

/// One line for people: the code, what it means, the location and the event.
impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let title = Words::default().text(self.code.title());
        write!(f, "{} {title}", self.code.name())?;
        if let Some(location) = &self.location {
            write!(f, ": {location}")?;
        }
        if let (Some(index), Some(event)) = (self.index, &self.event) {
            // People count from 1.
            write!(f, ", event {}, {event}", index + 1)?;
        }
        match self.expected.is_empty() {
            true => Ok(()),
            false => write!(f, "; possible there: {}", self.expected.join(", ")),
        }
    }
}
