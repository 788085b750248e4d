//! The records of documents, with the fields to read of the objects around them.

use super::context::InputContext;
use super::document_signs::{Count, FoundSign, Sign, SignKind};
use super::json_fields::{Members, not_json, read_value, single, value_at};
use super::line_shapes::LineShapes;
use super::log_format::{Batch, Each};
use super::path_tree::PathTree;
use super::records::text_of;
use crate::error::EventError;
use crate::field::{EACH, FieldId, FieldPath, Fields, PathStep};
use crate::format::IncompleteSign;
use crate::record::{Found, LookUp, RecordPlace, Table, Unknown, Values, as_text};
use multitrace_formats::source::{Diagnostic, Span};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, OnceLock};

/// The paths to records as a tree, with the fields to read on the way.
#[derive(Debug)]
pub(super) struct RecordPaths {
    nodes: Vec<PathNode>,
    /// By record path.
    paths: Vec<AskedFields>,
    texts: Vec<String>,
    /// How many fields there are, with those that only tables are looked up by.
    fields: usize,
}

/// A place in documents.
#[derive(Debug, Default)]
struct PathNode {
    keys: Vec<(String, usize)>,
    element: Option<usize>,
    /// The values of an object, whatever their keys are.
    value: Option<usize>,
    /// The record path that ends here.
    record: Option<usize>,
    /// Keys whose values are kept, on the way through an object.
    kept: Vec<String>,
    /// Which of them is the key at which it stands.
    own_key: Option<usize>,
    /// Whether it is an element of a list, or a value of such an object.
    is_element: bool,
    /// The signs in an object that records are missing.
    signs: Vec<Sign>,
}

/// The field with the key at which a record, or an object around it, stands among the values of an object.
pub(crate) const KEY: &str = "@key";
/// A value that stands twice, in place of its JSON.
const UNKNOWN: &[u8] = b"";
/// The fields to read of the records at one path.
#[derive(Debug, Default)]
struct AskedFields {
    tree: PathTree,
    around: Vec<AroundField>,
}

/// A field of an object around the record.
#[derive(Debug)]
struct AroundField {
    field: FieldId,
    /// The object, and which of its kept values.
    node: usize,
    kept: usize,
    value: AroundValue,
}

#[derive(Debug)]
enum AroundValue {
    /// The value at a path in the value.
    At(PathTree),
    /// The value at a path in the entry of a table, to which another path leads; a field of the record names the entry, in
    /// lists the one with that value at a key.
    Table { to: PathTree, by: FieldId, key: Option<String>, path: PathTree },
}

impl RecordPaths {
    pub(super) const ROOT: usize = 0;

    pub(super) fn new(records: &[FieldPath], fields: &Fields) -> RecordPaths {
        let texts = records.iter().map(|path| path.text().to_owned()).collect();
        let mut paths =
            RecordPaths { nodes: vec![PathNode::default()], paths: Vec::new(), texts, fields: 0 };
        let mut all = fields.clone();
        for (index, path) in records.iter().enumerate() {
            let asked = paths.add(index, path.steps(), fields, &mut all);
            paths.paths.push(asked);
        }
        // Fields that tables are looked up by belong to all records.
        for asked in &mut paths.paths {
            asked.tree = PathTree::new(&all);
        }
        paths.fields = all.len();
        paths
    }

