//! Where a session stands in the input of a run, so that parts of the input can be checked apart and
//! their findings put into the order of the whole.

use std::sync::Arc;

/// The place of a session in the input: that of its first record.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Which of the inputs of the run it is, from 0.
    pub input: u32,
    /// The name of the input. It orders the parts of runs over other inputs.
    pub name: Option<Arc<str>>,
    /// Which line, row or session of the input it is.
    pub number: u64,
    /// Which record of that line, in formats whose lines may hold several.
    pub item: u32,
}

/// The order of findings: those that the baseline lacks first, then by how many edits the session needs, by the place of the
/// session, its name, and the rank of the finding. So the plainest new session comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FindingKey<'a> {
    /// Whether the baseline has all findings of this kind that the session has.
    pub is_known: bool,
    /// The edits of the repair of the session, at least; 0 if it does not fail.
    pub distance: u64,
    /// Where the session stands.
    pub position: &'a Position,
    /// The full name of the session in the input.
    pub session: &'a str,
    /// Which of its findings it is, from 0.
    pub finding: u32,
}

/// A [`FindingKey`] that is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OwnedKey {
    is_known: bool,
    distance: u64,
    position: Position,
    session: Box<str>,
    finding: u32,
}

impl FindingKey<'_> {
    pub(crate) fn owned(&self) -> OwnedKey {
        let FindingKey { is_known, distance, position, session, finding } = *self;
        let (position, session) = (position.clone(), session.into());
        OwnedKey { is_known, distance, position, session, finding }
    }
}

impl OwnedKey {
    pub(crate) fn key(&self) -> FindingKey<'_> {
        let OwnedKey { is_known, distance, position, session, finding } = self;
        let (is_known, distance, finding) = (*is_known, *distance, *finding);
        FindingKey { is_known, distance, position, session, finding }
    }
}
