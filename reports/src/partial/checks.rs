//! Conditions on a partial report, so that nothing that is computed from it overflows, and a picture refers to nothing
//! that is missing.

use super::settings::Settings;
use super::shards::Shards;
use crate::codes::Code;
use crate::explanation::{Explanation, LocationExplanation};
use crate::finding::Finding;
use crate::groups::{Fingerprint, Kind};
use crate::partial::coverage_totals::CoverageTotals;
use crate::pictures::space_time::scene::Scene;
use crate::summary::Summary;
use crate::timeline::TimelineRow;

/// No count of a run is larger: two of them can be added, and JSON shows them exactly.
pub(super) const MOST: u64 = 1 << 53;
/// No log is longer.
const LONGEST: usize = 1 << 31;

pub(super) type Checked = Result<(), String>;

pub(super) fn check(holds: bool, what: &str) -> Checked {
    if holds { Ok(()) } else { Err(format!("{what}, which no report has")) }
}

/// The counts of a run.
pub(super) fn counts(summary: &Summary) -> Checked {
    let mut all = *summary;
    let mut is_small = super::counts::counts(&mut all).iter().all(|(_, count)| **count <= MOST);
    if let Some(input) = &mut all.input {
        is_small &= input.fields().iter().all(|(_, count)| **count <= MOST);
    }
    if let Some(repairs) = &all.repairs {
        let counts = [repairs.sessions, repairs.total, repairs.worst, repairs.inexact];
        is_small &= counts.iter().all(|count| *count <= MOST);
    }
    check(is_small, "a count above 2^53")?;
    let Summary { sessions, pass, weak_pass, fail, inconclusive, causes, .. } = *summary;
    check(
        sessions == pass + weak_pass + fail + inconclusive,
        "verdicts that are not as many as sessions",
    )?;
    check(
        fail == causes.local + causes.inter + causes.central,
        "causes that are not as many as failures",
    )
}

/// Which shards there are.
pub(super) fn shards(shards: &Shards) -> Checked {
    let fits = match shards.of {
        None => shards.numbers.is_empty(),
        Some(of) => {
            !shards.numbers.is_empty()
                && shards.numbers.iter().all(|it| (1..=of.count).contains(it))
        }
    };
    check(fits, "numbers of shards that are not there")
}

/// Coverage and costs are there if and only if they were asked for.
pub(super) fn settings(settings: &Settings, has_coverage: bool, has_costs: bool) -> Checked {
    check(
        settings.coverage == has_coverage && settings.stats == has_costs,
        "coverage or costs missing",
    )
}

/// The name of a verdict.
pub(super) fn verdict(name: &str) -> Result<&'static str, String> {
    let known = ["pass", "weak_pass", "fail", "inconclusive"];
    known
        .into_iter()
        .find(|known| *known == name)
        .ok_or_else(|| format!("{name:?} is not a verdict"))
}

/// A session as it is explained.
pub(super) fn explanation(explanation: &Explanation) -> Checked {
    let Explanation { events, explained, omitted_locations, .. } = *explanation;
    let is_short = events <= LONGEST && omitted_locations <= LONGEST;
    check(is_short && explained.is_none_or(|it| it <= events), "a session of impossible length")?;
    let lengths = explanation.locations.iter().map(|it| it.length);
    let shown = lengths.fold(0, usize::saturating_add);
    let is_whole = shown == events || omitted_locations > 0 && shown < events;
    check(is_whole, "a session with more or fewer events than its logs")?;
    explanation.locations.iter().try_for_each(location)
}

fn location(location: &LocationExplanation) -> Checked {
    let LocationExplanation { length, explained, before, after, .. } = *location;
    let is_inside = |index: usize| index < length;
    let holds = length <= LONGEST
        && explained.is_none_or(|it| it <= length)
        && before <= length
        && after <= length
        && location.expected.omitted <= LONGEST
        && location.omitted_marks <= LONGEST
        && location.log.iter().all(|event| is_inside(event.index))
        && location.log.is_sorted_by(|a, b| a.index < b.index)
        && location
            .marks
            .iter()
            .all(|mark| mark.index <= length && mark.expected.omitted <= LONGEST)
        && location.marks.is_sorted_by(|a, b| a.index <= b.index);
    check(holds, "a log of impossible length")?;
    let shown = location.log.first().zip(location.log.last());
    let is_closed = shown.map_or(before + after <= length, |(first, last)| {
        first.index == before && last.index + 1 + after == length
    });
    let ends = location.marks.iter().all(|it| it.event.is_none() == (it.index == length));
    check(is_closed && ends, "a log whose shown events are not where it says")
}

/// The rows of a picture.
pub(super) fn rows(rows: &[TimelineRow]) -> Checked {
    let fits = |row: &TimelineRow| {
        row.before <= LONGEST
            && row.index <= LONGEST
            && row.expected.as_ref().is_none_or(|it| it.omitted <= LONGEST)
    };
    check(rows.iter().all(fits), "rows of impossible numbers")
}

/// A finding.
pub(super) fn finding(finding: &Finding) -> Checked {
    let entries = finding.frontier.iter().flat_map(|it| &it.locations);
    let mut lengths: Vec<usize> = finding.index.into_iter().collect();
    let cycle = finding.frontier.iter().flat_map(|it| &it.cycle);
    lengths.extend(cycle.map(|it| it.index));
    entries.for_each(|it| lengths.extend([it.explained, it.index, it.length]));
    let reached = finding.cut.iter().flat_map(|it| &it.reached);
    reached.for_each(|it| lengths.extend([it.read, it.length]));
    let fault = finding.fault.iter();
    fault.for_each(|it| lengths.extend([it.consequences, it.locations, it.under.unwrap_or(0)]));
    check(lengths.iter().all(|it| *it <= LONGEST), "a finding of impossible numbers")
}

/// A kind of findings, or one of its places: its title is that of its example, and no other code has its fingerprint.
pub(super) fn kind(kind: &Kind, fingerprint: Fingerprint) -> Checked {
    let Some(example) = &kind.example else { return Ok(()) };
    let title = kind.title_of_example();
    check(
        title.is_none_or(|it| it == kind.title),
        "a kind of findings with another title than its example",
    )?;
    let others = Code::ALL.into_iter().filter(|code| *code != kind.code);
    let is_other = |code| example.finding.key_of(code) == fingerprint;
    check(
        !others.into_iter().any(is_other),
        "a kind of findings with another code than its fingerprint",
    )
}

/// The counts of coverage.
pub(super) fn coverage(totals: &CoverageTotals) -> Checked {
    let counts = totals.taken.iter().chain(&totals.possible);
    let mut counts = counts.chain([&totals.sessions, &totals.not_followed]);
    check(counts.all(|count| *count <= MOST), "a count above 2^53")
}

/// The index of an edit.
pub(super) fn edit(index: usize) -> Checked {
    check(index <= LONGEST, "an edit of impossible numbers")
}

/// A repair.
pub(super) fn repair(distance: u64, fitness: Option<f64>, omitted: usize) -> Checked {
    let fits = fitness.is_none_or(|it| (0.0..=1.0).contains(&it));
    check(fits && distance <= MOST && omitted <= LONGEST, "a repair of impossible numbers")
}

/// The places that a picture refers to.
pub(super) fn scene(scene: &Scene) -> Checked {
    check(scene.is_whole(), "a picture of events that are not there")
}
