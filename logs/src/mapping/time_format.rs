//! How the times of a log are written: names for the common forms, and strftime for the others.

use super::order::{Cycle, OrderKind, OrderPart, decimal, written_order};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

/// How the values of an order field are written.
#[derive(Clone, Debug)]
pub(crate) enum TimeFormat {
    /// A number since 1970. This many of its last digits are parts of a second: three in milliseconds.
    Epoch(u32),
    /// A text in the notation of strftime.
    Written(WrittenTime),
}

/// Times in the notation of strftime.
#[derive(Clone, Debug)]
pub(crate) struct WrittenTime {
    format: String,
    /// For times without an offset.
    zone: TimeZone,
    /// For times without a year.
    year: Option<i16>,
    /// The part of the date that its times lack.
    cycle: Option<Cycle>,
}

/// Why a format cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadFormat {
    #[error("no format of that name")]
    Name,
    #[error("no time can be read by it: {0}")]
    Unreadable(String),
    #[error("times of this format have no year")]
    NoYear,
    #[error("times of this format have a year of their own")]
    OwnYear,
    #[error("times of this format have an offset of their own")]
    OwnOffset,
    #[error("no day and no time of day is in it")]
    Nothing,
    #[error("dates of this format have no {0}")]
    Incomplete(&'static str),
    #[error("the hours of a day are not in it")]
    NoHour,
    #[error("a day of the week is in it, and no date")]
    NoDate,
}

/// Names for forms that many logs have, and their meaning in the notation of strftime.
const NAMED: [(&str, &str); 6] = [
    ("syslog", "%b %e %H:%M:%S"),
    ("apache", "%d/%b/%Y:%H:%M:%S %z"),
    ("utc", "%Y-%m-%d %H:%M:%S%.f UTC"),
    ("date", "%Y-%m-%d"),
    ("comma", "%Y-%m-%d %H:%M:%S,%f"),
    ("rfc2822", "%a, %d %b %Y %H:%M:%S %z"),
];

/// Names for numbers since 1970, and how many of their digits are a part of a second.
const EPOCHS: [(&str, u32); 4] =
    [("epoch-s", 0), ("epoch-ms", 3), ("epoch-us", 6), ("epoch-ns", 9)];

/// Forms without a name that some logs have, to propose.
const UNNAMED: [&str; 28] = [
    "%y%m%d %H%M%S",
    "%y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M:%S%.f",
    "%Y%m%d-%H:%M:%S:%f",
    "%Y%m%d-%H:%M:%S%.f",
    "%Y-%m-%d-%H.%M.%S.%f",
    "%Y-%m-%d %H:%M:%S%.f %z",
    "%Y/%m/%d %H:%M:%S,%f",
    "%d/%m/%Y %H:%M:%S%.f",
    "%m/%d/%Y %H:%M:%S%.f",
    "%m/%d/%Y %I:%M:%S%.f %p",
    "%d/%m/%Y %I:%M:%S%.f %p",
    "%m/%d/%Y, %I:%M:%S%.f %p",
    "%Y-%m-%d %I:%M:%S%.f %p",
    "%d-%b-%Y %I:%M:%S%.f %p",
    "%b %d, %Y %I:%M:%S%.f %p",
    "%d.%m.%Y %H:%M:%S%.f",
    "%d %b %Y %H:%M:%S%.f",
    "%d/%b/%Y %H:%M:%S%.f",
    "%d-%b-%Y %H:%M:%S%.f",
    "%Y-%m-%d %H:%M:%S:%f",
    "%a %b %e %H:%M:%S %Y",
    "%a %b %e %H:%M:%S%.f",
    "%b %e %H:%M:%S%.f",
    "%m-%d %H:%M:%S%.f",
    "%m-%d %H:%M:%S,%f",
    "%H:%M:%S%.f",
    "%H:%M:%S,%f",
];

/// A moment that shows the parts of a format.
const SAMPLE: DateTime = jiff::civil::date(2023, 11, 22).at(13, 14, 15, 678_000_000);

