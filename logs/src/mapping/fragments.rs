//! Named fragments of patterns: `%{ip}` in a regular expression, `%{ip:client}` as a named group.

// A fragment is expanded the first time it is used, and remembered. The fragments that are being
// expanded are a stack, so a fragment that contains itself is noticed when it is met again.

use indexmap::IndexMap;
use multitrace_formats::source::quote;
use multitrace_formats::suggest::did_you_mean;

/// The fragments that every log needs. Those that may match a part of another one's text, such as
/// `word`, take as much as they can; only `data` takes as little as it can.
const BUILT_IN: &[(&str, &str)] = &[
    ("ip", "%{ipv4}|%{ipv6}"),
    ("ipv4", r"(?:%{octet}\.){3}%{octet}"),
    ("ipv6", r"(?:%{h16}:){7}%{h16}|(?:%{h16}(?::%{h16}){0,6})?::(?:(?:%{h16}:){0,6}%{h16})?"),
    ("octet", "25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9]"),
    ("h16", "[0-9A-Fa-f]{1,4}"),
    ("host", "[0-9A-Za-z_](?:[0-9A-Za-z_.-]*[0-9A-Za-z_])?"),
    ("port", "[0-9]{1,5}"),
    ("int", "[+-]?[0-9]+"),
    ("number", r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"),
    ("hex", "(?:0[xX])?[0-9A-Fa-f]+"),
    ("uuid", "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
    ("word", r"\w+"),
    ("notspace", r"\S+"),
    ("data", ".*?"),
    ("rest", ".*"),
    ("quoted", r#""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"#),
    ("path", r#"(?:[A-Za-z]:)?[/\\][^\s"'?#]*"#),
    ("url", r#"[A-Za-z][0-9A-Za-z+.-]*://[^\s"'<>]+"#),
    (
        "level",
        "(?i:trace|debug|verbose|info(?:rmation)?|notice|warn(?:ing)?|err(?:or)?|crit(?:ical)?|alert\
         |emerg(?:ency)?|fatal|severe|panic)",
    ),
    ("clock", r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?"),
    ("date", "[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}"),
    (
        "iso-time",
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]%{clock}(?: ?(?:Z|[+-][0-9]{2}:?[0-9]{2})|[+-][0-9]{2})?",
    ),
    ("syslog-time", "[A-Z][a-z]{2} {1,2}[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2}"),
    ("apache-time", "[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9]{2}:[0-9]{2}:[0-9]{2} [+-][0-9]{4}"),
];

/// The longest expanded pattern, in bytes. Fragments that contain others several times grow fast; the
/// longest of the built-in ones have some hundred bytes.
const MAX_BYTES: usize = 1 << 16;

/// The fragments of a mapping.
#[derive(Clone, Debug, Default)]
pub(super) struct Fragments {
    own: IndexMap<String, String>,
    expanded: IndexMap<String, String>,
}

/// Why a pattern cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadFragment {
    /// The text in the pattern at the place of the error; empty if the error is of the whole pattern.
    pub(super) at: String,
    pub(super) message: String,
    pub(super) help: String,
}

impl Fragments {
    /// The fragments of a mapping, by their names; they count before the built-in ones.
    pub(super) fn new(own: impl IntoIterator<Item = (String, String)>) -> Fragments {
        Fragments { own: own.into_iter().collect(), expanded: IndexMap::new() }
    }

    /// Whether a text can name a fragment.
    pub(super) fn is_name(name: &str) -> bool {
        !name.is_empty() && name.bytes().all(is_name_byte)
    }

    /// A pattern with its fragments in place. `%%{` stands for `%{` itself.
    pub(super) fn expand(&mut self, pattern: &str) -> Result<String, BadFragment> {
        self.expand_in(pattern, &mut Vec::new())
    }

    /// The stack holds the names of the fragments that are being expanded.
    fn expand_in(&mut self, pattern: &str, stack: &mut Vec<String>) -> Result<String, BadFragment> {
        let (mut text, mut rest) = (String::new(), pattern);
        while let Some(at) = rest.find('%') {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix("%%{") {
                text.push_str(r"%\{");
                rest = after;
            } else if let Some(used) = UsedFragment::read(rest) {
                self.push(&used, stack, &mut text)?;
                rest = &rest[used.written.len()..];
            } else {
                text.push('%');
                rest = &rest[1..];
            }
            if text.len() > MAX_BYTES {
                let message =
                    format!("the pattern has more than {MAX_BYTES} bytes with its fragments");
                let help = "let fragments contain fewer others".to_owned();
                return Err(BadFragment { at: String::new(), message, help });
            }
        }
        text.push_str(rest);
        Ok(text)
    }

    /// Adds a used fragment as a group.
    fn push(
        &mut self,
        used: &UsedFragment<'_>,
        stack: &mut Vec<String>,
        text: &mut String,
    ) -> Result<(), BadFragment> {
        let inside = self.of_name(used, stack)?;
        match used.group {
            Some(group) => text.push_str(&format!("(?<{group}>")),
            None => text.push_str("(?:"),
        }
        text.push_str(&inside);
        text.push(')');
        Ok(())
    }

    /// The text that a used fragment stands for.
    fn of_name(
        &mut self,
        used: &UsedFragment<'_>,
        stack: &mut Vec<String>,
    ) -> Result<String, BadFragment> {
        let name = used.name;
        if let Some(known) = self.expanded.get(name) {
            return Ok(known.clone());
        }
        if let Some(first) = stack.iter().position(|other| other == name) {
            return Err(endless(used, &stack[first..]));
        }
        let built_in = || BUILT_IN.iter().find(|(other, _)| *other == name);
        let own = self.own.get(name).cloned();
        let Some(inside) = own.or_else(|| Some(built_in()?.1.to_owned())) else {
            return Err(self.unknown(used));
        };
        stack.push(name.to_owned());
        // An error inside is reported where the pattern uses this fragment.
        let whole = self
            .expand_in(&inside, stack)
            .map_err(|error| BadFragment { at: used.written.to_owned(), ..error })?;
        stack.pop();
        self.expanded.insert(name.to_owned(), whole.clone());
        Ok(whole)
    }

    fn unknown(&self, used: &UsedFragment<'_>) -> BadFragment {
        let built_in = BUILT_IN.iter().map(|(name, _)| *name);
        let all: Vec<&str> = self.own.keys().map(String::as_str).chain(built_in).collect();
        let help = did_you_mean(used.name, all.iter().copied());
        let help = help.unwrap_or_else(|| {
            format!("known are {}; add others to [patterns]; %%{{ is %{{ itself", all.join(", "))
        });
        let message = format!("unknown fragment {}", quote(used.name));
        BadFragment { at: used.written.to_owned(), message, help }
    }
}

/// A pattern with its fragments in place, `own` ones among them; `None` if it has others.
pub(crate) fn expand_pattern(own: &[(&str, &str)], pattern: &str) -> Option<String> {
    let own = own.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Fragments::new(own).expand(pattern).ok()
}

fn endless(used: &UsedFragment<'_>, stack: &[String]) -> BadFragment {
    let chain: Vec<&str> = stack.iter().map(String::as_str).chain([used.name]).collect();
    BadFragment {
        at: used.written.to_owned(),
        message: format!("fragment {} contains itself", quote(used.name)),
        help: format!("the chain is {}", chain.join(" > ")),
    }
}

/// A fragment as a pattern uses it.
struct UsedFragment<'p> {
    written: &'p str,
    name: &'p str,
    group: Option<&'p str>,
}

impl<'p> UsedFragment<'p> {
    /// Reads `%{name}` or `%{name:group}` at the start of a text. Everything else is not a fragment.
    fn read(text: &'p str) -> Option<UsedFragment<'p>> {
        let inside = text.strip_prefix("%{")?;
        let end = inside.find('}')?;
        let (name, group) = match inside[..end].split_once(':') {
            Some((name, group)) => (name, Some(group)),
            None => (&inside[..end], None),
        };
        let is_group = group.is_none_or(is_group_name);
        let written = &text[..end + 3];
        (Fragments::is_name(name) && is_group).then_some(UsedFragment { written, name, group })
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Whether regular expressions take a name as that of a group.
fn is_group_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    name.bytes().all(is_part) && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex_automata::meta::Regex;

    fn matches(name: &str, text: &str) -> bool {
        let pattern = Fragments::default().expand(&format!("^%{{{name}}}$")).expect("known");
        Regex::new(&pattern).expect("a pattern").is_match(text)
    }

    #[test]
    fn groups_have_names_that_regular_expressions_take() {
        for name in ["a", "_a", "a1.b_2"] {
            assert!(is_group_name(name), "{name}");
        }
        for name in ["", "1a", ".a", "a b", "a-b"] {
            assert!(!is_group_name(name), "{name}");
        }
    }

    #[test]
    fn built_in_fragments_match_what_they_are_called() {
        for (name, good, bad) in [
            ("ip", "10.0.0.255", "10.0.0.256"),
            ("ip", "2001:db8::1", "12:30:45"),
            ("ipv6", "::1", "1:2:3"),
            ("ipv6", "1:2:3:4:5:6:7:8", "1::2::3"),
            ("host", "node-1.example.org", "-node"),
            ("int", "-17", "1.5"),
            ("number", "-1.5e3", "e3"),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"),
            ("hex", "0xBEEF", "0xG"),
            ("level", "Warning", "warned"),
            ("iso-time", "2024-05-01T12:00:00.25+02:00", "2024-05-01"),
            ("iso-time", "2024-05-01 12:00:00,123", "12:00:00"),
            ("syslog-time", "Mar  1 12:00:00", "1 Mar 12:00:00"),
            ("apache-time", "10/Oct/2000:13:55:36 -0700", "10/10/2000:13:55:36 -0700"),
            ("quoted", r#""a \" b""#, r#""a"b""#),
            ("path", "/var/log/a.log", "var"),
            ("url", "https://a.b/c?d=e", "a.b/c"),
            ("word", "a_1", "a b"),
            ("notspace", "a-1", "a b"),
            ("port", "8080", "808080"),
        ] {
            assert!(matches(name, good), "{name}: {good}");
            assert!(!matches(name, bad), "{name}: {bad}");
        }
        for (name, _) in BUILT_IN {
            matches(name, "");
        }
    }

    #[test]
    fn own_fragments_win_and_groups_have_names() {
        let own = [("word", "[a-z]+"), ("pair", "%{word}=%{int}")];
        let own = own.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let mut fragments = Fragments::new(own);
        let expand = |text: &str, fragments: &mut Fragments| fragments.expand(text).expect("known");
        assert_eq!(
            expand("%{pair:p} 100%", &mut fragments),
            "(?<p>(?:[a-z]+)=(?:[+-]?[0-9]+)) 100%"
        );
        assert_eq!(expand("%%{word} [%{}] %{a b}", &mut fragments), r"%\{word} [%{}] %{a b}");
    }

    #[test]
    fn fragments_do_not_contain_themselves_and_do_not_explode() {
        let own = [("a", "x%{b}"), ("b", "%{a}")];
        let own = own.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let error = Fragments::new(own).expand("1 %{a}").expect_err("endless");
        assert_eq!(error.help, "the chain is a > b > a");
        assert_eq!(error.at, "%{a}");
        let double = |i: usize| (format!("f{i}"), format!("%{{f{}}}", i + 1).repeat(2));
        let own = (0..40).map(double).chain([("f40".to_owned(), "x".to_owned())]);
        let error = Fragments::new(own).expand("%{f0}").expect_err("too long");
        assert!(error.message.contains("more than 65536 bytes"), "{}", error.message);
        let error = Fragments::default().expand("%{noise} %{wrod:a}").expect_err("unknown");
        assert!(error.help.contains("known are ip, "), "{}", error.help);
        let error = Fragments::default().expand("%{wrod:a}").expect_err("unknown");
        assert_eq!(error.help, "did you mean `word`?");
    }
}
