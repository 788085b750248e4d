//! The patterns of plain text, compiled: which of them counts.

// All patterns are one automaton, so a text is searched once however many there are. That search finds
// the leftmost match. It is the answer unless a pattern before it in the list matches further right,
// which only a pattern can that is not bound to the start of the text. Only then a second automaton
// says which patterns match at all, and the first of them counts. So lists of patterns
// that begin with `^` cost one search a line, and how often the two rules differ is known for nothing.
//
// The groups are found by the pattern that counts, searched alone: most patterns alone can be read in one pass, without a
// stack of alternatives. Alone it finds the same match: no pattern matches further left, so it does not either.

use regex_automata::meta::{BuildError, Regex};
use regex_automata::nfa::thompson::NFA;
use regex_automata::{Input, MatchKind, PatternSet};
use std::sync::{Arc, OnceLock};

/// Which pattern counts if several match a record of plain text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternsWin {
    /// The first in the list, because the mapping does not say which. A run then tells how many
    /// records the leftmost match would give to another pattern.
    #[default]
    FirstByDefault,
    /// The first in the list.
    First,
    /// The one that matches furthest left; of several there, the first in the list.
    Leftmost,
}

/// The automata for reading patterns in one pass may take this much, in bytes: those of words of Unicode are large.
const MOST_ONE_PASS: usize = 4 << 20;
/// All of them together.
const MOST_ONE_PASS_IN_ALL: usize = 32 << 20;

/// Patterns, compiled when they are first asked for. Clones share them, so the files of a run do.
#[derive(Clone, Debug, Default)]
pub struct CompiledPatterns(Arc<OnceLock<Arc<Compiled>>>);

/// All are equal: they differ only in the patterns that were compiled so far.
impl PartialEq for CompiledPatterns {
    fn eq(&self, _: &CompiledPatterns) -> bool {
        true
    }
}

impl Eq for CompiledPatterns {}

impl CompiledPatterns {
    pub(crate) fn get(
        &self,
        texts: &[String],
        win: PatternsWin,
    ) -> Result<Arc<Compiled>, BadPattern> {
        if let Some(compiled) = self.0.get()
            && compiled.texts == texts
            && compiled.win == win
        {
            return Ok(Arc::clone(compiled));
        }
        let compiled = Arc::new(Compiled::new(texts, win)?);
        let _ = self.0.set(Arc::clone(&compiled));
        Ok(compiled)
    }
}

/// The automata of patterns.
#[derive(Debug)]
pub(crate) struct Compiled {
    texts: Vec<String>,
    win: PatternsWin,
    /// Finds the leftmost match; `None` for one pattern.
    leftmost: Option<Regex>,
    each: Vec<OnePattern>,
    /// Says which patterns match anywhere, if the leftmost match may not be the answer.
    anywhere: Option<Regex>,
}

#[derive(Debug)]
struct OnePattern {
    regex: Regex,
    /// Whether it may win although another one matches further left.
    may_be_moved: bool,
}

impl Compiled {
    pub(crate) fn new(texts: &[String], win: PatternsWin) -> Result<Compiled, BadPattern> {
        let is_list = texts.len() > 1;
        let of_all = || Regex::new_many(texts).map_err(|error| BadPattern::new(&error));
        let leftmost = is_list.then(of_all).transpose()?;
        let one_pass = MOST_ONE_PASS.min(MOST_ONE_PASS_IN_ALL / texts.len().max(1));
        let mut each = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let config = Regex::config().onepass_size_limit(Some(one_pass));
            let regex = Regex::builder().configure(config).build(text);
            let regex =
                regex.map_err(|error| BadPattern { index, message: regex_message(&error) })?;
            let may_be_moved = win != PatternsWin::Leftmost && may_be_later(index, texts);
            each.push(OnePattern { regex, may_be_moved });
        }
        let needs_all = each.iter().any(|pattern| pattern.may_be_moved);
        let anywhere = needs_all.then(|| of_all_matches(texts)).transpose()?;
        Ok(Compiled { texts: texts.to_vec(), win, leftmost, each, anywhere })
    }

    /// The patterns, each by itself.
    pub(crate) fn regexes(&self) -> impl Iterator<Item = &Regex> {
        self.each.iter().map(|one| &one.regex)
    }

    /// One of them.
    pub(crate) fn regex(&self, index: usize) -> &Regex {
        &self.each[index].regex
    }

    /// The pattern that counts, and that of the leftmost match; one pattern is not searched for here.
    pub(crate) fn winner(&self, text: &str, found: &mut PatternSet) -> Option<(usize, usize)> {
        let Some(regex) = &self.leftmost else { return Some((0, 0)) };
        let leftmost = regex.search_half(&Input::new(text))?.pattern().as_usize();
        let may_differ = self.each[..leftmost].iter().any(|before| before.may_be_moved);
        let Some(anywhere) = self.anywhere.as_ref().filter(|_| may_differ) else {
            return Some((leftmost, leftmost));
        };
        found.clear();
        anywhere.which_overlapping_matches(&Input::new(text), found);
        Some((found.iter().next().map_or(leftmost, |first| first.as_usize()), leftmost))
    }
}

/// A pattern that is not a regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pattern {}: {message}", index + 1)]
pub struct BadPattern {
    /// Which one, from 0.
    pub index: usize,
    /// The error in it.
    pub message: String,
}

impl BadPattern {
    fn new(error: &BuildError) -> BadPattern {
        let index = error.pattern().map_or(0, |pattern| pattern.as_usize());
        BadPattern { index, message: regex_message(error) }
    }
}

/// Whether a pattern can match further right than one behind it in the list.
fn may_be_later(index: usize, patterns: &[String]) -> bool {
    let is_bound = || NFA::new(&patterns[index]).is_ok_and(|nfa| nfa.is_always_start_anchored());
    index + 1 < patterns.len() && !is_bound()
}

fn of_all_matches(patterns: &[String]) -> Result<Regex, BadPattern> {
    let config = Regex::config().match_kind(MatchKind::All);
    let regex = Regex::builder().configure(config).build_many(patterns);
    regex.map_err(|error| BadPattern::new(&error))
}

/// The error in a regular expression, on one line.
pub(crate) fn regex_message(error: &regex_automata::meta::BuildError) -> String {
    let text = match error.syntax_error() {
        Some(syntax) => syntax.to_string(),
        None => error.to_string(),
    };
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or(&text);
    last.trim().trim_start_matches("error: ").to_owned()
}
