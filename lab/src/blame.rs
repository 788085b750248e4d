//! Blame, measured: one fault is put into accepted sessions of every example, and the findings of a failure are
//! compared with it.

use crate::table::Table;
use crate::timing::Effort;
use crate::workload::Random;
use multitrace::{CompileOptions, Monitor, Spec, SpecFormat};
use multitrace_formats::hif;
use multitrace_formats::source::Source;
use multitrace_interaction::generate::{Bounds, Generator};
use multitrace_interaction::{
    ActionKind, Cause, Failure, Frontier, Id, LetterId, LocationId, Locations, Repair, Session,
    Verdict, names,
};
use multitrace_runtime::{Checker, Gaps};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// After so long an example ends: on terms, 10,000 sessions would take hours.
const MOST_TIME: Duration = Duration::from_secs(60);

/// The text of an event that no example knows.
const UNKNOWN: &str = "nobody!knows";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Injection {
    Drop,
    Insert,
    Swap,
    Unknown,
    Replaced,
    EarlyEnd,
    Lost,
    NotSent,
    NoMessage,
    Two,
}

const KINDS: [(Injection, &str); 10] = [
    (Injection::Drop, "an event dropped"),
    (Injection::Insert, "a known event inserted"),
    (Injection::Swap, "two neighbours swapped"),
    (Injection::Unknown, "an unknown event inserted"),
    (Injection::Replaced, "an event in place of another"),
    (Injection::EarlyEnd, "a log cut at its end"),
    (Injection::Lost, "a message lost"),
    (Injection::NotSent, "a message without its sending"),
    (Injection::NoMessage, "a message never sent"),
    (Injection::Two, "two events of two messages dropped"),
];

/// Logs by location, events by name.
type Logs = Vec<(String, Vec<String>)>;

/// The place of a fault that was put into a session.
struct Fault {
    location: LocationId,
    /// Where the first difference is.
    index: usize,
}

/// How often a finding names the fault that was put in.
#[derive(Clone, Copy, Debug, Default)]
struct Hits {
    failing: u64,
    accepted: u64,
    /// The main finding is at the place of the fault, and at its location.
    event: u64,
    location: u64,
    /// As many faults are said as were put.
    one: u64,
    /// The root of the first fault is at the place, and at its location.
    root: u64,
    root_location: u64,
    /// The repair undoes the fault.
    undone: u64,
    /// The repair takes no more edits than undoing it.
    as_short: u64,
}

pub fn run(effort: Effort) -> Vec<Table> {
    let sessions = if effort.rounds > 1 { 10_000 } else { 20 };
    let (mut by_kind, mut by_example) = (BTreeMap::new(), Vec::new());
    for path in examples() {
        let mut all = Hits::default();
        for (kind, hits) in of_example(&path, sessions) {
            all.add(hits);
            by_kind.entry(kind).or_insert_with(Hits::default).add(hits);
        }
        let name =
            path.file_name().map_or_else(String::new, |it| it.to_string_lossy().into_owned());
        by_example.push((name, all));
    }
    let mut table = Table::new(
        "Blame",
        "10,000 accepted sessions of every example in the tree, or as many as a minute allows, one \
         fault in each, or two, a tenth of each kind. Of those that then fail: how often the main evidence is at the place of the fault, or at its \
         location; how often as many faults are said; how often the root of the first fault is there; how often the repair is \
         the session as it was; and how often it takes no more edits than the fault.",
        &[
            "fault or example",
            "fail",
            "still accepted",
            "place",
            "location",
            "faults said",
            "root, place",
            "root, location",
            "undone",
            "as short",
        ],
    );
    for (kind, name) in KINDS {
        table.row(by_kind.get(&kind).copied().unwrap_or_default().row(name));
    }
    by_example.iter().for_each(|(name, hits)| table.row(hits.row(name)));
    vec![table]
}

/// The specifications of the examples.
fn examples() -> Vec<PathBuf> {
    let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/*/");
    let root = Path::new(pattern.trim_end_matches("*/"));
    let folders = std::fs::read_dir(root).expect("the examples");
    let folders = folders.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).expect("an example"));
    let files = files.map(|entry| entry.expect("an entry").path());
    let mut specs: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|it| it == "hif")).collect();
    specs.sort();
    specs
}

