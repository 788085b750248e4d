//! The differences between sessions and a diagram, and the text of the diagram with some of them accepted.

// Idea: the session beside the accepted one that is nearest to it shows which messages are missing and which are new, and where.
// Each stretch that differs becomes an option or an alternative of the text, and nothing else of the text changes. The guarantee
// is the verifier's, as for all that is learnt: the new text is compiled, the session has to pass, and so has each one that passed
// before. There are several ways to place new messages; the first that passes is taken, at worst the session beside all else.
//
// Cost: of each kind of sessions a repair, and at most 10 times compiling and checking all.

mod alignment;
mod outline;
mod pieces;
mod units;
mod writing;

use super::found::Learnt;
use super::verifying::{Letters, Verifier};
use crate::error::Error;
use crate::monitor::Monitor;
use crate::spec::{CompileOptions, Spec};
use crate::spec_path::SpecPath;
use alignment::{aligned, alone};
use multitrace_formats::bundle;
use multitrace_formats::diagram::{self, IncludeError, Notation};
use multitrace_interaction::Session;
use multitrace_reports::text::{counted, first_of};
use outline::Outline;
use pieces::{Piece, Placing, pieces, whole};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::Path;
use units::extra_messages;
pub use writing::ChangedPlace;
use writing::Drawn;

/// The most differences whose change is looked for: an estimate, as many as anybody accepts one by one.
const MOST_DIFFERENCES: usize = 50;

const NO_DIAGRAM: &str = "only a Mermaid or PlantUML diagram without includes can be changed; `convert` writes other \
                          specifications as one";
const LACKS: &str = "a log or the end of one is missing, which says nothing of the diagram";
const TOO_MANY: &str = "not looked at, since many others come first: accept those, and look again";
const UNDECLARED: &str = "a lifeline that the diagram does not have has a log without events: declare it as a participant";
const NO_CHANGE: &str = "no change was found that lets them pass: their names cannot be written in the diagram, or several \
                         statements share a line";

/// A specification that sessions are compared with.
#[derive(Debug)]
pub struct Written {
    /// `None` for a bundle.
    spec: Option<Spec>,
    /// The specification, compiled.
    pub monitor: Monitor,
}

/// Sessions that a specification does not accept, and that the same change lets pass.
#[derive(Clone, Debug)]
pub struct Deviation {
    /// How many there are.
    pub count: u64,
    /// The ids of the first of them.
    pub ids: Vec<String>,
    /// The finding of those that are there most often, as a sentence.
    pub finding: String,
    /// The lines that change if it is accepted, or why it cannot be.
    pub change: Result<Vec<ChangedPlace>, &'static str>,
    sessions: Vec<usize>,
}

impl Deviation {
    /// The ids of the first of its sessions, and how many more there are.
    pub fn named(&self) -> String {
        first_of(&self.ids, self.count)
    }
}

impl Written {
    /// The specification or bundle in a file.
    ///
    /// # Errors
    /// When the file cannot be read, or is wrong.
    pub fn open(path: &Path) -> Result<Written, Error> {
        let spec_path = SpecPath::of(path);
        let bytes = spec_path.read()?;
        if bundle::is_bundle_path(path) || bundle::is_bundle(&bytes) {
            return Ok(Written { spec: None, monitor: Monitor::of_file(path, &bytes)? });
        }
        Written::new(Spec::of_file(&spec_path, bytes)?)
    }

    /// A specification.
    ///
    /// # Errors
    /// When its text is wrong.
    pub fn new(spec: Spec) -> Result<Written, Error> {
        let monitor = spec.compile(&CompileOptions::default())?.monitor;
        Ok(Written { spec: Some(spec), monitor })
    }
}

