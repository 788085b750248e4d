//! Where generated sessions go: lines, or a folder of files.

use crate::args::{GenerateArgs, GenerateFormat};
use crate::failure::{CommandResult, Failure};
use crate::output::Output;
use multitrace::formats::sessions::{print_htf, print_json_line_with};
use multitrace::interaction::generate::Made;
use multitrace::interaction::{Alphabet, Session};
use std::path::{Path, PathBuf};

pub(super) enum Writer {
    Lines(Output),
    Folder(PathBuf),
}

impl Writer {
    pub(super) fn open(args: &GenerateArgs) -> CommandResult<Writer> {
        let output = args.output.as_deref();
        match (args.output_format, output) {
            (GenerateFormat::JsonLines, _) => Ok(Writer::Lines(Output::open(output)?)),
            (GenerateFormat::Htf, Some(folder)) => {
                new_folder(folder)?;
                Ok(Writer::Folder(folder.to_owned()))
            }
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
                let line = print_json_line_with(&session, alphabet, "made", how);
                output.write(format!("{line}\n").as_bytes())
            }
            Writer::Folder(folder) => {
                let text = print_htf(&session, alphabet);
                // A name may hold what would end the comment.
                let how = how.replace("*/", "*\\/");
                let path = folder.join(format!("{}.htf", session.id));
                write_file(&path, &format!("/* {how} */\n{text}\n"))
            }
        }
    }

    pub(super) fn finish(self) -> CommandResult<()> {
        match self {
            Writer::Lines(output) => output.finish(),
            Writer::Folder(_) => Ok(()),
        }
    }
}

/// Makes a folder. One that exists must be empty, so that what is generated is not mixed with
/// something else.
pub(super) fn new_folder(folder: &Path) -> CommandResult<()> {
    let failure = |error: std::io::Error| Failure::io(folder, &error);
    std::fs::create_dir_all(folder).map_err(failure)?;
    if std::fs::read_dir(folder).map_err(failure)?.next().is_some() {
        return Err(Failure::new(format!(
            "{}: the folder is not empty; choose a new one with -o",
            folder.display()
        )));
    }
    Ok(())
}

pub(super) fn write_file(path: &Path, text: &str) -> CommandResult<()> {
    std::fs::write(path, text).map_err(|error| Failure::io(path, &error))
}
