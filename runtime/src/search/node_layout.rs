//! Nodes of a search as words: a state and one position per location, each in as few bits as its
//! range needs.
//
// Idea: a visited set compares and hashes a few words, not a vector. Reading an event adds 1 to one
// field, so a successor is made without unpacking its node.
//
// Invariant: no field spans two words, and the state is the lowest field of the first word. A
// position never passes the length of its log, so adding 1 never carries into the next field.
//
// Cost: sessions of 18 events at 5 locations need one word; 60 locations need a few.

use multitrace_interaction::{Id, StateId};

/// Where the state and each position lie in a node.
#[derive(Debug, Default)]
pub(crate) struct NodeLayout {
    state: BitField,
    positions: Vec<BitField>,
    words: usize,
    /// Bits used in the last word.
    used: u32,
}

/// Some bits of one word of a node.
#[derive(Clone, Copy, Debug, Default)]
struct BitField {
    word: usize,
    shift: u32,
    mask: u64,
}

impl NodeLayout {
    /// Lays out a state below `states`, then positions up to each length.
    pub(crate) fn arrange(&mut self, states: usize, lengths: impl Iterator<Item = usize>) {
        self.clear();
        self.state = self.next_field(states.saturating_sub(1));
        for length in lengths {
            let field = self.next_field(length);
            self.positions.push(field);
        }
    }

    /// Lays out positions without a state, the first location highest: if they fit one word, nodes
    /// compare as their positions do.
    pub(crate) fn arrange_in_order(&mut self, lengths: impl DoubleEndedIterator<Item = usize>) {
        self.clear();
        self.state = BitField::default();
        for length in lengths.rev() {
            let field = self.next_field(length);
            self.positions.push(field);
        }
        self.positions.reverse();
    }

    fn clear(&mut self) {
        self.positions.clear();
        (self.words, self.used) = (1, 0);
    }

    /// The field for numbers up to `largest`, behind those there are.
    fn next_field(&mut self, largest: usize) -> BitField {
        let bits = usize::BITS - largest.leading_zeros();
        if self.used + bits > u64::BITS {
            (self.words, self.used) = (self.words + 1, 0);
        }
        let mask = if bits == u64::BITS { u64::MAX } else { (1 << bits) - 1 };
        // A field of no bits at the end of a word would be shifted by 64.
        let field = BitField { word: self.words - 1, shift: self.used % u64::BITS, mask };
        self.used += bits;
        field
    }

    /// The number of words of a node.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Whether a node fits the lowest `bits` of one word.
    pub(crate) fn fits(&self, bits: u32) -> bool {
        self.words == 1 && self.used <= bits
    }

    /// Writes a node.
    pub(crate) fn pack(&self, node: &mut [u64], state: StateId, positions: &[u32]) {
        node.fill(0);
        node[self.state.word] |= (state.index() as u64) << self.state.shift;
        for (field, &position) in self.positions.iter().zip(positions) {
            node[field.word] |= u64::from(position) << field.shift;
        }
    }

    /// Moves a node to a state, and one location by one event, which its log must have. The other
    /// fields stay as they are: with many locations this is much faster than packing all of them.
    pub(crate) fn advance(&self, node: &mut [u64], state: StateId, read: Option<usize>) {
        node[0] = self.with_state(node[0], state);
        if let Some(location) = read {
            node[self.positions[location].word] += self.one_event(location);
        }
    }

    /// Moves a node to a state, and one location by some events, which its log must have.
    #[inline]
    pub(crate) fn pass(&self, node: &mut [u64], state: StateId, location: usize, events: u32) {
        node[0] = self.with_state(node[0], state);
        node[self.positions[location].word] += u64::from(events) * self.one_event(location);
    }

    /// Reads a node: its state, and its positions.
    pub(crate) fn unpack(&self, node: &[u64], positions: &mut [u32]) -> StateId {
        for (field, position) in self.positions.iter().zip(positions) {
            *position = (node[field.word] >> field.shift & field.mask) as u32;
        }
        self.state_of(node[0])
    }

    /// The state of a node with this first word.
    #[inline]
    pub(crate) fn state_of(&self, word: u64) -> StateId {
        StateId::new((word & self.state.mask) as usize)
    }

    /// The first word of a node with its state replaced.
    #[inline]
    pub(crate) fn with_state(&self, word: u64, state: StateId) -> u64 {
        word & !self.state.mask | state.index() as u64
    }

