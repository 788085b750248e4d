//! Specifications from one notation to another.

use crate::error::{Error, Lacking};
use crate::monitor::Monitor;
use crate::spec::{CompileOptions, ReadInteraction, Spec};
use multitrace_formats::bundle::Bundle;
use multitrace_formats::diagram::model::{MarkKind, Statement};
use multitrace_formats::diagram::{self, Notation, Rewritten};
use multitrace_formats::hif::{self, Dialect, ParsedSpec};
use multitrace_formats::locations::{self, LocationGroup};
use multitrace_formats::remedy::Remedy;
use multitrace_formats::source::Source;
use multitrace_formats::spec::{Spec as AnySpec, SpecFormat};
use multitrace_formats::timbuk::{self, Timbuk};
use multitrace_interaction::{Alphabet, Id, LetterId, LoopKind, Nfa, Node, Passing, Signature};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The notations that a specification is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConvertTo {
    /// `.hif`, with the operators that HIBOU knows as far as they can say it.
    Hif,
    /// A Mermaid diagram.
    Mermaid,
    /// A PlantUML diagram.
    PlantUml,
    /// A Mermaid diagram in Markdown.
    Markdown,
    /// An automaton.
    Timbuk,
}

impl ConvertTo {
    /// The notation by the extension of a path.
    ///
    /// # Errors
    /// If the extension is not one of a specification.
    pub fn of_path(path: &Path) -> Result<ConvertTo, Error> {
        Ok(match SpecFormat::of_path(path)? {
            SpecFormat::Timbuk => ConvertTo::Timbuk,
            SpecFormat::Diagram(Notation::Mermaid) => ConvertTo::Mermaid,
            SpecFormat::Diagram(Notation::PlantUml) => ConvertTo::PlantUml,
            SpecFormat::Markdown => ConvertTo::Markdown,
            _ => ConvertTo::Hif,
        })
    }
}

/// A specification in another notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The text.
    pub text: String,
    /// Constructs that are lost, or have to be given elsewhere.
    pub notes: Vec<String>,
}

#[doc(hidden)]
impl Spec {
    /// The same specification in another notation.
    ///
    /// # Errors
    /// When the text is wrong, and, with its place, when the notation has no form for a construct.
    ///
    /// ```
    /// use multitrace::{CompileOptions, ConvertTo, Spec, SpecFormat};
    /// let spec = Spec::parse("ping.hif", "loopW(a -- ping -> b)", SpecFormat::Hif);
    /// let converted = spec.convert(ConvertTo::Mermaid, &CompileOptions::default())?;
    /// assert!(converted.text.contains("loop\n        a->>b: ping\n    end\n"));
    /// # Ok::<(), multitrace::Error>(())
    /// ```
    pub fn convert(&self, to: ConvertTo, options: &CompileOptions) -> Result<Converted, Error> {
        let Some(read) = self.interaction(options)? else { return self.of_automaton(to, options) };
        match to {
            ConvertTo::Hif => to_hif(&read),
            ConvertTo::Mermaid => self.to_diagram(&read, Notation::Mermaid, options),
            ConvertTo::PlantUml => self.to_diagram(&read, Notation::PlantUml, options),
            ConvertTo::Markdown => {
                let Converted { text, notes } =
                    self.to_diagram(&read, Notation::Mermaid, options)?;
                Ok(Converted { text: format!("```mermaid\n{text}```\n"), notes })
            }
            ConvertTo::Timbuk => self.to_timbuk(options),
        }
    }

