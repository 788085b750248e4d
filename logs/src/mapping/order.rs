//! Values by which the events of a location are ordered: numbers and times.

use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp, civil};
use multitrace_formats::place::EventOrder;
use std::fmt;

/// The values of the order fields of a record, the first one first.
///
/// The order between a number and a time means nothing (numbers come first): a log should have one
/// kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderKey {
    parts: [OrderPart; OrderKey::MOST],
}

/// The value of one order field, exact to 18 decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct OrderPart {
    pub(crate) kind: OrderKind,
    /// In units of 10^-18.
    pub(crate) value: i128,
}

/// The kind of values of an order field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrderKind {
    /// There is no such field.
    Absent,
    /// An integer or a decimal.
    Number,
    /// A time.
    Time,
    /// A time without an offset or a zone, which counts as UTC.
    LocalTime,
    /// A time without a day.
    TimeOfDay,
    /// A time without a year.
    TimeOfYear,
    /// A day, which counts from its midnight in UTC.
    Day,
}

/// After how long times without a part of their date begin again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cycle {
    /// Times without a day.
    Day,
    /// Times without a year.
    Year,
}

impl Cycle {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Cycle::Day => "day",
            Cycle::Year => "year",
        }
    }

    /// Half of it, in units of 10^-18 seconds.
    pub(crate) fn half(self) -> u128 {
        let days = match self {
            Cycle::Day => 1,
            Cycle::Year => 365,
        };
        days * 43_200 * 10_u128.pow(18)
    }
}

impl OrderKind {
    /// Those that a value may have.
    const WRITTEN: [OrderKind; 6] = [
        OrderKind::Number,
        OrderKind::Time,
        OrderKind::LocalTime,
        OrderKind::TimeOfDay,
        OrderKind::TimeOfYear,
        OrderKind::Day,
    ];

    fn name(self) -> &'static str {
        match self {
            OrderKind::Absent => "nothing",
            OrderKind::Number => "a number",
            OrderKind::Time => "a time with an offset",
            OrderKind::LocalTime => "a time without an offset",
            OrderKind::TimeOfDay => "a time of day",
            OrderKind::TimeOfYear => "a time without a year",
            OrderKind::Day => "a day",
        }
    }

    /// The names of the first kinds in which the orders of two events differ.
    pub(crate) fn names_of(one: Option<OrderKey>, other: Option<OrderKey>) -> [&'static str; 2] {
        let kinds = |order: Option<OrderKey>| {
            order.map_or([OrderKind::Absent; OrderKey::MOST], OrderKey::kinds)
        };
        let (one, other) = (kinds(one), kinds(other));
        let differing = one.iter().zip(&other).find(|(one, other)| one != other);
        differing.map_or([one[0].name(); 2], |(one, other)| [one.name(), other.name()])
    }
}

const DECIMALS: u32 = 18;

impl OrderPart {
    const ABSENT: OrderPart = OrderPart { kind: OrderKind::Absent, value: 0 };
    const BYTES: usize = 17;

    /// Reads an integer, a decimal, a length of time such as `PT1.5S` as its seconds, or a date with a time in RFC 3339. `None`
    /// for other texts, and for numbers with more than 18 decimals or 20 digits before the point.
    pub(crate) fn parse(text: &str) -> Option<OrderPart> {
        let text = text.trim();
        let number = number(text).or_else(|| iso_length(text));
        let number = number.map(|value| OrderPart { kind: OrderKind::Number, value });
        number.or_else(|| time(text).map(|(kind, value)| OrderPart { kind, value }))
    }

    /// The same, or a day: columns of dates are an order, while a date in a text mostly has a time beside it, so that none is proposed.
    pub(crate) fn parse_with_days(text: &str) -> Option<OrderPart> {
        OrderPart::parse(text).or_else(|| {
            let value = day(text.trim())?;
            Some(OrderPart { kind: OrderKind::Day, value })
        })
    }

    /// The same later by a length of time: to a number it is added as it is, to a time in its unit, a power of
    /// ten seconds.
    pub(crate) fn plus(self, text: &str, unit: i32) -> Option<OrderPart> {
        let power = if self.kind == OrderKind::Number { 0 } else { unit };
        Some(OrderPart { value: self.value.checked_add(length(text, power)?)?, ..self })
    }

    fn put_bytes(self, bytes: &mut Vec<u8>) {
        bytes.push(self.kind as u8);
        bytes.extend(self.value.to_le_bytes());
    }

    fn from_bytes(bytes: &[u8]) -> Option<OrderPart> {
        let (kind, value) = bytes.split_first()?;
        let kind = OrderKind::WRITTEN.into_iter().find(|it| *it as u8 == *kind)?;
        Some(OrderPart { kind, value: i128::from_le_bytes(value.try_into().ok()?) })
    }
}