    fn add(
        &mut self,
        index: usize,
        steps: &[PathStep],
        fields: &Fields,
        all: &mut Fields,
    ) -> AskedFields {
        let steps = after_documents(steps);
        let nodes: Vec<usize> = (0..=steps.len()).map(|to| self.node(&steps[..to])).collect();
        self.nodes[nodes[steps.len()]].record = Some(index);
        let mut asked = AskedFields::default();
        let key = fields.iter().find(|(_, path)| path.text() == KEY);
        let values = steps.iter().rposition(|step| *step == PathStep::EachValue);
        if let Some(((field, _), at)) = key.zip(values) {
            let node = nodes[at + 1];
            let kept = self.keep(node, KEY);
            self.nodes[node].own_key = Some(kept);
            let value = AroundValue::At(single(&[]));
            asked.around.push(AroundField { field, node, kept, value });
        }
        let asked_around = fields.iter().filter(|(_, path)| path.is_around());
        for (field, path) in
            asked_around.filter(|(_, path)| !path.steps().contains(&PathStep::Json))
        {
            let Some((depth, rest)) = around(steps, path.steps()) else { continue };
            let [PathStep::Key(key), rest @ ..] = rest else { continue };
            let node = nodes[depth];
            let kept = self.keep(node, key);
            let at = rest.iter().position(|step| matches!(step, PathStep::At { .. }));
            let value = match at.map(|at| (&rest[..at], &rest[at..])) {
                Some((to, [PathStep::At { key, is }, rest @ ..])) => {
                    let by = all.add(FieldPath::from_steps(is));
                    AroundValue::Table { to: single(to), by, key: key.clone(), path: single(rest) }
                }
                _ => AroundValue::At(single(rest)),
            };
            asked.around.push(AroundField { field, node, kept, value });
        }
        asked
    }

    /// Which of the kept values of an object is the one at a key.
    fn keep(&mut self, node: usize, key: &str) -> usize {
        self.at_kept(node, key.as_bytes()).unwrap_or_else(|| {
            let kept = &mut self.nodes[node].kept;
            kept.push(key.to_owned());
            kept.len() - 1
        })
    }

    /// The node at the end of some steps; it is made if it is missing.
    fn node(&mut self, steps: &[PathStep]) -> usize {
        let mut at = RecordPaths::ROOT;
        for step in steps {
            let known = match step {
                PathStep::Key(key) => self.at_key(at, key.as_bytes()),
                PathStep::EachValue => self.nodes[at].value,
                _ => self.nodes[at].element,
            };
            at = known.unwrap_or_else(|| {
                let new = self.nodes.len();
                self.nodes.push(PathNode::default());
                match step {
                    PathStep::Key(key) => self.nodes[at].keys.push((key.clone(), new)),
                    PathStep::EachValue => self.nodes[at].value = Some(new),
                    _ => self.nodes[at].element = Some(new),
                }
                self.nodes[new].is_element = !matches!(step, PathStep::Key(_));
                new
            });
        }
        at
    }

    pub(super) fn texts(&self) -> &[String] {
        &self.texts
    }

    pub(super) fn below(&self, node: usize, key: &[u8]) -> Option<usize> {
        self.at_key(node, key).or(self.nodes[node].value)
    }

    /// Whether all values of an object are on the way to records.
    pub(super) fn has_values(&self, node: usize) -> bool {
        self.nodes[node].value.is_some()
    }

    fn at_key(&self, node: usize, key: &[u8]) -> Option<usize> {
        let mut keys = self.nodes[node].keys.iter();
        keys.find(|(other, _)| other.as_bytes() == key).map(|(_, node)| *node)
    }

    pub(super) fn element(&self, node: usize) -> Option<usize> {
        self.nodes[node].element
    }

    pub(super) fn record(&self, node: usize) -> Option<usize> {
        self.nodes[node].record
    }

    /// Which of the kept values of an object is the one that it has at a key.
    pub(super) fn kept(&self, node: usize, key: &[u8]) -> Option<usize> {
        let of_key = self.at_kept(node, key);
        of_key.filter(|kept| self.nodes[node].own_key != Some(*kept))
    }

    fn at_kept(&self, node: usize, key: &[u8]) -> Option<usize> {
        self.nodes[node].kept.iter().position(|other| other.as_bytes() == key)
    }

    pub(super) fn keeps(&self, node: usize) -> bool {
        !self.nodes[node].kept.is_empty()
    }

    /// Whether the records at one path ask for fields of the object at a node.
    pub(super) fn asks(&self, path: usize, node: usize) -> bool {
        self.paths[path].around.iter().any(|it| it.node == node)
    }

