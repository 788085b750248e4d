//! Which sessions of the input are checked: those of a list, and a sample that depends on nothing
//! but their ids.

use indexmap::IndexSet;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};

/// A share of a whole, as in `0.5%`: in units of a millionth of a percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(u64);

/// A text that is not a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a rate is a number from 0 to 100 with at most six decimals and a percent sign, as in 0.5%"
)]
pub struct NoRate;

impl Rate {
    const DECIMALS: usize = 6;
    const PERCENT: u64 = 1_000_000;
    const WHOLE: u64 = 100 * Rate::PERCENT;

    /// Whether a part is at most this share of a whole.
    ///
    /// ```
    /// use multitrace_formats::selection::Rate;
    /// let half: Rate = "0.5%".parse().expect("a rate");
    /// assert!(half.allows(5, 1000) && !half.allows(6, 1000));
    /// ```
    pub fn allows(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(Rate::WHOLE) <= u128::from(self.0) * u128::from(whole)
    }
}

impl FromStr for Rate {
    type Err = NoRate;

    fn from_str(text: &str) -> Result<Rate, NoRate> {
        let number = text.trim().strip_suffix('%').ok_or(NoRate)?.trim_end();
        let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let fine = digits(whole) && digits(decimals) && decimals.len() <= Rate::DECIMALS;
        if !fine || whole.is_empty() || whole.len() > 3 {
            return Err(NoRate);
        }
        let percent: u64 = whole.parse().map_err(|_| NoRate)?;
        let part: u64 = format!("{decimals:0<6}").parse().map_err(|_| NoRate)?;
        let rate = percent * Rate::PERCENT + part;
        if rate <= Rate::WHOLE { Ok(Rate(rate)) } else { Err(NoRate) }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / Rate::PERCENT, self.0 % Rate::PERCENT);
        let text = format!("{whole}.{part:06}");
        write!(f, "{}%", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// Some of the sessions, chosen by a hash of the seed and the id of each: the same ones whatever the
/// order or the number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    seed: u64,
    /// Hashes below this are part of it.
    bound: u128,
}

impl Sample {
    /// A share, which does not depend on the other sessions. A greater one has all that a smaller
    /// one has; another seed chooses others.
    pub fn share(rate: Rate, seed: u64) -> Sample {
        let bound = (u128::from(rate.0) << 64).div_ceil(u128::from(Rate::WHOLE));
        Sample { seed, bound }
    }

    /// Whether a session is part of it.
    pub fn keeps(&self, id: &str) -> bool {
        u128::from(hash(self.seed, id)) < self.bound
    }
}

/// A hash of the id of a session: the same on every machine and in every version.
pub fn hash(seed: u64, id: &str) -> u64 {
    first_word(Sha256::new().chain_update(seed.to_le_bytes()).chain_update(id))
}

fn first_word(hash: Sha256) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.finalize()[..8]);
    u64::from_le_bytes(first)
}

/// A number of sessions out of all: those with the smallest hashes. With each of them
/// a `T` is kept.
#[derive(Clone, Debug)]
pub struct Draw<T> {
    seed: u64,
    most: usize,
    smallest: BTreeMap<u64, Vec<T>>,
}

impl<T> Draw<T> {
    /// Draws `most` ids. Sessions that share an id are all in the sample, or all outside it.
    pub fn new(most: usize, seed: u64) -> Draw<T> {
        Draw { seed, most, smallest: BTreeMap::new() }
    }

    /// Adds the id of a session. Returns the items that are no longer in the sample.
    pub fn add(&mut self, id: &str, item: T) -> Vec<T> {
        self.smallest.entry(hash(self.seed, id)).or_default().push(item);
        let is_full = self.smallest.len() > self.most;
        let last = if is_full { self.smallest.pop_last() } else { None };
        last.map_or_else(Vec::new, |(_, items)| items)
    }

    /// The sample, once all ids have been added.
    pub fn finish(self) -> Sample {
        let bound = self.smallest.last_key_value().map_or(0, |(&last, _)| u128::from(last) + 1);
        Sample { seed: self.seed, bound }
    }

    /// The kept items, in arbitrary order.
    pub fn into_items(self) -> impl Iterator<Item = T> {
        self.smallest.into_values().flatten()
    }
}

/// One of several parts of the input: part `index` of `count`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardNumber {
    index: u32,
    count: u32,
}

/// A text that is not a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a shard is its number, from 1 or from 0, and how many there are, as in 2/8")]
pub struct NoShard;

impl ShardNumber {
    /// Part `index` of `count`; `None` unless 1 <= index <= count.
    pub fn new(index: u32, count: u32) -> Option<ShardNumber> {
        (1 <= index && index <= count).then_some(ShardNumber { index, count })
    }

