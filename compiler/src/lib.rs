//! From a specification to a verifier bundle, offline. No checking here: nothing in this crate
//! looks at a trace.
//!
//! `spec → normalise → linearise → synthesise → trim → merge → persist → project + look ahead`, and `spec → balance`.
//! One pass is one file; this file composes them.

mod balance;
mod construct;
mod limits;
mod local_interactions;
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
mod words;

use crate::balance::{automaton_balance, interaction_balance};
use crate::limits::{BALANCE_WORK, Clock, Work};
use crate::local_interactions::local_interactions;
use crate::look_ahead::look_ahead_until;
use crate::merge::merge_until;
use crate::persist::{incoming, persist_until};
use crate::progress::CompileStage;
use crate::project::project_until;
use crate::synthesize::{automaton_bytes, synthesize_watched};
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
    Automaton, Bundle, Central, ForwardTable, LocalVerifier, Provenance, Rows, SpecText,
    Unsupported,
};
use multitrace_formats::workers::in_pool;
use multitrace_interaction::{
    Action, Alphabet, Id, Interaction, Interned, LetterId, Linearized, Locations, LoopKind, Nfa,
    Node, NodeId, Observation, Signature, StateId, TermAutomaton, TermId, TermStore, WorkLimit,
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
    /// Delete the transitions that persistent locations of the automaton make superfluous.
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

/// An interaction to compile, with the names that its report needs.
#[derive(Clone, Copy)]
pub struct InteractionSpec<'a> {
    /// The names.
    pub signature: &'a Signature,
    /// The diagram.
    pub interaction: &'a Interaction,
    /// The lifelines that share a clock.
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
    /// The bundle that the runtime loads.
    pub bundle: Bundle,
    /// Sizes before and after each pass, and constructs that did not fit.
    pub report: Report,
}

/// Compiles an interaction. When no automaton fits the limits the bundle says so, names the
/// construct, and holds local verifiers only. It has no [`SpecText`]; whoever read the text adds it.
///
/// # Errors
/// If the terms of the interaction alone are over the limit of memory: nothing can check it then.
pub fn compile_interaction(
    spec: InteractionSpec<'_>,
    provenance: Provenance,
    config: &Config,
) -> Result<Compiled, LimitExceeded> {
    compile_interaction_watched(spec, provenance, config, &CompileProgress::default())
}

/// [`compile_interaction`], while another thread may watch how far it is.
///
/// # Errors
/// As [`compile_interaction`].
pub fn compile_interaction_watched(
    spec: InteractionSpec<'_>,
    provenance: Provenance,
    config: &Config,
    progress: &CompileProgress,
) -> Result<Compiled, LimitExceeded> {
    let clock = Clock::start(&config.limits, progress.stopped());
    let alphabet = Alphabet::of_actions(spec.signature, spec.locations, spec.interaction.actions());
    let mut balancing = balance_work(config, &clock);
    let balance = interaction_balance(spec.interaction, &alphabet, &mut balancing);
    let mut report = Report::default();
    let balance = report.balance(balance);
    let mut pass = InteractionPass { spec, config, clock, alphabet: &alphabet, report, progress };
    let (central, locals) = pass.central_and_locals()?;
    let report = pass.report;
    let provenance = Provenance { timed_out: report.timed_out, ..provenance };
    let source = Some((spec.signature.clone(), spec.interaction.clone()));
    let observation = config.observation;
    progress.begin(CompileStage::Done);
    Ok(Compiled {
        bundle: Bundle {
            provenance,
            text: SpecText::default(),
            observation,
            events: None,
            alphabet,
            source,
            has_only_multi_traces: false,
            balance,
            central,
            locals,
        },
        report,
    })
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
    let automaton = reduce(&nfa, &alphabet, config, &clock, &mut report).unwrap_or_else(|_| {
        report.timed_out = true;
        let full = trim(&nfa);
        Automaton { search: full.clone(), full }
    });
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
            has_only_multi_traces: false,
            balance,
            central,
            locals,
        },
        report,
    }
}

/// The limit of work for finding the laws of balance.
fn balance_work(config: &Config, clock: &Clock) -> Work {
    let work = config.limits.work.min(BALANCE_WORK);
    Work::new(&Limits { work, ..config.limits }, clock.clone())
}

