//! Which field of the first records is their order: the time at which a record was written.

// A wrong order makes sessions that look right. So a field is the order only if its values are times, or numbers that
// never fall and are called like a time; lengths of time, and times of something else, are at most offered.

use super::field_words::{has_word, key_words, split_words};
use super::order::{self, OrderForm};
use crate::mapping::{OrderKey, TimeFormat};
use crate::survey::{FieldSample, Survey};

/// The names of times of a record, the likeliest first.
const TIME: &[&str] = &[
    "timestamp",
    "ts",
    "time",
    "datetime",
    "date",
    "start",
    "when",
    "at",
    "t",
    "created",
    "epoch",
    "started",
    "first",
    "logged",
    "occurred",
    "seq",
    "sequence",
    "clock",
    "tick",
];
/// Words in the names of times, however they are written.
const CALLED_TIME: &[&str] = &["timestamp", "ts", "time", "datetime", "date", "created", "logged"];
/// Words beside those in the names of numbers that are times.
const BESIDE: &[&str] = &[
    "s", "ms", "us", "ns", "sec", "seconds", "millis", "micros", "nanos", "nano", "milli", "unix",
    "utc", "log", "event", "sim", "real", "wall", "virtual", "logical", "no", "number", "num",
];
/// Words in the names of times of something else: when a record came somewhere, or when something ends.
const SECONDARY: &[&str] = &[
    "receive",
    "received",
    "recv",
    "rcvd",
    "ingest",
    "ingested",
    "ingestion",
    "observed",
    "index",
    "indexed",
    "collect",
    "collected",
    "arrival",
    "arrived",
    "insert",
    "inserted",
    "stored",
    "processed",
    "end",
    "ended",
    "finish",
    "finished",
    "stop",
    "stopped",
    "complete",
    "completed",
    "close",
    "closed",
    "update",
    "updated",
    "modified",
    "last",
    "next",
    "previous",
    "prev",
    "expire",
    "expires",
    "expired",
    "expiry",
    "expiration",
    "exp",
    "deadline",
    "due",
    "birth",
    "birthday",
    "dob",
    "valid",
    "until",
    "before",
    "after",
    "scheduled",
    "schedule",
    "planned",
    "iat",
    "nbf",
];
/// Words in the names of lengths of time.
const LENGTHS: &[&str] = &[
    "duration",
    "latency",
    "elapsed",
    "response",
    "took",
    "timeout",
    "ttl",
    "age",
    "uptime",
    "delay",
    "wait",
    "rtt",
    "lag",
    "interval",
    "runtime",
    "request",
    "process",
    "processing",
    "execution",
    "exec",
    "total",
    "idle",
    "cpu",
    "query",
    "upstream",
    "service",
    "spent",
    "cost",
];
/// The names of a record's own time: beside them others are those of something else.
const OWN: &[&str] = &["timestamp", "ts", "time"];

/// One of this many steps from record to record may lead back in values that never fall: logs are merged from files.
const MOST_FALLS: usize = 50;

/// In so many records, a field of two values is not their order. An estimate.
const MANY_RECORDS: usize = 20;

