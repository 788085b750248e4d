//! Bundles, for Python: compiled, loaded, and checked against.

use crate::check_options::{CheckOptions, observation};
use crate::errors::{exception, unfit};
use crate::explaining::Explanation;
use crate::mappings::check_mapping;
use crate::online::OnlineSession;
use crate::report::{Report, ReportRows};
use crate::sessions_table::{SessionBlock, SessionBlocks, SessionPiece};
use crate::source::{NoInput, Source};
use crate::stream::Stream;
use crate::waiting::{Shared, wait_for};
use crate::words::WORDS;
use multitrace::{
    CompileOptions, Error, ExplainOptions, ExplainedSession, Inputs, Mapping, Monitor, RunObserver,
    Spec, SpecFormat, SpecPath, read,
};
use multitrace_formats::bundle::EventMapping;
use multitrace_formats::diagram::DiagramOptions;
use multitrace_formats::hsf;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::source::Source as Text;
use multitrace_reports::pictures::{SvgOptions, overlay::Overlay};
use multitrace_reports::summary::Summary;
use multitrace_reports::timeline::Window;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::any::Any;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// A compiled specification.
#[pyclass(frozen, module = "multitrace")]
pub(crate) struct Bundle {
    monitor: Monitor,
}

impl Bundle {
    pub(crate) fn of(monitor: Monitor) -> Bundle {
        Bundle { monitor }
    }
}

/// The options that the text of a specification is compiled with.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct CompileArguments {
    locations: Option<String>,
    observe: Option<String>,
    /// The mapping of event logs: its name in messages, and its text.
    events: Option<(String, String)>,
    limit_states: Option<usize>,
    limit_memory: Option<usize>,
    /// The signature: its name in messages, and its text.
    signature: Option<(String, String)>,
    diagrams: Option<String>,
    unjudged: Option<String>,
    unlogged: Option<String>,
}

impl CompileArguments {
    fn compile(&self, py: Python<'_>, spec: &Spec) -> PyResult<Bundle> {
        let observation = self.observe.as_deref().map(|name| observation(py, name)).transpose()?;
        let signature = self.signature.as_ref().map(|(name, text)| {
            hsf::parse(&Text::new(name.as_str(), text.as_str()))
                .map_err(|error| exception(py, &error.into()))
        });
        let diagrams = self.diagrams.as_deref().map(str::parse::<DiagramOptions>).transpose();
        let diagrams = diagrams.map_err(|error| unfit(py, format!("diagrams: {error}")))?;
        let options = CompileOptions {
            diagrams: diagrams.unwrap_or_default(),
            unjudged: self.unjudged.clone(),
            unlogged: self.unlogged.clone(),
            signature: signature.transpose()?,
            locations: self.locations.clone(),
            observation: observation.unwrap_or_default(),
            limit_states: self.limit_states,
            limit_memory: self.limit_memory,
            ..CompileOptions::default()
        };
        let shared = Shared::compiling(&options.progress);
        let compiled = wait_for(py, &shared, None, || match &self.events {
            None => spec.compile(&options),
            Some((name, text)) => {
                Mapping::parse(&Text::new(name.as_str(), text.as_str()))?;
                let events = EventMapping { name: name.clone(), text: text.clone() };
                spec.compile_with_events(&options, events)
            }
        })?;
        Ok(Bundle { monitor: compiled.map_err(|error| exception(py, &error))?.monitor })
    }
}

/// Compiles the text of a specification; `name` is its name in errors. Without a format, the text tells it.
#[pyfunction]
pub(crate) fn compile_text(
    py: Python<'_>,
    text: &str,
    name: &str,
    format: Option<&str>,
    options: CompileArguments,
) -> PyResult<Bundle> {
    let format = match format {
        None => SpecFormat::of_text(text),
        Some(format) => SpecFormat::of_path(Path::new(&format!("spec.{format}")))
            .map_err(|error| unfit(py, error))?,
    };
    options.compile(py, &Spec::parse(name, text, format))
}

/// Compiles the specification in a file, or loads the bundle in it, which takes no options.
#[pyfunction]
pub(crate) fn open_path(
    py: Python<'_>,
    path: PathBuf,
    options: Option<CompileArguments>,
) -> PyResult<Bundle> {
    if let Some(options) = options {
        let spec = py.detach(|| Spec::read(&path)).map_err(|error| exception(py, &error))?;
        return options.compile(py, &spec);
    }
    let file = SpecPath::of(&path).file;
    let loaded = py.detach(|| Monitor::of_file(&file, &read(&file)?));
    Ok(Bundle { monitor: loaded.map_err(|error| exception(py, &error))? })
}

