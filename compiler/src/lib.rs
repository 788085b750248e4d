//! From a specification to a verifier bundle, offline. No checking here: nothing in this crate
//! looks at a trace.
//!
//! `spec → normalise → linearise → synthesise → trim → merge → persist → project + look ahead`, and `spec → balance`.
//! One pass is one file; this file composes them.

mod balance;
mod construct;
mod limits;
mod look_ahead;
mod merge;
mod persist;
mod progress;
mod project;
mod report;
mod synthesize;
#[cfg(test)]
mod test_automata;
mod trim;
mod warnings;

use crate::balance::{automaton_balance, interaction_balance};
use crate::limits::{BALANCE_WORK, Clock, Work};
use crate::look_ahead::look_ahead_until;
use crate::progress::Step;
use crate::project::project_until;
use crate::synthesize::synthesize_watched;
pub use limits::{LimitExceeded, Limits};
pub use look_ahead::look_ahead;
pub use merge::{merge, merge_futures};
pub use persist::persist;
pub use progress::CompileProgress;
pub use project::{Projection, project};
pub use report::{LocalReport, NoTable, PassReport, Report, TableReport};
pub use synthesize::synthesize;
pub use trim::trim;
pub use warnings::{WrittenSpec, automaton_warnings, interaction_warnings};

use multitrace_formats::bundle::{
    Automaton, Bundle, Central, ForwardTable, LocalVerifier, Provenance, SpecText, Unsupported,
};
use multitrace_interaction::{
    Alphabet, Interaction, Interned, LetterId, LifelineSet, Linearized, LocationId, Locations,
    LoopKind, Nfa, Node, NodeId, Observation, Signature, TermAutomaton, TermId, TermStore,
};
use rayon::prelude::*;

/// How to compile. Switching a reduction off is for comparison: verdicts stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// How large automata may get.
    pub limits: Limits,
    /// The observation mode of the bundle, unless another is asked for when checking.
    pub observation: Observation,
    /// Replace weak by strict order where no location can tell.
    pub linearize: bool,
    /// Follow persistent locations while synthesising.
    pub persistent_terms: bool,
    /// Merge states with equal futures or pasts.
    pub merge: bool,
    /// Delete what persistent locations of the automaton make superfluous.
    pub persistent_states: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            limits: Limits::default(),
            observation: Observation::Complete,
            linearize: true,
            persistent_terms: true,
            merge: true,
            persistent_states: true,
        }
    }
}

/// An interaction to compile, with what its report needs.
#[derive(Clone, Copy)]
pub struct InteractionSpec<'a> {
    /// The names.
    pub signature: &'a Signature,
    /// The diagram.
    pub interaction: &'a Interaction,
    /// Who shares a clock.
    pub locations: &'a Locations,
    /// Where a node stands in the source, for reports: `file:line:column`.
    pub place_of: &'a dyn Fn(NodeId) -> String,
}

impl std::fmt::Debug for InteractionSpec<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InteractionSpec")
            .field("interaction", self.interaction)
            .finish_non_exhaustive()
    }
}

/// A bundle and how it came about.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What the runtime needs.
    pub bundle: Bundle,
    /// What users may want to know.
    pub report: Report,
}

/// Compiles an interaction. When no automaton fits the limits the bundle says so, names the
/// construct, and holds local verifiers only. It has no [`SpecText`]; whoever read the text adds it.
pub fn compile_interaction(
    spec: InteractionSpec<'_>,
    provenance: Provenance,
    config: &Config,
) -> Compiled {
    compile_interaction_watched(spec, provenance, config, &CompileProgress::default())
}

/// [`compile_interaction`], while another thread may watch how far it is.
pub fn compile_interaction_watched(
    spec: InteractionSpec<'_>,
    provenance: Provenance,
    config: &Config,
    progress: &CompileProgress,
) -> Compiled {
    let clock = Clock::start(&config.limits, progress.stopped());
    let alphabet = Alphabet::of_actions(spec.signature, spec.locations, spec.interaction.actions());
    let mut balancing = balance_work(config, &clock);
    let balance = interaction_balance(spec.interaction, &alphabet, &mut balancing);
    let mut report = Report::default();
    let balance = report.balance(balance);
    let mut store = TermStore::new();
    let interned = store.intern(spec.interaction);
    let term = interned.root();
    let linearized = if config.linearize {
        store.linearize(term, spec.locations)
    } else {
        Linearized { term, origins: Default::default() }
    };
    let sizes = [term, linearized.term].map(|term| report::term_size(&store, term));
    report.terms = Some(sizes.into());
    let mut pass = InteractionPass {
        spec,
        config,
        clock: clock.clone(),
        alphabet: &alphabet,
        store,
        report,
        progress,
    };
    let (central, locals) = match pass.automaton(linearized.term) {
        Ok(automaton) => {
            progress.begin(Step::Verifiers);
            let locals = verifiers(&automaton, &alphabet, config, &clock, &mut pass.report);
            (Central::Automaton(automaton), locals)
        }
        Err(limit) => {
            let unsupported = pass.blame(&interned, &linearized, limit);
            pass.report.unsupported = Some(unsupported.clone());
            progress.begin(Step::Verifiers);
            (Central::Unsupported(unsupported), pass.local_verifiers(term))
        }
    };
    let report = pass.report;
    let provenance = Provenance { timed_out: report.timed_out, ..provenance };
    let source = Some((spec.signature.clone(), spec.interaction.clone()));
    let observation = config.observation;
    progress.begin(Step::Done);
    Compiled {
        bundle: Bundle {
            provenance,
            text: SpecText::default(),
            observation,
            events: None,
            alphabet,
            source,
            balance,
            central,
            locals,
        },
        report,
    }
}

