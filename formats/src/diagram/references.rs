//! Diagrams that stand in others of the same text: at a PlantUML `ref over a, b : title`, and at a note after the directive
//! `ref`.

// The other diagram takes the place of the reference as a frame that only groups. Its participants are those of the
// same name, its settings hold for the whole. The statements keep their places, since all of it is one text.

use super::directives::REFERENCE;
use super::markdown::DiagramText;
use super::message_names::one_line;
use super::model::{
    Diagram, Directive, Fragment, FragmentOperand, FragmentOperator, Looks, MAX_FRAMES, Note,
    ParticipantBox, ParticipantId, Statement,
};
use super::{Include, parse, renumber};
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use std::collections::{BTreeMap, BTreeSet};

/// The most statements that stand in place of references: each may lead to several others. An estimate, far beyond
/// diagrams that can be drawn.
const MOST_STATEMENTS: usize = 100_000;

/// One of the diagrams of a text.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'t> {
    /// All of them, in order.
    pub all: &'t [DiagramText],
    /// Which one.
    pub at: usize,
}

impl<'t> Chosen<'t> {
    pub(super) fn text(self) -> &'t DiagramText {
        &self.all[self.at]
    }
}

/// The only one.
impl<'t> From<&'t DiagramText> for Chosen<'t> {
    fn from(only: &'t DiagramText) -> Chosen<'t> {
        Chosen { all: std::slice::from_ref(only), at: 0 }
    }
}

/// A diagram with those that it refers to.
#[derive(Clone, Debug)]
pub struct WholeDiagram {
    /// The diagram; the others stand in it as frames.
    pub diagram: Diagram,
    /// Which of the diagrams of the text these are.
    pub parts: BTreeSet<usize>,
}

/// Reads the statements of a diagram and of those that it refers to, without their meaning.
///
/// # Errors
/// All errors of the diagram and of these; a directive `ref` that names no diagram of the text, or one around it.
pub fn parse_whole(
    text: &str,
    chosen: Chosen<'_>,
    include: &Include<'_>,
) -> Result<WholeDiagram, Diagnostics> {
    References::new(text, chosen.all, include).whole(chosen.at)
}

/// The diagram of a text in which all these places are, with those that it refers to.
pub fn around(
    text: &str,
    all: &[DiagramText],
    spans: &[Span],
    include: &Include<'_>,
) -> Option<(usize, WholeDiagram)> {
    let has = |at: usize| {
        let mut starts = spans.iter().filter(|it| it.end > it.start).map(|it| it.start);
        starts.any(|start| all[at].range.contains(&start))
    };
    let used: BTreeSet<usize> = (0..all.len()).filter(|&at| has(at)).collect();
    // One may be made of references alone.
    let others = (0..all.len()).filter(|at| !used.contains(at));
    let mut references = References::new(text, all, include);
    used.iter().copied().chain(others).find_map(|at| {
        let whole = references.whole(at).ok()?;
        used.iter().all(|it| *it == at || whole.parts.contains(it)).then_some((at, whole))
    })
}

/// The one diagram of a text that no other refers to, if one refers to others.
pub(crate) fn main_diagram(
    text: &str,
    all: &[DiagramText],
    include: &Include<'_>,
) -> Option<usize> {
    if !text.contains(REFERENCE) {
        return None;
    }
    let mut references = References::new(text, all, include);
    let parts = (0..all.len()).filter_map(|at| references.whole(at).ok());
    let parts: BTreeSet<usize> = parts.flat_map(|it| it.parts).collect();
    let mut others = (0..all.len()).filter(|at| !parts.contains(at));
    let main = others.next()?;
    (others.next().is_none() && !parts.is_empty()).then_some(main)
}

/// A heading as GitHub's anchors have it: in lower case, blanks as dashes, without punctuation.
pub(crate) fn slug(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let dashed = |c: char| if c == ' ' { '-' } else { c };
    heading.trim().chars().filter(kept).map(dashed).collect::<String>().to_lowercase()
}

struct References<'t> {
    text: &'t str,
    all: &'t [DiagramText],
    include: &'t Include<'t>,
    /// The diagrams by title and heading, once there is a reference.
    names: Option<BTreeMap<String, Vec<usize>>>,
    /// The diagrams that were parsed.
    parsed: BTreeMap<usize, Result<Diagram, Diagnostics>>,
    /// The diagrams that are being read, each referred to by the one before.
    open: Vec<usize>,
    parts: BTreeSet<usize>,
    statements: usize,
}

