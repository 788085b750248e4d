//! The words of Python: arguments and methods, where the library names remedies.

use multitrace_formats::remedy::{Remedy, Words};

/// The words of Python.
pub(crate) const WORDS: Words = Words::new(spell);

fn spell(remedy: Remedy, value: Option<&str>) -> String {
    let words = match remedy {
        Remedy::AskForPart => "check with partial=True",
        Remedy::BudgetTime => return argument("budget_seconds", value.map(seconds).as_deref()),
        Remedy::Combine => "Bundle.combine",
        Remedy::Compile => "multitrace.compile",
        Remedy::Coverage => "coverage=True",
        Remedy::ExplainCode => {
            return format!("multitrace.explain_code(\"{}\")", value.unwrap_or("CODE"));
        }
        Remedy::Full => "context=None",
        Remedy::Json => "format=\"json\"",
        Remedy::Local => "multitrace.local",
        Remedy::AllowMissing => "allow_missing=True",
        Remedy::InputFormat => "the ending of its name",
        Remedy::MapCheck => "Bundle.check_mapping",
        Remedy::MapExplain => "multitrace.explain_mapping",
        Remedy::MapInit => "multitrace.propose_mapping",
        Remedy::Merge => "multitrace.merge",
        Remedy::NameParts => "give the bytes of Report.partial(), or files that hold them",
        Remedy::RateToMerge => "give max_failures=\"RATE%\" to multitrace.merge",
        Remedy::Revision => {
            let name = value.unwrap_or("REVISION:FILE");
            return format!(
                "give `subprocess.check_output([\"git\", \"show\", {name:?}], text=True)`"
            );
        }
        Remedy::SessionLines => "Report.sessions",
        Remedy::Split => "Bundle.split()",
        Remedy::Svg => "explain(…).draw()",
        Remedy::Ungrouped => "bring the events of each session together before",
        Remedy::WriteBaseline => "write the baseline anew with Report.write_baseline",
        Remedy::WritePart => "make the part again with Report.partial()",
        // Checks have no such arguments.
        Remedy::Unlogged | Remedy::Unjudged => {
            return format!("multitrace.compile(…, {})", argument(remedy.name(), value));
        }
        other => return argument(other.name(), value),
    };
    words.to_owned()
}

/// An argument. Numbers and texts in quotes stay as they are, and other values become texts.
fn argument(name: &str, value: Option<&str>) -> String {
    let value = value.unwrap_or_default();
    let is_number = value.parse::<f64>().is_ok() || value == "N";
    match value.is_empty() || is_number || value.starts_with(['"', '\'']) {
        true => format!("{name}={value}"),
        false => format!("{name}=\"{value}\""),
    }
}

/// A time such as `200ms` as a number of seconds.
fn seconds(time: &str) -> String {
    let units = [("ms", 1e3), ("us", 1e6)];
    let found = units.into_iter().find_map(|(unit, per_second)| {
        Some(time.strip_suffix(unit)?.parse::<f64>().ok()? / per_second)
    });
    found.map_or_else(|| time.to_owned(), |seconds| seconds.to_string())
}
