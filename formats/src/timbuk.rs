//! Word automata in the format of Timbuk, as AutomatArk has them: a specification can be given
//! directly as an automaton (paper 004 sec. 5).
//!
//! A word is a tree with branches of one: `a17(q0) -> q3` is a transition that reads the letter
//! `a17`, and `x -> q0`, with any symbol `x` of arity 0, marks an initial state.

mod automaton;
mod parser;

pub use automaton::Timbuk;

use crate::locations::{GroupError, GroupProblem, LocationGroup};
use crate::source::{Source, SourceError, Span};
use crate::suggest::did_you_mean;
use indexmap::IndexMap;
use multitrace_interaction::{Alphabet, Id, LocationId, Nfa, StateId, Transition};
use std::fmt::Write;

/// Reads an automaton.
///
/// # Errors
/// All errors of syntax; undeclared states and symbols, those declared twice, symbols that are used
/// with another arity than declared, tree automata, several automata in one file.
///
/// ```
/// use multitrace_formats::{source::Source, timbuk};
/// let text = "Ops a:1 x:0 Automaton A States p q Final States q Transitions x -> p a(p) -> q";
/// let automaton = timbuk::parse(&Source::new("a.timbuk", text)).expect("an automaton");
/// assert_eq!(automaton.letters, ["a"]);
/// assert_eq!(automaton.transitions.len(), 1);
/// ```
pub fn parse(source: &Source) -> Result<Timbuk, SourceError> {
    Ok(parse_with_spans(source)?.0)
}

/// Reads an automaton, with the place of each of its transitions.
///
/// # Errors
/// Those of [`parse`].
pub fn parse_with_spans(source: &Source) -> Result<(Timbuk, Vec<Span>), SourceError> {
    source.spec_text().and_then(parser::parse).map_err(|errors| errors.of(source.clone()))
}

/// Writes an automaton such that [`parse`] reads the same one.
///
/// # Panics
/// When a state or letter is out of range.
pub fn print(automaton: &Timbuk) -> String {
    let start = start_symbol(&automaton.letters);
    let mut text = String::from("Ops");
    // Writing to a string does not fail, so the results are of no interest.
    for letter in &automaton.letters {
        let _ = write!(text, " {letter}:1");
    }
    let _ = writeln!(text, " {start}:0\n\nAutomaton {}", automaton.name);
    let state = |state: &StateId| automaton.states[state.index()].as_str();
    let _ = writeln!(text, "States{}", listed(automaton.states.iter().map(String::as_str)));
    let _ = writeln!(text, "Final States{}", listed(automaton.finals.iter().map(state)));
    text.push_str("Transitions\n");
    for initial in &automaton.initial {
        let _ = writeln!(text, "{start} -> {}", state(initial));
    }
    for Transition { from, letter, to } in &automaton.transitions {
        let letter = &automaton.letters[letter.index()];
        let _ = writeln!(text, "{letter}({}) -> {}", state(from), state(to));
    }
    text
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!(" {name}")).collect()
}

/// A symbol that is not a letter, to mark initial states with.
fn start_symbol(letters: &[String]) -> String {
    let mut symbol = "x".to_owned();
    while letters.contains(&symbol) {
        symbol.push('x');
    }
    symbol
}

impl Timbuk {
    /// The automaton over an alphabet whose locations are these groups, in their order.
    ///
    /// # Errors
    /// When a letter is in no group or in several, a group has an unknown letter, or two groups
    /// are named the same.
    ///
    /// # Panics
    /// When a state or letter is out of range, which does not happen to automata that [`parse`] returns.
    pub fn into_nfa(self, groups: &[LocationGroup]) -> Result<(Alphabet, Nfa), GroupError> {
        let alphabet = self.alphabet(groups)?;
        let nfa = Nfa::new(self.states.len(), self.initial, self.finals, self.transitions);
        Ok((alphabet, nfa.unwrap_or_else(|error| panic!("not as read from a text: {error}"))))
    }

    fn alphabet(&self, groups: &[LocationGroup]) -> Result<Alphabet, GroupError> {
        let (mut alphabet, mut problems) = (Alphabet::default(), Vec::new());
        // Where each letter is, in the order of declaration, which is that of their ids.
        let mut places: IndexMap<&str, Option<LocationId>> =
            self.letters.iter().map(|letter| (letter.as_str(), None)).collect();
        for group in groups {
            let name = group.location_name();
            let Some(location) = alphabet.add_location(&name) else {
                problems.push(GroupProblem::SameName { name });
                continue;
            };
            for member in &group.members {
                problems.extend(place(member, location, &mut places));
            }
        }
        let missing: Vec<String> = places
            .iter()
            .filter(|(_, at)| at.is_none())
            .map(|(name, _)| (*name).to_owned())
            .collect();
        if !missing.is_empty() {
            problems.push(GroupProblem::Missing { letters: missing });
        }
        GroupError::check(problems, ())?;
        for (letter, location) in places {
            location.and_then(|location| alphabet.add_letter(letter, location));
        }
        Ok(alphabet)
    }
}

