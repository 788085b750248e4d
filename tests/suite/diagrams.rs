//! Diagrams wherever a command takes a specification.

use crate::common::corpus;
use crate::common::run::{Run, multitrace, multitrace_in, multitrace_with_input};
use multitrace::{CompileOptions, ConvertTo, Spec, SpecFormat};
use multitrace_formats::diagram::Notation;
use multitrace_reports::outputs::Paint;
use multitrace_reports::pictures::SvgOptions;
use multitrace_reports::pictures::diagram::{
    Diagram, Document, MOST_ROWS, diagram_svg, diagram_text,
};
use multitrace_reports::pictures::overlay::Overlay;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

const SPEC: &str = "\
# Log in

```mermaid
sequenceDiagram
    %% multitrace: boxes locations
    actor u as User
    box Back end
    participant auth
    participant db
    end
    u->>auth: login(name)
    auth->>db: find(name)
    db-->>auth: found
    auth-->>u: ok
    auth->>auth: log
```

## Log out

```plantuml
@startuml
u -> auth : logout
auth --> u : bye
@enduml
```
";

/// A folder with the specification and a session of each diagram.
fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    write("SPEC.md", SPEC);
    write(
        "in.jsonl",
        "{\"session\":\"s\",\"traces\":{\"u\":[\"u!login(name)\",\"u?ok\"],\"auth,db\":[\"auth?login(name)\",\
         \"auth!find(name)\",\"db?find(name)\",\"db!found\",\"auth?found\",\"auth!ok\",\"auth!log\"]}}\n",
    );
    write(
        "out.jsonl",
        "{\"session\":\"s\",\"traces\":{\"u\":[\"u!logout\",\"u?bye\"],\"auth\":[\"auth?logout\"]}}\n",
    );
    folder
}

fn run(folder: &TempDir, words: &str) -> Run {
    let words: Vec<&str> = words.split(' ').collect();
    multitrace_in(Some(folder.path()), &words, &[])
}

fn object(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.err);
    serde_json::from_str(run.out.lines().next().expect("a line")).expect("an object")
}

#[test]
fn commands_take_diagrams() {
    let folder = folder();
    let check = run(&folder, "check SPEC.md#1 in.jsonl --quiet");
    assert_eq!((check.code, check.err.as_str()), (0, ""), "{}", check.out);
    let check = run(&folder, "check SPEC.md#log-out out.jsonl --quiet --output-format concise");
    assert!(check.code == 1 && check.out.contains("MT114"), "{}{}", check.out, check.err);
    let explain = run(&folder, "explain SPEC.md#log-out out.jsonl --session s");
    let place = "  auth!bye  23:1  auth --> u : bye";
    assert!(explain.out.lines().any(|line| line == place), "{}{}", explain.out, explain.err);
    let compile = run(&folder, "compile SPEC.md#log-out");
    assert!(folder.path().join("SPEC-log-out.mtb").exists(), "{}", compile.err);
    assert_eq!(run(&folder, "check SPEC-log-out.mtb out.jsonl").code, 1);
    let inspect = run(&folder, "inspect SPEC-log-out.mtb");
    assert!(inspect.out.contains("SPEC.md"), "{}", inspect.out);
    let generate = run(&folder, "generate SPEC.md#2 --kind accepted -n 1");
    assert!(generate.out.contains("u!logout"), "{}{}", generate.out, generate.err);
    let coverage = run(&folder, "check SPEC.md#1 in.jsonl --quiet --coverage");
    assert!(coverage.out.contains("100"), "{}", coverage.out);
}

