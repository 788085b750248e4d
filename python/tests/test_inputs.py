"""Every kind of input gives the verdicts of the command line."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Callable, Dict, List

import duckdb
import multitrace
import pandas
import polars
import pyarrow
import pytest
from conftest import (
    EVENT_LOGS,
    EXAMPLES,
    LINES,
    SESSIONS,
    Example,
    Outcome,
    command_line,
    expected,
    only_failures,
    outcomes,
)
from multitrace._inputs import to_toml


def compiled(example: Example) -> multitrace.Bundle:
    return multitrace.compile(EXAMPLES / example.spec, locations=example.locations)


@pytest.mark.parametrize("example", [*SESSIONS, *EVENT_LOGS], ids=lambda it: it.name)
def test_files(example: Example) -> None:
    report = compiled(example).check(example.paths(), events=example.mapping())
    assert outcomes(report.sessions) == only_failures(expected(example.arguments()))


@pytest.mark.parametrize("example", [*SESSIONS, *EVENT_LOGS], ids=lambda it: it.name)
def test_files_with_repairs_and_the_mapping_in_the_bundle(example: Example) -> None:
    bundle = multitrace.compile(
        EXAMPLES / example.spec, locations=example.locations, events=example.mapping()
    )
    report = bundle.check(example.paths(), repair=True, threads=1)
    assert outcomes(report.sessions) == only_failures(expected(example.arguments(), "--repair"))


def dicts_of(path: Path) -> List[Dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("example", [*SESSIONS, *LINES], ids=lambda it: it.name)
def test_dicts(example: Example) -> None:
    report = compiled(example).check(dicts_of(example.paths()[0]), events=example.mapping())
    assert outcomes(report.sessions) == only_failures(expected(example.arguments()))


def test_dicts_of_sessions_need_no_mapping_where_the_bundle_has_one() -> None:
    bundle = multitrace.compile("a -- m -> b", events=MAPPING)
    report = bundle.check([{"session": "s1", "traces": {"a": ["a!m"], "b": ["b?m"]}}])
    assert report.outcome == "clean"


def from_duckdb(table: pyarrow.Table) -> Any:
    return duckdb.connect().from_arrow(table)


TABLES: List[Any] = [
    pytest.param(lambda table: table, id="pyarrow"),
    pytest.param(lambda table: table.to_reader(max_chunksize=7), id="reader"),
    pytest.param(lambda table: table.to_pandas(), id="pandas"),
    pytest.param(polars.DataFrame, id="polars"),
    pytest.param(from_duckdb, id="duckdb"),
]

Convert = Callable[[pyarrow.Table], Any]


def traces_of(sessions: List[Dict[str, Any]]) -> pyarrow.Table:
    """The columns session, location, actions; locations without events keep their rows."""
    rows = [
        {"session": one["session"], "location": location, "actions": actions}
        for one in sessions
        for location, actions in one["traces"].items()
    ]
    schema = pyarrow.schema(
        [("session", "string"), ("location", "string"), ("actions", pyarrow.list_(pyarrow.string()))]
    )
    return pyarrow.Table.from_pylist(rows, schema)


@pytest.mark.parametrize("convert", TABLES)
@pytest.mark.parametrize("example", SESSIONS, ids=lambda it: it.name)
def test_tables_of_traces(example: Example, convert: Convert) -> None:
    table = traces_of(dicts_of(example.paths()[0]))
    report = compiled(example).check(convert(table))
    assert outcomes(report.sessions) == only_failures(expected(example.arguments()))


@pytest.mark.parametrize("convert", TABLES)
@pytest.mark.parametrize("example", LINES, ids=lambda it: it.name)
def test_tables_of_events(example: Example, convert: Convert) -> None:
    table = pyarrow.Table.from_pylist(dicts_of(example.paths()[0]))
    report = compiled(example).check(convert(table), events=example.mapping())
    assert outcomes(report.sessions) == only_failures(expected(example.arguments()))


def test_a_table_of_csv() -> None:
    example = next(one for one in EVENT_LOGS if one.spec == "shop/shop.hif")
    frame = pandas.read_csv(example.paths()[0], dtype=str)
    report = compiled(example).check(frame, events=example.mapping())
    assert outcomes(report.sessions) == only_failures(expected(example.arguments()))


EVENTS = 100_000


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Session lines with 100,000 events in all, right and wrong ones."""
    lines: List[str] = []
    for kind in ("accepted", "noise", "swap-actions"):
        made = command_line(
            ["generate", str(EXAMPLES / "mqtt/mqtt.hif"), "--kind", kind, "-n", "4000", "--seed", "7",
             "--max-events", "24", "--duplicates"]
        )
        assert made.returncode == 0, made.stderr
        for number, line in enumerate(made.stdout.splitlines()):
            one = json.loads(line)
            one["session"] = f"{kind}-{number}"
            lines.append(json.dumps(one))
    kept, events = [], 0
    for line in random.Random(7).sample(lines, len(lines)):
        kept.append(line)
        events += sum(map(len, json.loads(line)["traces"].values()))
        if events >= EVENTS:
            break
    assert events >= EVENTS
    path = tmp_path_factory.mktemp("generated") / "sessions.jsonl"
    path.write_text("".join(line + "\n" for line in kept))
    return path


