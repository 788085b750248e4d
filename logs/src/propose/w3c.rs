//! Logs in the extended format of the W3C, as web servers write: a line with `#Fields:` names the cells of the lines behind it.

use super::headless::group_name;
use super::values::toml_text;
use crate::mapping::expand_pattern;
use crate::survey::Survey;
use std::collections::BTreeSet;

const WHY: &str = "The line with `#Fields:` names the cells. It and comments are left out below.";

const FIELDS: &str = "#Fields:";

/// The survey of such a log by a pattern with a group for each cell; `None` for others.
pub(super) fn survey(file: &str, of: &Survey) -> Option<Survey> {
    if !of.lines.starts_with('#') {
        return None;
    }
    let header = header(&of.lines)?.strip_prefix(FIELDS)?;
    let row = of.lines.lines().find(|line| !line.starts_with('#') && !line.trim().is_empty())?;
    // Some write blanks between the names and another sign between the cells.
    let (sign, first, cell) = match () {
        () if row.contains('\t') => (r"\t", r"[^#\t][^\t]*", r"[^\t]*"),
        () if header.contains(',') => (",", "[^#,][^,]*", r#"(?:"[^"]*"|[^,]*)"#),
        () => (" ", r"[^#\s]\S*", r#"(?:"[^"]*"|\S+)"#),
    };
    let names = header.split([' ', ',', '\t']).filter(|it| !it.is_empty()).map(name_of_group);
    let names: Vec<String> = names.collect();
    if names.is_empty() || names.iter().collect::<BTreeSet<_>>().len() < names.len() {
        return None;
    }
    let (mut groups, mut fields) = (Vec::new(), Vec::new());
    let mut rest = &names[..];
    while let [name, behind @ ..] = rest {
        // A day and a time of the day are one time, which an order reads.
        let is_date = name == "date" && behind.first().is_some_and(|next| next == "time");
        if is_date && sign == " " {
            groups.push("%{iso-time:time}".to_owned());
            fields.push("time".to_owned());
            rest = &behind[1..];
        } else {
            // Lines that begin with # are not rows.
            let cell = if fields.is_empty() { first } else { cell };
            groups.push(format!("(?<{name}>{cell})"));
            fields.push(name.clone());
            rest = behind;
        }
    }
    let pattern = format!(r"^{}\s*$", groups.join(sign));
    let regex = expand_pattern(&[], &pattern)?;
    let found = of.by_pattern(file, (pattern, regex, WHY), &fields).ok()?;
    (found.records > 0).then_some(found)
}

/// The line with the names of the cells.
fn header(lines: &str) -> Option<&str> {
    lines.lines().find(|line| line.starts_with(FIELDS))
}

/// The rule for the lines that begin with #, but for those with other names of cells: the lines behind those are not read
/// by the pattern as they are meant.
pub(super) fn drop_rules(lines: &str) -> String {
    let header = toml_text(header(lines).unwrap_or(FIELDS));
    format!(
        "\n[[drop]]\nname = \"comments\"\n# Other `#Fields:` in the log are an error: each set of cells needs a mapping of its own.\n\
         when = [{{ line = {header} }}, {{ line = '/^#([^F]|$)/' }}]\n"
    )
}

/// Whether a survey is that of such a log.
pub(super) fn is_of(survey: &Survey) -> bool {
    survey.pattern.as_ref().is_some_and(|(_, why)| *why == WHY)
}

/// The name of a cell as that of a group: `cs(User-Agent)` is `cs_User_Agent`.
fn name_of_group(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    match name.trim_matches('_') {
        name if name.starts_with(|c: char| c.is_ascii_alphabetic()) => group_name(name),
        name => format!("c_{name}"),
    }
}