/// The automaton areas are defined on, and the one the search runs on. Areas come before merging:
/// merging joins paths that have different causes of failure.
///
/// # Errors
/// If the time is over.
fn reduce(
    nfa: &Nfa,
    alphabet: &Alphabet,
    config: &Config,
    clock: &Clock,
    report: &mut Report,
) -> Result<Automaton, LimitExceeded> {
    let full = report.pass("trim", trim(nfa));
    let mut search = full.clone();
    if config.merge {
        search = report.pass("merge", merge_until(&search, clock)?);
    }
    // Every transition is looked at once for each location.
    let work = search.transitions().len().saturating_mul(alphabet.locations().len());
    if config.persistent_states && work as u64 <= config.limits.work {
        search = report.pass("persist", trim(&persist_until(&search, alphabet, clock)?));
        if config.merge {
            search = report.pass("merge", merge_until(&search, clock)?);
        }
    }
    Ok(Automaton { full, search })
}

/// How many locations have their tables made before the rest of the memory is divided among those to come: with the
/// limits by default those of the first ones get 57 MiB, nearly all of [`Limits::local_bytes`].
const LOCATIONS_AT_ONCE: usize = 4;

/// How many times the bytes of the tables must fit the limit of memory: the tables, the bundle as bytes, and those of one
/// location in between, or what is needed to make the last tables.
const TABLE_COPIES: usize = 3;

/// The tables of one location take at most this many times `Limits::local_bytes`: once for the forward table, and twice
/// for the backward one, since its sets can double when they are closed for logs that have not begun.
const KEPT_TABLES: usize = 3;

/// The verifiers of all locations, each made on its own, in order. The memory is shared out between the locations that
/// are next, so that the tables are the same however many threads make them.
fn verifiers(
    automaton: &Automaton,
    alphabet: &Alphabet,
    config: &Config,
    clock: &Clock,
    report: &mut Report,
) -> Vec<LocalVerifier> {
    let locations = alphabet.letters_by_location();
    let incoming = incoming(&automaton.search);
    let work = automaton.full.transitions().len() * locations.len();
    let is_parallel = work >= PARALLEL_WORK;
    let make_all = || {
        let parts = (automaton, incoming.as_slice());
        made_verifiers(parts, &locations, config, clock, is_parallel)
    };
    let is_pool = rayon::current_thread_index().is_some();
    let made = if is_parallel && !is_pool { in_pool(0, make_all) } else { make_all() };
    let mut verifiers = Vec::with_capacity(made.len());
    for (verifier, timed_out, local) in made {
        report.timed_out |= timed_out;
        report.locals.push(local);
        verifiers.push(verifier);
    }
    verifiers
}

/// How often the tables of a location look at a transition, at least: three sets forward, three backward, and those
/// closed under all letters. 1,760 messages of strangers, which take 0.9 s of the processor, are the most that get an
/// automaton with the limits by default; counted once, they were 5,000, which took 7 s and 216 MB.
const LOOKS: usize = 8;

/// From how many transitions, one for each location, several threads are worth their start: some 100 us (an estimate).
const PARALLEL_WORK: usize = 10_000;

/// A verifier, whether time ended one of its tables, and its line of the report.
type MadeVerifier = (LocalVerifier, bool, LocalReport);

fn made_verifiers(
    (automaton, incoming): (&Automaton, &[Vec<(LetterId, StateId)>]),
    locations: &[Vec<LetterId>],
    config: &Config,
    clock: &Clock,
    is_parallel: bool,
) -> Vec<MadeVerifier> {
    let size = automaton_bytes(automaton.full.transitions().len(), automaton.full.state_count());
    let mut left = config.limits.memory.saturating_sub(size) / TABLE_COPIES;
    let mut all = Vec::with_capacity(locations.len());
    for locations in locations.chunks(LOCATIONS_AT_ONCE) {
        let local_bytes = config.limits.local_bytes.min(left / (KEPT_TABLES * locations.len()));
        let limits = Limits { local_bytes, ..config.limits };
        let make = |letters: &Vec<LetterId>| {
            let forward = || {
                let made = project_until(&automaton.full, letters, &limits, clock.clone());
                made.map(|projection| projection.table)
            };
            let search = (&automaton.search, incoming);
            let backward = || look_ahead_until(search, letters, &limits, clock.clone());
            let (forward, backward) = match is_parallel {
                true => rayon::join(forward, backward),
                false => (forward(), backward()),
            };
            let timed_out = is_late(&forward) || is_late(&backward);
            let report = LocalReport::new(
                letters.len(),
                forward.as_ref().map_err(|limit| NoTable::Limit(*limit)),
                backward.as_ref().map_err(|limit| NoTable::Limit(*limit)),
            );
            let (forward, backward) = (forward.ok(), backward.ok());
            (LocalVerifier { letters: letters.clone(), forward, backward }, timed_out, report)
        };
        let made: Vec<_> = match is_parallel {
            true => locations.par_iter().map(make).collect(),
            false => locations.iter().map(make).collect(),
        };
        let bytes: usize = made.iter().map(|(verifier, ..)| table_bytes(verifier)).sum();
        left = left.saturating_sub(bytes);
        all.extend(made);
    }
    all
}

