"""Random small specifications in the language of .hif, and random locations of their lifelines."""

from dataclasses import dataclass
from random import Random

UNKNOWN_MESSAGE = "x"
"""A message that no specification has."""
MOST_LEAVES = 7
"""More leaves leave too much undecided: the reference explores every interleaving."""
LOOPS = ("loopS", "loopW", "loopP", "loopH")
SCHEDULERS = ("strict", "seq", "par", "alt", "coreg")


@dataclass
class Drawn:
    """A specification, and the lifelines of each location."""

    spec: str
    locations: list[list[str]]
    messages: list[str]


def drawn(dice: Random) -> Drawn:
    """A random specification over up to four lifelines, some of which it may leave out."""
    lifelines = [f"l{number + 1}" for number in range(dice.choice((1, 2, 2, 3, 3, 3, 4, 4)))]
    messages = ["a", "b", "c"][: dice.randint(1, 3)]
    spec = term(dice, lifelines, messages, dice.randint(1, MOST_LEAVES))
    return Drawn(spec, locations(dice, lifelines), messages)


def locations(dice: Random, lifelines: list[str]) -> list[list[str]]:
    """Each lifeline alone in one of three draws; otherwise random groups."""
    if dice.random() < 1 / 3:
        return [[lifeline] for lifeline in lifelines]
    groups: list[list[str]] = [[] for _ in lifelines]
    for lifeline in lifelines:
        dice.choice(groups).append(lifeline)
    return sorted(group for group in groups if group)


def term(dice: Random, lifelines: list[str], messages: list[str], leaves: int) -> str:
    """An operator over smaller terms, or a leaf."""
    if leaves == 1 and dice.random() < 0.75:
        return leaf(dice, lifelines, messages)
    if leaves == 1 or dice.random() < 0.3:
        return f"{dice.choice(LOOPS)}({term(dice, lifelines, messages, leaves)})"
    operands = [term(dice, lifelines, messages, size) for size in sizes(dice, leaves)]
    return f"{scheduler(dice, lifelines)}({', '.join(operands)})"


def sizes(dice: Random, leaves: int) -> list[int]:
    """The leaves of two operands, or of three."""
    count = 3 if leaves > 2 and dice.random() < 0.25 else 2
    cuts = sorted(dice.sample(range(1, leaves), count - 1))
    return [end - start for start, end in zip([0, *cuts], [*cuts, leaves])]


def scheduler(dice: Random, lifelines: list[str]) -> str:
    name = dice.choice(SCHEDULERS)
    if name != "coreg":
        return name
    return f"coreg({', '.join(some(dice, lifelines))})"


def some(dice: Random, lifelines: list[str]) -> list[str]:
    return sorted(dice.sample(lifelines, dice.randint(1, len(lifelines))))


def leaf(dice: Random, lifelines: list[str], messages: list[str]) -> str:
    """An emission, a reception, both, each with one receiver or several, at once or not; rarely nothing."""
    if dice.random() < 0.04:
        return "o"
    at_once = "<synch>" if dice.random() < 0.2 else ""
    passed = f"{at_once}{dice.choice(messages)}"
    origin = f"{dice.choice(lifelines)} -- " if dice.random() < 0.75 else ""
    if origin and dice.random() < 0.4:
        return f"{origin}{passed} ->|"
    receivers = some(dice, lifelines) if dice.random() < 0.35 else [dice.choice(lifelines)]
    target = receivers[0] if len(receivers) == 1 else f"({', '.join(receivers)})"
    return f"{origin}{passed} -> {target}"
