"""Sessions on a cluster of Spark: `pip install multitrace[spark]`.

The events of a session are brought together by Spark, which sorts and spills; each task then checks a stream of
whole sessions in constant memory. Executors need this package and pyarrow, and nothing else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from ._bundle import Bundle, check_options, merge, stream_of
from ._errors import InputError, MultitraceError
from ._inputs import Events, PathLike, events_argument, to_toml
from ._report import Report

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

__all__ = ["SCHEMA", "check", "report"]

SCHEMA = (
    "session string, verdict string, "
    "findings array<struct<code: string, location: string, index: bigint, event: string, "
    "expected: array<string>, kind: string, place: string, other: string, after: string, consequences: bigint>>, "
    "distance bigint, fingerprint string, problem string"
)
"""The columns of verdicts: those of `Report.sessions` but `place`, since rows of Spark have no numbers, and `problem`,
which rows of `errors="rows"` have."""

Columns = Union[str, Sequence[str]]
Batches = Iterator["pyarrow.RecordBatch"]

# What would count in each part of the data for itself, or is set here.
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
    # What `report` needs; whatever is derived from the DataFrame does not have it.
    verdicts._multitrace_job = job
    return verdicts


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
    parts = job.prepared().mapInArrow(job.parts(), "part binary").toLocalIterator()
    return merge(
        # The part of nothing, since an empty DataFrame has no parts.
        (bytes(part) for part in _first(job.empty_part(), (row[0] for row in parts))),
        baseline=baseline,
        max_failures=max_failures,
        order_groups=order_groups,
        min_coverage=min_coverage,
        max_unmatched=max_unmatched,
        min_sessions=min_sessions,
        require_location=require_location,
    )


def _first(one: bytes, others: Iterable[bytes]) -> Iterator[bytes]:
    yield one
    yield from others


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
        errors: str,
        options: Dict[str, Any],
    ) -> None:
        if not hasattr(df, "mapInArrow"):
            raise MultitraceError(f"{type(df).__name__} is no DataFrame of Spark; bundle.check takes tables of other libraries")
        if df.isStreaming:
            raise MultitraceError("a stream has no end, and so have its sessions; check the rows of a time, df.where(…)")
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
        """The events of each session one after another, in one partition. Columns have plain names, since
        `mapInArrow` takes no others."""
        plain = [f"c{at}" for at in range(len(self.columns))]
        named = [self.df[_quoted(name)].alias(short) for name, short in zip(self.columns, plain)]
        selected = self.df.select(*named)
        session = [plain[self.columns.index(name)] for name in self.session]
        order = [plain[self.columns.index(name)] for name in self.order]
        count = [] if self.partitions is None else [self.partitions]
        return selected.repartition(*count, *session).sortWithinPartitions(*session, *order)

    def empty_part(self) -> bytes:
        """The partial report of no sessions."""
        made: List[Report] = []
        options = {**self.options, "sessions": False, "partial": True, "by_name": True}
        list(stream_of(self.local, [], self.mapping, options, "report", made.append))
        return made[0].partial()

    def parts(self) -> Callable[[Batches], Batches]:
        """What a task does for a report: one row, the partial report of its sessions."""
        shared, mapping, columns = self.bundle, self.mapping, self.columns
        options = {**self.options, "sessions": False, "partial": True, "by_name": True}

        def task(batches: Batches) -> Batches:
            import pyarrow

            made: List[Report] = []
            tables = (batch.rename_columns(columns) for batch in batches)
            for _ in stream_of(_load(shared), tables, mapping, options, "report", made.append):
                pass
            yield pyarrow.record_batch({"part": pyarrow.array([made[0].partial()], pyarrow.binary())})

        return task

    def verdicts(self) -> Callable[[Batches], Batches]:
        """What a task does: its sessions, and rows of what cannot be used."""
        shared, mapping, columns = self.bundle, self.mapping, self.columns
        options, errors = self.options, self.errors

        def task(batches: Batches) -> Batches:
            import pyarrow

            made: List[Report] = []
            tables = (batch.rename_columns(columns) for batch in batches)
            schema = _rows_schema()
            for table in stream_of(_load(shared), tables, mapping, options, "report", made.append):
                verdicts = pyarrow.table(table).drop_columns(["place"])
                empty = pyarrow.nulls(verdicts.num_rows, pyarrow.string())
                yield from verdicts.append_column("problem", empty).cast(schema).to_batches()
            problems = made[0].problems
            if problems and errors == "raise":
                raise InputError(problems, made[0].summary["errors"], made[0])
            if problems:
                # A session has a name, and these have none.
                rows = [{"verdict": "error", "findings": [], "problem": problem.text} for problem in problems]
                yield pyarrow.RecordBatch.from_pylist(rows, schema)

        return task


def _rows_schema() -> "pyarrow.Schema":
    """`SCHEMA` as that of Arrow, in which everything may be null."""
    import pyarrow

    texts = pyarrow.list_(pyarrow.string())
    finding = [("code", "string"), ("location", "string"), ("index", "int64"), ("event", "string")]
    keys = [(name, "string") for name in ("kind", "place", "other", "after")]
    struct = pyarrow.struct([*finding, ("expected", texts), *keys, ("consequences", "int64")])
    columns = [("session", "string"), ("verdict", "string"), ("findings", pyarrow.list_(struct)), ("distance", "int64")]
    return pyarrow.schema([*columns, ("fingerprint", "string"), ("problem", "string")])


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
