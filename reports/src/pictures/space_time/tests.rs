//! Tests of space-time diagrams.

use super::*;
use crate::explanation::Explanation;
use crate::finding::Finding;
use crate::pictures::MessagePairs;
use crate::pictures::checks::{check_layout, check_svg};
use crate::pictures::measure::{cells, pixels};
use crate::repair_view::RepairView;
use crate::session_names::SessionNames;
use crate::timeline::{Timeline, Window};
use crate::view::View;
use multitrace_formats::diagram::{self, DiagramOptions, in_markdown};
use multitrace_formats::place::Place;
use multitrace_formats::remedy::Words;
use multitrace_formats::{hif, source::Source};
use multitrace_interaction::{
    Alphabet, Cause, Edit, EditKind, Failure, Frontier, FrontierEntry, LetterId, LocalFailure,
    Locations, Repair, Session, UnknownEvent, Verdict, Witness, WitnessStep,
};
use proptest::prelude::*;

struct Shown {
    alphabet: Alphabet,
    pairs: MessagePairs,
    explanation: Explanation,
    timeline: Timeline,
    findings: Vec<Finding>,
    repair: Option<RepairView>,
    witness: Option<Witness>,
}

/// A session over a specification. Each log is a location's, its events by name.
fn shown(
    spec: &str,
    logs: &[(&str, &[&str])],
    causes: &dyn Fn(&Alphabet) -> Vec<Cause>,
    edits: &dyn Fn(&Alphabet) -> Vec<Edit>,
) -> Shown {
    let spec = hif::parse(&Source::new("f", spec), None).expect("an interaction");
    let locations = Locations::discrete(&spec.signature);
    let alphabet = Alphabet::of_actions(&spec.signature, &locations, spec.interaction.actions());
    let mut session = Session { id: "s1".to_owned(), ..Session::default() };
    session.trace = vec![Vec::new(); locations.len()];
    for (name, events) in logs {
        let Some(location) = alphabet.locations().find(|&it| alphabet.location_name(it) == *name)
        else {
            continue;
        };
        let location = multitrace_interaction::Id::index(location);
        for (index, text) in events.iter().enumerate() {
            let letter = alphabet.letter(text).unwrap_or(LetterId::UNKNOWN);
            session.trace[location].push(letter);
            if letter == LetterId::UNKNOWN {
                let text = (*text).to_owned();
                session.unknown.push(UnknownEvent { location, index, text });
            }
        }
    }
    session.unknown.sort_by_key(|it| (it.location, it.index));
    let causes = causes(&alphabet);
    let verdict = match causes.is_empty() {
        true => Verdict::Pass,
        false => Verdict::Fail(Failure { causes, omitted: 0 }),
    };
    let names = SessionNames { session: &session, alphabet: &alphabet };
    let findings = Finding::of(&verdict, &names);
    let nowhere: Option<Place> = None;
    let explanation = Explanation::new(&names, (&[], &findings), &nowhere, &View::WHOLE);
    let timeline = Timeline::new(&explanation, &nowhere, Window::Full);
    let edits = edits(&alphabet);
    let distance = edits.len() as u64;
    let repair = Repair { distance, exact: true, worst: None, edits, faults: Vec::new() };
    let repair = (distance > 0).then(|| RepairView::new(&repair, &names, &nowhere, &View::WHOLE));
    let pairs = MessagePairs::new(&spec.interaction, &spec.signature);
    Shown { alphabet, pairs, explanation, timeline, findings, repair, witness: None }
}

fn letter(alphabet: &Alphabet, name: &str) -> LetterId {
    alphabet.letter(name).unwrap_or(LetterId::UNKNOWN)
}

fn impossible(
    alphabet: &Alphabet,
    location: &str,
    index: usize,
    event: &str,
    expected: &str,
) -> Cause {
    Cause::Local(LocalFailure {
        location: alphabet.location(location).expect("a location"),
        index,
        event: Some(letter(alphabet, event)),
        expected: vec![letter(alphabet, expected)],
    })
}

fn edit(alphabet: &Alphabet, location: &str, index: usize, action: &str, kind: EditKind) -> Edit {
    let location = alphabet.location(location).expect("a location");
    Edit { location, index, letter: letter(alphabet, action), kind }
}

/// No causes, or no edits.
fn none<T>(_: &Alphabet) -> Vec<T> {
    Vec::new()
}

