//! Which stage decides sessions of a chosen size, and that limits are kept.

use crate::answers::Question;
use crate::memory::{Tree, by, check, excluded, exclusive, turns};
use crate::specification::{ALL_TABLES, NO_TABLES, Specification};
use crate::verdicts::judge;
use multitrace_interaction::{
    Alphabet, BudgetLimit, Cause, Id, InconclusiveReason, Interaction, Locations, LoopKind, Nfa,
    Node, NodeId, Observation, Session, Signature, StateId, Verdict,
};
use multitrace_runtime::{
    Budget, CheckConfig, Checker, Effort, Gaps, Monitor, SearchChoice, States,
};

/// Each log fits alone, so that all ways to read all logs are looked at before it is known that an edit is needed: as many as
/// there are positions. Examples with more of them than a fixed number, which grows with the events, are not repaired.
#[test]
fn an_example_is_repaired_within_a_fixed_number_of_states() {
    let loops = exclusive_loops();
    let on_terms = Monitor::new(loops.bundle_of_terms());
    let on_automaton = Monitor::new(exclusive().bundle(NO_TABLES));
    let as_example = |monitor: &Monitor, session: &Session| {
        let mut checker =
            Checker::new(monitor, CheckConfig::default()).expect("the engine is there");
        let repair = checker.repair_with(session, Gaps::None, &None, Effort::Brief);
        let repair = repair.expect("a mode with repairs");
        (repair.distance, repair.exact)
    };
    assert_eq!(as_example(&on_terms, &excluded_on(&loops, 5)), (1, true));
    assert_eq!(as_example(&on_terms, &excluded_on(&loops, 20)), (0, false));
    assert_eq!(as_example(&on_automaton, &excluded(20)), (1, true));
    assert_eq!(as_example(&on_automaton, &excluded(60)), (0, false));
}

#[test]
fn how_far_logs_fit_is_looked_for_within_a_number_of_nodes() {
    let monitor = Monitor::new(exclusive().bundle(ALL_TABLES));
    let is_complete = |events: usize| {
        let checked = check(&monitor, &excluded(events), by(SearchChoice::Blind, false));
        let Verdict::Fail(failure) = checked.verdict else { panic!("{:?}", checked.verdict) };
        let Cause::Central(frontier) = failure.main() else { panic!("{failure:?}") };
        frontier.complete
    };
    assert!(is_complete(20) && !is_complete(60));
}

/// The same as [`exclusive`], as an interaction whose terms do not grow; reading no event is free.
fn exclusive_loops() -> Specification {
    let mut signature = Signature::default();
    ["a", "b", "c"].iter().for_each(|name| {
        signature.intern_lifeline(name);
    });
    let [often, last] = ["often", "last"].map(|name| signature.intern_message(name));
    let mut tree = Tree(Vec::new());
    let mut free = || {
        let all = [0, 1, 2].map(|lifeline| tree.step(lifeline, often));
        let any = all.into_iter().reduce(|one, other| tree.add(Node::Alt(one, other)));
        let any = any.expect("three steps");
        tree.add(Node::Loop(LoopKind::Strict, any))
    };
    let before = free();
    let after = free();
    let [a, b] = [0, 1].map(|lifeline| tree.step(lifeline, last));
    let either = tree.add(Node::Alt(a, b));
    let begun = tree.add(Node::Strict(before, either));
    tree.add(Node::Strict(begun, after));
    let nfa = exclusive().nfa;
    let interaction = tree.interaction();
    let alphabet = alphabet_of(&signature, &interaction);
    let source = Some((signature, interaction));
    Specification { alphabet, nfa, inside: Default::default(), source }
}

fn alphabet_of(signature: &Signature, interaction: &Interaction) -> Alphabet {
    let locations = Locations::discrete(signature);
    Alphabet::of_actions(signature, &locations, interaction.actions())
}

