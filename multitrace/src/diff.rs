//! Whether two specifications accept the same sessions.
//
// A session is accepted if it is the projection of an accepted global trace, and equality of such sets
// is undecidable. Four things can prove it here: equal normal forms; inclusion of the languages of automata, each way
// (`inclusion.rs` says which automata); the same with an automaton that reads words in other orders (`lagging.rs`); and trying the
// sessions that the automata leave open, if they are finitely many. A session of one that the checker of the other rejects
// refutes it.

mod automata;
mod difference;
mod inclusion;
mod joint;
mod lagging;
mod levels;
mod picturing;
mod same_term;

pub use inclusion::{DiffOptions, Difference, Inclusion, Proof, SpecGap};
pub use joint::{Regrouped, SignatureDiff};

use crate::error::Error;
use crate::monitor::Monitor;
use inclusion::inclusion;
use joint::Joint;
use multitrace_formats::workers::in_pool;
use same_term::have_same_term;

/// The differences between two specifications, an old one and a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecDiff {
    /// The names that they do not share.
    pub signature: SignatureDiff,
    /// Whether the new one accepts all sessions of the old one.
    pub old_in_new: Inclusion,
    /// Whether the old one accepts all sessions of the new one.
    pub new_in_old: Inclusion,
}

/// Whether two specifications accept the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// They do, for certain.
    Equal,
    /// They do not: a session shows it.
    Different,
    /// No difference was found, and equality is not proved.
    NotProved,
}

impl Answer {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Equal => "equal",
            Answer::Different => "different",
            Answer::NotProved => "not-proved",
        }
    }
}

impl SpecDiff {
    /// Whether they accept the same.
    pub fn answer(&self) -> Answer {
        let both = [&self.old_in_new, &self.new_in_old];
        let is_refuted = both.iter().any(|it| matches!(it, Inclusion::Refuted(_)));
        if is_refuted || self.signature.labels.iter().any(|it| !it.is_empty()) {
            return Answer::Different;
        }
        let are_proved = both.iter().all(|it| matches!(it, Inclusion::Proved(_)));
        if are_proved { Answer::Equal } else { Answer::NotProved }
    }

    /// Why they accept the same, if they do.
    pub fn proof(&self) -> Option<Proof> {
        if self.answer() != Answer::Equal {
            return None;
        }
        match (&self.old_in_new, &self.new_in_old) {
            (Inclusion::Proved(one), Inclusion::Proved(other)) => Some(*one.max(other)),
            _ => None,
        }
    }

    /// The number of events up to which no difference was found, where equality is not proved.
    pub fn up_to_events(&self) -> Option<usize> {
        let both = [&self.old_in_new, &self.new_in_old].into_iter();
        let up_to = both.filter_map(|it| match it {
            Inclusion::NotRefuted { up_to_events, .. } => Some(*up_to_events),
            _ => None,
        });
        up_to.min().filter(|_| self.answer() == Answer::NotProved)
    }
}

#[doc(hidden)]
impl Monitor {
    /// Compares this specification, the old one, with a new one: complete sessions by the names of their
    /// locations and events, whatever observation mode the monitors have. The log of a location that a
    /// specification does not have is empty.
    ///
    /// ```
    /// use multitrace::{Answer, CompileOptions, DiffOptions, Inclusion, Spec, SpecFormat};
    /// let monitor = |text| {
    ///     let spec = Spec::parse("shop.hif", text, SpecFormat::Hif);
    ///     Ok::<_, multitrace::Error>(spec.compile(&CompileOptions::default())?.monitor)
    /// };
    /// let old = monitor("loopW(a -- order -> b)")?;
    /// let new = monitor("a -- order -> b")?;
    /// let diff = old.diff(&new, DiffOptions::default())?;
    /// assert_eq!(diff.answer(), Answer::Different);
    /// let Inclusion::Refuted(difference) = diff.old_in_new else { unreachable!() };
    /// assert_eq!(difference.session.event_count(), 0);
    /// assert!(matches!(diff.new_in_old, Inclusion::Proved(_)));
    /// # Ok::<(), multitrace::Error>(())
    /// ```
    ///
    /// # Errors
    /// If one of them has no engine to check sessions.
    pub fn diff(&self, new: &Monitor, options: DiffOptions) -> Result<SpecDiff, Error> {
        let (monitors, alphabets) = ([self, new], [self.alphabet(), new.alphabet()]);
        let joint = Joint::new(alphabets);
        let same_term = || {
            let sources = [self.interaction()?, new.interaction()?];
            Some(have_same_term(sources, self.alphabet(), &joint.signature))
        };
        let (old_in_new, new_in_old) = if same_term() == Some(true) {
            (Inclusion::Proved(Proof::Term), Inclusion::Proved(Proof::Term))
        } else {
            let way = |from| inclusion(monitors, &joint, from, options);
            let (there, back) = in_pool(0, || rayon::join(|| way(0), || way(1)));
            (there?, back?)
        };
        Ok(SpecDiff { signature: joint.signature, old_in_new, new_in_old })
    }
}
