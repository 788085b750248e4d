//! `multitrace: …` in the comments of diagrams.

use super::message_names::MessageNames;
use super::model::Directive;
use crate::hif::allowed;
use crate::locations::{self, LocationGroup};
use crate::open::{Unjudged, UnloggedEvents};
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use crate::suggest::{closest, did_you_mean};
use crate::warning::WarningCode;
use multitrace_interaction::names;
use std::collections::BTreeSet;

/// The directive before a note that is the title of another diagram.
pub(super) const REFERENCE: &str = "ref";

/// The words that a directive begins with.
const WORDS: [&str; 24] = [
    "loop",
    "loops",
    "local",
    "received",
    "synchronous",
    "self",
    "ignore",
    "ref",
    "coregion",
    "strict",
    "locations",
    "boxes",
    "message",
    "messages",
    "allow",
    "only these messages",
    "anything here",
    "not logged",
    "never logged",
    "may be lost",
    "may be repeated",
    "any",
    "quorum",
    "for",
];

/// The directive in the text of a comment: the text behind `multitrace:`, or the whole text if it misses that, which is an
/// error. `None` for other comments.
pub(super) fn of_comment(comment: &str) -> Option<&str> {
    allowed::directive_of(comment, |rest| {
        let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let words = WORDS.map(|it| it.split(' ').next().unwrap_or(it));
        closest(word, words).is_some_and(|word| matches!(read(word, rest.trim()), Some(Ok(_))))
    })
}

/// The meaning of a directive.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// How the next loop, or every loop, repeats.
    Loop { repetition: Repetition, is_for_all: bool },
    /// The next message to oneself or note is one action.
    Local,
    /// Whether every message to oneself is one action; otherwise it is sent and received.
    Own { is_local: bool },
    /// Whether the participants of a box share a clock.
    Boxes { are_locations: bool },
    /// The next message to oneself is a reception alone.
    Received,
    /// The next message is emitted and received at once.
    Synchronous,
    /// The next statement means nothing.
    Ignore,
    /// The next note is the title of another diagram, which stands there.
    Reference,
    /// The next frame orders nothing at these lifelines.
    Coregion(Vec<String>),
    /// In the next frame, or everywhere, statements follow each other at all lifelines.
    Strict { is_for_all: bool },
    /// Which lifelines share a clock.
    Locations(Vec<LocationGroup>),
    /// The name of messages with this text.
    Message { text: String, name: String },
    /// How all others are called.
    Messages(MessageNames),
    /// Warnings that are known.
    Allow(Vec<WarningCode>),
    /// Messages that the diagram does not have are not judged, at these participants or at all.
    Only(Unjudged),
    /// Here any events may happen that stand nowhere else, at these participants or at all.
    Anything(Vec<String>),
    /// The next statement is not logged, at these participants or at all.
    NotLogged(Vec<String>),
    /// Events that are never logged.
    NeverLogged(Vec<UnloggedEvents>),
    /// The next message, or every message, may be lost or repeated on its way.
    MayBe { fate: Fate, is_for_all: bool },
    /// So many of the operands of the next frame happen.
    AnyOf(Bounds),
    /// The frame that follows is over once this many operands of the next frame are done.
    Quorum(u32),
    /// The next frame holds for each of these in place of a participant.
    For { participant: String, values: Vec<String> },
}

