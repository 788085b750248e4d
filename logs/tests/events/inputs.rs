//! Files and folders as inputs, and the three ways to get the sessions of a log: merged, one after the other, and drawn.

use super::common::mapping;
use multitrace_formats::place::Places;
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::selection::{Draw, IdList, Selection};
use multitrace_interaction::{Alphabet, Session};
use multitrace_logs::{
    Assembler, Collected, Collector, Drawn, EventItem, EventLog, EventSessions, Format, Grouped,
    InputFiles, LogError, Streamed, check_log,
};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAP: &str =
    "[event]\nsession = \"s\"\nlifeline = \"a\"\ndirection = \"emission\"\nmessage = \"m\"\n";

/// Writes files of these names and texts, and lists their folder.
fn files(folder: &Path, texts: &[(&str, &str)]) -> InputFiles {
    for (name, text) in texts {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    InputFiles::list(&[folder.to_owned()]).expect("a folder")
}

#[test]
fn a_folder_is_walked_by_name_without_what_is_no_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let top = folder.path();
    let listed = files(
        top,
        &[("b.log", ""), ("a/2.log", ""), ("a/1.log", ""), ("map.toml", ""), (".multitrace-x", "")],
    );
    let paths: Vec<PathBuf> = listed.files.iter().map(|it| it.path.clone()).collect();
    assert_eq!(paths, ["a/1.log", "a/2.log", "b.log"].map(|it| top.join(it)));
    assert!(listed.files.iter().all(|it| it.folder.as_deref() == Some(top)));
    let notes = [
        format!("{0}: 3 files are empty, first {0}/a/1.log", top.display()),
        format!(
            "{0}: 1 file is not a log by its extension, and left out: {0}/map.toml",
            top.display()
        ),
        format!(
            "{0}: 1 file is an unfinished output of a run, and left out: {0}/.multitrace-x",
            top.display()
        ),
    ];
    assert_eq!(listed.notes, notes);
    let named = InputFiles::list(&[top.join("map.toml"), PathBuf::from("-")]).expect("they exist");
    assert_eq!(named.files.len(), 2);
    assert!(named.files.iter().all(|it| it.folder.is_none()));
    let pattern = InputFiles::list(&[top.join("a/*.log")]).expect("they match");
    assert_eq!(pattern.files.len(), 2);
    assert!(InputFiles::list(&[top.join("none")]).is_err());
    assert!(InputFiles::list(&[top.join("none*")]).is_err());
}

fn lines(events: &[(&str, &str, &str)]) -> String {
    let line =
        |(s, a, m): &(&str, &str, &str)| format!("{{\"s\":\"{s}\",\"a\":\"{a}\",\"m\":\"{m}\"}}\n");
    events.iter().map(line).collect()
}

#[test]
fn several_files_are_one_log_and_sessions_know_where_they_begin() {
    let folder = tempfile::tempdir().expect("a folder");
    let listed = files(
        folder.path(),
        &[
            ("1.jsonl", &lines(&[("x", "a", "1"), ("y", "a", "2")])),
            ("2.jsonl", &lines(&[("y", "b", "3"), ("z", "a", "4"), ("x", "b", "5")])),
        ],
    );
    let names: Vec<String> = listed.files.iter().map(|it| it.path.display().to_string()).collect();
    let log = || EventLog::of_files(mapping(MAP), listed.clone(), "-");
    assert!(log().stream_names().is_empty());
    let (sessions, assembler, counts) = merged(log());
    assert!(assembler.names_sessions());
    let places: Vec<_> = sessions.iter().map(|it| assembler.position(it)).collect();
    let place = |file: usize, line| (file as u32, Some(names[file].as_str().into()), line, 0);
    assert_eq!(places, [place(0, 1), place(0, 2), place(1, 2)]);
    assert_eq!((counts.records, counts.events), (5, 5));
    assert_eq!(shown(&sessions, &assembler), ["x a!1 b!5", "y a!2 b!3", "z a!4"]);
    // Counts by file come together.
    let check = check_log(log(), &Alphabet::default(), 1 << 20).expect("room");
    let by_rule: Vec<_> = check.rules.iter().map(|rule| rule.records).collect();
    assert_eq!((by_rule, check.order.without, check.unknown_events), (vec![5], 5, 5));
    // The same log, but only its second file is read.
    let mut second = log();
    assert!(second.keep_files(|file| file == 1) && !second.keep_files(|_| true));
    assert_eq!(merged(second).2.events, 3);
}

