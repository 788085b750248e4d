//! Where results go: standard output, or a file that appears only when it is complete.

use crate::failure::{Failure, Outcome};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A place for results.
pub(crate) enum Output {
    Stdout(BufWriter<std::io::Stdout>),
    File { path: PathBuf, writer: BufWriter<NamedTempFile> },
}

impl Output {
    /// Standard output, or a temporary file beside `path`.
    pub(crate) fn open(path: Option<&Path>) -> Outcome<Output> {
        let Some(path) = path else { return Ok(Output::Stdout(BufWriter::new(std::io::stdout()))) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        with_usual_permissions(&mut builder);
        let file = builder.prefix(".multitrace-").tempfile_in(folder.unwrap_or(Path::new(".")));
        let file = file.map_err(|error| Failure::io(path, &error))?;
        Ok(Output::File { path: path.to_owned(), writer: BufWriter::new(file) })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Outcome<()> {
        match self {
            Output::Stdout(writer) => writer.write_all(bytes).map_err(|e| Failure::output(&e)),
            Output::File { path, writer } => {
                writer.write_all(bytes).map_err(|e| Failure::io(path, &e))
            }
        }
    }

    /// Writes what a function writes.
    pub(crate) fn write_with(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Outcome<()> {
        match self {
            Output::Stdout(writer) => write(writer).map_err(|e| Failure::output(&e)),
            Output::File { path, writer } => write(writer).map_err(|e| Failure::io(path, &e)),
        }
    }

    /// Writes what is buffered.
    pub(crate) fn flush(&mut self) -> Outcome<()> {
        self.write_with(|out| out.flush())
    }

    /// Writes what is buffered; a file gets its name only now.
    pub(crate) fn finish(self) -> Outcome<()> {
        match self {
            Output::Stdout(mut writer) => writer.flush().map_err(|error| Failure::output(&error)),
            Output::File { path, writer } => {
                let error = |error: &std::io::Error| Failure::io(&path, error);
                let file = writer.into_inner().map_err(|e| error(e.error()))?;
                file.persist(&path).map_err(|e| error(&e.error))?;
                Ok(())
            }
        }
    }
}

/// Temporary files are private by default; results are as readable as other files.
#[cfg(unix)]
fn with_usual_permissions(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn with_usual_permissions(_: &mut tempfile::Builder<'_, '_>) {}

/// Prints a text on standard output.
pub(crate) fn print(text: &str) -> Outcome<()> {
    let mut output = Output::open(None)?;
    output.write(text.as_bytes())?;
    output.finish()
}

/// Prints a message on standard error. When that is closed there is nobody to tell.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
