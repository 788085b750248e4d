//! Reports of `compare`, which have no difference that chance explains.

use crate::common::folder::Folder;
use crate::common::run::multitrace;
use multitrace::{ChangeKind, CompareOptions, Comparison, Inputs, compare};
use multitrace_interaction::generate::Dice;
use multitrace_testing::cases;
use proptest::prelude::*;
use std::fmt::Write;

/// A session of a shop: orders that are paid, refused or shipped in parts, by chance.
fn line(id: usize, dice: &mut Dice, answer: &str) -> String {
    let (mut shop, mut stock) = (vec!["shop!reserve"], vec!["stock?reserve"]);
    for _ in 0..dice.below(4) {
        shop.push("shop!item");
        stock.push("stock?item");
    }
    if dice.below(3) == 0 {
        shop.push("shop!gift");
        stock.push("stock?gift");
    }
    let (sent, received) = (format!("stock!{answer}"), format!("shop?{answer}"));
    if dice.below(10) > 0 {
        stock.push(&sent);
        shop.push(&received);
    }
    format!("{{\"session\":\"s{id}\",\"traces\":{{\"shop\":{shop:?},\"stock\":{stock:?}}}}}\n")
}

fn lines(count: usize, seed: u64, answer: &str) -> String {
    let mut dice = Dice::new(seed, 1);
    (0..count).map(|id| line(id, &mut dice, answer)).collect()
}

fn compared(old: &str, new: &str) -> Comparison {
    let inputs = |text: &str| Inputs::lines("logs", text.as_bytes().into());
    compare(inputs(old), inputs(new), CompareOptions::default()).expect("sessions")
}

proptest! {
    #![proptest_config(cases(40))]

    /// Halves of one run differ in nothing, whatever their sizes.
    #[test]
    fn halves_differ_in_nothing(sizes in [1..300_usize, 1..300], seeds in [0..1_000_u64, 1_000..2_000]) {
        let [old, new] = [0, 1].map(|side| lines(sizes[side], seeds[side], "reserved"));
        let found = compared(&old, &new);
        prop_assert!(found.changes.is_empty(), "{:?}", found.changes);
        prop_assert!(found.uncertain.iter().all(|it| it.counts.contains(&0)));
    }

    /// A behaviour that is new on one side is gone if the sides are exchanged.
    #[test]
    fn sides_may_be_exchanged(sizes in [1..300_usize, 1..300], seed in 0..1_000_u64) {
        let old = lines(sizes[0], seed, "reserved");
        let new = lines(sizes[1], seed + 7, "held");
        let of = |found: &Comparison, is_exchanged: bool| {
            let exchanged = |kind| match kind {
                ChangeKind::New => ChangeKind::Gone,
                ChangeKind::Gone => ChangeKind::New,
                ChangeKind::More => ChangeKind::Less,
                ChangeKind::Less => ChangeKind::More,
            };
            let mut all: Vec<_> = found
                .changes
                .iter()
                .map(|it| (if is_exchanged { exchanged(it.kind) } else { it.kind }, it.title.clone()))
                .collect();
            all.sort();
            all
        };
        let names = ["old", "new"].map(str::to_owned);
        prop_assert_eq!(compared(&old, &new).pictures(&names).expect("diagrams")[0].len(), 2);
        prop_assert_eq!(of(&compared(&old, &new), false), of(&compared(&new, &old), true));
    }
}

#[test]
fn what_changed_is_told_once() {
    let found = compared(&lines(200, 1, "reserved"), &lines(150, 2, "held"));
    let told: Vec<_> = found.changes.iter().map(|it| (it.kind, it.title.as_str())).collect();
    assert_eq!(
        told,
        [
            (ChangeKind::New, "held from stock to shop"),
            (ChangeKind::Gone, "reserved from stock to shop")
        ]
    );
    let [new, gone] = &found.changes[..] else { panic!("two") };
    assert_eq!((new.counts[0], gone.counts[1]), (0, 0));
    assert!(new.p < 1e-20 && new.ids[0].is_empty() && !new.ids[1].is_empty());
    assert!(new.shown.contains(&"a log ends with shop?held".to_owned()), "{:?}", new.shown);
}

