//! Names that are most likely a slip (MT601), and messages named as a lifeline is (MT602).

use super::similar::{Likeness, SimilarNames};
use super::written::WrittenSpec;
use multitrace_formats::hif::Named;
use multitrace_formats::source::Span;
use multitrace_formats::warning::{Warning, WarningCode};
use multitrace_interaction::Id;
use rustc_hash::FxHashSet;

pub(super) fn warnings(spec: &WrittenSpec<'_>) -> Vec<Warning> {
    let signature = &spec.parsed.signature;
    let mut found = Vec::new();
    if !spec.is_declared {
        let lifelines = signature.lifelines().map(|it| signature.lifeline_name(it));
        let uses = uses(spec, lifelines.len(), |named| match named {
            Named::Lifeline(lifeline) | Named::Region { lifeline, .. } => Some(lifeline.index()),
            Named::Message(_) => None,
        });
        let names: Vec<&str> = lifelines.collect();
        slips("lifeline", &names, &uses, |_, _| true, &mut found);
        let messages = signature.messages().map(|it| signature.message_name(it));
        let uses = message_uses(spec);
        let names: Vec<&str> = messages.collect();
        // Messages are many, and often inflected: charge, charged.
        let is_slip = |likeness, count| match likeness {
            Likeness::Strong => true,
            Likeness::Inner => count > 1,
            Likeness::Ending => false,
        };
        slips("message", &names, &uses, is_slip, &mut found);
    }
    messages_named_as_lifelines(spec, &mut found);
    found
}

/// Where each name is written, by its id.
fn uses(
    spec: &WrittenSpec<'_>,
    count: usize,
    index: impl Fn(Named) -> Option<usize>,
) -> Vec<Vec<Span>> {
    let mut uses = vec![Vec::new(); count];
    for name in &spec.parsed.names {
        if let Some(index) = index(name.named) {
            uses[index].push(name.span);
        }
    }
    uses
}

fn message_uses(spec: &WrittenSpec<'_>) -> Vec<Vec<Span>> {
    uses(spec, spec.parsed.signature.messages().len(), |named| match named {
        Named::Message(message) => Some(message.index()),
        _ => None,
    })
}

fn slips(
    what: &str,
    names: &[&str],
    uses: &[Vec<Span>],
    is_slip: impl Fn(Likeness, usize) -> bool,
    found: &mut Vec<Warning>,
) {
    let similar = SimilarNames::new(names.iter().copied());
    for (index, own) in uses.iter().enumerate() {
        let &[span] = &own[..] else { continue };
        // Of two names that occur once, the later one is the slip.
        let is_older = |other: usize| uses[other].first().is_some_and(|&first| first < span);
        let close = similar.of(index).into_iter().filter(|&(other, likeness)| {
            let count = uses[other].len();
            is_slip(likeness, count) && (count > 1 || is_older(other))
        });
        let Some((other, _)) = close.max_by_key(|&(other, _)| (uses[other].len(), !other)) else {
            continue;
        };
        let (name, other_name) = (names[index], names[other]);
        let message = format!("{what} `{name}` occurs once; is it `{other_name}`?");
        let mut warning = Warning::new(WarningCode::SimilarName, span, message, "only here");
        warning = match uses[other].first() {
            Some(&first) => warning.with_related(first, format!("`{other_name}` is here")),
            None => warning,
        };
        found.push(warning);
    }
}

fn messages_named_as_lifelines(spec: &WrittenSpec<'_>, found: &mut Vec<Warning>) {
    // In a diagram, every arrow has its ends.
    if spec.diagram.is_some() {
        return;
    }
    let signature = &spec.parsed.signature;
    // A passing that starts with its message has no sender.
    let starts: FxHashSet<usize> = spec.parsed.spans.iter().map(|span| span.start).collect();
    for (message, uses) in signature.messages().zip(message_uses(spec)) {
        let name = signature.message_name(message);
        // The label of a lifeline is not a name in the text.
        if signature.lifeline(name).is_none_or(|it| signature.lifeline_name(it) != name) {
            continue;
        }
        let senderless = uses.iter().find(|span| starts.contains(&span.start));
        let Some(&span) = senderless.or(uses.first()) else { continue };
        let message = format!("`{name}` is a message here, and a lifeline elsewhere");
        let label = match senderless {
            Some(_) => "the message, from nobody",
            None => "the message",
        };
        found.push(Warning::new(WarningCode::MessageNamedAsLifeline, span, message, label));
    }
}
