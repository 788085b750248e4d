"""Hints name a step that works, and proposals ask for what they do not know."""

from __future__ import annotations

import copy
import datetime
import json
import sqlite3
import uuid
from pathlib import Path
from typing import Any, Dict, List

import duckdb
import multitrace
import multitrace.testing
import numpy
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from multitrace import _spark_tasks, spark

BUNDLE = multitrace.compile("a -- m -> b")
ROWS = [{"s": "s1", "l": "a", "k": "out", "msg": "m", "n": 1}, {"s": "s1", "l": "b", "k": "in", "msg": "m", "n": 2}]


def mapping(**event: Any) -> Dict[str, Any]:
    direction = {"field": "k", "emission": "out", "reception": "in"}
    return {"event": {"session": "s", "lifeline": "l", "message": "msg", "direction": direction, **event}}


def told(data: Any, events: Any) -> str:
    with pytest.raises(multitrace.MultitraceError) as caught:
        BUNDLE.check(data, events=events)
    return str(caught.value)


@pytest.mark.parametrize("kind", ["lazy", "data set", "Parquet", "objects", "pandas"])
def test_columns_that_are_not_read_are_known(kind: str, tmp_path: Path) -> None:
    frame, path = polars.DataFrame(ROWS), tmp_path / "rows.parquet"
    frame.write_parquet(path)
    data = {
        "lazy": frame.lazy,
        "data set": lambda: pyarrow.dataset.dataset(path),
        "Parquet": lambda: pyarrow.parquet.ParquetFile(path),
        "objects": lambda: frame.with_columns(polars.Series("msg", [object()] * 2, dtype=polars.Object)),
        "pandas": lambda: pandas.DataFrame(ROWS).assign(msg=[1, {}]),
    }[kind]()
    text = told(data, mapping(message="mgs"))
    assert "did you mean `msg`? its columns are s, l, k" in text
    assert {"msg", "n"} <= set(text.split("its columns are ")[1].splitlines()[0].split(", "))


def test_a_lazy_input_has_the_note_on_its_order() -> None:
    report = BUNDLE.check(polars.DataFrame(ROWS[::-1]).rename({"n": "seq"}).with_columns(k=polars.lit("out")).lazy(), events=mapping())
    assert any("if rows are not sorted by `seq`" in note for note in report.notes)


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.Table.from_pylist])
def test_a_column_of_times_may_be_the_order(make: Any) -> None:
    day = datetime.datetime(2024, 5, 1)
    rows = [{**row, "expires": day, "wann": day, "k": "in"} for row in ROWS]
    report = BUNDLE.check(make(rows), events=mapping())
    assert any("if rows are not sorted by `wann`" in note for note in report.notes), report.notes
    assert not any("sorted" in note for note in BUNDLE.check(make(rows), events=mapping(order="wann")).notes)


def test_objects_of_polars_become_texts_as_the_hint_says() -> None:
    objects = polars.Series("x", [{"m": "m", "o": 1}, {"m": "m", "o": "two"}], dtype=polars.Object)
    for frame in (polars.DataFrame(ROWS).with_columns(objects), polars.DataFrame(ROWS).with_columns(objects).lazy()):
        text = told(frame, mapping(message="x.m"))
        step = text[text.index("frame.with_columns") : text.index(", or with str")]
        assert "a part of a dict is `x|json.key` then" in text
        frame = eval(step, {"frame": frame, "polars": polars, "json": json})
        assert BUNDLE.check(frame, events=mapping(message="x|json.m")).outcome == "clean"


def test_dicts_beside_others_become_texts_as_the_hint_says() -> None:
    frame = pandas.DataFrame(ROWS).assign(x=[{"m": "m"}, [1]])
    assert "frame[NAME].map(json.dumps): a part of them is `NAME|json.key` then" in told(frame, mapping(message="x.m"))
    frame["x"] = frame["x"].map(json.dumps)
    assert BUNDLE.check(frame, events=mapping(message=["x|json.m", "msg"])).outcome == "clean"


