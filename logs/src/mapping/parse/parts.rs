//! The parts of events, as tables of a mapping give them.

use super::{MappingReader, first_byte};
use crate::mapping::event_parts::{EventParts, PARTS};
use crate::mapping::rule::{ActionTemplate, Direction};
use crate::mapping::template::Template;
use crate::mapping::tree::{TomlValue, Tree};
use multitrace_formats::source::Diagnostic;
use multitrace_formats::suggest::did_you_mean;
use multitrace_interaction::ActionKind;

const DIRECTION_HELP: &str = "write direction = \"emission\", \"reception\", or { field = \"dir\", \
                              emission = \"send\", reception = \"receive\" }";

impl MappingReader<'_> {
    pub(super) fn parts(&mut self, tree: Tree<'_, '_>) -> EventParts {
        let parts = self.parts_of(tree, PARTS);
        let misspelt = |part: &str| {
            let keys = tree.entries().map(|(key, ..)| key).filter(|key| !PARTS.contains(key));
            keys.into_iter().any(|key| did_you_mean(key, [part]).is_some())
        };
        for (part, is_read) in PARTS.iter().zip(parts.are_there()) {
            if !is_read && (tree.get(part).is_some() || misspelt(part)) {
                self.wrong_parts.push(part);
            }
        }
        parts
    }

    /// Some parts of events as this table gives them.
    pub(super) fn parts_of(&mut self, tree: Tree<'_, '_>, keys: &[&str]) -> EventParts {
        let get = |key: &str| if keys.contains(&key) { tree.get(key) } else { None };
        EventParts {
            session: get("session").and_then(|node| self.session_value(node)),
            location: get("location").and_then(|node| self.value_of(node, "location")),
            lifeline: get("lifeline").and_then(|node| self.value_of(node, "lifeline")),
            direction: get("direction").and_then(|node| self.direction(node)),
            message: get("message").and_then(|node| self.value_of(node, "message")),
            order: get("order").and_then(|node| self.order(node)),
        }
    }

    /// One action of all its parts.
    pub(super) fn whole(
        &mut self,
        tree: Tree<'_, '_>,
        parts: EventParts,
    ) -> Option<ActionTemplate> {
        let session = self.session(tree, parts.session);
        let lifeline = self.present(tree, "lifeline", parts.lifeline);
        let direction = self.present(tree, "direction", parts.direction);
        let message = self.present(tree, "message", parts.message);
        Some(ActionTemplate {
            session: session?,
            location: parts.location,
            lifeline: lifeline?,
            direction: direction?,
            message: message?,
            order: parts.order,
        })
    }

    pub(super) fn session(
        &mut self,
        tree: Tree<'_, '_>,
        session: Option<Template>,
    ) -> Option<Template> {
        if session.is_none() && !self.wrong_parts.contains(&"session") {
            let error = Diagnostic::new(first_byte(tree.span), "which field is the session?", "");
            let help = "write session = \"FIELD\" in [event], or session = { text = \"run\" } if \
                        the input is one session";
            self.errors.push(error.with_help(help));
            // The same question for each rule has the same answer.
            self.wrong_parts.push("session");
        }
        session
    }

    /// A part that must be given, here or in `[event]`.
    fn present<T>(&mut self, tree: Tree<'_, '_>, what: &'static str, part: Option<T>) -> Option<T> {
        if part.is_none() && !self.wrong_parts.contains(&what) {
            match self.missing.iter_mut().find(|(part, ..)| *part == what) {
                Some((.., tables)) => *tables += 1,
                None => self.missing.push((what, first_byte(tree.span), 1)),
            }
        }
        part
    }

    /// Reports each part that tables lack once.
    pub(super) fn report_missing(&mut self) {
        for (what, first, tables) in std::mem::take(&mut self.missing) {
            let message = match tables {
                1 => format!("the {what} is missing"),
                _ => format!("the {what} is missing in {tables} rules"),
            };
            let help = match what {
                "direction" => format!("{DIRECTION_HELP}, here or in [event], or list `actions`"),
                _ => format!("write {what} = \"FIELD\" here or in [event], or list `actions`"),
            };
            self.errors.push(Diagnostic::new(first, message, "").with_help(help));
        }
    }

    /// `"emission"`, `"reception"`, or a field and the values, or other fields, that mean either.
    fn direction(&mut self, node: TomlValue<'_, '_>) -> Option<Direction> {
        let help = DIRECTION_HELP;
        match node.value.as_str() {
            Some("emission") => return Some(Direction::Fixed(ActionKind::Emission)),
            Some("reception") => return Some(Direction::Fixed(ActionKind::Reception)),
            _ => {}
        }
        let Ok(tree) = node.tree() else {
            self.errors.push(node.error("this is not a direction", help));
            return None;
        };
        tree.only(&["field", "emission", "reception"], &mut self.errors);
        let field = self.needed(tree, "field", help).and_then(|node| self.field(node));
        let emission = self.needed(tree, "emission", help).and_then(|node| self.test(node));
        let reception = self.needed(tree, "reception", help).and_then(|node| self.test(node));
        Some(Direction::Field { field: field?, emission: emission?, reception: reception? })
    }
}
