//! Blame, measured: one fault, or two, are put into accepted sessions of every example, and the findings of a failure are
//! compared with them.
//
// Where events are equal to those beside them, no log says which one was put or taken: any of them is the place. And where
// another accepted session is as near, no log says which one it was. These sessions are counted, and the shares of the others
// are given beside those of all.

use crate::table::Table;
use crate::timing::Effort;
use crate::workload::Random;
use multitrace::{CompileOptions, Monitor, Spec, SpecFormat};
use multitrace_formats::hif;
use multitrace_formats::source::Source;
use multitrace_interaction::coverage::{Outline, TermFollower};
use multitrace_interaction::generate::{Bounds, Generator};
use multitrace_interaction::{
    Action, ActionKind, Cause, Edit, Failure, Frontier, Id, Interaction, LetterId, LocationId,
    Locations, Node, NodeId, Passings, Repair, Session, Verdict, names,
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
    (Injection::Two, "two unrelated events dropped"),
];

/// Logs by location, events by name.
type Logs = Vec<(String, Vec<String>)>;

/// A fault that was put into a session, at one place.
struct Fault {
    location: LocationId,
    /// Where the difference may be, first and last: anywhere among equal events.
    places: (usize, usize),
}

/// How often findings name the faults that were put in.
#[derive(Clone, Copy, Debug, Default)]
struct Hits {
    failing: u64,
    accepted: u64,
    /// The main finding is at the place of the fault, and at its location.
    event: u64,
    location: u64,
    /// As many faults are said as were put, and their roots are at the places, and at their locations.
    one: u64,
    root: u64,
    root_location: u64,
    /// The repair undoes the fault.
    undone: u64,
    /// The repair makes another accepted session and takes no more edits than undoing the fault.
    other: u64,
    /// The same as `one` and `root`, without the sessions that `other` counts.
    one_of_rest: u64,
    root_of_rest: u64,
}

/// The faults that were put into a session, and the findings of its failure.
struct Told<'a> {
    put: &'a [Fault],
    failure: &'a Failure,
    repair: &'a Repair,
    is_undone: bool,
    /// How many edits undo the faults.
    edits: u64,
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
         fault in each, or two, a tenth of each kind. A place is anywhere among events that are equal to the one that was put or taken. \
         Of those that then fail: how often the main evidence is at the place of the fault, or at its \
         location; how often as many faults are said; how often the root of the first fault is there, or those of both; how often the \
         repair makes the session that it was; and how often it makes another accepted session with no more edits, so that nobody can \
         know which it was. The last two columns are of the sessions without these.",
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
            "another as near",
            "faults said, rest",
            "root, place, rest",
        ],
    );
    for (kind, name) in KINDS {
        table.row(by_kind.get(&kind).copied().unwrap_or_default().row(name));
    }
    let mut all = Hits::default();
    by_kind.values().for_each(|hits| all.add(*hits));
    table.row(all.row("all"));
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
        let mut of = Injector { monitor: &monitor, checker: &mut checker, random: &mut random };
        let Some(put) = of.put(kind, &mut after, &parsed.interaction) else { continue };
        let session = session(&monitor, &after);
        let edits = edits(kind, &before, &after);
        let hits = hits.entry(kind).or_default();
        match checker.check(&session).verdict {
            Verdict::Fail(failure) => {
                let effort = multitrace_runtime::Effort::Brief;
                let repair = checker.repair_with(&session, Gaps::None, &None, effort);
                let repair = repair.expect("a repair").of_failure();
                let repaired = repair.apply(&session).expect("its own logs");
                let is_undone = repaired.trace == trace;
                let (put, failure, repair) = (&put, &failure, &repair);
                hits.count(&Told { put, failure, repair, is_undone, edits });
            }
            Verdict::Inconclusive(reason) => panic!("{name}: {reason:?}"),
            Verdict::Pass | Verdict::WeakPass => hits.accepted += 1,
        }
    }
    hits
}

/// Puts faults into logs.
struct Injector<'a, 'm> {
    monitor: &'m Monitor,
    checker: &'a mut Checker<'m>,
    random: &'a mut Random,
}

impl Injector<'_, '_> {
    /// Puts a fault of a kind; `None` if there is no place for it.
    fn put(&mut self, kind: Injection, logs: &mut Logs, spec: &Interaction) -> Option<Vec<Fault>> {
        match kind {
            Injection::Two => self.drop_two(logs),
            Injection::NoMessage => Some(vec![self.drop_message(logs, spec)?]),
            _ => {
                let (location, index) = self.place(kind, logs)?;
                Some(vec![self.put_one(kind, logs, (location, index))?])
            }
        }
    }

