//! The named rules of the normal form, and how often each was applied. `normalize.rs` applies them.

macro_rules! define_rules {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {
        /// A rewriting rule of the normal form.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Rule] = &[$(Rule::$name),+];

            /// The two sides of the rule, as text.
            pub fn describe(self) -> &'static str {
                match self { $(Rule::$name => concat!($($doc),+),)+ }
            }
        }
    };
}

define_rules! {
    /// strict(o, x), strict(x, o) → x
    StrictEmpty;
    /// strict(strict(x, y), z) → strict(x, strict(y, z))
    StrictAssociate;
    /// strict(loopS(x), loopS(x)) → loopS(x), also with a rest behind
    StrictLoopTwice;
    /// coreg(r)(o, x), coreg(r)(x, o) → x
    CoRegEmpty;
    /// coreg(r)(x, y) → par(x, y) when every lifeline x and y share is in r
    CoRegIsPar;
    /// coreg(r)(x, y) → coreg(r')(x, y), r' = r ∩ shared lifelines of x and y
    CoRegNarrow;
    /// seq(seq(x, y), z) → seq(x, seq(y, z))
    SeqAssociate;
    /// coreg(r)(loopC(r)(x), loopC(r)(x)) → loopC(r)(x), also with a rest behind for seq
    CoRegLoopTwice;
    /// coreg(r)(x, par(y, z)), coreg(r)(par(y, z), x) → par(y, …) when x and y share no lifeline, in a store that sorts orders
    CoRegParOut;
    /// coreg(r)(x, coreg(s)(y, z)) → coreg(s)(y, coreg(r)(x, z)) when x and y share no lifeline, in a store that sorts orders
    CoRegSort;
    /// par(o, x) → x
    ParEmpty;
    /// par(par(x, y), z) → par(x, y, z), sorted
    ParFlatten;
    /// par(loopP(x), loopP(x)) → loopP(x)
    ParLoopTwice;
    /// alt(alt(x, y), z) → alt(x, y, z), sorted
    AltFlatten;
    /// alt(x, x) → x
    AltSame;
    /// alt(o, x) → x when x accepts the empty trace
    AltEmpty;
    /// loop(o) → o
    LoopEmpty;
    /// loop(alt(o, x)) → loop(x)
    LoopSkip;
    /// loop(k)(loop(k')(x)) → loop(k)(x) when k orders repetitions no more than k'
    LoopLoop;
    /// loopC(r)(x) → loopP(x) or loopC(r')(x), r' being the lifelines of r that are in x
    LoopNarrow;
}

/// How often each rule has been applied.
#[derive(Clone, Debug)]
pub(crate) struct RuleCounts([u64; Rule::ALL.len()]);

impl Default for RuleCounts {
    fn default() -> Self {
        RuleCounts([0; Rule::ALL.len()])
    }
}

impl RuleCounts {
    /// How often a rule was applied.
    pub(crate) fn count(&self, rule: Rule) -> u64 {
        self.0[rule as usize]
    }

    /// Counts one application of a rule.
    pub(crate) fn note(&mut self, rule: Rule) {
        self.0[rule as usize] += 1;
    }
}
