//! Inputs as batches of records: one thread cuts them, any thread parses them.

use crate::compressed::{decompress, peek};
use crate::derived::DerivedValues;
use crate::error::EventError;
use crate::field::Fields;
use crate::format::{Format, InputOptions};
use crate::formats::{self, Batch, BatchSource, Each, InputContext, InputReader};
use crate::formats::{Opening, Pages, reject_utf16, unreadable};
use crate::record::Record;
use multitrace_formats::source::quote;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// The records of an input, in batches.
///
/// ```
/// use multitrace_logs::{FieldPath, Fields, Format, InputOptions, RecordBatches};
/// let mut fields = Fields::default();
/// let name = fields.add(FieldPath::parse("event.name").expect("a path"));
/// let input = br#"{"event":{"name":"hello"}}"#;
/// let options = InputOptions::default();
/// let batches = RecordBatches::new("log", &input[..], Format::JsonLines, &options, &fields)?;
/// let mut names = Vec::new();
/// for batch in batches {
///     batch?.for_each(|record| {
///         names.extend(record.expect("a record").get(name).map(str::to_owned));
///     });
/// }
/// assert_eq!(names, ["hello"]);
/// # Ok::<(), multitrace_logs::EventError>(())
/// ```
pub struct RecordBatches<'r> {
    context: Arc<InputContext>,
    /// `None` at the end, and after an error.
    source: Option<Box<dyn BatchSource + 'r>>,
    /// The pages of an export that were read, at the end.
    pages: Pages,
}

/// A whole file, from its first byte.
pub(crate) type FileReader = Box<dyn Read + Send>;

/// Some records of an input, not parsed yet.
pub struct RecordBatch {
    context: Arc<InputContext>,
    batch: Box<dyn Batch>,
}

/// The longest record, also if the options ask for more. A record is in memory several times while it
/// is parsed, and a larger `max-record` is more likely a slip.
const MAX_RECORD_BYTES: usize = 1 << 30;

impl<'r> RecordBatches<'r> {
    /// The records of a reader, with these fields; errors call it `file`.
    ///
    /// # Errors
    /// When the input cannot be read, when it is UTF-16, and when the options do not fit: text
    /// without patterns, patterns that are not regular expressions.
    pub fn new(
        file: &str,
        reader: impl Read + Send + 'r,
        format: Format,
        options: &InputOptions,
        fields: &Fields,
    ) -> Result<RecordBatches<'r>, EventError> {
        let context = context(file, options, fields);
        let source = formats::of(format).open(Opening {
            reader: Box::new(reader),
            context: &context,
            options,
        })?;
        Ok(RecordBatches { context, source: Some(source), pages: Pages::default() })
    }

    /// The records of a reader that may be compressed and whose format may have to be guessed.
    ///
    /// # Errors
    /// When the format is not recognised; and those of [`RecordBatches::new`].
    pub fn detect(
        file: &str,
        reader: impl Read + Send + 'r,
        options: &InputOptions,
        fields: &Fields,
    ) -> Result<RecordBatches<'r>, EventError> {
        let (format, reader) = detect(file, reader, options)?;
        RecordBatches::new(file, reader, format, options, fields)
    }

    /// The same for a file. Parquet is read at the places where it is needed, not as a whole, unless
    /// it comes from a pipe.
    ///
    /// # Errors
    /// Those of [`RecordBatches::detect`].
    pub fn from_file(
        name: &str,
        file: File,
        options: &InputOptions,
        fields: &Fields,
    ) -> Result<RecordBatches<'static>, EventError> {
        RecordBatches::from_file_with(name, file, options, fields, |whole| whole)
    }

    /// The same; a reader of the whole file goes through `wrap`.
    pub(crate) fn from_file_with(
        name: &str,
        mut file: File,
        options: &InputOptions,
        fields: &Fields,
        wrap: impl FnOnce(FileReader) -> FileReader,
    ) -> Result<RecordBatches<'static>, EventError> {
        let at_start = |error| unreadable(name, 1, &error);
        let mut head = Vec::new();
        file.by_ref().take(4).read_to_end(&mut head).map_err(at_start)?;
        let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        let seekable = formats::of_seekable(&head).filter(|_| is_regular);
        let Some(format) = seekable.filter(|it| options.format.is_none_or(|asked| asked == *it))
        else {
            let whole = wrap(Box::new(io::Cursor::new(head).chain(file)));
            return RecordBatches::detect(name, whole, options, fields);
        };
        let context = context(name, options, fields);
        let source = formats::of(format).open_file(file, &context, options)?;
        Ok(RecordBatches { context, source: Some(source), pages: Pages::default() })
    }
}

