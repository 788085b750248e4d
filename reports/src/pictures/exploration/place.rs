//! Places of the nodes of a forest: parents in the middle above their children, no two boxes of a layer
//! closer than a gap.
//
// A subtree has a contour: how far it reaches to the left and to the right in each layer, seen from the
// middle of its root. Subtrees are put side by side as close as their contours allow (Reingold and
// Tilford 1981). The cost is the number of nodes times the depth, for at most a thousand nodes.

/// A forest of boxes.
pub(crate) struct Forest<'a> {
    /// Per node, its layer.
    pub(crate) layers: &'a [usize],
    /// Per node, its children, all in the next layer.
    pub(crate) children: &'a [Vec<usize>],
    /// The nodes without a parent.
    pub(crate) roots: &'a [usize],
    /// Per node, the width of its box.
    pub(crate) widths: &'a [i32],
    /// Between neighbours.
    pub(crate) gap: i32,
}

/// Per layer from that of the root on, the left and the right end.
type Contour = Vec<(i32, i32)>;

impl Forest<'_> {
    /// The middle of each node; the leftmost box begins at 0.
    pub(crate) fn middles(&self) -> Vec<i32> {
        let count = self.layers.len();
        let mut contours: Vec<Contour> = vec![Contour::new(); count];
        // How far to the right of its parent a node stands.
        let mut offsets = vec![0; count];
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&node| std::cmp::Reverse(self.layers[node]));
        for &node in &order {
            let below = self.side_by_side(&self.children[node], &mut contours, &mut offsets);
            let half = self.widths[node] / 2 + 1;
            contours[node] = std::iter::once((-half, half)).chain(below).collect();
        }
        for &root in self.roots {
            // Nothing stands above a node that is a root further down.
            let above = std::iter::repeat_n((0, 0), self.layers[root]);
            let contour = std::mem::take(&mut contours[root]);
            contours[root] = above.chain(contour).collect();
        }
        let all = self.side_by_side(self.roots, &mut contours, &mut offsets);
        let left = all.iter().map(|(left, _)| *left).min().unwrap_or(0);
        let mut middles = offsets;
        self.roots.iter().for_each(|&root| middles[root] -= left);
        for &node in order.iter().rev() {
            for &child in &self.children[node] {
                middles[child] += middles[node];
            }
        }
        middles
    }

    /// Puts subtrees beside each other, their roots around 0. The contour of all.
    fn side_by_side(
        &self,
        nodes: &[usize],
        contours: &mut [Contour],
        offsets: &mut [i32],
    ) -> Contour {
        let mut all = Contour::new();
        for &node in nodes {
            let contour = std::mem::take(&mut contours[node]);
            let shift =
                all.iter().zip(&contour).map(|((_, right), (left, _))| right + self.gap - left);
            let shift = shift.max().unwrap_or(0);
            offsets[node] = shift;
            for (layer, (left, right)) in contour.into_iter().enumerate() {
                match all.get_mut(layer) {
                    Some(ends) => ends.1 = right + shift,
                    None => all.push((left + shift, right + shift)),
                }
            }
        }
        let ends = nodes.first().zip(nodes.last());
        let middle = ends.map_or(0, |(&first, &last)| (offsets[first] + offsets[last]) / 2);
        nodes.iter().for_each(|&node| offsets[node] -= middle);
        all.into_iter().map(|(left, right)| (left - middle, right - middle)).collect()
    }
}
