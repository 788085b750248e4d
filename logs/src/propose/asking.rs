//! Questions in a proposed mapping, in place of parts that nothing tells.

use super::values::comment;
use std::fmt::Write;

/// How many likely fields a question shows.
const SHOWN: usize = 4;

/// Writes a question about a part of an event: why it is asked, the likeliest fields with their values, the best first,
/// and the line to complete.
pub(super) fn ask(
    out: &mut String,
    part: &str,
    why: &str,
    likely: impl IntoIterator<Item = String>,
    line: &str,
) {
    let _ = writeln!(out, "# {part}? {why}");
    for field in likely.into_iter().take(SHOWN) {
        let _ = writeln!(out, "#   {}", comment(&field));
    }
    let _ = writeln!(out, "# {line}");
}
