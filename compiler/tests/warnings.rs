//! Warnings of specifications: each kind is given where it should be, is not given where it should not,
//! and a comment silences it.

use multitrace_compiler::{WrittenSpec, automaton_warnings, interaction_warnings};
use multitrace_formats::hif::{self, ParsedSpec};
use multitrace_formats::open::UnloggedEvents;
use multitrace_formats::source::Source;
use multitrace_formats::timbuk;
use multitrace_formats::warning::{Warning, WarningCode};
use multitrace_interaction::Locations;
use multitrace_interaction::generate::{RandomInteractions, Shape};
use std::fmt::Write;
use std::time::{Duration, Instant};

fn parsed(text: &str) -> ParsedSpec {
    hif::parse(&Source::new("f", text), None).unwrap_or_else(|error| panic!("{error}"))
}

fn warnings_at(text: &str, parsed: &ParsedSpec, locations: &Locations) -> Vec<Warning> {
    let spec = WrittenSpec { parsed, text, locations, diagram: None, is_declared: false };
    interaction_warnings(&spec)
}

fn warnings(text: &str) -> Vec<Warning> {
    let parsed = parsed(text);
    warnings_at(text, &parsed, &Locations::discrete(&parsed.signature))
}

/// The code of each warning, with the text that its caret marks.
fn marked(text: &str) -> Vec<String> {
    let shown = |it: &Warning| format!("{} {}", it.code.name(), &text[it.span.start..it.span.end]);
    let mut marked: Vec<String> = warnings(text).iter().map(shown).collect();
    marked.sort();
    marked
}

/// Warns of this alone, and not with a comment that allows it: on top, before the line, behind it.
fn gives(text: &str, expected: &str) {
    assert_eq!(marked(text), [expected], "{text}");
    let code = &expected[..5];
    let allow = format!("// multitrace: allow {code}");
    let other = if code == "MT609" { "MT601" } else { "MT609" };
    for silent in [
        format!("{allow}\n{text}"),
        format!("seq(o,\n{allow}\n{text})"),
        format!("seq(o,\n{text}) {allow}"),
    ] {
        assert_eq!(marked(&silent), [""; 0], "{silent}");
        let loud = silent.replace(code, other);
        assert_eq!(marked(&loud).len(), 1, "{loud}");
    }
}

fn gives_nothing(text: &str) {
    assert_eq!(marked(text), [""; 0], "{text}");
}

#[test]
fn a_name_that_is_a_slip() {
    gives("seq(client -- req -> server, server -- resp -> clinet)", "MT601 clinet");
    gives(
        "seq(a -- request -> b, b -- ok -> a, a -- request -> b, b -- ok -> a, a -- reqest -> b)",
        "MT601 reqest",
    );
    // The first use may be the slip, if the other name occurs more often.
    gives(
        "seq(clinet -- req -> server, server -- resp -> client, client -- more -> server)",
        "MT601 clinet",
    );
    // Of several names that are close, the one that occurs most often, and of those the first.
    let close = "seq(clisnt -- a -> s, clisnt -- b -> s, cliemt -- c -> s, cliemt -- d -> s, client -- e -> s";
    let slip = |text: &str| {
        let found = warnings(text);
        let slip = found.iter().find(|it| it.code == WarningCode::SimilarName);
        slip.expect("a slip").message.clone()
    };
    assert!(slip(&format!("{close})")).ends_with("is it `clisnt`?"));
    assert!(slip(&format!("{close}, cliemt -- f -> s)")).ends_with("is it `cliemt`?"));
    gives("seq(a -- Ping -> b, b -- ok -> a, a -- ping -> b)", "MT601 ping");
    gives_nothing("seq(n1 -- m -> n2, n2 -- m -> n3, n3 -- m -> n11)");
    gives_nothing("seq(shop -- charge -> bank, bank -- charged -> shop)");
    gives_nothing("seq(a -- get -> b, b -- ok -> a, a -- get -> b, b -- ok -> a, a -- set -> b)");
    // Of messages that occur once, either may be meant.
    gives_nothing("seq(a -- request -> b, b -- reqest -> a)");
    // Twice is not a slip.
    gives_nothing(
        "seq(client -- a -> server, server -- b -> clinet, clinet -- c -> server, server -- d -> client)",
    );
}

