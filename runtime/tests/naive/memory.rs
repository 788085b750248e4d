//! Bytes and nodes that limits count, on sessions of a chosen size: not the exact numbers, which are estimates, but
//! that nothing is left out and nothing is counted many times.

use crate::specification::{ALL_TABLES, NO_TABLES, Specification};
use multitrace_interaction::{
    Action, ActionKind, Alphabet, BudgetLimit, Cause, Id, InconclusiveReason, Interaction,
    LetterId, LifelineId, Locations, MessageId, Nfa, Node, NodeId, Observation, Session, Signature,
    StateId, Step, Transition, Verdict,
};
use multitrace_runtime::{
    Budget, CheckConfig, Checked, Checker, Comparison, Criterion, EngineChoice, Gaps, Method,
    Monitor, Reductions, SearchChoice, States,
};
use std::time::Duration;

/// Three locations without any order, until one of `a` and `b`, not both, does a last thing.
pub fn exclusive() -> Specification {
    let mut alphabet = Alphabet::default();
    let locations = ["a", "b", "c"].map(|name| alphabet.add_location(name).expect("a new name"));
    let [a, b, c] = locations;
    let letters = [("a", a), ("b", b), ("c", c), ("a last", a), ("b last", b)];
    let letters =
        letters.map(|(name, location)| alphabet.add_letter(name, location).expect("a new name"));
    let step = |from, letter: usize, to| Transition {
        from: StateId::new(from),
        letter: letters[letter],
        to: StateId::new(to),
    };
    let mut transitions = vec![step(0, 3, 1), step(0, 4, 2)];
    for state in 0..3 {
        transitions.extend((0..3).map(|letter| step(state, letter, state)));
    }
    let finals = [1, 2].map(StateId::new);
    let nfa = Nfa::new(3, [StateId::new(0)], finals, transitions).expect("states in range");
    Specification { alphabet, nfa, inside: Default::default(), source: None }
}

/// Both have done their last thing, after this many others each: every log is possible, and all of them are not.
pub fn excluded(events: usize) -> Session {
    let log = |letter: usize, last: Option<usize>| {
        let events = std::iter::repeat_n(letter, events);
        events.chain(last).map(LetterId::new).collect()
    };
    let trace = vec![log(0, Some(3)), log(1, Some(4)), log(2, None)];
    Session { trace, ..Session::default() }
}

/// The nodes of that search: before a last thing, after that of `a`, after that of `b`.
fn nodes(events: usize) -> u64 {
    let side = events as u64 + 1;
    side * side * side + 2 * side * side
}

/// The same as an interaction, with this many events in a row at each of three lifelines.
fn exclusive_chains(events: usize) -> Specification {
    let mut signature = Signature::default();
    ["a", "b", "c"].iter().for_each(|name| {
        signature.intern_lifeline(name);
    });
    let [often, last] = ["often", "last"].map(|name| signature.intern_message(name));
    let mut tree = Tree(Vec::new());
    let chains = [0, 1, 2].map(|lifeline| {
        let steps: Vec<NodeId> = (0..events).map(|_| tree.step(lifeline, often)).collect();
        steps.into_iter().reduce(|first, second| tree.add(Node::Seq(first, second))).expect("some")
    });
    let [a, b] = [0, 1].map(|lifeline| tree.step(lifeline, last));
    let either = tree.add(Node::Alt(a, b));
    let all = chains.into_iter().reduce(|one, other| tree.add(Node::Par(one, other)));
    let root = all.expect("three chains");
    tree.add(Node::Seq(root, either));
    let interaction = Interaction::new(tree.0).expect("a tree");
    let locations = Locations::discrete(&signature);
    let alphabet = Alphabet::of_actions(&signature, &locations, interaction.actions());
    let nfa = Nfa::new(1, [StateId::new(0)], [StateId::new(0)], Vec::new()).expect("in range");
    Specification {
        alphabet,
        nfa,
        inside: Default::default(),
        source: Some((signature, interaction)),
    }
}

pub struct Tree(pub Vec<Node>);

impl Tree {
    pub fn add(&mut self, node: Node) -> NodeId {
        self.0.push(node);
        NodeId::new(self.0.len() - 1)
    }

