//! Findings of many sessions by their fingerprint: however many sessions fail, there are few kinds
//! of findings. A session with two findings is in two groups.

pub use crate::fingerprint::{Fingerprint, NoFingerprint};

use crate::codes::Code;
use crate::explanation::Explanation;
use crate::finding::Finding;
use crate::repair_view::RepairView;
use crate::timeline::TimelineRow;
use crate::view::View;
use indexmap::IndexMap;
use multitrace_formats::place::Place;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

/// Sessions named per group: enough to look for what they share, few enough for one line.
pub const NAMED_SESSIONS: usize = 5;
/// The most groups shown of a run. With a worked example each, reports stay under 30 MB (a test
/// writes them).
pub const MAX_GROUPS: usize = 1000;
/// The most kinds of findings counted beside them, for baselines: some 400 MB at the most (an
/// estimate), since a title has at most 200 characters.
pub const MAX_KINDS: usize = 1_000_000 - MAX_GROUPS;

/// One session of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Member {
    /// What the input calls it.
    pub session: String,
    /// Where it was read.
    #[serde(flatten)]
    pub place: Option<Place>,
}

/// The sessions with one kind of finding.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingGroup {
    /// The finding of the first session, its texts cut as [`View::EXCERPT`] shows them.
    pub finding: Finding,
    /// What was expected in the first session, in one line; empty if nothing is known.
    pub expectation: String,
    /// The name of the verdict.
    pub verdict: &'static str,
    /// How many sessions it has.
    pub count: u64,
    /// The first of them.
    pub members: Vec<Member>,
    /// The first one, explained.
    pub example: Explanation,
    /// What would make the first one accepted, if it can be said.
    pub repair: Option<RepairView>,
    /// The largest distance of its sessions, as far as they were repaired: the first one always.
    pub distance: Option<u64>,
    /// Where to look in the first one.
    pub place: Option<Place>,
    /// The first one to look at, if the run asks for pictures.
    pub illustration: Option<Illustration>,
}

/// A session to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Illustration {
    /// Its space-time diagram as SVG for a page with the
    /// [`style_sheet`](crate::pictures::style_sheet); empty if the session is too long.
    pub picture: String,
    /// The events around what is wrong, with their places and, where they can be read again, the lines
    /// of the logs.
    pub rows: Vec<TimelineRow>,
}

impl Member {
    /// A session; a very long name is cut.
    pub fn new(session: &str, place: Option<Place>) -> Member {
        Member { session: View::EXCERPT.name(session), place }
    }
}

impl FindingGroup {
    /// The group of one finding of a session that was explained; `place` is that of the finding.
    pub fn new(
        finding: &Finding,
        verdict: &'static str,
        example: Explanation,
        repair: Option<RepairView>,
        place: Option<Place>,
    ) -> FindingGroup {
        let member = Member { session: example.session.clone(), place: example.place.clone() };
        let (expectation, finding) = (finding.expectation(), finding.shortened(&View::EXCERPT));
        let members = vec![member];
        let distance = repair.as_ref().map(|repair| repair.distance);
        FindingGroup {
            finding,
            expectation,
            verdict,
            count: 1,
            members,
            example,
            repair,
            distance,
            place,
            illustration: None,
        }
    }

    /// The name of the cause, for failures.
    pub fn cause(&self) -> Option<&'static str> {
        self.finding.code.cause()
    }
}

/// Groups while a run collects them: the first kinds in input order, up to a limit, with an example
/// each; of further kinds, the counts. Those of a part of the input can be merged into those of all
/// that comes before, and the result is the same wherever the input is cut into parts.
#[derive(Clone, Debug)]
pub struct FindingGroups {
    groups: IndexMap<Fingerprint, FindingGroup>,
    most: usize,
    /// Kinds beyond that limit.
    further: IndexMap<Fingerprint, FurtherKind>,
    most_further: usize,
    /// Findings of kinds beyond both limits.
    uncounted: u64,
    /// Kinds that an earlier part of the input has. They get no example, which nobody would see.
    earlier: Arc<EarlierKinds>,
    /// How many of those have been found here.
    found_earlier: usize,
}

/// The kinds of findings that a part of the input has.
#[derive(Clone, Debug, Default)]
pub struct EarlierKinds {
    kinds: HashSet<Fingerprint>,
    /// No later part can add a group.
    are_all: bool,
}

impl EarlierKinds {
    fn contains(&self, key: &Fingerprint) -> bool {
        self.are_all || self.kinds.contains(key)
    }
}

