//! Parts that contradict themselves, and runs that have read one content: merging them is an error.

use crate::common::folder::{FAILING, Folder, PASSING, UNKNOWN};
use crate::common::run::{Run, multitrace};
use crate::merge::with_end;

/// A run with these arguments behind `check`, and the path of its part.
fn part(folder: &Folder, name: &str, arguments: &[&str]) -> String {
    let (spec, path) = (folder.path("ab.hif"), folder.path(name));
    let output = ["--exit-zero", "--output-format", "partial", "--output-file", &path];
    let run = multitrace(&[&["check", &spec], arguments, &output].concat());
    assert!(run.code == 0, "{arguments:?}: {}", run.err);
    path
}

fn merged(parts: &[&str]) -> Run {
    multitrace(&[&["merge", "--exit-zero"], parts].concat())
}

/// The parts of two runs, each over one file, are refused, and the message names both files.
fn refused(folder: &Folder, [one, other]: [&[&str]; 2], names: [&str; 2]) {
    let parts = [part(folder, "1.part", one), part(folder, "2.part", other)];
    let run = merged(&[&parts[0], &parts[1]]);
    assert_eq!(run.code, 2, "{one:?} {other:?}: {}", run.out);
    let [first, second] = names;
    let told = format!("{second} has the same content as {first}, an input of the parts before");
    assert!(run.err.contains(&told) && run.err.contains("--exclude"), "{}", run.err);
}

fn accepted(folder: &Folder, [one, other]: [&[&str]; 2], sessions: &str) {
    let parts = [part(folder, "1.part", one), part(folder, "2.part", other)];
    let run = merged(&[&parts[0], &parts[1]]);
    assert_eq!(run.code, 0, "{one:?} {other:?}: {}", run.err);
    assert!(run.out.contains(sessions), "{}", run.out);
}

#[test]
fn one_content_is_read_by_one_run() {
    let folder = Folder::new();
    let orders = folder.file("in.jsonl", &format!("{PASSING}\n{FAILING}\n"));
    folder.file("sub/none.jsonl", "");
    let copy = folder.file("sub/other.jsonl", &folder.read("in.jsonl"));
    let (dotted, around) = (folder.path("./in.jsonl"), folder.path("sub/../in.jsonl"));
    for second in [&dotted, &around, &copy] {
        refused(&folder, [&[&orders], &[second]], [&orders, second]);
    }
    let more = PASSING.replace("\"s\"", "\"v\"");
    let more = folder.file("more.jsonl", &more);
    accepted(&folder, [&[&orders], &[&more]], "3 sessions");
    // A run of its own may read a file twice: it says so.
    accepted(&folder, [&[&orders, &dotted], &[&more]], "5 sessions");
    // Nothing is the same everywhere.
    let none = [folder.file("1.jsonl", "\n"), folder.file("2.jsonl", "\n")];
    accepted(&folder, [&[&orders, &none[0]], &[&more, &none[1]]], "3 sessions");
}

#[test]
fn files_whose_names_count_are_the_same_under_one_name() {
    let folder = Folder::new();
    let traces = "{[a] a!m;[b] b?m}";
    let [one, two] = ["one.htf", "two.htf"].map(|name| folder.file(name, traces));
    accepted(&folder, [&[&one], &[&two]], "2 sessions");
    let copy = folder.file("sub/one.htf", traces);
    refused(&folder, [&[&one], &[&copy]], [&one, &copy]);

    let map = |lifeline: &str| {
        format!(
            "[input]\nformat = \"csv\"\n[event]\nsession = \"order\"\nlifeline = {lifeline}\nmessage = \"sent\"\n\
             direction = {{ field = \"way\", emission = \"to\", reception = \"from\" }}\n"
        )
    };
    let of_names = folder.file("names.toml", &map("\"@stem\""));
    let of_rows = folder.file("rows.toml", &map("\"node\""));
    let table = "order,node,way,sent\n7,a,to,m\n";
    let [a, b] = ["a.csv", "b.csv"].map(|name| folder.file(name, table));
    accepted(&folder, [&[&a, "--events", &of_names], &[&b, "--events", &of_names]], "2 sessions");
    refused(&folder, [&[&a, "--events", &of_rows], &[&b, "--events", &of_rows]], [&a, &b]);
    let other = folder.file("other.csv", "order,node,way,sent\n7,b,from,m\n8,a,to,m\n");
    let empty = ["c.csv", "d.csv"].map(|name| folder.file(name, "order,node,way,sent\n"));
    let runs: [&[&str]; 2] =
        [&[&a, &empty[0], "--events", &of_rows], &[&other, &empty[1], "--events", &of_rows]];
    accepted(&folder, runs, "3 sessions");
}

/// A change of one thing that another one in the part contradicts, in merged parts, which no hash of a run protects.
#[test]
fn merged_parts_that_contradict_themselves_are_refused() {
    let folder = Folder::new();
    let sessions = (0..9).map(|id| {
        let (line, own) = [(PASSING, "\"s\""), (FAILING, "\"t\""), (UNKNOWN, "\"u\"")][id % 3];
        line.replacen(own, &format!("\"o{id}\""), 1) + "\n"
    });
    let input = folder.file("in.jsonl", &sessions.collect::<String>());
    for mode in ["complete", "slice"] {
        let shard = |number: &str| {
            let name = format!("{}.part", &number[..1]);
            part(&folder, &name, &[&input, "--shard", number, "--observe", mode, "--coverage"])
        };
        let (parts, all) = ([shard("1/2"), shard("2/2")], folder.path("all.part"));
        let output = ["--output-format", "partial", "--output-file", &all];
        assert_eq!(merged(&[&[&*parts[0], &*parts[1]], &output[..]].concat()).code, 0);
        let text = unpacked(&all);
        assert_eq!(merged(&[&all]).code, 0);
        let after = |key: &str| text.split_once(key).expect("a key").1;
        let code = &after("\"code\":\"")[..5];
        let other = if code == "MT111" { "MT113" } else { "MT111" };
        let events = after("\"events\":");
        let events = format!("\"events\":{},", events.split(',').next().expect("a number"));
        let named = text.lines().find(|it| it.starts_with("{\"input\":")).expect("a file");
        for (from, to, why) in [
            (
                format!("\"observation\":\"{mode}\""),
                "\"observation\":\"prefix\"".into(),
                "the observation mode",
            ),
            ("\"logged\":[\"a\",".into(), "\"logged\":[\"a\",\"cellar\",".into(), "\"cellar\""),
            (format!("{named}\n"), String::new(), "another number of files"),
            (
                format!("\"code\":\"{code}\""),
                format!("\"code\":\"{other}\""),
                "findings with another",
            ),
            ("\"title\":\"".into(), "\"title\":\"Not ".into(), "another title"),
            (events, "\"events\":0,".into(), "no events"),
        ] {
            let changed = text.replacen(&from, &to, 1);
            assert_ne!(changed, text, "{from}");
            let path = folder.path("changed.part");
            std::fs::write(&path, with_end(&changed)).expect("a file");
            let run = merged(&[&path]);
            assert_eq!(run.code, 2, "{mode}, {from}: {}", run.out);
            assert!(run.err.contains(why), "{mode}, {from}: {}", run.err);
        }
    }
}

fn unpacked(path: &str) -> String {
    let bytes = std::fs::read(path).expect("a part");
    let part = multitrace::PartialReport::from_bytes(&bytes).expect("a part");
    String::from_utf8(part.to_bytes().expect("few kinds")).expect("text")
}