#[test]
fn read_says_how_each_diagram_is_understood() {
    let folder = folder();
    let read = run(&folder, "read SPEC.md --output-format json-lines");
    let objects: Vec<Value> =
        read.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!((read.code, objects.len()), (0, 2), "{}", read.err);
    let lifeline = |id: &str, label: &str, location: &str| serde_json::json!({"id": id, "label": label, "location": location});
    assert_eq!(objects[0]["title"], "Log in");
    assert_eq!(
        objects[0]["lifelines"],
        serde_json::json!([
            lifeline("u", "User", "u"),
            lifeline("auth", "auth", "auth,db"),
            lifeline("db", "db", "auth,db"),
        ])
    );
    let sent = serde_json::json!({"from": "u", "to": "auth", "label": "login(name)"});
    assert_eq!(objects[0]["messages"][0], sent);
    let warned = &objects[0]["warnings"][0];
    assert_eq!(
        (&warned["code"], &warned["line"], &warned["column"]),
        (&"MT610".into(), &15.into(), &5.into())
    );
    assert_eq!(objects[1]["hif"], "seq(\n    u -- logout -> auth,\n    auth -- bye -> u\n)\n");
    let words = run(&folder, "read SPEC.md#log-out").out;
    assert!(words.contains("- `u` sends `logout` to `auth`\n"), "{words}");
    let text = TempDir::new().expect("a folder");
    std::fs::write(text.path().join("a.hif"), "seq(a -- m -> (b, c), b -- n ->|, k -> c)")
        .expect("a file");
    let read = object(&run(&text, "read a.hif --output-format json-lines"));
    let ends =
        |at: usize| (read["messages"][at]["from"].clone(), read["messages"][at]["to"].clone());
    let (a, b, c) = (Value::from("a"), Value::from("b"), Value::from("c"));
    let all: Vec<(Value, Value)> = (0..4).map(ends).collect();
    assert_eq!(all, [(a.clone(), b.clone()), (a, c.clone()), (b, Value::Null), (Value::Null, c)]);
}

/// A drawing of a session is marked as `check` judges it.
#[test]
fn drawings_of_sessions_take_the_defaults_of_check() {
    let folder = TempDir::new().expect("a folder");
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("s.mmd", "sequenceDiagram\na->>b: m\nb->>b: log\n");
    write("multitrace.toml", "[check]\nunjudged = \"all\"\n");
    write(
        "s.jsonl",
        "{\"session\":\"s\",\"traces\":{\"a\":[\"a!m\",\"a!other\"],\"b\":[\"b?m\",\"b!log\"]}}\n",
    );
    let drawn = run(&folder, "draw s.mmd s.jsonl --explain s").out;
    assert!(drawn.contains("sent 1×; received 1×") && drawn.contains("log [1×]"), "{drawn}");
    // A log without a fault is not marked.
    write("multitrace.toml", "");
    let drawn = run(&folder, "draw s.mmd s.jsonl --explain s").out;
    assert!(drawn.contains("received 1×") && !drawn.contains("not reached"), "{drawn}");
    assert!(run(&folder, "read s.mmd").out.contains("- `b` does `log`\n"));
}

#[test]
fn options_say_how_diagrams_are_read() {
    let folder = folder();
    let read = |options: &str| {
        object(&run(&folder, &format!("read SPEC.md#1 --output-format json-lines{options}")))
    };
    assert!(
        read(" --diagrams messages=call")["hif"]
            .as_str()
            .expect("text")
            .contains("u -- login -> auth")
    );
    let own = read(" --diagrams self=send-receive");
    assert!(own["hif"].as_str().expect("text").contains("auth -- log -> auth"));
    // The directive in the diagram wins.
    assert_eq!(read(" --diagrams boxes=frames")["lifelines"][1]["location"], "auth,db");
    assert_eq!(read(" --locations u,auth;db")["lifelines"][0]["location"], "u,auth");
    // Hints are not warnings.
    assert_eq!(run(&folder, "read SPEC.md --deny-warnings").code, 0);
    let loop_ = "    loop 2 times a day\n    auth->>auth: log\n    end";
    let warned = SPEC.replace("    auth->>auth: log", loop_);
    std::fs::write(folder.path().join("WARNED.md"), warned).expect("a file");
    let denied = run(&folder, "read WARNED.md --deny-warnings");
    assert!(denied.code == 2 && denied.err.contains("error[MT614]"), "{}", denied.err);
    let first = run(&folder, "check WARNED.md#1 in.jsonl");
    assert!(first.err.starts_with("warning[MT614]: WARNED.md:15:5: the loop"), "{}", first.err);
    let all = run(&folder, "check WARNED.md#1 in.jsonl --warnings all");
    assert!(all.err.contains("15 |     loop 2 times a day"), "{}", all.err);
    let bad = run(&folder, "read SPEC.md --diagrams messages=words");
    assert!(
        bad.code == 2 && bad.err.contains("write label, first-word, call or /REGEX/"),
        "{}",
        bad.err
    );
    std::fs::write(folder.path().join("multitrace.toml"), "[diagrams]\nmessages = \"call\"\n")
        .expect("a file");
    // The environment wins over the file.
    let words = ["read", "SPEC.md#1"];
    let by_label =
        multitrace_in(Some(folder.path()), &words, &[("MULTITRACE_DIAGRAMS", "messages=label")]);
    assert!(by_label.out.contains("login(name)"), "{}{}", by_label.out, by_label.err);
    let check = run(&folder, "check SPEC.md#1 in.jsonl --quiet");
    assert!(check.code == 1 && check.out.contains("login(name)"), "{}{}", check.out, check.err);
    let explored = run(&folder, "explore SPEC.md#1 --depth 1");
    let is_by_call = explored.out.contains("\nu!login ") && !explored.out.contains("login(name)");
    assert!(is_by_call, "{}", explored.out);
}

