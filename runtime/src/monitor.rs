//! A loaded bundle: the bundle itself and the few tables that are quicker to derive than to store.

use crate::monitor::written_plan::Plan;
pub(crate) mod edges;
pub(crate) mod local_classes;
pub(crate) mod messages;
pub(crate) mod parts;
pub(crate) mod set_table;
pub(crate) mod written_plan;

use crate::lazy_automaton::{LazyAutomaton, SharedLazyAutomaton, Traces};
use crate::monitor::edges::Edges;
use crate::monitor::local_classes::LocalClasses;
use crate::monitor::messages::Messages;
use crate::monitor::parts::Parts;
use crate::monitor::set_table::SetTable;
use multitrace_formats::bundle::{Automaton, Bundle, Central, LocalVerifier, Unsupported};
use multitrace_interaction::{Alphabet, Id, LetterId, LocationId, Nfa, StateId, Stop};
use std::sync::OnceLock;

/// A specification ready for checking sessions. All workers share it; no check changes a verdict of another.
///
/// ```no_run
/// use multitrace_formats::bundle::Bundle;
/// use multitrace_interaction::Session;
/// use multitrace_runtime::{CheckConfig, Checker, Monitor, NoEngine};
/// fn check(bundle: Bundle, sessions: &[Session]) -> Result<(), NoEngine> {
///     let monitor = Monitor::new(bundle);
///     let mut checker = Checker::new(&monitor, CheckConfig::default())?;
///     for session in sessions {
///         println!("{}: {}", session.id, checker.check(session).verdict.name());
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Monitor {
    bundle: Bundle,
    /// Per letter, its location, and its column in the tables of that location.
    location_of: Vec<LocationId>,
    column_of: Vec<u32>,
    /// The transitions of the search automaton, by target and by source.
    incoming: Vec<Vec<(LetterId, StateId)>>,
    edges: Edges,
    reading: OnceLock<Vec<Vec<(StateId, StateId)>>>,
    full_sets: OnceLock<Option<SetTable>>,
    terms: OnceLock<Option<SharedLazyAutomaton>>,
    all_traces: OnceLock<Option<SharedLazyAutomaton>>,
    written_terms: OnceLock<Option<SharedLazyAutomaton>>,
    parts: OnceLock<Option<Parts>>,
    plan: OnceLock<Option<Plan>>,
    messages: OnceLock<Messages>,
    classes: OnceLock<Option<LocalClasses>>,
}

impl Monitor {
    /// Loads a bundle. It must have been decoded, which validates it, or just been compiled.
    pub fn new(bundle: Bundle) -> Monitor {
        let alphabet = &bundle.alphabet;
        let location_of = alphabet.letters().map(|letter| alphabet.location_of(letter)).collect();
        let mut column_of = vec![0; alphabet.letters().len()];
        for local in &bundle.locals {
            for (column, letter) in local.letters.iter().enumerate() {
                column_of[letter.index()] = column as u32;
            }
        }
        let incoming =
            bundle.automaton().map_or_else(Vec::new, |automaton| incoming(&automaton.search));
        let edges = bundle.automaton().map(|automaton| Edges::new(&automaton.search, alphabet));
        Monitor {
            edges: edges.unwrap_or_default(),
            reading: OnceLock::new(),
            full_sets: OnceLock::new(),
            bundle,
            location_of,
            column_of,
            incoming,
            terms: OnceLock::new(),
            all_traces: OnceLock::new(),
            written_terms: OnceLock::new(),
            parts: OnceLock::new(),
            plan: OnceLock::new(),
            messages: OnceLock::new(),
            classes: OnceLock::new(),
        }
    }

    /// The bundle.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// The letters, lifelines and locations.
    pub fn alphabet(&self) -> &Alphabet {
        &self.bundle.alphabet
    }

    /// The global automata, or the construct that prevents them.
    pub(crate) fn central(&self) -> Result<&Automaton, &Unsupported> {
        match &self.bundle.central {
            Central::Automaton(automaton) => Ok(automaton),
            Central::Unsupported(unsupported) => Err(unsupported),
        }
    }

    /// A lazy automaton of the specification, if that is an interaction, until `stop` says that the
    /// time of a session is over.
    pub(crate) fn terms(&self, traces: Traces, stop: Option<Stop>) -> Option<LazyAutomaton> {
        let slot = match traces {
            Traces::Enough => &self.terms,
            Traces::All => &self.all_traces,
            Traces::Written => &self.written_terms,
        };
        let source = self.bundle.source.as_ref();
        let alphabet = self.alphabet();
        let make = || {
            let (signature, interaction) = source?.clone();
            Some(SharedLazyAutomaton::new((signature, vec![interaction]), alphabet, traces))
        };
        Some(slot.get_or_init(make).as_ref()?.acquire(alphabet, stop))
    }

