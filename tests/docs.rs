//! The documentation shows what the tool prints, and names options that there are.

mod common;

use common::run::{Run, multitrace, multitrace_in};
use common::shown::{shown, shows, without_times};
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
