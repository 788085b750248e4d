//! Diagrams that refer to others of the same text.

use multitrace_formats::diagram::{DiagramOptions, IncludeError, in_markdown};
use multitrace_formats::hif;
use multitrace_formats::source::Source;
use multitrace_formats::spec::{ReadOptions, Spec, SpecFormat, read_spec};

/// The interaction of a text, or the first line of its error; and the code of its first remark.
fn read(name: &str, text: &str, selector: Option<&str>) -> Result<(String, String), String> {
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let diagrams = DiagramOptions::default();
    let options = ReadOptions {
        signature: None,
        selector,
        found: None,
        diagrams: &diagrams,
        include: &no_files,
    };
    let format = SpecFormat::of_path(name.as_ref()).expect("a known name");
    match read_spec(Source::new(name, text), format, &options) {
        Ok(Spec::Interaction { parsed, drawing: Some(drawing), .. }) => {
            let remark = drawing.remarks.first();
            let remark = remark.map_or_else(String::new, |it| it.message.clone());
            let text = hif::print(&parsed.interaction, &parsed.signature);
            Ok((text.split_whitespace().collect::<Vec<_>>().join(" "), remark))
        }
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.lines().collect::<Vec<_>>()[0].to_string()),
    }
}

/// The interaction of a Markdown text.
fn markdown(text: &str) -> Result<String, String> {
    read("SPEC.md", text, None).map(|it| it.0)
}

/// Blocks of Mermaid, each with the heading above it.
fn blocks(all: &[(&str, &str)]) -> String {
    let block = |(heading, body): &(&str, &str)| {
        format!("# {heading}\n```mermaid\nsequenceDiagram\n{body}\n```\n")
    };
    all.iter().map(block).collect()
}

#[test]
fn a_part_stands_where_it_is_referred_to() {
    let main = "a->>b: m\n%% multitrace: ref\nnote over b,c: Pay, now!\nb->>a: o";
    let text = blocks(&[("One", main), ("Pay now", "b->>c: p\nc->>b: q")]);
    let expected = "seq( a -- m -> b, b -- p -> c, c -- q -> b, b -- o -> a )";
    assert_eq!(markdown(&text).as_deref(), Ok(expected));
    // The part is read alone if it is named, and the main one may stand behind it.
    let part = read("SPEC.md", &text, Some("pay-now")).map(|it| it.0);
    assert_eq!(part.as_deref(), Ok("seq( b -- p -> c, c -- q -> b )"));
    let text = blocks(&[("Pay now", "b->>c: p\nc->>b: q"), ("One", main)]);
    assert_eq!(markdown(&text).as_deref(), Ok(expected));
}

#[test]
fn parts_refer_to_parts_and_stand_in_frames() {
    let text = blocks(&[
        (
            "One",
            "loop\n%% multitrace: ref\nnote over a: two\nend\nopt\n%% multitrace: ref\nnote over a: three\nend",
        ),
        (
            "Two",
            "%% multitrace: message \"x\" is \"y\"\nb->>a: x\n%% multitrace: ref\nnote over a,c: Three",
        ),
        ("Three", "participant c\na->>c: x"),
    ]);
    let expected = "seq( loopW( seq( b -- y -> a, a -- y -> c )), alt( a -- y -> c, o ))";
    let found = markdown(&text).map(|it| it.replace("opt( a -- y -> c )", "alt( a -- y -> c, o )"));
    assert_eq!(found.as_deref().map(squeezed), Ok(squeezed(expected)));
    let repeated = "%% multitrace: strict\n%% multitrace: ref\nnote over a: two";
    let text = blocks(&[("One", repeated), ("Two", "a->>b: m\nc->>d: n")]);
    let expected = "strict(a -- m -> b, c -- n -> d)";
    assert_eq!(markdown(&text).as_deref().map(squeezed), Ok(squeezed(expected)));
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn references_of_plantuml_are_parts_if_the_file_has_them() {
    let text = "@startuml\na -> b : m\nref over a, b : Log in\nb -> a : o\n@enduml\n@startuml\ntitle Log in\na -> b : l\n@enduml\n";
    let (found, remark) = read("x.puml", text, None).expect("a diagram");
    assert_eq!((&*found, &*remark), ("seq( a -- m -> b, a -- l -> b, b -- o -> a )", ""));
    let text = text.replace("title Log in", "title Log out");
    let (found, remark) = read("x.puml", &text, Some("1")).expect("a diagram");
    assert_eq!(found, "seq( a -- m -> b, b -- o -> a )");
    assert_eq!(remark, "the reference `Log in` is read as nothing");
    let error = read("x.puml", &text, None).expect_err("two");
    assert_eq!(error, "x.puml:6:1: this text holds 2 diagrams");
}

#[test]
fn what_cannot_stand_there_is_an_error() {
    let reference = |name: &str| format!("%% multitrace: ref\nnote over a: {name}");
    let one = |body: &str| blocks(&[("One", body), ("Two", "a->>b: m"), ("Two", "a->>b: n")]);
    for (text, expected) in [
        (one(&reference("Four")), "SPEC.md:5:1: no diagram of this file is called `Four`"),
        (one(&reference("Two")), "SPEC.md:5:1: several diagrams are called `Two`"),
        (one(&reference("One")), "SPEC.md:5:1: the diagram `One` is a part of itself"),
        (
            one("%% multitrace: ref\na->>b: m"),
            "SPEC.md:4:16: this directive stands before nothing that it could be about",
        ),
        (
            one("a->>b: m\n%% multitrace: ref"),
            "SPEC.md:5:16: this directive stands before nothing that it could be about",
        ),
        (
            one(&format!("{}\n", reference("Two")).repeat(2)),
            "SPEC.md:5:1: several diagrams are called `Two`",
        ),
    ] {
        let found = read("SPEC.md", &text, Some("1")).map(|it| it.0);
        assert_eq!(found, Err(expected.to_owned()), "{text}");
    }
    let ring = blocks(&[("One", &reference("Two")), ("Two", &reference("One"))]);
    let found = read("SPEC.md", &ring, Some("1")).expect_err("a ring");
    assert_eq!(found, "SPEC.md:11:1: the diagram `One` is a part of itself");
}

#[test]
fn parts_that_double_over_and_over_are_refused() {
    let twice = |name: usize| format!("%% multitrace: ref\nnote over a: p{name}\n").repeat(2);
    let bodies: Vec<(String, String)> =
        (0..40).map(|it| (format!("p{it}"), twice(it + 1))).collect();
    let mut all: Vec<(&str, &str)> = bodies.iter().map(|(name, body)| (&**name, &**body)).collect();
    all.push(("p40", "a->>b: m"));
    let error = read("SPEC.md", &blocks(&all), Some("1")).expect_err("too large");
    assert!(
        error.ends_with("the diagrams that this one refers to are too large together"),
        "{error}"
    );
    assert_eq!(in_markdown(&blocks(&all)).len(), 41);
}
