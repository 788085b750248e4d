//! Fisher's exact test: how likely a difference of two counts is by chance.

// If nothing changed, the sessions that show a behaviour are any of all sessions, and the number of new ones among them is
// hypergeometric. Of all behaviours, those only are counted that could be reported at all (Tarone 1990): a behaviour of
// one session never is, so a million of these cost nothing.

/// The test for two sides, with the number of sessions of each.
pub(super) struct Fisher {
    totals: [u64; 2],
}

impl Fisher {
    pub(super) fn new(totals: [u64; 2]) -> Fisher {
        Fisher { totals }
    }

    /// The probability that chance alone makes the two counts differ this much or more: twice the tail on the side of these
    /// counts, at most 1.
    pub(super) fn chance(&self, [old, new]: [u64; 2]) -> f64 {
        let [old_all, new_all] = self.totals;
        // Of two equal ways to look at it that in which the new sessions are no more than expected.
        let is_fewer = new as f64 * old_all as f64 <= old as f64 * new_all as f64;
        let (few, many, few_all, many_all) =
            if is_fewer { (new, old, new_all, old_all) } else { (old, new, old_all, new_all) };
        let first = probability([many, few], [many_all, few_all]);
        let (mut term, mut sum) = (1.0, 1.0);
        // One less on the side of the fewer, one more on the other, as long as there are sessions and it adds something.
        for step in 0..few.min(many_all - many) {
            let (few, many) = ((few - step) as f64, (many + step) as f64);
            term *= few * (many_all as f64 - many) / ((many + 1.0) * (few_all as f64 - few + 1.0));
            sum += term;
            if term < sum * 1e-17 {
                break;
            }
        }
        (2.0 * first * sum).min(1.0)
    }

    /// The least value of [`Fisher::chance`] for counts with the same sum.
    pub(super) fn least(&self, [old, new]: [u64; 2]) -> f64 {
        let (all, [old_all, new_all]) = (old + new, self.totals);
        let most_old = all.min(old_all);
        let most_new = all.min(new_all);
        let ends = [[most_old, all - most_old], [all - most_new, most_new]];
        ends.map(|it| self.chance(it)).into_iter().fold(1.0, f64::min)
    }
}

/// The probability of exactly these counts.
fn probability([old, new]: [u64; 2], [old_all, new_all]: [u64; 2]) -> f64 {
    (ln_choose(old_all, old) + ln_choose(new_all, new) - ln_choose(old_all + new_all, old + new))
        .exp()
}

fn ln_choose(all: u64, some: u64) -> f64 {
    ln_factorial(all) - ln_factorial(some) - ln_factorial(all - some)
}

fn ln_factorial(of: u64) -> f64 {
    /// From here on the series is as exact as the numbers.
    const SERIES_FROM: u64 = 64;
    if of < SERIES_FROM {
        return (2..=of).map(|it| (it as f64).ln()).sum();
    }
    let n = of as f64;
    let correction = 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3)) + 1.0 / (1260.0 * n.powi(5));
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + correction
}

/// The threshold for one test, so that all tests together report something by chance with a probability of at most `chance`;
/// and the number of tests that count. `least` has the least value that each test can give.
pub(super) fn threshold(mut least: Vec<f64>, chance: f64) -> (f64, usize) {
    least.sort_unstable_by(f64::total_cmp);
    let mut number = 1;
    loop {
        let threshold = chance / number as f64;
        let count = least.partition_point(|it| *it <= threshold);
        if count <= number {
            return (threshold, count);
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(all: u64, some: u64) -> f64 {
        (0..some).fold(1.0, |product, it| product * (all - it) as f64 / (it + 1) as f64)
    }

    /// By definition.
    fn chance([old, new]: [u64; 2], [old_all, new_all]: [u64; 2]) -> f64 {
        let all = old + new;
        let of = |new: u64| {
            if new > all || new > new_all || all - new > old_all {
                return 0.0;
            }
            choose(old_all, all - new) * choose(new_all, new) / choose(old_all + new_all, all)
        };
        let is_fewer = new * old_all <= old * new_all;
        let tail: f64 = if is_fewer { (0..=new).map(of).sum() } else { (new..=all).map(of).sum() };
        (2.0 * tail).min(1.0)
    }

    #[test]
    fn it_is_the_tail_of_the_hypergeometric_distribution() {
        for totals in (1..10).flat_map(|old| (1..14).map(move |new| [old, new])) {
            let fisher = Fisher::new(totals);
            for all in 0..=totals[0] + totals[1] {
                let every = (0..=all).map(|new| [all - new, new]);
                let possible = every.filter(|it| it[0] <= totals[0] && it[1] <= totals[1]);
                let mut least: f64 = 1.0;
                for counts in possible.clone() {
                    let (found, expected) = (fisher.chance(counts), chance(counts, totals));
                    assert!((found - expected).abs() <= 1e-9 * expected, "{counts:?} {totals:?}");
                    least = least.min(expected);
                }
                for counts in possible {
                    assert!((fisher.least(counts) - least).abs() <= 1e-9 * least, "{counts:?}");
                }
            }
        }
    }

    #[test]
    fn large_factorials_are_exact() {
        let exact: f64 = (2..=2_000_u64).map(|it| (it as f64).ln()).sum();
        assert!((ln_factorial(2_000) - exact).abs() < 1e-9 * exact);
    }

    #[test]
    fn tests_that_can_report_nothing_do_not_count() {
        assert_eq!(threshold(vec![0.5; 1_000], 0.01), (0.01, 0));
        let mut least = vec![0.5; 1_000];
        least.extend([1e-9; 4]);
        assert_eq!(threshold(least, 0.01), (0.0025, 4));
    }
}
