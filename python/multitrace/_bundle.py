"""Specifications, compiled, and checks against them."""

from __future__ import annotations

import atexit
import builtins
import functools
import os
import re
import time
import uuid
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, Union

from . import _multitrace
from ._errors import InputError, MultitraceError, fs_name, input_problems, unicode
from ._inputs import ArrowTable, Events, Input, Lazy, PathLike, events_argument, fields_of, is_table, local_file, local_paths, plain, source_of, table_of
from ._options import StreamOptions, check_options, count_or_rate, demands, named_options, one_of, percent, read, texts, whole, with_options
from ._report import Drawing, Explanation, Report, Sessions, write_whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Bundle", "Finding", "OnlineSession", "Verdict", "compile", "explain_mapping", "load", "local", "merge", "merging"]

_BYTES = (bytes, bytearray, memoryview)
"""Types of bytes: databases and messages give some of each."""
_FORMATS = ("hif", "mmd", "mermaid", "puml", "plantuml", "md", "markdown", "timbuk")
_SPECS = (*(f".{name}" for name in _FORMATS), ".mtb", ".json")


@named_options
def compile(
    spec: PathLike,
    *,
    locations: Optional[str] = None,
    events: Optional[Events] = None,
    observe: str = "complete",
    format: Optional[str] = None,
    limit_states: Optional[int] = None,
    limit_memory: Optional[int] = None,
    signature: Optional[str] = None,
    diagrams: Optional[str] = None,
    unjudged: Optional[str] = None,
    unlogged: Optional[str] = None,
) -> "Bundle":
    """Compiles a specification.

    `spec` is the path of a file (`.hif`, `.mmd`, `.puml`, `.md`, `.timbuk`; `SPEC.md#2` names one of its
    diagrams), or the text of a specification. `format` is the notation of a text, as in `"mmd"`; without it, the
    text tells. `locations` says which lifelines share a clock, as in `"a,b;c"`; `events` is a mapping of
    event logs, which the bundle keeps; `observe` says which parts of logs are there: `complete`, `missing`, `prefix`,
    `slice` or `global-prefix`. `signature` is the text of a signature, or the path of a file `.hsf`, which
    declares the messages and lifelines of a `.hif`. `diagrams` says how diagrams are read that do not say so
    themselves, as in `"self=send-receive,boxes=locations"`; `unjudged` where messages are not judged that the
    specification does not mention, `"all"` or `"a,b"`; `unlogged` which events need not be in the log,
    as in `"a, b!m, c?*"`. `limit_states` and `limit_memory` (bytes) say how large the
    global automaton and all that compiling keeps may get.
    """
    options = {
        "signature": None if signature is None else _signature(signature),
        "locations": locations,
        "observe": observe,
        "events": events_argument(events),
        "limit_states": whole("limit_states", limit_states, 1),
        "limit_memory": whole("limit_memory", limit_memory, 1),
        "diagrams": diagrams,
        "unjudged": unjudged,
        "unlogged": unlogged,
    }
    if isinstance(spec, Bundle):
        raise MultitraceError("a bundle is compiled already; use it as it is, in bundle.check(data)")
    if not isinstance(spec, (str, os.PathLike)):
        raise MultitraceError(f"{type(spec).__name__} is not a specification; it is a path, or a text")
    for name, example in (("locations", "a,b;c"), ("observe", "prefix"), ("diagrams", "boxes=locations"), ("unjudged", "all"), ("unlogged", "a, b!m")):
        if options[name] is not None and not isinstance(options[name], str):
            raise MultitraceError(f"{name}: {options[name]!r} is not a text such as \"{example}\"")
    if format is not None and format not in _FORMATS:
        raise MultitraceError(f"format: {format!r} is not known; known are {', '.join(_FORMATS)}")
    for name in ("locations", "observe", "diagrams", "unjudged", "unlogged"):
        unicode(name, str(options[name]))
    text = os.fspath(spec)
    if format is None and text.lower().endswith(".mtb"):
        raise MultitraceError(f"{text}: a bundle is compiled already; load it with multitrace.load")
    if format is not None or (isinstance(spec, str) and _is_text(text)):
        return Bundle(_compile_text(unicode("the specification", text), format, options))
    if isinstance(spec, str) and not text.rsplit("#", 1)[0].strip():
        raise MultitraceError("the specification is an empty text; give a path, or the text of a specification")
    if isinstance(spec, str) and not _is_path(text):
        raise MultitraceError(
            f"{text}: no such file; a text that does not show its notation needs format=, as in format=\"hif\""
        )
    return Bundle(_multitrace.open_path(Path(local_file(text)), options))


