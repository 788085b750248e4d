//! Specifications of either kind, by the extension of their file.

use crate::hif::{self, ParsedSpec};
use crate::source::{Diagnostic, Source, SourceError, Span};
use crate::timbuk::{self, Timbuk};
use multitrace_interaction::{Interaction, Signature};
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

/// A specification as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// An interaction.
    Interaction {
        /// Its lifelines and messages.
        signature: Signature,
        /// The interaction.
        interaction: Interaction,
        /// Where each node is written, by the index of its id.
        spans: Vec<Span>,
        /// Where it was read from.
        source: Source,
    },
    /// An automaton, and where it was read from.
    Automaton(Timbuk, Source),
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
            let ParsedSpec { signature, interaction, spans } = hif::parse(&source, signature)?;
            Ok(Spec::Interaction { signature, interaction, spans, source })
        }
        SpecFormat::Timbuk if signature.is_some() => {
            let message = "a signature was given, but an automaton has no lifelines and messages";
            let error = Diagnostic::new(Span::default(), message, "an automaton");
            Err(SourceError::new(source, error.with_help("leave out the signature")))
        }
        SpecFormat::Timbuk => Ok(Spec::Automaton(timbuk::parse(&source)?, source)),
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
        assert!(matches!(spec, Spec::Automaton(timbuk, _) if timbuk.states == ["q"]));
        let error = read_spec(source, SpecFormat::Timbuk, Some(Signature::default()));
        assert!(error.expect_err("a signature").to_string().contains("leave out the signature"));
    }
}
