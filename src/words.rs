//! The words of the command line: its options and commands, where the libraries name remedies.

use multitrace_formats::remedy::{Remedy, Words};

/// The words of the command line.
pub(crate) const WORDS: Words = Words::new(spell);

fn spell(remedy: Remedy, value: Option<&str>) -> String {
    let words = match remedy {
        Remedy::AskForPart => "check with --output-format partial, or with partial=True",
        Remedy::Combine => "`multitrace combine`",
        Remedy::Compile => "`multitrace compile`",
        Remedy::ExplainCode => "multitrace explain",
        Remedy::Json => "--output-format json",
        Remedy::Local => "`multitrace local`",
        Remedy::MapCheck => "`multitrace map --check SPEC LOG --events MAP.toml`",
        Remedy::MapExplain => "`multitrace map --explain`",
        Remedy::MapInit => "`multitrace map --init FILE`",
        Remedy::Method => "--paper method=…",
        Remedy::Merge => "`multitrace merge`",
        Remedy::NameParts => {
            "name files that `multitrace check --output-format partial` has written"
        }
        Remedy::RateToMerge => "give --max-failures RATE% to `merge`",
        Remedy::Revision => {
            let name = value.unwrap_or("REVISION:FILE");
            return format!("write `git show {name} > FILE`, and name that FILE");
        }
        Remedy::SessionLines => "--output-format json-lines",
        Remedy::Split => "`multitrace compile --split`",
        Remedy::Svg => "--output-format svg",
        Remedy::Threads => "--jobs",
        Remedy::Ungrouped => "leave out --grouped",
        Remedy::WriteBaseline => "write the baseline anew with --write-baseline",
        Remedy::WritePart => "write the part again with `multitrace check --output-format partial`",
        option => &format!("--{}", option.name().replace('_', "-")),
    };
    value.map_or_else(|| words.to_owned(), |value| format!("{words} {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::command;
    use std::collections::BTreeSet;

    #[test]
    fn every_option_is_one_of_a_command() {
        let command = command();
        let arguments = command.get_subcommands().flat_map(|it| it.get_arguments());
        let known: BTreeSet<&str> = arguments.filter_map(|it| it.get_long()).collect();
        for remedy in Remedy::ALL {
            let words = spell(*remedy, None);
            let is_word = |it: char| it.is_alphanumeric() || it == '-';
            for option in words.split(|it| !is_word(it)).filter_map(|it| it.strip_prefix("--")) {
                assert!(known.contains(option), "{remedy:?}: {option} is not an option");
            }
        }
    }
}
