//! Records that do not name their session go to that of the records with the same id: `[[join]]`.

// Idea: such records wait by id, beside links, which say that an id belongs to a session, or that two
// ids belong together. In a round all ids are grouped as sessions are. An id with a session gives its
// records to it, and tells the ids that belong together with it, for the next round. An id without one
// waits for the next round if it belongs together with another.
//
// Invariant: an id gives its records away once. Afterwards only its session is kept, so that a
// neighbour that says otherwise is noticed.
//
// Cost: as many rounds as the longest chain of ids, each over what still waits; on disk beyond the
// memory, as sessions are.

use crate::grouping::{EventStore, Grouped, RunMerge};
use crate::mapper::Mapper;
use crate::mapping::SessionRef;
use crate::record::RecordPlace;
use crate::session_key::session_of;
use crate::stored_event::{StoredEvent, StoredKind, read, write};
use indexmap::{IndexMap, IndexSet};
use multitrace_formats::place::Place;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::source::quote;
use std::io;

/// Where a record was read, and its number among all events.
#[derive(Clone, Copy)]
struct ReadAt {
    number: u64,
    file: u32,
    place: RecordPlace,
}

/// Gives records to the sessions of their ids.
pub(crate) struct Joining<'j> {
    mapper: &'j Mapper,
    /// The events of sessions that are known.
    store: &'j mut EventStore,
    counts: &'j mut RecordCounts,
    problems: Vec<InputProblem>,
}

/// What the links of an id say.
#[derive(Default)]
struct Links<'g> {
    /// The sessions, and where the first record that says so was read.
    sessions: IndexMap<&'g [u8], ReadAt>,
    /// The ids of the same session.
    neighbours: IndexSet<&'g [u8]>,
    /// How many events wait.
    events: u64,
    /// The first record that waits.
    first: Option<ReadAt>,
}

