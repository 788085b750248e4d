//! Roles: lifelines whose names in the log differ from session to session, such as addresses.

use super::buffer::Binding;
use super::order::OrderKey;
use super::rule::Ties;
use super::session_ref::SessionRef;
use crate::record::RecordPlace;
use multitrace_formats::source::quote;
use std::borrow::Cow;
use std::collections::HashSet;

/// Where the number of a replica stands in the lifeline of its role.
pub(super) const NUMBER: &str = "{n}";

/// The names of the lifelines of a role.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoleLifeline<'a> {
    /// The lifeline; with [`NUMBER`] in it where the role has several.
    pub(super) name: &'a str,
    /// How many replicas there may be; `None` for a role that one name has.
    pub(super) most: Option<u32>,
    /// Whether messages name the lifeline by the role, too.
    pub(super) in_messages: bool,
    /// The mapping, and the line of the role there.
    pub(super) rule: (&'a str, usize),
}

/// The names of the lifelines of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleNames<'a> {
    /// The names in the log, sorted, and the lifelines they stand for.
    names: Vec<(&'a str, Cow<'a, str>)>,
    /// Those that messages have, too.
    in_messages: Vec<(&'a str, Cow<'a, str>)>,
}

/// Bindings of one session that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RoleError {
    /// The error.
    pub message: String,
    /// The remedy.
    pub help: &'static str,
    /// The name in the log for the lifeline of the second record.
    pub value: String,
    /// The file of the second record, by its position among the inputs.
    pub file: u32,
    /// The second record.
    pub place: RecordPlace,
}

/// The first record that names a value of a role.
#[derive(Clone, Copy, Debug)]
struct First<'a> {
    value: &'a str,
    order: Option<OrderKey>,
    /// The position among the bindings of the session.
    position: usize,
    file: u32,
    place: RecordPlace,
}

/// A name in the log, the lifeline it stands for, and the rule that says so.
type Bound<'a> = (First<'a>, Cow<'a, str>, (&'a str, usize));

impl<'a> RoleNames<'a> {
    /// Binds roles by all bindings of one session, in the order of the input. Of a role for one, the
    /// first binding counts; of a role for replicas, the values are numbered by their first bindings, without those that
    /// have a role for one.
    /// First is by the order field if there is one, else by the input.
    ///
    /// # Errors
    /// When two roles for one would be bound to the same name, and when first bindings that differ have the
    /// same order.
    pub(super) fn new(
        roles: &[RoleLifeline<'a>],
        bindings: impl IntoIterator<Item = Binding<'a>>,
        ties: Ties,
    ) -> Result<RoleNames<'a>, RoleError> {
        let mut session = SessionRef::Named("");
        let mut firsts: Vec<Vec<First<'a>>> = vec![Vec::new(); roles.len()];
        for (position, binding) in bindings.into_iter().enumerate() {
            session = binding.session;
            let role = same_role(roles, binding.role.index());
            if let Some(firsts) = firsts.get_mut(role) {
                let Binding { value, order, file, place, .. } = binding;
                firsts.push(First { value, order, position, file, place });
            }
        }
        firsts.iter_mut().for_each(|firsts| firsts.sort_by_key(|it| (it.order, it.position)));
        // A lifeline with a role that only one can have takes no other role.
        let single = roles.iter().zip(&firsts).filter(|(role, _)| role.most.is_none());
        let single: HashSet<&str> = single.filter_map(|(_, it)| Some(it.first()?.value)).collect();
        let (mut names, mut in_messages) = (Vec::new(), Vec::new());
        for (role, mut firsts) in roles.iter().zip(firsts) {
            if role.most.is_some() {
                firsts.retain(|first| !single.contains(first.value));
            }
            let ranked = role.ranked(&firsts);
            reject_tie(&session.to_string(), role, &firsts, &ranked, ties)?;
            let numbered = ranked.into_iter().zip(1..);
            if role.in_messages {
                in_messages
                    .extend(numbered.clone().map(|(first, n)| (first.value, role.numbered(n))));
            }
            names.extend(numbered.map(|(first, n)| (first, role.numbered(n), role.rule)));
        }
        Ok(RoleNames { names: sorted(&session.to_string(), names)?, in_messages })
    }

    /// The lifelines with the names in the log that they stand for.
    pub(crate) fn machines(&self) -> impl Iterator<Item = (&str, &str)> {
        self.names.iter().map(|(value, lifeline)| (&**lifeline, *value))
    }

    /// The name of a lifeline or location in the session: its role, else the name in the log.
    pub fn name<'s>(&'s self, lifeline: &'s str) -> &'s str {
        let at = self.names.binary_search_by_key(&lifeline, |(value, _)| value);
        at.map_or(lifeline, |at| &self.names[at].1)
    }

    /// A message with the roles in it in place of their names in the log.
    pub fn message<'s>(&self, message: &'s str) -> Cow<'s, str> {
        match with_roles(message, &self.in_messages) {
            Some(new) => Cow::Owned(new),
            None => Cow::Borrowed(message),
        }
    }
}