impl Meaning {
    /// The participants that it names.
    pub(super) fn participants(&self) -> Vec<&String> {
        match self {
            Meaning::Coregion(names)
            | Meaning::Anything(names)
            | Meaning::NotLogged(names)
            | Meaning::Only(Unjudged::At(names)) => names.iter().collect(),
            Meaning::Locations(groups) => groups.iter().flat_map(|it| &it.members).collect(),
            Meaning::NeverLogged(events) => {
                let names: BTreeSet<&String> = events.iter().map(|it| &it.lifeline).collect();
                names.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The faults that a message may have on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Lost,
    Repeated,
}

/// The order and the number of the repetitions of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Repetition {
    /// How they follow each other.
    pub(super) kind: Option<RepetitionKind>,
    /// How many there are.
    pub(super) bounds: Option<Bounds>,
}

/// The least and the largest number of repetitions.
pub(super) type Bounds = (u32, Option<u32>);

/// How the repetitions of a loop follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RepetitionKind {
    Strict,
    Weak,
    Parallel,
    HeadFirst,
}

/// The words of directives that hold for the whole diagram.
const SETTINGS: [&str; 9] =
    ["loops", "self", "locations", "boxes", "message", "messages", "allow", "only", "never"];

/// The meaning of a directive for the statement below it; `None` if it holds for the whole diagram, or after an error.
/// Errors are reported when the settings of the diagram are read.
pub(super) fn for_next(directive: &Directive) -> Option<Meaning> {
    let word = directive.text.split_whitespace().next().unwrap_or_default();
    // So the regular expression of `messages` is compiled once.
    if SETTINGS.contains(&word) {
        return None;
    }
    match meaning(directive, &mut Diagnostics::default())? {
        Meaning::Own { .. }
        | Meaning::Strict { is_for_all: true }
        | Meaning::MayBe { is_for_all: true, .. } => None,
        meaning => Some(meaning),
    }
}

/// The meaning of a directive; `None` after an error.
pub(super) fn meaning(directive: &Directive, errors: &mut Diagnostics) -> Option<Meaning> {
    let Directive { text, span } = directive;
    if let Some(error) = allowed::missed(text, *span) {
        errors.push(error);
        return None;
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match read(word, rest.trim()) {
        None => unknown(word, *span, errors),
        Some(Ok(meaning)) => Some(meaning),
        Some(Err(help)) => {
            let message = format!("this directive is not understood: {}", quote(text));
            errors.push(Diagnostic::new(*span, message, "not understood").with_help(help));
            None
        }
    }
}

/// The meaning of a word and the rest of its directive, or how they are written; `None` for an unknown word.
pub(super) fn read(word: &str, rest: &str) -> Option<Result<Meaning, String>> {
    let looped =
        |is_for_all| repetition(rest).map(|repetition| Meaning::Loop { repetition, is_for_all });
    Some(match word {
        "loop" => looped(false),
        "loops" => looped(true),
        // `local all` is how `self local` was written before.
        "local" => for_all(rest)
            .map(|all| if all { Meaning::Own { is_local: true } } else { Meaning::Local }),
        "self" => one_of(rest, ["local", "send-receive"]).map(|is_local| Meaning::Own { is_local }),
        "boxes" => one_of(rest, ["locations", "frames"])
            .map(|are_locations| Meaning::Boxes { are_locations }),
        "ignore" => alone(rest, Meaning::Ignore),
        REFERENCE => alone(rest, Meaning::Reference),
        "received" => alone(rest, Meaning::Received),
        "synchronous" => alone(rest, Meaning::Synchronous),
        "coregion" => coregion(rest),
        "strict" => for_all(rest).map(|is_for_all| Meaning::Strict { is_for_all }),
        "locations" => groups(rest),
        "message" => message(rest),
        "messages" => rest.parse().map(Meaning::Messages).map_err(|error| format!("{error}")),
        "allow" => allow(rest),
        "only" => at(rest, &["these messages"])
            .map(|at| Meaning::Only(if at.is_empty() { Unjudged::All } else { Unjudged::At(at) })),
        "anything" => at(rest, &["here", ""]).map(Meaning::Anything),
        "not" => at(rest, &["logged"]).map(Meaning::NotLogged),
        "never" => never_logged(rest),
        "may" => fate(rest),
        "any" => bounds(rest).map(Meaning::AnyOf).ok_or_else(|| {
            "write how many of the parts: `any 2`, `any 2..`, `any 1..3`".to_owned()
        }),
        "quorum" => rest
            .parse()
            .map(Meaning::Quorum)
            .map_err(|_| "write how many of the parts are enough: `quorum 2`".to_owned()),
        "for" => for_each(rest),
        _ => return None,
    })
}

/// Whether the first of two words stands there.
fn one_of(rest: &str, [first, second]: [&str; 2]) -> Result<bool, String> {
    if rest != first && rest != second {
        return Err(format!("write {first} or {second}"));
    }
    Ok(rest == first)
}

fn unknown(word: &str, span: Span, errors: &mut Diagnostics) -> Option<Meaning> {
    let message = format!("unknown directive {}", quote(word));
    let all = format!("directives are {}", WORDS.join(", "));
    let help = did_you_mean(word, WORDS).map_or(all.clone(), |guess| format!("{guess} {all}"));
    errors.push(Diagnostic::new(span, message, "not a directive").with_help(help));
    None
}

fn repetition(rest: &str) -> Result<Repetition, String> {
    let kind = match rest {
        "strict" => Some(RepetitionKind::Strict),
        "weak" => Some(RepetitionKind::Weak),
        "parallel" => Some(RepetitionKind::Parallel),
        "head-first" => Some(RepetitionKind::HeadFirst),
        _ => None,
    };
    let bounds = bounds(rest.trim_start_matches('[').trim_end_matches(']'));
    (kind.is_some() || bounds.is_some()).then_some(Repetition { kind, bounds }).ok_or_else(|| {
        "write `loop strict`, `loop weak`, `loop parallel`, `loop head-first`, or how often: \
         `loop 3`, `loop 2..5`, `loop 1..`; `loops` is for all loops"
            .to_owned()
    })
}

/// `3`, `2..5`, `1..`
pub(super) fn bounds(rest: &str) -> Option<Bounds> {
    let (least, most) = match rest.split_once("..") {
        None => {
            let count = rest.parse().ok()?;
            (count, Some(count))
        }
        Some((least, "")) => (least.parse().ok()?, None),
        Some((least, most)) => (least.parse().ok()?, Some(most.parse().ok()?)),
    };
    most.is_none_or(|most| least <= most).then_some((least, most))
}

fn for_all(rest: &str) -> Result<bool, String> {
    match rest {
        "" => Ok(false),
        "all" => Ok(true),
        _ => Err("write the word alone for the next statement, or `all` behind it".to_owned()),
    }
}

/// One of these phrases, and behind it maybe `at a, b`: the names.
fn at(rest: &str, phrases: &[&str]) -> Result<Vec<String>, String> {
    let rest = format!("{rest} ");
    let named = |phrase: &&str| {
        let rest = rest.strip_prefix(phrase)?.trim_start();
        if rest.is_empty() {
            return Some(Vec::new());
        }
        let names = rest.strip_prefix("at ").or_else(|| rest.strip_prefix("by "))?;
        let names: Vec<String> =
            names::split(names, ',').map(|name| names::name_of(name).into_owned()).collect();
        names.iter().all(|name| !name.is_empty()).then_some(names)
    };
    phrases.iter().find_map(named).ok_or_else(|| {
        "write `only these messages`, `anything here` or `not logged`, each alone or with the names of \
         participants behind it: `not logged at a, b`"
            .to_owned()
    })
}

fn never_logged(rest: &str) -> Result<Meaning, String> {
    let events = rest.strip_prefix("logged").map(UnloggedEvents::parse_list).unwrap_or_default();
    if events.is_empty() {
        return Err(
            "write `never logged a, b!m, c?*`: all events of a, the emission of m by b, all \
                    receptions of c"
                .to_owned(),
        );
    }
    Ok(Meaning::NeverLogged(events))
}

fn fate(rest: &str) -> Result<Meaning, String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let fate = match words[..] {
        ["be", "lost"] | ["be", "lost", "all"] => Fate::Lost,
        ["be", "repeated"] | ["be", "repeated", "all"] => Fate::Repeated,
        _ => {
            return Err(
                "write `may be lost` or `may be repeated` before a message; with `all` behind it \
                        it is for all messages"
                    .to_owned(),
            );
        }
    };
    Ok(Meaning::MayBe { fate, is_for_all: words.len() == 3 })
}

/// `c in c1, c2, d1..d5 except d3`
fn for_each(rest: &str) -> Result<Meaning, String> {
    let help = "write `for c in c1..c5` or `for c in c1, c2 except c2` before a frame: it holds for each of \
                them, at most 10,000, in place of the participant c";
    let (participant, values) = rest.split_once(" in ").ok_or(help)?;
    let (values, except) = values.split_once(" except ").unwrap_or((values, ""));
    let (mut values, except) = (values_of(values).ok_or(help)?, values_of(except).ok_or(help)?);
    values.retain(|value| !except.contains(value));
    if values.is_empty() {
        return Err("no value is left".to_owned());
    }
    Ok(Meaning::For { participant: names::name_of(participant.trim()).into_owned(), values })
}

/// Names with commas between them; `c1..c5` is five of them. `None` for more than anybody draws.
fn values_of(text: &str) -> Option<Vec<String>> {
    const MOST: usize = 10_000;
    let mut all = Vec::new();
    for piece in names::split(text, ',').map(str::trim).filter(|piece| !piece.is_empty()) {
        let Some((first, last)) = piece.split_once("..").filter(|_| !piece.starts_with('"')) else {
            all.push(names::name_of(piece).into_owned());
            continue;
        };
        let word = first.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = |name: &str| name.trim().strip_prefix(word)?.parse::<u32>().ok();
        let (first, last) = (number(first)?, number(last)?);
        if first > last || all.len() + (last - first) as usize > MOST {
            return None;
        }
        all.extend((first..=last).map(|number| format!("{word}{number}")));
    }
    Some(all)
}

fn alone(rest: &str, meaning: Meaning) -> Result<Meaning, String> {
    match rest {
        "" => Ok(meaning),
        _ => Err("write this word alone, before the statement that it is about".to_owned()),
    }
}

fn coregion(rest: &str) -> Result<Meaning, String> {
    let group = locations::parse(rest).ok().filter(|groups| groups.len() == 1);
    let group = group.and_then(|mut groups| groups.pop()).filter(|group| group.name.is_none());
    group.map(|group| Meaning::Coregion(group.members)).ok_or_else(|| {
        "write `coregion a, b` before the frame whose order means nothing at a and b".to_owned()
    })
}

fn groups(rest: &str) -> Result<Meaning, String> {
    // The quotes around the whole are those of the command line.
    let inside = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let text = inside.filter(|inside| !inside.contains('"')).unwrap_or(rest);
    locations::parse(text).map(Meaning::Locations).map_err(|_| {
        "write `locations a,b;c` for a and b that share a clock, and c with its own".to_owned()
    })
}

fn message(rest: &str) -> Result<Meaning, String> {
    let help = || "write `message \"the text\" is \"the name\"`".to_owned();
    let (text, rest) = quoted(rest).ok_or_else(help)?;
    let rest = rest.trim_start().strip_prefix("is").ok_or_else(help)?;
    let (name, rest) = quoted(rest.trim_start()).ok_or_else(help)?;
    let is_whole = rest.trim().is_empty() && !name.is_empty();
    is_whole.then_some(Meaning::Message { text, name }).ok_or_else(help)
}

/// A name in quotes at the start of a text, and the text after it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let end = names::quoted_end(text)?;
    Some((names::name_of(&text[..end]).into_owned(), &text[end..]))
}

