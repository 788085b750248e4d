//! What became of mutants, kept in a file from run to run.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub enum Outcome {
    /// It does not compile.
    Unviable,
    /// It cannot be chosen at run time, and was not tried.
    Fixed(String),
    Caught {
        by_own: bool,
        test: String,
    },
    TimedOut {
        by_own: bool,
        test: String,
    },
    /// No test failed of those that were run; more may reach its code.
    Survived {
        run: usize,
        reached_by: usize,
    },
}

impl Outcome {
    /// The test that noticed the mutant.
    pub fn test(&self) -> Option<&str> {
        match self {
            Outcome::Caught { test, .. } | Outcome::TimedOut { test, .. } => Some(test),
            _ => None,
        }
    }
}

#[derive(Debug, Deserialize, Serialize)]
struct Line {
    mutant: String,
    /// Of its file, without the tests in it.
    code: u64,
    /// Of the whole tree.
    judges: u64,
    /// What the tests of other crates were allowed, in seconds.
    allowance: u64,
    outcome: Outcome,
}

/// The file, and what it says of the code as it is now.
#[derive(Debug)]
pub struct Results {
    file: Mutex<File>,
    judges: u64,
    allowance: u64,
    known: Mutex<HashMap<String, Outcome>>,
}

impl Results {
    /// Opens the file. What survived other tests than those of now, or in less time, is not known.
    pub fn open(
        path: &Path,
        judges: u64,
        allowance: u64,
        code: &HashMap<String, u64>,
    ) -> Result<Results> {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut known = HashMap::new();
        for line in text.lines() {
            let line: Line = serde_json::from_str(line)
                .with_context(|| format!("{}: {line}", path.display()))?;
            let is_judged = line.judges == judges && line.allowance >= allowance;
            let holds = is_judged || !matches!(line.outcome, Outcome::Survived { .. });
            if holds && code.get(&line.mutant) == Some(&line.code) {
                known.insert(line.mutant, line.outcome);
            }
        }
        let file = File::options().append(true).create(true).open(path)?;
        Ok(Results { file: Mutex::new(file), judges, allowance, known: Mutex::new(known) })
    }

    /// What is known of a mutant.
    pub fn get(&self, mutant: &str) -> Option<Outcome> {
        self.known.lock().expect("no panic").get(mutant).cloned()
    }

    pub fn add(&self, mutant: &str, code: u64, outcome: Outcome) -> Result<()> {
        let line = Line {
            mutant: mutant.to_owned(),
            code,
            judges: self.judges,
            allowance: self.allowance,
            outcome: outcome.clone(),
        };
        let text = serde_json::to_string(&line)? + "\n";
        self.file.lock().expect("no panic").write_all(text.as_bytes())?;
        self.known.lock().expect("no panic").insert(mutant.to_owned(), outcome);
        Ok(())
    }
}

/// A number that changes with the code of a file, and not with the tests at its end.
pub fn code_of(text: &str) -> u64 {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    code.trim_end().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::code_of;

    #[test]
    fn tests_are_no_code() {
        let code = code_of("fn f() {}\n");
        assert_eq!(code, code_of("fn f() {}\n\n#[cfg(test)]\nmod tests {}\n"));
        assert_ne!(code, code_of("fn g() {}\n"));
    }
}
