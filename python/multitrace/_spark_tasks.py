"""The work of tasks of Spark on batches of events and of sessions. Executors need this package and pyarrow."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Sequence, Tuple

from ._bundle import Bundle, stream_of
from ._errors import InputProblem
from ._report import Report

if TYPE_CHECKING:
    import pandas
    import pyarrow

SCHEMA = (
    "session string, verdict string, "
    "findings array<struct<code: string, location: string, index: bigint, event: string, "
    "expected: array<string>, kind: string, place: string, other: string, after: string, consequences: bigint>>, "
    "distance bigint, fingerprint string, problem string"
)
"""The columns of verdicts: those of `Report.sessions` but `place`, since rows of Spark have no numbers, and `problem`,
which rows of `errors="rows"` have."""

Batches = Iterator["pyarrow.RecordBatch"]


def rows_schema() -> "pyarrow.Schema":
    """`SCHEMA` as that of Arrow, in which everything may be null."""
    import pyarrow

    texts = pyarrow.list_(pyarrow.string())
    finding = [("code", "string"), ("location", "string"), ("index", "int64"), ("event", "string")]
    keys = [(name, "string") for name in ("kind", "place", "other", "after")]
    struct = pyarrow.struct([*finding, ("expected", texts), *keys, ("consequences", "int64")])
    columns = [("session", "string"), ("verdict", "string"), ("findings", pyarrow.list_(struct)), ("distance", "int64")]
    return pyarrow.schema([*columns, ("fingerprint", "string"), ("problem", "string")])


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
    bundle: Bundle, tables: Iterable[Any], mapping: Tuple[str, str], options: Dict[str, Any], made: List[Report]
) -> Batches:
    """Rows of `SCHEMA` for the sessions of a stream of tables; the report comes at its end."""
    import pyarrow

    schema = rows_schema()
    for table in stream_of(bundle, tables, mapping, options, "report", made.append):
        verdicts = pyarrow.table(table).drop_columns(["place"])
        empty = pyarrow.nulls(verdicts.num_rows, pyarrow.string())
        yield from verdicts.append_column("problem", empty).cast(schema).to_batches()


def problem_rows(problems: Iterable[str]) -> "pyarrow.RecordBatch":
    """Rows of `SCHEMA` for what cannot be used. A session has a name, and these have none."""
    import pyarrow

    rows = [{"verdict": "error", "findings": [], "problem": problem} for problem in problems]
    return pyarrow.RecordBatch.from_pylist(rows, rows_schema())


def texts_of(problems: Sequence[InputProblem]) -> List[str]:
    return [problem.text for problem in problems]


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
    if state.hasTimedOut:
        if over:
            state.remove()
            return
        given, rows, over, wait = [(key[0], bytes(rows), 0)], b"", True, 2 * idle
    else:
        late, parts, wait = 0, [bytes(rows)], idle
        for frame in frames:
            # An event without a time is as late as can be, so that it ends no session.
            last = max(last, int(frame["at"].max()) or state.getCurrentWatermarkMs())
            if over:
                late += int(frame["events"].sum())
            else:
                parts.extend(map(bytes, frame["rows"]))
        rows = b"".join(parts)
        if late:
            given = [(key[0], b"", late)]
    state.update((rows, last, over))
    state.setTimeoutTimestamp(max(last + wait, state.getCurrentWatermarkMs() + 1))
    if given:
        yield pandas.DataFrame(given, columns=["key", "rows", "late"])


def sessions_of(batches: Batches, order: Sequence[str], late: List[Tuple[str, int]]) -> Iterator["pyarrow.Table"]:
    """The events of each session that was handed out, in their order; and which were late."""
    import pyarrow

    for batch in batches:
        for row in batch.to_pylist():
            if row["late"]:
                late.append((", ".join(map(str, json.loads(row["key"]))), row["late"]))
                continue
            table = pyarrow.concat_tables(unpacked(row["rows"]))
            yield table.sort_by([(name, "ascending") for name in order]) if order else table
