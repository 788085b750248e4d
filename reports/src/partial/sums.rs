//! Sums that hold in every partial report, of one run and of many: whoever changes a number by hand changes a sum.

// In the part of one run no number can change: the name of the run is a hash of all lines. In merged parts some numbers
// can, since nothing else in the part depends on them: inputs, lines and columns of places, indices of events within a
// session that is shown, times, memory, sizes, and counts of items that are not listed one by one. They keep to the
// bounds below.

use super::checks::{Checked, MOST, check};
use super::part::PartialReport;
use crate::codes::Code;
use crate::costs::Costs;
use crate::first_errors::TOLD_PROBLEMS;
use crate::gate::CUT_OFF;
use crate::groups::{Fingerprint, Kind, Member, NAMED_SESSIONS, verdict_of};
use crate::summary::{RepairCounts, Summary};
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::record_kinds::MOST_KINDS;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Whether a whole report adds up.
pub(super) fn whole(report: &PartialReport) -> Checked {
    sessions(report)?;
    records(report)?;
    costs(report)?;
    parts(report)?;
    let problems = report.errors.problems().len() as u64;
    check(
        problems == report.summary.errors.min(TOLD_PROBLEMS),
        "another number of errors than it lists",
    )?;
    let kinds = report.errors.kinds().values();
    let by_kind = kinds.fold(0_u64, |sum, count| sum.saturating_add(*count));
    check(by_kind == report.summary.errors, "another number of errors than of their kinds")?;
    events(report)?;
    findings(report)
}

/// There are at least as many events as in the sessions that are shown, and some if a location has logged something.
fn events(report: &PartialReport) -> Checked {
    let all = report.summary.events;
    check(all > 0 || report.logged.is_empty(), "locations that logged something, and no events")?;
    let kinds = report.groups.sorted().into_values();
    let of_places = |kind: &Kind| {
        let places: Vec<Fingerprint> = kind.places.keys().copied().collect();
        places.into_iter().filter_map(|place| report.groups.at_place(&place))
    };
    let mut shown = BTreeMap::new();
    for kind in kinds.flat_map(|kind| std::iter::once(kind).chain(of_places(kind))) {
        if let Some((first, example)) = kind.members.first().zip(kind.example.as_ref()) {
            shown.insert((&first.position, first.key().session), example.example.events as u64);
        }
    }
    let shown = shown.into_values().fold(0, u64::saturating_add);
    check(shown <= all, "fewer events than the sessions that it shows")
}

/// Counts of sessions that are parts of others.
fn sessions(report: &PartialReport) -> Checked {
    let Summary {
        pass,
        weak_pass,
        fail,
        only_ends,
        only_logs,
        cut_off,
        reordered,
        repairs,
        not_selected,
        not_kept,
        ..
    } = report.summary;
    check(not_kept <= not_selected, "more sessions that no filter keeps than sessions left out")?;
    check(reordered <= pass, "more sessions that pass in another order than sessions that pass")?;
    check(
        only_logs <= only_ends && only_ends <= fail,
        "more failures that lack ends of logs than failures",
    )?;
    check(
        cut_off <= pass + weak_pass,
        "more accepted sessions that are cut off than accepted ones",
    )?;
    check(repairs.is_none() || report.settings.repair, "repairs that nobody asked for")?;
    let RepairCounts { sessions, total, worst, inexact } = repairs.unwrap_or_default();
    let most = u128::from(worst) * u128::from(sessions);
    let of_kinds = report.groups.sorted().values().filter_map(|it| it.distance).max();
    let fits = sessions <= fail
        && (!report.settings.repair || of_kinds.unwrap_or(0) == worst)
        && inexact <= sessions
        && worst <= total
        && u128::from(total) <= most;
    check(fits, "distances of repairs that do not add up")?;
    let Some(coverage) = &report.coverage else { return Ok(()) };
    // Sessions that pass weakly are not followed.
    let counts = coverage.taken.iter().chain(&coverage.possible);
    check(
        coverage.sessions + coverage.not_followed == pass
            && counts.into_iter().all(|it| *it <= coverage.sessions),
        "coverage of another number of sessions than those that pass",
    )
}

