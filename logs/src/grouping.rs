//! Events of interleaved sessions, brought together session by session in bounded memory.
//!
//! Sessions come out in the order of their first events. The order does not depend on the memory and
//! the threads.

// An external sort by hash partitions.
//
// Idea: threads put the events of a batch into partitions by the hash of their session (`block`).
// The store appends these blocks to its partitions, in memory as long as they fit, then in temporary
// files (`store`). At the end each partition is sorted into a run of whole sessions (`runs`), in
// parallel, and the runs are merged by the numbers of first events (`merge`).
//
// Invariant: blocks are added in the order of the input, and records are in order within a block. So
// the records of a partition are in the order of their numbers: a run needs no comparison, only a
// chain of records for each session, and its sessions already stand in the order of first events.
//
// Cost: the name of a session is hashed and stored once a block if records say it by number
// (`session_numbers`), and once a record if not.
// A record is copied into its block, into its partition, into its run, and out of it. Beyond
// the memory, the copies in partition and run are on disk. A partition that is too large is split
// by further bits of the hash before it is sorted. Merging costs log(runs) a session, not a record.

mod block;
mod merge;
mod runs;
mod spill;
mod store;

pub(crate) use block::{
    EventBatch, NamePlace, put_bytes, put_number, records, take, take_bytes, take_number,
};
pub use merge::Grouped;
pub(crate) use merge::RunMerge;
pub(crate) use store::EventStore;

#[cfg(test)]
mod tests;
