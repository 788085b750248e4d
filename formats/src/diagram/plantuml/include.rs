//! How included files are read.

/// Reads the text of a file below the folder of the specification that `!include` names; the crate
/// opens no file itself.
pub type Include<'a> = dyn Fn(&str) -> Result<String, String> + 'a;
