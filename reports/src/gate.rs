//! Which sessions fail a run, and whether the run fails.

use crate::baseline::{Baseline, Known};
use crate::codes::Code;
use crate::demands::Demands;
use crate::finding::Finding;
use crate::groups::{
    AllGroups, FindingGroup, Fingerprint, FurtherKind, KnownPlaces, MAX_PLACES, Rest,
};
use crate::run_report::{ReportedGroup, Standing};
use crate::summary::Summary;
use multitrace_formats::remedy::Words;
use multitrace_formats::selection::Rate;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The rules by which a run fails.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The verdicts that fail a run, by name: `fail`, `inconclusive`, `weak_pass`, and `cut_off`
    /// for accepted sessions whose log was cut off.
    pub fail_on: Vec<&'static str>,
    /// How many violations are tolerated.
    pub tolerance: Tolerance,
    /// Findings that are known and do not fail a run.
    pub baseline: Option<Baseline>,
    /// The demands on the input.
    pub demands: Demands,
}

/// The name in [`Gate::fail_on`] of accepted sessions whose log was cut off.
pub const CUT_OFF: &str = "cut_off";

/// How many violations a run may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tolerance {
    /// No violations; all sessions are still checked.
    #[default]
    None,
    /// None; the run stops when it has this many.
    StopAt(u64),
    /// This share of the sessions.
    Rate(Rate),
}

impl Default for Gate {
    /// Fails and inconclusive sessions fail a run; nothing is tolerated or known.
    fn default() -> Gate {
        Gate {
            fail_on: vec!["fail", "inconclusive"],
            tolerance: Tolerance::None,
            baseline: None,
            demands: Demands::default(),
        }
    }
}

