//! Interaction to automaton: a term automaton explored to its end, under limits.

use crate::limits::{LimitExceeded, Limits};
use crate::progress::CompileProgress;
use multitrace_interaction::{Id, Nfa, StateId, TermAutomaton, TermId};

/// The bytes that a state takes while it is found: its key, with a hash and an index. An estimate.
const STATE_BYTES: usize = 48;

/// The automaton of a term.
///
/// # Errors
/// When there would be more than `limits.states` states, terms that keep growing, or more work than
/// the automaton allows (see `TermAutomaton::limit_work`).
pub fn synthesize(
    automaton: &mut TermAutomaton,
    term: TermId,
    limits: &Limits,
) -> Result<Nfa, LimitExceeded> {
    synthesize_watched(automaton, term, limits, &CompileProgress::default())
}

/// The same, and tells how many states there are so far.
pub(crate) fn synthesize_watched(
    automaton: &mut TermAutomaton,
    term: TermId,
    limits: &Limits,
    progress: &CompileProgress,
) -> Result<Nfa, LimitExceeded> {
    let initial = automaton.state(term);
    // Small specifications may grow by more than their own size says: 16 symbols, an estimate.
    let heaviest = automaton.store().weight(term).saturating_add(16).saturating_mul(limits.growth);
    let mut transitions = Vec::new();
    let mut next = 0;
    while next < automaton.state_count() {
        if automaton.state_count() > limits.states {
            return Err(LimitExceeded::Count { limit: limits.states, what: "states" });
        }
        progress.found(automaton.state_count());
        let state = StateId::new(next);
        if automaton.store().weight(automaton.term(state)) > heaviest {
            return Err(LimitExceeded::Growth(limits.growth));
        }
        transitions.extend(automaton.transitions(state));
        let bytes = size_of_val(&*transitions) + automaton.state_count() * STATE_BYTES;
        if automaton.store().is_memory_over() || automaton.store().bytes() + bytes > limits.memory {
            return Err(LimitExceeded::Memory(limits.memory));
        }
        if automaton.is_work_over() {
            return Err(LimitExceeded::Work(limits.work));
        }
        next += 1;
    }
    let states = automaton.state_count();
    let finals = (0..states).map(StateId::new).filter(|&state| automaton.is_final(state));
    let nfa = Nfa::new(states, [initial], finals, transitions);
    Ok(nfa.unwrap_or_else(|_| unreachable!("every transition joins states of the automaton")))
}
