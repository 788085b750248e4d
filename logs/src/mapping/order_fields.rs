//! Which values of a record say its place in the local order, and how they are written.

use super::ids::OrderFieldId;
use super::mapped::Broken;
use super::order::{OrderKey, OrderPart, length};
use super::template::Template;
use super::time_format::TimeFormat;
use crate::field::{FieldId, Fields};
use crate::record::Record;
use multitrace_formats::source::{Span, quote};
use std::ops::Range;

/// One value of an order.
#[derive(Clone, Debug)]
pub(super) struct OrderField {
    pub(super) value: Template,
    /// A number, a time in RFC 3339 or a day without it.
    pub(super) format: Option<TimeFormat>,
    /// A length of time that is added, and its unit as a power of ten seconds.
    pub(super) plus: Option<(FieldId, i32)>,
    /// Where it stands in the mapping.
    pub(super) place: Span,
}

/// All order fields of a mapping.
#[derive(Clone, Debug, Default)]
pub(super) struct OrderFields(Vec<OrderField>);

/// Some of these, which follow one another and count in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OrderRule {
    first: u32,
    count: u32,
}

impl OrderFields {
    /// Adds fields that count in turn.
    pub(super) fn add(&mut self, fields: impl IntoIterator<Item = OrderField>) -> OrderRule {
        let first = self.0.len() as u32;
        self.0.extend(fields);
        OrderRule { first, count: self.0.len() as u32 - first }
    }

    /// The key of a record. Text written into `text` is taken away again.
    pub(super) fn key(
        &self,
        rule: OrderRule,
        record: &Record<'_>,
        text: &mut String,
    ) -> Result<OrderKey, Broken> {
        let (start, mut broken) = (text.len(), None);
        let parts = rule.fields().map_while(|id| {
            let part = self.part(id, record, text);
            text.truncate(start);
            part.map_err(|why| broken = Some(why)).ok()
        });
        let key = OrderKey::from_parts(parts);
        broken.map_or(Ok(key), Err)
    }

    fn part(
        &self,
        OrderFieldId(id): OrderFieldId,
        record: &Record<'_>,
        text: &mut String,
    ) -> Result<OrderPart, Broken> {
        let OrderField { value, format, plus, .. } = &self.0[id as usize];
        let plus = match plus {
            None => None,
            Some((field, unit)) => {
                Some((record.get(*field).ok_or(Broken::NoField(*field))?, *unit))
            }
        };
        let read = |text: &str| {
            let part = match format {
                None => OrderPart::parse_with_days(text),
                Some(format) => format.read(text),
            };
            plus.map_or(part, |(length, unit)| part?.plus(length, unit))
        };
        let part = match value.as_field() {
            Some(field) => read(record.get(field).ok_or(Broken::NoField(field))?),
            None => {
                let start = text.len();
                value.write(record, text).map_err(Broken::NoField)?;
                read(&text[start..])
            }
        };
        part.ok_or(Broken::Order(OrderFieldId(id)))
    }

    /// Whether the times of a field lack a part of the date.
    pub(super) fn have_partial_times(&self) -> bool {
        let formats = self.0.iter().filter_map(|field| field.format.as_ref());
        formats.filter_map(TimeFormat::cycle).next().is_some()
    }

    /// Where a field stands in the mapping.
    pub(super) fn place(&self, OrderFieldId(id): OrderFieldId) -> Span {
        self.0[id as usize].place
    }

    /// Where the first of all stands in the mapping.
    pub(super) fn first_place(&self) -> Option<Span> {
        self.0.first().map(|field| field.place)
    }

    /// The field of the record, if the order is nothing else.
    pub(super) fn field(&self, OrderFieldId(id): OrderFieldId) -> Option<FieldId> {
        self.0[id as usize].value.as_field()
    }

    /// The field without which a record has no such key, and whether it is there and empty; for the first of several fields.
    pub(super) fn lacking(&self, rule: OrderRule, record: &Record<'_>) -> Option<(FieldId, bool)> {
        let OrderField { value, plus, .. } = &self.0[rule.first as usize];
        let fields = value.fields().chain(plus.map(|(field, _)| field));
        let lacks = |field: FieldId| match record.get(field) {
            None => Some((field, false)),
            Some(value) => value.is_empty().then_some((field, true)),
        };
        fields.into_iter().find_map(lacks)
    }

