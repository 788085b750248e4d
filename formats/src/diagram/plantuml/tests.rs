use super::{IncludeError, parse};
use crate::diagram::model::{Diagram, End, Fragment, Message, Note, ParticipantId, Statement};
use crate::source::Source;

fn read(text: &str) -> Diagram {
    let include = |name: &str| match name {
        "common.puml" => Ok("@startuml\n!$who = \"Bob\"\nactor Alice\n@enduml\n".to_owned()),
        "circle.puml" => Ok("!include circle.puml".to_owned()),
        "broken.puml" => Ok("class A".to_owned()),
        _ => Err(IncludeError::Unreadable("no such file".to_owned())),
    };
    let diagram = parse(text, 0..text.len(), &include);
    diagram.unwrap_or_else(|error| panic!("{}", error.of(Source::new("d.puml", text))))
}

/// The errors as lines of `line:column: message`.
fn errors(text: &str) -> Vec<String> {
    let include = |name: &str| match name {
        "circle.puml" => Ok("!include circle.puml".to_owned()),
        "broken.puml" => Ok("class A".to_owned()),
        _ => Err(IncludeError::Unreadable("no such file".to_owned())),
    };
    match parse(text, 0..text.len(), &include) {
        Ok(_) => Vec::new(),
        Err(error) => {
            let error = error.of(Source::new("", text));
            assert!(error.diagnostics().iter().all(|it| it.help.is_some()), "{error}");
            error.lines().map(|line| line.trim_start_matches(':').to_owned()).collect()
        }
    }
}

/// The statements in short: `A>B text`, `alt[x: …|y: …]`, `note A: text`.
fn short(diagram: &Diagram) -> String {
    body(&diagram.body, diagram)
}

fn body(statements: &[Statement], diagram: &Diagram) -> String {
    let shown = statements.iter().filter(|it| !matches!(it, Statement::Mark(_)));
    let shown: Vec<String> = shown.map(|found| statement(found, diagram)).collect();
    shown.join("; ")
}

fn statement(statement: &Statement, diagram: &Diagram) -> String {
    match statement {
        Statement::Message(message) => self::message(message, diagram),
        Statement::Note(note) => format!("note {}", self::note(note, diagram)),
        Statement::Reference(note) => format!("ref {}", self::note(note, diagram)),
        Statement::Fragment(fragment) => self::fragment(fragment, diagram),
        Statement::Directive(directive) => format!("'{}", directive.text),
        Statement::Mark(mark) => format!("{:?}", mark.kind),
    }
}

fn id(id: ParticipantId, diagram: &Diagram) -> &str {
    &diagram.participants[id.index()].id
}

fn message(message: &Message, diagram: &Diagram) -> String {
    let end = |end| match end {
        End::Participant(participant) => id(participant, diagram),
        End::Outside { is_near: true, .. } => "?",
        End::Outside { is_left: true, .. } => "[",
        End::Outside { .. } => "]",
    };
    let parallel = if message.is_parallel { "& " } else { "" };
    let text = message.text.replace('\n', "/");
    format!("{parallel}{}>{} {text}", end(message.from), end(message.to)).trim_end().to_owned()
}

fn note(note: &Note, diagram: &Diagram) -> String {
    let over: Vec<&str> = note.over.iter().map(|over| id(*over, diagram)).collect();
    format!("{}: {}", over.join(","), note.text.replace('\n', "/"))
}

fn fragment(fragment: &Fragment, diagram: &Diagram) -> String {
    let operands = fragment.operands.iter();
    let operands = operands.map(|found| format!("{}: {}", found.text, body(&found.body, diagram)));
    let operator = format!("{:?}", fragment.operator).to_lowercase();
    format!("{operator}[{}]", operands.collect::<Vec<_>>().join(" | "))
}

fn labels(diagram: &Diagram) -> Vec<&str> {
    diagram.participants.iter().map(|found| found.label.as_str()).collect()
}

