//! Sessions, orders and times of a mapping.

use super::MappingReader;
use crate::field::FieldId;
use crate::mapping::order::OrderKey;
use crate::mapping::order_fields::{OrderField, OrderRule};
use crate::mapping::rule::Ties;
use crate::mapping::template::Template;
use crate::mapping::time_format::{self, BadFormat, TimeFormat};
use crate::mapping::tree::{TomlValue, Tree};
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use multitrace_formats::source::quote;
use multitrace_formats::suggest::did_you_mean;

impl MappingReader<'_> {
    /// The name of the session, and maybe after which gap another one begins.
    pub(super) fn session_value(&mut self, node: TomlValue<'_, '_>) -> Option<Template> {
        let Some((tree, gap)) = node.tree().ok().and_then(|tree| Some((tree, tree.get("gap")?)))
        else {
            return self.value_of(node, "session");
        };
        tree.only(&["field", "match", "gap"], &mut self.errors);
        let help = "write a number with its unit, h, m, s or ms: session = { field = \"conn\", gap = \
                    \"30m\" }";
        let text = gap.scalar().unwrap_or_default();
        let length = text.parse::<SignedDuration>().ok().filter(|it| it.is_positive());
        let Some(length) = length.and_then(|it| it.as_nanos().checked_mul(1_000_000_000)) else {
            self.errors.push(gap.error(format!("no length of time {}", quote(&text)), help));
            return None;
        };
        if self.gap.is_some_and(|other| other != length) {
            self.errors.push(gap.error(
                format!("the gap {} differs from the one before", quote(&text)),
                "a mapping has one gap: write it once",
            ));
        }
        self.gap = Some(length);
        if tree.get("match").is_some() {
            return self.matched(tree, "session").map(Template::field);
        }
        self.needed(tree, "field", help).and_then(|node| self.value(node))
    }

    /// An order field, or a list of them that count in turn.
    pub(super) fn order(&mut self, node: TomlValue<'_, '_>) -> Option<OrderRule> {
        let nodes = node.list().unwrap_or_else(|_| vec![node]);
        if nodes.is_empty() || nodes.len() > OrderKey::MOST {
            let message = format!("an order has one to {} fields", OrderKey::MOST);
            let help = match nodes.is_empty() {
                true => {
                    "write order = \"FIELD\"; or take the line away if the oldest record stands first: without `order`, that of the \
                     file is the local order"
                }
                false => "write order = [\"ts\", \"seq\"]",
            };
            self.errors.push(node.error(message, help));
            return None;
        }
        let count = nodes.len();
        let fields: Vec<OrderField> =
            nodes.into_iter().filter_map(|node| self.order_field(node)).collect();
        (fields.len() == count).then(|| self.orders.add(fields))
    }

    /// A field or template, or a table with it and the format of its values.
    pub(super) fn order_field(&mut self, node: TomlValue<'_, '_>) -> Option<OrderField> {
        let Ok(tree) = node.tree() else {
            let value = self.value(node)?;
            return Some(OrderField { value, format: None, plus: None, place: node.span });
        };
        let known = ["field", "match", "format", "zone", "year", "plus", "unit"];
        tree.only(&known, &mut self.errors);
        let help = "write { field = \"ts\", format = \"%y%m%d %H%M%S\" }";
        let value = match tree.get("match") {
            Some(_) => self.matched(tree, "order").map(Template::field),
            None => self.needed(tree, "field", help).and_then(|node| self.value(node)),
        };
        let plus = self.plus(tree);
        let zone = tree.get("zone").map(|node| self.zone(node));
        let year = tree.get("year").map(|node| self.year(node));
        let format = match tree.get("format") {
            Some(node) => Some(self.time_format(node, zone.flatten(), year.flatten())?),
            None if zone.is_some() || year.is_some() => {
                self.needed(tree, "format", help);
                return None;
            }
            None => None,
        };
        Some(OrderField { value: value?, format, plus, place: node.span })
    }

    /// A field with a length of time that is added, and its unit as a power of ten seconds.
    fn plus(&mut self, tree: Tree<'_, '_>) -> Option<(FieldId, i32)> {
        const UNITS: [(&str, i32); 4] = [("s", 0), ("ms", -3), ("us", -6), ("ns", -9)];
        const HELP: &str =
            "write { field = \"start\", plus = \"duration\", unit = \"us\" }: s, ms, us or ns";
        let unit = match tree.get("unit") {
            None => Some(0),
            Some(node) => {
                let found = UNITS.iter().find(|(name, _)| node.value.as_str() == Some(*name));
                if found.is_none() {
                    self.errors.push(node.error("this is not a unit of time", HELP));
                }
                if tree.get("plus").is_none() {
                    self.errors.push(node.error("`unit` without `plus`", HELP));
                }
                found.map(|(_, unit)| *unit)
            }
        };
        let field = tree.get("plus").and_then(|node| self.field(node))?;
        Some((field, unit?))
    }

    pub(super) fn zone(&mut self, node: TomlValue<'_, '_>) -> Option<TimeZone> {
        let text = self.take(node.text())?;
        let zone = time_format::zone(text);
        if zone.is_none() {
            let names = time_format::zone_names();
            let close = did_you_mean(text, names.iter().map(String::as_str));
            let close = close.map_or_else(String::new, |close| format!("{close} Else "));
            let help = format!(
                "{close}write a name such as \"Europe/Paris\", or an offset such as \"+02:00\""
            );
            self.errors.push(node.error(format!("no time zone {}", quote(text)), &help));
        }
        zone
    }

    pub(super) fn year(&mut self, node: TomlValue<'_, '_>) -> Option<i16> {
        let number = self.take(node.number())?;
        let year = i16::try_from(number).ok().filter(|year| (1..=9999).contains(year));
        if year.is_none() {
            self.errors.push(node.error("no year", "write it with four digits, year = 2024"));
        }
        year
    }

    pub(super) fn time_format(
        &mut self,
        node: TomlValue<'_, '_>,
        zone: Option<TimeZone>,
        year: Option<i16>,
    ) -> Option<TimeFormat> {
        let text = self.take(node.text())?;
        let format = TimeFormat::new(text, zone, year).map_err(|error| {
            let names: Vec<&str> = TimeFormat::names().collect();
            let close = did_you_mean(text, names.iter().copied());
            let help = match error {
                BadFormat::NoYear => {
                    "write the year of the log beside it, year = 2024; the clock is never asked"
                        .to_owned()
                }
                BadFormat::OwnYear => "leave `year` out".to_owned(),
                BadFormat::OwnOffset => "leave `zone` out".to_owned(),
                BadFormat::NoHour => "write `%H`, or `%I` and `%p`".to_owned(),
                BadFormat::NoDate => {
                    "let `order` have the date, or leave it out where the file is in order".to_owned()
                }
                BadFormat::Incomplete(_) => "let `order` have the whole date, order = { field = \"{date} {time}\", format = \
                     \"%Y-%m-%d %H:%M:%S\" }; or leave it out where the file is in order"
                    .to_owned(),
                _ => close.unwrap_or_else(|| {
                    let names = names.join(", ");
                    format!("write it with the letters of strftime, \"%Y-%m-%d %H:%M:%S%.f\", or one of {names}")
                }),
            };
            node.error(format!("{}: {error}", quote(text)), &help)
        });
        self.take(format)
    }

    /// The treatment of events with the same order.
    pub(super) fn ties(&mut self, node: TomlValue<'_, '_>) -> Ties {
        match node.value.as_str() {
            Some("report") => Ties::Report,
            Some("file") => Ties::File,
            Some("any") => Ties::Any,
            _ => {
                let help = "\"report\" says which they are, \"file\" keeps the order of their file, and with \"any\" they are \
                            in no order";
                self.errors.push(node.error("expected \"report\", \"file\" or \"any\"", help));
                Ties::default()
            }
        }
    }
}
