//! `multitrace inspect`: the content of a bundle.

use crate::args::{ExportFormat, InspectArgs, ReportFormat};
use crate::failure::{CommandResult, Failure, note};
use crate::output::{print, print_file, print_json, print_page};
use multitrace::{Monitor, NamedGraph, RunOutcome, read_or_stdin, read_text};
use multitrace_formats::bundle::{
    Bundle, Central, DEAD, EventMapping, ForwardTable, LocalVerifier,
};
use multitrace_formats::hif;
use multitrace_formats::shorten::push_line;
use multitrace_interaction::{Id, LocationId, Nfa};
use multitrace_reports::pictures::automaton;
use serde_json::{Value, json};
use std::fmt::Write;

pub(crate) fn run(args: &InspectArgs) -> CommandResult<RunOutcome> {
    if args.verify {
        return verify(args);
    }
    let monitor = Monitor::load(&args.bundle)?;
    let bundle = monitor.bundle();
    if let Some(format) = args.export {
        let exported = export(&monitor, format)?;
        match format {
            ExportFormat::Json => print_json(&exported)?,
            ExportFormat::Timbuk => print_file(&exported)?,
            ExportFormat::Dot => print_page(&exported)?,
        }
        return Ok(RunOutcome::Clean);
    }
    match args.output_format {
        ReportFormat::Json => print_json(&format!("{}\n", json_of(bundle)))?,
        ReportFormat::Human => print(&human(bundle))?,
    }
    Ok(RunOutcome::Clean)
}

/// Says whether a bundle is equal to a fresh compilation of its text and options.
fn verify(args: &InspectArgs) -> CommandResult<RunOutcome> {
    let bytes = read_or_stdin(&args.bundle)?;
    let monitor = Monitor::of_file(&args.bundle, &bytes)?;
    let mut differing = Monitor::verify(&bytes)
        .map_err(|error| Failure::new(format!("{}: {error}", args.bundle.display())))?;
    if let Some(path) = &args.events {
        let expected = read_text(path)?;
        let found = monitor.bundle().events.as_ref();
        if found.is_none_or(|events| events.text != expected.text()) {
            differing.push(format!(
                "the mapping of event logs, which is not that of {}",
                path.display()
            ));
        }
    }
    match args.output_format {
        ReportFormat::Json => {
            print_json(&format!("{}\n", verified_json(monitor.bundle(), &differing)))?;
        }
        ReportFormat::Human => {
            print(&verified(monitor.bundle(), &differing, args.events.is_some()))?;
        }
    }
    Ok(if differing.is_empty() { RunOutcome::Clean } else { RunOutcome::Violations })
}

fn verified(bundle: &Bundle, differing: &[String], is_compared: bool) -> String {
    let mut text = about(bundle);
    // Writing into a String cannot fail.
    let _ = match differing {
        [] => writeln!(text, "verified       this version makes the same bundle of these"),
        _ => writeln!(text, "forged         this version makes another bundle of these"),
    };
    differing.iter().for_each(|part| text.push_str(&format!("  differs      {part}\n")));
    if bundle.events.is_some() && !is_compared {
        text.push_str(
            "the mapping is taken as it is; --events MAP.toml compares it with its file\n",
        );
    }
    text
}

fn verified_json(bundle: &Bundle, differing: &[String]) -> Value {
    let provenance = &bundle.provenance;
    json!({
        "specification": provenance.spec_name,
        "sha256": hash(bundle),
        "tool_version": provenance.tool_version,
        "options": provenance.options,
        "events": bundle.events.as_ref().map(|events| &events.name),
        "mapping": bundle.events.as_ref().map(mapping_json),
        "verified": differing.is_empty(),
        "differing": differing,
    })
}

/// The automaton of a bundle.
fn export(monitor: &Monitor, format: ExportFormat) -> CommandResult<String> {
    match format {
        ExportFormat::Timbuk => {
            let converted = monitor.to_timbuk()?;
            converted.notes.iter().for_each(|it| note(&format!("note: {it}")));
            Ok(converted.text)
        }
        ExportFormat::Dot => {
            let NamedGraph { title, graph } = monitor.nfa_graph()?;
            let name = |letter| monitor.alphabet().letter_name(letter);
            Ok(automaton::dot(&graph, &name, &title, usize::MAX))
        }
        ExportFormat::Json => Ok(format!("{}\n", automaton_json(monitor)?)),
    }
}