    pub fn step(&mut self, lifeline: usize, message: MessageId) -> NodeId {
        let lifeline = LifelineId::new(lifeline);
        let action = Action { lifeline, kind: ActionKind::Emission, message };
        self.add(Node::Step(Step::new(vec![action]).expect("an action")))
    }
}

fn terms(events: usize) -> (Monitor, Session) {
    let specification = exclusive_chains(events);
    let letter = |text: &str| specification.alphabet.letter(text).expect("a letter");
    let log = |name: &str, is_last: bool| {
        let last = is_last.then(|| letter(&format!("{name}!last")));
        let often = letter(&format!("{name}!often"));
        std::iter::repeat_n(often, events).chain(last).collect()
    };
    let trace = vec![log("a", true), log("b", true), log("c", false)];
    (Monitor::new(specification.bundle_of_terms()), Session { trace, ..Session::default() })
}

pub fn check(monitor: &Monitor, session: &Session, config: CheckConfig) -> Checked {
    Checker::new(monitor, config).expect("the engine is there").check(session)
}

pub fn by(search: SearchChoice, witness: bool) -> CheckConfig {
    let comparison = Comparison { search, ..Comparison::default() };
    CheckConfig { comparison, witness, ..CheckConfig::default() }
}

/// The least number that is enough, if all larger ones are, too.
fn least(is_enough: impl Fn(u64) -> bool) -> u64 {
    let (mut below, mut enough) = (0, 1);
    while !is_enough(enough) {
        (below, enough) = (enough, enough * 2);
    }
    while below + 1 < enough {
        let middle = below.midpoint(enough);
        if is_enough(middle) { enough = middle } else { below = middle }
    }
    enough
}

/// How many bytes a session needs until it is decided.
fn least_bytes(monitor: &Monitor, session: &Session, config: CheckConfig) -> u64 {
    least(|bytes| {
        let budget = Budget { bytes, ..Budget::default() };
        let verdict = check(monitor, session, CheckConfig { budget, ..config }).verdict;
        matches!(verdict, Verdict::Fail(_))
    })
}

#[test]
fn a_search_of_an_automaton_is_charged_some_words_a_node() {
    let events = 12;
    let (monitor, session) = (Monitor::new(exclusive().bundle(ALL_TABLES)), excluded(events));
    let config = by(SearchChoice::Blind, true);
    assert_eq!(check(&monitor, &session, config).explored, nodes(events));
    let bytes = least_bytes(&monitor, &session, config);
    // A node is a word, with the node before it and the step in between, and its place in a table, looked at now and then.
    let each = bytes / nodes(events);
    assert!((8 + 16..=8 + 24).contains(&each), "{each} bytes a node");
}

#[test]
fn bytes_are_looked_at_seldom_on_an_automaton_and_always_on_terms() {
    let (monitor, session) = (Monitor::new(exclusive().bundle(ALL_TABLES)), excluded(12));
    let (on_terms, of_terms) = terms(5);
    let without = |monitor: &Monitor, session: &Session, config: CheckConfig| {
        let budget = Budget { bytes: 1, ..Budget::default() };
        let checked = check(monitor, session, CheckConfig { budget, ..config });
        let is_spent = matches!(
            checked.verdict,
            Verdict::Inconclusive(InconclusiveReason::Budget { limit: BudgetLimit::Bytes(1), .. })
        );
        assert!(is_spent, "{:?}", checked.verdict);
        checked.explored
    };
    let first = without(&monitor, &session, by(SearchChoice::Nodes, false));
    assert!((64..96).contains(&first), "{first} nodes");
    let first = without(&on_terms, &of_terms, unreduced(Method::Exact));
    assert!(first < 4, "{first} nodes");
}

#[test]
fn the_default_budget_is_a_gibibyte() {
    assert_eq!(Budget::default().bytes, 1024 * 1024 * 1024);
}

/// Without a reduction, as paper 003 counts.
fn unreduced(method: Method) -> CheckConfig {
    let none = Reductions { partial_order: false, local_analyses: false };
    let comparison = Comparison { reductions: Some(none), method, ..Comparison::default() };
    CheckConfig { comparison, engine: EngineChoice::Term, ..CheckConfig::default() }
}

