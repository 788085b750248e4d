//! Long work without the lock of the interpreter, which Ctrl-C ends.

use multitrace_compiler::CompileProgress;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How often the calling thread looks for Ctrl-C and tells the progress: often enough to feel at once,
/// seldom enough to cost nothing.
const PERIOD: Duration = Duration::from_millis(100);

/// The state shared by the thread that works and the one that waits.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// Set when the work is to end.
    cancelled: AtomicBool,
    /// The progress of a compilation, if there is one.
    compiling: Arc<CompileProgress>,
    /// Sessions checked so far.
    pub(crate) sessions: AtomicU64,
    /// Records read so far.
    pub(crate) records: AtomicU64,
}

impl Shared {
    /// The state shared with a thread that compiles.
    pub(crate) fn compiling(progress: &Arc<CompileProgress>) -> Shared {
        Shared { compiling: Arc::clone(progress), ..Shared::default() }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Asks the work to end.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.compiling.stop();
    }
}

/// Runs some work on a thread of its own, and waits for it; where the system starts none, the calling one does it. `tick` is
/// called now and then with the numbers of records and sessions so far. An exception of it, or Ctrl-C, cancels the work,
/// which looks at `shared` for that, and is raised once the work has ended.
pub(crate) fn wait_for<R: Send>(
    py: Python<'_>,
    shared: &Shared,
    tick: Option<&Py<PyAny>>,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let work = Mutex::new(Some(work));
    let run = || {
        let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        work.expect("one thread takes it")()
    };
    py.detach(|| {
        thread::scope(|scope| {
            let (done, wait) = channel::<()>();
            let on_thread = move || {
                // Dropped at the end, also of a panic.
                let _done = done;
                run()
            };
            let Ok(worker) = thread::Builder::new().spawn_scoped(scope, on_thread) else {
                return Ok(run());
            };
            let mut interrupted = Ok(());
            while wait.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                if interrupted.is_ok() {
                    interrupted = Python::attach(|py| look(py, shared, tick));
                    interrupted.as_ref().err().inspect(|_| shared.cancel());
                }
            }
            let result = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            interrupted.map(|()| result)
        })
    })
}

fn look(py: Python<'_>, shared: &Shared, tick: Option<&Py<PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    if let Some(tick) = tick {
        let records = shared.records.load(Ordering::Relaxed);
        tick.call1(py, (records, shared.sessions.load(Ordering::Relaxed)))?;
    }
    Ok(())
}
