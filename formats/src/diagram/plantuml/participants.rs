//! The participants of a diagram and the boxes around them.

use super::creole::{plain, plain_lines, text_looks};
use super::line::SourceLine;
use super::names::{Name, after_as, code, looks, quoted, strip_any, strip_word};
use crate::diagram::model::{Looks, Participant, ParticipantBox, ParticipantId};
use crate::source::{Diagnostic, Span};
use std::collections::HashMap;

/// The kinds of participants.
const KINDS: [&str; 9] = [
    "participant",
    "actor",
    "boundary",
    "control",
    "entity",
    "queue",
    "database",
    "collections",
    "create",
];

/// Whether there is such a kind of participants.
pub(crate) fn is_kind(kind: &str) -> bool {
    KINDS[..8].contains(&kind)
}

/// The participants found so far.
#[derive(Debug, Default)]
pub(super) struct Participants {
    list: Vec<Participant>,
    /// For each, its `order` and when it was declared last.
    ranks: Vec<(i64, usize)>,
    /// For each, the box that it is in.
    boxed: Vec<Option<usize>>,
    by_id: HashMap<String, ParticipantId>,
    boxes: Vec<ParticipantBox>,
    open_boxes: Vec<usize>,
    declarations: usize,
}

/// The declaration of a participant in a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Declaration<'t> {
    kind: &'t str,
    name: Name<'t>,
    order: i64,
    /// Colour, links and stereotypes.
    looks: String,
    /// Whether it is created by the next message.
    pub(super) is_created: bool,
    /// Whether the lines after this one, up to `]`, are its label.
    pub(super) has_label_lines: bool,
}

/// Reads a declaration. `None`: the line does not declare anything. `Err`: the text that does not
/// belong to the declaration.
pub(super) fn declaration(line: &str) -> Option<Result<Declaration<'_>, &str>> {
    let (mut kind, mut rest) = strip_any(line, &KINDS)?;
    let mut is_created = KINDS[kind] == "create";
    if !rest.starts_with(|c: char| c.is_whitespace() || "\"“[".contains(c)) {
        return None;
    }
    rest = rest.trim_start();
    if is_created
        && let Some((created, after)) = strip_any(rest, &KINDS[..8])
        && after.starts_with(char::is_whitespace)
        && !after.trim_start().is_empty()
    {
        (kind, rest, is_created) = (created, after.trim_start(), true);
    }
    let (name, mut rest) = declared_name(rest)?;
    let (mut order, mut all_looks) = (0, Vec::new());
    loop {
        let (found, after) = looks(rest);
        all_looks.extend(Some(found).filter(|it| !it.is_empty()));
        rest = after;
        let Some(after) = strip_word(rest, "order") else { break };
        let after = after.trim_start();
        let end = after.find(char::is_whitespace).unwrap_or(after.len());
        let Ok(number) = after[..end].parse() else { return Some(Err(after)) };
        (order, rest) = (number, &after[end..]);
    }
    let has_label_lines = rest == "[";
    let kind = if KINDS[kind] == "create" { "participant" } else { KINDS[kind] };
    let looks = all_looks.join(" ");
    let declaration = Declaration { kind, name, order, looks, is_created, has_label_lines };
    Some(if rest.is_empty() || has_label_lines { Ok(declaration) } else { Err(rest) })
}

/// `"text" as code`, `code as "text"`, `text as code`, `"text"` or `code`.
fn declared_name(text: &str) -> Option<(Name<'_>, &str)> {
    if let Some((label, rest)) = quoted(text) {
        return Some(match after_as(rest, true).and_then(code) {
            Some((id, rest)) => (Name { id, label: Some(label) }, rest),
            None => (Name { id: label, label: None }, rest),
        });
    }
    let (first, rest) = code(text)?;
    let Some(second) = after_as(rest, false) else {
        return Some((Name { id: first, label: None }, rest));
    };
    if let Some((label, rest)) = quoted(second) {
        return Some((Name { id: first, label: Some(label) }, rest));
    }
    let (id, rest) = code(second)?;
    Some((Name { id, label: Some(first) }, rest))
}

impl Participants {
    /// The participant of this name; a new one if the name is new.
    pub(super) fn get(&mut self, name: Name<'_>, span: Span) -> Option<ParticipantId> {
        if let Some(id) = self.by_id.get(name.id) {
            return Some(*id);
        }
        let marked = name.label.unwrap_or(name.id);
        let label = plain(marked);
        let looks = text_looks(marked, &label);
        let (id, kind) = (name.id.to_owned(), "participant".to_owned());
        self.add(Participant { id, label, kind, looks, span }, 0)
    }

    fn add(&mut self, mut added: Participant, order: i64) -> Option<ParticipantId> {
        let new = ParticipantId(u32::try_from(self.list.len()).ok()?);
        if added.label.is_empty() {
            added.label.clone_from(&added.id);
        }
        self.by_id.insert(added.id.clone(), new);
        self.list.push(added);
        self.declarations += 1;
        self.ranks.push((order, self.declarations));
        self.boxed.push(self.open_boxes.last().copied());
        Some(new)
    }

