//! Times that can be compared: the ways to do one thing take turns within one run, so that other work of the machine
//! meets all of them, and medians are reported.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How often each way has its turn.
    pub rounds: usize,
    /// About how long one turn takes.
    pub turn: Duration,
}

impl Effort {
    pub const FULL: Effort = Effort { rounds: 9, turn: Duration::from_millis(60) };
    /// Enough to see that everything runs and answers right.
    pub const SMOKE: Effort = Effort { rounds: 1, turn: Duration::from_micros(100) };
}

/// One way to do something. It says how many units of work it has done, and its answer.
pub struct Way<'a, R> {
    pub name: &'static str,
    pub run: Box<dyn FnMut() -> R + 'a>,
}

impl<'a, R> Way<'a, R> {
    pub fn new(name: &'static str, run: impl FnMut() -> R + 'a) -> Way<'a, R> {
        Way { name, run: Box::new(run) }
    }
}

/// The median time of each way, in seconds.
///
/// # Panics
/// When a way does not give the expected answer: its time would mean nothing.
pub fn compare<R: PartialEq + std::fmt::Debug>(
    effort: Effort,
    expected: &R,
    ways: &mut [Way<'_, R>],
) -> Vec<f64> {
    let repeats: Vec<u32> = ways
        .iter_mut()
        .map(|way| {
            let (seconds, answer) = time(1, &mut way.run);
            assert_eq!(&answer, expected, "{} gives a wrong answer", way.name);
            (effort.turn.as_secs_f64() / seconds.max(1e-9)).clamp(1.0, 1e6) as u32
        })
        .collect();
    let mut times = vec![Vec::new(); ways.len()];
    for _ in 0..effort.rounds {
        for ((way, times), &repeats) in ways.iter_mut().zip(&mut times).zip(&repeats) {
            let (seconds, answer) = time(repeats, &mut way.run);
            assert_eq!(&answer, expected, "{} gives a wrong answer", way.name);
            times.push(seconds);
        }
    }
    times.into_iter().map(median).collect()
}

/// The time of one of several runs in a row, and the last answer.
fn time<R>(repeats: u32, run: &mut dyn FnMut() -> R) -> (f64, R) {
    let start = Instant::now();
    let mut answer = black_box(run());
    for _ in 1..repeats {
        answer = black_box(run());
    }
    (start.elapsed().as_secs_f64() / f64::from(repeats), answer)
}

/// The middle one of some numbers; NaN of none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
