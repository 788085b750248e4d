//! The differences between sessions and a diagram, and the text of the diagram with some of them accepted.

// Idea: the session beside the accepted one that is nearest to it shows which messages are missing and which are new, and where.
// Each stretch that differs becomes an option, an alternative or a loop of the text, and nothing else of the text changes. A message
// that has another name in all sessions gets that first. The guarantee
// is the verifier's, as for all that is learnt: the new text is compiled, the session has to pass, and so has each one that passed
// before. There are several ways to place new messages; the first that passes is taken, at worst the session beside all else.
//
// Labels say how many sessions take a part. Accepting one difference leads others there, so the numbers are filled in when all is
// written, from the steps that the sessions take.
//
// Cost: of each kind of sessions a repair, and at most 30 times compiling and checking all (an estimate).

mod alignment;
mod outline;
mod pieces;
mod renaming;
mod share_marks;
mod shares;
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
use multitrace_formats::workers::in_pool;
use multitrace_interaction::Session;
use multitrace_reports::text::first_of;
use outline::{Outline, Place};
use pieces::{OtherStep, Piece, Placing, looped, pieces, whole};
use renaming::{Rename, has_message, renames};
use share_marks::filled;
use shares::Counter;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use units::{ExtraMessage, extra_messages};
pub use writing::ChangedPlace;
use writing::{Drawn, line_at};

/// The most differences whose change is looked for: an estimate, as many as anybody accepts one by one.
const MOST_DIFFERENCES: usize = 50;

/// Why no change of a specification lets some sessions pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoChange {
    /// The specification is not one diagram in one text.
    #[error(
        "only a Mermaid or PlantUML diagram without includes can be changed; `convert` writes other specifications as one"
    )]
    NoDiagram,
    /// The specification refers to other diagrams.
    #[error(
        "it is a diagram of several parts, and one diagram can be changed: `convert` writes it as one"
    )]
    Parts,
    /// The sessions lack events.
    #[error("a log or the end of one is missing, which says nothing of the diagram")]
    Lacks,
    /// Too many others are there more often.
    #[error("not looked at, since many others come first: accept those, and look again")]
    TooMany,
    /// A lifeline that is not drawn.
    #[error(
        "a lifeline that the diagram does not have has a log without events: declare it as a participant"
    )]
    Undeclared,
    /// Nothing that was tried does.
    #[error(
        "no change was found that lets them pass: their names cannot be written in the diagram, or several statements share a line"
    )]
    NotFound,
}

impl NoChange {
    /// Whether the specification is the reason, so that no sessions can be accepted.
    pub fn is_of_specification(self) -> bool {
        matches!(self, NoChange::NoDiagram | NoChange::Parts | NoChange::Undeclared)
    }
}

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
    pub change: Result<Vec<ChangedPlace>, NoChange>,
    /// Messages that get another name before: the name in the diagram, and in the sessions.
    pub renames: Vec<(String, String)>,
    /// An edit by the author that makes the change smaller.
    pub advice: Option<String>,
    sessions: Vec<usize>,
}

