//! How included files are read.

/// Reads the text of a file that `!include` names, by its path from the folder of the specification; the
/// crate opens no file itself. A name in an included file is joined to the folder of that file, and may
/// hold `..`.
pub type Include<'a> = dyn Fn(&str) -> Result<String, String> + 'a;
