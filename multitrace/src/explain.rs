//! Sessions explained: a run over the sessions of one id, with a full view of each.

use crate::chunks::{Chunks, Grouping};
use crate::error::{Error, stop};
use crate::inputs::{Chunk, Inputs};
use crate::monitor::Monitor;
use crate::session_stream::{SessionReader, UnreadSession, for_each};
use multitrace_formats::place::Places;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::selection::{IdList, Selection};
use multitrace_formats::workers::contained;
use multitrace_interaction::{Engine, Session};
use multitrace_reports::explanation::{Explanation, View};
use multitrace_runtime::CheckConfig;
use multitrace_runtime::{Checked, Checker};
use std::ops::ControlFlow;
use std::sync::Arc;

/// One session, explained.
#[derive(Clone, Debug)]
pub struct ExplainedSession {
    /// The verdict and the witness of a pass.
    pub checked: Checked,
    /// The logs, how far they are explained, where they go wrong and what was expected there.
    pub explanation: Explanation,
    /// The engine that decided.
    pub engine: Engine,
}

impl Monitor {
    /// Explains the sessions of an id, one after another, and hands on problems of the input, which
    /// may hide such a session.
    ///
    /// # Errors
    /// When the engine is not available, or event logs cannot be grouped.
    pub fn explain(
        &self,
        inputs: Inputs,
        id: &str,
        config: CheckConfig,
        memory: usize,
        each: &mut dyn FnMut(Result<ExplainedSession, InputProblem>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let only = Some(IdList::one(id));
        let selection = Arc::new(Selection { only, sample: None });
        let mut explainer = Explainer {
            monitor: self,
            reader: SessionReader::new(self.alphabet(), inputs.assembler()),
            checker: Checker::new(self.runtime(), config)?,
            id,
            session: Session::default(),
            each,
        };
        let grouping = Grouping {
            alphabet: self.alphabet(),
            selection,
            in_order: false,
            memory,
            sample: None,
        };
        let (mut chunks, _) = Chunks::open(inputs.source, grouping, &mut |problems, _| {
            stop(explainer.look_into(&Chunk::Problems(problems)))
        })?;
        loop {
            let current = chunks.next(1)?;
            if current.is_empty() {
                return Ok(());
            }
            stop(current.iter().try_for_each(|chunk| explainer.look_into(chunk)))?;
        }
    }
}

struct Explainer<'e> {
    monitor: &'e Monitor,
    reader: SessionReader,
    checker: Checker<'e>,
    id: &'e str,
    session: Session,
    each: &'e mut dyn FnMut(Result<ExplainedSession, InputProblem>) -> ControlFlow<()>,
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
        let read = match self.reader.read(unread, &mut self.session) {
            Ok(read) => read,
            Err(problem) => return (self.each)(Err(problem)),
        };
        if self.session.id != self.id {
            return ControlFlow::Continue(());
        }
        if let Some(problem) = read.problem {
            (self.each)(Err(problem))?;
        }
        let Explainer { checker, session, .. } = self;
        match contained(|| checker.check_with_gaps(session, read.gaps)) {
            Ok(checked) => {
                let explained = self.explained(checked, &read.places);
                (self.each)(Ok(explained))
            }
            Err(panicked) => {
                self.checker.reset();
                let place = read.places.session();
                (self.each)(Err(InputProblem::internal(place, panicked.to_string())))
            }
        }
    }

    fn explained(&self, checked: Checked, places: &dyn Places) -> ExplainedSession {
        let alphabet = self.monitor.alphabet();
        let view = View::WHOLE;
        let explanation =
            Explanation::new(&self.session, &checked.verdict, alphabet, places, &view);
        ExplainedSession { checked, explanation, engine: self.checker.engine() }
    }
}
