//! `multitrace compare`: which behaviour of sessions is new, gone, more or less frequent.

use crate::args::{CompareArgs, CompareFormat, GlobalArgs, grouping_memory};
use crate::failure::{CommandResult, Failure, note, show_notes, show_problems};
use crate::options;
use crate::output::{print, print_json, print_page};
use multitrace::{
    Change, ChangeKind, CompareOptions, Comparison, RunOutcome, WHY_SKIPPED, compare,
};
use multitrace_formats::shorten::{push_line, visible, visible_lines};
use multitrace_logs::is_stdin;
use multitrace_reports::pictures::{SvgOptions, beside, gallery};
use multitrace_reports::text::counted;
use serde_json::{Value, json};
use std::fmt::Write;
use std::slice::from_ref;

/// The most changes of a kind that are shown; JSON has all.
const MOST_SHOWN: usize = 20;
/// The most behaviours shown that chance may explain.
const MOST_UNCERTAIN: usize = 5;

pub(crate) fn run(args: &CompareArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    if is_stdin(&args.old) && is_stdin(&args.new) {
        return Err(Failure::new(
            "standard input cannot be both sides; name a file for one of them",
        ));
    }
    let first = (from_ref(&args.old), &args.input);
    let mapping = options::given_or_proposed(&args.logs.events, first, global)?;
    let inputs = |path| options::inputs_of(mapping.clone(), &args.input, from_ref(path));
    let memory = grouping_memory(args.logs.memory);
    let options = CompareOptions { chance: args.chance / 100.0, memory, threads: None };
    let found = compare(inputs(&args.old)?, inputs(&args.new)?, options)?;
    show_problems(&found.problems);
    let names = [&args.old, &args.new].map(|path| path.display().to_string());
    for (name, notes) in names.iter().zip(&found.notes) {
        let notes: Vec<String> = notes.iter().map(|text| format!("{name}: {text}")).collect();
        show_notes(&notes);
    }
    for (name, skipped) in names.iter().zip(found.skipped).filter(|(_, skipped)| *skipped > 0) {
        note(&format!("note: {name}: {} not compared: {WHY_SKIPPED}", counted(skipped, "session")));
    }
    if let Some(side) = found.sessions.iter().position(|it| *it == 0) {
        note(&format!("error: {} has no session", names[side]));
        let is_wrong = found.problems.count() > 0;
        return Ok(if is_wrong { RunOutcome::Error } else { RunOutcome::NothingChecked });
    }
    match args.output_format {
        CompareFormat::Human => print(&human(&found, &names))?,
        CompareFormat::Html => {
            let pictures = found.pictures(&names)?;
            let text = visible_lines(&human(&found, &names)).into_owned();
            print_page(&gallery("Behaviour", &text, &pictures))?;
        }
        CompareFormat::Svg => {
            let pictures = beside(&headline(&found, &names), &found.pictures(&names)?);
            print_page(&pictures.svg(SvgOptions::default()))?;
        }
        CompareFormat::Markdown => print(&markdown(&found, &names))?,
        CompareFormat::Json => print_json(&format!("{}\n", json(&found)))?,
    }
    Ok(match (found.problems.count(), found.has_new_or_gone()) {
        (0, false) => RunOutcome::Clean,
        (0, true) => RunOutcome::Violations,
        _ => RunOutcome::Error,
    })
}

/// The line before all changes.
fn headline(found: &Comparison, [old, new]: &[String; 2]) -> String {
    let sessions = found.sessions.map(|it| counted(it, "session"));
    let number = |kind| found.changes.iter().filter(|it| it.kind == kind).count();
    let numbers: Vec<String> = ChangeKind::ALL
        .into_iter()
        .filter(|kind| number(*kind) > 0)
        .map(|kind| format!("{} {}", number(kind), word(kind)))
        .collect();
    let outcome = if found.tested == 0 {
        "too few sessions to tell a change from chance".to_owned()
    } else if numbers.is_empty() {
        "no behaviour is new, gone, more or less frequent beyond chance".to_owned()
    } else {
        numbers.join(", ")
    };
    format!("{old} ({}) and {new} ({}): {outcome}", sessions[0], sessions[1])
}

fn word(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::New => "new",
        ChangeKind::Gone => "gone",
        ChangeKind::More => "more frequent",
        ChangeKind::Less => "less frequent",
    }
}

