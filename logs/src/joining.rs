//! Records that do not name their session go to that of the records with the same id: `[[join]]`.

// Idea: such records wait by id, beside links, which say that an id belongs to a session, or that two
// ids belong together. All ids are grouped as sessions are. An id that belongs together with no other
// gives its records to its session at once. The others are joined to chains first, by their links, and
// give their records away in a second pass.
//
// Invariant: an id gives its records away once, and only if its chain has one session.
//
// Cost: one more grouping, two for ids in chains; on disk beyond the memory, as sessions are. The chains
// themselves are in memory: an entry for each id that belongs together with another.

use crate::assemble::shown;
use crate::chains::{Chains, ReadAt};
use crate::grouping::{EventStore, Grouped, RunMerge};
use crate::mapper::Mapper;
use crate::mapping::{Lost, SessionRef};
use crate::record_problem::problem_at;
use crate::session_key::session_of;
use crate::stored_event::{StoredEvent, StoredKind, read, write};
use indexmap::{IndexMap, IndexSet};
use multitrace_formats::problem::InputProblem;
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::source::quote;
use std::io;

/// How many ids of several sessions are reported one by one.
const MOST_PROBLEMS: usize = 1000;

/// Gives records to the sessions of their ids.
pub(crate) struct Joining<'j> {
    mapper: &'j Mapper,
    /// The events of sessions that are known.
    store: &'j mut EventStore,
    counts: &'j mut RecordCounts,
    problems: Vec<InputProblem>,
    /// Ids of several sessions beyond those told one by one.
    untold: u64,
    /// Ids that lead to no session.
    nowhere: u64,
}

