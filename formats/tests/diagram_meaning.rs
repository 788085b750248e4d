//! Diagrams, each next to the interaction that it stands for (DESIGN sec. 6).

use multitrace_formats::diagram::{
    DiagramOptions, IncludeError, Notation, ReadDiagram, in_markdown, read, whole,
};
use multitrace_formats::hif;
use multitrace_formats::source::Source;

fn read_mermaid(body: &str) -> Result<ReadDiagram, String> {
    let text = format!("sequenceDiagram\n{body}\n");
    let source = Source::new("f.mmd", &*text);
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let found = whole(&text, Notation::Mermaid);
    read(&source, &found, &DiagramOptions::default(), &no_files)
        .map_err(|error| error.lines().collect::<Vec<String>>().join("\n"))
}

/// The interaction on one line.
fn meaning(body: &str) -> String {
    let read = read_mermaid(body).unwrap_or_else(|error| panic!("{body}\n{error}"));
    let printed =
        hif::print_in(hif::Dialect::Ours, &read.parsed.interaction, &read.parsed.signature);
    let printed = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    printed.replace("( ", "(").replace(" )", ")")
}

fn remarks(body: &str) -> Vec<String> {
    let read = read_mermaid(body).unwrap_or_else(|error| panic!("{body}\n{error}"));
    read.drawing.remarks.iter().map(|it| format!("{}: {}", it.code.name(), it.message)).collect()
}

#[test]
fn constructs_mean_operators() {
    for (body, expected) in [
        ("", "o"),
        ("participant a", "o"),
        ("a->>b: m", "a -- m -> b"),
        ("a->>b: m\nb-->>a: n\nb->>c: k", "seq(a -- m -> b, b -- n -> a, b -- k -> c)"),
        ("loop again\na->>b: m\nend", "loopW(a -- m -> b)"),
        ("opt maybe\na->>b: m\nend", "opt(a -- m -> b)"),
        ("alt x\na->>b: m\nelse y\na->>b: n\nelse\nend", "alt(a -- m -> b, a -- n -> b, o)"),
        ("par x\na->>b: m\nand y\na->>c: n\nend", "par(a -- m -> b, a -- n -> c)"),
        (
            "critical x\na->>b: m\noption y\na->>b: n\nend",
            "alt(seq(a -- m -> b, opt(a -- n -> b)), a -- n -> b)",
        ),
        (
            "critical x\na->>b: m\na->>b: k\noption y\na->>b: n\noption z\nend\na->>c: l",
            "seq(alt(seq(a -- m -> b, alt(seq(a -- k -> b, opt(opt(a -- n -> b))), a -- n -> b, o)), \
             a -- n -> b, o), a -- l -> c)",
        ),
        (
            "critical x\na->>b: m\nbreak w\na->>b: k\nend\na->>b: l\noption y\na->>b: n\nend",
            "alt(seq(a -- m -> b, alt(a -- k -> b, seq(a -- l -> b, opt(a -- n -> b)), a -- n -> b)), \
             a -- n -> b)",
        ),
        ("a-xb: m", "a -- m ->|"),
        ("loop 2 times\na->>b: m\nend", "seq(a -- m -> b, a -- m -> b)"),
        ("rect rgb(0,0,0)\na->>b: m\nend\nb->>a: n", "seq(a -- m -> b, b -- n -> a)"),
        ("a->>b: m\nNote over a: nothing", "a -- m -> b"),
    ] {
        assert_eq!(meaning(body), expected, "{body}");
    }
}

