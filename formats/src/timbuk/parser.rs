//! Sections in any order, each read into names with places; then the names are resolved.

use super::automaton::Timbuk;
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use crate::suggest::did_you_mean;
use indexmap::IndexMap;
use multitrace_interaction::{Id, LetterId, StateId, Transition};
use winnow::combinator::{alt, not, repeat};
use winnow::error::EmptyError;
use winnow::prelude::*;
use winnow::stream::LocatingSlice;
use winnow::token::take_while;

/// The automaton of a text, and where each of its transitions is written.
pub(super) fn parse(text: &str) -> Result<(Timbuk, Vec<Span>), Diagnostics> {
    let mut reader = SectionReader::new(text);
    reader.sections();
    let SectionReader { sections, mut errors, declarations_are_whole, .. } = reader;
    if !declarations_are_whole {
        // Names that a broken declaration may have declared would be reported as undeclared.
        return Err(errors);
    }
    match Resolver::default().automaton(sections) {
        Ok(automaton) => errors.check(automaton),
        Err(more) => {
            errors.append(more);
            Err(errors)
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Word,
    LeftParen,
    RightParen,
    Comma,
    Colon,
    Arrow,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    kind: TokenKind,
    span: Span,
    /// Whether a line starts with it: the place to go on after an error.
    is_first: bool,
}

type Input<'a> = LocatingSlice<&'a str>;

fn lex(text: &str) -> Vec<Token> {
    let mut input = LocatingSlice::new(text);
    let mut tokens: Vec<Token> = Vec::new();
    let mut previous = 0;
    while let Ok((kind, range)) = token.with_span().parse_next(&mut input) {
        let Some(kind) = kind else { continue };
        let is_first = tokens.is_empty() || text[previous..range.start].contains('\n');
        previous = range.end;
        tokens.push(Token { kind, span: range.into(), is_first });
    }
    tokens
}

/// The next token, or `None` for a blank or a comment; fails only at the end.
fn token(input: &mut Input<'_>) -> Result<Option<TokenKind>, EmptyError> {
    alt((
        take_while(1.., is_blank).value(None),
        ("%", take_while(0.., |c| c != '\n')).value(None),
        "->".value(Some(TokenKind::Arrow)),
        "(".value(Some(TokenKind::LeftParen)),
        ")".value(Some(TokenKind::RightParen)),
        ",".value(Some(TokenKind::Comma)),
        ":".value(Some(TokenKind::Colon)),
        word.value(Some(TokenKind::Word)),
    ))
    .parse_next(input)
}

/// Anything that is not punctuation; a `-` belongs to it unless an arrow starts there.
fn word(input: &mut Input<'_>) -> Result<(), EmptyError> {
    let plain = take_while(1.., |c: char| !is_blank(c) && !"(),:%-".contains(c)).void();
    repeat(1.., alt((plain, ("-", not(">")).void()))).parse_next(input)
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// The sections a file must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Ops,
    Automaton,
    States,
    Finals,
    Transitions,
}

const SECTIONS: [(Section, &str); 5] = [
    (Section::Ops, "Ops"),
    (Section::Automaton, "Automaton"),
    (Section::States, "States"),
    (Section::Finals, "Final States"),
    (Section::Transitions, "Transitions"),
];

/// A name and its place.
type Word<'a> = (&'a str, Span);

/// `symbol(from, …) -> to`
struct Rule<'a> {
    symbol: Word<'a>,
    from: Vec<Word<'a>>,
    to: Word<'a>,
}

#[derive(Default)]
struct Sections<'a> {
    name: &'a str,
    ops: Vec<(Word<'a>, usize)>,
    states: Vec<Word<'a>>,
    finals: Vec<Word<'a>>,
    rules: Vec<Rule<'a>>,
}

struct SectionReader<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    /// Which sections have been there.
    seen: [bool; SECTIONS.len()],
    /// Whether symbols and states have been declared without an error of syntax.
    declarations_are_whole: bool,
    sections: Sections<'a>,
    errors: Diagnostics,
}

