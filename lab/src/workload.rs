//! Sessions made for measuring: a coordinator sends requests to four peers at once and waits for
//! their responses, 18 events at 5 locations. Two in a hundred are corrupted, so that the right answer for each is
//! known.

use multitrace_compiler::{Config, InteractionSpec, compile_interaction};
use multitrace_formats::bundle::{Bundle, Provenance};
use multitrace_formats::hif;
use multitrace_formats::source::Source;
use multitrace_interaction::Locations;
use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::io;

/// How many sessions of a workload differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variants {
    /// A hundred or so.
    Few,
    /// Nearly all: of sixteen million possible ones.
    Many,
}

pub const PEERS: usize = 4;
/// The alternatives for how a session begins and ends.
const KINDS: u64 = 20;
/// One session in this many is corrupted.
pub const CORRUPTED: u64 = 50;

/// A small generator whose sequence never changes (xorshift64*).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// An index of a slice that is so long, which must not be empty.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() { None } else { Some(items[self.index(items.len())]) }
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.index(index + 1));
        }
    }
}

/// The interaction, as text.
pub fn interaction() -> String {
    let kinds = |name: &str| {
        let kinds = (0..KINDS).map(|kind| format!("c -- {name}{kind} ->|"));
        format!("alt({})", kinds.collect::<Vec<_>>().join(", "))
    };
    let peers = (1..=PEERS).map(|peer| {
        format!("seq(c -- req{peer} -> p{peer}, alt(p{peer} -- ok{peer} -> c, p{peer} -- error{peer} -> c))")
    });
    let peers = peers.collect::<Vec<_>>().join(", ");
    format!("seq({}, par({peers}), {})", kinds("begin"), kinds("end"))
}

/// An interaction, compiled.
///
/// # Panics
/// When the text is not an interaction.
pub fn compile(text: &str) -> Bundle {
    compile_with(text, &Config::default())
}

/// The same with no table for any location, as if all were over the limit.
pub fn compile_untabled(text: &str) -> Bundle {
    let mut config = Config::default();
    config.limits.local_states = 0;
    compile_with(text, &config)
}

fn compile_with(text: &str, config: &Config) -> Bundle {
    let spec = hif::parse(&Source::new("bench.hif", text), None).expect("an interaction");
    let locations = Locations::discrete(&spec.signature);
    let place_of = &|_| String::new();
    let (signature, interaction) = (&spec.signature, &spec.interaction);
    let spec = InteractionSpec { signature, interaction, locations: &locations, place_of };
    let provenance = Provenance::new("bench", "bench.hif", text.as_bytes(), String::new());
    compile_interaction(spec, provenance, config).expect("it is within the limits").bundle
}

/// The local traces of one session, the coordinator's first.
type Logs = [Vec<String>; PEERS + 1];

fn logs(random: &mut Random) -> Logs {
    let mut logs = Logs::default();
    logs[0].push(format!("c!begin{}", random.below(KINDS)));
    let mut idle: Vec<usize> = (1..=PEERS).collect();
    let mut waiting: Vec<(usize, &str)> = Vec::new();
    while !idle.is_empty() || !waiting.is_empty() {
        let next = random.below((idle.len() + waiting.len()) as u64) as usize;
        if next < idle.len() {
            let peer = idle.swap_remove(next);
            let answer = if random.below(2) == 0 { "ok" } else { "error" };
            logs[0].push(format!("c!req{peer}"));
            logs[peer].push(format!("p{peer}?req{peer}"));
            logs[peer].push(format!("p{peer}!{answer}{peer}"));
            waiting.push((peer, answer));
        } else {
            let (peer, answer) = waiting.swap_remove(next - idle.len());
            logs[0].push(format!("c?{answer}{peer}"));
        }
    }
    logs[0].push(format!("c!end{}", random.below(KINDS)));
    logs
}

/// Makes a session impossible: for its coordinator alone, for a peer alone, or only for both.
/// Returns how many events must be inserted or deleted for it to be possible again.
fn corrupt(logs: &mut Logs, random: &mut Random) -> u64 {
    let peer = 1 + random.below(PEERS as u64) as usize;
    match random.below(3) {
        0 => {
            logs[0].truncate(logs[0].len() - 1);
            1
        }
        1 => {
            logs[peer].swap(0, 1);
            2
        }
        _ => {
            let other = if logs[peer][1].contains("ok") { "error" } else { "ok" };
            logs[peer][1] = format!("p{peer}!{other}{peer}");
            2
        }
    }
}

