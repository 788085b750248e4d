//! How a text is split.
