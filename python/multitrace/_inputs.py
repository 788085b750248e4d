"""Inputs of checks: files, lists of dicts, and tables of Arrow."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import decimal
import enum
import itertools
import json
import numbers
import os
import re
import tempfile
import uuid
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Protocol, Sequence, Set, Tuple, Union

from ._duckdb import of_duckdb, refuse_query
from ._durations import DAYS, duration_text, nanoseconds_of, short, time_of_numpy, unit_of
from ._errors import MultitraceError, fs_name, shown_name, unicode
from . import _multitrace
from ._multitrace import Lines, Pieces, Source, is_too_deep, kept_files, mapping_fields, value_text

if TYPE_CHECKING:
    import duckdb
    import polars
    import pyarrow.dataset
    import pyarrow.parquet

__all__ = ["ArrowTable", "Events", "Input", "Lazy", "events_argument", "fields_of", "is_table", "local_file", "local_paths", "propose_mapping", "source_of", "table_of"]


class ArrowTable(Protocol):
    """A table of pyarrow, pandas, polars, DuckDB or anything else that speaks the Arrow PyCapsule protocol."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


PathLike = Union[str, "os.PathLike[str]"]
Lazy = Union[
    "polars.LazyFrame", "duckdb.DuckDBPyConnection", "pyarrow.dataset.Dataset", "pyarrow.dataset.Scanner", "pyarrow.parquet.ParquetFile"
]
"""Types that stand for a table without being one."""
Input = Union[PathLike, Sequence[PathLike], Mapping[str, Any], Iterable[Any], ArrowTable, Lazy]
"""Paths, folders, patterns and URLs; dicts; or a table."""

Events = Union[PathLike, Mapping[str, Any]]
"""A mapping of event logs: the path of a TOML file, its text, or the same as a dict."""


def source_of(value: Any, events: Optional[Tuple[str, str]], exclude: Sequence[str] = ()) -> Source:
    """The source of sessions or events that a value stands for, without excluded files of folders and patterns."""
    if isinstance(value, (str, os.PathLike)):
        value = [value]
    items = [value] if is_table(value) or isinstance(value, Mapping) else _listed_items(value)
    if items and all(isinstance(item, (str, os.PathLike)) for item in items):
        if type(value) is tuple:
            _refuse_row(value)
        found = [local_paths(item, exclude) for item in items]
        paths, notes = [path for part, _ in found for path in part], [note for _, part in found for note in part]
        return Source.files(paths, events, list(exclude), notes)
    if exclude:
        raise MultitraceError("exclude= leaves files out, and this is not a path; leave rows out before, or by [[drop]] in the mapping")
    return Source.table(value, events) if is_table(value) else Source.lines(_lines(items), events)


def _listed_items(value: Any) -> List[Any]:
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise _not_an_input(value)
    try:
        return list(value)
    except TypeError:
        raise _not_an_input(value) from None


def _refuse_row(texts: Tuple[PathLike, ...]) -> None:
    """The values of a row are not the paths of files."""
    def is_path(text: str) -> bool:
        return "://" in text or any(sign in text for sign in "*?[/\\") or os.path.splitext(text)[1] != "" or os.path.exists(text)

    if not any(is_path(os.fspath(text)) for text in texts):
        raise MultitraceError(
            f"{texts!r} is a tuple of texts, which would be paths, and no such files are there; a row is a dict, "
            "a named tuple or an instance of a data class, and several of them are a list"
        )


def _is_row(value: Any) -> bool:
    """Whether this is one row in place of a dict: a named tuple, a row of Spark, of a database or of an array of records, a model of pydantic
    or an instance of a data class."""
    is_made = any(hasattr(value, name) for name in ("_asdict", "asDict", "model_dump")) or dataclasses.is_dataclass(value)
    # The steps through these are their values.
    is_record = type(value).__name__ == "Row" and hasattr(value, "keys") or (bool(_record_names(value)) and value.ndim == 0)
    return (is_made or is_record) and not isinstance(value, (type, Mapping)) and not is_table(value)


