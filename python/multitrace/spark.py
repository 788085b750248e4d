"""Sessions on a cluster of Spark: `pip install multitrace[spark]`.

The events of a session are brought together by Spark, which sorts and spills; each task then checks a stream of
whole sessions in constant memory. Executors need this package and pyarrow, and nothing else.
"""

from __future__ import annotations

import datetime
import math
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from ._bundle import Bundle, merge, stream_of
from ._errors import MultitraceError
from ._inputs import Events, PathLike, events_argument, to_toml
from ._multitrace import mapping_fields
from ._options import SessionOptions, check_options, whole, with_options
from ._report import Report
from ._spark_tasks import (
    FOLDED,
    GATHERED,
    PACKED,
    SCHEMA,
    STATE,
    Batches,
    fold,
    fold_again,
    gather,
    load,
    pack,
    sessions_of,
    verdict_rows,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

__all__ = ["SCHEMA", "check", "check_stream", "report"]

Columns = Union[str, Sequence[str]]


class CheckArguments(SessionOptions, total=False):
    """The arguments of `check` beside the events and the bundle."""

    session: Columns
    order: Columns
    events: Optional[Events]
    partitions: Optional[int]
    errors: str


# Arguments that would count in each part of the data for itself, or are set here.
_REFUSED = {
    "sessions": "every session has a row",
    "partial": "report merges partial reports",
    "by_name": "it is set here",
    "grouped": "it is set here",
    "shard_files": "there are no files; shard= picks sessions",
}
_OF_REPORTS = ("baseline", "max_failures", "max_unmatched", "min_coverage", "min_sessions", "order_groups", "require_location")


@with_options(Bundle.check, only=SessionOptions.__annotations__, threads=1)
def check(
    df: "DataFrame",
    bundle: Bundle,
    *,
    session: Columns = (),
    order: Columns = (),
    events: Optional[Events] = None,
    partitions: Optional[int] = None,
    errors: str = "raise",
    **options: Unpack[SessionOptions],
) -> "DataFrame":
    """Checks a DataFrame with one event a row. Returns one row a session, with the columns of `SCHEMA`.

    `session` names the columns that the mapping makes sessions of, which it says itself; `order` those that order
    the events of a location, where the mapping has no `order`: rows of Spark have none. `events` is the mapping;
    without it, that of the bundle counts. All columns that it does not read are left out before the shuffle.
    `partitions` is the number of parts to check; Spark's own by default.

    `errors="raise"` fails the job where an event cannot be used; with `"rows"` a row with the verdict `error`, no
    session and the text in `problem` says so, and all sessions are checked. Other options are those of
    `Bundle.check` that are about single sessions.
    """
    if errors not in ("raise", "rows"):
        raise MultitraceError(f"errors: {errors!r} is not known; known are raise, rows")
    for name in _OF_REPORTS:
        if name in options:
            raise MultitraceError(f"{name}= is about all sessions; give it to report")
    job = _Job(df, bundle, _names("session", session), _names("order", order), events, partitions, errors, options)
    return job.prepared().mapInArrow(job.verdicts(), SCHEMA)


@with_options(Bundle.check, only=SessionOptions.__annotations__, threads=1)
def check_stream(
    df: "DataFrame",
    bundle: Bundle,
    *,
    time: str,
    idle: Union[str, datetime.timedelta],
    late: Union[str, datetime.timedelta] = "10 minutes",
    session: Columns = (),
    order: Columns = (),
    events: Optional[Events] = None,
    **options: Unpack[SessionOptions],
) -> "DataFrame":
    """Checks a stream of events (Structured Streaming). Returns a stream of one row a session, with the columns of `SCHEMA`.

    `time` is the column of the time of events, a timestamp. A session is over when no event of it came for `idle`
    ("30 minutes", or a timedelta), by the watermark, which is `late` behind the latest event; then it is checked as a whole, as
    `check` does, and its row appears. Spark drops events that are older than the watermark; `numRowsDroppedByWatermark` in the
    progress of the query counts rows of several events of a session each. Events of a session that is over, for twice that time, are a row with the verdict
    `error` and the text in `problem`, as are events that cannot be used. The state of a session is its events. Write the stream with a
    checkpoint, `writeStream.option("checkpointLocation", …)`, in the output mode `append`; a query that is started again goes on
    where it was. Needs pandas. Other arguments are those of `check`.
    """
    job = _Job(df, bundle, _names("session", session), _names("order", order), events, None, "rows", options, is_stream=True)
    _known(time, df.columns)
    kind = df.schema[time].dataType.typeName()
    if not kind.startswith("timestamp"):
        raise MultitraceError(
            f"time: the column {time!r} is of the type {kind}, and has to be a timestamp: df.withColumn({time!r}, "
            f"timestamp_millis({time!r})) makes one of milliseconds, to_timestamp({time!r}) one of texts"
        )
    behind = f"{_milliseconds('late', late, 0)} milliseconds"
    return job.streamed(time, _milliseconds("idle", idle, 1), behind)


@with_options(check, only=CheckArguments.__annotations__, errors="rows")
def report(
    df: "DataFrame",
    bundle: Optional[Bundle] = None,
    *,
    baseline: Optional[PathLike] = None,
    max_failures: Optional[str] = None,
    order_groups: str = "gravest",
    min_coverage: Union[None, float, str] = None,
    max_unmatched: Union[None, int, str] = None,
    min_sessions: int = 0,
    require_location: Union[str, Sequence[str]] = (),
    **arguments: Unpack[CheckArguments],
) -> Report:
    """The report of all sessions: merges the partial reports that rows of verdicts hold, in one query of Spark, which is one job
    (with adaptive execution, Spark counts each stage as a job), and no row is read twice.

    `df` is the result of `check`, or all rows that were stored of it or of the stream of `check_stream`, with at least the
    columns `session`, `verdict`, `part` and `sum`; or, with a bundle, events with the arguments of `check`. Stored rows are not checked
    again; of `check`, a DataFrame that is neither stored nor cached is. Rows of several checks merge if they were checked
    alike. With the bundle, no rows at all are a report, too. Groups are in the order of the names of their sessions where their
    counts are equal, and places are not told. Rows of `errors="rows"` are among the errors of the report.
    """
    if not hasattr(df, "mapInArrow"):
        raise MultitraceError(f"{type(df).__name__} is not a DataFrame of Spark; multitrace.merge takes partial reports")
    are_rows = {"session", "verdict", "part", "sum"} <= set(df.columns)
    if not are_rows and bundle is None:
        raise MultitraceError(
            "report takes rows of check with the columns session, verdict, part and sum, or events with their bundle, "
            f"report(events, bundle, order=…); these have {', '.join(df.columns)}"
        )
    if are_rows and arguments:
        raise MultitraceError(f"{next(iter(arguments))}= was given to check; report takes the rows that it returned")
    if are_rows and df.isStreaming:
        raise MultitraceError("a stream has no end; store the rows of check_stream, and give those to report")
    arguments.setdefault("errors", "rows")
    folded = _folded(df if are_rows or bundle is None else check(df, bundle, **arguments))
    if not folded and bundle is None:
        raise MultitraceError("there are no verdicts; report(rows, bundle) says that nothing was checked")
    if not folded and bundle is not None:
        folded = [(0, bundle.check([], events={}, partial=True).partial(), 0)]
    parts = [part for _, part, _ in folded if part is not None]
    made = None if not parts else merge(
        parts,
        baseline=baseline,
        max_failures=max_failures,
        order_groups=order_groups,
        min_coverage=min_coverage,
        max_unmatched=max_unmatched,
        min_sessions=min_sessions,
        require_location=require_location,
    )
    sessions, of_parts = sum(count for count, _, _ in folded), 0 if made is None else made.summary["sessions"]
    if made is None or sessions != of_parts or sum(total for _, _, total in folded) != 0:
        raise MultitraceError(
            f"these are rows of {sessions} sessions, with parts of {of_parts}: report takes all rows of a check, none left out or "
            "twice (more kinds of findings than a part may have leave it out, too)"
        )
    return made


class _Job:
    """The bundle and the arguments of a check: everything that tasks need."""

    def __init__(
        self,
        df: "DataFrame",
        bundle: Bundle,
        session: List[str],
        order: List[str],
        events: Optional[Events],
        partitions: Optional[int],
        errors: str,
        options: SessionOptions,
        is_stream: bool = False,
    ) -> None:
        if not hasattr(df, "mapInArrow"):
            raise MultitraceError(f"{type(df).__name__} is not a DataFrame of Spark; bundle.check takes tables of other libraries")
        if not isinstance(bundle, Bundle):
            raise MultitraceError(f"{type(bundle).__name__} is not a bundle; multitrace.compile or multitrace.load makes one")
        partitions = whole("partitions", partitions, 1)
        if df.isStreaming != is_stream:
            hint = "a stream has no end: check_stream ends its sessions" if df.isStreaming else "these rows are not a stream: give them to check"
            raise MultitraceError(hint)
        self.options = _options(options)
        mapping = _mapping(bundle, events)
        fields, has_order, ways = mapping_fields(mapping)
        self.session = _session(session, ways, df.columns)
        for column in order:
            _known(column, df.columns)
        if has_order and order:
            raise MultitraceError(f"{mapping[0]}: it has an order already; leave out order=, or take it out of the mapping")
        if not has_order:
            mapping = _with_order(mapping, order)
            fields, _, _ = mapping_fields(mapping)
        _check_columns(bundle, df, mapping, self.options)
        self.df, self.order, self.partitions, self.errors = df, order, partitions, errors
        self.columns = [name for name in df.columns if name in {*self.session, *order, *fields}]
        self.mapping = mapping
        self.bundle = _shared(df, bundle.to_bytes())

    def prepared(self) -> "DataFrame":
        """The events of each session one after another, in one partition."""
        session, order = self._plain(self.session), self._plain(self.order)
        count = [] if self.partitions is None else [self.partitions]
        return self._selected().repartition(*count, *session).sortWithinPartitions(*session, *order)

    def verdicts(self) -> Callable[[Batches], Batches]:
        """The work of a task: its sessions, and rows of records that cannot be used."""
        shared, mapping, columns = self.bundle, self.mapping, self.columns
        options, errors = self.options, self.errors

        def task(batches: Batches) -> Batches:
            tables = (batch.rename_columns(columns) for batch in batches)
            return verdict_rows(load(shared), tables, mapping, options, errors)

        return task

    def streamed(self, time: str, idle: int, late: str) -> "DataFrame":
        """Rows of `SCHEMA` for the sessions of a stream."""
        session, order = self._plain(self.session), self._plain(self.order)
        shared, mapping, columns, options = self.bundle, self.mapping, self.columns, self.options

        def packed(batches: Batches) -> Batches:
            return pack(batches, session)

        def gathered(key: Any, frames: Any, state: Any) -> Iterator[Any]:
            return gather(key, frames, state, idle)

        def task(batches: Batches) -> Batches:
            late_sessions: List[Tuple[Optional[str], int]] = []
            tables = (table.rename_columns(columns) for table in sessions_of(batches, order, late_sessions))
            return verdict_rows(load(shared), tables, mapping, options, "rows", late_sessions)

        events = self._selected(self.df[_quoted(time)].alias("time"))
        timed = events.mapInArrow(packed, PACKED).withWatermark("time", late)
        sessions = timed.groupBy("key").applyInPandasWithState(gathered, GATHERED, STATE, "append", "EventTimeTimeout")
        return sessions.mapInArrow(task, SCHEMA)

    def _plain(self, names: Sequence[str]) -> List[str]:
        return [f"c{self.columns.index(name)}" for name in names]

    def _selected(self, *more: Any) -> "DataFrame":
        """The columns that are read, with plain names, since `mapInArrow` takes no others."""
        named = [self.df[_quoted(name)].alias(f"c{at}") for at, name in enumerate(self.columns)]
        return self.df.select(*named, *more)


def _check_columns(bundle: Bundle, df: "DataFrame", mapping: Tuple[str, str], options: Dict[str, Any]) -> None:
    """Raises if a column is missing that the mapping needs, or has a type that does not fit, while Spark plans: a row of nulls is
    read."""
    import pyarrow

    made: List[Report] = []
    row = pyarrow.RecordBatch.from_pydict({field.name: pyarrow.nulls(1, _arrow_type(field.dataType)) for field in df.schema})
    list(stream_of(bundle, [row], mapping, options, "report", made.append))
    for problem in made[0].problems:
        # The others are about the row.
        if problem.places[0].line is None:
            raise MultitraceError(problem.text)


def _arrow_type(kind: Any) -> Any:
    """A type of Spark as one of Arrow; that of nulls if it has no such form, which the job says if the column is read."""
    import pyarrow
    from pyspark.sql.pandas.types import to_arrow_type

    try:
        return to_arrow_type(kind)
    except Exception:  # Spark has errors of its own.
        return pyarrow.null()


def _folded(rows: "DataFrame") -> List[Tuple[int, Optional[bytes], int]]:
    """How many sessions rows of verdicts have, the parts in them, merged in two stages, as the driver merges few, and their sums."""
    folded = rows.select("session", "verdict", "part", "sum").mapInArrow(fold, FOLDED)
    # The root of the usual number of tasks, so that both stages merge about as many parts.
    usual = rows.sparkSession.conf.get("spark.sql.shuffle.partitions", "200") or ""
    few = math.isqrt(int(usual) if usual.isdecimal() else 200)  # Some platforms say `auto`.
    if few > 1:
        folded = folded.repartition(few).mapInArrow(fold_again, FOLDED)
    rows_left = folded.collect()
    return [(row["sessions"], None if row["part"] is None else bytes(row["part"]), row["rest"]) for row in rows_left]


def _options(given: SessionOptions) -> Dict[str, Any]:
    for name, why in _REFUSED.items():
        if name in given:
            raise MultitraceError(f"{name}= means nothing on Spark: {why}")
    options = check_options(**{"threads": 1, **given, "grouped": True, "by_name": True})
    sample = options["sample"]
    if sample is not None and not sample.endswith("%"):
        raise MultitraceError("sample: a number would be drawn in each part of the data; give a rate, as in \"1%\"")
    return options


def _session(given: List[str], ways: List[List[str]], columns: List[str]) -> List[str]:
    """The columns that sessions are made of: those that the mapping says. With others, the events of a session
    would not come together."""
    if len(ways) != 1 or not ways[0]:
        shown = "; ".join(", ".join(way) or "none" for way in ways)
        raise MultitraceError(
            f"the rules of the mapping make sessions of different columns ({shown}); add a column with the name of the "
            "session, df.withColumn(…), and name it in all rules"
        )
    (fields,) = ways
    for field in fields:
        _known(field, columns)
    if given and sorted(given) != fields:
        raise MultitraceError(
            f"session= is {', '.join(given)}, and the mapping makes sessions of {', '.join(fields)}: the events of a "
            "session would not come together; leave session= out"
        )
    return fields


_UNITS = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1_000),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60_000),
    **dict.fromkeys(("h", "hour", "hours"), 3_600_000),
    **dict.fromkeys(("d", "day", "days"), 86_400_000),
}
_LENGTH = re.compile(r"(\d+)\s*([a-z]+)\s*")


