//! The documentation shows the output of the tool, names options that exist, and has plain sentences, as all texts.

use crate::common;
use crate::common::run::{Run, multitrace, multitrace_in};
use crate::common::shown::{shown, shows, without_times};
use std::path::{Path, PathBuf};

fn page(name: &str) -> String {
    let path = root().join("docs").join(name);
    std::fs::read_to_string(path).expect("the page is there")
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn run(command: &str) -> Run {
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    multitrace_in(Some(Path::new(&root())), &words, &[])
}

#[test]
fn output_is_as_it_is_printed() {
    let blocks = shown(&page("output.md"));
    assert_eq!(blocks.len(), 10);
    for (command, lines) in blocks {
        let printed: Vec<String> = run(&command).out.lines().map(without_times).collect();
        if let Err(difference) = shows(&lines, &printed) {
            panic!("{command}: {difference}\nin\n{}", printed.join("\n"));
        }
    }
}

#[test]
fn the_page_on_observation() {
    let page = page("observation.md");
    let blocks = shown(&page);
    assert_eq!(blocks.len(), 2);
    for (command, lines) in blocks {
        let printed: Vec<String> = run(&command).out.lines().map(without_times).collect();
        assert_eq!(lines, printed, "{command}");
    }
    let (_, table) = page.split_once("| session | ").expect("the table of sessions");
    let (table, _) = table.split_once("\n\n").expect("the table ends");
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches(['|', ' ']).split(" | ").map(str::to_owned).collect()
    };
    let mut rows = table.lines();
    let modes = cells(rows.next().expect("the modes"));
    let rows: Vec<Vec<String>> = rows.skip(1).map(cells).collect();
    assert_eq!((modes.len(), rows.len()), (5, 6));
    for (column, mode) in modes.iter().enumerate() {
        let check = "multitrace check examples/observation/order.hif";
        let log = "examples/observation/sessions.jsonl";
        let run = run(&format!("{check} {log} --observe {mode} --output-format json-lines"));
        for (row, line) in rows.iter().zip(run.out.lines()) {
            let said: serde_json::Value = serde_json::from_str(line).expect("an object");
            assert_eq!(
                (&said["session"], &said["verdict"]),
                (&row[0].as_str().into(), &row[column + 1].replace('-', "_").into()),
                "{mode}"
            );
        }
    }
}

#[test]
fn the_page_on_two_specifications() {
    let blocks = shown(&page("diff.md"));
    assert_eq!(blocks.len(), 1);
    for (command, lines) in blocks {
        let run = run(&command);
        let printed: Vec<String> = run.out.lines().map(str::to_owned).collect();
        assert_eq!((lines, run.code), (printed, 1), "{command}");
    }
}

#[test]
fn the_page_on_exploring() {
    let blocks = shown(&page("explore.md"));
    assert_eq!(blocks.len(), 4);
    for (command, lines) in blocks {
        let run = run(&command);
        let printed = if run.code == 0 { run.out } else { run.err };
        let printed: Vec<String> = printed.lines().map(str::to_owned).collect();
        assert_eq!(lines, printed, "{command}");
    }
}

#[test]
fn the_page_on_learning() {
    let blocks = shown(&page("learn.md"));
    let is_here = |(command, _): &(String, Vec<String>)| !command.contains(" corpus/");
    let blocks: Vec<_> = blocks.into_iter().filter(is_here).collect();
    assert_eq!(blocks.len(), 3);
    for ((command, lines), code) in blocks.into_iter().zip([0, 1, 1]) {
        let run = run(&command);
        let printed: Vec<String> = run.out.lines().map(str::to_owned).collect();
        assert_eq!((lines, run.code), (printed, code), "{command}");
    }
}

/// `scripts/bench` writes the page and ends it with the notes, which people edit.
#[test]
fn benchmarks_end_with_their_notes() {
    let notes = std::fs::read_to_string(root().join("lab/notes.md")).expect("notes are there");
    assert!(notes.starts_with("## "));
    assert!(page("BENCHMARKS.md").ends_with(&notes), "edit lab/notes.md, then both");
}

#[test]
fn every_format_has_a_section_and_no_other() {
    let page = page("output.md");
    for format in multitrace::OutputFormat::ALL.map(multitrace::OutputFormat::name) {
        assert!(page.contains(&format!("\n## {format}\n")), "{format}");
    }
}

