//! `multitrace.toml`: defaults for the command line. The table `[check]` has the names of options
//! without their dashes, besides `spec`, `inputs`, and `outputs`, an array of tables with `format`
//! and `file`. The table `[diagrams]` has the keys of the option `--diagrams`. Names that do not exist are
//! errors with a place.
//!
//! ```toml
//! [check]
//! spec = "protocol.hif"
//! observe = "prefix"
//! fail-on = ["fail"]
//! outputs = [{ format = "human" }, { format = "junit", file = "junit.xml" }]
//!
//! [diagrams]
//! boxes = "locations"
//! allow = ["MT610"]
//! ```

use multitrace_formats::diagram::DiagramOptions;
use multitrace_formats::source::{Diagnostic, Diagnostics, Source, SourceError, Span};
use multitrace_formats::suggest::did_you_mean;
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The content of a configuration file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// The bundle or the specification.
    pub(crate) spec: Option<String>,
    /// The inputs; empty if none are given.
    pub(crate) inputs: Vec<String>,
    /// The reports: format and file.
    pub(crate) outputs: Vec<ConfiguredOutput>,
    /// The other options, by name.
    pub(crate) settings: Vec<Setting>,
}

/// One report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfiguredOutput {
    /// The name of its format.
    pub(crate) format: String,
    /// Where it is written; `None` for standard output.
    pub(crate) file: Option<String>,
    /// Where it stands in the configuration.
    pub(crate) span: Span,
}

/// One option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Its name, without dashes.
    pub(crate) key: String,
    /// Its value.
    pub(crate) value: Value,
    /// Where the value stands in the configuration.
    pub(crate) span: Span,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// On or off.
    Flag(bool),
    /// One value, as it is written on a command line.
    One(String),
    /// Several.
    Many(Vec<String>),
}

type Pair<'a> = (&'a Spanned<Cow<'a, str>>, &'a Spanned<DeValue<'a>>);

/// Reads a configuration; `known` are the names of the options it may have.
///
/// # Errors
/// When the text is not TOML, or has a name that is not known or a value of another kind.
pub(crate) fn parse(source: &Source, known: &[&str]) -> Result<Config, SourceError> {
    let table = DeTable::parse(source.text()).map_err(|error| {
        let span = error.span().map_or_else(Span::default, Span::from);
        let diagnostic = Diagnostic::new(span, format!("not TOML: {}", error.message().trim()), "");
        SourceError::new(source.clone(), diagnostic)
    })?;
    let mut reader =
        TableReader { known, config: Config::default(), errors: Diagnostics::default() };
    for (key, value) in table.get_ref() {
        reader.read_top((key, value));
    }
    let TableReader { config, errors, .. } = reader;
    errors.check(config).map_err(|errors| errors.of(source.clone()))
}

struct TableReader<'a> {
    known: &'a [&'a str],
    config: Config,
    errors: Diagnostics,
}

