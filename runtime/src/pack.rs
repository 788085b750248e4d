//! Nodes of the search as words: a state and one position per location, each in as few bits as
//! its range needs.

use multitrace_interaction::{Id, StateId};

/// Where each field of a node lies.
#[derive(Debug, Default)]
pub(crate) struct Packing {
    fields: Vec<Field>,
    stride: usize,
}

#[derive(Clone, Copy, Debug)]
struct Field {
    word: usize,
    shift: u32,
    mask: u64,
}

impl Packing {
    /// Lays out a state below `states` and positions up to each length.
    pub(crate) fn arrange(&mut self, states: usize, lengths: impl Iterator<Item = usize>) {
        self.fields.clear();
        let (mut word, mut used) = (0, 0);
        for largest in std::iter::once(states.saturating_sub(1)).chain(lengths) {
            let bits = usize::BITS - largest.leading_zeros();
            if used + bits > 64 {
                (word, used) = (word + 1, 0);
            }
            let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            // A field of no bits at the end of a word would be shifted by 64.
            self.fields.push(Field { word, shift: used % 64, mask });
            used += bits;
        }
        self.stride = word + 1;
    }

    /// Words per node.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    pub(crate) fn pack(&self, node: &mut [u64], state: StateId, positions: &[u32]) {
        node.fill(0);
        let values =
            std::iter::once(state.index() as u64).chain(positions.iter().map(|&p| p.into()));
        for (field, value) in self.fields.iter().zip(values) {
            node[field.word] |= value << field.shift;
        }
    }

    /// Moves a node to a state, and one location by one event, which it must have. The other
    /// fields stay as they are: with many locations this is much less than packing them all.
    pub(crate) fn advance(&self, node: &mut [u64], state: StateId, read: Option<usize>) {
        let field = self.fields[0];
        node[field.word] &= !(field.mask << field.shift);
        node[field.word] |= (state.index() as u64) << field.shift;
        if let Some(location) = read {
            let field = self.fields[location + 1];
            node[field.word] += 1 << field.shift;
        }
    }

    pub(crate) fn unpack(&self, node: &[u64], positions: &mut [u32]) -> StateId {
        let value = |field: &Field| node[field.word] >> field.shift & field.mask;
        for (field, position) in self.fields[1..].iter().zip(positions) {
            *position = value(field) as u32;
        }
        StateId::new(value(&self.fields[0]) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_survives() {
        let lengths = [0, 5, 1_000_000, (1 << 31) - 1, 0, 64, 0];
        let mut packing = Packing::default();
        packing.arrange(1 << 20, lengths.into_iter());
        assert!(packing.stride() > 1);
        for positions in
            [[0; 7], [0, 5, 1_000_000, (1 << 31) - 1, 0, 64, 0], [0, 3, 77, 1 << 30, 0, 1, 0]]
        {
            let mut node = vec![0; packing.stride()];
            packing.pack(&mut node, StateId::new(999_999), &positions);
            let mut back = [9; 7];
            assert_eq!(packing.unpack(&node, &mut back), StateId::new(999_999));
            assert_eq!(back, positions);
        }
    }

    #[test]
    fn advancing_is_packing_anew() {
        let mut packing = Packing::default();
        packing.arrange(1 << 20, [3; 60].into_iter());
        assert!(packing.stride() > 1);
        let mut node = vec![0; packing.stride()];
        let mut positions = [1; 60];
        packing.pack(&mut node, StateId::new(999_999), &positions);
        let mut expected = node.clone();
        for (location, state) in [(None, 5), (Some(0), 7), (Some(59), 1 << 19), (Some(59), 0)] {
            packing.advance(&mut node, StateId::new(state), location);
            location.into_iter().for_each(|location: usize| positions[location] += 1);
            packing.pack(&mut expected, StateId::new(state), &positions);
            assert_eq!(node, expected);
        }
    }

    #[test]
    fn fields_without_bits_after_a_full_word() {
        let mut packing = Packing::default();
        packing.arrange(1 << 32, [u32::MAX as usize, 0, 0].into_iter());
        assert_eq!(packing.stride(), 1);
        let mut node = [0];
        packing.pack(&mut node, StateId::new(u32::MAX as usize), &[u32::MAX, 0, 0]);
        let mut back = [1; 3];
        assert_eq!(packing.unpack(&node, &mut back), StateId::new(u32::MAX as usize));
        assert_eq!(back, [u32::MAX, 0, 0]);
    }
}
