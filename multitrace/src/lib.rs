//! Do these logs conform to that sequence diagram? For distributed systems, where every location
//! writes its own log and no global clock exists.
//!
//! A specification, a formal sequence diagram, is compiled once. Sessions, one local log for each
//! location, are then checked against it: one at a time, in parallel from files and event logs, or
//! event by event while they happen.
//!
//! ```
//! use multitrace::{CompileOptions, Inputs, OutputFormat, RunOptions, Spec, SpecFormat};
//!
//! let text = "seq(client -- order -> shop, alt(shop -- paid -> client, shop -- refused -> client))";
//! let spec = Spec::parse("shop.hif", text, SpecFormat::Hif);
//! let monitor = spec.compile(&CompileOptions::default())?.monitor;
//!
//! // One session, by names.
//! let session = monitor
//!     .session("s1")
//!     .trace("client", ["client!order", "client?paid"])
//!     .trace("shop", ["shop?order", "shop!refused"])
//!     .build();
//! let checked = monitor.check(&session, monitor.config())?;
//! assert_eq!(checked.verdict.name(), "fail");
//! println!("{}", checked.findings[0]);
//!
//! // Many sessions, in parallel, and a report.
//! let lines = br#"{"session":"s2","traces":{"client":["client!order"],"shop":[]}}"#;
//! let report = monitor.run(Inputs::reader("logs", &lines[..]), RunOptions::new(&monitor), &mut ())?;
//! report.write(OutputFormat::Junit, &mut std::io::stdout())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`Spec`] and [`CompileOptions`] make a [`Monitor`]; [`Monitor::open`] and
//!   [`Monitor::from_bytes`] load a bundle, and [`Monitor::verify`] compiles it again.
//! * [`Monitor::session`] builds a session by names; [`Monitor::check`] and [`Monitor::checker`]
//!   check one at a time.
//! * [`Monitor::online`] is fed event by event.
//! * [`Monitor::run`] checks [`Inputs`] in parallel and gives a [`Report`].
//! * [`PartialReport`] is what a run over a part of the input found, to be merged with other parts.
//! * [`Monitor::explain`] explains single sessions in full.
//! * [`explore()`] says what an interaction can do, step by step, and [`Monitor::explore`] how a session is
//!   explained.
//! * [`Monitor::diff`] compares two specifications.

mod cause_order;
mod check_one;
mod chunk;
mod chunks;
mod convert;
mod coverage;
mod diff;
mod error;
mod explain;
mod explore;
mod files;
mod graphs;
mod htf_locations;
mod illustrating;
mod inputs;
mod judging;
mod log_lines;
mod log_rows;
mod memory_session;
mod monitor;
mod notes;
mod online;
mod open;
mod options_text;
mod part_source;
mod partial;
mod picturing;
mod report;
mod rows;
mod rules;
mod run;
mod selecting;
mod session_builder;
mod session_files;
mod session_stream;
mod sinks;
mod spec;
mod spec_path;
mod verdict;
mod verify;
#[cfg(not(target_family = "wasm"))]
mod whole_files;
mod worker;

pub use check_one::SessionChecker;
pub use convert::{ConvertTo, Converted};
pub use diff::{
    Answer, DiffOptions, Difference, Inclusion, Proof, Regrouped, SignatureDiff, SpecDiff,
};
pub use error::{
    AfterError, Contradiction, Error, FileError, Lacking, NoPart, PartsError, Unverifiable,
};
pub use explain::{ExplainOptions, ExplainedSession};
pub use explore::{ExploreOptions, Strategy, explore};
pub use files::{is_stream, read, read_or_stdin, read_text, text_of};
pub use graphs::NamedGraph;
pub use inputs::Inputs;
pub use log_rows::{LogRows, RowActions};
pub use monitor::Monitor;
pub use online::OnlineSession;
pub use partial::{FinishOptions, PartialReport};
pub use report::Report;
pub use rows::{NewRows, SessionRow, SessionRows};
pub use rules::Detail;
pub use run::{DEFAULT_MEMORY, RunObserver, RunOptions};
pub use selecting::{SampleSize, SessionFilter, Shard};
pub use session_builder::SessionBuilder;
pub use session_files::FileOptions;
pub use spec::{
    CompileOptions, CompiledSpec, ReadInteraction, Reduction, Spec, locations, read_signature,
};
pub use spec_path::SpecPath;
pub use verdict::SessionVerdict;
#[cfg(not(target_family = "wasm"))]
pub use whole_files::{WholeFile, WholeFolder};

pub use multitrace_formats::spec::SpecFormat;
pub use multitrace_interaction::{InconclusiveReason, Observation, Session, Verdict};
pub use multitrace_logs::Mapping;
pub use multitrace_reports::baseline::Baseline;
pub use multitrace_reports::finding::Finding;
pub use multitrace_reports::gate::Gate;
pub use multitrace_reports::outcome::RunOutcome;
pub use multitrace_reports::outputs::OutputFormat;
pub use multitrace_runtime::CheckConfig;
