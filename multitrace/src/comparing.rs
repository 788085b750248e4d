//! Changes of behaviour between old and new sessions.

// Idea: a behaviour is something that a session shows or does not: an event, an event directly after another in a log, an
// event several times. Behaviours are those of both sides together, so if nothing changed, each side has a random part of
// the sessions that show one, and Fisher's test is exact. Behaviours that the same sessions show are one. No diagram is
// learnt: which one comes out depends on chance, and would make differences of its own.

mod behaviours;
mod fisher;
mod picturing;

use crate::error::Error;
use crate::inputs::Inputs;
use crate::learning::naming::Renaming;
use crate::learning::observing::{Naming, Observed, observe};
use crate::problems::Problems;
use crate::run::{DEFAULT_MEMORY, pool_size};
use behaviours::{Behaviour, SideSession, shown, whole_sessions};
use fisher::{Fisher, threshold};
use indexmap::IndexMap;
use multitrace_formats::workers::in_pool;
use multitrace_interaction::{Action, Signature};
use multitrace_learn::SessionLogs;
use std::collections::HashSet;
use std::num::NonZeroUsize;

/// How sessions are compared.
#[derive(Clone, Copy, Debug)]
pub struct CompareOptions {
    /// How often anything may be reported although nothing changed, from 0 to 1. By default once in 10,000 comparisons: a
    /// gate runs often.
    pub chance: f64,
    /// For event logs: sessions are grouped in about this much memory, in bytes.
    pub memory: usize,
    /// The number of threads, at most [`MOST_THREADS`](crate::MOST_THREADS); `None` for one per processor.
    pub threads: Option<NonZeroUsize>,
}

impl Default for CompareOptions {
    fn default() -> CompareOptions {
        CompareOptions { chance: 1e-4, memory: DEFAULT_MEMORY, threads: None }
    }
}

/// The kinds of changes of a behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// No old session shows it.
    New,
    /// No new session shows it.
    Gone,
    /// More of the new sessions show it.
    More,
    /// Fewer of the new sessions show it.
    Less,
}

impl ChangeKind {
    fn of([old, new]: [u64; 2], [old_all, new_all]: [u64; 2]) -> ChangeKind {
        match (old, new) {
            (0, _) => ChangeKind::New,
            (_, 0) => ChangeKind::Gone,
            _ if new as f64 * old_all as f64 > old as f64 * new_all as f64 => ChangeKind::More,
            _ => ChangeKind::Less,
        }
    }

    /// All, in the order of reports.
    pub const ALL: [ChangeKind; 4] =
        [ChangeKind::New, ChangeKind::Gone, ChangeKind::More, ChangeKind::Less];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ChangeKind::New => "new",
            ChangeKind::Gone => "gone",
            ChangeKind::More => "more",
            ChangeKind::Less => "less",
        }
    }
}

/// A behaviour that the sessions of one side show more often.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Whether it is new, gone, more or less frequent.
    pub kind: ChangeKind,
    /// The behaviour, in words.
    pub title: String,
    /// All that the same sessions show, in words.
    pub shown: Vec<String>,
    /// How many old and new sessions show it.
    pub counts: [u64; 2],
    /// How likely such a difference, or a larger one, is by chance.
    pub p: f64,
    /// The ids of some old and new sessions that show it.
    pub ids: [Vec<String>; 2],
    /// The events that show it in a picture, each with the part of it that is the behaviour.
    events: Vec<(String, String)>,
}

