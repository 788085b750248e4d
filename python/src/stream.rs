//! Sessions checked while their events come, table by table, in constant memory.

// The tables go through a channel of two places to a thread that checks, so that reading and checking
// overlap, and whoever gives tables waits when the other is behind.

use crate::errors::exception;
use crate::report::Report;
use crate::sessions_table::{SCHEMA, SessionsTable};
use crate::table::{Table, batches};
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use multitrace::{
    Error, InputProblem, Inputs, Mapping, Monitor, Report as Found, RunObserver, RunOptions,
    SessionVerdict,
};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, spawn};

/// Tables that wait to be checked: one while another is being read.
const WAITING: usize = 2;

/// Sessions of tables whose events come session by session.
#[pyclass(frozen, module = "multitrace")]
pub(crate) struct Stream {
    running: Mutex<Option<Running>>,
}

struct Running {
    given: SyncSender<RecordBatch>,
    made: Receiver<Vec<RecordBatch>>,
    worker: JoinHandle<Ended>,
}

type Ended = (Result<Found, Error>, Vec<InputProblem>);

impl Stream {
    /// Begins; `options` are for events in the order of their sessions.
    pub(crate) fn new(monitor: Monitor, mapping: Mapping, options: RunOptions) -> Stream {
        let (given, taken) = sync_channel::<RecordBatch>(WAITING);
        let (send, made) = channel();
        let worker = spawn(move || {
            let tables = taken.into_iter().map(Ok::<_, ArrowError>);
            let inputs = Inputs::event_tables("the table", Box::new(tables), mapping);
            let mut observer =
                Sending { rows: SessionsTable::default(), send, problems: Vec::new() };
            let report = monitor.run(inputs, options, &mut observer);
            let _ = observer.send.send(observer.rows.take());
            (report, observer.problems)
        });
        Stream { running: Mutex::new(Some(Running { given, made, worker })) }
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn join(py: Python<'_>, worker: JoinHandle<Ended>) -> PyResult<Report> {
    let ended = py.detach(|| worker.join());
    let (report, problems) =
        ended.map_err(|_| PyRuntimeError::new_err("checking broke down; please report this"))?;
    let found = report.map_err(|error| exception(py, &error))?;
    Ok(Report { found, sessions: None, problems })
}

#[pymethods]
impl Stream {
    /// Gives a table. Returns a table of the sessions that have been decided, which may lag behind.
    fn push(&self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<Table> {
        let (_, tables) = batches(table)?;
        for batch in tables {
            let batch = batch.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
            let is_over = py.detach(|| {
                let running = self.running();
                running.as_ref().is_none_or(|it| it.given.send(batch).is_err())
            });
            if is_over {
                // The error that ended it says why.
                let taken = self.running().take();
                if let Some(Running { given, worker, .. }) = taken {
                    drop(given);
                    join(py, worker)?;
                }
                return Err(PyRuntimeError::new_err("the stream is over; begin another one"));
            }
        }
        let running = self.running();
        let made = running.as_ref().map(|it| it.made.try_iter().flatten().collect());
        Ok(Table::new(Arc::clone(&SCHEMA), made.unwrap_or_default()))
    }

    /// Ends the stream. Returns the sessions that are left, and the report of all.
    fn finish(&self, py: Python<'_>) -> PyResult<(Table, Report)> {
        let taken = self.running().take();
        let Some(Running { given, made, worker }) = taken else {
            return Err(PyRuntimeError::new_err("the stream is over; begin another one"));
        };
        drop(given);
        let report = join(py, worker)?;
        let rows = made.try_iter().flatten().collect();
        Ok((Table::new(Arc::clone(&SCHEMA), rows), report))
    }
}

/// Hands on verdicts in batches.
struct Sending {
    rows: SessionsTable,
    send: Sender<Vec<RecordBatch>>,
    problems: Vec<InputProblem>,
}

impl RunObserver for Sending {
    fn session(&mut self, verdict: SessionVerdict) -> ControlFlow<()> {
        self.rows.add(&verdict);
        let full = self.rows.take_full();
        // Nobody takes them any more when the stream was dropped.
        if full.is_empty() || self.send.send(full).is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn problem(&mut self, problem: &InputProblem) {
        self.problems.push(problem.clone());
    }
}
