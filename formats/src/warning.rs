//! Warnings of specifications: parts that are legal, and most likely not meant.
//!
//! A code keeps its meaning for ever; docs/codes.md lists them for people.

use crate::shorten::visible;
use crate::source::{Diagnostic, Position, Source, Span, render};
use std::fmt;

/// The most warnings that are kept: more than anybody reads, and a bound for generated texts.
const MAX_WARNINGS: usize = 1000;
/// The most warnings that `Display` shows; further ones are counted. A few screens.
const MAX_SHOWN: usize = 20;

/// The kinds of warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum WarningCode {
    /// A name occurs once and differs from another by a slip.
    SimilarName,
    /// A message has the name of a lifeline.
    MessageNamedAsLifeline,
    /// A step sends a message that nobody receives, or receives one that nobody sends.
    Unmatched,
    /// A concurrent region names a lifeline that does nothing in it.
    IdleRegion,
    /// Alternatives start at different locations.
    NonLocalChoice,
    /// A location must act before it can know which alternative was taken.
    UnclearChoice,
    /// The diagram orders the arrival of messages that can overtake one another.
    Race,
    /// A part changes nothing.
    DeadPart,
    /// Concurrent actions look the same in a log, and have different partners.
    Indistinct,
    /// A message of a diagram goes from a participant to itself.
    MessageToSelf,
    /// An arrow of a diagram has no text.
    NoLabel,
    /// An arrow of a diagram could mean several things.
    ArrowReading,
    /// A note of a diagram looks like an action.
    NoteLikeAction,
    /// The text of a loop of a diagram looks like a number of repetitions.
    LoopLikeBound,
    /// A frame of a diagram could mean several things.
    FrameReading,
    /// A break of a diagram leaves several frames, or could.
    BreakReading,
    /// A diagram refers to another one.
    ReferenceSkipped,
    /// The answer to a lost message of a diagram stands right behind it.
    LostAnswer,
    /// A failing alternative of a diagram seems to end everything, and the diagram goes on behind it.
    EarlyExit,
    /// A frame of a diagram is not closed.
    UnclosedFrame,
}

