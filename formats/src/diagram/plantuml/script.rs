//! The lines of a text with the statements of the preprocessor in them, and which lines belong
//! together.

use super::line::SourceLine;
use crate::source::{Diagnostic, Diagnostics};

/// The most blocks of the preprocessor inside each other.
const MAX_NESTING: usize = 200;

/// A text before it is preprocessed.
#[derive(Debug)]
pub(super) struct Script {
    /// Its lines.
    pub(super) lines: Vec<SourceLine>,
    /// For a line that opens or divides a block: the line that divides or ends it next. For a line
    /// that ends a block: the line that opens it.
    pub(super) next: Vec<usize>,
}

/// A statement of the preprocessor: its keyword and the text after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Command<'a> {
    /// The keyword without `!`, in lower case as PlantUML writes it.
    pub(super) keyword: &'a str,
    /// The text after it.
    pub(super) rest: &'a str,
}

/// The statement of the preprocessor that this line is.
pub(super) fn command(text: &str) -> Option<Command<'_>> {
    let body = text.trim().strip_prefix('!')?.trim_start();
    let end = body.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    let (keyword, rest) = body.split_at(end.unwrap_or(body.len()));
    let rest = rest.trim();
    if matches!(keyword, "unquoted" | "final") {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (keyword, rest) = rest.split_at(end);
        return Some(Command { keyword, rest: rest.trim() });
    }
    Some(Command { keyword, rest })
}

/// The keywords that end a block which this one opens, and those that divide it.
fn partner(keyword: &str, rest: &str) -> Option<(&'static str, &'static [&'static str])> {
    Some(match keyword {
        "if" | "ifdef" | "ifndef" => ("endif", &["else", "elseif"]),
        "while" => ("endwhile", &[]),
        "foreach" => (FOREACH_END, &[]),
        "function" if !is_one_line(rest) => ("endfunction", &[]),
        "procedure" => ("endprocedure", &[]),
        "definelong" => ("enddefinelong", &[]),
        _ => return None,
    })
}

/// `!function f($x) return …`, which needs no end.
pub(super) fn is_one_line(rest: &str) -> bool {
    one_line_body(rest).is_some()
}

/// The value after `return` in `f($x) return …`.
pub(super) fn one_line_body(rest: &str) -> Option<&str> {
    let open = rest.find('(')?;
    let (_, end) = super::expression::arguments(&rest[open..])?;
    let after = rest[open + end..].trim_start().trim_start_matches('!');
    let body = after.strip_prefix("return")?;
    body.starts_with(char::is_whitespace).then(|| body.trim())
}

/// The keyword that ends `!foreach`.
const FOREACH_END: &str = "endfor";
/// Keywords that divide or end a block.
const ENDS: [&str; 9] = [
    "else",
    "elseif",
    "endif",
    "endwhile",
    "endfor",
    "endforeach",
    "endfunction",
    "endprocedure",
    "enddefinelong",
];

struct Open {
    line: usize,
    ends: &'static str,
    divides: &'static [&'static str],
    opener: usize,
}

impl Script {
    /// Finds the blocks in these lines.
    pub(super) fn new(lines: Vec<SourceLine>, diagnostics: &mut Diagnostics) -> Script {
        let mut next = vec![0; lines.len()];
        let mut open: Vec<Open> = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let errors = diagnostics.count();
            let Some(Command { keyword, rest }) = command(&line.text) else { continue };
            if let Some((ends, divides)) = partner(keyword, rest) {
                if open.len() < MAX_NESTING {
                    open.push(Open { line: index, ends, divides, opener: index });
                } else {
                    diagnostics.push(too_deep(line));
                    line.add_place(errors, diagnostics);
                }
                continue;
            }
            match open.last_mut() {
                Some(last) if last.is_ended_by(keyword) => {
                    next[last.line] = index;
                    next[index] = last.opener;
                    open.pop();
                }
                Some(last) if last.divides.contains(&keyword) => {
                    next[last.line] = index;
                    last.line = index;
                }
                _ if ENDS.contains(&keyword) => {
                    diagnostics.push(not_opened(line, keyword));
                    line.add_place(errors, diagnostics);
                }
                _ => {}
            }
        }
        for Open { line, ends, opener, .. } in open {
            next[line] = lines.len();
            let errors = diagnostics.count();
            diagnostics.push(not_closed(&lines[opener], ends));
            lines[opener].add_place(errors, diagnostics);
        }
        Script { lines, next }
    }
}

impl Open {
    fn is_ended_by(&self, keyword: &str) -> bool {
        keyword == self.ends || (self.ends == FOREACH_END && keyword == "endforeach")
    }
}

fn not_closed(line: &SourceLine, ends: &str) -> Diagnostic {
    let message = "a block of the preprocessor that is not closed";
    Diagnostic::new(line.span(), message, "opened here").with_help(format!("add `!{ends}`"))
}

fn not_opened(line: &SourceLine, keyword: &str) -> Diagnostic {
    let message = format!("`!{keyword}` without a block that it belongs to");
    Diagnostic::new(line.span(), message, "no block is open here").with_help("remove it")
}

fn too_deep(line: &SourceLine) -> Diagnostic {
    let message = format!("blocks of the preprocessor nested deeper than {MAX_NESTING} levels");
    let error = Diagnostic::new(line.span(), message, "this one");
    error.with_help("close a block before, or write out the lines that it stands for")
}
