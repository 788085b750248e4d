"""One value has one text, whatever it comes in."""

from __future__ import annotations

import datetime
import decimal
import json
import random
import uuid
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

import duckdb
import multitrace
import numpy
import pandas
import polars
import pyarrow
import pytest

BUNDLE = multitrace.compile("a -- m -> b")
EVENT = {"session": "s", "lifeline": "l", "message": "x", "direction": {"field": "k", "emission": "out", "reception": "in"}}
NAIVE = datetime.datetime(2024, 5, 1, 2)
ZONE = datetime.timezone(datetime.timedelta(hours=2))
ID = uuid.UUID("567c3c72-0000-4000-8000-000000000001")

Values = List[Any]


def rows_of(values: Values) -> List[Dict[str, Any]]:
    return [{"s": f"s{at:03}", "l": "a", "k": "out", "x": value} for at, value in enumerate(values)]


# Values with parts name nothing, but a pattern finds their text.
WHOLE = {"match": "(?s)^(?<message>.*)$"}


def texts(data: Any, path: Any = "x") -> List[str]:
    """The texts of the values: names of messages that the specification does not know."""
    report = BUNDLE.check(data, events={"event": {**EVENT, "message": path}}, errors="report")
    found = {fault["session"]: fault["event"] for fault in report.faults.to_dicts() if fault["index"] == 0}
    missing = {row["session"]: None for row in report.sessions.to_dicts() if row["session"] not in found}
    return [None if text is None else text.removeprefix("a!") for _, text in sorted({**found, **missing}.items())]


def objects(values: Values, rows: List[Dict[str, Any]]) -> pandas.DataFrame:
    column = pandas.Series([None] * len(values), dtype=object)
    for at, value in enumerate(values):
        column.iat[at] = value
    return pandas.DataFrame([{**row, "x": None} for row in rows]).assign(x=column)


def arrow(values: Values, kind: Optional[pyarrow.DataType]) -> pyarrow.Table:
    table = pyarrow.Table.from_pylist([{**row, "x": None} for row in rows_of(values)]).drop_columns(["x"])
    return table.append_column("x", pyarrow.array(values, kind))


def generated() -> Iterator[Tuple[str, Values, pyarrow.DataType]]:
    """Values by their kinds, and the type of a column of them."""
    dice = random.Random(40)
    some = range(40)
    micros = [0, 500_000, 123_000, 123_456, 1, *(dice.randrange(10**6) for _ in some)]
    times = [NAIVE.replace(year=dice.randrange(1, 9998), microsecond=it) for it in micros]
    yield "times", times, pyarrow.timestamp("us")
    yield "times in a zone", [it.replace(tzinfo=ZONE) for it in times[1:]], pyarrow.timestamp("us", "Europe/Berlin")
    yield "seconds", [it.replace(microsecond=0) for it in times], pyarrow.timestamp("s")
    yield "days", [it.date() for it in times], pyarrow.date32()
    yield "days in milliseconds", [it.date() for it in times], pyarrow.date64()
    yield "hours", [it.time() for it in times], pyarrow.time64("us")
    yield "durations", [datetime.timedelta(microseconds=dice.choice((-1, 1)) * dice.randrange(10 ** dice.randrange(1, 15))) for _ in some] + [
        datetime.timedelta(0), datetime.timedelta(days=1), datetime.timedelta(seconds=1, milliseconds=500)
    ], pyarrow.duration("us")
    floats = [1e22, 1e16, 123456789012345680.0, 0.1, 1e-5, 1.5e-7, 1.0, -0.0, float("inf"), 5e-324, *(dice.uniform(-1, 1) * 10.0 ** dice.randrange(-30, 30) for _ in some)]
    yield "floats", floats, pyarrow.float64()
    yield "integers", [0, -1, 2**63 - 1, -(2**63), *(dice.randrange(-(2**62), 2**62) for _ in some)], pyarrow.int64()
    yield "large integers", [2**64 - 1, 2**63, 0], pyarrow.uint64()
    yield "decimals", [decimal.Decimal(dice.randrange(-(10**9), 10**9)).scaleb(-3) for _ in some] + [decimal.Decimal("0.000")], pyarrow.decimal128(20, 3)
    yield "truth values", [True, False], pyarrow.bool_()
    yield "texts", ["a \"b\" \\ \n\t\b é 🎉", "null", "1e22"], pyarrow.string()
    yield "bytes", [b"\x00\xff", b"x"], pyarrow.binary()
    yield "UUIDs", [ID, uuid.UUID(int=0)], pyarrow.uuid()


