//! Specifications of either kind, by the extension of their file.

use crate::hif::{self, ParsedSpec};
use crate::source::{Diagnostic, Source, SourceError, Span};
use crate::timbuk::{self, Timbuk};
use multitrace_interaction::Signature;
use std::path::Path;

/// What a file of a specification holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecFormat {
    /// An interaction, `.hif`.
    Hif,
    /// An automaton, `.timbuk`.
    Timbuk,
}

/// The extension of a file is not that of a specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{path}: not a specification by its extension; known are .hif (interactions) and .timbuk (automata)"
)]
pub struct UnknownExtension {
    /// The path.
    pub path: String,
}

impl SpecFormat {
    /// The format that the extension of a path tells, in capitals or not.
    ///
    /// # Errors
    /// When it is neither `.hif` nor `.timbuk`.
    ///
    /// ```
    /// use multitrace_formats::spec::SpecFormat;
    /// assert_eq!(SpecFormat::of_path("a/b.hif".as_ref()), Ok(SpecFormat::Hif));
    /// assert!(SpecFormat::of_path("a/b.hsf".as_ref()).is_err());
    /// ```
    pub fn of_path(path: &Path) -> Result<SpecFormat, UnknownExtension> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("hif") => Ok(SpecFormat::Hif),
            Some("timbuk") => Ok(SpecFormat::Timbuk),
            _ => Err(UnknownExtension { path: path.display().to_string() }),
        }
    }
}

/// The words that begin the sections of an automaton.
const SECTIONS: [&str; 5] = ["Ops", "Automaton", "States", "Final", "Transitions"];

impl SpecFormat {
    /// The format of a text without a name that tells it: an automaton begins with a section, and
    /// all else is an interaction.
    ///
    /// ```
    /// use multitrace_formats::spec::SpecFormat;
    /// assert_eq!(SpecFormat::of_text("Ops a:1 q0:0"), SpecFormat::Timbuk);
    /// assert_eq!(SpecFormat::of_text("Ops -- m -> b"), SpecFormat::Hif);
    /// ```
    pub fn of_text(text: &str) -> SpecFormat {
        let mut words = text.trim_start_matches('\u{feff}').split_whitespace();
        let is_section = words.next().is_some_and(|first| SECTIONS.contains(&first));
        let is_message = matches!(words.next(), Some("--" | "->"));
        if is_section && !is_message { SpecFormat::Timbuk } else { SpecFormat::Hif }
    }
}

/// A specification as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// An interaction.
    Interaction {
        /// The interaction, with the places of its parts.
        parsed: ParsedSpec,
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

/// Reads a specification. A signature restricts the names of an interaction.
///
/// # Errors
/// Those of [`hif::parse`] and [`timbuk::parse`]; a signature given for an automaton, which has
/// neither lifelines nor messages.
pub fn read_spec(
    source: Source,
    format: SpecFormat,
    signature: Option<Signature>,
) -> Result<Spec, SourceError> {
    match format {
        SpecFormat::Hif => {
            let parsed = hif::parse(&source, signature)?;
            Ok(Spec::Interaction { parsed, source })
        }
        SpecFormat::Timbuk if signature.is_some() => {
            let message = "a signature was given, but an automaton has no lifelines and messages";
            let error = Diagnostic::new(Span::default(), message, "an automaton");
            Err(SourceError::new(source, error.with_help("leave out the signature")))
        }
        SpecFormat::Timbuk => {
            let (automaton, spans) = timbuk::parse_with_spans(&source)?;
            Ok(Spec::Automaton { automaton, spans, source })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_tells_the_format() {
        assert_eq!(SpecFormat::of_path("x.TIMBUK".as_ref()), Ok(SpecFormat::Timbuk));
        let error = SpecFormat::of_path("dir.hif/x".as_ref()).expect_err("no extension");
        assert!(error.to_string().starts_with("dir.hif/x: not a specification"), "{error}");
    }

    #[test]
    fn both_kinds_are_read() {
        let source = Source::new("a.hif", "l -- m ->|");
        let spec = read_spec(source.clone(), SpecFormat::Hif, None).expect("an interaction");
        assert!(matches!(spec, Spec::Interaction { source: s, .. } if s == source));
        let text = "Ops x:0 Automaton A States q Final States q Transitions x -> q";
        let source = Source::new("a.timbuk", text);
        let spec = read_spec(source.clone(), SpecFormat::Timbuk, None).expect("an automaton");
        assert!(matches!(spec, Spec::Automaton { automaton, .. } if automaton.states == ["q"]));
        let error = read_spec(source, SpecFormat::Timbuk, Some(Signature::default()));
        assert!(error.expect_err("a signature").to_string().contains("leave out the signature"));
    }
}