/// Settings for diagrams in `multitrace.toml` are not for bundles, and stop no command on one.
#[test]
fn bundles_ignore_how_diagrams_are_read_by_default() {
    let folder = folder();
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    write(
        "passing.jsonl",
        "{\"session\":\"s\",\"traces\":{\"u\":[\"u!logout\",\"u?bye\"],\"auth\":[\"auth?logout\",\
         \"auth!bye\"]}}\n",
    );
    write("log.jsonl", "{\"id\":1,\"at\":\"u\",\"to\":\"auth\",\"msg\":\"logout\"}\n");
    write(
        "map.toml",
        "[event]\nsession = \"id\"\n\n[[rule]]\nname = \"all\"\nwhen = { msg = { exists = true } }\n\
         actions = [\"{at}!{msg}\", \"{to}?{msg}\"]\n",
    );
    let out = run(&folder, "compile SPEC.md#2 -o out.mtb");
    assert_eq!(out.code, 0, "{}", out.err);
    write("multitrace.toml", "[diagrams]\nmessages = \"call\"\nboxes = \"locations\"\n");
    for command in [
        "check out.mtb passing.jsonl",
        "explain out.mtb out.jsonl --session s",
        "draw out.mtb --what nfa --output-format dot",
        "explore out.mtb",
        "diff out.mtb out.mtb",
        "diff out.mtb SPEC.md#2",
        "generate out.mtb --kind accepted -n 1",
        "map --check out.mtb log.jsonl --events map.toml",
    ] {
        let run = run(&folder, command);
        assert_eq!(run.code, 0, "{command}: {}{}", run.out, run.err);
    }
    // An option of the command line is an error.
    for option in ["--diagrams messages=call", "--locations u,auth"] {
        let run = run(&folder, &format!("generate out.mtb --kind accepted {option}"));
        let (name, _) = option.split_once(' ').unwrap_or((option, ""));
        let remedy = format!("leave out {name}, or give it to `multitrace compile`");
        assert!(run.code == 2 && run.err.contains(&remedy), "{option}: {}", run.err);
    }
}

#[test]
fn errors_name_the_place_and_the_others_are_read() {
    let folder = folder();
    let broken = SPEC.replace("u -> auth : logout", "class x");
    std::fs::write(folder.path().join("SPEC.md"), broken).expect("a file");
    let read = run(&folder, "read SPEC.md --output-format json-lines");
    assert_eq!((read.code, read.out.lines().count()), (2, 1), "{}", read.out);
    assert!(read.err.contains(" --> SPEC.md:22:1"), "{}", read.err);
    let none = run(&folder, "check SPEC.md#3 in.jsonl");
    assert!(
        none.code == 2 && none.err.contains("name one: SPEC.md#1 (line 4, `Log in`)"),
        "{}",
        none.err
    );
    let many = run(&folder, "check SPEC.md in.jsonl");
    assert!(many.code == 2 && many.err.contains("this text holds 2 diagrams"), "{}", many.err);
}

