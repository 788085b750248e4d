//! The tokens of a line of text, by type.

use regex_automata::meta::Regex;
use std::ops::Range;

/// The type of a token by its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum TokenType {
    /// One of the forms of times.
    Time(u8),
    /// A vector clock, `{"a": 1, "b": 2}`.
    Clock,
    Level,
    Uuid,
    Address,
    Number,
    Hex,
    /// Letters with digits.
    Id,
    Path,
    Word,
    /// Of several types.
    Any,
}

/// A token, and the signs before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// Blanks and signs between the token before it and this one.
    pub(super) before: Range<usize>,
    pub(super) text: Range<usize>,
    pub(super) kind: TokenType,
}

impl Token {
    /// Whether it is a sign that stands alone, such as the dash behind the name of a logger.
    pub(super) fn is_sign(&self, line: &str) -> bool {
        !line[self.text.clone()].contains(char::is_alphanumeric)
    }
}

/// Times as logs write them, with their letters of strftime; the first that fits counts. RFC 3339 and
/// its kin and seconds since 1970 need none.
const TIMES: [&str; 11] = [
    r"\b(?:\d{4}[-/]\d\d[-/]\d\d|\d{1,2}/\d{1,2}/\d{4},?|\d{1,2}-[A-Z][a-z]{2}-\d{4}|[A-Z][a-z]{2} \d{1,2}, \d{4}) \d{1,2}:\d\d:\d\d(?:\.\d+)? [AP]M\b",
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d(?::?\d\d)?\b| [+-]\d\d:?\d\d\b)?",
    r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?",
    r"[A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d(?:[.,]\d+)?",
    r"\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?",
    r"\d\d[-/][A-Z][a-z]{2}[-/]\d{4} \d\d:\d\d:\d\d(?:[.,]\d+)?",
    r"\d\d/\d\d/(?:\d{4}|\d\d) \d\d:\d\d:\d\d(?:[.,]\d+)?",
    r"\b\d{6} \d{6}\b",
    r"\b\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?",
    r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?",
    r"^1\d{9}(?:\.\d+|\d{3}|\d{6}|\d{9})?\b",
];
/// The forms for which there are fragments.
const ISO: u8 = 1;
const OF_DAY: u8 = 9;
const CLOCK: &str = r#"\{ *"[^"]*" *: *\d+ *(?:, *"[^"]*" *: *\d+ *)*\}"#;

/// Types of whole tokens, the first that fits counts. The texts are also the groups of patterns.
const KINDS: [(TokenType, &str); 7] = [
    (
        TokenType::Level,
        "(?i:trace|debug|info|notice|warn|warning|error|err|fatal|critical|crit|severe)",
    ),
    (TokenType::Uuid, "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    (TokenType::Address, r"/?\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?"),
    (TokenType::Number, r"[-+]?\d+(?:\.\d+)?"),
    (TokenType::Hex, "(?:0x)?[0-9a-fA-F]{6,}"),
    (TokenType::Path, r"(?:\w+:/)?/[^\s()\[\]{}<>,;=|\x22\x27]*"),
    (TokenType::Word, r"[^\d\s()\[\]{}<>,;=|\x22\x27]+"),
];

/// The name of the fragment of tokens of any type, and its pattern.
pub(super) const VALUE: &str = "value";
pub(super) const VALUE_PATTERN: &str = r"[^\s()\[\]{}<>,;=|\x22\x27]+";

impl TokenType {
    /// A named group of its tokens, by a fragment if there is one for them.
    pub(super) fn group(self, name: &str) -> String {
        let fragment = match self {
            TokenType::Time(ISO) => "iso-time",
            TokenType::Time(OF_DAY) => "clock",
            TokenType::Level => "word",
            TokenType::Uuid => "uuid",
            TokenType::Number => "number",
            TokenType::Hex => "hex",
            TokenType::Address => return format!("(?<{name}>/?%{{ipv4}}(?::%{{port}})?)"),
            TokenType::Id | TokenType::Any | TokenType::Word | TokenType::Path => VALUE,
            TokenType::Time(_) | TokenType::Clock => {
                return format!("(?<{name}>{})", self.pattern());
            }
        };
        format!("%{{{fragment}:{name}}}")
    }

    /// Its tokens without a name, by a fragment if there is one for them.
    pub(super) fn fragment(self) -> &'static str {
        match self {
            TokenType::Time(ISO) => "%{iso-time}",
            TokenType::Time(OF_DAY) => "%{clock}",
            other => other.pattern(),
        }
    }

    /// The regular expression of its tokens.
    pub(super) fn pattern(self) -> &'static str {
        match self {
            TokenType::Time(form) => TIMES[usize::from(form)].trim_start_matches('^'),
            TokenType::Clock => CLOCK,
            TokenType::Id | TokenType::Any => VALUE_PATTERN,
            // A level is written in any case, and a word may be a level elsewhere.
            TokenType::Level => r"\w+",
            TokenType::Word | TokenType::Path => VALUE_PATTERN,
            other => KINDS.iter().find(|(kind, _)| *kind == other).map_or("", |(_, text)| text),
        }
    }

    /// Whether its values differ from line to line.
    pub(super) fn is_variable(self) -> bool {
        self != TokenType::Word
    }

    /// The type of tokens of this and of another type.
    pub(super) fn or(self, other: TokenType) -> TokenType {
        if self == other { self } else { TokenType::Any }
    }

    /// The name of the type for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            TokenType::Time(_) => "time",
            TokenType::Clock => "clock",
            TokenType::Level => "level",
            TokenType::Uuid => "uuid",
            TokenType::Address => "address",
            TokenType::Number => "number",
            TokenType::Hex => "hex",
            TokenType::Id => "id",
            TokenType::Path => "path",
            TokenType::Word => "word",
            TokenType::Any => "value",
        }
    }
}

