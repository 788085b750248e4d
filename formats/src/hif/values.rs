//! Values of names: `for $c in …`, ranges, and variables.

use super::expansion::Bound;
use super::parser::Parser;
use crate::lexer::TokenKind;
use crate::source::{Diagnostic, Span, quote};
use multitrace_interaction::{NodeId, names};
use std::borrow::Cow;
use std::collections::HashSet;

impl<'a> Parser<'a> {
    /// Whether `for $c` stands here, or further on.
    pub(super) fn is_for_at(&self, ahead: usize) -> bool {
        self.cursor.peek_at(ahead) == Some(TokenKind::Name)
            && self.cursor.peek_at(ahead + 1) == Some(TokenKind::Variable)
            && self.cursor.word_at(ahead) == "for"
    }

    /// `for $c in a, b except c (…)`: the operands for each value, in order.
    pub(super) fn operands_for(&mut self, start: Span, name: &str) -> Option<Vec<NodeId>> {
        self.cursor.advance();
        let variable = self.cursor.here();
        let variable = self.cursor.text_of(variable);
        self.cursor.advance();
        self.keyword("in")?;
        let mut values = self.values()?;
        if self.is_keyword("except") {
            self.cursor.advance();
            let left_out: HashSet<Cow<'a, str>> =
                self.values()?.into_iter().map(|it| it.name).collect();
            values.retain(|value| !left_out.contains(&value.name));
        }
        let (operands_at, errors) = (self.cursor.position(), self.cursor.diagnostics.count());
        if values.is_empty() || self.expansion.is_exhausted {
            let any = Bound { name: Cow::Borrowed("a"), span: start };
            self.dry_run(|parser| parser.operands_with(variable, any, (start, name)))?;
        }
        let mut operands = Vec::new();
        for value in values {
            if self.expansion.is_exhausted || !self.has_room(value.span) {
                break;
            }
            self.cursor.go_to(operands_at);
            operands.extend(self.operands_with(variable, value, (start, name))?);
            if self.cursor.diagnostics.count() > errors {
                break;
            }
        }
        Some(operands)
    }

    fn operands_with(
        &mut self,
        variable: &'a str,
        value: Bound<'a>,
        (start, name): (Span, &str),
    ) -> Option<Vec<NodeId>> {
        self.in_scope(vec![(variable, value)], false, |parser| match parser.is_for_at(0) {
            true => parser.operands_for(start, name),
            false => parser.operands(start, name),
        })
    }

    fn is_keyword(&self, word: &str) -> bool {
        self.cursor.peek() == Some(TokenKind::Name) && self.cursor.word_at(0) == word
    }

    fn keyword(&mut self, word: &str) -> Option<()> {
        if !self.is_keyword(word) {
            self.cursor.expected(&format!("`{word}`"));
            return None;
        }
        self.cursor.advance();
        Some(())
    }

    /// `a, b, c1..c5`
    fn values(&mut self) -> Option<Vec<Bound<'a>>> {
        let mut values = Vec::new();
        loop {
            self.value(&mut values)?;
            if self.cursor.eat(TokenKind::Comma).is_none() {
                return Some(values);
            }
        }
    }

    /// A name, a variable, a number, or a range of names or numbers.
    fn value(&mut self, values: &mut Vec<Bound<'a>>) -> Option<()> {
        let first = match self.cursor.peek() {
            Some(TokenKind::Number) => self.number_text(),
            _ => self.name("a value, `a, b` or `c1..c5`")?,
        };
        if self.cursor.peek() != Some(TokenKind::Dot) {
            values.push(Bound { name: first.0, span: first.1 });
            return Some(());
        }
        self.cursor.advance();
        self.cursor.expect(TokenKind::Dot, "`..`")?;
        let last = match self.cursor.peek() {
            Some(TokenKind::Number) => self.number_text(),
            _ => self.name("the last value of the range")?,
        };
        let span = first.1.to(last.1);
        let Range { stem, numbers, width } = match range(&first.0, &last.0) {
            Ok(range) => range,
            Err(problem) => {
                self.cursor.report(problem.describe(span, &first.0, &last.0));
                return None;
            }
        };
        for number in numbers {
            if !self.has_room(span) {
                break;
            }
            values.push(Bound { name: Cow::Owned(format!("{stem}{number:0width$}")), span });
        }
        Some(())
    }

    fn number_text(&mut self) -> (Cow<'a, str>, Span) {
        let span = self.cursor.advance();
        (Cow::Borrowed(self.cursor.text_of(span)), span)
    }

    /// A name, with its value in the part or the `for` around it.
    pub(super) fn name(&mut self, what: &str) -> Option<(Cow<'a, str>, Span)> {
        if self.cursor.peek() == Some(TokenKind::Variable) {
            return self.variable();
        }
        let (text, span) = self.cursor.word(what)?;
        if text.starts_with('"') {
            return Some((self.filled_in(names::name_of(text)), span));
        }
        match self.bound(text) {
            Some(Bound { name, span }) => Some((name, span)),
            None => Some((Cow::Borrowed(text), span)),
        }
    }

    fn variable(&mut self) -> Option<(Cow<'a, str>, Span)> {
        let span = self.cursor.advance();
        let text = self.cursor.text_of(span);
        let bound = self.bound(text);
        if bound.is_none() {
            let error = Diagnostic::new(span, format!("nothing binds `{text}`"), "no value");
            let help = format!("write it inside of `par for {text} in a, b (…)`");
            self.cursor.report(error.with_help(help));
        }
        // After an error the names are thrown away; a stand-in keeps the rest readable.
        let bound = bound.unwrap_or(Bound { name: Cow::Borrowed(text), span });
        Some((bound.name, bound.span))
    }

    fn bound(&self, name: &str) -> Option<Bound<'a>> {
        let visible = &self.expansion.scope[self.expansion.scope_start..];
        visible.iter().rev().find(|(other, _)| *other == name).map(|(_, bound)| bound.clone())
    }

    /// A name in quotes with the values of its variables; `$$` is a dollar, and a variable that nothing
    /// binds stays.
    fn filled_in(&self, name: Cow<'a, str>) -> Cow<'a, str> {
        if !name.contains('$') {
            return name;
        }
        let (mut filled, mut rest) = (String::new(), &*name);
        while let Some(at) = rest.find('$') {
            filled.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = after.find(|c| !is_part(c)).unwrap_or(after.len());
            let variable = &rest[at..at + 1 + length];
            rest = &after[length..];
            match self.bound(variable) {
                _ if after.starts_with('$') => {
                    filled.push('$');
                    rest = &after[1..];
                }
                Some(bound) => filled.push_str(&bound.name),
                None => filled.push_str(variable),
            }
        }
        filled.push_str(rest);
        Cow::Owned(filled)
    }
}

