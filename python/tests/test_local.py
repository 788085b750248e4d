"""Logs that are judged where they are give the report of a check of all logs."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List

import multitrace
import pytest
from conftest import EXAMPLES, command_line

SPEC = EXAMPLES / "mqtt/mqtt.hif"
LOGS = EXAMPLES / "mqtt/sessions.jsonl"


def two_rounds(whole: multitrace.Bundle, *, verdicts_only: bool = False) -> List[bytes]:
    bundles = whole.split()
    files = [multitrace.local(bundle, LOGS) for bundle in bundles.values()]
    requests = whole.requests(files, verdicts_only=verdicts_only)
    return files + [multitrace.local(bundles[name], LOGS, answer=request) for name, request in requests.items()]


def rows(report: multitrace.Report) -> List[Dict[str, object]]:
    assert report.sessions is not None
    return [{name: row[name] for name in row if name != "place"} for row in report.sessions.to_dicts()]


def test_combined_rows_are_those_of_a_check() -> None:
    whole = multitrace.compile(SPEC)
    combined = whole.combine(two_rounds(whole), repair=True)
    checked = whole.check(LOGS, repair=True)
    assert rows(combined) == rows(checked)
    assert combined.exit_code == checked.exit_code == 1
    only = whole.combine(two_rounds(whole, verdicts_only=True), verdicts_only=True)
    assert [row["verdict"] for row in rows(only)] == [row["verdict"] for row in rows(checked)]
    with pytest.raises(multitrace.MultitraceError, match="cannot be read again"):
        combined.explain("delivery-lost")


def test_files_of_the_command_line_and_of_python_are_the_same(tmp_path: Path) -> None:
    whole = multitrace.compile(SPEC)
    split = ["compile", str(SPEC), "-o", str(tmp_path / "all.mtb"), "--split", str(tmp_path / "bundles")]
    assert command_line(split).returncode == 0
    for name, bundle in whole.split().items():
        path = tmp_path / "bundles" / f"{name}.mtb"
        assert path.read_bytes() == bundle
        part = tmp_path / f"{name}.part"
        assert command_line(["local", str(path), str(LOGS), "-o", str(part)]).returncode == 0
        assert part.read_bytes() == multitrace.local(path, LOGS)
    assert set(whole.requests([tmp_path / f"{name}.part" for name in whole.split()])) == set(whole.split())


def test_wrong_files_are_errors(tmp_path: Path) -> None:
    whole = multitrace.compile(SPEC)
    bundle = next(iter(whole.split().values()))
    parts = [multitrace.local(bundle, LOGS) for bundle in whole.split().values()]
    with pytest.raises(multitrace.MultitraceError, match="Bundle.requests|answer the requests"):
        whole.combine(parts)
    with pytest.raises(multitrace.MultitraceError, match="file 1: line"):
        whole.combine([parts[0][:40]])
    with pytest.raises(multitrace.MultitraceError, match="of another bundle"):
        multitrace.compile("a -- m -> b").combine(parts)
    with pytest.raises(multitrace.MultitraceError, match="the bundle of all locations"):
        multitrace.local(whole.to_bytes(), LOGS)
    with pytest.raises(multitrace.MultitraceError, match="the bundle of one location"):
        multitrace.Bundle.from_bytes(bundle)
    log = tmp_path / "cut.jsonl"
    log.write_text('{"session":"s1"')
    with pytest.raises(multitrace.InputError) as raised:
        multitrace.local(bundle, log)
    assert "errors=" not in str(raised.value) and raised.value.problems[0].places[0].line == 1