fn of_example(path: &Path, sessions: u64) -> BTreeMap<Injection, Hits> {
    let text = std::fs::read_to_string(path).expect("an example");
    let name = path.display().to_string();
    let spec = Spec::parse(&name, &text, SpecFormat::Hif);
    let monitor = spec.compile(&CompileOptions::default()).expect("it compiles").monitor;
    let parsed =
        hif::parse(&Source::new(name.as_str(), text.as_str()), None).expect("an interaction");
    let locations = Locations::discrete(&parsed.signature);
    let make = |bounds: Bounds| {
        Generator::new(&parsed.signature, &parsed.interaction, &locations, bounds, 1)
    };
    // The shortest session of some examples is longer than the sessions made by default.
    let wider = Bounds { max_events: Some(40), ..Bounds::default() };
    let made = make(Bounds::default()).or_else(|_| make(wider));
    let mut generator = made.expect("within the bounds");
    let mut checker = Checker::new(monitor.runtime(), monitor.config()).expect("an engine");
    let mut random = Random::new(7);
    let mut hits: BTreeMap<Injection, Hits> = BTreeMap::new();
    let begin = Instant::now();
    for number in 0..sessions {
        if begin.elapsed() > MOST_TIME {
            break;
        }
        let trace = generator.accepted();
        let alphabet = generator.alphabet();
        let event = |&letter: &LetterId| alphabet.letter_name(letter).to_owned();
        let log = |(location, local): (LocationId, &Vec<LetterId>)| {
            (alphabet.location_name(location).to_owned(), local.iter().map(event).collect())
        };
        let before: Logs = alphabet.locations().zip(&trace).map(log).collect();
        let (kind, _) = KINDS[number as usize % KINDS.len()];
        let mut after = before.clone();
        let Some(fault) = put(kind, &mut after, &monitor, &mut random) else { continue };
        let said = if kind == Injection::Two { 2 } else { 1 };
        let session = session(&monitor, &after);
        let edits = edits(kind, &before, &after);
        let hits = hits.entry(kind).or_default();
        match checker.check(&session).verdict {
            Verdict::Fail(failure) => {
                let repair = checker.repair_briefly(&session, Gaps::None).expect("a repair");
                let repaired = repair.apply(&session).expect("its own logs");
                hits.count(&failure, &fault, (&repair, said));
                hits.undone += u64::from(repaired.trace == trace);
                hits.as_short += u64::from(repair.exact && repair.distance <= edits);
            }
            Verdict::Inconclusive(reason) => panic!("{name}: {reason:?}"),
            Verdict::Pass | Verdict::WeakPass => hits.accepted += 1,
        }
    }
    hits
}

/// Puts a fault into logs; `None` if there is no place for it.
fn put(kind: Injection, logs: &mut Logs, monitor: &Monitor, random: &mut Random) -> Option<Fault> {
    let is_end = |event: &String| match kind {
        Injection::Lost => is(event, ActionKind::Reception),
        Injection::NotSent | Injection::NoMessage => is(event, ActionKind::Emission),
        _ => true,
    };
    if kind == Injection::Two {
        return drop_two(logs, monitor, random);
    }
    let has_place = |(_, log): &&(String, Vec<String>)| match kind {
        Injection::Drop | Injection::EarlyEnd | Injection::Replaced => !log.is_empty(),
        Injection::Lost | Injection::NotSent | Injection::NoMessage => log.iter().any(is_end),
        Injection::Two => false,
        Injection::Swap => log.windows(2).any(|pair| pair[0] != pair[1]),
        Injection::Insert | Injection::Unknown => true,
    };
    let places: Vec<String> = logs.iter().filter(has_place).map(|(name, _)| name.clone()).collect();
    let location = places.get(random.index(places.len().max(1)))?.clone();
    let (_, log) = logs.iter_mut().find(|(name, _)| *name == location)?;
    let index = match kind {
        Injection::Drop | Injection::EarlyEnd | Injection::Replaced => random.index(log.len()),
        Injection::Lost | Injection::NotSent | Injection::NoMessage | Injection::Two => {
            let places = (0..log.len()).filter(|&at| is_end(&log[at]));
            random.pick(&places.collect::<Vec<usize>>())?
        }
        Injection::Insert | Injection::Unknown => random.index(log.len() + 1),
        Injection::Swap => {
            let differ = |at: &usize| log[*at] != log[at + 1];
            let places: Vec<usize> = (0..log.len() - 1).filter(differ).collect();
            random.pick(&places)?
        }
    };
    match kind {
        Injection::Drop | Injection::Lost | Injection::NotSent | Injection::Two => {
            drop(log.remove(index))
        }
        Injection::NoMessage => {
            let sent = log.remove(index);
            receive_less(logs, &location, &sent, index)?;
        }
        Injection::EarlyEnd => log.truncate(index),
        Injection::Swap => log.swap(index, index + 1),
        Injection::Unknown => log.insert(index, UNKNOWN.to_owned()),
        Injection::Insert | Injection::Replaced => {
            let alphabet = monitor.alphabet();
            let at = alphabet.location(&location)?;
            let own = alphabet.letters().filter(|&letter| alphabet.location_of(letter) == at);
            let letter = random.pick(&own.collect::<Vec<_>>())?;
            let event = alphabet.letter_name(letter).to_owned();
            match kind {
                Injection::Insert => log.insert(index, event),
                _ if log[index] == event => return None,
                _ => log[index] = event,
            }
        }
    }
    Some(Fault { location: monitor.alphabet().location(&location)?, index })
}

/// Whether an event is an end of a message of this kind.
fn is(event: &str, kind: ActionKind) -> bool {
    matches!(names::split_action(event), Some((_, it, _)) if it == kind)
}

