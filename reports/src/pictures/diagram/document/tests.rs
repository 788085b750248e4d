//! Tests of diagrams as they were drawn.

use crate::paint::Paint;
use crate::pictures::checks::check_svg;
use crate::pictures::diagram::subject::{Diagram, Document, MOST_ROWS};
use crate::pictures::overlay::{Mark, Overlay};
use crate::pictures::svg::SvgOptions;
use crate::pictures::{Tone, grid, svg};
use multitrace_formats::diagram::{
    DiagramOptions, IncludeError, Notation, ReadDiagram, read, whole,
};
use multitrace_formats::source::{Source, Span};
use multitrace_interaction::{Id, Interaction, Locations, Node, NodeId};

fn parsed(text: &str, notation: Notation) -> Option<ReadDiagram> {
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let source = Source::new("d", text);
    read(&source, &whole(text, notation), &DiagramOptions::default(), &no_files).ok()
}

/// The picture of a diagram in each form.
fn drawn(read: &ReadDiagram, overlay: &Overlay, width: usize) -> (String, String) {
    let parsed = &read.parsed;
    let locations = Locations::discrete(&parsed.signature);
    let document = Document { diagram: &read.drawing.model, spans: &parsed.spans };
    let subject = Diagram {
        interaction: &parsed.interaction,
        signature: &parsed.signature,
        locations: &locations,
        labels: &[],
        title: read.drawing.title.as_deref().unwrap_or_default(),
        overlay,
        document: Some(document),
        rows: MOST_ROWS,
    };
    let svg = svg::write(&super::drawing(&subject, document), SvgOptions::default());
    check_svg(&svg);
    (svg, grid::write(&super::cells(&subject, document, width), width, Paint::PLAIN))
}

fn text(text: &str, width: usize) -> String {
    let read = parsed(text, Notation::Mermaid).expect("a diagram");
    drawn(&read, &Overlay::default(), width).1
}

#[test]
fn an_arrow_with_two_heads_is_one_line() {
    let lines = "sequenceDiagram\na<<->>b: sync\na<<-->>b: later";
    let shown = text(lines, 80);
    assert!(shown.contains("│◄─ sync ──►│") && shown.contains("│◄╌ later ╌►│"), "{shown}");
    let read = parsed(lines, Notation::Mermaid).expect("a diagram");
    let svg = drawn(&read, &Overlay::default(), 80).0;
    let count = |class: &str| svg.matches(&format!(" {class}\"")).count();
    assert_eq!((count("dashed"), count("head")), (1, 4), "{svg}");
}

/// Circles stand at the ends at which their author put them.
#[test]
fn circles_are_drawn_at_both_ends() {
    let lines = "sequenceDiagram\na->>()b: to\na()->>b: from\nb()-->>()a: both\na()->>()a: own";
    let shown = text(lines, 80);
    for arrow in ["├── to ───○│", "├○ from ──►│", "│○ both ╌╌○┤", "├○─┐ own", "│○─┘"]
    {
        assert!(shown.contains(arrow), "{arrow}\n{shown}");
    }
    let read = parsed(lines, Notation::Mermaid).expect("a diagram");
    let svg = drawn(&read, &Overlay::default(), 80).0;
    assert_eq!(svg.matches("<circle").count(), 6, "{svg}");
}

/// Each head is drawn as it is written.
#[test]
fn two_heads_may_differ() {
    let count = |line: &str| {
        let text = format!("@startuml\na {line} b : m\n@enduml\n");
        let read = parsed(&text, Notation::PlantUml).expect("a diagram");
        drawn(&read, &Overlay::default(), 80).0.matches(" head\"").count()
    };
    let counts = ["<->", "<->>", "/->", "<<->>"].map(count);
    assert_eq!(counts, [counts[0], counts[0] - 1, counts[0] - 1, counts[0] - 2]);
}

/// The walls of a narrow head stay beside names that fill it.
#[test]
fn heads_keep_their_walls_where_there_is_little_room() {
    let names = ["Depot of the north", "Van", "Tracking", "Customers", "Ware house"];
    for width in [30, 40, 50, 60] {
        let head = |at: usize| format!("participant p{at} as {}\n", names[at % names.len()]);
        let heads: String = (0..7).map(head).collect();
        let shown = text(&format!("sequenceDiagram\n{heads}p0->>p1: m"), width);
        let rows = shown.lines().take_while(|it| !it.contains(" m"));
        let is_whole = |it: &str| it.matches('│').count().is_multiple_of(2);
        assert!(rows.clone().count() > 2 && rows.clone().all(is_whole), "{shown}");
    }
}