def _compile_text(text: str, format: Optional[str], options: Dict[str, Any]) -> _multitrace.Bundle:
    try:
        return _multitrace.compile_text(text, "the specification", format, options)
    except MultitraceError as error:
        # A text has no file, and so no extension.
        words = re.sub(r"give the file the extension \.(\w+), or \.md if", r'give format="\1", or "md" if', str(error))
        if format is None and not re.search("^ *(sequenceDiagram|@startuml)", text, re.MULTILINE) and re.search(r"->+ *\S+ *:", text):
            words += "\nlines such as `a->>b: m` are Mermaid below a line `sequenceDiagram`, and PlantUML below a line `@startuml`"
        raise MultitraceError(words, error.places) from None


def _is_path(text: str) -> bool:
    """Whether a file is called so, or could be by its ending."""
    name = text.rsplit("#", 1)[0] if "#" in text else text
    return name.lower().endswith(_SPECS) or os.path.exists(name) or os.path.exists(text)


def _is_text(text: str) -> bool:
    """Whether this is a specification and not the path of one."""
    if "\n" in text:
        return True
    name = text.rsplit("#", 1)[0] if "#" in text else text
    if name.lower().endswith(_SPECS) or os.path.exists(text):
        return False
    return "--" in text or "(" in text or "->" in text


def explain_mapping(data: Input, events: Events, *, records: int = 3) -> str:
    """What a mapping makes of some data, as text: the events of the first `records` by each rule, and of those that no rule matches or
    whose rule cannot be applied, with the reason; then how many there are. It takes the inputs of `Bundle.check`."""
    return _multitrace.explain_mapping(_events_of(data, events_argument(events)), whole("records", records, 1) or 1)


def _events_of(data: Input, mapping: Optional[Tuple[str, str]]) -> _multitrace.Source:
    """Events with their mapping, which has to be there."""
    if mapping is None or not mapping[1]:
        raise MultitraceError("there is no mapping: give events=; multitrace.propose_mapping(data) proposes one")
    return source_of(table_of(data, fields_of(mapping)), mapping)


def load(path: PathLike) -> "Bundle":
    """Loads a bundle (`.mtb`) that `multitrace compile` or `Bundle.save` wrote."""
    _path_of("a bundle", path, "; Bundle.from_bytes takes the bytes of a file" if isinstance(path, _BYTES) else "")
    return Bundle(_multitrace.open_path(Path(local_file(path)), None))


def merge(
    parts: Union[PathLike, builtins.bytes, Iterable[Union[PathLike, builtins.bytes]]],
    *,
    baseline: Optional[PathLike] = None,
    max_failures: Optional[str] = None,
    order_groups: str = "gravest",
    min_coverage: Union[None, float, str] = None,
    allow_missing: bool = False,
    max_unmatched: Union[None, int, str] = None,
    min_sessions: int = 0,
    require_location: Union[str, Sequence[str]] = (),
) -> Report:
    """The report of a whole run out of its parts: partial reports in files, folders, patterns or bytes, in any order.

    The parts are read one after another. `max_failures` is a rate; `allow_missing` reports although shards are
    missing. The report has no table of sessions; its `partial()` is all parts as one.
    """
    options: Dict[str, Any] = {
        "baseline": None if baseline is None else read(baseline),
        "max_failures": count_or_rate("max_failures", max_failures),
        "order_groups": order_groups,
        "min_coverage": percent("min_coverage", min_coverage),
        "allow_missing": allow_missing,
        "demands": demands(max_unmatched, min_sessions, require_location),
    }
    if options["max_failures"] is not None and not options["max_failures"].endswith("%"):
        raise MultitraceError("max_failures: a number stops a run, and these are over; give a rate, as in \"0.5%\"")
    return Report(merging(parts).report(options), _no_explanation)