    /// A diagram as its author drew it; else its interaction.
    fn to_diagram(
        &self,
        read: &ReadInteraction,
        notation: Notation,
        options: &CompileOptions,
    ) -> Result<Converted, Error> {
        let groups = groups(read);
        if let Some(written) = self.rewritten(notation, options, &groups)? {
            let Rewritten { text, losses: mut notes, needs_options } = written;
            if needs_options {
                notes.push("read it with the same options for diagrams".to_owned());
            }
            return Ok(Converted { text, notes });
        }
        let printed = diagram::print(notation, &read.parsed, &groups);
        let text = printed.map_err(|errors| errors.of(read.source.clone()))?;
        let is_drawn = read.drawing.is_some();
        let lacks = is_drawn.then(|| {
            format!("{} lacks a construct of the drawing; this means the same", notation.name())
        });
        Ok(Converted { text, notes: lacks.into_iter().chain(lost_texts(read)).collect() })
    }

    fn of_automaton(&self, to: ConvertTo, options: &CompileOptions) -> Result<Converted, Error> {
        match (self.parsed(options)?, to) {
            (AnySpec::Automaton { automaton, .. }, ConvertTo::Timbuk) => {
                Ok(Converted { text: timbuk::print(&automaton), notes: Vec::new() })
            }
            _ => Err(Lacking::Lifelines(self.name().to_owned()).into()),
        }
    }

    fn to_timbuk(&self, options: &CompileOptions) -> Result<Converted, Error> {
        self.compile(options)?.monitor.to_timbuk()
    }
}

#[doc(hidden)]
impl Monitor {
    /// Its automaton in Timbuk, with a note that says the locations.
    ///
    /// # Errors
    /// When it has none.
    pub fn to_timbuk(&self) -> Result<Converted, Error> {
        Ok(automaton_of(self.bundle(), &self.automaton()?.full))
    }
}

/// The lifelines that share a clock, where several do.
fn groups(read: &ReadInteraction) -> Vec<LocationGroup> {
    let signature = &read.parsed.signature;
    let name = |lifeline| signature.lifeline_name(lifeline).to_owned();
    let members = read.locations.iter().map(|it| read.locations.lifelines(it));
    members
        .filter(|members| members.len() > 1)
        .map(|members| members.iter().copied().map(name).collect())
        .map(|members| LocationGroup { name: None, members })
        .collect()
}

pub(crate) fn locations_note(groups: &[LocationGroup]) -> Option<String> {
    let text = locations::text(groups.iter().map(|it| it.members.iter().map(String::as_str)));
    (!groups.is_empty()).then(|| {
        format!(
            "the locations are not part of it: {}",
            Remedy::Locations.to(format_args!("'{text}'"))
        )
    })
}

fn to_hif(read: &ReadInteraction) -> Result<Converted, Error> {
    let ParsedSpec { signature, interaction, .. } = &read.parsed;
    let mut notes: Vec<String> = locations_note(&groups(read)).into_iter().collect();
    if has_quoted_names(signature) {
        notes.push("names in quotes are not known to HIBOU".to_owned());
    }
    let is_ours = |node: &Node| match node {
        Node::Loop(LoopKind::CoReg(_), _) => true,
        Node::Step(step) => Passing::of_step(step.actions()).is_none(),
        _ => false,
    };
    if interaction.nodes().iter().any(is_ours) {
        notes.push("`loopC` and steps in braces are not known to HIBOU".to_owned());
    }
    notes.extend(lost_texts(read));
    let text = hif::print_in(Dialect::Hibou, interaction, signature);
    // A text with too many levels for the parser is useless.
    let text = hif::format(&Source::new(read.source.name(), text))
        .map_err(|_| Lacking::Levels(read.source.name().to_owned()))?;
    Ok(Converted { text, notes })
}

/// The texts around an interaction, which nothing but its own document keeps.
fn lost_texts(read: &ReadInteraction) -> Option<String> {
    let count = match &read.drawing {
        Some(drawing) => text_count(&drawing.model.body),
        None => hif::comment_count(read.source.text()),
    };
    (count > 0).then(|| format!("comments, notes and conditions are left out ({count} in all)"))
}

