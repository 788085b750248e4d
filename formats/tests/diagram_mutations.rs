//! No damage to a diagram makes reading it panic, take long, or give an interaction out of proportion.
//! Damaged are the diagrams of the corpus, or without it those of this file, for
//! `DIAGRAM_SECONDS` seconds a notation (2 if it is not set); `scripts/fuzz-diagrams` runs longer.

use multitrace_formats::diagram::{DiagramOptions, IncludeError, Notation, read, whole};
use multitrace_formats::source::Source;
use multitrace_testing::corpus::folder as corpus;
use std::time::{Duration, Instant};

/// The longest that one text of at most `MOST_BYTES` may take, on a slow machine that does other work,
/// built without optimisation.
const MOST_TIME: Duration = Duration::from_secs(5);
const MOST_BYTES: usize = 1 << 16;

const MERMAID: [&str; 2] = [
    "---\ntitle: T\n---\nsequenceDiagram\n%% multitrace: loop 2..3\nparticipant a as A\nbox B\nactor b\nend\n\
     loop 3 times\na->>+b: m #35;<br/>n\nbreak x\nb-->>-a: stop\nend\nend\nalt x\na-xb: k\nelse y\n\
     Note over a,b: text\nend\npar x\na->>a: l\nand y\nb-)a: o\nend\n",
    "sequenceDiagram\ncritical x\na->>()b: m; b<<->>a: n\noption y\nrect rgb(0,0,0)\nopt z\na->>b: k\nend\nend\nend\n",
];
const PLANTUML: [&str; 2] = [
    "@startuml\n!define SRV b\n!$m = \"x\"\nparticipant \"Long\" as a order 2\nbox X\ndatabase b\nend box\n\
     a -> SRV ++ #red : $m **bold**\nreturn n\n' multitrace: strict\ngroup g\nloop 3\n[-> a : k\nbreak\na ->x b\nend\nend\n\
     end\n& b -> a : l\nnote over a, b\ntext\nend note\n@enduml\n",
    "@startuml\nskinparam x {\n y 1\n}\nalt x\na -> b & c : m\nelse\npar\na <-> b : n\nelse\nref over a : r\nend\nend\n\
     !if (1 == 1)\nautoactivate on\na -> b : o\n!else\n!endif\n... later ...\n== part ==\n@enduml\n",
];

/// A small generator (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d);
        ((u128::from(number) * bound.max(1) as u128) >> 64) as usize
    }

    fn pick<'t>(&mut self, texts: &'t [String]) -> &'t str {
        &texts[self.below(texts.len())]
    }
}

fn samples(folder: &str, extension: &str, own: &[&str]) -> Vec<String> {
    let mut samples: Vec<String> = own.iter().map(|text| (*text).to_owned()).collect();
    let Some(corpus) = corpus() else { return samples };
    let files = std::fs::read_dir(corpus.join("diagrams").join(folder)).expect("a folder");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == extension));
    paths.sort();
    samples.extend(paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()));
    samples
}

/// A text with one to six pieces of damage.
fn damaged(samples: &[String], random: &mut Random) -> String {
    let mut text = random.pick(samples).to_owned();
    for _ in 0..=random.below(6) {
        text = match random.below(7) {
            0 => without_line(&text, random),
            1 => with_line_of(&text, random.pick(samples).to_owned(), random),
            2 => with_lines_swapped(&text, random),
            3 => with_piece(&text, "", random),
            4 => {
                const PIECES: [&str; 21] = [
                    "end",
                    "\n",
                    "alt",
                    "loop",
                    "break",
                    "{",
                    "}",
                    "[",
                    "\"",
                    "'",
                    "%%",
                    "%%{a:b ",
                    "->",
                    "-->>",
                    ":",
                    ";",
                    "!",
                    "%% multitrace: loop 1000..\n",
                    "' multitrace: ignore\n",
                    "é",
                    "\\",
                ];
                with_piece(&text, PIECES[random.below(PIECES.len())], random)
            }
            5 => with_piece(&text, &"alt x\n".repeat(random.below(300)), random),
            _ => format!("{text}{text}"),
        };
        text.truncate((0..=MOST_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0));
    }
    text
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn without_line(text: &str, random: &mut Random) -> String {
    let mut lines = lines(text);
    if !lines.is_empty() {
        lines.remove(random.below(lines.len()));
    }
    lines.concat()
}

fn with_line_of(text: &str, other: String, random: &mut Random) -> String {
    let (mut all, others) = (lines(text), lines(&other));
    if !others.is_empty() {
        all.insert(random.below(all.len() + 1), others[random.below(others.len())]);
    }
    all.concat()
}

fn with_lines_swapped(text: &str, random: &mut Random) -> String {
    let mut lines = lines(text);
    if !lines.is_empty() {
        let (a, b) = (random.below(lines.len()), random.below(lines.len()));
        lines.swap(a, b);
    }
    lines.concat()
}

/// Some letters replaced by others.
fn with_piece(text: &str, piece: &str, random: &mut Random) -> String {
    let letters: Vec<char> = text.chars().collect();
    let start = random.below(letters.len() + 1);
    let end = (start + random.below(8)).min(letters.len());
    let (before, after) = (&letters[..start], &letters[end..]);
    before.iter().chain(&piece.chars().collect::<Vec<_>>()).chain(after).collect()
}

#[expect(clippy::print_stdout, reason = "the counts are what one runs this test for")]
fn survives(notation: Notation, samples: &[String]) {
    let seconds = std::env::var("DIAGRAM_SECONDS").unwrap_or_else(|_| "2".to_owned());
    let seconds = seconds.parse().expect("DIAGRAM_SECONDS is a number of seconds");
    let until = Instant::now() + Duration::from_secs(seconds);
    let (mut random, mut texts, mut read_whole) = (Random(0x9e37_79b9_7f4a_7c15), 0_u64, 0_u64);
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    while Instant::now() < until {
        let text = damaged(samples, &mut random);
        let start = Instant::now();
        let source = Source::new("f", &*text);
        let found = whole(&text, notation);
        match read(&source, &found, &DiagramOptions::default(), &no_files) {
            Ok(read) => {
                let nodes = read.parsed.interaction.nodes().len();
                assert!(nodes <= 1 << 20, "{nodes} nodes\n{text}");
                assert_eq!(nodes, read.parsed.spans.len());
                assert!(read.parsed.spans.iter().all(|span| span.end <= text.len()), "{text}");
                read_whole += 1;
            }
            Err(error) => assert!(!error.diagnostics().is_empty() && error.lines().count() > 0),
        }
        assert!(start.elapsed() < MOST_TIME, "{:?}\n{text}", start.elapsed());
        texts += 1;
    }
    println!("{}: {texts} damaged texts, {read_whole} of them read", notation.name());
    assert!(read_whole > 0 && read_whole < texts, "{read_whole} of {texts}");
}

#[test]
fn damaged_mermaid_diagrams_are_read_or_refused() {
    survives(Notation::Mermaid, &samples("mermaid", "mmd", &MERMAID));
}

#[test]
fn damaged_plantuml_diagrams_are_read_or_refused() {
    survives(Notation::PlantUml, &samples("plantuml", "puml", &PLANTUML));
}
