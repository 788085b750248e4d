//! Lines of JSON that are built as lines before them: only the values that differ are read.

// Idea: the lines of a log have the same keys in the same order, and many values that hardly ever change. A line that
// was read is kept with the places of its values. Of a later line, the text between the values that have differed so
// far is compared with it byte by byte, and these values alone are read.
//
// Invariant: a line is read so only if it is the kept one with some values in place of others, each of a kind that the
// quick reader treats alike there. So it is JSON as the kept one is, and has its fields at the same places. A test compares
// this with the full reader.
//
// Cost: a comparison and a short value per part that differs. A line of another shape is read by the quick reader, and
// kept; where few lines fit, they are not compared for a while.

use super::json_fields::read_fully;
use super::path_tree::PathTree;
use super::quick_json::{self, PlacedValue, Role, set};
use crate::record::Values;
use multitrace_formats::json_cursor::{JsonCursor, string_length};
use multitrace_formats::source::Diagnostic;

/// How many shapes are kept: logs of one service mostly have few.
const MOST_SHAPES: usize = 4;
/// A line that fits no shape adds two misses, and one that fits takes one away. Beyond this many misses, lines are not compared
/// for a while; an estimate.
const MOST_MISSES: u32 = 32;
/// How many lines are not compared then: twice the lines of a batch of usual ones; an estimate.
const REST: u32 = 512;
/// Longer lines are not kept.
const MOST_BYTES: usize = 1 << 16;

/// The shapes of lines that were read before.
#[derive(Default)]
pub(super) struct LineShapes {
    shapes: Vec<Shape>,
    misses: u32,
    resting: u32,
}

/// A line, and the places of its values.
struct Shape {
    line: String,
    parts: Vec<PlacedValue>,
    /// Those of the parts that differed, or are asked for.
    varying: Vec<PlacedValue>,
}

impl LineShapes {
    /// Reads the fields of one object of any form into values that are not set.
    pub(super) fn read_or_fully(
        &mut self,
        text: &str,
        tree: &PathTree,
        values: &mut Values,
    ) -> Result<(), Diagnostic> {
        values.set_json();
        if self.read(text, tree, values) {
            return Ok(());
        }
        values.clear();
        read_fully(text, tree, values)
    }

    /// Reads the fields of a line; false, with the values in any state, if it has an unusual form.
    fn read(&mut self, line: &str, tree: &PathTree, values: &mut Values) -> bool {
        if self.resting > 0 {
            self.resting -= 1;
            return quick_json::read(line, tree, values);
        }
        for at in 0..self.shapes.len() {
            if self.shapes[at].read(line, values) {
                self.shapes.swap(0, at);
                self.misses = self.misses.saturating_sub(1);
                return true;
            }
            values.clear();
        }
        for shape in &mut self.shapes {
            if shape.widen(line, values) {
                return true;
            }
            values.clear();
        }
        self.keep(line, tree, values)
    }

    /// Reads a line that has no shape among them, and keeps its own.
    fn keep(&mut self, line: &str, tree: &PathTree, values: &mut Values) -> bool {
        self.misses += 2;
        if self.misses > MOST_MISSES {
            *self = LineShapes { resting: REST, ..LineShapes::default() };
        }
        if self.resting > 0 || line.len() > MOST_BYTES {
            return quick_json::read(line, tree, values);
        }
        // Objects beside the fields are first thought to have the same keys everywhere.
        let in_depth = self.misses < MOST_MISSES / 2;
        let Some(parts) = quick_json::read_parts(line, tree, values, in_depth) else {
            values.clear();
            return quick_json::read(line, tree, values);
        };
        if !parts.is_empty() {
            self.shapes.truncate(MOST_SHAPES - 1);
            let varying = parts.iter().filter(|it| it.is_asked_for()).cloned().collect();
            self.shapes.push(Shape { line: line.to_owned(), parts, varying });
        }
        true
    }
}

impl Shape {
    fn read(&self, line: &str, values: &mut Values) -> bool {
        self.follow(&self.varying, line, values, |_, _| {}).is_some()
    }