def merging(parts: Union[PathLike, builtins.bytes, Iterable[Union[PathLike, builtins.bytes]]]) -> _multitrace.Merging:
    """All parts as one."""
    if isinstance(parts, (str, os.PathLike, *_BYTES, Report)):
        parts = [parts]  # type: ignore[list-item]
    all_parts = _multitrace.Merging()
    for number, part in enumerate(parts, 1):
        part = part.as_py() if hasattr(part, "as_py") else part
        if isinstance(part, _BYTES):
            all_parts.add(f"part {number}", bytes(part))
            continue
        if isinstance(part, Report):
            raise MultitraceError(f"part {number}: a report is not a part; give report.partial()")
        _path_of(f"part {number}", part)
        for path in _multitrace.list_files(local_paths(part)[0]):
            all_parts.add(str(path), _bytes_of(path))
    return all_parts


def local(
    bundle: Union[PathLike, builtins.bytes],
    data: Input,
    *,
    events: Optional[Events] = None,
    answer: Union[None, PathLike, builtins.bytes] = None,
    exclude: Union[str, Sequence[str]] = (),
    memory: Optional[int] = None,
    threads: Optional[int] = None,
) -> builtins.bytes:
    """Judges the logs of one location where they are, and returns its part for `Bundle.combine`.

    `bundle` is one of those that `Bundle.split` or `multitrace compile --split` has made; `data` is what `Bundle.check`
    takes, of which events of other locations are left out. A part has the names of the sessions, findings as numbers
    and hashes of logs. With `answer`, a request, the events that it names are returned, as numbers; nothing else of a log
    ever leaves its location. A log that cannot be read whole is an `InputError`.
    """
    bundle, request = _content("the bundle", bundle), None if answer is None else _content("answer", answer)
    mapping = events_argument(events)
    source = source_of(table_of(data, fields_of(mapping)), mapping, texts("exclude", exclude) or [])
    limits = (whole("memory", memory, 1), whole("threads", threads, 1))
    written, count, problems = _multitrace.local(bundle, source, request, *limits)
    if written is None:
        raise InputError(input_problems(problems), count, None, None)
    return written


_Files = Union[PathLike, builtins.bytes, Iterable[Union[PathLike, builtins.bytes]]]


def _files_of(files: _Files) -> List[Tuple[str, builtins.bytes]]:
    """The names and bytes of files, of those in folders, and of values."""
    if isinstance(files, (str, os.PathLike, *_BYTES)):
        files = [files]  # type: ignore[list-item]
    found: List[Tuple[str, builtins.bytes]] = []
    for number, file in enumerate(files, 1):
        if isinstance(file, _BYTES):
            found.append((f"file {number}", bytes(file)))
            continue
        _path_of(f"file {number}", file)
        found.extend((str(path), _bytes_of(path)) for path in _multitrace.list_files(local_paths(file)[0]))
    return found


def _content(name: str, file: Any) -> builtins.bytes:
    if isinstance(file, _BYTES):
        return bytes(file)
    _path_of(name, file, "; give that of one location, of Bundle.split()" if isinstance(file, Bundle) else "")
    return _bytes_of(Path(local_file(file)))


def _path_of(name: str, path: Any, hint: str = "") -> None:
    if not isinstance(path, (str, os.PathLike)):
        raise MultitraceError(f"{name}: {type(path).__name__} is not a path{hint}")
    fs_name(path)


def _signature(signature: Any) -> Tuple[str, str]:
    """The name of a signature in messages, and its text, which may be in a file."""
    if isinstance(signature, os.PathLike) or (isinstance(signature, str) and signature.lower().endswith(".hsf")):
        return read(signature)
    if not isinstance(signature, str):
        raise MultitraceError(f"signature: {type(signature).__name__} is neither a text nor a path")
    return ("the signature", unicode("signature", signature))


