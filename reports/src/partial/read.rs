//! Partial reports out of bytes from other machines: nothing in them is believed before it is checked.

use super::checks;
use super::counts::counts;
use super::coverage_totals::CoverageTotals;
use super::error::WRITE_AGAIN;
use super::input_stamps::{InputStamp, InputStamps};
use super::part::PartialReport;
use super::shards::Shards;
use super::sums;
use super::wire::{
    BudgetWire, CostsWire, ErrorWire, ExampleWire, FindingWire, Header, KindWire, Line, MAGIC,
    MemberWire, RepairWire, VERSION,
};
use crate::codes::Code;
use crate::combinations::{Combinations, MAX_COMBINATIONS};
use crate::costs::{Costs, Histogram};
use crate::finding::{BudgetCut, Finding};
use crate::first_errors::{FirstErrors, PlacedProblem};
use crate::frontier_view::{FrontierRow, FrontierView, NamedEvent, ReachedRow};
use crate::groups::{FindingGroup, FindingGroups, Fingerprint, Illustration, Kind, Member};
use crate::groups::{KnownPlace, KnownPlaces, MAX_PLACES, NAMED_SESSIONS};
use crate::hashed_lines::{FileKind, HashedLines, LineError as PartError, hex, put};
use crate::position::{FindingKey, Position};
use crate::repair_view::{EditView, RepairView};
use crate::run_report::{ExplainCommand, InputError};
use crate::summary::{RepairCounts, Summary};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use multitrace_formats::record_counts::{CountsError, RecordCounts, RecordDetails, set_counts};
use multitrace_formats::record_kinds::RecordKind;
use multitrace_interaction::{BudgetLimit, EditKind};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Partial reports among the files that machines exchange.
const KIND: FileKind = FileKind {
    magic: MAGIC,
    version: VERSION,
    // Packed reports are 5 to 30 times smaller; gzip could do 1,000 times.
    most_ratio: 200,
    name: "partial report",
    name_files: "‹name_parts›",
    other_version: "merge with the version of the tool that wrote it",
    write_again: WRITE_AGAIN,
};

impl PartialReport {
    /// Reads a report, packed by gzip or not.
    ///
    /// # Errors
    /// When the bytes are not a partial report, or one of another version, cut off or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<PartialReport, PartError> {
        let mut lines = HashedLines::new(&KIND, bytes);
        let mut header: Header = lines.header()?;
        let mut run = run_of(&mut header);
        let mut report = Builder::begin(header).map_err(|why| lines.error(why))?;
        loop {
            let before = lines.hash.clone();
            match lines.next()? {
                Line::End(hash) => {
                    lines.end(before, &hash)?;
                    let report = report.finish().map_err(|why| lines.error(why))?;
                    if run.is_some_and(|(name, hash)| results_of(&name) != hex(&hash.finalize())) {
                        return Err(lines.error("the run that it names has written other results"));
                    }
                    return Ok(report);
                }
                line => {
                    if let Some((_, hash)) = &mut run {
                        hash.update(&lines.line);
                    }
                    report.add(line).map_err(|why| lines.error(why))?;
                }
            }
        }
    }
}

/// The name of a report's run, if it is of one, and the hash of its first line without that name.
fn run_of(header: &mut Header) -> Option<(String, Sha256)> {
    let runs = std::mem::take(&mut header.runs);
    let mut line = Vec::new();
    put(&mut line, header).expect("memory takes everything");
    header.runs = runs;
    let mut names = header.runs.iter();
    let name = names.next().filter(|_| names.next().is_none())?;
    Some((name.clone(), Sha256::new_with_prefix(line)))
}

/// The part of the name of a run that is the hash of its results; the rest is about its sessions.
fn results_of(name: &str) -> &str {
    name.split_once('-').map_or(name, |(results, _)| results)
}

/// A report while its lines are read.
struct Builder {
    report: PartialReport,
    /// How many files it says that it has.
    files: usize,
    kinds: usize,
    combinations: usize,
}

type Checked<T> = Result<T, String>;

