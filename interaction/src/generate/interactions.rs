//! Random interactions (paper 003 sec. 6.1): draw a symbol; a constant ends, an operator goes on
//! with its operands. Those that are deep and large enough after normalisation are kept.
//!
//! The paper does not say how likely each symbol is; [`Weights`] does here.

use super::dice::Dice;
use crate::action::{Action, ActionKind, Step};
use crate::id::{Id, LifelineId, MessageId, NodeId, TermId};
use crate::idset::LifelineSet;
use crate::signature::Signature;
use crate::term::TermStore;
use crate::tree::{Interaction, LoopKind, Node};
use rustc_hash::FxHashSet;

/// How likely each symbol is, relative to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named like the symbols")]
pub struct Weights {
    pub empty: u32,
    /// One emission or reception.
    pub action: u32,
    /// A synchronous passing of a message between two lifelines: a step of two actions.
    pub synchronous: u32,
    pub strict: u32,
    pub seq: u32,
    pub par: u32,
    pub co_reg: u32,
    pub alt: u32,
    pub loop_strict: u32,
    pub loop_weak: u32,
    pub loop_parallel: u32,
    pub loop_co_reg: u32,
    pub loop_head_first: u32,
}

impl Default for Weights {
    /// Half of the symbols are constants, nearly all of those actions. Of the operators, order is
    /// more likely than choice and concurrency, and those more likely than loops.
    fn default() -> Weights {
        Weights {
            empty: 2,
            action: 46,
            synchronous: 2,
            strict: 12,
            seq: 14,
            par: 4,
            co_reg: 4,
            alt: 6,
            loop_strict: 2,
            loop_weak: 4,
            loop_parallel: 1,
            loop_co_reg: 2,
            loop_head_first: 1,
        }
    }
}

/// Size and depth of random interactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many lifelines they may use.
    pub lifelines: usize,
    /// How many messages they may use.
    pub messages: usize,
    /// The least nesting of symbols in the normal form.
    pub min_depth: usize,
    /// The deepest nesting; operators are not drawn there.
    pub max_depth: usize,
    /// The fewest symbols of the normal form.
    pub min_symbols: usize,
    /// The most symbols.
    pub max_symbols: usize,
    /// How likely each symbol is.
    pub weights: Weights,
}

impl Default for Shape {
    /// 5 lifelines, 6 messages, at least 6 levels and 20 symbols, as in the paper; at most 12
    /// levels and 60 symbols.
    fn default() -> Shape {
        Shape {
            lifelines: 5,
            messages: 6,
            min_depth: 6,
            max_depth: 12,
            min_symbols: 20,
            max_symbols: 60,
            weights: Weights::default(),
        }
    }
}

/// After this many interactions in a row that were not of the shape, or not new, no other is
/// expected. An estimate, not measured.
const MAX_MISSES: usize = 200_000;

/// No interaction was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{MAX_MISSES} random interactions in a row had another shape or were there already")]
pub struct NoInteraction;

/// Distinct random interactions, without end. They are in normal form.
///
/// ```
/// use multitrace_interaction::generate::{RandomInteractions, Shape};
/// let mut interactions = RandomInteractions::new(Shape::default(), 1);
/// let interaction = interactions.next().expect("no end").expect("one of the shape");
/// assert!(interaction.nodes().len() >= 20);
/// ```
#[derive(Debug)]
pub struct RandomInteractions {
    shape: Shape,
    dice: Dice,
    signature: Signature,
    store: TermStore,
    seen: FxHashSet<TermId>,
}

impl RandomInteractions {
    /// Interactions of this shape over lifelines l1, l2, … and messages m1, m2, …
    pub fn new(shape: Shape, seed: u64) -> RandomInteractions {
        let mut signature = Signature::default();
        for lifeline in 1..=shape.lifelines {
            signature.intern_lifeline(&format!("l{lifeline}"));
        }
        for message in 1..=shape.messages {
            signature.intern_message(&format!("m{message}"));
        }
        RandomInteractions {
            shape,
            dice: Dice::new(seed, 0),
            signature,
            store: TermStore::new(),
            seen: FxHashSet::default(),
        }
    }

    /// The signature of all of them.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Draws one interaction; `None` if it is not new or not of the shape.
    fn attempt(&mut self) -> Option<Interaction> {
        let mut drawing = Drawing { shape: &self.shape, dice: &mut self.dice, nodes: Vec::new() };
        drawing.draw(1)?;
        let drawn = Interaction::new(drawing.nodes)
            .unwrap_or_else(|_| unreachable!("operands are drawn before operators"));
        let term = self.store.intern(&drawn).root();
        let written = self.store.write_out(term);
        (self.shape.fits(&written) && self.seen.insert(term)).then_some(written)
    }
}

impl Iterator for RandomInteractions {
    type Item = Result<Interaction, NoInteraction>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = (0..MAX_MISSES).find_map(|_| self.attempt());
        Some(found.ok_or(NoInteraction))
    }
}

impl Shape {
    /// Whether an interaction in normal form has the depth and size of the shape.
    fn fits(&self, interaction: &Interaction) -> bool {
        (self.min_symbols..=self.max_symbols).contains(&interaction.nodes().len())
            && (self.min_depth..=self.max_depth).contains(&depth(interaction))
    }
}

