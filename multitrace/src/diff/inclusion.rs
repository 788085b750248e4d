//! Whether all that one specification accepts, the other accepts too.

use super::automata::{Automaton, Compiled, MOST_WORK, Terms, Traces};
use super::difference::{Product, TooLarge, short_words};
use super::joint::{Joint, Pair};
use super::lagging::Lagging;
use super::levels::{Bounds, End, Levels};
use crate::check_one::SessionChecker;
use crate::error::Error;
use crate::monitor::Monitor;
use multitrace_interaction::{
    ForeignTrace, Id, LetterId, LocationId, MultiTrace, Nfa, Node, NodeId, Observation, Session,
    Step, UnknownEvent, Verdict, WorkLimit, has_independent_logs,
};
use multitrace_reports::finding::Finding;
use multitrace_reports::spec_places::{SpecPlace, SpecPlaces};
use multitrace_runtime::CheckConfig;

/// Whether all sessions of one specification are sessions of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Inclusion {
    /// They are.
    Proved(Proof),
    /// They are not: this one is a session of one only.
    Refuted(Box<Difference>),
    /// No session was found that is a session of one only.
    NotRefuted {
        /// All sessions of at most this many events that the automata left open were tried.
        up_to_events: usize,
        /// How many sessions were tried, of any number of events.
        sessions: u64,
        /// For how many of these the budget of a check did not suffice.
        undecided: u64,
    },
}

/// Why one specification accepts all sessions of the other. The later ones take more work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Proof {
    /// Both have the same normal form.
    Term,
    /// One automaton accepts every word of the other.
    Automaton,
    /// The other accepts whatever logs it accepts one by one, and each log of the one.
    Logs,
    /// The other accepts the events of each session in another order.
    Reordering,
    /// Only finitely many sessions were left that the automata did not settle, and each was checked.
    Sessions,
}

impl Proof {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Proof::Term => "term",
            Proof::Automaton => "automaton",
            Proof::Logs => "logs",
            Proof::Reordering => "reordering",
            Proof::Sessions => "sessions",
        }
    }
}

/// A session that one specification accepts and the other does not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The session, over the alphabet of the specification that accepts it.
    pub session: Session,
    /// Whether no session of fewer events is a difference.
    pub is_shortest: bool,
    /// The findings for the other specification, the main one first.
    pub findings: Vec<Finding>,
    /// The event of the main finding in the specification that accepts the session, as its node.
    pub(super) own_node: Option<NodeId>,
}

/// Where a specification lacks a line that another one has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct SpecGap {
    /// Whether the line would stand behind this place, and not before it.
    pub is_behind: bool,
    /// A line that it has.
    pub place: SpecPlace,
}

#[doc(hidden)]
impl Difference {
    /// Where the two specifications part: where the event of the main finding stands in the one that accepts the session, and
    /// in the other one. `None` for one that has no text, or not that event.
    pub fn places(&self, [own, other]: Pair<&Monitor>) -> Pair<Option<SpecPlace>> {
        let Some(main) = self.findings.first() else { return [None, None] };
        let event = main.event.as_deref().unwrap_or_default();
        let here = self.own_node.and_then(|node| SpecPlace::of_node(own.bundle(), node, event));
        let there = SpecPlaces::new(other.bundle(), std::slice::from_ref(main)).places;
        [here, there.into_iter().next()]
    }

    /// Where the other specification lacks the event of the main finding: behind the last event before it that it has, else
    /// before its first one. `None` if it has the event, or no text.
    pub fn gap(&self, [own, other]: Pair<&Monitor>) -> Option<SpecGap> {
        let (main, bundle) = (self.findings.first()?, other.bundle());
        if self.places([own, other])[1].is_some() {
            return None;
        }
        let (signature, interaction) = bundle.source.as_ref()?;
        let steps = || {
            let nodes = interaction.nodes().iter().enumerate();
            nodes.filter_map(|(at, node)| match node {
                Node::Step(step) => Some((NodeId::new(at), step)),
                _ => None,
            })
        };
        let has = |step: &Step, event: &str| {
            step.actions().iter().any(|it| signature.action_text(*it) == event)
        };
        let log = self.log_before(main, own);
        for (at, event) in log.iter().enumerate().rev() {
            let nodes: Vec<NodeId> =
                steps().filter(|(_, step)| has(step, event)).map(|(node, _)| node).collect();
            let count = log[..=at].iter().filter(|it| *it == event).count();
            if let Some(node) = nodes.get(count - 1).or(nodes.last()) {
                let place = SpecPlace::of_node(bundle, *node, event)?;
                return Some(SpecGap { is_behind: true, place });
            }
        }
        let start = |node: &NodeId| bundle.text.spans.get(node.index()).map(|it| it.start);
        let first = steps().map(|(node, _)| node).min_by_key(start)?;
        Some(SpecGap { is_behind: false, place: SpecPlace::of_node(bundle, first, "")? })
    }

    /// The events of the log of a finding before it.
    fn log_before<'a>(&self, finding: &Finding, own: &'a Monitor) -> Vec<&'a str> {
        let alphabet = own.alphabet();
        let location = finding.location.as_deref().and_then(|it| alphabet.location(it));
        let log = location.and_then(|it| self.session.trace.get(it.index()));
        let before = log.zip(finding.index).and_then(|(log, index)| log.get(..index));
        before.unwrap_or_default().iter().map(|&it| alphabet.letter_name(it)).collect()
    }
}

/// How far differences are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiffOptions {
    /// Sessions are enumerated up to this many events.
    pub max_events: usize,
    /// At most this many sessions are enumerated each way, complete ones and beginnings of others.
    pub budget_sessions: usize,
}

impl Default for DiffOptions {
    /// 100 events, 100,000 sessions: seconds. Estimates, not measured.
    fn default() -> DiffOptions {
        DiffOptions { max_events: 100, budget_sessions: 100_000 }
    }
}

/// The most states of a product of compiled automata: as many as a compiled one may have.
const MOST_STATES_OF_PRODUCT: usize = 100_000;
/// The same on terms. Fewer, since each is derived again, and there may be no end of them. An estimate, not
/// measured.
const MOST_STATES_OF_TERMS: usize = 20_000;

/// So many sessions are tried before a proof by reordering, which takes long where it fails. Most specifications that differ
/// do so within them (an estimate, not measured).
const FEW_SESSIONS: usize = 1_000;

/// How many letters an automaton may lag behind another. More letters take more states: of the specifications that
/// `scripts/bench learn` compares, none is proved with 8 and not with 4.
const MOST_WAITING: usize = 4;

/// Whether the specification of one index accepts only sessions that the other accepts.
///
/// # Errors
/// If the other one cannot check sessions.
pub(super) fn inclusion(
    monitors: Pair<&Monitor>,
    joint: &Joint,
    from: usize,
    options: DiffOptions,
) -> Result<Inclusion, Error> {
    let checker = monitors[1 - from].checker(complete())?;
    let mut search = Search { monitors, joint, from, checker, options, sessions: 0, undecided: 0 };
    Ok(search.run())
}

fn complete() -> CheckConfig {
    CheckConfig { observation: Observation::Complete, ..CheckConfig::default() }
}

struct Search<'a> {
    monitors: Pair<&'a Monitor>,
    joint: &'a Joint,
    from: usize,
    /// Of the other specification.
    checker: SessionChecker<'a>,
    options: DiffOptions,
    sessions: u64,
    undecided: u64,
}

/// The automata of a specification. All of them have the same multi-traces, and each accepts all words
/// of the one before: the search automaton lacks words that persistent locations make superfluous, the full one those
/// that linearising and persistent locations of terms do. The automaton of the terms as they were written accepts all
/// global traces; only an interaction has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Search,
    Full,
    AllTraces,
}

impl<'a> Search<'a> {
    fn run(&mut self) -> Inclusion {
        let difference = match self.by_automata() {
            Ok(found) => return found,
            Err(difference) => difference,
        };
        if self.by_logs() {
            return Inclusion::Proved(Proof::Logs);
        }
        let up_to_events = match self.enumerate(difference.as_ref()) {
            Ok(found) => return found,
            Err(up_to_events) => up_to_events,
        };
        let words = difference.as_ref().map_or_else(Vec::new, short_words);
        if let Some(found) = words.iter().find_map(|word| self.refuted_by_word(word, false)) {
            return found;
        }
        let (sessions, undecided) = (self.sessions, self.undecided);
        Inclusion::NotRefuted { up_to_events, sessions, undecided }
    }

    /// Compares the smallest automaton of the one with the automata of the other: the answer, or else the words that
    /// the largest automaton of the other does not accept, if that is not too large.
    fn by_automata(&mut self) -> Result<Inclusion, Option<Nfa>> {
        let mut open = Vec::new();
        for kind in [Kind::Search, Kind::Full, Kind::AllTraces] {
            match self.by_automaton(kind) {
                Ok(Ok(found)) => return Ok(found),
                Ok(Err(product)) => open.push(product),
                Err(TooLarge) => {}
            }
        }
        // Only one is explored to its end, that of the largest automaton if it is not too large.
        Err(open.into_iter().rev().find_map(|product| product.finish().ok()))
    }

