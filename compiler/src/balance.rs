//! Balance: the laws that the counts of all accepted sessions obey, which are the affine hull of their Parikh image.
//
// Idea: a point of the hull and vectors that span its directions. A step is its letters; under every scheduler points add
// and directions join, since one of its orders is always possible; `alt` adds the difference of the points; a loop has
// point 0, and the point of its body becomes a direction. In a trimmed automaton each state has the counts of one path to
// it, and each transition that leads to other counts adds the difference. A law holds for the point, and no direction
// changes it.
//
// Invariant: the laws depend on the hull alone, not on the point and directions that were found. Letters that no
// direction tells apart differ by a constant. The first letters of such classes are eliminated to a reduced echelon form.
//
// Cost: counted as work, and cut. A law that is left out is never wrong.

use crate::limits::{LimitExceeded, Work};
use indexmap::{IndexMap, IndexSet};
use multitrace_interaction::{
    Alphabet, Balance, Id, Interaction, Law, LetterId, Nfa, Node, StateId,
};
use std::collections::{BTreeMap, VecDeque};

/// Counts by letter, in order, without zeros.
type Counts = Vec<(LetterId, i64)>;

/// An error of arithmetic: the numbers of no specification that people write get there.
const OVERFLOW: LimitExceeded =
    LimitExceeded::Count { limit: i64::MAX as usize, what: "in a law of balance" };

/// A point of the affine hull, and directions that span it.
struct Hull {
    point: Counts,
    directions: IndexSet<Counts>,
}

/// The laws of an interaction.
///
/// # Errors
/// If there is too much work.
pub(crate) fn interaction_balance(
    interaction: &Interaction,
    alphabet: &Alphabet,
    work: &mut Work,
) -> Result<Balance, LimitExceeded> {
    let mut directions = IndexSet::new();
    // A tree: each point is taken once.
    let mut points: Vec<BTreeMap<LetterId, i64>> = Vec::new();
    for node in interaction.nodes() {
        let mut take =
            |id: &multitrace_interaction::NodeId| std::mem::take(&mut points[id.index()]);
        let point = match node {
            Node::Empty => BTreeMap::new(),
            Node::Step(step) => {
                let letters = step.actions().iter().filter_map(|&it| alphabet.letter_of(it));
                add(BTreeMap::new(), letters.map(|letter| (letter, 1)), work)?
            }
            Node::Strict(a, b) | Node::Seq(a, b) | Node::Par(a, b) | Node::CoReg(_, a, b) => {
                let (a, b) = larger_first(take(a), take(b));
                add(a, b, work)?
            }
            Node::Alt(a, b) => {
                let (large, small) = larger_first(take(a), take(b));
                let minus = small.iter().map(|(&letter, &count)| (letter, -count));
                insert(&mut directions, add(large, minus, work)?.into_iter().collect());
                small
            }
            Node::Loop(_, body) => {
                insert(&mut directions, take(body).into_iter().collect());
                BTreeMap::new()
            }
        };
        points.push(point);
    }
    let point = points.pop().unwrap_or_default().into_iter().collect();
    Hull { point, directions }.balance(alphabet.letters().len(), work)
}

/// The laws of a trimmed automaton: none if it accepts nothing.
///
/// # Errors
/// If there is too much work.
pub(crate) fn automaton_balance(
    nfa: &Nfa,
    letters: usize,
    work: &mut Work,
) -> Result<Balance, LimitExceeded> {
    let mut counts: Vec<Option<Counts>> = vec![None; nfa.state_count()];
    let mut todo: VecDeque<StateId> = nfa.initial().iter().copied().collect();
    todo.iter().for_each(|state| counts[state.index()] = Some(Vec::new()));
    let mut directions = IndexSet::new();
    while let Some(state) = todo.pop_front() {
        for transition in nfa.outgoing(state) {
            let before = counts[state.index()].as_deref().unwrap_or_default();
            let after = sum(before, 1, &[(transition.letter, 1)], 1, work)?;
            match &counts[transition.to.index()] {
                Some(known) => insert(&mut directions, sum(&after, 1, known, -1, work)?),
                None => {
                    counts[transition.to.index()] = Some(after);
                    todo.push_back(transition.to);
                }
            }
        }
    }
    let mut ends = nfa.finals().filter_map(|state| counts[state.index()].take());
    let Some(point) = ends.next() else { return Ok(Balance::default()) };
    for end in ends {
        insert(&mut directions, sum(&end, 1, &point, -1, work)?);
    }
    Hull { point, directions }.balance(letters, work)
}