fn human(found: &Comparison, names: &[String; 2]) -> String {
    let mut text = String::new();
    let mut line = |line: &str| push_line(&mut text, line);
    line(&headline(found, names));
    for kind in ChangeKind::ALL {
        let own: Vec<&Change> = found.changes.iter().filter(|it| it.kind == kind).collect();
        for change in own.iter().take(MOST_SHOWN) {
            line(&format!("  {}: {}", word(kind), what(change)));
            let (shares, examples) = (shares(change, found), examples(change));
            line(&format!("    {shares}; by chance {}; as {examples}", chance(change.p)));
        }
        more(own.len(), MOST_SHOWN, word(kind)).iter().for_each(|it| line(it));
    }
    if !found.uncertain.is_empty() {
        line(
            "on one side alone, in too few sessions to tell it from chance; `--chance` asks for less:",
        );
        for change in found.uncertain.iter().take(MOST_UNCERTAIN) {
            let (kind, shares) = (word(change.kind), shares(change, found));
            line(&format!("  {kind}: {}, {shares}; by chance {}", what(change), chance(change.p)));
        }
        more(found.uncertain.len(), MOST_UNCERTAIN, "of these").iter().for_each(|it| line(it));
    }
    text
}

fn more(all: usize, shown: usize, what: &str) -> Option<String> {
    let more = all.checked_sub(shown).filter(|it| *it > 0);
    more.map(|more| format!("  and {more} more {what}; --output-format json has all"))
}

/// A change and the behaviours that come with it.
fn what(change: &Change) -> String {
    match change.shown.len() {
        0 | 1 => change.title.clone(),
        all => format!("{} ({all} events and neighbours that come together)", change.title),
    }
}

fn shares(change: &Change, found: &Comparison) -> String {
    let share = |side: usize| {
        let (count, all) = (change.counts[side], found.sessions[side]);
        format!("{count} of {all} ({:.1} %)", 100.0 * count as f64 / all as f64)
    };
    format!("{} before, {} now", share(0), share(1))
}

/// How likely a difference is by chance.
fn chance(p: f64) -> String {
    match p {
        _ if p < 1e-300 => "below 1e-300".to_owned(),
        _ if p < 0.095 => format!("{p:.0e}"),
        _ => format!("{p:.1}"),
    }
}

/// Sessions that show it: new ones, if there are some.
fn examples(change: &Change) -> String {
    let [old, new] = &change.ids;
    (if new.is_empty() { old } else { new }).join(", ")
}

fn markdown(found: &Comparison, names: &[String; 2]) -> String {
    let cell = |text: &str| visible(text).replace('|', "\\|");
    let mut text = format!("### Behaviour\n\n{}\n", cell(&headline(found, names)));
    table(&found.changes, found, MOST_SHOWN, &mut text);
    if !found.uncertain.is_empty() {
        text += "\nOn one side alone, in too few sessions to tell it from chance; `--chance` asks for less:\n";
        table(&found.uncertain, found, MOST_UNCERTAIN, &mut text);
    }
    text
}

/// Changes as a table of Markdown, the first ones alone if they are many.
fn table(changes: &[Change], found: &Comparison, most: usize, text: &mut String) {
    let cell = |text: &str| visible(text).replace('|', "\\|");
    if !changes.is_empty() {
        *text += "\n| | behaviour | before and now | by chance | as |\n|---|---|---|---|---|\n";
    }
    for change in changes.iter().take(most) {
        let (kind, chance) = (word(change.kind), chance(change.p));
        let cells =
            [what(change), shares(change, found), chance, examples(change)].map(|it| cell(&it));
        let _ = writeln!(text, "| {kind} | {} |", cells.join(" | "));
    }
    let hidden = changes.len().saturating_sub(most);
    if hidden > 0 {
        let _ = writeln!(text, "\n{hidden} more; `--output-format json` has all.");
    }
}

fn json(found: &Comparison) -> Value {
    let of = |change: &Change| {
        let Change { kind, title, shown, counts, p, ids, .. } = change;
        json!({
            "change": kind.name(), "title": title, "shown": shown, "old": counts[0], "new": counts[1], "p": p,
            "old_sessions": ids[0], "new_sessions": ids[1],
        })
    };
    json!({
        "old": found.sessions[0],
        "new": found.sessions[1],
        "skipped": found.skipped,
        "tested": found.tested,
        "changes": found.changes.iter().map(of).collect::<Vec<_>>(),
        "uncertain": found.uncertain.iter().map(of).collect::<Vec<_>>(),
    })
}
