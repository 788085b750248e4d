//! Concurrent regions, and parts that are not logged, of lifelines that do nothing in them (MT604).

use super::written::WrittenSpec;
use multitrace_formats::hif::Named;
use multitrace_formats::source::Span;
use multitrace_formats::warning::{Warning, WarningCode};
use multitrace_interaction::LifelineId;

pub(super) fn warnings(spec: &WrittenSpec<'_>) -> Vec<Warning> {
    let mut found: Vec<(Span, Option<LifelineId>)> = Vec::new();
    for name in &spec.parsed.names {
        let Named::Region { lifeline, acts, .. } = name.named else { continue };
        let idle = (!acts).then_some(lifeline);
        match found.last_mut() {
            // The part is read once for each of several; in one of them it acts.
            Some((span, other)) if *span == name.span => *other = other.and(idle),
            _ => found.push((name.span, idle)),
        }
    }
    let warning = |(span, idle): (Span, Option<LifelineId>)| {
        let message = format!("`{}` does nothing in this region", spec.lifeline(idle?));
        Some(Warning::new(WarningCode::IdleRegion, span, message, "not among its operands"))
    };
    found.into_iter().filter_map(warning).collect()
}