fn larger_first<T>(
    a: BTreeMap<T, i64>,
    b: BTreeMap<T, i64>,
) -> (BTreeMap<T, i64>, BTreeMap<T, i64>) {
    if a.len() < b.len() { (b, a) } else { (a, b) }
}

/// Adds to counts.
fn add(
    mut counts: BTreeMap<LetterId, i64>,
    more: impl IntoIterator<Item = (LetterId, i64)>,
    work: &mut Work,
) -> Result<BTreeMap<LetterId, i64>, LimitExceeded> {
    for (letter, number) in more {
        work.spend(1)?;
        let count = counts.entry(letter).or_default();
        *count = count.checked_add(number).ok_or(OVERFLOW)?;
        if *count == 0 {
            counts.remove(&letter);
        }
    }
    Ok(counts)
}

/// `a` times the first counts and `b` times the second.
fn sum(
    first: &[(LetterId, i64)],
    a: i64,
    second: &[(LetterId, i64)],
    b: i64,
    work: &mut Work,
) -> Result<Counts, LimitExceeded> {
    work.spend(first.len() + second.len())?;
    let mut sum = Counts::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.iter().peekable(), second.iter().peekable());
    loop {
        let next = [first.peek(), second.peek()].into_iter().flatten().map(|it| it.0).min();
        let Some(letter) = next else { return Ok(sum) };
        let of = |counts: &mut std::iter::Peekable<std::slice::Iter<'_, _>>, factor: i64| {
            let count = counts.next_if(|it: &&(LetterId, i64)| it.0 == letter).map_or(0, |it| it.1);
            count.checked_mul(factor)
        };
        let count = of(&mut first, a).zip(of(&mut second, b));
        // `i64::MIN` has no opposite.
        let count = count.and_then(|(x, y)| x.checked_add(y)).filter(|&it| it != i64::MIN);
        let count = count.ok_or(OVERFLOW)?;
        if count != 0 {
            sum.push((letter, count));
        }
    }
}

fn insert(directions: &mut IndexSet<Counts>, mut direction: Counts) {
    simplify(&mut direction);
    if !direction.is_empty() {
        directions.insert(direction);
    }
}

