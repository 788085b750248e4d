//! A session that is fed event by event, while it happens.

use crate::error::Error;
use crate::monitor::Monitor;
use crate::session_builder::{EventLocation, SessionBuilder};
use crate::verdict::SessionVerdict;
use multitrace_interaction::{Cause, Id, LetterId, LocalFailure, LocationId, Verdict};
use multitrace_reports::finding::Finding;
use multitrace_runtime::{CheckConfig, LocalWalk};

/// A session that is fed event by event. Findings of single locations come as soon as they are
/// certain; what only all logs together show comes at the end.
#[derive(Debug)]
pub struct OnlineSession<'m> {
    monitor: &'m Monitor,
    config: CheckConfig,
    builder: SessionBuilder,
    /// One walk per location; `None` after its first finding.
    walks: Vec<Option<LocalWalk<'m>>>,
    /// How many unknown locations have had their finding.
    foreign: usize,
}

impl Monitor {
    /// Begins a session that is fed event by event.
    ///
    /// ```
    /// use multitrace::{CompileOptions, Spec, SpecFormat};
    /// let spec = Spec::parse("ping.hif", "seq(a -- ping -> b, b -- pong -> a)", SpecFormat::Hif);
    /// let monitor = spec.compile(&CompileOptions::default())?.monitor;
    /// let mut session = monitor.online("s1", monitor.config());
    /// assert_eq!(session.push("a", "a!ping"), None);
    /// assert_eq!(session.possible("a"), ["a?pong"]);
    /// let finding = session.push("a", "a!ping").expect("a second ping is impossible");
    /// assert_eq!((finding.code.name(), finding.index), ("MT101", Some(1)));
    /// assert_eq!(session.finish()?.verdict.name(), "fail");
    /// # Ok::<(), multitrace::Error>(())
    /// ```
    pub fn online(&self, id: &str, config: CheckConfig) -> OnlineSession<'_> {
        let walk = |location| Some(LocalWalk::new(self.runtime(), location, config.observation));
        let walks = self.alphabet().locations().map(walk).collect();
        OnlineSession { monitor: self, config, builder: self.session(id), walks, foreign: 0 }
    }
}

impl OnlineSession<'_> {
    /// Adds an event to the log of a lifeline or location. Returns the finding if this event makes
    /// the log impossible; a location has at most one.
    pub fn push(&mut self, location: &str, action: &str) -> Option<Finding> {
        match self.builder.push(location, action) {
            (EventLocation::Known(at), letter) => self.read(at, letter, action),
            (EventLocation::Foreign(at), _) if at >= self.foreign => {
                self.foreign = at + 1;
                let failure = LocalFailure {
                    location: location.to_owned(),
                    index: 0,
                    event: Some(action.to_owned()),
                    known: false,
                    expected: Vec::new(),
                };
                self.finding(failure)
            }
            (EventLocation::Foreign(_), _) => None,
        }
    }

    fn read(&mut self, at: LocationId, letter: LetterId, action: &str) -> Option<Finding> {
        let walk = self.walks[at.index()].as_mut()?;
        if walk.read(letter) {
            return None;
        }
        let failure = LocalFailure {
            location: self.monitor.alphabet().location_name(at).to_owned(),
            index: self.builder.session().trace[at.index()].len() - 1,
            event: Some(action.to_owned()),
            known: letter != LetterId::UNKNOWN,
            expected: names(self.monitor, walk.possible()),
        };
        self.walks[at.index()] = None;
        self.finding(failure)
    }

    fn finding(&self, failure: LocalFailure) -> Option<Finding> {
        let verdict = Verdict::Fail(Cause::Local(failure));
        Finding::of(&verdict, self.monitor.alphabet()).into_iter().next()
    }

    /// The events that are possible next at a lifeline or location, sorted. Other logs are not
    /// looked at. Empty after a finding there, for an unknown location, and if the specification
    /// has too many behaviours to tell.
    pub fn possible(&self, location: &str) -> Vec<String> {
        let alphabet = self.monitor.alphabet();
        let at = alphabet.location_of_lifeline(location).or_else(|| alphabet.location(location));
        let walk = at.and_then(|at| self.walks[at.index()].as_ref());
        walk.map_or_else(Vec::new, |walk| names(self.monitor, walk.possible()))
    }

    /// Ends the session and decides it, all logs together.
    ///
    /// # Errors
    /// When the engine of the configuration is not available.
    pub fn finish(self) -> Result<SessionVerdict, Error> {
        self.monitor.check(&self.builder.build(), self.config)
    }
}

fn names(monitor: &Monitor, letters: Vec<LetterId>) -> Vec<String> {
    let alphabet = monitor.alphabet();
    let names = letters.into_iter().map(|letter| alphabet.letter_name(letter).to_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}
