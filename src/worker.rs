//! What one thread does with inputs: sessions out of lines and files, their verdicts, and what is
//! to be said of them.

use crate::args::{CheckArgs, FailOn, OutputFormat};
use crate::inputs::Input;
use multitrace_formats::report::{
    Engine, ErrorReport, SessionReport, Summary, broken_line, error_line, write_session_line,
};
use multitrace_formats::sessions::{
    LineParts, QuickReader, RawLine, parse_htf_session, parse_line, split,
};
use multitrace_formats::source::{Diagnostic, Source, SourceError};
use multitrace_interaction::{Session, Verdict};
use multitrace_runtime::{CheckConfig, Checked, ContentCache, Monitor, Panicked, Scratch, guarded};
use std::path::Path;

/// Errors of inputs that are shown in full; more are counted.
pub(crate) const SHOWN_ERRORS: u64 = 20;

/// How sessions are checked. Shared by all threads.
pub(crate) struct Checker<'a> {
    args: &'a CheckArgs,
    pub(crate) config: CheckConfig,
    engine: Engine,
    pub(crate) monitor: Monitor,
    reader: QuickReader,
}

/// What a thread keeps from session to session.
#[derive(Default)]
pub(crate) struct Memory {
    scratch: Scratch,
    session: Session,
    /// Verdicts by the text of the traces, with the number of events.
    verdicts: ContentCache<(Checked, usize)>,
}