/// The text of a specification with differences accepted.
#[derive(Clone, Debug)]
pub struct Amendment {
    /// The text.
    pub text: String,
    /// How many sessions of these differences it still does not accept.
    pub failing: u64,
    /// The ids of the first of those.
    pub ids: Vec<String>,
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
        in_pool(0, || self.deviations_here(written))
    }

    /// The same on the pool of the current thread.
    fn deviations_here(&self, written: &Written) -> Result<Vec<Deviation>, Error> {
        let amender = Amender::new(self, written)?;
        let mut left = amender.failing.clone();
        left.sort_by_key(|&at| Reverse(self.count(at)));
        let mut differences = Vec::new();
        while let Some(&first) = left.first() {
            let amended = match differences.len() {
                MOST_DIFFERENCES.. => Err(NoChange::TooMany),
                _ => amender.amended(first)?,
            };
            let is_in = |at: usize| match &amended {
                Ok(amended) => amended.failing.binary_search(&at).is_err(),
                Err(why) => at == first || *why == NoChange::TooMany,
            };
            let (sessions, rest) = left.into_iter().partition(|&at| is_in(at));
            differences.push(self.difference(&amender, sessions, amended)?);
            left = rest;
        }
        Ok(differences)
    }

    fn difference(
        &self,
        amender: &Amender<'_>,
        sessions: Vec<usize>,
        amended: Result<Amended, NoChange>,
    ) -> Result<Deviation, Error> {
        let monitor = &amender.monitor;
        let mut checker = monitor.checker(monitor.config())?;
        let finding = match amended {
            Err(NoChange::TooMany) => String::new(),
            _ => checker.first_finding(&amender.session(sessions[0])).0,
        };
        let (mut renames, mut advice) = (Vec::new(), None);
        let change = match amended {
            Err(why) => Err(why),
            Ok(amended) => {
                let places = amender.counted_places(&amended)?;
                (renames, advice) = (amended.renames, amended.advice);
                Ok(places)
            }
        };
        let (count, ids) = self.sessions_of(&sessions);
        Ok(Deviation { count, ids, finding, change, renames, advice, sessions })
    }

    /// How many sessions there are of some kinds, and the ids of the first ones.
    fn sessions_of(&self, kinds: &[usize]) -> (u64, Vec<String>) {
        let ids = kinds.iter().flat_map(|&at| self.ids.get(at)).flatten().cloned();
        (kinds.iter().map(|&at| self.count(at)).sum(), ids.collect())
    }

    /// The text of a specification such that it accepts differences as well; `None` of a bundle.
    ///
    /// # Errors
    /// When the engine of the specification is not available.
    pub fn accepted(
        &self,
        written: &Written,
        differences: &[&Deviation],
    ) -> Result<Option<Amendment>, Error> {
        in_pool(0, || self.accepted_here(written, differences))
    }

    /// The same on the pool of the current thread.
    fn accepted_here(
        &self,
        written: &Written,
        differences: &[&Deviation],
    ) -> Result<Option<Amendment>, Error> {
        let mut amender = Amender::new(self, written)?;
        let mut left: Vec<usize> =
            differences.iter().flat_map(|it| &it.sessions).copied().collect();
        let (before, mut tries) = (amender.failing.clone(), 0);
        for &at in &left {
            if tries == MOST_DIFFERENCES || amender.failing.binary_search(&at).is_err() {
                continue;
            }
            match amender.amended(at)? {
                Ok(amended) => amender.take(amended),
                // That takes no time.
                Err(NoChange::Lacks) => continue,
                Err(_) => {}
            }
            tries += 1;
        }
        let Some(spec) = &amender.spec else { return Ok(None) };
        let shares = amender.shares(spec, &amender.monitor, (&before[..], &amender.failing[..]))?;
        let text = filled(spec.source().text(), &mut shares.into_iter());
        let monitor = spec.with_text(text.clone()).compile(&CompileOptions::default())?.monitor;
        let failing = amender.verifier.failing(&monitor)?;
        left.retain(|it| failing.binary_search(it).is_ok());
        let (failing, ids) = self.sessions_of(&left);
        Ok(Some(Amendment { text, failing, ids }))
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
    renames: Vec<Rename>,
}

/// Advice for a message whose ends come at different places: each is accepted without the other, too.
fn advice_on_ends(pieces: &[Piece]) -> Option<String> {
    let new = pieces.iter().flat_map(|it| &it.other).filter_map(|step| match step {
        OtherStep::New(message) => Some(message),
        OtherStep::Kept(_) => None,
    });
    let new: Vec<&ExtraMessage> = new.collect();
    let is_other_end = |one: &ExtraMessage, other: &&&ExtraMessage| {
        one.receiver.is_none() && other.sender.is_none() && one.message == other.message
    };
    let sent = new.iter().find(|one| new.iter().any(|other| is_other_end(one, &other)))?;
    Some(format!(
        "`{}` is sent at one place and received at another, so that each is accepted without the other, too; one arrow in place of both \
         accepts less",
        sent.message
    ))
}

/// A specification after a change.
struct Amended {
    spec: Spec,
    monitor: Monitor,
    failing: Vec<usize>,
    places: Vec<ChangedPlace>,
    renames: Vec<Rename>,
    advice: Option<String>,
}

