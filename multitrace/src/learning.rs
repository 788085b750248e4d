//! From sessions to a specification that accepts them.

// The guarantee is the verifier's: the learnt interaction is compiled, and every session is checked. Sessions that fail
// become alternatives of their own, or outliers; those that still fail are listed.

mod amending;
mod covering;
mod document;
mod found;
pub(crate) mod naming;
pub(crate) mod observing;
mod verifying;

use crate::error::Error;
use crate::inputs::Inputs;
use crate::run::{DEFAULT_MEMORY, pool_size};
pub use amending::{Amendment, ChangedPlace, Deviation, NoChange, Written};
pub use found::{Evidence, Learnt, Outlier, WHY_SKIPPED};
use found::{FOLDS, LEAST_PARTED, MANY};
use multitrace_formats::workers::in_pool;
use multitrace_learn::{Limits, Observations};
use naming::Renaming;
use observing::{Naming, Observed, observe};
use rayon::prelude::*;
use std::num::NonZeroUsize;
use verifying::{Verified, Verifier};

/// How a specification is learnt.
#[derive(Clone, Copy, Debug)]
pub struct LearnOptions {
    /// The largest share of sessions that may be left out as outliers, beside those that lack a part; `None`
    /// keeps all.
    pub outliers: Option<f64>,
    /// Sessions are left out, too, if they have a message, or one right after another at a lifeline, that fewer
    /// sessions have.
    pub min_support: u64,
    /// In Markdown and PlantUML, a diagram of more arrows becomes several that refer to one another. Other notations hold
    /// one diagram.
    pub most_arrows: Option<usize>,
    /// For event logs: sessions are grouped in about this much memory, in bytes.
    pub memory: usize,
    /// The number of threads, at most [`MOST_THREADS`](crate::MOST_THREADS); `None` for one per processor.
    pub threads: Option<NonZeroUsize>,
}

impl LearnOptions {
    /// Which of some sessions may be left out.
    fn limits(&self, sessions: u64) -> Limits {
        let most_left_out = self.outliers.map(|share| (sessions as f64 * share) as u64);
        Limits { most_left_out, min_support: self.min_support }
    }
}

impl Default for LearnOptions {
    fn default() -> LearnOptions {
        LearnOptions {
            outliers: Some(0.05),
            min_support: 1,
            most_arrows: None,
            memory: DEFAULT_MEMORY,
            threads: None,
        }
    }
}

/// Learns a specification from sessions.
///
/// ```
/// use multitrace::{Inputs, LearnOptions, learn};
/// let lines = br#"
/// {"session":"s1","traces":{"client":["client!order","client?paid"],"shop":["shop?order","shop!paid"]}}
/// {"session":"s2","traces":{"client":["client!order","client?refused"],"shop":["shop?order","shop!refused"]}}
/// "#;
/// let learnt = learn(Inputs::reader("logs", &lines[..]), LearnOptions::default())?;
/// assert!(learnt.outliers.is_empty());
/// let monitor = learnt.spec().compile(&learnt.compile_options())?.monitor;
/// assert_eq!(monitor.alphabet().letters().len(), 6);
/// # Ok::<(), multitrace::Error>(())
/// ```
///
/// # Errors
/// When event logs cannot be grouped, or there are too many threads.
pub fn learn(inputs: Inputs, options: LearnOptions) -> Result<Learnt, Error> {
    in_pool(pool_size(options.threads)?, || learn_here(inputs, options))
}

/// The same on the pool of the current thread.
fn learn_here(inputs: Inputs, options: LearnOptions) -> Result<Learnt, Error> {
    let observed = observe(inputs, options.memory, Naming::Checked)?;
    let (mut learnt, accepted) = learn_observed(observed, &options)?;
    let is_cut = learnt.learnt.is_cut;
    learnt.evidence.held_out = held_out(&accepted, &learnt.locations, &options, is_cut)?;
    Ok(learnt)
}

/// Learns from sessions that were read, and does not look how it does on others; with the sessions that it accepts.
pub(crate) fn learn_observed(
    observed: Observed,
    options: &LearnOptions,
) -> Result<(Learnt, Observations), Error> {
    let Observed { observations, ids, locations, skipped, problems, notes } = observed;
    let count = observations.count();
    let limits = options.limits(count);
    let learnt = multitrace_learn::learn(&observations, limits);
    let verifier = Verifier::new(&observations, &locations);
    let Verified { learnt, outliers, accepted, beyond } =
        verifier.verified(learnt, limits.most_left_out.unwrap_or(0), &ids)?;
    let evidence = document::evidence(&learnt, &observations.signature);
    let evidence = Evidence { beyond, ..evidence };
    let mut renaming = Renaming::by_appearance(&observations.signature, &learnt.interaction);
    let interaction = renaming.interaction(&learnt.interaction);
    let learnt = multitrace_learn::Learnt { interaction, ..learnt };
    let learnt = Learnt {
        signature: renaming.new,
        learnt,
        observations,
        ids,
        locations,
        most_arrows: options.most_arrows,
        sessions: count,
        skipped,
        outliers,
        evidence,
        problems,
        notes,
    };
    Ok((learnt, accepted))
}

/// The share of sessions that an interaction learnt from others accepts.
fn held_out(
    observations: &Observations,
    locations: &[Vec<String>],
    options: &LearnOptions,
    is_cut: bool,
) -> Result<Option<f64>, Error> {
    if is_cut || observations.count() < LEAST_PARTED {
        return Ok(None);
    }
    let folds = if observations.sessions.len() > MANY { 1 } else { FOLDS };
    let of = |fold: usize| -> Result<[u64; 2], Error> {
        let (train, test) = parted(observations, fold);
        let learnt = multitrace_learn::learn(&train, options.limits(train.count()));
        Ok([Verifier::new(&test, locations).passing(&learnt)?, test.count()])
    };
    let parts: Result<Vec<[u64; 2]>, Error> = (0..folds).into_par_iter().map(of).collect();
    let sums = parts?.into_iter().fold([0, 0], |a, b| [a[0] + b[0], a[1] + b[1]]);
    Ok(Some(sums[0] as f64 / sums[1] as f64))
}

/// The sessions without one of every five, and those. Which one it is differs from five to five, since sessions may alternate.
fn parted(observations: &Observations, fold: usize) -> (Observations, Observations) {
    /// The golden ratio, whose multiples are spread evenly.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let upto = |end: u64| {
        let (five, rest) = (end / FOLDS as u64, end % FOLDS as u64);
        let own = (fold as u64 + (five.wrapping_mul(SPREAD) >> 32)) % FOLDS as u64;
        five + u64::from(own < rest)
    };
    let (mut train, mut test) = (Vec::new(), Vec::new());
    let mut before = 0_u64;
    for (logs, count) in &observations.sessions {
        let own = upto(before + count) - upto(before);
        before += count;
        test.extend((own > 0).then(|| (logs.clone(), own)));
        train.extend((own < *count).then(|| (logs.clone(), count - own)));
    }
    let of = |sessions| Observations { signature: observations.signature.clone(), sessions };
    (of(train), of(test))
}
