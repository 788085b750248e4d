//! Repairs: how far a session is from an accepted one, and the edits that would make it one (process mining
//! calls this an optimal alignment).

use crate::fault::Fault;
use crate::id::{Id, LetterId, LocationId};
use crate::trace::{Session, UnknownEvent};

/// The least change that makes a session accepted, as far as it was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Repair {
    /// The least number of edits; if not `exact`, a lower bound of it.
    pub distance: u64,
    /// Whether the distance is exact. If not, the search was cut: the distance is at least
    /// `distance`, and `edits`, unless empty, make the session accepted and may be too many.
    pub exact: bool,
    /// The most edits that any session with these events can need: deleting all of them, and
    /// inserting the shortest session that the mode accepts. `None` if the specification accepts
    /// nothing.
    pub worst: Option<u64>,
    /// Edits that make the session accepted: by location in the order of the specification, then
    /// locations unknown to it in the order of the session; within a location by index, insertions
    /// before the deletion.
    pub edits: Vec<Edit>,
    /// The faults that explain the edits: each edit is in one fault. Causes come first. Empty unless there are edits.
    pub faults: Vec<Fault>,
}

/// One event to insert into a log, or to delete from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The location; one that the alphabet does not have is a foreign log of the session
    /// ([`Session::foreign_location`]).
    pub location: LocationId,
    /// The index in the log as given, from 0. An insertion goes before the event there; at the
    /// length of the log it goes to the end.
    pub index: usize,
    /// The event; [`LetterId::UNKNOWN`] for a deletion of one that the specification does not know.
    pub letter: LetterId,
    /// Whether the event is to be inserted or deleted.
    pub kind: EditKind,
}

/// The kinds of edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EditKind {
    /// The event is missing.
    Insert,
    /// The event should not be there.
    Delete,
}

/// An edit does not fit the logs that it is applied to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session has no event to edit at index {} of location {}", .0.index, .0.location.index())]
pub struct EditMismatch(pub Edit);

impl Repair {
    /// 1 - distance / worst, as process mining defines the fitness of a trace; 1 if both are 0,
    /// `None` if the specification accepts nothing. If the distance is not exact, the fitness is at
    /// most this.
    ///
    /// ```
    /// use multitrace_interaction::Repair;
    /// let repair = Repair { distance: 2, exact: true, worst: Some(20), edits: Vec::new(), faults: Vec::new() };
    /// assert_eq!(repair.fitness(), Some(0.9));
    /// ```
    pub fn fitness(&self) -> Option<f64> {
        self.worst
            .map(|worst| if worst == 0 { 1.0 } else { 1.0 - self.distance as f64 / worst as f64 })
    }

    /// The same of a session that fails: a search that was cut may not know that it needs an edit. If the one that it found
    /// is all that is needed, the repair is exact.
    #[must_use]
    pub fn of_failure(self) -> Repair {
        let least = u64::from(!self.exact);
        let distance = self.distance.max(least);
        let is_least = !self.edits.is_empty() && self.edits.len() as u64 == distance;
        Repair { distance, exact: self.exact || is_least, ..self }
    }

    /// The session after the edits. A foreign log that the edits empty is left out.
    ///
    /// ```
    /// use multitrace_interaction::{Edit, EditKind, Id, LetterId, LocationId, Repair, Session};
    /// let (location, letter) = (LocationId::new(0), LetterId::new(0));
    /// let edit = Edit { location, index: 0, letter, kind: EditKind::Insert };
    /// let repair = Repair { distance: 1, exact: true, worst: Some(1), edits: vec![edit], faults: Vec::new() };
    /// let session = Session { trace: vec![vec![]], ..Session::default() };
    /// assert_eq!(repair.apply(&session).expect("its own session").trace, [[letter]]);
    /// ```
    ///
    /// # Errors
    /// If the session is not the one that was repaired: the first edit that does not fit.
    pub fn apply(&self, session: &Session) -> Result<Session, EditMismatch> {
        let mut edited = session.clone();
        // From the end, so that the indexes of the edits before it stay those of the log as given.
        for edit in self.edits.iter().rev() {
            edit.apply(&mut edited).ok_or_else(|| EditMismatch(edit.clone()))?;
        }
        let logs = edited.foreign.into_iter().zip(&session.foreign);
        let kept =
            logs.filter(|(after, before)| !after.events.is_empty() || before.events.is_empty());
        edited.foreign = kept.map(|(after, _)| after).collect();
        Ok(edited)
    }
}

impl Edit {
    /// Changes the log of its location; `None` if the log does not have the index, or another event
    /// there than the one to delete.
    fn apply(&self, session: &mut Session) -> Option<()> {
        match self.location.index().checked_sub(session.trace.len()) {
            None => self.apply_to_log(session),
            Some(foreign) if self.kind == EditKind::Delete => {
                let log = &mut session.foreign.get_mut(foreign)?.events;
                (self.index < log.len()).then(|| log.remove(self.index)).map(|_| ())
            }
            Some(_) => None,
        }
    }

