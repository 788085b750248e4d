"""Faults beside those of a reference, on random small cases: faults.py MULTITRACE ORACLE CASES SEED."""

import importlib.util
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from injected import accepted, faulty, faults, known_events, written

OPERATORS = ("seq", "seq", "strict", "par", "alt")
DEEPEST = 3
SESSIONS = 20
"""Sessions of each specification."""
MOST_EVENTS = 8


def main() -> int:
    tool, oracle, cases, seed = sys.argv[1], load(Path(sys.argv[2])), int(sys.argv[3]), int(sys.argv[4])
    dice, counts, left = Random(seed), Counter(), cases
    with tempfile.TemporaryDirectory() as folder:
        while left > 0:
            spec = Path(folder) / "s.hif"
            spec.write_text(drawn(dice, DEEPEST))
            sessions = accepted(tool, spec, SESSIONS, dice.randrange(1000), MOST_EVENTS)
            left -= compare(tool, oracle, spec, sessions, dice, counts)
    print(", ".join(f"{what}: {count}" for what, count in sorted(counts.items())))
    return 1 if counts["other distance"] or counts["other number"] or counts["other roots"] else 0


def load(path: Path):
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("reference_faults", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def drawn(dice: Random, depth: int) -> str:
    """A specification of three lifelines; each message name is sent between one pair."""
    if depth == 0 or dice.random() < 0.2:
        sender, receiver = dice.sample("abc", 2)
        return f"{sender} -- {sender}{receiver}{dice.randrange(2)} -> {receiver}"
    if dice.random() < 0.15:
        return f"loopS({drawn(dice, depth - 1)})"
    return f"{dice.choice(OPERATORS)}({drawn(dice, depth - 1)}, {drawn(dice, depth - 1)})"


def compare(tool: str, oracle, spec: Path, sessions: list, dice: Random, counts: Counter) -> int:
    term = oracle.parse(spec.read_text())
    oracle.KNOWN = oracle.letters(term, set())
    order = sorted({action[0] for action in oracle.KNOWN})
    sessions = [{name: logs.get(name, []) for name in order} for logs in sessions]
    made = [faulty(logs, known_events(sessions), dice) for logs in sessions]
    given = {str(at): it[0] for at, it in enumerate(made) if it}
    said = faults(tool, spec, written(spec.with_suffix(".jsonl"), given))
    failing = {name: line for name, line in said.items() if line["verdict"] == "fail" and line["repair"]["exact"]}
    for name, line in failing.items():
        logs = {location: [oracle.split(event) for event in log] for location, log in given[name].items()}
        cost, path, impossible, _ = oracle.repair(term, logs, order)
        theirs = oracle.faults(path)
        ours = [fault["sentence"] for fault in line["faults"]]
        what = judged(cost[0], theirs, line)
        # The reference takes any repair of the least cost, and any order of what is in none.
        if what == "other roots" and cost_of(line["repair"]["edits"], logs, impossible) == cost:
            what = "other roots, same cost"
        counts[what] += 1
        if what != "same":
            told = {"what": what, "spec": spec.read_text(), "logs": given[name], "ours": ours, "theirs": theirs}
            print(json.dumps(told))
    return len(failing)


def judged(distance: int, theirs: list[str], line: dict) -> str:
    if distance != line["repair"]["distance"]:
        return "other distance"
    if len(theirs) != len(line["faults"]):
        return "other number"
    # The reference names the event, or the message and the location where it is wrong.
    roots = [fault.split(" [after")[0].replace(",", " ").replace(":", " ").split() for fault in theirs]
    left = list(line["faults"])
    for words in roots:
        match = next((fault for fault in left if names(fault) & set(words)), None)
        if match is None:
            return "other roots"
        left.remove(match)
    return "same"


def cost_of(edits: list[dict], logs: dict, impossible: dict) -> tuple[int, int, int]:
    """Edits; how many contradict what the logs show for certain; deletions."""
    early = sum(impossible[it["location"]] is not None and it["index"] < impossible[it["location"]] for it in edits)
    deleted = {(it["location"], it["index"]) for it in edits if "delete" in it}
    accused = {(name, at) for name, at in impossible.items() if at is not None and at < len(logs[name])}
    return len(edits), early + len(accused - deleted), len(deleted)


def names(fault: dict) -> set[str]:
    return {fault["event"], fault.get("other", ""), message(fault["event"])}


def message(event: str) -> str:
    return event[min(at for at in (event.find("!"), event.find("?")) if at > 0) + 1 :]


sys.exit(main())
