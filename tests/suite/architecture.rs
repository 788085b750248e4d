//! The shape that ARCHITECTURE.md promises: the edges between the crates of the workspace, and no
//! two files or folders of a crate that import each other, directly or through others; and no library that spells an
//! option of the command line.

use multitrace_formats::remedy::Remedy;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

type Edges = BTreeMap<&'static str, BTreeSet<&'static str>>;

const INTERACTION: &str = "multitrace-interaction";
const FORMATS: &str = "multitrace-formats";
const COMPILER: &str = "multitrace-compiler";
const RUNTIME: &str = "multitrace-runtime";
const LOGS: &str = "multitrace-logs";
const REPORTS: &str = "multitrace-reports";
const LEARN: &str = "multitrace-learn";
const LIBRARY: &str = "multitrace";
const TESTING: &str = "multitrace-testing";
const ENGINES: &str = "multitrace-testing-engines";

/// All that front ends may use.
const LIBRARIES: [&str; 8] =
    [INTERACTION, FORMATS, COMPILER, RUNTIME, LOGS, REPORTS, LEARN, LIBRARY];

/// Which crates each crate may depend on, for whatever purpose. The compiler, the runtime, logs,
/// reports and learning do not see one another. Tests of any crate may use the one for testing, which sees the
/// vocabulary alone; those of the command line also the one that compares engines, which sees the library.
fn allowed() -> Edges {
    let command_line = [&LIBRARIES[..], &[TESTING, ENGINES]].concat();
    let others = [&LIBRARIES[..], &["multitrace-cli"]].concat();
    let rows: [(&str, &[&str]); 13] = [
        (INTERACTION, &[TESTING]),
        (TESTING, &[INTERACTION]),
        (FORMATS, &[INTERACTION, TESTING]),
        (COMPILER, &[FORMATS, INTERACTION, TESTING]),
        (RUNTIME, &[FORMATS, INTERACTION, TESTING]),
        (LOGS, &[FORMATS, INTERACTION, TESTING]),
        (REPORTS, &[FORMATS, INTERACTION, TESTING]),
        (LEARN, &[INTERACTION, TESTING]),
        (LIBRARY, &[COMPILER, FORMATS, INTERACTION, LEARN, LOGS, REPORTS, RUNTIME, TESTING]),
        (ENGINES, &[LIBRARY, COMPILER, FORMATS, INTERACTION, RUNTIME, TESTING]),
        ("multitrace-cli", &command_line),
        ("multitrace-python", &others),
        ("multitrace-lab", &others),
    ];
    rows.into_iter().map(|(from, to)| (from, to.iter().copied().collect())).collect()
}

/// The part of `cargo metadata` that the tests look at.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev`, `build`, or nothing for a normal one.
    kind: Option<String>,
    path: Option<PathBuf>,
}

impl Package {
    fn sources(&self) -> PathBuf {
        self.manifest_path.parent().expect("a folder").join("src")
    }
}

fn packages() -> Vec<Package> {
    let described = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(described.status.success(), "{}", String::from_utf8_lossy(&described.stderr));
    serde_json::from_slice::<Metadata>(&described.stdout).expect("packages as JSON").packages
}

#[test]
fn every_crate_is_seen() {
    let seen: BTreeSet<String> = packages().into_iter().map(|package| package.name).collect();
    let known: BTreeSet<String> = allowed().into_keys().map(str::to_owned).collect();
    assert_eq!(seen, known, "left: crates of the workspace; right: crates with a rule above");
}

#[test]
fn only_the_designed_edges_exist() {
    let allowed = allowed();
    let mut edges = 0;
    for package in packages() {
        // Dependencies of every kind: normal, dev and build, for every target, by real name.
        for dependency in &package.dependencies {
            let inside =
                dependency.path.is_some() || allowed.contains_key(dependency.name.as_str());
            if inside {
                edges += 1;
                let (from, to) = (package.name.as_str(), dependency.name.as_str());
                let may = allowed.get(from).is_some_and(|targets| targets.contains(to));
                let kind = dependency.kind.as_deref().unwrap_or("normal");
                assert!(may, "{from} depends on {to} ({kind}), which ARCHITECTURE.md forbids");
                let is_test = kind == "dev";
                let is_for_tests = to == ENGINES || to == TESTING && from != ENGINES;
                assert!(!is_for_tests || is_test, "{from}: {to} is for tests only");
            }
        }
    }
    assert!(edges >= 15, "only {edges} edges between the crates: is the right workspace read?");
}

