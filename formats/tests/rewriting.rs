//! Diagrams in another notation, and in their own, stay the document that they are. The corpus is not part of
//! this project: without it that test says that it is skipped.

use multitrace_formats::diagram::{
    DiagramOptions, DiagramText, IncludeError, Notation, Rewritten, read, rewrite, whole,
};
use multitrace_formats::locations::LocationGroup;
use multitrace_formats::source::Source;
use multitrace_testing::corpus::folder as corpus;
use std::fs;

fn rewritten(text: &str, from: Notation, to: Notation) -> Option<Rewritten> {
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let found = whole(text, from);
    rewrite(text, &found, &DiagramOptions::default(), &no_files, (to, None)).expect("a diagram")
}

/// How many diagrams keep all, lose only looks, lose something else, or cannot be written as they are drawn.
type Shares = [usize; 4];

fn shares(folder: &str, from: Notation, to: Notation) -> Option<Shares> {
    let folder = corpus()?.join(folder);
    let extension = if from == Notation::Mermaid { "mmd" } else { "puml" };
    let mut shares = Shares::default();
    for file in fs::read_dir(folder).expect("a folder").flatten() {
        let path = file.path();
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let no_files = |_: &str| Err(IncludeError::NoFolder);
        let (source, found) = (Source::new("d", &*text), whole(&text, from));
        let is_read = || read(&source, &found, &DiagramOptions::default(), &no_files).is_ok();
        if path.extension().is_none_or(|it| it != extension) || !is_read() {
            continue;
        }
        let looks = ["looks", "colour", "shape of notes"];
        let is_look = |loss: &String| looks.iter().any(|it| loss.contains(it));
        let kind = match rewritten(&text, from, to) {
            Some(written) if written.losses.is_empty() => 0,
            Some(written) if written.losses.iter().all(is_look) => 1,
            Some(_) => 2,
            None => 3,
        };
        shares[kind] += 1;
    }
    Some(shares)
}

#[test]
fn the_corpus_is_kept() {
    let folders =
        [("diagrams/mermaid", Notation::Mermaid), ("diagrams/plantuml", Notation::PlantUml)];
    for (folder, from) in folders {
        for to in [Notation::Mermaid, Notation::PlantUml] {
            let Some(found @ [kept, only_looks, lossy, other]) = shares(folder, from, to) else {
                println!("skipped: there is no corpus");
                return;
            };
            println!(
                "{} to {}: {kept} kept, {only_looks} but for looks, {lossy} with losses, {other} otherwise",
                from.name(),
                to.name()
            );
            let all: usize = found.iter().sum();
            assert!(other * 100 <= all, "{found:?}");
            assert!(from != to || kept == all, "{found:?}");
            assert!((kept + only_looks) * 2 >= all, "{found:?}");
        }
    }
}

const MERMAID: &str = "sequenceDiagram
    title: Parcels #35;7
    %% who takes part
    box Couriers of the north
        participant d as Depot<br/>north
        actor v as Van
    end
    participant Track@{ \"type\": \"database\" } as Tracker
    autonumber 10 5
    d->>+v: hand over #59; sign
    loop every stop, at most 9
        v--)Track: position
        note right of Track: kept for<br/>30 days
        alt nobody at home
            v-xd: retry
        else
            v->>v: scan
        end
    end
    %% multitrace: allow MT601
    critical lock the van
        v->>d: locked
    option the key is lost
        v->>Track: alarm
    end
    create participant w as Workshop
    d->>w: repair
    deactivate v
    destroy w
    d-->>w: done
";

const PLANTUML: &str = "@startuml
title Parcels #7
' who takes part
box \"Couriers of the north\"
    participant \"Depot\\nnorth\" as d
    actor Van
end box
database Tracker
autonumber 10 5
d -> Van ++ : hand over; <b>sign</b>
== on the road ==
loop every stop
    Van -->> Tracker : position
    note right of Tracker : kept for\\n30 days
    alt nobody at home
        Van ->x d : retry
    else
        Van -> Van : scan
    end
end
... some hours ...
group night shift
    ref over d, Van : the \"night\" plan
    Van ->] : horn
end
note across : the end
deactivate Van
@enduml
";

#[test]
fn a_diagram_in_its_own_notation_is_the_same_text() {
    for (text, notation) in [(MERMAID, Notation::Mermaid), (PLANTUML, Notation::PlantUml)] {
        let written = rewritten(text, notation, notation).expect("the same diagram");
        assert_eq!((written.text.as_str(), written.losses), (text, Vec::new()));
    }
}

