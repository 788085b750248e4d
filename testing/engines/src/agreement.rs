//! Random interactions, partitions and multi-traces: every configuration and procedure gives the
//! verdict that the definitions give (denotations of paper 000 sec. 3.3, projected), as far as
//! those can be enumerated, and every witness is a trace of the interaction as it was written.
//!
//! `complete` is compared in both directions: the number of events is that of the global trace. In
//! `prefix` and `slice` enumeration finds extensions by up to `EXTENSION` actions, which we must
//! find, too; longer ones are proven by their witness.

use crate::disagreement::Disagreement;
use crate::ways;
use multitrace_compiler::Config;
use multitrace_interaction::{
    Action, Alphabet, Cause, Derivative, Id, Interaction, LetterId, LocalFailure, Locations,
    Observation, Session, Signature, Step, TermId, TermStore, UnknownEvent, Verdict, Witness,
};
use multitrace_runtime::{CheckConfig, Checked, Monitor, replay};
use multitrace_testing::denotations::{
    any_action, any_interaction, any_locations, language, project, signature,
};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Multi-traces come from accepted global traces of at most this many actions.
const MOST: usize = 4;
/// How many unobserved actions enumeration looks for.
const EXTENSION: usize = 3;
/// Enumeration does not go on to longer traces from more than this many.
const MOST_WORDS: usize = 400;

/// One local trace per location, as actions.
pub(crate) type Trace = Vec<Vec<Action>>;

#[derive(Clone, Debug)]
enum Mutation {
    Insert(Action, Index),
    Replace(Action, Index),
    Remove(Index, Index),
    Swap(Index, Index),
    Truncate(Index, Index),
    Behead(Index, Index),
}

/// An interaction with locations, and a multi-trace that it accepts or nearly does.
#[derive(Clone, Debug)]
pub struct Case {
    pub(crate) interaction: Interaction,
    pub(crate) locations: Locations,
    word: Index,
    mutations: Vec<Mutation>,
}

fn any_mutation() -> impl Strategy<Value = Mutation> {
    let place = || (any::<Index>(), any::<Index>());
    prop_oneof![
        1 => (any_action(), any::<Index>()).prop_map(|(action, at)| Mutation::Insert(action, at)),
        1 => (any_action(), any::<Index>()).prop_map(|(action, at)| Mutation::Replace(action, at)),
        1 => place().prop_map(|(location, at)| Mutation::Remove(location, at)),
        1 => place().prop_map(|(location, at)| Mutation::Swap(location, at)),
        2 => place().prop_map(|(location, at)| Mutation::Truncate(location, at)),
        2 => place().prop_map(|(location, at)| Mutation::Behead(location, at)),
    ]
}

/// Any case.
pub fn any_case() -> impl Strategy<Value = Case> {
    let mutations = proptest::collection::vec(any_mutation(), 0..=2);
    let parts = (any_interaction(), any_locations(), any::<Index>(), mutations);
    parts.prop_map(|(interaction, locations, word, mutations)| Case {
        interaction,
        locations,
        word,
        mutations,
    })
}

impl Mutation {
    fn apply(&self, trace: &mut Trace, locations: &Locations) {
        match self {
            Mutation::Insert(action, at) => {
                let local = &mut trace[locations.of(action.lifeline).index()];
                local.insert(at.index(local.len() + 1), *action);
            }
            Mutation::Replace(action, at) => {
                let local = &mut trace[locations.of(action.lifeline).index()];
                if !local.is_empty() {
                    let at = at.index(local.len());
                    local[at] = *action;
                }
            }
            Mutation::Remove(location, at) => {
                let local = location.get_mut(trace);
                if !local.is_empty() {
                    local.remove(at.index(local.len()));
                }
            }
            Mutation::Swap(location, at) => {
                let local = location.get_mut(trace);
                if local.len() > 1 {
                    let at = at.index(local.len() - 1);
                    local.swap(at, at + 1);
                }
            }
            Mutation::Truncate(location, at) => {
                let local = location.get_mut(trace);
                local.truncate(at.index(local.len() + 1));
            }
            Mutation::Behead(location, at) => {
                let local = location.get_mut(trace);
                local.drain(..at.index(local.len() + 1));
            }
        }
    }
}

