//! The files that a location and the place where all logs are combined send each other: the part of a location, the
//! request for words, the letters of words. Events are numbers of letters; names of the specification are in none of them.

use crate::hashed_lines::{FileKind, HashedLines, PackedLines, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;

pub use crate::hashed_lines::LineError;

const KIND: FileKind = FileKind {
    magic: "multitrace-local",
    version: 2,
    // As much as gzip can do: names that count up and one word come near it.
    most_ratio: 1_100,
    name: "file of ‹local› or ‹combine›",
    name_files: "name files that ‹local› has written, and give requests to ‹local›",
    other_version: "use one version of the tool at all locations",
    write_again: "write or copy the file again",
};

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalHeader {
    #[serde(rename = "multitrace-local")]
    version: u32,
    /// The kind of its content.
    pub content: LocalContent,
    /// SHA-256 of the whole bundle, as digits.
    bundle: String,
    /// The location, as the specification names it.
    pub location: String,
}

impl LocalHeader {
    /// Whether the file is of a bundle with this hash.
    pub fn is_of(&self, bundle: &[u8; 32]) -> bool {
        self.bundle == hex(bundle)
    }
}

/// The kind of content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LocalContent {
    /// The sessions of a location with numbers of their words, and the answer of the location to each word.
    Part,
    /// Words whose letters are needed.
    Request,
    /// The letters of words.
    Letters,
}

/// A line after the first one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LocalLine {
    /// An area, numbered from 0 in the order of these lines: the rows of its verifier, and the one at its end.
    Area(Vec<u32>, u32),
    /// A word, numbered from 0 in the order of these lines.
    Word(LocalWord),
    /// Sessions in the order of the log.
    Sessions(SessionBatch),
    /// A word whose letters are needed.
    Need(WordDigest),
    /// The letters of a word, which give its name.
    Letters(LoggedWord),
    /// An event log was cut off.
    Cut,
    /// How many records the logs have, and their uses: counts by name.
    Records(BTreeMap<String, u64>),
    /// How many files held no session.
    EmptyFiles(u64),
    /// A file or folder that was left out.
    Note(String),
    /// The hash of all lines before.
    End(String),
}

/// The answer of a location to a word: the log of one session, or of many sessions that logged the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalWord {
    /// Its name.
    pub digest: WordDigest,
    /// How many events it has.
    pub length: u32,
    /// The number of its area, if it is possible and there are areas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<u32>,
    /// Where it is impossible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<LocalStop>,
    /// Whether it has events, or logs of locations, that the specification does not know.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
}

/// The first impossible event of a word, or an end that comes too early. Letters are numbers among those of the location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalStop {
    /// The index of the event; the length of the word if it ends too early.
    pub index: u32,
    /// The event; `None` if the word ends too early.
    pub letter: Option<u32>,
    /// The letters that were possible there.
    pub expected: Vec<u32>,
}

/// Sessions that follow one another in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionBatch {
    /// Their names: how many bytes each has in common with the one before it, and the rest.
    pub ids: Vec<(usize, String)>,
    /// The numbers of their words.
    pub words: Vec<u32>,
    /// The events that they may lack, as lines of sessions name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gaps: Option<String>,
}

/// Why sessions cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongBatch {
    /// Names without words, or words without names.
    #[error("as many names as words are needed")]
    Length,
    /// A name has more in common with the one before it than that has.
    #[error("the beginning of a name is not there")]
    Beginning,
}

impl SessionBatch {
    /// Adds a session after one with this name.
    pub fn push(&mut self, before: &str, id: &str, word: u32) {
        let pairs = before.char_indices().zip(id.chars());
        let common = pairs.take_while(|((_, a), b)| a == b).last();
        let common = common.map_or(0, |((at, char), _)| at + char.len_utf8());
        self.ids.push((common, id[common..].to_owned()));
        self.words.push(word);
    }

    /// The names and words, the first session after one with this name.
    ///
    /// # Errors
    /// When a name has more in common with the one before it than that has.
    pub fn sessions(self, before: &mut String) -> Result<Vec<(String, u32)>, WrongBatch> {
        if self.ids.len() != self.words.len() {
            return Err(WrongBatch::Length);
        }
        let session = |((common, rest), word): ((usize, String), u32)| {
            let kept = before.get(..common).ok_or(WrongBatch::Beginning)?;
            *before = format!("{kept}{rest}");
            Ok((before.clone(), word))
        };
        self.ids.into_iter().zip(self.words).map(session).collect()
    }
}

