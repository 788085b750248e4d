//! Coverage: the parts of the specification that the passing sessions of a run took.

use crate::text::counted;
use multitrace_formats::remedy::Words;
use multitrace_formats::shorten::{shorten, visible};
use serde::{Serialize, Serializer};
use std::io::{self, Write};

/// The most lines of a specification that are shown for people.
const SHOWN_LINES: usize = 400;
/// The most parts never taken that are listed for people.
const SHOWN_PARTS: usize = 50;
/// The most characters of a part that are shown.
const SHOWN_TEXT: usize = 80;

/// The parts of the specification that the passing sessions of a run took.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Coverage {
    /// The path of the specification, as given when it was compiled.
    pub path: String,
    /// How many sessions passed and were followed.
    pub sessions: u64,
    /// How many passed and could not be followed within the limits, or had no witness.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_followed: u64,
    /// The parts, in the order of their places.
    pub parts: Vec<CoveredPart>,
    /// The lines that sessions took something of, in order: number and sessions.
    #[serde(skip)]
    pub lines: Vec<(usize, u64)>,
    /// The text of the specification.
    #[serde(skip)]
    pub text: String,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The kinds of parts that sessions take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PartKind {
    /// A message passing or a step.
    Message,
    /// A transition of an automaton.
    Transition,
    /// An operand of an `alt`, from 1, and how many there are.
    Operand(u32, u32),
    /// A loop without a repetition.
    Zero,
    /// A loop repeated once.
    Once,
    /// A loop repeated more often.
    More,
}

impl PartKind {
    /// The name of the kind, for people.
    pub fn title(self) -> String {
        match self {
            PartKind::Message => "message".to_owned(),
            PartKind::Transition => "transition".to_owned(),
            PartKind::Operand(number, of) => format!("alternative {number} of {of}"),
            PartKind::Zero => "loop, zero times".to_owned(),
            PartKind::Once => "loop, once".to_owned(),
            PartKind::More => "loop, more often".to_owned(),
        }
    }

    /// Whether it is one of several ways to go on.
    fn is_branch(self) -> bool {
        !matches!(self, PartKind::Message | PartKind::Transition)
    }
}

impl Serialize for PartKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            PartKind::Message => "message",
            PartKind::Transition => "transition",
            PartKind::Operand(..) => "alternative",
            PartKind::Zero => "loop_zero",
            PartKind::Once => "loop_once",
            PartKind::More => "loop_more",
        })
    }
}

/// A part of the specification, and how often it was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CoveredPart {
    /// The kind of part.
    pub kind: PartKind,
    /// The line it starts on, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// Its text.
    #[serde(serialize_with = "shortened")]
    pub text: String,
    /// How many passing sessions took it.
    pub sessions: u64,
    /// No session took it, but some could have by another derivation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ambiguous: bool,
    /// The line and number of the `alt` or loop that it is a branch of.
    #[serde(skip)]
    pub branch_of: Option<(usize, u32)>,
}

fn shortened<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&brief(text))
}

/// The first line of a text, shortened.
fn brief(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    let more = if first.len() < text.trim_end().len() { " …" } else { "" };
    format!("{}{more}", visible(&shorten(first, SHOWN_TEXT)))
}

/// Coverage as JSON has it.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct CoverageObject<'a> {
    taken: usize,
    all: usize,
    ambiguous: usize,
    percent: f64,
    #[serde(flatten)]
    coverage: &'a Coverage,
}

