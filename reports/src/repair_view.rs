//! The repair of one session as reports show it: edits with their places.

use crate::explanation::event_place;
use crate::view::{View, is_zero};
use multitrace_formats::place::{Place, Places};
use multitrace_interaction::{Alphabet, Edit, EditKind, Repair, Session, SessionLocations};
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

/// One edit and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditView {
    /// The edit; long names are cut.
    pub edit: Edit,
    /// The place of the event to delete, or of the one that an insertion follows.
    pub place: Option<Place>,
}

impl RepairView {
    /// A repair of a session over an alphabet.
    pub fn new(
        repair: &Repair,
        session: &Session,
        alphabet: &Alphabet,
        places: &dyn Places,
        view: &View,
    ) -> RepairView {
        let shown = if *view == View::WHOLE { repair.edits.len() } else { MOST_EDITS };
        let locations = SessionLocations::new(session, alphabet);
        let edit = |edit: &Edit| {
            let index = match edit.kind {
                EditKind::Delete => Some(edit.index),
                EditKind::Insert => edit.index.checked_sub(1),
            };
            let place = index.and_then(|at| event_place(&edit.location, at, &locations, places));
            let (location, action) = (view.name(&edit.location), view.name(&edit.action));
            EditView { edit: Edit { location, action, ..edit.clone() }, place }
        };
        RepairView {
            distance: repair.distance,
            exact: repair.exact,
            fitness: repair.fitness(),
            edits: repair.edits.iter().take(shown).map(edit).collect(),
            edits_omitted: repair.edits.len().saturating_sub(shown),
        }
    }
}

impl RepairView {
    /// The same without places.
    pub(crate) fn without_places(&self) -> RepairView {
        let edits = self.edits.iter();
        let edits = edits.map(|it| EditView { edit: it.edit.clone(), place: None }).collect();
        RepairView { edits, ..self.clone() }
    }
}

/// An edit as JSON: `{"location","index","insert"}` or `{"location","index","delete"}`, and its place
/// if there is one.
impl Serialize for EditView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serialize_edit(&self.edit, &mut map)?;
        if let Some(place) = &self.place {
            map.serialize_entry("file", &place.file)?;
            map.serialize_entry("line", &place.line)?;
        }
        map.end()
    }
}

fn serialize_edit<M: SerializeMap>(edit: &Edit, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("location", &edit.location)?;
    map.serialize_entry("index", &edit.index)?;
    let kind = match edit.kind {
        EditKind::Insert => "insert",
        EditKind::Delete => "delete",
    };
    map.serialize_entry(kind, &edit.action)
}

/// A repair as JSON, whole and without places.
pub(crate) struct RepairObject<'a>(pub(crate) &'a Repair);

struct EditObject<'a>(&'a Edit);

impl Serialize for RepairObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let edits: Vec<EditObject<'_>> = self.0.edits.iter().map(EditObject).collect();
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("distance", &self.0.distance)?;
        map.serialize_entry("exact", &self.0.exact)?;
        map.serialize_entry("fitness", &self.0.fitness())?;
        map.serialize_entry("edits", &edits)?;
        map.end()
    }
}

impl Serialize for EditObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        serialize_edit(self.0, &mut map)?;
        map.end()
    }
}
