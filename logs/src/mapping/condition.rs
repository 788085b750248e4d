//! Conditions on the fields of a record.

use crate::field::FieldId;
use crate::record::Record;
use regex_automata::meta::Regex;

/// When a rule matches a record: if all tests of at least one group hold.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) any: Vec<Vec<(FieldId, Test)>>,
}

/// A condition on one value.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    Equals(String),
    /// The value of another field of the record.
    Same(FieldId),
    Matches(Regex),
    Any(Vec<Test>),
    Exists(bool),
    /// Also true for a field without a value.
    Not(Box<Test>),
}

/// Whether a condition holds for a record of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Holds,
    Fails,
    /// It depends on a value that nobody knows: the table has no column for it, or its text is damaged JSON.
    Lacks(FieldId),
}

impl Condition {
    /// A condition that every record fulfils.
    pub(crate) fn always() -> Condition {
        Condition { any: vec![Vec::new()] }
    }

    /// A condition that holds for records with all fields of one of these groups.
    pub(crate) fn has_all<I>(groups: impl Iterator<Item = I>) -> Condition
    where
        I: Iterator<Item = FieldId>,
    {
        let tests = |group: I| group.map(|field| (field, Test::Exists(true))).collect();
        Condition { any: groups.map(tests).collect() }
    }

    /// Whether it holds, as far as the values decide it that are known.
    pub(crate) fn decide(&self, record: &Record<'_>) -> Decision {
        let mut undecided = None;
        for tests in &self.any {
            let (mut lacking, mut fails) = (None, false);
            for (field, test) in tests {
                let mut asked = std::iter::once(*field).chain(test.compared());
                let lacked = asked.find(|it| record.lacks_value(*it));
                // A table without a column has no value, but nobody knows what damaged JSON has.
                let is_unknown = |it: FieldId| !test.is_of_presence() || record.is_damaged(it);
                if lacked.is_some_and(is_unknown) {
                    lacking = lacking.or(lacked);
                } else {
                    fails |= !test.holds(record.get(*field), record);
                }
            }
            match lacking {
                _ if fails => {}
                None => return Decision::Holds,
                Some(field) => undecided = undecided.or(Some(field)),
            }
        }
        undecided.map_or(Decision::Fails, Decision::Lacks)
    }

    pub(crate) fn holds(&self, record: &Record<'_>) -> bool {
        let group = |tests: &Vec<(FieldId, Test)>| {
            tests.iter().all(|(field, test)| test.holds(record.get(*field), record))
        };
        self.any.iter().any(group)
    }
}

impl Test {
    /// Whether it only asks whether there is a value.
    pub(crate) fn is_of_presence(&self) -> bool {
        match self {
            Test::Exists(_) => true,
            Test::Not(test) => test.is_of_presence(),
            Test::Any(tests) => tests.iter().all(Test::is_of_presence),
            Test::Equals(_) | Test::Same(_) | Test::Matches(_) => false,
        }
    }

    /// Whether it never holds for a field without a value.
    pub(crate) fn needs_value(&self) -> bool {
        match self {
            Test::Exists(wanted) => *wanted,
            Test::Not(test) => !test.needs_value(),
            Test::Any(tests) => tests.iter().all(Test::needs_value),
            Test::Equals(_) | Test::Same(_) | Test::Matches(_) => true,
        }
    }

    /// The other fields with which a value is compared.
    pub(crate) fn compared(&self) -> Vec<FieldId> {
        match self {
            Test::Same(field) => vec![*field],
            Test::Not(test) => test.compared(),
            Test::Any(tests) => tests.iter().flat_map(Test::compared).collect(),
            Test::Exists(_) | Test::Equals(_) | Test::Matches(_) => Vec::new(),
        }
    }

    /// Whether it holds for the value of a field of a record.
    pub(crate) fn holds(&self, value: Option<&str>, record: &Record<'_>) -> bool {
        match (self, value) {
            (Test::Exists(wanted), value) => value.is_some() == *wanted,
            (Test::Not(test), value) => !test.holds(value, record),
            (Test::Any(tests), value) => tests.iter().any(|test| test.holds(value, record)),
            (_, None) => false,
            (Test::Same(other), value) => record.get(*other) == value,
            (Test::Equals(text), Some(value)) => text == value,
            (Test::Matches(regex), Some(value)) => regex.is_match(value),
        }
    }
}
