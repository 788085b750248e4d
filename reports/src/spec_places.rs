//! Where the events of findings stand in the specification.

use crate::finding::Finding;
use multitrace_formats::bundle::Bundle;
use multitrace_formats::source::{Position, Source, Span};
use multitrace_interaction::{Id, Node, NodeId};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The most places of one event that are shown: an event may stand in every branch.
const MOST_PLACES: usize = 5;
/// The most places of one session that are shown: a screen.
const MOST_ROWS: usize = 20;

/// Where an event stands in a specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpecPlace {
    /// The event.
    pub event: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The text from there up to the end of the line.
    pub text: String,
}

/// Where events stand in a specification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SpecPlaces {
    /// The specification, as its path was given.
    pub path: String,
    /// The places, by event, in the order of the findings.
    pub places: Vec<SpecPlace>,
    /// How many more places there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl SpecPlaces {
    /// The places of the events that some findings name, or that were possible instead. None if the
    /// bundle has no text, or was compiled from an automaton.
    pub fn new(bundle: &Bundle, findings: &[Finding]) -> SpecPlaces {
        let Some((signature, interaction)) = &bundle.source else { return SpecPlaces::default() };
        let wanted = events(findings);
        if wanted.is_empty() || bundle.text.spans.len() != interaction.nodes().len() {
            return SpecPlaces::default();
        }
        let mut spans: BTreeMap<String, BTreeSet<Span>> =
            wanted.iter().map(|event| (event.clone(), BTreeSet::new())).collect();
        let only = occurrences(findings);
        for (at, (node, span)) in interaction.nodes().iter().zip(&bundle.text.spans).enumerate() {
            let Node::Step(step) = node else { continue };
            for action in step.actions() {
                let text = signature.action_text(*action);
                if only.get(&text).is_some_and(|nodes| !nodes.contains(&(at as u32))) {
                    continue;
                }
                if let Some(places) = spans.get_mut(&text) {
                    places.insert(*span);
                }
            }
        }
        let source = bundle.text.source();
        let of = |event: &String| {
            let spans = spans.get(event).into_iter().flatten().take(MOST_PLACES);
            spans.map(|span| place(&source, event, *span)).collect::<Vec<SpecPlace>>()
        };
        let places: Vec<SpecPlace> = wanted.iter().flat_map(of).take(MOST_ROWS).collect();
        let left_out = spans.values().map(BTreeSet::len).sum::<usize>() - places.len();
        SpecPlaces { path: bundle.text.path.clone(), places, left_out }
    }
}

impl SpecPlace {
    /// Where a node of the interaction of a bundle stands, which is a step of this event. `None` if the bundle has no text.
    pub fn of_node(bundle: &Bundle, node: NodeId, event: &str) -> Option<SpecPlace> {
        let span = bundle.text.spans.get(node.index())?;
        Some(place(&bundle.text.source(), event, *span))
    }
}

fn place(source: &Source, event: &str, span: Span) -> SpecPlace {
    let Position { line, column } = source.position(span.start);
    let text = source.text().get(span.start..span.end).unwrap_or_default();
    let text = text.lines().next().unwrap_or_default().trim_end().to_owned();
    SpecPlace { event: event.to_owned(), line, column, text }
}

/// By event, the only nodes that faults are about, as far as these are known.
fn occurrences(findings: &[Finding]) -> BTreeMap<String, BTreeSet<u32>> {
    let mut nodes: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for finding in findings {
        let Some(fault) = &finding.fault else { continue };
        if let (Some(event), Some(node)) = (fault.event_there(finding.event.as_ref()).0, fault.node)
        {
            nodes.entry(event.clone()).or_default().insert(node);
        }
    }
    nodes
}

/// The events that findings name, each once, in their order.
fn events(findings: &[Finding]) -> Vec<String> {
    let (mut events, mut seen) = (Vec::new(), BTreeSet::new());
    for finding in findings {
        let entries = finding.frontier.iter().flat_map(|frontier| &frontier.locations);
        let of_logs = entries.flat_map(|entry| entry.event.iter().chain(&entry.expected));
        for event in finding.event.iter().chain(&finding.expected).chain(of_logs) {
            if seen.insert(event) {
                events.push(event.clone());
            }
        }
    }
    events
}
