//! Coverage of a run: the parts of the specification that its passing sessions took.
//
// The plan is made once per run. Each worker follows the witness of a session once per distinct session; the parts it
// takes are kept with the verdict. Counts of chunks are added up, so they do not depend on threads.

use crate::error::{Error, Lacking};
use crate::monitor::Monitor;
use multitrace_formats::source::{Position, Source, Span};
use multitrace_formats::timbuk;
use multitrace_interaction::coverage::{
    Followed, Item, ItemKind, NfaFollower, Outline, Repetition, TermFollower,
};
use multitrace_interaction::{
    Action, Id, Interaction, LetterId, LifelineId, Node, NodeId, Witness,
};
use multitrace_reports::coverage::{Coverage, CoveredPart, PartKind};
use multitrace_reports::partial::CoverageTotals;
use multitrace_reports::pictures::overlay::{Overlay, Taken};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The parts that can be taken, and how to find those that a witness takes.
#[derive(Debug)]
pub(crate) struct CoveragePlan {
    parts: Vec<CoveredPart>,
    /// Per part, the line that it counts for.
    line_of: Vec<Option<u32>>,
    /// The numbers of these lines.
    lines: Vec<usize>,
    source: Source,
    way: Way,
}

#[derive(Debug)]
enum Way {
    Terms {
        interaction: Interaction,
        outline: Outline,
        /// Per letter of the alphabet.
        actions: Vec<Option<Action>>,
        /// Per lifeline, its location.
        locations: HashMap<LifelineId, usize>,
    },
    Automaton {
        follower: NfaFollower,
        /// Per letter of the alphabet, that of the automaton as written.
        letters: Vec<Option<LetterId>>,
        /// Per letter of the automaton, its location.
        locations: HashMap<LetterId, usize>,
    },
}

/// Follows witnesses; one per thread.
#[derive(Debug)]
pub(crate) struct CoverageWorker<'p> {
    plan: &'p CoveragePlan,
    terms: Option<TermFollower<'p>>,
}

/// The parts that a session takes, then lines behind them; and those that it could take.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionCoverage {
    taken: Vec<u32>,
    possible: Vec<u32>,
    is_followed: bool,
}

/// The sum over sessions.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoverageCounts {
    /// How many sessions took each part or line; as long as it must be.
    taken: Vec<u64>,
    /// How many could have taken each part.
    possible: Vec<u64>,
    sessions: u64,
    not_followed: u64,
}

impl CoveragePlan {
    /// For the specification of a monitor.
    ///
    /// # Errors
    /// When its bundle has no text to point into.
    pub(crate) fn new(monitor: &Monitor) -> Result<CoveragePlan, Error> {
        let bundle = monitor.bundle();
        let (text, source) = (&bundle.text, bundle.text.source());
        if text.text.is_empty() || bundle.source.is_some() && text.spans.is_empty() {
            return Err(Lacking::Text.into());
        }
        let lines = LineIndex::new(&text.text);
        match &bundle.source {
            Some((_, interaction)) => {
                let alphabet = monitor.alphabet();
                let actions = alphabet.actions_by_letter();
                let outline = Outline::new(interaction, &places(&text.spans));
                let parts = outline.items().iter().map(|item| {
                    part(item, interaction, &outline, &text.spans, (&text.text, &lines))
                });
                let parts = parts.collect();
                let of_letters = alphabet.letters().map(|it| alphabet.location_of(it).index());
                let locations = actions.iter().zip(of_letters);
                let locations =
                    locations.filter_map(|(it, location)| Some(((*it)?.lifeline, location)));
                let locations = locations.collect();
                let interaction = interaction.clone();
                let way = Way::Terms { interaction, outline, actions, locations };
                Ok(CoveragePlan::of(parts, source, way))
            }
            None => {
                let (automaton, spans) = timbuk::parse_with_spans(&source)?;
                let parts = spans
                    .iter()
                    .map(|&span| covered(PartKind::Transition, span, None, (&text.text, &lines)));
                let letter = |name: &str| automaton.letters.iter().position(|it| it == name);
                let alphabet = monitor.alphabet();
                let letters: Vec<Option<LetterId>> = alphabet
                    .letters()
                    .map(|it| letter(alphabet.letter_name(it)).map(LetterId::new))
                    .collect();
                let of_letters = alphabet.letters().map(|it| alphabet.location_of(it).index());
                let locations = letters.iter().zip(of_letters);
                let locations = locations.filter_map(|(it, location)| Some(((*it)?, location)));
                let locations = locations.collect();
                let follower = NfaFollower::new(
                    automaton.states.len(),
                    &automaton.initial,
                    &automaton.finals,
                    &automaton.transitions,
                );
                let way = Way::Automaton { follower, letters, locations };
                Ok(CoveragePlan::of(parts.collect(), source, way))
            }
        }
    }

