//! Mappings of formats whose records are spans.

use super::log_format::Proposal;
use crate::format::Format;

/// The mapping of spans, whose fields have the same names in all formats.
pub(crate) fn proposal(format: Format) -> Proposal {
    Proposal::Whole(format!(
        "# Spans: client and producer emit, server and consumer receive.\n\
         [input]\nformat = \"{}\"\n\n\
         [spans]\n\
         # session = \"span.trace_id\"\n\
         # lifeline = \"resource.service.name\"\n\
         # message = \"span.name\"\n\
         # What a server answers and a client gets back is a message of its own:\n\
         # returns = \"{{span.name}}_return\"\n",
        format.name()
    ))
}
