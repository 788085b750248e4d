"""The options of checks: their names and types, and the limits of their values."""

from __future__ import annotations

import difflib
import functools
import inspect
import os
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, TypedDict, TypeVar, Union

from ._errors import MultitraceError, fs_name, shown_name, unicode
from ._inputs import Events, PathLike, local_file, plain


_Function = TypeVar("_Function", bound=Callable[..., Any])


def with_options(*makers: Callable[..., Any], only: Iterable[str], **usual: Any) -> Callable[[_Function], _Function]:
    """Tells notebooks the options that a function takes as `**options`: those of the makers that are called as in `only`, with their types and
    usual values, but those given here."""
    taken = {name: it for maker in makers for name, it in inspect.signature(maker).parameters.items()}

    def told(function: _Function) -> _Function:
        signature = inspect.signature(function)
        own = [it for it in signature.parameters.values() if it.kind is not it.VAR_KEYWORD]
        names = [name for name in taken if name in only and name not in signature.parameters]
        more = [taken[name].replace(kind=inspect.Parameter.KEYWORD_ONLY, default=usual.get(name, taken[name].default)) for name in names]
        setattr(function, "__signature__", signature.replace(parameters=[*own, *more]))
        return function

    return told


_TAKEN: Dict[str, Tuple[str, ...]] = {}
"""The options of functions by their names, so that an error can say whose option a name is."""

_OWNERS = {"compile": "multitrace.compile", "Bundle.check": "Bundle.check"}
_OTHER_WORDS = {"mapping": "events"}


