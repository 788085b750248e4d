//! Calls of functions and procedures.

use super::super::builtins;
use super::super::expression::MAX_NESTING;
use super::super::line::SourceLine;
use super::super::value::Value;
use super::definition::{Function, FunctionKind};
use super::{Flow, MAX_CALLS, Preprocessor, STOPPED};
use std::collections::HashMap;
use std::rc::Rc;

impl Preprocessor<'_> {
    /// Whether a name may be called within a text.
    pub(super) fn is_function(&self, name: &str) -> bool {
        name.starts_with('%') || self.functions.contains_key(name)
    }

    /// Calls a function; `None` if no function has this name.
    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: &[&str],
        line: &SourceLine,
    ) -> Result<Option<Value>, String> {
        if self.scopes.len() >= MAX_CALLS || self.depth >= MAX_NESTING {
            return Err(format!("more than {MAX_CALLS} calls inside each other"));
        }
        self.depth += 1;
        let value = self.call_any(name, arguments, line);
        self.depth -= 1;
        value
    }

    fn call_any(
        &mut self,
        name: &str,
        arguments: &[&str],
        line: &SourceLine,
    ) -> Result<Option<Value>, String> {
        if !self.spend(1, line.span()) {
            return Err(STOPPED.to_owned());
        }
        match self.functions.get(name).cloned() {
            Some(function) => self.call_function(name, &function, arguments, line).map(Some),
            None if name.starts_with('%') => self.call_builtin(name, arguments, line),
            None => Ok(None),
        }
    }

    fn call_function(
        &mut self,
        name: &str,
        function: &Rc<Function>,
        arguments: &[&str],
        line: &SourceLine,
    ) -> Result<Value, String> {
        if function.kind == FunctionKind::Procedure {
            return Err(format!("`{name}` writes lines: it must be called in a line of its own"));
        }
        let scope = self.bind(function, arguments, line)?;
        self.scopes.push(scope);
        let value = match (&function.text, function.kind) {
            (Some(text), FunctionKind::Define) => self.expand(text, line).map(Value::Text),
            (Some(text), _) => self.evaluate(text, line),
            (None, _) => match self.run(&function.script, function.body.clone(), Some(line.span()))
            {
                Flow::Return(value) => Ok(value),
                _ => Err(format!("`{name}` returns no value")),
            },
        };
        self.scopes.pop();
        value
    }

    /// The variables of a call: its parameters with their arguments.
    pub(super) fn bind(
        &mut self,
        function: &Function,
        arguments: &[&str],
        line: &SourceLine,
    ) -> Result<HashMap<String, Value>, String> {
        if self.scopes.len() >= MAX_CALLS {
            return Err(format!("more than {MAX_CALLS} calls inside each other"));
        }
        let mut scope = HashMap::new();
        for (index, argument) in arguments.iter().enumerate() {
            let (name, text) = match named(function, argument) {
                Some(named) => named,
                None => match function.parameters.get(index) {
                    Some(parameter) => (parameter.name.as_str(), *argument),
                    None => return Err("a call with more arguments than parameters".to_owned()),
                },
            };
            let value = self.argument(function, text, line)?;
            scope.insert(name.to_owned(), value);
        }
        for parameter in &function.parameters {
            if !scope.contains_key(&parameter.name) {
                let default = parameter.default.as_deref();
                let default = default.ok_or_else(|| missing(&parameter.name))?;
                let value = self.evaluate(default, line)?;
                scope.insert(parameter.name.clone(), value);
            }
        }
        Ok(scope)
    }

    /// The value of an argument.
    fn argument(
        &mut self,
        function: &Function,
        text: &str,
        line: &SourceLine,
    ) -> Result<Value, String> {
        if function.is_unquoted {
            let text = text.trim();
            let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            self.expand(bare.unwrap_or(text), line).map(Value::Text)
        } else if text.trim().is_empty() {
            Ok(Value::Text(String::new()))
        } else {
            self.evaluate(text, line)
        }
    }

    fn call_builtin(
        &mut self,
        name: &str,
        arguments: &[&str],
        line: &SourceLine,
    ) -> Result<Option<Value>, String> {
        if builtins::is_unsupported(name) {
            if is_heading(&line.text) {
                return Ok(Some(Value::Text(format!("{name}()"))));
            }
            return Err(format!("the function `{name}` is not supported"));
        }
        if !builtins::is_known(name) {
            return Ok(None);
        }
        let values = arguments.iter().map(|argument| self.evaluate(argument, line));
        let values: Vec<Value> = values.collect::<Result<_, _>>()?;
        // No function of PlantUML makes a text that is longer than a few times its arguments.
        self.take_bytes(values.iter().map(Value::bytes).sum(), line.span())?;
        let first = values.first().map(Value::to_string).unwrap_or_default();
        let value = match name {
            "%set_variable_value" => {
                let value = values.get(1).cloned().unwrap_or_else(|| Value::Text(String::new()));
                self.globals.insert(first, value);
                Value::Text(String::new())
            }
            "%get_variable_value" => self.lookup(&first).cloned().unwrap_or(Value::Text(first)),
            "%variable_exists" => Value::truth(self.lookup(&first).is_some()),
            "%function_exists" => Value::truth(self.is_function(&first)),
            "%call_user_func" => return self.call_by_name(&first, &values, line).map(Some),
            _ => return builtins::call(name, &values).transpose(),
        };
        Ok(Some(value))
    }

    /// `%call_user_func("name", …)`.
    fn call_by_name(
        &mut self,
        name: &str,
        values: &[Value],
        line: &SourceLine,
    ) -> Result<Value, String> {
        let quoted = values.iter().skip(1).map(|value| match value {
            Value::Number(_) | Value::Json(_) => value.to_string(),
            Value::Text(text) if text.contains('"') => format!("'{text}'"),
            Value::Text(text) => format!("\"{text}\""),
        });
        let quoted: Vec<String> = quoted.collect();
        let arguments: Vec<&str> = quoted.iter().map(String::as_str).collect();
        let value = self.call(name, &arguments, line)?;
        value.ok_or_else(|| format!("there is no function `{name}`"))
    }
}

/// An argument that says which parameter it is for, `$name = value`.
fn named<'f, 't>(function: &'f Function, argument: &'t str) -> Option<(&'f str, &'t str)> {
    let (name, value) = argument.split_once('=')?;
    if value.starts_with('=') {
        return None;
    }
    let found = function.parameters.iter().find(|parameter| parameter.name == name.trim())?;
    Some((found.name.as_str(), value))
}

fn missing(name: &str) -> String {
    format!("a call without an argument for `{name}`")
}

/// Whether a line is only a heading above or below the drawing.
fn is_heading(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    let words = ["title", "header", "footer", "caption", "left", "right", "center", "legend"];
    words.iter().any(|heading| word.eq_ignore_ascii_case(heading))
}
