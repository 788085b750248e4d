"""The work of tasks of Spark on batches of events and of sessions. Executors need this package and pyarrow."""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from ._bundle import Bundle, merging, stream_of
from ._errors import InputError, MultitraceError
from ._report import Report

if TYPE_CHECKING:
    import pandas
    import pyarrow

SCHEMA = (
    "session string, verdict string, "
    "findings array<struct<code: string, location: string, index: bigint, event: string, "
    "expected: array<string>, kind: string, place: string, other: string, after: string, consequences: bigint, sentence: string>>, "
    "distance bigint, fingerprint string, problem string, part binary, sum bigint"
)
"""The columns of verdicts: those of `Report.sessions` but `place`, since rows of Spark have no numbers; `problem`, which rows
of `errors="rows"` have; and of the last row of each task `part`, the partial report of all its sessions, which `report` merges,
and `sum`, a checksum of their rows, by which it finds out whether rows are missing."""

Batches = Iterator["pyarrow.RecordBatch"]
Late = Sequence[Tuple[Optional[str], int]]
# So many sessions with late events are named, as many as problems of a report.
MOST_LATE = 100
"""Sessions that were over when so many of their events came."""


def rows_schema() -> "pyarrow.Schema":
    """`SCHEMA` as that of Arrow, in which everything may be null."""
    import pyarrow

    texts = pyarrow.list_(pyarrow.string())
    finding = [("code", "string"), ("location", "string"), ("index", "int64"), ("event", "string")]
    keys = [(name, "string") for name in ("kind", "place", "other", "after")]
    struct = pyarrow.struct([*finding, ("expected", texts), *keys, ("consequences", "int64"), ("sentence", "string")])
    columns = [("session", "string"), ("verdict", "string"), ("findings", pyarrow.list_(struct)), ("distance", "int64")]
    return pyarrow.schema([*columns, ("fingerprint", "string"), ("problem", "string"), ("part", "binary"), ("sum", "int64")])


def checksum(sessions: Sequence[Optional[str]], verdicts: Sequence[Optional[str]]) -> int:
    """The checksum of the rows of sessions, in any order. Other rows do not count."""
    rows = zip(sessions, verdicts)
    return sum(zlib.crc32(f"{session}\0{verdict}".encode("utf-8", "surrogatepass")) for session, verdict in rows if verdict not in (None, "error"))


_loaded: List[Tuple[bytes, Bundle]] = []


def load(shared: Any) -> Bundle:
    """The bundle, loaded once in each process of Python, which serves many tasks."""
    data = shared if isinstance(shared, bytes) else shared.value
    for known, bundle in _loaded:
        if known == data:
            return bundle
    bundle = Bundle.from_bytes(data)
    _loaded[:] = [(data, bundle)]
    return bundle


def verdict_rows(
    bundle: Bundle, tables: Iterable[Any], mapping: Tuple[str, str], options: Dict[str, Any], errors: str, late: Late = ()
) -> Batches:
    """Rows of `SCHEMA`: those of the sessions of a stream of tables, then those of events that cannot be used. The last row has the
    partial report of all."""
    import pyarrow

    made: List[Report] = []

    def all_rows() -> Batches:
        schema = rows_schema()
        for table in stream_of(bundle, tables, mapping, {**options, "partial": True}, "report", made.append):
            verdicts = pyarrow.table(table).drop_columns(["place"])
            for name in ("problem", "part", "sum"):
                verdicts = verdicts.append_column(name, pyarrow.nulls(verdicts.num_rows))
            yield from verdicts.cast(schema).to_batches()
        problems, count = made[0].problems, made[0].summary["errors"]
        if problems and errors == "raise":
            raise InputError(problems, count, made[0], "rows")
        # Rows of a task have no numbers that anybody could look up.
        told = (re.sub(r"\n --> the table, row \d+", "", problem.text) for problem in problems)
        texts = [*told, *map(_late_text, late)]
        if count > len(problems):
            texts.append(f"and {count - len(problems)} more events that cannot be used")
        if texts:
            # A session has a name, and these have none.
            rows = [{"verdict": "error", "findings": [], "problem": text} for text in texts]
            yield pyarrow.RecordBatch.from_pylist(rows, schema)

    # One batch is held back, since the part is made when all rows are there.
    last, total = None, 0
    for batch in all_rows():
        if last is not None:
            yield last
        last = batch
        total += checksum(batch["session"].to_pylist(), batch["verdict"].to_pylist())
    if last is None and made[0].summary["input"]["records"]:
        # Events that make no session are counted in the report: a row for them alone, with nothing but the part.
        last = pyarrow.RecordBatch.from_pylist([{}], rows_schema())
    if last is not None:
        for name, value, kind in (("part", _part(made[0], late), pyarrow.binary()), ("sum", total, pyarrow.int64())):
            values = pyarrow.array([*[None] * (last.num_rows - 1), value], kind)
            last = last.set_column(last.schema.get_field_index(name), name, values)
        yield last


def _late_text(late: Tuple[Optional[str], int]) -> str:
    if late[0] is None:
        return f"and {late[1]} more sessions with events that came after they were over; they are not judged"
    return f"session {late[0]}: {late[1]} events came after it was over; they are not judged"


def _part(report: Report, late: Late) -> Optional[bytes]:
    """The partial report; `None` if there are more kinds of findings than parts may have."""
    try:
        part = report.partial()
    except MultitraceError:
        return None
    if not late:
        return part
    merged = merging(part)
    for one in late:
        merged.add_problem(_late_text(one))
    return merged.part()


# ---- Reports: the parts in rows of verdicts are merged in a tree.

FOLDED = "sessions bigint, part binary, rest bigint"
"""How many sessions rows have, the parts that they hold as one, and the sums of these without those of the rows: 0 if all are there."""


