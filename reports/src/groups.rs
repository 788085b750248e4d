//! Findings of many sessions by their kind, and by their places within a kind: however many sessions fail, there are few
//! kinds of findings. A session with two findings is in two groups.

pub use crate::fingerprint::{Fingerprint, NoFingerprint};
pub use crate::known_places::{KnownPlace, KnownPlaces};

use crate::codes::Code;
use crate::explanation::Explanation;
use crate::finding::Finding;
use crate::pictures::space_time::scene::Scene;
use crate::position::{FindingKey, OwnedKey, Position};
use crate::repair_view::RepairView;
use crate::timeline::TimelineRow;
use crate::view::View;
use indexmap::IndexMap;
use multitrace_formats::place::Place;
use serde::Serialize;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Sessions named per group: enough to look for their common cause, few enough for one line.
pub const NAMED_SESSIONS: usize = 5;
/// The most groups shown of a run. With a worked example each, reports stay under 30 MB (a test
/// writes them).
pub const MAX_GROUPS: usize = 1000;
/// The most places of findings that are counted, for baselines: some 1 GB at the most (an estimate), since a title has
/// at most 200 characters.
pub const MAX_PLACES: usize = 1_000_000;

/// One session of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Member {
    /// The name of the session in the input.
    pub session: String,
    /// Where it was read.
    #[serde(flatten)]
    pub place: Option<Place>,
    /// Whether the baseline has all of its findings that belong to the group.
    #[serde(skip)]
    pub is_known: bool,
    /// How many edits it needs, at least.
    #[serde(skip)]
    pub distance: u64,
    /// Where it stands in the input.
    #[serde(skip)]
    pub position: Position,
    /// The full name of the session, if the name above is cut.
    #[serde(skip)]
    pub whole: Option<Box<str>>,
    /// Which of its findings belongs to the group, from 0.
    #[serde(skip)]
    pub finding: u32,
}

/// The sessions with one kind of finding.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingGroup {
    /// The finding of the plainest session, its texts cut as [`View::EXCERPT`] shows them.
    pub finding: Finding,
    /// The expected events in that session, in one line; empty if nothing is known.
    pub expectation: String,
    /// The name of the verdict.
    pub verdict: &'static str,
    /// How many sessions it has.
    pub count: u64,
    /// The plainest of them, which need the fewest edits, in the order of the input; those at places that the baseline
    /// lacks come first.
    pub members: Vec<Member>,
    /// Where in their logs they have it.
    pub places: KnownPlaces,
    /// The plainest one, explained.
    pub example: Explanation,
    /// Everything that went wrong in it: code and sentence.
    pub faults: Vec<(Code, String)>,
    /// The repair of that session, if there is one.
    pub repair: Option<RepairView>,
    /// The largest distance of its sessions.
    pub distance: Option<u64>,
    /// Where to look in the plainest one.
    pub place: Option<Place>,
    /// The plainest one to look at.
    pub illustration: Illustration,
}

/// A session to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Illustration {
    /// Its space-time diagram; `None` if the session is too long.
    pub scene: Option<Scene>,
    /// The events around the finding, with their places and, where they can be read again, the lines
    /// of the logs.
    pub rows: Vec<TimelineRow>,
}

impl Member {
    /// A session; a very long name is cut.
    pub fn new(key: FindingKey<'_>, place: Option<Place>) -> Member {
        let session = View::EXCERPT.name(key.session);
        let whole = (session != key.session).then(|| key.session.into());
        let FindingKey { is_known, distance, position, finding, .. } = key;
        let position = position.clone();
        Member { session, place, is_known, distance, position, whole, finding }
    }

    /// The key that orders members.
    pub fn key(&self) -> FindingKey<'_> {
        let session = self.whole.as_deref().unwrap_or(&self.session);
        let Member { is_known, distance, position, finding, .. } = self;
        let (is_known, distance, finding) = (*is_known, *distance, *finding);
        FindingKey { is_known, distance, position, session, finding }
    }

    /// The order of members, which is total: two with equal keys are in the order of their places.
    fn order(&self) -> (FindingKey<'_>, &Option<Place>) {
        (self.key(), &self.place)
    }
}