/// One session, and how many edits make it possible: 0 if it is not corrupted, as one of `one_in` is.
fn session(number: u64, variants: Variants, one_in: u64) -> (Logs, u64) {
    let seed = match variants {
        Variants::Few => number % 100,
        Variants::Many => number,
    };
    let mut random = Random::new(seed + 1);
    let mut logs = logs(&mut random);
    let is_corrupted = random.below(one_in) == 0;
    let edits = if is_corrupted { corrupt(&mut logs, &mut random) } else { 0 };
    (logs, edits)
}

/// Writes a session as a line; true when it is corrupted, as one of `one_in` is.
pub fn write_line(text: &mut String, number: u64, variants: Variants, one_in: u64) -> bool {
    let (logs, edits) = session(number, variants, one_in);
    write_logs(text, number, &logs);
    edits > 0
}

fn write_logs(text: &mut String, number: u64, logs: &Logs) {
    let names = std::iter::once("c".to_owned()).chain((1..=PEERS).map(|peer| format!("p{peer}")));
    let traces =
        names.zip(logs).map(|(name, log)| format!("\"{name}\":[\"{}\"]", log.join("\",\"")));
    let traces = traces.collect::<Vec<_>>().join(",");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{{\"session\":\"s{number}\",\"traces\":{{{traces}}}}}");
}

/// So many sessions as text, and how many of them are corrupted.
pub fn lines(count: u64, variants: Variants) -> (String, u64) {
    let mut text = String::new();
    let corrupted = (0..count).filter(|&n| write_line(&mut text, n, variants, CORRUPTED)).count();
    (text, corrupted as u64)
}

/// So many corrupted sessions as text, and how many edits make all of them possible.
pub fn failing(count: u64, variants: Variants) -> (String, u64) {
    let mut text = String::new();
    let numbered = (0..).map(|number| (number, session(number, Variants::Many, CORRUPTED)));
    let different = if variants == Variants::Few { count.min(100) } else { count };
    let corrupted = numbered.filter(|(_, (_, edits))| *edits > 0);
    let drawn: Vec<(u64, (Logs, u64))> = corrupted.take(different as usize).collect();
    let repeated = drawn.iter().cycle().take(count as usize);
    let written = repeated.map(|(number, (logs, edits))| {
        write_logs(&mut text, *number, logs);
        edits
    });
    let edits = written.sum();
    (text, edits)
}

/// The events of many sessions, one a line, in an order drawn at random that keeps that of each log.
#[derive(Default)]
pub struct Shuffled {
    /// The fields of an event that do not name its session, by its code.
    fields: Vec<String>,
    codes: HashMap<String, u8>,
    /// Per session, the rest of each log.
    logs: Vec<Vec<VecDeque<u8>>>,
    /// The sessions whose turn it is.
    turns: Vec<u32>,
    pub corrupted: u64,
}

impl Shuffled {
    pub fn new(sessions: u64, seed: u64) -> Shuffled {
        let mut made = Shuffled::default();
        for number in 0..sessions {
            let (logs, edits) = session(number, Variants::Many, CORRUPTED);
            made.corrupted += u64::from(edits > 0);
            let events: usize = logs.iter().map(Vec::len).sum();
            made.turns.extend(std::iter::repeat_n(number as u32, events));
            let coded = logs.map(|log| log.into_iter().map(|event| made.code(event)).collect());
            made.logs.push(coded.into());
        }
        Random::new(seed).shuffle(&mut made.turns);
        made
    }

    fn code(&mut self, event: String) -> u8 {
        let next = self.codes.len() as u8;
        if !self.codes.contains_key(&event) {
            self.fields.push(fields_of(&event));
        }
        *self.codes.entry(event).or_insert(next)
    }

    pub fn events(&self) -> u64 {
        self.turns.len() as u64
    }

    /// # Errors
    /// When there is no room.
    pub fn write(mut self, out: &mut dyn io::Write) -> io::Result<()> {
        let mut random = Random::new(1);
        for number in self.turns {
            let logs = self.logs[number as usize].iter_mut();
            let mut left: Vec<_> = logs.filter(|log| !log.is_empty()).collect();
            let drawn = random.index(left.len());
            let event = left[drawn].pop_front().expect("one is left");
            writeln!(out, "{{\"session\":\"s{number}\",{}}}", self.fields[event as usize])?;
        }
        Ok(())
    }
}

/// The fields of an event that do not name its session.
fn fields_of(event: &str) -> String {
    let (lifeline, message) = event.split_once(['!', '?']).expect("an action");
    let direction = if event.contains('!') { "send" } else { "receive" };
    format!("\"at\":\"{lifeline}\",\"direction\":\"{direction}\",\"message\":\"{message}\"")
}
