//! What one thread does with inputs: sessions out of lines and files, their verdicts, and what is
//! to be said of them.

use crate::events::{Assembler, Problem};
use crate::gate::Gate;
use crate::grouping::Grouped;
use crate::inputs::Input;
use multitrace_formats::codes::Code;
use multitrace_formats::explanation::{Place, Places};
use multitrace_formats::groups::{Fingerprint, Group, Groups, Member};
use multitrace_formats::outputs::InputError;
use multitrace_formats::report::{
    ErrorReport, SessionReport, Summary, broken_line, error_line, write_session_line,
};
use multitrace_formats::selection::Selection;
use multitrace_formats::sessions::{
    LineParts, QuickReader, RawLine, parse_htf_session, parse_line, split,
};
use multitrace_formats::source::{Diagnostic, Source, SourceError};
use multitrace_interaction::{Cause, Engine, Session, Verdict};
use multitrace_runtime::{
    self as runtime, CheckConfig, Checked, ContentCache, Gaps, Monitor, Panicked, guarded,
};
use std::path::Path;
use std::sync::Arc;

/// Errors of inputs that are shown in full; more are counted.
pub(crate) const SHOWN_ERRORS: u64 = 20;

/// How sessions are checked. Shared by all threads.
pub(crate) struct Checker<'m> {
    pub(crate) parts: Parts<'m>,
    reader: QuickReader,
}

/// What a [`Checker`] is made of.
pub(crate) struct Parts<'m> {
    pub(crate) config: CheckConfig,
    pub(crate) engine: Engine,
    pub(crate) monitor: &'m Monitor,
    pub(crate) gate: Gate,
    pub(crate) selection: Arc<Selection>,
    /// Puts sessions of event logs together.
    pub(crate) assembler: Option<Assembler>,
    pub(crate) wanted: Wanted,
}

/// What is to be said of sessions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// A line for each.
    pub(crate) lines: bool,
    /// The groups of those that fail.
    pub(crate) groups: bool,
}

/// What a thread keeps from session to session.
#[derive(Default)]
pub(crate) struct Memory<'m> {
    /// Made for the first session, and again after a panic.
    checker: Option<runtime::Checker<'m>>,
    session: Session,
    /// Verdicts by the text of the traces.
    verdicts: ContentCache<Decided>,
}

/// What is known of a session once it has been checked.
struct Decided {
    checked: Checked,
    events: usize,
    /// Of sessions that belong to a group.
    key: Option<Fingerprint>,
}

/// A session that is a line.
struct InLine<'a> {
    file: &'a Arc<str>,
    line: usize,
}

impl Places for InLine<'_> {
    fn session(&self) -> Option<Place> {
        Some(Place { file: Arc::clone(self.file), line: Some(self.line) })
    }
}

/// What was found in one input.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) summary: Summary,
    pub(crate) violations: u64,
    /// The lines of machine-readable output.
    pub(crate) lines: Vec<u8>,
    /// The sessions that are shown to people.
    pub(crate) groups: Groups,
    /// The first errors, as text with the place shown, and for reports.
    pub(crate) errors: Vec<(String, Vec<InputError>)>,
}

impl<'m> Checker<'m> {
    pub(crate) fn new(parts: Parts<'m>) -> Checker<'m> {
        let reader = QuickReader::new(parts.monitor.alphabet());
        Checker { parts, reader }
    }

    /// Checks the sessions of an input, up to a number of violations.
    pub(crate) fn check(&self, input: &Input, memory: &mut Memory<'m>, most: u64) -> Findings {
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
            Input::Problems(problems) => {
                problems.iter().for_each(|problem| self.add_problem(problem, &mut findings));
            }
            Input::Sessions { sessions, cut } => {
                for session in sessions {
                    self.check_grouped(session, *cut, memory, &mut findings);
                    if findings.violations >= most {
                        break;
                    }
                }
            }
        }
        findings
    }