/// Takes out the reception of a message that was sent; of several with one name, the one that as many come before.
fn receive_less(logs: &mut Logs, sender: &str, sent: &str, index: usize) -> Option<()> {
    let message = |event: &str| names::split_action(event).map(|(_, _, it)| it.to_owned());
    let own = message(sent)?;
    let (_, log) = logs.iter().find(|(name, _)| name == sender)?;
    let before = log[..index].iter().filter(|it| *it == sent).count();
    let is_own = |event: &String| {
        is(event, ActionKind::Reception) && message(event).as_deref() == Some(&own)
    };
    let others = logs.iter_mut().filter(|(name, _)| name != sender);
    let (_, log) = others.into_iter().find(|(_, log)| log.iter().any(is_own))?;
    let place = (0..log.len()).filter(|&at| is_own(&log[at])).nth(before)?;
    log.remove(place);
    Some(())
}

/// Drops two events of different messages, neither beside the other in a log. The first is the expected one.
fn drop_two(logs: &mut Logs, monitor: &Monitor, random: &mut Random) -> Option<Fault> {
    let places: Vec<(usize, usize)> =
        (0..logs.len()).flat_map(|log| (0..logs[log].1.len()).map(move |at| (log, at))).collect();
    let first = random.pick(&places)?;
    let message = |(log, at): (usize, usize)| {
        names::split_action(&logs[log].1[at]).map(|(_, _, it)| it.to_owned())
    };
    let is_apart = |&other: &(usize, usize)| {
        message(other) != message(first) && (other.0 != first.0 || other.1.abs_diff(first.1) > 2)
    };
    let second = random.pick(&places.into_iter().filter(is_apart).collect::<Vec<_>>())?;
    let (first, second) = (first.min(second), first.max(second));
    logs[second.0].1.remove(second.1);
    logs[first.0].1.remove(first.1);
    Some(Fault { location: monitor.alphabet().location(&logs[first.0].0)?, index: first.1 })
}

/// How many edits undo a fault.
fn edits(kind: Injection, before: &Logs, after: &Logs) -> u64 {
    let length = |logs: &Logs| logs.iter().map(|(_, log)| log.len() as u64).sum::<u64>();
    match kind {
        Injection::Swap | Injection::Replaced => 2,
        _ => length(before).abs_diff(length(after)),
    }
}

fn session(monitor: &Monitor, logs: &Logs) -> Session {
    let empty = monitor.session("s");
    let add = |session: multitrace::SessionBuilder, (name, log): &(String, Vec<String>)| {
        session.trace(name, log.iter().map(String::as_str))
    };
    logs.iter().fold(empty, add).build()
}

impl Hits {
    fn count(&mut self, failure: &Failure, fault: &Fault, (repair, said): (&Repair, usize)) {
        self.failing += 1;
        let (place, location) = blames(failure.main(), fault);
        self.event += u64::from(place);
        self.location += u64::from(location);
        self.one += u64::from(repair.faults.len() == said);
        let root = repair.faults.first().map(|fault| &repair.edits[fault.root()]);
        let is_there = root.is_some_and(|root| root.location == fault.location);
        self.root_location += u64::from(is_there);
        self.root += u64::from(is_there && root.is_some_and(|root| near(root.index, fault)));
    }

    fn add(&mut self, other: Hits) {
        self.failing += other.failing;
        self.accepted += other.accepted;
        self.event += other.event;
        self.location += other.location;
        self.one += other.one;
        self.root += other.root;
        self.root_location += other.root_location;
        self.undone += other.undone;
        self.as_short += other.as_short;
    }

    fn row(&self, name: &str) -> Vec<String> {
        let share =
            |count: u64| format!("{:.1} %", 100.0 * count as f64 / self.failing.max(1) as f64);
        let shares = [
            self.event,
            self.location,
            self.one,
            self.root,
            self.root_location,
            self.undone,
            self.as_short,
        ];
        let counts = [name.to_owned(), self.failing.to_string(), self.accepted.to_string()];
        counts.into_iter().chain(shares.map(share)).collect()
    }
}

/// Of two neighbours that were swapped, and of a missing event, the event behind is a place, too.
fn near(index: usize, fault: &Fault) -> bool {
    index == fault.index || index == fault.index + 1
}

/// Whether a cause names the place of a fault, and its location.
fn blames(cause: &Cause, fault: &Fault) -> (bool, bool) {
    match cause {
        Cause::Local(failure) => {
            let location = failure.location == fault.location;
            (location && near(failure.index, fault), location)
        }
        Cause::Inter(frontier) | Cause::Central(frontier) => {
            let entry = blocked(frontier, fault);
            (entry.is_some_and(|index| near(index, fault)), entry.is_some())
        }
    }
}

/// Where the location of a fault is blocked.
fn blocked(frontier: &Frontier, fault: &Fault) -> Option<usize> {
    let all_read = frontier.locations.iter().all(|entry| entry.event.is_none());
    let entry = frontier.locations.get(fault.location.index())?;
    let is_blocked = entry.event.is_some() || (all_read && !entry.expected.is_empty());
    is_blocked.then_some(entry.index)
}
