//! Standard error while a run goes on: a bar on a terminal, and messages that do not
//! break it.

use crate::failure::{note, show};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use multitrace_compiler::CompileProgress;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::shorten::visible;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Messages while a run goes on.
pub(crate) struct Messages {
    quiet: bool,
    bar: ProgressBar,
}

impl Messages {
    /// Without a bar; `quiet` leaves out notes.
    pub(crate) fn new(quiet: bool) -> Messages {
        Messages { quiet, bar: ProgressBar::hidden() }
    }

    /// Shows how many sessions have been checked, when standard error is a terminal.
    pub(crate) fn start(&mut self) {
        if self.quiet || !std::io::stderr().is_terminal() {
            return;
        }
        let template = "{spinner} {msg}{human_pos} sessions, {per_sec} ({elapsed})";
        let style = ProgressStyle::with_template(template);
        self.bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// Shows the number of records of event logs read so far.
    pub(crate) fn read(&self, records: u64) {
        self.bar.set_message(format!("{records} records read, "));
    }

    /// Shows the number of sessions checked so far.
    pub(crate) fn checked(&self, sessions: u64) {
        self.bar.set_position(sessions);
    }

    /// Takes the bar away.
    pub(crate) fn stop(&self) {
        self.bar.finish_and_clear();
    }

    /// Says something that is not an error, in one line.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.error(&format!("note: {text}"));
        }
    }

    /// Says that something is wrong, in one line.
    pub(crate) fn error(&self, text: &str) {
        self.bar.suspend(|| note(text));
    }

    /// Shows a problem with its lines.
    pub(crate) fn problem(&self, problem: &InputProblem) {
        self.bar.suspend(|| show(&problem.to_string()));
    }
}

/// How long compiling goes on without a word: most specifications are compiled by then.
const SILENCE: Duration = Duration::from_millis(500);
/// The time between two looks at how far it is.
const LOOK: Duration = Duration::from_millis(100);

/// Compiles, and on a terminal shows how far it is if that takes long.
pub(crate) fn watch_compiling<T>(
    spec: &Path,
    quiet: bool,
    compile: impl FnOnce(&Arc<CompileProgress>) -> T,
) -> T {
    let progress = Arc::default();
    if quiet || !std::io::stderr().is_terminal() {
        return compile(&progress);
    }
    std::thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let name = visible(&spec.display().to_string()).into_owned();
        let watched = Arc::clone(&progress);
        let watch = move || {
            if is_done.recv_timeout(SILENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
                .with_elapsed(SILENCE);
            while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let (step, states) = (watched.step(), watched.states());
                bar.set_message(format!("compiling {name}: {step}, {states} states"));
                bar.tick();
            }
            bar.finish_and_clear();
        };
        // Without a thread, nobody watches.
        let _ = std::thread::Builder::new().spawn_scoped(scope, watch);
        let compiled = compile(&progress);
        drop(done);
        compiled
    })
}
