"""Specifications and sessions that make naive checkers explode, each as a pair of texts."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Logs = dict[str, list[str]]


@dataclass(frozen=True)
class Case:
    name: str
    spec: str
    """The text of the specification."""
    sessions: Callable[[], Iterator[tuple[str, Logs]]]
    """Names and logs; made when they are written, since some are large."""
    modes: tuple[str, ...] = ("complete", "prefix", "slice", "global-prefix")


def passed(messages: list[tuple[str, str, str]]) -> Logs:
    """The logs when these messages, as sender, message and receiver, are passed one after another."""
    logs: Logs = {}
    for sender, message, receiver in messages:
        logs.setdefault(sender, []).append(f"{sender}!{message}")
        logs.setdefault(receiver, []).append(f"{receiver}?{message}")
    return logs


def texts(messages: list[tuple[str, str, str]]) -> list[str]:
    return [f"{sender} -- {message} -> {receiver}" for sender, message, receiver in messages]


def good_and_bad(messages: list[tuple[str, str, str]]) -> Iterator[tuple[str, Logs]]:
    """A session, the same with two events of a log swapped, and the same without its last event."""
    yield "accepted", passed(messages)
    swapped = passed(messages)
    longest = max(swapped, key=lambda name: len(swapped[name]))
    log = swapped[longest]
    middle = len(log) // 2
    if len(log) > 1:
        log[middle - 1], log[middle] = log[middle], log[middle - 1]
        yield "swapped", swapped
    cut = passed(messages)
    cut[longest] = cut[longest][:-1]
    yield "cut", cut


def branches(count: int) -> Case:
    """Parallel branches of two messages each, all over the same two lifelines."""
    pairs = [[("a", f"q{n}", "b"), ("b", f"r{n}", "a")] for n in range(count)]
    spec = "par(" + ", ".join(f"seq({', '.join(texts(pair))})" for pair in pairs) + ")"
    order = [pair[0] for pair in pairs] + [pair[1] for pair in pairs]
    return Case(f"{count} parallel branches", spec, lambda: good_and_bad(order))


def nested_loops(depth: int) -> Case:
    """Loops in loops, of all kinds in turn."""
    spec, messages = "a -- m -> b", []
    for level in range(depth):
        kind = ("loopS", "loopW", "loopP")[level % 3]
        message = ("a", f"n{level}", "b") if level % 2 else ("b", f"n{level}", "a")
        spec = f"{kind}(seq({spec}, {texts([message])[0]}))"
        messages.append(message)
    messages = [("a", "m", "b"), *messages]
    return Case(f"{depth} nested loops", spec, lambda: good_and_bad(messages * 2))


def many_locations(count: int) -> Case:
    """A message goes from one location to the next."""
    messages = [(f"l{n}", f"m{n}", f"l{n + 1}") for n in range(count - 1)]
    spec = "strict(" + ", ".join(texts(messages)) + ")"
    return Case(f"{count} locations", spec, lambda: good_and_bad(messages))


def alternatives(count: int) -> Case:
    messages = [("a", f"m{n}", "b") for n in range(count)]
    spec = "alt(" + ", ".join(texts(messages)) + ")"
    return Case(f"alt of {count} messages", spec, lambda: good_and_bad(messages[:1]))


def repeated_alternatives(kind: str, count: int) -> Case:
    """A loop of messages, each of which may come any number of times."""
    messages = [(f"l{n % 8}", f"m{n}", f"l{(n + 1) % 8}") for n in range(count)]
    spec = f"{kind}(alt({', '.join(texts(messages))}))"
    return Case(f"{kind} of {count} alternatives", spec, lambda: good_and_bad(messages[:200:5]))


def chained(count: int) -> Case:
    messages = [(f"l{n}", f"m{n}", f"l{n + 1}") for n in range(count)]
    spec = "par(" + ", ".join(texts(messages)) + ")"
    return Case(f"par of {count} chained messages", spec, lambda: good_and_bad(messages))


def satisfiability(variables: int) -> Case:
    """3-SAT as of paper 003 sec. 4.5: satisfiable if the receptions are a prefix. With 4.26 clauses a variable, where
    formulas are hardest."""
    draw = random.Random(variables)
    clauses = []
    for _ in range(int(4.26 * variables)):
        chosen = draw.sample(range(variables), 3)
        clauses.append([(variable, draw.random() < 0.5) for variable in chosen])

    def side(variable: int, value: bool) -> str:
        receptions = [f"m -> c{n}" for n, clause in enumerate(clauses) if (variable, value) in clause]
        return "seq(" + ", ".join(receptions) + ")" if len(receptions) > 1 else (receptions or ["o"])[0]

    parts = [f"alt({side(variable, True)}, {side(variable, False)})" for variable in range(variables)]
    logs = {f"c{n}": [f"c{n}?m"] for n in range(len(clauses))}
    return Case(f"3-SAT of {variables} variables", f"seq({', '.join(parts)})", lambda: iter([("formula", logs)]))


def long_traces(events: int) -> Case:
    """A loop taken very often."""
    messages = [("a", "q", "b"), ("b", "r", "a")]

    def sessions() -> Iterator[tuple[str, Logs]]:
        rounds = events // 4
        logs = passed(messages)
        yield "accepted", {name: log * rounds for name, log in logs.items()}
        yield "one too many", {"a": logs["a"] * rounds, "b": logs["b"] * (rounds + 1)}

    spec = f"loopS(strict({', '.join(texts(messages))}))"
    return Case(f"traces of {events} events", spec, sessions, ("complete", "prefix"))


def unknown_places(count: int) -> Case:
    """A session that names places which the specification does not know."""
    logs = {f"x{n}": [f"x{n}!m"] for n in range(count)}
    return Case(f"{count} unknown locations in a session", "a -- m -> b", lambda: iter([("places", logs)]), ("complete",))


def written(case: Case) -> Iterator[str]:
    for name, logs in case.sessions():
        yield json.dumps({"session": name, "traces": logs}, separators=(",", ":")) + "\n"


def cases(small: bool) -> list[Case]:
    if small:
        return [
            branches(40), nested_loops(30), many_locations(200), alternatives(2_000), chained(160),
            satisfiability(50), long_traces(100_000), unknown_places(10_000), repeated_alternatives("loopP", 1_000),
            repeated_alternatives("loopW", 1_000),
        ]
    return [
        branches(40), branches(200), nested_loops(30), nested_loops(99), many_locations(1_000), alternatives(60_000),
        chained(640), satisfiability(50), satisfiability(100), long_traces(10_000_000), alternatives(100_000),
        unknown_places(1_000_000), many_locations(20_000), repeated_alternatives("loopP", 10_000),
        repeated_alternatives("loopW", 60_000),
    ]
