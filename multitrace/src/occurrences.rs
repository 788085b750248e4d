//! Which occurrences in the specification the faults of an example are about: those that the repaired session goes
//! through, and not every message of that name.

// Idea: the repaired session passes, and its witness is followed through the specification. A missing event belongs to the
// step that its insertion took. An event that should not be there belongs to the step of the nearest one in its log that is
// the same and is kept. If there is no such step, a fault is about all places of its event.

use crate::judging::Judge;
use crate::monitor::Monitor;
use multitrace_interaction::coverage::{Outline, TermFollower};
use multitrace_interaction::{
    Action, Edit, EditKind, Fault, FaultKind, Id, LetterId, LocationId, NodeId, Repair, Session,
    Witness,
};
use multitrace_reports::finding::Finding;
use multitrace_runtime::Gaps;

/// Larger specifications and sessions are not followed: an example may take well under a second (an estimate).
const MOST_NODES: usize = 10_000;
const MOST_EVENTS: usize = 10_000;
/// Neither are repairs of more edits, since each fault takes a look at all of them.
pub(crate) const MOST_EDITS: usize = 1_000;

/// Per location, the steps of the specification that the events of an accepted session are, each with its number in the order
/// that accepts them.
pub(crate) type RankedSteps = Vec<Vec<(usize, NodeId)>>;

/// Says for each finding that is a fault of a repair which node of the specification it is about, if that is known.
pub(crate) fn locate(
    monitor: &Monitor,
    judge: &mut Judge<'_>,
    (session, gaps): (&Session, Gaps),
    repair: Option<&Repair>,
    findings: &mut [Finding],
) {
    let is_followed = |it: &&Repair| it.exact && it.edits.len() <= MOST_EDITS;
    let Some(repair) = repair.filter(is_followed) else { return };
    let Some(steps) = steps_of_repaired(monitor, judge, (session, gaps), repair) else { return };
    for (finding, fault) in findings.iter_mut().zip(&repair.faults) {
        let occurrence = occurrence(fault, repair, session);
        let node = occurrence.and_then(|(location, at)| steps.get(location.index())?.get(at));
        if let Some(detail) = &mut finding.fault {
            detail.node = node.map(|(_, node)| node.index() as u32);
        }
    }
}

/// The step of the specification that an event of an accepted session is, by its location and its index in the log there; the
/// last one of that log if there are fewer.
pub(crate) fn step_of(
    monitor: &Monitor,
    judge: &mut Judge<'_>,
    session: &Session,
    (location, index): (LocationId, usize),
) -> Option<NodeId> {
    let steps = steps_of(monitor, judge, (session, Gaps::None))?;
    let log = steps.get(location.index())?;
    log.get(index).or(log.last()).map(|it| it.1)
}

/// Per location, the steps that the events of the repaired session are, in the order of its log.
pub(crate) fn steps_of_repaired(
    monitor: &Monitor,
    judge: &mut Judge<'_>,
    (session, gaps): (&Session, Gaps),
    repair: &Repair,
) -> Option<RankedSteps> {
    steps_of(monitor, judge, (&repair.apply(session).ok()?, gaps))
}

/// Per location, the steps that the events of an accepted session are, in the order of its log.
pub(crate) fn steps_of(
    monitor: &Monitor,
    judge: &mut Judge<'_>,
    (session, gaps): (&Session, Gaps),
) -> Option<RankedSteps> {
    let (_, interaction) = monitor.bundle().source.as_ref()?;
    if interaction.nodes().len() > MOST_NODES || session.event_count() > MOST_EVENTS {
        return None;
    }
    let witness = judge.witness(session, gaps)?;
    // The places of an outline group items for counting, and nothing is counted here.
    let outline = Outline::new(interaction, &vec![0; interaction.nodes().len()]);
    let nodes = TermFollower::new(interaction, &outline).steps(&word(monitor, &witness)?)?;
    let mut steps = vec![Vec::new(); session.trace.len()];
    for (rank, (step, node)) in witness.steps.iter().zip(nodes).enumerate() {
        if step.observed {
            steps[monitor.alphabet().location_of(step.letter).index()].push((rank, node));
        }
    }
    Some(steps)
}

fn word(monitor: &Monitor, witness: &Witness) -> Option<Vec<Action>> {
    let actions = monitor.alphabet().actions_by_letter();
    witness.steps.iter().map(|step| actions[step.letter.index()]).collect()
}

/// The event of the repaired session that a fault is about: its location, and its index in the log.
fn occurrence(fault: &Fault, repair: &Repair, session: &Session) -> Option<(LocationId, usize)> {
    let root = &repair.edits[fault.root()];
    let is_insertion = |rank: &usize| repair.edits[*rank].kind == EditKind::Insert;
    let other =
        fault.other.filter(|_| matches!(fault.kind, FaultKind::Moved | FaultKind::Replaced));
    match [Some(fault.root()), other].into_iter().flatten().find(is_insertion) {
        Some(rank) => Some((root.location, repaired_index(repair, rank))),
        None => nearest_kept(repair, root, session).map(|at| (root.location, at)),
    }
}

/// The index of an inserted event in the repaired log of its location.
fn repaired_index(repair: &Repair, rank: usize) -> usize {
    let edit = &repair.edits[rank];
    let same = |it: &&Edit| it.location == edit.location;
    let inserted = repair.edits[..rank].iter().filter(same);
    let inserted = inserted.filter(|it| it.kind == EditKind::Insert).count();
    edit.index + inserted - deleted_before(repair, edit.location, edit.index)
}

/// The index in the repaired log of the last event before a deleted one that is the same and is kept, or else of the first
/// one behind it.
fn nearest_kept(repair: &Repair, root: &Edit, session: &Session) -> Option<usize> {
    // No event is the same as one that the specification does not know.
    let log =
        session.trace.get(root.location.index()).filter(|_| root.letter != LetterId::UNKNOWN)?;
    let at = |it: &Edit| it.location == root.location;
    let deleted: Vec<usize> = repair
        .edits
        .iter()
        .filter(|it| at(it) && it.kind == EditKind::Delete)
        .map(|it| it.index)
        .collect();
    let is_same =
        |index: &usize| log[*index] == root.letter && deleted.binary_search(index).is_err();
    let before = (0..root.index).rev().find(is_same);
    let index = before.or_else(|| (root.index + 1..log.len()).find(is_same))?;
    let is_inserted = |it: &&Edit| at(it) && it.kind == EditKind::Insert && it.index <= index;
    let inserted = repair.edits.iter().filter(is_inserted).count();
    Some(index + inserted - deleted_before(repair, root.location, index))
}

/// How many events before an index of a log are deleted.
fn deleted_before(repair: &Repair, location: LocationId, index: usize) -> usize {
    let is_deleted =
        |it: &&Edit| it.location == location && it.kind == EditKind::Delete && it.index < index;
    repair.edits.iter().filter(is_deleted).count()
}
