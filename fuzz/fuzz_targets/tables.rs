//! Tables in Parquet and Arrow: as event logs, and as the Python package takes them, with an event a row
//! or with local traces.

#![no_main]

#[path = "../../python/src/traces.rs"]
mod traces;

/// The names that `traces` takes from the Python package, without Python.
mod table {
    pub(crate) type Batches =
        Box<dyn Iterator<Item = Result<arrow_array::RecordBatch, arrow_schema::ArrowError>> + Send>;

    pub(crate) const TABLE: &str = "the table";

    pub(crate) fn unread(error: &arrow_schema::ArrowError) -> String {
        error.to_string()
    }
}

mod waiting {
    /// A run that nobody cancels.
    pub(crate) struct Shared;

    impl Shared {
        pub(crate) fn is_cancelled(&self) -> bool {
            false
        }
    }
}

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use libfuzzer_sys::fuzz_target;
use multitrace::{Inputs, Mapping, RunOptions};
use multitrace_formats::source::Source;
use multitrace_fuzz::{MONITOR, let_decoders_panic, records};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Beyond this many cells a table is too slow for a target, and shows nothing new.
const MOST_CELLS: usize = 1 << 14;

const MAPPING: &str = "[event]\nsession = \"session\"\nlifeline = \"location\"\n\
    direction = { field = \"dir\", emission = \"out\", reception = \"in\" }\nmessage = \"msg\"\norder = \"ts\"\n";

fuzz_target!(|data: &[u8]| {
    let_decoders_panic();
    records(None, data);
    // The reader of the stream here stands for Python, and so may fail in any way.
    let batches = catch_unwind(|| batches(data)).unwrap_or_default();
    let Some(first) = batches.first() else { return };
    let (schema, given) = (first.schema(), || Box::new(batches.clone().into_iter().map(Ok)));
    let cast = catch_unwind(AssertUnwindSafe(|| {
        traces::log_rows(&schema, given(), &MONITOR, &waiting::Shared)
    }));
    let options = || RunOptions { threads: NonZeroUsize::new(1), ..RunOptions::new(&MONITOR) };
    if let Ok(Ok(rows)) = cast {
        let report = MONITOR.run(Inputs::log_rows(rows), options(), &mut ());
        let _ = report.expect("sessions in memory can be checked");
    }
    let mapping = Mapping::parse(&Source::new("f.toml", MAPPING)).expect("a mapping");
    let _ = MONITOR.run(Inputs::event_tables("f", given(), mapping), options(), &mut ());
});

/// The tables of a stream of Arrow that are valid, as those are that come from Python.
fn batches(data: &[u8]) -> Vec<RecordBatch> {
    let Ok(reader) = StreamReader::try_new(data, None) else { return Vec::new() };
    let batches = reader.map_while(Result::ok);
    let is_valid = |batch: &RecordBatch| {
        let cells = batch.num_rows().saturating_mul(batch.num_columns().max(1));
        cells <= MOST_CELLS && batch.columns().iter().all(|it| it.to_data().validate_full().is_ok())
    };
    batches.take_while(is_valid).take(8).collect()
}