impl Learnt {
    /// How its sessions differ from a specification: those that are there most often first.
    ///
    /// # Errors
    /// When the engine of the specification is not available.
    pub fn deviations(&self, written: &Written) -> Result<Vec<Deviation>, Error> {
        let amender = Amender::new(self, written)?;
        let mut left = amender.failing.clone();
        left.sort_by_key(|&at| Reverse(self.count(at)));
        let mut differences = Vec::new();
        while let Some(&first) = left.first() {
            let amended = match differences.len() {
                MOST_DIFFERENCES.. => Err(TOO_MANY),
                _ => amender.amended(first)?,
            };
            let is_in = |at: usize| match &amended {
                Ok(amended) => amended.failing.binary_search(&at).is_err(),
                Err(why) => at == first || *why == TOO_MANY,
            };
            let (sessions, rest) = left.into_iter().partition(|&at| is_in(at));
            differences.push(self.difference(&amender, sessions, amended.map(|it| it.places))?);
            left = rest;
        }
        Ok(differences)
    }

    fn difference(
        &self,
        amender: &Amender<'_>,
        sessions: Vec<usize>,
        change: Result<Vec<ChangedPlace>, &'static str>,
    ) -> Result<Deviation, Error> {
        let monitor = &amender.monitor;
        let mut checker = monitor.checker(monitor.config())?;
        let finding = if change == Err(TOO_MANY) {
            String::new()
        } else {
            checker.first_finding(&amender.session(sessions[0])).0
        };
        let ids = sessions.iter().flat_map(|&at| self.ids.get(at)).flatten().cloned();
        Ok(Deviation {
            count: sessions.iter().map(|&at| self.count(at)).sum(),
            ids: ids.collect(),
            finding,
            change,
            sessions,
        })
    }

    /// The text of a specification such that it accepts differences as well, and how many of their sessions it still does not;
    /// `None` of a bundle.
    ///
    /// # Errors
    /// When the engine of the specification is not available.
    pub fn accepted(
        &self,
        written: &Written,
        differences: &[&Deviation],
    ) -> Result<Option<(String, u64)>, Error> {
        let mut amender = Amender::new(self, written)?;
        for &at in differences.iter().flat_map(|it| &it.sessions) {
            if amender.failing.binary_search(&at).is_ok()
                && let Ok(amended) = amender.amended(at)?
            {
                amender.take(amended);
            }
        }
        let failing = |at: &&usize| amender.failing.binary_search(at).is_ok();
        let failing = differences.iter().flat_map(|it| &it.sessions).filter(failing);
        let count = failing.map(|&at| self.count(at)).sum();
        Ok(amender.spec.map(|it| (it.source().text().to_owned(), count)))
    }

    fn count(&self, at: usize) -> u64 {
        self.observations.sessions[at].1
    }
}

/// A specification that is changed until it accepts sessions.
struct Amender<'a> {
    learnt: &'a Learnt,
    verifier: Verifier<'a>,
    spec: Option<Spec>,
    monitor: Monitor,
    /// The sessions that it does not accept, in order.
    failing: Vec<usize>,
    lacks_a_silent_lifeline: bool,
}

/// A specification after a change.
struct Amended {
    spec: Spec,
    monitor: Monitor,
    failing: Vec<usize>,
    places: Vec<ChangedPlace>,
}

impl<'a> Amender<'a> {
    fn new(learnt: &'a Learnt, written: &Written) -> Result<Amender<'a>, Error> {
        let verifier = Verifier::new(&learnt.observations, &learnt.locations);
        let failing = verifier.failing(&written.monitor)?;
        let (spec, monitor) = (written.spec.clone(), written.monitor.clone());
        let lacks_a_silent_lifeline = lacks_a_silent_lifeline(learnt, &monitor);
        Ok(Amender { learnt, verifier, spec, monitor, failing, lacks_a_silent_lifeline })
    }

    fn take(&mut self, amended: Amended) {
        let Amended { spec, monitor, failing, .. } = amended;
        (self.spec, self.monitor, self.failing) = (Some(spec), monitor, failing);
    }

    fn session(&self, at: usize) -> Session {
        let logs = &self.learnt.observations.sessions[at].0;
        self.verifier.session(&self.monitor, logs, &mut Letters::default())
    }

    /// Changes the specification such that a session passes; else the reason why no change was found.
    fn amended(&self, at: usize) -> Result<Result<Amended, &'static str>, Error> {
        if self.learnt.learnt.partial.get(at).copied().flatten().is_some() {
            return Ok(Err(LACKS));
        }
        let Some((spec, notation, outline)) = self.diagram() else { return Ok(Err(NO_DIAGRAM)) };
        if self.lacks_a_silent_lifeline {
            return Ok(Err(UNDECLARED));
        }
        let drawn = Drawn { text: spec.source().text(), notation, outline: &outline };
        let mut tried: Vec<String> = Vec::new();
        for pieces in self.candidates(at, &outline)? {
            let Some((text, _)) = drawn.with(&pieces, "").filter(|it| !tried.contains(&it.0))
            else {
                continue;
            };
            tried.push(text.clone());
            let Some((_, failing)) = self.checked(&spec.with_text(text), at)? else { continue };
            let passing = self.failing.iter().filter(|it| failing.binary_search(it).is_err());
            let passing: u64 = passing.map(|&it| self.learnt.count(it)).sum();
            let sessions = format!("{passing} of {}", counted(self.learnt.sessions, "session"));
            let Some((text, places)) = drawn.with(&pieces, &sessions) else { continue };
            let spec = spec.with_text(text);
            if let Some((monitor, failing)) = self.checked(&spec, at)? {
                return Ok(Ok(Amended { spec, monitor, failing, places }));
            }
        }
        Ok(Err(NO_CHANGE))
    }