impl Case {
    /// The case that these bytes choose, by the random numbers whose seed is their hash; `None` if they choose
    /// none. (Bytes instead of random numbers would not do: strategies draw again for ever once they are zeros.)
    pub fn of_bytes(bytes: &[u8]) -> Option<Case> {
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &Sha256::digest(bytes));
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
        let mut runner = TestRunner::new_with_rng(config, rng);
        Some(any_case().new_tree(&mut runner).ok()?.current())
    }

    pub(crate) fn trace(&self) -> Trace {
        let words = project(&language(&self.interaction, MOST), &self.locations);
        let words: Vec<Trace> = words.into_iter().collect();
        let empty = vec![Vec::new(); self.locations.len()];
        let mut trace = if words.is_empty() { empty } else { self.word.get(&words).clone() };
        for mutation in &self.mutations {
            mutation.apply(&mut trace, &self.locations);
        }
        trace
    }
}

// ---- The answers of the definitions

fn is_part(part: &[Action], whole: &[Action], observation: Observation) -> bool {
    match observation {
        Observation::Complete => part == whole,
        Observation::Missing => part == whole || part.is_empty(),
        Observation::Prefix | Observation::GlobalPrefix => whole.starts_with(part),
        Observation::Slice => {
            part.is_empty() || whole.windows(part.len()).any(|window| window == part)
        }
    }
}

fn are_parts(trace: &Trace, whole: &Trace, observation: Observation) -> bool {
    trace.iter().zip(whole).all(|(part, whole)| is_part(part, whole, observation))
}

/// The multi-traces of an interaction as far as they can be enumerated: those with as many events
/// as the trace, and more.
struct Naive {
    exact: BTreeSet<Trace>,
    longer: BTreeSet<Trace>,
    enumerated: bool,
}

impl Naive {
    fn new(case: &Case, trace: &Trace) -> Naive {
        let events: usize = trace.iter().map(Vec::len).sum();
        let mut words = language(&case.interaction, events);
        let exact = project(&words, &case.locations);
        let mut lengths = events + 1..=events + EXTENSION;
        while words.len() <= MOST_WORDS
            && let Some(length) = lengths.next()
        {
            words = language(&case.interaction, length);
        }
        let enumerated = lengths.next().is_none();
        Naive { exact, longer: project(&words, &case.locations), enumerated }
    }

    /// Whether an extension was found; when not, there may be a longer one.
    fn finds(&self, trace: &Trace, observation: Observation) -> bool {
        self.longer.iter().any(|whole| are_parts(trace, whole, observation))
    }
}

// ---- Witnesses, by the derivatives of the interaction as it was written

/// Whether the interaction accepts these actions, steps of several actions being uninterrupted.
fn accepts(interaction: &Interaction, actions: &[Action]) -> bool {
    let mut store = TermStore::new();
    let root = store.intern(interaction).root();
    // The rest of the step that has begun, and the term after it.
    let mut states: BTreeSet<(Vec<Action>, TermId)> = BTreeSet::from([(Vec::new(), root)]);
    for action in actions {
        let mut next = BTreeSet::new();
        for (left, term) in states {
            let begun: Vec<(Step, TermId)> = match Step::new(left) {
                Some(step) => vec![(step, term)],
                None => {
                    let derivatives = store.derivatives(term);
                    let begin = |d: &Derivative| (store.step_of(d.step).clone(), d.residual);
                    derivatives.iter().map(begin).collect()
                }
            };
            for (step, residual) in begun {
                if step.actions()[0] == *action {
                    next.insert((step.actions()[1..].to_vec(), residual));
                }
            }
        }
        states = next;
    }
    states.iter().any(|(left, term)| left.is_empty() && store.is_nullable(*term))
}

