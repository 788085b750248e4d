//! The asked-for paths as a tree, by their steps.

use crate::field::{FieldId, Fields, Step};

/// Paths as a tree, by their steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathTree {
    /// The field that ends here.
    pub(super) field: Option<FieldId>,
    pub(super) keys: Vec<(String, PathTree)>,
    pub(super) items: Vec<(usize, PathTree)>,
}

impl PathTree {
    pub(crate) fn new(fields: &Fields) -> PathTree {
        let mut tree = PathTree::default();
        for (field, path) in fields.iter() {
            tree.node(path.steps()).field = Some(field);
        }
        tree
    }

    /// The node at the end of some steps; it is made if it is missing.
    fn node(&mut self, steps: &[Step]) -> &mut PathTree {
        match steps {
            [] => self,
            [Step::Key(key), rest @ ..] => child(&mut self.keys, key.as_str()).node(rest),
            [Step::Index(index), rest @ ..] => child(&mut self.items, index).node(rest),
        }
    }

    /// The node behind a key.
    pub(super) fn key(&self, key: &[u8]) -> Option<&PathTree> {
        self.key_from(key, &mut 0)
    }

    /// The same, looked for from a place on, which becomes the one after it: records of a log mostly have
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
        self.keys.is_empty() && self.items.is_empty()
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
