//! The automata of a bundle as graphs to draw: its NFA, and the local automata of each location (paper 004
//! sec. 4, figs. 2 to 6).
//
// All pictures number the states of the NFA alike, so a set in one of them can be found in another.

use crate::error::{Error, Lacking};
use crate::monitor::Monitor;
use multitrace_formats::bundle::{
    Areas, BackwardTable, DEAD, ForwardTable, LocalVerifier, has_bit, ones,
};
use multitrace_interaction::{
    Id, LocationId, Nfa, Observation, Session, StateId, Transition, TransitionId,
};
use multitrace_reports::pictures::automaton::Graph;
use std::collections::{BTreeMap, BTreeSet};

/// A graph and its title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedGraph {
    /// The title of the graph, in one line.
    pub title: String,
    /// The graph.
    pub graph: Graph,
}

#[doc(hidden)]
impl Monitor {
    /// The automaton of the specification.
    ///
    /// # Errors
    /// When it has none.
    pub fn nfa_graph(&self) -> Result<NamedGraph, Error> {
        let title = self.bundle().provenance.spec_name.clone();
        Ok(NamedGraph { title, graph: Graph::of_nfa(&self.automaton()?.full) })
    }

    /// The verifier of each location, or of one: its states are sets of states of the NFA, and each
    /// transition has the number of its area (paper 004 defs. 5 to 7).
    ///
    /// # Errors
    /// When a verifier is over a limit.
    pub fn verifier_graphs(&self, only: Option<LocationId>) -> Result<Vec<NamedGraph>, Error> {
        let full = self.automaton().ok().map(|automaton| &automaton.full);
        self.each_local(only, |name, local| {
            let table = local.forward.as_ref().ok_or_else(|| no_table(name, "verifier"))?;
            Ok(vec![verifier(name, local, table, full)])
        })
    }

    /// The areas of the verifier of each location, or of one: the NFA with the transitions of each area
    /// (paper 004 defs. 6 and 7).
    ///
    /// # Errors
    /// When there is no NFA, or a verifier is over a limit.
    pub fn area_graphs(&self, only: Option<LocationId>) -> Result<Vec<NamedGraph>, Error> {
        let full = &self.automaton()?.full;
        self.each_local(only, |name, local| {
            let table = local.forward.as_ref().ok_or_else(|| no_table(name, "verifier"))?;
            let areas = table.areas.as_ref().ok_or_else(|| no_table(name, "areas"))?;
            let graph = |(area, number): (u32, usize)| {
                let init = if area == areas.init { ", init" } else { "" };
                let title = format!("{name}: area {number}{init}");
                part(title, full, areas.transitions(area))
            };
            Ok(numbers(table, areas).into_iter().map(graph).collect())
        })
    }

    /// The areas of the logs of a session, and their intersection (paper 004 defs. 8 and 9); none if a
    /// log alone is impossible.
    ///
    /// # Errors
    /// When there is no NFA.
    pub fn session_area_graphs(
        &self,
        session: &Session,
        observation: Observation,
        only: Option<LocationId>,
    ) -> Result<Option<Vec<NamedGraph>>, Error> {
        let full = &self.automaton()?.full;
        let Some(areas) = self.runtime().areas(session, observation) else { return Ok(None) };
        let name = |location| self.alphabet().location_name(location);
        let shown = self.alphabet().locations().filter(|&it| only.is_none_or(|only| only == it));
        let mut graphs: Vec<NamedGraph> = shown
            .map(|it| {
                let area = areas.of[it.index()].iter().copied();
                part(format!("Area of the log of {}", name(it)), full, area)
            })
            .collect();
        if only.is_none() {
            let title = "Common paths of all areas (inter)".to_owned();
            graphs.push(part(title, full, areas.inter.iter().copied()));
        }
        Ok(Some(graphs))
    }

    /// The look-ahead of each location, or of one: read from the end of a log backwards, each state is the
    /// set of states of the automaton that is searched from which the events read so far can still be read.
    ///
    /// # Errors
    /// When there is no NFA, or a table is over a limit.
    pub fn look_ahead_graphs(&self, only: Option<LocationId>) -> Result<Vec<NamedGraph>, Error> {
        let search = &self.automaton()?.search;
        self.each_local(only, |name, local| {
            let table = local.backward.as_ref().ok_or_else(|| no_table(name, "look-ahead"))?;
            Ok(vec![look_ahead(name, local, table, search)])
        })
    }

    /// The graphs of all locations. One without a table has a graph without states, which says so; if none
    /// has one, that is the error.
    fn each_local(
        &self,
        only: Option<LocationId>,
        graphs: impl Fn(&str, &LocalVerifier) -> Result<Vec<NamedGraph>, Error>,
    ) -> Result<Vec<NamedGraph>, Error> {
        let alphabet = self.alphabet();
        let (mut all, mut missing) = (Vec::new(), None);
        let mut has_any = false;
        for (location, local) in alphabet.locations().zip(&self.bundle().locals) {
            if only.is_some_and(|only| only != location) {
                continue;
            }
            match graphs(alphabet.location_name(location), local) {
                Ok(graphs) => {
                    has_any = true;
                    all.extend(graphs);
                }
                Err(error) => {
                    all.push(NamedGraph { title: error.to_string(), graph: Graph::default() });
                    missing.get_or_insert(error);
                }
            }
        }
        match missing {
            Some(error) if !has_any => Err(error),
            _ => Ok(all),
        }
    }
}

