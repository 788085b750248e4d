//! Sessions checked while their events come, table by table, in constant memory.

// The tables go through a channel of two places to a thread that checks, so that reading and checking
// overlap, and whoever gives tables waits when the other is behind.

use crate::errors::{exception, unfit};
use crate::report::Report;
use crate::sessions_table::{SCHEMA, SessionBlocks, SessionPiece};
use crate::table::{Batches, TABLE, Table, batches, unread};
use crate::waiting::Shared;
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use multitrace::{Error, Inputs, Mapping, Monitor, Report as Found, RunObserver, RunOptions};
use multitrace_formats::problem::InputProblem;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::any::Any;
use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::Duration;

/// Tables that wait to be checked: one while another is being read.
const WAITING: usize = 2;

/// Sessions of tables whose events come session by session.
#[pyclass(frozen, module = "multitrace")]
pub(crate) struct Stream {
    running: Mutex<Option<Running>>,
    shared: Arc<Shared>,
}

struct Running {
    given: SyncSender<RecordBatch>,
    made: Receiver<RecordBatch>,
    worker: JoinHandle<Ended>,
}

type Ended = (Result<Found, Error>, Vec<InputProblem>);

impl Stream {
    /// Begins; `options` are for events in the order of their sessions.
    ///
    /// # Errors
    /// When the system starts no thread.
    pub(crate) fn new(
        monitor: Monitor,
        mapping: Mapping,
        options: RunOptions,
    ) -> io::Result<Stream> {
        let (given, taken) = sync_channel::<RecordBatch>(WAITING);
        let (send, made) = channel();
        let shared = Arc::new(Shared::default());
        let seen = Arc::clone(&shared);
        let check = move || {
            let tables = taken.into_iter().map(Ok::<_, ArrowError>);
            let inputs = Inputs::event_tables(TABLE, Box::new(tables), mapping);
            let (blocks, problems) = (SessionBlocks::default(), Vec::new());
            let mut observer = Sending { blocks, send, problems, shared: seen };
            let report = monitor.run(inputs, options, &mut observer);
            if let Some(block) = observer.blocks.take() {
                let _ = observer.send.send(block.table());
            }
            (report, observer.problems)
        };
        let worker = Builder::new().spawn(check)?;
        Ok(Stream { running: Mutex::new(Some(Running { given, made, worker })), shared })
    }

    /// The running stream, out of its place; nobody else can use it meanwhile.
    fn take(&self) -> PyResult<Running> {
        let mut place = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        place.take().ok_or_else(|| PyRuntimeError::new_err("the stream is over; begin another one"))
    }

    fn put_back(&self, running: Running) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(running);
    }

    /// Waits for the end; Ctrl-C makes it come.
    fn join(&self, py: Python<'_>, worker: JoinHandle<Ended>) -> PyResult<Report> {
        let mut interrupted = Ok(());
        while !worker.is_finished() {
            py.detach(|| sleep(PAUSE));
            if interrupted.is_ok() {
                interrupted = py.check_signals();
                interrupted.as_ref().err().inspect(|_| self.shared.cancel());
            }
        }
        let ended = py.detach(|| worker.join());
        interrupted?;
        let (report, problems) = ended
            .map_err(|_| PyRuntimeError::new_err("checking broke down; please report this"))?;
        let found = report.map_err(|error| exception(py, &error))?;
        Ok(Report { found, sessions: None, problems, merged: None })
    }
}

/// How long to wait before looking again: short beside the time of a table.
const PAUSE: Duration = Duration::from_millis(1);

/// Gives a table, and waits for room. False if nobody takes it any more.
fn give(py: Python<'_>, given: &SyncSender<RecordBatch>, batch: RecordBatch) -> PyResult<bool> {
    let mut batch = batch;
    loop {
        match py.detach(|| given.try_send(batch)) {
            Ok(()) => return Ok(true),
            Err(TrySendError::Disconnected(_)) => return Ok(false),
            Err(TrySendError::Full(back)) => batch = back,
        }
        py.detach(|| sleep(PAUSE));
        py.check_signals()?;
    }
}

/// Gives all tables. False if nobody takes them any more.
fn give_all(py: Python<'_>, given: &SyncSender<RecordBatch>, tables: Batches) -> PyResult<bool> {
    for batch in tables {
        if !give(py, given, batch.map_err(|error| unfit(py, unread(&error)))?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[pymethods]
impl Stream {
    /// Gives a table. Returns a table of the sessions that have been decided, which may lag behind; `None` if the check takes
    /// no more tables, and `finish` says why.
    fn push(&self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<Option<Table>> {
        let (_, tables) = batches(table)?;
        let running = self.take()?;
        let given = give_all(py, &running.given, tables);
        let made = given.as_ref().is_ok_and(|is_taken| *is_taken);
        let made = made.then(|| running.made.try_iter().collect());
        self.put_back(running);
        given.map(|_| made.map(|rows| Table::new(Arc::clone(&SCHEMA), rows)))
    }

    /// Ends the stream. Returns the sessions that are left, and the report of all.
    fn finish(&self, py: Python<'_>) -> PyResult<(Table, Report)> {
        let Running { given, made, worker } = self.take()?;
        drop(given);
        let report = self.join(py, worker)?;
        let rows = made.try_iter().collect();
        Ok((Table::new(Arc::clone(&SCHEMA), rows), report))
    }

    /// Ends the stream without its result. A stream that is neither finished nor cancelled would end with
    /// the process, while it holds tables of Python.
    fn cancel(&self, py: Python<'_>) {
        self.shared.cancel();
        if let Ok(Running { given, worker, .. }) = self.take() {
            drop(given);
            let _ = py.detach(|| worker.join());
        }
    }
}

/// Hands on sessions in tables.
struct Sending {
    blocks: SessionBlocks,
    send: Sender<RecordBatch>,
    problems: Vec<InputProblem>,
    shared: Arc<Shared>,
}

impl RunObserver for Sending {
    fn rows(&mut self, rows: Box<dyn Any + Send>) -> ControlFlow<()> {
        // Nobody takes them any more when the stream was dropped.
        let block = self.blocks.add(SessionPiece::of_run(rows));
        match block.map(|block| self.send.send(block.table())) {
            None | Some(Ok(())) => ControlFlow::Continue(()),
            Some(Err(_)) => ControlFlow::Break(()),
        }
    }

    fn problem(&mut self, problem: &InputProblem) {
        self.problems.push(problem.clone());
    }

    fn is_cancelled(&self) -> bool {
        self.shared.is_cancelled()
    }
}
