//! Writes interactions as diagrams, the reverse of reading them. A specification that was read from a diagram is
//! written by `rewrite.rs`, which keeps more than the meaning.
//!
//! | interaction | Mermaid | PlantUML |
//! |---|---|---|
//! | `strict(A!m, B?m)` | `A->>B: m` | `A -> B : m` |
//! | `strict(A!m, A?m)` | `A->>A: m` in a diagram of `self send-receive` | the same |
//! | `A!m` alone | `A->>A: m`, in such a diagram after the directive `local` | `A ->] : m` |
//! | `B?m` alone | `B->>B: m` after the directive `received` | `[-> B : m` |
//! | `strict(A!m, B?m)` at once | an arrow after the directive `synchronous` | the same |
//! | `seq` | order down the page | the same |
//! | `alt`, `opt`, `par`, `loopW` | `alt`, `opt`, `par`, `loop` | the same |
//! | `loopS`, `loopP`, `loopH` | `loop` after a directive | the same |
//! | `strict` of more than an arrow | `rect` after the directive `strict` | `group` likewise |
//! | `coreg` | `par` after the directive `coregion` | the same |
//!
//! A construct that has no such form is refused with its place: other steps of several actions, a loop with a
//! concurrent region, some weak orders inside of strict ones, and names that a notation cannot write.

// Idea: `outline` turns the tree into statements and frames, in the order of the page. `names` finds
// a form for each name by trial: it writes the name into a tiny diagram and reads that. `page` puts
// both together. At last the text is read, and `sameness` compares, so that a slip of these steps is an
// error and never another interaction.
//
// A strict frame makes all orders inside of it strict. Only a frame `par` with a coregion has an order
// of its own. So a weak order in a strict frame is written with the region of one lifeline that its
// operands do not share, where the two mean the same.

mod lines;
mod names;
mod operands;
mod outline;
mod page;
mod parts;
mod printed_diagram;
mod refusal;
mod sameness;
mod trial;

use super::Notation;
use crate::hif::ParsedSpec;
use crate::locations::LocationGroup;
use crate::source::Diagnostics;
use multitrace_interaction::LifelineId;
use names::Names;
pub use names::lifeline_form;
pub use names::{label_form, message_lines, plain_name};
pub use page::FrameTexts;
use page::Written;
pub use printed_diagram::{PrintedDiagram, markdown_of};
use refusal::Refusal;
pub(super) use sameness::is_same_meaning;
use std::collections::BTreeMap;

/// Writes an interaction as a diagram in this notation. Reading the diagram gives the same lifelines in
/// the same order, the same locations, and an equal interaction, up to the association of its
/// operators and operands that are empty.
///
/// # Errors
/// Constructs that the notation has no form for, at the places of the nodes and names in the source of `parsed`.
///
/// ```
/// use multitrace_formats::diagram::{Notation, print};
/// use multitrace_formats::{hif, source::Source};
/// let source = Source::new("a.hif", "opt(user -- \"log in\" -> shop)");
/// let parsed = hif::parse(&source, None).expect("an interaction");
/// assert_eq!(
///     print(Notation::Mermaid, &parsed, &[]).expect("a diagram"),
///     "sequenceDiagram\n    participant user\n    participant shop\n    \
///      opt\n        user->>shop: log in\n    end\n",
/// );
/// ```
pub fn print(
    notation: Notation,
    parsed: &ParsedSpec,
    locations: &[LocationGroup],
) -> Result<String, Diagnostics> {
    let printed = printed(notation, parsed, locations, &PrintOptions::default())?;
    Ok(printed.into_iter().map(|it| it.text).collect())
}

/// How an interaction is written as diagrams.
#[derive(Clone, Debug, Default)]
pub struct PrintOptions {
    /// The texts at operands of alternatives and options.
    pub texts: FrameTexts,
    /// Whether a part before a loop of the same part is its first repetition, so that both are one frame.
    pub joins_loops: bool,
    /// The labels of lifelines whose names stand for others, which logs have.
    pub labels: BTreeMap<LifelineId, String>,
    /// A diagram of more arrows is divided into several.
    pub most_arrows: Option<usize>,
}

/// The same as [`print()`], with options: first the main diagram, then those that it refers to.
///
/// # Errors
/// Those of [`print()`], and if a text means something where it stands.
pub fn printed(
    notation: Notation,
    parsed: &ParsedSpec,
    locations: &[LocationGroup],
    options: &PrintOptions,
) -> Result<Vec<PrintedDiagram>, Diagnostics> {
    let mut refusals = Diagnostics::default();
    let items = outline::outline(parsed, options.joins_loops, &mut refusals);
    let names = Names::find(notation, parsed, &options.labels, &mut refusals);
    if notation == Notation::PlantUml && items.is_empty() && parsed.signature.lifelines().len() == 0
    {
        refusal::refuse(parsed, &Refusal::Nothing, &mut refusals);
    }
    refusals.check(())?;
    let (main, parts) = parts::divided(items, options.most_arrows, &parsed.signature);
    let written = Written { notation, parsed, names: &names, texts: &options.texts };
    let text = page::write(written, locations, &parts, &main);
    let mut all = vec![PrintedDiagram { title: None, text }];
    all.extend(parts.in_order(&main).into_iter().map(|at| {
        let part = &parts.all[at];
        PrintedDiagram {
            title: Some(part.title.clone()),
            text: page::write_part(written, &parts, part),
        }
    }));
    sameness::check(notation, parsed, locations, &all)?;
    Ok(all)
}