/// The changes from old sessions to new ones.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// How many sessions there are.
    pub sessions: [u64; 2],
    /// How many there were beside them that are not known as a whole: with gaps, an event that is not an action, or
    /// without order.
    pub skipped: [u64; 2],
    /// How many behaviours could have changed beyond chance.
    pub tested: usize,
    /// Changes beyond chance: new, gone, more and less, the least likely first.
    pub changes: Vec<Change>,
    /// Behaviours of only one side, in too few sessions to tell them from chance.
    pub uncertain: Vec<Change>,
    /// Problems of inputs that could not be read.
    pub problems: Problems,
    /// Remarks on the inputs of each side: records that no rule matches, files that were left out.
    pub notes: [Vec<String>; 2],
    /// All that was compared, by its names, for pictures.
    compared: Vec<SideSession>,
    signature: Signature,
    /// Lifelines of each side whose events are in one log.
    locations: [Vec<Vec<String>>; 2],
    threads: Option<NonZeroUsize>,
}

impl Comparison {
    /// Whether a behaviour is new or gone beyond chance.
    pub fn has_new_or_gone(&self) -> bool {
        self.changes.iter().any(|it| it.kind < ChangeKind::More)
    }
}

/// Compares sessions: their behaviours, and how frequent each is.
///
/// ```
/// use multitrace::{ChangeKind, CompareOptions, Inputs, compare};
/// let lines = |answer: &str| -> String {
///     let line = |id| format!("{{\"session\":\"{id}\",\"traces\":{{\"a\":[\"a!ask\",\"a?{answer}\"]}}}}\n");
///     (0..30).map(line).collect()
/// };
/// let sides = ["yes", "no"].map(lines);
/// let [old, new] = sides.each_ref().map(|it| Inputs::reader("logs", std::io::Cursor::new(it.clone())));
/// let found = compare(old, new, CompareOptions::default())?;
/// let kinds: Vec<ChangeKind> = found.changes.iter().map(|it| it.kind).collect();
/// assert_eq!(kinds, [ChangeKind::New, ChangeKind::Gone]);
/// # Ok::<(), multitrace::Error>(())
/// ```
///
/// # Errors
/// When event logs cannot be grouped, or there are too many threads.
pub fn compare(old: Inputs, new: Inputs, options: CompareOptions) -> Result<Comparison, Error> {
    let both = || {
        let side = |inputs| observe(inputs, options.memory, Naming::Any);
        Ok::<_, Error>([side(old)?, side(new)?])
    };
    let mut sides = in_pool(pool_size(options.threads)?, both)?;
    let notes = sides.each_mut().map(|it| std::mem::take(&mut it.notes));
    let totals = sides.each_ref().map(|it| it.observations.count());
    let skipped = sides.each_ref().map(|it| it.skipped);
    let locations = sides.each_mut().map(|it| std::mem::take(&mut it.locations));
    let (signature, sessions, problems) = together(sides);
    let mut found = Comparison {
        sessions: totals,
        skipped,
        problems,
        notes,
        locations,
        ..Comparison::default()
    };
    if totals.contains(&0) {
        return Ok(found);
    }
    // Half of the error by chance is for behaviours, half for sessions as a whole. A session whose parts changed has
    // changed as a whole, too: that is reported only if nothing else is.
    let fisher = Fisher::new(totals);
    let parts = Tested::new(shown(&sessions), &fisher, options.chance / 2.0).without_implied();
    let wholes = Tested::new(whole_sessions(&sessions), &fisher, options.chance / 2.0);
    found.tested = parts.tested + wholes.tested;
    let of = |it: &(Behaviour, f64)| change(it, &signature, &sessions, totals);
    let beyond = if parts.beyond.is_empty() { &wholes.beyond } else { &parts.beyond };
    found.changes = beyond.iter().map(of).collect();
    found.uncertain = parts.uncertain.iter().map(of).collect();
    for changes in [&mut found.changes, &mut found.uncertain] {
        changes.sort_by(|a, b| {
            a.kind.cmp(&b.kind).then(a.p.total_cmp(&b.p)).then_with(|| a.title.cmp(&b.title))
        });
    }
    (found.compared, found.signature, found.threads) = (sessions, signature, options.threads);
    Ok(found)
}

/// Behaviours of one kind that were tested, with how likely each difference is by chance.
struct Tested {
    tested: usize,
    beyond: Vec<(Behaviour, f64)>,
    uncertain: Vec<(Behaviour, f64)>,
}