/// A code, its name, its meaning, its remedy.
type WarningRow = (WarningCode, &'static str, &'static str, &'static str);

const ROWS: [WarningRow; WarningCode::ALL.len()] = [
    (
        WarningCode::SimilarName,
        "MT601",
        "a name occurs once and is close to another",
        "write both in the same way, or allow it if they are two names",
    ),
    (
        WarningCode::MessageNamedAsLifeline,
        "MT602",
        "a message is named as a lifeline is",
        "write `a -- m -> b` for a message from a to b; `m -> b` is a message from nobody",
    ),
    (
        WarningCode::Unmatched,
        "MT603",
        "a step sends a message that nobody receives, or receives one that nobody sends",
        "add the other end, or write the message outside of braces if that end is not in the specification",
    ),
    (
        WarningCode::IdleRegion,
        "MT604",
        "a concurrent region, or `unlogged`, names a lifeline that does nothing in it",
        "name lifelines of its operands, or leave the name out",
    ),
    (
        WarningCode::NonLocalChoice,
        "MT605",
        "alternatives start at different locations",
        "let one location start all alternatives, or add the orders in which both start",
    ),
    (
        WarningCode::UnclearChoice,
        "MT606",
        "a location must act before it can know which alternative was taken",
        "send it a message that differs between the alternatives before it acts",
    ),
    (
        WarningCode::Race,
        "MT607",
        "messages can overtake one another",
        "put them into `par`, or have the first one answered before the second is sent",
    ),
    (WarningCode::DeadPart, "MT608", "a part of the specification changes nothing", "remove it"),
    (
        WarningCode::Indistinct,
        "MT609",
        "concurrent actions look the same in a log",
        "give the messages different names",
    ),
    (
        WarningCode::MessageToSelf,
        "MT610",
        "a message of a participant to itself is read as one action",
        "write `multitrace: self send-receive` in a comment if the log has an emission and a reception for it",
    ),
    (
        WarningCode::NoLabel,
        "MT611",
        "an arrow has no text, so its message is called `unlabelled`",
        "write the message on the arrow",
    ),
    (
        WarningCode::ArrowReading,
        "MT612",
        "an arrow is read in one way of several",
        "use an arrow with one plain head, or write `multitrace: allow MT612` in a comment before it",
    ),
    (
        WarningCode::NoteLikeAction,
        "MT613",
        "a note looks like an action, and means nothing",
        "write `multitrace: local` in a comment before it if the log has an event for it",
    ),
    (
        WarningCode::LoopLikeBound,
        "MT614",
        "the text of a loop speaks of a number of repetitions, and the loop repeats any number of times",
        "write the number in a comment before it, `multitrace: loop 2..5`; if it is not one, `multitrace: allow MT614`",
    ),
    (
        WarningCode::FrameReading,
        "MT615",
        "a frame is read in one way of several",
        "use `alt`, `opt`, `loop` and `par`, or write `multitrace: allow MT615` in a comment before it",
    ),
    (
        WarningCode::BreakReading,
        "MT616",
        "a break inside of another frame leaves only that frame",
        "repeat the part behind the break in that frame, or write `multitrace: allow MT616` in a comment before it",
    ),
    (
        WarningCode::ReferenceSkipped,
        "MT617",
        "a reference to another diagram is read as nothing",
        "draw that diagram here, or write `multitrace: ignore` in a comment before it",
    ),
    (
        WarningCode::LostAnswer,
        "MT618",
        "the answer to a lost message comes next",
        "draw the arrow with a head if the message arrives, or the answer in a frame of its own",
    ),
    (
        WarningCode::EarlyExit,
        "MT619",
        "the diagram goes on behind an alternative that seems to end it",
        "draw `break` in place of `alt` or `opt` if nothing follows it",
    ),
    (WarningCode::UnclosedFrame, "MT620", "a frame is not closed", "add `end` where it ends"),
];

impl WarningCode {
    /// All of them, in the order of their numbers.
    pub const ALL: [WarningCode; 20] = [
        WarningCode::SimilarName,
        WarningCode::MessageNamedAsLifeline,
        WarningCode::Unmatched,
        WarningCode::IdleRegion,
        WarningCode::NonLocalChoice,
        WarningCode::UnclearChoice,
        WarningCode::Race,
        WarningCode::DeadPart,
        WarningCode::Indistinct,
        WarningCode::MessageToSelf,
        WarningCode::NoLabel,
        WarningCode::ArrowReading,
        WarningCode::NoteLikeAction,
        WarningCode::LoopLikeBound,
        WarningCode::FrameReading,
        WarningCode::BreakReading,
        WarningCode::ReferenceSkipped,
        WarningCode::LostAnswer,
        WarningCode::EarlyExit,
        WarningCode::UnclosedFrame,
    ];

    /// Whether it only says how something common is read: for those who ask, not for each check.
    pub fn is_hint(self) -> bool {
        matches!(
            self,
            WarningCode::MessageToSelf
                | WarningCode::NoLabel
                | WarningCode::ArrowReading
                | WarningCode::NoteLikeAction
                | WarningCode::FrameReading
        )
    }

    /// The code as it is printed.
    ///
    /// ```
    /// use multitrace_formats::warning::WarningCode;
    /// assert_eq!(WarningCode::SimilarName.name(), "MT601");
    /// ```
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The meaning of the code, in a few words.
    pub fn title(self) -> &'static str {
        self.row().2
    }

    /// The remedy.
    pub fn remedy(self) -> &'static str {
        self.row().3
    }

    /// The code of this name.
    pub fn of_name(name: &str) -> Option<WarningCode> {
        WarningCode::ALL.into_iter().find(|code| code.name() == name)
    }

    fn row(self) -> &'static WarningRow {
        // The table is in the order of the codes.
        &ROWS[self as usize]
    }
}

/// A part of a specification that is most likely not meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The kind of warning.
    pub code: WarningCode,
    /// Where.
    pub span: Span,
    /// The text of the warning, with the names of the specification.
    pub message: String,
    /// The text for its place; may be empty.
    pub label: String,
    /// Other places that belong to it, with their texts.
    pub related: Vec<(Span, String)>,
    /// The remedy, if there is a better one than that of the code.
    pub help: Option<String>,
}

impl Warning {
    /// A warning at one place, with the remedy of its code.
    pub fn new(
        code: WarningCode,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Warning {
        let (message, label) = (message.into(), label.into());
        Warning { code, span, message, label, related: Vec::new(), help: None }
    }

    /// The same with another place.
    #[must_use]
    pub fn with_related(mut self, span: Span, label: impl Into<String>) -> Warning {
        self.related.push((span, label.into()));
        self
    }

    /// The same with another remedy.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Warning {
        Warning { help: Some(help.into()), ..self }
    }

    /// The remedy.
    pub fn remedy(&self) -> &str {
        self.help.as_deref().unwrap_or(self.code.remedy())
    }

    /// All places of it, its own first.
    pub fn places(&self) -> impl Iterator<Item = Span> + '_ {
        [self.span].into_iter().chain(self.related.iter().map(|(span, _)| *span))
    }
}

/// The warnings of a specification.
///
/// `Display` shows each code on a line with its first place; [`Warnings::all`] shows each warning with the
/// line itself, the first twenty at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warnings {
    source: Source,
    list: Vec<Warning>,
    omitted: usize,
}

