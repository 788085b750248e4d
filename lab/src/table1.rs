//! The table of paper 004 sec. 5: four automata of AutomatArk, sets of multi-traces by verdict, and
//! the time per multi-trace of the paper's algorithms and of multitrace.

use crate::baseline::{self, SemiCentralized, algorithm_1};
use crate::corpus::corpus;
use crate::multitraces::{Answer, Maker, Set, TestSet, split};
use crate::table::{Table, count, ratio, seconds};
use crate::timing::{Effort, Way, compare};
use multitrace_compiler::{Config, compile_automaton};
use multitrace_formats::{bundle::Provenance, source::Source, timbuk};
use multitrace_interaction::generate::Dice;
use multitrace_interaction::{Alphabet, Cause, Failure, Id, Nfa, Session, Verdict};
use multitrace_runtime::{Budget, CheckConfig, Checker, Comparison, Monitor, Procedure, States};
use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

/// The automata of the paper's table, by their files.
pub const AUTOMATA: [(&str, &str); 4] = [
    ("NFA1", "Bakery-4P-BinEnc-BwBad_armcNFA_inclTest_12"),
    ("NFA2", "Bakery-4P-BinEnc-BwBad_armcNFA_inclTest_11"),
    ("NFA3", "Bakery-4P-BinEnc-BwBad_armcNFA_inclTest_6"),
    ("NFA4", "Bakery4pBinEnc-FbtOneOne-Nondet_armcNFA_inclTest_10"),
];

const NOTE: &str = "\
The four automata of paper 004 (sec. 5, Table 1), their letters split at random over 2, 3 and 4
locations, and sets of multi-traces of 200 to 250 events, made at random by their verdicts. Times
are per multi-trace, after set-up: of Algorithm 1 and of Algorithms 2 and 3 as the paper prints
them, of multitrace's centralized procedure, and of its usual one; multitrace also explains each
failure. Local errors name the first location, and all answers are compared with those of a naive
search. *Timed* is how many multi-traces of the set were timed, the same for all. > marks a lower
bound: for some multi-traces that way gave up, after 300,000 states.";

const HEADER: [&str; 11] = [
    "NFA (states, transitions)",
    "locations",
    "set",
    "multi-traces",
    "timed",
    "Algorithm 1",
    "Algorithms 2+3",
    "centralized",
    "multitrace",
    "Algorithm 1 / multitrace",
    "Algorithms 2+3 / multitrace",
];

/// The stream of a seed by which letters are split; making sets takes the first ones.
const SPLITS: u64 = 5;

/// How much is measured.
#[derive(Clone, Copy)]
struct Amount {
    /// Multi-traces per set.
    set: usize,
    /// About how long one turn of all ways takes; where some are slow, all check fewer
    /// multi-traces of the set.
    turn: Duration,
    /// The most states that any way but the last builds for a multi-trace.
    most: usize,
}

impl Amount {
    fn new(effort: Effort) -> Amount {
        if effort.rounds > 1 {
            Amount { set: 1_000, turn: Duration::from_millis(300), most: 300_000 }
        } else {
            Amount { set: 20, turn: Duration::from_millis(10), most: 10_000 }
        }
    }
}

/// The group.
pub fn tables(effort: Effort) -> Vec<Table> {
    let Some(folder) = corpus().map(|corpus| corpus.join("automatark")) else {
        return Vec::new();
    };
    let mut table = Table::new("The table of paper 004", NOTE, &HEADER);
    for (index, (name, file)) in AUTOMATA.into_iter().enumerate() {
        let (letters, nfa) = load(&folder.join(format!("{file}.timbuk")));
        for locations in 2..=4 {
            let seed = 0x9e37_79b9_7f4a_7c15 ^ (index * 8 + locations) as u64;
            let alphabet = split(&letters, &nfa, locations, &mut Dice::new(seed, SPLITS));
            let maker = Maker::new(&alphabet, &nfa, seed);
            let subject = Subject::new(name, &alphabet, &nfa);
            subject.rows(effort, maker, &mut table);
        }
    }
    vec![table]
}

pub fn load(path: &Path) -> (Vec<String>, Nfa) {
    let text = std::fs::read_to_string(path).expect("the automaton is readable");
    let source = Source::new(path.display().to_string(), text);
    let read = timbuk::parse(&source).unwrap_or_else(|error| panic!("{error}"));
    let nfa = Nfa::new(read.states.len(), read.initial, read.finals, read.transitions);
    (read.letters, nfa.expect("states in range"))
}

/// An automaton with its letters at locations, set up for every way to check.
struct Subject<'a> {
    name: &'a str,
    alphabet: &'a Alphabet,
    nfa: &'a Nfa,
    automaton: baseline::Automaton,
    semi_centralized: SemiCentralized,
    monitor: Monitor,
}

/// A way to check one session: its name, and its answer, `None` when it gives up.
type Check<'a> = (&'static str, Box<dyn Fn(&Session) -> Option<Answer> + 'a>);

/// A session, and its expected answer.
type Expected = (Session, Answer);

