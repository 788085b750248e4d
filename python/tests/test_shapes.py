"""Inputs as people pass them, and the shapes of the results."""

from __future__ import annotations

import pickle
import sqlite3
from collections import namedtuple
from pathlib import Path
from typing import Any, Dict

import multitrace
import pytest

SPEC = "seq(a -- m -> b, b -- n -> a)"
EVENTS = [
    {"s": s, "l": l, "k": k, "m": m, "other": "x"}
    for s in ("s1", "s2")
    for l, k, m in (("a", "out", "m"), ("b", "in", "m"), ("b", "out", "n"), ("a", "in", "n"))
    if (s, m, k) != ("s2", "n", "in")
]
MAPPING = {
    "event": {
        "session": "s",
        "lifeline": "l",
        "message": "m",
        "direction": {"field": "k", "emission": "out", "reception": "in"},
    }
}


@pytest.fixture(scope="module")
def bundle() -> multitrace.Bundle:
    return multitrace.compile(SPEC)


def verdicts(report: multitrace.Report) -> list[str]:
    return [row["verdict"] for row in report.sessions.to_dicts()]


def inputs(name: str, folder: Path) -> Any:
    """The events in a shape that people have."""
    if name == "named tuples":
        row = namedtuple("row", list(EVENTS[0]))
        return (row(**event) for event in EVENTS)
    if name == "itertuples":
        pandas = pytest.importorskip("pandas")
        return pandas.DataFrame(EVENTS).itertuples()
    if name == "records of numpy":
        pandas = pytest.importorskip("pandas")
        return pandas.DataFrame(EVENTS).to_records()
    if name == "rows of SQLite":
        connection = sqlite3.connect(":memory:")
        connection.row_factory = sqlite3.Row
        connection.execute(f"create table events ({', '.join(EVENTS[0])})")
        connection.executemany("insert into events values (?, ?, ?, ?, ?)", [tuple(event.values()) for event in EVENTS])
        return connection.execute("select * from events")
    if name == "LazyFrame":
        polars = pytest.importorskip("polars")
        return polars.LazyFrame(EVENTS)
    pyarrow = pytest.importorskip("pyarrow")
    dataset, parquet = pytest.importorskip("pyarrow.dataset"), pytest.importorskip("pyarrow.parquet")
    table = pyarrow.Table.from_pylist(EVENTS)
    if name == "DuckDB":
        duckdb = pytest.importorskip("duckdb")
        connection = duckdb.connect()
        connection.register("events", table)
        return connection.execute("select * from events")
    path = folder / "events.parquet"
    parquet.write_table(table, path)
    if name == "ParquetFile":
        return parquet.ParquetFile(path)
    data = dataset.dataset(path)
    return data if name == "Dataset" else data.scanner()


@pytest.mark.parametrize(
    "name", ["named tuples", "itertuples", "records of numpy", "rows of SQLite", "LazyFrame", "Dataset", "Scanner", "ParquetFile", "DuckDB"]
)
def test_shapes_that_people_have_are_read(name: str, bundle: multitrace.Bundle, tmp_path: Path) -> None:
    report = bundle.check(inputs(name, tmp_path), events=MAPPING)
    assert verdicts(report) == ["pass", "fail"]
    if name not in ("DuckDB", "Scanner"):
        assert "a?n" in report.explain("s2").text


def test_only_columns_that_are_asked_for_are_read(bundle: multitrace.Bundle) -> None:
    polars = pytest.importorskip("polars")

    def broken(_: Any) -> Any:
        raise RuntimeError("nobody asks for this column")

    frame = polars.LazyFrame(EVENTS).with_columns(polars.col("other").map_elements(broken, return_dtype=polars.String))
    assert verdicts(bundle.check(frame, events=MAPPING)) == ["pass", "fail"]