    /// Whether an element is a record and nothing more: it cannot be a list, and no value of it is kept.
    pub(super) fn is_record_alone(&self, node: usize) -> bool {
        self.record(node).is_some() && self.element(node).is_none() && !self.keeps(node)
    }

    pub(super) fn is_element(&self, node: usize) -> bool {
        self.nodes[node].is_element
    }

    /// The same with signs that a document is not whole, or that another page follows.
    pub(super) fn with_signs(mut self, signs: &[IncompleteSign], kind: SignKind) -> RecordPaths {
        for IncompleteSign { path, value } in signs {
            let steps = after_documents(path.steps());
            let Some((node, [PathStep::Key(key), rest @ ..])) = self.deepest(steps) else {
                continue;
            };
            if kind == SignKind::Count && !self.has_records(node) {
                continue;
            }
            let (key, path, text) = (key.clone(), single(rest), path.text().to_owned());
            let value = value.clone();
            self.nodes[node].signs.push(Sign { kind, key, path, text, value });
        }
        self
    }

    /// The last node on the way to records that steps lead to, and the steps from there, which leave the way.
    fn deepest<'s>(&self, mut steps: &'s [PathStep]) -> Option<(usize, &'s [PathStep])> {
        let mut at = RecordPaths::ROOT;
        while let [step, rest @ ..] = steps {
            let below = match step {
                PathStep::Key(key) => self.below(at, key.as_bytes()),
                PathStep::Each => self.nodes[at].element,
                PathStep::EachValue => self.nodes[at].value,
                _ => None,
            };
            let Some(below) = below else { return Some((at, steps)) };
            (at, steps) = (below, rest);
        }
        None
    }

    /// Whether an object has lists of records at its keys.
    fn has_records(&self, node: usize) -> bool {
        let mut lists = self.nodes[node].keys.iter().filter_map(|(_, list)| self.element(*list));
        lists.any(|element| self.record(element).is_some())
    }

    /// How many elements the lists in an object would have, or how many pages there are, as the value at a key says.
    pub(super) fn count(
        &self,
        node: usize,
        (key, raw): (&[u8], &[u8]),
        (kind, line): (SignKind, u64),
    ) -> Option<Count> {
        let raw = std::str::from_utf8(raw).unwrap_or_default();
        self.signs(node, key).filter(|it| it.kind == kind).find_map(|sign| sign.count(raw, line))
    }

    pub(super) fn has_sign(&self, node: usize, key: &[u8]) -> bool {
        self.signs(node, key).next().is_some()
    }

    /// The first sign in the value at a key that records are missing, or that another page follows.
    pub(super) fn sign(
        &self,
        node: usize,
        (key, raw): (&[u8], &[u8]),
        kind: SignKind,
    ) -> Option<FoundSign<'_>> {
        let raw = std::str::from_utf8(raw).unwrap_or_default();
        self.signs(node, key).filter(|it| it.kind == kind).find_map(|sign| sign.found(raw))
    }

    /// The signs in the value at a key of an object.
    fn signs<'a, 'k>(
        &'a self,
        node: usize,
        key: &'k [u8],
    ) -> impl Iterator<Item = &'a Sign> + use<'a, 'k> {
        self.nodes[node].signs.iter().filter(move |sign| sign.key.as_bytes() == key)
    }
}

/// Documents may stand in a list: `[].a[]` is `a[]`.
pub(crate) fn after_documents(mut steps: &[PathStep]) -> &[PathStep] {
    while let [PathStep::Each, rest @ ..] = steps {
        steps = rest;
    }
    steps
}

