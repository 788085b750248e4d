//! The rules of a text log: the event that each template means, by its words and arrows, and what is asked for.

use super::guesses::{DirectionWords, MOST_LIFELINES, PLACES};
use super::learnt::{Learnt, NamedTemplate, NamedValues};
use super::templates::{LineTemplate, Slot};
use super::token::TokenType;
use super::values::{list, toml_text};
use super::words::{Direction, direction, is_behind_verb, message_words, weak_direction};
use std::collections::BTreeSet;
use std::fmt::Write;

/// How many templates get a pattern: more are too many to read, and rarer templates are seldom messages.
pub(super) const MOST_PATTERNS: usize = 50;

/// The guesses of a proposal.
#[derive(Clone)]
pub(super) struct Guesses {
    pub(super) session: Option<String>,
    /// If no field is good enough, the likeliest ones.
    pub(super) likely: Vec<String>,
    /// An id that tells the session of lines without it.
    pub(super) join: Option<String>,
    pub(super) lifeline: Option<String>,
    /// Whether messages lack verbs such as `publish` and `deliver`, since they are called alike without them.
    pub(super) without_verbs: bool,
}

impl Guesses {
    /// The same, with messages that both ends call alike, if there are some.
    pub(super) fn with_messages(self, learnt: &Learnt) -> Guesses {
        let bare = Guesses { without_verbs: true, ..self };
        let are_alike = |guesses: &Guesses| {
            let [sent, received] = messages_of_ends(learnt, guesses);
            !sent.is_disjoint(&received)
        };
        let without_verbs =
            are_alike(&bare) && !are_alike(&Guesses { without_verbs: false, ..bare.clone() });
        Guesses { without_verbs, ..bare }
    }
}

/// Whether values certainly name lifelines: loggers and threads may be parts of one program.
pub(super) fn is_sure_lifeline(name: &str, learnt: &Learnt) -> bool {
    !name.starts_with("component") && !learnt.values.get(name).is_some_and(has_threads)
}

/// Whether a value is the name of a thread, more likely than that of a lifeline.
pub(super) fn has_threads(values: &NamedValues) -> bool {
    values.values.keys().any(|value| is_thread(value))
}

/// Whether a name looks like that of a thread.
fn is_thread(name: &str) -> bool {
    ["thread", "dispatcher", "pool", "exec", "worker"].iter().any(|it| name.contains(it))
}

/// The words of the text of a template; one behind a quote is a value.
fn text_words(named: &NamedTemplate) -> impl Iterator<Item = &str> + Clone {
    let text = named.template.slots[named.header..].iter();
    text.filter(|slot| !slot.before.ends_with('"')).filter_map(|slot| slot.word.as_deref())
}

/// The direction of a template, and the word that tells it. Words such as `to` and `from` count only if the name of a peer
/// follows them, or the same message occurs in the other direction, too: both stand in any sentence.
fn told_direction<'t>(
    named: &'t NamedTemplate,
    learnt: &Learnt,
    guesses: &Guesses,
) -> Option<(Direction, &'t str)> {
    direction(text_words(named)).or_else(|| told_by_arrow(named, learnt)).or_else(|| {
        let (told, word) = weak_direction(text_words(named))?;
        let own = message(named, learnt, guesses);
        let is_other = |other: &NamedTemplate| {
            let either = direction(text_words(other)).or_else(|| weak_direction(text_words(other)));
            either.is_some_and(|(direction, _)| direction != told)
                && message(other, learnt, guesses) == own
        };
        let is_told =
            names_peer(named, word, learnt, guesses) || learnt.templates.iter().any(is_other);
        is_told.then_some((told, word))
    })
}

/// The direction that an arrow without names at its ends tells, such as `->>` and `<<-`, if both occur.
fn told_by_arrow<'t>(named: &NamedTemplate, learnt: &Learnt) -> Option<(Direction, &'t str)> {
    let told = arrow(named)?;
    let has_other = learnt.templates.iter().filter_map(arrow).any(|other| other != told);
    let sign = if told == Direction::Emission { "->" } else { "<-" };
    has_other.then_some((told, sign))
}

