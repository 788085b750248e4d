//! The definitions of functions and procedures.

use super::super::expression::arguments;
use super::super::script::Script;
use std::ops::Range;
use std::rc::Rc;

/// The text that replaces a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionKind {
    /// The value that it returns.
    Function,
    /// Its lines.
    Procedure,
    /// Its text, `!define NAME(x) text`.
    Define,
}

/// A function of the text.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) kind: FunctionKind,
    /// Whether arguments are texts, not expressions.
    pub(super) is_unquoted: bool,
    pub(super) parameters: Vec<Parameter>,
    /// Where its lines are.
    pub(super) script: Rc<Script>,
    pub(super) body: Range<usize>,
    /// The value it returns, or its text, if it stands in one line.
    pub(super) text: Option<String>,
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) default: Option<String>,
}

impl Function {
    /// The name and the parameters of `name(a, b = 1)`, and how long this is.
    pub(super) fn signature(text: &str) -> Option<(&str, Vec<Parameter>, usize)> {
        let end = text.find(|c: char| !(c.is_alphanumeric() || "_$%".contains(c)));
        let (name, rest) = text.split_at(end.unwrap_or(text.len()));
        if name.is_empty() {
            return None;
        }
        let spaces = rest.len() - rest.trim_start().len();
        if !rest[spaces..].starts_with('(') {
            return Some((name, Vec::new(), name.len()));
        }
        let (parameters, length) = arguments(&rest[spaces..])?;
        let parameters = parameters.into_iter().map(Parameter::read).collect();
        Some((name, parameters, name.len() + spaces + length))
    }

    /// A function with these lines or this text; `None` if it has no name.
    pub(super) fn read(
        signature: &str,
        kind: FunctionKind,
        is_unquoted: bool,
        script: &Rc<Script>,
        body: Range<usize>,
    ) -> Option<(String, Function)> {
        let (name, parameters, end) = Function::signature(signature)?;
        let text = (kind == FunctionKind::Define).then(|| signature[end..].trim().to_owned());
        let script = Rc::clone(script);
        let function = Function { kind, is_unquoted, parameters, script, body, text };
        Some((name.to_owned(), function))
    }
}

impl Parameter {
    fn read(text: &str) -> Parameter {
        let (name, default) = match text.split_once('=') {
            Some((name, default)) => (name, Some(default.trim().to_owned())),
            None => (text, None),
        };
        Parameter { name: name.trim().to_owned(), default }
    }
}
