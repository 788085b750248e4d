//! Specifications of every kind, by the extension of their file.

use crate::diagram::{
    self, Chosen, DiagramOptions, DiagramText, Drawing, Include, Notation, ReadDiagram, Rewritten,
    in_markdown, in_plantuml, main_diagram, slug, whole,
};
use crate::hif::{self, Named, ParsedSpec};
use crate::locations::LocationGroup;
use crate::source::{Diagnostic, Diagnostics, Source, SourceError, Span, quote};
use crate::suggest::did_you_mean;
use crate::timbuk::{self, Timbuk};
use multitrace_interaction::Signature;
use std::borrow::Cow;
use std::path::Path;

/// How a file gets a diagram.
const NO_BLOCK: &str =
    "put one into a block that begins with ```mermaid or ```plantuml, outside of comments (`<!--`)";

/// The kinds of files of specifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecFormat {
    /// An interaction, `.hif`.
    Hif,
    /// An automaton, `.timbuk`.
    Timbuk,
    /// A diagram, `.mmd` or `.puml`; a PlantUML file may hold several.
    Diagram(Notation),
    /// Diagrams in Markdown, `.md`.
    Markdown,
}

/// The extension of a file is not that of a specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{path}: not a specification by its extension; known are .hif (interactions), .mmd (Mermaid), .puml \
     (PlantUML), .md (diagrams in Markdown) and .timbuk (automata)"
)]
pub struct UnknownExtension {
    /// The path.
    pub path: String,
}

impl SpecFormat {
    /// The format that the extension of a path tells, in capitals or not.
    ///
    /// # Errors
    /// When it is that of no specification.
    ///
    /// ```
    /// use multitrace_formats::spec::SpecFormat;
    /// assert_eq!(SpecFormat::of_path("a/b.hif".as_ref()), Ok(SpecFormat::Hif));
    /// assert_eq!(SpecFormat::of_path("SPEC.md".as_ref()), Ok(SpecFormat::Markdown));
    /// assert!(SpecFormat::of_path("a/b.hsf".as_ref()).is_err());
    /// ```
    pub fn of_path(path: &Path) -> Result<SpecFormat, UnknownExtension> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("hif") => Ok(SpecFormat::Hif),
            Some("timbuk") => Ok(SpecFormat::Timbuk),
            Some("mmd" | "mermaid") => Ok(SpecFormat::Diagram(Notation::Mermaid)),
            Some("puml" | "plantuml" | "pu" | "iuml" | "wsd") => {
                Ok(SpecFormat::Diagram(Notation::PlantUml))
            }
            Some("md" | "markdown") => Ok(SpecFormat::Markdown),
            _ => Err(UnknownExtension { path: path.display().to_string() }),
        }
    }

    /// The diagrams of a text of this format, in order, not read yet.
    pub fn diagrams(self, text: &str) -> Vec<DiagramText> {
        match self {
            SpecFormat::Hif | SpecFormat::Timbuk => Vec::new(),
            SpecFormat::Diagram(Notation::PlantUml) => in_plantuml(text),
            SpecFormat::Diagram(Notation::Mermaid) => vec![whole(text, Notation::Mermaid)],
            SpecFormat::Markdown => in_markdown(text),
        }
    }
}

/// The words that begin the sections of an automaton.
const SECTIONS: [&str; 5] = ["Ops", "Automaton", "States", "Final", "Transitions"];

impl SpecFormat {
    /// The format of a text without a name that tells it.
    ///
    /// ```
    /// use multitrace_formats::diagram::Notation;
    /// use multitrace_formats::spec::SpecFormat;
    /// assert_eq!(SpecFormat::of_text("Ops a:1 q0:0"), SpecFormat::Timbuk);
    /// assert_eq!(SpecFormat::of_text("Ops -- m -> b"), SpecFormat::Hif);
    /// let mermaid = SpecFormat::Diagram(Notation::Mermaid);
    /// assert_eq!(SpecFormat::of_text("sequenceDiagram\n a->>b: m"), mermaid);
    /// assert_eq!(SpecFormat::of_text("# Login\n```mermaid\n"), SpecFormat::Markdown);
    /// ```
    pub fn of_text(text: &str) -> SpecFormat {
        let text = text.trim_start_matches('\u{feff}');
        let mut words = text.split_whitespace();
        let is_section = words.next().is_some_and(|first| SECTIONS.contains(&first));
        let is_message = matches!(words.next(), Some("--" | "->"));
        if is_section && !is_message {
            return SpecFormat::Timbuk;
        }
        let mut code = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = code.clone().find(|line| !line.starts_with('\''));
        if first.is_some_and(|line| line.starts_with("@start")) {
            SpecFormat::Diagram(Notation::PlantUml)
        } else if diagram::is_mermaid(text) {
            SpecFormat::Diagram(Notation::Mermaid)
        } else if code.any(|line| line.starts_with("```") || line.starts_with("# ")) {
            SpecFormat::Markdown
        } else {
            SpecFormat::Hif
        }
    }
}