impl OrderKey {
    /// How many order fields a mapping may name.
    pub const MOST: usize = 3;

    /// The key of these parts; more than [`OrderKey::MOST`] are left out.
    pub(crate) fn from_parts(parts: impl IntoIterator<Item = OrderPart>) -> OrderKey {
        let mut key = OrderKey { parts: [OrderPart::ABSENT; OrderKey::MOST] };
        key.parts.iter_mut().zip(parts).for_each(|(place, part)| *place = part);
        key
    }

    /// Reads an integer, a decimal, or a date with a time, as a key of one part. `None` for other
    /// texts, and for numbers with more than 18 decimals or 20 digits before the point.
    ///
    /// ```
    /// use multitrace_logs::OrderKey;
    /// let key = |text| OrderKey::parse(text).expect("an order");
    /// assert!(key("9") < key("10") && key("10") < key("10.5") && key("1.5e2") == key("150"));
    /// assert!(key("2024-05-01T12:00:00.1Z") < key("2024-05-01T14:00:00.2+02:00"));
    /// ```
    pub fn parse(text: &str) -> Option<OrderKey> {
        OrderPart::parse(text).map(|part| OrderKey::from_parts([part]))
    }

    /// The key that orders events for people: its first part.
    pub fn event_order(self) -> EventOrder {
        let [OrderPart { kind, value }, ..] = self.parts;
        EventOrder { is_time: !matches!(kind, OrderKind::Absent | OrderKind::Number), value }
    }

    /// After how long its first part begins again, if that is a time without a part of its date.
    pub(crate) fn cycle(self) -> Option<Cycle> {
        match self.parts[0].kind {
            OrderKind::TimeOfDay => Some(Cycle::Day),
            OrderKind::TimeOfYear => Some(Cycle::Year),
            _ => None,
        }
    }

    /// Writes the key as bytes, to be kept for a while; their order means nothing.
    pub(crate) fn put_bytes(self, bytes: &mut Vec<u8>) {
        let count = self.present().count();
        bytes.push(count as u8);
        self.present().for_each(|part| part.put_bytes(bytes));
    }

    /// Takes the key that [`OrderKey::put_bytes`] wrote from the start of some bytes; `None` for other bytes.
    pub(crate) fn take(bytes: &mut &[u8]) -> Option<OrderKey> {
        let (&count, rest) = bytes.split_first()?;
        let (parts, rest) = rest.split_at_checked(usize::from(count) * OrderPart::BYTES)?;
        *bytes = rest;
        let mut key = OrderKey::from_parts([]);
        for (place, part) in key.parts.iter_mut().zip(parts.chunks(OrderPart::BYTES)) {
            *place = OrderPart::from_bytes(part)?;
        }
        Some(key)
    }

    fn present(self) -> impl Iterator<Item = OrderPart> {
        self.parts.into_iter().filter(|part| part.kind != OrderKind::Absent)
    }

    /// The kind of each part.
    pub fn kinds(self) -> [OrderKind; OrderKey::MOST] {
        self.parts.map(|part| part.kind)
    }
}

/// Its parts, with commas between.
impl fmt::Display for OrderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.present().enumerate() {
            write!(f, "{}{part}", if index > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// As a number (of seconds since 1970 for times), without zeros at its end.
impl fmt::Display for OrderPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = 10_u128.pow(DECIMALS);
        let value = self.value.unsigned_abs();
        let sign = if self.value < 0 { "-" } else { "" };
        let part = format!("{:018}", value % unit);
        let part = part.trim_end_matches('0');
        let point = if part.is_empty() { "" } else { "." };
        write!(f, "{sign}{}{point}{part}", value / unit)
    }
}

/// A decimal in units of 10^-18.
fn number(text: &str) -> Option<i128> {
    decimal(text, 0)
}

/// A length of time, which is never below zero, times a power of ten. Decimals beyond nanoseconds of it are left out.
pub(super) fn length(text: &str, power: i32) -> Option<i128> {
    const MOST: usize = 9;
    let text = text.trim();
    let cut = text.split_once('.').map(|(whole, part)| {
        let digits = part.bytes().take(MOST).take_while(u8::is_ascii_digit).count();
        let is_plain = part.bytes().all(|byte| byte.is_ascii_digit());
        if is_plain { format!("{whole}.{}", &part[..digits]) } else { text.to_owned() }
    });
    decimal(cut.as_deref().unwrap_or(text), power).filter(|length| *length >= 0)
}

