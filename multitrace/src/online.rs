//! A session that is fed event by event, while it happens.

use crate::error::Error;
use crate::judging::Judge;
use crate::monitor::Monitor;
use crate::session_builder::{EventLocation, SessionBuilder};
use crate::verdict::SessionVerdict;
use multitrace_interaction::{Cause, Id, LetterId, LocalFailure, LocationId, Observation, Verdict};
use multitrace_reports::finding::Finding;
use multitrace_reports::session_names::{SessionNames, letter_names};
use multitrace_runtime::{CheckConfig, LocalWalk};

/// A session that is fed event by event. A finding is returned at the event from which on it is certain: a fault in one
/// log, and that no continuation of all logs together can be accepted any more.
#[derive(Debug)]
pub struct OnlineSession<'m> {
    monitor: &'m Monitor,
    config: CheckConfig,
    builder: SessionBuilder,
    /// One walk per location, up to its first impossible event. Behind it nothing is certain any more.
    walks: Vec<Option<LocalWalk<'m>>>,
    /// Decides whether the logs may go on, until they may not; `None` if the engine is not there.
    open: Option<Judge<'m>>,
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
        // Every log may go on, in whatever mode the session is decided at its end.
        let observation = match config.observation {
            Observation::Slice => Observation::Slice,
            _ => Observation::Prefix,
        };
        let open = Judge::new(self, CheckConfig { observation, witness: false, ..config }).ok();
        OnlineSession { monitor: self, config, builder: self.session(id), walks, open }
    }
}

impl OnlineSession<'_> {
    /// Adds an event to the log of a lifeline or location. Returns the finding if this event is unknown to the
    /// specification, or impossible where it stands, or if no continuation of all logs can be accepted from this event on,
    /// which is returned once. Within its budget; findings that it leaves open are returned at the end.
    ///
    /// An event costs as much as a check of the session so far in `prefix` mode, until there is a finding.
    pub fn push(&mut self, location: &str, action: &str) -> Option<Finding> {
        match self.builder.push(location, action) {
            (EventLocation::Known(at), letter) => self.read(at, letter),
            (EventLocation::Foreign(at), _) => {
                self.open = None;
                self.finding(LocalFailure {
                    location: self.builder.session().foreign_location(at),
                    index: self.builder.session().foreign[at].events.len() - 1,
                    event: Some(LetterId::UNKNOWN),
                    expected: Vec::new(),
                })
            }
        }
    }

    fn read(&mut self, at: LocationId, letter: LetterId) -> Option<Finding> {
        if letter != LetterId::UNKNOWN && self.walks[at.index()].is_none() {
            return None;
        }
        if let Some(walk) = &mut self.walks[at.index()]
            && walk.read(letter)
        {
            return self.no_continuation();
        }
        let walk = self.walks[at.index()].as_ref();
        let failure = LocalFailure {
            location: at,
            index: self.builder.session().trace[at.index()].len() - 1,
            event: Some(letter),
            expected: walk.map_or_else(Vec::new, LocalWalk::possible),
        };
        self.open = None;
        if letter != LetterId::UNKNOWN {
            self.walks[at.index()] = None;
        }
        self.finding(failure)
    }

    /// The finding of all logs together, if they cannot go on.
    fn no_continuation(&mut self) -> Option<Finding> {
        let checked = self.open.as_mut()?.decide(self.builder.session());
        let Verdict::Fail(failure) = &checked.verdict else { return None };
        self.open = None;
        let names =
            SessionNames { session: self.builder.session(), alphabet: self.monitor.alphabet() };
        Some(Finding::of_cause(failure.main(), &names))
    }

    fn finding(&self, failure: LocalFailure) -> Option<Finding> {
        let names =
            SessionNames { session: self.builder.session(), alphabet: self.monitor.alphabet() };
        Some(Finding::of_cause(&Cause::Local(failure), &names))
    }

    /// The events that are possible next at a lifeline or location, sorted. Other logs are not
    /// looked at. Empty after an impossible event, for an unknown location, and if the specification has too many behaviours to tell.
    pub fn possible(&self, location: &str) -> Vec<String> {
        let alphabet = self.monitor.alphabet();
        let at = alphabet.location_of_lifeline(location).or_else(|| alphabet.location(location));
        let walk = at.and_then(|at| self.walks[at.index()].as_ref());
        walk.map_or_else(Vec::new, |walk| letter_names(alphabet, &walk.possible()))
    }

    /// Decides the session as if it ended here, all logs together.
    ///
    /// # Errors
    /// When the engine of the configuration is not available.
    pub fn decide(&self) -> Result<SessionVerdict, Error> {
        self.monitor.check(self.builder.session(), self.config)
    }

    /// Ends the session and decides it, all logs together.
    ///
    /// # Errors
    /// Those of [`OnlineSession::decide`].
    pub fn finish(self) -> Result<SessionVerdict, Error> {
        self.decide()
    }
}
