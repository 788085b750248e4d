//! Small random specifications, and bundles of them that are made without the compiler: every table is built as its
//! definition says.

use multitrace_formats::bundle::{
    Areas, Automaton, BackwardTable, Bits, Bundle, Central, DEAD, ForwardTable, LocalVerifier,
    Provenance, Rows, SpecText, Unsupported,
};
use multitrace_interaction::{
    Action, Alphabet, Balance, Id, Interaction, Law, LetterId, LifelineId, LocationId, Locations,
    Nfa, Node, NodeId, Observation, Signature, StateId, Step, TermId, TermStore, Transition,
};
use multitrace_testing::denotations::{any_interaction, any_locations, signature};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

pub type States = BTreeSet<usize>;

/// An automaton, with the interaction that it stands for, if it does.
#[derive(Clone, Debug)]
pub struct Specification {
    pub alphabet: Alphabet,
    /// Trimmed: every state is on an accepted path.
    pub nfa: Nfa,
    /// The states inside steps of several actions.
    pub inside: States,
    pub source: Option<(Signature, Interaction)>,
}

/// The letters of random automata. Those of a location do not stand side by side.
const LETTERS: [(&str, usize); 5] = [("a0", 0), ("b0", 1), ("c0", 2), ("a1", 0), ("b1", 1)];

/// Automata of up to five states over three locations.
pub fn any_automaton() -> impl Strategy<Value = Specification> {
    let states = 1..=5_usize;
    states.prop_flat_map(|states| {
        let transition = (0..states, 0..LETTERS.len(), 0..states);
        let initial = proptest::collection::btree_set(0..states, 1..=2.min(states));
        let finals = proptest::collection::btree_set(0..states, 1..=2.min(states));
        let transitions = proptest::collection::vec(transition, 1..=10);
        (Just(states), initial, finals, transitions).prop_filter_map(
            "accepts nothing",
            |(states, initial, finals, transitions)| {
                let (nfa, _) = trimmed(states, &initial, &finals, &transitions)?;
                Some(Specification {
                    alphabet: alphabet(),
                    nfa,
                    inside: States::new(),
                    source: None,
                })
            },
        )
    })
}

fn alphabet() -> Alphabet {
    let mut alphabet = Alphabet::default();
    for name in ["a", "b", "c"] {
        alphabet.add_location(name).expect("a new name");
    }
    for (name, location) in LETTERS {
        alphabet.add_letter(name, LocationId::new(location)).expect("a new name");
    }
    alphabet
}

/// Interactions with at most this many states.
const MOST_STATES_OF_INTERACTION: usize = 24;

/// Interactions of three lifelines, with a partition of them, whose automata are small.
pub fn any_specification() -> impl Strategy<Value = Specification> {
    any_of_automata("not a small automaton", true)
}

/// The same where automata may be large or endless: they are cut, so that they accept a part of what the interaction accepts.
pub fn any_part_of_a_specification() -> impl Strategy<Value = Specification> {
    any_of_automata("nothing in the part", false)
}

/// Parts of the automata of interactions in parts: two or three at their own lifeline and a common one.
pub fn any_part_of_parts() -> impl Strategy<Value = Specification> {
    let operand = (any_interaction(), 0..=1_usize);
    let operands = (operand, proptest::collection::vec((any_interaction(), 0..=1_usize), 1..=2));
    operands.prop_filter_map("nothing in the part", |((first, own), others)| {
        let mut nodes = at_lifeline(&first, own);
        for (operand, own) in others {
            let (start, last) = (nodes.len(), NodeId::new(nodes.len() - 1));
            let move_up = |id: NodeId| NodeId::new(start + id.index());
            nodes.extend(at_lifeline(&operand, own).iter().map(|it| it.with_children(move_up)));
            nodes.push(Node::Par(last, NodeId::new(nodes.len() - 1)));
        }
        let interaction = Interaction::new(nodes).expect("operands are trees");
        let (signature, lifelines) = (signature(), Locations::discrete(&signature()));
        let alphabet = Alphabet::of_actions(&signature, &lifelines, interaction.actions());
        let (nfa, inside) = explored(&signature, &interaction, &alphabet, false)?;
        Some(Specification { alphabet, nfa, inside, source: Some((signature, interaction)) })
    })
}

