//! The stable codes of findings. A code keeps its meaning for ever; docs/codes.md lists
//! them for people. Those of warnings of specifications, MT6xx, are
//! [`WarningCode`](multitrace_formats::warning::WarningCode)s.

use multitrace_formats::problem::ProblemKind;
use multitrace_interaction::{Alphabet, BudgetLimit, Cause, InconclusiveReason};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The kinds of findings and remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Code {
    /// Failures beyond the limit of groups.
    Rest,
    /// The passing sessions took less of the specification than is demanded.
    LowCoverage,
    /// A merged report lacks shards of the input.
    MissingShards,
    /// Records of event logs that no rule matches.
    Unmatched,
    /// Something that people should know of the input.
    InputNote,
    /// The input does not meet the demands of the run.
    Unmet,
    /// Most failing sessions would be accepted if logs might end early.
    OnlyEnds,
    /// Most failing sessions would be accepted if logs might be missing.
    OnlyLogs,
    /// An event that the specification knows is impossible where it stands in its log.
    ImpossibleEvent,
    /// An event that the specification does not know.
    UnknownEvent,
    /// A log that is possible so far ends too early.
    EndedTooEarly,
    /// Events of a location that the specification does not know.
    UnknownLocation,
    /// An event came too early or too late in its log.
    Moved,
    /// An event came in place of another one.
    Replaced,
    /// A message was sent and not received.
    Lost,
    /// A message was received and never sent.
    NotSent,
    /// A message was sent and received that should not be, or once more than it should.
    Repeated,
    /// An event should not be there.
    Unexpected,
    /// An event is missing, and its location goes on behind it.
    MissingEvent,
    /// A location stopped before an event.
    Stopped,
    /// Every log is possible, but they follow no common path.
    NoCommonPath,
    /// No interleaving of the logs is accepted.
    NoInterleaving,
    /// The search visited as many states as it may.
    StateBudget,
    /// The search used as much memory as it may.
    MemoryBudget,
    /// The session took as long as it may.
    TimeBudget,
    /// Unobserved actions may go on without end.
    EndlessSimulation,
    /// More of some log might explain the others.
    LackOfObservation,
    /// Lifeline removal was to decide alone and cannot.
    RemovalAlone,
    /// Some location logged nothing, and the others fit.
    Partial,
    /// An event log was cut off, and the logs fit as far as they go.
    CutOff,
    /// Some records of a session could not be used.
    Damaged,
    /// Accepted only as a part of something longer.
    OnlyAPart,
    /// Accepted, and the event log was cut off.
    AcceptedCutOff,
    /// An input that is malformed.
    MalformedInput,
    /// An input that cannot be read.
    UnreadableInput,
    /// The check of a session broke down.
    Internal,
}

impl Code {
    /// All of them, in the order of their numbers.
    pub const ALL: [Code; 36] = [
        Code::Rest,
        Code::LowCoverage,
        Code::MissingShards,
        Code::Unmatched,
        Code::InputNote,
        Code::Unmet,
        Code::OnlyEnds,
        Code::OnlyLogs,
        Code::ImpossibleEvent,
        Code::UnknownEvent,
        Code::EndedTooEarly,
        Code::UnknownLocation,
        Code::Moved,
        Code::Replaced,
        Code::Lost,
        Code::NotSent,
        Code::Repeated,
        Code::Unexpected,
        Code::MissingEvent,
        Code::Stopped,
        Code::NoCommonPath,
        Code::NoInterleaving,
        Code::StateBudget,
        Code::MemoryBudget,
        Code::TimeBudget,
        Code::EndlessSimulation,
        Code::LackOfObservation,
        Code::RemovalAlone,
        Code::Partial,
        Code::CutOff,
        Code::Damaged,
        Code::OnlyAPart,
        Code::AcceptedCutOff,
        Code::MalformedInput,
        Code::UnreadableInput,
        Code::Internal,
    ];