/// The counts of records.
fn records(report: &PartialReport) -> Checked {
    check(
        report.summary.input.is_some() == report.settings.mapping.is_some(),
        "counts of records without a mapping, or a mapping without them",
    )?;
    let input = report.summary.input.unwrap_or_default();
    let RecordCounts { records, mapped, dropped, unmatched, ignored, .. } = input;
    // A shard has the records of all shards, or none, and the events of its own sessions.
    let has_all = report.shards.missing().1 == 0;
    let told = input.without_pattern + input.before_start + input.without_column;
    let fits = mapped + dropped + unmatched <= records
        && input.not_kept <= dropped
        && told <= unmatched
        && (ignored == 0 || ignored == unmatched)
        && input.unused_patterns == 0
        && input.other_pattern <= records
        && input.joined <= input.events
        && (!has_all || mapped <= input.events + input.not_selected + input.without_session)
        && report.summary.input.is_none_or(|it| report.summary.events <= it.events);
    check(fits, "records that do not add up")?;
    let (mut of_kinds, mut kinds) = (0_u64, 0);
    for (_, kind) in report.details.unmatched.iter() {
        check(kind.count > 0, "a kind of records without records")?;
        (of_kinds, kinds) = (of_kinds.saturating_add(kind.count), kinds + 1);
    }
    let fits = match kinds < MOST_KINDS {
        true => of_kinds == unmatched - ignored,
        false => of_kinds <= unmatched - ignored,
    };
    check(fits, "kinds of records without a rule that are not as many as these")?;
    let won = report.details.pattern_wins.iter().try_fold(0_u64, |sum, it| sum.checked_add(*it));
    check(won.is_some_and(|it| it <= records), "more records of patterns than records")
}

fn costs(report: &PartialReport) -> Checked {
    let Some(Costs { nanoseconds, nodes, remembered, stages }) = &report.costs else {
        return Ok(());
    };
    let decided = stages.values().try_fold(0_u64, |sum, it| sum.checked_add(it.sessions));
    let fits = nodes.total() == nanoseconds.total()
        && decided == Some(nodes.total())
        && nodes.total().checked_add(*remembered) == Some(report.summary.sessions)
        && nodes.is_possible()
        && nanoseconds.is_possible();
    check(fits, "costs of another number of sessions than there are")
}

/// The shards and the runs of a report.
fn parts(report: &PartialReport) -> Checked {
    let (shards, runs) = (&report.shards, report.runs.len());
    let fits = match shards.of {
        None => runs > 0,
        Some(of) => runs == shards.numbers.len() && !(of.by_files && of.seed > 0),
    };
    check(fits, "another number of runs than of shards")?;
    check(
        shards.of.is_some() == report.settings.inputs.is_some(),
        "a list of inputs without shards, or shards without it",
    )?;
    let is_free = report.settings.only_sessions.is_some() || report.missing.is_empty();
    check(is_free, "missing sessions without a list of sessions")
}

/// Findings, against the sessions that have them.
fn findings(report: &PartialReport) -> Checked {
    let kinds = report.groups.sorted();
    let mut of_place: HashMap<Fingerprint, Fingerprint> = HashMap::new();
    for (name, kind) in &kinds {
        for place in kind.places.keys() {
            check(of_place.insert(*place, *name).is_none(), "a place of two kinds of findings")?;
        }
    }
    let sets = Sets::of(report, &of_place)?;
    sets.check_verdicts(report)?;
    let mut all = 0_u64;
    for (name, kind) in &kinds {
        all = all.saturating_add(kind.count);
        let rest = sets.rest(report, kind.code);
        members(kind)?;
        places(report, kind)?;
        let counted = sets.of_kind.get(name).copied().unwrap_or(0);
        check(fits(kind.count, counted, rest), "a kind of findings in another number of sessions")?;
        for (place, known) in kind.places.iter() {
            let counted = sets.of_place.get(place).copied().unwrap_or(0);
            check(
                fits(known.count, counted, rest),
                "a place of findings in another number of sessions",
            )?;
        }
    }
    let Summary { fail, inconclusive, .. } = report.summary;
    check(all >= fail + inconclusive, "fewer findings than sessions that have one")?;
    let of_cut_off = kinds.values().filter(|it| it.code == Code::AcceptedCutOff);
    let most = of_cut_off.clone().map(|it| it.count).max().unwrap_or(0);
    let all: u64 = of_cut_off.map(|it| it.count).fold(0, u64::saturating_add);
    let has_all = names(report, CUT_OFF);
    let cut_off = report.summary.cut_off;
    check(
        most <= cut_off && (!has_all || cut_off <= all),
        "another number of sessions that are cut off",
    )
}

