//! Values of the library as arguments, by their names and with a help for each.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use multitrace::{ConvertTo, Observation, Strategy};
use multitrace_interaction::generate::{Mutation, TracePart};
use multitrace_reports::groups::GroupOrder;
use multitrace_runtime::EngineChoice;

/// A value, its name and its help.
type Named<T> = (T, &'static str, &'static str);

/// Reads the value of a name.
fn named<T: Copy + Send + Sync + 'static>(
    values: &'static [Named<T>],
) -> impl TypedValueParser<Value = T> {
    let value = |&(_, name, help): &Named<T>| PossibleValue::new(name).help(help);
    PossibleValuesParser::new(values.iter().map(value)).try_map(|given| {
        let found = values.iter().find(|(_, name, _)| *name == given);
        found.map(|(value, _, _)| *value).ok_or("no value has this name")
    })
}

/// The observation modes by name.
pub(super) fn observations() -> impl TypedValueParser<Value = Observation> {
    named(&[
        (Observation::Complete, "complete", "Everything was observed"),
        (Observation::Missing, "missing", "Each log is whole, or missing: it has no events"),
        (Observation::Prefix, "prefix", "Each location may have stopped early, or never begun"),
        (Observation::Slice, "slice", "Each location may have begun late and stopped early"),
        (Observation::GlobalPrefix, "global-prefix", "All locations stopped at one moment"),
    ])
}

/// A part of accepted sessions, or a mutation of a part that another option names, or of all of them.
pub(crate) type GenerateKind = (Option<TracePart>, Option<Mutation>);

/// The kinds of sessions to make.
pub(super) fn kinds() -> impl TypedValueParser<Value = GenerateKind> {
    use Mutation::{CentralError, InterError, LocalError, Noise, SwapActions, SwapComponents};
    // The errors are made of accepted ones, as in the paper.
    const ALL: Option<TracePart> = Some(TracePart::Accepted);
    named(&[
        ((ALL, None), "accepted", "Sessions that the specification accepts"),
        ((Some(TracePart::Prefix), None), "prefix", "Accepted, each local trace cut at its end"),
        ((Some(TracePart::Slice), None), "slice", "Accepted, each local trace cut at both ends"),
        ((None, Some(Noise)), "noise", "With a random action inserted"),
        (
            (None, Some(SwapActions)),
            "swap-actions",
            "With two actions of a local trace interchanged",
        ),
        (
            (None, Some(SwapComponents)),
            "swap-components",
            "With the local trace of another one at one location",
        ),
        (
            (ALL, Some(LocalError)),
            "local-error",
            "With a few wrong events, so that some local trace alone is impossible",
        ),
        (
            (ALL, Some(InterError)),
            "inter-error",
            "Of local traces that are possible, but follow no common path",
        ),
        (
            (ALL, Some(CentralError)),
            "central-error",
            "Of local traces that follow a common path, but in no order that is accepted",
        ),
    ])
}

/// The parts of accepted sessions.
pub(super) fn trace_parts() -> impl TypedValueParser<Value = TracePart> {
    named(&[
        (TracePart::Accepted, "accepted", "Accepted ones"),
        (TracePart::Prefix, "prefix", "Prefixes of accepted ones"),
        (TracePart::Slice, "slice", "Slices of accepted ones"),
    ])
}

/// The orders of groups.
pub(super) fn orders() -> impl TypedValueParser<Value = GroupOrder> {
    named(&[
        (GroupOrder::Gravest, "gravest", "Those that say more than that a location stopped"),
        (GroupOrder::Count, "count", "Those with most sessions"),
        (GroupOrder::Rarest, "rarest", "Those with fewest sessions"),
        (
            GroupOrder::Distance,
            "distance",
            "Those whose sessions are furthest from an accepted one",
        ),
    ])
}

/// The engines.
pub(super) fn engines() -> impl TypedValueParser<Value = EngineChoice> {
    named(&[
        (EngineChoice::Auto, "auto", "The automaton if the specification has one, else terms"),
        (EngineChoice::Nfa, "nfa", "The compiled automaton; without one, an error"),
        (
            EngineChoice::Term,
            "term",
            "Terms, rewritten on demand; for specifications without an automaton, and for comparison",
        ),
    ])
}

/// The orders of nodes of an exploration.
pub(super) fn strategies() -> impl TypedValueParser<Value = Strategy> {
    named(&[
        (Strategy::Breadth, "bfs", "Near nodes first"),
        (Strategy::Depth, "dfs", "One path to its end, then the next"),
        (Strategy::Coverage, "coverage", "The action first that was followed least"),
    ])
}

/// The notations for specifications.
pub(super) fn conversions() -> impl TypedValueParser<Value = ConvertTo> {
    named(&[
        (ConvertTo::Hif, "hif", "An interaction, with the operators that HIBOU knows"),
        (ConvertTo::Mermaid, "mermaid", "A Mermaid diagram"),
        (ConvertTo::PlantUml, "plantuml", "A PlantUML diagram"),
        (ConvertTo::Markdown, "markdown", "A Mermaid diagram in Markdown"),
        (ConvertTo::Timbuk, "timbuk", "An automaton"),
    ])
}
