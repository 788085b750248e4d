"""Specifications learnt from sessions, and checked again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List

import multitrace
import pytest
from conftest import EXAMPLES, command_line

ORDERS = EXAMPLES / "learn/orders.jsonl"


def sessions() -> List[Dict[str, Any]]:
    return [json.loads(line) for line in ORDERS.read_text().splitlines()]


def test_it_is_what_the_command_line_writes() -> None:
    learnt = multitrace.learn(ORDERS)
    for name in ("mermaid", "markdown", "hif", "plantuml"):
        run = command_line(["learn", str(ORDERS), "--to", name])
        assert run.returncode == 0
        assert learnt.spec(name) == run.stdout
    assert str(learnt) == learnt.spec("mermaid") and "Learnt from 60 sessions" in repr(learnt)


def test_each_session_passes_or_is_an_outlier(tmp_path: Path) -> None:
    learnt = multitrace.learn(sessions())
    assert learnt.sessions == 60 and learnt.skipped == 0 and not learnt.problems
    assert [(it.sessions, it.count, it.lack) for it in learnt.outliers] == [(["o38"], 1, "events"), (["o12"], 1, "logs")]
    assert learnt.outliers[0].finding is not None and learnt.outliers[0].distance == 1
    bundle = learnt.bundle()
    report = bundle.check(sessions())
    assert report.summary["fail"] == 2 and report.summary["pass"] == 58
    learnt.save(tmp_path / "shop.md")
    assert multitrace.compile(tmp_path / "shop.md").check(ORDERS).summary["fail"] == 2
    assert multitrace.learn(sessions(), outliers=None).outliers == []
    evidence = learnt.evidence
    assert (evidence.variants, evidence.arrows, evidence.is_cut) == (7, 18, False)
    assert evidence.held_out is not None and 0.9 < evidence.held_out < 1
    assert learnt._repr_svg_().startswith("<svg") and "stock" in str(learnt.draw())


def test_event_logs_and_tables() -> None:
    spans, mapping = EXAMPLES / "shop/spans.csv", EXAMPLES / "shop/shop.toml"
    learnt = multitrace.learn(spans, events=mapping, outliers="10%")
    assert learnt.bundle().events == mapping.read_text()
    report = learnt.bundle().check(spans)
    assert report.summary["pass"] == learnt.sessions - sum(it.count for it in learnt.outliers) == 9
    pyarrow = pytest.importorskip("pyarrow")
    rows = [
        {"session": it["session"], "location": location, "actions": actions}
        for it in sessions()
        for location, actions in it["traces"].items()
    ]
    table = pyarrow.Table.from_pylist(rows)
    assert multitrace.learn(table).spec("hif") == multitrace.learn(sessions()).spec("hif")


def test_a_diagram_of_many_arrows_is_several() -> None:
    learnt = multitrace.learn(ORDERS, max_arrows=6)
    assert learnt.spec("md").count("```mermaid") > 1
    assert learnt.spec("mmd").count("sequenceDiagram") == 1


def test_what_is_wrong(tmp_path: Path) -> None:
    for given, message in [
        ({"outliers": 101}, "outliers: 101 is not a percentage"),
        ({"min_support": 0}, "min_support: 0 is not a whole number"),
        ({"max_arrows": 3}, "max_arrows: 3 is not a whole number"),
        ({"errors": "no"}, "errors: 'no' is not known"),
    ]:
        with pytest.raises(multitrace.MultitraceError, match=message):
            multitrace.learn(ORDERS, **given)  # type: ignore[arg-type]
    with pytest.raises(multitrace.MultitraceError, match="no session to learn from"):
        multitrace.learn([])
    with pytest.raises(multitrace.MultitraceError, match="known are"):
        multitrace.learn(ORDERS).spec("svg")
    broken = tmp_path / "broken.jsonl"
    broken.write_text(ORDERS.read_text() + "{\n")
    with pytest.raises(multitrace.InputError) as caught:
        multitrace.learn(broken)
    assert len(caught.value.problems) == 1 and caught.value.report is None
    assert len(multitrace.learn(broken, errors="report").problems) == 1


def test_a_comparison_is_that_of_the_command_line() -> None:
    new = EXAMPLES / "learn/orders-next.jsonl"
    found = multitrace.compare(ORDERS, new)
    run = command_line(["compare", str(ORDERS), str(new), "--output-format", "json"])
    told = json.loads(run.stdout)
    assert run.returncode == int(found.has_new_or_gone)
    assert found.sessions == (told["old"], told["new"]) and list(found.skipped) == told["skipped"]
    assert [vars(it) for it in found.changes] == told["changes"] and found.changes
    assert [vars(it) for it in found.uncertain] == told["uncertain"]
    assert found.tested == told["tested"] and str(found.changes[0]) in str(found)
    drawing = found.draw()
    assert "charge [new after ship]<" in drawing.svg and "confirmed [gone after ship]<" in drawing.svg and str(drawing) == str(found)
    same = multitrace.compare(sessions(), sessions())
    assert not same.has_new_or_gone and str(same) == "nothing changed beyond chance"
    few = multitrace.compare([sessions()[0]], [{"session": "s", "traces": {"a": ["a!other"]}}])
    assert few.tested == 0 and not few.has_new_or_gone
    first, second = str(few).splitlines()
    assert first == "too few sessions to tell a change from chance" and second.endswith("see `uncertain`")
    with pytest.raises(multitrace.MultitraceError, match="old: there is no session to compare"):
        multitrace.compare([], sessions())
    with pytest.raises(multitrace.MultitraceError, match="chance"):
        multitrace.compare(sessions(), sessions(), chance=101)
