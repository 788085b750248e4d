//! Exit codes.

/// How a command ended; the codes are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Clean = 0,
    Violations = 1,
    Error = 2,
    NothingChecked = 3,
}
