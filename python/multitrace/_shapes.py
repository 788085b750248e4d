"""The types of parts of a report, as in its JSON (docs/output.md)."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict


class GroupPlace(TypedDict):
    """A place in the logs at which sessions of a group are wrong."""

    fingerprint: str
    title: str
    count: int


class _Session(TypedDict):
    session: str


class GroupSession(_Session, total=False):
    """A session of a group, and where it was read."""

    file: str
    line: Optional[int]


class GroupFault(TypedDict):
    """A fault of the example of a group."""

    code: str
    sentence: str


class _Group(TypedDict):
    fingerprint: str
    code: str
    title: str
    standing: str
    verdict: str
    count: int
    places: List[GroupPlace]
    sessions: List[GroupSession]
    example: Dict[str, Any]


class Group(_Group, total=False):
    """One kind of finding. `standing` is `violation`, `tolerated`, `allowed` or `known`; `count` is the number of sessions, of
    which `sessions` has the first ones."""

    location: str
    event: str
    other: str
    places_omitted: int
    known_places: int
    distance: int
    faults: List[GroupFault]
    repair: Dict[str, Any]
