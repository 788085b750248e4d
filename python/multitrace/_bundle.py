"""Specifications, compiled, and checks against them."""

from __future__ import annotations

import builtins
import functools
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from . import _multitrace
from ._errors import InputError, InputProblem, MultitraceError, ProblemPlace
from ._inputs import Events, Input, PathLike, events_argument, source_of
from ._multitrace import Table
from ._report import Drawing, Explanation, Report, write_whole

__all__ = ["Bundle", "Finding", "OnlineSession", "Verdict", "compile", "load", "merge", "merging"]

_SPECS = (".hif", ".mmd", ".mermaid", ".puml", ".plantuml", ".md", ".markdown", ".timbuk", ".mtb", ".json")


def compile(
    spec: PathLike,
    *,
    locations: Optional[str] = None,
    events: Optional[Events] = None,
    observe: str = "complete",
    format: Optional[str] = None,
    limit_states: Optional[int] = None,
) -> "Bundle":
    """Compiles a specification.

    `spec` is the path of a file (`.hif`, `.mmd`, `.puml`, `.md`, `.timbuk`; `SPEC.md#2` names one of its
    diagrams), or the text of a specification. `format` says what a text is, as in `"mmd"`; without it, the
    text tells. `locations` says which lifelines share a clock, as in `"a,b;c"`; `events` is a mapping of
    event logs, which the bundle keeps; `observe` is what the logs contain: `complete`, `missing`, `prefix`,
    `slice` or `global-prefix`.
    """
    options = {
        "locations": locations,
        "observe": observe,
        "events": events_argument(events),
        "limit_states": limit_states,
    }
    text = os.fspath(spec)
    if format is not None or _is_text(text):
        return Bundle(_multitrace.compile_text(text, "the specification", format, options))
    return Bundle(_multitrace.open_path(Path(text), options))


def _is_text(text: str) -> bool:
    """Whether this is a specification and not the path of one."""
    if "\n" in text:
        return True
    name = text.rsplit("#", 1)[0] if "#" in text else text
    return not (name.lower().endswith(_SPECS) or os.path.exists(text))


def load(path: PathLike) -> "Bundle":
    """Loads a bundle (`.mtb`) that `multitrace compile` or `Bundle.save` wrote."""
    return Bundle(_multitrace.open_path(Path(os.fspath(path)), None))


def merge(
    parts: Iterable[Union[PathLike, builtins.bytes]],
    *,
    baseline: Optional[PathLike] = None,
    max_failures: Optional[str] = None,
    order_groups: str = "count",
    min_coverage: Optional[float] = None,
    allow_missing: bool = False,
) -> Report:
    """The report of a whole run out of its parts: partial reports in files or bytes, in any order.

    The parts are read one after another. `max_failures` is a rate; `allow_missing` reports although shards are
    missing. The report has no table of sessions.
    """
    return Report(merging(parts).report(
        {
            "baseline": None if baseline is None else _read(baseline),
            "max_failures": max_failures,
            "order_groups": order_groups,
            "min_coverage": min_coverage,
            "allow_missing": allow_missing,
        }
    ), _no_explanation)


