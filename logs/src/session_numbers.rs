//! Where the names of sessions stand in a batch, by their numbers in a column of names.

// Invariant: whether a record finds its session here depends on the records before it in the batch, and on
// nothing that a thread remembers of other batches. So the bytes of a batch are the same in every run.

use crate::field::FieldId;
use crate::grouping::NamePlace;
use crate::record::Record;

/// The name of a session, as a record says it by number.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct SessionNumber {
    column: NumberedColumn,
    number: u32,
}

/// Which names a number means: those of a field, as [`Record::names`] counts them.
type NumberedColumn = (FieldId, u32);

impl SessionNumber {
    /// The number of a value; `None` if it has none.
    #[inline]
    pub(crate) fn read(field: FieldId, record: &Record<'_>) -> Option<SessionNumber> {
        // An absent value names no session.
        let number = record.number(field).filter(|number| *number > 0)?;
        Some(SessionNumber { column: (field, record.names()), number })
    }
}

/// The sessions of a batch, as far as one column names them. Rules that take sessions from several columns
/// are rare.
#[derive(Debug, Default)]
pub(crate) struct SessionNumbers {
    column: Option<NumberedColumn>,
    /// By number.
    places: Vec<Option<NamePlace>>,
}

impl SessionNumbers {
    /// Forgets the sessions of the last batch.
    pub(crate) fn begin_batch(&mut self) {
        self.column = None;
    }

    /// Where the name of a session stands in the batch.
    #[inline]
    pub(crate) fn find(&self, session: SessionNumber) -> Option<NamePlace> {
        if self.column != Some(session.column) {
            return None;
        }
        *self.places.get(session.number as usize)?
    }

    /// Remembers where a name was put.
    pub(crate) fn insert(&mut self, session: SessionNumber, place: NamePlace) {
        let (field, names) = session.column;
        match self.column {
            // A second column would empty the table in turns with the first one.
            Some((first, same)) if same == names && first != field => return,
            Some(column) if column == session.column => {}
            _ => {
                self.column = Some(session.column);
                self.places.clear();
            }
        }
        let number = session.number as usize;
        if self.places.len() <= number {
            self.places.resize(number + 1, None);
        }
        self.places[number] = Some(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grouping::EventBatch;

    #[test]
    fn numbers_mean_the_names_of_one_column() {
        let mut batch = EventBatch::by_session();
        let [one, two] = ["one", "two"].map(|name| batch.add(name.as_bytes(), |_| {}));
        let session =
            |field, names, number| SessionNumber { column: (FieldId::at(field), names), number };
        let mut numbers = SessionNumbers::default();
        assert_eq!(numbers.find(session(0, 0, 1)), None);
        numbers.insert(session(0, 0, 2), two);
        numbers.insert(session(0, 0, 1), one);
        // Another column of the same names is not remembered, nor does it mean the same.
        numbers.insert(session(1, 0, 1), two);
        assert_eq!(numbers.find(session(1, 0, 1)), None);
        assert_eq!(numbers.find(session(0, 0, 1)), Some(one));
        assert_eq!(numbers.find(session(0, 0, 3)), None);
        // Other names begin again.
        numbers.insert(session(0, 1, 1), two);
        assert_eq!(numbers.find(session(0, 1, 1)), Some(two));
        assert_eq!(numbers.find(session(0, 1, 2)), None);
        assert_eq!(numbers.find(session(0, 0, 1)), None);
        numbers.begin_batch();
        assert_eq!(numbers.find(session(0, 1, 1)), None);
    }
}