#[test]
fn breaks_end_the_frame_around_them() {
    for (body, expected) in [
        // A break is an alternative to the rest of the frame.
        (
            "a->>b: m\nbreak x\na->>b: stop\nend\na->>b: n\na->>b: k",
            "seq(a -- m -> b, alt(a -- stop -> b, seq(a -- n -> b, a -- k -> b)))",
        ),
        ("a->>b: m\nbreak x\na->>b: stop\nend", "seq(a -- m -> b, opt(a -- stop -> b))"),
        // Out of a loop, it ends the last repetition.
        (
            "loop\na->>b: a\nbreak x\na->>b: b\nend\na->>b: c\nend",
            "seq(loopW(seq(a -- a -> b, a -- c -> b)), opt(seq(a -- a -> b, a -- b -> b)))",
        ),
        (
            "loop\na->>b: a\nbreak x\na->>b: b\nend\nbreak y\na->>b: c\nend\nend",
            "seq(loopW(a -- a -> b), opt(alt(seq(a -- a -> b, a -- b -> b), \
             seq(a -- a -> b, a -- c -> b))))",
        ),
        (
            "alt x\nbreak y\na->>b: m\nend\na->>b: n\nelse\na->>b: k\nend",
            "alt(alt(a -- m -> b, a -- n -> b), a -- k -> b)",
        ),
        // Directives and allowed warnings before a break leave it one.
        (
            "a->>b: m\n%% multitrace: allow MT605\nbreak x\nb->>a: n\nend\na->>b: k",
            "seq(a -- m -> b, alt(b -- n -> a, a -- k -> b))",
        ),
        (
            "%% multitrace: strict\nbreak x\na->>b: m\na->>b: n\nend\na->>b: k",
            "alt(strict(a -- m -> b, a -- n -> b), a -- k -> b)",
        ),
        ("%% multitrace: ignore\nbreak x\na->>b: m\nend\na->>b: k", "a -- k -> b"),
        // Repetitions before a break are scheduled as the loop says.
        (
            "%% multitrace: loop strict\nloop\na->>b: a\nbreak x\na->>b: b\nend\nend",
            "strict(loopS(a -- a -> b), opt(seq(a -- a -> b, a -- b -> b)))",
        ),
        // Of at most two repetitions, a break ends the first or the second one.
        (
            "%% multitrace: loop 2\nloop\na->>b: a\nbreak x\na->>b: b\nend\nend",
            "alt(seq(opt(a -- a -> b), a -- a -> b, a -- b -> b), seq(a -- a -> b, a -- a -> b))",
        ),
        (
            "%% multitrace: loop 1..\nloop\na->>b: a\nbreak x\na->>b: b\nend\nend",
            "alt(seq(loopW(a -- a -> b), a -- a -> b, a -- b -> b), \
             seq(a -- a -> b, loopW(a -- a -> b)))",
        ),
        // A break in a frame that only groups is one of the frame around.
        ("rect rgb(0,0,0)\nbreak x\na->>b: m\nend\nend\na->>b: n", "alt(a -- m -> b, a -- n -> b)"),
    ] {
        assert_eq!(meaning(body), expected, "{body}");
    }
}

#[test]
fn messages_to_oneself_are_actions_and_bidirectional_ones_go_both_ways() {
    assert_eq!(meaning("a->>a: m"), "a -- m ->|");
    assert_eq!(remarks("a->>a: m"), ["MT610: `a` does `m`: one event of its log"]);
    assert_eq!(remarks("%% multitrace: local\na->>a: m"), [""; 0]);
    assert_eq!(remarks("%% multitrace: self local\na->>a: m"), [""; 0]);
    let both = "%% multitrace: self send-receive\na->>a: m";
    assert_eq!((meaning(both), remarks(both)), ("a -- m -> a".to_owned(), Vec::new()));
    assert_eq!(
        meaning("a->>a: m\n%% multitrace: self send-receive\n%% multitrace: local\na->>a: n"),
        "seq(a -- m -> a, a -- n ->|)"
    );
    assert_eq!(meaning("%% multitrace: synchronous\na->>a: m"), "a -- <synch>m -> a");
    assert_eq!(meaning("%% multitrace: received\na->>a: m"), "m -> a");
    assert_eq!(meaning("%% multitrace: synchronous\na->>b: m"), "a -- <synch>m -> b");
    assert_eq!(remarks("%% multitrace: received\na->>a: m"), [""; 0]);
    assert_eq!(meaning("a//-b: m"), "b -- m -> a");
    assert_eq!(meaning("a<<->>b: m"), "par(a -- m -> b, b -- m -> a)");
}

