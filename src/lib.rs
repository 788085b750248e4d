//! The command line tool.
