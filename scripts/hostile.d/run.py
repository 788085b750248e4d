"""Compiles small texts that mean much: run.py BINARY [--small]. Prints a line for each."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from limited import run

MEMORY = 3 << 30
"""The most address space of one run, in bytes: the limit by default, and what a process takes beside it."""
PATIENCE = 60
"""The longest run, in seconds."""


def receivers(count: int) -> str:
    return f"a -- m -> ({','.join(f'b{n}' for n in range(count))})"


def strangers(operator: str) -> Callable[[int], str]:
    """Messages that share no lifeline."""
    return lambda count: operator + "(" + ",".join(f"a{n} -- m{n} -> b{n}" for n in range(count)) + ")"


def chain(count: int) -> str:
    return "seq(" + ",".join(f"a{n} -- m -> a{n + 1}" for n in range(count)) + ")"


def loops(count: int) -> str:
    return "par(" + ",".join(f"loopP(a{n} -- m{n} -> b{n})" for n in range(count)) + ")"


def optional(count: int) -> str:
    return "seq(" + ",".join(f"alt(a -- m{n} -> b, o)" for n in range(count)) + ")"


def among_lifelines(count: int) -> str:
    """Many messages from a few senders to 300 receivers."""
    return "seq(" + ",".join(f"a{n // 300} -- m -> b{n % 300}" for n in range(count)) + ")"


CASES: list[tuple[str, Callable[[int], str], list[int]]] = [
    ("receivers of one message", receivers, [8_000, 100_000]),
    ("seq of strangers", strangers("seq"), [4_000, 50_000]),
    ("par of strangers", strangers("par"), [4_000, 20_000]),
    ("alt of strangers", strangers("alt"), [4_000, 20_000]),
    ("a chain of lifelines", chain, [4_000, 100_000]),
    ("parallel loops", loops, [4_000, 20_000]),
    ("seq of optional messages", optional, [2_500, 10_000]),
    ("messages of 300 lifelines", among_lifelines, [8_000, 60_000]),
]


def main() -> int:
    binary, small = sys.argv[1], "--small" in sys.argv[2:]
    print(f"at most {MEMORY >> 30} GiB and {PATIENCE} s a run")
    print(f"{'case':28} {'size':>8} {'result':26} {'seconds':>8} {'peak MiB':>9}")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text, sizes in CASES:
            for size in [size // 10 for size in sizes] if small else sizes:
                wrong += compile_one(binary, name, text(size), size, Path(folder))
        # A limit is an error, and not a crash.
        wrong += compile_one(binary, "beyond --limit-memory", chain(4_000), 4_000, Path(folder), "1MB", 2)
    print("all within their limits" if wrong == 0 else f"{wrong} beyond their limits")
    return int(wrong > 0)


def compile_one(
    binary: str, name: str, text: str, size: int, folder: Path, memory: str = "2GiB", expected: int = 0
) -> int:
    """Whether a run went wrong: 1, else 0."""
    spec = folder / "spec.hif"
    spec.write_text(text)
    command = [binary, "compile", str(spec), "-o", str(folder / "spec.mtb"), "--limit-memory", memory, "--quiet"]
    code, out, seconds, peak = run(command, MEMORY, PATIENCE)
    is_right = code == expected
    result = f"exit {code}" if code else ("terms" if "no automaton" in out else "an automaton")
    mark = "" if is_right else "  WRONG"
    print(f"{name:28} {size:8} {result:26} {seconds:8.2f} {peak / 1024:9.0f}{mark}", flush=True)
    if not is_right:
        print(out[-500:])
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
