//! The examples of docs/events.md and docs/tracers.md: each mapping makes of the log behind it the events that the page
//! shows.

use super::common::{grouped, map, mapping};
use multitrace_logs::{Format, Mapping, propose};

/// The fenced blocks of a page: language and text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let page = std::fs::read_to_string(format!("{folder}/{page}")).expect("the page");
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut is_open = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(_) if is_open => is_open = false,
            Some(language) => {
                blocks.push((language.to_owned(), String::new()));
                is_open = true;
            }
            None if is_open => {
                let block = blocks.last_mut().expect("it is open");
                block.1.push_str(line);
                block.1.push('\n');
            }
            None => {}
        }
    }
    blocks
}

/// The events of whole sessions, for mappings whose records others complete.
fn by_session(mapping: &Mapping, log: &str, format: Format) -> Vec<String> {
    let made = grouped(mapping, log.as_bytes(), format, 1 << 20);
    assert_eq!(made.problems, Vec::<String>::new());
    let events = |(session, events): &(String, Vec<String>)| {
        events.iter().map(|event| format!("{session} {event}")).collect::<Vec<String>>()
    };
    made.sessions.iter().flat_map(events).collect()
}

#[test]
fn examples_make_what_the_page_says() {
    let mut blocks = blocks("events.md");
    blocks.extend(self::blocks("tracers.md"));
    let mut examples = 0;
    for (index, (language, text)) in blocks.iter().enumerate().filter(|(_, b)| b.0 == "toml") {
        let mapping = mapping(text);
        let [_, (log_language, log), (after, expected), ..] = &blocks[index..] else { continue };
        if after != "text" || language == log_language {
            continue;
        }
        let format = match log_language.as_str() {
            "json" => Format::JsonLines,
            "txt" => Format::Text,
            name => Format::named(name).expect("a format"),
        };
        let shown = match [
            "[[join]]",
            "callee.",
            "reply-to",
            "\"jaeger\"",
            "\"tempo\"",
            "\"otlp\"",
            "\"datadog\"",
        ]
        .iter()
        .any(|it| text.contains(it))
        {
            true => by_session(&mapping, log, format),
            false => map(&mapping, log.as_bytes(), format),
        };
        assert_eq!(shown, expected.lines().collect::<Vec<_>>(), "example {text}");
        examples += 1;
    }
    assert_eq!(examples, 34, "examples with an outcome");
}

#[test]
fn proposals_recognise_the_traces_of_the_page() {
    let mut recognised = 0;
    for pair in blocks("tracers.md").windows(2) {
        let [(_, mapping), (_, log)] = pair else { unreachable!("two blocks") };
        let format = mapping.lines().find(|line| line.starts_with("format = "));
        let Some(format) = format else { continue };
        let proposal = propose("traces.json", log.as_bytes()).expect("a proposal");
        // OTLP is recognised by its own name.
        let format = format.trim_end_matches('"');
        assert!(proposal.contains(format), "{format}\n{proposal}");
        recognised += 1;
    }
    assert_eq!(recognised, 6, "traces with a format");
}
