//! How a run ended, and its exit code: the one gate of all front ends.

use std::process::ExitCode;

/// How a run ended. Its exit code is part of the interface.
///
/// ```
/// use multitrace_reports::outcome::RunOutcome;
/// let codes = RunOutcome::ALL.map(|outcome| (outcome.name(), outcome.exit_code()));
/// let known = [("clean", 0), ("violations", 1), ("error", 2), ("nothing_checked", 3)];
/// assert_eq!(codes, known);
/// ```
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// No violations, or no more than are tolerated.
    Clean = 0,
    /// Sessions violate the specification, or take less of it than is demanded.
    Violations = 1,
    /// Bad usage, or a specification, bundle or input that cannot be read or understood. Wins over
    /// violations.
    Error = 2,
    /// There was no session to check.
    NothingChecked = 3,
}

impl RunOutcome {
    /// All of them, in the order of their exit codes.
    pub const ALL: [RunOutcome; 4] =
        [RunOutcome::Clean, RunOutcome::Violations, RunOutcome::Error, RunOutcome::NothingChecked];

    /// The code with which a process ends.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        self as u8
    }

    /// The name, as Python knows it.
    pub const fn name(self) -> &'static str {
        match self {
            RunOutcome::Clean => "clean",
            RunOutcome::Violations => "violations",
            RunOutcome::Error => "error",
            RunOutcome::NothingChecked => "nothing_checked",
        }
    }
}

impl From<RunOutcome> for ExitCode {
    fn from(outcome: RunOutcome) -> ExitCode {
        ExitCode::from(outcome.exit_code())
    }
}