    /// The same at a location of the alphabet. Unknown events behind it keep their places in the list.
    fn apply_to_log(&self, session: &mut Session) -> Option<()> {
        let location = self.location.index();
        let log = &mut session.trace[location];
        let of_log = |event: &&mut UnknownEvent| event.location == location;
        match self.kind {
            EditKind::Insert if self.index <= log.len() => {
                log.insert(self.index, self.letter);
                let behind = session.unknown.iter_mut().filter(of_log);
                behind.filter(|event| event.index >= self.index).for_each(|event| event.index += 1);
                Some(())
            }
            EditKind::Delete if log.get(self.index) == Some(&self.letter) => {
                log.remove(self.index);
                session.unknown.retain(|it| (it.location, it.index) != (location, self.index));
                let behind = session.unknown.iter_mut().filter(of_log);
                behind.filter(|event| event.index > self.index).for_each(|event| event.index -= 1);
                Some(())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::ForeignTrace;

    fn edit(location: usize, index: usize, letter: LetterId, kind: EditKind) -> Edit {
        Edit { location: LocationId::new(location), index, letter, kind }
    }

    fn repair(edits: Vec<Edit>) -> Repair {
        Repair {
            distance: edits.len() as u64,
            exact: true,
            worst: Some(9),
            edits,
            faults: Vec::new(),
        }
    }

    /// Letters by number; 9 is unknown.
    fn log(letters: &[usize]) -> Vec<LetterId> {
        letters.iter().map(|&it| letter(it)).collect()
    }

    fn letter(number: usize) -> LetterId {
        if number == 9 { LetterId::UNKNOWN } else { LetterId::new(number) }
    }

    fn session(logs: &[&[usize]], unknown: &[(usize, usize)], foreign: &[&str]) -> Session {
        let text = |&(location, index)| UnknownEvent { location, index, text: "?".to_owned() };
        let events = foreign.iter().map(|&it| it.to_owned()).collect::<Vec<String>>();
        let foreign = ForeignTrace { location: "z".to_owned(), events };
        Session {
            id: "s".to_owned(),
            trace: logs.iter().map(|it| log(it)).collect(),
            unknown: unknown.iter().map(text).collect(),
            foreign: if foreign.events.is_empty() { vec![] } else { vec![foreign] },
        }
    }

    #[test]
    fn indexes_are_those_of_the_log_as_given() {
        use EditKind::{Delete, Insert};
        let repair = repair(vec![
            edit(0, 0, letter(5), Insert),
            edit(0, 1, letter(6), Insert),
            edit(0, 1, letter(7), Insert),
            edit(0, 1, letter(9), Delete),
            edit(0, 3, letter(8), Insert),
            edit(1, 1, letter(1), Delete),
            edit(2, 0, letter(9), Delete),
        ]);
        let before = session(&[&[0, 9, 2], &[9, 1, 9]], &[(0, 1), (1, 0), (1, 2)], &["x"]);
        let after = session(&[&[5, 0, 6, 7, 2, 8], &[9, 9]], &[(1, 0), (1, 1)], &[]);
        assert_eq!(repair.apply(&before), Ok(after));
    }

    #[test]
    fn edits_of_another_session_are_refused() {
        let other = session(&[&[0]], &[], &["x"]);
        for edit in [
            edit(0, 1, letter(0), EditKind::Delete),
            edit(0, 0, letter(1), EditKind::Delete),
            edit(0, 2, letter(0), EditKind::Insert),
            edit(1, 1, letter(9), EditKind::Delete),
            edit(1, 0, letter(9), EditKind::Insert),
            edit(2, 0, letter(9), EditKind::Delete),
        ] {
            assert_eq!(repair(vec![edit.clone()]).apply(&other), Err(EditMismatch(edit)));
        }
    }

    #[test]
    fn fitness_of_nothing() {
        let of = |distance, worst| {
            Repair { distance, exact: true, worst, edits: vec![], faults: vec![] }.fitness()
        };
        assert_eq!(of(0, Some(0)), Some(1.0));
        assert_eq!(of(3, Some(4)), Some(0.25));
        assert_eq!(of(3, None), None);
    }

    #[test]
    fn a_failure_needs_an_edit() {
        let of = |distance, exact| Repair { distance, exact, ..repair(vec![]) }.of_failure();
        assert_eq!((of(0, false).distance, of(0, false).exact), (1, false));
        assert_eq!((of(2, false).distance, of(2, false).exact), (2, false));
        // The least that a failure needs was found.
        let one = repair(vec![edit(0, 0, letter(1), EditKind::Insert)]);
        let found = Repair { distance: 0, exact: false, ..one }.of_failure();
        assert_eq!((found.distance, found.exact), (1, true));
        // Only the empty log of an unknown location is wrong, which no edit changes.
        assert_eq!(of(0, true).distance, 0);
    }
}
