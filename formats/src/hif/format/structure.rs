//! The operands of each operator, as ranges of tokens, and whether the operator fits on one line.

// One pass over the tokens of a text without errors. Where it meets a token that it does not expect, it goes on
// behind it, so that any list of tokens has a structure.

use super::comments::Gaps;
use crate::lexer::{Token, TokenKind};

/// The most columns of an operator on one line.
const MAX_OPERATOR: usize = 80;
/// The most operators inside of each other on one line, with the outermost.
const MAX_HEIGHT: usize = 2;

/// The place of a token in the structure of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenPlace {
    /// It belongs to the token before it.
    Inside,
    /// It starts an operand of this operator.
    Operand { operator: usize, is_first: bool },
    /// It closes the operands of this operator.
    Close { operator: usize },
    /// It starts a part, or the interaction.
    Part,
}

/// An operator with operands.
#[derive(Debug)]
pub(super) struct Operator {
    /// Its name, and its closing parenthesis.
    first: usize,
    close: usize,
    /// How many operators are around it.
    pub(super) level: usize,
    /// How many operators are inside of each other, with this one.
    height: usize,
    /// Whether it takes a line for each operand.
    pub(super) is_broken: bool,
}

pub(super) struct Structure {
    /// One for each token.
    pub(super) places: Vec<TokenPlace>,
    /// For each token, how many operators are around it.
    pub(super) levels: Vec<usize>,
    /// For each token, whether a blank stands before it if no line ends there.
    pub(super) blanks: Vec<bool>,
    pub(super) operators: Vec<Operator>,
}

impl Structure {
    pub(super) fn new(text: &str, tokens: &[Token], gaps: &Gaps) -> Structure {
        let mut finder = Finder {
            text,
            tokens,
            at: 0,
            open: Vec::new(),
            places: vec![TokenPlace::Inside; tokens.len()],
            levels: vec![0; tokens.len()],
            is_tight: vec![false; tokens.len()],
            operators: Vec::new(),
        };
        finder.find();
        let Finder { places, levels, is_tight, mut operators, .. } = finder;
        let blanks: Vec<bool> =
            (0..tokens.len()).map(|at| has_blank(text, tokens, at, &is_tight)).collect();
        let columns = columns(text, tokens, &blanks);
        for operator in &mut operators {
            operator.is_broken = !fits(operator, tokens, gaps, &places, &columns);
        }
        Structure { places, levels, blanks, operators }
    }
}

/// Whether an operator stands on one line.
fn fits(
    operator: &Operator,
    tokens: &[Token],
    gaps: &Gaps,
    places: &[TokenPlace],
    columns: &[(usize, usize)],
) -> bool {
    let Operator { first, close, level, height, .. } = *operator;
    if height > MAX_HEIGHT || gaps.has_comment(first, close) {
        return false;
    }
    // A part starts with its name.
    let starts = places.iter().take(first + 1).rev();
    let start = first - starts.take_while(|place| **place == TokenPlace::Inside).count().min(first);
    let has_comma = tokens.get(close + 1).is_some_and(|it| it.kind == TokenKind::Comma);
    let (Some((from, _)), Some((_, to))) = (columns.get(start), columns.get(close)) else {
        return true;
    };
    4 * level + (to - from) + usize::from(has_comma) <= MAX_OPERATOR
}

/// Where each token starts and ends if no line ends.
fn columns(text: &str, tokens: &[Token], blanks: &[bool]) -> Vec<(usize, usize)> {
    let mut end = 0;
    let column = |(token, blank): (&Token, &bool)| {
        let start = end + usize::from(*blank);
        let written = text.get(token.span.start..token.span.end).unwrap_or_default();
        end = start + written.chars().count();
        (start, end)
    };
    tokens.iter().zip(blanks).map(column).collect()
}

/// Whether a blank stands between a token and the one before it.
fn has_blank(text: &str, tokens: &[Token], at: usize, is_tight: &[bool]) -> bool {
    use TokenKind::{Arrow, Bar, Comma, Dashes, Equals, LeftParen, Name, Number, Variable};
    let Some(before) = at.checked_sub(1) else { return false };
    let (left, right) = (tokens[before].kind, tokens[at].kind);
    let is_word = |kind| matches!(kind, Name | Number | Variable);
    match (left, right) {
        (Comma, _) => !is_tight[before],
        (Arrow, Bar) => false,
        (Dashes | Arrow | Equals, _) | (_, Dashes | Arrow | Equals) => true,
        (_, LeftParen) => is_after_for(text, tokens, at),
        // The end of a part, and the name after it.
        (TokenKind::RightParen | TokenKind::RightBrace, Name) => true,
        (_, TokenKind::At) => left != LeftParen,
        _ => is_word(left) && is_word(right),
    }
}

/// Whether the values of a `for` stand before this parenthesis.
fn is_after_for(text: &str, tokens: &[Token], paren: usize) -> bool {
    use TokenKind::{Comma, Dot, Name, Number, Variable};
    let is_value = |token: &&Token| matches!(token.kind, Comma | Dot | Name | Number | Variable);
    let before = tokens.get(..paren).unwrap_or_default();
    let values = before.iter().rev().take_while(is_value);
    let mut later = TokenKind::Comma;
    for token in values {
        let word = text.get(token.span.start..token.span.end).unwrap_or_default();
        if word == "for" && later == Variable {
            return true;
        }
        later = token.kind;
    }
    false
}