/// Compiles an automaton that was given directly (paper 004 sec. 5). The bundle has no [`SpecText`].
pub fn compile_automaton(
    alphabet: Alphabet,
    nfa: Nfa,
    provenance: Provenance,
    config: &Config,
) -> Compiled {
    compile_automaton_watched(alphabet, nfa, provenance, config, &CompileProgress::default())
}

/// [`compile_automaton`], which another thread may end.
pub fn compile_automaton_watched(
    alphabet: Alphabet,
    nfa: Nfa,
    provenance: Provenance,
    config: &Config,
    progress: &CompileProgress,
) -> Compiled {
    let mut report = Report::default();
    let nfa = report.pass("read", nfa);
    let clock = Clock::start(&config.limits, progress.stopped());
    let automaton = reduce(nfa, &alphabet, config, &mut report);
    let mut balancing = balance_work(config, &clock);
    let letters = alphabet.letters().len();
    let balance = automaton_balance(&automaton.full, letters, &mut balancing);
    let balance = report.balance(balance);
    let locals = verifiers(&automaton, &alphabet, config, &clock, &mut report);
    let provenance = Provenance { timed_out: report.timed_out, ..provenance };
    let (observation, central) = (config.observation, Central::Automaton(automaton));
    Compiled {
        bundle: Bundle {
            provenance,
            text: SpecText::default(),
            observation,
            events: None,
            alphabet,
            source: None,
            balance,
            central,
            locals,
        },
        report,
    }
}

/// What finding the laws of balance may take.
fn balance_work(config: &Config, clock: &Clock) -> Work {
    let work = config.limits.work.min(BALANCE_WORK);
    Work::new(&Limits { work, ..config.limits }, clock.clone())
}

/// The automaton areas are defined on, and the one the search runs on. Areas come before merging:
/// merging joins paths that have different causes of failure.
fn reduce(nfa: Nfa, alphabet: &Alphabet, config: &Config, report: &mut Report) -> Automaton {
    let full = report.pass("trim", trim(&nfa));
    let mut search = full.clone();
    if config.merge {
        search = report.pass("merge", merge(&search));
    }
    if config.persistent_states {
        search = report.pass("persist", trim(&persist(&search, alphabet)));
        if config.merge {
            search = report.pass("merge", merge(&search));
        }
    }
    Automaton { full, search }
}

/// The verifiers of all locations, each made on its own, in order.
fn verifiers(
    automaton: &Automaton,
    alphabet: &Alphabet,
    config: &Config,
    clock: &Clock,
    report: &mut Report,
) -> Vec<LocalVerifier> {
    let locations: Vec<_> = alphabet.locations().zip(alphabet.letters_by_location()).collect();
    let made: Vec<_> = locations
        .into_par_iter()
        .map(|(location, letters)| {
            let forward = project_until(&automaton.full, &letters, &config.limits, clock.clone());
            let forward = forward.map(|projection| projection.table);
            let backward =
                look_ahead_until(&automaton.search, &letters, &config.limits, clock.clone());
            let timed_out = is_late(&forward) || is_late(&backward);
            let report = LocalReport::new(
                alphabet.location_name(location),
                letters.len(),
                forward.as_ref().map_err(|limit| NoTable::Limit(*limit)),
                backward.as_ref().map_err(|limit| NoTable::Limit(*limit)),
            );
            let (forward, backward) = (forward.ok(), backward.ok());
            ((LocalVerifier { letters, forward, backward }, timed_out), report)
        })
        .collect();
    let (locals, reports): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    report.locals = reports;
    report.timed_out |= locals.iter().any(|(_, timed_out)| *timed_out);
    locals.into_iter().map(|(local, _)| local).collect()
}

/// Whether a table is missing because the time was over.
fn is_late<T>(made: &Result<T, LimitExceeded>) -> bool {
    made.as_ref().is_err_and(LimitExceeded::is_time)
}

/// The passes that work on terms.
struct InteractionPass<'a> {
    spec: InteractionSpec<'a>,
    config: &'a Config,
    clock: Clock,
    alphabet: &'a Alphabet,
    store: TermStore,
    report: Report,
    progress: &'a CompileProgress,
}