impl TimeFormat {
    /// The names of formats, those of strftime left out.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name).chain(EPOCHS.iter().map(|(name, _)| *name))
    }

    /// The format of a name, or of a text with the letters of strftime.
    pub(crate) fn new(
        text: &str,
        zone: Option<TimeZone>,
        year: Option<i16>,
    ) -> Result<TimeFormat, BadFormat> {
        if let Some((_, digits)) = EPOCHS.iter().find(|(name, _)| *name == text) {
            return match (zone, year) {
                (None, None) => Ok(TimeFormat::Epoch(*digits)),
                (Some(_), _) => Err(BadFormat::OwnOffset),
                (None, Some(_)) => Err(BadFormat::OwnYear),
            };
        }
        let named = NAMED.iter().find(|(name, _)| *name == text).map(|(_, format)| *format);
        let format = named.or_else(|| text.contains('%').then_some(text)).ok_or(BadFormat::Name)?;
        WrittenTime::new(format, zone, year).map(TimeFormat::Written)
    }

    /// The order of a value; `None` if it is not written this way, or if its local time occurs twice or
    /// never, as when clocks change.
    pub(crate) fn read(&self, text: &str) -> Option<OrderPart> {
        let text = text.trim();
        let value = match self {
            TimeFormat::Epoch(digits) => decimal(in_date(text, *digits), -(*digits as i32))?,
            TimeFormat::Written(written) => {
                written_order(text, written.read(text)?, |text| written.read(text))?
            }
        };
        let kind = match self.cycle() {
            None => OrderKind::Time,
            Some(Cycle::Day) => OrderKind::TimeOfDay,
            Some(Cycle::Year) => OrderKind::TimeOfYear,
        };
        Some(OrderPart { kind, value })
    }

    /// After how long its times begin again, if they lack a part of their date.
    pub(crate) fn cycle(&self) -> Option<Cycle> {
        match self {
            TimeFormat::Epoch(_) => None,
            TimeFormat::Written(written) => written.cycle,
        }
    }

    /// Whether a text is written this way, and its local time occurs twice or never in the zone.
    pub(crate) fn is_changed_clock(&self, text: &str) -> bool {
        let TimeFormat::Written(written) = self else { return false };
        let in_utc = WrittenTime { zone: TimeZone::UTC, ..written.clone() };
        written.read(text.trim()).is_none() && in_utc.read(text.trim()).is_some()
    }

    /// How it is written in a mapping.
    pub(crate) fn text(&self) -> &str {
        match self {
            TimeFormat::Epoch(digits) => {
                EPOCHS.iter().find(|(_, of)| of == digits).map_or("", |(name, _)| name)
            }
            TimeFormat::Written(written) => &written.format,
        }
    }

    /// A format that reads a text, to propose: a name if one fits.
    pub(crate) fn fitting(text: &str) -> Option<&'static str> {
        TimeFormat::fitting_all(&[text]).next()
    }

    /// The formats that would fit all of some texts.
    pub(crate) fn fitting_all<'v>(
        texts: &'v [&str],
    ) -> impl Iterator<Item = &'static str> + use<'v> {
        let named = NAMED.iter().map(|(name, _)| *name);
        // Numbers alone are an order without a format.
        let are_dates = texts.iter().all(|text| text.starts_with(DATE));
        let of_dates = are_dates.then_some("epoch-ms");
        named.chain(UNNAMED).chain(of_dates).filter(move |format| {
            let format = TimeFormat::proposed(format);
            format.is_some_and(|format| texts.iter().all(|text| format.read(text).is_some()))
        })
    }

    /// A format that was proposed, with some year if its times lack one.
    pub(crate) fn proposed(format: &str) -> Option<TimeFormat> {
        let year = TimeFormat::needs_year(format).then_some(2024);
        TimeFormat::new(format, None, year).ok()
    }

    /// Whether times of a format that was proposed need a year beside it.
    pub(crate) fn needs_year(format: &str) -> bool {
        TimeFormat::new(format, None, None).is_err_and(|error| error == BadFormat::NoYear)
    }
}

const NARROW_BLANK: char = '\u{202f}';

