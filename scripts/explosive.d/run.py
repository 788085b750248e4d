"""Runs the cases of cases.py: run.py BINARY [--small]. Prints a line for each case and mode."""

import json
import sys
import tempfile
from pathlib import Path

from cases import Case, cases, written
from limited import run

MEMORY = 4 << 30
"""The most address space of one run, in bytes."""
PATIENCE = 300
"""The longest run, in seconds; beyond it hangs."""
BUDGET = 1.0
"""The budget of a session, in seconds."""


def main() -> int:
    binary, small = sys.argv[1], "--small" in sys.argv[2:]
    print(f"at most {MEMORY >> 30} GiB and {PATIENCE} s a run, {BUDGET:.0f} s a session, one thread")
    print(f"{'case':40} {'mode':14} {'result':34} {'seconds':>8} {'peak MiB':>9}")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(small):
            wrong += run_case(binary, case, Path(folder))
    print("all within their limits" if wrong == 0 else f"{wrong} beyond their limits")
    return int(wrong > 0)


def run_case(binary: str, case: Case, folder: Path) -> int:
    """How many runs of a case went wrong."""
    spec, bundle, input = folder / "spec.hif", folder / "spec.mtb", folder / "sessions.jsonl"
    spec.write_text(case.spec)
    with input.open("w") as out:
        out.writelines(written(case))
    code, text, seconds, peak = run([binary, "compile", spec, "-o", bundle, "--output-format", "json", "--quiet"], MEMORY, PATIENCE)
    wrong = report(case.name, "compile", f"exit {code}", seconds, peak, code == 0)
    if code != 0:
        print(text[-500:])
        return wrong
    for mode in case.modes:
        options = ["--observe", mode, "--jobs", "1", "--output-format", "json-lines", "--budget-time", f"{BUDGET}s"]
        code, text, seconds, peak = run([binary, "check", bundle, input, *options, "--quiet"], MEMORY, PATIENCE)
        lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")] if code in (0, 1) else []
        verdicts = [line["verdict"] for line in lines if line["type"] == "session"]
        # Reading and writing are not in the budget; a tenth or 50 ms of a session's time is what it may be late.
        files = (input.stat().st_size + bundle.stat().st_size + len(text)) / 20e6
        is_soon = seconds <= 0.5 + files + len(verdicts) * (1.1 * BUDGET + 0.05)
        result = ", ".join(f"{verdicts.count(name)} {name}" for name in sorted(set(verdicts))) or f"exit {code}"
        wrong += report(case.name, mode, result, seconds, peak, code in (0, 1) and bool(verdicts) and is_soon)
        if code not in (0, 1):
            print(text[-500:])
    return wrong


def report(case: str, mode: str, result: str, seconds: float, peak: int, is_right: bool) -> int:
    mark = "" if is_right else "  WRONG"
    print(f"{case:40} {mode:14} {result:34} {seconds:8.2f} {peak / 1024:9.0f}{mark}", flush=True)
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
