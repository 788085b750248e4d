"""Values of tables and dicts as people have them: nested, missing, of many types, or refused by name."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import inspect
import json
import re
import sys
import uuid
import warnings
from pathlib import Path
from typing import Any, Dict, List

import duckdb
import multitrace
import numpy
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from conftest import ROOT

SPEC = "seq(a -- m -> b, b -- n -> a)"
ROWS: List[Dict[str, Any]] = [
    {"s": "1", "l": "a", "k": "out", "m": "m"},
    {"s": "1", "l": "b", "k": "in", "m": "m"},
    {"s": "1", "l": "b", "k": "out", "m": "n"},
    {"s": "1", "l": "a", "k": "in", "m": "n"},
]
ID = uuid.UUID("567c3c72-0000-4000-8000-000000000001")


def mapping(drop: Any = None, **event: Any) -> Dict[str, Any]:
    direction = {"field": "k", "emission": "out", "reception": "in"}
    given = {"event": {"session": "s", "lifeline": "l", "message": "m", "direction": direction, **event}}
    return given if drop is None else {**given, "drop": [{"when": drop}]}


def table(**columns: Any) -> pyarrow.Table:
    made = pyarrow.Table.from_pylist(ROWS)
    for name, column in columns.items():
        made = made.drop_columns([name] if name in made.column_names else []).append_column(name, column)
    return made


@pytest.fixture(scope="module")
def bundle() -> multitrace.Bundle:
    return multitrace.compile(SPEC)


def names(report: multitrace.Report) -> List[str]:
    return [f"{row['session']} {row['verdict']}" for row in report.sessions.to_dicts()]


MAP = pyarrow.map_(pyarrow.string(), pyarrow.string())


def test_parts_of_maps_and_lists_are_read(bundle: multitrace.Bundle) -> None:
    keys = pyarrow.array([[("sid", "t"), ("a.b", "u")]] * 4, MAP)
    entries = pyarrow.array([[{"key": "sid", "value": "t"}]] * 4)
    for path, session in (("at.sid", "t"), ("at.a.b", "u"), ('at."a.b"', "u"), ("es[key=sid].value", "t"), ("es[0].value", "t")):
        data = table(at=keys, es=entries)
        assert names(bundle.check(data, events=mapping(session=[path, "s"]))) == [f"{session} pass"]
        stream = bundle.check_stream(data, events=mapping(session=path))
        assert [row["session"] for rows in stream for row in rows.to_dicts()] == [session]
    dropped = bundle.check(table(at=keys), events=mapping({"at.sid": {"exists": True}}))
    assert dropped.outcome == "nothing_checked"


def test_paths_that_a_type_does_not_have_are_refused(bundle: multitrace.Bundle) -> None:
    variant = pyarrow.array([{"metadata": b"", "value": b""}] * 4)
    for column, path, text in (
        (pyarrow.array([[("sid", "t")]] * 4, MAP), "at[0]", "leads into a map"),
        (pyarrow.array([["t"]] * 4), "at.sid", "leads into a list"),
        (pyarrow.array(['{"sid": "t"}'] * 4), "at.sid", r"leads into a text(.|\n)*`at\|json.sid` reads"),
        (pyarrow.array(["t"] * 4).dictionary_encode(), "at.sid.x", r"leads into a text(.|\n)*`at\|json.sid.x` reads"),
        (pyarrow.array([1] * 4), "at.sid", "leads into a value without parts"),
        (variant, "at.sid", "VARIANT"),
        (variant, "at", "VARIANT"),
    ):
        with pytest.raises(multitrace.MultitraceError, match=text):
            bundle.check(table(at=column), events=mapping(session=[path, "s"]))
    with pytest.raises(multitrace.MultitraceError, match="names sessions, has values with parts"):
        bundle.check(table(at=pyarrow.array([["t"]] * 4)), events=mapping(session="at"))
    with pytest.raises(multitrace.MultitraceError, match=r"`at\|json.sid` reads"):
        bundle.check(table(at=pyarrow.array(['{"sid": "t"}'] * 4)), events=mapping(session="at.sid"))


def test_variants_of_files_are_refused_where_they_are_asked_for(bundle: multitrace.Bundle, tmp_path: Path) -> None:
    """pyarrow has no type for them, and shows structures; DuckDB takes those with the same parts in all rows apart."""
    for name, value in (("alike", "{'sid': 's1'}::variant"), ("mixed", "case when n = 1 then {'sid': 's1'}::variant else 7::variant end")):
        path = tmp_path / f"{name}.parquet"
        rows = "(values ('1', 'out', 'a', 'm', 1), ('1', 'in', 'b', 'm', 2)) t(s, k, l, m, n)"
        duckdb.sql(f"copy (select *, {value} as v from {rows}) to '{path}'")
        for data in (path, pyarrow.parquet.ParquetFile(path), pyarrow.dataset.dataset(path), duckdb.sql(f"from '{path}'")):
            for session in ("v", "v.sid"):
                with pytest.raises(multitrace.MultitraceError, match=r"leads into a VARIANT(.|\n)*select v.part::text"):
                    bundle.check(data, events=mapping(session=session))
        assert names(bundle.check(path, events=mapping())) == ["1 fail"]
        first = duckdb.sql(f"select *, v.sid::text as sid from '{path}' where n = 1")
        assert [row["session"] for row in bundle.check(first, events=mapping(session="sid")).sessions.to_dicts()] == ["s1"]


def test_nulls_of_every_kind_are_nulls(bundle: multitrace.Bundle) -> None:
    of_names = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 4, pyarrow.int32()), pyarrow.array([None], pyarrow.string()))
    runs = pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([4], pyarrow.int32()), pyarrow.array([None], pyarrow.string()))
    for column in (pyarrow.nulls(4), of_names, runs):
        report = bundle.check(table(e=column), events=mapping({"e": {"exists": True}}, message=["e", "m"]))
        assert names(report) == ["1 pass"]
    assert names(bundle.check(pandas.DataFrame(ROWS).assign(e=None), events=mapping({"e": {"exists": True}}))) == ["1 pass"]


def test_columns_of_objects_are_refused_where_they_are_asked_for(bundle: multitrace.Bundle) -> None:
    objects = polars.Series("s", [ID] * 4, dtype=polars.Object)
    for frame in (polars.DataFrame(ROWS).with_columns(objects), polars.DataFrame(ROWS).with_columns(objects).lazy()):
        with pytest.raises(multitrace.MultitraceError, match="the column 's' holds objects of Python"):
            bundle.check(frame, events=mapping())
    unasked = polars.DataFrame(ROWS).with_columns(
        objects.alias("o"), polars.lit(1).cast(polars.Int128).alias("i"), polars.Series("t", [[], [], [], []]), x=polars.struct(y=None)
    )
    assert names(bundle.check(unasked, events=mapping())) == ["1 pass"]
    mixed = pandas.DataFrame(ROWS).assign(x=[1, "a", None, {}])
    assert names(bundle.check(mixed, events=mapping())) == ["1 pass"]
    with pytest.raises(multitrace.MultitraceError, match="column x"):
        bundle.check(mixed, events=mapping(session="x"))


def test_uuids_are_one_text(bundle: multitrace.Bundle) -> None:
    column = pyarrow.ExtensionArray.from_storage(pyarrow.uuid(), pyarrow.array([ID.bytes] * 4, pyarrow.binary(16)))
    for data in (table(s=column), [{**row, "s": ID} for row in ROWS], duckdb.sql(f"select uuid '{ID}' s, k, l, m from t")
                 if duckdb.register("t", table()) else None):
        assert names(bundle.check(data, events=mapping())) == [f"{ID} pass"]


def test_floats_do_not_name_sessions_anywhere(bundle: multitrace.Bundle) -> None:
    floats, inner = table(s=pyarrow.array([1.0] * 4)), table(p=pyarrow.array([{"x": 1.0}] * 4))
    for data, path in ((floats, "s"), (inner, "p.x")):
        with pytest.raises(multitrace.MultitraceError, match="has floats"):
            bundle.check(data, events=mapping(session=path))
        with pytest.raises(multitrace.MultitraceError, match="has floats"):
            list(bundle.check_stream(data, events=mapping(session=path)))


def test_times_with_and_without_an_offset_do_not_mix(bundle: multitrace.Bundle) -> None:
    times = ["2024-05-01T02:00:01", "2024-05-01T00:00:01Z", "2024-05-01T00:00:02Z", "2024-05-01T00:00:03Z"]
    rows = [{**row, "t": time} for row, time in zip(ROWS, times)]
    with pytest.raises(multitrace.InputError, match="a time without an offset") as caught:
        bundle.check(rows, events=mapping(order="t"))
    assert "this one by a time with an offset, and the list:1 by" in str(caught.value) and caught.value.places[0].line == 4
    naive = pyarrow.array([datetime.datetime(2024, 5, 1, 2)], pyarrow.timestamp("us"))
    aware = pyarrow.array([datetime.datetime(2024, 5, 1, second=second) for second in range(3)], pyarrow.timestamp("us", "UTC"))
    tables = [table().slice(0, 1).append_column("t", naive), table().slice(1).append_column("t", aware)]
    with pytest.raises(multitrace.InputError, match="a time without an offset"):
        list(bundle.check_stream(tables, events=mapping(order="t")))


DAYS = [datetime.date(2024, 5, day) for day in (9, 10, 11, 12)]


def test_days_and_times_are_an_order_in_every_input(bundle: multitrace.Bundle) -> None:
    naive = [datetime.datetime(2024, 5, 1, hour) for hour in (9, 10, 11, 12)]
    # By the clock on the wall they would be in another order.
    zones = [datetime.timezone(datetime.timedelta(hours=hour)) for hour in (9, 7, 5, 3)]
    aware = [time.replace(hour=12, tzinfo=zone) for time, zone in zip(naive, zones)]
    numpy_days = [numpy.datetime64(day) for day in DAYS]
    nanoseconds = [numpy.datetime64(time, "ns") for time in naive]
    for values in (DAYS, naive, aware, numpy_days, nanoseconds, [pandas.Timestamp(time) for time in aware]):
        rows = [{**row, "t": value} for row, value in zip(ROWS, values)][::-1]
        assert names(bundle.check(rows, events=mapping(order="t"))) == ["1 pass"], values
        assert names(bundle.check(pandas.DataFrame(rows), events=mapping(order="t"))) == ["1 pass"], values
    for values in (DAYS, naive, aware):
        rows = [{**row, "t": value} for row, value in zip(ROWS, values)][::-1]
        arrow, frame = pyarrow.Table.from_pylist(rows), polars.DataFrame(rows)
        for data in (arrow, frame, frame.lazy(), duckdb.sql("select * from arrow")):
            assert names(bundle.check(data, events=mapping(order="t"))) == ["1 pass"], values
    for kind in (pyarrow.date32(), pyarrow.date64()):
        column = pyarrow.array(DAYS, kind)
        reverse = table(t=column).take([3, 2, 1, 0])
        assert names(bundle.check(reverse, events=mapping(order="t"))) == ["1 pass"], kind


def test_kinds_of_times_do_not_mix_where_arrow_would_make_them_alike(bundle: multitrace.Bundle) -> None:
    naive = datetime.datetime(2024, 5, 10)
    for one, other in ((DAYS[0], naive), (naive, naive.replace(tzinfo=datetime.timezone.utc))):
        for data in ([one, one, other, other], [other, other, one, one]):
            rows = [{**row, "t": value} for row, value in zip(ROWS, data)]
            for given in (rows, pandas.DataFrame(rows)):
                with pytest.raises(multitrace.InputError, match="events are ordered in different ways"):
                    bundle.check(given, events=mapping(order="t"))
    missing = [*DAYS[:2], None, pandas.NaT]
    given = pandas.DataFrame([{**row, "t": value} for row, value in zip(ROWS, missing)])
    with pytest.raises(multitrace.InputError, match="`t`"):
        bundle.check(given, events=mapping(order="t"))


def test_durations_are_an_order(bundle: multitrace.Bundle) -> None:
    lengths = [datetime.timedelta(seconds=second, microseconds=5) for second in (9, 10, 11, 12)]
    lengths[0] = datetime.timedelta(0)
    rows = [{**row, "t": length} for row, length in zip(ROWS, lengths)]
    for data in (list(reversed(rows)), pyarrow.Table.from_pylist(list(reversed(rows)))):
        assert names(bundle.check(data, events=mapping(order="t"))) == ["1 pass"]


def test_integers_beyond_64_bits(bundle: multitrace.Bundle) -> None:
    rows = [{**row, "s": 2**70, "n": 10**19 + at} for at, row in enumerate(ROWS)]
    for data in (rows, pandas.DataFrame(rows), polars.DataFrame(rows)):
        assert names(bundle.check(data, events=mapping(order="n"))) == [f"{2**70} pass"]
    with pytest.raises(multitrace.InputError, match="more than 20 digits before the point"):
        bundle.check(rows, events=mapping(order="s"))
    assert names(bundle.check(pandas.DataFrame({"session": [2**70], "location": ["a"], "actions": ["a!m"]}))) == [f"{2**70} fail"]


NAIVE = datetime.datetime(2024, 5, 1, 2)
AWARE = NAIVE.replace(tzinfo=datetime.timezone.utc)


def objects(values: List[Any]) -> pandas.DataFrame:
    """A frame whose column `o` has objects as they are."""
    column = pandas.Series([None] * len(values), dtype=object)
    for at, value in enumerate(values):
        column.iat[at] = value
    return pandas.DataFrame(ROWS).assign(o=column)


@pytest.mark.parametrize(
    ("values", "order"),
    [
        ([*(pandas.Timestamp(NAIVE.replace(hour=hour)) for hour in (2, 3, 4)), 1714600000], "o"),
        ([NAIVE, AWARE, 5, AWARE], "o"),
        ([NAIVE.date(), NAIVE, NAIVE, 5], "o"),
        ([NAIVE, NAIVE, NAIVE, 1.5], "o"),
        ([{"t": NAIVE}, {"t": AWARE}, {"t": NAIVE}, {"t": AWARE}], "o.t"),
        ([[NAIVE], [AWARE], (NAIVE,), [AWARE]], "o[0]"),
    ],
)
def test_objects_keep_their_kinds(values: List[Any], order: str, bundle: multitrace.Bundle) -> None:
    for data in ([{**row, "o": value} for row, value in zip(ROWS, values)], objects(values)):
        with pytest.raises(multitrace.InputError, match="events are ordered in different ways"):
            bundle.check(data, events=mapping(order=order))


def test_nanoseconds_are_an_order(bundle: multitrace.Bundle) -> None:
    for kind in (
        lambda at: pandas.Timestamp(NAIVE) + pandas.Timedelta(at, "ns"),
        lambda at: pandas.Timestamp(AWARE) + pandas.Timedelta(at, "ns"),
        lambda at: pandas.Timedelta(at - 3, "ns"),
        lambda at: numpy.timedelta64(at, "ns"),
        lambda at: numpy.datetime64(NAIVE, "ns") + numpy.timedelta64(at, "ns"),
        lambda at: [pandas.Timedelta(at, "ns"), numpy.timedelta64(at, "ns")][at % 2],
    ):
        values = [kind(at) for at in (4, 3, 2, 1)]
        rows = [{**row, "o": value} for row, value in zip(ROWS, values)]
        frame = pandas.DataFrame(rows)
        for data in (rows, objects(values), frame, list(frame.itertuples(index=False))):
            assert names(bundle.check(data, events=mapping(order="o", ties="file"))) == ["1 fail"], values
        nested = [{"t": value} for value in values]
        for data in ([{**row, "o": value} for row, value in zip(ROWS, nested)], objects(nested)):
            assert names(bundle.check(data, events=mapping(order="o.t", ties="file"))) == ["1 fail"], values
    with pytest.raises(multitrace.MultitraceError, match="not a whole number of nanoseconds"):
        bundle.check([{**row, "o": numpy.timedelta64(1, "ps")} for row in ROWS], events=mapping(order="o"))


def test_a_missing_object_is_a_null_of_its_row(bundle: multitrace.Bundle) -> None:
    for missing in (None, float("nan"), pandas.NA, pandas.NaT, numpy.datetime64("NaT"), decimal.Decimal("NaN")):
        for values in ([10**19, 10**19 + 1, missing, 10**19 + 2], [NAIVE, AWARE, missing, NAIVE]):
            report = bundle.check(objects(values), events=mapping({"o": {"exists": False}}))
            assert report.summary["input"]["events"] == 3
            with pytest.raises(multitrace.InputError, match="`o` has no value(.|\n)*the table, row 3"):
                bundle.check(objects(values), events=mapping(order="o"))
    for values, order in (([-1, 2**64 - 1, 3, 2**64 - 2], "o"), ([[2**63 + at] for at in (1, 2, 3, 0)], "o[0]"), ([{"t": 2**63 + at} for at in (1, 2, 3, 0)], "o.t")):
        dicts = [{**row, "o": value} for row, value in zip(ROWS, values)]
        assert names(bundle.check(objects(values), events=mapping(order=order))) == names(bundle.check(dicts, events=mapping(order=order)))
    with pytest.raises(multitrace.InputError, match="more than 20 digits before the point"):
        bundle.check(objects([[2**70]] * 4), events=mapping(order="o[0]"))


@dataclasses.dataclass
class Event:
    s: str
    l: str  # noqa: E741
    k: str
    m: str


def test_values_of_dicts(bundle: multitrace.Bundle) -> None:
    colour = enum.Enum("colour", {"RED": "red"})
    missing = (pandas.NaT, pandas.NA, float("nan"), decimal.Decimal("NaN"), None)
    for value in (*missing, ID, b"x", float("inf"), colour.RED, pyarrow.scalar(5), datetime.timedelta(1)):
        assert names(bundle.check([{**row, "x": value} for row in ROWS], events=mapping())) == ["1 pass"]
    for value in missing:
        with pytest.raises(multitrace.InputError, match="has no field `s`"):
            bundle.check([{**row, "s": value} for row in ROWS], events=mapping())
    with pytest.raises(multitrace.MultitraceError, match="item 1, 'x': object has no form in JSON; make it a text"):
        bundle.check([{**row, "x": object()} for row in ROWS], events=mapping())
    assert names(bundle.check([Event(**row) for row in ROWS], events=mapping())) == ["1 pass"]
    with pytest.raises(multitrace.MultitraceError, match="named=True"):
        bundle.check(list(polars.DataFrame(ROWS).iter_rows()), events=mapping())


def test_sessions_are_sessions_in_every_collection() -> None:
    bundle = multitrace.compile(SPEC, events=mapping())
    session = {"session": "1", "traces": {"a": ["a!m", "a?n"], "b": ["b?m", "b!n"]}}
    for data in (session, [session], collections.deque([session]), (one for one in [session])):
        assert names(bundle.check(data)) == ["1 pass"]


def test_streams_take_what_stands_for_a_table(bundle: multitrace.Bundle, tmp_path: Any) -> None:
    pyarrow.parquet.write_table(table(), tmp_path / "x.parquet")
    connection = duckdb.connect()
    connection.register("t", table())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for data in (polars.DataFrame(ROWS).lazy(), pyarrow.dataset.dataset(tmp_path / "x.parquet"), connection.execute("from t")):
            (rows,) = bundle.check_stream(data, events=mapping())
            assert repr(rows).startswith("<Sessions, 1 row:") and rows.head()[0]["verdict"] == "pass"
    with pytest.raises(multitrace.MultitraceError, match="execute a query first"):
        bundle.check(connection, events=mapping())
    spark = type("DataFrame", (), {"__module__": "pyspark.sql.dataframe"})()
    for given in (spark, [spark]):
        with pytest.raises(multitrace.MultitraceError, match="multitrace.spark.check"):
            list(bundle.check_stream(given, events=mapping()))
    with pytest.raises(multitrace.MultitraceError, match="neither a table nor several"):
        bundle.check_stream(5, events=mapping())  # type: ignore[arg-type]
    with pytest.raises(multitrace.MultitraceError, match="shard= picks sessions"):
        bundle.check_stream(table(), events=mapping(), shard_files="1/2")  # type: ignore[call-arg]


def test_a_later_table_without_a_column_is_one_problem(bundle: multitrace.Bundle) -> None:
    tables = [table(), table().drop_columns(["m"]).set_column(0, "s", pyarrow.array(["2"] * 4))]
    with pytest.raises(multitrace.InputError, match="the table has no column `m`") as caught:
        list(bundle.check_stream(tables, events=mapping()))
    assert [place.line for place in caught.value.places] == [5]


def test_a_table_that_breaks_off_is_an_error_of_this_package(bundle: multitrace.Bundle) -> None:
    def pieces() -> Any:
        yield table().to_batches()[0]
        raise ValueError("torn off")

    def broken() -> pyarrow.RecordBatchReader:
        return pyarrow.RecordBatchReader.from_batches(table().schema, pieces())

    for check in (bundle.check, lambda data, events: list(bundle.check_stream([data], events=events))):
        with pytest.raises(multitrace.MultitraceError, match="torn off"):
            check(broken(), events=mapping())
    with pytest.raises(multitrace.MultitraceError, match="torn off"):
        multitrace.propose_mapping(broken())


def test_a_row_that_names_both_ends_is_two_events(bundle: multitrace.Bundle) -> None:
    rows = [{"s": "1", "sender": a, "receiver": b, "name": name} for a, b, name in (("a", "b", "m"), ("b", "a", "n"))]
    events = {"event": {"session": "s"}, "rule": [{"actions": ["{sender}!{name}", "{receiver}?{name}"]}]}
    assert names(bundle.check(pandas.DataFrame(rows), events=events)) == ["1 pass"]


def test_urls_have_folders_exclusions_and_names_that_stay(bundle: multitrace.Bundle) -> None:
    files = pytest.importorskip("fsspec").filesystem("memory")
    for name in ("a", "bad", "old/c"):
        session = {"session": name, "traces": {"a": ["a!m", "a?n"], "b": ["b?m", "b!n"]}}
        files.pipe(f"/values/{name}.jsonl", json.dumps(session).encode())
    for url, exclude, expected in (
        ("memory://values/*.jsonl", (), ["a", "bad"]),
        ("memory://values/*.jsonl", "*bad*", ["a"]),
        ("memory://values", "old/*.jsonl", ["a", "bad"]),
        ("memory://values/", ["bad*", "old"], ["a"]),
    ):
        report = bundle.check(url, exclude=exclude)
        assert [row["session"] for row in report.sessions.to_dicts()] == expected
    parts = [bundle.check("memory://values", shard_files=(number, 2), partial=True).partial() for number in range(2)]
    assert multitrace.merge(parts).summary["sessions"] == 3
    for name in ("README.md", "old/map.toml", ".multitrace-1"):
        files.pipe(f"/values/{name}", b"no log")
    report = bundle.check("memory://values", exclude="bad*")
    assert [row["session"] for row in report.sessions.to_dicts()] == ["a", "old/c"]
    notes = "\n".join(report.notes)
    assert "2 files are not logs by their extensions, and left out, first /values/README.md" in notes
    assert "is excluded by exclude=" in notes and "an unfinished output of a run" in notes
    with pytest.raises(multitrace.MultitraceError, match="excluded by exclude="):
        bundle.check("memory://values/*.jsonl", exclude="*")
    files.pipe("/values/bad.jsonl", b"{")
    with pytest.raises(multitrace.InputError, match="memory/values/bad.jsonl:1"):
        bundle.check("memory://values/bad.jsonl")
    with pytest.raises(multitrace.MultitraceError, match="no file is called like that"):
        bundle.check("memory://values/none*.jsonl")


def test_merged_problems_have_their_help(bundle: multitrace.Bundle) -> None:
    report = bundle.check([{**ROWS[0], "k": "OUT"}], events=mapping(), errors="report", partial=True)
    assert multitrace.merge(report.partial()).problems == report.problems and "= help:" in report.problems[0].text


def test_a_remark_is_printed_once(bundle: multitrace.Bundle) -> None:
    events = {"rule": [{"when": {"s": "1"}, **mapping()["event"]}]}
    report = bundle.check([*ROWS, {**ROWS[0], "s": "2"}], events=events, min_sessions=7)
    text = str(report)
    assert "MT004 no rule" in text and text.count("no rule of the mapping matched") == 1 and "MT006" in text
    assert all(text.count(note) == 1 for note in report.notes) and len(report.notes) > 1
    assert "note: nothing was checked" in str(bundle.check([]))


def test_two_queries_of_one_connection_are_compared() -> None:
    frame, connection = pandas.DataFrame(ROWS), duckdb.connect()
    connection.register("t", frame)
    for queries in (
        lambda frame=frame: (duckdb.sql("from frame"), duckdb.sql("from frame")),
        lambda: (connection.sql("from t"), connection.sql("from t")),
        lambda: (connection.execute("from t"), connection.sql("from t")),
    ):
        assert multitrace.compare(*queries(), events=mapping()).sessions == (1, 1)
    with pytest.raises(multitrace.MultitraceError, match="old: the query cannot be read before the other one"):
        multitrace.compare(connection.sql("from t"), connection.execute("from t"), events=mapping())


def test_values_of_numpy_are_those_of_python(bundle: multitrace.Bundle) -> None:
    rows = [*ROWS, {**ROWS[0], "m": 1}]
    for value in (1, numpy.int64(1)):
        assert names(bundle.check(rows, events=mapping({"m": value}), progress=numpy.False_)) == ["1 pass"]
    rows = [{**row, "t": numpy.array(numpy.datetime64(NAIVE, "ns") + [at], "datetime64[ns]")} for at, row in enumerate(ROWS)]
    assert names(bundle.check(rows[::-1], events=mapping(order="t[0]"))) == ["1 pass"]


def test_conditions_find_the_values_that_they_name(bundle: multitrace.Bundle) -> None:
    naive = datetime.datetime(2024, 5, 1, 2, microsecond=500_000)
    for value in (1e22, 1.0, numpy.float32(0.1), 2**70, True, numpy.bool_(True), naive, DAYS[0], ID, decimal.Decimal("1.50"), datetime.timedelta(seconds=1.5), numpy.datetime64(naive), float("inf")):
        rows = [*ROWS, {**ROWS[0], "x": value}]
        for when in (value, [value]):
            assert names(bundle.check(rows, events=mapping({"x": when}))) == ["1 pass"], value
        assert names(bundle.check(rows, events=mapping({"m": value}))) == ["1 fail"], value
    for value in (object(), float("nan"), b"x", pandas.NaT):
        with pytest.raises(multitrace.MultitraceError, match="which has no form in TOML"):
            bundle.check(ROWS, events=mapping({"x": value}))


def test_what_makes_a_table_is_told_where_it_fails(bundle: multitrace.Bundle) -> None:
    def pieces(made: Any) -> Any:
        yield made.to_batches()[0]
        raise ValueError("torn off")

    def reader(made: Any = None) -> pyarrow.RecordBatchReader:
        made = table() if made is None else made
        return pyarrow.RecordBatchReader.from_batches(made.schema, pieces(made))

    logs = pyarrow.table({"session": ["1"], "location": ["a"], "actions": ["a!m"]})
    broken = polars.LazyFrame(ROWS).with_columns(polars.col("s").map_elements(lambda _: 1 // 0, return_dtype=polars.String))
    once = pyarrow.dataset.Scanner.from_batches(table().to_reader())
    report = bundle.check(once, events=mapping())
    for call, reason in (
        (lambda: bundle.check(reader(), events=mapping()), "torn off"),
        (lambda: bundle.check(reader(logs)), "torn off"),
        (lambda: list(bundle.check_stream(reader(), events=mapping())), "torn off"),
        (lambda: list(bundle.check_stream([reader()], events=mapping())), "torn off"),
        (lambda: multitrace.propose_mapping(reader()), "torn off"),
        (lambda: bundle.check(broken, events=mapping()), "ZeroDivisionError"),
        (lambda: bundle.check(once, events=mapping()), "already scanned"),
    ):
        with pytest.raises(multitrace.MultitraceError, match=f"cannot (be )?read on: .*{reason}") as caught:
            call()
        assert not re.search("C Data|Traceback|Producer|External|file cut off", str(caught.value)), caught.value
    with pytest.raises(multitrace.MultitraceError, match="give their rows once"):
        report.explain("1")
    ended = table().to_reader()
    assert bundle.check(ended, events=mapping()).outcome == "clean"
    assert "a reader gives its rows once" in bundle.check(ended, events=mapping()).notes[0]


def test_rows_and_groups_of_frames(bundle: multitrace.Bundle) -> None:
    frame = pandas.DataFrame(ROWS)
    assert names(bundle.check([row for _, row in frame.iterrows()], events=mapping())) == ["1 pass"]
    for data in (frame.groupby("s"), frame.iterrows()):
        with pytest.raises(multitrace.MultitraceError, match="the frame itself, and not its groups or rows"):
            bundle.check(data, events=mapping())
    spark = type("DataFrame", (), {"__module__": "pyspark.sql.dataframe"})()
    with pytest.raises(multitrace.MultitraceError, match="multitrace.spark.check"):
        bundle.check([spark], events=mapping())
    for lazy in (polars.LazyFrame(ROWS), pyarrow.dataset.dataset(table())):
        with pytest.raises(multitrace.MultitraceError, match="item 1: .* is a table; check one table"):
            bundle.check([lazy], events=mapping())


def test_specifications_and_mappings_of_urls(bundle: multitrace.Bundle, tmp_path: Path) -> None:
    files = pytest.importorskip("fsspec").filesystem("memory")
    files.pipe("/specs/a.hif", SPEC.encode())
    files.pipe("/specs/a.md", b"```mermaid\nsequenceDiagram\n  a->>b: m\n```\n")
    files.pipe("/specs/a.mtb", bundle.to_bytes())
    files.pipe("/specs/a.toml", multitrace._inputs.to_toml(mapping()).encode())
    assert multitrace.load("memory://specs/a.mtb") == bundle
    assert multitrace.compile("memory://specs/a.md#1").actions == ["a!m", "b?m"]
    compiled = multitrace.compile("memory://specs/a.hif", events="memory://specs/a.toml")
    assert names(compiled.check(ROWS)) == ["1 pass"]
    for number in range(2):
        part = bundle.check(ROWS, events=mapping(), shard=(number, 2), partial=True).partial()
        files.pipe(f"/specs/parts/{number}.mtp", part)
    for parts in ("memory://specs/parts", "memory://specs/parts/*.mtp", ["memory://specs/parts/0.mtp", "memory://specs/parts/1.mtp"]):
        assert multitrace.merge(parts).summary["sessions"] == 1
    whole = multitrace.compile(SPEC, events=mapping())
    for name, location in whole.split().items():
        files.pipe(f"/specs/{name}.mtb", location)
    made = [multitrace.local(f"memory://specs/{name}.mtb", ROWS) for name in whole.split()]
    for name, request in whole.requests(made).items():
        files.pipe(f"/specs/{name}.ask", request)
        made.append(multitrace.local(f"memory://specs/{name}.mtb", ROWS, answer=f"memory://specs/{name}.ask"))
    assert names(whole.combine(made)) == ["1 pass"]
    for call in (multitrace.compile, multitrace.load, multitrace.merge):
        with pytest.raises(multitrace.MultitraceError, match="nowhere://x.mmd: (?!.*git)"):
            call("nowhere://x.mmd")
    with pytest.raises(multitrace.MultitraceError, match=r'give `subprocess.check_output\(\["git", "show", "HEAD~1:a.hif"\], text=True\)`') as caught:
        multitrace.compile("HEAD~1:a.hif")
    assert "> FILE" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda it: multitrace.compile(SPEC, observe=3), "observe: 3 is not a text"),
        (lambda it: multitrace.compile(SPEC, unlogged=["a"]), "unlogged: "),
        (lambda it: it.check([], fail_on=3), "fail_on: 3 is neither"),
        (lambda it: it.check([], exclude=3), "exclude: 3 is neither"),
        (lambda it: it.check([], max_failures="x%"), "max_failures: a rate"),
        (lambda it: it.check([], shard="9/8"), "shard: a shard is"),
        (lambda it: it.check([]).explain(1.5), "session: 1.5 is not a text"),
    ],
)
def test_errors_of_arguments_name_them(call: Any, message: str, bundle: multitrace.Bundle) -> None:
    with pytest.raises(multitrace.MultitraceError, match=message):
        call(bundle)


def test_remedies_are_those_of_python(bundle: multitrace.Bundle) -> None:
    report = bundle.check([{**row, "k": "out"} for row in ROWS[:1]], events=mapping({"s": "1"}))
    text = str(report)
    assert "multitrace.explain_mapping shows them" in text and "Bundle.check_mapping compares" in text
    assert "name files" not in text
    assert 'meaning of the code: multitrace.explain_code("MT113")' in str(bundle.check(ROWS[:3], events=mapping()))


SHELL = re.compile(r"(?<![-\w])--[a-z]|`multitrace [a-z]|multitrace (map|check|explain|draw|merge|compile|learn) ")


def test_every_remedy_is_in_words_of_python() -> None:
    """What the texts of the libraries name is an argument, or has words of its own; no word is one of a shell."""
    words = (ROOT / "python/src/words.rs").read_text()
    told = re.findall(r"^    (\w+) \"(\w+)\" \"", (ROOT / "formats/src/remedy.rs").read_text(), re.MULTILINE)
    assert len(told) > 40 and not SHELL.search(words)
    makers = [multitrace.Bundle.check, multitrace.compile, multitrace.merge, multitrace.assert_conforms]
    arguments = {name for maker in makers for name in inspect.signature(maker).parameters}
    # Of explorations, limits and measurements that the command line alone has.
    others = {"after", "limit_time", "method", "stats"}
    spelled = {name for variant, name in told if f"Remedy::{variant} " in words}
    assert {name for _, name in told} - spelled - arguments == others


def test_no_text_is_one_of_a_shell(bundle: multitrace.Bundle) -> None:
    bad = [{"s": "s1"}, {**ROWS[0], "k": "OUT"}, {**ROWS[0], "m": None}, *({**ROWS[0], "s": f"t{at}", "m": "other"} for at in range(12))]
    report = bundle.check([*bad, *ROWS], events=mapping(), errors="report", partial=True, coverage=True, min_coverage=99, max_unmatched=1)
    nothing = bundle.check([], only_sessions=["s7"], min_sessions=3, require_location="a")
    texts = [text for it in (report, nothing, multitrace.merge(report.partial())) for text in (str(it), *it.notes)]
    texts += [report.render(name) for name in ("concise", "json", "junit", "sarif", "github", "gitlab")]
    # Sheets of style have names with dashes.
    texts.append(re.sub(r"<style>.*?</style>", "", report.render("html"), flags=re.DOTALL))
    texts += [report.explain("t3").text, bundle.check_mapping(bad, mapping()), multitrace.explain_mapping(bad, mapping())]
    codes = re.findall(r"^\| (MT\d+) \|", (ROOT / "docs/codes.md").read_text(), re.MULTILINE)
    texts += [multitrace.explain_code(code) for code in codes]
    calls: list[Any] = [
        lambda: bundle.check(bad, events=mapping()),
        lambda: bundle.check(bad, threads=5000),
        lambda: bundle.check([{"session": "s", "traces": {"a,b": []}}]),
        lambda: bundle.check("nowhere/*.jsonl"),
        lambda: bundle.check(ROWS, sample=3, partial=True),
        lambda: bundle.check(ROWS, max_failures=3, partial=True),
        lambda: bundle.check(ROWS, events=mapping(), baseline=__file__),
        lambda: bundle.check(ROWS, events=mapping()).partial(),
        lambda: bundle.draw().save("a.bmp"),
        lambda: report.render("partial"),
        lambda: multitrace.merge([b"{}"]),
        lambda: multitrace.merge(report.partial(), min_coverage=101),
        lambda: multitrace.Bundle.from_bytes(b"x"),
        lambda: multitrace.compile("Ops a:1\nAutomaton A\nStates q\nFinal States q\nTransitions\n"),
        lambda: multitrace.explain_mapping(ROWS, {}),
        lambda: multitrace.explain_code("MT999"),
    ]
    for call in calls:
        with pytest.raises(multitrace.MultitraceError) as caught:
            call()
        texts.append(str(caught.value))
    assert len(codes) > 20 and [text for text in texts if SHELL.search(text)] == []


def test_a_mapping_is_explained_and_compared(bundle: multitrace.Bundle, tmp_path: Path) -> None:
    """For every input, with the mapping of the bundle, too."""
    rows = [*ROWS, {**ROWS[0], "m": "mm"}, {**ROWS[0], "k": "OUT"}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:2]))
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[2:]))
    with_mapping = multitrace.compile(SPEC, events=mapping())
    for data in (rows, pyarrow.Table.from_pylist(rows), tmp_path):
        text = multitrace.explain_mapping(data, mapping(), records=1)
        assert f"{len(rows)}  records" in text and "is neither an emission nor a reception" in text
        text = with_mapping.check_mapping(data)
        assert "a!mm" in text and text == bundle.check_mapping(data, mapping())
        assert json.loads(bundle.check_mapping(data, mapping(), format="json"))["known_events"] == 4
    with pytest.raises(multitrace.MultitraceError, match="there is no mapping: give events="):
        bundle.check_mapping(rows)


def test_bytes_of_every_type_are_bytes(bundle: multitrace.Bundle) -> None:
    part = bundle.check(ROWS, events=mapping(), partial=True).partial()
    for kind in (bytes, bytearray, memoryview):
        assert multitrace.Bundle.from_bytes(kind(bundle.to_bytes())) == bundle
        assert multitrace.merge(kind(part)).summary == multitrace.merge([kind(part)]).summary
        with pytest.raises(multitrace.MultitraceError, match=f"{kind.__name__} is not an input"):
            bundle.check(kind(part))


def test_queries_that_fail_at_their_start_are_told_with_their_cause(bundle: multitrace.Bundle, tmp_path: Path) -> None:
    connection, path = duckdb.connect(), tmp_path / "events.parquet"
    pyarrow.parquet.write_table(table(), path)
    relation = connection.sql(f"from '{path}'")
    path.unlink()
    for given, kind in (
        (polars.LazyFrame(ROWS).select("nowhere"), polars.exceptions.ColumnNotFoundError),
        (polars.scan_parquet(tmp_path / "none.parquet"), FileNotFoundError),
        (relation, duckdb.Error),
    ):
        for call in (lambda given=given: bundle.check(given, events=mapping()), lambda given=given: multitrace.propose_mapping(given)):
            with pytest.raises(multitrace.MultitraceError, match="cannot be read: ") as caught:
                call()
            assert isinstance(caught.value.__cause__, kind), caught.value


def test_values_with_parts_name_nothing(bundle: multitrace.Bundle) -> None:
    parts = pyarrow.array([{"name": row["m"]} for row in ROWS])
    pairs = pyarrow.array([[("name", row["m"])] for row in ROWS], pyarrow.map_(pyarrow.string(), pyarrow.string()))
    lists = pyarrow.array([[row["m"]] for row in ROWS])
    for column, kind, path in ((parts, "a structure", "m.name"), (pairs, "a map", "m.key"), (lists, "a list", r"m\[0\]")):
        with pytest.raises(multitrace.MultitraceError, match=f"(?s)the column `m`, which names messages, is {kind}.*`{path}`"):
            bundle.check(table(m=column), events=mapping())
        with pytest.raises(multitrace.MultitraceError, match="the column `m`, which names lifelines"):
            bundle.check(table(m=column), events=mapping(lifeline="m", message="l"))
    for value, kind, path in (({"name": "m"}, "an object", "m.name"), (["m"], "a list", r"m\[0\]")):
        with pytest.raises(multitrace.InputError, match=f"(?s)`m`, which names the message, is {kind}.*`{path}`"):
            bundle.check([{**row, "m": value} for row in ROWS], events=mapping())
    with pytest.raises(multitrace.InputError, match=r"(?s)`m.name` leads into a list.*`m\[0\]`"):
        bundle.check([{**row, "m": [{"name": "m"}]} for row in ROWS], events=mapping(message="m.name"))
    for path, column in (("m.name", parts), ("m.name", pairs), ("m[0]", lists)):
        assert names(bundle.check(table(m=column), events=mapping(message=path))) == ["1 pass"]
        assert names(bundle.check(table(m=column).to_pylist(maps_as_pydicts="strict"), events=mapping(message=path))) == ["1 pass"]


def test_times_of_day_are_an_order_by_their_format(bundle: multitrace.Bundle) -> None:
    rows = [{**row, "t": datetime.time(9, 59, 59, at * 1000)} for at, row in enumerate(ROWS)]
    for data in (rows, pandas.DataFrame(rows), polars.DataFrame(rows), pyarrow.Table.from_pylist(rows)):
        assert names(bundle.check(data, events=mapping(order={"field": "t", "format": "%H:%M:%S%.f"}))) == ["1 pass"]
        with pytest.raises(multitrace.InputError, match='format = "%H:%M:%S%.f" would read it'):
            bundle.check(data, events=mapping(order="t"))


def test_orders_of_two_kinds_are_named(bundle: multitrace.Bundle) -> None:
    rows = [{**ROWS[0], "t": "2024-05-01"}, {**ROWS[3], "t": 7}]
    with pytest.raises(multitrace.InputError, match="this one by a number, and the list:1 by a day"):
        bundle.check(rows, events=mapping(order="t"))


def test_a_single_row_is_a_list_of_one(bundle: multitrace.Bundle) -> None:
    @dataclasses.dataclass
    class Event:
        s: str
        l: str
        k: str
        m: str

    class Model:
        """As models of pydantic are: steps through their fields."""

        def __iter__(self) -> Any:
            return iter(ROWS[0].items())

        def model_dump(self) -> Dict[str, Any]:
            return ROWS[0]

    row = collections.namedtuple("row", list(ROWS[0]))(*ROWS[0].values())
    for one in (ROWS[0], Event(**ROWS[0]), Model(), row):
        assert names(bundle.check(one, events=mapping())) == ["1 fail"], one
        assert "session" in multitrace.propose_mapping(one)
    for one in (tuple(ROWS[0].values()), ("1", "a", 7)):
        with pytest.raises(multitrace.MultitraceError, match="a row is a dict|is not a dict"):
            bundle.check(one, events=mapping())


def test_files_alone_are_excluded(bundle: multitrace.Bundle, tmp_path: Path) -> None:
    for data in (ROWS, ROWS[0], pandas.DataFrame(ROWS)):
        with pytest.raises(multitrace.MultitraceError, match="exclude= leaves files out"):
            bundle.check(data, events=mapping(), exclude="*.bak")
        with pytest.raises(multitrace.MultitraceError, match="exclude= leaves files out"):
            multitrace.learn(data, events=mapping(), exclude="*.bak")
    (tmp_path / "events.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    assert names(bundle.check((str(tmp_path / "events.jsonl"),), events=mapping(), exclude="*.bak")) == ["1 pass"]


def test_tables_of_reports_say_which_library_they_need(bundle: multitrace.Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    report = bundle.check([*ROWS, {**ROWS[0], "s": "2"}], events=mapping())
    for count in (-1, 2**70, "2", 1.5):
        with pytest.raises(multitrace.MultitraceError, match="count: "):
            report.sessions.head(count)  # type: ignore[arg-type]
    assert [len(report.sessions.head(count)) for count in (0, 1, 2**40)] == [0, 1, 2]
    assert report.sessions.head(1) == report.sessions.to_dicts()[:1] and report.faults.head(1) == report.faults.to_dicts()[:1]
    for name in ("pyarrow", "pyarrow.compute", "pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    assert [row["session"] for row in report.sessions.head()] == ["1", "2"] and "<th" in report.sessions._repr_html_()
    for call, remedy in (
        (lambda: report.faults, "report.faults needs pyarrow: pip install pyarrow"),
        (report.sessions.to_pyarrow, "needs pyarrow: pip install pyarrow"),
        (report.sessions.to_pandas, "needs pandas and pyarrow: pip install pandas pyarrow"),
        (report.sessions.to_polars, "needs polars: pip install polars"),
    ):
        with pytest.raises(multitrace.MultitraceError, match=re.escape(remedy)):
            call()
