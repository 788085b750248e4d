//! When and how to use colours.

use crate::args::ColorChoice;
use multitrace_formats::shorten::{visible_lines, without_commands};
use multitrace_reports::outputs::Paint;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether messages on standard error are painted.
static PAINTS_MESSAGES: AtomicBool = AtomicBool::new(false);

/// Whether the platform of a CI reads the output.
static IS_FOR_PLATFORM: AtomicBool = AtomicBool::new(false);

/// Whether to use colours (no-color.org, bixense.com/clicolors).
pub(crate) fn paint(choice: ColorChoice, on_stdout: bool) -> Paint {
    Paint { colored: colored(choice, on_stdout, || io::stdout().is_terminal()) }
}

/// Decides whether messages on standard error are painted from now on.
pub(crate) fn paint_messages(choice: ColorChoice) {
    let colored = colored(choice, true, || io::stderr().is_terminal());
    PAINTS_MESSAGES.store(colored, Ordering::Relaxed);
}

fn colored(choice: ColorChoice, may_be_terminal: bool, is_terminal: impl Fn() -> bool) -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if !may_be_terminal || set("NO_COLOR").is_some() => false,
        ColorChoice::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        ColorChoice::Auto => {
            is_terminal() && set("TERM").is_some_and(|terminal| terminal != "dumb")
        }
    }
}

/// A message for standard error: nothing in it does anything to a terminal, or to the platform that reads it. In colour if
/// colours are on.
pub(crate) fn message(text: &str) -> String {
    let text = visible_lines(text);
    let text = match is_for_platform() {
        true => without_commands(&text),
        false => text.into_owned(),
    };
    match PAINTS_MESSAGES.load(Ordering::Relaxed) {
        true => painted(&text),
        false => text,
    }
}

/// Variables that GitHub, GitLab and Azure set for their jobs.
const PLATFORMS: [&str; 3] = ["GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD"];

/// Decides whether the platform of a CI reads both streams, since it runs the tool or since a report is for it. From then
/// on, texts for people hold no commands for it.
pub(crate) fn write_for_platform(is_asked_for: bool) {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_run = PLATFORMS.iter().any(is_set);
    IS_FOR_PLATFORM.store(is_asked_for || is_run, Ordering::Relaxed);
}

pub(crate) fn is_for_platform() -> bool {
    IS_FOR_PLATFORM.load(Ordering::Relaxed)
}

const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[1;31m";
const YELLOW: &str = "\u{1b}[1;33m";
const BLUE: &str = "\u{1b}[1;34m";
const RESET: &str = "\u{1b}[0m";

/// A message with its words of severity, its places and its marks in colours.
fn painted(text: &str) -> String {
    text.lines().map(painted_line).collect::<Vec<_>>().join("\n")
}

fn painted_line(line: &str) -> String {
    let styles = [("error", RED), ("warning", YELLOW), ("note", BOLD)];
    if let Some((word, style)) = styles.iter().find(|(word, _)| line.starts_with(word))
        && let Some((start, rest)) = line.split_once(':')
        && start.strip_prefix(word).is_some_and(|code| code.is_empty() || code.starts_with('['))
    {
        return format!("{style}{start}:{RESET}{BOLD}{rest}{RESET}");
    }
    if let Some((before, place)) = line.split_once("--> ")
        && before.trim().is_empty()
    {
        return format!("{before}{BLUE}-->{RESET} {place}");
    }
    let Some((gutter, rest)) = line.split_once('|') else { return line.to_owned() };
    if !gutter.trim().bytes().all(|byte| byte.is_ascii_digit()) {
        return line.to_owned();
    }
    let is_mark = rest.trim_start().starts_with('^');
    let rest = if is_mark { format!("{RED}{rest}{RESET}") } else { rest.to_owned() };
    format!("{BLUE}{gutter}|{RESET}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_add_nothing_but_colours() {
        let text =
            "error[MT601]: a name\n --> a.hif:1:2\n  |\n1 | a -- x -> b\n  | ^ here\n  = help: b";
        let mut plain = painted(text);
        for style in [BOLD, RED, YELLOW, BLUE, RESET] {
            plain = plain.replace(style, "");
        }
        assert_eq!(plain, text);
        assert!(painted(text).contains("\u{1b}[1;31merror[MT601]:"));
        assert_eq!(painted("a text with error: in it"), "a text with error: in it");
    }
}