#[test]
fn places_are_those_of_the_text() {
    let text = "# é\n```\n@startuml\n  Alice -> Bob : hi\\nyou \n@enduml\n```\n";
    let start = text.find("@startuml").expect("a start");
    let diagram =
        parse(text, start..text.len(), &|_| Err(IncludeError::NoFolder)).expect("a diagram");
    let Statement::Message(message) = &diagram.body[0] else { panic!("a message") };
    assert_eq!(&text[message.span.start..message.span.end], "Alice -> Bob : hi\\nyou");
    assert_eq!(&text[message.text_span.start..message.text_span.end], "hi\\nyou");
    assert_eq!(message.text, "hi\nyou");
    let bob = diagram.participants[1].span;
    assert_eq!(&text[bob.start..bob.end], "Bob");
}

#[test]
fn participants_boxes_and_titles() {
    let text = "title My //own// one\nactor \"A\\nlong\" as A\nbox \"In\" #red\nqueue Q order -1\n\
                participant P [\n=Head\n----\nSub\n]\nend box\nA -> Z\n";
    let diagram = read(text);
    assert_eq!(diagram.title.as_deref(), Some("My own one"));
    assert_eq!(labels(&diagram), ["Q", "A\nlong", "Head\nSub", "Z"]);
    assert_eq!(diagram.participants[0].kind, "queue");
    assert_eq!(diagram.boxes[0].label, "In");
    assert_eq!(diagram.boxes[0].members, [ParticipantId(0), ParticipantId(2)]);
    assert_eq!(short(&diagram), "A>Z");
}

#[test]
fn the_name_of_the_diagram_is_its_title() {
    assert_eq!(read("@startuml My name\nA -> B\n@enduml").heading().as_deref(), Some("My name"));
    assert_eq!(read("title\n a\n b\nend title\nA -> B").title.as_deref(), Some("a\nb"));
}

#[test]
fn messages_to_several_and_hidden_ones() {
    let diagram = read("A -> B & C : x\nA -[hidden]> D\n& B -> C");
    assert_eq!(short(&diagram), "A>B x; & A>C x; & B>C");
    assert_eq!((labels(&diagram).len(), diagram.styling_statements), (4, 1));
}

#[test]
fn frames() {
    let text = "alt #red x\nA -> B : 1\nelse y\nloop 3 times\nB -> A\nend loop\nend\n\
                group a [b]\npartition#blue c\nend\nend group\npar\nalso\nend\npar2\nend\n\
                critical\nend\nbreak\nend\nopt\nend";
    assert_eq!(
        short(&read(text)),
        "alt[x: A>B 1 | y: loop[3 times: B>A]]; group[a [b]: group[c: ]]; par[:  | : ]; par[: ]; \
         critical[: ]; break[: ]; opt[: ]"
    );
}

#[test]
fn else_divides_frames_whose_parts_have_a_meaning() {
    for (frame, expected) in [
        ("alt", "alt"),
        ("par", "par"),
        ("par2", "par"),
        ("critical", "critical"),
        ("group", "group"),
        ("partition", "group"),
    ] {
        let text = format!("{frame}\nA -> B\nelse x\nB -> A\nend");
        assert_eq!(short(&read(&text)), format!("{expected}[: A>B | x: B>A]"), "{frame}");
    }
    let text = "loop\nA -> B\nelse\nend";
    let error = parse(text, 0..text.len(), &|_| Err(IncludeError::NoFolder)).expect_err("an error");
    let error = error.of(Source::new("", text));
    let help = error.diagnostics()[0].help.as_deref();
    let expected = "`else` divides `alt`, `opt`, `par`, `critical` and `group` only: put an `alt` into the `loop`";
    assert_eq!(help, Some(expected));
}

