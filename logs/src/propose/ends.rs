//! Records that name both ends of a message: whether each was logged at one end, and by which end.

use super::guesses::{DirectionWords, SOURCE, TARGET, may_be_lifeline};
use crate::survey::{FieldSample, Survey};
use std::collections::{BTreeMap, BTreeSet};

/// How many records in a hundred may differ.
const MOST_OTHERS: usize = 2;
/// One of this many records at least is of either end.
const LEAST_SHARE: usize = 10;
/// How many values a direction may have: more are messages.
const MOST_DIRECTIONS: usize = 4;

/// The fields with both ends of a message.
pub(super) struct BothEnds<'s> {
    pub(super) source: &'s FieldSample,
    pub(super) target: &'s FieldSample,
    pub(super) logged: Logged<'s>,
}

/// Who logged a record that names both ends.
pub(super) enum Logged<'s> {
    /// Nothing tells: the record may be of both ends.
    Unknown,
    /// The field names the end that logged it; perhaps another field says which one it is.
    At(&'s FieldSample, Option<Way<'s>>),
    /// The field names one end in all records.
    OneEnd(&'s FieldSample, &'static str),
    /// A field says which end logged it.
    By(Way<'s>),
}

/// A field that tells emissions from receptions, and its values.
pub(super) struct Way<'s> {
    pub(super) field: &'s FieldSample,
    pub(super) emission: Vec<&'s str>,
    pub(super) reception: Vec<&'s str>,
}

impl Survey {
    /// The fields with both ends, if all records have them and their values are names.
    pub(super) fn both_ends(&self) -> Option<BothEnds<'_>> {
        let is_one = |sample: &&FieldSample| self.is_in_all(sample) && may_be_name(sample);
        let source = self.named(SOURCE).filter(is_one)?;
        let target = self.named(TARGET).filter(is_one)?;
        if self.are_states(source, target) {
            return None;
        }
        let mut hosts = self.samples.iter().filter_map(|it| self.logged_at(it, source, target));
        // One that names either end tells more than one that repeats the sender.
        let first = hosts.next();
        let host = match first {
            Some(Logged::OneEnd(..)) => hosts.find(|it| matches!(it, Logged::At(..))).or(first),
            first => first,
        };
        let logged = host.or_else(|| self.direction_of_ends().map(Logged::By));
        Some(BothEnds { source, target, logged: logged.unwrap_or(Logged::Unknown) })
    }

    /// Whether the two ends are states before and behind a step of somebody else, whom another field names.
    fn are_states(&self, source: &FieldSample, target: &FieldSample) -> bool {
        let lifeline = self.lifeline();
        let Some(other) = lifeline.field() else { return false };
        let is_end = [source, target].iter().any(|end| end.path == other.path);
        let ends: BTreeSet<&str> = source.distinct().union(&target.distinct()).copied().collect();
        !is_end && other.distinct().is_disjoint(&ends)
    }

    /// Whether a field names one of the two ends in nearly all records.
    fn logged_at<'s>(
        &'s self,
        host: &'s FieldSample,
        source: &FieldSample,
        target: &FieldSample,
    ) -> Option<Logged<'s>> {
        if [source, target].iter().any(|end| end.path == host.path) {
            return None;
        }
        let ends = || host.values.iter().zip(source.values.iter().zip(&target.values));
        // Messages to oneself tell nothing.
        let telling = || ends().filter(|(_, (from, to))| from != to);
        let all = telling().count();
        let sent = telling().filter(|(host, (from, _))| host == from).count();
        let received = telling().filter(|(host, (_, to))| host == to).count();
        if all == 0 || (all - sent - received) * 100 > all * MOST_OTHERS {
            return None;
        }
        if sent.min(received) * LEAST_SHARE < all {
            let end = if sent > received { "sender" } else { "receiver" };
            return Some(Logged::OneEnd(host, end));
        }
        let is_sent: Vec<Option<bool>> =
            ends().map(|(host, (from, to))| (from != to).then_some(host == from)).collect();
        let direction = self.direction();
        let mut fields = direction.field().into_iter().chain(&self.samples);
        Some(Logged::At(host, fields.find_map(|field| Way::new(field, &is_sent))))
    }

    /// The field that says which end logged a record, where none names it.
    fn direction_of_ends(&self) -> Option<Way<'_>> {
        let direction = self.direction();
        let field = direction.field()?;
        let ways = DirectionWords::new().ways(field);
        Some(Way { field, emission: ways.emission, reception: ways.reception })
    }
}

impl<'s> Way<'s> {
    /// A field each value of which stands in emissions alone or in receptions alone.
    fn new(field: &'s FieldSample, is_sent: &[Option<bool>]) -> Option<Way<'s>> {
        let mut ways: BTreeMap<&str, (BTreeSet<bool>, usize)> = BTreeMap::new();
        for (value, is_sent) in field.values.iter().zip(is_sent) {
            let Some(is_sent) = *is_sent else { continue };
            let (ways_of_value, count) = ways.entry(value.as_deref()?).or_default();
            ways_of_value.insert(is_sent);
            *count += 1;
        }
        let of = |wanted: bool| -> Option<Vec<&str>> {
            let all = ways.iter().filter(|(_, (is_sent, _))| is_sent.contains(&wanted));
            let all: Vec<&str> = all.map(|(value, _)| *value).collect();
            (!all.is_empty()).then_some(all)
        };
        // A value of one record stands in one direction by chance.
        let is_told = ways.len() <= MOST_DIRECTIONS
            && ways.values().all(|(is_sent, count)| is_sent.len() == 1 && *count > 1);
        let (emission, reception) = (of(true)?, of(false)?);
        is_told.then_some(Way { field, emission, reception })
    }
}

/// Whether the values of a field may be those of an end of a message.
fn may_be_name(sample: &FieldSample) -> bool {
    may_be_lifeline(sample) || sample.present().all(|value| value.contains('.'))
}
