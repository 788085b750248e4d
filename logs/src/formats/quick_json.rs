//! The asked-for fields of a JSON object of the usual form: strings without escapes, paths through
//! objects and lists. Objects of another form are left to the full reader, which reads the usual form with
//! the same result.

use super::path_tree::PathTree;
use super::twice::Seen;
use crate::field::FieldId;
use crate::record::Values;
use multitrace_formats::json_cursor::{JsonCursor, MOST_NESTED};
use std::ops::Range;

/// A value in a line.
#[derive(Clone, Debug)]
pub(super) struct PlacedValue {
    pub(super) raw: Range<usize>,
    pub(super) role: Role,
}

/// The use of a value that is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    /// It is not asked for.
    Beside,
    /// A field, whatever kind of value it is.
    Field(FieldId),
    /// A field if it is a text: other kinds are asked for their parts.
    TextField(FieldId),
}

impl PlacedValue {
    pub(super) fn is_asked_for(&self) -> bool {
        !matches!(self.role, Role::Beside)
    }
}

/// Reads the fields of one object; false, with the values in any state, if it has another form.
pub(super) fn read(text: &str, tree: &PathTree, values: &mut Values) -> bool {
    let cursor = JsonCursor::new(text.as_bytes());
    QuickWalk { cursor, text, values, parts: None, in_depth: false }.all(tree).is_some()
}

/// The same, with the values that other lines may have otherwise and be read alike; `None` if it has another form. The
/// list is empty where other values may lead to other fields. An object or list in which no field is can be one of them, or
/// each value in it.
pub(super) fn read_parts(
    text: &str,
    tree: &PathTree,
    values: &mut Values,
    in_depth: bool,
) -> Option<Vec<PlacedValue>> {
    let cursor = JsonCursor::new(text.as_bytes());
    let mut walk = QuickWalk { cursor, text, values, parts: Some(Vec::new()), in_depth };
    walk.all(tree)?;
    Some(walk.parts.unwrap_or_default())
}

/// A place in an object on the way to asked-for fields.
struct QuickWalk<'w, 'l> {
    cursor: JsonCursor<'l>,
    text: &'l str,
    values: &'w mut Values,
    /// The values so far, if they are asked for.
    parts: Option<Vec<PlacedValue>>,
    /// Whether the values in objects and lists that no field is in are reported one by one.
    in_depth: bool,
}

impl QuickWalk<'_, '_> {
    fn all(&mut self, tree: &PathTree) -> Option<()> {
        self.object(tree)?;
        self.cursor.end()
    }

    fn object(&mut self, tree: &PathTree) -> Option<()> {
        let mut fields = self.cursor.open(b'{')?;
        let mut place = 0;
        while self.cursor.has_next(&mut fields)? {
            let key = self.cursor.key()?;
            match tree.key_from(key, &mut place) {
                Some(below) => self.value(below)?,
                None => self.part(Role::Beside)?,
            }
        }
        Some(())
    }

    fn value(&mut self, tree: &PathTree) -> Option<()> {
        match (tree.field, self.cursor.peek()?) {
            (Some(field), _) if tree.is_leaf() => self.part(Role::Field(field)),
            // It is asked for itself and by its parts.
            (Some(_), _) => None,
            (None, b'[') => self.list(tree),
            (None, b'{') if tree.of_single().is_none() => self.object(tree),
            (None, b'"' | b't' | b'f' | b'n') => match tree.of_single() {
                None => self.cursor.skip_value(),
                Some(single) => {
                    self.part(Role::TextField(single.field.filter(|_| single.is_leaf())?))
                }
            },
            // The full reader knows which numbers are too large.
            (None, _) => None,
        }
    }

    fn list(&mut self, tree: &PathTree) -> Option<()> {
        let mut items = self.cursor.open(b'[')?;
        let (mut index, mut seen) = (0, Seen::default());
        while self.cursor.has_next(&mut items)? {
            let item = tree.items.iter().find(|(other, _)| *other == index);
            if !tree.with.is_empty() {
                self.parts = None;
            }
            match (item, self.cursor.peek()?) {
                (Some(_), _) if !tree.with.is_empty() => return None,
                (Some((_, below)), _) => self.value(below)?,
                (None, b'{') if !tree.with.is_empty() => self.looked_for(tree, &mut seen)?,
                (None, _) => self.part(Role::Beside)?,
            }
            index += 1;
        }
        Some(())
    }

