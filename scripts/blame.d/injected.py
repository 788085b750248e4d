"""Sessions of a specification, and faults that are put into them."""

import json
import subprocess
from pathlib import Path
from random import Random

Logs = dict[str, list[str]]
KINDS = ("drop", "insert", "swap", "unknown", "stop")


def run(tool: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, check=False)


def accepted(tool: str, spec: Path, count: int, seed: int, most: int) -> list[Logs]:
    """Different accepted sessions."""
    done = run(tool, "generate", spec, "--kind", "accepted", "-n", count, "--seed", seed, "--max-events", most)
    lines = (json.loads(line) for line in done.stdout.splitlines())
    return [line["traces"] for line in lines if "traces" in line]


def written(path: Path, sessions: dict[str, Logs]) -> Path:
    path.write_text("".join(json.dumps({"session": name, "traces": logs}) + "\n" for name, logs in sessions.items()))
    return path


def faulty(logs: Logs, events: dict[str, list[str]], dice: Random) -> tuple[Logs, tuple[str, int]] | None:
    """A session with one fault, and its place; `None` if the logs have no room for it."""
    logs = {name: list(log) for name, log in logs.items()}
    kind, name = dice.choice(KINDS), dice.choice(sorted(logs))
    log = logs[name]
    if kind == "insert" and events[name]:
        at = dice.randrange(len(log) + 1)
        log.insert(at, dice.choice(events[name]))
    elif kind == "unknown":
        at = dice.randrange(len(log) + 1)
        log.insert(at, f"{name}!unheard{dice.randrange(3)}")
    elif kind == "drop" and log:
        at = dice.randrange(len(log))
        del log[at]
    elif kind == "stop" and log:
        at = dice.randrange(len(log))
        del log[at:]
    elif kind == "swap" and any(a != b for a, b in zip(log, log[1:])):
        at = dice.choice([at for at in range(len(log) - 1) if log[at] != log[at + 1]])
        log[at], log[at + 1] = log[at + 1], log[at]
    else:
        return None
    return logs, (name, at)


def known_events(sessions: list[Logs]) -> dict[str, list[str]]:
    """The events of each location, as far as some sessions have them."""
    events: dict[str, set[str]] = {}
    for logs in sessions:
        for name, log in logs.items():
            events.setdefault(name, set()).update(log)
    return {name: sorted(known) for name, known in events.items()}


def faults(tool: str, spec: Path, sessions: Path) -> dict[str, dict]:
    """The lines of a check, by session."""
    done = run(tool, "check", spec, sessions, "--repair", "--output-format", "json-lines")
    lines = (json.loads(line) for line in done.stdout.splitlines())
    return {line["session"]: line for line in lines if line["type"] == "session"}