#[cfg(feature = "columnar")]
impl<'r> RecordBatches<'r> {
    /// The rows of tables in memory, with these fields; errors call them `name`.
    pub fn of_tables(
        name: &str,
        tables: formats::ArrowBatches<'r>,
        fields: &Fields,
    ) -> RecordBatches<'r> {
        let context = context(name, &InputOptions::default(), fields);
        let source = formats::in_memory(tables, &context);
        RecordBatches { context, source: Some(source), pages: Pages::default() }
    }
}

fn context(file: &str, options: &InputOptions, fields: &Fields) -> Arc<InputContext> {
    let max_bytes = options.max_record_bytes.min(MAX_RECORD_BYTES);
    Arc::new(InputContext::new(file, fields, max_bytes))
}

/// Unpacks an input and recognises its format.
pub(crate) fn detect<'r>(
    file: &str,
    reader: impl Read + Send + 'r,
    options: &InputOptions,
) -> Result<(Format, InputReader<'r>), EventError> {
    let unreadable = |error| unreadable(file, 1, &error);
    let reader = decompress(Path::new(file), reader).map_err(unreadable)?;
    let (head, reader) = peek(reader, HEAD_BYTES).map_err(unreadable)?;
    let guess = || {
        if head.is_empty() { Some(Format::JsonLines) } else { Format::guess(file, &head) }
    };
    let format = options.format.or_else(guess).ok_or_else(|| {
        if let Err(error) = reject_utf16(file, &head) {
            return error;
        }
        let head = String::from_utf8_lossy(&head);
        let first = quote(head.lines().next().unwrap_or_default());
        let message = format!("the format of the input is not known; it begins with {first}");
        let help =
            "name it: [input] format = \"…\"; plain text also needs `patterns` (docs/events.md)";
        EventError::without_text(file, None, message, help)
    })?;
    if let Some(asked) = options.format
        && let Some(other) = asked.other_marked(&head)
    {
        let (asked, other) = (asked.name(), other.name());
        let message =
            format!("the input is in the format `{other}`, and is to be read as `{asked}`");
        let help = format!("name its format: [input] format = \"{other}\"");
        return Err(EventError::without_text(file, None, message, help));
    }
    Ok((format, reader))
}

/// How many bytes are looked at to recognise a format: the keys of OTLP and Zipkin may come after a
/// long resource. It is also the size of a pipe of Linux.
const HEAD_BYTES: usize = 1 << 16;

impl Iterator for RecordBatches<'_> {
    type Item = Result<RecordBatch, EventError>;

    /// The next batch. If the input cannot be read on, that error is the last item.
    /// [`RecordBatch::for_each`] reports the error of a single record.
    fn next(&mut self) -> Option<Self::Item> {
        let source = self.source.as_mut()?;
        let batch = source.next_batch();
        if !matches!(batch, Ok(Some(_))) {
            self.pages = source.pages();
            self.source = None;
        }
        let context = &self.context;
        let whole = |batch| RecordBatch { context: Arc::clone(context), batch };
        batch.map(|batch| batch.map(whole)).transpose()
    }
}

impl RecordBatches<'_> {
    /// The pages of an export that were read, once, at the end.
    pub(crate) fn take_pages(&mut self) -> Pages {
        std::mem::take(&mut self.pages)
    }
}

impl RecordBatch {
    /// The name of its file.
    pub(crate) fn file(&self) -> &str {
        &self.context.file
    }

    /// Calls a function for every record of the batch, in order; with an error for those that cannot be
    /// read.
    pub fn for_each(&self, mut each: impl FnMut(Result<&Record<'_>, EventError>)) {
        self.each(&mut each);
    }

    fn each(&self, each: &mut Each<'_>) {
        let InputContext { of_file, fields, file, .. } = &*self.context;
        let is_made = !fields.derived().is_empty() || fields.each().is_some();
        if of_file.is_empty() && !is_made {
            return self.batch.for_each(&self.context, each);
        }
        let mut values = DerivedValues::new(fields);
        self.batch.for_each(&self.context, &mut |record| match record {
            Ok(record) if is_made => {
                let record = record.in_file(of_file);
                if let Err(message) = values.each(&record, &mut |record| each(Ok(record))) {
                    let help = "name a list, or a field with such a number, and correct the record";
                    each(Err(EventError::without_text(file, Some(record.place()), message, help)));
                }
            }
            Ok(record) => each(Ok(&record.in_file(of_file))),
            Err(error) => each(Err(error)),
        });
    }
}

impl fmt::Debug for RecordBatches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordBatches").field("file", &self.context.file).finish_non_exhaustive()
    }
}

impl fmt::Debug for RecordBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordBatch").field("file", &self.context.file).finish_non_exhaustive()
    }
}
