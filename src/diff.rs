//! `multitrace diff`: whether two specifications accept the same.

use crate::args::{DiffArgs, DiffFailOn, DiffFormat};
use crate::config::diagrams_of_revision;
use crate::failure::{CommandResult, Failure};
use crate::git;
use crate::output::{print, print_json, print_page};
use multitrace::{
    Answer, CompileOptions, DiffOptions, Difference, Inclusion, Monitor, Proof, RunOutcome,
    SignatureDiff, Spec, SpecDiff, SpecGap, SpecPath,
};
use multitrace_formats::bundle::is_bundle_path;
use multitrace_formats::sessions::print_json_line;
use multitrace_formats::shorten::{push_line, visible, visible_lines};
use multitrace_formats::source::quote;
use multitrace_logs::is_stdin;
use multitrace_reports::pictures::{SvgOptions, beside, gallery};
use multitrace_reports::spec_places::SpecPlace;
use multitrace_reports::text::counted;
use serde_json::{Value, json};
use std::path::Path;

/// The old specification and the new one, or values that belong to each.
type Pair<T> = [T; 2];

pub(crate) fn run(args: &DiffArgs) -> CommandResult<RunOutcome> {
    let paths: Pair<&Path> = [&args.old, &args.new];
    if paths.iter().all(|path| is_stdin(path)) {
        return Err(Failure::new(
            "standard input cannot be both specifications; name a file for one of them",
        ));
    }
    let monitors = [open(paths[0], paths[1], args)?, open(paths[1], paths[0], args)?];
    let options =
        DiffOptions { max_events: args.max_events, budget_sessions: args.budget_sessions };
    let diff = monitors[0].diff(&monitors[1], options)?;
    let names = paths.map(|path| path.display().to_string());
    match args.output_format {
        DiffFormat::Human => print(&human(&diff, &monitors, &names))?,
        DiffFormat::Svg => {
            let pictures = diff.pictures(&monitors, &names);
            let svg = beside(&title(&diff, &names), &pictures).svg(SvgOptions::default());
            print_page(&svg)?;
        }
        DiffFormat::Html => print_page(&html(&diff, &monitors, &names))?,
        DiffFormat::Markdown => print(&markdown(&diff, &monitors, &names))?,
        DiffFormat::JsonLines => print_json(&json_lines(&diff, &monitors))?,
    }
    Ok(exit(&diff, args.fail_on))
}

/// The comparison of two specifications, for reading.
pub(crate) fn compared(monitors: &[Monitor; 2], names: &[String; 2]) -> CommandResult<String> {
    let diff = monitors[0].diff(&monitors[1], DiffOptions::default())?;
    Ok(human(&diff, monitors, names))
}

/// Both ways, each with its specifications by their index: the one whose sessions are tried first.
fn ways(diff: &SpecDiff) -> [(&Inclusion, Pair<usize>); 2] {
    [(&diff.old_in_new, [0, 1]), (&diff.new_in_old, [1, 0])]
}

/// Whether logs may call participants of this side by labels that the other one does not know.
fn has_own_labels(diff: &SpecDiff, side: usize) -> bool {
    !diff.signature.labels[side].is_empty()
}

fn exit(diff: &SpecDiff, fail_on: DiffFailOn) -> RunOutcome {
    let is_proved = |side: usize| {
        matches!(ways(diff)[side].0, Inclusion::Proved(_)) && !has_own_labels(diff, side)
    };
    let is_clean = match fail_on {
        DiffFailOn::NotProved => diff.answer() == Answer::Equal,
        DiffFailOn::Different => diff.answer() != Answer::Different,
        DiffFailOn::Narrower => is_proved(0),
        DiffFailOn::Wider => is_proved(1),
    };
    if is_clean { RunOutcome::Clean } else { RunOutcome::Violations }
}

/// A bundle keeps the locations it was compiled with, unless both are bundles: then the options are for
/// none, and opening it says so.
fn open(path: &Path, other: &Path, args: &DiffArgs) -> CommandResult<Monitor> {
    let given = args.reading.any();
    let is_for_other = is_bundle_path(path) && !is_bundle_path(other);
    let options = (given && !is_for_other).then(|| args.reading.options()).transpose()?;
    match of_git(path)? {
        None => Ok(Monitor::open(path, options.as_ref())?),
        Some((path, bytes)) if is_bundle_path(&path.file) => {
            Ok(Monitor::of_file(&path.file, &bytes)?)
        }
        Some((path, bytes)) => {
            let spec = Spec::of_file(&path, bytes)?;
            refuse_included(&spec, &path)?;
            Ok(spec.compile(&options_of_revision(&path, args)?)?.monitor)
        }
    }
}

