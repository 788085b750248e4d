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
//! | `opt(i)` | `alt(i, o)`; not known to HIBOU, as all below |
//! | `loopS[2..5](i)`, `[3]`, `[1..]` | that many repetitions; likewise `loopW`, `loopP` and `loopC` |
//! | `@name = i`, then `@name` | a part with a name, defined before the interaction |
//! | `@name(a, b) = i`, then `@name(c, d)` | the same, with other names for `a` and `b` |
//! | `par for $c in c1, c2 (i)`, `in c1..c5`, `except $d` | the operands for each value of `$c`; for any operator that takes several |
//!
//! Between quotes, `$c` stands for its value where a `for` binds it, and `$$` for a dollar.
//!
//! Names of ASCII letters, digits and `_`, no digit first, stand as they are; all others stand in
//! quotes, `"GET /cart"`, which are not known to HIBOU.
//!
//! Comments are `/* … */`, and `// …` to the end of the line; the latter are not known to HIBOU. Some of
//! them silence warnings, see [`Allowed`].

pub(crate) mod allowed;
mod expansion;
mod format;
mod other_languages;
mod parsed;
mod parser;
mod parts;
mod printer;
mod repetitions;
mod values;
mod words;
mod written_out;

use crate::source::{Source, SourceError};
use multitrace_interaction::Signature;

pub use crate::open::MAX_EXPANDED;
pub use allowed::Allowed;
pub use format::{comment_count, format};
pub use parsed::{MAX_NESTING, NameUse, Named, ParsedSpec};
pub use printer::{Dialect, print, print_in};
pub use words::in_words;
pub use written_out::{ObservableBy, OpenError};

/// A name as interactions have it: in quotes, unless it consists of ASCII letters, digits and `_`, no
/// digit first.
pub fn name_text(name: &str) -> std::borrow::Cow<'_, str> {
    printer::hif_name(name)
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;
    use crate::warning::{Warning, WarningCode};

    fn parsed(text: &str) -> ParsedSpec {
        parse(&Source::new("f", text), None).expect("an interaction")
    }

    fn silenced(text: &str, code: WarningCode, at: &str) -> bool {
        let start = text.find(at).expect("the place is there");
        let warning = Warning::new(code, Span::new(start, start + at.len()), "", "");
        parsed(text).allowed.silences(&warning)
    }

    #[test]
    fn names_are_kept_with_their_places() {
        let text = "coreg(b)(a -- m -> (b, c), {a!n})";
        let spec = parsed(text);
        let names: Vec<&str> =
            spec.names.iter().map(|name| &text[name.span.start..name.span.end]).collect();
        assert_eq!(names, ["b", "a", "m", "b", "c", "a", "n"]);
        let b = spec.signature.lifeline("b").expect("a lifeline");
        assert_eq!(spec.names[0].named, Named::Region { lifeline: b, operator: 0, acts: true });
    }

    #[test]
    fn a_comment_allows_a_warning_on_its_line_or_the_next_or_everywhere() {
        use WarningCode::{DeadPart, Race, SimilarName};
        let text = "seq(\n a -- m -> b, // multitrace: allow MT601\n \
                    // multitrace: allow MT607, MT608: known\n // more\n\n c -- n -> b,\n d -- k -> b)";
        assert!(silenced(text, SimilarName, "a --"));
        assert!(!silenced(text, Race, "a --"));
        assert!(!silenced(text, SimilarName, "c --"));
        assert!(silenced(text, Race, "c --") && silenced(text, DeadPart, "c --"));
        assert!(!silenced(text, Race, "d --") && !silenced(text, DeadPart, "d --"));
        let top = "/* x */ // multitrace: allow MT607\n\nseq(a -- m -> b,\n c -- n -> b)";
        assert!(silenced(top, Race, "c --") && !silenced(top, DeadPart, "c --"));
        let related = Warning::new(Race, Span::new(0, 3), "", "");
        let start = text.find("c --").expect("there");
        let related = related.with_related(Span::new(start, start + 1), "");
        assert!(parsed(text).allowed.silences(&related), "any of its places will do");
        assert_eq!(
            parsed("a -- m -> b // plain\n// multitrace: allow MT601").allowed,
            Allowed::default()
        );
    }

    #[test]
    fn wrong_directives_are_errors() {
        let errors = |comment: &str| -> Vec<String> {
            let text = format!("o // {comment}");
            let error = parse(&Source::new("f", text), None).expect_err("a wrong directive");
            error.lines().collect()
        };
        assert_eq!(errors("multitrace: alow MT601"), ["f:1:3: unknown directive `alow`"]);
        assert_eq!(errors("multitrace: allow"), ["f:1:3: `allow` names no warning"]);
        let unknown = ["f:1:3: `MT999` is not the code of a warning"];
        assert_eq!(errors("multitrace: allow MT601,MT999 because"), unknown);
    }
}