/// The log of one location in one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedWord {
    /// Its events.
    pub events: Vec<LoggedEvent>,
    /// Logs of locations that the specification does not have: the name of each, and its events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<(String, Vec<String>)>,
}

/// An event of a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LoggedEvent {
    /// Its letter, as a number among those of the location.
    Letter(u32),
    /// The text of an event that the specification does not know.
    Unknown(String),
}

/// The name of a word: the first half of SHA-256 of the bundle, the location and its events. Nobody finds two words of one name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct WordDigest([u8; 16]);

impl WordDigest {
    /// That of a word at a location of a bundle, by the hash of the bundle and the index of the location.
    pub fn of(bundle: &[u8; 32], location: usize, word: &LoggedWord) -> WordDigest {
        let mut hash = Sha256::new();
        let text = |hash: &mut Sha256, text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        hash.update(bundle);
        hash.update((location as u64).to_le_bytes());
        hash.update((word.events.len() as u64).to_le_bytes());
        for event in &word.events {
            match event {
                LoggedEvent::Letter(letter) => hash.update(letter.to_le_bytes()),
                LoggedEvent::Unknown(event) => {
                    hash.update(u32::MAX.to_le_bytes());
                    text(&mut hash, event);
                }
            }
        }
        for (location, events) in &word.foreign {
            text(&mut hash, location);
            hash.update((events.len() as u64).to_le_bytes());
            events.iter().for_each(|event| text(&mut hash, event));
        }
        let digest: [u8; 32] = hash.finalize().into();
        WordDigest(std::array::from_fn(|at| digest[at]))
    }
}

impl fmt::Display for WordDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for WordDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<WordDigest> for String {
    fn from(digest: WordDigest) -> String {
        digest.to_string()
    }
}

impl TryFrom<String> for WordDigest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<WordDigest, &'static str> {
        const WRONG: &str = "a word is named by 32 digits";
        let number = u128::from_str_radix(&text, 16).map_err(|_| WRONG)?;
        let digest = WordDigest(number.to_be_bytes());
        if digest.to_string() == text { Ok(digest) } else { Err(WRONG) }
    }
}

/// Writes a file.
pub struct LocalWriter(PackedLines);

impl LocalWriter {
    /// Begins a file of a location of a bundle with this hash.
    pub fn begin(content: LocalContent, bundle: &[u8; 32], location: &str) -> LocalWriter {
        let (bundle, location) = (hex(bundle), location.to_owned());
        let header = LocalHeader { version: KIND.version, content, bundle, location };
        LocalWriter(PackedLines::begin(&header))
    }

    /// Adds a line.
    pub fn put(&mut self, line: &LocalLine) {
        self.0.put(line);
    }

    /// The whole file, packed.
    pub fn finish(self) -> Vec<u8> {
        self.0.finish(LocalLine::End)
    }
}

impl fmt::Debug for LocalWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalWriter")
    }
}

/// Reads a file line by line.
pub struct LocalReader<'b>(HashedLines<'b>);

impl<'b> LocalReader<'b> {
    /// Begins with the header of a file, packed or not.
    ///
    /// # Errors
    /// When the bytes are not such a file, or are one of another version.
    pub fn begin(bytes: &'b [u8]) -> Result<(LocalHeader, LocalReader<'b>), LineError> {
        let mut lines = HashedLines::new(&KIND, bytes);
        Ok((lines.header()?, LocalReader(lines)))
    }

    /// The next line but the last one; `None` at the end of the file.
    ///
    /// # Errors
    /// When the file is cut off or damaged.
    pub fn next_line(&mut self) -> Result<Option<LocalLine>, LineError> {
        let before = self.0.hash.clone();
        match self.0.next()? {
            LocalLine::End(hash) => self.0.end(before, &hash).map(|()| None),
            line => Ok(Some(line)),
        }
    }

    /// Why the line that was read last is refused.
    pub fn error(&self, why: impl fmt::Display) -> LineError {
        self.0.error(why)
    }
}

impl fmt::Debug for LocalReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalReader")
    }
}
