//! Ids that belong to a session: a request of an instance, an order of a trace.

use super::learnt::NamedValues;
use super::token::TokenType;
use std::collections::{BTreeMap, BTreeSet};

/// How many of ten ids must belong to one session. The others are of timers, which see all sessions.
const MOST_OF_TEN: usize = 8;

/// The name of the field whose values have several of these ids each, while the ids belong to one of its
/// values.
pub(super) fn session_of(id: &str, all: &BTreeMap<String, NamedValues>) -> Option<String> {
    let ids = all.get(id)?;
    let found = all.iter().filter(|(name, values)| *name != id && is_whole(ids, values));
    found.max_by_key(|(_, values)| values.lines()).map(|(name, _)| name.clone())
}

fn is_whole(ids: &NamedValues, values: &NamedValues) -> bool {
    let is_id = |kind: &TokenType| matches!(kind, TokenType::Uuid | TokenType::Id | TokenType::Hex);
    if values.is_header || !values.kinds.iter().all(is_id) || values.values.len() < 2 {
        return false;
    }
    // Somebody who comes again, such as a user, is not a session of ids whose lines stand together.
    let lines = ids.by_line.keys().chain(values.by_line.keys()).max().map_or(0, |last| last + 1);
    let may_be_name = values.kinds.contains(&TokenType::Id);
    if may_be_name && ids.are_runs(lines) && !values.are_runs(lines) {
        return false;
    }
    let (mut of_ids, mut of_values) = (Pairs::new(), Pairs::new());
    for (line, value) in &values.by_line {
        if let Some(id) = ids.by_line.get(line) {
            of_ids.entry(id).or_default().insert(value);
            of_values.entry(value).or_default().insert(id);
        }
    }
    let single = of_ids.values().filter(|values| values.len() == 1).count();
    let several = of_values.values().filter(|ids| ids.len() > 1).count();
    // A join is for lines with the id alone.
    let is_alone = ids.by_line.keys().any(|line| !values.by_line.contains_key(line));
    is_alone && several * 2 > of_values.len() && single * 10 >= of_ids.len() * MOST_OF_TEN
}

type Pairs<'v> = BTreeMap<&'v str, BTreeSet<&'v str>>;

#[cfg(test)]
mod tests {
    use super::*;

    fn values(kind: TokenType, lines: &[(usize, &str)]) -> NamedValues {
        let mut values = NamedValues::default();
        values.kinds.insert(kind);
        for (line, value) in lines {
            *values.values.entry((*value).to_owned()).or_default() += 1;
            values.by_line.insert(*line, (*value).to_owned());
        }
        values
    }

    #[test]
    fn a_field_with_several_ids_each_is_the_session() {
        let req = [(1, "a"), (2, "a"), (3, "b"), (4, "c"), (5, "c"), (6, "d"), (7, "e"), (8, "e")];
        let vm = [(2, "x"), (3, "x"), (5, "y"), (6, "y"), (8, "y")];
        let all = |vm: &[(usize, &str)]| {
            let (req, vm) = (values(TokenType::Id, &req), values(TokenType::Uuid, vm));
            BTreeMap::from([("req".to_owned(), req), ("vm".to_owned(), vm)])
        };
        assert_eq!(session_of("req", &all(&vm)), Some("vm".to_owned()));
        // One request each, and requests of many machines.
        assert_eq!(session_of("req", &all(&[(2, "x"), (5, "y")])), None);
        let shared = [(1, "x"), (2, "y"), (3, "x"), (4, "x"), (5, "y"), (6, "y"), (8, "y")];
        assert_eq!(session_of("req", &all(&shared)), None);
    }
}