/// The options as they were given, beside those of the configuration that the revision has.
fn options_of_revision(path: &SpecPath, args: &DiffArgs) -> CommandResult<CompileOptions> {
    let name = path.file.to_string_lossy();
    let revision = name.split_once(':').map_or("", |(revision, _)| revision);
    let mut reading = args.given.clone();
    reading.diagrams.splice(0..0, diagrams_of_revision(revision)?);
    Ok(reading.options()?)
}

/// Files that a diagram of a revision includes are read as they are today, which would hide a change of theirs.
fn refuse_included(spec: &Spec, path: &SpecPath) -> CommandResult<()> {
    let files = spec.included_files();
    let Some(included) = files.first() else { return Ok(()) };
    let (file, included) = (path.file.display(), included.display());
    Err(Failure::new(format!(
        "{file} includes {included}, which would be read as it is today; make a folder of the revision with \
         `git worktree add`, and compare the file there"
    )))
}

/// A file as a revision of git has it, `HEAD~1:SPEC.md#login`; `None` for the name of a file that is there, and for
/// one without a revision.
fn of_git(path: &Path) -> CommandResult<Option<(SpecPath, Vec<u8>)>> {
    let is_here = is_stdin(path) || SpecPath::of(path).file.exists();
    let text = path.to_string_lossy();
    // A letter is a drive of Windows, and a text that begins so is a path, or an option of git.
    let revision = text.split_once(':').filter(|(revision, _)| {
        !is_here && revision.len() > 1 && !revision.starts_with(['/', '.', '-'])
    });
    let Some((revision, _)) = revision else { return Ok(None) };
    let mut spec = SpecPath::of(path);
    let name = spec.file.to_string_lossy().into_owned();
    let bytes = git::show(&name)?.map_err(|why| {
        Failure::new(format!(
            "{name}: there is no such file, and git shows none of the revision {revision:?}: {why}"
        ))
    })?;
    // Its name in errors ends as the file does.
    spec.file = name.into();
    Ok(Some((spec, bytes)))
}

/// For a comment: the answer as a heading, the rest as it is printed.
fn markdown(diff: &SpecDiff, monitors: &Pair<Monitor>, names: &Pair<String>) -> String {
    let text = human(diff, monitors, names);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let (new, answer) = (&names[1], heading(diff));
    format!("### `{new}` {answer}\n\n{fence}text\n{}{fence}\n", visible_lines(&text))
}

/// For a browser: the same, and both pictures.
fn html(diff: &SpecDiff, monitors: &Pair<Monitor>, names: &Pair<String>) -> String {
    let text = human(diff, monitors, names);
    gallery(&title(diff, names), &visible_lines(&text), &diff.pictures(monitors, names))
}

fn title(diff: &SpecDiff, names: &Pair<String>) -> String {
    visible(&format!("{} {}", names[1], heading(diff))).into_owned()
}

fn heading(diff: &SpecDiff) -> &'static str {
    match diff.answer() {
        Answer::Equal => "accepts the same as before",
        Answer::Different => match [0, 1].map(|side: usize| {
            matches!(ways(diff)[side].0, Inclusion::Refuted(_)) || has_own_labels(diff, side)
        }) {
            [true, true] => "refuses sessions that it accepted, and accepts others",
            [true, false] => "refuses sessions that it accepted",
            _ => "accepts more than before",
        },
        _ => "is not proved to accept the same as before",
    }
}

// ---- For reading. Writing into a String cannot fail.

fn human(diff: &SpecDiff, monitors: &Pair<Monitor>, names: &Pair<String>) -> String {
    let mut out = String::new();
    names_not_shared(&diff.signature, names, &mut out);
    let [old, new] = names;
    match diff.answer() {
        Answer::Equal => {
            let why = diff.proof().map_or("", in_words);
            push_line(&mut out, format_args!("{old} and {new} accept the same: {why}"));
        }
        Answer::NotProved => {
            let events = diff.up_to_events().unwrap_or_default();
            push_line(
                &mut out,
                format_args!("no difference up to {}; equality is not proved", event_count(events)),
            );
        }
        _ => {
            push_line(&mut out, format_args!("{old} and {new} are different"));
        }
    }
    if diff.answer() != Answer::Equal {
        for (way, sides) in ways(diff) {
            let named = sides.map(|side| (&monitors[side], &names[side]));
            one_way(way, named, has_own_labels(diff, sides[0]), &mut out);
        }
    }
    out
}

