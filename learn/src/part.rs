//! A language that was learnt.

use crate::tree::Tree;
use std::rc::Rc;

/// A tree, and the cost of the words once it is known.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) tree: Rc<Tree>,
    pub(crate) bits: f64,
}

impl Part {
    /// The cost of the words together with the tree, at a price of each of its operators and arrows.
    pub(crate) fn cost(&self, price: f64) -> f64 {
        price * self.tree.size() as f64 + self.bits
    }
}
