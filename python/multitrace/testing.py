"""Logs in tests: an assertion, and the fixture `conforms` of pytest."""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, Union

from ._bundle import Bundle, compile
from ._inputs import Input, PathLike
from ._report import Report

__all__ = ["assert_conforms"]


def assert_conforms(data: Input, spec: Union[Bundle, PathLike], **options: Any) -> Report:
    """Checks data against a specification (a bundle, a path, or a text), and raises an `AssertionError` whose text is the
    report if it is not clean. The options are those of `Bundle.check`; `events` may be among them.

    >>> assert_conforms({"session": "s", "traces": {"a": ["a!m"], "b": ["b?m"]}}, "a -- m -> b").outcome
    'clean'
    """
    __tracebackhide__ = True
    bundle = spec if isinstance(spec, Bundle) else compile(spec)
    return bundle.check(data, **{"errors": "report", **options}).raise_for_outcome()


def fixture() -> Callable[..., Report]:
    """`assert_conforms` that compiles each specification once."""
    @functools.lru_cache(maxsize=None)
    def compiled(spec: str) -> Bundle:
        return compile(spec)

    def conforms(data: Input, spec: Union[Bundle, PathLike], **options: Any) -> Report:
        __tracebackhide__ = True
        return assert_conforms(data, spec if isinstance(spec, Bundle) else compiled(os.fspath(spec)), **options)

    return conforms
