//! Numbers for the texts of a column in which few differ, as columns of names have them from the start.

use crate::record::{NameColumn, Names};
use arrow_array::cast::AsArray;
use arrow_array::{Array, LargeStringArray, StringArray, StringViewArray};
use arrow_schema::DataType;
use hashbrown::HashMap;

/// More different texts than this in one column get no numbers: they seldom decide the events of a record, and
/// looking for them would cost more than it saves.
const MOST_TEXTS: usize = 256;

/// A column of texts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TextArray<'c> {
    Short(&'c StringArray),
    Long(&'c LargeStringArray),
    Views(&'c StringViewArray),
}

impl<'c> TextArray<'c> {
    pub(crate) fn new(array: &'c dyn Array) -> Option<TextArray<'c>> {
        Some(match array.data_type() {
            DataType::Utf8 => TextArray::Short(array.as_string()),
            DataType::LargeUtf8 => TextArray::Long(array.as_string()),
            DataType::Utf8View => TextArray::Views(array.as_string_view()),
            _ => return None,
        })
    }

    #[inline]
    pub(crate) fn value(&self, row: usize) -> &'c str {
        match *self {
            TextArray::Short(array) => array.value(row),
            TextArray::Long(array) => array.value(row),
            TextArray::Views(array) => array.value(row),
        }
    }
}

/// The texts of a column with their numbers.
#[derive(Debug)]
pub(crate) struct TextNumbers<'c> {
    texts: TextArray<'c>,
    /// By row.
    numbers: Vec<i32>,
    /// By number the first row of the text.
    first_rows: Vec<u32>,
}

impl<'c> TextNumbers<'c> {
    /// Numbers the texts of a column in the order in which they come; `None` if too many differ.
    pub(crate) fn new(texts: TextArray<'c>) -> Option<TextNumbers<'c>> {
        let (numbers, first_rows) = match texts {
            TextArray::Short(array) => {
                let (bytes, ends) = (array.value_data(), array.value_offsets().windows(2));
                numbered(ends.map(|ends| &bytes[ends[0] as usize..ends[1] as usize]))
            }
            TextArray::Long(array) => {
                let (bytes, ends) = (array.value_data(), array.value_offsets().windows(2));
                numbered(ends.map(|ends| &bytes[ends[0] as usize..ends[1] as usize]))
            }
            TextArray::Views(array) => {
                numbered((0..array.len()).map(|row| array.value(row).as_bytes()))
            }
        }?;
        Some(TextNumbers { texts, numbers, first_rows })
    }

    pub(crate) fn column(&self) -> NameColumn<'_> {
        NameColumn { numbers: &self.numbers, names: self }
    }
}

/// The number of each text, and by number the first row; `None` if too many differ.
fn numbered<'c>(texts: impl ExactSizeIterator<Item = &'c [u8]>) -> Option<(Vec<i32>, Vec<u32>)> {
    let mut known: HashMap<&[u8], i32> = HashMap::new();
    let mut recent = [Recent::NONE; RECENT];
    let mut numbers = vec![0; texts.len()];
    let mut first_rows = Vec::new();
    for ((row, number), text) in numbers.iter_mut().enumerate().zip(texts) {
        let (ends, length) = (ends(text), text.len());
        let recent = &mut recent[place(ends)];
        // Most often it is the text that was here before, which its ends and its length tell if it is short.
        if recent.ends == ends && recent.length == length && length <= 16 {
            *number = recent.number;
            continue;
        }
        let next = known.len() as i32;
        *number = *known.entry(text).or_insert(next);
        if *number == next {
            if first_rows.len() == MOST_TEXTS {
                return None;
            }
            first_rows.push(row as u32);
        }
        *recent = Recent { ends, length, number: *number };
    }
    Some((numbers, first_rows))
}

/// How many texts are found without the table. A power of two.
const RECENT: usize = 256;

/// A text that was seen, and its number.
#[derive(Clone, Copy)]
struct Recent {
    ends: [u64; 2],
    length: usize,
    number: i32,
}

impl Recent {
    /// No text is that long.
    const NONE: Recent = Recent { ends: [0; 2], length: usize::MAX, number: 0 };
}

/// The first bytes of a text and its last ones, as numbers. They overlap in short texts, so that texts of one length
/// up to 16 have the same ends only if they are the same.
fn ends(text: &[u8]) -> [u64; 2] {
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        return [u64::from_le_bytes(*first), u64::from_le_bytes(*last)];
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        return [u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into()];
    }
    match *text {
        [] => [0, 0],
        [one] => [one.into(), 0],
        [one, two] => [one.into(), two.into()],
        [one, two, three, ..] => [u64::from(one) << 8 | u64::from(two), three.into()],
    }
}

/// Where a text with these ends is kept. The multiplier spreads ends that differ in few bits; it is odd, and has no
/// other meaning.
fn place([first, last]: [u64; 2]) -> usize {
    let mixed = (first ^ last.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 56) as usize
}

impl Names for TextNumbers<'_> {
    fn name(&self, number: usize) -> &str {
        self.texts.value(self.first_rows[number] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Rows have equal numbers where their texts are equal, and the number leads to the text.
        #[test]
        fn numbers_stand_for_texts(texts in prop::collection::vec("[ab]{0,20}|[ab]{0,3}", 0..60)) {
            let short = StringArray::from_iter_values(&texts);
            let long = LargeStringArray::from_iter_values(&texts);
            let views = StringViewArray::from_iter_values(&texts);
            let arrays: [&dyn Array; 3] = [&short, &long, &views];
            for array in arrays {
                let array = TextArray::new(array).expect("texts");
                let numbers = TextNumbers::new(array).expect("few differ");
                prop_assert!(numbers.first_rows.is_sorted());
                for (row, text) in texts.iter().enumerate() {
                    prop_assert_eq!(numbers.name(numbers.numbers[row] as usize), text);
                    let first = texts.iter().position(|other| other == text);
                    let number = numbers.numbers[row] as usize;
                    prop_assert_eq!(Some(numbers.first_rows[number] as usize), first);
                }
            }
        }
    }

    #[test]
    fn many_texts_have_no_numbers() {
        let numbered = |count: usize| {
            let texts = StringArray::from_iter_values((0..count).map(|number| number.to_string()));
            TextNumbers::new(TextArray::Short(&texts)).is_some()
        };
        assert!(numbered(MOST_TEXTS));
        assert!(!numbered(MOST_TEXTS + 1));
    }
}