def test_pairs_become_maps_as_the_hint_says() -> None:
    frame = pandas.DataFrame(ROWS).assign(x=[[("m", "m"), ("o", "1")]] * 2)
    text = told(frame, mapping(message="x.m"))
    assert "`x.m` leads into a list of lists" in text and 'frame["x"].map(dict)' in text
    assert BUNDLE.check(frame, events=mapping(message="x[0][1]")).outcome == "clean"
    frame["x"] = frame["x"].map(dict)
    assert BUNDLE.check(frame, events=mapping(message="x.m")).outcome == "clean"


def test_rules_of_a_dict_have_numbers() -> None:
    rules = [{"when": {"k": "out"}, "actions": ["a!{msg}"]}, {"when": {"k": "in"}, "actions": ["b?{msg}"]}]
    events = {"event": {"session": "s"}, "rule": rules, "drop": [{"when": {"k": "other"}}]}
    text = multitrace.explain_mapping(ROWS, events)
    assert "rule 1" in text and "rule 2" in text and "of line" not in text
    headed = multitrace.explain_mapping(ROWS, '[event]\nsession = "s"\n[[rule]]\nactions = ["a!{msg}"]\n')
    assert "rule of line 3" in headed


@pytest.mark.parametrize(
    ("events", "first"),
    [
        ({"event": {"session": "s"}, "rule": [{"actions": "a!m"}]}, "expected a list"),
        ({"event": {"session": "s"}, "rule": {"actions": ["a!m"]}}, "`rule` is a list of tables"),
        ({"event": {"session": "s"}, "rule": ["a!m"]}, "expected a table"),
        ({"event": {"session": "s"}, "rule": [{"when": {"k": "out"}, "actions": ["m"]}]}, "`m` is not an action"),
        (
            {"event": {"session": "s"}, "spans": {"session": "s", "id": "i", "parent": "p", "kind": 3, "lifeline": "l", "message": "m", "start": "t", "end": "e"}},
            "",
        ),
    ],
)
def test_the_error_of_a_rule_stands_first(events: Any, first: str) -> None:
    text = told(ROWS, events)
    assert "is missing" not in text
    assert first in text.splitlines()[0]


def test_the_mapping_has_a_name() -> None:
    for call in (
        lambda: BUNDLE.check(ROWS, mapping()),  # type: ignore[misc]
        lambda: multitrace.learn(ROWS, mapping()),  # type: ignore[misc]
        lambda: multitrace.assert_conforms(ROWS, BUNDLE, mapping()),  # type: ignore[misc]
    ):
        with pytest.raises(TypeError, match="events=mapping"):
            call()


@pytest.mark.parametrize("option", ["unlogged", "unjudged", "diagrams", "signature", "locations"])
def test_options_of_compile_are_named_as_such(option: str) -> None:
    given: Dict[str, Any] = {option: "c"}
    for call in (
        lambda: BUNDLE.check(ROWS, events=mapping(), **given),
        lambda: BUNDLE.check_stream(ROWS, events=mapping(), **given),
        lambda: multitrace.assert_conforms(ROWS, BUNDLE, events=mapping(), **given),
        lambda: multitrace.learn(ROWS, events=mapping(), **given),
        lambda: spark._options(given),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match=f"{option}'.*; `{option}` is an option of multitrace.compile$"):
            call()
    with pytest.raises(TypeError, match="`repair` is an option of Bundle.check"):
        multitrace.compile("a -- m -> b", repair=True)  # type: ignore[call-arg]


@pytest.mark.parametrize(("option", "meant"), [("event", "events"), ("mapping", "events"), ("failon", "fail_on"), ("thread", "threads")])
def test_an_option_that_is_nearly_one(option: str, meant: str) -> None:
    given: Dict[str, Any] = {option: None}
    for call in (
        lambda: BUNDLE.check(ROWS, **given),
        lambda: BUNDLE.check_stream(ROWS, **given),
        lambda: multitrace.assert_conforms(ROWS, BUNDLE, **given),
        lambda: spark._options(given),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match=f"did you mean `{meant}=`"):
            call()
    with pytest.raises(TypeError, match="known are events, sessions, observe"):
        BUNDLE.check(ROWS, colour="red")  # type: ignore[call-arg]


