//! The costs of sessions: their time and the nodes of their searches, as histograms, and the stages that decided them.

use crate::text::counted;
use serde::{Deserialize, Serialize, Serializer, ser::SerializeStruct};
use std::collections::BTreeMap;

/// The cost of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// How long it took to decide, its repair and coverage included, in nanoseconds.
    pub nanoseconds: u64,
    /// How many nodes its search visited.
    pub nodes: u64,
    /// The stage that decided it.
    pub stage: &'static str,
}

/// The costs of the sessions of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Costs {
    /// How long each session took, in nanoseconds.
    pub nanoseconds: Histogram,
    /// How many nodes each search visited.
    pub nodes: Histogram,
    /// Sessions whose verdict was remembered from one with the same logs. They are in neither histogram.
    pub remembered: u64,
    /// The sessions that each stage decided.
    pub stages: BTreeMap<String, StageCosts>,
}

/// The sessions that one stage decided, and their time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageCosts {
    /// How many there are.
    pub sessions: u64,
    /// How long all of them took, in nanoseconds.
    pub nanoseconds: u64,
}

impl Costs {
    /// Counts a session that was decided.
    pub fn add(&mut self, cost: Cost) {
        self.nanoseconds.add(cost.nanoseconds);
        self.nodes.add(cost.nodes);
        let of_one = StageCosts { sessions: 1, nanoseconds: cost.nanoseconds };
        match self.stages.get_mut(cost.stage) {
            Some(stage) => stage.add(of_one),
            None => drop(self.stages.insert(cost.stage.to_owned(), of_one)),
        }
    }

    /// In lines, for people.
    pub(crate) fn text(&self) -> Vec<String> {
        let Costs { nanoseconds, nodes, remembered, stages } = self;
        let of = |histogram: &Histogram, show: &dyn Fn(u64) -> String| {
            let [median, p99] = [0.5, 0.99].map(|share| show(histogram.quantile(share)));
            format!("median {median}, 99 % {p99}, most {}", show(histogram.largest()))
        };
        let mut lines = Vec::new();
        if nanoseconds.total() > 0 {
            lines.push(format!("time a session   {}", of(nanoseconds, &time)));
            lines.push(format!("nodes a search   {}", of(nodes, &|it| it.to_string())));
        }
        for (name, stage) in stages {
            let sessions = counted(stage.sessions, "session");
            // That is the time of all stages that were asked, and of explaining failures.
            lines.push(format!(
                "decided by {name}: {sessions}, which took {}",
                time(stage.nanoseconds)
            ));
        }
        if *remembered > 0 {
            let sessions = counted(*remembered, "session");
            lines.push(format!(
                "{sessions} had the logs of an earlier one: the verdict was remembered"
            ));
        }
        lines
    }

    /// Adds the costs of a part of the run.
    pub fn merge(&mut self, part: &Costs) {
        self.nanoseconds.merge(&part.nanoseconds);
        self.nodes.merge(&part.nodes);
        self.remembered += part.remembered;
        for (name, stage) in &part.stages {
            self.stages.entry(name.clone()).or_default().add(*stage);
        }
    }
}

impl StageCosts {
    fn add(&mut self, more: StageCosts) {
        self.sessions = self.sessions.saturating_add(more.sessions);
        self.nanoseconds = self.nanoseconds.saturating_add(more.nanoseconds);
    }
}

/// Values, each with its first two digits, so that quantiles are exact to one in a hundred.
#[derive(Clone, Debug)]
pub struct Histogram {
    values: hdrhistogram::Histogram<u64>,
    largest: u64,
}

const DIGITS: u8 = 2;

impl Default for Histogram {
    fn default() -> Histogram {
        let values = hdrhistogram::Histogram::new(DIGITS).expect("at most five digits");
        Histogram { values, largest: 0 }
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Histogram) -> bool {
        (self.largest, self.counts()) == (other.largest, other.counts())
    }
}

impl Eq for Histogram {}

impl Histogram {
    /// Counts a value.
    pub fn add(&mut self, value: u64) {
        self.add_all(value, 1);
    }

    fn add_all(&mut self, value: u64, count: u64) {
        self.values.record_n(value, count).expect("a histogram of 64 bits has room for each value");
        self.largest = self.largest.max(value);
    }

    fn merge(&mut self, part: &Histogram) {
        part.counts().into_iter().for_each(|(value, count)| self.add_all(value, count));
        self.largest = self.largest.max(part.largest);
    }

    /// The least value of each bucket that has some, and how many those are.
    pub(crate) fn counts(&self) -> Vec<(u64, u64)> {
        let all = self.values.iter_recorded();
        all.map(|it| (self.least(it.value_iterated_to()), it.count_at_value())).collect()
    }

    fn least(&self, value: u64) -> u64 {
        self.values.lowest_equivalent(value)
    }

    /// A histogram of these counts; `None` if no histogram has them.
    pub(crate) fn of_counts(counts: Vec<(u64, u64)>, largest: u64) -> Option<Histogram> {
        counts.iter().try_fold(0_u64, |sum, (_, count)| sum.checked_add(*count))?;
        let mut histogram = Histogram::default();
        counts.iter().for_each(|&(value, count)| histogram.add_all(value, count));
        histogram.largest = largest;
        (histogram.counts() == counts).then_some(histogram)
    }

    /// Whether the largest value is in the last bucket that has one.
    pub(crate) fn is_possible(&self) -> bool {
        self.counts().last().map_or(0, |(least, _)| *least) == self.least(self.largest)
    }

    /// How many values there are.
    pub fn total(&self) -> u64 {
        self.values.len()
    }

    /// The largest value, or 0 without values.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// How many values lie from each of the bounds 1, 2, 5, 10, 20 and so on to below the next, without empty ones at the
    /// ends; 0 is a bound, too.
    pub(crate) fn columns(&self) -> Vec<(u64, u64)> {
        let mut columns: Vec<(u64, u64)> = Vec::new();
        let mut at = 0;
        for (value, count) in self.counts() {
            while bound(at + 1) <= value && bound(at + 1) < u64::MAX {
                at += 1;
                if !columns.is_empty() {
                    columns.push((bound(at), 0));
                }
            }
            match columns.last_mut() {
                Some(last) => last.1 += count,
                None => columns.push((bound(at), count)),
            }
        }
        columns
    }

    /// A value that this share of the values do not exceed, from 0 to 1, exact to one in a hundred.
    pub fn quantile(&self, share: f64) -> u64 {
        self.values.value_at_quantile(share).min(self.largest)
    }
}

/// The bound of a column.
fn bound(at: usize) -> u64 {
    let Some(at) = at.checked_sub(1) else { return 0 };
    let power = 10_u64.checked_pow(u32::try_from(at / 3).unwrap_or(u32::MAX));
    power.and_then(|power| power.checked_mul([1, 2, 5][at % 3])).unwrap_or(u64::MAX)
}

/// `{"median","p99","largest","buckets":[[least,count],…]}`.
impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Histogram", 4)?;
        fields.serialize_field("median", &self.quantile(0.5))?;
        fields.serialize_field("p99", &self.quantile(0.99))?;
        fields.serialize_field("largest", &self.largest)?;
        fields.serialize_field("buckets", &self.counts())?;
        fields.end()
    }
}

/// A time in nanoseconds, for people: `1.5 µs`.
pub(crate) fn time(nanoseconds: u64) -> String {
    let (unit, size) = match nanoseconds {
        0..1_000 => ("ns", 1.0),
        1_000..1_000_000 => ("µs", 1e3),
        1_000_000..1_000_000_000 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    let value = nanoseconds as f64 / size;
    let text = format!("{value:.1}");
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bounds_are_one_two_five() {
        let bounds: Vec<u64> = (0..8).map(bound).collect();
        assert_eq!(bounds, [0, 1, 2, 5, 10, 20, 50, 100]);
        assert_eq!(bound(1000), u64::MAX);
        assert_eq!([time(900), time(1_500), time(20_000_000)], ["900 ns", "1.5 µs", "20 ms"]);
    }

    proptest! {
        #[test]
        fn counts_are_those_of_a_naive_count(
            values in prop::collection::vec(prop_oneof![0u64..20, 0u64..100_000, any::<u64>()], 0..60),
            cut in 0usize..60,
        ) {
            let (mut all, mut rest) = (Histogram::default(), Histogram::default());
            let cut = cut.min(values.len());
            values[..cut].iter().for_each(|&it| all.add(it));
            values[cut..].iter().for_each(|&it| rest.add(it));
            all.merge(&rest);
            prop_assert_eq!(all.total(), values.len() as u64);
            prop_assert_eq!(all.largest(), values.iter().copied().max().unwrap_or(0));
            let columns = all.columns();
            prop_assert_eq!(columns.iter().map(|it| it.1).sum::<u64>(), values.len() as u64);
            for (at, &(least, count)) in columns.iter().enumerate() {
                let next = columns.get(at + 1).map_or(u64::MAX, |it| it.0);
                let is_last = at + 1 == columns.len();
                let bucket = |it: &&u64| all.least(**it);
                let inside = values.iter().filter(|it| bucket(it) >= least && (bucket(it) < next || is_last));
                prop_assert_eq!(count, inside.count() as u64);
            }
            prop_assert!(all.is_possible());
            prop_assert_eq!(Histogram::of_counts(all.counts(), all.largest()), Some(all.clone()));
            for share in [0.5, 0.99, 1.0] {
                let most = all.quantile(share);
                let below = values.iter().filter(|&&it| it <= most).count();
                prop_assert!(below as f64 >= values.len() as f64 * share);
                // The value at this rank, or at most one in a hundred more.
                let mut sorted = values.clone();
                sorted.sort_unstable();
                let rank = (values.len() as f64 * share).ceil() as usize;
                let exact = sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0);
                prop_assert!(most >= exact && most - exact <= exact / 100 + 1, "{most} for {exact}");
            }
        }
    }
}
