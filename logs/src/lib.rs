//! Event logs: one event a line, row or span, in any order across sessions and locations; and the mappings that turn
//! records into events.
//!
//! Reading has two halves, so that several threads can parse: [`RecordBatches`] cuts an input into
//! batches, [`RecordBatch::for_each`] reads the records of one. A [`Mapping`] makes events of
//! records.
//!
//! The feature `columnar` adds Parquet and Arrow IPC, and unpacks zstd with the C library, which is
//! faster.

mod assemble;
mod batch_problems;
mod batches;
mod chains;
mod collector;
mod compressed;
mod cycles;
mod derived;
mod draw;
mod error;
mod event_item;
mod event_log;
mod event_reader;
mod event_sessions;
mod field;
mod file_trends;
mod files;
mod format;
mod formats;
mod grouping;
mod input_files;
mod joining;
mod line_lookup;
mod log_check;
mod log_error;
mod mapper;
mod mapping;
mod mapping_memo;
mod packings;
mod pattern_list;
mod preview;
mod propose;
mod raw_lines;
mod read_stamps;
mod record;
mod record_problem;
mod record_tally;
mod relating;
mod replying;
mod session_key;
mod session_numbers;
mod session_rules;
#[cfg(feature = "columnar")]
mod session_table;
mod stored_event;
mod streamed;
mod survey;
#[cfg(any(test, not(feature = "columnar")))]
mod zstd_frames;

pub use assemble::{AssembledPlaces, Assembler, Unassembled};
pub use batches::{RecordBatch, RecordBatches};
pub use collector::{Collected, Collector};
pub use compressed::{decompress, peek};
pub use draw::Drawn;
pub use error::EventError;
pub use event_item::{EventItem, SessionsLeftOut};
pub use event_log::EventLog;
pub use event_reader::EventReader;
pub use event_sessions::{EventSessions, MergedSessions};
pub use field::{BadPath, FieldId, FieldPath, Fields, PathStep};
pub use format::{Format, InputOptions, PairSigns};
#[cfg(feature = "columnar")]
pub use formats::{ALL_COLUMNS, ArrowBatches, column_texts, error_of_maker, unfit_session};
pub use grouping::Grouped;
pub use input_files::{Exclusions, InputFile, InputFiles, UNFINISHED, is_empty_file, is_stdin};
pub use log_check::{LogCheck, check_log};
pub use log_error::LogError;
pub use mapping::{
    Binding, Broken, Event, EventPart, Events, Explained, JoinId, MappedRecord, Mapping,
    OrderFieldId, OrderKey, OrderKind, RoleError, RoleId, RoleNames, RuleId, SessionFilterId,
    SessionLink, SessionMark, SessionRef, Ties, Unmatched, WhyUnmatched,
};
pub use pattern_list::{BadPattern, CompiledPatterns, PatternsWin};
pub use preview::{Previewed, write_preview};
pub use propose::{propose, propose_files};
pub use raw_lines::raw_lines;
pub use read_stamps::ReadStamps;
pub use record::{PatternMatch, Record, RecordPlace, Unit};
#[cfg(feature = "columnar")]
pub use session_table::SessionTable;
pub use streamed::Streamed;