    /// Its number, from 1.
    pub fn index(self) -> u32 {
        self.index
    }

    /// How many shards there are.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Whether it is the first one, which reports problems that belong to no session.
    pub fn is_first(self) -> bool {
        self.index == 1
    }

    /// Whether the session of this id belongs to it. A seed gives other shards.
    ///
    /// ```
    /// use multitrace_formats::selection::ShardNumber;
    /// let shards = [1, 2, 3].map(|index| ShardNumber::new(index, 3).expect("a shard"));
    /// assert_eq!(shards.into_iter().filter(|shard| shard.has_session("s1", 7)).count(), 1);
    /// ```
    pub fn has_session(self, id: &str, seed: u64) -> bool {
        // Samples hash the seed and the id alone: with a name before them, no sample is a shard.
        let hash = Sha256::new().chain_update("multitrace shard").chain_update(seed.to_le_bytes());
        let hash = u128::from(first_word(hash.chain_update(id)));
        let place = (hash * u128::from(self.count)) >> 64;
        place == u128::from(self.index - 1)
    }

    /// Whether a file with this place in the list of files, from 0, belongs to it.
    pub fn has_file(self, place: u32) -> bool {
        place % self.count == self.index - 1
    }
}

/// `2/8`; `0/8` is `8/8`, so that shards can be counted from 0.
impl FromStr for ShardNumber {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<ShardNumber, NoShard> {
        let (index, count) = text.split_once('/').ok_or(NoShard)?;
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| NoShard);
        let (index, count) = (number(index)?, number(count)?);
        // Those who count from 0 have no shard N, and all others no shard 0.
        ShardNumber::new(if index == 0 { count } else { index }, count).ok_or(NoShard)
    }
}

impl fmt::Display for ShardNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// The sessions of one shard; knows whether there were sessions of others.
#[derive(Debug)]
pub struct SessionShard {
    number: ShardNumber,
    seed: u64,
    has_others: AtomicBool,
}

impl SessionShard {
    /// The sessions that the seed gives to a shard.
    pub fn new(number: ShardNumber, seed: u64) -> SessionShard {
        SessionShard { number, seed, has_others: AtomicBool::new(false) }
    }

    /// Which shard it is.
    pub fn number(&self) -> ShardNumber {
        self.number
    }

    /// Whether there was a session of another shard.
    pub fn has_others(&self) -> bool {
        self.has_others.load(Ordering::Relaxed)
    }

    fn has(&self, id: &str) -> bool {
        let has = self.number.has_session(id, self.seed);
        if !has {
            self.has_others.store(true, Ordering::Relaxed);
        }
        has
    }
}

/// The ids of the sessions to check; knows which of them have been asked for.
#[derive(Debug, Default)]
pub struct IdList {
    ids: IndexSet<String>,
    seen: Vec<AtomicBool>,
}

impl IdList {
    /// One id a line; blank lines and the white space around an id do not count.
    pub fn parse(text: &str) -> IdList {
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        IdList::of(lines.filter(|line| !line.is_empty()).map(str::to_owned))
    }

    /// These ids, as they are.
    pub fn of(ids: impl IntoIterator<Item = String>) -> IdList {
        let ids: IndexSet<String> = ids.into_iter().collect();
        let seen = ids.iter().map(|_| AtomicBool::new(false)).collect();
        IdList { ids, seen }
    }

    /// One id, as it is.
    pub fn one(id: &str) -> IdList {
        IdList { ids: IndexSet::from([id.to_owned()]), seen: vec![AtomicBool::new(false)] }
    }

    fn has(&self, id: &str) -> bool {
        let place = self.ids.get_index_of(id);
        if let Some(place) = place {
            self.seen[place].store(true, Ordering::Relaxed);
        }
        place.is_some()
    }

    /// The ids as text, one a line.
    pub fn text(&self) -> String {
        self.ids.iter().flat_map(|id| [id, "\n"]).collect()
    }

    /// The ids that no session had, in the order of the list.
    pub fn missing(&self) -> Vec<&str> {
        let pairs = self.ids.iter().zip(&self.seen);
        let missing = pairs.filter(|(_, seen)| !seen.load(Ordering::Relaxed));
        missing.map(|(id, _)| id.as_str()).collect()
    }
}

/// The sessions that are checked: all, unless a list or a sample selects some.
#[derive(Debug, Default)]
pub struct Selection {
    /// Only these.
    pub only: Option<IdList>,
    /// Of those, only some.
    pub sample: Option<Sample>,
    /// Of those, only the sessions of one shard. Those of others are not counted as left out.
    pub shard: Option<SessionShard>,
}