    /// Reads a line in which other values differ, too, and remembers which.
    fn widen(&mut self, line: &str, values: &mut Values) -> bool {
        let (mut before, mut varying) = (self.varying.iter().peekable(), Vec::new());
        let followed = self.follow(&self.parts, line, values, |part, raw| {
            let did_vary = before.next_if(|it| it.raw == part.raw).is_some();
            if did_vary || raw != &self.line.as_bytes()[part.raw.clone()] {
                varying.push(part.clone());
            }
        });
        if followed.is_some() {
            self.varying = varying;
        }
        followed.is_some()
    }

    /// Reads a line that has other values at some parts; `None` if it differs elsewhere, too.
    #[inline]
    fn follow<'l>(
        &self,
        parts: &[PlacedValue],
        line: &'l str,
        values: &mut Values,
        mut each: impl FnMut(&PlacedValue, &'l [u8]),
    ) -> Option<()> {
        let (kept, bytes) = (self.line.as_bytes(), line.as_bytes());
        let (mut from, mut at) = (0, 0);
        for part in parts {
            at = behind(&kept[from..part.raw.start], bytes, at)?;
            from = part.raw.end;
            let end = match string_end(bytes, at) {
                Some(end) => {
                    if let Role::Field(field) | Role::TextField(field) = part.role {
                        set(field, at..end, line, values)?;
                    }
                    end
                }
                None => other_end(line, at, part.role, values)?,
            };
            each(part, &bytes[at..end]);
            at = end;
        }
        (behind(&kept[from..], bytes, at)? == bytes.len()).then_some(())
    }
}

/// Where a text ends that stands at a place of another one, if it does.
#[inline]
fn behind(literal: &[u8], bytes: &[u8], at: usize) -> Option<usize> {
    let end = at + literal.len();
    let here = bytes.get(at..end)?;
    // Most are short: a call of a function would take longer.
    let (words, rest) = literal.as_chunks::<8>();
    let (words_here, rest_here) = here.as_chunks::<8>();
    let same = words.iter().zip(words_here).all(|(a, b)| a == b);
    let same = same && rest.iter().zip(rest_here).all(|(a, b)| a == b);
    same.then_some(end)
}

/// Where a string without escapes ends that begins at a place.
#[inline]
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    Some(at + 2 + string_length(&bytes[at + 1..])?)
}

