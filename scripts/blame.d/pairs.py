"""Pairs of a baseline and a session that has something else wrong: pairs.py MULTITRACE PAIRS SEED."""

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from injected import accepted, faults, faulty, known_events, run, written

SPECS = sorted(Path("examples").glob("*/*.hif"))
# Some specifications have no session of few events.
MOST_EVENTS = (30, 60, 120)


def main() -> int:
    tool, pairs, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    dice, counts, wrong = Random(seed), Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for number, spec in enumerate(SPECS):
            share = pairs // len(SPECS) + (number < pairs % len(SPECS))
            wrong += of_spec(tool, spec, share, dice, Path(folder), counts)
    print(", ".join(f"{what}: {count}" for what, count in sorted(counts.items())))
    return 1 if wrong else 0


def of_spec(tool: str, spec: Path, share: int, dice: Random, folder: Path, counts: Counter) -> int:
    bundle = folder / f"{spec.stem}.mtb"
    run(tool, "compile", spec, "-o", bundle)
    seed = dice.randrange(1000)
    found = (accepted(tool, bundle, 200, seed, most) for most in MOST_EVENTS)
    sessions = next((sessions for sessions in found if sessions), [])
    events, wrong, tries, most = known_events(sessions), 0, 0, 20 * share
    while share > 0 and sessions and tries < most:
        tries += 1
        drawn = pair(sessions, events, dice)
        if drawn is None:
            continue
        what, known, new = drawn
        said = faults(tool, bundle, written(folder / "both.jsonl", {"known": known, "new": new}))
        if any(said[name]["verdict"] != "fail" for name in ("known", "new")):
            counts["not failing"] += 1
            continue
        share -= 1
        wrong += excuses(tool, bundle, spec, (what, known, new), said, folder, counts)
    if share > 0:
        counts[f"pairs not found in {tries} tries"] += share
        print(f"{spec}: {share} pairs not found in {tries} tries", file=sys.stderr)
    return wrong


def pair(sessions: list, events: dict, dice: Random) -> tuple[str, dict, dict] | None:
    """A session with a fault, and one with another fault beside it or alone, at another place."""
    logs = dice.choice(sessions)
    first = faulty(logs, events, dice)
    both = dice.random() < 0.5
    second = first and faulty(first[0] if both else logs, events, dice)
    if not second or second[1][0] == first[1][0] and abs(second[1][1] - first[1][1]) < 2:
        return None
    return "both" if both else "alone", first[0], second[0]


def excuses(tool: str, bundle: Path, spec: Path, drawn: tuple, said: dict, folder: Path, counts: Counter) -> int:
    what, known, new = drawn
    baseline = folder / "known.json"
    run(tool, "check", bundle, written(folder / "known.jsonl", {"known": known}), "--write-baseline", baseline)
    code = run(tool, "check", bundle, written(folder / "new.jsonl", {"new": new}), "--baseline", baseline).returncode
    of = {name: {fault["place"] for fault in said[name]["faults"]} for name in ("known", "new")}
    is_same = of["new"] <= of["known"]
    reason = f", {why(what, said)}" if is_same else ""
    counts[f"{what}, exit {code}{reason}"] += 1
    if code == 1 and not is_same:
        return 0
    sentences = [fault["sentence"] for fault in said["new"]["faults"]]
    told = {"spec": spec.name, "exit": code, "what": what + reason, "known": known, "new": new, "faults": sentences}
    print(json.dumps(told))
    return int(code != 0 or not is_same)


def why(what: str, said: dict) -> str:
    """Why a baseline excuses a session."""
    edits = {name: said[name]["repair"]["distance"] for name in ("known", "new")}
    if what == "both" and edits["new"] <= edits["known"]:
        return "the other fault needs no edit"
    distinct = {fault["place"] for fault in said["new"]["faults"]}
    if len(distinct) < len(said["new"]["faults"]):
        return "the same place twice"
    return "the same place"


sys.exit(main())
