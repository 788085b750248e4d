//! One session explained whole: per location every event, how far it is explained, where it is
//! stuck and what was expected there; for a pass, the accepted global trace.

use super::{Level, Paint, counted, logs};
use crate::codes::Code;
use crate::explanation::Explanation;
use crate::shorten::visible;
use multitrace_interaction::{Alphabet, Cause, Engine, InconclusiveReason, Verdict, Witness};
use serde::Serialize;
use std::io::{self, Write};

/// A session with its verdict.
#[derive(Clone, Debug)]
pub struct Explained<'a> {
    /// The verdict.
    pub verdict: &'a Verdict,
    /// The logs.
    pub explanation: Explanation,
    /// The accepted global trace of a pass.
    pub witness: Option<&'a Witness>,
    /// What gave the verdict.
    pub engine: Engine,
}

#[derive(Serialize)]
struct Object<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    engine: &'static str,
    #[serde(flatten)]
    explanation: &'a Explanation,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<Vec<Step<'a>>>,
}

#[derive(Serialize)]
struct Step<'a> {
    action: &'a str,
    observed: bool,
}

impl Explained<'_> {
    fn cause(&self) -> Option<&'static str> {
        match self.verdict {
            Verdict::Fail(cause) => Some(cause.name()),
            _ => None,
        }
    }

    fn reason(&self) -> Option<&InconclusiveReason> {
        match self.verdict {
            Verdict::Inconclusive(reason) => Some(reason),
            _ => None,
        }
    }

    fn steps<'a>(&'a self, alphabet: &'a Alphabet) -> Option<Vec<Step<'a>>> {
        let steps = self.witness?.steps.iter();
        let step = |step: &multitrace_interaction::WitnessStep| Step {
            action: alphabet.letter_name(step.letter),
            observed: step.observed,
        };
        Some(steps.map(step).collect())
    }
}

/// Writes one JSON object.
///
/// # Errors
/// When `out` takes no more.
pub fn write_json(
    explained: &Explained<'_>,
    alphabet: &Alphabet,
    out: &mut dyn Write,
) -> io::Result<()> {
    let object = Object {
        kind: "explanation",
        verdict: explained.verdict.name(),
        cause: explained.cause(),
        code: Code::of(explained.verdict, alphabet),
        reason: explained.reason().map(ToString::to_string),
        engine: explained.engine.name(),
        explanation: &explained.explanation,
        witness: explained.steps(alphabet),
    };
    serde_json::to_writer_pretty(&mut *out, &object)?;
    writeln!(out)
}

/// Writes the text for people.
///
/// # Errors
/// When `out` takes no more.
pub fn write_human(
    explained: &Explained<'_>,
    alphabet: &Alphabet,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    verdict(explained, alphabet, paint, out)?;
    writeln!(out, "{}", logs::heading(&explained.explanation))?;
    write!(out, "{}", logs::lines(&explained.explanation, "  ", true, paint))?;
    if let Some(steps) = explained.steps(alphabet) {
        write_witness(&steps, paint, out)?;
    }
    if let Some(code) = Code::of(explained.verdict, alphabet) {
        writeln!(out, "what to do: {}", code.remedy())?;
    }
    Ok(())
}

fn verdict(
    explained: &Explained<'_>,
    alphabet: &Alphabet,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = explained.verdict.name();
    let text = match (Code::of(explained.verdict, alphabet), explained.verdict) {
        (None, _) => paint.good(name),
        (Some(code), Verdict::Fail(cause)) => {
            let kind = match cause {
                Cause::Local(_) => "local",
                Cause::Inter(_) => "inter",
                Cause::Central(_) => "central",
            };
            format!("{} {name}, {kind}: {}", paint.level(Level::Error, code.name()), code.title())
        }
        (Some(code), Verdict::Inconclusive(reason)) => {
            format!("{} {name}: {reason}", paint.level(Level::Warning, code.name()))
        }
        (Some(code), _) => {
            format!("{} {name}: {}", paint.level(Level::Warning, code.name()), code.title())
        }
    };
    writeln!(out, "{text}")
}

/// The actions in order, those nobody observed in parentheses.
fn write_witness(steps: &[Step<'_>], paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let unobserved = steps.iter().filter(|step| !step.observed).count();
    let note = match unobserved {
        0 => String::new(),
        number => format!(", {number} of them unobserved, in parentheses"),
    };
    let count = counted(steps.len() as u64, "action");
    writeln!(out, "an accepted global trace of {count}{note}:")?;
    for step in steps {
        let action = visible(step.action);
        let word =
            if step.observed { action.into_owned() } else { paint.dim(&format!("({action})")) };
        writeln!(out, "  {word}")?;
    }
    Ok(())
}
