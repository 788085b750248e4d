"""The pages and the notebook do what they say."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any, Iterator, List, Optional

import duckdb
import multitrace
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from conftest import ROOT

PAGE = ROOT / "docs/python.md"


def blocks() -> List[str]:
    return re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture()
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in which the examples are where the pages say."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    before = Path.cwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


def test_the_blocks_of_the_page(folder: Path) -> None:
    found = blocks()
    assert len(found) == 18
    names: dict[str, object] = {}
    for block in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, str(PAGE), "exec"), names)
        # The output of a line stands behind it.
        told = re.findall(r"^ *print\(.*\) *# (.*)$", block, re.MULTILINE)
        if told:
            assert printed.getvalue().splitlines() == told, block
    # A test of the page that is no call of it.
    names["test_every_order_is_confirmed"](multitrace.assert_conforms)  # type: ignore[operator]


@pytest.mark.parametrize("make", [list, pandas.DataFrame, polars.DataFrame, pyarrow.Table.from_pylist])
def test_elements_of_a_list_are_events_by_their_order(make: Any) -> None:
    bundle = multitrace.compile("a -- m -> b")
    both = [{"t": 2, "n": "b", "d": "in", "m": "m"}, {"t": 1, "n": "a", "d": "out", "m": "m"}]
    direction = {"field": "each.d", "emission": "out", "reception": "in"}
    mapping = {"input": {"for-each": "events"}, "event": {"session": "s", "lifeline": "each.n", "direction": direction, "message": "each.m", "order": "each.t"}}
    assert bundle.check(make([{"s": "s1", "events": both}]), events=mapping).outcome == "clean"


COLUMNS = pyarrow.table({
    "s": ["s1", "s1"],
    "l": ["a", "b"],
    "k": ["out", "in"],
    "attributes": pyarrow.array([[("kind", "m")]] * 2, pyarrow.map_(pyarrow.string(), pyarrow.string())),
    "items": [["m"]] * 2,
    "part": [{"kind": "m"}] * 2,
})


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("attributes.kind", None),
        ("attributes|json.kind", None),
        ("items[0]", None),
        ("items|json[0]", None),
        ("part|json.kind", None),
        ("items.kind", "`items.kind` leads into a list"),
        ("attributes[0]", "`attributes[0]` leads into a map"),
    ],
)
def test_paths_into_nested_columns(path: str, refusal: Optional[str]) -> None:
    bundle = multitrace.compile("a -- m -> b")
    mapping = {"event": {"session": "s", "lifeline": "l", "message": path, "direction": {"field": "k", "emission": "out", "reception": "in"}}}
    if refusal is None:
        assert bundle.check(COLUMNS, events=mapping).outcome == "clean"
        return
    with pytest.raises(multitrace.MultitraceError) as caught:
        bundle.check(COLUMNS, events=mapping)
    assert refusal in str(caught.value)


def test_a_proposal_opens_maps_as_json() -> None:
    direction = [[("service", "a"), ("kind", "out")], [("service", "b"), ("kind", "in")]]
    maps = pyarrow.array(direction * 4, pyarrow.map_(pyarrow.string(), pyarrow.string()))
    assert 'lifeline = "attrs|json.service"' in multitrace.propose_mapping(pyarrow.table({"trace": ["s1"] * 8, "attrs": maps}))


def test_uuids_of_parquet_files(tmp_path: Path) -> None:
    name, path = uuid.UUID("567c3c72-0000-4000-8000-000000000001"), str(tmp_path / "logs.parquet")
    rows = f"select uuid '{name}' id, 'a' l, 'out' k, 'm' m union all select uuid '{name}', 'b', 'in', 'm'"
    duckdb.sql(f"copy ({rows}) to '{path}'")
    mapping = {"event": {"session": "id", "lifeline": "l", "message": "m", "direction": {"field": "k", "emission": "out", "reception": "in"}}}
    step = re.search(r"`(polars.col\(\"id\"\).map_elements.*?)` makes them", PAGE.read_text())
    assert step
    made = polars.read_parquet(path).with_columns(eval(step.group(1), {"polars": polars, "uuid": uuid}))
    bundle = multitrace.compile("a -- m -> b")
    for data, named in (
        (polars.read_parquet(path), name.hex),
        (polars.scan_parquet(path), name.hex),
        (path, name.hex),
        (made, str(name)),
        (pyarrow.parquet.read_table(path), str(name)),
        (duckdb.sql(f"from '{path}'"), str(name)),
    ):
        assert [row["session"] for row in bundle.check(data, events=mapping).sessions] == [named], type(data)


TRIED = """sequenceDiagram
  participant S as Shop
  participant C as client
  C->>S: order
  loop up to 3 tries
  S->>C: done
  end"""


@pytest.mark.parametrize("shop", ["S", "Shop"])
@pytest.mark.parametrize("client", ["C", "client"])
def test_logs_may_have_either_name_of_a_participant(shop: str, client: str) -> None:
    session = {"session": "s1", "traces": {shop: [f"{shop}?order"], client: [f"{client}!order"]}}
    assert multitrace.compile(TRIED).check([session]).outcome == "clean"


def test_a_loop_with_words_is_not_bounded_by_its_number() -> None:
    def accepted(spec: str) -> List[int]:
        bundle = multitrace.compile(spec)
        sessions = [{"session": str(n), "traces": {"S": ["S?order", *["S!done"] * n], "C": ["C!order", *["C?done"] * n]}} for n in range(6)]
        return [int(row["session"]) for row in bundle.check(sessions).sessions if row["verdict"] == "pass"]

    assert accepted(TRIED) == [0, 1, 2, 3, 4, 5] and "up to 3 tries" in multitrace.compile(TRIED).warnings
    assert accepted(TRIED.replace("  loop", "  %% multitrace: loop 1..3\n  loop")) == [1, 2, 3]
    assert accepted(TRIED.replace("up to 3 tries", "3 times")) == [3]


def test_the_distance_needs_a_repair() -> None:
    session = {"session": "s1", "traces": {"a": ["a!m"], "b": []}}
    for repair, distance in ((False, None), (True, 1)):
        report = multitrace.compile("a -- m -> b").check([session], repair=repair)
        assert report.sessions.to_dicts()[0]["distance"] == distance and "accepted after 1 edit" in str(report)


def test_the_page_has_every_option_of_compile() -> None:
    table = PAGE.read_text().split("| option | says |")[1].split("\n\n")[0]
    options = [name for name, it in inspect.signature(multitrace.compile).parameters.items() if it.kind is it.KEYWORD_ONLY and name != "format"]
    assert options and [name for name in options if f"`{name}=" not in table] == []


def test_ten_lines_to_a_picture() -> None:
    first = blocks()[0]
    assert len([line for line in first.splitlines() if line]) <= 12
    nbformat = pytest.importorskip("nbformat")
    cell = nbformat.v4.new_code_cell(first)
    outputs = executed([cell])[0]["outputs"]
    svg = outputs[-1]["data"]["image/svg+xml"]
    shown = "".join(svg)
    assert "confirmed" in shown
    assert shown == (ROOT / "docs/pictures/python.svg").read_text(), "draw it anew: scripts/pictures"


def executed(cells: list[object], folder: Path = ROOT) -> list[dict[str, object]]:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    return client.execute()["cells"]


def test_the_notebook(folder: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(ROOT / "examples/python/failures.ipynb", as_version=4)
    cells = executed(notebook.cells, ROOT / "examples/python")
    shown = [output for cell in cells for output in cell.get("outputs", [])]
    kinds = [kind for output in shown for kind in output.get("data", {})]
    assert kinds.count("image/svg+xml") >= 3 and "text/html" in kinds
    assert not [output for output in shown if output["output_type"] == "error"]


def test_the_help_names_every_option() -> None:
    documented = multitrace.Bundle.check.__doc__ or ""
    for name in ("events", "sessions", "errors", "progress", "memory"):
        assert name in documented


def test_doctests() -> None:
    code = "import doctest, multitrace._inputs as it; raise SystemExit(doctest.testmod(it).failed)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


TRIES = (ROOT / "docs/python-tries.md").read_text()
ROWS_OF_TRIES = re.findall(r"^\| `(.+?)` \| (`+) ?(.+?) ?\2 \|$", TRIES, re.MULTILINE)


@pytest.mark.parametrize(("call", "message"), [pytest.param(call, message, id=call) for call, _, message in ROWS_OF_TRIES])
def test_a_first_try_says_what_is_wrong(call: str, message: str, folder: Path) -> None:
    """A row of the table: a call, and a part of what it says."""
    pytest.importorskip("pandas")
    names: dict[str, object] = {}
    exec(re.search(r"```python\n(.*?)```", TRIES, re.DOTALL).group(1), names)
    with pytest.raises((multitrace.MultitraceError, TypeError, AttributeError)) as caught:
        eval(call, names)
    assert message in str(caught.value)


def test_every_row_of_the_tries_is_a_test() -> None:
    calls = [call for call, _, _ in ROWS_OF_TRIES]
    table = TRIES.split("|---|---|\n")[1]
    assert len(calls) == len(set(calls)) == table.count("\n") >= 30