/// Divides by the greatest common divisor, and makes the first number positive.
fn simplify(row: &mut [(LetterId, i64)]) {
    let Some(&(_, first)) = row.first() else { return };
    let divisor = row.iter().fold(0, |divisor, (_, it)| gcd(divisor, it.unsigned_abs()));
    let divisor = divisor.cast_signed() * first.signum();
    row.iter_mut().for_each(|(_, it)| *it /= divisor);
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Hull {
    fn balance(&self, letters: usize, work: &mut Work) -> Result<Balance, LimitExceeded> {
        let mut columns: Vec<Vec<(usize, i64)>> = vec![Vec::new(); letters];
        for (index, direction) in self.directions.iter().enumerate() {
            work.spend(direction.len())?;
            direction.iter().for_each(|&(letter, it)| columns[letter.index()].push((index, it)));
        }
        // Letters that no direction tells apart.
        let mut classes: IndexMap<&[(usize, i64)], Vec<LetterId>> = IndexMap::new();
        for (index, column) in columns.iter().enumerate() {
            classes.entry(column).or_default().push(LetterId::new(index));
        }
        let mut laws = Vec::new();
        let mut is_first = vec![false; letters];
        for (column, class) in &classes {
            is_first[class[0].index()] = true;
            if column.is_empty() {
                laws.extend(class.iter().filter_map(|&letter| self.law(vec![(letter, 1)])));
            } else {
                let pairs = class.windows(2);
                laws.extend(pairs.filter_map(|it| self.law(vec![(it[0], 1), (it[1], -1)])));
            }
        }
        match self.laws_between(&is_first, work) {
            Ok(between) => laws.extend(between),
            Err(limit) if limit.is_time() => return Err(limit),
            // Those within classes are there.
            Err(_) => {}
        }
        Ok(Balance { laws })
    }

    /// The laws of the first letters of classes.
    fn laws_between(&self, is_first: &[bool], work: &mut Work) -> Result<Vec<Law>, LimitExceeded> {
        let firsts = |direction: &Counts| {
            direction.iter().filter(|it| is_first[it.0.index()]).copied().collect()
        };
        let rows = eliminate(self.directions.iter().map(firsts), work)?;
        // By letter that begins no row: the rows that have it, each by its first number and that of the letter.
        let mut free: BTreeMap<LetterId, Vec<(LetterId, i64, i64)>> = BTreeMap::new();
        for (&pivot, row) in &rows {
            for &(letter, number) in &row[1..] {
                free.entry(letter).or_default().push((pivot, row[0].1, number));
            }
        }
        Ok(free
            .into_iter()
            .filter_map(|(letter, rows)| self.law(relation(letter, &rows)?))
            .collect())
    }

    /// The law of these letters; `None` if its constant is too large.
    fn law(&self, letters: Counts) -> Option<Law> {
        let constant = letters.iter().try_fold(0_i64, |constant, &(letter, coefficient)| {
            let at = self.point.binary_search_by_key(&letter, |it| it.0);
            let count = at.map_or(0, |at| self.point[at].1);
            constant.checked_add(coefficient.checked_mul(count)?)
        });
        Some(Law { letters, constant: constant? })
    }
}

/// How a letter that begins no row depends on those that do; `None` if the numbers are too large.
fn relation(letter: LetterId, rows: &[(LetterId, i64, i64)]) -> Option<Counts> {
    let scale = rows.iter().try_fold(1_i64, |scale, &(_, first, _)| {
        let divisor = gcd(scale.unsigned_abs(), first.unsigned_abs()).cast_signed();
        scale.checked_mul(first / divisor)
    })?;
    let coefficient = |&(pivot, first, number): &(LetterId, i64, i64)| {
        Some((pivot, number.checked_mul(-(scale / first))?))
    };
    let mut letters = rows.iter().map(coefficient).collect::<Option<Counts>>()?;
    letters.push((letter, scale));
    letters.sort_unstable();
    simplify(&mut letters);
    Some(letters)
}

/// The reduced echelon form, by the first letter of each row: no row has the first letter of another.
fn eliminate(
    directions: impl Iterator<Item = Counts>,
    work: &mut Work,
) -> Result<BTreeMap<LetterId, Counts>, LimitExceeded> {
    let mut rows = BTreeMap::new();
    for direction in directions {
        let row = reduce(direction, 0, &rows, work)?;
        if let Some(&(first, _)) = row.first() {
            rows.insert(first, row);
        }
    }
    let firsts: Vec<LetterId> = rows.keys().rev().copied().collect();
    for first in firsts {
        let row = rows.remove(&first).unwrap_or_default();
        let row = reduce(row, 1, &rows, work)?;
        rows.insert(first, row);
    }
    Ok(rows)
}

/// The row without the first letters of others, from some entry on.
fn reduce(
    mut row: Counts,
    mut at: usize,
    rows: &BTreeMap<LetterId, Counts>,
    work: &mut Work,
) -> Result<Counts, LimitExceeded> {
    while let Some(&(letter, number)) = row.get(at) {
        match rows.get(&letter) {
            None => at += 1,
            Some(other) => {
                let first = other[0].1;
                let divisor = gcd(first.unsigned_abs(), number.unsigned_abs()).cast_signed();
                row = sum(&row, first / divisor, other, -(number / divisor), work)?;
                simplify(&mut row);
            }
        }
    }
    simplify(&mut row);
    Ok(row)
}
