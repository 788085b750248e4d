//! Where results go: standard output, or a file that appears only when it is complete. Until then it
//! has another name, and vanishes when the process is interrupted.

use crate::failure::{CommandResult, Failure};
use crate::interrupt::{forget, remembered};
use crate::painting::is_for_platform;
use multitrace::{Spec, SpecPath, WholeFile};
use multitrace_formats::bundle::is_bundle;
use multitrace_formats::shorten::{CommandMarks, visible_json, visible_lines};
use multitrace_logs::{Exclusions, InputFiles, is_stdin};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Writes a text made of a specification, to a file or standard output; never over the
/// specification.
pub(crate) fn write_beside(
    out: Option<&Path>,
    spec: &Path,
    others: &[&Path],
    (bytes, marks): (&[u8], Option<CommandMarks>),
) -> CommandResult<()> {
    reject_spec(out, spec, others)?;
    let mut output = Output::open(out)?.marked(marks);
    output.write(bytes)?;
    output.finish()
}

/// Fails if an output would replace a specification, or a file that is read with it.
pub(crate) fn reject_spec<'a>(
    outputs: impl IntoIterator<Item = &'a Path>,
    spec: &Path,
    others: &[&Path],
) -> CommandResult<()> {
    let read = ReadInputs { files: others, spec: Some(spec), exclude: &Exclusions::default() };
    reject_inputs(outputs.into_iter(), &read)
}

/// The file that defaults of the command line came from: no output replaces it.
static CONFIG_FILE: OnceLock<PathBuf> = OnceLock::new();

/// Notes that defaults came from a file. The command line is read once.
pub(crate) fn keep_config_file(path: PathBuf) {
    let _ = CONFIG_FILE.set(path);
}

/// A place for results.
pub(crate) enum Output {
    Stdout(Stdout),
    File {
        path: PathBuf,
        writer: WholeFile,
    },
    /// A pipe or a device is written in place.
    Special {
        path: PathBuf,
        writer: BufWriter<File>,
    },
}

impl Output {
    /// Standard output, which `-` names too, or a temporary file beside `path`.
    pub(crate) fn open(path: Option<&Path>) -> CommandResult<Output> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            let writer = BufWriter::new(std::io::stdout());
            return Ok(Output::Stdout(Stdout { writer, marks: None }));
        };
        if let Some(config) = CONFIG_FILE.get()
            && identity(path).is_some_and(|it| identity(config) == Some(it))
        {
            return Err(replaces(path, config));
        }
        let there = fs::metadata(path).ok();
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            let file = File::options().write(true).open(path).map_err(|e| Failure::io(path, &e))?;
            return Ok(Output::Special { path: path.to_owned(), writer: BufWriter::new(file) });
        }
        // A link stays, and its target is replaced.
        let target = match there {
            Some(_) => fs::canonicalize(path).ok(),
            None => dangling_target(path)?,
        };
        Output::beside(target.as_deref().unwrap_or(path))
    }

    /// The same for a text whose marks can be spelled: on standard output it holds no commands for a platform that reads it.
    pub(crate) fn marked(mut self, marks: Option<CommandMarks>) -> Output {
        if let Output::Stdout(stdout) = &mut self {
            stdout.marks = marks.filter(|_| is_for_platform());
        }
        self
    }

    fn beside(path: &Path) -> CommandResult<Output> {
        let writer = remembered(|| WholeFile::create(path), WholeFile::temporary_path)
            .map_err(|error| Failure::io(path, &error))?;
        Ok(Output::File { path: path.to_owned(), writer })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> CommandResult<()> {
        match self {
            Output::Stdout(writer) => writer.write_all(bytes).map_err(|e| Failure::output(&e)),
            Output::File { path, writer } => {
                writer.write_all(bytes).map_err(|e| Failure::io(path, &e))
            }
            Output::Special { path, writer } => {
                writer.write_all(bytes).map_err(|e| in_place(path, &e))
            }
        }
    }

    /// Writes the output of a function.
    pub(crate) fn write_with(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> CommandResult<()> {
        match self {
            Output::Stdout(writer) => write(writer).map_err(|e| Failure::output(&e)),
            Output::File { path, writer } => write(writer).map_err(|e| Failure::io(path, &e)),
            Output::Special { path, writer } => write(writer).map_err(|e| in_place(path, &e)),
        }
    }

    /// Writes the buffer.
    pub(crate) fn flush(&mut self) -> CommandResult<()> {
        self.write_with(|out| out.flush())
    }

    /// Writes the buffer; a file gets its name only now.
    pub(crate) fn finish(self) -> CommandResult<()> {
        match self {
            Output::Stdout(mut writer) => writer.flush().map_err(|error| Failure::output(&error)),
            Output::File { path, writer } => {
                let temporary = writer.temporary_path().to_owned();
                writer.finish().map_err(|error| Failure::io(&path, &error))?;
                forget(&temporary);
                Ok(())
            }
            Output::Special { path, mut writer } => {
                writer.flush().map_err(|error| in_place(&path, &error))
            }
        }
    }
}

/// Standard output, without commands if it has a place for their marks.
pub(crate) struct Stdout {
    writer: BufWriter<std::io::Stdout>,
    marks: Option<CommandMarks>,
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let Some(marks) = &mut self.marks else { return self.writer.write(bytes) };
        self.writer.write_all(&marks.without(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

/// Where a link leads to that has no target yet; `None` if the path is not a link.
fn dangling_target(path: &Path) -> CommandResult<Option<PathBuf>> {
    // As many links as systems follow.
    const MOST_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&target) else {
            return Ok((target != path).then_some(target));
        };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(Failure::new(format!("{}: the link leads in a circle", path.display())))
}

/// Nobody may read a pipe any more, as is usual with standard output.
fn in_place(path: &Path, error: &std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
        _ => Failure::io(path, error),
    }
}

/// The files that a run reads.
pub(crate) struct ReadInputs<'a> {
    /// Files, folders and patterns.
    pub(crate) files: &'a [&'a Path],
    /// The specification, which may include files.
    pub(crate) spec: Option<&'a Path>,
    /// Files that are not read of folders and patterns.
    pub(crate) exclude: &'a Exclusions,
}

