//! The interface of a format of event logs.

// An input goes through three hands. `LogFormat` has no state: it recognises an input and opens
// it. A `BatchSource` is run by one thread and only finds where records end. A `Batch` is parsed
// by any thread: it owns its bytes, and shares with the other batches the parts that are resolved once (paths,
// patterns, columns). The traits cost two dynamic calls and a box for each batch. A record costs the call of `Each`.

use super::context::InputContext;
use super::input::InputReader;
use super::pages::Pages;
use crate::error::EventError;
use crate::format::{InputOptions, PairSigns};
use crate::record::Record;
use std::borrow::Cow;
use std::fs::File;
use std::sync::Arc;

/// A format of event logs.
pub(crate) trait LogFormat: Sync {
    /// The strongest sign that an input has this format, if it shows any.
    fn recognise(&self, head: &Head<'_>) -> Option<Sign>;

    /// Opens an input.
    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r>;

    /// Whether a file that begins with these bytes is read at the places where it is needed.
    fn is_seekable(&self, _first_bytes: &[u8]) -> bool {
        false
    }

    /// Opens a file for which [`LogFormat::is_seekable`] holds.
    fn open_file(
        &self,
        file: File,
        context: &Arc<InputContext>,
        options: &InputOptions,
    ) -> Opened<'static> {
        self.open(Opening { reader: Box::new(file), context, options })
    }

    /// The source of a proposal for a mapping of this format; `head` is the start of the input.
    fn proposal(&self, file: &str, head: &str) -> Result<Proposal, EventError>;

    /// The columns of a whole input, with their types, for formats that say them.
    #[cfg(feature = "columnar")]
    fn columns(&self, _file: &str, _bytes: &[u8]) -> Result<Vec<(String, String)>, EventError> {
        Ok(Vec::new())
    }
}

/// An input to be opened.
pub(crate) struct Opening<'r, 'o> {
    pub(crate) reader: InputReader<'r>,
    pub(crate) context: &'o Arc<InputContext>,
    pub(crate) options: &'o InputOptions,
}

/// An input as batches, or why it cannot be read.
pub(crate) type Opened<'r> = Result<Box<dyn BatchSource + 'r>, EventError>;

/// An input that one thread cuts into batches.
pub(crate) trait BatchSource: Send {
    /// The next batch; `None` at the end. After an error there is nothing more to read.
    fn next_batch(&mut self) -> NextBatch;

    /// The pages of an export that were read, asked for at the end.
    fn pages(&mut self) -> Pages {
        Pages::default()
    }
}

/// A batch, the end, or why the input cannot be read on.
pub(crate) type NextBatch = Result<Option<Box<dyn Batch>>, EventError>;

/// Some records of an input, not parsed yet.
pub(crate) trait Batch: Send + Sync {
    /// Calls a function for every record, in order; with an error for those that cannot be read.
    fn for_each(&self, context: &InputContext, each: &mut Each<'_>);
}

/// The function that takes the records of a batch.
pub(crate) type Each<'e> = dyn FnMut(Result<&Record<'_>, EventError>) + 'e;

/// A sign that an input has some format, from the weakest to the strongest. Commas stand in many
/// texts, tabs in fewer; a name may lie, the bytes of the input seldom do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sign {
    /// The first lines have the same number of commas.
    Commas,
    /// The first lines have the same number of tabs.
    Tabs,
    /// The first lines have `key=value` pairs.
    Pairs,
    /// The extension of the file.
    Extension,
    /// It begins as the syntax does.
    Syntax,
    /// It has keys that only this format has.
    Keys,
    /// It begins with bytes that mark the format.
    Magic,
}

/// The source of a proposal for a mapping.
#[derive(Clone, Debug)]
pub(crate) enum Proposal {
    /// The text of the mapping, for a format with fixed fields.
    Whole(String),
    /// The values of these fields in the first records.
    Fields {
        /// The paths of the fields.
        names: Vec<String>,
        /// The delimiter of cells, unless it is that of the format.
        delimiter: Option<u8>,
    },
    /// The same of pairs, with their signs if they are not those of logfmt.
    Pairs { names: Vec<String>, signs: Option<PairSigns> },
    /// Lines, whose patterns are learnt.
    Lines,
    /// Traces of XES.
    Traces,
    /// The columns that the format says, for which the whole input is read.
    #[cfg(feature = "columnar")]
    Columns,
}

/// The start of an input, by which its format is recognised.
pub(crate) struct Head<'h> {
    bytes: &'h [u8],
    /// Without a byte order mark and blanks before it.
    text: Cow<'h, str>,
    /// The extension of the name, in lower case, without that of packed files.
    extension: Option<String>,
    /// The first lines that are not blank.
    lines: Vec<&'h str>,
}

/// How many lines are compared: enough that prose seldom passes, few enough that a short log has them.
const LINES: usize = 5;

impl<'h> Head<'h> {
    pub(crate) fn new(name: &str, bytes: &'h [u8]) -> Head<'h> {
        let mut text = String::from_utf8_lossy(bytes);
        let trimmed = text.trim_start_matches('\u{feff}').trim_start();
        if trimmed.len() < text.len() {
            text = Cow::Owned(trimmed.to_owned());
        }
        let lines = whole_text(bytes).lines().filter(|line| !line.trim().is_empty());
        Head { bytes, text, extension: extension(name), lines: lines.take(LINES).collect() }
    }

    pub(crate) fn bytes(&self) -> &'h [u8] {
        self.bytes
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it begins as an object or a list of objects does; `[INFO] …` is text.
    pub(crate) fn is_json(&self) -> bool {
        // A sign of its own stands before each object of a sequence (RFC 7464).
        let text = self.text.trim_start_matches('\u{1e}');
        let inside = text.trim_start_matches(|c: char| c == '[' || c.is_whitespace());
        let is_list = inside.is_empty() || inside.starts_with(['{', ']']);
        text.starts_with('{') || text.starts_with('[') && is_list
    }

    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.is_json() && self.text.contains(&format!("\"{key}\""))
    }

    pub(crate) fn lines(&self) -> &[&'h str] {
        &self.lines
    }

    /// [`Sign::Extension`] if the name has one of these.
    pub(crate) fn has_extension(&self, known: &[&str]) -> Option<Sign> {
        let is_known = self.extension.as_deref().is_some_and(|it| known.contains(&it));
        is_known.then_some(Sign::Extension)
    }
}

fn extension(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let packed = [".gz", ".zst", ".zstd"].iter().find_map(|end| name.strip_suffix(end));
    let (_, extension) = packed.unwrap_or(&name).rsplit_once('.')?;
    Some(extension.to_owned())
}

/// The text of some bytes, up to the last line end if a character is cut; else nothing.
fn whole_text(bytes: &[u8]) -> &str {
    let lines = || {
        let end = bytes.iter().rposition(|&byte| byte == b'\n')?;
        std::str::from_utf8(&bytes[..end]).ok()
    };
    std::str::from_utf8(bytes).ok().or_else(lines).unwrap_or("")
}