impl Coverage {
    /// This as JSON has it.
    pub(crate) fn object(&self) -> CoverageObject<'_> {
        let (taken, ambiguous) = (self.taken(), self.ambiguous());
        let (all, percent) = (self.parts.len(), self.percent());
        CoverageObject { taken, all, ambiguous, percent, coverage: self }
    }

    /// The number of parts that were taken.
    pub fn taken(&self) -> usize {
        self.parts.iter().filter(|part| part.sessions > 0).count()
    }

    /// The number of parts that no session took, though some could have.
    pub fn ambiguous(&self) -> usize {
        self.parts.iter().filter(|part| part.ambiguous).count()
    }

    /// The share of all parts that were taken for certain, in percent: an ambiguous part counts as not taken. Without
    /// parts it is 100.
    pub fn percent(&self) -> f64 {
        match self.parts.len() {
            0 => 100.0,
            all => 100.0 * self.taken() as f64 / all as f64,
        }
    }

    /// The number of parts taken, in one line.
    pub fn title(&self) -> String {
        let (taken, all, ambiguous) = (self.taken(), self.parts.len(), self.ambiguous());
        let doubtful = match ambiguous {
            0 => String::new(),
            count => format!("; {count} more may have been taken"),
        };
        let sessions = counted(self.sessions, "passing session");
        let percent = self.percent();
        format!(
            "{sessions} took {taken} of {all} parts of {} ({percent:.1} %){doubtful}",
            visible(&self.path)
        )
    }

    /// Writes the lines of the specification with the number of sessions that took them, and the
    /// parts that none took.
    ///
    /// # Errors
    /// When `out` takes no more.
    pub fn write_human(&self, words: Words, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n{}", self.title())?;
        if self.not_followed > 0 {
            let sessions = counted(self.not_followed, "passing session");
            writeln!(out, "  {sessions} could not be followed within the limits")?;
        }
        let mut counts = self.lines.iter().peekable();
        for (number, line) in (1..).zip(self.text.lines()).take(SHOWN_LINES) {
            let count = counts.next_if(|(of, _)| *of == number).map(|(_, count)| *count);
            let count = count.map_or_else(String::new, |count| count.to_string());
            let line = visible(&shorten(line, 2 * SHOWN_TEXT)).into_owned();
            writeln!(out, "{}", format!("  {count:>9} | {line}").trim_end())?;
        }
        let more = self.text.lines().count().saturating_sub(SHOWN_LINES);
        if more > 0 {
            writeln!(out, "  and {}", counted(more as u64, "more line"))?;
        }
        self.write_never_taken(words, out)
    }

    /// Writes a list of the parts that no session took, if there are some.
    ///
    /// # Errors
    /// When `out` takes no more.
    pub fn write_never_taken(&self, words: Words, out: &mut dyn Write) -> io::Result<()> {
        let never: Vec<&CoveredPart> = self.parts.iter().filter(|it| it.sessions == 0).collect();
        if never.is_empty() {
            return Ok(());
        }
        writeln!(out, "never taken:")?;
        for part in never.iter().take(SHOWN_PARTS) {
            let CoveredPart { kind, line, column, text, .. } = part;
            let ambiguous = if part.ambiguous { ", ambiguous" } else { "" };
            let (title, text) = (kind.title(), brief(text));
            writeln!(out, "  {}:{line}:{column}: {title}{ambiguous}: {text}", visible(&self.path))?;
        }
        let more = never.len().saturating_sub(SHOWN_PARTS);
        if more > 0 {
            writeln!(
                out,
                "  and {}; {} has them all",
                counted(more as u64, "more part"),
                words.text("‹json›")
            )?;
        }
        Ok(())
    }

    /// Writes it in the format of lcov. `DA` counts the sessions that took a message of the line, or,
    /// if it has none, a branch; `BRDA` has the operands of each `alt` and the repetitions of each
    /// loop, with `-` where no session came to it.
    ///
    /// # Errors
    /// When `out` takes no more.
    pub fn write_lcov(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "TN:\nSF:{}", visible(&self.path))?;
        let mut branches: Vec<(usize, u32, u64)> = self
            .parts
            .iter()
            .filter(|part| part.kind.is_branch())
            .filter_map(|part| part.branch_of.map(|(line, of)| (line, of, part.sessions)))
            .collect();
        branches.sort_by_key(|&(line, of, _)| (line, of));
        for block in branches.chunk_by(|a, b| a.1 == b.1) {
            let reached = block.iter().any(|&(_, _, sessions)| sessions > 0);
            for (number, (line, of, sessions)) in block.iter().enumerate() {
                let taken = if reached { sessions.to_string() } else { "-".to_owned() };
                writeln!(out, "BRDA:{line},{of},{number},{taken}")?;
            }
        }
        let hit = branches.iter().filter(|(_, _, sessions)| *sessions > 0).count();
        writeln!(out, "BRF:{}\nBRH:{hit}", branches.len())?;
        for (line, sessions) in &self.lines {
            writeln!(out, "DA:{line},{sessions}")?;
        }
        let hit = self.lines.iter().filter(|(_, sessions)| *sessions > 0).count();
        writeln!(out, "LF:{}\nLH:{hit}\nend_of_record", self.lines.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kind: PartKind, line: usize, sessions: u64, ambiguous: bool) -> CoveredPart {
        let branch_of = kind.is_branch().then_some((line, 7));
        let text = "seq(\n…".to_owned();
        CoveredPart { kind, line, column: 3, text, sessions, ambiguous, branch_of }
    }

    #[test]
    fn percent_counts_what_is_ambiguous_as_not_taken() {
        let parts = vec![
            part(PartKind::Message, 1, 3, false),
            part(PartKind::Message, 2, 0, false),
            part(PartKind::Operand(2, 2), 2, 0, true),
        ];
        let coverage = Coverage { parts, ..Coverage::default() };
        assert_eq!(
            (coverage.taken(), coverage.ambiguous(), coverage.percent()),
            (1, 1, 100.0 / 3.0)
        );
        assert!(
            coverage
                .title()
                .ends_with("took 1 of 3 parts of  (33.3 %); 1 more may have been taken")
        );
        assert_eq!(Coverage::default().percent(), 100.0);
    }

    #[test]
    fn a_block_nobody_reached_has_dashes() {
        let parts = vec![part(PartKind::Zero, 4, 0, false), part(PartKind::Once, 4, 0, false)];
        let coverage = Coverage { parts, lines: vec![(4, 0)], ..Coverage::default() };
        let mut out = Vec::new();
        coverage.write_lcov(&mut out).expect("memory");
        let text = String::from_utf8(out).expect("text");
        assert!(
            text.contains("BRDA:4,7,0,-\nBRDA:4,7,1,-\nBRF:2\nBRH:0\nDA:4,0\nLF:1\nLH:0"),
            "{text}"
        );
    }
}