def _milliseconds(name: str, length: Union[str, datetime.timedelta], least: int) -> int:
    """A length of time as in `"90 s"`, `"30 minutes"` and `"1h 30m"`."""
    count = -1
    if isinstance(length, datetime.timedelta):
        count = length // datetime.timedelta(milliseconds=1)
    elif isinstance(length, str) and re.fullmatch(f"({_LENGTH.pattern})+", length.strip()):
        parts = _LENGTH.findall(length)
        count = sum(int(number) * _UNITS[unit] for number, unit in parts) if all(unit in _UNITS for _, unit in parts) else -1
    if count < least:
        raise MultitraceError(
            f"{name}: {length!r} is not a length of time; write \"30 minutes\" or \"90 s\", in days, hours, minutes, seconds or "
            "milliseconds, or give a timedelta"
        )
    return count


def _known(column: str, columns: List[str]) -> None:
    if column not in columns:
        inside = column.split(".")[0] in columns
        hint = f"; it is inside another: df.withColumn({column!r}, …) brings it to the top" if inside else ""
        raise MultitraceError(f"the DataFrame has no column {column!r}, but {', '.join(columns)}{hint}")


def _names(argument: str, columns: Columns) -> List[str]:
    names = [columns] if isinstance(columns, str) else columns
    # A column of Spark cannot be stepped through, although it looks so.
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise MultitraceError(f"{argument}: {columns!r} is not the name of a column; write it as a text, or a list of texts")
    return list(names)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _mapping(bundle: Bundle, events: Optional[Events]) -> Tuple[str, str]:
    given = events_argument(events)
    if given is not None:
        return given
    if bundle.events is None:
        raise MultitraceError(
            "a DataFrame of events needs a mapping: give events=, or compile it into the bundle"
        )
    return ("the mapping of the bundle", bundle.events)


