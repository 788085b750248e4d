"""Everything that is wrong is an exception with its place and a remedy."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List

import multitrace
import numpy
import pandas
import pyarrow
import pytest
from conftest import EXAMPLES


def test_a_wrong_specification_names_its_places() -> None:
    with pytest.raises(multitrace.MultitraceError) as caught:
        multitrace.compile("seq(a -- m -> b")
    (place, *_) = caught.value.places
    assert (place.file, place.line, place.column) == ("the specification", 1, 4)
    assert "help: add the `)`" in str(caught.value)


def test_a_wrong_mapping_names_its_place(tmp_path: Path) -> None:
    mapping = tmp_path / "map.toml"
    mapping.write_text('[event]\nsession = "s"\nlifelines = "a"\n')
    with pytest.raises(multitrace.MultitraceError) as caught:
        multitrace.compile("a -- m -> b", events=mapping)
    assert caught.value.places[0].file == str(mapping)
    assert 3 in [place.line for place in caught.value.places]


ONE = [{"session": "s1", "traces": {"a": ["a!m"], "b": ["b?m"]}}]


def endless(table: Dict[str, Any]) -> Dict[str, Any]:
    """A dict that contains itself."""
    table["x"] = table
    return table


CASES: Any = [
    (lambda b: multitrace.compile("missing.hif"), "missing.hif: No such file"),
    (lambda b: multitrace.load("missing.mtb"), "missing.mtb: No such file"),
    (lambda b: multitrace.compile("hello world"), "hello world: no such file; a text that does not show its notation needs format="),
    (lambda b: multitrace.compile(""), "the specification is an empty text"),
    (lambda b: multitrace.Bundle.from_bytes(b"no bundle"), "not a multitrace bundle"),
    (lambda b: multitrace.compile("a -- m -> b", observe="all"), "known are complete, missing, prefix"),
    (lambda b: multitrace.compile("a -- m -> b", events="no.toml"), "no.toml: No such file"),
    (lambda b: b.check("missing.jsonl"), "missing.jsonl: No such file"),
    (lambda b: b.check("*.nothing"), "no file is called like that"),
    (lambda b: b.check(7), "int is not an input"),
    (lambda b: multitrace.compile("a -- m -> b", format="xyz"), "format: 'xyz' is not known; known are hif, mmd"),
    (lambda b: multitrace.compile("sequenceDiagram\n a->>b: m", format="hif"), "give format=\"mmd\""),
    (lambda b: multitrace.compile("x.mtb"), "load it with multitrace.load"),
    (lambda b: multitrace.load(EXAMPLES / "mqtt/mqtt.hif"), "make one with multitrace.compile"),
    (lambda b: multitrace.load(b"x"), "bytes is not a path"),
    (lambda b: multitrace.compile("a -- m -> b", signature="lifeline x"), "the signature:1:"),
    (lambda b: multitrace.compile("a -- m -> b", events=""), "events={} reads sessions"),
    (lambda b: b.check([], events=" "), "events={} reads sessions"),
    (lambda b: b.check([], budget_seconds=-1), "not a number of seconds from 0 on"),
    (lambda b: b.check([], budget_seconds=float("inf")), "not a number of seconds from 0 on"),
    (lambda b: b.check([]).render("partial"), "Report.partial() gives a part"),
    (lambda b: b.check([]).partial(), "check with partial=True"),
    (lambda b: b.check_stream("logs.parquet", events={"event": {}}), "a path is not a stream of tables; give it to check()"),
    (lambda b: b.check(ONE, sample=5, partial=True), "give a rate, as in sample=\"1%\""),
    (lambda b: b.check(ONE).explain("s1", context=-1), "context: -1 is not a whole number from 0 on"),
    (lambda b: b.check(ONE).explain("s11"), "no session is called 's11'; did you mean 's1'?"),
    (lambda b: multitrace.merge([b.check([])]), "part 1: a report is not a part; give report.partial()"),
    (lambda b: multitrace.merge(b.check([])), "part 1: a report is not a part; give report.partial()"),
    (lambda b: multitrace.merge(b"xx"), "give the bytes of Report.partial()"),
    (lambda b: b.check([1, 2]), "the list, item 1: int is not a dict"),
    (lambda b: b.check([{"session": object()}]), "the list, item 1, 'session': object has no form in JSON"),
    (lambda b: b.check(pyarrow.table({"a": [1]})), "the table has no column \"session\", but a; a table has"),
    (
        lambda b: b.check(pyarrow.table({"session": ["s"], "location": ["a"], "actions": [1]})),
        "row 1|no finding",
    ),
    (
        lambda b: b.check(pyarrow.table({"session": [None], "location": ["a"], "actions": [["a!m"]]})),
        "session is null\n --> the table, row 1",
    ),
    (lambda b: b.check(ONE, threads=1025), "threads=1025 is too many; a run has at most 1024"),
    (lambda b: b.check(ONE, memory=2**70), "memory: 1180591620717411303424 is more than"),
    (lambda b: b.check(ONE, seed=True), "seed: True is not a whole number from 0 on"),
    (lambda b: multitrace.compile("a -- m -> b", limit_states=-1), "limit_states: -1 is not a whole number from 1 on"),
    (lambda b: multitrace.compile("a -- m -> b", limit_memory=2**70), "limit_memory: 1180591620717411303424 is more than"),
    (lambda b: multitrace.compile("a -- m -> b", limit_states=numpy.bool_(True)), "limit_states: True is not a whole number"),
    (lambda b: list(b.check_stream([], min_sessions=-1)), "min_sessions: -1 is not a whole number from 0 on"),
    (lambda b: b.check([], errors="ignore"), "known are raise, report"),
    (lambda b: b.check([], fail_on=["pass"]), "known are fail, inconclusive, weak-pass, cut-off"),
    (lambda b: b.check([], engine="fast"), "known are auto, nfa, term"),
    (lambda b: b.check([], sample="many"), "a number from 1, or a rate"),
    (lambda b: b.check([], max_failures="few"), "a number from 1, or a rate"),
    (lambda b: b.check([], baseline="no.json"), "no.json: No such file"),
    (lambda b: b.check([], order_groups="name"), "known are gravest, count, rarest, distance"),
    (lambda b: b.check([]).render("pdf"), "known are human, concise, json"),
    (lambda b: list(b.check_stream([])), "tables of events need a mapping"),
    (lambda b: b.check(""), "an empty text is not a path"),
    (lambda b: b.check(["logs.jsonl", " "]), "an empty text is not a path"),
    (lambda b: multitrace.learn(""), "an empty text is not a path"),
    (lambda b: multitrace.merge(""), "an empty text is not a path"),
    (lambda b: b.check(pandas.DataFrame({"s": ["s"], "m": [1j]}), events={"event": {"session": "s", "message": "m", "lifeline": "m", "direction": {"field": "s", "emission": "s", "reception": "r"}}}), "no form in Arrow: Unsupported"),
    (lambda b: b.check([], max_failures="\u00b2"), "a number from 1, or a rate"),
    (lambda b: b.check([], events="a\0"), "embedded null"),
    (lambda b: b.check([], baseline="a\0"), "embedded null"),
    (lambda b: b.check([{"session": "a\ud800"}]), "the list, item 1, 'session': 'a\\ud800' is not a text in Unicode"),
    (lambda b: b.check([endless({"session": "s"})]), "the list, item 1, 'x': a value contains itself"),
    (lambda b: b.check(pandas.DataFrame([{"x": endless({})}]), events={"event": {"session": "x.s", "lifeline": "x.l", "message": "x.m", "direction": {"field": "x.k", "emission": "out", "reception": "in"}}}), "'x' has a value that contains itself"),
    (lambda b: b.check([], events=endless({})), "the mapping: a value contains itself"),
    (lambda b: b.check("a\ud800b"), "'a\\ud800b' is not a path"),
    (lambda b: multitrace.load("\ud800"), "is not a path"),
    (lambda b: multitrace.compile("\ud800.hif"), "is not a path"),
    (lambda b: multitrace.compile("a -- \ud800 -> b"), "the specification: 'a -- \\ud800 -> b' is not a text in Unicode, by its character 6"),
    (lambda b: b.check([], only_sessions=["\ud800"]), "only_sessions: '\\ud800' is not a text in Unicode"),
    (lambda b: b.check([], sample="\ud800%"), "sample: '\\ud800%' is not a text in Unicode"),
    (lambda b: b.check([], events={"event": {"session": "\ud800"}}), "is not a text in Unicode"),
    (lambda b: b.check(ONE).explain("\ud800"), "session: '\\ud800' is not a text in Unicode"),
    (lambda b: b.session().push("a", "\ud800"), "action: '\\ud800' is not a text in Unicode"),
]


@pytest.mark.parametrize(("call", "message"), CASES, ids=[message[:30] for _, message in CASES])
def test_wrong_arguments(call: Any, message: str) -> None:
    bundle = multitrace.compile("a -- m -> b")
    if "no finding" in message:
        # A number is read as its text, which the specification does not know.
        assert call(bundle).outcome == "violations"
        return
    with pytest.raises(multitrace.MultitraceError) as caught:
        call(bundle)
    assert message in str(caught.value)


def test_bad_lines_are_told_and_the_rest_is_checked(tmp_path: Path) -> None:
    bundle = multitrace.compile("a -- m -> b")
    good = '{"session":"s1","traces":{"a":["a!m"],"b":["b?m"]}}\n'
    logs = tmp_path / "logs.jsonl"
    logs.write_text(good + "{\n" + good.replace("s1", "s2"))
    with pytest.raises(multitrace.InputError) as caught:
        bundle.check(logs)
    assert caught.value.places[0].line == 2
    assert 'errors="report"' in str(caught.value)
    report = caught.value.report
    assert (report.outcome, report.summary["pass"], report.summary["errors"]) == ("error", 2, 1)
    again = bundle.check(logs, errors="report")
    assert again.problems == caught.value.problems
    assert again.problems[0].places[0].file == str(logs)


def test_problems_are_bounded_and_counted() -> None:
    mapping = {"event": {"session": "s", "lifeline": "n", "message": "m", "direction": "emission"}}
    bundle = multitrace.compile("a -- m -> b", events=mapping)
    count = 5_000
    table = pyarrow.table({"s": ["s1"] * count, "n": ["a"] * count, "m": pyarrow.nulls(count, pyarrow.string())})
    with pytest.raises(multitrace.InputError, match="and 4997 more; `problems` has the first 100") as caught:
        bundle.check(table)
    with pytest.raises(multitrace.InputError, match="and 47 more; `problems` has all\n"):
        bundle.check(table.slice(0, 50))
    report = caught.value.report
    assert len(caught.value.places) == len(report.problems) == 100
    assert [problem.places[0].line for problem in report.problems] == list(range(1, 101))
    assert report.summary["errors"] == count
    parts = [bundle.check(table, shard=(number, 2), partial=True, errors="report").partial() for number in range(2)]
    for merged in (multitrace.merge(parts), multitrace.merge(multitrace.merge(parts).partial())):
        assert (merged.problems, merged.summary["errors"]) == (report.problems, count)
        listed = [json.loads(it.render("json"))["errors"] for it in (merged, report)]
        assert listed[0] == listed[1] and len(listed[0]) == 100
    streamed: List[multitrace.Report] = []
    list(bundle.check_stream([table], errors="report", on_report=streamed.append))
    assert (len(streamed[0].problems), streamed[0].summary["errors"]) == (100, count)


def test_none_and_numbers_of_numpy_are_usual_values() -> None:
    bundle = multitrace.compile("a -- m -> b", limit_states=numpy.int64(1000))
    usual = bundle.check(ONE)
    assert bundle.check(ONE, seed=None, repair=None, min_sessions=None, threads=numpy.int32(2)).outcome == usual.outcome
    assert bundle.check(ONE).explain("s1", context=numpy.int64(0)).text


def test_the_first_error_of_a_stream_is_told() -> None:
    mapping = {"event": {"session": "s", "lifeline": "n", "message": "m", "direction": "emission"}}
    bundle = multitrace.compile("a -- m -> b", events=mapping)
    table, taken = pyarrow.table({"s": ["s1"], "n": ["a"]}), []

    def tables() -> Iterator[pyarrow.Table]:
        for number in range(1000):
            taken.append(number)
            time.sleep(0.001)
            yield table

    with pytest.raises(multitrace.InputError, match="the table has no column `m`"):
        list(bundle.check_stream(tables()))
    assert len(taken) < 1000, "no table is taken after the end"


def test_streams_have_the_demands_of_checks() -> None:
    mapping = {"event": {"session": "s", "lifeline": "n", "message": "m", "direction": "emission"}}
    bundle = multitrace.compile("a -- m -> b", events=mapping)
    made: List[multitrace.Report] = []
    tables = [pyarrow.table({"s": ["s1"], "n": ["a"], "m": ["m"]})]
    list(bundle.check_stream(tables, min_sessions=2, on_report=made.append))
    assert made[0].outcome == "error" and "min_sessions" in str(made[0])


def test_a_record_that_makes_no_event_is_told() -> None:
    mapping = {"unmatched": "error", "event": {"session": "s", "lifeline": "n", "message": "m", "direction": "emission"}}
    bundle = multitrace.compile("a -- m -> b", events=mapping)
    table = pyarrow.table({"s": ["s1", "s1"], "n": ["a", None], "m": ["m", "m"]})
    with pytest.raises(multitrace.InputError, match="row 2"):
        bundle.check(table)


def test_an_unknown_option_of_a_stream() -> None:
    bundle = multitrace.compile("a -- m -> b")
    with pytest.raises(TypeError, match="'colour' is not an option of this check; known are events, errors"):
        list(bundle.check_stream([], events={"event": {}}, colour="red"))


def test_errors_come_from_other_processes() -> None:
    bundle = multitrace.compile("a -- m -> b")
    with pytest.raises(multitrace.InputError) as caught:
        bundle.check([{"session": 1}])
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, multitrace.InputError)
    assert (str(again), again.problems, again.places) == (str(caught.value), caught.value.problems, caught.value.places)
    assert again.report is None


def test_a_null_is_called_so() -> None:
    mapping = {"event": {"session": "s", "lifeline": "n", "message": "m", "direction": "emission"}}
    bundle = multitrace.compile("a -- m -> b", events=mapping)
    table = pyarrow.table({"s": ["s1", None], "n": ["a", "a"], "m": ["m", "m"]})
    with pytest.raises(multitrace.InputError, match="`s` has no value"):
        bundle.check(table)


def test_sessions_are_not_named_by_floats() -> None:
    mapping = {"event": {"session": "s", "lifeline": "n", "message": "m", "direction": "emission"}}
    bundle = multitrace.compile("a -- m -> b", events=mapping)
    table = pyarrow.table({"s": [1.0, None], "n": ["a", "a"], "m": ["m", "m"]})
    with pytest.raises(multitrace.MultitraceError, match="convert_dtypes"):
        bundle.check(table)


def test_truth_values_name_sessions_in_every_input() -> None:
    bundle = multitrace.compile("a -- m -> b")
    rows = [{"session": value, "traces": {"a": ["a!m"], "b": ["b?m"]}} for value in (True, numpy.bool_(False))]
    table = pyarrow.table({"session": [True, True, False, False], "location": ["a", "b"] * 2, "actions": ["a!m", "b?m"] * 2})
    events = [{"session": True, "n": "a", "x": True}]
    mapping = {"event": {"session": "session", "lifeline": "n", "message": "x", "direction": "emission"}}
    assert [row["session"] for row in bundle.check(rows).sessions] == [row["session"] for row in bundle.check(table).sessions] == ["true", "false"]
    for data in (events, pandas.DataFrame(events)):
        (fault,) = bundle.check(data, events=mapping).faults
        assert (fault["session"], fault["event"]) == ("true", "a!true")


@pytest.mark.parametrize("text", ["the line was cut", "the line was cut\n  in the middle", "Producer error: External error: 7"])
def test_the_error_of_whatever_makes_a_table_is_told_whole(text: str) -> None:
    class Table:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return pyarrow.RecordBatchReader.from_batches(first.schema, batches()).__arrow_c_stream__(requested_schema)

    def batches() -> Any:
        yield first
        raise RuntimeError(text)

    first = pyarrow.RecordBatch.from_pylist([{"session": "s1", "location": "a", "actions": "a!m"}])
    bundle = multitrace.compile("a -- m -> b")
    mapping = {"event": {"session": "session", "lifeline": "location", "message": "actions", "direction": "emission"}}
    for call in (
        lambda: bundle.check(Table()),
        lambda: multitrace.propose_mapping(Table()),
        lambda: list(bundle.check_stream([Table()], events=mapping)),
    ):
        with pytest.raises(multitrace.MultitraceError) as caught:
            call()
        assert str(caught.value) == f"the table cannot be read on: RuntimeError: {text}"
    with pytest.raises(multitrace.InputError) as problem:
        bundle.check(Table(), events=mapping)
    assert problem.value.problems[0].text.startswith(f"cannot read on: RuntimeError: {text.splitlines()[0]}")


def test_what_was_left_out_is_told() -> None:
    mapping = {
        "event": {"session": "s", "lifeline": "n", "message": "m"},
        "rule": [{"when": {"d": "out"}, "direction": "emission"}],
    }
    bundle = multitrace.compile("a -- m -> b", events=mapping)
    report = bundle.check([{"s": "s1", "n": "a", "m": "m", "d": "sideways"}])
    assert report.outcome == "nothing_checked"
    assert any("no rule of the mapping matched 1 record" in note for note in report.notes)
    assert any("nothing was checked" in note for note in report.notes)
    assert "note: " in str(report) and "note: " in report._repr_html_()


def test_one_text_is_not_many() -> None:
    bundle = multitrace.compile("a -- m -> b")
    rows = [{"session": name, "traces": {"a": ["a!m"], "b": []}} for name in ("s1", "s2")]
    assert bundle.check(rows, only_sessions="s1").summary["sessions"] == 1
    assert bundle.check(rows, fail_on="inconclusive").outcome == "clean"


def test_a_reader_is_read_once() -> None:
    bundle = multitrace.compile("a -- m -> b")
    table = pyarrow.table({"session": ["s1"], "location": ["a"], "actions": [["a!m"]]})
    report = bundle.check(table.to_reader())
    with pytest.raises(multitrace.MultitraceError, match="cannot be read again"):
        report.explain("s1")


def test_missing_numbers_of_data_frames() -> None:
    bundle = multitrace.compile("a -- m -> b")
    rows = [{"session": "s1", "traces": {"a": ["a!m"], "b": ["b?m"]}, "cost": float("nan")}]
    assert bundle.check(rows).outcome == "clean"


def test_paths_and_texts_are_told_apart(tmp_path: Path) -> None:
    for path in ("protocol", "shop.hiff", "docs/protocol"):
        with pytest.raises(multitrace.MultitraceError, match="[Nn]o such file|extension"):
            multitrace.compile(path)
    folder = tmp_path / "date=1"
    folder.mkdir()
    (folder / "m.toml").write_text('[event]\nsession = "s"\nlifeline = "n"\nmessage = "m"\ndirection = "emission"\n')
    assert multitrace.compile("a -- m -> b", events=folder / "m.toml").events
    with pytest.raises(multitrace.MultitraceError, match="int is not a mapping"):
        multitrace.compile("a -- m -> b", events=3)  # type: ignore[arg-type]


def test_a_stream_that_is_left_ends_with_the_process() -> None:
    code = """
