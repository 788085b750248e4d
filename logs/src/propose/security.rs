//! Logs of security tools in CEF and LEEF: cells of a header with bars between them, and pairs behind it.

use super::asking::ask_order;
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
    let (name, pattern, bars, message, time, delimiter) = match () {
        () if all_have(["LEEF:1.0|", "LEEF:2.0|"]) => {
            ("LEEF", LEEF, 5, "id", "devTime", sign_between_pairs(&first))
        }
        () if all_have(["CEF:0|", "CEF:1|"]) => ("CEF", CEF, 7, "name", "rt", None),
        () => return None,
    };
    let pairs = first.iter().filter_map(|line| behind_bars(line, bars));
    let pairs = pairs.map(|it| {
        it.split_once('|').filter(|(sign, _)| !sign.contains('=')).map_or(it, |(_, pairs)| pairs)
    });
    let parts = pairs
        .flat_map(|it| it.split(|c: char| delimiter.map_or(c.is_whitespace(), |sign| sign == c)));
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let keys = parts.filter_map(|pair| Some(pair.split_once('=')?.0));
    let keys: BTreeSet<&str> = keys.filter(|key| key.chars().all(is_part)).collect();
    let shown: Vec<String> = keys.iter().take(SHOWN).map(|key| quote(key)).collect();
    let value = |key: &str| {
        let pattern = match delimiter {
            Some(sign) => {
                let sign = format!(r"\x{{{:X}}}", u32::from(sign));
                format!("(?:^|{sign}){key}=([^{sign}]+)")
            }
            // A value may hold blanks, and ends before the next key.
            None => format!(r"(?:^|\s){key}=(.*?)\s*(?:\s[\w.-]+=|$)"),
        };
        format!("{{ field = \"pairs\", match = '{pattern}' }}")
    };
    let time = format!("order = {{ field = {}, format = \"epoch-ms\" }}", value(time));
    let mut order = String::new();
    ask_order(&mut order, "Which key has the time?", [], &time);
    Some(format!(
        "# This looks like a log of {name}: a header with bars between its cells, and pairs behind it. A `match` takes the value\n\
         # of a key. The keys: {}.\n[input]\nformat = \"text\"\npatterns = ['{pattern}']\n\n[event]\n\
         # session? Which key names the run of the system that an event belongs to?\n# session = {}\n\
         # lifeline? Which key names who logged an event?\n# lifeline = {}\n\
         # direction? Which key tells emissions from receptions? If there are emissions alone, \"emission\".\n\
         # direction = \"emission\"\nmessage = \"{message}\"\n\
         {order}",
        shown.join(", "),
        value("KEY"),
        value("KEY"),
    ))
}

/// The sign between the pairs of LEEF: the one that the second version names, else a tab if there is any.
fn sign_between_pairs(lines: &[&str]) -> Option<char> {
    let named = |line: &&str| {
        let (sign, _) = behind_bars(line, 5)?.split_once('|')?;
        let code =
            sign.strip_prefix("0x").or_else(|| sign.strip_prefix('x')).filter(|it| !it.is_empty());
        match code {
            Some(code) => char::from_u32(u32::from_str_radix(code, 16).ok()?),
            None => sign.chars().next().filter(|_| sign.chars().count() == 1),
        }
    };
    let has_tab = || lines.iter().any(|line| line.contains('\t'));
    lines.iter().find_map(named).or_else(|| has_tab().then_some('\t'))
}

/// The text behind the bar with this number. A bar behind a backslash belongs to its cell and does not count.
fn behind_bars(line: &str, count: usize) -> Option<&str> {
    let mut is_escaped = false;
    let mut bars = line.char_indices().filter(|(_, c)| {
        let is_bar = *c == '|' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        is_bar
    });
    bars.nth(count - 1).map(|(at, _)| &line[at + 1..])
}
