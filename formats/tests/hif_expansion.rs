//! Parts, `for` and bounds of `.hif`: each text means the interaction it stands for, written out.

use multitrace_formats::hif::{self, ParsedSpec};
use multitrace_formats::source::Source;

fn parsed(text: &str) -> ParsedSpec {
    hif::parse(&Source::new("f", text), None).unwrap_or_else(|error| panic!("{error}"))
}

fn errors(text: &str) -> Vec<String> {
    hif::parse(&Source::new("f", text), None).expect_err(text).lines().collect()
}

/// Each text, and the same without constructs that HIBOU does not know.
const MEANINGS: [(&str, &str); 21] = [
    ("opt(a -- m -> b)", "alt(a -- m -> b, o)"),
    ("loopS[2](a -- m ->|)", "strict(a -- m ->|, a -- m ->|)"),
    ("loopW[1..](a -- m ->|)", "seq(a -- m ->|, loopW(a -- m ->|))"),
    ("loopP[0..1](a -- m ->|)", "alt(a -- m ->|, o)"),
    ("loopW[1..3](a -- m ->|)", "seq(a -- m ->|, alt(seq(a -- m ->|, alt(a -- m ->|, o)), o))"),
    ("loopS[0](a -- m ->|)", "o"),
    ("loopC[2](a)(a -- m -> b)", "coreg(a)(a -- m -> b, a -- m -> b)"),
    ("loopC(a)[2](a -- m -> b)", "coreg(a)(a -- m -> b, a -- m -> b)"),
    ("@x = a -- m -> b seq(@x, @x)", "seq(a -- m -> b, a -- m -> b)"),
    (
        "@call(a, b, m) = strict(a -- m -> b, b -- ok -> a)\npar(@call(c, s, x), @call(d, s, \"y z\"))",
        "par(strict(c -- x -> s, s -- ok -> c), strict(d -- \"y z\" -> s, s -- ok -> d))",
    ),
    ("@x(a) = @y(a, b) @y(a, b) = a -- m -> b @x(c)", "c -- m -> b"),
    ("par for $c in c1, c2, c3 ($c -- m -> s)", "par(c1 -- m -> s, c2 -- m -> s, c3 -- m -> s)"),
    ("par for $c in c08..c10 ($c -- m ->|)", "par(c08 -- m ->|, c09 -- m ->|, c10 -- m ->|)"),
    ("par for $c in c1..c3 ($c -- m -> s)", "par(c1 -- m -> s, c2 -- m -> s, c3 -- m -> s)"),
    (
        "seq for $c in a, b (par for $d in a..a, b, c except $c ($c -- m -> $d))",
        "seq(par(a -- m -> b, a -- m -> c), par(b -- m -> a, b -- m -> c))",
    ),
    (
        "alt for $i in 1..2 (a -- \"item-$i costs $$5 or $x\" -> \"node$i\", a -- no ->|)",
        "alt(a -- \"item-1 costs $$5 or $$x\" -> node1, a -- no ->|, \
         a -- \"item-2 costs $$5 or $$x\" -> node2, a -- no ->|)",
    ),
    ("par for $c in a except a ($c -- m ->|)", "o"),
    ("coreg(s) for $c in a, b ($c -- m -> s)", "coreg(s)(a -- m -> s, b -- m -> s)"),
    (
        "seq for $c in a, b for $d in x, y ($c -- $d ->|)",
        "seq(a -- x ->|, a -- y ->|, b -- x ->|, b -- y ->|)",
    ),
    ("@each(s) = seq for $c in a..a, b (x -- $c -> s) @each(t)", "seq(x -- a -> t, x -- b -> t)"),
    ("@one(s) = s -- m ->| par for $c in a1..a2 (@one($c))", "par(a1 -- m ->|, a2 -- m ->|)"),
];

#[test]
fn texts_mean_what_they_stand_for() {
    for (text, plain) in MEANINGS {
        let text = text.replace("a..a", "a");
        let (found, expected) = (parsed(&text), parsed(plain));
        let shown = hif::print(&found.interaction, &found.signature);
        assert_eq!(shown, hif::print(&expected.interaction, &expected.signature), "{text}");
        assert_eq!(found.spans.len(), found.interaction.nodes().len(), "{text}");
    }
}

