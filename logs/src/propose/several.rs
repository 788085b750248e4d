//! A mapping proposed for several files.

use super::propose_in;
use crate::error::EventError;
use crate::format::Format;
use crate::input_files::InputFile;
use crate::survey::{HEAD_BYTES, LookedAt, beginning};
use multitrace_formats::place::STANDARD_INPUT;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Cursor, Read};

/// How many files are looked at. More of them hardly tell more.
const MOST_FILES: usize = 100;

/// The formats whose beginnings make one input: lines, and JSON objects one after another.
const JOINED: [Format; 10] = [
    Format::JsonLines,
    Format::Json,
    Format::Csv,
    Format::Tsv,
    Format::Logfmt,
    Format::Text,
    Format::Zipkin,
    Format::Syslog,
    Format::AccessLog,
    Format::Logcat,
];

/// The beginnings of files of one format.
struct Joined {
    name: String,
    format: Format,
    /// The first line of tables, which all have.
    header: Option<Vec<u8>>,
    bytes: Vec<u8>,
    files: usize,
}

/// Proposes a mapping by the beginnings of all files that have the format of the first one, and says which files were
/// read and which were not. All files have this format, if it is known; else it is guessed.
///
/// # Errors
/// Those of [`propose`](super::propose()), and when a file cannot be opened.
pub fn propose_files(
    files: &[InputFile],
    format: Option<Format>,
) -> Result<(String, Vec<String>), EventError> {
    let Some(first) = files.first() else {
        return Err(EventError::without_text("the inputs", None, "there is no file", "name a log"));
    };
    if files.len() == 1 {
        let (name, reader) = open(first)?;
        return Ok((propose_in(&name, reader, (format, LookedAt::One))?, Vec::new()));
    }
    let (said, most) = (format, HEAD_BYTES / files.len().min(MOST_FILES) as u64);
    let (mut joined, mut left_out): (Option<Joined>, Vec<String>) = (None, Vec::new());
    for file in files.iter().take(MOST_FILES) {
        let (name, reader) = open(file)?;
        let (bytes, is_whole) = beginning(&name, reader, most)?;
        if bytes.trim_ascii().is_empty() {
            left_out.push(format!("{name} (empty)"));
            continue;
        }
        let format = said.or_else(|| Format::guess(&name, &bytes)).unwrap_or(Format::Text);
        match &mut joined {
            None => joined = Some(Joined::new(name, format, bytes)),
            Some(all) if is_whole || format != Format::Json => {
                if let Err(why) = all.add(format, &bytes) {
                    left_out.push(format!("{name} ({why})"));
                }
            }
            Some(_) => left_out.push(format!("{name} (a long document)")),
        }
    }
    let rest = files.iter().skip(MOST_FILES);
    left_out.extend(rest.map(|file| file.path.display().to_string()));
    let Some(Joined { name, format, bytes, files: count, .. }) = joined else {
        let (name, reader) = open(first)?;
        return Ok((propose_in(&name, reader, (said, LookedAt::One))?, Vec::new()));
    };
    let text = match JOINED.contains(&format) {
        true => propose_in(&name, Cursor::new(bytes), (said, looked_at(files)))?,
        // Others are read as a whole.
        false => {
            let is_it = |file: &&InputFile| file.path.display().to_string() == name;
            let (name, reader) = open(files.iter().find(is_it).unwrap_or(first))?;
            propose_in(&name, reader, (said, looked_at(files)))?
        }
    };
    let mut notes = vec![match count {
        1 => format!("the proposal is for {name} ({})", format.name()),
        more => format!("the proposal is for {more} files ({}), first {name}", format.name()),
    }];
    notes.extend(match &left_out[..] {
        [] => None,
        [one] => Some(format!("not looked at: {one}; propose a mapping for it alone")),
        [one, ..] => Some(format!(
            "{} files are not looked at, first {one}; propose a mapping for each kind",
            left_out.len()
        )),
    });
    Ok((text, notes))
}

/// Whether the names of several files differ, or only those of their folders do.
fn looked_at(files: &[InputFile]) -> LookedAt {
    let stems: BTreeSet<Option<&OsStr>> = files.iter().map(|file| file.path.file_stem()).collect();
    if stems.len() < files.len() { LookedAt::Folders } else { LookedAt::Stems }
}

impl Joined {
    fn new(name: String, format: Format, bytes: Vec<u8>) -> Joined {
        let header = header(format, &bytes).map(<[u8]>::to_vec);
        Joined { name, format, header, bytes, files: 1 }
    }

    /// Adds the beginning of a file, or says why it is left out.
    fn add(&mut self, format: Format, bytes: &[u8]) -> Result<(), String> {
        if format != self.format {
            return Err(format.name().to_owned());
        }
        if !JOINED.contains(&format) {
            return Err("of the same format".to_owned());
        }
        let own = header(format, bytes);
        if own != self.header.as_deref() {
            return Err("other columns".to_owned());
        }
        if !self.bytes.ends_with(b"\n") {
            self.bytes.push(b'\n');
        }
        self.bytes.extend(&bytes[own.map_or(0, <[u8]>::len)..]);
        self.files += 1;
        Ok(())
    }
}

/// The first line of a table, with its end.
fn header(format: Format, bytes: &[u8]) -> Option<&[u8]> {
    let is_table = matches!(format, Format::Csv | Format::Tsv);
    is_table.then(|| bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default())
}

/// The name of a file, and its bytes.
fn open(file: &InputFile) -> Result<(String, Box<dyn Read + Send>), EventError> {
    if file.path.as_os_str() == "-" {
        return Ok((STANDARD_INPUT.to_owned(), Box::new(std::io::stdin())));
    }
    let name = file.path.display().to_string();
    let opened = File::open(&file.path);
    let opened = opened.map_err(|error| EventError::unreadable(&name, None, &error))?;
    Ok((name, Box::new(opened)))
}