    /// An object of a list that is asked for objects with a text at a key. Lists that are asked for more than four are
    /// left to the full reader.
    fn looked_for(&mut self, tree: &PathTree, seen: &mut Seen) -> Option<()> {
        let start = self.cursor;
        let mut found = [None; 4];
        let found = found.get_mut(..tree.with.len())?;
        let mut fields = self.cursor.open(b'{')?;
        while self.cursor.has_next(&mut fields)? {
            let key = self.cursor.key()?;
            if tree.with.iter().any(|((other, _), _)| other.as_bytes() == key) {
                if matches!(self.cursor.peek()?, b'{' | b'[') {
                    return None;
                }
                let is_text = self.cursor.peek() == Some(b'"');
                let is = if is_text { self.cursor.string()? } else { self.cursor.value()? };
                for (found, ((other, _), _)) in found.iter_mut().zip(&tree.with) {
                    if other.as_bytes() == key && found.replace(is).is_some() {
                        return None;
                    }
                }
            } else {
                self.cursor.skip_value()?;
            }
        }
        let end = self.cursor;
        for (at, (found, ((_, is), below))) in (0..).zip(found.iter().zip(&tree.with)) {
            if *found == Some(is.as_bytes()) {
                seen.first(at)?;
                self.cursor = start;
                self.value(below)?;
            }
        }
        self.cursor = end;
        Some(())
    }

    /// Reads a value, and tells it.
    #[inline]
    fn part(&mut self, role: Role) -> Option<()> {
        let first = self.cursor.peek()?;
        let start = self.text.len() - self.cursor.rest().len();
        match role {
            Role::Beside if self.in_depth && self.parts.is_some() => {
                return self.beside(MOST_NESTED);
            }
            Role::Beside => self.cursor.skip_value()?,
            Role::Field(field) | Role::TextField(field) => {
                match first {
                    b'"' => self.cursor.string().map(drop)?,
                    _ => self.cursor.skip_value()?,
                }
                let end = self.text.len() - self.cursor.rest().len();
                set(field, start..end, self.text, self.values)?;
            }
        }
        self.tell(start, role);
        Some(())
    }

    /// Tells the value between a place and this one, if values are asked for.
    #[inline]
    fn tell(&mut self, start: usize, role: Role) {
        if let Some(parts) = &mut self.parts {
            let raw = start..self.text.len() - self.cursor.rest().len();
            parts.push(PlacedValue { raw, role });
        }
    }

    /// Skips a value that no field is in, and reports each value in it.
    fn beside(&mut self, depth: u32) -> Option<()> {
        match self.cursor.peek()? {
            b'{' => {
                let mut fields = self.cursor.open(b'{')?;
                while self.cursor.has_next(&mut fields)? {
                    self.cursor.key()?;
                    self.beside(depth.checked_sub(1)?)?;
                }
            }
            b'[' => {
                let mut items = self.cursor.open(b'[')?;
                while self.cursor.has_next(&mut items)? {
                    self.beside(depth.checked_sub(1)?)?;
                }
            }
            _ => {
                let start = self.text.len() - self.cursor.rest().len();
                self.cursor.skip_value()?;
                self.tell(start, Role::Beside);
            }
        }
        Some(())
    }
}

/// Sets a field to a value as it is written in the text; `None` if it was met before.
#[inline]
pub(super) fn set(
    field: FieldId,
    raw: Range<usize>,
    text: &str,
    values: &mut Values,
) -> Option<()> {
    if values.is_met(field) {
        return None;
    }
    match text.as_bytes()[raw.start] {
        b'"' => values.set_input(field, raw.start + 1..raw.end - 1),
        // No other value begins so.
        b'n' => values.set_null(field),
        _ => values.set_input(field, raw),
    }
    Some(())
}