#[test]
fn a_declared_name_is_no_slip() {
    let text = "seq(client -- req -> server, server -- resp -> clinet)";
    let parsed = parsed(text);
    let locations = Locations::discrete(&parsed.signature);
    let (parsed, locations, diagram) = (&parsed, &locations, None);
    let spec = WrittenSpec { parsed, text, locations, diagram, is_declared: true };
    assert_eq!(interaction_warnings(&spec), []);
}

#[test]
fn a_message_with_the_name_of_a_lifeline() {
    gives("seq(a -- m -> client, client -> server)", "MT602 client");
    gives("seq(a -- b -> b, b -- n -> a)", "MT602 b");
    gives_nothing("seq(post -> routing, routing -- post -> main)");
}

#[test]
fn one_end_of_a_message_in_a_step() {
    gives("seq(a -- m -> b, {b!n, b?m})", "MT603 {b!n, b?m}");
    gives("{a?m, a!n, b?n}", "MT603 {a?m, a!n, b?n}");
    gives_nothing("seq(a -- m ->|, {b?m, b!n}, n -> a)");
    gives_nothing("seq(a -- m ->|, n -> b)");
}

#[test]
fn a_region_of_others() {
    gives("seq(bb -- k -> a, a -- l -> bb, coreg(bb)(a -- m -> b, a -- n -> b))", "MT604 bb");
    gives("seq(z -- k -> a, a -- l -> z, loopC(z, b)(a -- m -> b))", "MT604 z");
    gives(
        "coreg(c)(a -- m -> b, coreg(b)(b -- n -> c, b -- k -> a))"
            .replace("coreg(c)", "coreg(d,c)")
            .as_str(),
        "MT604 d",
    );
    gives("unlogged[z](a -- m -> b)", "MT604 z");
    gives_nothing("unlogged[a, b](a -- m -> b)");
    gives_nothing("coreg(b)(a -- m -> b, a -- n -> b)");
    gives_nothing("@part = a -- m -> b\ncoreg(a)(@part, c -- k -> d)");
    gives_nothing("seq for $x in a, b (unlogged[a]($x -- m -> c))");
    gives_nothing("loopC(a,b)(a -- m -> b)");
}

#[test]
fn alternatives_that_start_at_different_lifelines() {
    gives("alt(a -- m -> b, b -- n -> a)", "MT605 alt");
    gives("alt(o, seq(a -- m -> b, c -- n -> d))", "MT605 alt");
    // The third, not the first two.
    gives("alt(a -- m -> b, a -- k -> b, seq(b -- n -> a, a -- m -> b))", "MT605 alt");
    gives_nothing("alt(a -- m -> b, seq(a -- n -> b, b -- k -> a))");
    gives_nothing("alt(o, a -- m -> b)");
    // b is told by the message that it receives.
    gives_nothing("alt(seq(a -- m -> b, b -- x -> a), seq(a -- n -> b, b -- y -> a))");
    // a leaves the choice to b.
    gives_nothing("alt(seq(a -- m -> b, b -- x -> a), seq(a -- m -> b, b -- y -> a))");
    // Each may come from outside.
    gives_nothing("alt(m -> a, n -> b)");
}

#[test]
fn one_location_may_start_by_several_lifelines() {
    let text = "alt(a -- m -> c, b -- n -> c)";
    let parsed = parsed(text);
    let [a, b] = ["a", "b"].map(|it| parsed.signature.lifeline(it).expect("a lifeline"));
    let locations = Locations::new(&parsed.signature, &[vec![a, b]]).expect("a partition");
    assert_eq!(warnings_at(text, &parsed, &locations), []);
    assert_eq!(warnings(text).len(), 1);
}

