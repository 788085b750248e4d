//! Paths as platforms know them: relative to the root of a repository.

use multitrace_formats::place::STANDARD_INPUT;
use std::path::{Component, Path, PathBuf};

/// Where the run takes place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repository {
    /// The folder that relative paths are meant from, from the root of the file system.
    pub here: PathBuf,
    /// The root of the repository, from the root of the file system.
    pub root: PathBuf,
}

impl Repository {
    /// A path relative to the root of the repository, with slashes; `None` for a path outside of it, and for standard
    /// input, which is not a file.
    ///
    /// ```
    /// use multitrace_reports::repository::Repository;
    /// let repository = Repository { here: "/r/logs".into(), root: "/r".into() };
    /// assert_eq!(repository.path("./a/../b.jsonl").as_deref(), Some("logs/b.jsonl"));
    /// assert_eq!(repository.path("/r/c.jsonl").as_deref(), Some("c.jsonl"));
    /// assert_eq!(repository.path("/elsewhere/c.jsonl"), None);
    /// ```
    pub fn path(&self, name: &str) -> Option<String> {
        if name == STANDARD_INPUT {
            return None;
        }
        let whole = plain(&self.here.join(name));
        let inside = whole.strip_prefix(plain(&self.root)).ok()?;
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        (!parts.is_empty()).then(|| parts.join("/"))
    }
}

/// The path without `.` and `..`, by its text alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
