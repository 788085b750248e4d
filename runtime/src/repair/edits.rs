//! From the path of a search to edits of the logs as they were given.

use crate::repair::known_logs::KnownLogs;
use crate::repair::node_arena::Move;
use crate::task::Task;
use multitrace_interaction::{Edit, EditKind, Id, LetterId, LocationId};

/// An edit by numbers: location, index in the log as given, kind, and the rank of an insertion on
/// the path. Edits are in this order.
type Place = (usize, usize, EditKind, usize);

/// The edits of a path, with the events that are deleted in any case.
pub(crate) fn edits(task: &Task<'_>, logs: &KnownLogs, path: &[Move]) -> Vec<Edit> {
    let mut found = of_path(task, logs, path);
    let unknown = logs.unknown().iter();
    found.extend(unknown.map(|&(location, index)| ((location, index, EditKind::Delete, 0), None)));
    found.sort_unstable_by_key(|&(place, _)| place);
    let known = found.into_iter().map(|(place, letter)| edit(task, place, letter));
    known.chain(foreign(task)).collect()
}

/// Follows a path; what is left of the logs at its end is deleted.
fn of_path(task: &Task<'_>, logs: &KnownLogs, path: &[Move]) -> Vec<(Place, Option<LetterId>)> {
    let mut positions = vec![0; logs.locations()];
    let mut found = Vec::new();
    for (rank, &step) in path.iter().enumerate() {
        match step {
            Move::Start | Move::Unobserved => {}
            Move::Insert(letter, deleted) => {
                let location = task.monitor.location_of(letter).index();
                for _ in 0..deleted {
                    found.push(delete(logs, location, &mut positions[location]));
                }
                let index = logs.insertion_index(location, positions[location]);
                found.push(((location, index, EditKind::Insert, rank), Some(letter)));
            }
            Move::Read(letter, deleted) => {
                let location = task.monitor.location_of(letter).index();
                for _ in 0..deleted {
                    found.push(delete(logs, location, &mut positions[location]));
                }
                positions[location] += 1;
            }
            Move::Skip(location) => {
                delete_rest(logs, location as usize, &mut positions, &mut found)
            }
        }
    }
    for location in 0..logs.locations() {
        delete_rest(logs, location, &mut positions, &mut found);
    }
    found
}

fn delete_rest(
    logs: &KnownLogs,
    location: usize,
    positions: &mut [usize],
    found: &mut Vec<(Place, Option<LetterId>)>,
) {
    while positions[location] < logs.log(location).len() {
        found.push(delete(logs, location, &mut positions[location]));
    }
}

fn delete(logs: &KnownLogs, location: usize, position: &mut usize) -> (Place, Option<LetterId>) {
    let index = logs.index(location, *position);
    *position += 1;
    ((location, index, EditKind::Delete, 0), None)
}

fn edit(task: &Task<'_>, place: Place, inserted: Option<LetterId>) -> Edit {
    let (location, index, kind, _) = place;
    let letter = inserted.unwrap_or_else(|| task.session.trace[location][index]);
    Edit { location: LocationId::new(location), index, letter, kind }
}

/// All events of locations that the specification does not have are deleted.
fn foreign<'a>(task: &'a Task<'_>) -> impl Iterator<Item = Edit> + 'a {
    let logs = task.session.foreign.iter().enumerate();
    logs.flat_map(|(number, foreign)| {
        let location = task.session.foreign_location(number);
        let (letter, kind) = (LetterId::UNKNOWN, EditKind::Delete);
        (0..foreign.events.len()).map(move |index| Edit { location, index, letter, kind })
    })
}
