//! The asked-for fields of a JSON object of the usual form: strings without escapes, paths through
//! objects only. What is written otherwise is left to the full reader, which reads the usual form with
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
        self.cursor.expect(b'{')?;
        if self.cursor.eat(b'}') {
            return Some(());
        }
        let mut place = 0;
        loop {
            let key = self.cursor.string()?;
            self.cursor.expect(b':')?;
            match tree.key_from(key, &mut place) {
                Some(below) => self.value(below)?,
                None => self.cursor.skip_value()?,
            }
            if !self.cursor.eat(b',') {
                return self.cursor.expect(b'}');
            }
        }
    }

    fn value(&mut self, tree: &PathTree) -> Option<()> {
        match (tree.field, self.cursor.peek()?) {
            (Some(field), _) if tree.is_leaf() => self.take(field),
            // It is asked for itself and by its parts, or by the items of a list.
            (Some(_), _) | (None, b'[') => None,
            (None, b'{') => self.object(tree),
            (None, b'"' | b't' | b'f' | b'n') => self.cursor.skip_value(),
            // The full reader knows which numbers are too large.
            (None, _) => None,
        }
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