/// The bytes that the tables of a location take.
fn table_bytes(verifier: &LocalVerifier) -> usize {
    let rows = |rows: &Rows| rows.bits.len() / 8;
    let forward = verifier.forward.iter().map(|table| {
        let areas = table.areas.as_ref().map_or(0, |it| size_of_val(&*it.of) + rows(&it.rows));
        size_of_val(&*table.next) + areas
    });
    let backward = verifier.backward.iter().map(|table| {
        let states = [&table.next, &table.begun, &table.unbegun];
        states.map(|it| size_of_val(&**it)).iter().sum::<usize>() + rows(&table.rows)
    });
    forward.chain(backward).sum()
}

/// Whether a table is missing because the time was over.
fn is_late<T>(made: &Result<T, LimitExceeded>) -> bool {
    made.as_ref().is_err_and(LimitExceeded::is_time)
}

/// A limit on the work on terms.
fn work_limit(work: u64, limits: &Limits, clock: &Clock) -> WorkLimit {
    WorkLimit { work, bytes: limits.memory, stop: Some(clock.clone().stop()) }
}

/// The limit that has ended work on terms.
fn limit_reached(store: &TermStore, limits: &Limits, clock: &Clock) -> LimitExceeded {
    match clock.check() {
        Err(late) => late,
        Ok(()) if store.bytes() > limits.memory => LimitExceeded::Memory(limits.memory),
        Ok(()) => LimitExceeded::Work(limits.work),
    }
}

/// The passes that work on terms.
struct InteractionPass<'a> {
    spec: InteractionSpec<'a>,
    config: &'a Config,
    clock: Clock,
    alphabet: &'a Alphabet,
    report: Report,
    progress: &'a CompileProgress,
}

