//! A solver of clauses beside a theory, which knows conditions on values that no clause states.
//
// Idea: conflict-driven clause learning, as in MiniSat (Eén and Sörensson, SAT 2003): two watched literals, the first unique
// implication point, activities, saved phases, restarts by the sequence of Luby. The theory gets every value that
// clauses allow, and answers with a clause that the values so far violate and nobody had written down, if there is one.
//
// Invariant: every clause that is learnt follows from those that were given. So a contradiction means that no assignment
// satisfies these.
//
// Cost: exponential at worst, so that a number of conflicts ends it. In practice some microseconds a conflict.

use std::ops::{Not, Range};

/// A variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal(u32);

impl Literal {
    /// True in every assignment: the first variable.
    pub(crate) const TRUE: Literal = Literal(0);

    fn variable(self) -> usize {
        self.0 as usize / 2
    }

    /// A number for each literal, from 0 on.
    pub(super) fn code(self) -> usize {
        self.0 as usize
    }

    fn is_positive(self) -> bool {
        self.0.is_multiple_of(2)
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// Constraints on the values of literals beside the clauses.
pub(crate) trait Theory {
    /// A literal is true now. Returns a clause that the values so far violate, if there is one; then this value is the
    /// next to be taken back, with all that were given at the same level.
    fn assigned(&mut self, literal: Literal) -> Option<Vec<Literal>>;

    /// The literal that was assigned last has no value any more.
    fn taken_back(&mut self, literal: Literal);
}

/// How a search for an assignment ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solved {
    /// There is one, which [`Solver::is_true`] tells.
    Satisfied,
    /// No assignment satisfies the clauses and the assumptions.
    Violated,
    /// It took too long.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    True,
    False,
    Open,
}

/// A clause that watches a literal, and another literal of it: if that is true, there is nothing to do.
#[derive(Clone, Copy, Debug)]
struct Watch {
    clause: u32,
    other: Literal,
}

const NO_REASON: u32 = u32::MAX;

/// Clauses side by side.
#[derive(Debug, Default)]
struct Clauses {
    literals: Vec<Literal>,
    /// Where each clause ends.
    ends: Vec<u32>,
}

impl Clauses {
    fn range(&self, number: u32) -> Range<usize> {
        let begin = number.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        begin as usize..self.ends[number as usize] as usize
    }

    fn of(&self, number: u32) -> &[Literal] {
        &self.literals[self.range(number)]
    }

    fn of_mut(&mut self, number: u32) -> &mut [Literal] {
        let range = self.range(number);
        &mut self.literals[range]
    }

    fn add(&mut self, clause: &[Literal]) -> u32 {
        self.literals.extend_from_slice(clause);
        self.ends.push(self.literals.len() as u32);
        self.ends.len() as u32 - 1
    }

    fn clear(&mut self) {
        self.literals.clear();
        self.ends.clear();
    }
}

/// Clauses, and the assignment that is tried.
#[derive(Debug)]
pub(crate) struct Solver {
    clauses: Clauses,
    /// Per literal, the clauses to look at once it is false. Those of literals that there are not any more are empty.
    watches: Vec<Vec<Watch>>,
    /// Per literal.
    values: Vec<Value>,
    /// Per variable: the level of its value, and the clause that it follows from.
    levels: Vec<u32>,
    reasons: Vec<u32>,
    phases: Vec<bool>,
    order: ActivityOrder,
    /// The literals that are true, in the order in which they became so.
    trail: Vec<Literal>,
    /// Where each level begins on the trail.
    begins: Vec<usize>,
    /// How much of the trail was propagated, and how much of it the theory knows.
    propagated: usize,
    told: usize,
    /// Whether the clauses contradict each other.
    is_contradictory: bool,
    /// Memory of `analyze`: per variable, whether it was met.
    seen: Vec<bool>,
    /// Memory of `add`.
    added: Vec<Literal>,
    conflicts: u64,
    decisions: u64,
}

/// Conflicts before a restart, for each unit of the sequence of Luby (MiniSat has the same number).
const RESTART: u64 = 100;

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

impl Solver {
    /// No clauses, and no variables.
    pub(crate) fn new() -> Solver {
        let mut solver = Solver {
            clauses: Clauses::default(),
            watches: Vec::new(),
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            phases: Vec::new(),
            order: ActivityOrder::default(),
            trail: Vec::new(),
            begins: Vec::new(),
            propagated: 0,
            told: 0,
            is_contradictory: false,
            seen: Vec::new(),
            added: Vec::new(),
            conflicts: 0,
            decisions: 0,
        };
        solver.begin();
        solver
    }