impl FindingGroup {
    /// The group of one finding of a session that was explained; `place` is that of the finding. It
    /// has no members yet.
    pub fn new(
        finding: &Finding,
        verdict: &'static str,
        (example, faults): (Explanation, Vec<(Code, String)>),
        repair: Option<RepairView>,
        place: Option<Place>,
    ) -> FindingGroup {
        let (expectation, finding) = (finding.expectation(), finding.shortened(&View::EXCERPT));
        FindingGroup {
            finding,
            expectation,
            verdict,
            count: 0,
            members: Vec::new(),
            places: KnownPlaces::default(),
            example,
            faults,
            repair,
            distance: None,
            place,
            illustration: Illustration::default(),
        }
    }

    /// Its finding in one line, with the machines of its session if it has one only.
    pub(crate) fn line(&self) -> String {
        match self.count {
            0 | 1 => self.finding.line(),
            _ => self.finding.line_of_several(),
        }
    }
}

/// Groups while a run collects them: of each kind of finding the count, the places and the plainest sessions; an
/// example for the kinds whose sessions are plainest, up to a limit. Parts of the input can be merged
/// in any order, and the result is the same wherever the input is cut into parts.
// Idea: all that is kept of a kind depends on the keys of its sessions, which have the number of edits first and then
// the position in the input, and not on the order in which they were found. The example is that of the first session by
// these keys. A kind is shown if it is among the first kinds by their first sessions.
//
// Invariant: a kind that is shown in the whole is shown in the part that has its first session, since
// every kind of the part that comes before it there comes before it in the whole, too. So no example is
// missed. Its other sessions may be in parts that do not show it, so that members are kept of all kinds.
//
// Which sessions are new is known while they are added, if the run has the baseline. Parts get theirs when they are merged:
// they keep the same of each place, as groups of their own.
#[derive(Clone, Debug)]
pub struct FindingGroups {
    kinds: IndexMap<Fingerprint, Kind>,
    /// The kinds with an example, by their first sessions.
    shown: BTreeSet<(OwnedKey, Fingerprint)>,
    most: usize,
    most_places: usize,
    /// The places of all kinds.
    places: usize,
    /// Findings of places beyond that limit.
    uncounted: u64,
    /// Kinds that an earlier part of the input has. They get no example, which nobody would see.
    earlier: Arc<EarlierKinds>,
    /// How often the kinds that are shown, or their first sessions, have changed.
    changes: u64,
    /// The same of each place, if the baseline comes later.
    by_place: Option<Box<FindingGroups>>,
}

/// One kind of finding while it is collected.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) code: Code,
    pub(crate) title: String,
    pub(crate) count: u64,
    /// The largest distance of its sessions.
    pub(crate) distance: Option<u64>,
    /// The first sessions, in order.
    pub(crate) members: Vec<Member>,
    pub(crate) places: KnownPlaces,
    /// The first session, if the kind is shown. Its fields with a counterpart here are not filled in.
    pub(crate) example: Option<Box<FindingGroup>>,
}

/// The kinds of findings that a part of the input shows.
#[derive(Clone, Debug, Default)]
pub struct EarlierKinds {
    /// Their first sessions.
    firsts: HashMap<Fingerprint, OwnedKey>,
    /// The last of those, if there is no room for more kinds.
    last: Option<OwnedKey>,
    /// Which of the changes of the groups they show.
    changes: u64,
    /// The same of places.
    by_place: Option<Arc<EarlierKinds>>,
}

impl EarlierKinds {
    /// Whether a finding of this kind will not be an example.
    fn is_ahead(&self, fingerprint: &Fingerprint, key: FindingKey<'_>) -> bool {
        self.last.as_ref().is_some_and(|last| last.key() < key)
            || self.firsts.get(fingerprint).is_some_and(|first| first.key() <= key)
    }
}

