//! Roles: lifelines whose names in the log differ from session to session, such as addresses.

use super::buffer::Binding;

/// The names of the lifelines of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleNames<'a> {
    /// Per role its lifeline, and its name in the log; `None` if no record binds it.
    roles: Vec<(&'a str, Option<&'a str>)>,
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

impl<'a> RoleNames<'a> {
    /// Binds roles, given by their lifelines, by all bindings of one session. The first binding of each
    /// role counts: by the order field if it has one, else by the input.
    ///
    /// # Errors
    /// When two roles would be bound to the same name, and when the first bindings of a role have
    /// the same order and differ.
    pub(crate) fn new(
        roles: &[&'a str],
        bindings: impl IntoIterator<Item = Binding<'a>>,
    ) -> Result<RoleNames<'a>, RoleError> {
        let mut first: Vec<Option<Binding<'a>>> = vec![None; roles.len()];
        let mut rival: Vec<Option<&str>> = vec![None; roles.len()];
        for binding in bindings {
            let index = binding.role.index();
            let Some(best) = first.get_mut(index) else { continue };
            match best {
                Some(best) if binding.order.is_none() || best.order < binding.order => {}
                Some(best) if best.order == binding.order => {
                    if best.value != binding.value {
                        rival[index] = Some(binding.value);
                    }
                }
                _ => (*best, rival[index]) = (Some(binding), None),
            }
        }
        reject_ties(roles, &first, &rival)?;
        reject_shared(roles, &first)?;
        let value = |binding: Option<Binding<'a>>| binding.map(|binding| binding.value);
        let roles = roles.iter().zip(first).map(|(role, binding)| (*role, value(binding)));
        Ok(RoleNames { roles: roles.collect() })
    }

    /// The name of a lifeline or location in the session: its role, else the name in the log.
    pub fn name<'s>(&self, lifeline: &'s str) -> &'s str
    where
        'a: 's,
    {
        let role = self.roles.iter().find(|(_, value)| *value == Some(lifeline));
        role.map_or(lifeline, |(role, _)| role)
    }
}

fn reject_ties(
    roles: &[&str],
    first: &[Option<Binding<'_>>],
    rival: &[Option<&str>],
) -> Result<(), RoleError> {
    for ((role, binding), rival) in roles.iter().zip(first).zip(rival) {
        if let (Some(binding), Some(rival)) = (binding, rival) {
            return Err(RoleError::Tie {
                session: binding.session.to_owned(),
                role: (*role).to_owned(),
                one: binding.value.to_owned(),
                other: (*rival).to_owned(),
            });
        }
    }
    Ok(())
}

fn reject_shared(roles: &[&str], first: &[Option<Binding<'_>>]) -> Result<(), RoleError> {
    for (index, binding) in first.iter().enumerate() {
        let Some(binding) = binding else { continue };
        let same = |other: &Option<Binding<'_>>| other.is_some_and(|b| b.value == binding.value);
        // The same role may be declared in several ways.
        let other = (0..index).find(|&other| same(&first[other]) && roles[other] != roles[index]);
        if let Some(other) = other {
            return Err(RoleError::Same {
                session: binding.session.to_owned(),
                one: roles[other].to_owned(),
                other: roles[index].to_owned(),
                value: binding.value.to_owned(),
            });
        }
    }
    Ok(())
}