/// A specification as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// An interaction.
    Interaction {
        /// The interaction, with the places of its parts.
        parsed: Box<ParsedSpec>,
        /// The drawing that it was read from; `None` for an interaction in text.
        drawing: Option<Drawing>,
        /// Where it was read from.
        source: Source,
    },
    /// An automaton.
    Automaton {
        /// The automaton.
        automaton: Timbuk,
        /// Where each transition is written, in the order of the text.
        spans: Vec<Span>,
        /// Where it was read from.
        source: Source,
    },
}

/// How a specification is read.
#[derive(Clone, Copy)]
pub struct ReadOptions<'o> {
    /// The names that it may use.
    pub signature: Option<&'o Signature>,
    /// Which diagram of the text: its number, from 1, its title, or the heading above it.
    pub selector: Option<&'o str>,
    /// The diagrams of the text, as [`SpecFormat::diagrams`] finds them, if somebody has looked for them before.
    pub found: Option<&'o [DiagramText]>,
    /// How diagrams are read.
    pub diagrams: &'o DiagramOptions,
    /// The reader of files that diagrams include.
    pub include: &'o Include<'o>,
}

impl std::fmt::Debug for ReadOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadOptions").field("selector", &self.selector).finish_non_exhaustive()
    }
}

/// Reads a specification.
///
/// # Errors
/// Those of [`hif::parse`], [`timbuk::parse`] and [`diagram::read`]; a signature given for an automaton,
/// which has neither lifelines nor messages; and a text of several diagrams if no diagram is selected.
pub fn read_spec(
    source: Source,
    format: SpecFormat,
    options: &ReadOptions<'_>,
) -> Result<Spec, SourceError> {
    match (format, options.selector) {
        (SpecFormat::Hif, None) => {
            let parsed = hif::parse(&source, options.signature.cloned())?;
            Ok(Spec::Interaction { parsed: Box::new(parsed), drawing: None, source })
        }
        (SpecFormat::Timbuk, None) if options.signature.is_some() => {
            let message = "a signature was given, but an automaton has no lifelines and messages";
            let error = Diagnostic::new(Span::default(), message, "an automaton");
            Err(SourceError::new(source, error.with_help("leave out the signature")))
        }
        (SpecFormat::Timbuk, None) => {
            let (automaton, spans) = timbuk::parse_with_spans(&source)?;
            Ok(Spec::Automaton { automaton, spans, source })
        }
        (SpecFormat::Hif | SpecFormat::Timbuk, Some(selector)) => {
            let message = format!("there is no diagram {} in this text", quote(selector));
            let error = Diagnostic::new(Span::default(), message, "no diagram");
            Err(SourceError::new(
                source,
                error.with_help("leave out the `#` and the text behind it"),
            ))
        }
        (SpecFormat::Diagram(_) | SpecFormat::Markdown, _) => {
            read_selected(source, format, options)
        }
    }
}

fn read_selected(
    source: Source,
    format: SpecFormat,
    options: &ReadOptions<'_>,
) -> Result<Spec, SourceError> {
    let found = found_in(source.text(), format, options);
    let at = select(&source, &found, options)
        .map_err(|error| SourceError::new(source.clone(), error))?;
    let ReadDiagram { parsed, drawing } =
        diagram::read(&source, Chosen { all: &found, at }, options.diagrams, options.include)?;
    if let Some(signature) = options.signature {
        undeclared(&parsed, signature).check(()).map_err(|errors| errors.of(source.clone()))?;
    }
    Ok(Spec::Interaction { parsed: Box::new(parsed), drawing: Some(drawing), source })
}

