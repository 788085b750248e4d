//! The formats of reports, one file each: for people ([`human`], [`concise`]), for programs
//! ([`json`], [`json_lines`]), and for the systems that run them ([`junit`], [`sarif`], [`github`],
//! [`gitlab`]). [`html`] is a page with pictures.
//!
//! To add one, add its file and its variant and name in [`OutputFormat`].

pub mod concise;
mod difference;
pub mod explain;
pub mod exploration;
mod finding_object;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod human;
pub mod json;
pub mod json_lines;
pub mod junit;
mod logs;
pub mod sarif;
mod table;
#[cfg(test)]
mod tests;

pub use crate::paint::Paint;

use crate::run_report::RunReport;
use std::io::{self, Write};

/// A format of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum OutputFormat {
    /// Text for people: every group with its worked example.
    Human,
    /// One line for each group, as compilers print errors.
    Concise,
    /// One JSON document.
    Json,
    /// One JSON object for each session, then the summary.
    JsonLines,
    /// JUnit XML: one test case for each group.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
    /// Workflow commands of GitHub, which become annotations.
    Github,
    /// GitLab code quality.
    Gitlab,
    /// One page with pictures.
    Html,
    /// A part of a report, which `merge` joins with the other parts of the input.
    Partial,
}

impl OutputFormat {
    /// All formats, in the order of the help text.
    pub const ALL: [OutputFormat; 10] = [
        OutputFormat::Human,
        OutputFormat::Concise,
        OutputFormat::Json,
        OutputFormat::JsonLines,
        OutputFormat::Junit,
        OutputFormat::Sarif,
        OutputFormat::Github,
        OutputFormat::Gitlab,
        OutputFormat::Html,
        OutputFormat::Partial,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            OutputFormat::Human => "human",
            OutputFormat::Concise => "concise",
            OutputFormat::Json => "json",
            OutputFormat::JsonLines => "json-lines",
            OutputFormat::Junit => "junit",
            OutputFormat::Sarif => "sarif",
            OutputFormat::Github => "github",
            OutputFormat::Gitlab => "gitlab",
            OutputFormat::Html => "html",
            OutputFormat::Partial => "partial",
        }
    }

    /// The format of this name.
    pub fn of_name(name: &str) -> Option<OutputFormat> {
        OutputFormat::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The content of the format, in a few words.
    pub fn title(self) -> &'static str {
        match self {
            OutputFormat::Human => "A summary, then the failures by cause with an example each",
            OutputFormat::Concise => "One line for each group of failures",
            OutputFormat::Json => "One JSON document: summary and groups",
            OutputFormat::JsonLines => {
                "One JSON object a session, in input order, then a summary object"
            }
            OutputFormat::Junit => "JUnit XML, one test case for each group",
            OutputFormat::Sarif => "SARIF 2.1.0, one result for each group",
            OutputFormat::Github => "Annotations of GitHub Actions",
            OutputFormat::Gitlab => "GitLab's code quality report",
            OutputFormat::Html => "One page with pictures, to look at, search and print",
            OutputFormat::Partial => "A part of a report, which `merge` puts together with others",
        }
    }

    /// Whether the format has a line for each session, written while the run goes on.
    pub fn has_session_lines(self) -> bool {
        self == OutputFormat::JsonLines
    }

    /// Writes the report of a run. Only [`OutputFormat::Human`] is painted.
    ///
    /// # Errors
    /// When `out` takes no more. [`OutputFormat::Partial`] has more in it than the end of a run; see
    /// [`PartialReport`](crate::partial::PartialReport).
    pub fn write(self, report: &RunReport, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
        match self {
            OutputFormat::Human => human::write(report, paint, out),
            OutputFormat::Concise => concise::write(report, out),
            OutputFormat::Json => json::write(report, out),
            OutputFormat::JsonLines => json_lines::write(report, out),
            OutputFormat::Junit => junit::write(report, out),
            OutputFormat::Sarif => sarif::write(report, out),
            OutputFormat::Github => github::write(report, out),
            OutputFormat::Gitlab => gitlab::write(report, out),
            OutputFormat::Html => html::write(report, out),
            OutputFormat::Partial => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "a report that is finished cannot become a part of another",
            )),
        }
    }
}
