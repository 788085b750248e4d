"""Random multi-traces of a specification: accepted ones, parts of them, and those one edit away.

A multi-trace is a list of local traces, one for each location.
"""

from contextlib import suppress
from random import Random

from reference import Action, TooLarge, Trace
from specs import UNKNOWN_MESSAGE, Drawn

MOST_ACTIONS = 10
"""A walk longer than this is given up."""
STOP = 0.08
"""How likely a walk ends where it may."""
WALKS = 20
"""How many walks are tried; some terms have hardly any short behaviour."""
EMPTY = 0.05
"""How many of the multi-traces without an action are kept; nearly every specification has one, and it asks for little."""


class Traces:
    """Draws multi-traces of one specification."""

    def __init__(self, dice: Random, oracle, term, drawn: Drawn):
        self.dice, self.oracle, self.term, self.drawn = dice, oracle, term, drawn
        self.known: dict = {}
        self.location_of = {
            lifeline: index for index, group in enumerate(drawn.locations) for lifeline in group
        }

    def draw(self) -> tuple[str, Trace] | None:
        """A kind and a multi-trace of it; None if there was none, or an empty one was not kept."""
        drawn = self.try_draw()
        if drawn is None or (not any(drawn[1]) and self.dice.random() > EMPTY):
            return None
        return drawn

    def try_draw(self) -> tuple[str, Trace] | None:
        kinds = {"accepted": 4, "prefix": 3, "slice": 3, "global prefix": 2, "mixed": 2, "edited": 6}
        kind = self.dice.choices(list(kinds), kinds.values())[0]
        if kind == "edited":
            return self.edited()
        trace = self.unedited(kind)
        return None if trace is None else (kind, trace)

    def unedited(self, kind: str) -> Trace | None:
        word = self.walk()
        if word is None:
            return None
        if kind == "global prefix":
            word = word[: self.dice.randint(0, len(word))]
        trace = self.project(word)
        if kind == "prefix":
            return [local[: self.dice.randint(0, len(local))] for local in trace]
        if kind == "slice":
            return [self.slice(local) for local in trace]
        return self.mixed(trace) if kind == "mixed" else trace

    def walk(self):
        """The steps of a random accepted behaviour."""
        for _ in range(WALKS):
            with suppress(TooLarge):
                word = self.try_walk()
                if word is not None:
                    return word
        return None

    def try_walk(self):
        word, term, actions = [], self.term, 0
        while actions <= MOST_ACTIONS:
            residuals = self.residuals(term)
            if self.oracle.nullable(term) and (not residuals or self.dice.random() < STOP):
                return word
            step = self.dice.choice(list(residuals))
            term = self.dice.choice(residuals[step])
            word.append(step)
            actions += len(step)
        return None

    def residuals(self, term) -> dict[tuple[Action, ...], list]:
        """The terms that each first step of a term leaves, in a fixed order."""
        if term not in self.known:
            found: dict[tuple[Action, ...], list] = {}
            for step, residual in sorted(self.oracle.derivatives(term), key=repr):
                found.setdefault(step, []).append(residual)
            self.known[term] = found
        return self.known[term]

    def project(self, word) -> Trace:
        trace: Trace = [[] for _ in self.drawn.locations]
        for step in word:
            for action in step:
                trace[self.location_of[action[0]]].append(action)
        return trace

    def slice(self, local: list[Action]) -> list[Action]:
        start, end = sorted(self.dice.randint(0, len(local)) for _ in range(2))
        return local[start:end]

    def mixed(self, trace: Trace) -> Trace | None:
        """Each local trace is one of two accepted multi-traces."""
        other = self.walk()
        if other is None:
            return None
        return [self.dice.choice(pair) for pair in zip(trace, self.project(other))]

    def edited(self) -> tuple[str, Trace] | None:
        """One edit away from an accepted multi-trace, or from a part of one."""
        of = self.dice.choice(("accepted", "accepted", "prefix", "slice", "global prefix"))
        trace = self.unedited(of)
        if trace is None:
            return None
        edit = self.dice.choice((self.drop, self.swap, self.duplicate, self.replace, self.insert, self.insert_unknown))
        edit(trace)
        return edit.__name__, trace

    def local(self, trace: Trace, least: int) -> list[Action] | None:
        long = [local for local in trace if len(local) >= least]
        return self.dice.choice(long) if long else None

    def drop(self, trace: Trace) -> None:
        if local := self.local(trace, 1):
            del local[self.dice.randrange(len(local))]

    def swap(self, trace: Trace) -> None:
        if local := self.local(trace, 2):
            at = self.dice.randrange(len(local) - 1)
            local[at], local[at + 1] = local[at + 1], local[at]

    def duplicate(self, trace: Trace) -> None:
        if local := self.local(trace, 1):
            at = self.dice.randrange(len(local))
            local.insert(at, local[at])

    def replace(self, trace: Trace) -> None:
        if local := self.local(trace, 1):
            at = self.dice.randrange(len(local))
            local[at] = self.action(self.location_of[local[at][0]], self.drawn.messages)

    def insert(self, trace: Trace) -> None:
        self.insert_one_of(trace, self.drawn.messages)

    def insert_unknown(self, trace: Trace) -> None:
        self.insert_one_of(trace, [UNKNOWN_MESSAGE])

    def insert_one_of(self, trace: Trace, messages: list[str]) -> None:
        location = self.dice.randrange(len(trace))
        local = trace[location]
        local.insert(self.dice.randint(0, len(local)), self.action(location, messages))

    def action(self, location: int, messages: list[str]) -> Action:
        lifeline = self.dice.choice(self.drawn.locations[location])
        return lifeline, self.dice.choice("!?"), self.dice.choice(messages)