#[test]
fn alternatives_that_cannot_be_told_apart_in_time() {
    gives_nothing("alt for $c in c1, c2 ($c -- lead -> a)");
    let text = "alt(seq(a -- m -> b, a -- p -> c, b -- x -> a), \
                seq(a -- m -> b, a -- q -> c, b -- y -> a))";
    gives(text, "MT606 alt");
    assert!(warnings(text)[0].message.contains("`b` cannot know"), "{:?}", warnings(text));
    // One of each kind.
    let both = text.replacen("alt(", "alt(c -- k -> d, ", 1);
    assert_eq!(marked(&both), ["MT605 alt", "MT606 alt"]);
    gives_nothing(
        "alt(seq(a -- m -> b, a -- p -> c, b -- x -> a), seq(a -- n -> b, a -- q -> c, b -- y -> a))",
    );
}

#[test]
fn messages_that_overtake() {
    gives("seq(a -- m -> b, c -- n -> b)", "MT607 c -- n -> b");
    // The second one is sent because of the first: a message is as fast as a chain of others.
    gives_nothing("seq(a -- m -> b, a -- go -> c, c -- n -> b)");
    gives_nothing("seq(a -- m -> b, par(a -- go -> d, a -- x -> a), d -- on -> c, c -- n -> b)");
    gives_nothing(
        "seq(a -- m -> b, alt(a -- go -> c, a -- now -> c), loopS(a -- x -> a), c -- n -> b)",
    );
    // Not in every run.
    let maybe = "seq(a -- m -> b, alt(a -- go -> c, a -- no ->|), c -- n -> b)";
    gives(maybe, "MT607 c -- n -> b");
    gives("seq(a -- m -> b, loopS(a -- go -> c), c -- n -> b)", "MT607 c -- n -> b");
    gives("seq(a -- go -> c, a -- m -> b, c -- n -> b)", "MT607 c -- n -> b");
    // The part between them may be skipped.
    gives("seq(a -- m -> b, alt(o, b -- k -> c), c -- n -> b)", "MT607 c -- n -> b");
    gives_nothing("seq(a -- m -> b, b -- k -> c, c -- n -> b)");
    // One sender: in order.
    gives_nothing("seq(a -- m -> b, a -- n -> b)");
    // Nobody can tell.
    gives_nothing("seq(a -- m -> b, c -- m -> b)");
    // The other order is there too.
    gives_nothing(
        "alt(seq(x -- g -> a, x -- g -> c, a -- m -> b, c -- n -> b), \
                   seq(x -- h -> a, x -- h -> c, c -- n -> b, a -- m -> b))",
    );
    // Whoever writes `strict` says that something ensures it.
    gives_nothing("strict(a -- m -> b, c -- n -> b)");
    gives_nothing("par(a -- m -> b, c -- n -> b)");
    gives_nothing("coreg(b)(a -- m -> b, c -- n -> b)");
    gives_nothing("seq(m -> b, n -> b)");
    gives_nothing("seq(a -- m -> b, b -- n -> b)");
}

