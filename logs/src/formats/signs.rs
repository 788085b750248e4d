//! Signs of formats that every build recognises, whether it can read them or not.

use super::log_format::{Head, Sign};

pub(crate) fn of_parquet(head: &Head<'_>) -> Option<Sign> {
    let magic = head.bytes().starts_with(b"PAR1").then_some(Sign::Magic);
    magic.or_else(|| head.has_extension(&["parquet"]))
}

/// Files begin with a magic, streams with a marker of four bytes and a length.
pub(crate) fn of_arrow_ipc(head: &Head<'_>) -> Option<Sign> {
    let bytes = head.bytes();
    let is_stream = bytes.starts_with(&[0xff; 4]) && bytes.len() > 8;
    let magic = (bytes.starts_with(b"ARROW1") || is_stream).then_some(Sign::Magic);
    magic.or_else(|| head.has_extension(&["arrow", "arrows", "feather"]))
}
