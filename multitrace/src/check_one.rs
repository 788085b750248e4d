//! Sessions checked one at a time.

use crate::error::Error;
use crate::judging::Judge;
use crate::monitor::Monitor;
use crate::occurrences::{RankedSteps, locate, step_of, steps_of, steps_of_repaired};
use crate::verdict::SessionVerdict;
use multitrace_interaction::{Engine, LocationId, NodeId, Repair, Session, Verdict};
use multitrace_reports::finding::Finding;
use multitrace_reports::session_names::SessionNames;
use multitrace_runtime::{CheckConfig, Checked, Effort, Gaps};

/// Checks sessions one after another on one thread, and reuses its memory.
#[derive(Debug)]
pub struct SessionChecker<'m> {
    monitor: &'m Monitor,
    judge: Judge<'m>,
}

impl Monitor {
    /// A checker for sessions one after another.
    ///
    /// # Errors
    /// When the engine of the configuration is not available.
    ///
    /// ```
    /// use multitrace::{Spec, SpecFormat};
    /// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
    /// let monitor = spec.compile(&Default::default())?.monitor;
    /// let mut checker = monitor.checker(monitor.config())?;
    /// let sessions = ["s1", "s2"].map(|id| monitor.session(id).build());
    /// assert!(sessions.iter().all(|session| !checker.check(session).is_pass()));
    /// # Ok::<(), multitrace::Error>(())
    /// ```
    pub fn checker(&self, config: CheckConfig) -> Result<SessionChecker<'_>, Error> {
        Ok(SessionChecker { monitor: self, judge: Judge::new(self, config)? })
    }

    /// Checks one session.
    ///
    /// # Errors
    /// When the engine of the configuration is not available.
    pub fn check(&self, session: &Session, config: CheckConfig) -> Result<SessionVerdict, Error> {
        Ok(self.checker(config)?.check(session))
    }

    /// The engine that checks sessions with a configuration.
    ///
    /// # Errors
    /// When it is not available.
    pub fn engine(&self, config: &CheckConfig) -> Result<Engine, Error> {
        Ok(Judge::new(self, *config)?.engine())
    }
}

impl SessionChecker<'_> {
    /// Checks a session.
    ///
    /// # Panics
    /// When the session is not over the alphabet of the monitor.
    pub fn check(&mut self, session: &Session) -> SessionVerdict {
        let (checked, findings, _) = self.judged(session);
        let (engine, alphabet) = (self.judge.engine(), self.monitor.alphabet());
        let evidence = match checked.verdict {
            Verdict::Fail(_) => Finding::of(&checked.verdict, &SessionNames { session, alphabet }),
            _ => Vec::new(),
        };
        let verdict = SessionVerdict::new(&session.id, &checked, findings, engine, None);
        SessionVerdict { evidence, ..verdict }
    }

    /// Whether a session passes; without its findings, which take longer.
    pub(crate) fn passes(&mut self, session: &Session) -> bool {
        self.judge.decide(session).verdict == Verdict::Pass
    }

    fn judged(&mut self, session: &Session) -> (Checked, Vec<Finding>, Option<Repair>) {
        let (checked, given) = (self.judge.decide(session), (session, Gaps::None));
        let (findings, repair) = self.judge.findings(given, &checked.verdict, &None, Effort::Brief);
        (checked, findings, repair)
    }

    /// The findings of a session, each fault with the node of the specification that it is about, if that is known.
    pub(crate) fn located(&mut self, session: &Session) -> Vec<Finding> {
        let (_, mut findings, repair) = self.judged(session);
        let given = (session, Gaps::None);
        locate(self.monitor, &mut self.judge, given, repair.as_ref(), &mut findings);
        findings
    }

    /// The repair of a session that fails, and the steps that the repaired session takes, if both are known.
    pub(crate) fn repaired(&mut self, session: &Session) -> Option<(Repair, RankedSteps)> {
        let repair = self.judged(session).2.filter(|it| !it.edits.is_empty())?;
        let given = (session, Gaps::None);
        let steps = steps_of_repaired(self.monitor, &mut self.judge, given, &repair)?;
        Some((repair, steps))
    }

    /// The steps that an accepted session takes, if they are known.
    pub(crate) fn steps(&mut self, session: &Session) -> Option<RankedSteps> {
        steps_of(self.monitor, &mut self.judge, (session, Gaps::None))
    }

    /// The node of the specification that an event of an accepted session is, if that is known.
    pub(crate) fn step_of(
        &mut self,
        session: &Session,
        event: (LocationId, usize),
    ) -> Option<NodeId> {
        step_of(self.monitor, &mut self.judge, session, event)
    }

    /// The first finding of a session, and the edits that make it accepted if that number is known.
    pub(crate) fn first_finding(&mut self, session: &Session) -> (String, Option<u64>) {
        let (checked, findings, repair) = self.judged(session);
        let finding =
            findings.first().map_or_else(|| checked.verdict.name().to_owned(), Finding::to_string);
        (finding, repair.filter(|it| it.exact).map(|it| it.distance))
    }
}
