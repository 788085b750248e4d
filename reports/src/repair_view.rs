//! The repair of one session as reports show it: edits with their names and places.

use crate::session_names::SessionNames;
use crate::view::{View, is_zero};
use multitrace_formats::place::{Place, Places};
use multitrace_interaction::{Edit, EditKind, Id, Repair};
use serde::{Serialize, Serializer, ser::SerializeMap};

/// The most edits that an excerpt shows: about one screen.
const MOST_EDITS: usize = 20;

/// The least change that makes a session accepted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RepairView {
    /// The least number of edits; if it is not exact, a lower bound.
    pub distance: u64,
    /// Whether the distance is exact.
    pub exact: bool,
    /// 1 - distance / the most edits that a session of this length can need; `None` if the
    /// specification accepts nothing.
    pub fitness: Option<f64>,
    /// The edits, by location, then by index.
    pub edits: Vec<EditView>,
    /// Edits that are not shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub edits_omitted: usize,
}

/// One edit and where it is; long names are cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditView {
    /// The name of the location.
    pub location: String,
    /// The index in the log as given, from 0. An insertion goes before the event there.
    pub index: usize,
    /// The event.
    pub action: String,
    /// Whether the event is to be inserted or deleted.
    pub kind: EditKind,
    /// The place of the event to delete, or of the one that an insertion follows.
    pub place: Option<Place>,
}

impl RepairView {
    /// A repair of a session.
    pub fn new(
        repair: &Repair,
        names: &SessionNames<'_>,
        places: &dyn Places,
        view: &View,
    ) -> RepairView {
        let shown = if *view == View::WHOLE { repair.edits.len() } else { MOST_EDITS };
        let edit = |edit: &Edit| {
            let index = match edit.kind {
                EditKind::Delete => Some(edit.index),
                EditKind::Insert => edit.index.checked_sub(1),
            };
            EditView {
                location: view.name(names.location(edit.location)),
                index: edit.index,
                action: view.name(names.edited(edit)),
                kind: edit.kind,
                place: index.and_then(|at| places.event(edit.location.index(), at)),
            }
        };
        RepairView {
            distance: repair.distance,
            exact: repair.exact,
            fitness: repair.fitness(),
            edits: repair.edits.iter().take(shown).map(edit).collect(),
            edits_omitted: repair.edits.len().saturating_sub(shown),
        }
    }

    /// The same without places.
    #[must_use]
    pub fn without_places(mut self) -> RepairView {
        self.edits.iter_mut().for_each(|edit| edit.place = None);
        self
    }
}

/// An edit as JSON: `{"location","index","insert"}` or `{"location","index","delete"}`, and its place
/// if there is one.
impl Serialize for EditView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("location", &self.location)?;
        map.serialize_entry("index", &self.index)?;
        let kind = match self.kind {
            EditKind::Insert => "insert",
            EditKind::Delete => "delete",
        };
        map.serialize_entry(kind, &self.action)?;
        if let Some(place) = &self.place {
            map.serialize_entry("file", &place.file)?;
            map.serialize_entry("line", &place.line)?;
            if let Some(record) = place.record {
                map.serialize_entry("record", &record)?;
            }
        }
        map.end()
    }
}
