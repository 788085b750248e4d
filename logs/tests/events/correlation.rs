//! Records that others complete: sessions by a second id, and fields of other spans.

use super::common::{Grouped, cases, grouped, mapping};
use multitrace_logs::Format;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const JOINED: &str = r#"
    [event]
    session = "s"
    lifeline = { text = "x" }
    direction = "emission"
    message = "m"

    [[join]]
    lost = "count"
    field = "a"

    [[join]]
    lost = "count"
    field = "b"
"#;

fn join(text: &str, memory: usize) -> Grouped {
    grouped(&mapping(JOINED), text.as_bytes(), Format::JsonLines, memory)
}

/// Each session as a line.
fn lines(made: &Grouped) -> Vec<String> {
    made.sessions
        .iter()
        .map(|(session, events)| format!("{session} {}", events.join(" ")))
        .collect()
}

/// A record: its session and its two ids. Each may be missing.
type Ids = [Option<u8>; 3];

fn line(number: usize, [session, a, b]: Ids) -> String {
    let field = |name: &str, id: Option<u8>| match id {
        None => String::new(),
        Some(id) => format!("\"{name}\":\"{name}{id}\","),
    };
    format!("{{{}{}{}\"m\":\"e{number}\"}}\n", field("s", session), field("a", a), field("b", b))
}

/// The sessions of each id: of the records that have both, and of the ids that belong together by
/// records without a session.
fn sessions_of_ids(records: &[Ids]) -> BTreeMap<(u8, u8), BTreeSet<u8>> {
    let ids = |[_, a, b]: Ids| {
        let (a, b) = (a.map(|a| (0, a)), b.map(|b| (1, b)));
        a.into_iter().chain(b).collect::<Vec<(u8, u8)>>()
    };
    let mut sessions: BTreeMap<(u8, u8), BTreeSet<u8>> = BTreeMap::new();
    for record in records {
        for id in ids(*record) {
            sessions.entry(id).or_default().extend(record[0]);
        }
    }
    loop {
        let before = sessions.clone();
        for record in records.iter().filter(|record| record[0].is_none()) {
            for (one, other) in ids(*record)
                .into_iter()
                .flat_map(|one| ids(*record).into_iter().map(move |other| (one, other)))
            {
                // An id with a session of its own keeps it.
                let of_other = before.get(&other).cloned().unwrap_or_default();
                sessions.entry(one).or_default().extend(of_other);
            }
        }
        if sessions == before {
            return sessions;
        }
    }
}

proptest! {
    #![proptest_config(cases(300))]

    /// Where no id has two sessions, each record is in the session that its ids lead to.
    #[test]
    fn joins_are_those_of_a_closure(
        records in prop::collection::vec(
            [
                prop::option::weighted(0.4, 0_u8..4),
                prop::option::weighted(0.6, 0_u8..6),
                prop::option::weighted(0.6, 0_u8..6),
            ],
            1..30,
        ),
        memory in prop::sample::select(vec![0_usize, 200, 1 << 20]),
    ) {
        let text: String =
            records.iter().enumerate().map(|(number, record)| line(number, *record)).collect();
        let made = join(&text, memory);
        let sessions = sessions_of_ids(&records);
        let mut expected: Vec<(u8, Vec<String>)> = Vec::new();
        let (mut is_clear, mut lost, mut broken) = (true, 0_u64, 0_usize);
        for (number, [session, a, b]) in records.iter().enumerate() {
            let first = a.map(|a| (0, a)).or(b.map(|b| (1, b)));
            let session = match (session, first) {
                (Some(session), _) => Some(*session),
                (None, None) => { broken += 1; None }
                (None, Some(id)) => {
                    is_clear &= sessions[&id].len() < 2;
                    let session = sessions[&id].first().copied();
                    lost += u64::from(session.is_none());
                    session
                }
            };
            let Some(session) = session else { continue };
            let event = format!("x!e{number}");
            match expected.iter_mut().find(|(other, _)| *other == session) {
                Some((_, events)) => events.push(event),
                None => expected.push((session, vec![event])),
            }
        }
        if is_clear {
            let expected: Vec<String> = expected
                .into_iter()
                .map(|(session, events)| format!("s{session} {}", events.join(" ")))
                .collect();
            prop_assert_eq!(lines(&made), expected, "of {}", text);
            prop_assert_eq!(made.counts.without_session, lost);
            prop_assert_eq!(made.problems.len(), broken, "{:?}", made.problems);
        } else {
            let told = sessions.iter().filter(|(id, of)| {
                let waits = |[session, a, b]: &Ids| {
                    let first = a.map(|a| (0, a)).or(b.map(|b| (1, b)));
                    session.is_none() && first == Some(**id)
                };
                of.len() > 1 && records.iter().any(waits)
            });
            let told: Vec<_> = told.collect();
            prop_assert_eq!(made.problems.len(), broken + told.len(), "each id once: {}", text);
            let damaged: BTreeSet<String> =
                told.iter().flat_map(|(_, of)| of.iter().map(|s| format!("s{s}"))).collect();
            let marked: BTreeSet<String> = made.damaged.iter().cloned().collect();
            prop_assert!(damaged.is_subset(&marked), "{:?} of {:?} in {}", marked, damaged, text);
        }
    }
}

