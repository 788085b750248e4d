//! A mapping of an XES log: the case, the activity, and who did it.

use super::order::{self, Written};
use super::values::toml_text;
use std::fmt::Write;

/// Attributes that say who did it, the likeliest first.
const RESOURCES: &[&str] = &["org:resource", "org:role", "org:group"];

/// A mapping for a log that begins with this text.
pub(super) fn proposal(text: &str) -> String {
    let has = |key: &str| text.contains(&format!("key=\"{key}\""));
    let mut out = String::from(
        "[input]\nformat = \"xes\"\n\n[event]\n\
         # session: a trace of XES is a case, and `concept:name` is its name\n\
         session = \"trace.concept:name\"\n",
    );
    let _ = match RESOURCES.iter().find(|key| has(key)) {
        Some(key) => {
            writeln!(out, "# lifeline: events say who did them\nlifeline = {}", toml_text(key))
        }
        None => writeln!(
            out,
            "# lifeline: no event says who did it ({}), so it is the name of the file\n\
             lifeline = \"@stem\"",
            RESOURCES.join(", ")
        ),
    };
    out.push_str(
        "# XES does not tell emissions from receptions: a rule can, by the activity.\n\
         direction = \"emission\"\n# message: `concept:name` of an event is its activity\n\
         message = \"concept:name\"\n",
    );
    if has("time:timestamp") {
        out.push_str(&order::lines("time:timestamp", Written::Plain));
    }
    out
}
