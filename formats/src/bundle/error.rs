//! Why a file is refused as a bundle: one variant per remedy.

/// Errors in the bytes of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// The magic number is missing: some other kind of file.
    #[error("this is not a multitrace bundle; make one with ‹compile›")]
    NotABundle,
    /// The bundle of one location, where that of all is needed.
    #[error(
        "this is the bundle of one location, for ‹local›; give the whole bundle, which ‹compile› wrote beside it"
    )]
    OneLocation,
    /// The bundle of all locations, where that of one is needed.
    #[error("this is the bundle of all locations; give that of one, which ‹split› writes")]
    AllLocations,
    /// Written by a version with another format.
    #[error(
        "bundle format {found} is not the format {expected} this version reads; compile the specification again"
    )]
    WrongVersion {
        /// The version in the file.
        found: u32,
        /// The version this code reads.
        expected: u32,
    },
    /// The file ends before the length it announces.
    #[error("the bundle is truncated: {found} of {expected} bytes; copy or compile it again")]
    Truncated {
        /// How many bytes there are.
        found: u64,
        /// How many there should be.
        expected: u64,
    },
    /// The bytes are not those that were written, or were not written by this tool.
    #[error("the bundle is corrupt ({0}); compile it again")]
    Corrupt(String),
}
