//! What the reader makes of whole diagrams.
