//! The options of a participant: `@{ "type": "database", "alias": "Store" }`.

use super::yaml::{self, Problem};

/// The options of a participant.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// The kind of participant.
    pub(super) kind: Option<String>,
    /// The label drawn at its head.
    pub(super) alias: Option<String>,
}

/// Reads the text between the braces, without white space around it: entries with `,` between
/// them, or one on each line.
pub(super) fn options(text: &str) -> Result<Options, Problem> {
    let entries = if text.contains('\n') { yaml::document(text)? } else { yaml::flow(text)? };
    let kind = yaml::scalar_of(&entries, "type").map(|kind| kind.to_lowercase());
    Ok(Options { kind, alias: yaml::scalar_of(&entries, "alias") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<String>, Option<String>) {
        let Options { kind, alias } = options(text).unwrap_or_else(|e| panic!("{}", e.message));
        (kind, alias)
    }

    fn refused(text: &str) -> (&'static str, &str) {
        let problem = options(text).expect_err("refused");
        (problem.message, &text[problem.range])
    }

    #[test]
    fn between_braces() {
        let both = (Some("database".to_owned()), Some("a, 'b'".to_owned()));
        assert_eq!(read(r#" "type": "Database", "alias": "a, 'b'" "#), both);
        assert_eq!(read(r#" type : database,'alias':'a, ''b''', "#), both);
        assert_eq!(read(r#""type":"database","alias":"a\u002c\n""#).0, both.0);
        assert_eq!(read(" "), (None, None));
        assert_eq!(read("type: null, alias: , x: [1, [2]], y"), (None, None));
        assert_eq!(read("type:database"), (None, None));
    }

    #[test]
    fn on_lines() {
        let both = (Some("queue".to_owned()), Some("a: b".to_owned()));
        assert_eq!(read("\n  type: queue # c\n\n  alias: 'a: b'\n"), both);
        assert_eq!(read("\n \"type\": \"queue\"\n \"alias\": \"a: b\""), both);
        assert_eq!(
            read("\n type: queue\n x:\n   - alias: b\n y:\n   alias: c\n z: |\n   d\n").1,
            None
        );
        assert_eq!(read("\n \"alias\":\n   \"a\n\n   b\n c\" # d").1.as_deref(), Some("a\nb c"));
        assert_eq!(read("\n alias: a\n   b#c\n type: d").1.as_deref(), Some("a b#c"));
    }

    #[test]
    fn what_is_no_yaml() {
        assert_eq!(refused(r#" "type: "entity" "#), ("expected `,` before this", "entity\""));
        assert_eq!(refused(r#"type: "a"#), ("the quotes are not closed", "\"a"));
        assert_eq!(refused("a: 'b"), ("the quotes are not closed", "'b"));
        assert_eq!(refused(",a"), ("expected a name or a value", ",a"));
        let message = "expected the end of the line after the value";
        assert_eq!(refused("\n \"type\": \"queue\",\n \"alias\": \"a\"\n"), (message, ","));
        assert_eq!(
            refused("\n a: b: c\n"),
            ("a value with `: ` in it needs quotes around it", ": c")
        );
        assert_eq!(refused("\n abc\n d: e"), ("expected a name, `:` and a value", "abc"));
        assert_eq!(refused("\n \"a\n b\": c"), ("expected a name, `:` and a value", "\"a"));
        assert_eq!(options("a\n"), Ok(Options::default()));
        assert_eq!(refused("\n  a: b\n c: d").1, "c: d");
        assert_eq!(refused("a: b, 'a': c"), ("this name has a value already", "'"));
        assert_eq!(refused("a: %b"), ("expected a name or a value", "%b"));
        assert_eq!(refused("a: [b"), ("the brackets are not closed", "[b"));
        assert_eq!(refused(r#"a: "\q""#).1, r#""\q""#);
    }
}