/// Loads the bytes of a bundle.
#[pyfunction]
pub(crate) fn load_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Bundle> {
    let loaded = py.detach(|| Monitor::from_bytes(bytes));
    Ok(Bundle { monitor: loaded.map_err(|error| exception(py, &error))? })
}

#[pymethods]
impl Bundle {
    /// The bytes of a file `.mtb`. The same specification and options give the same bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| self.monitor.to_bytes());
        PyBytes::new(py, &bytes)
    }

    /// The name of the specification.
    #[getter]
    fn name(&self) -> String {
        self.monitor.bundle().provenance.spec_name.clone()
    }

    /// The observation mode of checks that name none.
    #[getter]
    fn observe(&self) -> &'static str {
        self.monitor.config().observation.name()
    }

    /// The names of the locations.
    #[getter]
    fn locations(&self) -> Vec<String> {
        let alphabet = self.monitor.alphabet();
        alphabet.locations().map(|it| alphabet.location_name(it).to_owned()).collect()
    }

    /// The actions of the specification.
    #[getter]
    fn actions(&self) -> Vec<String> {
        let alphabet = self.monitor.alphabet();
        alphabet.letters().map(|it| alphabet.letter_name(it).to_owned()).collect()
    }

    /// The text of the mapping of event logs, if it has one.
    #[getter]
    fn events(&self) -> Option<String> {
        self.monitor.bundle().events.as_ref().map(|events| events.text.clone())
    }

    /// The parts that are legal and most likely not meant, as text; empty for a bundle that was loaded, whose
    /// warnings were given when it was compiled.
    #[getter]
    fn warnings(&self) -> String {
        self.monitor.warnings().map_or_else(String::new, |it| it.to_string())
    }

    /// The specification as SVG.
    fn svg(&self, background: bool) -> String {
        let options = SvgOptions { has_background: background, ..SvgOptions::default() };
        self.monitor.picture(&Overlay::default(), options)
    }

    /// The sequence diagram as text of this width; nothing for an automaton.
    fn text(&self, width: usize) -> Option<String> {
        self.monitor.text_picture(&Overlay::default(), width)
    }

    /// Checks all sessions of a source. `tick` is called now and then with the numbers of records and
    /// sessions so far.
    fn check(
        &self,
        py: Python<'_>,
        source: &Source,
        options: CheckOptions,
        tick: Option<Py<PyAny>>,
    ) -> PyResult<Report> {
        let source = source.prepare(py)?;
        self.run(py, options, tick, |shared| source.inputs(&self.monitor, shared))
    }

    /// How the events of a source compare with those of the specification, as text or as JSON.
    fn check_mapping(
        &self,
        py: Python<'_>,
        source: &Source,
        memory: Option<usize>,
        is_json: bool,
    ) -> PyResult<String> {
        check_mapping(py, source, &self.monitor, (memory, is_json))
    }

    /// The bundle of each location, with the name of its file without extension.
    fn split<'py>(&self, py: Python<'py>) -> Vec<(String, Bound<'py, PyBytes>)> {
        let bundles = py.detach(|| self.monitor.split()).into_iter();
        bundles.map(|(name, bytes)| (name, PyBytes::new(py, &bytes))).collect()
    }

    /// The requests to locations whose letters these files lack, by the name of the file of a location's bundle.
    fn requests<'py>(
        &self,
        py: Python<'py>,
        files: Vec<(String, Vec<u8>)>,
        verdicts_only: bool,
    ) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        let combined = py.detach(|| self.monitor.combine(&files, verdicts_only));
        let combined = combined.map_err(|error| exception(py, &error))?;
        let requests = combined.requests().iter();
        Ok(requests.map(|(name, bytes)| (name.clone(), PyBytes::new(py, bytes))).collect())
    }

    /// Checks the sessions that files of locations give together.
    fn combine(
        &self,
        py: Python<'_>,
        files: Vec<(String, Vec<u8>)>,
        verdicts_only: bool,
        options: CheckOptions,
        tick: Option<Py<PyAny>>,
    ) -> PyResult<Report> {
        let inputs = |_: &Shared| Ok(self.monitor.combine(&files, verdicts_only)?.into_inputs()?);
        self.run(py, options, tick, inputs)
    }

    /// Explains the sessions of an id, with this many events around each one that is wrong; all
    /// events, if there is no number. Also returns how many problems the source has.
    fn explain(
        &self,
        py: Python<'_>,
        source: &Source,
        id: &str,
        options: CheckOptions,
        context: Option<usize>,
    ) -> PyResult<(Vec<Explanation>, u64)> {
        let source = source.prepare(py)?;
        let config = options.config(py, &self.monitor)?;
        let config = multitrace::CheckConfig { witness: true, ..config };
        let usual = ExplainOptions::new(&self.monitor);
        let options = ExplainOptions {
            config,
            memory: options.memory.unwrap_or(usual.memory),
            threads: options.threads.and_then(NonZeroUsize::new),
            window: context.map_or(Window::Full, Window::Around),
            words: WORDS,
        };
        let (mut found, mut problems) = (Vec::new(), 0);
        let shared = Shared::default();
        let ended = wait_for(py, &shared, None, || {
            let inputs = source.inputs(&self.monitor, &shared)?;
            let each = &mut |item: Result<ExplainedSession, InputProblem>| {
                match item {
                    Ok(session) => found.push(session),
                    Err(_) => problems += 1,
                }
                if shared.is_cancelled() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            self.monitor.explain(inputs, id, options, each)?;
            Ok(())
        })?;
        match ended {
            Ok(()) | Err(NoInput::Library(Error::Stopped)) => {}
            Err(error) => return Err(error.exception(py)),
        }
        let explanation = |session| {
            let context = context.unwrap_or(usize::MAX);
            Explanation { session, monitor: self.monitor.clone(), context }
        };
        Ok((found.into_iter().map(explanation).collect(), problems))
    }

    /// Begins a session that is fed event by event.
    fn session(&self, py: Python<'_>, id: &str, options: CheckOptions) -> PyResult<OnlineSession> {
        let config = options.config(py, &self.monitor)?;
        Ok(OnlineSession::new(self.monitor.clone(), id, config))
    }

    /// Begins to check tables whose events come session by session.
    fn stream(
        &self,
        py: Python<'_>,
        events: Option<(String, String)>,
        options: CheckOptions,
    ) -> PyResult<Stream> {
        let mapping = match events {
            Some((name, text)) => {
                Mapping::parse(&Text::new(name, text)).map(Some).map_err(Error::from)
            }
            None => self.monitor.mapping(),
        };
        let mapping = mapping.map_err(|error| exception(py, &error))?.ok_or_else(|| {
            unfit(
                py,
                "tables of events need a mapping: give events=, or compile it into the bundle",
            )
        })?;
        let run = options.run_options(py, &self.monitor)?;
        Stream::new(self.monitor.clone(), mapping, run).map_err(|error| {
            unfit(py, format!("a stream needs a thread, and the system starts none: {error}; check a whole table"))
        })
    }
}