/// Writes a diagram of a text in a notation, as its author drew it. `None` for other specifications, and if the text
/// would be another diagram.
///
/// # Errors
/// Those of [`read_spec`].
pub fn rewrite_spec(
    source: &Source,
    format: SpecFormat,
    options: &ReadOptions<'_>,
    (notation, locations): (Notation, Option<&[LocationGroup]>),
) -> Result<Option<Rewritten>, SourceError> {
    if matches!(format, SpecFormat::Hif | SpecFormat::Timbuk) {
        return Ok(None);
    }
    let text = source.spec_text().map_err(|errors| errors.of(source.clone()))?;
    let found = found_in(text, format, options);
    let at =
        select(source, &found, options).map_err(|error| SourceError::new(source.clone(), error))?;
    let (diagrams, include) = (options.diagrams, options.include);
    diagram::rewrite(text, Chosen { all: &found, at }, diagrams, include, (notation, locations))
        .map_err(|errors| errors.of(source.clone()))
}

fn found_in<'o>(
    text: &str,
    format: SpecFormat,
    options: &ReadOptions<'o>,
) -> Cow<'o, [DiagramText]> {
    options.found.map_or_else(|| format.diagrams(text).into(), Cow::Borrowed)
}

/// The position of the diagram that is meant.
fn select(
    source: &Source,
    found: &[DiagramText],
    options: &ReadOptions<'_>,
) -> Result<usize, Diagnostic> {
    let Some(selector) = options.selector else {
        return match found {
            [] => Err(diagram::other_kind(source.text()).unwrap_or_else(|| {
                Diagnostic::new(Span::default(), "no sequence diagram in this text", "")
                    .with_help(NO_BLOCK)
            })),
            [_] => Ok(0),
            [_, second, ..] => {
                if let Some(main) = main_diagram(source.text(), found, options.include) {
                    return Ok(main);
                }
                let message = format!("this text holds {} diagrams", found.len());
                let error = Diagnostic::new(second.span(), message, "the second one");
                Err(error.with_help(listed(source, found)))
            }
        };
    };
    if let Ok(number) = selector.parse::<usize>()
        && (1..=found.len()).contains(&number)
    {
        return Ok(number - 1);
    }
    let slug = slug(selector);
    let named = |it: &DiagramText| {
        let heading = it.heading.as_deref().map(diagram::slug);
        heading.as_ref() == Some(&slug)
            || title(source, it, options).is_some_and(|title| diagram::slug(&title) == slug)
    };
    let all: Vec<usize> = (0..found.len()).filter(|at| named(&found[*at])).collect();
    match all[..] {
        [only] => Ok(only),
        [] => {
            let message = format!("no diagram {} in this text", quote(selector));
            Err(Diagnostic::new(Span::default(), message, "").with_help(listed(source, found)))
        }
        [_, second, ..] => {
            let message = format!("{} diagrams are called {}", all.len(), quote(selector));
            let error = Diagnostic::new(found[second].span(), message, "the second one");
            Err(error.with_help(listed(source, found)))
        }
    }
}

/// The title that a diagram gives itself, if it can be read.
fn title(source: &Source, found: &DiagramText, options: &ReadOptions<'_>) -> Option<String> {
    diagram::parse(source.text(), found, options.include).ok()?.heading()
}

/// The most diagrams that an error lists: a screen.
const MOST_LISTED: usize = 20;

/// How to name each diagram of a text.
fn listed(source: &Source, found: &[DiagramText]) -> String {
    if found.is_empty() {
        return NO_BLOCK.to_owned();
    }
    let one = |(number, it): (usize, &DiagramText)| {
        let line = source.position(it.range.start).line;
        let heading = it.heading.as_ref().map_or_else(String::new, |it| format!(", {}", quote(it)));
        format!("{}#{number} (line {line}{heading})", source.name())
    };
    let all: Vec<String> = (1..).zip(found).take(MOST_LISTED).map(one).collect();
    let more = if found.len() > MOST_LISTED { ", …" } else { "" };
    format!("name one: {}{more}", all.join(", "))
}

