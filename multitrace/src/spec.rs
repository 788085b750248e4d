//! From a text to something to check against: a specification, compiled.

use crate::error::{Error, Lacking};
use crate::files;
use crate::monitor::Monitor;
use crate::spec_path::SpecPath;
use multitrace_compiler::{
    CompileProgress, Compiled, Config, InteractionSpec, Limits, Report, WrittenSpec,
    automaton_warnings, compile_automaton_watched, compile_interaction_watched,
    interaction_warnings,
};
use multitrace_formats::bundle::{EventMapping, Provenance, SpecText};
use multitrace_formats::diagram::{
    DiagramOptions, DiagramText, Drawing, IncludeError, Notation, Rewritten,
};
use multitrace_formats::hif::ParsedSpec;
use multitrace_formats::locations::LocationGroup;
use multitrace_formats::open::{Unjudged, UnloggedEvents};
use multitrace_formats::source::{Source, Span};
use multitrace_formats::spec::{ReadOptions, Spec as AnySpec, SpecFormat, read_spec, rewrite_spec};
use multitrace_formats::timbuk::Timbuk;
use multitrace_formats::warning::{Warning, Warnings};
use multitrace_formats::{hsf, locations};
use multitrace_interaction::{Id, Interaction, Locations, NodeId, Observation, Signature};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A reduction of the compiler that can be left out. Verdicts stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reduction {
    /// Weak order made strict where no location can tell.
    Linearize,
    /// Persistent locations while the automaton is synthesised.
    PersistentTerms,
    /// Merging of states with equal futures or equal pasts.
    Merge,
    /// Persistent locations of the automaton.
    PersistentStates,
}

impl Reduction {
    /// All reductions, in the order of the passes.
    pub const ALL: [Reduction; 4] = [
        Reduction::Linearize,
        Reduction::PersistentTerms,
        Reduction::Merge,
        Reduction::PersistentStates,
    ];

    /// The name on the command line and in the provenance of bundles.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Linearize => "linearize",
            Reduction::PersistentTerms => "persistent-terms",
            Reduction::Merge => "merge",
            Reduction::PersistentStates => "persistent-states",
        }
    }

    /// The effect of the reduction, in a few words.
    pub fn title(self) -> &'static str {
        match self {
            Reduction::Linearize => "Weak order made strict where no location can tell",
            Reduction::PersistentTerms => "Persistent locations while synthesising",
            Reduction::Merge => "Merging states with equal futures or pasts",
            Reduction::PersistentStates => "Persistent locations of the automaton",
        }
    }

    /// The reduction of this name.
    pub fn named(name: &str) -> Option<Reduction> {
        Reduction::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// The options that shape a compiled specification.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// Which lifelines share a clock, as in `"a,b;c"`; `None` gives each its own. An automaton
    /// needs its letters assigned: `"left=a,b;right=c"`.
    pub locations: Option<String>,
    /// The names that a specification may use; `None` takes those it uses.
    pub signature: Option<Signature>,
    /// How diagrams are read.
    pub diagrams: DiagramOptions,
    /// Where messages are not judged that the specification does not mention: `"all"` lifelines, or `"a,b"`.
    pub unjudged: Option<String>,
    /// Events that are not in the log: `"a, b!m, c?*"`.
    pub unlogged: Option<String>,
    /// The observation mode of checks that do not name one.
    pub observation: Observation,
    /// The most states of the global automaton; `None` for the default, 100,000.
    pub limit_states: Option<usize>,
    /// The most states of one local table; `None` for the default, 20,000.
    pub limit_local_states: Option<usize>,
    /// The longest that compiling may take, after which terms take over; `None` sets no limit. With
    /// one, the bundle may depend on the machine, and says so if it does.
    pub limit_time: Option<Duration>,
    /// The most bytes that compiling keeps; `None` for the default, 2 GiB. Terms take over beyond it.
    pub limit_memory: Option<usize>,
    /// Reductions that are left out, for comparison.
    pub without: Vec<Reduction>,
    /// Is told how far compiling is, for those who watch it from another thread.
    pub progress: Arc<CompileProgress>,
}