/// All commands.
const COMMANDS: [&str; 20] = [
    "compile",
    "check",
    "merge",
    "local",
    "combine",
    "explain",
    "diff",
    "generate",
    "inspect",
    "read",
    "convert",
    "fmt",
    "draw",
    "explore",
    "learn",
    "compare",
    "map",
    "sessions",
    "completions",
    "man",
];

#[test]
fn options_that_are_named_exist() {
    let help = COMMANDS.map(|command| multitrace(&[command, "--help"]).out).concat();
    for name in [
        "ci.md",
        "output.md",
        "codes.md",
        "observation.md",
        "events.md",
        "tracers.md",
        "tutorial.md",
        "cli.md",
        "deployment.md",
        "papers.md",
        "specifications.md",
        "coverage.md",
        "diff.md",
        "explore.md",
        "generate.md",
    ] {
        let page = page(name);
        let own = page.lines().filter(|line| {
            !["cargo ", "curl ", "git ", "docker ", "aws "].iter().any(|other| line.contains(other))
        });
        for line in own {
            for word in line.split(|char: char| !(char.is_ascii_alphanumeric() || char == '-')) {
                let is_option = word.starts_with("--") && word.len() > 3 && !word.ends_with('-');
                assert!(!is_option || help.contains(word), "{name}: {word} in {line:?}");
            }
        }
    }
}

#[test]
fn keys_of_the_configuration_that_are_shown_are_read() {
    let page = page("ci.md");
    let (_, block) = page.split_once("```toml\n").expect("a configuration");
    let (block, _) = block.split_once("```").expect("the block ends");
    let folder = common::folder::Folder::new();
    folder.file("multitrace.toml", block);
    folder.file("known-failures.json", "{\"multitrace-baseline\":3,\"places\":[]}");
    folder.file("protocol.hif", "loopS(a -- m -> b)");
    folder.file("build/logs/s.jsonl", common::folder::PASSING);
    let place = folder.path("");
    let run = multitrace_in(Some(Path::new(&place)), &["check"], &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(folder.names().contains(&"junit.xml".to_owned()), "{:?}", folder.names());
}

/// The page on the command line ends with the names of all options. `MULTITRACE_BLESS=1` writes them.
#[test]
fn the_page_on_the_command_line_names_every_option() {
    const HEADING: &str = "## All options\n";
    let page = page("cli.md");
    let (written, _) = page.split_once(HEADING).expect("the section");
    let mut expected = format!("{written}{HEADING}");
    expected.push_str(
        "\n`multitrace COMMAND --help` says what each does, and so do the man pages (`multitrace man`).\n\n\
         | command | options |\n|---|---|\n",
    );
    for command in COMMANDS {
        let help = multitrace_in(None, &[command, "--help"], &[]);
        assert_eq!(help.code, 0, "{}", help.err);
        let names = help.out.lines().filter_map(|line| line.trim_start().split_once("--"));
        let names = names.filter(|(before, _)| before.is_empty() || before.ends_with(", "));
        let name = |(_, rest): (&str, &str)| {
            let end = rest.find(|it: char| !(it.is_ascii_alphanumeric() || it == '-'));
            format!("`--{}`", &rest[..end.unwrap_or(rest.len())])
        };
        let names: Vec<String> = names.map(name).collect();
        expected.push_str(&format!("| `{command}` | {} |\n", names.join(", ")));
    }
    if std::env::var_os("MULTITRACE_BLESS").is_some() {
        std::fs::write(root().join("docs/cli.md"), &expected).expect("the page is written");
        return;
    }
    assert_eq!(page, expected, "MULTITRACE_BLESS=1 cargo test --test suite docs:: writes it");
}

/// The table of codes has the texts of `explain`.
#[test]
fn the_page_of_codes_has_every_code() {
    use multitrace_formats::warning::WarningCode;
    use multitrace_reports::codes::Code;
    let page = include_str!("../../docs/codes.md");
    let names =
        Code::ALL.map(Code::name).into_iter().chain(WarningCode::ALL.map(WarningCode::name));
    let mut rows: Vec<String> = names
        .map(|name| {
            let run = multitrace(&["explain", name, "--output-format", "json"]);
            let code: serde_json::Value = serde_json::from_str(&run.out).expect("an object");
            let text = |field: &str| code[field].as_str().expect("a text").to_owned();
            format!("| {name} | {} | {} |", text("title"), text("remedy"))
        })
        .collect();
    rows.sort();
    let shown: Vec<&str> = page.lines().filter(|line| line.starts_with("| MT")).collect();
    assert_eq!(shown, rows, "docs/codes.md should have these rows");
}

/// Files in which people read sentences: sources with their help, messages and comments, and pages.
fn prose() -> Vec<PathBuf> {
    const FOLDERS: [&str; 14] = [
        "src",
        "multitrace/src",
        "reports/src",
        "formats/src",
        "interaction/src",
        "compiler/src",
        "runtime/src",
        "logs/src",
        "learn/src",
        "python/src",
        "python/multitrace",
        "docs",
        "examples",
        "lab/src",
    ];
    let mut files: Vec<PathBuf> = ["README.md", "CHANGELOG.md"].map(|it| root().join(it)).into();
    let mut folders: Vec<PathBuf> = FOLDERS.map(|it| root().join(it)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let is_text = |it: &std::ffi::OsStr| ["rs", "py", "md"].iter().any(|name| it == *name);
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(is_text) => files.push(path),
                false => {}
            }
        }
    }
    files
}

