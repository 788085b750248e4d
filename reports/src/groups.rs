//! Sessions that did not pass, grouped by cause: verdict and cause, the locations to blame, what
//! was possible there, and the events that are wrong. However many sessions fail, there are few
//! groups, each with a fingerprint that is the same in every run and on every machine.

mod fingerprint;

pub use fingerprint::{Fingerprint, NoFingerprint};

use crate::codes::Code;
use crate::explanation::{EventExplanation, Expected, Explanation, LocationExplanation, View};
use indexmap::IndexMap;
use multitrace_formats::place::{Place, Places};
use multitrace_formats::shorten::visible;
use multitrace_interaction::{Alphabet, Session, Verdict};
use serde::Serialize;

/// Sessions named per group: enough to look for what they share, few enough for one line.
pub const NAMED_SESSIONS: usize = 5;
/// The most groups kept in a run; sessions of further groups are counted together. With a worked
/// example each, reports stay under 30 MB (a test writes them).
pub const MAX_GROUPS: usize = 1000;

/// One session of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Member {
    /// What the input calls it.
    pub session: String,
    /// Where it was read.
    #[serde(flatten)]
    pub place: Option<Place>,
}

/// Sessions that failed for one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingGroup {
    /// What kind of failure it is.
    pub code: Code,
    /// The name of the verdict.
    pub verdict: &'static str,
    /// The name of the cause, for failures.
    pub cause: Option<&'static str>,
    /// How many sessions it has.
    pub count: u64,
    /// The first of them.
    pub members: Vec<Member>,
    /// The first one, explained.
    pub example: Explanation,
}

impl Member {
    /// A session; a very long name is cut.
    pub fn new(session: &str, place: Option<Place>) -> Member {
        Member { session: View::EXCERPT.name(session), place }
    }
}

impl FindingGroup {
    /// The group of one session; `None` for a pass.
    ///
    /// # Panics
    /// When the session is not over this alphabet.
    pub fn of(
        session: &Session,
        verdict: &Verdict,
        alphabet: &Alphabet,
        places: &dyn Places,
    ) -> Option<FindingGroup> {
        let cause = match verdict {
            Verdict::Fail(cause) => Some(cause.name()),
            _ => None,
        };
        Some(FindingGroup {
            code: Code::of(verdict, alphabet)?,
            verdict: verdict.name(),
            cause,
            count: 1,
            members: vec![Member::new(&session.id, places.session())],
            example: Explanation::new(session, verdict, alphabet, places, &View::EXCERPT),
        })
    }

    /// What is wrong, in one line that names location and event.
    pub fn title(&self) -> String {
        let title = match self.example.blamed().next() {
            None => self.code.title().to_owned(),
            Some(first) => self.title_at(first),
        };
        visible(&title).into_owned()
    }

    fn title_at(&self, first: &LocationExplanation) -> String {
        let location = &first.location;
        let event = first.blocked().map_or("the end", |blocked| &blocked.event);
        match self.code {
            Code::ImpossibleEvent => format!("{event} is impossible at {location}"),
            Code::UnknownEvent => format!("{event} at {location} is not in the specification"),
            Code::EndedTooEarly => format!("the log of {location} ends too early"),
            Code::UnknownLocation => format!("location {location} is not in the specification"),
            Code::NoCommonPath => format!("no common path: {}", self.stuck()),
            Code::NoInterleaving => format!("no interleaving: {}", self.stuck()),
            Code::Partial => format!("nothing was logged at {}; the other logs fit", self.silent()),
            _ => self.code.title().to_owned(),
        }
    }

    /// Where the furthest interleaving is stuck.
    fn stuck(&self) -> String {
        let place = |location: &LocationExplanation| match location.blocked() {
            Some(blocked) => format!("{} stuck before {}", location.location, blocked.event),
            None => format!("{} ended", location.location),
        };
        self.first_blamed(place)
    }

    /// The locations without a log.
    fn silent(&self) -> String {
        self.first_blamed(|location| location.location.clone())
    }

