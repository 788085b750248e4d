//! Formulas in conjunctive normal form: read from DIMACS, made at random, and satisfied by brute
//! force. All assignments are tried, so that the answers owe nothing to a solver.
#![allow(unreachable_pub, reason = "a module of a test binary")]

use multitrace_interaction::generate::Dice;
use std::collections::BTreeSet;

/// A variable, counted from 0, and whether it stands plain or negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Literal {
    pub variable: usize,
    pub positive: bool,
}

/// A conjunction of clauses. A clause is the set of its literals: writing one twice says nothing
/// new, and the reductions of both papers have one action for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    pub variables: usize,
    pub clauses: Vec<BTreeSet<Literal>>,
}

/// When an assignment satisfies a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// At least one literal is true.
    Some,
    /// Exactly one literal is true, as 1-in-3-SAT wants it.
    One,
}

// ---- DIMACS

/// Reads a formula. The corpus ends its files with a line of `%`, and the text after it is not a clause.
pub fn parse_dimacs(text: &str) -> Result<Formula, String> {
    let lines = text.lines().take_while(|line| !line.starts_with('%'));
    let mut lines = lines.filter(|line| !line.starts_with('c'));
    let header = lines.next().ok_or("no header")?;
    let header: Vec<&str> = header.split_whitespace().collect();
    let ["p", "cnf", variables, clauses] = header[..] else {
        return Err(format!("not a header: {header:?}"));
    };
    let [variables, count] = [variables, clauses].map(str::parse::<usize>);
    let (variables, count) = (variables.map_err(text_of)?, count.map_err(text_of)?);
    let numbers = lines.flat_map(str::split_whitespace).map(str::parse::<i64>);
    let numbers: Vec<i64> = numbers.collect::<Result<_, _>>().map_err(text_of)?;
    let Some((0, terminated)) = numbers.split_last() else {
        return Err("the last clause does not end with 0".to_owned());
    };
    let clauses = terminated.split(|&number| number == 0);
    let clauses = clauses.map(|clause| clause.iter().map(|&n| literal(n, variables)).collect());
    let clauses: Vec<BTreeSet<Literal>> = clauses.collect::<Result<_, _>>()?;
    match clauses.len() == count && clauses.iter().all(|clause| !clause.is_empty()) {
        true => Ok(Formula { variables, clauses }),
        false => Err(format!("{} clauses, or empty ones, where {count} are said", clauses.len())),
    }
}

fn text_of(error: impl ToString) -> String {
    error.to_string()
}

fn literal(number: i64, variables: usize) -> Result<Literal, String> {
    let variable = number.unsigned_abs() as usize - 1;
    match variable < variables {
        true => Ok(Literal { variable, positive: number > 0 }),
        false => Err(format!("{number} is not a literal of {variables} variables")),
    }
}

// ---- Brute force

impl Formula {
    /// Whether an assignment satisfies all clauses; bit v of it is the value of variable v.
    ///
    /// # Panics
    /// When there are more variables than brute force can try.
    pub fn is_satisfiable(&self, rule: Rule) -> bool {
        assert!(self.variables <= 24, "brute force is for few variables");
        let assignments = 0..1_u64 << self.variables;
        let holds = |values: u64, it: &Literal| (values >> it.variable & 1 == 1) == it.positive;
        let mut satisfying = assignments.filter(|&values| {
            self.clauses.iter().all(|clause| {
                let count = clause.iter().filter(|it| holds(values, it)).count();
                if rule == Rule::Some { count > 0 } else { count == 1 }
            })
        });
        satisfying.next().is_some()
    }
}

// ---- Random formulas

fn any_literal(variables: usize, dice: &mut Dice) -> Literal {
    Literal { variable: dice.below(variables), positive: dice.below(2) == 1 }
}

impl Formula {
    /// Clauses of three literals drawn freely: a clause may repeat one, or hold both of a variable.
    pub fn free(variables: usize, clauses: usize, dice: &mut Dice) -> Formula {
        let clause = |_| (0..3).map(|_| any_literal(variables, dice)).collect();
        Formula { variables, clauses: (0..clauses).map(clause).collect() }
    }

    /// Clauses over three variables each, as in the corpus.
    pub fn uniform(variables: usize, clauses: usize, dice: &mut Dice) -> Formula {
        assert!(variables >= 3, "a clause has three variables");
        let clause = |_| {
            let mut clause: BTreeSet<Literal> = BTreeSet::new();
            while clause.len() < 3 {
                let literal = any_literal(variables, dice);
                if clause.iter().all(|other| other.variable != literal.variable) {
                    clause.insert(literal);
                }
            }
            clause
        };
        Formula { variables, clauses: (0..clauses).map(clause).collect() }
    }
}

// ---- Their own tests

#[test]
fn dimacs_is_read() {
    let text = "c a comment\np cnf 3 2\n 1 -3 0\n2\n3 -1 0\n%\n0\n";
    let formula = parse_dimacs(text).expect("a formula");
    let signs = |clause: &BTreeSet<Literal>| -> Vec<(usize, bool)> {
        clause.iter().map(|literal| (literal.variable, literal.positive)).collect()
    };
    assert_eq!(formula.variables, 3);
    let clauses: Vec<_> = formula.clauses.iter().map(signs).collect();
    assert_eq!(clauses, [vec![(0, true), (2, false)], vec![(0, false), (1, true), (2, true)]]);
}

#[test]
fn what_is_no_dimacs_is_refused() {
    let refused = [
        "",
        "p cnf 2\n1 0\n",
        "p cnf 2 1\n1 2\n",
        "p cnf 2 1\n3 0\n",
        "p cnf 2 2\n1 0\n",
        "p cnf 2 1\n0\n",
        "p cnf 2 1\none 0\n",
    ];
    for text in refused {
        assert!(parse_dimacs(text).is_err(), "{text:?}");
    }
}

#[test]
fn brute_force_knows_small_formulas() {
    let cases = [
        ("p cnf 1 2\n1 0 -1 0\n", false, false),
        ("p cnf 2 1\n1 2 0\n", true, true),
        // Both literals of a variable: exactly one is true.
        ("p cnf 2 2\n1 -1 2 0 2 0\n", true, false),
        // The formula of paper 003 fig. 9.
        ("p cnf 3 4\n-1 -2 -3 0 -1 2 3 0 1 -1 2 0 2 3 -3 0\n", true, true),
        // The formula of paper 001 sec. 4.4.
        ("p cnf 4 2\n1 -2 4 0 1 3 -4 0\n", true, true),
    ];
    for (text, some, one) in cases {
        let formula = parse_dimacs(text).expect("a formula");
        assert_eq!(formula.is_satisfiable(Rule::Some), some, "{text}");
        assert_eq!(formula.is_satisfiable(Rule::One), one, "{text}");
    }
}