def merging(parts: Iterable[Union[PathLike, builtins.bytes]]) -> _multitrace.Merging:
    """All parts as one."""
    all_parts = _multitrace.Merging()
    for number, part in enumerate(parts, 1):
        if isinstance(part, (bytes, bytearray)):
            all_parts.add(f"part {number}", bytes(part))
            continue
        name = os.fspath(part)
        try:
            all_parts.add(name, Path(name).read_bytes())
        except OSError as error:
            reason = str(error.strerror or error)
            raise MultitraceError(f"{name}: {reason}", [(name, None, None, reason)]) from None
    return all_parts


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a session."""

    code: str
    """What kind of finding it is: `MT101` and so on (docs/codes.md)."""
    location: Optional[str]
    index: Optional[int]
    """The index of the event in the log of its location, from 0; its length if it ends too early."""
    event: Optional[str]
    expected: List[str]
    """The events that were possible there."""
    title: str
    """What is wrong, in one line."""
    fingerprint: str
    """The key that is the same in every run."""


@dataclass(frozen=True)
class Verdict:
    """The answer for one session."""

    verdict: str
    """`pass`, `weak_pass`, `fail` or `inconclusive`."""
    findings: List[Finding]
    """What is wrong, the main finding first."""

    def __bool__(self) -> bool:
        return self.verdict == "pass"


class OnlineSession:
    """One session, fed event by event while it happens."""

    def __init__(self, core: _multitrace.OnlineSession) -> None:
        self._core = core

    def push(self, location: str, action: str) -> Optional[Finding]:
        """Adds an event, as in `push("shop", "shop?order")`, to the log of a lifeline or location.

        Returns the finding if the event is unknown or impossible where it stands; what only all logs
        together show comes with `finish()`.
        """
        parts = self._core.push(location, action)
        return None if parts is None else Finding(*parts)

    def possible(self, location: str) -> List[str]:
        """The events that are possible next in the log of a lifeline or location."""
        return self._core.possible(location)

    def finish(self) -> Verdict:
        """Ends the session and decides it, all logs together."""
        verdict, findings = self._core.finish()
        return Verdict(verdict, [Finding(*parts) for parts in findings])


class Bundle:
    """A compiled specification: compiled once, checked anywhere. It can be pickled."""

    def __init__(self, core: _multitrace.Bundle) -> None:
        self._core = core

    def __reduce__(self) -> Tuple[Callable[[builtins.bytes], "Bundle"], Tuple[builtins.bytes]]:
        return (Bundle.from_bytes, (self.to_bytes(),))

    @staticmethod
    def from_bytes(data: builtins.bytes) -> "Bundle":
        """The bundle in the bytes of a file `.mtb`."""
        return Bundle(_multitrace.load_bytes(data))

    def to_bytes(self) -> builtins.bytes:
        """The bytes of a file `.mtb`. The same specification and options give the same bytes."""
        return self._core.to_bytes()

    @property
    def bytes(self) -> builtins.bytes:
        """The same as `to_bytes()`."""
        return self.to_bytes()

    def save(self, path: PathLike) -> None:
        """Writes the bundle to a file, whole or not at all."""
        write_whole(path, self.to_bytes())

    @property
    def name(self) -> str:
        """What the specification is called."""
        return self._core.name

    @property
    def observe(self) -> str:
        """What the logs contain, for checks that do not say it."""
        return self._core.observe

    @property
    def locations(self) -> List[str]:
        """The locations, each with a log of its own."""
        return self._core.locations

    @property
    def actions(self) -> List[str]:
        """The actions that logs may have."""
        return self._core.actions

    @property
    def events(self) -> Optional[str]:
        """The mapping of event logs in the bundle, as text."""
        return self._core.events

    @property
    def warnings(self) -> str:
        """What is legal in the specification and most likely not meant; empty for a loaded bundle."""
        return self._core.warnings

    def draw(self, *, background: bool = False) -> Drawing:
        """The specification as a sequence diagram, or as a graph if it is an automaton."""
        return Drawing(self._core.svg(background), self._core.text(100))

    def _repr_svg_(self) -> str:
        return self._core.svg(False)

    def __repr__(self) -> str:
        return f"<Bundle {self.name}: {', '.join(self.locations)}>"

    def check(
        self,
        data: Input,
        *,
        events: Optional[Events] = None,
        sessions: bool = True,
        observe: Optional[str] = None,
        repair: bool = False,
        coverage: bool = False,
        min_coverage: Optional[float] = None,
        fail_on: Sequence[str] = ("fail", "inconclusive"),
        max_failures: Union[None, int, str] = None,
        baseline: Optional[PathLike] = None,
        order_groups: str = "count",
        only_sessions: Optional[Iterable[str]] = None,
        sample: Union[None, int, str] = None,
        seed: int = 0,
        shard: Optional[str] = None,
        shard_files: Optional[str] = None,
        partial: bool = False,
        grouped: bool = False,
        memory: Optional[int] = None,
        threads: Optional[int] = None,
        engine: str = "auto",
        budget_states: Optional[int] = None,
        budget_memory: Optional[int] = None,
        budget_seconds: Optional[float] = None,
        errors: str = "raise",
        progress: Optional[bool] = None,
    ) -> Report:
        """Checks all sessions of some data.

        `data` is one of

        * a path, folder or pattern, or several of them: whatever the command line reads;
        * a list of dicts, `{"session": "s1", "traces": {"shop": ["shop?order"]}}`, or, with `events=`, one
          dict for each event;
        * a table of pyarrow, pandas, polars or DuckDB: with `events=` one event a row; without, the columns
          `session`, `location` and `actions`, where `actions` is a list of texts or one text a row.

        `events` is the mapping of event logs: the path of a TOML file, its text, or the same as a dict. Without
        it, that of the bundle counts.

        `partial=True` keeps what `Report.partial()` needs, a part that `multitrace.merge` takes; `shard="2/8"`
        checks a share of the sessions, `shard_files="2/8"` of the files.

        `sessions=False` leaves the table of sessions out. `errors="raise"` raises `InputError` once the
        rest is checked, if parts of the input could not be; `"report"` leaves them to `Report.problems`.
        `progress` shows a bar if tqdm is there: by default after a second.

        All other arguments mean what the options of `multitrace check` mean that are called alike;
        `memory` and `budget_memory` are in bytes. The lock of the interpreter is free while it checks; Ctrl-C
        ends it.
        """
        if errors not in ("raise", "report"):
            raise MultitraceError(f"errors: {errors!r} is not known; known are raise, report")
        mapping = events_argument(events)
        if isinstance(data, Iterator) and not hasattr(data, "__arrow_c_stream__"):
            # It is read again where a session is explained.
            data = list(data)
        options = check_options(
            observe=observe,
            engine=engine,
            budget_states=budget_states,
            budget_memory=budget_memory,
            budget_seconds=budget_seconds,
            fail_on=list(fail_on),
            max_failures=None if max_failures is None else str(max_failures),
            baseline=None if baseline is None else _read(baseline),
            repair=repair,
            coverage=coverage,
            min_coverage=min_coverage,
            order_groups=order_groups,
            only_sessions=None if only_sessions is None else list(only_sessions),
            sample=None if sample is None else str(sample),
            seed=seed,
            shard=shard,
            shard_files=shard_files,
            partial=partial,
            threads=threads,
            grouped=grouped,
            memory=memory,
            sessions=sessions,
        )
        source = source_of(data, _mapping_of(data, mapping, self))
        with _Bar(progress) as tick:
            core = self._core.check(source, options, tick)

        def explain(session: str, context: Optional[int]) -> List[Explanation]:
            found, problems = self._core.explain(source, session, options, context)
            if not found:
                hint = f"; {len(problems)} problems of the input may hide it" if problems else ""
                raise MultitraceError(f"no session is called {session!r}{hint}")
            return [Explanation(one) for one in found]

        report = Report(core, explain)
        count = core.error_count
        if errors == "raise" and count > 0:
            raise InputError(report.problems, count, report)
        return report

    def session(self, name: str = "session", *, observe: Optional[str] = None) -> OnlineSession:
        """Begins a session that is fed event by event."""
        return OnlineSession(self._core.session(name, check_options(observe=observe)))

    def check_stream(
        self,
        tables: Iterable[Any],
        *,
        events: Optional[Events] = None,
        on_report: Optional[Callable[[Report], None]] = None,
        **options: Any,
    ) -> Iterator[Table]:
        """Checks tables of events that come session by session, in constant memory.

        All events of a session must follow one another, across tables too; a session that goes on later is
        an error. Yields tables of verdicts, with the columns of `Report.sessions`. `on_report` is called
        at the end with the report, which has no table of its own.
        """
        stream = self._core.stream(
            events_argument(events), check_options(**{"threads": 1, **options, "grouped": True})
        )
        for table in tables:
            decided = stream.push(table)
            if len(decided):
                yield decided
        decided, core = stream.finish()
        report = Report(core, _no_explanation)
        if report.problems:
            raise InputError(report.problems, core.error_count, report)
        if len(decided):
            yield decided
        if on_report is not None:
            on_report(report)


def _no_explanation(session: str, context: Optional[int]) -> List[Explanation]:
    raise MultitraceError(
        "the events of a stream or of merged parts cannot be read again; check the session from its file or table"
    )


def _mapping_of(
    data: Input, mapping: Optional[Tuple[str, str]], bundle: Bundle
) -> Optional[Tuple[str, str]]:
    """Sessions need no mapping, also where the bundle has one: an empty text says so."""
    if mapping is not None or bundle.events is None:
        return mapping
    if isinstance(data, (list, tuple)) and data and all(
        isinstance(item, dict) and "session" in item and ("traces" in item or "htf" in item) for item in data
    ):
        return ("", "")
    return None


_USUAL: Dict[str, Any] = {
    "observe": None,
    "engine": "auto",
    "budget_states": None,
    "budget_memory": None,
    "budget_seconds": None,
    "fail_on": ["fail", "inconclusive"],
    "max_failures": None,
    "baseline": None,
    "repair": False,
    "coverage": False,
    "min_coverage": None,
    "order_groups": "count",
    "only_sessions": None,
    "sample": None,
    "seed": 0,
    "threads": None,
    "grouped": False,
    "memory": None,
    "sessions": True,
    "shard": None,
    "shard_files": None,
    "partial": False,
    "by_name": False,
}


def check_options(**given: Any) -> Dict[str, Any]:
    """All options of a check, those that are not given as usual."""
    unknown = [name for name in given if name not in _USUAL]
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no option of a check; known are {', '.join(_USUAL)}")
    return {**_USUAL, **given}


def _read(path: PathLike) -> Tuple[str, str]:
    name = os.fspath(path)
    try:
        return (name, Path(name).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        reason = str(getattr(error, "strerror", None) or error)
        raise MultitraceError(f"{name}: {reason}", [(name, None, None, reason)]) from None


class _Bar:
    """A bar of tqdm, if it is there and wanted; it is made when the check takes longer than a second."""

    def __init__(self, wanted: Optional[bool]) -> None:
        if wanted and _tqdm() is None:
            raise MultitraceError("progress=True needs tqdm: pip install tqdm")
        self._wanted = wanted
        self._begin = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Optional[Callable[[int, int], None]]:
        return None if self._wanted is False else self._tick

    def _tick(self, records: int, sessions: int) -> None:
        if self._bar is None:
            make = _tqdm()
            if make is None or (not self._wanted and time.monotonic() - self._begin < 1.0):
                return
            # Without `disable`, tqdm would write to files and pipes, too.
            disable = False if self._wanted else None
            self._bar = make(desc="multitrace", unit=" sessions", disable=disable, leave=False)
        if records:
            self._bar.set_postfix(records=records, refresh=False)
        self._bar.update(sessions - self._bar.n)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


@functools.lru_cache(maxsize=None)
def _tqdm() -> Any:
    """What makes bars, if tqdm is there."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm
