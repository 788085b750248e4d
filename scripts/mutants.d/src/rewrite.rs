//! Writes a file so that it holds all of its mutants, each behind a question that is answered at run time.
//
// An operator becomes a choice between two expressions, so its operands are written twice, with whatever mutants are in
// them. The mutant's operands are in brackets: a mutant changes an operator, and not which operands it has.

use crate::sites::{Kind, Site};
use std::ops::Range;

/// A file with its mutants.
#[derive(Debug, Default)]
pub struct Rewritten {
    pub text: String,
    /// The code that only a mutant runs, with the mutant's number. An error of the compiler there is the mutant's. One without
    /// width is where an error begins that is the mutant's.
    pub spots: Vec<(Range<usize>, usize)>,
}

/// The file with the mutants of the sites, which are sorted, that are not left out.
pub fn rewrite(text: &str, sites: &[Site], is_left_out: &dyn Fn(usize) -> bool) -> Rewritten {
    let mut writer = Writer { text, sites, is_left_out, out: Rewritten::default() };
    writer.copy(0..text.len());
    writer.out
}

struct Writer<'a> {
    text: &'a str,
    sites: &'a [Site],
    is_left_out: &'a dyn Fn(usize) -> bool,
    out: Rewritten,
}

impl<'a> Writer<'a> {
    fn put(&mut self, text: &str) {
        self.out.text.push_str(text);
    }

    fn ask(&mut self, number: usize) {
        self.put(&format!("crate::is_mutant({number})"));
    }

    /// Writes what only a mutant runs.
    fn spot(&mut self, number: usize, write: impl FnOnce(&mut Self)) {
        let start = self.out.text.len();
        write(self);
        let end = self.out.text.len();
        self.out.spots.push((start..end, number));
    }

    /// Writes a part of the text, with the sites in it.
    fn copy(&mut self, range: Range<usize>) {
        let mut done = range.start;
        let sites = self.sites;
        for site in sites.iter().filter(|it| it.range.end <= range.end) {
            // What lies within a site is written with it.
            if site.range.start >= done {
                self.put(&self.text[done..site.range.start]);
                self.site(site);
                done = site.range.end;
            }
        }
        self.put(&self.text[done..range.end]);
    }

