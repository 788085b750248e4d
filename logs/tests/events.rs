//! Event logs of every format, and mappings, as their users call them.

mod events {
    mod answered;
    #[cfg(feature = "columnar")]
    mod columns;
    pub(crate) mod common;
    mod correlation;
    mod docs;
    mod documents;
    mod inputs;
    mod line_ends;
    mod lines;
    mod mappings;
    mod presets;
    mod proposal_parts;
    mod proposals;
    mod proposed_formats;
    mod proposed_kinds;
    mod replies;
    mod reports;
    mod spans;
    mod tables;
    mod text_logs;
}
