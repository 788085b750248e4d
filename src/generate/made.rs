//! How a session was made, as JSON: the field `made` of a line.

use multitrace_interaction::generate::{Change, Made};
use multitrace_interaction::{Alphabet, LetterId};
use serde::Serialize;

#[derive(Serialize)]
struct MadeJson<'a> {
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    with: Option<&'a str>,
    seed: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    did: Vec<ChangeJson<'a>>,
}

/// A change; its first field tells which.
#[derive(Serialize)]
#[serde(untagged)]
enum ChangeJson<'a> {
    Cut { cut: [Vec<&'a str>; 2], location: &'a str },
    Insert { insert: &'a str, location: &'a str, index: usize },
    Swap { swap: [usize; 2], location: &'a str },
    Replace { replace: Vec<&'a str>, location: &'a str },
}

pub(super) fn json(made: &Made, seed: u64, alphabet: &Alphabet) -> String {
    let (of, with) = (made.of.as_deref(), made.with.as_deref());
    let did = made.did.iter().map(|change| change_json(change, alphabet)).collect();
    let json = MadeJson { kind: made.kind, of, with, seed, did };
    serde_json::to_string(&json).unwrap_or_else(|_| unreachable!("names and numbers are JSON"))
}

fn change_json<'a>(change: &Change, alphabet: &'a Alphabet) -> ChangeJson<'a> {
    let location = alphabet.location_name(change.location());
    let name = |&letter: &LetterId| alphabet.letter_name(letter);
    let names = |letters: &[LetterId]| letters.iter().map(name).collect::<Vec<_>>();
    match change {
        Change::Cut { before, after, .. } => {
            ChangeJson::Cut { cut: [names(before), names(after)], location }
        }
        Change::Insert { index, letter, .. } => {
            ChangeJson::Insert { insert: name(letter), location, index: *index }
        }
        Change::Swap { first, second, .. } => {
            ChangeJson::Swap { swap: [*first, *second], location }
        }
        Change::Exchange { replaced, .. } => {
            ChangeJson::Replace { replace: names(replaced), location }
        }
    }
}
