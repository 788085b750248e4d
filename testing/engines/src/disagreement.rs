//! Differences between two ways to decide.

/// A difference, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement(pub(crate) String);

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Disagreement {}

impl From<String> for Disagreement {
    fn from(text: String) -> Disagreement {
        Disagreement(text)
    }
}
