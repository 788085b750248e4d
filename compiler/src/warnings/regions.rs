//! Concurrent regions over lifelines that do nothing in them (MT604).

use super::written::WrittenSpec;
use multitrace_formats::hif::Named;
use multitrace_formats::warning::{Warning, WarningCode};
use multitrace_interaction::{Id, LoopKind, Node};
use rustc_hash::FxHashMap;

pub(super) fn warnings(spec: &WrittenSpec<'_>) -> Vec<Warning> {
    let mut acts_at = vec![Vec::new(); spec.parsed.signature.lifelines().len()];
    for name in &spec.parsed.names {
        if let Named::Lifeline(lifeline) = name.named {
            acts_at[lifeline.index()].push(name.span.start);
        }
    }
    let ends = ends(spec);
    let regions = spec.parsed.names.iter().filter_map(|name| {
        let Named::Region { lifeline, operator } = name.named else { return None };
        let end = *ends.get(&operator)?;
        let uses: &[usize] = &acts_at[lifeline.index()];
        let next = uses.get(uses.partition_point(|&at| at < operator));
        if next.is_some_and(|&at| at < end) {
            return None;
        }
        let message = format!("`{}` does nothing in this region", spec.lifeline(lifeline));
        Some(Warning::new(WarningCode::IdleRegion, name.span, message, "not among its operands"))
    });
    regions.collect()
}

/// Where each operator with a region ends, by its start.
fn ends(spec: &WrittenSpec<'_>) -> FxHashMap<usize, usize> {
    let nodes = spec.parsed.interaction.nodes().iter().zip(&spec.parsed.spans);
    let with_region = nodes
        .filter(|(node, _)| matches!(node, Node::CoReg(..) | Node::Loop(LoopKind::CoReg(_), _)));
    with_region.map(|(_, span)| (span.start, span.end)).collect()
}
