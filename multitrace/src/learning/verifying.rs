//! What is learnt is compiled, and sessions are checked against it.

use super::document::{compile_options, spec_of};
use super::found::{MOST_ADDED, Outlier};
use super::naming::Renaming;
use crate::error::Error;
use crate::monitor::Monitor;
use multitrace_interaction::{Action, Session, Verdict, names};
use multitrace_learn::{Lack, Learnt, Observations};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// What is learnt, with what it accepts and what it does not.
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
    fn failing(&self, monitor: &Monitor) -> Result<Vec<usize>, Error> {
        let sessions = &self.observations.sessions;
        let numbers: Vec<usize> = (0..sessions.len()).collect();
        let of = |numbers: &[usize]| -> Result<Vec<usize>, Error> {
            let mut checker = monitor.checker(monitor.config())?;
            let mut fails = |&at: &usize| {
                let session = self.session(monitor, &sessions[at].0);
                checker.check(&session).verdict != Verdict::Pass
            };
            Ok(numbers.iter().copied().filter(|it| fails(it)).collect())
        };
        let parts: Result<Vec<Vec<usize>>, Error> = numbers.par_chunks(256).map(of).collect();
        Ok(parts?.into_iter().flatten().collect())
    }

    fn session(&self, monitor: &Monitor, logs: &[Vec<Action>]) -> Session {
        let signature = &self.observations.signature;
        let mut builder = monitor.session("");
        for action in logs.iter().flatten() {
            let lifeline = signature.lifeline_name(action.lifeline);
            let message = signature.message_name(action.message);
            builder.add(lifeline, &names::action_text(lifeline, action.kind, message));
        }
        builder.build()
    }

    /// Makes the specification accept all sessions but outliers, of which there may be some number. A session that was
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
        let too_many = added.len().saturating_sub(MOST_ADDED);
        let beyond = added.drain(..too_many).map(|at| count(&at)).sum();
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

    /// The sessions that a specification does not accept.
    pub(super) fn rejected(
        &self,
        monitor: &Monitor,
        ids: &[Vec<String>],
    ) -> Result<Vec<Outlier>, Error> {
        self.outliers(monitor, &[], &self.failing(monitor)?, ids)
    }

    fn outliers(
        &self,
        monitor: &Monitor,
        partial: &[Option<Lack>],
        failing: &[usize],
        ids: &[Vec<String>],
    ) -> Result<Vec<Outlier>, Error> {
        let mut checker = monitor.checker(monitor.config())?;
        let mut outlier = |&at: &usize| {
            let (logs, count) = &self.observations.sessions[at];
            let (finding, distance) = checker.first_finding(&self.session(monitor, logs));
            let lack = partial.get(at).copied().flatten();
            let ids = ids.get(at).cloned().unwrap_or_default();
            Outlier { count: *count, ids, finding, distance, lack }
        };
        Ok(failing.iter().map(&mut outlier).collect())
    }
}
