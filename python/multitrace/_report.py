"""The results of a check."""

from __future__ import annotations

import errno
import html
import importlib
import json
import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _multitrace
from ._errors import InputProblem, MultitraceError, input_problems
from ._options import whole
from ._shapes import Group

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Drawing", "Explanation", "Faults", "Report", "Sessions", "explain_code"]

_WIDTH = 100
# A table that is shown has a screen of rows.
_SHOWN_ROWS = 20


def write_whole(path: Union[str, "os.PathLike[str]"], content: bytes) -> None:
    """Writes a file that appears whole or not at all."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    _multitrace.write_whole(target, content)


class Drawing:
    """A picture. Notebooks show it."""

    def __init__(self, svg: str, text: Optional[str] = None) -> None:
        self.svg = svg
        """The picture as SVG, for light and dark pages."""
        self._text = text

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self._text if self._text is not None else self.svg

    def __repr__(self) -> str:
        return f"<Drawing, {len(self.svg)} bytes of SVG>"

    def png(self) -> bytes:
        """The picture as PNG, in colours for light pages, with the fonts of this machine."""
        return _multitrace.png(self.svg)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes it to a file: `.svg`, `.png`, or `.txt` for a picture in text."""
        suffix = Path(path).suffix.lower()
        if suffix == ".svg":
            write_whole(path, self.svg.encode())
        elif suffix == ".png":
            write_whole(path, self.png())
        elif suffix == ".txt" and self._text is not None:
            write_whole(path, self._text.encode())
        else:
            raise MultitraceError(
                f"{os.fspath(path)}: no picture by its extension; known are .svg and .png, and .txt for "
                "diagrams and sessions"
            )


def explain_code(code: str) -> str:
    """The meaning of a code of findings or warnings, such as `"MT113"`, and what to do."""
    return _multitrace.explain_code(code)


