"""Bundles: compiled, saved, pickled, drawn, and fed event by event."""

from __future__ import annotations

import pickle
import xml.dom.minidom
from pathlib import Path

import multitrace
import pytest
from conftest import EXAMPLES, command_line


def test_the_bytes_are_those_of_the_command_line(mqtt: multitrace.Bundle, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.mtb", tmp_path / "theirs.mtb"
    mqtt.save(ours)
    spec = str(EXAMPLES / "mqtt/mqtt.hif")
    assert command_line(["compile", spec, "-o", str(theirs)]).returncode == 0
    assert ours.read_bytes() == theirs.read_bytes() == mqtt.bytes == mqtt.to_bytes()
    loaded = multitrace.load(ours)
    assert loaded.bytes == mqtt.bytes and loaded.locations == mqtt.locations
    assert oct(ours.stat().st_mode) == oct(theirs.stat().st_mode)


def test_it_can_be_pickled(mqtt: multitrace.Bundle) -> None:
    again = pickle.loads(pickle.dumps(mqtt))
    assert again.bytes == mqtt.bytes
    assert again.check(EXAMPLES / "mqtt/sessions.jsonl").summary["fail"] == 6


def test_texts_and_paths() -> None:
    text = multitrace.compile("sequenceDiagram\n  client->>shop: order\n")
    assert text.locations == ["client", "shop"]
    assert text.actions == ["client!order", "shop?order"]
    path = multitrace.compile(EXAMPLES / "checkout/SPEC.md")
    assert "client" in path.locations
    one = multitrace.compile("a -- m -> b", locations="a,b")
    assert one.locations == ["a,b"]
    named = multitrace.compile("a -- m -> b", format="hif", observe="prefix")
    assert named.observe == "prefix"


@pytest.mark.parametrize(
    ("text", "kind"),
    [("flowchart TD\n  A-->B", "flowchart"), ("# Shop\n```mermaid\nstateDiagram-v2\n```\n", "state diagram"), ("gantt\n", "Gantt chart")],
)
def test_diagrams_of_another_kind_are_called_so(text: str, kind: str) -> None:
    with pytest.raises(multitrace.MultitraceError, match=f"this is a {kind} of Mermaid, and sequence diagrams are read"):
        multitrace.compile(text)
    with pytest.raises(multitrace.MultitraceError, match="not a sequence diagram"):
        multitrace.compile("@startmindmap\n* a\n@endmindmap")


def test_pictures(mqtt: multitrace.Bundle, tmp_path: Path) -> None:
    drawing = mqtt.draw()
    xml.dom.minidom.parseString(drawing.svg)
    assert mqtt._repr_svg_() == drawing._repr_svg_() == drawing.svg
    assert "publisher" in str(drawing)
    for name in ("a.svg", "a.txt"):
        drawing.save(tmp_path / name)
        assert (tmp_path / name).read_text() in (drawing.svg, str(drawing))
    with pytest.raises(multitrace.MultitraceError, match="known are .svg"):
        drawing.save(tmp_path / "a.bmp")


def test_a_session_event_by_event(mqtt: multitrace.Bundle) -> None:
    session = mqtt.session("s1")
    assert session.possible("publisher") == ["publisher!open"]
    assert session.push("publisher", "publisher!open") is None
    finding = session.push("publisher", "publisher!open")
    assert finding is not None
    assert (finding.code, finding.location, finding.index) == ("MT101", "publisher", 1)
    assert finding.expected == ["publisher!close", "publisher!publish"]
    verdict = session.finish()
    assert verdict.verdict == "fail" and not verdict
    assert verdict.findings[0].code == "MT113" and verdict.findings[0].location == "broker"
    with pytest.raises(multitrace.MultitraceError, match="the session is over"):
        session.push("publisher", "publisher!open")


def test_sessions_outlive_their_bundle() -> None:
    session = multitrace.compile("a -- m -> b").session()
    assert session.push("a", "a!m") is None
    assert session.push("b", "b?m") is None
    assert session.finish()


def test_warnings() -> None:
    bundle = multitrace.compile("seq(a -- m -> b, a -- m -> b, c -- mm -> b)")
    assert isinstance(bundle.warnings, str)
    assert multitrace.Bundle.from_bytes(bundle.bytes).warnings == ""


def test_a_mapping_stays_in_the_bundle() -> None:
    events = {
        "event": {"session": "s", "lifeline": "node", "message": "what", "direction": "emission"},
        "rule": [{"when": {"kind": "in"}, "direction": "reception"}],
    }
    bundle = multitrace.compile("a -- m -> b", events=events)
    assert bundle.events is not None and '"session" = "s"' in bundle.events
    rows = [
        {"s": "s1", "node": "a", "kind": "out", "what": "m"},
        {"s": "s1", "node": "b", "kind": "in", "what": "m"},
    ]
    assert bundle.check(rows).outcome == "clean"
    assert multitrace.Bundle.from_bytes(bundle.bytes).check(rows).outcome == "clean"


def test_a_diagram_is_read_as_options_say() -> None:
    text = "sequenceDiagram\n  a->>b: m\n  b->>b: work\n"

    def passes(bundle: multitrace.Bundle, traces: dict[str, list[str]]) -> bool:
        return bundle.check([{"session": "s", "traces": traces}]).summary["pass"] == 1

    events = {"a": ["a!m"], "b": ["b?m", "b!work"]}
    assert passes(multitrace.compile(text), events)
    assert not passes(multitrace.compile(text, diagrams="self=send-receive"), events)
    more = {"a": ["a!m", "a!log"], "b": ["b?m", "b!work"], "c": ["c!x"]}
    assert not passes(multitrace.compile(text), more)
    assert passes(multitrace.compile(text, unjudged="all"), more)
    less = {"a": ["a!m"], "b": ["b!work"]}
    assert passes(multitrace.compile(text, unlogged="b?m"), less)
    with pytest.raises(multitrace.MultitraceError, match="nothing of diagrams is called"):
        multitrace.compile(text, diagrams="selves=local")
