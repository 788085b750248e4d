//! Sessions made in memory, by names.

use crate::monitor::Monitor;
use multitrace_interaction::{ForeignTrace, Id, LetterId, LocationId, Session, UnknownEvent};

/// A session that is put together event by event.
///
/// Names that the specification does not know are kept: they become findings when the session is
/// checked.
#[derive(Clone, Debug)]
pub struct SessionBuilder {
    monitor: Monitor,
    session: Session,
}

/// Where an event is logged.
pub(crate) enum EventLocation {
    Known(LocationId),
    Foreign(usize),
}

impl Monitor {
    /// Begins a session without events.
    ///
    /// ```
    /// use multitrace::{CompileOptions, Spec, SpecFormat};
    /// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
    /// let monitor = spec.compile(&CompileOptions::default())?.monitor;
    /// let session = monitor.session("s1").event("a", "a!ping").event("b", "b?pong").build();
    /// let checked = monitor.check(&session, monitor.config())?;
    /// assert_eq!(checked.findings[0].code.name(), "MT112");
    /// # Ok::<(), multitrace::Error>(())
    /// ```
    pub fn session(&self, id: &str) -> SessionBuilder {
        let trace = self.alphabet().locations().map(|_| Vec::new()).collect();
        let session = Session { id: id.to_owned(), trace, ..Session::default() };
        SessionBuilder { monitor: self.clone(), session }
    }
}

impl SessionBuilder {
    /// Adds an event to the end of a local trace. `location` is a lifeline or a location; `action`
    /// is as in `client!hello` and `server?GET /cart`: the first `!` or `?` outside of quotes ends the
    /// lifeline.
    #[must_use]
    pub fn event(mut self, location: &str, action: &str) -> SessionBuilder {
        self.push(location, action);
        self
    }

    /// Adds several events to the end of a local trace.
    #[must_use]
    pub fn trace<'a>(
        mut self,
        location: &str,
        actions: impl IntoIterator<Item = &'a str>,
    ) -> SessionBuilder {
        for action in actions {
            self.push(location, action);
        }
        self
    }

    /// The same as [`SessionBuilder::event`], for a builder that stays where it is.
    pub fn add(&mut self, location: &str, action: &str) {
        self.push(location, action);
    }

    /// The session.
    pub fn build(self) -> Session {
        self.session
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    pub(crate) fn push(&mut self, location: &str, action: &str) -> (EventLocation, LetterId) {
        let alphabet = self.monitor.alphabet();
        let known = alphabet.location_of_lifeline(location).or_else(|| alphabet.location(location));
        let known = known.or_else(|| alphabet.others());
        match known {
            Some(at) => (EventLocation::Known(at), self.push_at(at, action)),
            None => {
                (EventLocation::Foreign(self.push_foreign(location, action)), LetterId::UNKNOWN)
            }
        }
    }

    fn push_at(&mut self, at: LocationId, action: &str) -> LetterId {
        let alphabet = self.monitor.alphabet();
        let letter = alphabet.read_letter(action);
        let letter = letter.filter(|&letter| alphabet.location_of(letter) == at);
        let letter = letter.or_else(|| alphabet.any_letter(action, at));
        let trace = &mut self.session.trace[at.index()];
        trace.push(letter.unwrap_or(LetterId::UNKNOWN));
        if letter.is_none() {
            let (location, index) = (at.index(), trace.len() - 1);
            let event = UnknownEvent { location, index, text: action.to_owned() };
            let unknown = &mut self.session.unknown;
            let place = unknown.partition_point(|it| (it.location, it.index) < (location, index));
            unknown.insert(place, event);
        }
        letter.unwrap_or(LetterId::UNKNOWN)
    }

    fn push_foreign(&mut self, location: &str, action: &str) -> usize {
        let foreign = &mut self.session.foreign;
        let at = foreign.iter().position(|it| it.location == location).unwrap_or_else(|| {
            foreign.push(ForeignTrace { location: location.to_owned(), events: Vec::new() });
            foreign.len() - 1
        });
        foreign[at].events.push(action.to_owned());
        at
    }
}