fn automaton_json(monitor: &Monitor) -> CommandResult<Value> {
    let (automaton, bundle) = (monitor.automaton()?, monitor.bundle());
    let alphabet = &bundle.alphabet;
    let letters: Vec<Value> = alphabet
        .letters()
        .map(|it| {
            let location = alphabet.location_name(alphabet.location_of(it));
            json!({"name": alphabet.letter_name(it), "location": location})
        })
        .collect();
    let locations: Vec<Value> = alphabet
        .locations()
        .zip(&bundle.locals)
        .map(|(at, local)| {
            json!({
                "name": alphabet.location_name(at),
                "letters": letters_of(local),
                "verifier": local.forward.as_ref().map(verifier_json),
            })
        })
        .collect();
    Ok(json!({
        "specification": bundle.provenance.spec_name,
        "letters": letters,
        "automaton": nfa_json(&automaton.full),
        "searched": nfa_json(&automaton.search),
        "locations": locations,
    }))
}

/// Letters by their numbers in the list of all.
fn letters_of(local: &LocalVerifier) -> Vec<usize> {
    local.letters.iter().map(|it| it.index()).collect()
}

/// Transitions are lists of a state, a letter and a state; areas refer to them by their place.
fn nfa_json(nfa: &Nfa) -> Value {
    let transitions = nfa.transitions().iter();
    let transitions = transitions.map(|it| [it.from.index(), it.letter.index(), it.to.index()]);
    json!({
        "states": nfa.state_count(),
        "initial": nfa.initial().iter().map(|it| it.index()).collect::<Vec<usize>>(),
        "finals": nfa.finals().map(Id::index).collect::<Vec<usize>>(),
        "transitions": transitions.collect::<Vec<[usize; 3]>>(),
    })
}

/// `next` has a row for each state and an entry for each letter of the location; `null` is not a transition.
/// A trace that was observed from somewhere starts at `start_anywhere`.
fn verifier_json(table: &ForwardTable) -> Value {
    let width = table.next.len() / table.state_count().max(1);
    let next = |state: &u32| Some(*state).filter(|&it| it != DEAD);
    let next: Vec<Option<u32>> = table.next.iter().map(next).collect();
    let rows = |flat: &[Option<u32>]| -> Vec<Vec<Option<u32>>> {
        flat.chunks(width.max(1)).map(<[Option<u32>]>::to_vec).collect()
    };
    let areas = table.areas.as_ref().map(|areas| {
        let sets = (0..areas.rows.len() as u32)
            .map(|area| areas.transitions(area).map(Id::index).collect::<Vec<usize>>());
        let of = areas.of.iter().zip(&next).map(|(&area, to)| to.map(|_| area));
        json!({
            "init": areas.init,
            "of": rows(&of.collect::<Vec<Option<u32>>>()),
            "transitions": sets.collect::<Vec<Vec<usize>>>(),
        })
    });
    json!({
        "start": table.start,
        "start_anywhere": table.start_anywhere,
        "finals": (0..table.state_count() as u32).filter(|&it| table.is_final(it)).collect::<Vec<u32>>(),
        "next": rows(&next),
        "areas": areas,
    })
}