/// The direction of an arrow that has no names at its ends.
fn arrow(named: &NamedTemplate) -> Option<Direction> {
    let slots = &named.template.slots;
    let mut pairs = slots.windows(2).filter(|pair| is_dash(&pair[0]));
    let found = pairs.find_map(|pair| match () {
        () if pair[1].before.trim_start().starts_with('>') => Some(Direction::Emission),
        () if pair[0].before.ends_with('<') => Some(Direction::Reception),
        () => None,
    });
    found.filter(|_| ends(named).is_none())
}

/// The direction of a template with an arrow between names, if lines say at which end they were logged.
fn logged_at_end<'t>(named: &'t NamedTemplate, learnt: &Learnt) -> Option<(Direction, &'t str)> {
    let told =
        |named: &'t NamedTemplate| direction(text_words(named)).filter(|_| ends(named).is_some());
    let own = told(named)?;
    let is_other = |other: &NamedTemplate| {
        let told = direction(text_words(other)).filter(|_| ends(other).is_some());
        told.is_some_and(|(other, _)| other != own.0)
    };
    learnt.templates.iter().any(is_other).then_some(own)
}

/// Whether the values behind a word are names of lifelines, or addresses.
fn names_peer(named: &NamedTemplate, word: &str, learnt: &Learnt, guesses: &Guesses) -> bool {
    let slots = &named.template.slots;
    let is_word = |at: &usize| slots[*at].word.as_deref() == Some(word);
    let Some(at) = (named.header..slots.len()).find(is_word).map(|at| at + 1) else { return false };
    let Some(slot) = slots.get(at) else { return false };
    let lifelines = guesses.lifeline.as_ref().and_then(|name| learnt.values.get(name));
    let is_lifeline = |value: &str| lifelines.is_some_and(|it| it.values.contains_key(value));
    match (&slot.word, &named.names[at]) {
        (Some(word), _) => is_lifeline(word),
        (None, Some(name)) => {
            slot.kind == TokenType::Address
                || learnt.values[name].values.keys().all(|value| is_lifeline(value))
        }
        (None, None) => false,
    }
}

/// Asks for the messages if none is called alike where it is sent and where it is received.
fn write_other_names(out: &mut String, learnt: &Learnt, guesses: &Guesses) {
    let [sent, received] = messages_of_ends(learnt, guesses);
    if guesses.lifeline.is_some()
        && !sent.is_empty()
        && !received.is_empty()
        && sent.is_disjoint(&received)
    {
        out.push_str(
            "# message? No message is called alike where it is sent and where it is received. Give both ends of one the\n\
             # same name below, or use [rename.messages].\n\n",
        );
    }
}

/// The messages that are sent, and those that are received.
fn messages_of_ends(learnt: &Learnt, guesses: &Guesses) -> [BTreeSet<String>; 2] {
    let (mut sent, mut received) = (BTreeSet::new(), BTreeSet::new());
    for named in learnt.templates.iter().take(MOST_PATTERNS) {
        let messages = messages_of(&message(named, learnt, guesses), learnt);
        match told_direction(named, learnt, guesses) {
            Some((Direction::Emission, _)) => sent.extend(messages),
            Some((Direction::Reception, _)) => received.extend(messages),
            None => {}
        }
    }
    [sent, received]
}

/// The messages that a template has: the values of the group, if it is one alone.
fn messages_of(message: &str, learnt: &Learnt) -> Vec<String> {
    let group = message.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    match group.and_then(|name| learnt.values.get(name)) {
        Some(values) => values.values.keys().cloned().collect(),
        None => vec![message.to_owned()],
    }
}

