//! The content of a picture of a session: small enough to be kept for each kind of finding and in partial reports. It
//! is drawn where it is written.

use crate::pictures::space_time::cut::{self, Row};
use crate::pictures::space_time::event::Event;
use crate::pictures::space_time::notes::{cycles, session_notes};
use crate::pictures::space_time::story::Story;
use crate::pictures::space_time::subject::SpaceTime;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How many findings the description names.
const NAMED: usize = 5;

/// The content of a space-time diagram of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    pub(super) title: String,
    pub(super) lanes: Vec<String>,
    /// Those that are shown, and those at the other ends of their arrows.
    pub(super) events: Vec<Event>,
    pub(super) rows: Vec<SceneRow>,
    /// Per event, the emission that it received.
    pub(super) sources: Vec<Option<usize>>,
    /// Events of which the first would have to come before the second.
    pub(super) orders: Vec<(usize, usize)>,
    /// Notes on findings that stand at no event.
    pub(super) notes: Vec<String>,
    /// The first findings, by code and title.
    pub(super) findings: Vec<(String, String)>,
    /// How many events the session has.
    pub(super) length: usize,
}

/// An event, or those left out in its place: how many, and those of them that arrows end at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SceneRow {
    Event(usize),
    Omitted(usize, Vec<usize>),
}

impl Scene {
    /// The content of a picture of a session.
    pub fn new(session: &SpaceTime<'_>) -> Scene {
        let story = Story::new(session);
        let rows = cut::rows(&story, session.cut);
        let findings = session.findings.iter().take(NAMED);
        let scene = Scene {
            title: session.title.to_owned(),
            notes: session_notes(session).into_iter().chain(cycles(session)).collect(),
            findings: findings.map(|it| (it.code.name().to_owned(), it.title())).collect(),
            length: story.events.len(),
            ..Scene::default()
        };
        scene.with_events(story, &rows)
    }

    /// The same with the events of a story that its rows need.
    fn with_events(self, story: Story, rows: &[Row]) -> Scene {
        let shown = rows.iter().filter_map(|row| match row {
            Row::Event(at) => Some(*at),
            Row::Omitted(..) => None,
        });
        let shown: BTreeSet<usize> = shown.collect();
        let arrows = story.sources.iter().enumerate();
        let arrows = arrows.filter_map(|(to, from)| Some(((*from)?, to)));
        let arrows: Vec<(usize, usize)> =
            arrows.filter(|(from, to)| shown.contains(from) || shown.contains(to)).collect();
        let ends = arrows.iter().chain(&story.orders).flat_map(|&(from, to)| [from, to]);
        let kept: Vec<usize> =
            shown.iter().copied().chain(ends).collect::<BTreeSet<_>>().into_iter().collect();
        let number = |at: usize| kept.binary_search(&at).ok();
        let mut sources = vec![None; kept.len()];
        for (from, to) in arrows {
            number(to).into_iter().for_each(|to| sources[to] = number(from));
        }
        let row = |row: &Row| match *row {
            Row::Event(at) => SceneRow::Event(number(at).unwrap_or_default()),
            Row::Omitted(first, count) => {
                let omitted = story.order[first..first + count].iter();
                SceneRow::Omitted(count, omitted.filter_map(|&at| number(at)).collect())
            }
        };
        Scene {
            rows: rows.iter().map(row).collect(),
            orders: story
                .orders
                .iter()
                .filter_map(|&(a, b)| Some((number(a)?, number(b)?)))
                .collect(),
            events: kept.iter().map(|&at| story.events[at].clone()).collect(),
            lanes: story.lanes,
            sources,
            ..self
        }
    }

    /// Whether all that it refers to is there. For scenes from other machines.
    pub(crate) fn is_whole(&self) -> bool {
        let events = self.events.len();
        let is_there = |at: &usize| *at < events;
        let row = |row: &SceneRow| match row {
            SceneRow::Event(at) => is_there(at),
            SceneRow::Omitted(_, all) => all.iter().all(is_there),
        };
        self.rows.iter().all(row)
            && self.events.iter().all(|event| event.lane < self.lanes.len())
            && self.sources.len() == events
            && self.sources.iter().flatten().all(is_there)
            && self.orders.iter().all(|(a, b)| is_there(a) && is_there(b))
    }
}