impl Tree {
    /// The subtree of the node that was added last.
    fn interaction(self) -> Interaction {
        let Tree(mut nodes) = self;
        // Nodes come in the order of a tree.
        let root = nodes.len() - 1;
        let mut order = Vec::new();
        sort(&nodes, root, &mut order);
        let place = |id: NodeId| {
            let at = order.iter().position(|it| *it == id.index()).expect("a node of the tree");
            NodeId::new(at)
        };
        let moved = |node: &Node| match node {
            Node::Alt(a, b) => Node::Alt(place(*a), place(*b)),
            Node::Strict(a, b) => Node::Strict(place(*a), place(*b)),
            Node::Seq(a, b) => Node::Seq(place(*a), place(*b)),
            Node::CoReg(region, a, b) => Node::CoReg(region.clone(), place(*a), place(*b)),
            Node::Loop(kind, body) => Node::Loop(kind.clone(), place(*body)),
            node => node.clone(),
        };
        let sorted = order.iter().map(|&at| moved(&nodes[at])).collect();
        nodes.clear();
        Interaction::new(sorted).expect("a tree")
    }
}

fn sort(nodes: &[Node], root: usize, order: &mut Vec<usize>) {
    match &nodes[root] {
        Node::Alt(a, b) | Node::Strict(a, b) | Node::Seq(a, b) | Node::CoReg(_, a, b) => {
            sort(nodes, a.index(), order);
            sort(nodes, b.index(), order);
        }
        Node::Loop(_, body) => sort(nodes, body.index(), order),
        _ => {}
    }
    order.push(root);
}

/// The logs of [`excluded`], by name.
fn excluded_on(specification: &Specification, events: usize) -> Session {
    let letter = |name: &str| specification.alphabet.letter(name).expect("a letter");
    let log = |name: &str, is_last: bool| {
        let last = is_last.then(|| letter(&format!("{name}!last")));
        std::iter::repeat_n(letter(&format!("{name}!often")), events).chain(last).collect()
    };
    let trace = vec![log("a", true), log("b", true), log("c", false)];
    Session { trace, ..Session::default() }
}

#[test]
fn how_far_logs_fit_on_terms_is_looked_for_within_a_limit() {
    let specification = exclusive_loops();
    let monitor = Monitor::new(specification.bundle_of_terms());
    for (events, is_complete) in [(2, true), (5, true), (22, false)] {
        let session = excluded_on(&specification, events);
        let verdict = check(&monitor, &session, CheckConfig::default()).verdict;
        let Verdict::Fail(failure) = verdict else { panic!("{verdict:?}") };
        let Cause::Central(frontier) = failure.main() else { panic!("{failure:?}") };
        let explained: usize = frontier.locations.iter().map(|it| it.explained).sum();
        assert_eq!((frontier.complete, explained), (is_complete, 3 * events + 1));
    }
    assert_eq!(monitor.cleared(), 0);
}

/// A budget that the search of complete logs spends leaves nothing to constraints.
#[test]
fn a_budget_that_is_spent_on_terms_is_not_spent_again() {
    let specification = exclusive_loops();
    let monitor = Monitor::new(specification.bundle_of_terms());
    let session = excluded_on(&specification, 22);
    let within = |states| {
        let budget = Budget { states: States::Fixed(states), ..Budget::default() };
        check(&monitor, &session, CheckConfig { budget, ..CheckConfig::default() }).verdict
    };
    let verdict = within(10_000);
    let limit = BudgetLimit::States(10_000);
    let is_limit = |verdict: &Verdict| matches!(verdict, Verdict::Inconclusive(InconclusiveReason::Budget { limit: it, .. }) if *it == limit);
    assert!(is_limit(&verdict), "{verdict:?}");
    assert!(matches!(within(10_001), Verdict::Fail(_)));
}