KINDS = list(generated())


@pytest.mark.parametrize(("name", "values", "kind"), KINDS, ids=[name for name, _, _ in KINDS])
def test_a_value_has_one_text(name: str, values: Values, kind: pyarrow.DataType, tmp_path: Path) -> None:
    rows, columns = rows_of(values), arrow(values, kind)
    expected = texts(columns)
    assert len(expected) == len(values)
    nested = [{"y": value, "z": [value]} for value in values]
    inputs: Dict[str, Any] = {"dicts": rows, "objects": objects(values, rows), "pandas": pandas.DataFrame(rows), "DuckDB": duckdb.sql("from columns")}
    if name not in ("UUIDs", "days in milliseconds"):
        inputs["polars"] = polars.DataFrame(columns)
    if all(isinstance(value, (int, str)) or (isinstance(value, float) and "e" not in repr(value) and abs(value) < 1e300) for value in values):
        (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        inputs["lines"] = tmp_path / "a.jsonl"
    for given, data in inputs.items():
        assert texts(data) == expected, given
    column = columns["x"].combine_chunks()
    in_lists = pyarrow.ListArray.from_arrays(pyarrow.array(range(len(values) + 1), pyarrow.int32()), column)
    parts = columns.set_column(columns.column_names.index("x"), "x", pyarrow.StructArray.from_arrays([column, in_lists], ["y", "z"]))
    for path in ("x.y", "x.z[0]", "x.z|json[0]"):
        for given, data in (("Arrow", parts), ("dicts", rows_of(nested)), ("objects", objects(nested, rows))):
            assert texts(data, path) == expected, (given, path)
    lists = texts(parts, {"field": "x.z", **WHOLE})
    assert texts(rows_of(nested), {"field": "x.z", **WHOLE}) == lists
    assert [text.removeprefix("[").removesuffix("]").strip('"') for text in lists] == [json.dumps(text, ensure_ascii=False)[1:-1] for text in expected]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([numpy.float32(0.1), numpy.float32(1e22)], ["0.1", "1e22"]),
        ([numpy.float16(0.1), numpy.float16(1)], ["0.099975586", "1.0"]),
        ([numpy.float64(1e22), 0.1], ["1e22", "0.1"]),
        ([numpy.datetime64("2024-05-01T02:00:00.5", "ms"), numpy.datetime64(NAIVE, "us")], ["2024-05-01T02:00:00.500", "2024-05-01T02:00:00"]),
        ([numpy.datetime64(NAIVE, "ns") + 1, numpy.datetime64(NAIVE, "ns")], ["2024-05-01T02:00:00.000000001", "2024-05-01T02:00:00"]),
        ([numpy.datetime64("2024-05-01T02", "h")], ["2024-05-01T02:00:00"]),
        ([numpy.timedelta64(1500, "ms"), numpy.timedelta64(0, "s")], ["PT1.5S", "P0D"]),
        ([pandas.Timestamp(NAIVE) + pandas.Timedelta(1, "ns")], ["2024-05-01T02:00:00.000000001"]),
        ([pandas.Timestamp("2024-05-01T02:00:00.5+02:00")], ["2024-05-01T00:00:00.500Z"]),
        ([pandas.Timedelta("1.5s"), pandas.Timedelta(-1, "ns")], ["PT1.5S", "-PT0.000000001S"]),
        # Columns of Arrow have one type, which would change these.
        ([1, 2.5, None], ["1", "2.5", None]),
        ([1, 2.5, 2**70], ["1", "2.5", str(2**70)]),
        ([decimal.Decimal("1.5"), decimal.Decimal("1.25"), decimal.Decimal("1E+3")], ["1.5", "1.25", "1000"]),
        ([decimal.Decimal("Infinity"), decimal.Decimal("-0.0")], ["inf", "0.0"]),
        ([1, "one", True, ID, NAIVE], ["1", "one", "true", str(ID), "2024-05-01T02:00:00"]),
        ([b"x", bytearray(b"y"), memoryview(b"z")], ["78", "79", "7a"]),
        ([NAIVE.time().replace(tzinfo=datetime.timezone.utc)], ["02:00:00+00:00"]),
    ],
)
def test_values_of_other_libraries(values: Values, expected: List[Optional[str]]) -> None:
    rows = rows_of(values)
    for data in (rows, objects(values, rows)):
        assert texts(data) == expected
    nested = [{"y": [value]} for value in values]
    for data in (rows_of(nested), objects(nested, rows)):
        assert texts(data, "x.y[0]") == expected


