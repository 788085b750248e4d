//! A window that slides over a stream, for choices among neighbours in constant memory.

use std::collections::VecDeque;

/// How many items are read ahead of the current one, and kept behind it: enough others to draw from,
/// in constant memory. The draws of a seed depend on it, so it stays.
const SIDE: usize = 500;

/// The items around the current one.
#[derive(Debug)]
pub(super) struct Window<T> {
    items: VecDeque<T>,
    /// The index of the item after the current one.
    next: usize,
}

impl<T> Window<T> {
    pub(super) fn new() -> Window<T> {
        Window { items: VecDeque::new(), next: 0 }
    }

    /// Moves on by one item, and returns its index among [`Window::items`], `None` at the end.
    pub(super) fn advance<E>(
        &mut self,
        mut more: impl FnMut() -> Option<Result<T, E>>,
    ) -> Option<Result<usize, E>> {
        while self.items.len() <= self.next + SIDE {
            match more() {
                Some(Ok(item)) => self.items.push_back(item),
                Some(Err(error)) => return Some(Err(error)),
                None => break,
            }
        }
        if self.next == self.items.len() {
            return None;
        }
        if self.next > SIDE {
            self.items.pop_front();
            self.next -= 1;
        }
        self.next += 1;
        Some(Ok(self.next - 1))
    }

    /// The current item and its neighbours.
    pub(super) fn items(&self) -> &VecDeque<T> {
        &self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_current_once_among_its_neighbours() {
        let mut source = 0..5_000_u32;
        let mut window = Window::new();
        for expected in 0..5_000 {
            let at = window.advance(|| source.next().map(Ok::<_, ()>)).expect("an item");
            let at = at.expect("no error");
            assert_eq!(window.items()[at], expected);
            assert!(window.items().len() <= 2 * SIDE + 2);
            assert!(at == expected.min(SIDE as u32) as usize || expected > SIDE as u32);
        }
        assert!(window.advance(|| None::<Result<u32, ()>>).is_none());
    }
}
