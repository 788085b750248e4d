//! Times without a day or a year in the order of an input: they begin again at midnight or at new year.

// Idea: such times say the order of two events only if both are of one day. A file is mostly written in order, so a time that
// falls by more than half of a day is taken for one of the next day. Of two files, nobody knows which one was written first,
// so any two of their events that are so far apart count. Nothing tells whether it is one: the session is an
// error, and never sorted by such times.

use crate::mapping::{Cycle, OrderKey};

/// The first two events of an input, file by file, between which another day or year may have begun; each has its file and
/// its order.
pub(crate) fn turn<T: Copy>(
    cycle: Cycle,
    events: impl Iterator<Item = (u32, Option<OrderKey>, T)>,
) -> Option<(T, T)> {
    let mut before: Option<(u32, Timed<T>)> = None;
    let (mut of_file, mut of_others) = (Extremes::default(), Extremes::default());
    for (file, order, event) in events {
        let Some(order) = order else { continue };
        let next = (order.event_order().value, event);
        let is_same_file = before.is_none_or(|(file_before, _)| file_before == file);
        if !is_same_file {
            std::mem::take(&mut of_file).all().for_each(|it| of_others.add(it));
        }
        // Events of two files may be far from one another, with those of others between them.
        let in_file = before.filter(|_| is_same_file).map(|(_, one)| (one, true));
        let mut pairs = in_file.into_iter().chain(of_others.all().map(|one| (one, false)));
        let found =
            pairs.find(|(one, is_one_file)| cycle.may_begin_between(one.0, next.0, *is_one_file));
        if let Some(((_, first), _)) = found {
            return Some((first, event));
        }
        of_file.add(next);
        before = Some((file, next));
    }
    None
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
