//! "Did you mean": the nearest of some names.

use std::cmp::Reverse;

/// Names longer than this get no suggestion; nobody mistypes them by hand.
const MAX_LENGTH: usize = 64;
/// The largest edit distance that still looks like a slip: two letters interchanged are two edits.
const MAX_DISTANCE: usize = 2;

/// The help that names the candidate nearest to `name`, if one is within two edits.
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(name, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_LENGTH {
        return None;
    }
    let name: Vec<char> = name.chars().collect();
    let close = candidates.into_iter().filter(|c| c.len() <= MAX_LENGTH).filter_map(|candidate| {
        let other: Vec<char> = candidate.chars().collect();
        let distance = edit_distance(&name, &other, MAX_DISTANCE);
        // Two names without a letter in common are not a slip of each other.
        let plausible = distance <= MAX_DISTANCE && distance < name.len().max(other.len());
        plausible.then_some((distance, candidate))
    });
    first(&name, close)
}

/// Of candidates with their distances the nearest one; of equally near ones that which begins most like the name.
fn first<'a>(name: &[char], close: impl Iterator<Item = (usize, &'a str)>) -> Option<&'a str> {
    let common = |it: &str| it.chars().zip(name).take_while(|(a, b)| a == *b).count();
    close.min_by_key(|&(distance, it)| (distance, Reverse(common(it)))).map(|(_, it)| it)
}

/// The candidate that a person would take for the same name: it differs in nothing but case and
/// signs, in a third of its letters and digits at most, or in their order.
///
/// ```
/// use multitrace_formats::suggest::closest;
/// assert_eq!(closest("Client!PublishMsg", ["client!publish_msg", "x!y"]), Some("client!publish_msg"));
/// assert_eq!(closest("mgs", ["at", "msg"]), Some("msg"));
/// assert_eq!(closest("a!b", ["server!answer"]), None);
/// assert_eq!(closest("204.0 paid", ["200 paid", "204 paid"]), Some("204 paid"));
/// ```
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_LENGTH {
        return None;
    }
    let letters = |name: &str| -> Vec<char> {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let own = letters(name);
    let sorted = |letters: &[char]| {
        let mut letters = letters.to_vec();
        letters.sort_unstable();
        letters
    };
    let close = candidates.into_iter().filter(|c| c.len() <= MAX_LENGTH).filter_map(|candidate| {
        let other = letters(candidate);
        let most = own.len().max(other.len()) / 3;
        let distance = edit_distance(&own, &other, most);
        let is_close = distance <= most || sorted(&own) == sorted(&other);
        is_close.then_some((distance, candidate))
    });
    let name: Vec<char> = name.chars().collect();
    first(&name, close)
}

/// Levenshtein's: insertions, deletions and replacements; may be more than it is beyond `most`.
fn edit_distance(a: &[char], b: &[char], most: usize) -> usize {
    if a.len().abs_diff(b.len()) > most {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_within_two_edits() {
        let names = ["broker", "client", "l1"];
        assert_eq!(nearest("borker", names), Some("broker"));
        assert_eq!(nearest("clint", names), Some("client"));
        assert_eq!(nearest("l2", names), Some("l1"));
        assert_eq!(nearest("server", names), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("", names), None);
    }
}
