//! Where generated sessions go: lines, or a folder of files.

use crate::args::{GenerateArgs, GenerateFormat};
use crate::failure::{CommandResult, Failure};
use crate::interrupt::{forget, remembered};
use crate::output::Output;
use multitrace::WholeFolder;
use multitrace_formats::sessions::{print_htf, print_json_line_with};
use multitrace_formats::shorten::{CommandMarks, visible_json};
use multitrace_interaction::generate::Made;
use multitrace_interaction::{Alphabet, Session};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub(super) enum Writer {
    Lines(Output),
    Folder(NewFolder),
}

impl Writer {
    pub(super) fn open(args: &GenerateArgs) -> CommandResult<Writer> {
        let output = args.output.as_deref();
        match (args.output_format, output) {
            (GenerateFormat::JsonLines, _) => {
                Ok(Writer::Lines(Output::open(output)?.marked(Some(CommandMarks::JSON))))
            }
            (GenerateFormat::Htf, Some(folder)) => Ok(Writer::Folder(NewFolder::begin(folder)?)),
            (GenerateFormat::Htf, None) => Err(Failure::new(
                "each session becomes an .htf file of its own; say in which folder with -o DIR"
                    .to_owned(),
            )),
        }
    }

    /// `how` is JSON that says how the session was made.
    pub(super) fn write(
        &mut self,
        made: Made,
        how: &str,
        alphabet: &Alphabet,
    ) -> CommandResult<()> {
        let session = Session { id: made.id, trace: made.trace, ..Session::default() };
        match self {
            Writer::Lines(output) => {
                let line = print_json_line_with(&session, alphabet, &[("made", how)]);
                output.write(format!("{}\n", visible_json(&line)).as_bytes())
            }
            Writer::Folder(folder) => {
                let text = print_htf(&session, alphabet);
                // A name may hold the mark that ends the comment.
                let how = how.replace("*/", "*\\/");
                let name = format!("{}.htf", session.id);
                folder.write(&name, &format!("/* {how} */\n{text}\n"))
            }
        }
    }

    pub(super) fn finish(self) -> CommandResult<()> {
        match self {
            Writer::Lines(output) => output.finish(),
            Writer::Folder(folder) => folder.finish(),
        }
    }
}

/// A folder of files that are generated, which appears when it is finished.
pub(super) struct NewFolder {
    path: PathBuf,
    folder: WholeFolder,
}

impl NewFolder {
    /// Begins a folder. One that exists must be empty, so that generated files are not mixed with others.
    pub(super) fn begin(path: &Path) -> CommandResult<NewFolder> {
        let folder = remembered(|| WholeFolder::create(path), WholeFolder::temporary_path);
        let folder = folder.map_err(|error| match error.kind() {
            ErrorKind::DirectoryNotEmpty => Failure::new(format!(
                "{}: the folder is not empty; choose a new one with -o",
                path.display()
            )),
            _ => Failure::io(path, &error),
        })?;
        Ok(NewFolder { path: path.to_owned(), folder })
    }

    /// Writes a file of this name.
    pub(super) fn write(&self, name: &str, text: &str) -> CommandResult<()> {
        let written = fs::write(self.folder.temporary_path().join(name), text);
        written.map_err(|error| Failure::io(&self.path.join(name), &error))
    }

    pub(super) fn finish(self) -> CommandResult<()> {
        let temporary = self.folder.temporary_path().to_owned();
        self.folder.finish().map_err(|error| Failure::io(&self.path, &error))?;
        forget(&temporary);
        Ok(())
    }
}