impl<'j> Joining<'j> {
    pub(crate) fn new(
        mapper: &'j Mapper,
        store: &'j mut EventStore,
        counts: &'j mut RecordCounts,
    ) -> Joining<'j> {
        Joining { mapper, store, counts, problems: Vec::new() }
    }

    /// Gives away all that waits, in about `memory` bytes. Returns what is wrong: ids of several
    /// sessions.
    ///
    /// # Errors
    /// When a temporary file cannot be written or read.
    pub(crate) fn run(
        mut self,
        mut waiting: EventStore,
        memory: usize,
    ) -> io::Result<Vec<InputProblem>> {
        let mut is_first = true;
        loop {
            self.counts.spilled_bytes += waiting.spilled();
            let (mut next, mut goes_on) = (EventStore::new(memory), false);
            for group in RunMerge::new(waiting.into_runs()?)? {
                goes_on |= self.give(&group?, is_first, &mut next)?;
            }
            waiting = next;
            if !goes_on {
                break;
            }
            is_first = false;
        }
        self.leave(waiting)?;
        Ok(self.problems)
    }

    /// Gives away the records of an id, or keeps them for the next round. Returns whether another id
    /// has its session by this.
    fn give(&mut self, group: &Grouped, is_first: bool, next: &mut EventStore) -> io::Result<bool> {
        let links = Links::of(group);
        match links.sessions.first() {
            None if links.neighbours.is_empty() => self.count_lost(&links),
            None => self.keep(group, next)?,
            Some((session, _)) if links.sessions.len() == 1 => self.give_to(group, session)?,
            // Without records that need its session, an id may be anybody's.
            _ if is_first && links.first.is_none() && links.neighbours.is_empty() => {}
            _ => self.refuse(group, &links)?,
        }
        if !links.neighbours.is_empty() {
            tell(group, &links, next)?;
        }
        Ok(!links.sessions.is_empty() && !links.neighbours.is_empty())
    }

    fn count_lost(&mut self, links: &Links<'_>) {
        self.counts.events -= links.events;
        self.counts.without_session += links.events;
    }

    fn keep(&self, group: &Grouped, next: &mut EventStore) -> io::Result<()> {
        let mut records = group.records();
        records.try_for_each(|(number, content)| next.add_record(number, group.key(), content))
    }

    fn give_to(&mut self, group: &Grouped, session: &[u8]) -> io::Result<()> {
        for (number, content) in group.records() {
            let kind = read(content).kind;
            if matches!(kind, StoredKind::Link(_)) {
                continue;
            }
            let is_selected = self.mapper.selects(session_of(session));
            if is_event(&kind) {
                self.counts.joined += u64::from(is_selected);
                self.counts.not_selected += u64::from(!is_selected);
                self.counts.events -= u64::from(!is_selected);
            }
            if is_selected {
                self.store.add_record(number, session, content)?;
            }
        }
        Ok(())
    }

    /// Reports an id of two sessions. Both miss its records.
    fn refuse(&mut self, group: &Grouped, links: &Links<'_>) -> io::Result<()> {
        self.counts.events -= links.events;
        let sessions = || links.sessions.iter().take(2);
        for (session, told) in sessions() {
            self.store.add_record(told.number, session, &told.stored(StoredKind::Lost))?;
        }
        let SessionRef::Joined { join, id } = session_of(group.key()) else { return Ok(()) };
        let of = |(session, told): (&&[u8], &ReadAt)| {
            format!("session {:?} ({})", session_of(session).to_string(), self.place(*told))
        };
        let both: Vec<String> = sessions().map(of).collect();
        let (name, id) = (self.mapper.mapping.join_name(join), quote(id));
        let message = format!("{id}, which is {name}, belongs to {}", both.join(" and to "));
        let help = "let `when` of [[join]] leave records out that belong to nobody or to several, or \
                    join by another field";
        let at = links.first.or(links.sessions.values().nth(1).copied());
        let at = at.map_or((0, None), |at| (at.file, Some(at.place)));
        self.problems.push(self.mapper.problem_at(at.0, at.1, (&message, help)));
        Ok(())
    }

    fn place(&self, ReadAt { file, place, .. }: ReadAt) -> Place {
        let file = self.mapper.files.get(file as usize).cloned().unwrap_or_default();
        Place { file, line: usize::try_from(place.number).ok() }
    }

    /// Counts what waits for ever.
    fn leave(&mut self, waiting: EventStore) -> io::Result<()> {
        for group in RunMerge::new(waiting.into_runs()?)? {
            let group = group?;
            let links = Links::of(&group);
            if links.sessions.is_empty() {
                self.count_lost(&links);
            }
        }
        Ok(())
    }
}

/// Tells the sessions of an id to its neighbours, and to itself for the next round.
fn tell(group: &Grouped, links: &Links<'_>, next: &mut EventStore) -> io::Result<()> {
    // Two sessions are enough to see that there is more than one.
    for (session, told) in links.sessions.iter().take(2) {
        let content = told.stored(StoredKind::Link(session));
        for id in links.neighbours.iter().copied().chain([group.key()]) {
            next.add_record(told.number, id, &content)?;
        }
    }
    Ok(())
}

impl ReadAt {
    /// Another record of this place.
    fn stored(&self, kind: StoredKind<'_>) -> Vec<u8> {
        let ReadAt { file, place, .. } = *self;
        let mut content = Vec::new();
        write(&StoredEvent { file, place, order: None, kind }, &mut content);
        content
    }
}

fn is_event(kind: &StoredKind<'_>) -> bool {
    matches!(kind, StoredKind::Known(_) | StoredKind::Event { .. })
}

impl<'g> Links<'g> {
    fn of(group: &'g Grouped) -> Links<'g> {
        let mut links = Links::default();
        for (number, content) in group.records() {
            let StoredEvent { file, place, kind, .. } = read(content);
            let read_at = ReadAt { number, file, place };
            match kind {
                StoredKind::Link(key) => match session_of(key) {
                    SessionRef::Named(_) => {
                        links.sessions.entry(key).or_insert(read_at);
                    }
                    SessionRef::Joined { .. } => _ = links.neighbours.insert(key),
                },
                kind => {
                    links.events += u64::from(is_event(&kind));
                    links.first.get_or_insert(read_at);
                }
            }
        }
        links
    }
}
