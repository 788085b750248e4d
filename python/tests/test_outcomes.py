"""A check ends as it does on the command line and in Rust, on the cases of tests/outcomes/cases.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict

import pytest

import multitrace
from conftest import ROOT

CASES = [json.loads(line) for line in (ROOT / "tests/outcomes/cases.jsonl").read_text().splitlines()]


def write(folder: Path, files: Dict[str, Any]) -> None:
    for name, text in files.items():
        if name.endswith("/"):
            (folder / name).mkdir()
        elif text is not None:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)


def exit_code(case: Dict[str, Any], folder: Path) -> int:
    spec = case.get("spec", {"ab.hif": "loopS(a -- m -> b)"})
    write(folder, {**case["files"], **spec})
    options = dict(case.get("options", {}))
    if "baseline" in options:
        write(folder, {"known.json": options["baseline"]})
        options["baseline"] = folder / "known.json"
    try:
        (path,) = (folder / name for name in spec)
        bundle = multitrace.load(path) if path.suffix == ".mtb" else multitrace.compile(path)
        inputs = [folder / name for name in case.get("inputs", case["files"])]
        report = bundle.check(inputs, events=case.get("events"), errors="report", **options)
    except (multitrace.MultitraceError, OSError):
        return 2
    assert ("clean", "violations", "error", "nothing_checked")[report.exit_code] == report.outcome
    return report.exit_code


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_a_check_ends_alike(case: Dict[str, Any], tmp_path: Path) -> None:
    assert exit_code(case, tmp_path) == case["code"]
