"""Reports: what they hold, write and explain."""

from __future__ import annotations

import json
import re
import xml.dom.minidom
from pathlib import Path

import multitrace
import pandas
import polars
import pyarrow
import pytest
from conftest import EXAMPLES, SESSIONS, command_line

LOGS = EXAMPLES / "mqtt/sessions.jsonl"
SPEC = EXAMPLES / "mqtt/mqtt.hif"


def plain(text: str) -> str:
    """Without what differs between runs: times, memory, and the command that only the tool can name."""
    text = re.sub(r'"seconds": ?[0-9.e-]+', '"seconds":0', text)
    text = re.sub(r'"peak_bytes": ?[0-9]+', '"peak_bytes":0', text)
    return re.sub(r'time="[0-9.]+"', 'time="0"', text)


@pytest.mark.parametrize("format", ["json", "sarif", "gitlab"])
def test_formats_are_those_of_the_command_line(format: str, tmp_path: Path) -> None:
    report = multitrace.compile(SPEC).check(LOGS)
    path = tmp_path / "report"
    report.write(path, format)
    theirs = command_line(["check", str(SPEC), str(LOGS), "--output-format", format]).stdout
    ours = json.loads(plain(path.read_text()))
    assert keys(ours) <= keys(json.loads(plain(theirs)))
    assert plain(path.read_text()) == plain(report.render(format))


def keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("format", ["human", "concise", "json", "junit", "sarif", "github", "gitlab", "html"])
def test_every_format_is_written(format: str, tmp_path: Path) -> None:
    report = multitrace.compile(SPEC).check(LOGS)
    report.write(tmp_path / "report", format)
    assert (tmp_path / "report").stat().st_size > 100
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_summary_groups_and_outcome(mqtt: multitrace.Bundle) -> None:
    report = mqtt.check(LOGS)
    assert report.outcome == "violations" and not report
    assert (report.summary["sessions"], report.summary["fail"]) == (8, 6)
    assert report.groups[0]["count"] >= 1 and report.groups[0]["code"].startswith("MT")
    assert mqtt.check([]).outcome == "nothing_checked"
    assert "8 sessions" in repr(report) and "MT113" in str(report)
    assert "<table>" in report._repr_html_()
    xml.dom.minidom.parseString(report.draw().svg)


def test_sessions_are_an_arrow_table(mqtt: multitrace.Bundle) -> None:
    report = mqtt.check(LOGS, repair=True)
    table = report.sessions.to_pyarrow()
    assert table.column_names == ["session", "verdict", "findings", "distance", "place", "fingerprint"]
    assert pyarrow.types.is_list(table.schema.field("findings").type)
    assert len(report.sessions) == table.num_rows == 8
    assert table.to_pylist() == report.sessions.to_dicts()
    assert polars.DataFrame(report.sessions).rows() == report.sessions.to_polars().rows()
    frame = report.sessions.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["verdict"]).count("fail") == 6
    failing = [row for row in table.to_pylist() if row["verdict"] == "fail"]
    assert all(row["distance"] >= 1 and row["place"]["line"] >= 1 for row in failing)
    assert all(row["fingerprint"] == row["findings"][0]["kind"] for row in failing)


def test_faults_have_their_sentences(mqtt: multitrace.Bundle) -> None:
    report = mqtt.check(LOGS)
    faults = [row for row in report.faults.to_dicts() if row["session"] == "stopped-early"]
    told = report.explain("stopped-early").to_dict()["faults"]
    assert [row["sentence"] for row in faults] == [fault["sentence"] for fault in told]
    listed = next(row for row in report.sessions.to_dicts() if row["session"] == "stopped-early")["findings"]
    assert [row["sentence"] for row in listed] == [fault["sentence"] for fault in told]


def test_integers_of_pandas_are_integers(mqtt: multitrace.Bundle) -> None:
    report = mqtt.check(LOGS, repair=True)
    frame = report.sessions.to_pandas()
    lines = [place["line"] for place in frame["place"] if place is not None]
    assert lines and all(isinstance(line, int) for line in lines)
    assert frame["distance"].isna().any() and str(frame["distance"].dtype) == "Int64"
    assert str(report.faults.to_pandas()["index"].dtype) == "Int64"


def test_sessions_can_be_left_out(mqtt: multitrace.Bundle) -> None:
    report = mqtt.check(LOGS, sessions=False)
    assert report.summary["sessions"] == 8
    with pytest.raises(multitrace.MultitraceError, match="sessions=False"):
        len(report.sessions)


def test_explanations(mqtt: multitrace.Bundle, tmp_path: Path) -> None:
    report = mqtt.check(LOGS)
    explanation = report.explain("stopped-early")
    text = command_line(["explain", str(SPEC), str(LOGS), "--session", "stopped-early"]).stdout
    assert explanation.text.splitlines()[0] == text.splitlines()[0]
    assert explanation.to_dict()["verdict"] == explanation.verdict == "fail"
    assert "sequenceDiagram" in explanation.mermaid()
    xml.dom.minidom.parseString(explanation.draw().svg)
    for name, drawing in (("session", explanation.draw()), ("report", report.draw())):
        drawing.save(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").read_bytes() == drawing.png()
        assert drawing.png().startswith(b"\x89PNG\r\n")
    svg = command_line(
        ["explain", str(SPEC), str(LOGS), "--session", "stopped-early", "--output-format", "svg"]
    ).stdout
    assert explanation._repr_svg_() == svg
    with pytest.raises(multitrace.MultitraceError, match="no session is called 'nobody'"):
        report.explain("nobody")


def test_explanations_of_tables(mqtt: multitrace.Bundle) -> None:
    table = pyarrow.table({"session": ["s1"], "location": ["broker"], "actions": [["broker?open"]]})
    report = mqtt.check(table)
    assert report.explain("s1").verdict == "fail"


def test_baselines(mqtt: multitrace.Bundle, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    mqtt.check(LOGS).write_baseline(baseline)
    report = mqtt.check(LOGS, baseline=baseline)
    assert report.outcome == "clean" and report
    assert report.summary["known"] == 6
    assert mqtt.check(LOGS, max_failures="80%").outcome == "clean"
    assert mqtt.check(LOGS, max_failures=2).summary["stopped"]
    assert mqtt.check(LOGS, fail_on=[]).outcome == "clean"


def test_coverage(mqtt: multitrace.Bundle, tmp_path: Path) -> None:
    report = mqtt.check(LOGS, coverage=True)
    assert 0 < report.summary["coverage"]["percent"] <= 100
    report.write_lcov(tmp_path / "lcov.info")
    assert (tmp_path / "lcov.info").read_text().startswith("TN:")
    with pytest.raises(multitrace.MultitraceError, match="coverage=True"):
        mqtt.check(LOGS).write_lcov(tmp_path / "none")
    few = mqtt.check([SESSIONS[1].paths()[0]], fail_on=[], min_sessions=1000, require_location="nobody")
    assert few.outcome == "error" and any("1000" in note or "1,000" in note for note in few.notes + [str(few)])
    assert mqtt.check([SESSIONS[1].paths()[0]], fail_on=[], min_coverage=100.0).outcome in ("clean", "violations")


def test_selections(mqtt: multitrace.Bundle) -> None:
    report = mqtt.check(LOGS, only_sessions=["stopped-early"])
    assert [row["session"] for row in report.sessions.to_dicts()] == ["stopped-early"]
    assert mqtt.check(LOGS, sample=3).summary["sessions"] == 3
    assert mqtt.check(LOGS, sample="0%").outcome == "nothing_checked"
