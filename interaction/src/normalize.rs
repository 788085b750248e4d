//! Normal forms: the constructors of terms, each applying named rules.
//!
//! Every rule rewrites left to right and keeps the accepted global traces σ. All but the
//! re-association rules drop a node or turn `CoReg` into `Seq` or `Par`; re-association shortens
//! left operands, `CoRegParOut` moves operands out of `CoReg`, and `CoRegSort` lowers the number of pairs of
//! operands that are not sorted. So rewriting ends. Each rule is tested against the denotations of paper 000
//! sec. 3.3 in `tests/rules.rs`.

use crate::id::{RegionId, TermId};
use crate::rule::Rule;
use crate::term::{LoopTerm, Term, TermStore};

impl TermStore {
    /// How often a rule has been applied in this store.
    pub fn rule_count(&self, rule: Rule) -> u64 {
        self.rules.count(rule)
    }

    fn note(&mut self, rule: Rule) {
        self.rules.note(rule);
    }

    /// `strict(first, second)`.
    pub fn strict(&mut self, first: TermId, second: TermId) -> TermId {
        if first == Self::EMPTY || second == Self::EMPTY {
            self.note(Rule::StrictEmpty);
            return if first == Self::EMPTY { second } else { first };
        }
        let (spine, last) = self.left_spine(first, |term| match *term {
            Term::Strict(a, b) => Some((a, b)),
            _ => None,
        });
        if !spine.is_empty() {
            self.note(Rule::StrictAssociate);
        }
        let tail = self.strict_cell(last, second);
        spine.into_iter().rev().fold(tail, |tail, head| self.strict_cell(head, tail))
    }

    /// `strict(head, tail)` where head is not itself strict.
    fn strict_cell(&mut self, head: TermId, tail: TermId) -> TermId {
        if matches!(self.term(head), Term::Loop(LoopTerm::Strict, _)) {
            let next = if let Term::Strict(a, _) = *self.term(tail) { a } else { tail };
            if next == head {
                self.note(Rule::StrictLoopTwice);
                return tail;
            }
        }
        self.add(Term::Strict(head, tail))
    }

    /// The heads of a right-nested operator and its last operand.
    fn left_spine(
        &self,
        mut term: TermId,
        split: impl Fn(&Term) -> Option<(TermId, TermId)>,
    ) -> (Vec<TermId>, TermId) {
        let mut heads = Vec::new();
        while let Some((head, rest)) = split(self.term(term)) {
            heads.push(head);
            term = rest;
        }
        (heads, term)
    }

    /// `seq(first, second)`.
    pub fn seq(&mut self, first: TermId, second: TermId) -> TermId {
        self.co_reg(Self::NO_LIFELINES, first, second)
    }

    /// `coreg(region)(first, second)`.
    pub fn co_reg(&mut self, region: RegionId, first: TermId, second: TermId) -> TermId {
        if first == Self::EMPTY || second == Self::EMPTY {
            self.note(Rule::CoRegEmpty);
            return if first == Self::EMPTY { second } else { first };
        }
        let shared = self.lifelines(first).intersection(self.lifelines(second));
        if shared.is_subset(self.region_set(region)) {
            self.note(Rule::CoRegIsPar);
            return self.par(&[first, second]);
        }
        if let Some(freed) = self.par_out(region, first, second) {
            return freed;
        }
        if self.is_loop_of_region(first, region) && self.begins_with(second, region, first) {
            self.note(Rule::CoRegLoopTwice);
            return second;
        }
        let narrow = self.region_set(region).intersection(&shared);
        let narrow = self.region(narrow);
        if narrow != region {
            self.note(Rule::CoRegNarrow);
        }
        if narrow != Self::NO_LIFELINES {
            return self.cell(narrow, first, second);
        }
        self.weak_cells(first, second)
    }

    /// `coreg(region)(first, second)` with the operands of a `par` taken out that share no lifeline with the other
    /// side; `None` if there are no such operands.
    fn par_out(&mut self, region: RegionId, first: TermId, second: TermId) -> Option<TermId> {
        if !self.sorts_orders {
            return None;
        }
        for (par, other) in [(first, second), (second, first)] {
            let Term::Par(parts) = self.term(par) else { continue };
            let is_free = |part: &TermId| self.are_apart(*part, other);
            let (mut free, bound): (Vec<_>, Vec<_>) = parts.iter().copied().partition(is_free);
            if free.is_empty() {
                continue;
            }
            self.note(Rule::CoRegParOut);
            let bound = self.par(&bound);
            let (first, second) = if par == first { (bound, other) } else { (other, bound) };
            free.push(self.co_reg(region, first, second));
            return Some(self.par(&free));
        }
        None
    }

    /// `coreg(region)(first, second)`, with `first` behind the operands that precede it and share no lifeline with it.
    fn cell(&mut self, region: RegionId, first: TermId, second: TermId) -> TermId {
        let (mut passed, mut rest) = (Vec::new(), second);
        while self.sorts_orders
            && let Term::CoReg(inner, head, tail) = *self.term(rest)
            && self.precedes(head, first)
            && self.are_apart(head, first)
        {
            passed.push((inner, head));
            rest = tail;
        }
        if passed.is_empty() {
            return self.add(Term::CoReg(region, first, second));
        }
        self.note(Rule::CoRegSort);
        let sorted = self.co_reg(region, first, rest);
        passed.into_iter().rev().fold(sorted, |tail, (inner, head)| self.co_reg(inner, head, tail))
    }

    /// Whether two terms share no lifeline.
    fn are_apart(&self, a: TermId, b: TermId) -> bool {
        self.lifelines(a).is_disjoint(self.lifelines(b))
    }

