//! The learnt interaction as a text, with its evidence.

use super::found::{Evidence, FEW, LEAST_PARTED, Learnt, Outlier, WHY_SKIPPED};
use super::naming::with_all_lifelines;
use crate::convert::{ConvertTo, Converted, locations_note};
use crate::error::Error;
use crate::monitor::Monitor;
use crate::spec::{CompileOptions, Spec};
use multitrace_formats::diagram::{self, FrameTexts, Notation, PrintOptions, PrintedDiagram};
use multitrace_formats::hif::{self, Allowed, ParsedSpec};
use multitrace_formats::locations::{self, LocationGroup};
use multitrace_formats::shorten::{visible, without_commands};
use multitrace_formats::source::{Source, Span};
use multitrace_formats::spec::SpecFormat;
use multitrace_interaction::{Action, Id, Interaction, LifelineId, Node, NodeId, Signature, names};
use multitrace_learn::{Lack, Share};
use multitrace_reports::text::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The name of the text in messages.
const NAME: &str = "the learnt interaction";
/// From this share of unseen sessions that pass, more sessions would show little.
const SURE: f64 = 0.99;
/// The most outliers that are described.
const MOST_SHOWN: usize = 20;

/// An interaction as a specification.
pub(super) fn spec_of(signature: &Signature, interaction: &Interaction) -> Spec {
    let interaction = with_all_lifelines(interaction, signature);
    Spec::parse(NAME, &hif::print(&interaction, signature), SpecFormat::Hif)
}

/// How it is compiled: with the lifelines that share a log at one location.
pub(super) fn compile_options(groups: &[Vec<String>], used: &Signature) -> CompileOptions {
    let groups = groups_of(groups, used);
    let text = locations::text(groups.iter().map(|it| it.iter().map(String::as_str)));
    CompileOptions { locations: (!groups.is_empty()).then_some(text), ..CompileOptions::default() }
}

/// The lifelines of each group that a signature has, where several are left.
fn groups_of(groups: &[Vec<String>], used: &Signature) -> Vec<Vec<String>> {
    let is_used = |name: &&String| used.lifeline(name).is_some();
    let groups = groups.iter().map(|group| group.iter().filter(is_used).cloned().collect());
    groups.filter(|group: &Vec<String>| group.len() > 1).collect()
}

/// The evidence for a learnt interaction, as far as it needs no sessions.
pub(super) fn evidence(learnt: &multitrace_learn::Learnt, signature: &Signature) -> Evidence {
    let ambiguous = learnt.ambiguous.iter();
    let few = |share: &&Share| share.taken < FEW;
    Evidence {
        variants: learnt.variants,
        arrows: learnt.arrows,
        is_cut: learnt.is_cut,
        sample: learnt.sample,
        has_too_many_arrows: learnt.has_too_many_arrows,
        ambiguous: ambiguous
            .map(|&(message, count)| (signature.message_name(message).to_owned(), count))
            .collect(),
        weak_places: learnt.shares.iter().filter(few).count(),
        ..Evidence::default()
    }
}

/// A text of the input in a line of its own, which may be printed where a job of CI runs.
fn shown(text: &str) -> String {
    without_commands(&visible(text))
}

impl Learnt {
    /// The specification.
    pub fn spec(&self) -> Spec {
        spec_of(&self.signature, &self.learnt.interaction)
    }

    /// How the specification is compiled: lifelines that share a log are at one location.
    pub fn compile_options(&self) -> CompileOptions {
        compile_options(&self.locations, &self.signature)
    }

    /// Its diagram, compiled, and the names by which that calls lifelines and messages.
    pub(crate) fn diagram(&self) -> Result<(Monitor, Signature), Error> {
        let only = self.diagrams(Notation::Mermaid, None);
        let (spec, options, names) = match only {
            Ok(diagrams) => {
                let text: String = diagrams.into_iter().map(|it| it.text).collect();
                let spec = Spec::parse("learnt.mmd", &text, SpecFormat::Diagram(Notation::Mermaid));
                (spec, CompileOptions::default(), writable(&self.signature, Notation::Mermaid).0)
            }
            // There are names that it cannot have.
            Err(_) => (self.spec(), self.compile_options(), self.signature.clone()),
        };
        Ok((spec.compile(&options)?.monitor, names))
    }

