//! Messages of SIP in a text log: a first line with the method or the status, and lines of headers.

use super::asking::{ask, ask_order};
use super::order;
use super::token::{TokenType, Tokenizer};
use super::values::toml_text;
use regex_automata::meta::Regex;

/// The first line of a message.
const FIRST: &str = r"(?:[A-Z]+ \S+ SIP/2\.0|SIP/2\.0 \d{3})";
/// The message: the method of a request, or the status of a response.
const MESSAGE: &str = r"(?:SIP/2\.0 )?(?<message>\d{3}|[A-Z]+) ";
/// The header with the id of a call, and its short form.
const CALL: &str = r"\n(?i:Call-ID|i)\s*:\s*(?<call_id>[^\s]+)";
/// Both ends, where the line before a message names them.
const ENDS: &str = r"(?<from>\S+)\s*->\s*(?<to>\S+)";

/// How many messages there must be.
const LEAST: usize = 2;

/// A mapping for such a log; `None` for others.
pub(super) fn proposal(text: &str) -> Option<String> {
    let [is_first, has_ends] =
        [format!("^{FIRST}"), ENDS.to_owned()].map(|it| Regex::new(&it).expect("tested below"));
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let firsts = (0..lines.len()).filter(|at| is_first.is_match(lines[*at]));
    let firsts: Vec<usize> = firsts.collect();
    let is_call = |line: &&&str| line.starts_with("Call-ID:") || line.starts_with("i:");
    if firsts.len() < LEAST || lines.iter().filter(is_call).count() * 2 < firsts.len() {
        return None;
    }
    // Programs write a line of their own before each message.
    let heads = firsts.iter().map(|at| at.checked_sub(1).map(|before| lines[before]));
    let heads: Vec<&str> = heads.collect::<Option<Vec<_>>>().unwrap_or_default();
    let time = time_of(&heads);
    let written = order::written(times_of(&heads)).filter(|_| time.is_some());
    let ends = time.is_some() && heads.iter().all(|head| has_ends.is_match(head));
    let (start, head) = match &time {
        Some((before, kind)) => {
            let begin = format!("^{before}{}", kind.fragment());
            let more =
                if ends { format!(r"[^\n]*?\s{ENDS}[^\n]*\n") } else { r"[^\n]*\n".to_owned() };
            (begin, format!("^{before}{}{more}", kind.group("time")))
        }
        None => (format!("^{FIRST}"), "^".to_owned()),
    };
    let mut out = format!(
        "# This looks like a log of SIP, whose messages have several lines each.\nunmatched = \"count\"\n\n[input]\n\
         format = \"text\"\nstart = {}\npatterns = [{}]\n\n[event]\n# Call-ID: all messages of a call have it\n\
         session = \"call_id\"\n",
        toml_text(&start),
        toml_text(&format!(r"(?s){head}\s*{MESSAGE}.*?{CALL}")),
    );
    match written {
        Some(form) if !form.lacks_day() => {
            out.push_str(&format!("# the time before a message\n{}\n", form.line("time")));
        }
        Some(form) => {
            ask_order(&mut out, "The times lack a part of the date.", [], &form.line("time"))
        }
        None => ask_order(&mut out, "No time stands before a message.", [], "order = \"time\""),
    }
    if ends {
        out.push_str(
            "\n# The line before a message names both ends: it is an emission at one and a reception at the other.\n\
             [[rule]]\nactions = [\"{from}!{message}\", \"{to}?{message}\"]\n\
             # If addresses differ from session to session, name who has them:\n\
             # [[role]]\n# lifeline = \"caller\"\n# field = \"from\"\n# when = { message = \"INVITE\" }\n",
        );
        return Some(out);
    }
    let why =
        "Which part of a message names who logged it? The name of the file, if each has its own.";
    ask(&mut out, "lifeline", why, [], "lifeline = \"@stem\"");
    let why = "Which part tells emissions from receptions, as the lifeline saw them?";
    ask(&mut out, "direction", why, [], "direction = \"emission\"");
    out.push_str("# the method of a request, or the status of a response\nmessage = \"message\"\n");
    Some(out)
}

/// The first token of each of these lines.
fn times_of<'h>(heads: &[&'h str]) -> Vec<&'h str> {
    let tokenizer = Tokenizer::new();
    let first = |head: &&'h str| {
        tokenizer.tokens(head, 1).into_iter().next().map_or("", |token| &head[token.text])
    };
    heads.iter().map(first).collect()
}

/// The time at the beginning of all these lines, and the sign before it.
fn time_of(heads: &[&str]) -> Option<(&'static str, TokenType)> {
    let tokenizer = Tokenizer::new();
    let of = |head: &&str| {
        let token = tokenizer.tokens(head, 1).into_iter().next()?;
        let before = match &head[token.before] {
            "" => "",
            "[" => r"\[",
            _ => return None,
        };
        matches!(token.kind, TokenType::Time(_)).then_some((before, token.kind))
    };
    let first = of(heads.first()?)?;
    heads.iter().all(|head| of(head) == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_messages_are_regular_expressions() {
        for text in [FIRST, MESSAGE, CALL, ENDS] {
            assert!(Regex::new(text).is_ok(), "{text}");
        }
        let is = |line: &str| Regex::new(&format!("^{FIRST}")).is_ok_and(|it| it.is_match(line));
        assert!(is("BYE sip:a@b SIP/2.0") && is("SIP/2.0 200 OK") && !is("Via: SIP/2.0/UDP a"));
    }
}