/// A kind of finding beyond [`MAX_GROUPS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FurtherKind {
    /// Its code.
    pub code: Code,
    /// The title of the finding, in one line.
    pub title: String,
    /// The name of the verdict.
    pub verdict: &'static str,
    /// How many sessions have it.
    pub count: u64,
    /// The largest distance of its sessions.
    pub distance: Option<u64>,
    /// The first of them.
    pub members: Vec<Member>,
    /// Where in their logs they have it.
    pub places: KnownPlaces,
}

/// Counts of the findings without a group of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rest {
    /// How many further kinds of findings there are, as far as they are counted.
    pub kinds: u64,
    /// How many sessions they have; one with findings of two kinds counts twice.
    pub sessions: u64,
    /// How many of those are in kinds that fail the run.
    pub violations: u64,
    /// How many findings have places beyond [`MAX_PLACES`]. Those are not counted.
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
    /// Findings of places beyond [`MAX_PLACES`].
    pub uncounted: u64,
}

/// The order of groups in reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupOrder {
    /// Those that do not only say that a location stopped first; among them, those with most sessions.
    #[default]
    Gravest,
    /// Those with most sessions first.
    Count,
    /// Those with fewest sessions first.
    Rarest,
    /// Those whose sessions need most edits first.
    Distance,
}

impl Default for FindingGroups {
    /// No groups yet, and never more than [`MAX_GROUPS`] and [`MAX_PLACES`]. Parts can be merged in any
    /// order.
    fn default() -> FindingGroups {
        FindingGroups::with_limits(MAX_GROUPS, MAX_PLACES)
    }
}

impl FindingGroups {
    /// No groups yet, and never more than `most`, of never more than `most_places` places. Parts that are merged need
    /// the same limits.
    pub fn with_limits(most: usize, most_places: usize) -> FindingGroups {
        FindingGroups {
            kinds: IndexMap::new(),
            shown: BTreeSet::new(),
            most,
            most_places,
            places: 0,
            uncounted: 0,
            earlier: Arc::default(),
            changes: 0,
            by_place: None,
        }
    }

    /// No groups yet, of a part of a run: a baseline that comes later still finds its new sessions.
    pub fn of_part() -> FindingGroups {
        FindingGroups { by_place: Some(Box::default()), ..FindingGroups::default() }
    }

    /// No groups yet, for a part of the input after one that shows these kinds.
    pub fn after(earlier: Arc<EarlierKinds>) -> FindingGroups {
        let of_places = earlier.by_place.as_ref().map(Arc::clone);
        let by_place = of_places.map(|it| Box::new(FindingGroups::after(it)));
        FindingGroups { earlier, by_place, most_places: usize::MAX, ..FindingGroups::default() }
    }

    /// Its kinds, for later parts of the input; those known before are kept if they still hold.
    pub fn kinds(&self, known: Arc<EarlierKinds>) -> Arc<EarlierKinds> {
        let of_places = || known.by_place.clone().unwrap_or_default();
        let by_place = self.by_place.as_ref().map(|it| it.kinds(of_places()));
        let is_same =
            by_place.as_ref().map(Arc::as_ptr) == known.by_place.as_ref().map(Arc::as_ptr);
        if known.changes == self.changes && is_same {
            return known;
        }
        let firsts = self.shown.iter().map(|(first, kind)| (*kind, first.clone())).collect();
        let last = self.shown.last().filter(|_| self.shown.len() >= self.most);
        let last = last.map(|(last, _)| last.clone());
        Arc::new(EarlierKinds { firsts, last, changes: self.changes, by_place })
    }

