//! A mapping of an XES log: the case, the activity, and who did it.

use super::asking::ask;
use super::order::{self, OrderForm};
use super::ties::EqualTimes;
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
        None => {
            let why = format!("No event says who did it ({}).", RESOURCES.join(", "));
            ask(&mut out, "lifeline", &why, [], "lifeline = \"@stem\"");
            Ok(())
        }
    };
    let why = "XES does not tell emissions from receptions: if activities are local, \"emission\"; a rule can tell, too.";
    ask(&mut out, "direction", why, [], "direction = \"emission\"");
    out.push_str(
        "# message: `concept:name` of an event is its activity\nmessage = \"concept:name\"\n",
    );
    if has("time:timestamp") {
        out.push_str(&order::lines(
            "time:timestamp",
            OrderForm::Plain,
            (EqualTimes::default(), false),
        ));
        out.push_str("# XES keeps the events of a case in their order.\nties = \"file\"\n");
    }
    out
}