/// A kind of finding beyond [`MAX_GROUPS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FurtherKind {
    /// Its code.
    pub code: Code,
    /// What is wrong, in one line.
    pub title: String,
    /// The name of the verdict.
    pub verdict: &'static str,
    /// How many sessions have it.
    pub count: u64,
    /// The largest distance of its sessions, as far as they were repaired.
    distance: Option<u64>,
    /// The first of them, in case a group of an earlier part of the input takes them.
    members: Vec<Member>,
}

/// What became of the findings without a group of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rest {
    /// How many further kinds of findings there are, as far as they are counted.
    pub kinds: u64,
    /// How many sessions they have; one with findings of two kinds counts twice.
    pub sessions: u64,
    /// How many of those are in kinds that fail the run.
    pub violations: u64,
    /// How many findings belong to kinds beyond [`MAX_KINDS`]. Their kinds are not counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub uncounted: u64,
}

impl Rest {
    /// Whether there is anything.
    pub fn has_any(&self) -> bool {
        self.kinds > 0 || self.uncounted > 0
    }
}

/// All groups of a run, at its end.
#[derive(Clone, Debug, Default)]
pub struct AllGroups {
    /// The groups in the order that was asked for.
    pub groups: Vec<(Fingerprint, FindingGroup)>,
    /// Further kinds, in the order in which they were found.
    pub further: Vec<(Fingerprint, FurtherKind)>,
    /// Findings of kinds beyond [`MAX_KINDS`].
    pub uncounted: u64,
}

/// The order of groups in reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupOrder {
    /// Those with most sessions first.
    #[default]
    Count,
    /// Those whose sessions need most edits first.
    Distance,
}

impl Default for FindingGroups {
    /// No groups yet, and never more than [`MAX_GROUPS`] and [`MAX_KINDS`].
    fn default() -> FindingGroups {
        FindingGroups::with_limits(MAX_GROUPS, MAX_KINDS)
    }
}

impl FindingGroups {
    /// No groups yet, and never more than `most`, with never more than `most_further` further
    /// kinds. Parts that are merged need the same limits.
    pub fn with_limits(most: usize, most_further: usize) -> FindingGroups {
        FindingGroups {
            groups: IndexMap::new(),
            most,
            further: IndexMap::new(),
            most_further,
            uncounted: 0,
            earlier: Arc::default(),
            found_earlier: 0,
        }
    }

    /// No groups yet, for a part of the input after one that has these kinds.
    pub fn after(earlier: Arc<EarlierKinds>) -> FindingGroups {
        FindingGroups { earlier, ..FindingGroups::default() }
    }

    /// Its kinds, for later parts of the input; what was known of them before is kept if it still holds.
    pub fn kinds(&self, known: Arc<EarlierKinds>) -> Arc<EarlierKinds> {
        if known.kinds.len() == self.groups.len() {
            return known;
        }
        let kinds = self.groups.keys().copied().collect();
        Arc::new(EarlierKinds { kinds, are_all: self.groups.len() >= self.most })
    }

    /// Adds a session to the group of one of its findings; `distance` is that of the session, if it
    /// was repaired. It is explained only if the group is new
    /// and there is room for it. A session is added once for each fingerprint.
    pub fn add(
        &mut self,
        finding: &Finding,
        verdict: &'static str,
        distance: Option<u64>,
        member: impl FnOnce() -> Member,
        group: impl FnOnce() -> FindingGroup,
    ) {
        let key = finding.fingerprint;
        if let Some(group) = self.groups.get_mut(&key) {
            count(&mut group.count, &mut group.members, member);
            group.distance = group.distance.max(distance);
        } else if let Some(kind) = self.further.get_mut(&key) {
            count(&mut kind.count, &mut kind.members, member);
            kind.distance = kind.distance.max(distance);
        } else if self.groups.len() + self.found_earlier < self.most && !self.earlier.contains(&key)
        {
            self.groups.insert(key, group());
        } else if self.further.len() < self.most_further {
            let title = View::EXCERPT.name(&finding.title());
            let members = vec![member()];
            let code = finding.code;
            let kind = FurtherKind { code, title, verdict, count: 1, distance, members };
            self.further.insert(key, kind);
            // It takes the place of a group, so that what is found does not depend on what is known.
            let has_place = self.groups.len() + self.found_earlier < self.most;
            self.found_earlier += usize::from(has_place && self.earlier.contains(&key));
        } else {
            self.uncounted += 1;
        }
    }

