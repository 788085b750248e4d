//! The fields of a line beside the logs of its session.

/// The fields of a line beside its logs, as they are written: JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineRemarks<'a> {
    /// The part that may be missing: `"locations"`, `"ends"` or `"events"`.
    pub gaps: Option<&'a str>,
    /// Where the events were read: `{"l1":["node.log:7"]}`.
    pub places: Option<&'a str>,
    /// Their order among those of all logs, for people: `{"l1":["12.5"]}`, times in seconds since 1970 as `"@12.5"`.
    pub order: Option<&'a str>,
    /// The names in the log of lifelines that have roles: `{"l1":"10.0.0.7"}`.
    pub machines: Option<&'a str>,
}

impl<'a> LineRemarks<'a> {
    /// The field of this name.
    pub(super) fn field(&mut self, name: &[u8]) -> Option<&mut Option<&'a str>> {
        match name {
            b"gaps" => Some(&mut self.gaps),
            b"places" => Some(&mut self.places),
            b"order" => Some(&mut self.order),
            b"machines" => Some(&mut self.machines),
            _ => None,
        }
    }
}

/// The names of the fields that a line may have.
const FIELDS: [&str; 7] = ["session", "traces", "htf", "gaps", "places", "order", "machines"];

/// The field that a name is meant to be, if it is written in other letters: such a field would not be read.
pub(super) fn meant_field(name: &[u8]) -> Option<&'static str> {
    // Their names have small letters alone, and most others do, too.
    let may_be = name.iter().any(u8::is_ascii_uppercase);
    FIELDS.into_iter().find(|it| may_be && it.as_bytes().eq_ignore_ascii_case(name))
}