#[test]
fn diagrams_include_files_of_their_folder_and_below_only() {
    let folder = TempDir::new().expect("a folder");
    let specs = folder.path().join("specs");
    std::fs::create_dir_all(specs.join("parts")).expect("a folder");
    let write = |path: &Path, text: &str| std::fs::write(path, text).expect("a file");
    write(&folder.path().join("outside.puml"), "a -> b : x\n");
    write(&specs.join("parts/one.puml"), "a -> b : m\n");
    write(&specs.join("all.puml"), "@startuml\n!include parts/one.puml\nb -> a : n\n@enduml\n");
    write(&specs.join("bad.puml"), "@startuml\n!include ../outside.puml\n@enduml\n");
    write(&specs.join("parts/two.puml"), "!include ../three.puml\n!include one.puml\n");
    write(&specs.join("three.puml"), "a -> b : k\n");
    write(&specs.join("nested.puml"), "@startuml\n!include parts/two.puml\n@enduml\n");
    let read = object(&run(&folder, "read specs/nested.puml --output-format json-lines"));
    assert_eq!(read["messages"].as_array().map(Vec::len), Some(2));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../outside.puml", specs.join("link.puml")).expect("a link");
        write(&specs.join("linked.puml"), "@startuml\n!include link.puml\n@enduml\n");
        let linked = run(&folder, "read specs/linked.puml");
        assert!(linked.code == 2 && linked.err.contains("not below the folder"), "{}", linked.err);
    }
    let read = object(&run(&folder, "read specs/all.puml --output-format json-lines"));
    assert_eq!(read["messages"].as_array().map(Vec::len), Some(2));
    let bad = run(&folder, "read specs/bad.puml");
    assert!(bad.code == 2 && bad.err.contains("not below the folder"), "{}", bad.err);
}

#[test]
fn standard_input_may_be_a_diagram() {
    for text in ["sequenceDiagram\na->>b: m\n", "@startuml\na -> b : m\n@enduml\n"] {
        let read =
            multitrace_with_input(&["read", "-", "--output-format", "json-lines"], text.as_bytes());
        assert!(read.out.contains("a -- m -> b"), "{}{}", read.out, read.err);
    }
}

/// For hooks, which hand over all files at once, and show the output if one is wrong.
#[test]
fn several_specifications_are_read_and_checked_in_one_run() {
    let folder = TempDir::new().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("a plain path").to_owned()
    };
    let good = file("good.hif", "a -- m -> b");
    let drawn = file("drawn.mmd", "sequenceDiagram\na->>b: n\n");
    let wrong = file("wrong.hif", "a -- m ->");
    let doubtful = file("doubtful.hif", "alt(a -- m -> b, a -- m -> b)");

    let read = multitrace(&["read", &good, &drawn]);
    assert_eq!(read.code, 0, "{}", read.err);
    assert!(read.out.contains("a -- m -> b") && read.out.contains("a -- n -> b"), "{}", read.out);

    let checked = multitrace(&["read", "--check", "--deny-warnings", &good, &drawn]);
    assert_eq!((checked.code, checked.out + &checked.err), (0, String::new()));
    // An error in one does not keep the others from being read.
    let checked =
        multitrace(&["read", "--check", "--deny-warnings", &wrong, "none.hif", &doubtful]);
    assert_eq!((checked.code, checked.out), (2, String::new()));
    for name in ["wrong.hif", "none.hif", "doubtful.hif"] {
        assert!(checked.err.contains(name), "{name}: {}", checked.err);
    }
    let warned = multitrace(&["read", "--check", &doubtful]);
    assert!(warned.code == 0 && warned.err.contains("doubtful.hif"), "{}", warned.err);
}