def fold(batches: Batches) -> Batches:
    """Rows of verdicts as one of `FOLDED`."""
    def folded() -> Iterator[Tuple[int, List[bytes], int]]:
        for batch in batches:
            sessions, verdicts, parts, sums = (column.to_pylist() for column in batch.columns)
            count = sum(verdict not in (None, "error") for verdict in verdicts)
            total = sum(one for one in sums if one is not None) - checksum(sessions, verdicts)
            yield count, [part for part in parts if part is not None], total

    return _folded(folded())


def fold_again(batches: Batches) -> Batches:
    """Rows of `FOLDED` as one."""
    rows = (tuple(row.values()) for batch in batches for row in batch.to_pylist())
    return _folded((sessions, [] if part is None else [part], total) for sessions, part, total in rows)


def _folded(rows: Iterator[Tuple[int, List[bytes], int]]) -> Batches:
    import pyarrow

    sessions, parts, total, some = 0, [], 0, False
    for count, more, sums in rows:
        sessions, total, some = sessions + count, total + sums, some or bool(count or more)
        parts += more
    if some:
        part = merging(parts).part() if parts else None
        columns = [pyarrow.array([sessions]), pyarrow.array([part], pyarrow.binary()), pyarrow.array([total])]
        yield pyarrow.record_batch(columns, ["sessions", "part", "rest"])


# ---- Streams. The events of a session are kept as batches of Arrow until it is over.

PACKED = "key string, time timestamp, at bigint, events bigint, rows binary"
"""Events of one session, with the latest of their times, also in milliseconds: 0 if none has a time."""
GATHERED = "key string, rows binary, late bigint"
"""A whole session; or how many events came when it was over."""
STATE = "rows binary, last bigint, over boolean"


def pack(batches: Batches, sessions: Sequence[str]) -> Batches:
    """The events of each session in a batch as one row. The last column is the time."""
    import pyarrow
    import pyarrow.compute

    schema = pyarrow.schema(
        [
            ("key", pyarrow.string()),
            ("time", pyarrow.timestamp("us", "UTC")),
            ("at", pyarrow.int64()),
            ("events", pyarrow.int64()),
            ("rows", pyarrow.binary()),
        ]
    )
    for batch in batches:
        times = batch.column(batch.num_columns - 1)
        names = zip(*(batch.column(name).to_pylist() for name in sessions))
        rows: Dict[str, List[int]] = {}
        for row, name in enumerate(names):
            rows.setdefault(json.dumps([None if it is None else str(it) for it in name], ensure_ascii=False), []).append(row)
        packed = []
        for key, of in rows.items():
            latest = pyarrow.compute.max(times.take(of)).cast(pyarrow.timestamp("us", "UTC"))
            micros = latest.cast(pyarrow.int64()).as_py() or 0
            content = _packed(batch.take(of).drop_columns([batch.schema.names[-1]]))
            packed.append({"key": key, "time": latest.as_py(), "at": micros // 1000, "events": len(of), "rows": content})
        yield pyarrow.RecordBatch.from_pylist(packed, schema)


def _packed(batch: "pyarrow.RecordBatch") -> bytes:
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    # The length before it, so that several follow one another.
    return len(content).to_bytes(8, "big") + content


def unpacked(content: bytes) -> Iterator["pyarrow.Table"]:
    """The tables that were packed."""
    import pyarrow

    at = 0
    while at < len(content):
        end = at + 8 + int.from_bytes(content[at : at + 8], "big")
        yield pyarrow.ipc.open_stream(content[at + 8 : end]).read_all()
        at = end


def gather(key: Tuple[str], frames: Iterator["pandas.DataFrame"], state: Any, idle: int) -> Iterator["pandas.DataFrame"]:
    """Keeps the events of a session until none came for some milliseconds; then hands them out, and remembers for as long
    again that it is over."""
    import pandas

    rows, last, over = state.get if state.exists else (b"", 0, False)
    given: List[Tuple[str, bytes, int]] = []
    watermark = state.getCurrentWatermarkMs()
    if state.hasTimedOut and over:
        state.remove()
        return
    # Events that come along with the watermark that ends the session came after it was over, too, as they would one batch later.
    if state.hasTimedOut or rows and not over and last + idle <= watermark:
        given, rows, over = [(key[0], bytes(rows), 0)], b"", True
    late, parts = 0, [bytes(rows)]
    for frame in () if state.hasTimedOut else frames:
        # An event without a time is as late as can be, so that it ends no session.
        last = max(last, int(frame["at"].max()) or watermark)
        if over:
            late += int(frame["events"].sum())
        else:
            parts.extend(map(bytes, frame["rows"]))
    if late:
        given.append((key[0], b"", late))
    state.update((b"".join(parts), last, over))
    state.setTimeoutTimestamp(max(last + (2 * idle if over else idle), watermark + 1))
    if given:
        yield pandas.DataFrame(given, columns=["key", "rows", "late"])


def sessions_of(batches: Batches, order: Sequence[str], late: List[Tuple[Optional[str], int]]) -> Iterator["pyarrow.Table"]:
    """The events of each session that was handed out, in their order; and which were late: the first, and how many more."""
    import pyarrow

    for batch in batches:
        for row in batch.to_pylist():
            if row["late"]:
                if len(late) < MOST_LATE:
                    late.append((", ".join(map(str, json.loads(row["key"]))), row["late"]))
                else:
                    late[MOST_LATE:] = [(None, 1 + sum(more for _, more in late[MOST_LATE:]))]
                continue
            table = pyarrow.concat_tables(unpacked(row["rows"]))
            yield table.sort_by([(name, "ascending") for name in order]) if order else table