#[test]
fn an_id_of_two_sessions_is_reported_with_both_places() {
    let text = "{\"s\":\"one\",\"a\":\"r\",\"m\":\"x\"}\n{\"s\":\"two\",\"a\":\"r\",\"m\":\"x\"}\n";
    assert_eq!(join(text, 1 << 20).problems, Vec::<String>::new(), "nobody needs it");
    let made = join(&format!("{text}{{\"a\":\"r\",\"m\":\"y\"}}\n"), 1 << 20);
    let expected = "error: `r`, which is `a` of map.toml:8, belongs to session \"one\" (log:1) and to \
                    session \"two\" (log:2)\n --> log, line 3\n  = help: let `when` of [[join]] leave \
                    records out that belong to nobody or to several, or join by another field";
    assert_eq!(made.problems, [expected]);
    assert_eq!(lines(&made), ["one x!x", "two x!x"]);
    assert_eq!(made.damaged, ["one", "two"], "both may miss the record");
}

const RELATED: &str = r#"
    [spans]
    session = "t"
    lifeline = "service"
    kind = "kind"
    id = "id"
    parent = "parent"
    start = "at"
    end = "end"
    message = ["{callee.name}<{parent.name}", "{callee.name}", "{name}"]
    returns = ["{peer.service}:{callee.service}-{caller.service}", { text = "alone" }]
"#;

/// A span: trace, id, parent, kind, start.
type Span = (u8, u8, Option<u8>, usize, u8);

const KINDS: [&str; 5] = ["client", "SERVER", "producer", "consumer", "internal"];

fn span_line(number: usize, (trace, id, parent, kind, at): Span) -> String {
    let parent = parent.map_or(String::new(), |parent| format!("\"parent\":\"{parent}\","));
    format!(
        "{{\"t\":\"t{trace}\",\"id\":\"{id}\",{parent}\"kind\":\"{}\",\"at\":{},\"end\":{},\
         \"service\":\"s{number}\",\"name\":\"n{number}\"}}\n",
        KINDS[kind],
        u64::from(at) * 1000 + number as u64,
        1_000_000 + number as u64,
    )
}

/// The spans of others, found by looking at all of them.
struct Naive<'s>(&'s [Span]);