/// A text with a role for each whole name that it has; `None` if it has none. A role may be called like a name of another:
/// a name that was put in is not looked at again.
fn with_roles(text: &str, roles: &[(&str, Cow<'_, str>)]) -> Option<String> {
    if roles.is_empty() {
        return None;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut new, mut end) = (String::new(), 0);
    for (at, _) in text.char_indices() {
        if at < end || text[..at].ends_with(is_part) {
            continue;
        }
        let fits = |name: &str| {
            let rest = text[at..].strip_prefix(name).filter(|_| !name.is_empty());
            rest.is_some_and(|rest| !rest.starts_with(is_part))
        };
        if let Some((name, role)) = roles.iter().find(|(name, _)| fits(name)) {
            new.push_str(&text[end..at]);
            new.push_str(role);
            end = at + name.len();
        }
    }
    (end > 0).then(|| new + &text[end..])
}

impl<'a> RoleLifeline<'a> {
    /// The first record of each value that has the role, in order; of a role for one only the first.
    fn ranked(&self, firsts: &[First<'a>]) -> Vec<First<'a>> {
        if self.most.is_none() {
            return firsts.first().copied().into_iter().collect();
        }
        let mut seen = HashSet::new();
        firsts.iter().copied().filter(|first| seen.insert(first.value)).collect()
    }

    /// The name of the value of a rank. Those beyond the most have a name that no specification
    /// has, the same for all, so that they are findings.
    fn numbered(&self, n: u32) -> Cow<'a, str> {
        match self.most {
            None => Cow::Borrowed(self.name),
            Some(most) if n > most => Cow::Owned(beyond(self.name, most)),
            Some(_) => Cow::Owned(self.name.replace(NUMBER, &n.to_string())),
        }
    }
}

/// The name of those beyond the most that a role may have.
pub(super) fn beyond(lifeline: &str, most: u32) -> String {
    lifeline.replace(NUMBER, &format!(">{most}"))
}

/// The role whose numbers a role continues: replicas may be found in several ways.
fn same_role(roles: &[RoleLifeline<'_>], index: usize) -> usize {
    let Some(role) = roles.get(index).filter(|role| role.most.is_some()) else { return index };
    roles.iter().position(|other| other.name == role.name).unwrap_or(index)
}

/// Rejects values whose ranks are not known: the first record of one has the same order as the first
/// of another.
fn reject_tie(
    session: &str,
    role: &RoleLifeline<'_>,
    firsts: &[First<'_>],
    ranked: &[First<'_>],
    ties: Ties,
) -> Result<(), RoleError> {
    // Of a role for one, the others only count where they are as early as the first.
    let all = if role.most.is_some() { ranked } else { firsts };
    let is_tie = |one: &First<'_>, other: &First<'_>| {
        one.order.is_some()
            && one.order == other.order
            && one.value != other.value
            && !(ties == Ties::File && one.file == other.file)
    };
    let tied = match ranked.first().filter(|_| role.most.is_none()) {
        Some(first) => all.iter().find(|other| is_tie(first, other)).map(|other| (first, other)),
        None => all.windows(2).find(|pair| is_tie(&pair[0], &pair[1])).map(|it| (&it[0], &it[1])),
    };
    tied.map_or(Ok(()), |(one, other)| Err(tie_error(session, role, one, other)))
}

fn tie_error(
    session: &str,
    role: &RoleLifeline<'_>,
    one: &First<'_>,
    other: &First<'_>,
) -> RoleError {
    let (name, rule) = (quote(role.name), shown(role.rule));
    let (first, second) = (quote(one.value), quote(other.value));
    let message = format!(
        "session {session:?}: lifeline {name} ({rule}) is {first} or {second}: the first records that \
         say so have the same `order`"
    );
    let help = match role.most {
        Some(_) => {
            "name a finer field in `order` of the mapping, add one, order = [\"ts\", \"seq\"], or, where \
             the file is in order, write ties = \"file\""
        }
        None => {
            "let `when` of this [[role]] hold for one record a session, or name a finer field in \
             `order` of the mapping"
        }
    };
    other.error(message, help)
}

/// The place of a rule, whose table starts a line.
fn shown((mapping, line): (&str, usize)) -> String {
    format!("{mapping}:{line}:1")
}

impl First<'_> {
    fn error(&self, message: String, help: &'static str) -> RoleError {
        let First { value, file, place, .. } = *self;
        RoleError { message, help, value: value.to_owned(), file, place }
    }
}

/// The names sorted by those in the log, each once.
fn sorted<'a>(
    session: &str,
    mut names: Vec<Bound<'a>>,
) -> Result<Vec<(&'a str, Cow<'a, str>)>, RoleError> {
    // The same role may be declared in several ways.
    names.sort_by_key(|(first, ..)| first.value);
    names.dedup_by(|b, a| (b.0.value, &b.1) == (a.0.value, &a.1));
    match names.windows(2).find(|pair| pair[0].0.value == pair[1].0.value) {
        None => Ok(names.into_iter().map(|(first, name, _)| (first.value, name)).collect()),
        Some(pair) => {
            let [(_, one, first_rule), (second, other, rule)] = pair else { return Ok(Vec::new()) };
            let (value, one, other) = (quote(second.value), quote(one), quote(other));
            let (first_rule, rule) = (shown(*first_rule), shown(*rule));
            let message = format!(
                "session {session:?}: {value} is both lifeline {one} ({first_rule}) and lifeline \
                 {other} ({rule})"
            );
            let help = "let `when` of these [[role]]s hold for records of different participants";
            Err(second.error(message, help))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_stand_for_whole_names_in_messages() {
        let new = |text| with_roles(text, &[("n1", "leader".into())]);
        assert_eq!(new("vote n1, n1:7 (n1)").as_deref(), Some("vote leader, leader:7 (leader)"));
        assert_eq!(new("n1").as_deref(), Some("leader"));
        assert_eq!(new("n10 an1 n1_"), None);
        assert_eq!(with_roles("any", &[("", "leader".into())]), None);
        let swapped = [("n1", "n2".into()), ("n2", "n1".into())];
        assert_eq!(with_roles("n1 to n2", &swapped).as_deref(), Some("n2 to n1"));
    }
}
