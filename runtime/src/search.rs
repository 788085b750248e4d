//! Searches for an interleaving of the local traces that the specification accepts.
//
// Five searches answer the same question and are each other's oracles, so they share its rules
// (`question.rs`), their words for how they end (`outcome.rs`) and how nodes become words
// (`node_layout.rs`), but no loop. `shuffle_search.rs` runs on anything and gives witnesses;
// `packed_search.rs` is the fast one; `layered_search.rs` is for problems that must be searched to their end;
// `repetitions.rs`
// is exact on terms where unobserved actions may be endless, and `simulation.rs` is the criterion of paper 000 for them.

mod epoch_set;
pub(crate) mod layered_search;
pub(crate) mod layered_terms;
pub(crate) mod lifting;
pub(crate) mod node_layout;
pub(crate) mod outcome;
pub(crate) mod packed_search;
pub(crate) mod part_search;
mod path_to_final;
pub(crate) mod problem;
pub(crate) mod repetitions;
pub(crate) mod shuffle_search;
pub(crate) mod simulation;