def _record_names(value: Any) -> Sequence[str]:
    """The names of the fields of a record of numpy, or of an array of them."""
    return getattr(getattr(value, "dtype", None), "names", None) or ()


@contextlib.contextmanager
def _reading(what: str) -> Iterator[None]:
    """Errors of the library that a table comes from are told as one of this package; the first one is its cause."""
    try:
        yield
    except MultitraceError:
        raise
    except Exception as error:  # Each library has errors of its own.
        raise MultitraceError(f"{what} cannot be read: {type(error).__name__}: {str(error).strip()}") from error


def is_table(value: Any) -> bool:
    """Whether a value speaks the Arrow PyCapsule protocol."""
    return not isinstance(value, type) and (hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__"))


def _refuse_columns(value: Mapping[str, Any]) -> None:
    """A dict is one session or event, and not the columns of a table, nor several tables."""
    columns = list(value.values())
    if any(is_table(column) or type(column).__name__ == "Series" for column in columns):
        raise MultitraceError("this dict holds tables or columns; check one table, put several together with the concat of their library")
    indices = {tuple(column) if isinstance(column, Mapping) else range(len(column)) if _is_column(column) else None for column in columns}
    # Those of `to_dict()` of pandas have the numbers of the rows as keys.
    if len(columns) > 1 and len(indices) == 1 and all(isinstance(key, int) for key in indices.pop() or ("none",)):
        raise MultitraceError(
            'this dict holds columns, and one dict is one event, or a session, {"session": …, "traces": {location: [actions]}}; of a table give '
            'the table itself, or a dict for each row, as to_dict("records") of pandas and to_pylist() of pyarrow make'
        )


def _is_column(value: Any) -> bool:
    items = None if isinstance(value, (str, bytes)) else _parts(value)
    return items is not None and not any(isinstance(item, (Mapping, list, tuple)) for item in items)


def local_paths(path: PathLike, exclude: Sequence[str] = ()) -> Tuple[List[Path], List[str]]:
    """The files of a path, a pattern, or a URL, whose files fsspec copies to this machine, and notes on those that it left out."""
    refuse_query(text := fs_name(path))
    if isinstance(path, str) and ("\n" in path or path.lstrip().startswith(("{", "["))):
        raise MultitraceError("this text is data and no path; give the table or the dicts themselves, or write it to a file")
    if "://" not in text:
        return [Path(path)], []
    try:
        import fsspec
    except ImportError:
        raise MultitraceError(f"{text}: URLs need fsspec, and the package of their scheme: pip install fsspec") from None
    try:
        files, place = fsspec.core.url_to_fs(text)
        if "file" in ([files.protocol] if isinstance(files.protocol, str) else files.protocol):
            return [Path(place)], []
        listed, notes = _listed(files, place, exclude)
        return [_copied(files, one, text) for one in listed], notes
    except Exception as error:  # Each file system has errors of its own.
        raise MultitraceError(f"{text}: {type(error).__name__}: {error}") from error


def local_file(path: PathLike) -> str:
    """The name of a file, which is that of its copy if it was the URL of one."""
    text = fs_name(path)
    if not re.match(r"[A-Za-z][\w+.-]*://\S+$", text):
        return text
    url, sign, part = text.partition("#")
    files, _ = local_paths(url)
    if len(files) != 1:
        raise MultitraceError(f"{text}: {len(files)} files are called like that, and one is read")
    return f"{files[0]}{sign}{part}"


def _listed(files: Any, place: str, exclude: Sequence[str]) -> Tuple[List[str], List[str]]:
    """The files that a URL stands for: itself, those of a pattern, or those in a folder; of the last two without those that are left
    out of patterns and folders here, too, with notes on them."""
    # In other addresses of the web, `?` begins the query.
    signs = [place.find(sign) for sign in ("*[" if place.startswith("http") else "*?[") if sign in place]
    if not signs and (files.isfile(place) or not files.isdir(place)):
        return [place], []
    top = place[: place.rfind("/", 0, min(signs)) + 1] if signs else place
    found = [one for one in sorted(files.glob(place) if signs else files.find(place)) if files.isfile(one)]
    kept, notes = kept_files(top, found, not signs, exclude)
    if not kept:
        raise FileNotFoundError("; ".join(notes) or "no file is called like that")
    return [found[at] for at in kept], notes


def _copied(files: Any, place: str, url: str) -> Path:
    """A copy, whose name is the same in each run, so that reports name it and parts of runs fit together."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    folder = Path(tempfile.gettempdir(), f"multitrace-{user}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and folder.lstat().st_uid != user:
        raise PermissionError(f"{folder} belongs to somebody else; set TMPDIR to a folder of your own")
    names = place.split("://")[-1].split("/")
    copy = folder.joinpath(url.split("://", 1)[0], *(name for name in names if name not in ("", ".", "..")))
    copy.parent.mkdir(parents=True, exist_ok=True)
    # Another process may read the copy of an earlier run.
    with tempfile.TemporaryDirectory(dir=folder) as made:
        files.get_file(place, os.path.join(made, copy.name))
        os.replace(os.path.join(made, copy.name), copy)
    return copy


class Fields(List[str]):
    """The fields that a mapping of events asks for; `sessions` are those among them that name sessions."""

    sessions: Sequence[str] = ()


def fields_of(mapping: Optional[Tuple[str, str]]) -> Optional[Fields]:
    """The fields of a mapping; `None` without one, or if it is wrong, which reading by it says."""
    if mapping is None or not mapping[1]:
        return None
    try:
        names, _, ways = mapping_fields(mapping)
    except MultitraceError:
        return None
    fields = Fields(names)
    fields.sessions = [name for way in ways for name in way]
    return fields


_ROWS = 65_536
"""The rows of a lazy or large table that are read at once."""


def table_of(value: Any, fields: Optional[Sequence[str]]) -> Any:
    """A value that stands for a table without being one, as a table that can be read again: a lazy frame, a data set or scanner, a
    Parquet file or an executed query. Of lazy frames, data sets and Parquet files only the columns are read that a mapping asks for. Frames are read
    some rows at a time, without columns that have no form in Arrow and that nobody asks for."""
    library, kind = type(value).__module__.partition(".")[0], type(value).__name__
    if isinstance(value, Mapping):
        _refuse_columns(value)
    if _is_row(value):
        return dict(_dict(value, 1))
    if library == "pyspark" and not hasattr(value, "asDict"):
        raise MultitraceError(
            f"{kind} of Spark would be collected here, without an order; multitrace.spark.check(df, bundle, order=…) checks it "
            "where it is"
        )
    if library == "polars" and kind in ("LazyFrame", "DataFrame"):
        with _reading(f"the {kind}"):
            return _of_polars(value, kind == "LazyFrame", fields)
    if library == "pandas" and kind == "DataFrame" and not value.columns.is_unique:
        name = value.columns[value.columns.duplicated()][0]
        raise MultitraceError(f"the table has several columns {name!r}; leave one of them, or rename it")
    if library == "pandas" and kind == "DataFrame":
        if not is_table(value):
            raise MultitraceError("this DataFrame gives no Arrow; pandas does from 2.2 on, with pyarrow: pip install -U pandas pyarrow")
        return _OfPandas(value, fields)
    if library == "pandas" and kind == "Series":
        raise MultitraceError("this is not a table: give one with named columns, such as a DataFrame, not a single column; of a row give row.to_dict()")
    if kind in ("DuckDBPyConnection", "DuckDBPyRelation"):
        return of_duckdb(value, lambda column: any(_is_in(field, column) for field in fields or ()))
    if hasattr(value, "read") and hasattr(value, "seek"):
        raise MultitraceError(f"{kind} is an open file; give its path, or the rows in it as dicts or a table")
    if library != "pyarrow":
        return value
    import pyarrow

    if hasattr(value, "scanner") and hasattr(value, "schema"):
        columns = _asked(value.schema.names, fields)
        # By default it reads 16 batches of 4 files ahead, and whole groups of rows of Parquet: 500 MB where these are 160.
        ahead: Any = {"batch_size": _ROWS, "batch_readahead": 1, "fragment_readahead": 1, "use_threads": False}
        if type(getattr(value, "format", None)).__name__ == "ParquetFileFormat":
            from pyarrow.dataset import ParquetFragmentScanOptions

            ahead["fragment_scan_options"] = ParquetFragmentScanOptions(pre_buffer=False)
        return _Again(lambda: value.scanner(columns=columns, **ahead).to_reader(), value.schema.names)
    if hasattr(value, "to_reader") and hasattr(value, "projected_schema"):
        return _Again(value.to_reader)
    if hasattr(value, "iter_batches") and hasattr(value, "schema_arrow"):
        columns = _asked(value.schema_arrow.names, fields)
        schema = pyarrow.schema([value.schema_arrow.field(name) for name in columns])
        return _Again(lambda: pyarrow.RecordBatchReader.from_batches(schema, value.iter_batches(columns=columns)), value.schema_arrow.names)
    return value


def _of_polars(frame: Any, is_lazy: bool, fields: Optional[Sequence[str]]) -> Any:
    """A frame of polars, some rows at a time. Where it lacks types, as in columns without a value, or has those that other
    libraries refuse, it has texts."""
    import polars

    schema = frame.collect_schema()
    asked = _asked(schema.names(), fields)
    fit = {name: _fit(kind, polars) for name, kind in schema.items()}
    kept = asked if is_lazy else [name for name in schema if name in asked or fit[name] == schema[name]]
    for name in kept:
        if fit[name] is None:
            raise MultitraceError(
                f"the column {name!r} holds objects of Python, whose values polars does not give; make texts of them: frame.with_columns("
                f"polars.col({name!r}).map_elements(json.dumps, return_dtype=polars.String)), or with str in place of json.dumps if they are "
                f"neither dicts nor lists; a part of a dict is `{name}|json.key` then"
            )
    changed = [polars.col(name).cast(fit[name]) for name in kept if fit[name] != schema[name]]
    if len(kept) < len(schema) or changed:
        frame = frame.select(kept).with_columns(changed)
    if is_lazy and not hasattr(frame, "collect_batches"):
        frame, is_lazy = frame.collect(engine="streaming"), False

    def pieces() -> Iterator[Any]:
        if not is_lazy:
            return iter(frame.iter_slices(_ROWS))
        if _reads_slices(frame):
            slices = (frame.slice(at, _ROWS).collect(engine="streaming") for at in itertools.count(0, _ROWS))
            return itertools.takewhile(len, slices)
        return iter(frame.collect_batches(chunk_size=_ROWS, maintain_order=True))

    return _Again(lambda: Pieces(polars.DataFrame(schema=frame.collect_schema()), pieces()), schema.names())


def _reads_slices(frame: Any) -> bool:
    """Whether a lazy frame of polars reads some rows of local Parquet files without those before them. Its batches are of whole groups of
    rows, some of them ahead: 250 MB where slices are 50."""
    first, rows = 7, 65_537  # Numbers that no slice of the plan has by chance.
    plan = frame.slice(first, rows).explain()
    scans = [line.strip() for line in plan.splitlines() if "SCAN" in line]
    is_local = len(scans) == 1 and scans[0].startswith("Parquet SCAN") and "://" not in scans[0]
    return is_local and f"SLICE: Positive {{ offset: {first}, len: {rows} }}" in plan


def _fit(kind: Any, polars: Any) -> Any:
    """A type of polars that readers of Arrow take in place of another, often the same; `None` for objects of Python."""
    if kind == polars.Object:
        return None
    if str(kind) in ("Null", "Int128", "UInt128"):
        return polars.String
    if kind == polars.List or kind == polars.Array:
        inner = _fit(kind.inner, polars)
        return kind if inner == kind.inner else inner and polars.List(inner)
    if kind == polars.Struct:
        inner = {field.name: _fit(field.dtype, polars) for field in kind.fields}
        same = all(inner[field.name] == field.dtype for field in kind.fields)
        return kind if same else None if None in inner.values() else polars.Struct(inner)
    return kind


class _OfPandas:
    """A frame of pandas; where a column has no form in Arrow, without those that nobody asks for. Values of objects that Arrow would change
    or refuse are texts."""

    def __init__(self, frame: Any, fields: Optional[Sequence[str]]) -> None:
        self._frame, self._fields = frame, fields
        self.all_columns = "\n".join(map(str, frame.columns))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        from pandas import PeriodDtype
        from pandas.api.types import infer_dtype

        asked, frame = _asked(self._frame.columns, self._fields), self._frame
        sessions = ["session"] if self._fields is None else getattr(self._fields, "sessions", ())
        for name in frame.columns:
            column = frame[name]
            if name in asked and isinstance(column.dtype, PeriodDtype):
                # Arrow has their numbers.
                frame = _replaced(frame, name, column.astype(str).where(column.notna(), None))
            if column.dtype != object or infer_dtype(column) in _SAFE:
                continue
            if any(map(is_too_deep, column)):
                raise MultitraceError(f"{name!r} has a value that contains itself, or too many others in one another")
            texts = _with_texts(column, sessions) if name in asked else None
            if texts is not None:
                frame = _replaced(frame, name, texts)
        try:
            return frame.__arrow_c_stream__(requested_schema)
        except (NotImplementedError, TypeError, ValueError) as error:
            if len(asked) < len(frame.columns):
                frame = frame[asked]
            elif not isinstance(error, NotImplementedError):
                raise
        try:
            return frame.__arrow_c_stream__(requested_schema)
        except NotImplementedError as error:
            raise TypeError(*map(str, error.args)) from error


def _replaced(frame: Any, name: Any, column: Any) -> Any:
    """A frame with another column; names may be numbers."""
    frame = frame.copy(deep=False)
    frame[name] = column
    return frame


_Path = Tuple[str, ...]
_SAFE = ("string", "bytes", "boolean", "empty")
"""Kinds of columns that Arrow has as they are."""


def _with_texts(column: Any, sessions: Sequence[str]) -> Any:
    """A column of pandas with texts at the places where Arrow would change values or refuse them: those of several kinds, which it
    makes alike; nanoseconds, which it cuts; and integers beyond 64 bits, among others. `None` if there is no such place."""
    import pandas

    kinds: Dict[_Path, Set[str]] = {}
    for value in column:
        _add_kinds(value, (), kinds)
    named = {re.sub(r"\[.*?\]", ".[]", name) for name in sessions}
    # Floats name no sessions, which the types of columns say.
    kept = {path for path, found in kinds.items() if {"float", "float16", "float32"} & found and ".".join((str(column.name), *path)) in named}
    changed = {path for path, found in kinds.items() if _is_changed(found)} - kept
    return pandas.Series([_texts_at(value, (), changed) for value in column], column.index, object) if changed else None


def _add_kinds(value: Any, path: _Path, kinds: Dict[_Path, Set[str]]) -> None:
    """Adds the kinds of a value and of those in it, by their places; the items of a list have one place."""
    if isinstance(value, str):
        kinds.setdefault(path, set()).add("text")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _add_kinds(item, (*path, str(key)), kinds)
    elif (items := _parts(value)) is not None:
        for item in items:
            _add_kinds(item, (*path, "[]"), kinds)
    else:
        kinds.setdefault(path, set()).update(_kinds_of(value))


def _parts(value: Any) -> Optional[List[Any]]:
    return list(value) if isinstance(value, (list, tuple)) else _items(value)


def _kinds_of(value: Any) -> Iterator[str]:
    if _is_missing(value):
        return
    kind = type(value).__name__
    if kind == "datetime64":
        # Arrow takes the unit of the first one, and not every unit.
        yield from ("day" if unit_of(value)[1] in DAYS else "time", "changed")
    elif isinstance(value, datetime.datetime):
        yield "time" if value.tzinfo is None else "time with an offset"
    elif isinstance(value, datetime.date):
        yield "day"
    elif isinstance(value, datetime.time):
        yield "hour" if value.tzinfo is None else "changed"
    elif kind == "timedelta64":
        yield from ("duration", "changed")
    elif isinstance(value, datetime.timedelta):
        yield "duration"
    elif isinstance(value, decimal.Decimal):
        exponent = value.as_tuple().exponent
        yield f"decimal of {exponent}" if isinstance(exponent, int) else "changed"
    elif isinstance(value, uuid.UUID) or kind == "Period":
        yield "changed"
    elif isinstance(value, (bytes, bytearray, memoryview)):
        yield "bytes"
    elif isinstance(value, bool) or kind == "bool":
        yield "truth"
    elif isinstance(value, numbers.Integral):
        yield "integer" if -(2**63) <= int(value) < 2**63 else "changed"
    elif isinstance(value, numbers.Real):
        yield kind if kind in ("float16", "float32") else "float"
    else:
        yield "other"
    # Arrow has objects in microseconds.
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):
        yield "changed"


def _is_changed(kinds: Set[str]) -> bool:
    """Whether Arrow changes or refuses some values of these kinds, and all of them can be texts."""
    return ("changed" in kinds or len(kinds) > 1) and "other" not in kinds


def _texts_at(value: Any, path: _Path, changed: Set[_Path]) -> Any:
    if isinstance(value, Mapping):
        return {key: _texts_at(item, (*path, str(key)), changed) for key, item in value.items()}
    items = None if isinstance(value, str) else _parts(value)
    if items is not None:
        return [_texts_at(item, (*path, "[]"), changed) for item in items]
    return value_text(value, _text) if path in changed else value


def _is_missing(value: Any) -> bool:
    kind = type(value).__name__
    if value is None or kind in ("NAType", "NaTType"):
        return True
    if isinstance(value, decimal.Decimal):
        return value.is_nan()
    return (kind == "datetime64" or isinstance(value, numbers.Number)) and bool(value != value)


class _Again:
    """A table that is read from its beginning whenever it is asked for; `columns` are all of it, also those that are not read."""

    def __init__(self, read: Callable[[], Any], columns: Iterable[Any] = ()) -> None:
        self._read = read
        self.all_columns = "\n".join(map(str, columns))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        with _reading("the table"):
            return self._read().__arrow_c_stream__(requested_schema)


def _asked(columns: Sequence[str], fields: Optional[Sequence[str]]) -> List[str]:
    """The columns that hold fields; all if there is no mapping, or if none does, so that the error names them."""
    if fields is None:
        return list(columns)
    asked = [name for name in columns if any(_is_in(field, name) for field in fields)]
    return asked or list(columns)


def _is_in(field: str, column: str) -> bool:
    column = str(column)
    return field == column or field.startswith((column + ".", column + "[", column + "|"))


def _lines(items: Iterable[Any]) -> Lines:
    lines = Lines(_text)
    for number, item in enumerate(items, 1):
        # A row of a frame is a series.
        if not isinstance(item, Mapping) and getattr(item, "ndim", 2) != 1 and is_table(table_of(item, None)):
            raise MultitraceError(
                f"the list, item {number}: {type(item).__name__} is a table; check one table, put several together "
                "with the concat of their library, or give them to check_stream if sessions follow one another"
            )
        row = _dict(item, number)
        lines.add(row if type(row) is dict else dict(row))
    return lines


def _dict(item: Any, number: int) -> Mapping[str, Any]:
    """A row as a dict: named tuples, rows of Spark, of `iterrows()`, of arrays of records and of databases, models of pydantic and instances
    of data classes stand for one."""
    for name in ("_asdict", "asDict", "to_dict", "model_dump"):
        if hasattr(item, name):
            made: Mapping[str, Any] = getattr(item, name)()
            return made
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return {field.name: getattr(item, field.name) for field in dataclasses.fields(item)}
    if isinstance(item, Mapping):
        return item
    if names := item.keys() if hasattr(item, "keys") else _record_names(item):
        return {name: item[name] for name in names}
    if hasattr(item, "as_py") and isinstance(item.as_py(), Mapping):
        return item.as_py()  # type: ignore[no-any-return]
    hint = "; give the table itself, or dicts, as iter_rows(named=True) of polars makes" if isinstance(item, tuple) else ""
    hint = "; give the frame itself, and not its groups or rows" if isinstance(item, tuple) and any(is_table(part) or hasattr(part, "to_dict") for part in item) else hint
    hint = "; give the path of an open file, not the file" if isinstance(item, bytes) else hint
    raise MultitraceError(
        f"the list, item {number}: {type(item).__name__} is not a dict; a list has paths, or dicts "
        f'{{"session": …, "traces": {{location: [actions]}}}}, or, with events=, one dict for each event{hint}'
    )


def _items(value: Any) -> Optional[List[Any]]:
    """The list that an array of another library is, such as those that rows of data frames have."""
    if getattr(value, "ndim", 1) == 0:
        return None
    kind = getattr(value, "dtype", None)
    if getattr(kind, "kind", "") in ("M", "m") or str(kind) in ("float16", "float32"):
        # Of these, numpy would make numbers of nanoseconds, or with more digits.
        return list(value)
    for name in ("tolist", "to_list"):
        if hasattr(value, name):
            items = getattr(value, name)()
            return items if isinstance(items, list) else None
    return None


def _text(value: Any) -> Any:
    """What JSON has for a value: times as RFC 3339, arrays as lists, numbers of other libraries as numbers, all as columns of tables
    have them."""
    kind = type(value).__name__
    if kind in ("NAType", "NaTType") or (kind in ("datetime64", "timedelta64") and value != value):
        return None
    if kind == "datetime64":
        return time_of_numpy(value)
    if kind == "timedelta64":
        return duration_text(nanoseconds_of(value))
    if isinstance(value, datetime.timedelta):
        micros = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
        return duration_text(micros * 1_000 + getattr(value, "nanoseconds", 0))
    if isinstance(value, datetime.datetime) and value.utcoffset() is not None:
        return short(value.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat()) + "Z"
    if isinstance(value, (datetime.datetime, datetime.time)):
        return short(value.isoformat())
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if kind == "Period":
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return value.hex()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    items = _items(value)
    if items is not None:
        return items
    for name in ("item", "as_py"):
        made = getattr(value, name)() if hasattr(value, name) else value
        if type(made) is not type(value):
            return made
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{kind} has no form in JSON; make it a text, a number or a time")


def plain(value: Any) -> Any:
    """A number or truth value of numpy as one of Python; anything else as it is."""
    return value.item() if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0 else value


def _not_an_input(value: object) -> MultitraceError:
    if hasattr(value, "collect"):
        return MultitraceError(f"{type(value).__name__} has no rows yet: check(data.collect())")
    return MultitraceError(
        f"{type(value).__name__} is not an input; known are paths, patterns and URLs, dicts and named tuples, and tables "
        "that speak the Arrow PyCapsule protocol (pyarrow, pandas 2.2, polars 1.3, DuckDB), lazy ones, data sets and Parquet files "
        "of them"
    )


_OF_EVENTS = ("session", "lifeline", "location", "message", "direction", "order", "ties")
"""Keys of `[event]`; a mapping has none of them above it."""


def events_argument(events: Optional[Events]) -> Optional[Tuple[str, str]]:
    """The name of a mapping in messages, and its text."""
    if events is None:
        return None
    if isinstance(events, Mapping):
        if misplaced := [name for name in _OF_EVENTS if name in events]:
            raise MultitraceError(
                f"the mapping: unknown key {misplaced[0]!r}; the fields of an event stand in a dict of their own: "
                f'{{"event": {{"{misplaced[0]}": {events[misplaced[0]]!r}, …}}}}'
            )
        # An empty one is not a mapping, also where the bundle has one.
        try:
            return ("the mapping", unicode("the mapping", to_toml(events)))
        except RecursionError:
            raise MultitraceError("the mapping: a value contains itself, or too many others in one another") from None
    if not isinstance(events, (str, os.PathLike)):
        raise MultitraceError(
            f"events: {type(events).__name__} is not a mapping; it is the path of a TOML file, its text, or a dict"
        )
    text = os.fspath(events)
    if not text.strip():
        raise MultitraceError("events: an empty text is not a mapping; events={} reads sessions, whatever the bundle has")
    if text.lstrip().startswith("{"):
        raise MultitraceError("events: this text is JSON, and the text of a mapping is TOML; json.loads makes the dict that events= takes")
    is_text = "\n" in text or ("=" in text and not os.path.exists(text))
    if isinstance(events, str) and is_text:
        return ("the mapping", unicode("events", text))
    text, name = local_file(events), shown_name(text)
    try:
        return (name, Path(text).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MultitraceError(
            f"{name}: {reason}; events= is the path of a mapping, its text, or a dict",
            [(name, None, None, str(reason))],
        ) from None


def propose_mapping(data: Input) -> str:
    """The text of a mapping for events, proposed by their first records, to read and to change; it takes the inputs of `Bundle.check`.

    A part of an event is proposed if one field alone is good enough; of others a comment asks, and names the likeliest fields.
    """
    return _multitrace.propose_mapping(source_of(table_of(data, None), None))


def to_toml(table: Mapping[str, Any]) -> str:
    """A dict as TOML, with every value in one line.

    >>> to_toml({"event": {"session": "id"}, "rule": [{"when": {"kind": "a"}}]})
    '"event" = {"session" = "id"}\\n"rule" = [{"when" = {"kind" = "a"}}]\\n'
    """
    return "".join(f"{_key(key)} = {_value(value, key)}\n" for key, value in table.items())


def _key(key: str) -> str:
    return json.dumps(str(key), ensure_ascii=False)


def _value(value: Any, name: str) -> str:
    if isinstance(value, Mapping):
        if name == "when" and (absent := [key for key, item in value.items() if _is_missing(item)]):
            hint = f'records without a value are {{"{absent[0]}": {{"exists": False}}}}, and those with one {{"exists": True}}'
            raise MultitraceError(f"the mapping: {absent[0]!r} is {value[absent[0]]!r}, which has no form in TOML; {hint}")
        return "{" + ", ".join(f"{_key(key)} = {_value(item, key)}" for key, item in value.items()) + "}"
    items = None if isinstance(value, (str, bytes)) else _parts(value)
    if items is not None:
        return "[" + ", ".join(_value(item, name) for item in items) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    try:
        # The texts that values of records have, so that conditions find them.
        text = None if isinstance(value, bytes) else value_text(value, _text)
    except (TypeError, ValueError):
        text = None
    if text is not None:
        is_plain = isinstance(plain(value), (bool, int, float)) and text != "inf" and text != "-inf"
        return text if is_plain else json.dumps(text)
    raise MultitraceError(f"the mapping: {name!r} is {value!r}, which has no form in TOML; give a text, a number or a dict, or leave the key out")
