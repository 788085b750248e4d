//! How many sessions take each part that is new in a diagram.

use super::outline::Outline;
use super::share_marks::Share;
use crate::error::Error;
use crate::learning::found::Learnt;
use crate::learning::verifying::{Letters, Verifier};
use crate::monitor::Monitor;
use multitrace_interaction::Id;
use multitrace_reports::text::counted;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Sessions whose steps one thread looks at together: enough to make few checkers.
const SESSIONS_AT_ONCE: usize = 100;

/// How many equal sessions there are, and the bodies they go through.
type Taken = (u64, BTreeSet<usize>);

/// A diagram that was changed, and the sessions that take its parts.
pub(super) struct Counter<'a> {
    pub(super) learnt: &'a Learnt,
    pub(super) verifier: &'a Verifier<'a>,
    pub(super) monitor: &'a Monitor,
    pub(super) outline: &'a Outline,
}

impl Counter<'_> {
    /// How many sessions take each frame that waits for it, or leave it out, of those that fail before and not after.
    pub(super) fn shares(
        &self,
        text: &str,
        (before, after): (&[usize], &[usize]),
    ) -> Result<Vec<String>, Error> {
        let Counter { learnt, outline, .. } = *self;
        let waiting = outline.waiting(text);
        if waiting.is_empty() {
            return Ok(Vec::new());
        }
        let new = before.iter().filter(|it| after.binary_search(it).is_err());
        let new: Vec<usize> = new.copied().collect();
        let taken = new.par_chunks(SESSIONS_AT_ONCE).map(|it| self.taken(it));
        let taken: Vec<Option<Vec<Taken>>> = taken.collect::<Result<_, Error>>()?;
        let taken: Option<Vec<_>> = taken.into_iter().collect();
        let sessions = counted(learnt.sessions, "session");
        let text = |(body, share): (usize, Share)| {
            let mut around =
                outline.0[body].parent.into_iter().flat_map(|it| outline.ancestors(it));
            // A body of this part alone does not tell whether it is gone through.
            let parent =
                around.find(|it| outline.0[it.body].items.len() > 1).map_or(0, |it| it.body);
            let is_counted = |bodies: &BTreeSet<usize>| match share {
                Share::Taken => bodies.contains(&body),
                Share::LeftOut => bodies.contains(&parent) && !bodies.contains(&body),
            };
            let count = |taken: &Vec<Vec<Taken>>| -> u64 {
                let taken = taken.iter().flatten().filter(|it| is_counted(&it.1));
                taken.map(|it| it.0).sum()
            };
            let count = taken.as_ref().map_or("some".to_owned(), |it| count(it).to_string());
            format!("{count} of {sessions}")
        };
        Ok(waiting.into_iter().map(text).collect())
    }

    /// How many sessions there are of some kinds that pass, and the bodies they go through, if that is known.
    fn taken(&self, kinds: &[usize]) -> Result<Option<Vec<Taken>>, Error> {
        let Counter { learnt, verifier, monitor, outline } = *self;
        let mut checker = monitor.checker(monitor.config())?;
        let spans = &monitor.bundle().text.spans;
        let taken = kinds.iter().map(|&at| {
            let logs = &learnt.observations.sessions[at].0;
            let session = verifier.session(monitor, logs, &mut Letters::default());
            let steps = checker.steps(&session)?;
            let nodes: BTreeSet<usize> =
                steps.iter().flatten().map(|(_, node)| node.index()).collect();
            let places = nodes.into_iter().filter_map(|node| outline.place(*spans.get(node)?));
            let bodies = places.flat_map(|it| outline.ancestors(it)).map(|it| it.body);
            Some((learnt.count(at), bodies.chain([0]).collect()))
        });
        Ok(taken.collect())
    }
}