    /// An event, if it is in the interaction.
    pub(crate) fn event(&self, text: &str) -> Option<Action> {
        let (lifeline, kind, message) = names::split_action(text)?;
        let lifeline = self.signature.lifeline(&lifeline)?;
        let action = Action { lifeline, kind, message: self.signature.message(message)? };
        self.learnt.interaction.actions().any(|it| it == action).then_some(action)
    }

    /// The specification in a notation, with its evidence. `logs` names the inputs.
    ///
    /// # Errors
    /// When the notation cannot say it.
    pub fn write(&self, to: ConvertTo, logs: &str) -> Result<Converted, Error> {
        let comment = |mark: &str| {
            let left_out = self.outliers.iter().take(MOST_SHOWN).map(|outlier| {
                let distance = outlier
                    .distance
                    .map_or_else(String::new, |it| format!(", {} away", counted(it, "edit")));
                let (count, ids) = (counted(outlier.count, "session"), outlier.named());
                format!("Left out: {count} ({ids}){distance}: {}", described(outlier))
            });
            let lines = self.remarks(logs).into_iter().chain(left_out).chain(self.more_outliers());
            lines.map(|it| format!("{mark} {}\n", shown(&it))).collect::<String>()
        };
        let only = |notation, most| -> Result<String, Error> {
            Ok(self.diagrams(notation, most)?.into_iter().map(|it| it.text).collect())
        };
        let text = match to {
            ConvertTo::Markdown => self.document(logs)?,
            ConvertTo::Mermaid => comment("%%") + &only(Notation::Mermaid, None)?,
            ConvertTo::PlantUml => comment("'") + &only(Notation::PlantUml, self.most_arrows)?,
            ConvertTo::Hif => {
                let notes = locations_note(&self.groups(&self.signature)).into_iter().collect();
                let text = comment("//") + self.spec().source().text();
                return Ok(Converted { text, notes });
            }
            // This notation has no comments.
            ConvertTo::Timbuk => {
                let converted = self.spec().convert(to, &self.compile_options())?;
                return Ok(Converted { notes: self.remarks(logs), ..converted });
            }
        };
        Ok(Converted { text, notes: Vec::new() })
    }

    fn document(&self, logs: &str) -> Result<String, Error> {
        let mut text = format!("# Behaviour of {}\n\n", counted(self.sessions, "session"));
        text.extend(self.remarks(logs).iter().map(|it| format!("* {}\n", shown(it))));
        if !self.outliers.is_empty() {
            text += "\n| sessions left out | how many | edits | faults |\n|---|---|---|---|\n";
        }
        for outlier in self.outliers.iter().take(MOST_SHOWN) {
            let Outlier { count, distance, .. } = outlier;
            let distance = distance.map_or_else(|| "?".to_owned(), |it| it.to_string());
            let cell = |text: &str| shown(text).replace('|', "\\|");
            let (ids, finding) = (cell(&outlier.named()), cell(&described(outlier)));
            let _ = writeln!(text, "| {ids} | {count} | {distance} | {finding} |");
        }
        text.extend(self.more_outliers().map(|it| format!("\n{it}\n")));
        let diagrams = self.diagrams(Notation::Mermaid, self.most_arrows)?;
        Ok(text + &diagram::markdown_of(Notation::Mermaid, &diagrams))
    }

    /// How many outliers are not described.
    fn more_outliers(&self) -> Option<String> {
        let more: u64 = self.outliers.iter().skip(MOST_SHOWN).map(|it| it.count).sum();
        (more > 0)
            .then(|| format!("{} more left out; `check` shows all.", counted(more, "session")))
    }