impl Naive<'_> {
    fn find(&self, of: usize, is_it: impl Fn(&Span) -> bool) -> Option<usize> {
        let mut others: Vec<usize> = (0..self.0.len()).collect();
        others.sort_by_key(|other| (self.0[*other].4, *other));
        let same_trace = |other: &usize| self.0[*other].0 == self.0[of].0 && *other != of;
        others.into_iter().filter(same_trace).find(|other| is_it(&self.0[*other]))
    }

    fn parent(&self, of: usize) -> Option<usize> {
        let parent = self.0[of].2?;
        let is_called = |other: &Span| other.1 == parent && (other.3 == 1 || other.3 == 3);
        self.find(of, is_called).or_else(|| self.find(of, |other| other.1 == parent))
    }

    fn peer(&self, of: usize) -> Option<usize> {
        let (_, id, parent, kind, _) = self.0[of];
        let calls = |kind: usize| kind == 0 || kind == 2;
        let called = |kind: usize| kind == 1 || kind == 3;
        let opposite = |other: &Span| {
            if calls(kind) { called(other.3) } else { called(kind) && calls(other.3) }
        };
        let shared = self.find(of, |other| other.1 == id && opposite(other));
        shared.or_else(|| {
            self.find(of, |other| match calls(kind) {
                true => other.2 == Some(id) && opposite(other),
                false => parent == Some(other.1) && opposite(other),
            })
        })
    }

    fn events(&self, of: usize) -> Vec<String> {
        let kind = self.0[of].3;
        if kind == 4 {
            return Vec::new();
        }
        let calls = kind == 0 || kind == 2;
        let peer = self.peer(of);
        let (caller, callee) = if calls { (Some(of), peer) } else { (peer, Some(of)) };
        let message = match (callee, self.parent(of)) {
            (Some(callee), Some(parent)) => format!("n{callee}<n{parent}"),
            (Some(callee), None) => format!("n{callee}"),
            (None, _) => format!("n{of}"),
        };
        let mark = if calls { '!' } else { '?' };
        let mut events = vec![format!("s{of}{mark}{message}")];
        if kind < 2 {
            let text = match (peer, callee, caller) {
                (Some(peer), Some(callee), Some(caller)) => format!("s{peer}:s{callee}-s{caller}"),
                _ => "alone".to_owned(),
            };
            events.push(format!("s{of}{}{text}", if calls { '?' } else { '!' }));
        }
        events
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn spans_see_the_same_others_as_a_naive_search(
        spans in prop::collection::vec(
            (0_u8..3, 0_u8..8, prop::option::weighted(0.7, 0_u8..8), 0_usize..5, 0_u8..3),
            1..20,
        ),
        memory in prop::sample::select(vec![0_usize, 1 << 20]),
    ) {
        let text: String =
            spans.iter().enumerate().map(|(number, span)| span_line(number, *span)).collect();
        let made = grouped(&mapping(RELATED), text.as_bytes(), Format::JsonLines, memory);
        let naive = Naive(&spans);
        let mut expected: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (of, span) in spans.iter().enumerate() {
            let events = naive.events(of);
            if !events.is_empty() {
                expected.entry(format!("t{}", span.0)).or_default().extend(events);
            }
        }
        let shown = |(session, events): &(String, Vec<String>)| {
            (session.clone(), events.iter().cloned().collect())
        };
        let shown: BTreeMap<String, BTreeSet<String>> = made.sessions.iter().map(shown).collect();
        prop_assert_eq!(shown, expected, "of {}", text);
        prop_assert!(made.problems.is_empty(), "{:?}", made.problems);
        prop_assert_eq!(made.counts.records, spans.len() as u64);
    }
}

#[test]
fn a_field_of_the_record_itself_counts_before_that_of_another() {
    let text = "{\"t\":\"1\",\"id\":\"a\",\"kind\":\"client\",\"at\":1,\"end\":4,\"service\":\"f\",\
                \"name\":\"get\",\"callee\":{\"name\":\"own\"}}\n\
                {\"t\":\"1\",\"id\":\"b\",\"parent\":\"a\",\"kind\":\"server\",\"at\":2,\"end\":3,\
                \"service\":\"g\",\"name\":\"items\"}\n";
    let made = grouped(&mapping(RELATED), text.as_bytes(), Format::JsonLines, 1 << 20);
    assert_eq!(lines(&made), ["1 f!own f?g:g-f g?items<get g!f:g-f"]);
}

const SPANS_OF_TABLE: &str = r#"
    [spans]
    session = "t"
    id = "id"
    parent = "parent"
    kind = "kind"
    start = "at"
    end = "end"
    lifeline = "service"
    message = ["{callee.e|json.n}", "name"]
"#;

