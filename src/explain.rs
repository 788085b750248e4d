//! `multitrace explain`: one session in full.

use crate::args::{ExplainArgs, ReportFormat};
use crate::events::{Collector, EventLog, Problem};
use crate::failure::{Failure, Outcome};
use crate::inputs::{Input, Inputs};
use crate::output::{Output, note};
use crate::progress::Messages;
use crate::reports::paint;
use crate::{Exit, check, load};
use multitrace_formats::explanation::{Explanation, Place, Places, View};
use multitrace_formats::outputs::explain::{Explained, write_human, write_json};
use multitrace_formats::selection::{IdList, Selection};
use multitrace_formats::sessions::{RawLine, parse_htf_session, parse_line, split};
use multitrace_interaction::{Engine, Session};
use multitrace_runtime::{CheckConfig, Checker, Gaps, Monitor, guarded};
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(args: &ExplainArgs) -> Outcome<Exit> {
    let (spec, paths) = check::operands(&args.operands)?;
    let bundle = load::bundle_or_spec(spec, &args.checking.options)?;
    let log = EventLog::open(&args.events, &bundle, paths)?;
    let mut inputs = match log {
        Some(_) => Inputs::default(),
        None => Inputs::new(paths, &Messages::new(true))?,
    };
    let (config, engine, monitor) = check::monitor(&args.checking, true, bundle)?;
    let mut explainer = Explainer {
        args,
        config,
        engine,
        monitor,
        output: Output::open(None)?,
        found: 0,
        errors: 0,
    };
    if let Some(log) = log {
        explainer.look_into_events(log)?;
        return explainer.finish();
    }
    loop {
        let batch = inputs.next_batch(1);
        if batch.is_empty() {
            return explainer.finish();
        }
        batch.iter().try_for_each(|input| explainer.look_into(input))?;
    }
}

struct Explainer<'a> {
    args: &'a ExplainArgs,
    config: CheckConfig,
    engine: Engine,
    monitor: Monitor,
    output: Output,
    found: u64,
    errors: u64,
}

impl Explainer<'_> {
    fn look_into(&mut self, input: &Input) -> Outcome<()> {
        match input {
            Input::Lines { file, chunk } => {
                chunk.lines().try_for_each(|line| self.look_at(file, line))
            }
            Input::Htf(path) => self.look_at_file(path),
            Input::Broken(error) => {
                self.tell(&error.to_string());
                Ok(())
            }
            Input::Sessions { .. } | Input::Problems(_) => Ok(()),
            Input::Unreadable { file, error } => {
                self.tell(&format!("error: {file}: {error}"));
                Ok(())
            }
        }
    }

    /// Groups the events of the session, and no others.
    fn look_into_events(&mut self, log: EventLog) -> Outcome<()> {
        let assembler = log.assembler();
        let only = Some(IdList::parse(&self.args.session));
        let selection = Arc::new(Selection { only, sample: None });
        let reader = log.reader(self.monitor.alphabet(), selection, false);
        let memory = self.args.events.memory();
        let mut collector = Collector::new(reader, memory);
        while let Some(problems) = collector.read()? {
            problems.iter().for_each(|(text, _)| self.tell(text));
        }
        let (mut sessions, _) = collector.finish()?;
        let mut session = Session::default();
        for input in sessions.next_batch(1)? {
            let Input::Sessions { sessions, cut } = input else { continue };
            for grouped in &sessions {
                match assembler.assemble(grouped, self.monitor.alphabet(), &mut session) {
                    Ok(placed) => {
                        self.explain(&session, &placed, Gaps::of(cut, placed.is_damaged))?;
                    }
                    Err(error) => {
                        let place = error.place.clone();
                        self.tell(&Problem::from(error).0);
                        self.explain(&session, &place, Gaps::Events)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// An input that could not be read may hold the session.
    fn tell(&mut self, error: &str) {
        self.errors += 1;
        note(error);
    }

    fn look_at(&mut self, file: &Arc<str>, line: RawLine<'_>) -> Outcome<()> {
        let parts = if line.is_too_long() { None } else { split(line.bytes) };
        if parts.is_some_and(|parts| parts.id != self.args.session) {
            return Ok(());
        }
        let text = line.text(file);
        let alphabet = self.monitor.alphabet();
        match text.and_then(|text| parse_line(file, line.number, text, alphabet)) {
            Ok(session) if session.id == self.args.session => {
                let place = Place { file: Arc::clone(file), line: Some(line.number) };
                self.explain(&session, &place, Gaps::None)
            }
            Ok(_) => Ok(()),
            Err(error) => {
                self.tell(&error.to_string());
                Ok(())
            }
        }
    }

    /// The session of a file is called like the file.
    fn look_at_file(&mut self, path: &Path) -> Outcome<()> {
        if path.file_stem().is_none_or(|stem| stem.to_string_lossy() != self.args.session) {
            return Ok(());
        }
        let source = load::text(path, load::read(path)?)?;
        let session = parse_htf_session(&source, self.monitor.alphabet());
        let session = session.map_err(Failure::source)?;
        self.explain(&session, &Place { file: source.name().into(), line: None }, Gaps::None)
    }

    fn explain(&mut self, session: &Session, place: &dyn Places, gaps: Gaps) -> Outcome<()> {
        self.found += 1;
        let Explainer { args, config, engine, monitor, output, .. } = self;
        let checked = guarded(&mut (), |()| {
            let checker = Checker::new(monitor, *config);
            checker.expect("the engine was available").check_with_gaps(session, gaps)
        });
        let checked =
            checked.map_err(|panicked| Failure::new(format!("{panicked}; please report this")))?;
        let alphabet = monitor.alphabet();
        let explained = Explained {
            verdict: &checked.verdict,
            explanation: Explanation::new(session, &checked.verdict, alphabet, place, &View::WHOLE),
            witness: checked.witness.as_ref(),
            engine: *engine,
        };
        let paint = paint(args.color, true);
        output.write_with(|out| match args.output_format {
            ReportFormat::Json => write_json(&explained, alphabet, out),
            ReportFormat::Human => write_human(&explained, alphabet, paint, out),
        })
    }

    fn finish(self) -> Outcome<Exit> {
        self.output.finish()?;
        if self.errors > 0 {
            return Ok(Exit::Error);
        }
        if self.found == 0 {
            note(&format!("error: no session is called {:?}", self.args.session));
            return Ok(Exit::NothingChecked);
        }
        Ok(Exit::Clean)
    }
}