fn hash(bundle: &Bundle) -> String {
    hex(&bundle.provenance.spec_hash)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn mapping_json(events: &EventMapping) -> Value {
    json!({"name": events.name, "sha256": hex(&events.hash()), "text": events.text})
}

fn lifelines(bundle: &Bundle, location: LocationId) -> Vec<&str> {
    let all = bundle.alphabet.lifelines();
    all.filter(|(_, at)| *at == location).map(|(name, _)| name).collect()
}

fn letters(bundle: &Bundle, local: &LocalVerifier) -> Vec<String> {
    local.letters.iter().map(|&letter| bundle.alphabet.letter_name(letter).to_owned()).collect()
}

/// Where a bundle comes from.
fn about(bundle: &Bundle) -> String {
    let provenance = &bundle.provenance;
    let mut text = String::new();
    push_line(&mut text, format_args!("specification  {}", provenance.spec_name));
    push_line(&mut text, format_args!("sha-256        {}", hash(bundle)));
    // Writing into a String cannot fail.
    push_line(&mut text, format_args!("compiled by    multitrace {}", provenance.tool_version));
    push_line(&mut text, format_args!("options        {}", provenance.options));
    if provenance.timed_out {
        text.push_str("timed out      --limit-time ended compiling; another run may give more\n");
    }
    push_line(&mut text, format_args!("observation    {}", bundle.observation.name()));
    if let Some(events) = &bundle.events {
        push_line(&mut text, format_args!("event mapping  {}", events.name));
        push_line(&mut text, format_args!("  sha-256      {}", hex(&events.hash())));
    }
    text
}

fn human(bundle: &Bundle) -> String {
    let mut text = about(bundle);
    match &bundle.central {
        Central::Automaton(automaton) => {
            push_line(&mut text, format_args!("automaton      {}", size(&automaton.full)));
            push_line(
                &mut text,
                format_args!("reduced        {}, for the search", size(&automaton.search)),
            );
        }
        Central::Unsupported(unsupported) => {
            push_line(&mut text, format_args!("automaton      none: {unsupported}"));
        }
    }
    for (location, local) in bundle.alphabet.locations().zip(&bundle.locals) {
        push_line(
            &mut text,
            format_args!("location       {}", bundle.alphabet.location_name(location)),
        );
        push_line(&mut text, format_args!("  events       {}", letters(bundle, local).join(" ")));
        let forward = local.forward.as_ref().map(|table| {
            let areas = table.areas.as_ref().map_or(0, |areas| areas.rows.len());
            format!("{} states, {areas} sets of paths", table.state_count())
        });
        push_line(
            &mut text,
            format_args!("  forwards     {}", forward.as_deref().unwrap_or("no table")),
        );
        let backward = local.backward.as_ref();
        let backward = backward
            .map(|table| format!("{} states, {} rows", table.begun.len(), table.rows.len()));
        push_line(
            &mut text,
            format_args!("  backwards    {}", backward.as_deref().unwrap_or("no table")),
        );
    }
    if let Some(events) = &bundle.events {
        let _ = writeln!(text, "mapping\n{}", events.text.trim_end());
    }
    if let Some((signature, interaction)) = &bundle.source {
        let _ = writeln!(text, "interaction\n{}", hif::print(interaction, signature).trim_end());
    }
    text
}

fn size(nfa: &Nfa) -> String {
    format!("{} states, {} transitions", nfa.state_count(), nfa.transitions().len())
}

fn json_of(bundle: &Bundle) -> Value {
    let provenance = &bundle.provenance;
    let nfa =
        |nfa: &Nfa| json!({"states": nfa.state_count(), "transitions": nfa.transitions().len()});
    let (full, search, unsupported) = match &bundle.central {
        Central::Automaton(automaton) => {
            (nfa(&automaton.full), nfa(&automaton.search), Value::Null)
        }
        Central::Unsupported(unsupported) => {
            let unsupported = json!({
                "construct": unsupported.construct,
                "place": unsupported.place,
                "limit": unsupported.limit,
            });
            (Value::Null, Value::Null, unsupported)
        }
    };
    let locations = bundle.alphabet.locations().zip(&bundle.locals);
    let source = bundle.source.as_ref();
    json!({
        "specification": provenance.spec_name,
        "sha256": hash(bundle),
        "tool_version": provenance.tool_version,
        "options": provenance.options,
        "timed_out": provenance.timed_out,
        "observation": bundle.observation.name(),
        "events": bundle.events.as_ref().map(|events| &events.name),
        "mapping": bundle.events.as_ref().map(mapping_json),
        "automaton": full,
        "searched": search,
        "unsupported": unsupported,
        "locations": locations.map(|(at, local)| location(bundle, at, local)).collect::<Vec<_>>(),
        "interaction": source.map(|(signature, interaction)| hif::print(interaction, signature)),
    })
}

fn location(bundle: &Bundle, location: LocationId, local: &LocalVerifier) -> Value {
    let forward = local.forward.as_ref().map(|table| {
        let areas = table.areas.as_ref().map(|areas| areas.rows.len());
        json!({"states": table.state_count(), "areas": areas})
    });
    let backward = local.backward.as_ref();
    let backward =
        backward.map(|table| json!({"states": table.begun.len(), "rows": table.rows.len()}));
    json!({
        "name": bundle.alphabet.location_name(location),
        "lifelines": lifelines(bundle, location),
        "letters": letters(bundle, local),
        "verifier": forward,
        "look_ahead": backward,
    })
}
