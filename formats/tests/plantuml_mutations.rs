//! Texts near PlantUML diagrams, and texts of nothing but its signs, are read or refused without a
//! panic, and every place is within the text.

use multitrace_formats::diagram::model::Statement;
use multitrace_formats::diagram::plantuml::parse;
use multitrace_formats::source::Source;
use proptest::prelude::*;

const DIAGRAMS: [&str; 4] = [
    "@startuml name\ntitle A //b//\nparticipant \"L\\n**x**\" as L order 2 <<s>> #red\nactor é [\n=T\n]\n\
     box \"b\" #x\nqueue Q\nend box\nL -[#red]->o Q ++ : <b>t</b> [[u l]]\\nx\n& [x<- é --: ~**\nreturn &#8734;\n\
     @enduml\n",
    "A -> B & C : x\nalt #c one\nnote left of A : n\nelse\nref over A, \"B\"\n r\nend ref\nloop\nend\nend\n\
     ' multitrace: d\n/' c\n'/\n& opt\nA --\\\\ B\\\n : y\nend\n...\n== d ==\n{a} A -> B\n",
    "!$x = \"v\" + (1 + 2) * 3\n!define F(a,b=1) a##b\n!function g($a)\n!return %upper($a) + $x\n!endfunction\n\
     !procedure p($a)\nA -> B : $a g(\"é\") F(1,2)\n!endprocedure\n!if ($x == 1) && 0\np(1)\n!elseif 1\np(\"z\")\n\
     !else\n!endif\n!include f.puml\n!$i = 0\n!while $i < 3\nA -> $x\n!$i = $i + 1\n!endwhile\n%newline()\n",
    "autoactivate on\ncreate C\nA -> C\nactivate A\nA++\ndestroy C\ndeactivate\nskinparam x {\n y\n}\n\
     sprite $a [1x1/16] {\n0\n}\n<style>\n</style>\nlegend\nx\nendlegend\nhnote over A\n<math>x</math>\n\
     endhnote\n<U+41> \"\"m\"\"\n",
];
const PIECES: &str = "A|B|é|\"| |\n|\\|\\n|->|-->|<-|x|o|[|]|?|:|++|--|&|{|}|(|)|,|!|$x|%chr|' |/'|'/|=|#|as|end|\
                      alt|else|note left|over|ref|return|!if|!endif|!define|1|<|>|<<|>>|**|//|~|<b>|[[|]]|<U+|&#|;";

fn check(text: &str) {
    let include = |_: &str| Ok("A -> B\n".to_owned());
    match parse(text, 0..text.len(), &include) {
        Ok(diagram) => {
            check_places(&diagram.body, diagram.participants.len(), text);
            assert!(diagram.participants.iter().all(|found| found.span.end <= text.len()));
        }
        Err(error) => {
            assert!(!error.is_empty());
            let _ = error.of(Source::new("d.puml", text)).to_string();
        }
    }
}

fn check_places(body: &[Statement], participants: usize, text: &str) {
    for statement in body {
        match statement {
            Statement::Message(message) => {
                assert!(message.span.end <= text.len() && message.text_span.end <= text.len());
                assert!(text.get(message.span.start..message.span.end).is_some());
            }
            Statement::Note(note) | Statement::Reference(note) => {
                assert!(note.over.iter().all(|over| over.index() < participants));
            }
            Statement::Fragment(fragment) => {
                assert!(!fragment.operands.is_empty());
                for operand in &fragment.operands {
                    check_places(&operand.body, participants, text);
                }
            }
            Statement::Directive(_) | Statement::Mark(_) => {
                assert!(statement.span().end <= text.len());
            }
        }
    }
}

fn pieces() -> Vec<&'static str> {
    PIECES.split('|').collect()
}

/// A diagram with some of its characters removed, repeated or replaced by pieces.
fn mutated() -> impl Strategy<Value = String> {
    let change = (any::<prop::sample::Index>(), 0usize..4, prop::sample::select(pieces()));
    (prop::sample::select(&DIAGRAMS[..]), prop::collection::vec(change, 1..6)).prop_map(
        |(text, changes)| {
            let mut chars: Vec<char> = text.chars().collect();
            for (index, removed, piece) in changes {
                let start = index.index(chars.len().max(1)).min(chars.len());
                let end = (start + removed).min(chars.len());
                chars.splice(start..end, piece.chars());
            }
            chars.into_iter().collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn texts_near_diagrams(text in mutated()) {
        check(&text);
    }

    #[test]
    fn texts_of_signs(pieces in prop::collection::vec(prop::sample::select(pieces()), 0..60)) {
        check(&pieces.concat());
    }
}

#[test]
fn cut_diagrams() {
    for text in DIAGRAMS {
        for (end, _) in text.char_indices() {
            check(&text[..end]);
            check(&text[end..]);
        }
    }
}