/// As JSON has it.
#[test]
fn lines_of_a_text_keep_their_indentation() {
    let shown = text("sequenceDiagram\na->>b: {<br/>  \"k\": 1,<br/>  \"long\": 2<br/>}", 80);
    let start = |text: &str| {
        let line = shown.lines().find(|it| it.contains(text)).unwrap_or_default();
        line.chars().position(|it| text.starts_with(it)).unwrap_or_default()
    };
    assert_eq!(start("\"k"), start("{") + 2, "{shown}");
    assert_eq!(start("\"long"), start("}") + 2, "{shown}");
}

/// Titles, conditions and titles of groups are wrapped, boxes for which there is no room are named.
#[test]
fn no_line_is_cut_where_there_is_little_room() {
    let long = "a condition that is a good deal longer than the room that the frames around it leave to it";
    let mut lines = format!("@startuml\ntitle {long} and longer\nbox Depot of the north\n");
    (0..9).for_each(|at| lines += &format!("participant carrier{at}\n"));
    lines += &format!("end box\ngroup {long}\nalt {long}\ncarrier0 -> carrier1 : m\n");
    lines += "note right : beside the arrow\nend\nend\ncarrier7 -> carrier8 : n\nnote right : at the edge\n@enduml\n";
    let read = parsed(&lines, Notation::PlantUml).expect("a diagram");
    let shown = drawn(&read, &Overlay::default(), 60).1;
    assert!(!shown.contains('…'), "{shown}");
    assert!(shown.contains("Depot of the north: carrier0"), "{shown}");
}

#[test]
fn conditions_notes_and_dashes_are_drawn() {
    let lines = "sequenceDiagram\nparticipant d as Depot\nactor v as Van\nd->>v: hand over\n\
                 loop every stop, 1..9\nv-->>d: position\nend\nnote over v: the<br/>end";
    assert_eq!(
        text(lines, 80),
        " ┌─────────┐
 │  Depot  │               Van
 └─────────┘                ╷
      ├───── hand over ────►│
  ┌ loop [every stop, 1..9] ┼───┐
  │   │◄╌╌╌╌ position ╌╌╌╌╌╌┤   │
  └───┼─────────────────────┼───┘
      │                 ┌───────┐
      │                 │  the  │
      │                 │  end  │
      │                 └───────┘
      ╵                     ╵
"
    );
}

#[test]
fn arrows_from_outside_begin_at_the_edge_or_near_their_lifelines() {
    let lines = "@startuml\nparticipant Depot\nparticipant Van\n[-> Depot : parcel\nVan ->] : out\n\
                 [<- Van : horn\nalt x\nDepot <-] : call\nend\n?-> Van : wind\nVan ->? : dust\nVan ->x] : lost\n@enduml\n";
    let read = parsed(lines, Notation::PlantUml).expect("a diagram");
    let (svg, text) = drawn(&read, &Overlay::default(), 80);
    assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
    assert_eq!(
        text,
        "          ┌─────────┐   ┌───────┐
          │  Depot  │   │  Van  │
          └─────────┘   └───────┘
╶─── parcel ──►│            │
               │            ├── out ────►
 ◄───────── horn ───────────┤
           ┌ alt [x] ───────┼───┐
           │   │◄──────── call ─┼────────╴
           └───┼────────────┼───┘
               │ ●─ wind ──►│
               │            ├─ dust ──►○
               │            ├─ lost ────✗
               ╵            ╵
"
    );
}

/// Neither is drawn.
#[test]
fn comments_and_looks_change_no_picture() {
    let lines = |between: &str| {
        let text = format!(
            "@startuml\nDepot -> Van : go\n{between}activate Van\nVan -> Van : load\n{between}deactivate Van\n@enduml\n"
        );
        let read = parsed(&text, Notation::PlantUml).expect("a diagram");
        drawn(&read, &Overlay::default(), 80)
    };
    assert_eq!(lines(""), lines("' a comment\nhide footbox\n"));
}

