//! The preprocessor: variables, conditions, functions and procedures, included files. Lines in, lines
//! out.
//!
//! Every call, every line and every byte of a text that is searched or written costs a step. The number
//! of steps and the bytes of all values are limited by the length of the text. So no text takes more
//! than linear time and memory, whatever its macros call.

mod commands;
mod definition;
mod functions;
mod refusals;

use super::expression::{Names, evaluate};
use super::include::Include;
use super::json;
use super::line::SourceLine;
use super::script::{Script, command};
use super::value::Value;
use crate::source::{Diagnostic, Diagnostics, Span};
use definition::{Function, FunctionKind};
use refusals::Refusals;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

/// The steps that any text may take.
const MIN_STEPS: usize = 1_000_000;
/// The further steps per byte of a text.
const STEPS_PER_BYTE: usize = 50;
/// The bytes that the values of any text may take.
const MIN_BYTES: usize = 1_000_000;
/// The further bytes per byte of a text.
const BYTES_PER_BYTE: usize = 50;
/// The most calls inside each other.
const MAX_CALLS: usize = 50;
/// The most files that include each other.
const MAX_INCLUDES: usize = 20;

/// The result of an evaluation after everything ended; it is not reported.
const STOPPED: &str = "stopped";

/// Preprocesses lines of a text of this length.
pub(super) fn preprocess(
    lines: Vec<SourceLine>,
    include: &Include<'_>,
    length: usize,
    diagnostics: &mut Diagnostics,
) -> Vec<SourceLine> {
    let mut preprocessor = Preprocessor {
        include,
        diagnostics,
        globals: HashMap::new(),
        scopes: Vec::new(),
        functions: HashMap::new(),
        included: HashSet::new(),
        open_includes: 0,
        output: Vec::new(),
        placed: 0,
        steps: MIN_STEPS.saturating_add(length.saturating_mul(STEPS_PER_BYTE)),
        bytes: MIN_BYTES.saturating_add(length.saturating_mul(BYTES_PER_BYTE)),
        refusals: Refusals::default(),
        depth: 0,
    };
    let script = Rc::new(Script::new(lines, preprocessor.diagnostics));
    if preprocessor.diagnostics.is_empty() {
        preprocessor.run(&script, 0..script.lines.len(), None);
    }
    let Preprocessor { output, refusals, diagnostics, .. } = preprocessor;
    refusals.report(diagnostics);
    output
}

/// The names defined and the lines written so far.
struct Preprocessor<'a> {
    include: &'a Include<'a>,
    diagnostics: &'a mut Diagnostics,
    globals: HashMap<String, Value>,
    /// The variables of the functions that are being called.
    scopes: Vec<HashMap<String, Value>>,
    functions: HashMap<String, Rc<Function>>,
    /// The files included so far.
    included: HashSet<String>,
    /// How many files are being included.
    open_includes: usize,
    output: Vec<SourceLine>,
    /// The first errors, whose messages say their file.
    placed: usize,
    /// The steps that are left; without any, everything ends.
    steps: usize,
    /// The bytes that are left for values.
    bytes: usize,
    /// The statements that are not supported.
    refusals: Refusals,
    /// How many parentheses and calls are open in the expression.
    depth: usize,
}

/// The place to go on after a line.
enum Flow {
    /// The next line.
    Next,
    /// The line of this index.
    Jump(usize),
    /// The function ends with this value.
    Return(Value),
    /// Everything ends.
    Stop,
}