/// The specifications in folders of a folder, by their extension `.hif`, sorted.
fn interactions(folder: &Path) -> Vec<String> {
    let list = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|it| it.expect("an entry").path()).collect::<Vec<_>>()
    };
    let all = list(folder).into_iter();
    let files = all.flat_map(|it| if it.is_dir() { list(&it) } else { vec![it] });
    let is_spec = |it: &std::path::PathBuf| it.extension().is_some_and(|it| it == "hif");
    let mut names: Vec<String> =
        files.filter(is_spec).map(|it| it.to_str().expect("a plain path").to_owned()).collect();
    names.sort();
    names
}

/// Converts each to a diagram and compares: how many are proved equal, and how many refused.
fn round_trips(specs: &[String]) -> (usize, usize) {
    let folder = TempDir::new().expect("a folder");
    let (mut same, mut refused) = (0, 0);
    for spec in specs {
        for out in ["a.mmd", "a.puml", "a.md"] {
            let convert = run(&folder, &format!("convert {spec} -o {out}"));
            if convert.code == 2 {
                assert!(convert.err.contains(&format!(" --> {spec}:")), "{}", convert.err);
                refused += 1;
                continue;
            }
            let diff = run(&folder, &format!("diff {spec} {out} --output-format json-lines"));
            let summary = diff.out.lines().last().unwrap_or_default();
            assert!(diff.code == 0 && summary.contains("\"equal\""), "{spec} {out}: {summary}");
            same += 1;
        }
    }
    (same, refused)
}

/// The picture of a diagram, and how wide and high it is in a terminal.
fn drawn(spec: &Spec) -> Option<(String, String)> {
    let read = spec.interaction(&CompileOptions::default()).ok()??;
    let drawing = read.drawing.as_ref()?;
    let document = Document { diagram: &drawing.model, spans: &read.parsed.spans };
    let picture = Diagram {
        interaction: &read.parsed.interaction,
        signature: &read.parsed.signature,
        locations: &read.locations,
        labels: &[],
        title: drawing.title.as_deref().unwrap_or_default(),
        overlay: &Overlay::default(),
        document: Some(document),
        rows: MOST_ROWS,
    };
    let svg = diagram_svg(&picture, SvgOptions::default());
    Some((svg, diagram_text(&picture, 80, Paint::PLAIN)))
}

/// A diagram that is converted without a loss is drawn the same, byte for byte.
#[test]
fn a_converted_diagram_has_the_same_picture() {
    let Some(corpus) = corpus() else { return };
    let notations = [
        ("mermaid", SpecFormat::Diagram(Notation::Mermaid)),
        ("plantuml", SpecFormat::Diagram(Notation::PlantUml)),
    ];
    let (mut same, mut lossy, mut fits, mut all) = (0, 0, 0, 0);
    for (folder, format) in notations {
        for file in
            std::fs::read_dir(corpus.join("diagrams").join(folder)).expect("a folder").flatten()
        {
            let Ok(text) = std::fs::read_to_string(file.path()) else { continue };
            let spec = Spec::parse("d", &text, format);
            let Some(first) = drawn(&spec) else { continue };
            all += 1;
            fits += usize::from(!first.1.lines().any(|line| line.ends_with('…')));
            for (to, format) in
                [(ConvertTo::Mermaid, notations[0].1), (ConvertTo::PlantUml, notations[1].1)]
            {
                let converted = spec.convert(to, &CompileOptions::default()).expect("a diagram");
                if !converted.notes.is_empty() {
                    lossy += 1;
                    continue;
                }
                let second = drawn(&Spec::parse("d", &converted.text, format));
                assert!(
                    second.as_ref() == Some(&first),
                    "{}\n{}",
                    file.path().display(),
                    converted.text
                );
                same += 1;
            }
        }
    }
    println!(
        "{same} of {} conversions draw the same, {lossy} have losses; {fits} of {all} fit a terminal",
        2 * all
    );
    assert!(all == 0 || (same > lossy && fits * 100 >= all * 95), "{same} {lossy} {fits} {all}");
}