/// As PlantUML draws it: like a message without the sign.
#[test]
fn a_parallel_message_with_nothing_before_it_is_like_any_other() {
    for (text, expected) in [
        ("& A -> B", "A>B"),
        ("A -> B\nopt\nnote left: x\n  & A -> B\nend", "A>B; opt[: note : x; A>B]"),
        ("A -> B\nalt\nA -> B\nelse\n& A -> B\n& B -> A\nend", "A>B; alt[: A>B | : A>B; & B>A]"),
        ("& opt\nA -> B\nend", "opt[: A>B]"),
        ("A -> B ++\nloop\n& return\nend", "A>B; loop[: B>A]"),
    ] {
        assert_eq!(short(&read(text)), expected, "{text}");
    }
}

#[test]
fn arrows_from_outside_have_a_side() {
    let text =
        "[-> A : 1\nA ->] : 2\n[<- A : 3\nA <-] : 4\n?-> A : 5\nA ->? : 6\n-> A : 7\nA ->x] : 8";
    let expected = "[>A 1; A>] 2; A>[ 3; ]>A 4; ?>A 5; A>? 6; [>A 7; A>] 8";
    assert_eq!(short(&read(text)), expected);
}

#[test]
fn frames_beside_each_other() {
    let text = "A -> B\n& B -> C\n& opt x\nA -> C\nend\n& opt y\nC -> A\nend\nA -> B";
    assert_eq!(short(&read(text)), "A>B; & B>C; opt[x: A>C]; opt[y: C>A]; A>B");
}

#[test]
fn answers_go_back_to_the_sender() {
    for (text, expected) in [
        ("A -> B ++ : 1\nB -> C ++ : 2\nreturn 3\nreturn 4", "A>B 1; B>C 2; C>B 3; B>A 4"),
        ("A -> B : 1\nactivate B\nB -> C : 2\nC -> B\nreturn 3", "A>B 1; B>C 2; C>B; B>A 3"),
        ("A -> B : 1\nreturn 2", "A>B 1; B>A 2"),
        ("A -> B : 1\nopt\nreturn 2\nend", "A>B 1; opt[: B>A 2]"),
        ("A -> B\nalt\nelse\nactivate B\nreturn 2\nend", "A>B; alt[:  | : B>A 2]"),
        ("[-> A ++ : 1\nreturn 2", "[>A 1; A>[ 2"),
        ("A -> A ++ : 1\nreturn 2", "A>A 1; A>A 2"),
        (
            "autoactivate on\nA -> B : 1\nB -> C : 2\nC --> B : 3\nreturn 4",
            "A>B 1; B>C 2; C>B 3; B>A 4",
        ),
        ("A -> B ++\nB -> C --++\nreturn 3", "A>B; B>C; C>B 3"),
        ("A -> B\nB++\nB -> C\nB -> C\nreturn", "A>B; B>C; B>C; B>A"),
    ] {
        assert_eq!(short(&read(text)), expected, "{text}");
    }
}

#[test]
fn notes_and_references() {
    let text = "A -> B\nnote left: x\nnote right of A #red : y\nhnote over A, \"B c\"\n l1\n l2\nendhnote\n\
                / rnote over A <<z>> : w\nnote across\nv\nend note\nnote left A: u\nref over A, B : r\n\
                ref#blue over A\n r1\nr2\nend ref\nnote bottom : t";
    assert_eq!(
        short(&read(text)),
        "A>B; note : x; note A: y; note A,B c: l1/l2; note A: w; note : v; note A: u; ref A,B: r; \
         ref A: r1/r2; note : t"
    );
}

#[test]
fn directives_stand_where_they_are_written() {
    let text = "' multitrace: first\n@startuml\nA -> B\n' multitrace: second\nalt\n'multitrace:third\n\
                end\nnote left\n' multitrace: fourth\nx\nend note\n' other\n@enduml";
    let diagram = read(text);
    let expected = "'first; A>B; 'second; alt[: 'third]; 'fourth; note : x";
    assert_eq!(short(&diagram), expected);
    let Statement::Directive(second) = &diagram.body[2] else { panic!("a directive") };
    assert_eq!(&text[second.span.start..second.span.end], "second");
}