impl<'a> SectionReader<'a> {
    fn new(text: &'a str) -> SectionReader<'a> {
        SectionReader {
            text,
            tokens: lex(text),
            at: 0,
            seen: [false; SECTIONS.len()],
            declarations_are_whole: false,
            sections: Sections::default(),
            errors: Diagnostics::default(),
        }
    }

    fn sections(&mut self) {
        if self.tokens.is_empty() {
            let error = Diagnostic::new(Span::default(), "there is no automaton in this text", "");
            self.errors.push(error.with_help("an automaton starts with `Ops`"));
            return;
        }
        self.declarations_are_whole = true;
        while self.peek().is_some() {
            match self.keyword() {
                Some((section, width)) => {
                    let (span, errors) = (self.here(), self.errors.count());
                    self.at += width;
                    if self.is_second_automaton(section, span) {
                        return;
                    }
                    self.section(section);
                    self.declarations_are_whole &= self.errors.count() == errors
                        || matches!(section, Section::Finals | Section::Transitions);
                }
                None => {
                    self.expected("`Ops`, `Automaton`, `States`, `Final States` or `Transitions`");
                    self.skip_line();
                }
            }
        }
        self.report_missing();
        let has_declarations =
            self.seen[Section::Ops as usize] && self.seen[Section::States as usize];
        self.declarations_are_whole &= has_declarations;
    }

    /// Marks a section as seen, and reports it when it was there before.
    fn is_second_automaton(&mut self, section: Section, span: Span) -> bool {
        let is_again = std::mem::replace(&mut self.seen[section as usize], true);
        if is_again && section == Section::Automaton {
            let error = Diagnostic::new(span, "several automata in one file", "second automaton");
            self.errors.push(error.with_help("put each automaton into a file of its own"));
            return true;
        }
        if is_again {
            let message = format!("section `{}` stands twice", SECTIONS[section as usize].1);
            let error = Diagnostic::new(span, message, "second time");
            self.errors.push(error.with_help("one file has one automaton"));
        }
        false
    }

    fn report_missing(&mut self) {
        let end = self.here();
        for (section, name) in SECTIONS {
            if !self.seen[section as usize] {
                let message = format!("section `{name}` is missing");
                let error = Diagnostic::new(end, message, "the text ends here");
                self.errors
                    .push(error.with_help(format!("add `{name}`, if need be with nothing in it")));
            }
        }
    }

    fn section(&mut self, section: Section) {
        match section {
            Section::Automaton => match self.word("the name of the automaton") {
                Some((name, _)) => self.sections.name = name,
                None => self.skip_line(),
            },
            Section::Ops => self.items(Self::op),
            Section::States => self.items(|reader| {
                let state = reader.state()?;
                reader.sections.states.push(state);
                Some(())
            }),
            Section::Finals => self.items(|reader| {
                let state = reader.state()?;
                reader.sections.finals.push(state);
                Some(())
            }),
            Section::Transitions => self.items(Self::rule),
        }
    }

    /// Items up to the next section. An item that reports an error returns `None`.
    fn items(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) {
        while self.peek().is_some() && self.keyword().is_none() {
            let start = self.at;
            if item(self).is_none() {
                // Unless the error is at the start of a new item, the rest of the line is lost.
                self.at = self.at.max(start + 1);
                self.skip_rest(start);
            }
        }
    }

    /// `symbol:arity`
    fn op(&mut self) -> Option<()> {
        let symbol = self.word("a symbol")?;
        if self.peek() != Some(TokenKind::Colon) {
            self.expected("`:` and an arity");
            return Some(());
        }
        self.at += 1;
        let (arity, span) = self.word("an arity")?;
        match arity.parse() {
            Ok(arity) => self.sections.ops.push((symbol, arity)),
            Err(_) => {
                let message = format!("{} is not an arity", quote(arity));
                self.errors.push(Diagnostic::new(span, message, "expected 0 or 1"));
            }
        }
        Some(())
    }

    /// A state, which other tools write with the arity 0.
    fn state(&mut self) -> Option<Word<'a>> {
        let state = self.word("a state")?;
        if self.peek() == Some(TokenKind::Colon) {
            self.at += 1;
            let (arity, span) = self.word("`0`")?;
            if arity != "0" {
                let message = format!("state {} has an arity that is not 0", quote(state.0));
                self.errors.push(Diagnostic::new(span, message, "expected `0`"));
            }
        }
        Some(state)
    }