/// How .NET begins a time in JSON: `/Date(1700000000000)/`, in milliseconds, perhaps with the offset of a zone behind them.
const DATE: &str = "/Date(";

/// The milliseconds in such a time; another text as it is.
fn in_date(text: &str, digits: u32) -> &str {
    let inside = text.strip_prefix(DATE).and_then(|rest| rest.strip_suffix(")/"));
    let Some(inside) = inside.filter(|_| digits == 3) else { return text };
    let sign = inside.rfind(['+', '-']).filter(|at| *at > 0 && inside.len() == at + 5);
    sign.map_or(inside, |at| &inside[..at])
}

impl WrittenTime {
    fn new(
        format: &str,
        zone: Option<TimeZone>,
        year: Option<i16>,
    ) -> Result<WrittenTime, BadFormat> {
        let broken = |error: jiff::Error| BadFormat::Unreadable(error.to_string());
        let sample = SAMPLE.to_zoned(TimeZone::UTC).map_err(broken)?;
        let written = strtime::format(format, &sample).map_err(broken)?;
        let mut parsed = BrokenDownTime::parse(format, &written).map_err(broken)?;
        let is_absolute = parsed.offset().is_some() || parsed.timestamp().is_some();
        match (&zone, year) {
            (Some(_), _) if is_absolute => return Err(BadFormat::OwnOffset),
            (_, Some(_)) if parsed.to_date().is_ok() || parsed.timestamp().is_some() => {
                return Err(BadFormat::OwnYear);
            }
            _ => {}
        }
        // The hour of the sample is one of the afternoon.
        let hour = parsed.hour();
        if hour.is_some_and(|it| it != SAMPLE.hour()) || hour.is_none() && parsed.minute().is_some()
        {
            return Err(BadFormat::NoHour);
        }
        if parsed.weekday().is_some() && !has_day(&parsed) {
            return Err(BadFormat::NoDate);
        }
        let zone = zone.unwrap_or(TimeZone::UTC);
        let cycle = match year {
            Some(_) => Some(Cycle::Year),
            None if parsed.timestamp().is_some() || has_day(&parsed) => None,
            None => Some(Cycle::Day),
        };
        let made = WrittenTime { format: format.to_owned(), zone, year, cycle };
        if made.read(&written).is_some() {
            return Ok(made);
        }
        if !has_day(&parsed) {
            return Err(BadFormat::Nothing);
        }
        parsed.set_year(Some(SAMPLE.year())).map_err(broken)?;
        Err(match (parsed.month().is_some(), parsed.day().is_some()) {
            _ if made.moment(&parsed).is_some() => BadFormat::NoYear,
            (false, true) => BadFormat::Incomplete("month"),
            (true, false) => BadFormat::Incomplete("day"),
            _ => BadFormat::Incomplete("month and no day"),
        })
    }

    fn read(&self, text: &str) -> Option<Timestamp> {
        // Newer tables of languages put a narrow blank before AM and PM.
        let text = match text.contains(NARROW_BLANK) {
            true => &text.replace(NARROW_BLANK, " "),
            false => text,
        };
        let mut parsed = BrokenDownTime::parse(&self.format, text).ok()?;
        if self.year.is_some() {
            parsed.set_year(self.year).ok()?;
        }
        self.moment(&parsed)
    }

    fn moment(&self, parsed: &BrokenDownTime) -> Option<Timestamp> {
        if parsed.timestamp().is_some() {
            return parsed.to_timestamp().ok();
        }
        let local = self.local(parsed)?;
        if let Some(offset) = parsed.offset() {
            return offset.to_timestamp(local).ok();
        }
        let moment = self.zone.to_ambiguous_timestamp(local);
        match moment.offset() {
            AmbiguousOffset::Unambiguous { .. } => moment.unambiguous().ok(),
            AmbiguousOffset::Gap { .. } | AmbiguousOffset::Fold { .. } => None,
        }
    }

