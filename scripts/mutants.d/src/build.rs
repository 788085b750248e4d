//! Builds the tests of the copy, and says which mutants no compiler accepts.

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program with tests.
#[derive(Clone, Debug)]
pub struct Binary {
    pub package: String,
    /// What cargo calls it: the crate, or a file of `tests/`.
    pub target: String,
    pub path: PathBuf,
    /// Where its tests are run.
    pub folder: PathBuf,
}

/// What a build ends with.
#[derive(Debug)]
pub enum Built {
    Tests(Vec<Binary>),
    /// Places of errors.
    Errors(Vec<ErrorPlace>),
}

/// A part of a file that an error is about.
#[derive(Clone, Debug, Deserialize)]
pub struct ErrorPlace {
    #[serde(rename = "file_name")]
    pub file: String,
    #[serde(rename = "byte_start")]
    pub start: usize,
    #[serde(rename = "byte_end")]
    pub end: usize,
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    message: Option<Diagnostic>,
    package_id: Option<String>,
    manifest_path: Option<PathBuf>,
    target: Option<Target>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
    spans: Vec<ErrorPlace>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// Builds all tests of the workspace. All that can be built is, so that a turn finds the errors of several crates.
pub fn build(tree: &Path) -> Result<Built> {
    let output = Command::new("cargo")
        .args(["test", "--no-run", "--locked", "--features", "columnar"])
        .args(["--no-fail-fast", "--message-format", "json"])
        .current_dir(tree)
        .stderr(Stdio::inherit())
        .output()
        .context("cargo does not start")?;
    let lines = String::from_utf8_lossy(&output.stdout);
    let read = |line: &str| serde_json::from_str::<Message>(line).context("a message of cargo");
    let messages = lines.lines().map(read).collect::<Result<Vec<_>>>()?;
    if output.status.success() {
        return Ok(Built::Tests(messages.into_iter().filter_map(binary).collect()));
    }
    let errors: Vec<Diagnostic> =
        messages.into_iter().filter_map(|it| it.message).filter(|it| it.level == "error").collect();
    let places: Vec<ErrorPlace> = errors.iter().flat_map(|it| it.spans.clone()).collect();
    if places.is_empty() {
        bail!(
            "the copy is not built: {}",
            errors.into_iter().filter_map(|it| it.rendered).collect::<String>()
        );
    }
    Ok(Built::Errors(places))
}

fn binary(message: Message) -> Option<Binary> {
    if message.reason != "compiler-artifact" || !message.profile?.test {
        return None;
    }
    Some(Binary {
        package: package_name(&message.package_id?),
        target: message.target?.name,
        path: message.executable?,
        folder: message.manifest_path?.parent()?.to_owned(),
    })
}

/// `path+file:///tree/interaction#multitrace-interaction@0.1.0` names the package before the version; where the folder has
/// the package's name, the id says it there alone.
fn package_name(id: &str) -> String {
    let (path, rest) = id.split_once('#').unwrap_or(("", id));
    let name = rest.split_once('@').map(|(name, _)| name);
    name.unwrap_or_else(|| path.rsplit('/').next().unwrap_or(path)).to_owned()
}

/// The names of the tests of a program.
pub fn list(binary: &Binary) -> Result<Vec<String>> {
    let output = Command::new(&binary.path)
        .args(["--list", "--format", "terse"])
        .current_dir(&binary.folder)
        .output()?;
    ensure!(output.status.success(), "{} lists no tests", binary.path.display());
    let lines = String::from_utf8(output.stdout)?;
    Ok(lines.lines().filter_map(|it| it.strip_suffix(": test")).map(str::to_owned).collect())
}
