"""Tables of sessions give what dicts give, and say what they lack."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import multitrace
import numpy
import pandas
import polars
import pyarrow
import pytest
from conftest import lines_of, outcome_of_line, outcomes

SHOP = "seq(client -- order -> shop, shop -- confirmed -> client)"
GOOD: List[Tuple[Optional[str], Optional[str], Any]] = [
    ("s", "client", ["client!order", "client?confirmed"]),
    ("s", "shop", ["shop?order", "shop!confirmed"]),
]
LISTS = pyarrow.schema(
    [("session", pyarrow.string()), ("location", pyarrow.string()), ("actions", pyarrow.list_(pyarrow.string()))]
)
EVENTS = {
    "event": {
        "session": "trace", "lifeline": "node", "message": "name", "order": "n",
        "direction": {"field": "kind", "emission": "sent", "reception": "received"},
    }
}
ROWS = {
    "trace": ["s1", "s1"], "node": ["client", "shop"], "kind": ["sent", "received"], "name": ["order", "order"],
    "n": [0, 1],
}


def table(rows: List[Tuple[Optional[str], Optional[str], Any]]) -> pyarrow.Table:
    return pyarrow.Table.from_pylist([dict(zip(LISTS.names, row)) for row in rows], schema=LISTS)


def dicts(rows: List[Tuple[Any, Any, Any]]) -> List[Dict[str, Any]]:
    sessions: Dict[str, Dict[str, Any]] = {}
    for session, location, actions in rows:
        sessions.setdefault(session, {})[location] = actions
    return [{"session": session, "traces": traces} for session, traces in sessions.items()]


@pytest.fixture(scope="module")
def shop() -> multitrace.Bundle:
    return multitrace.compile(SHOP)


FORMS: List[List[Tuple[Any, Any, Any]]] = [
    GOOD,
    [*GOOD, ("s", "ghost", [])],
    [*GOOD, ("s", "ghost", ["ghost!boo"])],
    [("s", "ghost", []), *GOOD],
    [GOOD[0], ("s", "shop", ["shop?order", "shop!unknown"])],
    [GOOD[0], ("s", "shop", ["shop!unknown", "shop?order"])],
    [("s", "client", ["shop!confirmed"])],
    [("s", "client", ["client!order", "shop?order", "client?confirmed"]), GOOD[1]],
    [GOOD[0], ("s", "shop,stock", ["shop?order", "shop!confirmed"])],
    [GOOD[0], ("s", "client,shop", [])],
    [GOOD[0], ("s", '"shop"', ["shop?order", "shop!confirmed"])],
    [*GOOD, ("s", "", [])],
    [("s", "client", []), ("s", "shop", [])],
]


@pytest.mark.parametrize("rows", FORMS, ids=[str(number) for number in range(len(FORMS))])
@pytest.mark.parametrize("locations", [None, "client,shop"])
def test_a_table_gives_the_verdicts_of_the_dicts(rows: List[Tuple[Any, Any, Any]], locations: Optional[str]) -> None:
    bundle = multitrace.compile(SHOP, locations=locations)
    theirs = bundle.check(dicts(rows), errors="report")
    for form in (table(rows), polars.from_arrow(table(rows))):
        ours = bundle.check(form, errors="report")
        assert outcomes(ours.sessions) == outcomes(theirs.sessions)
        assert (ours.outcome, ours.summary["errors"]) == (theirs.outcome, theirs.summary["errors"])
        messages = [[place.message for place in problem.places] for problem in theirs.problems]
        assert [[place.message for place in problem.places] for problem in ours.problems] == messages


def test_an_event_at_the_wrong_location_names_its_row(shop: multitrace.Bundle) -> None:
    with pytest.raises(multitrace.InputError) as caught:
        shop.check(table([*GOOD, ("t", "client", ["client!order"]), ("t", "shop", ["shop?order", "client!order"])]))
    (place,) = caught.value.places
    assert (place.file, place.line) == ("the table", 4)
    assert "client!order is logged at shop" in place.message
    assert "it belongs to the log of `client`" in str(caught.value)
    assert caught.value.report is not None and caught.value.report.summary["pass"] == 1


def test_one_action_a_row() -> None:
    """Rows are in the order of events, so lifelines of one location are one log."""
    bundle = multitrace.compile(SHOP, locations="client,shop")
    names = ["client!order", "shop?order", "shop!confirmed", "client?confirmed"]
    rows = {"session": ["s"] * 4, "location": [name.partition("!")[0].partition("?")[0] for name in names], "actions": names}
    assert bundle.check(pyarrow.table(rows)).outcome == "clean"
    rows["location"][1] = "stock"
    with pytest.raises(multitrace.InputError) as caught:
        bundle.check(pyarrow.table(rows))
    assert caught.value.places[0].line == 2


def test_floats_name_no_sessions(shop: multitrace.Bundle) -> None:
    rows = {"location": ["client"], "actions": [["client!order"]]}
    for sessions in (pyarrow.array([1.0]), pyarrow.array([1.0]).dictionary_encode()):
        with pytest.raises(multitrace.MultitraceError, match="\"session\" of the table has floats"):
            shop.check(pyarrow.table({"session": sessions, **rows}))
    assert shop.check(pyarrow.table({"session": [1], **rows})).outcome == "violations"


def test_bad_rows_do_not_end_the_check(shop: multitrace.Bundle) -> None:
    bad = [
        ("null location", None, ["client!order"]),
        ("null list", "client", None),
        ("null action", "client", ["client!order", None]),
        (None, "client", ["client!order"]),
    ]
    rows = [GOOD[0], *bad, GOOD[1], ("null location", "client", [])]
    report = shop.check(table(rows), errors="report")
    assert [row.session for row in outcomes(report.sessions)] == ["s"]
    assert report.summary["pass"] == 1 and report.summary["errors"] == 4
    assert [place.line for problem in report.problems for place in problem.places] == [2, 3, 4, 5]
    assert [problem.text.split("\n")[0] for problem in report.problems] == [
        "location is null", "actions is null", "an action is null", "session is null",
    ]
    with pytest.raises(multitrace.InputError, match="location is null"):
        shop.check(table(rows))
    # A problem of a session that is not picked does not count.
    assert shop.check(table(rows[:4] + rows[5:]), only_sessions=["s"]).outcome == "clean"
    with pytest.raises(multitrace.MultitraceError, match="no session is called"):
        report.explain("null list")


def test_rows_of_event_tables_have_numbers_in_places() -> None:
    bundle = multitrace.compile(SHOP, events=EVENTS)
    frame = pandas.DataFrame({**ROWS, "node": ["client", None]})
    with pytest.raises(multitrace.InputError) as caught:
        bundle.check(frame)
    assert [place.line for place in caught.value.places] == [2]


def test_columns_that_stand_twice(shop: multitrace.Bundle) -> None:
    columns = [pyarrow.array(["s"]), pyarrow.array(["t"]), pyarrow.array(["client"]), pyarrow.array(["client!order"])]
    twice = pyarrow.table(columns, names=["session", "session", "location", "actions"])
    with pytest.raises(multitrace.MultitraceError, match="several columns \"session\""):
        shop.check(twice)
    other = pyarrow.table([*columns, columns[0], columns[0]], names=["x", "session", "location", "actions", "y", "y"])
    assert shop.check(other).outcome == "violations"
    events = pyarrow.table([*map(pyarrow.array, ROWS.values()), pyarrow.array([1, 2])], names=[*ROWS, "trace"])
    with pytest.raises(multitrace.MultitraceError, match="several columns `trace`"):
        shop.check(events, events=EVENTS)


@pytest.mark.parametrize("column", list(ROWS))
def test_a_column_that_is_not_there_is_one_error(shop: multitrace.Bundle, column: str) -> None:
    frame = pandas.DataFrame(ROWS).drop(columns=column)
    for form in (frame, pyarrow.Table.from_pandas(frame)):
        report = shop.check(form, events=EVENTS, errors="report")
        (problem,) = report.problems
        assert f"the table has no column `{column}`, which [event] of the mapping" in problem.text
        assert "its columns are" in problem.text
        assert report.outcome == "error"


def test_a_column_that_a_file_does_not_have(shop: multitrace.Bundle, tmp_path: Path) -> None:
    pandas.DataFrame(ROWS).drop(columns="n").to_parquet(tmp_path / "bad.parquet")
    pandas.DataFrame(ROWS).to_parquet(tmp_path / "good.parquet")
    # All rules test a column that it does not have, so that none could match.
    pandas.DataFrame(ROWS).drop(columns="kind").to_parquet(tmp_path / "other.parquet")
    report = shop.check(tmp_path, events=EVENTS, errors="report")
    missing = {(problem.places[0].file.rsplit("/")[-1], column) for problem in report.problems
               for column in ("n", "kind") if f"no column `{column}`" in problem.text}
    assert missing == {("bad.parquet", "n"), ("other.parquet", "kind")}, [it.text for it in report.problems]
    assert report.summary["sessions"] == 1


def test_one_way_of_several_is_enough(shop: multitrace.Bundle) -> None:
    event = {**EVENTS["event"], "session": ["id", "trace"], "lifeline": "{node}"}
    frame = pandas.DataFrame(ROWS)
    assert shop.check(frame, events={"event": event}).summary["sessions"] == 1
    assert shop.check(frame.assign(trace=None, id="s"), events={"event": event}).summary["sessions"] == 1


def test_sessions_for_a_bundle_with_a_mapping() -> None:
    bundle = multitrace.compile(SHOP, events=EVENTS)
    assert bundle.check(table(GOOD)).outcome == "clean"
    assert bundle.check(dicts(GOOD)).outcome == "clean"
    assert bundle.check(table(GOOD), events={}).outcome == "clean"
    with pytest.raises(multitrace.InputError, match="no column `trace`"):
        bundle.check(table(GOOD), events=EVENTS)
    report = bundle.check(dicts(GOOD), events=EVENTS, errors="report")
    assert report.outcome == "error"
    assert "these are sessions and not events; leave events= out" in report.notes[0]


def test_frames_without_columns_or_with_mixed_ones(shop: multitrace.Bundle) -> None:
    with pytest.raises(multitrace.MultitraceError, match="the table has no columns; a table has the columns session"):
        shop.check(pandas.DataFrame())
    mixed = pandas.DataFrame({"session": ["s", 1], "location": ["client"] * 2, "actions": ["client!order"] * 2})
    assert [row["session"] for row in shop.check(mixed).sessions.to_dicts()] == ["s", "1"]
    with pytest.raises(multitrace.MultitraceError, match="column session.*astype"):
        shop.check(mixed.assign(session=["s", {}]))


def test_arrays_in_dicts(shop: multitrace.Bundle, tmp_path: Path) -> None:
    traces = {location: actions for _, location, actions in GOOD}
    pandas.DataFrame([{"session": "s", "traces": traces}]).to_parquet(tmp_path / "sessions.parquet")
    rows = pandas.read_parquet(tmp_path / "sessions.parquet").to_dict("records")
    assert isinstance(rows[0]["traces"]["client"], numpy.ndarray)
    assert shop.check(rows).outcome == "clean"
    one = {"client": numpy.array(["client!order"]), "shop": polars.Series(["shop?order"])}
    report = shop.check([{"session": numpy.int64(7), "traces": one, "cost": numpy.array([1.0, float("nan")])}])
    assert report.sessions.to_dicts()[0]["session"] == "7"
    theirs = shop.check([{"session": 7, "traces": {"client": ["client!order"], "shop": ["shop?order"]}}])
    assert outcomes(report.sessions) == outcomes(theirs.sessions)


def many(count: int) -> List[Dict[str, Any]]:
    """Sessions of which some pass, some fail in two ways and some have nothing."""
    client, shop = GOOD[0][2], GOOD[1][2]
    forms = [(client, shop)] * 4 + [(client[:1], shop), (client, shop[::-1]), ([], [])]
    return [
        {"session": f"s{at:05}", "traces": {"client": forms[at % 7][0], "shop": forms[at % 7][1]}} for at in range(count)
    ]


def test_rows_of_many_blocks(shop: multitrace.Bundle, tmp_path: Path) -> None:
    """More sessions than one block of rows has, and more pieces: the rows are those of the command line."""
    sessions = many(40_000)
    logs = tmp_path / "logs.jsonl"
    logs.write_text("".join(json.dumps(one) + "\n" for one in sessions))
    (tmp_path / "shop.hif").write_text(SHOP)
    lines = [line for line in lines_of([str(tmp_path / "shop.hif"), str(logs)]) if line["type"] == "session"]
    theirs = [outcome_of_line(line) for line in lines]
    from_file = shop.check(logs).sessions
    assert outcomes(from_file) == theirs
    places = [(row["place"] or {}).get("line") for row in from_file.to_dicts()]
    assert places == [line.get("line") for line in lines]
    rows = [(one["session"], *log) for one in sessions for log in one["traces"].items()]
    assert outcomes(shop.check(table(rows)).sessions) == theirs
    assert outcomes(shop.check(sessions, threads=3).sessions) == theirs
    # A stream of events has no session without events.
    named = {one["session"] for one in sessions if any(one["traces"].values())}
    assert outcomes(streamed(shop, sessions)) == [row for row in theirs if row.session in named]


def streamed(bundle: multitrace.Bundle, sessions: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """The same sessions as events, in tables of a hundred sessions."""
    mapping = {"event": {"session": "s", "lifeline": "l", "message": "m", "order": "n",
                         "direction": {"field": "d", "emission": "!", "reception": "?"}}}

    def events() -> Any:
        for first in range(0, len(sessions), 100):
            part = sessions[first : first + 100]
            found = [
                (one["session"], action, number)
                for one in part
                for log in one["traces"].values()
                for number, action in enumerate(log)
            ]
            mark = ["!" if "!" in action else "?" for _, action, _ in found]
            yield pyarrow.table({
                "s": [session for session, _, _ in found],
                "l": [action.split(at)[0] for (_, action, _), at in zip(found, mark)],
                "m": [action.split(at)[1] for (_, action, _), at in zip(found, mark)],
                "d": mark,
                "n": [number for _, _, number in found],
            })

    return [row for part in bundle.check_stream(events(), events=mapping) for row in part.to_dicts()]
