//! Names of lifelines with a suffix that a platform gave or that counts: replicas of one program, `api-7c9d8f6b5-abcde`, `web-1`.

// Specifications name programs, and no pod of them. Nodes of a protocol are numbered, too, and are not one: so names are
// replicas only if no session has two of one program. Names of pods are new at each start, so these are renamed or asked for.

use super::field_words::{has_word, path_words};
use super::values::{comment, toml_text};
use crate::formats::MAX_RECORDS;
use crate::survey::FieldSample;
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The suffix of pods: the hash of their set, and five letters and digits.
const OF_PODS: &str = "-[0-9a-z]{6,10}-[0-9a-z]{5}";
/// The suffix of replicas that are counted.
const OF_NUMBERS: &str = r"[._-]?\d+";

/// That of the first replica, as `docker compose` names it.
const FIRST: &str = "-1";

/// Of lines of all pods, `kubectl logs --prefix` names the pod and its container: `pod/api-7c9d8f6b5-abcde/api`.
const WITH_CONTAINER: (&str, &str) = (r"pod\/", r"\/[^\/]+");

/// How many names are shown.
const SHOWN: usize = 3;

/// The programs of some names.
struct Programs<'v> {
    /// Whether the names are those of pods with their containers.
    with_container: bool,
    of_pods: BTreeSet<&'v str>,
    of_numbers: BTreeSet<&'v str>,
    /// Whether each program has one replica, with a number behind a dash, as a platform names the first one.
    are_firsts: bool,
    /// The program of each name with a suffix.
    of: BTreeMap<&'v str, &'v str>,
}

/// Renames the replicas of a program to one lifeline, or asks whether they are one. An empty text if no name has a suffix.
pub(super) fn renames(lifeline: &FieldSample, session: Option<&FieldSample>) -> String {
    let Some(programs) = Programs::new(lifeline.distinct()) else { return String::new() };
    let some: Vec<String> = programs.of.keys().take(SHOWN).map(|it| comment(it)).collect();
    let mut lines = String::from("[rename.lifelines]\n");
    let (before, after) = if programs.with_container { WITH_CONTAINER } else { ("", "") };
    for (stems, suffix) in [(&programs.of_pods, OF_PODS), (&programs.of_numbers, OF_NUMBERS)] {
        if !stems.is_empty() {
            let stems: Vec<String> = stems.iter().map(|it| escaped(it)).collect();
            let pattern = format!("/^{before}({}){suffix}{after}$/", stems.join("|"));
            let _ = writeln!(lines, "{} = \"$1\"", toml_text(&pattern));
        }
    }
    if programs.with_container
        && programs.of.iter().any(|(name, program)| pod_of(name) == Some(program))
    {
        let _ = writeln!(lines, "{} = \"$1\"", toml_text(&format!(r"/^{before}([^\/]+){after}$/")));
    }
    let mut text =
        format!("\n# Replicas of one program have a suffix each: {}.\n", some.join(", "));
    if lifeline.values.len() == MAX_RECORDS {
        let _ = writeln!(
            text,
            "# These are the programs of the first {MAX_RECORDS} records: add others that come later."
        );
    }
    match session.map(|session| programs.meet(lifeline, session)) {
        Some(false) if !programs.are_firsts => {
            text.push_str("# No session has two of one program, so they are one lifeline.\n");
            text.push_str(&lines);
        }
        // Nodes are numbered as well, and pods are replicas.
        _ if programs.of_pods.is_empty() && !programs.are_firsts && !is_of_pods(&lifeline.path) => {
            return String::new();
        }
        _ => {
            text.push_str("# replicas? Are they one lifeline?\n");
            lines.lines().for_each(|line| _ = writeln!(text, "# {line}"));
        }
    }
    text
}

