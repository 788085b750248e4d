//! The reports of a run, each in its format and its place. Lines of sessions are written as they
//! come; everything else at the end. Files get their names when all of them are complete.

use crate::args::{ColorChoice, OutputArgs, OutputChoice, OutputFormat};
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use multitrace_formats::outputs::{
    Paint, RunReport, concise, github, gitlab, human, json, junit, sarif,
};
use multitrace_formats::report::summary_line;
use std::io::{self, IsTerminal, Write};

/// All reports of a run.
pub(crate) struct Reports(Vec<Report>);

struct Report {
    format: OutputFormat,
    paint: Paint,
    output: Output,
    /// Nobody reads it any more, as in `| head`.
    closed: bool,
}

impl Reports {
    /// Opens the places, under temporary names.
    pub(crate) fn open(args: &OutputArgs) -> Outcome<Reports> {
        let open = |choice: &OutputChoice| {
            let paint = paint(args.color, choice.file.is_none());
            let output = Output::open(choice.file.as_deref())?;
            Ok(Report { format: choice.format, paint, output, closed: false })
        };
        args.pairs.iter().map(open).collect::<Outcome<Vec<Report>>>().map(Reports)
    }

    /// Writes lines of sessions to the reports that have them.
    pub(crate) fn lines(&mut self, lines: &[u8]) -> Outcome<()> {
        self.each(|report| match report.format {
            OutputFormat::JsonLines => report.output.write(lines),
            _ => Ok(()),
        })
    }

    /// Writes the end of every report, then gives all files their names.
    pub(crate) fn finish(mut self, run: &RunReport) -> Outcome<()> {
        self.each(|Report { format, paint, output, .. }| {
            output.write_with(|out| write(*format, *paint, run, out))?;
            output.flush()
        })?;
        let open = self.0.into_iter().filter(|report| !report.closed);
        open.map(|report| report.output).try_for_each(Output::finish)
    }

    /// Writes to every report that somebody reads; where none is left, that ends the run.
    fn each(&mut self, mut write: impl FnMut(&mut Report) -> Outcome<()>) -> Outcome<()> {
        for report in self.0.iter_mut().filter(|report| !report.closed) {
            match write(report) {
                Err(Failure::BrokenPipe) => report.closed = true,
                other => other?,
            }
        }
        if self.0.iter().all(|report| report.closed) { Err(Failure::BrokenPipe) } else { Ok(()) }
    }
}

fn write(
    format: OutputFormat,
    paint: Paint,
    run: &RunReport,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        OutputFormat::Human => human::write(run, paint, out),
        OutputFormat::Concise => concise::write(run, out),
        OutputFormat::Json => json::write(run, out),
        OutputFormat::JsonLines => writeln!(out, "{}", summary_line(&run.summary)),
        OutputFormat::Junit => junit::write(run, out),
        OutputFormat::Sarif => sarif::write(run, out),
        OutputFormat::Github => github::write(run, out),
        OutputFormat::Gitlab => gitlab::write(run, out),
    }
}

/// Whether to use colours (no-color.org, bixense.com/clicolors).
pub(crate) fn paint(choice: ColorChoice, on_stdout: bool) -> Paint {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let colored = match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if !on_stdout || set("NO_COLOR").is_some() => false,
        ColorChoice::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        ColorChoice::Auto => {
            io::stdout().is_terminal() && set("TERM").is_some_and(|terminal| terminal != "dumb")
        }
    };
    Paint { colored }
}
