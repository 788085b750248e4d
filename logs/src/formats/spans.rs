//! Mappings of formats whose records are spans.

use super::log_format::Proposal;
use crate::format::Format;

/// The kind of a span without one, in formats that mostly have none for internal spans. No rule of `[spans]` is made for it, so
/// that every report tells such spans.
pub(crate) const NO_KIND: &str = "none";

/// The mapping of spans, whose fields have the same names in all formats.
pub(crate) fn proposal(format: Format) -> Proposal {
    Proposal::Whole(format!(
        "# Spans: client and producer emit, server and consumer receive.\n\
         [input]\nformat = \"{}\"\n\n\
         [spans]\n\
         # session = \"span.trace_id\"\n\
         # lifeline = \"resource.service.name\"\n\
         # A call is named after the end that is called; message = \"span.name\" leaves each span its own name.\n\
         message = [\"{{callee.span.name}}\", \"{{span.name}}\"]\n\
         # Answers of servers, which clients get back, as messages of their own:\n\
         # returns = true\n",
        format.name()
    ))
}