/// A guess at the order.
pub(super) enum OrderGuess<'s> {
    Field(&'s FieldSample, OrderForm),
    /// One of these may be it, the likeliest first, and how it is written.
    Likely(Vec<&'s FieldSample>, OrderForm),
    /// This is called like the time of a record, and its values cannot be read.
    Unread(&'s FieldSample),
    Nothing,
}

/// A field that may be the order.
struct TimeField<'s> {
    sample: &'s FieldSample,
    form: OrderForm,
    keys: Vec<Option<OrderKey>>,
    /// Its place among the names of times.
    name: Option<usize>,
    /// Whether its values are moments and no mere numbers.
    is_dated: bool,
    is_secondary: bool,
    never_falls: bool,
    is_in_all: bool,
}

impl Survey {
    /// The field that says when a record was written.
    pub(super) fn order(&self) -> OrderGuess<'_> {
        let groups = self.lifeline();
        let groups = groups.best();
        let fields = self.samples.iter().filter_map(|it| TimeField::new(it, groups));
        let mut fields: Vec<TimeField<'_>> = fields.collect();
        // The object around has times of its own.
        let is_around = |it: &TimeField<'_>| it.sample.path.starts_with("^.");
        let has_own = fields.iter().any(|it| it.is_dated && it.is_in_all && !is_around(it));
        fields.retain(|it| !has_own || !is_around(it));
        fields.sort_by_key(TimeField::rank);
        let Some(first) = fields.first() else {
            return self.unread_time().map_or(OrderGuess::Nothing, OrderGuess::Unread);
        };
        let is_other = |other: &TimeField<'_>| {
            let differs = match first.is_own() {
                // Events of several places may arrive in any order, and those of one place do not.
                true => other.is_moment() && differ_at_one(groups, &first.keys, &other.keys),
                false => !have_one_order(&first.keys, &other.keys),
            };
            other.is_sure() && differs
        };
        if first.is_sure() && !fields.iter().skip(1).any(is_other) {
            return OrderGuess::Field(first.sample, first.form);
        }
        OrderGuess::Likely(fields.iter().map(|it| it.sample).collect(), first.form)
    }

    /// The day and the time of a day of each record, where two fields have them, as a template of both, and how they are written.
    pub(super) fn day_and_time(&self) -> Option<(FieldSample, OrderForm)> {
        let called = |word: &'static str| {
            let is_it = move |it: &&FieldSample| {
                key_words(&it.path).last().is_some_and(|last| last == word)
                    && !it.path.contains('{')
            };
            self.samples.iter().filter(is_it)
        };
        let both = called("date").flat_map(|date| called("time").map(move |time| (date, time)));
        both.filter(|(_, time)| order::written(time.present()).is_some_and(OrderForm::lacks_day))
            .find_map(|(date, time)| {
                let values = date.values.iter().zip(&time.values);
                let values =
                    values.map(|(day, time)| Some(format!("{} {}", day.as_ref()?, time.as_ref()?)));
                let path = format!("{{{}}} {{{}}}", date.path, time.path);
                let sample = FieldSample { path, values: values.collect() };
                let form = order::written(sample.present())?;
                let is_whole = sample.values.iter().all(Option::is_some) && !form.lacks_day();
                (is_whole && !is_ambiguous(&sample, form)).then_some((sample, form))
            })
    }

    /// A field that is called like the time of a record, whose values have digits and cannot be read.
    fn unread_time(&self) -> Option<&FieldSample> {
        let is_one = |sample: &&FieldSample| {
            let words = key_words(&sample.path);
            let has_digits = |value: &str| value.contains(|c: char| c.is_ascii_digit());
            words.last().is_some_and(|word| CALLED_TIME.contains(&word.as_str()))
                && !has_word(&words, LENGTHS)
                && !has_word(&words, SECONDARY)
                && sample.present().count() * 10 >= self.records * 9
                && order::written(sample.present()).is_none()
                && sample.present().all(has_digits)
        };
        self.samples.iter().find(is_one)
    }
}

impl<'s> TimeField<'s> {
    /// `groups` are records that may be written in turns: those of one lifeline.
    fn new(sample: &'s FieldSample, groups: Option<&FieldSample>) -> Option<TimeField<'s>> {
        let form = order::written(sample.present())?;
        let words = key_words(&sample.path);
        let name = TIME.iter().position(|it| words.iter().any(|word| word == it));
        // Elements of lists begin with their time, which has no name there.
        let name = name.or_else(|| (sample.path == "each[0]" && is_epoch(sample)).then_some(0));
        let is_text = sample.present().all(|it| it.trim().parse::<f64>().is_err());
        let is_dated = is_text && form != OrderForm::As("date", None) || is_epoch(sample);
        let keys: Vec<Option<OrderKey>> = keys(sample, form);
        let never_falls = never_falls(&keys, sample, groups);
        let field = TimeField {
            sample,
            form,
            name,
            is_dated,
            is_secondary: has_word(&words, SECONDARY),
            never_falls,
            is_in_all: sample.values.iter().all(Option::is_some),
            keys,
        };
        let is_plain_name = words
            .iter()
            .all(|word| TIME.contains(&word.as_str()) || BESIDE.contains(&word.as_str()));
        let may_be = match is_dated {
            true => is_text || name.is_some() || never_falls,
            false => name.is_some() && is_plain_name && !has_word(&words, LENGTHS),
        };
        let is_in_most = sample.present().count() * 10 >= sample.values.len() * 9;
        (may_be && is_in_most).then_some(field)
    }

    /// Whether it is certainly the time of a record.
    fn is_sure(&self) -> bool {
        let is_time = match (self.is_dated, self.name) {
            (true, Some(_)) => true,
            (true, None) | (false, Some(_)) => self.never_falls,
            (false, None) => false,
        };
        is_time
            && self.is_in_all
            && !self.is_secondary
            && !is_constant(self.sample)
            && !is_ambiguous(self.sample, self.form)
    }

    /// The likeliest ones come first.
    fn rank(&self) -> (bool, bool, bool, bool, usize, usize) {
        let depth = self.sample.path.len();
        let name = self.name.unwrap_or(TIME.len());
        (!self.is_sure(), !self.is_dated, self.is_secondary, !self.never_falls, name, depth)
    }

    /// Whether its name says that it is a moment of the record, and nothing else.
    fn is_moment(&self) -> bool {
        let is_one = |word: &String| {
            CALLED_TIME.contains(&word.as_str()) || ["event", "log"].contains(&word.as_str())
        };
        self.is_dated && key_words(&self.sample.path).iter().all(is_one)
    }

    /// Whether its whole name is that of a record's own time.
    fn is_own(&self) -> bool {
        let words = key_words(&self.sample.path);
        matches!(&words[..], [word] if OWN.contains(&word.as_str()))
    }
}

/// The column that is called most like the time of a row, or its number; else the first that has times, and not those of something
/// else by its name.
pub(crate) fn time_column<'c>(
    columns: impl Iterator<Item = &'c String>,
    has_times: impl Fn(&String) -> bool,
) -> Option<&'c String> {
    let place = |column: &String| {
        let words = split_words(column);
        let is_plain = |word: &String| [TIME, BESIDE].iter().any(|it| it.contains(&word.as_str()));
        let place = TIME.iter().position(|it| words.iter().any(|word| word == it));
        let may_be = || has_times(column) && !has_word(&words, SECONDARY);
        let place = place.filter(|_| words.iter().all(is_plain));
        place.or_else(|| may_be().then_some(TIME.len()))
    };
    let found = columns.filter_map(|column| Some((place(column)?, column)));
    found.min_by_key(|(place, _)| *place).map(|(_, column)| column)
}