/// The nesting of symbols; 1 for a constant. The normal form flattens `alt` and `par`; here their
/// operands count as nested to the right.
fn depth(interaction: &Interaction) -> usize {
    let mut depths: Vec<usize> = Vec::new();
    for node in interaction.nodes() {
        depths.push(1 + node.children().map(|child| depths[child.index()]).max().unwrap_or(0));
    }
    depths.last().copied().unwrap_or(0)
}

/// An interaction that is being drawn.
struct Drawing<'a> {
    shape: &'a Shape,
    dice: &'a mut Dice,
    nodes: Vec<Node>,
}

/// The operators to draw from.
#[derive(Clone, Copy)]
enum Symbol {
    Empty,
    Action,
    Synchronous,
    Binary(fn(NodeId, NodeId) -> Node),
    CoReg,
    Loop(LoopKindSymbol),
}

#[derive(Clone, Copy)]
enum LoopKindSymbol {
    Strict,
    Weak,
    Parallel,
    CoReg,
    HeadFirst,
}

impl Drawing<'_> {
    /// Draws a subterm whose root is at a depth; `None` if it is too large.
    fn draw(&mut self, depth: usize) -> Option<NodeId> {
        // Normalising may shrink it.
        if self.nodes.len() > self.shape.max_symbols.saturating_mul(2) {
            return None;
        }
        let node = match self.symbol(depth >= self.shape.max_depth)? {
            Symbol::Empty => Node::Empty,
            Symbol::Action => Node::Step(Step::single(self.action()?)),
            Symbol::Synchronous => Node::Step(self.synchronous()?),
            Symbol::Binary(make) => make(self.draw(depth + 1)?, self.draw(depth + 1)?),
            Symbol::CoReg => {
                let region = self.region();
                Node::CoReg(region, self.draw(depth + 1)?, self.draw(depth + 1)?)
            }
            Symbol::Loop(kind) => {
                let kind = self.loop_kind(kind);
                Node::Loop(kind, self.draw(depth + 1)?)
            }
        };
        self.nodes.push(node);
        Some(NodeId::new(self.nodes.len() - 1))
    }

    fn symbol(&mut self, constant: bool) -> Option<Symbol> {
        use LoopKindSymbol as Kind;
        let w = &self.shape.weights;
        let table = [
            (w.empty, Symbol::Empty),
            (w.action, Symbol::Action),
            (w.synchronous, Symbol::Synchronous),
            (w.strict, Symbol::Binary(Node::Strict)),
            (w.seq, Symbol::Binary(Node::Seq)),
            (w.par, Symbol::Binary(Node::Par)),
            (w.co_reg, Symbol::CoReg),
            (w.alt, Symbol::Binary(Node::Alt)),
            (w.loop_strict, Symbol::Loop(Kind::Strict)),
            (w.loop_weak, Symbol::Loop(Kind::Weak)),
            (w.loop_parallel, Symbol::Loop(Kind::Parallel)),
            (w.loop_co_reg, Symbol::Loop(Kind::CoReg)),
            (w.loop_head_first, Symbol::Loop(Kind::HeadFirst)),
        ];
        let table = if constant { &table[..3] } else { &table[..] };
        let weights: Vec<u32> = table.iter().map(|&(weight, _)| weight).collect();
        Some(table[self.dice.weighted(&weights)?].1)
    }

    /// `None` if there is no lifeline or no message.
    fn action(&mut self) -> Option<Action> {
        let (lifelines, messages) = (self.shape.lifelines, self.shape.messages);
        (lifelines > 0 && messages > 0).then(|| Action {
            lifeline: LifelineId::new(self.dice.below(lifelines)),
            kind: [ActionKind::Emission, ActionKind::Reception][self.dice.below(2)],
            message: MessageId::new(self.dice.below(messages)),
        })
    }

    /// A message passed between two lifelines at once; with one lifeline only, an action.
    fn synchronous(&mut self) -> Option<Step> {
        let from = Action { kind: ActionKind::Emission, ..self.action()? };
        let others = self.shape.lifelines - 1;
        if others == 0 {
            return Some(Step::single(from));
        }
        let other = (from.lifeline.index() + 1 + self.dice.below(others)) % self.shape.lifelines;
        let to = Action { lifeline: LifelineId::new(other), kind: ActionKind::Reception, ..from };
        Step::new([from, to])
    }

    /// A random region: each lifeline with a probability of one half.
    fn region(&mut self) -> LifelineSet {
        let lifelines = (0..self.shape.lifelines).map(LifelineId::new);
        lifelines.filter(|_| self.dice.below(2) == 1).collect()
    }

    fn loop_kind(&mut self, symbol: LoopKindSymbol) -> LoopKind {
        match symbol {
            LoopKindSymbol::Strict => LoopKind::Strict,
            LoopKindSymbol::Weak => LoopKind::Weak,
            LoopKindSymbol::Parallel => LoopKind::Parallel,
            LoopKindSymbol::CoReg => LoopKind::CoReg(self.region()),
            LoopKindSymbol::HeadFirst => LoopKind::HeadFirst,
        }
    }
}
