//! The reports of a run, each in its format and its place. Lines of sessions are written as they
//! come; everything else at the end. Files get their names when all of them are complete.

use crate::args::{ColorChoice, OutputArgs, OutputChoice};
use crate::failure::{CommandResult, Failure};
use crate::output::Output;
use crate::painting::paint;
use multitrace::{OutputFormat, PartialReport, Report};
use multitrace_formats::shorten::CommandMarks;
use multitrace_reports::outputs::Paint;

/// How a format spells the marks of commands; the formats of platforms hold none but their own.
fn marks(format: OutputFormat) -> Option<CommandMarks> {
    match format {
        OutputFormat::Human | OutputFormat::Concise => Some(CommandMarks::TEXT),
        OutputFormat::Json | OutputFormat::JsonLines | OutputFormat::Sarif => {
            Some(CommandMarks::JSON)
        }
        OutputFormat::Junit | OutputFormat::Html => Some(CommandMarks::XML),
        _ => None,
    }
}

/// All reports of a run.
pub(crate) struct ReportFiles(Vec<ReportFile>);

struct ReportFile {
    format: OutputFormat,
    paint: Paint,
    output: Output,
    /// Nobody reads it any more, as in `| head`.
    closed: bool,
}

impl ReportFiles {
    /// Opens the places, under temporary names.
    pub(crate) fn open(args: &OutputArgs, color: ColorChoice) -> CommandResult<ReportFiles> {
        let open = |choice: &OutputChoice| {
            let paint = paint(color, choice.file.is_none());
            let marks = marks(choice.format);
            let output = Output::open(choice.file.as_deref())?.marked(marks);
            Ok(ReportFile { format: choice.format, paint, output, closed: false })
        };
        args.pairs.iter().map(open).collect::<CommandResult<Vec<ReportFile>>>().map(ReportFiles)
    }

    /// Writes lines of sessions to the reports that have them.
    pub(crate) fn lines(&mut self, lines: &[u8]) -> CommandResult<()> {
        self.each(|report| match report.format.has_session_lines() {
            true => report.output.write(lines),
            false => Ok(()),
        })
    }

    /// Writes the end of every report, then gives all files their names. Partial reports are of `part`,
    /// or else of the report.
    pub(crate) fn finish(
        mut self,
        report: &Report,
        part: Option<&PartialReport>,
    ) -> CommandResult<()> {
        self.each(|ReportFile { format, paint, output, .. }| {
            if *format == OutputFormat::Partial {
                let packed = match part {
                    Some(part) => part.to_packed(),
                    None => report.partial()?.to_packed(),
                };
                output.write(&packed.map_err(Failure::new)?)?;
            } else {
                output.write_with(|out| report.write_painted(*format, *paint, out))?;
            }
            output.flush()
        })?;
        let open = self.0.into_iter().filter(|report| !report.closed);
        open.map(|report| report.output).try_for_each(Output::finish)
    }

    /// Writes to every report that somebody reads; if none is left, that ends the run.
    fn each(
        &mut self,
        mut write: impl FnMut(&mut ReportFile) -> CommandResult<()>,
    ) -> CommandResult<()> {
        for report in self.0.iter_mut().filter(|report| !report.closed) {
            match write(report) {
                Err(Failure::BrokenPipe) => report.closed = true,
                other => other?,
            }
        }
        if self.0.iter().all(|report| report.closed) { Err(Failure::BrokenPipe) } else { Ok(()) }
    }
}
