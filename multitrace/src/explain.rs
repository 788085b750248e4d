//! Sessions explained: a run over the sessions of one id, with a full view of each.

use crate::chunk::Chunk;
use crate::chunks::{Chunks, Grouping};
use crate::error::{Error, stop};
use crate::input_remarks::input_notes;
use crate::inputs::Inputs;
use crate::judging::{Judge, omitted};
use crate::log_lines::add_lines;
use crate::monitor::Monitor;
use crate::occurrences::locate;
use crate::run::{DEFAULT_MEMORY, pool_size};
use crate::session_stream::{SessionReader, UnreadSession, for_each};
use multitrace_formats::place::Places;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::remedy::Words;
use multitrace_formats::selection::{IdList, Selection};
use multitrace_formats::workers::in_pool;
use multitrace_interaction::{Engine, Session, Verdict};
use multitrace_reports::explanation::Explanation;
use multitrace_reports::finding::Finding;
use multitrace_reports::outputs::explain::Explained;
use multitrace_reports::pictures::MessagePairs;
use multitrace_reports::pictures::space_time::{Cut, SpaceTime};
use multitrace_reports::reason::reason_text;
use multitrace_reports::repair_view::RepairView;
use multitrace_reports::session_names::SessionNames;
use multitrace_reports::spec_places::SpecPlaces;
use multitrace_reports::timeline::{Timeline, Window};
use multitrace_reports::view::View;
use multitrace_runtime::CheckConfig;
use multitrace_runtime::{Checked, Effort, Gaps};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;

/// One session, explained.
#[derive(Clone, Debug)]
pub struct ExplainedSession {
    /// The verdict and the witness of a pass.
    pub checked: Checked,
    /// Why it is not decided, as a sentence.
    pub reason: Option<String>,
    /// The findings, the main one first: of a session that fails, its faults.
    pub findings: Vec<Finding>,
    /// The findings that are certain of a session that fails.
    pub evidence: Vec<Finding>,
    /// The logs, how far they are explained, where they go wrong and the events expected there.
    pub explanation: Explanation,
    /// The events as rows, those that the window shows.
    pub timeline: Timeline,
    /// The edits that would make it accepted, if it fails and they are known.
    pub repair: Option<RepairView>,
    /// Where the events of the findings stand in the specification.
    pub specification: SpecPlaces,
    /// The engine that decided.
    pub engine: Engine,
    /// The logs, as letters.
    pub logs: Session,
    words: Words,
}

impl ExplainedSession {
    /// All of it, as [`outputs::explain`](multitrace_reports::outputs::explain) writes it.
    pub fn explained(&self) -> Explained<'_> {
        Explained {
            verdict: &self.checked.verdict,
            reason: self.reason.as_deref(),
            findings: &self.findings,
            evidence: &self.evidence,
            omitted: self.omitted(),
            explanation: &self.explanation,
            timeline: &self.timeline,
            repair: self.repair.as_ref(),
            specification: &self.specification,
            witness: self.checked.witness.as_ref(),
            engine: self.engine,
            words: self.words,
        }
    }

    /// The same as a picture, in which `pairs` of events are joined by arrows; of long logs, `context`
    /// events around each one that is wrong.
    pub fn space_time<'a>(
        &'a self,
        monitor: &'a Monitor,
        pairs: &'a MessagePairs,
        context: usize,
    ) -> SpaceTime<'a> {
        SpaceTime {
            explanation: &self.explanation,
            timeline: &self.timeline,
            findings: &self.findings,
            evidence: &self.evidence,
            repair: self.repair.as_ref(),
            witness: self.checked.witness.as_ref().map(|it| (it, monitor.alphabet())),
            pairs,
            cut: Cut::around(context),
            title: &self.explanation.session,
            words: self.words,
        }
    }

    /// How many causes of a failure are left out, since they repeat others.
    pub fn omitted(&self) -> u64 {
        omitted(&self.checked.verdict)
    }
}

/// How sessions are explained.
#[derive(Clone, Copy, Debug)]
pub struct ExplainOptions {
    /// How sessions are decided.
    pub config: CheckConfig,
    /// For event logs: sessions are grouped in about this much memory, in bytes.
    pub memory: usize,
    /// How many threads read, at most [`MOST_THREADS`](crate::MOST_THREADS); `None` for one per processor.
    pub threads: Option<NonZeroUsize>,
    /// Which events are shown.
    pub window: Window,
    /// The words in which it spells remedies.
    pub words: Words,
}

impl ExplainOptions {
    /// The options for a monitor: in the observation mode of its bundle, five events around each
    /// one that is wrong.
    pub fn new(monitor: &Monitor) -> ExplainOptions {
        let window = Window::Around(View::EXCERPT.context);
        let (config, words) = (monitor.config(), Words::default());
        ExplainOptions { config, memory: DEFAULT_MEMORY, threads: None, window, words }
    }
}

