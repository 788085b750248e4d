//! Which of the two formats of sessions an input has.

use std::path::Path;

/// A format of sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionFormat {
    /// One session a line.
    JsonLines,
    /// One session, called like the file.
    Htf,
}

/// The format that the first bytes of an input suggest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatGuess {
    /// It has this format.
    Format(SessionFormat),
    /// It has neither format.
    Neither,
    /// More bytes are needed.
    MoreBytes,
}

impl SessionFormat {
    /// All formats.
    pub const ALL: [SessionFormat; 2] = [SessionFormat::JsonLines, SessionFormat::Htf];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SessionFormat::JsonLines => "json-lines",
            SessionFormat::Htf => "htf",
        }
    }

    /// The format with this name.
    pub fn named(name: &str) -> Option<SessionFormat> {
        SessionFormat::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format that the extension of a path tells, in capitals or not, packed or not.
    ///
    /// ```
    /// use multitrace_formats::sessions::SessionFormat;
    /// assert_eq!(SessionFormat::of_path("a/b.htf".as_ref()), Some(SessionFormat::Htf));
    /// assert_eq!(SessionFormat::of_path("b.ndjson.gz".as_ref()), Some(SessionFormat::JsonLines));
    /// assert_eq!(SessionFormat::of_path("b.log".as_ref()), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<SessionFormat> {
        match extension(without_packing(path))?.as_str() {
            "htf" => Some(SessionFormat::Htf),
            "jsonl" | "ndjson" => Some(SessionFormat::JsonLines),
            _ => None,
        }
    }

    /// The format that the first bytes of an input tell: a line of JSON begins with `{"` or is `{}`,
    /// a multi-trace begins with a header, perhaps behind a brace or a comment.
    pub fn of_first_bytes(bytes: &[u8]) -> FormatGuess {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let mut marks = bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
        let Some(first) = marks.next() else { return FormatGuess::MoreBytes };
        let inside = matches!(first, b'{' | b'[' | b'/');
        match (first, marks.next()) {
            (_, None) if inside => FormatGuess::MoreBytes,
            (b'{', Some(b'"' | b'}')) => FormatGuess::Format(SessionFormat::JsonLines),
            (b'{', Some(b'[' | b'/')) | (b'/', Some(b'*' | b'/')) => {
                FormatGuess::Format(SessionFormat::Htf)
            }
            (b'[', Some(b'#' | b'_' | b'"' | b'a'..=b'z' | b'A'..=b'Z')) => {
                FormatGuess::Format(SessionFormat::Htf)
            }
            _ => FormatGuess::Neither,
        }
    }
}

/// The id of the session in a `.htf` file: the name of the file without its extensions.
pub fn id_of_path(path: &Path) -> String {
    let stem = without_packing(path).file_stem();
    stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// The path without the extension of a packed file.
fn without_packing(path: &Path) -> &Path {
    let packed = extension(path).is_some_and(|it| matches!(it.as_str(), "gz" | "zst"));
    match path.file_stem() {
        Some(stem) if packed => Path::new(stem),
        _ => path,
    }
}

fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_the_format() {
        use FormatGuess::{Format, MoreBytes, Neither};
        let lines = Format(SessionFormat::JsonLines);
        let htf = Format(SessionFormat::Htf);
        for (text, expected) in [
            ("{\"session\"", lines),
            (" \n{ \"", lines),
            ("\u{feff}{}", lines),
            ("{ [a] a!m}", htf),
            ("[a,b] a!m", htf),
            ("[\"a-1\"]", htf),
            ("[#all]", htf),
            ("/* a comment */ [a]", htf),
            ("{ // a comment", htf),
            ("[{\"session\"", Neither),
            ("[1", Neither),
            ("time,event\n", Neither),
            ("{a", Neither),
            ("{", MoreBytes),
            (" [ ", MoreBytes),
            ("", MoreBytes),
        ] {
            assert_eq!(SessionFormat::of_first_bytes(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn a_packed_file_is_called_like_what_is_in_it() {
        assert_eq!(id_of_path("logs/s1.htf".as_ref()), "s1");
        assert_eq!(id_of_path("logs/s1.htf.gz".as_ref()), "s1");
        assert_eq!(id_of_path("logs/s.1.HTF.ZST".as_ref()), "s.1");
        assert_eq!(SessionFormat::of_path("a.gz".as_ref()), None);
    }
}
