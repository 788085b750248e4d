"""Errors on Spark, on a few rows: empty frames, names of columns, wrong keys, nulls, options."""

import datetime
import re
from pathlib import Path
from typing import Any

import multitrace
import multitrace.spark
import pytest
from event_log import assert_one_job, jobs_of
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

SCHEMA = "trace string, node string, kind string, what string, n long"
ROWS = [
    (name, node, kind, "m", at)
    for name in ("s1", "s2", "s3")
    for at, (node, kind) in enumerate([("a", "send"), ("b", "receive")])
]


def mapping(session: str, lifeline: str, kind: str, message: str) -> dict[str, object]:
    """A mapping to these fields."""
    direction = {"field": kind, "emission": "send", "reception": "receive"}
    return {"event": {"session": session, "lifeline": lifeline, "message": message, "direction": direction}}


MAPPING = mapping("trace", "node", "kind", "what")


@pytest.fixture(scope="module")
def spark() -> SparkSession:
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def bundle() -> multitrace.Bundle:
    return multitrace.compile("a -- m -> b", events=MAPPING)


def verdicts(frame: DataFrame) -> list[tuple[str, str]]:
    return sorted((row["session"] or "", row["verdict"]) for row in frame.collect())


PASSING = [("s1", "pass"), ("s2", "pass"), ("s3", "pass")]


