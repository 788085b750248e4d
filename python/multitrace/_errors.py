"""What can go wrong, as exceptions with their places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, NamedTuple, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from ._report import Report

__all__ = ["InputError", "InputProblem", "MultitraceError", "ProblemPlace"]


class ProblemPlace(NamedTuple):
    """Where something is wrong, and what. Lines and columns count from 1."""

    file: str
    line: Optional[int]
    column: Optional[int]
    message: str


class InputProblem(NamedTuple):
    """A part of an input that could not be checked. The rest was."""

    text: str
    """The message for people, with the lines around the place and a remedy."""
    places: Tuple[ProblemPlace, ...]


_OPTIONS = (
    "allow-missing|budget-memory|budget-states|coverage|engine|events|fail-on|limit-states|locations|max-failures|memory|"
    "min-coverage|observe|only-sessions|repair|sample|shard-files|shard|signature"
)

# What the command line says, and what is said here instead.
_PHRASES = (
    ("leave out --grouped", "bring the events of each session together before"),
    ("check with --output-format partial, or with partial=True", "check with partial=True"),
    (
        "name files that `multitrace check --output-format partial` has written",
        "give the bytes of Report.partial(), or files that `multitrace check --output-format partial` has written",
    ),
    ("write the part again with `multitrace check --output-format partial`", "make the part again with Report.partial()"),
    ("write the baseline anew with --write-baseline", "write the baseline anew with Report.write_baseline"),
    ("--output-format json has them all", "to_dict() and render(\"json\") have them all"),
    ("--full shows all", "context=None shows all"),
    ("--budget-time", "budget_seconds="),
    ("rate to `multitrace merge`", "rate to multitrace.merge"),
    ("RATE% to `merge`", "RATE% to multitrace.merge"),
    ("make one with `multitrace compile`", "make one with multitrace.compile(…).save(…)"),
    (
        "`multitrace map --explain`",
        "`multitrace map --explain`, run on a file with these records,",
    ),
)


def in_python(message: str) -> str:
    """Options of the command line as arguments, outside of the lines that are shown of a text."""
    lines = message.split("\n")
    for at, line in enumerate(lines):
        if not re.match(r" *[0-9]* \|", line):
            lines[at] = _line_in_python(line)
    return "\n".join(lines)


def _line_in_python(line: str) -> str:
    for phrase, instead in _PHRASES:
        line = line.replace(phrase, instead)
    if "--" not in line:
        return line
    argument: Callable[[re.Match[str]], str] = lambda it: it[1].replace("-", "_") + "="
    # A value with quotes or a number stays as it is, and a word or rate becomes a text.
    line = re.sub(rf"--({_OPTIONS}) (?=[\"'0-9](?![0-9]*%))", argument, line)
    word = r"[0-9.]+%|RATE%|MAP\.toml|complete|missing|prefix|slice|global-prefix|nfa"
    line = re.sub(rf"--({_OPTIONS}) ({word})(?![\w-])", lambda it: f'{argument(it)}"{it[2]}"', line)
    line = re.sub(rf"--({_OPTIONS}) (?=N\b)", argument, line)
    return re.sub(rf"--({_OPTIONS})\b", argument, line)


class MultitraceError(Exception):
    """A specification, bundle, mapping, argument or file is wrong.

    The text names the place, shows the lines around it and says what to do instead.
    """

    places: Tuple[ProblemPlace, ...]
    """Where it is wrong, as far as that is known."""

    def __init__(
        self,
        message: str,
        places: Iterable[Tuple[str, Optional[int], Optional[int], str]] = (),
    ) -> None:
        super().__init__(in_python(message))
        self.places = tuple(ProblemPlace(*place) for place in places)


class InputError(MultitraceError):
    """Parts of the input could not be checked; all others were, and `report` has what they gave."""

    problems: Tuple[InputProblem, ...]
    """What is wrong: the first problems, in the order of the input."""
    report: Optional["Report"]
    """What the other parts of the input gave; `None` in an error that comes from another process."""

    def __init__(self, problems: Sequence[InputProblem], count: int, report: "Report") -> None:
        shown = [problem.text for problem in problems[:3]]
        if count > len(shown):
            shown.append(f"and {count - len(shown)} more; `problems` has the first {len(problems)}")
        help_text = 'errors="report" gives the report of the rest instead of this exception'
        super().__init__("\n".join([*shown, help_text]), _places(problems))
        self.problems = tuple(problems)
        self.report = report

    def __reduce__(self) -> Any:
        """Everything but the report, so that it can come from another process."""
        return (_without_report, (str(self), self.problems))


def _places(problems: Sequence[InputProblem]) -> List[ProblemPlace]:
    return [place for problem in problems for place in problem.places]


def _without_report(message: str, problems: Tuple[InputProblem, ...]) -> InputError:
    error = InputError.__new__(InputError)
    MultitraceError.__init__(error, message, _places(problems))
    error.problems = problems
    error.report = None
    return error
