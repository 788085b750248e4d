//! The text of locations: which lifelines, or letters, are logged by one clock.
//!
//! `a,b;c` are two groups; `left=a,b;right=c` gives them names, for automata whose letters have no
//! lifelines. Names with separators in them stand in quotes.

use crate::remedy::Remedy;
use crate::shorten::visible;
use crate::source::{Diagnostic, Diagnostics, Source, SourceError, Span, quote};
use crate::suggest::did_you_mean;
use multitrace_interaction::{LifelineId, LifelineSet, Locations, Signature, names};
use std::fmt;

/// The name of the text in errors.
const NAME: &str = "‹locations›";

/// One group of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationGroup {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its lifelines or letters; at least one.
    pub members: Vec<String>,
}

impl LocationGroup {
    /// The name of the location: that of the group, or else its members joined by commas. Quoted where
    /// it needs it, as in the keys of sessions.
    pub fn location_name(&self) -> String {
        let members = self.members.iter().map(String::as_str);
        match &self.name {
            Some(name) => names::lifeline_text(name).into_owned(),
            None => names::location_text(members),
        }
    }
}

/// Something that is wrong with groups.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupProblem {
    /// A name that the specification does not know.
    #[error("unknown {what} {} in ‹locations›{}", quote(name), aside(suggestion))]
    Unknown {
        /// "lifeline" or "letter".
        what: &'static str,
        /// The name.
        name: String,
        /// The name that may have been meant.
        suggestion: Option<String>,
    },
    /// A name in two groups, or twice in one.
    #[error("{what} {} stands twice in ‹locations›; each has one location", quote(name))]
    Twice {
        /// "lifeline" or "letter".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name for a location of lifelines.
    #[error(
        "‹locations› names a location {}, but a location of lifelines is named by its lifelines; \
         remove `{name}=`",
        quote(name)
    )]
    Named {
        /// The name.
        name: String,
    },
    /// Two groups with one name.
    #[error("two groups of ‹locations› are named {}; give them different names", quote(name))]
    SameName {
        /// The name.
        name: String,
    },
    /// Letters in no group.
    #[error(
        "no location for {} of the letters ({}); put every letter into one group, as in \
         ‹locations=\"left=a,b;right=c\"›", letters.len(), first_names(letters)
    )]
    Missing {
        /// The letters.
        letters: Vec<String>,
    },
}

fn aside(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|text| format!("; {text}")).unwrap_or_default()
}

/// The first of many names.
fn first_names(names: &[String]) -> String {
    // A message is a few lines.
    const SHOWN: usize = 10;
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| quote(name)).collect();
    if names.len() > SHOWN {
        shown.push(format!("and {} more", names.len() - SHOWN));
    }
    shown.join(", ")
}

/// All that is wrong with groups: at least one problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupError {
    problems: Vec<GroupProblem>,
}

impl GroupError {
    /// The problems; never none.
    pub fn problems(&self) -> &[GroupProblem] {
        &self.problems
    }

    /// The value when there is no problem.
    pub(crate) fn check<T>(problems: Vec<GroupProblem>, value: T) -> Result<T, GroupError> {
        if problems.is_empty() { Ok(value) } else { Err(GroupError { problems }) }
    }
}

impl fmt::Display for GroupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let problem = problem.to_string();
            write!(f, "{}{}", if index > 0 { "\n" } else { "" }, visible(&problem))?;
        }
        Ok(())
    }
}

impl std::error::Error for GroupError {}

/// The text of groups, as [`parse`] reads it: `a,b;c`.
pub fn text<'a, G: IntoIterator<Item = &'a str>>(groups: impl IntoIterator<Item = G>) -> String {
    groups.into_iter().map(names::location_text).collect::<Vec<_>>().join(";")
}

/// These groups as a remedy, in quotes that a shell takes: `‹locations="a,b;c"›`.
pub(crate) fn option_text<'a>(groups: impl IntoIterator<Item = Vec<&'a str>>) -> String {
    let text = text(groups);
    let quote = if text.contains('"') { '\'' } else { '"' };
    Remedy::Locations.to(format_args!("{quote}{text}{quote}"))
}

/// Reads groups separated by semicolons, the members of each by commas. Blanks around names, and a
/// semicolon at the end, make no difference.
///
/// # Errors
/// Groups, members or names that are empty.
///
/// ```
/// use multitrace_formats::locations;
/// let groups = locations::parse("left=a,b; c").expect("groups");
/// assert_eq!(groups[0].name.as_deref(), Some("left"));
/// assert_eq!(groups[1].members, ["c"]);
/// ```
pub fn parse(text: &str) -> Result<Vec<LocationGroup>, SourceError> {
    let (mut groups, mut errors) = (Vec::new(), Diagnostics::default());
    let mut start = 0;
    for piece in names::split(text, ';') {
        let is_last = start + piece.len() == text.len();
        // The semicolon may end the last group, too.
        if !(is_last && piece.trim().is_empty() && start > 0) {
            groups.push(parse_group(piece, start, &mut errors));
        }
        start += piece.len() + 1;
    }
    errors.check(groups).map_err(|errors| errors.of(Source::new(NAME, text)))
}

