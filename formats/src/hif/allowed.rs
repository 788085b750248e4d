//! Comments that silence warnings: `// multitrace: allow MT601, MT607`.
//!
//! Behind the codes may stand a reason. A comment before the interaction is for the whole text; one on
//! a line of its own for the next line that has more than comments; one behind something for its
//! line.

use crate::lexer::Token;
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use crate::suggest::closest;
use crate::warning::{Warning, WarningCode};
use std::collections::BTreeSet;

/// Which warnings of a specification its comments silence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    everywhere: BTreeSet<WarningCode>,
    /// A code and where a line starts and ends that it is allowed on, by the start.
    lines: BTreeSet<(usize, usize, WarningCode)>,
}

impl Allowed {
    /// Silences warnings in the whole text.
    pub(crate) fn allow_everywhere(&mut self, codes: impl IntoIterator<Item = WarningCode>) {
        self.everywhere.extend(codes);
    }

    /// Silences warnings on the line of a place.
    pub(crate) fn allow_on_line(
        &mut self,
        text: &str,
        at: usize,
        codes: impl IntoIterator<Item = WarningCode>,
    ) {
        let line = line(text, at);
        self.lines.extend(codes.into_iter().map(|code| (line.start, line.end, code)));
    }

    /// Whether a comment silences a warning: for the whole text, or on a line of one of its places.
    pub fn silences(&self, warning: &Warning) -> bool {
        self.everywhere.contains(&warning.code)
            || warning.places().any(|span| self.is_on_line(warning.code, span))
    }

    fn is_on_line(&self, code: WarningCode, span: Span) -> bool {
        // Lines do not overlap, so only the last one that starts before the place can hold it.
        let until = (span.start, usize::MAX, WarningCode::ALL[WarningCode::ALL.len() - 1]);
        let Some(&(start, ..)) = self.lines.range(..=until).next_back() else { return false };
        let own = self.lines.range((start, 0, WarningCode::ALL[0])..=until);
        own.into_iter().any(|&(_, end, allowed)| allowed == code && span.start <= end)
    }
}

/// The warnings that the comments of a text allow. They begin with `//`, and are in order as the tokens are.
pub(super) fn read(
    text: &str,
    comments: &[Span],
    tokens: &[Token],
    diagnostics: &mut Diagnostics,
) -> Allowed {
    let mut allowed = Allowed::default();
    for &comment in comments {
        let Some(codes) = directive(text, comment, diagnostics) else { continue };
        let next = tokens.partition_point(|token| token.span.start < comment.start);
        if next == 0 {
            allowed.everywhere.extend(codes);
            continue;
        }
        let is_behind = !text[tokens[next - 1].span.end..comment.start].contains('\n');
        let at = if is_behind { Some(comment.start) } else { start_of(tokens.get(next)) };
        let Some(at) = at else { continue };
        allowed.allow_on_line(text, at, codes);
    }
    allowed
}

fn start_of(token: Option<&Token>) -> Option<usize> {
    token.map(|token| token.span.start)
}

/// The line around a place.
fn line(text: &str, at: usize) -> Span {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let end = text[at..].find('\n').map_or(text.len(), |to| at + to);
    Span::new(start, end)
}

/// The codes of a comment, if the comment is a directive.
fn directive(text: &str, comment: Span, diagnostics: &mut Diagnostics) -> Option<Vec<WarningCode>> {
    let what = directive_text(text, comment)?;
    if let Some(error) = missed(what, comment) {
        diagnostics.push(error);
        return None;
    }
    let (word, rest) = what.split_once(char::is_whitespace).unwrap_or((what, ""));
    let usage = "write `// multitrace: allow MT601`, with several codes `allow MT601, MT607`";
    if word != "allow" {
        let message = format!("unknown directive {}", quote(word));
        let error = Diagnostic::new(comment, message, "not `allow`");
        diagnostics.push(error.with_help(usage));
        return None;
    }
    let names = names(rest);
    if names.is_empty() {
        let error = Diagnostic::new(comment, "`allow` names no warning", "expected a code");
        diagnostics.push(error.with_help(usage));
    }
    let mut known = |name| match code(name) {
        Ok(code) => Some(code),
        Err((message, help)) => {
            diagnostics.push(Diagnostic::new(comment, message, "unknown code").with_help(help));
            None
        }
    };
    Some(names.into_iter().filter_map(&mut known).collect())
}

/// The text behind `multitrace:` in a comment, or a comment that misses it; `None` if it is not a directive.
pub(super) fn directive_text(text: &str, comment: Span) -> Option<&str> {
    let inside = text.get(comment.start..comment.end)?.trim_start_matches('/').trim();
    let is_meant = |rest: &str| {
        let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        closest(word, ["allow"]).is_some() && rest.trim_start().starts_with("MT")
    };
    directive_of(inside, is_meant)
}

/// The word that begins the comments for this tool.
const MARK: &str = "multitrace:";

/// The text behind `multitrace:` in a comment. The whole comment if it misses that by its colon or a letter, and goes on as
/// a directive does: that is an error, see [`missed`]. `None` for other comments.
pub(crate) fn directive_of(comment: &str, is_meant: impl Fn(&str) -> bool) -> Option<&str> {
    let own = comment.strip_prefix(MARK).map(str::trim);
    own.or_else(|| after_slip(comment).is_some_and(is_meant).then_some(comment))
}

/// The text behind a word that is almost `multitrace:`.
fn after_slip(comment: &str) -> Option<&str> {
    let end = comment.find(|c: char| c == ':' || c.is_whitespace())?;
    let (word, rest) = comment.split_at(end);
    closest(word, [MARK])?;
    Some(rest.trim_start_matches(|c: char| !c.is_alphanumeric()))
}

/// The error of a directive that misses `multitrace:`; `None` for others.
pub(crate) fn missed(directive: &str, span: Span) -> Option<Diagnostic> {
    let rest = after_slip(directive)?;
    let error = Diagnostic::new(span, "this comment is almost a directive", "not `multitrace:`");
    Some(error.with_help(format!(
        "write {}, or begin the comment with another word",
        quote(&format!("{MARK} {rest}"))
    )))
}

/// The codes at the start of a text: words with commas between them. The text after them is a reason.
pub(crate) fn names(mut rest: &str) -> Vec<&str> {
    let mut names = Vec::new();
    loop {
        rest = rest.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        if name.is_empty() {
            return names;
        }
        names.push(name);
        match behind.trim_start().strip_prefix(',') {
            Some(more) => rest = more,
            None => return names,
        }
    }
}

/// The code of this name, or else a message and its remedy.
pub(crate) fn code(name: &str) -> Result<WarningCode, (String, String)> {
    WarningCode::of_name(name).ok_or_else(|| {
        let [first, .., last] = WarningCode::ALL.map(WarningCode::name);
        let message = format!("{} is not the code of a warning", quote(name));
        (message, format!("warnings have the codes {first} to {last}"))
    })
}