def _bytes_of(path: Path) -> builtins.bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error)
        raise MultitraceError(f"{path}: {reason}", [(str(path), None, None, reason)]) from None


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a session."""

    code: str
    """The kind of finding: `MT113` and so on (docs/codes.md)."""
    location: Optional[str]
    index: Optional[int]
    """The index of the event in the log of its location, from 0; its length if it ends too early."""
    event: Optional[str]
    expected: List[str]
    """The events that were possible there."""
    title: str
    """The finding in one line."""
    kind: str
    """The key of its code, location and events, the same in every run."""
    place: str
    """The key of that and of the last event before it that is right."""


@dataclass(frozen=True)
class Verdict:
    """The answer for one session."""

    verdict: str
    """`pass`, `weak_pass`, `fail` or `inconclusive`."""
    findings: List[Finding]
    """The findings, the main one first: of a session that fails, its faults."""

    def __bool__(self) -> bool:
        return self.verdict == "pass"


class OnlineSession:
    """One session, fed event by event while it happens."""

    def __init__(self, core: _multitrace.OnlineSession, known: Sequence[str] = ()) -> None:
        self._core = core
        self._known = known

    def __repr__(self) -> str:
        return f"<OnlineSession of {', '.join(self._known)}>"

    def push(self, location: str, action: str) -> Optional[Finding]:
        """Adds an event, as in `push("shop", "shop?order")`, to the log of a lifeline or location.

        Returns the finding if the event is unknown or impossible where it stands, or if no continuation of all logs can
        be accepted from this event on, which is told once. An event costs as much as a check of the session so far.
        """
        parts = self._core.push(unicode("location", location), unicode("action", action))
        return None if parts is None else Finding(*parts)

    def possible(self, location: str) -> List[str]:
        """The events that are possible next in the log of a lifeline or location."""
        unicode("location", location)
        if self._known and location not in self._known:
            raise MultitraceError(f"there is no lifeline or location {location!r}, but {', '.join(self._known)}")
        return self._core.possible(location)

    def finish(self) -> Verdict:
        """Ends the session and decides it, all logs together."""
        verdict, findings = self._core.finish()
        return Verdict(verdict, [Finding(*parts) for parts in findings])


class Bundle:
    """A compiled specification: compiled once, checked anywhere. It can be pickled."""

    def __init__(self, core: _multitrace.Bundle) -> None:
        if not isinstance(core, _multitrace.Bundle):
            raise TypeError(f"{type(core).__name__} is not a compiled specification; multitrace.compile and multitrace.load make bundles")
        self._core = core

    def __reduce__(self) -> Tuple[Callable[[builtins.bytes], "Bundle"], Tuple[builtins.bytes]]:
        return (Bundle.from_bytes, (self.to_bytes(),))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bundle) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    @staticmethod
    def from_bytes(data: builtins.bytes) -> "Bundle":
        """The bundle in the bytes of a file `.mtb`."""
        return Bundle(_multitrace.load_bytes(bytes(data) if isinstance(data, _BYTES) else data))

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
        """The name of the specification."""
        return self._core.name

    @property
    def observe(self) -> str:
        """The part of an execution that the logs contain, for checks that do not say it."""
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
        """Parts of the specification that are legal and most likely not meant; empty for a loaded bundle."""
        return self._core.warnings

    def draw(self, *, background: bool = False) -> Drawing:
        """The specification as a sequence diagram, or as a graph if it is an automaton."""
        return Drawing(self._core.svg(background), self._core.text(100))

    def _repr_svg_(self) -> str:
        return self._core.svg(False)

    def __repr__(self) -> str:
        return f"<Bundle {self.name}: {', '.join(self.locations)}>"

    @named_options
    def check(
        self,
        data: Input,
        *,
        events: Optional[Events] = None,
        sessions: bool = True,
        observe: Optional[str] = None,
        repair: bool = False,
        coverage: bool = False,
        min_coverage: Union[None, float, str] = None,
        fail_on: Union[str, Sequence[str]] = ("fail", "inconclusive"),
        max_failures: Union[None, int, str] = None,
        max_unmatched: Union[None, int, str] = None,
        min_sessions: int = 0,
        require_location: Union[str, Sequence[str]] = (),
        exclude: Union[str, Sequence[str]] = (),
        baseline: Optional[PathLike] = None,
        order_groups: str = "gravest",
        only_sessions: Optional[Iterable[str]] = None,
        sample: Union[None, int, str] = None,
        seed: int = 0,
        shard: Union[None, str, Tuple[int, int]] = None,
        shard_files: Union[None, str, Tuple[int, int]] = None,
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
        it, that of the bundle counts; `events={}` reads sessions, whatever the bundle has.

        `partial=True` keeps the data for `Report.partial()`, a part that `multitrace.merge` takes; `shard="2/8"`
        checks a share of the sessions, `shard_files="2/8"` of the files.

        `sessions=False` leaves the table of sessions out. `errors="raise"` raises `InputError` once the
        rest is checked, if parts of the input could not be; `"report"` leaves them to `Report.problems`.
        `progress` shows a bar if tqdm is there: by default after a second.

        All other arguments mean the same as the options of `multitrace check` that are called alike;
        `memory` and `budget_memory` are in bytes, `min_coverage` in percent. The lock of the interpreter is free while it checks; Ctrl-C
        ends it.
        """
        mapping = events_argument(events)
        is_query = type(data).__name__ == "DuckDBPyConnection"
        data = table_of(data, self._fields(mapping))
        is_read_once = isinstance(data, Iterator) and is_table(data)
        if isinstance(data, Iterable) and not (is_table(data) or isinstance(data, (str, os.PathLike, *_BYTES))):
            # It is read again where a session is explained.
            data = [data] if isinstance(data, Mapping) else data if isinstance(data, tuple) else list(data)
        one_of("errors", errors, ("raise", "report"))
        options = check_options(
            observe=observe,
            engine=engine,
            budget_states=budget_states,
            budget_memory=budget_memory,
            budget_seconds=budget_seconds,
            fail_on=fail_on,
            max_failures=max_failures,
            max_unmatched=max_unmatched,
            min_sessions=min_sessions,
            require_location=require_location,
            baseline=baseline,
            repair=repair,
            coverage=coverage,
            min_coverage=min_coverage,
            order_groups=order_groups,
            only_sessions=only_sessions,
            sample=sample,
            seed=seed,
            shard=shard,
            shard_files=shard_files,
            partial=partial,
            threads=threads,
            grouped=grouped,
            memory=memory,
            sessions=sessions,
        )
        if shard_files is not None and not _are_paths(data):
            raise MultitraceError("shard_files= picks files, and this is not a path; shard= picks sessions")
        source = source_of(data, _mapping_of(data, mapping, self), texts("exclude", exclude) or [])
        with _Bar(progress) as tick:
            core = self._core.check(source, options, tick)

        def explain(session: Union[str, int, uuid.UUID], context: Optional[int]) -> List[Explanation]:
            context = whole("context", context, 0)
            session = _name_of(session)
            if is_query:
                raise MultitraceError("con.execute(query) gives its rows once; check con.sql(query), or duckdb.sql(query), which can be read again")
            if is_read_once:
                raise MultitraceError("a reader cannot be read again; check a table, or explain the session from its file")
            found, problems = self._core.explain(source, session, options, context)
            if not found:
                close = core.closest_session(session)
                if close == session:
                    raise MultitraceError(
                        f"the input does not have {session!r} any more; readers and some scanners give their rows once: check a table, or "
                        "explain the session from its file"
                    )
                like = "" if close is None else f"; did you mean {close!r}?"
                hint = f"; {problems} problems of the input may hide it" if problems else ""
                raise MultitraceError(f"no session is called {session!r}{like}{hint}")
            return [Explanation(one) for one in found]

        report = Report(core, explain, _hints(data, mapping, core, is_read_once))
        count = core.error_count
        if errors == "raise" and count > 0:
            raise InputError(report.problems, count, report)
        return report

    def check_mapping(
        self, data: Input, events: Optional[Events] = None, *, format: str = "human", memory: Optional[int] = None
    ) -> str:
        """How the events that a mapping makes of some data compare with those of the specification, as text, or with `format="json"` as
        JSON: the events that one of them has alone, with likely names, and the records without events. Without `events`, the mapping of
        the bundle counts."""
        one_of("format", format, ("human", "json"))
        source = _events_of(data, events_argument(events) or self._mapping())
        return self._core.check_mapping(source, whole("memory", memory, 1), format == "json")

    def split(self) -> Dict[str, builtins.bytes]:
        """The bundle of each location, by the name of its file without `.mtb`, which is that of the location where
        files can be called so. It judges the logs of the location (`local`), and names the events of no other.
        """
        return dict(self._core.split())

    def requests(self, files: _Files, *, verdicts_only: bool = False) -> Dict[str, builtins.bytes]:
        """The requests to locations, by the names of `split`, for the events that `combine` needs: `local` answers them."""
        return dict(self._core.requests(_files_of(files), verdicts_only))

    def combine(
        self,
        files: _Files,
        *,
        verdicts_only: bool = False,
        sessions: bool = True,
        repair: bool = False,
        fail_on: Union[str, Sequence[str]] = ("fail", "inconclusive"),
        max_failures: Union[None, int, str] = None,
        min_sessions: int = 0,
        require_location: Union[str, Sequence[str]] = (),
        baseline: Optional[PathLike] = None,
        order_groups: str = "gravest",
        threads: Optional[int] = None,
        progress: Optional[bool] = None,
    ) -> Report:
        """The report that `check` gives on the logs of all locations, out of the files that `local` has made of each: parts, and the
        answers to `requests`, in files, folders, patterns or bytes.

        Sessions are in the order of the parts, each where it occurs first. `verdicts_only` needs no events of sessions
        that fail at one location, or whose logs follow different branches, and reports them without faults. The other
        arguments are those of `check`.
        """
        options = check_options(
            fail_on=fail_on,
            max_failures=max_failures,
            min_sessions=min_sessions,
            require_location=require_location,
            baseline=baseline,
            repair=repair,
            order_groups=order_groups,
            threads=threads,
            sessions=sessions,
        )
        with _Bar(progress) as tick:
            core = self._core.combine(_files_of(files), verdicts_only, options, tick)
        return Report(core, _no_explanation)

    def _fields(self, mapping: Optional[Tuple[str, str]]) -> Optional[List[str]]:
        """The fields that the mapping of events asks for; `None` without a mapping, or if it is wrong, which the check says."""
        return fields_of(mapping or self._mapping())

    def _mapping(self) -> Optional[Tuple[str, str]]:
        return None if self.events is None else ("the mapping of the bundle", self.events)

    def session(self, name: str = "session", *, observe: Optional[str] = None) -> OnlineSession:
        """Begins a session that is fed event by event."""
        lifelines = {re.split("[!?]", action, maxsplit=1)[0] for action in self.actions}
        return OnlineSession(self._core.session(unicode("name", name), check_options(observe=observe)), sorted(lifelines | set(self.locations)))

    @named_options
    @with_options(check, only=StreamOptions.__annotations__, threads=1)
    def check_stream(
        self,
        tables: Union[ArrowTable, Lazy, Iterable[Any]],
        *,
        events: Optional[Events] = None,
        errors: str = "raise",
        on_report: Optional[Callable[[Report], None]] = None,
        **options: Unpack[StreamOptions],
    ) -> Iterator[Sessions]:
        """Checks tables of events that come session by session, in constant memory.

        All events of a session must follow one another, across tables too; a session that goes on later is
        an error. Yields tables of verdicts, with the columns of `Report.sessions`, some thousand sessions each.
        `on_report` is called at the end with the report, which has no table of its own. `errors` is that of
        `check`: with `"raise"`, `InputError` comes when all is checked. Other options are those of `check`.
        """
        one_of("errors", errors, ("raise", "report"))
        given = check_options(**{"threads": 1, **options, "grouped": True})
        if given["shard_files"] is not None:
            raise MultitraceError("shard_files= picks files, and these are tables; shard= picks sessions")
        if isinstance(tables, (str, os.PathLike)):
            raise MultitraceError(f"{os.fspath(tables)}: a path is not a stream of tables; give it to check()")
        mapping = events_argument(events)
        table = table_of(tables, self._fields(mapping))
        if is_table(table):
            table = _batches(table) if isinstance(table, Iterator) else [table]
        elif not isinstance(table, Iterable):
            raise MultitraceError(f"{type(tables).__name__} is neither a table nor several that follow one another")
        return stream_of(self, table, mapping, given, errors, on_report)