/// The files of a crate by their module paths, `["search", "layered"]` for `search/layered.rs`.
type Modules = BTreeMap<Vec<String>, PathBuf>;

fn modules(source: &Path) -> Modules {
    fn add(folder: &Path, path: &[String], modules: &mut Modules) {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let file = entry.expect("an entry").path();
            let name = file.file_stem().expect("a name").to_str().expect("UTF-8").to_owned();
            let inside = [path, std::slice::from_ref(&name)].concat();
            if file.is_dir() {
                add(&file, &inside, modules);
            } else if file.extension().is_some_and(|extension| extension == "rs") {
                let path = match name.as_str() {
                    "lib" | "main" if path.is_empty() => Vec::new(),
                    "mod" => path.to_vec(),
                    _ => inside,
                };
                modules.insert(path, file);
            }
        }
    }
    let mut modules = Modules::new();
    add(source, &[], &mut modules);
    modules
}

/// The text of a file without comments, its tests, and the lines that hand on names of its modules.
fn imports_text(file: &Path) -> String {
    let text = std::fs::read_to_string(file).expect("a source file");
    let code = without_tests(&text);
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let hands_on = |statement: &&str| {
        let start = statement.trim_start();
        (start.starts_with("pub use ") || start.starts_with("pub(crate) use "))
            && !start.contains("use crate::")
            && !start.contains("use super::")
    };
    code.split_inclusive(';').filter(|statement| !hands_on(statement)).collect()
}

/// A text without its modules of tests; they end where a line closes them.
fn without_tests(text: &str) -> String {
    let mut parts = text.split("#[cfg(test)]\nmod ");
    let mut code = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let inline = part.lines().next().is_some_and(|line| line.ends_with('{'));
        let rest =
            if inline { part.split_once("\n}\n").map_or("", |(_, rest)| rest) } else { part };
        code.push_str(rest);
    }
    code
}

/// The places in a text behind each use of a name as the start of a path, `name::`.
fn uses<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let starts = text.match_indices(name).map(|(at, _)| at);
    let is_start = |at: usize| {
        let before = &text[..at];
        !before.ends_with(|char: char| char.is_alphanumeric() || char == '_' || char == ':')
    };
    starts.filter(move |&at| is_start(at)).map(move |at| at + name.len())
}

/// The paths that a text names from a position behind `crate::` or `super::` on, groups in braces
/// taken apart.
fn paths(text: &str, before: &[String], found: &mut Vec<Vec<String>>) {
    let text = text.trim_start();
    if let Some(group) = text.strip_prefix('{') {
        let (mut depth, mut start) = (0, 0);
        for (at, char) in group.char_indices() {
            match char {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    paths(&group[start..at], before, found);
                    start = at + 1;
                    if char == '}' {
                        return;
                    }
                }
                _ => {}
            }
        }
        return;
    }
    let end = text.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(text.len());
    let path = [before, &[text[..end].to_owned()]].concat();
    match text[end..].strip_prefix("::") {
        Some(rest) if end > 0 => paths(rest, &path, found),
        _ => found.push(path),
    }
}

/// The modules that a file imports from.
fn imports(module: &[String], modules: &Modules) -> BTreeSet<Vec<String>> {
    let text = imports_text(&modules[module]);
    let mut found = Vec::new();
    uses(&text, "crate::").for_each(|at| paths(&text[at..], &[], &mut found));
    for child in modules.keys().filter(|it| it.len() == module.len() + 1 && it.starts_with(module))
    {
        let start = format!("{}::", child[module.len()]);
        uses(&text, &start).for_each(|at| paths(&text[at..], child, &mut found));
    }
    for (at, _) in text.match_indices("super::") {
        // A chain of them is read at its end.
        if text[at + "super::".len()..].starts_with("super::") {
            continue;
        }
        let chain = (1..).take_while(|&levels| text[..at].ends_with(&"super::".repeat(levels)));
        let up = (1 + chain.count()).min(module.len());
        paths(&text[at + "super::".len()..], &module[..module.len() - up], &mut found);
    }
    let resolve = |path: Vec<String>| {
        (0..=path.len()).rev().map(|end| path[..end].to_vec()).find(|it| modules.contains_key(it))
    };
    let imported = found.into_iter().filter_map(resolve);
    imported.filter(|target| target != module).collect()
}

