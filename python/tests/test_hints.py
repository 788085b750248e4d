"""Hints name a step that works, and proposals ask for what they do not know."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any, Dict, List

import multitrace
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

BUNDLE = multitrace.compile("a -- m -> b")
ROWS = [{"s": "s1", "l": "a", "k": "out", "msg": "m", "n": 1}, {"s": "s1", "l": "b", "k": "in", "msg": "m", "n": 2}]


def mapping(**event: Any) -> Dict[str, Any]:
    direction = {"field": "k", "emission": "out", "reception": "in"}
    return {"event": {"session": "s", "lifeline": "l", "message": "msg", "direction": direction, **event}}


def told(data: Any, events: Any) -> str:
    with pytest.raises(multitrace.MultitraceError) as caught:
        BUNDLE.check(data, events=events)
    return str(caught.value)


def test_the_mapping_has_a_name() -> None:
    for call in (
        lambda: BUNDLE.check(ROWS, mapping()),  # type: ignore[misc]
        lambda: multitrace.learn(ROWS, mapping()),  # type: ignore[misc]
        lambda: multitrace.assert_conforms(ROWS, BUNDLE, mapping()),  # type: ignore[misc]
    ):
        with pytest.raises(TypeError, match="events=mapping"):
            call()


def test_a_report_says_what_it_has() -> None:
    report = BUNDLE.check(ROWS, events=mapping())
    with pytest.raises(AttributeError, match="it has .*explain.*sessions"):
        report.colour  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="report.sessions"):
        report.to_pandas()  # type: ignore[attr-defined]
    assert not hasattr(report, "_repr_png_")
