//! TOML with places: tables and values, and their errors.

use multitrace_formats::source::{Diagnostic, Diagnostics, Span, quote};
use multitrace_formats::suggest::did_you_mean;
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
#[derive(Clone, Copy)]
pub(super) struct TomlValue<'t, 'i> {
    pub(super) value: &'t DeValue<'i>,
    pub(super) span: Span,
}

/// A table and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Tree<'t, 'i> {
    table: &'t DeTable<'i>,
    pub(super) span: Span,
}

impl<'t, 'i> Tree<'t, 'i> {
    pub(super) fn new(table: &'t DeTable<'i>, span: Span) -> Tree<'t, 'i> {
        Tree { table, span }
    }

    /// Keys and values in the order of the text.
    pub(super) fn entries(self) -> impl Iterator<Item = (&'t str, Span, TomlValue<'t, 'i>)> {
        self.table.iter().map(|(key, value)| {
            let node = TomlValue { value: value.get_ref(), span: value.span().into() };
            (key.get_ref().as_ref(), key.span().into(), node)
        })
    }

    pub(super) fn get(self, key: &str) -> Option<TomlValue<'t, 'i>> {
        self.entries().find(|(other, ..)| *other == key).map(|(_, _, node)| node)
    }

    /// Reports keys that mean nothing here.
    pub(super) fn only(self, known: &[&str], errors: &mut Diagnostics) {
        for (key, span, _) in self.entries().filter(|(key, ..)| !known.contains(key)) {
            let message = format!("unknown key {}", quote(key));
            let help = did_you_mean(key, known.iter().copied());
            let help = help.unwrap_or_else(|| format!("known here: {}", known.join(", ")));
            errors.push(Diagnostic::new(span, message, "").with_help(help));
        }
    }
}

impl<'t, 'i> TomlValue<'t, 'i> {
    pub(super) fn error(self, message: impl Into<String>, help: &str) -> Diagnostic {
        Diagnostic::new(self.span, message, "").with_help(help)
    }

    fn expected(self, what: &str, help: &str) -> Diagnostic {
        let value = self.scalar().map_or_else(String::new, |value| format!(" {}", quote(&value)));
        let kind = match self.value.type_str() {
            "string" => "the text",
            "integer" => "the number",
            "boolean" => "the value",
            "array" => "a list",
            "table" => "a table",
            _ => "a value of another type",
        };
        Diagnostic::new(self.span, format!("expected {what}, found {kind}{value}"), "")
            .with_help(help)
    }

    pub(super) fn tree(self) -> Result<Tree<'t, 'i>, Diagnostic> {
        let table = self.value.as_table().ok_or_else(|| {
            self.expected("a table", "write { key = \"value\" }, or the keys under a head [table]")
        })?;
        Ok(Tree::new(table, self.span))
    }

    pub(super) fn text(self) -> Result<&'t str, Diagnostic> {
        let help = match self.scalar() {
            Some(value) => format!("write it in quotes, \"{value}\""),
            None => "write one text in quotes, \"text\"".to_owned(),
        };
        self.value.as_str().ok_or_else(|| self.expected("a text", &help))
    }

    pub(super) fn flag(self) -> Result<bool, Diagnostic> {
        self.value
            .as_bool()
            .ok_or_else(|| self.expected("true or false", "write it without quotes"))
    }

    pub(super) fn number(self) -> Result<usize, Diagnostic> {
        let number = self.value.as_integer();
        let number = number.and_then(|n| usize::from_str_radix(n.as_str(), n.radix()).ok());
        number.ok_or_else(|| self.expected("a number from 0", "write digits without quotes"))
    }

    pub(super) fn list(self) -> Result<Vec<TomlValue<'t, 'i>>, Diagnostic> {
        let list = self
            .value
            .as_array()
            .ok_or_else(|| self.expected("a list", "write it in brackets, [\"one\", \"two\"]"))?;
        Ok(list.iter().map(|n| TomlValue { value: n.get_ref(), span: n.span().into() }).collect())
    }

    /// A text, or a number or truth value as the text it is written as.
    pub(super) fn scalar(self) -> Option<String> {
        match self.value {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
            DeValue::Float(number) => Some(number.as_str().to_owned()),
            DeValue::Boolean(flag) => Some(flag.to_string()),
            _ => None,
        }
    }
}