    /// The name of the cause that findings of this code are (paper 004 sec. 4); `None` if they are
    /// no failures.
    pub fn cause(self) -> Option<&'static str> {
        match self {
            Code::ImpossibleEvent
            | Code::UnknownEvent
            | Code::EndedTooEarly
            | Code::UnknownLocation => Some("local"),
            Code::NoCommonPath => Some("inter"),
            Code::NoInterleaving => Some("central"),
            _ => None,
        }
    }

    /// Whether findings of this code explain a session that fails.
    pub(crate) fn is_failure(self) -> bool {
        self.cause().is_some() || (Code::Moved..=Code::Stopped).contains(&self)
    }

    pub(crate) fn of_cause(cause: &Cause, alphabet: &Alphabet) -> Code {
        match cause {
            Cause::Inter(_) => Code::NoCommonPath,
            Cause::Central(_) => Code::NoInterleaving,
            Cause::Local(failure) if !alphabet.has_location(failure.location) => {
                Code::UnknownLocation
            }
            Cause::Local(failure) if !failure.is_known(alphabet) => Code::UnknownEvent,
            Cause::Local(failure) if failure.event.is_none() => Code::EndedTooEarly,
            Cause::Local(_) => Code::ImpossibleEvent,
        }
    }

    pub(crate) fn of_reason(reason: &InconclusiveReason) -> Code {
        match reason {
            InconclusiveReason::Budget { limit, .. } => match limit {
                BudgetLimit::States(_) => Code::StateBudget,
                BudgetLimit::Bytes(_) => Code::MemoryBudget,
                BudgetLimit::Time(_) => Code::TimeBudget,
            },
            InconclusiveReason::Simulation(_) => Code::EndlessSimulation,
            InconclusiveReason::LackOfObservation => Code::LackOfObservation,
            InconclusiveReason::Partial(_) => Code::Partial,
            InconclusiveReason::CutOff => Code::CutOff,
            InconclusiveReason::Damaged => Code::Damaged,
            InconclusiveReason::Removal => Code::RemovalAlone,
        }
    }

    /// The code of a problem of an input.
    pub fn of_problem(kind: ProblemKind) -> Code {
        match kind {
            ProblemKind::Malformed => Code::MalformedInput,
            ProblemKind::Unreadable => Code::UnreadableInput,
            _ => Code::Internal,
        }
    }

    /// The code as it is printed.
    ///
    /// ```
    /// assert_eq!(multitrace_reports::codes::Code::ImpossibleEvent.name(), "MT101");
    /// ```
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The code of this name.
    pub fn of_name(name: &str) -> Option<Code> {
        Code::ALL.into_iter().find(|code| code.name() == name)
    }

    /// The meaning of the code, in a few words. [`Words`](multitrace_formats::remedy::Words) spell it.
    pub fn title(self) -> &'static str {
        self.row().2
    }

    /// The remedy for findings of this code. [`Words`](multitrace_formats::remedy::Words) spell it.
    pub fn remedy(self) -> &'static str {
        self.row().3
    }

    fn row(self) -> &'static Row {
        // The table is in the order of the codes.
        &ROWS[self as usize]
    }
}