    /// Adds a session, at the place that the key says, to the group of the first of some findings, which are all of one
    /// kind and have their numbers; `distance` is that of the session, if it fails. It is explained only if it is the first
    /// of its kind and there is room for it. A session is added once for each kind.
    pub fn add(
        &mut self,
        findings: &[(u32, &Finding)],
        distance: Option<u64>,
        key: FindingKey<'_>,
        member: impl Fn(FindingKey<'_>) -> Member,
        mut group: impl FnMut(&Finding) -> FindingGroup,
    ) {
        if let Some(by_place) = &mut self.by_place {
            for one in firsts_of_places(findings) {
                let key = FindingKey { finding: one.0, ..key };
                by_place.add_to(one.1.place, &[one], distance, key, &member, &mut group);
            }
        }
        self.add_to(findings[0].1.kind, findings, distance, key, &member, &mut group);
    }

    /// Adds a session to the group of this fingerprint.
    fn add_to(
        &mut self,
        fingerprint: Fingerprint,
        findings: &[(u32, &Finding)],
        distance: Option<u64>,
        key: FindingKey<'_>,
        member: &impl Fn(FindingKey<'_>) -> Member,
        group: &mut impl FnMut(&Finding) -> FindingGroup,
    ) {
        let finding = findings[0].1;
        if let Some(kind) = self.kinds.get_mut(&fingerprint) {
            kind.count += 1;
            kind.distance = kind.distance.max(distance);
            self.add_places(fingerprint, findings);
            let Some(kind) = self.kinds.get_mut(&fingerprint) else { return };
            let place = kind.members.partition_point(|member| member.key() <= key);
            if place >= NAMED_SESSIONS {
                return;
            }
            if place == 0 {
                hide(&mut self.shown, &fingerprint, kind);
                self.changes += 1;
            }
            kind.members.insert(place, member(key));
            kind.members.truncate(NAMED_SESSIONS);
            if place > 0 {
                return;
            }
        } else if self.places < self.most_places {
            let kind = Kind {
                code: finding.code,
                title: title(finding),
                count: 1,
                distance,
                members: vec![member(key)],
                places: KnownPlaces::default(),
                example: None,
            };
            self.kinds.insert(fingerprint, kind);
            self.add_places(fingerprint, findings);
        } else {
            self.uncounted += 1;
            return;
        }
        if !self.earlier.is_ahead(&fingerprint, key) && self.has_room(key, &fingerprint) {
            self.show(fingerprint, Box::new(group(finding)));
        }
    }

    /// Counts the places of a session's findings of one kind, each once.
    fn add_places(&mut self, fingerprint: Fingerprint, findings: &[(u32, &Finding)]) {
        for (_, finding) in firsts_of_places(findings) {
            let title = || View::EXCERPT.name(&finding.title_with_place());
            self.count_place(fingerprint, finding.place, 1, title);
        }
    }

    fn count_place(
        &mut self,
        fingerprint: Fingerprint,
        place: Fingerprint,
        count: u64,
        title: impl FnOnce() -> String,
    ) {
        let Some(kind) = self.kinds.get_mut(&fingerprint) else { return };
        if let Some(known) = kind.places.get_mut(&place) {
            known.count = known.count.saturating_add(count);
        } else if self.places < self.most_places {
            self.places += 1;
            kind.places.insert(place, KnownPlace { title: title(), count });
        } else {
            self.uncounted = self.uncounted.saturating_add(count);
        }
    }

    /// Adds the findings of another part of the input.
    pub fn merge(&mut self, other: FindingGroups) {
        self.uncounted += other.uncounted;
        if let (Some(by_place), Some(others)) = (&mut self.by_place, other.by_place) {
            by_place.merge(*others);
        }
        for (fingerprint, kind) in other.kinds {
            self.merge_kind(fingerprint, kind);
        }
    }

    /// Adds sessions of one kind.
    pub(crate) fn merge_kind(&mut self, fingerprint: Fingerprint, mut kind: Kind) {
        let (example, places) = (kind.example.take(), std::mem::take(&mut kind.places));
        let mut is_shown = false;
        if let Some(known) = self.kinds.get_mut(&fingerprint) {
            known.count = known.count.saturating_add(kind.count);
            known.distance = known.distance.max(kind.distance);
            if comes_first((&kind, example.as_deref()), known) {
                hide(&mut self.shown, &fingerprint, known);
                self.changes += 1;
                is_shown = true;
            }
            known.members.append(&mut kind.members);
            known.members.sort_by(|a, b| a.order().cmp(&b.order()));
            known.members.truncate(NAMED_SESSIONS);
        } else if self.places < self.most_places {
            self.kinds.insert(fingerprint, kind);
            is_shown = true;
        } else {
            self.uncounted = self.uncounted.saturating_add(kind.count);
            return;
        }
        for (place, KnownPlace { title, count }) in places {
            self.count_place(fingerprint, place, count, || title);
        }
        if is_shown {
            self.show_if_there_is_room(fingerprint, example);
        }
    }

    /// Adds the sessions of one place of a kind, if places are kept.
    pub(crate) fn merge_place(&mut self, place: Fingerprint, kind: Kind) {
        if let Some(by_place) = &mut self.by_place {
            by_place.merge_kind(place, kind);
        }
    }

    /// The sessions of a place, if places are kept.
    pub(crate) fn at_place(&self, place: &Fingerprint) -> Option<&Kind> {
        self.by_place.as_ref()?.kinds.get(place)
    }

    /// The examples, of places too.
    pub fn examples_mut(&mut self) -> impl Iterator<Item = &mut FindingGroup> {
        let of_places = self.by_place.iter_mut().flat_map(|it| it.kinds.values_mut());
        let kinds = self.kinds.values_mut().chain(of_places);
        kinds.filter_map(|kind| kind.example.as_deref_mut())
    }

    /// The first sessions of a kind by those of its places, each with its place.
    pub(crate) fn firsts(
        &self,
        kind: &Kind,
        is_known: &dyn Fn(&Fingerprint) -> bool,
    ) -> Vec<(Member, Fingerprint)> {
        let at = |place| self.at_place(place).map(|it| (place, &it.members));
        let all = kind.places.keys().filter_map(at).flat_map(|(place, members)| {
            let member = |it: &Member| (Member { is_known: is_known(place), ..it.clone() }, *place);
            members.iter().map(member)
        });
        let mut all: Vec<(Member, Fingerprint)> = all.collect();
        all.sort_by(|(a, _), (b, _)| a.order().cmp(&b.order()));
        let mut seen = BTreeSet::new();
        all.retain(|(it, _)| seen.insert((it.position.clone(), it.key().session.to_owned())));
        all.truncate(NAMED_SESSIONS);
        all
    }

    /// Puts the sessions first that the baseline does not know, where it came later than they did. The example is the first
    /// of them, if the example of its place was kept.
    fn prefer_new(&mut self, is_known: &dyn Fn(&Fingerprint) -> bool) {
        if self.by_place.is_none() {
            return;
        }
        let mut kinds = std::mem::take(&mut self.kinds);
        for kind in kinds.values_mut().filter(|it| it.places.keys().any(is_known)) {
            let firsts = self.firsts(kind, is_known);
            // Beyond the limit of places none may be kept.
            if firsts.is_empty() {
                continue;
            }
            let new = firsts.first().filter(|(first, _)| !first.is_known);
            let example = new.and_then(|(_, place)| self.at_place(place)?.example.clone());
            kind.example = kind.example.take().map(|it| example.unwrap_or(it));
            kind.members = firsts.into_iter().map(|(member, _)| member).collect();
        }
        let shown = kinds.iter().filter(|(_, kind)| kind.example.is_some());
        let first = |(name, kind): (&Fingerprint, &Kind)| {
            Some((kind.members.first()?.key().owned(), *name))
        };
        self.shown = shown.filter_map(first).collect();
        self.kinds = kinds;
    }

    /// The kinds by their fingerprints.
    pub(crate) fn sorted(&self) -> BTreeMap<Fingerprint, &Kind> {
        self.kinds.iter().map(|(fingerprint, kind)| (*fingerprint, kind)).collect()
    }

    /// Findings of kinds that are not counted.
    pub fn uncounted(&self) -> u64 {
        self.uncounted
    }

    /// Whether a kind that is not shown would be, by its first session.
    fn has_room(&self, key: FindingKey<'_>, fingerprint: &Fingerprint) -> bool {
        self.shown.len() < self.most
            || self.shown.last().is_some_and(|(last, of)| (key, fingerprint) < (last.key(), of))
    }

    /// Shows a kind if it has an example and there is room for it.
    fn show_if_there_is_room(
        &mut self,
        fingerprint: Fingerprint,
        example: Option<Box<FindingGroup>>,
    ) {
        let first = self.kinds.get(&fingerprint).and_then(|kind| kind.members.first());
        let has_room = first.is_some_and(|first| self.has_room(first.key(), &fingerprint));
        if let Some(example) = example.filter(|_| has_room) {
            self.show(fingerprint, example);
        }
    }

    /// Shows a kind that there is room for, and the last one no longer if there are too many.
    fn show(&mut self, fingerprint: Fingerprint, example: Box<FindingGroup>) {
        let Some(kind) = self.kinds.get_mut(&fingerprint) else { return };
        let Some(first) = kind.members.first() else { return };
        self.changes += 1;
        self.shown.insert((first.key().owned(), fingerprint));
        kind.example = Some(example);
        if self.shown.len() > self.most
            && let Some((_, last)) = self.shown.pop_last()
            && let Some(kind) = self.kinds.get_mut(&last)
        {
            kind.example = None;
        }
    }

    /// The groups with their fingerprints in an order, and the rest; `is_known` tells the places that the baseline has.
    pub fn finish(
        mut self,
        order: GroupOrder,
        is_known: &dyn Fn(&Fingerprint) -> bool,
    ) -> AllGroups {
        self.prefer_new(is_known);
        let mut groups: Vec<(Fingerprint, FindingGroup)> = Vec::new();
        for (_, fingerprint) in std::mem::take(&mut self.shown) {
            let Some(kind) = self.kinds.get_mut(&fingerprint) else { continue };
            let Some(example) = kind.example.take() else { continue };
            groups.push((fingerprint, kind.group(*example)));
            kind.count = 0;
        }
        groups.sort_by_key(|(_, group)| match order {
            GroupOrder::Gravest => (u64::from(group.finding.is_stop()), Reverse(group.count)),
            GroupOrder::Count => (0, Reverse(group.count)),
            GroupOrder::Rarest => (group.count, Reverse(0)),
            GroupOrder::Distance => {
                (u64::MAX - group.distance.map_or(0, |it| it + 1), Reverse(group.count))
            }
        });
        let further = self.kinds.into_iter().filter(|(_, kind)| kind.count > 0);
        let further = further.map(|(fingerprint, kind)| (fingerprint, kind.further()));
        AllGroups { groups, further: further.collect(), uncounted: self.uncounted }
    }
}

impl Kind {
    /// The group of this kind with its example.
    fn group(&mut self, example: FindingGroup) -> FindingGroup {
        FindingGroup {
            count: self.count,
            members: std::mem::take(&mut self.members),
            places: std::mem::take(&mut self.places),
            distance: self.distance,
            ..example
        }
    }

    /// The title that its example gives it, if it has an example.
    pub(crate) fn title_of_example(&self) -> Option<String> {
        self.example.as_ref().map(|it| title_of_shown(&it.finding))
    }

    fn further(self) -> FurtherKind {
        let Kind { code, title, count, distance, members, places, .. } = self;
        FurtherKind { code, title, verdict: verdict_of(code), count, distance, members, places }
    }
}

/// The first of the findings at each place, with their numbers.
fn firsts_of_places<'f>(
    findings: &[(u32, &'f Finding)],
) -> impl Iterator<Item = (u32, &'f Finding)> {
    let mut seen = HashSet::new();
    findings.iter().copied().filter(move |(_, it)| seen.insert(it.place))
}

/// Takes a kind out of those that are shown.
fn hide(shown: &mut BTreeSet<(OwnedKey, Fingerprint)>, fingerprint: &Fingerprint, kind: &mut Kind) {
    if kind.example.take().is_some()
        && let Some(first) = kind.members.first()
    {
        shown.remove(&(first.key().owned(), *fingerprint));
    }
}

/// Whether the first session of a kind, with its example, comes before that of the same kind elsewhere.
fn comes_first((kind, example): (&Kind, Option<&FindingGroup>), known: &Kind) -> bool {
    let (Some(first), Some(other)) = (kind.members.first(), known.members.first()) else {
        return false;
    };
    match first.order().cmp(&other.order()) {
        Ordering::Less => true,
        Ordering::Greater => false,
        // Two sessions at one place: any choice will do that does not depend on the order of merging.
        Ordering::Equal => match (example, known.example.as_deref()) {
            (Some(example), Some(known)) => format!("{example:?}") < format!("{known:?}"),
            (example, known) => example.is_some() && known.is_none(),
        },
    }
}

/// The name of the verdict of sessions with a finding, which its code tells, except that both kinds of
/// accepted sessions can be cut off.
pub(crate) fn verdict_of(code: Code) -> &'static str {
    match code {
        _ if code.is_failure() => "fail",
        Code::OnlyAPart => "weak_pass",
        Code::AcceptedCutOff => "pass",
        _ => "inconclusive",
    }
}

/// The title of a finding, in one line that depends only on the parts of the fingerprint.
fn title(finding: &Finding) -> String {
    title_of_shown(&finding.shortened(&View::EXCERPT))
}

/// The same of a finding whose texts are cut already.
pub(crate) fn title_of_shown(finding: &Finding) -> String {
    View::EXCERPT.name(&finding.title_of_kind())
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::unknown_event;
    use crate::session_names::SessionNames;
    use multitrace_formats::place::Place;
    use multitrace_interaction::{Alphabet, Session};
    use proptest::prelude::*;

    fn finding(kind: u8) -> Finding {
        unknown_event("a", &format!("a!{kind}"))
    }

    fn session(id: usize) -> (Position, String) {
        (Position { number: id as u64, ..Position::default() }, format!("s{id}"))
    }

    fn group(id: usize, kind: u8) -> FindingGroup {
        let session = Session { id: format!("s{id}"), ..Session::default() };
        let place = Place::new("f", Some(id));
        let finding = finding(kind);
        let names = SessionNames { session: &session, alphabet: &Alphabet::default() };
        let example = Explanation::new(&names, (&[], &[]), &place, &View::EXCERPT);
        FindingGroup::new(&finding, "fail", (example, Vec::new()), None, None)
    }

    /// One session: its number, the kind of its finding, and how many edits it needs.
    type Found = (usize, u8, u64);

    fn add(found: &mut FindingGroups, (id, kind, distance): Found) {
        let (position, name) = session(id);
        let is_known = false;
        let key =
            FindingKey { is_known, distance, position: &position, session: &name, finding: 0 };
        let finding = finding(kind);
        let found_one = [(0, &finding)];
        found.add(&found_one, None, key, |key| Member::new(key, None), |_| group(id, kind));
    }

    /// A naive count in the order of the input: the groups of the first kinds, and the sessions of each kind, the
    /// plainest first.
    fn naive(
        all: &[Found],
        most: usize,
        most_kinds: usize,
    ) -> (Vec<u8>, BTreeMap<u8, Vec<String>>) {
        let mut counted: Vec<u8> = Vec::new();
        for &(_, kind, _) in all {
            if !counted.contains(&kind) && counted.len() < most_kinds {
                counted.push(kind);
            }
        }
        let mut plainest: Vec<Found> = all.to_vec();
        plainest.sort_by_key(|&(id, _, distance)| (distance, id));
        let (mut kept, mut counts) = (Vec::new(), BTreeMap::<u8, Vec<String>>::new());
        for (id, kind, _) in plainest {
            if counted.contains(&kind) && !kept.contains(&kind) && kept.len() < most {
                kept.push(kind);
            }
            counts.entry(kind).or_default().push(format!("s{id}"));
        }
        (kept, counts)
    }

    fn check_shown(
        all: &AllGroups,
        kept: &[u8],
        counts: &BTreeMap<u8, Vec<String>>,
    ) -> Result<(), TestCaseError> {
        prop_assert_eq!(all.groups.len(), kept.len());
        for kind in kept {
            let finding = finding(*kind);
            let (_, group) =
                all.groups.iter().find(|(other, _)| *other == finding.kind).expect("kept");
            let sessions = &counts[kind];
            prop_assert_eq!(group.count as usize, sessions.len());
            let places: Vec<_> = group.places.iter().map(|(key, it)| (*key, it.count)).collect();
            prop_assert_eq!(places, [(finding.place, group.count)]);
            let named: Vec<&String> = group.members.iter().map(|m| &m.session).collect();
            let first: Vec<&String> = sessions.iter().take(NAMED_SESSIONS).collect();
            prop_assert_eq!(named, first);
            prop_assert_eq!(&group.example.session, &sessions[0]);
        }
        Ok(())
    }

    proptest! {
        /// Cut into chunks anywhere, the groups are those of a naive count.
        #[test]
        fn chunks_do_not_matter(kinds in prop::collection::vec((0u8..12, 0u64..3), 0..60),
                                chunk in 1usize..20, most in 1usize..7, further in 1usize..4,
                                known in prop::collection::vec(any::<bool>(), 1..5)) {
            let all: Vec<Found> =
                kinds.iter().enumerate().map(|(id, &(kind, distance))| (id, kind, distance)).collect();
            let mut groups = FindingGroups::with_limits(most, most + further);
            for (at, part) in all.chunks(chunk).enumerate() {
                // The kinds known when a part begins differ from run to run.
                let earlier = if known[at % known.len()] { Arc::default() } else { groups.kinds(Arc::default()) };
                let mut found = FindingGroups { most, ..FindingGroups::after(earlier) };
                part.iter().for_each(|&it| add(&mut found, it));
                groups.merge(found);
            }
            let (kept, counts) = naive(&all, most, most + further);
            let all = groups.finish(GroupOrder::Count, &|_| false);
            // Kinds beyond the limit take the room of others in their parts. The session shown then is not the
            // plainest.
            let is_whole = all.uncounted == 0;
            for (key, kind) in &all.further {
                let (of, sessions) = counts.iter().find(|(of, _)| finding(**of).kind == *key)
                    .expect("one of them");
                prop_assert!(!is_whole || !kept.contains(of));
                prop_assert_eq!(kind.count as usize, sessions.len());
            }
            let in_groups: u64 = all.groups.iter().map(|(_, group)| group.count).sum();
            let in_others: u64 = all.further.iter().map(|(_, kind)| kind.count).sum();
            prop_assert_eq!(all.uncounted + in_others + in_groups, kinds.len() as u64);
            prop_assert!(is_whole || all.further.len() + all.groups.len() == most + further);
            if is_whole {
                check_shown(&all, &kept, &counts)?;
            }
        }

        /// Parts of any sessions, merged in any order, are the whole.
        #[test]
        fn parts_can_be_merged_in_any_order(
            found in prop::collection::vec((0u8..12, 0u64..3, 0usize..5, any::<u64>()), 0..60),
            most in 1usize..7,
            is_known in any::<bool>(),
        ) {
            let found: Vec<_> = found.into_iter().enumerate()
                .map(|(id, (kind, distance, part, order))| ((id, kind, distance), part, order)).collect();
            let all: Vec<Found> = found.iter().map(|(it, ..)| *it).collect();
            // Sessions come in any order, to any part.
            let mut sessions = found;
            sessions.sort_by_key(|(.., order)| *order);
            let mut whole = FindingGroups::with_limits(most, 100);
            for part in 0..5 {
                let earlier = if is_known { whole.kinds(Arc::default()) } else { Arc::default() };
                let mut groups = FindingGroups { most, ..FindingGroups::after(earlier) };
                let of_part = sessions.iter().filter(|(_, of, _)| *of == part);
                of_part.for_each(|&(it, ..)| add(&mut groups, it));
                whole.merge(groups);
            }
            let (kept, counts) = naive(&all, most, usize::MAX);
            check_shown(&whole.finish(GroupOrder::Count, &|_| false), &kept, &counts)?;
        }
    }
}
