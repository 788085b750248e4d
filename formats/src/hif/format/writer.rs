//! Tokens and comments as lines.

use super::comments::{Comment, Gap, Gaps, KeptLines};
use super::structure::{Structure, TokenPlace};
use crate::lexer::{Token, TokenKind};

/// The most columns of a line that can be cut at a comma.
const MAX_LINE: usize = 100;

/// The text of these tokens and comments.
pub(super) fn write(
    text: &str,
    tokens: &[Token],
    gaps: &Gaps,
    structure: &Structure,
    kept: &KeptLines,
) -> String {
    let mut writer = Writer { text, tokens, structure, kept, out: String::new(), line_start: 0 };
    for (at, token) in tokens.iter().enumerate() {
        if let Some(gap) = gaps.list.get(at) {
            let border = writer.border(at);
            writer.gap(gap, &border);
        }
        writer.push(text.get(token.span.start..token.span.end).unwrap_or_default());
    }
    if let Some(gap) = gaps.list.last() {
        writer.end(gap);
    }
    writer.out
}

/// The line ends between two tokens, and the levels around them.
struct Border {
    /// Whether a line ends.
    is_break: bool,
    /// The level of the token behind it, if a line ends.
    level: usize,
    /// The level of comments on lines of their own.
    comment_level: usize,
    /// Whether a blank line may stay.
    keeps_blank: bool,
    /// Whether a comment on the line of the token behind belongs to that token.
    is_before_operand: bool,
    /// Whether a blank stands there if no line ends.
    has_blank: bool,
    /// Whether a blank stands behind a comment there.
    has_blank_behind_comment: bool,
}

struct Writer<'a> {
    text: &'a str,
    tokens: &'a [Token],
    structure: &'a Structure,
    kept: &'a KeptLines,
    out: String,
    /// Where the last line starts.
    line_start: usize,
}

impl Writer<'_> {
    fn border(&self, at: usize) -> Border {
        let level = self.structure.levels[at];
        let is_broken = |operator: usize| self.structure.operators[operator].is_broken;
        let mut border = Border {
            is_break: false,
            level: level + 1,
            comment_level: level + 1,
            keeps_blank: false,
            is_before_operand: false,
            has_blank: self.structure.blanks[at],
            has_blank_behind_comment: !is_end(self.tokens[at].kind),
        };
        match self.structure.places[at] {
            TokenPlace::Inside => border.is_break = self.is_over(at),
            TokenPlace::Part => {
                border = Border { is_break: true, level: 0, ..border }.before_operand(0)
            }
            TokenPlace::Operand { operator, is_first } => {
                border = Border { is_break: is_broken(operator), level, ..border };
                border = border.before_operand(level);
                border.keeps_blank = !is_first;
            }
            TokenPlace::Close { operator } => {
                border = Border { is_break: is_broken(operator), level, ..border };
            }
        }
        border.is_break = self.kept.ends_before(at).unwrap_or(border.is_break);
        border
    }

    /// Whether the line is full, so that it ends behind the comma before a token.
    fn is_over(&self, at: usize) -> bool {
        let is_after_comma = at > 0 && self.tokens[at - 1].kind == TokenKind::Comma;
        if !is_after_comma || !self.kept.is_empty() {
            return false;
        }
        let mut columns = self.out[self.line_start..].chars().count();
        for (index, token) in self.tokens.iter().enumerate().skip(at) {
            let word = self.text.get(token.span.start..token.span.end).unwrap_or_default();
            columns += word.chars().count() + usize::from(self.structure.blanks[index]);
            let next = self.structure.places.get(index + 1);
            if token.kind == TokenKind::Comma || next != Some(&TokenPlace::Inside) {
                break;
            }
        }
        columns > MAX_LINE
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Ends the line, unless nothing is written yet.
    fn new_line(&mut self, level: usize, has_blank: bool) {
        if self.out.is_empty() {
            return;
        }
        self.push(if has_blank { "\n\n" } else { "\n" });
        self.line_start = self.out.len();
        for _ in 0..level {
            self.push("    ");
        }
    }

    fn comment(&mut self, comment: &Comment) {
        let text = self.text.get(comment.span.start..comment.span.end).unwrap_or_default();
        let lines: Vec<&str> = text.trim_end().split("\r\n").collect();
        self.push(&lines.join("\n"));
        if let Some(last) = self.out.rfind('\n') {
            self.line_start = last + 1;
        }
    }

    fn gap(&mut self, gap: &Gap, border: &Border) {
        let comments = &gap.comments;
        let last_break = comments.iter().rposition(|comment| comment.is_last_on_line);
        // From this one on they share the line of the token.
        let with_token = last_break.map_or(0, |at| at + 1);
        for (at, comment) in comments.iter().enumerate() {
            let starts_line = border.is_break && border.is_before_operand && at == with_token;
            if comment.is_first_on_line || starts_line {
                let has_blank = comment.is_after_blank && border.keeps_blank;
                self.new_line(border.comment_level, has_blank);
            } else if !self.out.is_empty() {
                self.push(" ");
            }
            self.comment(comment);
        }
        let is_on_line = with_token < comments.len();
        if is_on_line && (!border.is_break || border.is_before_operand) {
            self.push(if border.has_blank_behind_comment { " " } else { "" });
        } else if border.is_break || last_break.is_some() {
            self.new_line(border.level, gap.ends_blank && border.keeps_blank);
        } else if border.has_blank {
            self.push(" ");
        }
    }

    /// The comments at the end of the text.
    fn end(&mut self, gap: &Gap) {
        for comment in &gap.comments {
            if comment.is_first_on_line {
                self.new_line(0, comment.is_after_blank);
            } else if !self.out.is_empty() {
                self.push(" ");
            }
            self.comment(comment);
        }
        if !self.out.is_empty() {
            self.push("\n");
        }
    }
}

/// Whether a token ends the construct before it.
fn is_end(kind: TokenKind) -> bool {
    use TokenKind::{Comma, RightBrace, RightBracket, RightParen};
    matches!(kind, Comma | RightBrace | RightBracket | RightParen)
}

impl Border {
    /// The border before an operand or a part at this level.
    fn before_operand(self, level: usize) -> Border {
        let keeps_blank = true;
        Border { comment_level: level, keeps_blank, is_before_operand: true, ..self }
    }
}
