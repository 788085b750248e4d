"""Inputs of checks: files, lists of dicts, and tables of Arrow."""

from __future__ import annotations

import decimal
import json
import os
from pathlib import Path
from typing import Any, Callable, Iterable, List, Mapping, Optional, Protocol, Sequence, Tuple, Union

from ._errors import MultitraceError
from ._multitrace import Source

__all__ = ["ArrowTable", "Events", "Input", "events_argument", "source_of", "table_of"]


class ArrowTable(Protocol):
    """A table of pyarrow, pandas, polars, DuckDB or anything else that speaks the Arrow PyCapsule protocol."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


PathLike = Union[str, "os.PathLike[str]"]
Input = Union[PathLike, Sequence[PathLike], Mapping[str, Any], Iterable[Any], ArrowTable]
"""Paths, folders, patterns and URLs; dicts; or a table."""

Events = Union[PathLike, Mapping[str, Any]]
"""A mapping of event logs: the path of a TOML file, its text, or the same as a dict."""


def source_of(value: Input, events: Optional[Tuple[str, str]], exclude: Sequence[str] = ()) -> Source:
    """The source of sessions or events that a value stands for, without what is excluded of folders and patterns."""
    if isinstance(value, (str, os.PathLike)):
        return Source.files(_local(value), events, list(exclude))
    if hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__"):
        return Source.table(_with_types(value), events)
    if isinstance(value, Mapping):
        return Source.lines(_lines([value]), events)
    if isinstance(value, (bytes, bytearray)):
        raise _not_an_input(value)
    try:
        items = list(value)
    except TypeError:
        raise _not_an_input(value) from None
    if items and all(isinstance(item, (str, os.PathLike)) for item in items):
        return Source.files([path for item in items for path in _local(item)], events, list(exclude))
    return Source.lines(_lines(items), events)


def _local(path: PathLike) -> List[Path]:
    """The files of a path, a pattern, or a URL that fsspec copies into a folder of this machine."""
    text = os.fspath(path)
    if isinstance(path, str) and ("\n" in path or path.lstrip().startswith(("{", "["))):
        raise MultitraceError("this text is data and no path; give the table or the dicts themselves, or write it to a file")
    if not isinstance(text, str) or "://" not in text:
        return [Path(path)]
    try:
        import fsspec
    except ImportError:
        raise MultitraceError(f"{text}: URLs need fsspec, and the package of their scheme: pip install fsspec") from None
    scheme = text.split("://", 1)[0]
    try:
        opened = fsspec.open_local(text if scheme in ("file", "local") else f"simplecache::{text}")
    except Exception as error:  # Each file system has errors of its own.
        raise MultitraceError(f"{text}: {type(error).__name__}: {error}") from error
    return [Path(one) for one in ([opened] if isinstance(opened, str) else opened)]


def table_of(value: Any, fields: Optional[Sequence[str]]) -> Any:
    """A value that stands for a table without being one, as a table that can be read again: a lazy frame, a data set or scanner, a
    Parquet file or an executed query. Of the first three only the columns are read that a mapping asks for."""
    library, kind = type(value).__module__.partition(".")[0], type(value).__name__
    if library == "pyspark":
        raise MultitraceError(
            f"{kind} of Spark would be collected here, without an order; multitrace.spark.check(df, bundle, order=…) checks it "
            "where it is"
        )
    if library == "polars" and kind == "LazyFrame":
        columns = _asked(value.collect_schema().names(), fields)
        return value.select(columns).collect(engine="streaming")
    if kind == "DuckDBPyConnection":
        # Before DuckDB 1.4 it has the other name.
        return value.to_arrow_reader() if hasattr(value, "to_arrow_reader") else value.fetch_record_batch()
    if library != "pyarrow":
        return value
    import pyarrow

    if hasattr(value, "scanner") and hasattr(value, "schema"):
        columns = _asked(value.schema.names, fields)
        return _Again(lambda: value.scanner(columns=columns).to_reader())
    if hasattr(value, "to_reader") and hasattr(value, "projected_schema"):
        return _Again(value.to_reader)
    if hasattr(value, "iter_batches") and hasattr(value, "schema_arrow"):
        columns = _asked(value.schema_arrow.names, fields)
        schema = pyarrow.schema([value.schema_arrow.field(name) for name in columns])
        return _Again(lambda: pyarrow.RecordBatchReader.from_batches(schema, value.iter_batches(columns=columns)))
    return value


class _Again:
    """A table that is read from its beginning whenever it is asked for."""

    def __init__(self, read: Callable[[], Any]) -> None:
        self._read = read

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._read().__arrow_c_stream__(requested_schema)


def _asked(columns: Sequence[str], fields: Optional[Sequence[str]]) -> List[str]:
    """The columns that hold fields; all if there is no mapping, or if none does, so that the error names them."""
    if fields is None:
        return list(columns)
    asked = [name for name in columns if any(_is_in(field, name) for field in fields)]
    return asked or list(columns)


def _is_in(field: str, column: str) -> bool:
    return field == column or field.startswith((column + ".", column + "[", column + "|"))


def _with_types(table: Any) -> Any:
    """The table, with texts in the place of columns of polars that have no value and so no type: the form in which
    polars gives these is one that the reader of Arrow refuses."""
    if type(table).__module__.partition(".")[0] != "polars" or not hasattr(table, "with_columns"):
        return table
    empty = [name for name, kind in table.schema.items() if str(kind) == "Null"]
    if not empty:
        return table
    import polars

    return table.with_columns(polars.col(empty).cast(polars.String))


def _lines(items: List[Any]) -> bytes:
    lines = []
    for number, item in enumerate(items, 1):
        if hasattr(item, "__arrow_c_stream__"):
            raise MultitraceError(
                f"the list, item {number}: {type(item).__name__} is a table; check one table, put several together "
                "with the concat of their library, or give them to check_stream if sessions follow one another"
            )
        if hasattr(item, "_asdict"):
            item = item._asdict()
        if not isinstance(item, Mapping):
            raise MultitraceError(
                f"the list, item {number}: {type(item).__name__} is no dict; a list has paths, or dicts "
                '{"session": …, "traces": {location: [actions]}}, or, with events=, one dict for each event'
            )
        try:
            lines.append(_line(item))
        except (TypeError, ValueError) as error:
            raise MultitraceError(f"the list, item {number}: {error}") from None
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")


def _line(item: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(item), ensure_ascii=False, default=_text, allow_nan=False)
    except ValueError:
        # Data frames write what is missing as NaN, which JSON lacks.
        return json.dumps(_without_nan(dict(item)), ensure_ascii=False, default=_text, allow_nan=False)


def _without_nan(value: Any) -> Any:
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(item) for item in value]
    items = _items(value)
    return value if items is None else _without_nan(items)


def _items(value: Any) -> Optional[List[Any]]:
    """The list that an array of another library is, such as those that rows of data frames have."""
    if getattr(value, "ndim", 1) == 0:
        return None
    for name in ("tolist", "to_list"):
        if hasattr(value, name):
            items = getattr(value, name)()
            return items if isinstance(items, list) else None
    return None


def _text(value: Any) -> Any:
    """Times as RFC 3339, arrays as lists, numbers of other libraries as numbers."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    items = _items(value)
    if items is not None:
        return items
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, decimal.Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _not_an_input(value: object) -> MultitraceError:
    if hasattr(value, "collect"):
        return MultitraceError(f"{type(value).__name__} has no rows yet: check(data.collect())")
    return MultitraceError(
        f"{type(value).__name__} is no input; known are paths, patterns and URLs, dicts and named tuples, and tables "
        "that speak the Arrow PyCapsule protocol (pyarrow, pandas 2.2, polars 1.3, DuckDB), lazy ones, data sets and Parquet files "
        "of them"
    )