_EVENT_TABLE = re.compile(r'^[ \t]*\[[ \t]*"?event"?[ \t]*\][ \t]*(#.*)?$', re.MULTILINE)
_EVENT_INLINE = re.compile(r'^"?event"? = \{', re.MULTILINE)


def _with_order(mapping: Tuple[str, str], order: List[str]) -> Tuple[str, str]:
    """The mapping with the columns as its order, so that events without a certain order are an error."""
    if not order:
        raise MultitraceError(
            "rows of Spark have no order: name order=, the columns that order the events of a location, "
            "or `order` in the mapping"
        )
    name, text = mapping
    fields = [_field(column) for column in order]
    line = to_toml({"order": fields})
    table = _EVENT_TABLE.search(text)
    if table:
        return (name, text[: table.end()] + "\n" + line + text[table.end() :])
    inline = _EVENT_INLINE.search(text)
    if inline:
        return (name, text[: inline.end()] + line.strip() + ", " + text[inline.end() :])
    raise MultitraceError(f"{name}: it has no [event] to put the order into; write `order` in its rules")


def _field(column: str) -> str:
    """A column as a path of a mapping, in quotes where it has dots."""
    plain = column.replace("_", "").replace("-", "").isalnum() and column.isascii()
    return column if plain else '"' + column.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _shared(df: "DataFrame", data: bytes) -> Any:
    """The bytes of a bundle for all tasks: broadcast where there is a driver, else along with the code."""
    try:
        context = df.sparkSession.sparkContext
    except Exception:  # Spark Connect has none, and says so in its own ways.
        return data
    return context.broadcast(data)