    fn check_line(
        &self,
        file: &Arc<str>,
        line: RawLine<'_>,
        memory: &mut Memory<'m>,
        findings: &mut Findings,
    ) {
        let places = &InLine { file, line: line.number };
        let parts = if line.is_too_long() { None } else { split(line.bytes) };
        if let Some(parts) = parts
            && (self.is_left_out(parts.id, findings)
                || self.add_known(parts, memory, findings, places))
        {
            return;
        }
        let quick =
            parts.filter(|parts| self.reader.read_traces(parts.traces, &mut memory.session));
        if let Some(parts) = quick {
            parts.id.clone_into(&mut memory.session.id);
        } else {
            let alphabet = self.parts.monitor.alphabet();
            let text = line.text(file);
            match text.and_then(|text| parse_line(file, line.number, text, alphabet)) {
                Ok(session) => memory.session = session,
                Err(error) => return self.add_error(&error, findings),
            }
            if parts.is_none() && self.is_left_out(&memory.session.id, findings) {
                return;
            }
        }
        if let Some(decided) = self.check_session(memory, findings, places, Gaps::None)
            && let Some(parts) = quick
        {
            memory.verdicts.insert(parts.traces, decided);
        }
    }

    /// Whether a session is not selected; counts those.
    fn is_left_out(&self, id: &str, findings: &mut Findings) -> bool {
        let selection = &self.parts.selection;
        let left_out = !selection.is_everything() && !selection.has(id);
        findings.summary.not_selected += u64::from(left_out);
        left_out
    }

    /// Adds a session of which the verdict is remembered; false when it is not.
    fn add_known(
        &self,
        parts: LineParts<'_>,
        memory: &mut Memory<'m>,
        findings: &mut Findings,
        places: &dyn Places,
    ) -> bool {
        let Memory { session, verdicts, .. } = memory;
        let Some(decided) = verdicts.find(parts.traces) else { return false };
        self.add(parts.id, decided, findings, || places.session());
        self.add_to_groups(parts.id, decided, findings, places, move || {
            // Only what this reader can read is remembered.
            self.reader.read_traces(parts.traces, session);
            parts.id.clone_into(&mut session.id);
            &*session
        });
        true
    }

