//! The statements of the preprocessor.

use super::super::json;
use super::super::line::{self, Included, SourceLine};
use super::super::script::{Command, Script, command, one_line_body};
use super::super::value::Value;
use super::definition::{Function, FunctionKind};
use super::{Flow, MAX_INCLUDES, Preprocessor};
use crate::diagram::plantuml::extent;
use crate::source::{Diagnostic, Span, quote};
use std::rc::Rc;

impl Preprocessor<'_> {
    /// Runs a statement.
    pub(super) fn command(
        &mut self,
        command: Command<'_>,
        script: &Rc<Script>,
        index: usize,
        origin: Option<Span>,
    ) -> Flow {
        let line = &script.lines[index];
        match command.keyword {
            "if" | "ifdef" | "ifndef" => return self.condition(command, script, index),
            "else" | "elseif" => return self.leave(script, index),
            "while" => return self.repeat(command, script, index),
            "endwhile" => return Flow::Jump(script.next[index]),
            "function" | "procedure" | "definelong" => return self.declare(command, script, index),
            "return" => return self.give_back(command, line),
            "exit" => return Flow::Stop,
            "define" => self.define(command, script, line),
            "undef" => {
                self.globals.remove(command.rest);
                self.functions.remove(command.rest);
            }
            "foreach" => return self.for_each(command, script, index, origin),
            "include" | "include_many" | "include_once" | "includesub" | "includedef" => {
                return self.include(command, line);
            }
            "pragma" | "theme" => self.write(line.clone(), origin),
            "endif" | "startsub" | "endsub" | "log" | "dump_memory" | "assert" => {}
            _ => match self.assign(command, script, index) {
                Some(next) => return Flow::Jump(next),
                None => self.refuse(command, line),
            },
        }
        Flow::Next
    }

    /// `!foreach $x in list`
    fn for_each(
        &mut self,
        command: Command<'_>,
        script: &Rc<Script>,
        index: usize,
        origin: Option<Span>,
    ) -> Flow {
        let (line, end) = (&script.lines[index], script.next[index]);
        let Some((name, list)) = command.rest.split_once(" in ") else {
            self.error(line, "write `!foreach $x in list`");
            return Flow::Jump(end.saturating_add(1));
        };
        let Some(list) = self.value(list, line) else { return Flow::Jump(end.saturating_add(1)) };
        let Some(elements) = list.elements() else {
            self.error(line, "`!foreach` goes through a list or an object of JSON");
            return Flow::Jump(end.saturating_add(1));
        };
        for element in elements {
            self.set("", name.trim(), element);
            match self.run(script, index + 1..end, origin) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Jump(end.saturating_add(1))
    }

    fn refuse(&mut self, command: Command<'_>, line: &SourceLine) {
        let (place, keyword) = (line.place_in_words(), command.keyword);
        let message = format!("{place}`!{keyword}` of the preprocessor is not supported");
        let help = "write out the lines that it stands for";
        let diagnostic = Diagnostic::new(line.span(), message, "this statement").with_help(help);
        self.refusals.add(diagnostic);
    }

    /// The value of an expression; an error is reported.
    fn value(&mut self, text: &str, line: &SourceLine) -> Option<Value> {
        match self.evaluate(text, line) {
            Ok(value) => Some(value),
            Err(message) => {
                let message = format!("the expression {} has no value: {message}", quote(text));
                self.error(line, message);
                None
            }
        }
    }

    fn condition(&mut self, command: Command<'_>, script: &Script, index: usize) -> Flow {
        let (mut at, mut holds) = (index, self.holds(command, &script.lines[index]));
        while !holds {
            at = script.next[at];
            let Some(line) = script.lines.get(at) else { break };
            if !self.spend(1, line.span()) {
                return Flow::Stop;
            }
            holds = match super::command(&line.text) {
                Some(command) if command.keyword == "elseif" => self.holds(command, line),
                _ => true,
            };
        }
        Flow::Jump(at + 1)
    }

    /// Goes on after the end of the block that a line divides.
    fn leave(&mut self, script: &Script, index: usize) -> Flow {
        let mut at = index;
        while let Some(line) = script.lines.get(at) {
            if !self.spend(1, line.span()) {
                return Flow::Stop;
            }
            match command(&line.text) {
                Some(command) if command.keyword == "endif" => break,
                _ => at = script.next[at],
            }
        }
        Flow::Jump(at + 1)
    }

    fn holds(&mut self, command: Command<'_>, line: &SourceLine) -> bool {
        match command.keyword {
            "ifdef" => self.is_defined(command.rest),
            "ifndef" => !self.is_defined(command.rest),
            _ => self.value(command.rest, line).is_some_and(|value| value.is_true()),
        }
    }

    /// A condition over names: `A`, `!A`, `A && B`, `A || B`.
    fn is_defined(&self, condition: &str) -> bool {
        let one = |name: &str| match name.trim().strip_prefix('!') {
            Some(name) => !self.is_name(name.trim()),
            None => self.is_name(name.trim()),
        };
        condition.split("||").any(|all| all.split("&&").all(one))
    }

    fn is_name(&self, name: &str) -> bool {
        self.lookup(name).is_some() || self.functions.contains_key(name)
    }

    fn repeat(&mut self, command: Command<'_>, script: &Script, index: usize) -> Flow {
        if self.holds(command, &script.lines[index]) {
            Flow::Next
        } else {
            Flow::Jump(script.next[index].saturating_add(1))
        }
    }

    fn give_back(&mut self, command: Command<'_>, line: &SourceLine) -> Flow {
        if self.scopes.is_empty() {
            self.error(line, "`!return` outside of a function");
            return Flow::Next;
        }
        if command.rest.is_empty() {
            return Flow::Return(Value::Text(String::new()));
        }
        let value = self.value(command.rest, line);
        Flow::Return(value.unwrap_or_else(|| Value::Text(String::new())))
    }

    fn declare(&mut self, command: Command<'_>, script: &Rc<Script>, index: usize) -> Flow {
        let line = &script.lines[index];
        let kind = if command.keyword == "function" {
            FunctionKind::Function
        } else {
            FunctionKind::Procedure
        };
        let text = one_line_body(command.rest).filter(|_| kind == FunctionKind::Function);
        let end = if text.is_some() { index } else { script.next[index] };
        let is_unquoted = command.keyword == "definelong" || line.text.contains("!unquoted");
        let body = index + 1..end.max(index + 1);
        match Function::read(command.rest, kind, is_unquoted, script, body) {
            Some((name, mut function)) => {
                function.text = text.map(str::to_owned);
                self.functions.insert(name, Rc::new(function));
            }
            None => self.error(line, "a function without a name"),
        }
        Flow::Jump(end.saturating_add(1))
    }

    fn define(&mut self, command: Command<'_>, script: &Rc<Script>, line: &SourceLine) {
        let read = Function::read(command.rest, FunctionKind::Define, true, script, 0..0);
        let Some((name, function)) = read else {
            return self.error(line, "`!define` without a name");
        };
        if command.rest[name.len()..].starts_with('(') {
            self.functions.insert(name, Rc::new(function));
            return;
        }
        match self.expand(&function.text.unwrap_or_default(), line) {
            Ok(text) => drop(self.globals.insert(name, Value::Text(text))),
            Err(message) => self.error(line, message),
        }
    }

    /// `!$name = value`, `!name = value`, `!local $name ?= value`: the index of the line behind it, since JSON may
    /// go on in lines that follow; `None` for another line.
    fn assign(&mut self, command: Command<'_>, script: &Script, index: usize) -> Option<usize> {
        let line = &script.lines[index];
        let (scope, name, rest) = match command.keyword {
            "local" | "global" => {
                let end = command.rest.find(|c: char| !(c.is_alphanumeric() || "_$".contains(c)));
                let (name, rest) = command.rest.split_at(end.unwrap_or(command.rest.len()));
                (command.keyword, name, rest.trim_start())
            }
            name => ("", name, command.rest),
        };
        let is_default = rest.starts_with("?=");
        let text = rest.strip_prefix("?=").or_else(|| rest.strip_prefix('='))?;
        let mut text = text.to_owned();
        let mut next = index + 1;
        while text.trim_start().starts_with(['{', '['])
            && matches!(json::read(&text), Ok(None))
            && let Some(more) = script.lines.get(next)
            && self.spend(text.len(), line.span())
        {
            text.push('\n');
            text.push_str(&more.text);
            next += 1;
        }
        if !(is_default && self.lookup(name).is_some())
            && let Some(value) = self.value(&text, line)
        {
            self.set(scope, name, value);
        }
        Some(next)
    }

    fn set(&mut self, scope: &str, name: &str, value: Value) {
        let is_global = scope == "global" || (scope.is_empty() && self.globals.contains_key(name));
        let local = self.scopes.last_mut();
        let local =
            local.filter(|local| !is_global || (scope.is_empty() && local.contains_key(name)));
        local.unwrap_or(&mut self.globals).insert(name.to_owned(), value);
    }

    fn include(&mut self, command: Command<'_>, line: &SourceLine) -> Flow {
        let name = match self.expand(command.rest, line) {
            Ok(name) => name.trim().trim_matches('"').to_owned(),
            Err(message) => {
                self.error(line, message);
                return Flow::Next;
            }
        };
        let (name, part) = match name.rsplit_once('!') {
            Some((name, part)) => (name.to_owned(), Some(part.trim().to_owned())),
            None => (name, None),
        };
        if let Some(diagnostic) = self.refusal(&name, line.span()) {
            self.diagnostics.push(diagnostic);
            return Flow::Next;
        }
        let name = beside(line.path(), &name);
        let is_new = self.included.insert(name.clone());
        if !is_new && command.keyword == "include_once" {
            return Flow::Next;
        }
        match (self.include)(&name) {
            Ok(text) => self.run_included(&name, &text, part.as_deref(), line.span()),
            Err(message) => {
                let message = format!("cannot include {}: {message}", quote(&name));
                self.error(line, message);
                Flow::Next
            }
        }
    }

    /// Why a file cannot be included, if it cannot.
    fn refusal(&self, name: &str, span: Span) -> Option<Diagnostic> {
        let (message, help) = if name.starts_with('<') {
            ("a library of PlantUML cannot be included", "remove it, or include a copy of its file")
        } else if name.contains("://") {
            ("an address cannot be included", "include a copy of the file")
        } else if name.is_empty() {
            ("`!include` without a file", "write the path of a file")
        } else if self.open_includes >= MAX_INCLUDES {
            ("too many files that include each other", "remove the circle of `!include`")
        } else {
            return None;
        };
        Some(Diagnostic::new(span, message, "included here").with_help(help))
    }

    /// Runs an included file; a part of it is one of its diagrams, by its number from 0 or its id, or the lines between
    /// `!startsub` of this name and `!endsub`.
    fn run_included(&mut self, name: &str, text: &str, part: Option<&str>, span: Span) -> Flow {
        if !self.spend(text.len(), span) {
            return Flow::Stop;
        }
        let included = Included { path: name.into(), span };
        let diagram = part.and_then(|part| extent::diagram(text, part));
        let part = part.filter(|_| diagram.is_none());
        let first = || extent::diagram(text, "0").filter(|_| part.is_none());
        let body = match diagram.or_else(first) {
            Some(diagram) => extent::body(text, diagram).map(|it| it.body),
            None => Ok(0..text.len()),
        };
        let range = match body {
            Ok(body) => body,
            Err(error) => {
                let message = included.words(text, error.span.start) + &error.message;
                let error = Diagnostic { message, span, ..error };
                self.diagnostics.push(error);
                self.placed = self.diagnostics.count();
                return Flow::Next;
            }
        };
        let mut lines = line::lines(text, range, Some(&included), self.diagnostics);
        if let Some(part) = part {
            lines = lines_of_part(lines, part);
            if lines.is_empty() {
                let message = format!("{} has no part {}", quote(name), quote(part));
                let error = Diagnostic::new(span, message, "included here");
                let help = "write `!startsub NAME` before it and `!endsub` behind it, or name a diagram \
                            by its id or its number from 0";
                self.diagnostics.push(error.with_help(help));
                return Flow::Next;
            }
        }
        let errors = self.diagnostics.count();
        let script = Rc::new(Script::new(lines, self.diagnostics));
        self.placed = self.diagnostics.count();
        if self.diagnostics.count() > errors {
            return Flow::Next;
        }
        self.open_includes += 1;
        let flow = self.run(&script, 0..script.lines.len(), Some(span));
        self.open_includes -= 1;
        flow
    }
}

/// The lines between `!startsub` of this name and `!endsub`, of all such parts.
fn lines_of_part(lines: Vec<SourceLine>, part: &str) -> Vec<SourceLine> {
    let mut is_inside = false;
    let is_kept = |line: &SourceLine| match command(&line.text) {
        Some(Command { keyword: "startsub", rest }) => {
            is_inside |= rest == part;
            false
        }
        Some(Command { keyword: "endsub", .. }) => {
            is_inside = false;
            false
        }
        _ => is_inside,
    };
    let mut is_kept = is_kept;
    lines.into_iter().filter(|line| is_kept(line)).collect()
}

/// The path of a file that an included file names: beside that file.
fn beside(including: Option<&str>, name: &str) -> String {
    let folder = including.and_then(|path| path.rsplit_once('/'));
    match folder {
        Some((folder, _)) if !name.starts_with('/') => format!("{folder}/{name}"),
        _ => name.to_owned(),
    }
}
