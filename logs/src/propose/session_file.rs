//! Files of sessions, which need no mapping.

use serde_json::Value;

/// Why a file holds sessions and no events, in words; `None` if it does not hold sessions.
pub(super) fn reason(name: &str, text: &str) -> Option<&'static str> {
    let first = text.lines().find(|line| !line.trim().is_empty())?.trim();
    if let Ok(Value::Object(object)) = serde_json::from_str::<Value>(first) {
        let has_traces = object.get("traces").is_some_and(Value::is_object);
        let has_htf = object.get("htf").is_some_and(Value::is_string);
        return (has_traces || has_htf).then_some("its lines are sessions with `traces` or `htf`");
    }
    let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
    if name.ends_with(".htf") {
        return Some("its name ends with .htf");
    }
    // No JSON begins like this.
    let inside = text.trim_start().strip_prefix('{').map(str::trim_start);
    let is_trace = inside.is_some_and(|inside| inside.starts_with('['));
    is_trace.then_some("it has traces in braces, `{[location] a!m.b?m;…}`")
}
