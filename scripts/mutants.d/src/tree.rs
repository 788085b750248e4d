//! The copy of the tree that holds the mutants.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A copy of the tree in the working directory.
#[derive(Debug)]
pub struct Tree {
    pub root: PathBuf,
    /// All files, from the root.
    pub files: Vec<String>,
}

impl Tree {
    /// The copy to be, with the files that git knows or would take.
    pub fn new(root: PathBuf) -> Result<Tree> {
        let output = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .output()
            .context("git does not start")?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let names = String::from_utf8(output.stdout).context("names of files")?;
        // Without this program, so that a change of it is no change of tests.
        let is_there = |it: &&str| Path::new(it).is_file() && !it.starts_with("scripts/mutants");
        let files = names.split_terminator('\0').filter(is_there).map(str::to_owned).collect();
        Ok(Tree { root, files })
    }

    /// Copies what `skipped` does not name, and removes what is no longer in the tree.
    pub fn copy(&self, skipped: &BTreeSet<&str>) -> Result<()> {
        // Reports name files from the root of their repository, which is this copy, not the tree around it.
        std::fs::create_dir_all(self.root.join(".git"))?;
        for file in self.files.iter().filter(|it| !skipped.contains(it.as_str())) {
            self.write(file, &std::fs::read(file)?)?;
            std::fs::set_permissions(self.root.join(file), std::fs::metadata(file)?.permissions())?;
        }
        let known: BTreeSet<PathBuf> = self.files.iter().map(|it| self.root.join(it)).collect();
        remove_others(&self.root, &known)
    }

    /// Writes a file of the copy. What is as before keeps its time, so that cargo does not compile it again.
    pub fn write(&self, file: &str, bytes: &[u8]) -> Result<()> {
        let path = self.root.join(file);
        if std::fs::read(&path).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        std::fs::write(&path, bytes)
            .with_context(|| format!("{} cannot be written", path.display()))
    }

    /// A number that changes with any file of the copy.
    pub fn fingerprint(&self) -> Result<u64> {
        let mut hasher = DefaultHasher::new();
        for file in &self.files {
            (file, std::fs::read(self.root.join(file))?).hash(&mut hasher);
        }
        Ok(hasher.finish())
    }
}

fn remove_others(folder: &Path, known: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            remove_others(&path, known)?;
        } else if !known.contains(&path) {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}
