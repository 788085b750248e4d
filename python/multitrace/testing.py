"""Logs in tests: an assertion, and the fixture `conforms` of pytest."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Protocol, Sized, Tuple, Union

from ._bundle import Bundle, compile
from ._errors import MultitraceError
from ._inputs import Input, PathLike
from ._options import CheckOptions, named_options, with_options
from ._report import Report

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["assert_conforms"]


_told = with_options(Bundle.check, only=CheckOptions.__annotations__, errors="report")


@named_options
@_told
def assert_conforms(data: Input, spec: Union[Bundle, PathLike], **options: Unpack[CheckOptions]) -> Report:
    """Checks data against a specification (a bundle, a path, or a text), and raises an `AssertionError` whose text is the
    report if it is not clean. The options are those of `Bundle.check`; `events` may be among them.

    >>> assert_conforms({"session": "s", "traces": {"a": ["a!m"], "b": ["b?m"]}}, "a -- m -> b").outcome
    'clean'
    """
    __tracebackhide__ = True
    options.setdefault("errors", "report")
    verdicts = options.get("fail_on")
    if isinstance(verdicts, Sized) and len(verdicts) == 0:
        raise MultitraceError("fail_on: it names no verdict, so that no session could fail the test")
    try:
        bundle = spec if isinstance(spec, Bundle) else compile(spec)
        report = bundle.check(data, **options)
    except MultitraceError as error:
        # pytest prints the lines of each call, and those of this package tell nothing.
        raise error.with_traceback(None) from None
    return report.raise_for_outcome()


class Conforms(Protocol):
    """The type of the fixture `conforms`."""

    def __call__(self, data: Input, spec: Union[Bundle, PathLike], **options: Unpack[CheckOptions]) -> Report: ...


def fixture() -> Conforms:
    """`assert_conforms` that compiles each specification once, and again when its file has changed."""
    kept: Dict[Tuple[Any, ...], Bundle] = {}

    def compiled(spec: PathLike) -> Bundle:
        __tracebackhide__ = True
        key = _version(spec)
        if key not in kept:
            try:
                kept[key] = compile(spec)
            except MultitraceError as error:
                raise error.with_traceback(None) from None
        return kept[key]

    @_told
    def conforms(data: Input, spec: Union[Bundle, PathLike], **options: Unpack[CheckOptions]) -> Report:
        __tracebackhide__ = True
        return assert_conforms(data, spec if isinstance(spec, Bundle) or not isinstance(spec, (str, os.PathLike)) else compiled(spec), **options)

    return conforms


def _version(spec: PathLike) -> Tuple[Any, ...]:
    """What tells a specification from others: its file with the time of its last change, or its text."""
    text = os.fspath(spec)
    for path in (text, text.rpartition("#")[0]):
        try:
            found = os.stat(path)
            return (isinstance(spec, str), os.path.abspath(text), found.st_mtime_ns, found.st_size, found.st_ino)
        except (OSError, ValueError):
            continue
    return (isinstance(spec, str), text)