/// Where another value ends, and its part is set. UTF-8 is known to be right.
fn other_end(line: &str, at: usize, role: Role, values: &mut Values) -> Option<usize> {
    let mut cursor = JsonCursor::new(&line.as_bytes()[at..]);
    let raw = cursor.value()?;
    let end = line.len() - cursor.rest().len();
    match role {
        Role::Beside => {}
        Role::Field(field) if raw[0] != b'"' => set(field, end - raw.len()..end, line, values)?,
        // The full reader knows escapes.
        Role::Field(_) | Role::TextField(_) => return None,
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::super::json_fields::read_fully;
    use super::*;
    use crate::field::{FieldPath, Fields};
    use crate::record::RecordPlace;
    use proptest::prelude::*;

    /// The values that a reader reads of a line.
    fn texts(
        line: &str,
        fields: &Fields,
        read: impl FnOnce(&mut Values) -> bool,
    ) -> Option<Vec<Option<String>>> {
        let mut values = Values::default();
        values.reset(fields.len());
        let is_read = read(&mut values);
        let record = values.record(line, RecordPlace::line(1));
        is_read.then(|| fields.iter().map(|(it, _)| record.get(it).map(str::to_owned)).collect())
    }

    /// Reads lines in a row, each as the full reader does, or not at all; and all that the quick reader reads. Returns
    /// how many were read with the shape of an earlier one.
    fn compare(lines: &[String], paths: &[&str]) -> usize {
        let mut fields = Fields::default();
        for path in paths {
            fields.add(FieldPath::parse(path).expect("a path"));
        }
        let tree = PathTree::new(&fields);
        let (mut shapes, mut count) = (LineShapes::default(), 0);
        for line in lines {
            let (misses, is_resting) = (shapes.misses, shapes.resting > 0);
            let read = texts(line, &fields, |values| shapes.read(line, &tree, values));
            let is_compared = !is_resting && shapes.resting == 0;
            count += usize::from(read.is_some() && is_compared && shapes.misses <= misses);
            let quick = texts(line, &fields, |values| quick_json::read(line, &tree, values));
            let full = texts(line, &fields, |values| read_fully(line, &tree, values).is_ok());
            assert!(
                read == full || read.is_none() && quick.is_none(),
                "{line}\n{read:?}\n{full:?}"
            );
        }
        count
    }

    #[test]
    fn lines_of_a_shape_are_read_by_it() {
        let line = |at: usize| {
            let level = if at == 9 { "ERROR" } else { "INFO" };
            format!(
                r#"{{"at":{at},"level":"{level}","a":"x{at}","o":{{"b":[{at}],"c":"y"}},"z":null}}"#
            )
        };
        let lines: Vec<String> = (0..20).map(line).collect();
        assert_eq!(compare(&lines, &["a", "o.b", "o.c", "z"]), 19);
        // Two kinds of lines in turns, and a field that is looked for in a list.
        let other = |at: usize| format!(r#"{{"a":"{at}","tags":[{{"k":"x","v":{at}}}]}}"#);
        let lines: Vec<String> = (0..20).flat_map(|at| [line(at), other(at)]).collect();
        assert_eq!(compare(&lines, &["a", "o.b"]), 38);
        assert_eq!(compare(&lines[..10], &["a", "tags[k=x].v"]), 4);
    }

    /// An object among the elements may be the one that is looked for, whatever stood at its place before.
    #[test]
    fn an_object_in_place_of_another_element_is_looked_at() {
        let line = |item: &str| format!(r#"{{"a":"x","t":[{item}]}}"#);
        let items = ["1", "2", r#"{"k":"x","v":"y"}"#, r#"{"k":"x","v":"z"}"#, "1"];
        compare(&items.map(line), &["a", "t[k=x].v"]);
    }

    #[test]
    fn lines_that_are_never_alike_are_not_compared_for_a_while() {
        let lines: Vec<String> = (0..600).map(|at| format!(r#"{{"a":1,"k{at}":2}}"#)).collect();
        assert_eq!(compare(&lines, &["a"]), 0);
    }

    /// Values that a line may have in the place of others.
    const VALUES: [&str; 20] = [
        "1",
        "-1.5e3",
        "\"x\"",
        "\"\"",
        "\"ü\"",
        r#""\n""#,
        "null",
        "true",
        "{}",
        "[]",
        r#"{"a":1}"#,
        r#"["a","b"]"#,
        r#"[{"k":"x","v":1}]"#,
        r#"{"b":{"c":"x"}}"#,
        " 2 ",
        "01",
        "\"",
        "1}",
        "1,\"a\":2",
        "tru",
    ];

    fn cases() -> ProptestConfig {
        let asked = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
        ProptestConfig::with_cases(asked.unwrap_or(2_000))
    }

    proptest! {
        #![proptest_config(cases())]

        /// Lines of three shapes with other values and wrong bytes. Some of them are not JSON.
        #[test]
        fn shapes_agree_with_the_full_reader(
            lines in proptest::collection::vec(
                (0_usize..3, proptest::collection::vec(0_usize..60, 4), 0_usize..200, any::<u8>()), 1..30),
        ) {
            let value = |at: usize, usual: usize| VALUES[if at < VALUES.len() { at } else { usual }];
            let line = |(shape, values, at, byte): &(usize, Vec<usize>, usize, u8)| {
                let [a, b, c, d] = [0, 1, 2, 3].map(|it| value(values[it], [0, 2, 10, 12][it]));
                let text = match shape {
                    0 => format!(r#"{{"a":{a},"o":{{"b":{b}}},"n":{c},"t":{d}}}"#),
                    1 => format!(r#" {{"n":[{a},{b}], "o":{c},"a":{d}}}"#),
                    _ => format!(r#"{{"x":{a},"a":{b},"t":[{c}],"o":{d}}}"#),
                };
                // One byte in some of the lines is another one.
                let mut bytes = text.into_bytes();
                if let Some(it) = bytes.get_mut(*at) {
                    *it = byte % 0x60 + 0x20;
                }
                String::from_utf8_lossy(&bytes).into_owned()
            };
            let lines: Vec<String> = lines.iter().map(line).collect();
            for paths in [
                &["a", "o.b", "n"][..], &["a", "o"], &["o.b.c", "t[0].k"], &["n[1]", "o.a", "t"], &["t[k=x].v", "a"],
                &["o.b[0]", "n[0]", "x"],
            ] {
                compare(&lines, paths);
            }
        }
    }
}