    /// `seq(first, second)`, re-associated to the right.
    fn weak_cells(&mut self, first: TermId, second: TermId) -> TermId {
        let (spine, last) = self.left_spine(first, |term| match *term {
            Term::CoReg(Self::NO_LIFELINES, a, b) => Some((a, b)),
            _ => None,
        });
        if spine.is_empty() {
            return self.cell(Self::NO_LIFELINES, first, second);
        }
        self.note(Rule::SeqAssociate);
        let tail = self.seq(last, second);
        spine.into_iter().rev().fold(tail, |tail, head| self.seq(head, tail))
    }

    /// Whether the term is a loop whose repetitions are ordered as `coreg(region)` orders.
    fn is_loop_of_region(&self, term: TermId, region: RegionId) -> bool {
        match *self.term(term) {
            Term::Loop(LoopTerm::CoReg(own), _) => {
                let within = self.region_set(region).intersection(self.lifelines(term));
                within == *self.region_set(own)
            }
            _ => false,
        }
    }

    /// Whether `term` is `head`, or for the empty region `seq(head, …)`.
    fn begins_with(&self, term: TermId, region: RegionId, head: TermId) -> bool {
        let weak = region == Self::NO_LIFELINES;
        term == head
            || matches!(*self.term(term), Term::CoReg(Self::NO_LIFELINES, a, _) if weak && a == head)
    }

    /// `par` of all the parts.
    pub fn par(&mut self, parts: &[TermId]) -> TermId {
        self.effort.spend(parts.len());
        let mut flat = Vec::with_capacity(parts.len());
        for &part in parts {
            match self.term(part) {
                Term::Empty => self.note(Rule::ParEmpty),
                Term::Par(inner) => {
                    flat.extend_from_slice(inner);
                    self.note(Rule::ParFlatten);
                }
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        self.merge_parallel_loops(&mut flat);
        match *flat {
            [] => Self::EMPTY,
            [only] => only,
            _ => self.add(Term::Par(flat.into())),
        }
    }

    fn merge_parallel_loops(&mut self, sorted: &mut Vec<TermId>) {
        let before = sorted.len();
        sorted
            .dedup_by(|a, b| a == b && matches!(self.term(*a), Term::Loop(LoopTerm::Parallel, _)));
        if sorted.len() < before {
            self.note(Rule::ParLoopTwice);
        }
    }

    /// `alt` of all the parts.
    ///
    /// # Panics
    /// If there are no parts: every term accepts some trace.
    pub fn alt(&mut self, parts: &[TermId]) -> TermId {
        assert!(!parts.is_empty(), "alt needs an operand");
        self.effort.spend(parts.len());
        let mut flat = Vec::with_capacity(parts.len());
        for &part in parts {
            match self.term(part) {
                Term::Alt(inner) => {
                    flat.extend_from_slice(inner);
                    self.note(Rule::AltFlatten);
                }
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        self.drop_redundant_branches(&mut flat);
        match *flat {
            [only] => only,
            _ => self.add(Term::Alt(flat.into())),
        }
    }

    fn drop_redundant_branches(&mut self, sorted: &mut Vec<TermId>) {
        let before = sorted.len();
        sorted.dedup();
        if sorted.len() < before {
            self.note(Rule::AltSame);
        }
        let nullable = sorted.iter().filter(|&&part| self.is_nullable(part)).count();
        // Empty has the smallest id of all terms.
        if sorted[0] == Self::EMPTY && nullable > 1 {
            self.note(Rule::AltEmpty);
            sorted.remove(0);
        }
    }

    /// `loop(kind)(body)`.
    pub fn repeat(&mut self, kind: LoopTerm, body: TermId) -> TermId {
        let body = self.without_skip(body);
        if body == Self::EMPTY {
            self.note(Rule::LoopEmpty);
            return Self::EMPTY;
        }
        let kind = self.narrow_loop(kind, body);
        if let Term::Loop(inner, inner_body) = *self.term(body)
            && self.absorbs(kind, inner)
        {
            self.note(Rule::LoopLoop);
            return self.repeat(kind, inner_body);
        }
        self.add(Term::Loop(kind, body))
    }

    /// The body of a loop without its empty branch.
    fn without_skip(&mut self, body: TermId) -> TermId {
        match self.term(body) {
            Term::Alt(parts) if parts[0] == Self::EMPTY => {
                let rest = parts[1..].to_vec();
                self.note(Rule::LoopSkip);
                self.alt(&rest)
            }
            _ => body,
        }
    }

    fn narrow_loop(&mut self, kind: LoopTerm, body: TermId) -> LoopTerm {
        let LoopTerm::CoReg(region) = kind else { return kind };
        if self.lifelines(body).is_subset(self.region_set(region)) {
            self.note(Rule::LoopNarrow);
            return LoopTerm::Parallel;
        }
        let narrow = self.region_set(region).intersection(self.lifelines(body));
        let narrow = self.region(narrow);
        if narrow != region {
            self.note(Rule::LoopNarrow);
        }
        LoopTerm::CoReg(narrow)
    }

    /// Whether the repetitions of an outer loop can stand for those of an inner loop. A head-first
    /// loop absorbs nothing: two of them in a row accept more than one does.
    fn absorbs(&self, outer: LoopTerm, inner: LoopTerm) -> bool {
        match (outer, inner) {
            (LoopTerm::HeadFirst, _) => false,
            (LoopTerm::Parallel, _) => true,
            (_, LoopTerm::Strict) => true,
            (LoopTerm::CoReg(_), LoopTerm::HeadFirst) => true,
            (LoopTerm::CoReg(outer), LoopTerm::CoReg(inner)) => {
                self.region_set(inner).is_subset(self.region_set(outer))
            }
            (LoopTerm::Strict, _) | (LoopTerm::CoReg(_), LoopTerm::Parallel) => false,
        }
    }
}
