//! Warnings of a specification: parts that are legal, and most likely not meant.
//
// Each kind looks at the interaction as it was written, in one pass over its nodes or names. Facts that an
// operator needs of its operands move up the tree, the smaller into the larger, so that a pass is
// n log n; where pairs are compared, a cap bounds them. A cap loses warnings, and never makes one.

mod automaton;
mod causes;
mod choices;
mod dead_parts;
mod drawn;
mod indistinct;
mod local_order;
mod names;
mod order_walk;
mod passings;
mod races;
mod regions;
mod similar;
mod steps;
mod written;

pub use automaton::automaton_warnings;
pub use written::WrittenSpec;

use multitrace_formats::warning::Warning;

/// The warnings of an interaction, without those that its comments allow.
pub fn interaction_warnings(spec: &WrittenSpec<'_>) -> Vec<Warning> {
    let drawn = drawn::Drawn::new(spec);
    let mut found = names::warnings(spec);
    found.extend(steps::warnings(spec));
    found.extend(regions::warnings(spec));
    found.extend(order_walk::warnings(spec, &drawn));
    found.extend(dead_parts::warnings(spec, &drawn));
    found.extend(indistinct::warnings(spec, &drawn));
    found.retain(|warning| !spec.parsed.allowed.silences(warning));
    found
}
