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

/// The order where it is asked for: no mapping can be read with it. Without an order, that of the file would count.
pub(super) const NO_ORDER: &str = "order = []";

/// Writes a question about the order, and lines that no mapping can be read with until it is answered.
pub(super) fn ask_order(
    out: &mut String,
    why: &str,
    likely: impl IntoIterator<Item = String>,
    line: &str,
) {
    ask(out, "order", why, likely, line);
    let _ = writeln!(
        out,
        "# Without `order`, that of the file is the local order: take this line away if the oldest record stands first.\n\
         {NO_ORDER}"
    );
}