def test_arrays_have_the_texts_of_lists() -> None:
    values = [numpy.array([0.1, 1e22], "float32"), numpy.array([0.1, float("nan")], "float32")]
    kind = pyarrow.list_(pyarrow.float32())
    rows, table = rows_of(values), arrow([list(value) for value in values], kind)
    path = {"field": "x", **WHOLE}
    assert texts(rows, path) == texts(table, path) == texts(objects(values, rows), path) == ["[0.1, 1e22]", "[0.1, null]"]


def test_tags_that_say_the_same_are_one_in_every_input(tmp_path: Path) -> None:
    tag, other = {"key": "m", "value": "x", "type": 1}, {"key": "m", "value": "y", "type": 1}
    for tags, expected in (([tag, tag], "x"), ([tag, {**tag, "type": 2}], "x"), ([tag, {**tag, "value": None}], "x"), ([{**tag, "value": None}, tag, {**tag, "value": None}], "x"), ([tag, other], None), ([{**tag, "value": None}, tag, other], None)):
        rows = rows_of([tags])
        (tmp_path / "a.jsonl").write_text(json.dumps(rows[0]) + "\n")
        for data in (rows, tmp_path / "a.jsonl", pyarrow.Table.from_pylist(rows), pandas.DataFrame(rows), polars.DataFrame(rows)):
            report = BUNDLE.check(data, events={"event": {**EVENT, "message": "x[key=m].value"}}, errors="report")
            assert report.summary["errors"] == (expected is None), (tags, type(data))
            assert expected is None or texts(data, "x[key=m].value") == [expected]


def test_names_of_columns_may_be_numbers() -> None:
    values = [1, "one", NAIVE]
    frame = objects(values, rows_of(values)).rename(columns={"x": 7})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert texts(frame, "7") == ["1", "one", "2024-05-01T02:00:00"]
    assert list(frame.columns) == ["s", "l", "k", 7] and frame[7].tolist() == values, "the frame of the caller stays"


def test_periods_are_texts() -> None:
    values = [pandas.Period("2024-05", "M"), pandas.NaT]
    rows = rows_of(values)
    for data in (rows, pandas.DataFrame(rows), pandas.DataFrame(rows).assign(x=pandas.array(values, "period[M]")), objects(values, rows)):
        assert texts(data) == ["2024-05", None]


def test_not_a_number_is_missing_in_every_table() -> None:
    values = [1.5, float("nan")]
    for data in (rows_of(values), arrow(values, pyarrow.float64()), polars.DataFrame(rows_of(values)), pandas.DataFrame(rows_of(values))):
        assert texts(data) == ["1.5", None]


def test_floats_name_no_session_in_any_input() -> None:
    values = [1.0, 2.0]
    events = {"event": {**EVENT, "message": "l", "session": "x"}}
    inner = {"event": {**events["event"], "session": ["x.y", "x.z[0]"]}}
    mixed = [1, 2.5]
    nested, in_lists = [{"y": value} for value in values], [{"z": [value]} for value in values]
    for data, mapping in (
        (rows_of(values), events), (arrow(values, pyarrow.float64()), events), (pandas.DataFrame(rows_of(values)), events),
        (rows_of(mixed), events), (objects(mixed, rows_of(mixed)), events), (rows_of([numpy.float32(1)]), events),
        (rows_of(nested), inner), (objects(nested, rows_of(nested)), inner), (rows_of(in_lists), inner), (pyarrow.Table.from_pylist(rows_of(in_lists)), inner),
    ):
        for call in (BUNDLE.check, multitrace.learn):
            with pytest.raises(multitrace.MultitraceError, match="which names sessions, has floats"):
                call(data, events=mapping)  # type: ignore[operator]
    logs = [{"session": 1.0, "traces": {"a": ["a!m"], "b": ["b?m"]}}]
    with pytest.raises(multitrace.MultitraceError, match="item 1: `session`, which names sessions, has floats"):
        BUNDLE.check(logs)
    # Beside sessions they may be anywhere.
    assert len(texts(rows_of(values))) == 2


NAMES: List[Tuple[Values, Optional[pyarrow.DataType]]] = [
    ([ID], pyarrow.uuid()),
    ([NAIVE.replace(microsecond=500_000, tzinfo=ZONE)], pyarrow.timestamp("us", "Europe/Berlin")),
    ([NAIVE], pyarrow.timestamp("ns")),
    ([NAIVE.date()], pyarrow.date32()),
    ([b"\x00\xff"], pyarrow.binary()),
    ([7], pyarrow.int64()),
    ([True], pyarrow.bool_()),
    ([datetime.timedelta(seconds=1.5)], pyarrow.duration("ms")),
]