struct Finder<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    /// The operators that are open.
    open: Vec<usize>,
    places: Vec<TokenPlace>,
    levels: Vec<usize>,
    /// For each token, whether it is a comma without a blank behind it.
    is_tight: Vec<bool>,
    operators: Vec<Operator>,
}

impl Finder<'_> {
    fn find(&mut self) {
        while self.kind().is_some() {
            if self.open.is_empty() {
                self.place(TokenPlace::Part);
                self.definition();
            }
            if self.interaction() {
                continue;
            }
            self.after_interaction();
        }
    }

    fn kind(&self) -> Option<TokenKind> {
        self.kind_at(0)
    }

    fn kind_at(&self, ahead: usize) -> Option<TokenKind> {
        self.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    fn word(&self) -> &str {
        let span = self.tokens.get(self.at).map(|token| token.span);
        span.and_then(|it| self.text.get(it.start..it.end)).unwrap_or_default()
    }

    fn place(&mut self, place: TokenPlace) {
        if let Some(own) = self.places.get_mut(self.at) {
            *own = place;
        }
    }

    fn skip(&mut self) {
        if let Some(level) = self.levels.get_mut(self.at) {
            *level = self.open.len();
        }
        self.at += 1;
    }

    fn skip_if(&mut self, kind: TokenKind) -> bool {
        let is_there = self.kind() == Some(kind);
        if is_there {
            self.skip();
        }
        is_there
    }

    /// Skips a list of names, which brackets enclose.
    fn group(&mut self, is_tight: bool) {
        use TokenKind::{Comma, RightBrace, RightBracket, RightParen};
        while let Some(kind) = self.kind() {
            self.is_tight[self.at] = is_tight && kind == Comma;
            self.skip();
            if matches!(kind, RightBrace | RightBracket | RightParen) {
                return;
            }
        }
    }

    /// `@name =` or `@name(a, b) =`.
    fn definition(&mut self) {
        let start = self.at;
        self.call();
        if start == self.at || !self.skip_if(TokenKind::Equals) {
            self.at = start;
        }
    }

    /// `@name` or `@name(a, b)`.
    fn call(&mut self) {
        if self.skip_if(TokenKind::At) {
            self.skip();
            if self.kind() == Some(TokenKind::LeftParen) {
                self.group(false);
            }
        }
    }

    /// An interaction without operands, or the head of an operator. Returns whether operands follow.
    fn interaction(&mut self) -> bool {
        use TokenKind::{
            Arrow, At, Dashes, EmptySet, LeftBrace, LeftBracket, LeftParen, Name, Variable,
        };
        match (self.kind(), self.kind_at(1)) {
            (Some(At), _) => self.call(),
            (Some(LeftBrace), _) => self.group(false),
            (Some(EmptySet), _) => self.skip(),
            (Some(Name), Some(LeftParen | LeftBracket)) => return self.operator(),
            (Some(Name), Some(Name)) if self.kind_at(2) == Some(Variable) => {
                return self.operator();
            }
            (Some(Name), next) if !matches!(next, Some(Dashes | Arrow)) => self.skip(),
            _ => self.passing(),
        }
        false
    }

    /// The head of an operator: its bounds, region and `for`, and the parenthesis of its operands.
    fn operator(&mut self) -> bool {
        let first = self.at;
        let mut has_region = matches!(self.word(), "coreg" | "loopC");
        self.skip();
        while let Some(kind) = self.kind() {
            match kind {
                TokenKind::LeftBracket => self.group(false),
                TokenKind::LeftParen if std::mem::take(&mut has_region) => self.group(true),
                TokenKind::LeftParen => {
                    self.open(first);
                    return true;
                }
                _ => self.skip(),
            }
        }
        false
    }

    fn open(&mut self, first: usize) {
        let (level, operator) = (self.open.len(), self.operators.len());
        let close = self.at;
        self.operators.push(Operator { first, close, level, height: 1, is_broken: false });
        self.skip();
        self.open.push(operator);
        self.place(TokenPlace::Operand { operator, is_first: true });
    }

    /// `a -- m -> b` or `m -> (b,c)`: up to the targets behind the arrow.
    fn passing(&mut self) {
        let start = self.at;
        while self.kind().is_some_and(|kind| kind != TokenKind::Arrow) {
            self.skip();
        }
        self.skip_if(TokenKind::Arrow);
        match self.kind() {
            Some(TokenKind::LeftParen) => self.group(true),
            Some(_) => self.skip(),
            None => self.at = self.at.max(start + 1),
        }
    }

    /// The comma or the parentheses behind an interaction.
    fn after_interaction(&mut self) {
        while let Some(&operator) = self.open.last() {
            if self.skip_if(TokenKind::Comma) {
                return self.place(TokenPlace::Operand { operator, is_first: false });
            }
            if self.kind() != Some(TokenKind::RightParen) {
                return;
            }
            self.close(operator);
        }
    }

    fn close(&mut self, operator: usize) {
        self.open.pop();
        self.place(TokenPlace::Close { operator });
        self.operators[operator].close = self.at;
        self.skip();
        let height = self.operators[operator].height + 1;
        if let Some(&around) = self.open.last() {
            let around = &mut self.operators[around];
            around.height = around.height.max(height);
        }
    }
}
