//! A bundle for each location, so that logs are judged where they are.

use crate::monitor::Monitor;
use multitrace_formats::bundle::{LocationBundle, encode_location};
use multitrace_interaction::Alphabet;
use std::collections::HashSet;

impl Monitor {
    /// The bundle of each location, with a name for its file, without extension. It judges the log of the location and
    /// names the letters of no other ([`LocalMonitor`](crate::LocalMonitor)).
    pub fn split(&self) -> Vec<(String, Vec<u8>)> {
        let bundles = LocationBundle::split(self.bundle());
        let bundles = bundles.iter().map(encode_location);
        file_stems(self.alphabet()).into_iter().zip(bundles).collect()
    }
}

/// The hash that files of locations name a bundle by.
pub(crate) fn bundle_hash(monitor: &Monitor) -> [u8; 32] {
    LocationBundle::hash_of(monitor.bundle())
}

/// The longest name of a file: systems take 255 bytes with the extension.
const MOST_CHARACTERS: usize = 100;

/// A name for the file of each location, that every system can write and that no other location has.
pub(crate) fn file_stems(alphabet: &Alphabet) -> Vec<String> {
    let mut taken = HashSet::new();
    let names = alphabet.locations().map(|location| {
        let is_safe = |char: char| char.is_ascii_alphanumeric() || "-_,.".contains(char);
        let safe = |char| if is_safe(char) { char } else { '_' };
        let name: String = alphabet.location_name(location).chars().map(safe).collect();
        let name: String = name.trim_matches('.').chars().take(MOST_CHARACTERS).collect();
        let name = if name.is_empty() { "_".to_owned() } else { name };
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        // Some systems do not tell capital letters apart.
        names.find(|it| taken.insert(it.to_lowercase())).unwrap_or_default()
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_differ() {
        let mut alphabet = Alphabet::default();
        for name in ["shop", "Shop", "a/b", "a b", "a,b", "..", "日本", "日本語"] {
            alphabet.add_location(name);
        }
        let stems = ["shop", "Shop-2", "a_b", "a_b-2", "a,b", "_", "__", "___"];
        assert_eq!(file_stems(&alphabet), stems);
    }
}