/// A code, its name, its meaning, its remedy.
type Row = (Code, &'static str, &'static str, &'static str);

const ROWS: [Row; Code::ALL.len()] = [
    (
        Code::Rest,
        "MT001",
        "further kinds of failures",
        "fix the kinds listed before it, or look at the sessions with \
                 ‹session_lines›",
    ),
    (
        Code::LowCoverage,
        "MT002",
        "passing sessions took less of the specification than ‹min_coverage›",
        "add sessions that take the parts that ‹coverage› lists as never taken, or demand less",
    ),
    (
        Code::MissingShards,
        "MT003",
        "the report lacks shards of the input",
        "merge the parts of all shards; without ‹allow_missing› a report must have them",
    ),
    (
        Code::Unmatched,
        "MT004",
        "records of the input made no event, since no rule matches them",
        "add rules for them, or leave them out with [[drop]]; ‹map_explain› shows them",
    ),
    (
        Code::InputNote,
        "MT005",
        "something that should be known of the input",
        "see whether it was meant",
    ),
    (
        Code::Unmet,
        "MT006",
        "the input lacks something that the run demands, such as a number of sessions",
        "find the rest of the input, or demand less",
    ),
    (
        Code::OnlyEnds,
        "MT007",
        "most failing sessions only end early",
        "if logs are cut, or sessions still run, choose ‹observe=prefix›; else see why they stop",
    ),
    (
        Code::OnlyLogs,
        "MT008",
        "most failing sessions only lack whole logs",
        "if logs may be missing, choose ‹observe=missing›; else see why nothing was logged there",
    ),
    (
        Code::ImpossibleEvent,
        "MT101",
        "an event is impossible where it stands in its log",
        "compare the log with the events that were possible there; for logs that begin \
                 late or end early choose another ‹observe›",
    ),
    (
        Code::UnknownEvent,
        "MT102",
        "an event is not one of the specification",
        "add the event to the specification, or leave it out of the logs",
    ),
    (
        Code::EndedTooEarly,
        "MT103",
        "a log ends too early",
        "find out whether the location stopped or its log was cut; for logs that end \
                 early choose ‹observe=prefix› or slice",
    ),
    (
        Code::UnknownLocation,
        "MT104",
        "a log is that of a location unknown to the specification",
        "rename it in the mapping, [rename.lifelines], if it is one of the specification, as ‹map_check› tells; add its \
         lifelines to the specification; or leave its events out: ‹unjudged›",
    ),
    (
        Code::Moved,
        "MT111",
        "an event came too early or too late in its log",
        "see whether the log is in the order in which things happened, then which event it should follow",
    ),
    (
        Code::Replaced,
        "MT112",
        "an event came in place of another one",
        "see why the location did the one and not the other",
    ),
    (
        Code::Lost,
        "MT113",
        "a message was sent and not received",
        "look for the message between sender and receiver, or for the record of its receipt",
    ),
    (
        Code::NotSent,
        "MT114",
        "a message was received and never sent",
        "look for the record of its sending, or for another sender",
    ),
    (
        Code::Repeated,
        "MT115",
        "a message was sent and received that should not be, or more often than it should",
        "see why it was sent again; if it may be, put it into a loop of the specification",
    ),
    (
        Code::Unexpected,
        "MT116",
        "an event should not be there",
        "see why it happened; if it may, add it to the specification there",
    ),
    (
        Code::MissingEvent,
        "MT117",
        "an event is missing, and its location goes on behind it",
        "see whether it was not done or not logged; if it may be left out, make it optional",
    ),
    (
        Code::Stopped,
        "MT118",
        "a location stopped before an event",
        "find out whether the location stopped or its log was cut; for logs that end early choose \
                 ‹observe=prefix›",
    ),
    (
        Code::NoCommonPath,
        "MT201",
        "each log is possible, but they do not follow one common path",
        "see which branch each location took, and where a message was lost",
    ),
    (
        Code::NoInterleaving,
        "MT301",
        "each log is possible, but no order of events explains all logs together",
        "look at the blocked events: each waits for an event that another location did not log",
    ),
    (Code::StateBudget, "MT401", "the search was cut at ‹budget_states›", "raise ‹budget_states›"),
    (Code::MemoryBudget, "MT402", "the search was cut at ‹budget_memory›", "raise ‹budget_memory›"),
    (Code::TimeBudget, "MT403", "the search was cut at ‹budget_time›", "raise ‹budget_time›"),
    (
        Code::EndlessSimulation,
        "MT404",
        "simulation of unobserved actions stopped at its criterion, and explained the logs by none of them",
        "decide with the method `exact`, which needs no criterion",
    ),
    (
        Code::LackOfObservation,
        "MT405",
        "some log ends where more of it might explain the others",
        "observe all locations up to one moment, or choose ‹observe=prefix›",
    ),
    (
        Code::RemovalAlone,
        "MT406",
        "the chosen method of the papers found no fault, which does not prove that the session is right",
        "leave ‹method› out",
    ),
    (
        Code::Partial,
        "MT407",
        "a location logged nothing; the other logs fit",
        "find the log of the location; if its events are never logged, name it in ‹unlogged›; where logs may be missing \
                 choose ‹observe=missing›",
    ),
    (
        Code::CutOff,
        "MT408",
        "an event log was cut off; the logs fit as far as they go",
        "find the rest of the event log; the errors of the run tell where it ends",
    ),
    (
        Code::Damaged,
        "MT409",
        "records of the session could not be used, so that events are missing",
        "correct the records that the errors of the run name, or the mapping",
    ),
    (
        Code::OnlyAPart,
        "MT501",
        "the logs are accepted only as a part of something longer",
        "find out why the rest was not observed, or leave weak-pass out of ‹fail_on›",
    ),
    (
        Code::AcceptedCutOff,
        "MT502",
        "the session is accepted, but an event log was cut off: more may have happened",
        "find the rest of the event log, or leave cut-off out of ‹fail_on›",
    ),
    (
        Code::MalformedInput,
        "MT901",
        "an input is malformed",
        "correct the input at the place that is named",
    ),
    (
        Code::UnreadableInput,
        "MT902",
        "an input cannot be read",
        "see that the file exists and may be read",
    ),
    (
        Code::Internal,
        "MT903",
        "the check of a session broke down",
        "report it, with the session and the specification",
    ),
];

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Code, D::Error> {
        let name = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Code::of_name(&name).ok_or_else(|| de::Error::custom(format!("{name:?} is not a code")))
    }
}

/// How severe something is, as most platforms count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The run fails for it.
    Error,
    /// The run does not fail for it, but somebody should look.
    Warning,
    /// It is known.
    Note,
}

impl Level {
    /// The word for it, in the human formats and in SARIF.
    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_listed_in_order_and_once() {
        assert!(Code::ALL.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(Code::ALL.windows(2).all(|pair| pair[0].name() < pair[1].name()));
        assert!(Code::ALL.iter().zip(&ROWS).all(|(code, row)| *code == row.0));
    }
}
