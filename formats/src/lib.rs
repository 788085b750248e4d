//! Text and bytes in, types out.

mod cursor;
pub mod bundle;
pub mod hif;
pub mod hsf;
pub mod htf;
mod lexer;
pub mod sessions;
pub mod source;
mod suggest;
