//! The laws of balance, compared with counts of accepted traces: all obey them, and they span no more.

use multitrace_compiler::{
    Compiled, Config, InteractionSpec, Limits, compile_automaton, compile_interaction,
};
use multitrace_formats::bundle::Provenance;
use multitrace_formats::hif;
use multitrace_formats::source::Source;
use multitrace_interaction::{
    Action, Alphabet, Balance, Id, Interaction, LetterId, Locations, Nfa, Node, Signature, StateId,
    Transition,
};
use multitrace_testing::cases;
use multitrace_testing::denotations::{any_interaction, language, signature};
use proptest::prelude::*;
use std::collections::BTreeSet;

type Counts = Vec<u32>;

fn provenance() -> Provenance {
    Provenance::new("0", "f", b"", String::new())
}

fn compile(signature: &Signature, interaction: &Interaction, config: &Config) -> Compiled {
    let locations = &Locations::discrete(signature);
    let place_of = &|_| String::new();
    compile_interaction(
        InteractionSpec { signature, interaction, locations, place_of },
        provenance(),
        config,
    )
    .expect("its terms are within the limits")
}

fn counts<'a>(actions: impl Iterator<Item = &'a Action>, alphabet: &Alphabet) -> Counts {
    let mut counts = vec![0; alphabet.letters().len()];
    actions.for_each(|&it| counts[alphabet.letter_of(it).expect("a letter").index()] += 1);
    counts
}

fn sums(a: &BTreeSet<Counts>, b: &BTreeSet<Counts>) -> BTreeSet<Counts> {
    let sum = |x: &Counts, y: &Counts| x.iter().zip(y).map(|(x, y)| x + y).collect();
    a.iter().flat_map(|x| b.iter().map(move |y| sum(x, y))).collect()
}

/// The counts of all traces that repeat no loop more than once.
fn images(interaction: &Interaction, alphabet: &Alphabet) -> BTreeSet<Counts> {
    let mut images: Vec<BTreeSet<Counts>> = Vec::new();
    let none = counts([].iter(), alphabet);
    for node in interaction.nodes() {
        let at = |id: &multitrace_interaction::NodeId| &images[id.index()];
        let image = match node {
            Node::Empty => BTreeSet::from([none.clone()]),
            Node::Step(step) => BTreeSet::from([counts(step.actions().iter(), alphabet)]),
            Node::Strict(a, b) | Node::Seq(a, b) | Node::Par(a, b) | Node::CoReg(_, a, b) => {
                sums(at(a), at(b))
            }
            Node::Alt(a, b) => at(a) | at(b),
            Node::Loop(_, body) => at(body) | &BTreeSet::from([none.clone()]),
        };
        images.push(image);
    }
    images.pop().expect("a root")
}

const PRIME: i64 = 2_147_483_647;

fn power(base: i64, exponent: i64) -> i64 {
    let half = |it| power(base * base % PRIME, it / 2);
    match exponent {
        0 => 1,
        odd if odd % 2 == 1 => base * half(odd) % PRIME,
        even => half(even),
    }
}

/// The dimension of the space that counts span, modulo a prime: never more than the dimension.
fn dimension(counts: &BTreeSet<Counts>) -> usize {
    let first = counts.first().expect("an accepted trace");
    let mut rows: Vec<Vec<i64>> = Vec::new();
    for image in counts {
        let pairs = image.iter().zip(first);
        let mut row: Vec<i64> = pairs.map(|(&x, &y)| i64::from(x) - i64::from(y)).collect();
        for other in &rows {
            let pivot = other.iter().position(|&it| it != 0).expect("not zero");
            let factor = row[pivot] * power(other[pivot].rem_euclid(PRIME), PRIME - 2) % PRIME;
            row.iter_mut().zip(other).for_each(|(x, y)| *x = (*x - factor * y) % PRIME);
        }
        if row.iter().any(|&it| it != 0) {
            rows.push(row);
        }
    }
    rows.len()
}

fn holds(balance: &Balance, counts: &Counts) -> bool {
    balance.laws.iter().all(|law| law.difference(counts) == 0)
}

