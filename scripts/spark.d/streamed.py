"""A stream of the events of some sessions, which is ended and started again, and in which an executor is killed where there are some."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import multitrace
import multitrace.spark
import pyarrow
import pyarrow.compute
import pyarrow.parquet
from processes import kill_executor
from pyspark.sql import DataFrame, SparkSession

SCHEMA = "trace string, node string, kind string, what string, n long, time timestamp"
# The sessions come in so many waves, each in two files, and are over before the next wave.
WAVES = 6
# Each partition of each batch has a state to load and to store.
PARTITIONS = 4
# In microseconds.
HOUR = 3_600_000_000
BEGIN = 500_000 * HOUR


def streamed(
    spark: SparkSession, bundle: multitrace.Bundle, folder: Path, sessions: int, has_executors: bool
) -> tuple[DataFrame, str]:
    """The rows of the first sessions as a stream gives them, and the group of its jobs until it was ended."""
    place = folder / "stream"
    shutil.rmtree(place, ignore_errors=True)
    write_waves(folder / "events.parquet", place / "in", sessions)
    usual = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", str(PARTITIONS))
    query = begin(spark, bundle, place)
    group = str(query.runId)
    wait(query, lambda: (query.lastProgress or {}).get("batchId", -1) >= 2)
    if has_executors:
        running = spark.sparkContext.statusTracker()
        wait(query, lambda: len(running.getActiveStageIds()) > 0)
        kill_executor(spark)
    wait(query, lambda: query.lastProgress["batchId"] >= 6)
    query.stop()
    query = begin(spark, bundle, place)
    query.processAllAvailable()
    query.stop()
    spark.conf.set("spark.sql.shuffle.partitions", usual)
    batches = [int(it.name) for it in (place / "checkpoint" / "commits").glob("[0-9]*")]
    killed = ", an executor killed" if has_executors else ""
    print(f"a stream: {max(batches) + 1} batches{killed}, ended and started again", flush=True)
    return spark.read.parquet(str(place / "out")).filter("session <> 'end'"), group


def write_waves(events: Path, place: Path, sessions: int) -> None:
    """The events of the first sessions as files, and one event much later, which ends them all."""
    table = pyarrow.parquet.read_table(events)
    number = pyarrow.compute.utf8_slice_codeunits(table["trace"], 1).cast(pyarrow.int64())
    table = table.append_column("number", number).filter(pyarrow.compute.field("number") < sessions)
    place.mkdir(parents=True)
    for wave in range(WAVES):
        lowest, highest = sessions * wave // WAVES, sessions * (wave + 1) // WAVES
        field = pyarrow.compute.field("number")
        part = table.filter((field >= lowest) & (field < highest)).drop_columns(["number"])
        half = part.num_rows // 2
        for at, rows in enumerate((part.slice(0, half), part.slice(half))):
            write(rows, place / f"{2 * wave + at:02}.parquet", 5 * wave * HOUR)
    last = part.slice(0, 1).set_column(0, "trace", pyarrow.array(["end"]))
    write(last, place / f"{2 * WAVES:02}.parquet", 100 * HOUR)


def write(rows: pyarrow.Table, file: Path, micros: int) -> None:
    times = pyarrow.array([BEGIN + micros] * rows.num_rows, pyarrow.int64()).cast(pyarrow.timestamp("us", "UTC"))
    pyarrow.parquet.write_table(rows.append_column("time", times), file)
    # Files of a stream are read in the order of their times.
    time.sleep(0.01)


def begin(spark: SparkSession, bundle: multitrace.Bundle, place: Path) -> Any:
    events = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(place / "in"))
    rows = multitrace.spark.check_stream(events, bundle, time="time", idle="1 hour", late="1 hour", repair=True)
    writer = rows.writeStream.format("parquet").outputMode("append")
    return writer.option("checkpointLocation", str(place / "checkpoint")).start(str(place / "out"))


def wait(query: Any, holds: Callable[[], bool]) -> None:
    while not holds():
        assert query.isActive, query.exception()
        time.sleep(0.01)
