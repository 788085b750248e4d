"""The fixture of pytest, which it finds by the entry point of the package."""

from __future__ import annotations

import pytest

from .testing import Conforms, fixture


@pytest.fixture(scope="session")
def conforms() -> Conforms:
    """`conforms(events, "SPEC.md", events="map.toml")`: as `multitrace.assert_conforms`; each specification is compiled once."""
    return fixture()