impl Builder {
    fn begin(header: Header) -> Checked<Builder> {
        let shards =
            Shards { of: header.shards, numbers: header.shard_numbers.into_iter().collect() };
        checks::shards(&shards)?;
        let summary = summary(&header.counts, header.records.as_ref(), header.repairs)?;
        let summary = Summary { peak_bytes: header.peak_bytes, ..summary };
        checks::counts(&summary)?;
        let coverage = header.coverage.map(|it| CoverageTotals {
            sessions: it.sessions,
            not_followed: it.not_followed,
            taken: it.taken,
            possible: it.possible,
        });
        coverage.as_ref().map(checks::coverage).transpose()?;
        let settings = header.settings;
        checks::settings(&settings, coverage.is_some(), header.costs.is_some())?;
        let files = header.files;
        let report = PartialReport {
            settings,
            bundle: Vec::new(),
            shards,
            runs: header.runs,
            inputs: InputStamps::default(),
            summary,
            nanoseconds: header.nanoseconds,
            groups: FindingGroups::of_part(),
            combinations: Combinations::default(),
            errors: FirstErrors::default(),
            coverage,
            costs: header.costs.map(costs).transpose()?,
            details: RecordDetails {
                pattern_wins: header.pattern_wins,
                unused_order: header.unused_order,
                repeated_span: header.repeated_span,
                ..Default::default()
            },
            notes: BTreeSet::new(),
            logged: header.logged,
            demands: header.demands,
            min_coverage: header.min_coverage,
            missing: Vec::new(),
            explain: header.explain.map(|it| ExplainCommand {
                spec: it.spec,
                inputs: it.inputs,
                options: it.options,
            }),
        };
        Ok(Builder { report, files, kinds: 0, combinations: 0 })
    }

    fn add(&mut self, line: Line) -> Checked<()> {
        let report = &mut self.report;
        match line {
            Line::Input(name, size, checksum) => {
                report.inputs.add(&name, InputStamp { size, checksum, is_named: false });
            }
            Line::NamedInput(name, size, checksum) => {
                report.inputs.add(&name, InputStamp { size, checksum, is_named: true });
            }
            Line::Bundle(piece) => {
                let piece =
                    STANDARD.decode(piece).map_err(|error| format!("the bundle: {error}"))?;
                report.bundle.extend(piece);
            }
            Line::Error(error) => report.errors.insert(problem(error)?),
            Line::Errors(kind, count) => report.errors.count(&kind, count),
            Line::Unmatched(key, like, count, at, place) => {
                let kind = RecordKind { like, count, at, place };
                report.details.unmatched.insert(key, kind);
            }
            Line::Note(note) => _ = report.notes.insert(note),
            Line::Kind(wire) => {
                self.kinds += 1;
                if self.kinds > MAX_PLACES {
                    return Err("more kinds of findings than any report has".to_owned());
                }
                let ((fingerprint, kind), at_places) = kind(*wire)?;
                report.groups.merge_kind(fingerprint, kind);
                for (place, sessions) in at_places {
                    report.groups.merge_place(place, sessions);
                }
            }
            Line::Combination(verdict, fingerprints, sessions) => {
                self.combinations += 1;
                if self.combinations > MAX_COMBINATIONS || sessions > checks::MOST {
                    return Err("more sets of findings than any report has".to_owned());
                }
                let set = fingerprints.iter().map(|it| fingerprint(it)).collect::<Checked<_>>()?;
                report.combinations.add_all(checks::verdict(&verdict)?, set, sessions);
            }
            Line::Missing(id) => report.missing.push(id),
            Line::End(_) => {}
        }
        Ok(())
    }

    fn finish(self) -> Checked<PartialReport> {
        let report = self.report;
        if !hex(&Sha256::digest(&report.bundle)).starts_with(&report.settings.bundle) {
            return Err("another bundle than the one it names".to_owned());
        }
        checks::check(
            self.files == report.inputs.iter().count(),
            "another number of files than it lists",
        )?;
        sums::whole(&report)?;
        Ok(report)
    }
}

fn fingerprint(text: &str) -> Checked<Fingerprint> {
    text.parse().map_err(|error| format!("{text:?}: {error}"))
}

