//! Partial reports as bytes. Equal content has equal bytes: everything is sorted.

use super::counts::counts;
use super::coverage_totals::CoverageTotals;
use super::input_stamps::InputStamp;
use super::part::PartialReport;
use super::wire::{
    BudgetWire, CostsWire, CoverageWire, ErrorWire, ExampleWire, ExplainWire, FindingWire, Header,
    KindWire, Line, MemberWire, PlaceWire, RepairWire, VERSION,
};
use crate::costs::Costs;
use crate::finding::Finding;
use crate::first_errors::PlacedProblem;
use crate::gate::TooManyPlaces;
use crate::groups::{
    FindingGroup, FindingGroups, Fingerprint, Illustration, Kind, KnownPlace, Member,
};
use crate::hashed_lines::{hex, put};
use crate::repair_view::RepairView;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::GzEncoder};
use multitrace_formats::problem::InputProblem;
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::record_kinds::RecordKind;
use multitrace_interaction::{BudgetLimit, EditKind};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// The bytes of a bundle in one line, so that no reader needs long lines.
const PIECE: usize = 3 << 18;

impl PartialReport {
    /// As lines of JSON.
    ///
    /// # Errors
    /// When there are more kinds of findings, or sets of them, than are counted.
    pub fn to_bytes(&self) -> Result<Vec<u8>, TooManyPlaces> {
        if self.groups.uncounted() > 0 || self.combinations.are_too_many() {
            return Err(TooManyPlaces);
        }
        let mut bytes = Vec::new();
        // Memory takes everything, and strings, numbers and lists can always be written.
        self.write_lines(&mut bytes).expect("memory takes everything");
        let end = Line::End(hex(&Sha256::digest(&bytes)));
        put(&mut bytes, &end).expect("memory takes everything");
        Ok(bytes)
    }

    /// Names the run that it is of by a hash of its results and its time, and by one of its sessions, since small runs may have
    /// equal results in an equal time.
    #[must_use]
    pub fn of_one_run(mut self, sessions_hash: u64) -> PartialReport {
        self.runs = BTreeSet::new();
        let mut lines = Vec::new();
        self.write_lines(&mut lines).expect("memory takes everything");
        self.runs.insert(format!("{}-{sessions_hash:016x}", hex(&Sha256::digest(&lines))));
        self
    }

    /// Adds a problem of the input with this number; a report of one run is named anew.
    #[must_use]
    pub fn with_problem(mut self, input: u32, problem: &InputProblem) -> PartialReport {
        self.summary.errors = self.summary.errors.saturating_add(problem.count());
        self.errors.add(input, problem);
        self.renamed()
    }

    /// Adds remarks on its files; a report of one run is named anew if there are any.
    #[must_use]
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> PartialReport {
        let before = self.notes.len();
        self.notes.extend(notes);
        if self.notes.len() > before { self.renamed() } else { self }
    }

    /// The same, in which the name of a single run has the hash of these results.
    fn renamed(self) -> PartialReport {
        let mut names = self.runs.iter();
        let one = names.next().filter(|_| names.next().is_none());
        let sessions = one.and_then(|name| u64::from_str_radix(name.split_once('-')?.1, 16).ok());
        match sessions {
            Some(hash) => self.of_one_run(hash),
            None => self,
        }
    }

    /// The same packed by gzip.
    ///
    /// # Errors
    /// Those of [`PartialReport::to_bytes`].
    pub fn to_packed(&self) -> Result<Vec<u8>, TooManyPlaces> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&self.to_bytes()?).expect("memory takes everything");
        Ok(gzip.finish().expect("memory takes everything"))
    }

    fn write_lines(&self, out: &mut Vec<u8>) -> io::Result<()> {
        put(out, &self.header())?;
        for (name, InputStamp { size, checksum, is_named }) in self.inputs.iter() {
            let line = if is_named { Line::NamedInput } else { Line::Input };
            put(out, &line(name.to_owned(), size, checksum))?;
        }
        for piece in self.bundle.chunks(PIECE) {
            put(out, &Line::Bundle(STANDARD.encode(piece)))?;
        }
        for problem in self.errors.problems() {
            put(out, &Line::Error(error(problem)))?;
        }
        for (kind, &count) in self.errors.kinds() {
            put(out, &Line::Errors(kind.clone(), count))?;
        }
        for (fingerprint, kind) in self.groups.sorted() {
            put(out, &Line::Kind(Box::new(kind_wire(fingerprint, kind, &self.groups))))?;
        }
        for (verdict, fingerprints, sessions) in self.combinations.iter() {
            let fingerprints = fingerprints.iter().map(ToString::to_string).collect();
            put(out, &Line::Combination(verdict.to_owned(), fingerprints, sessions))?;
        }
        for (key, kind) in self.details.unmatched.iter() {
            let RecordKind { like, count, at, place } = kind.clone();
            put(out, &Line::Unmatched(key, like, count, at, place))?;
        }
        for note in &self.notes {
            put(out, &Line::Note(note.clone()))?;
        }
        for id in &self.missing {
            put(out, &Line::Missing(id.clone()))?;
        }
        Ok(())
    }

    pub(super) fn header(&self) -> Header {
        let named = |(name, count): (&'static str, &mut u64)| (name.to_owned(), *count);
        let mut summary = self.summary;
        let repairs = summary.repairs.as_ref();
        Header {
            version: VERSION,
            settings: self.settings.clone(),
            shards: self.shards.of,
            runs: self.runs.clone(),
            shard_numbers: self.shards.numbers.iter().copied().collect(),
            files: self.inputs.iter().count(),
            repairs: repairs.map(|it| [it.sessions, it.total, it.worst, it.inexact]),
            records: summary.input.map(RecordCounts::by_name),
            counts: counts(&mut summary).map(named).into_iter().collect(),
            pattern_wins: self.details.pattern_wins.clone(),
            unused_order: self.details.unused_order.clone(),
            repeated_span: self.details.repeated_span.clone(),
            peak_bytes: self.summary.peak_bytes,
            nanoseconds: self.nanoseconds,
            logged: self.logged.clone(),
            demands: self.demands.clone(),
            min_coverage: self.min_coverage,
            coverage: self.coverage.as_ref().map(coverage),
            costs: self.costs.as_ref().map(costs),
            explain: self.explain.as_ref().map(|it| ExplainWire {
                spec: it.spec.clone(),
                inputs: it.inputs.clone(),
                options: it.options.clone(),
            }),
        }
    }
}