/// Codes with commas between them, as in comments of interactions; the text after them is a reason.
fn allow(rest: &str) -> Result<Meaning, String> {
    let names = allowed::names(rest);
    if names.is_empty() {
        return Err("write the codes of the warnings: `allow MT607, MT610`".to_owned());
    }
    let code = |name| allowed::code(name).map_err(|(message, help)| format!("{message}; {help}"));
    names.into_iter().map(code).collect::<Result<_, _>>().map(Meaning::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn meaning_of(text: &str) -> Result<Meaning, String> {
        let directive = Directive { text: text.to_owned(), span: Span::new(0, text.len()) };
        let mut errors = Diagnostics::default();
        meaning(&directive, &mut errors)
            .ok_or_else(|| errors.of(Source::new("f", text)).to_string())
    }

    #[test]
    fn directives_are_read() {
        for text in [
            "loop strict",
            "loops weak",
            "loop parallel",
            "loops head-first",
            "loop 3",
            "loop [2..5]",
            "loop 1..",
            "local",
            "local all",
            "self send-receive",
            "boxes locations",
            "ignore",
            "coregion a, \"b c\"",
            "strict",
            "strict all",
            "locations a,b;c",
            "locations \"a,b;c\"",
            "message \"GET /\" is \"get\"",
            "messages call",
            "messages /x (y)/",
            "allow MT601",
            "allow MT601, MT607: known",
            "only these messages",
            "only these messages at a, \"b c\"",
            "anything here",
            "anything",
            "anything here at a",
            "not logged",
            "not logged by a, b",
            "never logged a, b!m, c?*",
            "may be lost",
            "may be repeated all",
            "any 2..",
            "quorum 2",
            "for c in c1..c3, d except c2",
        ] {
            assert!(meaning_of(text).is_ok(), "{text}");
        }
        assert!(matches!(
            meaning_of("loop 2..5"),
            Ok(Meaning::Loop {
                repetition: Repetition { kind: None, bounds: Some((2, Some(5))) },
                is_for_all: false
            })
        ));
        // As in comments of interactions, codes have commas between them.
        let codes = |text| match meaning_of(text) {
            Ok(Meaning::Allow(codes)) => codes.into_iter().map(WarningCode::name).collect(),
            _ => Vec::new(),
        };
        assert_eq!(codes("allow MT601, MT607: known"), ["MT601", "MT607"]);
        assert_eq!(codes("allow MT601 as in MT607"), ["MT601"]);
    }

    #[test]
    fn comments_that_miss_the_mark_are_directives_and_prose_is_not() {
        for comment in [
            "multitrace:may be lost",
            "multitrace may be lost",
            "Multitrace: not logged",
            "multitrace : loop 2..5",
            "multi-trace: alow MT607",
            "mulitrace - for c in c1..c3",
        ] {
            assert!(of_comment(comment).is_some(), "{comment}");
        }
        for comment in [
            "multitrace",
            "multitrace reads this",
            "multitrace ignores the rest of this",
            "Multitrace: see its manual",
            "may be lost",
            "traces: loop 3",
        ] {
            assert_eq!(of_comment(comment), None, "{comment}");
        }
    }

    #[test]
    fn others_are_explained() {
        for (text, part) in [
            ("lop strict", "did you mean `loop`?"),
            ("loop fast", "write `loop strict`"),
            ("loop 5..2", "write `loop strict`"),
            ("local some", "`all` behind it"),
            ("self twice", "write local or send-receive"),
            ("boxes", "write locations or frames"),
            ("ignore it", "write this word alone"),
            ("coregion", "write `coregion a, b`"),
            ("locations", "write `locations a,b;c`"),
            ("message a is b", "write `message \"the text\" is \"the name\"`"),
            ("messages words", "write label, first-word, call or /REGEX/"),
            ("allow", "write the codes"),
            ("only this", "write `only these messages`"),
            ("anything at", "write `only these messages`"),
            ("never logged", "write `never logged a, b!m"),
            ("may be", "write `may be lost`"),
            ("any some", "write how many"),
            ("quorum", "how many of the parts are enough"),
            ("for c", "write `for c in c1..c5`"),
            ("for c in c1..x", "write `for c in c1..c5`"),
            ("for c in c1 except c1", "no value is left"),
            ("multitrace may be lost", "write `multitrace: may be lost`"),
            ("allow MT999", "`MT999` is not the code of a warning"),
        ] {
            let error = meaning_of(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