/// The sessions and other ids that the links of an id name.
#[derive(Default)]
struct Links<'g> {
    /// The sessions, and where the first record that says so was read.
    sessions: IndexMap<Vec<u8>, ReadAt>,
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
        Joining { mapper, store, counts, problems: Vec::new(), untold: 0, nowhere: 0 }
    }

    /// Gives away all waiting records, in about `memory` bytes. Returns the problems: ids of several sessions.
    ///
    /// # Errors
    /// When a temporary file cannot be written or read.
    pub(crate) fn run(
        mut self,
        waiting: EventStore,
        memory: usize,
    ) -> io::Result<Vec<InputProblem>> {
        self.counts.spilled_bytes += waiting.spilled();
        let (mut chained, mut chains) = (EventStore::new(memory), Chains::default());
        for group in RunMerge::new(waiting.into_runs()?)? {
            let group = group?;
            let links = Links::new(&group);
            if links.neighbours.is_empty() {
                self.give(&group, &links, &links.sessions)?;
            } else {
                chains.add(group.key(), &links.neighbours, &links.sessions);
                keep(&group, &mut chained)?;
            }
        }
        chains.close();
        self.counts.spilled_bytes += chained.spilled();
        for group in RunMerge::new(chained.into_runs()?)? {
            let group = group?;
            self.give(&group, &Links::new(&group), chains.sessions_of(group.key()))?;
        }
        if self.nowhere > 1 {
            let message = format!("{} more ids lead to no session", self.nowhere - 1);
            self.problems.push(problem_at(self.mapper.file(0), None, (&message, NOWHERE)));
        }
        if self.untold > 0 {
            let message = format!("{} more ids belong to several sessions", self.untold);
            self.problems.push(problem_at(self.mapper.file(0), None, (&message, HELP)));
        }
        Ok(self.problems)
    }

    /// Gives the records of an id to its session.
    fn give(
        &mut self,
        group: &Grouped,
        links: &Links<'_>,
        sessions: &IndexMap<Vec<u8>, ReadAt>,
    ) -> io::Result<()> {
        match sessions.first() {
            None => self.keep_lost(group, links)?,
            Some((session, _)) if sessions.len() == 1 => self.give_to(group, session)?,
            // Without records that need its session, an id may be anybody's.
            Some(_) if links.first.is_none() => {}
            Some(_) => self.refuse(group, links, sessions)?,
        }
        Ok(())
    }

    /// Gives the events of an id that leads to no session to one that is called as the id, or counts them, as the mapping
    /// says. The first such id is a problem, unless the mapping allows it.
    fn keep_lost(&mut self, group: &Grouped, links: &Links<'_>) -> io::Result<()> {
        let SessionRef::Joined { join, id } = session_of(group.key()) else { return Ok(()) };
        let lost = self.mapper.mapping.lost(join);
        if lost == Lost::Own {
            return self.give_to(group, id.as_bytes());
        }
        self.counts.events -= links.events;
        self.counts.without_session += links.events;
        let Some(at) = links.first.filter(|_| links.events > 0 && lost == Lost::Error) else {
            return Ok(());
        };
        self.nowhere += 1;
        if self.nowhere == 1 {
            let name = self.mapper.mapping.join_name(join);
            let message = format!("{}, which is {name}, leads to no session", quote(id));
            let what = (&*message, NOWHERE);
            self.problems.push(self.mapper.late.problem((at.file, at.place), Some(id), what));
        }
        Ok(())
    }

    fn give_to(&mut self, group: &Grouped, session: &[u8]) -> io::Result<()> {
        let is_here = self.is_here(session);
        for (number, content) in group.records() {
            let kind = read(content).kind;
            if matches!(kind, StoredKind::Link(_)) {
                continue;
            }
            let is_selected = is_here && self.mapper.selects(session_of(session));
            if kind.is_event() {
                self.counts.joined += u64::from(is_selected);
                self.counts.not_selected += u64::from(is_here && !is_selected);
                self.counts.events -= u64::from(!is_selected);
            }
            if is_selected {
                self.store.add_record(number, session, content)?;
            }
        }
        Ok(())
    }

    /// Whether a session belongs to the shard that is checked.
    fn is_here(&self, session: &[u8]) -> bool {
        match session_of(session) {
            SessionRef::Named(name) => self.mapper.is_here(name),
            SessionRef::Joined { .. } => true,
        }
    }

    /// Reports an id of several sessions. All of them may miss its records.
    fn refuse(
        &mut self,
        group: &Grouped,
        links: &Links<'_>,
        sessions: &IndexMap<Vec<u8>, ReadAt>,
    ) -> io::Result<()> {
        self.counts.events -= links.events;
        for (session, told) in sessions {
            if self.is_here(session) && self.mapper.selects(session_of(session)) {
                let lost = told.stored(StoredKind::Lost);
                self.store.add_record(told.number, session, &lost)?;
            }
        }
        if self.problems.len() == MOST_PROBLEMS {
            self.untold += 1;
            return Ok(());
        }
        let SessionRef::Joined { join, id } = session_of(group.key()) else { return Ok(()) };
        let of = |(session, told): (&Vec<u8>, &ReadAt)| {
            let place = shown(&self.mapper.files, (told.file, told.place));
            format!("session {:?} ({place})", session_of(session).to_string())
        };
        let two: Vec<String> = sessions.iter().take(2).map(of).collect();
        let more = match sessions.len() {
            2 => String::new(),
            many => format!(", and to {} more", many - 2),
        };
        let (name, raw, id) = (self.mapper.mapping.join_name(join), id, quote(id));
        let message = format!("{id}, which is {name}, belongs to {}{more}", two.join(" and to "));
        if let Some(at) = links.first {
            let problem =
                self.mapper.late.problem((at.file, at.place), Some(raw), (&message, HELP));
            self.problems.push(problem);
        }
        Ok(())
    }
}

/// The remedy for an id that leads to no session.
const NOWHERE: &str = "find the records that tell its session; or write lost = \"count\" in [[join]], if such events may be \
                       left out";

/// The remedy for an id of several sessions.
const HELP: &str = "let `when` of [[join]] leave records out that belong to nobody or to several, or join \
                    by another field";

fn keep(group: &Grouped, store: &mut EventStore) -> io::Result<()> {
    let mut records = group.records();
    records.try_for_each(|(number, content)| store.add_record(number, group.key(), content))
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

impl<'g> Links<'g> {
    fn new(group: &'g Grouped) -> Links<'g> {
        let mut links = Links::default();
        for (number, content) in group.records() {
            let StoredEvent { file, place, kind, .. } = read(content);
            let read_at = ReadAt { number, file, place };
            match kind {
                StoredKind::Link(key) => match session_of(key) {
                    SessionRef::Named(_) if links.sessions.contains_key(key) => {}
                    SessionRef::Named(_) => _ = links.sessions.insert(key.to_vec(), read_at),
                    SessionRef::Joined { .. } => _ = links.neighbours.insert(key),
                },
                kind => {
                    links.events += u64::from(kind.is_event());
                    links.first.get_or_insert(read_at);
                }
            }
        }
        links
    }
}
