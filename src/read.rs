//! `multitrace read`: how a specification is understood.

use crate::args::{GlobalArgs, ReadArgs, RecordFormat};
use crate::failure::{CommandResult, Failure, show};
use crate::output::{print, print_json};
use multitrace::{CompileOptions, ReadInteraction, RunOutcome, Spec};
use multitrace_formats::diagram::Drawing;
use multitrace_formats::hif::{self, Dialect, ParsedSpec};
use multitrace_formats::shorten::visible;
use multitrace_formats::source::Position;
use multitrace_formats::warning::{Warning, Warnings};
use multitrace_interaction::{Id, Node, NodeId};
use serde_json::{Value, json};
use std::fmt::Write;

pub(crate) fn run(args: &ReadArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    let options = args.reading.options()?;
    let (mut exit, mut out, mut is_first) = (RunOutcome::Clean, String::new(), true);
    for path in &args.specs {
        let specs = match Spec::read(path) {
            Ok(specs) => specs,
            // The next ones are read too, so that one run reports all errors.
            Err(error) => {
                Failure::from(error).tell();
                exit = RunOutcome::Error;
                continue;
            }
        };
        for spec in specs.each() {
            match (read(&spec, &options), args.output_format) {
                (Err(error), _) => {
                    error.tell();
                    exit = RunOutcome::Error;
                }
                (Ok((_, warnings)), _) if args.check => tell(&warnings, args, global, &mut exit),
                (Ok((read, warnings)), RecordFormat::JsonLines) => {
                    let _ = writeln!(out, "{}", object(&spec.name(), &read, &warnings));
                    denied(&warnings, args, &mut exit);
                }
                (Ok((read, warnings)), RecordFormat::Human) => {
                    if !is_first {
                        out.push('\n');
                    }
                    human(&spec.name(), &read, &mut out);
                    if args.deny_warnings || !global.quiet {
                        print(&std::mem::take(&mut out))?;
                    }
                    tell(&warnings, args, global, &mut exit);
                }
            }
            is_first = false;
        }
    }
    match args.output_format {
        RecordFormat::JsonLines => print_json(&out)?,
        RecordFormat::Human => print(&out)?,
    }
    Ok(exit)
}

/// Shows warnings and hints; warnings as errors if none are accepted.
fn tell(warnings: &Warnings, args: &ReadArgs, global: &GlobalArgs, exit: &mut RunOutcome) {
    denied(warnings, args, exit);
    if !args.deny_warnings && !global.quiet && !warnings.is_empty() {
        show(&warnings.all());
    }
}

/// Shows warnings as errors, if none are accepted. Hints are not warnings.
fn denied(warnings: &Warnings, args: &ReadArgs, exit: &mut RunOutcome) {
    if args.deny_warnings && warnings.list().iter().any(|it| !it.code.is_hint()) {
        show(&warnings.as_errors());
        *exit = RunOutcome::Error;
    }
}

fn read(spec: &Spec, options: &CompileOptions) -> Result<(ReadInteraction, Warnings), Failure> {
    match spec.interaction(options)? {
        Some(read) => {
            let warnings = read.warnings(options);
            Ok((read, warnings))
        }
        None => Err(Failure::new(format!(
            "{}: an automaton has no lifelines and messages; `multitrace compile` shows its size",
            spec.source().name()
        ))),
    }
}

fn human(name: &str, read: &ReadInteraction, out: &mut String) {
    let ReadInteraction { parsed, drawing, locations, .. } = read;
    let ParsedSpec { signature, interaction, .. } = parsed;
    // Writing into a String cannot fail.
    let title = drawing.as_ref().and_then(|drawing| drawing.title.as_deref());
    let _ = match title {
        Some(title) => writeln!(out, "{}: {}", visible(name), visible(title)),
        None => writeln!(out, "{}", visible(name)),
    };
    let names: Vec<String> = locations.iter().map(|it| locations.name(it, signature)).collect();
    let _ = writeln!(out, "\nLocations: {}\n", visible(&names.join("; ")));
    let own = drawing.as_ref().map(|it| it.model.own_arrows()).unwrap_or_default();
    let is_own = |node: NodeId| own.contains(&parsed.spans[node.index()]);
    let words = hif::in_words(interaction, signature, &is_own);
    let text = hif::print_in(Dialect::Ours, interaction, signature);
    let lines = words.lines().chain([""]).chain(text.lines());
    lines.for_each(|line| out.push_str(&format!("{}\n", visible(line))));
}