def events_of(sessions: List[Dict[str, Any]]) -> pyarrow.Table:
    """One event a row, those of different sessions and locations mixed, with the local order as a column."""
    dice, rows = random.Random(3), []
    for one in sessions:
        for actions in one["traces"].values():
            for number, action in enumerate(actions):
                at = min(place for place in (action.find("!"), action.find("?")) if place > 0)
                rows.append(
                    {
                        "trace": one["session"],
                        "node": action[:at],
                        "kind": "send" if action[at] == "!" else "receive",
                        "what": action[at + 1 :],
                        "n": number,
                    }
                )
    dice.shuffle(rows)
    return pyarrow.Table.from_pylist(rows)


MAPPING = {
    "event": {
        "session": "trace",
        "lifeline": "node",
        "direction": {"field": "kind", "emission": ["send"], "reception": ["receive"]},
        "message": "what",
        "order": "n",
    }
}


@pytest.fixture(scope="module")
def events(generated: Path) -> pyarrow.Table:
    return events_of(dicts_of(generated))


@pytest.fixture(scope="module")
def expected_of_events(events: pyarrow.Table, tmp_path_factory: pytest.TempPathFactory) -> List[Outcome]:
    """The output of the command line for the same events in a file."""
    folder = tmp_path_factory.mktemp("events")
    (folder / "events.jsonl").write_text("".join(json.dumps(row) + "\n" for row in events.to_pylist()))
    (folder / "map.toml").write_text(to_toml(MAPPING))
    arguments = [str(EXAMPLES / "mqtt/mqtt.hif"), str(folder / "events.jsonl"), "--events", str(folder / "map.toml")]
    return only_failures(expected(arguments))


@pytest.mark.parametrize("convert", TABLES)
def test_a_hundred_thousand_events(
    events: pyarrow.Table, expected_of_events: List[Outcome], convert: Convert, mqtt: multitrace.Bundle
) -> None:
    report = mqtt.check(convert(events), events=MAPPING)
    assert outcomes(report.sessions) == expected_of_events
    assert report.summary["input"]["events"] == events.num_rows >= EVENTS


@pytest.mark.parametrize("convert", TABLES)
def test_a_hundred_thousand_events_as_traces(
    generated: Path, convert: Convert, mqtt: multitrace.Bundle
) -> None:
    report = mqtt.check(convert(traces_of(dicts_of(generated))))
    wanted = only_failures(expected([str(EXAMPLES / "mqtt/mqtt.hif"), str(generated)]))
    assert outcomes(report.sessions) == wanted


