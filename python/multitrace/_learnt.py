"""Specifications learnt from sessions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _multitrace
from ._bundle import Bundle
from ._errors import InputError, InputProblem, MultitraceError, input_problems
from ._inputs import Events, Input, PathLike, events_argument, fields_of, source_of, table_of
from ._options import named_options, one_of, percent, texts, whole
from ._report import Drawing, write_whole

__all__ = ["Evidence", "Learnt", "Outlier", "learn"]

_FORMATS = {
    "markdown": "md", "md": "md", "mermaid": "mmd", "mmd": "mmd", "plantuml": "puml", "puml": "puml", "hif": "hif",
    "timbuk": "timbuk",
}


@dataclass(frozen=True)
class Outlier:
    """Equal sessions that the learnt specification does not accept."""

    count: int
    """How many there are."""
    sessions: List[str]
    """The ids of the first of them."""
    finding: Optional[str]
    """Their finding, as a sentence; of many kinds, the first hundred have one."""
    distance: Optional[int]
    """The fewest events to insert and delete that make them accepted, if that is known."""
    lack: Optional[str]
    """`logs` or `events` if those are missing of them: they are never learnt from."""


@dataclass(frozen=True)
class Evidence:
    """The evidence for a learnt specification."""

    variants: int
    """How many different orders of messages the sessions have."""
    arrows: int
    """How many messages the specification has."""
    held_out: Optional[float]
    """Of the sessions that it accepts, the share that a specification learnt from four fifths of the others accepts, from 0
    to 1, if there are enough."""
    weak_places: int
    """How many alternatives fewer than 5 sessions took."""
    ambiguous: List[Tuple[str, int]]
    """Messages with several possible receivers or senders, and in how many sessions."""
    sample: Optional[int]
    """How many different sessions it was learnt from, if not from all; all are checked."""
    has_too_many_arrows: bool
    """Whether the sample is one of sessions with few arrows, since all together have too many."""
    beyond: int
    """How many sessions are left out although they should pass, since there may be no more alternatives."""
    is_cut: bool
    """Whether there was too much to look at in all ways: a smaller specification may do."""


class Learnt:
    """A specification learnt from sessions: it shows their behaviour, right or wrong."""

    def __init__(self, core: _multitrace.Learnt, logs: str) -> None:
        self._core = core
        self._logs = logs

    def spec(self, format: str = "markdown") -> str:
        """The specification as text, with its evidence: `markdown`, `mermaid`, `plantuml`, `hif` or `timbuk`."""
        one_of("format", format, list(_FORMATS))
        return self._core.spec(_FORMATS[format], self._logs)

    def save(self, path: PathLike) -> None:
        """Writes the specification to a file, in the notation of its extension."""
        extension = os.fspath(path).rpartition(".")[2].lower()
        if extension not in _FORMATS:
            raise MultitraceError(f"{os.fspath(path)}: known are .md, .mmd, .puml, .hif and .timbuk")
        write_whole(path, self.spec(extension).encode())

    def bundle(self) -> Bundle:
        """The specification compiled, with the mapping that its sessions were made with."""
        return Bundle(self._core.bundle())

    @property
    def sessions(self) -> int:
        """How many sessions it was learnt from."""
        return self._core.sessions

    @property
    def skipped(self) -> int:
        """How many there were beside them that are not known as a whole: with gaps, an event that is not an action, or no order."""
        return self._core.skipped

    @property
    def outliers(self) -> List[Outlier]:
        """The sessions that it does not accept, those that are there most often first."""
        return [Outlier(*fields) for fields in self._core.outliers]

    @property
    def evidence(self) -> Evidence:
        """The evidence for it."""
        return Evidence(**self._core.evidence)

    @property
    def notes(self) -> List[str]:
        """Remarks on the inputs: records that no rule matches, files that were left out."""
        return self._core.notes

    @property
    def problems(self) -> List[InputProblem]:
        """The first hundred problems of inputs that could not be read."""
        return input_problems(self._core.problems)

    def draw(self, *, background: bool = False) -> Drawing:
        """The specification as a sequence diagram."""
        return self.bundle().draw(background=background)

    def _repr_svg_(self) -> str:
        return self.draw().svg

    def __str__(self) -> str:
        return self.spec("mermaid")

    def __repr__(self) -> str:
        return f"<Learnt from {self.sessions} session{'' if self.sessions == 1 else 's'}: {self.evidence.arrows} arrows, {len(self.outliers)} kinds of outliers>"


@named_options
def learn(
    data: Input,
    *,
    events: Optional[Events] = None,
    outliers: Union[None, float, str] = 5.0,
    min_support: int = 1,
    max_arrows: Optional[int] = None,
    exclude: Union[str, Sequence[str]] = (),
    memory: Optional[int] = None,
    threads: Optional[int] = None,
    errors: str = "raise",
) -> Learnt:
    """Learns a specification from all sessions of some data; it takes the inputs of `Bundle.check`.

    Each session passes the learnt specification, or is one of its `outliers`. At most `outliers` percent of the sessions are left out
    as rare, beside those of which a part is missing; `None` keeps all. `min_support` also leaves out sessions that have
    something that fewer sessions have. A diagram of more than `max_arrows` arrows becomes several in Markdown and PlantUML,
    which refer to one another. `errors="raise"` raises `InputError` if a part of the input cannot be read,
    `"report"` leaves it to `Learnt.problems`. `memory` is in bytes, for event logs; `threads` is the number of threads, by default
    one for each processor.
    """
    mapping = events_argument(events)
    one_of("errors", errors, ("raise", "report"))
    options: Dict[str, Any] = {
        "outliers": percent("outliers", outliers),
        "min_support": whole("min_support", min_support, 1),
        "most_arrows": whole("max_arrows", max_arrows, 4),
        "memory": whole("memory", memory, 1),
        "threads": whole("threads", threads, 1),
    }
    source = source_of(table_of(data, fields_of(mapping)), mapping, texts("exclude", exclude) or [])
    core = _multitrace.learn(source, options)
    learnt = Learnt(core, _name_of(data))
    problems = learnt.problems
    if errors == "raise" and problems:
        raise InputError(problems, learnt._core.error_count, None)
    core.raise_if_empty()
    return learnt


def _name_of(data: Any) -> str:
    """The name of the data in the specification learnt from it."""
    paths = [data] if isinstance(data, (str, os.PathLike)) else data if isinstance(data, (list, tuple)) else []
    names = [os.fspath(path) for path in paths if isinstance(path, (str, os.PathLike))]
    if not names:
        return "data in memory"
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