    /// The date, with midnight where there is no time; of a time alone the first day of 1970.
    fn local(&self, parsed: &BrokenDownTime) -> Option<DateTime> {
        let time = parsed.to_time();
        if !has_day(parsed) {
            parsed.hour()?;
            return Some(Date::constant(1970, 1, 1).to_datetime(time.ok()?));
        }
        let date = parsed.to_date().ok()?;
        Some(date.to_datetime(time.unwrap_or(Time::midnight())))
    }
}

/// Whether a time has a part of a date.
fn has_day(parsed: &BrokenDownTime) -> bool {
    let parts = [parsed.month().is_some(), parsed.day().is_some(), parsed.year().is_some()];
    parts.contains(&true) || parsed.day_of_year().is_some()
}

/// A time zone by its name, or as an offset such as `+02:00`.
pub(crate) fn zone(text: &str) -> Option<TimeZone> {
    let offset = || {
        let parsed = BrokenDownTime::parse("%:z", text).ok()?.offset();
        parsed.map(Offset::to_time_zone)
    };
    TimeZone::get(text).ok().or_else(offset)
}

/// The names of all time zones.
pub(crate) fn zone_names() -> Vec<String> {
    jiff::tz::db().available().map(|name| name.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: &str, text: &str) -> Option<OrderPart> {
        let year = TimeFormat::needs_year(format).then_some(2008);
        TimeFormat::new(format, None, year).expect("a format").read(text)
    }

    #[test]
    fn a_second_60_comes_behind_second_59() {
        for (format, day) in [("comma", "2016-12-31 23:59:"), ("%y%m%d %H%M%S,%f", "160630 2359")] {
            let order =
                |second: &str| read(format, &format!("{day}{second}")).expect("a time").value;
            let times = ["58,9", "59,5", "59,61", "60,2", "60,3"].map(order);
            assert!(times.is_sorted_by(|one, other| one < other), "{format}: {times:?}");
        }
    }

    fn seconds(part: Option<OrderPart>) -> f64 {
        part.expect("a time").value as f64 / 1e18
    }

    #[test]
    fn formats_with_a_name_read_what_they_are_named_after() {
        let nine = 1_228_795_505.0;
        for (format, text) in [
            ("syslog", "Dec  9 04:05:05"),
            ("apache", "09/Dec/2008:05:05:05 +0100"),
            ("utc", "2008-12-09 04:05:05 UTC"),
            ("utc", "2008-12-09 04:05:05.0 UTC"),
            ("comma", "2008-12-09 04:05:05,000"),
            ("rfc2822", "Tue, 09 Dec 2008 04:05:05 +0000"),
            ("epoch-s", "1228795505"),
            ("epoch-ms", "1228795505000"),
            ("epoch-ms", "/Date(1228795505000)/"),
            ("epoch-ms", "/Date(1228795505000+0100)/"),
            ("%m/%d/%Y %I:%M:%S%.f %p", "12/9/2008 4:05:05 AM"),
            ("%b %d, %Y %I:%M:%S%.f %p", "Dec 09, 2008 4:05:05.0 AM"),
            ("epoch-us", "1228795505000000"),
            ("epoch-ns", "1228795505000000000"),
            ("%y%m%d %H%M%S", "081209 040505"),
            ("%m-%d %H:%M:%S%.f", "12-09 04:05:05.000"),
            ("%d-%b-%Y %H:%M:%S%.f", "09-Dec-2008 04:05:05.000"),
            ("%Y-%m-%d %H:%M:%S:%f", "2008-12-09 04:05:05:000"),
            ("%s", "1228795505"),
        ] {
            assert_eq!(seconds(read(format, text)), nine, "{format}");
        }
        assert_eq!(seconds(read("date", "2008-12-09")), 1_228_780_800.0);
        assert_eq!(seconds(read("%H:%M:%S%.f", "00:01:02.5")), 62.5);
    }

    #[test]
    fn what_is_written_otherwise_is_not_read() {
        for (format, text) in [
            ("syslog", "Dec 09"),
            ("syslog", "Feb 30 00:00:00"),
            ("date", "2008-12-09 04:05:05"),
            ("epoch-ms", "12:00"),
            ("%y%m%d %H%M%S", "081209 046505"),
            ("comma", ""),
            ("epoch-s", "/Date(1228795505000)/"),
            ("epoch-ms", "/Date(soon)/"),
        ] {
            assert_eq!(read(format, text), None, "{format} {text}");
        }
    }

    #[test]
    fn local_times_of_a_zone_are_read_unless_they_are_ambiguous() {
        let paris = zone("Europe/Paris").expect("a zone");
        let format = TimeFormat::new("%Y-%m-%d %H:%M", Some(paris), None).expect("a format");
        assert_eq!(seconds(format.read("2024-07-01 02:00")), 1_719_792_000.0);
        // Clocks go back at three: half past two occurs twice. They go forward at two.
        assert_eq!(format.read("2024-10-27 02:30"), None);
        assert_eq!(format.read("2024-03-31 02:30"), None);
        let offset = zone("+02:00").expect("an offset");
        let format = TimeFormat::new("%Y-%m-%d %H:%M", Some(offset), None).expect("a format");
        assert_eq!(seconds(format.read("2024-07-01 02:00")), 1_719_792_000.0);
        assert!(zone("Europe/Nowhere").is_none());
    }

    #[test]
    fn formats_that_cannot_be_used_say_why() {
        let bad = |format, zone, year| TimeFormat::new(format, zone, year).expect_err("no format");
        assert_eq!(bad("sislog", None, None), BadFormat::Name);
        assert_eq!(bad("syslog", None, None), BadFormat::NoYear);
        assert_eq!(bad("apache", None, Some(2024)), BadFormat::OwnYear);
        assert_eq!(bad("apache", Some(TimeZone::UTC), None), BadFormat::OwnOffset);
        assert_eq!(bad("epoch-s", Some(TimeZone::UTC), None), BadFormat::OwnOffset);
        assert_eq!(bad("%%", None, None), BadFormat::Nothing);
        assert!(matches!(bad("%E", None, None), BadFormat::Unreadable(_)));
        for format in ["%I:%M:%S", "%Y-%m-%d %I:%M", "%Y-%m-%d %M:%S", "%M:%S"] {
            assert_eq!(bad(format, None, None), BadFormat::NoHour, "{format}");
        }
        assert_eq!(bad("%a %H:%M:%S", None, None), BadFormat::NoDate);
        for (format, missing) in [
            ("%d %H:%M:%S", "month"),
            ("%Y %d", "month"),
            ("%b %H:%M", "day"),
            ("%m/%Y", "day"),
            ("%Y %H:%M", "month and no day"),
        ] {
            assert_eq!(bad(format, None, None), BadFormat::Incomplete(missing), "{format}");
        }
        assert_eq!(bad("%d %H:%M:%S", None, Some(2024)), BadFormat::Incomplete("month"));
        for format in ["%I:%M:%S %p", "%a, %d %b %Y %I:%M %p", "%s"] {
            assert!(TimeFormat::new(format, None, None).is_ok(), "{format}");
        }
    }

    #[test]
    fn a_format_that_fits_is_proposed() {
        for (text, format) in [
            ("081109 203615", "%y%m%d %H%M%S"),
            ("Dec  9 04:05:05", "syslog"),
            ("10/Oct/2000:13:55:36 -0700", "apache"),
            ("2024-05-01", "date"),
            ("17/06/09 20:10:40", "%y/%m/%d %H:%M:%S"),
            ("03-17 16:13:38.811", "%m-%d %H:%M:%S%.f"),
            ("20:10:40,5", "%H:%M:%S,%f"),
            ("/Date(1700000000000)/", "epoch-ms"),
            ("1700000000000", "nothing"),
            ("11/2/2025 3:04:05 PM", "%m/%d/%Y %I:%M:%S%.f %p"),
            ("2025-11-02 03:04:05 PM", "%Y-%m-%d %I:%M:%S%.f %p"),
            ("half past three", "nothing"),
        ] {
            assert_eq!(TimeFormat::fitting(text).unwrap_or("nothing"), format, "{text}");
        }
    }
}