@pytest.mark.parametrize("convert", TABLES)
def test_a_stream_of_tables_in_the_order_of_sessions(
    events: pyarrow.Table, convert: Convert, mqtt: multitrace.Bundle
) -> None:
    table = events.sort_by([("trace", "ascending"), ("n", "ascending")])
    whole = outcomes(mqtt.check(table, events=MAPPING).sessions)
    for rows in (1, 997, 10_000):
        part = table.slice(0, 200) if rows == 1 else table
        tables = (convert(part.slice(at, rows)) for at in range(0, part.num_rows, rows))
        reports: List[multitrace.Report] = []
        made = [
            row
            for decided in mqtt.check_stream(tables, events=MAPPING, on_report=reports.append)
            for row in outcomes(decided)
        ]
        # The last session of a part may be cut.
        assert made[:-1] == whole[: len(made) - 1]
        assert reports[0].summary["sessions"] == len(made)


def test_a_session_that_goes_on_later_ends_the_stream(mqtt: multitrace.Bundle) -> None:
    row = {"node": "broker", "kind": "receive", "what": "open", "n": 0}
    table = pyarrow.Table.from_pylist([{"trace": name, **row} for name in ("s1", "s2", "s1")])
    with pytest.raises(multitrace.MultitraceError, match="goes on after another one has begun"):
        list(mqtt.check_stream([table], events=MAPPING))


def test_types_of_columns() -> None:
    """Categories, dictionaries, views, large lists and times are read as their values."""
    bundle = multitrace.compile("a -- m -> b")
    rows = {"session": ["s1", "s1"], "location": ["a", "b"], "actions": [["a!m"], ["b?m"]]}
    text = pyarrow.string()
    kinds = [
        (text, text, pyarrow.list_(text)),
        (pyarrow.dictionary(pyarrow.int32(), text), pyarrow.large_string(), pyarrow.large_list(text)),
        (pyarrow.string_view(), pyarrow.dictionary(pyarrow.int8(), text), pyarrow.list_(pyarrow.string_view())),
    ]
    for types in kinds:
        columns = [pyarrow.array(values, kind) for values, kind in zip(rows.values(), types)]
        table = pyarrow.table(columns, names=list(rows))
        assert bundle.check(table).outcome == "clean", types
    one = pyarrow.table({"session": ["s1", "s1"], "location": ["a", "b"], "actions": ["a!m", "b?m"]})
    assert bundle.check(one).outcome == "clean"
    frame = pandas.DataFrame(rows)
    frame["session"] = frame["session"].astype("category")
    assert bundle.check(frame).outcome == "clean"
    assert bundle.check(pyarrow.record_batch(one.to_batches()[0])).outcome == "clean"


def test_a_generator_of_dicts(mqtt: multitrace.Bundle) -> None:
    path = EXAMPLES / "mqtt/sessions.jsonl"
    report = mqtt.check(one for one in dicts_of(path))
    assert report.summary["sessions"] == 8
    assert report.explain("stopped-early").verdict == "fail"


