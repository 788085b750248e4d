//! How far compiling is, for those who watch it from another thread, and may end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// The steps that may take long, in order.
const STEPS: [&str; 5] =
    ["reading", "exploring terms", "reducing the automaton", "making verifiers", "done"];

/// How far compiling is.
#[derive(Debug, Default)]
pub struct CompileProgress {
    step: AtomicUsize,
    states: AtomicUsize,
    stopped: Arc<AtomicBool>,
}

impl CompileProgress {
    /// The step that the compiler is at, in a few words.
    pub fn step(&self) -> &'static str {
        STEPS[self.step.load(Relaxed).min(STEPS.len() - 1)]
    }

    /// How many states have been found so far.
    pub fn states(&self) -> usize {
        self.states.load(Relaxed)
    }

    /// Ends steps that take long, as if their time were over. The result then lacks parts, and must not be used.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// The flag that [`CompileProgress::stop`] sets.
    pub(crate) fn stopped(&self) -> Arc<AtomicBool> {
        self.stopped.clone()
    }

    pub(crate) fn begin(&self, step: CompileStage) {
        self.step.store(step as usize, Relaxed);
    }

    pub(crate) fn found(&self, states: usize) {
        self.states.store(states, Relaxed);
    }
}

/// A step, by its place in the list.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CompileStage {
    Explore = 1,
    Reduce = 2,
    Verifiers = 3,
    Done = 4,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_their_names() {
        let progress = CompileProgress::default();
        assert_eq!(progress.step(), "reading");
        for (step, name) in [
            (CompileStage::Explore, "exploring terms"),
            (CompileStage::Reduce, "reducing the automaton"),
            (CompileStage::Verifiers, "making verifiers"),
            (CompileStage::Done, "done"),
        ] {
            progress.begin(step);
            assert_eq!(progress.step(), name);
        }
    }

    #[test]
    fn the_last_number_of_states_is_shown() {
        let progress = CompileProgress::default();
        assert_eq!(progress.states(), 0);
        progress.found(7);
        progress.found(40);
        assert_eq!(progress.states(), 40);
    }
}