#[test]
fn mistakes_are_told_where_they_are_written() {
    for (text, expected) in [
        ("@x = seq(a -- m ->|,) @x", "f:1:20: nothing between `,` and `)`"),
        (
            "@x = @y\n@y = @x\nseq(\n@x)",
            "f:2:6: `@x` uses itself, in `@y`, used at 1:6, in `@x`, used at 4:1",
        ),
        ("@x(a) = a -- m ->| @x", "f:1:20: `@x` takes 1 name, `a`, found 0"),
        ("@x(a, b) = a -- m ->| @x(c)", "f:1:23: `@x` takes 2 names, `a` and `b`, found 1"),
        ("@x = o @x = o @x", "f:1:8: `@x` is defined twice"),
        ("@x(a, a) = o @x(b, c)", "f:1:7: two parameters are called `a`"),
        ("@call = o seq(@cal)", "f:1:15: no part is called `@cal`"),
        ("@x = @z o", "f:1:6: no part is called `@z`"),
        ("$c -- m ->|", "f:1:1: nothing binds `$c`"),
        ("@x = $c -- m ->| par for $c in a, b (@x)", "f:1:6: nothing binds `$c`"),
        (
            "alt for $c in a except a ($c -- m ->|)",
            "f:1:1: alternatives over nothing: `for` has no value left",
        ),
        ("opt(o, o)", "f:1:1: `opt` takes one interaction, found 2"),
        ("loopS for $c in a (o)", "f:1:1: `loopS` takes no `for`"),
        ("loopH[2](o)", "f:1:1: `loopH` takes no bounds"),
        ("loopS[5..2](o)", "f:1:6: the least number of repetitions is larger than the most"),
        ("loopS[x](o)", "f:1:7: expected a number of repetitions, found `x`"),
        ("loopS[99999999999](o)", "f:1:7: a number of repetitions is too large"),
        ("par for $c in c5..c1 (o)", "f:1:15: no range goes from `c5` to `c1`"),
        (
            "par for $c in c01..c3 (o)",
            "f:1:15: `c01` and `c3` end with numbers of different lengths",
        ),
        ("par for $c in a1..b3 (o)", "f:1:15: no range goes from `a1` to `b3`"),
        ("par for $c of a (o)", "f:1:12: expected `in`, found `of`"),
        (
            "loopS[0..4000000000](a -- m ->|)",
            "f:1:1: with its parts, `for` and bounds written out, the interaction has more than 1048576 operators and actions",
        ),
        (
            "par for $c in c1..c4000000000 (o)",
            "f:1:15: with its parts, `for` and bounds written out, the interaction has more than 1048576 operators and actions",
        ),
    ] {
        assert_eq!(errors(text).first().map(String::as_str), Some(expected), "{text}");
        assert_eq!(errors(text).len(), 1, "{text}: {:?}", errors(text));
    }
}

#[test]
fn exponential_parts_are_stopped() {
    let mut text = "@x0 = a -- m ->|\n".to_owned();
    for level in 1..100 {
        text.push_str(&format!("@x{level} = seq(@x{0}, @x{0})\n", level - 1));
    }
    text.push_str("@x99");
    let errors = errors(&text);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains("has more than 1048576 operators"), "{errors:?}");
}

#[test]
fn undeclared_names_of_parts_say_where_they_come_from() {
    let mut signature = multitrace_interaction::Signature::default();
    signature.intern_lifeline("s");
    signature.intern_message("m");
    let text = "@x(a) = seq(a -- m ->|, s -- m -> a)\n@x(t)";
    let error = hif::parse(&Source::new("f", text), Some(signature)).expect_err("undeclared");
    let lines: Vec<String> = error.lines().collect();
    let expected = "f:2:4: undeclared lifeline `t`, in `@x`, used at 2:1";
    assert_eq!(lines, [expected, expected]);
}

#[test]
fn a_dollar_is_printed_so_that_it_is_read_back() {
    let spec = parsed("a -- \"$$x $$$$y $z\" -> b");
    assert!(spec.signature.message("$x $$y $z").is_some());
    let printed = hif::print(&spec.interaction, &spec.signature);
    assert_eq!(parsed(&printed).signature, spec.signature);
}

#[test]
fn optional_parts_are_printed_as_such() {
    let spec = parsed("seq(opt(a -- m -> b), alt(a -- n -> b, a -- k -> b, o))");
    let printed = hif::print_in(hif::Dialect::Ours, &spec.interaction, &spec.signature);
    assert!(printed.contains("opt(\n") && printed.contains("k -> b,\n        o\n"), "{printed}");
    assert_eq!(parsed(&printed).interaction, spec.interaction);
}