#[test]
fn directives_say_what_is_meant() {
    let with =
        |directive: &str, body: &str| meaning(&format!("%% multitrace: {directive}\n{body}"));
    let loop_ = "loop\na->>b: m\nend";
    assert_eq!(with("loop strict", loop_), "loopS(a -- m -> b)");
    assert_eq!(with("loop parallel", loop_), "loopP(a -- m -> b)");
    assert_eq!(with("loop head-first", loop_), "loopH(a -- m -> b)");
    assert_eq!(with("loop 2", loop_), "seq(a -- m -> b, a -- m -> b)");
    assert_eq!(with("loop 1..2", loop_), "seq(a -- m -> b, opt(a -- m -> b))");
    assert_eq!(with("loop 1..", loop_), "seq(a -- m -> b, loopW(a -- m -> b))");
    assert_eq!(with("loop 0", loop_), "o");
    let counted = "loop 2 times\na->>b: m\nend";
    assert_eq!(with("loop strict", counted), "strict(a -- m -> b, a -- m -> b)");
    assert_eq!(with("loops 1", counted), "a -- m -> b");
    assert_eq!(with("loop 0..", counted), "loopW(a -- m -> b)");
    let two = "loop\na->>b: m\nend\nloop\na->>b: n\nend";
    assert_eq!(with("loop strict", two), "seq(loopS(a -- m -> b), loopW(a -- n -> b))");
    assert_eq!(with("loops strict", two), "seq(loopS(a -- m -> b), loopS(a -- n -> b))");
    assert_eq!(with("strict", loop_), "loopS(a -- m -> b)");
    assert_eq!(with("strict all", loop_), "loopS(a -- m -> b)");
    assert_eq!(with("ignore", "a->>b: m\nb->>a: n"), "b -- n -> a");
    assert_eq!(with("ignore", two), "loopW(a -- n -> b)");
    assert_eq!(with("strict all", "a->>b: m\nb->>a: n"), "strict(a -- m -> b, b -- n -> a)");
    assert_eq!(
        with("strict", "rect rgb(0,0,0)\na->>b: m\nb->>a: n\nend\na->>b: k"),
        "seq(strict(a -- m -> b, b -- n -> a), a -- k -> b)"
    );
    assert_eq!(
        with("coregion b", "rect rgb(0,0,0)\na->>b: m\nc->>b: n\nend"),
        "coreg(b)(a -- m -> b, c -- n -> b)"
    );
    assert_eq!(
        with("coregion b", "par x\na->>b: m\nand y\na->>b: n\nend"),
        "coreg(b)(a -- m -> b, a -- n -> b)"
    );
    assert_eq!(
        with("local", "Note over a: write log\na->>b: m"),
        "seq(a -- \"write log\" ->|, a -- m -> b)"
    );
    assert_eq!(with("message \"log in\" is \"login\"", "a->>b: log in"), "a -- login -> b");
    assert_eq!(with("messages first-word", "a->>b: Login: user"), "a -- Login -> b");
    assert_eq!(with("messages /\\d+/", "a->>b: step 12 now"), "a -- \"12\" -> b");
}

/// Checks the remarks on diagrams.
fn check_remarks(cases: &[(&str, &str)]) {
    for (body, expected) in cases {
        let expected: Vec<&str> = expected.lines().collect();
        assert_eq!(remarks(body), expected, "{body}");
    }
}

#[test]
fn what_is_read_in_one_way_of_several_is_told() {
    check_remarks(&[
        ("a->>b: m", ""),
        ("a->>b: ", "MT611: the arrow from `a` to `b` has no text"),
        ("a-xb: m\nc->>b: n\nc->>a: k", ""),
        (
            "a-xb: m\nc->>d: n\nb->>a: k",
            "MT618: `b` never receives `m`, and `a` is answered `k` next",
        ),
        // An answer is lost, and its sender needs none.
        ("a->>b: q\nb--xa: ok\na->>b: q\nb-->>a: ok", ""),
        ("a->>b: q\nb-xa: ok\na->>b: q\nb-->>a: ok", ""),
        (
            "a->>b: q\nb--xa: ok\na-->>b: thanks",
            "MT618: `a` never receives `ok`, and `b` is answered `thanks` next",
        ),
        (
            "a->>b: pay\nopt Payment failed\nb->>a: sorry\nend\nb->>a: done",
            "MT619: after `Payment failed` the diagram goes on with `done`",
        ),
        ("a->>b: pay\nopt Payment failed\nb->>a: sorry\nend", ""),
        ("a->>b: pay\nopt Payment failed\nb->>c: sorry\nend\nb->>a: done", ""),
        ("a->b: m", "MT612: this arrow has no head: it is read as a message from `a` to `b`"),
        (
            "a//-b: m",
            "MT612: the head of this arrow is at `a`: it is read as a message from `b` to `a`",
        ),
        ("a<<->>b: m", "MT612: this arrow has two heads: `a` and `b` each send `m` to the other"),
        ("Note over a: store key", "MT613: the note `store key` looks like an action of `a`"),
        ("Note over a,b: store key", ""),
        ("%% multitrace: ignore\nNote over a: store key", ""),
        (
            "loop 3 times a day\na->>b: m\nend",
            "MT614: the loop `3 times a day` repeats any number of times, or never",
        ),
        ("%% multitrace: loop 3\nloop 3 times a day\na->>b: m\nend", ""),
        ("loop X times for each order\na->>b: m\nend", ""),
        ("loop every 5 seconds\na->>b: m\nend", ""),
        ("alt x\na->>b: m\nend", "MT615: an `alt` without `else` may be left out, as `opt` may"),
        ("critical x\na->>b: m\nend", "MT615: `critical` is its body, which may be interrupted"),
        ("%% multitrace: allow MT612\na->b: m\nb->a: n", ""),
        ("a->>b: k\n%% multitrace: allow MT612: fine\na->b: m", ""),
        (
            "a->>b: k\n%% multitrace: allow MT612\na->b: m\nb->a: n",
            "MT612: this arrow has no head: it is read as a message from `b` to `a`",
        ),
    ]);
}

