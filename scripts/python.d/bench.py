"""The Python package beside the command line on the same events: bench.py FOLDER SPEC [RUNS]. FOLDER is what data.py
wrote. Prints medians and ratios of runs in turns."""

import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import multitrace
import pyarrow.parquet

LINES = ["--output-format", "json-lines"]
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def main() -> None:
    folder, runs = Path(sys.argv[1]), int(sys.argv[3]) if len(sys.argv) > 3 else 5
    bundle = multitrace.compile(sys.argv[2], events=folder / "mapping.toml")
    bundle.save(folder / "spec.mtb")
    events = folder / "events.parquet"
    table = pyarrow.parquet.read_table(events)
    for threads in (1, 2):
        command = [sys.executable, "-m", "multitrace", "check", folder / "spec.mtb", events, "--jobs", str(threads)]
        ways: dict[str, Callable[[], object]] = {
            "command line, Parquet": lambda: subprocess.run(command, **QUIET, check=False),
            "the same, a line a session": lambda: subprocess.run([*command, *LINES], **QUIET, check=False),
            "check(path of Parquet)": lambda: bundle.check(events, threads=threads),
            "check(table)": lambda: bundle.check(table, threads=threads),
            "check(table).sessions": lambda: bundle.check(table, threads=threads).sessions,
            "check(table), no sessions": lambda: bundle.check(table, threads=threads, sessions=False),
            "read the table, then check": lambda: bundle.check(pyarrow.parquet.read_table(events), threads=threads),
        }
        seconds = in_turns(ways, runs)
        report, lines = seconds["command line, Parquet"], seconds["the same, a line a session"]
        for way, its in seconds.items():
            to_report, to_lines = (
                statistics.median(one / other for one, other in zip(its, base)) for base in (report, lines)
            )
            median = statistics.median(its)
            rate = table.num_rows / median / 1e6
            print(f"{threads} threads  {way:28} {median:6.2f} s  {rate:5.2f} M events/s  {to_report:.2f} times  {to_lines:.2f} times")
    traces = {"publisher": ["publisher!open", "publisher!close"], "broker": ["broker?open", "broker?close"]}
    one = [{"session": "s", "traces": {**traces, "subscriber": []}}]
    wrong = [{"session": "s", "traces": {**traces, "subscriber": ["subscriber!subscribe"]}}]
    assert bundle.check(one).outcome == "clean" and bundle.check(wrong).outcome == "violations"
    measure_parts(folder, table)
    ways = {
        "check of one session": lambda: bundle.check(one, threads=1),
        "check of one that fails": lambda: bundle.check(wrong, threads=1),
        "an event of a session": event_of(bundle.session()),
        "loading the bundle": lambda: multitrace.Bundle.from_bytes(data),
    }
    data = bundle.to_bytes()
    for way, work in ways.items():
        times = sorted(timed(work) for _ in range(2_000))
        print(f"{way:30} {times[1_000] * 1e6:8.1f} µs in the median")


def measure_parts(folder: Path, table: pyarrow.Table) -> None:
    """What parts cost: eight shards by session, one after another, and merging them; and eight by files."""
    parts = folder / "parts"
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir()
    check = [sys.executable, "-m", "multitrace", "check", folder / "spec.mtb", folder / "events.parquet"]
    whole = timed(lambda: subprocess.run([*check, "--output-format", "concise"], **QUIET, check=False))
    print(f"the whole run: {whole:.1f} s")
    seconds = []
    for at in range(8):
        output = ["--output-format", "partial", "--output-file", parts / f"{at}.part", "--shard", f"{at}/8"]
        seconds.append(timed(lambda: subprocess.run([*check, *output], **QUIET, check=False)))
    size = sum(part.stat().st_size for part in parts.iterdir())
    print(f"a shard of 8, by sessions: {statistics.median(seconds):.1f} s in the median, all parts {size / 1024:.0f} KiB")
    merge = [sys.executable, "-m", "multitrace", "merge", parts, "--output-format", "concise"]
    print(f"merging 8 parts: {timed(lambda: subprocess.run(merge, **QUIET, check=False)):.2f} s")
    measure_files(folder, table)


def measure_files(folder: Path, table: pyarrow.Table) -> None:
    """What shards by files cost: the same events in eight files, no session in two of them."""
    files = folder / "files"
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir()
    session = table.column("trace").combine_chunks().dictionary_encode().indices.to_numpy()
    for at in range(8):
        pyarrow.parquet.write_table(table.filter(pyarrow.array(session % 8 == at)), files / f"{at}.parquet")
    check = [sys.executable, "-m", "multitrace", "check", folder / "spec.mtb", files]

    def shard(at: int) -> float:
        output = ["--output-format", "partial", "--output-file", folder / "parts" / f"{at}.part"]
        shard = [*check, "--jobs", "1", "--shard-files", f"{at}/8", *output]
        return timed(lambda: subprocess.run(shard, **QUIET, check=False))

    def all_shards() -> None:
        with ThreadPoolExecutor(2) as pool:
            seconds.extend(pool.map(shard, range(8)))

    seconds: list[float] = []
    whole = timed(lambda: subprocess.run([*check, "--jobs", "2", "--output-format", "concise"], **QUIET, check=False))
    together = timed(all_shards)
    print(f"eight files in one run, two threads: {whole:.1f} s; as eight shards by files, two at a time: {together:.1f} s")
    print(f"a shard of them: {statistics.median(seconds):.1f} s in the median, beside another one")


def event_of(session: multitrace.OnlineSession) -> Callable[[], object]:
    return lambda: session.push("publisher", "publisher!open")


def in_turns(ways: dict[str, Callable[[], object]], runs: int) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(runs):
        for way, work in ways.items():
            seconds[way].append(timed(work))
    return seconds


def timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


main()