    /// A position in a node of one word.
    #[inline]
    pub(crate) fn position_of(&self, word: u64, location: usize) -> u32 {
        let field = self.positions[location];
        (word >> field.shift & field.mask) as u32
    }

    /// The number that reading an event adds to the word that holds the position of a location.
    #[inline]
    pub(crate) fn one_event(&self, location: usize) -> u64 {
        1 << self.positions[location].shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_survives() {
        let lengths = [0, 5, 1_000_000, (1 << 31) - 1, 0, 64, 0];
        let mut layout = NodeLayout::default();
        layout.arrange(1 << 20, lengths.into_iter());
        assert!(layout.words() > 1);
        for positions in
            [[0; 7], [0, 5, 1_000_000, (1 << 31) - 1, 0, 64, 0], [0, 3, 77, 1 << 30, 0, 1, 0]]
        {
            let mut node = vec![0; layout.words()];
            layout.pack(&mut node, StateId::new(999_999), &positions);
            let mut back = [9; 7];
            assert_eq!(layout.unpack(&node, &mut back), StateId::new(999_999));
            assert_eq!(back, positions);
        }
    }

    #[test]
    fn advancing_is_packing_again() {
        let mut layout = NodeLayout::default();
        layout.arrange(1 << 20, [3; 60].into_iter());
        assert!(layout.words() > 1);
        let mut node = vec![0; layout.words()];
        let mut positions = [1; 60];
        layout.pack(&mut node, StateId::new(999_999), &positions);
        let mut expected = node.clone();
        for (location, state) in [(None, 5), (Some(0), 7), (Some(59), 1 << 19), (Some(59), 0)] {
            layout.advance(&mut node, StateId::new(state), location);
            location.into_iter().for_each(|location: usize| positions[location] += 1);
            layout.pack(&mut expected, StateId::new(state), &positions);
            assert_eq!(node, expected);
        }
        for (location, events) in [(3, 2), (59, 0), (31, 1)] {
            layout.pass(&mut node, StateId::new(9), location, events);
            positions[location] += events;
            layout.pack(&mut expected, StateId::new(9), &positions);
            assert_eq!(node, expected);
        }
    }

    #[test]
    fn fields_without_bits_after_a_full_word() {
        let mut layout = NodeLayout::default();
        layout.arrange(1 << 32, [u32::MAX as usize, 0, 0].into_iter());
        assert_eq!(layout.words(), 1);
        let mut node = [0];
        layout.pack(&mut node, StateId::new(u32::MAX as usize), &[u32::MAX, 0, 0]);
        let mut back = [1; 3];
        assert_eq!(layout.unpack(&node, &mut back), StateId::new(u32::MAX as usize));
        assert_eq!(back, [u32::MAX, 0, 0]);
    }

    #[test]
    fn nodes_in_order_compare_as_their_positions() {
        let mut layout = NodeLayout::default();
        layout.arrange_in_order([3, 0, 9].into_iter());
        assert!(layout.fits(6) && !layout.fits(5));
        let word = |positions: [u32; 3]| {
            let mut node = [0];
            layout.pack(&mut node, StateId::new(0), &positions);
            let mut back = [7; 3];
            layout.unpack(&node, &mut back);
            assert_eq!(back, positions);
            node[0]
        };
        let all = (0..=3).flat_map(|first| (0..=9).map(move |last| [first, 0, last]));
        assert!(all.map(word).is_sorted());
    }

    /// As many fields as fit a word are in it, and the next one is in the next.
    #[test]
    fn words_are_filled_to_their_last_bit() {
        let mut layout = NodeLayout::default();
        for (lengths, words) in
            [(vec![1; 64], 1), (vec![1; 65], 2), (vec![1; 128], 2), (vec![3; 33], 2)]
        {
            layout.arrange(1, lengths.iter().copied());
            assert_eq!(layout.words(), words, "{} fields", lengths.len());
            assert_eq!(layout.fits(64), words == 1);
            let positions: Vec<u32> = lengths.iter().map(|&it| it as u32).collect();
            let mut node = vec![0; words];
            layout.pack(&mut node, StateId::new(0), &positions);
            let mut back = vec![0; positions.len()];
            layout.unpack(&node, &mut back);
            assert_eq!(back, positions);
        }
    }
}