#[test]
fn parts_that_change_nothing() {
    gives("alt(a -- m -> b, seq(a -- n -> b, o), a -- m -> b)", "MT608 a -- m -> b");
    gives("alt(a -- m -> b, alt(a -- n -> b, a -- m -> b))", "MT608 a -- m -> b");
    gives("alt(o, loopS(a -- m -> b))", "MT608 o");
    gives("loopS(alt(o, a -- m -> b))", "MT608 o");
    gives("loopW(o)", "MT608 loopW(o)");
    gives("opt(o)", "MT608 opt(o)");
    gives("alt(a -- m -> b, opt(alt(o, o)))", "MT608 opt(alt(o, o))");
    gives("loopS(loopS(a -- m -> b))", "MT608 loopS(a -- m -> b)");
    gives_nothing("alt(o, a -- m -> b)");
    gives_nothing("loopS(loopW(a -- m -> b))");
    // Nobody wrote the empty parts beside events that need not be logged.
    for text in [
        "seq(a -- m -> b, alt(o, a -- n -> b), anything(a, b))",
        "loopS(unlogged(a -- m -> b))",
        "alt(unlogged(a -- m -> b), o)",
        "alt(unlogged(a -- m -> b), a -- n -> b)",
    ] {
        let spec = parsed(text);
        let locations = Locations::discrete(&spec.signature);
        let spec = spec.written_out(None, &UnloggedEvents::parse_list("a"), &locations);
        let spec = spec.expect("written out");
        assert_eq!(warnings_at(text, &spec, &locations), [], "{text}");
    }
    gives_nothing("loopS(seq(alt(o, a -- m -> b), alt(o, a -- n -> b)))");
}

#[test]
fn concurrent_actions_that_look_the_same() {
    gives("par(a -- ok -> c, b -- ok -> c)", "MT609 b -- ok -> c");
    gives("par(a -- m -> b, a -- m -> c)", "MT609 a -- m -> c");
    gives("coreg(c)(a -- ok -> c, b -- ok -> c)", "MT609 b -- ok -> c");
    gives("par({a!ok, c?ok}, {b!ok, c?ok})", "MT609 {b!ok, c?ok}");
    // Not the first of the other side, but the second.
    gives("par(seq(a -- ok -> c, b -- ok -> c), a -- ok -> c)", "MT609 a -- ok -> c");
    gives_nothing("par(a -- ok -> c, b -- yes -> c)");
    // One arrow of each of several.
    gives_nothing("par for $a in a1, a2 ($a -- ok -> c)");
    gives_nothing("par({a!ok, c?ok}, {a!ok, c?ok, b!no, c?no})");
    gives_nothing("coreg(a)(a -- ok -> c, b -- ok -> c)");
    gives_nothing("par(a -- ok -> c, a -- ok -> c)");
    gives_nothing("par(alt(a -- m -> b, a -- m ->|), c -- n -> d)");
    gives_nothing("coreg(a)(a -- m -> c, seq(b -- k -> a, b -- m -> d))");
}