/// An example in another notation is the same interaction, or is refused with its place.
#[test]
fn converted_examples_are_the_same() {
    let examples = interactions(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"));
    let (same, refused) = round_trips(&examples);
    assert!(same > refused, "{same} are the same, {refused} are refused");
    assert_eq!(refused, 2 * 3, "a loop with a concurrent region, a step of several actions");
}

#[test]
fn converted_use_cases_are_the_same() {
    let Some(corpus) = multitrace_testing::corpus::folder() else { return };
    let cases = interactions(&corpus.join("usecases"));
    assert!(!cases.is_empty(), "no use cases in {}", corpus.display());
    assert_eq!(round_trips(&cases), (3 * cases.len(), 0));
}

#[test]
fn conversions_say_what_they_lose() {
    let folder = folder();
    run(&folder, "convert SPEC.md#1 -o laid-out.hif");
    assert_eq!(run(&folder, "fmt --check laid-out.hif").code, 0);
    let hif = run(&folder, "convert SPEC.md#1 --to hif");
    assert!(hif.out.contains("u -- \"login(name)\" -> auth"), "{}{}", hif.out, hif.err);
    let notes =
        ["note: the locations are not part of it: --locations 'auth,db'", "note: names in quotes"];
    assert!(notes.iter().all(|note| hif.err.contains(note)), "{}", hif.err);
    let timbuk = run(&folder, "convert SPEC.md#2 -o a.timbuk");
    let locations = "u=u_send_logout,u_receive_bye;auth=auth_receive_logout,auth_send_bye";
    assert!(timbuk.err.contains(&format!("--locations \"{locations}\"")), "{}", timbuk.err);
    let compile = run(&folder, &format!("compile a.timbuk --locations {locations}"));
    assert_eq!(compile.code, 0, "{}", compile.err);
    let back = run(&folder, "convert a.timbuk --to mermaid");
    assert!(back.code == 2 && back.err.contains("have no lifelines"), "{}", back.err);
    assert_eq!(
        run(&folder, "convert a.timbuk --to timbuk").out,
        std::fs::read_to_string(folder.path().join("a.timbuk")).expect("a file")
    );
    let none = run(&folder, "convert SPEC.md#1");
    assert!(none.code == 2 && none.err.contains("name the notation to convert to"), "{}", none.err);
    let onto = run(&folder, "convert SPEC.md#1 -o SPEC.md");
    assert!(onto.code == 2, "{}", onto.err);
}

#[test]
fn fmt_lays_out_interactions_and_keeps_comments() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("a.hif");
    std::fs::write(&path, "seq( a--m->b , // why\n  /* x */ b -- n->a)").expect("a file");
    let check = run(&folder, "fmt --check a.hif");
    assert!(
        check.code == 1 && check.err.contains("a.hif: `multitrace fmt` would change its layout"),
        "{}",
        check.err
    );
    assert_eq!(run(&folder, "fmt a.hif").code, 0);
    let text = std::fs::read_to_string(&path).expect("a file");
    assert!(text.contains("a -- m -> b, // why\n") && text.contains("/* x */"), "{text}");
    assert_eq!(run(&folder, "fmt --check a.hif").code, 0);
    std::fs::write(folder.path().join("b.hif"), "seq(").expect("a file");
    let broken = run(&folder, "fmt b.hif a.hif");
    assert!(broken.code == 2 && broken.err.contains("b.hif:1:4"), "{}", broken.err);
    let other = run(&folder, "fmt SPEC.md");
    assert!(
        other.code == 2 && other.err.contains("files with the extension .hif"),
        "{}",
        other.err
    );
}

