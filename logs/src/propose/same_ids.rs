//! Ids that the text of a log calls in several ways: `Established session 0x1`, `sessionid:0x1`.

use super::learnt::{Learnt, NamedValues};
use super::token::TokenType;

/// So many values at least must have both names: one may be there by chance.
const LEAST_SHARED: usize = 2;

impl Learnt {
    /// Gives ids with the same values one name, that of most lines; of the names that `may_be` ids.
    pub(super) fn unite_ids(&mut self, may_be: impl Fn(&str) -> bool) {
        while let Some((name, other)) = self.same_ids(&may_be) {
            let Some(values) = self.values.remove(&other) else { return };
            let names = self.templates.iter_mut().flat_map(|it| it.names.iter_mut().flatten());
            names.filter(|it| **it == other).for_each(|it| it.clone_from(&name));
            self.values.entry(name).or_default().add(values);
        }
    }

    /// A name and another one of the same ids, which no template has both.
    fn same_ids(&self, may_be: impl Fn(&str) -> bool) -> Option<(String, String)> {
        let is_id = |(name, values): &(&String, &NamedValues)| {
            let is_sure = |kind: &TokenType| matches!(kind, TokenType::Hex | TokenType::Uuid);
            may_be(name) && !values.is_header && values.kinds.iter().all(is_sure)
        };
        let ids: Vec<(&String, &NamedValues)> = self.values.iter().filter(is_id).collect();
        let pairs = ids.iter().flat_map(|one| ids.iter().map(move |other| (*one, *other)));
        let mut same = pairs.filter(|((name, values), (other, theirs))| {
            let shared = theirs.values.keys().filter(|id| values.values.contains_key(*id)).count();
            (values.lines(), name) > (theirs.lines(), other)
                && shared >= LEAST_SHARED.max(theirs.values.len().div_ceil(2))
                && !self.stand_together(name, other)
        });
        same.next().map(|((name, _), (other, _))| (name.clone(), other.clone()))
    }

    fn stand_together(&self, name: &str, other: &str) -> bool {
        self.templates.iter().any(|template| {
            let has = |wanted: &str| template.names.iter().flatten().any(|it| it == wanted);
            has(name) && has(other)
        })
    }
}

impl NamedValues {
    /// Adds the values of other lines.
    fn add(&mut self, other: NamedValues) {
        self.kinds.extend(other.kinds);
        for (value, lines) in other.values {
            *self.values.entry(value).or_default() += lines;
        }
        self.by_line.extend(other.by_line);
        self.templates += other.templates;
    }
}