/// Where removing a location is exact, unobserved actions after logs end do not make a distance uncertain, although
/// terms grow by them without end.
#[test]
fn repairs_of_prefixes_are_exact_where_removal_is() {
    let mut signature = Signature::default();
    let [a, b] = ["a", "b"].map(|name| signature.intern_lifeline(name));
    let [x, y, z] = ["x", "y", "z"].map(|name| signature.intern_message(name));
    let mut tree = Tree(Vec::new());
    let (one, other) = (tree.step(a.index(), x), tree.step(b.index(), y));
    let turn = tree.add(Node::Seq(one, other));
    let often = tree.add(Node::Loop(LoopKind::Weak, turn));
    let last = tree.step(b.index(), z);
    tree.add(Node::Seq(often, last));
    let interaction = tree.interaction();
    let alphabet = alphabet_of(&signature, &interaction);
    let letter = |name: &str| alphabet.letter(name).expect("a letter");
    let trace = vec![vec![letter("a!x")], vec![letter("b!z"), letter("b!y")]];
    let session = Session { trace, ..Session::default() };
    let nfa = Nfa::new(1, [StateId::new(0)], [StateId::new(0)], Vec::new()).expect("in range");
    let source = Some((signature, interaction));
    let specification = Specification { alphabet, nfa, inside: Default::default(), source };
    let monitor = Monitor::new(specification.bundle_of_terms());
    let config = CheckConfig { observation: Observation::Prefix, ..CheckConfig::default() };
    let mut checker = Checker::new(&monitor, config).expect("terms");
    let repair = checker.repair(&session, Gaps::None).expect("a mode with repairs");
    assert!(repair.exact && repair.distance == 1, "{repair:?}");
}

/// Sets of states of several words say how far logs can be read as the plain search does.
#[test]
fn automata_of_many_states_are_searched_on_sets() {
    let turns = turns(45);
    let monitor = Monitor::new(turns.bundle(ALL_TABLES));
    let [ping, pong] =
        ["a!ping", "b!pong"].map(|name| turns.alphabet.letter(name).expect("a letter"));
    for (pings, pongs) in
        [(45, 45), (45, 44), (44, 45), (30, 30), (41, 44), (44, 41), (0, 45), (45, 0)]
    {
        let session =
            Session { trace: vec![vec![ping; pings], vec![pong; pongs]], ..Session::default() };
        for observation in Observation::ALL {
            let question = Question::new(&turns, &session.trace, observation);
            let of = |search| CheckConfig { observation, ..by(search, false) };
            let [on_sets, plain] = [SearchChoice::Auto, SearchChoice::Nodes].map(of);
            judge(question, &monitor, &session, on_sets).expect("as the definitions say");
            let [on_sets, plain] = [on_sets, plain].map(|it| check(&monitor, &session, it).verdict);
            assert_eq!(on_sets, plain);
        }
    }
}

/// More choices than constraints write out are left to a search.
#[test]
fn constraints_leave_sessions_with_too_many_choices() {
    let mut signature = Signature::default();
    signature.intern_lifeline("a");
    let often = signature.intern_message("often");
    let mut tree = Tree(Vec::new());
    let step = tree.step(0, often);
    tree.add(Node::Loop(LoopKind::Strict, step));
    let interaction = tree.interaction();
    let alphabet = alphabet_of(&signature, &interaction);
    let letter = alphabet.letter("a!often").expect("a letter");
    let nfa = Nfa::new(1, [StateId::new(0)], [StateId::new(0)], Vec::new()).expect("in range");
    let source = Some((signature, interaction));
    let specification = Specification { alphabet, nfa, inside: Default::default(), source };
    let monitor = Monitor::new(specification.bundle_of_terms());
    let explored = |events: usize| {
        let session = Session { trace: vec![vec![letter; events]], ..Session::default() };
        let checked = check(&monitor, &session, by(SearchChoice::Constraints, false));
        assert_eq!(checked.verdict, Verdict::Pass);
        checked.explored
    };
    // Constraints take fewer choices than there are events, a search a node for each.
    assert!(explored(100) < 100);
    assert!(explored(1_000) > 1_000);
}
