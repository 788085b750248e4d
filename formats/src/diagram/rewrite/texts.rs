//! How texts are written.

/// The form of all texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Texts {
    /// As they stand in the source, where the notation stays.
    Kept,
    /// With the signs that are needed.
    Marked,
    /// With numbers for all but letters, digits and blanks.
    Numbered,
}