    /// Forgets all clauses and variables, and keeps their memory.
    pub(crate) fn clear(&mut self) {
        let Solver { clauses, watches, values, levels, reasons, phases, order, .. } = self;
        clauses.clear();
        watches[..values.len()].iter_mut().for_each(Vec::clear);
        values.clear();
        levels.clear();
        reasons.clear();
        phases.clear();
        order.clear();
        self.seen.clear();
        self.trail.clear();
        self.begins.clear();
        (self.propagated, self.told, self.is_contradictory) = (0, 0, false);
        (self.conflicts, self.decisions) = (0, 0);
        self.begin();
    }

    fn begin(&mut self) {
        let first = self.variable();
        self.add(&[first]);
    }

    /// A new variable, as the literal that says it is true.
    pub(crate) fn variable(&mut self) -> Literal {
        let literal = self.auxiliary();
        self.order.choose(literal.variable());
        literal
    }

    /// A new variable that is never chosen: where clauses do not give it a value, all of them hold if it is false.
    pub(crate) fn auxiliary(&mut self) -> Literal {
        let variable = self.levels.len();
        self.values.extend([Value::Open; 2]);
        if self.watches.len() < self.values.len() {
            self.watches.extend([Vec::new(), Vec::new()]);
        }
        self.levels.push(0);
        self.reasons.push(NO_REASON);
        self.phases.push(false);
        self.seen.push(false);
        self.order.add();
        Literal(2 * variable as u32)
    }

    /// How many values were chosen and taken back: the cost of the search.
    pub(crate) fn visits(&self) -> u64 {
        self.conflicts + self.decisions
    }

    pub(crate) fn is_true(&self, literal: Literal) -> bool {
        self.value(literal) == Value::True
    }

    /// Whether a literal is true whatever is chosen.
    pub(super) fn is_forced(&self, literal: Literal) -> bool {
        self.is_true(literal) && self.levels[literal.variable()] == 0
    }

    fn value(&self, literal: Literal) -> Value {
        self.values[literal.code()]
    }

    fn level(&self) -> u32 {
        self.begins.len() as u32
    }

    /// About how many bytes the clauses take, with the values and weights of variables.
    pub(crate) fn bytes(&self) -> u64 {
        let clause = size_of::<u32>() + 2 * size_of::<Watch>();
        let variable = 16 * size_of::<u64>();
        (self.clauses.ends.len() * clause
            + self.clauses.literals.len() * size_of::<Literal>()
            + self.levels.len() * variable) as u64
    }

    /// How many literals there are.
    pub(crate) fn literals(&self) -> usize {
        self.values.len()
    }

    /// Adds a clause. Not after a search has begun.
    pub(crate) fn add(&mut self, clause: &[Literal]) {
        if clause.iter().any(|&it| self.value(it) == Value::True) {
            return;
        }
        let mut left = std::mem::take(&mut self.added);
        left.clear();
        left.extend(clause.iter().copied().filter(|&it| self.value(it) != Value::False));
        left.sort_unstable();
        left.dedup();
        let is_tautology = left.windows(2).any(|pair| pair[0] == !pair[1]);
        match *left {
            _ if is_tautology => {}
            [] => self.is_contradictory = true,
            [only] => {
                self.assign(only, NO_REASON);
                self.is_contradictory |= self.propagate().is_some();
            }
            _ => {
                self.attach(&left);
            }
        }
        self.added = left;
    }

    fn attach(&mut self, clause: &[Literal]) -> u32 {
        let number = self.clauses.add(clause);
        for (own, other) in [(clause[0], clause[1]), (clause[1], clause[0])] {
            self.watches[own.code()].push(Watch { clause: number, other });
        }
        number
    }

    fn assign(&mut self, literal: Literal, reason: u32) {
        self.values[literal.code()] = Value::True;
        self.values[(!literal).code()] = Value::False;
        self.levels[literal.variable()] = self.level();
        self.reasons[literal.variable()] = reason;
        self.trail.push(literal);
    }