    /// The diagram that is changed.
    fn diagram(&self) -> Option<(&Spec, Notation, Outline)> {
        let spec = self.spec.as_ref()?;
        let spans = &self.monitor.bundle().text.spans;
        let text = spec.source().text();
        let found = spec.format().diagrams(text);
        let no_files = |_: &str| Err(IncludeError::NoFolder);
        let (at, whole) = diagram::around(text, &found, spans, &no_files)?;
        let is_alone = whole.parts.is_empty();
        is_alone.then(|| (spec, found[at].notation, Outline::new(&whole.diagram)))
    }

    /// The changes that may let a session pass, in the order in which they are tried.
    fn candidates(&self, at: usize, outline: &Outline) -> Result<Vec<Vec<Piece>>, Error> {
        let (monitor, session) = (&self.monitor, self.session(at));
        let mut candidates = Vec::new();
        let repaired = monitor.checker(monitor.config())?.repaired(&session);
        if let Some((repair, steps)) = repaired
            && let Some(logs) = aligned(monitor, &session, &repair, &steps)
        {
            let (arrows, ends) = (extra_messages(&logs, false), extra_messages(&logs, true));
            for (is_joined, messages) in [(true, &arrows), (false, &arrows), (true, &ends)] {
                for placing in [Placing::Between, Placing::Behind, Placing::Before] {
                    candidates.extend(pieces((&logs, messages), outline, placing, is_joined));
                }
            }
        }
        let alone = alone(monitor, &session);
        candidates.extend(alone.map(|logs| whole(outline, extra_messages(&logs, false))));
        Ok(candidates)
    }

    /// A changed specification with the sessions that fail, if one does not, and none that passes before.
    fn checked(&self, spec: &Spec, at: usize) -> Result<Option<(Monitor, Vec<usize>)>, Error> {
        let Ok(compiled) = spec.compile(&CompileOptions::default()) else { return Ok(None) };
        let failing = self.verifier.failing(&compiled.monitor)?;
        let is_old = |it: &usize| *it != at && self.failing.binary_search(it).is_ok();
        Ok(failing.iter().all(is_old).then_some((compiled.monitor, failing)))
    }
}

/// Whether a lifeline has logs and no event in any of them, so that no new message declares it, and the diagram does not
/// have it: `check` refuses its logs.
fn lacks_a_silent_lifeline(learnt: &Learnt, monitor: &Monitor) -> bool {
    let observations = &learnt.observations;
    let logs = observations.sessions.iter().flat_map(|(logs, _)| logs.iter().flatten());
    let with_events: HashSet<_> = logs.map(|action| action.lifeline).collect();
    let signature = &observations.signature;
    let mut silent = signature.lifelines().filter(|it| !with_events.contains(it));
    let declared = monitor.bundle().source.as_ref().map(|(declared, _)| declared);
    silent.any(|it| {
        let name = signature.lifeline_name(it);
        declared.is_none_or(|declared| declared.lifeline(name).is_none())
    })
}