/// What was found in one input.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) summary: Summary,
    pub(crate) violations: u64,
    /// The lines of machine-readable output.
    pub(crate) lines: Vec<u8>,
    /// For people: the sessions that did not pass.
    pub(crate) failures: Vec<(Session, Verdict)>,
    /// The first errors, as text with the place shown.
    pub(crate) errors: Vec<String>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(
        args: &'a CheckArgs,
        config: CheckConfig,
        engine: Engine,
        monitor: Monitor,
    ) -> Checker<'a> {
        let reader = QuickReader::new(monitor.alphabet());
        Checker { args, config, engine, monitor, reader }
    }

    /// Checks the sessions of an input, up to a number of violations.
    pub(crate) fn check(&self, input: &Input, memory: &mut Memory, most: u64) -> Findings {
        let mut findings = Findings::default();
        match input {
            Input::Lines { file, chunk } => {
                for line in chunk.lines() {
                    self.check_line(file, line, memory, &mut findings);
                    if findings.violations >= most {
                        break;
                    }
                }
            }
            Input::Htf(path) => self.check_htf(path, memory, &mut findings),
            Input::Broken(error) => self.add_error(error, &mut findings),
            Input::Unreadable { file, error } => self.add_unreadable(file, error, &mut findings),
        }
        findings
    }

    fn check_line(
        &self,
        file: &str,
        line: RawLine<'_>,
        memory: &mut Memory,
        findings: &mut Findings,
    ) {
        let parts = if line.is_too_long() { None } else { split(line.bytes) };
        if parts.is_some_and(|parts| self.add_known(parts, memory, findings)) {
            return;
        }
        let quick =
            parts.filter(|parts| self.reader.read_traces(parts.traces, &mut memory.session));
        if let Some(parts) = quick {
            parts.id.clone_into(&mut memory.session.id);
        } else {
            let alphabet = self.monitor.alphabet();
            let text = line.text(file);
            match text.and_then(|text| parse_line(file, line.number, text, alphabet)) {
                Ok(session) => memory.session = session,
                Err(error) => return self.add_error(&error, findings),
            }
        }
        let place = || format!("{file}:{}", line.number);
        if let Some(checked) = self.check_session(memory, findings, place)
            && let Some(parts) = quick
        {
            memory.verdicts.insert(parts.traces, (checked, memory.session.event_count()));
        }
    }

    /// Adds a session of which the verdict is remembered; false when it is not.
    fn add_known(
        &self,
        parts: LineParts<'_>,
        memory: &mut Memory,
        findings: &mut Findings,
    ) -> bool {
        let Memory { session, verdicts, .. } = memory;
        let Some((checked, events)) = verdicts.find(parts.traces) else { return false };
        self.add(parts.id, checked, *events, findings);
        if self.is_shown(&checked.verdict) {
            // Only what this reader can read is remembered.
            self.reader.read_traces(parts.traces, session);
            parts.id.clone_into(&mut session.id);
            findings.failures.push((session.clone(), checked.verdict.clone()));
        }
        true
    }

    fn check_htf(&self, path: &Path, memory: &mut Memory, findings: &mut Findings) {
        let name = path.display().to_string();
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return self.add_unreadable(&name, &error, findings),
        };
        let text = String::from_utf8(bytes).unwrap_or_else(|error| {
            // The replacement character is no part of the format, so its place is reported.
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        });
        match parse_htf_session(&Source::new(name.as_str(), text), self.monitor.alphabet()) {
            Ok(session) => {
                memory.session = session;
                self.check_session(memory, findings, || name.clone());
            }
            Err(error) => self.add_error(&error, findings),
        }
    }

    /// Checks the session in memory.
    fn check_session(
        &self,
        memory: &mut Memory,
        findings: &mut Findings,
        place: impl Fn() -> String,
    ) -> Option<Checked> {
        let checked = guarded(memory, |Memory { session, scratch, .. }| {
            self.monitor.check(session, &self.config, scratch)
        });
        match checked {
            Ok(checked) => {
                let session = &memory.session;
                self.add(&session.id, &checked, session.event_count(), findings);
                if self.is_shown(&checked.verdict) {
                    findings.failures.push((session.clone(), checked.verdict.clone()));
                }
                Some(checked)
            }
            Err(panicked) => {
                self.add_panic(&place(), &panicked, findings);
                None
            }
        }
    }

    /// Whether people are shown sessions with this verdict.
    fn is_shown(&self, verdict: &Verdict) -> bool {
        !self.is_json() && !matches!(verdict, Verdict::Pass | Verdict::WeakPass)
    }

    fn is_json(&self) -> bool {
        self.args.output_format == OutputFormat::JsonLines
    }

    fn add(&self, session: &str, checked: &Checked, events: usize, findings: &mut Findings) {
        findings.summary.add(&checked.verdict, events);
        findings.violations += u64::from(self.is_violation(&checked.verdict));
        if self.is_json() {
            let report = SessionReport {
                session,
                verdict: &checked.verdict,
                witness: checked.witness.as_ref(),
                engine: self.engine,
            };
            write_session_line(&report, self.monitor.alphabet(), &mut findings.lines);
        }
    }

    fn is_violation(&self, verdict: &Verdict) -> bool {
        let named = |choice| self.args.fail_on.contains(&choice);
        match verdict {
            Verdict::Pass => false,
            Verdict::WeakPass => named(FailOn::WeakPass),
            Verdict::Fail(_) => named(FailOn::Fail),
            Verdict::Inconclusive(_) => named(FailOn::Inconclusive),
        }
    }

    fn add_error(&self, error: &SourceError, findings: &mut Findings) {
        let lines = reports(error).iter().map(error_line).collect();
        self.add_error_text(error.to_string(), lines, findings);
    }

    fn add_unreadable(&self, file: &str, error: &std::io::Error, findings: &mut Findings) {
        let (file, message) = (file.to_owned(), error.to_string());
        let text = format!("error: {file}: {message}");
        let report = ErrorReport { file, line: None, column: None, message };
        self.add_error_text(text, vec![error_line(&report)], findings);
    }

    fn add_panic(&self, place: &str, panicked: &Panicked, findings: &mut Findings) {
        let text = format!("error: {place}: {panicked}; please report this");
        self.add_error_text(text, vec![broken_line(place, &panicked.to_string())], findings);
    }

    fn add_error_text(&self, text: String, lines: Vec<String>, findings: &mut Findings) {
        findings.summary.errors += 1;
        if findings.summary.errors <= SHOWN_ERRORS {
            findings.errors.push(text);
        }
        if self.is_json() {
            for line in lines {
                findings.lines.extend_from_slice(line.as_bytes());
                findings.lines.push(b'\n');
            }
        }
    }
}

fn reports(error: &SourceError) -> Vec<ErrorReport> {
    let source = error.file();
    let report = |diagnostic: &Diagnostic| {
        let position = source.position(diagnostic.span.start);
        ErrorReport {
            file: source.name().to_owned(),
            line: Some(position.line),
            column: Some(position.column),
            message: diagnostic.message.clone(),
        }
    };
    error.diagnostics().iter().map(report).collect()
}