/// The renames of loggers that differ in one part of their names, in comments: `com.shop.cart.Bus`, `com.shop.bank.Bus`.
pub(super) fn of_loggers(lifeline: &FieldSample) -> String {
    let names: Vec<Vec<&str>> =
        lifeline.distinct().iter().map(|it| it.split('.').collect()).collect();
    let Some(first) = names.first().filter(|it| it.len() > 1 && names.len() > 1) else {
        return String::new();
    };
    let differ = |at: &usize| names.iter().any(|it| it.get(*at) != first.get(*at));
    let places: Vec<usize> = (0..first.len()).filter(differ).collect();
    let [place] = places[..] else { return String::new() };
    if names.iter().any(|it| it.len() != first.len()) {
        return String::new();
    }
    let part = |(at, part): (usize, &&str)| {
        if at == place { r"([^.]+)".to_owned() } else { escaped(part) }
    };
    let pattern: Vec<String> = first.iter().enumerate().map(part).collect();
    let pattern = toml_text(&format!("/^{}$/", pattern.join(r"\.")));
    format!(
        "\n# If one part of these names is the participant:\n# [rename.lifelines]\n# {pattern} = \"$1\"\n"
    )
}

/// Whether a field is called like one for names of pods.
fn is_of_pods(path: &str) -> bool {
    has_word(&path_words(path), &["pod", "podname"])
}

impl<'v> Programs<'v> {
    /// The programs of names, if some have a suffix and there are several programs, or pods.
    fn new(names: BTreeSet<&'v str>) -> Option<Programs<'v>> {
        let new = |suffix: &str| Regex::new(&format!("^(.*[^0-9._-]){suffix}$")).ok();
        let (pods, numbers) = (new(OF_PODS)?, new(OF_NUMBERS)?);
        let with_container = !names.is_empty() && names.iter().all(|name| pod_of(name).is_some());
        let inner = |name: &'v str| pod_of(name).filter(|_| with_container).unwrap_or(name);
        let stem = |regex: &Regex, name: &'v str| {
            let (name, mut captures): (&str, Captures) = (inner(name), regex.create_captures());
            regex.captures(name, &mut captures);
            captures.get_group(1).map(|span| &name[span.range()])
        };
        let pod = |name: &'v str| {
            // A word of letters is a part of the name.
            let has_digits =
                |stem: &&str| inner(name)[stem.len()..].contains(|c: char| c.is_ascii_digit());
            stem(&pods, name).filter(has_digits)
        };
        let mut of: BTreeMap<&str, &str> =
            names.iter().filter_map(|name| Some((*name, pod(name)?))).collect();
        let of_pods: BTreeSet<&str> = of.values().copied().collect();
        let mut counted: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for name in names.iter().filter(|name| !of.contains_key(*name)) {
            if let Some(stem) = stem(&numbers, name) {
                counted.entry(stem).or_default().push(name);
            }
        }
        let is_first =
            |(stem, all): (&&str, &Vec<&str>)| all.len() == 1 && all[0][stem.len()..] == *FIRST;
        let are_firsts = counted.len() > 1
            && of.is_empty()
            && counted.iter().all(is_first)
            && counted.len() == names.len();
        counted.retain(|_, names| are_firsts || names.len() > 1);
        let of_numbers: BTreeSet<&str> = counted.keys().copied().collect();
        of.extend(
            counted.into_iter().flat_map(|(stem, all)| all.into_iter().map(move |it| (it, stem))),
        );
        let all: BTreeSet<&str> =
            names.iter().map(|it| of.get(it).copied().unwrap_or(it)).collect();
        let is_any =
            with_container || !of_pods.is_empty() || !of_numbers.is_empty() && all.len() > 1;
        if with_container {
            names.iter().for_each(|name| _ = of.entry(name).or_insert(inner(name)));
        }
        is_any.then_some(Programs { with_container, of_pods, of_numbers, are_firsts, of })
    }

    /// Whether two replicas of a program stand in one session.
    fn meet(&self, lifeline: &FieldSample, session: &FieldSample) -> bool {
        let mut seen: BTreeMap<(&str, &str), &str> = BTreeMap::new();
        lifeline.values.iter().zip(&session.values).any(|(name, session)| {
            let (Some(name), Some(session)) = (name.as_deref(), session.as_deref()) else {
                return false;
            };
            let Some(program) = self.of.get(name) else { return false };
            *seen.entry((session, program)).or_insert(name) != name
        })
    }
}

