//! Where a specification is: a file, and which diagram of it, as in `SPEC.md#login`.

use crate::error::Error;
use crate::files;
use std::path::{Path, PathBuf};

/// A specification as it is named on a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecPath {
    /// The file.
    pub file: PathBuf,
    /// Its diagram, by number, title or heading, if the name says one.
    pub diagram: Option<String>,
}

impl SpecPath {
    /// Takes a name apart at the `#` behind the name of a file, unless it is the name of a file as a whole.
    ///
    /// ```
    /// use multitrace::SpecPath;
    /// let path = SpecPath::of("docs/SPEC.md#2".as_ref());
    /// assert_eq!(path.file.to_str(), Some("docs/SPEC.md"));
    /// assert_eq!(path.diagram.as_deref(), Some("2"));
    /// ```
    pub fn of(path: &Path) -> SpecPath {
        let text = path.to_str().filter(|_| !path.exists());
        let parts = text.and_then(|text| at_file(text).or_else(|| at_last(text)));
        match parts {
            Some((file, diagram)) => {
                SpecPath { file: file.into(), diagram: Some(diagram.to_owned()) }
            }
            None => SpecPath { file: path.to_owned(), diagram: None },
        }
    }

    /// The bytes of the file, at most 1 GiB; `-` is standard input.
    ///
    /// # Errors
    /// When the file cannot be read, or is larger.
    pub fn read(&self) -> Result<Vec<u8>, Error> {
        files::read_or_stdin(&self.file)
    }

    /// The path of a file beside this one, with another extension. The diagram is part of the name.
    pub fn with_extension(&self, extension: &str) -> PathBuf {
        let Some(diagram) = &self.diagram else { return self.file.with_extension(extension) };
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        let diagram: String = diagram.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
        self.file.with_file_name(format!("{stem}-{diagram}.{extension}"))
    }
}

/// The name of a file that is there, and the text after its `#`.
fn at_file(text: &str) -> Option<(&str, &str)> {
    let parts = text.match_indices('#').map(|(at, _)| (&text[..at], &text[at + 1..]));
    parts.into_iter().find(|(file, _)| Path::new(file).is_file())
}

/// The parts around the last `#` of the last name of a path.
fn at_last(text: &str) -> Option<(&str, &str)> {
    let (file, diagram) = text.rsplit_once('#')?;
    (!file.is_empty() && !diagram.contains('/')).then_some((file, diagram))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_apart() {
        let of = |text: &str| SpecPath::of(text.as_ref());
        assert_eq!(of("a#b/c.hif").diagram, None);
        assert_eq!(of("#x").diagram, None);
        assert_eq!(of("x/S.md#Log in").with_extension("mtb"), Path::new("x/S-Log-in.mtb"));
        assert_eq!(of("x/S.md").with_extension("mtb"), Path::new("x/S.mtb"));
    }
}
