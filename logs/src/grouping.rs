//! Events of interleaved sessions, brought together session by session in bounded memory.
//!
//! Events come in batches that threads have made ([`block`]), and are kept by the hash of their
//! session: in memory as long as they fit, else on disk ([`store`]). Then one part after another is
//! sorted into runs of whole sessions ([`runs`]), and the runs are merged ([`merge`]): sessions
//! come out in the order of their first events, whatever the memory and the threads.
//!
//! Temporary files have no names, so that nothing is left of them however the process ends.

mod block;
mod merge;
mod runs;
mod spill;
mod store;

pub(crate) use block::{EventBatch, put_bytes, put_number, records, take, take_bytes, take_number};
pub use merge::Grouped;
pub(crate) use merge::RunMerge;
pub(crate) use store::EventStore;

#[cfg(test)]
mod tests;
