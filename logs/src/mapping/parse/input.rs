//! How inputs are read, and the treatment of records that no rule matches.

use super::patterns::REGEX_HELP;
use super::{MappingReader, first_byte};
use crate::field::{FieldId, FieldPath, PathStep};
use crate::format::{Format, IncompleteSign, InputOptions, PairSigns};
use crate::formats::{after_documents, around as around_of, is_inside};
use crate::mapping::definition::Mapping;
use crate::mapping::event_parts::PARTS;
use crate::mapping::rule::Unmatched;
use crate::mapping::tree::{TomlValue, Tree};
use crate::pattern_list::PatternsWin;
use multitrace_formats::source::{Diagnostic, Span, quote};
use multitrace_formats::suggest::did_you_mean;

/// Where APIs say that another page follows: those of AWS, Google, Azure, Kubernetes, Datadog, Slack, GitHub, Zendesk,
/// HubSpot, Twilio and Salesforce, and JSON:API, HAL, OData 2 and GraphQL.
const NEXT_PAGE: [&str; 69] = [
    "next",
    "nextPage",
    "next_page",
    "nextPageUrl",
    "next_page_url",
    "next_page_uri",
    "nextUrl",
    "next_url",
    "nextUri",
    "next_uri",
    "continuationToken",
    "continuation_token",
    "NextContinuationToken",
    "nextPageToken",
    "next_page_token",
    "nextToken",
    "NextToken",
    "next_token",
    "NextMarker",
    "nextCursor",
    "next_cursor",
    "nextLink",
    "\"@odata.nextLink\"",
    "\"odata.nextLink\"",
    "nextRecordsUrl",
    "LastEvaluatedKey",
    "IsTruncated",
    "isTruncated",
    "hasMore",
    "has_more",
    "hasNext",
    "has_next",
    "last = false",
    "isLast = false",
    "hasNextPage",
    "pageInfo.hasNextPage",
    "page_info.has_next_page",
    "page_info.hasNextPage",
    "links.next",
    "links[rel=next].href",
    "_links.next",
    "pagination.next",
    "pagination.nextPage",
    "pagination.next_page",
    "pagination.nextUrl",
    "pagination.next_url",
    "pagination.next_uri",
    "pagination.nextCursor",
    "pagination.nextToken",
    "pagination.next_page_token",
    "pagination.next_cursor",
    "pagination.next_token",
    "pagination.has_more",
    "pagination.hasMore",
    "paging.next",
    "meta.next",
    "meta.next_page",
    "meta.next_cursor",
    "meta.next_token",
    "meta.pagination.next",
    "meta.page.after",
    "metadata.continue",
    "response_metadata.next_cursor",
    "meta.has_more",
    "search_metadata.next_results",
    "nextOffset",
    "isLastPage = false",
    "is_last_page = false",
    "done = false",
];

/// Where Elasticsearch and OpenSearch say that they did not look everywhere, also of several searches in one answer.
const SEARCH: [&str; 6] = [
    "timed_out",
    "terminated_early",
    "_shards.failed",
    "_clusters.skipped",
    "_clusters.partial",
    "_clusters.failed",
];

/// Where other APIs say so, such as those of GitHub and GraphQL, and answers of searches that go on. Errors are told in
/// words: their number alone may be that of tests.
const INCOMPLETE: [&str; 14] = [
    "is_partial",
    "isPartial",
    "partial",
    "truncated",
    "incomplete",
    "incomplete_results",
    "incompleteResults",
    "exceededTransferLimit",
    "complete = false",
    "isComplete = false",
    "is_complete = false",
    "errors[0].message",
    "error.message",
    "error.reason",
];

/// The states of queries of CloudWatch that have not found everything.
const QUERIES: [&str; 5] = [
    "status = Scheduled",
    "status = Running",
    "status = Timeout",
    "status = Failed",
    "status = Cancelled",
];

