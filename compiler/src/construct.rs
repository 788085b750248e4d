//! Which construct leaves the automaton's reach: the one to name when a limit is hit.

use multitrace_interaction::{
    Id, Interaction, Interned, Linearized, LoopTerm, NodeId, Term, TermId, TermStore,
};
use rustc_hash::FxHashMap;

/// The node to blame for an automaton that does not fit. `explored` is the term that was being
/// explored: a loop that is still weak or parallel in it keeps the term growing; without one, a
/// concurrent operator multiplies the states; without one of those, the whole is too large.
pub(crate) fn construct_to_blame(
    store: &TermStore,
    interaction: &Interaction,
    interned: &Interned,
    linearized: &Linearized,
    explored: TermId,
) -> NodeId {
    let mut node_of: FxHashMap<TermId, NodeId> = FxHashMap::default();
    for (index, &term) in interned.terms().iter().enumerate() {
        // The outermost node of a term is the last one; keep it.
        node_of.insert(term, NodeId::new(index));
    }
    let place = |term: TermId| {
        let origin = linearized.origins.get(&term).copied().unwrap_or(term);
        node_of.get(&origin).or_else(|| node_of.get(&term)).copied()
    };
    let reachable = subterms(store, explored);
    let first = |matches: &dyn Fn(&Term) -> bool| {
        reachable.iter().filter(|&&term| matches(store.term(term))).find_map(|&term| place(term))
    };
    let growing = |term: &Term| matches!(term, Term::Loop(kind, _) if *kind != LoopTerm::Strict);
    let concurrent = |term: &Term| matches!(term, Term::Par(_) | Term::CoReg(..));
    first(&growing).or_else(|| first(&concurrent)).unwrap_or(interaction.root())
}

/// The term and all below it, each once, outermost first.
pub(crate) fn subterms(store: &TermStore, root: TermId) -> Vec<TermId> {
    let mut seen = indexmap::IndexSet::from([root]);
    let mut next = 0;
    while let Some(&term) = seen.get_index(next) {
        next += 1;
        match store.term(term) {
            Term::Empty | Term::Step(_) => {}
            Term::Strict(a, b) | Term::CoReg(_, a, b) => seen.extend([*a, *b]),
            Term::Par(parts) | Term::Alt(parts) => seen.extend(parts.iter().copied()),
            Term::Loop(_, body) => {
                seen.insert(*body);
            }
        }
    }
    seen.into_iter().collect()
}