/// How deep the object around records is that a path begins at, and the steps from there.
pub(crate) fn around<'p>(
    records: &[PathStep],
    path: &'p [PathStep],
) -> Option<(usize, &'p [PathStep])> {
    let is_object = |depth: &usize| matches!(records.get(*depth), Some(PathStep::Key(_)));
    let ups = path.iter().take_while(|step| **step == PathStep::Up).count();
    if ups > 0 {
        let depth = (0..records.len()).rev().filter(is_object).nth(ups - 1)?;
        return Some((depth, &path[ups..]));
    }
    let path = after_documents(path);
    let common = path.iter().zip(records).take_while(|(one, other)| one == other).count();
    let depth = (0..=common).rev().find(is_object)?;
    let rest = &path[depth..];
    let is_each = |step: &PathStep| matches!(step, PathStep::Each | PathStep::EachValue);
    (!rest.iter().any(is_each)).then_some((depth, rest))
}

/// Whether one path leads into the records of another, or to a value among others that are all meant.
pub(crate) fn is_inside(one: &[PathStep], other: &[PathStep]) -> bool {
    let (one, other) = (after_documents(one), after_documents(other));
    let common = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let ends = |steps: &[PathStep]| matches!(steps.get(common), None | Some(PathStep::EachValue));
    ends(one) || ends(other)
}

/// The values of an object around records, as far as they were read.
#[derive(Debug)]
pub(super) struct Known {
    node: usize,
    values: Vec<Option<Vec<u8>>>,
    /// Its number among the objects of the batch, once a record of the batch is inside.
    number: Option<usize>,
    /// Its values for batches that were handed out.
    shared: Option<Arc<Around>>,
    /// Whether records inside were handed out.
    is_handed_out: bool,
}

/// The values of an object around the records of a batch.
#[derive(Debug, Default)]
struct Around {
    node: usize,
    values: Vec<Option<Vec<u8>>>,
    /// The tables among them, by the number of the field.
    tables: OnceLock<HashMap<usize, Table>>,
}

impl Known {
    /// `key` is the one at which it stands.
    pub(super) fn new(paths: &RecordPaths, node: usize, key: &[u8]) -> Known {
        let mut values = vec![None; paths.nodes[node].kept.len()];
        if let Some(own) = paths.nodes[node].own_key {
            values[own] = serde_json::to_vec(&String::from_utf8_lossy(key)).ok();
        }
        Known { node, values, number: None, shared: None, is_handed_out: false }
    }

    pub(super) fn node(&self) -> usize {
        self.node
    }

    /// Keeps a value. False if records that were handed out have another one: of two values at one key, nobody knows which
    /// is meant.
    pub(super) fn set(&mut self, kept: usize, raw: &[u8]) -> bool {
        let is_first = self.values[kept].is_none();
        let raw = if is_first { raw } else { UNKNOWN };
        self.values[kept] = Some(raw.to_vec());
        self.shared = None;
        is_first || !self.is_handed_out
    }

    pub(super) fn is_whole(&self) -> bool {
        self.number.is_none() || self.values.iter().all(Option::is_some)
    }

    pub(super) fn missing<'p>(&self, paths: &'p RecordPaths) -> impl Iterator<Item = &'p str> {
        let kept = paths.nodes[self.node].kept.iter();
        let missing: Vec<bool> = self.values.iter().map(Option::is_none).collect();
        kept.zip(missing).filter(|(_, is_missing)| *is_missing).map(|(key, _)| key.as_str())
    }

    fn around(&mut self) -> Arc<Around> {
        let Known { node, values, shared, .. } = self;
        let around =
            || Arc::new(Around { node: *node, values: values.clone(), ..Around::default() });
        Arc::clone(shared.get_or_insert_with(around))
    }

    /// The batch is handed out; the object goes on.
    pub(super) fn hand_out(&mut self, records: &mut DocumentRecords) {
        if let Some(number) = self.number.take() {
            records.around[number] = self.around();
            self.is_handed_out = true;
        }
    }

    /// The object is closed: the records of the batch know all of it.
    pub(super) fn close(mut self, records: &mut DocumentRecords) {
        if let Some(number) = self.number {
            records.around[number] = self.around();
        }
    }
}

