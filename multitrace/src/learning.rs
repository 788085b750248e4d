//! From sessions to a specification that accepts them.

// The guarantee is the verifier's: what is learnt is compiled, and every session is checked. Sessions that fail become
// alternatives of their own, or outliers; what is left failing is listed.

mod document;
mod found;
mod naming;
mod observing;
mod verifying;

use crate::error::Error;
use crate::inputs::Inputs;
use crate::run::DEFAULT_MEMORY;
pub use found::{Evidence, Learnt, Outlier};
use multitrace_learn::Observations;
use naming::Renaming;
use observing::{Observed, observe};
use verifying::Verifier;

/// How a specification is learnt.
#[derive(Clone, Copy, Debug)]
pub struct LearnOptions {
    /// The largest share of sessions that may be left out as outliers, beside those of which a part is missing; `None`
    /// keeps all.
    pub outliers: Option<f64>,
    /// For event logs: sessions are grouped in about this much memory, in bytes.
    pub memory: usize,
}

impl Default for LearnOptions {
    fn default() -> LearnOptions {
        LearnOptions { outliers: Some(0.05), memory: DEFAULT_MEMORY }
    }
}

/// Into how many parts sessions are divided to see how a specification does on those it was not learnt from.
const FOLDS: usize = 5;

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
/// When event logs cannot be grouped.
pub fn learn(inputs: Inputs, options: LearnOptions) -> Result<Learnt, Error> {
    let observed = observe(inputs, options.memory)?;
    let Observed { observations, ids, locations, problems } = observed;
    let count = observations.count();
    let most = most(count, options.outliers);
    let learnt = multitrace_learn::learn(&observations, most);
    let (learnt, outliers) =
        Verifier::new(&observations, &locations).verified(learnt, most.unwrap_or(0), &ids)?;
    let evidence = Evidence {
        held_out: held_out(&observations, &locations, options.outliers)?,
        ..document::evidence(&learnt, &observations.signature)
    };
    let mut renaming = Renaming::by_appearance(&observations.signature, &learnt.interaction);
    let interaction = renaming.interaction(&learnt.interaction);
    let signature = renaming.new;
    let learnt = multitrace_learn::Learnt { interaction, ..learnt };
    Ok(Learnt { signature, learnt, locations, sessions: count, outliers, evidence, problems })
}

/// How many of some sessions may be left out.
fn most(count: u64, share: Option<f64>) -> Option<u64> {
    share.map(|share| (count as f64 * share) as u64)
}

/// The share of sessions that is accepted by what is learnt from others.
fn held_out(
    observations: &Observations,
    locations: &[Vec<String>],
    outliers: Option<f64>,
) -> Result<Option<f64>, Error> {
    if observations.count() < 2 * FOLDS as u64 {
        return Ok(None);
    }
    let mut passing = 0;
    for fold in 0..FOLDS {
        let (train, test) = parted(observations, fold);
        let learnt = multitrace_learn::learn(&train, most(train.count(), outliers));
        passing += Verifier::new(&test, locations).passing(&learnt)?;
    }
    Ok(Some(passing as f64 / observations.count() as f64))
}

/// The sessions without every fifth, and every fifth.
fn parted(observations: &Observations, fold: usize) -> (Observations, Observations) {
    let (mut train, mut test) = (Vec::new(), Vec::new());
    let mut before = 0_u64;
    for (logs, count) in &observations.sessions {
        let upto = |end: u64| (end + FOLDS as u64 - 1 - fold as u64) / FOLDS as u64;
        let own = upto(before + count) - upto(before);
        before += count;
        test.extend((own > 0).then(|| (logs.clone(), own)));
        train.extend((own < *count).then(|| (logs.clone(), count - own)));
    }
    let of = |sessions| Observations { signature: observations.signature.clone(), sessions };
    (of(train), of(test))
}