def _batches(reader: Iterator[Any]) -> Iterator[Any]:
    """The batches of a reader; what it raises is told as an error of the table."""
    try:
        yield from reader
    except Exception as error:
        raise MultitraceError(f"the table cannot be read on: {type(error).__name__}: {error}") from error


def stream_of(
    bundle: Bundle,
    tables: Iterable[Any],
    mapping: Optional[Tuple[str, str]],
    options: Dict[str, Any],
    errors: str,
    on_report: Optional[Callable[[Report], None]],
) -> Iterator[Sessions]:
    """The batches that `check_stream` yields; the arguments are checked."""
    stream = bundle._core.stream(mapping, options)
    fields = bundle._fields(mapping)
    _streams.add(stream)
    try:
        for table in tables:
            table = table_of(table, fields)
            if not is_table(table):
                raise MultitraceError(
                    f"{type(table).__name__} is not a table that speaks the Arrow PyCapsule protocol; "
                    "paths and dicts are checked with check()"
                )
            decided = stream.push(table)
            if decided is None:
                break
            if len(decided):
                yield Sessions(decided)
        decided, core = stream.finish()
    finally:
        stream.cancel()
        _streams.discard(stream)
    report = Report(core, _no_explanation)
    if len(decided):
        yield Sessions(decided)
    if on_report is not None:
        on_report(report)
    if errors == "raise" and core.error_count:
        raise InputError(report.problems, core.error_count, report)


