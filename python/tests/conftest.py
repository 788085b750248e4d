"""Helpers of the tests: the examples, and the command line to compare with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


class Example(NamedTuple):
    """A specification, logs, and what the command line needs beside them."""

    spec: str
    logs: Tuple[str, ...]
    events: Optional[str] = None
    locations: Optional[str] = None

    @property
    def name(self) -> str:
        return Path(self.logs[0]).name + "-" + Path(self.spec).name

    def paths(self) -> List[Path]:
        return [EXAMPLES / log for log in self.logs]

    def arguments(self) -> List[str]:
        """The arguments of `multitrace check`."""
        given = [str(EXAMPLES / self.spec), *map(str, self.paths())]
        if self.events:
            given += ["--events", str(EXAMPLES / self.events)]
        if self.locations:
            given += ["--locations", self.locations]
        return given

    def mapping(self) -> Optional[Path]:
        return EXAMPLES / self.events if self.events else None


SESSIONS = [
    Example("checkout/SPEC.md", ("checkout/sessions.jsonl",)),
    Example("mqtt/mqtt.hif", ("mqtt/sessions.jsonl",)),
    Example("pubsub/pubsub.hif", ("pubsub/sessions.jsonl",)),
    Example("two-phase-commit/two-phase-commit.hif", ("two-phase-commit/sessions.jsonl",)),
    Example("cache/cache.hif", ("cache/sessions.jsonl",), locations="api,cache"),
]

LINES = [
    Example("tls/tls.hif", ("tls/messages.jsonl",), "tls/tls.toml"),
    Example("raft/election.hif", ("raft/events.jsonl",), "raft/election.toml"),
    Example("raft/heartbeats.hif", ("raft/events.jsonl",), "raft/heartbeats.toml"),
]

OTHERS = [
    Example("shop/shop.hif", ("shop/spans.csv",), "shop/shop.toml"),
    Example("hdfs/write.hif", ("hdfs/hdfs.log",), "hdfs/write.toml"),
    Example("sip/call.hif", ("sip/capture.txt",), "sip/call.toml"),
    Example("xes/claims.hif", ("xes/claims.xes",), "xes/claims.toml"),
    Example("broker/connection.hif", ("broker/broker.log", "broker/clients.log"), "broker/connection.toml"),
    Example("lock/lock.hif", ("lock/lockd.log",), "lock/lock.toml"),
    Example("openstack/boot.hif", ("openstack/nova.log",), "openstack/boot.toml"),
    Example("shiviz/broadcast.hif", ("shiviz/relay.log",), "shiviz/broadcast.toml"),
    Example("spans/checkout.hif", ("spans/spans.json",), "spans/checkout.toml"),
    Example("zipkin/location-update.hif", ("zipkin/location-update.json",), "zipkin/zipkin.toml"),
    Example("zipkin/queue.hif", ("zipkin/queue.json",), "zipkin/zipkin.toml"),
    Example("zipkin/topics.hif", ("zipkin/topics.json",), "zipkin/zipkin.toml"),
]

EVENT_LOGS = [*LINES, *OTHERS]


class Outcome(NamedTuple):
    """The values of one session that are compared."""

    session: str
    verdict: str
    findings: Tuple[Tuple[Any, ...], ...]
    distance: Optional[int]


def finding(one: Dict[str, Any]) -> Tuple[Any, ...]:
    return (one["code"], one.get("location"), one.get("index"), one.get("event"), one["kind"], one["place"])


def command_line(arguments: List[str], *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "multitrace", *arguments, *options], capture_output=True, text=True, check=False
    )


def lines_of(arguments: List[str], *options: str) -> List[Dict[str, Any]]:
    """The objects that `multitrace check` prints."""
    done = command_line(["check", *arguments], "--output-format", "json-lines", "--quiet", *options)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def expected(arguments: List[str], *options: str) -> List[Outcome]:
    """The verdicts of the command line."""
    rows = [line for line in lines_of(arguments, *options) if line["type"] == "session"]
    return [outcome_of_line(line) for line in rows]


def outcome_of_line(line: Dict[str, Any]) -> Outcome:
    repair = line.get("repair") or {}
    findings = tuple(map(finding, line.get("faults") or line.get("findings") or ()))
    return Outcome(line["session"], line["verdict"], findings, repair.get("distance"))


def outcomes(sessions: Any) -> List[Outcome]:
    """The verdicts of a report, as far as session lines have them: findings are those of failures."""
    return [
        Outcome(
            row["session"],
            row["verdict"],
            tuple(map(finding, row["findings"] or ())) if row["verdict"] == "fail" else (),
            row.get("distance"),
        )
        for row in (sessions.to_dicts() if hasattr(sessions, "to_dicts") else sessions)
    ]


def only_failures(rows: List[Outcome]) -> List[Outcome]:
    return [row if row.verdict == "fail" else row._replace(findings=()) for row in rows]


@pytest.fixture(scope="session")
def mqtt() -> Any:
    import multitrace

    return multitrace.compile(EXAMPLES / "mqtt/mqtt.hif")
