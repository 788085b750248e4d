//! The charts of the page: verdicts as one bar, and the costs of searches as columns.

use crate::costs::{Costs, Histogram, time};
use crate::summary::Summary;
use serde::Serialize;

/// A part of the bar of verdicts.
#[derive(Serialize)]
pub(super) struct Bar {
    name: &'static str,
    count: u64,
    percent: f64,
}

/// The verdicts that occurred.
pub(super) fn verdict_bars(summary: &Summary) -> Vec<Bar> {
    let Summary { pass, weak_pass, fail, inconclusive, sessions, .. } = *summary;
    let bar = |(name, count): (&'static str, u64)| {
        let percent = 100.0 * count as f64 / sessions.max(1) as f64;
        Bar { name, count, percent }
    };
    let all = [("pass", pass), ("weak-pass", weak_pass), ("fail", fail)];
    let all = all.into_iter().chain([("inconclusive", inconclusive)]);
    all.filter(|(_, count)| *count > 0).map(bar).collect()
}

/// A column of a histogram.
#[derive(Serialize)]
pub(super) struct Column {
    label: String,
    count: u64,
    /// Of the highest column.
    percent: f64,
}

/// The histograms of a run.
pub(super) fn columns(costs: &Costs) -> Vec<(&'static str, Vec<Column>)> {
    vec![
        ("Time a session", of(&costs.nanoseconds, time)),
        ("Nodes a search", of(&costs.nodes, |it| it.to_string())),
    ]
}

fn of(histogram: &Histogram, label: fn(u64) -> String) -> Vec<Column> {
    let columns = histogram.columns();
    let most = columns.iter().map(|it| it.1).max().unwrap_or(1).max(1);
    let column = |(least, count): (u64, u64)| Column {
        label: label(least),
        count,
        percent: 100.0 * count as f64 / most as f64,
    };
    columns.into_iter().map(column).collect()
}
