//! Look-ahead from single locations: whether the rest of each local trace can
//! still be read.

pub(crate) mod dead_ends;
mod lazy_rows;
pub(crate) mod local_analysis;
pub(crate) mod local_pass;
pub(crate) mod tied_rows;