#[test]
fn a_search_on_terms_is_charged_for_the_terms() {
    let each = |events: usize| {
        let (monitor, session) = terms(events);
        let config = CheckConfig { witness: true, ..unreduced(Method::Exact) };
        assert_eq!(check(&monitor, &session, config).explored, nodes(events));
        least_bytes(&monitor, &session, config) / nodes(events)
    };
    let (small, large) = (each(3), each(9));
    // Each node has a term of its own, of three chains at most; half of them on average are left. Chains that are three
    // times as long have six events more each, and as many operators.
    assert!(small > 100 && large < 2_000, "{small} and {large} bytes a node");
    assert!(large - small > 6 * 3 / 2 * 8, "{small} and {large} bytes a node");
}

#[test]
fn a_simulation_is_charged_for_its_nodes_and_their_terms() {
    let events = 6;
    let (monitor, session) = terms(events);
    let criterion = Criterion::default();
    let observation = Observation::Prefix;
    let config = CheckConfig { observation, ..unreduced(Method::Simulation(criterion)) };
    let complete = CheckConfig { observation: Observation::Complete, ..config };
    let [bytes, of_complete] = [config, complete].map(|it| least_bytes(&monitor, &session, it));
    // A node has its positions by themselves, and a measure.
    let each = bytes / nodes(events);
    assert!(bytes > of_complete && (150..2_000).contains(&each), "{each} bytes a node");
}

#[test]
fn look_ahead_on_terms_is_charged_for_what_it_remembers() {
    let events = 9;
    let (monitor, session) = terms(events);
    let looking = |local_analyses| {
        let comparison = Comparison {
            reductions: Some(Reductions { partial_order: true, local_analyses }),
            ..Comparison::default()
        };
        let engine = EngineChoice::Term;
        let config = CheckConfig { comparison, engine, witness: true, ..CheckConfig::default() };
        let explored = check(&monitor, &session, config).explored;
        (explored, least_bytes(&monitor, &session, config))
    };
    let ((plain, bytes), (_, with_analyses)) = (looking(false), looking(true));
    assert!(plain < nodes(events) / 4, "{plain} nodes");
    // Each location has a state for each of its positions.
    let states = 3 * events as u64;
    let each = with_analyses.saturating_sub(bytes) / states;
    assert!(each > 100, "{each} bytes a state, {bytes} and {with_analyses}");
}

#[test]
fn a_session_without_time_is_not_decided_by_a_search() {
    let (monitor, session) = (Monitor::new(exclusive().bundle(ALL_TABLES)), excluded(12));
    let (on_terms, of_terms) = terms(5);
    let budget = Budget { time: Some(Duration::ZERO), ..Budget::default() };
    let without = |monitor: &Monitor, session: &Session, config: CheckConfig| {
        let verdict = check(monitor, session, CheckConfig { budget, ..config }).verdict;
        let Verdict::Inconclusive(InconclusiveReason::Budget { limit, reached }) = verdict else {
            panic!("{verdict:?} by {config:?}");
        };
        assert_eq!(limit, BudgetLimit::Time(Duration::ZERO));
        let lengths: Vec<usize> = session.trace.iter().map(Vec::len).collect();
        assert_eq!(reached.iter().map(|it| it.length).collect::<Vec<_>>(), lengths);
    };
    for search in [SearchChoice::Auto, SearchChoice::Blind, SearchChoice::Nodes] {
        without(&monitor, &session, by(search, false));
    }
    let engine = EngineChoice::Term;
    without(&on_terms, &of_terms, CheckConfig { engine, ..CheckConfig::default() });
    without(&on_terms, &of_terms, unreduced(Method::Exact));
}

#[test]
fn how_far_logs_fit_is_looked_for_within_a_limit() {
    let monitor = Monitor::new(exclusive().bundle(ALL_TABLES));
    let frontier = |events, search| {
        let verdict = check(&monitor, &excluded(events), by(search, true)).verdict;
        let Verdict::Fail(failure) = verdict else { panic!("{verdict:?}") };
        match failure.main() {
            Cause::Central(frontier) | Cause::Inter(frontier) => frontier.clone(),
            Cause::Local(finding) => panic!("{finding:?}"),
        }
    };
    let explained = |events, search| {
        let frontier = frontier(events, search);
        let explained: usize = frontier.locations.iter().map(|it| it.explained).sum();
        (frontier.complete, explained)
    };
    // Everything but one of the last two things.
    for search in [SearchChoice::Auto, SearchChoice::Blind] {
        assert_eq!(explained(10, search), (true, 31));
        let (complete, most) = explained(50, search);
        assert!(!complete && most == 151, "{most} by {search:?}");
    }
}