    fn kept<'b>(&self, mutants: &'b [(usize, String)]) -> Vec<&'b (usize, String)> {
        mutants.iter().filter(|(number, _)| !(self.is_left_out)(*number)).collect()
    }

    fn site(&mut self, site: &Site) {
        match &site.kind {
            Kind::Body(values) => self.body(values),
            Kind::Infix { left, operator, right, mutants } => {
                self.infix(left, operator, right, mutants)
            }
            Kind::Prefix { operand, mutants } => self.prefix(&site.range, operand, mutants),
            Kind::Guard { old, deleted, replaced } => self.guard(old.as_ref(), deleted, replaced),
            Kind::Matched(deleted) => self.matched(deleted),
            Kind::Literal(deleted) => self.literal(&site.range, deleted),
        }
    }

    fn body(&mut self, values: &[(usize, String)]) {
        for (number, value) in self.kept(values) {
            self.put(" if ");
            self.ask(*number);
            self.put(" { ");
            self.spot(*number, |it| it.put(&format!("return {value};")));
            self.put(" }");
        }
    }

    /// One choice after the other, and at last what is there without a mutant.
    fn choose(
        &mut self,
        numbers: &[usize],
        mut mutant: impl FnMut(&mut Self, usize),
        old: impl FnOnce(&mut Self),
    ) {
        let kept: Vec<usize> =
            numbers.iter().copied().filter(|it| !(self.is_left_out)(*it)).collect();
        if kept.is_empty() {
            return old(self);
        }
        self.put("(");
        for number in kept {
            self.put("if ");
            self.ask(number);
            self.put(" { ");
            self.spot(number, |it| mutant(it, number));
            self.put(" } else ");
        }
        self.put("{ ");
        old(self);
        self.put(" })");
    }

    fn in_brackets(&mut self, range: &Range<usize>) {
        self.put("(");
        self.copy(range.clone());
        self.put(")");
    }

    fn infix(
        &mut self,
        left: &Range<usize>,
        operator: &Range<usize>,
        right: &Range<usize>,
        mutants: &[(usize, String)],
    ) {
        let numbers: Vec<usize> = mutants.iter().map(|(number, _)| *number).collect();
        let with = |it: &mut Self, text: &str| {
            it.put(&it.text[left.end..operator.start]);
            it.put(text);
            it.put(&it.text[operator.end..right.start]);
        };
        self.choose(
            &numbers,
            |it, number| {
                let (_, text) = mutants.iter().find(|(it, _)| *it == number).expect("one of them");
                it.in_brackets(left);
                with(it, text);
                it.in_brackets(right);
            },
            |it| {
                it.copy(left.clone());
                with(it, &it.text[operator.clone()]);
                it.copy(right.clone());
            },
        );
    }

    fn prefix(&mut self, range: &Range<usize>, operand: &Range<usize>, mutants: &[usize]) {
        self.choose(
            mutants,
            |it, _| it.copy(operand.clone()),
            |it| {
                it.put(&it.text[range.start..operand.start]);
                it.copy(operand.clone());
            },
        );
    }

    /// A deleted arm matches nothing. A guard that is true is asked only if it is not.
    fn guard(
        &mut self,
        old: Option<&Range<usize>>,
        deleted: &[usize],
        replaced: &[(usize, String)],
    ) {
        let mut joiner = " if ";
        let off = replaced.iter().filter(|(_, value)| value == "false").map(|(number, _)| *number);
        for number in deleted.iter().copied().chain(off).filter(|it| !(self.is_left_out)(*it)) {
            self.put(joiner);
            self.spot(number, |it| {
                it.put("!");
                it.ask(number);
            });
            joiner = " && ";
        }
        let Some(old) = old else { return };
        self.put(joiner);
        self.put("(");
        for (number, value) in self.kept(replaced) {
            if value == "true" {
                self.spot(*number, |it| it.ask(*number));
                self.put(" || ");
            }
        }
        self.in_brackets(old);
        self.put(")");
    }

    fn matched(&mut self, deleted: &[usize]) {
        for number in deleted.iter().copied().filter(|it| !(self.is_left_out)(*it)) {
            self.spot(number, |_| {});
        }
    }

    fn literal(&mut self, range: &Range<usize>, deleted: &[(usize, Range<usize>)]) {
        let numbers: Vec<usize> = deleted.iter().map(|(number, _)| *number).collect();
        self.choose(
            &numbers,
            |it, number| {
                let (_, field) = deleted.iter().find(|(it, _)| *it == number).expect("one of them");
                it.copy(range.start..field.start);
                it.copy(field.end..range.end);
            },
            // In two parts: the whole is this site again.
            |it| {
                let middle = deleted[0].1.start;
                it.copy(range.start..middle);
                it.copy(middle..range.end);
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::rewrite;
    use crate::sample::{Genre, Mutant, Place, Span};
    use crate::sites;

    /// What `rewrite` makes of a line with one mutant, which begins at a column.
    fn rewritten(text: &str, genre: Genre, column: usize, replacement: &str) -> String {
        let mutant = Mutant {
            name: String::new(),
            package: String::new(),
            file: String::new(),
            genre,
            replacement: replacement.to_owned(),
            span: Span { start: Place { line: 1, column } },
        };
        let sites = sites::find(text, &[(7, &mutant)]).expect("a file of Rust");
        rewrite(text, &sites.sites, &|_| false).text
    }

    #[test]
    fn a_body_returns_early() {
        assert_eq!(
            rewritten("fn f() -> u8 { 1 }", Genre::FnValue, 16, "0"),
            "fn f() -> u8 { if crate::is_mutant(7) { return 0; } 1 }"
        );
    }

    #[test]
    fn an_operator_keeps_its_operands() {
        assert_eq!(
            rewritten("fn f() { g(1 + 2 * 3) }", Genre::BinaryOperator, 14, "-"),
            "fn f() { g((if crate::is_mutant(7) { (1) - (2 * 3) } else { 1 + 2 * 3 })) }"
        );
        assert_eq!(
            rewritten("fn f() { !a }", Genre::UnaryOperator, 10, ""),
            "fn f() { (if crate::is_mutant(7) { a } else { !a }) }"
        );
    }

    #[test]
    fn arms_and_guards_ask() {
        let text = "fn f() { match a { b if c => d, _ => e } }";
        assert_eq!(
            rewritten(text, Genre::MatchArm, 20, ""),
            "fn f() { match a { b if !crate::is_mutant(7) && ((c)) => d, _ => e } }"
        );
        assert_eq!(
            rewritten(text, Genre::MatchArmGuard, 25, "true"),
            "fn f() { match a { b if (crate::is_mutant(7) || (c)) => d, _ => e } }"
        );
        assert_eq!(
            rewritten(text, Genre::MatchArmGuard, 25, "false"),
            "fn f() { match a { b if !crate::is_mutant(7) && ((c)) => d, _ => e } }"
        );
    }

    #[test]
    fn a_literal_loses_a_field() {
        assert_eq!(
            rewritten("fn f() { A { b: 1, ..c } }", Genre::StructField, 14, ""),
            "fn f() { (if crate::is_mutant(7) { A {  ..c } } else { A { b: 1, ..c } }) }"
        );
    }

    #[test]
    fn constants_stay() {
        let text = "const A: u8 = 1 + 2;";
        assert_eq!(rewritten(text, Genre::BinaryOperator, 17, "-"), text);
    }
}
