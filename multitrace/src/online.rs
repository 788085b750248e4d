//! A session that is fed event by event, while it happens.

use crate::error::Error;
use crate::monitor::Monitor;
use crate::session_builder::{EventLocation, SessionBuilder};
use crate::verdict::SessionVerdict;
use multitrace_interaction::{Cause, Id, LetterId, LocalFailure, LocationId, Observation};
use multitrace_reports::finding::Finding;
use multitrace_reports::session_names::{SessionNames, letter_names};
use multitrace_runtime::{CheckConfig, LocalWalk};

/// A session that is fed event by event. Findings of single locations come as soon as they are
/// certain; what only all logs together show comes at the end.
#[derive(Debug)]
pub struct OnlineSession<'m> {
    monitor: &'m Monitor,
    config: CheckConfig,
    builder: SessionBuilder,
    /// One walk per location. After an impossible event it starts from any state.
    walks: Vec<LocalWalk<'m>>,
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
        let walk = |location| LocalWalk::new(self.runtime(), location, config.observation);
        let walks = self.alphabet().locations().map(walk).collect();
        OnlineSession { monitor: self, config, builder: self.session(id), walks }
    }
}

impl OnlineSession<'_> {
    /// Adds an event to the log of a lifeline or location. Returns the finding if this event is
    /// unknown to the specification or impossible where it stands.
    pub fn push(&mut self, location: &str, action: &str) -> Option<Finding> {
        match self.builder.push(location, action) {
            (EventLocation::Known(at), letter) => self.read(at, letter),
            (EventLocation::Foreign(at), _) => self.finding(LocalFailure {
                location: self.builder.session().foreign_location(at),
                index: self.builder.session().foreign[at].events.len() - 1,
                event: Some(LetterId::UNKNOWN),
                expected: Vec::new(),
            }),
        }
    }

    fn read(&mut self, at: LocationId, letter: LetterId) -> Option<Finding> {
        let walk = &mut self.walks[at.index()];
        if walk.read(letter) {
            return None;
        }
        let failure = LocalFailure {
            location: at,
            index: self.builder.session().trace[at.index()].len() - 1,
            event: Some(letter),
            expected: walk.possible(),
        };
        if letter != LetterId::UNKNOWN {
            // What follows is judged for itself, as when a whole session is checked.
            *walk = LocalWalk::new(self.monitor.runtime(), at, Observation::Slice);
        }
        self.finding(failure)
    }

    fn finding(&self, failure: LocalFailure) -> Option<Finding> {
        let names =
            SessionNames { session: self.builder.session(), alphabet: self.monitor.alphabet() };
        Some(Finding::of_cause(&Cause::Local(failure), &names))
    }

    /// The events that are possible next at a lifeline or location, sorted. Other logs are not
    /// looked at. After an impossible event, those that are possible anywhere in a log. Empty for an
    /// unknown location, and if the specification has too many behaviours to tell.
    pub fn possible(&self, location: &str) -> Vec<String> {
        let alphabet = self.monitor.alphabet();
        let at = alphabet.location_of_lifeline(location).or_else(|| alphabet.location(location));
        let walk = at.map(|at| &self.walks[at.index()]);
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