#[test]
fn mermaid_becomes_plantuml_and_comes_back() {
    let there = rewritten(MERMAID, Notation::Mermaid, Notation::PlantUml).expect("a diagram");
    assert_eq!(there.losses, [""; 0]);
    for line in [
        "title Parcels #7",
        "box \"Couriers of the north\"",
        "    participant \"Depot\\nnorth\" as d",
        "d -> v ++ : hand over ; sign",
        "loop every stop, at most 9",
        "    v -->> Track : position",
        "    note right of Track : kept for\\n30 days",
        "        v ->x d : retry",
        "' multitrace: allow MT601",
        "critical lock the van",
        "else the key is lost",
        "create w",
    ] {
        assert!(there.text.lines().any(|it| it == line), "{line}\n{}", there.text);
    }
    let back = rewritten(&there.text, Notation::PlantUml, Notation::Mermaid).expect("a diagram");
    assert_eq!(back.text, MERMAID);
}

#[test]
fn what_mermaid_cannot_say_is_listed() {
    let written = rewritten(PLANTUML, Notation::PlantUml, Notation::Mermaid).expect("a diagram");
    assert_eq!(
        written.losses,
        [
            "Mermaid has no dividers and delays; they are notes (2 in all)",
            "Mermaid has no references; they are notes (1 in all)",
            "Mermaid draws no titles of groups; they are notes (1 in all)",
            "Mermaid has no arrows from or to the edge; they are arrows to oneself (1 in all)",
            "Mermaid has no bold, italic and coloured texts; they are plain (1 in all)",
        ]
    );
    for line in [
        "    note over d,Tracker: on the road",
        "        note over d,Van: night shift",
        "        note over d,Van: ref: the \"night\" plan",
        "        %% multitrace: local",
        "        Van->>Van: horn",
        "    note over d,Tracker: the end",
    ] {
        assert!(written.text.lines().any(|it| it == line), "{line}\n{}", written.text);
    }
}

#[test]
fn texts_with_signs_are_read_as_they_were() {
    let texts = [
        "a; b # c",
        "%%{x}%%",
        "**bold** //it// __u__ --s-- ~~w~~",
        "100 %date() $x",
        "a\\nb \\ c\\",
        "<b>x</b> <br> <U+0041>",
        "wrap: it",
        ": colon",
        "&#35; #35;",
        "'/ /' end",
        "[[url]] <<s>>",
        "* item",
        "== x ==",
        "\"quotes\" “and” others",
        "#red",
        "[ok] (y)",
        "-x ->> b",
        "ü 漢 …",
    ];
    for text in texts {
        let number = |c: char| match c {
            c if c.is_ascii_alphanumeric() || c == ' ' => c.to_string(),
            c => format!("#{};", u32::from(c)),
        };
        let coded: String = text.chars().map(number).collect();
        let diagram = format!(
            "sequenceDiagram\nparticipant A as {coded}\nA->>B: {coded}\nalt {coded}\nB->>A: x\nend\nnote over A: {coded}\n"
        );
        let there = rewritten(&diagram, Notation::Mermaid, Notation::PlantUml).expect(text);
        let back = rewritten(&there.text, Notation::PlantUml, Notation::Mermaid).expect(text);
        let again = rewritten(&back.text, Notation::Mermaid, Notation::PlantUml).expect(text);
        assert_eq!(there.text, again.text);
        assert_eq!((there.losses, back.losses), (Vec::new(), Vec::new()), "{text}");
    }
}

#[test]
fn other_locations_are_said() {
    let text = "sequenceDiagram\nA->>B: x\nB->>C: y\n";
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let members = ["A", "C"].map(str::to_owned).to_vec();
    let groups = [LocationGroup { name: None, members }];
    let found = whole(text, Notation::Mermaid);
    let options = DiagramOptions::default();
    let to = (Notation::PlantUml, Some(&groups[..]));
    let written = rewrite(text, &found, &options, &no_files, to).expect("a diagram");
    let text = written.expect("a diagram").text;
    assert!(text.contains("' multitrace: locations A,C\n"), "{text}");
}

#[test]
fn arrows_from_outside_keep_their_sides() {
    let mut text = "@startuml\nparticipant a\n".to_owned();
    for outside in ["[ ]", "? ?"] {
        let (left, right) = outside.split_once(' ').expect("two");
        for (from, to) in [(left, "a".to_owned()), ("a", right.to_owned())] {
            let gaps = if from == "a" { (" ", "") } else { ("", " ") };
            for arrow in ["->", "-->", "->>", "->x", "->o", "<-", "<<--", "x<-", "o<-", "<->"] {
                let (before, after) = gaps;
                text += &format!("{from}{before}{arrow}{after}{to} : m\n");
            }
        }
    }
    text += "@enduml\n";
    let same = rewritten(&text, Notation::PlantUml, Notation::PlantUml).expect("the same diagram");
    assert_eq!(same.text, text);
}