/// The beginning of a line before a match, and its last word.
fn last_word(before: &str) -> &str {
    before.trim_end().rsplit([' ', '(', '"', '`']).next().unwrap_or_default()
}

/// "X is no Y" in place of "X is not a Y".
fn has_no_for_not(line: &str) -> bool {
    const RIGHT: [&str; 8] =
        ["longer", "more", "less", "further", "slower", "faster", "better", "worse"];
    ["is no ", "are no ", "was no ", "were no ", "be no "].iter().any(|verb| {
        line.match_indices(verb).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + verb.len()..]);
            let next = after.split(|it: char| !it.is_ascii_alphabetic()).next().unwrap_or_default();
            let is_there = ["here", "here may", "here will", "here can"]
                .iter()
                .any(|it| before.trim_end().ends_with(it));
            before.ends_with(' ') && !next.is_empty() && !is_there && !RIGHT.contains(&next)
        })
    })
}

/// A clause with "what" for its noun, such as "what is learnt passes". Questions are right, also indirect ones: "says what is
/// wrong".
fn has_what_for_a_noun(line: &str) -> bool {
    const ASKING: [&str; 18] = [
        "ask",
        "asks",
        "find",
        "know",
        "known",
        "knows",
        "said",
        "saw",
        "say",
        "says",
        "see",
        "seen",
        "show",
        "shows",
        "tell",
        "tells",
        "told",
        "understand",
    ];
    if line.starts_with('#') || line.contains('?') {
        return false;
    }
    ["is", "are", "was", "were", "has", "have"].iter().any(|verb| {
        line.match_indices(&format!("hat {verb} ")).any(|(at, _)| {
            let (before, is_what) =
                (&line[..at.saturating_sub(1)], line[..at].ends_with(['w', 'W']));
            let word = last_word(before);
            // A clause that begins its line may be part of a question before it.
            let begins = before.trim_matches(['/', '!', '#', '*', ' ', '"']).is_empty();
            let is_asked = ASKING.contains(&word) || word == "and" || word == "or";
            is_what && !is_asked && !(begins && line[..at].ends_with('w'))
        })
    })
}

/// Each clause has its noun, and nothing "is no" other thing.
#[test]
fn sentences_are_plain() {
    let mut found = Vec::new();
    for file in prose() {
        let text = std::fs::read_to_string(&file).expect("a text");
        for (number, line) in text.lines().enumerate() {
            if has_no_for_not(line) || has_what_for_a_noun(line) {
                found.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(
        found.is_empty(),
        "write \"is not a X\", and a noun for \"what\":\n{}",
        found.join("\n")
    );
}

#[test]
fn a_clause_without_a_noun_is_seen() {
    for wrong in
        ["// int is no dict", "They are no logs.", "What is learnt passes.", "for what has a name"]
    {
        assert!(has_no_for_not(wrong) || has_what_for_a_noun(wrong), "{wrong}");
    }
    for right in
        ["There is no log.", "It is no longer read.", "It says what is wrong.", "What is it?"]
    {
        assert!(!has_no_for_not(right) && !has_what_for_a_noun(right), "{right}");
    }
}
