//! Names, fields and limits that all batches of an input share, in every format.

use crate::field::{FieldId, FieldPath, Fields};

/// The input, and the fields to read of its records.
pub(crate) struct InputContext {
    /// The name of the input in errors.
    pub(crate) file: String,
    /// The fields that are asked for.
    pub(crate) fields: Fields,
    /// Those of them that are the same in all records.
    pub(crate) of_file: Vec<(FieldId, String)>,
    /// The longest record.
    pub(crate) max_bytes: usize,
}

impl InputContext {
    pub(crate) fn new(file: &str, fields: &Fields, max_bytes: usize) -> InputContext {
        let (fields, of_file) = (fields.clone(), of_file(file, fields));
        InputContext { file: file.to_owned(), fields, of_file, max_bytes }
    }
}

/// The asked-for fields that describe the file: `@file` is its name as it was given, `@stem` that name
/// without folders, endings of packed files, and one more ending.
fn of_file(name: &str, fields: &Fields) -> Vec<(FieldId, String)> {
    let value = |path: &FieldPath| match path.text() {
        "@file" => Some(name.to_owned()),
        "@stem" => Some(stem(name).to_owned()),
        _ => None,
    };
    fields.iter().filter_map(|(field, path)| Some((field, value(path)?))).collect()
}

/// Whether a field describes the file of a record.
pub(crate) fn is_of_file(path: &FieldPath) -> bool {
    matches!(path.text(), "@file" | "@stem")
}

/// ```text
/// logs/node-1.log.gz   node-1
/// ```
fn stem(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let unpacked = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(name);
    match unpacked.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => unpacked,
    }
}
