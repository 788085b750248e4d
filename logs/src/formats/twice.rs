//! Fields that stand twice on the way to a value that is asked for: nobody knows which of both is meant.

use multitrace_formats::source::quote;

/// The words of the error for a second value; its remedy is another one than that of other errors.
pub(super) const TWICE: &str = "stands twice";
/// The remedy.
pub(super) const KEEP_ONE: &str = "leave all but one of them out of the record";

/// The message of the error, with the name of the field as the record has it.
pub(super) fn stands_twice(name: &str) -> String {
    format!("{} {TWICE}", quote(name))
}

/// The message where both would do if they had one value.
pub(super) fn differs(name: &str) -> String {
    format!("{}, with different values", stands_twice(name))
}

/// The fields of an object, a list or a message that were met, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Those below 64, more than most mappings ask for in one object.
    few: u64,
    others: Vec<u32>,
}

impl Seen {
    /// `None` if a field was met before.
    #[inline]
    pub(super) fn first(&mut self, field: u32) -> Option<()> {
        if field >= u64::BITS {
            return self.first_of_others(field);
        }
        let is_new = self.few & 1 << field == 0;
        self.few |= 1 << field;
        is_new.then_some(())
    }

    #[cold]
    fn first_of_others(&mut self, field: u32) -> Option<()> {
        let is_new = !self.others.contains(&field);
        self.others.push(field);
        is_new.then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_met_once() {
        let mut seen = Seen::default();
        for field in [0, 63, 64, 1000] {
            assert_eq!((seen.first(field), seen.first(field)), (Some(()), None), "{field}");
        }
    }
}