/// The nodes of an interaction that acts at one lifeline, and at the last one as before.
fn at_lifeline(interaction: &Interaction, own: usize) -> Vec<Node> {
    let moved = |action: &Action| match action.lifeline.index() {
        2 => *action,
        _ => Action { lifeline: LifelineId::new(own), ..*action },
    };
    let node = |node: &Node| match node {
        Node::Step(step) => {
            let actions: Vec<Action> = step.actions().iter().map(moved).collect();
            Node::Step(Step::new(actions).expect("a step has an action"))
        }
        _ => node.clone(),
    };
    interaction.nodes().iter().map(node).collect()
}

fn any_of_automata(reason: &'static str, is_whole: bool) -> impl Strategy<Value = Specification> {
    (any_interaction(), any_locations()).prop_filter_map(reason, move |(interaction, locations)| {
        let signature = signature();
        let alphabet = Alphabet::of_actions(&signature, &locations, interaction.actions());
        let (nfa, inside) = explored(&signature, &interaction, &alphabet, is_whole)?;
        Some(Specification { alphabet, nfa, inside, source: Some((signature, interaction)) })
    })
}

/// The automaton of the derivatives of an interaction, and which of its states are inside steps: a step of several actions
/// goes through states of its own. Where it is large, `None` for the whole one, or the part that was found first.
fn explored(
    signature: &Signature,
    interaction: &Interaction,
    alphabet: &Alphabet,
    is_whole: bool,
) -> Option<(Nfa, States)> {
    let mut store = TermStore::new();
    let root = store.intern(interaction).root();
    let mut states: Vec<(Vec<Action>, TermId)> = vec![(Vec::new(), root)];
    let mut transitions = Vec::new();
    let mut at = 0;
    while at < states.len() {
        let (rest, term) = states[at].clone();
        let begun: Vec<(Step, TermId)> = match Step::new(rest) {
            Some(step) => vec![(step, term)],
            None => {
                let all = store.derivatives(term);
                all.iter().map(|it| (store.step_of(it.step).clone(), it.residual)).collect()
            }
        };
        for (step, residual) in begun {
            let (first, rest) = step.actions().split_first().expect("a step has an action");
            let next = (rest.to_vec(), residual);
            let known = states.iter().position(|it| *it == next);
            if known.is_none() && states.len() == MOST_STATES_OF_INTERACTION {
                match is_whole {
                    true => return None,
                    false => continue,
                }
            }
            let to = known.unwrap_or_else(|| {
                states.push(next);
                states.len() - 1
            });
            let letter = alphabet.letter(&signature.action_text(*first)).expect("a letter");
            transitions.push((at, letter.index(), to));
        }
        at += 1;
    }
    let is_final = |(_, (rest, term)): &(usize, &(Vec<Action>, TermId))| {
        rest.is_empty() && store.is_nullable(*term)
    };
    let finals = states.iter().enumerate().filter(is_final).map(|(at, _)| at).collect();
    let (nfa, kept) = trimmed(states.len(), &States::from([0]), &finals, &transitions)?;
    let inside = kept.iter().enumerate().filter(|(_, old)| !states[**old].0.is_empty());
    Some((nfa, inside.map(|(new, _)| new).collect()))
}