impl CompileOptions {
    pub(crate) fn config(&self) -> Config {
        let limits = Limits::default();
        let limits = Limits {
            states: self.limit_states.unwrap_or(limits.states),
            local_states: self.limit_local_states.unwrap_or(limits.local_states),
            time: self.limit_time,
            memory: self.limit_memory.unwrap_or(limits.memory),
            ..limits
        };
        let with = |reduction| !self.without.contains(&reduction);
        Config {
            limits,
            observation: self.observation,
            linearize: with(Reduction::Linearize),
            persistent_terms: with(Reduction::PersistentTerms),
            merge: with(Reduction::Merge),
            persistent_states: with(Reduction::PersistentStates),
        }
    }
}

/// A specification: an interaction (`.hif`), a diagram (`.mmd`, `.puml`, `.md`) or an automaton
/// (`.timbuk`).
///
/// ```
/// use multitrace::{CompileOptions, Spec, SpecFormat};
/// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
/// let monitor = spec.compile(&CompileOptions::default())?.monitor;
/// # assert_eq!(monitor.alphabet().letters().len(), 2);
/// # Ok::<(), multitrace::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Spec {
    source: Source,
    format: SpecFormat,
    /// Which diagram of the text.
    diagram: Option<String>,
    /// The diagrams of the text, if they were looked for.
    found: Option<Arc<[DiagramText]>>,
    /// Where the files are that diagrams include; `None` if they may include none.
    folder: Option<PathBuf>,
}

/// A compiled specification.
#[derive(Debug)]
pub struct CompiledSpec {
    /// The monitor that checks sessions.
    pub monitor: Monitor,
    /// Sizes after each pass, and the construct that prevents an automaton, if one does.
    pub report: Report,
    /// Parts that are legal, and most likely not meant. [`Monitor::warnings`] has them too.
    pub warnings: Warnings,
}

impl Spec {
    /// A specification in a text. `name` is its name in errors and bundles.
    pub fn parse(name: &str, text: &str, format: SpecFormat) -> Spec {
        Spec { source: Source::new(name, text), format, diagram: None, found: None, folder: None }
    }

    /// The same, with one diagram of the text: by its number, from 1, its title, or the heading above it.
    #[must_use]
    pub fn diagram(self, selector: &str) -> Spec {
        Spec { diagram: Some(selector.to_owned()), ..self }
    }

    /// The specification in a file; its extension tells the format, for standard input (`-`) and
    /// pipes the text. `SPEC.md#2` and `SPEC.md#title` name one of several diagrams.
    ///
    /// # Errors
    /// When the file cannot be read, is not UTF-8, or has an unknown extension.
    pub fn read(path: &Path) -> Result<Spec, Error> {
        let path = SpecPath::of(path);
        let bytes = path.read()?;
        Spec::of_file(&path, bytes)
    }

    /// The specification in the bytes of a file; the extension of its path tells the format, for
    /// standard input (`-`) and pipes the text.
    ///
    /// # Errors
    /// When the bytes are not UTF-8, or the extension is unknown.
    pub fn of_file(path: &SpecPath, bytes: Vec<u8>) -> Result<Spec, Error> {
        let SpecPath { file, diagram } = path;
        let by_name = SpecFormat::of_path(file);
        let is_stream = files::is_stream(file);
        if by_name.is_err() && !is_stream {
            by_name.clone()?;
        }
        let source = files::text_of(file, bytes)?;
        let format = by_name.unwrap_or_else(|_| SpecFormat::of_text(source.text()));
        let folder = (!is_stream).then(|| file.parent().unwrap_or(Path::new("")).to_owned());
        Ok(Spec { source, format, diagram: diagram.clone(), found: None, folder })
    }

    /// The same with another text.
    pub(crate) fn with_text(&self, text: String) -> Spec {
        let source = Source::new(self.source.name(), text);
        Spec { source, found: None, ..self.clone() }
    }

    /// The name of the specification: its file, and the diagram that is selected, as in `SPEC.md#2`.
    pub fn name(&self) -> String {
        match &self.diagram {
            Some(diagram) => format!("{}#{diagram}", self.source.name()),
            None => self.source.name().to_owned(),
        }
    }

    /// Which diagram of the text, if one is selected.
    pub(crate) fn selector(&self) -> Option<&str> {
        self.diagram.as_deref()
    }