impl Tested {
    fn new(behaviours: Vec<Behaviour>, fisher: &Fisher, chance: f64) -> Tested {
        let least = behaviours.iter().map(|it| fisher.least(it.counts));
        let (threshold, tested) = threshold(least.collect(), chance);
        let (mut beyond, mut uncertain) = (Vec::new(), Vec::new());
        for behaviour in behaviours {
            let p = fisher.chance(behaviour.counts);
            if p <= threshold {
                beyond.push((behaviour, p));
            } else if behaviour.counts.contains(&0) {
                uncertain.push((behaviour, p));
            }
        }
        Tested { tested, beyond, uncertain }
    }

    /// Without behaviours that are new because an event of theirs is, which is reported by itself; the same for those
    /// that are gone.
    fn without_implied(self) -> Tested {
        let Tested { tested, mut beyond, mut uncertain } = self;
        let all = || beyond.iter().chain(&uncertain).map(|(behaviour, _)| behaviour);
        let told = [0, 1].map(|side| -> HashSet<Action> {
            all().filter(|it| it.counts[side] == 0).flat_map(Behaviour::events).collect()
        });
        let is_told = |(behaviour, _): &(Behaviour, f64)| {
            let absent = behaviour.counts.iter().position(|count| *count == 0);
            let is_implied = |side: usize| behaviour.actions().any(|it| told[side].contains(&it));
            behaviour.events().next().is_some() || !absent.is_some_and(is_implied)
        };
        beyond.retain(is_told);
        uncertain.retain(is_told);
        Tested { tested, beyond, uncertain }
    }
}

fn change(
    (behaviour, p): &(Behaviour, f64),
    signature: &Signature,
    sessions: &[SideSession],
    totals: [u64; 2],
) -> Change {
    let counts = behaviour.counts;
    let ids = [0, 1].map(|side| {
        let examples = behaviour.examples[side].iter();
        examples.filter_map(|&at| sessions[at as usize].ids[side].first().cloned()).collect()
    });
    let first = behaviour.examples.iter().flatten().next();
    let marked = behaviour.marked(signature);
    let logs = first.map(|&at| &sessions[at as usize].logs[..]).unwrap_or_default();
    Change {
        kind: ChangeKind::of(counts, totals),
        title: behaviour.title(signature, logs),
        shown: behaviour.shown.iter().map(|it| it.text(signature, logs)).collect(),
        counts,
        p: *p,
        ids,
        events: marked.into_iter().map(|(it, part)| (signature.action_text(it), part)).collect(),
    }
}

/// The sessions of both sides with the same names, equal ones together.
fn together(sides: [Observed; 2]) -> (Signature, Vec<SideSession>, Problems) {
    let mut all = Signature::default();
    for signature in sides.iter().map(|it| &it.observations.signature) {
        for lifeline in signature.lifelines() {
            all.intern_lifeline(signature.lifeline_name(lifeline));
        }
        for message in signature.messages() {
            all.intern_message(signature.message_name(message));
        }
    }
    let mut names = Renaming::sorted(&all).new;
    let mut problems = Problems::default();
    let mut sessions: IndexMap<SessionLogs, SideSession> = IndexMap::new();
    for (side, observed) in sides.into_iter().enumerate() {
        problems.append(observed.problems);
        let old = observed.observations.signature;
        let mut renaming = Renaming::onto(&old, names);
        let each = observed.observations.sessions.into_iter().zip(observed.ids);
        for ((logs, count), ids) in each {
            let logs = renaming.logs(logs.to_vec());
            let session = sessions
                .entry(SessionLogs::clone(&logs))
                .or_insert_with(|| SideSession { logs, ..SideSession::default() });
            session.counts[side] = count;
            session.ids[side] = ids;
        }
        names = renaming.new;
    }
    (names, sessions.into_values().collect(), problems)
}