/// Where answers say how many elements the list in the same object would have as a whole: those of Elasticsearch, Solr,
/// CloudWatch, GitHub, Jira, Spring, OData, Algolia, Laravel, Strapi and others. A count of the elements that are there does
/// no harm.
const COUNTS: [&str; 25] = [
    "numFound",
    "statistics.recordsMatched",
    "total_count",
    "totalCount",
    "totalResults",
    "total_results",
    "totalElements",
    "totalSize",
    "totalHits",
    "total_rows",
    "result_info.total_count",
    "total",
    "count",
    "\"@odata.count\"",
    "\"odata.count\"",
    "nbHits",
    "page.totalElements",
    "meta.total",
    "meta.total_count",
    "meta.totalCount",
    "meta.pagination.total",
    "pagination.total",
    "pagination.total_count",
    "pagination.totalCount",
    "paging.total",
];

/// Where answers say how many pages there are: JSON:API, Laravel, Spring and others. `page_count` is the length of a page in
/// some of them.
const PAGE_COUNTS: [&str; 13] = [
    "total_pages",
    "totalPages",
    "total-pages",
    "num_pages",
    "numPages",
    "last_page",
    "lastPage",
    "page.totalPages",
    "pagination.total_pages",
    "pagination.totalPages",
    "meta.total_pages",
    "meta.last_page",
    "meta.pagination.total_pages",
];

/// The same of Elasticsearch, also of several searches in one answer.
const HITS: [&str; 2] = ["hits.total", "hits.total.value"];

/// The path of a sign, and the value that it has, if not every one counts.
fn path_and_value(text: &str) -> (&str, Option<String>) {
    match text.split_once(" = ") {
        Some((path, value)) => (path.trim(), Some(value.trim().to_owned())),
        None => (text, None),
    }
}

/// Signs in documents, and in the objects at the keys that lead to the lists of records, up to a first list or behind it.
fn usual_signs(usual: &[&str], records: &[FieldPath], is_of_lists: bool) -> Vec<IncompleteSign> {
    let mut around = vec![""];
    for path in records {
        let ends: &[char] = if is_of_lists { &['*', '"'] } else { &['[', '*', '"'] };
        let keys = path.text().split(ends).next().unwrap_or_default();
        let dots = keys.match_indices('.').map(|(dot, _)| &keys[..=dot]);
        around.extend(dots);
    }
    around.sort_unstable();
    around.dedup();
    let signs = around.iter().flat_map(|around| {
        usual.iter().filter_map(move |text| {
            let (path, value) = path_and_value(text);
            Some(IncompleteSign { path: FieldPath::parse(&format!("{around}{path}")).ok()?, value })
        })
    });
    signs.filter(|sign| is_of_documents(&sign.path, records)).collect()
}

/// A path to the elements of a list, and that of a field in each of them: `data[]` and `attributes` of `data[].attributes`.
fn list_before(path: &str) -> Option<(&str, &str)> {
    let (list, field) = path.rsplit_once("[].")?;
    Some((&path[..list.len() + "[]".len()], field))
}