#[test]
fn only_files_can_be_read_again() {
    let reader = EventLog::of_reader(mapping(MAP), "pipe", Cursor::new(Vec::new()));
    assert_eq!(reader.stream_names(), [Arc::from("pipe")]);
    let gaps = MAP.replace("\"s\"", "{ field = \"s\", gap = \"1s\" }\norder = \"t\"");
    let gaps = EventLog::of_reader(mapping(&gaps), "pipe", Cursor::new(Vec::new()));
    assert!(!gaps.assembler().names_sessions());
}

fn of_text(map: &str, text: &str) -> EventLog {
    let mapping = mapping(map).with_format(Format::JsonLines);
    EventLog::of_reader(mapping, "log", Cursor::new(text.as_bytes().to_vec()))
}

/// All sessions of a log, and the counts of its records.
fn merged(log: EventLog) -> (Vec<Grouped>, Assembler, RecordCounts) {
    let assembler = log.assembler();
    let Collected { sessions, counts, .. } = collected(log);
    (all(&mut EventSessions::Merged(sessions)).expect("room"), assembler, counts)
}

fn collected(log: EventLog) -> Collected {
    let reader = log.reader(&Alphabet::default(), Arc::default(), false);
    let mut collector = Collector::new(reader, 1 << 20);
    while collector.read().expect("room").is_some() {}
    collector.finish().expect("room")
}

fn all(sessions: &mut EventSessions) -> Result<Vec<Grouped>, LogError> {
    let mut all = Vec::new();
    loop {
        let items = sessions.next_batch(1)?;
        if items.is_empty() {
            return Ok(all);
        }
        for item in items {
            if let EventItem::Sessions { sessions, .. } = item {
                all.extend(sessions);
            }
        }
    }
}

/// Each session as a line.
fn shown(sessions: &[Grouped], assembler: &Assembler) -> Vec<String> {
    let mut session = Session::default();
    let line = |grouped: &Grouped| {
        assembler.assemble(grouped, &Alphabet::default(), &mut session).expect("an order");
        let events = session.foreign.iter().flat_map(|trace| trace.events.iter().cloned());
        let events: Vec<String> = events.collect();
        format!("{} {}", session.id, events.join(" "))
    };
    sessions.iter().map(line).collect()
}

/// Sessions one after the other, of one to four events.
fn in_order() -> String {
    let mut text = String::new();
    for number in 0..40 {
        for event in 0..=number % 4 {
            let (session, at) = (format!("s{number}"), if event == 2 { "b" } else { "a" });
            text += &lines(&[(&session, at, &format!("m{event}"))]);
        }
    }
    text
}

fn streamed(map: &str, text: &str, selection: Selection) -> Result<Streamed, LogError> {
    Streamed::new(of_text(map, text).reader(&Alphabet::default(), Arc::new(selection), true))
}

#[test]
fn sessions_that_follow_one_another_are_those_of_the_whole_log() {
    let (whole, assembler, counts) = merged(of_text(MAP, &in_order()));
    let made = streamed(MAP, &in_order(), Selection::default()).expect("in order");
    let mut made = EventSessions::Streamed(Box::new(made));
    let sessions = all(&mut made).expect("in order");
    assert_eq!(shown(&sessions, &assembler), shown(&whole, &assembler));
    assert_eq!(shown(&sessions, &assembler)[6], "s6 a!m0 a!m1 b!m2");
    assert_eq!(made.counts(), Some(RecordCounts { spilled_bytes: 0, ..counts }));
}

#[test]
fn a_session_that_goes_on_after_another_one_is_told_with_its_place() {
    let text = lines(&[("x", "a", "1"), ("y", "a", "2"), ("x", "a", "3")]);
    let made = streamed(MAP, &text, Selection::default()).expect("no joins");
    let error = all(&mut EventSessions::Streamed(Box::new(made))).expect_err("x goes on");
    assert_eq!(
        error.to_string(),
        "log, line 3: session \"x\" goes on after another one has begun; ‹ungrouped›"
    );
    let joins = format!("{MAP}[[join]]\nfield = \"id\"\n");
    let error = streamed(&joins, &text, Selection::default()).expect_err("joins need all");
    assert!(error.to_string().contains("[[join]]: all records are read before"), "{error}");
}

