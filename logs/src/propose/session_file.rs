//! Files of sessions, which need no mapping.

use serde_json::Value;

/// Why a file holds sessions and no events, in words; `None` if it does not hold sessions.
pub(super) fn reason(name: &str, text: &str) -> Option<&'static str> {
    let first = text.lines().find(|line| !line.trim().is_empty())?.trim();
    let has_sessions = match serde_json::from_str::<Value>(first) {
        Ok(Value::Object(object)) => Some(
            object.get("traces").is_some_and(Value::is_object)
                || object.get("htf").is_some_and(Value::is_string),
        ),
        Err(error) if error.is_eof() && begins_session(first) => Some(true),
        _ => None,
    };
    if let Some(has_sessions) = has_sessions {
        return has_sessions.then_some("its lines are sessions with `traces` or `htf`");
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

/// Whether a line that is longer than the part looked at begins as a session with traces does.
fn begins_session(line: &str) -> bool {
    let parts = line.strip_prefix('{').and_then(|it| it.split_once("\"traces\""));
    parts.is_some_and(|(before, after)| {
        let value = after.trim_start().strip_prefix(':').map(str::trim_start);
        !before.contains(['{', '[']) && value.is_some_and(|it| it.starts_with('{'))
    })
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn a_session_is_recognised_by_its_beginning() {
        let of = |text: &str| reason("in.jsonl", text).is_some();
        assert!(of(r#"{"session":"s","traces":{"a":[]}}"#));
        assert!(of(r#"{"session": "s", "traces": {"a": ["a!m", "a"#));
        assert!(!of(r#"{"session":"s","traces":[{"a": ["a!m", "a"#));
        assert!(!of(r#"{"spans":[{"traces":{"a"#));
    }
}
