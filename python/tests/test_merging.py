"""Parts of a run merge to the report of the whole."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import List

import multitrace
import pytest
from conftest import EXAMPLES, command_line

SPEC = EXAMPLES / "mqtt/mqtt.hif"
LOGS = EXAMPLES / "mqtt/sessions.jsonl"


def plain(text: str) -> str:
    return re.sub(r'"(seconds|peak_bytes)": ?[0-9.e-]+', r'"\1":0', text)


def parts(count: int) -> List[bytes]:
    bundle = multitrace.compile(SPEC)
    return [bundle.check(LOGS, shard=f"{at}/{count}", partial=True).partial() for at in range(1, count + 1)]


@pytest.mark.parametrize("format", ["json", "junit", "sarif", "human", "gitlab", "html"])
def test_shards_merge_to_the_whole(format: str) -> None:
    whole = multitrace.compile(SPEC).check(LOGS)
    shards = parts(3)
    random.Random(1).shuffle(shards)
    merged = multitrace.merge(shards)
    theirs, ours = plain(whole.render(format)), plain(merged.render(format))
    if format in ("human", "junit", "html"):
        theirs, ours = (re.sub(r"[0-9.]+ (s|ms|µs|MiB|KiB)\b|time=\"[^\"]*\"", "", it) for it in (theirs, ours))
    assert ours == theirs
    assert merged.outcome == whole.outcome


def test_parts_of_the_command_line_and_of_python_merge(tmp_path: Path) -> None:
    for at in (1, 2):
        done = command_line(
            ["check", str(SPEC), str(LOGS), "--shard", f"{at}/2", "--output-format", "partial"],
            "--output-file", str(tmp_path / f"{at}.part"),
        )
        assert done.returncode in (0, 1), done.stderr
    report = multitrace.merge(sorted(tmp_path.glob("*.part")))
    assert report.summary["sessions"] == 8
    again = command_line(["merge", str(tmp_path), "--output-format", "json"])
    assert again.returncode == 1 and '"sessions":8' in plain(again.stdout).replace(" ", "")


def test_shards_are_counted_from_0_or_from_1() -> None:
    bundle = multitrace.compile(SPEC)
    zero = bundle.check(LOGS, shard="0/4").sessions.to_dicts()
    assert zero == bundle.check(LOGS, shard="4/4").sessions.to_dicts()


def test_a_gate_is_set_when_parts_are_merged(tmp_path: Path) -> None:
    multitrace.compile(SPEC).check(LOGS).write_baseline(tmp_path / "known.json")
    assert multitrace.merge(parts(2), baseline=tmp_path / "known.json").outcome == "clean"
    assert multitrace.merge(parts(2), max_failures="80%").outcome == "clean"
    with pytest.raises(multitrace.MultitraceError, match="no sessions|left the sessions out"):
        len(multitrace.merge(parts(2)).sessions)


def test_what_does_not_merge(tmp_path: Path) -> None:
    two = parts(2)
    with pytest.raises(multitrace.MultitraceError, match="1 of 2 shards are missing"):
        multitrace.merge(two[:1])
    assert multitrace.merge(two[:1], allow_missing=True).summary["sessions"] < 8
    with pytest.raises(multitrace.MultitraceError, match="part 2: "):
        multitrace.merge([two[0], two[0]])
    with pytest.raises(multitrace.MultitraceError, match="part 2: "):
        multitrace.merge([two[0], two[1][:50]])
    with pytest.raises(multitrace.MultitraceError, match="no part was given"):
        multitrace.merge([])
    with pytest.raises(multitrace.MultitraceError, match="none.part: No such file"):
        multitrace.merge([tmp_path / "none.part"])
    with pytest.raises(multitrace.MultitraceError, match="did not ask for a partial report"):
        multitrace.compile(SPEC).check(LOGS).partial()


def test_a_merged_report_has_the_problems(tmp_path: Path) -> None:
    (tmp_path / "logs.jsonl").write_text("{\n" * 30)
    report = multitrace.compile(SPEC).check(tmp_path / "logs.jsonl", errors="report", partial=True)
    merged = multitrace.merge(report.partial())
    places = [place for problem in merged.problems for place in problem.places]
    assert places == [place for problem in report.problems for place in problem.places] and len(places) == 30
    for one in (report, merged):
        assert f"error: {one.problems[0].text}" in str(one) and "error: 10 more problems" in str(one), str(one)


def test_parts_merge_in_several_steps() -> None:
    whole = multitrace.compile(SPEC).check(LOGS)
    three = parts(3)
    two = multitrace.merge(three[:2], allow_missing=True)
    merged = multitrace.merge([two.partial(), three[2]])
    assert merged.summary["sessions"] == whole.summary["sessions"]
    assert plain(multitrace.merge(merged.partial()).render("json")) == plain(merged.render("json"))
    with pytest.raises(multitrace.MultitraceError, match="part 2: "):
        multitrace.merge([two.partial(), three[0]], allow_missing=True)
