"""Errors, as exceptions with their places."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple, TypeVar

if TYPE_CHECKING:
    from ._report import Report

__all__ = ["InputError", "InputProblem", "MultitraceError", "ProblemPlace"]


class ProblemPlace(NamedTuple):
    """An error and its place. Lines and columns count from 1."""

    file: str
    line: Optional[int]
    column: Optional[int]
    message: str


class InputProblem(NamedTuple):
    """A part of an input that could not be checked. The rest was."""

    text: str
    """The message for people, with the lines around the place and a remedy."""
    places: Tuple[ProblemPlace, ...]


_Place = Tuple[str, Optional[int], Optional[int], str]


def input_problems(told: Iterable[Tuple[str, Iterable[_Place]]]) -> List[InputProblem]:
    """Problems as the extension tells them."""
    return [InputProblem(text, tuple(ProblemPlace(*place) for place in places)) for text, places in told]


class MultitraceError(Exception):
    """A specification, bundle, mapping, argument or file is wrong.

    The text names the place and the remedy, and shows the lines around it.
    """

    places: Tuple[ProblemPlace, ...]
    """Where it is wrong, as far as that is known."""

    def __init__(
        self,
        message: str,
        places: Iterable[_Place] = (),
    ) -> None:
        super().__init__(message)
        self.places = tuple(ProblemPlace(*place) for place in places)


class InputError(MultitraceError):
    """Parts of the input could not be checked; all others were, and `report` has their results."""

    problems: Tuple[InputProblem, ...]
    """The first problems, at most a hundred, in the order of the input."""
    report: Optional["Report"]
    """The report on the other parts of the input; `None` in an error that comes from another process, or of `learn` or `local`."""

    def __init__(
        self, problems: Sequence[InputProblem], count: int, report: Optional["Report"], errors: Optional[str] = "report"
    ) -> None:
        shown = [problem.text for problem in problems[:3]]
        if count > len(shown):
            kept = "has all" if count == len(problems) else f"has the first {len(problems)}"
            shown.append(f"and {count - len(shown)} more; `problems` {kept}")
        if report is not None:
            # Those that are shown may be of one kind; a remark counts many problems by kind.
            shown.extend(note for note in report.notes if note.startswith(f"{count} parts of the input could not be checked; by kind: "))
        if errors is not None:
            shown.append(f'errors="{errors}" gives what the rest is instead of this exception')
        super().__init__("\n".join(shown), _places(problems))
        self.problems = tuple(problems)
        self.report = report

    def __reduce__(self) -> Any:
        """Everything but the report, so that it can come from another process."""
        return (_without_report, (str(self), self.problems))


_Text = TypeVar("_Text")


def unicode(name: str, text: _Text) -> _Text:
    """The value itself; a text with half of a character of UTF-16 is an error."""
    try:
        if isinstance(text, str):
            text.encode()
    except UnicodeEncodeError as error:
        raise MultitraceError(f"{name}: {text!r} is not a text in Unicode, by its character {error.start + 1}") from None
    return text


def fs_name(path: Any) -> str:
    """A path as text; one that no file can have is an error, and so is an empty text, which would be the working folder."""
    text = os.fspath(path)
    if isinstance(path, str) and not text.strip():
        raise MultitraceError("an empty text is not a path; the working folder is \".\"")
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise MultitraceError(f"{text!r} is not a path: it is not Unicode") from None
    if not isinstance(text, str):
        raise MultitraceError(f"{text!r} is not a path: it is not a text")
    return text


def shown_name(path: str) -> str:
    """A path in messages, which the bytes of some paths cannot be in."""
    return path.encode(errors="replace").decode()


def _places(problems: Sequence[InputProblem]) -> List[ProblemPlace]:
    return [place for problem in problems for place in problem.places]


def _without_report(message: str, problems: Tuple[InputProblem, ...]) -> InputError:
    error = InputError.__new__(InputError)
    MultitraceError.__init__(error, message, _places(problems))
    error.problems = problems
    error.report = None
    return error