def test_sessions_and_report(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    events = spark.createDataFrame(ROWS, SCHEMA)
    checked = multitrace.spark.check(events, bundle, order="n")
    assert verdicts(checked) == PASSING
    assert multitrace.spark.report(checked).summary["pass"] == 3
    given = multitrace.spark.report(events, bundle, order="n", partitions=3, session="trace")
    assert given.summary["pass"] == 3


def test_an_empty_frame(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    for events in (spark.createDataFrame([], SCHEMA), spark.createDataFrame(ROWS, SCHEMA).filter("1 = 0")):
        checked = multitrace.spark.check(events, bundle, order="n")
        assert verdicts(checked) == []
        assert multitrace.spark.report(checked, bundle).outcome == "nothing_checked"
        assert multitrace.spark.report(events, bundle, order="n").outcome == "nothing_checked"
        with pytest.raises(multitrace.MultitraceError, match="there are no verdicts"):
            multitrace.spark.report(checked)


def test_names_with_dots_and_quotes(spark: SparkSession) -> None:
    names = ["tr.id", "no`de", "kind of", "msg.name", "n.1"]
    events = spark.createDataFrame(ROWS, SCHEMA).toDF(*names)
    quoted = mapping('"tr.id"', '"no`de"', "kind of", '"msg.name"')
    bundle = multitrace.compile("a -- m -> b", events=quoted)
    assert verdicts(multitrace.spark.check(events, bundle, order='n.1')) == PASSING


def test_parts_of_structures(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    events = spark.createDataFrame(ROWS, SCHEMA)
    nested = events.select("trace", "n", F.struct("node", "kind", "what").alias("event"))
    parts = mapping("trace", "event.node", "event.kind", "event.what")
    assert verdicts(multitrace.spark.check(nested, bundle, order="n", events=parts)) == PASSING


WRONG = [
    ({"order": "n", "session": ["trace", "node"]}, "the mapping makes sessions of trace"),
    ({"order": "n", "session": "n"}, "leave session= out"),
    ({}, "rows of Spark have no order"),
    ({"order": "m"}, "no column 'm'"),
    ({"order": ["n", 1]}, "is not the name of a column"),
    ({"order": "n", "session": 3}, "session: 3 is not the name of a column"),
    ({"order": "n", "max_failures": 1}, "give it to report"),
    ({"order": "n", "sample": 1}, "give a rate"),
    ({"order": "n", "sessions": False}, "every session has a row"),
    ({"order": "n", "errors": "report"}, "known are raise, rows"),
    ({"order": "n", "threads": 0}, "not a whole number from 1 on"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_is_refused_on_the_driver(
    spark: SparkSession, bundle: multitrace.Bundle, arguments: dict, message: str
) -> None:
    events = spark.createDataFrame(ROWS, SCHEMA)
    with pytest.raises(multitrace.MultitraceError, match=message):
        multitrace.spark.check(events, bundle, **arguments)


def test_a_missing_column_is_told_while_spark_plans(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    events = spark.createDataFrame(ROWS, SCHEMA).drop("what")
    with pytest.raises(multitrace.MultitraceError, match="the table has no column `what`"):
        multitrace.spark.check(events, bundle, order="n")
    nested = events.select("trace", "n", F.struct("node", "kind").alias("event"))
    with pytest.raises(multitrace.MultitraceError, match="the table has no column `node`"):
        multitrace.spark.check(nested, bundle, order="n")


def test_what_cannot_be_used(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    broken = [("s4", None, "send", "m", 0), ("s5", "a", "send", "m", 0), ("s5", "a", "send", "x", 0)]
    events = spark.createDataFrame(ROWS + broken, SCHEMA)
    with pytest.raises(Exception, match='has no value(.|\n)*errors="rows" gives'):
        multitrace.spark.check(events, bundle, order="n").collect()
    checked = multitrace.spark.check(events, bundle, order="n", errors="rows")
    rows = checked.collect()
    told = [row for row in rows if row["verdict"] == "error"]
    assert len(told) == 2 and all(row["session"] is None for row in told)
    assert any("same order" in row["problem"] for row in told) and not any("--> the table, row" in row["problem"] for row in told)
    assert {"s1", "s2", "s3", "s5"} <= {row["session"] for row in rows}
    report = multitrace.spark.report(checked)
    assert (report.outcome, report.summary["errors"], report.summary["pass"]) == ("error", 2, 3)


def test_what_is_no_result_of_check(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    events = spark.createDataFrame(ROWS, SCHEMA)
    checked = multitrace.spark.check(events, bundle, order="n")
    with pytest.raises(multitrace.MultitraceError, match="rows of 3 sessions, with parts of 0"):
        multitrace.spark.report(checked.drop("part").withColumn("part", F.lit(None).cast("binary")))
    with pytest.raises(multitrace.MultitraceError, match="rows of 2 sessions, with parts of 3"):
        multitrace.spark.report(checked.coalesce(1).filter("session <> 's1' or part is not null"))
    with pytest.raises(Exception, match="of a run that is in the parts before it"):
        multitrace.spark.report(checked.cache().union(checked))
    with pytest.raises(multitrace.MultitraceError, match="columns session, verdict, part and sum"):
        multitrace.spark.report(checked.drop("part"))
    with pytest.raises(multitrace.MultitraceError, match="was given to check"):
        multitrace.spark.report(checked, repair=True)
    with pytest.raises(multitrace.MultitraceError, match="is not a DataFrame of Spark"):
        multitrace.spark.report(bundle)
    with pytest.raises(multitrace.MultitraceError, match="is not a DataFrame of Spark"):
        multitrace.spark.check([], bundle, order="n")
    with pytest.raises(multitrace.MultitraceError, match="str is not a bundle"):
        multitrace.spark.check(events, "a -- m -> b", order="n")
    with pytest.raises(multitrace.MultitraceError, match="partitions: 0 is not a whole number"):
        multitrace.spark.check(events, bundle, order="n", partitions=0)
    for given in (events, [events]):
        with pytest.raises(multitrace.MultitraceError, match="multitrace.spark.check"):
            list(bundle.check_stream(given))


def test_filtered_rows_are_refused_although_their_number_fits(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    rows = [(f"s{number}", *rest) for number in range(12) for _, *rest in ROWS[: 2 - number % 2]]
    checked = multitrace.spark.check(spark.createDataFrame(rows, SCHEMA), bundle, order="n", partitions=4).cache()
    rows_of = checked.collect()
    ends = {row["session"]: multitrace.merge(bytes(row["part"])).summary["sessions"] for row in rows_of if row["part"] is not None}
    end = max(ends, key=lambda it: ends[it])
    others = sorted(row["session"] for row in rows_of if row["session"] not in ends)
    # As many sessions as the part has, and not all of them can be its own twice.
    told = 0
    for chosen in (others[: ends[end] - 1], others[1 - ends[end] :]):
        try:
            multitrace.spark.report(checked.filter(F.col("session").isin(end, *chosen)))
        except multitrace.MultitraceError as error:
            told += "none left out" in str(error)
    assert ends[end] > 1 and told >= 1


def test_types_are_told_while_spark_plans(spark: SparkSession, bundle: multitrace.Bundle, tmp_path: Path) -> None:
    floats = spark.createDataFrame([(1.0, *row[1:]) for row in ROWS], SCHEMA.replace("trace string", "trace double"))
    with pytest.raises(multitrace.MultitraceError, match="has floats"):
        multitrace.spark.check(floats, bundle, order="n")
    stream = spark.readStream.schema(STREAM.replace("time timestamp", "time long")).parquet(str(tmp_path))
    with pytest.raises(multitrace.MultitraceError, match="time: the column 'time' is of the type"):
        multitrace.spark.check_stream(stream, bundle, time="time", idle="1 hour", order="n")


def test_a_column_is_named_by_a_text(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    events = spark.createDataFrame(ROWS, SCHEMA)
    with pytest.raises(multitrace.MultitraceError, match="order: Column.* is not the name of a column"):
        multitrace.spark.check(events, bundle, order=events["n"])


def test_days_order_events_and_paths_into_texts_are_told(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    events = spark.createDataFrame(ROWS, SCHEMA)
    days = events.withColumn("day", F.expr("date_add(date'2026-01-01', cast(n as int))")).drop("n")
    assert verdicts(multitrace.spark.check(days, bundle, order="day")) == PASSING
    with pytest.raises(multitrace.MultitraceError, match="`what.x` leads into a text"):
        multitrace.spark.check(events, bundle, order="n", events=mapping("trace", "node", "kind", "what.x"))


def test_values_of_maps_are_read(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    events = spark.createDataFrame([({"what.kind": row[3]}, *row) for row in ROWS], "m map<string,string>, " + SCHEMA)
    given = mapping("trace", "node", "kind", "m.what.kind")
    assert verdicts(multitrace.spark.check(events, bundle, events=given, order="n")) == PASSING


def plain(report: multitrace.Report) -> str:
    """The report without its time and memory."""
    return re.sub(r'"(seconds|peak_bytes|spilled_bytes)": ?[0-9.e-]+', r'"\1":0', report.render("json"))


def test_stored_rows_are_not_checked_again(spark: SparkSession, bundle: multitrace.Bundle, tmp_path: Path) -> None:
    wrong = [("s4", None, "send", "m", 0), ("s5", "a", "receive", "m", 0), ("s6", "b", "receive", "x", 0)]
    events = spark.createDataFrame(ROWS + wrong, SCHEMA)
    checked = multitrace.spark.check(events, bundle, order="n", errors="rows", partitions=3)
    checked.write.parquet(str(tmp_path / "rows"))
    stored = spark.read.parquet(str(tmp_path / "rows"))
    report = multitrace.spark.report(stored, max_failures="50%")
    assert plain(report) == plain(multitrace.spark.report(events, bundle, order="n", partitions=3, max_failures="50%"))
    assert (report.summary["sessions"], report.summary["errors"]) == (6, 1)
    assert multitrace.spark.report(stored.select("session", "verdict", "part", "sum")).summary["fail"] == report.summary["fail"]
    # The rows of several days are one report.
    others = [(f"t{name}", *rest) for name, *rest in ROWS]
    more = multitrace.spark.check(spark.createDataFrame(others, SCHEMA), bundle, order="n", errors="rows")
    assert multitrace.spark.report(stored.union(more)).summary["sessions"] == 9
    again = multitrace.spark.check(spark.createDataFrame(others, SCHEMA), bundle, order="n", repair=True)
    with pytest.raises(Exception, match="repair"):
        multitrace.spark.report(stored.union(again))


def test_events_without_a_session_are_in_the_report_of_stored_rows(spark: SparkSession, tmp_path: Path) -> None:
    rule = {"when": {"kind": "send"}, "session": "trace", "lifeline": "node", "message": "what", "direction": "emission"}
    bundle = multitrace.compile("a -- m -> b", events={"rule": [{**rule, "order": "n"}]})
    events = spark.createDataFrame(ROWS[:1] + [("s9", "a", "noise", "m", 0)], SCHEMA)
    multitrace.spark.check(events, bundle, partitions=2).write.parquet(str(tmp_path / "rows"))
    report = multitrace.spark.report(spark.read.parquet(str(tmp_path / "rows")))
    assert report.summary["input"]["unmatched"] == 1, report.summary


# ---- Streams: a file of events is a batch.

STREAM = "trace string, node string, kind string, what string, n long, time timestamp"
BEGIN = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def at(minute: int, rows: list[tuple]) -> list[tuple]:
    return [(*row, BEGIN + datetime.timedelta(minutes=minute)) for row in rows]


def session_rows(name: str, kinds: str = "sr") -> list[tuple]:
    known = {"s": ("a", "send"), "r": ("b", "receive")}
    return [(name, *known[kind], "m", number) for number, kind in enumerate(kinds)]


class Stream:
    """A query over a folder, with a checkpoint; its rows go into another folder."""

    def __init__(self, spark: SparkSession, bundle: multitrace.Bundle, folder: Path) -> None:
        self.spark, self.bundle, self.folder = spark, bundle, folder
        for name in ("in", "out", "checkpoint"):
            (folder / name).mkdir()
        self.files = 0

    def add(self, rows: list[tuple]) -> None:
        self.files += 1
        frame = self.spark.createDataFrame(rows, STREAM).coalesce(1)
        frame.write.parquet(str(self.folder / "made" / str(self.files)))
        (made,) = (self.folder / "made" / str(self.files)).glob("*.parquet")
        made.rename(self.folder / "in" / f"{self.files}.parquet")

    def run(self) -> Any:
        """Runs the query over new rows, and ends it."""
        events = self.spark.readStream.schema(STREAM).option("maxFilesPerTrigger", 1).parquet(str(self.folder / "in"))
        checked = multitrace.spark.check_stream(
            events, self.bundle, time="time", idle="10 minutes", late="5 minutes", order="n"
        )
        writer = checked.writeStream.format("json").option("checkpointLocation", str(self.folder / "checkpoint"))
        query = writer.outputMode("append").start(str(self.folder / "out"))
        query.processAllAvailable()
        query.stop()

    def stored(self) -> DataFrame:
        return self.spark.read.schema(multitrace.spark.SCHEMA).json(str(self.folder / "out"))

    def rows(self) -> list[tuple[str, str, str]]:
        rows = self.stored().collect()
        return sorted((row["session"] or "", row["verdict"], row["problem"] or "") for row in rows)


def test_a_stream_has_the_rows_of_a_batch(spark: SparkSession, bundle: multitrace.Bundle, tmp_path: Path) -> None:
    stream = Stream(spark, bundle, tmp_path)
    first = session_rows("s1") + session_rows("s2", "s") + session_rows("s3", "sr")[1:]
    # The rest of s3 comes in another batch, and after the query was started again; s4 is two faults.
    second = session_rows("s3")[:1] + session_rows("s4", "ss")
    stream.add(at(0, first))
    stream.run()
    assert stream.rows() == []
    stream.add(at(4, second))
    stream.run()
    # Later events end the sessions before.
    stream.add(at(60, session_rows("s5")))
    stream.run()
    rows = {name: verdict for name, verdict, _ in stream.rows()}
    batch = spark.createDataFrame(first + second, SCHEMA)
    assert rows == dict(verdicts(multitrace.spark.check(batch, bundle, order="n", errors="rows")))
    # Nothing of s2 came from b, which may have no log.
    assert rows == {"s1": "pass", "s2": "inconclusive", "s3": "pass", "s4": "fail"}


def test_events_of_a_session_that_is_over_are_told(
    spark: SparkSession, bundle: multitrace.Bundle, tmp_path: Path
) -> None:
    stream = Stream(spark, bundle, tmp_path)
    stream.add(at(0, session_rows("s1")))
    # An event without a time ends no session.
    without_time = [(*row, None) for row in session_rows("s2")[:1]]
    stream.add(at(16, session_rows("s2")[1:]) + without_time)
    stream.run()
    assert [row[0] for row in stream.rows()] == ["s1"]
    stream.add(at(16, session_rows("s1")))
    stream.run()
    problem, passed = stream.rows()
    assert problem[1] == "error" and "session s1: 2 events came after it was over" in problem[2]
    assert passed == ("s1", "pass", "")
    report = multitrace.spark.report(stream.stored())
    assert (report.summary["pass"], report.summary["errors"], report.outcome) == (1, 1, "error")
    assert "2 events came after it was over" in str(report)


def test_events_that_come_with_the_end_of_their_session_are_told(
    spark: SparkSession, bundle: multitrace.Bundle, tmp_path: Path
) -> None:
    stream = Stream(spark, bundle, tmp_path)
    stream.add(at(0, session_rows("s1")) + at(40, session_rows("s2")))
    # The watermark that ends s1 is there when these come.
    stream.add(at(41, session_rows("s1")))
    stream.run()
    problem, passed = (row for row in stream.rows() if row[0] != "s2")
    assert "session s1: 2 events came after it was over" in problem[2] and passed == ("s1", "pass", "")


def test_streams_and_batches_are_told_apart(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    batch = spark.createDataFrame(at(0, ROWS), STREAM)
    with pytest.raises(multitrace.MultitraceError, match="give them to check"):
        multitrace.spark.check_stream(batch, bundle, time="time", idle="1 hour", order="n")
    stream = spark.readStream.format("rate").load()
    with pytest.raises(multitrace.MultitraceError, match="check_stream ends its sessions"):
        multitrace.spark.check(stream, bundle, order="n")


@pytest.mark.parametrize("idle", ["", "10", "ten minutes", "0 minutes", "5 fortnights", "90 S", "1.5 h", -1])
def test_idle_is_a_time(spark: SparkSession, bundle: multitrace.Bundle, idle: Any, tmp_path: Path) -> None:
    stream = spark.readStream.schema(STREAM).parquet(str(tmp_path))
    with pytest.raises(multitrace.MultitraceError, match="idle: "):
        multitrace.spark.check_stream(stream, bundle, time="time", idle=idle, order="n")


@pytest.mark.parametrize("idle", ["90 s", "90s", "1h 30m", "2 hours 5 minutes", datetime.timedelta(seconds=1)])
def test_words_of_times(spark: SparkSession, bundle: multitrace.Bundle, idle: Any, tmp_path: Path) -> None:
    stream = spark.readStream.schema(STREAM).parquet(str(tmp_path))
    assert multitrace.spark.check_stream(stream, bundle, time="time", idle=idle, late=idle, order="n").isStreaming


@pytest.mark.parametrize("is_adaptive", [False, True])
def test_a_report_is_one_job(bundle: multitrace.Bundle, tmp_path: Path, is_adaptive: bool) -> None:
    # In a session of its own with a log of events, which is whole when the session is over.
    for active in filter(None, [SparkSession.getActiveSession()]):
        active.stop()
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "16")
    builder = builder.config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", tmp_path.as_uri())
    builder = builder.config("spark.eventLog.rolling.enabled", "false").config("spark.eventLog.compress", "false")
    spark = builder.config("spark.sql.adaptive.enabled", str(is_adaptive).lower()).getOrCreate()
    try:
        events = spark.createDataFrame(ROWS, SCHEMA)
        checked = multitrace.spark.check(events, bundle, order="n", partitions=16)
        checked.write.parquet(str(tmp_path / "rows"))
        stored = spark.read.parquet(str(tmp_path / "rows"))
        spark.sparkContext.setJobGroup("events", "a report of events")
        assert multitrace.spark.report(events, bundle, order="n", partitions=16).summary["pass"] == 3
        spark.sparkContext.setJobGroup("rows", "a report of stored rows")
        assert multitrace.spark.report(stored).summary["pass"] == 3
        log = tmp_path / spark.sparkContext.applicationId
    finally:
        spark.stop()
    for group in ("events", "rows"):
        assert_one_job(group, jobs_of(log, group), is_adaptive)
