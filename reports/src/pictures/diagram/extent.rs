//! How far something reaches over columns.

/// From a column to another, and how far beyond both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) low: usize,
    pub(crate) high: usize,
    pub(crate) left: i32,
    pub(crate) right: i32,
}

impl Extent {
    pub(crate) fn new(low: usize, high: usize) -> Extent {
        Extent { low, high, left: 0, right: 0 }
    }

    pub(crate) fn include(self, other: Extent) -> Extent {
        let side = |(a, x): (usize, i32), (b, y): (usize, i32), is_first: bool| match a == b {
            true => x.max(y),
            false if (a < b) == is_first => x,
            false => y,
        };
        Extent {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            left: side((self.low, self.left), (other.low, other.left), true),
            right: side((self.high, self.right), (other.high, other.right), false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_include_each_other() {
        let extent = |low, high, left, right| Extent { low, high, left, right };
        let (a, b) = (extent(2, 4, 9, 1), extent(3, 4, 20, 5));
        assert_eq!(a.include(b), extent(2, 4, 9, 5));
        assert_eq!(b.include(a), extent(2, 4, 9, 5));
    }
}
