//! The layout of interactions: no token or comment changes, and a text that was laid out stays.

use multitrace_formats::hif::{self, ParsedSpec};
use multitrace_formats::source::{Source, Span};
use multitrace_formats::warning::{Warning, WarningCode};
use multitrace_interaction::names;
use multitrace_testing::corpus::folder as corpus;
use multitrace_testing::denotations;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

fn parsed(text: &str) -> ParsedSpec {
    hif::parse(&Source::new("f", text), None).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn format(text: &str) -> String {
    hif::format(&Source::new("f", text)).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// The codes that are silenced at each name, in the order of the text.
fn silenced(text: &str, spec: &ParsedSpec) -> Vec<(String, Vec<&'static str>)> {
    let at = |span: Span| -> Vec<&'static str> {
        let codes = WarningCode::ALL.into_iter();
        let codes = codes.filter(|&code| spec.allowed.silences(&Warning::new(code, span, "", "")));
        codes.map(WarningCode::name).collect()
    };
    // Operators as well as names.
    let spans = spec.names.iter().map(|it| it.span).chain(spec.spans.iter().copied());
    let first = |span: Span| Span::new(span.start, span.start + 1);
    spans.map(|span| (text[span.start..].chars().take(1).collect(), at(first(span)))).collect()
}

/// The text without blanks and line ends, but for comments, which stand apart in order.
fn content(text: &str) -> (String, Vec<String>) {
    let (mut tokens, mut comments) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if let Some(end) = names::quoted_end(rest) {
            tokens.push_str(&rest[..end]);
            end
        } else if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            comments.push(rest[..end].trim_end().to_owned());
            end
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").expect("closed") + 2;
            comments.push(rest[..end].replace("\r\n", "\n"));
            end
        } else {
            tokens.extend(Some(c).filter(|c| !c.is_whitespace() && *c != '\u{feff}'));
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    (tokens, comments)
}

fn check(text: &str) -> String {
    let formatted = format(text);
    let (before, after) = (parsed(text), parsed(&formatted));
    assert_eq!(before.interaction, after.interaction, "{text}\n=>\n{formatted}");
    assert_eq!(before.signature, after.signature, "{text}\n=>\n{formatted}");
    assert_eq!(content(text), content(&formatted), "{text}\n=>\n{formatted}");
    assert_eq!(silenced(text, &before), silenced(&formatted, &after), "{text}\n=>\n{formatted}");
    assert_eq!(format(&formatted), formatted, "twice:\n{text}\n=>\n{formatted}");
    formatted
}

fn assert_layout(text: &str, expected: &str) {
    assert_eq!(check(text), expected, "{text}");
}

#[test]
fn what_fits_stands_on_one_line() {
    assert_layout("a--m->b", "a -- m -> b\n");
    assert_layout(
        "\u{feff}seq(\r\n a--m->|,\r\n\r\n n->( b , c ))",
        "seq(a -- m ->|, n -> (b,c))\n",
    );
    assert_layout(
        "seq ( o,∅, { a!m,b?n } ,a--<synch>m->b )",
        "seq(o, ∅, {a!m, b?n}, a -- <synch>m -> b)\n",
    );
    assert_layout("loopC [ 2 .. 3 ] ( a ,b ) ( a--m->b )", "loopC[2..3](a,b)(a -- m -> b)\n");
    assert_layout("alt(opt(a--m->b),o)", "alt(opt(a -- m -> b), o)\n");
    assert_layout(
        "par for $c in c1 .. c3,d except c2 ( $c -- \"m  $c\" -> s )",
        "par for $c in c1..c3, d except c2 ($c -- \"m  $c\" -> s)\n",
    );
    assert_layout(
        "coreg(s) for $c in a for $d in b ($c -- $d -> s)",
        "coreg(s) for $c in a for $d in b ($c -- $d -> s)\n",
    );
}

#[test]
fn what_does_not_fit_has_one_operand_a_line() {
    assert_layout(
        "seq(alt(loopS(a--m->b),o),a--n->b)",
        "seq(\n    alt(loopS(a -- m -> b), o),\n    a -- n -> b\n)\n",
    );
    let passing = "client -- request -> server";
    assert_layout(
        &format!("seq({passing},{passing},{passing})"),
        &format!("seq(\n    {passing},\n    {passing},\n    {passing}\n)\n"),
    );
    // 80 columns fit, 81 do not.
    let name = |length: usize| "x".repeat(length);
    assert_layout(
        &format!("alt({} -- m -> b,o)", name(62)),
        &format!("alt({} -- m -> b, o)\n", name(62)),
    );
    assert_layout(
        &format!("alt({} -- m -> b,o)", name(63)),
        &format!("alt(\n    {} -- m -> b,\n    o\n)\n", name(63)),
    );
}

#[test]
fn long_lists_of_names_are_cut_at_commas() {
    let many: Vec<String> = (0..30).map(|it| format!("server{it}")).collect();
    let formatted = check(&format!("m -> ({})", many.join(" , ")));
    assert!(
        formatted.lines().count() > 2 && formatted.lines().all(|line| line.len() <= 100),
        "{formatted}"
    );
    let formatted = check(&format!("par for $c in {} ($c -- m ->|)", many.join(",")));
    assert!(formatted.lines().all(|line| line.len() <= 100), "{formatted}");
}

#[test]
fn parts_stand_on_lines_of_their_own() {
    assert_layout(
        "@x=a--m->b @call( a,b )=strict(a -- m -> b,b -- n -> a)\n\n\nseq(@x,@call(c,d))",
        "@x = a -- m -> b\n@call(a, b) = strict(a -- m -> b, b -- n -> a)\n\nseq(@x, @call(c, d))\n",
    );
    assert_layout("@x = o\n@x", "@x = o\n@x\n");
}

#[test]
fn comments_stay_where_they_are() {
    assert_layout(
        "/* first */\n// second\n\n\nseq( // open\n\n  a--m->b // behind\n , /* before */ b--n->a,\n\n\n // own\n o\n // last\n) // end\n\n\n// all",
        "/* first */\n// second\n\nseq( // open\n    a -- m -> b, // behind\n    /* before */ b -- n -> a,\n\n    // own\n    o\n    // last\n) // end\n\n// all\n",
    );
    assert_layout("a -- /* x */ m // y\n -> b", "a -- /* x */ m // y\n    -> b\n");
    assert_layout("seq(o /* x */, o)", "seq(\n    o /* x */,\n    o\n)\n");
    assert_layout("seq(o /* x */)", "seq(\n    o /* x */\n)\n");
    assert_layout("seq(o,\n/* a\n   b */ o)", "seq(\n    o,\n    /* a\n   b */ o\n)\n");
}

#[test]
fn comments_that_silence_warnings_are_about_the_same() {
    assert_layout(
        "seq(a -- m -> b, // multitrace: allow MT601\n c -- n -> d)",
        "seq(a -- m -> b, // multitrace: allow MT601\n    c -- n -> d\n)\n",
    );
    assert_layout(
        "seq(\n a -- m -> b, // multitrace: allow MT601\n // multitrace: allow MT607\n c -- n -> d)",
        "seq(\n    a -- m -> b, // multitrace: allow MT601\n    // multitrace: allow MT607\n    c -- n -> d\n)\n",
    );
    check("seq(a -- m -> b\n, // multitrace: allow MT601\n c -- n -> d)");
    check("seq(a -- m -> b // multitrace: allow MT601\n, c -- n -> d, alt(o,\n o))");
    check("// multitrace: allow MT601\nseq(a -- m -> b,\n c -- n -> d)");
}

#[test]
fn a_text_with_errors_is_refused_with_them() {
    let error = hif::format(&Source::new("f", "seq(a -- m -> b")).expect_err("an error");
    assert_eq!(error.lines().collect::<Vec<_>>(), ["f:1:4: `(` is never closed"]);
}

#[test]
fn long_and_deep_texts_are_laid_out() {
    let wide = format!("seq({}o)", "l -- m ->|,".repeat(20_000));
    assert_eq!(check(&wide).lines().count(), 20_003);
    let deep = format!("{}o{}", "loopS(".repeat(200), ")".repeat(200));
    check(&deep);
    let parts: String = (0..5000).map(|it| format!("@x{it} = o ")).collect();
    check(&format!("{parts} o"));
}

/// Blanks, line ends and comments, some of which silence warnings.
fn any_filling() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => any_plain_filling(),
        1 => Just(" // multitrace: allow MT601\n".to_owned()),
        1 => Just("\n// multitrace: allow MT607, MT608: known\n".to_owned()),
    ]
}