impl Shown {
    fn session(&self) -> SpaceTime<'_> {
        SpaceTime {
            words: Words::default(),
            explanation: &self.explanation,
            timeline: &self.timeline,
            findings: &self.findings,
            evidence: &self.findings,
            repair: self.repair.as_ref(),
            witness: self.witness.as_ref().map(|it| (it, &self.alphabet)),
            pairs: &self.pairs,
            cut: Cut::around(3),
            title: "",
        }
    }

    fn text(&self) -> String {
        format!("\n{}", space_time_text(&self.session(), 80, Paint::PLAIN))
    }

    fn check(&self) {
        let session = self.session();
        let story = Story::new(&session);
        let mut place = vec![0; story.events.len()];
        story.order.iter().enumerate().for_each(|(at, &event)| place[event] = at);
        for (target, source) in story.sources.iter().enumerate() {
            assert!(
                source.is_none_or(|it| place[it] < place[target]),
                "a message goes back in time"
            );
        }
        let (scene, words) = (Scene::new(&session), Words::default());
        assert!(scene.is_whole());
        let again = serde_json::from_str(&serde_json::to_string(&scene).expect("JSON"));
        assert_eq!(scene, again.expect("a scene"));
        let drawing = layout::draw(&scene, words, &Metrics::PIXELS, NOTE_WIDTH);
        check_layout(&drawing, pixels, Metrics::PIXELS.line);
        check_layout(&layout::draw(&scene, words, &Metrics::CELLS, 60), cells, 1);
        let svg = space_time_svg(&session, SvgOptions::default());
        check_svg(&svg);
        assert_eq!(svg, space_time_svg(&session, SvgOptions::default()));
    }
}

const SPEC: &str = "seq(a -- m -> b, b -- n -> c, c -- r -> a)";

/// The reception of `n` is missing, and `c` logs something twice.
fn failing() -> Shown {
    let logs: &[(&str, &[&str])] =
        &[("a", &["a!m", "a?r"]), ("b", &["b?m", "b!n"]), ("c", &["c!r", "c!r"])];
    let edits = |alphabet: &Alphabet| {
        let inserted = edit(alphabet, "c", 0, "c?n", EditKind::Insert);
        vec![inserted, edit(alphabet, "c", 1, "c!r", EditKind::Delete)]
    };
    shown(SPEC, logs, &|alphabet| vec![impossible(alphabet, "c", 0, "c!r", "c?n")], &edits)
}

#[test]
fn a_failure_with_its_repair() {
    let expected = "
     ┌─────┐ ┌─────┐ ┌─────┐
     │  a  │ │  b  │ │  c  │
     └─────┘ └─────┘ └─────┘
    !m  ●       │       │
        ├──────►● ?m    │
        │   !n  ●       │
        │       ├╌╌╌╌╌╌►○ + ?n
        │       │       ◆ !r
  MT101 an event is impossible where it stands in its log; possible there: c?n
    ?r  ●◄──────┼───────┤
        │       │       ✗ !r
        ╵       ╵       ╵
";
    assert_eq!(failing().text(), expected);
    failing().check();
}

#[test]
fn mermaid_has_arrows_and_notes() {
    let expected = "\
sequenceDiagram
    participant p0 as a
    participant p1 as b
    participant p2 as c
    p0->>p1: m
    p1-->>p2: not received: n
    Note over p2: !r: MT101 an event is impossible where it stands in its log#59; possible there: c?n
    p2->>p0: r
    Note over p2: too much: !r
";
    assert_eq!(space_time_mermaid(&failing().session()), expected);
}

