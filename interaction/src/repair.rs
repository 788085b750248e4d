//! Repairs: how far a session is from an accepted one, and what would make it one (process mining
//! calls this an optimal alignment).

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
}

/// One event to insert into a log, or to delete from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The location by name.
    pub location: String,
    /// The index in the log as given, from 0. An insertion goes before the event there; at the
    /// length of the log it goes to the end.
    pub index: usize,
    /// The event as text.
    pub action: String,
    /// What to do with it.
    pub kind: EditKind,
}

/// What an edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EditKind {
    /// The event is missing.
    Insert,
    /// The event should not be there.
    Delete,
}

/// An edit does not fit the logs that it is applied to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no log has {} at index {} of {}", .0.action, .0.index, .0.location)]
pub struct EditMismatch(pub Edit);

impl Repair {
    /// 1 - distance / worst, as process mining defines the fitness of a trace; 1 if both are 0,
    /// `None` if the specification accepts nothing. If the distance is not exact, the fitness is at
    /// most this.
    ///
    /// ```
    /// use multitrace_interaction::Repair;
    /// let repair = Repair { distance: 2, exact: true, worst: Some(20), edits: Vec::new() };
    /// assert_eq!(repair.fitness(), Some(0.9));
    /// ```
    pub fn fitness(&self) -> Option<f64> {
        self.worst
            .map(|worst| if worst == 0 { 1.0 } else { 1.0 - self.distance as f64 / worst as f64 })
    }

    /// The logs after the edits. Logs are locations by name, each with its events; a location that
    /// is not among them has an empty log, and a log that the edits empty is left out.
    ///
    /// ```
    /// use multitrace_interaction::{Edit, EditKind, Repair};
    /// let (location, action) = ("a".to_owned(), "a!m".to_owned());
    /// let edit = Edit { location, index: 0, action, kind: EditKind::Insert };
    /// let repair = Repair { distance: 1, exact: true, worst: Some(1), edits: vec![edit] };
    /// assert_eq!(repair.apply(&[]), Ok(vec![("a".to_owned(), vec!["a!m".to_owned()])]));
    /// ```
    ///
    /// # Errors
    /// If the logs are not those of the session that was repaired: the first edit that does not
    /// fit.
    pub fn apply(
        &self,
        logs: &[(String, Vec<String>)],
    ) -> Result<Vec<(String, Vec<String>)>, EditMismatch> {
        let mut logs = logs.to_vec();
        // From the end, so that the indexes of the edits before it stay those of the log as given.
        for edit in self.edits.iter().rev() {
            edit.apply(log_of(&mut logs, &edit.location))
                .ok_or_else(|| EditMismatch(edit.clone()))?;
        }
        let is_emptied = |location: &String| self.edits.iter().any(|e| e.location == *location);
        logs.retain(|(location, log)| !log.is_empty() || !is_emptied(location));
        Ok(logs)
    }
}

impl Edit {
    /// Changes the log of its location; `None` if the log does not have the index, or another event
    /// there than the one to delete.
    fn apply(&self, log: &mut Vec<String>) -> Option<()> {
        match self.kind {
            EditKind::Insert if self.index <= log.len() => {
                log.insert(self.index, self.action.clone());
                Some(())
            }
            EditKind::Delete if log.get(self.index) == Some(&self.action) => {
                log.remove(self.index);
                Some(())
            }
            _ => None,
        }
    }
}

/// The log of a location, which is made if it is not there.
fn log_of<'a>(logs: &'a mut Vec<(String, Vec<String>)>, location: &str) -> &'a mut Vec<String> {
    let at = logs.iter().position(|(name, _)| name == location).unwrap_or_else(|| {
        logs.push((location.to_owned(), Vec::new()));
        logs.len() - 1
    });
    &mut logs[at].1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(location: &str, index: usize, action: &str, kind: EditKind) -> Edit {
        Edit { location: location.to_owned(), index, action: action.to_owned(), kind }
    }

    fn repair(edits: Vec<Edit>) -> Repair {
        Repair { distance: edits.len() as u64, exact: true, worst: Some(9), edits }
    }

    fn log(location: &str, events: &[&str]) -> (String, Vec<String>) {
        (location.to_owned(), events.iter().map(|&event| event.to_owned()).collect())
    }

    #[test]
    fn indexes_are_those_of_the_log_as_given() {
        use EditKind::{Delete, Insert};
        let repair = repair(vec![
            edit("a", 0, "v", Insert),
            edit("a", 1, "w", Insert),
            edit("a", 1, "x", Insert),
            edit("a", 1, "q", Delete),
            edit("a", 3, "y", Insert),
            edit("b", 0, "z", Delete),
        ]);
        let logs = [log("b", &["z"]), log("a", &["p", "q", "r"]), log("c", &[])];
        let expected = vec![log("a", &["v", "p", "w", "x", "r", "y"]), log("c", &[])];
        assert_eq!(repair.apply(&logs), Ok(expected));
    }

    #[test]
    fn edits_of_another_session_are_refused() {
        for edit in [
            edit("a", 1, "x", EditKind::Delete),
            edit("a", 0, "y", EditKind::Delete),
            edit("b", 0, "x", EditKind::Delete),
            edit("a", 2, "x", EditKind::Insert),
        ] {
            let applied = repair(vec![edit.clone()]).apply(&[log("a", &["x"])]);
            assert_eq!(applied, Err(EditMismatch(edit)));
        }
    }

    #[test]
    fn fitness_of_nothing() {
        let of = |distance, worst| Repair { distance, exact: true, worst, edits: vec![] }.fitness();
        assert_eq!(of(0, Some(0)), Some(1.0));
        assert_eq!(of(3, Some(4)), Some(0.25));
        assert_eq!(of(3, None), None);
    }
}
