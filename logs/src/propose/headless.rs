//! Tables whose first row is a record as the others are, and does not name the columns.

use crate::format::Format;
use crate::formats::{MAX_RECORDS, Proposal};
use crate::mapping::{OrderKey, TimeFormat, expand_pattern};
use crate::survey::Survey;
use std::collections::BTreeSet;

const CELLS: &str = "The first row has values and no names of columns, so the cells are called c1, c2 and so on. Give them names.";
const OF_POSTGRES: &str = "These are the columns of PostgreSQL's csvlog. A statement over several lines is read if the log is loaded into a table and written with its names.";

/// The columns of PostgreSQL's csvlog; older versions lack the last ones.
const POSTGRES: [&str; 26] = [
    "log_time",
    "user_name",
    "database_name",
    "pid",
    "connection_from",
    "session_id",
    "session_line_num",
    "command_tag",
    "session_start_time",
    "virtual_transaction_id",
    "transaction_id",
    "error_severity",
    "sql_state_code",
    "message",
    "detail",
    "hint",
    "internal_query",
    "internal_query_pos",
    "context",
    "query",
    "query_pos",
    "location",
    "application_name",
    "backend_type",
    "leader_pid",
    "query_id",
];

/// How many of them the oldest version has.
const LEAST_OF_POSTGRES: usize = 22;

/// Whether rows are those of PostgreSQL's csvlog: a severity and five letters of a state stand in their columns.
fn of_postgres(rows: &[Vec<&str>]) -> bool {
    const SEVERITIES: [&str; 9] =
        ["LOG", "ERROR", "FATAL", "PANIC", "WARNING", "NOTICE", "INFO", "DEBUG", "DEBUG1"];
    let is_one = |row: &Vec<&str>| {
        SEVERITIES.contains(&row[11]) && row[12].len() == 5 && row[5].contains('.')
    };
    let mut whole =
        rows.iter().filter(|row| (LEAST_OF_POSTGRES..=POSTGRES.len()).contains(&row.len()));
    whole.clone().count() * 2 > rows.len() && whole.all(is_one)
}

const PAIRS: &str = "Each cell has its name before it.";

/// How many columns must have a value of the first row in other rows, too: one may be called like one of its values.
const LEAST_SAME: usize = 2;

/// The survey of such a table by a pattern with a group for each cell; `None` for other inputs.
pub(super) fn survey<'r>(file: &str, of: &'r Survey) -> Option<Survey> {
    let delimiter = match (of.format, &of.proposal) {
        (Format::Csv, Proposal::Fields { delimiter, .. }) => delimiter.unwrap_or(b','),
        (Format::Tsv, _) => b'\t',
        _ => return None,
    };
    let lines = of.lines.lines().filter(|line| !line.trim().is_empty()).take(MAX_RECORDS);
    let written: Vec<Vec<&str>> = lines.map(|line| cells(line, char::from(delimiter))).collect();
    let bare = |cell: &&'r str| cell.trim_matches('"');
    let rows = written.iter().map(|row| row.iter().map(bare).collect());
    let rows: Vec<Vec<&str>> = rows.collect();
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
    let is_postgres = of_postgres(&rows);
    let (mut groups, mut fields) = (Vec::new(), Vec::new());
    for (at, key) in keys.iter().enumerate() {
        let key = key.filter(|_| are_pairs);
        let known = POSTGRES.get(at).filter(|_| is_postgres).map(|name| (*name).to_owned());
        let name = key.map(group_name).or(known).unwrap_or_else(|| format!("c{}", at + 1));
        let column = written.iter().filter_map(|row| row.get(at).copied());
        let cell = cell(&name, &sign, key, column);
        groups.push(match key {
            Some(key) => format!(r"\s*{key}:\s+{cell}"),
            None => cell,
        });
        fields.push(name);
    }
    let pattern = format!("^{}$", groups.join(&sign));
    let regex = expand_pattern(&[], &pattern)?;
    let why = match () {
        () if are_pairs => PAIRS,
        () if is_postgres => OF_POSTGRES,
        () => CELLS,
    };
    of.by_pattern(file, (pattern, regex, why), &fields).ok()
}

/// How many lines a title may have.
const MOST_TITLE_LINES: usize = 20;

/// The number of the line with the names of columns, from 1, if other lines stand above it: rows with fewer cells, as spreadsheets
/// export titles.
pub(super) fn line_below_title(of: &Survey) -> Option<usize> {
    let delimiter = match (of.format, &of.proposal) {
        // The title says nothing of the delimiter.
        (Format::Csv, Proposal::Fields { delimiter, .. }) => {
            delimiter.unwrap_or_else(|| most_cells(&of.lines))
        }
        (Format::Tsv, _) => b'\t',
        _ => return None,
    };
    let written = of.lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let count = |line: &str| {
        let all = cells(line, char::from(delimiter));
        all.iter().filter(|cell| !cell.trim_matches('"').trim().is_empty()).count()
    };
    let rows: Vec<(usize, &str, usize)> =
        written.take(MAX_RECORDS).map(|(at, line)| (at, line, count(line))).collect();
    let most = rows.iter().map(|(.., count)| *count).max()?;
    let title = rows.iter().take_while(|(.., count)| *count * 2 <= most).count();
    let (at, names, count) = rows.get(title).filter(|_| (1..=MOST_TITLE_LINES).contains(&title))?;
    let are_names = cells(names, char::from(delimiter)).iter().all(|cell| {
        cell.trim_matches('"').starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '@')
    });
    (*count > 1 && *count == most && are_names).then_some(at + 1)
}

/// The delimiter that gives the last line most cells.
fn most_cells(lines: &str) -> u8 {
    let last = lines.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("");
    let count = |sign: &u8| cells(last, char::from(*sign)).len();
    [b'\t', b'|', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

/// The cells of a row as they are written; a delimiter inside of quotes parts none.
fn cells(line: &str, delimiter: char) -> Vec<&str> {
    let mut is_quoted = false;
    let parts = line.split(|c: char| {
        is_quoted ^= c == '"';
        c == delimiter && !is_quoted
    });
    parts.collect()
}

/// The pattern of a cell, behind its key if it has one.
fn cell<'r>(
    name: &str,
    sign: &str,
    key: Option<&str>,
    column: impl Iterator<Item = &'r str>,
) -> String {
    let value = |cell: &'r str| {
        let behind = key.and_then(|key| cell.trim_start().strip_prefix(key)?.strip_prefix(':'));
        behind.map_or(cell, str::trim_start)
    };
    let column: Vec<&str> = column.map(value).collect();
    let is_quoted = |cell: &&str| cell.len() > 1 && cell.starts_with('"') && cell.ends_with('"');
    let sign = sign.replace(r"\|", "|");
    match () {
        () if column.iter().all(is_quoted) => format!(r#""(?<{name}>(?:[^"]|"")*)""#),
        // A cell without quotes ends at the delimiter.
        () if column.iter().any(|cell| cell.contains('"')) => {
            format!(r#""?(?<{name}>[^{sign}"]*)"?"#)
        }
        () => format!("(?<{name}>[^{sign}]*)"),
    }
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
pub(super) fn group_name(key: &str) -> String {
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