impl Preprocessor<'_> {
    /// Runs lines of a script. Those that are written have the given place, or their own.
    fn run(&mut self, script: &Rc<Script>, range: Range<usize>, origin: Option<Span>) -> Flow {
        let mut index = range.start;
        while index < range.end {
            let line = &script.lines[index];
            if !self.spend(1 + line.text.len(), line.span()) {
                return Flow::Stop;
            }
            let errors = self.diagnostics.count();
            let flow = match command(&line.text) {
                Some(command) => self.command(command, script, index, origin),
                None => self.text(line, origin),
            };
            // The lines that this one runs have said where they are.
            line.add_place(errors.max(self.placed), self.diagnostics);
            self.placed = self.diagnostics.count();
            index = match flow {
                Flow::Next => index + 1,
                Flow::Jump(to) => to,
                end => return end,
            };
        }
        Flow::Next
    }

    /// Takes steps; without any left, says so and returns `false`.
    fn spend(&mut self, steps: usize, place: Span) -> bool {
        if self.steps == 0 {
            return false;
        }
        self.steps = self.steps.saturating_sub(steps);
        if self.steps == 0 {
            let message = "the preprocessor takes too many steps";
            let help = "write the lines out, or use fewer loops and calls";
            self.diagnostics.push(Diagnostic::new(place, message, "stopped here").with_help(help));
        }
        self.steps > 0
    }

    /// Takes the memory for a value; without enough, says so, and everything ends.
    fn take_bytes(&mut self, bytes: usize, place: Span) -> Result<(), String> {
        if let Some(rest) = self.bytes.checked_sub(bytes) {
            self.bytes = rest;
            return Ok(());
        }
        if self.steps > 0 {
            self.steps = 0;
            let message = "the values of the preprocessor take too many bytes";
            let help = "write the lines out, or build shorter texts";
            self.diagnostics.push(Diagnostic::new(place, message, "stopped here").with_help(help));
        }
        Err(STOPPED.to_owned())
    }

    /// Reports an error, unless everything ends already.
    fn error(&mut self, line: &SourceLine, message: impl Into<String>) {
        if self.steps == 0 {
            return;
        }
        let error = Diagnostic::new(line.span(), message, "in this line");
        let help = "correct it, or write out the lines that it stands for";
        self.diagnostics.push(error.with_help(help));
    }

    /// A line that is not a statement of the preprocessor.
    fn text(&mut self, line: &SourceLine, origin: Option<Span>) -> Flow {
        if line.comment().is_some() {
            self.write(line.clone(), origin);
            return Flow::Next;
        }
        if let Some((function, arguments)) = self.procedure_call(line.text.trim()) {
            return self.call_lines(line, &function, &arguments, origin);
        }
        match self.expand(&line.text, line) {
            Ok(text) if is_call_without_text(&line.text) && text.trim().is_empty() => {}
            Ok(text) => self.write(line.changed(text), origin),
            Err(message) => self.error(line, message),
        }
        Flow::Next
    }

    fn write(&mut self, line: SourceLine, origin: Option<Span>) {
        let span = origin.unwrap_or_else(|| line.span());
        if !self.spend(line.text.len(), span) {
            return;
        }
        self.output.push(match origin {
            Some(span) => {
                let text = line.text.clone();
                line.moved(text, span)
            }
            None => line,
        });
    }

    /// A line that calls a procedure.
    fn procedure_call<'t>(&self, text: &'t str) -> Option<(Rc<Function>, Vec<&'t str>)> {
        if self.functions.is_empty() {
            return None;
        }
        let Some(open) = text.find('(') else {
            let function = self.functions.get(text)?;
            return (function.kind == FunctionKind::Procedure)
                .then(|| (Rc::clone(function), Vec::new()));
        };
        let function = self.functions.get(&text[..open])?;
        let (arguments, end) = super::expression::arguments(&text[open..])?;
        let fits = function.kind == FunctionKind::Procedure && open + end == text.len();
        fits.then(|| (Rc::clone(function), arguments))
    }

    /// Writes the lines of a procedure.
    fn call_lines(
        &mut self,
        line: &SourceLine,
        function: &Rc<Function>,
        arguments: &[&str],
        origin: Option<Span>,
    ) -> Flow {
        let span = origin.unwrap_or_else(|| line.span());
        let scope = match self.bind(function, arguments, line) {
            Ok(scope) => scope,
            Err(message) => {
                self.error(line, message);
                return Flow::Next;
            }
        };
        self.scopes.push(scope);
        let flow = self.run(&function.script, function.body.clone(), Some(span));
        self.scopes.pop();
        if matches!(flow, Flow::Stop) { Flow::Stop } else { Flow::Next }
    }

    /// The value of an expression in a line.
    fn evaluate(&mut self, text: &str, line: &SourceLine) -> Result<Value, String> {
        if !self.spend(text.len(), line.span()) {
            return Err(STOPPED.to_owned());
        }
        evaluate(text, &mut Evaluation { preprocessor: self, line })
    }

    /// A text with the values of the variables and functions in it.
    fn expand(&mut self, text: &str, line: &SourceLine) -> Result<String, String> {
        let has_names = !(self.globals.is_empty() && self.functions.is_empty());
        if !has_names && self.scopes.is_empty() && !text.contains('%') {
            return Ok(text.to_owned());
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let mut is_in_word = false;
        while let Some(first) = rest.chars().next() {
            let length = word_length(rest);
            if length == 0 {
                is_in_word = false;
                let (taken, written) = separator(rest, first, self.scopes.is_empty());
                out.push_str(written);
                rest = &rest[taken..];
                continue;
            }
            let (word, after) = rest.split_at(length);
            let found = if is_in_word { None } else { self.name(word, after, line)? };
            rest = after;
            is_in_word = found.is_none();
            match found {
                Some((value, taken)) => {
                    out.push_str(&value);
                    rest = &after[taken..];
                    if !self.spend(1 + taken + value.len(), line.span()) {
                        return Err(STOPPED.to_owned());
                    }
                }
                None => out.push_str(word),
            }
        }
        Ok(out)
    }

    /// The text that a word stands for, and how many bytes after it belong to it.
    fn name(
        &mut self,
        word: &str,
        after: &str,
        line: &SourceLine,
    ) -> Result<Option<(String, usize)>, String> {
        if after.starts_with('(') && self.is_function(word) {
            if !self.spend(after.len(), line.span()) {
                return Err(STOPPED.to_owned());
            }
            if let Some((arguments, end)) = super::expression::arguments(after) {
                let value = self.call(word, &arguments, line)?;
                return Ok(value.map(|value| (value.to_string(), end)));
            }
        }
        match self.lookup(word) {
            Some(value @ Value::Json(_)) => {
                let value = value.clone();
                self.part(value, after, line).map(Some)
            }
            value => Ok(value.map(|value| (value.to_string(), 0))),
        }
    }

    /// The part of a JSON value to which the start of a text leads, and how many bytes of the text lead there.
    fn part(
        &mut self,
        mut value: Value,
        after: &str,
        line: &SourceLine,
    ) -> Result<(String, usize), String> {
        self.take_bytes(value.bytes(), line.span())?;
        let mut taken = 0;
        while let (Value::Json(_), Some((key, is_in_brackets, length))) =
            (&value, json::step(&after[taken..]))
        {
            let key = match is_in_brackets {
                true => self.evaluate(key, line)?,
                false => Value::Text(key.to_owned()),
            };
            let Some(part) = value.part(&key) else { break };
            value = part;
            taken += length;
        }
        Ok((value.to_string(), taken))
    }

    fn lookup(&self, name: &str) -> Option<&Value> {
        let local = self.scopes.last().and_then(|scope| scope.get(name));
        local.or_else(|| self.globals.get(name))
    }
}