/// A hash in digits.
/// Without zeros at the end, which say nothing.
fn trimmed(counts: &[u64]) -> Vec<u64> {
    let length = counts.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
    counts[..length].to_vec()
}

fn coverage(totals: &CoverageTotals) -> CoverageWire {
    let (taken, possible) = (trimmed(&totals.taken), trimmed(&totals.possible));
    CoverageWire { sessions: totals.sessions, not_followed: totals.not_followed, taken, possible }
}

fn costs(costs: &Costs) -> CostsWire {
    let Costs { nanoseconds, nodes, remembered, stages } = costs;
    CostsWire {
        nanoseconds: (nanoseconds.counts(), nanoseconds.largest()),
        nodes: (nodes.counts(), nodes.largest()),
        remembered: *remembered,
        stages: stages.clone(),
    }
}

fn error(problem: &PlacedProblem) -> ErrorWire {
    let places = problem.errors.iter().map(|it| (it.code.name().to_owned(), it.place.clone()));
    ErrorWire { input: problem.input, places: places.collect(), text: problem.text.clone() }
}

fn kind_wire(fingerprint: Fingerprint, kind: &Kind, all: &FindingGroups) -> KindWire {
    let is_only = kind.places.len() == 1;
    let place = |(key, it): (&Fingerprint, &KnownPlace)| {
        place(key, it, all.at_place(key).filter(|_| !is_only))
    };
    KindWire {
        fingerprint: fingerprint.to_string(),
        code: kind.code.name().to_owned(),
        title: kind.title_of_example().unwrap_or_else(|| kind.title.clone()),
        count: kind.count,
        distance: kind.distance,
        sessions: kind.members.iter().map(member).collect(),
        places: kind.places.iter().map(place).collect(),
        example: kind.example.as_deref().map(example),
    }
}

fn place(fingerprint: &Fingerprint, place: &KnownPlace, own: Option<&Kind>) -> PlaceWire {
    PlaceWire {
        fingerprint: fingerprint.to_string(),
        title: place.title.clone(),
        count: place.count,
        distance: own.and_then(|it| it.distance),
        sessions: own.iter().flat_map(|it| &it.members).map(member).collect(),
        example: own.and_then(|it| it.example.as_deref()).map(example),
    }
}

fn member(member: &Member) -> MemberWire {
    let key = member.key();
    let position = key.position;
    MemberWire {
        session: key.session.to_owned(),
        at: (key.distance, position.input, position.number, position.item, key.finding),
        input: position.name.clone(),
        place: member.place.clone(),
    }
}

fn example(group: &FindingGroup) -> ExampleWire {
    let Illustration { scene, rows } = group.illustration.clone();
    ExampleWire {
        verdict: group.verdict.to_owned(),
        finding: finding(&group.finding),
        expectation: group.expectation.clone(),
        place: group.place.clone(),
        explanation: group.example.clone(),
        faults: group
            .faults
            .iter()
            .map(|(code, it)| (code.name().to_owned(), it.clone()))
            .collect(),
        repair: group.repair.as_ref().map(repair),
        scene,
        rows,
    }
}

fn finding(finding: &Finding) -> FindingWire {
    let frontier = finding.frontier.as_ref().map(|frontier| {
        let entries = frontier
            .locations
            .iter()
            .cloned()
            .map(|it| (it.location, it.explained, it.index, it.length, it.event, it.expected));
        (frontier.complete, entries.collect())
    });
    let cycle = finding.frontier.iter().flat_map(|frontier| &frontier.cycle).cloned();
    let cut = finding.cut.as_ref().map(|cut| {
        let reached = cut.reached.iter().map(|it| (it.location.clone(), it.read, it.length));
        let budget = match cut.limit {
            BudgetLimit::States(states) => BudgetWire::States(states),
            BudgetLimit::Bytes(bytes) => BudgetWire::Bytes(bytes),
            BudgetLimit::Time(time) => {
                BudgetWire::Nanoseconds(time.as_nanos().try_into().unwrap_or(u64::MAX))
            }
        };
        (budget, reached.collect())
    });
    FindingWire {
        location: finding.location.clone(),
        index: finding.index,
        event: finding.event.clone(),
        expected: finding.expected.clone(),
        frontier,
        cycle: cycle.map(|it| (it.location, it.index, it.event)).collect(),
        balance: finding.frontier.as_ref().and_then(|frontier| frontier.balance.clone()),
        absent: finding.absent.clone(),
        cut,
        fault: finding.fault.as_deref().cloned(),
    }
}

fn repair(repair: &RepairView) -> RepairWire {
    let edits = repair.edits.iter().map(|it| {
        let it = it.clone();
        (it.location, it.index, it.action, it.kind == EditKind::Insert, it.place)
    });
    RepairWire {
        distance: repair.distance,
        exact: repair.exact,
        fitness: repair.fitness.map(|fitness| fitness.to_string()),
        edits: edits.collect(),
        omitted: repair.edits_omitted,
    }
}
