//! The places of columns: as close as the texts between them allow.

/// The least distance from one column to a later one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) distance: i32,
}

/// The columns, from `start`, each as far left as all needs allow. Every need goes from a column to
/// a later one.
pub(crate) fn place(count: usize, start: i32, needs: &mut [Need]) -> Vec<i32> {
    needs.sort_unstable_by_key(|need| (need.to, need.from, need.distance));
    let mut places = vec![start; count];
    let mut rest = &*needs;
    for at in 1..count {
        let here = rest.partition_point(|need| need.to <= at);
        let least = |need: &Need| places[need.from].saturating_add(need.distance);
        let widest = rest[..here].iter().map(least).max();
        places[at] = widest.unwrap_or(start).max(places[at - 1]);
        rest = &rest[here..];
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_need_counts() {
        let need = |from, to, distance| Need { from, to, distance };
        let mut needs = [need(0, 2, 30), need(0, 1, 10), need(1, 2, 5), need(1, 3, 40)];
        assert_eq!(place(4, 2, &mut needs), [2, 12, 32, 52]);
        assert_eq!(place(2, 7, &mut []), [7, 7]);
    }
}