/// Logs call a participant by the label at its head, unless another one has that name.
#[test]
fn participants_may_be_called_by_their_labels() {
    let folder = TempDir::new().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    write(
        "s.mmd",
        "sequenceDiagram\n  participant lg as load-generator\n  participant b as lg\n  lg->>b: go\n  b->>b: work\n",
    );
    // A label of two participants is the name of neither.
    write("two.mmd", "sequenceDiagram\n  participant a as DB\n  participant b as DB\n  a->>b: m\n");
    write("two.jsonl", "{\"session\":\"s\",\"traces\":{\"DB\":[\"DB!m\"],\"b\":[\"b?m\"]}}\n");
    assert_eq!(run(&folder, "check two.mmd two.jsonl --quiet").code, 1);
    write(
        "in.jsonl",
        "{\"session\":\"s\",\"traces\":{\"load-generator\":[\"load-generator!go\"],\"b\":[\"b?go\",\"b!work\"]}}\n\
         {\"session\":\"t\",\"traces\":{\"lg\":[\"lg!go\"],\"b\":[\"b?go\",\"b!work\"]}}\n",
    );
    write(
        "log.jsonl",
        "{\"s\":1,\"at\":\"load-generator\",\"m\":\"go\",\"d\":\"out\"}\n{\"s\":1,\"at\":\"b\",\"m\":\"go\",\"d\":\"in\"}\n\
         {\"s\":1,\"at\":\"b\",\"m\":\"work\",\"d\":\"out\"}\n",
    );
    write(
        "map.toml",
        "[event]\nsession = \"s\"\nlifeline = \"at\"\ndirection = { field = \"d\", emission = \"out\", reception = \"in\" }\nmessage = \"m\"\n",
    );
    for command in [
        "check s.mmd in.jsonl --quiet",
        "check s.mmd log.jsonl --events map.toml --quiet",
        "compile s.mmd --quiet",
        "check s.mtb in.jsonl --quiet",
    ] {
        let run = run(&folder, command);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{command}: {}", run.out);
    }
}

/// A bundle keeps the title, and a picture that is cut says so, whatever its width.
#[test]
fn pictures_have_their_titles_and_say_if_they_are_cut() {
    let folder = TempDir::new().expect("a folder");
    let arrows: Vec<String> = (1..9).map(|n| format!("  p{n}->>p{}: m\n", n + 1)).collect();
    let text = format!("## Nine in a row\n```mermaid\nsequenceDiagram\n{}```\n", arrows.concat());
    std::fs::write(folder.path().join("S.md"), text).expect("a file");
    assert_eq!(run(&folder, "compile S.md -o s.mtb").code, 0);
    let [of_text, of_bundle] = ["S.md", "s.mtb"].map(|it| run(&folder, &format!("draw {it}")).out);
    assert!(of_text == of_bundle && of_text.contains("Nine in a row"), "{of_bundle}");
    let mut cut = 0;
    for columns in 40..100 {
        let columns = columns.to_string();
        let drawn =
            multitrace_in(Some(folder.path()), &["draw", "S.md"], &[("COLUMNS", columns.as_str())]);
        let is_whole = drawn.out.lines().any(|line| line.matches('┐').count() == 9);
        assert_eq!(is_whole, drawn.err.is_empty(), "{columns}: {}{}", drawn.err, drawn.out);
        cut += usize::from(!is_whole);
    }
    assert!(cut > 0 && cut < 60, "{cut}");
}

/// Labels stand wherever names of participants do, in options and in directives.
#[test]
fn labels_stand_where_names_do() {
    let folder = TempDir::new().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    let diagram = "sequenceDiagram\n  participant T as Till\n  participant B as Card bank\n";
    write("s.mmd", &format!("{diagram}  T->>B: charge\n  B->>T: paid\n"));
    let hif = |words: &str| {
        let read = object(&run(&folder, &format!("read {words} --output-format json-lines")));
        (read["hif"].as_str().expect("text").to_owned(), read["lifelines"][0]["location"].clone())
    };
    let both = |option: &str, by_label: &str, by_name: &str| {
        let [label, name] = [by_label, by_name].map(|value| {
            multitrace_in(Some(folder.path()), &["read", "s.mmd", option, value], &[])
        });
        assert_eq!((label.code, &label.out), (0, &name.out), "{option}: {}", label.err);
    };
    both("--locations", "Till,Card bank", "T,B");
    both("--unlogged", "Till!charge", "T!charge");
    both("--unjudged", "Card bank", "B");
    let bank =
        ["explore", "s.mmd", "--only", "Card bank", "--after", "Till!charge.Card bank?charge"];
    let only = multitrace_in(Some(folder.path()), &bank, &[]);
    assert!(only.code == 0 && only.out.contains("B!paid"), "{}{}", only.out, only.err);
    for directive in [
        "only these messages at Till",
        "never logged Card bank?charge",
        "locations Till,Card bank",
        "anything here at Card bank",
        "not logged by Till",
    ] {
        let body = format!("%% multitrace: {directive}\n  T->>B: charge\n  B->>T: paid\n");
        write("label.mmd", &format!("{diagram}  {body}"));
        let by_name = body.replacen("Till", "T", 1).replacen("Card bank", "B", 1);
        write("name.mmd", &format!("{diagram}  {by_name}"));
        assert_eq!(hif("label.mmd"), hif("name.mmd"), "{directive}");
    }
    let each = "%% multitrace: for Till in Till, t2\n  par\n  T->>B: charge\n  end\n";
    write("label.mmd", &format!("{diagram}  {each}"));
    write("name.mmd", &format!("{diagram}  {}", each.replace("Till", "T")));
    assert_eq!(hif("label.mmd"), hif("name.mmd"));
    let none = run(&folder, "read s.mmd --unjudged Bank");
    assert!(none.code == 2 && none.err.contains("no lifeline is called `Bank`"), "{}", none.err);
}

