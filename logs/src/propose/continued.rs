//! Records of several lines in a text log: their first lines begin with a time or a level, and the others with blanks, or all have
//! as many lines.

use super::token::{TokenType, Tokenizer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The first lines of records of several lines.
pub(super) struct FirstLines<'t> {
    /// Where most records have more lines, these stand behind the first one of each.
    pub(super) lines: Vec<Cow<'t, str>>,
    /// The signs before the time or level of each, and its form.
    pub(super) begin: (&'t str, TokenType),
    /// How many lines are not the first ones.
    pub(super) others: usize,
}

/// The first lines of records, if lines without a time go on with the record before them: most of these begin with a blank, as
/// those of statements and stack traces do, or all records have as many lines.
pub(super) fn first_lines<'t>(lines: &[&'t str]) -> Option<FirstLines<'t>> {
    let is_time = |kind| matches!(kind, TokenType::Time(_));
    begun_by(lines, is_time).or_else(|| begun_by(lines, |kind| kind == TokenType::Level))
}

/// The same for first lines that begin with a value of such a type.
fn begun_by<'t>(lines: &[&'t str], is_begin: impl Fn(TokenType) -> bool) -> Option<FirstLines<'t>> {
    let tokenizer = Tokenizer::new();
    let begins = lines.iter().map(|line| begin(&tokenizer, line, &is_begin));
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
    let firsts: Vec<usize> = (start..lines.len()).filter(is_first).collect();
    let ends = firsts.iter().copied().skip(1).chain([lines.len()]);
    let records = firsts.iter().zip(ends).map(|(from, to)| &lines[*from..to]);
    let records: Vec<&[&str]> = records.collect();
    let with_more = records.iter().filter(|it| it.len() > 1).count();
    let are_alike = records.windows(2).all(|two| two[0].len() == two[1].len());
    let are_parts = count > 1 && others > 0 && (indented * 2 >= others || are_alike);
    let is_in_more = with_more * 10 >= records.len() * MOST_OF_TEN;
    let text = |record: &&[&'t str]| match is_in_more {
        true => Cow::Owned(record[..record.len().min(MOST_LINES)].join("\n")),
        false => Cow::Borrowed(record[0]),
    };
    are_parts.then(|| FirstLines { lines: records.iter().map(text).collect(), begin, others })
}

/// From which share of records with more lines on these say what happened, in tenths: some records of any log have a stack trace.
const MOST_OF_TEN: usize = 9;

/// How many lines of a record are looked at: further ones are a dump.
const MOST_LINES: usize = 4;

/// The signs before the value at the beginning of a line, and its type.
fn begin<'t>(
    tokenizer: &Tokenizer,
    line: &'t str,
    is_begin: impl Fn(TokenType) -> bool,
) -> Option<(&'t str, TokenType)> {
    let token = tokenizer.tokens(line, 1).into_iter().next()?;
    let before = &line[token.before];
    (is_begin(token.kind) && !before.starts_with(char::is_whitespace))
        .then_some((before, token.kind))
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
        let whole = |text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            first_lines(&lines).map(|it| it.lines[0].clone().into_owned())
        };
        assert_eq!(whole("info: a\n  b\nwarn: c\n  d").as_deref(), Some("info: a\n  b"));
        assert_eq!(whole("=INFO a\nb\n=INFO c\nd").as_deref(), Some("=INFO a\nb"));
        let one = "[2024-05-01 12:00:00] a";
        let trace = format!("start\n{one}\nFailure: b\n\tat c\n{one}");
        assert_eq!(first(&trace), Some((2, "[".to_owned(), 2)));
        assert_eq!(first(&format!("{one}\n{one}")), None);
        assert_eq!(first(&format!("{one}\nb\nc\n{one}")), None);
        assert_eq!(first(&format!("{one}\n b")), None);
        assert_eq!(first("a\n b"), None);
    }
}
