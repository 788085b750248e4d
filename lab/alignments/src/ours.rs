//! Our repairs.

use crate::Tool;
use crate::workload;
use multitrace_compiler::{Config, InteractionSpec, compile_interaction};
use multitrace_formats::bundle::Provenance;
use multitrace_formats::hif;
use multitrace_formats::sessions::parse_line;
use multitrace_formats::source::Source;
use multitrace_interaction::{Locations, Session};
use multitrace_runtime::{CheckConfig, Checker, Gaps, Monitor};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use std::hint::black_box;
use std::time::Instant;

/// A monitor, and sessions to repair; the first half only before others are timed.
pub struct Repairer {
    pub monitor: Monitor,
    pub sessions: Vec<Session>,
}

/// The sessions of a text, for the interaction of the benchmarks.
pub fn of_logs(text: &str) -> Repairer {
    Repairer::new(Monitor::new(workload::compile(&workload::interaction())), text)
}

/// Total orders as the logs of one location that has all lifelines.
pub fn of_orders(orders: &[Vec<String>]) -> Repairer {
    let monitor = together();
    let place = monitor.alphabet().locations().next().expect("a location");
    let location = monitor.alphabet().location_name(place);
    let line = |order: &Vec<String>| {
        let events = order.join("\",\"");
        format!("{{\"session\":\"s\",\"traces\":{{\"{location}\":[\"{events}\"]}}}}\n")
    };
    let text: String = orders.iter().map(line).collect();
    Repairer::new(monitor, &text)
}

/// The interaction of the benchmarks with all lifelines at one location.
fn together() -> Monitor {
    let text = workload::interaction();
    let spec = hif::parse(&Source::new("bench.hif", &text), None).expect("an interaction");
    let lifelines = spec.signature.lifelines().collect();
    let locations = Locations::new(&spec.signature, &[lifelines]).expect("a partition");
    let place_of = &|_| String::new();
    let (signature, interaction) = (&spec.signature, &spec.interaction);
    let spec = InteractionSpec { signature, interaction, locations: &locations, place_of };
    let provenance = Provenance::new("bench", "bench.hif", text.as_bytes(), String::new());
    let compiled = compile_interaction(spec, provenance, &Config::default());
    Monitor::new(compiled.expect("it is within the limits").bundle)
}

impl Repairer {
    fn new(monitor: Monitor, text: &str) -> Repairer {
        let parse = |line| parse_line("bench", 1, line, monitor.alphabet()).expect("a session");
        let sessions = text.lines().map(parse).collect();
        Repairer { monitor, sessions }
    }

    pub fn tool<'a>(&'a self, name: &'static str) -> Tool<'a> {
        let (before, timed) = self.sessions.split_at(self.sessions.len() / 2);
        let costs = move |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let parts = timed.par_chunks(timed.len().div_ceil(threads));
            pool.install(|| parts.flat_map_iter(|part| self.costs(part)).collect())
        };
        let times = move || self.times(before, timed);
        Tool { name, costs: Box::new(costs), times: Box::new(times) }
    }

    fn checker(&self) -> Checker<'_> {
        Checker::new(&self.monitor, CheckConfig::default()).expect("an engine")
    }

    fn costs(&self, sessions: &[Session]) -> Vec<u64> {
        let mut checker = self.checker();
        sessions.iter().map(|session| cost(&mut checker, session)).collect()
    }

    fn times(&self, before: &[Session], timed: &[Session]) -> Vec<f64> {
        let mut checker = self.checker();
        let mut time = |session| {
            let start = Instant::now();
            black_box(cost(&mut checker, session));
            start.elapsed().as_secs_f64()
        };
        before.iter().for_each(|session| _ = time(session));
        timed.iter().map(time).collect()
    }
}

fn cost(checker: &mut Checker<'_>, session: &Session) -> u64 {
    let repair = checker.repair(session, Gaps::None).expect("a repair in complete mode");
    assert!(repair.exact, "the budget is enough");
    repair.edits.len() as u64
}
