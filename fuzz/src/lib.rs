//! Helpers that the targets share.

use multitrace::{CompileOptions, Monitor, Spec, SpecFormat};
use multitrace_formats::source::SourceError;
use multitrace_interaction::Alphabet;
use multitrace_logs::{FieldPath, Fields, Format, InputOptions, RecordBatches};
use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::{LazyLock, Once};

/// Fields of several kinds of records: a name, nested ones, one of a list, one of a pattern.
const FIELDS: [&str; 7] =
    ["session", "event.name", "a.b.c", "attributes.x", "list.0", "msg", "concept:name"];
const PATTERNS: [&str; 2] = ["^(?<session>\\S+) (?<msg>.*)", "(?<msg>[a-z]+)=(?<session>\\d+)"];
/// More batches than a short input has.
const MOST_BATCHES: usize = 10_000;

/// The separator of the two files that some inputs are made of.
const SEPARATOR: &str = "\n---\n";

/// An input as text; `None` if it is not UTF-8, which every reader of texts refuses in one place.
pub fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// The two files of an input: a text, and bytes.
pub fn two_files(data: &[u8]) -> Option<(&str, &[u8])> {
    let at = data.windows(SEPARATOR.len()).position(|it| it == SEPARATOR.as_bytes())?;
    Some((text(&data[..at])?, &data[at + SEPARATOR.len()..]))
}

/// The value that was read, or `None` if there is an error, which must lie within its text and be shown.
pub fn read<T>(result: Result<T, SourceError>) -> Option<T> {
    let error = match result {
        Ok(value) => return Some(value),
        Err(error) => error,
    };
    for diagnostic in error.diagnostics() {
        let span = diagnostic.span;
        let piece = error.file().text().get(span.start..span.end);
        assert!(piece.is_some(), "an error outside of its text: {diagnostic:?}");
    }
    assert!(error.to_string().contains("error: "));
    None
}

/// A small specification that inputs are read and checked against.
pub static MONITOR: LazyLock<Monitor> = LazyLock::new(|| {
    let text = "loopW(seq(a -- m -> b, alt(b -- n -> a, par(b -- k ->|, a -- <synch>k -> b))))";
    let spec = Spec::parse("f.hif", text, SpecFormat::Hif);
    spec.compile(&CompileOptions::default()).expect("an interaction").monitor
});

/// The letters of [`MONITOR`].
pub fn alphabet() -> &'static Alphabet {
    MONITOR.alphabet()
}

/// Decoders of tables, which are other people's crates, may panic where the tool contains it, and are only
/// noted. A panic of its own code ends the target even there.
pub fn let_decoders_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let abort = take_hook();
        set_hook(Box::new(move |info| {
            if is_foreign(info) {
                eprintln!("noted: {info}");
            } else {
                abort(info);
            }
        }));
    });
}

fn is_foreign(info: &PanicHookInfo<'_>) -> bool {
    info.location()
        .is_some_and(|it| it.file().contains("/registry/src/") || it.file().starts_with("/rustc/"))
}

/// Reads all records of a log, and the fields that its events would be made of.
pub fn records(format: Option<Format>, data: &[u8]) {
    let mut fields = Fields::default();
    let paths = FIELDS.map(|path| fields.add(FieldPath::parse(path).expect("a path")));
    let options = InputOptions {
        format,
        patterns: PATTERNS.map(str::to_owned).to_vec(),
        max_record_bytes: 4096,
        batch_bytes: 256,
        ..InputOptions::default()
    };
    let Ok(batches) = RecordBatches::detect("f", data, &options, &fields) else { return };
    for batch in batches.take(MOST_BATCHES) {
        let Ok(batch) = batch else { continue };
        batch.for_each(|record| match record {
            Ok(record) => paths.iter().for_each(|&path| {
                let _ = record.get(path);
            }),
            Err(error) => assert!(!error.message().is_empty()),
        });
    }
}