/// Cuts lines into tokens.
pub(super) struct Tokenizer {
    /// Times and clocks, which have blanks in them.
    whole: Regex,
    kinds: Regex,
}

/// Where the id of the span begins in those of a trace and its span, as Spring Boot writes them: `4bf9…4736-00f0…02b7`.
fn span_of(word: &str) -> Option<usize> {
    let (trace, span) = word.split_once('-')?;
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (trace.len() == 32 && span.len() == 16 && is_hex(trace) && is_hex(span))
        .then_some(trace.len() + 1)
}

/// Where an arrow without blanks is cut: behind the name before `->`, and behind the dash of `<-`.
fn arrow_of(word: &str, (before, after): (Option<char>, Option<char>)) -> Option<usize> {
    let left = word.trim_end_matches('-').len();
    let right = word.len() - word.trim_start_matches('-').len();
    let is_number = || word.parse::<f64>().is_ok();
    match () {
        () if after == Some('>') && (1..word.len()).contains(&left) => Some(left),
        () if before == Some('<') && (1..word.len()).contains(&right) && !is_number() => {
            Some(right)
        }
        () => None,
    }
}

/// Signs that end a token.
fn is_delimiter(c: char) -> bool {
    c.is_whitespace() || "[](){}<>\"',;=|".contains(c)
}

impl Tokenizer {
    pub(super) fn new() -> Tokenizer {
        let kinds: Vec<String> = KINDS.iter().map(|(_, text)| format!("^(?:{text})$")).collect();
        let whole: Vec<&str> = TIMES.into_iter().chain([CLOCK]).collect();
        Tokenizer {
            whole: Regex::new_many(&whole).expect("tested below"),
            kinds: Regex::new_many(&kinds).expect("tested below"),
        }
    }