/// Checks that a witness is accepted and has the trace as the part of it that the mode says.
fn prove(
    case: &Case,
    trace: &Trace,
    witness: &Witness,
    action_of: &BTreeMap<LetterId, Action>,
    observation: Observation,
) -> Result<(), String> {
    let actions: Vec<Action> = witness.steps.iter().map(|step| action_of[&step.letter]).collect();
    if !accepts(&case.interaction, &actions) {
        return Err(format!("the interaction does not accept the witness {actions:?}"));
    }
    let word = Step::new(actions.clone()).into_iter().collect();
    let whole = project(&BTreeSet::from([word]), &case.locations);
    let whole = whole.first().expect("a word has a projection");
    if are_parts(trace, whole, observation) {
        return Ok(());
    }
    Err(format!("the trace is not a part of the witness {actions:?}"))
}

// ---- Comparing

/// The part of an answer that all configurations with an automaton must share.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answered {
    Pass,
    WeakPass,
    Local(LocalFailure),
    /// As `inter` or `central`: which of them depends on the automaton, and so on its reductions.
    Global,
    /// Terms may leave partial observation open.
    Open,
}

impl From<Verdict> for Answered {
    fn from(verdict: Verdict) -> Answered {
        match verdict {
            Verdict::Pass => Answered::Pass,
            Verdict::WeakPass => Answered::WeakPass,
            Verdict::Fail(failure) => match failure.main() {
                Cause::Local(failure) => Answered::Local(failure.clone()),
                Cause::Inter(_) | Cause::Central(_) => Answered::Global,
            },
            Verdict::Inconclusive(_) => Answered::Open,
        }
    }
}

/// Counts of compared answers.
#[derive(Debug, Default)]
pub struct Tally {
    /// How often each verdict was given.
    pub verdicts: BTreeMap<&'static str, usize>,
    without_automaton: usize,
    /// Cases for which the test enumerated every extension by up to `EXTENSION` actions.
    enumerated: usize,
    witnesses: usize,
}

pub(crate) fn session(trace: &Trace, alphabet: &Alphabet, signature: &Signature) -> Session {
    let mut session = Session::default();
    for (location, local) in trace.iter().enumerate() {
        let mut letters = Vec::new();
        for (index, &action) in local.iter().enumerate() {
            let text = signature.action_text(action);
            letters.push(alphabet.letter(&text).unwrap_or(LetterId::UNKNOWN));
            if alphabet.letter(&text).is_none() {
                session.unknown.push(UnknownEvent { location, index, text });
            }
        }
        session.trace.push(letters);
    }
    session
}

/// One case under one configuration.
struct Run<'a> {
    case: &'a Case,
    trace: &'a Trace,
    naive: &'a Naive,
    monitor: Monitor,
    session: Session,
    action_of: BTreeMap<LetterId, Action>,
}

impl<'a> Run<'a> {
    fn new(case: &'a Case, trace: &'a Trace, naive: &'a Naive, mut config: Config) -> Self {
        config.limits.states = 2_000;
        let signature = signature();
        let compiled = ways::compile(&signature, &case.interaction, &case.locations, &config);
        let monitor = Monitor::new(compiled.bundle);
        let session = session(trace, monitor.alphabet(), &signature);
        let letter = |action| monitor.alphabet().letter(&signature.action_text(action));
        let action_of = case.interaction.actions();
        let action_of = action_of.map(|action| (letter(action).expect("a letter"), action));
        let action_of = action_of.collect();
        Run { case, trace, naive, monitor, session, action_of }
    }