    /// The format of the specification.
    pub fn format(&self) -> SpecFormat {
        self.format
    }

    /// Its text.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Each of its diagrams, as a specification of its own; itself if it is not a text of diagrams, or one
    /// is selected.
    pub fn each(&self) -> impl Iterator<Item = Spec> + '_ {
        let found: Arc<[DiagramText]> = match self.diagram {
            Some(_) => Arc::default(),
            None => self.format.diagrams(self.source.text()).into(),
        };
        (1..=found.len().max(1)).map(move |number| match found.len() {
            0 | 1 => self.clone(),
            _ => Spec { found: Some(found.clone()), ..self.clone().diagram(&number.to_string()) },
        })
    }

    /// The lifelines and messages of an interaction that does not say its locations; `None` for an
    /// automaton, and for a text with errors, which compiling reports.
    pub(crate) fn signature(&self, options: &CompileOptions) -> Option<Signature> {
        match self.parsed(options).ok()? {
            AnySpec::Interaction { drawing: Some(drawing), .. }
                if !drawing.locations.is_empty() =>
            {
                None
            }
            AnySpec::Interaction { parsed, .. } => Some(parsed.signature),
            AnySpec::Automaton { .. } => None,
        }
    }

    /// Compiles the specification.
    ///
    /// # Errors
    /// When the text is wrong, or the options do not fit it.
    pub fn compile(&self, options: &CompileOptions) -> Result<CompiledSpec, Error> {
        let (compiled, warnings) = self.bundle(options)?;
        Ok(CompiledSpec::new(compiled, warnings))
    }

    /// The warnings of the specification, without compiling it and without hints.
    ///
    /// # Errors
    /// When the text is wrong, or the options do not fit it.
    pub fn warnings(&self, options: &CompileOptions) -> Result<Warnings, Error> {
        match self.parsed(options)? {
            AnySpec::Interaction { parsed, drawing, source } => {
                let read = ReadInteraction::new(*parsed, drawing, source, options)?;
                Ok(read.warnings_but_hints(options))
            }
            AnySpec::Automaton { automaton, spans, source } => {
                Ok(Warnings::new(source, automaton_warnings(&automaton, &spans)))
            }
        }
    }

    /// Compiles the specification, with a mapping of event logs in its bundle.
    ///
    /// # Errors
    /// Those of [`Spec::compile`].
    pub fn compile_with_events(
        &self,
        options: &CompileOptions,
        events: EventMapping,
    ) -> Result<CompiledSpec, Error> {
        let (mut compiled, warnings) = self.bundle(options)?;
        compiled.bundle.events = Some(events);
        Ok(CompiledSpec::new(compiled, warnings))
    }

    /// The interaction of the specification; `None` for an automaton.
    ///
    /// # Errors
    /// When the text is wrong, or the options do not fit it.
    pub fn interaction(&self, options: &CompileOptions) -> Result<Option<ReadInteraction>, Error> {
        match self.parsed(options)? {
            AnySpec::Interaction { parsed, drawing, source } => {
                ReadInteraction::new(*parsed, drawing, source, options).map(Some)
            }
            AnySpec::Automaton { .. } => Ok(None),
        }
    }

    /// The specification, read.
    ///
    /// # Errors
    /// When the text is wrong.
    pub fn parsed(&self, options: &CompileOptions) -> Result<AnySpec, Error> {
        let include = |path: &str| self.included(path);
        let options = ReadOptions {
            signature: options.signature.as_ref(),
            selector: self.diagram.as_deref(),
            found: self.found.as_deref(),
            diagrams: &options.diagrams,
            include: &include,
        };
        Ok(read_spec(self.source.clone(), self.format, &options)?)
    }

    /// The diagram in a notation, as its author drew it. `None` for other specifications, for options that no
    /// diagram says, and if the text would be another diagram.
    pub(crate) fn rewritten(
        &self,
        notation: Notation,
        options: &CompileOptions,
        locations: &[LocationGroup],
    ) -> Result<Option<Rewritten>, Error> {
        if options.unjudged.is_some() || options.unlogged.is_some() {
            return Ok(None);
        }
        let include = |path: &str| self.included(path);
        let read = ReadOptions {
            signature: options.signature.as_ref(),
            selector: self.diagram.as_deref(),
            found: self.found.as_deref(),
            diagrams: &options.diagrams,
            include: &include,
        };
        let locations = options.locations.is_some().then_some(locations);
        Ok(rewrite_spec(&self.source, self.format, &read, (notation, locations))?)
    }

    /// The files that its diagrams include, as far as they can be read.
    pub fn included_files(&self) -> Vec<PathBuf> {
        let files = RefCell::new(Vec::new());
        let include = |path: &str| {
            let text = self.included(path)?;
            files.borrow_mut().extend(self.folder.as_ref().map(|folder| folder.join(path)));
            Ok(text)
        };
        let options = ReadOptions {
            signature: None,
            selector: self.diagram.as_deref(),
            found: self.found.as_deref(),
            diagrams: &DiagramOptions::default(),
            include: &include,
        };
        // Whoever compiles it gets its errors.
        let _ = read_spec(self.source.clone(), self.format, &options);
        files.into_inner()
    }

    /// The text of a file that a diagram includes: one in the folder of the specification, or below.
    fn included(&self, path: &str) -> Result<String, IncludeError> {
        let unreadable =
            |error: &dyn std::fmt::Display| IncludeError::Unreadable(error.to_string());
        let folder = self.folder.as_ref().ok_or(IncludeError::NoFolder)?;
        // Links are followed first, so that none leads out of the folder.
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder.as_path() };
        let found = here.join(path).canonicalize().map_err(|error| unreadable(&error))?;
        let is_below = here.canonicalize().is_ok_and(|here| found.starts_with(here));
        if !is_below {
            return Err(IncludeError::Outside);
        }
        // A pipe would wait for a writer, so it is not opened.
        if !found.is_file() {
            return Err(IncludeError::Unreadable("it is not a regular file".to_owned()));
        }
        let source = files::read_text(&found).map_err(|error| unreadable(&error))?;
        Ok(source.text().to_owned())
    }

    fn bundle(&self, options: &CompileOptions) -> Result<(Compiled, Warnings), Error> {
        let path = Path::new(self.source.name());
        let name =
            path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let (config, text) = (options.config(), self.source.text().as_bytes());
        let provenance =
            Provenance::new(env!("CARGO_PKG_VERSION"), &name, text, self.described(options));
        match self.parsed(options)? {
            AnySpec::Interaction { parsed, drawing, source } => {
                let read = ReadInteraction::new(*parsed, drawing, source, options)?;
                let warnings = read.warnings_but_hints(options);
                let ReadInteraction { parsed, locations, .. } = read;
                let ParsedSpec { signature, interaction, spans, has_only_multi_traces, .. } =
                    parsed;
                let place_of = |node: NodeId| place(&name, &self.source, &spans, node);
                let spec = spec(&signature, &interaction, &locations, &place_of);
                let mut compiled =
                    compile_interaction_watched(spec, provenance, &config, &options.progress)
                        .map_err(|limit| Error::TooLarge { spec: name.clone(), limit })?;
                compiled.bundle.text = SpecText::new(&self.source, spans);
                compiled.bundle.has_only_multi_traces = has_only_multi_traces;
                Ok((compiled, warnings))
            }
            AnySpec::Automaton { automaton, spans, source } => {
                let warnings = automaton_warnings(&automaton, &spans);
                let mut compiled = self.automaton(automaton, provenance, options)?;
                compiled.bundle.text = SpecText::new(&self.source, spans);
                Ok((compiled, Warnings::new(source, warnings)))
            }
        }
    }

    fn automaton(
        &self,
        timbuk: Timbuk,
        provenance: Provenance,
        options: &CompileOptions,
    ) -> Result<Compiled, Error> {
        let Some(groups) = &options.locations else {
            return Err(Lacking::Locations(self.source.name().to_owned()).into());
        };
        let groups = locations::parse(groups)?;
        let (alphabet, nfa) = timbuk.into_nfa(&groups)?;
        let config = options.config();
        Ok(compile_automaton_watched(alphabet, nfa, provenance, &config, &options.progress))
    }
}