/// Gives a letter its location, or tells why not.
fn place(
    letter: &str,
    location: LocationId,
    places: &mut IndexMap<&str, Option<LocationId>>,
) -> Option<GroupProblem> {
    let (what, name) = ("letter", letter.to_owned());
    let Some(at) = places.get_mut(letter) else {
        let suggestion = did_you_mean(letter, places.keys().copied());
        return Some(GroupProblem::Unknown { what, name, suggestion });
    };
    at.replace(location).map(|_| GroupProblem::Twice { what, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "Ops a:1 b:1 x:0 y:0 % comment\n\nAutomaton A\nStates p q:0 r\n\
        Final States q r\nTransitions\nx -> p\ny() -> r\na(p) -> q\nb(q) -> p\n";

    fn read(text: &str) -> Timbuk {
        parse(&Source::new("f", text)).expect("an automaton")
    }

    fn errors(text: &str) -> Vec<String> {
        parse(&Source::new("f", text)).expect_err("no automaton").lines().collect()
    }

    fn group(name: Option<&str>, members: &[&str]) -> LocationGroup {
        let members = members.iter().map(|&member| member.to_owned()).collect();
        LocationGroup { name: name.map(str::to_owned), members }
    }

    #[test]
    fn a_small_automaton() {
        let small = read(SMALL);
        assert_eq!(
            (small.name.as_str(), &small.letters[..]),
            ("A", &["a".to_owned(), "b".to_owned()][..])
        );
        assert_eq!(small.states, ["p", "q", "r"]);
        assert_eq!(small.initial, [StateId::new(0), StateId::new(2)]);
        assert_eq!(small.finals, [StateId::new(1), StateId::new(2)]);
        assert_eq!(small.transitions.len(), 2);
        assert_eq!(read(&print(&small)), small);
    }

    #[test]
    fn every_transition_has_its_place() {
        let (small, spans) = parse_with_spans(&Source::new("f", SMALL)).expect("an automaton");
        assert_eq!(spans.len(), small.transitions.len());
        let texts: Vec<&str> = spans.iter().map(|span| &SMALL[span.start..span.end]).collect();
        assert_eq!(texts, ["a(p) -> q", "b(q) -> p"]);
    }

    #[test]
    fn a_letter_may_have_the_name_of_the_start_symbol() {
        let text =
            "Ops x:1 s:0\nAutomaton A\nStates q\nFinal States\nTransitions\ns -> q\nx(q) -> q";
        let automaton = read(text);
        assert_eq!(read(&print(&automaton)), automaton);
        assert!(print(&automaton).contains("xx:0"));
    }

    #[test]
    fn groups_become_locations() {
        let groups = [group(Some("right"), &["b"]), group(None, &["a"])];
        let (alphabet, nfa) = read(SMALL).into_nfa(&groups).expect("an automaton");
        assert_eq!((nfa.state_count(), nfa.transitions().len()), (3, 2));
        let b = alphabet.letter("b").expect("a letter");
        assert_eq!((b.index(), alphabet.location_name(alphabet.location_of(b))), (1, "right"));
        assert_eq!(alphabet.location("a").map(Id::index), Some(1));
    }

    #[test]
    fn every_letter_needs_one_group() {
        let error =
            |groups: &[LocationGroup]| read(SMALL).into_nfa(groups).expect_err("no").to_string();
        assert_eq!(
            error(&[]),
            "no location for 2 of the letters (`a`, `b`); put every letter into one group, as in \
             ‹locations=\"left=a,b;right=c\"›"
        );
        assert_eq!(
            error(&[
                group(Some("g"), &["a", "bb"]),
                group(None, &["a", "b"]),
                group(Some("g"), &["b"])
            ]),
            "unknown letter `bb` in ‹locations›; did you mean `b`?\n\
             letter `a` stands twice in ‹locations›; each has one location\n\
             two groups of ‹locations› are named `g`; give them different names"
        );
    }

    #[test]
    fn all_errors_are_reported() {
        let text = "Ops a:1 a:1 f:2 x:0\nAutomaton A\nStates p p q\nFinal States s\n\
            Transitions\nx -> s\na(p) -> q)\nf(p,q) -> p\nd(p) -> q\na -> q\nx(p) -> q\na(p) q\nb(p) -> p\n";
        assert_eq!(
            errors(text),
            [
                "f:1:9: symbol `a` is declared twice",
                "f:1:13: symbol `f` has arity 2: this is a tree automaton",
                "f:3:10: state `p` is declared twice",
                "f:4:14: undeclared state `s`",
                "f:6:6: undeclared state `s`",
                "f:7:10: expected a symbol, found `)`",
                "f:8:1: symbol `f` with 2 states: this is a tree automaton",
                "f:9:1: undeclared symbol `d`",
                "f:10:1: symbol `a` has arity 1, but stands with 0 states",
                "f:11:1: symbol `x` has arity 0, but stands with a state",
                "f:12:6: expected `->`, found `q`",
                "f:13:1: undeclared symbol `b`",
            ]
        );
    }

    #[test]
    fn broken_declarations_leave_names_unresolved() {
        let text =
            "Ops b c:z x:0\nAutomaton A\nStates q:1 p\nFinal States q\nTransitions\nb(q) -> q";
        assert_eq!(
            errors(text),
            [
                "f:1:7: expected `:` and an arity, found `c`",
                "f:1:9: `z` is not an arity",
                "f:3:10: state `q` has an arity that is not 0",
            ]
        );
    }

    #[test]
    fn sections_must_be_there_and_once() {
        assert_eq!(errors(""), ["f:1:1: there is no automaton in this text",]);
        let twice = format!("{SMALL}\n{}", &SMALL[SMALL.find("Automaton").expect("there")..]);
        let found = errors(&twice);
        assert_eq!(found, ["f:12:1: several automata in one file"]);
        let found = errors("Ops a:1\nAutomaton A\nTransitions\n");
        assert_eq!(
            found,
            ["f:3:12: section `States` is missing", "f:3:12: section `Final States` is missing",]
        );
        assert_eq!(
            errors("hello\nOps"),
            [
                "f:1:1: expected `Ops`, `Automaton`, `States`, `Final States` or `Transitions`, found `hello`",
                "f:2:4: section `Automaton` is missing",
                "f:2:4: section `States` is missing",
                "f:2:4: section `Final States` is missing",
                "f:2:4: section `Transitions` is missing",
            ]
        );
    }
}
