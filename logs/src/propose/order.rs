//! The proposed order: a field of times or numbers, how it is written, and what equal values mean.

use super::values::toml_text;
use crate::mapping::{OrderKey, TimeFormat};

/// How the values of a field can be an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Numbers, or times in RFC 3339.
    Plain,
    /// Times of this format.
    As(&'static str),
}

/// How all of some values are written; `None` if they are no order.
pub(super) fn written<'v>(values: impl IntoIterator<Item = &'v str>) -> Option<Written> {
    let mut values = values.into_iter().peekable();
    let first = *values.peek()?;
    if OrderKey::parse(first).is_some() {
        return values.all(|value| OrderKey::parse(value).is_some()).then_some(Written::Plain);
    }
    let format = TimeFormat::fitting(first)?;
    let read = TimeFormat::proposed(format)?;
    values.all(|value| read.read(value).is_some()).then_some(Written::As(format))
}

/// The lines of the mapping.
pub(super) fn lines(field: &str, written: Written) -> String {
    let name = toml_text(field);
    let ties = "# Events of one location with the same value keep the order of their file.\nties = \"file\"\n";
    match written {
        Written::Plain => format!("order = {name}\n{ties}"),
        Written::As(format) if TimeFormat::needs_year(format) => format!(
            "# The times have no year: say which, or the order of the file is the local order.\n\
             # order = {{ field = {name}, format = \"{format}\", year = 2024 }}\n"
        ),
        Written::As(format) => {
            format!("order = {{ field = {name}, format = \"{format}\" }}\n{ties}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_as_all_of_its_values_are_written() {
        assert_eq!(written(["5", "2024-05-01T10:00:00Z"]), Some(Written::Plain));
        assert_eq!(written(["081109 203615", "081110 000000"]), Some(Written::As("%y%m%d %H%M%S")));
        assert_eq!(written(["Dec  9 04:05:05"]), Some(Written::As("syslog")));
        for none in [&["5", "soon"][..], &["081109 203615", "later"], &[]] {
            assert_eq!(written(none.iter().copied()), None, "{none:?}");
        }
    }

    #[test]
    fn a_year_that_the_times_lack_is_asked_for() {
        assert!(lines("at", Written::As("syslog")).contains("# order = { field = \"at\""));
        assert!(lines("at", Written::As("date")).starts_with("order = { field = \"at\""));
    }
}