impl MappingReader<'_> {
    pub(super) fn input(&mut self, top: Tree<'_, '_>) -> InputOptions {
        let mut options = InputOptions::default();
        let Some(tree) = self.table(top, "input") else { return options };
        let known = [
            "format",
            "records",
            "incomplete",
            "next-page",
            "for-each",
            "delimiter",
            "multi-line-cells",
            "separator",
            "patterns",
            "patterns-win",
            "start",
            "max-record",
        ];
        tree.only(&known, &mut self.errors);
        options.format = tree.get("format").and_then(|node| self.format(node));
        if let Some(node) = tree.get("records") {
            options.records = self.records(node);
            let format = *options.format.get_or_insert(Format::Json);
            if !matches!(format, Format::Json | Format::JsonLines) {
                let help = "records inside of documents are read from JSON: leave `format` out";
                self.errors.push(node.error("`records` is for JSON", help));
            }
        }
        self.signs_of_documents(tree, &mut options);
        self.for_each(tree);
        match options.format {
            Some(Format::Logfmt) => options.pairs = self.pair_signs(tree),
            _ => options.delimiter = tree.get("delimiter").and_then(|node| self.delimiter(node)),
        }
        if let Some(node) = tree.get("separator").filter(|_| options.format != Some(Format::Logfmt))
        {
            let help = "it stands between a key and its value: write format = \"logfmt\" beside it";
            self.errors.push(node.error("`separator` is for pairs", help));
        }
        options.multi_line_cells = self.multi_line_cells(tree, options.format);
        options.patterns_win = self.patterns_win(tree);
        if let Some(node) = tree.get("patterns") {
            self.patterns_place = Some(node.span);
            options.patterns = self.patterns(node, &options).unwrap_or_default();
            options.format = options.format.or(Some(Format::Text));
        }
        if let Some(most) = tree.get("max-record").and_then(|node| self.take(node.number())) {
            options.max_record_bytes = most;
        }
        options.start = tree.get("start").and_then(|node| self.start(node, options.format));
        if options.format == Some(Format::Text) && tree.get("patterns").is_none() {
            let error = Diagnostic::new(first_byte(tree.span), "`patterns` is missing", "");
            let help = "plain text is read by regular expressions with named groups, \
                        patterns = ['(?<time>\\S+) (?<msg>\\w+)']";
            self.errors.push(error.with_help(help));
        }
        options
    }

    /// Whether lines of a cell are text in any case.
    fn multi_line_cells(&mut self, tree: Tree<'_, '_>, format: Option<Format>) -> bool {
        let Some(node) = tree.get("multi-line-cells") else { return false };
        if !matches!(format, None | Some(Format::Csv | Format::Tsv)) {
            let help = "leave it out: only cells of CSV and TSV have several lines";
            self.errors.push(node.error("`multi-line-cells` is for tables of text", help));
        }
        self.take(node.flag()).unwrap_or(false)
    }

    /// Where documents say that they are not whole, that another page follows, and how many elements there are.
    fn signs_of_documents(&mut self, tree: Tree<'_, '_>, options: &mut InputOptions) {
        let is_query = options.records.iter().any(|path| path.text().starts_with("results["));
        let usual = [&INCOMPLETE[..], if is_query { &QUERIES } else { &[] }].concat();
        let mut usual = usual_signs(&usual, &options.records, false);
        usual.extend(usual_signs(&SEARCH, &options.records, true));
        options.incomplete = self.signs(tree, "incomplete", usual, &options.records);
        options.counts = usual_signs(&COUNTS, &options.records, false);
        options.counts.extend(usual_signs(&HITS, &options.records, true));
        if tree.get("incomplete").is_some() {
            let incomplete = &options.incomplete;
            let is_named = |path| incomplete.iter().any(|sign| sign.path == path);
            options.counts.retain(|sign| !incomplete.is_empty() && !is_named(sign.path.clone()));
        }
        let pages = usual_signs(&NEXT_PAGE, &options.records, false);
        options.next_page = self.signs(tree, "next-page", pages, &options.records);
        if !options.next_page.is_empty() {
            options.page_counts = usual_signs(&PAGE_COUNTS, &options.records, false);
        }
    }

    pub(super) fn format(&mut self, node: TomlValue<'_, '_>) -> Option<Format> {
        let name = self.take(node.text())?;
        let format = Format::named(name);
        if format.is_none() {
            let all: Vec<&str> = Format::names().chain(Mapping::preset_names()).collect();
            let help = did_you_mean(name, all.iter().copied());
            let help = help.unwrap_or_else(|| format!("known are {}", all.join(", ")));
            self.errors.push(node.error(format!("unknown format {}", quote(name)), &help));
            // A preset may have been meant, which has them.
            self.wrong_parts.extend(PARTS);
        }
        format
    }

    /// The list whose elements make a record each, with or without `[]` behind it; or lists in its elements.
    fn for_each(&mut self, tree: Tree<'_, '_>) {
        let Some(node) = tree.get("for-each") else { return };
        let text = node.value.as_str().map(|text| text.strip_suffix("[]").unwrap_or(text));
        let path = text.and_then(|text| FieldPath::parse(text).ok());
        let steps = path.as_ref().map_or(&[][..], FieldPath::steps);
        let mut lists = steps.split(|step| *step == PathStep::Each);
        let (first, inner) = (lists.next().unwrap_or_default(), lists.map(<[_]>::to_vec));
        let inner: Vec<Vec<PathStep>> = inner.collect();
        let is_plain = |step: &PathStep| {
            matches!(step, PathStep::Key(_) | PathStep::Index(_) | PathStep::With { .. })
        };
        if !inner.iter().flatten().all(is_plain) || first.is_empty() && !inner.is_empty() {
            let help = "write for-each = \"batches[].messages[]\": a list of the record, and a list in each of its elements";
            self.errors.push(node.error("this leads to no list in the elements of a list", help));
            return;
        }
        let list = match text {
            Some(text) if inner.is_empty() => self.path(text, node.span),
            Some(_) => {
                let list = self.fields.add(FieldPath::from_steps(first));
                self.field_places.resize(self.fields.len(), node.span);
                Some(list)
            }
            None => self.field(node),
        };
        if let Some(list) = list {
            self.fields.set_each(list, inner);
        }
    }

    /// The signs that records are missing at a key of [input]: paths, each maybe with a value.
    fn signs(
        &mut self,
        tree: Tree<'_, '_>,
        name: &str,
        mut usual: Vec<IncompleteSign>,
        records: &[FieldPath],
    ) -> Vec<IncompleteSign> {
        const HELP: &str = "write fields of a document or of an object around the records, maybe with a value: \
                            \"errors\", \"meta.status = timeout\"";
        let Some(node) = tree.get(name) else {
            return usual;
        };
        // A mapping may take the records of its preset away.
        if records.is_empty() && tree.get("records").is_none() {
            let message = format!("`{name}` without `records`");
            self.errors.push(node.error(message, "only documents around records have such signs"));
        }
        let mut signs = Vec::new();
        for node in node.list().unwrap_or_else(|_| vec![node]) {
            let Some(text) = self.take(node.text()) else { continue };
            let (path, value) = path_and_value(text);
            let path = FieldPath::parse(path).map_err(|error| node.error(error.to_string(), HELP));
            let Some(path) = self.take(path) else { continue };
            if is_of_documents(&path, records) {
                // Its own meaning takes the place of the usual one.
                usual.retain(|sign| sign.path != path);
                signs.push(IncompleteSign { path, value });
            } else if !records.is_empty() {
                let message =
                    format!("{} is not a field of the objects around the records", quote(text));
                self.errors.push(node.error(message, HELP));
            }
        }
        if !signs.is_empty() {
            signs.append(&mut usual);
        }
        signs
    }

    /// The paths to lists of records, one or several.
    fn records(&mut self, node: TomlValue<'_, '_>) -> Vec<FieldPath> {
        const HELP: &str = "write records = \"data[].spans[]\": `[]` are the elements of a list, `.*` the values of an object";
        let mut paths: Vec<FieldPath> = Vec::new();
        for node in node.list().unwrap_or_else(|_| vec![node]) {
            let Some(text) = self.take(node.text()) else { continue };
            let path = FieldPath::parse(text).map_err(|error| node.error(error.to_string(), HELP));
            let Some(path) = self.take(path) else { continue };
            let is_each = |step: &PathStep| matches!(step, PathStep::Each | PathStep::EachValue);
            let is_plain = |step: &PathStep| matches!(step, PathStep::Key(_)) || is_each(step);
            let steps = after_documents(path.steps());
            if !path.steps().iter().all(is_plain) || !steps.last().is_some_and(is_each) {
                let message = format!("{} leads to no list of records", quote(text));
                let help = match list_before(text) {
                    Some((list, field)) => format!(
                        "write records = \"{list}\", and `{field}.` before the fields of the mapping that stand there"
                    ),
                    None => HELP.to_owned(),
                };
                self.errors.push(node.error(message, &help));
            } else if let Some(other) = paths.iter().find(|it| is_inside(it.steps(), path.steps()))
            {
                let message =
                    format!("{} is inside of the records at {}", quote(text), quote(other.text()));
                self.errors.push(node.error(
                    message,
                    "a record is in one list: name the inner one, and `^` for the object around it",
                ));
            } else {
                paths.push(path);
            }
        }
        paths
    }

    /// Fields of objects around a record need `records`, and an object that is there.
    pub(super) fn check_around(&mut self, input: &InputOptions) {
        let places = self.fields.iter().zip(&self.field_places);
        let is_around = |field: FieldId, path: &FieldPath| {
            path.is_around() || path.is_around_element() && !self.fields.is_of_element(field)
        };
        let around: Vec<(FieldPath, Span)> = places
            .filter(|((field, path), _)| is_around(*field, path))
            .map(|((_, path), span)| (path.clone(), *span))
            .collect();
        for (path, span) in around {
            let found = |records: &FieldPath| {
                let records = after_documents(records.steps());
                let (depth, rest) = around_of(records, path.steps())?;
                let is_known =
                    matches!(rest, [PathStep::Key(_), ..]) && rest.first() != records.get(depth);
                let is_plain = |step: &PathStep| {
                    matches!(step, PathStep::Key(_) | PathStep::Index(_) | PathStep::With { .. })
                };
                let is_by = |is: &[PathStep]| {
                    is.iter().all(is_plain) || FieldPath::from_steps(is).is_around_element()
                };
                let is_look_up = |step: &PathStep| match step {
                    PathStep::At { is, .. } => is_by(is),
                    _ => false,
                };
                let inner = match rest.iter().filter(|step| is_look_up(step)).count() {
                    1 => rest.iter().all(|step| is_plain(step) || is_look_up(step)),
                    _ => rest.iter().all(|step| is_plain(step) || *step == PathStep::Json),
                };
                (is_known && inner).then_some(())
            };
            let (message, help) = match input.records.is_empty() {
                true => (
                    "this leads out of the record",
                    "write [input] records = \"list[]\" for records inside of documents",
                ),
                false if input.records.iter().any(|records| found(records).is_some()) => continue,
                false => (
                    "this is not a field of the objects around the records",
                    "`^.field` is one of the object around the record, `^.^.field` one of the object around that; \
                     `^.table[$.id].field` looks a field of the record up",
                ),
            };
            let error = Diagnostic::new(span, format!("{}: {message}", quote(path.text())), "");
            self.errors.push(error.with_help(help));
        }
    }

    /// The signs of pairs; `None` if they are those of logfmt.
    fn pair_signs(&mut self, tree: Tree<'_, '_>) -> Option<PairSigns> {
        let mut sign = |key| {
            let node = tree.get(key)?;
            let text = self.take(node.text())?;
            if text.is_empty() || text.contains(['\n', '\r', '"']) {
                let help = "write the text that stands there, without quotes and line ends";
                self.errors.push(node.error(format!("this cannot be a {key}"), help));
            }
            Some(text.to_owned())
        };
        let (between, within) = (sign("delimiter"), sign("separator"));
        let is_plain = between.is_none() && within.as_deref().is_none_or(|it| it == "=");
        let (between, within) = (between.unwrap_or(" ".into()), within.unwrap_or("=".into()));
        (!is_plain).then_some(PairSigns { between, within })
    }

    pub(super) fn delimiter(&mut self, node: TomlValue<'_, '_>) -> Option<u8> {
        match self.take(node.text())?.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Some(*byte),
            _ => {
                let help = "one ASCII character, no quote and no line end; for pairs with any text between them, write format = \
                            \"logfmt\" beside it; for lines with several characters between cells, write patterns with a named group for \
                            each cell, patterns = ['^(?<time>.*?), (?<node>.*?), (?<msg>.*)$']";
                self.errors.push(node.error("this cannot be a delimiter", help));
                None
            }
        }
    }

    pub(super) fn patterns(
        &mut self,
        node: TomlValue<'_, '_>,
        options: &InputOptions,
    ) -> Option<Vec<String>> {
        let nodes = self.take(node.list())?;
        let mut texts = Vec::new();
        for node in &nodes {
            let text = self.take(node.text())?;
            texts.push(self.expanded(*node, text)?);
        }
        if let Err(error) = options.compiled.get(&texts, options.patterns_win) {
            let place = nodes.get(error.index).unwrap_or(&node);
            let message = format!("no regular expression: {}", error.message);
            self.errors.push(place.error(message, REGEX_HELP));
        }
        Some(texts)
    }

    pub(super) fn patterns_win(&mut self, tree: Tree<'_, '_>) -> PatternsWin {
        let Some(node) = tree.get("patterns-win") else { return PatternsWin::default() };
        if tree.get("patterns").is_none() {
            let help = "list `patterns`, or take `patterns-win` away";
            self.errors.push(node.error("`patterns-win` without `patterns`", help));
        }
        match node.value.as_str() {
            Some("first") => PatternsWin::First,
            Some("leftmost") => PatternsWin::Leftmost,
            _ => {
                let help = "which pattern counts if several match: the first in the list, or the \
                            one that matches furthest left?";
                self.errors.push(node.error("expected \"first\" or \"leftmost\"", help));
                PatternsWin::default()
            }
        }
    }

    /// The pattern of the first line of a record; only plain text has it.
    pub(super) fn start(
        &mut self,
        node: TomlValue<'_, '_>,
        format: Option<Format>,
    ) -> Option<String> {
        if format != Some(Format::Text) {
            let help = "records over several lines are read by `patterns`; take `start` away for \
                        other formats";
            self.errors.push(node.error("`start` is for plain text", help));
        }
        let text = self.take(node.text())?;
        self.regex(node, text)?;
        self.expanded(node, text)
    }

    pub(super) fn unmatched(&mut self, top: Tree<'_, '_>) -> Unmatched {
        let Some(node) = top.get("unmatched") else { return Unmatched::default() };
        match node.value.as_str() {
            Some("ignore") => Unmatched::Ignore,
            Some("count") => Unmatched::Count,
            Some("error") => Unmatched::Error,
            _ => {
                let help = "how should records count that no rule matches?";
                let message = "expected \"ignore\", \"count\" or \"error\"";
                self.errors.push(node.error(message, help));
                Unmatched::default()
            }
        }
    }
}

/// Whether a path leads to a field of a document, or of an object around the records, that is not on the way to them.
fn is_of_documents(path: &FieldPath, records: &[FieldPath]) -> bool {
    let is_plain = |step: &PathStep| {
        matches!(
            step,
            PathStep::Key(_)
                | PathStep::Index(_)
                | PathStep::Each
                | PathStep::EachValue
                | PathStep::With { .. }
        )
    };
    let is_around = |it: &FieldPath| {
        let records = after_documents(it.steps());
        around_of(records, path.steps()).is_some_and(|(depth, rest)| {
            matches!(rest, [PathStep::Key(_), ..]) && rest.first() != records.get(depth)
        })
    };
    let is_on_the_way = |it: &FieldPath| is_inside(it.steps(), path.steps());
    path.steps().iter().all(is_plain)
        && records.iter().any(is_around)
        && !records.iter().any(is_on_the_way)
}
