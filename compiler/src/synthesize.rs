//! Interaction to automaton: a term automaton explored to its end, under limits.

use crate::limits::{LimitExceeded, Limits};
use crate::progress::CompileProgress;
use multitrace_interaction::{Id, Nfa, StateId, TermAutomaton, TermId, Transition, WorkLimit};

/// The bytes that a state takes while it is found: its key, with a hash and an index. An estimate.
const STATE_BYTES: usize = 48;

/// How often a transition is held at one time by the passes to come: as found, trimmed, and merged from both sides, with
/// its source. `scripts/hostile` shows the memory of optional messages, which have the most transitions for their terms.
const COPIES: usize = 9;

/// The automaton of a term.
///
/// # Errors
/// When there would be more than `limits.states` states, terms that keep growing, or more work or memory than the limits
/// allow.
pub fn synthesize(
    automaton: &mut TermAutomaton,
    term: TermId,
    limits: &Limits,
) -> Result<Nfa, LimitExceeded> {
    let mut work = WorkLimit { work: limits.work, bytes: limits.memory, stop: None };
    synthesize_watched(automaton, term, limits, &mut work, &CompileProgress::default())
}

/// The same with a limit on the work that others share, and tells how many states there are so far.
pub(crate) fn synthesize_watched(
    automaton: &mut TermAutomaton,
    term: TermId,
    limits: &Limits,
    work: &mut WorkLimit,
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
        let row = automaton.within(work, |automaton| automaton.transitions(state));
        let length = transitions.len() + row.as_ref().map_or(0, Vec::len);
        let bytes = automaton_bytes(length, automaton.state_count());
        if automaton.store().bytes() + bytes > limits.memory {
            return Err(LimitExceeded::Memory(limits.memory));
        }
        transitions.extend(row.ok_or(LimitExceeded::Work(limits.work))?);
        next += 1;
    }
    let states = automaton.state_count();
    let finals = (0..states).map(StateId::new).filter(|&state| automaton.is_final(state));
    let nfa = Nfa::new(states, [initial], finals, transitions);
    Ok(nfa.unwrap_or_else(|_| unreachable!("every transition joins states of the automaton")))
}

/// How many bytes an automaton of this size takes, with its copies.
pub(crate) fn automaton_bytes(transitions: usize, states: usize) -> usize {
    transitions * COPIES * size_of::<Transition>() + states * STATE_BYTES
}