fn in_words(proof: Proof) -> &'static str {
    match proof {
        Proof::Term => "they have the same normal form",
        Proof::Automaton => "their automata accept the same",
        Proof::Logs => {
            "each accepts all combinations of the logs that it accepts, and both accept the same logs"
        }
        Proof::Reordering => "each accepts the events of the other's sessions in some order",
        _ => "the sessions that the automata leave open were checked one by one",
    }
}

/// Locations and letters that the two do not share.
fn names_not_shared(signature: &SignatureDiff, names: &Pair<String>, out: &mut String) {
    for (what, lists) in [("locations", &signature.locations), ("events", &signature.letters)] {
        for (name, list) in names.iter().zip(lists).filter(|(_, list)| !list.is_empty()) {
            push_line(out, format_args!("{what} only in {name}: {}", list.join(", ")));
        }
    }
    for moved in &signature.regrouped {
        let ([old, new], [before, now]) = (names, &moved.locations);
        let lifeline = &moved.lifeline;
        push_line(
            out,
            format_args!("{lifeline} is logged at {before} in {old}, and at {now} in {new}"),
        );
    }
    if !signature.regrouped.is_empty() {
        out.push_str(
            "logs of one cannot be compared with logs of the other; use --locations to give both the \
             same locations\n",
        );
    }
    for (name, labels) in names.iter().zip(&signature.labels).filter(|(_, it)| !it.is_empty()) {
        let labels = labels.iter().map(|it| quote(it)).collect::<Vec<_>>().join(", ");
        push_line(
            out,
            format_args!("logs may call participants by the labels {labels} in {name} only"),
        );
    }
    for (before, now) in signature.renamed() {
        push_line(out, format_args!("was {} renamed to {}?", quote(before), quote(now)));
    }
    if !signature.is_empty() {
        out.push('\n');
    }
}

/// The part of the comparison on the sessions of one specification, against the other.
fn one_way(way: &Inclusion, sides: Pair<(&Monitor, &String)>, has_labels: bool, out: &mut String) {
    let but = if has_labels { ", but logs with such labels" } else { "" };
    let [(monitor, of), (_, other)] = sides;
    match way {
        Inclusion::Refuted(difference) => {
            let events = event_count(difference.session.event_count());
            out.push('\n');
            push_line(out, format_args!("accepted by {of} only, {events}:"));
            accepted(difference, monitor, out);
            rejected(difference, other, out);
            let monitors = sides.map(|it| it.0);
            let places = difference.places(monitors);
            let places =
                sides.iter().zip(&places).filter_map(|(it, place)| where_it_is(it.1, place));
            let gap = difference.gap(monitors).map(|it| where_it_lacks(other, &it));
            let places: Vec<String> = places.chain(gap).collect();
            if !places.is_empty() {
                push_line(out, format_args!("  they part at {}", places.join(" and ")));
            }
            if !difference.is_shortest {
                out.push_str("  a shorter one may exist\n");
            }
        }
        Inclusion::Proved(proof) => {
            let why = in_words_one_way(*proof);
            out.push('\n');
            push_line(out, format_args!("{other} accepts all that {of} accepts{but}: {why}"));
        }
        Inclusion::NotRefuted { up_to_events, sessions, undecided } => {
            out.push('\n');
            push_line(
                out,
                format_args!(
                    "up to {}, {other} accepts all that {of} accepts{but} ({sessions} sessions tried)",
                    event_count(*up_to_events)
                ),
            );
            if *undecided > 0 {
                push_line(out, format_args!("  {undecided} of them could not be decided"));
            }
        }
        _ => {}
    }
}

fn where_it_is(name: &str, place: &Option<SpecPlace>) -> Option<String> {
    let SpecPlace { line, column, text, .. } = place.as_ref()?;
    Some(format!("{name}:{line}:{column} {}", quote(text)))
}

fn where_it_lacks(name: &str, gap: &SpecGap) -> String {
    let SpecPlace { line, column, text, .. } = &gap.place;
    let side = if gap.is_behind { "behind" } else { "before" };
    format!("{side} {name}:{line}:{column} {}, where such a line is missing", quote(text))
}

/// Why the other specification does not accept the session.
fn rejected(difference: &Difference, other: &str, out: &mut String) {
    let Some((main, more)) = difference.findings.split_first() else { return };
    push_line(out, format_args!("  {other}: {main}"));
    if !more.is_empty() {
        push_line(
            out,
            format_args!("  and {} more; `multitrace check` shows all findings", more.len()),
        );
    }
}

