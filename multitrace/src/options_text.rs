//! The options of a compilation as one line of text in its bundle, and back: `inspect` shows it, and `inspect --verify`
//! compiles with it again.

use crate::spec::{CompileOptions, Reduction, Spec};
use multitrace_formats::diagram::Notation;
use multitrace_formats::hsf;
use multitrace_formats::remedy::Remedy;
use multitrace_formats::source::Source;
use multitrace_formats::spec::SpecFormat;
use multitrace_interaction::Observation;
use multitrace_interaction::names::{name_of, quoted, quoted_end};
use std::path::Path;
use std::time::Duration;

/// The prefix of an option.
const DASHES: &str = "--";

/// Formats by the extensions of their files.
const FORMATS: [(SpecFormat, &str); 5] = [
    (SpecFormat::Hif, "hif"),
    (SpecFormat::Timbuk, "timbuk"),
    (SpecFormat::Diagram(Notation::Mermaid), "mmd"),
    (SpecFormat::Diagram(Notation::PlantUml), "puml"),
    (SpecFormat::Markdown, "md"),
];

/// The format of a text that nobody named.
fn format_of(source: &Source) -> SpecFormat {
    let by_name = SpecFormat::of_path(Path::new(source.name()));
    by_name.unwrap_or_else(|_| SpecFormat::of_text(source.text()))
}

#[doc(hidden)]
impl Spec {
    /// All that shapes its bundle besides its text, as one line.
    pub(crate) fn described(&self, options: &CompileOptions) -> String {
        let mut parts = Vec::new();
        if self.format() != format_of(self.source()) {
            let named = FORMATS.iter().find(|(format, _)| *format == self.format());
            parts.extend(named.map(|(_, name)| option("format", name)));
        }
        parts.extend(self.selector().map(|it| option("diagram", quoted(it))));
        parts.extend(options.described());
        parts.join(" ")
    }

    /// The specification and the options with which it was compiled, out of the line that
    /// [`Spec::described`] makes; `None` for any other line.
    pub(crate) fn of_description(source: Source, line: &str) -> Option<(Spec, CompileOptions)> {
        let (mut options, mut format, mut diagram) = (CompileOptions::default(), None, None);
        let mut rest = line;
        while !rest.is_empty() {
            let (option, value, after) = next_option(rest)?;
            rest = after;
            match option {
                "format" => format = FORMATS.iter().find(|(_, name)| *name == value),
                "diagram" => diagram = Some(value),
                _ => options.set(option, &value)?,
            }
        }
        let format = format.map_or_else(|| format_of(&source), |(format, _)| *format);
        let spec = Spec::parse(source.name(), source.text(), format);
        let spec = diagram.into_iter().fold(spec, |spec, selector| spec.diagram(&selector));
        // A line that reads as options, but is written in another way, was not written here.
        (spec.described(&options) == line).then_some((spec, options))
    }
}

impl CompileOptions {
    fn described(&self) -> Vec<String> {
        let config = self.config();
        let mut parts = vec![option("observe", config.observation.name())];
        parts.extend(self.locations.as_ref().map(|it| option("locations", quoted(it))));
        let signature = self.signature.as_ref();
        parts.extend(signature.map(|it| option("signature", quoted(&hsf::print(it)))));
        if !self.diagrams.is_empty() {
            parts.push(option("diagrams", quoted(&self.diagrams.to_string())));
        }
        parts.extend(self.unjudged.as_ref().map(|it| option("unjudged", quoted(it))));
        parts.extend(self.unlogged.as_ref().map(|it| option("unlogged", quoted(it))));
        parts.push(option("limit-states", config.limits.states));
        parts.push(option("limit-local-states", config.limits.local_states));
        parts.extend(self.limit_memory.map(|bytes| option("limit-memory", bytes)));
        parts.extend(self.limit_time.map(|time| option("limit-time", format_args!("{time:?}"))));
        parts.extend(self.without.iter().map(|it| option("without", it.name())));
        parts
    }