def _needed(name: str, user: str, packages: str) -> Any:
    """A library that not every user has."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MultitraceError(f"{user} needs {packages.replace(' ', ' and ')}: pip install {packages}") from error


_NOT_A_FRAME = "it is not a data frame; to_pandas(), to_polars() and to_pyarrow() make one, which can be filtered, and to_dicts() its rows"


class _Rows:
    """A table of Arrow that other libraries take without a copy."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        """The rows as dicts, one after another."""
        return iter(self.to_dicts())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {len(self)} row{'' if len(self) == 1 else 's'}: {', '.join(self.column_names)}>"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(f"{type(self).__name__} has no {name!r}: {_NOT_A_FRAME}", name=name, obj=self)

        def __getitem__(self, key: Any) -> Any:
            raise TypeError(f"{type(self).__name__} is not subscriptable: {_NOT_A_FRAME}")

    @property
    def column_names(self) -> List[str]:
        """The names of the columns."""
        names: List[str] = self._table.column_names
        return names

    def head(self, count: int = 5) -> List[Dict[str, Any]]:
        """The first rows as dicts."""
        return self._dicts(min(whole("count", count, 0) or 0, len(self)))

    def to_dicts(self) -> List[Dict[str, Any]]:
        """The rows as dicts."""
        return self._dicts(len(self))

    def _dicts(self, count: int) -> List[Dict[str, Any]]:
        rows: List[Dict[str, Any]] = self._table.slice(0, count).to_pylist()
        return rows

    def to_pyarrow(self) -> "pyarrow.Table":
        """The same as a table of pyarrow."""
        table: pyarrow.Table = _needed("pyarrow", "to_pyarrow()", "pyarrow").table(self)
        return table

    def to_pandas(self) -> "pandas.DataFrame":
        """The same as a data frame of pandas, through pyarrow. Integers stay integers where some are missing, also inside of structs."""
        arrow, library = (_needed(name, "to_pandas()", "pandas pyarrow") for name in ("pyarrow", "pandas"))
        kinds = {arrow.int64(): library.Int64Dtype()}
        frame: pandas.DataFrame = self.to_pyarrow().to_pandas(types_mapper=kinds.get, integer_object_nulls=True)
        return frame

    def to_polars(self) -> "polars.DataFrame":
        """The same as a data frame of polars."""
        frame: polars.DataFrame = _needed("polars", "to_polars()", "polars").DataFrame(self)
        return frame

    def _repr_html_(self) -> str:
        names = self.column_names
        head = "".join(f"<th style='text-align:left'>{html.escape(name)}</th>" for name in names)
        rows = [[_cell(row[name]) for name in names] for row in self.head(_SHOWN_ROWS)]
        body = "".join("<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in row) + "</tr>" for row in rows)
        more = f"<p>and {len(self) - _SHOWN_ROWS:,} more rows</p>" if len(self) > _SHOWN_ROWS else ""
        return f"<table><tr>{head}</tr>{body}</table>{more}"


def _cell(value: Any) -> str:
    """A value of a row, in a few words."""
    if isinstance(value, list):
        value = ", ".join(str(item.get("code", item)) if isinstance(item, dict) else str(item) for item in value)
    elif isinstance(value, dict):
        value = ":".join(str(item) for item in value.values() if item is not None)
    return "" if value is None else html.escape(str(value))


class Sessions(_Rows):
    """Verdicts as an Arrow table, one row a session, in the order of the input.

    The columns are `session`, `verdict` (`pass`, `weak_pass`, `fail`, `inconclusive`), `findings` (a list of
    structs with `code`, `location`, `index`, `event`, `expected`, `kind`, `place`, `other`, `after`,
    `consequences`, `sentence`; the main one first; of a session that fails its faults),
    `distance` (edits to an accepted session, with `repair=True`), `place` (`file`, `line`) and `fingerprint`
    (of the main finding). `pyarrow.table(…)`, `polars.DataFrame(…)` and DuckDB take this object without a copy.
    """

    def __arrow_c_schema__(self) -> Any:
        return self._table.__arrow_c_schema__()

    def _dicts(self, count: int) -> List[Dict[str, Any]]:
        rows: List[Dict[str, Any]] = self._table.to_dicts(count)
        return rows


class Faults(_Rows):
    """The findings as an Arrow table, one row a finding of a session, in the order of the input and the main finding first.

    The columns are `session`, `verdict`, and those of the structs in `findings` of `Report.sessions`. Needs pyarrow.
    """


class Explanation:
    """One session in full: its logs, how far they are explained, their faults, and the expected events."""

    def __init__(self, core: _multitrace.Explanation) -> None:
        self._core = core

    @property
    def verdict(self) -> str:
        """`pass`, `weak_pass`, `fail` or `inconclusive`."""
        return self._core.verdict

    @property
    def text(self) -> str:
        """For people, as `multitrace explain` prints it."""
        return self._core.text(_WIDTH)

    def to_dict(self) -> Dict[str, Any]:
        """The object of `multitrace explain --output-format json` (docs/output.md)."""
        explained: Dict[str, Any] = json.loads(self._core.json())
        return explained

    def draw(self) -> Drawing:
        """The session as a space-time diagram: one lane a location, arrows between events that belong together."""
        return Drawing(self._core.picture("svg", _WIDTH), self._core.picture("text", _WIDTH))

    def mermaid(self) -> str:
        """The session as a diagram of Mermaid."""
        return self._core.picture("mermaid", _WIDTH)

    def shiviz(self) -> str:
        """The session as a log with vector clocks, for ShiViz."""
        return self._core.picture("shiviz", _WIDTH)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            known = [it for it in dir(type(self)) if not it.startswith("_")]
            hint = _OF_EXPLANATIONS.get(name, f"it has {', '.join(known)}")
            raise AttributeError(f"an explanation has no {name!r}; {hint}", name=name, obj=self)

    def _repr_svg_(self) -> str:
        return self.draw().svg

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Explanation, {self.verdict}>"


_OF_EXPLANATIONS = {
    **dict.fromkeys(("save", "write"), 'its picture has: `explanation.draw().save("session.svg")`'),
    **dict.fromkeys(("svg", "png"), "its picture has: `explanation.draw().svg` and `explanation.draw().png()`"),
    **dict.fromkeys(("show", "plot"), "`explanation.draw()` is its picture, and `print(explanation)` its text"),
    **dict.fromkeys(("faults", "findings", "sentence"), '`explanation.to_dict()["faults"]` are those of a session that fails, and `explanation.text` is all of it in words'),
    **dict.fromkeys(("to_json", "json"), "`explanation.to_dict()` is the object of its JSON"),
}
"""What stands for attributes that people look for in explanations."""

_ELSEWHERE = {
    **dict.fromkeys(("failures", "findings", "violations"), "`report.faults` is a table with a row for each finding, and `report.groups` their kinds"),
    **dict.fromkeys(("verdicts", "results", "failed", "passed"), "`report.sessions` is a table with the verdict of each session, and `report.summary` counts them"),
    **dict.fromkeys(("errors", "warnings"), "`report.problems` is what could not be read, and `report.notes` has remarks"),
    **dict.fromkeys(("to_pandas", "to_polars", "to_dicts", "to_pyarrow", "head"), "its tables have that: `report.sessions` and `report.faults`"),
    **dict.fromkeys(("to_dict", "to_json", "json"), "`report.summary` and `report.groups` are parts of it as dicts, and `report.render(\"json\")` is all of it"),
    **dict.fromkeys(("save", "to_html", "html"), "`report.write(\"report.html\")` writes it, and `report.draw().save(\"report.svg\")` its picture"),
    **dict.fromkeys(("show", "plot", "svg"), "`report.draw()` is its picture, and `report.explain(session).draw()` that of a session"),
}
"""What stands for attributes that people look for in reports."""


class Report:
    """The results of a check. `bool(report)` is whether the run is clean."""

    def __init__(
        self,
        core: _multitrace.Report,
        explain: Callable[[Union[str, int, uuid.UUID], Optional[int]], List[Explanation]],
        hints: Sequence[str] = (),
    ) -> None:
        self._core = core
        self._hints = tuple(hints)
        self._explain = explain
        self._json: Optional[Dict[str, Any]] = None

    @property
    def outcome(self) -> str:
        """`clean`, `violations`, `error` (parts of the input could not be checked) or `nothing_checked`."""
        return self._core.outcome

    @property
    def exit_code(self) -> int:
        """With which `multitrace check` ends: 0 clean, 1 violations, 2 error, 3 nothing was checked."""
        return self._core.exit_code

    def __bool__(self) -> bool:
        return self.outcome == "clean"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            known = [it for it in dir(type(self)) if not it.startswith("_")]
            hint = _ELSEWHERE.get(name, f"it has {', '.join(known)}")
            raise AttributeError(f"a report has no {name!r}; {hint}", name=name, obj=self)

    @property
    def sessions(self) -> Sessions:
        """One row a session."""
        table = self._core.sessions
        if table is None:
            raise MultitraceError("the check left the sessions out: sessions=False, or a merged report")
        return Sessions(table)

    @property
    def faults(self) -> Faults:
        """One row a finding; a session without findings has no row. Needs pyarrow; `sessions.to_dicts()` has them without it."""
        table = self.sessions
        pyarrow, compute = (_needed(name, "report.faults", "pyarrow") for name in ("pyarrow", "pyarrow.compute"))
        sessions = table.to_pyarrow().combine_chunks()
        findings = sessions["findings"]
        of = compute.list_parent_indices(findings)
        flat = compute.list_flatten(findings)
        columns = {name: sessions[name].take(of) for name in ("session", "verdict")}
        kind = findings.type.value_type
        for at in range(kind.num_fields):
            columns[kind.field(at).name] = compute.struct_field(flat, at)
        return Faults(pyarrow.table(columns))

    def raise_for_outcome(self) -> "Report":
        """The report itself if it is clean; else an `AssertionError` whose text is the report, below a line that sums it up."""
        __tracebackhide__ = True
        if not self:
            raise AssertionError(f"{self._in_a_line()}\n{self}")
        return self

    def _in_a_line(self) -> str:
        """Why the run is not clean, in one line, since the summary of pytest has no more."""
        counts, problems = self.summary, self.problems
        found = [note["message"] for note in counts.get("notes", ()) if note["level"] == "error"]
        if problems:
            count = counts["errors"]
            found.insert(0, f"{count} part{'' if count == 1 else 's'} of the input could not be checked: {problems[0].text.splitlines()[0]}")
        violations = [group for group in self.groups if group["standing"] == "violation"]
        if violations:
            found.append(_of_violations(violations, counts))
        least, taken = counts.get("min_coverage"), counts.get("coverage")
        if taken is not None and least is not None and taken["percent"] < least:
            found.append(f"the coverage is {taken['percent']:.1f} %; min_coverage={least:g} demands more")
        if self.outcome == "nothing_checked":
            found = [*self._hints, *(note for note in self.notes if note.startswith("nothing was checked"))]
        return "; ".join(found) or self.outcome

    @property
    def problems(self) -> Tuple[InputProblem, ...]:
        """The first parts of the input that could not be checked, at most a hundred; `summary["errors"]` counts all."""
        return tuple(input_problems(self._core.problems))

    @property
    def summary(self) -> Dict[str, Any]:
        """The counts, as `summary` in the JSON of reports (docs/output.md)."""
        summary: Dict[str, Any] = self._report()["summary"]
        return summary

    @property
    def groups(self) -> List[Group]:
        """The kinds of findings, those that fail the run first, as `groups` in the JSON of reports."""
        groups: List[Group] = self._report()["groups"]
        return groups

    def _report(self) -> Dict[str, Any]:
        if self._json is None:
            self._json = json.loads(self._core.render("json"))
        return self._json

    def render(self, format: str = "human") -> str:
        """The report in a format of `multitrace check --output-format`."""
        return self._core.render(format).decode()

    def write(self, path: Union[str, "os.PathLike[str]"], format: Optional[str] = None) -> None:
        """Writes the report to a file, whole or not at all. Without a format the ending of the path tells it: `.html`,
        `.json`, `.sarif` or `.txt`."""
        write_whole(path, self._core.render(format if format is not None else _format_of(path)))

    def partial(self) -> bytes:
        """The results as a part of a larger run, for `multitrace.merge` and `multitrace merge`; the check
        needs `partial=True`."""
        return self._core.part()

    def write_baseline(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the places of findings as a baseline, for later checks with `baseline=`."""
        write_whole(path, self._core.baseline().encode())

    def write_lcov(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the coverage for LCOV; the check needs `coverage=True`."""
        lcov = self._core.lcov()
        if lcov is None:
            raise MultitraceError("the check did not ask for coverage: coverage=True")
        write_whole(path, lcov.encode())

    def explain(self, session: Union[str, int, uuid.UUID], *, context: Optional[int] = 5) -> Explanation:
        """Explains a session, by its name; an integer or a UUID stands for its text. Its input is read again. `context` events are shown around each one that is
        wrong, all events with `None`. Of several sessions of one name, this is the first."""
        return self._explain(session, context)[0]

    def draw(self) -> Drawing:
        """The specification with faults, and with `coverage=True` the taken parts, marked in it."""
        return Drawing(self._core.svg())

    @property
    def notes(self) -> List[str]:
        """Notes beside the findings: records that made no event, a mapping that may not fit."""
        return [*self._hints, *self._core.notes]

    def __str__(self) -> str:
        shown = [f"error: {problem.text}\n" for problem in self.problems[:_SHOWN_ROWS]]
        if self._core.error_count > len(shown):
            shown.append(f"error: {self._core.error_count - len(shown)} more problems of the input\n")
        human = self._core.text()
        # It has some of them, with their codes.
        notes = (f"note: {note}\n" for note in self.notes if note not in human)
        return "".join([human, *shown, *notes])

    def __repr__(self) -> str:
        counts = self.summary
        names = ("pass", "weak_pass", "fail", "inconclusive")
        shown = ", ".join(f"{counts[name]} {name}" for name in names if counts[name])
        return f"<Report, {counts['sessions']} session{'' if counts['sessions'] == 1 else 's'}: {shown or 'none'}>"

    def _repr_html_(self) -> str:
        rows = "".join(_row(group) for group in self.groups[:20])
        more = len(self.groups) - 20
        rest = f"<p>and {more} more kinds</p>" if more > 0 else ""
        head = "<tr><th>sessions</th><th>code</th><th style='text-align:left'>finding</th><th>first</th></tr>"
        table = f"<table>{head}{rows}</table>{rest}" if rows else ""
        notes = "".join(f"<p>note: {html.escape(note)}</p>" for note in self.notes)
        return f"<p><b>{html.escape(self.outcome)}</b>: {html.escape(repr(self)[1:-1])}</p>{table}{notes}"


_VERBS = {
    "fail": ("fails", "fail"),
    "inconclusive": ("is inconclusive", "are inconclusive"),
    "weak_pass": ("passes weakly", "pass weakly"),
}
_OTHER_VERBS = ("is a violation", "are violations")


def _of_violations(groups: Sequence[Group], counts: Dict[str, Any]) -> str:
    """How many sessions are violations, and the first fault in words. A session may be in several groups, so those do not count them."""
    violations, sessions = counts["violations"], counts["sessions"]
    told = {verdict: counts.get(verdict, violations) for verdict in dict.fromkeys(group["verdict"] for group in groups)}
    if len(told) == 1:
        told = dict.fromkeys(told, violations)
    of_all = f"of {sessions} session{'' if sessions == 1 else 's'}"
    (count, first_verb), *rest = ((count, _VERBS.get(verdict, _OTHER_VERBS)[count != 1]) for verdict, count in told.items())
    words = [f"{count} {of_all} {first_verb}", *(f"{count} {verb}" for count, verb in rest)]
    if sum(told.values()) != violations:
        # A baseline knows the others.
        words = [f"violations in {violations} {of_all}"]
    first = groups[0]
    names = [one["session"] for one in first.get("sessions", ())]
    faults = first.get("faults") or ()
    fault = faults[0]["sentence"] if faults else first["title"]
    return f"{', '.join(words)}; {f'{names[0]}: ' if names else ''}{fault}"


_ENDINGS = {".html": "html", ".json": "json", ".sarif": "sarif", ".txt": "human"}


def _format_of(path: Union[str, "os.PathLike[str]"]) -> str:
    ending = Path(path).suffix.lower()
    if ending not in _ENDINGS:
        raise MultitraceError(
            f"{os.fspath(path)}: no format by its ending; known are {', '.join(_ENDINGS)}, or name one: "
            'write(path, "junit")'
        )
    return _ENDINGS[ending]


def _row(group: Group) -> str:
    first = group["sessions"][0]["session"] if group.get("sessions") else ""
    cells = (str(group["count"]), group["code"], group["title"], first)
    align = ("right", "left", "left", "left")
    shown = "".join(
        f"<td style='text-align:{side}'>{html.escape(cell)}</td>" for cell, side in zip(cells, align)
    )
    return f"<tr>{shown}</tr>"
