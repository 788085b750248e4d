"""The stages of jobs by Spark's event log (spark.eventLog.enabled): how many of their tasks ran at once."""

import json
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple


class Stage(NamedTuple):
    """One stage, as far as its tasks came to an end."""

    tasks: int
    at_once: int
    """The most tasks that ran at one moment; one that hands its slot on may be told to end after the next one began."""
    rows: int
    """Rows of inputs and shuffles. Spark does not count the bytes of Parquet on local disks."""


def stages_of(log: Path, group: str) -> list[Stage]:
    """The stages of the jobs of a group that ran, in their order. The application of the log is over."""
    numbers, tasks, rows = set(), defaultdict(list), defaultdict(int)
    with log.open() as lines:
        for event in map(json.loads, lines):
            if event["Event"] == "SparkListenerJobStart":
                if event["Properties"].get("spark.jobGroup.id") == group:
                    numbers.update(event["Stage IDs"])
            elif event["Event"] == "SparkListenerTaskEnd":
                stage, task = event["Stage ID"], event["Task Info"]
                tasks[stage].append((task["Launch Time"], task["Finish Time"]))
                rows[stage] += rows_read(event.get("Task Metrics") or {})
    # A stage whose results are there already is skipped, and has no tasks.
    ran = sorted(number for number in numbers if tasks[number])
    return [Stage(len(tasks[it]), at_once(tasks[it]), rows[it]) for it in ran]


class Job(NamedTuple):
    """A job, as far as its stages were not there already."""

    query: str | None
    """The number of the query of Spark SQL that it is a part of."""
    stages: frozenset[int]


def jobs_of(log: Path, group: str) -> list[Job]:
    """The jobs of a group, with their stages that had tasks."""
    jobs, ran = [], set()
    with log.open() as lines:
        for event in map(json.loads, lines):
            if event["Event"] == "SparkListenerJobStart" and event["Properties"].get("spark.jobGroup.id") == group:
                jobs.append((event["Properties"].get("spark.sql.execution.id"), event["Stage IDs"]))
            elif event["Event"] == "SparkListenerTaskEnd":
                ran.add(event["Stage ID"])
    return [Job(query, frozenset(ran.intersection(stages))) for query, stages in jobs]


def assert_one_job(what: str, jobs: list[Job], is_adaptive: bool) -> None:
    """All is one query, none of whose stages runs twice. It is one job; where Spark plans while the query runs (adaptive execution),
    it counts each stage up to a shuffle as a job of its own."""
    assert len({job.query for job in jobs}) == 1 and jobs[0].query is not None, f"{what}: {jobs}"
    stages = [stage for job in jobs for stage in job.stages]
    assert len(stages) == len(set(stages)), f"{what}: a stage ran in several of {jobs}"
    assert all(len(job.stages) == 1 for job in jobs) if is_adaptive else len(jobs) == 1, f"{what}: {jobs}"
    print(f"{what}: one query, {len(jobs)} jobs, {len(stages)} stages", flush=True)


def rows_read(metrics: dict) -> int:
    inputs, shuffles = metrics.get("Input Metrics", {}), metrics.get("Shuffle Read Metrics", {})
    return inputs.get("Records Read", 0) + shuffles.get("Total Records Read", 0)


def at_once(spans: list[tuple[int, int]]) -> int:
    """The most spans of time that overlap."""
    ends = sorted([(begin, 1) for begin, _ in spans] + [(end, -1) for _, end in spans])
    running = most = 0
    for _, change in ends:
        running += change
        most = max(most, running)
    return most


# So many events take about the 4 MiB of `spark.sql.files.openCostInBytes`, below which Spark splits no file.
LITTLE = 200_000


def assert_parallel(what: str, stages: list[Stage], slots: int) -> None:
    """Every stage ran in all slots, but for those with few tasks since there is little to read."""
    assert stages, f"{what}: the event log has no stage"
    for stage in stages:
        few = stage.tasks < slots and stage.rows < LITTLE
        assert stage.at_once >= slots or few, f"{what}: {stage}, and there are {slots} slots"
    shown = ", ".join(f"{it.tasks} ({it.at_once} at once, {it.rows} rows)" for it in stages)
    print(f"{what}: tasks by stage {shown}", flush=True)