/// Nobody knows what damaged JSON of another record holds, and no other entry of a list takes its place.
#[test]
fn damaged_json_of_another_record_is_an_error_where_it_is_asked_for() {
    let spans = "t,id,parent,kind,at,end,service,name,e\n\
                 t1,1,,client,1,9,f,get,{}\n\
                 t1,2,1,server,2,8,g,get,\"{\"\"n\"\":\"\"get\"\"\"\n";
    let made = grouped(&mapping(SPANS_OF_TABLE), spans.as_bytes(), Format::Csv, 1 << 20);
    let told = "the JSON that holds `callee.e|json.n` is cut off";
    assert!(
        made.problems.len() == 2 && made.problems.iter().all(|it| it.contains(told)),
        "{:?}",
        made.problems
    );
    assert_eq!(made.damaged, ["t1"]);
    let replies = r#"
        [event]
        session = { text = "s" }
        lifeline = "at"
        direction = { field = "dir", emission = "out", reception = "in" }
        message = ["{method}", "{request.e|json.n} done", "done"]
        reply-to = { request = "id", response = "id" }
    "#;
    let lines = r#"{"at":"a","dir":"out","id":1,"method":"open","e":"{\"n\":\"x\""}
{"at":"a","dir":"in","id":1}
"#;
    let made = grouped(&mapping(replies), lines.as_bytes(), Format::JsonLines, 1 << 20);
    let told = "the JSON that holds `request.e|json.n` is cut off";
    assert!(made.problems.len() == 1 && made.problems[0].contains(told), "{:?}", made.problems);
    assert_eq!((made.damaged, made.counts.unanswered), (vec!["s".to_owned()], 0));
}

/// Records that wait for others do not lose that their table lacks a column.
#[test]
fn columns_are_lacking_for_records_that_wait_for_others() {
    let map = mapping(&format!("{SPANS_OF_TABLE}[[drop]]\nwhen = {{ k = {{ not = \"1\" }} }}\n"));
    let spans = "t,id,parent,kind,at,end,service,name,e\n\
                 t1,1,,client,1,9,f,get,{}\nt1,2,1,server,2,8,g,get,{}\n";
    let made = grouped(&map, spans.as_bytes(), Format::Csv, 1 << 20);
    assert_eq!((made.problems.len(), made.counts.dropped), (2, 0), "{:?}", made.problems);
    assert!(made.problems[0].contains("the table has no column `k`"), "{:?}", made.problems);
}

/// An id of three sessions leaves none of them unmarked.
#[test]
fn all_sessions_of_an_id_may_miss_its_records() {
    let of = |session: &str| format!("{{\"s\":\"{session}\",\"a\":\"r\",\"m\":\"x\"}}\n");
    let text = ["one", "two", "three"].map(of).concat() + "{\"a\":\"r\",\"m\":\"y\"}\n";
    let made = join(&text, 1 << 20);
    assert_eq!(made.damaged, ["one", "two", "three"]);
    assert_eq!(made.problems.len(), 1);
    assert!(made.problems[0].contains("(log:2), and to 1 more"), "{}", made.problems[0]);
}

/// A chain of ids takes time that grows with it, and not with its square.
#[test]
fn long_chains_are_joined() {
    let link = |n: u32| {
        format!("{{\"a\":{n},\"b\":{n},\"m\":\"x\"}}\n{{\"a\":{},\"b\":{n},\"m\":\"y\"}}\n", n + 1)
    };
    let chain: String = (0..20_000).map(link).collect();
    let made = join(&(chain + "{\"s\":\"s\",\"a\":0,\"m\":\"z\"}\n"), 1 << 20);
    assert_eq!((made.sessions.len(), made.sessions[0].1.len()), (1, 40_001));
    assert_eq!(made.counts.joined, 40_000);
}

/// As many spans with one id as there are take no time that grows with their square.
#[test]
fn spans_with_one_id_are_related() {
    let spans: String = (0..40_000).map(|n| span_line(n, (0, 1, None, 0, 0))).collect();
    let made = grouped(&mapping(RELATED), spans.as_bytes(), Format::JsonLines, 1 << 26);
    assert_eq!(made.sessions[0].1.len(), 80_000);
}

