//! The logs that an exploration consumes: those of a session, or none.

use multitrace_interaction::{Action, Alphabet, Id, LetterId, Session};
use std::collections::BTreeMap;

/// The logs of a session, in which each action has its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Logs {
    /// Per action, its log and its letter; `None` if any action may happen.
    letters: Option<BTreeMap<Action, (usize, LetterId)>>,
    logs: Vec<Vec<LetterId>>,
    texts: Vec<Vec<String>>,
}

/// Which logs have been read to their ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) all: bool,
    pub(crate) some: bool,
}

impl Logs {
    /// The logs of a session; those of unknown locations come last, and none of their events can happen.
    pub(crate) fn of_session(session: &Session, alphabet: &Alphabet) -> Logs {
        let letters = alphabet.actions();
        let placed = |(action, letter)| (action, (alphabet.location_of(letter).index(), letter));
        let text = |location: usize, index: usize, letter: LetterId| match letter {
            LetterId::UNKNOWN => session.unknown_text(location, index).unwrap_or("?").to_owned(),
            letter => alphabet.letter_name(letter).to_owned(),
        };
        let texts = session.trace.iter().enumerate().map(|(location, log)| {
            log.iter().enumerate().map(|(index, &letter)| text(location, index, letter)).collect()
        });
        let foreign = session.foreign.iter();
        Logs {
            letters: Some(letters.map(placed).collect()),
            logs: session
                .trace
                .iter()
                .cloned()
                .chain(foreign.clone().map(|it| vec![LetterId::UNKNOWN; it.events.len()]))
                .collect(),
            texts: texts.chain(foreign.map(|it| it.events.clone())).collect(),
        }
    }

    /// Whether there are logs to consume.
    pub(crate) fn are_there(&self) -> bool {
        self.letters.is_some()
    }

    /// The positions before the first event.
    pub(crate) fn start(&self) -> Vec<usize> {
        vec![0; self.logs.len()]
    }

    /// The positions after some actions; `None` if the logs do not go on with them.
    pub(crate) fn after(&self, positions: &[usize], actions: &[Action]) -> Option<Vec<usize>> {
        let mut positions = positions.to_vec();
        let Some(letters) = &self.letters else { return Some(positions) };
        for action in actions {
            let &(log, letter) = letters.get(action)?;
            if self.logs[log].get(positions[log]) != Some(&letter) {
                return None;
            }
            positions[log] += 1;
        }
        Some(positions)
    }

    /// The events that remain, log by log.
    pub(crate) fn rest(&self, positions: &[usize]) -> Vec<Vec<String>> {
        self.texts.iter().zip(positions).map(|(log, &from)| log[from..].to_vec()).collect()
    }

    pub(crate) fn ended(&self, positions: &[usize]) -> Ended {
        let mut ends = self.logs.iter().zip(positions).map(|(log, &at)| at == log.len());
        let (all, some) = (ends.clone().all(|it| it), ends.any(|it| it));
        Ended { all, some }
    }
}
