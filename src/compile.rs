//! `multitrace compile`: write a bundle, report its sizes and warnings.

use crate::args::{CompileArgs, GlobalArgs, ReportFormat};
use crate::failure::{CommandResult, Failure};
use crate::options;
use crate::output::{Output, print, print_json, reject_spec, reject_twice, write_beside};
use crate::progress::watch_compiling;
use multitrace::{CompileOptions, CompiledSpec, Monitor, RunOutcome, Spec, SpecPath, is_stream};
use multitrace_compiler::{LocalReport, NoTable, PassReport, TableReport};
use multitrace_formats::bundle::{EventMapping, is_bundle};
use multitrace_formats::shorten::push_line;
use multitrace_formats::source::Position;
use multitrace_formats::warning::Warning;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) fn run(args: &CompileArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    let out = match &args.output {
        Some(out) => out.clone(),
        None if is_stream(&args.spec) => {
            return Err(Failure::new(
                "the specification has no name for the bundle; name one with -o OUT.mtb",
            ));
        }
        None => SpecPath::of(&args.spec).with_extension("mtb"),
    };
    if out == args.spec {
        return Err(Failure::new(format!(
            "{}: the bundle would replace the specification; choose another name with -o",
            out.display()
        )));
    }
    let path = SpecPath::of(&args.spec);
    let bytes = path.read()?;
    if is_bundle(&bytes) {
        return Err(Failure::new(format!("{}: this is a bundle already", args.spec.display())));
    }
    let options = options::only_compile(&args.options, args.observe)?;
    let spec = Spec::of_file(&path, bytes)?;
    let compiled = watch_compiling(&path.file, global.quiet, |progress| {
        compile(&spec, &CompileOptions { progress: Arc::clone(progress), ..options }, args)
    })?;
    if args.warnings.deny_warnings || !global.quiet {
        options::warn(&compiled.warnings, args.warnings)?;
    }
    let encoded = compiled.monitor.to_bytes();
    let others = [&args.events, &args.options.reading.signature];
    let others: Vec<&Path> = others.into_iter().flatten().map(PathBuf::as_path).collect();
    if let Some(folder) = &args.split {
        let parts = split(&compiled.monitor, folder);
        let paths = || parts.iter().map(|it| it.0.as_path());
        reject_twice(&paths().chain([out.as_path()]).collect::<Vec<_>>())?;
        reject_spec(paths().chain([out.as_path()]), &args.spec, &others)?;
        std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))?;
        for (path, bytes) in &parts {
            let mut output = Output::open(Some(path))?;
            output.write(bytes)?;
            output.finish()?;
        }
    }
    write_beside(Some(&out), &args.spec, &others, (&encoded, None))?;
    match args.output_format {
        ReportFormat::Human => print(&human(&compiled, &args.spec, &out, encoded.len()))?,
        ReportFormat::Json => print_json(&json(&compiled, &out, encoded.len()))?,
    }
    Ok(RunOutcome::Clean)
}

/// The bundle of each location, with its path.
fn split(monitor: &Monitor, folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let parts = monitor.split().into_iter();
    parts.map(|(name, bytes)| (folder.join(name + ".mtb"), bytes)).collect()
}

fn compile(
    spec: &Spec,
    options: &CompileOptions,
    args: &CompileArgs,
) -> CommandResult<CompiledSpec> {
    let Some(path) = args.events.as_deref() else { return Ok(spec.compile(options)?) };
    let text = options::read_mapping(path)?.source().text().to_owned();
    let name = path.file_name().map_or_else(String::new, |it| it.to_string_lossy().into_owned());
    Ok(spec.compile_with_events(options, EventMapping { name, text })?)
}

/// The most locations that are listed for people: a few screens.
const MOST_LOCATIONS: usize = 50;