/// An interaction as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadInteraction {
    /// The interaction, with the places of its parts.
    pub parsed: ParsedSpec,
    /// The drawing that it was read from; `None` for an interaction in text.
    pub drawing: Option<Drawing>,
    /// Which lifelines share a clock.
    pub locations: Locations,
    /// Where it was read from.
    pub source: Source,
}

impl CompiledSpec {
    fn new(compiled: Compiled, warnings: Warnings) -> CompiledSpec {
        let monitor = Monitor::new(compiled.bundle).with_warnings(warnings.clone());
        CompiledSpec { monitor, report: compiled.report, warnings }
    }
}

impl ReadInteraction {
    fn new(
        parsed: ParsedSpec,
        drawing: Option<Drawing>,
        source: Source,
        options: &CompileOptions,
    ) -> Result<ReadInteraction, Error> {
        let locations = locations_of(&parsed.signature, drawing.as_ref(), options)?;
        let unjudged = options.unjudged.as_deref().map(Unjudged::parse);
        let unlogged = options.unlogged.as_deref().map(UnloggedEvents::parse_list);
        let parsed =
            parsed.written_out(unjudged.as_ref(), &unlogged.unwrap_or_default(), &locations);
        let parsed = parsed.map_err(|error| {
            let name = source.name();
            let spec = error.span().map_or(name.to_owned(), |span| place_at(name, &source, span));
            Error::Open { spec, error }
        })?;
        let locations = locations_of(&parsed.signature, drawing.as_ref(), options)?;
        Ok(ReadInteraction { parsed, drawing, locations, source })
    }