fn parse_group(text: &str, start: usize, errors: &mut Diagnostics) -> LocationGroup {
    let before = names::split(text, '=').next().unwrap_or_default();
    let (name, members) = match text[before.len()..].strip_prefix('=') {
        Some(members) => (Some(names::name_of(before).into_owned()), members),
        None => (None, text),
    };
    if name.as_deref() == Some("") {
        let error =
            Diagnostic::new(Span::new(start, start + 1), "a location without name", "no name");
        errors.push(error.with_help("write the name before `=`, or leave out `=`"));
    }
    let mut at = start + text.len() - members.len();
    for member in names::split(members, ',') {
        check_member(member, at, errors);
        at += member.len() + 1;
    }
    LocationGroup {
        name,
        members: names::split(members, ',').map(|it| names::name_of(it).into_owned()).collect(),
    }
}

fn check_member(member: &str, at: usize, errors: &mut Diagnostics) {
    let span = Span::new(at, at + member.len());
    if names::name_of(member).is_empty() {
        let error = Diagnostic::new(span, "expected a name", "nothing here");
        errors.push(error.with_help("groups are written `a,b;c`"));
    } else if names::split(member, '=').nth(1).is_some() {
        let error = Diagnostic::new(span, "a second `=` in one group", "one name too many");
        errors.push(error.with_help("groups are separated by `;`"));
    }
}

/// The locations of lifelines; a lifeline in no group is a location of its own.
///
/// # Errors
/// Unknown lifelines, lifelines that stand twice, and groups with names.
pub fn for_signature(
    groups: &[LocationGroup],
    signature: &Signature,
) -> Result<Locations, GroupError> {
    let mut problems = Vec::new();
    let mut seen = LifelineSet::new();
    let mut partition = Vec::new();
    for group in groups {
        if let Some(name) = &group.name {
            problems.push(GroupProblem::Named { name: name.clone() });
        }
        let members = group.members.iter();
        let lifelines = members.filter_map(|name| match find(name, signature, &mut seen) {
            Ok(lifeline) => Some(lifeline),
            Err(problem) => {
                problems.push(problem);
                None
            }
        });
        partition.push(lifelines.collect());
    }
    let partition: Vec<Vec<LifelineId>> = GroupError::check(problems, partition)?;
    Locations::new(signature, &partition).map_err(
        |multitrace_interaction::LocationError::Overlap(l)| {
            let name = signature.lifeline_name(l).to_owned();
            GroupError { problems: vec![GroupProblem::Twice { what: "lifeline", name }] }
        },
    )
}

fn find(
    name: &str,
    signature: &Signature,
    seen: &mut LifelineSet,
) -> Result<LifelineId, GroupProblem> {
    let what = "lifeline";
    match signature.lifeline(name) {
        None => {
            let known = signature.lifelines().map(|l| signature.lifeline_name(l));
            let suggestion = did_you_mean(name, known);
            Err(GroupProblem::Unknown { what, name: name.to_owned(), suggestion })
        }
        Some(lifeline) if !seen.insert(lifeline) => {
            Err(GroupProblem::Twice { what, name: name.to_owned() })
        }
        Some(lifeline) => Ok(lifeline),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_interaction::Id;

    fn errors(text: &str) -> Vec<String> {
        parse(text).expect_err("not groups").lines().collect()
    }

    fn signature() -> Signature {
        let mut signature = Signature::default();
        for name in ["broker", "client", "server"] {
            signature.intern_lifeline(name);
        }
        signature
    }

    fn problems(text: &str) -> String {
        let groups = parse(text).expect("groups");
        for_signature(&groups, &signature()).expect_err("no partition").to_string()
    }

    #[test]
    fn groups_with_and_without_names() {
        let groups = parse(" left = a , b ; c;").expect("groups");
        assert_eq!(
            groups[0],
            LocationGroup {
                name: Some("left".to_owned()),
                members: vec!["a".to_owned(), "b".to_owned()]
            }
        );
        assert_eq!(groups[0].location_name(), "left");
        assert_eq!(groups[1], LocationGroup { name: None, members: vec!["c".to_owned()] });
        assert_eq!(groups.len(), 2);
        assert_eq!(parse("a,b").expect("groups")[0].location_name(), "a,b");
    }

    #[test]
    fn empty_parts_are_errors_with_their_place() {
        assert_eq!(errors(""), ["‹locations›:1:1: expected a name"]);
        assert_eq!(
            errors("a,,b;;é, "),
            [
                "‹locations›:1:3: expected a name",
                "‹locations›:1:6: expected a name",
                "‹locations›:1:9: expected a name",
            ]
        );
        assert_eq!(
            errors("=a;b=c=d"),
            [
                "‹locations›:1:1: a location without name",
                "‹locations›:1:6: a second `=` in one group",
            ]
        );
    }

    #[test]
    fn a_partition_of_lifelines() {
        let signature = signature();
        let groups = parse("server,broker").expect("groups");
        let locations = for_signature(&groups, &signature).expect("a partition");
        let names: Vec<String> = locations.iter().map(|l| locations.name(l, &signature)).collect();
        assert_eq!(names, ["broker,server", "client"]);
        assert_eq!(locations.of(LifelineId::new(2)).index(), 0);
    }

    #[test]
    fn all_problems_are_reported() {
        assert_eq!(
            problems("x=brokr,client;client,nobody"),
            "‹locations› names a location `x`, but a location of lifelines is named by its \
             lifelines; remove `x=`\n\
             unknown lifeline `brokr` in ‹locations›; did you mean `broker`?\n\
             lifeline `client` stands twice in ‹locations›; each has one location\n\
             unknown lifeline `nobody` in ‹locations›"
        );
    }
}
