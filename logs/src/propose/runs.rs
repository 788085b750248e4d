//! Values of a field that stand near one another, as those of one run of a system do.

use std::collections::HashMap;

/// How many different values there must be: of two halves of a log each value stands together.
const LEAST_VALUES: usize = 5;

/// Which part of the log the records of one value may span on the average, in tenths.
const MOST_OF_TEN: usize = 3;

/// Where the values of a field stand in a log.
#[derive(Default)]
struct Spans {
    values: usize,
    /// How many records have one.
    counts: usize,
    /// How many records lie between the first and the last one of each value, in all.
    spans: usize,
    records: usize,
}

impl Spans {
    fn of<'v>(values: impl Iterator<Item = Option<&'v str>>) -> Spans {
        let mut places: HashMap<&str, (usize, usize, usize)> = HashMap::new();
        let mut records = 0;
        for (at, value) in values.enumerate() {
            records = at + 1;
            if let Some(value) = value {
                let (_, last, count) = places.entry(value).or_insert((at, at, 0));
                (*last, *count) = (at, *count + 1);
            }
        }
        Spans {
            values: places.len(),
            counts: places.values().map(|(.., count)| count).sum(),
            spans: places.values().map(|(first, last, _)| last - first).sum(),
            records,
        }
    }
}

/// Whether the values come again, and the records of each stand together in the log.
pub(super) fn are_runs<'v>(values: impl Iterator<Item = Option<&'v str>>) -> bool {
    let Spans { values, counts, spans, records } = Spans::of(values);
    values >= LEAST_VALUES && counts >= values * 2 && spans * 10 <= records * values * MOST_OF_TEN
}

/// Whether the records of each value stand all over the log, as those of a kind do: on the average in more than half of it.
pub(super) fn are_everywhere<'v>(values: impl Iterator<Item = Option<&'v str>>) -> bool {
    let Spans { values, spans, records, .. } = Spans::of(values);
    values > 1 && spans * 2 > records * values
}

#[cfg(test)]
mod tests {
    use super::{are_everywhere, are_runs};

    #[test]
    fn values_that_stand_together_are_runs() {
        let of = |value: &dyn Fn(usize) -> usize| {
            let values: Vec<String> = (0..60).map(|at| value(at).to_string()).collect();
            are_runs(values.iter().map(|value| Some(value.as_str())))
        };
        assert!(of(&|at| at / 4));
        // Sessions that overlap.
        assert!(of(&|at| at / 12 * 3 + at % 3));
        // Steps of each session, names of nodes, an id for each record.
        assert!(!of(&|at| at % 6));
        assert!(!of(&|at| at / 30));
        assert!(!of(&|at| at));
        let kinds = ["1", "2", "3"].into_iter().cycle().take(30);
        assert!(are_everywhere(kinds.map(Some)));
        assert!(!are_everywhere(["1", "1", "2", "2"].into_iter().map(Some)));
    }
}