    /// A log that has room for a fault, and an index there.
    fn place(&mut self, kind: Injection, logs: &Logs) -> Option<(usize, usize)> {
        let fits = |log: &[String], at: usize| match kind {
            Injection::Insert | Injection::Unknown => true,
            Injection::Swap => log.get(at + 1).is_some_and(|next| *next != log[at]),
            Injection::Lost => log.get(at).is_some_and(|event| is(event, ActionKind::Reception)),
            Injection::NotSent | Injection::NoMessage => {
                log.get(at).is_some_and(|event| is(event, ActionKind::Emission))
            }
            Injection::Drop | Injection::Replaced | Injection::EarlyEnd | Injection::Two => {
                at < log.len()
            }
        };
        let places = |log: &[String]| (0..=log.len()).filter(|&at| fits(log, at)).collect();
        let places: Vec<(usize, Vec<usize>)> =
            logs.iter().map(|(_, log)| places(log)).enumerate().collect();
        let with_places: Vec<usize> =
            places.iter().filter(|(_, it)| !it.is_empty()).map(|(log, _)| *log).collect();
        let log = self.random.pick(&with_places)?;
        Some((log, self.random.pick(&places[log].1)?))
    }

    fn put_one(
        &mut self,
        kind: Injection,
        logs: &mut Logs,
        (at, index): (usize, usize),
    ) -> Option<Fault> {
        let (location, log) = &mut logs[at];
        let location = self.monitor.alphabet().location(location)?;
        let mut places = (index, index + 1);
        match kind {
            Injection::EarlyEnd => log.truncate(index),
            Injection::Swap => log.swap(index, index + 1),
            Injection::Unknown => log.insert(index, UNKNOWN.to_owned()),
            Injection::Insert => {
                let event = self.event_of(location)?;
                log.insert(index, event.clone());
                places = equal(log, &event, index);
            }
            Injection::Replaced => {
                let event = self.event_of(location).filter(|event| *event != log[index])?;
                let taken = std::mem::replace(&mut log[index], event.clone());
                let (put, taken) = (equal(log, &event, index), equal(log, &taken, index + 1));
                places = (put.0.min(taken.0), put.1.max(taken.1));
            }
            _ => {
                let taken = log.remove(index);
                places = equal(log, &taken, index);
            }
        }
        Some(Fault { location, places })
    }

    /// Some event that the specification has at a location.
    fn event_of(&mut self, location: LocationId) -> Option<String> {
        let alphabet = self.monitor.alphabet();
        let own = alphabet.letters().filter(|&it| alphabet.location_of(it) == location);
        let letter = self.random.pick(&own.collect::<Vec<_>>())?;
        Some(alphabet.letter_name(letter).to_owned())
    }

    /// Drops a message: an emission, and the receptions of the same step of the specification.
    fn drop_message(&mut self, logs: &mut Logs, spec: &Interaction) -> Option<Fault> {
        let (log, index) = self.place(Injection::NoMessage, logs)?;
        let alphabet = self.monitor.alphabet();
        let witness = self.checker.witness(&session(self.monitor, logs), Gaps::None)?;
        let actions = alphabet.actions_by_letter();
        let word = witness.steps.iter().map(|step| actions[step.letter.index()]);
        let word: Vec<Action> = word.collect::<Option<_>>()?;
        let outline = Outline::new(spec, &vec![0; spec.nodes().len()]);
        let passings = passings(spec);
        let steps = TermFollower::new(spec, &outline).steps(&word)?;
        let nodes: Vec<NodeId> = steps.into_iter().map(|step| passings[step.index()]).collect();
        // Per event of the trace, its log and its index there.
        let mut lengths = vec![0; logs.len()];
        let places = witness.steps.iter().map(|step| {
            let at = alphabet.location_of(step.letter).index();
            lengths[at] += 1;
            (at, lengths[at] - 1)
        });
        let places: Vec<(usize, usize)> = places.collect();
        let sent = places.iter().position(|place| *place == (log, index))?;
        let is_before = |at: &usize| nodes[*at] == nodes[sent] && word[*at] == word[sent];
        let before = (0..sent).filter(is_before).count();
        let mut ends: BTreeMap<Action, usize> = BTreeMap::new();
        let received = (0..word.len()).filter(|&at| {
            let is_end = nodes[at] == nodes[sent]
                && word[at].message == word[sent].message
                && word[at].kind == ActionKind::Reception;
            let count = ends.entry(word[at]).or_default();
            *count += usize::from(is_end);
            is_end && *count == before + 1
        });
        let mut received: Vec<(usize, usize)> = received.map(|at| places[at]).collect();
        if received.is_empty() {
            return None;
        }
        // From the ends of logs, so that indexes stay.
        received.sort_unstable();
        for &(log, index) in received.iter().rev() {
            logs[log].1.remove(index);
        }
        let is_before = |it: &&(usize, usize)| **it < (log, index) && it.0 == log;
        let before = received.iter().filter(is_before).count();
        self.put_one(Injection::NoMessage, logs, (log, index - before))
    }