    fn rule(&mut self) -> Option<()> {
        let symbol = self.word("a symbol")?;
        let mut from = Vec::new();
        if self.peek() == Some(TokenKind::LeftParen) {
            self.at += 1;
            from = self.arguments()?;
        }
        self.expect(TokenKind::Arrow, "`->`")?;
        let to = self.word("a state")?;
        self.sections.rules.push(Rule { symbol, from, to });
        Some(())
    }

    /// The states up to the closing parenthesis.
    fn arguments(&mut self) -> Option<Vec<Word<'a>>> {
        let mut states = Vec::new();
        if self.peek() != Some(TokenKind::RightParen) {
            states.push(self.word("a state")?);
            while self.peek() == Some(TokenKind::Comma) {
                self.at += 1;
                states.push(self.word("a state")?);
            }
        }
        self.expect(TokenKind::RightParen, "`,` or `)`")?;
        Some(states)
    }

    fn peek(&self) -> Option<TokenKind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    fn here(&self) -> Span {
        match self.tokens.get(self.at) {
            Some(token) => token.span,
            None => {
                let end = self.tokens.last().map_or(0, |token| token.span.end);
                Span::new(end, end)
            }
        }
    }

    fn text_at(&self, at: usize) -> &'a str {
        let span = self.tokens.get(at).map_or(Span::default(), |token| token.span);
        &self.text[span.start..span.end]
    }

    /// The section that starts here, with the number of its words.
    fn keyword(&self) -> Option<(Section, usize)> {
        match self.text_at(self.at) {
            "Ops" => Some((Section::Ops, 1)),
            "Automaton" => Some((Section::Automaton, 1)),
            "States" => Some((Section::States, 1)),
            "Transitions" => Some((Section::Transitions, 1)),
            "Final" if self.text_at(self.at + 1) == "States" => Some((Section::Finals, 2)),
            _ => None,
        }
    }

    fn word(&mut self, what: &str) -> Option<Word<'a>> {
        let text = self.text_at(self.at);
        self.expect(TokenKind::Word, what).map(|span| (text, span))
    }

    fn expect(&mut self, kind: TokenKind, what: &str) -> Option<Span> {
        let span = self.here();
        if self.peek() != Some(kind) {
            self.expected(what);
            return None;
        }
        self.at += 1;
        Some(span)
    }

    fn expected(&mut self, what: &str) {
        let found = match self.peek() {
            Some(_) => quote(self.text_at(self.at)),
            None => "the end of the text".to_owned(),
        };
        let message = format!("expected {what}, found {found}");
        self.errors.push(Diagnostic::new(self.here(), message, format!("expected {what}")));
    }

    /// Skips to the next line.
    fn skip_line(&mut self) {
        let start = self.at;
        self.at += 1;
        self.skip_rest(start);
    }

    /// Skips to the next line, unless one has begun since the token at `start`.
    fn skip_rest(&mut self, start: usize) {
        let read = self.tokens.get(start + 1..=self.at).unwrap_or_default();
        if let Some(line) = read.iter().position(|token| token.is_first) {
            self.at = start + 1 + line;
            return;
        }
        while self.tokens.get(self.at).is_some_and(|token| !token.is_first) {
            self.at += 1;
        }
    }
}

/// Names to numbers.
#[derive(Default)]
struct Resolver<'a> {
    /// Symbols with their arities.
    symbols: IndexMap<&'a str, usize>,
    /// Those of arity 1.
    letters: IndexMap<&'a str, LetterId>,
    states: IndexMap<&'a str, StateId>,
    initial: Vec<StateId>,
    transitions: Vec<Transition>,
    /// One for each transition.
    spans: Vec<Span>,
    errors: Diagnostics,
}

