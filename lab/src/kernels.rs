//! The parts that runs are made of, each beside the least that could do its work.

use crate::corpus::corpus;
use crate::table::{Table, count, ratio, seconds};
use crate::timing::{Effort, Way, compare};
use crate::workload::{self, Variants};
use multitrace_formats::bundle;
use multitrace_formats::sessions::parse_line;
use multitrace_interaction::{Id, LetterId, Session, Verdict};
use multitrace_runtime::{Budget, CheckConfig, Checker, Comparison, Monitor, SearchChoice, States};
use regex_automata::dfa::{Automaton, dense};
use regex_automata::{Anchored, Input};
use std::time::Instant;

pub fn run(effort: Effort) -> Vec<Table> {
    let mut tables = vec![local_pass(effort), search(effort)];
    tables.extend(compile(effort));
    tables
}

/// How many messages one round of the loop has.
const LETTERS: usize = 10;

fn local_pass(effort: Effort) -> Table {
    let mut table = Table::new(
        "The local pass",
        "One log of this many events of a loop over ten actions, backwards through the look-ahead \
         table of its location. The log is possible, so that the pass reads all of it. The search \
         that follows may visit one state only, so that it adds next to no time. Beside it the same where the table is over a \
         limit and made as far as it is needed, a bare walk over a `Vec<u32>` transition table, and \
         one over the dense DFA of regex-automata, one byte a letter. Times per event.",
        &[
            "events",
            "local pass",
            "over the limit",
            "bare table",
            "regex-automata",
            "pass / bare",
            "pass / regex",
        ],
    );
    let steps = (0..LETTERS).map(|n| format!("a -- m{n} ->|")).collect::<Vec<_>>().join(", ");
    let text = format!("loopS(seq({steps}))");
    let monitor = Monitor::new(workload::compile(&text));
    let untabled = Monitor::new(workload::compile_untabled(&text));
    let lengths: &[usize] = if effort.rounds > 1 { &[1_000, 100_000] } else { &[1_000] };
    for &events in lengths {
        let times = walks(effort, [&monitor, &untabled], events);
        let per_event = |time: f64| seconds(time / events as f64);
        table.row([
            count(events as f64),
            per_event(times[0]),
            per_event(times[1]),
            per_event(times[2]),
            per_event(times[3]),
            ratio(times[0] / times[2]),
            ratio(times[0] / times[3]),
        ]);
    }
    table
}

/// The times of the local pass, with a table and without one, and of the bare walk and the one of
/// regex-automata, over a log of this many events.
fn walks(effort: Effort, [tabled, untabled]: [&Monitor; 2], events: usize) -> Vec<f64> {
    let letter = |n: usize| tabled.alphabet().letter(&format!("a!m{n}")).expect("a letter");
    let trace: Vec<LetterId> = (0..events).map(|n| letter(n % LETTERS)).collect();
    let bare = bare_table();
    let backwards: Vec<u32> = trace.iter().rev().map(|letter| letter.index() as u32).collect();
    let text: Vec<u8> = backwards.iter().map(|&letter| b'a' + letter as u8).collect();
    let dfa = dense::DFA::new("(?:jihgfedcba)*").expect("a pattern");
    let session = Session { trace: vec![trace], ..Session::default() };
    // The blind search would come before the pass. A failure would be explained, which takes reading the log again.
    let comparison = Comparison { search: SearchChoice::Nodes, ..Comparison::default() };
    let budget = Budget { states: States::Fixed(1), ..Budget::default() };
    let config = CheckConfig { comparison, budget, ..CheckConfig::default() };
    let checker = |monitor| Checker::new(monitor, config).expect("an engine");
    let pass = |checker: &mut Checker<'_>| {
        matches!(checker.check(&session).verdict, Verdict::Inconclusive(_))
    };
    let [mut tabled, mut untabled] = [checker(tabled), checker(untabled)];
    let step = |state: u32, &letter: &u32| bare[state as usize * LETTERS + letter as usize];
    compare(
        effort,
        &true,
        &mut [
            Way::new("pass", || pass(&mut tabled)),
            Way::new("lazy", || pass(&mut untabled)),
            Way::new("bare", || backwards.iter().fold(0, step) == 0),
            Way::new("regex", || accepts(&dfa, &text)),
        ],
    )
}

/// A deterministic automaton of the same log read backwards; its last state is a trap.
fn bare_table() -> Vec<u32> {
    let mut table = vec![LETTERS as u32; (LETTERS + 1) * LETTERS];
    for state in 0..LETTERS {
        let letter = LETTERS - 1 - state;
        table[state * LETTERS + letter] = ((state + 1) % LETTERS) as u32;
    }
    table
}

fn accepts(dfa: &dense::DFA<Vec<u32>>, text: &[u8]) -> bool {
    let input = Input::new(text).anchored(Anchored::Yes);
    let mut state = dfa.start_state_forward(&input).expect("no look-around");
    for &byte in text {
        state = dfa.next_state(state, byte);
    }
    dfa.is_match_state(dfa.next_eoi_state(state))
}

fn search(effort: Effort) -> Table {
    let mut table = Table::new(
        "The central search",
        "Accepted sessions of 18 events at 5 locations: nodes visited for a session, and the time \
         for one of them, local pass and all else included.",
        &["variants", "nodes", "per session", "per node"],
    );
    let monitor = Monitor::new(workload::compile(&workload::interaction()));
    for (name, variants) in [("few", Variants::Few), ("many", Variants::Many)] {
        let (text, _) = workload::lines(2_000, variants);
        let parse = |line| parse_line("bench", 1, line, monitor.alphabet()).expect("a session");
        let mut checker = Checker::new(&monitor, CheckConfig::default()).expect("an engine");
        let passing = |session: &Session| checker.check(session).verdict == Verdict::Pass;
        let sessions: Vec<Session> = text.lines().map(parse).filter(passing).collect();
        let mut all = || sessions.iter().map(|session| checker.check(session).explored).sum();
        let nodes: u64 = all();
        let time = compare(effort, &nodes, &mut [Way::new("check", all)])[0];
        let per_session = nodes as f64 / sessions.len() as f64;
        table.row([
            name.to_owned(),
            format!("{per_session:.1}"),
            seconds(time / sessions.len() as f64),
            seconds(time / nodes as f64),
        ]);
    }
    table
}

/// Compiling and loading, for the interactions of the corpus.
fn compile(effort: Effort) -> Option<Table> {
    let folder = corpus()?.join("hibou-random");
    let mut table = Table::new(
        "Compiling and loading",
        "The interactions of paper 003 in the corpus.",
        &["interaction", "states", "compile", "bundle bytes", "load"],
    );
    let most = if effort.rounds > 1 { 20 } else { 2 };
    for index in 0..most {
        let text = std::fs::read_to_string(folder.join(format!("i{index}.hif")));
        let text = text.expect("the corpus is readable");
        let start = Instant::now();
        let compiled = workload::compile(&text);
        let compile = start.elapsed().as_secs_f64();
        let states = compiled.automaton().map(|automaton| automaton.full.state_count());
        let bytes = bundle::encode(&compiled);
        let load = || bundle::decode(&bytes).is_ok();
        let load = compare(effort, &true, &mut [Way::new("load", load)])[0];
        table.row([
            format!("i{index}"),
            states.map_or("none".to_owned(), |states| count(states as f64)),
            seconds(compile),
            count(bytes.len() as f64),
            seconds(load),
        ]);
    }
    Some(table)
}
