//! The asked-for paths as a tree, by their steps.

use crate::field::{FieldId, Fields, PathStep, flat};

/// Paths as a tree, by their steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathTree {
    /// The field that ends here.
    pub(super) field: Option<FieldId>,
    pub(super) keys: Vec<(String, PathTree)>,
    pub(super) items: Vec<(usize, PathTree)>,
    /// Into the object of a list that has a text at a key.
    pub(super) with: Vec<((String, String), PathTree)>,
}

impl PathTree {
    /// The fields that stand in records themselves.
    pub(crate) fn new(fields: &Fields) -> PathTree {
        let read = || fields.iter().filter(|(_, path)| path.is_read());
        let mut tree: PathTree = read().map(|(field, path)| (path.steps(), field)).collect();
        read().for_each(|(field, path)| tree.add_flat(path.steps(), field));
        tree
    }

    /// Adds the keys with dots that stand for several steps, as columns of tables and their parts have them.
    fn add_flat(&mut self, steps: &[PathStep], field: FieldId) {
        let [PathStep::Key(first), rest @ ..] = steps else { return };
        if rest.is_empty() || !rest.iter().all(|step| matches!(step, PathStep::Key(_))) {
            return;
        }
        child(&mut self.keys, flat(steps).as_str()).field.get_or_insert(field);
        child(&mut self.keys, first.as_str()).add_flat(rest, field);
    }

    /// The node at the end of some steps; it is made if it is missing.
    fn node(&mut self, steps: &[PathStep]) -> &mut PathTree {
        match steps {
            [] => self,
            [PathStep::Key(key), rest @ ..] => child(&mut self.keys, key.as_str()).node(rest),
            [PathStep::Index(index), rest @ ..] => child(&mut self.items, index).node(rest),
            [PathStep::With { key, is }, rest @ ..] => {
                child(&mut self.with, &(key.clone(), is.clone())).node(rest)
            }
            // These lead out of the record.
            [
                PathStep::Each
                | PathStep::EachValue
                | PathStep::Up
                | PathStep::At { .. }
                | PathStep::Json,
                rest @ ..,
            ] => self.node(rest),
        }
    }

    /// The node behind a key, looked for from a place on, which becomes the one after it: records of a log mostly have
    /// their keys in the same order.
    #[inline]
    pub(super) fn key_from(&self, key: &[u8], place: &mut usize) -> Option<&PathTree> {
        let is_it = |(name, _): &(String, PathTree)| name.as_bytes() == key;
        let (before, after) = self.keys.split_at((*place).min(self.keys.len()));
        let behind = after.iter().position(is_it).map(|at| before.len() + at);
        let found = behind.or_else(|| before.iter().position(is_it))?;
        *place = found + 1;
        Some(&self.keys[found].1)
    }

    /// Whether nothing below it is asked for.
    pub(super) fn is_leaf(&self) -> bool {
        self.keys.is_empty() && self.items.is_empty() && self.with.is_empty()
    }

    /// Calls a function with each of the fields.
    pub(crate) fn each_field(&self, each: &mut dyn FnMut(FieldId)) {
        self.field.into_iter().for_each(&mut *each);
        let keys = self.keys.iter().map(|(_, tree)| tree);
        let items = self.items.iter().map(|(_, tree)| tree);
        let with = self.with.iter().map(|(_, tree)| tree);
        keys.chain(items).chain(with).for_each(|tree| tree.each_field(each));
    }

    /// The paths below the first element of a list, or below a single value in place of the list.
    pub(super) fn of_single(&self) -> Option<&PathTree> {
        self.items.iter().find(|(index, _)| *index == 0).map(|(_, tree)| tree)
    }
}

/// Each field at the end of some steps, all within one value.
impl<'s> FromIterator<(&'s [PathStep], FieldId)> for PathTree {
    fn from_iter<I: IntoIterator<Item = (&'s [PathStep], FieldId)>>(fields: I) -> PathTree {
        let mut tree = PathTree::default();
        for (steps, field) in fields {
            tree.node(steps).field = Some(field);
        }
        tree
    }
}

fn child<'t, K, Q>(children: &'t mut Vec<(K, PathTree)>, key: &Q) -> &'t mut PathTree
where
    K: std::borrow::Borrow<Q>,
    Q: PartialEq + ToOwned<Owned = K> + ?Sized,
{
    let known = children.iter().position(|(other, _)| other.borrow() == key);
    let index = known.unwrap_or_else(|| {
        children.push((key.to_owned(), PathTree::default()));
        children.len() - 1
    });
    &mut children[index].1
}
