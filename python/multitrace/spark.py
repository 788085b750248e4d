"""Sessions on a cluster of Spark: `pip install multitrace[spark]`.

The events of a session are brought together by Spark, which sorts and spills; each task then checks a stream of
whole sessions in constant memory. Executors need this package and pyarrow, and nothing else.
"""

from __future__ import annotations

import datetime
import math
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from ._bundle import Bundle, check_options, merge, merging, stream_of
from ._errors import InputError, MultitraceError
from ._inputs import Events, PathLike, events_argument, to_toml
from ._report import Report
from ._spark_tasks import (
    GATHERED,
    PACKED,
    SCHEMA,
    STATE,
    Batches,
    gather,
    load,
    pack,
    problem_rows,
    sessions_of,
    texts_of,
    verdict_rows,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SCHEMA", "check", "check_stream", "report"]

Columns = Union[str, Sequence[str]]

# Arguments that would count in each part of the data for itself, or are set here.
_REFUSED = {
    "sessions": "every session has a row",
    "partial": "report merges partial reports",
    "by_name": "it is set here",
    "grouped": "it is set here",
    "shard_files": "there are no files; shard= picks sessions",
}
_OF_REPORTS = ("baseline", "max_failures", "max_unmatched", "min_coverage", "min_sessions", "order_groups", "require_location")


def check(
    df: "DataFrame",
    bundle: Bundle,
    *,
    session: Columns = (),
    order: Columns = (),
    events: Optional[Events] = None,
    partitions: Optional[int] = None,
    errors: str = "raise",
    **options: Any,
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
    job = _Job(df, bundle, _names(session), _names(order), events, partitions, errors, options)
    verdicts = job.prepared().mapInArrow(job.verdicts(), SCHEMA)
    # The attribute that `report` needs; whatever is derived from the DataFrame does not have it.
    verdicts._multitrace_job = job
    return verdicts


def check_stream(
    df: "DataFrame",
    bundle: Bundle,
    *,
    time: str,
    idle: Union[str, datetime.timedelta],
    late: str = "10 minutes",
    session: Columns = (),
    order: Columns = (),
    events: Optional[Events] = None,
    **options: Any,
) -> "DataFrame":
    """Checks a stream of events (Structured Streaming). Returns a stream of one row a session, with the columns of `SCHEMA`.

    `time` is the column of the time of events, a timestamp. A session is over when no event of it came for `idle`
    ("30 minutes", or a timedelta), by the watermark, which is `late` behind the latest event; then it is checked as a whole, as
    `check` does, and its row appears. Spark drops events that are older than the watermark, and counts them in the progress of
    the query (`numRowsDroppedByWatermark`); events of a session that is over, for twice that time, are a row with the verdict
    `error` and the text in `problem`, as is what cannot be used. The state of a session is its events. Write the stream with a
    checkpoint, `writeStream.option("checkpointLocation", …)`, in the output mode `append`; a query that is started again goes on
    where it was. Needs pandas. Other arguments are those of `check`.
    """
    job = _Job(df, bundle, _names(session), _names(order), events, None, "rows", options, is_stream=True)
    _known(time, df.columns)
    return job.streamed(time, _milliseconds(idle), late)


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
    **arguments: Any,
) -> Report:
    """The report of all sessions: merges the partial reports of all parts on the driver.

    `df` is what `check` returned, or, with a bundle, events with the arguments of `check`. The events are
    checked in a job of its own, so cache them if the verdicts are asked for, too. Groups are in the order of
    the names of their sessions where their counts are equal, and places are not told. What cannot be used is
    among the errors of the report.
    """
    if bundle is not None:
        checked: Any = check(df, bundle, **arguments)
    elif arguments:
        raise MultitraceError(f"{next(iter(arguments))}= was given to check; report takes what it returned as it is")
    else:
        checked = df
    job: Optional[_Job] = getattr(checked, "_multitrace_job", None)
    if job is None:
        raise MultitraceError(
            "report takes what check returned, not what was derived or stored of it, or events with their bundle: "
            "report(events, bundle, order=…)"
        )
    # The part of nothing, since an empty DataFrame has no parts.
    parts = [job.empty_part(), *(bytes(row[0]) for row in job.merged_parts().collect())]
    return merge(
        parts,
        baseline=baseline,
        max_failures=max_failures,
        order_groups=order_groups,
        min_coverage=min_coverage,
        max_unmatched=max_unmatched,
        min_sessions=min_sessions,
        require_location=require_location,
    )


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
        options: Dict[str, Any],
        is_stream: bool = False,
    ) -> None:
        if not hasattr(df, "mapInArrow"):
            raise MultitraceError(f"{type(df).__name__} is no DataFrame of Spark; bundle.check takes tables of other libraries")
        if df.isStreaming != is_stream:
            hint = "a stream has no end: check_stream ends its sessions" if df.isStreaming else "these rows are no stream: give them to check"
            raise MultitraceError(hint)
        self.options = _options(options)
        mapping = _mapping(bundle, events)
        fields, has_order, ways = bundle._core.mapping_fields(mapping)
        self.session = _session(session, ways, df.columns)
        for column in order:
            _known(column, df.columns)
        if has_order and order:
            raise MultitraceError(f"{mapping[0]}: it has an order already; leave out order=, or take it out of the mapping")
        if not has_order:
            mapping = _with_order(mapping, order)
            fields, _, _ = bundle._core.mapping_fields(mapping)
        self.df, self.order, self.partitions, self.errors = df, order, partitions, errors
        self.columns = [name for name in df.columns if name in {*self.session, *order, *fields}]
        self.mapping = mapping
        self.local = bundle
        self.bundle = _shared(df, bundle.to_bytes())

    def prepared(self) -> "DataFrame":
        """The events of each session one after another, in one partition."""
        session, order = self._plain(self.session), self._plain(self.order)
        count = [] if self.partitions is None else [self.partitions]
        return self._selected().repartition(*count, *session).sortWithinPartitions(*session, *order)

    def empty_part(self) -> bytes:
        """The partial report of no sessions."""
        made: List[Report] = []
        options = {**self.options, "sessions": False, "partial": True, "by_name": True}
        list(stream_of(self.local, [], self.mapping, options, "report", made.append))
        return made[0].partial()

    def parts(self) -> Callable[[Batches], Batches]:
        """The work of a task for a report: one row, the partial report of its sessions."""
        shared, mapping, columns = self.bundle, self.mapping, self.columns
        options = {**self.options, "sessions": False, "partial": True, "by_name": True}

        def task(batches: Batches) -> Batches:
            import pyarrow

            made: List[Report] = []
            tables = (batch.rename_columns(columns) for batch in batches)
            for _ in stream_of(load(shared), tables, mapping, options, "report", made.append):
                pass
            yield pyarrow.record_batch({"part": pyarrow.array([made[0].partial()], pyarrow.binary())})

        return task

    def merged_parts(self) -> "DataFrame":
        """The partial reports of all parts, merged into about as many as each of them has parts: the driver merges few."""
        parts = self.prepared().mapInArrow(self.parts(), "part binary")
        count = self.partitions or int(self.df.sparkSession.conf.get("spark.sql.shuffle.partitions", "200") or 200)
        few = math.isqrt(count)
        return parts.repartition(few).mapInArrow(_merge_parts, "part binary") if few > 2 else parts

    def verdicts(self) -> Callable[[Batches], Batches]:
        """The work of a task: its sessions, and rows of records that cannot be used."""
        shared, mapping, columns = self.bundle, self.mapping, self.columns
        options, errors = self.options, self.errors

        def task(batches: Batches) -> Batches:
            made: List[Report] = []
            tables = (batch.rename_columns(columns) for batch in batches)
            yield from verdict_rows(load(shared), tables, mapping, options, made)
            problems = made[0].problems
            if problems and errors == "raise":
                raise InputError(problems, made[0].summary["errors"], made[0])
            if problems:
                yield problem_rows(texts_of(problems))

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
            made: List[Report] = []
            behind: List[Tuple[str, int]] = []
            tables = (table.rename_columns(columns) for table in sessions_of(batches, order, behind))
            yield from verdict_rows(load(shared), tables, mapping, options, made)
            problems = texts_of(made[0].problems)
            problems += [f"session {name}: {count} events came after it was over; they are not judged" for name, count in behind]
            if problems:
                yield problem_rows(problems)

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