/// Blanks, line ends and comments.
fn any_plain_filling() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => Just(" ".to_owned()),
        3 => Just("\n".to_owned()),
        1 => Just("\n \n\n".to_owned()),
        1 => Just(" /* c */ ".to_owned()),
        1 => Just("\n/* c\n d */".to_owned()),
        1 => Just("/* e */\n".to_owned()),
        1 => Just(" // f\n".to_owned()),
        1 => Just("\n  // g  \r\n".to_owned()),
        1 => Just("\n\n// h\n\n".to_owned()),
    ]
}

const PIECES: [&str; 6] = [
    "@call(a, b, m) = strict(a -- m -> b, alt(b -- n -> a, o)) par(@call(c, s, x), @call(d, s, \"y z\"))",
    "par for $c in c1 .. c3 , d except c2 (seq($c -- m -> s, loopW [ 1 .. 2 ](s -- \"to $c\" -> $c)))",
    "@x = o @y = seq(@x, coreg(a, b)(a -- m -> b, {a!m, b?n}), loopC(a) [ 2 ](m -> (a, b))) alt(@y, opt(@x))",
    "seq(client -- request -> server, server -- response -> client, client -- request -> server)",
    "strict(alt(loopS(par(a -- m ->|, m -> b)), a -- <synch>m -> b), o, seq(a -- m -> b, b -- n -> a))",
    "a -- m -> (b, c, d)",
];