impl TableReader<'_> {
    fn read_top(&mut self, (key, value): Pair<'_>) {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("check", DeValue::Table(table)) => {
                for (key, value) in table {
                    self.read((key, value));
                }
            }
            ("check", _) => self.wrong_kind(value, "a table, [check]"),
            ("diagrams", DeValue::Table(table)) => {
                for (key, value) in table {
                    self.read_of_diagrams((key, value));
                }
            }
            ("diagrams", _) => self.wrong_kind(value, "a table, [diagrams]"),
            (other, _) => {
                let help = if self.known.contains(&other) {
                    Some(format!("put `{other}` under [check]"))
                } else {
                    did_you_mean(other, ["check", "diagrams"])
                };
                self.unknown(key, help);
            }
        }
    }

    /// Reads a setting for all diagrams, as their option has it.
    fn read_of_diagrams(&mut self, (key, value): Pair<'_>) {
        let name = key.get_ref().as_ref();
        if DiagramOptions::keys().any(|known| known == name) {
            let said = format!("{name}={}", self.texts(value).join(","));
            let (key, span) = ("diagrams".to_owned(), value.span().into());
            self.config.settings.push(Setting { key, value: Value::One(said), span });
        } else {
            self.unknown(key, did_you_mean(name, DiagramOptions::keys()));
        }
    }

    fn read(&mut self, (key, value): Pair<'_>) {
        match key.get_ref().as_ref() {
            "spec" => self.config.spec = self.text(value),
            "inputs" => self.config.inputs = self.texts(value),
            "outputs" => self.read_outputs(value),
            name if name == "diagrams" || DiagramOptions::keys().any(|it| it == name) => {
                self.unknown(
                    key,
                    Some("options for all diagrams stand under [diagrams]".to_owned()),
                );
            }
            name if self.known.contains(&name) => {
                if let Some(read) = self.value(value) {
                    let (key, span) = (name.to_owned(), value.span().into());
                    self.config.settings.push(Setting { key, value: read, span });
                }
            }
            name => {
                let names = self.known.iter().copied().chain(["spec", "inputs", "outputs"]);
                self.unknown(key, did_you_mean(name, names));
            }
        }
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(Value::Flag(*flag)),
            DeValue::Array(_) => Some(Value::Many(self.texts(value))),
            other => match scalar(other) {
                Some(text) => Some(Value::One(text)),
                None => {
                    self.wrong_kind(value, "a text, a number, true, false, or an array of texts");
                    None
                }
            },
        }
    }

    fn text(&mut self, value: &Spanned<DeValue<'_>>) -> Option<String> {
        match value.get_ref() {
            DeValue::String(text) => Some(text.as_ref().to_owned()),
            _ => {
                self.wrong_kind(value, "a text");
                None
            }
        }
    }

    /// An array of scalars, or one of them.
    fn texts(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<String> {
        let DeValue::Array(items) = value.get_ref() else {
            return self.text(value).into_iter().collect();
        };
        let mut texts = Vec::new();
        for item in items {
            match scalar(item.get_ref()) {
                Some(text) => texts.push(text),
                None => self.wrong_kind(item, "a text or a number"),
            }
        }
        texts
    }

    fn read_outputs(&mut self, value: &Spanned<DeValue<'_>>) {
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong_kind(value, "an array of tables, { format = …, file = … }");
        };
        for item in items {
            match item.get_ref() {
                DeValue::Table(table) => self.read_output(table, item.span().into()),
                _ => self.wrong_kind(item, "a table, { format = …, file = … }"),
            }
        }
    }

    fn read_output(&mut self, table: &DeTable<'_>, span: Span) {
        let (mut format, mut file) = (None, None);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "format" => format = self.text(value),
                "file" => file = self.text(value),
                name => self.unknown(key, did_you_mean(name, ["format", "file"])),
            }
        }
        match format {
            Some(format) => self.config.outputs.push(ConfiguredOutput { format, file, span }),
            None => self.errors.push(Diagnostic::new(span, "an output without `format`", "")),
        }
    }

    fn unknown(&mut self, key: &Spanned<Cow<'_, str>>, help: Option<String>) {
        let message = format!("unknown key `{}`", key.get_ref());
        let diagnostic = Diagnostic::new(key.span().into(), message, "not known here");
        self.errors.push(match help {
            Some(help) => diagnostic.with_help(help),
            None => diagnostic.with_help("`multitrace check --help` lists the options"),
        });
    }

    fn wrong_kind(&mut self, value: &Spanned<DeValue<'_>>, wanted: &str) {
        let message = format!("this should be {wanted}");
        self.errors.push(Diagnostic::new(value.span().into(), message, ""));
    }
}

fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.as_ref().to_owned()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["observe", "fail-on", "jobs", "quiet"];

    fn parse_text(text: &str) -> Result<Config, Vec<String>> {
        let source = Source::new("multitrace.toml", text);
        parse(&source, &KNOWN)
            .map_err(|error| error.to_string().lines().map(str::to_owned).collect())
    }

    #[test]
    fn every_kind_of_value() {
        let text = "[check]\nspec = \"a.hif\"\ninputs = [\"x\", \"y\"]\nobserve = \"prefix\"\n\
                    jobs = 3\nquiet = true\nfail-on = [\"fail\"]\n\
                    outputs = [{ format = \"human\" }, { format = \"junit\", file = \"j.xml\" }]";
        let config = parse_text(text).expect("valid");
        assert_eq!((config.spec.as_deref(), config.inputs.len()), (Some("a.hif"), 2));
        assert_eq!(config.outputs[1].file.as_deref(), Some("j.xml"));
        let mut values: Vec<(&str, &Value)> =
            config.settings.iter().map(|setting| (&*setting.key, &setting.value)).collect();
        values.sort_by_key(|(key, _)| *key);
        let one = |text: &str| Value::One(text.to_owned());
        let wanted = [
            ("fail-on", &Value::Many(vec!["fail".to_owned()])),
            ("jobs", &one("3")),
            ("observe", &one("prefix")),
            ("quiet", &Value::Flag(true)),
        ];
        assert_eq!(values, wanted);
        assert_eq!(parse_text("").expect("valid"), Config::default());
    }

    #[test]
    fn errors_have_a_place_and_a_suggestion() {
        for (text, message, help) in [
            ("[check]\nobserv = 1", "unknown key `observ`", "did you mean `observe`?"),
            ("[chek]\n", "unknown key `chek`", "did you mean `check`?"),
            ("observe = \"x\"", "unknown key `observe`", "put `observe` under [check]"),
            ("[check]\noutputs = [{ formt = 1 }]", "unknown key `formt`", "did you mean `format`?"),
            ("[check]\nmessages = \"call\"", "unknown key `messages`", "under [diagrams]"),
            ("[diagrams]\nslf = \"local\"", "unknown key `slf`", "did you mean `self`?"),
            ("diagrams = 1", "this should be a table, [diagrams]", ""),
            ("[check]\nspec = 1", "this should be a text", ""),
            ("[check]\njobs = 1979-05-27", "this should be a text, a number", ""),
            ("[check]\njobs = ", "not TOML", ""),
        ] {
            let error = parse_text(text).expect_err(text).join("\n");
            assert!(error.contains(message) && error.contains(help), "{text}: {error}");
            assert!(error.contains("multitrace.toml:"), "{text}: {error}");
        }
    }
}