    /// Whether the other accepts each log of the one, and all logs that it accepts one by one.
    fn by_logs(&self) -> bool {
        let other = self.monitors[1 - self.from];
        let Some((signature, interaction)) = other.interaction() else { return false };
        let locations = other.alphabet().locations_of(signature);
        self.joint.signature.regrouped.is_empty()
            && has_independent_logs(interaction, &locations, &mut WorkLimit::work(MOST_WORK))
            && (0..self.joint.location_count()).all(|it| self.accepts_log(LocationId::new(it)))
    }

    /// Whether each log of the one is a log of the other, at one location.
    fn accepts_log(&self, location: LocationId) -> bool {
        let [Some(first), Some(second)] =
            [self.from, 1 - self.from].map(|side| self.log_automaton(side, location))
        else {
            return false;
        };
        let product = Product::new(first, second, MOST_STATES_OF_TERMS);
        product.and_then(|mut it| it.shortest_word()) == Ok(None)
    }

    fn log_automaton(&self, side: usize, location: LocationId) -> Option<Box<dyn Automaton + 'a>> {
        let (monitor, letters) = (self.monitors[side], self.joint.letters(side));
        let (signature, interaction) = monitor.interaction()?;
        let own = self.joint.own_location(side, location);
        let alphabet = monitor.alphabet();
        let is_here = |name: &str| own.is_some() && alphabet.location_of_lifeline(name) == own;
        let lifelines = signature.lifelines().filter(|&it| is_here(signature.lifeline_name(it)));
        let log = interaction.at_lifelines(&lifelines.collect());
        let source = (signature.clone(), log);
        Some(Box::new(Terms::new(&source, alphabet, letters, Traces::Enough)?))
    }

    /// Whether each session of the one is proved to be a session of the other, in some order of its events.
    fn by_reordering(&self) -> bool {
        let other = 1 - self.from;
        let second =
            self.automaton(other, Kind::Full).or_else(|| self.automaton(other, Kind::AllTraces));
        let (Some(first), Some(second)) = (self.smallest(), second) else { return false };
        let location_of = |letter| self.joint.location_of(letter);
        let second = Box::new(Lagging::new(second, &location_of, MOST_WAITING));
        let product = Product::new(first, second, MOST_STATES_OF_TERMS);
        product.and_then(|mut it| it.shortest_word()) == Ok(None)
    }

    /// The same with one automaton of the other: the answer, or else the product that has words.
    fn by_automaton(&mut self, kind: Kind) -> Result<Result<Inclusion, Product<'a>>, TooLarge> {
        let first = self.smallest().ok_or(TooLarge)?;
        let second = self.automaton(1 - self.from, kind).ok_or(TooLarge)?;
        let mut product = Product::new(first, second, self.most_states(kind))?;
        let Some(word) = product.shortest_word()? else {
            return Ok(Ok(Inclusion::Proved(Proof::Automaton)));
        };
        // No difference has fewer events than the shortest word.
        match self.refuted_by_word(&word, true) {
            Some(found) => Ok(Ok(found)),
            None => Ok(Err(product)),
        }
    }

    /// The most states of a product with an automaton of the other.
    fn most_states(&self, kind: Kind) -> usize {
        let is_compiled = self.monitors[self.from].bundle().automaton().is_some();
        if is_compiled && kind != Kind::AllTraces {
            MOST_STATES_OF_PRODUCT
        } else {
            MOST_STATES_OF_TERMS
        }
    }

    /// The smallest automaton of the specification whose sessions are tried.
    fn smallest(&self) -> Option<Box<dyn Automaton + 'a>> {
        self.automaton(self.from, Kind::Search).or_else(|| self.terms(self.from, Traces::Enough))
    }

    fn automaton(&self, side: usize, kind: Kind) -> Option<Box<dyn Automaton + 'a>> {
        let automaton = self.monitors[side].bundle().automaton();
        let letters = self.joint.letters(side);
        let nfa = match kind {
            Kind::Search => &automaton?.search,
            Kind::Full => &automaton?.full,
            Kind::AllTraces => return self.terms(side, Traces::All),
        };
        Some(Box::new(Compiled::new(nfa, letters)))
    }

    fn terms(&self, side: usize, traces: Traces) -> Option<Box<dyn Automaton + 'a>> {
        Some(Box::new(self.derivatives(side, traces)?))
    }

    fn derivatives(&self, side: usize, traces: Traces) -> Option<Terms<'a>> {
        let monitor = self.monitors[side];
        let (source, letters) = (monitor.interaction()?, self.joint.letters(side));
        Terms::new(source, monitor.alphabet(), letters, traces)
    }

    /// Tries sessions, those of fewer events first: a session that makes the difference, a proof that none does, or the number
    /// of events up to which no session does.
    fn enumerate(&mut self, difference: Option<&Nfa>) -> Result<Inclusion, usize> {
        let mut automaton: Box<dyn Automaton + '_> = match difference {
            Some(words) => Box::new(Compiled::joint(words)),
            None => self.smallest().ok_or(0_usize)?,
        };
        let DiffOptions { max_events: events, budget_sessions: sessions } = self.options;
        let joint = self.joint;
        let location_of = |letter| joint.location_of(letter);
        let bounds = Bounds { events, sessions };
        let mut levels = Levels::new(&mut *automaton, joint.location_count(), &location_of, bounds);
        let mut may_be_reordered = true;
        loop {
            let shortest = self.undecided == 0;
            if let Some(found) = levels.accepted().find_map(|it| self.refuted(&it, shortest)) {
                return Ok(found);
            }
            let next = levels.next();
            if next == Err(End::Exhausted) && self.undecided == 0 {
                return Ok(Inclusion::Proved(Proof::Sessions));
            }
            if may_be_reordered && (next.is_err() || levels.followed() > FEW_SESSIONS) {
                may_be_reordered = false;
                if self.by_reordering() {
                    return Ok(Inclusion::Proved(Proof::Reordering));
                }
            }
            if next.is_err() {
                return Err(levels.events());
            }
        }
    }

    fn refuted_by_word(&mut self, word: &[LetterId], is_shortest: bool) -> Option<Inclusion> {
        let mut trace = vec![Vec::new(); self.joint.location_count()];
        for &letter in word {
            trace[self.joint.location_of(letter).index()].push(letter);
        }
        self.refuted(&trace, is_shortest)
    }

    /// A multi-trace that the one accepts, if the other does not.
    fn refuted(&mut self, trace: &MultiTrace, is_shortest: bool) -> Option<Inclusion> {
        self.sessions += 1;
        let id = ["old-only", "new-only"][self.from].to_owned();
        let for_other = self.for_other(&id, trace);
        let checked = self.checker.check(&for_other);
        match checked.verdict {
            Verdict::Fail(_) => {}
            Verdict::Inconclusive(_) => {
                self.undecided += 1;
                return None;
            }
            _ => return None,
        }
        let own = self.joint.own_trace(self.from, trace).unwrap_or_default();
        let session = Session { id, trace: own, ..Session::default() };
        let findings = self.checker.located(&for_other);
        let own_node = findings.first().and_then(|main| self.own_node(&session, main));
        let difference = Difference { session, is_shortest, findings, own_node };
        Some(Inclusion::Refuted(Box::new(difference)))
    }

    /// The node of an event in the specification that accepts the session: that of a finding of the other one.
    fn own_node(&self, session: &Session, finding: &Finding) -> Option<NodeId> {
        let monitor = self.monitors[self.from];
        let location = monitor.alphabet().location(finding.location.as_deref()?)?;
        let mut checker = monitor.checker(complete()).ok()?;
        checker.step_of(session, (location, finding.index?))
    }

    /// A multi-trace as a session of the other specification, with the names that it does not know.
    fn for_other(&self, id: &str, trace: &MultiTrace) -> Session {
        let (joint, to) = (self.joint, 1 - self.from);
        let locations = self.monitors[to].alphabet().locations().len();
        let mut session = Session { id: id.to_owned(), ..Session::default() };
        if let Some(trace) = joint.own_trace(to, trace) {
            return Session { trace, ..session };
        }
        session.trace = vec![Vec::new(); locations];
        for (index, local) in trace.iter().enumerate().filter(|(_, local)| !local.is_empty()) {
            let location = LocationId::new(index);
            match joint.own_location(to, location) {
                Some(at) => self.add_local(&mut session, at, local),
                None => session.foreign.push(self.foreign(location, local)),
            }
        }
        session.unknown.sort_by_key(|event| (event.location, event.index));
        session
    }

    fn add_local(&self, session: &mut Session, at: LocationId, local: &[LetterId]) {
        let to = 1 - self.from;
        for (index, &letter) in local.iter().enumerate() {
            let own = self.joint.own_letter(to, letter);
            session.trace[at.index()].push(own.unwrap_or(LetterId::UNKNOWN));
            if own.is_none() {
                let text = self.name(letter);
                session.unknown.push(UnknownEvent { location: at.index(), index, text });
            }
        }
    }

    fn foreign(&self, location: LocationId, local: &[LetterId]) -> ForeignTrace {
        let alphabet = self.monitors[self.from].alphabet();
        let own = self.joint.own_location(self.from, location);
        let location = own.map_or_else(String::new, |own| alphabet.location_name(own).to_owned());
        ForeignTrace { location, events: local.iter().map(|&it| self.name(it)).collect() }
    }

    /// The name of a letter of the specification whose sessions are tried.
    fn name(&self, letter: LetterId) -> String {
        let own = self.joint.own_letter(self.from, letter);
        let alphabet = self.monitors[self.from].alphabet();
        own.map_or_else(String::new, |own| alphabet.letter_name(own).to_owned())
    }
}