/// The names of a diagram that a signature does not have.
fn undeclared(parsed: &ParsedSpec, declared: &Signature) -> Diagnostics {
    let mut errors = Diagnostics::default();
    for name in &parsed.names {
        let (what, text, is_known) = match name.named {
            Named::Lifeline(it) | Named::Region { lifeline: it, .. } => {
                let text = parsed.signature.lifeline_name(it);
                ("lifeline", text, declared.lifeline(text).is_some())
            }
            Named::Message(it) => {
                let text = parsed.signature.message_name(it);
                ("message", text, declared.message(text).is_some())
            }
        };
        if is_known {
            continue;
        }
        errors.push_with(|| {
            let known: Vec<&str> = match what {
                "lifeline" => declared.lifelines().map(|it| declared.lifeline_name(it)).collect(),
                _ => declared.messages().map(|it| declared.message_name(it)).collect(),
            };
            let message = format!("undeclared {what} {}", quote(text));
            let error = Diagnostic::new(name.span, message, "not in the signature");
            let help = did_you_mean(text, known);
            error.with_help(help.unwrap_or_else(|| format!("declare it in `@{what}{{…}}`")))
        });
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::IncludeError;

    #[test]
    fn the_extension_tells_the_format() {
        assert_eq!(SpecFormat::of_path("x.TIMBUK".as_ref()), Ok(SpecFormat::Timbuk));
        let error = SpecFormat::of_path("dir.hif/x".as_ref()).expect_err("no extension");
        assert!(error.to_string().starts_with("dir.hif/x: not a specification"), "{error}");
    }

    fn options<'o>(diagrams: &'o DiagramOptions, selector: Option<&'o str>) -> ReadOptions<'o> {
        let include = &|path: &str| Err(IncludeError::Unreadable(format!("{path} is not there")));
        ReadOptions { signature: None, selector, found: None, diagrams, include }
    }

    fn read(
        source: Source,
        format: SpecFormat,
        selector: Option<&str>,
    ) -> Result<Spec, SourceError> {
        read_spec(source, format, &options(&DiagramOptions::default(), selector))
    }

    #[test]
    fn a_diagram_of_several_is_selected() {
        let block = |message: &str| format!("```mermaid\nsequenceDiagram\na->>b: {message}\n```\n");
        let text = format!(
            "# Log in, now!\n{}## Pay\n{}## Pay\n```mermaid\nsequenceDiagram\ntitle Refund\na->>b: r\n```\n",
            block("l"),
            block("p"),
        );
        let source = Source::new("SPEC.md", text);
        let message = |selector: &str| {
            let read = read(source.clone(), SpecFormat::Markdown, Some(selector));
            read.map_err(|error| error.lines().collect::<String>()).map(|spec| match spec {
                Spec::Interaction { drawing: Some(drawing), .. } => {
                    drawing.messages[0].label.clone()
                }
                other => format!("{other:?}"),
            })
        };
        for (selector, expected) in
            [("1", "l"), ("log-in-now", "l"), ("Log in, now!", "l"), ("2", "p"), ("refund", "r")]
        {
            assert_eq!(message(selector), Ok(expected.to_owned()), "{selector}");
        }
        let error = read(source.clone(), SpecFormat::Markdown, None).expect_err("several");
        assert_eq!(error.lines().collect::<String>(), "SPEC.md:8:1: this text holds 3 diagrams");
        let help = "help: name one: SPEC.md#1 (line 3, `Log in, now!`), SPEC.md#2 (line 8, `Pay`), \
                    SPEC.md#3 (line 13, `Pay`)";
        assert!(error.to_string().contains(help), "{error}");
        assert!(message("pay").expect_err("two").contains("2 diagrams are called `pay`"));
        assert!(message("9").expect_err("none").contains("no diagram `9` in this text"));
    }

    #[test]
    fn both_kinds_are_read() {
        let source = Source::new("a.hif", "l -- m ->|");
        let spec = read(source.clone(), SpecFormat::Hif, None).expect("an interaction");
        assert!(matches!(spec, Spec::Interaction { source: s, .. } if s == source));
        let text = "Ops x:0 Automaton A States q Final States q Transitions x -> q";
        let source = Source::new("a.timbuk", text);
        let spec = read(source.clone(), SpecFormat::Timbuk, None).expect("an automaton");
        assert!(matches!(spec, Spec::Automaton { automaton, .. } if automaton.states == ["q"]));
        let signature = Signature::default();
        let error = read_spec(
            source,
            SpecFormat::Timbuk,
            &ReadOptions {
                signature: Some(&signature),
                ..options(&DiagramOptions::default(), None)
            },
        );
        assert!(error.expect_err("a signature").to_string().contains("leave out the signature"));
    }
}