#[test]
fn sessions_that_the_mapping_leaves_out_are_counted_however_they_are_read() {
    let map = format!("{MAP}[[keep-session]]\nwhen = {{ m = \"m2\" }}\n");
    let (whole, assembler, _) = merged(of_text(&map, &in_order()));
    let expected: Vec<String> =
        (0..40).filter(|it| it % 4 >= 2).map(|it| format!("s{it}")).collect();
    let ids = |of: &[Grouped]| of.iter().map(Grouped::session).collect::<Vec<_>>();
    assert_eq!(ids(&whole), expected);
    let made = streamed(&map, &in_order(), Selection::default()).expect("in order");
    let sessions = all(&mut EventSessions::Streamed(Box::new(made))).expect("in order");
    assert_eq!(shown(&sessions, &assembler), shown(&whole, &assembler));
}

#[test]
fn a_sample_is_drawn_by_its_seed_and_counts_what_it_leaves_out() {
    let (whole, assembler, counts) = merged(of_text(MAP, &in_order()));
    for (most, seed) in [(0, 1), (3, 1), (3, 2), (39, 5), (40, 7), (100, 7)] {
        let collected = collected(of_text(MAP, &in_order()));
        let sessions = EventSessions::Merged(collected.sessions);
        let drawn = Drawn::new(sessions, (most, seed), Some(collected.counts)).expect("room");
        let got = drawn.counts();
        let mut drawn = EventSessions::Drawn(Box::new(drawn));
        assert_eq!(drawn.counts(), Some(got));
        let sample = all(&mut drawn).expect("room");
        // The sessions that the same draw keeps, in their order.
        let mut draw = Draw::new(most, seed);
        for (number, session) in whole.iter().enumerate() {
            drop(draw.add(&session.session(), number));
        }
        let mut kept: Vec<usize> = draw.into_items().collect();
        kept.sort_unstable();
        let lines = shown(&whole, &assembler);
        let expected: Vec<&String> = kept.iter().map(|it| &lines[*it]).collect();
        assert_eq!(shown(&sample, &assembler).iter().collect::<Vec<_>>(), expected);
        let left: u64 = kept.iter().map(|it| (it % 4 + 1) as u64).sum();
        assert_eq!(got.events, left);
        assert_eq!(got.not_selected, counts.events - left);
    }
}

#[test]
fn selected_sessions_count_their_events_and_the_others() {
    for id in ["s6", "s39", "none"] {
        let selection = Selection { only: Some(IdList::one(id)), ..Selection::default() };
        let mut made = EventSessions::Streamed(Box::new(
            streamed(MAP, &in_order(), selection).expect("in order"),
        ));
        let sessions = all(&mut made).expect("in order");
        let counts = made.counts().expect("it is read");
        let own = id.strip_prefix('s').and_then(|it| it.parse::<u64>().ok());
        let own = own.map_or(0, |number| number % 4 + 1);
        assert_eq!((sessions.len() as u64, counts.events), (own.min(1), own));
        assert_eq!(counts.not_selected, 100 - own);
    }
}

#[test]
fn patterns_that_win_no_record_are_counted_if_another_does() {
    let map = format!("[input]\npatterns = ['(?<s>\\w+) (?<a>\\w+) (?<m>\\w+)', 'x', 'y']\n{MAP}");
    for (text, unused) in [("s a m\n", 2), ("s a m\nx\n", 1), ("nothing\n", 0)] {
        let mapping = mapping(&map).with_format(Format::Text);
        let log = EventLog::of_reader(mapping, "log", Cursor::new(text.as_bytes().to_vec()));
        let made = Streamed::new(log.reader(&Alphabet::default(), Arc::default(), true));
        let mut made = EventSessions::Streamed(Box::new(made.expect("no joins")));
        all(&mut made).expect("in order");
        assert_eq!(made.counts().expect("it is read").unused_patterns, unused, "{text}");
    }
}