    /// Adds what was found later in the input.
    pub fn merge(&mut self, later: FindingGroups) {
        self.uncounted += later.uncounted;
        for (key, group) in later.groups {
            if let Some(known) = self.groups.get_mut(&key) {
                known.distance = known.distance.max(group.distance);
                extend(known, group.count, group.members);
            } else if self.groups.len() < self.most {
                self.groups.insert(key, group);
            } else {
                let FindingGroup { finding, verdict, count, .. } = group;
                let title = View::EXCERPT.name(&finding.title());
                let members = Vec::new();
                self.merge_kind(
                    key,
                    FurtherKind {
                        code: finding.code,
                        title,
                        verdict,
                        count,
                        distance: None,
                        members,
                    },
                );
            }
        }
        for (key, kind) in later.further {
            match self.groups.get_mut(&key) {
                Some(known) => {
                    known.distance = known.distance.max(kind.distance);
                    extend(known, kind.count, kind.members);
                }
                None => self.merge_kind(key, FurtherKind { members: Vec::new(), ..kind }),
            }
        }
    }

    fn merge_kind(&mut self, key: Fingerprint, kind: FurtherKind) {
        if let Some(known) = self.further.get_mut(&key) {
            known.count += kind.count;
        } else if self.further.len() < self.most_further {
            self.further.insert(key, kind);
        } else {
            self.uncounted += kind.count;
        }
    }

    /// The groups with their fingerprints in an order, and the rest.
    pub fn finish(self, order: GroupOrder) -> AllGroups {
        let mut groups: Vec<_> = self.groups.into_iter().collect();
        groups.sort_by_key(|(_, group)| match order {
            GroupOrder::Count => Reverse((Some(group.count), None)),
            GroupOrder::Distance => Reverse((group.distance, Some(group.count))),
        });
        let further = self.further.into_iter().collect();
        AllGroups { groups, further, uncounted: self.uncounted }
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
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
    use multitrace_formats::place::Place;
    use multitrace_interaction::{Alphabet, Cause, LocalFailure, Session};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn finding(kind: u8) -> Finding {
        let failure = LocalFailure {
            location: "a".to_owned(),
            index: 0,
            event: Some(format!("a!{kind}")),
            known: false,
            expected: Vec::new(),
        };
        Finding::of_cause(&Cause::Local(failure), &Alphabet::default())
    }

    fn group(id: usize, kind: u8) -> FindingGroup {
        let session = Session { id: format!("s{id}"), ..Session::default() };
        let place = Place { file: "f".into(), line: Some(id) };
        let finding = finding(kind);
        let findings = std::slice::from_ref(&finding);
        let example =
            Explanation::new(&session, findings, &Alphabet::default(), &place, &View::EXCERPT);
        FindingGroup::new(&finding, "fail", example, None, None)
    }

    proptest! {
        /// Cut into chunks anywhere, the groups are those of a naive count in input order.
        #[test]
        fn chunks_do_not_matter(kinds in prop::collection::vec(0u8..12, 0..60),
                                chunk in 1usize..20, most in 1usize..7, further in 1usize..4,
                                known in prop::collection::vec(any::<bool>(), 1..5)) {
            let mut groups = FindingGroups::with_limits(most, further);
            let indexed: Vec<(usize, u8)> = kinds.iter().copied().enumerate().collect();
            for (at, part) in indexed.chunks(chunk).enumerate() {
                // What is known when a part begins differs from run to run.
                let earlier = if known[at % known.len()] { Arc::default() } else { groups.kinds(Arc::default()) };
                let mut found = FindingGroups { most, ..FindingGroups::after(earlier) };
                for &(id, kind) in part {
                    let member = || group(id, kind).members.remove(0);
                    found.add(&finding(kind), "fail", None, member, || group(id, kind));
                }
                groups.merge(found);
            }
            let mut kept: Vec<u8> = Vec::new();
            let mut counts: BTreeMap<u8, Vec<String>> = BTreeMap::new();
            for &(id, kind) in &indexed {
                if !kept.contains(&kind) && kept.len() < most {
                    kept.push(kind);
                }
                counts.entry(kind).or_default().push(format!("s{id}"));
            }
            let AllGroups { groups: found, further: others, uncounted } = groups.finish(GroupOrder::Count);
            prop_assert_eq!(found.len(), kept.len());
            for (key, kind) in &others {
                let (kind, all) = counts.iter().find(|(of, _)| finding(**of).fingerprint == *key)
                    .map(|(of, all)| (kind, (of, all))).expect("one of them");
                prop_assert!(!kept.contains(all.0));
                prop_assert_eq!(kind.count as usize, all.1.len());
            }
            let in_groups: usize = kept.iter().map(|kind| counts[kind].len()).sum();
            let in_others: u64 = others.iter().map(|(_, kind)| kind.count).sum();
            prop_assert_eq!(uncounted + in_others, (kinds.len() - in_groups) as u64);
            prop_assert!(others.len() == further || uncounted == 0);
            for kind in kept {
                let key = finding(kind).fingerprint;
                let (_, group) = found.iter().find(|(other, _)| *other == key).expect("kept");
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