#[test]
fn messages_keep_their_numbers() {
    let from_plantuml = "@startuml\nautonumber 10 5\na -> b : m\nautonumber stop\na -> b : m\nautonumber resume\n\
                         a -> b : m\nautonumber resume 2\na -> b : m\nautonumber inc A\na -> b : m\nautonumber\n\
                         a -> b : m\nautonumber 3 \"<b>[00]\"\na -> b : m\n@enduml\n";
    let from_mermaid = "sequenceDiagram\na->>b: m\nautonumber\na->>b: m\nautonumber off\na->>b: m\nautonumber\na->>b: m\n\
         autonumber 4 2\na->>b: m\nautonumber 1.5 0.5\na->>b: m\n";
    let (mermaid, plantuml) = (Notation::Mermaid, Notation::PlantUml);
    for (text, from, to, expected, losses) in [
        (from_plantuml, plantuml, mermaid, "10 5|off|15 5|20 2|23 2|1|3", 1),
        (from_mermaid, mermaid, plantuml, "2|stop|4|4 2|", 1),
    ] {
        let written = rewritten(text, from, to).expect("a diagram");
        let numbers = written.text.lines().filter_map(|it| it.trim().strip_prefix("autonumber"));
        let numbers: Vec<&str> = numbers.map(str::trim).collect();
        assert_eq!((numbers.join("|"), written.losses.len()), (expected.to_owned(), losses));
    }
}

/// A message from outside that never arrives is in no log: it has no event, in any notation.
#[test]
fn lost_messages_from_the_edge_stay_nothing() {
    let text =
        "@startuml\nparticipant a\nparticipant b\na -> b : m\n[->x b : n\na x<-] : k\n@enduml\n";
    let there = rewritten(text, Notation::PlantUml, Notation::Mermaid).expect("the same meaning");
    let ignored = "    %% multitrace: ignore\n    b->>b: n\n";
    assert!(there.text.contains(ignored), "{}", there.text);
    let same = rewritten(text, Notation::PlantUml, Notation::PlantUml).expect("the same meaning");
    assert_eq!(same.text, text);
}

const STYLED: &str = "@startuml
title **Parcels**
box \"North\" #LightBlue
    participant \"<b>Depot</b>\" as d #Pink <<site>>