    /// A text for each of the locations to blame; of many, for the first ones.
    fn first_blamed(&self, text: impl Fn(&LocationExplanation) -> String) -> String {
        // A title is one line.
        const NAMED: usize = 3;
        let mut places: Vec<String> = self.example.blamed().take(NAMED).map(text).collect();
        let more = self.example.blamed().count() - places.len();
        if more > 0 {
            places.push(format!("{more} more"));
        }
        places.join(", ")
    }

    /// What was expected, in one line; empty if nothing was.
    pub fn expectation(&self) -> String {
        if self.example.explained.is_some() {
            return self.goes_on_with();
        }
        if self.code == Code::Partial {
            return String::new();
        }
        let blamed = self.example.blamed().next();
        blamed.map_or_else(String::new, |location| location.expected.text(location.blocked()))
    }

    /// What the furthest interleaving could go on with, at all locations.
    fn goes_on_with(&self) -> String {
        let locations = || self.example.locations.iter();
        let events = locations().flat_map(|location| location.expected.events.clone());
        let omitted = locations().map(|location| location.expected.omitted).sum();
        let all = Expected { events: events.collect(), omitted };
        match &*all.events {
            [] => String::new(),
            _ => format!("the specification {}", all.text(None).replacen("it ", "", 1)),
        }
    }
}

impl Expected {
    /// The names in one line, for people. `blocked` is what stands in their place.
    pub fn text(&self, blocked: Option<&EventExplanation>) -> String {
        let more = match self.omitted {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = visible(&self.events.join(", ")).into_owned() + &more;
        match (self.events.is_empty(), blocked) {
            (true, _) => "nothing is possible there".to_owned(),
            (false, None) => format!("it could go on with {names}"),
            (false, Some(_)) => format!("possible there: {names}"),
        }
    }
}

/// Groups while a run collects them: the first kinds in input order, up to a limit. Those of a part
/// of the input can be merged into those of all that comes before, and the result is the same
/// wherever the input is cut into parts.
#[derive(Clone, Debug)]
pub struct FindingGroups {
    groups: IndexMap<Fingerprint, FindingGroup>,
    most: usize,
    /// Groups beyond the limit of a part of the input. The whole run may know them already; if it
    /// does not, it has no room for them either.
    late: IndexMap<Fingerprint, Late>,
    rest: Rest,
}

/// Sessions of a kind beyond the limit of a part.
#[derive(Clone, Debug)]
struct Late {
    verdict: &'static str,
    count: u64,
    members: Vec<Member>,
}

/// Sessions of kinds that found no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rest {
    /// How many there are.
    pub sessions: u64,
    /// How many of them are violations that no baseline knows.
    pub violations: u64,
}

impl Default for FindingGroups {
    /// No groups yet, and never more than [`MAX_GROUPS`].
    fn default() -> FindingGroups {
        FindingGroups::with_limit(MAX_GROUPS)
    }
}

impl FindingGroups {
    /// No groups yet, and never more than this number. Parts that are merged need the same limit.
    pub fn with_limit(most: usize) -> FindingGroups {
        FindingGroups {
            groups: IndexMap::new(),
            most,
            late: IndexMap::new(),
            rest: Rest::default(),
        }
    }

    /// Adds a session to its group. It is explained only if the group is new and there is room for it.
    pub fn add(
        &mut self,
        key: Fingerprint,
        verdict: &'static str,
        member: impl FnOnce() -> Member,
        group: impl FnOnce() -> Option<FindingGroup>,
    ) {
        if let Some(group) = self.groups.get_mut(&key) {
            count(&mut group.count, &mut group.members, member);
        } else if self.groups.len() < self.most {
            self.groups.extend(group().map(|group| (key, group)));
        } else {
            let new = || Late { verdict, count: 0, members: Vec::new() };
            let late = self.late.entry(key).or_insert_with(new);
            count(&mut late.count, &mut late.members, member);
        }
    }