/// Which record path led to a record, and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordAt {
    pub(super) path: usize,
    pub(super) place: RecordPlace,
}

/// Records of documents.
#[derive(Debug, Default)]
pub(super) struct DocumentRecords {
    bytes: Vec<u8>,
    records: Vec<(RecordAt, usize, usize)>,
    /// The numbers of the objects around records; those of one record follow one another.
    chains: Vec<Vec<usize>>,
    /// The numbers around the record that is added, reused from record to record.
    chain: Vec<usize>,
    around: Vec<Arc<Around>>,
}

impl DocumentRecords {
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(super) fn add<'k>(
        &mut self,
        at: RecordAt,
        raw: &[u8],
        around: impl Iterator<Item = &'k mut Known>,
    ) {
        let mut chain = mem::take(&mut self.chain);
        chain.clear();
        for known in around {
            let number = *known.number.get_or_insert(self.around.len());
            if number == self.around.len() {
                // Filled in when the object is closed, or the batch is handed out.
                self.around.push(Arc::default());
            }
            chain.push(number);
        }
        if self.chains.last() != Some(&chain) {
            self.chains.push(chain.clone());
        }
        self.chain = chain;
        self.bytes.extend_from_slice(raw);
        self.records.push((at, self.bytes.len(), self.chains.len() - 1));
    }

    /// Adds a record of the same path as the last one, with the same objects around it.
    pub(super) fn add_like_the_last(&mut self, place: RecordPlace, raw: &[u8]) {
        if let Some((last, _, chain)) = self.records.last().copied() {
            self.bytes.extend_from_slice(raw);
            self.records.push((RecordAt { place, ..last }, self.bytes.len(), chain));
        }
    }

    pub(super) fn into_batch(self, paths: &Arc<RecordPaths>) -> Box<dyn Batch> {
        Box::new(DocumentBatch { records: self, paths: Arc::clone(paths) })
    }
}

struct DocumentBatch {
    records: DocumentRecords,
    paths: Arc<RecordPaths>,
}

impl Batch for DocumentBatch {
    fn for_each(&self, context: &InputContext, each: &mut Each<'_>) {
        let DocumentBatch { records, paths } = self;
        let whole = std::str::from_utf8(&records.bytes).ok();
        let (mut values, mut start) = (Values::default(), 0);
        let (mut around, mut shapes) = (AroundCache::default(), LineShapes::default());
        for &(RecordAt { path, place }, end, chain) in &records.records {
            let range = start..end;
            start = end;
            let bytes = &records.bytes[range.clone()];
            let text = match text_of(context, place.number, bytes, whole.map(|text| &text[range])) {
                Ok(text) => text,
                Err(error) => {
                    each(Err(error));
                    continue;
                }
            };
            let asked = &paths.paths[path];
            values.reset(paths.fields);
            match read_record(text, &asked.tree, &mut shapes, &mut values) {
                Err(error) => {
                    let (file, line) = (&context.file, place.number);
                    each(Err(EventError::at(file, line, text, error)));
                }
                Ok(()) => {
                    let look_ups = around.fill(records, (path, chain), paths, text, &mut values);
                    each(Ok(&values.record(text, place).with_look_ups(&look_ups)));
                }
            }
        }
    }
}

/// Reads a record; the shapes are those of records that were read by an equal tree. The elements of one that is a list are
/// below `each`.
fn read_record(
    text: &str,
    tree: &PathTree,
    shapes: &mut LineShapes,
    values: &mut Values,
) -> Result<(), Diagnostic> {
    if !text.starts_with('[') {
        return shapes.read_or_fully(text, tree, values);
    }
    let Some((_, elements)) = tree.keys.iter().find(|(key, _)| key == EACH) else {
        let message = "a list, and the mapping has no field of its elements";
        let help = "name them: each[0], or each[field=op].value in a list of names and values";
        return Err(Diagnostic::new(Span::new(0, 1), message, "").with_help(help));
    };
    read_value(text, elements, values).map_err(|error| not_json(text, &error))
}

