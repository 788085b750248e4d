//! Values by which the events of a location are ordered: numbers and times.

use jiff::{Timestamp, civil};
use multitrace_formats::place::EventOrder;
use std::fmt;

/// The value of an order field, exact to 18 decimals.
///
/// The order between a number and a time means nothing (numbers come first): a log should have one
/// kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderKey {
    kind: OrderKind,
    /// In units of 10^-18.
    value: i128,
}

/// What an order field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrderKind {
    /// An integer or a decimal.
    Number,
    /// A date with a time, in RFC 3339; without an offset it counts as UTC.
    Time,
}

const DECIMALS: u32 = 18;

impl OrderKey {
    /// Reads an integer, a decimal, or a date with a time. `None` for other texts, and for numbers
    /// with more than 18 decimals or 20 digits before the point.
    ///
    /// ```
    /// use multitrace_logs::OrderKey;
    /// let key = |text| OrderKey::parse(text).expect("an order");
    /// assert!(key("9") < key("10") && key("10") < key("10.5") && key("1.5e2") == key("150"));
    /// assert!(key("2024-05-01T12:00:00.1Z") < key("2024-05-01T14:00:00.2+02:00"));
    /// ```
    pub fn parse(text: &str) -> Option<OrderKey> {
        let text = text.trim();
        let number = number(text).map(|value| OrderKey { kind: OrderKind::Number, value });
        number.or_else(|| time(text).map(|value| OrderKey { kind: OrderKind::Time, value }))
    }

    /// The key as it orders what people are shown.
    pub fn event_order(self) -> EventOrder {
        EventOrder { is_time: self.kind == OrderKind::Time, value: self.value }
    }

    /// How many bytes [`OrderKey::to_bytes`] gives.
    pub const BYTES: usize = 17;

    /// The key as bytes, to be kept for a while; their order means nothing.
    pub fn to_bytes(self) -> [u8; OrderKey::BYTES] {
        let mut bytes = [0; OrderKey::BYTES];
        bytes[0] = self.kind as u8;
        bytes[1..].copy_from_slice(&self.value.to_le_bytes());
        bytes
    }

    /// The key of [`OrderKey::to_bytes`]; `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<OrderKey> {
        let (kind, value) = bytes.split_first()?;
        let kind =
            [OrderKind::Number, OrderKind::Time].into_iter().find(|it| *it as u8 == *kind)?;
        Some(OrderKey { kind, value: i128::from_le_bytes(value.try_into().ok()?) })
    }

    /// Whether it is a number or a time.
    pub fn kind(self) -> OrderKind {
        self.kind
    }
}

/// As a number (of seconds since 1970 for times), without zeros at its end.
impl fmt::Display for OrderKey {
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
    let shift = i64::from(exponent) + i64::from(DECIMALS) - i64::try_from(part.len()).ok()?;
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

/// A time in units of 10^-18 seconds.
fn time(text: &str) -> Option<i128> {
    let time: Timestamp = text.parse().ok().or_else(|| {
        let date: civil::DateTime = text.parse().ok()?;
        // A date alone orders nothing.
        text.contains(':').then(|| jiff::tz::Offset::UTC.to_timestamp(date).ok()).flatten()
    })?;
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
    fn nanoseconds_and_microseconds_are_kept() {
        let key = |text| OrderKey::parse(text).expect("an order");
        assert!(key("1661273974730641486") < key("1661273974730641487"));
        assert!(key("1512072318.429417") < key("1512072318.4294171"));
        assert_eq!(key("18446744073709551615").kind(), OrderKind::Number);
        assert_eq!(key("2024-05-01 12:00:00,5").kind(), OrderKind::Time);
        assert_eq!(key("1.50"), key("15e-1"));
        let shown = ["-1.50", "7", "0.001"].map(|text| key(text).to_string());
        assert_eq!(shown, ["-1.5", "7", "0.001"]);
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
