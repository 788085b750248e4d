//! Lower bounds of the cost of the rest of a repair.

use crate::repair::cost::Cost;
use multitrace_interaction::StateId;

/// Lower bounds of the cost from a node to the end.
pub(crate) trait Estimate {
    /// Goes to the positions of a node.
    fn load(&mut self, positions: &[u32]);

    /// The least cost from a state at these positions.
    fn at(&mut self, state: StateId) -> Cost;

    /// The least cost from a state at these positions, except that one location has moved on.
    fn moved(&mut self, state: StateId, location: usize, position: u32) -> Cost;

    /// About how many bytes it has grown to during the search.
    fn bytes(&self) -> u64;
}