/// The files that a file reaches by its imports.
fn reached<'g>(from: &'g [String], graph: &'g Graph) -> BTreeSet<&'g Vec<String>> {
    let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
    while let Some(module) = todo.pop() {
        for target in &graph[module] {
            if seen.insert(target) {
                todo.push(target);
            }
        }
    }
    seen
}

/// The files that reach themselves by their imports.
fn in_circles(graph: &Graph) -> Vec<String> {
    let is_in = |module: &&Vec<String>| reached(module, graph).contains(*module);
    graph.keys().filter(is_in).map(|module| format!("crate::{}", module.join("::"))).collect()
}

type Graph = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// The imports between the folders of a crate at some depth, each with the file of its name, without files of tests.
fn folders(graph: &Graph, depth: usize) -> Graph {
    let folder = |module: &Vec<String>| module[..module.len().min(depth)].to_vec();
    let mut folders = Graph::new();
    for (module, targets) in graph.iter().filter(|(it, _)| it.iter().all(|it| it != "tests")) {
        let own = folder(module);
        let others = targets.iter().map(folder).filter(|it| *it != own);
        folders.entry(own.clone()).or_default().extend(others);
    }
    folders
}

#[test]
fn no_files_or_folders_import_each_other_in_a_circle() {
    let (mut files, mut edges) = (0, 0);
    let mut circles = Vec::new();
    for package in packages() {
        let modules = modules(&package.sources());
        files += modules.len();
        let graph: Graph = modules.keys().map(|it| (it.clone(), imports(it, &modules))).collect();
        edges += graph.values().map(BTreeSet::len).sum::<usize>();
        let mut found = in_circles(&graph);
        let deepest = modules.keys().map(Vec::len).max().unwrap_or_default();
        found.extend((1..deepest).flat_map(|depth| in_circles(&folders(&graph, depth))));
        circles.extend(found.iter().map(|file| format!("{}: {file}", package.name)));
    }
    assert!(files > 150 && edges > 500, "only {files} files and {edges} imports are seen");
    assert!(
        circles.is_empty(),
        "files or folders import each other in a circle:\n{}",
        circles.join("\n")
    );
}

#[test]
fn every_form_of_import_is_seen() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    file("lib.rs", "mod a;\nmod b;\npub use a::A;\nfn f() { b::g() }\n");
    file("a.rs", "#[cfg(test)]\nmod tests;\nmod c;\nuse crate::b::{self, B, d::{D, E}};\n");
    file(
        "a/c.rs",
        "// use crate::b::B;\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}\nuse super::A;\n",
    );
    file("b.rs", "fn g() { super::f(); crate::a::h(); }\n");
    file("b/d.rs", "use super::super::a::A;\n");
    file("a/tests.rs", "");
    let modules = modules(folder.path());
    let seen = |path: &[&str]| {
        let path: Vec<String> = path.iter().map(|&it| it.to_owned()).collect();
        imports(&path, &modules).iter().map(|it| it.join("::")).collect::<Vec<_>>()
    };
    assert_eq!(seen(&[]), ["b"]);
    assert_eq!(seen(&["a"]), ["b", "b::d"]);
    assert_eq!(seen(&["a", "c"]), ["a"]);
    assert_eq!(seen(&["b"]), ["", "a"]);
    assert_eq!(seen(&["b", "d"]), ["a"]);
}