impl<'a> Amender<'a> {
    fn new(learnt: &'a Learnt, written: &Written) -> Result<Amender<'a>, Error> {
        let verifier = Verifier::new(&learnt.observations, &learnt.locations);
        let failing = verifier.failing(&written.monitor)?;
        let (spec, monitor) = (written.spec.clone(), written.monitor.clone());
        let lacks_a_silent_lifeline = lacks_a_silent_lifeline(learnt, &monitor);
        let renames = renames(&monitor, &learnt.observations);
        Ok(Amender { learnt, verifier, spec, monitor, failing, lacks_a_silent_lifeline, renames })
    }

    fn take(&mut self, amended: Amended) {
        let Amended { spec, monitor, failing, .. } = amended;
        (self.spec, self.monitor, self.failing) = (Some(spec), monitor, failing);
    }

    fn session(&self, at: usize) -> Session {
        let logs = &self.learnt.observations.sessions[at].0;
        self.verifier.session(&self.monitor, logs, &mut Letters::default())
    }

    /// The places that change, with the numbers of sessions.
    fn counted_places(&self, amended: &Amended) -> Result<Vec<ChangedPlace>, Error> {
        let Amended { spec, monitor, failing, places, .. } = amended;
        let shares = self.shares(spec, monitor, (&self.failing[..], &failing[..]))?;
        let mut shares = shares.into_iter();
        let mut places = places.clone();
        for (_, line) in places.iter_mut().flat_map(|it| &mut it.lines) {
            *line = filled(line, &mut shares);
        }
        Ok(places)
    }

    /// The numbers that a changed diagram waits for.
    fn shares(
        &self,
        spec: &Spec,
        monitor: &Monitor,
        failing: (&[usize], &[usize]),
    ) -> Result<Vec<String>, Error> {
        let Ok((_, outline)) = diagram(spec, monitor) else { return Ok(Vec::new()) };
        let (learnt, verifier, outline) = (self.learnt, &self.verifier, &outline);
        Counter { learnt, verifier, monitor, outline }.shares(spec.source().text(), failing)
    }

    /// The specification with the new names of messages that a session has, if that alone lets one pass, and the
    /// other changes that let this one pass then.
    fn renamed(
        &self,
        at: usize,
        spec: &Spec,
        drawn: &Drawn<'_>,
    ) -> Result<Option<Result<Amended, NoChange>>, Error> {
        let signature = &self.learnt.observations.signature;
        let logs = self.learnt.observations.sessions[at].0.iter().flatten();
        let names: BTreeSet<&str> = logs.map(|it| signature.message_name(it.message)).collect();
        let is_here =
            |(old, new): &&Rename| names.contains(new.as_str()) && has_message(&self.monitor, old);
        let renames: Vec<Rename> = self.renames.iter().filter(is_here).cloned().collect();
        let text = if renames.is_empty() { None } else { drawn.with_new_names(&renames) };
        let Some(text) = text else { return Ok(None) };
        let Some(amended) = self.checked(spec.with_text(text))? else { return Ok(None) };
        // A message that is new beside other changes may be another one.
        let explains = amended.failing.len() < self.failing.len();
        if !explains || renames.iter().any(|(old, _)| has_message(&amended.monitor, old)) {
            return Ok(None);
        }
        if amended.failing.binary_search(&at).is_err() {
            return Ok(Some(Ok(Amended { renames, ..amended })));
        }
        let Amended { spec, monitor, failing, .. } = amended;
        let verifier = Verifier::new(&self.learnt.observations, &self.learnt.locations);
        let (spec, renames_left) = (Some(spec), Vec::new());
        let amender = Amender { verifier, spec, monitor, failing, renames: renames_left, ..*self };
        Ok(Some(amender.amended(at)?.map(|it| Amended { renames, ..it })))
    }

    /// Changes the specification such that a session passes; else the reason why no change was found.
    fn amended(&self, at: usize) -> Result<Result<Amended, NoChange>, Error> {
        if self.learnt.learnt.partial.get(at).copied().flatten().is_some() {
            return Ok(Err(NoChange::Lacks));
        }
        let Some(spec) = &self.spec else { return Ok(Err(NoChange::NoDiagram)) };
        let (notation, outline) = match diagram(spec, &self.monitor) {
            Ok(drawn) => drawn,
            Err(why) => return Ok(Err(why)),
        };
        if self.lacks_a_silent_lifeline {
            return Ok(Err(NoChange::Undeclared));
        }
        let drawn = Drawn { text: spec.source().text(), notation, outline: &outline };
        if let Some(amended) = self.renamed(at, spec, &drawn)? {
            return Ok(amended);
        }
        let events = outline.events(&self.monitor);
        let tried = |pieces: &[Piece]| self.tried(at, spec, &drawn, pieces);
        for pieces in self.candidates(at, &outline)? {
            let [loops, all] = [false, true].map(|all| looped(&pieces, &events, all));
            let mut found = tried(&loops)?;
            if found.is_none() && loops != pieces {
                found = tried(&pieces)?;
            }
            let Some(found) = found else { continue };
            // A part that others repeat is a loop.
            let more = if all == loops { None } else { tried(&all)? };
            let more = more.filter(|it| it.failing.len() < found.failing.len());
            return Ok(Ok(more.unwrap_or(found)));
        }
        Ok(Err(NoChange::NotFound))
    }

    /// The specification with pieces, if they let a session pass.
    fn tried(
        &self,
        at: usize,
        spec: &Spec,
        drawn: &Drawn<'_>,
        pieces: &[Piece],
    ) -> Result<Option<Amended>, Error> {
        let Some((text, places)) = drawn.with(pieces) else { return Ok(None) };
        let amended = self.checked(spec.with_text(text))?;
        let amended = amended.filter(|it| it.failing.binary_search(&at).is_err());
        let is_whole = |it: &Piece| *it == Piece::whole(drawn.outline, it.other.clone());
        let created = || pieces.iter().any(is_whole).then(|| self.advice(at, drawn)).flatten();
        let advice = || created().or_else(|| advice_on_ends(pieces));
        Ok(amended.map(|it| Amended { places, advice: advice(), ..it }))
    }

    /// Advice for a participant that a session knows before the text creates it, so that its messages have no place.
    fn advice(&self, at: usize, drawn: &Drawn<'_>) -> Option<String> {
        let messages = extra_messages(&alone(&self.monitor, &self.session(at))?, false);
        let events = drawn.outline.events(&self.monitor);
        let bodies = drawn.outline.0.iter().enumerate();
        let mut items = bodies.flat_map(|(body, it)| {
            it.items.iter().enumerate().map(move |(item, it)| (Place { body, item }, it))
        });
        items.find_map(|(place, item)| {
            let (name, span) = item.creates.as_ref()?;
            let has_it = |it: &&ExtraMessage| it.ends().iter().any(|end| end.0 == *name);
            let first = messages.iter().find(has_it)?;
            let own = events.get(&place)?;
            let line = line_at(drawn.text, span.start);
            (!first.ends().iter().all(|it| own.contains(it))).then(|| {
                format!(
                    "line {line} creates `{name}`, which has `{}` before; with `participant {name}` above all messages in \
                     place of `create`, less changes",
                    first.message
                )
            })
        })
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
        let mut different: Vec<Vec<Piece>> = Vec::new();
        for pieces in candidates {
            if !different.contains(&pieces) {
                different.push(pieces);
            }
        }
        Ok(different)
    }

    /// A changed specification, if all sessions pass that pass before.
    fn checked(&self, spec: Spec) -> Result<Option<Amended>, Error> {
        let Ok(compiled) = spec.compile(&CompileOptions::default()) else { return Ok(None) };
        let monitor = compiled.monitor;
        let failing = self.verifier.failing(&monitor)?;
        let is_old = |it: &usize| self.failing.binary_search(it).is_ok();
        let (places, renames, advice) = (Vec::new(), Vec::new(), None);
        let is_right = failing.iter().all(is_old);
        Ok(is_right.then_some(Amended { spec, monitor, failing, places, renames, advice }))
    }
}

/// The diagram of a specification, if it can be changed.
fn diagram(spec: &Spec, monitor: &Monitor) -> Result<(Notation, Outline), NoChange> {
    let spans = &monitor.bundle().text.spans;
    let text = spec.source().text();
    let found = spec.format().diagrams(text);
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let around = diagram::around(text, &found, spans, &no_files);
    let (at, whole) = around.ok_or(NoChange::NoDiagram)?;
    match whole.parts.is_empty() {
        true => Ok((found[at].notation, Outline::new(&whole.diagram))),
        false => Err(NoChange::Parts),
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
