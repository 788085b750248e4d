//! The terms that remain after a trace.

use crate::error::AfterError;
use multitrace_interaction::names::action_text;
use multitrace_interaction::{Action, Signature, TermId, TermStore, WorkLimit};
use std::collections::BTreeSet;

/// The most work for the trace, see [`WorkLimit`]: some seconds.
const MOST_WORK: u64 = 20_000_000;
/// The most actions that an error lists.
const MOST_LISTED: usize = 20;

/// A trace as text, `a!m.b?m`, as actions of an interaction.
///
/// Messages may hold dots, so the longest action that the text goes on with is taken.
pub(crate) fn parse_trace(
    text: &str,
    signature: &Signature,
    actions: impl IntoIterator<Item = Action>,
) -> Result<Vec<Action>, AfterError> {
    let known: BTreeSet<Action> = actions.into_iter().collect();
    let by_label = signature.labels().flat_map(|(label, lifeline)| {
        let own = known.iter().filter(move |action| action.lifeline == lifeline);
        own.map(move |&action| {
            let message = signature.message_name(action.message);
            (action_text(label, action.kind, message), action)
        })
    });
    let by_name = known.iter().map(|&action| (signature.action_text(action), action));
    let mut known: Vec<(String, Action)> = by_name.chain(by_label).collect();
    known.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    let mut found = Vec::new();
    let mut rest = Some(text.trim()).filter(|text| !text.is_empty());
    while let Some(text) = rest {
        let next = known.iter().find_map(|(known, action)| Some((after(text, known)?, *action)));
        let Some((left, action)) = next else { return Err(unknown(text, &known)) };
        found.push(action);
        rest = left;
    }
    Ok(found)
}

/// The text behind an action and its dot: `Some(None)` at the end of the text.
fn after<'t>(text: &'t str, action: &str) -> Option<Option<&'t str>> {
    let rest = text.strip_prefix(action)?.trim_start();
    match rest.strip_prefix('.') {
        Some(rest) => Some(Some(rest.trim_start())),
        None => rest.is_empty().then_some(None),
    }
}

fn unknown(text: &str, known: &[(String, Action)]) -> AfterError {
    let piece = text.split('.').next().unwrap_or(text).trim();
    let mut names: Vec<&str> = known.iter().map(|(text, _)| text.as_str()).collect();
    names.sort_unstable();
    AfterError::Unknown { action: piece.to_owned(), known: listed(&names) }
}

fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(MOST_LISTED).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// The terms that remain after a trace, one for each way in which it can happen; an error names the action that cannot.
pub(crate) fn terms_after(
    store: &mut TermStore,
    root: TermId,
    trace: &[Action],
    signature: &Signature,
) -> Result<Vec<TermId>, AfterError> {
    // Per number of actions, the terms after them between steps.
    let mut reached: Vec<BTreeSet<TermId>> = vec![BTreeSet::new(); trace.len() + 1];
    reached[0].insert(root);
    // How far the trace can happen, inside steps too.
    let mut furthest = (0, Vec::new());
    let mut limit = WorkLimit::work(MOST_WORK);
    for at in 0..trace.len() {
        if !reached[at].is_empty() {
            raise(&mut furthest, at);
        }
        for term in std::mem::take(&mut reached[at]) {
            let derivatives = store.within(&mut limit, |store| store.derivatives(term));
            for derivative in &*derivatives.ok_or(AfterError::TooMuchWork)? {
                let actions = store.step_of(derivative.step).actions();
                let rest = &trace[at..];
                let same = actions.iter().zip(rest).take_while(|(a, b)| a == b).count();
                if same == actions.len() {
                    reached[at + same].insert(derivative.residual);
                } else {
                    let next = (at + same, actions[same]);
                    note(&mut furthest, next);
                }
            }
        }
    }
    let found = reached.pop().unwrap_or_default();
    if !found.is_empty() {
        return Ok(found.into_iter().collect());
    }
    Err(impossible(furthest, trace, signature))
}

/// The trace can happen up to here.
fn raise((furthest, possible): &mut (usize, Vec<Action>), at: usize) {
    if at > *furthest {
        *furthest = at;
        possible.clear();
    }
}

/// An action can happen after so much of the trace.
fn note(found: &mut (usize, Vec<Action>), (at, action): (usize, Action)) {
    raise(found, at);
    if at == found.0 && !found.1.contains(&action) {
        found.1.push(action);
    }
}

fn impossible(
    (at, possible): (usize, Vec<Action>),
    trace: &[Action],
    signature: &Signature,
) -> AfterError {
    let text = |&action: &Action| signature.action_text(action);
    let before = match at {
        0 => "at the start".to_owned(),
        _ => format!("after {}", trace[..at].iter().map(text).collect::<Vec<_>>().join(".")),
    };
    let possible: Vec<String> = possible.iter().map(text).collect();
    let possible: Vec<&str> = possible.iter().map(String::as_str).collect();
    let could = match &possible[..] {
        [] => "nothing can".to_owned(),
        some => format!("possible: {}", listed(some)),
    };
    match trace.get(at) {
        Some(action) => AfterError::Impossible { action: text(action), before, could },
        None => AfterError::InsideStep { could },
    }
}
