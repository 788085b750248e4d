"""Time and memory of checks of the same events from each kind of source: peaks.py FOLDER SPEC [RUNS]. FOLDER is what data.py
wrote, and bench.py completed. Each run is a process of its own, on two threads. Prints for each kind what the process holds before
the check, with the source in memory where it has one; the most that it holds above that during the check; the same if the source is
read in the same way and at the same pace, and each batch dropped (nothing for those in memory, and for paths, which the check itself
reads); the difference; and the time of the check; all as medians."""

import ctypes
import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import multitrace
import pyarrow.parquet
from multitrace._inputs import table_of

COLUMNS = ["trace", "node", "what", "kind", "n"]
# About the pace at which a check of two threads takes rows. Read faster, some sources have no time to read ahead.
SECONDS_PER_ROW = 0.5e-6


def main() -> None:
    folder, runs = Path(sys.argv[1]), int(sys.argv[3]) if len(sys.argv) > 3 else 3
    multitrace.compile(sys.argv[2], events=folder / "mapping.toml").save(folder / "spec.mtb")
    rows: dict[str, list[list[float]]] = {way: [] for way in ["command line", *WAYS]}
    for _ in range(runs):
        rows["command line"].append([*command_line(folder), 0])
        for way in WAYS:
            rows[way].append([*of_process(folder, "check", way), of_process(folder, "read", way)[1] if way in READ else 0])
    print(f"{'source':24} {'held before':>12} {'most above':>12} {'source alone':>12} {'above the source':>16} {'time':>8}")
    for way, its in rows.items():
        before, above, seconds, alone = (statistics.median(column) for column in zip(*its))
        print(f"{way:24} {before:9.0f} MB {above:9.0f} MB {alone:9.0f} MB {above - alone:13.0f} MB {seconds:6.2f} s")


def of_process(folder: Path, work: str, way: str) -> list[float]:
    run = subprocess.run([sys.executable, __file__, folder, "--", work, way], stdout=subprocess.PIPE, text=True, check=True)
    return [float(value) for value in run.stdout.split()]


def command_line(folder: Path) -> list[float]:
    """The most that its process holds; it is written in Rust, and Python only starts it."""
    command = [str(Path(sys.executable).parent / "multitrace"), "check", str(folder / "spec.mtb"), str(folder / "events.parquet")]
    begin = time.perf_counter()
    child = subprocess.Popen([*command, "--jobs", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    usage = os.wait4(child.pid, 0)[2]
    return [0, usage.ru_maxrss * 1024 / 1e6, time.perf_counter() - begin]


def one(folder: Path, work: str, way: str) -> None:
    bundle = multitrace.load(folder / "spec.mtb")
    source = WAYS[way](folder / "events.parquet")
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # Begins the highest mark anew.
    begin = time.perf_counter()
    if work == "check":
        report = bundle.check(source, threads=2, sessions=False)
        assert report.outcome == "violations", report.outcome
    else:
        rows = read(source)
        assert rows == pyarrow.parquet.read_metadata(folder / "events.parquet").num_rows, rows
    seconds = time.perf_counter() - begin
    print(before, status("VmHWM") - before, seconds)


def read(source: Any) -> int:
    """Reads a source as a check does, by the same settings, and drops each batch. Returns the number of rows."""
    rows = 0
    for batch in pyarrow.RecordBatchReader.from_stream(table_of(source, COLUMNS)):
        rows += batch.num_rows
        time.sleep(batch.num_rows * SECONDS_PER_ROW)
    return rows


def status(key: str) -> float:
    """A value of the process in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) * 1024 / 1e6


def pandas_frame(path: Path) -> Any:
    import pandas

    return pandas.read_parquet(path, columns=COLUMNS)


def polars_frame(path: Path) -> Any:
    import polars

    return polars.read_parquet(path, columns=COLUMNS)


def lazy_frame(path: Path) -> Any:
    import polars

    return polars.scan_parquet(path)


def filtered_frame(path: Path) -> Any:
    import polars

    return polars.scan_parquet(path).filter(polars.col("n") >= 0)


def relation(path: Path) -> Any:
    import duckdb

    return duckdb.sql(f"select * from '{path}'")


def executed(path: Path) -> Any:
    import duckdb

    return duckdb.connect().execute(f"select * from '{path}'")


def reader(path: Path) -> Any:
    file = pyarrow.parquet.ParquetFile(path)
    return pyarrow.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches())


def data_set(path: Path) -> Any:
    import pyarrow.dataset

    return pyarrow.dataset.dataset(path)


def scanner(path: Path) -> Any:
    return data_set(path).scanner(columns=COLUMNS)


def table(path: Path) -> Any:
    return pyarrow.parquet.read_table(path)


WAYS: dict[str, Callable[[Path], Any]] = {
    "path": lambda path: path,
    "pyarrow, table": table,
    "pyarrow, reader": reader,
    "pyarrow, dataset": data_set,
    "pyarrow, scanner": scanner,
    "pandas, DataFrame": pandas_frame,
    "polars, DataFrame": polars_frame,
    "polars, LazyFrame": lazy_frame,
    "polars, filtered": filtered_frame,
    "DuckDB, relation": relation,
    "DuckDB, executed": executed,
}

# The others are in memory before the check, or read by it.
READ = [way for way in WAYS if not way.endswith(("path", "table", "DataFrame"))]

if sys.argv[2] == "--":
    one(Path(sys.argv[1]), *sys.argv[3:])
else:
    main()
