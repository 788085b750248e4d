//! Roles: lifelines whose names in the log differ from session to session, such as addresses.

use super::buffer::Binding;
use super::order::OrderKey;
use super::rule::Ties;
use super::session_ref::SessionRef;
use std::borrow::Cow;

/// Where the number of a replica stands in the lifeline of its role.
pub(super) const NUMBER: &str = "{n}";

/// What the lifelines of a role are called.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoleLifeline<'a> {
    /// The lifeline; with [`NUMBER`] in it where the role has several.
    pub(super) name: &'a str,
    /// How many replicas there may be; `None` for a role that one name has.
    pub(super) most: Option<u32>,
}

/// The names of the lifelines of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleNames<'a> {
    /// The names in the log, sorted, and the lifelines they stand for.
    names: Vec<(&'a str, Cow<'a, str>)>,
}

/// Bindings of one session that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoleError {
    /// Two roles are bound to the same name.
    #[error("in session `{session}` both `{one}` and `{other}` are `{value}`")]
    Same {
        /// The session.
        session: String,
        /// A role.
        one: String,
        /// The other role.
        other: String,
        /// The name of both in the log.
        value: String,
    },
    /// Two records could bind the role; their order is equal.
    #[error(
        "in session `{session}` `{role}` is `{one}` or `{other}`: the first records that say so \
         have the same order"
    )]
    Tie {
        /// The session.
        session: String,
        /// The role.
        role: String,
        /// Who may have it.
        one: String,
        /// Who else may have it.
        other: String,
    },
}

/// The first record that names a value of a role.
#[derive(Clone, Copy, Debug)]
struct First<'a> {
    value: &'a str,
    order: Option<OrderKey>,
    /// The position among the bindings of the session.
    position: usize,
    file: u32,
}

impl<'a> RoleNames<'a> {
    /// Binds roles by all bindings of one session, in the order of the input. Of a role for one, the
    /// first binding counts; of a role for replicas, the values are numbered by their first bindings.
    /// First is by the order field if there is one, else by the input.
    ///
    /// # Errors
    /// When two roles would be bound to the same name, and when first bindings that differ have the
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
                let Binding { value, order, file, .. } = binding;
                firsts.push(First { value, order, position, file });
            }
        }
        let mut names = Vec::new();
        for (role, mut firsts) in roles.iter().zip(firsts) {
            firsts.sort_by_key(|first| (first.order, first.position));
            let ranked = role.ranked(&firsts);
            reject_tie(&session.to_string(), role, &firsts, &ranked, ties)?;
            names.extend(ranked.iter().zip(1..).map(|(first, n)| (first.value, role.numbered(n))));
        }
        Ok(RoleNames { names: sorted(&session.to_string(), names)? })
    }

    /// The name of a lifeline or location in the session: its role, else the name in the log.
    pub fn name<'s>(&'s self, lifeline: &'s str) -> &'s str {
        let at = self.names.binary_search_by_key(&lifeline, |(value, _)| value);
        at.map_or(lifeline, |at| &self.names[at].1)
    }
}

impl<'a> RoleLifeline<'a> {
    /// The first record of each value that has the role, in order; of a role for one only the first.
    fn ranked(&self, firsts: &[First<'a>]) -> Vec<First<'a>> {
        if self.most.is_none() {
            return firsts.first().copied().into_iter().collect();
        }
        let mut seen = std::collections::HashSet::new();
        firsts.iter().copied().filter(|first| seen.insert(first.value)).collect()
    }

    /// What the value of a rank is called. Those beyond the most have a name that no specification
    /// has, the same for all, so that they are findings.
    fn numbered(&self, n: u32) -> Cow<'a, str> {
        match self.most {
            None => Cow::Borrowed(self.name),
            Some(most) if n > most => Cow::Owned(beyond(self.name, most)),
            Some(_) => Cow::Owned(self.name.replace(NUMBER, &n.to_string())),
        }
    }
}

/// What those are called who are more than a role may have.
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
    tied.map_or(Ok(()), |(one, other)| {
        Err(RoleError::Tie {
            session: session.to_owned(),
            role: role.name.to_owned(),
            one: one.value.to_owned(),
            other: other.value.to_owned(),
        })
    })
}

/// The names sorted by what the log calls them, each once.
fn sorted<'a>(
    session: &str,
    mut names: Vec<(&'a str, Cow<'a, str>)>,
) -> Result<Vec<(&'a str, Cow<'a, str>)>, RoleError> {
    // The same role may be declared in several ways.
    names.sort_by_key(|(value, _)| *value);
    names.dedup();
    match names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(names),
        Some(pair) => Err(RoleError::Same {
            session: session.to_owned(),
            one: pair[0].1.to_string(),
            other: pair[1].1.to_string(),
            value: pair[0].0.to_owned(),
        }),
    }
}
