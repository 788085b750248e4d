"""Sessions on a cluster of Spark: `pip install multitrace[spark]`.

The events of a session are brought together by Spark, which sorts and spills; each task then checks a stream of
whole sessions in constant memory. Executors need this package and pyarrow, and nothing else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from ._bundle import Bundle, merge
from ._errors import MultitraceError
from ._inputs import Events, PathLike, events_argument
from ._report import Report

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

__all__ = ["SCHEMA", "check", "report"]

SCHEMA = (
    "session string, verdict string, "
    "findings array<struct<code: string, location: string, index: bigint, event: string, "
    "expected: array<string>, fingerprint: string>>, "
    "distance bigint, fingerprint string"
)
"""The columns of verdicts: those of `Report.sessions` but `place`, since rows of Spark have no numbers."""

Columns = Union[str, Sequence[str]]
Batches = Iterator["pyarrow.RecordBatch"]


def check(
    df: "DataFrame",
    bundle: Bundle,
    *,
    session: Columns,
    order: Columns = (),
    events: Optional[Events] = None,
    partitions: Optional[int] = None,
    **options: Any,
) -> "DataFrame":
    """Checks a DataFrame with one event a row. Returns one row a session, with the columns of `SCHEMA`.

    `session` names the columns that are equal in all events of a session and differ between sessions, as the
    mapping says; `order` those that order the events of a location, where the mapping has no `order` of its
    own: rows of Spark have none. `events` is the mapping; without it, that of the bundle counts. All other
    columns are left out before the shuffle. `partitions` is the number of parts to check; Spark's own by
    default. Other options are those of `Bundle.check`.
    """
    job = _Job(df, bundle, _names(session), _names(order), events, partitions, options)
    verdicts = job.prepared().mapInArrow(job.verdicts(), SCHEMA)
    # What `report` needs; whatever is derived from the DataFrame does not have it.
    verdicts._multitrace_job = job
    return verdicts


def report(
    df: "DataFrame",
    bundle: Optional[Bundle] = None,
    *,
    baseline: Optional[PathLike] = None,
    max_failures: Optional[str] = None,
    order_groups: str = "count",
    min_coverage: Optional[float] = None,
    session: Columns = (),
    order: Columns = (),
    events: Optional[Events] = None,
    partitions: Optional[int] = None,
    **options: Any,
) -> Report:
    """The report of all sessions: merges the partial reports of all parts on the driver.

    `df` is what `check` returned, or, with a bundle, events with the arguments of `check`. The events are
    checked in a job of its own, so cache them if the verdicts are asked for, too. Groups are in the order of
    the names of their sessions where their counts are equal.
    """
    job: Optional[_Job] = getattr(df, "_multitrace_job", None)
    if bundle is not None:
        job = _Job(df, bundle, _names(session), _names(order), events, partitions, options)
    if job is None:
        raise MultitraceError(
            "report takes what check returned, unchanged, or events with their bundle: report(events, bundle, session=…)"
        )
    parts = job.prepared().mapInArrow(job.parts(), "part binary").toLocalIterator()
    return merge(
        (bytes(row[0]) for row in parts),
        baseline=baseline,
        max_failures=max_failures,
        order_groups=order_groups,
        min_coverage=min_coverage,
    )


class _Job:
    """What is checked, and how: everything that tasks need."""

    def __init__(
        self,
        df: "DataFrame",
        bundle: Bundle,
        session: List[str],
        order: List[str],
        events: Optional[Events],
        partitions: Optional[int],
        options: Dict[str, Any],
    ) -> None:
        if not session:
            raise MultitraceError("session= names the columns that are equal in all events of a session")

        mapping = _mapping(bundle, events)
        fields, has_order = bundle._core.mapping_fields(mapping)
        for column in [*session, *order]:
            if column not in df.columns:
                raise MultitraceError(f"the DataFrame has no column {column!r}, but {', '.join(df.columns)}")
        if not has_order:
            mapping = _with_order(mapping, order)
            fields, _ = bundle._core.mapping_fields(mapping)
        self.df, self.session, self.order, self.partitions = df, session, order, partitions
        self.columns = [name for name in df.columns if name in {*session, *order, *fields}]
        self.mapping = mapping
        self.options = options
        self.bundle = _shared(df, bundle.to_bytes())

    def prepared(self) -> "DataFrame":
        """The events of each session one after another, in one partition."""
        selected = self.df.select(*map(_quoted, self.columns))
        session = [selected[_quoted(name)] for name in self.session]
        order = [selected[_quoted(name)] for name in self.order]
        count = [] if self.partitions is None else [self.partitions]
        return selected.repartition(*count, *session).sortWithinPartitions(*session, *order)

    def parts(self) -> Callable[[Batches], Batches]:
        """What a task does for a report: one row, the partial report of its sessions."""
        shared, mapping = self.bundle, self.mapping
        options = {**self.options, "sessions": False, "partial": True, "by_name": True}

        def task(batches: Batches) -> Batches:
            import pyarrow

            made: List[Report] = []
            stream = _load(shared).check_stream(batches, events=mapping[1], on_report=made.append, **options)
            for _ in stream:
                pass
            yield pyarrow.record_batch({"part": pyarrow.array([made[0].partial()], pyarrow.binary())})

        return task

    def verdicts(self) -> Callable[[Batches], Batches]:
        """What a task does: its sessions."""
        shared, mapping, options = self.bundle, self.mapping, self.options

        def task(batches: Batches) -> Batches:
            import pyarrow

            bundle = _load(shared)
            for table in bundle.check_stream(batches, events=mapping[1], **options):
                yield from pyarrow.table(table).drop_columns(["place"]).to_batches()

        return task


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
    from ._inputs import to_toml

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


_loaded: List[Tuple[bytes, Bundle]] = []


def _load(shared: Any) -> Bundle:
    """The bundle, loaded once in each process of Python, which serves many tasks."""
    data = shared if isinstance(shared, bytes) else shared.value
    for known, bundle in _loaded:
        if known == data:
            return bundle
    bundle = Bundle.from_bytes(data)
    _loaded[:] = [(data, bundle)]
    return bundle
