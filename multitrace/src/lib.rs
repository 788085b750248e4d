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
//! * [`Spec`] and [`CompileOptions`] make a [`Monitor`]; [`Monitor::open`] and [`Monitor::from_bytes`] load a bundle.
//! * [`Monitor::session`] builds a [`Session`] by names; [`Monitor::check`] and [`Monitor::checker`]
//!   check one at a time, as a [`CheckConfig`] says.
//! * [`Monitor::online`] is fed event by event.
//! * [`Monitor::split`] gives each location a bundle, [`LocalMonitor`] judges its logs where they are, and
//!   [`Monitor::combine`] makes inputs of the answers of locations.
//! * [`Monitor::run`] checks [`Inputs`] in parallel and gives a [`Report`]; a [`RunObserver`] gets the results
//!   meanwhile.
//!
//! Items for the front ends of this project alone are public too, hidden here, and may change with any version.

mod cause_order;
mod check_one;
mod chunk;
mod chunks;
mod combined_sessions;
mod combining;
mod comparing;
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
mod input_remarks;
mod input_stamps;
mod inputs;
mod judging;
mod known_failures;
mod learning;
mod local;
mod log_lines;
mod log_rows;
mod logged_locations;
mod memory_session;
mod monitor;
mod notes;
mod occurrences;
mod online;
mod open;
mod options_text;
mod part_source;
mod partial;
mod picturing;
mod problems;
mod read_counts;
mod report;
mod row_session;
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
mod splitting;
mod verdict;
mod verify;
#[cfg(not(target_family = "wasm"))]
mod whole_files;
mod worker;
mod writing_sessions;

pub use check_one::SessionChecker;
pub use combining::Combined;
pub use comparing::{Change, ChangeKind, CompareOptions, Comparison, compare};
pub use error::Error;
pub use files::read_text;
pub use inputs::Inputs;
pub use learning::{
    Amendment, ChangedPlace, Deviation, Evidence, LearnOptions, Learnt, NoChange, Outlier,
    WHY_SKIPPED, Written, learn,
};
pub use local::{LocalFile, LocalMonitor, LocalOptions};
pub use monitor::Monitor;
pub use multitrace_learn::Lack;
pub use online::OnlineSession;
pub use problems::Problems;
pub use report::Report;
#[doc(hidden)]
pub use run::peak_bytes;
pub use run::{RunObserver, RunOptions};
pub use session_builder::SessionBuilder;
pub use spec::{CompileOptions, CompiledSpec, Spec};
pub use verdict::SessionVerdict;

/// ```
/// use multitrace::{Spec, SpecFormat};
/// assert_eq!(SpecFormat::of_path("ping.hif".as_ref())?, SpecFormat::Hif);
/// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
/// assert_eq!(spec.format(), SpecFormat::Hif);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use multitrace_formats::spec::SpecFormat;
/// ```
/// use multitrace::{CheckConfig, Observation, Spec, SpecFormat, Verdict};
/// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
/// let monitor = spec.compile(&Default::default())?.monitor;
/// let session = monitor.session("s1").event("a", "a!ping").build();
/// assert!(matches!(monitor.check(&session, monitor.config())?.verdict, Verdict::Fail(_)));
/// // Logs may be cut off at their ends.
/// let config = CheckConfig { observation: Observation::Prefix, ..monitor.config() };
/// let checked = monitor.check(&session, config)?;
/// assert!(matches!(checked.verdict, Verdict::WeakPass { .. }));
/// # Ok::<(), multitrace::Error>(())
/// ```
pub use multitrace_interaction::{InconclusiveReason, Observation, Session, Verdict};
/// ```no_run
/// use multitrace::{Inputs, Mapping, read_text};
/// let mapping = Mapping::parse(&read_text("map.toml".as_ref())?)?;
/// let inputs = Inputs::event_logs(&["logs".into()], mapping)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use multitrace_logs::Mapping;
/// ```
/// use multitrace::{Baseline, Gate, Inputs, OutputFormat, RunOptions, RunOutcome, Spec, SpecFormat};
/// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
/// let monitor = spec.compile(&Default::default())?.monitor;
/// let sessions = || Inputs::sessions([monitor.session("s1").event("a", "a!ping").build()]);
/// let report = monitor.run(sessions(), RunOptions::new(&monitor), &mut ())?;
/// assert_eq!(report.outcome(), RunOutcome::Violations);
/// report.write(OutputFormat::Human, &mut std::io::stdout())?;
///
/// // Findings that are known by now do not fail later runs.
/// let baseline: Baseline = report.baseline()?;
/// let gate = Gate { baseline: Some(baseline), ..Gate::default() };
/// let options = RunOptions { gate, ..RunOptions::new(&monitor) };
/// assert_eq!(monitor.run(sessions(), options, &mut ())?.outcome(), RunOutcome::Clean);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use multitrace_reports::{
    baseline::Baseline, finding::Finding, gate::Gate, outcome::RunOutcome, outputs::OutputFormat,
};
pub use multitrace_runtime::CheckConfig;

#[cfg(not(target_family = "wasm"))]
#[doc(hidden)]
pub use whole_files::{WholeFile, WholeFolder};
#[doc(hidden)]
pub use {
    convert::{ConvertTo, Converted},
    diff::{
        Answer, DiffOptions, Difference, Inclusion, Proof, Regrouped, SignatureDiff, SpecDiff,
        SpecGap,
    },
    error::{AfterError, Contradiction, FileError, Lacking, NoPart, PartsError, Unverifiable},
    explain::{ExplainOptions, ExplainedSession},
    explore::{ExploreOptions, Strategy, explore},
    files::{is_stream, read, read_or_stdin, text_of},
    graphs::NamedGraph,
    log_rows::{LogRows, RowActions},
    notes::EVENT_LOGS,
    partial::{FinishOptions, PartialReport},
    rows::{NewRows, SessionRow, SessionRows},
    rules::Detail,
    run::{DEFAULT_MEMORY, MOST_THREADS},
    selecting::{SampleSize, SessionFilter, Shard},
    session_files::FileOptions,
    spec::{ReadInteraction, Reduction, locations, read_signature},
    spec_path::SpecPath,
    writing_sessions::{WriteOptions, WrittenSessions},
};