/// The line of a record is shown if it holds no other one.
#[test]
fn sessions_that_cannot_be_put_together_show_the_line_of_a_record() {
    let map = "[event]\nsession = \"trace_id\"\nlifeline = { text = \"a\" }\ndirection = \"emission\"\n\
               message = \"span.name\"\norder = \"span.start\"\n";
    let span = |name: &str| {
        format!("{{\"traceId\":\"0a\",\"name\":\"{name}\",\"startTimeUnixNano\":\"7\"}}")
    };
    let line = |spans: &[String]| {
        format!(
            "{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{}]}}]}}]}}\n",
            spans.join(",")
        )
    };
    let problem = |text: String| {
        let folder = tempfile::tempdir().expect("a folder");
        let listed = files(folder.path(), &[("spans.json", &text)]);
        let log = EventLog::of_files(mapping(map), listed, "-");
        let (sessions, assembler, _) = merged(log);
        let (alphabet, mut session) = (Alphabet::default(), Session::default());
        let error = assembler.assemble(&sessions[0], &alphabet, &mut session);
        error.expect_err("two events have the same order").problem.to_string()
    };
    let apart = problem(line(&[span("x")]) + &line(&[span("y")]));
    assert!(apart.contains("\n2 | {\"resourceSpans\""), "{apart}");
    let together = problem(line(&[span("x"), span("y")]));
    assert!(
        together.contains("line 1, record 2") && !together.contains("resourceSpans"),
        "{together}"
    );
}

/// The events of the first session of some files, or why it cannot be put together.
fn first_session(map: &str, texts: &[String]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["a.csv", "b.csv", "c.csv"];
    let texts: Vec<(&str, &str)> =
        names.into_iter().zip(texts.iter().map(String::as_str)).collect();
    let log = EventLog::of_files(mapping(map), files(folder.path(), &texts), "-");
    let (sessions, assembler, _) = merged(log);
    let (alphabet, mut session) = (Alphabet::default(), Session::default());
    match assembler.assemble(&sessions[0], &alphabet, &mut session) {
        Ok(_) => session
            .foreign
            .iter()
            .map(|trace| trace.events.join(" "))
            .collect::<Vec<_>>()
            .join(", "),
        Err(error) => error.problem.to_string(),
    }
}

/// Whether the first event of the first session of a file is ordered by its time among those of all logs, and not by its
/// place in the file.
fn is_ordered(map: &str, text: &str) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let listed = files(folder.path(), &[("a.csv", text)]);
    let (sessions, assembler, _) = merged(EventLog::of_files(mapping(map), listed, "-"));
    let (alphabet, mut session) = (Alphabet::default(), Session::default());
    let places = assembler.assemble(&sessions[0], &alphabet, &mut session).expect("a session");
    places.order(0, 0).is_some_and(|order| order.is_time)
}

/// A table of times, lifelines and messages.
fn timed(rows: &[[&str; 3]]) -> String {
    let rows = rows.iter().map(|row| format!("{},s\n", row.join(",")));
    "t,n,m,s\n".to_owned() + &rows.collect::<String>()
}

const TIMED: &str =
    "[event]\nsession = \"s\"\nlifeline = \"n\"\ndirection = \"emission\"\nmessage = \"m\"\n";

