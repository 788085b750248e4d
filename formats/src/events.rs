//! Event logs: one event a line, row or span, in any order across sessions and locations; and the
//! mappings that say what each is.
//!
//! Reading is in two halves, so that parsing can be done by several threads: [`RecordBatches`] cuts
//! an input into batches, [`RecordBatch::for_each`] reads the records of one. A [`Mapping`] makes
//! events of records.

mod arrow;
mod batches;
mod columns;
mod compressed;
mod contain;
mod csv;
mod error;
mod field;
mod format;
mod frames;
mod json;
mod logfmt;
mod mapping;
mod otlp;
mod parquet;
mod plan;
mod propose;
mod record;
mod survey;
mod text;
mod xes;
mod zipkin;

pub use batches::{RecordBatch, RecordBatches};
pub use compressed::{decompress, peek};
pub use error::EventError;
pub use field::{BadPath, FieldId, FieldPath, Fields, Step};
pub use format::{Format, InputOptions};
pub use mapping::{
    Binding, Broken, Event, Events, Mapping, OrderKey, OrderKind, Outcome, Part, RoleError, RoleId,
    RoleNames, RuleId, Unmatched,
};
pub use propose::propose;
pub use record::{Place, Record, Unit};
pub use text::BadPattern;
