//! Diagrams and the models that the reader makes of them, construct by construct.

use super::*;
use crate::diagram::model::{
    Arrow, End, Fragment, FragmentOperator, Head, Life, MarkKind, Message, Note, Participant,
    ParticipantId, Sign, Statement,
};
use crate::source::Source;

mod errors;

/// A diagram without its marks.
fn read(text: &str) -> Diagram {
    let mut diagram = whole(text);
    drop_marks(&mut diagram.body);
    diagram
}

fn drop_marks(body: &mut Vec<Statement>) {
    body.retain(|it| !matches!(it, Statement::Mark(_)));
    for statement in body {
        if let Statement::Fragment(fragment) = statement {
            fragment.operands.iter_mut().for_each(|it| drop_marks(&mut it.body));
        }
    }
}

fn whole(text: &str) -> Diagram {
    parse(text, 0..text.len())
        .unwrap_or_else(|errors| panic!("{}", errors.of(Source::new("d.mmd", text))))
}

/// The marks outside of frames.
fn marks(lines: &str) -> Vec<MarkKind> {
    let mark = |statement| match statement {
        Statement::Mark(mark) => Some(mark.kind),
        _ => None,
    };
    whole(&format!("sequenceDiagram\n{lines}")).body.into_iter().filter_map(mark).collect()
}

/// The statements of a diagram, behind its first line.
fn body(lines: &str) -> Vec<Statement> {
    read(&format!("sequenceDiagram\n{lines}")).body
}

fn message(statement: &Statement) -> &Message {
    let Statement::Message(message) = statement else { panic!("no message: {statement:?}") };
    message
}

fn fragment(statement: &Statement) -> &Fragment {
    let Statement::Fragment(fragment) = statement else { panic!("no frame: {statement:?}") };
    fragment
}

/// Names and labels of the participants.
fn labels(diagram: &Diagram) -> Vec<(&str, &str)> {
    diagram.participants.iter().map(|p| (p.id.as_str(), p.label.as_str())).collect()
}

/// The texts of the messages and notes, in order.
fn texts(lines: &str) -> Vec<String> {
    let text = |statement: &Statement| match statement {
        Statement::Message(message) => message.text.clone(),
        Statement::Note(note) => note.text.clone(),
        other => panic!("{other:?}"),
    };
    body(lines).iter().map(text).collect()
}

#[test]
fn a_message_with_its_places() {
    let text = "# x\n```\nsequenceDiagram\n  Alice ->> Bob : <b>hi</b> there # c\n```";
    let diagram = parse(text, 8..text.len() - 3).unwrap_or_else(|e| panic!("{e:?}"));
    let found = message(&diagram.body[0]);
    assert_eq!(found.text, "<b>hi</b> there");
    assert_eq!(&text[found.text_span.start..found.text_span.end], "<b>hi</b> there");
    assert_eq!(&text[found.span.start..found.span.end], "Alice ->> Bob : <b>hi</b> there");
    let Participant { id, label, kind, span, .. } = &diagram.participants[1];
    assert_eq!((id.as_str(), label.as_str(), kind.as_str()), ("Bob", "Bob", "participant"));
    assert_eq!(&text[span.start..span.end], "Bob");
    assert_eq!(found.from, End::Participant(crate::diagram::model::ParticipantId(0)));
}

#[test]
fn places_survive_what_is_removed() {
    let text = "---\r\ntitle: T\r\n---\r\nsequenceDiagram\r\n%%{init: {'a': 1}\r\n}%% A->>B: #lt;x\r\n%% c\r\nB->>A: y";
    let diagram = read(text);
    let spans: Vec<&str> = diagram
        .body
        .iter()
        .map(|statement| {
            &text[message(statement).text_span.start..message(statement).text_span.end]
        })
        .collect();
    assert_eq!(spans, ["#lt;x", "y"]);
    assert_eq!(message(&diagram.body[0]).text, "<x");
    assert_eq!((diagram.title.as_deref(), diagram.styling_statements), (Some("T"), 1));
}

#[test]
fn every_arrow() {
    let arrows = arrow::ARROWS;
    for (sign, drawn) in arrows {
        let statements = body(&format!("A{sign}B: x\nA {sign} () B: x"));
        let arrows: Vec<_> = statements.iter().map(|it| message(it).arrow).collect();
        assert_eq!(arrows, [false, true].map(|it| drawn.arrow([false, it])), "{sign}");
    }
}