    /// Its warnings, and the places of its drawing that have several readings.
    pub fn warnings(&self, options: &CompileOptions) -> Warnings {
        Warnings::new(self.source.clone(), self.all_warnings(options))
    }

    /// The same for those who did not ask how it is read.
    fn warnings_but_hints(&self, options: &CompileOptions) -> Warnings {
        let mut list = self.all_warnings(options);
        list.retain(|warning| !warning.code.is_hint());
        Warnings::new(self.source.clone(), list)
    }

    fn all_warnings(&self, options: &CompileOptions) -> Vec<Warning> {
        let ReadInteraction { parsed, drawing, locations, source } = self;
        let (text, is_declared) = (source.text(), options.signature.is_some());
        let diagram = drawing.as_ref().map(|drawing| &*drawing.model);
        let written = WrittenSpec { parsed, text, locations, diagram, is_declared };
        let mut list = interaction_warnings(&written);
        list.extend(drawing.iter().flat_map(|drawing| drawing.remarks.iter().cloned()));
        list
    }
}

/// The locations that the options say, or else those that the diagram says.
fn locations_of(
    signature: &Signature,
    drawing: Option<&Drawing>,
    options: &CompileOptions,
) -> Result<Locations, Error> {
    let drawn: &[LocationGroup] = drawing.map_or(&[], |drawing| &drawing.locations);
    match options.locations.as_deref() {
        None if !drawn.is_empty() => Ok(locations::for_signature(drawn, signature)?),
        said => locations(said, signature),
    }
}

fn spec<'a>(
    signature: &'a Signature,
    interaction: &'a Interaction,
    locations: &'a Locations,
    place_of: &'a dyn Fn(NodeId) -> String,
) -> InteractionSpec<'a> {
    InteractionSpec { signature, interaction, locations, place_of }
}

/// `file:line:column` of a node.
fn place(name: &str, source: &Source, spans: &[Span], node: NodeId) -> String {
    place_at(name, source, spans[node.index()])
}

fn place_at(name: &str, source: &Source, span: Span) -> String {
    let position = source.position(span.start);
    format!("{name}:{}:{}", position.line, position.column)
}

/// The signature in a file (`.hsf`).
///
/// # Errors
/// When the file cannot be read, or its text is wrong.
pub fn read_signature(path: &Path) -> Result<Signature, Error> {
    Ok(hsf::parse(&files::read_text(path)?)?)
}

/// The locations of lifelines, as in `"a,b;c"`; `None` gives each lifeline its own.
///
/// # Errors
/// When the text is wrong, or names other lifelines than the signature.
pub fn locations(groups: Option<&str>, signature: &Signature) -> Result<Locations, Error> {
    let Some(groups) = groups else { return Ok(Locations::discrete(signature)) };
    let groups = locations::parse(groups)?;
    Ok(locations::for_signature(&groups, signature)?)
}