/// The automaton without the states that are on no accepted path, and which states are left; `None` if none is.
fn trimmed(
    states: usize,
    initial: &States,
    finals: &States,
    transitions: &[(usize, usize, usize)],
) -> Option<(Nfa, Vec<usize>)> {
    let reach = |from: &States, back: bool| {
        let mut reached = from.clone();
        for _ in 0..states {
            for &(from, _, to) in transitions {
                let (from, to) = if back { (to, from) } else { (from, to) };
                if reached.contains(&from) {
                    reached.insert(to);
                }
            }
        }
        reached
    };
    let kept: Vec<usize> =
        reach(initial, false).intersection(&reach(finals, true)).copied().collect();
    let new = |old: usize| kept.iter().position(|it| *it == old).map(StateId::new);
    let transition = |&(from, letter, to): &(usize, usize, usize)| {
        Some(Transition { from: new(from)?, letter: LetterId::new(letter), to: new(to)? })
    };
    let initial: Vec<_> = initial.iter().filter_map(|it| new(*it)).collect();
    let finals = finals.iter().filter_map(|it| new(*it));
    let transitions = transitions.iter().filter_map(transition).collect();
    if initial.is_empty() {
        return None;
    }
    let nfa = Nfa::new(kept.len(), initial, finals, transitions).expect("states in range");
    Some((nfa, kept))
}

/// Which tables a bundle has, and which parts of them.
#[derive(Clone, Copy, Debug)]
pub struct Tables {
    pub forward: bool,
    pub anywhere: bool,
    pub areas: bool,
    pub backward: bool,
    pub open_end: bool,
}

pub const ALL_TABLES: Tables =
    Tables { forward: true, anywhere: true, areas: true, backward: true, open_end: true };

pub const NO_TABLES: Tables =
    Tables { forward: false, anywhere: false, areas: false, backward: false, open_end: false };

pub fn any_tables() -> impl Strategy<Value = Tables> {
    let flag = any::<bool>;
    (flag(), flag(), flag(), flag(), flag()).prop_map(
        |(forward, anywhere, areas, backward, open_end)| Tables {
            forward,
            anywhere,
            areas,
            backward,
            open_end,
        },
    )
}

impl Specification {
    pub fn locations(&self) -> usize {
        self.alphabet.locations().len()
    }

    pub fn location_of(&self, letter: LetterId) -> usize {
        self.alphabet.location_of(letter).index()
    }