/// How long the word at the start of this text is: `$name`, `%name` or `name`.
fn word_length(text: &str) -> usize {
    let mark = usize::from(text.starts_with(['$', '%']));
    let name = &text[mark..];
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
    if end == 0 { 0 } else { mark + end }
}

/// The start of a text that does not start with a word: how many bytes of it are read, and the text written for them.
fn separator(rest: &str, first: char, is_global: bool) -> (usize, &str) {
    if !is_global && rest.starts_with("##") {
        return (2, "");
    }
    let escapes = first == '\\' && rest[1..].starts_with(['n', 't', 'l', 'r']);
    let length = if escapes { 2 } else { first.len_utf8() };
    (length, &rest[..length])
}

/// Whether a line is nothing but a call of a function of PlantUML, as `%set_variable_value(…)` is.
fn is_call_without_text(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('%') && text.ends_with(')')
}

/// An expression in a line.
struct Evaluation<'e, 'a> {
    preprocessor: &'e mut Preprocessor<'a>,
    line: &'e SourceLine,
}

impl Names for Evaluation<'_, '_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, String> {
        let bytes = self.preprocessor.lookup(name).map_or(0, Value::bytes);
        self.take_bytes(bytes)?;
        Ok(self.preprocessor.lookup(name).cloned())
    }

    fn take_bytes(&mut self, bytes: usize) -> Result<(), String> {
        self.preprocessor.take_bytes(bytes, self.line.span())
    }

    fn call(&mut self, name: &str, arguments: &[&str]) -> Result<Option<Value>, String> {
        self.preprocessor.call(name, arguments, self.line)
    }

    fn depth(&mut self) -> &mut usize {
        &mut self.preprocessor.depth
    }
}

#[cfg(test)]
mod tests;