/// A decimal times a power of ten, in units of 10^-18.
pub(super) fn decimal(text: &str, power: i32) -> Option<i128> {
    let (text, is_negative) = match text.strip_prefix('-') {
        Some(text) => (text, true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    };
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if digits.len() < 1 + usize::from(digits.contains('.')) || !is_number(whole) || !is_number(part)
    {
        return None;
    }
    let part = part.trim_end_matches('0');
    let shift = i64::from(exponent) + i64::from(power) + i64::from(DECIMALS)
        - i64::try_from(part.len()).ok()?;
    let mut value: i128 = 0;
    for byte in whole.bytes().chain(part.bytes()) {
        value = value.checked_mul(10)?.checked_add(i128::from(byte - b'0'))?;
    }
    let value = match u32::try_from(shift) {
        _ if value == 0 => 0,
        Ok(shift) => value.checked_mul(10_i128.checked_pow(shift)?)?,
        Err(_) => divided(value, shift.unsigned_abs())?,
    };
    Some(if is_negative { -value } else { value })
}

/// The value without its last `zeros` digits, if all of them are zeros.
fn divided(value: i128, zeros: u64) -> Option<i128> {
    let by = 10_i128.checked_pow(u32::try_from(zeros).ok()?)?;
    (value % by == 0).then_some(value / by)
}

/// A length of time in ISO 8601, as columns of durations are written.
fn iso_length(text: &str) -> Option<i128> {
    if !text.trim_start_matches('-').starts_with('P') {
        return None;
    }
    let days = || {
        let span: Span = text.parse().ok()?;
        span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()
    };
    let length: SignedDuration = text.parse().ok().or_else(days)?;
    length.as_nanos().checked_mul(1_000_000_000)
}

/// A time in units of 10^-18 seconds.
fn time(text: &str) -> Option<(OrderKind, i128)> {
    let written = |text: &str| text.parse::<Timestamp>().ok();
    if let Some(time) = written(text) {
        return Some((OrderKind::Time, written_order(text, time, written)?));
    }
    let written = |text: &str| {
        let date: civil::DateTime = text.parse().ok()?;
        // A day is not a time.
        text.contains(':').then(|| jiff::tz::Offset::UTC.to_timestamp(date).ok())?
    };
    Some((OrderKind::LocalTime, written_order(text, written(text)?, written)?))
}

/// A time that was read from a text, in units of 10^-18 seconds. A second 60 is read like second 59 with the same part of a
/// second; all of it comes between the last nanosecond of that second and the next one.
pub(super) fn written_order(
    text: &str,
    time: Timestamp,
    read: impl Fn(&str) -> Option<Timestamp>,
) -> Option<i128> {
    const SECOND: i128 = 1_000_000_000;
    let nanoseconds = time.as_nanosecond();
    // Of all texts with a 60, only that of the seconds is the same time with a 59, and none with a 61.
    let is_late = |(at, _): (usize, &str)| {
        let with = |other: &str| read(&[&text[..at], other, &text[at + 2..]].concat());
        with("61").is_none() && with("59") == Some(time)
    };
    if (nanoseconds.div_euclid(SECOND) + 1) % 60 != 0 || !text.match_indices("60").any(is_late) {
        return in_order(time);
    }
    let part = nanoseconds.rem_euclid(SECOND);
    (nanoseconds - part + SECOND - 1).checked_mul(SECOND)?.checked_add(part)
}

/// The midnight in UTC with which a day such as `2024-05-01` begins, in units of 10^-18 seconds.
fn day(text: &str) -> Option<i128> {
    let is_day = text.len() == "2024-05-01".len()
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let date: civil::Date = is_day.then(|| text.parse().ok())??;
    in_order(jiff::tz::Offset::UTC.to_timestamp(date.to_datetime(civil::Time::midnight())).ok()?)
}

/// A time in units of 10^-18 seconds since 1970.
pub(super) fn in_order(time: Timestamp) -> Option<i128> {
    time.as_nanosecond().checked_mul(1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_order_is_none() {
        for text in ["", ".", "-", "1x", "1e", "0x10", "2024-05-01", "yesterday", "1e99", "١"] {
            assert_eq!(OrderKey::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_second_60_comes_behind_second_59_and_before_the_next_minute() {
        for (zone, day) in
            [("Z", "2016-12-31T23:59:"), ("", "2016-12-31 23:59:"), ("+01:00", "1960-06-30T00:59:")]
        {
            let order = |text: String| OrderPart::parse(&text).expect("a time").value;
            let seconds =
                ["59", "59.5", "59.60", "59.999999999", "60.2", "60.200000001", "60.999999999"];
            let mut times: Vec<i128> =
                seconds.iter().map(|it| order(format!("{day}{it}{zone}"))).collect();
            times.push(order(format!("{day}59{zone}")) + 1_000_000_000_000_000_000);
            assert!(times.is_sorted_by(|one, other| one < other), "{day}{zone}: {times:?}");
        }
    }

    #[test]
    fn a_day_is_an_order_of_its_own_kind() {
        let part = |text| OrderPart::parse_with_days(text);
        let days =
            ["1969-12-31", "2024-02-29", " 2024-03-01 "].map(|text| part(text).expect("a day"));
        assert!(days.is_sorted() && days.iter().all(|it| it.kind == OrderKind::Day));
        assert_eq!(part("2024-03-01T00:00:00").map(|it| it.value), Some(days[2].value));
        assert_eq!(part("2024-03-01T00:00:00").map(|it| it.kind), Some(OrderKind::LocalTime));
        assert_eq!(part("7").map(|it| it.kind), Some(OrderKind::Number));
        for text in [
            "2023-02-29",
            "2024-05",
            "2024-5-1",
            "24-05-01",
            "2024-05-01T10",
            "2024-05-01Z",
            "01.05.2024",
        ] {
            assert_eq!(part(text), None, "{text}");
        }
        let mut bytes = Vec::new();
        let key = OrderKey::from_parts(days);
        key.put_bytes(&mut bytes);
        assert_eq!(OrderKey::take(&mut &bytes[..]), Some(key));
    }

    #[test]
    fn a_number_has_eighteen_decimals_and_zeros_behind_them() {
        let parse = |text: &str| OrderKey::parse(text).map(OrderKey::event_order);
        let least = parse("0.000000000000000001").expect("eighteen decimals");
        assert_eq!(least.value, 1);
        for same in ["1e-18", "10e-19", "1000e-21", "0.0000000000000000010"] {
            assert_eq!(parse(same), Some(least), "{same}");
        }
        for finer in ["11e-19", "1e-19", "0.0000000000000000011"] {
            assert_eq!(parse(finer), None, "{finer}");
        }
    }

    #[test]
    fn nanoseconds_and_microseconds_are_kept() {
        let key = |text| OrderKey::parse(text).expect("an order");
        assert!(key("1661273974730641486") < key("1661273974730641487"));
        assert!(key("1512072318.429417") < key("1512072318.4294171"));
        assert_eq!(key("18446744073709551615").kinds()[0], OrderKind::Number);
        assert_eq!(key("2024-05-01 12:00:00,5").kinds()[0], OrderKind::LocalTime);
        assert_eq!(key("2024-05-01T12:00:00+02:00").kinds()[0], OrderKind::Time);
        assert_eq!([key("PT1M4.5S"), key("-PT0.001S")], [key("64.5"), key("-0.001")]);
        assert_eq!([key("P0D"), key("P1DT2S")], [key("0"), key("86402")]);
        assert_eq!(key("1.50"), key("15e-1"));
        let shown = ["-1.50", "7", "0.001"].map(|text| key(text).to_string());
        assert_eq!(shown, ["-1.5", "7", "0.001"]);
    }

    #[test]
    fn a_length_of_time_is_added_in_its_unit() {
        let part = |text| OrderPart::parse(text).expect("an order");
        assert_eq!(part("1000").plus("5", -6), Some(part("1005")));
        let later = part("2024-05-01T12:00:00Z").plus("1500.25", -3);
        assert_eq!(later, Some(part("2024-05-01T12:00:01.50025Z")));
        let fine = part("2024-05-01T12:00:00Z").plus("0.30000000000000004", -3);
        assert_eq!(fine, Some(part("2024-05-01T12:00:00.0003Z")));
        assert_eq!(part("1").plus("0.5", 0), Some(part("1.5")));
        for wrong in ["-0.5", "-1", "x", ""] {
            assert_eq!(part("1").plus(wrong, 0), None);
        }
    }

    proptest! {
        #[test]
        fn numbers_are_ordered_as_they_are(a in -1_000_000_i64.., b in -1_000_000_i64..) {
            let text = |n: i64| format!("{}.{:03}", n / 1000, (n % 1000).abs());
            let key = |n| OrderKey::parse(&text(n)).expect("a number");
            prop_assume!(a <= -1000 || a >= 0);
            prop_assume!(b <= -1000 || b >= 0);
            prop_assert_eq!(key(a).cmp(&key(b)), a.cmp(&b));
        }

        #[test]
        fn no_text_breaks_it(text in "[-+0-9.eTZ: ]{0,40}") {
            let _ = OrderKey::parse(&text);
        }
    }
}