#[test]
fn times_without_a_day_sort_nothing() {
    let map = format!("{TIMED}order = {{ field = \"t\", format = \"%H:%M:%S\" }}\n");
    let told = |rows: &[[&str; 3]]| first_session(&map, &[timed(rows)]);
    // A whole day in order, and rows that are a little out of it, or written with the newest one first.
    let day = [["00:00:01", "a", "x"], ["11:00:00", "a", "y"], ["22:00:00", "a", "z"]];
    assert_eq!(told(&day), "a!x a!y a!z");
    let falls = told(&[["12:00:01", "a", "y"], ["12:00:00", "a", "x"]]);
    assert!(
        falls.contains("at a, times have no day, and this one is before the one at"),
        "{falls}"
    );
    assert!(
        falls.contains("a.csv:3:1") && falls.contains("a.csv:2, which stands before it"),
        "{falls}"
    );
    let newest_first = told(&[["00:00:01", "a", "y"], ["23:59:59", "a", "x"]]);
    assert!(newest_first.contains("this one is more than half a day away from"), "{newest_first}");
    let midnight = [["23:59:58", "a", "x"], ["00:00:02", "a", "y"]];
    assert!(
        told(&midnight).contains("another day may have begun between them"),
        "{}",
        told(&midnight)
    );
    // The order of one location says nothing of that of another one.
    assert_eq!(told(&[["23:59:58", "a", "x"], ["00:00:02", "b", "y"]]), "a!x, b!y");
    for (first, is_known) in [("23:59:58", false), ("00:00:01", true)] {
        let rows = timed(&[[first, "a", "x"], ["00:00:02", "b", "y"]]);
        assert_eq!(is_ordered(&map, &rows), is_known, "{first}");
    }
    // Of two files nobody knows which one is of the first day.
    let [first, next] = midnight.map(|row| timed(&[row]));
    for both in [[first.clone(), next.clone()], [next, first]] {
        let told = first_session(&map, &both);
        assert!(told.contains("another day may have begun between them"), "{told}");
    }
    // Nor which of them came first, however near they are.
    let near = ["09:00:00", "09:00:01"].map(|it| timed(&[[it, "a", it]]));
    let told = first_session(&map, &near);
    assert!(told.contains("times have no day, and events come from several files"), "{told}");
    // Where a session ends depends on the times of all of its locations.
    let gap = map.replace("\"s\"", "{ field = \"s\", gap = \"1h\" }");
    let told = first_session(&gap, &[timed(&[["23:59:58", "a", "x"], ["00:00:02", "b", "y"]])]);
    assert!(told.contains("another day may have begun between them"), "{told}");
    // With the day they are in order.
    let map =
        format!("{TIMED}order = {{ field = \"2024-05-{{t}}\", format = \"%Y-%m-%d %H:%M:%S\" }}\n");
    let days = [["02 00:00:02", "a", "y"], ["01 23:59:58", "a", "x"]];
    assert_eq!(first_session(&map, &[timed(&days)]), "a!x a!y");
}

/// Each location is judged by its own kind of times, and no kind is compared with another one.
#[test]
fn times_with_and_without_a_day_are_not_compared() {
    let map = "[event]\nsession = \"s\"\nmessage = \"m\"\nlifeline = \"n\"\ndirection = \"emission\"\n\
               [[rule]]\nwhen = { n = \"a\" }\norder = { field = \"t\", format = \"%H:%M:%S\" }\n\
               [[rule]]\norder = { field = \"2024-05-02 {t}\", format = \"%Y-%m-%d %H:%M:%S\" }\n";
    let of_b = [["23:59:58", "b", "y"], ["00:00:02", "b", "x"]];
    let rows = timed(&[&[["10:00:00", "a", "x"], ["10:00:01", "a", "y"]], &of_b[..]].concat());
    assert_eq!(first_session(map, std::slice::from_ref(&rows)), "a!x a!y, b!x b!y");
    assert!(!is_ordered(map, &rows));
}

#[test]
fn times_without_a_year_are_sorted_within_half_of_it() {
    let map =
        format!("{TIMED}order = {{ field = \"t\", format = \"%m-%d %H:%M\", year = 2024 }}\n");
    let told = |rows: &[[&str; 3]]| first_session(&map, &[timed(rows)]);
    assert_eq!(told(&[["05-02 10:00", "a", "y"], ["05-01 10:00", "a", "x"]]), "a!x a!y");
    for rows in [["12-31 23:59", "01-01 00:01"], ["01-01 00:01", "12-31 23:59"]] {
        let told = told(&rows.map(|it| [it, "a", it]));
        assert!(
            told.contains("times have no year, and this one is more than half a year"),
            "{told}"
        );
    }
}

#[test]
fn the_names_of_tied_roles_do_not_depend_on_the_order_of_the_input() {
    let role = "order = \"t\"\n[[role]]\nlifeline = \"LIFELINE\"\nfield = \"n\"\n";
    for (lifeline, more) in [("first", "when = { m = \"x\" }\n"), ("dn{n}", "most = 3\n")] {
        let map = TIMED.to_owned() + &role.replace("LIFELINE", lifeline) + more;
        let rows = [["1", "n3", "x"], ["1", "n1", "x"], ["1", "n2", "x"]];
        for turn in 0..3 {
            let mut rows = rows;
            rows.rotate_left(turn);
            let told = first_session(&map, &[timed(&rows)]);
            assert!(told.contains("is `n1` or `n2`"), "{told}");
        }
    }
}