impl InteractionPass<'_> {
    /// The automaton of a term, reduced.
    fn automaton(&mut self, term: TermId) -> Result<Automaton, LimitExceeded> {
        let persistent = self.config.persistent_terms.then_some(self.spec.locations);
        self.store.limit_work(self.config.limits.work, Some(self.clock.clone().stop()));
        self.progress.begin(Step::Explore);
        let nfa = self.explore(term, persistent, self.config.limits)?;
        self.progress.begin(Step::Reduce);
        let nfa = self.report.pass("synthesise", nfa);
        // What follows looks at every transition once for each location.
        let work = nfa.transitions().len().saturating_mul(self.alphabet.locations().len());
        Work::new(&self.config.limits, self.clock.clone()).spend(work)?;
        let automaton = reduce(nfa, self.alphabet, self.config, &mut self.report);
        self.clock.check()?;
        Ok(automaton)
    }

    fn explore(
        &mut self,
        term: TermId,
        persistent: Option<&Locations>,
        limits: Limits,
    ) -> Result<Nfa, LimitExceeded> {
        let store = std::mem::take(&mut self.store);
        let mut automaton = TermAutomaton::new(store, self.alphabet.actions(), persistent);
        let nfa = synthesize_watched(&mut automaton, term, &limits, self.progress);
        self.store = automaton.into_store();
        // Work may also end because of the time.
        if nfa.is_err() {
            self.clock.check()?;
        }
        nfa
    }

    fn blame(
        &mut self,
        interned: &Interned,
        linearized: &Linearized,
        limit: LimitExceeded,
    ) -> Unsupported {
        self.report.timed_out |= limit.is_time();
        let interaction = self.spec.interaction;
        let node = construct::construct_to_blame(
            &self.store,
            interaction,
            interned,
            linearized,
            linearized.term,
        );
        Unsupported {
            limit: limit.to_string(),
            construct: construct_name(interaction.node(node)).to_owned(),
            place: (self.spec.place_of)(node),
        }
    }

    /// Without a global automaton, each location's verifier comes from the term with all other
    /// lifelines removed, where that has an automaton.
    fn local_verifiers(&mut self, term: TermId) -> Vec<LocalVerifier> {
        let alphabet = self.alphabet;
        // The tables of all locations share one limit on the work.
        self.store.limit_work(self.config.limits.work, Some(self.clock.clone().stop()));
        let locations = alphabet.locations().zip(alphabet.letters_by_location());
        locations.map(|(location, letters)| self.local_verifier(term, location, letters)).collect()
    }

    /// # Errors
    /// If the work on terms is over.
    fn check_work(&self) -> Result<(), LimitExceeded> {
        if !self.store.is_work_over() {
            return Ok(());
        }
        self.clock.check()?;
        Err(LimitExceeded::Work(self.config.limits.work))
    }

    fn local_verifier(
        &mut self,
        term: TermId,
        location: LocationId,
        letters: Vec<LetterId>,
    ) -> LocalVerifier {
        let forward = self.local_table(term, location, &letters);
        self.report.timed_out |= is_late(&forward);
        self.report.locals.push(LocalReport::new(
            self.alphabet.location_name(location),
            letters.len(),
            forward.as_ref().map_err(|limit| NoTable::Limit(*limit)),
            Err(NoTable::NoAutomaton),
        ));
        LocalVerifier { letters, forward: forward.ok(), backward: None }
    }

    fn local_table(
        &mut self,
        term: TermId,
        location: LocationId,
        letters: &[LetterId],
    ) -> Result<ForwardTable, LimitExceeded> {
        self.check_work()?;
        let own: LifelineSet = self.spec.locations.lifelines(location).iter().copied().collect();
        let all: LifelineSet = self.spec.signature.lifelines().collect();
        let local = self.store.remove_lifelines(term, &all.difference(&own));
        self.check_work()?;
        let local = self.store.linearize(local, self.spec.locations).term;
        let limits = Limits { states: self.config.limits.local_states, ..self.config.limits };
        let nfa = self.explore(local, None, limits)?;
        let projection =
            project_until(&trim(&nfa), letters, &self.config.limits, self.clock.clone())?;
        // Areas are parts of a global automaton, which this specification does not have.
        Ok(ForwardTable { areas: None, ..projection.table })
    }
}

/// How a construct is written.
fn construct_name(node: &Node) -> &'static str {
    match node {
        Node::Empty => "the empty interaction",
        Node::Step(_) => "a message passing",
        Node::Strict(..) => "`strict`",
        Node::Seq(..) => "`seq`",
        Node::Par(..) => "`par`",
        Node::CoReg(..) => "`coreg`",
        Node::Alt(..) => "`alt`",
        Node::Loop(LoopKind::Strict, _) => "`loopS`",
        Node::Loop(LoopKind::Weak, _) => "`loopW`",
        Node::Loop(LoopKind::Parallel, _) => "`loopP`",
        Node::Loop(LoopKind::CoReg(_), _) => "`loopC`",
        Node::Loop(LoopKind::HeadFirst, _) => "`loopH`",
    }
}
