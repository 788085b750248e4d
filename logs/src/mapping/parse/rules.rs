//! Filters, joins, roles and rules.

use super::MappingReader;
use crate::mapping::condition::Condition;
use crate::mapping::event_parts::{EventParts, PARTS};
use crate::mapping::ids::SessionFilterId;
use crate::mapping::role::NUMBER;
use crate::mapping::rule::{
    ActionTemplate, Direction, JoinRule, Lost, Named, RoleRule, RuleKind, SessionFilter,
};
use crate::mapping::template::{Template, action_mark};
use crate::mapping::tree::{TomlValue, Tree};
use multitrace_formats::source::quote;
use multitrace_interaction::{ActionKind, names};
use toml::de::DeTable;

impl MappingReader<'_> {
    pub(super) fn filter(&mut self, tree: Tree<'_, '_>) -> Option<Named<()>> {
        tree.only(&["name", "when"], &mut self.errors);
        let when = self.when(tree, true)?;
        Some(self.named(tree, "filter", when, ()))
    }

    pub(super) fn session_filters(
        &mut self,
        top: Tree<'_, '_>,
        defaults: &EventParts,
    ) -> Vec<Named<SessionFilter>> {
        let kinds =
            [("keep-session", SessionFilterId::Keep), ("drop-session", SessionFilterId::Drop)];
        let mut filters = Vec::new();
        for (key, kind) in kinds {
            let read =
                |reader: &mut Self, tree: Tree<'_, '_>| reader.session_filter(tree, kind, defaults);
            filters.extend(self.each(top, key, read));
        }
        filters
    }

    fn session_filter(
        &mut self,
        tree: Tree<'_, '_>,
        filter: SessionFilterId,
        defaults: &EventParts,
    ) -> Option<Named<SessionFilter>> {
        tree.only(&["name", "when", "session", "order"], &mut self.errors);
        let when = self.when(tree, true)?;
        let parts = self.parts_of(tree, &["session", "order"]).or(defaults);
        let session = self.session(tree, parts.session)?;
        let is_own = tree.get("session").is_some();
        let then = SessionFilter { filter, session, is_own, order: parts.order };
        Some(self.named(tree, "filter", when, then))
    }

    /// An id that tells the session of records without one.
    pub(super) fn join(
        &mut self,
        tree: Tree<'_, '_>,
        defaults: &EventParts,
    ) -> Option<Named<JoinRule>> {
        tree.only(&["name", "when", "field", "session", "lost"], &mut self.errors);
        let parts = self.parts_of(tree, &["session"]).or(defaults);
        let help = "the field with the id, field = \"request\"";
        let id = self.needed(tree, "field", help).and_then(|node| self.value(node))?;
        let when = match tree.get("when") {
            None => Condition::always(),
            Some(_) => self.when(tree, true)?,
        };
        let session = self.session(tree, parts.session)?;
        let lost = match tree.get("lost").map(|node| (node, node.value.as_str())) {
            None | Some((_, Some("error"))) => Lost::Error,
            Some((_, Some("count"))) => Lost::Count,
            Some((_, Some("own"))) => Lost::Own,
            Some((node, _)) => {
                let help = "write \"error\", \"count\", or \"own\", for events whose id leads to no session";
                self.errors.push(node.error("this is not \"error\", \"count\" or \"own\"", help));
                Lost::Error
            }
        };
        Some(self.named(tree, "join", when, JoinRule { id, session, lost }))
    }

    pub(super) fn role(
        &mut self,
        tree: Tree<'_, '_>,
        defaults: &EventParts,
    ) -> Option<Named<RoleRule>> {
        let known =
            ["name", "when", "lifeline", "field", "session", "order", "most", "in-messages"];
        tree.only(&known, &mut self.errors);
        let in_messages = tree.get("in-messages").and_then(|node| self.take(node.flag()));
        let parts = self.parts_of(tree, &["session", "order"]).or(defaults);
        let lifeline = self.needed(tree, "lifeline", "the name of the role in specifications")?;
        let most = self.most(tree, lifeline);
        let lifeline = self.take(lifeline.text())?.to_owned();
        let value = self.needed(tree, "field", "the field that tells who has the role")?;
        let value = self.value(value)?;
        let when = match tree.get("when") {
            None if most.is_none_or(|most| most.is_some()) => {
                Condition::has_all(value.alternatives().map(Template::fields))
            }
            _ => self.when(tree, true)?,
        };
        let session = self.session(tree, parts.session)?;
        let (most, in_messages) = (most?, in_messages == Some(true));
        let role = RoleRule { lifeline, most, session, value, order: parts.order, in_messages };
        Some(self.named(tree, "role", when, role))
    }

    /// How many replicas may have a role: the outer option is missing if that is an error.
    fn most(&mut self, tree: Tree<'_, '_>, lifeline: TomlValue<'_, '_>) -> Option<Option<u32>> {
        let name = self.take(lifeline.text())?;
        let is_numbered = name.contains(NUMBER);
        let most = tree.get("most");
        let number = most.map(|node| node.number().map(u32::try_from));
        let stem = name.replace(NUMBER, "");
        let help = &format!("write lifeline = \"{stem}{{n}}\" and most = 3 for {stem}1 to {stem}3");
        match (is_numbered, most, number) {
            (false, None, _) => Some(None),
            (true, Some(_), Some(Ok(Ok(most @ 1..)))) => Some(Some(most)),
            (false, Some(node), _) => {
                self.errors.push(node.error("the lifeline of this role has no number", help));
                None
            }
            (_, node, _) => {
                let place = node.unwrap_or(lifeline);
                let message = "how many replicas may there be? `most` is a number from 1";
                self.errors.push(place.error(message, help));
                None
            }
        }
    }

    pub(super) fn rule(
        &mut self,
        tree: Tree<'_, '_>,
        defaults: &EventParts,
    ) -> Option<Named<RuleKind>> {
        let known = [&["name", "when", "actions", "drop"], &PARTS[..]].concat();
        tree.only(&known, &mut self.errors);
        let when = self.when(tree, false)?;
        let parts = self.parts(tree).or(defaults);
        let is_drop = tree.get("drop").and_then(|node| self.take(node.flag())) == Some(true);
        let then = if is_drop {
            RuleKind::Drop
        } else if let Some(node) = tree.get("actions") {
            let list = self.take(node.list())?;
            let actions = list.into_iter().filter_map(|node| self.action(node, &parts));
            RuleKind::Actions(actions.collect())
        } else {
            RuleKind::Actions(vec![self.whole(tree, parts)?])
        };
        Some(self.named(tree, "rule", when, then))
    }

    /// The event that `[event]` describes, if it is a whole one.
    pub(super) fn event_rule(
        &mut self,
        tree: Tree<'_, '_>,
        parts: &EventParts,
        is_needed: bool,
    ) -> Option<Named<RuleKind>> {
        let is_whole =
            parts.lifeline.is_some() && parts.direction.is_some() && parts.message.is_some();
        if !is_whole && !is_needed {
            return None;
        }
        let action = self.whole(tree, parts.clone())?;
        let line = self.source.position(tree.span.start).line;
        let (when, then) = (Condition::always(), RuleKind::Actions(vec![action]));
        Some(Named { name: "[event]".to_owned(), line, when, then })
    }

    /// One entry of `actions`: a text, or a table with parts of its own.
    fn action(&mut self, node: TomlValue<'_, '_>, parts: &EventParts) -> Option<ActionTemplate> {
        let (text, parts) = match node.tree() {
            Ok(tree) => {
                tree.only(&["action", "session", "location", "order"], &mut self.errors);
                let own = self.parts_of(tree, &["session", "location", "order"]).or(parts);
                (self.needed(tree, "action", "for example \"{src}!{msg}\"")?, own)
            }
            Err(_) => (node, parts.clone()),
        };
        let written = self.take(text.text())?;
        let Some(mark) = action_mark(written) else {
            let message = format!("{} is not an action", quote(written));
            let help = "write lifeline!message for an emission, lifeline?message for a reception";
            self.errors.push(text.error(message, help));
            return None;
        };
        let emits = written.as_bytes()[mark] == b'!';
        let kind = if emits { ActionKind::Emission } else { ActionKind::Reception };
        let lifeline = self.template(text, &names::name_of(&written[..mark]))?;
        let message = self.template(text, &written[mark + 1..])?;
        for (part, what) in [(&lifeline, "lifeline"), (&message, "message")] {
            if part.as_text() == Some("") {
                let help = "write lifeline!message or lifeline?message";
                self.errors.push(text.error(format!("the action has no {what}"), help));
            }
        }
        Some(ActionTemplate {
            session: self.session(Tree::new(&DeTable::new(), node.span), parts.session)?,
            location: parts.location,
            lifeline,
            direction: Direction::Fixed(kind),
            message,
            order: parts.order,
        })
    }
}