import multitrace, pandas
mapping = {"event": {"session": "s", "lifeline": "n", "message": "m", "direction": "emission"}}
bundle = multitrace.compile("a -- m -> b", events=mapping)
frame = pandas.DataFrame({"s": ["s1"] * 1000, "n": ["a"] * 1000, "m": ["m"] * 1000})
core = bundle._core.stream(("m", bundle.events), __import__("multitrace._bundle", fromlist=["x"]).check_options(grouped=True))
core.push(frame)
multitrace._bundle._streams.add(core)
"""
    for _ in range(3):
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_texts_name_arguments(tmp_path: Path) -> None:
    """No text of the command line's options is left where Python has another word."""
    bundle = multitrace.compile("seq(a -- m -> b, a -- n -> b)")
    rows = [{"session": "s1", "traces": {"a": ["a!m"], "b": ["b?m"]}}]
    report = bundle.check(rows, only_sessions=["s1", "other"])
    assert any("of only_sessions= did not occur" in note for note in report.notes)
    assert "early choose observe=\"prefix\"" in report.explain("s1").text
    mapping = {"event": {"session": "s", "lifeline": "n", "message": "m"}, "rule": [{"when": {"d": "out"}, "direction": "emission"}]}
    table = pyarrow.table({"s": ["s1"], "n": ["a"], "m": ["m"], "d": ["in"]})
    assert any("1 record; multitrace.explain_mapping shows them" in note for note in bundle.check(table, events=mapping).notes)
    (tmp_path / "known.json").write_text("{")
    with pytest.raises(multitrace.MultitraceError, match="write the baseline anew with Report.write_baseline"):
        bundle.check(rows, baseline=tmp_path / "known.json")
    joined = [{"session": "s1", "traces": {"a,b": ["a!m"]}}]
    (problem,) = bundle.check(joined, errors="report").problems
    assert 'recompile with `locations="a,b"`' in problem.text


def test_a_printed_report_has_each_problem_once():
    report = multitrace.compile("a -- m -> b").check([{"s": "s1", "l": "a", "k": "x", "m": "m"}], errors="report", events={"event": {
        "session": "s", "lifeline": "l", "message": "m", "direction": {"field": "k", "emission": "out", "reception": "in"}}})
    assert len(report.problems) == 1
    message = report.problems[0].text.splitlines()[0].removeprefix("error: ")
    assert str(report).count(message) == 1
    assert message in report.render("human")
