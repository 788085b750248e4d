//! Times without a day or a year in the order of an input: they begin again at midnight or at new year.

// Idea: such times say the order of two events only if both are of one day. Nothing says whether they are, so times
// without a day sort nothing: they confirm that a file is in order. A time that falls, or rises by more than half of a
// day, as in a file that was written with the newest line first, may be one of another day; and of two files, nobody
// knows which one was written first. Years are long, and the mapping names the year: within half of one, such times
// are sorted. Where times tell no order, the session is an error, or follows the order of the input.

use crate::mapping::{Cycle, OrderKey};

/// Two events of an input whose times do not say their order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn<T> {
    /// The part of the date that the times lack.
    pub(crate) cycle: Cycle,
    pub(crate) first: T,
    pub(crate) next: T,
    pub(crate) sign: TurnSign,
}

/// Why two times may be of two days or years.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnSign {
    /// The second one is before the first one, and stands behind it in the file.
    Falls,
    /// They are more than half a day or year apart.
    IsFar,
    /// They are of one location, and stand in two files.
    OtherFile,
    /// The other one has the part that one of them lacks.
    OtherKind,
}

/// The first two events of an input, file by file, between which another day or year may have begun; each has its file and
/// its order.
pub(crate) fn turn<T: Copy>(
    is_one_location: bool,
    events: impl Iterator<Item = (u32, Option<OrderKey>, T)>,
) -> Option<Turn<T>> {
    let mut before: Option<(u32, Timed<T>)> = None;
    let mut kind: Option<(Option<Cycle>, T)> = None;
    let (mut of_file, mut of_others) = (Extremes::default(), Extremes::default());
    for (file, order, event) in events {
        let Some(order) = order else { continue };
        let (cycle, first) = *kind.get_or_insert((order.cycle(), event));
        if cycle != order.cycle() {
            let cycle = cycle.or(order.cycle())?;
            return Some(Turn { cycle, first, next: event, sign: TurnSign::OtherKind });
        }
        let Some(cycle) = cycle else { continue };
        let next = (order.event_order().value, event);
        let is_same_file = before.is_none_or(|(file_before, _)| file_before == file);
        if !is_same_file {
            std::mem::take(&mut of_file).all().for_each(|it| of_others.add(it));
        }
        // Events of two files may be far from one another, with those of others between them.
        let in_file = before.filter(|_| is_same_file).map(|(_, one)| (one, true));
        let mut pairs = in_file.into_iter().chain(of_others.all().map(|one| (one, false)));
        let found = pairs.find_map(|((time, first), is_one_file)| {
            let sign = sign(cycle, (time, next.0), is_one_file, is_one_location)?;
            Some(Turn { cycle, first, next: event, sign })
        });
        if found.is_some() {
            return found;
        }
        of_file.add(next);
        before = Some((file, next));
    }
    None
}

/// Why two times of a log, in units of 10^-18 seconds, may be of two days or years.
fn sign(
    cycle: Cycle,
    (first, next): (i128, i128),
    is_one_file: bool,
    is_one_location: bool,
) -> Option<TurnSign> {
    let is_day = cycle == Cycle::Day;
    match () {
        () if first.abs_diff(next) > cycle.half() => Some(TurnSign::IsFar),
        () if is_day && is_one_file && next < first => Some(TurnSign::Falls),
        () if is_day && is_one_location && !is_one_file => Some(TurnSign::OtherFile),
        () => None,
    }
}

/// A time and its event.
type Timed<T> = (i128, T);

/// The first and the last of some times.
struct Extremes<T>(Option<(Timed<T>, Timed<T>)>);

impl<T> Default for Extremes<T> {
    fn default() -> Self {
        Extremes(None)
    }
}

impl<T: Copy> Extremes<T> {
    fn add(&mut self, new: Timed<T>) {
        let (first, last) = self.0.unwrap_or((new, new));
        self.0 = Some((
            if new.0 < first.0 { new } else { first },
            if new.0 > last.0 { new } else { last },
        ));
    }

    fn all(&self) -> impl Iterator<Item = Timed<T>> + use<T> {
        self.0.into_iter().flat_map(|(first, last)| [last, first])
    }
}