#[test]
fn transitions_on_no_path() {
    let of = |transitions: &str| {
        let text = format!(
            "Ops a:1 x:0 Automaton A States p q r Final States q Transitions x -> p {transitions}"
        );
        let (automaton, spans) =
            timbuk::parse_with_spans(&Source::new("f", text.as_str())).expect("one");
        let warnings = automaton_warnings(&automaton, &spans);
        warnings.iter().map(|it| text[it.span.start..it.span.end].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(of("a(p) -> q a(q) -> p"), [""; 0]);
    assert_eq!(of("a(p) -> q a(p) -> r a(r) -> r"), ["a(p) -> r"]);
    assert_eq!(of("a(r) -> q a(p) -> q"), ["a(r) -> q"]);
}

#[test]
fn warnings_of_a_kind_stand_in_the_order_of_the_text() {
    let text = "seq(seq(x -- k -> p, y -- l -> q), seq(z -- m -> p, w -- n -> q))";
    let shown: Vec<_> = warnings(text).iter().map(|it| &text[it.span.start..it.span.end]).collect();
    assert_eq!(shown, ["z -- m -> p", "w -- n -> q"]);
    // As many actions on both sides, the larger part of each first.
    let text = "par(seq(a -- ok -> c, a -- yes -> (c, d)), seq(b -- ok -> (c, d), b -- yes -> c))";
    let shown: Vec<_> = warnings(text).iter().map(|it| &text[it.span.start..it.span.end]).collect();
    assert_eq!(shown, ["b -- ok -> (c, d)", "b -- yes -> c"]);
}

/// Two alternatives cost as many comparisons as they have lifelines, and there are 200,000 for a specification.
#[test]
fn alternatives_are_compared_up_to_a_number_of_lifelines() {
    let of = |count: usize| {
        let mut text = String::from("alt(");
        for number in 0..count {
            let _ = write!(text, "a -- m{number} ->|, ");
        }
        text += "b -- n ->|)";
        marked(&text)
    };
    // 447 alternatives make 99,681 pairs, 448 make 100,128: more than are compared.
    assert_eq!(of(447), ["MT605 alt"]);
    assert_eq!(of(448), [""; 0]);
}

#[test]
fn large_specifications_take_no_time() {
    let passings = |prefix: &str, count: usize| {
        let mut text = String::new();
        for i in 0..count {
            let _ = write!(text, ",{prefix}{i} -- m{i} -> r{}", i % 100);
        }
        text.split_off(1)
    };
    for text in [
        format!("seq({})", passings("a", 60_000)),
        format!("alt({})", passings("a", 20_000)),
        format!("par({})", passings("b", 60_000)),
    ] {
        let parsed = parsed(&text);
        let locations = Locations::discrete(&parsed.signature);
        let started = Instant::now();
        assert!(warnings_at(&text, &parsed, &locations).len() < 200_000);
        let taken = started.elapsed();
        println!("{taken:?} for {}", &text[..20]);
        assert!(taken < Duration::from_secs(20), "{taken:?} for {}", &text[..20]);
    }
}

#[test]
fn random_specifications_have_warnings_in_their_text_and_can_allow_them_all() {
    let mut random = RandomInteractions::new(Shape::default(), 11);
    let signature = random.signature().clone();
    let codes = WarningCode::ALL.map(WarningCode::name).join(", ");
    let mut given = 0;
    for _ in 0..300 {
        let interaction = random.next().expect("the shape can be met").expect("an interaction");
        let text = hif::print(&interaction, &signature);
        let found = warnings(&text);
        for place in found.iter().flat_map(Warning::places) {
            assert!(place.start < place.end && text.get(place.start..place.end).is_some());
        }
        given += found.len();
        assert_eq!(warnings(&format!("// multitrace: allow {codes}\n{text}")), []);
    }
    assert!(given > 100, "{given}");
}

/// Message, label and the texts of related places.
fn texts(text: &str) -> Vec<String> {
    let found = warnings(text);
    let [warning] = found.as_slice() else { panic!("{found:?}") };
    let related = warning.related.iter().map(|(_, text)| text.clone());
    [warning.message.clone(), warning.label.clone()].into_iter().chain(related).collect()
}

#[test]
fn warnings_name_what_they_are_about() {
    assert_eq!(
        texts("seq(a -- m -> b, c -- n -> b)"),
        ["`n` can arrive at `b` before `m`", "`c` does not know of `m`", "comes from `a`"]
    );
    assert_eq!(
        texts("alt(a -- m -> b, b -- n -> a)"),
        [
            "`a` and `b` both decide which alternative is taken",
            "nobody decides alone",
            "`a!m`",
            "`b!n`"
        ]
    );
    assert_eq!(
        texts(
            "alt(seq(a -- m -> b, a -- p -> c, b -- x -> a), \
                 seq(a -- m -> b, a -- q -> c, b -- y -> a))"
        )[0],
        "`b` cannot know which alternative was taken when it sends `x`"
    );
    assert_eq!(
        texts("par(a -- ok -> c, b -- ok -> c)"),
        [
            "a log does not tell this `c?ok` from another one",
            "`c?ok`",
            "also `c?ok`, at the same time"
        ]
    );
    assert_eq!(
        texts("seq(a -- m -> b, {b!n, b?m})"),
        ["`n` is sent and never received", "`b!n` alone"]
    );
}