/// Names that a specification does not mention are not judged where it says so, in sessions and in event logs, and
/// events that need not be logged may be missing.
#[test]
fn what_is_open_is_not_judged() {
    let folder = TempDir::new().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    write("s.mmd", "sequenceDiagram\n  a->>b: m\n  b->>b: work\n");
    write(
        "more.jsonl",
        "{\"session\":\"s\",\"traces\":{\"a\":[\"a!m\",\"a!log\"],\"b\":[\"b?m\",\"b!work\"],\"c\":[\"c!x\"],\"d\":[\"d?y\"]}}\n",
    );
    write("less.jsonl", "{\"session\":\"s\",\"traces\":{\"a\":[\"a!m\"],\"b\":[\"b!work\"]}}\n");
    write(
        "wrong.jsonl",
        "{\"session\":\"s\",\"traces\":{\"a\":[\"a!m\",\"a!m\"],\"b\":[\"b?m\",\"b!work\"],\"c\":[\"c!x\"]}}\n",
    );
    write(
        "log.jsonl",
        "{\"s\":1,\"at\":\"a\",\"m\":\"m\",\"d\":\"out\"}\n{\"s\":1,\"at\":\"c\",\"m\":\"x\",\"d\":\"in\"}\n\
         {\"s\":1,\"at\":\"b\",\"m\":\"m\",\"d\":\"in\"}\n{\"s\":1,\"at\":\"b\",\"m\":\"work\",\"d\":\"out\"}\n",
    );
    write(
        "map.toml",
        "[event]\nsession = \"s\"\nlifeline = \"at\"\ndirection = { field = \"d\", emission = \"out\", reception = \"in\" }\nmessage = \"m\"\n",
    );
    for (command, code) in [
        ("check s.mmd more.jsonl", 1),
        ("check s.mmd more.jsonl --unjudged all", 0),
        ("check s.mmd more.jsonl --unjudged all --engine term", 0),
        ("check s.mmd more.jsonl --unjudged a", 1),
        ("check s.mmd wrong.jsonl --unjudged all", 1),
        ("check s.mmd log.jsonl --events map.toml", 1),
        ("check s.mmd log.jsonl --events map.toml --unjudged all", 0),
        ("check s.mmd less.jsonl", 1),
        ("check s.mmd less.jsonl --unlogged b?m", 0),
        ("check s.mmd less.jsonl --unlogged b?*", 0),
        ("check s.mmd less.jsonl --unlogged c", 2),
        ("check s.mmd less.jsonl --unjudged c", 2),
        // Leaving events out keeps the logs, and not the global traces.
        ("check s.mmd less.jsonl --unlogged b?m --observe prefix", 0),
        ("check s.mmd less.jsonl --unlogged b?m --observe global-prefix", 2),
    ] {
        let run = run(&folder, command);
        assert_eq!(run.code, code, "{command}: {}{}", run.out, run.err);
    }
}