impl Selection {
    /// Whether every session is checked.
    pub fn is_everything(&self) -> bool {
        self.only.is_none() && self.sample.is_none() && self.shard.is_none()
    }

    /// Whether problems that belong to no session are reported: by the first shard alone.
    pub fn reports_whole_input(&self) -> bool {
        self.shard.as_ref().is_none_or(|shard| shard.number.is_first())
    }

    /// Whether the session of this id belongs to the shard that is checked.
    #[inline]
    pub fn in_shard(&self, id: &str) -> bool {
        self.shard.as_ref().is_none_or(|shard| shard.has(id))
    }

    /// Whether the session of this id is checked, in whatever shard.
    #[inline]
    pub fn has(&self, id: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.has(id))
            && self.sample.is_none_or(|sample| sample.keeps(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn rate(text: &str) -> Rate {
        text.parse().expect("a rate")
    }

    #[test]
    fn rates_are_read_and_shown() {
        for text in ["0%", "1%", "0.5%", "100%", "12.345678%"] {
            assert_eq!(rate(text).to_string(), text);
        }
        assert_eq!(rate("100.000 %"), rate("100%"));
        for text in ["", "1", "%", "-1%", ".5%", "101%", "100.1%", "1.2345678%", "1e2%", "9999%"] {
            assert_eq!(text.parse::<Rate>(), Err(NoRate), "{text}");
        }
    }

    #[test]
    fn a_list_knows_what_is_missing() {
        let only = IdList::parse("\u{feff}a\r\n\n  b \nc\na\n");
        let selection = Selection { only: Some(only), ..Selection::default() };
        assert!(selection.has("b") && !selection.has("d"));
        assert_eq!(selection.only.expect("given").missing(), ["a", "c"]);
    }

    #[test]
    fn shards_are_read_and_shown() {
        for text in ["1/1", "2/8", "8/8"] {
            assert_eq!(text.parse::<ShardNumber>().expect("a shard").to_string(), text);
        }
        assert_eq!("0/8".parse::<ShardNumber>(), "8/8".parse());
        for text in ["", "1", "0/0", "2/1", "1/0", "-1/2", "1/2/3", "a/b"] {
            assert_eq!(text.parse::<ShardNumber>(), Err(NoShard), "{text}");
        }
    }

    #[test]
    fn a_sample_is_spread_over_the_shards() {
        let (sample, shard) =
            (Sample::share(rate("25%"), 7), ShardNumber::new(1, 4).expect("a shard"));
        let ids: Vec<String> = (0..20_000).map(|id| format!("s{id}")).collect();
        let both = ids.iter().filter(|id| sample.keeps(id) && shard.has_session(id, 7)).count();
        assert!((1_100..1_400).contains(&both), "{both}");
    }

    #[test]
    fn a_sample_has_about_its_share() {
        let sample = Sample::share(rate("10%"), 7);
        let kept = (0..20_000).filter(|id| sample.keeps(&format!("s{id}"))).count();
        assert!((1_800..2_200).contains(&kept), "{kept}");
        let (all, none) = (Sample::share(rate("100%"), 7), Sample::share(rate("0%"), 7));
        assert!((0..1000).all(|id| all.keeps(&id.to_string()) && !none.keeps(&id.to_string())));
    }

    proptest! {
        #[test]
        fn a_draw_has_its_number(mut ids in prop::collection::vec("[a-c]{1,3}", 0..40),
                                 most in 0usize..20, seed: u64) {
            let drawn = |ids: &[String]| {
                let mut draw = Draw::new(most, seed);
                let dropped: usize = ids.iter().map(|id| draw.add(id, id).len()).sum();
                let sample = draw.clone().finish();
                let kept: Vec<&String> = draw.into_items().collect();
                assert!(kept.iter().all(|id| sample.keeps(id)));
                assert_eq!(kept.len() + dropped, ids.len());
                ids.iter().filter(|id| sample.keeps(id)).cloned().collect::<BTreeSet<String>>()
            };
            let forwards = drawn(&ids);
            let distinct: BTreeSet<&String> = ids.iter().collect();
            prop_assert_eq!(forwards.len(), most.min(distinct.len()));
            ids.reverse();
            prop_assert_eq!(drawn(&ids), forwards);
        }

        #[test]
        fn greater_rates_keep_more(id in ".*", seed: u64, a in 0u64..=100, b in 0u64..=100) {
            let keeps = |percent: u64| {
                Sample::share(rate(&format!("{percent}%")), seed).keeps(&id)
            };
            prop_assert!(!keeps(a.min(b)) || keeps(a.max(b)));
        }
    }
}