/// Rules of one's own need no kind to ask for the parent.
#[test]
fn a_parent_needs_no_kind() {
    let map = r#"
        [event]
        session = "t"
        [spans]
        session = "t"
        id = "id"
        parent = "parent"
        start = "at"
        end = "at"
        [[rule]]
        actions = [{ action = "{name}!{name}", order = "at" }]
        when = { parent.name = { exists = false } }
        [[rule]]
        actions = [{ action = "{name}!{parent.name}", order = "at" }]
    "#;
    let text = "t,id,parent,at,name\n1,a,,1,root\n1,b,a,2,child\n";
    let made = grouped(&mapping(map), text.as_bytes(), Format::Csv, 1 << 20);
    assert_eq!(lines(&made), ["1 root!root child!root"], "{:?}", made.problems);
}

/// Of spans that begin at one time, no order of a file tells which one was first: what they agree on is known.
#[test]
fn callees_that_begin_at_one_time_are_known_as_far_as_they_agree() {
    let header = "t,id,parent,kind,at,end,service,name\n";
    let callees = ["t,2,1,server,2,8,g,get\n", "t,3,1,server,2,7,h,get\n"];
    let asks = |field: &str| {
        let map = RELATED.lines().filter(|line| !line.contains("returns"));
        let map: String = map.map(|line| format!("{line}\n")).collect();
        mapping(&map.replace("\"{callee.name}<{parent.name}\", \"{callee.name}\"", field))
    };
    for order in [[0, 1], [1, 0]] {
        let text =
            format!("{header}t,1,,client,1,9,f,call\n{}{}", callees[order[0]], callees[order[1]]);
        let made = |field| grouped(&asks(field), text.as_bytes(), Format::Csv, 1 << 20);
        let agreed = made("\"{callee.name}\"");
        assert!(lines(&agreed)[0].starts_with("t f!get "), "{:?}", agreed.problems);
        let differing = made("\"{callee.service}\"");
        let told = "`callee.service` may be that of several records, which differ in it";
        assert!(differing.problems.len() == 1 && differing.problems[0].contains(told));
        assert_eq!(differing.damaged, ["t"]);
        let later = text.replace(",2,8,g", ",3,8,g");
        let made = grouped(&asks("\"{callee.service}\""), later.as_bytes(), Format::Csv, 1 << 20);
        assert!(lines(&made)[0].starts_with("t f!h "), "{:?}", made.problems);
    }
}

/// A filter of sessions means those of the events, not those that `[event]` would give.
#[test]
fn sessions_are_kept_by_their_events() {
    let map = r#"
        [event]
        session = "s"
        lifeline = { text = "x" }
        direction = "emission"
        message = "m"
        [[keep-session]]
        when = { m = "lead" }
        [[rule]]
        session = "t"
        when = { t = { exists = true } }
    "#;
    let text = "{\"t\":\"1\",\"s\":\"2\",\"m\":\"lead\"}\n{\"s\":\"1\",\"m\":\"a\"}\n{\"s\":\"2\",\"m\":\"b\"}\n";
    let made = grouped(&mapping(map), text.as_bytes(), Format::JsonLines, 1 << 20);
    assert_eq!(lines(&made), ["1 x!lead x!a"]);
}

/// A record whose role cannot be told is missing in the session of its rule.
#[test]
fn a_record_without_its_role_damages_the_session_of_its_rule() {
    let map = r#"
        [event]
        session = "s"
        [[role]]
        lifeline = "boss"
        field = "who"
        when = { m = "lead" }
        [[rule]]
        session = "t"
        lifeline = "who"
        direction = "emission"
        message = "m"
    "#;
    let text =
        "{\"t\":\"1\",\"who\":\"a\",\"m\":\"lead\"}\n{\"t\":\"1\",\"who\":\"b\",\"m\":\"x\"}\n";
    let made = grouped(&mapping(map), text.as_bytes(), Format::JsonLines, 1 << 20);
    assert_eq!((made.problems.len(), made.damaged), (1, vec!["1".to_owned()]));
}