def test_patterns_and_folders(mqtt: multitrace.Bundle, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_bytes((EXAMPLES / "mqtt/sessions.jsonl").read_bytes())
    assert mqtt.check(tmp_path / "*.jsonl").summary["sessions"] == 8
    assert mqtt.check(str(tmp_path)).summary["sessions"] == 8
    assert mqtt.check([tmp_path, tmp_path / "one.jsonl"]).summary["sessions"] == 16


def test_what_is_excluded_of_a_folder(mqtt: multitrace.Bundle, tmp_path: Path) -> None:
    (tmp_path / "b.bin").write_bytes(b"\x01\x02")
    (tmp_path / "a.jsonl").write_bytes((EXAMPLES / "mqtt/sessions.jsonl").read_bytes())
    with pytest.raises(multitrace.InputError, match="not excluded"):
        mqtt.check(tmp_path)
    report = mqtt.check(tmp_path, exclude="*.bin")
    assert any("excluded" in note for note in report.notes)
    with pytest.raises(multitrace.MultitraceError, match="pattern"):
        mqtt.check(tmp_path, exclude=["["])


def test_columns_of_polars_without_a_value(mqtt: multitrace.Bundle) -> None:
    rows = [{"session": "s", "location": "publisher", "actions": ["publisher!open"], "note": None}]
    frame = polars.DataFrame(rows)
    assert str(frame.schema["note"]) == "Null"
    assert mqtt.check(frame).summary["sessions"] == 1


def test_a_number_of_sessions_of_a_list(mqtt: multitrace.Bundle) -> None:
    """A list is read twice, as files are, and the same sessions are drawn."""
    path = EXAMPLES / "mqtt/sessions.jsonl"
    drawn = [row["session"] for row in mqtt.check(dicts_of(path), sample=5).sessions.to_dicts()]
    assert len(drawn) == 5
    assert drawn == [row["session"] for row in mqtt.check(path, sample=5).sessions.to_dicts()]


PROPOSED = [
    {"trace": f"s{number}", "node": node, "kind": kind, "what": what, "ts": f"2024-05-01T10:{number:02}:{second:02}Z"}
    for number in range(20)
    for second, (node, kind, what) in enumerate([("a", "send", "m"), ("b", "receive", "m"), ("b", "send", "n"), ("a", "receive", "n")])
]


@pytest.mark.parametrize("convert", [lambda rows: rows, pandas.DataFrame, polars.DataFrame, polars.LazyFrame, pyarrow.Table.from_pylist])
def test_a_mapping_is_proposed_for_every_input(convert: Any, tmp_path: Path) -> None:
    data = convert(PROPOSED)
    text = multitrace.propose_mapping(data)
    report = multitrace.compile("seq(a -- m -> b, b -- n -> a)").check(data, events=text)
    assert report.summary["pass"] == 20, text
    assert "make with multitrace.explain_mapping" in text and "‹" not in text and "arrow" not in text
    (tmp_path / "x\ny.jsonl").write_text("".join(json.dumps(row) + "\n" for row in PROPOSED))
    (tmp_path / "README.md").write_text("no log")
    lines = multitrace.propose_mapping(tmp_path).splitlines()
    assert lines[0].startswith("# ") and "README.md" in lines[0]
    with pytest.raises(multitrace.MultitraceError, match="these are sessions, which need no mapping"):
        multitrace.propose_mapping([{"session": "s", "traces": {"a": ["a!m"]}}])


@pytest.mark.parametrize("kind", ["dicts", "lines", "pandas", "polars", "lazy", "arrow", "parquet"])
def test_json_in_a_column_is_opened_in_a_proposal(kind: str, tmp_path: Path) -> None:
    rows = [{**row, "attrs": json.dumps({"trace": row["trace"], "weight": 7})} for row in PROPOSED]
    for row in rows:
        del row["trace"]
    lines, parquet = tmp_path / "a.jsonl", tmp_path / "a.parquet"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    polars.DataFrame(rows).write_parquet(parquet)
    data = {
        "dicts": rows,
        "lines": lines,
        "pandas": pandas.DataFrame(rows),
        "polars": polars.DataFrame(rows),
        "lazy": polars.LazyFrame(rows),
        "arrow": pyarrow.Table.from_pylist(rows),
        "parquet": parquet,
    }[kind]
    text = multitrace.propose_mapping(data)
    assert 'session = "attrs|json.trace"' in text
    report = multitrace.compile("seq(a -- m -> b, b -- n -> a)").check(data, events=text)
    assert report.summary["pass"] == 20, text


def test_a_signature(tmp_path: Path) -> None:
    text = "@message{ m; n }\n@lifeline{ a; b; c }"
    (tmp_path / "names.hsf").write_text(text)
    for signature in (text, tmp_path / "names.hsf", str(tmp_path / "names.hsf")):
        bundle = multitrace.compile("a -- m -> b", signature=signature)
        assert bundle.locations == ["a", "b", "c"]