    /// Adds what was found later in the input. `is_violation` is asked of sessions without room, by
    /// their key and the name of the verdict.
    pub fn merge(
        &mut self,
        later: FindingGroups,
        is_violation: impl Fn(&Fingerprint, &str) -> bool,
    ) {
        for (key, group) in later.groups {
            if let Some(known) = self.groups.get_mut(&key) {
                extend(known, group.count, group.members);
            } else if self.groups.len() < self.most {
                self.groups.insert(key, group);
            } else {
                self.leave_out(group.count, is_violation(&key, group.verdict));
            }
        }
        for (key, late) in later.late {
            match self.groups.get_mut(&key) {
                Some(known) => extend(known, late.count, late.members),
                None => self.leave_out(late.count, is_violation(&key, late.verdict)),
            }
        }
    }

    fn leave_out(&mut self, sessions: u64, violations: bool) {
        self.rest.sessions += sessions;
        self.rest.violations += if violations { sessions } else { 0 };
    }

    /// The groups with their fingerprints, those with most sessions first, and the rest.
    pub fn finish(self) -> (Vec<(Fingerprint, FindingGroup)>, Rest) {
        let mut groups: Vec<_> = self.groups.into_iter().collect();
        groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.count));
        (groups, self.rest)
    }
}

fn count(count: &mut u64, members: &mut Vec<Member>, member: impl FnOnce() -> Member) {
    *count += 1;
    if members.len() < NAMED_SESSIONS {
        members.push(member());
    }
}

fn extend(group: &mut FindingGroup, count: u64, members: Vec<Member>) {
    group.count += count;
    let room = NAMED_SESSIONS.saturating_sub(group.members.len());
    group.members.extend(members.into_iter().take(room));
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_interaction::InconclusiveReason;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn key(kind: u8) -> Fingerprint {
        format!("{kind:032x}").parse().expect("a fingerprint")
    }

    fn group(id: usize) -> FindingGroup {
        let session = Session { id: format!("s{id}"), ..Session::default() };
        let place = Place { file: "f".into(), line: Some(id) };
        let verdict = Verdict::Inconclusive(InconclusiveReason::Removal);
        FindingGroup::of(&session, &verdict, &Alphabet::default(), &place).expect("no pass")
    }

    proptest! {
        /// Cut into chunks anywhere, the groups are those of a naive count in input order.
        #[test]
        fn chunks_do_not_matter(kinds in prop::collection::vec(0u8..9, 0..60),
                                chunk in 1usize..20, most in 1usize..7) {
            let mut groups = FindingGroups::with_limit(most);
            let indexed: Vec<(usize, u8)> = kinds.iter().copied().enumerate().collect();
            for part in indexed.chunks(chunk) {
                let mut found = FindingGroups::with_limit(most);
                for &(id, kind) in part {
                    let member = || group(id).members.remove(0);
                    found.add(key(kind), "inconclusive", member, || Some(group(id)));
                }
                groups.merge(found, |_, verdict| verdict == "inconclusive");
            }
            let mut kept: Vec<u8> = Vec::new();
            let mut counts: BTreeMap<u8, Vec<String>> = BTreeMap::new();
            for &(id, kind) in &indexed {
                if !kept.contains(&kind) && kept.len() < most {
                    kept.push(kind);
                }
                if kept.contains(&kind) {
                    counts.entry(kind).or_default().push(format!("s{id}"));
                }
            }
            let (found, rest) = groups.finish();
            prop_assert_eq!(found.len(), kept.len());
            let in_groups: usize = counts.values().map(Vec::len).sum();
            prop_assert_eq!(rest.sessions as usize, kinds.len() - in_groups);
            prop_assert_eq!(rest.violations, rest.sessions);
            for kind in kept {
                let (_, group) = found.iter().find(|(other, _)| *other == key(kind)).expect("kept");
                let all = &counts[&kind];
                prop_assert_eq!(group.count as usize, all.len());
                let named: Vec<&String> = group.members.iter().map(|m| &m.session).collect();
                let first: Vec<&String> = all.iter().take(NAMED_SESSIONS).collect();
                prop_assert_eq!(named, first);
                prop_assert_eq!(&group.example.session, &all[0]);
            }
        }
    }
}
