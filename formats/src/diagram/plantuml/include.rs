//! How included files are read.

/// Reads the text of a file that `!include` names, by its path from the folder of the specification; the
/// crate opens no file itself. A name in an included file is joined to the folder of that file, and may
/// hold `..`.
pub type Include<'a> = dyn Fn(&str) -> Result<String, IncludeError> + 'a;

/// Why a file is not included.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IncludeError {
    /// The specification is not in a file.
    #[error("a text without a file includes none")]
    NoFolder,
    /// The file is elsewhere.
    #[error("it is not below the folder of the specification")]
    Outside,
    /// The file cannot be read.
    #[error("{0}")]
    Unreadable(String),
}