/// A text with other blanks and comments between its words and signs.
fn filled(text: &str, fillings: &[String]) -> String {
    let mut fillings = fillings.iter().cycle();
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let length = match names::quoted_end(rest) {
            Some(end) => end,
            None if rest.starts_with("--") || rest.starts_with("->") => 2,
            None if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            None => c.len_utf8(),
        };
        if !c.is_whitespace() {
            out.push_str(&rest[..length]);
            out.extend(fillings.next().map(String::as_str));
        }
        rest = &rest[length..];
    }
    out
}

proptest! {
    #![proptest_config(multitrace_testing::cases(2000))]

    #[test]
    fn any_layout_of_a_text_is_laid_out(
        piece in 0..PIECES.len(),
        plain in prop::collection::vec(any_plain_filling(), 1..60),
        mixed in prop::collection::vec(any_filling(), 1..60),
    ) {
        check(&filled(PIECES[piece], &plain));
        check(&filled(PIECES[piece], &mixed));
    }

    #[test]
    fn random_interactions_are_laid_out(
        interaction in denotations::any_interaction(),
        plain in prop::collection::vec(any_plain_filling(), 1..30),
        mixed in prop::collection::vec(any_filling(), 1..30),
    ) {
        let text = hif::print(&interaction, &denotations::signature());
        check(&text);
        check(&filled(&text, &plain));
        check(&filled(&text, &mixed));
    }
}

/// The `.hif` files below a folder.
fn hif_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            hif_files(&path, found);
        } else if path.extension().is_some_and(|it| it == "hif") {
            found.push(path);
        }
    }
}

fn check_files(folder: &Path) {
    let mut files = Vec::new();
    hif_files(folder, &mut files);
    assert!(!files.is_empty(), "no .hif file in {}", folder.display());
    for path in files {
        check(&fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())));
    }
}

#[test]
fn examples_are_laid_out() {
    check_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"));
}

#[test]
fn the_corpus_is_laid_out() {
    let Some(corpus) = corpus() else { return };
    check_files(&corpus.join("usecases"));
    check_files(&corpus.join("hibou-random"));
}

#[test]
fn texts_without_an_interaction_are_laid_out() {
    for (text, expected) in [
        ("", ""),
        ("\n \n", ""),
        ("// a\n\n\n\n// b", "// a\n\n// b\n"),
        (" /* a */ ", "/* a */\n"),
        ("@p=a--m->b", "@p = a -- m -> b\n"),
    ] {
        assert_eq!(format(text), expected, "{text}");
        assert_eq!(format(expected), expected, "{text}");
    }
    for text in ["// multitrace: alow MT601", "/* a", "seq("] {
        assert!(hif::format(&Source::new("f", text)).is_err(), "{text}");
    }
}