fn text_count(body: &[Statement]) -> usize {
    let count = |statement: &Statement| match statement {
        Statement::Note(_) | Statement::Reference(_) => 1,
        Statement::Mark(mark) => match &mark.kind {
            MarkKind::Comment(_) | MarkKind::Divider(_) | MarkKind::Delay(_) => 1,
            _ => 0,
        },
        Statement::Fragment(frame) => {
            let operands = frame.operands.iter();
            operands.map(|it| usize::from(!it.text.is_empty()) + text_count(&it.body)).sum()
        }
        Statement::Message(_) | Statement::Directive(_) => 0,
    };
    body.iter().map(count).sum()
}

fn has_quoted_names(signature: &Signature) -> bool {
    let lifelines = signature.lifelines().map(|it| signature.lifeline_name(it));
    let messages = signature.messages().map(|it| signature.message_name(it));
    lifelines.chain(messages).any(|name| hif::name_text(name).starts_with('"'))
}

/// The automaton of a bundle, its letters called by words that the format permits.
fn automaton_of(bundle: &Bundle, nfa: &Nfa) -> Converted {
    let alphabet = &bundle.alphabet;
    let letters = letter_names(alphabet);
    let texts = |own: Vec<LetterId>| -> Vec<&str> {
        own.into_iter().map(|it| letters[it.index()].as_str()).collect()
    };
    let groups: Vec<String> = alphabet
        .locations()
        .zip(alphabet.letters_by_location())
        .map(|(it, own)| format!("{}={}", word(alphabet.location_name(it)), texts(own).join(",")))
        .collect();
    let timbuk = Timbuk {
        name: word(&bundle.provenance.spec_name),
        states: (0..nfa.state_count()).map(|state| format!("q{state}")).collect(),
        initial: nfa.initial().to_vec(),
        finals: nfa.finals().collect(),
        transitions: nfa.transitions().to_vec(),
        letters: letters.clone(),
    };
    let text = format!("\"{}\"", groups.join(";"));
    let notes = vec![format!("the locations are not part of it: {}", Remedy::Locations.to(text))];
    Converted { text: timbuk::print(&timbuk), notes }
}

/// A name for each letter: `client!log in` becomes `client_send_log_in`, with a number where two would
/// be the same.
fn letter_names(alphabet: &Alphabet) -> Vec<String> {
    let mut used = HashSet::new();
    // The last number that was tried for each stem. Without it, many equal names would take quadratic time.
    let mut tried: HashMap<String, u32> = HashMap::new();
    let mut name = |letter: LetterId| {
        let text = alphabet.letter_name(letter).replacen('!', "_send_", 1);
        let stem = word(&text.replacen('?', "_receive_", 1));
        let number = tried.entry(stem.clone()).or_default();
        loop {
            *number += 1;
            let name = if *number == 1 { stem.clone() } else { format!("{stem}_{number}") };
            if used.insert(name.clone()) {
                return name;
            }
        }
    };
    alphabet.letters().map(&mut name).collect()
}

/// A word of letters, digits and underscores.
fn word(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let text: String = text.chars().map(plain).collect();
    match text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        true => text,
        false => format!("a_{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn letters_of_one_stem_get_numbers() {
        let mut alphabet = Alphabet::default();
        let at = alphabet.add_location("a").expect("a new name");
        for name in ["a!é", "a!_2", "a!è", "a!_"] {
            alphabet.add_letter(name, at).expect("a new name");
        }
        let names = ["a_send__", "a_send__2", "a_send___2", "a_send___3"];
        assert_eq!(letter_names(&alphabet), names);
        // Many of one stem.
        let signs = ('\u{4e00}'..).filter(|it| it.is_alphanumeric()).take(20_000);
        for sign in signs {
            alphabet.add_letter(&format!("a!{sign}"), at).expect("a new name");
        }
        let names = BTreeSet::from_iter(letter_names(&alphabet));
        assert_eq!(names.len(), alphabet.letters().len());
    }
}
