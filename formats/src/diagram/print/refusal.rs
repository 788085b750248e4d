//! Why an interaction cannot be written as a diagram.

use crate::diagram::Notation;
use crate::diagram::model::MAX_FRAMES;
use crate::hif::{Named, ParsedSpec};
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use multitrace_interaction::{Id, LifelineId, MessageId, NodeId};

/// A reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// A step of several actions that are not one message of one receiver.
    Synchronous(NodeId),
    /// A loop with a concurrent region.
    RegionLoop(NodeId),
    /// A weak order that the strict order around it would make strict.
    WeakInStrict(NodeId),
    /// More frames inside of each other than the limit allows.
    TooDeep(NodeId),
    /// A name that no participant can have.
    Participant(Notation, LifelineId),
    /// A name that no message can have.
    Message(Notation, MessageId),
    /// No participant and no statement.
    Nothing,
}

/// Reports a reason at its place, once.
pub(super) fn refuse(parsed: &ParsedSpec, refusal: &Refusal, refusals: &mut Diagnostics) {
    let (message, help) = words(parsed, refusal);
    let error = Diagnostic::new(place(parsed, refusal), message, "here");
    refusals.push(error.with_help(help));
}

fn words(parsed: &ParsedSpec, refusal: &Refusal) -> (String, &'static str) {
    let text = |text: &str| text.to_owned();
    match *refusal {
        Refusal::Synchronous(_) => (
            text("a diagram has no form for these actions that happen together"),
            "a message of one receiver may be `<synch>`; write others as an emission before its receptions",
        ),
        Refusal::RegionLoop(_) => (
            text("a diagram has no form for a loop with a concurrent region"),
            "write `loopW` or `loopP`",
        ),
        Refusal::WeakInStrict(_) => (
            text("a diagram has no form for this weak order inside of a strict one"),
            "write the order inside with `strict`, or the one around it with `seq`",
        ),
        Refusal::TooDeep(_) => (
            format!("a diagram has at most {MAX_FRAMES} frames inside of each other"),
            "take out an operator, or draw the inner part as a diagram of its own",
        ),
        Refusal::Participant(notation, id) => {
            let name = quote(parsed.signature.lifeline_name(id));
            let message =
                format!("{name} cannot be the name of a participant in {}", notation.name());
            (message, "use a name of letters, digits, blanks and `_`")
        }
        Refusal::Message(notation, id) => {
            let name = quote(parsed.signature.message_name(id));
            let message = format!("{name} cannot be the name of a message in {}", notation.name());
            (message, "use a name of letters, digits, blanks and usual signs")
        }
        Refusal::Nothing => {
            (text("PlantUML has no diagram without participants and messages"), "add a message")
        }
    }
}

fn place(parsed: &ParsedSpec, refusal: &Refusal) -> Span {
    match *refusal {
        Refusal::Synchronous(node)
        | Refusal::RegionLoop(node)
        | Refusal::WeakInStrict(node)
        | Refusal::TooDeep(node) => parsed.spans.get(node.index()).copied().unwrap_or_default(),
        Refusal::Participant(_, id) => first_use(parsed, |named| match named {
            Named::Lifeline(lifeline) | Named::Region { lifeline, .. } => lifeline == id,
            Named::Message(_) => false,
        }),
        Refusal::Message(_, id) => first_use(parsed, |named| named == Named::Message(id)),
        Refusal::Nothing => Span::default(),
    }
}

fn first_use(parsed: &ParsedSpec, is_it: impl Fn(Named) -> bool) -> Span {
    let found = parsed.names.iter().find(|name| is_it(name.named));
    found.map_or(Span::default(), |name| name.span)
}
