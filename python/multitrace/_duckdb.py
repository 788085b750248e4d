"""Relations and connections of DuckDB."""

from __future__ import annotations

import glob
import re
import warnings
from typing import Any, Callable, Optional

from ._errors import MultitraceError

_CHANGED = {
    "BIT": "bytes of its own form",
    "BIGNUM": "bytes of its own form",
    "TIME WITH TIME ZONE": "times of day without their offset",
}
"""Types that DuckDB gives to other libraries as something else, and what that is."""


def of_duckdb(source: Any, is_read: Callable[[str], bool]) -> Any:
    """The rows of a relation, or of the query that a connection executed last. A column that is read is an error if DuckDB gives other values
    of it than it shows."""
    if type(source).__name__ == "DuckDBPyConnection":
        rows = _rows_of_query(source)
        kinds = {column[0]: str(column[1]) for column in source.description or ()}
    else:
        rows, kinds = source, dict(zip(source.columns, map(str, source.types)))
    for name, kind in kinds.items():
        if kind in _CHANGED and is_read(name):
            raise MultitraceError(
                f"the column {name!r} is a {kind}, of which DuckDB gives {_CHANGED[kind]}; make it a text in the query, as in "
                f"select {name}::text as {name}"
            )
    return rows


_QUERY = re.compile(r"\s*(select\s|(with|from)\s.*\sselect\s|from\s+\S+\s*;?\s*$)", re.IGNORECASE | re.DOTALL)


def refuse_query(path: str) -> None:
    """Says how the rows of a query are given, where its text stands for a path and no file is called like that."""
    if _QUERY.match(path) and not glob.glob(path):
        raise MultitraceError("this text is a query and not a path; give its rows: duckdb.sql(query), or con.sql(query)")


def _rows_of_query(connection: Any) -> Any:
    """The rows of the query that was executed last, which can be read once."""
    reason: Optional[Exception] = None
    name = "to_arrow_reader" if hasattr(connection, "to_arrow_reader") else "fetch_record_batch"  # Before DuckDB 1.4.
    try:
        with warnings.catch_warnings():
            # It advises con.sql, which saves a copy of the rows; a test that takes warnings for errors would fail.
            warnings.simplefilter("ignore")
            reader = getattr(connection, name)()
    except Exception as error:  # DuckDB has an error of its own.
        reader, reason = None, error
    if reason is not None and "result set" not in str(reason):
        raise MultitraceError(f"the query of the connection fails: {str(reason).strip()}") from reason
    if reader is None:
        raise MultitraceError(
            "the connection has no rows to read: execute a query first, once for each check, or give con.sql(query) or "
            "duckdb.sql(query), which can be read again"
        ) from reason
    return reader
