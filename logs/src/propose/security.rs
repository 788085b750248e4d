//! Logs of security tools in CEF and LEEF: cells of a header with bars between them, and pairs behind it.

use multitrace_formats::source::quote;
use std::collections::BTreeSet;

/// How many lines must have the header: some have other lines between them.
const LINES: usize = 10;

/// How many keys of pairs are shown.
const SHOWN: usize = 12;

const CEF: &str = r"CEF:\d+\|(?<vendor>(?:[^|\\]|\\.)*)\|(?<product>(?:[^|\\]|\\.)*)\|(?<version>(?:[^|\\]|\\.)*)\|(?<id>(?:[^|\\]|\\.)*)\|(?<name>(?:[^|\\]|\\.)*)\|(?<severity>[^|]*)\|(?<pairs>.*)$";
/// The second version names the sign between the pairs, too.
const LEEF: &str = r"LEEF:[\d.]+\|(?<vendor>[^|]*)\|(?<product>[^|]*)\|(?<version>[^|]*)\|(?<id>[^|]*)\|(?:[^|=]{0,6}\|)?(?<pairs>.*)$";

/// A mapping for such a log; `None` for others.
pub(super) fn proposal(lines: &str) -> Option<String> {
    let first: Vec<&str> = lines.lines().filter(|it| !it.trim().is_empty()).take(LINES).collect();
    let all_have = |signs: [&str; 2]| {
        !first.is_empty() && first.iter().all(|line| signs.iter().any(|sign| line.contains(sign)))
    };
    let (name, pattern, message) = match () {
        () if all_have(["LEEF:1.0|", "LEEF:2.0|"]) => ("LEEF", LEEF, "id"),
        () if all_have(["CEF:0|", "CEF:1|"]) => ("CEF", CEF, "name"),
        () => return None,
    };
    let pairs = first
        .iter()
        .filter_map(|line| line.rsplit_once('|'))
        .flat_map(|(_, pairs)| pairs.split_whitespace());
    let keys: BTreeSet<&str> = pairs.filter_map(|pair| Some(pair.split_once('=')?.0)).collect();
    let shown: Vec<String> = keys.iter().take(SHOWN).map(|key| quote(key)).collect();
    let value = |key: &str| format!(r#"{{ field = "pairs", match = '(?:^|\s){key}=(\S+)' }}"#);
    Some(format!(
        "# This looks like a log of {name}: a header with bars between its cells, and pairs behind it. A `match` takes the value\n\
         # of a key. The keys: {}.\n[input]\nformat = \"text\"\npatterns = ['{pattern}']\n\n[event]\n\
         # session? Which key names the run of the system that an event belongs to?\n# session = {}\n\
         # lifeline? Which key names who logged an event?\n# lifeline = {}\n\
         # direction? Which key tells emissions from receptions? If there are emissions alone, \"emission\".\n\
         # direction = \"emission\"\nmessage = \"{message}\"\n\
         # order? Which key has the time? Without one, the order of the file is the local order.\n# order = {{ field = {}, format = \"epoch-ms\" }}\n",
        shown.join(", "),
        value("KEY"),
        value("KEY"),
        value("rt")
    ))
}