    /// The tokens of a line, at most `most`.
    pub(super) fn tokens(&self, line: &str, most: usize) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut at = 0;
        let mut before = 0;
        for found in self.whole.find_iter(line) {
            self.plain(line, at..found.start(), &mut before, &mut tokens);
            let form = found.pattern().as_usize();
            let is_time = form < TIMES.len();
            let kind = if is_time { TokenType::Time(form as u8) } else { TokenType::Clock };
            tokens.push(Token { before: before..found.start(), text: found.range(), kind });
            (at, before) = (found.end(), found.end());
        }
        self.plain(line, at..line.len(), &mut before, &mut tokens);
        tokens.truncate(most);
        tokens
    }

    /// Adds the tokens of a part without times and clocks.
    fn plain(&self, line: &str, part: Range<usize>, before: &mut usize, tokens: &mut Vec<Token>) {
        let text = &line[part.clone()];
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let start = at + rest.find(|c| !is_delimiter(c)).unwrap_or(rest.len());
            let length = text[start..].find(is_delimiter).unwrap_or(text.len() - start);
            let whole = &text[start..start + length];
            // The end of an element, `/>`, is not a part of its last value.
            let is_end = text[start + length..].starts_with('>');
            let whole = if is_end { whole.strip_suffix('/').unwrap_or(whole) } else { whole };
            let word = whole.trim_end_matches([':', '.', '!', '?']);
            // A sign that stands alone is a word of its own.
            let word = if word.is_empty() { whole } else { word };
            let is_first = part.start + start == 0;
            let around = (text[..start].chars().next_back(), text[start + length..].chars().next());
            let value = self.value_of(word).or_else(|| self.behind_level(word, is_first));
            let ranges = match (value.or_else(|| span_of(word)), arrow_of(word, around)) {
                (Some(value), _) => [0..value - 1, value..word.len()],
                (None, Some(cut)) => [0..cut, cut..word.len()],
                (None, None) => [0..word.len(), 0..0],
            };
            for range in ranges {
                let word = &word[range.clone()];
                if !word.is_empty() {
                    let from = part.start + start;
                    let range = from + range.start..from + range.end;
                    let kind = self.kind(word);
                    tokens.push(Token { before: *before..range.start, text: range.clone(), kind });
                    *before = range.end;
                }
            }
            at = start + length;
        }
    }

    /// Where the value of a word with its key begins, if it is a number as addresses of memory are: `sessionid:0x1a2b3c`.
    fn value_of(&self, word: &str) -> Option<usize> {
        let (key, value) = word.split_once(':')?;
        let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_value = value.starts_with("0x") && self.kind(value) == TokenType::Hex;
        (is_key && is_value).then_some(key.len() + 1)
    }

    /// Where the text behind the level begins in the first word of a line: `INFO:web`.
    fn behind_level(&self, word: &str, is_first: bool) -> Option<usize> {
        let (level, rest) = word.split_once(':').filter(|_| is_first)?;
        (self.kind(level) == TokenType::Level && !rest.is_empty()).then_some(level.len() + 1)
    }

    fn kind(&self, word: &str) -> TokenType {
        let found = self.kinds.find(word).map(|found| KINDS[found.pattern().as_usize()].0);
        match found {
            Some(TokenType::Hex) if !word.bytes().any(|b| b.is_ascii_digit()) => TokenType::Word,
            Some(kind) => kind,
            None => TokenType::Id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(line: &str) -> Vec<(&str, &'static str)> {
        let tokens = Tokenizer::new().tokens(line, 99);
        tokens.into_iter().map(|token| (&line[token.text], token.kind.name())).collect()
    }

    #[test]
    fn tokens_have_types() {
        let line = "081109 203615 148 INFO dfs.Node$X: block blk_-16 of /10.2.3.4:50 (size=5.0)";
        let expected = [
            ("081109 203615", "time"),
            ("148", "number"),
            ("INFO", "level"),
            ("dfs.Node$X", "word"),
            ("block", "word"),
            ("blk_-16", "id"),
            ("of", "word"),
            ("/10.2.3.4:50", "address"),
            ("size", "word"),
            ("5.0", "number"),
        ];
        assert_eq!(kinds(line), expected);
        let line = "node0 {\"a\" : 1, \"b\":2} at 2024-05-01T12:00:00.5Z -> akka://x/y 0a1b2c3d";
        let expected = [
            ("node0", "id"),
            ("{\"a\" : 1, \"b\":2}", "clock"),
            ("at", "word"),
            ("2024-05-01T12:00:00.5Z", "time"),
            ("-", "word"),
            ("akka://x/y", "path"),
            ("0a1b2c3d", "hex"),
        ];
        assert_eq!(kinds(line), expected);
        let arrows = [("a", "word"), ("-", "word"), ("b", "word"), ("c1", "id"), ("--", "word")];
        assert_eq!(kinds("a->b c1-->"), arrows);
        assert_eq!(kinds("a<-b c->>d").len(), 6);
        let addresses = [("10.0.0.1:40", "address"), ("-", "word"), ("/10.0.0.2:80", "address")];
        assert_eq!(kinds("10.0.0.1:40->/10.0.0.2:80"), addresses);
        assert_eq!(kinds("x<-5 y-3 z-").len(), 4);
        assert_eq!(kinds("<a x=\"b\" c/>"), ["a", "x", "b", "c"].map(|word| (word, "word")));
        assert_eq!(kinds("<a x=\"b\"/>").len(), 3);
        for time in ["2024-05-01 12:00:00 PM", "5/1/2024 1:02:03 AM", "5/1/2024, 1:02:03 AM"] {
            assert_eq!(kinds(time), [(time, "time")]);
        }
    }

    #[test]
    fn patterns_of_types_are_regular_expressions() {
        for kind in [
            TokenType::Time(ISO),
            TokenType::Time(0),
            TokenType::Time(10),
            TokenType::Clock,
            TokenType::Level,
            TokenType::Uuid,
        ] {
            assert!(Regex::new(kind.pattern()).is_ok(), "{}", kind.name());
        }
    }
}
