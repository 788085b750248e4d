//! The plain counts of a summary.

use crate::summary::Summary;

/// The plain counts of a summary by their names.
pub(super) fn counts(summary: &mut Summary) -> [(&'static str, &mut u64); 18] {
    let causes = &mut summary.causes;
    [
        ("sessions", &mut summary.sessions),
        ("events", &mut summary.events),
        ("pass", &mut summary.pass),
        ("weak_pass", &mut summary.weak_pass),
        ("fail", &mut summary.fail),
        ("inconclusive", &mut summary.inconclusive),
        ("local", &mut causes.local),
        ("inter", &mut causes.inter),
        ("central", &mut causes.central),
        ("only_ends", &mut summary.only_ends),
        ("only_logs", &mut summary.only_logs),
        ("errors", &mut summary.errors),
        ("cut_off", &mut summary.cut_off),
        ("reordered", &mut summary.reordered),
        ("not_selected", &mut summary.not_selected),
        ("not_kept", &mut summary.not_kept),
        ("empty_files", &mut summary.empty_files),
        ("terms_replaced", &mut summary.terms_replaced),
    ]
}