#[test]
fn arrows_say_what_may_have_a_meaning() {
    let heads = [
        ("->>", Head::Filled),
        ("->", Head::None),
        ("-x", Head::Cross),
        ("-)", Head::Open),
        ("-|/", Head::Open),
    ];
    for (sign, head) in heads {
        assert_eq!(
            message(&body(&format!("A{sign}B: x"))[0]).arrow,
            Arrow { head, ..Arrow::default() }
        );
    }
    for sign in ["/|-", r"\|-", "//-", r"\\-", "/|--", r"\|--", "//--", r"\\--"] {
        let sent = message(&body(&format!("A{sign}B: x"))[0]).arrow;
        let is_dotted = sign.ends_with("--");
        let arrow = Arrow { head: Head::Open, is_dotted, is_reversed: true, ..Arrow::default() };
        assert_eq!(sent, arrow, "{sign}");
    }
    let both = message(&body("A<<-->>B: x")[0]).arrow;
    assert!(both.is_bidirectional() && both.is_dotted && !both.is_reversed);
}

#[test]
fn central_connections_and_activations() {
    let lines =
        "A->>+B: 1\nB-->>-A: 2\nA()->>B: 3\nA->>()B: 4\nA()->>()B: 5\nactivate A\ndeactivate A";
    assert_eq!(texts(lines), ["1", "2", "3", "4", "5"]);
    let circles = ["A()->>B: 1", "A->>()B: 2", "A()-x()B: 3", "A->>+B: 4"]
        .map(|it| message(&body(it)[0]).arrow.signs.map(|sign| sign == Some(Sign::Circle)));
    assert_eq!(circles, [[true, false], [false, true], [true, true], [false, false]]);
}

#[test]
fn names_with_signs() {
    let diagram = read(
        "sequenceDiagram\nMy App-server (v1) ->> b/c\\d: x\nA%b->>_x: y\nendpoint->>#35;1: z\na=b->>é: q",
    );
    let names: Vec<&str> = labels(&diagram).iter().map(|&(id, _)| id).collect();
    let expected = ["My App-server (v1)", "b/c\\d", "A%b", "_x", "endpoint", "#35;1", "a=b", "é"];
    assert_eq!(names, expected);
    assert_eq!(labels(&diagram)[5].1, "#1");
}

#[test]
fn declarations() {
    let diagram = read(
        "sequenceDiagram\nparticipant A B-C+D\nactor B AS wrap: Bob<br>B.\nparticipant C as C\n\
         participant D@{ \"type\": \"queue\", \"alias\": \"Dee\" } as Other\n\
         participant E@{\n alias: Ee\n}\nparticipant F; B->>G: x\nparticipant B as Bo",
    );
    let expected =
        [("A B-C+D", "A B-C+D"), ("B", "Bo"), ("C", "C"), ("D", "Other"), ("E", "Ee"), ("F", "F")];
    assert_eq!(labels(&diagram)[..6], expected);
    let kinds: Vec<&str> = diagram.participants.iter().map(|p| p.kind.as_str()).collect();
    assert_eq!(kinds[..4], ["participant", "participant", "participant", "queue"]);
}

#[test]
fn created_and_destroyed() {
    let lines = "create actor B as Bob\nnote over A: x\nA->>B: x\ndestroy B\nB-xA: y\ndestroy Z";
    assert_eq!(texts(lines), ["x", "x", "y"]);
}

#[test]
fn marks_are_kept() {
    let looks = |text: &str| MarkKind::Looks(text.to_owned());
    let comment = |text: &str| MarkKind::Comment(text.to_owned());
    let life = |life, of| MarkKind::Life(life, ParticipantId(of));
    assert_eq!(
        marks(
            "%%{init: {}}%%\nautonumber 10 5\n%% one #35;\nA->>+B: x\nB-->>-A: y\n%% two\nlink A: l @ u"
        ),
        [
            looks("%%{init: {}}%%"),
            MarkKind::AutoNumber { text: "10 5".to_owned(), counts_hidden: true },
            comment("one #35;"),
            life(Life::Activate, 1),
            life(Life::Deactivate, 1),
            comment("two"),
            looks("link A: l @ u"),
        ]
    );
    assert_eq!(
        marks("A->>A: x\ncreate actor B\nA->>B: y\ndestroy B\nA-xB: z\nactivate A"),
        [life(Life::Create, 1), life(Life::Destroy, 1), life(Life::Activate, 0)]
    );
}

#[test]
fn boxes() {
    let diagram = read(
        "sequenceDiagram\nbox rgb(1,2,3) One\nparticipant A\n\nactor B\nend\nbox\nparticipant C\nend\nA->>D: x",
    );
    let [one, two] = diagram.boxes.as_slice() else { panic!("two boxes") };
    let members = |of: &crate::diagram::model::ParticipantBox| {
        of.members.iter().map(|id| id.index()).collect::<Vec<_>>()
    };
    assert_eq!((one.label.as_str(), members(one)), ("One", vec![0, 1]));
    assert_eq!((two.label.as_str(), members(two)), ("", vec![2]));
}

