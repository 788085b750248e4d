//! A repair as a difference for each location: `-` before an event that should not be there, `+`
//! before one that is missing.

use crate::outputs::table::cut;
use crate::paint::Paint;
use crate::repair_view::{EditView, RepairView};
use crate::run_report::Level;
use crate::text::counted;
use multitrace_formats::shorten::visible;
use multitrace_interaction::EditKind;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// The repair in lines, each with an indent, of at most `width` cells.
pub(super) fn lines(repair: &RepairView, indent: &str, width: usize, paint: Paint) -> String {
    let room = width.saturating_sub(indent.len() + 2);
    let mut text = format!("{indent}{}\n", heading(repair));
    let mut location = None;
    for edit in &repair.edits {
        if location != Some(&edit.location) {
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{indent}  {}", cut(&visible(&edit.location), room));
            location = Some(&edit.location);
        }
        let _ = writeln!(text, "{indent}  {}", line(edit, room, paint));
    }
    if repair.edits_omitted > 0 {
        let more = counted(repair.edits_omitted as u64, "more edit");
        let _ = writeln!(text, "{indent}  {more}");
    }
    text
}

/// How far the session is from being accepted, in one line.
fn heading(repair: &RepairView) -> String {
    told(repair, "", "")
}

/// The same where the edits are not listed below.
pub(super) fn summary(repair: &RepairView) -> String {
    told(repair, " (events added or removed)", " of 1")
}

fn told(repair: &RepairView, of_edits: &str, of_fitness: &str) -> String {
    let edits = counted(repair.distance, "edit");
    let least = if repair.exact { "" } else { "at least " };
    // Only an accepted session has fitness 1.
    let rounded = |fitness: f64| {
        let most = if fitness < 1.0 { 0.999 } else { 1.0 };
        format!(", fitness {:.3}{of_fitness}", fitness.min(most))
    };
    let fitness = repair.fitness.map_or_else(String::new, rounded);
    format!("accepted after {least}{edits}{of_edits}{fitness}")
}

fn line(edit: &EditView, room: usize, paint: Paint) -> String {
    // Half of the line is for the event, half for its description.
    let action = cut(&visible(&edit.action), room / 2);
    // People count from 1.
    let (mark, whereabouts) = match (edit.kind, edit.index) {
        (EditKind::Delete, index) => {
            let mark = paint.level(Level::Error, &format!("- {action}"));
            (mark, format!("event {} should not be there", index + 1))
        }
        (EditKind::Insert, 0) => {
            (paint.good(&format!("+ {action}")), "is missing at the beginning".to_owned())
        }
        (EditKind::Insert, index) => {
            (paint.good(&format!("+ {action}")), format!("is missing after event {index}"))
        }
    };
    let place = edit.place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
    let told = format!("{whereabouts}{}", visible(&place));
    // The sign and four blanks.
    let left = room.saturating_sub(action.width() + 5);
    format!("{mark}   {}", paint.dim(&cut(&told, left)))
}