fn no_table(location: &str, what: &'static str) -> Error {
    Lacking::Table { location: location.to_owned(), what }.into()
}

/// The areas of a verifier that its reachable transitions have, numbered in the order in which they are
/// come upon; init is 0.
fn numbers(table: &ForwardTable, areas: &Areas) -> Vec<(u32, usize)> {
    let mut found = vec![areas.init];
    let width = width(&table.next, table.state_count());
    for state in reached(&table.next, width, table.start) {
        for at in row(width, state).filter(|&at| table.next[at] != DEAD) {
            if !found.contains(&areas.of[at]) {
                found.push(areas.of[at]);
            }
        }
    }
    found.into_iter().zip(0..).collect()
}

/// Letters of a table.
fn width(next: &[u32], states: usize) -> usize {
    next.len() / states.max(1)
}

fn row(width: usize, state: u32) -> std::ops::Range<usize> {
    state as usize * width..(state as usize + 1) * width
}

/// The states that can be reached, in the order in which they are.
fn reached(next: &[u32], width: usize, start: u32) -> Vec<u32> {
    let (mut order, mut at) = (vec![start], 0);
    let mut seen = BTreeSet::from([start]);
    while let Some(&state) = order.get(at) {
        at += 1;
        let targets = next[row(width, state)].iter().filter(|&&to| to != DEAD);
        order.extend(targets.copied().filter(|&to| seen.insert(to)));
    }
    order
}

/// A deterministic table as a graph, its reachable states renumbered from the start; and the place of each
/// transition in the table.
fn table_graph(
    (next, states): (&[u32], usize),
    start: u32,
    local: &LocalVerifier,
) -> (Graph, Vec<u32>, Vec<usize>) {
    let width = width(next, states);
    let order = reached(next, width, start);
    let number: BTreeMap<u32, usize> = order.iter().copied().zip(0..).collect();
    let (mut transitions, mut places) = (Vec::new(), Vec::new());
    for (from, &state) in order.iter().enumerate() {
        for at in row(width, state).filter(|&at| next[at] != DEAD) {
            let letter = local.letters[at - state as usize * width];
            let (from, to) = (StateId::new(from), StateId::new(number[&next[at]]));
            transitions.push(Transition { from, letter, to });
            places.push(at);
        }
    }
    let initial = vec![StateId::ZERO];
    (Graph { states: order.len(), initial, transitions, ..Graph::default() }, order, places)
}

fn verifier(
    name: &str,
    local: &LocalVerifier,
    table: &ForwardTable,
    full: Option<&Nfa>,
) -> NamedGraph {
    let (mut graph, order, places) =
        table_graph((&table.next, table.state_count()), table.start, local);
    let is_final = |(at, &state): (usize, &u32)| table.is_final(state).then(|| StateId::new(at));
    graph.finals = order.iter().enumerate().filter_map(is_final).collect();
    let mut title = format!("{name}: verifier");
    if let (Some(areas), Some(full)) = (&table.areas, full) {
        let number: BTreeMap<u32, usize> = numbers(table, areas).into_iter().collect();
        let note = |&at: &usize| format!(" [{}]", number[&areas.of[at]]);
        graph.notes = places.iter().map(note).collect();
        graph.labels = sets(&graph, areas, full, &places).iter().map(set_text).collect();
        title.push_str("; sets of states of the NFA, areas in brackets, init is area 0");
    }
    NamedGraph { title, graph }
}

/// The set of states of the NFA that each state of a verifier stands for: the targets of the areas of the transitions
/// to it (paper 004 def. 5).
fn sets(graph: &Graph, areas: &Areas, full: &Nfa, places: &[usize]) -> Vec<BTreeSet<usize>> {
    let targets = |area: u32| {
        areas.transitions(area).map(|it: TransitionId| full.transitions()[it.index()].to.index())
    };
    let mut sets = vec![BTreeSet::new(); graph.states];
    if let Some(first) = sets.first_mut() {
        first.extend(full.initial().iter().map(|it| it.index()));
        first.extend(targets(areas.init));
    }
    for (transition, &at) in graph.transitions.iter().zip(places) {
        sets[transition.to.index()].extend(targets(areas.of[at]));
    }
    sets
}

fn look_ahead(
    name: &str,
    local: &LocalVerifier,
    table: &BackwardTable,
    search: &Nfa,
) -> NamedGraph {
    let (mut graph, order, _) = table_graph((&table.next, table.begun.len()), table.at_end, local);
    let row = |&state: &u32| table.rows.row(table.begun[state as usize]);
    let is_initial =
        |state: &u32| search.initial().iter().any(|it| has_bit(row(state), it.index()));
    let finals = order.iter().enumerate().filter(|(_, state)| is_initial(state));
    graph.finals = finals.map(|(at, _)| StateId::new(at)).collect();
    graph.labels = order.iter().map(|it| set_text(&ones(row(it)).collect())).collect();
    let title =
        format!("{name}: look-ahead, read from the end of the log; sets of states searched");
    NamedGraph { title, graph }
}

fn part(title: String, full: &Nfa, area: impl IntoIterator<Item = TransitionId>) -> NamedGraph {
    let part = area.into_iter().map(Id::index).collect();
    NamedGraph { title, graph: Graph { part: Some(part), ..Graph::of_nfa(full) } }
}

fn set_text(set: &BTreeSet<usize>) -> String {
    let numbers: Vec<String> = set.iter().map(usize::to_string).collect();
    format!("{{{}}}", numbers.join(", "))
}
