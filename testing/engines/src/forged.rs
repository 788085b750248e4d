//! Bundles that no compiler made, under a header that fits: loading and checking survive them.

use crate::ways;
use multitrace_formats::bundle::{Bundle, BundleError, FORMAT_VERSION, decode};
use multitrace_interaction::{Id, LetterId, Session};
use multitrace_runtime::{Budget, CheckConfig, Monitor, States, replay};
use sha2::{Digest, Sha256};

/// A file with this payload and a header that fits it.
pub fn sealed(payload: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x89MTB\r\n\x1a\n".to_vec();
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(Sha256::digest(payload));
    bytes.extend(payload);
    bytes
}

/// Sessions for whatever alphabet: empty, every letter once, every letter three times, an event
/// that is not a letter.
fn sessions_for(monitor: &Monitor) -> Vec<Session> {
    let alphabet = monitor.alphabet();
    let of = |times: usize| -> Session {
        let mut trace = vec![Vec::new(); alphabet.locations().len()];
        for letter in (0..times).flat_map(|_| alphabet.letters()) {
            trace[alphabet.location_of(letter).index()].push(letter);
        }
        Session { trace, ..Session::default() }
    };
    let mut unknown = of(1);
    if let Some(local) = unknown.trace.first_mut() {
        local.push(LetterId::UNKNOWN);
    }
    vec![of(0), of(1), of(3), unknown]
}

/// Checks whatever was decoded in every way. The verdicts mean nothing, but they come.
fn check_all_ways(bundle: Bundle) -> usize {
    let monitor = Monitor::new(bundle);
    let mut verdicts = 0;
    for session in sessions_for(&monitor) {
        for observation in ways::MODES {
            for (_, check) in ways::checks(observation) {
                let check = {
                    let budget = Budget { states: States::Fixed(1_000), ..Budget::default() };
                    CheckConfig { budget, ..check }
                };
                let checked = ways::check(&monitor, &session, &check);
                if let Some(witness) = &checked.witness {
                    let mode = ways::proven(&checked.verdict, observation);
                    // A witness that does not replay is the bundle's fault.
                    let _ = replay(&monitor, &session, witness, mode);
                }
                verdicts += 1;
            }
            let _ = monitor.areas(&session, observation);
        }
    }
    verdicts
}

/// Decodes a payload under a header that fits, and checks with it when it is accepted.
///
/// # Panics
/// When the bundle is refused for its header, or checking panics.
pub fn survives(payload: &[u8]) -> bool {
    match decode(&sealed(payload)) {
        Ok(bundle) => {
            assert!(check_all_ways(bundle) > 0);
            true
        }
        Err(BundleError::Corrupt(_)) => false,
        Err(other) => panic!("the header is right, yet: {other:?}"),
    }
}
