//! `multitrace.toml`: defaults for the command line.