    /// Drops two events of different messages, neither beside the other in a log, so that the repair of each does nothing for
    /// the other: the session fails without each of them alone, and needs two edits without both.
    fn drop_two(&mut self, logs: &mut Logs) -> Option<Vec<Fault>> {
        let first = self.place(Injection::Two, logs)?;
        let second = self.place(Injection::Two, logs)?;
        let (first, second) = (first.min(second), first.max(second));
        let message = |(log, at): (usize, usize)| {
            names::split_action(&logs[log].1[at]).map(|(_, _, it)| it.to_owned())
        };
        let run = |(log, at): (usize, usize)| equal(&logs[log].1, &logs[log].1[at], at);
        let is_beside = first.0 == second.0 && run(second).0 <= run(first).1 + 1;
        if is_beside || message(first) == message(second) {
            return None;
        }
        let alone = |place: (usize, usize)| {
            let mut logs = logs.clone();
            logs[place.0].1.remove(place.1);
            logs
        };
        for logs in [alone(first), alone(second)] {
            let verdict = self.checker.check(&session(self.monitor, &logs)).verdict;
            matches!(verdict, Verdict::Fail(_)).then_some(())?;
        }
        let is_same = first.0 == second.0;
        let mut second = self.put_one(Injection::Two, logs, second)?;
        let first = self.put_one(Injection::Two, logs, first)?;
        if is_same {
            second.places = (second.places.0 - 1, second.places.1 - 1);
        }
        let both = self.checker.repair(&session(self.monitor, logs), Gaps::None)?;
        (both.distance == 2).then_some(vec![first, second])
    }
}

/// Per node, the message passing that it is a part of, else itself.
fn passings(spec: &Interaction) -> Vec<NodeId> {
    let passings = Passings::new(spec);
    let mut whole: Vec<NodeId> = (0..spec.nodes().len()).map(NodeId::new).collect();
    for (index, node) in spec.nodes().iter().enumerate() {
        let id = NodeId::new(index);
        let is_passing = passings.passing(id).is_some_and(|it| it.origin.is_some());
        let Node::Strict(emission, mut rest) = *node else { continue };
        if !is_passing {
            continue;
        }
        whole[emission.index()] = id;
        while let Node::Seq(first, others) = *spec.node(rest) {
            whole[first.index()] = id;
            rest = others;
        }
        whole[rest.index()] = id;
    }
    whole
}

/// Whether an event is an end of a message of this kind.
fn is(event: &str, kind: ActionKind) -> bool {
    matches!(names::split_action(event), Some((_, it, _)) if it == kind)
}

/// The indexes of events that are equal to one, around an index and beside it, and the one behind them.
fn equal(log: &[String], event: &str, index: usize) -> (usize, usize) {
    let is_other = |it: &String| it != event;
    let before = log[..index.min(log.len())].iter().rev().position(is_other);
    let after = log.get(index..).into_iter().flatten().position(is_other);
    (before.map_or(0, |count| index - count), after.map_or(log.len(), |count| index + count))
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
    fn count(&mut self, told: &Told<'_>) {
        let Told { put, repair, .. } = told;
        self.failing += 1;
        let (place, location) = blames(told.failure.main(), &put[0]);
        self.event += u64::from(place);
        self.location += u64::from(location);
        let is_one = repair.faults.len() == put.len();
        let root = |fault: &Fault, is_there: &dyn Fn(usize) -> bool| {
            let mut roots = repair.faults.iter().map(|it| &repair.edits[it.root()]);
            let mut first = roots.clone().take(1);
            let fits = |it: &Edit| it.location == fault.location && is_there(it.index);
            if put.len() == 1 { first.any(fits) } else { roots.any(fits) }
        };
        let is_root = put.iter().all(|fault| root(fault, &|index| near(index, fault)));
        let is_location = put.iter().all(|fault| root(fault, &|_| true));
        self.one += u64::from(is_one);
        self.root += u64::from(is_root);
        self.root_location += u64::from(is_location);
        self.undone += u64::from(told.is_undone);
        let is_other = !told.is_undone && repair.exact && repair.distance <= told.edits;
        self.other += u64::from(is_other);
        self.one_of_rest += u64::from(!is_other && is_one);
        self.root_of_rest += u64::from(!is_other && is_root);
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
        self.other += other.other;
        self.one_of_rest += other.one_of_rest;
        self.root_of_rest += other.root_of_rest;
    }

    fn row(&self, name: &str) -> Vec<String> {
        let share =
            |count: u64, of: u64| format!("{:.1} %", 100.0 * count as f64 / of.max(1) as f64);
        let shares = [
            self.event,
            self.location,
            self.one,
            self.root,
            self.root_location,
            self.undone,
            self.other,
        ];
        let counts = [name.to_owned(), self.failing.to_string(), self.accepted.to_string()];
        let of_rest = [self.one_of_rest, self.root_of_rest];
        let rest = of_rest.map(|count| share(count, self.failing - self.other));
        counts.into_iter().chain(shares.map(|it| share(it, self.failing))).chain(rest).collect()
    }
}

/// Whether an index is a place of a fault, or the event behind it.
fn near(index: usize, fault: &Fault) -> bool {
    (fault.places.0..=fault.places.1).contains(&index)
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
