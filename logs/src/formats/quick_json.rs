//! The asked-for fields of a JSON object of the usual form: strings without escapes, paths through
//! objects and lists. What is written otherwise is left to the full reader, which reads the usual form with
//! the same result.

use super::path_tree::PathTree;
use crate::field::FieldId;
use crate::record::Values;
use multitrace_formats::json_cursor::JsonCursor;

/// Reads the fields of one object; false, with the values in any state, if it has another form.
pub(super) fn read(text: &str, tree: &PathTree, values: &mut Values) -> bool {
    let cursor = JsonCursor::new(text.as_bytes());
    let mut walk = QuickWalk { cursor, length: text.len(), values };
    walk.object(tree).and_then(|()| walk.cursor.end()).is_some()
}

/// A place in an object on the way to asked-for fields.
struct QuickWalk<'w, 'l> {
    cursor: JsonCursor<'l>,
    /// How long the text is.
    length: usize,
    values: &'w mut Values,
}

impl QuickWalk<'_, '_> {
    fn object(&mut self, tree: &PathTree) -> Option<()> {
        let mut fields = self.cursor.open(b'{')?;
        let mut place = 0;
        while self.cursor.has_next(&mut fields)? {
            let key = self.cursor.key()?;
            match tree.key_from(key, &mut place) {
                Some(below) => self.value(below)?,
                None => self.cursor.skip_value()?,
            }
        }
        Some(())
    }

    fn value(&mut self, tree: &PathTree) -> Option<()> {
        match (tree.field, self.cursor.peek()?) {
            (Some(field), _) if tree.is_leaf() => self.take(field),
            // It is asked for itself and by its parts.
            (Some(_), _) => None,
            (None, b'[') => self.list(tree),
            (None, b'{') if tree.of_single().is_none() => self.object(tree),
            (None, b'"' | b't' | b'f' | b'n') => match tree.of_single() {
                None => self.cursor.skip_value(),
                Some(single) => self.take(single.field.filter(|_| single.is_leaf())?),
            },
            // The full reader knows which numbers are too large.
            (None, _) => None,
        }
    }

    fn list(&mut self, tree: &PathTree) -> Option<()> {
        let mut items = self.cursor.open(b'[')?;
        let mut index = 0;
        while self.cursor.has_next(&mut items)? {
            let item = tree.items.iter().find(|(other, _)| *other == index);
            match (item, self.cursor.peek()?) {
                (Some(_), _) if !tree.with.is_empty() => return None,
                (Some((_, below)), _) => self.value(below)?,
                (None, b'{') if !tree.with.is_empty() => self.looked_for(tree)?,
                (None, _) => self.cursor.skip_value()?,
            }
            index += 1;
        }
        Some(())
    }

    /// An object of a list that is asked for objects with a text at a key. Lists that are asked for more than four are
    /// left to the full reader.
    fn looked_for(&mut self, tree: &PathTree) -> Option<()> {
        let start = self.cursor;
        let mut found = [None; 4];
        let found = found.get_mut(..tree.with.len())?;
        let mut fields = self.cursor.open(b'{')?;
        while self.cursor.has_next(&mut fields)? {
            let key = self.cursor.key()?;
            let mut is_one = tree.with.iter().any(|((other, _), _)| other.as_bytes() == key);
            is_one &= !matches!(self.cursor.peek()?, b'{' | b'[');
            if is_one {
                let is_text = self.cursor.peek() == Some(b'"');
                let is = if is_text { self.cursor.string()? } else { self.cursor.value()? };
                for (found, ((other, _), _)) in found.iter_mut().zip(&tree.with) {
                    *found = if other.as_bytes() == key { Some(is) } else { *found };
                }
            } else {
                self.cursor.skip_value()?;
            }
        }
        let end = self.cursor;
        for (found, ((_, is), below)) in found.iter().zip(&tree.with) {
            if *found == Some(is.as_bytes()) && !below.is_set(self.values) {
                self.cursor = start;
                self.value(below)?;
            }
        }
        self.cursor = end;
        Some(())
    }

    /// Takes a value as it is written.
    #[inline]
    fn take(&mut self, field: FieldId) -> Option<()> {
        if self.values.is_set(field) {
            return None;
        }
        if self.cursor.peek()? == b'"' {
            let text = self.cursor.string()?;
            let end = self.length - self.cursor.rest().len() - 1;
            self.values.set_input(field, end - text.len()..end);
            return Some(());
        }
        let raw = self.cursor.value()?;
        if raw != b"null" {
            let end = self.length - self.cursor.rest().len();
            self.values.set_input(field, end - raw.len()..end);
        }
        Some(())
    }
}