/// The names from one to another.
struct Range<'n> {
    /// The text that they start with.
    stem: &'n str,
    /// The numbers that they end with.
    numbers: std::ops::RangeInclusive<u32>,
    /// The fewest digits of a number; zeros stand before smaller numbers.
    width: usize,
}

/// Why there is no range between two names.
enum NoRange {
    /// They are not the same but for a number that grows.
    Different,
    /// Zeros stand before a number, but the other one has more or fewer digits.
    Widths,
}

impl NoRange {
    fn describe(self, span: Span, first: &str, last: &str) -> Diagnostic {
        let (first, last) = (quote(first), quote(last));
        match self {
            NoRange::Different => {
                let message = format!("no range goes from {first} to {last}");
                let help = "write two names that end with a number and are otherwise equal, the \
                            smaller number first: `c1..c5`";
                Diagnostic::new(span, message, "not a range").with_help(help)
            }
            NoRange::Widths => {
                let message = format!("{first} and {last} end with numbers of different lengths");
                let help = "write both with the same number of digits, `c01..c12`, or without zeros \
                            in front, `c1..c12`";
                Diagnostic::new(span, message, "zeros stand in front").with_help(help)
            }
        }
    }
}

/// The range between two names: their common stem, and the numbers at their ends.
fn range<'n>(first: &'n str, last: &str) -> Result<Range<'n>, NoRange> {
    let split = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (stem, from) = first.split_at(split(first));
    let (other, to) = last.split_at(split(last));
    let (Ok(least), Ok(most)) = (from.parse::<u32>(), to.parse::<u32>()) else {
        return Err(NoRange::Different);
    };
    if stem != other || least > most {
        return Err(NoRange::Different);
    }
    let is_padded = |text: &str, number: u32| text != number.to_string();
    let width = match is_padded(from, least) || is_padded(to, most) {
        true if from.len() != to.len() => return Err(NoRange::Widths),
        true => from.len(),
        false => 1,
    };
    Ok(Range { stem, numbers: least..=most, width })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(first: &str, last: &str) -> Option<Vec<String>> {
        let Range { stem, numbers, width } = range(first, last).ok()?;
        Some(numbers.map(|number| format!("{stem}{number:0width$}")).collect())
    }

    #[test]
    fn ranges_of_names() {
        assert_eq!(names("c9", "c11"), Some(vec!["c9".into(), "c10".into(), "c11".into()]));
        assert_eq!(names("c01", "c03"), Some(vec!["c01".into(), "c02".into(), "c03".into()]));
        assert_eq!(names("c009", "c010"), Some(vec!["c009".into(), "c010".into()]));
        assert_eq!(names("0", "1"), Some(vec!["0".into(), "1".into()]));
        for (first, last) in [("c2", "c1"), ("a1", "b2"), ("a", "b"), ("c1", "c99999999999")] {
            assert!(matches!(range(first, last), Err(NoRange::Different)), "{first}..{last}");
        }
        for (first, last) in [("c01", "c3"), ("c01", "c100"), ("c1", "c03")] {
            assert!(matches!(range(first, last), Err(NoRange::Widths)), "{first}..{last}");
        }
    }
}