    /// The transitions out of a state: letter and target.
    pub fn outgoing(&self, state: usize) -> impl Iterator<Item = (LetterId, usize)> + '_ {
        let row = self.nfa.outgoing(StateId::new(state));
        row.iter().map(|it| (it.letter, it.to.index()))
    }

    pub fn is_final(&self, state: usize) -> bool {
        self.nfa.is_final(StateId::new(state))
    }

    pub fn initial(&self) -> States {
        self.nfa.initial().iter().map(|it| it.index()).collect()
    }

    pub fn all_states(&self) -> States {
        (0..self.nfa.state_count()).collect()
    }

    /// The states that letters lead to from these, as far as `may` allows a letter.
    pub fn closure(&self, from: &States, may: impl Fn(LetterId) -> bool) -> States {
        let mut reached = from.clone();
        let mut todo: Vec<usize> = from.iter().copied().collect();
        while let Some(state) = todo.pop() {
            for (letter, to) in self.outgoing(state) {
                if may(letter) && reached.insert(to) {
                    todo.push(to);
                }
            }
        }
        reached
    }

    /// The states from which such letters lead to one of these.
    pub fn closure_back(&self, to: &States, may: impl Fn(LetterId) -> bool) -> States {
        let leads = |&from: &usize| !self.closure(&States::from([from]), &may).is_disjoint(to);
        self.all_states().into_iter().filter(leads).collect()
    }

    /// The bundle with an automaton. The one to search has its states the other way round.
    pub fn bundle(&self, tables: Tables) -> Bundle {
        let search = self.reversed();
        let local = |letters: Vec<LetterId>| LocalVerifier {
            forward: tables.forward.then(|| self.forward(&letters, tables)),
            backward: tables.backward.then(|| search.backward(&letters, tables)),
            letters,
        };
        Bundle {
            provenance: Provenance::new("test", "test", b"", String::new()),
            text: SpecText::default(),
            observation: Observation::Complete,
            events: None,
            alphabet: self.alphabet.clone(),
            source: self.source.clone(),
            has_only_multi_traces: false,
            balance: Balance::default(),
            locals: self.alphabet.letters_by_location().into_iter().map(local).collect(),
            central: Central::Automaton(Automaton { full: self.nfa.clone(), search: search.nfa }),
        }
    }

    /// The bundle without an automaton, which has terms only.
    pub fn bundle_of_terms(&self) -> Bundle {
        let (limit, construct, place) = ("none".to_owned(), "it".to_owned(), "1:1".to_owned());
        let mut bundle = self.bundle(ALL_TABLES);
        bundle.central = Central::Unsupported(Unsupported { limit, construct, place });
        for local in &mut bundle.locals {
            (local.forward, local.backward) = (None, None);
        }
        bundle
    }

    /// A bundle that has laws, too.
    pub fn with_laws(&self, bundle: Bundle) -> Bundle {
        Bundle { balance: self.balance(), ..bundle }
    }

    /// All laws of one letter, and of two with these coefficients.
    fn balance(&self) -> Balance {
        let letters: Vec<LetterId> = self.alphabet.letters().collect();
        let alone = letters.iter().map(|&it| vec![(it, 1)]);
        let pairs = letters.iter().flat_map(|&a| letters.iter().map(move |&b| (a, b)));
        let pairs = pairs.filter(|(a, b)| a < b);
        let pairs = pairs.flat_map(|(a, b)| [-1, 1, -2].map(|it| vec![(a, 1), (b, it)]));
        Balance { laws: alone.chain(pairs).filter_map(|letters| self.law(letters)).collect() }
    }

    /// The law of these letters, if every state has one sum whatever path leads there, and final states have the same.
    fn law(&self, letters: Vec<(LetterId, i64)>) -> Option<Law> {
        let weight = |letter| letters.iter().find(|it| it.0 == letter).map_or(0, |it| it.1);
        let mut sums: BTreeMap<usize, i64> = self.initial().iter().map(|&it| (it, 0)).collect();
        let mut todo: Vec<usize> = sums.keys().copied().collect();
        while let Some(state) = todo.pop() {
            for (letter, to) in self.outgoing(state) {
                let sum = sums[&state] + weight(letter);
                match sums.insert(to, sum) {
                    None => todo.push(to),
                    Some(other) if other != sum => return None,
                    Some(_) => {}
                }
            }
        }
        let finals = sums.iter().filter(|(state, _)| self.is_final(**state));
        let ends: BTreeSet<i64> = finals.map(|(_, &sum)| sum).collect();
        let constant = ends.first().copied().filter(|_| ends.len() == 1)?;
        Some(Law { letters, constant })
    }

    fn reversed(&self) -> Specification {
        let count = self.nfa.state_count();
        let new = |state: StateId| StateId::new(count - 1 - state.index());
        let transitions = self.nfa.transitions().iter();
        let transitions =
            transitions.map(|it| Transition { from: new(it.from), to: new(it.to), ..*it });
        let initial = self.nfa.initial().iter().map(|it| new(*it));
        let nfa = Nfa::new(count, initial, self.nfa.finals().map(new), transitions.collect());
        Specification { nfa: nfa.expect("states in range"), ..self.clone() }
    }

    /// The deterministic verifier of a location (paper 004 defs. 5 to 7).
    fn forward(&self, letters: &[LetterId], tables: Tables) -> ForwardTable {
        let is_other = |letter: LetterId| !letters.contains(&letter);
        // The transitions that a location does not see, out of some states.
        let unseen = |states: &States| -> BTreeSet<usize> {
            let all = self.nfa.transitions().iter().enumerate();
            let of = all.filter(|(_, it)| states.contains(&it.from.index()) && is_other(it.letter));
            of.map(|(id, _)| id).collect()
        };
        let start = self.closure(&self.initial(), is_other);
        let mut areas = vec![unseen(&start)];
        let mut sets = vec![start];
        if tables.anywhere {
            sets.push(self.all_states());
        }
        let (mut next, mut of) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < sets.len() {
            for &letter in letters {
                let all = self.nfa.transitions().iter().enumerate();
                let read = all
                    .filter(|(_, it)| it.letter == letter && sets[at].contains(&it.from.index()));
                let read: Vec<_> = read.collect();
                if read.is_empty() {
                    next.push(DEAD);
                    of.push(DEAD);
                    continue;
                }
                let targets = read.iter().map(|(_, it)| it.to.index()).collect();
                let set = self.closure(&targets, is_other);
                let mut area = unseen(&set);
                area.extend(read.iter().map(|(id, _)| *id));
                next.push(number(&mut sets, set));
                of.push(number(&mut areas, area));
            }
            at += 1;
        }
        let is_final = |set: &States| set.iter().any(|&state| self.is_final(state));
        let mut rows = Rows::new(self.nfa.transitions().len());
        areas.into_iter().for_each(|area| {
            rows.push(area);
        });
        ForwardTable {
            next,
            finals: sets.iter().map(is_final).collect::<Bits>(),
            start: 0,
            start_anywhere: tables.anywhere.then(|| number(&mut sets, self.all_states())),
            areas: tables.areas.then_some(Areas { of, init: 0, rows }),
        }
    }

    /// From which states the rest of a log can be read.
    fn backward(&self, letters: &[LetterId], tables: Tables) -> BackwardTable {
        let is_other = |letter: LetterId| !letters.contains(&letter);
        let finals = self.nfa.finals().map(|it| it.index()).collect();
        let mut sets = vec![self.closure_back(&finals, is_other)];
        let open_end = tables.open_end.then(|| number(&mut sets, self.all_states()));
        let mut next = Vec::new();
        let mut at = 0;
        while at < sets.len() {
            for &letter in letters {
                let all = self.nfa.transitions().iter();
                let before =
                    all.filter(|it| it.letter == letter && sets[at].contains(&it.to.index()));
                let before: States = before.map(|it| it.from.index()).collect();
                next.push(match before.is_empty() {
                    true => DEAD,
                    false => number(&mut sets, self.closure_back(&before, is_other)),
                });
            }
            at += 1;
        }
        let begun = (0..sets.len() as u32).collect();
        let mut rows = sets.clone();
        let unbegun = sets.iter().map(|set| self.closure_back(set, |_| true));
        let unbegun = unbegun.map(|set| number(&mut rows, set)).collect();
        let mut bits = Rows::new(self.nfa.state_count());
        rows.into_iter().for_each(|row| {
            bits.push(row);
        });
        BackwardTable { next, at_end: 0, open_end, begun, unbegun, rows: bits }
    }

    /// The length of the shortest accepted trace, where only some letters count.
    pub fn shortest(&self, counts: impl Fn(LetterId) -> bool) -> u64 {
        let mut costs: BTreeMap<usize, u64> =
            self.initial().into_iter().map(|it| (it, 0)).collect();
        // As often as there are states: no shortest path is longer.
        for _ in self.all_states() {
            for transition in self.nfa.transitions() {
                let Some(&cost) = costs.get(&transition.from.index()) else { continue };
                let cost = cost + u64::from(counts(transition.letter));
                let known = costs.entry(transition.to.index()).or_insert(cost);
                *known = cost.min(*known);
            }
        }
        let of_final = costs.into_iter().filter(|(state, _)| self.is_final(*state));
        of_final.map(|(_, cost)| cost).min().expect("something is accepted")
    }
}

/// The index of a value in a list, to which it is added if it is new.
fn number<T: PartialEq>(all: &mut Vec<T>, value: T) -> u32 {
    let at = all.iter().position(|it| *it == value).unwrap_or_else(|| {
        all.push(value);
        all.len() - 1
    });
    at as u32
}
