//! HIBOU interaction files, `.hif`: interactions as text (paper 000 sec. 7.1).
//!
//! | text | means |
//! |---|---|
//! | `o`, `∅` | nothing happens |
//! | `l1 -- m ->\|` | `l1!m` |
//! | `m -> l2`, `m -> (l2,l3)` | `l2?m`, `seq(l2?m, l3?m)` |
//! | `l1 -- m -> l2`, `l1 -- m -> (l2,l3)` | `strict(l1!m, l2?m)`, `strict(l1!m, seq(l2?m, l3?m))` |
//! | `l1 -- <synch>m -> (l2,l3)` | the step `l1!m l2?m l3?m` |
//! | `{l1!m, l2?n}` | the step `l1!m l2?n`; not known to HIBOU |
//! | `strict`, `seq`, `par`, `alt` `(i1,…)` | the operator, folded to the right |
//! | `coreg(l1,l2)(i1,…)` | likewise, with its concurrent region |
//! | `loopS`, `loopW`, `loopP`, `loopH` `(i)` | a loop |
//! | `loopC(l1,l2)(i)` | a loop with a concurrent region; not known to HIBOU |

mod parsed;
mod parser;
mod printer;

use crate::source::{Source, SourceError};
use multitrace_interaction::Signature;

pub use parsed::{MAX_NESTING, ParsedSpec};
pub use printer::print;

/// Reads an interaction. With a signature, it may use declared names only.
///
/// # Errors
/// All errors of the text: of syntax, undeclared names, and more than [`MAX_NESTING`] levels.
///
/// ```
/// use multitrace_formats::{hif, source::Source};
/// let source = Source::new("a.hif", "loopS(client -- request -> server)");
/// let spec = hif::parse(&source, None).expect("an interaction");
/// assert_eq!(spec.interaction.nodes().len(), 4);
/// assert_eq!(spec.spans.len(), 4);
/// ```
pub fn parse(source: &Source, signature: Option<Signature>) -> Result<ParsedSpec, SourceError> {
    let spec = source.spec_text().and_then(|text| parser::parse(text, signature));
    spec.map_err(|errors| errors.of(source.clone()))
}