pub(super) fn write_rules(out: &mut String, learnt: &Learnt, guesses: &Guesses) {
    write_other_names(out, learnt, guesses);
    for (number, named) in (1..).zip(learnt.templates.iter().take(MOST_PATTERNS)) {
        let message = message(named, learnt, guesses);
        let name = toml_text(&format!("pattern {number}, {message}"));
        let (actions, why) = match ends(named) {
            Some(ends) => {
                let (actions, why) = actions_of_ends(ends, &message, logged_at_end(named, learnt));
                match message == NO_WORDS {
                    true => (format!("# {actions}"), format!("{why}. message? No word tells it")),
                    false => (actions, why),
                }
            }
            None => {
                let told = told_direction(named, learnt, guesses);
                parts(named, &message, (learnt, guesses), told)
            }
        };
        let _ = writeln!(
            out,
            "# {number}: {why}\n[[rule]]\nname = {name}\nwhen = {{ pattern = {number} }}\n{actions}\n"
        );
    }
}

/// The message of a template without words, which is asked for.
const NO_WORDS: &str = "event";

/// The message of a template: its words, and values that are words themselves.
fn message(named: &NamedTemplate, learnt: &Learnt, guesses: &Guesses) -> String {
    let LineTemplate { slots, .. } = &named.template;
    let lifelines = guesses.lifeline.as_ref().and_then(|name| learnt.values.get(name));
    let is_lifeline = |word: &str| lifelines.is_some_and(|it| it.values.contains_key(word));
    let body = &slots[named.header..];
    let name = |index: usize| named.names[named.header + index].as_deref();
    let session = guesses.session.as_ref().or_else(|| guesses.likely.first());
    // `order 7` has its name before it; `order req-7` does not.
    let is_named = |index: usize, id: &str| {
        let word = index.checked_sub(1).and_then(|at| body[at].word.as_deref());
        word.is_some_and(|word| word.eq_ignore_ascii_case(id))
    };
    let is_session =
        |index: usize| session.is_some_and(|id| name(index) == Some(id) && is_named(index, id));
    let value = |index: usize| {
        let name = name(index)?;
        let values = learnt.values.get(name)?;
        let is_guess = [&guesses.session, &guesses.join, &guesses.lifeline]
            .iter()
            .any(|it| it.as_deref() == Some(name));
        let kind = body[index].kind;
        // A number behind a verb is often the message, such as a status.
        let is_word =
            kind == TokenType::Word || kind == TokenType::Number && is_behind_verb(body, index);
        (is_word && !is_guess && !PLACES.contains(&name) && values.values.len() <= MOST_LIFELINES)
            .then(|| format!("{{{name}}}"))
    };
    let mut parts = message_words(body, is_lifeline, is_session, value);
    if parts.is_empty() {
        parts = message_words(body, is_lifeline, |_| false, value);
    }
    if guesses.without_verbs {
        parts.retain(|part| direction(std::iter::once(part.as_str())).is_none());
    }
    if parts.is_empty() { NO_WORDS.to_owned() } else { parts.join("_") }
}

/// The actions of a template with an arrow between names, and why they are these.
fn actions_of_ends(
    (from, to): (&str, &str),
    message: &str,
    logged: Option<(Direction, &str)>,
) -> (String, String) {
    let [sent, received] =
        [format!("{{{from}}}!{message}"), format!("{{{to}}}?{message}")].map(|it| toml_text(&it));
    match logged {
        None => (actions(&[sent, received]), format!("an arrow leads from `{from}` to `{to}`")),
        Some((Direction::Emission, word)) => (
            actions(&[sent]),
            format!("`{word}` says that the beginning of the arrow, `{from}`, logged it"),
        ),
        Some((Direction::Reception, word)) => (
            actions(&[received]),
            format!("`{word}` says that the end of the arrow, `{to}`, logged it"),
        ),
    }
}

/// The line of a rule with these actions.
fn actions(actions: &[String]) -> String {
    format!("actions = [{}]", actions.join(", "))
}

