//! Automata over the letters of two specifications, compiled or explored on demand.

use multitrace_interaction::{
    Alphabet, Id, Interaction, LetterId, Nfa, Signature, StateId, TermAutomaton, TermStore,
    Transition, WorkLimit,
};

/// An automaton whose states are found on demand.
pub(super) trait Automaton {
    /// The states a path starts from.
    fn initial(&self) -> Vec<StateId>;
    /// Whether a path may end in a state.
    fn is_final(&self, state: StateId) -> bool;
    /// The letters and targets of the transitions of a state; `None` if finding them took too much work, or they are not
    /// listed.
    fn transitions(&mut self, state: StateId) -> Option<Vec<(LetterId, StateId)>>;

    /// The targets of the transitions of a state with a letter; `None` if finding them took too much work.
    fn step(&mut self, state: StateId, letter: LetterId) -> Option<Vec<StateId>> {
        let found = self.transitions(state)?.into_iter();
        Some(found.filter(|(it, _)| *it == letter).map(|(_, to)| to).collect())
    }
}

impl Automaton for Box<dyn Automaton + '_> {
    fn initial(&self) -> Vec<StateId> {
        (**self).initial()
    }

    fn is_final(&self, state: StateId) -> bool {
        (**self).is_final(state)
    }

    fn transitions(&mut self, state: StateId) -> Option<Vec<(LetterId, StateId)>> {
        (**self).transitions(state)
    }

    fn step(&mut self, state: StateId, letter: LetterId) -> Option<Vec<StateId>> {
        (**self).step(state, letter)
    }
}

/// A compiled automaton.
pub(super) struct Compiled<'a> {
    nfa: &'a Nfa,
    /// Per letter of the automaton, the joint letter; `None` if these are joint ones already.
    letters: Option<&'a [LetterId]>,
}

impl<'a> Compiled<'a> {
    /// An automaton of one specification.
    pub(super) fn new(nfa: &'a Nfa, letters: &'a [LetterId]) -> Compiled<'a> {
        Compiled { nfa, letters: Some(letters) }
    }

    /// An automaton over joint letters.
    pub(super) fn joint(nfa: &'a Nfa) -> Compiled<'a> {
        Compiled { nfa, letters: None }
    }
}

impl Automaton for Compiled<'_> {
    fn initial(&self) -> Vec<StateId> {
        self.nfa.initial().to_vec()
    }

    fn is_final(&self, state: StateId) -> bool {
        self.nfa.is_final(state)
    }

    fn transitions(&mut self, state: StateId) -> Option<Vec<(LetterId, StateId)>> {
        let letter = |own: LetterId| self.letters.map_or(own, |letters| letters[own.index()]);
        Some(self.nfa.outgoing(state).iter().map(|t| (letter(t.letter), t.to)).collect())
    }
}

/// Which global traces an automaton of terms accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traces {
    /// Enough of them that all multi-traces are accepted.
    Enough,
    /// All.
    All,
}

/// The most work on terms, in units of [`WorkLimit`]: some seconds, an estimate.
pub(super) const MOST_WORK: u64 = 20_000_000;

/// The derivatives of an interaction.
pub(super) struct Terms<'a> {
    automaton: TermAutomaton,
    limit: WorkLimit,
    initial: StateId,
    letters: &'a [LetterId],
    traces: Traces,
}

impl<'a> Terms<'a> {
    /// `None` if that took too much work.
    pub(super) fn new(
        (signature, interaction): &(Signature, Interaction),
        alphabet: &Alphabet,
        letters: &'a [LetterId],
        traces: Traces,
    ) -> Option<Terms<'a>> {
        let locations = alphabet.locations_of(signature);
        let enough = traces == Traces::Enough;
        let (mut store, mut limit) = (TermStore::new(), WorkLimit::work(MOST_WORK));
        let root = store.within(&mut limit, |store| {
            let root = store.intern(interaction).root();
            if enough { store.linearize(root, &locations).term } else { root }
        })?;
        let mut automaton = TermAutomaton::new(store, alphabet.actions(), Some(&locations));
        let initial = automaton.state(root);
        Some(Terms { automaton, limit, initial, letters, traces })
    }

    fn joint(
        &mut self,
        find: impl FnOnce(&mut TermAutomaton) -> Vec<Transition>,
    ) -> Option<Vec<(LetterId, StateId)>> {
        let found = self.automaton.within(&mut self.limit, find)?;
        Some(found.iter().map(|t| (self.letters[t.letter.index()], t.to)).collect())
    }
}

impl Automaton for Terms<'_> {
    fn initial(&self) -> Vec<StateId> {
        vec![self.initial]
    }

    fn is_final(&self, state: StateId) -> bool {
        self.automaton.is_final(state)
    }

    fn transitions(&mut self, state: StateId) -> Option<Vec<(LetterId, StateId)>> {
        match self.traces {
            Traces::Enough => self.joint(|automaton| automaton.transitions(state)),
            Traces::All => self.joint(|automaton| automaton.all_transitions(state)),
        }
    }
}
