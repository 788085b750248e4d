//! Random sessions of a specification, accepted and one edit away, cut as an observation mode allows: the subjects of
//! `large` and `corners`.

use multitrace::{Monitor, Verdict};
use multitrace_interaction::generate::{Bounds, Dice, Generator};
use multitrace_interaction::{LetterId, MultiTrace, Observation, Session};
use std::error::Error;
use std::time::Duration;

/// The sessions of a specification, each cut as a mode allows: every other one is accepted, the rest is one edit away.
pub(crate) fn sessions(
    monitor: &Monitor,
    cut: Observation,
    (bounds, count): (Bounds, usize),
    seed: u64,
) -> Result<Vec<Session>, Box<dyn Error>> {
    let (signature, interaction) = monitor.interaction().ok_or("no interaction")?;
    let locations = monitor.locations().ok_or("no locations")?;
    let mut generator = Generator::new(signature, interaction, &locations, bounds, seed)?;
    let mut dice = Dice::new(seed, 7);
    let mut made = Vec::new();
    for index in 0..count {
        let accepted = generator.accepted();
        let trace = observed(accepted, cut, &mut generator, &mut dice);
        let trace = if index % 2 == 0 { trace } else { edited(&trace, monitor, &mut dice) };
        made.push(Session { id: index.to_string(), trace, ..Session::default() });
    }
    Ok(made)
}

/// A part of a session that an observation mode may see.
fn observed(
    trace: MultiTrace,
    mode: Observation,
    generator: &mut Generator,
    dice: &mut Dice,
) -> MultiTrace {
    match mode {
        Observation::Prefix => generator.prefix(&trace).0,
        Observation::Slice => generator.slice(&trace).0,
        Observation::Missing => {
            let mut trace = trace;
            let at = dice.below(trace.len());
            trace[at].clear();
            trace
        }
        Observation::Complete | Observation::GlobalPrefix => trace,
    }
}

/// One edit of an accepted session: an event dropped, two events of a log swapped, a message lost with both its
/// events, an unknown event.
fn edited(trace: &MultiTrace, monitor: &Monitor, dice: &mut Dice) -> MultiTrace {
    let mut trace = trace.clone();
    let places: Vec<_> = (0..trace.len()).filter(|&at| !trace[at].is_empty()).collect();
    let Some(&at) = dice.pick(&places) else { return trace };
    let index = dice.below(trace[at].len());
    match dice.below(4) {
        0 => {
            trace[at].remove(index);
        }
        1 if index > 0 => trace[at].swap(index - 1, index),
        2 => lose(&mut trace, at, index, monitor),
        _ => trace[at].insert(index, LetterId::UNKNOWN),
    }
    trace
}

/// Removes all events of the message of an event.
fn lose(trace: &mut MultiTrace, at: usize, index: usize, monitor: &Monitor) {
    let message = |letter: LetterId| {
        let name = (letter != LetterId::UNKNOWN).then(|| monitor.alphabet().letter_name(letter))?;
        name.rsplit(['!', '?']).next()
    };
    let lost = message(trace[at][index]).map(str::to_owned);
    for local in trace.iter_mut() {
        local.retain(|&letter| message(letter) != lost.as_deref());
    }
}

/// The share of times that are within a limit, in percent.
pub(crate) fn percent_within(times: &[Duration], limit: Duration) -> f64 {
    let within = times.iter().filter(|&&time| time <= limit).count();
    100.0 * within as f64 / times.len().max(1) as f64
}

/// Whether a session was not decided.
pub(crate) fn is_open(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Inconclusive(_))
}
