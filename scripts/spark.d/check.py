"""Checks events on Spark and compares row for row with the command line: check.py FOLDER SPEC MASTER… [--runs N].
FOLDER is what data.py wrote. Prints times and the memory of executors."""

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import multitrace
import multitrace.spark
import pyarrow.parquet
from event_log import assert_one_job, assert_parallel, jobs_of, stages_of
from processes import Memory, kill_executor
from pyspark.sql import DataFrame, SparkSession
from streamed import PARTITIONS, streamed

COLUMNS = ("code", "location", "index", "event", "kind", "place")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("spec")
    parser.add_argument("masters", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--one-row-events", type=int, default=100_000)
    given = parser.parse_args()
    folder = given.folder.resolve()
    mapping = folder / "mapping.toml"
    bundle = multitrace.compile(given.spec, events=mapping)
    bundle.save(folder / "spec.mtb")
    wanted = command_line(folder, "events.parquet")
    print(f"command line: {len(wanted)} sessions", flush=True)
    tell_command_line(folder, given.runs)
    for master in given.masters:
        has_executors = master.startswith("local-cluster")
        with session(master, log=folder / "log") as spark, Memory() as memory:
            for file in ("events.parquet", "events.jsonl"):
                compare(f"{master}, {file}", check(read(spark, folder / file), bundle), wanted)
            compare_report(master, spark, bundle, folder)
            compare_stored(master, spark, bundle, folder)
            measure(master, spark, bundle, folder, given.runs)
            large = command_line(folder, "large.parquet")
            compare(f"{master}, a large session", check(read(spark, folder / "large.parquet"), bundle), large)
            if has_executors:
                killed(master, spark, bundle, folder, wanted)
            some = least_sessions(folder, given.one_row_events)
            rows, stream = streamed(spark, bundle, folder, int(some[1:]), has_executors)
            compare_rows(f"{master}, streamed", rows_of(rows), {key: row for key, row in wanted.items() if key < some})
            print(f"{master}: {memory.text()}", flush=True)
            log, slots = folder / "log" / spark.sparkContext.applicationId, spark.sparkContext.defaultParallelism
            is_adaptive = spark.conf.get("spark.sql.adaptive.enabled") == "true"
        for group in ("check", "report", "report of stored rows"):
            assert_parallel(f"{master}, {group}", stages_of(log, group), slots)
        for group in ("report", "report of stored rows"):
            assert_one_job(f"{master}, {group}", jobs_of(log, group), is_adaptive)
        # A batch reads one file, in one task or in those that repeat it.
        states = [it for it in stages_of(log, stream) if it.tasks >= PARTITIONS]
        assert states
        assert_parallel(f"{master}, states of a stream", states, slots)
        for rows in (1, 10_000):
            with session(master, rows) as spark:
                events = read(spark, folder / "events.parquet")
                part = events.filter(events["trace"] < least_sessions(folder, given.one_row_events))
                some = part if rows == 1 else events
                found = rows_of(check(some, bundle))
                compare_rows(f"{master}, batches of {rows}", found, {key: wanted[key] for key in found})
                assert len(found) == some.select("trace").distinct().count()


def command_line(folder: Path, file: str) -> dict[str, tuple]:
    """The verdicts of the command line by session."""
    command = [sys.executable, "-m", "multitrace", "check", folder / "spec.mtb", folder / file]
    command += ["--output-format", "json-lines", "--repair", "--quiet"]
    rows = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            one = json.loads(line)
            if one["type"] == "session":
                found = one.get("faults") or one.get("findings") or ()
                findings = tuple(tuple(plain(it.get(name, [] if name == "expected" else None)) for name in COLUMNS) for it in found)
                rows[one["session"]] = (one["verdict"], findings, (one.get("repair") or {}).get("distance"))
    assert run.returncode in (0, 1), run.returncode
    return rows


def tell_command_line(folder: Path, runs: int) -> None:
    for file in ("events.parquet", "events.jsonl"):
        command = [sys.executable, "-m", "multitrace", "check", folder / "spec.mtb", folder / file, "--quiet"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        seconds = [timed(lambda: subprocess.run(command, **quiet, check=False)) for _ in range(runs)]
        print(f"command line, {file}: {statistics.median(seconds):.1f} s", flush=True)


def timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


@contextlib.contextmanager
def session(master: str, rows: int | None = None, log: Path | None = None) -> Iterator[SparkSession]:
    builder = SparkSession.builder.master(master).appName("multitrace")
    builder = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "16")
    builder = builder.config("spark.driver.memory", "3g").config("spark.ui.showConsoleProgress", "false")
    if log is not None:
        log.mkdir(exist_ok=True)
        builder = builder.config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", log.as_uri())
        # As one file of lines.
        builder = builder.config("spark.eventLog.rolling.enabled", "false").config("spark.eventLog.compress", "false")
    if rows is not None:
        builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", str(rows))
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try:
        yield spark
    finally:
        spark.stop()


def read(spark: SparkSession, path: Path) -> DataFrame:
    if path.suffix == ".parquet":
        return spark.read.parquet(str(path))
    return spark.read.schema("trace string, node string, kind string, what string, n long").json(str(path))


def check(events: DataFrame, bundle: multitrace.Bundle, repair: bool = True) -> DataFrame:
    return multitrace.spark.check(events, bundle, repair=repair)


def rows_of(checked: DataFrame) -> dict[str, tuple]:
    rows = {}
    for row in collected(checked):
        findings = tuple(tuple(plain(it[name]) for name in COLUMNS) for it in row["findings"])
        assert row["session"] not in rows, f"{row['session']} twice"
        found = findings if row["verdict"] == "fail" else ()
        rows[row["session"]] = (row["verdict"], found, row["distance"])
    return rows


def collected(frame: DataFrame) -> Iterator[dict[str, Any]]:
    """All rows; Spark 3 has no table of them."""
    if hasattr(frame, "toArrow"):
        return (row for batch in frame.toArrow().to_batches() for row in batch.to_pylist())
    return (row.asDict(recursive=True) for row in frame.collect())


def plain(value: object) -> object:
    """Lists that can be compared with tuples; none is an empty one."""
    return tuple(value) if isinstance(value, list) else value


def compare(what: str, checked: DataFrame, wanted: dict[str, tuple]) -> None:
    compare_rows(what, rows_of(checked), wanted)


def compare_rows(what: str, found: dict[str, tuple], wanted: dict[str, tuple]) -> None:
    wanted = {name: row if row[0] == "fail" else (row[0], (), row[2]) for name, row in wanted.items()}
    differ = [name for name in wanted if found.get(name) != wanted[name]]
    assert not differ, (what, len(differ), differ[0], found.get(differ[0]), wanted[differ[0]])
    assert found.keys() == wanted.keys(), (what, len(found), len(wanted))
    print(f"{what}: {len(found)} sessions as on the command line", flush=True)


def compare_report(master: str, spark: SparkSession, bundle: multitrace.Bundle, folder: Path) -> None:
    """The merged report has the counts and kinds of findings of the command line."""
    events = read(spark, folder / "events.parquet")
    checked = check(events, bundle, repair=False)
    report = multitrace.spark.report(checked)
    whole = bundle.check(folder / "events.parquet", sessions=False)
    counts = ("sessions", "events", "pass", "weak_pass", "fail", "inconclusive", "causes", "violations")
    assert {name: report.summary[name] for name in counts} == {name: whole.summary[name] for name in counts}
    # The title is that of the first session, and the order of the sessions on Spark is another.
    kinds = [{it["fingerprint"]: (it["count"], it["code"]) for it in one.groups} for one in (report, whole)]
    assert kinds[0] == kinds[1] and kinds[0]
    again = multitrace.spark.report(events, bundle, session="trace", partitions=5)
    assert without_time(again) == without_time(report)
    print(f"{master}: the merged report has the counts and {len(kinds[0])} kinds of the command line", flush=True)


def compare_stored(master: str, spark: SparkSession, bundle: multitrace.Bundle, folder: Path) -> None:
    """The report of stored rows is that of their events, and reads the rows alone."""
    events, place = read(spark, folder / "events.parquet"), str(folder / "verdicts")
    with job_group(spark, "check"):
        check(events, bundle, repair=False).write.mode("overwrite").parquet(place)
    with job_group(spark, "report"):
        report = multitrace.spark.report(events, bundle)
    stored: list[multitrace.Report] = []
    rows = spark.read.parquet(place)
    with job_group(spark, "report of stored rows"):
        seconds = timed(lambda: stored.append(multitrace.spark.report(rows)))
    assert without_time(stored[0]) == without_time(report)
    print(f"{master}: the report of stored rows, in {seconds:.1f} s, is that of the events", flush=True)


@contextlib.contextmanager
def job_group(spark: SparkSession, name: str) -> Iterator[None]:
    """Jobs meanwhile have this name in the event log."""
    spark.sparkContext.setJobGroup(name, name)
    yield
    spark.sparkContext.setJobGroup("", "")


def without_time(report: multitrace.Report) -> str:
    whole = json.loads(report.render("json"))
    for name in ("seconds", "peak_bytes"):
        whole["summary"].pop(name, None)
    # How often records were read in runs depends on the parts.
    whole["summary"]["input"].pop("spilled_bytes", None)
    return json.dumps(whole)


def measure(master: str, spark: SparkSession, bundle: multitrace.Bundle, folder: Path, runs: int) -> None:
    """The check beside the same job with an identity in its place, in turns."""
    events = read(spark, folder / "events.parquet")
    schema = "trace string, node string, kind string, what string, n bigint"

    def identity() -> None:
        sorted_events = events.select("trace", "node", "kind", "what", "n").repartition("trace")
        sorted_events = sorted_events.sortWithinPartitions("trace", "n")
        run(sorted_events.mapInArrow(lambda batches: batches, schema))

    def ours() -> None:
        run(check(events, bundle, repair=False))

    def run(frame: DataFrame) -> None:
        frame.write.format("noop").mode("overwrite").save()

    seconds = {"identity": [], "check": []}
    for _ in range(runs):
        seconds["identity"].append(timed(identity))
        seconds["check"].append(timed(ours))
    one, other = statistics.median(seconds["identity"]), statistics.median(seconds["check"])
    ratios = [ours / its for ours, its in zip(seconds["check"], seconds["identity"])]
    ratio = statistics.median(ratios)
    # Single runs, and those that are over in a moment, measure the start of tasks.
    assert ratio <= 1.3 or one < 5 or runs == 1, f"{ratio:.2f} times the identity"
    print(f"{master}: identity {one:.1f} s, check {other:.1f} s, {ratio:.2f} times", flush=True)


def least_sessions(folder: Path, events: int) -> str:
    """A name that about as many events come before."""
    metadata = pyarrow.parquet.read_metadata(folder / "events.parquet")
    traces = pyarrow.parquet.read_table(folder / "events.parquet", columns=["trace"])["trace"]
    last = pyarrow.compute.max(traces).as_py()
    share = min(1.0, events / metadata.num_rows)
    return f"s{int(share * (int(last[1:]) + 1)):07}"


def killed(
    master: str, spark: SparkSession, bundle: multitrace.Bundle, folder: Path, wanted: dict[str, tuple]
) -> None:
    """One of the executors is killed while it works; the rows are the same."""
    tracker, moments = spark.sparkContext.statusTracker(), {}

    def checking() -> bool:
        """Whether a task of the last stage is done and others are not."""
        stages = map(tracker.getStageInfo, tracker.getActiveStageIds())
        return any(it and it.stageId > 0 and 0 < it.numCompletedTasks < it.numTasks for it in stages)

    def kill() -> None:
        while not checking() and "end" not in moments:
            time.sleep(0.01)
        kill_executor(spark)
        moments["kill"] = time.monotonic()

    thread = threading.Thread(target=kill)
    thread.start()
    # Many small parts, so that the moment cannot be missed.
    events = read(spark, folder / "events.parquet")
    checked = multitrace.spark.check(events, bundle, repair=True, partitions=64)
    rows = rows_of(checked)
    moments["end"] = time.monotonic()
    thread.join()
    assert moments["kill"] < moments["end"], "the job was over before an executor was killed"
    compare_rows(f"{master}, an executor killed", rows, wanted)


main()