impl ReadInputs<'_> {
    /// The files that are there.
    fn list(&self) -> Vec<PathBuf> {
        // A folder that cannot be listed is an error of its reader.
        let listed = self.files.iter().flat_map(|path| {
            InputFiles::list_without(&[path.to_path_buf()], self.exclude).unwrap_or_default().files
        });
        let mut files: Vec<PathBuf> = listed.map(|it| it.path).collect();
        if let Some(spec) = self.spec.map(SpecPath::of) {
            let read =
                (!is_stdin(&spec.file) && spec.file.is_file()).then(|| spec.read().ok()).flatten();
            let text = read.filter(|bytes| !is_bundle(bytes));
            let text = text.and_then(|bytes| Spec::of_file(&spec, bytes).ok());
            files.extend(text.iter().flat_map(Spec::included_files));
            files.push(spec.file);
        }
        files.extend(CONFIG_FILE.get().cloned());
        files
    }
}

/// Fails if two outputs are one place, by whatever names.
pub(crate) fn reject_twice(outputs: &[&Path]) -> CommandResult<()> {
    let mut places = HashSet::new();
    for output in outputs {
        let place = match output.as_os_str() == "-" || identity(output).is_some_and(is_stdout) {
            true => PathBuf::from("-"),
            false => place(output)?,
        };
        if !places.insert(place) {
            return Err(Failure::new(format!("{}: named for two results", output.display())));
        }
    }
    Ok(())
}

/// The only path of a file that may not be there yet.
fn place(path: &Path) -> CommandResult<PathBuf> {
    if let Ok(place) = fs::canonicalize(path) {
        return Ok(place);
    }
    let path = dangling_target(path)?.unwrap_or_else(|| path.to_owned());
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A folder that is not there is an error of its writer.
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    Ok(path.file_name().map(|name| folder.join(name)).unwrap_or(path))
}

/// Fails if an output would replace something that the run reads, by whatever name.
pub(crate) fn reject_inputs<'a>(
    outputs: impl Iterator<Item = &'a Path>,
    inputs: &ReadInputs<'_>,
) -> CommandResult<()> {
    let outputs: Vec<&Path> = outputs.filter(|path| path.is_file()).collect();
    if outputs.is_empty() {
        return Ok(());
    }
    let mut read: HashMap<Identity, PathBuf> = HashMap::new();
    for path in inputs.list() {
        let identity =
            if is_stdin(&path) { identity_of(std::io::stdin()) } else { identity(&path) };
        if let Some(identity) = identity {
            read.entry(identity).or_insert(path);
        }
    }
    for output in outputs {
        if let Some(input) = identity(output).and_then(|it| read.get(&it)) {
            return Err(replaces(output, input));
        }
    }
    Ok(())
}

fn replaces(output: &Path, input: &Path) -> Failure {
    let (output, input) = (output.display(), input.display());
    Failure::new(format!("{output}: this is the input {input}; name another output"))
}

/// The numbers or the path by which two paths name one file.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|it| (it.dev(), it.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    fs::canonicalize(path).ok()
}

/// The identity of the file that a standard stream is, if it is a file.
#[cfg(unix)]
fn identity_of(stream: impl std::os::fd::AsFd) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let stream = File::from(stream.as_fd().try_clone_to_owned().ok()?).metadata().ok()?;
    stream.is_file().then(|| (stream.dev(), stream.ino()))
}

/// Other systems do not tell.
#[cfg(not(unix))]
fn identity_of<S>(_stream: S) -> Option<Identity> {
    None
}

fn is_stdout(identity: Identity) -> bool {
    identity_of(std::io::stdout()).is_some_and(|it| it == identity)
}

/// Prints a text for people on standard output; nothing in it does anything to a terminal, or to a platform.
pub(crate) fn print(text: &str) -> CommandResult<()> {
    print_data(visible_lines(text).as_bytes(), Some(CommandMarks::TEXT))
}

/// Prints JSON on standard output, in which such characters are escaped.
pub(crate) fn print_json(text: &str) -> CommandResult<()> {
    print_data(visible_json(text).as_bytes(), Some(CommandMarks::JSON))
}

/// Prints a page on standard output.
pub(crate) fn print_page(text: &str) -> CommandResult<()> {
    print_data(visible_lines(text).as_bytes(), Some(CommandMarks::XML))
}

/// Prints the text of a file on standard output: as it is, but to a terminal as [`print`] does.
pub(crate) fn print_file(text: &str) -> CommandResult<()> {
    if std::io::stdout().is_terminal() { print(text) } else { print_data(text.as_bytes(), None) }
}

/// Prints the text of a mapping on standard output, which says the same without commands: texts of TOML with their marks have the
/// escapes of JSON.
pub(crate) fn print_mapping(text: &str) -> CommandResult<()> {
    if std::io::stdout().is_terminal() {
        return print(text);
    }
    print_data(text.as_bytes(), Some(CommandMarks::JSON))
}

fn print_data(bytes: &[u8], marks: Option<CommandMarks>) -> CommandResult<()> {
    let mut output = Output::open(None)?.marked(marks);
    output.write(bytes)?;
    output.finish()
}
