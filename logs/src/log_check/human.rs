//! The comparison of a log with a specification, for people.

use super::{LogCheck, RuleCount, Trouble, UnknownName};
use multitrace_formats::remedy::Words;
use multitrace_formats::shorten::{shorten, visible};
use std::fmt::Write as _;
use std::io::{self, Write};

/// How many entries of a list are shown: with all lists they still fit two screens.
const SHOWN: usize = 20;
/// How many characters of an example are shown: two lines of a terminal.
const EXAMPLE: usize = 200;

impl LogCheck {
    /// Writes it for people. Long lists are cut, and say so.
    ///
    /// # Errors
    /// When `out` takes no more.
    pub fn write_human(&self, words: Words, out: &mut dyn Write) -> io::Result<()> {
        let mut text = String::new();
        self.write_counts(&mut text);
        self.write_names(words, &mut text);
        self.write_uses(words, &mut text);
        self.write_sessions(&mut text);
        self.write_unmatched(words, &mut text);
        self.write_troubles(&mut text);
        let lines: String = text.lines().map(|line| visible(line).into_owned() + "\n").collect();
        out.write_all(lines.as_bytes())
    }

    fn write_counts(&self, text: &mut String) {
        let input = &self.input;
        count(text, input.records, "records");
        count(text, self.known_events, "events that the specification knows");
        count(text, self.unknown_events, "events that it does not know");
        if input.without_session > 0 {
            let what = "events left out, since no record tells the session of their id ([[join]])";
            count(text, input.without_session, what);
        }
        for (number, what) in [
            (input.unanswered, "requests without a response (reply-to)"),
            (input.unasked, "responses without a request (reply-to)"),
            (input.without_list, "records without a list where `for-each` looks for one"),
        ] {
            if number > 0 {
                count(text, number, what);
            }
        }
    }

    fn write_names(&self, words: Words, text: &mut String) {
        list(words, text, "events of the specification that no record became", &self.never_logged);
        list(
            words,
            text,
            "logged events that the specification lacks",
            &unknown(words, &self.unknown),
        );
        left_out(text, self.unknown_left_out);
        list(
            words,
            text,
            "locations of the specification without any event",
            &self.silent_locations,
        );
        let lifelines = unknown(words, &self.unknown_lifelines);
        list(words, text, "logged lifelines that the specification does not know", &lifelines);
        left_out(text, self.lifelines_left_out);
    }

    fn write_uses(&self, words: Words, text: &mut String) {
        for rule in self.rules.iter().filter(|rule| rule.records > 0) {
            count(text, rule.records, &format!("records by {}", named(rule)));
        }
        let idle = self.rules.iter().filter(|rule| rule.records == 0);
        let idle: Vec<String> = idle.map(named).collect();
        list(words, text, "rules that no record reaches", &idle);
        let idle = self.patterns.iter().filter(|pattern| pattern.records == 0);
        let shown = |number: usize, pattern: &str| format!("{number}: {}", shorten(pattern, 90));
        let idle: Vec<String> = idle.map(|it| shown(it.number, &it.pattern)).collect();
        list(words, text, "patterns that no line matches", &idle);
    }

    fn write_sessions(&self, text: &mut String) {
        let sizes = &self.sessions;
        count(text, sizes.count, "sessions");
        if self.sessions_left_out > 0 {
            let what = "sessions that [[keep-session]] and [[drop-session]] leave out";
            count(text, self.sessions_left_out, what);
        }
        if sizes.count > 0 {
            let _ = writeln!(
                text,
                "            events in a session: least {}, half at most {}, 90 % at most {}, most {}",
                sizes.min, sizes.median, sizes.p90, sizes.max
            );
            count(text, sizes.single, "sessions with a single event");
        }
        if let Some(example) = &self.order.example {
            count(text, self.order.without, "events without an order, where others have one");
            indented(text, example);
        }
    }

    /// Writes the kinds of records that no rule matches, and the remedy for one of them.
    fn write_unmatched(&self, words: Words, text: &mut String) {
        let Some(unmatched) = &self.unmatched else { return };
        count(text, unmatched.count, "records that no rule matches");
        if self.unmatched_kinds.is_empty() {
            indented(text, &unmatched.example);
        }
        for kind in self.unmatched_kinds.iter().take(SHOWN) {
            indented(text, &format!("{}  {}, first at {}", kind.count, kind.like, kind.place));
        }
        let more = self.unmatched_kinds.len().saturating_sub(SHOWN);
        if more > 0 {
            indented(text, &format!("and {more} more kinds; {} lists them", words.text("‹json›")));
        }
        let fix = match self.patterns.is_empty() {
            true => {
                "make events of them by a [[rule]], or leave them out: [[drop]] when = { FIELD = \"VALUE\" }"
            }
            false => {
                "make events of them by another pattern, or leave them out: [[drop]] when = { line = \"/WORDS/\" }"
            }
        };
        indented(text, fix);
    }

    fn write_troubles(&self, text: &mut String) {
        let mut each = |title: &str, trouble: &Trouble| {
            count(text, trouble.count, title);
            indented(text, &trouble.example);
        };
        for it in &self.unassembled {
            each(&format!("sessions that cannot be put together; {}", it.what), it);
        }
        if let Some(it) = &self.repeated_spans {
            each(&format!("spans {}", it.what), it);
        }
        for it in &self.broken {
            each(&format!("records to which {} cannot be applied", it.what), it);
        }
        self.unreadable.iter().for_each(|it| each("problems of reading", it));
    }
}

/// Writing into a text cannot fail.
fn count(text: &mut String, number: u64, what: &str) {
    let _ = writeln!(text, "{number:>10}  {}", visible(what));
}

/// A title with its entries, if there are any.
fn list(words: Words, text: &mut String, title: &str, entries: &[String]) {
    if entries.is_empty() {
        return;
    }
    count(text, entries.len() as u64, title);
    entries.iter().take(SHOWN).for_each(|entry| indented(text, &visible(entry)));
    if let Some(more) = entries.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        indented(text, &format!("and {more} more; {} lists them", words.text("‹json›")));
    }
}

fn left_out(text: &mut String, events: u64) {
    if events > 0 {
        indented(text, &format!("and {events} events with names beyond the first 1000"));
    }
}

fn indented(text: &mut String, lines: &str) {
    for line in lines.lines() {
        let _ = writeln!(text, "            {}", shorten(line, EXAMPLE));
    }
}

fn unknown(words: Words, names: &[UnknownName]) -> Vec<String> {
    let shown = |name: &UnknownName| {
        let events = if name.events == 1 { "event" } else { "events" };
        let closest = name.closest.as_ref();
        let closest = closest.map_or_else(String::new, |it| format!("; did you mean {it}?"));
        let help = name.help.as_ref().map(|help| format!("; {}", words.text(help)));
        let UnknownName { name, events: number, example, .. } = name;
        let remedy = help.unwrap_or(closest);
        format!("{}  {number} {events}, first at {example}{remedy}", shorten(name, 90))
    };
    names.iter().map(shown).collect()
}

fn named(rule: &RuleCount) -> String {
    format!("{} (line {})", rule.name, rule.line)
}