impl<'a> Resolver<'a> {
    fn automaton(mut self, sections: Sections<'a>) -> Result<(Timbuk, Vec<Span>), Diagnostics> {
        self.declare_symbols(&sections.ops);
        self.declare_states(&sections.states);
        let finals = sections.finals.iter().filter_map(|&state| self.state(state)).collect();
        for rule in &sections.rules {
            self.rule(rule);
        }
        let Resolver { letters, states, initial, transitions, spans, errors, .. } = self;
        let owned = |name: &str| name.to_owned();
        let automaton = Timbuk {
            name: owned(sections.name),
            letters: letters.into_keys().map(owned).collect(),
            states: states.into_keys().map(owned).collect(),
            initial,
            finals,
            transitions,
        };
        errors.check((automaton, spans))
    }

    fn declare_symbols(&mut self, ops: &[(Word<'a>, usize)]) {
        for &((name, span), arity) in ops {
            if self.symbols.insert(name, arity).is_some() {
                self.errors.push(declared_twice("symbol", name, span));
            } else if arity == 1 {
                self.letters.insert(name, LetterId::new(self.letters.len()));
            } else if arity > 1 {
                let message =
                    format!("symbol {} has arity {arity}: this is a tree automaton", quote(name));
                self.errors.push(only_words(span, message));
            }
        }
    }

    fn declare_states(&mut self, states: &[Word<'a>]) {
        for &(name, span) in states {
            let id = StateId::new(self.states.len());
            match self.states.entry(name) {
                indexmap::map::Entry::Occupied(_) => {
                    self.errors.push(declared_twice("state", name, span));
                }
                indexmap::map::Entry::Vacant(entry) => {
                    entry.insert(id);
                }
            }
        }
    }

    fn state(&mut self, (name, span): Word<'a>) -> Option<StateId> {
        let id = self.states.get(name).copied();
        if id.is_none() {
            let known = self.states.keys().copied();
            self.errors.push_with(|| undeclared("state", "States", name, span, known));
        }
        id
    }

    fn rule(&mut self, rule: &Rule<'a>) {
        let (name, span) = rule.symbol;
        let from: Vec<Option<StateId>> = rule.from.iter().map(|&state| self.state(state)).collect();
        let to = self.state(rule.to);
        match (self.symbols.get(name), &from[..]) {
            (None, _) => {
                let known = self.symbols.keys().copied();
                self.errors.push_with(|| undeclared("symbol", "Ops", name, span, known));
            }
            (Some(0), []) => self.initial.extend(to),
            (Some(1), [from]) => {
                if let (Some(from), Some(to), Some(&letter)) = (*from, to, self.letters.get(name)) {
                    self.transitions.push(Transition { from, letter, to });
                    self.spans.push(span.to(rule.to.1));
                }
            }
            (Some(&arity), _) => self.errors.push(wrong_arity(name, span, arity, from.len())),
        }
    }
}

fn wrong_arity(name: &str, span: Span, arity: usize, found: usize) -> Diagnostic {
    let name = quote(name);
    match (arity, found) {
        (_, 2..) => {
            only_words(span, format!("symbol {name} with {found} states: this is a tree automaton"))
        }
        (0, _) => {
            let message = format!("symbol {name} has arity 0, but stands with a state");
            Diagnostic::new(span, message, "expected `->` behind it")
        }
        _ => {
            let message =
                format!("symbol {name} has arity {arity}, but stands with {found} states");
            Diagnostic::new(span, message, "expected a state in parentheses")
        }
    }
}

fn only_words(span: Span, message: String) -> Diagnostic {
    let help = "multitrace reads word automata: symbols of arity 1 are letters, those of arity 0 \
                mark initial states";
    Diagnostic::new(span, message, "arity of 2 or more").with_help(help)
}

fn declared_twice(what: &str, name: &str, span: Span) -> Diagnostic {
    let message = format!("{what} {} is declared twice", quote(name));
    Diagnostic::new(span, message, "second time")
}

fn undeclared<'a>(
    what: &str,
    section: &str,
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let message = format!("undeclared {what} {}", quote(name));
    let declare = || format!("declare it in section `{section}`");
    let help = did_you_mean(name, known).unwrap_or_else(declare);
    Diagnostic::new(span, message, format!("not in `{section}`")).with_help(help)
}
