//! The reports of a run, each in its format and its place. Lines of sessions are written as they
//! come; everything else at the end. Files get their names when all of them are complete.

use crate::args::{ColorChoice, OutputArgs, OutputChoice, OutputFormat};
use crate::failure::Outcome;
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
}

impl Reports {
    /// Opens the places, under temporary names.
    pub(crate) fn open(args: &OutputArgs) -> Outcome<Reports> {
        let open = |choice: &OutputChoice| {
            let paint = paint(args.color, choice.file.is_none());
            Ok(Report {
                format: choice.format,
                paint,
                output: Output::open(choice.file.as_deref())?,
            })
        };
        args.pairs.iter().map(open).collect::<Outcome<Vec<Report>>>().map(Reports)
    }

    /// Writes lines of sessions to the reports that have them.
    pub(crate) fn lines(&mut self, lines: &[u8]) -> Outcome<()> {
        let mut of_lines = self.0.iter_mut().filter(|it| it.format == OutputFormat::JsonLines);
        of_lines.try_for_each(|report| report.output.write(lines))
    }

    /// Writes the end of every report, then gives all files their names.
    pub(crate) fn finish(mut self, run: &RunReport) -> Outcome<()> {
        for Report { format, paint, output } in &mut self.0 {
            output.write_with(|out| write(*format, *paint, run, out))?;
            output.flush()?;
        }
        self.0.into_iter().try_for_each(|report| report.output.finish())
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
