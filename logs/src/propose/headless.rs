//! Tables whose first row is a record as the others are, and does not name the columns.

use crate::format::Format;
use crate::formats::{MAX_RECORDS, Proposal};
use crate::mapping::{OrderKey, TimeFormat, expand_pattern};
use crate::survey::Survey;
use std::collections::BTreeSet;

const CELLS: &str = "The first row has values and no names of columns, so the cells are called c1, c2 and so on. Give them names.";
const PAIRS: &str = "Each cell has its name before it.";

/// How many columns must have a value of the first row in other rows, too: one may be called like one of its values.
const LEAST_SAME: usize = 2;

/// The survey of such a table by a pattern with a group for each cell; `None` for other inputs.
pub(super) fn survey(file: &str, of: &Survey) -> Option<Survey> {
    let delimiter = match (of.format, &of.proposal) {
        (Format::Csv, Proposal::Fields { delimiter, .. }) => delimiter.unwrap_or(b','),
        (Format::Tsv, _) => b'\t',
        _ => return None,
    };
    let lines = of.lines.lines().filter(|line| !line.trim().is_empty()).take(MAX_RECORDS);
    let cells = |line| str::split(line, char::from(delimiter)).map(|cell| cell.trim_matches('"'));
    let rows: Vec<Vec<&str>> = lines.map(|line| cells(line).collect()).collect();
    let (first, others) = rows.split_first().filter(|(_, others)| !others.is_empty())?;
    let keys: Vec<Option<&str>> = (0..first.len()).map(|at| common_key(&rows, at)).collect();
    let names: BTreeSet<String> = keys.iter().flatten().map(|key| group_name(key)).collect();
    let are_pairs = names.len() == first.len();
    if !are_pairs && !is_record(first, others) {
        return None;
    }
    let sign = match delimiter {
        b'\t' => r"\t".to_owned(),
        b'|' => r"\|".to_owned(),
        other => char::from(other).to_string(),
    };
    // A cell in quotes may not hold the delimiter.
    let quote = if of.lines.contains('"') { "\"" } else { "" };
    let mark = if quote.is_empty() { "" } else { "\"?" };
    let (mut groups, mut fields) = (Vec::new(), Vec::new());
    for (at, key) in keys.iter().enumerate() {
        let name = key.filter(|_| are_pairs).map_or_else(|| format!("c{}", at + 1), group_name);
        let cell = format!("{mark}(?<{name}>[^{}{quote}]*){mark}", sign.replace(r"\|", "|"));
        groups.push(match key.filter(|_| are_pairs) {
            Some(key) => format!(r"\s*{key}:\s+{cell}"),
            None => cell,
        });
        fields.push(name);
    }
    let pattern = format!("^{}$", groups.join(&sign));
    let regex = expand_pattern(&[], &pattern)?;
    let why = if are_pairs { PAIRS } else { CELLS };
    of.by_pattern(file, (pattern, regex, why), &fields).ok()
}

/// The name before the values of a column, `level: info`, if it is the same in all rows.
fn common_key<'r>(rows: &[Vec<&'r str>], at: usize) -> Option<&'r str> {
    let key = |row: &Vec<&'r str>| {
        let (key, _) = row.get(at)?.trim_start().split_once(": ")?;
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        (key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(is_part))
            .then_some(key)
    };
    let first = key(rows.first()?)?;
    rows.iter().all(|row| key(row) == Some(first)).then_some(first)
}

/// A name as that of a group. `line` and `pattern` are fields of every line of text.
fn group_name(key: &str) -> String {
    let name = key.replace('-', "_");
    if matches!(&*name, "line" | "pattern") { format!("{name}_value") } else { name }
}

/// Whether a first row is a record: a cell is a number or a time as all of its column are, or cells stand in other rows, too.
fn is_record(first: &[&str], others: &[Vec<&str>]) -> bool {
    let is_value =
        |cell: &str| OrderKey::parse(cell).is_some() || TimeFormat::fitting(cell).is_some();
    let column = |at: usize| others.iter().filter_map(move |row| row.get(at).copied());
    let are_values = |at: usize| is_value(first[at]) && column(at).all(is_value);
    // A header may come again.
    let others_with = |at: usize| {
        let other_rows = others.iter().filter(|row| row[..] != *first);
        other_rows.filter(move |row| row.get(at) == Some(&first[at])).count()
    };
    let same = (0..first.len()).filter(|at| !first[*at].is_empty() && others_with(*at) > 0);
    (0..first.len()).any(are_values) || same.count() >= LEAST_SAME
}