#[test]
fn breaks_that_leave_one_of_several_frames_are_told() {
    check_remarks(&[
        (
            "opt x\nbreak y\na->>b: m\nend\nend\na->>b: k",
            "MT616: this break leaves only the frame that is directly around it",
        ),
        // Nothing follows, so leaving the frame leaves all.
        ("opt x\nbreak y\na->>b: m\nend\nend", ""),
        ("opt x\na->>b: k\nopt z\nbreak y\na->>b: m\nend\na->>b: l\nend\nend", ""),
        ("loop\nbreak y\na->>b: m\nend\nend", ""),
        (
            "loop\nopt x\nbreak y\na->>b: m\nend\nend\nend",
            "MT616: this break leaves only the frame that is directly around it",
        ),
    ]);
}

#[test]
fn directives_that_fit_nothing_are_errors() {
    for (body, expected) in [
        ("%% multitrace: lop strict\na->>b: m", "f.mmd:2:16: unknown directive `lop`"),
        (
            "%% multitrace: loop strict\na->>b: m",
            "f.mmd:2:16: this directive stands before nothing that it could be about",
        ),
        (
            "a->>b: m\n%% multitrace: ignore",
            "f.mmd:3:16: this directive stands before nothing that it could be about",
        ),
        (
            "%% multitrace: local\na->>b: m",
            "f.mmd:2:16: this directive stands before nothing that it could be about",
        ),
        (
            "%% multitrace: coregion z\npar x\na->>b: m\nend",
            "f.mmd:2:16: no participant is called `z`",
        ),
        ("%% multitrace: locations a,z\na->>b: m", "f.mmd:2:16: no participant is called `z`"),
        (
            "%% multitrace: loop strict\n%% multitrace: loop 3\nloop\na->>b: m\nend",
            "f.mmd:3:16: this directive stands before nothing that it could be about",
        ),
        (
            "%% multitrace: loops strict\n%% multitrace: loops weak\na->>b: m",
            "f.mmd:3:16: another directive says this already",
        ),
        (
            "%% multitrace: message \"x\" is \"y\"\na->>b: m",
            "f.mmd:2:16: no arrow has the text `x`",
        ),
        ("%% multitrace: locations a,b;b\na->>b: m", "f.mmd:2:16: `b` stands twice"),
        (
            "%% multitrace: loop head-first\nloop 3 times\na->>b: m\nend",
            "f.mmd:3:1: a head-first loop with a number of repetitions",
        ),
        (
            "%% multitrace: synchronous\na<<->>b: m",
            "f.mmd:2:16: this directive stands before nothing that it could be about",
        ),
        ("%% multitrace: local\nNote over a,b: m", "f.mmd:3:1: an action has one participant"),
    ] {
        assert_eq!(read_mermaid(body).err().unwrap_or_default(), expected, "{body}");
    }
}

#[test]
fn boxes_are_locations_if_a_directive_says_so() {
    let body = "%% multitrace: boxes locations\nbox one\nparticipant a\nparticipant b\nend\nbox two\nend\na->>c: m";
    let members = |read: ReadDiagram| {
        read.drawing.locations.into_iter().map(|it| it.members).collect::<Vec<Vec<String>>>()
    };
    assert_eq!(members(read_mermaid(body).expect("a diagram")), [["a", "b"]]);
    let body = format!("%% multitrace: locations a,c\n{body}");
    assert_eq!(members(read_mermaid(&body).expect("a diagram")), [["a", "c"]]);
    let frames =
        body.replace("locations a,c", "boxes frames").replacen("boxes locations", "self local", 1);
    assert!(members(read_mermaid(&frames).expect("a diagram")).is_empty());
}

#[test]
fn places_are_those_of_the_whole_file() {
    let text = "# One\n```mermaid\nsequenceDiagram\n  a->>b: ok\n  a->>a: m\n```\n";
    let source = Source::new("SPEC.md", text);
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let found = &in_markdown(text)[0];
    let read = read(&source, found, &DiagramOptions::default(), &no_files).expect("a diagram");
    let remark = &read.drawing.remarks[0];
    assert_eq!(&text[remark.span.start..remark.span.end], "a->>a: m");
    let spans: Vec<&str> = read.parsed.spans.iter().map(|it| &text[it.start..it.end]).collect();
    assert!(spans.contains(&"a->>b: ok"), "{spans:?}");
    assert_eq!(read.drawing.title.as_deref(), Some("One"));
}