#[test]
fn a_circle_is_seen() {
    let edges = |pairs: &[(&str, &[&str])]| {
        let path = |name: &str| vec![name.to_owned()];
        let edge = |(from, to): &(&str, &[&str])| {
            (path(from), to.iter().map(|to| path(to)).collect::<BTreeSet<_>>())
        };
        pairs.iter().map(edge).collect::<BTreeMap<_, _>>()
    };
    let line = edges(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])]);
    assert_eq!(in_circles(&line), [""; 0]);
    let round = edges(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"]), ("d", &["a"])]);
    assert_eq!(in_circles(&round), ["crate::b", "crate::c"]);
    let file = |path: &[&str]| path.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
    let (one, other) = (file(&["a", "x"]), file(&["b", "y"]));
    let crossed = Graph::from([
        (file(&["a"]), BTreeSet::from([other.clone()])),
        (file(&["b"]), BTreeSet::from([one.clone(), other.clone()])),
        (one, BTreeSet::new()),
        (other, BTreeSet::new()),
    ]);
    assert_eq!(in_circles(&crossed), [""; 0]);
    assert_eq!(in_circles(&folders(&crossed, 1)), ["crate::a", "crate::b"]);
    assert_eq!(in_circles(&folders(&crossed, 2)), [""; 0]);
}

/// The texts of the string literals of a text, whole, however many lines they have.
fn literals(code: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), code);
    // A quote opens a literal, but not in a comment and not as a character.
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let (before, behind) = rest.split_at(at);
        let length = if behind.starts_with("//") {
            behind.find('\n').unwrap_or(behind.len())
        } else if let Some(text) = behind.strip_prefix('"') {
            let start = before.trim_end_matches('#');
            let hashes = &before[start.len()..];
            let is_raw = start.ends_with('r');
            let end = if is_raw { text.find(&format!("\"{hashes}")) } else { end_of_literal(text) };
            let (literal, _) = text.split_at(end.unwrap_or(text.len()));
            found.push(literal);
            (literal.len() + 2).min(behind.len())
        } else {
            let character = ["'\"'", "'/'", "'\\\"'"].into_iter().find(|it| behind.starts_with(it));
            character.map_or(1, str::len)
        };
        rest = &behind[length..];
    }
    found
}

/// Where the first quote is that no backslash escapes.
fn end_of_literal(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.find(|char| {
        let ends = char == '"' && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
        ends
    })
}

/// Whether a text holds an option, two dashes and a letter, that is not an arrow such as `--x`.
fn has_option(text: &str) -> bool {
    text.match_indices("--").any(|(at, _)| {
        let name = text[at + 2..].split(|char: char| !char.is_ascii_lowercase()).next();
        !text[..at].ends_with('-') && name.is_some_and(|name| name.len() > 1)
    })
}

/// The libraries name what to do as remedies; front ends spell them. Every remedy in a text is known.
#[test]
fn no_library_spells_an_option() {
    let (mut found, mut remedies) = (Vec::new(), 0);
    for package in packages().iter().filter(|it| LIBRARIES.contains(&it.name.as_str())) {
        for file in modules(&package.sources()).into_values() {
            let is_test =
                file.components().any(|it| it.as_os_str().to_string_lossy().starts_with("tests"));
            let text = std::fs::read_to_string(&file).expect("a source file");
            let code = if is_test { String::new() } else { without_tests(&text) };
            for literal in literals(&code) {
                if has_option(literal) {
                    found.push(format!("{}: {literal}", file.display()));
                }
                for remedy in literal.split('‹').skip(1).filter_map(|it| it.split_once('›')) {
                    let name = remedy.0.split('=').next().unwrap_or_default();
                    remedies += 1;
                    if !Remedy::ALL.iter().any(|it| it.name() == name) && !name.starts_with('{') {
                        found.push(format!("{}: no remedy is called {name}", file.display()));
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(remedies > 40, "only {remedies} remedies are seen");
}

#[test]
fn an_option_in_a_text_is_seen() {
    let code = "// \"--grouped\"\nlet a = \"leave out --grouped\";\nlet b = (\"--x\", 'a', '\"', \"a --- b\");\n\
         let c = \"leave \\\n out \\\"\\\n --grouped\";\nlet d = r#\"a \" --grouped\"#;\n";
    let seen: Vec<bool> = literals(code).into_iter().map(has_option).collect();
    assert_eq!(seen, [true, false, false, true, true]);
}
