//! A folder of its own for a test, with a specification to check against.

use super::run::{Run, multitrace};
use std::path::Path;
use tempfile::TempDir;

/// `ab.hif`: a sends m to b, any number of times in strict order.
pub struct Folder(TempDir);

/// Passes.
pub const PASSING: &str = r#"{"session":"s","traces":{"a":["a!m"],"b":["b?m"]}}"#;
/// Fails: b receives twice.
pub const FAILING: &str = r#"{"session":"t","traces":{"a":["a!m"],"b":["b?m","b?m"]}}"#;
/// Fails: an event nobody knows.
pub const UNKNOWN: &str = r#"{"session":"u","traces":{"a":["a!x"],"b":[]}}"#;

impl Folder {
    pub fn new() -> Folder {
        let folder = Folder(TempDir::new().expect("a folder"));
        folder.file("ab.hif", "loopS(a -- m -> b)\n");
        folder
    }

    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("a plain path").to_owned()
    }

    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(Path::new(&path).parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file that is there")
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("an entry").file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    /// Checks these lines.
    pub fn check(&self, sessions: &[&str], options: &[&str]) -> Run {
        let (spec, input) = (self.path("ab.hif"), self.file("in.jsonl", &sessions.join("\n")));
        multitrace(&[&["check", &spec, &input], options].concat())
    }
}
