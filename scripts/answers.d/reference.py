"""The reference: its answers, and those of its second implementation where that is cheap."""

import functools
import importlib.util
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

Action = tuple[str, str, str]
"""A lifeline, "!" or "?", and a message."""
Trace = list[list[Action]]
"""The actions of each location."""

MODES = ("complete", "global-prefix", "prefix", "slice")
"""Each mode accepts what those before it accept."""
BUDGET = 2_000
"""States of one search; a case that needs more is drawn anew. The reference hashes whole terms, so states are dear."""
MOST_NODES = 80
"""Operators and leaves of a term that a search or a walk comes to; unobserved loops let terms grow without end."""
MOST_ENUMERATED = 7
"""The most actions of behaviours that the second implementation enumerates, all of a term without loops."""
MOST_IN_LOOPS = 5
"""The same of a term with loops, which has longer ones."""


class Disagreement(Exception):
    """Two answers that cannot both be right."""


class TooLarge(Exception):
    """A term has grown too large for a cheap answer."""


def load(path: Path):
    """The module of the reference."""
    spec = importlib.util.spec_from_file_location("oracle", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["oracle"] = module
    spec.loader.exec_module(module)
    module.derivatives = bounded(module.derivatives.__wrapped__)
    # It enumerates the same language again for every question.
    module.language = functools.cache(module.language)
    return module


def bounded(derivatives):
    """Derivatives that are refused of large terms."""

    @functools.cache
    def of_small(term):
        if node_count(term) > MOST_NODES:
            raise TooLarge
        return derivatives(term)

    return of_small


@dataclass
class Reference:
    """Asks about one specification after the other."""

    oracle: object
    asked: Counter = field(default_factory=Counter)

    def parse(self, spec: str):
        """The term of a specification. The state of the one before is forgotten."""
        for function in ("nullable", "prune", "derivatives", "language"):
            getattr(self.oracle, function).cache_clear()
        return self.oracle.parse_hif(spec)

    def answers(self, term, locations: list[list[str]], trace: Trace) -> dict[str, bool] | None:
        """The answer in each mode; None if one is unknown."""
        where = [frozenset(group) for group in locations]
        answers: dict[str, bool] = {}
        for mode in MODES:
            answer = self.search(term, where, trace, mode)
            if answer is None:
                self.asked[f"{mode}: unknown"] += 1
                return None
            answers[mode] = answer
        self.compare_modes(answers)
        self.compare_second(term, where, trace, answers)
        return answers

    def search(self, term, where, trace: Trace, mode: str) -> bool | None:
        try:
            return self.oracle.search(term, where, trace, mode, BUDGET)
        except TooLarge:
            return None

    def compare_modes(self, answers: dict[str, bool]) -> None:
        if list(answers.values()) != sorted(answers.values()):
            raise Disagreement(f"a mode rejects what a stricter one accepts: {answers}")

    def compare_second(self, term, where, trace: Trace, answers: dict[str, bool]) -> None:
        """Asks the second implementation where all behaviours that matter are short."""
        events = sum(map(len, trace))
        if has_head_first_loop(term):
            return
        longest = most_actions(term)
        if longest is not None and longest <= MOST_ENUMERATED:
            modes, most = MODES, longest
        elif events <= MOST_IN_LOOPS:
            modes, most = ("complete",), events
        else:
            return
        for mode in modes:
            second = self.oracle.denotational(term, where, trace, mode, most)
            self.asked[f"{mode}: second opinions"] += 1
            if second != answers[mode]:
                raise Disagreement(f"{mode}: {answers[mode]} by search, {second} by denotations")


def operands(term) -> list:
    """The terms right below a term."""
    if term[0] in ("o", "step"):
        return []
    return [term[2]] if term[0] == "loop" else list(term[-2:])


def node_count(term) -> int:
    return 1 + sum(map(node_count, operands(term)))


def has_head_first_loop(term) -> bool:
    """Whether the second implementation cannot read a term."""
    return term[:2] == ("loop", "H") or any(map(has_head_first_loop, operands(term)))


def most_actions(term) -> int | None:
    """The actions of the longest behaviour of a term, or a bound on it; None if it has loops."""
    if term[0] == "loop":
        return None
    if term[0] == "step":
        return len(term[1])
    below = [most_actions(operand) for operand in operands(term)]
    return None if None in below else sum(below)
