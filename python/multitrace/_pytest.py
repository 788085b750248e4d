"""The fixture of pytest, which it finds by the entry point of the package."""

from __future__ import annotations

from typing import Callable

import pytest

from ._report import Report
from .testing import fixture


@pytest.fixture(scope="session")
def conforms() -> Callable[..., Report]:
    """`conforms(events, "SPEC.md", events="map.toml")`: as `multitrace.assert_conforms`; each specification is compiled once."""
    return fixture()