    /// The parts of the specification that share one location, if it consists of such parts.
    pub(crate) fn parts(&self) -> Option<&Parts> {
        let source = self.bundle.source.as_ref();
        self.parts.get_or_init(|| Parts::of(source?, self.alphabet())).as_ref()
    }

    /// How often a lazy automaton was replaced because it had grown too large.
    pub fn cleared(&self) -> u64 {
        let slots = [&self.terms, &self.all_traces, &self.written_terms].into_iter();
        let slots = slots.filter_map(|slot| slot.get()?.as_ref()).map(SharedLazyAutomaton::cleared);
        let parts = self.parts.get().and_then(|parts| Some(parts.as_ref()?.cleared()));
        slots.sum::<u64>() + parts.unwrap_or(0)
    }

    /// Which letters are ends of one message.
    pub(crate) fn messages(&self) -> &Messages {
        self.messages.get_or_init(|| match &self.bundle.source {
            Some((_, interaction)) => Messages::of_interaction(interaction, self.alphabet()),
            None => Messages::by_name(self.alphabet()),
        })
    }

    /// The verifier of a location.
    pub(crate) fn local(&self, location: LocationId) -> &LocalVerifier {
        self.bundle.local(location)
    }

    /// All locations, in order.
    pub(crate) fn locations(&self) -> impl ExactSizeIterator<Item = LocationId> + use<> {
        self.bundle.alphabet.locations()
    }

    /// The location that logs a letter of the alphabet.
    #[inline]
    pub(crate) fn location_of(&self, letter: LetterId) -> LocationId {
        self.location_of[letter.index()]
    }

    /// The column of a letter in the tables of a location; `None` for unknown events and, as a
    /// safeguard, for letters of other locations.
    #[inline]
    pub(crate) fn column(&self, location: LocationId, letter: LetterId) -> Option<usize> {
        let own = self.location_of.get(letter.index()).is_some_and(|&of| of == location);
        own.then(|| self.column_of[letter.index()] as usize)
    }

    /// Letters and sources of the transitions of the search automaton that lead to a state.
    pub(crate) fn incoming(&self, state: StateId) -> &[(LetterId, StateId)] {
        &self.incoming[state.index()]
    }

    /// Sources and targets of the transitions of the search automaton that read a letter. Made at
    /// the first call.
    pub(crate) fn reading(&self, letter: LetterId) -> &[(StateId, StateId)] {
        let all = self.reading.get_or_init(|| {
            let mut reading = vec![Vec::new(); self.alphabet().letters().len()];
            let automaton = self.bundle.automaton();
            for transition in automaton.iter().flat_map(|it| it.search.transitions()) {
                reading[transition.letter.index()].push((transition.from, transition.to));
            }
            reading
        });
        &all[letter.index()]
    }

    /// The states of the search automaton in classes that each location can tell apart, if that does not take too much
    /// work. Made at the first call.
    pub(crate) fn classes(&self) -> Option<&LocalClasses> {
        let automaton = self.bundle.automaton()?;
        self.classes
            .get_or_init(|| LocalClasses::new(&self.bundle, &self.location_of, &automaton.search))
            .as_ref()
    }

    /// The transitions of the search automaton.
    pub(crate) fn edges(&self) -> &Edges {
        &self.edges
    }

    /// The full automaton on sets of states, if it is small. Made at the first call.
    pub(crate) fn full_sets(&self) -> Option<&SetTable> {
        let automaton = self.bundle.automaton()?;
        self.full_sets.get_or_init(|| SetTable::new(self.alphabet(), &automaton.full)).as_ref()
    }

    /// The specification as constraints are made of it, if it is an interaction that has such a form. Made at the first call.
    pub(crate) fn plan(&self) -> Option<&Plan> {
        let (signature, interaction) = self.bundle.source.as_ref()?;
        let make = || Plan::new(signature, interaction, self.alphabet());
        self.plan.get_or_init(make).as_ref()
    }
}

fn incoming(nfa: &Nfa) -> Vec<Vec<(LetterId, StateId)>> {
    let mut incoming = vec![Vec::new(); nfa.state_count()];
    for transition in nfa.transitions() {
        incoming[transition.to.index()].push((transition.letter, transition.from));
    }
    incoming
}