    /// The error in the value of a record, the format that would read it, and the field of the value.
    pub(super) fn explain(
        &self,
        OrderFieldId(id): OrderFieldId,
        record: &Record<'_>,
        fields: &Fields,
    ) -> (String, String, Option<FieldId>) {
        let OrderField { value, format, plus, .. } = &self.0[id as usize];
        if let Some((field, _)) = *plus
            && let Some(added) = record.get(field).filter(|added| length(added, 0).is_none())
        {
            let (path, added) = (fields.path(field), quote(added));
            let what = format!("`{path}` is {added}, which is not a length of time");
            let help = "correct it, or leave such records out with [[drop]]";
            return (what, help.to_owned(), Some(field));
        }
        let mut text = String::new();
        let _ = value.write(record, &mut text);
        let what = match format {
            None if is_number(&text) => {
                "a number of more than 20 digits before the point or 18 behind it".to_owned()
            }
            None => "neither a number nor a time".to_owned(),
            Some(format) => {
                format!("not written as {}, or no time of its zone", quote(format.text()))
            }
        };
        let remedy = remedy(format.as_ref(), &text);
        let field = self.field(OrderFieldId(id));
        let name = match field {
            Some(field) => format!("`{}`", fields.path(field)),
            None => "its order".to_owned(),
        };
        (format!("{name} is {}, which is {what}", quote(&text)), remedy, field)
    }
}

/// Whether a text is nothing but digits, with a point or not.
fn is_number(text: &str) -> bool {
    let digits = text.trim().trim_start_matches('-');
    let is_part = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.bytes().all(is_part)
}

/// The remedy for a value that is not an order.
fn remedy(format: Option<&TimeFormat>, text: &str) -> String {
    if format.is_some_and(|format| format.is_changed_clock(text)) {
        return "clocks were changed at this time, so that it occurs twice or never in its zone: name a \
                field with times in UTC, or another zone"
            .to_owned();
    }
    if format.is_some() && OrderPart::parse_with_days(text).is_some() {
        return "leave `format` out: such values are read without it".to_owned();
    }
    let inside = text.trim_matches(['[', ']', '(', ')', '"', '\'', ',']);
    let around =
        if inside.len() < text.len() { ", once the signs around it are left out" } else { "" };
    match TimeFormat::fitting(inside) {
        None if OrderPart::parse_with_days(inside).is_some() => {
            "leave the signs around the value out of it".to_owned()
        }
        None => {
            "name a field with numbers or times, or write their format with the letters of strftime"
                .to_owned()
        }
        Some(format) => {
            let needs_year = TimeFormat::needs_year(format);
            let year = if needs_year { " and the year of the log" } else { "" };
            format!("format = \"{format}\"{year} would read it{around}")
        }
    }
}

impl OrderRule {
    pub(super) fn fields(self) -> impl Iterator<Item = OrderFieldId> {
        let Range { start, end } = self.first..self.first + self.count;
        (start..end).map(OrderFieldId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::time_format::zone;

    #[test]
    fn remedies_fit_the_value() {
        let paris = TimeFormat::new("%Y-%m-%d %H:%M:%S", zone("Europe/Paris"), None).ok();
        for (text, part) in [
            ("2024-03-31 02:30:00", "clocks were changed"),
            ("2024-10-27 02:30:00", "clocks were changed"),
            ("1711850000", "leave `format` out"),
            ("[10/Oct/2000:13:55:36 -0700]", "\"apache\" would read it, once the signs around it"),
            ("\"2024-05-01T10:00:00Z\"", "leave the signs around the value"),
            ("Dec  9 04:05:05", "format = \"syslog\" and the year of the log would read it"),
            ("later", "write their format"),
        ] {
            let remedy = remedy(paris.as_ref(), text);
            assert!(remedy.contains(part), "{text}: {remedy}");
        }
    }
}