impl Gate {
    /// The name in [`Gate::fail_on`] that front ends may write with dashes.
    pub fn name_of(given: &str) -> Option<&'static str> {
        let names = ["fail", "inconclusive", "weak_pass", CUT_OFF];
        names.into_iter().find(|name| *name == given.replace('-', "_"))
    }

    /// Whether a verdict of this name fails a run, if the baseline does not know the findings.
    pub fn names(&self, verdict: &str) -> bool {
        self.fail_on.contains(&verdict)
    }

    /// Whether a session fails a run, unless the baseline [has all of its findings](Gate::knows_all).
    pub fn counts(&self, verdict: &str, findings: &[Finding]) -> bool {
        let is_cut_off = |finding: &Finding| finding.code == Code::AcceptedCutOff;
        self.names(verdict) || findings.iter().any(is_cut_off) && self.names(CUT_OFF)
    }

    /// Whether the baseline has all of some places of findings, at least one.
    pub(crate) fn knows_set(&self, fingerprints: &[Fingerprint]) -> bool {
        !fingerprints.is_empty() && fingerprints.iter().all(|fingerprint| self.knows(fingerprint))
    }

    /// Whether the baseline has all of these findings, at least one.
    pub fn knows_all(&self, findings: &[Finding]) -> bool {
        !findings.is_empty() && findings.iter().all(|finding| self.knows(&finding.place))
    }

    /// Whether the baseline has a place.
    pub fn knows(&self, key: &Fingerprint) -> bool {
        self.baseline.as_ref().is_some_and(|baseline| baseline.places.contains_key(key))
    }

    /// After how many violations the run stops.
    pub fn most(&self) -> u64 {
        match self.tolerance {
            Tolerance::StopAt(most) => most,
            Tolerance::Rate(_) | Tolerance::None => u64::MAX,
        }
    }

    /// Whether a run with this many violations still passes.
    pub fn tolerates(&self, violations: u64, summary: &Summary) -> bool {
        match self.tolerance {
            Tolerance::Rate(rate) => rate.allows(violations, summary.sessions),
            Tolerance::StopAt(_) | Tolerance::None => violations == 0,
        }
    }

    /// Whether findings of a code fail a run, in sessions with a verdict of this name.
    fn refuses(&self, code: Code, verdict: &str) -> bool {
        self.names(if code == Code::AcceptedCutOff { CUT_OFF } else { verdict })
    }

    /// The standing of a kind of findings, which is known if all its places are.
    fn standing(
        &self,
        places: &KnownPlaces,
        code: Code,
        verdict: &str,
        tolerated: bool,
    ) -> Standing {
        match () {
            () if !self.refuses(code, verdict) => Standing::Allowed,
            () if !places.is_empty() && places.keys().all(|it| self.knows(it)) => Standing::Known,
            () if tolerated => Standing::Tolerated,
            () => Standing::Violation,
        }
    }

    /// The standings of the further kinds, as counts.
    pub fn judge_rest(&self, all: &AllGroups, tolerated: bool) -> Rest {
        let mut rest = Rest { uncounted: all.uncounted, ..Rest::default() };
        for (_, kind) in &all.further {
            let standing = self.standing(&kind.places, kind.code, kind.verdict, tolerated);
            rest.kinds += 1;
            rest.sessions += kind.count;
            rest.violations += if standing == Standing::Violation { kind.count } else { 0 };
        }
        rest
    }

    /// The groups with their standings, violations first.
    pub fn judge(
        &self,
        groups: Vec<(Fingerprint, FindingGroup)>,
        tolerated: bool,
    ) -> Vec<ReportedGroup> {
        let judge = |(fingerprint, group): (Fingerprint, FindingGroup)| {
            let standing =
                self.standing(&group.places, group.finding.code, group.verdict, tolerated);
            let known_places = group.places.keys().filter(|place| self.knows(place)).count();
            let new = group.places.iter().filter(|(place, _)| !self.knows(place));
            let most = new.max_by_key(|(place, it)| (it.count, Reverse(**place)));
            let new_place = most.filter(|_| known_places > 0).map(|(_, it)| it.title.clone());
            ReportedGroup { fingerprint, group, standing, known_places, new_place }
        };
        let mut judged: Vec<ReportedGroup> = groups.into_iter().map(judge).collect();
        judged.sort_by_key(|reported| reported.standing.level());
        judged
    }

    /// The places of the baseline that are not among these.
    pub fn absent(&self, found: &BTreeSet<Fingerprint>) -> Vec<(Fingerprint, Known)> {
        let places = self.baseline.iter().flat_map(|baseline| &baseline.places);
        let is_found = |key: &Fingerprint| found.contains(key);
        let absent = places.filter(|(key, _)| !is_found(key));
        absent.map(|(key, known)| (*key, known.clone())).collect()
    }
}

/// A run has findings at more places than are counted, so a baseline of it would lack some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there are findings at more than {MAX_PLACES} places, more than a baseline can hold; fix the \
     most frequent ones, or leave values that differ in every session out of the logs"
)]
pub struct TooManyPlaces;

impl Gate {
    /// The places of findings that fail a run, known ones too, as a baseline.
    ///
    /// # Errors
    /// When the run had more places than are counted.
    pub fn baseline(
        &self,
        groups: &[ReportedGroup],
        further: &[(Fingerprint, FurtherKind)],
        uncounted: u64,
        words: Words,
    ) -> Result<Baseline, TooManyPlaces> {
        if uncounted > 0 {
            return Err(TooManyPlaces);
        }
        let shown = groups.iter().filter(|group| group.standing != Standing::Allowed);
        let shown = shown.map(|it| (it.group.finding.code, &it.group.places));
        let further = further.iter().filter(|(_, kind)| self.refuses(kind.code, kind.verdict));
        let further = further.map(|(_, kind)| (kind.code, &kind.places));
        let mut baseline = Baseline::default();
        for (code, places) in shown.chain(further) {
            for (fingerprint, place) in places.iter() {
                let (code, title) = (code.name().to_owned(), words.text(&place.title));
                let known = Known { code, title: title.into_owned() };
                baseline.places.insert(*fingerprint, known);
            }
        }
        Ok(baseline)
    }
}