#[test]
fn notes() {
    let lines = "note left of A: one<br/>two\nNOTE over A,B:wrap:x\nNote over A, A: y";
    let found = body(lines);
    let over = |statement: &Statement| match statement {
        Statement::Note(Note { over, .. }) => over.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(found.iter().map(over).collect::<Vec<_>>(), [1, 2, 1]);
    assert_eq!(texts(lines), ["one\ntwo", "x", "y"]);
}

#[test]
fn frames() {
    let text =
        "sequenceDiagram\nalt is it?\nA->>B: 1\nloop\nA->>B: 2\nend else\nelse wrap: no # c\nend";
    let diagram = read(text);
    let found = fragment(&diagram.body[0]);
    let titles: Vec<&str> = found.operands.iter().map(|operand| operand.text.as_str()).collect();
    assert_eq!((found.operator, titles), (FragmentOperator::Alt, vec!["is it?", "", "no"]));
    assert_eq!(&text[found.span.start..found.span.end], &text[16..]);
    let header = found.operands[2].header;
    assert_eq!(&text[header.start..header.end], "else wrap: no");
    assert_eq!(fragment(&found.operands[0].body[1]).operator, FragmentOperator::Loop);
}

#[test]
fn every_frame() {
    use FragmentOperator::{Break, Critical, Group, Loop, Opt, Par};
    let lines = "par a\nand b\nend\npar_over a\nand b\nend\ncritical a\noption b\nend\nbreak a\nend\n\
                 rect red\nend\nopt a\nend loop b\nend";
    let kinds: Vec<_> = body(lines).iter().map(|statement| fragment(statement).operator).collect();
    assert_eq!(kinds, [Par, Par, Critical, Break, Group, Opt, Loop]);
}

#[test]
fn texts_as_people_read_them() {
    let lines = "A->>B:a#quot;b #35;1#59; %% c\nA->>B: x; A->>B:\nA->>B: y # z\nA->>B:nowrap: w\nA->>B::: v";
    assert_eq!(texts(lines), ["a\"b #1; %% c", "x", "", "y", "w", ":: v"]);
    let empty = body("A->>B: ;");
    assert_eq!(message(&empty[0]).text_span, crate::source::Span::new(23, 23));
}

#[test]
fn styling_is_counted() {
    let text = "sequenceDiagram\nautonumber\nautonumber 1.5 .1\nautonumber off\ntitle: x\ntitle  A #lt; B\n\
                accTitle: a\naccDescr : b\naccDescr { c\n d }\nlink A: x @ y\nlinks A: {}\n\
                properties A: {}\ndetails A: d\nactivate A\ndeactivate A\nA->>A: x\n) )";
    let diagram = read(text);
    assert_eq!((diagram.styling_statements, diagram.body.len()), (12, 1));
    assert_eq!(diagram.title.as_deref(), Some("A < B"));
}

#[test]
fn directives_stand_where_they_are_written() {
    let text = "%% multitrace: top #35;\n%% other\nsequenceDiagram\nopt x\n%%multitrace:in\nend\n\
                A->>B: x\nend_->>B: x %% multitrace: text\nB->>A: y; %% multitrace: last \n";
    let diagram = read(text);
    let kinds: Vec<&str> = diagram
        .body
        .iter()
        .map(|statement| match statement {
            Statement::Directive(directive) => {
                assert_eq!(&text[directive.span.start..directive.span.end], directive.text);
                directive.text.as_str()
            }
            Statement::Fragment(found) => {
                assert!(matches!(&found.operands[0].body[..], [Statement::Directive(d)] if d.text == "in"));
                "opt"
            }
            _ => "message",
        })
        .collect();
    assert_eq!(kinds, ["top #35;", "opt", "message", "message", "message", "last"]);
}

#[test]
fn comments_of_every_kind() {
    let lines = "# a\n%% b\n%\n%%\nloop # c\nend %% d\nparticipant A # e\n  %% f\n\n  # g\nA->>A: x;%% h\n;%%i\n";
    assert_eq!(body(lines).len(), 2);
    assert_eq!(labels(&read(&format!("sequenceDiagram\n{lines}")))[0].0, "A # e");
}

#[test]
fn front_matter() {
    let title = |text: &str| read(text).title;
    let quoted = "---\nconfig:\n  theme: x\ntitle: \"a: b\" # c\n---\n\nsequenceDiagram";
    assert_eq!(title(quoted).as_deref(), Some("a: b"));
    assert_eq!(title("---\n\n---\nsequenceDiagram"), None);
    assert_eq!(title("  ---\n  title: x\n  ---\n  sequenceDiagram\ntitle y").as_deref(), Some("y"));
}

#[test]
fn words_are_keywords_only_whole() {
    let diagram = read("sequenceDiagram\nEndpoint->>notes: x\nANDy->>optionA: y\nloops->>A: z");
    assert_eq!(diagram.participants.len(), 5 + 1);
}

#[test]
fn nothing_in_a_diagram() {
    for text in ["sequenceDiagram", "\n \nsequenceDiagram;", "sequenceDiagram %% c"] {
        assert_eq!(read(text), Diagram::default(), "{text}");
    }
}