#[test]
fn shiviz_has_vector_clocks() {
    let expected = "\
a {\"a\":1} a!m
b {\"a\":1,\"b\":1} b?m
b {\"a\":1,\"b\":2} b!n
c {\"c\":1} c!r [MT101]
a {\"a\":2,\"c\":1} a?r
c {\"c\":2} c!r
";
    assert_eq!(space_time_shiviz(&failing().session()), expected);
}

#[test]
fn a_witness_orders_the_events_of_a_pass() {
    let logs: &[(&str, &[&str])] =
        &[("a", &["a!m", "a?r"]), ("b", &["b?m", "b!n"]), ("c", &["c?n", "c!r"])];
    let mut pass = shown(SPEC, logs, &none, &none);
    let step = |name| WitnessStep {
        letter: pass.alphabet.letter(name).expect("a letter"),
        observed: true,
    };
    let steps = ["a!m", "b?m", "b!n", "c?n", "c!r", "a?r"].map(step).to_vec();
    pass.witness = Some(Witness { steps });
    pass.check();
    let expected = "
     ┌─────┐ ┌─────┐ ┌─────┐
     │  a  │ │  b  │ │  c  │
     └─────┘ └─────┘ └─────┘
    !m  ●       │       │
        ├──────►● ?m    │
        │   !n  ●       │
        │       ├──────►● ?n
        │       │       ● !r
    ?r  ●◄──────┼───────┤
        ╵       ╵       ╵
";
    assert_eq!(pass.text(), expected);
}

#[test]
fn long_sessions_are_cut_around_what_is_wrong() {
    let mut events = vec!["a!m"; 200];
    events[100] = "a!x";
    let causes = |alphabet: &Alphabet| vec![impossible(alphabet, "a", 100, "a!x", "a!m")];
    let long = shown("seq(loopS(a -- m -> b), a -- x ->|)", &[("a", &events)], &causes, &none);
    let text = long.text();
    assert!(text.contains("… 97 events") && text.contains("… 96 events"), "{text}");
    assert!(text.lines().count() < 20, "{text}");
    long.check();
    let pass = shown("loopS(a -- m -> b)", &[("a", &["a!m"; 200])], &none, &none);
    assert!(pass.text().contains("… 140 events"));
    let many = shown("loopS(a -- m -> b)", &[("a", &["a!m"; 100_000])], &none, &none);
    let whole = SpaceTime { cut: Cut::around(usize::MAX), ..many.session() };
    let svg = space_time_svg(&whole, SvgOptions::default());
    assert!(svg.len() < 1_000_000 && svg.contains("… 98000 events"), "{}", svg.len());
}

/// Two locations send the same message to one receiver, and the one that comes first in the specification
/// sends it later.
#[test]
fn a_reception_is_of_what_was_emitted_before() {
    let spec = "seq(par(a -- m -> c, b -- m -> c), c -- n -> a, a -- m -> c)";
    let logs: &[(&str, &[&str])] =
        &[("a", &["a?n", "a!m"]), ("b", &["b!m"]), ("c", &["c?m", "c!n", "c?m"])];
    let session = shown(spec, logs, &none, &none);
    session.check();
    let expected = "
     ┌─────┐ ┌─────┐ ┌─────┐
     │  a  │ │  c  │ │  b  │
     └─────┘ └─────┘ └─────┘
        │       │       ● !m
        │   ?m  ●◄──────┤
        │       ● !n    │
    ?n  ●◄──────┤       │
    !m  ●       │       │
        ├──────►● ?m    │
        ╵       ╵       ╵
";
    assert_eq!(session.text(), expected);
}

#[test]
fn circles_are_drawn_all_the_same() {
    let logs: &[(&str, &[&str])] = &[("a", &["a?n", "a!m"]), ("b", &["b?m", "b!n"])];
    let causes = |alphabet: &Alphabet| {
        let entry = |event: &str| FrontierEntry {
            explained: 0,
            index: 0,
            length: 2,
            event: Some(letter(alphabet, event)),
            expected: Vec::new(),
        };
        let locations = vec![entry("a?n"), entry("b?m")];
        vec![Cause::Central(Frontier { locations, complete: true, ..Frontier::default() })]
    };
    let circle = shown("par(a -- m -> b, b -- n -> a)", logs, &causes, &none);
    circle.check();
    assert_eq!(circle.text().matches("MT301").count(), 2, "{}", circle.text());
    assert_eq!(space_time_shiviz(&circle.session()).lines().count(), 4);
}

/// The errors of our own parser of Mermaid, which is as strict as Mermaid, in a text.
fn mermaid_errors(text: &str) -> Vec<String> {
    let page = format!("```mermaid\n{text}```\n");
    let source = Source::new("f.md", page.clone());
    let no_files = |_: &str| Err(diagram::IncludeError::NoFolder);
    let found = &in_markdown(&page)[0];
    let error = diagram::read(&source, found, &DiagramOptions::default(), &no_files).err();
    error.map_or(Vec::new(), |error| error.lines().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn anything_can_be_drawn(
        logs in proptest::collection::vec(
            proptest::collection::vec(prop_oneof!["[abc][!?][mnr]", "\\PC{0,70}", ".{0,9}"], 0..30), 3..4),
        at in 0usize..40,
        edits in proptest::collection::vec((0usize..3, 0usize..40, any::<bool>()), 0..6),
    ) {
        let names = ["a", "b", "c"];
        let texts: Vec<Vec<&str>> =
            logs.iter().map(|log| log.iter().map(String::as_str).collect()).collect();
        let logs: Vec<(&str, &[&str])> =
            names.iter().zip(&texts).map(|(&name, log)| (name, &log[..])).collect();
        let edits = |alphabet: &Alphabet| {
            let edit = |&(lane, index, is_insert): &(usize, usize, bool)| {
                let kind = if is_insert { EditKind::Insert } else { EditKind::Delete };
                edit(alphabet, names[lane], index, "a!m", kind)
            };
            let mut edits: Vec<Edit> = edits.iter().map(edit).collect();
            edits.sort_by_key(|it| (it.location, it.index));
            edits
        };
        let causes = |alphabet: &Alphabet| vec![impossible(alphabet, "b", at, "b!n", "b?m")];
        let shown = shown(SPEC, &logs, &causes, &edits);
        shown.check();
        let title = texts[0].first().copied().unwrap_or_default();
        let session = SpaceTime { title, ..shown.session() };
        let lines = space_time_shiviz(&session).lines().count();
        prop_assert_eq!(lines, texts.iter().map(Vec::len).sum::<usize>());
        let mermaid = space_time_mermaid(&session);
        prop_assert!(mermaid.lines().skip(3).all(|line| !line.contains(['<', '"'])));
        prop_assert_eq!(mermaid_errors(&mermaid), Vec::<String>::new());
        prop_assert!(space_time_text(&session, 30, Paint::PLAIN).lines().all(|it| cells(it) <= 30));
    }
}
