//! One session on its way to a verdict.

use crate::budget::Allowance;
use crate::config::CheckConfig;
use crate::monitor::Monitor;
use crate::question::Question;
use multitrace_interaction::{Engine, Observation, Session};

/// A session, the monitor and the configuration that check it.
#[derive(Debug)]
pub(crate) struct Task<'a> {
    pub(crate) monitor: &'a Monitor,
    pub(crate) session: &'a Session,
    pub(crate) config: &'a CheckConfig,
    pub(crate) engine: Engine,
    /// Per location, whether its log was cut, so that it may go on; empty if none was.
    pub(crate) open_ends: &'a [bool],
    /// The limits of each search.
    pub(crate) allowance: Allowance,
}

impl<'a> Task<'a> {
    /// The question to searches in an observation mode.
    pub(crate) fn question(&self, observation: Observation) -> Question<'a> {
        Question {
            monitor: self.monitor,
            trace: &self.session.trace,
            observation,
            open_ends: self.open_ends,
            tied: None,
            allowance: self.allowance.clone(),
        }
    }
}
