//! Tests of diagrams as they were drawn.