    /// Declares a participant. One that is there already only moves to the end, into the open box, as
    /// PlantUML has it.
    pub(super) fn declare(
        &mut self,
        declared: &Declaration<'_>,
        label: Option<String>,
        span: Span,
    ) -> Option<ParticipantId> {
        let Name { id, label: written } = declared.name;
        if let Some(&known) = self.by_id.get(id) {
            self.declarations += 1;
            self.ranks[known.index()].1 = self.declarations;
            self.boxed[known.index()] = self.open_boxes.last().copied();
            return Some(known);
        }
        let marked = written.unwrap_or(id);
        let (label, text) = match label {
            Some(label) => (label, Looks::default()),
            None => (plain(marked), text_looks(marked, &plain(marked))),
        };
        let (id, kind) = (id.to_owned(), declared.kind.to_owned());
        let looks = Looks { behind: declared.looks.clone(), ..text };
        self.add(Participant { id, label, kind, looks, span }, declared.order)
    }

    /// Opens a box.
    pub(super) fn open_box(&mut self, title: &str, span: Span) {
        let title = title.trim();
        let (label, behind) = match quoted(title) {
            Some(found) => found,
            None => title.split_at(title.find(['#', '<']).unwrap_or(title.len())),
        };
        let text = plain(label);
        let behind = behind.trim().to_owned();
        let looks = Looks { behind, ..text_looks(label.trim(), &text) };
        self.open_boxes.push(self.boxes.len());
        self.boxes.push(ParticipantBox { label: text, members: Vec::new(), looks, span });
    }

    /// Closes the last box, if one is open.
    pub(super) fn close_box(&mut self) -> bool {
        self.open_boxes.pop().is_some()
    }

    /// The participants as they are drawn, the boxes, and for each id given out its place there.
    pub(super) fn finish(self) -> (Vec<Participant>, Vec<ParticipantBox>, Vec<ParticipantId>) {
        let Participants { list, ranks, boxed, mut boxes, .. } = self;
        let mut drawn: Vec<(usize, Participant)> = list.into_iter().enumerate().collect();
        drawn.sort_by_key(|(old, _)| ranks[*old]);
        let mut places = vec![ParticipantId(0); drawn.len()];
        for (new, (old, _)) in (0..).zip(&drawn) {
            places[*old] = ParticipantId(new);
            if let Some(members) = boxed[*old].and_then(|of| boxes.get_mut(of)) {
                members.members.push(ParticipantId(new));
            }
        }
        (drawn.into_iter().map(|(_, participant)| participant).collect(), boxes, places)
    }
}

/// The label that stands in lines of its own: headings and rulers are looks.
pub(super) fn label_of_lines(lines: &[SourceLine]) -> String {
    let texts = lines.iter().map(|line| line.text.trim());
    let texts = texts.filter(|text| !is_ruler(text));
    plain_lines(texts.map(|text| text.trim_start_matches('=')))
}

fn is_ruler(text: &str) -> bool {
    text.len() >= 4 && (text.bytes().all(|b| b == b'-') || text.bytes().all(|b| b == b'='))
}

/// The error of a declaration that goes on.
pub(super) fn not_a_declaration(line: &SourceLine, rest: &str) -> Diagnostic {
    let message = "a participant that goes on after its name";
    let help = "a name with blanks or signs stands in quotes: `participant \"Long name\" as L`";
    Diagnostic::new(line.span_of(rest), message, "not expected here").with_help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Short<'t> = (&'t str, &'t str, Option<&'t str>, i64);

    fn read(line: &str) -> Option<Result<Short<'_>, &str>> {
        declaration(line).map(|read| {
            read.map(|found| (found.kind, found.name.id, found.name.label, found.order))
        })
    }

    #[test]
    fn declarations() {
        for (line, expected) in [
            ("participant A", ("participant", "A", None, 0)),
            ("Actor  Bob", ("actor", "Bob", None, 0)),
            ("participant \"Long\" as L #red", ("participant", "L", Some("Long"), 0)),
            ("queue L as \"Long\" <<x>>", ("queue", "L", Some("Long"), 0)),
            ("participant Foo as f", ("participant", "f", Some("Foo"), 0)),
            ("database \"My DB\" order -3", ("database", "My DB", None, -3)),
            ("create C", ("participant", "C", None, 0)),
            ("create control C", ("control", "C", None, 0)),
            ("actor U [[/wiki]]", ("actor", "U", None, 0)),
            ("participant W as w [[\"/a b\"]]", ("participant", "w", Some("W"), 0)),
        ] {
            assert_eq!(read(line), Some(Ok(expected)), "{line}");
        }
        assert_eq!(read("participant foo bar"), Some(Err("bar")));
        assert_eq!(read("participant -> B"), None);
        assert_eq!(read("participants X"), None);
    }

    #[test]
    fn order_and_declarations_decide_the_places() {
        let mut participants = Participants::default();
        for line in ["actor A order 2", "actor B", "actor C", "actor B"] {
            let declared = declaration(line).expect("a declaration").expect("a good one");
            participants.declare(&declared, None, Span::default());
        }
        let (list, _, places) = participants.finish();
        let ids: Vec<&str> = list.iter().map(|participant| participant.id.as_str()).collect();
        assert_eq!(ids, ["C", "B", "A"]);
        assert_eq!(places, [ParticipantId(2), ParticipantId(1), ParticipantId(0)]);
    }
}