/// The pod of a name of a pod and its container.
pub(super) fn pod_of(name: &str) -> Option<&str> {
    let (pod, container) = name.strip_prefix("pod/")?.split_once('/')?;
    (!pod.is_empty() && !container.is_empty() && !container.contains('/')).then_some(pod)
}

/// A text as a part of a regular expression.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if !c.is_alphanumeric() && !matches!(c, '-' | '_') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use crate::propose::propose;

    #[test]
    fn pods_that_are_counted_are_asked_for_and_nodes_are_not() {
        let mut lines = String::new();
        for session in 0..20 {
            let events = [
                ("api-0", "send", "order"),
                ("db-0", "receive", "order"),
                ("db-1", "send", "done"),
            ];
            for (pod, kind, name) in events.into_iter().chain([("api-1", "receive", "done")]) {
                lines += &format!(
                    "{{\"trace_id\":\"t{session}\",\"pod_name\":\"{pod}\",\"kind\":\"{kind}\",\"op\":\"{name}\"}}\n"
                );
            }
        }
        let of = |lines: &str| propose("a.jsonl", lines.as_bytes()).expect("a proposal");
        let pods = of(&lines);
        assert!(pods.contains("# replicas? Are they one lifeline?"), "{pods}");
        let nodes = of(&lines.replace("pod_name", "node"));
        assert!(nodes.contains("lifeline = \"node\"") && !nodes.contains("replicas?"), "{nodes}");
    }

    /// Lines of 30 orders, each of which is sent by one program and received by another one.
    fn orders(names: impl Fn(u32) -> [String; 2]) -> String {
        let lines = (10..40).flat_map(|order| {
            let [one, other] = names(order);
            [("send", one.clone()), ("recv", other.clone()), ("send", other), ("recv", one)]
                .into_iter()
                .enumerate()
                .map(move |(at, (kind, name))| {
                    let what = ["Place", "Confirm"][at / 2];
                    format!("{name} 2024-05-01T10:00:{order}.{at}Z order=o{order} {kind} {what}\n")
                })
        });
        lines.collect()
    }

    #[test]
    fn replicas_of_lines_of_text_are_one_program() {
        let of = |lines: &str| propose("a.log", lines.as_bytes()).expect("a proposal");
        let counted =
            |it: u32| [format!("web-{}      |", it % 2 + 1), format!("api-{}      |", it % 3 + 1)];
        let proposal = of(&orders(counted));
        assert!(proposal.contains("'/^(api|web)[._-]?\\d+$/' = \"$1\""), "{proposal}");
        // Two in one session are nodes.
        let nodes =
            of(&orders(|it| [format!("n-{} |", it % 2 + 1), format!("n-{} |", it % 2 + 3)]));
        assert!(!nodes.contains("[rename"), "{nodes}");
    }

    #[test]
    fn a_pod_with_its_container_is_its_program() {
        let of = |lines: &str| propose("a.log", lines.as_bytes()).expect("a proposal");
        let pods = |it: u32| {
            let hash = ["xyz4b", "qr8tu"][it as usize % 2];
            ["[pod/redis/redis]".to_owned(), format!("[pod/orders-5f6d7c8b9-{hash}/app]")]
        };
        let proposal = of(&orders(pods));
        for rename in [
            r#"'/^pod\/(orders)-[0-9a-z]{6,10}-[0-9a-z]{5}\/[^\/]+$/' = "$1""#,
            r#"'/^pod\/([^\/]+)\/[^\/]+$/' = "$1""#,
        ] {
            assert!(proposal.contains(rename), "{proposal}");
        }
        assert!(!proposal.contains("replicas?"), "{proposal}");
    }
}
