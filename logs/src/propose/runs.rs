//! Values of a field that stand near one another, as those of one run of a system do.

use std::collections::HashMap;

/// How many different values there must be: of two halves of a log each value stands together.
const LEAST_VALUES: usize = 5;

/// Which part of the log the records of one value may span on the average, in tenths.
const MOST_OF_TEN: usize = 3;

/// Whether the values come again, and the records of each stand together in the log.
pub(super) fn are_runs<'v>(values: impl Iterator<Item = Option<&'v str>>) -> bool {
    let mut places: HashMap<&str, (usize, usize, usize)> = HashMap::new();
    let mut records = 0;
    for (at, value) in values.enumerate() {
        records = at + 1;
        if let Some(value) = value {
            let (_, last, count) = places.entry(value).or_insert((at, at, 0));
            (*last, *count) = (at, *count + 1);
        }
    }
    let counts: usize = places.values().map(|(.., count)| count).sum();
    let spans: usize = places.values().map(|(first, last, _)| last - first).sum();
    places.len() >= LEAST_VALUES
        && counts >= places.len() * 2
        && spans * 10 <= records * places.len() * MOST_OF_TEN
}

#[cfg(test)]
mod tests {
    use super::are_runs;

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
    }
}
