//! The check of a learnt interaction: it is compiled, and sessions are checked against it.

use super::document::{compile_options, spec_of};
use super::found::Outlier;
use super::naming::Renaming;
use crate::error::Error;
use crate::monitor::Monitor;
use multitrace_interaction::{Action, Id, LetterId, LocationId, Session, names};
use multitrace_learn::{Lack, Learnt, Observations};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

/// The most sessions that become alternatives of their own; beyond that they are listed.
const MOST_ADDED: usize = 200;
/// The most events of all of them: a diagram with more is not a picture, and takes long to compile.
const MOST_ADDED_EVENTS: usize = 5_000;
/// The most kinds of sessions that are explained: each needs a repair, which may take long.
const MOST_EXPLAINED: usize = 100;
/// Sessions that one thread checks at once: enough to read the text of each action seldom.
pub(super) const SESSIONS_AT_ONCE: usize = 1_000;

/// The letters of actions, with their locations, if the specification has them.
pub(super) type Letters = HashMap<Action, Option<(LocationId, LetterId)>>;

/// A learnt interaction, with the sessions that it accepts and those that it does not.
pub(super) struct Verified {
    pub(super) learnt: Learnt,
    pub(super) outliers: Vec<Outlier>,
    pub(super) accepted: Observations,
    /// How many sessions should be accepted and are not, since [`MOST_ADDED`] others were added.
    pub(super) beyond: u64,
}

/// Sessions to check.
pub(super) struct Verifier<'a> {
    observations: &'a Observations,
    locations: &'a [Vec<String>],
}