    fn of(parts: Vec<CoveredPart>, source: Source, way: Way) -> CoveragePlan {
        // A line counts for its messages, and for branches only if it has none.
        let line = |part: &CoveredPart| part.branch_of.map_or(part.line, |(line, _)| line);
        let with_message: BTreeSet<usize> =
            parts.iter().filter(|it| it.branch_of.is_none()).map(line).collect();
        let counts =
            |part: &CoveredPart| part.branch_of.is_none() || !with_message.contains(&line(part));
        let mut lines: Vec<usize> = parts.iter().filter(|it| counts(it)).map(line).collect();
        lines.sort_unstable();
        lines.dedup();
        let place = |part: &CoveredPart| lines.binary_search(&line(part)).ok().map(|it| it as u32);
        let line_of = parts.iter().map(|it| place(it).filter(|_| counts(it))).collect();
        CoveragePlan { parts, line_of, lines, source, way }
    }

    pub(crate) fn worker(&self) -> CoverageWorker<'_> {
        let terms = match &self.way {
            Way::Terms { interaction, outline, .. } => {
                Some(TermFollower::new(interaction, outline))
            }
            Way::Automaton { .. } => None,
        };
        CoverageWorker { plan: self, terms }
    }

    /// The coverage of all sessions.
    pub(crate) fn report(&self, counts: &CoverageCounts) -> Coverage {
        let of = |index: usize| counts.taken.get(index).copied().unwrap_or(0);
        let could = |index: usize| counts.possible.get(index).is_some_and(|&count| count > 0);
        let mut parts = self.parts.clone();
        for (index, part) in parts.iter_mut().enumerate() {
            part.sessions = of(index);
            part.ambiguous = part.sessions == 0 && could(index);
        }
        parts.sort_by_key(|part| (part.line, part.column, part.kind));
        let first_line = self.parts.len();
        let lines = self.lines.iter().enumerate().map(|(at, &line)| (line, of(first_line + at)));
        Coverage {
            path: self.source.name().to_owned(),
            sessions: counts.sessions,
            not_followed: counts.not_followed,
            parts,
            lines: lines.collect(),
            text: self.source.text().to_owned(),
        }
    }
}

impl CoveragePlan {
    /// The counts as marks in the diagram of an interaction; none for an automaton.
    pub(crate) fn overlay(&self, counts: &CoverageCounts) -> Option<Overlay> {
        let Way::Terms { outline, .. } = &self.way else { return None };
        let of = |counts: &[u64], at: usize| counts.get(at).copied().unwrap_or(0);
        let taken = outline.items().iter().enumerate().map(|(at, item)| {
            let sessions = of(&counts.taken, at);
            let is_ambiguous = sessions == 0 && of(&counts.possible, at) > 0;
            Taken { item: *item, sessions, is_ambiguous }
        });
        Some(Overlay::of_coverage(taken))
    }
}

impl CoverageWorker<'_> {
    /// The parts that a passing session takes, by its witness.
    pub(crate) fn follow(&mut self, witness: Option<&Witness>) -> SessionCoverage {
        let followed = witness.and_then(|witness| self.followed(witness));
        let Some(Followed { mut taken, possible, .. }) = followed else {
            return SessionCoverage::default();
        };
        let parts = self.plan.parts.len() as u32;
        let lines = taken.iter().filter_map(|&part| self.plan.line_of[part as usize]);
        let mut lines: Vec<u32> = lines.map(|line| parts + line).collect();
        lines.sort_unstable();
        lines.dedup();
        taken.extend(lines);
        SessionCoverage { taken, possible, is_followed: true }
    }

    fn followed(&mut self, witness: &Witness) -> Option<Followed> {
        let letters = || witness.steps.iter().map(|step| step.letter.index());
        match (&self.plan.way, &mut self.terms) {
            (Way::Terms { actions, locations, .. }, Some(terms)) => {
                let word: Vec<Action> = letters().map(|it| actions[it]).collect::<Option<_>>()?;
                terms.follow(&word, &|it| locations[&it.lifeline])
            }
            (Way::Automaton { follower, letters: names, locations }, _) => {
                let word: Vec<LetterId> = letters().map(|it| names[it]).collect::<Option<_>>()?;
                follower.follow(&word, &|it| locations[it])
            }
            (Way::Terms { .. }, None) => None,
        }
    }
}