const LOST: usize = 10;

/// Events of two locations by turns; one has lost some.
fn repaired(events: usize, engine: EngineChoice) {
    let turns = turns(events);
    let letter = |name: &str| turns.alphabet.letter(name).expect("a letter");
    let [ping, pong] = ["a!ping", "b!pong"].map(letter);
    let trace = vec![vec![ping; events - LOST], vec![pong; events]];
    let session = Session { trace, ..Session::default() };
    let monitor = Monitor::new(match engine {
        EngineChoice::Term => turns.bundle_of_terms(),
        _ => turns.bundle(NO_TABLES),
    });
    let repair = |bytes| {
        let states = States::Fixed(8 * events as u64);
        let budget = Budget { states, bytes, ..Budget::default() };
        let config = CheckConfig { engine, budget, ..CheckConfig::default() };
        let mut checker = Checker::new(&monitor, config).expect("the engine is there");
        checker.repair(&session, Gaps::None).expect("a mode with repairs")
    };
    let found = repair(1 << 30);
    assert!(found.exact && found.distance == LOST as u64, "{found:?}");
    let bytes = least(|bytes| repair(bytes).exact);
    // Each event has a row, with a number for each class of states that its location tells apart: one after each of its
    // own events.
    let (events, classes) = (events as u64, events as u64 + 1);
    let rows = 2 * events * classes * 8;
    assert!(bytes > rows && bytes < 100 * rows, "{bytes} bytes for {rows} of rows");
    if engine != EngineChoice::Term {
        // Those of the log that lacks events get a quarter of the budget, with their places.
        let rows = (events - LOST as u64) * classes * 8;
        assert!(bytes > 4 * rows && bytes < 5 * rows, "{bytes} bytes for {rows} of rows");
    }
}

#[test]
fn what_one_log_lacks_is_found_within_a_few_nodes_an_event() {
    repaired(200, EngineChoice::Nfa);
    repaired(25, EngineChoice::Term);
}

/// So long a chain that its states are not put into classes.
#[test]
fn a_long_chain_is_repaired_over_its_states() {
    let turns = turns(1_600);
    let letter = |name: &str| turns.alphabet.letter(name).expect("a letter");
    let trace = vec![vec![letter("a!ping"); 1_597], vec![letter("b!pong"); 1_600]];
    let session = Session { trace, ..Session::default() };
    let monitor = Monitor::new(turns.bundle(NO_TABLES));
    let mut checker = Checker::new(&monitor, CheckConfig::default()).expect("an engine");
    let repair = checker.repair(&session, Gaps::None).expect("a mode with repairs");
    assert!(repair.exact && repair.distance == 3, "{repair:?}");
}

/// `a` and `b` by turns, as an interaction without a loop and as the automaton of it.
pub fn turns(events: usize) -> Specification {
    let mut signature = Signature::default();
    ["a", "b"].iter().for_each(|name| {
        signature.intern_lifeline(name);
    });
    let [ping, pong] = ["ping", "pong"].map(|name| signature.intern_message(name));
    let mut tree = Tree(Vec::new());
    let mut root = tree.step(0, ping);
    for turn in 1..2 * events {
        let (lifeline, message) = if turn % 2 == 0 { (0, ping) } else { (1, pong) };
        let next = tree.step(lifeline, message);
        root = tree.add(Node::Strict(root, next));
    }
    let interaction = Interaction::new(tree.0).expect("a tree");
    let locations = Locations::discrete(&signature);
    let alphabet = Alphabet::of_actions(&signature, &locations, interaction.actions());
    let letters = ["a!ping", "b!pong"].map(|name| alphabet.letter(name).expect("a letter"));
    let transition = |at: usize| Transition {
        from: StateId::new(at),
        letter: letters[at % 2],
        to: StateId::new(at + 1),
    };
    let (start, end) = (StateId::new(0), StateId::new(2 * events));
    let transitions = (0..2 * events).map(transition).collect();
    let nfa = Nfa::new(2 * events + 1, [start], [end], transitions).expect("states in range");
    Specification {
        alphabet,
        nfa,
        inside: Default::default(),
        source: Some((signature, interaction)),
    }
}
