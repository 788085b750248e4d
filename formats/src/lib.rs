//! Text and bytes in, types out. Nothing here opens a file or prints: callers hand in texts and
//! readers, and get values, or errors that show the place and the remedy.
//!
//! * [`hsf`], [`hif`], [`htf`]: the formats of HIBOU (paper 000 sec. 7.1);
//! * [`timbuk`]: automata; [`spec`]: either kind of specification, by the extension of its file;
//! * [`locations`]: which lifelines or letters are logged by one clock;
//! * [`sessions`]: multi-traces read against an alphabet, from `.htf` files and JSON Lines;
//! * [`bundle`]: compiled specifications;
//! * [`source`]: places in texts, and the errors that all of these report; [`suggest`], [`shorten`]:
//!   names in messages; [`warning`]: parts of a specification that are most likely not meant;
//! * [`json_cursor`]: lines of JSON in place; [`content_cache`]: earlier results, by the text they are for;
//! * words that several crates share: [`place`], [`problem`], [`record_counts`], [`selection`],
//!   [`workers`].

pub mod bundle;
pub mod content_cache;
mod cursor;
pub mod diagram;
pub mod hif;
pub mod hsf;
pub mod htf;
pub mod json_cursor;
mod lexer;
pub mod locations;
pub mod open;
mod other_diagrams;
pub mod place;
pub mod problem;
pub mod record_counts;
pub mod record_kinds;
pub mod remedy;
pub mod selection;
pub mod sessions;
pub mod shorten;
pub mod source;
pub mod spec;
pub mod suggest;
pub mod timbuk;
pub mod warning;
pub mod workers;
