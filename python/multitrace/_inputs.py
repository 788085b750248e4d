"""What can be checked: files, lists of dicts, and tables of Arrow."""

from __future__ import annotations

import decimal
import json
import os
from pathlib import Path
from typing import Any, Iterable, List, Mapping, Optional, Protocol, Sequence, Tuple, Union

from ._errors import MultitraceError
from ._multitrace import Source

__all__ = ["ArrowTable", "Events", "Input", "events_argument", "source_of"]


class ArrowTable(Protocol):
    """A table of pyarrow, pandas, polars, DuckDB or anything else that speaks the Arrow PyCapsule protocol."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


PathLike = Union[str, "os.PathLike[str]"]
Input = Union[PathLike, Sequence[PathLike], Iterable[Mapping[str, Any]], ArrowTable]
"""Paths, folders and patterns; dicts; or a table."""

Events = Union[PathLike, Mapping[str, Any]]
"""A mapping of event logs: the path of a TOML file, its text, or the same as a dict."""


def source_of(value: Input, events: Optional[Tuple[str, str]], exclude: Sequence[str] = ()) -> Source:
    """The source of sessions or events that a value stands for, without what is excluded of folders and patterns."""
    if isinstance(value, (str, os.PathLike)):
        return Source.files([Path(value)], events, list(exclude))
    if hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__"):
        return Source.table(_with_types(value), events)
    if isinstance(value, (bytes, bytearray, Mapping)):
        raise _not_an_input(value)
    try:
        items = list(value)
    except TypeError:
        raise _not_an_input(value) from None
    paths = [Path(item) for item in items if isinstance(item, (str, os.PathLike))]
    if items and len(paths) == len(items):
        return Source.files(paths, events, list(exclude))
    return Source.lines(_lines(items), events)


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
    if isinstance(value, Mapping):
        return MultitraceError(f"{type(value).__name__} is no input; put it in a list: check([data])")
    if hasattr(value, "collect"):
        return MultitraceError(f"{type(value).__name__} has no rows yet: check(data.collect())")
    return MultitraceError(
        f"{type(value).__name__} is no input; known are paths and patterns, a list of dicts, and tables "
        "that speak the Arrow PyCapsule protocol (pyarrow, pandas 2.2, polars 1.3, DuckDB)"
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