impl Warnings {
    /// Warnings of a source, in the order of their places.
    pub fn new(source: Source, mut list: Vec<Warning>) -> Warnings {
        list.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
        list.dedup();
        let omitted = list.len().saturating_sub(MAX_WARNINGS);
        list.truncate(MAX_WARNINGS);
        Warnings { source, list, omitted }
    }

    /// None at all.
    pub fn none() -> Warnings {
        Warnings::new(Source::new("", ""), Vec::new())
    }

    /// The specification.
    pub fn file(&self) -> &Source {
        &self.source
    }

    /// The warnings that are kept, in the order of their places.
    pub fn list(&self) -> &[Warning] {
        &self.list
    }

    /// How many there are, with those that are not kept.
    pub fn count(&self) -> usize {
        self.list.len() + self.omitted
    }

    /// Whether the specification has no warning.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Line and column of each, with the warning itself.
    pub fn placed(&self) -> impl Iterator<Item = (Position, &Warning)> + '_ {
        self.list.iter().map(|warning| (self.source.position(warning.span.start), warning))
    }

    /// Shows each with its lines.
    pub fn all(&self) -> String {
        self.show(annotate_snippets::Level::WARNING)
    }

    /// Shows them as errors, for those who accept none.
    pub fn as_errors(&self) -> String {
        self.show(annotate_snippets::Level::ERROR)
    }

    fn show(&self, level: annotate_snippets::Level<'static>) -> String {
        let shown = self.list.iter().take(MAX_SHOWN).map(|warning| {
            let diagnostic = Diagnostic::new(warning.span, &*warning.message, &*warning.label)
                .with_help(warning.remedy());
            let code = Some(warning.code.name());
            let level = match warning.code.is_hint() {
                true => annotate_snippets::Level::INFO.with_name("hint"),
                false => level.clone(),
            };
            render(&self.source, level, code, &diagnostic, &warning.related)
        });
        let mut parts: Vec<String> = shown.collect();
        match self.count().saturating_sub(MAX_SHOWN) {
            0 => {}
            1 => parts.push(format!("and 1 more warning in {}", visible(self.source.name()))),
            more => {
                parts.push(format!("and {more} more warnings in {}", visible(self.source.name())))
            }
        }
        parts.join("\n\n")
    }
}

impl fmt::Display for Warnings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes = WarningCode::ALL.into_iter().filter_map(|code| {
            let mut of_code = self.placed().filter(|(_, warning)| warning.code == code);
            let (Position { line, column }, first) = of_code.next()?;
            let level = if code.is_hint() { "hint" } else { "warning" };
            let (name, file) = (code.name(), self.source.name());
            let more = match of_code.count() {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            let text = format!("{level}[{name}]: {file}:{line}:{column}: {}{more}", first.message);
            Some(visible(&text).into_owned())
        });
        f.write_str(&codes.collect::<Vec<String>>().join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_listed_in_order_and_once() {
        assert!(WarningCode::ALL.windows(2).all(|pair| pair[0].name() < pair[1].name()));
        assert!(WarningCode::ALL.iter().zip(&ROWS).all(|(code, row)| *code == row.0));
        assert!(WarningCode::ALL.into_iter().all(|it| WarningCode::of_name(it.name()) == Some(it)));
        assert_eq!(WarningCode::of_name("MT101"), None);
    }

    #[test]
    fn a_warning_is_shown_with_all_its_places() {
        let source = Source::new("a.hif", "seq(\n  a -- m -> b,\n  c -- n -> b\n)");
        let warning = Warning::new(WarningCode::Race, Span::new(22, 33), "n may be first", "this")
            .with_related(Span::new(7, 18), "before this");
        let warnings = Warnings::new(source, vec![warning]);
        assert_eq!(
            warnings.all(),
            "warning[MT607]: n may be first\n \
             --> a.hif:3:3\n  |\n3 |   c -- n -> b\n  |   ^^^^^^^^^^^ this\n  |\n \
             ::: a.hif:2:3\n  |\n2 |   a -- m -> b,\n  |   ----------- before this\n  |\n  \
             = help: put them into `par`, or have the first one answered before the second is sent"
        );
        assert!(warnings.as_errors().starts_with("error[MT607]: n may be first"));
    }

    #[test]
    fn a_flood_is_counted() {
        let warning = |at| Warning::new(WarningCode::DeadPart, Span::new(at, at + 1), "dead", "");
        let source = Source::new("a.hif", "x".repeat(2000));
        let warnings = Warnings::new(source, (0..1500).map(warning).collect());
        assert_eq!((warnings.list().len(), warnings.count()), (1000, 1500));
        assert!(warnings.all().ends_with("and 1480 more warnings in a.hif"));
        assert_eq!(warnings.to_string(), "warning[MT608]: a.hif:1:1: dead (and 999 more)");
    }
}