fn human(compiled: &CompiledSpec, spec: &Path, out: &Path, bytes: usize) -> String {
    let report = &compiled.report;
    let mut text = String::new();
    let (spec, out) = (spec.display(), out.display());
    push_line(&mut text, format_args!("{spec} -> {out} ({bytes} bytes)"));
    // Writing into a String cannot fail.
    if let Some((normalised, linearised)) = report.terms {
        push_line(
            &mut text,
            format_args!(
                "  terms          {normalised:>8} simplified, {linearised} with unobservable orders fixed"
            ),
        );
    }
    for pass in &report.passes {
        let (states, transitions) = (pass.states, pass.transitions);
        push_line(
            &mut text,
            format_args!(
                "  {:<14} {states:>8} states, {transitions} transitions",
                for_people(pass.name)
            ),
        );
    }
    for (location, local) in locals(compiled).take(MOST_LOCATIONS) {
        push_line(&mut text, format_args!("  at {location}: {}", describe(local)));
    }
    if let Some(more) = report.locals.len().checked_sub(MOST_LOCATIONS + 1) {
        push_line(
            &mut text,
            format_args!("  and {} more locations (--output-format json lists all)", more + 1),
        );
    }
    if report.passes.last().is_some_and(|pass| pass.states == 0) {
        text.push_str("the specification accepts nothing: no session can pass\n");
    }
    if report.timed_out {
        text.push_str("--limit-time ended compiling: another run may give another bundle\n");
    }
    if let Some(unsupported) = &report.unsupported {
        let _ = writeln!(
            text,
            "no automaton: {unsupported}.\n\
             Sessions are checked by rewriting terms, which is slower."
        );
    }
    text
}

/// The locations by name, with their tables.
fn locals(compiled: &CompiledSpec) -> impl Iterator<Item = (&str, &LocalReport)> {
    let alphabet = compiled.monitor.alphabet();
    alphabet.locations().map(|it| alphabet.location_name(it)).zip(&compiled.report.locals)
}

/// The name of a pass.
fn for_people(pass: &str) -> &str {
    match pass {
        "synthesise" => "automaton",
        "trim" => "no dead ends",
        "merge" => "states merged",
        "persist" => "fewer orders",
        other => other,
    }
}

fn describe(local: &LocalReport) -> String {
    let forward = describe_table("sets of paths", "slices", &local.forward);
    let backward = describe_table("rows", "prefixes and slices", &local.backward);
    format!("{} events; logs read forwards: {forward}; backwards: {backward}", local.letters)
}

fn describe_table(sets: &str, partial: &str, table: &Result<TableReport, NoTable>) -> String {
    match table {
        Ok(table) => {
            let simulated =
                if table.partial { String::new() } else { format!(" ({partial} simulated)") };
            format!("{} states, {} {sets}{simulated}", table.states, table.sets)
        }
        Err(why) => format!("no table ({why})"),
    }
}

fn json(compiled: &CompiledSpec, out: &Path, bytes: usize) -> String {
    let report = &compiled.report;
    let size = |table: &Result<TableReport, NoTable>, sets: &str| match table {
        Ok(table) => serde_json::json!({
            "states": table.states, sets: table.sets, "partial_observation": table.partial,
        }),
        Err(why) => serde_json::json!({"missing": why.to_string()}),
    };
    let pass = |pass: &PassReport| {
        serde_json::json!({
            "pass": pass.name, "states": pass.states, "transitions": pass.transitions,
        })
    };
    let local = |(location, local): (&str, &LocalReport)| {
        serde_json::json!({
            "location": location,
            "letters": local.letters,
            "verifier": size(&local.forward, "areas"),
            "look_ahead": size(&local.backward, "rows"),
        })
    };
    let unsupported = report.unsupported.as_ref().map(|unsupported| {
        serde_json::json!({
            "construct": unsupported.construct,
            "place": unsupported.place,
            "limit": unsupported.limit,
        })
    });
    let terms = report.terms.map(|(normalised, linearised)| {
        serde_json::json!({"normalised": normalised, "linearised": linearised})
    });
    let object = serde_json::json!({
        "bundle": out.display().to_string(),
        "bytes": bytes,
        "terms": terms,
        "passes": report.passes.iter().map(pass).collect::<Vec<_>>(),
        "locations": locals(compiled).map(local).collect::<Vec<_>>(),
        "unsupported": unsupported,
        "timed_out": report.timed_out,
        "warnings": compiled.warnings.placed().map(warning).collect::<Vec<_>>(),
    });
    format!("{object}\n")
}

fn warning((Position { line, column }, warning): (Position, &Warning)) -> serde_json::Value {
    serde_json::json!({
        "code": warning.code.name(),
        "line": line,
        "column": column,
        "message": warning.message,
        "remedy": warning.remedy(),
    })
}