    /// The evidence, line by line.
    fn remarks(&self, logs: &str) -> Vec<String> {
        let Evidence { variants, arrows, weak_places, ambiguous, .. } = &self.evidence;
        let mut remarks = vec![
            format!(
                "Learnt from {} of {logs}: it shows their behaviour, right or wrong.",
                counted(self.sessions, "session")
            ),
            format!(
                "{} in {}, from {} of messages.",
                counted(*arrows as u64, "arrow"),
                counted(self.signature.lifelines().len() as u64, "lifeline"),
                counted(*variants as u64, "order"),
            ),
        ];
        let one_ended = self.learnt.one_ended;
        if one_ended > 0 {
            remarks.push(format!(
                "{} whose other end is in no log, or not where it would fit: drawn from a lifeline to itself.",
                counted(one_ended as u64, "arrow")
            ));
        }
        remarks.extend(self.remarks_on_sample());
        remarks.extend(self.remarks_on_the_rest());
        if *weak_places > 0 {
            remarks.push(format!(
                "{} taken by fewer than {FEW} sessions: more that take them would show how they go on.",
                counted(*weak_places as u64, "alternative")
            ));
        }
        let weak_orders = self.weak_orders().count();
        if weak_orders > 0 {
            remarks.push(format!(
                "{} where fewer than {FEW} sessions have another order than all others: more would show whether it is free.",
                counted(weak_orders as u64, "parallel part")
            ));
        }
        for (message, count) in ambiguous {
            remarks.push(format!(
                "`{message}` could have gone to another lifeline, or come from one, in {}: a name or number of it that both logs have would tell.",
                counted(*count, "session")
            ));
        }
        remarks
    }

    /// Which sessions it was learnt from, and how it does on others.
    fn remarks_on_sample(&self) -> Vec<String> {
        let Evidence { sample, has_too_many_arrows, held_out, is_cut, .. } = &self.evidence;
        let mut remarks = Vec::new();
        if let Some(sample) = sample {
            remarks.push(format!(
                "Learnt from {sample} of {} different sessions, those that are there most often and some others; all are checked.",
                self.observations.sessions.len()
            ));
        }
        if *has_too_many_arrows {
            remarks.push("They are those with few arrows: all together have too many. A number in the names of lifelines or messages makes arrows that are there once; a mapping can leave it out.".to_owned());
        }
        remarks.push(match held_out {
            Some(share) => format!(
                "Learnt from four fifths of those that it accepts, it accepts {:.1} % of the others{}.",
                100.0 * share,
                if share < &SURE { ": more sessions would show more" } else { "" }
            ),
            None if *is_cut => "There was too much to look at in all ways: a smaller diagram may do, and it was not tried on unseen sessions."
                .to_owned(),
            None => format!(
                "It accepts fewer than {LEAST_PARTED} sessions, too few to try it on unseen ones: an order that all have may be one by chance."
            ),
        });
        remarks
    }

    /// The sessions that are not part of it.
    fn remarks_on_the_rest(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.skipped > 0 {
            remarks.push(self.skipped_text());
        }
        let left_out: u64 = self.outliers.iter().map(|it| it.count).sum();
        if left_out > 0 {
            remarks.push(format!(
                "{} left out, which it does not accept.",
                counted(left_out, "session")
            ));
        }
        if self.evidence.beyond > 0 {
            remarks.push(format!(
                "{} of them should pass, but as many others as a diagram can hold are alternatives of their own already.",
                counted(self.evidence.beyond, "session")
            ));
        }
        remarks
    }

    /// How many sessions were skipped, and why.
    pub fn skipped_text(&self) -> String {
        format!("{} not learnt from: {WHY_SKIPPED}.", counted(self.skipped, "session"))
    }

    /// The lifelines that share a log, by their names in a signature.
    fn groups(&self, signature: &Signature) -> Vec<LocationGroup> {
        let written = |name: &String| {
            let lifeline = self.signature.lifeline(name);
            lifeline.map_or("", |it| signature.lifeline_name(it)).to_owned()
        };
        let groups = groups_of(&self.locations, &self.signature);
        let group = |members: &Vec<String>| LocationGroup {
            name: None,
            members: members.iter().map(written).collect(),
        };
        groups.iter().map(group).collect()
    }

