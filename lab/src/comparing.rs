//! Answers of `compare` for sessions of one specification, and for those of one that was changed at one place.

use crate::learning::{NamedLogs, fields, generated};
use crate::table::Table;
use crate::timing::Effort;
use multitrace::{
    CompareOptions, CompileOptions, DiffOptions, Inclusion, Inputs, Monitor, Spec, SpecFormat,
    compare,
};
use multitrace_formats::hif;
use multitrace_interaction::generate::Dice;
use multitrace_interaction::{Action, Interaction, Node, Signature, Step};
use rayon::prelude::*;
use serde_json::json;
use std::path::Path;

/// How many changes are tried until one makes a difference.
const TRIES: usize = 20;

/// Counts of pairs of one specification.
#[derive(Clone, Copy, Default)]
struct PairCounts {
    same: usize,
    /// Pairs without a change for which `compare` reports something.
    reported: usize,
    changed: usize,
    /// Pairs with a change for which `compare` reports something; and those with something new or gone.
    found: [usize; 2],
}

pub fn run(effort: Effort) -> Vec<Table> {
    let full = effort.rounds > 1;
    let mut table = Table::new(
        "Comparing",
        "In pairs without a change, both sides come from one specification, and nothing should be reported. In pairs with one, \
         the new side comes from a specification that differs at one place; `diff` proves that it does. Sessions: of each side.",
        &[
            "specifications",
            "sessions",
            "pairs without a change",
            "reported",
            "pairs with one",
            "found",
            "new or gone",
        ],
    );
    let size = 200;
    for field in fields(full) {
        let rounds = if full { 1_000_usize.div_ceil(field.specs.len().max(1)) } else { 2 };
        let of = |path: &std::path::PathBuf| outcome(path, size, rounds);
        let outcomes: Vec<Option<PairCounts>> = field.specs.par_iter().map(of).collect();
        let sum = |of: fn(&PairCounts) -> usize| outcomes.iter().flatten().map(of).sum::<usize>();
        let changed = sum(|it| it.changed);
        let share = |count: usize| format!("{:.1} %", 100.0 * count as f64 / changed.max(1) as f64);
        table.row([
            field.name.to_owned(),
            size.to_string(),
            sum(|it| it.same).to_string(),
            sum(|it| it.reported).to_string(),
            changed.to_string(),
            share(sum(|it| it.found[0])),
            share(sum(|it| it.found[1])),
        ]);
    }
    vec![table]
}

/// `None` for a specification that cannot be read, or has no session.
fn outcome(path: &Path, size: usize, rounds: usize) -> Option<PairCounts> {
    let spec = Spec::read(path).ok()?;
    let truth = spec.compile(&CompileOptions::default()).ok()?.monitor;
    let mut outcome = PairCounts::default();
    for round in 0..rounds as u64 {
        let mut dice = Dice::new(round, 11);
        let mut sessions = generated(&truth, 2 * size, 100 + round)?;
        dice.shuffle(&mut sessions);
        let (old, new) = sessions.split_at(size);
        outcome.same += 1;
        outcome.reported += usize::from(reported(old, new)[0]);
        let Some(changed) = changed(&truth, &mut dice) else { continue };
        let Some(new) = generated(&changed, size, 200 + round) else { continue };
        outcome.changed += 1;
        let found = reported(old, &new);
        for (sum, is_found) in outcome.found.iter_mut().zip(found) {
            *sum += usize::from(is_found);
        }
        if !found[0] && std::env::var("MULTITRACE_LEARN_ONLY").is_ok() {
            let (signature, interaction) = changed.interaction()?;
            eprintln!("{}:\n{}", path.display(), hif::print(interaction, signature));
        }
    }
    Some(outcome)
}

/// Whether a change is reported, and one that is new or gone.
fn reported(old: &[NamedLogs], new: &[NamedLogs]) -> [bool; 2] {
    let inputs = |sessions: &[NamedLogs]| {
        let line = |(id, logs): (usize, &NamedLogs)| {
            let traces: serde_json::Map<_, _> =
                logs.iter().map(|(at, log)| (at.clone(), json!(log))).collect();
            format!("{}\n", json!({"session": format!("s{id}"), "traces": traces}))
        };
        let lines: String = sessions.iter().enumerate().map(line).collect();
        Inputs::lines("sessions", lines.into_bytes().into())
    };
    let found = compare(inputs(old), inputs(new), CompareOptions::default()).expect("sessions");
    [!found.changes.is_empty(), found.has_new_or_gone()]
}

/// The specification changed at one place, so that it accepts other sessions.
fn changed(truth: &Monitor, dice: &mut Dice) -> Option<Monitor> {
    let (signature, interaction) = truth.interaction()?;
    let changes: Vec<usize> = (0..interaction.nodes().len()).collect();
    (0..TRIES).find_map(|_| {
        let mut signature = signature.clone();
        let mut nodes = interaction.nodes().to_vec();
        let at = *dice.pick(&changes)?;
        nodes[at] = change(&nodes[at], &mut signature, dice)?;
        let changed = Interaction::new(nodes).ok()?;
        let spec = Spec::parse("changed.hif", &hif::print(&changed, &signature), SpecFormat::Hif);
        let locations = truth.alphabet().locations();
        let locations: Vec<_> =
            locations.map(|it| truth.alphabet().location_name(it).to_owned()).collect();
        let options =
            CompileOptions { locations: Some(locations.join(";")), ..CompileOptions::default() };
        let monitor = spec
            .compile(&options)
            .or_else(|_| spec.compile(&CompileOptions::default()))
            .ok()?
            .monitor;
        let options = DiffOptions { max_events: 40, budget_sessions: 1_000 };
        let diff = truth.diff(&monitor, options).ok()?;
        // A session tells them apart: labels of participants, which the changed text lacks, are in no log here.
        let differ =
            [&diff.old_in_new, &diff.new_in_old].map(|it| matches!(it, Inclusion::Refuted(_)));
        differ.contains(&true).then_some(monitor)
    })
}

/// A message of another name or none, another order, or one operator in place of another.
fn change(node: &Node, signature: &mut Signature, dice: &mut Dice) -> Option<Node> {
    match node {
        Node::Step(_) if dice.below(2) == 0 => Some(Node::Empty),
        Node::Step(step) => {
            let message = signature.intern_message("changed");
            let actions = step.actions().iter().map(|it| Action { message, ..*it });
            Step::new(actions.collect::<Vec<_>>()).map(Node::Step)
        }
        Node::Strict(a, b) | Node::Seq(a, b) if dice.below(2) == 0 => Some(Node::Seq(*b, *a)),
        Node::Strict(a, b) | Node::Seq(a, b) => Some(Node::Par(*a, *b)),
        Node::Par(a, b) | Node::Alt(a, b) => Some(Node::Seq(*a, *b)),
        _ => None,
    }
}
