//! Event logs of every format, and mappings, as their users call them.

mod events {
    pub(crate) mod common;
    mod docs;
    mod lines;
    mod mappings;
    mod spans;
    mod tables;
}
