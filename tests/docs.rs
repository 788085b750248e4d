//! The documentation shows what the tool prints, and names options that there are.

mod common;

use common::run::{Run, multitrace, multitrace_in};
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

/// Digits after what differs from run to run become one.
fn without_times(line: &str) -> String {
    let mut line = line.to_owned();
    for (before, after) in [
        (") in ", " s"),
        ("observation) in ", " s"),
        ("time=\"", "\""),
        ("\"seconds\":", ",\"peak"),
        ("\"seconds\": ", ","),
        ("\"peak_bytes\":", "}"),
        ("\"peak_bytes\": ", "\n"),
    ] {
        if let Some(start) = line.find(before) {
            let start = start + before.len();
            let end = line[start..].find(after).map_or(line.len(), |at| start + at);
            line.replace_range(start..end, "0");
        }
    }
    line
}

/// The blocks that show a command and what it prints.
fn shown(page: &str) -> Vec<(String, Vec<String>)> {
    let blocks = page.split("```console\n$ ").skip(1);
    let block = |text: &str| {
        let (block, _) = text.split_once("\n```").expect("the block ends");
        let (command, output) = block.split_once('\n').expect("output after the command");
        (command.to_owned(), output.lines().map(without_times).collect())
    };
    blocks.map(block).collect()
}

/// Whether the lines are there in order; `...` stands for any number of others.
fn shows(shown: &[String], printed: &[String]) -> Result<(), String> {
    let mut rest = printed;
    let parts: Vec<&[String]> = shown.split(|line| line == "...").collect();
    for (number, part) in parts.iter().filter(|part| !part.is_empty()).enumerate() {
        let place = rest.windows(part.len()).position(|window| window == *part);
        match place {
            Some(place) if number > 0 || place == 0 || shown[0] == "..." => {
                rest = &rest[place + part.len()..];
            }
            _ => return Err(format!("not printed:\n{}", part.join("\n"))),
        }
    }
    let open = shown.last().is_some_and(|line| line == "...");
    if rest.is_empty() || open { Ok(()) } else { Err(format!("more is printed: {}", rest[0])) }
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
fn every_format_has_a_section_and_no_other() {
    let page = page("output.md");
    for format in ["human", "concise", "json", "json-lines", "junit", "sarif", "github", "gitlab"] {
        assert!(page.contains(&format!("\n## {format}\n")), "{format}");
    }
}

#[test]
fn options_that_are_named_exist() {
    let help = ["check", "explain", "compile", "generate", "inspect"]
        .map(|command| multitrace(&[command, "--help"]).out)
        .concat();
    for name in ["ci.md", "output.md", "codes.md"] {
        let page = page(name);
        let own = page.lines().filter(|line| {
            !line.contains("cargo ") && !line.contains("curl ") && !line.contains("git ")
        });
        for line in own {
            for word in line.split(|char: char| !(char.is_ascii_alphanumeric() || char == '-')) {
                let is_option = word.starts_with("--") && word.len() > 3;
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
    folder.file("known-failures.json", "{\"multitrace-baseline\":1,\"groups\":[]}");
    folder.file("protocol.hif", "loopS(a -- m -> b)");
    folder.file("build/logs/s.jsonl", common::folder::PASSING);
    let place = folder.path("");
    let run = multitrace_in(Some(Path::new(&place)), &["check"], &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(folder.names().contains(&"junit.xml".to_owned()), "{:?}", folder.names());
}