#[test]
fn looks_are_counted() {
    let text = "skinparam x {\n y {\n z 1\n }\n}\n<style>\na { b }\n</style>\nsprite $s [1x1/16] {\n0\n}\n\
                hide footbox\nautonumber\nA -> B\n== x ==\n...\n|||\nlegend\nA -> C\nendlegend\nnewpage";
    let diagram = read(text);
    assert_eq!((short(&diagram).as_str(), diagram.styling_statements), ("A>B", 10));
}

#[test]
fn macros_change_texts_but_not_places() {
    let text = "!$who = \"Bob\"\n!include common.puml\nAlice -> $who : $who's\n";
    let diagram = read(text);
    assert_eq!(short(&diagram), "Alice>Bob Bob's");
    let Statement::Message(message) = &diagram.body[0] else { panic!("a message") };
    assert_eq!(&text[message.span.start..message.span.end], "Alice -> $who : $who's");
    let alice = diagram.participants[0].span;
    assert_eq!(&text[alice.start..alice.end], "!include common.puml");
}

#[test]
fn errors_have_places() {
    for (text, expected) in [
        ("A -> B\nclass X", "2:1: not a statement of a sequence diagram"),
        ("A -> B\nend", "2:1: `end` without a frame"),
        ("A -> B\nelse", "2:1: `else` without a frame"),
        ("A -> B\nalso", "2:1: `also` without a frame"),
        ("loop\nA -> B\n  else x\nend", "3:3: `else` in `loop`"),
        ("alt\nbreak\nA -> B\nelse\nend\nelse\nend", "4:1: `else` in `break`"),
        ("par\nA->B\nand\nend", "3:1: not a statement of a sequence diagram"),
        ("return x", "1:1: `return` without a message to answer"),
        ("A->B\nopt\nend\nreturn x", "4:1: `return` without a message to answer"),
        ("A -> B\ndeactivate", "2:1: nothing to deactivate"),
        ("deactivate A\nA -> B", "1:1: nothing to deactivate"),
        (
            "A -> B\ncreate C\nA -> B",
            "3:1: the message after `create` does not go to the created participant",
        ),
        ("A -- B : x", "1:3: an arrow without a head"),
        ("A -> B C : x", "1:8: a message that goes on after the participant"),
        ("participant foo bar", "1:17: a participant that goes on after its name"),
        ("A -> B\nnote left\nx", "2:1: a block that is not ended"),
        ("A -> B\nnote over : x", "2:1: a note that cannot be read"),
        ("skinparam x {\nA -> B", "1:1: a block that is not ended"),
        ("A->B\nend box", "2:1: `end box` without a box"),
        ("", "1:1: an empty diagram"),
        ("A->B\n/' x", "2:1: a comment that is not closed"),
        ("@startmindmap\n@endmindmap", "1:1: not a sequence diagram"),
        ("!include <aws/x>", "1:1: a library of PlantUML cannot be included"),
        ("!include https://x/y.puml", "1:1: an address cannot be included"),
        ("!include nope.puml", "1:1: cannot include `nope.puml`: no such file"),
        (
            "!include circle.puml",
            "1:1: in circle.puml, line 1: too many files that include each other",
        ),
        (
            "!include broken.puml",
            "1:1: in broken.puml, line 1: not a statement of a sequence diagram",
        ),
    ] {
        assert_eq!(errors(text), [expected], "{text}");
    }
}

/// Files with errors.
fn broken_files(name: &str) -> Result<String, IncludeError> {
    match name {
        "parts/one.puml" => Ok("@startuml\n!include two.puml\nA -> B\nclass X\n@enduml".to_owned()),
        "parts/two.puml" => Ok("A -> B\n\n!import x\n%date()".to_owned()),
        "parts/three.puml" => Ok("!include ../x.puml\n!include /y.puml".to_owned()),
        "parts/open.puml" => Ok("A -> B\n!if 1".to_owned()),
        "parts/end.puml" => Ok("\n!endif".to_owned()),
        "parts/comment.puml" => Ok("A -> B\n/' x".to_owned()),
        "parts/other.puml" => Ok("\n@startmindmap".to_owned()),
        "parts/deep.puml" => Ok("!include comment.puml\n!include open.puml".to_owned()),
        "parts/call.puml" => {
            Ok("!procedure p()\nclass X\n!log\n%date()\n!endprocedure\n".to_owned())
        }
        _ => Err(IncludeError::Unreadable("no such file".to_owned())),
    }
}

