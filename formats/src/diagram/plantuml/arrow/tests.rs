use super::*;

/// A message in short: from, to, signs for the arrow, text.
fn short(line: &str) -> String {
    let parsed = match parse(line) {
        None => return "no message".to_owned(),
        Some(Err(problem)) => return format!("{} @ {}", problem.message, problem.at),
        Some(Ok(parsed)) => parsed,
    };
    let name = |name: Option<Name<'_>>| name.map_or("[".to_owned(), |name| name.id.to_owned());
    let Arrow { is_dotted, head, .. } = parsed.arrow;
    let signs: String = [
        (is_dotted, "dotted "),
        (parsed.arrow.is_bidirectional(), "both "),
        (head == Head::Cross, "lost "),
        (parsed.arrow.is_decorated(), "decorated "),
        (parsed.is_hidden, "hidden "),
        (parsed.is_parallel, "parallel "),
    ]
    .iter()
    .filter(|(holds, _)| *holds)
    .map(|(_, sign)| *sign)
    .collect();
    let text = parsed.text.map(|text| format!(": {text}")).unwrap_or_default();
    let also: String = parsed.also_to.iter().map(|name| format!("&{name}")).collect();
    let activation = parsed.activation;
    format!("{}>{}{also} {head:?} {signs}{activation}{text}", name(parsed.from), name(parsed.to))
        .trim_end()
        .to_owned()
}

#[test]
fn arrows() {
    for (line, expected) in [
        ("A -> B", "A>B Filled"),
        ("A->B:x", "A>B Filled : x"),
        ("A-->B : x", "A>B Filled dotted : x"),
        ("A ->> B", "A>B Open"),
        ("A -->> B", "A>B Open dotted"),
        ("A <- B", "B>A Filled"),
        ("A<--B:x", "B>A Filled dotted : x"),
        ("A <<-- B", "B>A Open dotted"),
        ("A <-> B", "A>B Filled both"),
        ("A <<->> B", "A>B Open both"),
        ("A -\\ B", "A>B Open"),
        ("A -/ B", "A>B Open"),
        ("A //-- B", "B>A Open dotted"),
        ("A --\\\\ B", "A>B Open dotted"),
        ("A ->x B", "A>B Cross lost"),
        ("A --x B", "A>B Cross dotted lost"),
        ("A x<- B", "B>A Cross lost"),
        ("A ->o B", "A>B Filled decorated"),
        ("A ->>o B", "A>B Open decorated"),
        ("A o<- B", "B>A Filled decorated"),
        ("A o-> B", "A>B Filled decorated"),
        ("A <-o B", "B>A Filled decorated"),
        ("A x-> B", "A>B Filled decorated"),
        ("A <-x B", "B>A Filled decorated"),
        ("A o->x B", "A>B Cross lost decorated"),
        ("A x--x B", "A>B Cross dotted lost decorated"),
        ("A o<->o B", "A>B Filled both decorated"),
        ("A ->xB : hi", "A>xB Filled : hi"),
        ("Ax->B", "Ax>B Filled"),
        ("é -> ç", "é>ç Filled"),
    ] {
        assert_eq!(short(line), expected, "{line}");
    }
}

/// Each end has its own head and its own sign.
#[test]
fn ends() {
    use Sign::{Circle, Cross};
    for (line, tail, signs, within) in [
        ("A <-\\ B", Some(Head::Filled), [None, None], "\\"),
        ("A //-> B", Some(Head::Open), [None, None], ",//"),
        ("A <<-/(9) B", Some(Head::Open), [None, None], "/(9)"),
        ("A /-\\ B", Some(Head::Open), [None, None], "\\,/"),
        ("A \\- B", None, [None, None], "/"),
        ("A o-> B", None, [Some(Circle), None], ""),
        ("A o<- B", None, [None, Some(Circle)], ""),
        ("A x->o B", None, [Some(Cross), Some(Circle)], ""),
        ("A o->x B", None, [Some(Circle), None], ""),
    ] {
        let parsed = parse(line).expect("a message").expect("no error");
        assert_eq!((parsed.arrow.tail, parsed.arrow.signs), (tail, signs), "{line}");
        assert_eq!(parsed.looks.within, within, "{line}");
    }
}

#[test]
fn styles() {
    for (line, expected) in [
        ("A -[#red]> B", "A>B Filled"),
        ("A -[#red,dashed]-> B", "A>B Filled dotted"),
        ("A <<[#Red]- B", "B>A Open"),
        ("A [#gray]--x B : y", "A>B Cross dotted lost : y"),
        ("A[#blue]->B", "A>B Filled"),
        ("A -[hidden]-> B", "A>B Filled dotted hidden"),
        ("A -> B #red : x", "A>B Filled : x"),
        ("A -> B [[http://x y]] : x", "A>B Filled : x"),
    ] {
        assert_eq!(short(line), expected, "{line}");
    }
}

#[test]
fn edges() {
    for (line, expected) in [
        ("[-> A : x", "[>A Filled : x"),
        ("[<- A", "A>[ Filled"),
        ("A ->]", "A>[ Filled"),
        ("A <-] : x", "[>A Filled : x"),
        ("A <<--]", "[>A Open dotted"),
        ("A //--] : x", "[>A Open dotted : x"),
        ("?-> A", "[>A Filled"),
        ("A ->?", "A>[ Filled"),
        ("A <-o?", "[>A Filled decorated"),
        ("[o-> A", "[>A Filled decorated"),
        ("[x<- A", "A>[ Cross lost"),
        ("[x-> A", "[>A Filled decorated"),
        ("A ->x]", "A>[ Cross lost"),
        ("A ->o]", "A>[ Filled decorated"),
        ("-> A", "[>A Filled"),
        ("A -> : x", "A>[ Filled : x"),
    ] {
        assert_eq!(short(line), expected, "{line}");
    }
}

#[test]
fn other_pieces() {
    for (line, expected) in [
        ("& A -> B", "A>B Filled parallel"),
        ("{start} A -> B : x", "A>B Filled : x"),
        ("A -> B ++ : x", "A>B Filled ++: x"),
        ("A -> B --++ #gold: x", "A>B Filled --++: x"),
        ("A -> B++", "A>B Filled ++"),
        ("A -> B & C & D : x", "A>B&C&D Filled : x"),
        ("\"A b\" as X -> \"C d\" : x", "X>C d Filled : x"),
        ("A -> B : x : y", "A>B Filled : x : y"),
        ("A -> B :", "A>B Filled :"),
    ] {
        assert_eq!(short(line), expected, "{line}");
    }
}

#[test]
fn errors() {
    for (line, expected) in [
        ("A -- B", "an arrow without a head @  --"),
        ("A ->>> B", "a message that goes on after the participant @ > B"),
        ("A -> B C", "a message that goes on after the participant @ C"),
        ("[->]", "an arrow without a participant @ ->"),
        ("class A", "no message"),
        ("A .> B", "no message"),
        ("A => B", "no message"),
        ("== a -> b ==", "no message"),
        ("(*) --> x", "no message"),
        ("", "no message"),
    ] {
        assert_eq!(short(line), expected, "{line}");
    }
}