impl<'a> Subject<'a> {
    fn new(name: &'a str, alphabet: &'a Alphabet, nfa: &'a Nfa) -> Subject<'a> {
        let (letters, transitions) = (alphabet.clone(), nfa.clone());
        let config = Config::default();
        let provenance = Provenance::new("bench", name, b"", String::new());
        let compiled = compile_automaton(letters, transitions, provenance, &config);
        Subject {
            name,
            alphabet,
            nfa,
            automaton: baseline::Automaton::new(nfa),
            semi_centralized: SemiCentralized::new(alphabet, nfa),
            monitor: Monitor::new(compiled.bundle),
        }
    }

    /// The rows of all sets.
    fn rows(&self, effort: Effort, mut maker: Maker<'_>, table: &mut Table) {
        let amount = Amount::new(effort);
        for kind in TestSet::ALL {
            let set = maker.set(kind, amount.set);
            let mut row = vec![
                format!(
                    "{} ({}, {})",
                    self.name,
                    self.nfa.state_count(),
                    self.nfa.transitions().len()
                ),
                self.alphabet.locations().len().to_string(),
                kind.name().to_owned(),
                count(set.len() as f64),
            ];
            row.extend(self.times(set, effort, amount));
            row.resize(HEADER.len(), "-".to_owned());
            table.row(row);
        }
    }

    /// The remaining cells of a row; none for an empty set.
    fn times(&self, set: Set, effort: Effort, amount: Amount) -> Vec<String> {
        let session = |(trace, answer)| (Session { trace, ..Session::default() }, answer);
        let sessions: Vec<Expected> = set.into_iter().map(session).collect();
        let checks = self.checks(amount.most);
        let (timed, gives_up) = sample(&sessions, &checks, amount.turn);
        if timed.is_empty() {
            return Vec::new();
        }
        let ways = checks.iter();
        let ways = ways.map(|(name, check)| Way::new(name, move || wrong(timed, check)));
        let mut ways: Vec<_> = ways.collect();
        let times = compare(effort, &Vec::new(), &mut ways);
        let bound = |way: usize| if gives_up[way] { "> " } else { "" };
        let time =
            |way: usize| format!("{}{}", bound(way), seconds(times[way] / timed.len() as f64));
        let gain = |way: usize| format!("{}{}", bound(way), ratio(times[way] / times[3]));
        let mut cells = vec![count(timed.len() as f64)];
        cells.extend((0..4).map(time));
        cells.extend((0..2).map(gain));
        cells
    }

    /// All ways to check. All but the last, which is ours, may give up after this many states.
    fn checks(&self, most: usize) -> [Check<'_>; 4] {
        let usual = CheckConfig::default();
        let budget = Budget { states: States::Fixed(most as u64), ..Budget::default() };
        let procedure = Procedure::Centralized;
        let comparison = Comparison { procedure, ..Comparison::default() };
        let checker =
            |config| RefCell::new(Checker::new(&self.monitor, config).expect("an engine"));
        let centralized = checker(CheckConfig { comparison, budget, ..usual });
        let usual = checker(usual);
        [
            ("Algorithm 1", Box::new(move |session| self.by_algorithm_1(session, most))),
            (
                "Algorithms 2+3",
                Box::new(move |session| self.semi_centralized.check(&session.trace, most)),
            ),
            ("centralized", Box::new(move |session| self.by_multitrace(session, &centralized))),
            (
                "multitrace",
                Box::new(move |session| {
                    let answer = self.by_multitrace(session, &usual);
                    Some(answer.expect("within the default budget"))
                }),
            ),
        ]
    }

    fn by_algorithm_1(&self, session: &Session, most: usize) -> Option<Answer> {
        let passes = algorithm_1(&self.automaton, &session.trace, most)?;
        Some(if passes { Answer::Pass } else { Answer::Error })
    }

    fn by_multitrace(&self, session: &Session, checker: &RefCell<Checker<'_>>) -> Option<Answer> {
        match checker.borrow_mut().check(session).verdict {
            Verdict::Pass => Some(Answer::Pass),
            Verdict::Fail(failure) => Some(self.answer(&failure)),
            Verdict::WeakPass => panic!("no observation mode was asked for"),
            Verdict::Inconclusive(_) => None,
        }
    }

    /// The answer that a failure has in the paper: of several locations the first, which need not be the main
    /// finding's.
    fn answer(&self, failure: &Failure) -> Answer {
        let local = |cause: &Cause| match cause {
            Cause::Local(failure) => Some(failure.location),
            _ => None,
        };
        match failure.causes.iter().filter_map(local).min() {
            Some(location) => Answer::LocalError(location.index()),
            None if matches!(failure.main(), Cause::Inter(_)) => Answer::InterError,
            None => Answer::CentralError,
        }
    }
}

/// The sessions that all ways together check in a turn, and which of the ways give up on some.
fn sample<'s>(
    sessions: &'s [Expected],
    checks: &[Check<'_>],
    turn: Duration,
) -> (&'s [Expected], Vec<bool>) {
    let mut gives_up = vec![false; checks.len()];
    let begin = Instant::now();
    for (index, (session, _)) in sessions.iter().enumerate() {
        if begin.elapsed() > turn {
            return (&sessions[..index], gives_up);
        }
        for ((_, check), gives_up) in checks.iter().zip(&mut gives_up) {
            *gives_up |= check(session).is_none();
        }
    }
    (sessions, gives_up)
}

/// The indexes of the sessions that a way answers wrongly; giving up is not an answer.
fn wrong(sessions: &[Expected], check: &dyn Fn(&Session) -> Option<Answer>) -> Vec<usize> {
    let is_wrong = |(session, expected): &Expected| {
        check(session).is_some_and(|answer| !answer.agrees_with(*expected))
    };
    let wrong = sessions.iter().enumerate().filter(|(_, expected)| is_wrong(expected));
    wrong.map(|(index, _)| index).collect()
}
