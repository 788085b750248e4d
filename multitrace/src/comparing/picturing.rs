//! The diagrams of old and of new sessions, with the changes marked.

use super::{ChangeKind, Comparison};
use crate::error::Error;
use crate::learning::observing::Observed;
use crate::learning::{LearnOptions, learn_observed};
use crate::run::pool_size;
use multitrace_formats::workers::in_pool;
use multitrace_learn::Observations;
use multitrace_reports::pictures::overlay::{Mark, Overlay};
use multitrace_reports::pictures::{Picture, Tone};
use multitrace_reports::text::counted;

#[doc(hidden)]
impl Comparison {
    /// The diagrams that are learnt from the old sessions and from the new ones, each with a caption. Events of behaviours
    /// that are gone or less frequent are marked in the old one, of those that are new or more frequent in the new one.
    ///
    /// # Errors
    /// When a diagram cannot be compiled.
    pub fn pictures(&self, names: &[String; 2]) -> Result<Vec<Vec<(String, Picture)>>, Error> {
        let row = || -> Result<_, Error> {
            Ok(vec![self.picture(0, &names[0])?, self.picture(1, &names[1])?])
        };
        Ok(vec![in_pool(pool_size(self.threads)?, row)?])
    }

    /// The diagram of one side, without unusual sessions unless a change stands in them alone.
    fn picture(&self, side: usize, name: &str) -> Result<(String, Picture), Error> {
        let usual = LearnOptions::default();
        let mut learnt = learn_observed(self.observed(side), &usual)?.0;
        let own = || self.changes.iter().filter(|it| side_of(it.kind) == side);
        let mut events = own().flat_map(|it| &it.events);
        if events.any(|(it, _)| learnt.event(it).is_none()) {
            let all = LearnOptions { outliers: None, ..usual };
            learnt = learn_observed(self.observed(side), &all)?.0;
        }
        let (monitor, names) = learnt.diagram()?;
        let mut overlay = Overlay::default();
        if let Some((signature, interaction)) = monitor.interaction() {
            for (kind, (event, part)) in
                own().flat_map(|it| it.events.iter().map(|event| (it.kind, event)))
            {
                let Some(event) = learnt.event(event) else { continue };
                let event = names.action_text(event);
                overlay = overlay.with_events(interaction, signature, &[event], &mark(kind, part));
            }
        }
        let left_out: u64 = learnt.outliers.iter().map(|it| it.count).sum();
        let without = match left_out {
            0 => String::new(),
            _ => format!(", without {} unlike the others", counted(left_out, "session")),
        };
        let caption = format!("{name}: {}{without}", counted(learnt.sessions, "session"));
        Ok((caption, monitor.drawn(&overlay)))
    }

    /// The sessions of one side.
    fn observed(&self, side: usize) -> Observed {
        let own = self.compared.iter().filter(|it| it.counts[side] > 0);
        let (sessions, ids) =
            own.map(|it| ((it.logs.clone(), it.counts[side]), it.ids[side].clone())).unzip();
        let observations = Observations { signature: self.signature.clone(), sessions };
        let locations = self.locations[side].clone();
        Observed { observations, ids, locations, ..Observed::default() }
    }
}

/// The side whose diagram shows a change.
fn side_of(kind: ChangeKind) -> usize {
    usize::from(matches!(kind, ChangeKind::New | ChangeKind::More))
}

/// A mark for an event, or for a part of its behaviour.
fn mark(kind: ChangeKind, part: &str) -> Mark {
    let (tone, change) = match kind {
        ChangeKind::New => (Tone::Bad, "new"),
        ChangeKind::Gone => (Tone::Bad, "gone"),
        ChangeKind::More => (Tone::Accent, "more often"),
        ChangeKind::Less => (Tone::Accent, "less often"),
    };
    Mark::new(tone, format!("{change}{part}"))
}
