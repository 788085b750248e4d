"""What may go wrong on Spark, on a few rows: empty frames, names of columns, wrong keys, nulls, options."""

import multitrace
import multitrace.spark
import pytest
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
    assert multitrace.spark.report(checked.cache()).outcome == "clean"
    given = multitrace.spark.report(events, bundle, order="n", partitions=3, session="trace")
    assert given.summary["pass"] == 3


def test_an_empty_frame(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    for events in (spark.createDataFrame([], SCHEMA), spark.createDataFrame(ROWS, SCHEMA).filter("1 = 0")):
        checked = multitrace.spark.check(events, bundle, order="n")
        assert verdicts(checked) == []
        assert multitrace.spark.report(checked).outcome == "nothing_checked"


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
    ({"order": "n", "max_failures": 1}, "give it to report"),
    ({"order": "n", "sample": 1}, "give a rate"),
    ({"order": "n", "sessions": False}, "every session has a row"),
    ({"order": "n", "errors": "report"}, "known are raise, rows"),
    ({"order": "n", "threads": 0}, "no whole number from 1 on"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_is_refused_on_the_driver(
    spark: SparkSession, bundle: multitrace.Bundle, arguments: dict, message: str
) -> None:
    events = spark.createDataFrame(ROWS, SCHEMA)
    with pytest.raises(multitrace.MultitraceError, match=message):
        multitrace.spark.check(events, bundle, **arguments)


def test_what_cannot_be_used(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    broken = [("s4", None, "send", "m", 0), ("s5", "a", "send", "m", 0), ("s5", "a", "send", "x", 0)]
    events = spark.createDataFrame(ROWS + broken, SCHEMA)
    with pytest.raises(Exception, match="has no value"):
        multitrace.spark.check(events, bundle, order="n").collect()
    checked = multitrace.spark.check(events, bundle, order="n", errors="rows")
    rows = checked.collect()
    told = [row for row in rows if row["verdict"] == "error"]
    assert len(told) == 2 and all(row["session"] is None for row in told)
    assert any("same order" in row["problem"] for row in told)
    assert {"s1", "s2", "s3", "s5"} <= {row["session"] for row in rows}
    report = multitrace.spark.report(checked)
    assert (report.outcome, report.summary["errors"], report.summary["pass"]) == ("error", 2, 3)


def test_what_is_no_result_of_check(spark: SparkSession, bundle: multitrace.Bundle) -> None:
    events = spark.createDataFrame(ROWS, SCHEMA)
    checked = multitrace.spark.check(events, bundle, order="n")
    with pytest.raises(multitrace.MultitraceError, match="not what was derived"):
        multitrace.spark.report(checked.filter("verdict = 'fail'"))
    with pytest.raises(multitrace.MultitraceError, match="was given to check"):
        multitrace.spark.report(checked, repair=True)
    with pytest.raises(multitrace.MultitraceError, match="is no DataFrame of Spark"):
        multitrace.spark.check([], bundle, order="n")