/// The lines of the rule of another template that say its event, and why. What nothing tells is asked for, and has no value
/// until then.
fn parts(
    named: &NamedTemplate,
    message: &str,
    (learnt, guesses): (&Learnt, &Guesses),
    told: Option<(Direction, &str)>,
) -> (String, String) {
    let (direction, mark, why) = match told {
        Some((Direction::Emission, word)) => {
            ("emission", '!', format!("`{word}` means an emission"))
        }
        Some((Direction::Reception, word)) => {
            ("reception", '?', format!("`{word}` means a reception"))
        }
        None => {
            ("emission", '!', "direction? No word tells \"emission\" or \"reception\"".to_owned())
        }
    };
    let is_known = told.is_some() && message != NO_WORDS;
    let has = |name: &String| named.names.iter().flatten().any(|other| other == name);
    let sure = guesses.lifeline.as_ref().filter(|name| is_sure_lifeline(name, learnt));
    match &guesses.lifeline {
        Some(name) if !has(name) => {
            let action = actions(&[toml_text(&format!("{{@stem}}{mark}{message}"))]);
            (format!("# {action}"), format!("lifeline? These lines name none. {why}"))
        }
        Some(name) if is_known && sure.is_some() => {
            (actions(&[toml_text(&format!("{{{name}}}{mark}{message}"))]), why)
        }
        _ => {
            let own = sure.map(|name| format!("lifeline = {}\n", toml_text(name)));
            let text = match message.contains('{') {
                true => toml_text(message),
                false => format!("{{ text = {} }}", toml_text(message)),
            };
            let asked = |is_told: bool| if is_told { "" } else { "# " };
            let field = if told.is_none() { direction_field(named, learnt) } else { None };
            let direction = field.unwrap_or_else(|| format!("\"{direction}\""));
            let lines = format!(
                "{}{}message = {text}\n{}direction = {direction}",
                own.unwrap_or_default(),
                asked(message != NO_WORDS),
                asked(told.is_some()),
            );
            let more = if message == NO_WORDS { ". message? No word tells it" } else { "" };
            (lines, why + more)
        }
    }
}

/// The direction by a value of a template that says one in all lines.
fn direction_field(named: &NamedTemplate, learnt: &Learnt) -> Option<String> {
    let words = DirectionWords::new();
    named.names.iter().flatten().find_map(|name| {
        let sample = learnt.values.get(name)?.sample(name, learnt.lines);
        let ways = words.ways(&sample);
        let [sent, received] = [&ways.emission, &ways.reception].map(|values| list(values));
        let is_told = !ways.emission.is_empty() && !ways.reception.is_empty();
        (is_told && ways.others.is_empty()).then(|| {
            format!("{{ field = {}, emission = {sent}, reception = {received} }}", toml_text(name))
        })
    })
}

fn is_dash(slot: &Slot) -> bool {
    slot.word.as_deref().is_some_and(|word| word.chars().all(|c| c == '-'))
}

/// The names on both ends of an arrow, the sender first.
pub(super) fn ends(named: &NamedTemplate) -> Option<(&str, &str)> {
    let slots = &named.template.slots;
    let is_number = |at: usize| slots[at].kind == TokenType::Number;
    let name = |at: usize| named.names.get(at)?.as_deref().filter(|_| !is_number(at));
    (1..slots.len()).find_map(|at| {
        let (slot, before) = (&slots[at], at - 1);
        let left = if is_dash(&slots[before]) { before.checked_sub(1)? } else { before };
        let is_right = slot.before.trim_start().starts_with('>') && left != before
            || slot.before.trim() == "=>" && left == before;
        let is_left = slots[before].before.ends_with('<') && left != before;
        match (is_right, is_left) {
            (true, _) => Some((name(left)?, name(at)?)),
            (_, true) => Some((name(at)?, name(left)?)),
            _ => None,
        }
    })
}
