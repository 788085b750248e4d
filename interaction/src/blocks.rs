//! Blocks of operands that single locations hold together.
//
// Idea: operands and the locations they use are the two sides of a graph. To take a location out may
// leave its operands apart; doing so again and again ends with blocks that no single location holds
// together. These are the biconnected components of the graph, joined where they meet in an
// operand, since operands are never taken out. One depth-first walk finds them (Hopcroft and Tarjan,
// CACM 1973).
//
// Invariant: `low` of a node is the least depth that its subtree reaches beside the way it came.
//
// Cost: linear in the number of uses of locations. The walk keeps its own stack.

/// Per operand, given the locations that each one uses, the number of its block. Blocks are numbered
/// in the order of their first operands.
pub(crate) fn blocks(uses: &[Vec<usize>], locations: usize) -> Vec<usize> {
    let mut walk = Walk::new(uses, locations);
    for operand in 0..uses.len() {
        if walk.depth[operand] == 0 {
            walk.from(operand);
        }
    }
    number(&mut walk.joined)
}

/// Per operand, the number of its group: operands are in one group if they share a location, directly
/// or through others. Groups are numbered in the order of their first operands.
pub(crate) fn groups(uses: &[Vec<usize>], locations: usize) -> Vec<usize> {
    let mut joined: Vec<usize> = (0..uses.len()).collect();
    let mut first_user = vec![None; locations];
    for (operand, own) in uses.iter().enumerate() {
        for &location in own {
            match first_user[location] {
                None => first_user[location] = Some(operand),
                Some(first) => join(&mut joined, first, operand),
            }
        }
    }
    number(&mut joined)
}

struct Walk {
    /// Per node, its neighbours; operands come before locations.
    edges: Vec<Vec<usize>>,
    operands: usize,
    depth: Vec<usize>,
    low: Vec<usize>,
    /// Operands in one block, as a forest.
    joined: Vec<usize>,
}

/// A node on the way, the node before it, and the next of its edges.
struct Visit {
    node: usize,
    from: usize,
    next: usize,
}

impl Walk {
    fn new(uses: &[Vec<usize>], locations: usize) -> Walk {
        let operands = uses.len();
        let mut edges: Vec<Vec<usize>> = uses
            .iter()
            .map(|own| own.iter().map(|location| operands + location).collect())
            .collect();
        edges.resize(operands + locations, Vec::new());
        for (operand, own) in uses.iter().enumerate() {
            own.iter().for_each(|location| edges[operands + location].push(operand));
        }
        let (depth, low) = (vec![0; edges.len()], vec![0; edges.len()]);
        Walk { edges, operands, depth, low, joined: (0..operands).collect() }
    }

    /// Walks over everything that hangs together with an operand.
    fn from(&mut self, operand: usize) {
        let mut path = vec![self.enter(operand, operand, 1)];
        while let Some(last) = path.last_mut() {
            let (node, from) = (last.node, last.from);
            if let Some(&to) = self.edges[node].get(last.next) {
                last.next += 1;
                if self.depth[to] == 0 {
                    let visit = self.enter(to, node, path.len() + 1);
                    path.push(visit);
                } else if to != from {
                    self.low[node] = self.low[node].min(self.depth[to]);
                }
            } else {
                path.pop();
                if let Some(before) = path.last() {
                    self.leave(node, before.node, before.from);
                }
            }
        }
    }

    fn enter(&mut self, node: usize, from: usize, depth: usize) -> Visit {
        self.depth[node] = depth;
        self.low[node] = depth;
        Visit { node, from, next: 0 }
    }

    /// Goes back from a node to the one before it. If that is a location, and some way around it
    /// leads further up, the operands on both sides of it are in one block.
    fn leave(&mut self, node: usize, before: usize, above: usize) {
        self.low[before] = self.low[before].min(self.low[node]);
        if before >= self.operands && self.low[node] < self.depth[before] {
            join(&mut self.joined, node, above);
        }
    }
}

fn join(joined: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(joined, a), root(joined, b));
    joined[a.max(b)] = a.min(b);
}

/// The first operand of the block of an operand.
fn root(joined: &mut [usize], mut operand: usize) -> usize {
    while joined[operand] != operand {
        joined[operand] = joined[joined[operand]];
        operand = joined[operand];
    }
    operand
}

fn number(joined: &mut [usize]) -> Vec<usize> {
    let mut count = 0;
    let mut numbers = vec![0; joined.len()];
    for operand in 0..joined.len() {
        let first = root(joined, operand);
        numbers[operand] = if first == operand {
            count += 1;
            count - 1
        } else {
            numbers[first]
        };
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits at one location after the other until nothing splits.
    fn split(uses: &[Vec<usize>], group: Vec<usize>, locations: usize) -> Vec<Vec<usize>> {
        for except in (0..locations).map(Some).chain([None]) {
            let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
            for &operand in &group {
                let own = uses[operand].iter().copied().filter(|&it| Some(it) != except);
                let mut own: Vec<usize> = own.collect();
                let shares = |of: &[usize]| of.iter().any(|it| own.contains(it));
                let (joined, apart): (Vec<_>, Vec<_>) =
                    groups.into_iter().partition(|(of, _)| shares(of));
                groups = apart;
                let mut members = vec![operand];
                for (of, inner) in joined {
                    own.extend(of);
                    members.extend(inner);
                }
                groups.push((own, members));
            }
            if groups.len() > 1 {
                let inner = groups.into_iter().map(|(_, members)| members);
                return inner.flat_map(|members| split(uses, members, locations)).collect();
            }
        }
        vec![group]
    }

    #[test]
    fn blocks_are_what_repeated_splitting_leaves() {
        // Every way in which four operands use four locations.
        for code in 0_usize..1 << 16 {
            let own = |operand: usize| -> Vec<usize> {
                (0..4).filter(|it| code >> (4 * operand + it) & 1 == 1).collect()
            };
            let uses: Vec<Vec<usize>> = (0..4).map(own).collect();
            let found = blocks(&uses, 4);
            let expected = split(&uses, (0..4).collect(), 4);
            let block = |operand: usize| expected.iter().position(|it| it.contains(&operand));
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                assert_eq!(found[a] == found[b], block(a) == block(b), "{uses:?}");
            }
            let together = groups(&uses, 4);
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                let shares = uses[a].iter().any(|it| uses[b].contains(it));
                assert!(!shares || together[a] == together[b], "{uses:?}");
                assert!(found[a] != found[b] || together[a] == together[b], "{uses:?}");
            }
        }
    }
}