/// Whether a field is certainly the time of a record, as far as it has values.
pub(super) fn is_sure(sample: &FieldSample) -> bool {
    TimeField::new(sample, None).is_some_and(|field| field.is_sure())
}

/// Whether nearly all records have one value, which tells no order.
pub(super) fn is_constant(sample: &FieldSample) -> bool {
    let (values, records) = (sample.distinct().len(), sample.present().count());
    values == 1 && records > 2 || values == 2 && records >= MANY_RECORDS
}

/// Whether two formats read the times and bring them into different orders, as days before months and behind them.
fn is_ambiguous(sample: &FieldSample, form: OrderForm) -> bool {
    let OrderForm::As(format, Some(other)) = form else { return false };
    let read = |format| keys(sample, OrderForm::As(format, None));
    !have_one_order(&read(format), &read(other))
}

/// The values as they would be read.
pub(super) fn keys(sample: &FieldSample, form: OrderForm) -> Vec<Option<OrderKey>> {
    let format = match form {
        OrderForm::Plain => None,
        OrderForm::As(format, _) => TimeFormat::proposed(format),
    };
    let read = |value: &String| match &format {
        None => OrderKey::parse(value),
        Some(format) => Some(OrderKey::from_parts([format.read(value)?])),
    };
    sample.values.iter().map(|value| value.as_ref().and_then(read)).collect()
}

/// Whether numbers count seconds since 1970, or parts of them, from the year 2001 on.
fn is_epoch(sample: &FieldSample) -> bool {
    const UNITS: [f64; 4] = [1e9, 1e12, 1e15, 1e18];
    let is_of = |unit: f64| {
        let is_one = |it: f64| it >= unit && it < unit * 4.0;
        sample.present().all(|value| value.trim().parse().is_ok_and(is_one))
    };
    UNITS.into_iter().any(is_of)
}

/// Whether values rise or stay from record to record, in the whole log or in that of each lifeline.
pub(super) fn never_falls(
    keys: &[Option<OrderKey>],
    sample: &FieldSample,
    groups: Option<&FieldSample>,
) -> bool {
    let falls = |keys: &[OrderKey]| keys.windows(2).filter(|two| two[1] < two[0]).count();
    let all: Vec<OrderKey> = keys.iter().flatten().copied().collect();
    let most = all.len() / MOST_FALLS;
    if falls(&all) <= most {
        return true;
    }
    let Some(groups) = groups.filter(|it| it.path != sample.path) else { return false };
    let of_group = |name: &str| {
        let own = groups.values.iter().zip(keys);
        let own = own.filter(|(group, _)| group.as_deref() == Some(name));
        let own: Vec<OrderKey> = own.filter_map(|(_, key)| *key).collect();
        falls(&own)
    };
    groups.distinct().into_iter().map(of_group).sum::<usize>() <= most
}

/// Whether two fields bring the records of one lifeline into different orders.
fn differ_at_one(
    groups: Option<&FieldSample>,
    one: &[Option<OrderKey>],
    other: &[Option<OrderKey>],
) -> bool {
    let Some(groups) = groups else { return !have_one_order(one, other) };
    let of = |group: &str, keys: &[Option<OrderKey>]| -> Vec<Option<OrderKey>> {
        let own = groups.values.iter().zip(keys).filter(|(it, _)| it.as_deref() == Some(group));
        own.map(|(_, key)| *key).collect()
    };
    groups.distinct().into_iter().any(|group| !have_one_order(&of(group, one), &of(group, other)))
}

/// Whether two fields bring the records into one order.
fn have_one_order(one: &[Option<OrderKey>], other: &[Option<OrderKey>]) -> bool {
    let mut pairs: Vec<_> = one.iter().zip(other).collect();
    pairs.sort();
    let falls = pairs.windows(2).filter(|two| two[1].1 < two[0].1).count();
    falls <= pairs.len() / MOST_FALLS
}
