"""Makes or checks the cases of tests/answers: answers.py ORACLE [--cases N] [--seed S] [-o FILE] or --check [FILE]."""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from random import Random

from reference import MODES, Disagreement, Reference, Trace, load
from specs import drawn
from traces import Traces

FILE = Path("tests/answers/cases.jsonl")
DRAWS = 60
"""Multi-traces that are drawn of one specification."""
MOST_OF_A_KIND = (4, 1, 1, 1, 4)
"""How many of them are kept, by the number of modes that accept them. Modes accept more and more, so every case between
the extremes makes one mode accept more often than another: many of them would leave no mode in balance."""


def main() -> int:
    options = arguments()
    reference = Reference(load(options.oracle))
    try:
        if options.check is not None:
            return check(reference, options.check)
        make(reference, options)
    except Disagreement as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/answers")
    parser.add_argument("oracle", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--cases", type=int, default=5_000, help="how many cases to make")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", dest="output", type=Path, default=FILE)
    parser.add_argument("--check", type=Path, nargs="?", const=FILE, help="ask again for the answers of a file")
    return parser.parse_args()


# ---- Making


def make(reference: Reference, options: argparse.Namespace) -> None:
    """Writes cases, a line for each specification."""
    dice, kinds, left = Random(options.seed), Counter(), options.cases
    seen: set[str] = set()
    with options.output.open("w", encoding="utf-8") as file:
        while left > 0:
            line, of_line = entry(reference, dice, left)
            if line["cases"] and line["spec"] not in seen:
                file.write(json.dumps(line) + "\n")
                seen.add(line["spec"])
                kinds.update(of_line)
                left -= len(line["cases"])
    print(f"{options.cases} cases of {len(seen)} specifications, {options.output.stat().st_size:,} bytes")
    print("drawn:", dict(kinds))
    print("asked:", dict(sorted(reference.asked.items())))


def entry(reference: Reference, dice: Random, most: int) -> tuple[dict, list[str]]:
    """One specification with at most so many cases, and what kinds of multi-traces they are."""
    choice = drawn(dice)
    term = reference.parse(choice.spec)
    traces = Traces(dice, reference.oracle, term, choice)
    left, cases = list(MOST_OF_A_KIND), {}
    for _ in range(DRAWS):
        kind, trace = traces.draw() or ("", None)
        key = json.dumps(trace)
        if trace is None or key in cases:
            continue
        answers = reference.answers(term, choice.locations, trace)
        if answers is not None and left[sum(answers.values())] > 0:
            left[sum(answers.values())] -= 1
            cases[key] = (kind, case(trace, answers))
    kept = balanced(list(cases.values()))[:most]
    line = {"spec": choice.spec, "locations": choice.locations, "cases": [case for _, case in kept]}
    return line, [kind for kind, _ in kept]


def balanced(cases: list[tuple[str, dict]]) -> list[tuple[str, dict]]:
    """Without the last of the cases that all modes accept, where hardly any is rejected by all."""
    left = 1 + sum(case["slice"] == "no" for _, case in cases)
    kept = []
    for kind, case in cases:
        accepted = case["complete"] == "yes"
        left -= accepted
        if not accepted or left >= 0:
            kept.append((kind, case))
    return kept


def case(trace: Trace, answers: dict[str, bool]) -> dict:
    """A case as the file has it."""
    written = [["".join(action) for action in local] for local in trace]
    return {"traces": written} | {mode: "yes" if answers[mode] else "no" for mode in MODES}


# ---- Checking


def check(reference: Reference, path: Path) -> int:
    """Asks again for every answer of a file, and prints what it has."""
    counts, wrong = Counter(), 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = json.loads(line)
        term = reference.parse(line["spec"])
        for index, frozen in enumerate(line["cases"]):
            trace = [[read(action) for action in local] for local in frozen["traces"]]
            answers = reference.answers(term, line["locations"], trace)
            if answers is None or case(trace, answers) != frozen:
                print(f"line {number}, case {index}: {answers}, frozen {frozen}", file=sys.stderr)
                wrong += 1
            counts.update(f"{mode}: {frozen[mode]}" for mode in MODES)
            counts["cases"] += 1
    print(dict(sorted(counts.items())))
    print("asked:", dict(sorted(reference.asked.items())))
    return int(wrong > 0)


def read(action: str) -> tuple[str, str, str]:
    """An action of its text."""
    kind = "!" if "!" in action else "?"
    lifeline, message = action.split(kind)
    return lifeline, kind, message


if __name__ == "__main__":
    sys.exit(main())
