//! A bundle of each format version, loaded for ever: `golden/bundles/vN/NAME.mtb`, with sessions and their
//! verdicts in `NAME.jsonl`. `MULTITRACE_BLESS=1` writes the bundles of a new version, with the sessions of
//! the one before; those that are there are never changed.

use crate::common;
use multitrace::{CompileOptions, Spec, SpecFormat};
use multitrace_formats::bundle::{BundleError, EventMapping, FORMAT_VERSION, decode};
use multitrace_formats::sessions::parse_line;
use multitrace_runtime::{CheckConfig, Monitor};
use std::path::{Path, PathBuf};

/// The versions that a release has written, which all later releases read. There was no release yet, so
/// older versions may be refused, with the remedy.
const RELEASED: [u32; 0] = [];

/// The names of the bundles, with an automaton, without, and of an automaton; and their specifications.
const SPECS: [(&str, &str, &str); 3] = [
    (
        "automaton",
        "automaton.hif",
        "seq(par(a -- m -> b, c -- n -> b),\n    loopS(strict(a -- p -> b, b -- q -> a)))",
    ),
    ("terms", "terms.hif", "loopP(seq(a -- m -> b, b -- n -> a, a -- k -> b))"),
    (
        "letters",
        "letters.timbuk",
        "Ops a:1 b:1 c:1 x:0\nAutomaton A\nStates p q r\nFinal States r\nTransitions\n\
         x -> p\na(p) -> q\nb(q) -> p\nc(q) -> r\n",
    ),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/golden/bundles")
}

fn file(version: u32, name: &str) -> PathBuf {
    folder().join(format!("v{version}")).join(name)
}

fn compiled(file: &str, text: &str) -> Vec<u8> {
    let format = SpecFormat::of_path(Path::new(file)).expect("a known extension");
    let locations = (format == SpecFormat::Timbuk).then(|| "left=a,b;right=c".to_owned());
    let options =
        CompileOptions { locations, limit_states: Some(500), ..CompileOptions::default() };
    let mapping = "[event]\nsession = \"s\"\nactions = [\"{l}!{m}\"]\n";
    let events = EventMapping { name: "events.toml".to_owned(), text: mapping.to_owned() };
    let spec = Spec::parse(file, text, format);
    spec.compile_with_events(&options, events).expect("a specification").monitor.to_bytes()
}

fn bless() {
    let newest = versions().into_iter().max().unwrap_or(FORMAT_VERSION);
    for (name, spec, text) in SPECS {
        let path = file(FORMAT_VERSION, &format!("{name}.mtb"));
        if !path.exists() {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(&path, compiled(spec, text)).expect("the golden bundle");
        }
        let sessions = format!("{name}.jsonl");
        if newest < FORMAT_VERSION {
            let copied = std::fs::copy(file(newest, &sessions), file(FORMAT_VERSION, &sessions));
            copied.expect("the sessions of the version before");
        }
    }
}

/// The format versions that have bundles in the folder.
fn versions() -> Vec<u32> {
    let entries = std::fs::read_dir(folder()).expect("golden bundles");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        name.strip_prefix('v').and_then(|number| number.parse().ok()).expect("a version")
    };
    let mut versions: Vec<u32> = entries.map(name).collect();
    versions.sort_unstable();
    versions
}

/// Checks the sessions beside a bundle; they name their verdicts.
fn check(bundle: multitrace_formats::bundle::Bundle, sessions: &str, what: &str) -> usize {
    let config = CheckConfig { observation: bundle.observation, ..CheckConfig::default() };
    let monitor = Monitor::new(bundle);
    for (number, line) in sessions.lines().enumerate() {
        let session = parse_line("sessions", number + 1, line, monitor.alphabet());
        let session = session.expect("a session");
        let said: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let checked = common::check(&monitor, &session, &config);
        let found = common::verdict_name(&checked.verdict);
        assert_eq!(Some(found), said["verdict"].as_str(), "{what}, {}", session.id);
    }
    sessions.lines().count()
}

#[test]
fn a_bundle_of_every_version_is_loaded() {
    if std::env::var_os("MULTITRACE_BLESS").is_some() {
        bless();
    }
    let versions = versions();
    assert!(
        RELEASED.iter().chain([&FORMAT_VERSION]).all(|it| versions.contains(it)),
        "a new format needs bundles: run this test with MULTITRACE_BLESS=1"
    );
    let mut sessions = 0;
    for version in versions {
        for (name, _, _) in SPECS {
            let what = format!("{name} of version {version}");
            let bytes = std::fs::read(file(version, &format!("{name}.mtb"))).expect("a bundle");
            let beside = std::fs::read_to_string(file(version, &format!("{name}.jsonl")));
            match decode(&bytes) {
                Ok(bundle) => sessions += check(bundle, &beside.expect("sessions"), &what),
                Err(BundleError::WrongVersion { found, .. }) => {
                    assert_eq!(found, version, "{what}");
                    let may_be = version < FORMAT_VERSION && !RELEASED.contains(&version);
                    assert!(may_be, "{what} is not read");
                }
                Err(error) => panic!("{what}: {error}"),
            }
        }
    }
    assert!(sessions >= 9, "only {sessions} sessions");
}