/// Whether a count is that of the sets, which lack no more than the rest.
fn fits(count: u64, counted: u64, rest: u64) -> bool {
    counted <= count && count <= counted.saturating_add(rest)
}

/// How many sessions that the gate names have each place, each kind, and each verdict.
#[derive(Default)]
struct Sets {
    of_place: HashMap<Fingerprint, u64>,
    of_kind: HashMap<Fingerprint, u64>,
    of_verdict: BTreeMap<&'static str, u64>,
}

impl Sets {
    fn of(
        report: &PartialReport,
        kinds: &HashMap<Fingerprint, Fingerprint>,
    ) -> Result<Sets, String> {
        let mut sets = Sets::default();
        let mut all = 0_u64;
        for (verdict, places, sessions) in report.combinations.iter() {
            // Sums of no more sessions than a report can have do not overflow.
            all = all.saturating_add(sessions);
            check(all <= MOST && sessions > 0, "more sets of findings than sessions")?;
            *sets.of_verdict.entry(verdict).or_default() += sessions;
            let mut of_set = BTreeSet::new();
            for place in places {
                *sets.of_place.entry(*place).or_default() += sessions;
                let kind = kinds.get(place).ok_or("a set with a finding that is not listed")?;
                of_set.insert(*kind);
            }
            for kind in of_set {
                *sets.of_kind.entry(kind).or_default() += sessions;
            }
        }
        Ok(sets)
    }

    fn check_verdicts(&self, report: &PartialReport) -> Checked {
        let Summary { pass, weak_pass, fail, inconclusive, cut_off, .. } = report.summary;
        let verdicts = [
            ("pass", pass, cut_off),
            ("weak_pass", weak_pass, cut_off),
            ("fail", fail, 0),
            ("inconclusive", inconclusive, 0),
        ];
        for (name, sessions, cut_off) in verdicts {
            let counted = self.of_verdict.get(name).copied().unwrap_or(0);
            let holds = if names(report, name) {
                counted == sessions
            } else {
                counted <= if names(report, CUT_OFF) { cut_off } else { 0 }
            };
            check(holds, "sets of findings of another number of sessions than have the verdict")?;
        }
        Ok(())
    }

    /// How many sessions that the gate does not name may have a finding of this code.
    fn rest(&self, report: &PartialReport, code: Code) -> u64 {
        let Summary { fail, inconclusive, cut_off, .. } = report.summary;
        let (gate, sessions) = match verdict_of(code) {
            "pass" => (CUT_OFF, cut_off),
            "inconclusive" => ("inconclusive", inconclusive),
            "fail" => ("fail", fail),
            _ => return 0,
        };
        if names(report, gate) { 0 } else { sessions }
    }
}

/// Whether sessions of a verdict fail the run.
fn names(report: &PartialReport, verdict: &str) -> bool {
    report.settings.fail_on.iter().any(|it| it == verdict)
}

/// The sessions that the places of a kind name: together its own.
fn places(report: &PartialReport, kind: &Kind) -> Checked {
    let at_place = |place| report.groups.at_place(place);
    let mut own = kind.places.keys().filter_map(at_place);
    own.try_for_each(members)?;
    let distance = kind.places.keys().filter_map(at_place).filter_map(|it| it.distance).max();
    let firsts = report.groups.firsts(kind, &|_| false);
    let is_whole = firsts.iter().map(|(it, _)| it.key()).eq(kind.members.iter().map(Member::key));
    check(
        is_whole && distance == kind.distance,
        "a kind of findings with other sessions than its places",
    )
}

/// The sessions that a kind names, which are its first ones, each once.
fn members(kind: &Kind) -> Checked {
    let all: Vec<&Member> = kind.members.iter().collect();
    let named: BTreeSet<_> = all.iter().map(|it| (&it.position, it.key().session)).collect();
    check(named.len() == all.len(), "a session twice in one kind of findings")?;
    check(
        all.len() as u64 == kind.count.min(NAMED_SESSIONS as u64),
        "another number of named sessions than a kind of findings has",
    )?;
    let most = kind.distance.unwrap_or(0);
    check(all.iter().all(|it| it.distance <= most), "a distance above the largest one")?;
    let Some((first, example)) = all.first().zip(kind.example.as_deref()) else { return Ok(()) };
    let is_same = first.session == example.example.session && first.place == example.example.place;
    check(is_same, "an example that is not the first session")?;
    let distance = example.repair.as_ref().map_or(0, |it| it.distance);
    check(distance == first.distance, "an example with the repair of another session")
}
