"""Times and durations of numpy, and durations of Python, as texts of ISO 8601."""

from __future__ import annotations

import re
from typing import Any, Tuple

__all__ = ["DAYS", "duration_text", "nanoseconds_of", "short", "time_of_numpy", "unit_of"]

DAYS = ("Y", "M", "W", "D")
"""Units of numpy that have no time of day."""

_PICOSECONDS = {
    "W": 604_800 * 10**12, "D": 86_400 * 10**12, "h": 3_600 * 10**12, "m": 60 * 10**12, "s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3, "ps": 1,
}


def short(text: str) -> str:
    """A time of day with as many groups of three decimals as it needs."""
    while "." in text and text.endswith("000"):
        text = text[:-3]
    return text.removesuffix(".")


def time_of_numpy(value: Any) -> str:
    _, unit = unit_of(value)
    if unit in DAYS:
        return str(value.astype("datetime64[D]"))
    if unit in ("ps", "fs", "as") and value.astype("datetime64[ns]") != value:
        raise TypeError(f"{value!r} is not a whole number of nanoseconds")
    return short(str(value.astype(f"datetime64[{'ns' if unit.endswith('s') and unit not in ('s', 'ms', 'us') else 'us'}]")))


def duration_text(nanoseconds: int) -> str:
    if nanoseconds == 0:
        return "P0D"
    seconds, rest = divmod(abs(nanoseconds), 10**9)
    decimals = f".{rest:09}".rstrip("0").rstrip(".")
    return f"{'-' if nanoseconds < 0 else ''}PT{seconds}{decimals}S"


def unit_of(value: Any) -> Tuple[int, str]:
    """The unit of a time or duration of numpy, and how many of it are one; of numbers without one, it takes microseconds."""
    found = re.search(r"\[(\d*)(\w+)\]", str(value.dtype))
    return (1, "us") if found is None else (int(found[1] or 1), found[2])


def nanoseconds_of(duration: Any) -> int:
    """A duration of numpy, which gives whole numbers of nanoseconds and none of others."""
    count, unit = unit_of(duration)
    picoseconds = int(duration.astype("int64")) * count * _PICOSECONDS.get(unit, 0)
    if unit not in _PICOSECONDS or picoseconds % 1_000:
        raise TypeError(f"{duration!r} is not a whole number of nanoseconds")
    return picoseconds // 1_000