impl<'a> Verifier<'a> {
    pub(super) fn new(
        observations: &'a Observations,
        locations: &'a [Vec<String>],
    ) -> Verifier<'a> {
        Verifier { observations, locations }
    }

    fn monitor(&self, learnt: &Learnt) -> Result<Monitor, Error> {
        let signature = &self.observations.signature;
        let spec = spec_of(signature, &learnt.interaction);
        let used = Renaming::by_appearance(signature, &learnt.interaction).new;
        Ok(spec.compile(&compile_options(self.locations, &used))?.monitor)
    }

    /// How many sessions pass.
    pub(super) fn passing(&self, learnt: &Learnt) -> Result<u64, Error> {
        let monitor = self.monitor(learnt)?;
        let failing: u64 =
            self.failing(&monitor)?.into_iter().map(|at| self.observations.sessions[at].1).sum();
        Ok(self.observations.count() - failing)
    }

    /// The sessions that do not pass, by their numbers.
    pub(super) fn failing(&self, monitor: &Monitor) -> Result<Vec<usize>, Error> {
        let sessions = &self.observations.sessions;
        let numbers: Vec<usize> = (0..sessions.len()).collect();
        let of = |numbers: &[usize]| -> Result<Vec<usize>, Error> {
            let mut checker = monitor.checker(monitor.config())?;
            let mut letters = Letters::default();
            let mut fails = |&at: &usize| {
                !checker.passes(&self.session(monitor, &sessions[at].0, &mut letters))
            };
            Ok(numbers.iter().copied().filter(|it| fails(it)).collect())
        };
        let parts: Result<Vec<Vec<usize>>, Error> =
            numbers.par_chunks(SESSIONS_AT_ONCE).map(of).collect();
        Ok(parts?.into_iter().flatten().collect())
    }

    pub(super) fn session(
        &self,
        monitor: &Monitor,
        logs: &[Vec<Action>],
        letters: &mut Letters,
    ) -> Session {
        self.known_session(monitor, logs, letters).unwrap_or_else(|| {
            let mut builder = monitor.session("");
            for &action in logs.iter().flatten() {
                let (lifeline, text) = self.event(action);
                builder.add(lifeline, &text);
            }
            builder.build()
        })
    }

    /// The same if the specification has all its events; the text of each action is read once.
    fn known_session(
        &self,
        monitor: &Monitor,
        logs: &[Vec<Action>],
        letters: &mut Letters,
    ) -> Option<Session> {
        let mut session = monitor.session("").build();
        for &action in logs.iter().flatten() {
            let (at, letter) =
                (*letters.entry(action).or_insert_with(|| self.letter(monitor, action)))?;
            session.trace[at.index()].push(letter);
        }
        Some(session)
    }

    fn letter(&self, monitor: &Monitor, action: Action) -> Option<(LocationId, LetterId)> {
        let (lifeline, text) = self.event(action);
        let alphabet = monitor.alphabet();
        let at = alphabet.location_of_lifeline(lifeline)?;
        let letter = alphabet.read_letter(&text)?;
        (alphabet.location_of(letter) == at).then_some((at, letter))
    }

    /// The lifeline of an action, and its text.
    fn event(&self, action: Action) -> (&str, String) {
        let signature = &self.observations.signature;
        let lifeline = signature.lifeline_name(action.lifeline);
        let message = signature.message_name(action.message);
        (lifeline, names::action_text(lifeline, action.kind, message))
    }

    /// Makes the specification accept all sessions but a limited number of outliers. A session that was
    /// left out is accepted all the same if it passes.
    pub(super) fn verified(
        &self,
        mut learnt: Learnt,
        most: u64,
        ids: &[Vec<String>],
    ) -> Result<Verified, Error> {
        let mut monitor = self.monitor(&learnt)?;
        let mut failing = self.failing(&monitor)?;
        let may_be_left_out: BTreeSet<usize> = learnt.left_out.iter().copied().collect();
        let (left_out, mut added): (Vec<usize>, Vec<usize>) = failing
            .iter()
            .copied()
            .filter(|&at| learnt.partial[at].is_none())
            .partition(|at| may_be_left_out.contains(at));
        let count = |at: &usize| self.observations.sessions[*at].1;
        let mut free = most.saturating_sub(left_out.iter().map(count).sum());
        // Of those that should pass and do not, the rarest are left out as far as that is permitted.
        added.sort_by_key(count);
        added.retain(|at| match free.checked_sub(count(at)) {
            Some(rest) => {
                free = rest;
                false
            }
            None => true,
        });
        let beyond = added.drain(..self.too_many(&added)).map(|at| count(&at)).sum();
        if !added.is_empty() {
            let added = added.iter().map(|&at| &*self.observations.sessions[at].0);
            learnt = learnt.with_sessions(added);
            monitor = self.monitor(&learnt)?;
            failing = self.failing(&monitor)?;
        }
        let outliers = self.outliers(&monitor, &learnt.partial, &failing, ids)?;
        let Observations { signature, sessions } = self.observations;
        let accepted =
            sessions.iter().enumerate().filter(|(at, _)| failing.binary_search(at).is_err());
        let sessions = accepted.map(|(_, session)| session.clone()).collect();
        let accepted = Observations { signature: signature.clone(), sessions };
        Ok(Verified { learnt, outliers, accepted, beyond })
    }

    /// How many of some sessions cannot become alternatives, if the last ones come first.
    fn too_many(&self, added: &[usize]) -> usize {
        let mut events = 0;
        let fits = |at: &&usize| {
            events += self.observations.sessions[**at].0.iter().map(Vec::len).sum::<usize>();
            events <= MOST_ADDED_EVENTS
        };
        added.len() - added.iter().rev().take(MOST_ADDED).take_while(fits).count()
    }

    /// Those that are there most often first.
    fn outliers(
        &self,
        monitor: &Monitor,
        partial: &[Option<Lack>],
        failing: &[usize],
        ids: &[Vec<String>],
    ) -> Result<Vec<Outlier>, Error> {
        let sessions = &self.observations.sessions;
        let mut failing = failing.to_vec();
        failing.sort_by_key(|&at| Reverse(sessions[at].1));
        let explained = &failing[..failing.len().min(MOST_EXPLAINED)];
        let findings = explained.par_iter().map(|&at| {
            let mut checker = monitor.checker(monitor.config())?;
            let session = self.session(monitor, &sessions[at].0, &mut Letters::default());
            Ok(checker.first_finding(&session))
        });
        let findings: Vec<(String, Option<u64>)> = findings.collect::<Result<_, Error>>()?;
        let mut findings = findings.into_iter();
        let outlier = |at: usize| {
            let (finding, distance) = findings.next().unzip();
            Outlier {
                count: sessions[at].1,
                ids: ids.get(at).cloned().unwrap_or_default(),
                finding,
                distance: distance.flatten(),
                lack: partial.get(at).copied().flatten(),
            }
        };
        Ok(failing.into_iter().map(outlier).collect())
    }
}
