//! Steps in braces with one end of a message whose other end is nowhere (MT603). In `l -- m ->|` and
//! `m -> l` the arrow says so.

use super::written::WrittenSpec;
use multitrace_formats::warning::{Warning, WarningCode};
use multitrace_interaction::{Action, ActionKind, Id, MessageId, Node, NodeId};
use rustc_hash::FxHashSet;

pub(super) fn warnings(spec: &WrittenSpec<'_>) -> Vec<Warning> {
    let actions = |kind| spec.parsed.interaction.actions().filter(move |it| it.kind == kind);
    let messages = |kind| actions(kind).map(|it| it.message).collect::<FxHashSet<MessageId>>();
    let (sent, received) = (messages(ActionKind::Emission), messages(ActionKind::Reception));
    let nodes = spec.parsed.interaction.nodes().iter().enumerate();
    let mut found = Vec::new();
    for (index, node) in nodes {
        let (Node::Step(step), span) = (node, spec.span(NodeId::new(index))) else { continue };
        if !spec.text[span.start..].starts_with('{') {
            continue;
        }
        let is_alone = |action: &&Action| match action.kind {
            ActionKind::Emission => !received.contains(&action.message),
            ActionKind::Reception => !sent.contains(&action.message),
        };
        found.extend(step.actions().iter().filter(is_alone).map(|&action| {
            let (message, action_text) = (spec.message(action), spec.action(action));
            let (done, missing) = match action.kind {
                ActionKind::Emission => ("sent", "received"),
                ActionKind::Reception => ("received", "sent"),
            };
            let text = format!("`{message}` is {done} and never {missing}");
            let label = format!("`{action_text}` alone");
            Warning::new(WarningCode::Unmatched, span, text, label)
        }));
    }
    found
}
