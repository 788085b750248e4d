//! Headers of the lines of a text log: a time, a level, a logger. They are the same for all lines.

use super::guesses::{EXACT, MOST_LIFELINES};
use super::templates::{blanks, is_behind_key};
use super::token::{Token, TokenType};
use regex_automata::meta::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// The share of lines that must agree on a column: some lines of any log are of another form.
const MOST: f64 = 0.9;

/// How many columns a header may have: the longest of usual formats have half of it.
const MOST_COLUMNS: usize = 12;

/// How many tokens all lines begin with before their text.
pub(super) fn header_length(lines: &[&str], tokens: &[Vec<Token>]) -> usize {
    let mut length = 0;
    let directions = Regex::new(EXACT).expect("tested in its file");
    for column in 0..MOST_COLUMNS {
        let is_direction = |line: &str, tokens: &[Token]| {
            Some(directions.is_match(&line[tokens.get(column)?.text.clone()]))
        };
        // The text begins with whether something was sent or received, whatever signs stand behind it.
        if common(lines, tokens, is_direction) == Some(true) {
            let is_name = length + 1 == column && are_names(lines, tokens, length);
            return if is_name { column } else { length };
        }
        let Some(form) = common(lines, tokens, |line, tokens| form(line, tokens, column)) else {
            break;
        };
        let next = common(lines, tokens, |line, tokens| sign_before(line, tokens, column + 1));
        let is_sign = |at: usize| {
            common(lines, tokens, |line, tokens| Some(tokens.get(at)?.is_sign(line))) == Some(true)
        };
        let is_closed = next.is_some_and(|sign| sign.contains([':', ']', '[', '{', '|']))
            || is_sign(column + 1) && !is_sign(column);
        if is_closed || matches!(form.1, ColumnForm::Marked) {
            length = column + 1;
        }
    }
    length
}

/// Whether words stand in a column that are names of who logged a line, as those before `sent` are: some, each in several lines.
fn are_names(lines: &[&str], tokens: &[Vec<Token>], column: usize) -> bool {
    let word = |(line, tokens): (&&'_ str, &Vec<Token>)| {
        let token = tokens.get(column).filter(|it| it.kind == TokenType::Word)?;
        Some(line[token.text.clone()].to_owned())
    };
    let words: Option<BTreeSet<String>> = lines.iter().zip(tokens).map(word).collect();
    words.is_some_and(|it| (2..=MOST_LIFELINES).contains(&it.len()) && it.len() * 2 <= lines.len())
}

/// The kind of values in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ColumnForm {
    /// Times, levels, clocks: they stand in headers and seldom behind.
    Marked,
    Number,
    Name,
}

fn form(line: &str, tokens: &[Token], column: usize) -> Option<(String, ColumnForm)> {
    let token = tokens.get(column)?;
    let form = match token.kind {
        TokenType::Time(_) | TokenType::Level | TokenType::Clock => ColumnForm::Marked,
        TokenType::Number => ColumnForm::Number,
        _ => ColumnForm::Name,
    };
    let key = key(line, tokens, column).unwrap_or("");
    Some((blanks(&line[token.before.clone()]) + key, form))
}

fn sign_before(line: &str, tokens: &[Token], column: usize) -> Option<String> {
    Some(blanks(&line[tokens.get(column)?.before.clone()]))
}

/// The signs before the columns of a line, and the keys among them: lines that begin alike have the same.
pub(super) fn signs(line: &str, tokens: &[Token], length: usize) -> Vec<String> {
    let sign = |column| {
        let key = (column < length).then(|| key(line, tokens, column)).flatten();
        Some(sign_before(line, tokens, column)? + key.unwrap_or(""))
    };
    (0..=length).filter_map(sign).collect()
}

/// The word of a column, if it is the key of a value behind it.
fn key<'l>(line: &'l str, tokens: &[Token], column: usize) -> Option<&'l str> {
    let next = tokens.get(column + 1)?;
    is_behind_key(&line[next.before.clone()]).then(|| &line[tokens[column].text.clone()])
}

/// The value that most lines have.
pub(super) fn common<T: Ord>(
    lines: &[&str],
    tokens: &[Vec<Token>],
    of: impl Fn(&str, &[Token]) -> Option<T>,
) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for (line, tokens) in lines.iter().zip(tokens) {
        if let Some(value) = of(line, tokens) {
            *counts.entry(value).or_default() += 1;
        }
    }
    let (value, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (count as f64 >= MOST * lines.len() as f64).then_some(value)
}