fn code(name: &str) -> Checked<Code> {
    Code::of_name(name).ok_or_else(|| format!("{name:?} is not a code that this version knows"))
}

/// Sets counts by their names; all must be there, and no other.
fn summary(
    values: &BTreeMap<String, u64>,
    records: Option<&BTreeMap<String, u64>>,
    repairs: Option<[u64; 4]>,
) -> Checked<Summary> {
    let mut summary = Summary::default();
    let unlike = |error: CountsError| error.to_string();
    set_counts(counts(&mut summary), values).map_err(unlike)?;
    summary.input = records.map(RecordCounts::of_names).transpose().map_err(unlike)?;
    summary.repairs = repairs.map(|[sessions, total, worst, inexact]| RepairCounts {
        sessions,
        total,
        worst,
        inexact,
    });
    Ok(summary)
}

fn costs(wire: CostsWire) -> Checked<Costs> {
    let histogram = |(counts, largest)| {
        Histogram::of_counts(counts, largest)
            .ok_or_else(|| "no histogram has these counts".to_owned())
    };
    let (nanoseconds, nodes) = (histogram(wire.nanoseconds)?, histogram(wire.nodes)?);
    Ok(Costs {
        nanoseconds,
        nodes,
        remembered: wire.remembered.min(checks::MOST),
        stages: wire.stages,
    })
}

fn problem(wire: ErrorWire) -> Checked<PlacedProblem> {
    let error = |(name, place): (String, _)| Ok(InputError { code: code(&name)?, place });
    let errors = wire.places.into_iter().map(error).collect::<Checked<Vec<InputError>>>()?;
    Ok(PlacedProblem { input: wire.input, errors, text: wire.text })
}

/// A kind of findings or one of its places, with its fingerprint.
type Keyed = (Fingerprint, Kind);

/// A kind of findings, and the same of each of its places.
fn kind(wire: KindWire) -> Checked<(Keyed, Vec<Keyed>)> {
    let (fingerprint, code) = (fingerprint(&wire.fingerprint)?, code(&wire.code)?);
    let given = (wire.sessions, wire.distance, wire.example);
    let kind = sessions(wire.count, given, (code, fingerprint), wire.title)?;
    if wire.places.is_empty() || wire.places.iter().any(|it| it.count == 0 || it.count > kind.count)
    {
        return Err("a kind of finding with a wrong number of places".to_owned());
    }
    let is_only = wire.places.len() == 1;
    let (mut places, mut at_places) = (KnownPlaces::default(), Vec::new());
    for place in wire.places {
        let key = self::fingerprint(&place.fingerprint)?;
        let known = KnownPlace { title: place.title, count: place.count };
        let has_own = place.distance.is_some() || place.example.is_some();
        let own = match is_only {
            true if has_own || !place.sessions.is_empty() || place.count != kind.count => {
                return Err("an only place with sessions of its own".to_owned());
            }
            true => kind.clone(),
            false => {
                let given = (place.sessions, place.distance, place.example);
                sessions(place.count, given, (code, fingerprint), kind.title.clone())?
            }
        };
        places.insert(key, known.clone());
        let own_places = std::iter::once((key, known)).collect();
        at_places.push((key, Kind { places: own_places, ..own }));
    }
    Ok(((fingerprint, Kind { places, ..kind }), at_places))
}

/// The sessions of a kind, or of one of its places, without places.
fn sessions(
    count: u64,
    (sessions, distance, shown): (Vec<MemberWire>, Option<u64>, Option<ExampleWire>),
    (code, fingerprint): (Code, Fingerprint),
    title: String,
) -> Checked<Kind> {
    let members: Vec<Member> = sessions.into_iter().map(member).collect();
    let fits = 1..=NAMED_SESSIONS;
    if !fits.contains(&members.len())
        || count < members.len() as u64
        || count > checks::MOST
        || distance.is_some_and(|distance| distance > checks::MOST)
        || !members.is_sorted_by(|a, b| a.key() <= b.key())
    {
        return Err("a kind of finding with a wrong number or order of sessions".to_owned());
    }
    let example = shown.map(|it| example(it, code, fingerprint)).transpose()?.map(Box::new);
    let places = KnownPlaces::default();
    let kind = Kind { code, title, count, distance, members, places, example };
    checks::kind(&kind, fingerprint)?;
    Ok(kind)
}