def test_a_report_says_what_it_has() -> None:
    report = BUNDLE.check(ROWS, events=mapping())
    with pytest.raises(AttributeError, match="it has .*explain.*sessions"):
        report.colour  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="report.sessions"):
        report.to_pandas()  # type: ignore[attr-defined]
    assert not hasattr(report, "_repr_png_")


def test_a_text_that_is_not_json_is_counted_in_a_proposal() -> None:
    rows: List[Dict[str, Any]] = [
        {"ts": at, "payload": json.dumps({"trace_id": f"t{at // 4}", "service": ("a", "b")[at % 2], "op": ("x", "y")[at // 2 % 2]})} for at in range(40)
    ]
    rows[3]["payload"] = "started"
    for data in (rows, pandas.DataFrame(rows), polars.DataFrame(rows)):
        text = multitrace.propose_mapping(data)
        assert "# payload: 1 of the first texts are not objects of JSON," in text
        assert 'session = "payload|json.trace_id"' in text
    rows = [{**row, "payload": "started"} if row["ts"] % 2 else row for row in rows]
    assert "payload|json" not in multitrace.propose_mapping(rows)


def test_a_message_is_not_asked_for_as_the_lifeline() -> None:
    rows = [{"trace_id": f"t{at // 4}", "ts": at, "event": ("order", "bill")[at // 2 % 2], "kind": ("sent", "received")[at % 2]} for at in range(40)]
    text = multitrace.propose_mapping(rows)
    assert 'message = "event"' in text and 'lifeline = "event"' not in text


def test_spans_without_a_service_ask_for_it() -> None:
    rows = [
        {"trace_id": "t1", "span_id": "1", "parent_span_id": None, "unit": "shop", "name": "order", "kind": "SERVER", "start": 1, "end": 4},
        {"trace_id": "t1", "span_id": "2", "parent_span_id": "1", "unit": "stock", "name": "reserve", "kind": "SERVER", "start": 2, "end": 3},
    ]
    text = multitrace.propose_mapping(rows)
    assert "[spans]" in text and "# lifeline? Which field names the service" in text
    # Without kinds nothing tells whether these are calls.
    steps = multitrace.propose_mapping([{key: value for key, value in row.items() if key != "kind"} for row in rows])
    assert "\n[spans]" not in steps and "# spans? " in steps


def test_suffixes_are_those_of_the_first_records() -> None:
    rows = [
        {"trace_id": f"t{at // 4}", "ts": at, "service": f"{('web', 'api')[at % 2]}-{at // 4 % 3}", "kind": ("send", "receive")[at % 2], "op": ("x", "y")[at // 2 % 2]}
        for at in range(1200)
    ]
    note = "# These are the programs of the first 1000 records: add others that come later."
    assert note in multitrace.propose_mapping(rows)
    few = multitrace.propose_mapping(rows[:400])
    assert "[rename.lifelines]" in few and note not in few


@pytest.mark.parametrize("none", [[], (), set()])
def test_a_test_that_no_verdict_fails_is_refused(none: Any) -> None:
    with pytest.raises(multitrace.MultitraceError, match="no verdict"):
        multitrace.testing.assert_conforms(ROWS[:1], BUNDLE, events=mapping(), fail_on=none)


def test_a_query_that_fails_is_told_by_its_own_error() -> None:
    connection = duckdb.connect()
    with pytest.raises(multitrace.MultitraceError, match="no rows to read: execute a query first"):
        BUNDLE.check(connection, events=mapping())
    connection.execute("select 's' || i s, 'a' l, 'out' k, if(i = 400000, error('boo'), 'm') msg from range(500000) t(i)")
    with pytest.raises(multitrace.MultitraceError, match="the query of the connection fails: .*boo"):
        BUNDLE.check(connection, events=mapping())


def test_sessions_with_late_events_are_bounded() -> None:
    late: List[Any] = []
    rows = [{"key": json.dumps([f"s{n}"]), "rows": b"", "late": 2} for n in range(250)]
    assert list(_spark_tasks.sessions_of(iter([pyarrow.RecordBatch.from_pylist(rows)]), [], late)) == []
    assert len(late) == 101 and late[0] == ("s0", 2) and late[-1] == (None, 150)
    assert _spark_tasks._late_text(late[-1]).startswith("and 150 more sessions with events that came after")


def test_single_rows_of_other_libraries_are_rows() -> None:
    database = sqlite3.connect(":memory:")
    database.row_factory = sqlite3.Row
    database.execute("create table logs(s, l, k, msg)")
    database.execute("insert into logs values ('s1', 'a', 'out', 'm')")
    record = numpy.array([("s1", "a", "out", "m")], dtype=[(name, "U5") for name in ("s", "l", "k", "msg")])[0]
    for row in (database.execute("select * from logs").fetchone(), record, pyarrow.scalar(ROWS[0])):
        assert BUNDLE.check(row, events=mapping()).summary["events"] == 1, row
    assert "of a row give row.to_dict()" in told(pandas.DataFrame(ROWS).iloc[0], mapping())


@pytest.mark.parametrize("kind, value", [("timetz", "'01:02:03+01'"), ("bit", "'0101'"), ("bignum", "17")])
def test_values_that_duckdb_changes_are_refused_where_they_are_read(kind: str, value: str) -> None:
    rows = pandas.DataFrame(ROWS)
    query = f"select * exclude (s), {value}::{kind} as s from rows"
    connection = duckdb.connect().register("rows", rows)
    for data in (duckdb.sql(query), connection.execute(query)):
        assert f"the column 's' is a {duckdb.sql(query).types[-1]}" in told(data, mapping())
    assert BUNDLE.check(duckdb.sql(query), events=mapping(session="k")).summary["sessions"] == 2
    assert BUNDLE.check(duckdb.sql(f"select * replace (s::text as s) from ({query})"), events=mapping()).outcome == "clean"
    assert "session" in multitrace.propose_mapping(duckdb.sql(query))


def test_arrays_of_arrow_are_several_texts_and_parts() -> None:
    table = pyarrow.Table.from_pylist(ROWS)
    assert BUNDLE.check(table, events=mapping(), only_sessions=table["s"]).outcome == "clean"
    part = BUNDLE.check(table, events=mapping(), partial=True).partial()
    assert multitrace.merge(pyarrow.array([part])).outcome == "clean"


def test_tables_of_reports_say_that_they_are_not_frames() -> None:
    report = BUNDLE.check(ROWS, events=mapping())
    for table in (report.sessions, report.faults):
        with pytest.raises(AttributeError, match="has no 'query': it is not a data frame; to_pandas"):
            table.query("verdict == 'fail'")  # type: ignore[attr-defined]
        assert not hasattr(table, "columns")
        assert len(pandas.DataFrame(table)) == len(copy.copy(table)) == len(table)


@pytest.mark.parametrize("key", ["code", 0, slice(2)])
def test_tables_of_reports_are_not_subscriptable(key: Any) -> None:
    report = BUNDLE.check(ROWS, events=mapping())
    for table in (report.sessions, report.faults):
        with pytest.raises(TypeError, match="is not subscriptable: it is not a data frame; to_pandas"):
            table[key]  # type: ignore[index]
    assert [len(polars.DataFrame(it)) for it in (report.sessions, report.sessions)] == [1, 1]


@pytest.mark.parametrize(("name", "hint"), [("save", r"explanation.draw\(\).save"), ("svg", r"draw\(\).svg"), ("faults", "to_dict"), ("colour", "it has draw, mermaid")])
def test_an_explanation_says_what_it_has(name: str, hint: str) -> None:
    explanation = BUNDLE.check(ROWS, events=mapping()).explain("s1")
    with pytest.raises(AttributeError, match=f"an explanation has no '{name}'; .*{hint}"):
        getattr(explanation, name)
    assert not hasattr(explanation, "_repr_png_")


def test_the_hints_of_explanations_work(tmp_path: Path) -> None:
    explanation = BUNDLE.check([{**ROWS[0], "msg": "x"}], events=mapping()).explain("s1")
    explanation.draw().save(tmp_path / "session.svg")
    assert explanation.draw().svg and explanation.to_dict()["faults"]


@pytest.mark.parametrize("missing", [None, pandas.NA, float("nan")])
def test_a_condition_on_a_missing_value_is_exists(missing: Any) -> None:
    rules = [{"when": {"to": missing}, "actions": ["a!m"]}, {"actions": ["b?m"]}]
    rows = [{"s": "s1", "to": None}, {"s": "s1", "to": "b"}]
    text = told(rows, {"event": {"session": "s"}, "rule": rules})
    assert 'records without a value are {"to": {"exists": False}}, and those with one {"exists": True}' in text
    rules[0]["when"] = {"to": {"exists": False}}
    assert BUNDLE.check(rows, events={"event": {"session": "s"}, "rule": rules}).outcome == "clean"


def test_a_query_that_was_executed_names_one_that_is_read_again() -> None:
    connection, query, rows = duckdb.connect(), "select * from rows", pandas.DataFrame(ROWS)
    connection.register("rows", rows)
    with pytest.raises(multitrace.MultitraceError, match=r"check con.sql\(query\), or duckdb.sql\(query\)"):
        BUNDLE.check(connection.execute(query), events=mapping()).explain("s1")
    assert BUNDLE.check(connection.sql(query), events=mapping()).explain("s1").verdict == "pass"


@pytest.mark.parametrize("query", ["select * from rows", "  SELECT s,\n l FROM 'a.parquet'", "from rows", "with r as (select 1) select * from r", "FROM rows select s"])
def test_a_query_is_not_a_path(query: str) -> None:
    assert "this text is a query and not a path; give its rows: duckdb.sql(query)" in told(query, mapping())


def test_a_path_may_begin_like_a_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("select me.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for path in ("select me.jsonl", "select *.jsonl"):
        assert BUNDLE.check(path, events=mapping()).outcome == "clean"


@pytest.mark.parametrize("name", [uuid.UUID(int=7), 100033, numpy.int64(100033)])
def test_a_session_is_explained_by_the_value_of_its_name(name: Any) -> None:
    report = BUNDLE.check([{**row, "s": name} for row in ROWS], events=mapping())
    assert [row["session"] for row in report.sessions] == [str(name)]
    assert report.explain(name).verdict == report.explain(str(name)).verdict == "pass"
    for other in (True, 1.5, None):
        with pytest.raises(multitrace.MultitraceError, match="is not a text; names of sessions are the texts of their values"):
            report.explain(other)  # type: ignore[arg-type]


def test_bundles_of_another_kind_have_a_remedy() -> None:
    with pytest.raises(multitrace.MultitraceError, match="Bundle.from_bytes takes the bytes"):
        multitrace.load(BUNDLE.to_bytes())  # type: ignore[arg-type]
    with pytest.raises(multitrace.MultitraceError, match=r"that of one location, of Bundle.split\(\)"):
        multitrace.local(BUNDLE, ROWS, events=mapping())  # type: ignore[arg-type]


def test_an_error_counts_its_many_problems_by_kind() -> None:
    rows = [{**ROWS[0], "msg": None}] * 200 + [{**ROWS[0], "k": "x"}]
    for data in (rows, pandas.DataFrame(rows)):
        text = told(data, mapping())
        assert "and 198 more; `problems` has the first 100" in text
        assert "201 parts of the input could not be checked; by kind: 200 times: " in text and "1 time: " in text
    with pytest.raises(multitrace.InputError, match="by kind: 200 times: "):
        list(BUNDLE.check_stream(pandas.DataFrame(rows), events=mapping()))


def test_the_remedy_of_a_silent_location_is_an_option_of_compile() -> None:
    report = BUNDLE.check(ROWS[:1], events=mapping())
    remedy = 'judge the others alone by multitrace.compile(…, unlogged="b")'
    assert any(remedy in note for note in report.notes), report.notes
    assert multitrace.compile("a -- m -> b", unlogged="b").check(ROWS[:1], events=mapping()).outcome == "clean"
