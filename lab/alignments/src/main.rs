//! Our repairs and the alignments of `process_mining` on the same failing sessions: see
//! `scripts/alignments`.

#[allow(dead_code, reason = "shared with the benchmarks")]
#[path = "../../src/table.rs"]
mod table;
#[allow(dead_code, reason = "shared with the benchmarks")]
#[path = "../../src/timing.rs"]
mod timing;
#[allow(dead_code, reason = "shared with the benchmarks")]
#[path = "../../src/workload.rs"]
mod workload;

mod nets;
mod orders;
mod ours;
mod theirs;

use std::time::Duration;
use table::{Table, count, seconds};
use timing::{Effort, Way, compare};
use workload::Variants;

/// How often each way has its turn: theirs takes seconds a turn.
const EFFORT: Effort = Effort { rounds: 3, turn: Duration::from_millis(300) };

/// The sessions that the net of the automaton is aligned with, which takes 10 ms each.
const FEW: usize = 50;

/// A way to find the distances of the sessions of one group.
struct Tool<'a> {
    name: &'static str,
    /// The cost of each session, found on this number of threads.
    costs: Box<dyn Fn(usize) -> Vec<u64> + Sync + 'a>,
    /// The seconds for each session on one thread, after others.
    times: Box<dyn Fn() -> Vec<f64> + Sync + 'a>,
}

fn main() {
    let sessions = std::env::args().nth(1).map_or(5_000, |it| it.parse().expect("a number"));
    let mut table = Table::new(
        "Repairs and alignments",
        &format!(
            "{} failing sessions of 18 events at 5 locations. Sessions a second on one thread and \
             on two; the time of one; the average cost of one.",
            count(sessions as f64)
        ),
        &["sessions", "tool", "one thread", "two threads", "median", "99 %", "worst", "mean cost"],
    );
    for (name, variants) in [("few variants", Variants::Few), ("many variants", Variants::Many)] {
        add_rows(&mut table, name, sessions, variants);
    }
    println!("{}", table.render());
}

fn add_rows(table: &mut Table, group: &str, sessions: usize, variants: Variants) {
    // As many before them, for single times.
    let (text, edits) = workload::failing(2 * sessions as u64, variants);
    let logs = ours::of_logs(&text);
    let orders = orders::of(&logs.sessions, logs.monitor.alphabet());
    let together = ours::of_orders(&orders);
    let (before, timed) = orders.split_at(sessions);
    let few = FEW.min(sessions);
    let by_hand = theirs::Aligner::new(nets::by_hand(), before, timed);
    let net = nets::of_automaton(&logs.monitor);
    let of_automaton = theirs::Aligner::new(net, &before[..few], &timed[..few]);
    let tools = [
        logs.tool("multitrace, five logs"),
        together.tool("multitrace, one log"),
        by_hand.tool("process_mining, net by hand"),
        of_automaton.tool("process_mining, automaton"),
    ];
    let costs: Vec<Vec<u64>> = tools.iter().map(|tool| (tool.costs)(2)).collect();
    check(&costs);
    let (known, all) = workload::failing(sessions as u64, variants);
    assert_eq!(costs[0].iter().sum::<u64>(), edits - all, "{} lines before", known.lines().count());
    let rates = rates(&tools, &costs);
    for ((tool, costs), rates) in tools.iter().zip(&costs).zip(rates) {
        let mut each = (tool.times)();
        each.sort_by(f64::total_cmp);
        let at = |part: f64| seconds(each[(part * (each.len() - 1) as f64) as usize]);
        let rates = rates.map(|time| count(costs.len() as f64 / time));
        let mean = costs.iter().sum::<u64>() as f64 / costs.len() as f64;
        let names = [group.to_owned(), tool.name.to_owned()];
        let times = [at(0.5), at(0.99), at(1.0), format!("{mean:.3}")];
        table.row(names.into_iter().chain(rates).chain(times));
    }
}

/// Checks the relations between the costs of five logs, of one log, and of both nets.
fn check(costs: &[Vec<u64>]) {
    let [logs, order, by_hand, of_automaton] = costs else { unreachable!("four tools") };
    assert!(logs.iter().zip(order).all(|(logs, order)| logs <= order), "logs say less than orders");
    assert_eq!(order, by_hand, "one log: the costs are those of alignments");
    assert_eq!(by_hand[..of_automaton.len()], of_automaton[..], "both nets are the same model");
    let more = logs.iter().zip(order).filter(|(logs, order)| logs < order).count();
    println!(
        "{} sessions: one log costs as much as the alignment in all of them; five logs cost as much \
         in {}, less in {more}.\n",
        count(logs.len() as f64),
        logs.len() - more
    );
}

/// The seconds of each tool on one thread and on two, taking turns.
fn rates(tools: &[Tool<'_>], costs: &[Vec<u64>]) -> Vec<[f64; 2]> {
    let way = |at: usize, threads: usize| {
        let (tool, costs) = (&tools[at], &costs[at]);
        Way::new(tool.name, move || (tool.costs)(threads) == *costs)
    };
    let mut ways: Vec<Way<'_, bool>> =
        (0..tools.len()).flat_map(|at| [way(at, 1), way(at, 2)]).collect();
    let times = compare(EFFORT, &true, &mut ways);
    times.chunks(2).map(|pair| [pair[0], pair[1]]).collect()
}
