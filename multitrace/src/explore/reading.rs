//! The sessions of one id, read and not checked.

use crate::chunk::Chunk;
use crate::chunks::{Chunks, Grouping};
use crate::error::{Error, stop};
use crate::inputs::Inputs;
use crate::session_stream::{SessionReader, for_each};
use multitrace_formats::problem::InputProblem;
use multitrace_formats::selection::{IdList, Selection};
use multitrace_interaction::{Alphabet, Session};
use std::ops::ControlFlow;
use std::sync::Arc;

type Each<'e> = &'e mut dyn FnMut(Result<&Session, InputProblem>) -> ControlFlow<()>;

/// Hands on the sessions of an id, and the problems of the input, which may hide such a session.
pub(crate) fn each_session(
    alphabet: &Alphabet,
    inputs: Inputs,
    id: &str,
    memory: usize,
    each: Each<'_>,
) -> Result<(), Error> {
    let only = Some(IdList::one(id));
    let selection = Arc::new(Selection { only, ..Selection::default() });
    let reader = SessionReader::new(alphabet, inputs.assembler());
    let mut session = Session::default();
    let mut look_into = |chunk: &Chunk| look(chunk, (&reader, id), &mut session, each);
    let grouping = Grouping { alphabet, selection, in_order: false, memory, sample: None };
    let (mut chunks, _) = Chunks::open(inputs.source, grouping, &mut |problems, _| {
        stop(look_into(&Chunk::Problems(problems)))
    })?;
    loop {
        let current = chunks.next(1)?;
        if current.is_empty() {
            return Ok(());
        }
        stop(current.iter().try_for_each(&mut look_into))?;
    }
}

fn look(
    chunk: &Chunk,
    (reader, id): (&SessionReader, &str),
    session: &mut Session,
    each: Each<'_>,
) -> ControlFlow<()> {
    for_each(chunk, |item| {
        let unread = match item {
            Err(problem) => return each(Err(problem.clone())),
            Ok(unread) if unread.id().is_some_and(|it| it != id) => {
                return ControlFlow::Continue(());
            }
            Ok(unread) => unread,
        };
        match reader.read(&unread, session) {
            Err(problem) => each(Err(problem)),
            Ok(_) if session.id != id => ControlFlow::Continue(()),
            Ok(read) => {
                read.problem.map_or(ControlFlow::Continue(()), |problem| each(Err(problem)))?;
                each(Ok(session))
            }
        }
    })
}
