//! The keys of a kind of findings and of its places, as short hashes that do not depend on the run, the machine or the version
//! of the tool.

use crate::codes::Code;
use crate::session_names::SessionNames;
use multitrace_interaction::LocationId;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// Room for the text of most keys, in bytes.
const TEXT_OF_A_KEY: usize = 256;

/// The key of a kind of findings: SHA-256 of its code, of the location and event that are wrong, and of the other event
/// of a fault; of findings that concern all logs, of every location that is blocked, and its event. The key of a place has
/// the last event that is right there, too. Expected events, counts, indices and budgets differ from session to session
/// and are not part of it. Sixteen bytes, written in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 16]);

/// A text that is not a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint has 32 digits, each of 0-9 and a-f")]
pub struct NoFingerprint;

impl Fingerprint {
    /// The key of a kind in one session, whatever the session is called: of all its logs.
    pub(crate) fn in_session(self, names: &SessionNames<'_>) -> Fingerprint {
        let mut hash = Sha256::new();
        hash.update(self.0);
        let mut logs: Vec<(&str, LocationId)> =
            names.locations().map(|it| (names.location(it), it)).collect();
        logs.sort_unstable();
        for (name, location) in logs {
            let length = names.length(location);
            let events = (0..length).filter_map(|index| names.event(location, index));
            for text in std::iter::once(name).chain(events) {
                hash.update((text.len() as u64).to_le_bytes());
                hash.update(text);
            }
            hash.update([0xff; 8]);
        }
        Fingerprint::of(hash)
    }

    fn of(hash: Sha256) -> Fingerprint {
        let mut short = [0; 16];
        short.copy_from_slice(&hash.finalize()[..16]);
        Fingerprint(short)
    }

    /// Of a finding that is not complete yet.
    pub(crate) const UNKNOWN: Fingerprint = Fingerprint([0; 16]);

    /// The key of a code and of the locations and events that are wrong.
    pub(crate) fn new(code: Code, blocked: &[(&str, Option<&str>)]) -> Fingerprint {
        let mut text = Vec::with_capacity(TEXT_OF_A_KEY);
        // Strings and lists of them can always be written.
        serde_json::to_writer(&mut text, &(code.name(), blocked)).expect("plain data");
        Fingerprint::of(Sha256::new_with_prefix(text))
    }
}

fn digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Reports of all sessions write many.
        let mut text = [0; 32];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
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
    use std::collections::HashSet;

    #[test]
    fn fingerprints_stay_the_same() {
        let shown = Fingerprint::new(Code::ImpossibleEvent, &[("a", Some("a!m"))]).to_string();
        // SHA-256 of ["MT101",[["a","a!m"]]]
        assert_eq!(shown, "754ecbc752f2a50f68402a0ffe9d9ea0");
        let end = Fingerprint::new(Code::EndedTooEarly, &[("a", None)]).to_string();
        // SHA-256 of ["MT103",[["a",null]]]
        assert_eq!(end, "49b44030dd8f85ea3f1e3f9077f97c88");
    }

    #[test]
    fn they_tell_long_names_apart_that_differ_at_their_ends() {
        let long = "m".repeat(300);
        let of = |end: &str| {
            Fingerprint::new(Code::UnknownEvent, &[("a", Some(&format!("a!{long}{end}")))])
        };
        assert_ne!(of("1"), of("2"));
    }

    #[test]
    fn they_tell_kinds_of_findings_apart() {
        type Kind = (Code, &'static [(&'static str, Option<&'static str>)]);
        let kinds: [Kind; 6] = [
            (Code::ImpossibleEvent, &[("a", Some("a!m"))]),
            (Code::UnknownEvent, &[("a", Some("a!m"))]),
            (Code::ImpossibleEvent, &[("b", Some("a!m"))]),
            (Code::ImpossibleEvent, &[("a", Some("a!n"))]),
            (Code::NoInterleaving, &[("a", Some("a!m")), ("b", None)]),
            (Code::NoInterleaving, &[("a", Some("a!m"))]),
        ];
        let keys: HashSet<_> = kinds.iter().map(|(code, at)| Fingerprint::new(*code, at)).collect();
        assert_eq!(keys.len(), kinds.len());
    }

    #[test]
    fn they_are_read_as_they_are_written() {
        let base = Fingerprint::new(Code::ImpossibleEvent, &[("a", Some("a!m"))]);
        assert_eq!(base.to_string().parse(), Ok(base));
        for text in ["", "0", "0G", &"g".repeat(32), &"A".repeat(32), &"0".repeat(33)] {
            assert_eq!(text.parse::<Fingerprint>(), Err(NoFingerprint));
        }
    }
}
