//! Documents as pages of exports: whether the last page of each export is there.

// No token says to which export its page belongs. But two pages of one export are not followed by the same page, so
// documents that say the same next page are pages of as many exports, and each export has a last page. Two kinds of
// values stay the same through an export: flags, which have no digit, and cursors that a server keeps. Of the second kind
// the different values are the exports. So the smaller of both numbers is certain, and for page numbers the first one.

use super::document_signs::Count;
use crate::error::EventError;
use crate::record::RecordPlace;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem;
use std::sync::Arc;

/// How many different values of a field are remembered; that further ones come again is not seen. An estimate: some ten
/// megabytes.
const MOST_REMEMBERED: usize = 100_000;
pub(super) const HELP: &str = "get the other pages, and give all of them together; or write next-page = [] in [input] if the \
                               field means something else";

/// Documents as pages of exports.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    /// Documents that say that another page follows.
    pub(crate) unfinished: u64,
    /// The other documents.
    pub(crate) last: u64,
    /// The first unfinished one as an error.
    pub(crate) first: Option<EventError>,
    /// The values that say which page follows, by the field.
    pub(super) next: BTreeMap<String, NextPages>,
    /// The documents that say how many pages there are.
    counted: u64,
    /// The largest number, and the file of its document.
    most: Option<(Count, String)>,
    /// How many elements the lists have that are shorter than their documents say, and the largest number that one says.
    pub(crate) held: u64,
    pub(crate) wanted: u64,
    /// The first of them as an error.
    pub(crate) short: Option<EventError>,
}

/// The values of one field that says which page follows.
#[derive(Debug, Default)]
pub(super) struct NextPages {
    /// The documents that have a value, by its hash.
    values: BTreeMap<u64, SamePage>,
    /// Whether a value is more than a number.
    has_texts: bool,
    /// The largest count, and its documents.
    most: Option<SamePage>,
}

/// How many documents say the same next page, and where the last of them says so.
#[derive(Clone, Debug)]
struct SamePage {
    count: u64,
    file: Arc<str>,
    line: u64,
}

impl Pages {
    /// A document says how many pages there are.
    pub(super) fn add_counted(&mut self, count: Count, file: &str) {
        self.add_most(1, Some((count, file.to_owned())));
    }

    fn add_most(&mut self, counted: u64, more: Option<(Count, String)>) {
        self.counted += counted;
        let wanted = |most: &Option<(Count, String)>| most.as_ref().map_or(0, |it| it.0.wanted);
        if wanted(&more) > wanted(&self.most) {
            self.most = more;
        }
    }

    /// Adds the pages of a later input.
    pub(crate) fn add(&mut self, later: Pages) {
        self.unfinished += later.unfinished;
        self.last += later.last;
        self.first = self.first.take().or(later.first);
        for (field, more) in later.next {
            let next = self.next.entry(field).or_default();
            next.has_texts |= more.has_texts;
            more.values.into_iter().for_each(|(value, same)| next.add_same(value, same));
        }
        self.add_most(later.counted, later.most);
        self.held += later.held;
        self.wanted = self.wanted.max(later.wanted);
        self.short = self.short.take().or(later.short);
    }

    /// The errors of an input that lacks pages: an export without its last page, or fewer documents than pages. Then that of
    /// lists that are too short, if those of all documents together are. Each is given once.
    pub(crate) fn take_errors(&mut self) -> impl Iterator<Item = EventError> + use<> {
        let without_last = self.first.take().filter(|_| self.last == 0);
        let next = mem::take(&mut self.next);
        let mut fewer = next.iter().filter_map(|(field, next)| next.without_last(field, self.last));
        let without_last = without_last.or_else(|| fewer.next());
        let counted = self.counted;
        let most = self.most.take().filter(|(count, _)| counted < count.wanted);
        let too_few = most.map(|(Count { text, line, .. }, file)| {
            let message =
                format!("{text}, and {counted} of the documents are pages: the others are missing");
            EventError::without_text(&file, Some(RecordPlace::line(line)), message, HELP)
        });
        let too_short = self.short.take().filter(|_| self.held < self.wanted);
        without_last.or(too_few).into_iter().chain(too_short)
    }
}

impl NextPages {
    /// A document has a value.
    pub(super) fn add(&mut self, value: &str, file: &str, line: u64) {
        if !value.bytes().any(|byte| byte.is_ascii_digit()) {
            return;
        }
        self.has_texts |= value.parse::<u64>().is_err();
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        self.add_same(hasher.finish(), SamePage { count: 1, file: Arc::from(file), line });
    }

    fn add_same(&mut self, value: u64, mut same: SamePage) {
        if self.values.len() >= MOST_REMEMBERED && !self.values.contains_key(&value) {
            return;
        }
        same.count += self.values.get(&value).map_or(0, |before| before.count);
        if self.most.as_ref().is_none_or(|most| most.count < same.count) {
            self.most = Some(same.clone());
        }
        self.values.insert(value, same);
    }

    /// The error of pages of more exports than there are last pages.
    fn without_last(&self, field: &str, last: u64) -> Option<EventError> {
        let SamePage { count, file, line } = self.most.as_ref()?;
        let lower = field.to_ascii_lowercase();
        let may_stay = self.has_texts || ["cursor", "token"].iter().any(|it| lower.contains(it));
        let exports = if may_stay { (*count).min(self.values.len() as u64) } else { *count };
        (exports > last).then(|| {
            let message = format!(
                "{count} documents say by `{field}` that the same page follows, so they are pages of at least {exports} exports, \
                 of which {last} have their last page"
            );
            EventError::without_text(file, Some(RecordPlace::line(*line)), message, HELP)
        })
    }
}
