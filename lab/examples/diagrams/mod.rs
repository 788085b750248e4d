//! Random interactions of the size of real diagrams, as text: the subjects of `large` and of the benchmarks of stages.

use multitrace_interaction::generate::Dice;

/// Writes an interaction as text, with a name of its own for every message.
pub(crate) struct Author {
    dice: Dice,
    lifelines: usize,
    messages: usize,
}

/// The operators of a part, each with its weight.
const OPERATORS: [(&str, usize); 7] =
    [("seq", 40), ("strict", 8), ("alt", 14), ("par", 12), ("opt", 8), ("loopS", 6), ("loopW", 8)];

impl Author {
    /// An author for each seed.
    pub(crate) fn new(seed: u64, lifelines: usize) -> Author {
        Author { dice: Dice::new(seed, 0), lifelines, messages: 0 }
    }

    /// The text of an interaction with about this number of messages.
    pub(crate) fn part(&mut self, messages: usize, loops: bool) -> String {
        if messages <= 1 {
            return self.exchange();
        }
        match self.operator(loops) {
            "opt" => format!("alt(o, {})", self.part(messages - 1, loops)),
            operator @ ("loopS" | "loopW") => {
                format!("{operator}({})", self.part(messages - 1, false))
            }
            operator => {
                let width = 2 + self.dice.below(3);
                let share = ((messages - 1) / width).max(1);
                let parts: Vec<_> = (0..width).map(|_| self.part(share, loops)).collect();
                format!("{operator}({})", parts.join(", "))
            }
        }
    }

    /// Loops do not nest: their words multiply.
    fn operator(&mut self, loops: bool) -> &'static str {
        let allowed = if loops { &OPERATORS[..] } else { &OPERATORS[..5] };
        let mut at = self.dice.below(allowed.iter().map(|(_, weight)| weight).sum());
        for &(operator, weight) in allowed {
            if at < weight {
                return operator;
            }
            at -= weight;
        }
        unreachable!("the place is below the sum of the weights")
    }

    /// A message or, twice as often, a request with its response.
    fn exchange(&mut self) -> String {
        let from = self.dice.below(self.lifelines);
        let to = (from + 1 + self.dice.below(self.lifelines - 1)) % self.lifelines;
        self.messages += 1;
        let name = self.messages;
        match self.dice.below(3) {
            0 => format!("l{from} -- m{name} -> l{to}"),
            _ => format!("seq(l{from} -- q{name} -> l{to}, l{to} -- r{name} -> l{from})"),
        }
    }
}