impl<'t> References<'t> {
    fn new(text: &'t str, all: &'t [DiagramText], include: &'t Include<'t>) -> References<'t> {
        References {
            text,
            all,
            include,
            names: None,
            parsed: BTreeMap::new(),
            open: Vec::new(),
            parts: BTreeSet::new(),
            statements: 0,
        }
    }

    /// A diagram with those that it refers to.
    fn whole(&mut self, at: usize) -> Result<WholeDiagram, Diagnostics> {
        (self.open, self.parts, self.statements) = (vec![at], BTreeSet::new(), 0);
        let mut diagram = self.parsed(at).clone()?;
        let body = std::mem::take(&mut diagram.body);
        let body = self.resolved(body, &mut diagram, 0)?;
        let parts = std::mem::take(&mut self.parts);
        Ok(WholeDiagram { diagram: Diagram { body, ..diagram }, parts })
    }

    /// A diagram as it stands.
    fn parsed(&mut self, at: usize) -> &Result<Diagram, Diagnostics> {
        let parse = || parse(self.text, &self.all[at], self.include);
        self.parsed.entry(at).or_insert_with(parse)
    }

    /// The statements, with other diagrams in place of the references to them.
    fn resolved(
        &mut self,
        body: Vec<Statement>,
        host: &mut Diagram,
        depth: usize,
    ) -> Result<Vec<Statement>, Diagnostics> {
        let mut all = Vec::with_capacity(body.len());
        let mut waiting: Option<Directive> = None;
        for statement in body {
            match statement {
                Statement::Directive(it) if it.text == REFERENCE && waiting.is_none() => {
                    waiting = Some(it);
                }
                Statement::Note(note) if waiting.is_some() => {
                    waiting = None;
                    let at = self.named(&note)?;
                    all.push(self.part(&note, at, host, depth)?);
                }
                Statement::Reference(note) => match self.found(&note)[..] {
                    [at] if !self.open.contains(&at) => {
                        all.push(self.part(&note, at, host, depth)?);
                    }
                    _ => all.push(Statement::Reference(note)),
                },
                Statement::Fragment(mut fragment) => {
                    all.extend(waiting.take().map(Statement::Directive));
                    for operand in &mut fragment.operands {
                        let body = std::mem::take(&mut operand.body);
                        operand.body = self.resolved(body, host, depth + 1)?;
                    }
                    all.push(Statement::Fragment(fragment));
                }
                other => {
                    // Whoever reads the meaning says that it stands before no note.
                    let is_other = other.is_meant();
                    all.extend(waiting.take_if(|_| is_other).map(Statement::Directive));
                    all.push(other);
                }
            }
        }
        all.extend(waiting.map(Statement::Directive));
        Ok(all)
    }

    /// The diagrams of the name that a note has.
    fn found(&mut self, note: &Note) -> Vec<usize> {
        if self.names.is_none() {
            self.names = Some(self.by_name());
        }
        let names = self.names.iter().filter_map(|it| it.get(&slug(&one_line(&note.text))));
        names.flatten().copied().collect()
    }

    fn by_name(&mut self) -> BTreeMap<String, Vec<usize>> {
        let mut names: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for at in 0..self.all.len() {
            let title = self.parsed(at).as_ref().ok().and_then(|it| it.heading());
            let own: BTreeSet<String> =
                title.iter().chain(&self.all[at].heading).map(|it| slug(it)).collect();
            own.into_iter().for_each(|name| names.entry(name).or_default().push(at));
        }
        names
    }

    /// The one diagram of that name, which must be there.
    fn named(&mut self, note: &Note) -> Result<usize, Diagnostics> {
        let name = quote(&one_line(&note.text));
        let error = |message: String, help: &str| {
            Diagnostic::new(note.span, message, "the reference").with_help(help)
        };
        let help = "the text of the note is the title of another diagram of the same Markdown or PlantUML file, or the heading above it";
        match self.found(note)[..] {
            [at] if self.open.contains(&at) => {
                let message = format!("the diagram {name} is a part of itself");
                Err(error(message, "take the reference away, or write a loop").into())
            }
            [at] => Ok(at),
            [] => Err(error(format!("no diagram of this file is called {name}"), help).into()),
            [_, _, ..] => {
                let message = format!("several diagrams are called {name}");
                Err(error(message, "give one of them another title").into())
            }
        }
    }

    /// Another diagram as a frame in a host.
    fn part(
        &mut self,
        note: &Note,
        at: usize,
        host: &mut Diagram,
        depth: usize,
    ) -> Result<Statement, Diagnostics> {
        let part = self.parsed(at).clone()?;
        self.parts.insert(at);
        self.statements += part.body.len();
        if depth >= MAX_FRAMES || self.statements > MOST_STATEMENTS {
            let message = "the diagrams that this one refers to are too large together";
            let error = Diagnostic::new(note.span, message, "the reference");
            return Err(error.with_help("refer to fewer diagrams").into());
        }
        self.open.push(at);
        let Diagram { participants, boxes, mut body, .. } = part;
        let places: Vec<ParticipantId> = participants
            .into_iter()
            .map(|own| {
                let known = host.participants.iter().position(|it| it.id == own.id);
                let place = known.unwrap_or(host.participants.len());
                host.participants.extend(known.is_none().then_some(own));
                ParticipantId(place as u32)
            })
            .collect();
        renumber::statements(&mut body, &places);
        add_boxes(boxes, &places, host);
        let body = self.resolved(body, host, depth + 1)?;
        self.open.pop();
        let text = one_line(&note.text);
        let (color, looks) = (String::new(), Looks::default());
        let operand = FragmentOperand { text, color, looks, header: note.span, body };
        let operator = FragmentOperator::Group;
        Ok(Statement::Fragment(Fragment { operator, operands: vec![operand], span: note.span }))
    }
}

/// Boxes of a part, without participants that have one.
fn add_boxes(boxes: Vec<ParticipantBox>, places: &[ParticipantId], host: &mut Diagram) {
    for mut own in boxes {
        let boxed = |it: &ParticipantId| host.boxes.iter().any(|other| other.members.contains(it));
        own.members = own.members.iter().map(|it| places[it.index()]).collect();
        own.members.retain(|it| !boxed(it));
        if !own.members.is_empty() {
            host.boxes.push(own);
        }
    }
}