#[test]
fn errors_in_included_files_say_the_file_and_the_line() {
    for (text, expected) in [
        (
            "!include parts/one.puml",
            &[
                "1:1: in parts/two.puml, line 4: the function `%date` is not supported",
                "1:1: in parts/two.puml, line 3: `!import` of the preprocessor is not supported",
                "1:1: in parts/one.puml, line 4: not a statement of a sequence diagram",
            ][..],
        ),
        (
            "A -> B\n !include parts/three.puml",
            &[
                "2:2: in parts/three.puml, line 1: cannot include `parts/../x.puml`: no such file",
                "2:2: in parts/three.puml, line 2: cannot include `/y.puml`: no such file",
            ],
        ),
        (
            "!include parts/open.puml",
            &["1:1: in parts/open.puml, line 2: a block of the preprocessor that is not closed"],
        ),
        (
            "!include parts/end.puml",
            &["1:1: in parts/end.puml, line 2: `!endif` without a block that it belongs to"],
        ),
        (
            "!include parts/other.puml",
            &["1:1: in parts/other.puml, line 2: not a sequence diagram"],
        ),
        (
            "!include parts/deep.puml",
            &[
                "1:1: in parts/comment.puml, line 2: a comment that is not closed",
                "1:1: in parts/open.puml, line 2: a block of the preprocessor that is not closed",
            ],
        ),
        (
            "!include parts/call.puml\nA -> B\np()",
            &[
                "1:1: in parts/call.puml, line 4: the function `%date` is not supported",
                "3:1: in parts/call.puml, line 2: not a statement of a sequence diagram",
            ],
        ),
    ] {
        let error =
            parse(text, 0..text.len(), &broken_files).expect_err(text).of(Source::new("", text));
        let lines: Vec<String> =
            error.lines().map(|line| line.trim_start_matches(':').to_owned()).collect();
        assert_eq!(lines, expected, "{text}");
    }
}

#[test]
fn several_errors_are_reported() {
    let found = errors("class A\nA -> B\nA -- B\nend");
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn nesting_is_limited() {
    let found = errors(&"alt\n".repeat(100_000));
    assert_eq!(found, ["201:1: frames nested deeper than 200 levels"]);
}

#[test]
fn long_texts_take_linear_time() {
    for line in
        ["A -> B : **x\n", "participant A\n", "note left: x\n", "A -> B ++\nreturn\n", "/' '/\n"]
    {
        let text = line.repeat(50_000);
        let _ = parse(&text, 0..text.len(), &|_| Err(IncludeError::NoFolder));
    }
    for piece in ["f(", "\"\"", "[[", "{a} ", "& ", "<b>", "A as ", "%upper("] {
        let text = format!("!define f(x) x\nA -> B : {}\n", piece.repeat(50_000));
        let _ = parse(&text, 0..text.len(), &|_| Err(IncludeError::NoFolder));
    }
}

#[test]
fn what_plantuml_draws_is_read() {
    for (text, expected) in [
        ("\u{feff}@startuml\nA -> B : m\n@enduml", "A>B m"),
        ("\u{feff}A -> B : m", "A>B m"),
        ("A -> B : x\n====\nB -> A : y", "A>B x; B>A y"),
        ("A ->(10) B : x\nB (5)<- A : y", "A>B x; A>B y"),
        ("A -->X B : lost", "A>B lost"),
    ] {
        assert_eq!(short(&read(text)), expected, "{text}");
    }
    let open = read("A -> B : x\ngroup g\nalt y\nB -> A : z");
    assert_eq!(short(&open), "A>B x; group[g: alt[y: B>A z]]");
    assert_eq!(open.unclosed.len(), 2);
}
