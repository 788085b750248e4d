//! The execution of an interaction, step by step: its execution tree, and the analysis graph of a session (papers 000
//! sec. 3.2 and 001 sec. 4).

mod after;
mod frontier;
mod grow;
mod logs;
mod options;
mod reading;
mod written;

use crate::error::{Error, Lacking};
use crate::inputs::Inputs;
use crate::monitor::Monitor;
use grow::Growth;
use logs::Logs;
use multitrace_formats::problem::InputProblem;
use multitrace_interaction::{Interaction, Session, Signature, TermStore};
use multitrace_reports::exploration::{AnalyzedSession, Exploration};
use std::ops::ControlFlow;

pub use options::{ExploreOptions, Strategy};

/// The execution tree of an interaction after a trace, `a!m.b?m`; an empty trace is its beginning.
///
/// ```
/// use multitrace::{ExploreOptions, Spec, SpecFormat, explore};
///
/// let spec = Spec::parse("shop.hif", "alt(a -- yes -> b, a -- no -> b)", SpecFormat::Hif);
/// let read = spec.interaction(&Default::default())?.expect("an interaction");
/// let (signature, interaction) = (&read.parsed.signature, &read.parsed.interaction);
/// let tree = explore(signature, interaction, "", &ExploreOptions::default())?;
/// let next: Vec<&str> = tree.branches.iter().map(|it| it.action.as_str()).collect();
/// assert_eq!(next, ["a!yes", "a!no", "b?yes", "b?no"]);
/// assert!(explore(signature, interaction, "a!yes.a!no", &ExploreOptions::default()).is_err());
/// # Ok::<(), multitrace::Error>(())
/// ```
///
/// # Errors
/// When the trace has an unknown action, or one that cannot happen; the message names those that can.
///
/// # Panics
/// When the interaction is not over this signature.
pub fn explore(
    signature: &Signature,
    interaction: &Interaction,
    trace: &str,
    options: &ExploreOptions,
) -> Result<Exploration, Error> {
    let trace = after::parse_trace(trace, signature, interaction.actions())?;
    let mut store = TermStore::new();
    let root = store.intern(interaction).root();
    let roots = after::terms_after(&mut store, root, &trace, signature)?;
    let growth = Growth::new(store, signature, options, Logs::default());
    let growth = if trace.is_empty() { growth.showing(interaction) } else { growth };
    let mut exploration = growth.explore(roots);
    exploration.after = trace.into_iter().map(|action| signature.action_text(action)).collect();
    Ok(exploration)
}

#[doc(hidden)]
impl Monitor {
    /// The analysis graph of a session (001 def. 11): the rest of the interaction and of the logs after each way to
    /// explain some events. It is about complete logs, whatever the bundle observes. `None` if the specification is an
    /// automaton.
    pub fn explore(&self, session: &Session, options: &ExploreOptions) -> Option<Exploration> {
        let (signature, interaction) = self.interaction()?;
        let alphabet = self.alphabet();
        let mut store = TermStore::new();
        let root = store.intern(interaction).root();
        let logs = Logs::of_session(session, alphabet);
        let growth = Growth::new(store, signature, options, logs).showing(interaction);
        let mut exploration = growth.explore([root]);
        let known = alphabet.locations().map(|it| alphabet.location_name(it).to_owned());
        let foreign = session.foreign.iter().map(|it| it.location.clone());
        let (id, locations) = (session.id.clone(), known.chain(foreign).collect());
        exploration.session = Some(AnalyzedSession { id, locations });
        Some(exploration)
    }

    /// The same for the sessions of an id, one after another. It hands on problems of the input, which
    /// may hide such a session. Event logs are grouped in about `memory` bytes.
    ///
    /// # Errors
    /// When the specification is an automaton, or event logs cannot be grouped.
    pub fn explore_sessions(
        &self,
        inputs: Inputs,
        id: &str,
        memory: usize,
        options: &ExploreOptions,
        each: &mut dyn FnMut(Result<Exploration, InputProblem>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        if self.interaction().is_none() {
            let name = self.bundle().provenance.spec_name.clone();
            return Err(Lacking::Terms(name).into());
        }
        reading::each_session(self.alphabet(), inputs, id, memory, &mut |item| {
            let explored = item.map(|session| self.explore(session, options));
            explored.transpose().map_or(ControlFlow::Continue(()), &mut *each)
        })
    }
}