#[doc(hidden)]
impl Monitor {
    /// Explains the sessions of an id, one after another, and hands on problems of the input, which
    /// may hide such a session. Returns remarks on the input, as texts with names of options.
    ///
    /// # Errors
    /// When the engine is not available, event logs cannot be grouped, or there are too many threads.
    pub fn explain(
        &self,
        inputs: Inputs,
        id: &str,
        options: ExplainOptions,
        each: &mut (dyn FnMut(Result<ExplainedSession, InputProblem>) -> ControlFlow<()> + Send),
    ) -> Result<Vec<String>, Error> {
        in_pool(pool_size(options.threads)?, || self.explain_here(inputs, id, options, each))
    }

    /// The same on the pool of the current thread.
    fn explain_here(
        &self,
        inputs: Inputs,
        id: &str,
        options: ExplainOptions,
        each: &mut (dyn FnMut(Result<ExplainedSession, InputProblem>) -> ControlFlow<()> + Send),
    ) -> Result<Vec<String>, Error> {
        let files = inputs.notes().to_vec();
        let ExplainOptions { config, memory, window, words, .. } = options;
        let only = Some(IdList::one(id));
        let selection = Arc::new(Selection { only, ..Selection::default() });
        let reader = SessionReader::new(self.alphabet(), inputs.assembler());
        let mut explainer = Explainer {
            monitor: self,
            reader: &reader,
            judge: Judge::new(self, config)?,
            id,
            session: Session::default(),
            window,
            words,
            streams: inputs.stream_names(),
            each,
        };
        let grouping = Grouping {
            alphabet: self.alphabet(),
            selection,
            in_order: false,
            memory,
            sample: None,
        };
        let (mut chunks, mut read) = Chunks::open(inputs.source, grouping, &mut |problems, _| {
            stop(explainer.look_into(&Chunk::Problems(problems)))
        })?;
        loop {
            let current = chunks.next(1)?;
            if current.is_empty() {
                chunks.add_to(&mut read);
                return Ok(input_notes(&read, &files));
            }
            stop(current.iter().try_for_each(|chunk| explainer.look_into(chunk)))?;
        }
    }
}

struct Explainer<'e> {
    monitor: &'e Monitor,
    reader: &'e SessionReader,
    judge: Judge<'e>,
    id: &'e str,
    session: Session,
    window: Window,
    words: Words,
    /// The names of inputs that cannot be read again.
    streams: Vec<Arc<str>>,
    each: &'e mut (dyn FnMut(Result<ExplainedSession, InputProblem>) -> ControlFlow<()> + Send),
}

impl Explainer<'_> {
    fn look_into(&mut self, chunk: &Chunk) -> ControlFlow<()> {
        for_each(chunk, |item| match item {
            Err(problem) => (self.each)(Err(problem.clone())),
            Ok(unread) => match unread.id() {
                Some(id) if id != self.id => ControlFlow::Continue(()),
                _ => self.look_at(&unread),
            },
        })
    }

    fn look_at(&mut self, unread: &UnreadSession<'_>) -> ControlFlow<()> {
        let mut read = match self.reader.read(unread, &mut self.session) {
            Ok(read) => read,
            Err(problem) => return (self.each)(Err(problem)),
        };
        if self.session.id != self.id {
            return ControlFlow::Continue(());
        }
        self.judge.order_events(&mut read, &mut self.session);
        if let Some(problem) = read.problem {
            (self.each)(Err(problem))?;
        }
        let judged = self.judge.judge(
            (&self.session, read.gaps),
            read.failure.clone(),
            &read.places,
            |_, it| it,
        );
        let explained = judged.map(|checked| self.explained(checked, read.gaps, &read.places));
        (self.each)(explained)
    }

    fn explained(&mut self, checked: Checked, gaps: Gaps, places: &dyn Places) -> ExplainedSession {
        let given = (&self.session, gaps);
        let (mut findings, repair) =
            self.judge.findings(given, &checked.verdict, places, Effort::Whole);
        locate(self.monitor, &mut self.judge, given, repair.as_ref(), &mut findings);
        let (alphabet, view) = (self.monitor.alphabet(), View::WHOLE);
        let names = SessionNames { session: &self.session, alphabet };
        let repair = repair.map(|it| RepairView::new(&it, &names, places, &view));
        let reason = match &checked.verdict {
            Verdict::Inconclusive(reason) => Some(reason_text(reason, alphabet)),
            _ => None,
        };
        let certain = Finding::of(&checked.verdict, &names);
        let explanation = Explanation::new(&names, (&findings, &certain), places, &view);
        let evidence = match checked.verdict {
            Verdict::Fail(_) => certain,
            _ => Vec::new(),
        };
        let mut timeline = Timeline::new(&explanation, places, self.window);
        add_lines(timeline.rows.iter_mut().collect(), &self.streams);
        let engine = self.judge.engine();
        let specification = SpecPlaces::new(self.monitor.bundle(), &findings);
        let logs = self.session.clone();
        ExplainedSession {
            checked,
            reason,
            findings,
            evidence,
            explanation,
            timeline,
            repair,
            specification,
            engine,
            logs,
            words: self.words,
        }
    }
}