impl InteractionPass<'_> {
    /// # Errors
    /// If the terms of the interaction alone are over the limit of memory.
    fn central_and_locals(&mut self) -> Result<(Central, Vec<LocalVerifier>), LimitExceeded> {
        let limits = &self.config.limits;
        let mut store = TermStore::new();
        // Whoever checks on terms makes these again, so nothing takes over. Memory bounds the time, too.
        let mut memory = WorkLimit { bytes: limits.memory, ..WorkLimit::default() };
        let interned = store.within(&mut memory, |store| store.intern(self.spec.interaction));
        let interned = interned.ok_or(LimitExceeded::Memory(limits.memory))?;
        let term = interned.root();
        let mut linearized = Linearized { term, origins: Default::default() };
        if self.config.linearize {
            let mut time = work_limit(u64::MAX, limits, &self.clock);
            let linearize = |store: &mut TermStore| store.linearize(term, self.spec.locations);
            match store.within(&mut time, linearize) {
                Some(found) => linearized = found,
                None => match limit_reached(&store, limits, &self.clock) {
                    limit if limit.is_time() => {}
                    limit => return Err(limit),
                },
            }
        }
        let sizes = [term, linearized.term].map(|term| report::term_size(&store, term));
        self.report.terms = Some(sizes.into());
        Ok(match self.automaton(&mut store, linearized.term) {
            Ok(automaton) => {
                drop(store);
                self.progress.begin(CompileStage::Verifiers);
                let (config, report) = (self.config, &mut self.report);
                let locals = verifiers(&automaton, self.alphabet, config, &self.clock, report);
                (Central::Automaton(automaton), locals)
            }
            Err(limit) => {
                let unsupported = self.blame(&store, &interned, &linearized, limit);
                drop(store);
                self.report.unsupported = Some(unsupported.clone());
                self.progress.begin(CompileStage::Verifiers);
                (Central::Unsupported(unsupported), self.local_verifiers())
            }
        })
    }

    /// The automaton of a term, reduced.
    fn automaton(
        &mut self,
        store: &mut TermStore,
        term: TermId,
    ) -> Result<Automaton, LimitExceeded> {
        let persistent = self.config.persistent_terms.then_some(self.spec.locations);
        self.progress.begin(CompileStage::Explore);
        self.clock.check()?;
        // The passes that follow look at every transition once for each location, and every letter has a transition.
        // Among thousands of locations the tables are nearly all of the work, and terms do as well.
        let locations = self.alphabet.locations().len();
        let look = |transitions: usize, looks: usize| {
            let work = transitions.saturating_mul(locations).saturating_mul(looks);
            Work::new(&self.config.limits, self.clock.clone()).spend(work)
        };
        look(self.alphabet.letters().len(), LOOKS)?;
        let limits = self.config.limits;
        let work = &mut work_limit(limits.work, &limits, &self.clock);
        let actions = self.alphabet.actions();
        let nfa = self.explore((store, work), term, actions, persistent, limits)?;
        look(nfa.transitions().len(), 1)?;
        self.progress.begin(CompileStage::Reduce);
        let nfa = self.report.pass("synthesise", nfa);
        let automaton = reduce(&nfa, self.alphabet, self.config, &self.clock, &mut self.report)?;
        self.clock.check()?;
        Ok(automaton)
    }

    fn explore(
        &self,
        (store, work): (&mut TermStore, &mut WorkLimit),
        term: TermId,
        actions: impl IntoIterator<Item = (Action, LetterId)>,
        persistent: Option<&Locations>,
        limits: Limits,
    ) -> Result<Nfa, LimitExceeded> {
        let mut automaton = TermAutomaton::new(std::mem::take(store), actions, persistent);
        let nfa = synthesize_watched(&mut automaton, term, &limits, work, self.progress);
        *store = automaton.into_store();
        // Work may also end because of the time.
        if nfa.is_err() {
            self.clock.check()?;
        }
        nfa
    }

    fn blame(
        &mut self,
        store: &TermStore,
        interned: &Interned,
        linearized: &Linearized,
        limit: LimitExceeded,
    ) -> Unsupported {
        self.report.timed_out |= limit.is_time();
        let interaction = self.spec.interaction;
        let explored = linearized.term;
        let node =
            construct::construct_to_blame(store, interaction, interned, linearized, explored);
        Unsupported {
            limit: limit.to_string(),
            construct: construct_name(interaction.node(node)).to_owned(),
            place: (self.spec.place_of)(node),
        }
    }

    /// Without a global automaton, each location's verifier comes from the interaction with all other
    /// lifelines removed, where that has an automaton.
    fn local_verifiers(&mut self) -> Vec<LocalVerifier> {
        let alphabet = self.alphabet;
        // The tables of all locations share one limit on the work, and one on the memory.
        let limits = &self.config.limits;
        let mut store = TermStore::new();
        let mut work = work_limit(limits.work, limits, &self.clock);
        let mut taken = 0;
        let mut actions = vec![Vec::new(); alphabet.locations().len()];
        for (action, letter) in alphabet.actions() {
            actions[alphabet.location_of(letter).index()].push((action, letter));
        }
        let locals = local_interactions(self.spec.interaction, self.spec.locations);
        let made = alphabet.letters_by_location().into_iter().zip(locals.into_iter().zip(actions));
        made.map(|(letters, (local, actions))| {
            let left = limits.memory.saturating_sub(store.bytes()) / TABLE_COPIES;
            let local_bytes = limits.local_bytes.min(left.saturating_sub(taken));
            let limits = Limits { local_bytes, ..*limits };
            let terms = (&mut store, &mut work);
            let forward = self.local_table(terms, &local, &letters, actions, &limits);
            self.report.timed_out |= is_late(&forward);
            self.report.locals.push(LocalReport::new(
                letters.len(),
                forward.as_ref().map_err(|limit| NoTable::Limit(*limit)),
                Err(NoTable::NoAutomaton),
            ));
            let verifier = LocalVerifier { letters, forward: forward.ok(), backward: None };
            taken += table_bytes(&verifier);
            verifier
        })
        .collect()
    }

    fn local_table(
        &self,
        (store, work): (&mut TermStore, &mut WorkLimit),
        local: &Interaction,
        letters: &[LetterId],
        actions: Vec<(Action, LetterId)>,
        limits: &Limits,
    ) -> Result<ForwardTable, LimitExceeded> {
        let linearized = store.within(work, |store| {
            let local = store.intern(local).root();
            store.linearize(local, self.spec.locations).term
        });
        let local = linearized.ok_or_else(|| limit_reached(store, limits, &self.clock))?;
        let exploring = Limits { states: limits.local_states, ..*limits };
        let nfa = self.explore((store, work), local, actions, None, exploring)?;
        let projection = project_until(&trim(&nfa), letters, limits, self.clock.clone())?;
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