/// Parts that come together in another way are reported as whole sessions, since no part changed.
#[test]
fn another_combination_is_told_as_a_session() {
    let session = |id: usize, first: bool, second: bool| {
        let log = |name: &str, yes: bool| {
            format!("\"{name}\":[\"{name}!{}\"]", if yes { "yes" } else { "no" })
        };
        format!(
            "{{\"session\":\"s{id}\",\"traces\":{{{},{}}}}}\n",
            log("a", first),
            log("b", second)
        )
    };
    let side = |is_equal: bool| -> String {
        (0..200).map(|id| session(id, id % 2 == 0, (id % 2 == 0) == is_equal)).collect()
    };
    let found = compared(&side(true), &side(false));
    let kinds: Vec<_> = found.changes.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [ChangeKind::New, ChangeKind::New, ChangeKind::Gone, ChangeKind::Gone]);
    let titles: Vec<&str> = found.changes.iter().map(|it| it.title.as_str()).collect();
    let session =
        |first: &str, second: &str| format!("a session exactly like this: a!{first}; b!{second}");
    let [new, gone] = [&titles[..2], &titles[2..]].map(|it| [it[0].to_owned(), it[1].to_owned()]);
    assert_eq!(new, [session("no", "yes"), session("yes", "no")]);
    assert_eq!(gone, [session("no", "no"), session("yes", "yes")]);
}

/// How often a mark stands in each picture of a page.
fn marked(page: &str, mark: &str) -> Vec<usize> {
    let figures = page.split("<figure>").skip(1);
    figures.map(|it| it.matches(&format!(" [{mark}]<")).count()).collect()
}

#[test]
fn changes_are_marked_in_the_diagrams_of_both_sides() {
    let folder = Folder::new();
    let old = folder.file("old.jsonl", &lines(100, 1, "reserved"));
    let new = folder.file("new.jsonl", &lines(100, 3, "held"));
    let page =
        |old: &str, new: &str| multitrace(&["compare", old, new, "--output-format", "html"]).out;
    let both = page(&old, &new);
    assert_eq!((marked(&both, "new"), marked(&both, "gone")), (vec![0, 1], vec![1, 0]), "{both}");
    assert!(both.contains("new: held from stock to shop") && both.contains("old.jsonl: 100"));
    assert_eq!(both, page(&old, &new));
    let same = page(&old, &old);
    assert_eq!((marked(&same, "new"), marked(&same, "gone")), (vec![0, 0], vec![0, 0]));
    let run = multitrace(&["compare", &old, &new, "--output-format", "svg"]);
    assert!(run.code == 1 && run.out.starts_with("<svg") && run.out.contains("reserved [gone]<"));
}

/// Few sessions are no part of a learnt diagram, unless they are the change. Names that Mermaid cannot write are marked, too.
#[test]
fn a_rare_change_is_in_the_picture() {
    let folder = Folder::new();
    let line = |id: usize, message: &str| {
        let log = |events: &[&str]| {
            let event = |it: &&str| format!("\"host:80!{it}\"");
            events.iter().map(event).collect::<Vec<_>>().join(",")
        };
        let events = if message.is_empty() { log(&["a"]) } else { log(&["a", message]) };
        format!("{{\"session\":\"s{id}\",\"traces\":{{\"host:80\":[{events}]}}}}\n")
    };
    let side = |rare: &str| -> String {
        (0..2_000).map(|id| line(id, if id % 50 == 0 { rare } else { "" })).collect()
    };
    let old = folder.file("old.jsonl", &side(""));
    let new = folder.file("new.jsonl", &side("oops"));
    let page = multitrace(&["compare", &old, &new, "--output-format", "html"]).out;
    assert!(marked(&page, "new")[1] > 0, "{page}");
}

#[test]
fn the_command_says_it_in_words_and_by_its_exit_code() {
    let folder = Folder::new();
    let old = folder.file("old.jsonl", &lines(100, 1, "reserved"));
    let same = folder.file("same.jsonl", &lines(100, 2, "reserved"));
    let new = folder.file("new.jsonl", &lines(100, 3, "held"));
    let run = multitrace(&["compare", &old, &same]);
    assert!(run.code == 0 && run.out.contains("no behaviour is new"), "{}", run.out);
    let run = multitrace(&["compare", &old, &new]);
    assert!(run.code == 1 && run.out.contains("new: held from stock to shop"), "{}", run.out);
    let run = multitrace(&["compare", &old, &new, "--output-format", "markdown"]);
    assert!(run.code == 1 && run.out.contains("| gone | reserved from stock"), "{}", run.out);
    let run = multitrace(&["compare", &old, &new, "--output-format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!((run.code, &json["changes"][0]["change"]), (1, &"new".into()));
    let empty = folder.file("empty.jsonl", "");
    assert_eq!(multitrace(&["compare", &old, &empty]).code, 3);
    let run = multitrace(&["compare", &old, &empty, "--output-format", "svg"]);
    assert_eq!((run.code, run.out.as_str()), (3, ""));
    let mut broken = lines(100, 1, "reserved");
    let _ = writeln!(broken, "{{");
    assert_eq!(multitrace(&["compare", &folder.file("broken.jsonl", &broken), &same]).code, 2);
    assert_eq!(multitrace(&["compare", "-", "-"]).code, 2);
}