    /// Assigns the literals that follow from clauses; the clause that is violated, if one is.
    fn propagate(&mut self) -> Option<u32> {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let falsified = !literal;
            let mut watches = std::mem::take(&mut self.watches[falsified.code()]);
            let (mut kept, mut at, mut violated) = (0, 0, None);
            while at < watches.len() {
                let mut watch = watches[at];
                at += 1;
                if violated.is_some() || self.value(watch.other) == Value::True {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                match self.rewatch(watch.clause, falsified) {
                    Rewatched::Moved => continue,
                    Rewatched::Follows(first) => match self.value(first) {
                        Value::True => watch.other = first,
                        Value::Open => self.assign(first, watch.clause),
                        Value::False => violated = Some(watch.clause),
                    },
                }
                watches[kept] = watch;
                kept += 1;
            }
            watches.truncate(kept);
            self.watches[falsified.code()] = watches;
            if violated.is_some() {
                return violated;
            }
        }
        None
    }

    /// Looks for another literal to watch instead of one that is false.
    fn rewatch(&mut self, number: u32, falsified: Literal) -> Rewatched {
        let clause = self.clauses.of_mut(number);
        if clause[0] == falsified {
            clause.swap(0, 1);
        }
        let first = clause[0];
        let values = &self.values;
        if values[first.code()] == Value::True {
            return Rewatched::Follows(first);
        }
        match (2..clause.len()).find(|&at| values[clause[at].code()] != Value::False) {
            Some(at) => {
                clause.swap(1, at);
                let own = clause[1];
                self.watches[own.code()].push(Watch { clause: number, other: first });
                Rewatched::Moved
            }
            None => Rewatched::Follows(first),
        }
    }

    /// Takes back all values above a level.
    fn back_to(&mut self, level: u32, theory: &mut impl Theory) {
        if self.level() <= level {
            return;
        }
        let begin = self.begins[level as usize];
        while self.told > begin {
            self.told -= 1;
            theory.taken_back(self.trail[self.told]);
        }
        for &literal in &self.trail[begin..] {
            let variable = literal.variable();
            self.values[literal.code()] = Value::Open;
            self.values[(!literal).code()] = Value::Open;
            self.phases[variable] = literal.is_positive();
            self.order.offer(variable);
        }
        self.trail.truncate(begin);
        self.begins.truncate(level as usize);
        self.propagated = begin;
    }

    /// Looks for an assignment that satisfies all clauses, the theory and the assumptions. A search that is asked to
    /// `stop` says so.
    pub(crate) fn solve(
        &mut self,
        assumed: &[Literal],
        theory: &mut impl Theory,
        stop: &mut dyn FnMut(&Solver) -> bool,
    ) -> Solved {
        self.back_to(0, theory);
        let (mut restarts, mut left) = (1, RESTART);
        while !self.is_contradictory {
            let violated = match self.propagate() {
                Some(clause) => Some(clause),
                None => self.tell(theory),
            };
            if self.is_contradictory {
                break;
            }
            if let Some(clause) = violated {
                self.resolve(clause, theory);
                left = left.saturating_sub(1);
                if stop(self) {
                    return Solved::Stopped;
                }
            } else if left == 0 {
                restarts += 1;
                left = RESTART * luby(restarts);
                self.back_to(0, theory);
            } else {
                match self.decide(assumed) {
                    Decided::Chosen => {}
                    Decided::Contradicted => return Solved::Violated,
                    Decided::All => return Solved::Satisfied,
                }
            }
        }
        Solved::Violated
    }

    /// Tells the theory the new true literals; returns the clause that it reports as violated, if it reports one.
    fn tell(&mut self, theory: &mut impl Theory) -> Option<u32> {
        while let Some(&literal) = self.trail.get(self.told) {
            self.told += 1;
            if let Some(clause) = theory.assigned(literal) {
                return self.add_violated(clause);
            }
        }
        None
    }

