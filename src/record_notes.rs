//! What a run says of the records of event logs that made no event, or that patterns gave away.

use multitrace::formats::record_counts::RecordCounts;
use multitrace::reports::text::counted;

/// The notes on the records of a run, the most important first.
pub(crate) fn record_notes(input: &RecordCounts) -> Vec<String> {
    let mut notes = Vec::new();
    if input.unmatched > input.ignored {
        notes.extend(unmatched(input));
    }
    if input.other_pattern > 0 {
        let count = counted(input.other_pattern, "record");
        notes.push(format!(
            "{count} went to another pattern than the leftmost match: patterns win by their order in \
             the list; write patterns-win = \"first\" in [input] if this is right, \"leftmost\" if not"
        ));
    }
    if input.unused_patterns > 0 {
        let count = counted(input.unused_patterns, "pattern");
        notes.push(format!(
            "{count} of the mapping won no record; `multitrace map --explain` names them"
        ));
    }
    if input.without_session > 0 {
        let count = counted(input.without_session, "event");
        notes.push(format!(
            "{count} left out: their records name no session, and no record tells the session of their \
             id ([[join]])"
        ));
    }
    notes
}

fn unmatched(input: &RecordCounts) -> Vec<String> {
    let RecordCounts { unmatched, without_pattern, before_start, .. } = *input;
    let RecordCounts { without_column, unlisted_direction, .. } = *input;
    let told = without_pattern + before_start + without_column + unlisted_direction;
    let without_rule = unmatched - told;
    let mut notes = Vec::new();
    let mut add = |count: u64, unit: &str, note: &str| {
        if count > 0 {
            notes.push(note.replace("{}", &counted(count, unit)));
        }
    };
    add(
        without_rule,
        "record",
        "no rule of the mapping matched {}; `multitrace map --explain` shows them",
    );
    add(
        unlisted_direction,
        "record",
        "{} with a direction that [event] of the mapping lists neither as emission nor as reception; \
         `multitrace map --explain` shows it",
    );
    add(
        without_column,
        "record",
        "no rule of the mapping matched {} of tables without a column that a rule tests; `multitrace \
         map --explain` names the column",
    );
    add(
        without_pattern,
        "line",
        "no pattern of the mapping matched {}; add a pattern, or leave such lines out with [[drop]]; \
         `multitrace map --explain` shows them",
    );
    add(
        before_start,
        "line",
        "{} came before the first one that matches `start`; `multitrace map --explain` shows them",
    );
    notes
}
