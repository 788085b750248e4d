//! Numbers for the texts of a column in which few differ, as columns of names have them from the start.

use crate::record::{NameColumn, Names};
use arrow_array::cast::AsArray;
use arrow_array::{Array, LargeStringArray, StringArray, StringViewArray};
use arrow_schema::DataType;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// More different texts than this in one column get no numbers: they seldom decide what becomes of a record, and
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
    pub(crate) fn of(array: &'c dyn Array) -> Option<TextArray<'c>> {
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

    fn rows(&self) -> usize {
        match self {
            TextArray::Short(array) => array.len(),
            TextArray::Long(array) => array.len(),
            TextArray::Views(array) => array.len(),
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
    pub(crate) fn of(texts: TextArray<'c>) -> Option<TextNumbers<'c>> {
        let hasher = DefaultHashBuilder::default();
        let mut table: HashTable<u32> = HashTable::new();
        let mut numbers = Vec::with_capacity(texts.rows());
        let mut first_rows = Vec::new();
        for row in 0..texts.rows() {
            let text = texts.value(row);
            let text_of = |number: &u32| texts.value(first_rows[*number as usize] as usize);
            let hash = hasher.hash_one(text);
            let known = table.find(hash, |number| text_of(number) == text).copied();
            let number = match known {
                Some(number) => number,
                None if first_rows.len() == MOST_TEXTS => return None,
                None => {
                    let number = first_rows.len() as u32;
                    table.insert_unique(hash, number, |number| hasher.hash_one(text_of(number)));
                    first_rows.push(row as u32);
                    number
                }
            };
            numbers.push(number as i32);
        }
        Some(TextNumbers { texts, numbers, first_rows })
    }

    pub(crate) fn column(&self) -> NameColumn<'_> {
        NameColumn { numbers: &self.numbers, names: self }
    }
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
        fn numbers_stand_for_texts(texts in prop::collection::vec("[ab]{0,3}", 0..60)) {
            let short = StringArray::from_iter_values(&texts);
            let long = LargeStringArray::from_iter_values(&texts);
            let views = StringViewArray::from_iter_values(&texts);
            let arrays: [&dyn Array; 3] = [&short, &long, &views];
            for array in arrays {
                let array = TextArray::of(array).expect("texts");
                let numbers = TextNumbers::of(array).expect("few differ");
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
            TextNumbers::of(TextArray::Short(&texts)).is_some()
        };
        assert!(numbered(MOST_TEXTS));
        assert!(!numbered(MOST_TEXTS + 1));
    }
}