    /// Chooses the next value.
    fn decide(&mut self, assumed: &[Literal]) -> Decided {
        while let Some(&literal) = assumed.get(self.begins.len()) {
            match self.value(literal) {
                Value::True => self.begins.push(self.trail.len()),
                Value::False => return Decided::Contradicted,
                Value::Open => {
                    self.begins.push(self.trail.len());
                    self.assign(literal, NO_REASON);
                    return Decided::Chosen;
                }
            }
        }
        while let Some(variable) = self.order.take() {
            let positive = Literal(2 * variable as u32);
            if self.value(positive) == Value::Open {
                self.decisions += 1;
                self.begins.push(self.trail.len());
                let literal = if self.phases[variable] { positive } else { !positive };
                self.assign(literal, NO_REASON);
                return Decided::Chosen;
            }
        }
        Decided::All
    }

    /// Adds a clause that the values violate, literals of the highest levels first; none if a contradiction is all that it
    /// says.
    fn add_violated(&mut self, mut clause: Vec<Literal>) -> Option<u32> {
        clause.sort_unstable();
        clause.dedup();
        clause.sort_by_key(|it| std::cmp::Reverse(self.levels[it.variable()]));
        let highest = clause.first().map_or(0, |it| self.levels[it.variable()]);
        if highest == 0 {
            self.is_contradictory = true;
            return None;
        }
        if clause.len() == 1 {
            // A clause of two watched literals; one can never be true.
            clause.push(!Literal::TRUE);
        }
        Some(self.attach(&clause))
    }

    /// Learns from a clause that is violated, and goes back to where that has a consequence.
    fn resolve(&mut self, clause: u32, theory: &mut impl Theory) {
        self.conflicts += 1;
        let literals = self.clauses.of(clause);
        let highest = literals.iter().map(|it| self.levels[it.variable()]).max();
        let highest = highest.unwrap_or_default();
        if highest == 0 {
            self.is_contradictory = true;
            return;
        }
        self.back_to(highest, theory);
        let learnt = self.analyze(clause);
        self.order.decay();
        let back = learnt.get(1).map_or(0, |it| self.levels[it.variable()]);
        self.back_to(back, theory);
        match *learnt {
            [only] => self.assign(only, NO_REASON),
            _ => {
                let first = learnt[0];
                let number = self.attach(&learnt);
                self.assign(first, number);
            }
        }
    }

    /// The clause of the first unique implication point: its own literal first, then one of the next highest level.
    fn analyze(&mut self, violated: u32) -> Vec<Literal> {
        let mut learnt = vec![Literal::TRUE];
        let (mut open, mut at, mut clause, mut skip) = (0, self.trail.len(), violated, None);
        let level = self.level();
        let point = loop {
            for index in self.clauses.range(clause) {
                let literal = self.clauses.literals[index];
                let variable = literal.variable();
                if Some(literal) == skip || self.seen[variable] || self.levels[variable] == 0 {
                    continue;
                }
                self.seen[variable] = true;
                self.order.bump(variable);
                if self.levels[variable] == level {
                    open += 1;
                } else {
                    learnt.push(literal);
                }
            }
            let literal = loop {
                at -= 1;
                if self.seen[self.trail[at].variable()] {
                    break self.trail[at];
                }
            };
            self.seen[literal.variable()] = false;
            open -= 1;
            if open == 0 {
                break literal;
            }
            (clause, skip) = (self.reasons[literal.variable()], Some(literal));
        };
        learnt[0] = !point;
        let all = learnt.clone();
        learnt.retain(|&it| it == !point || !self.is_implied(it));
        all[1..].iter().for_each(|it| self.seen[it.variable()] = false);
        let highest = (1..learnt.len()).max_by_key(|&at| self.levels[learnt[at].variable()]);
        if let Some(highest) = highest {
            learnt.swap(1, highest);
        }
        learnt
    }
}

impl Solver {
    /// Whether a literal of a clause that is learnt follows from the others, which were met.
    fn is_implied(&self, literal: Literal) -> bool {
        let reason = self.reasons[literal.variable()];
        reason != NO_REASON
            && self.clauses.of(reason).iter().all(|it| {
                let variable = it.variable();
                variable == literal.variable() || self.seen[variable] || self.levels[variable] == 0
            })
    }
}

enum Rewatched {
    /// The clause watches another literal now.
    Moved,
    /// All but the first are false.
    Follows(Literal),
}

enum Decided {
    Chosen,
    /// An assumption is false.
    Contradicted,
    /// All variables that are chosen have values.
    All,
}

/// The numbers 1, 1, 2, 1, 1, 2, 4, ... of Luby, Sinclair and Zuckerman (1993), from 1 on.
fn luby(index: u64) -> u64 {
    let mut index = index;
    loop {
        let power = 1 << (64 - index.leading_zeros());
        if index + 1 == power {
            return power / 2;
        }
        index -= power / 2 - 1;
    }
}

/// Variables by how often conflicts met them lately, as a binary heap that knows where each is.
#[derive(Debug, Default)]
struct ActivityOrder {
    activities: Vec<f64>,
    heap: Vec<u32>,
    /// Per variable, its place in the heap.
    places: Vec<u32>,
    /// Per variable, whether it may be in the heap.
    is_chosen: Vec<bool>,
    step: f64,
}

const NO_PLACE: u32 = u32::MAX;
/// How much older conflicts count less with each new one (MiniSat has the same number).
const DECAY: f64 = 0.95;
/// Beyond this all activities are made smaller.
const MOST_ACTIVITY: f64 = 1e100;

impl ActivityOrder {
    fn clear(&mut self) {
        let ActivityOrder { activities, heap, places, is_chosen, .. } = self;
        activities.clear();
        heap.clear();
        places.clear();
        is_chosen.clear();
    }