fn in_words_one_way(proof: Proof) -> &'static str {
    match proof {
        Proof::Automaton => "its automaton accepts every word of the other",
        Proof::Logs => {
            "it accepts all combinations of the logs that it accepts, and these hold each log of the other"
        }
        Proof::Reordering => "it accepts the events of each session of the other in some order",
        _ => in_words(proof),
    }
}

fn event_count(events: usize) -> String {
    counted(events as u64, "event")
}

/// The session as a line, and the log of each location.
fn accepted(difference: &Difference, monitor: &Monitor, out: &mut String) {
    let (session, alphabet) = (&difference.session, monitor.alphabet());
    push_line(out, format_args!("  {}", print_json_line(session, alphabet)));
    for (location, local) in alphabet.locations().zip(&session.trace) {
        let events: Vec<&str> = local.iter().map(|&it| alphabet.letter_name(it)).collect();
        let events = if events.is_empty() { "nothing".to_owned() } else { events.join(", ") };
        push_line(out, format_args!("  {}: {events}", alphabet.location_name(location)));
    }
}

// ---- As JSON Lines

fn json_lines(diff: &SpecDiff, monitors: &Pair<Monitor>) -> String {
    let mut objects = Vec::new();
    if !diff.signature.is_empty() {
        objects.push(signature(&diff.signature));
    }
    for (way, sides) in ways(diff) {
        if let Inclusion::Refuted(found) = way {
            let names = sides.map(|side| ["old", "new"][side]);
            objects.push(difference(found, sides.map(|side| &monitors[side]), names));
        }
    }
    objects.push(summary(diff));
    objects.iter().map(|object| format!("{object}\n")).collect()
}

fn signature(signature: &SignatureDiff) -> Value {
    let SignatureDiff { locations, letters, regrouped, labels, .. } = signature;
    let only = |side: usize| json!({"locations": locations[side], "events": letters[side], "labels": labels[side]});
    let moved = regrouped
        .iter()
        .map(|it| json!({"lifeline": it.lifeline, "old": it.locations[0], "new": it.locations[1]}));
    json!({
        "type": "signature",
        "old_only": only(0),
        "new_only": only(1),
        "regrouped": moved.collect::<Vec<_>>(),
    })
}

fn difference(found: &Difference, monitors: Pair<&Monitor>, sides: Pair<&str>) -> Value {
    let line = print_json_line(&found.session, monitors[0].alphabet());
    json!({
        "type": "difference",
        "accepted_by": sides[0],
        // A line is an object.
        "session": serde_json::from_str::<Value>(&line).unwrap_or_default(),
        "events": found.session.event_count(),
        "shortest": found.is_shortest,
        "places": places(found, monitors, sides),
        "findings": found.findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// Where the two specifications part, the one that accepts the session first.
fn places(found: &Difference, monitors: Pair<&Monitor>, sides: Pair<&str>) -> Vec<Value> {
    let place = |(place, side): (&Option<SpecPlace>, &str)| {
        let SpecPlace { line, column, text, .. } = place.as_ref()?;
        Some(json!({"specification": side, "line": line, "column": column, "text": text}))
    };
    let gap = found.gap(monitors).map(|SpecGap { is_behind, place }| {
        let SpecPlace { line, column, text, .. } = place;
        let missing = if is_behind { "behind" } else { "before" };
        json!({"specification": sides[1], "line": line, "column": column, "text": text, "missing": missing})
    });
    found.places(monitors).iter().zip(sides).filter_map(place).chain(gap).collect()
}

fn summary(diff: &SpecDiff) -> Value {
    json!({
        "type": "summary",
        "answer": diff.answer().name(),
        "proof": diff.proof().map(Proof::name),
        "up_to_events": diff.up_to_events(),
        "old_in_new": way(&diff.old_in_new),
        "new_in_old": way(&diff.new_in_old),
    })
}

/// The answer for one direction.
fn way(inclusion: &Inclusion) -> Value {
    match inclusion {
        Inclusion::Proved(proof) => json!({"answer": "proved", "proof": proof.name()}),
        Inclusion::NotRefuted { up_to_events, sessions, undecided } => json!({
            "answer": "not-refuted", "up_to_events": up_to_events, "sessions": sessions,
            "undecided": undecided,
        }),
        _ => json!({"answer": "refuted"}),
    }
}