def named_options(function: _Function) -> _Function:
    """Says what an unknown option may be, and that a mapping is named, where it stands without a name behind the input."""
    taken = inspect.signature(function).parameters
    places = [name for name, it in taken.items() if it.kind is it.POSITIONAL_OR_KEYWORD]
    first = ", ".join(name for name in places if name != "self")
    _TAKEN[function.__qualname__] = tuple(name for name, it in taken.items() if it.kind is it.KEYWORD_ONLY)
    # Those that hand options on do not know which of them are wrong.
    is_last = not function.__code__.co_flags & inspect.CO_VARKEYWORDS

    @functools.wraps(function)
    def called(*given: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        name = function.__name__
        if len(given) > len(places):
            raise TypeError(f"{name}() takes its options by their names: give a mapping as events=, {name}({first}, events=mapping)")
        unknown = [option for option in options if option not in taken] if is_last else []
        if unknown:
            hint = _of_unknown(unknown[0], _TAKEN[function.__qualname__])
            raise TypeError(f"{function.__qualname__}() got an unexpected keyword argument {unknown[0]!r}; {hint}")
        return function(*given, **options)

    return called  # type: ignore[return-value]


def _of_unknown(option: str, known: Sequence[str]) -> str:
    """What an unknown option may be: one of another function, one that is called nearly so, or one of those that are known."""
    owners = [shown for function, shown in _OWNERS.items() if option in _TAKEN.get(function, ())]
    if owners:
        return f"`{option}` is an option of {owners[0]}"
    near = [_OTHER_WORDS[option]] if _OTHER_WORDS.get(option) in known else difflib.get_close_matches(option, known, 1)
    return f"did you mean `{near[0]}=`?" if near else f"known are {', '.join(known)}"


class SessionOptions(TypedDict, total=False):
    """The options of `Bundle.check` that are about single sessions."""

    observe: Optional[str]
    repair: bool
    coverage: bool
    fail_on: Union[str, Sequence[str]]
    only_sessions: Optional[Iterable[str]]
    sample: Union[None, int, str]
    seed: int
    shard: Union[None, str, Tuple[int, int]]
    memory: Optional[int]
    threads: Optional[int]
    engine: str
    budget_states: Optional[int]
    budget_memory: Optional[int]
    budget_seconds: Optional[float]


class StreamOptions(SessionOptions, total=False):
    """The options of `Bundle.check` that streams of tables have, too."""

    sessions: bool
    partial: bool
    baseline: Optional[PathLike]
    max_failures: Union[None, int, str]
    max_unmatched: Union[None, int, str]
    min_coverage: Union[None, float, str]
    min_sessions: int
    order_groups: str
    require_location: Union[str, Sequence[str]]


class CheckOptions(StreamOptions, total=False):
    """The options of `Bundle.check`."""

    events: Optional[Events]
    exclude: Union[str, Sequence[str]]
    shard_files: Union[None, str, Tuple[int, int]]
    grouped: bool
    errors: str
    progress: Optional[bool]


_USUAL: Dict[str, Any] = {
    "observe": None,
    "engine": "auto",
    "budget_states": None,
    "budget_memory": None,
    "budget_seconds": None,
    "fail_on": ["fail", "inconclusive"],
    "max_failures": None,
    "baseline": None,
    "repair": False,
    "coverage": False,
    "min_coverage": None,
    "order_groups": "gravest",
    "only_sessions": None,
    "sample": None,
    "seed": 0,
    "threads": None,
    "grouped": False,
    "memory": None,
    "sessions": True,
    "shard": None,
    "shard_files": None,
    "partial": False,
    "by_name": False,
    "max_unmatched": None,
    "min_sessions": 0,
    "require_location": [],
}


def check_options(**given: Any) -> Dict[str, Any]:
    """All options of a check, those that are `None` or not given as usual. An impossible value is an error."""
    unknown = [name for name in given if name not in _USUAL]
    if unknown:
        known = ["events", "errors", *(name for name in _USUAL if name not in ("by_name", "grouped"))]
        raise TypeError(f"{unknown[0]!r} is not an option of this check; {_of_unknown(unknown[0], known)}")
    options = {**_USUAL, **{name: plain(value) for name, value in given.items() if value is not None}}
    for name in ("budget_states", "budget_memory", "memory", "threads"):
        whole(name, options[name], 1)
    for name in ("seed", "min_sessions"):
        whole(name, options[name], 0)
    for name in ("repair", "coverage", "grouped", "sessions", "partial"):
        if not isinstance(options[name], bool):
            raise MultitraceError(f"{name}: {options[name]!r} is neither True nor False")
    for name in ("fail_on", "only_sessions"):
        options[name] = texts(name, options[name])
    for name in ("max_failures", "sample"):
        options[name] = count_or_rate(name, options[name])
    for name in ("shard", "shard_files"):
        options[name] = _shard(name, options[name])
    options["min_coverage"] = percent("min_coverage", options["min_coverage"])
    names = ("max_unmatched", "min_sessions", "require_location")
    options["demands"] = demands(*(options.pop(name) for name in names))
    if options["baseline"] is not None:
        options["baseline"] = read(options["baseline"])
    seconds = options["budget_seconds"]
    # No budget is longer than a century, and an infinite one counts as no budget.
    if seconds is not None and not (_is_number(seconds) and 0 <= seconds <= 3.2e9):
        raise MultitraceError(f"budget_seconds: {seconds!r} is not a number of seconds from 0 on")
    for name in ("observe", "engine", "order_groups"):
        if options[name] is not None and not isinstance(options[name], str):
            raise MultitraceError(f"{name}: {options[name]!r} is not a text")
    for name, value in options.items():
        if isinstance(value, str):
            unicode(name, value)
    return options


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# The largest number that the engine counts with.
_LARGEST = 2**63 - 1


def one_of(name: str, value: Any, known: Sequence[str]) -> None:
    if value not in known:
        raise MultitraceError(f"{name}: {value!r} is not known; known are {', '.join(known)}")


def whole(name: str, value: Any, least: int) -> Optional[int]:
    """A whole number, or `None`. The engine says how large it may be, if that is less than it counts."""
    value = plain(value)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise MultitraceError(f"{name}: {value!r} is not a whole number from {least} on")
    if value > _LARGEST:
        raise MultitraceError(f"{name}: {value!r} is more than {_LARGEST}")
    return value


def texts(name: str, value: Any) -> Optional[List[str]]:
    """One text, or several."""
    if value is None or isinstance(value, str):
        return None if value is None else [unicode(name, value)]
    if not isinstance(value, Iterable):
        raise MultitraceError(f"{name}: {value!r} is neither a text nor several{_as_text(name, value)}")
    # Those of arrays of Arrow have a type of their own.
    several = [item.as_py() if hasattr(item, "as_py") else item for item in value]
    for text in several:
        if not isinstance(text, str):
            raise MultitraceError(f"{name}: {plain(text)!r} is not a text{_as_text(name, text)}")
        unicode(name, text)
    return several


def _as_text(name: str, value: Any) -> str:
    """The remedy for a number or another value in place of the name of a session."""
    return f"; names of sessions are the texts of their values, as in {str(plain(value))!r}" if name == "only_sessions" else ""


def count_or_rate(name: str, value: Any, least: int = 1) -> Optional[str]:
    if value is None or (isinstance(value, str) and value.strip().endswith("%")):
        return None if value is None else unicode(name, value)
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    value = plain(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise MultitraceError(f"{name}: {value!r} is not known; it is a number from {least}, or a rate such as \"0.5%\"")
    return str(whole(name, value, 1))


def demands(max_unmatched: Any, min_sessions: Any, require_location: Any) -> Dict[str, Any]:
    """The demands on the input; if it does not meet them, the outcome is an error."""
    max_unmatched = plain(max_unmatched)
    most = "0" if max_unmatched in (0, "0") and not isinstance(max_unmatched, bool) else None
    return {
        "max_unmatched": most or count_or_rate("max_unmatched", max_unmatched, 0),
        "min_sessions": whole("min_sessions", min_sessions, 0) or 0,
        "require_location": texts("require_location", require_location),
    }


def _shard(name: str, value: Any) -> Optional[str]:
    if isinstance(value, tuple) and len(value) == 2:
        return f"{plain(value[0])}/{plain(value[1])}"
    if value is not None and not isinstance(value, str):
        raise MultitraceError(f"{name}: {value!r} is not a shard such as \"2/8\"")
    return value


def percent(name: str, value: Any) -> Optional[float]:
    value = plain(value)
    number = value
    if isinstance(value, str):
        try:
            number = float(value.strip().removesuffix("%"))
        except ValueError:
            number = None
    if value is not None and not (_is_number(number) and 0 <= number <= 100):
        raise MultitraceError(f"{name}: {value!r} is not a percentage from 0 to 100, as in 80 or \"80%\"")
    return None if number is None else float(number)


def read(path: PathLike) -> Tuple[str, str]:
    name = fs_name(path)
    try:
        return (shown_name(name), Path(local_file(path)).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error)
        raise MultitraceError(f"{shown_name(name)}: {reason}", [(shown_name(name), None, None, reason)]) from None
