//! The key of a group, as a short hash that does not depend on the run, the machine or the version
//! of the tool.

use crate::codes::Code;
use multitrace_formats::shorten::shorten;
use multitrace_interaction::{
    Alphabet, Cause, Frontier, FrontierEntry, InconclusiveReason, LocalFailure, Verdict,
};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Characters of an event that enter the key. Part of the key, so the number stays for ever.
const MAX_EVENT: usize = 200;

/// The key of a group of sessions: SHA-256 of code, locations to blame, the event that is
/// wrong at each and those that were expected there. Sixteen bytes, written in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 16]);

/// A text that is no fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint has 32 digits, each of 0-9 and a-f")]
pub struct NoFingerprint;

/// One location to blame: its name, the event that is wrong, and what was expected.
type Blamed<'a> = (Cow<'a, str>, Option<Cow<'a, str>>, &'a [String]);

impl Fingerprint {
    /// The fingerprint of a verdict; `None` for a pass.
    pub fn of(verdict: &Verdict, alphabet: &Alphabet) -> Option<Fingerprint> {
        let code = Code::of(verdict, alphabet)?;
        let key = (code.name(), blamed(verdict));
        // Strings and lists of them can always be written.
        let text = serde_json::to_vec(&key).expect("plain data");
        let mut short = [0; 16];
        short.copy_from_slice(&Sha256::digest(text)[..16]);
        Some(Fingerprint(short))
    }
}

/// What is stable about a failure: no counts, indices or budgets, which differ from session to
/// session.
fn blamed(verdict: &Verdict) -> Vec<Blamed<'_>> {
    match verdict {
        Verdict::Fail(Cause::Local(failure)) => vec![local(failure)],
        Verdict::Fail(Cause::Inter(frontier) | Cause::Central(frontier)) => at(frontier),
        Verdict::Inconclusive(InconclusiveReason::Partial(locations)) => {
            locations.iter().map(|it| (shorten(it, MAX_EVENT), None, &[][..])).collect()
        }
        Verdict::Pass | Verdict::WeakPass | Verdict::Inconclusive(_) => Vec::new(),
    }
}

fn local(failure: &LocalFailure) -> Blamed<'_> {
    let event = failure.event.as_deref().map(|event| shorten(event, MAX_EVENT));
    (shorten(&failure.location, MAX_EVENT), event, &failure.expected)
}

/// The locations that are blocked, and those that could go on: together they tell where the
/// furthest interleaving stands.
fn at(frontier: &Frontier) -> Vec<Blamed<'_>> {
    let tells = |entry: &&FrontierEntry| entry.event.is_some() || !entry.expected.is_empty();
    frontier.locations.iter().filter(tells).map(blocked_at).collect()
}

fn blocked_at(entry: &FrontierEntry) -> Blamed<'_> {
    let event = entry.event.as_deref().map(|event| shorten(event, MAX_EVENT));
    (shorten(&entry.location, MAX_EVENT), event, &entry.expected)
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Fingerprint {
    type Err = NoFingerprint;

    fn from_str(text: &str) -> Result<Fingerprint, NoFingerprint> {
        let digit = |digit: u8| match digit {
            b'0'..=b'9' => Ok(digit - b'0'),
            b'a'..=b'f' => Ok(digit - b'a' + 10),
            _ => Err(NoFingerprint),
        };
        let digits: &[u8; 32] = text.as_bytes().try_into().map_err(|_| NoFingerprint)?;
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Fingerprint(bytes))
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn impossible(location: &str, index: usize, expected: &[&str]) -> Verdict {
        Verdict::Fail(Cause::Local(LocalFailure {
            location: location.to_owned(),
            index,
            event: Some("a!m".to_owned()),
            known: true,
            expected: expected.iter().map(|&name| name.to_owned()).collect(),
        }))
    }

    fn of(verdict: &Verdict) -> Option<Fingerprint> {
        let mut alphabet = Alphabet::default();
        alphabet.add_location("a").expect("a new name");
        Fingerprint::of(verdict, &alphabet)
    }

    #[test]
    fn fingerprints_stay_the_same() {
        let shown = of(&impossible("a", 3, &["a?n"])).map(|it| it.to_string());
        // SHA-256 of ["MT101",[["a","a!m",["a?n"]]]]
        assert_eq!(shown.as_deref(), Some("92f94e78d42b26c52036d41bc819e7e3"));
        assert_eq!(of(&Verdict::Pass), None);
    }

    #[test]
    fn they_tell_causes_apart_and_not_sessions() {
        let base = of(&impossible("a", 3, &["a?n"]));
        assert_eq!(of(&impossible("a", 4, &["a?n"])), base);
        assert_ne!(of(&impossible("b", 3, &["a?n"])), base);
        assert_ne!(of(&impossible("a", 3, &["a?n", "a?o"])), base);
        let cut = |states| Verdict::Inconclusive(InconclusiveReason::StateBudget(states));
        assert_eq!(of(&cut(1)), of(&cut(2)));
    }

    #[test]
    fn they_are_read_as_they_are_written() {
        let base = of(&impossible("a", 3, &[])).expect("a failure");
        assert_eq!(base.to_string().parse(), Ok(base));
        for text in ["", "0", "0G", &"g".repeat(32), &"A".repeat(32), &"0".repeat(33)] {
            assert_eq!(text.parse::<Fingerprint>(), Err(NoFingerprint));
        }
    }
}
