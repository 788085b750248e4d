//! Remedies: options to set or leave out and commands to run, as values. Each front end spells them in its own
//! words: the command line as options, Python as arguments.
//!
//! Texts of the libraries hold them between angle quotes, as in `raise ‹budget_states›` or
//! `use ‹engine=nfa›`, until [`Words`] write the text for people.

use std::borrow::Cow;
use std::fmt;

macro_rules! remedies {
    ($($variant:ident $name:literal $title:literal),* $(,)?) => {
        /// Something that front ends spell differently.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Remedy {
            $(#[doc = $title] $variant),*
        }

        impl Remedy {
            /// All of them.
            pub const ALL: &'static [Remedy] = &[$(Remedy::$variant),*];

            /// The name, as texts hold it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Remedy::$variant => $name),*
                }
            }
        }
    };
}

remedies! {
    After "after" "The trace that comes before an exploration.",
    AllowMissing "allow_missing" "Shards may be missing.",
    AskForPart "ask_for_part" "Check so that a partial report can be made.",
    BudgetMemory "budget_memory" "The memory of a search.",
    BudgetStates "budget_states" "The states of a search.",
    BudgetTime "budget_time" "The time of a session.",
    Combine "combine" "Makes a report of the parts of locations.",
    Compile "compile" "Makes a bundle.",
    Coverage "coverage" "List the parts that passing sessions take.",
    Engine "engine" "The engine that decides.",
    Events "events" "The mapping of event logs.",
    FailOn "fail_on" "The verdicts that fail a run.",
    ExplainCode "explain_code" "Tells the meaning of a code.",
    Full "full" "Show all events of a session.",
    InputFormat "input_format" "The format of the inputs.",
    Json "json" "The report as JSON.",
    LimitMemory "limit_memory" "The memory of a compilation.",
    LimitTime "limit_time" "The time of a compilation.",
    Local "local" "Judges the log of one location.",
    Locations "locations" "Which lifelines share a clock.",
    MapCheck "map_check" "Compares event logs with a specification.",
    MapExplain "map_explain" "Shows which records make no event.",
    MapInit "map_init" "Proposes a mapping.",
    Exclude "exclude" "Files of folders that are not read.",
    MaxFailures "max_failures" "How many violations are tolerated.",
    MaxUnmatched "max_unmatched" "How many records no rule may match.",
    Memory "memory" "The memory in which event logs are grouped.",
    Merge "merge" "Merges partial reports.",
    Method "method" "The method that decides on terms.",
    MinCoverage "min_coverage" "The share of the specification that is demanded.",
    MinSessions "min_sessions" "How many sessions are demanded.",
    NameParts "name_parts" "Name files that are partial reports.",
    Observe "observe" "The observation mode: which parts of logs may be missing.",
    OnlySessions "only_sessions" "The list of sessions to check.",
    RateToMerge "rate_to_merge" "Merge parts with a rate of violations that are tolerated.",
    Repair "repair" "Repair all failing sessions.",
    RequireLocation "require_location" "A location that must have logged something.",
    Revision "revision" "Read a file as a revision of git has it.",
    Sample "sample" "The sample of sessions to check.",
    SessionLines "session_lines" "All sessions with their findings.",
    Signature "signature" "The messages and lifelines.",
    Split "split" "Writes a bundle for each location.",
    Stats "stats" "Measure the time and search of sessions.",
    Svg "svg" "The picture of a session.",
    Threads "threads" "How many threads check.",
    Unjudged "unjudged" "A participant whose events are not judged.",
    Unlogged "unlogged" "A participant whose events are not logged.",
    Ungrouped "ungrouped" "Do without events in the order of their sessions.",
    WriteBaseline "write_baseline" "Write the baseline of a run again.",
    WritePart "write_part" "Write a partial report again.",
}

const OPEN: char = '‹';
const CLOSE: char = '›';

impl Remedy {
    /// A value for it, as texts hold it.
    ///
    /// ```
    /// use multitrace_formats::remedy::Remedy;
    /// assert_eq!(Remedy::Sample.to("1%"), "‹sample=1%›");
    /// ```
    pub fn to(self, value: impl fmt::Display) -> String {
        let value = value.to_string().replace(CLOSE, "››");
        format!("{OPEN}{}={value}{CLOSE}", self.name())
    }

    /// The one of this name, and its value.
    fn parse(text: &str) -> Option<(Remedy, Option<&str>)> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let found = Remedy::ALL.iter().find(|it| it.name() == name)?;
        Some((*found, value))
    }
}

/// As texts hold it.
impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OPEN}{}{CLOSE}", self.name())
    }
}

/// The words of a front end.
#[derive(Clone, Copy)]
pub struct Words(fn(Remedy, Option<&str>) -> String);

impl Words {
    /// Words by a function from a remedy and its value, if it has one.
    pub const fn new(spell: fn(Remedy, Option<&str>) -> String) -> Words {
        Words(spell)
    }

    /// A text with all remedies spelled.
    ///
    /// ```
    /// use multitrace_formats::remedy::Words;
    /// let text = "use ‹engine=nfa›, or raise ‹budget_states›; ‹this› stays";
    /// assert_eq!(
    ///     Words::default().text(text),
    ///     "use engine = nfa, or raise budget_states; ‹this› stays"
    /// );
    /// ```
    pub fn text<'t>(self, text: &'t str) -> Cow<'t, str> {
        if !text.contains(OPEN) {
            return Cow::Borrowed(text);
        }
        let mut spelled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPEN) {
            spelled.push_str(before);
            let end = end(after);
            let found = end.and_then(|end| Some((Remedy::parse(&after[..end])?, end)));
            let Some(((remedy, value), end)) = found else {
                spelled.push(OPEN);
                rest = after;
                continue;
            };
            let value = value.map(|value| value.replace("››", "›"));
            spelled.push_str(&(self.0)(remedy, value.as_deref()));
            rest = &after[end + CLOSE.len_utf8()..];
        }
        Cow::Owned(spelled + rest)
    }
}

/// Where a remedy ends: at the first closing quote that is not doubled.
fn end(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find(CLOSE)?;
        let behind = at + CLOSE.len_utf8();
        if !text[behind..].starts_with(CLOSE) {
            return Some(at);
        }
        from = behind + CLOSE.len_utf8();
    }
}

/// The names of the library, for programs that have no words of their own.
impl Default for Words {
    fn default() -> Words {
        Words(|remedy, value| match value {
            Some(value) => format!("{} = {value}", remedy.name()),
            None => remedy.name().to_owned(),
        })
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Words")
    }
}

/// Reports that say the same are equal, whoever spells them.
impl PartialEq for Words {
    fn eq(&self, _: &Words) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remedy_and_value_comes_back() {
        let words = Words::new(|remedy, value| format!("<{remedy:?} {value:?}>"));
        for remedy in Remedy::ALL {
            assert_eq!(words.text(&remedy.to_string()), format!("<{remedy:?} None>"));
            for value in ["", "a=b", "›", "a›", "›a››", "\"x,y;z\""] {
                let text = format!("({})", remedy.to(value));
                assert_eq!(words.text(&text), format!("(<{remedy:?} {:?}>)", Some(value)));
            }
        }
    }
}
