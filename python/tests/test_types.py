"""Types as an editor sees them: options complete and are checked, and groups have typed fields."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import multitrace
import multitrace.spark
import pytest
from conftest import EXAMPLES, SESSIONS, Example
from multitrace._options import CheckOptions, SessionOptions, StreamOptions
from multitrace.spark import CheckArguments

PROGRAM = """\
import multitrace
import multitrace.spark
from typing import Any

def program(bundle: multitrace.Bundle, tables: Any, frame: Any) -> None:
    bundle.check_stream(tables, repair=True, max_failures="1%", threads=2)
    bundle.check_stream(tables, repair="yes")
    bundle.check_stream(tables, colour=1)
    multitrace.spark.check(frame, bundle, order="n", observe="prefix", budget_states=5)
    multitrace.spark.check(frame, bundle, order="n", budget_states="5")
    multitrace.spark.check(frame, bundle, order="n", max_failures=1)
    multitrace.spark.check_stream(frame, bundle, time="t", idle="1 hour", repair=1)
    multitrace.spark.report(frame, bundle, order="n", repair=True)
    multitrace.spark.report(frame, bundle, order=5)
    title: str = bundle.check("logs").groups[0]["title"]
    count: str = bundle.check("logs").groups[0]["count"]
    print(title, count, bundle.check("logs").groups[0]["colour"])

import duckdb
import polars

def inputs(bundle: multitrace.Bundle, frame: polars.LazyFrame, connection: duckdb.DuckDBPyConnection) -> None:
    bundle.check(frame)
    bundle.check(connection.execute("from t"))
    bundle.check_stream(frame)
    multitrace.assert_conforms(frame, bundle, threads=2, events="map.toml")
    multitrace.assert_conforms(frame, bundle, thread=3)
"""
WRONG = [7, 8, 10, 11, 12, 14, 16, 17, 27]


def test_types_of_options_and_groups(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", str(tmp_path), str(program)]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    lines = [int(line.split(":")[1]) for line in told.splitlines() if ": error:" in line]
    assert lines == WRONG, told


def test_notebooks_complete_options(conforms: Any) -> None:
    usual = inspect.signature(multitrace.Bundle.check).parameters
    for function, options, others in (
        (multitrace.Bundle.check_stream, StreamOptions, {"threads": 1}),
        (multitrace.spark.check, SessionOptions, {"threads": 1}),
        (multitrace.spark.check_stream, SessionOptions, {"threads": 1}),
        (multitrace.spark.report, CheckArguments, {"threads": 1, "errors": "rows", "session": (), "order": (), "partitions": None}),
        (multitrace.assert_conforms, CheckOptions, {"errors": "report"}),
        (conforms, CheckOptions, {"errors": "report"}),
    ):
        told = inspect.signature(function).parameters
        assert not [it for it in told.values() if it.kind is it.VAR_KEYWORD]
        for name in options.__annotations__:
            assert told[name].default == (others[name] if name in others else usual[name].default), (function, name)


@pytest.mark.parametrize("example", SESSIONS, ids=lambda it: it.name)
def test_groups_have_the_fields_of_their_type(example: Example) -> None:
    bundle = multitrace.compile(EXAMPLES / example.spec, locations=example.locations)
    groups = bundle.check(example.paths(), repair=True).groups
    assert groups
    for group in groups:
        assert multitrace.Group.__required_keys__ <= set(group) <= set(multitrace.Group.__annotations__)