fn member(wire: MemberWire) -> Member {
    let (distance, input, number, item, finding) = wire.at;
    let position = Position { input, name: wire.input, number, item };
    let session = &*wire.session;
    let key = FindingKey { is_known: false, distance, position: &position, session, finding };
    Member::new(key, wire.place)
}

fn example(wire: ExampleWire, code: Code, fingerprint: Fingerprint) -> Checked<FindingGroup> {
    let verdict = checks::verdict(&wire.verdict)?;
    checks::explanation(&wire.explanation)?;
    checks::rows(&wire.rows)?;
    wire.scene.as_ref().map(checks::scene).transpose()?;
    let illustration = Illustration { scene: wire.scene, rows: wire.rows };
    let repair = wire.repair.map(repair).transpose()?;
    let faults = wire.faults.into_iter().map(|(name, sentence)| Ok((self::code(&name)?, sentence)));
    let faults = faults.collect::<Checked<_>>()?;
    // Its texts are cut already.
    Ok(FindingGroup {
        finding: finding(wire.finding, code, fingerprint)?,
        expectation: wire.expectation,
        verdict,
        count: 0,
        members: Vec::new(),
        places: KnownPlaces::default(),
        example: wire.explanation,
        faults,
        distance: None,
        repair,
        place: wire.place,
        illustration,
    })
}

fn finding(wire: FindingWire, code: Code, fingerprint: Fingerprint) -> Checked<Finding> {
    let frontier = wire.frontier.map(|(complete, entries)| {
        let locations = entries.into_iter().map(|entry| {
            let (location, explained, index, length, event, expected) = entry;
            FrontierRow { location, explained, index, length, event, expected }
        });
        let cycle = wire.cycle.into_iter();
        let cycle = cycle.map(|(location, index, event)| NamedEvent { location, index, event });
        let (locations, cycle) = (locations.collect(), cycle.collect());
        Box::new(FrontierView { locations, complete, cycle, balance: wire.balance })
    });
    let cut = wire.cut.map(|(budget, reached)| {
        let limit = match budget {
            BudgetWire::States(states) => BudgetLimit::States(states),
            BudgetWire::Bytes(bytes) => BudgetLimit::Bytes(bytes),
            BudgetWire::Nanoseconds(time) => BudgetLimit::Time(Duration::from_nanos(time)),
        };
        let reached = reached.into_iter();
        let reached = reached.map(|(location, read, length)| ReachedRow { location, read, length });
        Box::new(BudgetCut { limit, reached: reached.collect() })
    });
    let finding = Finding {
        code,
        location: wire.location,
        index: wire.index,
        event: wire.event,
        expected: wire.expected,
        frontier,
        absent: wire.absent,
        cut,
        event_at: None,
        touched: Vec::new(),
        fault: wire.fault.map(Box::new),
        ends: None,
        kind: fingerprint,
        place: fingerprint,
    };
    checks::finding(&finding)?;
    Ok(finding)
}

fn repair(wire: RepairWire) -> Checked<RepairView> {
    let fitness =
        |text: String| text.parse::<f64>().map_err(|_| format!("{text:?} is not a number"));
    let fitness = wire.fitness.map(fitness).transpose()?;
    checks::repair(wire.distance, fitness, wire.omitted)?;
    let edits = (wire.edits.len() as u64).saturating_add(wire.omitted as u64);
    checks::check(!wire.exact || edits == wire.distance, "a repair with another number of edits")?;
    wire.edits.iter().try_for_each(|edit| checks::edit(edit.1))?;
    let edits = wire.edits.into_iter().map(|(location, index, action, is_inserted, place)| {
        let kind = if is_inserted { EditKind::Insert } else { EditKind::Delete };
        EditView { location, index, action, kind, place }
    });
    let (edits, edits_omitted) = (edits.collect(), wire.omitted);
    Ok(RepairView { distance: wire.distance, exact: wire.exact, fitness, edits, edits_omitted })
}