# Those that are neither finished nor cancelled would end with the process, while they hold tables of Python.
_streams: Set[_multitrace.Stream] = set()


@atexit.register
def _cancel_streams() -> None:
    for stream in list(_streams):
        stream.cancel()


def _no_explanation(session: Union[str, int, uuid.UUID], context: Optional[int]) -> List[Explanation]:
    raise MultitraceError(
        "the events of a stream or of merged parts cannot be read again; check the session from its file or table"
    )


def _mapping_of(
    data: Input, mapping: Optional[Tuple[str, str]], bundle: Bundle
) -> Optional[Tuple[str, str]]:
    """Sessions need no mapping, also where the bundle has one: an empty text says so."""
    if mapping is not None or bundle.events is None:
        return mapping
    return ("", "") if _are_sessions(data) else None


def _name_of(session: Any) -> str:
    """The name of a session; integers and UUIDs stand for their texts, as in columns."""
    value = plain(session)
    if isinstance(value, (int, uuid.UUID)) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise MultitraceError(f"session: {value!r} is not a text; names of sessions are the texts of their values, as in {str(value)!r}")
    return unicode("session", value)


def _are_sessions(data: Any) -> bool:
    """Whether these are sessions as dicts."""
    return isinstance(data, (list, tuple)) and bool(data) and all(
        isinstance(item, Mapping) and "session" in item and ("traces" in item or "htf" in item) for item in data
    )