    fn add(&mut self) {
        if self.activities.is_empty() {
            self.step = 1.0;
        }
        self.activities.push(0.0);
        self.places.push(NO_PLACE);
        self.is_chosen.push(false);
    }

    fn choose(&mut self, variable: usize) {
        self.is_chosen[variable] = true;
        self.offer(variable);
    }

    fn offer(&mut self, variable: usize) {
        if self.is_chosen[variable] && self.places[variable] == NO_PLACE {
            self.places[variable] = self.heap.len() as u32;
            self.heap.push(variable as u32);
            self.rise(self.heap.len() - 1);
        }
    }

    /// The most active variable, which leaves the heap. Of equal ones any, but always the same.
    fn take(&mut self) -> Option<usize> {
        let first = *self.heap.first()?;
        self.places[first as usize] = NO_PLACE;
        let last = self.heap.pop()?;
        if last != first {
            self.heap[0] = last;
            self.places[last as usize] = 0;
            self.sink(0);
        }
        Some(first as usize)
    }

    fn bump(&mut self, variable: usize) {
        self.activities[variable] += self.step;
        if self.activities[variable] > MOST_ACTIVITY {
            self.activities.iter_mut().for_each(|it| *it /= MOST_ACTIVITY);
            self.step /= MOST_ACTIVITY;
        }
        if self.places[variable] != NO_PLACE {
            self.rise(self.places[variable] as usize);
        }
    }

    fn decay(&mut self) {
        self.step /= DECAY;
    }

    fn activity(&self, place: usize) -> f64 {
        self.activities[self.heap[place] as usize]
    }

    fn exchange(&mut self, one: usize, other: usize) {
        self.heap.swap(one, other);
        self.places[self.heap[one] as usize] = one as u32;
        self.places[self.heap[other] as usize] = other as u32;
    }

    fn rise(&mut self, mut place: usize) {
        while place > 0 && self.activity((place - 1) / 2) < self.activity(place) {
            self.exchange(place, (place - 1) / 2);
            place = (place - 1) / 2;
        }
    }

    fn sink(&mut self, mut place: usize) {
        loop {
            let below = [2 * place + 1, 2 * place + 2];
            let below = below.into_iter().filter(|&it| it < self.heap.len());
            let largest =
                below.reduce(
                    |one, other| {
                        if self.activity(other) > self.activity(one) { other } else { one }
                    },
                );
            match largest {
                Some(largest) if self.activity(largest) > self.activity(place) => {
                    self.exchange(place, largest);
                    place = largest;
                }
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn restarts_follow_the_sequence_of_luby() {
        let expected = [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, 1, 1, 2];
        assert_eq!((1..=18).map(luby).collect::<Vec<_>>(), expected);
    }

    /// A theory that allows everything.
    struct Anything;

    impl Theory for Anything {
        fn assigned(&mut self, _: Literal) -> Option<Vec<Literal>> {
            None
        }

        fn taken_back(&mut self, _: Literal) {}
    }

    /// Clauses that no values satisfy: each pigeon has a hole of its own, and there is one hole less than pigeons.
    fn pigeons(count: usize) -> Solver {
        let mut solver = Solver::new();
        let holes = |solver: &mut Solver| (1..count).map(|_| solver.variable()).collect::<Vec<_>>();
        let places: Vec<Vec<Literal>> = (0..count).map(|_| holes(&mut solver)).collect();
        places.iter().for_each(|own| solver.add(own));
        for (at, one) in places.iter().enumerate() {
            for other in &places[..at] {
                one.iter().zip(other).for_each(|(&one, &other)| solver.add(&[!one, !other]));
            }
        }
        solver
    }

    /// The same choices on every machine. Whoever changes the rules of learning, choosing or forgetting sees the cost
    /// here.
    #[test]
    fn pigeons_take_as_many_choices_as_they_did() {
        let visits = |count: usize| {
            let mut solver = pigeons(count);
            assert_eq!(solver.solve(&[], &mut Anything, &mut |_| false), Solved::Violated);
            solver.visits()
        };
        assert_eq!([4, 5, 6, 7].map(visits), [14, 63, 323, 2_046]);
    }

    #[test]
    fn clauses_are_charged_with_their_literals() {
        let bytes = |length: usize| {
            let mut solver = Solver::new();
            let all: Vec<_> = (0..20).map(|_| solver.variable()).collect();
            let before = solver.bytes();
            all.windows(length).take(10).for_each(|clause| solver.add(clause));
            solver.bytes() - before
        };
        assert_eq!(bytes(10) - bytes(2), 10 * 8 * size_of::<Literal>() as u64);
        assert!(bytes(2) >= 10 * 2 * (size_of::<Literal>() + size_of::<Watch>()) as u64);
    }

    #[derive(Clone, Debug)]
    enum Change {
        Offer(usize),
        Bump(usize),
        Decay,
        Take,
    }

    const VARIABLES: usize = 12;

    fn any_change() -> impl Strategy<Value = Change> {
        prop_oneof![
            (0..VARIABLES).prop_map(Change::Offer),
            (0..VARIABLES).prop_map(Change::Bump),
            (0..VARIABLES).prop_map(Change::Bump),
            Just(Change::Decay),
            Just(Change::Take),
        ]
    }

    proptest! {
        /// Those of the first variables may be chosen, the last one never.
        #[test]
        fn the_most_active_variable_is_taken(changes in prop::collection::vec(any_change(), 1..80)) {
            let mut order = ActivityOrder::default();
            let mut offered = [false; VARIABLES];
            let (mut activities, mut step) = ([0.0_f64; VARIABLES], 1.0);
            for (variable, is_offered) in offered.iter_mut().enumerate() {
                order.add();
                if variable + 1 < VARIABLES {
                    order.choose(variable);
                    *is_offered = true;
                }
            }
            for change in changes.into_iter().chain(std::iter::repeat_n(Change::Take, VARIABLES + 1)) {
                match change {
                    Change::Offer(variable) => {
                        order.offer(variable);
                        offered[variable] = variable + 1 < VARIABLES;
                    }
                    Change::Bump(variable) => {
                        order.bump(variable);
                        activities[variable] += step;
                    }
                    Change::Decay => {
                        order.decay();
                        step /= DECAY;
                    }
                    Change::Take => {
                        let taken = order.take();
                        let most = (0..VARIABLES).filter(|&it| offered[it]);
                        let most = most.map(|it| activities[it]).max_by(f64::total_cmp);
                        prop_assert_eq!(taken.map(|it| activities[it]), most);
                        taken.into_iter().for_each(|it| offered[it] = false);
                    }
                }
            }
        }
    }

    /// Activities that get too large are made smaller, all by the same factor.
    #[test]
    fn large_activities_stay_in_order() {
        let mut order = ActivityOrder::default();
        (0..4).for_each(|_| order.add());
        for (variable, times) in [(2, 3), (0, 2), (3, 1)] {
            order.choose(variable);
            (0..times).for_each(|_| order.bump(variable));
        }
        // Far more than a hundred orders of magnitude.
        (0..5_000).for_each(|_| order.decay());
        order.bump(3);
        order.choose(1);
        assert!(order.activities.iter().all(|it| it.is_finite()));
        assert_eq!([0; 5].map(|_| order.take()), [Some(3), Some(2), Some(0), Some(1), None]);
    }
}
