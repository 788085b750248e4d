//! Bundles as bytes: a written bundle comes back, the same input gives the same bytes whatever the
//! threads, and no bytes at all make loading or checking panic.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use multitrace_compiler::{Config, compile_automaton};
use multitrace_formats::bundle::{Bundle, BundleError, FORMAT_VERSION, SpecText, decode, encode};
use multitrace_formats::hif::{self, ParsedSpec};
use multitrace_formats::{
    locations,
    source::{Source, Span},
    timbuk,
};
use multitrace_interaction::{Locations, Observation};
use multitrace_testing_engines::forged::survives;
use proptest::prelude::*;
use sha2::{Digest, Sha256};

const MAGIC: usize = 8;
const VERSION: usize = MAGIC + 4;
const LENGTH: usize = VERSION + 8;
const HEADER: usize = LENGTH + 32;

const SMALL: &str = "loopS(strict(a -- m -> b, alt(b -- n -> a, o)))";

/// Interactions, the last one without an automaton.
const INTERACTIONS: [&str; 6] = [
    "o",
    SMALL,
    "seq(par(a -- m -> b, c -- n ->|), coreg(b)(m -> b, n -> b))",
    "loopW(seq(a -- m -> b, b -- n -> c))",
    "strict({a!m, b?n}, loopH(a -- <synch>m -> (b,c)))",
    "loopP(seq(a -- m -> b, b -- n -> a, a -- k -> b))",
];

const TIMBUK: &str = "Ops a:1 b:1 c:1 x:0
Automaton A
States p q r
Final States r
Transitions
x -> p
x -> q
a(p) -> q
b(q) -> p
c(q) -> r
a(r) -> r";

fn config() -> Config {
    let mut config = Config::default();
    config.limits.states = 500;
    config
}

fn compile(text: &str, config: &Config) -> Bundle {
    let source = Source::new("specs/test.hif", text);
    let ParsedSpec { signature, interaction, spans, .. } =
        hif::parse(&source, None).expect("an interaction");
    let locations = Locations::discrete(&signature);
    let bundle = common::compile(&signature, &interaction, &locations, config).bundle;
    Bundle { text: SpecText::new(&source, spans), ..bundle }
}

fn compile_timbuk() -> Bundle {
    let source = Source::new("a.timbuk", TIMBUK);
    let (automaton, spans) = timbuk::parse_with_spans(&source).expect("an automaton");
    let groups = locations::parse("left=a,b;right=c").expect("groups");
    let (alphabet, nfa) = automaton.into_nfa(&groups).expect("every letter has a place");
    let bundle = compile_automaton(alphabet, nfa, common::provenance(), &config()).bundle;
    Bundle { text: SpecText::new(&source, spans), ..bundle }
}

fn bundles() -> Vec<(String, Bundle)> {
    let mut all = Vec::new();
    for text in INTERACTIONS {
        for (name, mut config) in common::configs() {
            config.limits.states = 500;
            all.push((format!("{text}, {name}"), compile(text, &config)));
        }
    }
    all.push(("timbuk".to_owned(), compile_timbuk()));
    for observation in common::MODES {
        let config = Config { observation, ..config() };
        all.push((observation.name().to_owned(), compile(SMALL, &config)));
    }
    all
}

#[test]
fn what_is_written_comes_back() {
    let bundles = bundles();
    let without = bundles.iter().filter(|(_, bundle)| bundle.automaton().is_none()).count();
    assert!(without > 0 && without < bundles.len(), "{without} of them without an automaton");
    for (name, bundle) in bundles {
        let bytes = encode(&bundle);
        let decoded = decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(decoded, bundle, "{name}: the bundle");
        assert_eq!(encode(&decoded), bytes, "{name}: the bytes");
    }
}

#[test]
fn the_header_is_as_documented() {
    let bytes = encode(&compile(SMALL, &config()));
    let payload = &bytes[HEADER..];
    assert_eq!(bytes[..MAGIC], *b"\x89MTB\r\n\x1a\n");
    assert_eq!(bytes[MAGIC..VERSION], FORMAT_VERSION.to_le_bytes());
    assert_eq!(bytes[VERSION..LENGTH], (payload.len() as u64).to_le_bytes());
    assert_eq!(bytes[LENGTH..HEADER], Sha256::digest(payload)[..]);
}

#[test]
fn threads_make_no_difference() {
    let bytes_with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| bundles().iter().map(|(_, bundle)| encode(bundle)).collect::<Vec<_>>())
    };
    let one = bytes_with(1);
    for threads in [2, 7] {
        let many = bytes_with(threads);
        let differing = one.iter().zip(&many).position(|(a, b)| a != b);
        assert_eq!(differing, None, "index of a bundle that differs with {threads} threads");
        assert_eq!(one.len(), many.len());
    }
}

#[test]
fn places_are_those_of_the_text() {
    let bundle = decode(&encode(&compile(SMALL, &config()))).expect("a bundle");
    let (_, interaction) = bundle.source.as_ref().expect("an interaction");
    assert_eq!(bundle.text.spans.len(), interaction.nodes().len());
    let written = |span: &Span| &bundle.text.text[span.start..span.end];
    assert_eq!(bundle.text.spans.last().map(written), Some(SMALL));
    assert_eq!(
        (written(&bundle.text.spans[0]), &*bundle.text.path),
        ("a -- m -> b", "specs/test.hif")
    );
    let automaton = decode(&encode(&compile_timbuk())).expect("a bundle");
    let written =
        automaton.text.spans.iter().map(|span| &automaton.text.text[span.start..span.end]);
    assert!(written.eq(["a(p) -> q", "b(q) -> p", "c(q) -> r", "a(r) -> r"]));
}

#[test]
fn places_outside_the_text_or_of_other_nodes_are_refused() {
    let bundle = compile(SMALL, &config());
    for spans in [vec![Span::new(0, 1)], vec![Span::new(0, 999); bundle.text.spans.len()]] {
        let text = SpecText { spans, ..bundle.text.clone() };
        let forged = encode(&Bundle { text, ..bundle.clone() });
        assert!(matches!(decode(&forged), Err(BundleError::Corrupt(_))));
    }
}

#[test]
fn older_formats_are_refused_with_the_remedy() {
    let bytes = encode(&compile(SMALL, &config()));
    for found in 1..FORMAT_VERSION {
        let mut old = bytes.clone();
        old[MAGIC..VERSION].copy_from_slice(&found.to_le_bytes());
        let error = decode(&old).expect_err("an older format");
        assert_eq!(error, BundleError::WrongVersion { found, expected: FORMAT_VERSION });
        assert!(error.to_string().ends_with("compile the specification again"), "{error}");
    }
}

/// The values that each value of a byte is changed to.
fn changes(byte: u8) -> impl Iterator<Item = u8> {
    [byte ^ 1, byte ^ 0x80, 0, 0xff].into_iter().filter(move |&changed| changed != byte)
}

/// The variant that a change at an offset must give.
fn is_right(error: &BundleError, offset: usize, changed: &[u8]) -> bool {
    let length = u64::from_le_bytes(changed[VERSION..LENGTH].try_into().expect("8 bytes"));
    let longer = length > (changed.len() - HEADER) as u64;
    match error {
        BundleError::NotABundle => offset < MAGIC,
        BundleError::OneLocation | BundleError::AllLocations => false,
        BundleError::WrongVersion { .. } => (MAGIC..VERSION).contains(&offset),
        BundleError::Truncated { .. } => (VERSION..LENGTH).contains(&offset) && longer,
        BundleError::Corrupt(_) => {
            offset >= LENGTH || (VERSION..LENGTH).contains(&offset) && !longer
        }
    }
}

#[test]
fn every_changed_byte_is_noticed() {
    let bytes = encode(&compile(SMALL, &config()));
    for offset in 0..bytes.len() {
        for value in changes(bytes[offset]) {
            let mut changed = bytes.clone();
            changed[offset] = value;
            let error = decode(&changed).expect_err("every byte counts");
            assert!(is_right(&error, offset, &changed), "byte {offset} as {value:#x}: {error:?}");
        }
    }
}

#[test]
fn every_truncation_is_noticed() {
    let bytes = encode(&compile(SMALL, &config()));
    assert_eq!(decode(&[]), Err(BundleError::NotABundle), "an empty file");
    for length in 1..bytes.len() {
        let error = decode(&bytes[..length]).expect_err("the end is missing");
        let expected = if length < HEADER { HEADER } else { bytes.len() };
        let right = BundleError::Truncated { found: length as u64, expected: expected as u64 };
        assert_eq!(error, right, "cut to {length} bytes");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(matches!(decode(&longer), Err(BundleError::Corrupt(_))), "a byte too many");
}

/// The outcome for one payload, with a panic as an error that says where.
fn survives_without_panic(payload: &[u8], what: &str) -> Result<bool, String> {
    std::panic::catch_unwind(|| survives(payload)).map_err(|_| what.to_owned())
}

#[test]
fn a_forged_payload_never_panics() {
    let mut panicked = Vec::new();
    let (mut accepted, mut tried) = (0, 0);
    for (name, bundle) in [
        ("small", compile(SMALL, &config())),
        ("without automaton", compile(INTERACTIONS[5], &config())),
        ("timbuk", compile_timbuk()),
    ] {
        let payload = encode(&bundle)[HEADER..].to_vec();
        for offset in 0..payload.len() {
            for value in changes(payload[offset]) {
                let mut changed = payload.clone();
                changed[offset] = value;
                let what = format!("{name}: byte {offset} of the payload as {value:#x}");
                tried += 1;
                match survives_without_panic(&changed, &what) {
                    Ok(ok) => accepted += usize::from(ok),
                    Err(what) => panicked.push(what),
                }
            }
        }
    }
    println!("{tried} forged payloads, {accepted} accepted");
    assert!(accepted > 0, "names and hashes may differ");
    assert!(panicked.is_empty(), "{} panicked:\n{}", panicked.len(), panicked.join("\n"));
}

#[test]
fn a_bundle_keeps_its_observation_mode() {
    for observation in common::MODES {
        let bundle = compile(SMALL, &Config { observation, ..config() });
        let decoded = decode(&encode(&bundle)).expect("a bundle");
        assert_eq!(decoded.observation, observation);
    }
    assert_eq!(Config::default().observation, Observation::Complete);
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(500)
    })]

    #[test]
    fn garbage_is_no_bundle(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn garbage_under_a_good_header_never_panics(
        payload in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        survives(&payload);
    }

    #[test]
    fn several_changes_under_a_good_header_never_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut payload = encode(&compile(SMALL, &config()))[HEADER..].to_vec();
        for (index, value) in changes {
            let offset = index.index(payload.len());
            payload[offset] = value;
        }
        survives(&payload);
    }
}