/// Few states, so that specifications without an automaton end soon.
fn small() -> Config {
    Config { limits: Limits { states: 300, ..Limits::default() }, ..Config::default() }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn counts_of_accepted_traces_obey_the_laws_and_span_no_less(interaction in any_interaction()) {
        let signature = signature();
        let Compiled { bundle, .. } = compile(&signature, &interaction, &small());
        let images = images(&interaction, &bundle.alphabet);
        let words = language(&interaction, 4);
        let of = |word: &Vec<_>| {
            let steps = word.iter().flat_map(multitrace_interaction::Step::actions);
            counts(steps, &bundle.alphabet)
        };
        for counts in words.iter().map(of).chain(images.iter().cloned()) {
            prop_assert!(holds(&bundle.balance, &counts), "{:?} of {:?}", bundle.balance, counts);
            prop_assert_eq!(bundle.balance.least_edits(&counts), 0);
        }
        let letters = bundle.alphabet.letters().len();
        prop_assert_eq!(bundle.balance.laws.len() + dimension(&images), letters);
    }

    #[test]
    fn an_automaton_has_the_laws_of_its_interaction(interaction in any_interaction()) {
        let Compiled { bundle, .. } = compile(&signature(), &interaction, &small());
        let Some(automaton) = bundle.automaton() else { return Ok(()) };
        for nfa in [&automaton.full, &automaton.search] {
            let alphabet = bundle.alphabet.clone();
            let given = compile_automaton(alphabet, nfa.clone(), provenance(), &small());
            prop_assert_eq!(&given.bundle.balance, &bundle.balance);
        }
    }

    /// An edit of the least edits changes one count by one.
    #[test]
    fn each_edit_repairs_one_event_at_most(
        interaction in any_interaction(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..6),
    ) {
        let Compiled { bundle, .. } = compile(&signature(), &interaction, &small());
        prop_assume!(bundle.alphabet.letters().len() > 0);
        let mut counts = images(&interaction, &bundle.alphabet).pop_last().expect("a trace");
        for (at, more) in &edits {
            let count = at.get_mut(&mut counts);
            *count = if *more { *count + 1 } else { count.saturating_sub(1) };
        }
        prop_assert!(bundle.balance.least_edits(&counts) as usize <= edits.len());
    }
}

fn laws(text: &str) -> Vec<String> {
    let parsed = hif::parse(&Source::new("f", text), None).expect("an interaction");
    let Compiled { bundle, .. } = compile(&parsed.signature, &parsed.interaction, &small());
    let term = |&(letter, coefficient): &(LetterId, i64)| {
        format!("{coefficient:+}{}", bundle.alphabet.letter_name(letter))
    };
    let law = |law: &multitrace_interaction::Law| {
        let terms: Vec<String> = law.letters.iter().map(term).collect();
        format!("{} = {}", terms.join(" "), law.constant)
    };
    bundle.balance.laws.iter().map(law).collect()
}

#[test]
fn laws_are_pairs_first() {
    let text =
        "strict(a -- hello -> b, loopS(strict(a -- ask -> b, alt(b -- yes -> a, b -- no -> a))))";
    let expected = [
        "+1a!hello = 1",
        "+1b?hello = 1",
        "+1a!ask -1b?ask = 0",
        "+1b!yes -1a?yes = 0",
        "+1b!no -1a?no = 0",
        "+1a!ask -1b!yes -1b!no = 0",
    ];
    assert_eq!(laws(text), expected);
    assert_eq!(laws("loopW(strict(a -- x ->|, a -- y ->|, a -- y ->|))"), ["+2a!x -1a!y = 0"]);
    assert_eq!(laws("o"), [""; 0]);
}

#[test]
fn an_automaton_that_accepts_nothing_has_no_laws() {
    let mut alphabet = Alphabet::default();
    let location = alphabet.add_location("l").expect("a new name");
    let letter = alphabet.add_letter("a", location).expect("a new name");
    let [from, to] = [0, 1].map(StateId::new);
    for (finals, laws) in [(vec![], 0), (vec![to], 1), (vec![from, to], 0)] {
        let step = Transition { from, letter, to };
        let nfa = Nfa::new(2, [from], finals, vec![step]).expect("states in range");
        let Compiled { bundle, .. } =
            compile_automaton(alphabet.clone(), nfa, provenance(), &small());
        assert_eq!(bundle.balance.laws.len(), laws);
    }
}

#[test]
fn a_limit_of_work_leaves_laws_out() {
    let limits = Limits { work: 3, ..Limits::default() };
    let config = Config { limits, ..Config::default() };
    let parsed = hif::parse(&Source::new("f", "loopS(a -- m -> b)"), None).expect("an interaction");
    let Compiled { bundle, .. } = compile(&parsed.signature, &parsed.interaction, &config);
    assert_eq!(bundle.balance, Balance::default());
}