@pytest.mark.parametrize(("values", "kind"), NAMES, ids=[str(kind) for _, kind in NAMES])
def test_sessions_of_tables_of_logs_have_the_names_that_events_give(values: Values, kind: pyarrow.DataType) -> None:
    logs = pyarrow.table({"session": pyarrow.array(values, kind), "location": ["a"], "actions": [["a!m"]]})
    (row,) = BUNDLE.check(logs).sessions.to_dicts()
    frame = pandas.DataFrame({"session": pandas.Series(values, dtype=object), "location": ["a"], "actions": [["a!m"]]})
    assert BUNDLE.check(frame).sessions.to_dicts() == [row]
    events = BUNDLE.check(arrow(values, kind), events={"event": {**EVENT, "session": "x", "message": "l"}})
    assert [row["session"]] == [one["session"] for one in events.sessions.to_dicts()] == texts(rows_of(values))


def test_sessions_of_tables_of_logs_have_no_parts() -> None:
    for values in ([["s"]], [1.5], [{"id": "s"}]):
        logs = pyarrow.table({"session": values, "location": ["a"], "actions": [["a!m"]]})
        with pytest.raises(multitrace.MultitraceError, match="the column \"session\" of the table has (values with parts|floats)"):
            BUNDLE.check(logs)


def test_values_that_contain_themselves_are_refused_before_arrow_sees_them() -> None:
    endless: Dict[str, Any] = {}
    endless["x"] = [endless]
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    for value in (endless, deep):
        frame = objects([value], rows_of([1])).rename(columns={"x": "other"})
        logs = frame.assign(session="s", location="a", actions="a!m")
        for call in (
            lambda: BUNDLE.check(frame, events={"event": {**EVENT, "message": "l"}}),
            lambda: list(BUNDLE.check_stream(frame, events={"event": {**EVENT, "message": "l"}})),
            lambda: BUNDLE.check(logs),
            lambda: multitrace.propose_mapping(frame),
        ):
            with pytest.raises(multitrace.MultitraceError, match="'other' has a value that contains itself"):
                call()
        with pytest.raises(multitrace.MultitraceError, match="not a single column"):
            BUNDLE.check(frame["other"])
        with pytest.raises(multitrace.MultitraceError, match="'x': a value contains itself"):
            BUNDLE.check(rows_of([value]), events={"event": EVENT})


FLAT = {"msg.name": "flat", "msg": {"name": "nested"}}


def test_a_name_with_dots_is_one_field_in_every_input(tmp_path: Path) -> None:
    def inputs(values: Dict[str, Any]) -> Iterator[Any]:
        rows = [{**rows_of([1])[0], **values}]
        yield rows
        (tmp_path / "a.jsonl").write_text(json.dumps(rows[0]) + "\n")
        yield tmp_path / "a.jsonl"
        table = pyarrow.Table.from_pylist(rows)
        yield table
        yield pandas.DataFrame(rows)
        yield polars.DataFrame(rows)

    for values, path, expected in (
        ({"msg.name": "flat"}, "msg.name", "flat"),
        ({"msg": {"name": "nested"}}, "msg.name", "nested"),
        ({"msg.name": "flat", "msg": {"other": "o"}}, "msg.name", "flat"),
        (FLAT, '"msg.name"', "flat"),
        ({"at": {"msg.name": "flat"}}, "at.msg.name", "flat"),
        ({"at": {"msg.name": "flat", "msg": {"other": "o"}}}, "at.msg.name", "flat"),
    ):
        for data in inputs(values):
            assert texts(data, path) == [expected], (values, path, type(data))
    for values, path in ((FLAT, "msg.name"), ({"at": FLAT}, "at.msg.name")):
        for data in inputs(values):
            with pytest.raises(multitrace.MultitraceError, match="stands twice|several columns `.*msg.name`"):
                BUNDLE.check(data, events={"event": {**EVENT, "message": path}})
    keys = pyarrow.table({"s": ["s"], "l": ["a"], "k": ["out"], "msg.name": ["flat"], "msg": pyarrow.array([[("name", "n")]], pyarrow.map_("string", "string"))})
    with pytest.raises(multitrace.InputError, match="`msg.name` stands twice"):
        BUNDLE.check(keys, events={"event": {**EVENT, "message": "msg.name"}})