    fn check_htf(&self, path: &Path, memory: &mut Memory<'m>, findings: &mut Findings) {
        let name = path.display().to_string();
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return self.add_unreadable(&name, &error, findings),
        };
        let text = String::from_utf8(bytes).unwrap_or_else(|error| {
            // The replacement character is no part of the format, so its place is reported.
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        });
        let alphabet = self.parts.monitor.alphabet();
        match parse_htf_session(&Source::new(name.as_str(), text), alphabet) {
            Ok(session) if self.is_left_out(&session.id, findings) => {}
            Ok(session) => {
                memory.session = session;
                let place = Place { file: name.as_str().into(), line: None };
                self.check_session(memory, findings, &place, Gaps::None);
            }
            Err(error) => self.add_error(&error, findings),
        }
    }

    /// Checks the session in memory.
    fn check_session(
        &self,
        memory: &mut Memory<'m>,
        findings: &mut Findings,
        places: &dyn Places,
        gaps: Gaps,
    ) -> Option<Decided> {
        let Parts { monitor, config, .. } = self.parts;
        let checked = guarded(memory, |Memory { session, checker, .. }| {
            let make = || runtime::Checker::new(monitor, config).expect("the run has an engine");
            checker.get_or_insert_with(make).check_with_gaps(session, gaps)
        });
        match checked {
            Ok(checked) => {
                let session = &memory.session;
                let decided = self.decided(checked, session.event_count());
                let place = || self.place(&decided.checked.verdict, session, places);
                self.add(&session.id, &decided, findings, place);
                self.add_to_groups(&session.id, &decided, findings, places, || session);
                Some(decided)
            }
            Err(panicked) => {
                self.add_panic(places.session(), &panicked, findings);
                None
            }
        }
    }

    /// The key of a group for those that belong to one: failures, what is undecided, and what the
    /// gate asks for.
    fn decided(&self, checked: Checked, events: usize) -> Decided {
        let Parts { monitor, gate, wanted, .. } = &self.parts;
        let grouped = match &checked.verdict {
            Verdict::Pass => false,
            Verdict::Fail(_) | Verdict::Inconclusive(_) => true,
            Verdict::WeakPass => gate.names(checked.verdict.name()),
        };
        let key = if wanted.groups && grouped {
            Fingerprint::of(&checked.verdict, monitor.alphabet())
        } else {
            None
        };
        Decided { checked, events, key }
    }

    /// Where to look for what is wrong.
    fn place(&self, verdict: &Verdict, session: &Session, places: &dyn Places) -> Option<Place> {
        let Verdict::Fail(Cause::Local(failure)) = verdict else { return places.session() };
        let alphabet = self.parts.monitor.alphabet();
        let known =
            alphabet.locations().position(|it| alphabet.location_name(it) == failure.location);
        let foreign = || {
            let at = session.foreign.iter().position(|it| it.location == failure.location)?;
            Some(session.trace.len() + at)
        };
        // Where a log ends too early, its last event is the place.
        let event = |at| {
            let last = failure.event.is_none().then(|| failure.index.checked_sub(1));
            places.event(at, last.unwrap_or(Some(failure.index))?)
        };
        known.or_else(foreign).and_then(event).or_else(|| places.session())
    }

    fn add(
        &self,
        session: &str,
        decided: &Decided,
        findings: &mut Findings,
        place: impl FnOnce() -> Option<Place>,
    ) {
        let Parts { gate, engine, wanted, monitor, .. } = &self.parts;
        let Checked { verdict, witness, .. } = &decided.checked;
        findings.summary.add(verdict, decided.events);
        findings.violations += u64::from(gate.is_violation(verdict.name(), decided.key));
        if wanted.lines {
            let place = if matches!(verdict, Verdict::Pass) { None } else { place() };
            let (witness, place) = (witness.as_ref(), place.as_ref());
            let report = SessionReport { session, verdict, witness, engine: *engine, place };
            write_session_line(&report, monitor.alphabet(), &mut findings.lines);
        }
    }

    /// Adds a session to its group. It is `read` only when it is the first of it.
    fn add_to_groups<'s>(
        &self,
        id: &str,
        decided: &Decided,
        findings: &mut Findings,
        places: &dyn Places,
        read: impl FnOnce() -> &'s Session,
    ) {
        let Some(key) = decided.key else { return };
        let verdict = &decided.checked.verdict;
        let member = || Member::new(id, places.session());
        let group = || Group::of(read(), verdict, self.parts.monitor.alphabet(), places);
        findings.groups.add(key, verdict.name(), member, group);
    }

    fn add_error(&self, error: &SourceError, findings: &mut Findings) {
        let reports = reports(error);
        let lines = reports.iter().map(error_line).collect();
        let errors =
            reports.into_iter().map(|report| InputError { code: Code::MalformedInput, report });
        self.add_error_text(error.to_string(), errors.collect(), lines, findings);
    }

    fn add_unreadable(&self, file: &str, error: &std::io::Error, findings: &mut Findings) {
        let (file, message) = (file.to_owned(), error.to_string());
        let text = format!("error: {file}: {message}");
        let report = ErrorReport { file, line: None, column: None, message };
        let lines = vec![error_line(&report)];
        let error = InputError { code: Code::UnreadableInput, report };
        self.add_error_text(text, vec![error], lines, findings);
    }

    fn add_panic(&self, place: Option<Place>, panicked: &Panicked, findings: &mut Findings) {
        let shown = place.as_ref().map_or_else(String::new, |place| format!("{place}: "));
        let text = format!("error: {shown}{panicked}; please report this");
        let (file, line) = place.map_or_else(Default::default, |it| (it.file.to_string(), it.line));
        let report = ErrorReport { file, line, column: None, message: panicked.to_string() };
        let lines = vec![broken_line(shown.trim_end_matches(": "), &report.message)];
        self.add_error_text(
            text,
            vec![InputError { code: Code::Internal, report }],
            lines,
            findings,
        );
    }

    /// Adds what was found wrong while reading.
    fn add_problem(&self, (text, error): &Problem, findings: &mut Findings) {
        let lines = vec![error_line(&error.report)];
        self.add_error_text(text.clone(), vec![error.clone()], lines, findings);
    }

    /// Puts a session of event logs together and checks it.
    fn check_grouped(
        &self,
        grouped: &Grouped,
        cut: bool,
        memory: &mut Memory<'m>,
        findings: &mut Findings,
    ) {
        let Some(assembler) = &self.parts.assembler else { return };
        let alphabet = self.parts.monitor.alphabet();
        match assembler.assemble(grouped, alphabet, &mut memory.session) {
            Ok(placed) => {
                let gaps = Gaps::of(cut, placed.is_damaged);
                self.check_session(memory, findings, &placed, gaps);
            }
            Err(error) => {
                // There is no telling what its events say together, so the session has none.
                let place = error.place.clone();
                self.add_problem(&error.into(), findings);
                self.check_session(memory, findings, &place, Gaps::Events);
            }
        }
    }

    fn add_error_text(
        &self,
        text: String,
        errors: Vec<InputError>,
        lines: Vec<String>,
        findings: &mut Findings,
    ) {
        findings.summary.errors += 1;
        if findings.summary.errors <= SHOWN_ERRORS {
            findings.errors.push((text, errors));
        }
        if self.parts.wanted.lines {
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