def _merge_parts(batches: Batches) -> Batches:
    """The work of a task on partial reports: one row, all of them as one."""
    import pyarrow

    parts = [part.as_py() for batch in batches for part in batch.column(0)]
    if parts:
        yield pyarrow.record_batch({"part": pyarrow.array([merging(parts).part()], pyarrow.binary())})


def _options(given: Dict[str, Any]) -> Dict[str, Any]:
    for name, why in _REFUSED.items():
        if name in given:
            raise MultitraceError(f"{name}= means nothing on Spark: {why}")
    options = check_options(**{"threads": 1, **given, "grouped": True})
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


_UNITS = {"millisecond": 1, "second": 1_000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000}


def _milliseconds(idle: Union[str, datetime.timedelta]) -> int:
    if isinstance(idle, datetime.timedelta):
        count = idle // datetime.timedelta(milliseconds=1)
    else:
        number, _, unit = str(idle).strip().partition(" ")
        factor = _UNITS.get(unit.strip().removesuffix("s"), 0)
        count = int(number) * factor if number.isdigit() else 0
    if count < 1:
        raise MultitraceError(f"idle: {idle!r} is no time; write \"30 minutes\", or a timedelta")
    return count


def _known(column: str, columns: List[str]) -> None:
    if column not in columns:
        inside = column.split(".")[0] in columns
        hint = f"; it is inside another: df.withColumn({column!r}, …) brings it to the top" if inside else ""
        raise MultitraceError(f"the DataFrame has no column {column!r}, but {', '.join(columns)}{hint}")


def _names(columns: Columns) -> List[str]:
    return [columns] if isinstance(columns, str) else list(columns)


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
