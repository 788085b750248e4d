"""Events to test with: data.py FOLDER SPEC SESSIONS [EVENTS_OF_THE_LARGEST]. Writes events.parquet and events.jsonl, the
events of as many sessions in random order, right and wrong ones, and mapping.toml; and large.parquet, with one session of
as many events among small ones."""

import json
import subprocess
import sys
from pathlib import Path

import numpy
import pyarrow
import pyarrow.json
import pyarrow.parquet

MAPPING = """\
[event]
session = "trace"
lifeline = "node"
message = "what"
direction = { field = "kind", emission = "send", reception = "receive" }
order = "n"
"""
# Distinct sessions: enough for all kinds of findings.
DISTINCT = 20_000
KINDS = {"accepted": 0.7, "noise": 0.2, "swap-actions": 0.1}


def sessions_of(spec: str) -> list[list[tuple[str, str, str, int]]]:
    """Distinct sessions as lists of events: node, kind, what, order."""
    made = []
    for kind, share in KINDS.items():
        command = [sys.executable, "-m", "multitrace", "generate", spec, "--kind", kind, "--seed", "5"]
        command += ["-n", str(int(DISTINCT * share)), "--min-events", "9", "--max-events", "33", "--duplicates"]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        made += [events_of(json.loads(line)["traces"]) for line in lines]
    return [events for events in made if events]


def events_of(traces: dict[str, list[str]]) -> list[tuple[str, str, str, int]]:
    events = []
    for actions in traces.values():
        for number, action in enumerate(actions):
            at = min(place for place in (action.find("!"), action.find("?")) if place > 0)
            events.append((action[:at], "send" if action[at] == "!" else "receive", action[at + 1 :], number))
    return events


def table_of(sessions: list[list[tuple[str, str, str, int]]], count: int) -> pyarrow.Table:
    """The events of `count` sessions, each like one of the distinct ones, in random order."""
    dice = numpy.random.default_rng(11)
    chosen = dice.integers(0, len(sessions), count)
    lengths = numpy.array([len(events) for events in sessions])
    starts = numpy.concatenate([[0], numpy.cumsum(lengths)[:-1]])
    flat = [event for events in sessions for event in events]
    session = numpy.repeat(numpy.arange(count), lengths[chosen])
    first = numpy.repeat(starts[chosen], lengths[chosen])
    ends = numpy.cumsum(lengths[chosen])
    inside = numpy.arange(ends[-1]) - numpy.repeat(ends - lengths[chosen], lengths[chosen])
    order = dice.permutation(ends[-1])
    which = pyarrow.array((first + inside)[order])
    names = pyarrow.array([f"s{number:07}" for number in range(count)])
    columns = {"trace": names.take(pyarrow.array(session[order]))}
    for at, name in enumerate(("node", "kind", "what", "n")):
        columns[name] = pyarrow.array([event[at] for event in flat]).take(which)
    return pyarrow.table(columns)


def large_of(sessions: list[list[tuple[str, str, str, int]]], events: int) -> pyarrow.Table:
    """One session of many events, wrong near its end, among a hundred small ones."""
    rows = []
    for number in range(events):
        node, kind, what = [("publisher", "send", "publish"), ("broker", "receive", "publish")][number % 2]
        rows.append(("large", node, kind, what, number))
    small = [(f"small{at:03}", *event) for at, one in enumerate(sessions[:100]) for event in one]
    table = pyarrow.table(
        dict(zip(("trace", "node", "kind", "what", "n"), map(list, zip(*rows, *small))))
    )
    return table.take(pyarrow.array(numpy.random.default_rng(3).permutation(table.num_rows)))


def main() -> None:
    folder, spec, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mapping.toml").write_text(MAPPING)
    sessions = sessions_of(spec)
    table = table_of(sessions, count)
    pyarrow.parquet.write_table(table, folder / "events.parquet", row_group_size=250_000, compression="zstd")
    with open(folder / "events.jsonl", "w", encoding="utf-8") as out:
        for batch in table.to_batches(max_chunksize=100_000):
            names = batch.schema.names
            for row in zip(*(column.to_pylist() for column in batch.columns)):
                out.write(json.dumps(dict(zip(names, row)), separators=(",", ":")) + "\n")
    pyarrow.parquet.write_table(large_of(sessions, int(sys.argv[4])), folder / "large.parquet", compression="zstd")
    print(f"{table.num_rows} events in {count} sessions")


main()