def _hints(data: Any, mapping: Optional[Tuple[str, str]], core: _multitrace.Report, is_read_once: bool) -> List[str]:
    """A hint if nothing was checked: sessions are not events, and a reader may be at its end."""
    if is_read_once and core.outcome == "nothing_checked":
        return ["a reader gives its rows once; this one was empty, or was read before"]
    if mapping is None or not mapping[1] or core.outcome not in ("nothing_checked", "error") or not _are_sessions(data):
        return []
    return ["these are sessions and not events; leave events= out, or give events={} if the bundle has a mapping"]


def _are_paths(data: Any) -> bool:
    items = data if isinstance(data, (list, tuple)) else [data]
    return all(isinstance(item, (str, os.PathLike)) for item in items)


class _Bar:
    """A bar of tqdm, if it is there and wanted; it is made when the check takes longer than a second."""

    def __init__(self, wanted: Optional[bool]) -> None:
        wanted = plain(wanted)
        if wanted is not None and not isinstance(wanted, bool):
            raise MultitraceError(f"progress: {wanted!r} is neither True nor False")
        if wanted and _tqdm() is None:
            raise MultitraceError("progress=True needs tqdm: pip install tqdm")
        self._wanted = wanted
        self._begin = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Optional[Callable[[int, int], None]]:
        return None if self._wanted is False else self._tick

    def _tick(self, records: int, sessions: int) -> None:
        if self._bar is None:
            is_soon = not self._wanted and time.monotonic() - self._begin < 1.0
            make = None if is_soon else _tqdm()
            if make is None:
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
    """The maker of bars, if tqdm is there."""
    try:
        with warnings.catch_warnings():
            # In notebooks without widgets it warns and writes text.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm
