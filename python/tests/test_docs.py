"""The pages and the notebook do what they say."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator, List

import multitrace
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
    assert len(found) == 17
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