/// The object that DESIGN sec. 8 fixes.
fn object(name: &str, read: &ReadInteraction, warnings: &Warnings) -> Value {
    let ReadInteraction { parsed, drawing, .. } = read;
    let (lifelines, messages) = match drawing {
        Some(drawing) => (drawn_lifelines(read, drawing), drawn_messages(drawing)),
        None => (written_lifelines(read), written_messages(parsed)),
    };
    json!({
        "spec": name,
        "title": drawing.as_ref().and_then(|drawing| drawing.title.clone()),
        "lifelines": lifelines,
        "messages": messages,
        "warnings": warnings.placed().map(warning).collect::<Vec<_>>(),
        "hif": hif::print_in(Dialect::Ours, &parsed.interaction, &parsed.signature),
    })
}

fn warning((Position { line, column }, warning): (Position, &Warning)) -> Value {
    json!({
        "code": warning.code.name(), "line": line, "column": column, "message": warning.message,
    })
}

fn location(read: &ReadInteraction, lifeline: &str) -> Option<String> {
    let signature = &read.parsed.signature;
    let lifeline = signature.lifeline(lifeline)?;
    Some(read.locations.name(read.locations.of(lifeline), signature))
}

fn drawn_lifelines(read: &ReadInteraction, drawing: &Drawing) -> Vec<Value> {
    let lifelines = drawing.lifelines.iter();
    lifelines
        .map(|it| json!({"id": it.id, "label": it.label, "location": location(read, &it.id)}))
        .collect()
}

fn drawn_messages(drawing: &Drawing) -> Vec<Value> {
    let messages = drawing.messages.iter();
    messages.map(|it| json!({"from": it.from, "to": it.to, "label": it.label})).collect()
}

fn written_lifelines(read: &ReadInteraction) -> Vec<Value> {
    let signature = &read.parsed.signature;
    let names = signature.lifelines().map(|it| signature.lifeline_name(it));
    names.map(|it| json!({"id": it, "label": it, "location": location(read, it)})).collect()
}

/// The messages of an interaction in text, in the order of the text. An emission and the receptions of
/// one passing have one place.
fn written_messages(parsed: &ParsedSpec) -> Vec<Value> {
    let ParsedSpec { signature, interaction, spans, .. } = parsed;
    let message = |from: Option<&str>, to: Option<&str>, label: &str| json!({"from": from, "to": to, "label": label});
    let mut messages = Vec::new();
    // The emission before, unless something received it.
    let mut sent = None;
    for (node, span) in interaction.nodes().iter().zip(spans) {
        let Node::Step(step) = node else { continue };
        for action in step.actions() {
            let lifeline = signature.lifeline_name(action.lifeline);
            let label = signature.message_name(action.message);
            let is_emission = action.kind.mark() == '!';
            match sent {
                Some((place, it, from, _)) if !is_emission && (place, it) == (span, label) => {
                    messages.push(message(Some(from), Some(lifeline), label));
                    sent = Some((place, it, from, true));
                    continue;
                }
                Some((_, it, from, false)) => messages.push(message(Some(from), None, it)),
                _ => {}
            }
            sent = is_emission.then_some((span, label, lifeline, false));
            if !is_emission {
                messages.push(message(None, Some(lifeline), label));
            }
        }
    }
    if let Some((_, it, from, false)) = sent {
        messages.push(message(Some(from), None, it));
    }
    messages
}
