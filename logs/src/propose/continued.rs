//! Records of several lines in a text log: their first lines begin with a time, and the others with blanks.

use super::token::{TokenType, Tokenizer};
use std::collections::BTreeMap;

/// The first lines of records of several lines.
pub(super) struct FirstLines<'t> {
    pub(super) lines: Vec<&'t str>,
    /// The signs before the time of each, and the form of the time.
    pub(super) begin: (&'t str, TokenType),
    /// How many lines are not the first ones.
    pub(super) others: usize,
}

/// The first lines of records, if lines without a time go on with the record before them: most of these begin with a blank, as
/// those of statements and stack traces do.
pub(super) fn first_lines<'t>(lines: &[&'t str]) -> Option<FirstLines<'t>> {
    let tokenizer = Tokenizer::new();
    let begins = lines.iter().map(|line| begin(&tokenizer, line));
    let begins: Vec<Option<(&str, TokenType)>> = begins.collect();
    let mut counts: BTreeMap<(&str, TokenType), usize> = BTreeMap::new();
    begins.iter().flatten().for_each(|begin| *counts.entry(*begin).or_default() += 1);
    let (begin, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let is_first = |at: &usize| begins[*at] == Some(begin);
    let start = (0..lines.len()).find(is_first)?;
    let others = (start..lines.len()).filter(|at| !is_first(at));
    let (indented, others) = others.fold((0, 0), |(indented, others), at| {
        (indented + usize::from(lines[at].starts_with([' ', '\t'])), others + 1)
    });
    let are_parts = count > 1 && others > 0 && indented * 2 >= others;
    let first = (0..lines.len()).filter(is_first).map(|at| lines[at]);
    are_parts.then(|| FirstLines { lines: first.collect(), begin, others })
}

/// The signs before the time at the beginning of a line, and the form of the time.
fn begin<'t>(tokenizer: &Tokenizer, line: &'t str) -> Option<(&'t str, TokenType)> {
    let token = tokenizer.tokens(line, 1).into_iter().next()?;
    let is_time = matches!(token.kind, TokenType::Time(_));
    let before = &line[token.before];
    (is_time && !before.starts_with(char::is_whitespace)).then_some((before, token.kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_a_time_go_on_with_the_record_before_them() {
        let first = |text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            first_lines(&lines).map(|it| (it.lines.len(), it.begin.0.to_owned(), it.others))
        };
        let one = "[2024-05-01 12:00:00] a";
        let trace = format!("start\n{one}\nFailure: b\n\tat c\n{one}");
        assert_eq!(first(&trace), Some((2, "[".to_owned(), 2)));
        assert_eq!(first(&format!("{one}\n{one}")), None);
        assert_eq!(first(&format!("{one}\nb\nc\n{one}")), None);
        assert_eq!(first(&format!("{one}\n b")), None);
        assert_eq!(first("a\n b"), None);
    }
}
