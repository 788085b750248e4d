//! Alignments of `process_mining`.

use crate::Tool;
use process_mining::PetriNet;
use process_mining::conformance::alignments::cost::CostFunction;
use process_mining::conformance::alignments::{AlignmentOptions, align_variants};
use process_mining::core::event_data::case_centric::utils::activity_projection::EventLogActivityProjection;
use rayon::ThreadPoolBuilder;
use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

/// A net, and traces to align with it, some of them before those that are timed.
pub struct Aligner {
    net: PetriNet,
    before: Vec<EventLogActivityProjection>,
    single: Vec<EventLogActivityProjection>,
    all: EventLogActivityProjection,
}

impl Aligner {
    pub fn new(net: PetriNet, before: &[Vec<String>], timed: &[Vec<String>]) -> Aligner {
        let single = |orders: &[Vec<String>]| {
            orders.iter().map(|order| projection(std::slice::from_ref(order))).collect()
        };
        Aligner { net, before: single(before), single: single(timed), all: projection(timed) }
    }

    pub fn tool<'a>(&'a self, name: &'static str) -> Tool<'a> {
        let costs = |threads| on(threads, || self.costs(&self.all));
        let times = || on(1, || self.times());
        Tool { name, costs: Box::new(costs), times: Box::new(times) }
    }

    fn costs(&self, traces: &EventLogActivityProjection) -> Vec<u64> {
        let options = AlignmentOptions { cost_fn: CostFunction::standard(), max_states: None };
        let alignments = align_variants(&self.net, traces, &options);
        let cost = |it: &_| u64::from(alignment_cost(it));
        alignments.iter().map(cost).collect()
    }

    fn times(&self) -> Vec<f64> {
        let time = |trace| {
            let start = Instant::now();
            black_box(self.costs(trace));
            start.elapsed().as_secs_f64()
        };
        self.before.iter().for_each(|trace| _ = time(trace));
        self.single.iter().map(time).collect()
    }
}

fn alignment_cost(
    aligned: &process_mining::conformance::alignments::VariantAlignmentResult,
) -> u32 {
    aligned.result.as_ref().expect("an alignment").cost
}

fn on<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(run)
}

/// Traces as their log has them, each one for itself.
fn projection(orders: &[Vec<String>]) -> EventLogActivityProjection {
    let (mut activities, mut act_to_index) = (Vec::new(), HashMap::new());
    let mut index = |event: &String| {
        *act_to_index.entry(event.clone()).or_insert_with(|| {
            activities.push(event.clone());
            activities.len() - 1
        })
    };
    let traces = orders.iter().map(|order| (order.iter().map(&mut index).collect(), 1)).collect();
    EventLogActivityProjection { activities, act_to_index, traces }
}