impl Bundle {
    /// Checks all sessions of the inputs that a function gives.
    fn run(
        &self,
        py: Python<'_>,
        options: CheckOptions,
        tick: Option<Py<PyAny>>,
        inputs: impl FnOnce(&Shared) -> Result<Inputs, NoInput> + Send,
    ) -> PyResult<Report> {
        let run = options.run_options(py, &self.monitor)?;
        let has_sessions = run.rows.is_some();
        let shared = Shared::default();
        let mut observer = Collecting {
            shared: &shared,
            waiting: SessionBlocks::default(),
            blocks: Vec::new(),
            problems: Vec::new(),
        };
        let found = wait_for(py, &shared, tick.as_ref(), || {
            Ok(self.monitor.run(inputs(&shared)?, run, &mut observer)?)
        })?;
        let found = found.map_err(|error: NoInput| error.exception(py))?;
        let Collecting { mut waiting, mut blocks, problems, .. } = observer;
        blocks.extend(waiting.take());
        let sessions = has_sessions.then(|| ReportRows::new(blocks));
        Ok(Report { found, sessions, problems, merged: None })
    }
}

/// Collects the results of a run.
struct Collecting<'s> {
    shared: &'s Shared,
    waiting: SessionBlocks,
    blocks: Vec<SessionBlock>,
    problems: Vec<InputProblem>,
}

impl RunObserver for Collecting<'_> {
    fn rows(&mut self, rows: Box<dyn Any + Send>) -> ControlFlow<()> {
        self.blocks.extend(self.waiting.add(SessionPiece::of_run(rows)));
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: &InputProblem) {
        self.problems.push(problem.clone());
    }

    fn records_read(&mut self, records: u64) {
        self.shared.records.store(records, Ordering::Relaxed);
    }

    fn progress(&mut self, summary: &Summary, _violations: u64) {
        self.shared.sessions.store(summary.sessions, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.shared.is_cancelled()
    }
}