    /// The main diagram, and those that it refers to.
    fn diagrams(
        &self,
        notation: Notation,
        most_arrows: Option<usize>,
    ) -> Result<Vec<PrintedDiagram>, Error> {
        let interaction = self.learnt.interaction.clone();
        let (signature, labels) = writable(&self.signature, notation);
        let parsed = ParsedSpec {
            signature,
            spans: vec![Span::default(); interaction.nodes().len()],
            interaction,
            names: Vec::new(),
            allowed: Allowed::default(),
            unjudged: None,
            unlogged: Vec::new(),
            unlogged_events: Vec::new(),
            has_only_multi_traces: false,
        };
        let groups = self.groups(&parsed.signature);
        let options = PrintOptions { texts: self.texts(), joins_loops: true, labels, most_arrows };
        let printed = diagram::printed(notation, &parsed, &groups, &options);
        printed.map_err(|errors| errors.of(Source::new(NAME, self.spec().source().text())).into())
    }

    /// How often alternatives are taken, and which parts in any order few sessions show.
    fn texts(&self) -> FrameTexts {
        let nodes = self.learnt.interaction.nodes();
        let is_empty = |it: NodeId| matches!(nodes[it.index()], Node::Empty);
        let options = nodes.iter().filter_map(|node| match node {
            Node::Alt(some, none) if is_empty(*none) => Some(*some),
            _ => None,
        });
        let options: BTreeSet<NodeId> = options.collect();
        let text = |share: &Share| {
            let Share { node, taken, of } = *share;
            let few = if taken < FEW {
                format!(", stands on {}", counted(taken, "session"))
            } else if of - taken < FEW && options.contains(&node) {
                format!(", left out by {}", counted(of - taken, "session"))
            } else {
                String::new()
            };
            (node, format!("{} %{few}", percent(taken, of)))
        };
        let order = |(node, others): (NodeId, u64)| {
            (node, format!("another order in {}", counted(others, "session")))
        };
        let shares = self.learnt.shares.iter().map(text);
        shares.chain(self.weak_orders().map(order)).collect()
    }

    /// The first parts of those that come in any order, where few sessions show another one than most.
    fn weak_orders(&self) -> impl Iterator<Item = (NodeId, u64)> {
        self.learnt.orders.iter().copied().filter(|(_, others)| (1..FEW).contains(others))
    }
}

/// The same names where a notation can write them; lifelines whose names it cannot have a plain one, and theirs as a label.
fn writable(
    signature: &Signature,
    notation: Notation,
) -> (Signature, BTreeMap<LifelineId, String>) {
    let (mut written, mut labels) = (Signature::default(), BTreeMap::new());
    for lifeline in signature.lifelines() {
        let name = signature.lifeline_name(lifeline);
        if diagram::lifeline_form(notation, name).is_some() {
            written.intern_lifeline(name);
            continue;
        }
        let plain = diagram::plain_name(name);
        let is_free = |it: &String| {
            signature.lifeline(it).is_none()
                && written.lifeline(it).is_none()
                && diagram::lifeline_form(notation, it).is_some()
        };
        let mut names = std::iter::once(plain.clone())
            .chain((2..100).map(|number| format!("{plain}_{number}")));
        let found = names.find(is_free).filter(|_| diagram::label_form(notation, name).is_some());
        if found.is_some() {
            labels.insert(lifeline, name.to_owned());
        }
        written.intern_lifeline(found.as_deref().unwrap_or(name));
    }
    for message in signature.messages() {
        written.intern_message(signature.message_name(message));
    }
    (written, labels)
}

/// A sentence on a session that is left out.
fn described(outlier: &Outlier) -> String {
    let lack = match outlier.lack {
        Some(Lack::Logs) => "a log is missing; ",
        Some(Lack::Events) => "events of a log are missing, or in another order; ",
        None => "",
    };
    let finding = outlier.finding.as_deref().unwrap_or("not looked at");
    format!("{lack}{finding}")
}

/// A share in percent, with a digit behind the point where it would else be 0 or 100.
fn percent(taken: u64, of: u64) -> String {
    let percent = 100.0 * taken as f64 / of.max(1) as f64;
    if (0.5..=99.5).contains(&percent) || taken == of {
        format!("{percent:.0}")
    } else {
        format!("{percent:.1}")
    }
}