    /// Checks by every procedure, which must agree.
    fn check(&self, observation: Observation, tally: &mut Tally) -> Result<Answered, String> {
        let mut first: Option<Answered> = None;
        let terms = [ways::term_check(observation)];
        // Without an automaton all of them run on terms.
        let automaton = ways::checks(observation).into_iter().filter(|_| self.has_automaton());
        for (procedure, check) in automaton.chain(terms) {
            let checked = ways::check(&self.monitor, &self.session, &check);
            let name = ways::verdict_name(&checked.verdict);
            let place = |text| format!("{procedure}: {name}, {text}");
            // Without a witness the search records less.
            let check = CheckConfig { witness: false, ..check };
            let plain = ways::check(&self.monitor, &self.session, &check);
            if plain.verdict != checked.verdict {
                return Err(place(format!("without a witness {:?}", plain.verdict)));
            }
            self.judge(&checked.verdict, observation, procedure).map_err(place)?;
            self.judge_witness(&checked, observation).map_err(place)?;
            *tally.verdicts.entry(name).or_default() += 1;
            tally.witnesses += usize::from(checked.witness.is_some());
            let outcome = Answered::from(checked.verdict);
            let is_open = outcome == Answered::Open && procedure == "terms";
            if !is_open && first.as_ref().is_some_and(|first| *first != outcome) {
                return Err(format!("{procedure}: {outcome:?}, others {first:?}"));
            }
            first.get_or_insert(outcome);
        }
        first.ok_or_else(|| "no procedure".to_owned())
    }

    fn judge_witness(&self, checked: &Checked, observation: Observation) -> Result<(), String> {
        let passes = matches!(checked.verdict, Verdict::Pass | Verdict::WeakPass);
        let Some(witness) = &checked.witness else {
            return if passes { Err("without a witness".to_owned()) } else { Ok(()) };
        };
        let mode = ways::proven(&checked.verdict, observation);
        let replayed = replay(&self.monitor, &self.session, witness, mode);
        ways::unless_too_large(replayed).map_err(|error| error.to_string())?;
        prove(self.case, self.trace, witness, &self.action_of, mode)
    }

    fn has_automaton(&self) -> bool {
        self.monitor.bundle().automaton().is_some()
    }

    /// Whether a verdict is the one that the definitions give, as far as they can tell.
    fn judge(
        &self,
        verdict: &Verdict,
        observation: Observation,
        procedure: &str,
    ) -> Result<(), String> {
        let accepted = self.naive.exact.contains(self.trace);
        let wrong = match verdict {
            Verdict::Inconclusive(_) if procedure != "terms" => Some("with an automaton"),
            Verdict::Inconclusive(_) => {
                (observation == Observation::Complete).then_some("complete traces are decided")
            }
            Verdict::Pass => (!accepted).then_some("not accepted by definition"),
            Verdict::WeakPass if observation == Observation::Complete => Some("in complete mode"),
            Verdict::WeakPass => accepted.then_some("accepted by definition"),
            Verdict::Fail(_) if accepted => Some("accepted by definition"),
            Verdict::Fail(_) if observation == Observation::Complete => None,
            Verdict::Fail(_) => {
                self.naive.finds(self.trace, observation).then_some("an extension exists")
            }
        };
        wrong.map_or(Ok(()), |text| Err(text.to_owned()))
    }
}

/// Compares all ways to compile and to check with the definitions.
///
/// # Errors
/// The first disagreement, as text.
pub fn compare(case: &Case, tally: &mut Tally) -> Result<(), Disagreement> {
    let trace = case.trace();
    let naive = Naive::new(case, &trace);
    let run = |(name, config)| (name, Run::new(case, &trace, &naive, config));
    let runs: Vec<_> = ways::configs().into_iter().map(run).collect();
    tally.without_automaton += usize::from(!runs[0].1.has_automaton());
    tally.enumerated += usize::from(naive.enumerated);
    for observation in ways::MODES {
        let mut first: Option<(&str, Answered)> = None;
        for (name, run) in &runs {
            let place = |text| format!("{} of {trace:?}, {name}: {text}", observation.name());
            let outcome = run.check(observation, tally).map_err(place)?;
            match &first {
                // Without an automaton causes need not be the same.
                _ if !run.has_automaton() => {}
                Some((other, expected)) if *expected != outcome => {
                    return Err(place(format!("{outcome:?}, but {other}: {expected:?}")).into());
                }
                _ => first = Some((name, outcome)),
            }
        }
    }
    Ok(())
}
