"""SARIF and GitLab's reports are valid by their published schemas (tests/suite/schemas)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, List

import jsonschema
import pytest

from conftest import EXAMPLES, ROOT, command_line

SCHEMAS = ROOT / "tests" / "suite" / "schemas"
SPEC = "loopS(a -- m -> b)\n"
PASSES = '{"session":"s","traces":{"a":["a!m"],"b":["b?m"]}}'
FAILS = '{"session":"t","traces":{"a":["a!m"],"b":["b?m","b?m"]}}'
UNKNOWN = '{"session":"u","traces":{"a":["a!x"],"b":[]}}'
# Characters that formats must spell another way.
NASTY = r'{"session":"<&\"\'\u001b]]>\ufffe","traces":{"a":["a!<é&>\u0007"],"b":[]}}'
CUT = '{"session":"x",'


def schema(name: str) -> Any:
    with open(SCHEMAS / name, encoding="utf-8") as file:
        loaded = json.load(file)
    # The pattern of fields that are not written is not a regular expression: a bracket too many.
    for holder in ("run", "toolComponent"):
        language = loaded.get("definitions", {}).get(holder, {}).get("properties", {}).get("language")
        if language:
            language["pattern"] = "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$"
    return loaded


def problems(form: str, name: str, arguments: List[str]) -> List[str]:
    done = command_line(["check", *arguments], "--output-format", form, "--quiet")
    assert done.stdout, done.stderr
    loaded = schema(name)
    kind = jsonschema.validators.validator_for(loaded)
    validator = kind(loaded, format_checker=kind.FORMAT_CHECKER)
    return [f"{error.message} at {error.json_path}" for error in validator.iter_errors(json.loads(done.stdout))]


@pytest.mark.parametrize("form, name", [("sarif", "sarif-2.1.0.json"), ("gitlab", "gitlab-code-quality.json")])
@pytest.mark.parametrize(
    "sessions", [[PASSES, FAILS, UNKNOWN, FAILS, NASTY], [PASSES], [FAILS, CUT], []], ids=["all", "passes", "cut", "none"]
)
def test_reports_are_valid_by_their_schemas(form: str, name: str, sessions: List[str], tmp_path: Path) -> None:
    (tmp_path / "ab.hif").write_text(SPEC, encoding="utf-8")
    (tmp_path / "in.jsonl").write_text("\n".join(sessions), encoding="utf-8")
    assert problems(form, name, [str(tmp_path / "ab.hif"), str(tmp_path / "in.jsonl")]) == []


@pytest.mark.parametrize("form, name", [("sarif", "sarif-2.1.0.json"), ("gitlab", "gitlab-code-quality.json")])
def test_a_report_with_findings_of_an_example_is_valid(form: str, name: str) -> None:
    checkout = EXAMPLES / "checkout"
    assert problems(form, name, [str(checkout / "SPEC.md"), str(checkout / "sessions.jsonl")]) == []


def test_a_schema_finds_a_report_that_lacks_a_field() -> None:
    validator = jsonschema.validators.validator_for(schema("sarif-2.1.0.json"))
    assert list(validator(schema("sarif-2.1.0.json")).iter_errors({"version": "2.1.0"}))