end box
participant Van
{start} d -[#red]> Van ++ #gold : [[https://parcels.example load]] it
d -[#blue,dashed]-> Van
d -\\ Van : half
d ->(10) Van : slowly
' a comment behind the statement
hnote over Van #yellow : **keep** cool
/ rnote right of d : same row
note left of Van #red
one **thing**
* and another
end note
activate d #green
deactivate d
group #AABBCC all **night**
    Van --> d -- #gold : back
end
ref#Pink over d, Van : a plan
@enduml
";

#[test]
fn colours_shapes_and_marks_stay_in_their_notation() {
    let text = STYLED;
    let same = rewritten(text, Notation::PlantUml, Notation::PlantUml).expect("the same diagram");
    assert_eq!((same.text.as_str(), same.losses), (text, Vec::new()));
    let behind = text.replace("half\n", "half /' a comment '/\n");
    let again = rewritten(&behind, Notation::PlantUml, Notation::PlantUml).expect("a diagram");
    assert!(again.text.contains("' a comment\nd -\\ Van : half\n"), "{}", again.text);
}

#[test]
fn colours_shapes_and_marks_are_listed_for_the_other_notation() {
    let there = rewritten(STYLED, Notation::PlantUml, Notation::Mermaid).expect("a diagram");
    for loss in [
        "Mermaid has no messages and notes beside each other; they are below each other (1 in all)",
        "Mermaid lacks these colours, styles and links; they are left out (9 in all)",
        "Mermaid has one shape of notes (2 in all)",
        "Mermaid has no bold, italic and coloured texts; they are plain (6 in all)",
    ] {
        assert!(there.losses.iter().any(|it| it == loss), "{:?}", there.losses);
    }
    for line in ["    box LightBlue North", "    rect rgb(170, 187, 204)"] {
        assert!(there.text.lines().any(|it| it == line), "{line}\n{}", there.text);
    }
    let back = rewritten(&there.text, Notation::Mermaid, Notation::PlantUml).expect("a diagram");
    for line in ["box \"North\" #LightBlue", "group #AABBCC"] {
        assert!(back.text.lines().any(|it| it == line), "{line}\n{}", back.text);
    }
}

/// A heading in Markdown is what the diagram is called; a front matter stays in Mermaid.
#[test]
fn headings_and_front_matters_stay() {
    let matter = "---\nconfig:\n  theme: dark\n---\n";
    let text =
        format!("{matter}sequenceDiagram\n    participant a\n    participant b\n    a->>b: m\n");
    let same = rewritten(&text, Notation::Mermaid, Notation::Mermaid).expect("a diagram");
    assert_eq!((same.text, same.losses), (text.clone(), Vec::new()));
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let found =
        DiagramText { heading: Some("Log in".to_owned()), ..whole(&text, Notation::Mermaid) };
    let to = (Notation::PlantUml, None);
    let there = rewrite(&text, &found, &DiagramOptions::default(), &no_files, to);
    let there = there.expect("a diagram").expect("the same diagram");
    assert!(there.text.starts_with("@startuml\ntitle Log in\n"), "{}", there.text);
    assert_eq!(there.losses.len(), 1, "{:?}", there.losses);
}

/// Both ways; the second notation says all of it.
#[test]
fn halves_of_heads_and_frames_beside_each_other_are_kept() {
    let mermaid = "sequenceDiagram
    participant a
    participant b
    a-|\\b: over
    a--|/b: under
    a-\\\\b: thin over
    a--//b: thin under
    a/|--b: back over
    a\\|-b: back under
    a//-b: thin back over
    a\\\\--b: thin back under
    a-)b: open
    par_over one
        a->>b: m
    and two
        b->>a: n
    end
";
    let plantuml = r"@startuml
participant a
participant b
a -\ b : over
a --/ b : under
a -\\ b : thin over
a --// b : thin under
b --\ a : back over
b -/ a : back under
b -\\ a : thin back over
b --// a : thin back under
a ->> b : open
par2 one
    a -> b : m
else two
    b -> a : n
end
@enduml
";
    let same = rewritten(mermaid, Notation::Mermaid, Notation::Mermaid).expect("a diagram");
    assert_eq!((same.text.as_str(), same.losses), (mermaid, Vec::new()));
    let there = rewritten(mermaid, Notation::Mermaid, Notation::PlantUml).expect("a diagram");
    assert_eq!((there.text.as_str(), there.losses), (plantuml, Vec::new()));
    let back = rewritten(plantuml, Notation::PlantUml, Notation::Mermaid).expect("a diagram");
    let turned =
        [("a/|--b", r"b--|\a"), (r"a\|-b", "b-|/a"), ("a//-b", r"b-\\a"), (r"a\\--b", "b--//a")];
    let turned = turned.iter().fold(mermaid.to_owned(), |text, (old, new)| text.replace(old, new));
    assert_eq!((back.text, back.losses), (turned, Vec::new()));
}

/// Both ways, with circles and two heads; what the other notation lacks is listed.
#[test]
fn signs_and_heads_at_both_ends_are_kept() {
    let mermaid = "sequenceDiagram
    participant a
    participant b
    a->>()b: to
    activate b
    b()-->>a: from
    a()-x()b: lost
    a()<<->>()b: both
    a()->>()a: own
    a//-()b: back
";
    let plantuml = "@startuml
participant a
participant b
a ->o b ++ : to
b o--> a : from
a o->x b : lost
a o<->o b : both
a o->o a : own
b o-\\\\ a : back
@enduml
";
    let there = rewritten(mermaid, Notation::Mermaid, Notation::PlantUml).expect("a diagram");
    let losses =
        ["PlantUML lacks these circles and crosses of arrows; they are left out (1 in all)"];
    assert_eq!((there.text.as_str(), there.losses), (plantuml, losses.map(str::to_owned).to_vec()));
    let back = rewritten(plantuml, Notation::PlantUml, Notation::Mermaid).expect("a diagram");
    let first = mermaid.replace("-x()b", "-xb").replace("a//-()b", r"b()-\\a");
    assert_eq!((back.text, back.losses), (first, Vec::new()));
    let heads = r"@startuml
participant a
participant b
a <-\ b : m
a /-> b : n
a <<-/(9) b : k
a /-\ b : l
a x->o b : o
@enduml
";
    let same = rewritten(heads, Notation::PlantUml, Notation::PlantUml).expect("a diagram");
    assert_eq!((same.text.as_str(), same.losses), (heads, Vec::new()));
    let there = rewritten(heads, Notation::PlantUml, Notation::Mermaid).expect("a diagram");
    let losses = [
        "Mermaid lacks these circles and crosses of arrows; they are left out (1 in all)",
        "Mermaid lacks these heads of arrows; they are the usual ones (4 in all)",
    ];
    assert!(
        losses.iter().all(|it| there.losses.iter().any(|loss| loss == it)),
        "{:?}",
        there.losses
    );
}

/// As PlantUML draws them: without the indentation that all lines have.
#[test]
fn lines_of_notes_keep_their_indentation() {
    let text = "@startuml
participant a
note left of a
    {
      \"k\": [
\t1
      ]
    }
end note
note over a
  *  **one**
    two
end note
a -> a : {\\n  \"k\": 1\\n}
@enduml
";
    let there = rewritten(text, Notation::PlantUml, Notation::Mermaid).expect("a diagram");
    for line in [
        "    note left of a: {<br/>  \"k\": [<br/>    1<br/>  ]<br/>}",
        "    note over a: one<br/>  two",
        "    a->>a: {<br/>  \"k\": 1<br/>}",
    ] {
        assert!(there.text.lines().any(|it| it == line), "{line}\n{}", there.text);
    }
    let same = rewritten(text, Notation::PlantUml, Notation::PlantUml).expect("a diagram");
    let again = rewritten(&same.text, Notation::PlantUml, Notation::PlantUml).expect("a diagram");
    assert_eq!(again.text, same.text);
    assert!(same.text.contains("{\\n  \"k\": ["), "{}", same.text);
}

#[test]
fn activations_before_their_participants_stay() {
    let text = "sequenceDiagram\nactivate b\nactivate nobody\na->>b: m\nb->>a: n\ndeactivate b\n";
    let there = rewritten(text, Notation::Mermaid, Notation::PlantUml).expect("a diagram");
    assert!(there.text.contains("activate b\na -> b : m\nb -> a -- : n\n"), "{}", there.text);
    assert_eq!(there.losses.len(), 1, "{:?}", there.losses);
    let same = rewritten(text, Notation::Mermaid, Notation::Mermaid).expect("a diagram");
    assert!(same.text.contains("    activate b\n    activate nobody\n"), "{}", same.text);
}

#[test]
fn texts_around_a_diagram_are_kept_or_listed_by_name() {
    let plantuml = "@startuml parcels
title North
header Left
footer
page
end footer
legend right
blue: late
end legend
caption Figure 1
participant a
participant b
partition day
    & par one
        a -> b : m
    also two
        b -> a : n
    end
end
@enduml
";
    let same = rewritten(plantuml, Notation::PlantUml, Notation::PlantUml).expect("a diagram");
    assert_eq!((same.text.as_str(), same.losses), (plantuml, Vec::new()));
    let mermaid = "sequenceDiagram
    accTitle: Parcels
    accDescr: How they go
    participant a as wrap: The depot
    participant b
    a->>b: nowrap: m
    note over a: wrap: n
    opt wrap: late
        a->>b: k
    end
";
    let same = rewritten(mermaid, Notation::Mermaid, Notation::Mermaid).expect("a diagram");
    assert!(
        same.text.contains(&mermaid[mermaid.find("    a->>b").expect("a line")..]),
        "{}",
        same.text
    );
    assert!(same.text.contains("accTitle: Parcels") && same.losses.is_empty(), "{}", same.text);
    for (text, from, to, expected) in [
        (
            plantuml,
            Notation::PlantUml,
            Notation::Mermaid,
            "names of diagrams|legends|captions|headers and footers",
        ),
        (mermaid, Notation::Mermaid, Notation::PlantUml, "`wrap:`|screen readers"),
    ] {
        let there = rewritten(text, from, to).expect("a diagram");
        for words in expected.split('|') {
            assert!(
                there.losses.iter().any(|it| it.contains(words)),
                "{words}: {:?}",
                there.losses
            );
        }
        assert!(
            !there.losses.iter().any(|it| it.contains("other statements")),
            "{:?}",
            there.losses
        );
    }
}

#[test]
fn the_name_of_a_diagram_is_its_title_in_mermaid() {
    let named = rewritten(
        "@startuml parcels\na -> b : m\n@enduml\n",
        Notation::PlantUml,
        Notation::Mermaid,
    );
    let named = named.expect("a diagram");
    assert!(named.text.contains("title: parcels\n") && named.losses.is_empty(), "{}", named.text);
}
