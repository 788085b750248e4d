"""Changes of behaviour between old and new sessions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _multitrace
from ._errors import InputError, InputProblem, MultitraceError, input_problems
from ._inputs import Events, Input, events_argument, fields_of, source_of, table_of
from ._options import one_of, percent, texts, whole
from ._report import Drawing

__all__ = ["Change", "Comparison", "compare"]


@dataclass(frozen=True)
class Change:
    """A behaviour that the sessions of one side show more often."""

    change: str
    """`new`, `gone`, `more` or `less`."""
    title: str
    """The behaviour, in words."""
    shown: List[str]
    """All that the same sessions show, in words."""
    old: int
    """How many old sessions show it."""
    new: int
    """How many new sessions show it."""
    p: float
    """How likely such a difference, or a larger one, is by chance."""
    old_sessions: List[str]
    """The ids of some old sessions that show it."""
    new_sessions: List[str]
    """The ids of some new sessions that show it."""

    def __str__(self) -> str:
        return f"{self.change}: {self.title} ({self.old} before, {self.new} now)"


class Comparison:
    """The changes from old sessions to new ones."""

    def __init__(self, core: _multitrace.Comparison) -> None:
        self._core = core

    @property
    def has_new_or_gone(self) -> bool:
        """Whether a behaviour is new or gone beyond chance: for gates."""
        return self._core.has_new_or_gone

    @property
    def changes(self) -> List[Change]:
        """Changes beyond chance: new, gone, more and less, the least likely first."""
        return [Change(**fields) for fields in self._core.changes]

    @property
    def uncertain(self) -> List[Change]:
        """Behaviours of only one side, in too few sessions to tell them from chance."""
        return [Change(**fields) for fields in self._core.uncertain]

    @property
    def sessions(self) -> Tuple[int, int]:
        """How many old and new sessions there are."""
        old, new = self._core.sessions
        return old, new

    @property
    def skipped(self) -> Tuple[int, int]:
        """How many there were beside them that are not known as a whole: with gaps, an event that is not an action, or no order."""
        old, new = self._core.skipped
        return old, new

    @property
    def tested(self) -> int:
        """How many behaviours could have changed beyond chance."""
        return self._core.tested

    @property
    def notes(self) -> List[str]:
        """Remarks on the inputs: records that no rule matches, files that were left out."""
        return self._core.notes

    @property
    def problems(self) -> List[InputProblem]:
        """The first hundred problems of inputs that could not be read."""
        return input_problems(self._core.problems)

    def draw(self, *, background: bool = False) -> Drawing:
        """The diagrams that are learnt from both sides beside each other, with the changes marked."""
        return Drawing(self._core.svg(background), str(self))

    def __str__(self) -> str:
        unchanged = "nothing changed beyond chance" if self.tested else "too few sessions to tell a change from chance"
        lines = [str(change) for change in self.changes] or [unchanged]
        if count := len(self.uncertain):
            behaviours = "1 behaviour is" if count == 1 else f"{count} behaviours are"
            lines.append(f"{behaviours} on one side alone, in too few sessions to tell that from chance: see `uncertain`")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Comparison of {self.sessions[0]} and {self.sessions[1]} sessions: {len(self.changes)} changes>"


def compare(
    old: Input,
    new: Input,
    *,
    events: Optional[Events] = None,
    chance: Union[float, str] = 0.01,
    exclude: Union[str, Sequence[str]] = (),
    memory: Optional[int] = None,
    threads: Optional[int] = None,
    errors: str = "raise",
) -> Comparison:
    """Compares old sessions with new ones: which behaviour is new, gone, more or less frequent.

    Each side takes the inputs of `Bundle.check`. If nothing changed, anything is reported in `chance` percent of all comparisons at
    most. `errors="raise"` raises `InputError` if a part of the input cannot be read, `"report"` leaves it to
    `Comparison.problems`. `memory` is in bytes, for event logs; `threads` is the number of threads, by default one for each processor.
    """
    mapping = events_argument(events)
    one_of("errors", errors, ("raise", "report"))
    options: Dict[str, Any] = {
        "chance": percent("chance", 0.01 if chance is None else chance),
        "memory": whole("memory", memory, 1),
        "threads": whole("threads", threads, 1),
    }
    left_out = texts("exclude", exclude) or []
    if _is_of_duckdb(old) and _is_of_duckdb(new):
        old = _read(table_of(old, fields_of(mapping)))
    before, now = (source_of(table_of(data, fields_of(mapping)), mapping, left_out) for data in (old, new))
    comparison = Comparison(_multitrace.compare(before, now, options))
    problems = comparison.problems
    if errors == "raise" and problems:
        raise InputError(problems, comparison._core.error_count, None)
    for name, count in zip(("old", "new"), comparison.sessions):
        if count == 0:
            raise MultitraceError(f"{name}: there is no session to compare")
    return comparison


def _is_of_duckdb(data: Any) -> bool:
    return type(data).__name__ in ("DuckDBPyRelation", "DuckDBPyConnection")


def _read(data: Any) -> Any:
    """All rows of a query of DuckDB: a connection has only one of them open."""
    try:
        import pyarrow

        return pyarrow.table(data)
    except Exception as error:  # DuckDB has errors of its own.
        raise MultitraceError(f"old: the query cannot be read before the other one: {error}; read it to a table yourself") from error