/// Whoever looks at the picture alone should read what the diagram means.
#[test]
fn directives_stand_in_braces() {
    let lines = "sequenceDiagram\nparticipant L\n%% multitrace: only these messages at L\n%% multitrace: never logged L!k\n\
                 %% multitrace: locations L\n%% multitrace: loop 1..3\nloop retry\nL->>L: k\nend\n\
                 %% multitrace: quorum 2\n%% multitrace: for f in f1..f3\npar\n%% multitrace: may be lost\nL->>f: append\nend\n\
                 %% multitrace: anything here\nL->>L: commit";
    let read = parsed(lines, Notation::Mermaid).expect("a diagram");
    let (svg, text) = drawn(&read, &Overlay::default(), 80);
    for picture in [svg.replace("</text>", " </text>"), text] {
        for part in [
            "{only these messages at L}",
            "{never logged L!k}",
            "[retry] {1..3}",
            "{quorum 2, for f in f1..f3}",
            "append {may be lost}",
            "{anything here}",
            "f in f1..f3 ",
        ] {
            assert!(picture.contains(part), "{part}\n{picture}");
        }
        assert!(!picture.contains("locations"), "{picture}");
    }
}

#[test]
fn texts_stand_on_lines_of_their_own_where_columns_are_narrow() {
    let lines = "sequenceDiagram\nalpha->>beta: a label longer than the columns\nbeta->>gamma: ok";
    let narrow = text(lines, 34);
    assert!(narrow.lines().all(|line| line.chars().count() <= 34), "{narrow}");
    let words: Vec<&str> = narrow.split_whitespace().collect();
    assert!(words.join(" ").contains("a label longer than"), "{narrow}");
}

#[test]
fn numbers_of_messages_do_not_overflow() {
    let most = u64::MAX / 100;
    let drawn = text(&format!("sequenceDiagram\nautonumber {most} 2\na->>b: m\na->>b: n"), 80);
    assert_eq!(drawn.matches(&most.to_string()).count(), 2, "{drawn}");
}

/// The steps of messages with this text in the interaction.
fn steps(read: &ReadDiagram, place: Span) -> Vec<NodeId> {
    let interaction: &Interaction = &read.parsed.interaction;
    let is_step = |at: &usize| {
        matches!(interaction.nodes()[*at], Node::Step(_)) && read.parsed.spans[*at] == place
    };
    (0..interaction.nodes().len()).filter(is_step).map(NodeId::new).collect()
}

#[test]
fn marks_of_all_copies_are_one() {
    let text = "sequenceDiagram\nloop 1..3\na->>b: tick\nend\nopt if so\nb->>a: tock\nend";
    let read = parsed(text, Notation::Mermaid).expect("a diagram");
    let start = text.find("a->>b").expect("a message");
    let copies = steps(&read, Span::new(start, start + "a->>b: tick".len()));
    assert_eq!(copies.len(), 2 * 3);
    let mut overlay = Overlay::default();
    for (at, copy) in copies.iter().step_by(2).enumerate() {
        let mark = match at {
            2 => Mark::new(Tone::Doubtful, "never"),
            _ => Mark::new(Tone::Good, "4"),
        };
        overlay.nodes.insert(*copy, mark);
    }
    let optional = text.find("b->>a").expect("a message");
    let is_operand = |at: &usize| read.parsed.spans[*at].start == optional;
    let operand = (0..read.parsed.spans.len()).rfind(is_operand).map(NodeId::new);
    overlay.operands.insert(operand.expect("an operand"), Mark::new(Tone::Good, "7"));
    let (svg, _) = drawn(&read, &overlay, 80);
    for part in
        ["class=\"good message\"", ">tick [4]</text>", ">[if so] [7]</text>", ">[1..3]</text>"]
    {
        assert!(svg.contains(part), "{part}\n{svg}");
    }
}

#[test]
fn heads_keep_a_word_that_is_a_little_too_long() {
    let name = "topic-parcel-position-22";
    let read = parsed(&format!("sequenceDiagram\n{name}->>b: m"), Notation::Mermaid);
    let (svg, _) = drawn(&read.expect("a diagram"), &Overlay::default(), 80);
    assert!(svg.contains(&format!(">{name}<")), "{svg}");
}
