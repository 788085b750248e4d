//! The interaction of the benchmarks as Petri nets.

use crate::workload::{PEERS, interaction};
use multitrace_formats::bundle::Central;
use multitrace_interaction::{Id, Nfa};
use multitrace_runtime::Monitor;
use process_mining::PetriNet;
use process_mining::core::process_models::petri_net::{ArcType, PlaceID};
use std::collections::HashMap;

/// The net that one draws by hand: fork, a branch for each peer, join.
pub fn by_hand() -> PetriNet {
    let mut net = PetriNet::new();
    let [start, begun, joined, end] = std::array::from_fn(|_| net.add_place(None));
    let kinds = |name: &str| {
        let (text, before) = (interaction(), format!("c -- {name}"));
        let events = text.match_indices(&before).map(|(at, found)| {
            let kind = text[at + found.len()..].split(' ').next().expect("a number");
            format!("c!{name}{kind}")
        });
        events.collect::<Vec<_>>()
    };
    for event in kinds("begin") {
        step(&mut net, &[start], Some(event), &[begun]);
    }
    for event in kinds("end") {
        step(&mut net, &[joined], Some(event), &[end]);
    }
    let branches: Vec<[PlaceID; 2]> = (1..=PEERS).map(|peer| branch(&mut net, peer)).collect();
    step(&mut net, &[begun], None, &branches.iter().map(|branch| branch[0]).collect::<Vec<_>>());
    step(&mut net, &branches.iter().map(|branch| branch[1]).collect::<Vec<_>>(), None, &[joined]);
    with_ends(net, start, end)
}

/// A request and one of two answers; the places before and after.
fn branch(net: &mut PetriNet, peer: usize) -> [PlaceID; 2] {
    let [before, sent, received, after] = std::array::from_fn(|_| net.add_place(None));
    step(net, &[before], Some(format!("c!req{peer}")), &[sent]);
    step(net, &[sent], Some(format!("p{peer}?req{peer}")), &[received]);
    for answer in ["ok", "error"] {
        let answered = net.add_place(None);
        step(net, &[received], Some(format!("p{peer}!{answer}{peer}")), &[answered]);
        step(net, &[answered], Some(format!("c?{answer}{peer}")), &[after]);
    }
    [before, after]
}

/// A place for each state of the automaton, a transition for each transition, and silent ones from
/// the start and to the end.
pub fn of_automaton(monitor: &Monitor) -> PetriNet {
    let Central::Automaton(automaton) = &monitor.bundle().central else { panic!("an automaton") };
    let nfa: &Nfa = &automaton.full;
    let mut net = PetriNet::new();
    let [start, end] = std::array::from_fn(|_| net.add_place(None));
    let places: Vec<PlaceID> = nfa.states().map(|_| net.add_place(None)).collect();
    for transition in nfa.transitions() {
        let label = monitor.alphabet().letter_name(transition.letter).to_owned();
        let [from, to] = [transition.from, transition.to].map(|state| places[state.index()]);
        step(&mut net, &[from], Some(label), &[to]);
    }
    for state in nfa.initial() {
        step(&mut net, &[start], None, &[places[state.index()]]);
    }
    for state in nfa.finals() {
        step(&mut net, &[places[state.index()]], None, &[end]);
    }
    with_ends(net, start, end)
}

fn step(net: &mut PetriNet, from: &[PlaceID], label: Option<String>, to: &[PlaceID]) {
    let transition = net.add_transition(label, None);
    for place in from {
        net.add_arc(ArcType::place_to_transition(*place, transition), None);
    }
    for place in to {
        net.add_arc(ArcType::transition_to_place(transition, *place), None);
    }
}

fn with_ends(mut net: PetriNet, start: PlaceID, end: PlaceID) -> PetriNet {
    net.initial_marking = Some(HashMap::from([(start, 1)]));
    net.final_markings = Some(vec![HashMap::from([(end, 1)])]);
    net
}
