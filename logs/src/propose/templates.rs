//! Templates of lines: lines that differ in nothing but values are one.

// The prefix tree of Drain (He, Zhu, Zheng, Lyu: "Drain: an online log parsing approach with fixed
// depth tree", ICWS 2017), with typed tokens: a line is first looked up by its number of tokens and
// the signs between them, then by its first words that are not values. In the leaf it joins the
// template with which it shares most words, if these are enough; words that differ become values.

use super::token::{Token, TokenType};
use std::collections::BTreeMap;

/// How many first words lead to a leaf. Drain uses 2 to 3; one more keeps the words behind a header
/// apart.
const DEPTH: usize = 3;

/// The share of equal words from which a line joins a template: Drain's own default.
const SIMILARITY: f64 = 0.5;

/// How many templates are kept. Lines of further ones are counted as rare.
const MOST_TEMPLATES: usize = 2000;

/// A position of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// The word, if it is always the same.
    pub(super) word: Option<String>,
    pub(super) kind: TokenType,
    /// The signs before it, with one blank for any blanks.
    pub(super) before: String,
}

/// Lines that differ in nothing but values.
#[derive(Clone, Debug)]
pub(super) struct LineTemplate {
    pub(super) slots: Vec<Slot>,
    /// The text after the last token.
    pub(super) end: String,
    /// Its lines, by their numbers.
    pub(super) lines: Vec<usize>,
}

/// The templates of some lines.
#[derive(Default)]
pub(super) struct TemplateTree {
    leaves: BTreeMap<String, Vec<usize>>,
    pub(super) templates: Vec<LineTemplate>,
    /// Lines beyond the limit of templates.
    pub(super) left_out: usize,
}

impl TemplateTree {
    /// Adds a line with its number; the first `header` tokens are values in any case.
    pub(super) fn add(&mut self, number: usize, line: &str, tokens: &[Token], header: usize) {
        let slots = slots(line, tokens, header);
        let end = tokens.last().map_or(0, |token| token.text.end);
        let end = blanks(&line[end..]);
        let leaf = self.leaves.entry(key(&slots, &end)).or_default();
        let same = |index: &&usize| similarity(&self.templates[**index].slots, &slots);
        let best = leaf.iter().max_by(|a, b| same(a).total_cmp(&same(b)));
        match best.filter(|index| same(index) >= SIMILARITY) {
            Some(&index) => {
                let template = &mut self.templates[index];
                template.slots.iter_mut().zip(&slots).for_each(|(slot, other)| slot.join(other));
                template.lines.push(number);
            }
            None if self.templates.len() < MOST_TEMPLATES => {
                leaf.push(self.templates.len());
                self.templates.push(LineTemplate { slots, end, lines: vec![number] });
            }
            None => self.left_out += 1,
        }
    }
}

impl Slot {
    fn join(&mut self, other: &Slot) {
        if self.word != other.word {
            self.word = None;
        }
        self.kind = self.kind.or(other.kind);
    }
}

fn slots(line: &str, tokens: &[Token], header: usize) -> Vec<Slot> {
    let slot = |(index, token): (usize, &Token)| {
        // The token behind `key=` is its value, however few values there are.
        let has_key = is_behind_key(&line[token.before.clone()]);
        let is_value = index < header || has_key || token.kind.is_variable();
        let word = (!is_value).then(|| line[token.text.clone()].to_owned());
        Slot { word, kind: token.kind, before: blanks(&line[token.before.clone()]) }
    };
    tokens.iter().enumerate().map(slot).collect()
}

/// Whether these signs stand between a key and its value.
pub(super) fn is_behind_key(signs: &str) -> bool {
    matches!(signs, "=" | "=\"" | "='")
}

/// Signs with one blank for any blanks.
pub(super) fn blanks(signs: &str) -> String {
    let mut text = String::new();
    for c in signs.chars() {
        match c.is_whitespace() {
            true if text.ends_with(' ') => {}
            true => text.push(' '),
            false => text.push(c),
        }
    }
    text
}

/// The path to a leaf. The number of tokens is in it, since a line without tokens and one token without signs before it
/// look alike.
fn key(slots: &[Slot], end: &str) -> String {
    let signs: Vec<&str> = slots.iter().map(|slot| slot.before.as_str()).collect();
    let words = slots.iter().filter_map(|slot| slot.word.as_deref()).take(DEPTH);
    let words: Vec<&str> = words.collect();
    format!("{}\n{}\n{}\n{end}", slots.len(), words.join(" "), signs.join("\t"))
}

/// The share of words that are equal, among the positions where either has a word.
fn similarity(template: &[Slot], line: &[Slot]) -> f64 {
    let pairs = || template.iter().zip(line).filter(|(a, b)| a.word.is_some() || b.word.is_some());
    let same = pairs().filter(|(a, b)| a.word == b.word).count();
    let all = pairs().count();
    if all == 0 { 1.0 } else { same as f64 / all as f64 }
}