def events_argument(events: Optional[Events]) -> Optional[Tuple[str, str]]:
    """A mapping as what messages call it, and its text."""
    if events is None:
        return None
    if isinstance(events, Mapping):
        # An empty one is no mapping, also where the bundle has one.
        return ("the mapping", to_toml(events))
    if not isinstance(events, (str, os.PathLike)):
        raise MultitraceError(
            f"events: {type(events).__name__} is no mapping; it is the path of a TOML file, its text, or a dict"
        )
    text = os.fspath(events)
    if not text.strip():
        raise MultitraceError("events: an empty text is no mapping; events={} reads sessions, whatever the bundle has")
    is_text = "\n" in text or ("=" in text and not os.path.exists(text))
    if isinstance(events, str) and is_text:
        return ("the mapping", text)
    try:
        return (text, Path(text).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MultitraceError(
            f"{text}: {reason}; events= is the path of a mapping, its text, or a dict",
            [(text, None, None, str(reason))],
        ) from None


def to_toml(table: Mapping[str, Any]) -> str:
    """A dict as TOML, with every value in one line.

    >>> to_toml({"event": {"session": "id"}, "rule": [{"when": {"kind": "a"}}]})
    '"event" = {"session" = "id"}\\n"rule" = [{"when" = {"kind" = "a"}}]\\n'
    """
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in table.items())


def _key(key: str) -> str:
    return json.dumps(str(key), ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, (str, bool, int, float)):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    raise MultitraceError(f"the mapping: {type(value).__name__} has no form in TOML")
