//! How each event log is opened.

use crate::batches::{FileReader, RecordBatches};
use crate::error::EventError;
use crate::input_files::is_empty_file;
use crate::mapping::Mapping;
use crate::read_stamps::{ReadStamps, size};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// One event log.
pub(crate) enum LogSource {
    /// A file, and the collector of files that were read.
    Path(PathBuf, ReadStamps),
    /// Standard input, and its name in messages.
    Stdin(String, ReadStamps),
    /// A reader, and its name in messages.
    Reader(String, Box<dyn io::Read + Send>),
    /// Tables in memory, and their name in messages.
    #[cfg(feature = "columnar")]
    Tables(String, crate::formats::ArrowBatches<'static>),
}

/// The kind of an event log, with the collector of those that were read.
#[derive(Clone, Debug)]
pub(crate) enum SourceKind {
    File(PathBuf, ReadStamps),
    Stream(PathBuf, ReadStamps),
    /// A reader or tables of the program itself, which knows what is in them.
    Memory,
}

impl SourceKind {
    /// Whether nobody else tells that it holds no record: the list of files tells those without a byte.
    pub(crate) fn is_untold(&self) -> bool {
        match self {
            SourceKind::File(path, _) => !is_empty_file(path),
            SourceKind::Stream(..) => true,
            SourceKind::Memory => false,
        }
    }

    /// Notes that it holds no record.
    pub(crate) fn note_empty(&self) {
        if let SourceKind::File(path, stamps) | SourceKind::Stream(path, stamps) = self {
            stamps.note_empty(path);
        }
    }
}

impl LogSource {
    /// The name of the source in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            LogSource::Path(path, _) => path.display().to_string(),
            LogSource::Stdin(name, _) | LogSource::Reader(name, _) => name.clone(),
            #[cfg(feature = "columnar")]
            LogSource::Tables(name, _) => name.clone(),
        }
    }

    /// Names its kind, for a message if it holds no record.
    pub(crate) fn kind(&self) -> SourceKind {
        match self {
            LogSource::Path(path, stamps) => SourceKind::File(path.clone(), stamps.clone()),
            LogSource::Stdin(name, stamps) => SourceKind::Stream(name.into(), stamps.clone()),
            _ => SourceKind::Memory,
        }
    }

    /// Its records, unpacked if they are compressed.
    ///
    /// # Errors
    /// When it cannot be read, or its format is not known.
    pub(crate) fn open(self, mapping: &Mapping) -> Result<RecordBatches<'static>, EventError> {
        let (options, fields) = (mapping.input(), mapping.fields());
        match self {
            LogSource::Path(path, stamps) => open(&path, mapping, &stamps),
            LogSource::Stdin(name, stamps) => {
                let reader = stamps.reader(Path::new(&name), 0, io::stdin());
                RecordBatches::detect(&name, reader, options, fields)
            }
            LogSource::Reader(name, reader) => {
                RecordBatches::detect(&name, reader, options, fields)
            }
            #[cfg(feature = "columnar")]
            LogSource::Tables(name, tables) => Ok(RecordBatches::of_tables(&name, tables, fields)),
        }
    }
}

fn open(
    path: &Path,
    mapping: &Mapping,
    stamps: &ReadStamps,
) -> Result<RecordBatches<'static>, EventError> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| EventError::unreadable(&name, None, &error))?;
    let size = size(&file);
    let whole = |reader| -> FileReader { Box::new(stamps.reader(path, size, reader)) };
    RecordBatches::from_file_with(&name, file, mapping.input(), mapping.fields(), whole)
}