def test_lazy_frames_of_many_rows_are_read_in_pieces(bundle: multitrace.Bundle, tmp_path: Path) -> None:
    """From files in slices, after other steps in batches; the rows and their order are the same."""
    polars = pytest.importorskip("polars")
    rows = [{**event, "id": f"{number:06}"} for number in range(40_000) for event in EVENTS[:4]]
    polars.DataFrame(rows).write_parquet(tmp_path / "a.parquet", row_group_size=50_000)
    frame = polars.scan_parquet(tmp_path / "a.parquet")
    events = {"event": {**MAPPING["event"], "session": "id"}}
    expected = bundle.check(tmp_path / "a.parquet", events=events)
    assert expected.summary["sessions"] == 40_000
    for lazy in (frame, frame.rename({"id": "x"}).rename({"x": "id"}), frame.filter(polars.col("id") >= "0"), polars.concat([frame.head(70_001), frame.slice(70_001)])):
        report = bundle.check(lazy, events=events)
        assert report.summary["pass"] == expected.summary["pass"] == 40_000
    broken = frame.with_columns(polars.col("id").map_elements(lambda _: 1 // 0, return_dtype=polars.String))
    with pytest.raises(multitrace.MultitraceError, match="ZeroDivisionError"):
        bundle.check(broken, events=events)


def test_one_dict_is_a_list_of_one(bundle: multitrace.Bundle) -> None:
    session = {"session": "s", "traces": {"a": ["a!m", "a?n"], "b": ["b?m", "b!n"]}}
    assert verdicts(bundle.check(session)) == ["pass"]


def test_indices_of_pandas_are_columns(bundle: multitrace.Bundle) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(EVENTS)
    assert verdicts(bundle.check(frame.set_index(["s", "l"]), events=MAPPING)) == ["pass", "fail"]
    fields = {name: f"('a', '{field}')" for name, field in (("session", "s"), ("lifeline", "l"), ("message", "m"))}
    direction = {**MAPPING["event"]["direction"], "field": "('a', 'k')"}
    found = bundle.check(pandas.concat({"a": frame}, axis=1), events={"event": {**fields, "direction": direction}})
    assert verdicts(found) == ["pass", "fail"]


def test_one_dict_of_an_event_may_have_lists(bundle: multitrace.Bundle) -> None:
    event = {"s": ["s1"], "l": ["a"], "k": ["out"], "m": [["m"]]}
    paths = {"session": "s[0]", "lifeline": "l[0]", "message": "m[0][0]", "direction": {**MAPPING["event"]["direction"], "field": "k[0]"}}
    assert bundle.check(event, events={"event": paths}, observe="prefix").outcome == "clean"
    with pytest.raises(multitrace.MultitraceError, match="this dict holds columns"):
        bundle.check({**event, "m": ["m"]}, events={"event": paths})


def test_urls_are_copied_here(bundle: multitrace.Bundle, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://logs/s.jsonl", "w") as file:
        file.write('{"session":"s","traces":{"a":["a!m","a?n"],"b":["b?m","b!n"]}}\n')
    assert verdicts(bundle.check("memory://logs/s.jsonl")) == ["pass"]
    with pytest.raises(multitrace.MultitraceError, match="nowhere://x"):
        bundle.check("nowhere://x")


def test_frames_of_spark_are_refused_by_name(bundle: multitrace.Bundle) -> None:
    frame = type("DataFrame", (), {"__module__": "pyspark.sql.dataframe"})()
    with pytest.raises(multitrace.MultitraceError, match="multitrace.spark.check"):
        bundle.check(frame, events=MAPPING)


def test_faults_are_a_table(bundle: multitrace.Bundle) -> None:
    pytest.importorskip("pyarrow")
    report = bundle.check(EVENTS, events=MAPPING)
    (fault,) = report.faults.to_dicts()
    assert (fault["session"], fault["verdict"], fault["code"]) == ("s2", "fail", "MT113")
    assert report.faults.column_names[:3] == ["session", "verdict", "code"]
    assert len(report.faults) == 1 and report.faults.head() == [fault] == list(report.faults)
    assert [row["session"] for row in report.sessions] == ["s1", "s2"]
    assert [row["session"] for row in report.sessions.head(1)] == ["s1"]
    assert "MT113" in report.faults._repr_html_() and "s2" in report.sessions._repr_html_()
    assert len(bundle.check(EVENTS[:4], events=MAPPING).faults) == 0


def test_a_report_that_is_not_clean_raises(bundle: multitrace.Bundle) -> None:
    report = bundle.check(EVENTS, events=MAPPING)
    with pytest.raises(AssertionError, match="MT113"):
        report.raise_for_outcome()
    clean = bundle.check(EVENTS[:4], events=MAPPING)
    assert clean.raise_for_outcome() is clean
    with pytest.raises(AssertionError, match="^nothing was checked: "):
        multitrace.assert_conforms([], SPEC)
    # An input that cannot be read is not an exception of another kind: the report has it.
    with pytest.raises(AssertionError, match="^1 part of the input could not be checked: "):
        multitrace.assert_conforms([{"s": "s1", "l": "a"}], SPEC, events=MAPPING)


def test_the_first_line_of_an_assertion_sums_up(tmp_path: Path) -> None:
    bundle = multitrace.compile("seq(a -- m -> b, b -- n -> a)")

    def session(name: str, of_a: str, of_b: str) -> Dict[str, Any]:
        return {"session": name, "traces": {"a": of_a.split(), "b": of_b.split()}}

    good, bad, lost = session("s0", "a!m a?n", "b?m b!n"), session("s1", "a!m", "b?m b!n"), session("s2", "a!m a?n", "")
    known = tmp_path / "known.json"
    bundle.check([bad]).write_baseline(known)
    fault = "s1: n: sent by b, never received by a"
    half = multitrace.compile("alt(a -- m -> b, a -- n -> b)")

    def first_line(data: Any, spec: Any = bundle, **options: Any) -> str:
        with pytest.raises(AssertionError) as caught:
            multitrace.assert_conforms(data, spec, **options)
        line, report = str(caught.value).split("\n", 1)
        assert " against the specification " in report.splitlines()[0]
        return line

    assert first_line([good, bad]) == f"1 of 2 sessions fails; {fault}"
    assert first_line([good, bad, lost]) == f"2 of 3 sessions fail; {fault}"
    assert first_line([good, bad, lost], baseline=known).startswith("1 of 3 sessions fails; s2: m: sent by a")
    assert first_line([session("s3", "a!m", "b?m")], observe="prefix", fail_on="weak-pass").startswith("1 of 1 session passes weakly; s3: ")
    assert first_line([bad, {"session": "q"}]) == f"1 part of the input could not be checked: neither `traces` nor `htf`: the session has no logs; 1 of 1 session fails; {fault}"
    assert first_line([bad], min_sessions=2) == f"1 session checked; min_sessions=2 demands more; 1 of 1 session fails; {fault}"
    # The baseline knows one of those that fail, and the counts of verdicts have all.
    bundle.check([session("s6", "a!x", "")], observe="prefix").write_baseline(known)
    some = [session("s6", "a!x", ""), session("s7", "a!m", "b?m"), good, session("s8", "a?n", "")]
    assert first_line(some, baseline=known, observe="prefix", fail_on=["fail", "weak-pass"]).startswith("violations in 2 of 4 sessions; s7: ")
    assert first_line([session("s4", "a!m", "b?m")], half, coverage=True, min_coverage=80).endswith(" %; min_coverage=80 demands more")
    assert first_line([good, session("s5", "a!n", ""), good], budget_states=1, engine="term") == "2 of 3 sessions are inconclusive, 1 fails; s0: the search was cut at budget_states="


def test_the_fixture_of_pytest(conforms: Any) -> None:
    assert conforms(EVENTS[:4], SPEC, events=MAPPING).outcome == "clean"
    with pytest.raises(AssertionError, match="^1 of 2 sessions fails; s2: n: sent by b, never received by a\n"):
        conforms(EVENTS, SPEC, events=MAPPING)


def test_the_fixture_compiles_what_the_file_has_now(conforms: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, spec in (("one", SPEC), ("two", "b -- other -> a")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "spec.hif").write_text(spec)
    monkeypatch.chdir(tmp_path / "one")
    assert conforms(EVENTS[:4], "spec.hif", events=MAPPING)
    monkeypatch.chdir(tmp_path / "two")
    with pytest.raises(AssertionError, match="^1 of 1 session fails; s1: b[?]m came at b in place of b!other"):
        conforms(EVENTS[:4], "spec.hif", events=MAPPING)
    (tmp_path / "two" / "spec.hif").write_text(SPEC)
    assert conforms(EVENTS[:4], Path("spec.hif"), events=MAPPING) and conforms(EVENTS[:4], "spec.hif", events=MAPPING)


def test_equal_bundles_are_equal(bundle: multitrace.Bundle) -> None:
    again = pickle.loads(pickle.dumps(bundle))
    assert again == bundle and hash(again) == hash(bundle) and len({again, bundle}) == 1
    assert bundle != multitrace.compile("a -- m -> b") and bundle != "bundle"


def test_places_that_are_not_there_are_told(bundle: multitrace.Bundle) -> None:
    session = bundle.session()
    assert session.possible("a") == ["a!m"]
    with pytest.raises(multitrace.MultitraceError, match="no lifeline or location 'nowhere', but a, b"):
        session.possible("nowhere")


def test_the_ending_tells_the_format(bundle: multitrace.Bundle, tmp_path: Path) -> None:
    report = bundle.check(EVENTS, events=MAPPING)
    for ending, begin in ((".html", "<!"), (".json", "{"), (".sarif", "{"), (".txt", "2 sessions")):
        path = tmp_path / f"report{ending}"
        report.write(path)
        assert path.read_text().startswith(begin), ending
    with pytest.raises(multitrace.MultitraceError, match="no format by its ending"):
        report.write(tmp_path / "report.xml")


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("threads", 1025, "at most 1024"),
        ("threads", 2**80, "more than 9223372036854775807"),
        ("memory", 2**64, "more than 9223372036854775807"),
        ("budget_states", 2**63, "more than"),
        ("min_sessions", 2**64, "more than"),
        ("seed", 2**70, "more than"),
        ("sample", 2**70, "more than"),
    ],
)
def test_numbers_have_limits(option: str, value: int, message: str, bundle: multitrace.Bundle) -> None:
    with pytest.raises(multitrace.MultitraceError, match=message):
        bundle.check(EVENTS, events=MAPPING, **{option: value})


def test_numbers_of_numpy_are_numbers(bundle: multitrace.Bundle) -> None:
    numpy = pytest.importorskip("numpy")
    options = {
        "threads": numpy.int64(1),
        "repair": numpy.bool_(True),
        "min_sessions": numpy.int32(2),
        "min_coverage": numpy.float64(0),
        "seed": numpy.uint8(3),
        "budget_seconds": numpy.float32(5),
    }
    assert verdicts(bundle.check(EVENTS, events=MAPPING, **options)) == ["pass", "fail"]


@pytest.mark.parametrize("format", ["parquet", "ipc", "csv"])
def test_data_sets_of_every_format(format: str, bundle: multitrace.Bundle, tmp_path: Path) -> None:
    """With a column that only the names of folders have, and rows that a filter leaves out."""
    pyarrow, dataset = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.dataset")
    parts = dataset.partitioning(pyarrow.schema([("s", pyarrow.string())]), flavor="hive")
    dataset.write_dataset(pyarrow.Table.from_pylist(EVENTS), tmp_path, format=format, partitioning=parts)
    data = dataset.dataset(tmp_path, format=format, partitioning="hive")
    assert sorted(verdicts(bundle.check(data, events=MAPPING))) == ["fail", "pass"]
    assert verdicts(bundle.check(data.filter(dataset.field("s") == "s2"), events=MAPPING)) == ["fail"]