/// The texts of the values around the records of one object, made once for those that follow one another.
#[derive(Default)]
struct AroundCache {
    of: Option<(usize, usize)>,
    values: Vec<(FieldId, Found<String>)>,
}

impl AroundCache {
    /// Sets the fields around a record; those that are looked up by a field that it does not have itself, are left.
    fn fill<'r>(
        &mut self,
        records: &'r DocumentRecords,
        of: (usize, usize),
        paths: &RecordPaths,
        text: &str,
        values: &mut Values,
    ) -> Vec<LookUp<'r>> {
        let asked = &paths.paths[of.0];
        let chain = &records.chains[of.1];
        let find = |node: usize| {
            let mut around = chain.iter().map(|number| &records.around[*number]);
            around.find(|around| around.node == node)
        };
        if self.of != Some(of) {
            self.of = Some(of);
            self.values.clear();
            for AroundField { field, node, kept, value } in &asked.around {
                let AroundValue::At(tree) = value else { continue };
                let raw = find(*node).and_then(|around| around.raw(*kept));
                let found = raw.map_or(Ok(None), |raw| value_at(raw, tree));
                self.values.push((*field, found));
            }
        }
        for (field, found) in &self.values {
            // A record may have a field that is called like its key.
            if !values.is_set(*field) {
                values.set_found(*field, as_text(found));
            }
        }
        let mut look_ups = Vec::new();
        for AroundField { field, node, value, .. } in &asked.around {
            let AroundValue::Table { by, .. } = value else { continue };
            let tables = find(*node).map(|around| around.tables(paths));
            let Some(table) = tables.and_then(|it| it.get(&field.index())) else { continue };
            match values.record(text, RecordPlace::line(0)).get(*by) {
                None => look_ups.push(LookUp { field: *field, by: *by, table }),
                Some(name) => values.set_found(*field, table.get(name)),
            }
        }
        look_ups
    }
}

impl Around {
    /// A kept value as it is written. One that is not UTF-8 is read like the empty text, which is not JSON.
    fn raw(&self, kept: usize) -> Option<&str> {
        let raw = self.values.get(kept)?.as_deref()?;
        Some(std::str::from_utf8(raw).unwrap_or_default())
    }

    /// The tables of the object, by the field that looks into them.
    fn tables(&self, paths: &RecordPaths) -> &HashMap<usize, Table> {
        self.tables.get_or_init(|| {
            let mut tables = HashMap::new();
            let all = paths.paths.iter().flat_map(|asked| &asked.around);
            for AroundField { field, node, kept, value } in all {
                let AroundValue::Table { to, key, path, .. } = value else { continue };
                let raw = if *node == self.node { self.raw(*kept) } else { None };
                let Some(raw) = raw else { continue };
                let table = value_at(raw, to).and_then(|found| {
                    found.map(|raw| entries(&raw, key.as_deref(), path)).transpose()
                });
                if let Some(table) = table.unwrap_or_else(|_| Some(Table::unknown())) {
                    tables.insert(field.index(), table);
                }
            }
            tables
        })
    }
}

/// The entries of a table: those of an object by key, or the objects of a list by their values at a key. A value of
/// another kind has none.
fn entries(raw: &str, key: Option<&str>, path: &PathTree) -> Result<Table, Unknown> {
    let mut table = Table::default();
    match key {
        None => {
            let members = serde_json::from_str::<Members<'_>>(raw).map(|members| members.0);
            for (name, raw) in members.unwrap_or_default() {
                table.add(name.into_owned(), value_at(raw.get(), path));
            }
        }
        Some(key) => {
            let tree = single(&[PathStep::Key(key.to_owned())]);
            let list: Vec<&RawValue> = serde_json::from_str(raw).unwrap_or_default();
            for raw in list {
                if let Some(name) = value_at(raw.get(), &tree)? {
                    table.add(name, value_at(raw.get(), path));
                }
            }
        }
    }
    Ok(table)
}