    fn set(&mut self, option: &str, value: &str) -> Option<()> {
        match option {
            "observe" => {
                self.observation = Observation::ALL.into_iter().find(|it| it.name() == value)?;
            }
            "locations" => self.locations = Some(value.to_owned()),
            "signature" => {
                self.signature =
                    Some(hsf::parse(&Source::new(Remedy::Signature.to_string(), value)).ok()?);
            }
            "diagrams" => self.diagrams = value.parse().ok()?,
            "unjudged" => self.unjudged = Some(value.to_owned()),
            "unlogged" => self.unlogged = Some(value.to_owned()),
            "limit-states" => self.limit_states = Some(value.parse().ok()?),
            "limit-local-states" => self.limit_local_states = Some(value.parse().ok()?),
            "limit-memory" => self.limit_memory = Some(value.parse().ok()?),
            "limit-time" => self.limit_time = Some(duration(value)?),
            "without" => {
                self.without.push(Reduction::named(value)?);
            }
            _ => return None,
        }
        Some(())
    }
}

/// An option with its value.
fn option(name: &str, value: impl std::fmt::Display) -> String {
    format!("{DASHES}{name} {value}")
}

/// The name of the option at the start of a line, its value, and the rest of the line.
fn next_option(line: &str) -> Option<(&str, String, &str)> {
    let (option, rest) = line.split_once(' ').unwrap_or((line, ""));
    let option = option.strip_prefix(DASHES)?;
    let end = quoted_end(rest).or_else(|| rest.find(' ')).unwrap_or(rest.len());
    let (value, rest) = rest.split_at_checked(end)?;
    Some((option, name_of(value).into_owned(), rest.strip_prefix(' ').unwrap_or(rest)))
}

/// A duration as `{:?}` writes it: `1.5s`, `20ms`.
fn duration(text: &str) -> Option<Duration> {
    let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(unit);
    let digits = match unit {
        "s" => 9,
        "ms" => 6,
        "µs" => 3,
        "ns" => 0,
        _ => return None,
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || part.len() > digits {
        return None;
    }
    let nanos: u128 = format!("{whole}{part:0<digits$}").parse().ok()?;
    let (seconds, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    Some(Duration::new(seconds.try_into().ok()?, nanos as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(spec: &Spec, options: &CompileOptions) -> (String, String) {
        let line = spec.described(options);
        let (again, read) =
            Spec::of_description(spec.source().clone(), &line).unwrap_or_else(|| panic!("{line}"));
        (again.described(&read), line)
    }

    #[test]
    fn options_come_back_from_their_line() {
        let spec = Spec::parse("a", "# T\n```mermaid\n", SpecFormat::Markdown).diagram("a \"b\"");
        let unusual = CompileOptions {
            locations: Some("a,b;\"c \\\"d\\\" --e\"".to_owned()),
            signature: Some(
                hsf::parse(&Source::new("s", "@message{ m; \"n \\\"o\\\"\" }@lifeline{ l }"))
                    .expect("a signature"),
            ),
            diagrams: "messages=/(a b)\" --without/,boxes=locations".parse().expect("options"),
            unjudged: Some("a,\"b c\"".to_owned()),
            unlogged: Some("a!\"m\", b".to_owned()),
            observation: Observation::GlobalPrefix,
            limit_states: Some(7),
            limit_local_states: Some(0),
            limit_memory: Some(1 << 30),
            limit_time: Some(Duration::new(3, 1_020)),
            without: Reduction::ALL.to_vec(),
            ..CompileOptions::default()
        };
        for options in [CompileOptions::default(), unusual] {
            let (again, line) = back(&spec, &options);
            assert_eq!(again, line);
        }
        let odd = Spec::parse("a.hif", "sequenceDiagram", SpecFormat::Diagram(Notation::Mermaid));
        let (again, line) = back(&odd, &CompileOptions::default());
        assert_eq!(again, line);
        assert!(line.starts_with("--format mmd --observe complete"), "{line}");
    }

    #[test]
    fn durations_come_back_from_their_text() {
        for nanos in [0, 1, 999, 1_000, 1_500, 20_000_000, 1_500_000_001, 60_000_000_000] {
            let time = Duration::from_nanos(nanos);
            assert_eq!(duration(&format!("{time:?}")), Some(time), "{time:?}");
        }
        for text in ["", "1", "s", "1m", "1.0000000001s", "-1s"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn other_lines_are_no_options() {
        let spec = Spec::parse("a.hif", "o", SpecFormat::Hif);
        let line = spec.described(&CompileOptions::default());
        let changed = [
            String::new(),
            format!(" {line}"),
            format!("{line} "),
            format!("{line} --limit-states 1"),
            format!("{line} --fast"),
            line.replace("complete", "all"),
            line.replace("100000", "0100000"),
            format!("--locations \"a\"x{line}"),
        ];
        for text in changed {
            assert!(Spec::of_description(spec.source().clone(), &text).is_none(), "{text}");
        }
    }
}
