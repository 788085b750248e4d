//! The proposed order: a field of times or numbers, its format, and the meaning of equal values.

use super::asking::ask_order;
use super::ties::EqualTimes;
use super::values::toml_text;
use crate::mapping::{Cycle, OrderKey, TimeFormat};

/// How the values of a field can be an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrderForm {
    /// Numbers, or times in RFC 3339.
    Plain,
    /// Times of this format, and of another one if that fits too.
    As(&'static str, Option<&'static str>),
}

/// How all of some values are written; `None` if they are not an order.
pub(super) fn written<'v>(values: impl IntoIterator<Item = &'v str>) -> Option<OrderForm> {
    let values: Vec<&str> = values.into_iter().collect();
    if OrderKey::parse(values.first()?).is_some() {
        let is_key = |value: &&str| OrderKey::parse(value).is_some();
        return values.iter().all(is_key).then_some(OrderForm::Plain);
    }
    let mut fitting = TimeFormat::fitting_all(&values);
    let format = fitting.next()?;
    Some(OrderForm::As(format, fitting.next()))
}

impl OrderForm {
    /// The line of a mapping whose order is this field.
    pub(super) fn line(self, field: &str) -> String {
        let name = toml_text(field);
        match self {
            OrderForm::Plain => format!("order = {name}"),
            OrderForm::As(format, _) => {
                let year = if TimeFormat::needs_year(format) { ", year = 2024" } else { "" };
                format!("order = {{ field = {name}, format = \"{format}\"{year} }}")
            }
        }
    }

    /// Whether its times lack a part of the date, so that they do not sort the records of a file.
    pub(super) fn lacks_day(self) -> bool {
        matches!(self, OrderForm::As(format, _) if TimeFormat::needs_year(format) || is_of_day(format))
    }
}

/// The lines of the mapping, with those of `ties`. `fall` says whether times go back from record to record.
pub(super) fn lines(field: &str, written: OrderForm, (ties, fall): (EqualTimes, bool)) -> String {
    let line = written.line(field);
    let ties = ties.lines();
    if fall && written.lacks_day() {
        let why = "The times lack a part of the date, and go back from record to record, as where the newest stands first: sort \
                   the records, or name a field with the whole time.";
        let mut text = String::new();
        ask_order(&mut text, why, [], &line);
        return text;
    }
    match written {
        OrderForm::Plain => format!("{line}\n{ties}"),
        OrderForm::As(format, _) if TimeFormat::needs_year(format) => format!(
            "# The times have no year: say which, or the order of the file is the local order.\n\
             # {line}\n"
        ),
        OrderForm::As(format, _) if is_of_day(format) => format!(
            "# The times have no day, so they tell no order: that of the file is the local order. To confirm it:\n\
             # {line}\n"
        ),
        OrderForm::As(_, other) => {
            let or = other.map_or_else(String::new, |it| format!("# \"{it}\" fits as well.\n"));
            format!("{or}{line}\n{ties}")
        }
    }
}

/// Whether times of a format have no day.
fn is_of_day(format: &str) -> bool {
    TimeFormat::proposed(format).is_some_and(|it| it.cycle() == Some(Cycle::Day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_as_all_of_its_values_are_written() {
        assert_eq!(written(["5", "2024-05-01T10:00:00Z"]), Some(OrderForm::Plain));
        assert_eq!(
            written(["081109 203615", "081110 000000"]),
            Some(OrderForm::As("%y%m%d %H%M%S", None))
        );
        let both = OrderForm::As("%d/%m/%Y %H:%M:%S%.f", Some("%m/%d/%Y %H:%M:%S%.f"));
        assert_eq!(written(["11/03/2025 09:41:07.000"]), Some(both));
        let one = OrderForm::As("%m/%d/%Y %H:%M:%S%.f", None);
        assert_eq!(written(["11/03/2025 09:41:07.000", "11/13/2025 09:41:07.000"]), Some(one));
        for none in [&["5", "soon"][..], &["081109 203615", "later"], &[]] {
            assert_eq!(written(none.iter().copied()), None, "{none:?}");
        }
    }

    #[test]
    fn a_year_that_the_times_lack_is_asked_for() {
        let of =
            |format, fall| lines("at", OrderForm::As(format, None), (EqualTimes::default(), fall));
        assert!(of("syslog", false).contains("# order = { field = \"at\""));
        assert!(of("date", true).starts_with("order = { field = \"at\""));
        for of_part in ["syslog", "%H:%M:%S%.f"] {
            assert!(!of(of_part, false).contains("\norder = "));
            assert!(of(of_part, true).ends_with("\norder = []\n"));
        }
    }
}