impl From<CoverageTotals> for CoverageCounts {
    fn from(totals: CoverageTotals) -> CoverageCounts {
        let CoverageTotals { sessions, not_followed, taken, possible } = totals;
        CoverageCounts { taken, possible, sessions, not_followed }
    }
}

impl CoverageCounts {
    /// As partial reports have them.
    pub(crate) fn totals(&self) -> CoverageTotals {
        let CoverageCounts { taken, possible, sessions, not_followed } = self.clone();
        CoverageTotals { sessions, not_followed, taken, possible }
    }

    /// Adds a session that is there several times.
    pub(crate) fn add(&mut self, session: &SessionCoverage, times: u64) {
        if !session.is_followed {
            self.not_followed += times;
            return;
        }
        self.sessions += times;
        session.taken.iter().for_each(|&it| *at(&mut self.taken, it as usize) += times);
        session.possible.iter().for_each(|&it| *at(&mut self.possible, it as usize) += times);
    }

    pub(crate) fn merge(&mut self, part: &CoverageCounts) {
        self.sessions += part.sessions;
        self.not_followed += part.not_followed;
        let add = |all: &mut Vec<u64>, more: &[u64]| {
            more.iter().enumerate().for_each(|(index, count)| *at(all, index) += count);
        };
        add(&mut self.taken, &part.taken);
        add(&mut self.possible, &part.possible);
    }
}

/// A count, which the list is made long enough for.
fn at(counts: &mut Vec<u64>, index: usize) -> &mut u64 {
    if counts.len() <= index {
        counts.resize(index + 1, 0);
    }
    &mut counts[index]
}

/// Where lines start, so that many places are found quickly.
struct LineIndex(Vec<usize>);

impl LineIndex {
    fn new(text: &str) -> LineIndex {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        LineIndex([0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect())
    }

    fn position(&self, text: &str, at: usize) -> Position {
        let line = self.0.partition_point(|&start| start <= at);
        let before = text.get(self.0[line - 1]..at).unwrap_or_default();
        Position { line, column: 1 + before.chars().count() }
    }
}

/// A number for each span; equal spans have equal numbers.
fn places(spans: &[Span]) -> Vec<u32> {
    let mut numbers: BTreeMap<Span, u32> = BTreeMap::new();
    let number = |span: &Span| {
        let next = numbers.len() as u32;
        *numbers.entry(*span).or_insert(next)
    };
    spans.iter().map(number).collect()
}

fn part(
    item: &Item,
    interaction: &Interaction,
    outline: &Outline,
    spans: &[Span],
    text: (&str, &LineIndex),
) -> CoveredPart {
    let branch_of = |of: NodeId| Some((spans[of.index()].start, of.index() as u32));
    let span = spans[item.node.index()];
    match item.kind {
        ItemKind::Message => covered(PartKind::Message, span, None, text),
        ItemKind::Operand { alternative, index } => {
            let count = outline.operand_count(alternative);
            let kind = PartKind::Operand(index + 1, count as u32);
            covered(kind, span, branch_of(alternative), text)
        }
        ItemKind::Loop(repetition) => {
            let kind = match repetition {
                Repetition::Zero => PartKind::Zero,
                Repetition::Once => PartKind::Once,
                Repetition::More => PartKind::More,
            };
            debug_assert!(matches!(interaction.node(item.node), Node::Loop(..)));
            covered(kind, span, branch_of(item.node), text)
        }
    }
}

/// A part that nobody has taken yet; `branch_of` has the start of an operator and its number.
fn covered(
    kind: PartKind,
    span: Span,
    branch_of: Option<(usize, u32)>,
    (text, lines): (&str, &LineIndex),
) -> CoveredPart {
    let Position { line, column } = lines.position(text, span.start);
    CoveredPart {
        kind,
        line,
        column,
        text: text.get(span.start..span.end).unwrap_or_default().to_owned(),
        sessions: 0,
        ambiguous: false,
        branch_of: branch_of.map(|(start, of)| (lines.position(text, start).line, of)),
    }
}
